//! The rule of a start, over rows that were read. It writes nothing.

use super::built_in::BuiltIn;
use super::prompt::is_name;
use super::report::{Entry, Kept, Outcome};
use super::store::{Found, Origin, Row, name_of};
use super::text::digest;
use std::collections::BTreeMap;

/// What is to be done with one row: what was seen, what is put in its place, and what is said of it.
pub(super) struct Step {
    pub(super) seen: Option<Row>,
    pub(super) new: Option<Row>,
    pub(super) entry: Entry,
}

/// What a start does with these rows.
pub(super) fn plan(found: Vec<Found>, built_ins: &[BuiltIn]) -> Vec<Step> {
    // Names that are none may be alike, as they are cut.
    let (named, nameless): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|row| is_name(name_of(row)));
    let mut rows: BTreeMap<String, Found> = named.into_iter().map(|row| (name_of(&row).to_owned(), row)).collect();
    // Former names are looked at when all rows of the present ones are known.
    let present: Vec<Option<Found>> = built_ins.iter().map(|built_in| rows.remove(built_in.name)).collect();
    let mut steps = Vec::new();
    let mut others = Vec::new();
    for (built_in, row) in built_ins.iter().zip(present) {
        match row {
            Some(row) => {
                steps.push(present_row(row, built_in));
                former_rows(&mut rows, built_in, |row| {
                    others.push(kept_former(row, built_in, Kept::NewNameTaken { name: built_in.name.to_owned() }));
                });
            }
            None => steps.push(absent_row(&mut rows, built_in, &mut others)),
        }
    }
    others.extend(rows.into_values().chain(nameless).map(kept_other));
    others.sort_by(|a, b| a.entry.name.cmp(&b.entry.name));
    steps.append(&mut others);
    steps
}

/// Why the row is not the program's to write; `None` where it has the text of a shipped revision and nobody has touched it.
fn touched(row: &Row, built_in: &BuiltIn) -> Result<i64, Kept> {
    // Invariant: whoever saved it owns it, whatever the text has become.
    if row.origin == Origin::User {
        return Err(Kept::UserOwned);
    }
    if row.deleted_by.is_some() {
        return Err(Kept::Deleted);
    }
    if row.saved_by.is_some() {
        return Err(Kept::Saved);
    }
    let digest = digest(&row.text);
    built_in.revision_of(&digest).ok_or(if digest == row.digest { Kept::UnknownText } else { Kept::ChangedPast })
}

/// The row has the name that is shipped.
fn present_row(row: Found, built_in: &BuiltIn) -> Step {
    let row = match row {
        Ok(row) => row,
        Err(unreadable) => return kept(unreadable.name, Kept::Unreadable(unreadable.why)),
    };
    match touched(&row, built_in) {
        Err(why) => kept(row.name, why),
        Ok(revision) if revision == built_in.revision() => said(row.name, Outcome::Current),
        Ok(from) => {
            let outcome = Outcome::Refreshed { from, to: built_in.revision() };
            replaced(row, built_in, outcome)
        }
    }
}

/// No row has the name that is shipped; one may have a former one.
fn absent_row(rows: &mut BTreeMap<String, Found>, built_in: &BuiltIn, others: &mut Vec<Step>) -> Step {
    let mut untouched = None;
    let mut deleted = false;
    let taken = Kept::NewNameTaken { name: built_in.name.to_owned() };
    former_rows(rows, built_in, |row| match row {
        Ok(row) if untouched.is_none() && touched(&row, built_in).is_ok() => untouched = Some(row),
        row => {
            deleted |= row.as_ref().is_ok_and(|row| row.origin == Origin::BuiltIn && row.deleted_by.is_some());
            others.push(kept_former(row, built_in, taken.clone()));
        }
    });
    match untouched {
        Some(row) => {
            let outcome = Outcome::Renamed { from: row.name.clone(), revision: built_in.revision() };
            replaced(row, built_in, outcome)
        }
        // Whoever deleted it under its former name does not want it under the new one.
        None if deleted => kept(built_in.name.to_owned(), Kept::Deleted),
        None => Step {
            seen: None,
            new: Some(shipped(built_in, 1)),
            entry: Entry { name: built_in.name.to_owned(), outcome: Outcome::Added { revision: built_in.revision() } },
        },
    }
}

/// Takes the rows of former names out, the one that is named first first.
fn former_rows(rows: &mut BTreeMap<String, Found>, built_in: &BuiltIn, mut each: impl FnMut(Found)) {
    for row in built_in.former_names.iter().filter_map(|name| rows.remove(*name)) {
        each(row);
    }
}

/// Says why a row of a former name is kept: what somebody did to it, or else that it cannot move.
fn kept_former(row: Found, built_in: &BuiltIn, otherwise: Kept) -> Step {
    match row {
        Ok(row) => {
            let why = touched(&row, built_in).err().unwrap_or(otherwise);
            kept(row.name, why)
        }
        Err(unreadable) => kept(unreadable.name, Kept::Unreadable(unreadable.why)),
    }
}

/// A row that this server has nothing to do with.
fn kept_other(row: Found) -> Step {
    match row {
        Ok(row) if row.origin == Origin::User => kept(row.name, Kept::UserOwned),
        Ok(row) => kept(row.name, Kept::NotShipped),
        Err(unreadable) => kept(unreadable.name, Kept::Unreadable(unreadable.why)),
    }
}

fn kept(name: String, why: Kept) -> Step {
    said(name, Outcome::Kept(why))
}

fn said(name: String, outcome: Outcome) -> Step {
    Step { seen: None, new: None, entry: Entry { name, outcome } }
}

fn replaced(row: Row, built_in: &BuiltIn, outcome: Outcome) -> Step {
    let new = shipped(built_in, row.version.wrapping_add(1));
    Step { seen: Some(row), new: Some(new), entry: Entry { name: built_in.name.to_owned(), outcome } }
}

/// The row of a prompt as it is shipped.
pub(super) fn shipped(built_in: &BuiltIn, version: i64) -> Row {
    let text = built_in.normal_text();
    Row {
        name: built_in.name.to_owned(),
        origin: Origin::BuiltIn,
        digest: digest(&text),
        text,
        revision: Some(built_in.revision()),
        saved_by: None,
        deleted_by: None,
        version,
    }
}
