//! What a conjunction says about the values of each kind, put together from all its parts.

use super::{Exhausted, Item, Key, StateId, States};
use crate::decimal::Decimal;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::schema::{Bound, NEVER, NameId, Node, NodeId, PatternId, tighter};
use std::rc::Rc;

/// Values of an enumeration that are each tried; a longer one is taken as it is.
const TRIED_VALUES_MAX: usize = 5_000;

static NULL: Value<'static> = Value::Null;
static FALSE: Value<'static> = Value::Boolean(false);
static TRUE: Value<'static> = Value::Boolean(true);

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

impl<'d> States<'d> {
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
                if self.base(child)?.is_none() || self.is_item_unevaluated(base, index) {
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

    /// Whether `unevaluatedItems: false` refuses an item there: nothing that the node itself says looks at it, and it brings
    /// nothing in place.
    fn is_item_unevaluated(&self, base: StateId, index: usize) -> bool {
        self.holding(base).any(|id| {
            let node = self.node(id);
            let Some(rules) = &node.array else { return false };
            let refuses = rules.unevaluated.is_some_and(|unevaluated| unevaluated == NEVER);
            let is_dependent = node.object.as_ref().is_some_and(|object| !object.dependent_schemas.is_empty());
            let looks = rules.items.is_some() || rules.contains.is_some() || index < rules.prefix.len();
            refuses && !looks && node.is_flat() && !is_dependent
        })
    }

    fn settle_names(&mut self, base: StateId, facts: &mut Facts<'d>) -> Result<(), Exhausted> {
        self.close_required(base, facts);
        facts.names_min = facts.names_min.max(facts.required.len() as u64);
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
                facts.required.extend(allowed);
                facts.required.sort_unstable();
                facts.required.dedup();
            }
        }
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
        if let (Some(low), Some(high)) = (&self.low, &self.high) {
            let is_one = low.value == high.value;
            if low.value > high.value || (is_one && (low.exclusive || high.exclusive)) {
                self.kinds = self.kinds.without(Kinds::NUMBER);
            } else if is_one {
                let other = if low.value.is_integer() { Kinds::FRACTION } else { Kinds::INTEGER };
                self.kinds = self.kinds.without(other);
            }
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
