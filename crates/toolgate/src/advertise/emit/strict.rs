//! Whether a strict mode can be had, and what it costs of the budgets that the tools of a request share.

use super::{Emitter, Place};

/// What an advertised schema takes of a strict mode's budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrictCost {
    /// Properties.
    pub properties: usize,
    /// Properties that may be absent.
    pub optional: usize,
    /// Places of several kinds.
    pub unions: usize,
    /// Words in all `enum`s.
    pub words: usize,
    /// Levels of nesting.
    pub depth: usize,
}

impl Emitter<'_> {
    pub(super) fn cannot_be_strict(&mut self, place: &Place, why: &str) {
        if self.profile.strict.is_some() && self.not_strict.is_none() {
            self.not_strict = Some(format!("{why} at `{}`", place.location));
        }
    }

    /// Holds what was counted against the strict mode's limits for one schema.
    pub(super) fn judge_cost(&mut self) {
        let Some(strict) = self.profile.strict.filter(|_| self.not_strict.is_none()) else { return };
        let counts = [
            (self.cost.properties, strict.properties_max, "properties"),
            (self.cost.optional, strict.optional_max, "optional properties"),
            (self.cost.unions, strict.unions_max, "places of several kinds"),
            (self.cost.words, strict.words_max, "words in enums"),
            (self.cost.depth, strict.depth_max, "levels of nesting"),
        ];
        let over = counts.into_iter().find(|(count, max, _)| max.is_some_and(|max| *count > max));
        self.not_strict = over.map(|(count, max, what)| format!("{count} {what}, {} are taken", max.unwrap_or(0)));
        if !strict.recursion && !self.repeated.is_empty() {
            self.not_strict = Some("the schema refers to itself".to_owned());
        }
    }
}
