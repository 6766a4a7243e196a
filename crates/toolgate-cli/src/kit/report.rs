//! What came of all cases.

use super::case::{Case, Kind};
use std::time::Duration;

pub(super) struct Report<'c> {
    pub(super) held: Vec<Held<'c>>,
}

pub(super) struct Held<'c> {
    pub(super) case: &'c Case,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

pub(super) enum Outcome {
    Passed,
    /// Why, and the answer as JSON where there is one.
    Failed {
        why: String,
        got: Option<String>,
    },
    /// Not judged, and why: never counted as passed.
    Skipped(String),
}

/// How many cases came to what.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
}

impl Counts {
    pub(super) fn all(self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl Report<'_> {
    pub(super) fn counts(&self) -> Counts {
        self.count(|_| true)
    }

    pub(super) fn of_kind(&self, kind: Kind) -> Counts {
        self.count(|case| case.kind == kind)
    }

    pub(super) fn failed(&self) -> usize {
        self.counts().failed
    }

    fn count(&self, is_counted: impl Fn(&Case) -> bool) -> Counts {
        let mut counts = Counts::default();
        for held in self.held.iter().filter(|held| is_counted(held.case)) {
            match held.outcome {
                Outcome::Passed => counts.passed += 1,
                Outcome::Failed { .. } => counts.failed += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }
}
