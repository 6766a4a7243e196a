//! One case as it is run: what is asked, of which contract, and what must come of it.

use super::contracts::{Contracts, Lists};
use super::text::Text;
use super::value::{self, text};
use crate::call::no_tool_text;
use crate::input;
use crate::judge;
use crate::show::json::at;
use std::path::Path;
use toolgate::json::{ObjectWriter, Value, quoted};
use toolgate::{Arguments, Contract, Limits, Policy, UnknownKeys, shown_name};
use toolgate_gateway::policy::ServerPolicy;

/// What a case may say, as a schema: it is judged like any other call.
const FORMAT: &str = include_str!("case.schema.json");
/// What of a request is said of the contract beside its schema.
pub(super) const POLICY: [&str; 8] =
    ["origin", "judge", "unknown_keys", "unions", "aliases", "options", "list_text_keep", "forward_keys"];
/// What of a request says which schema it is about.
pub(super) const SOURCES: [&str; 5] = ["schema", "schema_text", "schema_file", "contract", "tool"];
const MESSAGES: &str = "a case of the kind `messages` plays a server, which this command does not: it runs judge, advertise, prove and argv";
/// In what the arguments of a call are written.
const ARGUMENTS: [&str; 4] = ["arguments", "arguments_text", "arguments_hex", "arguments_build"];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Judge,
    Advertise,
    Prove,
    Argv,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] = [Kind::Judge, Kind::Advertise, Kind::Prove, Kind::Argv];

    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Judge => "judge",
            Kind::Advertise => "advertise",
            Kind::Prove => "prove",
            Kind::Argv => "argv",
        }
    }
}

pub(super) struct Case {
    /// The file, as it was named.
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) group: Option<String>,
    pub(super) title: Option<String>,
    /// Why it is not judged.
    pub(super) skip: Option<String>,
    /// What is expected, as JSON.
    pub(super) expect: String,
    pub(super) request: Result<Request, String>,
}

/// What is asked.
pub(super) struct Request {
    /// The fields of the machine interface that are not said of the contract.
    pub(super) text: String,
    pub(super) schema: String,
    pub(super) policy: Policy,
    pub(super) profile: Option<String>,
    /// The name of the tool, where the contract is one's.
    pub(super) tool: Option<String>,
}

/// The contract of cases.
///
/// # Errors
///
/// Says what is wrong with it, which is a fault of ours.
pub(super) fn format() -> Result<Contract, String> {
    let limits =
        Limits { size_max_bytes: input::FILE_MAX_BYTES, depth_max: 500, steps_max: u64::MAX, ..Limits::default() };
    let policy = Policy { unknown_keys: UnknownKeys::CloseDeclared, limits, ..Policy::default() };
    Contract::from_text_with(FORMAT, &policy).map_err(|unusable| unusable.to_string())
}

/// Reads one case; whatever is wrong with it is added to `mistakes`.
pub(super) fn read(
    text_of: &Text<'_>,
    case: Value<'_>,
    format: &Contract,
    contracts: &Contracts,
    lists: &mut Lists<'_>,
    mistakes: &mut Vec<String>,
) -> Option<Case> {
    let place = |value: Value<'_>| text_of.place(value.span().start);
    if case.get("kind").is_some_and(|kind| kind.is_str("messages")) {
        // Said once of a file, which as a rule has no others.
        let file = format!("{}:", input::name(text_of.path));
        if !mistakes.iter().any(|told| told.starts_with(&file) && told.ends_with(MESSAGES)) {
            mistakes.push(format!("{}: {MESSAGES}", place(case)));
        }
        return None;
    }
    if let Err(refusal) = format.validate(Arguments::from_text(case.text())) {
        for violation in refusal.violations() {
            let pointer = violation.location.to_pointer();
            let nearest = nearest(case, &pointer);
            let hint = violation.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let line = violation.to_line();
            // What is said of the arguments as a whole is said of the case here.
            let line = if pointer.is_empty() { line.strip_prefix("arguments: ").unwrap_or(&line) } else { &line };
            let reason = format!("{line}{hint}");
            mistakes.push(format!("{}: {}{reason}", place(nearest), named(case)));
        }
        if refusal.more() > 0 {
            mistakes.push(format!("{}: and {} more", place(case), refusal.more()));
        }
        return None;
    }
    let (request, expect) = (case.get("request")?, case.get("expect")?);
    let kind = Kind::ALL.into_iter().find(|kind| case.get("kind").is_some_and(|word| word.is_str(kind.word())))?;
    let says = |name: &str| expect.get(name).is_some();
    if kind == Kind::Argv && !says("usage") && !says("arguments") && !says("arguments_text") {
        mistakes.push(format!(
            "{}: {}it expects nothing: give `arguments`, `arguments_text` or `usage`",
            place(expect),
            named(case)
        ));
        return None;
    }
    let request = resolve(kind, text_of.path, request, contracts, lists);
    let expects_error = expect.get("verdict").is_some_and(|verdict| verdict.is_str("error"));
    if let Err(why) = &request
        && !expects_error
    {
        mistakes.push(format!("{}: {}{why}", place(case.get("request")?), named(case)));
        return None;
    }
    Some(Case {
        file: input::name(text_of.path),
        line: text_of.line(case.span().start),
        kind,
        id: text(case, "id")?,
        group: text(case, "group"),
        title: text(case, "title"),
        skip: text(case, "skip"),
        expect: expect.text().to_owned(),
        request,
    })
}

