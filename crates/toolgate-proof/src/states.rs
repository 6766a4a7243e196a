//! Conjunctions of nodes. The contract's side of a question is always one: the schemas that a value is known to satisfy,
//! and those it is known not to satisfy.
//!
//! Forgetting a conjunct only makes the set of values larger, so whatever is too hard to use here is forgotten: a proof
//! about the larger set is one about the smaller.

use crate::eval::Evaluator;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::schema::{ANY, Bound, NEVER, NameId, Node, NodeId, PatternId, Schemas, Unevaluated};
use crate::{decimal::Decimal, read::tighter};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A conjunction, by number.
pub(crate) type StateId = u32;

/// Leaves of one conjunction.
const LEAVES_MAX: usize = 20_000;
/// How deep the quick look for a contradiction goes into required members.
const LOOK_DEPTH: u32 = 2;
/// Values of an enumeration that are each tried; a longer one is taken as it is.
const TRIED_VALUES_MAX: usize = 5_000;
/// Alternatives for the schema of one key.
const ALTERNATIVES_MAX: usize = 200;

static NULL: Value<'static> = Value::Null;
static FALSE: Value<'static> = Value::Boolean(false);
static TRUE: Value<'static> = Value::Boolean(true);

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

/// The step budget is at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

/// What a conjunction says about values of each kind, put together.
#[derive(Debug)]
pub(crate) struct Facts<'d> {
    /// No kind: there is no such value.
    pub(crate) kinds: Kinds,
    pub(crate) finite: Option<Vec<&'d Value<'d>>>,
    pub(crate) low: Option<Bound>,
    pub(crate) high: Option<Bound>,
    pub(crate) steps: Vec<Decimal>,
    pub(crate) length_min: u64,
    pub(crate) length_max: Option<u64>,
    pub(crate) patterns: Vec<PatternId>,
    pub(crate) items_min: u64,
    pub(crate) items_max: Option<u64>,
    /// Items up to here have schemas of their own.
    pub(crate) prefix: usize,
    pub(crate) unique: bool,
    /// Sorted.
    pub(crate) required: Vec<NameId>,
    pub(crate) names_min: u64,
    pub(crate) names_max: Option<u64>,
    /// Names that some part declares, in the order of the documents.
    pub(crate) declared: Vec<NameId>,
    pub(crate) key_patterns: Vec<PatternId>,
    /// No key but the declared ones and those of patterns.
    pub(crate) is_closed: bool,
    /// What `propertyNames` asks.
    pub(crate) names: Vec<NodeId>,
}

/// One way in which a key of a conjunction can have its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alternative {
    /// The conjunction, with what has to hold besides for the key to be allowed.
    pub(crate) state: StateId,
    /// What holds for the key's value.
    pub(crate) child: StateId,
}

/// Whether a key is evaluated by the parts of a scope.
enum Evaluation {
    Yes,
    No,
    /// Where one of these holds too.
    Maybe(Vec<Literal>),
}

/// Something that may hold besides, and the nodes that then evaluate keys.
struct Part {
    literal: Literal,
    evaluating: [NodeId; 2],
}

