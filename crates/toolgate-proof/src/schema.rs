//! The two documents as one arena of nodes. A node is what one schema object says: a conjunction of clauses.
//!
//! Names and patterns are numbers that both documents share, so that two places compare without comparing text.

use crate::decimal::Decimal;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::pattern::Pattern;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::HashMap;

/// A node of the arena.
pub(crate) type NodeId = u32;
/// A property name.
pub(crate) type NameId = u32;
/// A pattern.
pub(crate) type PatternId = u32;

/// The node that admits everything; present in every arena.
pub(crate) const ANY: NodeId = 0;
/// The node that admits nothing.
pub(crate) const NEVER: NodeId = 1;

/// One end of an interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: Decimal,
    pub(crate) exclusive: bool,
}

/// What one schema object says. Absent clauses admit everything.
#[derive(Debug)]
pub(crate) struct Node<'d> {
    pub(crate) kinds: Kinds,
    /// `const` and `enum`; each is a clause of its own.
    pub(crate) values: Vec<Finite<'d>>,
    pub(crate) low: Option<Bound>,
    pub(crate) high: Option<Bound>,
    pub(crate) step: Option<Decimal>,
    pub(crate) length_min: u64,
    pub(crate) length_max: Option<u64>,
    pub(crate) pattern: Option<PatternId>,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    pub(crate) reference: Option<NodeId>,
    pub(crate) all: Vec<NodeId>,
    pub(crate) any: Option<Vec<NodeId>>,
    pub(crate) one: Option<Vec<NodeId>>,
    pub(crate) not: Option<NodeId>,
    pub(crate) condition: Option<Condition>,
    /// A clause that this crate does not judge, by its keyword.
    pub(crate) opaque: Option<&'static str>,
    /// Something of the node was set aside, so that it admits more than what is written.
    pub(crate) widened: bool,
}

/// `if`, and what follows from it; an absent branch is [`ANY`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(crate) test: NodeId,
    pub(crate) then: NodeId,
    pub(crate) other: NodeId,
}

#[derive(Debug, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<NodeId>,
    /// For the items after the prefix.
    pub(crate) items: Option<NodeId>,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) unique: bool,
    pub(crate) contains: Option<Contains>,
    pub(crate) unevaluated: Option<NodeId>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contains {
    pub(crate) node: NodeId,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    /// Items that match count as evaluated (from 2020-12 on).
    pub(crate) evaluates: bool,
}

#[derive(Debug, Default)]
pub(crate) struct ObjectRules {
    pub(crate) properties: Vec<(NameId, NodeId)>,
    /// Where `properties` is long.
    pub(crate) lookup: Option<FxHashMap<NameId, NodeId>>,
    pub(crate) patterns: Vec<(PatternId, NodeId)>,
    pub(crate) rest: Option<NodeId>,
    pub(crate) names: Option<NodeId>,
    pub(crate) required: Vec<NameId>,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) dependent_names: Vec<(NameId, Vec<NameId>)>,
    pub(crate) dependent_schemas: Vec<(NameId, NodeId)>,
    pub(crate) unevaluated: Option<Unevaluated>,
    /// Names that the boundary's own closing takes as declared though no `properties` lists them (R3.4).
    pub(crate) mentioned: Vec<NameId>,
    /// Something that evaluates names was set aside: which ones cannot be told any more.
    pub(crate) evaluates_all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unevaluated {
    pub(crate) node: NodeId,
    /// Put there by the policy for unknown keys, which knows more names (R3.4) than the keyword does.
    pub(crate) is_policy: bool,
}

impl ObjectRules {
    pub(crate) fn property(&self, name: NameId) -> Option<NodeId> {
        match &self.lookup {
            Some(lookup) => lookup.get(&name).copied(),
            None => self.properties.iter().find(|(known, _)| *known == name).map(|(_, node)| *node),
        }
    }

