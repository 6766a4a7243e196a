//! Whatever users, servers of several versions and people at the database do in whatever order: the rule holds.

use super::texts::{EDITED, ONE, OTHER, THREE, TWO, look, named, other};
use std::collections::BTreeMap;
use toolgate_mcp::prompts::{BuiltIn, Library, Origin, Row, SqliteStore, Store, digest};

/// The server in its three versions.
fn version(number: usize) -> Vec<BuiltIn> {
    match number {
        1 => vec![look(1), named("gaze", 1)],
        2 => vec![look(2), named("watch", 2).formerly(&["gaze"]), other()],
        _ => vec![named("watch", 3).formerly(&["gaze"]), look(3)],
    }
}

const NAMES: [&str; 5] = ["look", "gaze", "watch", "other", "mine"];
const TEXTS: [&str; 5] = [ONE, TWO, THREE, OTHER, EDITED];

struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.throw(words.len())]
    }
}

async fn rows(store: &SqliteStore) -> BTreeMap<String, Row> {
    store.rows().await.unwrap().into_iter().map(|row| row.map(|row| (row.name.clone(), row)).unwrap()).collect()
}

/// Whether a start of this version may write the row: the rule in one sentence.
fn is_to_write(row: &Row, shipped: &[&str]) -> bool {
    let is_shipped = shipped.iter().any(|text| digest(text) == digest(&row.text));
    row.origin == Origin::BuiltIn && row.saved_by.is_none() && row.deleted_by.is_none() && is_shipped
}

async fn start(store: &SqliteStore, number: usize) -> Library {
    let before = rows(store).await;
    let built_ins = version(number);
    let dry = Library::plan(store, &built_ins).await.unwrap();
    assert_eq!(rows(store).await, before, "a dry run has written");
    let (library, report) = Library::start(store.clone(), &built_ins).await.unwrap();
    assert_eq!(report.entries, dry.entries);
    let after = rows(store).await;

    let look = &[ONE, TWO, THREE][..number];
    let shipped = |name: &str| match (name, number) {
        ("look", _) | ("gaze", _) | ("watch", 2 | 3) => look,
        ("other", 2) => &[OTHER],
        _ => &[],
    };
    for (name, row) in &before {
        let moves = name == "gaze" && number > 1;
        if !is_to_write(row, shipped(name)) {
            assert_eq!(after.get(name), Some(row), "a row that is not the server's was written");
        } else if moves && !before.contains_key("watch") {
            assert!(!after.contains_key("gaze"), "it has moved");
            assert_eq!(after["watch"].text, look[number - 1]);
        } else if moves {
            assert_eq!(after.get(name), Some(row), "it cannot move");
        } else {
            let current = if name == "other" { OTHER } else { look[number - 1] };
            assert_eq!(digest(&after[name].text), digest(current), "{name} was not refreshed");
        }
    }
    for (name, row) in &after {
        let was_there = before.contains_key(name) || (name == "watch" && !after.contains_key("gaze"));
        assert!(was_there || is_to_write(row, shipped(name)), "{name} came from nowhere");
    }
    let is_deleted = |name: &str| before.get(name).is_some_and(|row| row.deleted_by.is_some());
    for name in built_ins.iter().map(BuiltIn::name) {
        let stays_away = name == "watch" && is_deleted("gaze") && !before.contains_key("watch");
        assert_eq!(after.contains_key(name), !stays_away, "{name}");
    }
    let (library_again, again) = Library::start(store.clone(), &built_ins).await.unwrap();
    assert!(!again.has_changes(), "{again}");
    assert_eq!(rows(store).await, after);
    drop(library);
    library_again
}

#[tokio::test]
async fn whatever_happened_before_the_rule_holds() {
    let mut did = [0_usize; 5];
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let store = SqliteStore::memory();
        let mut library = start(&store, 1 + dice.throw(3)).await;
        for _ in 0..12 {
            let (name, text) = (dice.one_of(&NAMES), dice.one_of(&TEXTS));
            let row = rows(&store).await.remove(name);
            let seen = row.as_ref().map_or(0, |row| row.version);
            let what = dice.throw(5);
            let done = match what {
                0 => {
                    library = start(&store, 1 + dice.throw(3)).await;
                    true
                }
                1 => {
                    let seen = row.filter(|row| row.deleted_by.is_none()).map(|row| row.version);
                    library.save(name, text, "alice", seen).await.unwrap();
                    true
                }
                2 => library.delete(name, "alice", seen).await.is_ok(),
                3 => library.restore(name, seen).await.is_ok(),
                _ => match row {
                    // Past the library, and with other line ends.
                    Some(row) => {
                        let mut new = row.clone();
                        new.text = text.replace('\n', "\r\n");
                        store.write(Some(row), Some(new)).await.unwrap()
                    }
                    None => false,
                },
            };
            did[what] += usize::from(done);
        }
        start(&store, 1 + dice.throw(3)).await;
    }
    assert!(did.iter().all(|count| *count > 50), "{did:?}");
}
