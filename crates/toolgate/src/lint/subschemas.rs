//! The subschemas of a document, each with what it describes and its node of the arena.

use super::Place;
use crate::json::{Kind, Slot};
use crate::schema::document::{Form, SchemaDocument, form};
use crate::schema::{Node, NodeId, ROOT, Schema, in_place_of};
use std::collections::{HashMap, HashSet, VecDeque};

/// What a subschema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A value that a caller writes: the arguments, a property, an item.
    Field,
    /// Every key that is not declared, every item that is not placed.
    Rest,
    /// A part of what stands around it, or a definition that others refer to.
    Part,
}

/// One subschema of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subschema {
    pub(super) slot: Slot,
    pub(super) role: Role,
}

/// All subschemas of a document that compiled.
pub(super) struct Subschemas<'s> {
    pub(super) schema: &'s Schema,
    /// In document order.
    pub(super) list: Vec<Subschema>,
    roles: HashMap<Slot, Role>,
    /// For each subschema the node that says the least beside it.
    nodes: HashMap<Slot, NodeId>,
}

impl<'s> Subschemas<'s> {
    pub(super) fn of(schema: &'s Schema) -> Self {
        let mut walk = Walk { document: &schema.document, list: Vec::new() };
        walk.enter(0, Role::Field);
        let roles = walk.list.iter().map(|subschema| (subschema.slot, subschema.role)).collect();
        Subschemas { schema, list: walk.list, roles, nodes: narrowest_nodes(schema) }
    }

    /// The node of a subschema; `None` for one that nothing refers to.
    pub(super) fn node(&self, slot: Slot) -> Option<(NodeId, &'s Node)> {
        self.nodes.get(&slot).map(|id| (*id, self.schema.node(*id)))
    }

    /// The subschema by which a node is known: the field that it describes, else its first.
    pub(super) fn name_of(&self, id: NodeId) -> Slot {
        let sources = self.schema.sources(id);
        let is_field = |slot: &&Slot| self.roles.get(slot) == Some(&Role::Field);
        sources.iter().find(is_field).or(sources.first()).copied().unwrap_or(0)
    }

    /// The place of a keyword of a subschema, or of the subschema itself. Found by a walk, so asked for only where it is shown.
    pub(super) fn place(&self, slot: Slot, keyword: &str) -> Place {
        Place::Schema(self.schema.pointer(slot, keyword))
    }

    /// Every node that describes a whole value, and no part of one; each once.
    pub(super) fn values(&self) -> Vec<NodeId> {
        let mut values = vec![ROOT];
        let mut known = HashSet::from([ROOT]);
        // Each node is looked into once, however many values it is a part of.
        let mut todo = VecDeque::from([ROOT]);
        let mut seen = HashSet::from([ROOT]);
        while let Some(id) = todo.pop_front() {
            let node = self.schema.node(id);
            todo.extend(in_place_of(node).filter(|part| seen.insert(*part)));
            for value in inside(node).filter(|value| known.insert(*value)) {
                values.push(value);
                if seen.insert(value) {
                    todo.push_back(value);
                }
            }
        }
        values
    }
}

/// The nodes of the values inside a value.
fn inside(node: &Node) -> impl Iterator<Item = NodeId> + '_ {
    let object = node.object.iter().flat_map(|object| {
        let props = object.props.iter().filter_map(|prop| prop.node);
        let patterns = object.patterns.iter().map(|(_, id)| *id);
        let rests = object.rests.iter().filter_map(|rest| rest.node);
        props.chain(patterns).chain(rests).chain(object.closings.iter().filter_map(|closing| closing.node))
    });
    let array = node.array.iter().flat_map(|array| {
        let items = array.prefix.iter().copied().chain(std::iter::once(array.items)).flatten();
        items.chain(array.unevaluated.iter().map(|rule| rule.node))
    });
    object.chain(array)
}

fn narrowest_nodes(schema: &Schema) -> HashMap<Slot, NodeId> {
    let mut nodes: HashMap<Slot, NodeId> = HashMap::new();
    for id in schema.ids() {
        let width = schema.sources(id).len();
        for slot in schema.sources(id) {
            let known = nodes.entry(*slot).or_insert(id);
            if schema.sources(*known).len() > width {
                *known = id;
            }
        }
    }
    nodes
}

struct Walk<'s> {
    document: &'s SchemaDocument,
    list: Vec<Subschema>,
}

impl Walk<'_> {
    fn enter(&mut self, slot: Slot, role: Role) {
        self.list.push(Subschema { slot, role });
        let document = self.document;
        let json = &document.json;
        if json.kind(slot) != Kind::Object {
            return;
        }
        // Up to draft-07, keywords beside `$ref` are ignored, and definitions are still found.
        let is_reference = !document.dialect.ref_has_siblings() && json.member(slot, "$ref").is_some();
        for (name, value) in json.members(slot) {
            let keyword = json.string(name);
            if !is_reference || matches!(&*keyword, "definitions" | "$defs") {
                self.keyword(&keyword, form(&keyword, document.dialect, document.origin), value);
            }
        }
    }

    fn keyword(&mut self, keyword: &str, form: Form, value: Slot) {
        let json = &self.document.json;
        let role = match keyword {
            "properties" | "items" | "prefixItems" | "patternProperties" => Role::Field,
            "additionalProperties" | "additionalItems" | "unevaluatedProperties" | "unevaluatedItems" => Role::Rest,
            _ => Role::Part,
        };
        match form {
            Form::Schema | Form::SchemaOrBoolean => self.enter(value, role),
            Form::SchemaOrList | Form::SchemaList if json.kind(value) == Kind::Array => {
                json.items(value).for_each(|item| self.enter(item, role));
            }
            Form::SchemaOrList => self.enter(value, role),
            Form::SchemaMap | Form::PatternMap | Form::Dependencies => {
                let schemas = json.members(value).filter(|(_, value)| json.kind(*value) != Kind::Array);
                schemas.for_each(|(_, value)| self.enter(value, role));
            }
            _ => {}
        }
    }
}
