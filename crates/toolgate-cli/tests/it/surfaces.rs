//! One judge on every surface (R11): each shared case through the library, `toolgate judge --jsonl`, `toolgate judge`, the
//! relay, and the guard as a process. Same verdict, same violations in the same order, same arguments for the upstream.

#[path = "../../../toolgate/tests/it/support/judge_cases.rs"]
mod judge_cases;

use judge_cases::{Case, cases, policy, strings};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use toolgate::json::{Document, Strictness};
use toolgate::{Arguments, Contract, Limits};
use toolgate_gateway::policy::{PolicyFile, ServerPolicy};
use toolgate_gateway::relay::{Action, Config, Relay, RelayLimits};
use toolgate_gateway::{Scanner, frame};

/// Texts that break the frame itself when they stand in one, so that there a protocol error answers (R11).
const BREAKS_THE_FRAME: [(&[&str], &str); 5] = [
    (&["B099", "B100", "T010-3", "T010-4"], "being empty, so that no value follows `\"arguments\":`"),
    (&["B142", "T012", "T128-3"], "being cut off, so that the frame is never closed"),
    (
        &[
            "B129", "B129-2", "B129-3", "B129-4", "T008", "T008-3", "T008-5", "T008-7", "T008-8", "T008-10", "T012-2",
            "T012-5",
        ],
        "being no JSON, so that neither is the frame",
    ),
    (&["T005-4"], "being no UTF-8"),
    (&["T091"], "being nested deeper than a frame may be"),
];

/// What a surface said, in words that can be compared.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Admitted {
        arguments: String,
    },
    /// The violations as programs get them, the count of those not listed, and the model's text.
    Refused {
        violations: Value,
        more: u64,
        text: String,
    },
    /// On surfaces without a tool list; where there is one, the call is refused with `schema-unusable`.
    Unusable,
    ProtocolError,
}

/// What only some surfaces say.
#[derive(Clone, Debug, Default, PartialEq)]
struct Notes {
    edits: Vec<String>,
    deferred: usize,
    forwarded: usize,
    recorded: Vec<String>,
}

fn refused(violations: &Value, text: &str) -> Said {
    let more = violations["more"].as_u64().unwrap_or(0);
    Said::Refused { violations: violations["violations"].clone(), more, text: text.to_owned() }
}

// ---- the library

fn library(case: &Case) -> (Said, Notes) {
    let Ok(contract) = Contract::from_text_with(&case.schema, &policy(&case.request)) else {
        return (Said::Unusable, Notes::default());
    };
    let given = case.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    match contract.check(given) {
        Ok(admitted) => {
            let notes = Notes {
                edits: admitted.edits().iter().map(|edit| edit.rule.to_owned()).collect(),
                deferred: admitted.deferred().len(),
                forwarded: admitted.forwarded().len(),
                recorded: admitted.recorded().iter().map(|violation| violation.code.to_string()).collect(),
            };
            (Said::Admitted { arguments: admitted.arguments_text().to_owned() }, notes)
        }
        Err(refusal) => {
            (refused(&serde_json::from_str(&refusal.to_json()).unwrap(), &refusal.text()), Notes::default())
        }
    }
}

// ---- `toolgate judge`

fn read_answer(answer: &Value) -> (Said, Notes) {
    let said = match answer["verdict"].as_str() {
        Some("admitted") => Said::Admitted { arguments: answer["arguments_text"].as_str().unwrap().to_owned() },
        Some("refused") => refused(answer, answer["text"].as_str().unwrap()),
        Some("unusable") => Said::Unusable,
        _ => panic!("no verdict: {answer}"),
    };
    let length = |name: &str| answer[name].as_array().map_or(0, Vec::len);
    let words = |list: &str, word: &str| {
        let items = answer[list].as_array().into_iter().flatten();
        items.map(|item| item[word].as_str().unwrap().to_owned()).collect()
    };
    let notes = Notes {
        edits: words("edits", "rule"),
        deferred: length("deferred"),
        forwarded: length("forwarded"),
        recorded: words("recorded", "code"),
    };
    (said, notes)
}

