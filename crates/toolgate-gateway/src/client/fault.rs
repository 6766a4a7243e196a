//! Why a server gave no answer. Holds a server's words, and none of ours to it.

use crate::login::LoginFault;
use std::fmt;
use std::io;
use std::time::Duration;

/// Lines of a server's standard error that are shown when it fails.
const STDERR_LINES_MAX: usize = 12;

/// Why there is no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The command could not be started.
    Start {
        /// Its first word.
        command: String,
        /// What the operating system says.
        error: io::Error,
    },
    /// Nothing came in time.
    Silent {
        /// What was asked.
        method: &'static str,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The server ended.
    Ended {
        /// What was asked.
        method: &'static str,
        /// The beginning of what it wrote to standard error.
        stderr: String,
    },
    /// The server answered with an error.
    Refused {
        /// What was asked.
        method: &'static str,
        /// The error's code.
        code: Option<i64>,
        /// The server's words.
        message: String,
    },
    /// The answer cannot be read.
    Unreadable {
        /// What was asked.
        method: &'static str,
        /// Why.
        why: String,
    },
    /// The server speaks a revision of the protocol that is none of ours.
    UnknownRevision {
        /// What it calls the revision.
        said: String,
    },
    /// HTTP could not be spoken.
    Unreached {
        /// Why.
        why: String,
    },
    /// HTTP answered with a status that is no answer.
    Status {
        /// What was asked.
        method: &'static str,
        /// The status.
        status: u16,
        /// The beginning of the body, where it is text.
        words: String,
    },
    /// The server wants to know who we are, or does not let us.
    Unauthorised {
        /// 401 or 403.
        status: u16,
        /// The scopes that it asks for, its words.
        scopes: Vec<String>,
        /// Those that the user has signed in for.
        held: Vec<String>,
        /// It had looked at the request before, and may have done what was asked.
        is_since: bool,
    },
    /// The user's login cannot be used, or could not be renewed.
    Login(LoginFault),
    /// The server knows the session no more, and has not looked at the request.
    SessionEnded {
        /// What was asked.
        method: &'static str,
    },
    /// The tool asks for what cannot be given here.
    NeedsInput {
        /// What was asked.
        method: &'static str,
    },
    /// The user has given up.
    Interrupted,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Start { command, error } => write!(f, "the server `{command}` could not be started: {error}"),
            Fault::Silent { method, patience } => {
                write!(f, "the server did not answer {method} within {} s", patience.as_secs())
            }
            Fault::Ended { method, stderr } if stderr.trim().is_empty() => {
                write!(f, "the server ended before it answered {method}")
            }
            Fault::Ended { method, stderr } => {
                let lines: Vec<&str> = stderr.trim_end().lines().collect();
                let last = lines.get(lines.len().saturating_sub(STDERR_LINES_MAX)..).unwrap_or_default().join("\n");
                write!(f, "the server ended before it answered {method}; its last words:\n{last}")
            }
            Fault::Refused { method, message, .. } => {
                write!(f, "the server answered {method} with an error: {message}")
            }
            Fault::Unreadable { method, why } => write!(f, "the server's answer to {method} cannot be read: {why}"),
            Fault::UnknownRevision { said } => {
                write!(f, "the server speaks the revision `{said}` of the protocol, which this program does not know")
            }
            Fault::Unreached { why } => write!(f, "the server could not be reached: {why}"),
            Fault::Status { method, status, words } if words.trim().is_empty() => {
                write!(f, "the server answered {method} with HTTP status {status}")
            }
            Fault::Status { method, status, words } => {
                write!(f, "the server answered {method} with HTTP status {status}: {}", words.trim())
            }
            Fault::Unauthorised { status, scopes, is_since, .. } => {
                let what = if *status == 403 { "does not let us" } else { "asks who we are" };
                write!(f, "the server {what} (HTTP status {status})")?;
                if *is_since {
                    f.write_str(", after it had begun with the request")?;
                }
                let words = if scopes.len() == 1 { "scope" } else { "scopes" };
                scopes.iter().filter(|_| *status == 403).enumerate().try_for_each(|(index, scope)| match index {
                    0 => write!(f, ": it asks for the {words} `{scope}`"),
                    _ => write!(f, ", `{scope}`"),
                })
            }
            Fault::Login(fault) => write!(f, "{fault}"),
            Fault::SessionEnded { method } => {
                write!(f, "the server ended the session before it looked at {method} (HTTP status 404)")
            }
            Fault::NeedsInput { method } => {
                write!(
                    f,
                    "the server needs more to answer {method} than this program can give: it asks a person or a model"
                )
            }
            Fault::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for Fault {}