    pub(crate) fn pattern(&self, pattern: PatternId) -> Option<NodeId> {
        self.patterns.iter().find(|(known, _)| *known == pattern).map(|(_, node)| *node)
    }

    /// Gives long lists of properties a table.
    pub(crate) fn seal(&mut self) {
        if self.properties.len() > 8 {
            self.lookup = Some(self.properties.iter().copied().collect());
        }
    }
}

impl ObjectRules {
    pub(crate) fn is_silent(&self) -> bool {
        self.properties.is_empty()
            && self.patterns.is_empty()
            && self.rest.is_none()
            && self.takes_any_names()
            && self.unevaluated.is_none()
            && self.mentioned.is_empty()
            && !self.evaluates_all
    }

    /// Whether every member of the object is admitted, though it may name some.
    fn is_open(&self) -> bool {
        self.properties.iter().all(|(_, inner)| *inner == ANY)
            && self.patterns.iter().all(|(_, inner)| *inner == ANY)
            && self.rest.is_none_or(|rest| rest == ANY)
            && self.takes_any_names()
            && self.unevaluated.is_none_or(|unevaluated| unevaluated.node == ANY)
    }

    /// Whether nothing is asked of which names there are, and of how many.
    fn takes_any_names(&self) -> bool {
        self.names.is_none()
            && self.required.is_empty()
            && self.min == 0
            && self.max.is_none()
            && self.dependent_names.is_empty()
            && self.dependent_schemas.is_empty()
    }
}

impl ArrayRules {
    pub(crate) fn is_silent(&self) -> bool {
        self.prefix.is_empty()
            && self.items.is_none()
            && self.min == 0
            && self.max.is_none()
            && !self.unique
            && self.contains.is_none()
            && self.unevaluated.is_none()
    }
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

/// A finite set of values, found by their fingerprints.
#[derive(Debug)]
pub(crate) struct Finite<'d> {
    pub(crate) list: Vec<&'d Value<'d>>,
    prints: FxHashMap<u64, Vec<u32>>,
}

impl<'d> Finite<'d> {
    pub(crate) fn new(list: Vec<&'d Value<'d>>) -> Self {
        let mut prints: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        if list.len() > 8 {
            for (index, value) in (0..).zip(&list) {
                prints.entry(value.fingerprint()).or_default().push(index);
            }
        }
        Finite { list, prints }
    }

    pub(crate) fn contains(&self, value: &Value<'_>) -> bool {
        if self.prints.is_empty() {
            return self.list.iter().any(|known| known.same(value));
        }
        let near = self.prints.get(&value.fingerprint()).map_or(&[][..], Vec::as_slice);
        near.iter().any(|index| self.list.get(*index as usize).is_some_and(|known| known.same(value)))
    }
}

