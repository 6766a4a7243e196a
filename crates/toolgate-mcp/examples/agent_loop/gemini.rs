//! The loop with `generateContent` of Gemini.

use super::harbour::Harbour;
use super::post::{Error, TURNS_MAX, post, raw};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use toolgate_mcp::Toolbox;

#[derive(Serialize)]
struct Request<'a> {
    contents: &'a [Box<RawValue>],
    tools: &'a RawValue,
}

#[derive(Deserialize)]
struct Reply {
    candidates: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Candidate {
    /// Kept as it came: signatures of thoughts are wanted back.
    content: Box<RawValue>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    text: String,
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    #[serde(default)]
    id: String,
    name: String,
    /// An object, and its text as it stands in the reply. It may be missing.
    args: Option<Box<RawValue>>,
}

pub(crate) async fn ask(base: &str, toolbox: &Toolbox<Harbour>, question: &str) -> Result<String, Error> {
    let tools: &RawValue = serde_json::from_str(toolbox.manifest().json())?;
    let mut contents = vec![raw(&json!({"role": "user", "parts": [{"text": question}]}))?];
    for _ in 0..TURNS_MAX {
        let url = format!("{base}/v1beta/models/gemini-3-pro:generateContent");
        let reply = post(url, &[("x-goog-api-key", "key")], &Request { contents: &contents, tools }).await?;
        let reply: Reply = serde_json::from_str(&reply)?;
        let candidate = reply.candidates.into_iter().next().ok_or("the reply has no candidate")?;
        let content: Content = serde_json::from_str(candidate.content.get())?;
        let (mut said, mut answers) = (String::new(), Vec::new());
        for part in content.parts {
            said.push_str(&part.text);
            let Some(FunctionCall { id, name, args }) = part.function_call else { continue };
            let answer = toolbox.call(&name, args.as_deref().map_or("", RawValue::get)).await;
            answers.push(answer.to_provider(toolbox.provider(), &id, &name));
        }
        if answers.is_empty() {
            return Ok(said);
        }
        contents.push(candidate.content);
        contents.push(raw(&json!({"role": "user", "parts": answers}))?);
    }
    Err("the model calls tools without end".into())
}
