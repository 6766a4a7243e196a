//! Signing in to a server of HTTP: the browser is played by the test, the authorization server by a script that holds us to the
//! specification (PKCE, state, resource indicator).

use crate::support::http::{self, Asked, Http, Reply};
use crate::support::toolgate;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use url::Url;

/// What nobody may be shown.
const SECRETS: [&str; 8] = ["CODE-1", "CODE-2", "CODE/3", "CODE%2F3", "ACCESS-1", "ACCESS-2", "REFRESH-1", "REFRESH-2"];

/// How the server and its authorization server behave.
#[derive(Clone, Copy)]
struct Script {
    expires_in: u64,
    has_refresh: bool,
    /// With what a refresh is answered.
    refreshed: u16,
    /// The method that is refused to whoever has this token.
    refuses: Option<(&'static str, &'static str)>,
    /// The challenge of a call that is refused with 403.
    lacks: Option<&'static str>,
    /// Where tokens are taken back, and with what that is answered.
    revokes: Option<(&'static str, u16)>,
    /// What is named otherwise in what the servers say of themselves: `HERE` is the server, `CLEAR` the same from another machine.
    names: Option<(&'static str, &'static str)>,
    /// A place where nobody is answered.
    hangs: Option<&'static str>,
    /// Calls are answered in streams that break.
    breaks: bool,
}

/// An MCP server that is its own authorization server, and a folder for the tokens.
struct World {
    http: Http,
    state: PathBuf,
}

impl World {
    fn new(name: &str, script: Script) -> World {
        let state = std::env::temp_dir().join(format!("toolgate-login-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&state);
        let challenge = Arc::new(Mutex::new(String::new()));
        let http = Http::serve_or_write(move |asked, stream| {
            if script.hangs.is_some_and(|path| asked.path.starts_with(path)) {
                // To the end of whoever asks.
                let _ = stream.read(&mut [0]);
                return None;
            }
            Some(reply(asked, script, &challenge))
        });
        World { http, state }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = toolgate(words);
        command.env("XDG_STATE_HOME", &self.state).current_dir(self.state_folder());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn state_folder(&self) -> &Path {
        fs::create_dir_all(&self.state).unwrap();
        &self.state
    }

    #[track_caller]
    fn run(&self, words: &[&str], code: i32) -> String {
        let output = self.command(words).output().unwrap();
        told(&output, code)
    }

    /// Starts a login and gives the address that the user is to open.
    fn start(&self) -> (Child, Url) {
        let mut child = self.command(&["login", &self.http.url, "--no-browser", "--timeout", "60"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            line.split(' ').find(|word| word.contains("code_challenge")).map(str::to_owned)
        });
        (child, Url::parse(&address.unwrap()).unwrap())
    }

    fn log_in(&self) {
        let (child, address) = self.start();
        let page = visit(&back(&address, "code=CODE-1"));
        assert!(page.contains("200 OK") && page.contains("Signed in"), "{page}");
        let told = told(&child.wait_with_output().unwrap(), 0);
        assert!(told.contains("signed in to http://127.0.0.1"), "{told}");
    }

    fn call(&self, code: i32) -> String {
        self.run(&["call", &self.http.url, "echo", "--text", "x"], code)
    }

    /// Has the tokens be as old as tokens can be.
    fn age(&self) {
        let mut kept: Value = serde_json::from_str(&fs::read_to_string(self.file()).unwrap()).unwrap();
        kept["token_received_at"] = json!(0);
        fs::write(self.file(), kept.to_string()).unwrap();
    }

    /// The forms that were sent to a place of the authorization server.
    fn forms(&self, path: &str) -> Vec<HashMap<String, String>> {
        self.http.asked().iter().filter(|asked| asked.path == path).map(|asked| parameters(&asked.text)).collect()
    }

    /// Has been asked for a place, at last.
    fn is_asked(&self, path: &str) {
        while !self.http.asked().iter().any(|asked| asked.path.starts_with(path)) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    fn refreshes(&self) -> usize {
        self.forms("/token").iter().filter(|form| form["grant_type"] == "refresh_token").count()
    }

    fn is_kept(&self) -> bool {
        let mut files = fs::read_dir(self.state.join("toolgate/logins")).unwrap().map(|entry| entry.unwrap().path());
        files.any(|path| fs::read_to_string(path).unwrap().contains("ACCESS-"))
    }

    fn file(&self) -> PathBuf {
        let files = fs::read_dir(self.state.join("toolgate/logins")).unwrap().map(|entry| entry.unwrap().path());
        files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "json")).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.state);
    }
}

/// What was printed, of which nothing is a secret.
#[track_caller]
fn told(output: &Output, code: i32) -> String {
    let told = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).join("\n");
    assert_eq!(output.status.code(), Some(code), "{told}");
    for secret in SECRETS {
        assert!(!told.contains(secret), "{told}");
    }
    told
}

fn parameters(query: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// Where the authorization server sends the user back to.
fn back(address: &Url, with: &str) -> Url {
    let asked = parameters(address.query().unwrap());
    let mut url = Url::parse(&asked["redirect_uri"]).unwrap();
    url.set_query(Some(with));
    url.query_pairs_mut().append_pair("state", &asked["state"]);
    url
}

fn visit(url: &Url) -> String {
    let mut stream = TcpStream::connect((url.host_str().unwrap(), url.port().unwrap())).unwrap();
    let target = &url[url::Position::BeforePath..];
    write!(stream, "GET {target} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

fn reply(asked: &Asked, script: Script, challenge: &Mutex<String>) -> Reply {
    let base = format!("http://{}", asked.header("host").unwrap());
    let clear = base.replace("127.0.0.1", "0.0.0.0");
    let named = |mut members: Value| {
        if let Some((name, address)) = script.names.filter(|(name, _)| members.get(*name).is_some()) {
            let address = address.replace("HERE", &base).replace("CLEAR", &clear);
            members[name] = if members[name].is_array() { json!([address]) } else { json!(address) };
        }
        members
    };
    let json = |value: Value| http::json(named(value).to_string());
    match asked.path.split('?').next().unwrap() {
        "/.well-known/oauth-protected-resource/mcp" | "/.well-known/oauth-protected-resource" => json(json!({
            "resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["notes"],
        })),
        "/.well-known/oauth-authorization-server" => json(json!({
            "revocation_endpoint": script.revokes.map(|(place, _)| place.replace("HERE", &base)), "issuer": base, "authorization_endpoint": format!("{base}/authorize"), "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"), "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
        })),
        "/moved" => (307, vec![("Location", format!("{clear}/register"))], String::new()),
        "/moved-here" => (307, vec![("Location", "/register".to_owned())], String::new()),
        "/register" => {
            assert_eq!(asked.body["client_name"], "toolgate");
            (
                201,
                vec![("Content-Type", "application/json".to_owned())],
                json!({ "client_id": "client-1", "redirect_uris": asked.body["redirect_uris"] }).to_string(),
            )
        }
        "/challenge" => {
            *challenge.lock().unwrap() = parameters(asked.path.split_once('?').unwrap().1)["is"].clone();
            json(json!({}))
        }
        "/token" if asked.text.contains("CODE%2F3") => {
            let whole = url::form_urlencoded::byte_serialize(asked.text.as_bytes()).collect::<String>();
            let said = if asked.text.contains("again") { whole } else { asked.text.clone() };
            (
                400,
                vec![("Content-Type", "application/json".to_owned())],
                json!({"error": "invalid_grant", "error_description": said}).to_string(),
            )
        }
        "/token" => token(&parameters(&asked.text), script, &challenge.lock().unwrap()),
        "/revoke" => (script.revokes.unwrap().1, Vec::new(), String::new()),
        "/mcp" => mcp(asked, &base, script),
        _ => (404, Vec::new(), String::new()),
    }
}

fn token(form: &HashMap<String, String>, script: Script, challenge: &str) -> Reply {
    assert_eq!(form["client_id"], "client-1");
    assert!(form["resource"].ends_with("/mcp"));
    let tokens = |number: u8, expires_in: u64| {
        let mut tokens =
            json!({"access_token": format!("ACCESS-{number}"), "token_type": "Bearer", "expires_in": expires_in});
        if script.has_refresh {
            tokens["refresh_token"] = json!(format!("REFRESH-{number}"));
        }
        http::json(tokens.to_string())
    };
    match form["grant_type"].as_str() {
        "authorization_code" if form["code"] == "CODE-2" => (
            400,
            vec![("Content-Type", "application/json".to_owned())],
            json!({"error": "invalid_grant", "error_description": "no such code: CODE-2"}).to_string(),
        ),
        "authorization_code" => {
            assert_eq!(form["code"], "CODE-1");
            let verified = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
            assert!(challenge.is_empty() || verified == challenge);
            tokens(1, script.expires_in)
        }
        _ if script.refreshed == 200 && form["refresh_token"] == "REFRESH-1" => tokens(2, 3600),
        _ => (
            script.refreshed.max(400),
            vec![("Content-Type", "application/json".to_owned())],
            // What it was given is none of what may be told.
            json!({
                "error": if script.refreshed == 503 { "temporarily_unavailable" } else { "invalid_grant" },
                "error_description": format!("taken back: {}", form["refresh_token"]),
            })
            .to_string(),
        ),
    }
}

fn text(words: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{words}"}}]}}"#)
}

fn mcp(asked: &Asked, base: &str, script: Script) -> Reply {
    let token = asked.header("authorization").and_then(|token| token.strip_prefix("Bearer "));
    let is_refused = script.refuses.is_some_and(|(method, refused)| {
        [asked.method(), &asked.verb].contains(&method) && token.is_some_and(|token| token.starts_with(refused))
    });
    if let Some(challenge) = script.lacks.filter(|_| asked.method() == "tools/call") {
        return (403, vec![("WWW-Authenticate", challenge.to_owned())], String::new());
    }
    if is_refused || !token.is_some_and(|token| token.starts_with("ACCESS-")) {
        let challenge = format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
        return (401, vec![("WWW-Authenticate", challenge)], String::new());
    }
    match asked.method() {
        "server/discover" => (404, Vec::new(), String::new()),
        "initialize" => http::json(http::result(
            asked,
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
        )),
        "tools/list" => http::json(http::result(
            asked,
            r#"{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}"#,
        )),
        "" if asked.verb == "GET" && asked.header("last-event-id").is_some() => {
            http::events(format!("data: {{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}}\n\n", text("taken up again")))
        }
        "" => (405, Vec::new(), String::new()),
        "tools/call" if script.breaks => {
            http::events("id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n".to_owned())
        }
        "tools/call" => {
            let who = asked.header("authorization").unwrap().trim_start_matches("Bearer ACCESS-");
            http::json(http::result(asked, &text(&format!("token number {who}"))))
        }
        _ => (202, Vec::new(), String::new()),
    }
}

const LASTING: Script = Script {
    expires_in: 3600,
    has_refresh: true,
    refreshed: 200,
    refuses: None,
    lacks: None,
    revokes: None,
    names: None,
    hangs: None,
    breaks: false,
};

#[test]
fn one_signs_in_once_and_is_known_until_one_signs_out() {
    let world = World::new("once", LASTING);
    assert!(world.call(4).contains("toolgate login"));
    world.log_in();
    let file = world.file();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(world.call(0).contains("token number 1"));
    // What the user says of who they are wins.
    assert!(
        world.run(&["call", "--header", "Authorization: Bearer other", &world.http.url, "echo"], 4).contains("401")
    );
    assert_eq!(world.refreshes(), 0, "what the user says is not renewed");
    assert!(world.run(&["logout", &world.http.url], 0).contains("signed out"));
    world.call(4);
    assert!(world.run(&["logout", &world.http.url], 0).contains("nobody"));
}

#[test]
fn the_verifier_is_that_of_the_challenge() {
    let world = World::new("pkce", LASTING);
    let (child, address) = world.start();
    let asked = parameters(address.query().unwrap());
    assert_eq!((asked["code_challenge_method"].as_str(), asked["scope"].as_str()), ("S256", "notes"));
    assert_eq!(asked["resource"], world.http.url);
    let mut told_server = Url::parse(&world.http.url).unwrap();
    told_server.set_path("/challenge");
    told_server.set_query(Some(&format!("is={}", asked["code_challenge"])));
    visit(&told_server);
    visit(&back(&address, "code=CODE-1"));
    told(&child.wait_with_output().unwrap(), 0);
}

#[test]
fn a_code_that_is_refused_is_not_repeated() {
    let world = World::new("code", LASTING);
    let (child, address) = world.start();
    visit(&back(&address, "code=CODE-2"));
    assert!(told(&child.wait_with_output().unwrap(), 3).contains("no such code: ***"));
}

#[test]
fn tokens_that_run_out_are_renewed_and_kept() {
    let world = World::new("refresh", Script { expires_in: 60, ..LASTING });
    world.log_in();
    assert!(world.call(0).contains("token number 1"));
    world.age();
    assert!(world.call(0).contains("token number 2"));
    assert!(fs::read_to_string(world.file()).unwrap().contains("REFRESH-2"));
    assert!(world.call(0).contains("token number 2"));
}

#[test]
fn a_login_that_was_taken_back_is_told() {
    let world = World::new("ended", Script { expires_in: 60, refreshed: 400, ..LASTING });
    world.log_in();
    world.age();
    assert!(world.call(4).contains("sign in again"));
    let busy = World::new("busy", Script { expires_in: 60, refreshed: 503, ..LASTING });
    busy.log_in();
    busy.age();
    assert!(busy.call(3).contains("taken back: ***"));
}

#[test]
fn a_token_that_is_taken_back_before_its_time_is_renewed_once() {
    for method in ["initialize", "tools/list", "tools/call"] {
        let world = World::new("early", Script { refuses: Some((method, "ACCESS-1")), ..LASTING });
        world.log_in();
        assert!(world.call(0).contains("token number 2"), "{method}");
        assert!(fs::read_to_string(world.file()).unwrap().contains("REFRESH-2"));
        assert!(world.call(0).contains("token number 2"), "{method}");
        assert_eq!(world.refreshes(), 1, "{method}");
        let asked = world.http.asked();
        let sent = asked.iter().filter(|asked| asked.method() == "tools/call");
        let sent = sent.filter(|asked| asked.header("authorization") == Some("Bearer ACCESS-2"));
        assert_eq!(sent.count(), 2, "{method}: once a command");
    }
}

#[test]
fn a_token_that_cannot_be_renewed_is_told() {
    let refuses = Some(("tools/list", "ACCESS-1"));
    let every = Some(("tools/list", "ACCESS-"));
    for (script, refreshes, expected) in [
        (Script { refuses, refreshed: 400, ..LASTING }, 1, "the login has ended; sign in again with `toolgate login`"),
        (Script { refuses, has_refresh: false, ..LASTING }, 0, "the login has ended; sign in again"),
        (Script { refuses, refreshed: 503, ..LASTING }, 1, "taken back: ***"),
        (Script { refuses: every, ..LASTING }, 1, "the server asks who we are (HTTP status 401); sign in with"),
    ] {
        let world = World::new("lost", script);
        world.log_in();
        let told = world.call(4);
        assert!(told.contains(expected) && told.contains("sign in") && told.contains("`toolgate login`"), "{told}");
        assert_eq!(world.refreshes(), refreshes, "{expected}");
    }
}

#[test]
fn what_a_token_does_not_do_is_told_with_the_way_to_get_it() {
    let challenge = r#"Bearer error="insufficient_scope", scope="files:write notes a;b ACCESS-1""#;
    let world = World::new("scope", Script { lacks: Some(challenge), ..LASTING });
    world.log_in();
    let told = world.call(4);
    assert!(told.contains("(HTTP status 403): it asks for the scopes `files:write`, `notes`, `a;b`, `***`"), "{told}");
    let command = "toolgate login SERVER --scope=notes --scope=files:write '--scope=a;b' '--scope=***'`";
    assert!(told.contains(command), "{told}");
    assert_eq!(world.refreshes(), 0, "another token of the same scopes would not do");
    let other = World::new("scope-none", Script { lacks: Some("Bearer scope=\"notes\""), ..LASTING });
    other.log_in();
    assert!(other.call(4).ends_with("error: the server does not let us (HTTP status 403)\n"));
}

#[test]
fn who_signs_out_has_the_tokens_taken_back() {
    for (has_refresh, kind, token) in [(true, "refresh_token", "REFRESH-1"), (false, "access_token", "ACCESS-1")] {
        let world = World::new("revoke", Script { has_refresh, revokes: Some(("HERE/revoke", 200)), ..LASTING });
        world.log_in();
        let told = world.run(&["logout", &world.http.url], 0);
        assert!(told.starts_with("signed out of") && !told.contains("note"), "{told}");
        assert!(!world.is_kept());
        let [form] = &*world.forms("/revoke") else { panic!("one form") };
        assert_eq!([&*form["token"], &form["token_type_hint"], &form["client_id"]], [token, kind, "client-1"]);
    }
}

#[test]
fn tokens_that_are_not_taken_back_are_forgotten_here_and_that_is_told() {
    for (revokes, expected) in [
        (None, "takes no tokens back"),
        (Some(("HERE/revoke", 503)), "HTTP status 503"),
        (Some(("HERE/revoke", 302)), "HTTP status 302"),
        (Some(("http://127.0.0.1:1/revoke", 200)), "was not told"),
        (Some(("http://example.com/revoke", 200)), "in the clear"),
    ] {
        let world = World::new("untold", Script { revokes, ..LASTING });
        world.log_in();
        let told = world.run(&["logout", &world.http.url], 0);
        assert!(told.contains("signed out of") && told.contains(expected), "{told}");
        assert!(!world.is_kept(), "{expected}");
    }
    let world = World::new("other-issuer", Script { revokes: Some(("HERE/revoke", 200)), ..LASTING });
    world.log_in();
    let mut kept: Value = serde_json::from_str(&fs::read_to_string(world.file()).unwrap()).unwrap();
    kept["issuer"] = json!("https://issuer.example");
    fs::write(world.file(), kept.to_string()).unwrap();
    assert!(world.run(&["logout", &world.http.url], 0).contains("another authorization server"));
    assert!(!world.is_kept() && world.forms("/revoke").is_empty());
}

#[test]
fn only_the_user_who_was_sent_ends_the_wait() {
    let world = World::new("stranger", LASTING);
    let (child, address) = world.start();
    let mut wrong = back(&address, "code=CODE-1");
    wrong.set_query(Some("code=CODE-1&state=other"));
    assert!(visit(&wrong).contains("404"));
    wrong.set_path("/");
    assert!(visit(&wrong).contains("404"));
    assert!(visit(&back(&address, "nothing=1")).contains("404"));
    let page = visit(&back(&address, "error=access_denied&error_description=not%20%1b%5B31myou"));
    assert!(page.contains("Not signed in"), "{page}");
    let told = told(&child.wait_with_output().unwrap(), 4);
    assert!(told.contains("access_denied") && !told.contains('\u{1b}'), "{told:?}");
    assert!(!world.state.join("toolgate/logins").exists(), "nothing is kept");
}

#[test]
fn what_others_can_read_is_not_used() {
    let world = World::new("private", LASTING);
    world.log_in();
    fs::set_permissions(world.file(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(world.call(78).contains("others can read it"));
    fs::write(world.file(), "{\"access_token\": \"ACCESS-1").unwrap();
    fs::set_permissions(world.file(), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(world.call(78).contains("holds no tokens"));
}

#[test]
fn where_one_cannot_sign_in_is_told() {
    let world = World::new("where", LASTING);
    assert!(world.run(&["login", "http://example.com/mcp"], 64).contains("in the clear"));
    fs::write(world.state_folder().join("toolgate.toml"), "[servers.local]\ncommand = \"x\"\n").unwrap();
    assert!(world.run(&["login", "local"], 64).contains("this folder is not trusted"));
    world.run(&["config", "trust"], 0);
    assert!(world.run(&["login", "local"], 64).contains("is a command"));
    assert!(world.run(&["login", "nobody"], 64).contains("no server"));
    let silent = Http::serve(|_| (404, Vec::new(), String::new()));
    world.run(&["login", &silent.url, "--timeout", "2"], 3);
}

#[test]
fn a_server_where_nobody_can_sign_in_is_told_in_a_line() {
    const PAGE: &str = "<!DOCTYPE HTML>\n<html>\n<p>Not here.</p>\n</html>\n";
    let state = std::env::temp_dir().join(format!("toolgate-login-nowhere-{}", std::process::id()));
    for (is_open, expected) in [
        (true, "error: this server asks for no login: it answers without one, and no client can be registered there\n"),
        (false, "; --client-id names a client that is registered there already\n"),
    ] {
        let server = Http::serve(move |asked| match asked.method() {
            "initialize" if is_open => {
                http::json(http::result(asked, r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#))
            }
            "initialize" => (401, vec![("WWW-Authenticate", "Bearer".to_owned())], String::new()),
            _ => (404, vec![("Content-Type", "text/html".to_owned())], PAGE.to_owned()),
        });
        let mut command = toolgate(&["login", &server.url, "--no-browser", "--timeout", "5"]);
        let told = told(&command.env("XDG_STATE_HOME", &state).output().unwrap(), 3);
        assert!(told.ends_with(expected), "{told}");
        assert!(told.trim().lines().count() == 1 && !told.contains('<'), "{told}");
    }
}

/// The file of the tokens for a server at this address.
fn file_of(world: &World, url: &str) -> PathBuf {
    let digest: String = Sha256::digest(url).iter().map(|byte| format!("{byte:02x}")).collect();
    world.state.join("toolgate/logins").join(format!("{digest}.json"))
}

#[test]
fn nothing_of_a_login_goes_where_others_could_read_it() {
    let leads_astray = |names, there: &str, comes_back: bool| {
        let world = World::new("clear", Script { names: Some(names), ..LASTING });
        let told = if comes_back {
            let (child, address) = world.start();
            visit(&back(&address, "code=CODE-1"));
            told(&child.wait_with_output().unwrap(), 3)
        } else {
            world.run(&["login", &world.http.url, "--no-browser", "--timeout", "20"], 3)
        };
        assert!(told.contains(&format!("error: the server has the login go to {there}")), "{names:?}: {told}");
        // Of a login whose address is shown, that line was read before.
        assert!(!told.contains("--client-id") && !told.contains("open this address"), "{names:?}: {told}");
        let asked = world.http.asked();
        assert!(!asked.iter().any(|asked| asked.header("host").unwrap().starts_with("0.0.0.0")), "{names:?}");
        assert!(!world.state.join("toolgate/logins").exists(), "{names:?}: nothing is kept");
    };
    leads_astray(("token_endpoint", "CLEAR/token"), "http://0.0.0.0:", true);
    for (member, address, there) in [
        ("registration_endpoint", "CLEAR/register", "http://0.0.0.0:"),
        ("registration_endpoint", "HERE/moved", "http://0.0.0.0:"),
        ("authorization_servers", "http://auth.example", "http://auth.example;"),
        ("authorization_endpoint", "CLEAR/authorize", "http://0.0.0.0:"),
        ("authorization_endpoint", "file:///etc/passwd", "file://;"),
        ("authorization_endpoint", "ssh://localhost/", "ssh://localhost;"),
    ] {
        leads_astray((member, address), there, false);
    }
    World::new("moved", Script { names: Some(("registration_endpoint", "HERE/moved-here")), ..LASTING }).log_in();
}

#[test]
fn a_refresh_token_goes_nowhere_else_later() {
    let before = World::new("before", LASTING);
    before.log_in();
    before.age();
    let after = World::new("after", Script { names: Some(("token_endpoint", "CLEAR/token")), ..LASTING });
    let base = |world: &World| world.http.url.trim_end_matches("/mcp").to_owned();
    let kept = fs::read_to_string(before.file()).unwrap().replace(&base(&before), &base(&after));
    let file = file_of(&after, &after.http.url);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, kept).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(after.call(3).contains("the server has the login go to http://0.0.0.0"));
    assert!(after.forms("/token").is_empty());
}

#[test]
fn whatever_an_authorization_server_repeats_is_no_secret() {
    for code in ["CODE%2F3", "CODE%2F3%20again"] {
        let world = World::new("echo", LASTING);
        let (child, address) = world.start();
        visit(&back(&address, &format!("code={code}")));
        let output = child.wait_with_output().unwrap();
        let told = told(&output, 3);
        let form = world.forms("/token").remove(0);
        let state = parameters(address.query().unwrap())["state"].clone();
        assert!(told.contains("***") && !told.contains(&form["code_verifier"]), "{told}");
        // The address to open has it, and nothing after that.
        assert!(!told.rsplit("error:").next().unwrap().contains(&state), "{told}");
    }
    let world = World::new("echo-state", LASTING);
    let (child, address) = world.start();
    let state = parameters(address.query().unwrap())["state"].clone();
    visit(&back(&address, &format!("error=no&error_description=not+{state}")));
    let told = told(&child.wait_with_output().unwrap(), 4);
    assert!(told.ends_with("the authorization server refused: no, not ***\n"), "{told}");
}

#[test]
fn a_slow_visitor_keeps_nobody_waiting() {
    let world = World::new("slow", LASTING);
    let (child, address) = world.start();
    let asked = back(&address, "code=CODE-1");
    let slow: Vec<TcpStream> = (0..3)
        .map(|_| {
            let mut stream = TcpStream::connect((asked.host_str().unwrap(), asked.port().unwrap())).unwrap();
            stream.write_all(b"GET /callback").unwrap();
            let mut writer = stream.try_clone().unwrap();
            std::thread::spawn(move || {
                while writer.write_all(b"x").is_ok() {
                    std::thread::sleep(std::time::Duration::from_secs(1));
                }
            });
            stream
        })
        .collect();
    assert!(visit(&asked).contains("Signed in"));
    told(&child.wait_with_output().unwrap(), 0);
    drop(slow);
}

#[test]
fn who_gives_up_is_heeded_at_every_step() {
    for path in ["/.well-known", "/register", "/token"] {
        let world = World::new("give-up", Script { hangs: Some(path), ..LASTING });
        let child = if path == "/token" {
            let (child, address) = world.start();
            visit(&back(&address, "code=CODE-1"));
            child
        } else {
            world.command(&["login", &world.http.url, "--no-browser"]).spawn().unwrap()
        };
        world.is_asked(path);
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(interrupt.success());
        assert!(told(&child.wait_with_output().unwrap(), 130).contains("interrupted"), "{path}");
    }
}

#[test]
fn a_server_that_does_not_prove_who_asks_is_told_so() {
    let names = Some(("code_challenge_methods_supported", "plain"));
    let world = World::new("plain", Script { names, ..LASTING });
    for more in [&[][..], &["--client-id", "mine"]] {
        let words = [&["login", &world.http.url, "--no-browser", "--timeout", "20"], more].concat();
        let told = world.run(&words, 3);
        assert!(told.contains("offers no PKCE with S256") && !told.contains("--client-id"), "{told}");
    }
}

#[test]
fn a_stream_is_taken_up_with_another_token_and_the_call_is_not_made_again() {
    let calls = |world: &World| world.http.asked().iter().filter(|asked| asked.method() == "tools/call").count();
    let world = World::new("resumed", Script { breaks: true, refuses: Some(("GET", "ACCESS-1")), ..LASTING });
    world.log_in();
    assert!(world.call(0).contains("taken up again"));
    assert_eq!((calls(&world), world.refreshes()), (1, 1));
    let world = World::new("resumed-not", Script { breaks: true, refuses: Some(("GET", "ACCESS-")), ..LASTING });
    world.log_in();
    assert!(world.call(4).contains("(HTTP status 401), after it had begun with the request; sign in with"));
    assert_eq!((calls(&world), world.refreshes()), (1, 1));
}
