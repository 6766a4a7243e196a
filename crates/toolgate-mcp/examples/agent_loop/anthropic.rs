//! The loop with Messages of Anthropic.

use super::harbour::Harbour;
use super::post::{Error, TURNS_MAX, post, raw};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use toolgate_mcp::Toolbox;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    messages: &'a [Box<RawValue>],
    tools: &'a RawValue,
}

#[derive(Deserialize)]
struct Reply {
    /// Kept as it came, for the next request.
    content: Box<RawValue>,
}

#[derive(Deserialize)]
struct Block {
    r#type: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    /// An object, and its text as it stands in the reply: a `Value` would have lost digits and names that are given twice.
    input: Option<Box<RawValue>>,
}

pub(crate) async fn ask(base: &str, toolbox: &Toolbox<Harbour>, question: &str) -> Result<String, Error> {
    let tools: &RawValue = serde_json::from_str(toolbox.manifest().json())?;
    let mut messages = vec![raw(&json!({"role": "user", "content": question}))?];
    for _ in 0..TURNS_MAX {
        let request = Request { model: "claude-opus-4-6", max_tokens: 1024, messages: &messages, tools };
        let headers = [("x-api-key", "key"), ("anthropic-version", "2023-06-01")];
        let reply = post(format!("{base}/v1/messages"), &headers, &request).await?;
        let reply: Reply = serde_json::from_str(&reply)?;
        let (mut said, mut answers) = (String::new(), Vec::new());
        for block in serde_json::from_str::<Vec<Block>>(reply.content.get())? {
            match block.r#type.as_str() {
                "text" => said.push_str(&block.text),
                "tool_use" => {
                    let input = block.input.as_deref().map_or("", RawValue::get);
                    let answer = toolbox.call(&block.name, input).await;
                    answers.push(answer.to_provider(toolbox.provider(), &block.id, &block.name));
                }
                _ => {}
            }
        }
        if answers.is_empty() {
            return Ok(said);
        }
        messages.push(raw(&Turn { role: "assistant", content: &reply.content })?);
        messages.push(raw(&Turn { role: "user", content: &answers })?);
    }
    Err("the model calls tools without end".into())
}

#[derive(Serialize)]
struct Turn<C> {
    role: &'static str,
    content: C,
}
