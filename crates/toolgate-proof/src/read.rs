//! Reads a schema document into the arena: its dialect, the form of every keyword, what references name.
//!
//! Only what the root reaches is read. Nothing is fetched: a reference names a place in the document, or the document is
//! unreadable.

mod references;

use crate::json::Value;
use crate::kinds::Kinds;
use crate::options::{Dialect, Reading};
use crate::pattern::Pattern;
use crate::schema::{
    ANY, ArrayRules, Bound, Condition, Contains, Finite, NEVER, Node, NodeId, ObjectRules, Place, Schemas, Tail,
    Unevaluated, escape_segment,
};
use references::References;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::HashSet;

/// Schemas in one document.
const NODES_MAX: usize = 200_000;

/// What a document is read with.
pub(crate) struct Settings<'o> {
    pub(crate) document: u8,
    pub(crate) dialect: Option<Dialect>,
    /// Draft-07's forms count in every dialect (R9.1).
    pub(crate) discovered: bool,
    pub(crate) reading: &'o Reading,
    /// Keywords to be taken as absent.
    pub(crate) set_aside: &'o [String],
    /// Names that only the boundary's closing knows are noted.
    pub(crate) notes_names: bool,
}

/// A document in the arena.
pub(crate) struct Document {
    pub(crate) root: NodeId,
    /// Nodes that say something about undeclared names themselves (R3.2), in whatever dialect.
    pub(crate) outspoken: FxHashSet<NodeId>,
    /// Something was set aside.
    pub(crate) is_widened: bool,
}

/// A keyword with a value that its dialect does not give it, or a reference to nowhere.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// JSON Pointer of the keyword.
    pub(crate) pointer: String,
    pub(crate) why: String,
}

type Outcome<T> = Result<T, Malformed>;

/// Reads the document into `schemas`.
///
/// # Errors
///
/// Returns the first keyword that its dialect does not read.
pub(crate) fn read<'d>(schemas: &mut Schemas<'d>, root: &'d Value<'d>, settings: &Settings<'_>) -> Outcome<Document> {
    let dialect = dialect(root, settings)?;
    let mut reader = Reader {
        references: References::new(root, dialect),
        schemas,
        dialect,
        settings,
        set_aside: settings.set_aside.iter().map(String::as_str).collect(),
        made: FxHashMap::default(),
        pending: Vec::new(),
        outspoken: FxHashSet::default(),
        widened: false,
        count: 0,
    };
    let place = Place { document: settings.document, parent: None, tail: Tail::None };
    let root = reader.schema(root, 0, place, false)?;
    reader.resolve_pending()?;
    Ok(Document { root, outspoken: reader.outspoken, is_widened: reader.widened })
}

fn dialect(root: &Value<'_>, settings: &Settings<'_>) -> Outcome<Dialect> {
    if let Some(dialect) = settings.dialect {
        return Ok(dialect);
    }
    let malformed = |why: &str| Malformed { pointer: "/$schema".into(), why: why.into() };
    match root.member("$schema") {
        None => Ok(Dialect::Draft202012),
        Some(Value::Text(uri)) => Dialect::from_uri(uri).ok_or_else(|| malformed("names no dialect that is known")),
        Some(_) => Err(malformed("is not a text")),
    }
}

struct Reader<'r, 'd> {
    schemas: &'r mut Schemas<'d>,
    references: References<'d>,
    dialect: Dialect,
    settings: &'r Settings<'r>,
    set_aside: HashSet<&'r str>,
    /// Nodes by the schema they were made from.
    made: FxHashMap<*const Value<'d>, NodeId>,
    pending: Vec<Pending<'d>>,
    outspoken: FxHashSet<NodeId>,
    widened: bool,
    count: usize,
}

struct Pending<'d> {
    node: NodeId,
    keyword: &'static str,
    reference: &'d str,
    resource: usize,
}

