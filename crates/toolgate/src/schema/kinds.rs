//! Sets of kinds. A number is split in two: `integer` admits the numbers without a fraction, whatever their spelling.

use crate::json::Kind;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign};

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    pub(crate) const NULL: Kinds = Kinds(1);
    pub(crate) const BOOLEAN: Kinds = Kinds(2);
    pub(crate) const INTEGER: Kinds = Kinds(4);
    pub(crate) const FRACTION: Kinds = Kinds(8);
    pub(crate) const NUMBER: Kinds = Kinds(12);
    pub(crate) const STRING: Kinds = Kinds(16);
    pub(crate) const ARRAY: Kinds = Kinds(32);
    pub(crate) const OBJECT: Kinds = Kinds(64);
    pub(crate) const ALL: Kinds = Kinds(127);

    /// The kinds that one word of `type` names.
    pub(crate) fn from_name(name: &str) -> Option<Kinds> {
        Some(match name {
            "null" => Kinds::NULL,
            "boolean" => Kinds::BOOLEAN,
            "integer" => Kinds::INTEGER,
            "number" => Kinds::NUMBER,
            "string" => Kinds::STRING,
            "array" => Kinds::ARRAY,
            "object" => Kinds::OBJECT,
            _ => return None,
        })
    }

    pub(crate) fn of(kind: Kind) -> Kinds {
        match kind {
            Kind::Null => Kinds::NULL,
            Kind::Boolean => Kinds::BOOLEAN,
            Kind::Number => Kinds::NUMBER,
            Kind::String => Kinds::STRING,
            Kind::Array => Kinds::ARRAY,
            Kind::Object => Kinds::OBJECT,
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some kind is in both.
    pub(crate) fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every kind of `other` is in this one.
    pub(crate) fn has_all(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// The words of `type` for this set.
    pub(crate) fn names(self) -> Vec<String> {
        self.words().map(str::to_owned).collect()
    }

    /// The same, not copied.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> + use<> {
        let words = [
            (Kinds::STRING, "string"),
            (if self.meets(Kinds::FRACTION) { Kinds::FRACTION } else { Kinds::NONE }, "number"),
            (if self.meets(Kinds::FRACTION) { Kinds::NONE } else { Kinds::INTEGER }, "integer"),
            (Kinds::BOOLEAN, "boolean"),
            (Kinds::ARRAY, "array"),
            (Kinds::OBJECT, "object"),
            (Kinds::NULL, "null"),
        ];
        words.into_iter().filter(move |(kinds, _)| self.meets(*kinds)).map(|(_, word)| word)
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;
    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Kinds;
    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl BitAndAssign for Kinds {
    fn bitand_assign(&mut self, other: Kinds) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Kinds) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_is_part_of_number() {
        assert_eq!((Kinds::NUMBER & Kinds::INTEGER).names(), ["integer"]);
        assert_eq!((Kinds::NUMBER | Kinds::NULL).names(), ["number", "null"]);
        assert_eq!((Kinds::INTEGER | Kinds::STRING).names(), ["string", "integer"]);
    }
}
