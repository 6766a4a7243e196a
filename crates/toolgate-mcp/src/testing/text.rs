//! Hand-written texts about tools, held to their schemas.

use crate::guidance::{contract_of, required};
use rmcp::model::Tool;
use serde_json::Value;
use std::collections::BTreeSet;
use toolgate::Outline;

/// Levels of nesting that are looked through: a schema may be recursive.
const DEPTH_MAX: usize = 8;

/// The text is true of the tools that it names: each of `named` is among `tools` and in the text; every property that is
/// required by one of them, inside its steps and options too, is a word of the text; and every word that the text puts between
/// backticks is a tool, a property, or a listed value of theirs.
///
/// # Panics
///
/// Says what the text leaves out, and which of its words are of nothing.
///
/// # Example
///
/// ```
/// use rmcp::model::Tool;
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"steps": {"type": "array", "items":
///     {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}}}, "required": ["steps"]});
/// let tools = [Tool::new("walk", "", std::sync::Arc::new(schema.as_object().unwrap().clone()))];
/// toolgate_mcp::testing::assert_text_holds("Call `walk` with `steps`, each with a `file`.", &tools, &["walk"]);
/// ```
pub fn assert_text_holds(text: &str, tools: &[Tool], named: &[&str]) {
    let words: BTreeSet<&str> = text
        .split(|ch: char| !ch.is_alphanumeric() && !matches!(ch, '_' | '-' | '.'))
        .map(|word| word.trim_matches('.'))
        .collect();
    let mut faults = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for name in named {
        let Some(tool) = tools.iter().find(|tool| tool.name == *name) else {
            faults.push(format!("there is no tool `{name}`"));
            continue;
        };
        known.insert((*name).to_owned());
        if !words.contains(name) {
            faults.push(format!("the tool `{name}` is not in the text"));
        }
        let Some(contract) = contract_of(tool) else {
            faults.push(format!("the schema of `{name}` cannot be read"));
            continue;
        };
        note_known(&contract.outline(), 0, &mut known);
        let mut missing = BTreeSet::new();
        note_missing(&contract.outline(), 0, &words, &mut missing);
        faults.extend(
            missing.into_iter().map(|property| format!("`{name}` requires `{property}`, which is not in the text")),
        );
    }
    for word in text.split('`').skip(1).step_by(2).filter(|word| !known.contains(*word)) {
        faults.push(format!("the text speaks of `{word}`, which none of these tools has"));
    }
    assert!(faults.is_empty(), "the text does not hold: {}", faults.join("; "));
}

/// What stands inside a place, under a declared name or not.
fn inner<'c>(place: &Outline<'c>) -> impl Iterator<Item = Outline<'c>> {
    let members = place.members().into_iter().map(|member| member.place);
    members.chain([place.items()]).chain(place.rest())
}

fn note_known(place: &Outline<'_>, depth: usize, known: &mut BTreeSet<String>) {
    known.extend(place.members().into_iter().map(|member| member.name.to_owned()));
    let words = place.words().into_iter().filter_map(|word| serde_json::from_str::<Value>(word).ok());
    known.extend(words.filter_map(|word| word.as_str().map(str::to_owned)));
    if depth < DEPTH_MAX {
        inner(place).for_each(|inner| note_known(&inner, depth + 1, known));
    }
}

fn note_missing(place: &Outline<'_>, depth: usize, words: &BTreeSet<&str>, missing: &mut BTreeSet<String>) {
    missing.extend(required(place).map(|(name, _)| name).filter(|name| !words.contains(name)).map(str::to_owned));
    if depth < DEPTH_MAX {
        inner(place).for_each(|inner| note_missing(&inner, depth + 1, words, missing));
    }
}
