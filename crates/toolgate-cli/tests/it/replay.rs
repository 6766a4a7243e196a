//! `prove --replay` before certificates whose options were altered. What is inside them was chosen by whoever wrote them, so each
//! option is changed in a real certificate, the rest left whole, and none may stand.

use crate::support::{file, text, toolgate};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;

/// The certificates that `check` writes of one tool, a value a line.
fn certificates(name: &str, schema: &Value, profile: &str) -> Vec<Value> {
    let catalogue = json!({"tools": [{"name": "book", "description": "Books.", "inputSchema": schema}]});
    let catalogue = file(&format!("{name}.json"), &catalogue.to_string());
    let kept: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    let options = ["--profile", profile, "--deny", "error", "--certificates"];
    toolgate(&["check"]).arg(&catalogue).args(options).arg(&kept).output().unwrap();
    std::fs::read_to_string(&kept).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn replay(name: &str, lines: &[Value], more: &[&str]) -> Output {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    toolgate(&["prove", "--replay"]).arg(file(&format!("{name}.jsonl"), &lines)).args(more).output().unwrap()
}

#[track_caller]
fn stands(name: &str, lines: &[Value], more: &[&str]) {
    let output = replay(name, lines, more);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[track_caller]
fn refused(name: &str, lines: &[Value], more: &[&str], why: &str) {
    let output = replay(name, lines, more);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(why), "{said}");
}

fn closed() -> Value {
    json!({"type": "object", "properties": {"seat": {"type": "string"}}, "required": ["seat"], "additionalProperties": false})
}

#[test]
fn each_option_that_was_altered_is_refused_by_name() {
    // Of a contract whose map stands under most of them as well, so that nothing but the comparison can refuse.
    let lines = certificates("replay-plain", &closed(), "portable");
    stands("replay-whole", &lines, &[]);
    for (option, value) in [
        ("unknown_keys", json!("as-written")),
        ("unknown_keys", json!("close-declared")),
        ("discovered", json!(false)),
        ("dialect", json!("2020-12")),
        ("set_aside", json!(["/properties/seat/type"])),
        ("set_aside", json!(["/nowhere"])),
        ("decode", json!([{"step": "enum-text", "location": "/seat"}])),
        ("any_root", json!(true)),
        ("absent_additional_is_closed", json!(true)),
        ("pattern_is_full_match", json!(true)),
        ("untyped_is_string", json!(true)),
        ("nullable", json!(true)),
        ("ignored_keywords", json!(["required"])),
    ] {
        let mut altered = lines.clone();
        altered[0]["certificate"]["options"][option] = value.clone();
        let output = replay("replay-altered", &altered, &[]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{option} {value}: {said}");
        assert!(said.starts_with("line 1: book for portable: ") && said.ends_with("no certificate stands\n"), "{said}");
        assert!(said.contains(&format!("`{option}` is ")), "{option}: {said}");
    }
}

#[test]
fn the_steps_that_are_done_to_arguments_are_those_of_the_form() {
    let schema = json!({"type": "object", "properties": {"seat": {"type": "string"}, "row": {"type": "integer"}}, "required": ["seat"]});
    let lines = certificates("replay-strict", &schema, "openai-strict");
    assert_eq!(lines[0]["certificate"]["options"]["decode"][0]["step"], "null-means-absent");
    stands("replay-strict-whole", &lines, &[]);
    let mut altered = lines.clone();
    let steps = altered[0]["certificate"]["options"]["decode"].as_array_mut().unwrap();
    steps.push(json!({"step": "null-means-absent", "location": "/seat"}));
    refused("replay-strict-altered", &altered, &[], "\"null-means-absent /seat\"] and would be [");
    // The line says for whom it is: the form and the reading are then that reader's.
    let mut renamed = lines;
    renamed[0]["profile"] = json!("portable");
    refused("replay-renamed", &renamed, &[], "its profile is shown this contract in another form");
}

#[test]
fn what_is_left_to_the_server_is_worked_out_again() {
    let schema = json!({"type": "object", "properties": {"seat": {"type": "string", "pattern": "(?<n>a)\\k<n>"}}});
    let lines = certificates("replay-left", &schema, "portable");
    assert_eq!(lines[0]["certificate"]["options"]["set_aside"], json!(["/properties/seat/pattern"]));
    stands("replay-left-whole", &lines, &[]);
    let mut altered = lines;
    altered[0]["certificate"]["options"]["set_aside"] = json!(["/properties/seat/pattern", "/properties/seat/type"]);
    refused(
        "replay-left-altered",
        &altered,
        &[],
        "`set_aside` is [\"/properties/seat/pattern\",\"/properties/seat/type\"]",
    );
}

#[test]
fn the_command_line_says_what_is_meant() {
    let lines = certificates("replay-meant", &closed(), "portable");
    refused("replay-meant-a", &lines, &["--origin", "authored"], "`discovered` is true and would be false");
    refused("replay-meant-b", &lines, &["--unknown-keys", "close-declared"], "`unknown_keys` is close-root");
    stands("replay-meant-c", &lines, &["--profile", "portable"]);
    refused("replay-meant-d", &lines, &["--profile", "gemini"], "no certificate for gemini stands");
    let policy = file("replay-policy.json", r#"{"tools": {"book": {"unknown_keys": "close-declared"}}}"#);
    refused("replay-meant-e", &lines, &["--policy", policy.to_str().unwrap()], "`unknown_keys` is close-root");
    let mut counter = lines;
    counter[0]["certificate"]["verdict"] = json!("refuted");
    counter[0]["certificate"]["counterexample_text"] = json!("{\"seat\":\"1\"}");
    refused("replay-meant-f", &counter, &[], "it certifies a counterexample, and is no proof");
}

#[test]
fn a_certificate_that_is_none_is_refused_by_what_is_wrong_with_it() {
    let lines = certificates("replay-none", &closed(), "portable");
    let line = lines[0].to_string();
    let altered = |name: &str, from: &str, to: &str, why: &str| {
        let changed = line.replacen(from, to, 1);
        assert_ne!(changed, line);
        let path = file(&format!("replay-none-{name}.jsonl"), &(changed + "\n"));
        let output = toolgate(&["prove", "--replay"]).arg(path).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
    };
    let verdict = r#""verdict":"proven""#;
    altered(
        "twice",
        verdict,
        r#""verdict":"refuted","verdict":"proven""#,
        "a member name is given twice in one object",
    );
    altered(
        "refuted",
        verdict,
        r#""verdict":"refuted""#,
        "the certificate has no `counterexample_text` that is a string",
    );
    altered("gone", r#""map":"#, r#""mop":"#, "`certificate` has a member that is not known: `mop`");
    altered("more", verdict, r#""verdict":"proven","by":"me""#, "`certificate` has a member that is not known: `by`");
    altered("entry", r#""map":[{"#, r#""map":[{"by":1,"#, "`map` has a member that is not known: `by`");
    altered("number", verdict, r#""verdict":1"#, "the certificate has no `verdict` that is a string");
    altered("range", verdict, r#""verdict":1e99999"#, "an exponent beyond 10,000");
    altered("surrogate", r#""tool":"book""#, r#""tool":"\ud800""#, "a lone surrogate");
}

#[test]
fn a_file_of_any_length_is_replayed_line_by_line() {
    let lines = certificates("replay-long", &closed(), "portable");
    // More than one text may be, in few lines.
    let long = lines[0].to_string() + &" ".repeat(33 * 1024 * 1024) + "\n";
    let path = file("replay-long-all.jsonl", &long.repeat(2));
    let output = toolgate(&["prove", "--replay"]).arg(&path).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text(&output), "2 certificates stand, each replayed step by step\n");
}
