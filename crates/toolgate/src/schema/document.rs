//! The schema document: its dialect, the form of every keyword, what `$id`, `$anchor` and `$ref` name.
//!
//! One walk over all schema positions before anything is built: it counts subschemas and patterns, finds malformed
//! keywords, and never follows a reference. Nothing is fetched: what a reference names lies in the document or is a defect
//! (R9.1).

use super::kinds::Kinds;
use super::pattern::Pattern;
use crate::contract::{Defect, Origin, SetAside};
use crate::decimal::Decimal;
use crate::json::{Document, Kind, Slot, unescape};
use crate::limits::Limits;
use crate::location::{push_pointer_segment, unescaped};
use crate::refusal::escaped_line;
use fluent_uri::{Uri, UriRef};
use std::collections::HashMap;

/// A version of JSON Schema, in the order of their age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Dialect {
    fn from_uri(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
        Some(match name.strip_prefix("json-schema.org/")? {
            "draft-04/schema" => Dialect::Draft4,
            "draft-06/schema" => Dialect::Draft6,
            "draft-07/schema" => Dialect::Draft7,
            "draft/2019-09/schema" => Dialect::Draft201909,
            "draft/2020-12/schema" => Dialect::Draft202012,
            _ => return None,
        })
    }

    /// What `$schema` says for it.
    pub(crate) fn uri(self) -> &'static str {
        match self {
            Dialect::Draft4 => "http://json-schema.org/draft-04/schema#",
            Dialect::Draft6 => "http://json-schema.org/draft-06/schema#",
            Dialect::Draft7 => "http://json-schema.org/draft-07/schema#",
            Dialect::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Dialect::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The keyword that holds named subschemas.
    pub(crate) fn definitions(self) -> &'static str {
        if self >= Dialect::Draft201909 { "$defs" } else { "definitions" }
    }

    /// Keywords beside `$ref` count.
    pub(crate) fn ref_has_siblings(self) -> bool {
        self >= Dialect::Draft201909
    }

    fn id_keyword(self) -> &'static str {
        if self == Dialect::Draft4 { "id" } else { "$id" }
    }
}

/// What the value of a keyword has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Schema,
    /// Draft-04's: a schema, which is an object there, or a boolean.
    SchemaOrBoolean,
    /// A schema, or a list of them.
    SchemaOrList,
    SchemaList,
    SchemaMap,
    /// Names that are patterns.
    PatternMap,
    /// Names to a list of names or to a schema.
    Dependencies,
    /// Names to lists of names.
    NameLists,
    Names,
    Type,
    List,
    Count,
    Number,
    Divisor,
    Boolean,
    /// A number, or draft-04's boolean.
    NumberOrBoolean,
    Pattern,
    Text,
    /// Nothing is asked, or the keyword is not one of this dialect.
    Free,
}

/// The form of keyword `name` under `dialect`.
pub(crate) fn form(name: &str, dialect: Dialect, origin: Origin) -> Form {
    use Dialect::{Draft6, Draft7, Draft201909, Draft202012};
    let since = |first: Dialect, form: Form| if dialect >= first { form } else { Form::Free };
    let draft7_form =
        |form: Form| if dialect < Draft202012 || origin == Origin::Discovered { form } else { Form::Free };
    match name {
        "properties" | "definitions" => Form::SchemaMap,
        "$defs" => since(Draft201909, Form::SchemaMap),
        "patternProperties" => Form::PatternMap,
        "additionalProperties" | "additionalItems" if dialect == Dialect::Draft4 => Form::SchemaOrBoolean,
        "additionalProperties" | "not" => Form::Schema,
        "items" if dialect < Draft202012 || origin == Origin::Discovered => Form::SchemaOrList,
        "items" => Form::Schema,
        "additionalItems" => draft7_form(Form::Schema),
        "prefixItems" => since(Draft202012, Form::SchemaList),
        "allOf" | "anyOf" | "oneOf" => Form::SchemaList,
        "if" | "then" | "else" => since(Draft7, Form::Schema),
        "contains" | "propertyNames" => since(Draft6, Form::Schema),
        "unevaluatedProperties" | "unevaluatedItems" => since(Draft201909, Form::Schema),
        "dependentSchemas" => since(Draft201909, Form::SchemaMap),
        "dependentRequired" => since(Draft201909, Form::NameLists),
        "dependencies" if dialect < Draft201909 || origin == Origin::Discovered => Form::Dependencies,
        "required" => Form::Names,
        "type" => Form::Type,
        "enum" => Form::List,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => Form::Count,
        "minContains" | "maxContains" => since(Draft201909, Form::Count),
        "minimum" | "maximum" => Form::Number,
        "exclusiveMinimum" | "exclusiveMaximum" if dialect == Dialect::Draft4 || origin == Origin::Discovered => {
            Form::NumberOrBoolean
        }
        "exclusiveMinimum" | "exclusiveMaximum" => Form::Number,
        "multipleOf" => Form::Divisor,
        "uniqueItems" => Form::Boolean,
        "pattern" => Form::Pattern,
        "$ref" => Form::Text,
        "$dynamicRef" => since(Draft202012, Form::Text),
        "$recursiveRef" if dialect == Draft201909 => Form::Text,
        _ => Form::Free,
    }
}

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A subschema of the document.
    Slot(Slot),
    /// The meta-schema of a known dialect, which no document needs to hold.
    MetaSchema,
    /// It depends on the way that led to it: a dynamic reference with more than one anchor of its name.
    Dynamic,
}

