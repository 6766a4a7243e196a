//! The judge cases of `cases/judge.json` as each crate's tests read them (R11): the request, and what it says of policy and
//! arguments. Included by path from the tests of several crates.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code, of which each file uses a part"
)]

use serde_json::Value;
use std::fmt::Debug;
use std::path::Path;
use std::str::FromStr;
use toolgate::json::{Document, Strictness};
use toolgate::{Alias, Limits, Policy};

pub struct Case {
    pub id: String,
    pub request: Value,
    pub expect: Value,
    /// As the file has it: the order of members is part of the contract.
    pub schema: String,
    pub arguments: Option<Vec<u8>>,
}

pub fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/judge.json");
    let text = std::fs::read_to_string(path).unwrap();
    let limits = Limits { size_max_bytes: 64 * 1024 * 1024, ..Limits::default() };
    let exact = Document::read(text.as_bytes(), Strictness::Frame, &limits).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["format"], "toolgate-cases/1");
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
        expect: case["expect"].clone(),
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
        let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap();
        return Some((0..hex.len()).step_by(2).map(byte).collect());
    }
    request["arguments_text"].as_str().map(|text| text.as_bytes().to_vec())
}

pub fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// A choice of the request; the default where it says nothing.
fn word<T: Default + FromStr<Err: Debug>>(request: &Value, name: &str) -> T {
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
