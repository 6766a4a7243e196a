//! One request a line, one answer a line, in the same order: how programs ask `judge`, `advertise` and `prove`.

use crate::exit::Exit;
use crate::input::{LINE_MAX_BYTES, NextLine, next_line};
use std::io::Write;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value};
use toolgate::{Alias, Limits};

/// Answers one request; an error says in words why it is none.
pub(crate) type Respond = fn(Option<&str>, Value<'_>) -> Result<String, String>;

/// Answers every line with `respond`, which is given the request's `id` and the request.
pub(crate) fn run(respond: Respond) -> Exit {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    loop {
        let is_cut = match next_line(&mut input, &mut line) {
            Ok(NextLine::End) => return Exit::Done,
            Ok(read) => read == NextLine::Cut,
            Err(_) => return Exit::Data,
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = if is_cut { failed(None, "the line is too long") } else { one(line.trim_ascii(), respond) };
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => {}
            // Nobody reads the answers any more.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Exit::Done,
            Err(error) => return crate::show::unwritten(&error),
        }
    }
}

fn failed(id: Option<&str>, why: &str) -> String {
    let mut object = ObjectWriter::new();
    object.optional("id", id);
    object.string("error", why);
    object.end()
}

fn one(line: &[u8], respond: Respond) -> String {
    let limits = Limits { size_max_bytes: LINE_MAX_BYTES, depth_max: 512, ..Limits::default() };
    let document = match Document::read(line, Strictness::Frame, &limits) {
        Ok(document) => document,
        Err(fault) => return failed(None, &format!("the line is not JSON: {fault}")),
    };
    let id = document.root().get("id").and_then(Value::as_str);
    if document.root().kind() != Kind::Object {
        return failed(None, "a request is an object");
    }
    respond(id.as_deref(), document.root()).unwrap_or_else(|why| failed(id.as_deref(), &why))
}

/// A member that is a string.
pub(crate) fn text(name: &str, value: Value<'_>) -> Result<String, String> {
    value.as_str().map(std::borrow::Cow::into_owned).ok_or_else(|| format!("`{name}` is a string"))
}

/// A member that is a list of strings.
pub(crate) fn texts(name: &str, value: Value<'_>) -> Result<Vec<String>, String> {
    if value.kind() != Kind::Array {
        return Err(format!("`{name}` is a list of strings"));
    }
    value.items().map(|item| text(name, item)).collect()
}

/// `{name: [former, …]}` for the root, or a list of those and of `{at, name, former}`.
pub(crate) fn aliases(value: Value<'_>) -> Result<Vec<Alias>, String> {
    if value.kind() == Kind::Array {
        return value.items().map(aliases).collect::<Result<Vec<_>, _>>().map(|lists| lists.concat());
    }
    if let (Some(at), Some(name), Some(former)) = (value.get("at"), value.get("name"), value.get("former"))
        && at.kind() == Kind::String
    {
        let former = texts("former", former)?;
        return Ok(vec![Alias { at: text("at", at)?, name: text("name", name)?, former }]);
    }
    let of_root = |(name, former): (Value<'_>, Value<'_>)| {
        Ok(Alias { at: String::new(), name: text("aliases", name)?, former: texts("aliases", former)? })
    };
    if value.kind() != Kind::Object {
        return Err("`aliases` is an object or a list".into());
    }
    value.members().map(of_root).collect()
}