/// The value at a place, or what is nearest around it: what is missing has no place of its own.
fn nearest<'d>(root: Value<'d>, pointer: &str) -> Value<'d> {
    let mut pointer = pointer;
    loop {
        if let Some(value) = at(root, pointer) {
            return value;
        }
        pointer = pointer.rsplit_once('/').map_or("", |(outer, _)| outer);
    }
}

/// The case by its id, where it has one.
fn named(case: Value<'_>) -> String {
    text(case, "id").map(|id| format!("case {}: ", shown_name(&id))).unwrap_or_default()
}

fn resolve(
    kind: Kind,
    path: &Path,
    request: Value<'_>,
    contracts: &Contracts,
    lists: &mut Lists<'_>,
) -> Result<Request, String> {
    let members = contracts.members_of(request, lists.as_listed)?;
    let get = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let word = |name: &str| get(name).and_then(unquoted);
    let mut sources = SOURCES.iter().filter(|name| get(name).is_some());
    let (Some(source), None) = (sources.next(), sources.next()) else {
        return Err(format!("it names one of {}, or `use` with a contract of the file", SOURCES.join(", ")));
    };
    if get("catalog").is_some() && *source != "tool" {
        return Err("`catalog` says which list `tool` is of".into());
    }
    let beside = |name: &str| path.parent().unwrap_or(Path::new("")).join(name);
    let base = if kind == Kind::Argv { ServerPolicy::discovered().of("tool") } else { Policy::default() };
    let (schema, base) = match (*source, word(source)) {
        ("schema_text", Some(text)) => (text, base),
        ("schema_file", Some(file)) => (lists.schema(&beside(&file))?, base),
        ("tool", Some(tool)) => {
            let (target, policy) = lists.of(word("catalog").map(|file| beside(&file)).as_deref())?;
            let schema = crate::tool::schema_of(target, &tool).map_err(no_tool_text)?;
            (schema, policy.of(&tool))
        }
        (source, _) => (get(source).unwrap_or_default().to_owned(), base),
    };
    let mut of_contract = ObjectWriter::new();
    of_contract.string("schema_text", &schema);
    let mut own = ObjectWriter::new();
    for (name, value) in &members {
        match name.as_str() {
            name if POLICY.contains(&name) => of_contract.raw(name, value),
            name if SOURCES.contains(&name) || name == "catalog" || ARGUMENTS.contains(&name) => {}
            "advertised_file" => {
                let file = unquoted(value).unwrap_or_default();
                own.raw("advertised", &lists.schema(&beside(&file))?);
            }
            name => own.raw(name, value),
        }
    }
    let of_contract = of_contract.end();
    let document = input::document(&of_contract).map_err(|unread| unread.in_line())?;
    let (schema, policy) = judge::contract_of(base, document.root())?;
    match kind {
        Kind::Judge => push_arguments(&members, &mut own)?,
        Kind::Prove if get("advertised").is_none() == get("advertised_file").is_none() => {
            return Err("it names one of advertised, advertised_file".into());
        }
        _ => {}
    }
    match kind {
        Kind::Judge | Kind::Advertise => own.raw("schema_text", &quoted(&schema)),
        Kind::Prove => own.raw("contract", &schema),
        Kind::Argv => {}
    }
    Ok(Request { text: own.end(), schema, policy, profile: word("profile"), tool: word("tool") })
}

/// The arguments as the machine interface takes them.
fn push_arguments(members: &[(String, String)], own: &mut ObjectWriter) -> Result<(), String> {
    let mut given = members.iter().filter(|(name, _)| ARGUMENTS.contains(&name.as_str()));
    let first = given.next();
    if given.next().is_some() {
        return Err(format!("it gives more than one of {}", ARGUMENTS.join(", ")));
    }
    match first.map(|(name, value)| (name.as_str(), value)) {
        None => {}
        Some(("arguments", value)) => own.string("arguments_text", value),
        Some(("arguments_build", value)) => own.string("arguments_text", &built(value)?),
        Some((name, value)) => own.raw(name, value),
    }
    Ok(())
}

/// `head`, `fill` as often as `count` says, `tail`.
fn built(build: &str) -> Result<String, String> {
    let document = input::document(build).map_err(|unread| unread.in_line())?;
    let part = |name: &str| text(document.root(), name).unwrap_or_default();
    let (fill, count) = (part("fill"), value::count(document.root(), "count").unwrap_or(0));
    if fill.len().saturating_mul(count) > input::FILE_MAX_BYTES {
        return Err(format!("`arguments_build` makes more than {} bytes", input::FILE_MAX_BYTES));
    }
    Ok(format!("{}{}{}", part("head"), fill.repeat(count), part("tail")))
}

/// The text that a JSON string is.
pub(super) fn unquoted(json: &str) -> Option<String> {
    input::document(json).ok()?.root().as_str().map(std::borrow::Cow::into_owned)
}
