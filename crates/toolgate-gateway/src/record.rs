//! What is written of a call: one record a call to the log, and what an operator should know. Never a value of a call, and of the
//! caller's names none (R6.4). Where the operator asks for cases, the record carries the call as well, and `keep` writes the case.

mod case;
mod keep;
mod shape;

pub use case::Values;
pub use keep::{Keeper, Keeping};

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use toolgate::json::push_string;
use toolgate::{ToolSet, shown_name};

/// A message beyond this is cut: a schema can have thousands of defects, each with names as long as its server likes.
const MESSAGE_MAX_CHARS: usize = 2000;

/// How much a record matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something broke.
    Error,
    /// Something is not as it should be, and the guard goes on.
    Warn,
    /// What happened.
    Info,
    /// What happened inside.
    Debug,
}

impl Level {
    /// Reads the name of a level.
    pub fn from_name(name: &str) -> Option<Level> {
        [Level::Error, Level::Warn, Level::Info, Level::Debug].into_iter().find(|level| level.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

/// How a record is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Forwarded as the contract admits it.
    Admitted,
    /// Answered with a refusal; nothing was forwarded.
    Refused,
    /// Forwarded as it was sent although the contract refuses or edits it, since the operator said so.
    Observed,
    /// There is no tool of this name.
    UnknownTool,
    /// The call could not be judged.
    Unjudged,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Admitted => "admitted",
            Verdict::Refused => "refused",
            Verdict::Observed => "observed",
            Verdict::UnknownTool => "unknown-tool",
            Verdict::Unjudged => "unjudged",
        }
    }
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// The tool's name as listed; `*` for a name that is not.
    pub tool: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Codes and places of the violations, every undeclared name as `*`.
    pub violations: Vec<String>,
    /// How many further violations were counted.
    pub more: usize,
    /// Rules by which the arguments were edited; of a call that was only observed, by which they would have been.
    pub edits: Vec<&'static str>,
    /// Places left to the server.
    pub deferred: usize,
    /// Undeclared root names that were let through.
    pub forwarded: usize,
    /// The help level of the refusal's text (R6.10); 0 where there is none.
    pub help: u8,
    /// What would let an observed call pass.
    pub options: Vec<String>,
    /// The call itself, where calls are kept as cases. No log shows it.
    pub judged: Option<Judged>,
}

/// A call, and the set by which it was judged.
#[derive(Clone)]
pub struct Judged {
    pub(crate) set: Arc<ToolSet>,
    pub(crate) tool: String,
    pub(crate) arguments: Option<String>,
}

impl fmt::Debug for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judged")
    }
}

impl PartialEq for Judged {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.set, &other.set) && self.tool == other.tool && self.arguments == other.arguments
    }
}

impl Eq for Judged {}

