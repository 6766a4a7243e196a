//! Makes the arena: one node for each set of conjuncts that meet at a place.
//!
//! `$ref` and `allOf` are followed in place, so that a node holds all that they say; each conjunct keeps judging unknown
//! keys by its own `properties`, never by those of its neighbours.

use super::document::{Dialect, SchemaDocument, Target, name_of};
use super::kinds::Kinds;
use super::opaque::Opaque;
use super::spelling::Spelling;
use super::unions;
use super::values::Values;
use super::{
    ArrayRules, Bound, Closing, Condition, Contains, Count, DependentRequired, Node, NodeId, NumberRules, ObjectRules,
    Prop, Rest, Schema, UnevaluatedItems, Union, UnionOp,
};
use crate::contract::{Alias, Defect, Origin, Policy, UnknownKeys, Unusable};
use crate::json::{Document, Kind, Slot, Strictness};
use crate::limits::Limits;
use crate::location::unescaped;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Compiles exact schema text.
pub(crate) fn compile(text: String, policy: &Policy) -> Result<Schema, Unusable> {
    let limits = Limits {
        size_max_bytes: policy.limits.schema_size_max_bytes,
        depth_max: policy.limits.schema_depth_max,
        ..policy.limits
    };
    let json = Document::read_owned(text, Strictness::Strict, &limits).map_err(|fault| Unusable::unread(&fault))?;
    let document = SchemaDocument::read(json, policy.origin, &policy.limits);
    if !document.defects.is_empty() {
        return Err(unusable(document.defects));
    }
    let mut builder = Builder::new(document, policy);
    builder.build_all();
    if builder.defects.is_empty() {
        unions::finish(&mut builder);
    }
    if builder.defects.is_empty() {
        builder.check_aliases();
    }
    let whole = builder.compile_whole();
    if builder.defects.is_empty() { Ok(builder.into_schema(whole)) } else { Err(unusable(builder.defects)) }
}

fn unusable(defects: Vec<Defect>) -> Unusable {
    Unusable { defects }
}

/// Where a node stands, as far as it changes what the node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The arguments object.
    Root,
    /// A value inside it.
    Location,
    /// Beside a node that the location has already: a member of a union, a condition.
    Beside,
    /// One subschema alone, without its `unevaluated…` keywords, asked what it evaluates.
    Scope(Slot),
}

type Slots = SmallVec<[Slot; 4]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    slots: Slots,
    pub(super) place: Place,
    /// Number of an [`AliasNode`], 0 for none.
    alias: u32,
}

/// A location that has, or leads to, former names.
#[derive(Default)]
struct AliasNode {
    children: Vec<(String, u32)>,
    /// Declared name and its former ones.
    names: Vec<(String, Vec<String>)>,
    pointer: String,
}

pub(super) struct Builder {
    pub(super) document: SchemaDocument,
    pub(super) nodes: Vec<Node>,
    pub(super) keys: Vec<Key>,
    /// Whether nothing at a location itself speaks of other keys (R3.2).
    pub(super) silent: Vec<bool>,
    ids: HashMap<Key, NodeId>,
    opaques: Vec<Opaque>,
    formats: HashMap<String, Option<u32>>,
    aliases: Vec<AliasNode>,
    needs_whole: bool,
    pub(super) unknown_keys: UnknownKeys,
    assert_formats: bool,
    pub(super) limits: Limits,
    steps: u64,
    pub(super) defects: Vec<Defect>,
}

/// Properties of the conjuncts of one place beyond which they are looked up in a table.
const LOOKUP_ABOVE: usize = 16;

/// The object keywords of one conjunct.
struct ObjectPart {
    properties: Option<Slot>,
    lookup: Option<HashMap<String, Slot>>,
    patterns: Vec<(u32, Slot)>,
    rest: Option<Slot>,
    schema: Slot,
}

impl ObjectPart {
    fn property(&self, json: &Document<'_>, name: &str) -> Option<Slot> {
        match &self.lookup {
            Some(lookup) => lookup.get(name).copied(),
            None => self.properties.and_then(|properties| json.member(properties, name)),
        }
    }
}

impl Builder {
    fn new(document: SchemaDocument, policy: &Policy) -> Self {
        let mut builder = Builder {
            document,
            nodes: Vec::new(),
            keys: Vec::new(),
            silent: Vec::new(),
            ids: HashMap::new(),
            opaques: Vec::new(),
            formats: HashMap::new(),
            aliases: vec![AliasNode::default()],
            needs_whole: false,
            unknown_keys: policy.unknown_keys,
            assert_formats: policy.options.assert_formats,
            limits: policy.limits,
            steps: 0,
            defects: Vec::new(),
        };
        for alias in &policy.aliases {
            builder.note_alias(alias);
        }
        builder
    }

