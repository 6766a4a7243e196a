//! Objects: required keys, what each key may hold, names, counts, dependencies, unevaluated keys.
//!
//! The keys of an object fall into classes: each name that somebody declares, for each pattern the undeclared names that it
//! matches, and the fresh ones that nobody speaks of. One question a class decides for all its keys.

use super::{CERTAIN, Fail, Proved, Prover, Segment, also};
use crate::decode::{Here, PLAIN, Position};
use crate::json::Value;
use crate::kinds::Kinds;
use crate::schema::{ANY, NEVER, NameId, NodeId, ObjectRules, PatternId};
use crate::states::{Alternative, Facts, Item, Key, StateId};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Names that `propertyNames` of the contract lists, taken as declared.
const LISTED_NAMES_MAX: usize = 2_000;

/// The object side of one question.
pub(crate) struct Asked<'q, 'd> {
    pub(crate) leaf: StateId,
    pub(crate) facts: &'q Facts<'d>,
    pub(crate) advertised: NodeId,
    pub(crate) position: Position,
    pub(crate) here: Here,
}

impl<'d> Prover<'d> {
    pub(super) fn object(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        advertised: NodeId,
        position: Position,
    ) -> Proved {
        let asked = Asked { leaf, facts, advertised, position, here: self.decode.here(position) };
        if self.states.node(advertised).object.is_none() && position == PLAIN {
            return Ok(CERTAIN);
        }
        self.required(&asked)?;
        self.counts(&asked)?;
        self.dependent_names(&asked)?;
        let mut lowest = self.dependent_schemas(&asked)?;
        let classes = self.classes(&asked)?;
        for key in classes {
            lowest = lowest.min(self.key(&asked, key)?);
        }
        Ok(lowest)
    }

    pub(crate) fn rules(&self, advertised: NodeId) -> Option<&ObjectRules> {
        self.states.node(advertised).object.as_deref()
    }

    /// Every key that the advertised node requires is one that the contract requires, or is sent as `null`.
    fn required(&mut self, asked: &Asked<'_, 'd>) -> Result<(), Fail> {
        let required = self.rules(asked.advertised).map_or_else(Vec::new, |rules| rules.required.clone());
        for sent in required {
            if !self.is_always_sent(asked, sent) {
                return Err(self.fail("required"));
            }
        }
        Ok(())
    }

    /// Whether a key is in whatever is sent.
    pub(crate) fn is_always_sent(&mut self, asked: &Asked<'_, 'd>, sent: NameId) -> bool {
        let Some(name) = asked.here.read(sent) else { return false };
        if asked.facts.requires(name) {
            return true;
        }
        let below = self.decode.below(asked.position, Some(name));
        self.decode.here(below).null_means_absent
    }

    /// Keys that are sent as `null` where they are absent.
    fn nulls(&mut self, asked: &Asked<'_, 'd>) -> Vec<NameId> {
        let names = self.decode.named_below(asked.position);
        let is_null = |prover: &mut Self, name: NameId| {
            let below = prover.decode.below(asked.position, Some(name));
            prover.decode.here(below).null_means_absent && !asked.facts.requires(name)
        };
        names.into_iter().filter(|name| is_null(self, *name)).collect()
    }

    fn counts(&mut self, asked: &Asked<'_, 'd>) -> Result<(), Fail> {
        let (min, max) = self.rules(asked.advertised).map_or((0, None), |rules| (rules.min, rules.max));
        if min > asked.facts.names_min {
            return Err(self.fail("minProperties"));
        }
        let nulls = if asked.position == PLAIN { 0 } else { self.nulls(asked).len() as u64 };
        let Some(max) = max else { return Ok(()) };
        if asked.facts.names_max.is_some_and(|known| known.saturating_add(nulls) <= max) {
            return Ok(());
        }
        match self.allowed_names(asked)? {
            Some(allowed) if allowed.saturating_add(nulls) <= max => Ok(()),
            _ => Err(self.fail("maxProperties")),
        }
    }

    /// How many keys the contract admits at all, where they are finitely many.
    fn allowed_names(&mut self, asked: &Asked<'_, 'd>) -> Result<Option<u64>, Fail> {
        let mut allowed = 0;
        for key in self.classes(asked)? {
            if self.is_refused(asked, key)? || self.is_name_refused(asked, key)? {
                continue;
            }
            match key {
                Key::Name(_) => allowed += 1,
                Key::Pattern(_) | Key::Fresh => return Ok(None),
            }
        }
        Ok(Some(allowed))
    }

