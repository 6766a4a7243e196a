//! What is checked: the tools of a server, of a catalogue, or one schema.

use crate::contract_args::FILE_MAX_BYTES;
use std::path::Path;
use toolgate::Limits;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value};

/// Tools of one list, as for the guard.
pub(super) const TOOLS_MAX: usize = 10_000;
/// Nesting of a catalogue. Far beyond that of a tool, so that one that is too deep costs itself and not the list.
const DEPTH_MAX: usize = 100_000;

pub(super) struct Target {
    kind: Kinds,
    /// The file, as it was named; of a server nothing.
    pub(super) path: Option<String>,
    /// The tool objects, as JSON text.
    pub(super) definitions: Vec<String>,
    /// For a file: where each begins, as a line counted from one.
    pub(super) lines: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Server,
    Catalogue,
    Schema,
}

impl Target {
    /// The tools that a server listed.
    pub(super) fn of_server(definitions: Vec<String>) -> Self {
        Target { kind: Kinds::Server, path: None, definitions, lines: Vec::new() }
    }

    /// What a file holds.
    ///
    /// # Errors
    ///
    /// Says why it is neither a catalogue nor a schema.
    pub(super) fn read(path: &Path, text: &str) -> Result<Self, String> {
        let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max: DEPTH_MAX, ..Limits::default() };
        let document = Document::read_str(text, Strictness::Frame, &limits).map_err(|fault| fault.to_string())?;
        let root = document.root();
        let file = path.display().to_string();
        let tools = tools(root)?;
        let of = |kind, definitions, lines| Target { kind, path: Some(file), definitions, lines };
        match tools {
            Tools::List(list) if list.len() > TOOLS_MAX => Err(format!("more than {TOOLS_MAX} tools")),
            Tools::List(list) => {
                let starts = list.items().map(|tool| tool.span().start);
                Ok(of(Kinds::Catalogue, list.items().map(|tool| tool.text().to_owned()).collect(), lines(text, starts)))
            }
            Tools::One => {
                Ok(of(Kinds::Catalogue, vec![root.text().to_owned()], lines(text, std::iter::once(root.span().start))))
            }
            Tools::Schema => {
                let mut tool = ObjectWriter::new();
                tool.string("name", &name_of(path));
                tool.raw("inputSchema", root.text());
                Ok(of(Kinds::Schema, vec![tool.end()], lines(text, std::iter::once(root.span().start))))
            }
        }
    }

    /// Whether it is one schema, with no tool around it.
    pub(super) fn is_schema(&self) -> bool {
        self.kind == Kinds::Schema
    }

    /// In a word, for programs.
    pub(super) fn kind(&self) -> &'static str {
        match self.kind {
            Kinds::Server => "server",
            Kinds::Catalogue => "catalogue",
            Kinds::Schema => "schema",
        }
    }
}

enum Tools<'d> {
    List(Value<'d>),
    /// The document is a tool.
    One,
    /// The document is a schema.
    Schema,
}

fn tools(root: Value<'_>) -> Result<Tools<'_>, String> {
    if root.kind() == Kind::Array {
        return Ok(Tools::List(root));
    }
    if root.kind() != Kind::Object {
        return Err("neither a catalogue nor a schema".into());
    }
    // A response holds the result of tools/list.
    let result = only(root, "result")?.filter(|result| result.kind() == Kind::Object);
    let holder = result.filter(|_| root.get("jsonrpc").is_some()).unwrap_or(root);
    match only(holder, "tools")? {
        Some(tools) if tools.kind() == Kind::Array => return Ok(Tools::List(tools)),
        Some(_) => return Err("its `tools` is no list".into()),
        None => {}
    }
    let is_tool = root.get("inputSchema").is_some() && root.get("name").is_some();
    Ok(if is_tool { Tools::One } else { Tools::Schema })
}

/// The member of this name; an error where there are two of them, which readers read differently.
pub(super) fn only<'d>(object: Value<'d>, name: &str) -> Result<Option<Value<'d>>, String> {
    let mut values = object.members().filter(|(key, _)| key.is_str(name)).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (first, None) => Ok(first),
        _ => Err(format!("it gives `{name}` twice")),
    }
}

/// One tool object, within bounds that none of use exceeds.
pub(super) fn read_tool(definition: &str) -> Option<Document<'_>> {
    let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max: DEPTH_MAX, ..Limits::default() };
    Document::read_str(definition, Strictness::Frame, &limits).ok()
}

/// A name for the tool around a schema: the file's, as far as every reader takes it.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-');
    let is_name = stem.starts_with(|ch: char| ch.is_ascii_alphabetic()) && stem.chars().all(is_taken);
    if is_name && stem.len() <= 45 { stem } else { "schema".to_owned() }
}

/// Lines at which the offsets, which ascend, stand.
fn lines(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut at) = (1, 0);
    let count = |offset: usize| {
        let between = text.as_bytes().get(at..offset).unwrap_or_default();
        line += between.iter().filter(|byte| **byte == b'\n').count();
        at = offset;
        line
    };
    offsets.map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str, kind: &str, tools: usize) -> Target {
        let target = Target::read(Path::new("some/file.json"), text).unwrap();
        assert_eq!((target.kind(), target.definitions.len()), (kind, tools), "{text}");
        target
    }

    #[test]
    fn every_form_of_a_list_is_read() {
        read(r#"{"tools":[{"name":"a"},{"name":"b"}]}"#, "catalogue", 2);
        read(r#"[{"name":"a"}]"#, "catalogue", 1);
        read(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#, "catalogue", 0);
        read(r#"{"name":"a","inputSchema":{"type":"object"}}"#, "catalogue", 1);
        let schema = read(r#"{"type":"object","properties":{"tools":{}}}"#, "schema", 1);
        assert!(schema.definitions[0].starts_with(r#"{"name":"file","inputSchema":{"type":"#));
    }

    #[test]
    fn what_is_neither_is_said() {
        for text in ["7", "{", r#"{"tools":{}}"#, r#"{"tools":[],"tools":[]}"#, ""] {
            assert!(Target::read(Path::new("-"), text).is_err(), "{text}");
        }
    }

    #[test]
    fn tools_know_their_line() {
        let target = read("{\n \"tools\": [\n  {\"name\":\"a\"},\n\n  {\"name\":\"b\"}]}", "catalogue", 2);
        assert_eq!(target.lines, [3, 5]);
    }
}
