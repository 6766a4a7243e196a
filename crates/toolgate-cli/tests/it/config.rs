//! `config` as its user runs it, under a home of its own.

use crate::support::home::Home;
use crate::support::http::Http;
use crate::support::{self, text, toolgate};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const OWN: &str = ".config/toolgate/config.toml";

#[test]
fn servers_are_added_and_taken_out_and_everything_else_stays() {
    let home = Home::new("config-add");
    let add =
        ["config", "add", "notes", "--env", "SET_HERE", "--env", "TOKEN=CANARY-77aa", "--", "npx", "-y", "s", "--flag"];
    let (code, out, err) = home.run(&add);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(
        err.starts_with("note: server `notes`: the variable `TOKEN` is written out; keep it in a variable"),
        "{err}"
    );
    let expected = "[servers.notes]\ncommand = \"npx\"\nargs = [\"-y\", \"s\", \"--flag\"]\nenv = { SET_HERE = \"${SET_HERE}\", TOKEN = \"CANARY-77aa\" }\n";
    assert!(home.read(OWN).ends_with(expected), "{}", home.read(OWN));
    assert_eq!(std::fs::metadata(home.folder.join(OWN)).unwrap().permissions().mode() & 0o777, 0o600);
    let mine = home.read(OWN).replace("command =", "# mine\ncommand   =");
    home.write(OWN, &mine);
    let remote =
        ["config", "add", "remote", "https://example.com/mcp", "--bearer-env", "TOKEN", "--header", "X-Team: ${TEAM}"];
    assert_eq!(home.run(&remote).0, 0);
    let added = "\n[servers.remote]\nurl = \"https://example.com/mcp\"\nbearer_env = \"TOKEN\"\nheaders = { X-Team = \"${TEAM}\" }\n";
    assert_eq!(home.read(OWN), format!("{mine}{added}"));
    let (code, _, err) = home.run(&remote);
    assert!(code == 64 && err.contains("--replace takes its place"), "{err}");
    let (code, out, _) = home.run(&["config", "list"]);
    assert!(code == 0 && out.starts_with("notes   npx -y s --flag  ") && out.lines().count() == 2, "{out}");
    assert_eq!(home.run(&["config", "add", "remote", "https://example.com/v2", "--replace"]).0, 0);
    assert_eq!(home.read(OWN), format!("{mine}\n[servers.remote]\nurl = \"https://example.com/v2\"\n"));
    let (code, _, err) = home.run(&["config", "remove", "remot"]);
    assert!(code == 64 && err.contains("did you mean `remote`?"), "{err}");
    assert_eq!(home.run(&["config", "remove", "remote"]).0, 0);
    assert_eq!(home.read(OWN), mine);
    let commented = "# all\n\n# of one\n[servers.one]\ncommand = \"x\"\n\n# of two\n[servers.two]\ncommand = \"y\" # why\n[servers.two.env]\nA = \"b\"\n# end\n";
    home.write("work/c.toml", commented);
    assert_eq!(home.run(&["config", "add", "three", "--config", "c.toml", "--", "z"]).0, 0);
    assert_eq!(home.read("work/c.toml"), format!("{commented}\n[servers.three]\ncommand = \"z\"\n"));
    assert_eq!(home.run(&["config", "add", "one", "--replace", "--config", "c.toml", "--", "x2"]).0, 0);
    assert_eq!(home.run(&["config", "remove", "three", "--config", "c.toml"]).0, 0);
    assert_eq!(home.read("work/c.toml"), commented.replace("\"x\"", "\"x2\""));
    assert_eq!(home.run(&["config", "remove", "one", "--config", "c.toml"]).0, 0);
    assert!(home.read("work/c.toml").starts_with("# all\n\n# of two\n[servers.two]\n"), "{}", home.read("work/c.toml"));
    assert_eq!(home.run(&["config", "add", "here", "--local", "--", "x"]).0, 0);
    assert!(home.read("work/toolgate.toml").contains("[servers.here]"));
    assert_eq!(home.run(&["config", "remove", "here"]).0, 0);
    assert!(!home.read("work/toolgate.toml").contains("servers.here"));
    assert!(home.read("work/toolgate.toml").starts_with("# Servers of toolgate"));
}

