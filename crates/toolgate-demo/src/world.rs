//! What the server holds, all of it in memory, so that whatever a call did can be seen afterwards.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The files, tasks and so on of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Text files by path.
    pub files: BTreeMap<String, String>,
    /// Files that can still be brought back.
    pub trash: Vec<Trashed>,
    /// Tasks, in the order they were made.
    pub tasks: Vec<Task>,
    /// Walkthroughs by title.
    pub walkthroughs: BTreeMap<String, Vec<Step>>,
    /// Executor profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Lessons by title: how many blocks each has.
    pub lessons: BTreeMap<String, usize>,
    /// Every tool call as it reached the server.
    pub received: Vec<Received>,
}

/// A file in the trash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trashed {
    /// Its former path.
    pub path: String,
    /// How long it has been there.
    pub days: u32,
}

/// A task that an agent was started on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What it is called on the board.
    pub title: String,
    /// What the agent was told to do.
    pub prompt: Option<String>,
}

/// One stop of a walkthrough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Step {
    /// Path of the file to open.
    pub file: String,
    /// Line to show.
    pub line: u32,
    /// What to say about it.
    pub text: String,
}

/// How an executor runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// After how many turns it stops.
    pub max_turns: Option<u32>,
    /// Settings that only the executor itself knows.
    pub config: Map<String, Value>,
}

/// A call as the SDK handed it over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// The tool's name.
    pub tool: String,
    /// The arguments, before any tool read them.
    pub arguments: Map<String, Value>,
}

impl World {
    /// Three files, three more in the trash, nothing else.
    pub fn new() -> Self {
        let files = [
            ("README.md", "# Harbour\n\nTide tables for small boats. The office opens on Monday.\n"),
            ("notes.md", "Spring tide on Monday.\nAsk Ada about the pier.\n"),
            ("src/tide.rs", "pub fn height(hour: f64) -> f64 {\n    (hour / 12.4).sin()\n}\n"),
        ];
        let trash = [("budget.csv", 2), ("sketch.svg", 12), ("old-log.txt", 400)];
        World {
            files: files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(),
            trash: trash.map(|(path, days)| Trashed { path: path.to_owned(), days }).into(),
            ..World::default()
        }
    }
}
