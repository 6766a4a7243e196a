//! The rule of a start: what is refreshed, and what is kept for which reason.

use super::databases::Database;
use super::texts::{EDITED, ONE, THREE, TWO, look, named, other};
use toolgate_mcp::prompts::{BuiltIn, Kept, Library, LibraryError, Origin, Outcome, StoreError, digest};

/// Starts on what is there: `look` becomes what is expected, a dry run has said so, and one more start writes nothing.
async fn restart(database: &Database, built_ins: &[BuiltIn], expected: &Outcome) {
    let dry = Library::plan(&database.store(), built_ins).await.unwrap();
    let (_, report) = database.start(built_ins).await;
    assert_eq!(report.of("look"), Some(expected));
    assert_eq!(report.entries, dry.entries);
    // Once more: whatever was refreshed is current, and whatever was kept is kept.
    let before = database.rows().await;
    let (_, again) = database.start(built_ins).await;
    assert!(!again.has_changes(), "{again}");
    assert_eq!(database.rows().await, before);
}

/// That the row of `look` is kept as it is, for this reason.
async fn kept(database: &Database, why: Kept) {
    let before = database.row("look").await;
    restart(database, &[look(2)], &Outcome::Kept(why)).await;
    assert_eq!(database.row("look").await, before);
}

pub(crate) async fn untouched(database: &Database) {
    let (_, report) = database.start(&[look(1), other()]).await;
    assert_eq!(report.of("look"), Some(&Outcome::Added { revision: 1 }));
    let first = database.row("look").await;
    assert_eq!((first.text.as_str(), first.origin, first.revision), (ONE, Origin::BuiltIn, Some(1)));
    assert_eq!((first.digest, first.saved_by, first.deleted_by, first.version), (digest(ONE), None, None, 1));
    // Two revisions on at once.
    restart(database, &[look(3), other()], &Outcome::Refreshed { from: 1, to: 3 }).await;
    let third = database.row("look").await;
    assert_eq!((third.text.as_str(), third.revision, third.digest), (THREE, Some(3), digest(THREE)));
    assert_eq!((third.saved_by, third.version), (None, 2));
    assert_eq!(database.row("other").await.version, 1);
}

pub(crate) async fn edited(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    library.save("look", EDITED, "alice", Some(1)).await.unwrap();
    kept(database, Kept::Saved).await;
    assert_eq!(database.row("look").await.text, EDITED);
}

pub(crate) async fn edited_back(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    let saved = library.save("look", EDITED, "alice", Some(1)).await.unwrap();
    library.save("look", ONE, "alice", Some(saved.version)).await.unwrap();
    assert_eq!(database.row("look").await.digest, digest(ONE));
    kept(database, Kept::Saved).await;
}

pub(crate) async fn same_text_saved(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    library.save("look", ONE, "alice", Some(1)).await.unwrap();
    kept(database, Kept::Saved).await;
    // Saved with the text that is shipped next.
    library.save("look", TWO, "alice", Some(2)).await.unwrap();
    kept(database, Kept::Saved).await;
}

pub(crate) async fn unknown_text(database: &Database) {
    // A later version of the server was here, and this one is older.
    database.start(&[look(3)]).await;
    kept(database, Kept::UnknownText).await;
    assert_eq!(database.row("look").await.text, THREE);
}

pub(crate) async fn unknown_name(database: &Database) {
    database.start(&[other(), look(1)]).await;
    let before = database.row("other").await;
    let (_, report) = database.start(&[look(2)]).await;
    assert_eq!(report.of("look"), Some(&Outcome::Refreshed { from: 1, to: 2 }));
    assert_eq!(report.of("other"), Some(&Outcome::Kept(Kept::NotShipped)));
    assert_eq!(database.row("other").await, before);
    // Shipped again, it is known again.
    let (_, report) = database.start(&[look(2), other()]).await;
    assert!(report.entries.iter().all(|entry| entry.outcome == Outcome::Current), "{report}");
}

pub(crate) async fn changed_past_the_library(database: &Database) {
    database.start(&[look(1)]).await;
    // Digest and version say that nothing was changed; the text says that it was.
    database.by_hand("UPDATE toolgate_prompts SET text = 'title: Look\n---\nLook away.\n' WHERE name = 'look'").await;
    kept(database, Kept::ChangedPast).await;
    // Back to what was shipped, and nobody has saved it.
    database.by_hand(&format!("UPDATE toolgate_prompts SET text = '{ONE}' WHERE name = 'look'")).await;
    restart(database, &[look(2)], &Outcome::Refreshed { from: 1, to: 2 }).await;
}

pub(crate) async fn user_owned_clash(database: &Database) {
    let (library, _) = database.start(&[other()]).await;
    // A user's own, with the very text that is shipped later.
    library.save("look", ONE, "alice", None).await.unwrap();
    assert_eq!(database.row("look").await.origin, Origin::User);
    kept(database, Kept::UserOwned).await;
    let (library, _) = database.start(&[look(2)]).await;
    assert_eq!(library.restore("look", 1).await.unwrap_err(), LibraryError::NotBuiltIn);
    // Made by hand, with nothing but a name and a text.
    database.by_hand("DELETE FROM toolgate_prompts WHERE name = 'look'").await;
    database.by_hand(&format!("INSERT INTO toolgate_prompts (name, text) VALUES ('look', '{ONE}')")).await;
    kept(database, Kept::UserOwned).await;
    // When its user gives it up, the name is free for what is shipped.
    library.delete("look", "alice", 1).await.unwrap();
    restart(database, &[look(2)], &Outcome::Added { revision: 2 }).await;
}

