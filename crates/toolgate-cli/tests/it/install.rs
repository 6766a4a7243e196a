//! `install` and `uninstall` as their user runs them, on copies of client configurations, under a home of their own.

use crate::support::home::Home;
use crate::support::{text, toolgate};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

const CLAUDE: &str = "{\n  \"numStartups\": 41,\n  \"oauthAccount\": { \"token\": \"CANARY-77aa\" },\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"@modelcontextprotocol/server-filesystem\",\n        \"/home/me/notes\"\n      ],\n      \"env\": {}\n    },\n    \"remote\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.com/mcp?key=CANARY-77aa\",\n      \"headers\": { \"Authorization\": \"Bearer CANARY-77aa\" }\n    }\n  },\n  \"projects\": {\n    \"/elsewhere\": { \"mcpServers\": { \"other\": { \"command\": \"x\" } } }\n  }\n}";
const DESKTOP: &str = "{\"mcpServers\":{\"a\":{\"command\":\"uvx\",\"args\":[\"mcp-server-git\"],\"env\":{\"TOKEN\":\"CANARY-77aa\"}},\"b\":{\"command\":\"/usr/bin/b\"},\"c\":{\"command\":\"c\",\"args\":[]}}}";
const CURSOR: &str = "\u{feff}{\r\n\t// my servers\r\n\t\"mcpServers\": {\r\n\t\t\"one\": {\r\n\t\t\t\"command\": \"node\", // of nvm\r\n\t\t\t\"args\": [ \"server.js\", ],\r\n\t\t\t\"env\": { \"API_KEY\": \"CANARY-77aa\" },\r\n\t\t\t\"disabled\": false,\r\n\t\t},\r\n\t\t/* off\r\n\t\t\"two\": { \"command\": \"x\" }, */\r\n\t\t\"three\": {\r\n\t\t\t\"command\": \"three\",\r\n\t\t},\r\n\t},\r\n}\r\n";
const VSCODE: &str = "{\n    \"inputs\": [\n        { \"type\": \"promptString\", \"id\": \"key\", \"password\": true }\n    ],\n    \"servers\": {\n        \"db\": {\n            \"type\": \"stdio\",\n            \"command\": \"docker\",\n            \"args\": [\"run\", \"-i\", \"--rm\", \"-e\", \"KEY\", \"db\"],\n            \"env\": { \"KEY\": \"${input:key}\" },\n            \"envFile\": \"${workspaceFolder}/.env\"\n        },\n        \"old\": { \"type\": \"sse\", \"url\": \"http://localhost/sse\" }\n    }\n}\n";
const CODEX: &str = "model = \"o9\" # the one\n\n[mcp_servers.docs]\ncommand = \"npx\" # from node\nargs = [\"-y\", \"docs\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.docs.env]\nKEY = \"CANARY-77aa\"\n\n[mcp_servers.bare]\ncommand = 'bare'\n\n[mcp_servers.web]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"WEB\"\n\n[tui]\ntheme = \"x\"\n";
const GEMINI: &str = "{\n  \"security\": {\"auth\": {\"selectedType\": \"oauth-personal\"}},\n  \"mcpServers\": {\n    \"py\": {\"command\": \"python\", \"args\": [\"-m\", \"s\"], \"cwd\": \"./s\", \"env\": {\"K\": \"$K\"}, \"trust\": true, \"timeout\": 15000},\n    \"web\": {\"httpUrl\": \"http://localhost:3000/mcp\"}\n  }\n}\n";
const GOOSE: &str = "GOOSE_MODEL: m # mine\nextensions:\n  developer:\n    type: builtin\n    name: developer\n    enabled: true\n  fetch:\n    type: stdio\n    enabled: true\n    cmd: uvx\n    args:\n    - mcp-server-fetch\n    envs:\n      TOKEN: CANARY-77aa\n";

