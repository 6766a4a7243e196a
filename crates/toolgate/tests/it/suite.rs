//! The official JSON-Schema-Test-Suite, required files of draft-07 and 2020-12: `Contract::validate` gives the expected
//! answer. Each schema of the suite stands under `$defs` with an `$id` of its own and is referenced by the one property of
//! a wrapper, since a contract's root is an object. The suite is used where it lies; `cargo xtask test` fetches it.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolgate::{Arguments, Contract, Policy, UnknownKeys};

const REMOTE: &str = "its references are to documents that only a fetch would bring (R9.1)";

/// Tests that are answered otherwise, each with the reason. Passing one unexpectedly fails too.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    // (file, group, why)
    ("refRemote.json", "", REMOTE),
    ("vocabulary.json", "", "its meta-schema is a document that only a fetch would bring (R9.1)"),
    ("dynamicRef.json", "strict-tree schema, guards against misspelled properties", REMOTE),
    ("dynamicRef.json", "tests for implementation dynamic anchor and reference link", REMOTE),
    ("dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $defs first", REMOTE),
    ("dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first", REMOTE),
    (
        "ref.json",
        "$ref with absolute-path-reference",
        "the wrapper's own `$id` takes the place of the base it resolves against",
    ),
];

fn exception(file: &str, group: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(f, g, _)| *f == file && (g.is_empty() || *g == group)).map(|(_, _, why)| *why)
}

fn suite() -> Option<PathBuf> {
    let given = std::env::var_os("TOOLGATE_SUITE").map(PathBuf::from);
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/evidence/json-schema-test-suite");
    let path = given.unwrap_or(default);
    path.join("tests").is_dir().then_some(path)
}

#[test]
fn draft7_required() {
    run("draft7", "http://json-schema.org/draft-07/schema#", "definitions");
}

#[test]
fn draft2020_12_required() {
    run("draft2020-12", "https://json-schema.org/draft/2020-12/schema", "$defs");
}

fn run(folder: &str, dialect: &str, definitions: &str) {
    let Some(suite) = suite() else {
        assert!(std::env::var_os("TOOLGATE_NO_SKIP").is_none(), "the official suite is not there and nothing may skip");
        println!("skipped: the official suite is not there; `cargo xtask test` fetches it");
        return;
    };
    let mut files: Vec<_> =
        std::fs::read_dir(suite.join("tests").join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (mut passed, mut excepted, mut failures) = (0, 0, Vec::new());
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for group in groups {
            let description = group["description"].as_str().unwrap();
            let (good, bad) = judge(&group, dialect, definitions);
            let is_remote = group["schema"].to_string().contains("\"$ref\":\"http://localhost:1234/");
            let why = exception(&file, description).or(is_remote.then_some(REMOTE));
            match why {
                Some(_) => {
                    excepted += good.len() + bad.len();
                    let is_named = EXCEPTIONS.iter().any(|(f, g, _)| *f == file && *g == description);
                    if is_named && bad.is_empty() {
                        failures.push(format!("{file}: {description}: agrees, so it is no exception any more"));
                    }
                }
                None => {
                    passed += good.len();
                    failures.extend(bad.into_iter().map(|failure| format!("{file}: {description}: {failure}")));
                }
            }
        }
    }
    println!("{folder}: {passed} agree, {excepted} excepted by name, {} disagree", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 800, "the suite was read");
}

fn judge(group: &Value, dialect: &str, definitions: &str) -> (Vec<String>, Vec<String>) {
    let mut inner = group["schema"].clone();
    let id = "https://suite.invalid/schema";
    let mut reference = id.to_owned();
    if let Value::Object(members) = &mut inner {
        match members.get("$id").and_then(Value::as_str) {
            Some(own) if !own.starts_with('#') => reference = own.to_owned(),
            _ if dialect.contains("draft-07") && members.contains_key("$ref") => {
                reference = format!("#/{definitions}/inner")
            }
            _ => {
                members.insert("$id".into(), id.into());
            }
        }
    } else {
        reference = format!("#/{definitions}/inner");
    }
    if dialect.contains("draft-07") && reference.starts_with("#/") && inner.get("$ref").is_some() {
        // Up to draft-07 an `$id` beside `$ref` is ignored: the schema itself becomes the property's.
        return judge_as(group, &json!({ "$schema": dialect, "type": "object", "properties": { "value": inner } }));
    }
    let wrapper = json!({
        "$schema": dialect, "type": "object",
        "properties": { "value": { "$ref": reference } },
        definitions: { "inner": inner },
    });
    judge_as(group, &wrapper)
}

fn judge_as(group: &Value, schema: &Value) -> (Vec<String>, Vec<String>) {
    let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
    let contract = Contract::compile_with(schema, &policy);
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for test in group["tests"].as_array().unwrap() {
        let arguments = json!({ "value": test["data"] });
        let expected = test["valid"].as_bool().unwrap();
        let answer = contract.as_ref().map(|contract| contract.validate(Arguments::from_value(&arguments)).is_ok());
        let name = test["description"].as_str().unwrap().to_owned();
        match answer {
            Ok(answer) if answer == expected => good.push(name),
            Ok(_) => bad.push(format!("{name} (expected {expected})")),
            // A root that admits no object is refused by name; all its tests then expect a refusal.
            Err(unusable) if unusable.defects.iter().all(|defect| defect.code == "root") && !expected => {
                good.push(name)
            }
            Err(unusable) => bad.push(format!("{name}: {unusable}")),
        }
    }
    (good, bad)
}
