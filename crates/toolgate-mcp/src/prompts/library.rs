//! The library of one server: its start, what users do with it, and who is told.

use super::built_in::{BuiltIn, Misdeclared};
use super::plan::{Step, plan, shipped};
use super::prompt::{PromptDefect, PromptText, is_name};
use super::report::{Entry, Outcome, Report};
use super::store::{Found, Origin, Row, Store, StoreError, name_of};
use super::text::{digest, normalise};
use super::{NAME_MAX, ROWS_MAX, USER_MAX};
use crate::listeners::{Changes, Listeners};
use rmcp::RoleServer;
use rmcp::model::Prompt;
use rmcp::service::Peer;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often a start reads the rows again because somebody has changed one in between. Whoever changes one has got on, so
/// that this many changes came from somewhere else within one start.
const ROUNDS_MAX: usize = 64;

/// The prompts of a server. All clones are one.
///
/// [`serve_prompts`](crate::serve_prompts) puts it into an `impl ServerHandler`. Every list and every prompt is read from the
/// database, so that what another process saves is served by this one.
///
/// # Example
///
/// ```
/// use toolgate_mcp::prompts::{BuiltIn, Library, SqliteStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const LOOK: BuiltIn = BuiltIn::new(
///     "look",
///     "title: Look\n---\nLook around.\n",
///     &["128a932f67112b9210a18261f9447f0f2ea9c74cf4a3354a24433847812045c3"],
/// );
/// let (library, report) = Library::start(SqliteStore::memory(), &[LOOK]).await?;
/// assert_eq!(report.to_string(), "look  added, revision 1\n");
///
/// let saved = library.save("look", "title: Look\n---\nLook twice.\n", "alice", Some(1)).await?;
/// assert_eq!(saved.version, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Library {
    shared: Arc<Shared>,
}

struct Shared {
    store: Box<dyn Store>,
    built_ins: Vec<BuiltIn>,
    last: Mutex<Last>,
    /// Held while the list is read and compared with the last, so that no older list takes the place of a newer one.
    reading: tokio::sync::Mutex<()>,
}

/// What was served last, and who is told when it is no longer so.
#[derive(Default)]
struct Last {
    list: Vec<Prompt>,
    closed: Vec<(String, String)>,
    listeners: Listeners,
}

/// What was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// The version that the row has now, for whoever saves it next.
    pub version: i64,
}

/// Why a library was not started, or something was not saved. Nothing has been written then, but by a start the rows before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryError {
    /// Built-in prompts cannot be shipped as they are declared.
    Misdeclared(Vec<Misdeclared>),
    /// The database did not do its part.
    Store(StoreError),
    /// The rows were changed by others as often as they were read.
    Contended,
    /// The text is no prompt.
    Defect(PromptDefect),
    /// No prompt may have this name.
    NoName,
    /// The user's name is empty or too long.
    NoUser,
    /// The row is not as it was seen: somebody has saved or deleted it, or there is one already.
    Changed,
    /// The row of this name says nothing that this library could go by, and only who has the database can mend it.
    Unreadable(&'static str),
    /// The prompt cannot be restored, as this server does not ship it or it is a user's own.
    NotBuiltIn,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Misdeclared(faults) => {
                f.write_str("not every built-in prompt can be shipped")?;
                faults.iter().try_for_each(|fault| write!(f, "; {fault}"))
            }
            LibraryError::Store(error) => error.fmt(f),
            LibraryError::Contended => f.write_str("the prompts were changed by others as often as they were read"),
            LibraryError::Defect(defect) => defect.fmt(f),
            LibraryError::NoName => write!(
                f,
                "the name of a prompt is made of letters, digits, `_`, `-`, `.` and `/`, at most {NAME_MAX} of them"
            ),
            LibraryError::NoUser => write!(f, "who saves a prompt needs a name of at most {USER_MAX} bytes"),
            LibraryError::Changed => f.write_str("the prompt was changed by somebody else; read it again"),
            LibraryError::Unreadable(why) => write!(f, "the row of the prompt cannot be read: {why}"),
            LibraryError::NotBuiltIn => f.write_str("this server ships no such prompt to go back to"),
        }
    }
}

impl std::error::Error for LibraryError {}

impl From<StoreError> for LibraryError {
    fn from(error: StoreError) -> Self {
        LibraryError::Store(error)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("built_ins", &self.shared.built_ins.len()).finish_non_exhaustive()
    }
}

impl Library {
    /// What a start would do. Writes nothing, makes no table and no file.
    ///
    /// # Errors
    ///
    /// As for [`Library::start`].
    pub async fn plan(store: &impl Store, built_ins: &[BuiltIn]) -> Result<Report, LibraryError> {
        BuiltIn::check_all(built_ins).map_err(LibraryError::Misdeclared)?;
        let steps = planned(store.rows().await?, built_ins)?;
        Ok(Report { is_dry: true, entries: steps.into_iter().map(|step| step.entry).collect() })
    }

