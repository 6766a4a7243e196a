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
