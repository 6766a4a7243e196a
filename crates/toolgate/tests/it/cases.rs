//! The shared cases, run through the library: the same files that `toolgate judge` and the guard are held to (R11).

use crate::support::judge_cases::{Case, cases, policy, strings};
use serde_json::Value;
use toolgate::{Arguments, Contract, Violation};

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
fn unmet(expected: &Value, case: &Case) -> Option<String> {
    let contract = Contract::from_text_with(&case.schema, &policy(&case.request));
    let wanted = expected["verdict"].as_str().unwrap();
    let Ok(contract) = contract else { return (wanted != "unusable").then(|| "unusable".to_owned()) };
    let given = case.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
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
    let cases = cases();
    let mut failures = Vec::new();
    for case in &cases {
        let expected = &case.expect;
        let alternatives = expected["also_ok"].as_array().into_iter().flatten();
        let unmet: Vec<_> =
            std::iter::once(expected).chain(alternatives).map(|expected| unmet(expected, case)).collect();
        if unmet.iter().all(Option::is_some) {
            failures.push(format!("{}: {}", case.id, unmet.into_iter().flatten().next().unwrap()));
        }
    }
    println!("{} judge cases", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