/// A schema document that was walked.
#[derive(Debug)]
pub(crate) struct SchemaDocument {
    pub(crate) json: Document<'static>,
    pub(crate) dialect: Dialect,
    pub(crate) origin: Origin,
    /// Base of each subschema that is inside a resource with an `$id` of its own; others are in the root's.
    base_of: HashMap<Slot, u32>,
    bases: Vec<Base>,
    /// From a resource's absolute URI to its base.
    resources: HashMap<String, u32>,
    anchors: HashMap<(u32, String), Slot>,
    dynamic_anchors: HashMap<String, Vec<Slot>>,
    patterns: HashMap<String, Option<u32>>,
    /// Names of wide objects that a reference was followed through.
    wide: HashMap<Slot, HashMap<String, Slot>>,
    pub(crate) compiled_patterns: Vec<Pattern>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) set_aside: Vec<SetAside>,
    /// Every keyword that is left to the server, by its subschema and name.
    left: Vec<(Slot, Box<str>)>,
    /// Subschemas of which a pattern was set aside; sorted after the walk.
    without_pattern: Vec<Slot>,
    /// What the patterns compiled so far count as.
    patterns_size_bytes: usize,
    subschemas: usize,
    limits: Limits,
}

#[derive(Debug)]
struct Base {
    uri: String,
    root: Slot,
}

/// The base of a document that names none.
const DEFAULT_BASE: &str = "toolgate:/";

impl SchemaDocument {
    /// Walks `json`. Defects are gathered, not returned: one walk names them all.
    pub(crate) fn read(json: Document<'static>, origin: Origin, limits: &Limits) -> Self {
        let mut document = SchemaDocument {
            json,
            dialect: Dialect::Draft202012,
            origin,
            base_of: HashMap::new(),
            bases: vec![Base { uri: DEFAULT_BASE.to_owned(), root: 0 }],
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic_anchors: HashMap::new(),
            patterns: HashMap::new(),
            wide: HashMap::new(),
            compiled_patterns: Vec::new(),
            defects: Vec::new(),
            set_aside: Vec::new(),
            left: Vec::new(),
            without_pattern: Vec::new(),
            patterns_size_bytes: 0,
            subschemas: 0,
            limits: *limits,
        };
        if document.json.kind(0) != Kind::Object {
            document.defect(0, "", "root", "an input schema is an object");
            return document;
        }
        document.read_dialect();
        document.walk(0, 0);
        document.without_pattern.sort_unstable();
        document
    }

    fn read_dialect(&mut self) {
        let Some(slot) = self.json.member(0, "$schema") else { return };
        let dialect =
            if self.json.kind(slot) == Kind::String { Dialect::from_uri(&self.json.string(slot)) } else { None };
        match dialect {
            Some(dialect) => self.dialect = dialect,
            // What a stranger writes here says little about the rest, which most of them write alike (decision 0009).
            None if self.origin == Origin::Discovered => {
                self.reads_otherwise(0, "$schema", "this version of JSON Schema is not known; read as 2020-12");
            }
            None => self.defect(0, "$schema", "$schema", "this version of JSON Schema is not known"),
        }
    }