/// Client, its file below the home, and what that holds.
const FILES: [(&str, &str, &str); 6] = [
    ("claude-code", ".claude.json", CLAUDE),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", DESKTOP),
    ("cursor", ".cursor/mcp.json", CURSOR),
    ("vscode", "work/.vscode/mcp.json", VSCODE),
    ("codex", ".codex/config.toml", CODEX),
    ("gemini", ".gemini/settings.json", GEMINI),
];

fn with_all(name: &str) -> Home {
    let home = Home::new(name);
    for (_, file, text) in FILES {
        home.write(file, text);
    }
    home
}

#[test]
fn every_file_comes_back_byte_for_byte() {
    let home = with_all("install-round");
    for (client, file, before) in FILES {
        let (code, out, err) = home.run(&["install", client]);
        assert_eq!(code, 0, "{client}: {out}{err}");
        let guarded = home.read(file);
        assert_ne!(guarded, before, "{client}");
        assert_eq!(home.read(&format!("{file}.before-toolgate")), before);
        let (code, again, _) = home.run(&["install", client]);
        assert_eq!((code, home.read(file)), (0, guarded), "{client}");
        assert!(again.contains("guarded already") && !again.contains("before-toolgate"), "{again}");
        let (code, out, err) = home.run(&["uninstall", client]);
        assert_eq!((code, home.read(file).as_str()), (0, before), "{client}: {out}{err}");
        let (code, out, _) = home.run(&["uninstall", client]);
        assert_eq!((code, home.read(file).as_str()), (0, before), "{client}");
        assert!(out.contains("not guarded"), "{out}");
        assert!(!home.folder.join(format!("{file}.before-toolgate")).exists(), "{client}: the copy is left lying");
    }
}

#[test]
fn what_the_file_held_before_any_guard_is_kept() {
    let home = with_all("install-kept");
    let file = ".config/Claude/claude_desktop_config.json";
    for server in ["a", "b"] {
        assert_eq!(home.run(&["install", "claude-desktop", server]).0, 0);
        assert_eq!(home.read(&format!("{file}.before-toolgate")), DESKTOP);
    }
    // A link in the place of the copy leads nowhere.
    let (bashrc, copy) = (home.folder.join(".bashrc"), home.folder.join(".cursor/mcp.json.before-toolgate"));
    std::fs::write(&bashrc, "mine").unwrap();
    symlink(&bashrc, &copy).unwrap();
    assert_eq!(home.run(&["install", "cursor"]).0, 0);
    assert_eq!(
        (home.read(".bashrc").as_str(), home.read(".cursor/mcp.json.before-toolgate").as_str()),
        ("mine", CURSOR)
    );
}

