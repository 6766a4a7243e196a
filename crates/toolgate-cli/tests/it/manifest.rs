//! `manifest`: one JSON text on standard output, what was done to a tool on standard error.

use crate::support::{file, text, toolgate};
use serde_json::{Value, json};
use std::process::Output;

fn catalogue(name: &str) -> String {
    let tools = json!({"tools": [
        {"name": "files/read", "description": "Reads.", "inputSchema":
            {"type": "object", "properties": {"path": {"type": "string"}, "head": {"type": "integer"}}, "required": ["path"]}},
        {"name": "bad", "inputSchema": {"type": "nonsense"}},
        {"nome": "x"},
        {"name": "open\u{1b}[2J", "inputSchema": {"type": "object", "additionalProperties": true}},
    ]});
    file(name, &tools.to_string()).to_str().unwrap().to_owned()
}

fn manifest(catalogue: &str, words: &[&str]) -> Output {
    toolgate(&["manifest", "--catalog", catalogue]).args(words).output().unwrap()
}

fn notes(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_list_is_json_and_what_was_done_is_told_beside_it() {
    let catalogue = catalogue("manifest-notes.json");
    let output = manifest(&catalogue, &["--for", "openai-responses", "--strict"]);
    assert_eq!(output.status.code(), Some(0));
    let list: Value = serde_json::from_str(&text(&output)).unwrap();
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["files_read", "open__2J"]);
    assert_eq!((&list[0]["strict"], &list[1]["strict"]), (&json!(true), &json!(false)));
    assert_eq!(list[0]["parameters"]["required"], json!(["path", "head"]));
    let notes = notes(&output);
    for told in [
        "note: entry 3 of the list is left out: the tool has no name\n",
        "note: `bad` is left out: `type` must be",
        "note: `files/read` is called `files_read`\n",
        "note: arguments for `files/read` come in another form, and are read back in 1 step",
        "is not strict: undeclared keys are taken",
    ] {
        assert!(notes.contains(told), "{told} in {notes}");
    }
    assert!(!notes.contains('\u{1b}'), "{notes}");
}

#[test]
fn nothing_is_told_of_what_was_left_as_it_is() {
    let tools = json!([{"name": "ping", "description": "Pings.", "inputSchema": {"type": "object"}}]);
    let catalogue = file("manifest-plain.json", &tools.to_string());
    for provider in ["openai-chat", "openai-responses", "anthropic", "gemini", "mistral", "bedrock"] {
        let output = manifest(catalogue.to_str().unwrap(), &["--for", provider]);
        assert_eq!((output.status.code(), notes(&output).as_str()), (Some(0), ""), "{provider}");
        let list: Value = serde_json::from_str(&text(&output)).unwrap();
        assert_eq!(list.as_array().unwrap().len(), 1, "{provider}");
    }
}

#[test]
fn mistakes_are_usage() {
    let catalogue = catalogue("manifest-mistakes.json");
    let output = manifest(&catalogue, &["--for", "gemini", "--strict"]);
    assert_eq!((output.status.code(), notes(&output).as_str()), (Some(64), "error: gemini has no strict mode\n"));
    assert_eq!(manifest(&catalogue, &["--for", "nobody"]).status.code(), Some(64));
    assert_eq!(manifest(&catalogue, &[]).status.code(), Some(64));
    assert_eq!(toolgate(&["manifest", "--for", "gemini"]).output().unwrap().status.code(), Some(64));
    assert_eq!(manifest("/nonexistent.json", &["--for", "gemini"]).status.code(), Some(65));
}

#[cfg(unix)]
#[test]
fn a_server_is_asked_for_its_tools() {
    let script = r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
        read b; read c; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"ping","inputSchema":{"type":"object"}}]}}'; cat > /dev/null"#;
    let output = toolgate(&["manifest", "--for", "anthropic", "--", "sh", "-c", script]).output().unwrap();
    let list: Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!((output.status.code(), &list[0]["name"]), (Some(0), &json!("ping")));
}
