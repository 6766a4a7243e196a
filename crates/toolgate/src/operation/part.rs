//! One part of an operation, rewritten so that it speaks of its own names and of nothing else in the joined object.
//!
//! Only what applies to the arguments object itself is changed, whichever composition or reference leads there; below a key or
//! an item the part's schemas stand as they are.

use super::unjoined;
use crate::contract::{Policy, UnknownKeys, Unusable};
use crate::json::{Document, Kind, ObjectWriter, Slot, list, quoted};
use crate::schema;
use crate::schema::document::{Dialect, Form, SchemaDocument, Target, form};
use fluent_uri::pct_enc::EString;
use fluent_uri::pct_enc::encoder::Fragment;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// Whose arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Params,
    Input,
    Extension,
}

impl Side {
    pub(super) fn word(self) -> &'static str {
        match self {
            Side::Params => "params",
            Side::Input => "input",
            Side::Extension => "extension",
        }
    }
}

pub(super) struct Part {
    pub(super) side: Side,
    /// What it declares or asks for at the root, each once, in the order written.
    pub(super) names: Vec<String>,
    document: SchemaDocument,
    /// Subschemas that speak of the arguments object itself, and the definition that each is given.
    in_place: BTreeMap<Slot, Option<String>>,
    /// Whether a schema below the root is named by a reference.
    refers: bool,
}

impl Part {
    /// Reads a part that compiles alone.
    pub(super) fn read(text: &str, side: Side, policy: &Policy) -> Result<Self, Unusable> {
        let alone = Policy {
            unknown_keys: UnknownKeys::AsWritten,
            origin: policy.origin,
            limits: policy.limits,
            ..Policy::default()
        };
        let document = schema::compile(text.to_owned(), &alone)?.document;
        let mut part = Part { side, names: Vec::new(), document, in_place: BTreeMap::new(), refers: false };
        if part.document.names_resources() {
            return Err(part.fault(0, "", "a part of an operation has no `$id` and no anchors"));
        }
        part.find_in_place()?;
        Ok(part)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.document.dialect
    }

    pub(super) fn text(&self) -> &str {
        self.json().text()
    }

