//! Each case of `cases/argv.json` through the program: the words of a shell, and the arguments or the refusal that come of them.

use crate::support::{file, text, toolgate};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolgate::Limits;
use toolgate::json::{Document, Kind, Strictness, Value as Place};

struct Case {
    id: String,
    schema: String,
    argv: Vec<String>,
    expect: Value,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/argv.json");
    let text = std::fs::read_to_string(path).unwrap();
    let limits = Limits { size_max_bytes: 64 * 1024 * 1024, ..Limits::default() };
    // Numbers and the order of members as the file has them.
    let exact = Document::read(text.as_bytes(), Strictness::Frame, &limits).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["format"], "toolgate-cases/1");
    let exact = exact.root().get("cases").unwrap().items();
    let both = exact.zip(file["cases"].as_array().unwrap());
    both.map(|(exact, case)| Case {
        id: case["id"].as_str().unwrap().to_owned(),
        schema: exact.get("request").unwrap().get("schema").unwrap().text().to_owned(),
        argv: case["request"]["argv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect(),
        expect: case["expect"].clone(),
    })
    .collect()
}

fn catalogue(id: &str, schema: &str) -> PathBuf {
    file(
        &format!("argv-{id}.json"),
        &format!(r#"{{"tools":[{{"name":"tool","description":"A tool.","inputSchema":{schema}}}]}}"#),
    )
}

/// Numbers by their digits where these must be exact, else by value; members in any order.
fn normal(value: Place<'_>, digits: bool) -> Value {
    match value.kind() {
        Kind::Object => {
            value.members().map(|(name, value)| (name.as_str().unwrap().into_owned(), normal(value, digits))).collect()
        }
        Kind::Array => value.items().map(|item| normal(item, digits)).collect(),
        Kind::Number if digits => json!({ "digits": value.text() }),
        Kind::Number => json!(value.text().parse::<f64>().unwrap()),
        _ => serde_json::from_str(value.text()).unwrap(),
    }
}

fn read(arguments: &str, digits: bool) -> Value {
    normal(Document::read_str(arguments, Strictness::Strict, &Limits::default()).unwrap().root(), digits)
}

#[test]
fn every_case_is_read_or_refused_as_it_says() {
    let cases = cases();
    assert!(cases.len() > 100, "{} cases", cases.len());
    for case in cases {
        let path = catalogue(&case.id, &case.schema);
        let mut command = toolgate(&["call", "--dry-run", "--catalog"]);
        let output = command.arg(path).arg("tool").args(&case.argv).output().unwrap();
        let (out, err) = (text(&output), String::from_utf8(output.stderr.clone()).unwrap());
        let told = format!("{}: {:?}\n{out}{err}", case.id, case.argv);
        for hidden in case.expect["must_not"].as_array().into_iter().flatten().map(|word| word.as_str().unwrap()) {
            assert!(!out.contains(hidden) && !err.contains(hidden), "{told}");
        }
        if let Some(arguments) = case.expect["arguments_text"].as_str() {
            assert_eq!(output.status.code(), Some(0), "{told}");
            assert!(err.lines().all(|line| line.starts_with("note: ")), "{told}");
            let answer: Value = serde_json::from_str(&out).unwrap();
            let digits = case.expect["digits_exact"] == true;
            assert_eq!(read(answer["arguments_text"].as_str().unwrap(), digits), read(arguments, digits), "{told}");
            continue;
        }
        assert_eq!(case.expect["usage"], true);
        assert_eq!((output.status.code(), &*out), (Some(64), ""), "{told}");
        let location = case.expect["location"].as_str().unwrap_or_default();
        let names: Vec<&str> = location.split('/').collect();
        // A number is an item's place; the list is what has a name.
        let last = names.iter().rev().find(|name| name.parse::<u32>().is_err()).unwrap();
        assert!(err.contains(*last), "{told}");
        for word in case.expect["must_list"].as_array().into_iter().flatten().map(|word| word.as_str().unwrap()) {
            assert!(err.contains(word), "{told}");
        }
        code_is_told(&case, &told);
    }
}

/// The code of the reason, as programs get it.
fn code_is_told(case: &Case, told: &str) {
    let Some(code) = case.expect["code"].as_str() else { return };
    let path = catalogue(&case.id, &case.schema);
    let mut command = toolgate(&["call", "--dry-run", "--format", "json", "--catalog"]);
    let output = command.arg(path).arg("tool").args(&case.argv).output().unwrap();
    let refusal: Value = serde_json::from_slice(&output.stderr).unwrap();
    let codes: Vec<&Value> =
        refusal["violations"].as_array().unwrap().iter().map(|violation| &violation["code"]).collect();
    assert!(codes.contains(&&json!(code)), "{told}{codes:?}");
}
