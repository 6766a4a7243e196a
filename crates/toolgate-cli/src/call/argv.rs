//! The words after a tool's name as the JSON text of its arguments.
//!
//! Makes text of words and judges nothing: what a tool takes is its contract's to say. The tool's outline only tells how a word
//! is meant, whether an option takes one, and whether two of a name make a list. A value is written as a string; the contract
//! reads it as what it admits there (R4), so that `007` stays text where text is admitted and is no number where one is due.
//!
//! `words` tells options from values, `build` makes the text. Neither knows files, servers or the screen. Decision 0016.

mod build;
mod name;
mod spell;
mod words;

pub(crate) use build::{Built, build};
pub(crate) use spell::{spell, spelled_name};
pub(crate) use words::{Next, WithValue, is_flag, next, read, with_value};

/// What one option was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// A word, whose kind the contract decides.
    Text(String),
    /// A bare option, or its negation.
    Flag(bool),
    /// JSON, as it is.
    Json(String),
}

/// What is wrong with the words themselves. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The option that it is about, as it was written, without a value.
    pub(crate) option: Option<String>,
    /// The names that lead to its place.
    pub(crate) path: Vec<String>,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The option needs a value and has none.
    NoValue,
    /// `--no-x` takes none and has one.
    TakesNoValue,
    /// `:=` is followed by what is no JSON.
    NotJson,
    /// A value is given twice, where one is taken.
    Repeated,
    /// `:=` gives the whole value, so that nothing can be given beside it.
    RepeatedWhole,
    /// It is given by `--args` too.
    InArgs,
    /// A value as a whole, and members of it.
    WholeAndMembers,
    /// A word that belongs to no option.
    Stray {
        /// Whether the option before it is a flag, which takes `true` or `false` alone.
        after_flag: bool,
        /// Which word it is after the tool's name, counted from one.
        number: usize,
    },
    /// The name of an argument with its value, without the two signs of an option.
    Unsigned {
        /// `name:=JSON`
        is_json: bool,
    },
    /// A word that is not UTF-8.
    NotUnicode,
    /// Options are to be added to `--args`, which is no object.
    ArgsNoObject,
}

impl Fault {
    fn new(option: impl Into<Option<String>>, path: &[String], kind: FaultKind) -> Self {
        Fault { option: option.into(), path: path.to_vec(), kind }
    }
}

#[cfg(test)]
mod tests;
