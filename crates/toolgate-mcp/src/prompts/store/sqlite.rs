//! Prompts in a file, with the SQLite that is built in.

use super::sql::{self, Columns};
use super::{Found, Pending, Row, Store, StoreError};
use crate::prompts::ROWS_MAX;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, ToSql, TransactionBehavior, params_from_iter};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How long one thing waits for another process. The database's own bound; it is not one of ours.
const BUSY: Duration = Duration::from_secs(10);

/// How long one thing waits for those before it, which may wait for another process.
const TURN: Duration = Duration::from_secs(30);

/// Prompts in a SQLite file, which other tables may share. Used inside a Tokio runtime with time.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
}

struct Shared {
    /// None is a database in memory.
    path: Option<PathBuf>,
    /// Held beside the runtime by one at a time, so that those who wait for it hold no thread.
    open: Arc<Mutex<Option<Open>>>,
}

struct Open {
    connection: Connection,
    /// Whether the tables are known to be those that this version reads.
    is_ready: bool,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.shared.path).finish()
    }
}

impl SqliteStore {
    /// In a file, which is made when a library is started on it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Some(path.into()))
    }

    /// In memory, for as long as the store lives. For tests.
    pub fn memory() -> Self {
        Self::of(None)
    }

    fn of(path: Option<PathBuf>) -> Self {
        SqliteStore { shared: Arc::new(Shared { path, open: Arc::default() }) }
    }

    /// Works with the database beside the runtime, one after another.
    fn with<T: Default + Send + 'static>(
        &self,
        access: Access,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Pending<'_, T> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let turn = tokio::time::timeout(TURN, Arc::clone(&shared.open).lock_owned()).await;
            let mut open = turn.map_err(|_| StoreError::Failed(format!("it has not answered within {TURN:?}")))?;
            let work = tokio::task::spawn_blocking(move || shared.with(&mut open, access, work)).await;
            work.unwrap_or_else(|error| Err(StoreError::Failed(error.to_string())))
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// What is not there is not made.
    Look,
    Prepare,
}

impl Shared {
    fn with<T: Default>(
        &self,
        open: &mut Option<Open>,
        access: Access,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if open.is_none() {
            match &self.path {
                Some(path) if access == Access::Look && !path.exists() => return Ok(T::default()),
                _ => *open = Some(self.open(access)?),
            }
        }
        let Some(Open { connection, is_ready }) = open.as_mut() else { return Ok(T::default()) };
        if access == Access::Prepare {
            migrate(connection)?;
            *is_ready = true;
        }
        if !*is_ready {
            match version(connection)? {
                0 => return Ok(T::default()),
                version => sql::known(version)?,
            }
            *is_ready = true;
        }
        work(connection)
    }

    fn open(&self, access: Access) -> Result<Open, StoreError> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if access == Access::Prepare {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let connection = match &self.path {
            Some(path) => Connection::open_with_flags(path, flags),
            None => Connection::open_in_memory(),
        };
        let connection = connection.map_err(|error| StoreError::Unreachable(error.to_string()))?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        Ok(Open { connection, is_ready: false })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string())
}

/// The version of the tables; 0 where there are none.
fn version(connection: &Connection) -> Result<i64, StoreError> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'toolgate_prompts_schema'";
    match connection.query_row(exists, [], |_| Ok(())).optional().map_err(failed)? {
        None => Ok(0),
        Some(()) => connection.query_row(sql::VERSION, [], |row| row.get(0)).map_err(failed),
    }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // One process makes the tables, and the others wait for it and find them.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    transaction.execute(sql::CREATE_VERSIONS, []).map_err(failed)?;
    let version = version(&transaction)?;
    sql::known(version)?;
    for (to, migration) in sql::migrations_after(version) {
        transaction.execute_batch(migration).map_err(failed)?;
        transaction.execute(sql::ADD_VERSION, [to]).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    let text = |index: usize| -> rusqlite::Result<Option<Option<String>>> {
        Ok(match row.get_ref(index)? {
            ValueRef::Null => Some(None),
            ValueRef::Text(text) => std::str::from_utf8(text).ok().map(|text| Some(text.to_owned())),
            _ => None,
        })
    };
    let number = |index: usize| -> rusqlite::Result<Option<Option<i64>>> {
        Ok(match row.get_ref(index)? {
            ValueRef::Null => Some(None),
            ValueRef::Integer(number) => Some(Some(number)),
            _ => None,
        })
    };
    let columns = Columns {
        name: text(0)?.flatten(),
        origin: text(1)?.flatten(),
        text: text(2)?.flatten(),
        revision: number(3)?,
        digest: text(4)?.flatten(),
        saved_by: text(5)?,
        deleted_by: text(6)?,
        version: number(7)?.flatten(),
    };
    Ok(columns.read())
}

fn values<'a>(row: &'a Row, origin: &'a &'static str) -> [&'a dyn ToSql; 8] {
    [&row.name, origin, &row.text, &row.revision, &row.digest, &row.saved_by, &row.deleted_by, &row.version]
}

fn write(connection: &mut Connection, seen: Option<&Row>, new: Option<&Row>) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let Some((statement, rows)) = sql::change(seen, new) else { return Ok(true) };
    if seen.is_none() {
        let count: i64 = transaction.query_row(sql::COUNT, [], |row| row.get(0)).map_err(failed)?;
        if sql::is_full(count) {
            return Err(StoreError::Full);
        }
    }
    let origins: Vec<&'static str> = rows.iter().map(|row| row.origin.as_str()).collect();
    let values = rows.iter().zip(&origins).flat_map(|(row, origin)| values(row, origin));
    let written = transaction.execute(statement, params_from_iter(values)).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(written == 1)
}

impl Store for SqliteStore {
    fn prepare(&self) -> Pending<'_, ()> {
        self.with(Access::Prepare, |_| Ok(()))
    }

    fn rows(&self) -> Pending<'_, Vec<Found>> {
        self.with(Access::Look, |connection| {
            let mut statement = connection.prepare(&sql::all_rows()).map_err(failed)?;
            let rows: Vec<Found> = statement.query_map([], found).and_then(Iterator::collect).map_err(failed)?;
            if rows.len() > ROWS_MAX { Err(StoreError::TooManyRows) } else { Ok(rows) }
        })
    }

    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>> {
        let name = name.to_owned();
        self.with(Access::Look, move |connection| {
            let mut statement = connection.prepare(&sql::one_row()).map_err(failed)?;
            statement.query_row([name], found).optional().map_err(failed)
        })
    }

    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool> {
        self.with(Access::Look, move |connection| write(connection, seen.as_ref(), new.as_ref()))
    }
}
