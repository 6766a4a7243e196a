//! The command line in careless and hostile hands: what broke once stays mended. Verdicts have their cases in
//! `cases/judge.json`; here is what only a process shows.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("breaker-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn toolgate(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TOOLGATE_") || name.starts_with("CLICOLOR"))
    {
        command.env_remove(name);
    }
    command
}

fn run(args: &[&str]) -> Output {
    toolgate(args).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The ways in which a mistake is told apart: the command line, the input data, the configuration, the server.
#[test]
fn each_mistake_has_its_exit_code() {
    let folder = Folder::new("exits");
    let schema = folder.file("schema.json", r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#);
    let cut = folder.file("cut.json", r#"{"type":"#);
    let bytes = folder.file("bytes.json", b"\xff\xfe");
    let (empty, none) = (folder.file("empty.json", ""), folder.0.join("none").to_str().unwrap().to_owned());
    let unknown = folder.file("unknown.toml", "unkown_keys = \"as-written\"");
    let word = folder.file("word.toml", "[tools.t]\nunions = \"locla\"");
    let twice = folder.file("twice.toml", "[tools.t]\n[tools.t]");
    let (schema, none) = (schema.as_str(), none.as_str());
    for (code, args) in [
        (64, vec![]),
        (64, vec!["nosuch"]),
        (64, vec!["judge"]),
        (64, vec!["judge", schema, "--nosuch"]),
        (64, vec!["judge", schema, "--option", "guess"]),
        (64, vec!["judge", schema, "--alias", "a"]),
        (64, vec!["judge", schema, "--alias", "nosuch=b"]),
        (64, vec!["judge", schema, "--list-text-keep", "a"]),
        (64, vec!["judge", schema, "--unions", "locla"]),
        (64, vec!["judge", "--jsonl", schema]),
        (65, vec!["judge", none]),
        (65, vec!["judge", schema, none]),
        (65, vec!["judge", "/"]),
        (65, vec!["judge", &cut]),
        (65, vec!["judge", &bytes]),
        (65, vec!["judge", &empty]),
        (1, vec!["judge", schema, &bytes]),
        (1, vec!["judge", schema, &empty]),
        (0, vec!["judge", schema]),
        (64, vec!["run"]),
        (64, vec!["run", "cat"]),
        (64, vec!["run", "--observ", "--", "cat"]),
        (64, vec!["run", "--observe=true", "--", "cat"]),
        (64, vec!["run", "--alias", "x", "--", "cat"]),
        (64, vec!["run", "--judge", "a", "--", "cat"]),
        (64, vec!["run", "--profile", "zzz", "--", "cat"]),
        (64, vec!["run", "--log-level", "loud", "--", "cat"]),
        (78, vec!["run", "--policy", none, "--", "cat"]),
        (78, vec!["run", "--policy", &bytes, "--", "cat"]),
        (78, vec!["run", "--policy", &unknown, "--", "cat"]),
        (78, vec!["run", "--policy", &word, "--", "cat"]),
        (78, vec!["run", "--policy", &twice, "--", "cat"]),
        (64, vec!["run", "--limit", "depth_max=99999999999999999999", "--", "cat"]),
        (64, vec!["run", "--limit", "nosuch=1", "--", "cat"]),
        (64, vec!["run", "--option", "", "--", "cat"]),
        (3, vec!["run", "--", none]),
        (3, vec!["run", "--", "/"]),
    ] {
        let output = run(&args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
        assert_ne!(said(&output), "", "{args:?} is told in words");
        assert!(!said(&output).contains("panicked"), "{args:?}: {}", said(&output));
    }
}

#[test]
fn no_reason_is_lost_to_a_name_that_is_shown_in_another_way() {
    let folder = Folder::new("reasons");
    let long = "n".repeat(100);
    let schema = format!(
        r#"{{"type":"object","properties":{{"pw\u001b[31m":{{"enum":["x\u001b[0m"]}},"{long}":{{"type":"integer"}},"a/b~c":{{"type":"integer"}},"o":{{"type":"object","properties":{{"k":{{}}}},"additionalProperties":false}}}}}}"#
    );
    let given = format!(
        r#"{{"pw\u001b[31m":3,"{long}":"q","a/b~c":"q","o":{{"bad\u001b[31m":1,"\u202ebidi":1}},"\u202exy":1,"{long}{long}":1}}"#
    );
    let (schema, given) = (folder.file("schema.json", schema), folder.file("given.json", given));
    let output = run(&["judge", &schema, &given]);
    let text = said(&output);
    assert!(text.starts_with("refused, 7 reasons"), "{text}");
    assert_eq!(text.matches("^ ").count(), 7, "{text}");
    assert!(!text.chars().any(|ch| ch != '\n' && ch.is_control() || ch == '\u{202e}'), "{text:?}");
}

#[test]
fn a_schema_cannot_steer_the_terminal() {
    let folder = Folder::new("terminal");
    let schema = |rules: &str| format!(r#"{{"type":"object","properties":{{"q\u001b[35m\u202e":{{{rules}}}}}}}"#);
    for (rules, flags, expected) in [
        (r#""type":"zzz\u001b[35m","pattern":"\u001b[35m(""#, "--origin=authored", "unusable"),
        (r#""type":"string","pattern":"\u001b[35m(""#, "--origin=discovered", "set aside"),
        (r#""type":"integer""#, "--origin=authored", "(number-text)"),
        (
            r#""anyOf":[{"required":["a"]},{"required":["b"]}],"type":"object""#,
            "--origin=discovered",
            "left to the server",
        ),
        (r#""enum":["\u001b[35m\u202e"]"#, "--origin=authored", "must be"),
        (r#""type":"object""#, "--forward-keys=z\u{1b}[35m\u{202e}", "let through"),
    ] {
        let schema = folder.file("schema.json", schema(rules));
        let value = if rules.contains("\"object\"") { r#"{"c":1}"# } else { r#""5""# };
        let given = folder.file("given.json", format!(r#"{{"q\u001b[35m\u202e":{value},"z\u001b[35m\u202e":1}}"#));
        let given = if expected == "let through" || expected == "must be" {
            given
        } else {
            folder.file("given.json", format!(r#"{{"q\u001b[35m\u202e":{value}}}"#))
        };
        // A terminal gets colours, and with them would get whatever else steers it.
        let output = toolgate(&["judge", &schema, &given, flags]).env("CLICOLOR_FORCE", "1").output().unwrap();
        let text = said(&output);
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("\u{1b}[35m") && !text.contains('\u{202e}'), "{expected}: {text:?}");
    }
}

#[test]
fn answers_that_cannot_be_written_are_told_and_no_success() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    if full().is_err() {
        return;
    }
    let folder = Folder::new("unwritten");
    let schema = folder.file("schema.json", r#"{"type":"object"}"#);
    let schema = schema.as_str();
    for args in [
        vec!["--help"],
        vec!["profiles"],
        vec!["profiles", "--format", "json"],
        vec!["judge", schema],
        vec!["advertise", schema],
        vec!["prove", schema, schema],
        vec!["check", schema],
        vec!["demo"],
        vec!["judge", "--jsonl"],
    ] {
        let mut process =
            toolgate(&args).stdin(Stdio::piped()).stdout(full().unwrap()).stderr(Stdio::piped()).spawn().unwrap();
        // Those that read no input may have ended.
        let _ = process.stdin.take().unwrap().write_all(b"{\"schema\":{},\"arguments_text\":\"{}\"}\n");
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{args:?}: {}", said(&output));
        assert!(said(&output).starts_with("error: cannot write to standard output: "), "{args:?}: {}", said(&output));
    }
}

/// What holds no one schema is no schema, whichever command is given it.
#[test]
fn a_list_of_tools_is_no_schema_and_a_tool_object_holds_one() {
    let folder = Folder::new("shapes");
    let tool = r#"{"name":"t","inputSchema":{"type":"object","required":["a"],"properties":{"a":{}}}}"#;
    let schema = folder.file("schema.json", r#"{"type":"object"}"#);
    let given = folder.file("given.json", "{}");
    let asks = |file: &str| {
        [
            vec!["judge".to_owned(), file.to_owned(), given.clone()],
            vec!["advertise".to_owned(), file.to_owned()],
            vec!["prove".to_owned(), schema.clone(), file.to_owned()],
        ]
    };
    let ask = |args: &[String]| run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, text, words) in [
        ("catalogue.json", format!(r#"{{"tools":[{tool}]}}"#), "is a list of 1 tool and no schema"),
        ("list.json", format!("[{tool},{tool}]"), "is a list of 2 tools and no schema"),
        ("result.json", format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}"#), "ask `toolgate check`"),
        ("cut.json", "{\n\"type\": \"ü\", x".to_owned(), "cut.json:2:14: the text is not one complete JSON value"),
        ("empty.json", String::new(), "empty.json:1:1: the text is not one complete JSON value"),
        (
            "deep.json",
            r#"{"items":"#.repeat(3_000) + "{}" + &"}".repeat(3_000),
            "deep.json: the schema is nested deeper than 256 levels",
        ),
    ] {
        let file = folder.file(name, text);
        for args in asks(&file) {
            let output = ask(&args);
            assert_eq!(output.status.code(), Some(65), "{args:?}: {}", said(&output));
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.stdout.is_empty() && told.contains(words), "{args:?}: {}", said(&output));
        }
    }
    let file = folder.file("tool.json", tool);
    let codes = asks(&file).map(|args| {
        let output = ask(&args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            told.starts_with("note: ") && told.contains("its `inputSchema` is taken as the schema"),
            "{args:?}: {told}"
        );
        output.status.code()
    });
    // `a` is missing; it can be shown; it asks for more than the contract.
    assert_eq!(codes, [Some(1), Some(0), Some(1)]);
}

#[test]
fn a_broken_line_costs_one_answer() {
    let lines: [&[u8]; 8] = [
        b"{\"id\":\"1\",\"schema\":{},\"arguments_text\":\"{}\"}",
        b"{",
        b"\xff\xff",
        b"[]",
        b"{\"id\":\"5\"}",
        b"{\"id\":\"6\",\"schema\":{},\"arguments_hex\":\"7\"}",
        b"{\"id\":\"7\",\"schema\":{},\"nosuch\":1}",
        b"{\"id\":\"8\",\"schema\":{},\"arguments_text\":\"{\"}",
    ];
    let mut process = toolgate(&["judge", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(&[lines.join(&b'\n'), b"\n\n \n".to_vec()].concat()).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let kinds: Vec<bool> = text.lines().map(|line| line.contains("\"error\":")).collect();
    assert_eq!(kinds, [false, true, true, true, true, true, true, false], "{text}");
    assert!(output.status.success());
}

/// Which values of a call reach standard error: none, whatever breaks and at every level.
#[test]
fn no_value_of_a_call_reaches_standard_error() {
    const SECRET: &str = "zq7SECRETzq7";
    let tools = r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"s":{"type":["string","array"]}}}}"#;
    let server = format!(
        r#"
        read -r initialize
        echo '{{"jsonrpc":"2.0","id":"i","result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}'
        read -r ask
        id=$(echo "$ask" | sed 's/.*"id":\("[^"]*"\).*/\1/')
        echo '{{"jsonrpc":"2.0","id":'"$id"',"result":{{"tools":[{tools}]}}}}'
        cat >/dev/null"#
    );
    let call = |id: u32, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#
        )
    };
    let lines = [
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"SECRET","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#.to_owned(),
        call(1, r#"{"a":"SECRET"}"#),
        call(2, r#"{"SECRET":{"SECRET":["SECRET"]}}"#),
        call(3, r#"{"s":"[\"SECRET\"]"}"#),
        call(4, r#"{"s":"SECRET","s":"SECRET"}"#),
        call(5, r#"{"s":"SECRET"}"#),
        call(6, r#"{"s":"SECRET"#),
        call(7, r#"{"s":"SECRET\ud800"}"#),
        call(8, r#""SECRET""#),
        call(9, &format!("{}\"SECRET\"{}", "[".repeat(600), "]".repeat(600))),
        r#"{"jsonrpc":"2.0","id":"SECRET","method":"tools/call","params":{"name":"SECRET","arguments":{"a":"SECRET"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t","arguments":{"a":"SECRET"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":10,"Method":"SECRET","method":"SECRET","params":{"SECRET":1}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":11,"result":"SECRET","error":{"SECRET":1}}"#.to_owned(),
        "SECRET".to_owned(),
    ];
    for (mode, expected) in [("--log-level=debug", "refused"), ("--observe", "observed")] {
        for format in ["text", "json"] {
            let mut process = toolgate(&["run", "--log-level", "debug", "--log-format", format])
                .args([mode].iter().filter(|mode| **mode == "--observe"))
                .args(["--", "sh", "-c", &server])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let text = lines.join("\n").replace("SECRET", SECRET) + "\n";
            process.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let errors = String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap();
            assert!(errors.contains(expected), "{errors}");
            assert!(!errors.contains(SECRET), "{errors}");
        }
    }
}
