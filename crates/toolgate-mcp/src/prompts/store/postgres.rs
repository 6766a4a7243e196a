//! Prompts in a PostgreSQL database.

use super::sql::{self, Columns};
use super::{Found, Pending, Row, Store, StoreError};
use crate::prompts::ROWS_MAX;
use std::fmt;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, IsolationLevel, NoTls, Transaction};

/// Held by whoever makes the tables, or adds a row and so counts them. Any number will do that nobody else uses.
const LOCK: i64 = 0x0074_6f6f_6c67_6174;

/// How long the database may take for one thing, where nothing is said.
const DEADLINE: Duration = Duration::from_secs(30);

/// Prompts in a PostgreSQL database, in the first schema of its search path.
///
/// There is one connection, which is made when it is first used, and made anew when it was lost. What the database has not done
/// within 30 seconds has failed ([`PostgresStore::deadline`]). Used inside a Tokio runtime with time.
pub struct PostgresStore {
    /// `None` where the client was given.
    config: Option<Config>,
    deadline: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    client: Option<Client>,
    /// Whether the tables are known to be those that this version reads.
    is_ready: bool,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration holds a password.
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// In the database of a URL such as `postgres://user@host/database`, in clear text. Nothing is asked of it yet.
    ///
    /// # Errors
    ///
    /// Says that the URL is none; it is not quoted, as it may hold a password.
    pub fn at(url: &str) -> Result<Self, StoreError> {
        let config: Config = url.parse().map_err(|_| StoreError::NoPlace("a URL of PostgreSQL, and this is none"))?;
        Ok(PostgresStore { config: Some(config), deadline: DEADLINE, state: Mutex::default() })
    }

    /// Over a connection of your own making, with TLS for example. When it is lost, so is the store.
    pub fn with_client(client: Client) -> Self {
        let state = State { client: Some(client), is_ready: false };
        PostgresStore { config: None, deadline: DEADLINE, state: Mutex::new(state) }
    }

