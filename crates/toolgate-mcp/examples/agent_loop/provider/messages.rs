//! Messages of Anthropic.

use super::ScriptedCall;
use super::read::{Answered, Asked, Round, content, header, list, only, shown, text};
use axum::http::HeaderMap;
use serde_json::{Value, json};

pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, String> {
    header(headers, "x-api-key")?;
    header(headers, "anthropic-version")?;
    text(body, "model")?;
    if !body["max_tokens"].is_u64() {
        return Err("max_tokens: field required".to_owned());
    }
    let mut asked = Asked::default();
    for tool in list(body, "tools")? {
        only(tool, &["name", "description", "input_schema", "cache_control", "eager_input_streaming"])?;
        asked.tools.push(shown(tool, "input_schema")?);
    }
    let mut expected = "user";
    for message in list(body, "messages")? {
        only(message, &["role", "content"])?;
        if message["role"] != json!(expected) {
            return Err("roles must alternate".to_owned());
        }
        let blocks = match &message["content"] {
            Value::Array(blocks) => blocks.as_slice(),
            _ => &[],
        };
        match expected {
            "user" => answers(blocks, &mut asked)?,
            _ => calls(blocks, &mut asked)?,
        }
        expected = if expected == "user" { "assistant" } else { "user" };
    }
    Ok(asked)
}

fn calls(blocks: &[Value], asked: &mut Asked) -> Result<(), String> {
    let mut round = Round::default();
    for block in blocks.iter().filter(|block| block["type"] == json!("tool_use")) {
        if !block["input"].is_object() {
            return Err("tool_use.input: must be an object".to_owned());
        }
        round.calls.push((text(block, "id")?, text(block, "name")?));
    }
    asked.rounds.push(round);
    Ok(())
}

fn answers(blocks: &[Value], asked: &mut Asked) -> Result<(), String> {
    let mut has_other = false;
    for block in blocks {
        if block["type"] != json!("tool_result") {
            has_other = true;
            continue;
        }
        only(block, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
        if has_other {
            return Err("tool_result blocks come first".to_owned());
        }
        let answer = Answered {
            id: text(block, "tool_use_id")?,
            text: content(&block["content"])?,
            is_error: Some(block["is_error"] == json!(true)),
        };
        asked.answers()?.push(answer);
    }
    Ok(())
}

pub(super) fn write(calls: Option<&[ScriptedCall]>, end: &str) -> String {
    let (content, why) = match calls {
        None => (json!({"type": "text", "text": end}).to_string(), "end_turn"),
        Some(calls) => {
            let block = |call: &ScriptedCall| {
                let (id, name) = (json!(call.id), json!(call.name));
                format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{}}}"#, call.json())
            };
            (calls.iter().map(block).collect::<Vec<_>>().join(","), "tool_use")
        }
    };
    // Text and not a value: arguments stand in it as the model wrote them.
    format!(
        r#"{{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{content}],"stop_reason":"{why}","stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1}}}}"#
    )
}
