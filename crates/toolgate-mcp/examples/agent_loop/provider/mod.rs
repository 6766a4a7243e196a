//! A provider that stands in for a model: it answers as a script says, and takes only requests that are well-formed for the API
//! they are made to. It listens on a port of its own and speaks with nobody else.

mod chat;
mod gemini;
mod messages;
mod read;
mod responses;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};
use std::sync::Arc;
use toolgate::ManifestTool;

/// What the model does, round by round, and how its calls must have been answered.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The tools as they must be shown.
    pub(crate) tools: Vec<ManifestTool>,
    /// The calls of one turn each.
    pub(crate) rounds: Vec<Vec<ScriptedCall>>,
    /// What it says in the end.
    pub(crate) end: &'static str,
}

/// A call of the model, and what must come back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptedCall {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// The text of the arguments, which may be anything.
    pub(crate) arguments: &'static str,
    /// Is in the answer.
    pub(crate) answer: &'static str,
    pub(crate) is_error: bool,
}

impl ScriptedCall {
    /// The arguments where an API has a place for JSON alone.
    fn json(&self) -> &'static str {
        if self.arguments.is_empty() { "{}" } else { self.arguments }
    }
}

impl Script {
    /// The model misspells an argument and asks for something else beside it, reads the refusal, and calls rightly.
    pub(crate) fn harbour(tools: impl Iterator<Item = ManifestTool>) -> Self {
        let wrong = ScriptedCall {
            id: "call_1",
            name: "book_berth",
            arguments: r#"{"boat":"Ada","nights":2,"dry_run":true}"#,
            answer: "/dry_run: unknown argument; did you mean `dryRun`?",
            is_error: true,
        };
        let beside = ScriptedCall {
            id: "call_2",
            name: "list_berths",
            arguments: "",
            answer: "all berths are free",
            is_error: false,
        };
        let right = ScriptedCall {
            id: "call_3",
            name: "book_berth",
            arguments: r#"{"boat":"Ada","nights":"2","side":"starboard","dryRun":true}"#,
            answer: "Ada would pay 60 to Starboard",
            is_error: false,
        };
        Script { tools: tools.collect(), rounds: vec![vec![wrong, beside], vec![right]], end: "It would cost 60." }
    }

    /// The text of a reply.
    ///
    /// # Errors
    ///
    /// Says what is not well-formed in the request, or was not answered as it must be.
    pub(crate) fn reply(&self, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Result<String, String> {
        let body: Value = serde_json::from_slice(body).map_err(|error| format!("the request is no JSON: {error}"))?;
        let shape = Shape::of(uri.path())?;
        let asked = match shape {
            Shape::Chat => chat::read(headers, &body),
            Shape::Responses => responses::read(headers, &body),
            Shape::Messages => messages::read(headers, &body),
            Shape::Gemini => gemini::read(uri, headers, &body),
        }?;
        let calls = self.rounds.get(asked.held_against(self)?).map(Vec::as_slice);
        Ok(match shape {
            Shape::Chat => chat::write(calls, self.end),
            Shape::Responses => responses::write(calls, self.end),
            Shape::Messages => messages::write(calls, self.end),
            Shape::Gemini => gemini::write(calls, self.end),
        })
    }

    /// Listens, and says under which URL.
    pub(crate) async fn serve(self) -> std::io::Result<String> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let script = Arc::new(self);
        let answer = move |uri: Uri, headers: HeaderMap, body: Bytes| async move {
            let reply = script.reply(&uri, &headers, &body);
            let (status, text) = match reply {
                Ok(text) => (StatusCode::OK, text),
                Err(why) => (StatusCode::BAD_REQUEST, json!({"error": {"message": why}}).to_string()),
            };
            (status, [("content-type", "application/json")], text)
        };
        let router = axum::Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(base)
    }
}

/// Whose API a request is made to.
#[derive(Clone, Copy)]
enum Shape {
    Chat,
    Responses,
    Messages,
    Gemini,
}

impl Shape {
    fn of(path: &str) -> Result<Self, String> {
        match path {
            "/v1/chat/completions" => Ok(Shape::Chat),
            "/v1/responses" => Ok(Shape::Responses),
            "/v1/messages" => Ok(Shape::Messages),
            _ if path.starts_with("/v1beta/models/") && path.ends_with(":generateContent") => Ok(Shape::Gemini),
            _ => Err(format!("there is nothing at {path}")),
        }
    }
}
