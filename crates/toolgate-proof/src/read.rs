//! Reads a schema document into the arena: its dialect, the form of every keyword, what references name.
//!
//! Only what the root reaches is read. Nothing is fetched: a reference names a place in the document, or the document is
//! unreadable.

mod keywords;
mod references;

use crate::json::Value;
use crate::kinds::Kinds;
use crate::options::{Dialect, Reading};
use crate::schema::{ANY, ArrayRules, Finite, NEVER, Node, NodeId, ObjectRules, Place, Schemas, Tail, escape_segment};
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
    /// Nodes that say something about undeclared names themselves, or are what a `$ref` to one of these is (R3.2).
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
        refers: FxHashMap::default(),
        widened: false,
        count: 0,
    };
    let place = Place { document: settings.document, parent: None, tail: Tail::None };
    let root = reader.schema(root, 0, place, false)?;
    reader.resolve_pending()?;
    reader.speak_for_references();
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
    /// What the `$ref` of a node names.
    refers: FxHashMap<NodeId, NodeId>,
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
        if let Some(aside) = self.schema_aside(value, &place) {
            return Ok(aside);
        }
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

    /// The node of a schema that is set aside whole: it admits everything.
    fn schema_aside(&mut self, value: &'d Value<'d>, place: &Place) -> Option<NodeId> {
        if self.set_aside.is_empty() || self.made.contains_key(&std::ptr::from_ref(value)) {
            return None;
        }
        let rules = ObjectRules { evaluates_all: true, ..ObjectRules::default() };
        let node = Node { object: Some(Box::new(rules)), widened: true, ..Node::any() };
        let id = self.schemas.push(node, place.clone());
        if !self.set_aside.contains(self.schemas.pointer(id).1.as_str()) {
            self.schemas.node_mut(id).widened = false;
            return None;
        }
        self.widened = true;
        self.made.insert(std::ptr::from_ref(value), id);
        Some(id)
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
        let mut part = Part { id, resource, value, object: ObjectRules::default(), array: ArrayRules::default() };
        let alone = self.dialect < Dialect::Draft201909 && value.member("$ref").is_some();
        if !alone && members.iter().any(|(keyword, _)| speaks(keyword)) {
            self.outspoken.insert(id);
        }
        if self.settings.notes_names {
            self.note_names(value, alone, &mut part.object);
        }
        for (keyword, value) in members {
            let ignored = self.settings.reading.ignored_keywords.iter().any(|ignored| ignored == keyword);
            if ignored || (alone && keyword != "$ref") {
                continue;
            }
            // The names and places that these take stay: without them another keyword would apply there.
            let keeps_places = matches!(keyword.as_ref(), "properties" | "patternProperties" | "prefixItems");
            if self.is_aside(id, keyword) && !keeps_places {
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

    /// A node that refers to one which speaks of undeclared names speaks of them, through any number of references.
    fn speak_for_references(&mut self) {
        let mut referring: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for (from, to) in &self.refers {
            referring.entry(*to).or_default().push(*from);
        }
        let mut open: Vec<NodeId> = self.outspoken.iter().copied().collect();
        while let Some(id) = open.pop() {
            for from in referring.get(&id).into_iter().flatten() {
                if self.outspoken.insert(*from) {
                    open.push(*from);
                }
            }
        }
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
            if keyword == "$ref" {
                self.refers.insert(node, target);
            }
            let node = self.schemas.node_mut(node);
            match node.reference {
                None => node.reference = Some(target),
                Some(_) => node.all.push(target),
            }
        }
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
