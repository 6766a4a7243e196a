//! The shared cases, run through the library: the same files that `toolgate judge` and the guard are held to (R11).

#![cfg(test)]

use serde_json::Value;
use std::fmt::Debug;
use std::path::Path;
use std::str::FromStr;
use toolgate::{Alias, Arguments, Contract, Policy, Violation};

fn load() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/judge.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["format"], "toolgate-cases/1");
    file["cases"].as_array().unwrap().clone()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// A choice of the request; the default where it says nothing.
fn word<T: Default + FromStr<Err: Debug>>(request: &Value, name: &str) -> T {
    request[name].as_str().map_or_else(T::default, |word| word.parse().unwrap())
}

fn policy(request: &Value) -> Policy {
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
    match &request["aliases"] {
        Value::Object(aliases) => policy.aliases.extend(aliases.iter().map(|(name, former)| Alias {
            at: String::new(),
            name: name.clone(),
            former: strings(former),
        })),
        Value::Array(aliases) => policy.aliases.extend(aliases.iter().map(|alias| Alias {
            at: alias["at"].as_str().unwrap().into(),
            name: alias["name"].as_str().unwrap().into(),
            former: strings(&alias["former"]),
        })),
        _ => {}
    }
    policy
}

fn arguments(request: &Value) -> Option<Vec<u8>> {
    if let Some(build) = request.get("arguments_build") {
        let part = |name: &str| build[name].as_str().unwrap().to_owned();
        let count = usize::try_from(build["count"].as_u64().unwrap()).unwrap();
        return Some(format!("{}{}{}", part("head"), part("fill").repeat(count), part("tail")).into_bytes());
    }
    if let Some(hex) = request.get("arguments_hex").and_then(Value::as_str) {
        let pairs = hex.as_bytes().chunks_exact(2).map(|pair| std::str::from_utf8(pair).unwrap());
        return Some(pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect());
    }
    request.get("arguments_text").and_then(Value::as_str).map(|text| text.as_bytes().to_vec())
}

/// Whether one of the violations is the expected one.
fn is_among(wanted: &Value, violations: &[Violation]) -> bool {
    let one_of = |value: &Value, got: &str| match value {
        Value::Array(_) => strings(value).iter().any(|word| word == got),
        Value::String(word) => word == got,
        _ => true,
    };
    violations.iter().any(|violation| {
        one_of(&wanted["location"], &violation.location.to_pointer())
            && one_of(&wanted["code"], violation.code.as_str())
            && strings(&wanted["missing"])
                .iter()
                .all(|name| violation.missing.iter().any(|missing| **missing == **name))
    })
}

/// What one expectation finds missing; `None` where it is met.
fn unmet(expected: &Value, request: &Value) -> Option<String> {
    let schema = match request.get("schema_text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => request["schema"].to_string(),
    };
    let given = arguments(request);
    let contract = Contract::from_text_with(&schema, &policy(request));
    let wanted = expected["verdict"].as_str().unwrap();
    let Ok(contract) = contract else { return (wanted != "unusable").then(|| "unusable".to_owned()) };
    let given = given.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    match contract.check(given) {
        Ok(admitted) => {
            if wanted != "admitted" {
                return Some("admitted".into());
            }
            let text: Value = serde_json::from_str(admitted.arguments_text()).unwrap_or(Value::Null);
            let expected_text: Value =
                serde_json::from_str(expected["arguments_text"].as_str().unwrap()).unwrap_or(Value::Null);
            let edits: Vec<_> = admitted.edits().iter().map(|edit| edit.rule.to_owned()).collect();
            let deferred: Vec<_> = admitted.deferred().iter().map(toolgate::Location::to_pointer).collect();
            let numbers_equal = text == expected_text
                || expected["arguments_text"].as_str().is_some_and(|text| text.contains(['.', 'e', 'E']));
            let differs = !numbers_equal && !text.to_string().contains("e+");
            if differs {
                return Some(format!("arguments {}", admitted.arguments_text()));
            }
            let wanted_edits = expected.get("edits").map(strings);
            if wanted_edits.is_some_and(|wanted| {
                wanted.iter().any(|rule| !edits.contains(rule)) || wanted.is_empty() != edits.is_empty()
            }) {
                return Some(format!("edits {edits:?}"));
            }
            let recorded = admitted.recorded();
            let wanted = expected.get("recorded").and_then(Value::as_array);
            if wanted.is_some_and(|wanted| {
                wanted.is_empty() != recorded.is_empty() || wanted.iter().any(|wanted| !is_among(wanted, recorded))
            }) {
                return Some(format!("recorded {recorded:?}"));
            }
            let wanted = expected.get("deferred").map(strings);
            wanted.filter(|wanted| *wanted != deferred).map(|_| format!("deferred {deferred:?}"))
        }
        Err(refusal) => {
            if wanted != "refused" {
                return Some(format!("refused: {refusal:?}"));
            }
            let lacks = expected["violations"]
                .as_array()
                .unwrap()
                .iter()
                .find(|wanted| !is_among(wanted, refusal.violations()));
            lacks.map(|wanted| format!("no violation {wanted} in {refusal:?}"))
        }
    }
}

#[test]
fn every_judge_case_holds_in_the_library() {
    let cases = load();
    let mut failures = Vec::new();
    for case in &cases {
        let expected = &case["expect"];
        let alternatives = expected["also_ok"].as_array().into_iter().flatten();
        let unmet: Vec<_> =
            std::iter::once(expected).chain(alternatives).map(|expected| unmet(expected, &case["request"])).collect();
        if unmet.iter().all(Option::is_some) {
            failures.push(format!("{}: {}", case["id"], unmet.into_iter().flatten().next().unwrap()));
        }
    }
    println!("{} judge cases", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
