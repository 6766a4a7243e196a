//! What a command is given to read: the text of a file, what it holds, and where it cannot be read.

use std::io::{BufRead, Read};
use std::path::Path;
use toolgate::json::{Document, Fault, Kind, Strictness, Value};
use toolgate::{Code, Limits};

/// Bytes of one file. What is in it has tighter limits of its own.
pub(crate) const FILE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of one line where a file or a stream holds a document a line. The arguments' own limit is far below, and escapes make a
/// line longer than what it holds.
pub(crate) const LINE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Nesting of a file that holds a document of ours.
const DEPTH_MAX: usize = 520;
/// Nesting of a file of schemas. Far beyond that of a schema, so that one that is too deep is known for what it is.
const SCHEMAS_DEPTH_MAX: usize = 100_000;

/// Where the text is from, for people.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// The same in a message, from the user's home.
fn told(path: &Path) -> String {
    if path == Path::new("-") { name(path) } else { crate::servers::shown_path(path) }
}

/// Whether somebody gives this program something to read: a pipe or a file, as against a terminal, or nothing.
#[cfg(unix)]
pub(crate) fn is_given() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let given = std::fs::metadata("/dev/stdin");
    given.is_ok_and(|given| given.file_type().is_fifo() || given.is_file() && given.len() > 0)
}

/// The same, where it cannot be told.
#[cfg(not(unix))]
pub(crate) fn is_given() -> bool {
    false
}

/// What [`next_line`] read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextLine {
    /// A line, perhaps an empty one.
    Whole,
    /// A line that is too long, of which the beginning was kept.
    Cut,
    /// There is none.
    End,
}

/// Reads one line, which is held to [`LINE_MAX_BYTES`]; what holds the lines is of any length.
pub(crate) fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<NextLine> {
    line.clear();
    if input.take(LINE_MAX_BYTES as u64).read_until(b'\n', line)? == 0 {
        return Ok(NextLine::End);
    }
    if line.len() < LINE_MAX_BYTES || line.last() == Some(&b'\n') {
        return Ok(NextLine::Whole);
    }
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        let is_over = end.is_some() || buffer.is_empty();
        input.consume(used);
        if is_over {
            return Ok(NextLine::Cut);
        }
    }
}

/// A file, or standard input for `-`, to be read line by line.
pub(crate) fn lines_of(path: &Path) -> Result<Box<dyn BufRead>, String> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = std::fs::File::open(path).map_err(|error| format!("cannot read {}: {error}", told(path)))?;
    Ok(Box::new(std::io::BufReader::new(file)))
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let most = FILE_MAX_BYTES as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("cannot read {}: {error}", told(path)))?;
    if bytes.len() > FILE_MAX_BYTES {
        return Err(format!("{} is larger than {FILE_MAX_BYTES} bytes", told(path)));
    }
    Ok(bytes)
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    let text = String::from_utf8(bytes(path)?).map_err(|_| format!("{} is not UTF-8", told(path)))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A document of ours.
pub(crate) fn document(text: &str) -> Result<Document<'_>, Unread> {
    read(text, DEPTH_MAX)
}

/// A document of ours that no two readers may read differently (R1.2).
pub(crate) fn strict_document(text: &str) -> Result<Document<'_>, Unread> {
    let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max: DEPTH_MAX, ..Limits::default() };
    Document::read_str(text, Strictness::Strict, &limits).map_err(|fault| Unread::of(text, &fault, &limits))
}

/// A document of ours that keeps its text.
pub(crate) fn owned_document(text: String) -> Result<Document<'static>, Unread> {
    let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max: DEPTH_MAX, ..Limits::default() };
    Document::read_owned(text, Strictness::Frame, &limits).map_err(|fault| Unread::of("", &fault, &limits))
}

/// A document of somebody's schemas.
pub(crate) fn schemas(text: &str) -> Result<Document<'_>, Unread> {
    read(text, SCHEMAS_DEPTH_MAX)
}