fn jsonl(cases: &[Case]) -> Vec<(Said, Notes)> {
    let mut input = String::new();
    for case in cases {
        // Members as the interface names them; the schema goes as it is written.
        let mut request = case.request.as_object().unwrap().clone();
        for name in ["schema", "schema_text", "arguments_build", "arguments_text", "arguments_hex"] {
            request.remove(name);
        }
        request.insert("id".into(), json!(case.id));
        match case.arguments.as_deref().map(std::str::from_utf8) {
            Some(Ok(text)) => {
                request.insert("arguments_text".into(), json!(text));
            }
            Some(Err(_)) => {
                request.insert("arguments_hex".into(), case.request["arguments_hex"].clone());
            }
            None => {}
        }
        if case.request.get("schema_text").is_some() {
            request.insert("schema_text".into(), json!(case.schema));
        }
        let request = Value::Object(request).to_string();
        let request = match case.request.get("schema_text") {
            Some(_) => request,
            None => format!(r#"{{"schema":{},{}"#, case.schema, request.strip_prefix('{').unwrap()),
        };
        assert!(!request.contains('\n'));
        writeln!(input, "{request}").unwrap();
    }
    let mut process = toolgate(&["judge", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = process.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()).unwrap());
    let lines: Vec<String> = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    writer.join().unwrap();
    assert!(process.wait().unwrap().success());
    let answers: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        answers.iter().map(|answer| answer["id"].as_str().unwrap()).collect::<Vec<_>>(),
        cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>()
    );
    answers.iter().map(read_answer).collect()
}

fn toolgate(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.args(args).stderr(Stdio::piped());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TOOLGATE_")) {
        command.env_remove(name);
    }
    command
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// `None` where the command line cannot say the policy.
fn one_shot(case: &Case, folder: &Path) -> Option<(Said, Notes)> {
    let (schema, given) = (folder.join("schema.json"), folder.join("arguments.json"));
    std::fs::write(&schema, &case.schema).unwrap();
    let mut command = toolgate(&["judge", "--format", "json"]);
    for (field, flag) in
        [("origin", "--origin"), ("judge", "--judge"), ("unknown_keys", "--unknown-keys"), ("unions", "--unions")]
    {
        if let Some(word) = case.request[field].as_str() {
            command.args([flag, word]);
        }
    }
    for (field, flag) in
        [("options", "--option"), ("list_text_keep", "--list-text-keep"), ("forward_keys", "--forward-keys")]
    {
        for word in strings(&case.request[field]) {
            command.args([flag, &word]);
        }
    }
    match &case.request["aliases"] {
        Value::Null => {}
        Value::Object(aliases) => {
            for (name, former) in
                aliases.iter().flat_map(|(name, former)| strings(former).into_iter().map(move |former| (name, former)))
            {
                command.arg(format!("--alias={name}={former}"));
            }
        }
        _ => return None,
    }
    command.arg(&schema);
    if let Some(arguments) = &case.arguments {
        std::fs::write(&given, arguments).unwrap();
        command.arg(&given);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}: {output:?}", case.id));
    let (said, notes) = read_answer(&answer);
    let expected = match said {
        Said::Admitted { .. } => 0,
        Said::Refused { .. } => 1,
        // An alias that does not fit is a mistake of the command line.
        _ if case.request.get("aliases").is_some() => 64,
        _ => 65,
    };
    assert_eq!(output.status.code(), Some(expected), "{}", case.id);
    Some((said, notes))
}

// ---- the relay

/// A policy file that says for one tool what the case says.
fn tool_choices(request: &Value) -> Value {
    let mut choices = json!({"origin": "authored"});
    for name in ["origin", "judge", "unknown_keys", "unions", "aliases", "options", "list_text_keep", "forward_keys"] {
        if let Some(value) = request.get(name) {
            choices[name] = value.clone();
        }
    }
    choices
}

