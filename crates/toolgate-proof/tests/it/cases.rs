//! The cases as data: a contract, an advertised schema, and what comes of them. Counterexamples are executed here once more.

use serde_json::Value;
use std::path::Path;
use toolgate_proof::{DecodeStep, Options, Reading, UnknownKeys, Verdict, certify, prove, replay};

struct Case {
    id: String,
    request: Value,
    expect: Value,
}

fn load(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(file);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["format"], "toolgate-cases/1");
    let case = |case: &Value| Case {
        id: case["id"].as_str().unwrap().to_owned(),
        request: case["request"].clone(),
        expect: case["expect"].clone(),
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn step(step: &Value) -> DecodeStep {
    let text = |name: &str| step[name].as_str().unwrap().to_owned();
    let location = text("location");
    match step["step"].as_str().unwrap() {
        "null-means-absent" => DecodeStep::NullMeansAbsent { location },
        "rename" => DecodeStep::Rename { location, name: text("name"), sent: text("sent") },
        "enum-text" => DecodeStep::EnumText { location },
        "enum-case" => DecodeStep::EnumCase { location },
        other => panic!("the step `{other}` is unknown"),
    }
}

fn options(request: &Value) -> Options {
    Options {
        unknown_keys: match request["unknown_keys"].as_str().unwrap_or("close-root") {
            "close-root" => UnknownKeys::CloseRoot,
            "close-declared" => UnknownKeys::CloseDeclared,
            "as-written" => UnknownKeys::AsWritten,
            other => panic!("the policy `{other}` is unknown"),
        },
        discovered: request["discovered"].as_bool().unwrap_or(false),
        set_aside: request["set_aside"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|at| at.as_str().unwrap().into())
            .collect(),
        reading: reading(&request["reading"]),
        decode: request["decode"].as_array().into_iter().flatten().map(step).collect(),
        ..Options::default()
    }
}

fn reading(switches: &Value) -> Reading {
    let mut reading = Reading::default();
    for (switch, value) in switches.as_object().into_iter().flatten() {
        match switch.as_str() {
            "absent_additional_is_closed" => reading.absent_additional_is_closed = true,
            "pattern_is_full_match" => reading.pattern_is_full_match = true,
            "untyped_is_string" => reading.untyped_is_string = true,
            "nullable" => reading.nullable = true,
            "ignored_keywords" => {
                reading.ignored_keywords =
                    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().into()).collect();
            }
            other => panic!("the switch `{other}` is unknown"),
        }
    }
    reading
}

/// What the checker says that the case does not expect.
fn unmet(case: &Case) -> Option<String> {
    let side = |name: &str| match case.request.get(format!("{name}_text")) {
        Some(text) => text.as_str().unwrap().to_owned(),
        None => case.request[name].to_string(),
    };
    let (contract, advertised) = (side("contract"), side("advertised"));
    let (proof, certificate) = match certify(&contract, &advertised, &options(&case.request)) {
        Ok(answer) => answer,
        Err(unreadable) => {
            return (case.expect["verdict"] != "unreadable").then(|| unreadable.to_string());
        }
    };
    let word = match &proof.verdict {
        Verdict::Proven => "proven",
        Verdict::Refuted { .. } => "refuted",
        Verdict::Unknown { .. } => "unknown",
        _ => "another",
    };
    let alternatives = case.expect["also_ok"].as_array().into_iter().flatten();
    let mut expected = std::iter::once(&case.expect).chain(alternatives);
    if !expected.any(|expected| expected["verdict"] == word) {
        return Some(format!("{:?}", proof.verdict));
    }
    // What has a verdict has a certificate, which replays.
    if let Err(fault) = certificate.as_ref().map_or(Ok(()), |certificate| replay(certificate, &contract, &advertised)) {
        return Some(format!("the certificate does not replay: {fault}"));
    }
    if certificate.is_none() != matches!(proof.verdict, Verdict::Unknown { .. }) {
        return Some("there is no certificate".to_owned());
    }
    if prove(&contract, &advertised, &options(&case.request)).ok().as_ref() != Some(&proof) {
        return Some("another run says something else".to_owned());
    }
    for field in ["location", "keyword"] {
        let said = match &proof.verdict {
            Verdict::Refuted { location, keyword, .. } | Verdict::Unknown { location, keyword } => {
                if field == "location" { location.as_str() } else { keyword }
            }
            _ => continue,
        };
        if case.expect.get(field).is_some_and(|expected| expected != said) {
            return Some(format!("the {field} is {said}"));
        }
    }
    None
}

fn run(file: &str) {
    let cases = load(file);
    let failures: Vec<String> =
        cases.iter().filter_map(|case| unmet(case).map(|why| format!("{}: {why}", case.id))).collect();
    println!("{} cases of {file}", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_shared_case_holds() {
    run("prove.json");
}

#[test]
fn every_case_of_the_crate_holds() {
    run("more.json");
}
