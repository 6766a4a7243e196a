//! Whether two nodes say the same, clause by clause.
//!
//! Under `not`, `if` and `oneOf` a set that is only larger or smaller helps nothing; there a clause of the advertised schema
//! is believed when the contract has the same one.

use crate::json::mix;
use crate::schema::{ANY, ArrayRules, Bound, Finite, NEVER, Node, NodeId, ObjectRules, Schemas};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs that one comparison looks at.
const PAIRS_MAX: usize = 20_000;
/// How deep a comparison goes; what is nested deeper counts as different.
const DEPTH_MAX: u32 = 250;

/// What is known of pairs of nodes.
#[derive(Default)]
pub(crate) struct Sameness {
    known: FxHashMap<(NodeId, NodeId), bool>,
    prints: FxHashMap<NodeId, u64>,
}

impl Sameness {
    /// Whether both nodes admit the same values because they say the same. "No" means only that they say it differently.
    pub(crate) fn same(&mut self, schemas: &Schemas<'_>, one: NodeId, other: NodeId) -> bool {
        if one == other {
            return schemas.node(one).opaque.is_none();
        }
        if let Some(known) = self.known.get(&(one, other)) {
            return *known;
        }
        if self.print(schemas, one, 0) != self.print(schemas, other, 0) {
            return false;
        }
        let mut walk = Walk { sameness: self, schemas, assumed: FxHashSet::default(), depth: 0 };
        let same = walk.nodes(one, other);
        let assumed = walk.assumed;
        if same {
            // Recursive schemas are the same when nothing tells them apart.
            self.known.extend(assumed.into_iter().map(|pair| (pair, true)));
        } else {
            self.known.insert((one, other), false);
        }
        same
    }

    /// A hash that nodes which say the same share. References all hash alike, so that recursion ends.
    pub(crate) fn print(&mut self, schemas: &Schemas<'_>, id: NodeId, depth: u32) -> u64 {
        if id <= NEVER {
            return u64::from(id);
        }
        if let Some(print) = self.prints.get(&id) {
            return *print;
        }
        if depth > 400 {
            return 0;
        }
        let node = schemas.node(id);
        let mut hash = mix(u64::from(node.kinds.bits()), node.reference.map_or(0, |_| 1));
        for values in &node.values {
            let sum = values.list.iter().fold(0u64, |sum, value| sum.wrapping_add(value.fingerprint()));
            hash = mix(hash, sum);
        }
        hash = mix(hash, node.low.as_ref().map_or(2, |bound| bound.value.fingerprint()));
        hash = mix(hash, node.high.as_ref().map_or(3, |bound| bound.value.fingerprint()));
        hash = mix(hash, node.pattern.map_or(4, u64::from));
        hash = mix(hash, node.length_min ^ node.length_max.unwrap_or(5));
        if let Some(array) = &node.array {
            hash = mix(hash, array.min ^ array.max.unwrap_or(6));
            for inner in &array.prefix {
                hash = mix(hash, self.print(schemas, *inner, depth + 1));
            }
            hash = mix(hash, array.items.map_or(7, |inner| self.print(schemas, inner, depth + 1)));
        }
        if let Some(object) = &node.object {
            let mut sum = object.required.iter().fold(8u64, |sum, name| sum.wrapping_add(u64::from(*name)));
            for (name, inner) in &object.properties {
                sum = sum.wrapping_add(mix(u64::from(*name), self.print(schemas, *inner, depth + 1)));
            }
            hash = mix(hash, sum);
            hash = mix(hash, object.rest.map_or(9, |inner| self.print(schemas, inner, depth + 1)));
        }
        for list in [Some(&node.all), node.any.as_ref(), node.one.as_ref()] {
            hash = mix(hash, 10);
            for inner in list.into_iter().flatten() {
                hash = mix(hash, self.print(schemas, *inner, depth + 1));
            }
        }
        hash = mix(hash, node.not.map_or(11, |inner| self.print(schemas, inner, depth + 1)));
        hash = mix(hash, node.condition.map_or(12, |condition| self.print(schemas, condition.test, depth + 1)));
        self.prints.insert(id, hash);
        hash
    }
}

struct Walk<'w, 's, 'd> {
    sameness: &'w mut Sameness,
    schemas: &'s Schemas<'d>,
    assumed: FxHashSet<(NodeId, NodeId)>,
    depth: u32,
}

impl<'d> Walk<'_, '_, 'd> {
    fn nodes(&mut self, one: NodeId, other: NodeId) -> bool {
        if one <= NEVER || other <= NEVER {
            return one == other;
        }
        match self.sameness.known.get(&(one, other)) {
            Some(known) => return *known,
            None if self.assumed.len() > PAIRS_MAX => return false,
            None if !self.assumed.insert((one, other)) => return true,
            None => {}
        }
        if self.sameness.print(self.schemas, one, 0) != self.sameness.print(self.schemas, other, 0) {
            return false;
        }
        if self.depth >= DEPTH_MAX {
            return false;
        }
        self.depth += 1;
        let same = self.clauses(self.schemas.node(one), self.schemas.node(other));
        self.depth -= 1;
        same
    }