    /// Adds a defect. A subschema that takes part in several places is found broken in each, and is one thing to mend.
    pub(super) fn defect(&mut self, keyword_location: String, code: &str, message: &str) {
        const DEFECTS_MAX: usize = 20;
        let defect = Defect { keyword_location, code: code.to_owned(), message: message.to_owned() };
        if self.defects.len() < DEFECTS_MAX && !self.defects.contains(&defect) {
            self.defects.push(defect);
        }
    }

    /// Adds a node that no subschema stands for alone.
    pub(super) fn push_made(&mut self, node: Node) {
        self.nodes.push(node);
        self.keys.push(Key { slots: Slots::new(), place: Place::Beside, alias: 0 });
        self.silent.push(false);
    }

    /// Counts work; once there is too much, building stops with a defect.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let before = self.steps;
        self.steps = before.saturating_add(steps as u64);
        if self.steps > self.limits.compile_steps_max && before <= self.limits.compile_steps_max {
            self.defect(String::new(), "limit", "the schema takes too many steps to compile");
        }
        self.steps <= self.limits.compile_steps_max
    }

    fn note_alias(&mut self, alias: &Alias) {
        if self.aliases.len() == 1 {
            self.aliases.push(AliasNode::default());
        }
        let mut at = 1;
        for segment in alias.at.split('/').skip(1) {
            let name = unescaped(segment);
            let found = self.aliases.get(at).and_then(|node| node.children.iter().find(|(child, _)| *child == name));
            at = match found {
                Some((_, child)) => *child as usize,
                None => {
                    let child = self.aliases.len();
                    let pointer =
                        self.aliases.get(at).map_or(String::new(), |node| format!("{}/{segment}", node.pointer));
                    self.aliases.push(AliasNode { pointer, ..AliasNode::default() });
                    if let Some(node) = self.aliases.get_mut(at) {
                        node.children.push((name, u32::try_from(child).unwrap_or(0)));
                    }
                    child
                }
            };
        }
        if let Some(node) = self.aliases.get_mut(at) {
            node.names.push((alias.name.clone(), alias.former.clone()));
        }
    }

    fn build_all(&mut self) {
        let alias = u32::from(self.aliases.len() > 1);
        self.intern(&[0], Place::Root, alias);
        let mut next = 0;
        while next < self.nodes.len() && self.defects.is_empty() {
            let Some(key) = self.keys.get(next).cloned() else { break };
            let node = self.build(next as NodeId, &key);
            if let Some(place) = self.nodes.get_mut(next) {
                *place = node;
            }
            next += 1;
        }
        if let Some(root) = self.nodes.first_mut() {
            root.kinds &= Kinds::OBJECT;
            root.types.push((Kinds::OBJECT, 0));
            root.named &= Kinds::OBJECT;
        }
    }

    /// The node of the conjunction of `slots`, made later if it is new.
    pub(super) fn intern(&mut self, slots: &[Slot], place: Place, alias: u32) -> NodeId {
        let place = match place {
            Place::Location if self.unknown_keys != UnknownKeys::CloseDeclared => Place::Beside,
            place => place,
        };
        let silent = self.is_silent(slots);
        let key = Key { slots: self.conjuncts(slots), place, alias };
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        if self.nodes.len() >= self.limits.schema_nodes_max {
            self.defect(String::new(), "limit", "the schema has too many places");
            return 0;
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node::default());
        self.keys.push(key.clone());
        self.silent.push(silent);
        self.ids.insert(key, id);
        id
    }

    /// All subschemas that `slots` bring in place through `$ref` and `allOf`, in document order. A cycle of such steps
    /// consumes no input, so no value could ever decide it: a defect.
    fn conjuncts(&mut self, slots: &[Slot]) -> Slots {
        enum Step {
            Enter(Slot),
            Leave(Slot),
        }
        let mut found: HashMap<Slot, bool> = HashMap::new();
        let mut todo: Vec<Step> = slots.iter().rev().map(|slot| Step::Enter(*slot)).collect();
        while let Some(step) = todo.pop() {
            match step {
                Step::Leave(slot) => {
                    found.insert(slot, false);
                }
                Step::Enter(slot) => {
                    match found.get(&slot) {
                        Some(true) => {
                            let pointer = self.document.pointer(slot, "");
                            self.defect(pointer, "cycle", "the schema refers to itself without a value in between");
                            break;
                        }
                        Some(false) => continue,
                        None => {}
                    }
                    if !self.spend(1) {
                        break;
                    }
                    found.insert(slot, true);
                    todo.push(Step::Leave(slot));
                    todo.extend(self.in_place(slot).into_iter().map(Step::Enter));
                }
            }
        }
        let mut slots: Slots = found.into_keys().collect();
        slots.sort_unstable();
        slots
    }

    /// What `$ref` and `allOf` of one subschema bring in place.
    fn in_place(&mut self, schema: Slot) -> Slots {
        let mut slots = Slots::new();
        if self.document.json.kind(schema) != Kind::Object {
            return slots;
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Target::Slot(slot)) = self.reference(schema, keyword) {
                slots.push(slot);
            }
        }
        if !self.is_only_reference(schema)
            && let Some(list) = self.document.json.member(schema, "allOf")
        {
            slots.extend(self.document.json.items(list));
        }
        slots
    }

    /// Up to draft-07, keywords beside `$ref` are ignored.
    fn is_only_reference(&self, schema: Slot) -> bool {
        !self.document.dialect.ref_has_siblings() && self.document.json.member(schema, "$ref").is_some()
    }

    fn reference(&mut self, schema: Slot, keyword: &str) -> Option<Target> {
        let introduced = match keyword {
            "$dynamicRef" => self.document.dialect == Dialect::Draft202012,
            "$recursiveRef" => self.document.dialect == Dialect::Draft201909,
            _ => true,
        };
        let slot = self.document.json.member(schema, keyword).filter(|_| introduced)?;
        let reference = self.document.json.string(slot).into_owned();
        match self.document.resolve(schema, keyword, &reference) {
            Ok(target) => Some(target),
            Err(why) => {
                let pointer = self.document.pointer(schema, keyword);
                self.defect(pointer, keyword, why);
                None
            }
        }
    }

    /// Whether a location itself, or what it refers to in whole, says nothing of keys that it does not declare.
    fn is_silent(&mut self, slots: &[Slot]) -> bool {
        let speaks = |json: &Document<'_>, slot: Slot| {
            ["additionalProperties", "unevaluatedProperties", "patternProperties"]
                .iter()
                .any(|keyword| json.member(slot, keyword).is_some())
        };
        let mut followed: Slots = Slots::new();
        let mut todo: Slots = slots.iter().copied().collect();
        while let Some(slot) = todo.pop() {
            if followed.contains(&slot) || followed.len() > 64 || self.document.json.kind(slot) != Kind::Object {
                continue;
            }
            followed.push(slot);
            if !self.is_only_reference(slot) && speaks(&self.document.json, slot) {
                return false;
            }
            if let Some(Target::Slot(target)) = self.reference(slot, "$ref") {
                todo.push(target);
            }
        }
        true
    }

    fn build(&mut self, id: NodeId, key: &Key) -> Node {
        let mut node = Node { kinds: Kinds::ALL, named: Kinds::ALL, admits: Kinds::ALL, ..Node::default() };
        let mut is_named = false;
        let mut parts = Vec::new();
        for schema in &key.slots {
            if self.document.json.kind(*schema) == Kind::Boolean {
                if !self.document.json.is_true(*schema) {
                    node.never = Some(*schema);
                }
                continue;
            }
            if self.is_only_reference(*schema) {
                self.reference_part(*schema, "$ref", &mut node);
                continue;
            }
            let members: Vec<_> = self.document.json.members(*schema).collect();
            self.spend(members.len());
            for (name, value) in members {
                let keyword = name_of(&self.document.json, name);
                is_named |= matches!(keyword.as_str(), "type" | "enum" | "const");
                self.keyword(key, *schema, &keyword, value, &mut node);
            }
            parts.push(*schema);
        }
        if !is_named {
            node.named = Kinds::NONE;
        }
        self.build_array(key, &parts, &mut node);
        self.build_object(id, key, &parts, &mut node);
        node
    }

    /// A reference to a meta-schema, or one that depends on the way that led to it.
    fn reference_part(&mut self, schema: Slot, keyword: &str, node: &mut Node) {
        match self.reference(schema, keyword) {
            Some(Target::MetaSchema) => {
                let reference =
                    self.document.json.member(schema, keyword).map(|slot| name_of(&self.document.json, slot));
                let part = Opaque::compile(&serde_json::json!({ "$schema": reference, "$ref": reference }));
                self.push_opaque(part, schema, node);
            }
            Some(Target::Dynamic) if self.document.origin == Origin::Discovered => {
                let pointer = self.document.pointer(schema, keyword);
                self.defect(
                    pointer,
                    keyword,
                    "the reference depends on the way that led to it, which only a trusted schema may ask",
                );
            }
            Some(Target::Dynamic) => {
                node.is_dynamic = true;
                self.needs_whole = true;
            }
            _ => {}
        }
    }

    fn push_opaque(&mut self, part: Option<Opaque>, schema: Slot, node: &mut Node) {
        match part {
            Some(part) => {
                node.opaques.push((self.opaques.len() as u32, schema));
                self.opaques.push(part);
            }
            None => {
                let pointer = self.document.pointer(schema, "");
                self.defect(pointer, "schema", "the reference validator does not take this part");
            }
        }
    }

    /// One keyword that is neither of arrays nor of objects.
    fn keyword(&mut self, key: &Key, schema: Slot, keyword: &str, value: Slot, node: &mut Node) {
        let dialect = self.document.dialect;
        match keyword {
            "type" => {
                let kinds = self.document.types(value).unwrap_or(Kinds::ALL);
                node.kinds &= kinds;
                node.named &= kinds;
                node.types.push((kinds, schema));
            }
            "enum" => {
                let slots = self.document.json.items(value).collect();
                self.push_values(slots, "enum", schema, node);
            }
            "const" if dialect >= Dialect::Draft6 => self.push_values(vec![value], "const", schema, node),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => self.bound(schema, keyword, value, node),
            "multipleOf" => {
                let literal = self.document.json.raw(value).into();
                node.number.get_or_insert_default().multiple_of.push((literal, schema));
            }
            "minLength" => self.count(value, schema, true, &mut node.string.get_or_insert_default().min),
            "maxLength" => self.count(value, schema, false, &mut node.string.get_or_insert_default().max),
            "pattern" => {
                let source = name_of(&self.document.json, value);
                if let Some(pattern) = self.document.pattern_id(&source) {
                    node.string.get_or_insert_default().patterns.push((pattern, schema));
                }
            }
            "format" if self.document.json.kind(value) == Kind::String => {
                let name = name_of(&self.document.json, value);
                node.is_secret |= name == "password";
                if self.assert_formats
                    && let Some(format) = self.format(&name)
                {
                    node.string.get_or_insert_default().formats.push((format, schema));
                }
            }
            "writeOnly" => node.is_secret |= self.document.json.raw(value) == "true",
            "default" => node.has_default = true,
            "anyOf" => self.union(UnionOp::Any, key, schema, value, node),
            // Members that admit more than they should may meet where the author's do not.
            "oneOf" if self.document.is_widened(value) => self.union(UnionOp::Any, key, schema, value, node),
            "oneOf" => self.union(UnionOp::One, key, schema, value, node),
            // What admits more than it should refuses more than it should under `not`.
            "not" if self.document.is_widened(value) => {
                self.document.set_aside(schema, keyword, "a pattern inside is set aside");
            }
            "if" if self.document.is_widened(value) => {
                self.document.set_aside(schema, keyword, "a pattern inside is set aside");
            }
            "not" => {
                let inner = self.intern(&[value], Place::Beside, 0);
                node.nots.push((inner, schema));
            }
            "if" if dialect >= Dialect::Draft7 => self.condition(key, schema, value, node),
            "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference_part(schema, keyword, node),
            _ => {}
        }
    }

    fn push_values(&mut self, slots: Vec<Slot>, keyword: &'static str, schema: Slot, node: &mut Node) {
        let values = Values::new(&self.document, slots, keyword, schema);
        node.named &= values.kinds;
        node.values.push(values);
    }

    fn bound(&mut self, schema: Slot, keyword: &str, value: Slot, node: &mut Node) {
        let json = &self.document.json;
        if json.kind(value) != Kind::Number {
            return;
        }
        let draft4_exclusive = |sharper: &str| {
            self.document.has_draft4_bounds() && json.member(schema, sharper).is_some_and(|slot| json.is_true(slot))
        };
        let (keyword, is_lower, exclusive) = match keyword {
            "minimum" => ("minimum", true, draft4_exclusive("exclusiveMinimum")),
            "maximum" => ("maximum", false, draft4_exclusive("exclusiveMaximum")),
            "exclusiveMinimum" => ("exclusiveMinimum", true, true),
            _ => ("exclusiveMaximum", false, true),
        };
        let literal: Box<str> = json.raw(value).into();
        let small = literal.parse().ok();
        let rules: &mut NumberRules = node.number.get_or_insert_default();
        let bounds = if is_lower { &mut rules.lower } else { &mut rules.upper };
        bounds.push(Bound { literal, exclusive, keyword, schema, small });
    }

    /// Keeps the tighter of two counts.
    fn count(&self, value: Slot, schema: Slot, is_lower: bool, count: &mut Count) {
        let new = self.document.decimal(value).to_count().unwrap_or(0);
        let is_tighter = count.is_none_or(|(old, _)| if is_lower { new > old } else { new < old });
        if is_tighter {
            *count = Some((new, schema));
        }
    }

    fn format(&mut self, name: &str) -> Option<u32> {
        if let Some(format) = self.formats.get(name) {
            return *format;
        }
        let format = Opaque::format(name).map(|opaque| {
            self.opaques.push(opaque);
            self.opaques.len() as u32 - 1
        });
        self.formats.insert(name.to_owned(), format);
        format
    }

    fn union(&mut self, op: UnionOp, key: &Key, schema: Slot, list: Slot, node: &mut Node) {
        let slots: Vec<_> = self.document.json.items(list).collect();
        let mut members = Vec::with_capacity(slots.len());
        for slot in slots {
            let member = self.intern(&[slot], Place::Beside, key.alias);
            // Under `anyOf` a member twice is once; under `oneOf` it means that neither can be the only one.
            if op == UnionOp::One || !members.contains(&member) || members.len() > 64 {
                members.push(member);
            }
        }
        node.unions.push(Union { op, members, schema, keyword: op.keyword(), tag: None });
    }

    fn condition(&mut self, key: &Key, schema: Slot, test: Slot, node: &mut Node) {
        let branch = |keyword: &str| self.document.json.member(schema, keyword);
        let (then, otherwise) = (branch("then"), branch("else"));
        let test = self.intern(&[test], Place::Beside, key.alias);
        let then = then.map(|slot| self.intern(&[slot], Place::Beside, key.alias));
        let otherwise = otherwise.map(|slot| self.intern(&[slot], Place::Beside, key.alias));
        node.conditions.push(Condition { test, then, otherwise });
    }

    fn build_array(&mut self, key: &Key, parts: &[Slot], node: &mut Node) {
        const KEYWORDS: [&str; 11] = [
            "items",
            "prefixItems",
            "additionalItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
            "unevaluatedProperties",
        ];
        let json = &self.document.json;
        if !parts.iter().any(|part| KEYWORDS.iter().any(|keyword| json.member(*part, keyword).is_some())) {
            return;
        }
        let mut rules = ArrayRules::default();
        let mut shapes: Vec<(Vec<Slot>, Option<Slot>)> = Vec::new();
        for part in parts {
            let shape = self.item_slots(*part);
            rules.evaluates_all |= shape.1.is_some();
            shapes.push(shape);
            self.array_keywords(key, *part, &mut rules);
        }
        let prefix_len = shapes.iter().map(|(prefix, _)| prefix.len()).max().unwrap_or(0);
        for index in 0..prefix_len {
            let slots: Slots =
                shapes.iter().filter_map(|(prefix, rest)| prefix.get(index).copied().or(*rest)).collect();
            let item = self.child(&slots, 0);
            rules.prefix.push(item);
        }
        let slots: Slots = shapes.iter().filter_map(|(_, rest)| *rest).collect();
        rules.items = self.child(&slots, 0);
        node.array = Some(Box::new(rules));
    }

    /// The node of a value inside; `None` where nothing is said about it.
    fn child(&mut self, slots: &[Slot], alias: u32) -> Option<NodeId> {
        (!slots.is_empty()).then(|| self.intern(slots, Place::Location, alias))
    }

    /// The schemas of the first items, and of the others, as the dialect spells them.
    fn item_slots(&self, part: Slot) -> (Vec<Slot>, Option<Slot>) {
        let json = &self.document.json;
        let items = json.member(part, "items");
        let as_list = items.filter(|slot| json.kind(*slot) == Kind::Array);
        if let Some(list) = as_list {
            return (json.items(list).collect(), json.member(part, "additionalItems"));
        }
        let prefix = json.member(part, "prefixItems").filter(|_| self.document.dialect >= Dialect::Draft202012);
        (prefix.map(|list| json.items(list).collect()).unwrap_or_default(), items)
    }

    fn array_keywords(&mut self, key: &Key, part: Slot, rules: &mut ArrayRules) {
        let member = |keyword: &str| self.document.json.member(part, keyword);
        let (min, max) = (member("minItems"), member("maxItems"));
        let unique = member("uniqueItems").is_some_and(|slot| self.document.json.is_true(slot));
        let contains = member("contains")
            .filter(|slot| self.document.dialect >= Dialect::Draft6 && !self.document.is_widened(*slot));
        let unevaluated = member("unevaluatedItems").filter(|_| self.document.dialect >= Dialect::Draft201909);
        if let Some(slot) = min {
            self.count(slot, part, true, &mut rules.min);
        }
        if let Some(slot) = max {
            self.count(slot, part, false, &mut rules.max);
        }
        if unique {
            rules.unique.get_or_insert(part);
        }
        if let Some(slot) = contains {
            let contains = self.contains(part, slot);
            rules.contains.push(contains);
        }
        if let Some(slot) = unevaluated
            && key.place != Place::Scope(part)
        {
            rules.evaluates_all = true;
            let scope = self.intern(&[part], Place::Scope(part), 0);
            let node = self.intern(&[slot], Place::Location, 0);
            rules.unevaluated.push(UnevaluatedItems { scope, node });
        }
    }

    fn contains(&mut self, part: Slot, slot: Slot) -> Contains {
        let has_counts = self.document.dialect >= Dialect::Draft201909;
        let count = |keyword: &str| {
            let slot = self.document.json.member(part, keyword).filter(|_| has_counts)?;
            self.document.decimal(slot).to_count()
        };
        let (min, max) = (count("minContains").unwrap_or(1), count("maxContains"));
        let evaluates = self.document.dialect >= Dialect::Draft202012;
        Contains { node: self.intern(&[slot], Place::Beside, 0), min, max, schema: part, evaluates }
    }

    fn build_object(&mut self, id: NodeId, key: &Key, parts: &[Slot], node: &mut Node) {
        let mut rules = ObjectRules::default();
        let mut names = Names::default();
        let mut object_parts: Vec<ObjectPart> =
            parts.iter().filter(|part| !self.is_only_reference(**part)).map(|part| self.object_part(*part)).collect();
        // Every name is looked for in every part: scanning is as good only while there are few.
        let asked: usize =
            object_parts.iter().filter_map(|part| part.properties).map(|slot| self.document.json.count(slot)).sum();
        if asked > LOOKUP_ABOVE {
            for part in &mut object_parts {
                part.lookup = Some(self.lookup(part.properties));
            }
        }
        for part in &object_parts {
            let Some(properties) = part.properties else { continue };
            for (name, _) in self.document.json.members(properties) {
                names.note(&mut rules, &self.document.json.string(name)).is_declared = true;
            }
        }
        for part in parts {
            self.object_keywords(key, *part, &mut rules, &mut names);
        }
        for slot in &key.slots {
            self.known_names(*slot, &mut rules, &mut names);
        }
        self.alias_names(key, &mut rules, &mut names);
        self.build_props(key, &object_parts, &mut rules);
        self.build_rests(&object_parts, &mut rules);
        if key.place == Place::Root && self.unknown_keys != UnknownKeys::AsWritten && self.is_silent_node(id) {
            rules.closings.push(Closing { scope: id, node: None, is_policy: true, schema: 0 });
        }
        rules.sort();
        if !rules.is_empty() {
            node.object = Some(Box::new(rules));
        }
    }

    pub(super) fn is_silent_node(&self, id: NodeId) -> bool {
        self.silent.get(id as usize).copied().unwrap_or(false)
    }

    fn object_part(&self, schema: Slot) -> ObjectPart {
        let json = &self.document.json;
        let mut patterns = Vec::new();
        if let Some(map) = json.member(schema, "patternProperties") {
            for (name, value) in json.members(map) {
                if let Some(pattern) = self.document.pattern_id(&json.string(name)) {
                    patterns.push((pattern, value));
                }
            }
        }
        ObjectPart {
            properties: json.member(schema, "properties"),
            lookup: None,
            patterns,
            // Keys that a pattern set aside would have matched cannot be told from the rest.
            rest: json.member(schema, "additionalProperties").filter(|_| !self.document.lacks_pattern(schema)),
            schema,
        }
    }

    fn lookup(&self, properties: Option<Slot>) -> HashMap<String, Slot> {
        let json = &self.document.json;
        let members = properties.into_iter().flat_map(|properties| json.members(properties));
        members.map(|(name, value)| (json.string(name).into_owned(), value)).collect()
    }

    fn object_keywords(&mut self, key: &Key, part: Slot, rules: &mut ObjectRules, names: &mut Names) {
        let members: Vec<_> = self.document.json.members(part).collect();
        for (name, value) in members {
            let keyword = name_of(&self.document.json, name);
            let dialect = self.document.dialect;
            match keyword.as_str() {
                "required" => {
                    for name in self.document.json.items(value) {
                        let name = self.document.json.string(name);
                        let prop = names.note(rules, &name);
                        if !prop.is_required {
                            prop.is_required = true;
                            rules.required.push((names.index(&name), part));
                        }
                    }
                }
                "minProperties" => self.count(value, part, true, &mut rules.min),
                "maxProperties" => self.count(value, part, false, &mut rules.max),
                "propertyNames" if dialect >= Dialect::Draft6 => {
                    let node = self.intern(&[value], Place::Beside, 0);
                    rules.names.push((node, part));
                }
                "additionalProperties" => rules.evaluates_all = true,
                "patternProperties" => rules.evaluates_all |= self.document.lacks_pattern(part),
                "unevaluatedProperties" if dialect >= Dialect::Draft201909 && key.place != Place::Scope(part) => {
                    rules.evaluates_all = true;
                    self.close(part, value, rules);
                }
                "dependentRequired" if dialect >= Dialect::Draft201909 => {
                    self.dependencies("dependentRequired", part, value, key, rules)
                }
                "dependentSchemas" if dialect >= Dialect::Draft201909 => {
                    self.dependencies("dependentSchemas", part, value, key, rules)
                }
                "dependencies" if dialect < Dialect::Draft201909 || self.document.origin == Origin::Discovered => {
                    self.dependencies("dependencies", part, value, key, rules);
                }
                _ => {}
            }
        }
    }

    /// `unevaluatedProperties` looks at its own subschema and what that brings in place, and at no neighbour.
    fn close(&mut self, part: Slot, value: Slot, rules: &mut ObjectRules) {
        if self.document.json.kind(value) == Kind::Boolean && self.document.json.is_true(value) {
            return;
        }
        let scope = self.intern(&[part], Place::Scope(part), 0);
        let refuses = self.document.json.kind(value) == Kind::Boolean;
        let node = (!refuses).then(|| self.intern(&[value], Place::Location, 0));
        rules.closings.push(Closing { scope, node, is_policy: false, schema: part });
    }

    fn dependencies(&mut self, keyword: &'static str, part: Slot, map: Slot, key: &Key, rules: &mut ObjectRules) {
        let members: Vec<_> = self.document.json.members(map).collect();
        for (name, value) in members {
            let trigger: Box<str> = self.document.json.string(name).into();
            if self.document.json.kind(value) == Kind::Array {
                let names =
                    self.document.json.items(value).map(|name| self.document.json.string(name).into()).collect();
                rules.dependent_required.push(DependentRequired { trigger, names, keyword, schema: part });
            } else {
                let node = self.intern(&[value], Place::Beside, key.alias);
                rules.dependent_schemas.push((trigger, node));
            }
        }
    }

    /// Names that the boundary's closing takes as declared though no `properties` lists them (R3.4).
    fn known_names(&self, part: Slot, rules: &mut ObjectRules, names: &mut Names) {
        let json = &self.document.json;
        if json.kind(part) != Kind::Object {
            return;
        }
        for keyword in ["dependentRequired", "dependencies"] {
            for (trigger, dependents) in json.member(part, keyword).into_iter().flat_map(|map| json.members(map)) {
                if json.kind(dependents) == Kind::Array {
                    names.note(rules, &json.string(trigger));
                    for name in json.items(dependents) {
                        names.note(rules, &json.string(name));
                    }
                }
            }
        }
        let beside_reference = self.is_only_reference(part).then_some(part);
        let test = json.member(part, "if").filter(|_| beside_reference.is_none());
        for schema in beside_reference.into_iter().chain(test) {
            self.mentioned_names(schema, rules, names);
        }
    }

    fn mentioned_names(&self, schema: Slot, rules: &mut ObjectRules, names: &mut Names) {
        let json = &self.document.json;
        if json.kind(schema) != Kind::Object {
            return;
        }
        for (name, _) in json.member(schema, "properties").into_iter().flat_map(|map| json.members(map)) {
            names.note(rules, &json.string(name));
        }
        for name in json.member(schema, "required").into_iter().flat_map(|list| json.items(list)) {
            if json.kind(name) == Kind::String {
                names.note(rules, &json.string(name));
            }
        }
        let lists = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| json.member(schema, keyword));
        for inner in lists.flat_map(|list| json.items(list)).chain(json.member(schema, "not")) {
            self.mentioned_names(inner, rules, names);
        }
    }

    fn alias_names(&self, key: &Key, rules: &mut ObjectRules, names: &mut Names) {
        let Some(alias) = self.aliases.get(key.alias as usize).filter(|_| key.alias != 0) else { return };
        for (child, _) in &alias.children {
            names.note(rules, child);
        }
        for (name, former) in &alias.names {
            names.note(rules, name);
            for former in former {
                rules.aliases.push((former.as_str().into(), names.index(name)));
            }
        }
    }

    fn build_props(&mut self, key: &Key, parts: &[ObjectPart], rules: &mut ObjectRules) {
        self.spend(rules.props.len() * parts.len().max(1));
        for prop in &mut rules.props {
            let mut slots = Slots::new();
            for part in parts {
                let declared = part.property(&self.document.json, &prop.name);
                slots.extend(declared);
                let mut is_evaluated = declared.is_some();
                for (pattern, slot) in &part.patterns {
                    let matches = self.document.compiled_patterns.get(*pattern as usize).is_some_and(|pattern| {
                        // A pattern that gives up on a name of the schema leaves the name to the rest.
                        pattern.is_match(&prop.name).unwrap_or(false)
                    });
                    if matches {
                        is_evaluated = true;
                        prop.is_declared = true;
                        slots.push(*slot);
                    }
                }
                if let Some(rest) = part.rest.filter(|_| !is_evaluated) {
                    if self.document.json.kind(rest) != Kind::Boolean {
                        slots.push(rest);
                    } else if !self.document.json.is_true(rest) {
                        prop.refused_by = Some(part.schema);
                    }
                }
            }
            let children = self.aliases.get(key.alias as usize).map_or(&[][..], |alias| alias.children.as_slice());
            let alias = children.iter().find(|(name, _)| **name == *prop.name).map_or(0, |(_, child)| *child);
            if slots.is_empty() && alias != 0 {
                prop.node = Some(self.intern(&[], Place::Location, alias));
            } else {
                prop.node = self.child(&slots, alias);
            }
        }
    }

    fn build_rests(&mut self, parts: &[ObjectPart], rules: &mut ObjectRules) {
        for part in parts {
            for (pattern, slot) in &part.patterns {
                let node = self.intern(&[*slot], Place::Location, 0);
                rules.patterns.push((*pattern, node));
            }
            let Some(rest) = part.rest else { continue };
            let is_boolean = self.document.json.kind(rest) == Kind::Boolean;
            if is_boolean && self.document.json.is_true(rest) {
                continue;
            }
            let node = (!is_boolean).then(|| self.intern(&[rest], Place::Location, 0));
            let patterns = part.patterns.iter().map(|(pattern, _)| *pattern).collect();
            rules.rests.push(Rest { patterns, node, schema: part.schema });
        }
    }

    /// R2.3: no former name is a declared property, or of two properties; each alias names a declared property.
    fn check_aliases(&mut self) {
        let mut problems = Vec::new();
        for (index, alias) in self.aliases.iter().enumerate().skip(1) {
            let places: Vec<NodeId> = (0..self.keys.len() as NodeId)
                .filter(|id| self.keys.get(*id as usize).is_some_and(|key| key.alias as usize == index))
                .collect();
            let mut problem = |message: String| problems.push((alias.pointer.clone(), message));
            if places.is_empty() {
                problem("no object is declared there".to_owned());
            }
            let declares = |name: &str| places.iter().any(|id| self.declares_in_place(*id, name, 0));
            let mut seen: Vec<&str> = Vec::new();
            for (name, former) in &alias.names {
                if !declares(name) {
                    problem(format!("no property `{name}` is declared there"));
                }
                for former in former {
                    if declares(former) {
                        problem("a former name is a declared property".to_owned());
                    }
                    if seen.contains(&former.as_str()) || alias.names.iter().any(|(name, _)| name == former) {
                        problem("a former name is given twice, or leads to another".to_owned());
                    }
                    seen.push(former);
                }
            }
        }
        problems.dedup();
        for (pointer, message) in problems {
            self.defect(pointer, "alias", &format!("an alias does not fit the schema: {message}"));
        }
    }

    /// Whether some part in place declares the property.
    fn declares_in_place(&self, id: NodeId, name: &str, depth: usize) -> bool {
        let Some(node) = self.nodes.get(id as usize).filter(|_| depth < unions::IN_PLACE_DEPTH_MAX) else {
            return false;
        };
        let own = node
            .object
            .as_ref()
            .and_then(|object| object.prop(name))
            .is_some_and(|prop| prop.is_declared || prop.is_required);
        own || unions::in_place_of(node).any(|inner| self.declares_in_place(inner, name, depth + 1))
    }

    /// The validator of the whole document, where some place cannot be judged without the way that led to it.
    fn compile_whole(&mut self) -> Option<Opaque> {
        if !self.needs_whole || !self.defects.is_empty() {
            return None;
        }
        let whole = Opaque::compile(&self.document.to_value());
        if whole.is_none() {
            self.defect(String::new(), "schema", "the reference validator does not take the schema");
        }
        whole
    }

    fn into_schema(self, whole: Option<Opaque>) -> Schema {
        let is_root_alone = self.keys.first().is_some_and(|key| key.slots.len() == 1);
        Schema {
            is_root_alone,
            document: self.document,
            nodes: self.nodes,
            sources: self.keys.into_iter().map(|key| key.slots.into_vec().into_boxed_slice()).collect(),
            opaques: self.opaques,
            nothing: Node { kinds: Kinds::ALL, admits: Kinds::ALL, ..Node::default() },
            whole,
        }
    }
}

impl ObjectRules {
    fn is_empty(&self) -> bool {
        self.props.is_empty() && self.asks_of_names_alone() && self.closings.is_empty() && !self.evaluates_all
    }
}

/// Finds a name's place among the properties without scanning them.
#[derive(Default)]
struct Names {
    index: HashMap<String, u32>,
}

impl Names {
    fn note<'r>(&mut self, rules: &'r mut ObjectRules, name: &str) -> &'r mut Prop {
        let next = rules.props.len();
        let index = *self.index.entry(name.to_owned()).or_insert(next as u32) as usize;
        if index == next {
            rules.props.push(Prop {
                name: name.into(),
                spelling: Spelling::of(name),
                node: None,
                refused_by: None,
                is_declared: false,
                is_required: false,
            });
        }
        // Invariant: every index in the map is a place in `props`.
        #[expect(clippy::indexing_slicing, reason = "the name was noted on the lines above")]
        &mut rules.props[index]
    }

    fn index(&self, name: &str) -> u32 {
        self.index.get(name).copied().unwrap_or(0)
    }
}
