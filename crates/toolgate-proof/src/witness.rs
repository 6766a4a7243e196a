//! Makes values of a conjunction: the smallest it can, with a wish or two. What is made is asked of the evaluator before it is
//! used, so that a value which does not come out as wished costs a chance and no truth.

mod texts;

use crate::decimal::Decimal;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::prove::{Prover, also};
use crate::schema::{NameId, NodeId};
use crate::states::{Alternative, Facts, Item, Key, Literal, StateId};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub(crate) use texts::{Wanted, matching};

/// Nesting of what is made.
const DEPTH_MAX: usize = 24;
/// Values offered for one conjunction.
const OFFERED_MAX: usize = 24;
/// Items that are made to fill an array.
const ITEMS_MAX: u64 = 300;
/// Choices of values for the keys that an object needs.
const VARIANTS: usize = 5;
/// Leaves that are looked into for a value.
const LEAVES_TRIED: usize = 60;

/// Constants that a value is best near to or away from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints<'d> {
    pub(crate) numbers: Vec<Decimal>,
    pub(crate) lengths: Vec<u64>,
    pub(crate) texts: Vec<&'d str>,
    /// Texts that were made to be refused.
    pub(crate) made: Vec<String>,
}

/// What is wanted of an object besides being a member.
#[derive(Default)]
pub(crate) struct Shape<'d> {
    /// Keys with these values.
    pub(crate) with: Vec<(Cow<'d, str>, Value<'d>)>,
    /// At least so many keys.
    pub(crate) keys_min: u64,
}

/// Values made so far, and what is being made.
#[derive(Default)]
pub(crate) struct Made<'d> {
    smallest: FxHashMap<StateId, Value<'d>>,
    making: Vec<StateId>,
}