pub(crate) async fn deleted(database: &Database) {
    let (library, _) = database.start(&[look(1)]).await;
    library.delete("look", "alice", 1).await.unwrap();
    let row = database.row("look").await;
    assert_eq!((row.deleted_by.as_deref(), row.text.as_str()), (Some("alice"), ONE));
    kept(database, Kept::Deleted).await;
}

fn renamed_to_look(revision: usize) -> BuiltIn {
    look(revision).formerly(&["see", "gaze"])
}

pub(crate) async fn renamed(database: &Database) {
    database.start(&[named("gaze", 1)]).await;
    let outcome = Outcome::Renamed { from: "gaze".into(), revision: 2 };
    restart(database, &[renamed_to_look(2)], &outcome).await;
    let rows = database.rows().await;
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.name.as_str(), row.text.as_str(), row.revision, row.version), ("look", TWO, Some(2), 2));
}

pub(crate) async fn renamed_and_touched(database: &Database) {
    let (library, _) = database.start(&[named("gaze", 1)]).await;
    library.save("gaze", EDITED, "alice", Some(1)).await.unwrap();
    library.save("see", EDITED, "bob", None).await.unwrap();
    restart(database, &[renamed_to_look(2)], &Outcome::Added { revision: 2 }).await;
    let (_, report) = database.start(&[renamed_to_look(2)]).await;
    assert_eq!(report.of("gaze"), Some(&Outcome::Kept(Kept::Saved)));
    assert_eq!(report.of("see"), Some(&Outcome::Kept(Kept::UserOwned)));
    assert_eq!(database.row("gaze").await.text, EDITED);
}

pub(crate) async fn renamed_to_a_taken_name(database: &Database) {
    let (library, _) = database.start(&[named("gaze", 1)]).await;
    library.save("look", EDITED, "alice", None).await.unwrap();
    restart(database, &[renamed_to_look(2)], &Outcome::Kept(Kept::UserOwned)).await;
    let (_, report) = database.start(&[renamed_to_look(2)]).await;
    assert_eq!(report.of("gaze"), Some(&Outcome::Kept(Kept::NewNameTaken { name: "look".into() })));
    assert_eq!(database.row("gaze").await.text, ONE);
    assert_eq!(database.row("look").await.text, EDITED);
}

pub(crate) async fn renamed_and_deleted(database: &Database) {
    let (library, _) = database.start(&[named("gaze", 1)]).await;
    library.delete("gaze", "alice", 1).await.unwrap();
    restart(database, &[renamed_to_look(2)], &Outcome::Kept(Kept::Deleted)).await;
    assert_eq!(database.rows().await.len(), 1, "the deleted one is not brought back under its new name");
    assert!(library.save("look", ONE, "bob", None).await.is_ok(), "a user may take the name");
}

pub(crate) async fn line_ends_are_no_edit(database: &Database) {
    database.start(&[look(1)]).await;
    let text = format!("\u{feff}{}\n", ONE.replace('\n', " \r\n"));
    database.by_hand(&format!("UPDATE toolgate_prompts SET text = '{text}' WHERE name = 'look'")).await;
    assert_eq!(database.row("look").await.text, text);
    let (_, report) = database.start(&[look(1)]).await;
    assert_eq!(report.of("look"), Some(&Outcome::Current));
    restart(database, &[look(2)], &Outcome::Refreshed { from: 1, to: 2 }).await;
}

pub(crate) async fn dry_run(database: &Database) {
    let dry = async |built_ins: &[BuiltIn]| Library::plan(&database.store(), built_ins).await.unwrap().to_string();
    // On nothing: not even a file or a table is made.
    assert_eq!(
        dry(&[look(1), other()]).await,
        "look   would be added, revision 1\nother  would be added, revision 1\n"
    );
    assert_eq!(dry(&[]).await, "there are no prompts\n");
    assert!(database.is_postgres() || !std::path::Path::new(&database.place).exists());
    assert_eq!(database.rows().await, []);

    let (library, _) = database.start(&[look(1), other(), named("gaze", 1)]).await;
    library.save("other", EDITED, "alice", Some(1)).await.unwrap();
    library.save("mine", EDITED, "alice", None).await.unwrap();
    let before = database.rows().await;
    let moved = named("watch", 2).formerly(&["gaze"]);
    assert_eq!(
        dry(&[look(2), other(), moved]).await,
        "look   would be refreshed, from revision 1 to 2\n\
         other  kept: a user has saved it\n\
         watch  would be renamed from `gaze`, revision 2\n\
         mine   kept: it is a user's own\n"
    );
    assert_eq!(database.rows().await, before);
}

pub(crate) async fn misdeclared(database: &Database) {
    let forgotten = BuiltIn::new("look", TWO, Vec::leak(vec![String::leak(digest(ONE)) as &str]));
    let error = Library::start(database.store(), &[forgotten, other(), other()]).await.unwrap_err();
    let LibraryError::Misdeclared(faults) = &error else { panic!("{error}") };
    assert_eq!(faults.len(), 2);
    assert_eq!(
        faults[0].why,
        format!("its text is of no revision that is declared; append \"{}\" to the digests", digest(TWO))
    );
    assert_eq!(faults[1].why, "the name `other` is declared twice");
    assert_eq!(database.rows().await, [], "nothing was written");
    let unreachable = toolgate_mcp::prompts::open("/nonexistent/folder/prompts.sqlite").unwrap();
    let error = Library::start(unreachable, &[look(1)]).await.unwrap_err();
    assert!(matches!(error, LibraryError::Store(StoreError::Unreachable(_))), "{error}");
}
