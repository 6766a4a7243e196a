//! Conjunctions of nodes. The contract's side of a question is always one: the schemas that a value is known to satisfy,
//! and those it is known not to satisfy.
//!
//! Forgetting a conjunct only makes the set of values larger, so whatever is too hard to use here is forgotten: a proof
//! about the larger set is one about the smaller.

mod below;
mod empty;
mod facts;
mod tags;

use crate::eval::Evaluator;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::pattern::languages::{Answer, Languages};
use crate::schema::{ANY, NEVER, NameId, Node, NodeId, PatternId, Schemas};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub(crate) use below::{Alternative, Parts};
pub(crate) use facts::Facts;
use tags::Tags;

/// A conjunction, by number.
pub(crate) type StateId = u32;

/// Leaves of one conjunction.
const LEAVES_MAX: usize = 20_000;
/// Members of `oneOf` up to which it is noted that the others do not hold; beyond, that costs more than it tells.
const FEW_MEMBERS: usize = 6;

/// Lengths up to which a length is compared with patterns.
const LENGTHS_MAX: u64 = 100;

/// A node that holds, or one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) fn holds(node: NodeId) -> Self {
        Literal(node << 1)
    }

    pub(crate) fn fails(node: NodeId) -> Self {
        Literal(node << 1 | 1)
    }

    pub(crate) fn node(self) -> NodeId {
        self.0 >> 1
    }

    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    fn opposite(self) -> Self {
        Literal(self.0 ^ 1)
    }
}

/// Which key of an object is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Name(NameId),
    /// Any that the pattern matches and that nobody declares.
    Pattern(PatternId),
    /// Any that no pattern of either side matches and nobody declares.
    Fresh,
}

/// Which item of an array is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    At(usize),
    /// Any after every prefix.
    Later,
}

/// Which of its unions a node is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Union {
    Any,
    One,
}

/// One option of a choice.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    literal: Literal,
    /// What holds with it: of `oneOf`, that the other members do not.
    besides: Vec<Literal>,
}

impl Choice {
    fn of(member: NodeId, members: &[NodeId], others_fail: bool) -> Self {
        let others = members.iter().filter(|other| others_fail && **other != member);
        Choice { literal: Literal::holds(member), besides: others.map(|other| Literal::fails(*other)).collect() }
    }
}

impl From<Literal> for Choice {
    fn from(literal: Literal) -> Self {
        Choice { literal, besides: Vec::new() }
    }
}

/// The step budget is at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

type Set = Rc<[Literal]>;

/// All conjunctions met, and what is known of them.
pub(crate) struct States<'d> {
    pub(crate) schemas: Schemas<'d>,
    sets: Vec<Set>,
    ids: FxHashMap<Set, StateId>,
    bases: FxHashMap<StateId, Option<StateId>>,
    leaves: FxHashMap<StateId, Rc<[StateId]>>,
    facts: FxHashMap<StateId, Rc<Facts<'d>>>,
    dead: FxHashMap<StateId, bool>,
    inhabited: FxHashMap<StateId, bool>,
    /// Conjunctions that emptiness is being decided for, by their depth.
    deciding: FxHashMap<StateId, usize>,
    may_evaluate: FxHashMap<(NodeId, Key), bool>,
    /// Members of wide unions, by the node that has the union.
    members: FxHashMap<(NodeId, Union), Rc<FxHashSet<NodeId>>>,
    tags: FxHashMap<(NodeId, Union), Option<Rc<Tags>>>,
    parts: FxHashMap<(StateId, NodeId), Rc<Parts>>,
    languages: Languages,
    pub(crate) steps: u64,
    pub(crate) steps_max: u64,
}

