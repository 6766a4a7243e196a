//! What is between two lists of tools.

use super::places::{self, Place};
use super::relation::{self, Compared};
use crate::digest;
use crate::input::only;
use crate::target::read_tool;
use crate::tool::name_of;
use std::collections::{HashMap, HashSet};
use toolgate::json::Value;
use toolgate_gateway::policy::ServerPolicy;

/// The contract of a tool that says nothing of its arguments: it takes none.
const NO_ARGUMENTS: &str = r#"{"type":"object"}"#;

/// Two lists, and what became of each tool.
pub(super) struct Difference {
    /// What the lists are, for people: a file, a pin, a server.
    pub(super) old: String,
    pub(super) new: String,
    /// The files of the old list and the new one, where they are files.
    pub(super) files: (Option<String>, Option<String>),
    /// In the order of the new list; then what is gone.
    pub(super) tools: Vec<Changed>,
    pub(super) unchanged: usize,
    /// The command that pins the new list, where the old one is a pin.
    pub(super) pins: Option<String>,
}

/// A tool that is not as it was.
pub(super) struct Changed {
    pub(super) name: String,
    pub(super) what: What,
    pub(super) digests: (Option<String>, Option<String>),
    /// The lines of the old one and the new one in their files.
    pub(super) lines: (Option<usize>, Option<usize>),
}

pub(super) enum What {
    /// It is new; what it says of itself.
    Added {
        description: Option<String>,
    },
    Removed,
    Changed {
        /// What became of its calls; `None` where its schema is as it was.
        calls: Option<Calls>,
        places: Vec<Place>,
    },
}

pub(super) struct Calls {
    pub(super) whole: Compared,
    /// Each argument that became another, where each can be told by itself.
    pub(super) arguments: Vec<(String, Compared)>,
}

/// A list of tools, and where each stands.
pub(super) struct Tools<'t> {
    pub(super) definitions: &'t [String],
    pub(super) lines: &'t [usize],
}

impl Difference {
    pub(super) fn is_none(&self) -> bool {
        self.tools.is_empty()
    }
}

/// Compares the lists tool by tool, by name, under the policy by which calls of them are judged.
pub(super) fn between(old: &Tools<'_>, new: &Tools<'_>, policy: &ServerPolicy) -> (Vec<Changed>, usize) {
    let old_names = names(old.definitions);
    let new_names = names(new.definitions);
    let by_name: HashMap<&str, usize> = old_names.iter().map(String::as_str).zip(0..).collect();
    let old_line = |index: usize| old.lines.get(index).copied();
    let still: HashSet<&str> = new_names.iter().map(String::as_str).collect();
    let mut changed = Vec::new();
    let mut unchanged = 0;
    for (index, (name, definition)) in new_names.iter().zip(new.definitions).enumerate() {
        let at = by_name.get(name.as_str()).copied();
        let before = at.and_then(|at| old.definitions.get(at));
        let digest = digest::of_definition(definition);
        let old_digest = before.map(|before| digest::of_definition(before));
        if old_digest.as_ref() == Some(&digest) {
            unchanged += 1;
            continue;
        }
        let what = match before {
            None => What::Added { description: description(definition) },
            Some(before) => one(before, definition, name, policy),
        };
        let lines = (at.and_then(old_line), new.lines.get(index).copied());
        changed.push(Changed { name: name.clone(), what, digests: (old_digest, Some(digest)), lines });
    }
    for (index, (name, definition)) in old_names.iter().zip(old.definitions).enumerate() {
        if !still.contains(name.as_str()) {
            let digests = (Some(digest::of_definition(definition)), None);
            changed.push(Changed { name: name.clone(), what: What::Removed, digests, lines: (old_line(index), None) });
        }
    }
    (changed, unchanged)
}

/// A name for each entry. One that is listed again, and one that has none, have their place in the list in it.
fn names(definitions: &[String]) -> Vec<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let name = |(index, definition): (usize, &String)| {
        let Some(name) = name_of(definition) else { return format!("entry {} without a name", index + 1) };
        let time = times.entry(name.clone()).or_default();
        *time += 1;
        if *time == 1 { name } else { format!("{name} (listed {time} times)") }
    };
    definitions.iter().enumerate().map(name).collect()
}

fn one(old: &str, new: &str, name: &str, policy: &ServerPolicy) -> What {
    let (Some(old_tool), Some(new_tool)) = (read_tool(old), read_tool(new)) else {
        return What::Changed { calls: None, places: Vec::new() };
    };
    let (old_root, new_root) = (old_tool.root(), new_tool.root());
    let (old_schema, new_schema) = (schema(old_root), schema(new_root));
    let canonical = |text: &str| crate::input::document(text).map(|document| digest::canonical(document.root())).ok();
    let is_same = old_schema == new_schema
        || canonical(old_schema).is_some_and(|old| canonical(new_schema).is_some_and(|new| old == new));
    let calls = (!is_same).then(|| Calls {
        whole: Compared::of(old_schema, new_schema, name, policy),
        arguments: relation::arguments(old_schema, new_schema, name, policy),
    });
    // What is nested deeper than a tool can be is compared as a whole.
    let is_read = |text: &str| crate::input::document(text).is_ok();
    let places = if is_read(old) && is_read(new) { places::between(old_root, new_root) } else { Vec::new() };
    What::Changed { calls, places }
}

fn schema<'t>(root: Value<'t>) -> &'t str {
    only(root, "inputSchema").ok().flatten().map_or(NO_ARGUMENTS, Value::text)
}

fn description(definition: &str) -> Option<String> {
    let document = read_tool(definition)?;
    document.root().get("description").and_then(Value::as_str).map(std::borrow::Cow::into_owned)
}
