//! A schema document as an arena of nodes that reading, judging, projecting and proving walk.
//!
//! A node is a conjunction: everything that the document says *in place* about one location, `$ref` and `allOf` merged in
//! conjunct by conjunct, unions and conditions kept as clauses that point to other nodes. Nodes are shared: two places
//! with the same conjuncts are one node, which is also how recursion ends. Each rule remembers the subschema it came from,
//! so that a violation can name its keyword.
//!
//! `document` walks the text and checks its form, `build` makes the nodes, `unions` finds tags, kinds, dead members and
//! in-place cycles.

mod build;
pub(crate) mod document;
pub(crate) mod kinds;
pub(crate) mod opaque;
pub(crate) mod pattern;
pub(crate) mod spelling;
mod unions;
pub(crate) mod values;

pub(crate) use build::compile;
pub(crate) use unions::in_place_of;

use crate::json::Slot;
use crate::refusal::ShownWord;
use document::SchemaDocument;
use kinds::Kinds;
use opaque::Opaque;
use pattern::Pattern;
use spelling::Spelling;
use std::sync::Arc;
use values::Values;

/// A node of the arena, by number.
pub(crate) type NodeId = u32;

/// A compiled schema document.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) document: SchemaDocument,
    nodes: Vec<Node>,
    /// The subschemas that each node is the conjunction of: what is annotated there.
    sources: Vec<Box<[Slot]>>,
    opaques: Vec<Opaque>,
    /// Whether the root is one subschema, with nothing brought in place by `$ref` or `allOf`.
    pub(crate) is_root_alone: bool,
    /// Stands in for a node that does not exist; admits everything.
    nothing: Node,
    /// Where a judgement depends on the way that led to a place, the whole document judges as well.
    pub(crate) whole: Option<Opaque>,
}

/// Of the arguments object.
pub(crate) const ROOT: NodeId = 0;

impl Schema {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id as usize).unwrap_or(&self.nothing)
    }

    /// All nodes, in the order in which they were made.
    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        0..NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// The subschemas of which a node is the conjunction, in document order.
    pub(crate) fn sources(&self, id: NodeId) -> &[Slot] {
        self.sources.get(id as usize).map_or(&[], |slots| slots)
    }

    /// Whether some place other than the arguments themselves has the form of the whole document.
    pub(crate) fn refers_to_root(&self) -> bool {
        self.sources.iter().skip(1).any(|slots| slots.contains(&0))
    }

    pub(crate) fn pattern(&self, id: u32) -> Option<&Pattern> {
        self.document.compiled_patterns.get(id as usize)
    }

    pub(crate) fn opaque(&self, id: u32) -> Option<&Opaque> {
        self.opaques.get(id as usize)
    }

    /// Whether some part in place mentions the name of an argument.
    pub(crate) fn declares_at_root(&self, name: &str) -> bool {
        self.in_place(ROOT).any(|id| self.node(id).object.as_ref().is_some_and(|object| object.prop(name).is_some()))
    }

    /// The names that the arguments object declares.
    pub(crate) fn names_at_root(&self) -> impl Iterator<Item = &str> {
        let objects = self.in_place(ROOT).filter_map(|id| self.node(id).object.as_ref());
        objects.flat_map(|object| &object.props).filter(|prop| prop.is_declared).map(|prop| &*prop.name)
    }

    /// A node and all that speak of the same value, each once.
    pub(crate) fn in_place(&self, start: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut todo = vec![start];
        let mut seen = std::collections::HashSet::from([start]);
        std::iter::from_fn(move || {
            let id = todo.pop()?;
            todo.extend(in_place_of(self.node(id)).filter(|inner| seen.insert(*inner)));
            Some(id)
        })
    }

    pub(crate) fn pointer(&self, schema: Slot, keyword: &str) -> String {
        self.document.pointer(schema, keyword)
    }
}

/// Everything that is said in place about one location. All parts are conjuncts.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// A schema `false`, or an intersection of kinds that is empty.
    pub(crate) never: Option<Slot>,
    /// Kinds by `type` alone.
    pub(crate) kinds: Kinds,
    /// The subschemas that say `type`, with what each says.
    pub(crate) types: Vec<(Kinds, Slot)>,
    /// Kinds that can be admitted: `kinds`, the values listed, and the members of every union.
    pub(crate) admits: Kinds,
    /// Kinds that are named by a type list, a listed value or a member of a union, as against merely not excluded (R5.1).
    pub(crate) named: Kinds,
    pub(crate) values: Vec<Values>,
    pub(crate) number: Option<Box<NumberRules>>,
    pub(crate) string: Option<Box<StringRules>>,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    pub(crate) unions: Vec<Union>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) nots: Vec<(NodeId, Slot)>,
    /// Parts judged as a whole by the reference validator.
    pub(crate) opaques: Vec<(u32, Slot)>,
    pub(crate) has_default: bool,
    /// A dynamic reference stands here: what it evaluates is known to the whole document's validator alone.
    pub(crate) is_dynamic: bool,
    /// `writeOnly` or `format: password`: its words are not shown (R6.3).
    pub(crate) is_secret: bool,
    /// No value is admitted, found by the fixpoint over the whole arena.
    pub(crate) is_dead: bool,
    /// `kinds` is all there is to judge, and nothing that R5 speaks of is named.
    pub(crate) is_simple: bool,
}