impl<'d> States<'d> {
    pub(crate) fn new(schemas: Schemas<'d>, steps_max: u64) -> Self {
        States {
            schemas,
            sets: Vec::new(),
            ids: FxHashMap::default(),
            bases: FxHashMap::default(),
            leaves: FxHashMap::default(),
            facts: FxHashMap::default(),
            dead: FxHashMap::default(),
            inhabited: FxHashMap::default(),
            deciding: FxHashMap::default(),
            may_evaluate: FxHashMap::default(),
            members: FxHashMap::default(),
            tags: FxHashMap::default(),
            parts: FxHashMap::default(),
            languages: Languages::default(),
            steps: 0,
            steps_max,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node<'d> {
        self.schemas.node(id)
    }

    /// Counts work; past the budget nothing more is decided.
    pub(crate) fn tick(&mut self, steps: u64) -> Result<(), Exhausted> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.steps_max { Err(Exhausted) } else { Ok(()) }
    }

    /// Whether the node admits the value, counted.
    pub(crate) fn accepts(&mut self, node: NodeId, value: &Value<'_>) -> Option<bool> {
        let evaluator = Evaluator::new(&self.schemas, self.steps_max.saturating_sub(self.steps).min(2_000_000));
        let answer = evaluator.accepts(node, value);
        self.steps = self.steps.saturating_add(evaluator.steps());
        answer
    }

    /// Whether the conjunction admits the value.
    pub(crate) fn admits(&mut self, state: StateId, value: &Value<'_>) -> Option<bool> {
        let mut unsure = false;
        for literal in self.set(state).iter() {
            match self.accepts(literal.node(), value) {
                Some(holds) if holds == literal.is_positive() => {}
                Some(_) => return Some(false),
                None => unsure = true,
            }
        }
        (!unsure).then_some(true)
    }

    /// A text of the facts that `asked` does not match, as far as lengths and each pattern by itself tell. An empty list of
    /// patterns stands for all texts.
    pub(crate) fn text_outside(&mut self, known: &[PatternId], asked: &str) -> Answer {
        let known: Vec<String> = match known {
            [] => vec![String::new()],
            known => known.iter().map(|id| self.schemas.pattern_text(*id).to_owned()).collect(),
        };
        let before = self.languages.steps;
        let mut answer = Answer::CannotSay;
        for known in known {
            match self.languages.only_first(&known, asked) {
                Answer::None => {
                    answer = Answer::None;
                    break;
                }
                Answer::Text(text) => answer = Answer::Text(text),
                Answer::CannotSay => {}
            }
        }
        self.steps = self.steps.saturating_add(self.languages.steps - before);
        answer
    }

    /// Whether it is certain that no text satisfies all patterns and the lengths.
    fn has_no_text(&mut self, facts: &Facts<'d>) -> bool {
        let mut patterns: Vec<String> =
            facts.patterns.iter().map(|id| self.schemas.pattern_text(*id).to_owned()).collect();
        patterns.extend(length_pattern(facts.length_min, facts.length_max));
        let before = self.languages.steps;
        let mut none = false;
        for (index, one) in patterns.iter().enumerate() {
            for other in patterns.iter().skip(index + 1) {
                none = none || (one != other && self.languages.both(one, other) == Answer::None);
            }
        }
        self.steps = self.steps.saturating_add(self.languages.steps - before);
        none
    }

    pub(crate) fn set(&self, state: StateId) -> Set {
        self.sets.get(state as usize).cloned().unwrap_or_else(|| Rc::from([Literal::holds(NEVER)]))
    }

    /// Whether the literal is a conjunct.
    pub(crate) fn knows(&self, state: StateId, literal: Literal) -> bool {
        self.sets.get(state as usize).is_some_and(|set| set.binary_search(&literal).is_ok())
    }

    fn union(&self, id: NodeId, which: Union) -> Option<&[NodeId]> {
        let node = self.schemas.node(id);
        let members = match which {
            Union::Any => &node.any,
            Union::One => &node.one,
        };
        members.as_deref()
    }

