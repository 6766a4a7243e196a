//! Reads one line as a frame (R12.1), so that the strictest and the loosest receiver behind us read the same.
//!
//! What crosses keeps its bytes: a [`Frame`] is the line and the places in it that the relay looks at. Only raw CR and
//! LF between tokens are taken out, since receivers end a line there.
//!
//! U+0085, U+2028 and U+2029 inside a string stay as they are. A receiver that (wrongly) splits lines at them sees broken
//! pieces and no frame: what stands between two of them begins and ends inside strings, so the only names that it could
//! have are the punctuation between two strings, never `method`.

use crate::scan::{Finding, Scanner};
use std::borrow::Cow;
use std::ops::Range;
use toolgate::json::{Document, Kind, Strictness, Value};
use toolgate::{Code, Limits, Revision};

/// JSON-RPC: the line is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the line is JSON and no frame.
pub const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: the params do not fit the method.
pub const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: no answer can be had.
pub const INTERNAL_ERROR: i32 = -32603;

/// Bytes of an id. Ids are kept while a request is in flight.
const ID_MAX_BYTES: usize = 1024;

/// Names that no frame may spell in another case, in its envelope or in its `params`.
const RESERVED: [&str; 9] = ["jsonrpc", "id", "method", "params", "result", "error", "name", "arguments", "_meta"];

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The bounds of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLimits {
    /// Bytes of one line.
    pub size_max_bytes: usize,
    /// Nesting of arrays and objects.
    pub depth_max: usize,
    /// Frames in one batch.
    pub batch_max: usize,
}

/// A request's id: its token as it was written, and what it means. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Id {
    token: String,
    key: String,
}

impl std::fmt::Debug for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Id(..)")
    }
}

impl Id {
    /// Reads a JSON string or an integer; `None` for everything else, and for a string that two readers could read
    /// differently.
    pub fn from_token(token: &str) -> Option<Id> {
        let document = Document::read_str(token, Strictness::Strict, &id_limits()).ok()?;
        Id::from_value(document.root()).ok()
    }

    /// The id that a token may be meant for: one of a number, too, that is an integer to some readers and none to others.
    pub(crate) fn meant(token: &str) -> Option<Id> {
        /// Integers beyond it are not told apart.
        const EXACT_MAX: f64 = 9_007_199_254_740_991.0;
        let integer = || {
            let number: f64 = token.parse().ok()?;
            let is_exact = number.fract() == 0.0 && number.abs() <= EXACT_MAX;
            is_exact.then(|| format!("{}", number as i64))
        };
        let is_number = token.starts_with(|ch: char| ch.is_ascii_digit() || ch == '-');
        Id::from_token(token).or_else(|| Id::from_token(&integer().filter(|_| is_number)?))
    }

    fn from_value(value: Value<'_>) -> Result<Id, FlawKind> {
        let token = value.text();
        match value.kind() {
            Kind::String | Kind::Number if token.len() > ID_MAX_BYTES => Err(FlawKind::IdTooLong),
            Kind::String => {
                let text = plain_string(value).ok_or(FlawKind::IdUnpaired)?;
                Ok(Id { token: token.to_owned(), key: format!("\"{text}") })
            }
            // `1.0` and `1e0` are integers to some receivers and none to others.
            Kind::Number if token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                let key = if token == "-0" { "0" } else { token };
                Ok(Id { token: token.to_owned(), key: key.to_owned() })
            }
            _ => Err(FlawKind::IdUnfit),
        }
    }

    /// An id of our own making.
    pub fn own(text: &str) -> Id {
        let mut token = String::new();
        toolgate::json::push_string(&mut token, text);
        Id { token, key: format!("\"{text}") }
    }

    /// As it was written.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Equal for equal ids, however they are written: `"a"` and `"\u0061"` are one, `1` and `"1"` are two.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A method and an id.
    Request,
    /// A method and no id.
    Notification,
    /// An id and a result.
    Result,
    /// An id and an error; an error to a frame that could not be read has no id or null.
    Error,
}

/// What `params` names as the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolName {
    /// This one.
    Given(String),
    /// There is no member `name`.
    Absent,
    /// It is no string, or one that two readers could read differently.
    Unfit,
}

/// The members of `params` that the relay looks at.
#[derive(Clone, Debug)]
pub struct Params {
    /// Where the object stands.
    pub span: Range<usize>,
    /// The member `name`.
    pub name: ToolName,
    /// Where the value of `arguments` stands.
    pub arguments: Option<Range<usize>>,
    /// Where the value of `_meta` stands.
    pub meta: Option<Range<usize>>,
    /// What `_meta` says about the revision.
    pub revision: Option<Revision>,
}