impl Part {
    fn member(node: NodeId) -> Self {
        Part { literal: Literal::holds(node), evaluating: [node, NEVER] }
    }
}

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
    members: FxHashMap<NodeId, Rc<FxHashSet<NodeId>>>,
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

    pub(crate) fn set(&self, state: StateId) -> Set {
        self.sets.get(state as usize).cloned().unwrap_or_else(|| Rc::from([Literal::holds(NEVER)]))
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
                if literal.is_positive() {
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

    /// What follows from conditions whose test is decided, and from dependent schemas whose key is required.
    fn implied(&self, order: &[Literal], known: &FxHashSet<Literal>, open: &mut Vec<Literal>) {
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
                let is_required = order.iter().filter(|literal| literal.is_positive()).any(|literal| {
                    self.node(literal.node()).object.as_ref().is_some_and(|rules| rules.required.contains(trigger))
                });
                if is_required {
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
            if self.is_dead(base, LOOK_DEPTH)? {
                continue;
            }
            match self.choice(base) {
                None => leaves.push(base),
                Some(options) => {
                    for option in options.into_iter().rev() {
                        let next = self.with(base, option);
                        open.push(next);
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

    /// The first choice that is open: one of these holds.
    fn choice(&mut self, base: StateId) -> Option<Vec<Literal>> {
        let set = self.set(base);
        let holds = |node: NodeId| set.binary_search(&Literal::holds(node)).is_ok();
        let decided = |node: NodeId| holds(node) || set.binary_search(&Literal::fails(node)).is_ok();
        for literal in set.iter().filter(|literal| literal.is_positive()) {
            let node = self.schemas.node(literal.node());
            for members in node.any.iter().chain(&node.one) {
                if !members.iter().any(|member| *member == ANY || holds(*member)) {
                    return Some(members.iter().map(|member| Literal::holds(*member)).collect());
                }
            }
            if let Some(condition) = node.condition
                && condition.test > NEVER
                && !decided(condition.test)
            {
                return Some(vec![Literal::holds(condition.test), Literal::fails(condition.test)]);
            }
        }
        None
    }

    /// Whether a quick look finds a contradiction: no common kind, no common value, or that at a required member.
    pub(crate) fn is_dead(&mut self, state: StateId, depth: u32) -> Result<bool, Exhausted> {
        if let Some(dead) = self.dead.get(&state) {
            return Ok(*dead);
        }
        let Some(base) = self.base(state)? else { return Ok(true) };
        let facts = self.facts(base)?;
        let mut dead = facts.kinds.is_empty();
        if !dead && depth > 0 && facts.kinds == Kinds::OBJECT {
            // Assumed alive while it is looked at, which a recursive contract would otherwise do for ever.
            self.dead.insert(state, false);
            for name in &facts.required {
                let child = self.child(base, Key::Name(*name));
                dead = match child {
                    None => true,
                    Some(child) => self.is_dead(child, depth - 1)?,
                };
                if dead {
                    break;
                }
            }
        }
        if dead || depth == LOOK_DEPTH {
            self.dead.insert(state, dead);
        } else {
            self.dead.remove(&state);
        }
        Ok(dead)
    }

    // ---------------------------------------------------------------- what holds below

    /// What holds for the value of a key, but for `unevaluatedProperties`; `None` where the key is refused.
    fn child(&mut self, leaf: StateId, key: Key) -> Option<StateId> {
        let mut literals = Vec::new();
        for node in self.holding(leaf) {
            let Some(rules) = &self.node(node).object else { continue };
            let mut is_matched = false;
            let mut is_unsure = false;
            match key {
                Key::Name(name) => {
                    if let Some(property) = rules.property(name) {
                        is_matched = true;
                        literals.push(Literal::holds(property));
                    }
                    for (pattern, inner) in &rules.patterns {
                        match self.schemas.matches(*pattern, self.schemas.name(name)) {
                            Some(true) => {
                                is_matched = true;
                                literals.push(Literal::holds(*inner));
                            }
                            Some(false) => {}
                            None => is_unsure = true,
                        }
                    }
                }
                Key::Pattern(pattern) => {
                    if let Some(inner) = rules.pattern(pattern) {
                        is_matched = true;
                        literals.push(Literal::holds(inner));
                    }
                    // Whether the key matches another pattern too is not known.
                    is_unsure = !rules.patterns.is_empty();
                }
                Key::Fresh => {}
            }
            if !is_matched && !is_unsure {
                literals.extend(rules.rest.map(Literal::holds));
            }
        }
        if literals.contains(&Literal::holds(NEVER)) {
            return None;
        }
        Some(self.state(literals))
    }

    /// The ways in which a key of the conjunction can have its value; none where the key is refused.
    pub(crate) fn alternatives(&mut self, leaf: StateId, key: Key) -> Result<Vec<Alternative>, Exhausted> {
        let mut found = Vec::new();
        self.gather_alternatives(leaf, key, &mut found, 0)?;
        Ok(found)
    }

    fn gather_alternatives(
        &mut self,
        leaf: StateId,
        key: Key,
        found: &mut Vec<Alternative>,
        depth: u32,
    ) -> Result<(), Exhausted> {
        self.tick(1)?;
        if found.len() > ALTERNATIVES_MAX || depth > 12 {
            return Err(Exhausted);
        }
        let Some(child) = self.child(leaf, key) else { return Ok(()) };
        let mut literals = self.set(child).to_vec();
        let mut branches: Option<Vec<Literal>> = None;
        for node in self.holding(leaf).collect::<Vec<_>>() {
            let Some(unevaluated) = self.node(node).object.as_ref().and_then(|rules| rules.unevaluated) else {
                continue;
            };
            if unevaluated.node == ANY {
                continue;
            }
            match self.evaluation(leaf, node, unevaluated, key)? {
                Evaluation::Yes => {}
                Evaluation::No => literals.push(Literal::holds(unevaluated.node)),
                // A second keyword of this sort is forgotten; the branches ask it again.
                Evaluation::Maybe(parts) if branches.is_none() => {
                    literals.push(Literal::holds(unevaluated.node));
                    branches = Some(parts);
                }
                Evaluation::Maybe(_) => {}
            }
        }
        if !literals.contains(&Literal::holds(NEVER)) {
            let child = self.state(literals);
            found.push(Alternative { state: leaf, child });
        }
        for part in branches.into_iter().flatten() {
            let with = self.with(leaf, part);
            if let Some(base) = self.base(with)? {
                self.gather_alternatives(base, key, found, depth + 1)?;
            }
        }
        Ok(())
    }

    fn evaluation(
        &mut self,
        leaf: StateId,
        scope: NodeId,
        unevaluated: Unevaluated,
        key: Key,
    ) -> Result<Evaluation, Exhausted> {
        let mut parts = Vec::new();
        let mut open = vec![scope];
        let mut seen = FxHashSet::default();
        let set = self.set(leaf);
        let holds = |node: NodeId| node == ANY || set.binary_search(&Literal::holds(node)).is_ok();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            self.tick(1)?;
            if self.evaluates(id, key, unevaluated.is_policy, id == scope) {
                return Ok(Evaluation::Yes);
            }
            let wide = self.wide_members(id);
            let node = self.schemas.node(id);
            open.extend(node.reference.iter().chain(&node.all).copied());
            for (members, is_one) in
                node.any.iter().map(|any| (any, false)).chain(node.one.iter().map(|one| (one, true)))
            {
                let holding: Vec<NodeId> = match &wide {
                    Some(wide) => self.holding(leaf).filter(|node| wide.contains(node)).collect(),
                    None => members.iter().copied().filter(|member| holds(*member)).collect(),
                };
                let is_chosen = !holding.is_empty();
                open.extend(holding);
                if !(is_one && is_chosen) {
                    parts.extend(members.iter().copied().filter(|member| !holds(*member)).map(Part::member));
                }
            }
            if let Some(condition) = node.condition {
                if holds(condition.test) {
                    open.extend([condition.test, condition.then]);
                } else if set.binary_search(&Literal::fails(condition.test)).is_ok() {
                    open.push(condition.other);
                } else {
                    let evaluating = [condition.test, condition.then];
                    parts.push(Part { literal: Literal::holds(condition.test), evaluating });
                    parts.push(Part { literal: Literal::fails(condition.test), evaluating: [condition.other, NEVER] });
                }
            }
            for (_, inner) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
                if holds(*inner) {
                    open.push(*inner);
                } else {
                    parts.push(Part::member(*inner));
                }
            }
        }
        self.possible(leaf, parts, key)
    }

    /// The parts that can evaluate the key and can hold at all.
    fn possible(&mut self, leaf: StateId, parts: Vec<Part>, key: Key) -> Result<Evaluation, Exhausted> {
        let mut possible = Vec::new();
        for Part { literal, evaluating } in parts {
            self.tick(1)?;
            if !evaluating.into_iter().any(|node| self.may_evaluate(node, key)) {
                continue;
            }
            let with = self.with(leaf, literal);
            if !self.is_dead(with, LOOK_DEPTH)? {
                possible.push(literal);
            }
        }
        Ok(if possible.is_empty() { Evaluation::No } else { Evaluation::Maybe(possible) })
    }

    fn wide_members(&mut self, id: NodeId) -> Option<Rc<FxHashSet<NodeId>>> {
        if let Some(known) = self.members.get(&id) {
            return Some(known.clone());
        }
        let node = self.schemas.node(id);
        let members = match (&node.any, &node.one) {
            (Some(members), None) | (None, Some(members)) if members.len() > 16 => members,
            _ => return None,
        };
        let members: Rc<FxHashSet<NodeId>> = Rc::new(members.iter().copied().collect());
        self.members.insert(id, members.clone());
        Some(members)
    }

    /// Whether a node that holds evaluates the key by what it says itself.
    fn evaluates(&self, id: NodeId, key: Key, is_policy: bool, is_scope: bool) -> bool {
        let Some(rules) = &self.node(id).object else { return false };
        if rules.evaluates_all || rules.rest.is_some() || (rules.unevaluated.is_some() && !is_scope) {
            return true;
        }
        match key {
            Key::Name(name) => {
                rules.property(name).is_some()
                    || (is_policy && rules.mentioned.contains(&name))
                    || rules
                        .patterns
                        .iter()
                        .any(|(pattern, _)| self.schemas.matches(*pattern, self.schemas.name(name)) != Some(false))
            }
            Key::Pattern(_) => !rules.patterns.is_empty(),
            Key::Fresh => false,
        }
    }

    /// Whether the node, or anything that it brings in place, could evaluate the key.
    fn may_evaluate(&mut self, id: NodeId, key: Key) -> bool {
        if let Some(may) = self.may_evaluate.get(&(id, key)) {
            return *may;
        }
        let (mut seen, mut open) = (FxHashSet::default(), vec![id]);
        let mut may = false;
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                self.steps += 1;
                may = self.evaluates(next, key, true, false);
                if may {
                    break;
                }
                open.extend(self.node(next).in_place());
            }
        }
        self.may_evaluate.insert((id, key), may);
        may
    }

    /// What holds for an item.
    pub(crate) fn item(&mut self, leaf: StateId, item: Item) -> StateId {
        let mut literals = Vec::new();
        for node in self.holding(leaf) {
            let Some(rules) = &self.node(node).array else { continue };
            let prefix = match item {
                Item::At(index) => rules.prefix.get(index).copied(),
                Item::Later => None,
            };
            literals.extend(prefix.or(rules.items).map(Literal::holds));
        }
        self.state(literals)
    }

    // ---------------------------------------------------------------- facts

    /// What a conjunction closed by [`States::base`] says about each kind. Choices that are open are not looked into.
    pub(crate) fn facts(&mut self, base: StateId) -> Result<Rc<Facts<'d>>, Exhausted> {
        if let Some(facts) = self.facts.get(&base) {
            return Ok(facts.clone());
        }
        let mut facts = Facts {
            kinds: Kinds::ALL,
            finite: None,
            low: None,
            high: None,
            steps: Vec::new(),
            length_min: 0,
            length_max: None,
            patterns: Vec::new(),
            items_min: 0,
            items_max: None,
            prefix: 0,
            unique: false,
            required: Vec::new(),
            names_min: 0,
            names_max: None,
            declared: Vec::new(),
            key_patterns: Vec::new(),
            is_closed: false,
            names: Vec::new(),
        };
        for node in self.holding(base) {
            facts.take(self.node(node));
        }
        for node in self.failing(base) {
            let node = self.node(node);
            if node.is_plain() {
                facts.kinds = facts.kinds.without(node.kinds);
            }
        }
        self.tick(1 + self.set(base).len() as u64)?;
        self.finite(base, &mut facts)?;
        self.settle(base, &mut facts)?;
        let facts = Rc::new(facts);
        self.facts.insert(base, facts.clone());
        Ok(facts)
    }

    /// The values of the shortest enumeration that everything else admits too.
    fn finite(&mut self, base: StateId, facts: &mut Facts<'d>) -> Result<(), Exhausted> {
        let lists = self.holding(base).flat_map(|node| {
            self.schemas.node(node).values.iter().map(|values| values.list.clone()).collect::<Vec<_>>()
        });
        let shortest = lists.min_by_key(Vec::len);
        let mut values: Vec<&'d Value<'d>> = match shortest {
            Some(values) => values,
            None if Kinds::BOOLEAN.or(Kinds::NULL).covers(facts.kinds) => {
                let all = [&NULL, &FALSE, &TRUE];
                all.into_iter().filter(|value| facts.kinds.has(Kinds::of(value))).collect()
            }
            None => return Ok(()),
        };
        if values.len() <= TRIED_VALUES_MAX {
            let mut admitted = Vec::with_capacity(values.len());
            for value in values {
                if self.admits(base, value) != Some(false) {
                    admitted.push(value);
                }
                self.tick(1)?;
            }
            values = admitted;
        }
        let kinds = values.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of(value)));
        facts.kinds = facts.kinds.and(kinds);
        facts.finite = Some(values);
        Ok(())
    }

    /// Takes away the kinds of which there is no value.
    fn settle(&mut self, base: StateId, facts: &mut Facts<'d>) -> Result<(), Exhausted> {
        facts.settle_numbers();
        if facts.length_max.is_some_and(|max| facts.length_min > max) {
            facts.kinds = facts.kinds.without(Kinds::STRING);
        }
        if facts.kinds.has(Kinds::ARRAY) {
            for index in 0..=facts.prefix {
                let item = if index == facts.prefix { Item::Later } else { Item::At(index) };
                let child = self.item(base, item);
                if self.base(child)?.is_none() {
                    let index = index as u64;
                    facts.items_max = Some(facts.items_max.map_or(index, |max| max.min(index)));
                    break;
                }
            }
            if facts.items_max.is_some_and(|max| facts.items_min > max) {
                facts.kinds = facts.kinds.without(Kinds::ARRAY);
            }
        }
        if facts.kinds.has(Kinds::OBJECT) {
            facts.is_closed = self.child(base, Key::Fresh).is_none();
            self.settle_names(base, facts)?;
        }
        Ok(())
    }

    fn settle_names(&mut self, base: StateId, facts: &mut Facts<'d>) -> Result<(), Exhausted> {
        self.close_required(base, facts);
        if facts.is_closed && facts.key_patterns.is_empty() {
            let mut allowed = Vec::new();
            for name in &facts.declared {
                if self.child(base, Key::Name(*name)).is_some() {
                    allowed.push(*name);
                }
            }
            let count = allowed.len() as u64;
            facts.names_max = Some(facts.names_max.map_or(count, |max| max.min(count)));
            // Where there are only as many keys as there have to be, each is there.
            if count == facts.names_min {
                facts.required = allowed;
                facts.required.sort_unstable();
            }
        }
        let count = facts.required.len() as u64;
        facts.names_min = facts.names_min.max(count);
        let refused = facts.required.clone().iter().any(|name| self.child(base, Key::Name(*name)).is_none());
        if refused || facts.names_max.is_some_and(|max| facts.names_min > max) {
            facts.kinds = facts.kinds.without(Kinds::OBJECT);
        }
        Ok(())
    }

    /// Adds the keys that required ones bring with them.
    fn close_required(&self, base: StateId, facts: &mut Facts<'d>) {
        facts.required.sort_unstable();
        facts.required.dedup();
        loop {
            let mut more: Vec<NameId> = Vec::new();
            for node in self.holding(base) {
                for (trigger, names) in self.node(node).object.iter().flat_map(|rules| &rules.dependent_names) {
                    if facts.required.binary_search(trigger).is_ok() {
                        more.extend(names.iter().filter(|name| facts.required.binary_search(name).is_err()));
                    }
                }
            }
            if more.is_empty() {
                return;
            }
            facts.required.extend(more);
            facts.required.sort_unstable();
            facts.required.dedup();
        }
    }

    // ---------------------------------------------------------------- emptiness

    /// Whether it is certain that no value satisfies the conjunction. "No" means only that none of what is looked at rules
    /// every value out.
    pub(crate) fn is_empty(&mut self, state: StateId) -> Result<bool, Exhausted> {
        Ok(!self.inhabited(state)?.0)
    }

    /// Whether there may be a value, and the least depth of the questions still open that a "no" rests on. A value is finite,
    /// so one that would have to hold itself does not count: an open question is answered with "no".
    fn inhabited(&mut self, state: StateId) -> Result<(bool, usize), Exhausted> {
        if let Some(known) = self.inhabited.get(&state) {
            return Ok((*known, usize::MAX));
        }
        if let Some(depth) = self.deciding.get(&state) {
            return Ok((false, *depth));
        }
        let depth = self.deciding.len();
        if depth > 100 {
            return Ok((true, usize::MAX));
        }
        self.tick(1)?;
        self.deciding.insert(state, depth);
        let answer = self.inhabited_leaf(state);
        self.deciding.remove(&state);
        let (inhabited, lowest) = answer?;
        // A "yes" rests on nothing, and a "no" that rests on this question alone is a "no".
        if inhabited || lowest >= depth {
            self.inhabited.insert(state, inhabited);
            return Ok((inhabited, usize::MAX));
        }
        Ok((false, lowest))
    }

    fn inhabited_leaf(&mut self, state: StateId) -> Result<(bool, usize), Exhausted> {
        let mut lowest = usize::MAX;
        for leaf in self.leaves(state)?.iter() {
            let (inhabited, low) = self.inhabited_kinds(*leaf)?;
            if inhabited {
                return Ok((true, usize::MAX));
            }
            lowest = lowest.min(low);
        }
        Ok((false, lowest))
    }

    fn inhabited_kinds(&mut self, leaf: StateId) -> Result<(bool, usize), Exhausted> {
        let facts = self.facts(leaf)?;
        if let Some(values) = &facts.finite {
            return Ok((!values.is_empty(), usize::MAX));
        }
        if facts.kinds.without(Kinds::OBJECT.or(Kinds::ARRAY)) != Kinds::NONE {
            return Ok((true, usize::MAX));
        }
        let mut lowest = usize::MAX;
        if facts.kinds.has(Kinds::ARRAY) {
            let mut all = true;
            for index in 0..facts.items_min.min(facts.prefix as u64 + 1) {
                let index = usize::try_from(index).unwrap_or(facts.prefix);
                let item = if index >= facts.prefix { Item::Later } else { Item::At(index) };
                let child = self.item(leaf, item);
                let (inhabited, low) = self.inhabited(child)?;
                if !inhabited {
                    lowest = lowest.min(low);
                    all = false;
                    break;
                }
            }
            if all {
                return Ok((true, usize::MAX));
            }
        }
        if facts.kinds.has(Kinds::OBJECT) {
            let mut all = true;
            for name in &facts.required {
                let mut any = false;
                for alternative in self.alternatives(leaf, Key::Name(*name))? {
                    let (inhabited, low) = self.inhabited(alternative.child)?;
                    any |= inhabited;
                    if inhabited {
                        break;
                    }
                    lowest = lowest.min(low);
                }
                if !any {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok((true, usize::MAX));
            }
        }
        Ok((false, lowest))
    }
}

