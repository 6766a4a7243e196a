//! Joins of numbers and strings: lists of values stay lists, anything else becomes the hull (R7.3).

use super::states::{Alternative, States};
use crate::decimal::Decimal;
use crate::json::{Document, Kind, Slot};
use crate::schema::values::{fingerprint, same};
use crate::schema::{Bound, NumberRules, Schema};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::HashMap;

/// What is admitted of one scalar kind.
#[derive(Debug)]
pub(super) enum Scalars<R> {
    /// These values of the schema document.
    Finite(Listed),
    Range(R),
}

/// Values without repetition, in order.
#[derive(Debug, Default)]
pub(super) struct Listed {
    values: Vec<Slot>,
    /// The values by their fingerprints, so that adding one more does not take looking at all.
    known: HashMap<u64, SmallVec<[Slot; 1]>>,
}

impl Listed {
    pub(super) fn values(&self) -> &[Slot] {
        &self.values
    }

    /// Adds those that are not there.
    fn add(&mut self, values: &[Slot], json: &Document<'_>) {
        for slot in values {
            let twins = self.known.entry(fingerprint(json, *slot)).or_default();
            if !twins.iter().any(|twin| same(json, *twin, json, *slot)) {
                twins.push(*slot);
                self.values.push(*slot);
            }
        }
    }
}

impl<R> Scalars<R> {
    /// The values, where they are listed.
    pub(super) fn finite(&self) -> Option<&[Slot]> {
        match self {
            Scalars::Finite(listed) => Some(listed.values()),
            Scalars::Range(_) => None,
        }
    }
}

/// One end of an interval.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) literal: Box<str>,
    pub(super) is_exclusive: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct NumberRange {
    pub(super) lower: Option<End>,
    pub(super) upper: Option<End>,
    pub(super) step: Option<Box<str>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StringRange {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// By its number in the schema.
    pub(super) pattern: Option<u32>,
}

/// What an alternative admits of one scalar kind.
pub(super) enum Admitted<R> {
    Values(Vec<Slot>),
    Range(R),
}

/// Joins two facets of one kind. A list beside an interval is its hull first: swallowing it would narrow.
pub(super) fn join_scalars<R>(
    old: Option<Scalars<R>>,
    new: Admitted<R>,
    json: &Document<'_>,
    hull: impl Fn(&[Slot]) -> R,
    join: impl Fn(R, R) -> R,
) -> Scalars<R> {
    match (old, new) {
        (None, Admitted::Range(range)) => Scalars::Range(range),
        (None, Admitted::Values(values)) => {
            let mut listed = Listed::default();
            listed.add(&values, json);
            Scalars::Finite(listed)
        }
        (Some(Scalars::Finite(mut listed)), Admitted::Values(values)) => {
            listed.add(&values, json);
            Scalars::Finite(listed)
        }
        (Some(Scalars::Range(old)), Admitted::Range(new)) => Scalars::Range(join(old, new)),
        (Some(Scalars::Range(old)), Admitted::Values(values)) => Scalars::Range(join(old, hull(&values))),
        (Some(Scalars::Finite(old)), Admitted::Range(new)) => Scalars::Range(join(hull(&old.values), new)),
    }
}

impl NumberRange {
    /// Whether every number is in it.
    pub(super) fn is_open(&self) -> bool {
        self.lower.is_none() && self.upper.is_none() && self.step.is_none()
    }

    /// Whether no number is in it, as far as its ends say.
    pub(super) fn is_empty(&self) -> bool {
        let Some((lower, upper)) = self.lower.as_ref().zip(self.upper.as_ref()) else { return false };
        match Decimal::read(&lower.literal).compare(&Decimal::read(&upper.literal)) {
            Ordering::Less => false,
            Ordering::Equal => lower.is_exclusive || upper.is_exclusive,
            Ordering::Greater => true,
        }
    }

    /// What all nodes of an alternative say of numbers.
    pub(super) fn of(states: &States<'_>, alternative: &Alternative) -> Self {
        Self::of_rules(alternative.nodes.iter().filter_map(|id| states.node(*id).number.as_deref()))
    }

    /// The tightest ends of all rules together; of several divisors one is kept.
    pub(super) fn of_rules<'r>(all: impl Iterator<Item = &'r NumberRules>) -> Self {
        let mut range = NumberRange::default();
        for rules in all {
            for bound in &rules.lower {
                tighten(&mut range.lower, bound, Ordering::Greater);
            }
            for bound in &rules.upper {
                tighten(&mut range.upper, bound, Ordering::Less);
            }
            if range.step.is_none() {
                range.step = rules.multiple_of.first().map(|(step, _)| step.clone());
            }
        }
        range
    }

    /// The smallest interval that holds all values.
    pub(super) fn hull(values: &[Slot], json: &Document<'_>) -> Self {
        let mut range = NumberRange::default();
        let compare =
            |left: &&Slot, right: &&Slot| Decimal::read(json.raw(**left)).compare(&Decimal::read(json.raw(**right)));
        let end = |slot: &Slot| End { literal: json.raw(*slot).into(), is_exclusive: false };
        let numbers = || values.iter().filter(|slot| json.kind(**slot) == Kind::Number);
        range.lower = numbers().min_by(compare).map(end);
        range.upper = numbers().max_by(compare).map(end);
        range
    }
}