    fn dependent_names(&mut self, asked: &Asked<'_, 'd>) -> Result<(), Fail> {
        let dependent = self.rules(asked.advertised).map_or_else(Vec::new, |rules| rules.dependent_names.clone());
        for (trigger, needs) in dependent {
            for need in needs {
                if self.is_always_sent(asked, need) {
                    continue;
                }
                let is_implied = asked.position == PLAIN
                    && (self.implies(asked.leaf, trigger, need) || self.is_refused(asked, Key::Name(trigger))?);
                if !is_implied {
                    return Err(self.fail("dependentRequired"));
                }
            }
        }
        Ok(())
    }

    /// Whether the contract, too, asks for `need` where there is `trigger`, by however many steps.
    fn implies(&self, leaf: StateId, trigger: NameId, need: NameId) -> bool {
        let mut known: FxHashSet<NameId> = FxHashSet::default();
        let mut open = vec![trigger];
        while let Some(name) = open.pop() {
            if !known.insert(name) {
                continue;
            }
            for node in self.states.holding(leaf) {
                let dependent = self.rules(node).into_iter().flat_map(|rules| &rules.dependent_names);
                open.extend(dependent.filter(|(known, _)| *known == name).flat_map(|(_, names)| names));
            }
        }
        known.contains(&need)
    }

