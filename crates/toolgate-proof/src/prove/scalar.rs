//! Numbers, strings, and kinds of which there are few values.

use super::{Fail, Prover};
use crate::decimal::Decimal;
use crate::decode::Position;
use crate::json::Value;
use crate::kinds::Kinds;
use crate::pattern::languages::Answer;
use crate::schema::{Bound, NodeId, PatternId};
use crate::states::{Facts, StateId, length_pattern};
use std::borrow::Cow;

/// Integers of an interval that are each tried.
const INTEGERS_MAX: i128 = 300;

impl<'d> Prover<'d> {
    /// A finite set on the advertised side holds only what it lists: the conjunction has to be finite too.
    pub(super) fn finite_kinds(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        advertised: NodeId,
        position: Position,
    ) -> Result<(), Fail> {
        let mut values: Vec<Value<'d>> = Vec::new();
        for kind in Kinds::EACH.into_iter().filter(|kind| facts.kinds.has(*kind)) {
            match kind {
                Kinds::NULL => values.push(Value::Null),
                Kinds::BOOLEAN => values.extend([Value::Boolean(false), Value::Boolean(true)]),
                Kinds::INTEGER => values.extend(integers(facts).ok_or_else(|| self.fail("enum"))?),
                Kinds::STRING if facts.length_max == Some(0) => values.push(Value::Text(Cow::Borrowed(""))),
                Kinds::ARRAY if facts.items_max == Some(0) => values.push(Value::List(Vec::new())),
                Kinds::OBJECT if facts.names_max == Some(0) => values.push(Value::Map(Vec::new())),
                _ => return Err(self.fail("enum")),
            }
        }
        for value in values {
            if self.states.admits(leaf, &value) != Some(false) && !self.admits_sent(&value, advertised, position) {
                return Err(self.fail("enum"));
            }
        }
        Ok(())
    }

    pub(super) fn number(&self, facts: &Facts<'d>, advertised: NodeId) -> Result<(), Fail> {
        let node = self.states.node(advertised);
        if !node.low.as_ref().is_none_or(|low| implied(facts.low.as_ref(), low, true)) {
            return Err(self.fail(if node.low.as_ref().is_some_and(|low| low.exclusive) {
                "exclusiveMinimum"
            } else {
                "minimum"
            }));
        }
        if !node.high.as_ref().is_none_or(|high| implied(facts.high.as_ref(), high, false)) {
            return Err(self.fail(if node.high.as_ref().is_some_and(|high| high.exclusive) {
                "exclusiveMaximum"
            } else {
                "maximum"
            }));
        }
        match &node.step {
            Some(step) if !is_multiple(facts, step) => Err(self.fail("multipleOf")),
            _ => Ok(()),
        }
    }

    pub(super) fn string(&mut self, facts: &Facts<'d>, advertised: NodeId) -> Result<(), Fail> {
        let node = self.states.node(advertised);
        let (min, max, pattern) = (node.length_min, node.length_max, node.pattern);
        let (has_min, has_max) =
            (min <= facts.length_min, max.is_none_or(|max| facts.length_max.is_some_and(|known| known <= max)));
        // A pattern can say a length.
        if !has_min && !self.lengths_within(facts, min, None) {
            return Err(self.fail("minLength"));
        }
        if !has_max && !self.lengths_within(facts, 0, max) {
            return Err(self.fail("maxLength"));
        }
        match pattern {
            Some(pattern) if !self.texts_within(facts, pattern) => Err(self.fail("pattern")),
            _ => Ok(()),
        }
    }

    fn lengths_within(&mut self, facts: &Facts<'d>, min: u64, max: Option<u64>) -> bool {
        if facts.patterns.is_empty() {
            return false;
        }
        let asked = length_pattern(min, max);
        asked.is_some_and(|asked| self.states.text_outside(&facts.patterns, &asked) == Answer::None)
    }

    /// Whether each text of the facts matches: the same pattern, or one whose texts all match.
    fn texts_within(&mut self, facts: &Facts<'d>, asked: PatternId) -> bool {
        if facts.patterns.contains(&asked) {
            return true;
        }
        let asked = self.states.schemas.pattern_text(asked).to_owned();
        self.states.text_outside(&facts.patterns, &asked) == Answer::None
    }
}

/// Whether a bound that is known is at least as tight as the one asked for.
fn implied(known: Option<&Bound>, asked: &Bound, is_low: bool) -> bool {
    let Some(known) = known else { return false };
    let order = if is_low { known.value.cmp(&asked.value) } else { asked.value.cmp(&known.value) };
    match order {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => known.exclusive || !asked.exclusive,
        std::cmp::Ordering::Less => false,
    }
}

/// Whether every number of the facts is a multiple of `step`.
fn is_multiple(facts: &Facts<'_>, step: &Decimal) -> bool {
    let mut known: Vec<Decimal> = facts.steps.clone();
    if !facts.kinds.has(Kinds::FRACTION) {
        known.push(Decimal::from_i128(1));
    }
    if known.iter().any(|known| known.is_multiple_of(step) == Some(true)) {
        return true;
    }
    common_multiple(&known).is_some_and(|known| known.is_multiple_of(step) == Some(true))
}

/// The least common multiple, where it is small.
pub(crate) fn common_multiple(steps: &[Decimal]) -> Option<Decimal> {
    let exponent = steps.iter().map(Decimal::exponent).min()?;
    let mut common: i128 = 1;
    for step in steps {
        let units = step.in_units(exponent)?;
        common = (common / greatest_common_divisor(common, units)).checked_mul(units)?;
    }
    Some(Decimal::from_units(common, exponent))
}

fn greatest_common_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

/// Every integer of a short interval.
fn integers<'v>(facts: &Facts<'_>) -> Option<Vec<Value<'v>>> {
    let low = facts.low.as_ref()?.value.in_units(0)?;
    let high = facts.high.as_ref()?.value.in_units(0)?;
    (high.checked_sub(low)? <= INTEGERS_MAX)
        .then(|| (low..=high).map(|number| Value::Number(Cow::Owned(number.to_string()))).collect())
}
