//! The judgement `C ⊢ a`: every value that satisfies the conjunction C of contract nodes is one that the advertised node `a`
//! admits.
//!
//! A question that is met again while it is open is assumed to hold: between the two a key or an item was passed, so that the
//! assumption is about a smaller value. Unions of the contract are split exactly; each clause of the advertised node is a
//! question of its own. Whatever the contract says that is not used is forgotten, which makes its side larger and a proof no
//! less true. A failed proof is not a refutation; that takes a value (see `hunt`).

mod array;
mod object;
mod scalar;
mod unions;

pub(crate) use object::Asked;
pub(crate) use scalar::common_multiple;

use crate::decode::{Decode, PLAIN, Position};
use crate::json::Value;
use crate::kinds::Kinds;
use crate::same::{Sameness, is_any};
use crate::schema::{ANY, NameId, Node, NodeId, PatternId, escape_segment};
use crate::states::{Exhausted, Literal, StateId, States};
use crate::witness::Made;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::rc::Rc;

/// How deep questions nest. A question is asked for a place of the arguments or for a schema in place, so real documents stay
/// far below.
const DEPTH_MAX: usize = 220;

/// Options of a choice from which on it is made at once.
const WIDE: usize = 40;

/// Holds whatever else may come of the questions that are still open.
pub(crate) const CERTAIN: usize = usize::MAX;

/// Where a proof ended.
#[derive(Clone, Debug)]
pub(crate) struct Fail {
    place: Rc<[Segment]>,
    pub(crate) keyword: &'static str,
}

/// A step into the arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Segment {
    Name(NameId),
    /// Any item, or any key that is not named.
    Any,
}

/// What may be evaluated under one node.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) names: Vec<NameId>,
    pub(crate) patterns: Vec<PatternId>,
}

/// Proven, with the least depth of the open questions that were assumed for it; or where it failed.
pub(crate) type Proved = Result<usize, Fail>;

/// A conjunction, an advertised node, and the place among the decode steps.
pub(crate) type Question = (StateId, NodeId, Position);

pub(crate) struct Prover<'d> {
    pub(crate) states: States<'d>,
    pub(crate) decode: Decode,
    pub(crate) sameness: Sameness,
    /// What is decided for good.
    done: FxHashMap<Question, Result<(), Fail>>,
    /// What is being asked, by depth.
    open: FxHashMap<Question, usize>,
    /// What holds as long as open questions do, with the least depth of those.
    provisional: FxHashMap<Question, usize>,
    trail: Vec<Question>,
    pub(crate) path: Vec<Segment>,
    kind_nodes: FxHashMap<Kinds, NodeId>,
    pattern_nodes: FxHashMap<PatternId, NodeId>,
    required_nodes: FxHashMap<NameId, NodeId>,
    constraining: FxHashMap<NodeId, Rc<[NameId]>>,
    scopes: FxHashMap<NodeId, Rc<Scope>>,
    /// The member of a union of the advertised side that covered last.
    last_cover: FxHashMap<NodeId, NodeId>,
    /// Members of wide unions of the advertised side, by what they say.
    alike: FxHashMap<NodeId, Rc<FxHashMap<u64, Vec<NodeId>>>>,
    /// Texts of the advertised document's enumerations, for values that are sent as text.
    pub(crate) words: Vec<&'d str>,
    pub(crate) made: Made<'d>,
    /// Questions that a counterexample is looked for.
    pub(crate) hunting: Vec<Question>,
    /// What nodes that stand in no document are.
    pub(crate) made_nodes: FxHashMap<NodeId, MadeNode>,
    /// Questions that are taken as answered: each is looked at by itself, and none is asked on.
    pub(crate) certified: Option<Certified>,
}

/// The questions of a certificate.
#[derive(Default)]
pub(crate) struct Certified {
    pub(crate) answered: FxHashSet<Question>,
    /// Those that others rest on, in the order in which they were met.
    pub(crate) used: Vec<Question>,
    seen: FxHashSet<Question>,
}

