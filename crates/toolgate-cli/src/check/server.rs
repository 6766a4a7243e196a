//! A client that starts a server over its standard input and output, asks for its tools to the last page, and ends it.
//!
//! It calls no tool. Everything is bounded: time by one deadline, pages, tools and bytes by the guard's own limits.

use crate::input::only;
use crate::server_process::{Ends, LINE_MAX_BYTES, NoLine, ServerProcess};
use crate::target::TOOLS_MAX;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};
use toolgate::Limits;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value};

/// How long a server may take to end after its input has.
const FAREWELL: Duration = Duration::from_secs(3);
/// Lines of a server's standard error that are shown when it fails.
const STDERR_LINES_MAX: usize = 12;
/// Bytes of all pages.
const BYTES_MAX: usize = LINE_MAX_BYTES;
/// Nesting of one line.
const DEPTH_MAX: usize = 100_000;
const PAGES_MAX: usize = 1_000;

/// Why there is no list.
#[derive(Debug)]
pub(super) enum Fault {
    Start {
        command: String,
        error: io::Error,
    },
    Silent {
        method: &'static str,
        patience: Duration,
    },
    Ended {
        method: &'static str,
        stderr: String,
    },
    /// The server answered with an error; these are its words.
    Refused {
        method: &'static str,
        message: String,
    },
    Unreadable {
        method: &'static str,
        why: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Start { command, error } => write!(f, "the server `{command}` could not be started: {error}"),
            Fault::Silent { method, patience } => {
                write!(f, "the server did not answer {method} within {} s (--timeout)", patience.as_secs())
            }
            Fault::Ended { method, stderr } if stderr.trim().is_empty() => {
                write!(f, "the server ended before it answered {method}")
            }
            Fault::Ended { method, stderr } => {
                let lines: Vec<&str> = stderr.trim_end().lines().collect();
                let last = lines.get(lines.len().saturating_sub(STDERR_LINES_MAX)..).unwrap_or_default().join("\n");
                write!(f, "the server ended before it answered {method}; its last words:\n{last}")
            }
            Fault::Refused { method, message } => write!(f, "the server answered {method} with an error: {message}"),
            Fault::Unreadable { method, why } => write!(f, "the server's answer to {method} cannot be read: {why}"),
        }
    }
}

