//! Chat Completions of OpenAI.

use super::ScriptedCall;
use super::read::{Answered, Asked, Round, content, header, is, list, only, shown, text};
use axum::http::HeaderMap;
use serde_json::{Value, json};

pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, String> {
    header(headers, "authorization")?;
    text(body, "model")?;
    let mut asked = Asked::default();
    for tool in list(body, "tools")? {
        only(tool, &["type", "function"])?;
        is(tool, "type", "function")?;
        only(&tool["function"], &["name", "description", "parameters", "strict"])?;
        asked.tools.push(shown(&tool["function"], "parameters")?);
    }
    let mut is_open = false;
    for message in list(body, "messages")? {
        match text(message, "role")?.as_str() {
            "tool" => {
                only(message, &["role", "tool_call_id", "content"])?;
                let answer = Answered {
                    id: text(message, "tool_call_id")?,
                    text: content(&message["content"])?,
                    is_error: None,
                };
                if !is_open {
                    return Err("a message of the role `tool` must follow one with `tool_calls`".to_owned());
                }
                asked.answers()?.push(answer);
            }
            "assistant" => {
                is_open = message.get("tool_calls").is_some();
                if is_open {
                    asked.rounds.push(round(list(message, "tool_calls")?)?);
                }
            }
            "user" | "system" | "developer" => {
                content(&message["content"])?;
                is_open = false;
            }
            role => return Err(format!("there is no role `{role}`")),
        }
    }
    Ok(asked)
}

fn round(calls: &[Value]) -> Result<Round, String> {
    let mut round = Round::default();
    for call in calls {
        is(call, "type", "function")?;
        text(&call["function"], "arguments")?;
        round.calls.push((text(call, "id")?, text(&call["function"], "name")?));
    }
    Ok(round)
}

pub(super) fn write(calls: Option<&[ScriptedCall]>, end: &str) -> String {
    let (message, why) = match calls {
        None => (json!({"role": "assistant", "content": end}), "stop"),
        Some(calls) => {
            let calls = calls.iter().map(|call| {
                let function = json!({"name": call.name, "arguments": call.arguments});
                json!({"id": call.id, "type": "function", "function": function})
            });
            let calls: Vec<Value> = calls.collect();
            (json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": calls}), "tool_calls")
        }
    };
    let reply = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.2",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": why}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    });
    reply.to_string()
}