impl<'d> Facts<'d> {
    fn take(&mut self, node: &Node<'d>) {
        self.kinds = self.kinds.and(node.kinds);
        if let Some(low) = &node.low {
            self.low = tighter(self.low.take(), low.clone(), true);
        }
        if let Some(high) = &node.high {
            self.high = tighter(self.high.take(), high.clone(), false);
        }
        self.steps.extend(node.step.clone());
        self.length_min = self.length_min.max(node.length_min);
        self.length_max = least(self.length_max, node.length_max);
        self.patterns.extend(node.pattern);
        if let Some(array) = &node.array {
            self.items_min = self.items_min.max(array.min);
            self.items_max = least(self.items_max, array.max);
            self.prefix = self.prefix.max(array.prefix.len());
            self.unique |= array.unique;
            self.items_min = self.items_min.max(array.contains.map_or(0, |contains| contains.min));
        }
        if let Some(object) = &node.object {
            self.required.extend(&object.required);
            self.names_min = self.names_min.max(object.min);
            self.names_max = least(self.names_max, object.max);
            self.names.extend(object.names);
            for (name, _) in &object.properties {
                if self.declared.len() > 32 || !self.declared.contains(name) {
                    self.declared.push(*name);
                }
            }
            for (pattern, _) in &object.patterns {
                if !self.key_patterns.contains(pattern) {
                    self.key_patterns.push(*pattern);
                }
            }
        }
    }

    fn settle_numbers(&mut self) {
        if !self.kinds.has(Kinds::NUMBER) {
            return;
        }
        if self.steps.iter().any(Decimal::is_integer) {
            self.kinds = self.kinds.without(Kinds::FRACTION);
        }
        if !self.kinds.has(Kinds::FRACTION) {
            let one = Decimal::from_i128(1);
            let whole = |bound: &Bound, is_low: bool| {
                let near = if is_low { bound.value.ceiling()? } else { bound.value.floor()? };
                let value = match bound.exclusive && near == bound.value {
                    false => near,
                    true if is_low => near.plus(&one)?,
                    true => near.minus(&one)?,
                };
                Some(Bound { value, exclusive: false })
            };
            self.low = self.low.take().map(|low| whole(&low, true).unwrap_or(low));
            self.high = self.high.take().map(|high| whole(&high, false).unwrap_or(high));
        }
        if let (Some(low), Some(high)) = (&self.low, &self.high)
            && (low.value > high.value || (low.value == high.value && (low.exclusive || high.exclusive)))
        {
            self.kinds = self.kinds.without(Kinds::NUMBER);
        }
    }

    pub(crate) fn requires(&self, name: NameId) -> bool {
        self.required.binary_search(&name).is_ok()
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
