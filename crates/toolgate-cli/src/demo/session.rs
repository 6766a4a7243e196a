//! A client of one server process: lines of JSON-RPC over its standard input and output.
//!
//! It writes the arguments' text as it is given, since a client library would not send one name twice.

use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};
use toolgate_demo::{WORLD_URI, World};
use toolgate_gateway::client::{Ends, NoLine, ServerProcess};
use toolgate_gateway::frame::Read;

/// Far longer than any call of the demo takes, and short enough not to be taken for a hang.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a server may take to end after its input has.
const FAREWELL: Duration = Duration::from_secs(5);

/// Why the demo could not go on. These are faults of ours, not outcomes of a call.
#[derive(Debug)]
pub(super) enum Fault {
    Start(io::Error),
    Silent { method: &'static str },
    Ended { method: &'static str, stderr: String },
    Unreadable { method: &'static str },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Start(error) => write!(f, "a server could not be started: {error}"),
            Fault::Silent { method } => write!(f, "no answer to {method} within {} s", PATIENCE.as_secs()),
            Fault::Ended { method, stderr } if stderr.trim().is_empty() => {
                write!(f, "a server ended before it answered {method}")
            }
            Fault::Ended { method, stderr } => {
                write!(f, "a server ended before it answered {method}; its last words:\n{}", stderr.trim_end())
            }
            Fault::Unreadable { method } => write!(f, "the answer to {method} cannot be read"),
        }
    }
}

/// What came of a call, as a model would get it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// The whole result, or the whole error.
    pub(super) body: Value,
    /// Whether it says that the call went wrong.
    pub(super) wrong: bool,
    /// What the model reads.
    pub(super) text: String,
    /// The codes of a refusal of ours.
    pub(super) codes: Vec<String>,
}

impl Answer {
    fn from_message(message: &Value) -> Option<Answer> {
        if let Some(error) = message.get("error") {
            let text = error.get("message")?.as_str()?.to_owned();
            return Some(Answer { body: error.clone(), wrong: true, text, codes: Vec::new() });
        }
        let body = message.get("result")?;
        let texts = body.get("content").and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<&str> = texts.filter_map(|block| block.get("text")?.as_str()).collect();
        let refusal = body.get("_meta").and_then(|meta| meta.get("toolgate/refusal"));
        let violations = refusal.and_then(|refusal| refusal.get("violations")?.as_array()).into_iter().flatten();
        let codes = violations.filter_map(|violation| Some(violation.get("code")?.as_str()?.to_owned())).collect();
        let wrong = body.get("isError").and_then(Value::as_bool).unwrap_or(false);
        Some(Answer { body: body.clone(), wrong, text: texts.join("\n"), codes })
    }
}

pub(super) struct Session {
    server: ServerProcess,
    id: u64,
}

impl Session {
    /// Starts the server and opens a session with it.
    pub(super) fn start(command: Command) -> Result<Session, Fault> {
        let server = ServerProcess::start(command, Ends::Itself, FAREWELL).map_err(Fault::Start)?;
        let mut session = Session { server, id: 0 };
        session.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "toolgate-demo", "version": env!("CARGO_PKG_VERSION") },
            })
            .to_string(),
        )?;
        session.send("initialize", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        session.request("tools/list", "{}")?;
        Ok(session)
    }

    /// Calls a tool with the arguments as they are written.
    pub(super) fn call(&mut self, tool: &str, arguments: &str) -> Result<Answer, Fault> {
        let message = self.request("tools/call", &format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(tool)))?;
        Answer::from_message(&message).ok_or(Fault::Unreadable { method: "tools/call" })
    }

    /// Everything the server holds.
    pub(super) fn world(&mut self) -> Result<World, Fault> {
        let method = "resources/read";
        let message = self.request(method, &json!({ "uri": WORLD_URI }).to_string())?;
        let text = message.pointer("/result/contents/0/text").and_then(Value::as_str);
        text.and_then(|text| serde_json::from_str(text).ok()).ok_or(Fault::Unreadable { method })
    }

    /// Ends the input and waits for the server to end.
    pub(super) fn close(mut self) {
        self.server.end();
    }

    fn request(&mut self, method: &'static str, params: &str) -> Result<Value, Fault> {
        self.id += 1;
        let id = self.id;
        self.send(method, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let frame = match self.server.next_frame(deadline) {
                Ok(Read::Frame(frame)) => frame,
                Ok(_) => return Err(Fault::Unreadable { method }),
                Err(NoLine::Late) => return Err(Fault::Silent { method }),
                Err(NoLine::Ended) => return Err(self.ended(method)),
            };
            let message: Value = serde_json::from_slice(frame.bytes()).map_err(|_| Fault::Unreadable { method })?;
            if message.get("id").and_then(Value::as_u64) == Some(id) {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, method: &'static str, frame: &str) -> Result<(), Fault> {
        self.server.send(frame).map_err(|_| self.ended(method))
    }

    fn ended(&mut self, method: &'static str) -> Fault {
        Fault::Ended { method, stderr: self.server.last_words() }
    }
}
