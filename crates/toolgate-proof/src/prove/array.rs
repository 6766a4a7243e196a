//! Arrays: counts, items by position, uniqueness, `contains`.

use super::{CERTAIN, Fail, Proved, Prover, Segment};
use crate::decode::{PLAIN, Position};
use crate::schema::{ANY, Contains, NodeId};
use crate::states::{Facts, Item, StateId};

impl<'d> Prover<'d> {
    pub(super) fn array(&mut self, leaf: StateId, facts: &Facts<'d>, advertised: NodeId, position: Position) -> Proved {
        let below = self.decode.below(position, None);
        let node = self.states.node(advertised);
        let silent = crate::schema::ArrayRules::default();
        let rules = node.array.as_deref().unwrap_or(&silent);
        if rules.min > facts.items_min {
            return Err(self.fail("minItems"));
        }
        let is_longer = |max: u64| facts.items_max.is_none_or(|known| known > max);
        if rules.unique && !facts.unique && is_longer(1) {
            return Err(self.fail("uniqueItems"));
        }
        let (prefix, items, contains, max) = (rules.prefix.clone(), rules.items, rules.contains, rules.max);
        // What `unevaluatedItems` asks is asked of every item that the node itself does not look at.
        let rest = items.or(rules.unevaluated).unwrap_or(ANY);
        if let Some(max) = max.filter(|max| is_longer(*max))
            && !self.ends_within(leaf, facts, max)?
        {
            return Err(self.fail("maxItems"));
        }
        let mut lowest = CERTAIN;
        self.path.push(Segment::Any);
        for index in 0..=prefix.len().max(facts.prefix) {
            if !is_longer(index as u64) {
                break;
            }
            let is_last = index == prefix.len().max(facts.prefix);
            let child = self.states.item(leaf, if is_last { Item::Later } else { Item::At(index) });
            let asked = prefix.get(index).copied().unwrap_or(rest);
            match self.prove(child, asked, below) {
                Ok(low) => lowest = lowest.min(low),
                Err(fail) => {
                    self.path.pop();
                    return Err(fail);
                }
            }
        }
        self.path.pop();
        if let Some(contains) = contains {
            lowest = lowest.min(self.contains(leaf, facts, contains, position)?);
        }
        Ok(lowest)
    }

    /// Whether some item up to so many can have no value, so that there are no more.
    fn ends_within(&mut self, leaf: StateId, facts: &Facts<'d>, max: u64) -> Result<bool, Fail> {
        for index in 0..=facts.prefix.min(usize::try_from(max).unwrap_or(usize::MAX)) {
            let item = if index < facts.prefix { Item::At(index) } else { Item::Later };
            let child = self.states.item(leaf, item);
            if self.states.is_empty(child).map_err(self.exhausted())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn contains(&mut self, leaf: StateId, facts: &Facts<'d>, asked: Contains, position: Position) -> Proved {
        if asked.min == 0 && asked.max.is_none() {
            return Ok(CERTAIN);
        }
        let below = self.decode.below(position, None);
        for node in self.states.holding(leaf) {
            let known = self.states.node(node).array.as_ref().and_then(|rules| rules.contains);
            let Some(known) = known else { continue };
            let is_enough = known.min >= asked.min && asked.max.is_none_or(|max| known.max.is_some_and(|k| k <= max));
            if is_enough && below == PLAIN && self.sameness.same(&self.states.schemas, known.node, asked.node) {
                return Ok(CERTAIN);
            }
        }
        // Where every item matches, the count is the length; and items that have to be there and match are enough.
        if below != PLAIN {
            // What is sent for an item may match where what is asked of all items is satisfied by something else.
            return Err(self.fail("decode"));
        }
        let is_at_most = asked.max.is_none_or(|max| facts.items_max.is_some_and(|known| known <= max));
        if !is_at_most {
            return Err(self.fail("contains"));
        }
        let (mut lowest, mut certain) = (CERTAIN, 0);
        for index in 0..=facts.prefix {
            let is_last = index == facts.prefix;
            let there = facts.items_min.saturating_sub(index as u64).min(if is_last { u64::MAX } else { 1 });
            if there == 0 || certain >= asked.min {
                break;
            }
            let child = self.states.item(leaf, if is_last { Item::Later } else { Item::At(index) });
            if let Ok(low) = self.prove(child, asked.node, below) {
                lowest = lowest.min(low);
                certain += there;
            }
        }
        if certain >= asked.min { Ok(lowest) } else { Err(self.fail("contains")) }
    }
}
