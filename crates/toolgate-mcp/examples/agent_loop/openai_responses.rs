//! The loop with Responses of OpenAI.

use super::harbour::Harbour;
use super::post::{Error, TURNS_MAX, post, raw};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use toolgate_mcp::Toolbox;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [Box<RawValue>],
    tools: &'a RawValue,
    store: bool,
}

#[derive(Deserialize)]
struct Reply {
    /// Kept as they came: reasoning and calls are wanted back.
    output: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    FunctionCall {
        call_id: String,
        name: String,
        /// Text that is meant to be JSON. Nobody has parsed it.
        arguments: String,
    },
    Message {
        content: Vec<Part>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

pub(crate) async fn ask(base: &str, toolbox: &Toolbox<Harbour>, question: &str) -> Result<String, Error> {
    let tools: &RawValue = serde_json::from_str(toolbox.manifest().json())?;
    let mut input = vec![raw(&json!({"role": "user", "content": question}))?];
    for _ in 0..TURNS_MAX {
        let request = Request { model: "gpt-5.2", input: &input, tools, store: false };
        let reply = post(format!("{base}/v1/responses"), &[("authorization", "Bearer key")], &request).await?;
        let reply: Reply = serde_json::from_str(&reply)?;
        let (mut said, mut answers) = (String::new(), Vec::new());
        for item in &reply.output {
            match serde_json::from_str(item.get())? {
                Item::FunctionCall { call_id, name, arguments } => {
                    let answer = toolbox.call(&name, &arguments).await;
                    answers.push(raw(&answer.to_provider(toolbox.provider(), &call_id, &name))?);
                }
                Item::Message { content } => said.extend(content.into_iter().map(|part| part.text)),
                Item::Other => {}
            }
        }
        if answers.is_empty() {
            return Ok(said);
        }
        input.extend(reply.output);
        input.extend(answers);
    }
    Err("the model calls tools without end".into())
}
