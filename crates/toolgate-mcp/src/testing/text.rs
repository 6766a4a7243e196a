//! Hand-written texts about tools, held to their schemas.

use crate::guidance::required;
use rmcp::model::Tool;
use serde_json::Value;
use std::collections::BTreeSet;

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
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        note_known(&schema, &mut known);
        let mut missing = BTreeSet::new();
        note_missing(&schema, &words, &mut missing);
        faults.extend(
            missing.into_iter().map(|property| format!("`{name}` requires `{property}`, which is not in the text")),
        );
    }
    for word in text.split('`').skip(1).step_by(2).filter(|word| !known.contains(*word)) {
        faults.push(format!("the text speaks of `{word}`, which none of these tools has"));
    }
    assert!(faults.is_empty(), "the text does not hold: {}", faults.join("; "));
}

fn inner(schema: &Value) -> impl Iterator<Item = &Value> {
    let properties =
        schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|properties| properties.values());
    properties.chain(schema.get("items")).chain(schema.get("additionalProperties"))
}

fn note_known(schema: &Value, known: &mut BTreeSet<String>) {
    let properties =
        schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|properties| properties.keys());
    known.extend(properties.cloned());
    let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    known.extend(words.filter_map(Value::as_str).map(str::to_owned));
    inner(schema).for_each(|schema| note_known(schema, known));
}

fn note_missing(schema: &Value, words: &BTreeSet<&str>, missing: &mut BTreeSet<String>) {
    missing.extend(required(schema).map(|(name, _)| name).filter(|name| !words.contains(name)).map(str::to_owned));
    inner(schema).for_each(|schema| note_missing(schema, words, missing));
}
