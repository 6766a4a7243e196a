//! A library of prompts: what a server ships, what its users have made of it in a database, and both as MCP prompts.
//!
//! A prompt is one text ([`PromptText`]), so that it can be shipped as a file, edited in one field, and known by one digest. The
//! database has the last word: [`Library::start`] refreshes a row only if it is built-in, was never saved by a user, and has
//! the text of a revision that this server has shipped. Everything else is kept, and the [`Report`] says why. Every write is
//! made only if the row is still as it was read, so processes that start at once come to the same state.
//!
//! It judges the arguments of a prompt by a contract of the crate `toolgate`. No value of an argument is in an error or a log.
//! Why it is so: decision 0020.

/// The guide's example, held to the code.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../../../docs/guide/serve-prompts.md")]
struct Guide;

mod built_in;
mod library;
mod plan;
mod prompt;
mod report;
mod serve;
mod store;
mod text;

pub use built_in::{BuiltIn, Misdeclared};
pub use library::{Library, LibraryError, Saved};
pub use prompt::{ArgumentText, Message, PromptDefect, PromptText, Speaker};
pub use report::{Entry, Kept, Outcome, Report};
#[cfg(feature = "postgres")]
pub use store::PostgresStore;
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{Found, Origin, Pending, Row, Store, StoreError, Unreadable, open};
pub use text::{digest, normalise};

/// Rows that a library may have, those of deleted prompts too. A library that has more is not read.
pub const ROWS_MAX: usize = 1000;

/// The longest text of a prompt, in bytes.
pub const TEXT_MAX: usize = 64 * 1024;

/// The longest name of a prompt or of one of its arguments, in bytes; both are ASCII.
pub const NAME_MAX: usize = 128;

/// The longest name of a user, in bytes.
pub const USER_MAX: usize = 256;

/// The most arguments that a prompt declares.
pub const ARGUMENTS_MAX: usize = 32;

/// The longest prompt with its arguments put in, in bytes.
pub const FILLED_MAX: usize = 1024 * 1024;