/// A line that is one JSON-RPC message, and where its parts are.
#[derive(Clone)]
pub struct Frame {
    bytes: Vec<u8>,
    /// What it is.
    pub form: Form,
    /// Its id; there is none in a notification.
    pub id: Option<Id>,
    /// Its method; empty in an answer.
    pub method: String,
    /// Its params, where they are an object.
    pub params: Option<Params>,
    /// Where the result or the error stands.
    pub outcome: Option<Range<usize>>,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({:?}, {} bytes)", self.form, self.bytes.len())
    }
}

impl Frame {
    /// The line, without its end.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, taken out.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The text at a place that this frame names.
    pub fn text(&self, span: &Range<usize>) -> &str {
        self.bytes.get(span.clone()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

/// Why a line is no frame that may cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Not one complete JSON text.
    NotJson,
    /// Not UTF-8.
    NotUtf8,
    /// Nested beyond the limit.
    TooDeep,
    /// Larger than the limit.
    TooLarge,
    /// JSON, and neither an object nor an array.
    NotAnObject,
    /// An object without `"jsonrpc":"2.0"`.
    NotJsonRpc,
    /// More frames in an array than the limit.
    BatchTooLarge,
    /// A name of the envelope or of `params` is given twice.
    RepeatedName,
    /// A name equals one that is looked for but for case.
    NameInOtherCase,
    /// The method is no string.
    MethodUnfit,
    /// The id is null, or no string and no integer.
    IdUnfit,
    /// The id is longer than any that is kept.
    IdTooLong,
    /// The id is a string with a lone surrogate, which receivers replace, keep or refuse.
    IdUnpaired,
    /// A request that is also an answer, or an answer with both or none of result and error.
    Mixed,
}

impl FlawKind {
    /// The JSON-RPC error code.
    pub fn code(self) -> i32 {
        if self == FlawKind::NotJson { PARSE_ERROR } else { INVALID_REQUEST }
    }

    /// In words.
    pub fn message(self) -> &'static str {
        match self {
            FlawKind::NotJson => "the line is not one complete JSON text",
            FlawKind::NotUtf8 => "the frame is not UTF-8",
            FlawKind::TooDeep => "the frame is nested deeper than the limit",
            FlawKind::TooLarge => "the frame is larger than the limit",
            FlawKind::NotAnObject => "a frame is a JSON object",
            FlawKind::NotJsonRpc => "the frame lacks \"jsonrpc\":\"2.0\"",
            FlawKind::BatchTooLarge => "the batch has more frames than the limit",
            FlawKind::RepeatedName => "a name is given twice in the frame or in its params",
            FlawKind::NameInOtherCase => {
                "a name in the frame or in its params differs from a reserved one only in case"
            }
            FlawKind::MethodUnfit => "the method is not a string",
            FlawKind::IdUnfit => "the id is neither a string nor an integer",
            FlawKind::IdTooLong => "the id is longer than 1,024 bytes",
            FlawKind::IdUnpaired => "the id holds a lone surrogate, which is no character",
            FlawKind::Mixed => "the frame is not exactly one of a request, a notification, a result and an error",
        }
    }
}

/// A line that may not cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Why.
    pub kind: FlawKind,
    /// What could still be found in it.
    pub finding: Finding,
}

/// What a line was read as.
#[derive(Debug)]
pub enum Read {
    /// White space only.
    Blank,
    /// One frame.
    Frame(Frame),
    /// An array, and where its items stand in the line. The items have not been looked at.
    Batch(Vec<u8>, Vec<Range<usize>>),
    /// Neither; the line is given back.
    Flawed(Flaw, Vec<u8>),
}

/// Reads a line, with or without its end.
pub fn read(mut line: Vec<u8>, limits: &FrameLimits) -> Read {
    while let Some(b'\r' | b'\n' | b' ' | b'\t') = line.last() {
        line.pop();
    }
    if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
        return Read::Blank;
    }
    let outcome = inspect(&line, limits);
    match outcome {
        Ok(_) if line.iter().any(|byte| matches!(byte, b'\r' | b'\n')) => {
            // It was read with them in it, so they stand between tokens. The places move when they go.
            line.retain(|byte| !matches!(byte, b'\r' | b'\n'));
            read(line, limits)
        }
        Ok(Inspected::Frame(parts)) => Read::Frame(parts.into_frame(line)),
        Ok(Inspected::Batch(items)) => Read::Batch(line, items),
        Err(kind) => {
            let finding = Scanner::scan(&line);
            Read::Flawed(Flaw { kind, finding }, line)
        }
    }
}

