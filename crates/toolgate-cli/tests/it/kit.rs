//! `toolgate test` as its user runs it: the cases of this project and of the folder beside it, contracts from everywhere, mistakes,
//! reports, and what a guard records.

use crate::support::{text, toolgate};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kit-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn cases_of(cases: &Value) -> String {
    json!({ "format": "toolgate-cases/1", "cases": cases }).to_string()
}

fn run(args: &[&str], paths: &[&Path]) -> Output {
    toolgate(&["test"]).args(paths).args(args).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn read(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}{}", text(output), errors(output)))
}

const BOOK: &str = r#"{"type":"object","properties":{"seat":{"type":"string"},"rows":{"type":"array","items":{"type":"integer"}}},"required":["seat"]}"#;

fn judge(id: &str, request: &Value, expect: &Value) -> Value {
    json!({ "id": id, "kind": "judge", "request": request, "expect": expect })
}

// ---- the project's own cases, which the Python runner passes too

/// Every case of the files passes, and there are as many as the files have.
#[track_caller]
fn all_pass(folder: &Path, files: &[&str]) {
    for file in files {
        let path = folder.join(file);
        let cases: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let output = run(&["--format", "json"], &[&path]);
        let report = read(&output);
        let failed: Vec<&Value> =
            report["cases"].as_array().unwrap().iter().filter(|case| case["status"] != "passed").collect();
        assert!(failed.is_empty(), "{file}: {failed:?}");
        assert_eq!(report["passed"], json!(cases["cases"].as_array().unwrap().len()), "{file}");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn the_cases_of_this_project_pass() {
    all_pass(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"),
        &["judge.json", "advertise.json", "argv.json"],
    );
}

#[test]
fn the_cases_beside_the_checkout_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("TOOLGATE_SHARED").unwrap_or_else(|| "../shared".into());
    let cases = root.join(&shared).join("cases");
    if shared == "none" || !cases.is_dir() {
        let may_skip = shared == "none" || std::env::var_os("TOOLGATE_NO_SKIP").is_none_or(|value| value != "1");
        assert!(may_skip, "the cases beside this checkout are missing");
        println!("skipped: there are no cases beside this checkout (TOOLGATE_SHARED names their folder)");
        return;
    }
    all_pass(&cases, &["judge.json", "advertise.json", "prove.json", "argv.json"]);
}

/// A case that expects the contrary fails: each one, so that none passes for another reason than its own.
#[test]
fn the_contrary_of_every_case_fails() {
    let folder = folder("contrary");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    for (file, name, words) in [
        ("judge.json", "verdict", ["admitted", "refused"]),
        ("advertise.json", "status", ["advertised", "quarantined"]),
        ("argv.json", "usage", ["", ""]),
    ] {
        let mut cases: Value = serde_json::from_str(&std::fs::read_to_string(root.join(file)).unwrap()).unwrap();
        for case in cases["cases"].as_array_mut().unwrap() {
            let alternatives = case["expect"]["also_ok"].as_array().cloned().unwrap_or_default();
            let is = |word: &str| case["expect"][name] == word || alternatives.iter().any(|other| other[name] == word);
            let contrary = match file {
                "argv.json" if case["expect"]["usage"] == true => json!({ "arguments": {} }),
                "argv.json" => json!({ "usage": true }),
                _ => match words.into_iter().find(|word| !is(word)) {
                    Some(word) => json!({ name: word }),
                    // Either is right: then neither `unusable` nor a proof of nothing is.
                    None if name == "verdict" => json!({ "verdict": "unusable" }),
                    None => json!({ "status": "advertised", "facts": [{ "root_type": "none" }] }),
                },
            };
            case["expect"] = contrary;
        }
        let path = put(&folder, file, &cases.to_string());
        let report = read(&run(&["--format", "json"], &[&path]));
        let passed: Vec<&Value> =
            report["cases"].as_array().unwrap().iter().filter(|case| case["status"] == "passed").collect();
        assert!(passed.is_empty(), "{file}: {passed:?}");
    }
}

// ---- contracts

#[test]
fn contracts_come_from_the_case_a_file_a_catalogue_or_a_server() {
    let folder = folder("contracts");
    put(&folder, "book.schema.json", BOOK);
    put(&folder, "tools.json", &format!(r#"{{"tools":[{{"name":"book","inputSchema":{BOOK}}}]}}"#));
    let schema: Value = serde_json::from_str(BOOK).unwrap();
    let sources = [
        json!({ "schema": schema }),
        json!({ "schema_text": BOOK }),
        json!({ "schema_file": "book.schema.json" }),
        json!({ "catalog": "tools.json", "tool": "book" }),
        json!({ "use": "booking" }),
        json!({ "tool": "book" }),
    ];
    let mut cases = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let with = |arguments: Value| {
            let mut request = source.clone();
            request["arguments"] = arguments;
            request
        };
        let missing =
            json!({ "verdict": "refused", "violations": [{ "location": "", "code": "required" }], "only": true });
        let read = json!({ "verdict": "admitted", "arguments": { "seat": "1", "rows": [2] }, "edits": ["json-text"] });
        cases.push(judge(&format!("missing-{index}"), &with(json!({})), &missing));
        cases.push(judge(&format!("read-{index}"), &with(json!({ "seat": "1", "rows": "[2]" })), &read));
    }
    let file = json!({
        "format": "toolgate-cases/1",
        "contracts": { "booking": { "schema_file": "book.schema.json", "origin": "discovered" } },
        "cases": cases,
    });
    let path = put(&folder, "cases.json", &file.to_string());
    let catalog = folder.join("tools.json");
    let output = run(&["--catalog", catalog.to_str().unwrap()], &[&path]);
    assert_eq!((output.status.code(), &*text(&output)), (Some(0), "12 cases passed\n"), "{}", errors(&output));
    // Without a list, the last two name a tool of none.
    let output = run(&[], &[&path]);
    assert_eq!((output.status.code(), &*text(&output)), (Some(65), ""));
    assert!(errors(&output).contains("names a tool and no list of tools"), "{}", errors(&output));
}

#[test]
fn a_tool_of_a_live_server_is_judged_as_the_guard_judges_it() {
    let folder = folder("live");
    let unknown =
        json!({ "verdict": "refused", "violations": [{ "location": "/dry_run", "code": "unknown-argument" }] });
    let request = json!({ "tool": "edit_file", "arguments": { "path": "a", "edits": [], "dry_run": true } });
    let path = put(&folder, "cases.json", &cases_of(&json!([judge("dry", &request, &unknown)])));
    let server = env!("CARGO_BIN_EXE_toolgate");
    let output = toolgate(&["test"]).arg(&path).args(["--", server, "demo", "--server"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
    let output = toolgate(&["test"]).arg(&path).args(["--", "/nonexistent/server"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
}

// ---- mistakes

#[track_caller]
fn mistaken(name: &str, file: &str, expected: &[&str]) {
    let folder = folder(&format!("mistake-{name}"));
    let ending = if file.starts_with("{\"format\":\"toolgate-cases/1\"}") { "jsonl" } else { "json" };
    let path = put(&folder, &format!("cases.{ending}"), file);
    let output = run(&[], &[&path]);
    let told = errors(&output);
    assert_eq!((output.status.code(), &*text(&output)), (Some(65), ""), "{told}");
    for words in expected {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_run() {
    let good = judge("a", &json!({ "schema": {}, "arguments": {} }), &json!({ "verdict": "admitted" }));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut case = good.clone();
        change(&mut case);
        format!("{{\"format\":\"toolgate-cases/1\",\"cases\":[\n{case}]}}")
    };
    mistaken("member", &with(&|case| case["expects"] = json!(1)), &["cases.json:2:", "/expects: unknown argument"]);
    mistaken("verdict", &with(&|case| case["expect"] = json!({})), &["cases.json:2:", "case a", "missing", "verdict"]);
    mistaken("deep", &with(&|case| case["expect"]["edit"] = json!([])), &["/expect/edit", "`edits`"]);
    mistaken("word", &with(&|case| case["expect"]["verdict"] = json!("admited")), &["/expect/verdict", "admitted"]);
    mistaken("foreign", &with(&|case| case["expect"]["only"] = json!(true)), &["/expect/only"]);
    mistaken(
        "fact",
        &with(&|case| {
            case["kind"] = json!("advertise");
            case["request"] = json!({ "schema": {} });
            case["expect"] = json!({ "status": "advertised", "facts": [{ "root_typ": "object" }] });
        }),
        &["/expect/facts/0/root_typ", "root_type"],
    );
    mistaken(
        "nothing",
        &with(&|case| {
            case["kind"] = json!("argv");
            case["request"] = json!({ "schema": {}, "argv": [] });
            case["expect"] = json!({});
        }),
        &["it expects nothing"],
    );
    mistaken("messages", &with(&|case| case["kind"] = json!("messages")), &["kind `messages`", "plays a server"]);
    mistaken("option", &with(&|case| case["request"]["options"] = json!(["guess"])), &["a word of `options`"]);
    mistaken(
        "file",
        &with(&|case| case["request"] = json!({ "schema_file": "none.json" })),
        &["cannot read", "none.json"],
    );
    mistaken("source", &with(&|case| case["request"] = json!({ "arguments": {} })), &["it names one of schema,"]);
    mistaken("use", &with(&|case| case["request"] = json!({ "use": "x" })), &["no contract `x`"]);
    mistaken(
        "twice",
        &format!("{{\"format\":\"toolgate-cases/1\",\"cases\":[{good},\n {good}]}}"),
        &["cases.json:2:2: there are two cases `a` in the file"],
    );
    mistaken("none", r#"{"format":"toolgate-cases/1","cases":[]}"#, &["the file has no cases"]);
    mistaken("format", r#"{"format":"toolgate-cases/2","cases":[]}"#, &["it is no file of cases"]);
    mistaken("json", "{\"format\":\"toolgate-cases/1\",\n\"cases\":[", &["cases.json:2:10:"]);
    mistaken("lines", &format!("{{\"format\":\"toolgate-cases/1\"}}\n{good}\n{{\"id\":"), &["cases.jsonl:3: column 7"]);
}

#[test]
fn a_filter_that_leaves_nothing_is_a_mistake() {
    let folder = folder("filter");
    let case = |id: &str| judge(id, &json!({ "schema": {} }), &json!({ "verdict": "admitted" }));
    let path = put(&folder, "cases.json", &cases_of(&json!([case("one"), case("two"), case("three")])));
    assert_eq!(text(&run(&["--filter", "one", "--filter", "thr"], &[&path])), "2 cases passed\n");
    let output = run(&["--filter", "four"], &[&path]);
    assert_eq!(output.status.code(), Some(64), "{}", errors(&output));
}

// ---- reports

fn mixed(name: &str) -> PathBuf {
    let folder = folder(name);
    put(&folder, "other.json", r#"{"type":"object"}"#);
    put(&folder, "broken.schema.txt", "{");
    let schema: Value = serde_json::from_str(BOOK).unwrap();
    let request = |arguments: Value| json!({ "schema": schema, "arguments": arguments });
    let mut wrong = judge("wrong", &request(json!({ "seat": 7 })), &json!({ "verdict": "admitted" }));
    wrong["title"] = json!("A number is a seat < & >");
    let mut skipped = judge("later", &request(json!({})), &json!({ "verdict": "admitted" }));
    skipped["skip"] = json!("not yet");
    let right = judge("right", &request(json!({ "seat": "7" })), &json!({ "verdict": "admitted" }));
    put(&folder, "cases.json", &cases_of(&json!([right, wrong, skipped])));
    folder
}

#[test]
fn a_failure_shows_what_was_expected_beside_what_came() {
    let output = run(&[], &[&mixed("human")]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    for words in [
        "FAIL  wrong",
        "A number is a seat < & >",
        "wanted admitted, got refused",
        "expected",
        "│ got",
        "\"code\": \"type\"",
        "skip  later",
        "not yet",
        "1 case passed, 1 failed, 1 skipped",
    ] {
        assert!(shown.contains(words), "{words:?} is not in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colours into a pipe");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn programs_get_json_or_junit() {
    let report = read(&run(&["--format", "json"], &[&mixed("json")]));
    assert_eq!((&report["passed"], &report["failed"], &report["skipped"]), (&json!(1), &json!(1), &json!(1)));
    let wrong = &report["cases"][1];
    assert_eq!(
        (&wrong["id"], &wrong["status"], &wrong["got"]["verdict"]),
        (&json!("wrong"), &json!("failed"), &json!("refused"))
    );
    assert_eq!(wrong["expected"], json!({ "verdict": "admitted" }));
    let output = run(&["--format", "junit"], &[&mixed("junit")]);
    let junit = text(&output);
    assert_eq!(output.status.code(), Some(1));
    for words in [
        r#"<?xml version="1.0" encoding="UTF-8"?>"#,
        r#"tests="3""#,
        r#"failures="1""#,
        r#"<testcase name="wrong" classname="judge""#,
        r#"<failure message="wanted admitted, got refused">"#,
        "<skipped",
    ] {
        assert!(junit.contains(words), "{words:?} is not in\n{junit}");
    }
}

#[test]
fn one_case_that_is_skipped_is_not_passed() {
    let folder = mixed("skipped");
    let output = run(&["--filter", "later"], &[&folder]);
    assert!(text(&output).contains("0 cases passed, 1 skipped"), "{}", text(&output));
}

// ---- what a guard records

const HANDSHAKE: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
];

/// The guard before the demo server: its answers, and its standard error.
#[cfg(unix)]
fn guarded(flags: &[&str], calls: &[(&str, &str)]) -> (Vec<Value>, String) {
    use std::io::Write;
    let program = env!("CARGO_BIN_EXE_toolgate");
    let mut command = toolgate(&["run"]);
    command.args(flags).args(["--", program, "demo", "--server"]);
    let piped = std::process::Stdio::piped;
    let mut guard = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    let mut input = guard.stdin.take().unwrap();
    for line in HANDSHAKE {
        writeln!(input, "{line}").unwrap();
    }
    for (index, (tool, arguments)) in calls.iter().enumerate() {
        let id = index + 1;
        let call = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        writeln!(input, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{call}}}"#).unwrap();
    }
    drop(input);
    let output = guard.wait_with_output().unwrap();
    let answers = text(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (answers, errors(&output))
}

#[cfg(unix)]
const CALLS: [(&str, &str); 6] = [
    ("view_file", r#"{"path":"SECRET-1"}"#),
    ("view_file", r#"{"path":"[\"SECRET-2\"]"}"#),
    ("edit_file", r#"{"path":"SECRET-3","edits":[],"SECRETKEY":true}"#),
    ("edit_file", r#"{"path":"SECRET-4","edits":"[{\"oldText\":\"SECRET-5\",\"newText\":\"\"}]","dryRun":"true"}"#),
    ("edit_file", r#"{"path":7}"#),
    ("view_file", r#"{"path":"SECRET-6"}"#),
];

#[cfg(unix)]
#[test]
fn what_a_guard_records_is_tested_and_holds_no_value() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("record");
    let path = folder.join("calls.jsonl");
    let flags = ["--record", path.to_str().unwrap()];
    let (answers, told) = guarded(&flags, &CALLS);
    assert_eq!(answers.len(), CALLS.len() + 1, "{told}");
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(!recorded.contains("SECRET"), "{recorded}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    // Two contracts, and five cases: the last call is like the first.
    let lines: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().filter(|line| line.get("contract").is_some()).count(), 2, "{recorded}");
    let cases: Vec<&Value> = lines.iter().filter(|line| line.get("id").is_some()).collect();
    let verdicts: Vec<&str> = cases.iter().map(|case| case["expect"]["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["admitted", "refused", "refused", "admitted", "refused"], "{recorded}");
    assert_eq!(cases[2]["expect"]["violations"][0], json!({ "location": "/key1", "code": "unknown-argument" }));
    assert_eq!(cases[3]["expect"]["edits"].as_array().unwrap().len(), 2, "{recorded}");
    let output = run(&[], &[&path]);
    assert_eq!((output.status.code(), &*text(&output)), (Some(0), "5 cases passed\n"), "{}", errors(&output));
    // Another guard adds what is new, and nothing that is there.
    guarded(&flags, &[("view_file", r#"{"path":"SECRET-7"}"#), ("view_file", "{}")]);
    assert_eq!(text(&run(&[], &[&path])), "6 cases passed\n");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&recorded));
}

#[cfg(unix)]
#[test]
fn recorded_calls_are_held_against_what_a_list_says_now() {
    let folder = folder("as-listed");
    let path = folder.join("calls.jsonl");
    guarded(&["--record", path.to_str().unwrap()], &CALLS);
    let program = env!("CARGO_BIN_EXE_toolgate");
    let now = |command: &[&str]| toolgate(&["test", "--as-listed"]).arg(&path).args(command).output().unwrap();
    let same = now(&["--", program, "demo", "--server"]);
    assert_eq!((same.status.code(), &*text(&same)), (Some(0), "5 cases passed\n"), "{}", errors(&same));
    // One tool takes lists no more, the other any key.
    let one = r#"{"name":"view_file","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path"]}}"#;
    let other = r#"{"name":"edit_file","inputSchema":{"additionalProperties":true}}"#;
    let catalog = put(&folder, "next.json", &format!(r#"{{"tools":[{one},{other}]}}"#));
    let next = now(&["--catalog", catalog.to_str().unwrap()]);
    assert_eq!(next.status.code(), Some(1), "{}", errors(&next));
    assert!(text(&next).ends_with("1 case passed, 4 failed\n"), "{}", text(&next));
    assert_eq!(now(&[]).status.code(), Some(64));
}

#[cfg(unix)]
#[test]
fn values_are_recorded_where_that_is_asked() {
    let path = folder("record-values").join("calls.jsonl");
    guarded(&["--record", path.to_str().unwrap(), "--record-values"], &CALLS);
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!((1..=6).all(|number| recorded.contains(&format!("SECRET-{number}"))), "{recorded}");
    let output = run(&[], &[&path]);
    assert_eq!((output.status.code(), &*text(&output)), (Some(0), "6 cases passed\n"), "{}", errors(&output));
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_changes_no_call() {
    let folder = folder("record-fails");
    let other = put(&folder, "other.txt", "somebody's notes\n");
    let unwritable = folder.join("none").join("calls.jsonl");
    for path in [&other, &unwritable, &folder] {
        let (answers, told) = guarded(&["--record", path.to_str().unwrap()], &CALLS[..2]);
        assert_eq!(answers.len(), 3, "{told}");
        assert_eq!(told.matches("record-failed").count(), 1, "{told}");
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "somebody's notes\n");
}

// ---- --watch

#[cfg(unix)]
#[test]
fn a_change_runs_the_cases_again_and_an_interrupt_ends() {
    use std::io::{BufRead, BufReader};
    let folder = folder("watch");
    put(&folder, "book.schema.json", BOOK);
    let admitted = json!({ "verdict": "admitted" });
    let case = judge("a", &json!({ "schema_file": "book.schema.json", "arguments": {} }), &admitted);
    put(&folder, "cases.json", &cases_of(&json!([case])));
    let mut command = toolgate(&["test", "--watch"]);
    let mut watching = command.arg(folder.join("cases.json")).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut counts = lines.filter(|line| line.contains("passed"));
    assert_eq!(counts.next().unwrap(), "0 cases passed, 1 failed");
    // The schema no longer asks for a seat; saved as editors save, by another file in its place.
    let beside = put(&folder, "saved.tmp", r#"{"type":"object","properties":{"seat":{"type":"string"}}}"#);
    std::fs::rename(beside, folder.join("book.schema.json")).unwrap();
    assert_eq!(counts.next().unwrap(), "1 case passed");
    let kill = std::process::Command::new("kill").args(["-INT", &watching.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(watching.wait().unwrap().code(), Some(130));
}
