//! A database of its own for every test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate_mcp::prompts::{BuiltIn, Library, Report, Row, Store, open};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

pub(crate) struct Database {
    kind: Kind,
    /// As an operator names it.
    pub(crate) place: String,
    folder: Option<PathBuf>,
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A folder that nobody else has.
pub(crate) fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    let folder = std::env::temp_dir().join(format!("toolgate-prompts-{}-{count}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

impl Database {
    /// `None` where there is no server, which is said.
    pub(crate) async fn make(kind: Kind, name: &str) -> Option<Database> {
        match kind {
            Kind::Sqlite => {
                let folder = new_folder();
                let place = folder.join("prompts.sqlite").to_str().unwrap().to_owned();
                Some(Database { kind, place, folder: Some(folder) })
            }
            Kind::Postgres => {
                let place = super::postgres::schema(name).await?;
                Some(Database { kind, place, folder: None })
            }
        }
    }

    /// The same one, for as long as this value lives.
    pub(crate) fn again(&self) -> Database {
        Database { kind: self.kind, place: self.place.clone(), folder: None }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.kind == Kind::Postgres
    }

    pub(crate) fn store(&self) -> Box<dyn Store> {
        open(&self.place).unwrap()
    }

    pub(crate) async fn start(&self, built_ins: &[BuiltIn]) -> (Library, Report) {
        Library::start(self.store(), built_ins).await.unwrap()
    }

    /// What somebody does past the library.
    pub(crate) async fn by_hand(&self, statement: &str) {
        match self.kind {
            Kind::Sqlite => rusqlite::Connection::open(&self.place).unwrap().execute_batch(statement).unwrap(),
            Kind::Postgres => super::postgres::connect(&self.place).await.batch_execute(statement).await.unwrap(),
        }
    }

    /// All rows by name; none of them may be odd.
    pub(crate) async fn rows(&self) -> Vec<Row> {
        let rows = self.store().rows().await.unwrap();
        let mut rows: Vec<Row> = rows.into_iter().map(Result::unwrap).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows
    }

    pub(crate) async fn row(&self, name: &str) -> Row {
        self.store().row(name).await.unwrap().unwrap().unwrap()
    }
}
