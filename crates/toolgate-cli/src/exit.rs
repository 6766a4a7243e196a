//! What the program's exit status says. One table for all commands; public, like refusal codes.

use std::process::ExitCode;

/// An exit status by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A verdict against the input.
    Verdict = 1,
    /// No answer: the server could not be started, or ended by itself.
    NoAnswer = 3,
    /// Usage.
    Usage = 64,
    /// Input data that cannot be read.
    Data = 65,
    /// A fault of ours.
    Internal = 70,
    /// Configuration.
    Configuration = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
