//! A client of one server process: lines of JSON-RPC over its standard input and output.
//!
//! It writes the arguments' text as it is given, since a client library would not send one name twice.

use serde_json::{Value, json};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use toolgate_demo::{WORLD_URI, World};

/// Far longer than any call of the demo takes, and short enough not to be taken for a hang.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a server may take to end after its input has.
const FAREWELL: Duration = Duration::from_secs(5);
/// What is kept of a server's standard error, for the message when it fails.
const STDERR_BYTES_MAX: u64 = 64 * 1024;

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
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    id: u64,
}

impl Session {
    /// Starts the server and opens a session with it.
    pub(super) fn start(mut command: Command) -> Result<Session, Fault> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Fault::Start)?;
        let input = child.stdin.take();
        let lines =
            child.stdout.take().map(read_lines).ok_or_else(|| Fault::Start(io::ErrorKind::BrokenPipe.into()))?;
        let stderr = child.stderr.take().map(|stderr| thread::spawn(move || keep_some(stderr)));
        let mut session = Session { child, input, lines, stderr, id: 0 };
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
        self.end();
    }

    fn request(&mut self, method: &'static str, params: &str) -> Result<Value, Fault> {
        self.id += 1;
        let id = self.id;
        self.send(method, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Fault::Silent { method }),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(method)),
            };
            let message: Value = serde_json::from_str(&line).map_err(|_| Fault::Unreadable { method })?;
            if message.get("id").and_then(Value::as_u64) == Some(id) {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, method: &'static str, frame: &str) -> Result<(), Fault> {
        let sent =
            self.input.as_mut().is_some_and(|input| writeln!(input, "{frame}").and_then(|()| input.flush()).is_ok());
        if sent { Ok(()) } else { Err(self.ended(method)) }
    }

    fn ended(&mut self, method: &'static str) -> Fault {
        self.end();
        let stderr = self.stderr.take().and_then(|stderr| stderr.join().ok()).unwrap_or_default();
        Fault::Ended { method, stderr }
    }

    fn end(&mut self) {
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() >= deadline {
                // It may have ended meanwhile; then there is nothing to do.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}

fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Keeps the beginning and reads on to the end, since a full pipe would stop the server.
fn keep_some(stderr: impl Read) -> String {
    let mut stderr = BufReader::new(stderr);
    let mut kept = Vec::new();
    let read = stderr.by_ref().take(STDERR_BYTES_MAX).read_to_end(&mut kept);
    if read.is_ok() {
        // What is left is read only to keep the pipe empty.
        let _ = io::copy(&mut stderr, &mut io::sink());
    }
    String::from_utf8_lossy(&kept).into_owned()
}
