//! Sets of kinds of values. Numbers are two kinds, with and without a fraction, so that `integer` is a set like the others.

use crate::json::Value;

/// A set of kinds, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// Each kind alone, in the order in which they are looked at.
    pub(crate) const EACH: [Kinds; 7] =
        [Kinds::OBJECT, Kinds::STRING, Kinds::INTEGER, Kinds::FRACTION, Kinds::ARRAY, Kinds::BOOLEAN, Kinds::NULL];

    /// The kinds that one word of `type` names.
    pub(crate) fn named(word: &str) -> Option<Kinds> {
        Some(match word {
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

    pub(crate) fn of(value: &Value<'_>) -> Kinds {
        match value {
            Value::Null => Kinds::NULL,
            Value::Boolean(_) => Kinds::BOOLEAN,
            Value::Number(_) if value.number().is_some_and(|number| number.is_integer()) => Kinds::INTEGER,
            Value::Number(_) => Kinds::FRACTION,
            Value::Text(_) => Kinds::STRING,
            Value::List(_) => Kinds::ARRAY,
            Value::Map(_) => Kinds::OBJECT,
        }
    }

    pub(crate) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn covers(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    pub(crate) fn from_bits(bits: u8) -> Option<Kinds> {
        (bits <= Kinds::ALL.0).then_some(Kinds(bits))
    }

    /// The names that `type` takes for the set.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let number = if self.covers(Kinds::NUMBER) { Kinds::NUMBER } else { Kinds::INTEGER };
        let named = [
            (Kinds::OBJECT, "object"),
            (Kinds::STRING, "string"),
            (number, if number == Kinds::NUMBER { "number" } else { "integer" }),
            (Kinds::ARRAY, "array"),
            (Kinds::BOOLEAN, "boolean"),
            (Kinds::NULL, "null"),
        ];
        named.into_iter().filter(move |(kind, _)| self.covers(*kind)).map(|(_, name)| name)
    }
}
