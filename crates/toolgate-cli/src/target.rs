//! What a command is given tools by: a server's list, a catalogue, or one schema.

use crate::input::{self, Shape};
use std::path::Path;
use toolgate::json::{Document, Kind, ObjectWriter};

/// Tools of one list, as for the guard.
pub(crate) const TOOLS_MAX: usize = 10_000;

pub(crate) struct Target {
    kind: Kinds,
    /// The file, as it was named; of a server nothing.
    pub(crate) path: Option<String>,
    /// The file that names the server, where one does.
    pub(crate) named_in: Option<String>,
    /// The tool objects, as JSON text.
    pub(crate) definitions: Vec<String>,
    /// For a file: where each begins, as a line counted from one.
    pub(crate) lines: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Server,
    Catalogue,
    Schema,
}

impl Target {
    /// The tools that a server listed.
    pub(crate) fn of_server(definitions: Vec<String>) -> Self {
        Target { kind: Kinds::Server, path: None, named_in: None, definitions, lines: Vec::new() }
    }

    /// What a file holds.
    ///
    /// # Errors
    ///
    /// Names the file, and says where it cannot be read or why it is neither a catalogue nor a schema.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Self, String> {
        let document = input::schemas(text).map_err(|unread| unread.in_file(path))?;
        let root = document.root();
        let file = path.display().to_string();
        let named = |why: &str| format!("{}: {why}", input::name(path));
        let shape = input::shape(root).map_err(|why| named(&why))?;
        let of = |kind, definitions, lines| Target { kind, path: Some(file), named_in: None, definitions, lines };
        match shape {
            Shape::List(list) if list.len() > TOOLS_MAX => Err(named(&format!("more than {TOOLS_MAX} tools"))),
            Shape::List(list) => {
                let starts = list.items().map(|tool| tool.span().start);
                Ok(of(Kinds::Catalogue, list.items().map(|tool| tool.text().to_owned()).collect(), lines(text, starts)))
            }
            Shape::Tool => {
                Ok(of(Kinds::Catalogue, vec![root.text().to_owned()], lines(text, std::iter::once(root.span().start))))
            }
            Shape::Schema if root.kind() != Kind::Object => Err(named("neither a catalogue nor a schema")),
            Shape::Schema => {
                let mut tool = ObjectWriter::new();
                tool.string("name", &name_of(path));
                tool.raw("inputSchema", root.text());
                Ok(of(Kinds::Schema, vec![tool.end()], lines(text, std::iter::once(root.span().start))))
            }
        }
    }

    /// Whether it is one schema, with no tool around it.
    pub(crate) fn is_schema(&self) -> bool {
        self.kind == Kinds::Schema
    }

    /// In a word, for programs.
    pub(crate) fn kind(&self) -> &'static str {
        match self.kind {
            Kinds::Server => "server",
            Kinds::Catalogue => "catalogue",
            Kinds::Schema => "schema",
        }
    }
}

/// One tool object, within bounds that none of use exceeds.
pub(crate) fn read_tool(definition: &str) -> Option<Document<'_>> {
    input::schemas(definition).ok()
}

/// A name for the tool around a schema: the file's, as far as every reader takes it.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-');
    let is_name = stem.starts_with(|ch: char| ch.is_ascii_alphabetic()) && stem.chars().all(is_taken);
    if is_name && stem.len() <= 45 { stem } else { "schema".to_owned() }
}

/// Lines at which the offsets, which ascend, stand.
pub(crate) fn lines(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
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
