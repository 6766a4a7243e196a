//! The notes themselves.

use std::cmp::Reverse;
use std::fmt;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its number.
    pub id: u32,
    /// Under which it is found.
    pub title: String,
    /// What it says.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} [{}] {}", self.id, self.title, self.tags.join(", "), self.text)
    }
}

/// Which of several notes comes first.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The last one written.
    #[default]
    Newest,
    /// The first one written.
    Oldest,
    /// By the alphabet.
    Title,
}

/// One change of a note.
#[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Step {
    /// Gives it another title.
    Retitle {
        /// The new one.
        title: String,
    },
    /// Adds a line below the text.
    Append {
        /// The line.
        line: String,
    },
    /// Adds and takes away tags.
    Tag {
        /// Those that it gets.
        #[serde(default)]
        add: Vec<String>,
        /// Those that it loses.
        #[serde(default)]
        remove: Vec<String>,
    },
}

/// Notes that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found(Vec<Note>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [] => f.write_str("there is no such note"),
            notes => notes.iter().try_for_each(|note| writeln!(f, "{note}")),
        }
    }
}

/// Notes by number.
#[derive(Default)]
pub(crate) struct Book {
    notes: Vec<Note>,
    last: u32,
}

impl Book {
    pub(crate) fn all(&self) -> &[Note] {
        &self.notes
    }

    pub(crate) fn add(&mut self, title: String, text: String, tags: Vec<String>) -> u32 {
        self.last += 1;
        self.notes.push(Note { id: self.last, title, text, tags });
        self.last
    }

    pub(crate) fn find(&self, word: Option<&str>, tag: Option<&str>, order: Order, limit: usize) -> Found {
        let has_word = |note: &&Note| word.is_none_or(|word| note.title.contains(word) || note.text.contains(word));
        let has_tag = |note: &&Note| tag.is_none_or(|tag| note.tags.iter().any(|own| own == tag));
        let mut found: Vec<Note> = self.notes.iter().filter(has_word).filter(has_tag).cloned().collect();
        match order {
            Order::Newest => found.sort_by_key(|note| Reverse(note.id)),
            Order::Oldest => found.sort_by_key(|note| note.id),
            Order::Title => found.sort_by(|one, other| one.title.cmp(&other.title)),
        }
        found.truncate(limit);
        Found(found)
    }

    /// The note with these changes; the book has it as it was.
    pub(crate) fn edited(&self, id: u32, steps: &[Step]) -> Result<Note, String> {
        let mut note = self.notes.iter().find(|note| note.id == id).ok_or_else(|| missing(id))?.clone();
        for step in steps {
            match step {
                Step::Retitle { title } => note.title.clone_from(title),
                Step::Append { line } => note.text = format!("{}\n{line}", note.text),
                Step::Tag { add, remove } => {
                    note.tags.retain(|tag| !remove.contains(tag));
                    note.tags.extend(add.iter().cloned());
                }
            }
        }
        Ok(note)
    }

    /// Takes the place of the note of its number.
    pub(crate) fn put(&mut self, changed: Note) {
        if let Some(note) = self.notes.iter_mut().find(|note| note.id == changed.id) {
            *note = changed;
        }
    }

    pub(crate) fn remove(&mut self, id: u32) -> Result<Note, String> {
        let at = self.notes.iter().position(|note| note.id == id).ok_or_else(|| missing(id))?;
        Ok(self.notes.remove(at))
    }
}

fn missing(id: u32) -> String {
    format!("there is no note {id}")
}
