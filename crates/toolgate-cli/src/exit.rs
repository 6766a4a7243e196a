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
    /// Standard output cannot be written.
    Output = 74,
    /// Configuration.
    Configuration = 78,
    /// `run` was ended by SIGINT.
    #[expect(dead_code, reason = "the guard counts it off the signal; it is in the public table")]
    Interrupted = 130,
    /// `run` was ended by SIGTERM.
    #[expect(dead_code, reason = "the guard counts it off the signal; it is in the public table")]
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