    fn defect(&mut self, schema: Slot, keyword: &str, code: &str, message: &str) {
        /// More than these would help nobody.
        const DEFECTS_MAX: usize = 20;
        if self.defects.len() < DEFECTS_MAX {
            let keyword_location = self.pointer(schema, keyword);
            self.defects.push(Defect { keyword_location, code: code.to_owned(), message: message.to_owned() });
        }
    }

    /// Whether a subschema is named otherwise than by where it stands.
    pub(crate) fn names_resources(&self) -> bool {
        let has_uri = self.bases.iter().any(|base| base.uri != DEFAULT_BASE);
        has_uri || !self.anchors.is_empty() || !self.dynamic_anchors.is_empty()
    }

    /// Leaves a keyword to the server that the schema came from.
    pub(crate) fn set_aside(&mut self, schema: Slot, keyword: &str, why: &str) {
        self.left.push((schema, keyword.into()));
        self.note_set_aside(schema, keyword, why, false);
    }

    /// Notes a keyword that counts in another way than its dialect says.
    fn reads_otherwise(&mut self, schema: Slot, keyword: &str, why: &str) {
        self.note_set_aside(schema, keyword, why, true);
    }

    fn note_set_aside(&mut self, schema: Slot, keyword: &str, why: &str, is_read: bool) {
        /// More than these would help nobody, and finding where each stands takes a walk.
        const SET_ASIDE_MAX: usize = 50;
        let (keyword_location, why) = match self.set_aside.len() {
            0..SET_ASIDE_MAX => (escaped_line(&self.pointer(schema, keyword)), why),
            SET_ASIDE_MAX => (String::new(), "more keywords are set aside, and not listed"),
            _ => return,
        };
        self.set_aside.push(SetAside { keyword_location, why: why.to_owned(), is_read });
    }

    /// RFC 6901 pointers of all keywords that are left to the server, in document order, found in one walk.
    pub(crate) fn left_pointers(&self) -> Vec<String> {
        let mut left: Vec<(Slot, &str)> = self.left.iter().map(|(schema, keyword)| (*schema, &**keyword)).collect();
        left.sort_unstable();
        let mut pointers = Vec::with_capacity(left.len());
        self.push_pointers(0, &left, &mut String::new(), &mut pointers);
        pointers
    }

    /// The pointers of keywords at or inside `at`; `left` is sorted and holds no others.
    fn push_pointers(&self, at: Slot, left: &[(Slot, &str)], prefix: &mut String, pointers: &mut Vec<String>) {
        let (own, mut inside) = left.split_at(left.partition_point(|(schema, _)| *schema <= at));
        for (_, keyword) in own {
            let mut pointer = format!("{prefix}/");
            push_pointer_segment(&mut pointer, keyword);
            pointers.push(pointer);
        }
        let is_object = self.json.kind(at) == Kind::Object;
        let is_array = self.json.kind(at) == Kind::Array;
        let members = is_object.then(|| self.json.members(at).map(|(name, value)| (Some(name), value)));
        let items = is_array.then(|| self.json.items(at).map(|value| (None, value)));
        for (index, (name, value)) in members.into_iter().flatten().chain(items.into_iter().flatten()).enumerate() {
            if inside.is_empty() {
                return;
            }
            let (of_this, after) =
                inside.split_at(inside.partition_point(|(schema, _)| *schema < self.json.next(value)));
            inside = after;
            if !of_this.is_empty() {
                let length = prefix.len();
                prefix.push('/');
                match name {
                    Some(name) => push_pointer_segment(prefix, &self.json.string(name)),
                    None => prefix.push_str(&index.to_string()),
                }
                self.push_pointers(value, of_this, prefix, pointers);
                prefix.truncate(length);
            }
        }
    }

    /// The RFC 6901 pointer of a keyword of the subschema at `schema`, or of the subschema itself.
    pub(crate) fn pointer(&self, schema: Slot, keyword: &str) -> String {
        let mut pointer = String::with_capacity(64);
        let mut at = 0;
        while at != schema {
            let Some(inside) = self.step_towards(at, schema, &mut pointer) else { break };
            at = inside;
        }
        if !keyword.is_empty() {
            pointer.push('/');
            push_pointer_segment(&mut pointer, keyword);
        }
        pointer
    }