impl Node {
    /// Whether other nodes speak of the same value, one of which may have to be chosen.
    pub(crate) fn has_choices(&self) -> bool {
        !self.unions.is_empty() || !self.conditions.is_empty()
    }

    /// Whether something is asked of numbers, strings, arrays or objects beyond their kind.
    pub(crate) fn has_rules(&self) -> bool {
        self.number.is_some() || self.string.is_some() || self.array.is_some() || self.object.is_some()
    }

    /// Whether something is judged of the value as a whole, after its own rules.
    pub(crate) fn has_whole(&self) -> bool {
        !self.conditions.is_empty() || self.has_whole_beside_conditions()
    }

    /// The same, but for conditions.
    pub(crate) fn has_whole_beside_conditions(&self) -> bool {
        !self.unions.is_empty() || !self.nots.is_empty() || !self.opaques.is_empty()
    }

    fn says_kinds_alone(&self) -> bool {
        self.values.is_empty()
            && !self.has_rules()
            && !self.has_whole()
            && !self.is_dead
            && !self.is_dynamic
            && !self.named.meets(Kinds::ARRAY | Kinds::OBJECT)
    }
}

/// A bound on a number: the literal as the schema writes it.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) literal: Box<str>,
    pub(crate) exclusive: bool,
    /// For draft-04, where `exclusiveMinimum: true` sharpens `minimum`, the keyword is still `minimum`.
    pub(crate) keyword: &'static str,
    pub(crate) schema: Slot,
    /// The bound as a small integer, where it is one: the common case compares without reading digits.
    pub(crate) small: Option<i64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NumberRules {
    pub(crate) lower: Vec<Bound>,
    pub(crate) upper: Vec<Bound>,
    pub(crate) multiple_of: Vec<(Box<str>, Slot)>,
}

/// A count and the subschema that says it.
pub(crate) type Count = Option<(u64, Slot)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct StringRules {
    pub(crate) min: Count,
    pub(crate) max: Count,
    pub(crate) patterns: Vec<(u32, Slot)>,
    /// Asserted formats: an opaque part that speaks of strings.
    pub(crate) formats: Vec<(u32, Slot)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<Option<NodeId>>,
    pub(crate) items: Option<NodeId>,
    pub(crate) min: Count,
    pub(crate) max: Count,
    pub(crate) unique: Option<Slot>,
    pub(crate) contains: Vec<Contains>,
    pub(crate) unevaluated: Vec<UnevaluatedItems>,
    /// `items`, `additionalItems` or `unevaluatedItems` speaks of every item.
    pub(crate) evaluates_all: bool,
}

