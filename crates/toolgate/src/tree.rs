//! One way to walk arguments, whether as they were sent or as they read with some text decoded.

use crate::json::{Document, Kind, Slot};
use std::borrow::Cow;
use std::hash::Hash;

/// A tree of JSON values. `At` names a value of it.
pub(crate) trait Tree {
    type At: Copy + Eq + Hash + Ord;

    fn kind(&self, at: Self::At) -> Kind;
    /// The digits of a number.
    fn literal(&self, at: Self::At) -> &str;
    /// Whether a number's literal has neither fraction nor exponent.
    fn is_integer_literal(&self, at: Self::At) -> bool;
    fn is_true(&self, at: Self::At) -> bool;
    fn string(&self, at: Self::At) -> Cow<'_, str>;
    fn string_is(&self, at: Self::At, expected: &str) -> bool;
    /// Bytes of the string as written: at least as many as it has characters.
    fn string_len_bytes(&self, at: Self::At) -> u64;
    fn items(&self, at: Self::At) -> impl Iterator<Item = Self::At> + '_;
    /// The members of an object: where the name stands, and the value.
    fn members(&self, at: Self::At) -> impl Iterator<Item = (Self::At, Self::At)> + '_;
    /// The name of a member as it counts: a former name counts as the declared one.
    fn name(&self, at: Self::At) -> Cow<'_, str>;
    fn name_is(&self, at: Self::At, expected: &str) -> bool;
}

impl Tree for Document<'_> {
    type At = Slot;

    fn kind(&self, at: Slot) -> Kind {
        Document::kind(self, at)
    }

    fn literal(&self, at: Slot) -> &str {
        self.raw(at)
    }

    fn is_integer_literal(&self, at: Slot) -> bool {
        Document::is_integer_literal(self, at)
    }

    fn is_true(&self, at: Slot) -> bool {
        Document::is_true(self, at)
    }

    fn string(&self, at: Slot) -> Cow<'_, str> {
        Document::string(self, at)
    }

    fn string_is(&self, at: Slot, expected: &str) -> bool {
        Document::string_is(self, at, expected)
    }

    fn string_len_bytes(&self, at: Slot) -> u64 {
        Document::string_len_bytes(self, at)
    }

    fn items(&self, at: Slot) -> impl Iterator<Item = Slot> + '_ {
        Document::items(self, at)
    }

    fn members(&self, at: Slot) -> impl Iterator<Item = (Slot, Slot)> + '_ {
        Document::members(self, at)
    }

    fn name(&self, at: Slot) -> Cow<'_, str> {
        Document::string(self, at)
    }

    fn name_is(&self, at: Slot, expected: &str) -> bool {
        Document::string_is(self, at, expected)
    }
}