#[test]
fn where_there_is_nothing_to_guard_it_is_said() {
    let home = with_all("install-nothing");
    for (text, why) in [
        ("[]", "names no server"),
        ("{}", "names no server"),
        (r#"{"servers": {"a": {"command": "x"}}}"#, "names no server"),
        (r#"{"mcpServers": []}"#, "`mcpServers` is no object"),
    ] {
        home.write("work/odd.json", text);
        let (code, _, err) = home.run(&["install", "cursor", "--file", "odd.json"]);
        assert_eq!(code, 78, "{text}: {err}");
        assert!(err.contains(why), "{text}: {err}");
    }
    let (code, _, err) = home.run(&["install", "claude-code"]);
    assert!(code == 0 && err.contains("other folders") && err.contains("/elsewhere"), "{err}");
    home.write(
        "work/twice.json",
        r#"{"mcpServers": {"a": {"command": "toolgate", "args": ["run", "--", "toolgate", "run", "--", "x"]}}}"#,
    );
    for doing in ["install", "uninstall"] {
        let (code, out, _) = home.run(&[doing, "cursor", "--file", "twice.json"]);
        assert!(code == 0 && out.contains("guarded twice"), "{out}");
    }
}

#[test]
fn a_server_behind_a_guard_is_judged_as_the_guard_judges() {
    let home = Home::new("install-judged");
    home.write(
        "work/list.json",
        r#"{"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]}"#,
    );
    home.write(
        "work/serve.sh",
        r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
        read b; read c; echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":$(cat list.json)}"; cat > /dev/null"#,
    );
    let guarded = |options: &str| {
        let entry = format!(r#"{{"command": "toolgate", "args": ["run", {options} "--", "sh", "serve.sh"]}}"#);
        home.write("work/.cursor/mcp.json", &format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#));
    };
    assert_eq!(home.run(&["config", "trust"]).0, 0);
    let call = ["call", "--dry-run", "s", "t", "--file", "x"];
    guarded(r#""--alias=t:path=file","#);
    let (code, out, err) = home.run(&call);
    assert!(code == 0 && out.contains("path"), "{out}{err}");
    let (code, _, err) = home.run(&["config", "import", "cursor"]);
    assert!(code == 1 && err.contains("its guard has options of its own"), "{err}");
    guarded(r#""--no-such","#);
    let (code, _, err) = home.run(&call);
    assert!(code == 78 && err.contains("the options of its guard: unexpected argument"), "{err}");
    let (code, out, _) = home.run(&["config", "doctor", "s"]);
    assert!(code == 1 && out.contains("the options of its guard"), "{out}");
    home.write("work/policy.toml", "unknown_keys = 'as-written'\n");
    guarded(r#""--policy", "policy.toml","#);
    let (code, _, err) = home.run(&["config", "import", "cursor"]);
    assert_eq!(code, 0, "{err}");
    assert!(home.read(".config/toolgate/config.toml").contains("policy = \"policy.toml\""));
}

#[test]
fn what_changes_meanwhile_stays_changed() {
    let home = with_all("install-meanwhile");
    home.run(&["install", "gemini"]);
    let changed = home
        .read(".gemini/settings.json")
        .replace("\"timeout\": 15000", "\"timeout\": 1")
        .replace("\"-m\"", "\"-u\", \"-m\"");
    home.write(".gemini/settings.json", &changed);
    home.run(&["uninstall", "gemini"]);
    let expected = GEMINI.replace("\"timeout\": 15000", "\"timeout\": 1").replace("\"-m\"", "\"-u\", \"-m\"");
    assert_eq!(home.read(".gemini/settings.json"), expected);
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let home = with_all("install-dry");
    let (code, out, _) = home.run(&["install", "cursor", "--dry-run", "--profile", "openai"]);
    assert_eq!((code, home.read(".cursor/mcp.json").as_str()), (0, CURSOR));
    for line in [
        "  one    would be guarded",
        "@@ line 5, server one @@",
        "-\t\t\t\"command\": \"node\"…",
        "+\t\t\t\"command\": \"toolgate\"…",
        "@@ line 6, server one @@",
        "-\t\t\t\"args\": [ …",
        "+\t\t\t\"args\": [ \"run\", \"--profile\", \"openai\", \"--\", \"node\", …",
    ] {
        assert!(out.lines().any(|told| told == line), "{line}\n{out}");
    }
    let (_, out, _) = home.run(&["install", "claude-desktop", "--dry-run"]);
    assert!(out.contains("@@ line 1, servers a, b, c @@\n") && !out.contains("mcp-server-git"), "{out}");
    assert!(out.contains("+…:{\"command\":\"toolgate\",\"args\":[\"run\", \"--\", \"uvx\", …"), "{out}");
    // What a unified diff would show: whole lines, and those that stay are not among them.
    home.write(".config/goose/config.yaml", GOOSE);
    let (_, out, _) = home.run(&["install", "goose", "--dry-run"]);
    let changes = "@@ line 10, server fetch @@\n-    cmd: uvx\n+    cmd: \"toolgate\"\n\
                   @@ line 12, server fetch @@\n+    - \"run\"\n+    - \"--\"\n+    - uvx\n";
    assert!(out.ends_with(changes), "{out}");
    assert!(!home.folder.join(".cursor/mcp.json.before-toolgate").exists());
}

#[test]
fn a_guard_is_written_by_the_name_that_a_client_finds() {
    let home = Home::new("install-program");
    let program = Path::new(env!("CARGO_BIN_EXE_toolgate"));
    let real = program.canonicalize().unwrap();
    let install = |path: &Path, program: &Path| {
        home.write(".cursor/mcp.json", CURSOR);
        let mut command = toolgate(&["install", "cursor"]);
        let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let envs: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
        command = std::process::Command::new(program);
        command.args(words).current_dir(home.folder.join("work")).env("PATH", path);
        for (name, value) in envs {
            value.map(|value| command.env(&name, value));
        }
        let output = command.env("HOME", &home.folder).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap(), home.read(".cursor/mcp.json"))
    };
    // On the PATH, by a link.
    let bin = home.folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    symlink(&real, bin.join("toolgate")).unwrap();
    let (code, err, written) = install(&bin, program);
    assert!(
        code == 0 && written.contains("\"command\": \"toolgate\"") && !err.contains("whole path"),
        "{err}{written}"
    );
    // Another program of the name is another program.
    let other = home.folder.join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::copy("/bin/sh", other.join("toolgate")).unwrap();
    let (code, err, written) = install(&other, program);
    let whole = format!("\"command\": {:?}", real.to_str().unwrap());
    assert!(code == 0 && written.contains(&whole), "{err}{written}");
    assert!(err.contains("its whole path is written"), "{err}");
    // What npx keeps is nothing that stays, whatever it has put on the PATH.
    let npx = home.folder.join(".npm/_npx/5f1/node_modules/.bin");
    std::fs::create_dir_all(&npx).unwrap();
    std::fs::hard_link(&real, npx.join("toolgate")).unwrap();
    let (code, err, written) = install(&npx, &npx.join("toolgate"));
    assert_eq!((code, written.as_str()), (78, CURSOR), "{err}");
    assert!(err.contains("~/.npm/_npx/5f1") && err.contains("--program"), "{err}");
    home.write(".cursor/mcp.json", r#"{"mcpServers": {"s": {"command": "toolgate", "args": ["run", "--", "sh"]}}}"#);
    let doctor = |path: &Path| {
        let path = format!("{}:/bin:/usr/bin", path.display());
        let mut command = toolgate(&["config", "doctor", "s"]);
        let output = command.current_dir(home.folder.join("work")).env("HOME", &home.folder).env("PATH", path).output();
        text(&output.unwrap())
    };
    assert!(
        doctor(&npx).contains("where nothing stays") && doctor(&bin).starts_with("ok"),
        "{}{}",
        doctor(&npx),
        doctor(&bin)
    );
}

#[test]
fn what_follows_an_installation_is_said() {
    let home = with_all("install-next");
    let (code, _, err) = home.run(&["install", "vscode", "--observe"]);
    assert!(code == 0 && home.read("work/.vscode/mcp.json").contains("\"run\", \"--observe\", \"--\", \"docker\""));
    assert_eq!(
        err,
        "start VS Code anew: it reads its servers when it starts\n\
         `toolgate uninstall vscode` takes the guard away again\n\
         note: .vscode/mcp.json is the project's: whoever shares it starts these servers by toolgate from now on, and needs it too\n"
    );
    assert_eq!(home.run(&["install", "vscode", "--observe"]).2, "");
    let (_, _, err) = home.run(&["install", "cursor"]);
    assert!(err.contains("start Cursor anew") && !err.contains("project"), "{err}");
}

#[test]
fn one_server_can_be_named_and_what_is_left_is_told() {
    let home = with_all("install-one");
    let (code, out, _) = home.run(&["install", "claude-desktop", "c"]);
    assert_eq!(code, 0, "{out}");
    assert_eq!(
        home.read(".config/Claude/claude_desktop_config.json"),
        DESKTOP.replace("\"c\",\"args\":[]", "\"toolgate\",\"args\":[\"run\", \"--\", \"c\"]")
    );
    let (code, out, _) = home.run(&["install", "codex", "web"]);
    assert_eq!((code, home.read(".codex/config.toml").as_str()), (1, CODEX));
    assert!(out.contains("web  left alone: it is reached over HTTP, and the guard stands before processes"), "{out}");
    let (code, _, err) = home.run(&["install", "codex", "dosc"]);
    assert_eq!(code, 64);
    assert!(err.contains("there is no server `dosc`") && err.contains("did you mean `docs`?"), "{err}");
    let (code, _, err) = home.run(&["install", "cursr"]);
    assert_eq!((code, err.as_str()), (64, "error: there is no client `cursr`; did you mean `cursor`?\n"));
    assert_eq!(home.run(&["install", "--dry-run"]).0, 64);
}

#[test]
fn options_of_the_guard_are_written_and_held_to() {
    let home = with_all("install-options");
    home.write("work/policy.toml", "unknown_keys = \"close-declared\"\n");
    let (code, out, err) =
        home.run(&["install", "gemini", "py", "--policy", "policy.toml", "--program", "/opt/toolgate"]);
    assert_eq!(code, 0, "{out}{err}");
    let policy = home.folder.canonicalize().unwrap().join("work/policy.toml");
    let written = home.read(".gemini/settings.json");
    assert!(written.contains("\"command\": \"/opt/toolgate\", \"args\": [\"run\", \"--policy\", "), "{written}");
    assert!(written.contains(&format!("{:?}", policy.to_str().unwrap())), "{written}");
    let (code, out, _) = home.run(&["install", "gemini", "py"]);
    assert_eq!((code, home.read(".gemini/settings.json")), (1, written));
    assert!(out.contains("with other options; uninstall it first"), "{out}");
    home.write("work/policy.toml", "unknown_kays = 1\n");
    assert_eq!(home.run(&["install", "gemini", "--policy", "policy.toml"]).0, 78);
    assert_eq!(home.run(&["install", "gemini", "--profile", "nobody"]).0, 64);
    home.run(&["uninstall", "gemini"]);
    assert_eq!(home.read(".gemini/settings.json"), GEMINI);
}

#[test]
fn who_may_read_a_file_stays_and_a_link_stays_a_link() {
    let home = Home::new("install-link");
    home.write("dots/mcp.json", CURSOR);
    let file = home.folder.join("dots/mcp.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir_all(home.folder.join(".cursor")).unwrap();
    let link = home.folder.join(".cursor/mcp.json");
    symlink("../dots/mcp.json", &link).unwrap();
    assert_eq!(home.run(&["install", "cursor"]).0, 0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&home.folder.join(".cursor/mcp.json.before-toolgate"))), (0o600, 0o600));
    assert!(home.read("dots/mcp.json").contains("toolgate"));
    home.run(&["uninstall", "cursor"]);
    assert_eq!(home.read("dots/mcp.json"), CURSOR);
}

#[test]
fn at_home_one_file_is_not_two() {
    let home = Home::new("install-at-home");
    home.write("work/.cursor/mcp.json", CURSOR);
    let mut command = toolgate(&["install", "cursor"]);
    let folder = home.folder.join("work");
    let output = command.current_dir(&folder).env("HOME", &folder).output().unwrap();
    assert_eq!((output.status.code(), text(&output).matches("mcp.json").count()), (Some(0), 2), "{}", text(&output));
    let listed = toolgate(&["servers"]).current_dir(&folder).env("HOME", &folder).output().unwrap();
    assert_eq!(text(&listed).lines().count(), 2, "{}", text(&listed));
}

#[test]
fn clients_are_listed_and_a_broken_file_is_told() {
    let home = with_all("install-list");
    home.write(".gemini/settings.json", "{\"mcpServers\": {\"a\": {\"env\": {\"K\": \"CANARY-77aa\"} \"x\": 1}}}");
    let (code, out, err) = home.run(&["install"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("cursor") && out.contains("2 servers, 0 guarded"), "{out}");
    assert!(out.contains("goose           not here") && out.contains("cannot be read"), "{out}");
    assert!(err.contains("settings.json:1:50: expected comma"), "{err}");
    let (code, _, err) = home.run(&["install", "gemini"]);
    assert_eq!(code, 78, "{err}");
    let (code, _, err) = home.run(&["install", "goose"]);
    assert_eq!(code, 78);
    assert!(err.starts_with("error: goose names no servers here; looked for "), "{err}");
}

#[test]
fn goose_is_guarded_in_its_yaml() {
    let home = Home::new("install-goose");
    home.write(".config/goose/config.yaml", GOOSE);
    let (code, out, _) = home.run(&["install", "goose"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("fetch") && !out.contains("developer"), "{out}");
    let guarded = GOOSE
        .replace("cmd: uvx", "cmd: \"toolgate\"")
        .replace("    - mcp", "    - \"run\"\n    - \"--\"\n    - uvx\n    - mcp");
    assert_eq!(home.read(".config/goose/config.yaml"), guarded);
    let (code, out, _) = home.run(&["install", "goose"]);
    assert!(code == 0 && out.contains("guarded already"), "{out}");
    let (code, out, _) = home.run(&["uninstall", "goose", "fetch"]);
    assert_eq!((code, home.read(".config/goose/config.yaml").as_str()), (0, GOOSE), "{out}");
}

#[test]
fn in_yaml_a_reference_costs_its_server_alone() {
    let home = Home::new("install-goose-parts");
    let file = ".config/goose/config.yaml";
    let text = "common: &c\n  type: stdio\nextensions:\n  one:\n    <<: *c\n    cmd: uvx\n  two:\n    type: stdio\n    cmd: uvx\n    args: [\n      two\n    ]\n  three: &t\n    type: stdio\n    cmd: uvx\n  four:\n    type: stdio\n    cmd: uvx\n    args: [\n    four\n  ]\n";
    home.write(file, text);
    let (code, out, err) = home.run(&["install", "goose"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("  one    left alone: it refers to another part of its file"), "{out}");
    assert!(out.contains("  three  left alone: another part of the file may refer to it"), "{out}");
    assert!(out.contains("  two    guarded\n") && out.contains("  four   guarded\n"), "{out}");
    let (_, listed, _) = home.run(&["servers"]);
    assert!(listed.contains("one    unusable: it refers to another part") && listed.contains("uvx four"), "{listed}");
    let (code, out, _) = home.run(&["uninstall", "goose"]);
    assert_eq!((code, home.read(file).as_str()), (0, text), "{out}");
}

#[test]
fn servers_of_all_clients_are_listed_and_none_of_them_is_started_unasked() {
    let home = with_all("install-servers");
    home.write(".config/goose/config.yaml", GOOSE);
    home.write(".gemini/settings.json", "{");
    let (code, out, err) = home.run(&["servers"]);
    assert_eq!(code, 0, "{err}");
    for name in ["files", "remote", "a", "one", "db", "docs", "web", "fetch"] {
        assert!(out.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}\n{out}");
    }
    assert!(out.contains("unusable: its variables are in a file (`envFile`)") && !out.contains("developer"), "{out}");
    assert!(err.starts_with("note: ") && err.contains(".gemini/settings.json:1:1: "), "{err}");
    let (code, out, _) = home.run(&["servers", "--format", "json"]);
    assert!(code == 0 && out.contains(r#""client":"cursor""#), "{out}");
    assert_eq!(
        text(&toolgate(&["servers"]).current_dir(home.folder.join("work")).output().unwrap()).lines().count(),
        2
    );
    let (code, _, err) = home.run(&["tools"]);
    assert_eq!(code, 64, "{err}");
    // One that is named is reached, whatever another file holds.
    assert_eq!(home.run(&["config", "trust"]).0, 0);
    let (code, _, err) = home.run(&["tools", "b"]);
    assert_eq!(code, 3, "{err}");
    let (code, _, err) = home.run(&["tools", "db"]);
    assert_eq!(code, 78, "{err}");
    let (code, _, err) = home.run(&["tools", "nobody"]);
    assert!(code == 64 && err.contains("note: "), "{err}");
    let gemini = home.folder.join(".gemini/settings.json");
    let (code, _, err) = home.run(&["servers", "--config", gemini.to_str().unwrap()]);
    assert!(code == 78 && err.starts_with("error: "), "{err}");
}
