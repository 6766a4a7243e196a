//! Responses of OpenAI.

use super::ScriptedCall;
use super::read::{Answered, Asked, Round, content, header, is, list, only, shown, text};
use axum::http::HeaderMap;
use serde_json::{Value, json};

pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, String> {
    header(headers, "authorization")?;
    text(body, "model")?;
    let mut asked = Asked::default();
    for tool in list(body, "tools")? {
        only(tool, &["type", "name", "description", "parameters", "strict"])?;
        is(tool, "type", "function")?;
        if tool["strict"] != json!(false) {
            return Err("a tool that is not strict must say so here".to_owned());
        }
        asked.tools.push(shown(tool, "parameters")?);
    }
    for item in list(body, "input")? {
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                text(item, "arguments")?;
                let call = (text(item, "call_id")?, text(item, "name")?);
                // A call after answers is of a new turn.
                match asked.rounds.last_mut() {
                    Some(round) if round.answers.is_empty() => round.calls.push(call),
                    _ => asked.rounds.push(Round { calls: vec![call], answers: Vec::new() }),
                }
            }
            Some("function_call_output") => {
                only(item, &["type", "call_id", "output", "status", "id"])?;
                let answer = Answered { id: text(item, "call_id")?, text: content(&item["output"])?, is_error: None };
                let is_of_a_call = asked.rounds.iter().flat_map(|round| &round.calls).any(|(id, _)| *id == answer.id);
                if !is_of_a_call {
                    return Err(format!("no call has the id {}", answer.id));
                }
                asked.answers()?.push(answer);
            }
            Some("message") | None => drop(text(item, "role")?),
            Some("reasoning") => {}
            Some(other) => return Err(format!("there is no item `{other}`")),
        }
    }
    Ok(asked)
}

pub(super) fn write(calls: Option<&[ScriptedCall]>, end: &str) -> String {
    let output: Vec<Value> = match calls {
        None => {
            let part = json!({"type": "output_text", "text": end, "annotations": []});
            vec![
                json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}),
            ]
        }
        Some(calls) => {
            let item = |call: &ScriptedCall| {
                json!({
                    "type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": call.name,
                    "arguments": call.arguments, "status": "completed",
                })
            };
            calls.iter().map(item).collect()
        }
    };
    let reply = json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5.2",
        "error": null, "incomplete_details": null, "instructions": null, "output": output, "tools": [],
        "parallel_tool_calls": true, "tool_choice": "auto",
        "usage": {
            "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
        },
    });
    reply.to_string()
}