fn read(text: &str, depth_max: usize) -> Result<Document<'_>, Unread> {
    let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max, ..Limits::default() };
    Document::read_str(text, Strictness::Frame, &limits).map_err(|fault| Unread::of(text, &fault, &limits))
}

/// Why a text was not read, and where in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    /// Counted from one.
    line: usize,
    /// Characters of the line, counted from one.
    column: usize,
    why: String,
}

impl Unread {
    fn of(text: &str, fault: &Fault, limits: &Limits) -> Self {
        let at = fault.offset.min(text.len());
        let end = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let before = text.get(..end).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let why = match fault.code {
            Code::DepthLimit => format!("it is nested deeper than {} levels", limits.depth_max),
            Code::SizeLimit => format!("it is larger than {} bytes", limits.size_max_bytes),
            code => {
                let meaning = code.meaning().trim_end_matches('.');
                let mut chars = meaning.chars();
                chars.next().map_or(String::new(), |first| format!("{}{}", first.to_lowercase(), chars.as_str()))
            }
        };
        Unread { line, column, why }
    }

    /// `file:line:column: why`, as compilers say it.
    pub(crate) fn in_file(&self, path: &Path) -> String {
        format!("{}:{}:{}: {}", name(path), self.line, self.column, self.why)
    }

    /// The same of one line of a file, whose number is said elsewhere.
    pub(crate) fn in_line(&self) -> String {
        format!("column {}: {}", self.column, self.why)
    }
}

/// What a file of schemas holds.
pub(crate) enum Shape<'d> {
    /// `{"tools": […]}`, a list, or the result of `tools/list`.
    List(Value<'d>),
    /// The document is a tool object.
    Tool,
    /// The document is a schema, or nothing that is known.
    Schema,
}

/// Which of them it is.
///
/// # Errors
///
/// Says why it cannot be told.
pub(crate) fn shape(root: Value<'_>) -> Result<Shape<'_>, String> {
    match root.kind() {
        Kind::Array => return Ok(Shape::List(root)),
        Kind::Object => {}
        _ => return Ok(Shape::Schema),
    }
    // A response holds the result of tools/list.
    let result = only(root, "result")?.filter(|result| result.kind() == Kind::Object);
    let holder = result.filter(|_| root.get("jsonrpc").is_some()).unwrap_or(root);
    match only(holder, "tools")? {
        Some(tools) if tools.kind() == Kind::Array => return Ok(Shape::List(tools)),
        Some(_) => return Err("its `tools` is no list".into()),
        None => {}
    }
    if root.get("inputSchema").is_some() && root.get("name").is_some() {
        return Ok(Shape::Tool);
    }
    let is_schema = root.is_empty() || KEYWORDS.iter().any(|keyword| root.get(keyword).is_some());
    if is_schema {
        return Ok(Shape::Schema);
    }
    // What a schema does not say is admitted by it, so this would pass for one that admits everything.
    Err(match (root.get("error"), root.get("mcpServers").or_else(|| root.get("servers"))) {
        (Some(_), _) => "it is an error, and neither a catalogue nor a schema".into(),
        (_, Some(_)) => "it names servers, and is neither a catalogue nor a schema".into(),
        _ => "it is neither a catalogue nor a schema: it has no keyword of JSON Schema".into(),
    })
}

/// Keywords of which a schema that says anything has one at its root.
const KEYWORDS: [&str; 48] = [
    "$schema",
    "$id",
    "$ref",
    "$dynamicRef",
    "$defs",
    "$comment",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "type",
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "prefixItems",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
];

/// The member of this name; an error where there are two of them, which readers read differently.
pub(crate) fn only<'d>(object: Value<'d>, name: &str) -> Result<Option<Value<'d>>, String> {
    object.get_only(name).map_err(|_| format!("it gives `{name}` twice"))
}

/// The one schema of a file, with nothing around it.
pub(crate) struct OneSchema {
    pub(crate) text: String,
    /// What is to be said of how it was taken.
    pub(crate) notice: Option<String>,
}