    fn is_refused(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Result<bool, Fail> {
        Ok(self.states.alternatives(asked.leaf, key).map_err(self.exhausted())?.is_empty())
    }

    fn dependent_schemas(&mut self, asked: &Asked<'_, 'd>) -> Proved {
        let dependent = self.rules(asked.advertised).map_or_else(Vec::new, |rules| rules.dependent_schemas.clone());
        let mut lowest = CERTAIN;
        for (trigger, inner) in dependent {
            if asked.position != PLAIN {
                return Err(self.fail("dependentSchemas"));
            }
            if self.is_refused(asked, Key::Name(trigger))? || self.has_same_dependent(asked.leaf, trigger, inner) {
                continue;
            }
            let required = self.required_node(trigger);
            let with = also(&mut self.states, asked.leaf, required);
            lowest = lowest.min(self.prove(with, inner, PLAIN)?);
        }
        Ok(lowest)
    }

    fn has_same_dependent(&mut self, leaf: StateId, trigger: NameId, inner: NodeId) -> bool {
        for node in self.states.holding(leaf) {
            let dependent = self.rules(node).map_or_else(Vec::new, |rules| rules.dependent_schemas.clone());
            for (known, schema) in dependent {
                if known == trigger && self.sameness.same(&self.states.schemas, schema, inner) {
                    return true;
                }
            }
        }
        false
    }

    // ---------------------------------------------------------------- keys

    /// The classes of keys that a value of the conjunction can have and that somebody speaks of.
    pub(crate) fn classes(&mut self, asked: &Asked<'_, 'd>) -> Result<Vec<Key>, Fail> {
        let mut names: Vec<NameId> = asked.facts.declared.clone();
        let mut known: FxHashSet<NameId> = names.iter().copied().collect();
        let mut more = asked.facts.required.clone();
        let mut patterns: Vec<PatternId> = asked.facts.key_patterns.clone();
        for node in self.states.holding(asked.leaf).collect::<Vec<_>>() {
            if self.rules(node).is_some_and(|rules| rules.unevaluated.is_some()) {
                let parts = self.states.parts(asked.leaf, node).map_err(self.exhausted())?;
                for id in &parts.holding {
                    more.extend(self.rules(*id).into_iter().flat_map(|rules| &rules.mentioned));
                }
                for id in parts.possible.iter().flat_map(|part| part.evaluating) {
                    let scope = self.scope(id);
                    more.extend(&scope.names);
                    patterns
                        .extend(scope.patterns.iter().filter(|pattern| !asked.facts.key_patterns.contains(pattern)));
                }
            }
        }
        if asked.position != PLAIN {
            more.extend(self.decode.named_below(asked.position));
        }
        let listed = self.listed_names(asked)?;
        let is_open = !self.is_refused(asked, Key::Fresh)?;
        let has_patterns = !patterns.is_empty();
        match &listed {
            Some(listed) => more.extend(listed),
            None if is_open || has_patterns => {
                let asks = self.constraining(asked.advertised);
                more.extend(asks.iter().filter_map(|sent| asked.here.read(*sent)));
                let dependent = self.rules(asked.advertised).into_iter().flat_map(|rules| &rules.dependent_names);
                more.extend(dependent.filter_map(|(trigger, _)| asked.here.read(*trigger)));
            }
            None => {}
        }
        names.extend(more.into_iter().filter(|name| known.insert(*name)));
        if let Some(listed) = &listed {
            let listed: FxHashSet<NameId> = listed.iter().copied().collect();
            names.retain(|name| listed.contains(name));
        }
        let mut classes: Vec<Key> = names.into_iter().map(Key::Name).collect();
        if listed.is_some() {
            return Ok(classes);
        }
        if is_open || has_patterns {
            let theirs = self.rules(asked.advertised).into_iter().flat_map(|rules| &rules.patterns);
            let theirs: Vec<PatternId> = theirs.map(|(pattern, _)| *pattern).collect();
            patterns.extend(theirs.into_iter().filter(|pattern| !asked.facts.key_patterns.contains(pattern)));
        }
        let mut known = FxHashSet::default();
        patterns.retain(|pattern| known.insert(*pattern));
        classes.extend(patterns.into_iter().map(Key::Pattern));
        if is_open {
            classes.push(Key::Fresh);
        }
        Ok(classes)
    }

    /// The names that `propertyNames` of the contract admits, where they are finitely many.
    fn listed_names(&mut self, asked: &Asked<'_, 'd>) -> Result<Option<Vec<NameId>>, Fail> {
        if asked.facts.names.is_empty() {
            return Ok(None);
        }
        let state = self.names_state(asked, None);
        let Some(base) = self.states.base(state).map_err(self.exhausted())? else { return Ok(Some(Vec::new())) };
        let facts = self.states.facts(base).map_err(self.exhausted())?;
        let Some(values) = &facts.finite else { return Ok(None) };
        if values.len() > LISTED_NAMES_MAX {
            return Ok(None);
        }
        Ok(Some(values.iter().filter_map(|value| value.text()).map(|name| self.intern(name)).collect()))
    }

    /// What the contract says about the names of keys, those of a pattern where one is given.
    fn names_state(&mut self, asked: &Asked<'_, 'd>, pattern: Option<PatternId>) -> StateId {
        let strings = match pattern {
            Some(pattern) => self.pattern_node(pattern),
            None => self.kind_node(Kinds::STRING),
        };
        let mut state = self.states.state_of(strings);
        for node in &asked.facts.names {
            state = also(&mut self.states, state, *node);
        }
        state
    }

    /// One class of keys: each value that such a key can have is admitted, and so is its name.
    fn key(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Proved {
        let name = if let Key::Name(name) = key { Some(name) } else { None };
        let below = self.decode.below(asked.position, name);
        self.path.push(name.map_or(Segment::Any, Segment::Name));
        let answer = self.key_values(asked, key, below);
        self.path.pop();
        answer
    }

    fn key_values(&mut self, asked: &Asked<'_, 'd>, key: Key, below: Position) -> Proved {
        let sent = match key {
            Key::Name(name) => Key::Name(asked.here.sent(name)),
            key => key,
        };
        let mut children = self.advertised_children(asked.advertised, sent);
        if children.is_empty() && below != PLAIN {
            // Nothing is asked of what is sent, but not everything can be sent for what it is.
            children.push(ANY);
        }
        if children.len() > 1 && below != PLAIN {
            // As with the clauses of one node: what each is satisfied by need not be the same that is sent.
            return Err(self.fail("decode"));
        }
        let mut lowest = CERTAIN;
        if below != PLAIN {
            self.absent_key(asked, key, below, &children)?;
        }
        let alternatives = self.states.alternatives(asked.leaf, key).map_err(self.exhausted())?;
        if alternatives.is_empty() || self.is_name_refused(asked, key)? {
            return Ok(CERTAIN);
        }
        if asked.position != PLAIN {
            self.lost_values(asked, key, below, &alternatives)?;
        }
        for alternative in alternatives {
            for child in &children {
                let proved = self.prove(alternative.child, *child, below);
                lowest = lowest.min(self.unless_key_absent(alternative, proved)?);
            }
            lowest = lowest.min(self.unevaluated(asked, key, alternative, below)?);
        }
        self.name(asked, sent)?;
        Ok(lowest)
    }

    /// A key that has no value is in no object, and then what is asked of it does not matter.
    fn unless_key_absent(&mut self, alternative: Alternative, proved: Proved) -> Proved {
        let Err(fail) = proved else { return proved };
        if self.is_absent(alternative)? { Ok(CERTAIN) } else { Err(fail) }
    }

    fn is_absent(&mut self, alternative: Alternative) -> Result<bool, Fail> {
        let is_empty = |prover: &mut Self, state| prover.states.is_empty(state).map_err(prover.exhausted());
        Ok(is_empty(self, alternative.child)? || is_empty(self, alternative.state)?)
    }

    /// Whether the contract's `propertyNames` refuses a name.
    fn is_name_refused(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Result<bool, Fail> {
        let Key::Name(name) = key else { return Ok(false) };
        for node in &asked.facts.names {
            let text = Value::Text(Cow::Owned(self.states.schemas.name(name).to_owned()));
            if self.states.accepts(*node, &text) == Some(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The schemas that the advertised node itself applies to a key of the class.
    pub(crate) fn advertised_children(&self, advertised: NodeId, key: Key) -> Vec<NodeId> {
        let Some(rules) = self.rules(advertised) else { return Vec::new() };
        let mut children = Vec::new();
        let (mut is_matched, mut is_unsure) = (false, false);
        match key {
            Key::Name(name) => {
                if let Some(property) = rules.property(name) {
                    is_matched = true;
                    children.push(property);
                }
                for (pattern, inner) in &rules.patterns {
                    match self.states.schemas.matches(*pattern, self.states.schemas.name(name)) {
                        Some(false) => {}
                        // Where it cannot be said whether the pattern matches, what either answer asks has to hold.
                        answer => {
                            is_matched |= answer == Some(true);
                            is_unsure |= answer.is_none();
                            children.push(*inner);
                        }
                    }
                }
            }
            Key::Pattern(pattern) => {
                if let Some(inner) = rules.pattern(pattern) {
                    is_matched = true;
                    children.push(inner);
                }
            }
            Key::Fresh => {}
        }
        if !is_matched || (is_unsure && children.is_empty()) {
            children.extend(rules.rest);
        }
        children.retain(|child| *child != ANY);
        children
    }

    /// A key that the advertised side has `null` for where the contract has no key.
    fn absent_key(
        &mut self,
        asked: &Asked<'_, 'd>,
        key: Key,
        below: Position,
        children: &[NodeId],
    ) -> Result<(), Fail> {
        let Key::Name(name) = key else { return Ok(()) };
        if !self.decode.here(below).null_means_absent || asked.facts.requires(name) {
            return Ok(());
        }
        for child in children {
            if self.states.accepts(*child, &Value::Null) != Some(true) {
                return Err(self.fail("null-means-absent"));
            }
        }
        Ok(())
    }

    /// Values that can no longer be said: `null` where it means absence, a key whose name means another.
    fn lost_values(
        &mut self,
        asked: &Asked<'_, 'd>,
        key: Key,
        below: Position,
        alternatives: &[Alternative],
    ) -> Result<(), Fail> {
        let null_means_absent = self.decode.here(below).null_means_absent;
        let is_taken = matches!(key, Key::Name(name) if asked.here.is_taken(name));
        for alternative in alternatives {
            if is_taken && !self.is_absent(*alternative)? {
                return Err(self.fail("rename"));
            }
            if null_means_absent {
                let null = self.kind_node(Kinds::NULL);
                let child = also(&mut self.states, alternative.child, null);
                if !self.is_absent(Alternative { child, ..*alternative })? {
                    return Err(self.fail("null-means-absent"));
                }
            }
        }
        Ok(())
    }

    /// The advertised `propertyNames`.
    fn name(&mut self, asked: &Asked<'_, 'd>, sent: Key) -> Result<(), Fail> {
        let Some(names) = self.rules(asked.advertised).and_then(|rules| rules.names) else { return Ok(()) };
        let answer = match sent {
            Key::Name(name) => {
                let text = Value::Text(Cow::Owned(self.states.schemas.name(name).to_owned()));
                self.states.accepts(names, &text) == Some(true)
            }
            Key::Pattern(pattern) => {
                let state = self.names_state(asked, Some(pattern));
                self.prove(state, names, PLAIN).is_ok_and(|lowest| lowest == CERTAIN)
            }
            Key::Fresh => {
                let state = self.names_state(asked, None);
                self.prove(state, names, PLAIN).is_ok_and(|lowest| lowest == CERTAIN)
            }
        };
        if answer { Ok(()) } else { Err(self.fail("propertyNames")) }
    }

    // ---------------------------------------------------------------- unevaluatedProperties of the advertised side

    /// What the advertised node asks of a key that nothing of it evaluates.
    fn unevaluated(&mut self, asked: &Asked<'_, 'd>, key: Key, alternative: Alternative, below: Position) -> Proved {
        let unevaluated = self.rules(asked.advertised).and_then(|rules| rules.unevaluated);
        let Some(unevaluated) = unevaluated.filter(|unevaluated| unevaluated.node != ANY) else { return Ok(CERTAIN) };
        let sent = match key {
            Key::Name(name) => Key::Name(asked.here.sent(name)),
            key => key,
        };
        if let Some(lowest) = self.evaluates(asked.advertised, true, sent, alternative.state, asked.position, 0)? {
            return Ok(lowest);
        }
        let proved = if unevaluated.node == NEVER {
            Err(self.fail("unevaluatedProperties"))
        } else {
            self.prove(alternative.child, unevaluated.node, below)
        };
        self.unless_key_absent(alternative, proved)
    }

    /// Whether a part of the advertised node that holds for every value of the conjunction evaluates the key; with what that
    /// rests on.
    fn evaluates(
        &mut self,
        part: NodeId,
        is_scope: bool,
        key: Key,
        state: StateId,
        position: Position,
        depth: u32,
    ) -> Result<Option<usize>, Fail> {
        self.states.tick(1).map_err(self.exhausted())?;
        if depth > 40 {
            return Ok(None);
        }
        if self.rules(part).is_some_and(|rules| self.evaluates_itself(rules, is_scope, key)) {
            return Ok(Some(CERTAIN));
        }
        let node = self.states.node(part);
        let certain: Vec<NodeId> = node.reference.iter().chain(&node.all).copied().collect();
        let members: Vec<NodeId> = node.any.iter().chain(&node.one).flatten().copied().collect();
        let condition = node.condition;
        for inner in certain {
            if let Some(lowest) = self.evaluates(inner, false, key, state, position, depth + 1)? {
                return Ok(Some(lowest));
            }
        }
        // Which member holds is known at once of one that says what the contract says.
        for member in self.alike(state, part, &members) {
            if let Some(rests_on) = self.evaluates(member, false, key, state, position, depth + 1)?
                && let Ok(lowest) = self.prove(state, member, position)
            {
                return Ok(Some(lowest.min(rests_on)));
            }
        }
        let mut evaluating = Vec::new();
        for member in members {
            if let Some(rests_on) = self.evaluates(member, false, key, state, position, depth + 1)? {
                evaluating.push((member, rests_on));
            }
        }
        if !evaluating.is_empty() {
            let lowest = evaluating.iter().map(|(_, rests_on)| *rests_on).min().unwrap_or(CERTAIN);
            let members: Vec<NodeId> = evaluating.into_iter().map(|(member, _)| member).collect();
            if let Ok(covered) = self.covered(state, part, &members, position) {
                return Ok(Some(lowest.min(covered)));
            }
        }
        let Some(condition) = condition.filter(|_| position == PLAIN) else { return Ok(None) };
        // One of the two branches holds; the key is evaluated where both evaluate it, or where it is known which holds.
        if self.prove(state, condition.test, PLAIN).is_ok_and(|lowest| lowest == CERTAIN) {
            for inner in [condition.test, condition.then] {
                if let Some(lowest) = self.evaluates(inner, false, key, state, position, depth + 1)? {
                    return Ok(Some(lowest));
                }
            }
        }
        let test = also(&mut self.states, state, condition.test);
        if self.states.is_empty(test).map_err(self.exhausted())? {
            return self.evaluates(condition.other, false, key, state, position, depth + 1);
        }
        let with_test = match self.evaluates(condition.then, false, key, state, position, depth + 1)? {
            Some(lowest) => Some(lowest),
            None => self.evaluates(condition.test, false, key, state, position, depth + 1)?,
        };
        let without = self.evaluates(condition.other, false, key, state, position, depth + 1)?;
        Ok(with_test.zip(without).map(|(one, other)| one.min(other)))
    }

    fn evaluates_itself(&self, rules: &ObjectRules, is_scope: bool, key: Key) -> bool {
        if rules.rest.is_some() || (rules.unevaluated.is_some() && !is_scope) {
            return true;
        }
        match key {
            Key::Name(name) => {
                rules.property(name).is_some()
                    || rules.patterns.iter().any(|(pattern, _)| {
                        self.states.schemas.matches(*pattern, self.states.schemas.name(name)) == Some(true)
                    })
            }
            Key::Pattern(pattern) => rules.pattern(pattern).is_some(),
            Key::Fresh => false,
        }
    }

    /// What holds for the first item or later ones, for whoever builds values.
    pub(crate) fn item_state(&mut self, leaf: StateId, index: usize, prefix: usize) -> StateId {
        self.states.item(leaf, if index < prefix { Item::At(index) } else { Item::Later })
    }
}