impl<'d> Prover<'d> {
    /// A small value of the conjunction.
    pub(crate) fn smallest(&mut self, state: StateId) -> Option<Value<'d>> {
        if let Some(known) = self.made.smallest.get(&state) {
            return Some(known.clone());
        }
        if self.made.making.len() > DEPTH_MAX || self.made.making.contains(&state) {
            return None;
        }
        self.made.making.push(state);
        let found = self.offers(state, &Hints::default(), 1).into_iter().next();
        self.made.making.pop();
        if let Some(found) = &found {
            self.made.smallest.insert(state, found.clone());
        }
        found
    }

    /// Up to `count` values of the conjunction.
    pub(crate) fn offers(&mut self, state: StateId, hints: &Hints<'d>, count: usize) -> Vec<Value<'d>> {
        let mut offers = Vec::new();
        let Ok(leaves) = self.states.leaves(state) else { return offers };
        for leaf in leaves.iter().take(LEAVES_TRIED) {
            for value in self.leaf_offers(*leaf, hints, count) {
                if offers.len() >= count {
                    return offers;
                }
                if self.states.admits(state, &value) == Some(true) {
                    offers.push(value);
                }
            }
        }
        offers
    }

    fn leaf_offers(&mut self, leaf: StateId, hints: &Hints<'d>, count: usize) -> Vec<Value<'d>> {
        let Ok(facts) = self.states.facts(leaf) else { return Vec::new() };
        let mut offers = Vec::new();
        for kind in Kinds::EACH.into_iter().filter(|kind| facts.kinds.has(*kind)) {
            offers.extend(self.kind_offers(leaf, &facts, kind, hints));
            // One of each kind is looked at before a second of any.
            if count == 1 && offers.iter().any(|value| self.states.admits(leaf, value) == Some(true)) {
                break;
            }
        }
        offers
    }

    /// Values of one kind.
    pub(crate) fn kind_offers(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        kind: Kinds,
        hints: &Hints<'d>,
    ) -> Vec<Value<'d>> {
        if self.states.tick(4).is_err() {
            return Vec::new();
        }
        if let Some(values) = &facts.finite {
            let of_kind = values.iter().filter(|value| kind == Kinds::of(value));
            return of_kind.take(OFFERED_MAX).map(|value| (*value).clone()).collect();
        }
        match kind {
            Kinds::NULL => vec![Value::Null],
            Kinds::BOOLEAN => vec![Value::Boolean(false), Value::Boolean(true)],
            Kinds::INTEGER | Kinds::FRACTION => numbers(facts, kind, &self.near(leaf, hints)),
            Kinds::STRING => {
                let hints = self.near(leaf, hints);
                self.strings(facts, &hints)
            }
            Kinds::ARRAY => {
                let lengths = [facts.items_min, facts.items_min.saturating_add(1)];
                lengths.into_iter().filter_map(|length| self.list(leaf, facts, length, None)).collect()
            }
            _ => self.map(leaf, facts, &Shape::default()).into_iter().collect(),
        }
    }

    /// The hints, and what the conjunction's own negations and open choices name.
    fn near(&self, leaf: StateId, hints: &Hints<'d>) -> Hints<'d> {
        let mut near = hints.clone();
        for node in self.states.holding(leaf).chain(self.states.failing(leaf)) {
            self.hint(node, &mut near, 0);
        }
        near
    }

    /// Gathers the constants that a node names in place.
    pub(crate) fn hint(&self, id: NodeId, hints: &mut Hints<'d>, depth: u32) {
        if depth > 4 || hints.numbers.len() + hints.texts.len() > 60 {
            return;
        }
        let node = self.states.node(id);
        for bound in node.low.iter().chain(&node.high) {
            hints.numbers.push(bound.value.clone());
        }
        hints.numbers.extend(node.step.clone());
        hints.lengths.push(node.length_min);
        hints.lengths.extend(node.length_max);
        for value in node.values.iter().flat_map(|values| values.list.iter().take(12)) {
            match value {
                Value::Text(text) => hints.texts.push(text),
                Value::Number(literal) => hints.numbers.push(Decimal::read(literal)),
                _ => {}
            }
        }
        for inner in node.in_place() {
            self.hint(inner, hints, depth + 1);
        }
    }

    /// An array of `length` items, one of them given.
    pub(crate) fn list(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        length: u64,
        given: Option<(usize, Value<'d>)>,
    ) -> Option<Value<'d>> {
        if length > ITEMS_MAX || facts.items_max.is_some_and(|max| length > max) || length < facts.items_min {
            return None;
        }
        let mut wanted: Vec<NodeId> = Vec::new();
        for node in self.states.holding(leaf) {
            if let Some(contains) = self.states.node(node).array.as_ref().and_then(|rules| rules.contains) {
                wanted.extend((0..contains.min.min(ITEMS_MAX)).map(|_| contains.node));
            }
        }
        let mut items: Vec<Value<'d>> = Vec::new();
        for index in 0..usize::try_from(length).ok()? {
            if let Some((_, value)) = given.as_ref().filter(|(at, _)| *at == index) {
                items.push(value.clone());
                continue;
            }
            let mut state = self.states.item(leaf, if index < facts.prefix { Item::At(index) } else { Item::Later });
            if let Some(node) = wanted.pop() {
                state = also(&mut self.states, state, node);
            }
            let item = if facts.unique {
                let offers = self.many(state, items.len() + 1);
                offers.into_iter().find(|offer| items.iter().all(|item| !item.same(offer)))?
            } else {
                self.smallest(state)?
            };
            items.push(item);
        }
        Some(Value::List(items))
    }

    /// Several different values.
    fn many(&mut self, state: StateId, count: usize) -> Vec<Value<'d>> {
        if self.made.making.len() > DEPTH_MAX || self.made.making.contains(&state) {
            return Vec::new();
        }
        self.made.making.push(state);
        let numbers = (0..count.min(40)).map(|number| Decimal::from_i128(number as i128)).collect();
        let lengths = (0..count.min(40) as u64).collect();
        let offers = self.offers(state, &Hints { numbers, lengths, ..Hints::default() }, OFFERED_MAX.max(count));
        self.made.making.pop();
        offers
    }

    /// An object with the keys that it needs, and those of the shape. Where the smallest values do not go together, others
    /// are tried.
    pub(crate) fn map(&mut self, leaf: StateId, facts: &Facts<'d>, shape: &Shape<'d>) -> Option<Value<'d>> {
        let mut first = None;
        for variant in 0..VARIANTS {
            let value = self.map_variant(leaf, facts, shape, variant)?;
            if self.states.admits(leaf, &value) == Some(true) {
                return Some(value);
            }
            first = first.or(Some(value));
        }
        first
    }

    fn map_variant(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        shape: &Shape<'d>,
        variant: usize,
    ) -> Option<Value<'d>> {
        let mut members: Vec<(Cow<'d, str>, Value<'d>)> = shape.with.clone();
        for name in facts.required.clone() {
            let key = self.states.schemas.name(name).to_owned();
            if members.iter().all(|(known, _)| *known != key) {
                members.push((Cow::Owned(key), self.key_variant(leaf, Key::Name(name), variant)?));
            }
        }
        if variant >= 2 {
            self.against_failing(leaf, &mut members, variant);
        }
        self.dependent_members(leaf, &mut members)?;
        let wanted = facts.names_min.max(shape.keys_min);
        for name in facts.declared.clone() {
            let key = self.states.schemas.name(name).to_owned();
            if members.len() as u64 >= wanted {
                break;
            }
            if members.iter().all(|(known, _)| *known != key)
                && let Some(value) = self.key_value(leaf, Key::Name(name))
            {
                members.push((Cow::Owned(key), value));
            }
        }
        let mut fresh = 0;
        while (members.len() as u64) < wanted && wanted < ITEMS_MAX {
            let key = self.fresh_name(leaf, facts, fresh)?;
            fresh += 1;
            if members.iter().all(|(known, _)| *known != key) {
                members.push((Cow::Owned(key), self.key_value(leaf, Key::Fresh)?));
            }
        }
        Some(Value::Map(members))
    }

    /// A member that a schema which must not hold refuses.
    fn against_failing(&mut self, leaf: StateId, members: &mut Vec<(Cow<'d, str>, Value<'d>)>, variant: usize) {
        for node in self.states.failing(leaf) {
            let properties = self.rules(node).map_or_else(Vec::new, |rules| rules.properties.clone());
            let Some((name, refusing)) = properties.get((variant - 2) % properties.len().max(1)).copied() else {
                continue;
            };
            let key = self.states.schemas.name(name).to_owned();
            let Ok(alternatives) = self.states.alternatives(leaf, Key::Name(name)) else { continue };
            for alternative in alternatives {
                let child = self.states.with(alternative.child, Literal::fails(refusing));
                if let Some(value) = self.smallest(child) {
                    members.retain(|(known, _)| *known != key);
                    members.push((Cow::Owned(key), value));
                    break;
                }
            }
        }
    }

    /// Keys that other keys bring with them.
    fn dependent_members(&mut self, leaf: StateId, members: &mut Vec<(Cow<'d, str>, Value<'d>)>) -> Option<()> {
        for _ in 0..20 {
            let has = |name: NameId| members.iter().any(|(key, _)| key == self.states.schemas.name(name));
            let mut missing = None;
            for node in self.states.holding(leaf) {
                let dependent = self.rules(node).into_iter().flat_map(|rules| &rules.dependent_names);
                for (trigger, names) in dependent {
                    if has(*trigger) {
                        missing = missing.or_else(|| names.iter().copied().find(|name| !has(*name)));
                    }
                }
            }
            let Some(name) = missing else { return Some(()) };
            let key = self.states.schemas.name(name).to_owned();
            members.push((Cow::Owned(key), self.key_value(leaf, Key::Name(name))?));
        }
        None
    }

    fn key_variant(&mut self, leaf: StateId, key: Key, variant: usize) -> Option<Value<'d>> {
        if variant == 0 {
            return self.key_value(leaf, key);
        }
        let alternatives: Vec<Alternative> = self.states.alternatives(leaf, key).ok()?;
        let offers: Vec<Value<'d>> =
            alternatives.into_iter().flat_map(|alternative| self.many(alternative.child, VARIANTS)).collect();
        offers.get(variant % offers.len().max(1)).cloned()
    }

    pub(crate) fn key_value(&mut self, leaf: StateId, key: Key) -> Option<Value<'d>> {
        let alternatives: Vec<Alternative> = self.states.alternatives(leaf, key).ok()?;
        alternatives.into_iter().find_map(|alternative| self.smallest(alternative.child))
    }

    /// A name that nobody declares and, where that can be had, `propertyNames` admits.
    pub(crate) fn fresh_name(&mut self, leaf: StateId, facts: &Facts<'d>, number: usize) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        if !facts.names.is_empty() {
            let mut state = self.kind_node(Kinds::STRING);
            let mut conjunction = self.states.state_of(state);
            for node in &facts.names {
                state = *node;
                conjunction = also(&mut self.states, conjunction, state);
            }
            let offers = self.many(conjunction, number + 8);
            names.extend(offers.iter().filter_map(|value| value.text().map(str::to_owned)));
        }
        let bases = ["extra", "x", "other", "zz", "key"];
        names.extend(
            bases.iter().map(|base| format!("{base}{}", if number == 0 { String::new() } else { number.to_string() })),
        );
        let is_free = |prover: &Self, name: &String| {
            let id = prover.states.schemas.name_id(name);
            let is_declared = id.is_some_and(|id| facts.declared.contains(&id) || facts.requires(id));
            let is_matched = prover.states.holding(leaf).any(|node| {
                let patterns = prover.rules(node).into_iter().flat_map(|rules| &rules.patterns);
                patterns.into_iter().any(|(pattern, _)| prover.states.schemas.matches(*pattern, name) != Some(false))
            });
            !is_declared && !is_matched
        };
        let mut free = names.into_iter().filter(|name| is_free(self, name));
        free.next()
    }

    fn strings(&self, facts: &Facts<'d>, hints: &Hints<'d>) -> Vec<Value<'d>> {
        let max = facts.length_max.unwrap_or(u64::MAX);
        let mut lengths = vec![facts.length_min, facts.length_min.saturating_add(1)];
        for length in &hints.lengths {
            lengths.extend([length.saturating_sub(1), *length, length.saturating_add(1)]);
        }
        lengths.extend(facts.length_max);
        lengths.retain(|length| (facts.length_min..=max).contains(length) && *length <= 20_000);
        lengths.sort_unstable();
        lengths.dedup();
        let mut texts: Vec<String> = hints.made.clone();
        if let Some(pattern) = facts.patterns.first().and_then(|id| self.states.schemas.pattern(*id)) {
            for length in lengths.iter().take(OFFERED_MAX) {
                texts.extend(matching(pattern, &Wanted { length_min: *length, length_max: max }));
            }
        }
        for text in &hints.texts {
            texts.extend([(*text).to_owned(), format!("{text}x"), text.to_uppercase()]);
        }
        for length in lengths.iter().take(OFFERED_MAX) {
            let length = usize::try_from(*length).unwrap_or(0);
            texts.extend(["a", "0", "q", " "].iter().map(|letter| letter.repeat(length)));
        }
        let mut seen = std::collections::HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        texts.into_iter().map(|text| Value::Text(Cow::Owned(text))).collect()
    }
}