#[test]
fn what_cannot_be_a_server_is_refused_before_anything_is_written() {
    let home = Home::new("config-refused");
    for words in [
        &["config", "add", "a"][..],
        &["config", "add", "a", "ftp://h"],
        &["config", "add", "a", "https://h", "--", "x"],
        &["config", "add", "a", "https://h", "--env", "A=b"],
        &["config", "add", "a", "--header", "A: b", "--", "x"],
        &["config", "add", "a", "--env", "A B=c", "--", "x"],
        &["config", "add", "a", "https://h", "--bearer-env", "A B"],
        &["config", "add", "https://h", "https://h"],
        &["config", "add", "a", "https://h", "--header", "CANARY-77aa"],
        &["config", "add", "a", "--config", ".cursor/mcp.json", "--", "x"],
    ] {
        assert_eq!(home.run(words).0, 64, "{words:?}");
    }
    assert!(!home.folder.join(OWN).exists());
    home.write(OWN, "[servers.a]\ncommand = \"x\"\nenv = { K = 'CANARY-77aa' \n");
    let (code, _, err) = home.run(&["config", "add", "b", "--", "x"]);
    assert!(code == 78 && err.contains("config.toml:3:"), "{err}");
    home.write(OWN, "[servers.a]\ncommand = \"x\"\nenv = 'CANARY-77aa'\n");
    let (code, _, err) = home.run(&["config", "list"]);
    assert!(code == 78 && err.contains("server `a`: `env` is no table"), "{err}");
}

