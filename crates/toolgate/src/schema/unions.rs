//! What is known of the arena only once all nodes are there: in-place cycles, unions that are one list of values, unions
//! in unions, the kinds a node can admit, tags, and nodes that admit nothing.

use super::build::{Builder, Place};
use super::kinds::Kinds;
use super::values::{Values, kind_of, same, shown_words};
use super::{Closing, Node, NodeId, ROOT, Tag, Union, UnionOp};
use crate::contract::UnknownKeys;
use crate::json::{Document, Kind, Slot};
use std::collections::HashSet;

/// Steps in place, from a location through unions and conditions, that one value may take. Deeper schemas are refused:
/// judging recurses along them.
pub(super) const IN_PLACE_DEPTH_MAX: usize = 64;

/// Nodes that speak of the same value as `node`.
pub(crate) fn in_place_of(node: &Node) -> impl Iterator<Item = NodeId> + '_ {
    let unions = node.unions.iter().flat_map(|union| union.members.iter().copied());
    let conditions = node
        .conditions
        .iter()
        .flat_map(|condition| std::iter::once(condition.test).chain(condition.then).chain(condition.otherwise));
    let nots = node.nots.iter().map(|(inner, _)| *inner);
    let dependents = node.object.iter().flat_map(|object| object.dependent_schemas.iter().map(|(_, inner)| *inner));
    unions.chain(conditions).chain(nots).chain(dependents)
}

pub(super) fn finish(builder: &mut Builder) {
    let Some(order) = in_place_order(builder) else { return };
    for id in &order {
        merge_finite_members(builder, *id);
        flatten(builder, *id);
        merge_nullable(builder, *id);
        set_kinds(builder, *id);
    }
    // Merging made nodes of its own.
    for id in order.len() as NodeId..builder.nodes.len() as NodeId {
        set_kinds(builder, id);
    }
    mark_dead(builder);
    for id in 0..builder.nodes.len() as NodeId {
        find_tags(builder, id);
        close_declared(builder, id);
    }
    for node in &mut builder.nodes {
        node.is_simple = node.says_kinds_alone();
    }
    check_root(builder);
}

