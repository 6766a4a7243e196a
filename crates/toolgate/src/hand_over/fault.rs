//! What a type says when it refuses, without its words, which quote values; and how often it said so in one reading.

use std::cell::Cell;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Why a type did not take a value. Names are those of the type's own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Why {
    Missing,
    /// The field was given before, under this or another of its names.
    Twice(&'static str),
    UnknownName,
    Kind,
    Value,
    Length,
    Other,
}

/// A type's refusal.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) why: Why,
    /// Where the text of the innermost value that was not taken begins.
    pub(super) at: Option<usize>,
}

thread_local! {
    /// Readings tell the refusals of a union's members, which serde drops, by counting them where they are made.
    static HEARD: Cell<Heard> = const { Cell::new(Heard { count: 0, digest: 0 }) };
}

/// The refusals of one reading, those included that serde recovered from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) count: usize,
    /// Of what each said, in order.
    digest: u64,
}

impl Heard {
    /// Runs a reading and returns what was heard in it. A type that reads other arguments meanwhile is not heard.
    pub(super) fn during<T>(reading: impl FnOnce() -> T) -> (T, Heard) {
        let before = HEARD.replace(Heard::default());
        let outcome = reading();
        (outcome, HEARD.replace(before))
    }
}

impl Fault {
    pub(super) fn new(why: Why, expected: &dyn fmt::Display) -> Self {
        HEARD.with(|heard| {
            let Heard { count, digest } = heard.get();
            let mut hasher = DefaultHasher::new();
            (digest, why, expected.to_string()).hash(&mut hasher);
            heard.set(Heard { count: count + 1, digest: hasher.finish() });
        });
        Fault { why, at: None }
    }

    /// The same, in a value that begins here, unless it is known to be further in.
    pub(super) fn inside(mut self, at: usize) -> Self {
        self.at = self.at.or(Some(at));
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the type does not take the arguments")
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Fault::new(Why::Other, &"")
    }

    fn invalid_type(_: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Fault::new(Why::Kind, &expected)
    }

    fn invalid_value(_: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Fault::new(Why::Value, &expected)
    }

    fn invalid_length(_: usize, expected: &dyn serde::de::Expected) -> Self {
        Fault::new(Why::Length, &expected)
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Fault::new(Why::UnknownName, &"")
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Fault::new(Why::UnknownName, &"")
    }

    fn missing_field(field: &'static str) -> Self {
        Fault::new(Why::Missing, &field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Fault::new(Why::Twice(field), &field)
    }
}

/// What `serde_json` says of a number or a raw text that it was given to read.
impl From<serde_json::Error> for Fault {
    fn from(_: serde_json::Error) -> Self {
        Fault::new(Why::Value, &"")
    }
}