    fn clauses(&mut self, one: &Node<'d>, other: &Node<'d>) -> bool {
        scalars(one, other)
            && one.opaque.is_none()
            && other.opaque.is_none()
            && self.option(one.reference, other.reference)
            && self.option(one.not, other.not)
            && self.lists(&one.all, &other.all)
            && self.optional_lists(one.any.as_ref(), other.any.as_ref())
            && self.optional_lists(one.one.as_ref(), other.one.as_ref())
            && match (one.condition, other.condition) {
                (None, None) => true,
                (Some(one), Some(other)) => {
                    self.nodes(one.test, other.test)
                        && self.nodes(one.then, other.then)
                        && self.nodes(one.other, other.other)
                }
                _ => false,
            }
            && self.arrays(one.array.as_deref(), other.array.as_deref())
            && self.objects(one.object.as_deref(), other.object.as_deref())
    }

    fn option(&mut self, one: Option<NodeId>, other: Option<NodeId>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => self.nodes(one, other),
            _ => false,
        }
    }

    fn lists(&mut self, one: &[NodeId], other: &[NodeId]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.nodes(*one, *other))
    }

    fn optional_lists(&mut self, one: Option<&Vec<NodeId>>, other: Option<&Vec<NodeId>>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => self.lists(one, other),
            _ => false,
        }
    }

    fn arrays(&mut self, one: Option<&ArrayRules>, other: Option<&ArrayRules>) -> bool {
        let silent = ArrayRules::default();
        let (one, other) = (one.unwrap_or(&silent), other.unwrap_or(&silent));
        let contains = match (one.contains, other.contains) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                (one.min, one.max, one.evaluates) == (other.min, other.max, other.evaluates)
                    && self.nodes(one.node, other.node)
            }
            _ => false,
        };
        contains
            && (one.min, one.max, one.unique) == (other.min, other.max, other.unique)
            && self.lists(&one.prefix, &other.prefix)
            && self.option(one.items, other.items)
            && self.option(one.unevaluated, other.unevaluated)
    }

    fn objects(&mut self, one: Option<&ObjectRules>, other: Option<&ObjectRules>) -> bool {
        let silent = ObjectRules::default();
        let (one, other) = (one.unwrap_or(&silent), other.unwrap_or(&silent));
        let unevaluated = match (one.unevaluated, other.unevaluated) {
            (None, None) => true,
            // The policy's closing and the keyword's know different names.
            (Some(one), Some(other)) => one.is_policy == other.is_policy && self.nodes(one.node, other.node),
            _ => false,
        };
        unevaluated
            && (one.min, one.max, one.evaluates_all) == (other.min, other.max, other.evaluates_all)
            && same_names(&one.required, &other.required)
            && one.properties.len() == other.properties.len()
            && one.patterns.len() == other.patterns.len()
            && one.dependent_names.len() == other.dependent_names.len()
            && one.dependent_schemas.len() == other.dependent_schemas.len()
            && one.dependent_names.iter().all(|(name, names)| {
                other.dependent_names.iter().any(|(known, others)| known == name && same_names(names, others))
            })
            && self.option(one.rest, other.rest)
            && self.option(one.names, other.names)
            && one.properties.iter().all(|(name, node)| self.option(Some(*node), other.property(*name)))
            && one.patterns.iter().all(|(pattern, node)| self.option(Some(*node), other.pattern(*pattern)))
            && one.dependent_schemas.iter().all(|(name, node)| {
                let found = other.dependent_schemas.iter().find(|(known, _)| known == name);
                self.option(Some(*node), found.map(|(_, node)| *node))
            })
    }
}

fn same_names(one: &[u32], other: &[u32]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
}

fn scalars(one: &Node<'_>, other: &Node<'_>) -> bool {
    let bounds = |one: &Option<Bound>, other: &Option<Bound>| one == other;
    one.kinds == other.kinds
        && one.values.len() == other.values.len()
        && one.values.iter().zip(&other.values).all(|(one, other)| same_values(one, other))
        && bounds(&one.low, &other.low)
        && bounds(&one.high, &other.high)
        && one.step == other.step
        && (one.length_min, one.length_max, one.pattern) == (other.length_min, other.length_max, other.pattern)
}

fn same_values(one: &Finite<'_>, other: &Finite<'_>) -> bool {
    let within = |one: &Finite<'_>, other: &Finite<'_>| one.list.iter().all(|value| other.contains(value));
    within(one, other) && within(other, one)
}

/// Whether a node plainly admits everything.
pub(crate) fn is_any(schemas: &Schemas<'_>, id: NodeId) -> bool {
    let node = schemas.node(id);
    id == ANY || (node.kinds == crate::kinds::Kinds::ALL && node.is_plain())
}
