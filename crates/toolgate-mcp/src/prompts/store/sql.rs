//! The tables and the statements, which both databases read alike. Places of values are written `?1`.

use super::{Found, Origin, Row, StoreError, Unreadable};
use crate::prompts::prompt::is_name;
use crate::prompts::{NAME_MAX, ROWS_MAX, TEXT_MAX, USER_MAX};

/// What brings the tables from each version to the next. What has been released stays as it is; a change is a new entry.
pub(super) const MIGRATIONS: &[&str] = &["
    CREATE TABLE toolgate_prompts (
        name TEXT PRIMARY KEY NOT NULL,
        origin TEXT NOT NULL DEFAULT 'user' CHECK (origin IN ('built-in', 'user')),
        text TEXT NOT NULL,
        revision BIGINT,
        digest TEXT NOT NULL DEFAULT '',
        saved_by TEXT,
        deleted_by TEXT,
        version BIGINT NOT NULL DEFAULT 1
    )"];

/// Whether tables of this version can be read and written; later ones cannot.
pub(super) fn known(version: i64) -> Result<(), StoreError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if version > known { Err(StoreError::TooNew { found: version, known }) } else { Ok(()) }
}

/// The migrations that are still to be made, each with the version that it leads to.
pub(super) fn migrations_after(version: i64) -> impl Iterator<Item = (i64, &'static str)> {
    (1_i64..).zip(MIGRATIONS.iter().copied()).filter(move |(to, _)| *to > version)
}

pub(super) const CREATE_VERSIONS: &str =
    "CREATE TABLE IF NOT EXISTS toolgate_prompts_schema (version BIGINT PRIMARY KEY NOT NULL)";
pub(super) const VERSION: &str = "SELECT coalesce(max(version), 0) FROM toolgate_prompts_schema";
pub(super) const ADD_VERSION: &str = "INSERT INTO toolgate_prompts_schema (version) VALUES (?1)";

/// The longest digest, in bytes.
const DIGEST_MAX: usize = 64;

/// The columns in the order of [`Columns`]. None is read whole where it is longer than it may be, and then it is read longer
/// than it may be, so that it is noticed.
fn columns() -> String {
    format!(
        "substr(name, 1, {}), substr(origin, 1, 16), CASE WHEN octet_length(text) <= {TEXT_MAX} THEN text END, revision, \
         substr(digest, 1, {}), substr(saved_by, 1, {user}), substr(deleted_by, 1, {user}), version",
        NAME_MAX + 1,
        DIGEST_MAX + 1,
        user = USER_MAX + 1,
    )
}

/// All rows, and one more than there may be.
pub(super) fn all_rows() -> String {
    format!("SELECT {} FROM toolgate_prompts LIMIT {}", columns(), ROWS_MAX + 1)
}

pub(super) fn one_row() -> String {
    format!("SELECT {} FROM toolgate_prompts WHERE name = ?1", columns())
}

pub(super) const COUNT: &str = "SELECT count(*) FROM toolgate_prompts";

/// The new row is values 1 to 8, here and in what replaces.
const ADD: &str = "
    INSERT INTO toolgate_prompts (name, origin, text, revision, digest, saved_by, deleted_by, version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (name) DO NOTHING";

/// The row seen is values 9 to 16.
const REPLACE: &str = "
    UPDATE toolgate_prompts
    SET name = ?1, origin = ?2, text = ?3, revision = ?4, digest = ?5, saved_by = ?6, deleted_by = ?7, version = ?8
    WHERE name = ?9 AND origin = ?10 AND text = ?11 AND revision IS NOT DISTINCT FROM ?12 AND digest = ?13
      AND saved_by IS NOT DISTINCT FROM ?14 AND deleted_by IS NOT DISTINCT FROM ?15 AND version = ?16
      AND (?1 = ?9 OR NOT EXISTS (SELECT 1 FROM toolgate_prompts AS other WHERE other.name = ?1))";

/// The row seen is values 1 to 8.
const REMOVE: &str = "
    DELETE FROM toolgate_prompts
    WHERE name = ?1 AND origin = ?2 AND text = ?3 AND revision IS NOT DISTINCT FROM ?4 AND digest = ?5
      AND saved_by IS NOT DISTINCT FROM ?6 AND deleted_by IS NOT DISTINCT FROM ?7 AND version = ?8";

/// The statement that puts `new` in the place of `seen`, and the rows whose columns are its values, in order. `None` where there is
/// nothing to be done.
pub(super) fn change<'r>(seen: Option<&'r Row>, new: Option<&'r Row>) -> Option<(&'static str, Vec<&'r Row>)> {
    match (seen, new) {
        (None, None) => None,
        (None, Some(new)) => Some((ADD, vec![new])),
        (Some(seen), Some(new)) => Some((REPLACE, vec![new, seen])),
        (Some(seen), None) => Some((REMOVE, vec![seen])),
    }
}

/// Whether one row more is one too many.
pub(super) fn is_full(count: i64) -> bool {
    usize::try_from(count).unwrap_or(usize::MAX) >= ROWS_MAX
}

fn is_user(name: &Option<String>) -> bool {
    name.as_ref().is_none_or(|name| name.len() <= USER_MAX)
}

/// The columns of a row as a database gave them; `None` where that is no text, or no number.
pub(super) struct Columns {
    pub(super) name: Option<String>,
    pub(super) origin: Option<String>,
    pub(super) text: Option<String>,
    pub(super) revision: Option<Option<i64>>,
    pub(super) digest: Option<String>,
    pub(super) saved_by: Option<Option<String>>,
    pub(super) deleted_by: Option<Option<String>>,
    pub(super) version: Option<i64>,
}

impl Columns {
    /// The row, if it is one.
    pub(super) fn read(self) -> Found {
        let name = self.name.unwrap_or_default();
        let row = || {
            let origin = self.origin.as_deref().and_then(Origin::named).ok_or("its origin is no word that is known")?;
            Ok(Row {
                name: name.clone(),
                origin,
                text: self.text.ok_or("its text is too long, or no text")?,
                revision: self.revision.ok_or("its revision is no number")?,
                digest: self.digest.filter(|digest| digest.len() <= DIGEST_MAX).ok_or("its digest is none")?,
                saved_by: self.saved_by.filter(is_user).ok_or("the name of who saved it is too long, or no text")?,
                deleted_by: self
                    .deleted_by
                    .filter(is_user)
                    .ok_or("the name of who deleted it is too long, or no text")?,
                version: self.version.ok_or("its version is no number")?,
            })
        };
        if !is_name(&name) {
            return Err(Unreadable { name, why: "its name is no name of a prompt" });
        }
        row().map_err(|why| Unreadable { name: name.clone(), why })
    }
}
