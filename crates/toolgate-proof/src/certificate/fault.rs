//! Why a text is no certificate.

use std::fmt;

/// Why a text is no certificate. Names the members that are at fault: what nobody reads could be taken for what was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateFault {
    /// It is no JSON within the checker's bounds; in words.
    Json(String),
    /// Its `format` is another one, or is missing.
    Format,
    /// A member of the certificate is missing, or of another kind.
    Missing {
        /// Its name.
        member: &'static str,
        /// What it has to be.
        kind: &'static str,
    },
    /// The verdict is none that can be certified.
    Verdict,
    /// An object has a member that is not known.
    Unknown {
        /// `certificate`, `options` or `map`.
        object: &'static str,
        /// The name of the member.
        member: String,
    },
    /// An option has a value that is none of its own.
    Option {
        /// The name of the option.
        option: String,
    },
    /// An entry of `map` cannot be read.
    Entry {
        /// Counted from one.
        number: usize,
    },
}

/// Characters of a member's name that are shown.
const NAME_MAX: usize = 64;

impl fmt::Display for CertificateFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateFault::Json(why) => write!(out, "the certificate cannot be read: {why}"),
            CertificateFault::Format => out.write_str("the certificate is of another format"),
            CertificateFault::Missing { member, kind } => {
                write!(out, "the certificate has no `{member}` that is {kind}")
            }
            CertificateFault::Verdict => out.write_str("the verdict of the certificate is not known"),
            CertificateFault::Unknown { object, member } => {
                write!(out, "`{object}` has a member that is not known: `{}`", shown(member))
            }
            CertificateFault::Option { option } => write!(out, "`{}` in `options` cannot be read", shown(option)),
            CertificateFault::Entry { number } => write!(out, "entry {number} of `map` cannot be read"),
        }
    }
}

impl std::error::Error for CertificateFault {}

/// A name that whoever wrote the text chose.
fn shown(name: &str) -> String {
    name.chars().take(NAME_MAX).flat_map(char::escape_debug).collect()
}