    /// The member or item of the container `at` that holds `target`; its segment is appended.
    fn step_towards(&self, at: Slot, target: Slot, pointer: &mut String) -> Option<Slot> {
        let holds = |slot: Slot| slot <= target && target < self.json.next(slot);
        match self.json.kind(at) {
            Kind::Object => {
                let (name, value) = self.json.members(at).find(|(_, value)| holds(*value))?;
                pointer.push('/');
                push_pointer_segment(pointer, &self.json.string(name));
                Some(value)
            }
            Kind::Array => {
                let (index, item) = self.json.items(at).enumerate().find(|(_, item)| holds(*item))?;
                pointer.push('/');
                pointer.push_str(&index.to_string());
                Some(item)
            }
            _ => None,
        }
    }

    fn walk(&mut self, schema: Slot, base: u32) {
        self.subschemas += 1;
        if self.subschemas > self.limits.schema_nodes_max {
            if self.subschemas == self.limits.schema_nodes_max + 1 {
                self.defect(schema, "", "limit", "the schema has too many subschemas");
            }
            return;
        }
        match self.json.kind(schema) {
            Kind::Boolean if self.dialect > Dialect::Draft4 => return,
            Kind::Object => {}
            _ => return self.defect(schema, "", "schema", "a subschema is an object or a boolean"),
        }
        let base = self.enter_resource(schema, base);
        if base != 0 {
            self.base_of.insert(schema, base);
        }
        let ignores_siblings = !self.dialect.ref_has_siblings() && self.json.member(schema, "$ref").is_some();
        let members: Vec<_> = self.json.members(schema).collect();
        for (name, value) in members {
            let keyword = self.json.string(name).into_owned();
            let is_definitions = matches!(keyword.as_str(), "definitions" | "$ref");
            if ignores_siblings && !is_definitions && form(&keyword, self.dialect, self.origin) != Form::SchemaMap {
                continue;
            }
            self.keyword(schema, &keyword, value, base);
        }
    }

    /// Notes `$id` and anchors; the base for what is inside.
    fn enter_resource(&mut self, schema: Slot, base: u32) -> u32 {
        let mut base = base;
        let hidden = !self.dialect.ref_has_siblings() && self.json.member(schema, "$ref").is_some();
        if let Some(id) = self.text_member(schema, self.dialect.id_keyword())
            && !hidden
        {
            match id.strip_prefix('#') {
                Some(anchor) if self.dialect < Dialect::Draft201909 && !anchor.is_empty() => {
                    self.anchors.entry((base, anchor.to_owned())).or_insert(schema);
                }
                _ => match self.absolute(&id, base) {
                    Some(uri) => {
                        let uri = uri.split('#').next().unwrap_or("").to_owned();
                        if schema == 0 {
                            self.bases = vec![Base { uri: uri.clone(), root: 0 }];
                        } else {
                            base = u32::try_from(self.bases.len()).unwrap_or(u32::MAX);
                            self.bases.push(Base { uri: uri.clone(), root: schema });
                        }
                        self.resources.entry(uri).or_insert(base);
                    }
                    None => self.defect(schema, "$id", "$id", "the identifier is not a URI reference"),
                },
            }
        }
        if self.dialect >= Dialect::Draft201909
            && let Some(anchor) = self.text_member(schema, "$anchor")
        {
            self.anchors.entry((base, anchor)).or_insert(schema);
        }
        if self.dialect >= Dialect::Draft202012
            && let Some(anchor) = self.text_member(schema, "$dynamicAnchor")
        {
            self.dynamic_anchors.entry(anchor.clone()).or_default().push(schema);
            self.anchors.entry((base, anchor)).or_insert(schema);
        }
        if self.dialect == Dialect::Draft201909
            && self.json.member(schema, "$recursiveAnchor").is_some_and(|slot| self.json.raw(slot) == "true")
        {
            self.dynamic_anchors.entry(String::new()).or_default().push(schema);
        }
        base
    }

