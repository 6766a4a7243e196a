//! Looks for a value of the contract that the advertised schema refuses, where no proof was found.
//!
//! The walk is that of the proof, down to where it ended; there values are made that the advertised clause should refuse, asked
//! of the evaluator, and carried back up. Whatever comes out is confirmed elsewhere.

use crate::decode::Position;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::pattern::languages::Answer;
use crate::prove::{Asked, Prover, Question, Segment, also};
use crate::schema::{NEVER, NodeId};
use crate::states::{Alternative, Facts, Key, Literal, StateId};
use crate::witness::{Hints, Shape, Wanted, matching};
use std::borrow::Cow;

/// Nesting of the walk.
const DEPTH_MAX: usize = 60;
/// Leaves that are looked into.
const LEAVES_MAX: usize = 3_000;

/// A value that was found, and where and by what it is refused.
#[derive(Clone, Debug)]
pub(crate) struct Found<'d> {
    pub(crate) value: Value<'d>,
    pub(crate) location: Vec<Segment>,
    pub(crate) keyword: &'static str,
}

type Hunted<'d> = Option<Found<'d>>;

impl<'d> Prover<'d> {
    /// A value of the conjunction, nothing that is read as which `advertised` admits.
    pub(crate) fn hunt(&mut self, state: StateId, advertised: NodeId, position: Position) -> Hunted<'d> {
        let question: Question = (state, advertised, position);
        if self.is_proven(&question) || self.hunting.len() > DEPTH_MAX || self.hunting.contains(&question) {
            return None;
        }
        self.states.tick(2).ok()?;
        let base = self.states.base(state).ok()??;
        self.hunting.push(question);
        let found = self.hunt_clauses(base, advertised, position);
        self.hunting.pop();
        found
    }

    fn hunt_clauses(&mut self, base: StateId, advertised: NodeId, position: Position) -> Hunted<'d> {
        let node = self.states.node(advertised);
        let inner: Vec<NodeId> = node.reference.iter().chain(&node.all).copied().collect();
        let unions: Vec<(Vec<NodeId>, bool)> = node
            .any
            .iter()
            .map(|any| (any.clone(), false))
            .chain(node.one.iter().map(|one| (one.clone(), true)))
            .collect();
        let (not, condition) = (node.not, node.condition);
        let leaves = self.states.leaves(base).ok()?;
        for leaf in leaves.iter().take(LEAVES_MAX) {
            if let Some(found) = self.hunt_leaf(*leaf, advertised, position) {
                return Some(found);
            }
        }
        for inner in inner {
            if let Some(found) = self.hunt(base, inner, position)
                && let Some(found) = self.carried(base, advertised, position, found.clone(), found.value)
            {
                return Some(found);
            }
        }
        for (members, is_one) in unions {
            if let Some(found) = self.hunt_union(base, advertised, &members, is_one, position) {
                return Some(found);
            }
        }
        if let Some(not) = not {
            let with = also(&mut self.states, base, not);
            let found = self.hunt_offers(with, advertised, position, "not");
            if found.is_some() {
                return found;
            }
        }
        if let Some(condition) = condition {
            let holds = also(&mut self.states, base, condition.test);
            let fails = self.states.with(base, Literal::fails(condition.test));
            for (state, branch) in [(holds, condition.then), (fails, condition.other)] {
                if let Some(found) = self.hunt(state, branch, position)
                    && let Some(found) = self.carried(base, advertised, position, found.clone(), found.value)
                {
                    return Some(found);
                }
            }
        }
        self.hunt_offers(base, advertised, position, self.last_keyword(advertised))
    }

    fn last_keyword(&self, advertised: NodeId) -> &'static str {
        let node = self.states.node(advertised);
        match (&node.any, &node.one, node.not, node.condition) {
            (Some(_), ..) => "anyOf",
            (_, Some(_), ..) => "oneOf",
            (_, _, Some(_), _) => "not",
            (_, _, _, Some(_)) => "if",
            _ if !node.values.is_empty() => "enum",
            _ => "type",
        }
    }

    /// Values of each leaf that are near what the advertised node names.
    fn hunt_offers(
        &mut self,
        state: StateId,
        advertised: NodeId,
        position: Position,
        keyword: &'static str,
    ) -> Hunted<'d> {
        let mut hints = Hints::default();
        self.hint(advertised, &mut hints, 0);
        let offers = self.offers(state, &hints, 60);
        offers.into_iter().find_map(|value| self.refused(state, advertised, position, value, keyword))
    }

    fn hunt_union(
        &mut self,
        base: StateId,
        advertised: NodeId,
        members: &[NodeId],
        is_one: bool,
        position: Position,
    ) -> Hunted<'d> {
        let leaves = self.states.leaves(base).ok()?;
        for leaf in leaves.iter().take(LEAVES_MAX) {
            for member in members.iter().take(40) {
                if let Some(found) = self.hunt(*leaf, *member, position)
                    && let Some(found) = self.carried(*leaf, advertised, position, found.clone(), found.value)
                {
                    return Some(found);
                }
            }
            for (index, one) in members.iter().enumerate().take(if is_one { 20 } else { 0 }) {
                for other in members.iter().skip(index + 1).take(20) {
                    let with = also(&mut self.states, *leaf, *one);
                    let with = also(&mut self.states, with, *other);
                    let found = self.hunt_offers(with, advertised, position, "oneOf");
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// The value, if the conjunction admits it and the advertised node refuses whatever is read as it.
    fn refused(
        &mut self,
        state: StateId,
        advertised: NodeId,
        position: Position,
        value: Value<'d>,
        keyword: &'static str,
    ) -> Hunted<'d> {
        let is_member = self.states.admits(state, &value) == Some(true);
        if is_member && self.refuses_sent(&value, advertised, position) {
            return Some(Found { value, location: self.path.clone(), keyword });
        }
        None
    }

    /// As [`Prover::refused`], for a value around one that was refused below.
    fn carried(
        &mut self,
        state: StateId,
        advertised: NodeId,
        position: Position,
        found: Found<'d>,
        value: Value<'d>,
    ) -> Hunted<'d> {
        let carried = self.refused(state, advertised, position, value, found.keyword)?;
        Some(Found { location: found.location, ..carried })
    }

    fn refuses_sent(&mut self, value: &Value<'d>, advertised: NodeId, position: Position) -> bool {
        let words = std::mem::take(&mut self.words);
        let sent = self.decode.sent(value, position, &words, &self.states.schemas);
        self.words = words;
        sent.is_some_and(|sent| sent.iter().all(|value| self.states.accepts(advertised, value) == Some(false)))
    }

    fn hunt_leaf(&mut self, leaf: StateId, advertised: NodeId, position: Position) -> Hunted<'d> {
        let facts = self.states.facts(leaf).ok()?;
        let mut hints = Hints::default();
        self.hint(advertised, &mut hints, 0);
        if let Some(values) = &facts.finite {
            return values.iter().find_map(|value| self.refused(leaf, advertised, position, (*value).clone(), "enum"));
        }
        for kind in Kinds::EACH.into_iter().filter(|kind| facts.kinds.has(*kind)) {
            let is_kind_refused = !self.states.node(advertised).kinds.has(kind);
            if kind == Kinds::STRING {
                hints.made = self.texts_outside(&facts, advertised);
            }
            let mut whole = None;
            for value in self.kind_offers(leaf, &facts, kind, &hints) {
                let keyword = if is_kind_refused { "type" } else { self.keyword_of(kind, advertised, &value) };
                whole = self.refused(leaf, advertised, position, value, keyword);
                if whole.is_some() {
                    break;
                }
            }
            // Where it is a part that is refused, the part says more.
            let part = match kind {
                _ if is_kind_refused => None,
                Kinds::ARRAY => self.hunt_array(leaf, &facts, advertised, position),
                Kinds::OBJECT if self.lacks_required(whole.as_ref(), advertised) => None,
                Kinds::OBJECT => self.hunt_object(leaf, &facts, advertised, position),
                _ => None,
            };
            let found = part.or(whole);
            if found.is_some() {
                return found;
            }
            if kind == Kinds::OBJECT && !is_kind_refused {
                let found = self.hunt_presence(leaf, &facts, advertised, position);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// A text that no pattern of the contract rules out and the advertised one does.
    fn texts_outside(&mut self, facts: &Facts<'d>, advertised: NodeId) -> Vec<String> {
        let Some(pattern) = self.states.node(advertised).pattern else { return Vec::new() };
        let asked = self.states.schemas.pattern_text(pattern).to_owned();
        match self.states.text_outside(&facts.patterns, &asked) {
            Answer::Text(text) => vec![text],
            Answer::None | Answer::CannotSay => Vec::new(),
        }
    }

    fn lacks_required(&self, found: Option<&Found<'d>>, advertised: NodeId) -> bool {
        let Some(found) = found else { return false };
        let required = self.rules(advertised).into_iter().flat_map(|rules| &rules.required);
        required.into_iter().any(|name| found.value.member(self.states.schemas.name(*name)).is_none())
    }

    /// The keyword that most likely refuses a value that is offered for its own sake.
    fn keyword_of(&self, kind: Kinds, advertised: NodeId, value: &Value<'d>) -> &'static str {
        let node = self.states.node(advertised);
        if !node.values.is_empty() {
            return "enum";
        }
        match kind {
            Kinds::INTEGER | Kinds::FRACTION => {
                let number = value.number();
                let beyond = |bound: &Option<crate::schema::Bound>, is_low: bool| {
                    bound.as_ref().zip(number.as_ref()).is_some_and(|(bound, number)| {
                        if is_low { *number <= bound.value } else { *number >= bound.value }
                    })
                };
                match () {
                    () if beyond(&node.low, true) => "minimum",
                    () if beyond(&node.high, false) => "maximum",
                    () => "multipleOf",
                }
            }
            Kinds::STRING => {
                let length = value.text().map_or(0, |text| text.chars().count() as u64);
                match () {
                    () if length < node.length_min => "minLength",
                    () if node.length_max.is_some_and(|max| length > max) => "maxLength",
                    () => "pattern",
                }
            }
            Kinds::ARRAY => "minItems",
            _ => "required",
        }
    }

    fn hunt_array(&mut self, leaf: StateId, facts: &Facts<'d>, advertised: NodeId, position: Position) -> Hunted<'d> {
        let below = self.decode.below(position, None);
        let rules = self.states.node(advertised).array.as_deref();
        let mut lengths = vec![(facts.items_min, "minItems")];
        let (mut prefix, mut rest) = (Vec::new(), None);
        if let Some(rules) = rules {
            lengths.push((rules.min.saturating_sub(1), "minItems"));
            lengths.extend(rules.max.map(|max| (max.saturating_add(1).max(facts.items_min), "maxItems")));
            (prefix, rest) = (rules.prefix.clone(), rules.items.or(rules.unevaluated));
            if rules.contains.is_some() {
                lengths.extend([(0, "contains"), (facts.items_min.saturating_add(1), "contains")]);
            }
        }
        for (length, keyword) in lengths {
            if let Some(value) = self.list(leaf, facts, length, None) {
                let found = self.refused(leaf, advertised, position, value, keyword);
                if found.is_some() {
                    return found;
                }
            }
        }
        if !facts.unique && facts.items_max.is_none_or(|max| max > 1) {
            let length = facts.items_min.max(2);
            if let Some(value) = self.list(leaf, facts, length, None) {
                let found = self.refused(leaf, advertised, position, value, "uniqueItems");
                if found.is_some() {
                    return found;
                }
            }
        }
        self.path.push(Segment::Any);
        let found = (0..=prefix.len().max(facts.prefix)).find_map(|index| {
            let asked = prefix.get(index).copied().or(rest)?;
            let child = self.item_state(leaf, index, facts.prefix);
            let found = self.hunt(child, asked, below)?;
            let length = facts.items_min.max(index as u64 + 1);
            let value = self.list(leaf, facts, length, Some((index, found.value.clone())))?;
            self.carried(leaf, advertised, position, found, value)
        });
        self.path.pop();
        found
    }

    /// Keys whose value is refused.
    fn hunt_object(&mut self, leaf: StateId, facts: &Facts<'d>, advertised: NodeId, position: Position) -> Hunted<'d> {
        let asked = Asked { leaf, facts, advertised, position, here: self.decode.here(position) };
        let classes = self.classes(&asked).ok()?;
        classes.into_iter().find_map(|key| self.at_key(key, |prover| prover.hunt_key(&asked, key)))
    }

    /// Keys that it is enough to have: in a closed object, by their name, for a dependency; and too many of them.
    fn hunt_presence(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        advertised: NodeId,
        position: Position,
    ) -> Hunted<'d> {
        let asked = Asked { leaf, facts, advertised, position, here: self.decode.here(position) };
        let classes = self.classes(&asked).ok()?;
        let found = classes.into_iter().find_map(|key| self.at_key(key, |prover| prover.hunt_name(&asked, key)));
        found.or_else(|| self.hunt_counts(&asked))
    }

    fn at_key<T>(&mut self, key: Key, look: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(if let Key::Name(name) = key { Segment::Name(name) } else { Segment::Any });
        let answer = look(self);
        self.path.pop();
        answer
    }

    fn hunt_counts(&mut self, asked: &Asked<'_, 'd>) -> Hunted<'d> {
        let max = self.rules(asked.advertised)?.max?;
        let shape = Shape { with: Vec::new(), keys_min: max.saturating_add(1) };
        let value = self.map(asked.leaf, asked.facts, &shape)?;
        self.refused(asked.leaf, asked.advertised, asked.position, value, "maxProperties")
    }

    fn hunt_key(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Hunted<'d> {
        self.states.tick(2).ok()?;
        let name = if let Key::Name(name) = key { Some(name) } else { None };
        let below = self.decode.below(asked.position, name);
        let alternatives = self.states.alternatives(asked.leaf, key).ok()?;
        let sent = name.map_or(key, |name| Key::Name(asked.here.sent(name)));
        let children = self.advertised_children(asked.advertised, sent);
        let keys = self.key_texts(asked, key);
        let loses_null = self.decode.here(below).null_means_absent;
        for alternative in alternatives {
            if loses_null {
                let found = Found { value: Value::Null, location: self.path.clone(), keyword: "null-means-absent" };
                if let Some(found) = self.hunt_with(asked, alternative, &keys, found) {
                    return Some(found);
                }
            }
            for child in children.iter().filter(|child| **child != NEVER) {
                if let Some(found) = self.hunt(alternative.child, *child, below)
                    && let Some(found) = self.hunt_with(asked, alternative, &keys, found)
                {
                    return Some(found);
                }
            }
        }
        None
    }

    fn hunt_name(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Hunted<'d> {
        self.states.tick(2).ok()?;
        let alternatives = self.states.alternatives(asked.leaf, key).ok()?;
        let sent = if let Key::Name(name) = key { Key::Name(asked.here.sent(name)) } else { key };
        let keyword = match key {
            Key::Name(name) if asked.here.is_taken(name) => "rename",
            _ => self.name_keyword(asked.advertised, sent),
        };
        let keys = self.key_texts(asked, key);
        for alternative in alternatives {
            if let Some(value) = self.smallest(alternative.child) {
                let found = Found { value, location: self.path.clone(), keyword };
                if let Some(found) = self.hunt_with(asked, alternative, &keys, found) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The keyword that a name is most likely refused by.
    fn name_keyword(&self, advertised: NodeId, key: Key) -> &'static str {
        let Some(rules) = self.rules(advertised) else { return "unevaluatedProperties" };
        match () {
            () if rules.rest == Some(NEVER) && self.advertised_children(advertised, key).contains(&NEVER) => {
                "additionalProperties"
            }
            () if rules.names.is_some() => "propertyNames",
            () if !rules.dependent_names.is_empty() => "dependentRequired",
            () if !rules.dependent_schemas.is_empty() => "dependentSchemas",
            () if rules.max.is_some() => "maxProperties",
            () => "unevaluatedProperties",
        }
    }

    /// An object with the key and the value that was found for it.
    fn hunt_with(
        &mut self,
        asked: &Asked<'_, 'd>,
        alternative: Alternative,
        keys: &[Cow<'d, str>],
        found: Found<'d>,
    ) -> Hunted<'d> {
        let leaves = self.states.leaves(alternative.state).ok()?;
        for leaf in leaves.iter().take(20) {
            let facts = self.states.facts(*leaf).ok()?;
            for key in keys {
                let shape = Shape { with: vec![(key.clone(), found.value.clone())], keys_min: 0 };
                let Some(value) = self.map(*leaf, &facts, &shape) else { continue };
                let carried = self.carried(asked.leaf, asked.advertised, asked.position, found.clone(), value);
                if carried.is_some() {
                    return carried;
                }
            }
        }
        None
    }

    /// Names of the class.
    fn key_texts(&mut self, asked: &Asked<'_, 'd>, key: Key) -> Vec<Cow<'d, str>> {
        match key {
            Key::Name(name) => vec![Cow::Owned(self.states.schemas.name(name).to_owned())],
            Key::Pattern(pattern) => {
                let Some(pattern) = self.states.schemas.pattern(pattern) else { return Vec::new() };
                matching(pattern, &Wanted { length_min: 0, length_max: 200 }).into_iter().map(Cow::Owned).collect()
            }
            Key::Fresh => {
                (0..3).filter_map(|number| self.fresh_name(asked.leaf, asked.facts, number)).map(Cow::Owned).collect()
            }
        }
    }
}