impl Certified {
    pub(crate) fn of(answered: FxHashSet<Question>) -> Self {
        Certified { answered, ..Certified::default() }
    }

    fn answers(&mut self, question: Question) -> bool {
        let answers = self.answered.contains(&question);
        if answers && self.seen.insert(question) {
            self.used.push(question);
        }
        answers
    }
}

/// A node that the judgement made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MadeNode {
    Kinds(Kinds),
    Pattern(PatternId),
    /// Objects that have the key.
    Required(NameId),
}

impl<'d> Prover<'d> {
    pub(crate) fn new(states: States<'d>, decode: Decode) -> Self {
        Prover {
            states,
            decode,
            sameness: Sameness::default(),
            done: FxHashMap::default(),
            open: FxHashMap::default(),
            provisional: FxHashMap::default(),
            trail: Vec::new(),
            path: Vec::new(),
            kind_nodes: FxHashMap::default(),
            pattern_nodes: FxHashMap::default(),
            required_nodes: FxHashMap::default(),
            constraining: FxHashMap::default(),
            scopes: FxHashMap::default(),
            last_cover: FxHashMap::default(),
            alike: FxHashMap::default(),
            words: Vec::new(),
            made: Made::default(),
            hunting: Vec::new(),
            made_nodes: FxHashMap::default(),
            certified: None,
        }
    }

    /// Every question that is answered with yes.
    pub(crate) fn answered(&self) -> FxHashSet<Question> {
        self.done.iter().filter(|(_, answer)| answer.is_ok()).map(|(question, _)| *question).collect()
    }

    pub(crate) fn is_proven(&self, question: &Question) -> bool {
        matches!(self.done.get(question), Some(Ok(())))
    }

    /// Notes the words that both sides list, where it matters what can be sent as text.
    pub(crate) fn gather_words(&mut self, contract: NodeId, advertised: NodeId) {
        if self.decode.root() == PLAIN {
            return;
        }
        self.words = self.words_of(advertised);
        let read = self.words_of(contract);
        self.decode.know_words(&read);
    }

    fn words_of(&self, root: NodeId) -> Vec<&'d str> {
        let (mut seen, mut open, mut words) = (FxHashSet::default(), vec![root], Vec::new());
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let node = self.states.schemas.node(id);
                let listed = node.values.iter().flat_map(|values| values.list.iter().copied());
                words.extend(listed.filter_map(|value| value.text()));
                open.extend(node.in_place().chain(node.below()));
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    pub(crate) fn fail(&self, keyword: &'static str) -> Fail {
        Fail { place: self.path.clone().into(), keyword }
    }