impl Node<'_> {
    pub(crate) fn any() -> Self {
        Node {
            kinds: Kinds::ALL,
            values: Vec::new(),
            low: None,
            high: None,
            step: None,
            length_min: 0,
            length_max: None,
            pattern: None,
            array: None,
            object: None,
            reference: None,
            all: Vec::new(),
            any: None,
            one: None,
            not: None,
            condition: None,
            opaque: None,
            widened: false,
        }
    }

    pub(crate) fn of_kinds(kinds: Kinds) -> Self {
        Node { kinds, ..Node::any() }
    }

    /// Whether the node has no clause but its kinds.
    pub(crate) fn is_plain(&self) -> bool {
        self.has_kinds_only() && self.is_flat()
    }

    /// Whether every value of the node's kinds is admitted, though it may name properties.
    pub(crate) fn asks_for_kinds_alone(&self) -> bool {
        self.is_flat() && self.has_kinds_and_object_only() && self.object.as_deref().is_none_or(ObjectRules::is_open)
    }

    /// Whether the node asks nothing of a value but by other schemas in place.
    pub(crate) fn says_nothing(&self) -> bool {
        self.kinds == Kinds::ALL && self.has_kinds_only()
    }

    fn has_kinds_only(&self) -> bool {
        self.has_kinds_and_object_only() && self.object.is_none()
    }

    fn has_kinds_and_object_only(&self) -> bool {
        self.values.is_empty()
            && self.low.is_none()
            && self.high.is_none()
            && self.step.is_none()
            && self.length_min == 0
            && self.length_max.is_none()
            && self.pattern.is_none()
            && self.array.is_none()
    }

    /// Whether the node brings nothing else in place.
    pub(crate) fn is_flat(&self) -> bool {
        self.reference.is_none()
            && self.all.is_empty()
            && self.any.is_none()
            && self.one.is_none()
            && self.not.is_none()
            && self.condition.is_none()
            && self.opaque.is_none()
    }

    /// Every schema that the node applies in place, whatever it does with the answer.
    pub(crate) fn in_place(&self) -> impl Iterator<Item = NodeId> + '_ {
        let lists = self.all.iter().chain(self.any.iter().flatten()).chain(self.one.iter().flatten()).copied();
        let condition = self.condition.iter().flat_map(|condition| [condition.test, condition.then, condition.other]);
        let dependent = self.object.iter().flat_map(|rules| rules.dependent_schemas.iter().map(|(_, node)| *node));
        self.reference.into_iter().chain(lists).chain(self.not).chain(condition).chain(dependent)
    }

    /// Every schema that the node applies to a part of the value.
    pub(crate) fn below(&self) -> Vec<NodeId> {
        let mut below = Vec::new();
        if let Some(array) = &self.array {
            below.extend(array.prefix.iter().copied());
            below.extend(array.items);
            below.extend(array.contains.map(|contains| contains.node));
            below.extend(array.unevaluated);
        }
        if let Some(object) = &self.object {
            below.extend(object.properties.iter().map(|(_, node)| *node));
            below.extend(object.patterns.iter().map(|(_, node)| *node));
            below.extend(object.rest);
            below.extend(object.names);
            below.extend(object.unevaluated.map(|unevaluated| unevaluated.node));
        }
        below
    }
}

/// Where a node stands in its document, for certificates and messages.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) document: u8,
    pub(crate) parent: Option<NodeId>,
    /// The part of the pointer after the parent's, with its leading `/`.
    pub(crate) tail: Tail,
}

