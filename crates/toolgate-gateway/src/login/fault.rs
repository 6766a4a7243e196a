//! Why nobody is signed in. Holds words of the authorization server, which are a stranger's, and no secret of ours.

use rmcp::transport::auth::AuthError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a login was not made, kept or used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginFault {
    /// The address would carry the token in the clear.
    InTheClear,
    /// This machine has no port for the redirect.
    Port(io::Error),
    /// The runtime could not be built.
    Runtime(io::Error),
    /// A file of tokens cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The user took too long.
    Late,
    /// The user has given up.
    Interrupted,
    /// The authorization server sent the user back without a code.
    Denied {
        /// Its word for why, such as `access_denied`.
        error: String,
        /// Its sentence.
        description: Option<String>,
    },
    /// The tokens have run out, or were taken back: the user has to sign in again.
    Ended,
    /// The server or its authorization server did not do its part.
    Server(String),
}

impl fmt::Display for LoginFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoginFault::InTheClear => f.write_str(
                "a login is for https:// or for this machine; elsewhere the token would travel in the clear",
            ),
            LoginFault::Port(error) => write!(f, "no port of this machine could be opened for the redirect: {error}"),
            LoginFault::Runtime(error) => write!(f, "the runtime could not be started: {error}"),
            LoginFault::File { path, why } => write!(f, "{}: {why}", path.display()),
            LoginFault::Late => f.write_str("nobody came back from the browser in time"),
            LoginFault::Interrupted => f.write_str("interrupted"),
            LoginFault::Denied { error, description } => {
                write!(f, "the authorization server refused: {error}")?;
                description.iter().try_for_each(|text| write!(f, ", {text}"))
            }
            LoginFault::Ended => f.write_str("the login has ended"),
            LoginFault::Server(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LoginFault {}

impl From<AuthError> for LoginFault {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::AuthorizationRequired | AuthError::TokenExpired | AuthError::TokenRefreshRejected(_) => {
                LoginFault::Ended
            }
            AuthError::NoAuthorizationSupport => {
                LoginFault::Server("the server says nothing of how one signs in".to_owned())
            }
            error => LoginFault::Server(with_sources(&error)),
        }
    }
}

/// An error with what caused it, in one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        source = cause.source();
    }
    text
}
