//! `judge --jsonl`: a request read, its verdict written.

use super::set_word;
use crate::batch::{aliases, text, texts};
use toolgate::json::{Kind, ObjectWriter, Value, list, quoted};
use toolgate::{Admitted, Arguments, Contract, Policy, Refusal, Unusable};

/// Answers one request.
pub(super) fn respond(id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    respond_under(Policy::default(), id, request)
}

/// The same, where a policy says what the request leaves unsaid.
pub(crate) fn respond_under(policy: Policy, id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    let request = Request::read(request, policy)?;
    let contract = Contract::from_text_with(&request.schema, &request.policy);
    let arguments = || request.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    let outcome = contract.as_ref().map(|contract| contract.check(arguments()));
    Ok(answer(id, &contract, &outcome))
}

/// The schema that a request names, and the policy beside it.
pub(crate) fn contract_of(policy: Policy, request: Value<'_>) -> Result<(String, Policy), String> {
    let Request { schema, policy, .. } = Request::read(request, policy)?;
    Ok((schema, policy))
}

struct Request {
    schema: String,
    policy: Policy,
    arguments: Option<Vec<u8>>,
}

impl Request {
    fn read(request: Value<'_>, mut policy: Policy) -> Result<Self, String> {
        if request.kind() != Kind::Object {
            return Err("a request is an object".into());
        }
        let mut schema = None;
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
                    let options = texts(&name, value)?;
                    let set = policy.options.set_all(options.iter().map(String::as_str));
                    set.map_err(|mistake| format!("a word of `options` {mistake}"))?;
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
            object.raw("defects", &defects(unusable));
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

/// Why a schema is unusable, as a JSON list.
pub(crate) fn defects(unusable: &Unusable) -> String {
    list(unusable.defects.iter().map(|defect| {
        let mut object = ObjectWriter::new();
        object.string("keyword_location", &defect.keyword_location);
        object.string("code", &defect.code);
        object.string("message", &defect.message);
        object.end()
    }))
}