    fn json(&self) -> &Document<'static> {
        &self.document.json
    }

    fn fault(&self, schema: Slot, keyword: &str, why: &str) -> Unusable {
        unjoined(self.side, &self.document.pointer(schema, keyword), why)
    }

    fn form(&self, keyword: &str) -> Form {
        form(keyword, self.document.dialect, self.document.origin)
    }

    /// The members of a subschema that say something of the value.
    fn keywords(&self, schema: Slot) -> Vec<(String, Slot)> {
        if self.json().kind(schema) != Kind::Object {
            return Vec::new();
        }
        let hidden = !self.document.dialect.ref_has_siblings() && self.json().member(schema, "$ref").is_some();
        let members = self.json().members(schema).map(|(name, value)| (self.json().string(name).into_owned(), value));
        members.filter(|(keyword, _)| !hidden || keyword == "$ref").collect()
    }

    /// The subschemas in `value` that speak of the same object as the schema whose keyword it is.
    fn inside(&self, keyword: &str, value: Slot) -> Vec<Slot> {
        match keyword {
            "allOf" | "anyOf" | "oneOf" => self.json().items(value).collect(),
            "not" | "if" | "then" | "else" => vec![value],
            "dependentSchemas" | "dependencies" => {
                let values = self.json().members(value).map(|(_, value)| value);
                values.filter(|value| self.json().kind(*value) != Kind::Array).collect()
            }
            _ => Vec::new(),
        }
    }

    fn find_in_place(&mut self) -> Result<(), Unusable> {
        let mut todo = VecDeque::from([0]);
        let mut known: HashSet<String> = HashSet::new();
        self.in_place.insert(0, None);
        while let Some(schema) = todo.pop_front() {
            for (keyword, value) in self.keywords(schema) {
                if self.form(&keyword) == Form::Free {
                    continue;
                }
                for name in self.names_in(&keyword, value) {
                    if known.insert(name.clone()) {
                        self.names.push(name);
                    }
                }
                if keyword == "$ref" {
                    let target = self.target(schema, value)?;
                    let definition = format!("{}.{target}", self.side.word());
                    if self.in_place.get(&target).is_none_or(Option::is_none) {
                        self.in_place.insert(target, Some(definition));
                        todo.push_back(target);
                    }
                } else {
                    let inner = self.inside(&keyword, value);
                    for slot in &inner {
                        self.in_place.entry(*slot).or_insert(None);
                    }
                    todo.extend(inner);
                }
            }
        }
        Ok(())
    }

    fn names_in(&self, keyword: &str, value: Slot) -> Vec<String> {
        let json = self.json();
        let names = |list: Slot| json.items(list).map(|item| json.string(item).into_owned()).collect::<Vec<_>>();
        let keys = || json.members(value).map(|(name, _)| json.string(name).into_owned()).collect::<Vec<_>>();
        match keyword {
            "properties" | "dependentSchemas" => keys(),
            "required" if json.kind(value) == Kind::Array => names(value),
            "dependentRequired" | "dependencies" => {
                let lists = json.members(value).filter(|(_, list)| json.kind(*list) == Kind::Array);
                let inside: Vec<String> = lists.flat_map(|(_, list)| names(list)).collect();
                keys().into_iter().chain(inside).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The subschema that a `$ref` names.
    fn target(&mut self, schema: Slot, reference: Slot) -> Result<Slot, Unusable> {
        let text = self.json().string(reference).into_owned();
        match self.document.resolve(schema, "$ref", &text) {
            Ok(Target::Slot(slot)) => Ok(slot),
            _ => Err(self.fault(schema, "$ref", "a part of an operation refers to itself only")),
        }
    }

    /// The root as it counts in the joined object, where `others` are the names that are not this part's.
    pub(super) fn opened_root(&mut self, others: &[&str], definitions: &mut ObjectWriter) -> Result<String, Unusable> {
        let root = self.opened(0, others)?;
        let named: Vec<(Slot, String)> =
            self.in_place.iter().filter_map(|(slot, name)| Some((*slot, name.clone()?))).collect();
        for (slot, name) in named {
            let opened = self.opened(slot, others)?;
            definitions.raw(&name, &opened);
        }
        if self.refers {
            let whole = self.below(0)?;
            definitions.raw(self.side.word(), &whole);
        }
        Ok(root)
    }

    /// A subschema that speaks of the arguments object, so rewritten that it holds of the joined object where it held of this
    /// part's names alone.
    fn opened(&mut self, schema: Slot, others: &[&str]) -> Result<String, Unusable> {
        if self.json().kind(schema) != Kind::Object {
            return Ok(self.json().raw(schema).to_owned());
        }
        let is_input = self.side == Side::Input;
        let mut out = ObjectWriter::new();
        let mut properties: Vec<(String, String)> = Vec::new();
        let mut speaks_of_others = false;
        let mut rest = None;
        for (keyword, value) in self.keywords(schema) {
            match keyword.as_str() {
                "$schema" | "$defs" | "definitions" => {}
                "const" | "enum" => {
                    return Err(self.fault(schema, &keyword, "the whole object of one part cannot be named"));
                }
                _ if self.form(&keyword) == Form::Free => out.raw(&keyword, self.json().raw(value)),
                "properties" => {
                    let members: Vec<(Slot, Slot)> = self.json().members(value).collect();
                    for (name, value) in members {
                        properties.push((self.json().string(name).into_owned(), self.below(value)?));
                    }
                }
                "additionalProperties" if !is_input => rest = Some(self.below(value)?),
                "additionalProperties" | "unevaluatedProperties" if is_input => {
                    speaks_of_others = true;
                    let below = self.below(value)?;
                    out.raw(&keyword, &below);
                }
                "propertyNames" => {
                    let names = self.below(value)?;
                    let own = list(self.names.iter().map(|name| quoted(name)));
                    let theirs = list(others.iter().map(|name| quoted(name)));
                    let exempt = if is_input {
                        format!(r#"{{"enum":{theirs}}}"#)
                    } else {
                        format!(r#"{{"not":{{"enum":{own}}}}}"#)
                    };
                    out.raw(&keyword, &format!(r#"{{"anyOf":[{exempt},{names}]}}"#));
                }
                "patternProperties" | "unevaluatedProperties" if !is_input => {
                    let why = "params and extension name their keys one by one";
                    return Err(self.fault(schema, &keyword, why));
                }
                "patternProperties" => {
                    self.check_patterns(schema, value, others)?;
                    let below = self.below_keyword(schema, &keyword, value)?;
                    out.raw(&keyword, &below);
                }
                "minProperties" | "maxProperties" => {
                    return Err(self.fault(schema, &keyword, "the keys of one part alone cannot be counted"));
                }
                "$ref" => {
                    let target = self.target(schema, value)?;
                    let name = format!("#/{}/{}.{target}", self.document.dialect.definitions(), self.side.word());
                    out.string("$ref", &name);
                }
                _ if !self.inside(&keyword, value).is_empty() => {
                    let opened = self.opened_keyword(&keyword, value, others)?;
                    out.raw(&keyword, &opened);
                }
                _ => {
                    let below = self.below_keyword(schema, &keyword, value)?;
                    out.raw(&keyword, &below);
                }
            }
        }
        let named: HashSet<String> = properties.iter().map(|(name, _)| name.clone()).collect();
        if speaks_of_others {
            let others = others.iter().filter(|name| !named.contains(**name));
            properties.extend(others.map(|name| ((*name).to_owned(), "{}".to_owned())));
        }
        if let Some(rest) = rest {
            let own = self.names.iter().filter(|name| !named.contains(*name));
            properties.extend(own.map(|name| (name.clone(), rest.clone())));
        }
        if !properties.is_empty() {
            let mut members = ObjectWriter::new();
            properties.iter().for_each(|(name, schema)| members.raw(name, schema));
            out.raw("properties", &members.end());
        }
        Ok(out.end())
    }

    /// A keyword of schemas of which some speak of the arguments object.
    fn opened_keyword(&mut self, keyword: &str, value: Slot, others: &[&str]) -> Result<String, Unusable> {
        match keyword {
            "allOf" | "anyOf" | "oneOf" => {
                let items: Vec<Slot> = self.json().items(value).collect();
                let opened = items.into_iter().map(|item| self.opened(item, others)).collect::<Result<Vec<_>, _>>()?;
                Ok(list(opened.into_iter()))
            }
            "dependentSchemas" | "dependencies" => {
                let members: Vec<(Slot, Slot)> = self.json().members(value).collect();
                let mut map = ObjectWriter::new();
                for (name, value) in members {
                    let opened = match self.json().kind(value) {
                        Kind::Array => self.json().raw(value).to_owned(),
                        _ => self.opened(value, others)?,
                    };
                    map.raw(&self.json().string(name), &opened);
                }
                Ok(map.end())
            }
            _ => self.opened(value, others),
        }
    }

    /// A name of another part that a pattern takes would be judged by two.
    fn check_patterns(&self, schema: Slot, patterns: Slot, others: &[&str]) -> Result<(), Unusable> {
        for (name, _) in self.json().members(patterns) {
            let id = self.document.pattern_id(&self.json().string(name));
            let pattern = id.and_then(|id| self.document.compiled_patterns.get(id as usize));
            if !pattern.is_some_and(|pattern| others.iter().all(|name| matches!(pattern.is_match(name), Ok(false)))) {
                return Err(self.fault(schema, "patternProperties", "a pattern takes an argument of another part"));
            }
        }
        Ok(())
    }

    /// A subschema below the arguments object: as it is, with its references led to where the part now stands.
    fn below(&mut self, schema: Slot) -> Result<String, Unusable> {
        if self.json().kind(schema) != Kind::Object {
            return Ok(self.json().raw(schema).to_owned());
        }
        let mut out = ObjectWriter::new();
        let members: Vec<(Slot, Slot)> = self.json().members(schema).collect();
        for (name, value) in members {
            let keyword = self.json().string(name).into_owned();
            if schema == 0 && keyword == "$schema" {
                continue;
            }
            let below = self.below_keyword(schema, &keyword, value)?;
            out.raw(&keyword, &below);
        }
        Ok(out.end())
    }

    fn below_keyword(&mut self, schema: Slot, keyword: &str, value: Slot) -> Result<String, Unusable> {
        let kind = self.json().kind(value);
        match self.form(keyword) {
            Form::Schema | Form::SchemaOrBoolean | Form::SchemaOrList if kind != Kind::Array => self.below(value),
            Form::SchemaOrList | Form::SchemaList => {
                let items: Vec<Slot> = self.json().items(value).collect();
                let below = items.into_iter().map(|item| self.below(item)).collect::<Result<Vec<_>, _>>()?;
                Ok(list(below.into_iter()))
            }
            Form::SchemaMap | Form::PatternMap | Form::Dependencies => {
                let members: Vec<(Slot, Slot)> = self.json().members(value).collect();
                let mut map = ObjectWriter::new();
                for (name, value) in members {
                    let below = self.below(value)?;
                    map.raw(&self.json().string(name), &below);
                }
                Ok(map.end())
            }
            Form::Text if keyword == "$ref" => {
                let target = self.target(schema, value)?;
                self.refers = true;
                // A pointer as the fragment of a reference (RFC 6901, section 6).
                let mut fragment = EString::<Fragment>::new();
                let pointer = self.document.pointer(target, "");
                fragment.encode_str::<Fragment>(&format!(
                    "/{}/{}{pointer}",
                    self.document.dialect.definitions(),
                    self.side.word()
                ));
                Ok(quoted(&format!("#{fragment}")))
            }
            Form::Text => Err(self.fault(schema, keyword, "a part of an operation has no dynamic references")),
            _ => Ok(self.json().raw(value).to_owned()),
        }
    }
}
