//! The loop with Chat Completions of OpenAI.

use super::harbour::Harbour;
use super::post::{Error, TURNS_MAX, post, raw};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use toolgate_mcp::Toolbox;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Box<RawValue>],
    /// The list goes out as the toolbox wrote it.
    tools: &'a RawValue,
}

#[derive(Deserialize)]
struct Reply {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    /// Kept as it came, for the next request.
    message: Box<RawValue>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// Text that is meant to be JSON. Nobody has parsed it.
    arguments: String,
}

pub(crate) async fn ask(base: &str, toolbox: &Toolbox<Harbour>, question: &str) -> Result<String, Error> {
    let tools: &RawValue = serde_json::from_str(toolbox.manifest().json())?;
    let mut messages = vec![raw(&json!({"role": "user", "content": question}))?];
    for _ in 0..TURNS_MAX {
        let request = Request { model: "gpt-5.2", messages: &messages, tools };
        let reply = post(format!("{base}/v1/chat/completions"), &[("authorization", "Bearer key")], &request).await?;
        let reply: Reply = serde_json::from_str(&reply)?;
        let choice = reply.choices.into_iter().next().ok_or("the reply has no choice")?;
        let message: Message = serde_json::from_str(choice.message.get())?;
        messages.push(choice.message);
        if message.tool_calls.is_empty() {
            return Ok(message.content.unwrap_or_default());
        }
        for ToolCall { id, function: Function { name, arguments } } in message.tool_calls {
            let answer = toolbox.call(&name, &arguments).await;
            messages.push(raw(&answer.to_provider(toolbox.provider(), &id, &name))?);
        }
    }
    Err("the model calls tools without end".into())
}