fn tighten(end: &mut Option<End>, bound: &Bound, tighter: Ordering) {
    let order = end.as_ref().map(|end| Decimal::read(&bound.literal).compare(&Decimal::read(&end.literal)));
    match (order, end.as_mut()) {
        (Some(Ordering::Equal), Some(end)) => end.is_exclusive |= bound.exclusive,
        (Some(order), _) if order != tighter => {}
        _ => *end = Some(End { literal: bound.literal.clone(), is_exclusive: bound.exclusive }),
    }
}

pub(super) fn join_number_range(left: NumberRange, right: NumberRange) -> NumberRange {
    NumberRange {
        lower: looser(left.lower, right.lower, Ordering::Less),
        upper: looser(left.upper, right.upper, Ordering::Greater),
        step: left.step.zip(right.step).and_then(|(left, right)| common_step(&left, &right)),
    }
}

fn looser(left: Option<End>, right: Option<End>, looser: Ordering) -> Option<End> {
    let (left, right) = left.zip(right)?;
    Some(match Decimal::read(&left.literal).compare(&Decimal::read(&right.literal)) {
        Ordering::Equal => End { is_exclusive: left.is_exclusive && right.is_exclusive, ..left },
        order if order == looser => left,
        _ => right,
    })
}

/// The greatest number that divides both steps; `None` where it takes more digits than are counted with.
fn common_step(left: &str, right: &str) -> Option<Box<str>> {
    let divides =
        |divisor: &str, number: &str| Decimal::read(number).is_multiple_of(&Decimal::read(divisor)).unwrap_or(false);
    if divides(left, right) {
        return Some(left.into());
    }
    if divides(right, left) {
        return Some(right.into());
    }
    Decimal::read(left).common_divisor(&Decimal::read(right)).map(String::into_boxed_str)
}

impl StringRange {
    /// Whether every string is in it.
    pub(super) fn is_open(&self) -> bool {
        self.min == 0 && self.max.is_none() && self.pattern.is_none()
    }

    /// What all nodes of an alternative say of strings; of several patterns one is kept.
    pub(super) fn of(states: &States<'_>, alternative: &Alternative) -> Self {
        let mut range = StringRange::default();
        for rules in alternative.nodes.iter().filter_map(|id| states.node(*id).string.as_deref()) {
            range.min = range.min.max(rules.min.map_or(0, |(min, _)| min));
            let max = rules.max.map(|(max, _)| max);
            range.max = range.max.map_or(max, |own| Some(max.map_or(own, |max| max.min(own))));
            range.pattern = range.pattern.or(rules.patterns.first().map(|(pattern, _)| *pattern));
        }
        range
    }

    /// The lengths that the values have.
    pub(super) fn hull(values: &[Slot], json: &Document<'_>) -> Self {
        let lengths = || values.iter().map(|slot| json.string(*slot).chars().count() as u64);
        StringRange { min: lengths().min().unwrap_or(0), max: lengths().max(), pattern: None }
    }
}

pub(super) fn join_string_range(left: StringRange, right: StringRange, schema: &Schema) -> StringRange {
    let source = |pattern: u32| schema.pattern(pattern).map(|pattern| pattern.source());
    StringRange {
        min: left.min.min(right.min),
        max: left.max.zip(right.max).map(|(left, right)| left.max(right)),
        pattern: left
            .pattern
            .zip(right.pattern)
            .filter(|(left, right)| source(*left) == source(*right))
            .map(|(left, _)| left),
    }
}
