//! `toolgate check` as its user runs it: what it says, in each format, and with what it ends.

use crate::support::{self, text, toolgate};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use toolgate::lint::Rule;

/// A file of this test, by a name that no other test uses.
fn file(name: &str, text: &str) -> PathBuf {
    support::file(&format!("check-{name}"), text)
}

fn catalogue(name: &str, tools: &Value) -> PathBuf {
    file(name, &json!({ "tools": tools }).to_string())
}

fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn run(path: &Path, options: &[&str], code: i32) -> Output {
    let output = toolgate(&["check"]).arg(path).args(options).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}{}", text(&output), complaint(&output));
    output
}

/// The JSON report.
#[track_caller]
fn report(path: &Path, options: &[&str], code: i32) -> Value {
    let output = run(path, &[options, &["--format", "json"]].concat(), code);
    let text = text(&output);
    assert_eq!(text.lines().count(), 1);
    serde_json::from_str(&text).unwrap()
}

fn good() -> Value {
    json!({ "name": "good", "description": "It does.", "inputSchema": { "type": "object", "properties": { "a": { "type": "string" } } } })
}

/// A warning about `/properties/q`, a note about its `format`.
fn doubtful() -> Value {
    json!({
        "name": "doubtful",
        "description": "It may.",
        "inputSchema": { "type": "object", "properties": { "q": { "type": ["string", "array"], "items": { "type": "string" }, "format": "uri" } } }
    })
}

fn broken() -> Value {
    json!({ "name": "broken", "description": "It does not.", "inputSchema": { "type": "object", "properties": { "x": { "type": "text" } } } })
}

fn rules(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (text(&finding["rule"]), text(&finding["tool"])))
        .collect()
}

#[test]
fn the_level_of_what_is_found_decides_the_exit() {
    let fine = catalogue("fine.json", &json!([good()]));
    for level in ["error", "warning", "note"] {
        run(&fine, &["--deny", level], 0);
    }
    let doubtful = catalogue("doubtful.json", &json!([good(), doubtful()]));
    run(&doubtful, &[], 0);
    run(&doubtful, &["--deny", "error"], 0);
    run(&doubtful, &["--deny", "warning"], 1);
    run(&doubtful, &["--deny", "note"], 1);
    let broken = catalogue("broken.json", &json!([good(), broken()]));
    run(&broken, &[], 1);
}

