//! What a start did, or would do, row by row.

use std::fmt;
use toolgate::shown_name;

/// What became of every row, and why: first the built-in prompts as they are shipped, then all other rows by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Whether nothing was done, and this is what would be.
    pub is_dry: bool,
    /// One entry for each row, and for each built-in prompt that has none.
    pub entries: Vec<Entry>,
}

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name of the row, as it is now.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was none, and the shipped text was put in.
    Added {
        /// The revision put in.
        revision: i64,
    },
    /// It has the shipped text.
    Current,
    /// It had the text of an older revision, and now has the shipped one.
    Refreshed {
        /// The revision that it had.
        from: i64,
        /// The revision put in.
        to: i64,
    },
    /// It had a name that the prompt was shipped under before, and a shipped text; it now has the new name and the new text.
    Renamed {
        /// The name that it had.
        from: String,
        /// The revision put in.
        revision: i64,
    },
    /// It was left as it is.
    Kept(Kept),
}

/// Why a row was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// A user has saved it, whatever the text is now.
    Saved,
    /// A user has deleted it.
    Deleted,
    /// It is a user's own prompt.
    UserOwned,
    /// Its text was changed past this library.
    ChangedPast,
    /// A server wrote its text that has shipped a revision which this one has not.
    UnknownText,
    /// It was shipped by a server, and this one ships no prompt of its name.
    NotShipped,
    /// It has a former name of a prompt, whose new name another row has.
    NewNameTaken {
        /// The new name.
        name: String,
    },
    /// It cannot be read.
    Unreadable(&'static str),
}

impl Report {
    /// What became of the row of this name.
    pub fn of(&self, name: &str) -> Option<&Outcome> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| &entry.outcome)
    }

    /// Whether a row was written, or would be.
    pub fn has_changes(&self) -> bool {
        self.entries.iter().any(|entry| !matches!(entry.outcome, Outcome::Current | Outcome::Kept(_)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries.is_empty() {
            return f.write_str("there are no prompts\n");
        }
        let width = self.entries.iter().map(|entry| shown_name(&entry.name).chars().count()).max().unwrap_or_default();
        for entry in &self.entries {
            let would = if self.is_dry && !matches!(entry.outcome, Outcome::Current | Outcome::Kept(_)) {
                "would be "
            } else {
                ""
            };
            writeln!(f, "{:width$}  {would}{}", shown_name(&entry.name), entry.outcome)?;
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Added { revision } => write!(f, "added, revision {revision}"),
            Outcome::Current => f.write_str("current"),
            Outcome::Refreshed { from, to } => write!(f, "refreshed, from revision {from} to {to}"),
            Outcome::Renamed { from, revision } => {
                write!(f, "renamed from `{}`, revision {revision}", shown_name(from))
            }
            Outcome::Kept(why) => write!(f, "kept: {why}"),
        }
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kept::Saved => f.write_str("a user has saved it"),
            Kept::Deleted => f.write_str("a user has deleted it"),
            Kept::UserOwned => f.write_str("it is a user's own"),
            Kept::ChangedPast => f.write_str("its text was changed in the database"),
            Kept::UnknownText => f.write_str("its text is of no revision that this server has shipped"),
            Kept::NotShipped => f.write_str("this server ships no prompt of this name"),
            Kept::NewNameTaken { name } => write!(f, "its new name, `{}`, is taken", shown_name(name)),
            Kept::Unreadable(why) => f.write_str(why),
        }
    }
}
