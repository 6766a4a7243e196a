//! What a tool answered, as its caller wants it. The answer's digits and order are the server's.

use super::save::{self, Unsaved};
use super::{CallArgs, Format, table};
use crate::exit::Exit;
use crate::show::json::{at, harmless, is_same};
use crate::show::{self, BAD, complain, notice, print_plain, visible, width};
use crate::tool::one_line;
use std::io::{IsTerminal, Write as _};
use toolgate::Limits;
use toolgate::json::{Document, Kind, Strictness, Value};

/// Nesting of an answer that is shown.
const DEPTH_MAX: usize = 512;

/// The result of a call.
pub(super) struct Answer<'t> {
    text: &'t str,
    document: Option<Document<'t>>,
    /// The tool says that the call went wrong.
    is_error: bool,
    /// Told as an error, which is not for standard output.
    is_complaint: bool,
    /// It is written to a terminal.
    is_watched: bool,
}

pub(super) fn read(text: &str) -> Option<Document<'_>> {
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: DEPTH_MAX, ..Limits::default() };
    Document::read_str(text, Strictness::Frame, &limits).ok()
}

impl<'t> Answer<'t> {
    pub(super) fn new(text: &'t str, format: Format) -> Self {
        let document = read(text);
        let said = document.as_ref().and_then(|document| document.root().get("isError")).and_then(Value::as_bool);
        let is_error = said == Some(true);
        let is_complaint = is_error && matches!(format, Format::Human | Format::Table);
        let is_watched = if is_complaint { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
        Answer { text, document, is_error, is_complaint, is_watched }
    }

    /// Prints the answer, keeps its files, and says how it went.
    pub(super) fn tell(&self, args: &CallArgs) -> Result<Exit, Exit> {
        if self.document.is_none() {
            return Err(complain(&format!("the answer is nested deeper than {DEPTH_MAX} levels"), Exit::NoAnswer));
        }
        let root = self.document.as_ref().map(Document::root).filter(|root| root.kind() == Kind::Object);
        let root = root.ok_or_else(|| complain("the server's answer is no JSON object", Exit::NoAnswer))?;
        let unsaved = args.save.as_ref().map(|folder| save::files(root, folder)).unwrap_or_default();
        let printed = self.print(root, args);
        // The answer is not lost for a file that is.
        let mut exit = Exit::Done;
        for Unsaved { why, exit: of } in unsaved {
            exit = if exit == Exit::Output { exit } else { of };
            complain(&why, of);
        }
        printed?;
        let has_content = root.get("content").is_some_and(|content| content.kind() == Kind::Array);
        if !has_content && structured(root).is_none() {
            if root.get("task").and_then(|task| task.get("taskId")).is_some() {
                let why =
                    "the server answered with a task in place of a result, and this program does not wait for tasks";
                return Err(complain(why, Exit::NoAnswer));
            }
            notice("the answer has no content");
        }
        Ok(if self.is_error { Exit::ToolError } else { exit })
    }

    fn print(&self, root: Value<'_>, args: &CallArgs) -> Result<(), Exit> {
        let out = match &args.select {
            Some(pointer) if !self.is_error => self.selected(root, pointer, args.format)?,
            _ => self.whole(root, args),
        };
        if self.is_complaint {
            let _ = writeln!(anstream::stderr(), "{BAD}error:{BAD:#} the tool answered with an error:");
            let _ = std::io::stderr().write_all(out.as_bytes());
            return Ok(());
        }
        print_plain(&out)
    }

    /// JSON for programs, on one line.
    fn json(&self, text: &str) -> String {
        let text = one_line(text);
        format!("{}\n", if self.is_watched { harmless(&text) } else { text })
    }

    fn whole(&self, root: Value<'_>, args: &CallArgs) -> String {
        match args.format {
            Format::Raw => self.json(self.text),
            Format::Json => {
                let text = structured(root).map_or_else(|| only_text(root), |value| Some(value.text().to_owned()));
                let text = text.unwrap_or_else(|| root.get("content").map_or("[]", Value::text).to_owned());
                self.json(&text)
            }
            Format::Table => match self.as_table(root) {
                Ok(table) => table,
                Err(why) => {
                    no_table(&why);
                    self.as_text(root, args)
                }
            },
            Format::Human => self.as_text(root, args),
        }
    }

    fn as_table(&self, root: Value<'_>) -> Result<String, String> {
        let text = structured(root).map(|value| value.text().to_owned()).or_else(|| only_json(root));
        let text = text.ok_or("it is not structured, and its text is no JSON")?;
        self.table(read(&text).ok_or("it is nested too deep")?.root(), "")
    }

    /// What is structured first; then the content that does not say the same again. A text that is structured by one name alone is
    /// read as the text that it is.
    fn as_text(&self, root: Value<'_>, args: &CallArgs) -> String {
        let mut out = String::new();
        let structured = structured(root).filter(|value| {
            let inner = sole_member(*value).and_then(Value::as_str);
            inner.is_none_or(|inner| one_text(root).as_deref() != Some(&*inner))
        });
        if let Some(value) = structured {
            out.push_str(&self.pretty(value));
        }
        for block in root.get("content").into_iter().flat_map(Value::items) {
            let text = block.get("text").and_then(Value::as_str).filter(|_| is_kind(block, "text"));
            match text {
                Some(text) if structured.is_some_and(|value| says_the_same(value, &text)) => {}
                Some(text) => out.push_str(&self.on_lines(&text)),
                None => out.push_str(&self.on_lines(&described(block, args.save.is_some()))),
            }
        }
        out
    }

    fn selected(&self, root: Value<'_>, pointer: &str, format: Format) -> Result<String, Exit> {
        let nothing = || complain(&format!("the answer has nothing at {}", show::place(pointer)), Exit::Data);
        let text = match format {
            Format::Raw => Some(self.text.to_owned()),
            _ => structured(root).map(|value| value.text().to_owned()).or_else(|| only_json(root)),
        };
        let text = text.ok_or_else(|| complain("the answer is not structured, and its text is no JSON", Exit::Data))?;
        let document = read(&text).ok_or_else(nothing)?;
        let value = at(document.root(), pointer).ok_or_else(nothing)?;
        Ok(match (format, value.as_str()) {
            (Format::Human | Format::Table, Some(text)) => self.on_lines(&text),
            (Format::Table, None) => self.table(value, pointer).unwrap_or_else(|why| {
                no_table(&why);
                self.pretty(value)
            }),
            (Format::Human, None) => self.pretty(value),
            (Format::Json | Format::Raw, _) => self.json(value.text()),
        })
    }

    /// Text that ends its line. On a terminal it may not steer it.
    fn on_lines(&self, text: &str) -> String {
        let lines = text.split('\n').map(|line| if self.is_watched { visible_line(line) } else { line.to_owned() });
        ended(lines.collect::<Vec<_>>().join("\n"))
    }

    /// JSON for people, which is still JSON: what fits on no line is left to the screen.
    fn pretty(&self, value: Value<'_>) -> String {
        let mut out = String::new();
        push_pretty(value, 0, &mut out);
        ended(if self.is_watched { harmless(&out) } else { out })
    }

    /// As wide as the screen; without one, as wide as it takes. The table is all of an answer that has styles of ours.
    fn table(&self, value: Value<'_>, at: &str) -> Result<String, String> {
        let table = table::render(value, at, self.is_watched.then(width))?;
        let has_colours = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        Ok(if has_colours { table } else { anstream::adapter::strip_str(&table).to_string() })
    }
}

/// Says why what was asked for as a table is not shown as one.
fn no_table(why: &str) {
    notice(&format!("the answer is no table: {why}"));
}

fn structured(root: Value<'_>) -> Option<Value<'_>> {
    root.get("structuredContent").filter(|value| value.kind() != Kind::Null)
}

fn is_kind(block: Value<'_>, kind: &str) -> bool {
    block.get("type").is_some_and(|value| value.is_str(kind))
}

/// The text of an answer that is one text, as JSON: its own where it is JSON, else a string.
fn only_text(root: Value<'_>) -> Option<String> {
    let text = one_text(root)?;
    let is_json = read(&text).is_some_and(|document| matches!(document.root().kind(), Kind::Object | Kind::Array));
    Some(if is_json { text } else { toolgate::json::quoted(&text) })
}

fn only_json(root: Value<'_>) -> Option<String> {
    one_text(root).filter(|text| read(text).is_some())
}

fn one_text(root: Value<'_>) -> Option<String> {
    let content = root.get("content").filter(|content| content.len() == 1)?;
    let block = content.items().next().filter(|block| is_kind(*block, "text"))?;
    block.get("text")?.as_str().map(std::borrow::Cow::into_owned)
}

/// Servers write what is structured once more as text, for clients that read only that; often without the one name that a list
/// or a text is wrapped in to be structured. Nothing else is left out: the text has to be the same JSON, digit by digit and in the
/// same order.
fn says_the_same(value: Value<'_>, text: &str) -> bool {
    let wrapped = sole_member(value);
    let told = read(text);
    let is_told = |value: Value<'_>| told.as_ref().is_some_and(|told| is_same(told.root(), value));
    is_told(value) || wrapped.is_some_and(|inner| inner.is_str(text) || is_told(inner))
}

/// What an object holds that has one name.
fn sole_member(value: Value<'_>) -> Option<Value<'_>> {
    value.members().next().map(|(_, inner)| inner).filter(|_| value.len() == 1)
}

/// A block that is no text, in a line.
fn described(block: Value<'_>, is_saved: bool) -> String {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    let resource = block.get("resource");
    if let Some(text) = resource.and_then(|resource| resource.get("text")).and_then(Value::as_str) {
        return text.into_owned();
    }
    let mut out = format!("[{}", if kind.is_empty() { "content" } else { &kind });
    let inner = |name: &str| resource.and_then(|resource| resource.get(name)).and_then(Value::as_str);
    for word in [text("name"), text("uri").or_else(|| inner("uri")), text("mimeType").or_else(|| inner("mimeType"))] {
        word.iter().for_each(|word| out.push_str(&format!(" {word}")));
    }
    if let Some(data) = text("data").or_else(|| inner("blob")) {
        let filling = data.bytes().rev().take_while(|byte| *byte == b'=').count();
        out.push_str(&format!(", {} bytes", show::count((data.len() / 4 * 3).saturating_sub(filling))));
        out.push_str(if is_saved { "" } else { "; --save FOLDER keeps it" });
    }
    out + "]"
}

fn ended(text: String) -> String {
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

fn visible_line(line: &str) -> String {
    line.trim_end_matches('\r').split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

fn push_pretty(value: Value<'_>, depth: usize, out: &mut String) {
    let (open, close) = match value.kind() {
        Kind::Object if !value.is_empty() => ('{', '}'),
        Kind::Array if !value.is_empty() => ('[', ']'),
        _ => return out.push_str(&one_line(value.text())),
    };
    let new_line = |out: &mut String, depth: usize| out.push_str(&format!("\n{}", "  ".repeat(depth)));
    let names: Vec<&str> = value.members().map(|(name, _)| name.text()).collect();
    let inner = value.members().map(|(_, inner)| inner).chain(value.items());
    out.push(open);
    for (index, inner) in inner.enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        new_line(out, depth + 1);
        names.get(index).iter().for_each(|name| out.push_str(&format!("{name}: ")));
        push_pretty(inner, depth + 1, out);
    }
    new_line(out, depth);
    out.push(close);
}

/// Says where a file went.
pub(super) fn saved(path: &std::path::Path) {
    notice(&format!("saved {}", path.display()));
}
