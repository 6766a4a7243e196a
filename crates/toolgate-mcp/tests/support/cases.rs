//! The shared cases, and what the library says to each.

use serde_json::Value;
use std::path::Path;
use toolgate::json::{Document, Strictness};
use toolgate::{Alias, Arguments, Contract, Limits, Policy};

pub struct Case {
    pub id: String,
    pub request: Value,
    /// As the file has it.
    pub schema: String,
    pub arguments: Option<Vec<u8>>,
}

pub fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/judge.json");
    let text = std::fs::read_to_string(path).unwrap();
    let limits = Limits { size_max_bytes: 64 * 1024 * 1024, ..Limits::default() };
    let exact = Document::read(text.as_bytes(), Strictness::Frame, &limits).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let exact = exact.root().get("cases").unwrap().items().map(|case| case.get("request").unwrap());
    let both = exact.zip(file["cases"].as_array().unwrap());
    both.map(|(exact, case)| Case {
        id: case["id"].as_str().unwrap().to_owned(),
        schema: match case["request"]["schema_text"].as_str() {
            Some(text) => text.to_owned(),
            None => exact.get("schema").unwrap().text().to_owned(),
        },
        arguments: arguments(&case["request"]),
        request: case["request"].clone(),
    })
    .collect()
}

fn arguments(request: &Value) -> Option<Vec<u8>> {
    if let Some(build) = request.get("arguments_build") {
        let part = |name: &str| build[name].as_str().unwrap();
        let count = usize::try_from(build["count"].as_u64().unwrap()).unwrap();
        return Some(format!("{}{}{}", part("head"), part("fill").repeat(count), part("tail")).into_bytes());
    }
    if let Some(hex) = request["arguments_hex"].as_str() {
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        return Some((0..hex.len()).step_by(2).map(byte).collect());
    }
    request["arguments_text"].as_str().map(|text| text.as_bytes().to_vec())
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn word<T: Default + std::str::FromStr<Err: std::fmt::Debug>>(request: &Value, name: &str) -> T {
    request[name].as_str().map_or_else(T::default, |word| word.parse().unwrap())
}

pub fn policy(request: &Value) -> Policy {
    let mut policy = Policy {
        origin: word(request, "origin"),
        judge: word(request, "judge"),
        unknown_keys: word(request, "unknown_keys"),
        unions: word(request, "unions"),
        list_text_keep: strings(&request["list_text_keep"]),
        forward_keys: strings(&request["forward_keys"]),
        ..Policy::default()
    };
    for option in strings(&request["options"]) {
        assert!(policy.options.set(&option), "{option}");
    }
    if let Value::Object(aliases) = &request["aliases"] {
        let of_root = |(name, former): (&String, &Value)| Alias {
            at: String::new(),
            name: name.clone(),
            former: strings(former),
        };
        policy.aliases = aliases.iter().map(of_root).collect();
    }
    for alias in request["aliases"].as_array().into_iter().flatten() {
        let word = |name: &str| alias[name].as_str().unwrap().to_owned();
        policy.aliases.push(Alias { at: word("at"), name: word("name"), former: strings(&alias["former"]) });
    }
    policy
}

/// The verdict, and the codes with their places, in an order of their own: the SDK's form of a schema has lost the order of
/// its properties.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The arguments as the SDK's build can hold them; `None` where it cannot.
    Admitted(Option<Value>),
    Refused(Vec<(String, String)>),
    Unusable,
    ProtocolError,
}

pub fn refused(violations: &Value) -> Said {
    let violations = violations["violations"].as_array().unwrap();
    let word = |violation: &Value, name: &str| violation[name].as_str().unwrap_or_default().to_owned();
    let mut said: Vec<_> =
        violations.iter().map(|violation| (word(violation, "location"), word(violation, "code"))).collect();
    if said.iter().any(|(_, code)| code == "schema-unusable") {
        return Said::Unusable;
    }
    said.sort();
    Said::Refused(said)
}

pub fn library(case: &Case) -> Said {
    let Ok(contract) = Contract::from_text_with(&case.schema, &policy(&case.request)) else { return Said::Unusable };
    let given = case.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    match contract.check(given) {
        Ok(admitted) => Said::Admitted(serde_json::from_str(admitted.arguments_text()).ok()),
        Err(refusal) => refused(&serde_json::from_str(&refusal.to_json()).unwrap()),
    }
}
