//! `generateContent` of Gemini.

use super::ScriptedCall;
use super::read::{Answered, Asked, Round, header, list, only, shown, text};
use axum::http::{HeaderMap, Uri};
use serde_json::{Value, json};

pub(super) fn read(uri: &Uri, headers: &HeaderMap, body: &Value) -> Result<Asked, String> {
    let has_key = uri.query().is_some_and(|query| query.contains("key="));
    if !has_key {
        header(headers, "x-goog-api-key")?;
    }
    let mut asked = Asked::default();
    for tool in list(body, "tools")? {
        // The API's own tools, which some clients name in order to say that there are none.
        only(tool, &["functionDeclarations", "codeExecution", "googleSearch"])?;
        for function in list(tool, "functionDeclarations")? {
            only(function, &["name", "description", "parametersJsonSchema"])?;
            asked.tools.push(shown(function, "parametersJsonSchema")?);
        }
    }
    for content in list(body, "contents")? {
        let parts = list(content, "parts")?;
        match text(content, "role")?.as_str() {
            "model" => asked.rounds.push(round(parts)?),
            "user" => answers(parts, &mut asked)?,
            role => return Err(format!("there is no role `{role}`")),
        }
    }
    Ok(asked)
}

fn round(parts: &[Value]) -> Result<Round, String> {
    let mut round = Round::default();
    for call in parts.iter().filter_map(|part| part.get("functionCall")) {
        round.calls.push((text(call, "id")?, text(call, "name")?));
    }
    Ok(round)
}

fn answers(parts: &[Value], asked: &mut Asked) -> Result<(), String> {
    for answer in parts.iter().filter_map(|part| part.get("functionResponse")) {
        only(answer, &["id", "name", "response"])?;
        let response = answer["response"].as_object().ok_or("a response is an object")?;
        let (id, name) = (text(answer, "id")?, text(answer, "name")?);
        let round = asked.rounds.last_mut().ok_or("an answer before any call")?;
        if !round.calls.contains(&(id.clone(), name.clone())) {
            return Err(format!("no call of `{name}` has the id {id}"));
        }
        let said = Value::Object(response.clone()).to_string();
        // As text: quotation marks inside are escaped there.
        let said = said.replace("\\\"", "\"");
        round.answers.push(Answered { id, text: said, is_error: None });
    }
    Ok(())
}

pub(super) fn write(calls: Option<&[ScriptedCall]>, end: &str) -> String {
    let parts = match calls {
        None => json!({"text": end}).to_string(),
        Some(calls) => {
            let part = |call: &ScriptedCall| {
                let (id, name) = (json!(call.id), json!(call.name));
                let args =
                    if call.arguments.is_empty() { String::new() } else { format!(r#","args":{}"#, call.arguments) };
                format!(r#"{{"functionCall":{{"id":{id},"name":{name}{args}}}}}"#)
            };
            calls.iter().map(part).collect::<Vec<_>>().join(",")
        }
    };
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"STOP","index":0}}],"usageMetadata":{{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}},"modelVersion":"gemini-3-pro","responseId":"r_1"}}"#
    )
}
