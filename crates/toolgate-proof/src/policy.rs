//! The contract as it is meant: closed where the policy for unknown keys closes it (R3), and without what the judge leaves
//! to the server.

use crate::kinds::Kinds;
use crate::options::UnknownKeys;
use crate::read::Document;
use crate::schema::{ANY, NEVER, Node, NodeId, ObjectRules, Place, Schemas, Tail, Unevaluated};
use rustc_hash::{FxHashMap, FxHashSet};

/// The root of the effective contract: what the document says, closed by the policy, and met with the kinds that the whole
/// value can have (arguments are an object).
pub(crate) fn effective(schemas: &mut Schemas<'_>, document: &Document, policy: UnknownKeys, kinds: Kinds) -> NodeId {
    if document.is_widened {
        forget_what_narrows(schemas);
    }
    let mut closing = Closing { schemas, document, wrapped: FxHashMap::default() };
    if policy == UnknownKeys::CloseDeclared {
        closing.close_locations();
    }
    let says_nothing = document.root > NEVER && !document.outspoken.contains(&document.root);
    let closes = policy != UnknownKeys::AsWritten && says_nothing;
    let mut root = Node { all: vec![document.root], ..Node::of_kinds(kinds) };
    if closes {
        root.object = Some(Box::new(refusing()));
    }
    closing.schemas.push(root, Place { document: 0, parent: Some(document.root), tail: Tail::Contract })
}

fn refusing() -> ObjectRules {
    ObjectRules { unevaluated: Some(Unevaluated { node: NEVER, is_policy: true }), ..ObjectRules::default() }
}

struct Closing<'s, 'd> {
    schemas: &'s mut Schemas<'d>,
    document: &'s Document,
    /// A schema as a location of its own, closed, by the schema.
    wrapped: FxHashMap<NodeId, NodeId>,
}

impl Closing<'_, '_> {
    /// Closes every location that declares properties and is silent about others. A location is a place of a value of its
    /// own; schemas that apply in place belong to the location that they apply at.
    fn close_locations(&mut self) {
        let closable: FxHashSet<NodeId> = self.schemas.ids().filter(|id| self.is_closable(*id)).collect();
        for id in self.schemas.ids() {
            let below = self.schemas.node(id).below();
            for place in below.iter().filter(|place| closable.contains(place)) {
                self.wrap(*place);
            }
        }
        let wrapped = &self.wrapped;
        let swap = |node: &mut NodeId| *node = wrapped.get(node).copied().unwrap_or(*node);
        for id in self.schemas.ids() {
            let node = self.schemas.node_mut(id);
            if let Some(array) = &mut node.array {
                array.prefix.iter_mut().chain(&mut array.items).chain(&mut array.unevaluated).for_each(swap);
                array.contains.iter_mut().for_each(|contains| swap(&mut contains.node));
            }
            if let Some(object) = &mut node.object {
                object.properties.iter_mut().for_each(|(_, node)| swap(node));
                object.patterns.iter_mut().for_each(|(_, node)| swap(node));
                object.rest.iter_mut().for_each(swap);
                object.unevaluated.iter_mut().for_each(|unevaluated| swap(&mut unevaluated.node));
                object.seal();
            }
        }
    }

    fn is_closable(&self, id: NodeId) -> bool {
        id > NEVER && !self.document.outspoken.contains(&id) && self.declares(id)
    }

    /// Whether the schema, or any that it brings in place, declares a property.
    fn declares(&self, id: NodeId) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![id]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.schemas.node(id);
            if node.object.as_ref().is_some_and(|object| !object.properties.is_empty()) {
                return true;
            }
            open.extend(node.in_place().filter(|inner| Some(*inner) != node.not));
        }
        false
    }

    fn wrap(&mut self, id: NodeId) {
        if !self.wrapped.contains_key(&id) {
            let node = Node { all: vec![id], object: Some(Box::new(refusing())), ..Node::any() };
            let wrapper = self.schemas.push(node, Place { document: 0, parent: Some(id), tail: Tail::Closed });
            self.wrapped.insert(id, wrapper);
        }
    }
}

/// A schema that admits more than what was written must not stand where more means less: under `not`, under `if`, as the
/// most that `contains` allows, as one of several of which exactly one holds. Such a keyword is taken as absent too.
fn forget_what_narrows(schemas: &mut Schemas<'_>) {
    let widened = reaching_widened(schemas);
    for id in schemas.ids() {
        let node = schemas.node_mut(id);
        let is_widened = |inner: &NodeId| widened.contains(inner);
        let mut forgets = false;
        if node.not.as_ref().is_some_and(is_widened) {
            node.not = None;
        }
        if node.condition.is_some_and(|condition| widened.contains(&condition.test)) {
            node.condition = None;
            forgets = true;
        }
        if node.one.iter().flatten().any(is_widened) {
            // That one of them holds is still so.
            let members = node.one.take().unwrap_or_default();
            match node.any {
                None => node.any = Some(members),
                Some(_) => forgets = true,
            }
        }
        if let Some(contains) = node.array.as_mut().and_then(|array| array.contains.as_mut())
            && widened.contains(&contains.node)
        {
            contains.max = None;
        }
        // Which items count as evaluated cannot be told any more either.
        if let Some(unevaluated) = node.array.as_mut().and_then(|array| array.unevaluated.as_mut()) {
            *unevaluated = ANY;
        }
        if forgets {
            node.object.get_or_insert_default().evaluates_all = true;
        }
    }
}

/// Every node from which a widened one can be reached.
fn reaching_widened(schemas: &Schemas<'_>) -> FxHashSet<NodeId> {
    let mut above: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for id in schemas.ids() {
        let node = schemas.node(id);
        for inner in node.in_place().chain(node.below()) {
            above.entry(inner).or_default().push(id);
        }
    }
    let mut found: FxHashSet<NodeId> = FxHashSet::default();
    let mut open: Vec<NodeId> = schemas.ids().filter(|id| schemas.node(*id).widened).collect();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(above.get(&id).into_iter().flatten());
        }
    }
    found
}
