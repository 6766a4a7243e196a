//! Several at once: whatever the order, all come to the same state, and what a user saves is not lost.

use super::databases::Database;
use super::texts::{EDITED, TWO, look, named, other};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate_mcp::prompts::{BuiltIn, Found, Kept, Library, LibraryError, Outcome, Pending, Row, Store, open};

const PLACE: &str = "TOOLGATE_TEST_PROMPTS";
const PROCESSES: usize = 4;
const ROUNDS: usize = 3;

fn shipped() -> [BuiltIn; 3] {
    [look(2), named("watch", 2).formerly(&["gaze"]), other()]
}

/// The other process: it starts when it is told to, and says what it has done.
#[tokio::test]
async fn another_process() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let store = open(&place).unwrap();
    println!("\nready");
    std::io::stdin().lock().read_line(&mut String::new()).unwrap();
    let (_, report) = Library::start(store, &shipped()).await.unwrap();
    println!("{report}done");
}

struct Process {
    child: Child,
    lines: Box<dyn Iterator<Item = String>>,
}

impl Process {
    fn begin(place: &str) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "prompts::at_once::another_process", "--nocapture", "--test-threads=1"])
            .env(PLACE, place);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "ready"), "the process has ended");
        Process { child, lines: Box::new(lines) }
    }

    fn tell(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"now\n").unwrap();
    }

    fn report(mut self) -> Vec<String> {
        let report = self.lines.by_ref().take_while(|line| line != "done").collect();
        self.lines.for_each(drop);
        assert!(self.child.wait().unwrap().success());
        report
    }
}

pub(crate) async fn two_processes_starting_at_once(database: &Database) {
    for round in 0..ROUNDS {
        // In the first round there is not even a table.
        if round > 0 {
            database.by_hand("DELETE FROM toolgate_prompts").await;
            let (library, _) = database.start(&[look(1), named("gaze", 1)]).await;
            drop(library);
        }
        let mut processes: Vec<Process> = (0..PROCESSES).map(|_| Process::begin(&database.place)).collect();
        processes.iter_mut().for_each(Process::tell);
        let reports: Vec<Vec<String>> = processes.into_iter().map(Process::report).collect();
        let (look_did, watch_did) = match round {
            0 => ("look   added, revision 2", "watch  added, revision 2"),
            _ => ("look   refreshed, from revision 1 to 2", "watch  renamed from `gaze`, revision 2"),
        };
        // Each thing was done by one of them, and the others found it done.
        for (index, did, current) in [
            (0, look_did, "look   current"),
            (1, watch_did, "watch  current"),
            (2, "other  added, revision 1", "other  current"),
        ] {
            let mut said: Vec<&str> = reports.iter().map(|report| report[index].as_str()).collect();
            said.sort_by_key(|said| *said == current);
            assert_eq!(said, [&[did], vec![current; PROCESSES - 1].as_slice()].concat(), "{reports:?}");
        }
        let version = if round == 0 { 1 } else { 2 };
        let rows: Vec<(String, Option<i64>, i64)> =
            database.rows().await.into_iter().map(|row| (row.name, row.revision, row.version)).collect();
        let expected = [("look", 2, version), ("other", 1, 1), ("watch", 2, version)];
        assert_eq!(rows, expected.map(|(name, revision, version)| (name.to_owned(), Some(revision), version)));
    }
}

/// A store before whose writes something else happens.
struct Meanwhile<F> {
    store: Box<dyn Store>,
    /// Before how many writes; then nothing happens any more.
    times: AtomicUsize,
    happens: Arc<F>,
}

impl<F, D> Store for Meanwhile<F>
where
    F: Fn() -> D + Send + Sync + 'static,
    D: Future<Output = ()> + Send,
{
    fn prepare(&self) -> Pending<'_, ()> {
        self.store.prepare()
    }

    fn rows(&self) -> Pending<'_, Vec<Found>> {
        self.store.rows()
    }

    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>> {
        self.store.row(name)
    }

    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool> {
        Box::pin(async move {
            if self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
                (self.happens)().await;
            }
            self.store.write(seen, new).await
        })
    }
}

fn meanwhile<F, D>(database: &Database, times: usize, happens: F) -> Meanwhile<F>
where
    F: Fn() -> D + Send + Sync + 'static,
    D: Future<Output = ()> + Send,
{
    Meanwhile { store: database.store(), times: AtomicUsize::new(times), happens: Arc::new(happens) }
}

pub(crate) async fn saved_between_reading_and_writing(database: &Database) {
    let (library, _) = database.start(&[look(1), named("gaze", 1), other()]).await;
    let user = library.clone();
    let store = meanwhile(database, 1, move || {
        let user = user.clone();
        async move {
            user.save("look", EDITED, "alice", Some(1)).await.unwrap();
            user.save("gaze", EDITED, "alice", Some(1)).await.unwrap();
        }
    });
    let (_, report) = Library::start(store, &shipped()).await.unwrap();
    assert_eq!(report.of("look"), Some(&Outcome::Kept(Kept::Saved)));
    assert_eq!(report.of("gaze"), Some(&Outcome::Kept(Kept::Saved)));
    assert_eq!(report.of("watch"), Some(&Outcome::Added { revision: 2 }));
    for name in ["look", "gaze"] {
        let row = database.row(name).await;
        assert_eq!((row.text.as_str(), row.saved_by.as_deref(), row.version), (EDITED, Some("alice"), 2));
    }
    // Past the library, so that neither version nor mark tells of it.
    database.start(&[named("see", 1)]).await;
    let edit = "UPDATE toolgate_prompts SET text = 'title: Look\n---\nLook away.\n' WHERE name = 'see'";
    let place: &'static Database = Box::leak(Box::new(database.again()));
    let store = meanwhile(database, 1, move || place.by_hand(edit));
    let (_, report) = Library::start(store, &[named("see", 2)]).await.unwrap();
    assert_eq!(report.of("see"), Some(&Outcome::Kept(Kept::ChangedPast)));
    assert_eq!(database.row("see").await.text, EDITED);
}

pub(crate) async fn started_between_reading_and_writing(database: &Database) {
    database.start(&[look(1), named("gaze", 1)]).await;
    let place = database.place.clone();
    let store = meanwhile(database, 1, move || {
        let place = place.clone();
        async move {
            Library::start(open(&place).unwrap(), &shipped()).await.unwrap();
        }
    });
    let (_, report) = Library::start(store, &shipped()).await.unwrap();
    assert!(!report.has_changes(), "{report}");
    let rows: Vec<String> = database.rows().await.into_iter().map(|row| row.name).collect();
    assert_eq!(rows, ["look", "other", "watch"]);
    assert_eq!(database.row("look").await.text, TWO);
    assert_eq!(database.row("watch").await.version, 2);
}

pub(crate) async fn never_at_rest(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    let turn = AtomicUsize::new(0);
    let store = meanwhile(database, usize::MAX, move || {
        let (user, turn) = (library.clone(), i64::try_from(turn.fetch_add(1, Ordering::SeqCst)).unwrap());
        // Saved and restored, so that it is always as it was but for its version.
        async move {
            user.save("look", EDITED, "alice", Some(2 * turn + 1)).await.unwrap();
            user.restore("look", 2 * turn + 2).await.unwrap();
        }
    });
    let error = Library::start(store, &[look(2)]).await.unwrap_err();
    assert_eq!(error, LibraryError::Contended);
}
