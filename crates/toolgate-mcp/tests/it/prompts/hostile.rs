//! Databases that hold what no library has written.

use super::databases::Database;
use super::texts::{ONE, look, other};
use toolgate_mcp::prompts::{Kept, Library, LibraryError, Outcome, ROWS_MAX, StoreError, TEXT_MAX};

pub(crate) async fn odd_rows_are_kept_and_told(database: &Database) {
    database.start(&[look(1), other()]).await;
    let long = "x".repeat(TEXT_MAX + 1);
    let longest_name = "n".repeat(5000);
    for (name, text, column, value) in [
        ("long", long.as_str(), "digest", "''"),
        ("not a name", ONE, "digest", "''"),
        (longest_name.as_str(), ONE, "digest", "''"),
        ("user", ONE, "saved_by", &format!("'{}'", "u".repeat(300))),
        ("digest", ONE, "digest", &format!("'{}'", "d".repeat(65))),
    ] {
        let statement = format!(
            "INSERT INTO toolgate_prompts (name, text, version) VALUES ('{name}', '{text}', 7); \
                     UPDATE toolgate_prompts SET {column} = {value} WHERE name = '{name}'"
        );
        database.by_hand(&statement).await;
    }
    database.by_hand(&format!("UPDATE toolgate_prompts SET text = '{long}' WHERE name = 'look'")).await;
    if !database.is_postgres() {
        // This database holds anything in any column.
        database.by_hand("INSERT INTO toolgate_prompts (name, text) VALUES ('blob', x'ff00')").await;
        database.by_hand("INSERT INTO toolgate_prompts (name, text) VALUES (x'ff00', 'x')").await;
        database.by_hand("INSERT INTO toolgate_prompts (name, text) VALUES ('bytes', CAST(x'ff' AS TEXT))").await;
        database.by_hand("INSERT INTO toolgate_prompts (name, text, version) VALUES ('word', 'x', 'many')").await;
        database.by_hand("INSERT INTO toolgate_prompts (name, text, revision) VALUES ('half', 'x', 0.5)").await;
    }
    // A text that can be read and is no prompt.
    database.by_hand("INSERT INTO toolgate_prompts (name, text) VALUES ('plain', 'Just words.')").await;

    let (library, report) = database.start(&[look(2), other()]).await;
    let too_long = Outcome::Kept(Kept::Unreadable("its text is too long, or no text"));
    assert_eq!(report.of("look"), Some(&too_long));
    assert_eq!(report.of("long"), Some(&too_long));
    assert_eq!(report.of("other"), Some(&Outcome::Current));
    let unreadable =
        report.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Kept(Kept::Unreadable(_)))).count();
    assert_eq!(unreadable, if database.is_postgres() { 6 } else { 11 }, "{report}");
    assert!(report.to_string().len() < 4000, "{report}");
    // Nobody can save over what cannot be read, and it is told as that: reading it again would not help.
    let unreadable = LibraryError::Unreadable("its text is too long, or no text");
    assert_eq!(library.save("look", ONE, "alice", Some(1)).await.unwrap_err(), unreadable);
    assert_eq!(library.delete("look", "alice", 1).await.unwrap_err(), unreadable);
    assert_eq!(library.restore("look", 1).await.unwrap_err(), unreadable);
    assert_eq!(library.rows().await.unwrap().len(), if database.is_postgres() { 8 } else { 13 });
}

pub(crate) async fn more_rows_than_are_read(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    let values: Vec<String> = (0..ROWS_MAX).map(|n| format!("('n{n}', '---\nx')")).collect();
    database.by_hand(&format!("INSERT INTO toolgate_prompts (name, text) VALUES {}", values.join(","))).await;
    let error = Library::start(database.store(), &[look(2)]).await.unwrap_err();
    assert_eq!(error, LibraryError::Store(StoreError::TooManyRows));
    assert_eq!(library.look().await.unwrap_err(), StoreError::TooManyRows);
    assert_eq!(database.row("look").await.text, ONE);
}

pub(crate) async fn later_tables(database: &Database) {
    database.start(&[look(1)]).await;
    database.by_hand("INSERT INTO toolgate_prompts_schema (version) VALUES (2)").await;
    let too_new = StoreError::TooNew { found: 2, known: 1 };
    let error = Library::start(database.store(), &[look(2)]).await.unwrap_err();
    assert_eq!(error, LibraryError::Store(too_new.clone()));
    assert_eq!(Library::plan(&database.store(), &[look(2)]).await.unwrap_err(), LibraryError::Store(too_new.clone()));
    assert_eq!(database.store().row("look").await.unwrap_err(), too_new);
    assert_eq!(database.store().write(None, None).await.unwrap_err(), too_new);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let folder = super::databases::new_folder();
    let path = folder.join("notes.txt");
    std::fs::write(&path, "Not a database, and longer than the head of one would be: ".repeat(100)).unwrap();
    let before = std::fs::read(&path).unwrap();
    for dry in [true, false] {
        let store = toolgate_mcp::prompts::SqliteStore::file(&path);
        let error = match dry {
            true => Library::plan(&store, &[look(1)]).await.unwrap_err(),
            false => Library::start(store, &[look(1)]).await.unwrap_err(),
        };
        assert!(matches!(error, LibraryError::Store(StoreError::Failed(_))), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::remove_dir_all(folder).unwrap();
}
