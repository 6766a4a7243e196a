//! Why nobody is signed in. Holds words of the authorization server, which are a stranger's, and no secret of ours.

use crate::client::Secrets;
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
    /// The server has the login go where it would travel in the clear, or to what is no server of HTTP; nothing was sent or opened.
    LedInTheClear {
        /// The scheme and the host.
        place: String,
    },
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
    /// The server takes the token no more, and no other was to be had: the user has to sign in again. Holds why.
    NotRenewed(String),
    /// The server answers without asking who we are, and nothing says how one would sign in.
    NotAsked,
    /// The authorization server does not register whoever asks. Holds its words.
    Unregistered(String),
    /// The authorization server does not hold codes to whoever asked for them (PKCE with S256).
    Unproven,
    /// The server or its authorization server did not do its part.
    Server(String),
}

impl LoginFault {
    /// The same without what a stranger's words repeat of us.
    pub(crate) fn without(self, secrets: &Secrets) -> LoginFault {
        match self {
            LoginFault::NotRenewed(why) => LoginFault::NotRenewed(secrets.masked(&why)),
            LoginFault::Unregistered(words) => LoginFault::Unregistered(secrets.masked(&words)),
            LoginFault::Server(why) => LoginFault::Server(secrets.masked(&why)),
            LoginFault::Denied { error, description } => LoginFault::Denied {
                error: secrets.masked(&error),
                description: description.map(|text| secrets.masked(&text)),
            },
            fault => fault,
        }
    }
}

impl fmt::Display for LoginFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoginFault::InTheClear => f.write_str(
                "a login is for https:// or for this machine; elsewhere the token would travel in the clear",
            ),
            LoginFault::LedInTheClear { place } => write!(
                f,
                "the server has the login go to {place}; it may go to https:// and to this machine alone, since elsewhere it \
                 would travel in the clear"
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
            LoginFault::NotRenewed(why) => {
                write!(f, "the server takes the login no more, and it could not be renewed: {why}")
            }
            LoginFault::NotAsked => f.write_str(
                "this server asks for no login: it answers without one, and no client can be registered there",
            ),
            LoginFault::Unregistered(words) if words.is_empty() => f.write_str("no client can be registered there"),
            LoginFault::Unregistered(words) => write!(f, "no client can be registered there: {words}"),
            LoginFault::Unproven => f.write_str(
                "the authorization server offers no PKCE with S256, without which a stolen code would do, so nobody is signed in \
                 there",
            ),
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
            AuthError::PkceUnsupported => LoginFault::Unproven,
            // What keeps us from registering is told as a registration that failed, in words alone.
            AuthError::RegistrationFailed(words) if words.contains(&AuthError::PkceUnsupported.to_string()) => {
                LoginFault::Unproven
            }
            AuthError::RegistrationFailed(words) => LoginFault::Unregistered(in_a_line(&words)),
            error => LoginFault::Server(in_a_line(&with_sources(&error))),
        }
    }
}

/// A stranger's words on one line, as far as they are words and no page.
pub(super) fn in_a_line(text: &str) -> String {
    /// Characters that are shown.
    const CHARS_MAX: usize = 300;
    let page = text.match_indices('<').map(|(at, _)| at).find(|at| {
        let tag = text.get(at + 1..).unwrap_or_default();
        tag.starts_with(|ch: char| ch == '!' || ch.is_ascii_alphabetic())
    });
    let words = text.get(..page.unwrap_or(text.len())).unwrap_or_default();
    let line: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CHARS_MAX).collect();
    line.trim_end_matches([':', ' ']).to_owned()
}

/// An error with what caused it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_not_shown() {
        assert_eq!(in_a_line("HTTP 404:\n <!DOCTYPE HTML>\n<p>no</p>"), "HTTP 404");
        assert_eq!(in_a_line("a < b\n  and c"), "a < b and c");
        assert_eq!(in_a_line(&"x".repeat(1_000)).len(), 300);
    }
}