impl CallRecord {
    /// A call of which nothing else is to be said.
    pub fn new(tool: &str, verdict: Verdict) -> Self {
        CallRecord {
            tool: tool.to_owned(),
            verdict,
            violations: Vec::new(),
            more: 0,
            edits: Vec::new(),
            deferred: 0,
            forwarded: 0,
            help: 0,
            options: Vec::new(),
            judged: None,
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A call, at info level.
    Call(CallRecord),
    /// Anything else: what it is about, and the tool that it is about, where it is about one.
    Note {
        /// How much it matters.
        level: Level,
        /// A stable name for machines.
        event: &'static str,
        /// The tool's name as listed.
        tool: Option<String>,
        /// In words.
        message: String,
    },
}

impl Record {
    /// A note about no tool.
    pub fn note(level: Level, event: &'static str, message: impl Into<String>) -> Record {
        Record::Note { level, event, tool: None, message: message.into() }
    }

    /// A note about a tool of the set.
    pub fn tool_note(level: Level, event: &'static str, tool: &str, message: impl Into<String>) -> Record {
        Record::Note { level, event, tool: Some(tool.to_owned()), message: message.into() }
    }

    /// How much it matters.
    pub fn level(&self) -> Level {
        match self {
            Record::Call(_) => Level::Info,
            Record::Note { level, .. } => *level,
        }
    }

    /// One line, without its end. `time_ms` is written in JSON only.
    pub fn render(&self, format: Format, time_ms: u64) -> String {
        let mut line = Line::new(format, time_ms, self.level());
        match self {
            Record::Call(call) => {
                line.text("event", "call");
                line.text("tool", &shown_name(&call.tool));
                line.text("verdict", call.verdict.name());
                line.list("violations", call.violations.iter().map(String::as_str));
                line.count("more", call.more);
                // What was not done is not told as if it had been.
                let edits = if call.verdict == Verdict::Observed { "would_edit" } else { "edits" };
                line.list(edits, call.edits.iter().copied());
                line.count("deferred", call.deferred);
                line.count("forwarded", call.forwarded);
                line.count("help", usize::from(call.help));
                line.list("would_pass_with", call.options.iter().map(String::as_str));
            }
            Record::Note { event, tool, message, .. } => {
                line.text("event", event);
                if let Some(tool) = tool {
                    line.text("tool", &shown_name(tool));
                }
                line.message(message);
            }
        }
        line.end()
    }
}

/// Writes one record in one of the two formats.
struct Line {
    format: Format,
    out: String,
}

impl Line {
    fn new(format: Format, time_ms: u64, level: Level) -> Self {
        let mut out = String::new();
        let _ = match format {
            Format::Json => write!(out, r#"{{"time_ms":{time_ms},"level":"{}""#, level.name()),
            Format::Text => write!(out, "toolgate {}", level.name()),
        };
        Line { format, out }
    }

    fn key(&mut self, name: &str) {
        let _ = match self.format {
            Format::Json => write!(self.out, r#","{name}":"#),
            Format::Text => write!(self.out, " {name}="),
        };
    }

    fn text(&mut self, name: &str, value: &str) {
        if self.format == Format::Text && name == "event" {
            let _ = write!(self.out, " {value}");
            return;
        }
        self.key(name);
        let is_word = value.chars().all(|ch| ch.is_ascii_graphic() && ch != '"' && ch != '=') && !value.is_empty();
        if self.format == Format::Text && is_word {
            self.out.push_str(value);
        } else {
            push_visible(&mut self.out, value);
        }
    }

    fn list<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        let values: Vec<&str> = values.collect();
        if values.is_empty() {
            return;
        }
        if self.format == Format::Text {
            return self.text(name, &values.join(","));
        }
        self.key(name);
        for (index, value) in values.iter().enumerate() {
            self.out.push(if index == 0 { '[' } else { ',' });
            push_visible(&mut self.out, value);
        }
        self.out.push(']');
    }

    fn count(&mut self, name: &str, count: usize) {
        if count > 0 {
            self.key(name);
            let _ = write!(self.out, "{count}");
        }
    }

    fn message(&mut self, message: &str) {
        let message = match message.char_indices().nth(MESSAGE_MAX_CHARS).and_then(|(end, _)| message.get(..end)) {
            Some(start) => Cow::Owned(format!("{start}…")),
            None => Cow::Borrowed(message),
        };
        if self.format == Format::Json {
            self.key("message");
            return push_visible(&mut self.out, &message);
        }
        self.out.push_str(": ");
        self.out.push_str(&visible(&message));
    }

    fn end(mut self) -> String {
        if self.format == Format::Json {
            self.out.push('}');
        }
        self.out
    }
}

/// A JSON string in which no character steers a terminal: a server chooses its tools' names.
fn push_visible(out: &mut String, text: &str) {
    push_string(out, &visible(text));
}

/// The text with every character escaped that cannot be seen.
fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut one = [0; 4];
    Cow::Owned(text.chars().map(|ch| shown_name(ch.encode_utf8(&mut one))).collect())
}

/// A pointer in which no name is longer than a name that is shown (R6.3).
pub(crate) fn shown_pointer(pointer: &str) -> String {
    pointer.split('/').map(shown_name).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Record {
        let mut call = CallRecord::new("book", Verdict::Refused);
        call.violations = vec!["required@".into(), "type@/rows/0".into()];
        call.help = 2;
        Record::Call(call)
    }

    #[test]
    fn a_call_is_one_line_for_people() {
        assert_eq!(
            call().render(Format::Text, 7),
            "toolgate info call tool=book verdict=refused violations=required@,type@/rows/0 help=2"
        );
    }

    #[test]
    fn and_one_object_for_machines() {
        assert_eq!(
            call().render(Format::Json, 7),
            r#"{"time_ms":7,"level":"info","event":"call","tool":"book","verdict":"refused","violations":["required@","type@/rows/0"],"help":2}"#
        );
    }

    #[test]
    fn names_cannot_forge_a_line() {
        let note = Record::tool_note(Level::Warn, "tool-closed", "a\n\u{9b}b c=d", "x\ny");
        for format in [Format::Text, Format::Json] {
            let line = note.render(format, 0);
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }

    #[test]
    fn names_of_a_server_are_escaped_and_cut() {
        let mut call = CallRecord::new(&"\u{202e}x".repeat(5000), Verdict::Observed);
        call.violations = vec![format!("type@{}", shown_pointer(&format!("/{}/a~1b", "y".repeat(5000))))];
        call.options = vec!["--judge server:\u{202e}\u{200b}".into()];
        let note = Record::tool_note(Level::Warn, "tool-closed", "t", "\u{202e}z".repeat(5000));
        for (record, most) in [(Record::Call(call), 1200), (note, 12_000)] {
            for format in [Format::Text, Format::Json] {
                let line = record.render(format, 0);
                assert!(line.len() < most && !line.contains(['\u{202e}', '\u{200b}']), "{} bytes: {line}", line.len());
            }
        }
        assert_eq!(shown_pointer("/a~1b/*/0"), "/a~1b/*/0");
    }
}
