//! The prompt library: what a start does with every kind of row, on both databases, and what users and clients get.

mod always;
mod at_once;
mod databases;
mod editing;
mod hostile;
mod postgres;
mod serving;
mod start;
mod stores;
mod texts;

use databases::{Database, Kind};

/// Runs each fact of this list on SQLite and on PostgreSQL, as a test of its own.
macro_rules! on_both_databases {
    ($($module:ident: $($fact:ident)+;)+) => {
        mod sqlite {
            $($(#[tokio::test]
            async fn $fact() {
                let database = super::Database::make(super::Kind::Sqlite, stringify!($fact)).await.unwrap();
                super::$module::$fact(&database).await;
            })+)+
        }

        mod postgresql {
            $($(#[tokio::test]
            async fn $fact() {
                let database = super::Database::make(super::Kind::Postgres, stringify!($fact)).await;
                if let Some(database) = database {
                    super::$module::$fact(&database).await;
                }
            })+)+
        }
    };
}

on_both_databases! {
    start:
        untouched
        edited
        edited_back
        same_text_saved
        unknown_text
        unknown_name
        changed_past_the_library
        user_owned_clash
        deleted
        renamed
        renamed_and_touched
        renamed_to_a_taken_name
        renamed_and_deleted
        line_ends_are_no_edit
        dry_run
        misdeclared;
    at_once:
        two_processes_starting_at_once
        saved_between_reading_and_writing
        started_between_reading_and_writing
        never_at_rest;
    editing:
        a_save_is_of_the_row_that_was_seen
        a_deleted_prompt_comes_back_when_it_is_restored_or_saved
        what_cannot_be_saved
        a_full_library;
    hostile:
        odd_rows_are_kept_and_told
        more_rows_than_are_read
        later_tables;
    stores:
        every_column_is_compared
        no_row_takes_the_name_of_another;
    serving:
        read_from_the_database
        a_lost_connection;
}

/// While another process has the file, those who wait for it hold one thread and not all that there are.
#[test]
fn whoever_waits_for_the_file_holds_no_thread() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(2).build().unwrap();
    runtime.block_on(async {
        let database = Database::make(Kind::Sqlite, "waits").await.unwrap();
        let (library, _) = database.start(&[texts::look(1)]).await;
        let other = rusqlite::Connection::open(&database.place).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let library = library.clone();
                tokio::spawn(async move { library.rows().await.map(|rows| rows.len()) })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(tokio::task::spawn_blocking(|| 7).await.unwrap(), 7);
        assert!(waiting.iter().all(|waits| !waits.is_finished()), "the file is still the other's");
        other.execute_batch("COMMIT").unwrap();
        for waits in waiting {
            assert_eq!(waits.await.unwrap(), Ok(1));
        }
    });
}

/// Whoever made the tables may have given others no more than the rows.
#[tokio::test]
async fn a_role_with_rights_on_the_rows_alone_starts() {
    let Some(database) = Database::make(Kind::Postgres, "rows_alone").await else { return };
    database.start(&[texts::look(1)]).await;
    database
        .by_hand(
            "CREATE ROLE rows_alone LOGIN; GRANT USAGE ON SCHEMA rows_alone TO rows_alone; \
             GRANT SELECT ON ALL TABLES IN SCHEMA rows_alone TO rows_alone; \
             GRANT INSERT, UPDATE, DELETE ON rows_alone.toolgate_prompts TO rows_alone",
        )
        .await;
    let place = database.place.replacen("postgres@", "rows_alone@", 1);
    let store = toolgate_mcp::prompts::open(&place).unwrap();
    let (_, report) = toolgate_mcp::prompts::Library::start(store, &[texts::look(2)]).await.unwrap();
    assert_eq!(report.to_string(), "look  refreshed, from revision 1 to 2\n");
}