    /// The conjunction of literals.
    pub(crate) fn state(&mut self, mut literals: Vec<Literal>) -> StateId {
        literals.retain(|literal| *literal != Literal::holds(ANY) && *literal != Literal::fails(NEVER));
        literals.sort_unstable();
        literals.dedup();
        if let Some(id) = self.ids.get(literals.as_slice()) {
            return *id;
        }
        let set: Set = literals.into();
        let id = StateId::try_from(self.sets.len()).unwrap_or(StateId::MAX);
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    pub(crate) fn state_of(&mut self, node: NodeId) -> StateId {
        self.state(vec![Literal::holds(node)])
    }

    /// The conjunction with one more literal.
    pub(crate) fn with(&mut self, state: StateId, literal: Literal) -> StateId {
        let mut literals = self.set(state).to_vec();
        literals.push(literal);
        self.state(literals)
    }

    /// The nodes that hold.
    pub(crate) fn holding(&self, state: StateId) -> impl Iterator<Item = NodeId> + use<'d> {
        let set = self.set(state);
        (0..set.len()).filter_map(move |index| {
            set.get(index).filter(|literal| literal.is_positive()).map(|literal| literal.node())
        })
    }

    /// The nodes that do not hold.
    pub(crate) fn failing(&self, state: StateId) -> Vec<NodeId> {
        self.set(state).iter().filter(|literal| !literal.is_positive()).map(|literal| literal.node()).collect()
    }

    // ---------------------------------------------------------------- what holds in place

    /// The conjunction with all that it brings in place without a choice; `None` where it contradicts itself.
    pub(crate) fn base(&mut self, state: StateId) -> Result<Option<StateId>, Exhausted> {
        if let Some(base) = self.bases.get(&state) {
            return Ok(*base);
        }
        let closed = self.close(&self.set(state))?;
        let base = closed.map(|literals| self.state(literals));
        self.bases.insert(state, base);
        if let Some(base) = base {
            self.bases.insert(base, Some(base));
        }
        Ok(base)
    }

    fn close(&mut self, start: &[Literal]) -> Result<Option<Vec<Literal>>, Exhausted> {
        let mut known: FxHashSet<Literal> = FxHashSet::default();
        let mut order = Vec::new();
        let mut open: Vec<Literal> = start.iter().rev().copied().collect();
        loop {
            while let Some(literal) = open.pop() {
                if literal == Literal::holds(NEVER) || literal == Literal::fails(ANY) {
                    return Ok(None);
                }
                if !known.insert(literal) {
                    continue;
                }
                if known.contains(&literal.opposite()) {
                    return Ok(None);
                }
                self.tick(1)?;
                order.push(literal);
                if !literal.is_positive() {
                    self.negated(literal.node(), &mut open);
                } else {
                    let node = self.node(literal.node());
                    open.extend(node.reference.iter().chain(&node.all).map(|inner| Literal::holds(*inner)));
                    open.extend(node.not.map(Literal::fails));
                    for members in node.any.iter().chain(&node.one) {
                        if let [only] = members.as_slice() {
                            open.push(Literal::holds(*only));
                        }
                    }
                }
            }
            self.implied(&order, &known, &mut open);
            open.retain(|literal| !known.contains(literal));
            if open.is_empty() {
                return Ok(Some(order));
            }
        }
    }

    /// What follows where a node that says nothing but one thing about other schemas does not hold.
    fn negated(&self, id: NodeId, open: &mut Vec<Literal>) {
        let node = self.node(id);
        let parts = [node.reference.is_some(), !node.all.is_empty(), node.any.is_some(), node.not.is_some()];
        let is_one_thing = parts.into_iter().filter(|part| *part).count() == 1;
        if !is_one_thing
            || node.one.is_some()
            || node.condition.is_some()
            || node.opaque.is_some()
            || !node.says_nothing()
        {
            return;
        }
        open.extend(node.reference.map(Literal::fails));
        open.extend(node.not.map(Literal::holds));
        open.extend(node.any.iter().flatten().map(|member| Literal::fails(*member)));
        if let [only] = node.all.as_slice() {
            open.push(Literal::fails(*only));
        }
    }