/// The line of a call; the arguments stand in it as the case writes them.
fn call(case: &Case, id: usize, tool: &str) -> Vec<u8> {
    let mut line =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{}"#, json!(tool)).into_bytes();
    if let Some(arguments) = &case.arguments {
        line.extend_from_slice(br#","arguments":"#);
        line.extend_from_slice(arguments);
    }
    line.extend_from_slice(b"}}");
    line
}

/// What the server would get as arguments of a call.
fn forwarded_arguments(line: &str) -> String {
    let limits = Limits { size_max_bytes: 64 * 1024 * 1024, depth_max: 600, ..Limits::default() };
    let frame = Document::read(line.as_bytes(), Strictness::Frame, &limits).unwrap();
    frame.root().get("params").unwrap().get("arguments").unwrap().text().to_owned()
}

fn read_result(frame: &Value) -> Said {
    if frame.get("error").is_some() {
        return Said::ProtocolError;
    }
    assert_eq!(frame["result"]["isError"], true, "{frame}");
    let violations = &frame["result"]["_meta"]["toolgate/refusal"];
    if violations["violations"][0]["code"] == "schema-unusable" {
        return Said::Unusable;
    }
    refused(violations, frame["result"]["content"][0]["text"].as_str().unwrap())
}

fn relay(case: &Case) -> (Said, Notes) {
    let file = json!({"tools": {"t": tool_choices(&case.request)}}).to_string();
    let policy = ServerPolicy::from_file(&PolicyFile::read(&file).unwrap()).unwrap();
    let limits = RelayLimits::default();
    let mut relay = Relay::new(Config { policy: Arc::new(policy), limits, instance: "case".into() });
    let mut notes = Notes::default();
    let mut saw_call = None;
    let mut pending: VecDeque<Action> = relay.on_client(read(call(case, 7, "t"), &limits.client_frame), 1_000).into();
    while let Some(action) = pending.pop_front() {
        let more = match action {
            Action::ToServer(line) => {
                let line = String::from_utf8(line).unwrap();
                let frame: Value = serde_json::from_str(&line).unwrap_or_else(|_| json!({"method": "tools/call"}));
                if frame["method"] == "tools/call" {
                    assert!(saw_call.is_none(), "one answer");
                    saw_call = Some(Said::Admitted { arguments: forwarded_arguments(&line) });
                    Vec::new()
                } else {
                    let tool = format!(r#"{{"name":"t","inputSchema":{}}}"#, case.schema);
                    let list = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{tool}]}}}}"#, frame["id"]);
                    relay.on_server(read(list.into_bytes(), &limits.server_frame), 1_000)
                }
            }
            Action::Compile(job) => relay.on_compiled(job.run(), 1_000),
            Action::ToClient(line) => {
                assert!(saw_call.is_none(), "one answer");
                saw_call = Some(read_result(&serde_json::from_slice(&line).unwrap()));
                Vec::new()
            }
            Action::Log(toolgate_gateway::record::Record::Call(record)) => {
                let is_observed = record.verdict == toolgate_gateway::record::Verdict::Observed;
                notes = Notes {
                    edits: record.edits.iter().map(|rule| (*rule).to_owned()).collect(),
                    deferred: record.deferred,
                    forwarded: record.forwarded,
                    recorded: record.violations.iter().filter(|_| is_observed).map(|word| code(word)).collect(),
                };
                Vec::new()
            }
            _ => Vec::new(),
        };
        pending.extend(more);
    }
    (saw_call.unwrap(), notes)
}

/// The code of a violation as a record writes it, before its place.
fn code(recorded: &str) -> String {
    recorded.split('@').next().unwrap().to_owned()
}

fn read(line: Vec<u8>, limits: &frame::FrameLimits) -> frame::Read {
    if line.len() > limits.size_max_bytes { frame::too_large(Scanner::scan(&line)) } else { frame::read(line, limits) }
}

// ---- the guard as a process