    /// Brings the database to what this server ships, and serves from it. A row is written only if it is built-in, was never
    /// saved or deleted by a user, and has the text of a revision that was shipped; a prompt that has no row is added. No row
    /// is ever removed. Each write is made only if the row is still as it was read, so any number of processes may start at once.
    ///
    /// # Errors
    ///
    /// Says which built-in prompt is misdeclared, or what the database did not do. What was written before stays, and the next
    /// start goes on from there.
    pub async fn start(store: impl Store, built_ins: &[BuiltIn]) -> Result<(Library, Report), LibraryError> {
        BuiltIn::check_all(built_ins).map_err(LibraryError::Misdeclared)?;
        store.prepare().await?;
        let report = settle(&store, built_ins).await?;
        let shared = Shared {
            store: Box::new(store),
            built_ins: built_ins.to_vec(),
            last: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
        };
        let library = Library { shared: Arc::new(shared) };
        library.look().await?;
        Ok((library, report))
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.shared.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All rows by name, those of deleted prompts too: what an editor for users shows.
    ///
    /// # Errors
    ///
    /// Says what the database did not do.
    pub async fn rows(&self) -> Result<Vec<Found>, StoreError> {
        let mut rows = self.shared.store.rows().await?;
        rows.sort_by_cached_key(|row| name_of(row).to_owned());
        Ok(rows)
    }

    /// Saves what a user has written. `seen` is the version of the row that the user has edited; `None` where there was none,
    /// or a deleted one. From then on no start writes this row, whatever the text is.
    ///
    /// # Errors
    ///
    /// Says that the text is no prompt, the name none, or that somebody else was faster.
    pub async fn save(&self, name: &str, text: &str, user: &str, seen: Option<i64>) -> Result<Saved, LibraryError> {
        if !is_name(name) {
            return Err(LibraryError::NoName);
        }
        is_user(user)?;
        PromptText::read(text).map_err(LibraryError::Defect)?;
        let text = normalise(text);
        let row = self.shared.store.row(name).await?.transpose().map_err(|row| LibraryError::Unreadable(row.why))?;
        let live = row.as_ref().filter(|row| row.deleted_by.is_none());
        if live.map(|row| row.version) != seen {
            return Err(LibraryError::Changed);
        }
        let new = Row {
            name: name.to_owned(),
            origin: row.as_ref().map_or(Origin::User, |row| row.origin),
            digest: digest(&text),
            text,
            revision: row.as_ref().and_then(|row| row.revision),
            saved_by: Some(user.to_owned()),
            deleted_by: None,
            version: next(row.as_ref()),
        };
        self.write(row, Some(new)).await
    }

    /// Deletes a prompt for a user. A built-in one leaves its row, so that no start brings it back; [`Library::restore`] does.
    ///
    /// # Errors
    ///
    /// Says that it is not as it was seen.
    pub async fn delete(&self, name: &str, user: &str, seen: i64) -> Result<(), LibraryError> {
        is_user(user)?;
        let row = self.seen(name, seen).await?;
        if row.deleted_by.is_some() {
            return Err(LibraryError::Changed);
        }
        let new = match row.origin {
            Origin::User => None,
            Origin::BuiltIn => {
                Some(Row { deleted_by: Some(user.to_owned()), version: next(Some(&row)), ..row.clone() })
            }
        };
        self.write(Some(row), new).await.map(|_| ())
    }

    /// Makes a built-in prompt, edited or deleted, again what this server ships. Later starts refresh it.
    ///
    /// # Errors
    ///
    /// Says that it is not as it was seen, or no prompt of this server's.
    pub async fn restore(&self, name: &str, seen: i64) -> Result<Saved, LibraryError> {
        let built_in = self.shared.built_ins.iter().find(|built_in| built_in.name == name);
        let built_in = built_in.ok_or(LibraryError::NotBuiltIn)?;
        let row = self.seen(name, seen).await?;
        if row.origin == Origin::User {
            return Err(LibraryError::NotBuiltIn);
        }
        let new = shipped(built_in, next(Some(&row)));
        self.write(Some(row), Some(new)).await
    }

    async fn seen(&self, name: &str, version: i64) -> Result<Row, LibraryError> {
        match self.shared.store.row(name).await? {
            Some(Ok(row)) if row.version == version => Ok(row),
            Some(Err(row)) => Err(LibraryError::Unreadable(row.why)),
            _ => Err(LibraryError::Changed),
        }
    }

    async fn write(&self, seen: Option<Row>, new: Option<Row>) -> Result<Saved, LibraryError> {
        let version = new.as_ref().map_or(0, |row| row.version);
        if !self.shared.store.write(seen, new).await? {
            return Err(LibraryError::Changed);
        }
        // It is saved, whether the list can be read again now or not; then the next one who reads it tells.
        if let Err(error) = self.look().await {
            tracing::warn!(target: "toolgate", %error, "the list of prompts could not be read after a change");
        }
        Ok(Saved { version })
    }

    /// Reads the list from the database, and has clients told if it is another one than was served last. For changes that other
    /// processes make; those of this one are told at once. Returns whether it was another one.
    ///
    /// # Errors
    ///
    /// Says what the database did not do.
    pub async fn look(&self) -> Result<bool, StoreError> {
        Ok(self.read().await?.1)
    }

    /// The list that clients get, read now.
    pub(super) async fn read_list(&self) -> Result<Vec<Prompt>, StoreError> {
        Ok(self.read().await?.0)
    }

    async fn read(&self) -> Result<(Vec<Prompt>, bool), StoreError> {
        let _one_after_another = self.shared.reading.lock().await;
        let rows = self.rows().await?;
        Ok(self.serve(rows))
    }

    /// The prompt of this name, read now; `None` where none is served.
    pub(super) async fn read_prompt(&self, name: &str) -> Result<Option<PromptText>, StoreError> {
        if !is_name(name) {
            return Ok(None);
        }
        let row = self.shared.store.row(name).await?.and_then(Result::ok).filter(|row| row.deleted_by.is_none());
        Ok(row.and_then(|row| PromptText::read(&row.text).ok()))
    }

    fn serve(&self, rows: Vec<Found>) -> (Vec<Prompt>, bool) {
        let mut list = Vec::new();
        let mut closed = Vec::new();
        for row in rows {
            match row {
                Ok(row) if row.deleted_by.is_some() => {}
                Ok(row) => match PromptText::read(&row.text) {
                    Ok(prompt) => list.push(super::serve::listed(row.name, prompt)),
                    Err(defect) => closed.push((row.name, defect.to_string())),
                },
                Err(row) => closed.push((row.name, row.why.to_owned())),
            }
        }
        let mut last = self.last();
        for (prompt, why) in closed.iter().filter(|closed| !last.closed.contains(closed)) {
            let prompt = toolgate::shown_name(prompt);
            tracing::warn!(target: "toolgate", %prompt, %why, "a prompt is not served");
        }
        last.closed = closed;
        let is_other = last.list != list;
        if is_other {
            last.list.clone_from(&list);
            last.listeners.tell(|_| true);
        }
        (list, is_other)
    }

    /// The changes from now on.
    pub(super) fn changes(&self, peer: Option<Peer<RoleServer>>) -> Option<Changes> {
        self.last().listeners.listen(None, peer)
    }
}

fn is_user(user: &str) -> Result<(), LibraryError> {
    if user.is_empty() || user.len() > USER_MAX || user.chars().any(char::is_control) {
        return Err(LibraryError::NoUser);
    }
    Ok(())
}

fn next(row: Option<&Row>) -> i64 {
    row.map_or(1, |row| row.version.wrapping_add(1))
}

/// The steps, if there is room for what they add. Said before anything is written: a library that is half there helps nobody.
fn planned(found: Vec<Found>, built_ins: &[BuiltIn]) -> Result<Vec<Step>, LibraryError> {
    let count = found.len();
    let steps = plan(found, built_ins);
    let added = steps.iter().filter(|step| step.seen.is_none() && step.new.is_some()).count();
    if added > 0 && count + added > ROWS_MAX {
        return Err(LibraryError::Store(StoreError::Full));
    }
    Ok(steps)
}

/// Plans and writes until nothing that was planned was in vain.
async fn settle(store: &impl Store, built_ins: &[BuiltIn]) -> Result<Report, LibraryError> {
    let mut done: Vec<Entry> = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let steps = planned(store.rows().await?, built_ins)?;
        let mut in_vain = false;
        let mut entries = Vec::with_capacity(steps.len());
        for step in steps {
            if step.seen.is_some() || step.new.is_some() {
                match store.write(step.seen, step.new).await? {
                    true => done.push(step.entry.clone()),
                    false => in_vain = true,
                }
            }
            entries.push(step.entry);
        }
        if !in_vain {
            return Ok(Report {
                is_dry: false,
                entries: entries.into_iter().map(|entry| as_done(entry, &done)).collect(),
            });
        }
    }
    Err(LibraryError::Contended)
}

/// What was done in an earlier round is current in the last one.
fn as_done(entry: Entry, done: &[Entry]) -> Entry {
    match &entry.outcome {
        Outcome::Current => done.iter().rfind(|done| done.name == entry.name).cloned().unwrap_or(entry),
        _ => entry,
    }
}
