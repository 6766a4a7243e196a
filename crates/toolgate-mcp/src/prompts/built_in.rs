//! What a server ships.

use super::prompt::{PromptText, is_name};
use super::text::{digest, normalise};
use std::fmt;

/// A prompt that the server ships: its name, its text, and the digest of every revision of the text that was ever shipped.
///
/// The digests are written down, so that a row which nobody has touched is known whatever revision it has. The last one is that
/// of the text: whoever changes the text appends a digest, and [`BuiltIn::check`] says which.
///
/// # Example
///
/// ```
/// use toolgate_mcp::prompts::BuiltIn;
///
/// const LOOK: BuiltIn = BuiltIn::new(
///     "look",
///     "title: Look\n---\nLook around.\n",
///     &["128a932f67112b9210a18261f9447f0f2ea9c74cf4a3354a24433847812045c3"],
/// );
/// assert!(LOOK.check().is_ok());
///
/// let changed = BuiltIn::new("look", "title: Look\n---\nLook up.\n", &["128a932f67112b9210a18261f9447f0f2ea9c74cf4a3354a24433847812045c3"]);
/// assert!(changed.check().unwrap_err().why.contains("append"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    pub(super) revisions: &'static [&'static str],
    pub(super) former_names: &'static [&'static str],
}

/// A built-in prompt that cannot be shipped as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misdeclared {
    /// The prompt's name.
    pub name: String,
    /// What is wrong, and what to write.
    pub why: String,
}

impl fmt::Display for Misdeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the built-in prompt `{}`: {}", toolgate::shown_name(&self.name), self.why)
    }
}

impl std::error::Error for Misdeclared {}

impl BuiltIn {
    /// A prompt with its text, which may come from `include_str!`, and the digests of all revisions, the oldest first.
    pub const fn new(name: &'static str, text: &'static str, revisions: &'static [&'static str]) -> Self {
        BuiltIn { name, text, revisions, former_names: &[] }
    }

    /// The names under which it was shipped before. The digests are those of these times, too.
    #[must_use]
    pub const fn formerly(mut self, names: &'static [&'static str]) -> Self {
        self.former_names = names;
        self
    }

    /// The name that it is shipped under.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Holds the declaration against the text. For a test of yours; [`Library::start`](super::Library::start) asks too.
    ///
    /// # Errors
    ///
    /// Says that the text is no prompt, that the name is none, or which digest is missing.
    pub fn check(&self) -> Result<(), Misdeclared> {
        let misdeclared = |why: String| Err(Misdeclared { name: self.name.to_owned(), why });
        if let Some(name) = self.names().find(|name| !is_name(name)) {
            return misdeclared(format!("`{}` is no name of a prompt", toolgate::shown_name(name)));
        }
        if let Err(defect) = PromptText::read(self.text) {
            return misdeclared(defect.to_string());
        }
        let is_digest =
            |digest: &&str| digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if let Some(index) = self.revisions.iter().position(|digest| !is_digest(digest)) {
            return misdeclared(format!("revision {} is no SHA-256 in lower-case hexadecimal", index + 1));
        }
        let digest = digest(self.text);
        if self.revisions.last().is_none_or(|last| *last != digest) {
            return misdeclared(format!(
                "its text is of no revision that is declared; append \"{digest}\" to the digests"
            ));
        }
        Ok(())
    }

    /// All of them, and no name twice.
    pub(super) fn check_all(built_ins: &[BuiltIn]) -> Result<(), Vec<Misdeclared>> {
        let mut faults: Vec<Misdeclared> = built_ins.iter().filter_map(|built_in| built_in.check().err()).collect();
        let mut names = std::collections::BTreeSet::new();
        for built_in in built_ins {
            for name in built_in.names().filter(|name| !names.insert(*name)) {
                let why = format!("the name `{}` is declared twice", toolgate::shown_name(name));
                faults.push(Misdeclared { name: built_in.name.to_owned(), why });
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.former_names.iter().copied())
    }

    /// The number of the revision that is shipped now; the first is 1.
    pub(super) fn revision(&self) -> i64 {
        number(self.revisions.len())
    }

    /// Which revision has this digest; the newest, where several have.
    pub(super) fn revision_of(&self, digest: &str) -> Option<i64> {
        self.revisions.iter().rposition(|revision| *revision == digest).map(|index| number(index + 1))
    }

    /// The text as it is stored.
    pub(super) fn normal_text(&self) -> String {
        normalise(self.text)
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