/// Numbers at and about the bounds and the hints.
fn numbers<'v>(facts: &Facts<'_>, kind: Kinds, hints: &Hints<'_>) -> Vec<Value<'v>> {
    let one = Decimal::from_i128(1);
    let mut found: Vec<Decimal> = vec![Decimal::from_i128(0), one.clone(), Decimal::from_i128(-1)];
    let bounds = facts.low.iter().chain(&facts.high).map(|bound| &bound.value);
    for number in bounds.chain(&hints.numbers) {
        found.push(number.clone());
        found.extend(number.plus(&one));
        found.extend(number.minus(&one));
        found.extend(number.floor());
        found.extend(number.ceiling());
        found.extend(number.plus(&Decimal::read("0.5")));
        found.extend(number.minus(&Decimal::read("0.5")));
    }
    if let (Some(low), Some(high)) = (&facts.low, &facts.high) {
        found.extend(low.value.between(&high.value));
    }
    if kind == Kinds::FRACTION {
        found.push(Decimal::read("0.5"));
    }
    if !facts.steps.is_empty() {
        found.extend(multiples(facts, &found));
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|number| seen.insert(number.clone()));
    found.retain(|number| {
        let low = facts.low.as_ref().is_none_or(|low| *number > low.value || (!low.exclusive && *number == low.value));
        let high =
            facts.high.as_ref().is_none_or(|high| *number < high.value || (!high.exclusive && *number == high.value));
        let is_kind = number.is_integer() == (kind == Kinds::INTEGER);
        low && high && is_kind && facts.steps.iter().all(|step| number.is_multiple_of(step) != Some(false))
    });
    found.into_iter().map(|number| Value::Number(Cow::Owned(number.to_string()))).collect()
}

/// Multiples of the steps' common multiple next to the numbers.
fn multiples(facts: &Facts<'_>, near: &[Decimal]) -> Vec<Decimal> {
    let Some(step) = crate::prove::common_multiple(&facts.steps) else { return Vec::new() };
    let mut found = Vec::new();
    for number in near {
        let exponent = step.exponent().min(number.exponent());
        let (Some(units), Some(step)) = (number.in_units(exponent), step.in_units(exponent)) else { continue };
        let below = units.div_euclid(step.max(1)) * step;
        for multiple in [below, below.saturating_add(step), below.saturating_sub(step)] {
            found.push(Decimal::from_units(multiple, exponent));
        }
    }
    found
}