    fn text_member(&self, schema: Slot, name: &str) -> Option<String> {
        let slot = self.json.member(schema, name)?;
        (self.json.kind(slot) == Kind::String).then(|| self.json.string(slot).into_owned())
    }

    fn keyword(&mut self, schema: Slot, keyword: &str, value: Slot, base: u32) {
        let kind = self.json.kind(value);
        match form(keyword, self.dialect, self.origin) {
            Form::Free => {}
            Form::SchemaOrBoolean if kind == Kind::Boolean => {}
            Form::Schema | Form::SchemaOrBoolean => self.walk(value, base),
            Form::SchemaOrList if kind == Kind::Array => {
                if self.dialect == Dialect::Draft202012 {
                    self.reads_otherwise(schema, keyword, "read as draft-07 reads it");
                }
                self.walk_list(value, base);
            }
            Form::SchemaOrList => self.walk(value, base),
            Form::SchemaList if kind == Kind::Array && self.json.count(value) > 0 => self.walk_list(value, base),
            Form::SchemaList => self.malformed(schema, keyword, "a list of schemas that is not empty"),
            Form::SchemaMap if kind == Kind::Object => self.walk_map(value, base),
            Form::SchemaMap => self.malformed(schema, keyword, "an object of schemas"),
            Form::PatternMap if kind == Kind::Object => {
                let names: Vec<_> =
                    self.json.members(value).map(|(name, _)| self.json.string(name).into_owned()).collect();
                for name in names {
                    self.pattern(schema, keyword, &name);
                }
                self.walk_map(value, base);
            }
            Form::PatternMap => self.malformed(schema, keyword, "an object of schemas"),
            Form::Dependencies if kind == Kind::Object => {
                if self.dialect >= Dialect::Draft201909 {
                    self.reads_otherwise(schema, keyword, "read as draft-07 reads it");
                }
                let members: Vec<_> = self.json.members(value).collect();
                for (_, dependency) in members {
                    if self.json.kind(dependency) != Kind::Array {
                        self.walk(dependency, base);
                    } else if !self.is_names(dependency) {
                        self.malformed(schema, keyword, "an object of schemas or of lists of names");
                    }
                }
            }
            Form::Dependencies => self.malformed(schema, keyword, "an object of schemas or of lists of names"),
            Form::NameLists => {
                let fits = kind == Kind::Object && self.json.members(value).all(|(_, names)| self.is_names(names));
                self.expect(fits, schema, keyword, "an object of lists of names");
            }
            Form::Names => self.expect(self.is_names(value), schema, keyword, "a list of names"),
            Form::Type => {
                self.expect(self.types(value).is_some(), schema, keyword, "a name of a type, or a list of them")
            }
            Form::List => self.expect(kind == Kind::Array, schema, keyword, "a list"),
            Form::Count => {
                let fits = kind == Kind::Number && self.decimal(value).to_count().is_some();
                self.expect(fits, schema, keyword, "a whole number that is not negative");
            }
            Form::Number => self.expect(kind == Kind::Number, schema, keyword, "a number"),
            Form::NumberOrBoolean => {
                self.expect(matches!(kind, Kind::Number | Kind::Boolean), schema, keyword, "a number or a boolean");
                if kind == Kind::Boolean && self.dialect > Dialect::Draft4 {
                    self.note_draft4_bound(schema, keyword);
                }
            }
            Form::Divisor => {
                let fits = kind == Kind::Number && self.decimal(value).can_divide();
                self.expect(fits, schema, keyword, "a number above zero with at most 19 significant digits");
            }
            Form::Boolean => self.expect(kind == Kind::Boolean, schema, keyword, "a boolean"),
            Form::Pattern if kind == Kind::String => {
                let source = self.json.string(value).into_owned();
                self.pattern(schema, keyword, &source);
            }
            Form::Pattern | Form::Text => self.expect(kind == Kind::String, schema, keyword, "a string"),
        }
    }

    /// Draft-04's `true`, which sharpens the bound beside it, in a discovered schema of a later dialect (decision 0009).
    fn note_draft4_bound(&mut self, schema: Slot, keyword: &str) {
        let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
        let has_bound = self.json.member(schema, bound).is_some();
        let why = if has_bound { "read as draft-04 reads it" } else { "a boolean, and no bound that it speaks of" };
        self.reads_otherwise(schema, keyword, why);
    }