    pub(crate) fn exhausted(&self) -> impl Fn(Exhausted) -> Fail + use<'d> {
        let place: Rc<[Segment]> = self.path.clone().into();
        move |Exhausted| Fail { place: place.clone(), keyword: "budget" }
    }

    /// The place of a failure as a pointer into the arguments.
    pub(crate) fn location(&self, fail: &Fail) -> String {
        let mut pointer = String::new();
        for segment in fail.place.iter() {
            pointer.push('/');
            match segment {
                Segment::Name(name) => pointer.push_str(&escape_segment(self.states.schemas.name(*name))),
                Segment::Any => pointer.push('*'),
            }
        }
        pointer
    }

    /// Whether every value of the conjunction is admitted by `advertised`.
    pub(crate) fn prove(&mut self, state: StateId, advertised: NodeId, position: Position) -> Proved {
        if advertised == ANY && position == PLAIN {
            return Ok(CERTAIN);
        }
        self.states.tick(1).map_err(self.exhausted())?;
        let question = (state, advertised, position);
        if let Some(certified) = &mut self.certified {
            return if certified.answers(question) { Ok(CERTAIN) } else { Err(self.fail("certificate")) };
        }
        if let Some(known) = self.done.get(&question) {
            return known.clone().map(|()| CERTAIN);
        }
        if let Some(lowest) = self.open.get(&question).or_else(|| self.provisional.get(&question)) {
            return Ok(*lowest);
        }
        let depth = self.open.len();
        if depth >= DEPTH_MAX {
            return Err(self.fail("budget"));
        }
        self.open.insert(question, depth);
        let mark = self.trail.len();
        let answer = self.derive(state, advertised, position);
        self.open.remove(&question);
        self.settle(question, answer, depth, mark)
    }

    /// Keeps what an answer rests on straight: a proof that assumed only itself and what is below it is one for good; one
    /// that assumed a question further up holds while that does. What was proven on a way that was given up afterwards rests on
    /// its own assumptions, and not on those of the answer.
    fn settle(&mut self, question: Question, answer: Proved, depth: usize, mark: usize) -> Proved {
        match answer {
            Ok(lowest) if lowest >= depth => {
                for proven in self.trail.split_off(mark.min(self.trail.len())) {
                    if self.provisional.get(&proven).is_some_and(|lowest| *lowest < depth) {
                        self.trail.push(proven);
                        continue;
                    }
                    self.provisional.remove(&proven);
                    self.done.insert(proven, Ok(()));
                }
                self.done.insert(question, Ok(()));
                Ok(CERTAIN)
            }
            Ok(lowest) => {
                // What rests on this question rests on what it rests on: its depth is another question's from now on.
                for rests in self.trail.iter().skip(mark) {
                    if let Some(known) = self.provisional.get_mut(rests) {
                        *known = lowest.min(*known);
                    }
                }
                self.provisional.insert(question, lowest);
                self.trail.push(question);
                Ok(lowest)
            }
            Err(fail) => {
                for unproven in self.trail.split_off(mark.min(self.trail.len())) {
                    self.provisional.remove(&unproven);
                }
                if fail.keyword != "budget" {
                    self.done.insert(question, Err(fail.clone()));
                }
                Err(fail)
            }
        }
    }

    /// One question by its own clauses.
    pub(crate) fn derive(&mut self, state: StateId, advertised: NodeId, position: Position) -> Proved {
        // However large the contract is: what asks for kinds alone follows from one conjunct that has no other.
        if position == PLAIN && self.states.node(advertised).asks_for_kinds_alone() {
            let asked = self.states.node(advertised).kinds;
            if self.states.holding(state).any(|node| asked.covers(self.states.node(node).kinds)) {
                return Ok(CERTAIN);
            }
        }
        let Some(base) = self.states.base(state).map_err(self.exhausted())? else { return Ok(CERTAIN) };
        if position == PLAIN && self.says_the_same(base, advertised) {
            return Ok(CERTAIN);
        }
        self.clauses(base, advertised, position)
    }

    fn clauses(&mut self, base: StateId, advertised: NodeId, position: Position) -> Proved {
        let node = self.states.node(advertised);
        if let Some(keyword) = node.opaque {
            return Err(self.fail(keyword));
        }
        let (reference, all, not, condition) = (node.reference, node.all.clone(), node.not, node.condition);
        let (any, one) = (node.any.clone(), node.one.clone());
        let itself = usize::from(!node.says_nothing());
        if position != PLAIN && itself + reference.iter().count() + all.len() + any.iter().count() > 1 {
            // Each may be satisfied by another of the values that can be sent, and one that satisfies all may not be there.
            return Err(self.fail("decode"));
        }
        let mut lowest = self.flat(base, advertised, position)?;
        for inner in reference.into_iter().chain(all) {
            lowest = lowest.min(self.prove(base, inner, position)?);
        }
        if let Some(members) = any {
            lowest = lowest.min(self.any_of(base, advertised, &members, position)?);
        }
        if let Some(members) = one {
            lowest = lowest.min(self.one_of(base, &members, position)?);
        }
        if let Some(not) = not {
            self.not(base, not, position)?;
        }
        if let Some(condition) = condition {
            lowest = lowest.min(self.condition(base, condition, position)?);
        }
        Ok(lowest)
    }

    /// Whether one conjunct alone says what the advertised node says.
    fn says_the_same(&mut self, base: StateId, advertised: NodeId) -> bool {
        for node in self.states.holding(base) {
            if self.sameness.same(&self.states.schemas, node, advertised) {
                return true;
            }
        }
        false
    }

    /// What the advertised node says without bringing other schemas in place.
    fn flat(&mut self, base: StateId, advertised: NodeId, position: Position) -> Proved {
        if position == PLAIN && self.states.node(advertised).says_nothing() {
            return Ok(CERTAIN);
        }
        // The choices that are open may not matter; then they need not be made. With many of them that is unlikely, and
        // looking at all at once is much.
        let choice = self.states.choice(base).map_err(self.exhausted())?;
        let is_wide = choice.is_some_and(|options| options.len() > WIDE);
        let whole = if is_wide { Err(self.fail("anyOf")) } else { self.leaf(base, advertised, position) };
        let Err(first) = whole else { return whole };
        let leaves = self.states.leaves(base).map_err(self.exhausted())?;
        if let [only] = leaves.as_ref()
            && *only == base
        {
            return self.unless_empty(base, first);
        }
        let mut lowest = CERTAIN;
        for leaf in leaves.iter() {
            lowest = lowest.min(match self.leaf(*leaf, advertised, position) {
                Ok(lowest) => lowest,
                Err(fail) => self.unless_empty(*leaf, fail)?,
            });
        }
        Ok(lowest)
    }

    /// A failure counts for nothing where there is no value.
    fn unless_empty(&mut self, state: StateId, fail: Fail) -> Proved {
        if self.states.is_empty(state).map_err(self.exhausted())? { Ok(CERTAIN) } else { Err(fail) }
    }

    /// The flat clauses of the advertised node against a conjunction whose open choices are not looked into.
    fn leaf(&mut self, leaf: StateId, advertised: NodeId, position: Position) -> Proved {
        self.states.tick(1).map_err(self.exhausted())?;
        let facts = self.states.facts(leaf).map_err(self.exhausted())?;
        if let Some(values) = &facts.finite {
            return self.values(leaf, values, advertised, position);
        }
        let here = self.decode.here(position);
        if here.enum_text || here.enum_case {
            // Which texts are read as something else is known of words alone.
            return Err(self.fail(if here.enum_text { "enum-text" } else { "enum-case" }));
        }
        let node = self.states.node(advertised);
        if !node.kinds.covers(facts.kinds) {
            return Err(self.fail("type"));
        }
        if !node.values.is_empty() {
            self.finite_kinds(leaf, &facts, advertised, position)?;
            return Ok(CERTAIN);
        }
        if facts.kinds.has(Kinds::NUMBER) {
            self.number(&facts, advertised)?;
        }
        if facts.kinds.has(Kinds::STRING) {
            self.string(&facts, advertised)?;
        }
        let mut lowest = CERTAIN;
        if facts.kinds.has(Kinds::ARRAY) {
            lowest = lowest.min(self.array(leaf, &facts, advertised, position)?);
        }
        if facts.kinds.has(Kinds::OBJECT) {
            lowest = lowest.min(self.object(leaf, &facts, advertised, position)?);
        }
        Ok(lowest)
    }

    /// Each of finitely many values, asked of the evaluator.
    fn values(&mut self, leaf: StateId, values: &[&'d Value<'d>], advertised: NodeId, position: Position) -> Proved {
        for value in values {
            if !self.admits_sent(value, advertised, position) && self.states.admits(leaf, value) != Some(false) {
                return Err(self.fail("enum"));
            }
        }
        Ok(CERTAIN)
    }

    /// Whether the advertised node admits something that is read as the value.
    pub(crate) fn admits_sent(&mut self, value: &Value<'d>, advertised: NodeId, position: Position) -> bool {
        if position == PLAIN {
            return self.states.accepts(advertised, value) == Some(true);
        }
        let words = std::mem::take(&mut self.words);
        let sent = self.decode.sent(value, position, &words, &self.states.schemas);
        self.words = words;
        sent.is_some_and(|sent| sent.iter().any(|value| self.states.accepts(advertised, value) == Some(true)))
    }

    // ---------------------------------------------------------------- nodes that stand in no document

    pub(crate) fn kind_node(&mut self, kinds: Kinds) -> NodeId {
        if let Some(known) = self.kind_nodes.get(&kinds) {
            return *known;
        }
        let node = self.states.schemas.make(Node::of_kinds(kinds));
        self.made_nodes.insert(node, MadeNode::Kinds(kinds));
        self.kind_nodes.insert(kinds, node);
        node
    }

    /// Texts that the pattern matches.
    pub(crate) fn pattern_node(&mut self, pattern: PatternId) -> NodeId {
        if let Some(known) = self.pattern_nodes.get(&pattern) {
            return *known;
        }
        let node = Node { pattern: Some(pattern), ..Node::of_kinds(Kinds::STRING) };
        let node = self.states.schemas.make(node);
        self.made_nodes.insert(node, MadeNode::Pattern(pattern));
        self.pattern_nodes.insert(pattern, node);
        node
    }

    /// Objects that have the key.
    pub(crate) fn required_node(&mut self, name: NameId) -> NodeId {
        if let Some(known) = self.required_nodes.get(&name) {
            return *known;
        }
        let rules = crate::schema::ObjectRules { required: vec![name], ..Default::default() };
        let node = Node { object: Some(Box::new(rules)), ..Node::of_kinds(Kinds::OBJECT) };
        let node = self.states.schemas.make(node);
        self.made_nodes.insert(node, MadeNode::Required(name));
        self.required_nodes.insert(name, node);
        node
    }

    /// Names that the advertised node itself asks something of.
    pub(crate) fn constraining(&mut self, advertised: NodeId) -> Rc<[NameId]> {
        if let Some(known) = self.constraining.get(&advertised) {
            return known.clone();
        }
        let node = self.states.node(advertised);
        let names: Rc<[NameId]> = node
            .object
            .iter()
            .flat_map(|rules| &rules.properties)
            .filter(|(_, inner)| !is_any(&self.states.schemas, *inner))
            .map(|(name, _)| *name)
            .collect();
        self.constraining.insert(advertised, names.clone());
        names
    }

    /// Names and patterns that anything which `node` brings in place declares or mentions.
    pub(crate) fn scope(&mut self, node: NodeId) -> Rc<Scope> {
        if let Some(known) = self.scopes.get(&node) {
            return known.clone();
        }
        let (mut seen, mut open, mut scope) = (FxHashSet::default(), vec![node], Scope::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.states.node(id);
            if let Some(rules) = &node.object {
                scope.names.extend(rules.properties.iter().map(|(name, _)| *name));
                scope.names.extend(&rules.mentioned);
                scope.patterns.extend(rules.patterns.iter().map(|(pattern, _)| *pattern));
            }
            open.extend(node.in_place());
        }
        let mut known = FxHashSet::default();
        scope.names.retain(|name| known.insert(*name));
        let scope = Rc::new(scope);
        self.scopes.insert(node, scope.clone());
        scope
    }

    pub(crate) fn intern(&mut self, name: &'d str) -> NameId {
        self.states.schemas.intern(Cow::Borrowed(name))
    }
}

/// The conjunction of a state and one more node that holds.
pub(crate) fn also(states: &mut States<'_>, state: StateId, node: NodeId) -> StateId {
    states.with(state, Literal::holds(node))
}
