//! What users do with prompts.

use super::databases::Database;
use super::texts::{EDITED, ONE, OTHER, TWO, look, other};
use toolgate_mcp::prompts::{Kept, LibraryError, Outcome, ROWS_MAX, StoreError, TEXT_MAX};

pub(crate) async fn a_save_is_of_the_row_that_was_seen(database: &Database) {
    let (alice, _) = database.start(&[look(1)]).await;
    let (bob, _) = database.start(&[look(1)]).await;
    assert_eq!(alice.save("look", EDITED, "alice", Some(1)).await.unwrap().version, 2);
    // Bob has seen the first one.
    assert_eq!(bob.save("look", OTHER, "bob", Some(1)).await.unwrap_err(), LibraryError::Changed);
    assert_eq!(bob.delete("look", "bob", 1).await.unwrap_err(), LibraryError::Changed);
    assert_eq!(bob.restore("look", 1).await.unwrap_err(), LibraryError::Changed);
    assert_eq!(bob.save("look", OTHER, "bob", None).await.unwrap_err(), LibraryError::Changed);
    assert_eq!(database.row("look").await.text, EDITED);
    assert_eq!(bob.save("look", OTHER, "bob", Some(2)).await.unwrap().version, 3);
    let row = database.row("look").await;
    assert_eq!((row.saved_by.as_deref(), row.revision), (Some("bob"), Some(1)));
    // Both make the same new one.
    let (first, second) = tokio::join!(alice.save("new", ONE, "alice", None), bob.save("new", ONE, "bob", None));
    assert_ne!(first.is_ok(), second.is_ok(), "one of them was first");
    assert_eq!(alice.save("gone", ONE, "alice", Some(1)).await.unwrap_err(), LibraryError::Changed);
}

pub(crate) async fn a_deleted_prompt_comes_back_when_it_is_restored_or_saved(database: &Database) {
    let (library, _) = database.start(&[look(2), other()]).await;
    library.delete("look", "alice", 1).await.unwrap();
    assert_eq!(library.delete("look", "alice", 2).await.unwrap_err(), LibraryError::Changed, "it is deleted already");
    assert_eq!(library.restore("look", 2).await.unwrap().version, 3);
    let row = database.row("look").await;
    assert_eq!((row.text.as_str(), row.saved_by, row.deleted_by), (TWO, None, None));
    // A restored one is the program's again.
    let (library, report) = database.start(&[look(3), other()]).await;
    assert_eq!(report.of("look"), Some(&Outcome::Refreshed { from: 2, to: 3 }));

    library.delete("other", "alice", 1).await.unwrap();
    library.save("other", EDITED, "bob", None).await.unwrap();
    let (library, report) = database.start(&[look(3), other()]).await;
    assert_eq!(report.of("other"), Some(&Outcome::Kept(Kept::Saved)));
    // A user's own is gone with its row, and there is nothing to restore.
    library.save("mine", EDITED, "alice", None).await.unwrap();
    assert_eq!(library.restore("mine", 1).await.unwrap_err(), LibraryError::NotBuiltIn);
    library.delete("mine", "alice", 1).await.unwrap();
    assert!(database.store().row("mine").await.unwrap().is_none());
}

pub(crate) async fn what_cannot_be_saved(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    let before = database.rows().await;
    let refused = async |name: &str, text: &str, user: &str, expected: &str| {
        let error = library.save(name, text, user, None).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    refused("new", "Look.", "a", "line 1: the head has only `title:`, `description:` and `argument NAME:`").await;
    refused("new", "---\nzero \0", "a", "line 2: a control character").await;
    refused("new", &format!("---\n{}", "x".repeat(TEXT_MAX)), "a", "the text is longer than 65536 bytes").await;
    refused(
        "n w",
        ONE,
        "a",
        "the name of a prompt is made of letters, digits, `_`, `-`, `.` and `/`, at most 128 of them",
    )
    .await;
    refused(
        &"n".repeat(129),
        ONE,
        "a",
        "the name of a prompt is made of letters, digits, `_`, `-`, `.` and `/`, at most 128 of them",
    )
    .await;
    refused("new", ONE, "", "who saves a prompt needs a name of at most 256 bytes").await;
    refused("new", ONE, &"a".repeat(257), "who saves a prompt needs a name of at most 256 bytes").await;
    assert_eq!(database.rows().await, before);
    // Just within the bounds, and in any script.
    let longest = format!("---\n{}\n", "é".repeat(TEXT_MAX / 2 - 3));
    library.save(&"n".repeat(128), &longest, &"a".repeat(256), None).await.unwrap();
    assert_eq!(database.row(&"n".repeat(128)).await.text, longest);
    library.save("quotes", "---\n'; DROP TABLE toolgate_prompts; -- \\ ? $1 🦀\n", "o'hara", None).await.unwrap();
    assert_eq!(database.row("quotes").await.text, "---\n'; DROP TABLE toolgate_prompts; -- \\ ? $1 🦀\n");
}

pub(crate) async fn a_full_library(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    let values: Vec<String> = (2..ROWS_MAX).map(|n| format!("('n{n}', '---\nx')")).collect();
    database.by_hand(&format!("INSERT INTO toolgate_prompts (name, text) VALUES {}", values.join(","))).await;
    library.save("last", ONE, "alice", None).await.unwrap();
    let full = LibraryError::Store(StoreError::Full);
    assert_eq!(library.save("more", ONE, "alice", None).await.unwrap_err(), full);
    let error = toolgate_mcp::prompts::Library::start(database.store(), &[look(2), other()]).await.unwrap_err();
    assert_eq!(error, full);
    assert_eq!(database.row("look").await.text, ONE, "nothing is done by halves");
    // What is there can be changed, and read.
    library.save("last", EDITED, "alice", Some(1)).await.unwrap();
    database.start(&[look(2)]).await;
    assert_eq!(database.rows().await.len(), ROWS_MAX);
}