/// The tool objects of the server that `command` starts, as it wrote them.
///
/// # Errors
///
/// Returns the [`Fault`] for which there is no whole list.
pub(super) fn list(command: &[OsString], patience: Duration) -> Result<Vec<String>, Fault> {
    let mut session = Session::start(command, patience)?;
    session.request("initialize", &initialize())?;
    session.send("initialize", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    let mut pages = Pages::default();
    let mut params = "{}".to_owned();
    loop {
        let method = "tools/list";
        let result = session.request(method, &params)?;
        match pages.add(&result).map_err(|why| Fault::Unreadable { method, why })? {
            Some(cursor) => params = format!(r#"{{"cursor":{cursor}}}"#),
            None => return Ok(pages.definitions),
        }
    }
}

fn initialize() -> String {
    let mut client = ObjectWriter::new();
    client.string("name", "toolgate-check");
    client.string("version", env!("CARGO_PKG_VERSION"));
    let mut params = ObjectWriter::new();
    params.string("protocolVersion", "2025-11-25");
    params.raw("capabilities", "{}");
    params.raw("clientInfo", &client.end());
    params.end()
}

#[derive(Default)]
struct Pages {
    definitions: Vec<String>,
    cursors: HashSet<String>,
    bytes: usize,
}

impl Pages {
    /// Takes the result of one page; the cursor of the next, a JSON string as written.
    fn add(&mut self, result: &str) -> Result<Option<String>, String> {
        self.bytes = self.bytes.saturating_add(result.len());
        let document = Document::read_str(result, Strictness::Frame, &limits()).map_err(|fault| fault.to_string())?;
        let root = document.root();
        let tools =
            only(root, "tools")?.filter(|tools| tools.kind() == Kind::Array).ok_or("it has no list of tools")?;
        self.definitions.extend(tools.items().map(|tool| tool.text().to_owned()));
        if self.definitions.len() > TOOLS_MAX || self.bytes > BYTES_MAX {
            return Err("the list is larger than the limit".into());
        }
        let is_cursor = |cursor: &Value<'_>| cursor.kind() == Kind::String && !cursor.is_str("");
        let Some(cursor) = only(root, "nextCursor")?.filter(is_cursor) else { return Ok(None) };
        if self.cursors.len() >= PAGES_MAX {
            return Err("the list has more pages than the limit".into());
        }
        if !self.cursors.insert(cursor.text().to_owned()) {
            return Err("the list leads back to a page that was read".into());
        }
        Ok(Some(cursor.text().to_owned()))
    }
}

fn limits() -> Limits {
    Limits { size_max_bytes: BYTES_MAX, depth_max: DEPTH_MAX, ..Limits::default() }
}

struct Session {
    server: ServerProcess,
    deadline: Instant,
    patience: Duration,
    id: u64,
}

impl Session {
    fn start(words: &[OsString], patience: Duration) -> Result<Session, Fault> {
        let mut command = Command::new(words.first().map_or("".as_ref(), OsString::as_os_str));
        command.args(words.get(1..).unwrap_or_default());
        let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let server = ServerProcess::start(command, Ends::Group, FAREWELL)
            .map_err(|error| Fault::Start { command: name, error })?;
        Ok(Session { server, deadline: Instant::now() + patience, patience, id: 0 })
    }

    /// The result of a request, as JSON text.
    fn request(&mut self, method: &'static str, params: &str) -> Result<String, Fault> {
        self.id += 1;
        let id = self.id.to_string();
        self.send(method, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        loop {
            let line = match self.server.next_line(self.deadline) {
                Ok(line) => line,
                Err(NoLine::Late) => return Err(Fault::Silent { method, patience: self.patience }),
                Err(NoLine::Ended) => return Err(self.ended(method)),
            };
            // Servers write banners and log lines beside their messages.
            let Ok(document) = Document::read_str(&line, Strictness::Frame, &limits()) else { continue };
            let message = document.root();
            match message.get("id") {
                Some(asked) if message.get("method").is_some() => self.answer(method, asked, message)?,
                Some(answered) if answered.text() == id => return outcome(method, message),
                _ => {}
            }
        }
    }

    /// Answers what the server asks: that we are there, or that we cannot do what it wants.
    fn answer(&mut self, method: &'static str, id: Value<'_>, message: Value<'_>) -> Result<(), Fault> {
        let what = if message.get("method").is_some_and(|method| method.is_str("ping")) {
            r#""result":{}"#
        } else {
            r#""error":{"code":-32601,"message":"this client only lists tools"}"#
        };
        self.send(method, &format!(r#"{{"jsonrpc":"2.0","id":{},{what}}}"#, id.text()))
    }

    fn send(&mut self, method: &'static str, frame: &str) -> Result<(), Fault> {
        self.server.send(frame).map_err(|_| self.ended(method))
    }

    fn ended(&mut self, method: &'static str) -> Fault {
        Fault::Ended { method, stderr: self.server.last_words() }
    }
}

fn outcome(method: &'static str, message: Value<'_>) -> Result<String, Fault> {
    if let Some(error) = message.get("error") {
        let words = error.get("message").and_then(Value::as_str).unwrap_or_else(|| error.text().into());
        return Err(Fault::Refused { method, message: words.chars().take(500).collect() });
    }
    let result = message.get("result").ok_or_else(|| Fault::Unreadable { method, why: "it has no result".into() })?;
    Ok(result.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_on_and_never_back() {
        let mut pages = Pages::default();
        assert_eq!(pages.add(r#"{"tools":[{"name":"a"}],"nextCursor":"c\"1"}"#), Ok(Some(r#""c\"1""#.to_owned())));
        assert!(pages.add(r#"{"tools":[],"nextCursor":"c\"1"}"#).is_err());
        assert_eq!(pages.add(r#"{"tools":[{"name":"b", "x": 1.50}],"nextCursor":null}"#), Ok(None));
        assert_eq!(pages.definitions, [r#"{"name":"a"}"#, r#"{"name":"b", "x": 1.50}"#]);
    }

    #[test]
    fn a_list_without_end_is_bounded() {
        let mut pages = Pages::default();
        let ended =
            (0..=PAGES_MAX).find_map(|page| pages.add(&format!(r#"{{"tools":[],"nextCursor":"{page}"}}"#)).err());
        assert_eq!(ended.as_deref(), Some("the list has more pages than the limit"));
        let tools = format!(r#"{{"tools":[{}]}}"#, vec!["1"; TOOLS_MAX + 1].join(","));
        assert!(Pages::default().add(&tools).is_err());
        for result in ["{}", "7", r#"{"tools":{}}"#, r#"{"tools":[],"tools":[]}"#] {
            assert!(Pages::default().add(result).is_err(), "{result}");
        }
    }
}