/// All nodes, each after those in place of it. `None`, with a defect, where there is a cycle or too long a way.
fn in_place_order(builder: &mut Builder) -> Option<Vec<NodeId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(usize),
    }
    let mut states = vec![State::New; builder.nodes.len()];
    let mut order = Vec::with_capacity(builder.nodes.len());
    for start in 0..builder.nodes.len() as NodeId {
        let mut todo = vec![(start, false)];
        while let Some((id, is_leaving)) = todo.pop() {
            let state = states.get(id as usize).copied().unwrap_or(State::Done(0));
            let node = builder.nodes.get(id as usize)?;
            if is_leaving {
                let depth = in_place_of(node).map(|inner| match states.get(inner as usize) {
                    Some(State::Done(depth)) => depth + 1,
                    _ => 1,
                });
                let depth = depth.max().unwrap_or(0);
                if depth > IN_PLACE_DEPTH_MAX {
                    return refuse(
                        builder,
                        id,
                        "limit",
                        "the schema nests unions or conditions too deep for one value",
                    );
                }
                if let Some(state) = states.get_mut(id as usize) {
                    *state = State::Done(depth);
                }
                order.push(id);
                continue;
            }
            match state {
                State::Done(_) => {}
                State::Open => {}
                State::New => {
                    if let Some(state) = states.get_mut(id as usize) {
                        *state = State::Open;
                    }
                    todo.push((id, true));
                    let inner: Vec<_> = in_place_of(node).collect();
                    for inner in inner {
                        match states.get(inner as usize) {
                            Some(State::Open) => {
                                return refuse(
                                    builder,
                                    id,
                                    "cycle",
                                    "the schema refers to itself without a value in between",
                                );
                            }
                            Some(State::New) => todo.push((inner, false)),
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    Some(order)
}

fn refuse(builder: &mut Builder, id: NodeId, code: &str, message: &str) -> Option<Vec<NodeId>> {
    let node = builder.nodes.get(id as usize);
    let schema = node.and_then(|node| node.unions.first()).map_or(0, |union| union.schema);
    let pointer = builder.document.pointer(schema, "");
    builder.defect(pointer, code, message);
    None
}

impl Node {
    /// Whether listed values are all that it says.
    fn is_finite(&self) -> bool {
        self.values.len() == 1 && !self.has_rules() && !self.has_whole() && self.never.is_none()
    }

    /// Whether one union, all of whose members stand alone, is all that it says.
    fn is_plain_union(&self) -> bool {
        self.unions.len() == 1
            && self.types.is_empty()
            && self.values.is_empty()
            && !self.has_rules()
            && self.conditions.is_empty()
            && self.nots.is_empty()
            && self.opaques.is_empty()
            && self.never.is_none()
            && !self.is_secret
    }
}

/// Members that list values are one list (R9.3).
fn merge_finite_members(builder: &mut Builder, id: NodeId) {
    let count = builder.nodes.get(id as usize).map_or(0, |node| node.unions.len());
    for index in (0..count).rev() {
        merge_finite_union(builder, id, index);
    }
}

fn merge_finite_union(builder: &mut Builder, id: NodeId, index: usize) {
    let Some(union) = builder.nodes.get(id as usize).and_then(|node| node.unions.get(index)) else { return };
    let (op, keyword, schema) = (union.op, union.keyword, union.schema);
    let node_of = |member: &NodeId| builder.nodes.get(*member as usize);
    let (finite, others): (Vec<NodeId>, Vec<NodeId>) =
        union.members.iter().partition(|member| node_of(member).is_some_and(Node::is_finite));
    if finite.len() < 2 {
        return;
    }
    let json = &builder.document.json;
    let mut slots: Vec<Slot> = Vec::new();
    let mut known = HashSet::new();
    let mut is_secret = false;
    for node in finite.iter().filter_map(node_of) {
        is_secret |= node.is_secret;
        for slot in node.values.iter().flat_map(|values| values.slots.iter().copied()) {
            if !node.kinds.meets(kind_of(json, slot)) {
                continue;
            }
            let is_repeated = !known.insert(super::values::fingerprint(json, slot))
                && slots.iter().any(|other| same(json, *other, json, slot));
            if is_repeated && op == UnionOp::One {
                return;
            }
            if !is_repeated {
                slots.push(slot);
            }
        }
    }
    // Of a list shorter than the union, `oneOf` over the rest stays exact: the lists share no value.
    let values = Values::new(&builder.document, slots, keyword, schema);
    if !builder.spend(values.slots.len()) {
        return;
    }
    if others.is_empty() {
        if let Some(node) = builder.nodes.get_mut(id as usize) {
            node.unions.remove(index);
            node.is_secret |= is_secret;
            node.named &= values.kinds;
            if node.named == Kinds::NONE {
                node.named = values.kinds;
            }
            node.values.push(values);
        }
        return;
    }
    let merged = builder.nodes.len() as NodeId;
    let kinds = values.kinds;
    builder.push_made(Node {
        kinds: Kinds::ALL,
        admits: Kinds::ALL,
        named: kinds,
        values: vec![values],
        is_secret,
        ..Node::default()
    });
    if let Some(union) = builder.nodes.get_mut(id as usize).and_then(|node| node.unions.get_mut(index)) {
        union.members = std::iter::once(merged).chain(others).collect();
    }
    set_kinds(builder, merged);
}

/// `anyOf` in `anyOf` is one `anyOf`, and so is a `oneOf` whose members cannot meet (R9.3: two spellings, one verdict).
fn flatten(builder: &mut Builder, id: NodeId) {
    let count = builder.nodes.get(id as usize).map_or(0, |node| node.unions.len());
    for index in 0..count {
        let Some(union) = builder.nodes.get(id as usize).and_then(|node| node.unions.get(index)) else { return };
        if union.op == UnionOp::One && !are_disjoint(builder, id, union) {
            continue;
        }
        let mut members = Vec::with_capacity(union.members.len());
        for member in &union.members {
            let inner = builder.nodes.get(*member as usize).filter(|node| node.is_plain_union());
            match inner.and_then(|node| node.unions.first()).filter(|union| union.op == UnionOp::Any) {
                Some(inner) => members.extend(inner.members.iter().copied()),
                None => members.push(*member),
            }
        }
        let mut seen = HashSet::new();
        members.retain(|member| seen.insert(*member));
        if !builder.spend(members.len()) {
            return;
        }
        if let Some(union) = builder.nodes.get_mut(id as usize).and_then(|node| node.unions.get_mut(index)) {
            union.op = UnionOp::Any;
            union.members = members;
        }
    }
}

/// A union of one form with null is that form with one more kind: `anyOf: [T, {type: null}]` is a type list (R9.3).
fn merge_nullable(builder: &mut Builder, id: NodeId) {
    let Some(node) = builder.nodes.get(id as usize).filter(|node| node.is_plain_union()) else { return };
    let Some([first, second]) = node.unions.first().map(|union| union.members.as_slice()) else { return };
    let node_of = |member: &NodeId| builder.nodes.get(*member as usize);
    let is_null = |node: &Node| node.is_kinds_only() && node.kinds == Kinds::NULL;
    let form = match (node_of(first), node_of(second)) {
        (Some(form), Some(null)) | (Some(null), Some(form)) if is_null(null) => form,
        _ => return,
    };
    let is_plain = !form.types.is_empty()
        && !form.kinds.meets(Kinds::NULL)
        && form.values.is_empty()
        && !form.has_choices()
        && form.nots.is_empty()
        && form.opaques.is_empty()
        && form.never.is_none()
        && !form.is_dynamic;
    if !is_plain {
        return;
    }
    let (kinds, types, is_secret) = (form.kinds | Kinds::NULL, form.types.clone(), form.is_secret);
    let (number, string, array, object) =
        (form.number.clone(), form.string.clone(), form.array.clone(), form.object.clone());
    if let Some(node) = builder.nodes.get_mut(id as usize) {
        node.unions.clear();
        node.kinds = kinds;
        node.named = kinds;
        node.types = types.into_iter().map(|(kinds, schema)| (kinds | Kinds::NULL, schema)).collect();
        node.is_secret |= is_secret;
        (node.number, node.string, node.array, node.object) = (number, string, array, object);
    }
}

fn are_disjoint(builder: &Builder, id: NodeId, union: &Union) -> bool {
    let mut taken = Kinds::NONE;
    let mut objects = 0;
    for member in &union.members {
        let Some(node) = builder.nodes.get(*member as usize) else { return false };
        let kinds = node.admits.without(Kinds::OBJECT);
        if taken.meets(kinds) {
            return false;
        }
        taken |= kinds;
        objects += usize::from(node.admits.meets(Kinds::OBJECT));
    }
    objects < 2 || tag_of(builder, id, union).is_some()
}

fn set_kinds(builder: &mut Builder, id: NodeId) {
    let Some(node) = builder.nodes.get(id as usize) else { return };
    let mut admits = node.kinds;
    let mut named = node.named;
    for values in &node.values {
        admits &= values.kinds;
    }
    for union in &node.unions {
        let of = |part: fn(&Node) -> Kinds| {
            let members = union.members.iter().filter_map(|member| builder.nodes.get(*member as usize));
            members.fold(Kinds::NONE, |kinds, node| kinds | part(node))
        };
        admits &= of(|node| node.admits);
        let members_named = of(|node| node.named);
        named = if named == Kinds::NONE { members_named } else { named & (members_named | of(|node| node.admits)) };
    }
    for (inner, _) in &node.nots {
        if let Some(inner) = builder.nodes.get(*inner as usize).filter(|inner| inner.is_kinds_only()) {
            admits = admits.without(inner.kinds);
        }
    }
    if node.never.is_some() {
        admits = Kinds::NONE;
    }
    if let Some(node) = builder.nodes.get_mut(id as usize) {
        node.admits = admits;
        node.named = named & admits;
    }
}

impl Node {
    /// Whether `type` is all that it says.
    fn is_kinds_only(&self) -> bool {
        !self.types.is_empty() && self.values.is_empty() && !self.has_rules() && !self.has_whole()
    }

    /// The scalar values that are all it admits.
    fn finite_scalars(&self, builder: &Builder) -> Option<Vec<Slot>> {
        let values = self.values.first()?;
        let json = &builder.document.json;
        let scalars = values.slots.iter().copied().filter(|slot| self.kinds.meets(kind_of(json, *slot)));
        let scalars: Vec<_> = scalars.collect();
        let all_scalar = scalars.iter().all(|slot| !matches!(json.kind(*slot), Kind::Array | Kind::Object));
        (all_scalar && !scalars.is_empty()).then_some(scalars)
    }
}

/// Marks nodes that admit no value at all: the least fixpoint of "has a value", which is also how recursion without an end
/// is found out.
fn mark_dead(builder: &mut Builder) {
    /// Passes until nothing changes; a schema that needs more keeps the benefit of the doubt.
    const PASSES_MAX: usize = 64;
    let mut alive = vec![false; builder.nodes.len()];
    for pass in 0..=PASSES_MAX {
        let mut changed = false;
        for id in (0..builder.nodes.len()).rev() {
            let Some(node) = builder.nodes.get(id) else { continue };
            let is_alive = pass == PASSES_MAX
                || has_value(node, &builder.document.json, &|inner| alive.get(inner as usize).copied().unwrap_or(true));
            if let Some(state) = alive.get_mut(id).filter(|state| !**state && is_alive) {
                *state = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for (node, alive) in builder.nodes.iter_mut().zip(alive) {
        node.is_dead = !alive;
    }
}

fn has_value(node: &Node, json: &Document<'_>, alive: &dyn Fn(NodeId) -> bool) -> bool {
    let choices = node.unions.iter().all(|union| union.members.iter().any(|member| alive(*member)));
    if node.never.is_some() || node.admits.is_empty() || !choices {
        return false;
    }
    if !node.values.is_empty() {
        let fits = |slot: &Slot| node.admits.meets(kind_of(json, *slot));
        return node.values.iter().all(|values| values.slots.iter().any(fits));
    }
    let scalars = Kinds::NULL | Kinds::BOOLEAN | Kinds::NUMBER | Kinds::STRING;
    node.admits.meets(scalars)
        || node.admits.meets(Kinds::ARRAY) && has_array(node, alive)
        || node.admits.meets(Kinds::OBJECT) && has_object(node, alive)
}

fn has_array(node: &Node, alive: &dyn Fn(NodeId) -> bool) -> bool {
    let Some(array) = &node.array else { return true };
    let min = array.min.map_or(0, |(min, _)| min);
    let needed = usize::try_from(min).unwrap_or(usize::MAX).min(array.prefix.len() + 1);
    (0..needed).all(|index| array.item(index).is_none_or(alive))
}

fn has_object(node: &Node, alive: &dyn Fn(NodeId) -> bool) -> bool {
    let Some(object) = &node.object else { return true };
    object
        .required
        .iter()
        .filter_map(|(index, _)| object.props.get(*index as usize))
        .all(|prop| prop.refused_by.is_none() && prop.node.is_none_or(alive))
}

fn find_tags(builder: &mut Builder, id: NodeId) {
    let count = builder.nodes.get(id as usize).map_or(0, |node| node.unions.len());
    for index in 0..count {
        let Some(union) = builder.nodes.get(id as usize).and_then(|node| node.unions.get(index)) else { return };
        let tag = tag_of(builder, id, union);
        if let Some(union) = builder.nodes.get_mut(id as usize).and_then(|node| node.unions.get_mut(index)) {
            union.tag = tag;
        }
    }
}

/// The key that tells the object members of a union apart: required in every one, by the member or by the node that holds
/// the union, and with values that no two members share. First in the order of the first member's properties.
fn tag_of(builder: &Builder, id: NodeId, union: &Union) -> Option<Tag> {
    let base = builder.nodes.get(id as usize)?;
    let mut members: Vec<(NodeId, &Node)> = Vec::new();
    for member in &union.members {
        let node = builder.nodes.get(*member as usize)?;
        if node.admits.meets(Kinds::OBJECT) && !node.is_dead {
            members.push((*member, node));
        }
    }
    let (_, first) = members.first()?;
    if members.len() < 2 {
        return None;
    }
    let is_required = |node: &Node, key: &str| {
        let requires =
            |node: &Node| node.object.as_ref().and_then(|object| object.prop(key)).is_some_and(|prop| prop.is_required);
        requires(node) || requires(base)
    };
    let candidates = first.object.as_ref()?.props.iter().map(|prop| &prop.name);
    for key in candidates.filter(|key| is_required(first, key)) {
        if !members.iter().all(|(_, node)| is_required(node, key)) {
            continue;
        }
        if let Some(table) = tag_table(builder, &members, key) {
            let json = &builder.document.json;
            let strings = table.iter().filter(|(slot, _)| json.kind(*slot) == Kind::String);
            let mut words: Vec<(Box<str>, NodeId)> =
                strings.map(|(slot, member)| (json.string(*slot).into(), *member)).collect();
            words.sort_unstable();
            let shown = shown_words(json, table.iter().map(|(slot, _)| *slot));
            return Some(Tag { key: key.clone(), table, words, shown });
        }
    }
    None
}

fn tag_table(builder: &Builder, members: &[(NodeId, &Node)], key: &str) -> Option<Vec<(Slot, NodeId)>> {
    let json = &builder.document.json;
    let mut table: Vec<(Slot, NodeId)> = Vec::new();
    let mut known = HashSet::new();
    for (id, node) in members {
        let value = node.object.as_ref()?.prop(key)?.node?;
        let scalars = builder.nodes.get(value as usize)?.finite_scalars(builder)?;
        for slot in scalars {
            let is_new = known.insert(super::values::fingerprint(json, slot));
            let is_shared = !is_new && table.iter().any(|(other, owner)| owner != id && same(json, *other, json, slot));
            if is_shared {
                return None;
            }
            table.push((slot, *id));
        }
    }
    Some(table)
}

/// R3.2: under `close-declared`, a location that declares properties and is silent about others refuses them.
fn close_declared(builder: &mut Builder, id: NodeId) {
    let is_location = builder.keys.get(id as usize).is_some_and(|key| key.place == Place::Location);
    if builder.unknown_keys != UnknownKeys::CloseDeclared || !is_location || !builder.is_silent_node(id) {
        return;
    }
    let schema = 0;
    if declares_any(builder, id, 0)
        && let Some(node) = builder.nodes.get_mut(id as usize)
    {
        let object = node.object.get_or_insert_default();
        object.closings.push(Closing { scope: id, node: None, is_policy: true, schema });
    }
}

fn declares_any(builder: &Builder, id: NodeId, depth: usize) -> bool {
    let Some(node) = builder.nodes.get(id as usize).filter(|_| depth < IN_PLACE_DEPTH_MAX) else { return false };
    // What a value may not be declares nothing (R3.4).
    let is_not = |inner: &NodeId| node.nots.iter().any(|(not, _)| not == inner);
    node.object.as_ref().is_some_and(|object| object.props.iter().any(|prop| prop.is_declared))
        || in_place_of(node).filter(|inner| !is_not(inner)).any(|inner| declares_any(builder, inner, depth + 1))
}

fn check_root(builder: &mut Builder) {
    let Some(root) = builder.nodes.get(ROOT as usize) else { return };
    if !root.admits.meets(Kinds::OBJECT) {
        builder.defect(String::new(), "root", "arguments are an object, and the schema admits none");
    } else if root.is_dead {
        builder.defect(String::new(), "root", "no arguments can satisfy the schema");
    }
}