impl<'d> Reader<'_, 'd> {
    /// The node of a schema at `place`. `is_rest`: it stands where `true` is a switch rather than a schema.
    fn schema(&mut self, value: &'d Value<'d>, resource: usize, place: Place, is_rest: bool) -> Outcome<NodeId> {
        match value {
            Value::Boolean(false) if self.dialect > Dialect::Draft4 || is_rest => Ok(NEVER),
            Value::Boolean(true) if is_rest => Ok(ANY),
            Value::Boolean(true) if self.dialect > Dialect::Draft4 => {
                let kinds = if self.settings.reading.untyped_is_string { Kinds::STRING } else { Kinds::ALL };
                Ok(if kinds == Kinds::ALL { ANY } else { self.schemas.push(Node::of_kinds(kinds), place) })
            }
            Value::Map(members) => {
                if let Some(known) = self.made.get(&std::ptr::from_ref(value)) {
                    return Ok(*known);
                }
                self.count += 1;
                let id = self.schemas.push(Node::any(), place);
                if self.count > NODES_MAX {
                    return Err(self.malformed(id, "", "the document has too many schemas"));
                }
                self.made.insert(std::ptr::from_ref(value), id);
                let resource = self.references.enter(value, resource);
                self.object(id, members, value, resource)?;
                Ok(id)
            }
            _ => {
                let id = self.schemas.push(Node::any(), place);
                Err(self.malformed(id, "", "is not a schema"))
            }
        }
    }

    fn malformed(&self, id: NodeId, keyword: &str, why: &str) -> Malformed {
        let (_, mut pointer) = self.schemas.pointer(id);
        if !keyword.is_empty() {
            pointer.push('/');
            pointer.push_str(&escape_segment(keyword));
        }
        Malformed { pointer, why: why.to_owned() }
    }

    /// Whether the keyword is to be taken as absent; then the node admits more than what is written.
    fn is_aside(&mut self, id: NodeId, keyword: &str) -> bool {
        if self.set_aside.is_empty() {
            return false;
        }
        let pointer = self.malformed(id, keyword, "").pointer;
        let aside = self.set_aside.contains(pointer.as_str());
        if aside {
            self.widened = true;
            self.schemas.node_mut(id).widened = true;
        }
        aside
    }

    fn object(
        &mut self,
        id: NodeId,
        members: &'d [(Cow<'d, str>, Value<'d>)],
        value: &'d Value<'d>,
        resource: usize,
    ) -> Outcome<()> {
        let speaks =
            |keyword: &str| matches!(keyword, "additionalProperties" | "unevaluatedProperties" | "patternProperties");
        if members.iter().any(|(keyword, _)| speaks(keyword)) {
            self.outspoken.insert(id);
        }
        let mut part = Part { id, resource, value, object: ObjectRules::default(), array: ArrayRules::default() };
        let alone = self.dialect < Dialect::Draft201909 && value.member("$ref").is_some();
        if self.settings.notes_names {
            self.note_names(value, alone, &mut part.object);
        }
        for (keyword, value) in members {
            let ignored = self.settings.reading.ignored_keywords.iter().any(|ignored| ignored == keyword);
            if ignored || (alone && keyword != "$ref") {
                continue;
            }
            let keeps_names = matches!(keyword.as_ref(), "properties" | "patternProperties");
            if self.is_aside(id, keyword) && !keeps_names {
                part.object.evaluates_all |= evaluates_names(keyword);
                continue;
            }
            self.keyword(&mut part, keyword, value)?;
        }
        if !alone {
            self.paired_keywords(&mut part)?;
        }
        self.finish(part, members);
        Ok(())
    }

    fn finish(&mut self, mut part: Part<'d>, members: &[(Cow<'d, str>, Value<'d>)]) {
        let reading = self.settings.reading;
        let node = self.schemas.node_mut(part.id);
        let is_object = !part.object.properties.is_empty()
            || members.iter().any(|(name, _)| name == "properties")
            || (node.kinds != Kinds::ALL && node.kinds.has(Kinds::OBJECT));
        if reading.absent_additional_is_closed && part.object.rest.is_none() && is_object && node.reference.is_none() {
            part.object.rest = Some(NEVER);
        }
        if !part.object.is_silent() {
            part.object.seal();
            node.object = Some(Box::new(part.object));
        }
        if !part.array.is_silent() {
            node.array = Some(Box::new(part.array));
        }
        if reading.nullable && matches!(part.value.member("nullable"), Some(Value::Boolean(true))) {
            node.kinds = node.kinds.or(Kinds::NULL);
            for finite in &mut node.values {
                let with_null = finite.list.iter().copied().chain([&Value::Null]).collect();
                *finite = Finite::new(with_null);
            }
        }
        if reading.untyped_is_string && node.kinds == Kinds::ALL && node.is_plain() {
            node.kinds = Kinds::STRING;
        }
    }

    /// Names that closing takes as declared beside those of `properties` (R3.4).
    fn note_names(&mut self, schema: &'d Value<'d>, is_alone: bool, object: &mut ObjectRules) {
        self.texts(schema.member("required"), object);
        for keyword in ["dependentRequired", "dependencies"] {
            for (name, names) in schema.member(keyword).and_then(Value::map).into_iter().flatten() {
                if names.list().is_some() {
                    object.mentioned.push(self.schemas.intern(borrowed(name)));
                    self.texts(Some(names), object);
                }
            }
        }
        if let Some(test) = schema.member("if") {
            self.tested_names(test, object);
        }
        if is_alone {
            self.tested_names(schema, object);
        }
    }

    fn texts(&mut self, list: Option<&'d Value<'d>>, object: &mut ObjectRules) {
        for item in list.and_then(Value::list).into_iter().flatten() {
            if let Value::Text(name) = item {
                object.mentioned.push(self.schemas.intern(borrowed(name)));
            }
        }
    }

    fn tested_names(&mut self, test: &'d Value<'d>, object: &mut ObjectRules) {
        for (name, _) in test.member("properties").and_then(Value::map).into_iter().flatten() {
            object.mentioned.push(self.schemas.intern(borrowed(name)));
        }
        self.texts(test.member("required"), object);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for inner in test.member(keyword).and_then(Value::list).into_iter().flatten() {
                self.tested_names(inner, object);
            }
        }
        if let Some(inner) = test.member("not") {
            self.tested_names(inner, object);
        }
    }

    fn below(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<NodeId> {
        let place = Place { document: self.settings.document, parent: Some(part.id), tail: Tail::Keyword(keyword) };
        let is_rest = matches!(
            keyword,
            "additionalProperties" | "unevaluatedProperties" | "additionalItems" | "unevaluatedItems"
        );
        self.schema(value, part.resource, place, is_rest)
    }

    fn list(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<Vec<NodeId>> {
        let items = value.list().filter(|items| !items.is_empty() || keyword == "items");
        let items = items.ok_or_else(|| self.malformed(part.id, keyword, "is not a list of schemas"))?;
        let mut nodes = Vec::with_capacity(items.len());
        for (index, item) in (0..).zip(items) {
            let tail = Tail::Index(keyword, index);
            let place = Place { document: self.settings.document, parent: Some(part.id), tail };
            nodes.push(self.schema(item, part.resource, place, false)?);
        }
        Ok(nodes)
    }

    fn map(
        &mut self,
        part: &Part<'d>,
        keyword: &'static str,
        value: &'d Value<'d>,
    ) -> Outcome<&'d [(Cow<'d, str>, Value<'d>)]> {
        value.map().ok_or_else(|| self.malformed(part.id, keyword, "is not an object"))
    }

    fn member(
        &mut self,
        part: &Part<'d>,
        keyword: &'static str,
        name: &'d str,
        value: &'d Value<'d>,
    ) -> Outcome<NodeId> {
        let tail = Tail::Member(keyword, self.schemas.intern(borrowed(name)));
        let place = Place { document: self.settings.document, parent: Some(part.id), tail };
        self.schema(value, part.resource, place, false)
    }

    /// Whether what one member of a keyword's map asks is to be taken as absent. Its name stays: without it the key would
    /// be one of the rest, which may be refused.
    fn is_member_aside(&mut self, id: NodeId, keyword: &str, name: &str) -> bool {
        if self.set_aside.is_empty() {
            return false;
        }
        let whole = self.malformed(id, keyword, "").pointer;
        let member = format!("{whole}/{}", escape_segment(name));
        let aside = self.set_aside.contains(member.as_str()) || self.set_aside.contains(whole.as_str());
        if aside {
            self.widened = true;
            self.schemas.node_mut(id).widened = true;
        }
        aside
    }

    fn keyword(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" | "allOf" | "anyOf" | "oneOf" | "not" => {
                self.applicator(part, keyword, value)
            }
            "type" | "enum" | "const" => self.kind_or_value(part, keyword, value),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                self.number(part, keyword, value)
            }
            "minLength" | "maxLength" | "pattern" => self.text(part, keyword, value),
            "minItems" | "maxItems" | "uniqueItems" | "prefixItems" | "unevaluatedItems" => {
                self.array(part, keyword, value)
            }
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties" => self.object_keyword(part, keyword, value),
            _ => Ok(()),
        }
    }

    fn applicator(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "$ref" => self.reference(part, "$ref", value)?,
            "$dynamicRef" if self.dialect >= Dialect::Draft202012 => self.reference(part, "$dynamicRef", value)?,
            "$recursiveRef" if self.dialect == Dialect::Draft201909 => self.reference(part, "$recursiveRef", value)?,
            "allOf" => {
                let nodes = self.list(part, "allOf", value)?;
                self.schemas.node_mut(part.id).all.extend(nodes);
            }
            "anyOf" => {
                let nodes = self.list(part, "anyOf", value)?;
                self.schemas.node_mut(part.id).any = Some(nodes);
            }
            "oneOf" => {
                let nodes = self.list(part, "oneOf", value)?;
                self.schemas.node_mut(part.id).one = Some(nodes);
            }
            "not" => {
                let node = self.below(part, "not", value)?;
                self.schemas.node_mut(part.id).not = Some(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn reference(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<()> {
        let Value::Text(reference) = value else { return Err(self.malformed(part.id, keyword, "is not a text")) };
        if keyword != "$ref" && self.references.is_dynamic(keyword, reference) {
            self.schemas.node_mut(part.id).opaque = Some(keyword);
            return Ok(());
        }
        self.pending.push(Pending { node: part.id, keyword, reference, resource: part.resource });
        Ok(())
    }

    fn resolve_pending(&mut self) -> Outcome<()> {
        while let Some(Pending { node, keyword, reference, resource }) = self.pending.pop() {
            let found = self.references.resolve(reference, resource);
            let (target, resource) = found.map_err(|why| self.malformed(node, keyword, why))?;
            let is_known = self.made.contains_key(&std::ptr::from_ref(target));
            let pointer =
                if is_known { String::new() } else { self.references.pointer_of(target, reference, resource) };
            let place = Place { document: self.settings.document, parent: None, tail: Tail::Pointer(pointer) };
            let target = self.schema(target, resource, place, false)?;
            let node = self.schemas.node_mut(node);
            match node.reference {
                None => node.reference = Some(target),
                Some(_) => node.all.push(target),
            }
        }
        Ok(())
    }

    fn kind_or_value(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "type" => {
                let words: Vec<&Value<'d>> = match value {
                    Value::List(words) if !words.is_empty() => words.iter().collect(),
                    word => vec![word],
                };
                let mut kinds = Kinds::NONE;
                for word in words {
                    let kind = word.text().and_then(Kinds::named);
                    kinds = kinds.or(kind.ok_or_else(|| self.malformed(part.id, "type", "names no type"))?);
                }
                self.schemas.node_mut(part.id).kinds = kinds;
            }
            "enum" => {
                let list = value.list().ok_or_else(|| self.malformed(part.id, "enum", "is not a list"))?;
                self.schemas.node_mut(part.id).values.push(Finite::new(list.iter().collect()));
            }
            _ if self.dialect >= Dialect::Draft6 => {
                self.schemas.node_mut(part.id).values.push(Finite::new(vec![value]));
            }
            _ => {}
        }
        Ok(())
    }

    fn number(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        let reads_draft4 = self.dialect == Dialect::Draft4 || self.settings.discovered;
        if reads_draft4 && matches!(value, Value::Boolean(_)) && keyword.starts_with("exclusive") {
            return Ok(());
        }
        let number = value.number().ok_or_else(|| self.malformed(part.id, keyword, "is not a number"))?;
        if keyword == "multipleOf" && (number.is_zero() || number.is_negative()) {
            return Err(self.malformed(part.id, keyword, "is not above zero"));
        }
        let draft4_exclusive =
            |name: &str| reads_draft4 && matches!(part.value.member(name), Some(Value::Boolean(true)));
        let exclusive = match keyword {
            "minimum" => draft4_exclusive("exclusiveMinimum"),
            "maximum" => draft4_exclusive("exclusiveMaximum"),
            _ => true,
        };
        let node = self.schemas.node_mut(part.id);
        let bound = Bound { value: number, exclusive };
        match keyword {
            "minimum" | "exclusiveMinimum" => node.low = tighter(node.low.take(), bound, true),
            "maximum" | "exclusiveMaximum" => node.high = tighter(node.high.take(), bound, false),
            _ => node.step = Some(bound.value),
        }
        Ok(())
    }

    fn count(&self, part: &Part<'d>, keyword: &str, value: &Value<'d>) -> Outcome<u64> {
        let count = value.number().and_then(|number| number.to_count());
        count.ok_or_else(|| self.malformed(part.id, keyword, "is not a count"))
    }

    fn text(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "minLength" => self.schemas.node_mut(part.id).length_min = self.count(part, keyword, value)?,
            "maxLength" => self.schemas.node_mut(part.id).length_max = Some(self.count(part, keyword, value)?),
            _ => {
                let text = value.text().ok_or_else(|| self.malformed(part.id, keyword, "is not a text"))?;
                // Found in every text.
                if matches!(text, "" | ".*" | "^" | "$") && !self.settings.reading.pattern_is_full_match {
                    return Ok(());
                }
                let pattern = self.pattern(text);
                self.schemas.node_mut(part.id).pattern = Some(pattern);
            }
        }
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> u32 {
        if self.settings.reading.pattern_is_full_match {
            return self.schemas.intern_pattern(&Pattern::anchored(text));
        }
        self.schemas.intern_pattern(text)
    }

    fn array(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "minItems" => part.array.min = self.count(part, keyword, value)?,
            "maxItems" => part.array.max = Some(self.count(part, keyword, value)?),
            "uniqueItems" => match value {
                Value::Boolean(unique) => part.array.unique = *unique,
                _ => return Err(self.malformed(part.id, keyword, "is not a boolean")),
            },
            "prefixItems" if self.dialect >= Dialect::Draft202012 => {
                part.array.prefix = self.list(part, "prefixItems", value)?;
            }
            "unevaluatedItems" if self.dialect >= Dialect::Draft201909 => {
                part.array.unevaluated = Some(self.below(part, "unevaluatedItems", value)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn object_keyword(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        let is_since_2019 = self.dialect >= Dialect::Draft201909;
        match keyword {
            "properties" => {
                for (name, value) in self.map(part, "properties", value)? {
                    let aside = self.is_member_aside(part.id, "properties", name);
                    let node = if aside { ANY } else { self.member(part, "properties", name, value)? };
                    part.object.properties.push((self.schemas.intern(borrowed(name)), node));
                }
            }
            "patternProperties" => {
                for (name, value) in self.map(part, "patternProperties", value)? {
                    let aside = self.is_member_aside(part.id, "patternProperties", name);
                    let node = if aside { ANY } else { self.member(part, "patternProperties", name, value)? };
                    let pattern = self.pattern(name);
                    part.object.patterns.push((pattern, node));
                }
            }
            "additionalProperties" => part.object.rest = Some(self.below(part, "additionalProperties", value)?),
            "propertyNames" if self.dialect >= Dialect::Draft6 => {
                part.object.names = Some(self.below(part, "propertyNames", value)?);
            }
            "required" => {
                // Draft-03 and OpenAPI's `required: true` beside a property say nothing here.
                let names = self.names(part, "required", value)?;
                part.object.required = names;
            }
            "minProperties" => part.object.min = self.count(part, keyword, value)?,
            "maxProperties" => part.object.max = Some(self.count(part, keyword, value)?),
            "dependentRequired" if is_since_2019 => self.dependencies(part, "dependentRequired", value)?,
            "dependentSchemas" if is_since_2019 => self.dependencies(part, "dependentSchemas", value)?,
            "dependencies" if !is_since_2019 || self.settings.discovered => {
                self.dependencies(part, "dependencies", value)?;
            }
            "unevaluatedProperties" if is_since_2019 => {
                let node = self.below(part, "unevaluatedProperties", value)?;
                part.object.unevaluated = Some(Unevaluated { node, is_policy: false });
            }
            _ => {}
        }
        Ok(())
    }

    fn names(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<Vec<u32>> {
        let malformed = |reader: &Self| reader.malformed(part.id, keyword, "is not a list of names");
        let items = value.list().ok_or_else(|| malformed(self))?;
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            let Value::Text(name) = item else { return Err(malformed(self)) };
            let name = self.schemas.intern(borrowed(name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn dependencies(&mut self, part: &mut Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<()> {
        for (name, dependency) in self.map(part, keyword, value)? {
            let id = self.schemas.intern(borrowed(name));
            if keyword == "dependentRequired" || (keyword == "dependencies" && dependency.list().is_some()) {
                let names = self.names(part, keyword, dependency)?;
                part.object.dependent_names.push((id, names));
            } else {
                let node = self.member(part, keyword, name, dependency)?;
                part.object.dependent_schemas.push((id, node));
            }
        }
        Ok(())
    }

    /// Keywords whose meaning depends on a neighbour: `if`, `items`, `contains`.
    fn paired_keywords(&mut self, part: &mut Part<'d>) -> Outcome<()> {
        let ignored = &self.settings.reading.ignored_keywords;
        let present =
            |keyword: &str| part.value.member(keyword).filter(|_| !ignored.iter().any(|name| name == keyword));
        let (test, then, other) = (present("if"), present("then"), present("else"));
        let (items, rest) = (present("items"), present("additionalItems"));
        let contains = present("contains");
        if let Some(test) = test.filter(|_| self.dialect >= Dialect::Draft7) {
            self.condition(part, test, then, other)?;
        }
        if let Some(items) = items.filter(|_| !self.is_aside(part.id, "items")) {
            self.items(part, items, rest)?;
        }
        if let Some(contains) = contains.filter(|_| self.dialect >= Dialect::Draft6) {
            self.contains(part, contains)?;
        }
        Ok(())
    }

    /// With any of its three parts set aside, nothing of a condition is kept: each part decides what the others mean.
    fn condition(
        &mut self,
        part: &mut Part<'d>,
        test: &'d Value<'d>,
        then: Option<&'d Value<'d>>,
        other: Option<&'d Value<'d>>,
    ) -> Outcome<()> {
        if ["if", "then", "else"].into_iter().any(|keyword| self.is_aside(part.id, keyword)) {
            part.object.evaluates_all = true;
            return Ok(());
        }
        let test = self.below(part, "if", test)?;
        let then = then.map_or(Ok(ANY), |value| self.below(part, "then", value))?;
        let other = other.map_or(Ok(ANY), |value| self.below(part, "else", value))?;
        self.schemas.node_mut(part.id).condition = Some(Condition { test, then, other });
        Ok(())
    }

    fn items(&mut self, part: &mut Part<'d>, items: &'d Value<'d>, rest: Option<&'d Value<'d>>) -> Outcome<()> {
        let is_list = items.list().is_some();
        if is_list && self.dialect >= Dialect::Draft202012 && !self.settings.discovered {
            return Err(self.malformed(part.id, "items", "is a list, which this dialect spells `prefixItems`"));
        }
        if !is_list {
            part.array.items = Some(self.below(part, "items", items)?);
            return Ok(());
        }
        part.array.prefix = self.list(part, "items", items)?;
        if let Some(rest) = rest.filter(|_| !self.is_aside(part.id, "additionalItems")) {
            part.array.items = Some(self.below(part, "additionalItems", rest)?);
        }
        Ok(())
    }

    fn contains(&mut self, part: &mut Part<'d>, contains: &'d Value<'d>) -> Outcome<()> {
        if self.is_aside(part.id, "contains") {
            return Ok(());
        }
        let node = self.below(part, "contains", contains)?;
        let (mut min, mut max) = (1, None);
        if self.dialect >= Dialect::Draft201909 {
            if let Some(count) = part.value.member("minContains") {
                min = if self.is_aside(part.id, "minContains") { 0 } else { self.count(part, "minContains", count)? };
            }
            if let Some(count) = part.value.member("maxContains").filter(|_| !self.is_aside(part.id, "maxContains")) {
                max = Some(self.count(part, "maxContains", count)?);
            }
        }
        let evaluates = self.dialect >= Dialect::Draft202012;
        part.array.contains = Some(Contains { node, min, max, evaluates });
        Ok(())
    }
}

/// One schema object while it is read.
struct Part<'d> {
    id: NodeId,
    resource: usize,
    value: &'d Value<'d>,
    object: ObjectRules,
    array: ArrayRules,
}

impl ObjectRules {
    fn is_silent(&self) -> bool {
        self.properties.is_empty()
            && self.patterns.is_empty()
            && self.rest.is_none()
            && self.names.is_none()
            && self.required.is_empty()
            && self.min == 0
            && self.max.is_none()
            && self.dependent_names.is_empty()
            && self.dependent_schemas.is_empty()
            && self.unevaluated.is_none()
            && self.mentioned.is_empty()
            && !self.evaluates_all
    }
}

impl ArrayRules {
    fn is_silent(&self) -> bool {
        self.prefix.is_empty()
            && self.items.is_none()
            && self.min == 0
            && self.max.is_none()
            && !self.unique
            && self.contains.is_none()
            && self.unevaluated.is_none()
    }
}

/// The name without a copy of it: the document outlives the arena.
fn borrowed<'d>(name: &'d str) -> Cow<'d, str> {
    Cow::Borrowed(name)
}

/// Whether names that the keyword evaluates are lost when it is set aside.
fn evaluates_names(keyword: &str) -> bool {
    matches!(
        keyword,
        "$ref"
            | "$dynamicRef"
            | "$recursiveRef"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "if"
            | "then"
            | "else"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "dependentSchemas"
            | "dependencies"
    )
}

/// The narrower of two bounds on one side.
pub(crate) fn tighter(known: Option<Bound>, new: Bound, is_low: bool) -> Option<Bound> {
    let Some(known) = known else { return Some(new) };
    let order = if is_low { new.value.cmp(&known.value) } else { known.value.cmp(&new.value) };
    Some(match order {
        std::cmp::Ordering::Greater => new,
        std::cmp::Ordering::Less => known,
        std::cmp::Ordering::Equal => Bound { exclusive: known.exclusive || new.exclusive, value: known.value },
    })
}