    /// How long the database may take for one thing, and how long one thing waits for those before it.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        PostgresStore { deadline, ..self }
    }

    /// What is done within the deadline, by whoever has the connection.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let late = |_| StoreError::Failed(format!("it has not answered within {:?}", self.deadline));
        tokio::time::timeout(self.deadline, work).await.map_err(late)?
    }

    async fn lock(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        self.in_time(async { Ok(self.state.lock().await) }).await
    }

    /// The result, and without a connection that may be in the middle of anything where it has failed. The next one makes another.
    fn done<T>(&self, mut state: MutexGuard<'_, State>, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(result, Err(StoreError::Failed(_))) && self.config.is_some() {
            state.client = None;
        }
        result
    }

    async fn connect(&self) -> Result<Client, StoreError> {
        let Some(config) = &self.config else {
            return Err(StoreError::Unreachable("the connection that was given is lost".to_owned()));
        };
        let connected = config.connect(NoTls).await;
        let (client, connection) = connected.map_err(|error| StoreError::Unreachable(told(&error)))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(target: "toolgate", error = %told(&error), "the connection to the database of prompts is lost");
            }
        });
        Ok(client)
    }

    /// Begins a transaction, which is rolled back unless it is committed.
    async fn begin<'a>(&self, state: &'a mut State) -> Result<Transaction<'a>, StoreError> {
        // Asked first, since a connection that the server has ended is known as such only when it is used.
        let is_alive = match &state.client {
            Some(client) => client.check_connection().await.is_ok(),
            None => false,
        };
        if !is_alive {
            state.client = Some(self.connect().await?);
        }
        match state.client.as_mut() {
            // What others have committed is to be seen, whatever the server's default is.
            Some(client) => {
                client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start().await.map_err(failed)
            }
            None => Err(StoreError::Unreachable("there is no connection".to_owned())),
        }
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        let mut state = self.lock().await?;
        let result = self.in_time(self.migrate_in(&mut state)).await;
        self.done(state, result)
    }

    async fn migrate_in(&self, state: &mut State) -> Result<(), StoreError> {
        let transaction = self.begin(state).await?;
        // One process makes the tables, and the others wait for it and find them.
        lock(&transaction).await?;
        let version = version(&transaction).await?;
        sql::known(version)?;
        if version == 0 {
            // Where the tables are there already, nobody needs the right to make any.
            transaction.batch_execute(sql::CREATE_VERSIONS).await.map_err(failed)?;
        }
        for (to, migration) in sql::migrations_after(version) {
            transaction.batch_execute(migration).await.map_err(failed)?;
            transaction.execute(&numbered(sql::ADD_VERSION), &[&to]).await.map_err(failed)?;
        }
        transaction.commit().await.map_err(failed)?;
        state.is_ready = true;
        Ok(())
    }

    /// The rows that a query finds; none where there are no tables.
    async fn query(&self, query: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Found>, StoreError> {
        let mut state = self.lock().await?;
        let result = self.in_time(self.query_in(&mut state, query, values)).await;
        self.done(state, result)
    }

    async fn query_in(
        &self,
        state: &mut State,
        query: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Found>, StoreError> {
        let is_ready = state.is_ready;
        let transaction = self.begin(state).await?;
        if !is_ready && !has_tables(&transaction).await? {
            return Ok(Vec::new());
        }
        let rows = transaction.query(&numbered(query), values).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        state.is_ready = true;
        Ok(rows.iter().map(found).collect())
    }

    async fn replace(&self, seen: Option<&Row>, new: Option<&Row>) -> Result<bool, StoreError> {
        let mut state = self.lock().await?;
        let result = self.in_time(self.replace_in(&mut state, seen, new)).await;
        self.done(state, result)
    }

    async fn replace_in(&self, state: &mut State, seen: Option<&Row>, new: Option<&Row>) -> Result<bool, StoreError> {
        let is_ready = state.is_ready;
        let transaction = self.begin(state).await?;
        if !is_ready && !has_tables(&transaction).await? {
            return Ok(false);
        }
        let Some((statement, rows)) = sql::change(seen, new) else { return Ok(true) };
        if seen.is_none() {
            lock(&transaction).await?;
            let count: i64 =
                transaction.query_one(sql::COUNT, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)?;
            if sql::is_full(count) {
                return Err(StoreError::Full);
            }
        }
        let origins: Vec<&'static str> = rows.iter().map(|row| row.origin.as_str()).collect();
        let values: Vec<_> = rows.iter().zip(&origins).flat_map(|(row, origin)| values(row, origin)).collect();
        let written = match transaction.execute(&numbered(statement), &values).await {
            Ok(written) => written,
            // Another process has taken the new name at the same moment.
            Err(error) if error.code() == Some(&tokio_postgres::error::SqlState::UNIQUE_VIOLATION) => return Ok(false),
            Err(error) => return Err(failed(error)),
        };
        transaction.commit().await.map_err(failed)?;
        Ok(written == 1)
    }
}

/// What the database says, without the values that it may quote as details.
fn told(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{error}{cause}")
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: tokio_postgres::Error) -> StoreError {
    StoreError::Failed(told(&error))
}

/// Places of values as this database writes them.
fn numbered(statement: &str) -> String {
    statement.replace('?', "$")
}

async fn lock(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map(|_| ()).map_err(failed)
}

/// The version of the tables; 0 where there are none.
async fn version(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    let exists = "SELECT to_regclass('toolgate_prompts_schema') IS NOT NULL";
    let one = async |query: &str| transaction.query_one(query, &[]).await;
    if one(exists).await.and_then(|row| row.try_get::<_, bool>(0)).map_err(failed)? {
        one(sql::VERSION).await.and_then(|row| row.try_get(0)).map_err(failed)
    } else {
        Ok(0)
    }
}

/// Whether there are tables of this version.
async fn has_tables(transaction: &Transaction<'_>) -> Result<bool, StoreError> {
    let version = version(transaction).await?;
    sql::known(version)?;
    Ok(version > 0)
}

fn found(row: &tokio_postgres::Row) -> Found {
    let text = |index: usize| row.try_get::<_, Option<String>>(index).ok();
    let number = |index: usize| row.try_get::<_, Option<i64>>(index).ok();
    Columns {
        name: text(0).flatten(),
        origin: text(1).flatten(),
        text: text(2).flatten(),
        revision: number(3),
        digest: text(4).flatten(),
        saved_by: text(5),
        deleted_by: text(6),
        version: number(7).flatten(),
    }
    .read()
}

fn values<'a>(row: &'a Row, origin: &'a &'static str) -> [&'a (dyn ToSql + Sync); 8] {
    [&row.name, origin, &row.text, &row.revision, &row.digest, &row.saved_by, &row.deleted_by, &row.version]
}

impl Store for PostgresStore {
    fn prepare(&self) -> Pending<'_, ()> {
        Box::pin(self.migrate())
    }

    fn rows(&self) -> Pending<'_, Vec<Found>> {
        Box::pin(async {
            let rows = self.query(&sql::all_rows(), &[]).await?;
            if rows.len() > ROWS_MAX { Err(StoreError::TooManyRows) } else { Ok(rows) }
        })
    }

    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>> {
        Box::pin(async move { Ok(self.query(&sql::one_row(), &[&name]).await?.pop()) })
    }

    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool> {
        Box::pin(async move { self.replace(seen.as_ref(), new.as_ref()).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_never_answers_is_not_waited_for() {
        // It takes connections, and says nothing.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = format!("postgres://nobody@{}/prompts", listener.local_addr().unwrap());
        let store = PostgresStore::at(&place).unwrap().deadline(Duration::from_millis(20));
        let (one, other) = tokio::join!(store.rows(), store.row("look"));
        for failed in [one.map(|_| ()), other.map(|_| ())] {
            assert!(matches!(&failed, Err(StoreError::Failed(why)) if why.contains("within 20ms")), "{failed:?}");
        }
    }
}