    /// Whether `exclusiveMinimum: true` sharpens the `minimum` beside it.
    pub(crate) fn has_draft4_bounds(&self) -> bool {
        self.dialect == Dialect::Draft4 || self.origin == Origin::Discovered
    }

    fn expect(&mut self, fits: bool, schema: Slot, keyword: &str, wanted: &str) {
        if !fits {
            self.malformed(schema, keyword, wanted);
        }
    }

    fn malformed(&mut self, schema: Slot, keyword: &str, wanted: &str) {
        self.defect(schema, keyword, keyword, &format!("`{keyword}` must be {wanted}"));
    }

    fn walk_list(&mut self, list: Slot, base: u32) {
        let items: Vec<_> = self.json.items(list).collect();
        for item in items {
            self.walk(item, base);
        }
    }

    fn walk_map(&mut self, map: Slot, base: u32) {
        let members: Vec<_> = self.json.members(map).map(|(_, value)| value).collect();
        for member in members {
            self.walk(member, base);
        }
    }

    fn is_names(&self, slot: Slot) -> bool {
        self.json.kind(slot) == Kind::Array && self.json.items(slot).all(|item| self.json.kind(item) == Kind::String)
    }

    pub(crate) fn decimal(&self, slot: Slot) -> Decimal<'_> {
        Decimal::read(self.json.raw(slot))
    }

    /// The kinds that a `type` names; `None` where it is malformed.
    pub(crate) fn types(&self, slot: Slot) -> Option<Kinds> {
        let one = |slot: Slot| {
            if self.json.kind(slot) == Kind::String { Kinds::from_name(&self.json.string(slot)) } else { None }
        };
        match self.json.kind(slot) {
            Kind::Array if self.json.count(slot) > 0 => {
                self.json.items(slot).try_fold(Kinds::NONE, |kinds, item| Some(kinds | one(item)?))
            }
            Kind::Array => None,
            _ => one(slot),
        }
    }

    /// Compiles a pattern once. What cannot be compiled is a defect, or set aside in a discovered schema (R6.9).
    fn pattern(&mut self, schema: Slot, keyword: &str, source: &str) {
        if let Some(known) = self.patterns.get(source) {
            if known.is_none() {
                self.without_pattern.push(schema);
                self.left.push((schema, keyword.into()));
            }
            return;
        }
        let id = match self.compile_pattern(source) {
            Ok(pattern) => {
                self.compiled_patterns.push(pattern);
                u32::try_from(self.compiled_patterns.len() - 1).ok()
            }
            Err((_, why)) if self.origin == Origin::Discovered => {
                self.set_aside(schema, keyword, why);
                self.without_pattern.push(schema);
                None
            }
            Err((code, why)) => {
                self.defect(schema, keyword, code.unwrap_or(keyword), why);
                None
            }
        };
        self.patterns.insert(source.to_owned(), id);
    }

    /// The error is a code, where it is not the keyword, and why.
    fn compile_pattern(&mut self, source: &str) -> Result<Pattern, (Option<&'static str>, &'static str)> {
        if self.patterns.len() >= self.limits.patterns_max {
            return Err((Some("limit"), "the schema has too many patterns"));
        }
        let left_bytes = self.limits.patterns_size_max_bytes.saturating_sub(self.patterns_size_bytes);
        let attempt = Pattern::compile(source, &self.limits, left_bytes);
        self.patterns_size_bytes = self.patterns_size_bytes.saturating_add(attempt.size_bytes);
        attempt.outcome.map_err(|why| (None, why))
    }

    /// Whether some pattern at or inside the subschema was set aside, so that it admits more than its author meant.
    pub(crate) fn is_widened(&self, schema: Slot) -> bool {
        let first = self.without_pattern.partition_point(|slot| *slot < schema);
        self.without_pattern.get(first).is_some_and(|slot| *slot < self.json.next(schema))
    }

    /// Whether a pattern of this very subschema was set aside.
    pub(crate) fn lacks_pattern(&self, schema: Slot) -> bool {
        self.without_pattern.binary_search(&schema).is_ok()
    }

    /// The number of a pattern that was compiled in the walk; `None` where it was set aside.
    pub(crate) fn pattern_id(&self, source: &str) -> Option<u32> {
        self.patterns.get(source).copied().flatten()
    }

    fn absolute(&self, reference: &str, base: u32) -> Option<String> {
        let base = &self.bases.get(base as usize)?.uri;
        let base = Uri::parse(base.as_str()).ok()?;
        let reference = UriRef::parse(reference).ok()?;
        Some(reference.resolve_against(&base).ok()?.as_str().to_owned())
    }

    /// What `$ref`, `$dynamicRef` or `$recursiveRef` of the subschema at `schema` names; the error says why nothing.
    pub(crate) fn resolve(&mut self, schema: Slot, keyword: &str, reference: &str) -> Result<Target, &'static str> {
        if keyword == "$recursiveRef" {
            return Ok(match self.dynamic_anchors.get("").map(Vec::as_slice) {
                Some([_, _, ..]) => Target::Dynamic,
                _ => Target::Slot(self.bases.get(self.base(schema) as usize).map_or(0, |base| base.root)),
            });
        }
        let target = self.resolve_static(schema, reference)?;
        if keyword != "$dynamicRef" {
            return Ok(target);
        }
        let anchor = reference.rsplit_once('#').map_or("", |(_, anchor)| anchor);
        match (target, self.dynamic_anchors.get(anchor).map(Vec::as_slice)) {
            (Target::Slot(slot), Some(anchored @ [_, _, ..])) if anchored.contains(&slot) => Ok(Target::Dynamic),
            (target, _) => Ok(target),
        }
    }

    fn base(&self, schema: Slot) -> u32 {
        self.base_of.get(&schema).copied().unwrap_or(0)
    }

    fn resolve_static(&mut self, schema: Slot, reference: &str) -> Result<Target, &'static str> {
        const NOWHERE: &str = "the reference names nothing in this document; nothing is fetched";
        let mut base = self.base(schema);
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !resource.is_empty() {
            let uri = self.absolute(resource, base).ok_or("the reference is not a URI reference")?;
            if let Some(resource) = self.resources.get(&uri) {
                base = *resource;
            } else {
                return if Dialect::from_uri(&uri).is_some() && fragment.is_empty() {
                    Ok(Target::MetaSchema)
                } else {
                    Err(NOWHERE)
                };
            }
        }
        let fragment = percent_decode(fragment).ok_or(NOWHERE)?;
        let root = self.bases.get(base as usize).map_or(0, |base| base.root);
        let slot = if fragment.is_empty() {
            Some(root)
        } else if let Some(pointer) = fragment.strip_prefix('/') {
            self.follow(root, pointer)
        } else {
            self.anchors.get(&(base, fragment)).copied()
        };
        let slot = slot.ok_or(NOWHERE)?;
        match self.json.kind(slot) {
            Kind::Object | Kind::Boolean => Ok(Target::Slot(slot)),
            _ => Err("the reference names something that is no schema"),
        }
    }

    fn follow(&mut self, root: Slot, pointer: &str) -> Option<Slot> {
        pointer.split('/').try_fold(root, |at, segment| {
            let name = unescaped(segment);
            match self.json.kind(at) {
                Kind::Object => self.member(at, &name),
                Kind::Array => self.json.items(at).nth(name.parse().ok()?),
                _ => None,
            }
        })
    }

    /// Like `json.member`, without scanning a wide object for every reference into it.
    fn member(&mut self, at: Slot, name: &str) -> Option<Slot> {
        const SCAN_MAX: usize = 32;
        if self.json.count(at) <= SCAN_MAX {
            return self.json.member(at, name);
        }
        let json = &self.json;
        let names = self
            .wide
            .entry(at)
            .or_insert_with(|| json.members(at).map(|(name, value)| (json.string(name).into_owned(), value)).collect());
        names.get(name).copied()
    }

    /// The document as a value, for the reference validator.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        serde_json::from_str(self.json.text()).unwrap_or(serde_json::Value::Bool(false))
    }
}

fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = after.get(..2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reads a name of the document; here so that callers need not know about escapes.
pub(crate) fn name_of(json: &Document<'_>, slot: Slot) -> String {
    unescape(json.string_raw(slot)).into_owned()
}