impl ArrayRules {
    pub(crate) fn item(&self, index: usize) -> Option<NodeId> {
        self.prefix.get(index).copied().unwrap_or(self.items)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Contains {
    pub(crate) node: NodeId,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) schema: Slot,
    /// 2020-12: an item that matches is evaluated.
    pub(crate) evaluates: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct UnevaluatedItems {
    pub(crate) scope: NodeId,
    pub(crate) node: NodeId,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectRules {
    /// Declared properties in schema order, then names that are only required or otherwise known.
    pub(crate) props: Vec<Prop>,
    /// Positions in `props` sorted by name; empty while a scan is as good.
    sorted: Vec<u32>,
    /// Positions in `props` of required names, in the order in which they are required.
    pub(crate) required: Vec<(u32, Slot)>,
    pub(crate) patterns: Vec<(u32, NodeId)>,
    pub(crate) rests: Vec<Rest>,
    pub(crate) names: Vec<(NodeId, Slot)>,
    pub(crate) min: Count,
    pub(crate) max: Count,
    pub(crate) dependent_required: Vec<DependentRequired>,
    pub(crate) dependent_schemas: Vec<(Box<str>, NodeId)>,
    pub(crate) closings: Vec<Closing>,
    /// `additionalProperties` or `unevaluatedProperties` speaks of every key.
    pub(crate) evaluates_all: bool,
    /// Former name to position in `props`.
    pub(crate) aliases: Vec<(Box<str>, u32)>,
}

impl ObjectRules {
    /// Whether nothing is asked of an object but what is asked of single names.
    pub(crate) fn asks_of_names_alone(&self) -> bool {
        self.patterns.is_empty()
            && self.rests.is_empty()
            && self.names.is_empty()
            && self.min.is_none()
            && self.max.is_none()
            && self.dependent_required.is_empty()
            && self.dependent_schemas.is_empty()
    }

    /// Beyond this many names, searching beats scanning.
    const SCAN_MAX: usize = 12;

    /// The position of a declared or known name. `hint` is where it is if the caller keeps the schema's order.
    #[inline]
    pub(crate) fn find(&self, name: &str, hint: usize) -> Option<(usize, &Prop)> {
        match self.props.get(hint) {
            Some(prop) if is_name(prop, name) => Some((hint, prop)),
            _ => self.find_from(name, hint),
        }
    }

    /// The same without a hint.
    pub(crate) fn search(&self, name: &str) -> Option<(usize, &Prop)> {
        self.find_from(name, 0)
    }

    fn find_from(&self, name: &str, hint: usize) -> Option<(usize, &Prop)> {
        let index = if self.sorted.is_empty() {
            // Callers leave out optional names more often than they change the order.
            let (before, after) = self.props.split_at_checked(hint).unwrap_or((&self.props, &[]));
            let in_after = after.iter().position(|prop| is_name(prop, name)).map(|index| before.len() + index);
            in_after.or_else(|| before.iter().position(|prop| is_name(prop, name)))?
        } else {
            let at = self.sorted.binary_search_by(|index| self.name_at(*index).cmp(name)).ok()?;
            *self.sorted.get(at)? as usize
        };
        self.props.get(index).map(|prop| (index, prop))
    }

    fn name_at(&self, index: u32) -> &str {
        self.props.get(index as usize).map_or("", |prop| &prop.name)
    }

    fn sort(&mut self) {
        if self.props.len() > Self::SCAN_MAX {
            let mut sorted: Vec<u32> = (0..u32::try_from(self.props.len()).unwrap_or(0)).collect();
            sorted.sort_by(|left, right| self.name_at(*left).cmp(self.name_at(*right)));
            self.sorted = sorted;
        }
    }

    pub(crate) fn prop(&self, name: &str) -> Option<&Prop> {
        self.search(name).map(|(_, prop)| prop)
    }
}

#[inline]
fn is_name(prop: &Prop, name: &str) -> bool {
    prop.name.len() == name.len() && *prop.name == *name
}

#[derive(Clone, Debug)]
pub(crate) struct Prop {
    pub(crate) name: Arc<str>,
    /// For a name that is misspelt.
    pub(crate) spelling: Option<Spelling>,
    /// What is said about the value; nothing where `None`.
    pub(crate) node: Option<NodeId>,
    /// A conjunct that does not declare the name and closes its object.
    pub(crate) refused_by: Option<Slot>,
    /// Named by `properties` of some conjunct: for `unevaluatedProperties` that is what counts.
    pub(crate) is_declared: bool,
    pub(crate) is_required: bool,
}

/// What one conjunct says about keys that it does not declare.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    /// Its own patterns: a key that matches one is not of the rest.
    pub(crate) patterns: Vec<u32>,
    /// The value's node; `None` refuses the key.
    pub(crate) node: Option<NodeId>,
    pub(crate) schema: Slot,
}

#[derive(Clone, Debug)]
pub(crate) struct DependentRequired {
    pub(crate) trigger: Box<str>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) keyword: &'static str,
    pub(crate) schema: Slot,
}

/// Refuses, or judges, keys that nothing in place evaluates.
#[derive(Clone, Debug)]
pub(crate) struct Closing {
    /// The in-place tree that is asked.
    pub(crate) scope: NodeId,
    /// The node of such a key's value; `None` refuses the key.
    pub(crate) node: Option<NodeId>,
    /// The boundary's own closing (R3.4), for which a name is known in more ways than for the author's.
    pub(crate) is_policy: bool,
    pub(crate) schema: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnionOp {
    Any,
    One,
}

impl UnionOp {
    pub(crate) fn keyword(self) -> &'static str {
        match self {
            UnionOp::Any => "anyOf",
            UnionOp::One => "oneOf",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) op: UnionOp,
    pub(crate) members: Vec<NodeId>,
    pub(crate) schema: Slot,
    pub(crate) keyword: &'static str,
    /// Tells the members that are objects apart.
    pub(crate) tag: Option<Tag>,
}

/// A key that is required in every member, with values that no two members share.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) key: Arc<str>,
    /// Scalar literals of the schema document, each with its member.
    pub(crate) table: Vec<(Slot, NodeId)>,
    /// The strings among them, sorted.
    pub(crate) words: Vec<(Box<str>, NodeId)>,
    /// The first of them, as a refusal shows them.
    pub(crate) shown: Arc<[ShownWord]>,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) test: NodeId,
    pub(crate) then: Option<NodeId>,
    pub(crate) otherwise: Option<NodeId>,
}