#[derive(Clone, Debug)]
pub(crate) enum Tail {
    None,
    Keyword(&'static str),
    Member(&'static str, NameId),
    Index(&'static str, u32),
    /// A whole pointer: the node was reached by a reference to it.
    Pointer(String),
    /// No schema of the document: the parent as a location that the policy closes.
    Closed,
    /// The contract as it is meant.
    Contract,
}

/// Both documents.
#[derive(Debug)]
pub(crate) struct Schemas<'d> {
    nodes: Vec<Node<'d>>,
    places: Vec<Place>,
    names: Vec<Cow<'d, str>>,
    name_ids: HashMap<Cow<'d, str>, NameId>,
    patterns: Vec<Pattern>,
    pattern_ids: HashMap<String, PatternId>,
}

impl<'d> Schemas<'d> {
    pub(crate) fn new() -> Self {
        let mut schemas = Schemas {
            nodes: Vec::new(),
            places: Vec::new(),
            names: Vec::new(),
            name_ids: HashMap::new(),
            patterns: Vec::new(),
            pattern_ids: HashMap::new(),
        };
        for kinds in [Kinds::ALL, Kinds::NONE] {
            schemas.push(Node::of_kinds(kinds), Place { document: 0, parent: None, tail: Tail::None });
        }
        schemas
    }

    pub(crate) fn push(&mut self, node: Node<'d>, place: Place) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(node);
        self.places.push(place);
        id
    }

    /// A node that stands in no document.
    pub(crate) fn make(&mut self, node: Node<'d>) -> NodeId {
        self.push(node, Place { document: 2, parent: None, tail: Tail::None })
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids are given out by `push` of the one arena there is, and nodes stay"
    )]
    pub(crate) fn node(&self, id: NodeId) -> &Node<'d> {
        &self.nodes[id as usize]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids are given out by `push` of the one arena there is, and nodes stay"
    )]
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node<'d> {
        &mut self.nodes[id as usize]
    }

    pub(crate) fn ids(&self) -> std::ops::Range<NodeId> {
        0..NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// Whether a schema that `root` reaches applies itself to the same value: there no value ever decides it.
    pub(crate) fn has_cycle_in_place(&self, root: NodeId) -> bool {
        // 1 while a node is on the path, 2 when nothing in place of it can come back.
        let mut marks = vec![0u8; self.nodes.len()];
        let mut roots = vec![root];
        let mut reached = vec![false; self.nodes.len()];
        while let Some(root) = roots.pop() {
            if std::mem::replace(reached.get_mut(root as usize).unwrap_or(&mut true), true) {
                continue;
            }
            let mut path = vec![(root, false)];
            while let Some((id, is_left)) = path.pop() {
                let Some(mark) = marks.get_mut(id as usize) else { continue };
                match (*mark, is_left) {
                    (_, true) => *mark = 2,
                    (1, false) => return true,
                    (2, false) => {}
                    (_, false) => {
                        *mark = 1;
                        path.push((id, true));
                        let node = self.node(id);
                        path.extend(node.in_place().map(|inner| (inner, false)));
                        roots.extend(node.below());
                    }
                }
            }
        }
        false
    }

    pub(crate) fn intern(&mut self, name: Cow<'d, str>) -> NameId {
        if let Some(id) = self.name_ids.get(&name) {
            return *id;
        }
        let id = NameId::try_from(self.names.len()).unwrap_or(NameId::MAX);
        self.names.push(name.clone());
        self.name_ids.insert(name, id);
        id
    }

    pub(crate) fn name_id(&self, name: &str) -> Option<NameId> {
        self.name_ids.get(name).copied()
    }

    pub(crate) fn name(&self, id: NameId) -> &str {
        self.names.get(id as usize).map_or("", |name| name)
    }

    pub(crate) fn intern_pattern(&mut self, text: &str) -> PatternId {
        if let Some(id) = self.pattern_ids.get(text) {
            return *id;
        }
        let id = PatternId::try_from(self.patterns.len()).unwrap_or(PatternId::MAX);
        self.patterns.push(Pattern::new(text.to_owned()));
        self.pattern_ids.insert(text.to_owned(), id);
        id
    }

    pub(crate) fn pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id as usize)
    }

    pub(crate) fn pattern_text(&self, id: PatternId) -> &str {
        self.patterns.get(id as usize).map_or("", Pattern::text)
    }

    pub(crate) fn matches(&self, id: PatternId, text: &str) -> Option<bool> {
        self.patterns.get(id as usize)?.matches(text)
    }

    pub(crate) fn place(&self, id: NodeId) -> Option<&Place> {
        self.places.get(id as usize)
    }

    /// The JSON Pointer of a node in its document, and which document that is; 2 is neither.
    pub(crate) fn pointer(&self, id: NodeId) -> (u8, String) {
        let mut tails = Vec::new();
        let (mut at, mut document) = (Some(id), 2);
        while let Some(place) = at.and_then(|id| self.places.get(id as usize)) {
            document = place.document;
            tails.push(match &place.tail {
                Tail::None | Tail::Closed | Tail::Contract => String::new(),
                Tail::Keyword(keyword) => format!("/{keyword}"),
                Tail::Member(keyword, name) => format!("/{keyword}/{}", escape_segment(self.name(*name))),
                Tail::Index(keyword, index) => format!("/{keyword}/{index}"),
                Tail::Pointer(pointer) => pointer.clone(),
            });
            at = if matches!(place.tail, Tail::Pointer(_)) { None } else { place.parent };
        }
        tails.reverse();
        (document, tails.concat())
    }
}

/// A name as a segment of a JSON Pointer (RFC 6901).
pub(crate) fn escape_segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
