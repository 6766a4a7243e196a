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
    /// Standard output, or a file or folder that was named to be written, cannot be written.
    Output = 74,
    /// Configuration.
    Configuration = 78,
    /// Ended by SIGHUP.
    #[expect(dead_code, reason = "counted off the signal; it is in the public table")]
    HungUp = 129,
    /// Ended by SIGINT.
    Interrupted = 130,
    /// Ended by SIGTERM.
    #[expect(dead_code, reason = "counted off the signal; it is in the public table")]
    Terminated = 143,
}

impl Exit {
    /// The first of several that is not as it should be.
    pub(crate) fn or(self, later: Exit) -> Exit {
        if self == Exit::Done { later } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        // What had no answer when a signal came has none for the signal.
        let signal = ended_by().filter(|_| matches!(exit, Exit::Interrupted | Exit::NoAnswer));
        ExitCode::from(signal.unwrap_or(exit as u8))
    }
}

/// The status of a program that a signal ends, where one has come.
#[cfg(unix)]
fn ended_by() -> Option<u8> {
    toolgate_gateway::client::ended_by().and_then(|signal| u8::try_from(128 + signal).ok())
}

#[cfg(not(unix))]
fn ended_by() -> Option<u8> {
    None
}

/// Why something ends early, not yet told.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) why: String,
    pub(crate) exit: Exit,
}

impl Failed {
    /// Says why.
    pub(crate) fn tell(&self) -> Exit {
        crate::show::complain(&self.why, self.exit)
    }
}

/// The status of a command, which has said already why it ended early.
pub(crate) fn status(outcome: Result<Exit, Exit>) -> ExitCode {
    match outcome {
        Ok(exit) | Err(exit) => exit.into(),
    }
}