#[test]
fn a_client_is_copied_with_its_variables_and_no_secret_is_told() {
    let home = Home::new("config-import");
    let cursor = r#"{"mcpServers": {
        "one": {"command": "node", "args": ["${env:SET_HERE}"], "env": {"API_KEY": "CANARY-77aa", "MODE": "x"}, "disabled": true},
        "ask": {"command": "x", "env": {"K": "${input:key}"}},
        "web": {"url": "http://h", "headers": {"Authorization": "Bearer ${env:T}"}}
    }}"#;
    home.write(".cursor/mcp.json", cursor);
    home.write(OWN, "[servers.web]\nurl = \"http://mine\" # mine\n");
    let (code, _, err) = home.run(&["config", "import", "cursor"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("server `one`: the variable `API_KEY` is written out"), "{err}");
    assert!(
        err.contains("server `ask` is left out: variable `K`: only its client can fill in `${input:key}`"),
        "{err}"
    );
    assert!(err.contains("server `web` is left out: ") && err.contains("names one already"), "{err}");
    let expected = "[servers.web]\nurl = \"http://mine\" # mine\n\n[servers.one]\ncommand = \"node\"\nargs = [\"${SET_HERE}\"]\nenv = { API_KEY = \"CANARY-77aa\", MODE = \"x\" }\n";
    assert_eq!(home.read(OWN), expected);
    let (code, _, err) = home.run(&["config", "import", "cursor", "web", "--replace"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        home.read(OWN)
            .starts_with("[servers.web]\nurl = \"http://h\"\nheaders = { Authorization = \"Bearer ${T}\" }\n"),
        "{}",
        home.read(OWN)
    );
    let (code, _, err) = home.run(&["config", "import", "cursor", "wab"]);
    assert!(code == 64 && err.contains("did you mean `web`?"), "{err}");
    assert_eq!(home.run(&["config", "import", "codex"]).0, 78);
}

const HELLO: &str = r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'; read b; read c; "#;

#[test]
fn the_doctor_says_what_is_wrong_and_how_to_mend_it() {
    let home = Home::new("config-doctor");
    let list = |tools: &str| {
        format!(r#"{HELLO}echo '{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{tools}]}}}}'; cat > /dev/null"#)
    };
    let good = list(r#"{"name":"a","inputSchema":{"type":"object"}}"#);
    let half =
        list(r#"{"name":"a"},{"name":"b","inputSchema":{"type":"object","properties":{"p":{"type":"strnig"}}}}"#);
    home.write("good.sh", &good);
    home.write("half.sh", &half);
    home.write("work/policy.toml", "unknown_kays = 1\n");
    let own = "[servers.good]\ncommand = 'sh'\nargs = ['../good.sh']\nenv = { K = '${SET_HERE}' }\n\
               [servers.half]\ncommand = 'sh'\nargs = ['../half.sh']\n\
               [servers.gone]\ncommand = 'no-such-program-of-ours'\n\
               [servers.unset]\ncommand = 'sh'\nargs = ['${NOT_SET}']\nenv = { K = '${NOT_SET_EITHER}', TOKEN = 'CANARY-77aa' }\n\
               [servers.secret]\ncommand = 'sh'\nenv = { API_KEY = '${NOT_SET}', TOKEN = 'CANARY-77aa' }\n\
               [servers.file]\ncommand = './no-such-file'\n[servers.data]\ncommand = './toolgate.toml'\n\
               [servers.folder]\ncommand = 'sh'\ncwd = 'nowhere'\n\
               [servers.policy]\ncommand = 'sh'\npolicy = 'policy.toml'\n\
               [servers.web]\nurl = 'example.com'\n\
               [servers.token]\nurl = 'http://h'\nbearer_env = 'NOT_SET'\n";
    home.write("work/toolgate.toml", own);
    assert_eq!(home.run(&["config", "trust"]).0, 0);
    home.write(".cursor/mcp.json", r#"{"mcpServers": {"old": {"type": "sse", "url": "http://h"}, "theirs": {"command": "sh", "args": ["-c", "echo started > started"]}}}"#);
    home.write(".gemini/settings.json", "{\"a\": \"CANARY-77aa\" ");
    let (code, out, err) = home.run(&["config", "doctor", "--connect", "--timeout", "20"]);
    assert_eq!(code, 1, "{out}{err}");
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        ".gemini/settings.json:1:1: unterminated object",
        "ok good, answers with 1 tool toolgate.toml",
        "wrong half, answers with 2 tools toolgate.toml - 1 of 2 tools is unusable: `b`; `toolgate check` says why",
        "its command `no-such-program-of-ours` is not found on the PATH",
        "- `args`: the variable `NOT_SET` is not set",
        "- env `K`: the variable `NOT_SET_EITHER` is not set",
        "note: `TOKEN` is written out in the file",
        "- env `API_KEY`: the variable `NOT_SET` is not set; set it before toolgate is started note:",
        "its command `./no-such-file` is not there",
        "its command `./toolgate.toml` is no program",
        "13 servers: 2 ok, 11 wrong",
        "its folder nowhere is not there",
        "policy file policy.toml:",
        "its `url` is no http:// or https:// URL",
        "the variable `NOT_SET`, which holds its bearer token, is not set",
        "wrong old",
        "ok theirs",
    ] {
        assert!(out.contains(told), "{told}\n{out}");
    }
    assert!(!home.folder.join("work/started").exists());
    let (code, out, err) = home.run(&["config", "doctor", "good", "--connect"]);
    assert_eq!((code, out.as_str()), (0, "ok     good, answers with 1 tool  toolgate.toml\n"), "{err}");
    // Why it does not answer stands under its name.
    home.write("work/bad.toml", "[servers.mute]\ncommand = 'sh'\nargs = ['-c', 'echo last words >&2']\n");
    let why = "the server ended before it answered initialize; its last words:";
    let asks = ["config", "doctor", "--connect", "--config", "bad.toml"];
    let (code, out, err) = home.run(&asks);
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!(out, format!("wrong  mute  bad.toml\n       - {why}\n         last words\n"));
    let (code, out, err) = home.run(&[&asks[..], &["--format", "json"]].concat());
    assert_eq!((code, err.as_str()), (1, ""));
    let told: Value = serde_json::from_str(&out).unwrap();
    let wrong = json!({"name": "mute", "file": "bad.toml", "ok": false, "wrong": [format!("{why}\nlast words")]});
    assert_eq!(told, json!({"servers": [wrong]}));
    let (code, out, _) = home.run(&["config", "doctor", "good", "--connect", "--format", "json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["servers"][0]["ok"], &told["servers"][0]["tools"]), (0, &json!(true), &json!(1)));
    let (code, out, _) = home.run(&["config", "doctor", "theirs", "nobody"]);
    assert_eq!((code, out.as_str()), (64, ""));
    home.write("work/toolgate.toml", "[servers.a]\n");
    assert_eq!(home.run(&["config", "doctor"]).0, 78);
}

#[test]
fn the_schema_is_printed_and_finds_nothing_wrong_with_itself() {
    let output = toolgate(&["config", "schema"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/configuration.schema.json");
    assert_eq!(text(&output), std::fs::read_to_string(stored).unwrap());
    let schema = support::file("config-schema.json", &text(&output));
    let checked = toolgate(&["check"]).arg(schema).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked));
}

#[test]
fn what_comes_with_a_folder_is_used_once_it_is_trusted() {
    let home = Home::new("config-trust");
    let catalogue = home.folder.join("tools.json");
    let mine = format!("[servers.both]\ncommand = \"cat\"\nargs = [{:?}]\n", catalogue.display().to_string());
    home.write(OWN, &mine);
    let theirs = r#"{"mcpServers":{"both":{"command":"touch","args":["STARTED"]},"theirs":{"command":"touch","args":["STARTED"]}}}"#;
    home.write("work/.mcp.json", theirs);
    home.write("work/.vscode/mcp.json", r#"{"servers":{"editor":{"command":"touch","args":["STARTED"]}}}"#);
    let started = home.folder.join("work/STARTED");
    let listed = || home.run(&["servers"]).1;
    let marked = |text: &str| text.lines().filter(|line| line.ends_with(", not trusted")).count();
    assert_eq!(marked(&listed()), 3, "{}", listed());
    let json: Value = serde_json::from_str(&home.run(&["servers", "--format", "json"]).1).unwrap();
    let untrusted = json["servers"].as_array().unwrap().iter().filter(|server| server["untrusted"] == true).count();
    assert_eq!(untrusted, 3, "{json}");
    for name in ["theirs", "editor"] {
        for command in [
            &["tools", name][..],
            &["call", name, "x"],
            &["describe", name, "x"],
            &["pin", name],
            &["check", name],
            &["config", "doctor", name],
        ] {
            let (code, _, err) = home.run(command);
            assert!(code == 64 && err.contains("`toolgate config trust`"), "{command:?}: {code} {err}");
        }
    }
    for command in [&["tools"][..], &["pin"], &["config", "doctor", "--connect"]] {
        let (_, _, err) = home.run(command);
        assert!(err.contains("not trusted, so `both`, `theirs`"), "{command:?}: {err}");
    }
    // The user's own server of the same name is the one that is asked.
    let (code, _, err) = home.run(&["tools", "both", "--timeout", "5"]);
    assert!(code == 3 && err.contains("not trusted"), "{code} {err}");
    assert!(!started.exists(), "a program of the folder was started");
    let from = &["tools", "--config", ".mcp.json", "theirs"];
    assert_eq!(home.run(from).0, 3);
    assert!(started.exists(), "a file that is named is meant");
    std::fs::remove_file(&started).unwrap();
    let (code, _, err) = home.run(&["config", "trust"]);
    assert!(code == 0 && err.contains("~/work is trusted"), "{err}");
    assert!(home.run(&["config", "trust", "."]).2.contains("already"));
    assert_eq!(marked(&listed()), 0);
    assert_eq!(home.run(&["tools", "both"]).0, 3);
    assert!(started.exists(), "the folder's server goes before the user's");
    // Not what is in a folder inside it, and not where it has been taken back.
    std::fs::create_dir_all(home.folder.join("work/inside")).unwrap();
    assert!(home.run(&["config", "trust", "--undo", "inside"]).2.contains("was not trusted"));
    assert!(home.run(&["config", "trust", "--undo"]).2.contains("no longer"));
    assert_eq!(marked(&listed()), 3);
    assert_eq!(home.run(&["config", "trust", "nowhere"]).0, 64);
    // Adding to files that came with the folder does not make them trusted; making the first one does.
    assert_eq!(home.run(&["config", "add", "new", "--local", "--", "x"]).0, 0);
    assert_eq!(marked(&listed()), 4, "{}", listed());
    let fresh = Home::new("config-trust-fresh");
    assert_eq!(fresh.run(&["config", "add", "new", "--local", "--", "x"]).0, 0);
    assert_eq!(marked(&fresh.run(&["servers"]).1), 0);
}

#[test]
fn what_a_server_was_configured_with_is_not_repeated() {
    let home = Home::new("config-secrets");
    home.write("dies.sh", "echo \"$KEY; $1; $URL; $FILE\" >&2\n");
    home.write(
        "refuses.sh",
        r#"read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no '"$KEY $1"'"}}'"#,
    );
    let web = Http::serve(|asked| (500, vec![], format!("no such place: {}", asked.path)));
    let base = web.url.trim_end_matches("/mcp");
    let env = "env = { KEY = 'CANARY-77aa-1', URL = 'https://me:CANARY-77aa-2@h/x', FILE = '/dev/null' }";
    let own = format!(
        "[servers.dies]\ncommand = 'sh'\nargs = ['../dies.sh', 'x${{SET_HERE}}']\n{env}\n\
         [servers.refuses]\ncommand = 'sh'\nargs = ['../refuses.sh', '${{SET_HERE}}']\n{env}\n\
         [servers.gone]\ncommand = '/nowhere/${{SET_HERE}}'\n\
         [servers.lost]\ncommand = 'sh'\ncwd = '/nowhere/${{SET_HERE}}'\n\
         [servers.web]\nurl = '{base}/${{SET_HERE}}/mcp'\n"
    );
    home.write("work/toolgate.toml", &own);
    assert_eq!(home.run(&["config", "trust"]).0, 0);
    let (code, _, err) = home.run(&["tools", "dies"]);
    assert!(code == 3 && err.contains("***; x***; ***; /dev/null"), "{err}");
    let (code, _, err) = home.run(&["tools", "refuses"]);
    assert!(code == 3 && err.contains("no *** ***"), "{err}");
    let (code, _, err) = home.run(&["tools", "web"]);
    assert!(code == 3 && err.contains("no such place: /***/mcp"), "{err}");
    for server in ["gone", "lost"] {
        assert_eq!(home.run(&["tools", server]).0, 3);
    }
    let (code, out, _) = home.run(&["config", "doctor", "--connect"]);
    assert!(code == 1 && out.contains("***; x***; ***; /dev/null") && out.contains("/nowhere/${SET_HERE}"), "{out}");
    for words in [&["login", "web", "--no-browser", "--timeout", "5"][..], &["servers"], &["config", "list"]] {
        home.run(words);
    }
    assert!(home.run(&["servers", "--format", "json"]).1.contains("/${SET_HERE}/mcp"));
}