/// The one schema that a file holds: the file itself, or the `inputSchema` of the tool object in it.
///
/// # Errors
///
/// Says what the file holds instead, or where it cannot be read.
pub(crate) fn one_schema(path: &Path) -> Result<OneSchema, String> {
    let of = |text: &str| OneSchema { text: text.to_owned(), notice: None };
    let text = text(path)?;
    let document = schemas(&text).map_err(|unread| unread.in_file(path))?;
    let root = document.root();
    let file = name(path);
    match shape(root).map_err(|why| format!("{file}: {why}"))? {
        Shape::Schema => Ok(of(root.text())),
        Shape::Tool => {
            let schema = only(root, "inputSchema").map_err(|why| format!("{file}: {why}"))?;
            let notice = Some(format!("{file} is a tool object: its `inputSchema` is taken as the schema"));
            Ok(OneSchema { notice, ..of(schema.map_or("", Value::text)) })
        }
        Shape::List(list) => {
            let tools = crate::show::counted(list.len(), "tool");
            Err(format!(
                "{file} is a list of {tools} and no schema: give one tool object or one input schema, \
                 or ask `toolgate check` about the whole list"
            ))
        }
    }
}

/// Holds a schema to the depth and the size of one, in words about a schema: those of a refusal are about a call.
///
/// # Errors
///
/// Says which it exceeds.
pub(crate) fn hold_to_limits(schema: &str, limits: &Limits) -> Result<(), String> {
    let limits = Limits { size_max_bytes: limits.schema_size_max_bytes, depth_max: limits.schema_depth_max, ..*limits };
    match Document::read_str(schema, Strictness::Frame, &limits) {
        Err(fault) if matches!(fault.code, Code::DepthLimit) => {
            Err(format!("the schema is nested deeper than {} levels", limits.depth_max))
        }
        Err(fault) if matches!(fault.code, Code::SizeLimit) => {
            Err(format!("the schema is larger than {} bytes", limits.size_max_bytes))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_by_line_and_column() {
        let told = |text: &str| document(text).unwrap_err().in_file(Path::new("a.json"));
        assert_eq!(told("{"), "a.json:1:2: the text is not one complete JSON value");
        assert_eq!(told(""), "a.json:1:1: the text is not one complete JSON value");
        assert_eq!(told("{\n  \"ü\": x}"), "a.json:2:8: the text is not one complete JSON value");
        assert_eq!(told(&"[".repeat(600)), "a.json:1:521: it is nested deeper than 520 levels");
    }

    #[test]
    fn shapes_are_told_apart() {
        let told = |text: &str| {
            let document = schemas(text).unwrap();
            match shape(document.root()) {
                Ok(Shape::List(list)) => format!("{} tools", list.len()),
                Ok(Shape::Tool) => "tool".to_owned(),
                Ok(Shape::Schema) => "schema".to_owned(),
                Err(why) => why,
            }
        };
        assert_eq!(told(r#"{"tools":[{},{}]}"#), "2 tools");
        assert_eq!(told(r#"[{"name":"a"}]"#), "1 tools");
        assert_eq!(told(r#"{"jsonrpc":"2.0","result":{"tools":[]}}"#), "0 tools");
        assert_eq!(told(r#"{"name":"a","inputSchema":{}}"#), "tool");
        assert_eq!(told(r#"{"properties":{"name":{},"inputSchema":{},"tools":{}}}"#), "schema");
        assert_eq!(told("true"), "schema");
        assert_eq!(told("{}"), "schema");
        assert_eq!(told(r#"{"not":{}}"#), "schema");
        let none = "neither a catalogue nor a schema";
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}}"#,
            r#"{"mcpServers":{"a":{"command":"c"}}}"#,
            r#"{"message":"Not Found","status":"404"}"#,
        ] {
            assert!(told(text).contains(none), "{text}");
        }
        assert_eq!(told(r#"{"tools":1}"#), "its `tools` is no list");
        assert_eq!(told(r#"{"tools":[],"tools":[]}"#), "it gives `tools` twice");
    }
}