    /// What follows from conditions whose test is decided, and from dependent schemas whose key is required. Both `required` and
    /// `dependentSchemas` say something of objects alone, so nothing follows where the value may be of another kind.
    fn implied(&self, order: &[Literal], known: &FxHashSet<Literal>, open: &mut Vec<Literal>) {
        let held = || order.iter().filter(|literal| literal.is_positive()).map(|literal| self.node(literal.node()));
        let is_object = Kinds::OBJECT.covers(held().fold(Kinds::ALL, |kinds, node| kinds.and(node.kinds)));
        for literal in order.iter().filter(|literal| literal.is_positive()) {
            let node = self.node(literal.node());
            if let Some(condition) = node.condition {
                if condition.test == ANY || known.contains(&Literal::holds(condition.test)) {
                    open.push(Literal::holds(condition.then));
                } else if condition.test == NEVER || known.contains(&Literal::fails(condition.test)) {
                    open.push(Literal::holds(condition.other));
                }
            }
            for (trigger, inner) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
                let requires =
                    |node: &Node<'_>| node.object.as_ref().is_some_and(|rules| rules.required.contains(trigger));
                if is_object && held().any(requires) {
                    open.push(Literal::holds(*inner));
                }
            }
        }
        open.retain(|literal| *literal != Literal::holds(ANY));
    }

    /// The conjunctions without a choice that together cover this one.
    pub(crate) fn leaves(&mut self, state: StateId) -> Result<Rc<[StateId]>, Exhausted> {
        if let Some(leaves) = self.leaves.get(&state) {
            return Ok(leaves.clone());
        }
        let mut leaves = Vec::new();
        let mut open = vec![state];
        while let Some(next) = open.pop() {
            self.tick(1)?;
            let Some(base) = self.base(next)? else { continue };
            if self.is_dead(base)? {
                continue;
            }
            match self.choice(base)? {
                None => leaves.push(base),
                Some(options) => {
                    for option in options.into_iter().rev() {
                        let mut literals = self.set(base).to_vec();
                        literals.push(option.literal);
                        literals.extend(option.besides);
                        open.push(self.state(literals));
                    }
                }
            }
            if leaves.len() > LEAVES_MAX {
                return Err(Exhausted);
            }
        }
        let mut seen = FxHashSet::default();
        leaves.retain(|leaf| seen.insert(*leaf));
        let leaves: Rc<[StateId]> = leaves.into();
        self.leaves.insert(state, leaves.clone());
        Ok(leaves)
    }

    /// The first choice that is open: one of these holds. Members that another tag rules out are left out.
    pub(crate) fn choice(&mut self, base: StateId) -> Result<Option<Vec<Choice>>, Exhausted> {
        let set = self.set(base);
        let knows = |literal: Literal| set.binary_search(&literal).is_ok();
        for literal in set.iter().filter(|literal| literal.is_positive()) {
            let id = literal.node();
            for which in [Union::Any, Union::One] {
                let Some(members) = self.union(id, which) else { continue };
                if members.iter().any(|member| *member == ANY || knows(Literal::holds(*member))) {
                    continue;
                }
                let members = members.to_vec();
                let compatible = self.compatible(base, id, which)?.unwrap_or_else(|| members.clone());
                let others_fail = which == Union::One && members.len() <= FEW_MEMBERS;
                return Ok(Some(
                    compatible.into_iter().map(|member| Choice::of(member, &members, others_fail)).collect(),
                ));
            }
            if let Some(condition) = self.schemas.node(id).condition {
                let (holds, fails) = (Literal::holds(condition.test), Literal::fails(condition.test));
                if condition.test > NEVER && !knows(holds) && !knows(fails) {
                    return Ok(Some(vec![Choice::from(holds), Choice::from(fails)]));
                }
            }
        }
        Ok(None)
    }
}

/// Texts of these lengths, as a pattern, where the lengths are short.
pub(crate) fn length_pattern(min: u64, max: Option<u64>) -> Option<String> {
    let is_short = min <= LENGTHS_MAX && max.is_none_or(|max| max <= LENGTHS_MAX && max >= min);
    if !is_short || (min == 0 && max.is_none()) {
        return None;
    }
    Some(format!("^[\\s\\S]{{{min},{}}}$", max.map(|max| max.to_string()).unwrap_or_default()))
}