/// The flaw of a line of which only a finding is left.
pub fn too_large(finding: Finding) -> Read {
    Read::Flawed(Flaw { kind: FlawKind::TooLarge, finding }, Vec::new())
}

enum Inspected {
    Frame(Parts),
    Batch(Vec<Range<usize>>),
}

struct Parts {
    form: Form,
    id: Option<Id>,
    method: String,
    params: Option<Params>,
    outcome: Option<Range<usize>>,
}

impl Parts {
    fn into_frame(self, bytes: Vec<u8>) -> Frame {
        let Parts { form, id, method, params, outcome } = self;
        Frame { bytes, form, id, method, params, outcome }
    }
}

fn inspect(line: &[u8], limits: &FrameLimits) -> Result<Inspected, FlawKind> {
    if line.len() > limits.size_max_bytes {
        return Err(FlawKind::TooLarge);
    }
    let document =
        Document::read(line, Strictness::Frame, &reader_limits(limits)).map_err(|fault| match fault.code {
            Code::DepthLimit => FlawKind::TooDeep,
            Code::SizeLimit => FlawKind::TooLarge,
            Code::InvalidUnicode => FlawKind::NotUtf8,
            _ => FlawKind::NotJson,
        })?;
    let root = document.root();
    match root.kind() {
        Kind::Object => envelope(root).map(Inspected::Frame),
        Kind::Array if root.len() > limits.batch_max => Err(FlawKind::BatchTooLarge),
        Kind::Array => Ok(Inspected::Batch(root.items().map(Value::span).collect())),
        _ => Err(FlawKind::NotAnObject),
    }
}

fn envelope(root: Value<'_>) -> Result<Parts, FlawKind> {
    let (mut jsonrpc, mut id, mut method, mut params, mut result, mut error) = (None, None, None, None, None, None);
    check_names(root)?;
    for (name, value) in root.members() {
        match name.as_str().as_deref() {
            Some("jsonrpc") => jsonrpc = Some(value),
            Some("id") => id = Some(value),
            Some("method") => method = Some(value),
            Some("params") => params = Some(value),
            Some("result") => result = Some(value),
            Some("error") => error = Some(value),
            _ => {}
        }
    }
    if !jsonrpc.is_some_and(|version| version.is_str("2.0")) {
        return Err(FlawKind::NotJsonRpc);
    }
    let params = match params {
        Some(params) if params.kind() == Kind::Object => Some(read_params(params)?),
        _ => None,
    };
    let (form, outcome) = match (method, result, error) {
        (Some(_), None, None) if id.is_some() => (Form::Request, None),
        (Some(_), None, None) => (Form::Notification, None),
        (None, Some(result), None) => (Form::Result, Some(result.span())),
        (None, None, Some(error)) => (Form::Error, Some(error.span())),
        _ => return Err(FlawKind::Mixed),
    };
    let id = match id {
        Some(id) if form == Form::Error && id.kind() == Kind::Null => None,
        Some(id) => Some(Id::from_value(id)?),
        None if form == Form::Result => return Err(FlawKind::IdUnfit),
        None => None,
    };
    let method = match method {
        Some(method) => plain_string(method).ok_or(FlawKind::MethodUnfit)?.into_owned(),
        None => String::new(),
    };
    Ok(Parts { form, id, method, params, outcome })
}

fn read_params(params: Value<'_>) -> Result<Params, FlawKind> {
    check_names(params)?;
    let mut read = Params { span: params.span(), name: ToolName::Absent, arguments: None, meta: None, revision: None };
    for (name, value) in params.members() {
        match name.as_str().as_deref() {
            Some("name") => {
                read.name = plain_string(value).map_or(ToolName::Unfit, |name| ToolName::Given(name.into_owned()));
            }
            Some("arguments") => read.arguments = Some(value.span()),
            Some("_meta") => {
                read.meta = Some(value.span());
                let date = value.get(PROTOCOL_VERSION).and_then(Value::as_str);
                read.revision = date.and_then(|date| Revision::from_date(&date));
            }
            _ => {}
        }
    }
    Ok(read)
}

fn check_names(object: Value<'_>) -> Result<(), FlawKind> {
    let names: Vec<Cow<'_, str>> = object.members().filter_map(|(name, _)| name.as_str()).collect();
    if names.iter().any(|name| is_in_other_case(name)) {
        return Err(FlawKind::NameInOtherCase);
    }
    if has_repeats(names) { Err(FlawKind::RepeatedName) } else { Ok(()) }
}

