//! `toolgate demo` as its user runs it: the played session goes as it is told, and the served one speaks protocol only.

#[cfg(target_os = "linux")]
use crate::support::on_a_terminal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

fn toolgate(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_played_session_goes_as_it_is_told() {
    let output = toolgate(&["demo"]).output().unwrap();
    let text = text(&output);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for expected in [
        "the rehearsal edited the file for real",
        "/dry_run: unknown argument; did you mean `dryRun`?",
        "would edit notes.md; nothing was written",
        "everything was deleted, 2 younger files too",
        r#"→ {"title":"Pier","prompt":"Measure the pier at low water."}"#,
        "/config: must be",
        "/steps/1: missing required `line`, `text`",
        "/blocks/1/data: missing required `artifactId`",
        "│ data.artifactId is required",
        "10 calls: 7 refused in words to mend them by, 2 read as they were meant, 1 left to its server.",
        "toolgate run -- COMMAND ARGS…",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(!text.contains("NOT AS IT SHOULD BE"));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_planted_secret_is_told_by_the_bare_server_and_not_by_the_guard() {
    let text = text(&toolgate(&["demo"]).output().unwrap());
    // Once in the call as it was sent, once in the bare server's answer.
    assert_eq!(text.matches("sk-demo-5ea1ed").count(), 2, "{text}");
}

#[test]
fn colours_are_for_those_who_want_them() {
    assert!(!text(&toolgate(&["demo"]).output().unwrap()).contains('\u{1b}'), "a pipe gets plain text");
    let forced = toolgate(&["demo"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(text(&forced).contains('\u{1b}'));
    let refused = toolgate(&["demo"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!text(&refused).contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn no_line_is_wider_than_the_screen_and_none_is_broken_in_a_pipe() {
    let Some(shown) = on_a_terminal("COLUMNS=80 NO_COLOR=1", "demo") else { return };
    let widest = shown.lines().max_by_key(|line| line.trim_end().chars().count()).unwrap();
    assert!(widest.trim_end().chars().count() <= 80, "{widest}");
    let piped = text(&toolgate(&["demo"]).env("COLUMNS", "80").output().unwrap());
    assert!(
        piped.lines().any(|line| line.ends_with("each sent to a bare server and to one behind toolgate.")),
        "{piped}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = toolgate(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// One session over a served demo: the frames, then the end of input.
fn served(option: &str, frames: &[Value]) -> (Vec<Value>, Option<i32>) {
    let mut child =
        toolgate(&["demo", option]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answers = Vec::new();
    for frame in frames {
        writeln!(input, "{frame}").unwrap();
        while let Some(id) = frame.get("id") {
            let answer: Value =
                serde_json::from_str(&lines.next().expect("an answer").unwrap()).expect("protocol only");
            assert_eq!(answer["jsonrpc"], "2.0");
            let found = answer.get("id") == Some(id);
            answers.push(answer);
            if found {
                break;
            }
        }
    }
    drop(input);
    assert!(lines.next().is_none(), "nothing is said after the last answer");
    (answers, child.wait().unwrap().code())
}

/// A session with one call.
fn call(tool: &str, arguments: &Value) -> [Value; 3] {
    [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
    ]
}

fn misspelt_edit() -> [Value; 3] {
    let edits = json!([{"oldText": "Monday", "newText": "Tuesday"}]);
    call("edit_file", &json!({"path": "notes.md", "edits": edits, "dry_run": true}))
}

/// What a call through the guard came to: the text, and codes and places of a refusal of ours.
fn guarded(tool: &str, arguments: &Value) -> (String, Vec<(String, String)>) {
    let (answers, _) = served("--serve", &call(tool, arguments));
    let result = &answers.last().unwrap()["result"];
    let violations = result["_meta"]["toolgate/refusal"]["violations"].as_array().into_iter().flatten();
    let word = |violation: &Value, name: &str| violation[name].as_str().unwrap().to_owned();
    let violations = violations.map(|violation| (word(violation, "code"), word(violation, "location"))).collect();
    (result["content"][0]["text"].as_str().unwrap().to_owned(), violations)
}

#[test]
fn the_served_demo_is_guarded() {
    let (answers, code) = served("--serve", &misspelt_edit());
    let answer = answers.last().unwrap();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"], "unknown-argument");
    assert_eq!(code, Some(0));
}

#[test]
fn the_bare_server_is_not() {
    let (answers, code) = served("--server", &misspelt_edit());
    assert_eq!(answers.last().unwrap()["result"]["content"][0]["text"], "edited notes.md");
    assert_eq!(code, Some(0));
}

/// R9.3: what lies inside the union is the server's to say, what lies outside is ours, and then the union is not spoken of.
#[test]
fn a_union_without_labels_is_left_to_its_server() {
    let wrong = json!({"caption": "Chart"});
    let (text, violations) = guarded("add_block", &json!({"lesson": "Tides", "type": "artifact", "data": wrong}));
    assert_eq!((text.as_str(), violations.len()), ("data.artifactId is required", 0));

    let (text, violations) = guarded("add_block", &json!({"type": "artefact", "data": wrong}));
    let expected = [("required", ""), ("enum", "/type")].map(|(code, place)| (code.to_owned(), place.to_owned()));
    assert_eq!(violations, expected, "{text}");
    assert!(text.contains("missing required `lesson`") && !text.contains("/data"), "{text}");

    let right = json!({"lesson": "Tides", "type": "artifact", "data": {"artifactId": "c7"}});
    assert_eq!(guarded("add_block", &right).0, "block 1 added");
}

#[test]
fn both_names_of_one_argument_create_no_task() {
    let both = json!({"title": "Pier", "prompt": "Measure it.", "description": "Measure it."});
    assert_eq!(guarded("create_task", &both).1, [("alias-conflict".to_owned(), String::new())]);
}
