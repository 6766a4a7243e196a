//! A request in words that are the same for every API, and what must hold of it whatever the API.

use super::Script;
use serde_json::Value;
use std::collections::HashSet;

/// What a request says.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) tools: Vec<Shown>,
    pub(super) rounds: Vec<Round>,
}

/// A tool as the request shows it.
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) schema: Value,
}

/// The calls of a turn as they were sent back, and their answers.
#[derive(Default)]
pub(super) struct Round {
    pub(super) calls: Vec<(String, String)>,
    pub(super) answers: Vec<Answered>,
}

pub(super) struct Answered {
    pub(super) id: String,
    pub(super) text: String,
    /// Where the API says it.
    pub(super) is_error: Option<bool>,
}

impl Asked {
    /// In which round the conversation is.
    pub(super) fn held_against(&self, script: &Script) -> Result<usize, String> {
        self.shows(script)?;
        for (index, round) in self.rounds.iter().enumerate() {
            let scripted = script.rounds.get(index).ok_or("there are more calls than the model has made")?;
            let made: Vec<_> = scripted.iter().map(|call| (call.id, call.name)).collect();
            let told: Vec<_> = round.calls.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
            if made != told {
                return Err(format!("the model has called {made:?}, and is told that it has called {told:?}"));
            }
            let answered: Vec<_> = round.answers.iter().map(|answer| answer.id.as_str()).collect();
            let (ids, distinct) = (scripted.iter().map(|call| call.id), answered.iter().copied().collect());
            if answered.len() != scripted.len() || ids.collect::<HashSet<_>>() != distinct {
                return Err(format!("the calls are {made:?}, and answered are {answered:?}"));
            }
            for answer in &round.answers {
                let Some(call) = scripted.iter().find(|call| call.id == answer.id) else { continue };
                if !answer.text.contains(call.answer) || answer.is_error.is_some_and(|is| is != call.is_error) {
                    let Answered { id, text, is_error } = answer;
                    return Err(format!("{id} is answered with {text:?} (an error: {is_error:?})"));
                }
            }
        }
        Ok(self.rounds.len())
    }

    /// The tools are those of the script, as they are to be shown.
    fn shows(&self, script: &Script) -> Result<(), String> {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        let expected: Vec<_> = script.tools.iter().map(|tool| tool.name.as_str()).collect();
        if names != expected {
            return Err(format!("the tools are {names:?} and not {expected:?}"));
        }
        for (shown, tool) in self.tools.iter().zip(&script.tools) {
            let name = &tool.name;
            if shown.description != tool.description {
                return Err(format!("{name}: the description is {:?}", shown.description));
            }
            let schema: Value = serde_json::from_str(&tool.schema).map_err(|error| error.to_string())?;
            if shown.schema != schema || shown.schema.get("type") != Some(&Value::from("object")) {
                return Err(format!("{name}: the schema is {}", shown.schema));
            }
        }
        Ok(())
    }

    /// The last turn's answers.
    pub(super) fn answers(&mut self) -> Result<&mut Vec<Answered>, String> {
        self.rounds.last_mut().map(|round| &mut round.answers).ok_or_else(|| "an answer before any call".to_owned())
    }
}

/// The object has these names and no other.
pub(super) fn only(value: &Value, names: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or_else(|| format!("{value} is no object"))?;
    match object.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("unknown parameter `{name}`")),
        None => Ok(()),
    }
}

/// The text of this name.
pub(super) fn text(value: &Value, name: &str) -> Result<String, String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("`{name}` is no text in {value}"))
}

/// The list of this name.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> Result<&'v [Value], String> {
    let list = value.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| format!("`{name}` is no list in {value}"))
}

/// The word of this name is this one.
pub(super) fn is(value: &Value, name: &str, word: &str) -> Result<(), String> {
    if value.get(name) == Some(&Value::from(word)) {
        Ok(())
    } else {
        Err(format!("`{name}` is not `{word}` in {value}"))
    }
}

/// Content that is text, or parts of which each is.
pub(super) fn content(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            parts.iter().map(|part| text(part, "text")).collect::<Result<Vec<_>, _>>().map(|texts| texts.join("\n"))
        }
        _ => Err(format!("{value} is no content")),
    }
}

/// A tool as an API shows it, below its own words.
pub(super) fn shown(value: &Value, schema: &str) -> Result<Shown, String> {
    let name = text(value, "name")?;
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || ch == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_taken) {
        return Err(format!("`{name}` is no name of a tool"));
    }
    Ok(Shown {
        name,
        description: value.get("description").and_then(Value::as_str).map(str::to_owned),
        schema: value.get(schema).cloned().unwrap_or_default(),
    })
}

/// The header is there.
pub(super) fn header(headers: &axum::http::HeaderMap, name: &str) -> Result<(), String> {
    if headers.contains_key(name) { Ok(()) } else { Err(format!("the header `{name}` is missing")) }
}
