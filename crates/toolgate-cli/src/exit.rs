//! What the program's exit status says. One table for all commands; public, like refusal codes.

use std::process::ExitCode;

/// An exit status by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A verdict against the input.
    Verdict = 1,
    /// The tool answered, and says that the call went wrong.
    ToolError = 2,
    /// No answer: the server could not be started or reached, ended by itself, or answered with an error of the protocol.
    NoAnswer = 3,
    /// The server asks who we are, or does not let us.
    Unauthorised = 4,
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
    /// Ended by SIGINT.
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

/// The status of a command, which has said already why it ended early.
pub(crate) fn status(outcome: Result<Exit, Exit>) -> ExitCode {
    match outcome {
        Ok(exit) | Err(exit) => exit.into(),
    }
}
