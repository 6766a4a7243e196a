//! `toolgate advertise`, `prove` and `profiles` as their user runs them.

use crate::support::{self, text, toolgate};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::LazyLock;

fn file(name: &str, text: &str) -> PathBuf {
    support::file(&format!("shown-{name}"), text)
}

#[track_caller]
fn run(args: &[&str], code: i32) -> String {
    let output = toolgate(args).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{}{complaint}", text(&output));
    text(&output)
}

#[track_caller]
fn has(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
}

/// Written once, though several tests read it.
fn union() -> PathBuf {
    static UNION: LazyLock<PathBuf> = LazyLock::new(write_union);
    UNION.clone()
}

fn write_union() -> PathBuf {
    let schema = json!({ "type": "object", "oneOf": [
        { "properties": { "op": { "const": "list" } }, "required": ["op"] },
        { "properties": { "op": { "const": "get" }, "id": { "type": ["integer", "null"] } }, "required": ["op", "id"] }
    ] });
    file("union.json", &schema.to_string())
}

#[test]
fn what_a_model_is_shown_stands_under_the_contract_or_beside_it() {
    let schema = union();
    let schema = schema.to_str().unwrap();
    let narrow = run(&["advertise", schema], 0);
    has(
        &narrow,
        &[
            "contract\n{",
            "\nshown to portable: any model or client\n{",
            "\"oneOf\": [",
            "proven    what is shown admits every call",
            " bytes, about ",
        ],
    );
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(!narrow.contains('\u{1b}'));
    let wide = toolgate(&["advertise", schema]).env("COLUMNS", "120").output().unwrap();
    let wide = text(&wide);
    assert!(wide.lines().next().unwrap().contains("│ shown to portable"), "{wide}");
    assert!(wide.lines().all(|line| line.chars().count() <= 120), "{wide}");
    let forced = toolgate(&["advertise", schema]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(text(&forced).contains('\u{1b}'));
}

#[test]
fn how_a_call_is_read_back_and_what_is_lost_is_said() {
    let schema = file("names.json", &json!({ "properties": { "a b": { "type": ["string", "integer"] } } }).to_string());
    let gemini = run(&["advertise", schema.to_str().unwrap(), "--profile", "gemini"], 0);
    has(&gemini, &["decode    the root: `a b` is sent as `a_b`", "notes     /a b: the reader takes no list of types"]);
    let strict = run(&["advertise", union().to_str().unwrap(), "--profile", "openai-strict"], 0);
    has(&strict, &["strict    cannot be had: null is a value of its own"]);
}

#[test]
fn the_form_for_a_program_is_that_of_the_batch() {
    let path = union();
    let schema = std::fs::read_to_string(&path).unwrap();
    let once = run(&["advertise", path.to_str().unwrap(), "--profile", "gemini", "--format", "json"], 0);
    let request = format!(r#"{{"schema":{schema},"profile":"gemini"}}"#);
    let mut child = toolgate(&["advertise", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
    let batch = child.wait_with_output().unwrap();
    assert_eq!(once, text(&batch));
    let once: Value = serde_json::from_str(&once).unwrap();
    assert_eq!((&once["status"], &once["proof"]["verdict"]), (&json!("advertised"), &json!("proven")));
}

#[test]
fn advertise_ends_with_what_became_of_the_schema() {
    let broken = file("broken.json", r#"{"type":"object","properties":{"a":{"type":"text"}}}"#);
    let broken = broken.to_str().unwrap();
    has(
        &run(&["advertise", broken], 65),
        &["unusable: the schema does not compile", "/properties/a/type: `type` must be"],
    );
    let report: Value = serde_json::from_str(&run(&["advertise", broken, "--format", "json"], 65)).unwrap();
    assert_eq!((&report["status"], &report["defects"][0]["code"]), (&json!("quarantined"), &json!("type")));
    let never = file("never.json", r#"{"const":{"a":1},"required":["b"]}"#);
    let never = never.to_str().unwrap();
    has(&run(&["advertise", never], 1), &["nothing is shown to portable"]);
    let report: Value = serde_json::from_str(&run(&["advertise", never, "--format", "json"], 1)).unwrap();
    assert_eq!(report["defects"][0]["code"], "not-advertised");
    run(&["advertise", "/nowhere/at/all.json"], 65);
    run(&["advertise"], 64);
    let union = union();
    let union = union.to_str().unwrap();
    run(&["advertise", union, "--profile", "opnai"], 64);
    run(&["advertise", union, "--alias", "former"], 64);
    run(&["advertise", union, "--alias", "nowhere=former"], 64);
    run(&["advertise", union, "--jsonl"], 64);
    run(&["advertise", union, "--alias", "op=action", "--origin", "discovered", "--unknown-keys", "as-written"], 0);
}

#[test]
fn an_alias_is_never_shown_and_the_roots_policy_only_if_asked() {
    let schema = file("alias.json", r#"{"type":"object","properties":{"seat":{"type":"string"}}}"#);
    let schema = schema.to_str().unwrap();
    let shown = run(&["advertise", schema, "--alias", "seat=place", "--format", "json"], 0);
    assert!(!shown.contains("place"), "{shown}");
    has(&shown, &[r#"\"additionalProperties\":false"#.replace('\\', "").as_str()]);
    let silent = run(&["advertise", schema, "--root-policy", "silent", "--format", "json"], 0);
    assert!(!silent.contains("additionalProperties"), "{silent}");
}

#[test]
fn a_schema_of_a_stranger_does_not_steer_the_terminal() {
    let schema = file(
        "steer.json",
        "{\"properties\":{\"a\u{9b}2J\u{202e}\":{\"type\":\"string\",\"description\":\"\\u001b[2J \u{7f}\u{200b}\"}},\"required\":[\"\u{2066}b\"]}",
    );
    for profile in ["portable", "gemini", "anthropic"] {
        let shown = run(&["advertise", schema.to_str().unwrap(), "--profile", profile], 0);
        let steers = |ch: char| {
            ch != '\n'
                && (ch.is_control() || matches!(u32::from(ch), 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f))
        };
        assert!(!shown.contains(steers), "{shown:?}");
    }
}

#[test]
fn a_verdict_is_said_with_the_call_that_is_hidden() {
    let contract = file("contract.json", r#"{"properties":{"list":{"type":"array","items":{"enum":["a","b"]}}}}"#);
    let narrow = file("narrow.json", r#"{"properties":{"list":{"type":"array","items":{"enum":["a"]}}}}"#);
    let (contract, narrow) = (contract.to_str().unwrap(), narrow.to_str().unwrap());
    has(
        &run(&["prove", contract, contract], 0),
        &["proven: what is shown admits every call that the contract admits\n"],
    );
    let refuted = run(&["prove", contract, narrow], 1);
    has(
        &refuted,
        &["refuted: the contract admits the call below, and what is shown refuses it at", "/list/*", "\"b\"  ← here"],
    );
    assert!(refuted.lines().all(|line| line.chars().count() <= 80), "{refuted}");
    let report: Value = serde_json::from_str(&run(&["prove", contract, narrow, "--format", "json"], 1)).unwrap();
    assert_eq!((&report["proof"]["verdict"], &report["proof"]["location"]), (&json!("refuted"), &json!("/list/*")));
    let call: Value = serde_json::from_str(report["proof"]["counterexample_text"].as_str().unwrap()).unwrap();
    assert!(call["list"].as_array().unwrap().contains(&json!("b")));
}

#[test]
fn the_readers_reading_the_dialect_and_the_policy_count() {
    let open = file(
        "open.json",
        r#"{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}}}}}"#,
    );
    let open = open.to_str().unwrap();
    run(&["prove", open, open], 0);
    // Whoever reads silence as closed would never write an undeclared key.
    run(&["prove", open, open, "--profile", "xai"], 1);
    let closed =
        file("closed.json", r#"{"type":"object","properties":{"o":{"type":"object"}},"additionalProperties":false}"#);
    let closed = closed.to_str().unwrap();
    run(&["prove", open, closed], 0);
    run(&["prove", open, closed, "--unknown-keys", "as-written"], 1);
    let reference = file(
        "reference.json",
        r##"{"properties":{"a":{"$ref":"#/definitions/A","type":"string"}},"definitions":{"A":{}}}"##,
    );
    let reference = reference.to_str().unwrap();
    let text = file("text.json", r#"{"properties":{"a":{"type":"string"}}}"#);
    let text = text.to_str().unwrap();
    run(&["prove", reference, text], 0);
    run(&["prove", reference, text, "--dialect", "draft-07"], 1);
    let steps = file("steps.json", r#"[{"step":"rename","location":"","name":"a","sent":"b"}]"#);
    let closed = file("a.json", r#"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#);
    let closed = closed.to_str().unwrap();
    let shown = file("b.json", r#"{"properties":{"b":{"type":"string"}},"additionalProperties":false}"#);
    let shown = shown.to_str().unwrap();
    run(&["prove", closed, shown], 1);
    run(&["prove", closed, shown, "--decode", steps.to_str().unwrap()], 0);
}

#[test]
fn neither_proven_nor_refuted_ends_as_was_asked() {
    // Whether one pattern says no more than the other is not decided.
    let contract =
        file("pattern.json", r#"{"properties":{"a":{"type":"string","not":{"pattern":"^(aa)*$"},"pattern":"^a*$"}}}"#);
    let shown = file("pattern-shown.json", r#"{"properties":{"a":{"type":"string","pattern":"^a(aa)*$"}}}"#);
    let args = ["prove", contract.to_str().unwrap(), shown.to_str().unwrap()];
    let verdict = run(&args, 0);
    has(&verdict, &["unknown: neither a proof nor a hidden call was found", "not settled; "]);
    assert!(!verdict.contains("checked by"), "{verdict}");
    run(&[&args[..], &["--deny", "unknown"]].concat(), 1);
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let schema = union();
    let schema = schema.to_str().unwrap();
    let cut = file("cut.json", "{");
    run(&["prove", schema, cut.to_str().unwrap()], 65);
    run(&["prove", schema, "/nowhere/at/all.json"], 65);
    run(&["prove", schema, schema, "--decode", cut.to_str().unwrap()], 65);
    let odd = file("odd.json", r#"[{"step":"guess","location":""}]"#);
    run(&["prove", schema, schema, "--decode", odd.to_str().unwrap()], 65);
    run(&["prove", schema], 64);
    run(&["prove", schema, schema, "--dialect", "draft-99"], 64);
    run(&["prove", schema, schema, "--profile", "opnai"], 64);
    run(&["prove", "--jsonl", schema], 64);
}

#[test]
fn profiles_are_a_table_and_each_can_be_seen_whole() {
    let table = run(&["profiles"], 0);
    for profile in toolgate::Profile::all() {
        assert!(table.lines().any(|line| line.starts_with(&format!("{} ", profile.name))), "no {profile} in\n{table}");
        let one = run(&["profiles", profile.name], 0);
        has(&one, &[profile.name, "names of tools", "source", "description_chars_max"]);
        assert!(one.lines().all(|line| line.chars().count() <= 80), "{one}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    run(&["profiles", "opnai"], 64);
}

#[test]
fn profiles_are_data_for_a_program() {
    let all: Value = serde_json::from_str(&run(&["profiles", "--format", "json"], 0)).unwrap();
    let all = all["profiles"].as_array().unwrap();
    assert_eq!(all.len(), toolgate::Profile::all().len());
    for profile in all {
        assert!(profile["sources"][0]["title"].is_string() && profile["sources"][0]["seen"].is_string(), "{profile}");
        assert!(profile["values"]["shape"].is_string() && profile["values"]["bounds"].is_boolean(), "{profile}");
        let name = profile["name"].as_str().unwrap();
        let one: Value = serde_json::from_str(&run(&["profiles", name, "--format", "json"], 0)).unwrap();
        assert_eq!(one, *profile);
    }
    let strict = all.iter().find(|profile| profile["name"] == "anthropic-strict").unwrap();
    assert_eq!((&strict["strict"]["tools_max"], &strict["strict"]["optional_max"]), (&json!(20), &json!(24)));
}
