//! One request a line, one answer a line, in the same order.

use super::set_word;
use crate::exit::Exit;
use std::io::{BufRead, Read, Write};
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value, list, quoted};
use toolgate::{Admitted, Alias, Arguments, Contract, Limits, Policy, Refusal, Unusable};

/// Bytes of one request line. The arguments' own limit is far below, and escapes make a line longer than what it holds.
const LINE_MAX_BYTES: usize = 64 * 1024 * 1024;

pub(super) fn run() -> Exit {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut input).take(LINE_MAX_BYTES as u64).read_until(b'\n', &mut line) {
            Ok(0) => return Exit::Done,
            Ok(_) => {}
            Err(_) => return Exit::Data,
        }
        let is_cut = line.len() >= LINE_MAX_BYTES && line.last() != Some(&b'\n');
        if is_cut && skip_line(&mut input).is_err() {
            return Exit::Data;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = if is_cut { failed(None, "the line is too long") } else { respond(line.trim_ascii()) };
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => {}
            // Nobody reads the answers any more.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Exit::Done,
            Err(_) => return Exit::Data,
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        let is_over = end.is_some() || buffer.is_empty();
        input.consume(used);
        if is_over {
            return Ok(());
        }
    }
}

fn failed(id: Option<&str>, why: &str) -> String {
    let mut object = ObjectWriter::new();
    object.optional("id", id);
    object.string("error", why);
    object.end()
}

fn respond(line: &[u8]) -> String {
    let limits = Limits { size_max_bytes: LINE_MAX_BYTES, depth_max: 512, ..Limits::default() };
    let document = match Document::read(line, Strictness::Frame, &limits) {
        Ok(document) => document,
        Err(fault) => return failed(None, &format!("the line is not JSON: {fault}")),
    };
    let id = document.root().get("id").and_then(Value::as_str);
    match Request::read(document.root()) {
        Ok(request) => {
            let contract = Contract::from_text_with(&request.schema, &request.policy);
            let arguments = || request.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
            let outcome = contract.as_ref().map(|contract| contract.check(arguments()));
            answer(id.as_deref(), &contract, &outcome)
        }
        Err(why) => failed(id.as_deref(), &why),
    }
}

struct Request {
    schema: String,
    policy: Policy,
    arguments: Option<Vec<u8>>,
}

impl Request {
    fn read(request: Value<'_>) -> Result<Self, String> {
        if request.kind() != Kind::Object {
            return Err("a request is an object".into());
        }
        let mut schema = None;
        let mut policy = Policy::default();
        let mut arguments = None;
        for (name, value) in request.members() {
            let name = name.as_str().unwrap_or_default();
            match &*name {
                "id" => {}
                "schema" => schema = Some(value.text().to_owned()),
                "schema_text" => schema = Some(text(&name, value)?),
                "origin" | "judge" | "unknown_keys" | "unions" => set_word(&mut policy, &name, &text(&name, value)?)?,
                "aliases" => policy.aliases = aliases(value)?,
                "options" => {
                    for option in texts(&name, value)? {
                        if !policy.options.set(&option) {
                            return Err("`options` names an option that does not exist".into());
                        }
                    }
                }
                "list_text_keep" => policy.list_text_keep = texts(&name, value)?,
                "forward_keys" => policy.forward_keys = texts(&name, value)?,
                "arguments_text" => arguments = Some(text(&name, value)?.into_bytes()),
                "arguments_hex" => arguments = Some(bytes(&text(&name, value)?)?),
                _ => return Err("the request has a member that is not known".into()),
            }
        }
        let schema = schema.ok_or("the request has neither `schema` nor `schema_text`")?;
        Ok(Request { schema, policy, arguments })
    }
}

fn text(name: &str, value: Value<'_>) -> Result<String, String> {
    value.as_str().map(std::borrow::Cow::into_owned).ok_or_else(|| format!("`{name}` is a string"))
}

fn texts(name: &str, value: Value<'_>) -> Result<Vec<String>, String> {
    if value.kind() != Kind::Array {
        return Err(format!("`{name}` is a list of strings"));
    }
    value.items().map(|item| text(name, item)).collect()
}

/// `{name: [former, …]}` for the root, or a list of those and of `{at, name, former}`.
fn aliases(value: Value<'_>) -> Result<Vec<Alias>, String> {
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

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let pairs =
        digits.filter(|digits| digits.len() % 2 == 0).ok_or("`arguments_hex` is pairs of hexadecimal digits")?;
    Ok(pairs.chunks_exact(2).filter_map(|pair| Some(pair.first()? * 16 + pair.last()?)).collect())
}

type Outcome<'a, 'c> = Result<Result<Admitted<'a>, Refusal>, &'c Unusable>;

/// The answer line, without its end.
pub(super) fn answer(id: Option<&str>, contract: &Result<Contract, Unusable>, outcome: &Outcome<'_, '_>) -> String {
    let mut object = ObjectWriter::new();
    object.optional("id", id);
    match outcome {
        Ok(Ok(admitted)) => {
            object.string("verdict", "admitted");
            object.string("arguments_text", admitted.arguments_text());
            let edits = admitted.edits().iter().map(|edit| {
                let mut object = ObjectWriter::new();
                object.string("location", &edit.location.to_pointer());
                object.string("rule", edit.rule);
                object.end()
            });
            object.raw("edits", &list(edits));
            object.raw("deferred", &list(admitted.deferred().iter().map(|location| quoted(&location.to_pointer()))));
            object.raw("forwarded", &list(admitted.forwarded().iter().map(|name| quoted(name))));
            object.raw("recorded", &list(admitted.recorded().iter().map(toolgate::Violation::to_json)));
        }
        Ok(Err(refusal)) => {
            object.string("verdict", "refused");
            object.raw("violations", &list(refusal.violations().iter().map(toolgate::Violation::to_json)));
            object.raw("more", &refusal.more().to_string());
            object.string("text", &refusal.text());
        }
        Err(unusable) => {
            object.string("verdict", "unusable");
            let defects = unusable.defects.iter().map(|defect| {
                let mut object = ObjectWriter::new();
                object.string("keyword_location", &defect.keyword_location);
                object.string("code", &defect.code);
                object.string("message", &defect.message);
                object.end()
            });
            object.raw("defects", &list(defects));
        }
    }
    if let Ok(contract) = contract {
        let set_aside = contract.set_aside().iter().map(|set_aside| {
            let mut object = ObjectWriter::new();
            object.string("keyword_location", &set_aside.keyword_location);
            object.string("why", &set_aside.why);
            object.end()
        });
        object.raw("set_aside", &list(set_aside));
    }
    object.end()
}
