//! Where the prompts are. A store reads rows, and writes one only if it is still as it was read; it decides nothing.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use super::ROWS_MAX;
use super::text::digest;
use std::fmt;
use std::pin::Pin;

/// What a store answers, in time.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Rows of prompts, wherever they are kept.
pub trait Store: Send + Sync + 'static {
    /// Makes the tables, or brings older ones to what this version writes. Several processes may do so at once.
    fn prepare(&self) -> Pending<'_, ()>;

    /// All rows, in no order; none where there are no tables. Changes nothing, and makes nothing.
    ///
    /// A store with more than [`ROWS_MAX`] rows answers [`StoreError::TooManyRows`].
    fn rows(&self) -> Pending<'_, Vec<Found>>;

    /// The row of this name.
    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>>;

    /// Puts one row in the place of another, in one step, and answers whether it did: only if the row `seen` is there and equal
    /// in every column, and no other row has the new name. Without `seen` a row is added, without `new` it is removed.
    ///
    /// A row that would be the first above [`ROWS_MAX`] is not added: [`StoreError::Full`].
    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool>;
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn prepare(&self) -> Pending<'_, ()> {
        (**self).prepare()
    }

    fn rows(&self) -> Pending<'_, Vec<Found>> {
        (**self).rows()
    }

    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>> {
        (**self).row(name)
    }

    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool> {
        (**self).write(seen, new)
    }
}

/// A row that was found.
pub type Found = Result<Row, Unreadable>;

/// The name of a row, whether it can be read or not.
pub(super) fn name_of(row: &Found) -> &str {
    row.as_ref().map_or_else(|unreadable| &unreadable.name, |row| &row.name)
}

/// One prompt in the database. A store of your own begins with [`Row::new`] and fills in what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Its name, unlike that of any other row.
    pub name: String,
    /// Whose prompt it is.
    pub origin: Origin,
    /// The text, for [`PromptText::read`](super::PromptText::read).
    pub text: String,
    /// The shipped revision that was last put here; none in a user's own prompt.
    pub revision: Option<i64>,
    /// The digest of the text as this library last wrote it. Where the text has another one, it was changed past the library.
    pub digest: String,
    /// The user who last saved it, if one ever did.
    pub saved_by: Option<String>,
    /// The user who deleted it. A deleted built-in prompt leaves its row, so that no start brings it back.
    pub deleted_by: Option<String>,
    /// Counts the writes.
    pub version: i64,
}

impl Row {
    /// A row of this text, as it is when it was first written: its digest is that of the text, and nobody has saved it.
    pub fn new(name: impl Into<String>, origin: Origin, text: impl Into<String>) -> Self {
        let text = text.into();
        let digest = digest(&text);
        Row { name: name.into(), origin, text, revision: None, digest, saved_by: None, deleted_by: None, version: 1 }
    }
}

/// Whose prompt a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A server has shipped it.
    BuiltIn,
    /// A user has made it.
    User,
}

impl Origin {
    /// As it is written in a database.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built-in",
            Origin::User => "user",
        }
    }

    /// Reads what is written in a database.
    pub fn named(name: &str) -> Option<Self> {
        [Origin::BuiltIn, Origin::User].into_iter().find(|origin| origin.as_str() == name)
    }
}

/// A row that says nothing this library could go by. It is kept as it is and not served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// Its name, cut where it is too long.
    pub name: String,
    /// Why.
    pub why: &'static str,
}

impl Unreadable {
    /// A row of this name that says nothing, and why.
    pub fn new(name: impl Into<String>, why: &'static str) -> Self {
        Unreadable { name: name.into(), why }
    }
}

/// What went wrong with a store. The texts are those of the database; none has a password or an argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The place cannot be read as one; the text says what was expected.
    NoPlace(&'static str),
    /// This build has no support for it.
    NotBuilt {
        /// The feature of the crate `toolgate-mcp` to switch on.
        feature: &'static str,
    },
    /// The database could not be opened or reached.
    Unreachable(String),
    /// The database did not do what it was asked.
    Failed(String),
    /// The tables are of a later version of this library.
    TooNew {
        /// The version found.
        found: i64,
        /// The last version that is known here.
        known: i64,
    },
    /// There are more rows than [`ROWS_MAX`].
    TooManyRows,
    /// There are [`ROWS_MAX`] rows, and no more can be added.
    Full,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::NoPlace(expected) => write!(f, "the place of the prompts is {expected}"),
            StoreError::NotBuilt { feature } => {
                write!(f, "this build keeps no prompts there; the feature `{feature}` of `toolgate-mcp` does")
            }
            StoreError::Unreachable(why) => write!(f, "the database of prompts cannot be opened: {why}"),
            StoreError::Failed(why) => write!(f, "the database of prompts has failed: {why}"),
            StoreError::TooNew { found, known } => {
                write!(f, "the tables of prompts are of version {found}, and this library knows them up to {known}")
            }
            StoreError::TooManyRows => write!(f, "there are more than {ROWS_MAX} prompts"),
            StoreError::Full => write!(f, "there are {ROWS_MAX} prompts, and no more can be added"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The store at a place that an operator names: a URL `postgres://…` or `postgresql://…`, else the path of a file. Nothing is
/// opened or made before it is used.
///
/// # Errors
///
/// Says that the place is none, or which feature this build needs. The URL is not quoted, as it may hold a password.
///
/// # Example
///
/// ```
/// use toolgate_mcp::prompts::open;
/// assert!(open("prompts.sqlite").is_ok());
/// let Err(error) = open("mysql://alice:secret@host/prompts") else { panic!() };
/// assert_eq!(error.to_string(), "the place of the prompts is a URL `postgres://…` or the path of a file");
/// ```
pub fn open(place: &str) -> Result<Box<dyn Store>, StoreError> {
    match place.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => open_postgres(place),
        None if !place.is_empty() => open_sqlite(place),
        _ => Err(StoreError::NoPlace("a URL `postgres://…` or the path of a file")),
    }
}

#[cfg(feature = "postgres")]
fn open_postgres(url: &str) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(PostgresStore::at(url)?))
}

#[cfg(not(feature = "postgres"))]
fn open_postgres(_: &str) -> Result<Box<dyn Store>, StoreError> {
    Err(StoreError::NotBuilt { feature: "postgres" })
}

#[cfg(feature = "sqlite")]
fn open_sqlite(path: &str) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(SqliteStore::file(path)))
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(_: &str) -> Result<Box<dyn Store>, StoreError> {
    Err(StoreError::NotBuilt { feature: "sqlite" })
}