#[test]
fn a_person_reads_tool_by_tool_what_was_found() {
    let path = catalogue("human.json", &json!([good(), doubtful(), broken()]));
    let output = run(&path, &[], 1);
    let text = text(&output);
    for expected in [
        "doubtful  ",
        "  warning  ambiguous-string\n",
        "/properties/q: a string beside array: text of a list is refused\n",
        "  note     format-not-portable\n",
        "  error    schema-unusable\n",
        "/properties/x/type: `type` must be",
        "portable  2 tools shown, all proven; 1 closed; ",
        "failed  1 finding at or above error; 1 error, 1 warning, 1 note\n",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(!text.contains("good  "), "a tool that nothing is said of is not listed:\n{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains('\u{1b}'), "a pipe gets plain text");
    assert_eq!(complaint(&output), "", "and standard error, no terminal, no progress");
    let forced = toolgate(&["check"]).arg(&path).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(self::text(&forced).contains('\u{1b}'));
    let refused = toolgate(&["check"]).arg(&path).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!self::text(&refused).contains('\u{1b}'));
}

#[test]
fn a_program_reads_one_object() {
    let path = catalogue("json.json", &json!([good(), doubtful(), broken()]));
    let report = report(&path, &["--profile", "openai", "--profile", "gemini,openai"], 1);
    assert_eq!(
        (&report["target"], &report["deny"], &report["denied"]),
        (&json!("catalogue"), &json!("error"), &json!(1))
    );
    assert_eq!(report["totals"]["profiles"], json!(["openai", "gemini"]));
    assert_eq!(
        report["findings"][0],
        json!({
            "rule": "ambiguous-string", "level": "warning", "tool": "doubtful", "in": "schema", "location": "/properties/q",
            "message": "a string beside array: text of a list is refused", "allowed": false
        })
    );
    let by_reader =
        report["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "shown-in-part").unwrap();
    assert_eq!(
        (&by_reader["profile"], &by_reader["in"], &by_reader["location"]),
        (&json!("gemini"), &json!("arguments"), &json!("/q"))
    );
    let tools = report["tools"].as_array().unwrap();
    assert_eq!(
        tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["good", "doubtful", "broken"]
    );
    assert_eq!(tools[0]["served"]["bytes"], good().to_string().len());
    assert!(tools[0]["shown"]["gemini"]["tokens"].as_u64().unwrap() > 0);
    assert_eq!(tools[2]["shown"]["gemini"], Value::Null);
    let openai = &report["profiles"][0];
    assert_eq!(
        (&openai["tools"], &openai["closed"], &openai["shown"], &openai["proven"]),
        (&json!(3), &json!(1), &json!(2), &json!(2))
    );
    assert_eq!((&report["totals"]["error"], &report["totals"]["by_rule"]["schema-unusable"]), (&json!(1), &json!(1)));
}

/// What SARIF 2.1.0 requires of a log: sections 3.13, 3.14, 3.18, 3.19, 3.20, 3.27, 3.28, 3.33, 3.35, 3.49.
#[test]
fn sarif_has_what_its_specification_requires() {
    let tools = json!({ "tools": [good(), doubtful(), broken()] });
    let path = file("sarif.json", &serde_json::to_string_pretty(&tools).unwrap());
    let allow = file("sarif.allow", "format-not-portable doubtful *\nuntyped-field gone *\n");
    let output = run(&path, &["--format", "sarif", "--allow", allow.to_str().unwrap()], 1);
    let log: Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"].as_array().unwrap()[0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "toolgate");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Rule::ALL.len());
    for rule in rules {
        assert!(
            rule["id"].is_string() && rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string()
        );
        assert!(["error", "warning", "note"].contains(&rule["defaultConfiguration"]["level"].as_str().unwrap()));
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let source = std::fs::read_to_string(&path).unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(rules[index]["defaultConfiguration"]["level"], result["level"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0];
        let logical = &location["logicalLocations"][0];
        let tool = logical["fullyQualifiedName"].as_str().unwrap().split('#').next().unwrap();
        // The line is that of the tool object in the file.
        let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && uri.ends_with("check-sarif.json"), "{uri}");
        let line = usize::try_from(location["physicalLocation"]["region"]["startLine"].as_u64().unwrap()).unwrap();
        let after: String = source.lines().skip(line - 1).collect();
        let (_, named) = after.split_once("\"name\": ").unwrap();
        assert!(named.starts_with(&format!("\"{tool}\"")), "{tool} at line {line}");
    }
    let suppressed: Vec<_> = results.iter().filter(|result| result["suppressions"][0]["kind"] == "external").collect();
    assert_eq!(suppressed.len(), 1);
    assert_eq!(suppressed[0]["ruleId"], "format-not-portable");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let notices = invocation["toolConfigurationNotifications"].as_array().unwrap();
    assert!(notices[0]["message"]["text"].as_str().unwrap().contains("untyped-field gone"));
}

/// The line of an entry that is no tool is its own, not that of a tool without a name.
#[test]
fn an_entry_that_is_no_tool_is_told_by_its_number_and_line() {
    let nameless = json!({ "name": "", "description": "It hides.", "inputSchema": { "type": "object" } });
    for (name, entries) in [
        ("entries.json", vec![good(), json!(42), nameless, good()]),
        ("nameless.json", vec![good(), json!(42), good(), json!(7)]),
    ] {
        let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
        let path = file(name, &format!("[\n{}\n]", lines.join(",\n")));
        let report = report(&path, &[], 1);
        let found = report["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "not-a-tool");
        let numbers: Vec<u64> = found.map(|finding| finding["entry"].as_u64().unwrap()).collect();
        let log: Value = serde_json::from_str(&text(&run(&path, &["--format", "sarif"], 1))).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let found = results.iter().filter(|result| result["ruleId"] == "not-a-tool");
        let lines: Vec<u64> = found
            .map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap() - 1)
            .collect();
        assert_eq!(lines, numbers);
        let repeated = if name == "entries.json" { vec![2, 4] } else { vec![2, 3, 4] };
        assert_eq!(numbers, repeated);
    }
    let text = text(&run(&file("nameless-read.json", r#"[{"name":"","inputSchema":{}}]"#), &[], 1));
    assert!(text.starts_with("(no name)  "), "{text}");
}

#[test]
fn one_schema_that_is_too_deep_is_no_list() {
    for levels in [300, 3_000] {
        let deep = r#"{"items":"#.repeat(levels) + "{}" + &"}".repeat(levels);
        let report = report(&file("deep.json", &deep), &[], 1);
        let finding = &report["findings"][0];
        assert_eq!((&finding["rule"], &finding["entry"]), (&json!("schema-unusable"), &Value::Null));
        let message = finding["message"].as_str().unwrap();
        assert!(message.starts_with("the schema is nested deeper than"), "{message}");
    }
}

#[test]
fn what_is_broken_in_one_way_is_told_once() {
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/nowhere" } } });
    let report =
        report(&catalogue("once.json", &json!([{ "name": "t", "description": "T.", "inputSchema": schema }])), &[], 1);
    assert_eq!((&report["denied"], rules(&report).len()), (&json!(1), 1));
}

#[test]
fn a_list_of_nothing_passes_with_a_warning() {
    let path = catalogue("nothing.json", &json!([]));
    assert_eq!(rules(&report(&path, &[], 0)), [("no-tools".to_owned(), "-".to_owned())]);
    run(&path, &["--deny", "warning"], 1);
}

#[test]
fn what_is_allowed_is_counted_and_a_stale_entry_is_told() {
    let path = catalogue("allowed.json", &json!([doubtful(), broken()]));
    let entries =
        "# looked at\nschema-unusable broken /properties/x/type\n* doubtful *\nuntyped-field doubtful /properties/q\n";
    let allow = file("allowed.allow", entries);
    let allow = allow.to_str().unwrap();
    let output = run(&path, &["--allow", allow, "--deny", "note"], 0);
    let text = text(&output);
    assert!(text.contains("passed  nothing was found; 0 errors, 0 warnings, 0 notes; 3 allowed"), "{text}");
    assert!(text.contains("line 4 of the allow file allows nothing any more: untyped-field"), "{text}");
    let report = report(&path, &["--allow", allow], 0);
    assert_eq!(report["stale"], json!([{ "line": 4, "entry": "untyped-field doubtful /properties/q" }]));
    assert_eq!((&report["totals"]["allowed"], &report["totals"]["error"]), (&json!(3), &json!(0)));
    assert!(report["findings"].as_array().unwrap().iter().all(|finding| finding["allowed"] == true));
}

#[test]
fn mistakes_are_told_before_anything_is_run() {
    let path = catalogue("mistakes.json", &json!([good()]));
    let say = |output: &Output, expected: &str| {
        let complaint = complaint(output);
        assert!(complaint.contains(expected), "{complaint}");
        assert_eq!(text(output), "");
    };
    say(&run(&path, &["--profile", "opnai"], 64), "there is no profile of this name; did you mean `openai`?");
    say(&run(&path, &["--profile", "mainframe"], 64), "there is no profile of this name; there are portable, plain");
    say(&run(&path, &["--deny", "much"], 64), "--deny");
    say(&run(&path, &["--timeout", "0"], 64), "--timeout");
    assert_eq!(toolgate(&["check"]).output().unwrap().status.code(), Some(64), "neither a file nor a server");
    let both = toolgate(&["check", "a.json", "--", "server"]).output().unwrap();
    assert_eq!(both.status.code(), Some(64), "a file and a server");
    say(&run(Path::new("/nowhere/at/all.json"), &[], 65), "cannot read");
    say(
        &run(&file("cut.json", "{\"tools\":\n [ü"), &[], 65),
        "check-cut.json:2:3: the text is not one complete JSON value",
    );
    say(&run(&file("number.json", "7"), &[], 65), "neither a catalogue nor a schema");
    say(&run(&file("tools.json", r#"{"tools": {}}"#), &[], 65), "its `tools` is no list");
    say(&run(&path, &["--allow", "/nowhere/at/all.allow"], 78), "cannot read");
    let allow = file("mistake.allow", "\nuntyped-feild * *\n");
    say(&run(&path, &["--allow", allow.to_str().unwrap()], 78), "line 2: there is no rule `untyped-feild`");
    let policy = file("mistake.toml", "unions = \"locla\"\n");
    say(&run(&path, &["--policy", policy.to_str().unwrap()], 78), "locla");
}

#[test]
fn every_form_of_a_target_is_taken() {
    let result = json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [broken()], "nextCursor": null } });
    for (name, target, kind) in [
        ("list.json", json!([broken()]), "catalogue"),
        ("result.json", result, "catalogue"),
        ("tool.json", broken(), "catalogue"),
        ("schema.json", broken()["inputSchema"].clone(), "schema"),
    ] {
        let report = report(&file(name, &target.to_string()), &[], 1);
        assert_eq!(report["target"], kind);
        let rules = rules(&report);
        assert_eq!(rules.iter().map(|(rule, _)| rule.as_str()).collect::<Vec<_>>(), ["schema-unusable"], "{name}");
    }
    let mut child =
        toolgate(&["check", "-", "--format", "json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!([good()]).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["totals"]["tools"], 1);
}

#[test]
fn one_schema_is_its_authors_and_a_catalogue_a_strangers() {
    // A pattern that cannot be read closes an authored tool, and is left to the server of a discovered one.
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "(" } } });
    let path = file("origin.json", &schema.to_string());
    assert_eq!(rules(&report(&path, &[], 1))[0].0, "schema-unusable");
    assert_eq!(rules(&report(&path, &["--origin", "discovered"], 0))[0].0, "set-aside");
    let path = catalogue("origins.json", &json!([{ "name": "t", "description": "T.", "inputSchema": schema }]));
    assert_eq!(rules(&report(&path, &[], 0))[0].0, "set-aside");
    assert_eq!(rules(&report(&path, &["--origin", "authored"], 1))[0].0, "schema-unusable");
}

#[test]
fn what_the_policy_says_of_nothing_is_told() {
    let path = catalogue("misspelt.json", &json!([doubtful()]));
    let policy = file(
        "misspelt.toml",
        "[tools.doubtful]\nlist_text_keep = [\"/nowhere\"]\n[tools.doubtfull]\nunknown_keys = \"as-written\"\n",
    );
    let found = text(&run(&path, &["--policy", policy.to_str().unwrap(), "--deny", "warning"], 1));
    for part in ["no string stands beside a list at `/nowhere`", "policy-without-tool", "doubtfull"] {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn the_guards_policy_file_is_taken_as_the_guard_takes_it() {
    let path = catalogue("policy.json", &json!([doubtful()]));
    let policy = file("policy.toml", "profile = \"gemini\"\n[tools.doubtful]\naliases = { nothing = [\"former\"] }\n");
    let report = report(&path, &["--policy", policy.to_str().unwrap()], 1);
    assert_eq!(report["totals"]["profiles"], json!(["gemini"]));
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("an alias does not fit"));
}

#[test]
fn a_hostile_catalogue_costs_its_own_tools() {
    let deep = format!("{}{}", r#"{"properties":{"a":"#.repeat(2_000), "{}".to_owned() + &"}}".repeat(2_000));
    let wide: String = (0..30_000).map(|index| format!(r#""p{index}":{{}},"#)).collect();
    let tools = [
        format!(r#"{{"name":"deep","inputSchema":{deep}}}"#),
        format!(r#"{{"name":"deep","inputSchema":{}}}"#, "[".repeat(5_000) + &"]".repeat(5_000)),
        format!(r#"{{"name":"wide","inputSchema":{{"properties":{{{wide}"last":{{}}}}}}}}"#),
        format!(
            r#"{{"name":"long","inputSchema":{{"properties":{{"{}":{{"type":"string"}}}}}}}}"#,
            "n".repeat(1_000_000)
        ),
        r#"{"name":"twice","inputSchema":{"type":"object","type":"object"}}"#.to_owned(),
        r#"{"name":"same","name":"same"}"#.to_owned(),
        "7".to_owned(),
        r#"{"name":"steer\u001b[2J","inputSchema":{"required":["\u001b]0;x\u0007"]}}"#.to_owned(),
        good().to_string(),
        good().to_string(),
    ];
    let path = file("hostile.json", &format!(r#"{{"tools":[{}]}}"#, tools.join(",\n")));
    let output = run(&path, &["--profile", "portable,gemini,openai-strict,plain"], 1);
    let text = text(&output);
    assert!(!text.contains(['\u{1b}', '\u{7}']), "nothing steers the terminal");
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    let report = report(&path, &[], 1);
    let rules = rules(&report);
    let of =
        |tool: &str| rules.iter().filter(|(_, name)| name == tool).map(|(rule, _)| rule.as_str()).collect::<Vec<_>>();
    assert!(of("twice").contains(&"schema-unusable"));
    assert_eq!(of("-"), ["not-a-tool", "not-a-tool", "not-a-tool", "not-a-tool", "not-a-tool", "list-size"]);
    assert!(of("good").is_empty());
    assert!(of("wide").iter().filter(|rule| **rule == "untyped-field").count() <= 21);
    let shown: Vec<&Value> = report["tools"].as_array().unwrap().iter().filter(|tool| tool["name"] == "good").collect();
    assert!(shown[0]["shown"]["portable"]["bytes"].is_u64());
}

#[test]
fn every_rule_is_in_the_guide() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/check-a-deployment.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for rule in Rule::ALL {
        let row = format!("| `{rule}` | {} | {} |", rule.level(), rule.meaning());
        assert!(guide.lines().any(|line| line == row), "the guide has no row {row}");
    }
}

#[cfg(unix)]
mod servers {
    use super::*;

    #[track_caller]
    fn serve(options: &[&str], script: &str, code: i32) -> Output {
        let output = toolgate(&["check"]).args(options).args(["--", "sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output), complaint(&output));
        output
    }

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;

    /// A server in lines of shell: it reads `initialize`, answers it, and reads `notifications/initialized`.
    fn after_hello(then: &str) -> String {
        format!("read a; echo '{HELLO}'; read b; {then}")
    }

    #[test]
    fn a_real_server_is_started_listed_and_ended() {
        let output = toolgate(&["check", "--format", "json", "--", env!("CARGO_BIN_EXE_toolgate"), "demo", "--server"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_str(&text(&output)).unwrap();
        assert_eq!(report["target"], "server");
        assert!(report["totals"]["tools"].as_u64().unwrap() >= 4, "{report}");
    }

    #[test]
    fn all_pages_are_read_beside_banners_and_questions() {
        let first = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"n1"}}"#;
        let second = r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}"#;
        let asks = r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#;
        let wants = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;
        // Each answer of ours is looked at before the server goes on.
        let script = after_hello(&format!(
            r#"read list; echo 'Server ready!'; echo '{asks}'; read pong; case "$pong" in *'"id":"q","result":{{}}'*) ;; *) exit 9;; esac;
               echo '{wants}'; read no; case "$no" in *-32601*) ;; *) exit 9;; esac;
               echo '{first}'; read next; case "$next" in *'"cursor":"n1"'*) ;; *) exit 9;; esac; echo '{second}'; cat > /dev/null"#
        ));
        let output = serve(&["--format", "json"], &script, 0);
        let report: Value = serde_json::from_str(&text(&output)).unwrap();
        let names: Vec<&str> =
            report["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_server_that_gives_no_list_is_told_with_its_words() {
        let output = toolgate(&["check", "--", "/nowhere/at/all"]).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(complaint(&output).contains("the server `/nowhere/at/all` could not be started"));
        let told = |script: &str, expected: &str| {
            let complaint = complaint(&serve(&[], script, 3));
            assert!(complaint.contains(expected), "{complaint}");
            assert!(!complaint.contains('\u{1b}'));
        };
        told("printf 'no \\033[31mkey\\n' >&2", "its last words:");
        told("printf 'no \\033[31mkey\\n' >&2", "no \\u{1b}[31mkey");
        told(&after_hello("exit 1"), "the server ended before it answered tools/list");
        let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no tools here"}}"#;
        told(&after_hello(&format!("read list; echo '{error}'; cat > /dev/null")), "with an error: no tools here");
        let odd = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":7}}"#;
        told(&after_hello(&format!("read list; echo '{odd}'; cat > /dev/null")), "has no list of tools");
    }

    #[test]
    fn a_silent_server_is_waited_for_no_longer_than_was_said_and_leaves_nothing_behind() {
        let mark = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-silent.pid");
        // The server starts another process that hears no end of input; both are gone afterwards.
        let script = format!("sleep 300 & echo $! > '{}'; wait", mark.display());
        let output = serve(&["--timeout", "1"], &script, 3);
        assert!(complaint(&output).contains("did not answer initialize within 1 s"));
        let pid = std::fs::read_to_string(&mark).unwrap();
        // What was killed takes a moment to go, and then is a zombie at most until it is reaped.
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let is_there = || {
            let told = Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().unwrap();
            told.success() && !state().contains(" Z ")
        };
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while is_there() {
            assert!(std::time::Instant::now() < deadline, "{}", state());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

#[test]
fn what_a_proof_rests_on_is_kept_and_replays() {
    let path = catalogue("certified.json", &json!([good(), doubtful(), broken()]));
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-certificates.jsonl");
    let options = ["--profile", "portable,openai-strict", "--certificates", kept.to_str().unwrap()];
    let output = run(&path, &options, 1);
    assert!(complaint(&output).starts_with("4 certificates written to "), "{}", complaint(&output));
    let lines = std::fs::read_to_string(&kept).unwrap();
    let replay = |name: &str, lines: &str, more: &[&str], code: i32| {
        let certificates = file(name, lines);
        let output = toolgate(&["prove", "--replay"]).arg(certificates).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output), complaint(&output));
        text(&output)
    };
    let said = replay("replayed.jsonl", &lines, &[], 0);
    assert_eq!(said, "4 certificates stand, each replayed step by step\n");

    // Of two texts: those about them, whichever line they are on.
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let of = |member: &str| file(&format!("{member}.json"), line[member].as_str().unwrap());
    let texts = (of("contract_text"), of("advertised_text"));
    let both = [texts.0.to_str().unwrap(), texts.1.to_str().unwrap()];
    let said = replay("replayed.jsonl", &lines, &both, 0);
    assert_eq!(said, "1 certificate stands, each replayed step by step\n  good for portable\n");
    let turned = replay("replayed.jsonl", &lines, &[both[1], both[0]], 1);
    assert!(turned.starts_with("none of the certificates is about these two schemas"), "{turned}");
    // A line's end after the text is none of it; any other byte is.
    let ended = file("ended.json", &(line["contract_text"].as_str().unwrap().to_owned() + "\n"));
    replay("replayed.jsonl", &lines, &[ended.to_str().unwrap(), both[1]], 0);
    let unknown = file("unknown.json", r#"{"type": "object"}"#);
    let unknown = unknown.to_str().unwrap();
    for (texts, half) in [
        ([both[0], unknown], "some are about the contract, but another schema is advertised in them"),
        ([unknown, both[1]], "some are about the advertised schema, but of another contract"),
        ([unknown, unknown], "they hold neither text (both are compared byte for byte)"),
    ] {
        let said = replay("replayed.jsonl", &lines, &texts, 1);
        assert!(said.trim_end().ends_with(half), "{said}");
    }

    // Nothing stands that was changed afterwards.
    let other = lines.replacen("string", "number", 1);
    let said = replay("changed.jsonl", &other, &[], 1);
    assert!(said.starts_with("line 1: good for portable: the certificate is about another contract"), "{said}");
    let cut = lines.replacen("+contract", "-contract", 1) + "\n{\"tool\":\"x\"}\n";
    let report: Value = serde_json::from_str(&replay("cut.jsonl", &cut, &["--format", "json"], 1)).unwrap();
    assert_eq!(report["stand"], 3);
    assert_eq!(report["faults"][0]["tool"], "good");
    assert_eq!(report["faults"][1]["line"], 6);
    replay("none.jsonl", "", &[], 1);
}

#[test]
fn certificates_that_cannot_be_written_are_said_before_anything_is_asked() {
    let started = file("unwritten-started", "");
    std::fs::remove_file(&started).unwrap();
    let server = format!("echo > '{}'", started.display());
    let words = ["check", "--certificates", "/nonexistent/folder/file", "--", "sh", "-c", &server];
    let output = toolgate(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(complaint(&output).contains("cannot write /nonexistent/folder/file"), "{}", complaint(&output));
    assert!(text(&output).is_empty() && !started.exists(), "a server was started for nothing");
}

#[cfg(unix)]
#[test]
fn certificates_of_what_cannot_be_read_leave_those_that_are_there() {
    let kept = file("certificates-kept", "old\n");
    let output = run(&file("certificates-none", "{"), &["--certificates", kept.to_str().unwrap()], 65);
    assert_eq!((text(&output).as_str(), std::fs::read_to_string(&kept).unwrap().as_str()), ("", "old\n"));
    let path = catalogue("certificates-anew.json", &json!([good()]));
    run(&path, &["--certificates", "/dev/null"], 0);
    run(&path, &["--certificates", kept.to_str().unwrap()], 0);
    assert!(std::fs::read_to_string(&kept).unwrap().starts_with('{'));
}