/// All cases in one session, one tool a case. The server sends back what it gets, so a forwarded call comes back as a
/// request of the server's; the client's answer to it comes back as the server's answer to the call.
fn guard(cases: &[Case]) -> Vec<Said> {
    let folder = folder("surfaces-guard");
    let (list, policy) = (folder.join("tools.json"), folder.join("policy.json"));
    let name = |index: usize| format!("case_{index}");
    let tools = cases
        .iter()
        .enumerate()
        .map(|(index, case)| format!(r#"{{"name":"{}","inputSchema":{}}}"#, name(index), case.schema));
    std::fs::write(
        &list,
        format!(r#""result":{{"tools":[{}]}}}}"#, tools.collect::<Vec<_>>().join(",")).replace('\n', " ") + "\n",
    )
    .unwrap();
    let choices: BTreeMap<String, Value> =
        cases.iter().enumerate().map(|(index, case)| (name(index), tool_choices(&case.request))).collect();
    std::fs::write(&policy, json!({"tools": choices}).to_string()).unwrap();
    let server = r#"
        read -r initialize
        echo '{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}'
        read -r ask
        id=$(echo "$ask" | sed 's/.*"id":\("[^"]*"\).*/\1/')
        printf '{"jsonrpc":"2.0","id":%s,' "$id"
        cat "$1"
        exec cat"#;
    let mut command = toolgate(&["run", "--limit", "tools_max=100000", "--policy"]);
    command.arg(&policy).args(["--", "sh", "-c", server, "server"]).arg(&list);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    for ask in [
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#,
    ] {
        writeln!(input, "{ask}").unwrap();
        line.clear();
        output.read_line(&mut line).unwrap();
        assert!(line.contains(r#""result""#), "{line}");
    }
    let said = cases.iter().enumerate().map(|(index, case)| {
        let mut ask = call(case, index, &name(index));
        // A line feed would end the line. JSON reads a carriage return as it reads that, between tokens and in a string.
        ask.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
        ask.push(b'\n');
        input.write_all(&ask).unwrap();
        line.clear();
        output.read_line(&mut line).unwrap();
        if !line.contains(r#""method":"tools/call""#) {
            return read_result(&serde_json::from_str(&line).unwrap());
        }
        let arguments = forwarded_arguments(&line);
        writeln!(input, r#"{{"jsonrpc":"2.0","id":{index},"result":{{"content":[]}}}}"#).unwrap();
        line.clear();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{{\"jsonrpc\":\"2.0\",\"id\":{index},\"result\":{{\"content\":[]}}}}\n"));
        Said::Admitted { arguments }
    });
    let said = said.collect();
    drop(input);
    assert_eq!(process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
    said
}

/// Without the hints about other tools of the list (R13.3): here every case is a tool of one server.
fn as_if_alone(said: &Said) -> Said {
    const HINT: &str = "takes it, this tool does not";
    let mut said = said.clone();
    if let Said::Refused { violations, text, .. } = &mut said {
        for violation in violations.as_array_mut().into_iter().flatten() {
            if violation["hint"].as_str().is_some_and(|hint| hint.ends_with(HINT)) {
                violation.as_object_mut().unwrap().remove("hint");
            }
        }
        *text = text.lines().filter(|line| !line.ends_with(HINT)).collect::<Vec<_>>().join("\n");
    }
    said
}

// ---- the comparison

#[test]
fn every_surface_says_the_same() {
    let cases = cases();
    let folder = folder("surfaces");
    let expected: Vec<_> = cases.iter().map(library).collect();
    let breaking: BTreeMap<&str, &str> =
        BREAKS_THE_FRAME.iter().flat_map(|(ids, why)| ids.iter().map(move |id| (*id, *why))).collect();
    let mut differences = Vec::new();
    let mut broken = BTreeSet::new();
    let mut not_sayable = 0;
    let jsonl = jsonl(&cases);
    let guard = guard(&cases);
    for (index, case) in cases.iter().enumerate() {
        let (said, notes) = &expected[index];
        let mut compare = |surface: &str, got: &Said, got_notes: Option<&Notes>| {
            if got != said {
                differences.push(format!("{} on {surface}: {got:?}, and the library {said:?}", case.id));
            } else if got_notes.is_some_and(|got| got != notes) {
                differences.push(format!("{} on {surface}: {got_notes:?}, and the library {notes:?}", case.id));
            }
        };
        compare("judge --jsonl", &jsonl[index].0, Some(&jsonl[index].1));
        match one_shot(case, &folder) {
            Some((got, got_notes)) => compare("judge", &got, Some(&got_notes)),
            None => not_sayable += 1,
        }
        let (relayed, relayed_notes) = relay(case);
        if relayed == Said::ProtocolError && guard[index] == Said::ProtocolError {
            broken.insert(case.id.as_str());
            continue;
        }
        compare("the relay", &relayed, Some(&relayed_notes));
        compare("the guard", &as_if_alone(&guard[index]), None);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!(
        "{} cases on five surfaces; {not_sayable} have a policy that `toolgate judge` has no flag for",
        cases.len()
    );
    for (ids, why) in BREAKS_THE_FRAME {
        println!("{} break the frame, {why}: {}", ids.len(), ids.join(" "));
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    let named: BTreeSet<&str> = breaking.keys().copied().collect();
    assert_eq!(broken, named, "the cases that break the frame are those that are named");
}