fn has_repeats(mut names: Vec<Cow<'_, str>>) -> bool {
    names.sort_unstable();
    names.windows(2).any(|pair| matches!(pair, [first, second] if first == second))
}

/// Whether some receiver that ignores case would take `name` for one that it looks for. Case is folded as Unicode does,
/// since Go's reader takes `paramſ` for `params`.
fn is_in_other_case(name: &str) -> bool {
    if RESERVED.contains(&name) || name.len() > 27 {
        return false;
    }
    RESERVED.iter().any(|reserved| same_but_for_case(name, reserved))
}

/// Whether two texts are equal when case is ignored.
pub(crate) fn same_but_for_case(one: &str, other: &str) -> bool {
    let fold = |ch: char| ch.to_uppercase().flat_map(char::to_lowercase);
    one.chars().flat_map(fold).eq(other.chars().flat_map(fold))
}

/// The string that is meant; `None` for other kinds and for one with a lone surrogate, which receivers replace, keep or
/// refuse.
pub(crate) fn plain_string(value: Value<'_>) -> Option<Cow<'_, str>> {
    let text = value.as_str()?;
    let is_plain = !text.contains('\u{fffd}')
        || Document::read_str(value.text(), Strictness::Strict, &reader_limits_for(value.text().len())).is_ok();
    is_plain.then_some(text)
}

fn reader_limits(limits: &FrameLimits) -> Limits {
    Limits { size_max_bytes: limits.size_max_bytes, depth_max: limits.depth_max, ..Limits::default() }
}

fn reader_limits_for(size: usize) -> Limits {
    Limits { size_max_bytes: size, ..Limits::default() }
}

fn id_limits() -> Limits {
    reader_limits_for(ID_MAX_BYTES)
}

/// Reads a part of a frame that was read, so within its bounds.
pub(crate) fn read_part(text: &str) -> Option<Document<'_>> {
    let limits = Limits { size_max_bytes: text.len(), depth_max: usize::MAX, ..Limits::default() };
    Document::read_str(text, Strictness::Frame, &limits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: FrameLimits = FrameLimits { size_max_bytes: 1000, depth_max: 10, batch_max: 3 };

    fn frame(line: &str) -> Frame {
        match read(line.as_bytes().to_vec(), &LIMITS) {
            Read::Frame(frame) => frame,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn flawed(line: impl AsRef<[u8]>, kind: FlawKind, id: Option<&str>) {
        match read(line.as_ref().to_vec(), &LIMITS) {
            Read::Flawed(flaw, _) => {
                assert_eq!((flaw.kind, flaw.finding.id.as_ref().map(Id::token)), (kind, id));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_the_four_forms() {
        assert_eq!(frame(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).form, Form::Request);
        assert_eq!(frame(r#"{"jsonrpc":"2.0","method":"m"}"#).form, Form::Notification);
        assert_eq!(frame(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).form, Form::Result);
        assert_eq!(frame(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#).form, Form::Error);
    }

    #[test]
    fn names_the_places_of_a_call() {
        let frame =
            frame(r#"{"jsonrpc":"2.0","id":1,"method":"tools\u002fcall","params":{"arguments": {"a":1} ,"name":"x"}}"#);
        let params = frame.params.as_ref().unwrap();
        assert_eq!(frame.method, "tools/call");
        assert_eq!(frame.text(params.arguments.as_ref().unwrap()), r#"{"a":1}"#);
        assert_eq!(params.name, ToolName::Given("x".into()));
    }

    #[test]
    fn refuses_repeated_names_in_the_envelope_and_in_params_only() {
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}"#, FlawKind::RepeatedName, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","m\u0065thod":"b"}"#, FlawKind::RepeatedName, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"x":1,"x":1}}"#, FlawKind::RepeatedName, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"a"}"#, FlawKind::RepeatedName, None);
        frame(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"arguments":{"x":1,"x":1}}}"#);
        frame(r#"{"jsonrpc":"2.0","id":5,"result":{"x":1,"x":1}}"#);
    }

    #[test]
    fn refuses_reserved_names_in_another_case() {
        let kind = FlawKind::NameInOtherCase;
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","Method":"b"}"#, kind, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","param\u017f":{}}"#, kind, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"ARGUMENTS":{}}}"#, kind, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"_Meta":{}}}"#, kind, Some("5"));
        flawed(r#"{"JSONRPC":"2.0","id":5,"method":"a"}"#, kind, Some("5"));
        frame(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"arguments":{"Name":1},"names":1,"Uri":2}}"#);
    }

    #[test]
    fn refuses_what_is_not_one_message() {
        flawed("5", FlawKind::NotAnObject, None);
        flawed(r#""{}""#, FlawKind::NotAnObject, None);
        flawed("{\"jsonrpc\":\"2.0\",\"id\":5,", FlawKind::NotJson, Some("5"));
        flawed("\u{feff}{}", FlawKind::NotJson, None);
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":{"n":NaN}}"#, FlawKind::NotJson, Some("5"));
        flawed(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\0\"}", FlawKind::NotJson, Some("5"));
        flawed(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\xff\"}", FlawKind::NotUtf8, Some("5"));
        flawed(
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"a","params":{}{}}}"#, "[".repeat(20), "]".repeat(20)),
            FlawKind::TooDeep,
            Some("5"),
        );
        flawed(format!(r#"{{"jsonrpc":"2.0","method":"{}","id":5}}"#, "a".repeat(1000)), FlawKind::TooLarge, Some("5"));
        flawed(r#"{"id":5,"method":"a"}"#, FlawKind::NotJsonRpc, Some("5"));
        flawed(r#"{"jsonrpc":2.0,"id":5,"method":"a"}"#, FlawKind::NotJsonRpc, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":7}"#, FlawKind::MethodUnfit, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"\ud800"}"#, FlawKind::MethodUnfit, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5}"#, FlawKind::Mixed, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"method":"a","result":{}}"#, FlawKind::Mixed, Some("5"));
        flawed(r#"{"jsonrpc":"2.0","id":5,"error":{},"result":{}}"#, FlawKind::Mixed, Some("5"));
        flawed("[1,2,3,4]", FlawKind::BatchTooLarge, None);
    }

    #[test]
    fn ids_are_strings_and_integers() {
        for id in ["null", "1.5", "1.0", "1e3", "true", "[1]", "{}"] {
            flawed(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#), FlawKind::IdUnfit, None);
        }
        flawed(r#"{"jsonrpc":"2.0","id":"\udc00","method":"a"}"#, FlawKind::IdUnpaired, None);
        let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"a"}}"#, "x".repeat(2 * ID_MAX_BYTES));
        match read(long.into_bytes(), &FrameLimits { size_max_bytes: 9_000, ..LIMITS }) {
            Read::Flawed(flaw, _) => assert_eq!((flaw.kind, flaw.finding.id), (FlawKind::IdTooLong, None)),
            other => panic!("{other:?}"),
        }
        for id in ["0", "-7", "123456789012345678901234567890", r#""""#, r#""a\/b""#, r#""\ufffd""#] {
            let frame = frame(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#));
            assert_eq!(frame.id.unwrap().token(), id);
        }
        let key = |token: &str| Id::from_token(token).unwrap().key().to_owned();
        assert_eq!(key(r#""a""#), key(r#""\u0061""#));
        assert_ne!(key("1"), key(r#""1""#));
        assert_eq!(key(r#""x\"""#), Id::own("x\"").key());
    }

    #[test]
    fn a_tool_name_that_readers_read_differently_is_none() {
        let name = |token: &str| {
            frame(&format!(r#"{{"jsonrpc":"2.0","method":"a","params":{{"name":{token}}}}}"#)).params.unwrap().name
        };
        assert_eq!(name(r#""a\ufffd""#), ToolName::Given("a\u{fffd}".into()));
        assert_eq!(name(r#""a\ud800""#), ToolName::Unfit);
        assert_eq!(name("7"), ToolName::Unfit);
    }

    #[test]
    fn carriage_returns_between_tokens_go_and_inside_strings_are_no_json() {
        let crossed = frame("{\"jsonrpc\":\"2.0\",\r\"id\":5,\r\n\"method\":\"a\",\"params\":{\"arguments\":\r{}}}\r");
        assert_eq!(crossed.text(crossed.params.as_ref().unwrap().arguments.as_ref().unwrap()), "{}");
        assert!(!crossed.bytes().contains(&b'\r') && !crossed.bytes().contains(&b'\n'));
        flawed("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\rb\"}", FlawKind::NotJson, Some("5"));
    }

    #[test]
    fn blank_lines_are_none_and_arrays_are_batches() {
        assert!(matches!(read(b" \t\r".to_vec(), &LIMITS), Read::Blank));
        assert!(matches!(read(Vec::new(), &LIMITS), Read::Blank));
        match read(br#"[{"id":1}, 2]"#.to_vec(), &LIMITS) {
            Read::Batch(_, items) => assert_eq!(items, [1..9, 11..12]),
            other => panic!("{other:?}"),
        }
    }
}
