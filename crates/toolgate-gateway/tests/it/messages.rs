//! Plays `cases/messages.json` against the relay: the steps of a client and a server, and what reaches either. Every frame
//! that the relay makes itself is also validated against the schema of the revision spoken, where those schemas lie beside
//! the repository.

use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolgate_gateway::frame::{self, Read};
use toolgate_gateway::policy::ServerPolicy;
use toolgate_gateway::record::Format;
use toolgate_gateway::relay::{Action, Config, Relay, RelayLimits};
use toolgate_gateway::{CompileJob, Scanner};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("cases/messages.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    file["cases"].as_array().unwrap().clone()
}

#[test]
fn the_relay_plays_every_message_case() {
    let cases = cases();
    let schemas = Schemas::load();
    let mut failures = Vec::new();
    for case in &cases {
        let mut play = Play::new(case);
        if let Err(why) = play.run(case, schemas.as_ref()) {
            failures.push(format!("{} ({}): {why}", case["id"], case["title"]));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
    assert!(cases.len() >= 32, "the cases have not been lost");
}

/// Validators of the frames of each revision.
struct Schemas(HashMap<String, jsonschema::Validator>);

impl Schemas {
    fn load() -> Option<Schemas> {
        let folder = root().join("../shared/mcp-schema");
        if !folder.is_dir() {
            println!("skipped: the schemas of MCP are not beside the repository, so no frame is validated by them");
            return None;
        }
        let mut validators = HashMap::new();
        for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
            let text = std::fs::read_to_string(folder.join(format!("{revision}.json"))).unwrap();
            let schema: Value = serde_json::from_str(&text).unwrap();
            for definition in ["CallToolResult", "ListToolsResult", "JSONRPCMessage"] {
                let defs = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
                let mut root = schema.clone();
                root["$ref"] = json!(format!("#/{defs}/{definition}"));
                // In draft-07 a reference hides what stands beside it, but not the definitions that it points to.
                let validator = jsonschema::validator_for(&root).unwrap();
                validators.insert(format!("{revision}/{definition}"), validator);
            }
        }
        Some(Schemas(validators))
    }

    fn check(&self, revision: &str, frame: &Value) -> Result<(), String> {
        // Before 2025-11-25 no frame of the schema answers a line whose id cannot be found; JSON-RPC's null does.
        let is_anonymous = frame.get("id").is_some_and(Value::is_null) && frame.get("error").is_some();
        if is_anonymous && revision < "2025-11-25" {
            return Ok(());
        }
        let mut asked = vec![("JSONRPCMessage", frame)];
        match &frame["result"] {
            result if result.get("content").is_some() => asked.push(("CallToolResult", result)),
            result if result.get("tools").is_some() => asked.push(("ListToolsResult", result)),
            _ => {}
        }
        for (definition, value) in asked {
            if let Err(error) = self.0[&format!("{revision}/{definition}")].validate(value) {
                return Err(format!("a frame of ours is no {definition} of {revision}: {error} in {value}"));
            }
        }
        Ok(())
    }
}

struct Play {
    relay: Relay,
    limits: RelayLimits,
    now_ms: u64,
    tools: Vec<Value>,
    page: Option<usize>,
    says_list_changed: bool,
    revision: String,
    /// To the client, not looked at yet.
    client: VecDeque<(Value, String)>,
    batches: VecDeque<Vec<Value>>,
    /// What of it is the relay's own.
    own: Vec<Value>,
    crossed: Vec<String>,
    /// To the server, all of it.
    server: Vec<(Value, String)>,
    looked: usize,
    current: Value,
    stderr: String,
    remembered: HashMap<String, Value>,
    last_remembered: Value,
}

impl Play {
    fn new(case: &Value) -> Play {
        let server = &case["server"];
        let limits = RelayLimits::default();
        let config = Config { policy: Arc::new(ServerPolicy::discovered()), limits, instance: "case".into() };
        let has_handshake = server["handshake"] != "none";
        let revision = if has_handshake { server["protocol"].as_str().unwrap_or("2025-06-18") } else { "2026-07-28" };
        let mut play = Play {
            relay: Relay::new(config),
            limits,
            now_ms: 1_000,
            tools: server["tools"].as_array().unwrap().clone(),
            page: server["page"].as_u64().map(|page| usize::try_from(page).unwrap()),
            says_list_changed: server["list_changed"].as_bool().unwrap_or(true),
            revision: revision.to_owned(),
            client: VecDeque::new(),
            batches: VecDeque::new(),
            own: Vec::new(),
            crossed: Vec::new(),
            server: Vec::new(),
            looked: 0,
            current: Value::Null,
            stderr: String::new(),
            remembered: HashMap::new(),
            last_remembered: Value::Null,
        };
        if has_handshake {
            let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "play", "version": "1"}});
            play.client_says(
                json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params})
                    .to_string()
                    .as_bytes(),
            );
            play.client_says(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
            play.client.clear();
        }
        play
    }

    fn run(&mut self, case: &Value, schemas: Option<&Schemas>) -> Result<(), String> {
        for (index, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            self.step(step.as_object().unwrap()).map_err(|why| format!("step {index}: {why}"))?;
        }
        for frame in &self.own {
            if let Some(schemas) = schemas {
                schemas.check(&self.revision, frame)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &serde_json::Map<String, Value>) -> Result<(), String> {
        let (kind, value) =
            step.iter().find(|(kind, _)| !matches!(kind.as_str(), "code" | "close_with" | "repeat_text")).unwrap();
        match kind.as_str() {
            "send" => self.client_says(value.as_str().unwrap().as_bytes()),
            "send_hex" => {
                let hex = value.as_str().unwrap();
                let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
                self.client_says(&bytes.collect::<Vec<u8>>());
            }
            "send_build" => {
                let count = usize::try_from(value["count"].as_u64().unwrap()).unwrap();
                let part = |name: &str| value[name].as_str().unwrap_or_default();
                let end = match step.get("close_with").and_then(Value::as_str) {
                    Some(close) => format!("{}}}}}}}", close.repeat(count)),
                    None => part("tail").to_owned(),
                };
                self.client_says(format!("{}{}{end}", part("head"), part("fill").repeat(count)).as_bytes());
            }
            "client" => return self.client_gets(value.as_array().unwrap()),
            "client_batch" => return self.client_gets_batch(value.as_array().unwrap()),
            "client_none" => {
                let allowed = usize::try_from(value.as_u64().unwrap()).unwrap();
                if self.client.len() > allowed {
                    return Err(format!("the client got {:?}", self.client));
                }
            }
            "upstream" => return self.server_gets(value.as_array().unwrap()),
            "upstream_none" => {
                if let Some((frame, _)) = self.server[self.looked..].iter().find(|(frame, _)| frame["method"] == *value)
                {
                    return Err(format!("the server got {frame}"));
                }
            }
            "upstream_raw_none" => {
                if self.server.iter().any(|(_, line)| line.contains(value.as_str().unwrap())) {
                    return Err(format!("the server got {value}"));
                }
            }
            "upstream_dies" => {
                let actions = self.relay.on_server_gone();
                self.take(actions);
            }
            "wait_ms" => {
                self.now_ms += value.as_u64().unwrap();
                let actions = self.relay.on_tick(self.now_ms);
                self.take(actions);
            }
            "answer" => {
                let repeat = step.get("repeat_text").and_then(Value::as_u64).unwrap_or(1);
                let mut answer = value.clone();
                for content in answer["content"].as_array_mut().into_iter().flatten() {
                    if let Some(text) = content["text"].as_str() {
                        content["text"] = json!(text.repeat(usize::try_from(repeat).unwrap()));
                    }
                }
                let id = self.current["id"].clone();
                self.server_says(json!({"jsonrpc": "2.0", "id": id, "result": answer}).to_string());
            }
            "upstream_sends" => {
                let line = value.as_str().unwrap().replace("$remembered", &self.last_remembered.to_string());
                self.server_says(line);
            }
            "set_tools" => self.tools = value.as_array().unwrap().clone(),
            "stderr_has" => {
                if !self.stderr.contains(value.as_str().unwrap()) {
                    return Err(format!("standard error does not name {value}"));
                }
            }
            // Every line to the client was parsed as JSON-RPC when it came.
            "client_all_jsonrpc" => {}
            // The ends of processes are the driver's; its tests are in `stdio.rs`.
            "close" | "exits_within_ms" => {}
            other => return Err(format!("a step of an unknown kind: {other}")),
        }
        Ok(())
    }

    fn client_says(&mut self, line: &[u8]) {
        let actions = self.relay.on_client(read(line, &self.limits.client_frame), self.now_ms);
        self.take(actions);
    }

    fn server_says(&mut self, line: String) {
        self.crossed.push(line.clone());
        let actions = self.relay.on_server(read(line.as_bytes(), &self.limits.server_frame), self.now_ms);
        self.take(actions);
    }

    fn take(&mut self, actions: Vec<Action>) {
        let mut jobs: Vec<CompileJob> = Vec::new();
        let mut for_server = Vec::new();
        for action in actions {
            match action {
                Action::ToClient(line) => self.client_hears(String::from_utf8(line).unwrap()),
                Action::ToServer(line) | Action::ReplyToServer(line) => {
                    for_server.push(String::from_utf8(line).unwrap())
                }
                Action::ToStderr(line) => self.stderr.push_str(&String::from_utf8_lossy(&line)),
                Action::Log(record) => self.stderr.push_str(&record.render(Format::Text, 0)),
                Action::Compile(job) => jobs.push(job),
            }
        }
        for line in for_server {
            self.serve(line);
        }
        for job in jobs {
            let actions = self.relay.on_compiled(job.run(), self.now_ms);
            self.take(actions);
        }
    }

    fn client_hears(&mut self, line: String) {
        let frame: Value = serde_json::from_str(&line).unwrap();
        match frame {
            Value::Array(frames) => self.batches.push_back(frames),
            frame => {
                assert_eq!(frame["jsonrpc"], "2.0");
                if !self.crossed.contains(&line) {
                    self.own.push(frame.clone());
                }
                self.client.push_back((frame, line));
            }
        }
    }

    /// The server behind the relay: answers by itself what the case does not speak of.
    fn serve(&mut self, line: String) {
        let frame: Value = serde_json::from_str(&line).unwrap();
        self.server.push((frame.clone(), line));
        let tools = if self.says_list_changed { json!({"listChanged": true}) } else { json!({}) };
        let params = &frame["params"];
        let result = match frame["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": params["protocolVersion"], "capabilities": {"tools": tools}, "serverInfo": {"name": "fake", "version": "1"}})
            }
            Some("server/discover") => {
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": tools}, "ttlMs": 60000, "cacheScope": "public"})
            }
            Some("tools/list") => self.list_page(params),
            Some("ping") => json!({}),
            _ => return,
        };
        self.server_says(json!({"jsonrpc": "2.0", "id": frame["id"], "result": result}).to_string());
    }

    fn list_page(&self, params: &Value) -> Value {
        let at = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let end = self.page.map_or(self.tools.len(), |page| (at + page).min(self.tools.len()));
        let mut result = json!({"tools": self.tools[at..end]});
        if end < self.tools.len() {
            result["nextCursor"] = json!(end.to_string());
        }
        if params["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some() {
            result["resultType"] = json!("complete");
            result["ttlMs"] = json!(60000);
            result["cacheScope"] = json!("public");
        }
        result
    }

    fn client_gets(&mut self, checks: &[Value]) -> Result<(), String> {
        let mut last = "no message".to_owned();
        for index in 0..self.client.len() {
            let (frame, line) = self.client[index].clone();
            match self.check(checks, &frame, &line) {
                Ok(()) => {
                    self.client.remove(index);
                    return Ok(());
                }
                Err(why) => last = why,
            }
        }
        Err(format!("{last} among {:?}", self.client))
    }

    fn client_gets_batch(&mut self, expected: &[Value]) -> Result<(), String> {
        let frames = self.batches.pop_front().ok_or("no batch of answers")?;
        if frames.len() != expected.len() {
            return Err(format!("{} answers in the batch", frames.len()));
        }
        for checks in expected {
            let checks = checks.as_array().unwrap();
            if !frames.iter().any(|frame| self.check(checks, frame, &frame.to_string()).is_ok()) {
                return Err(format!("no answer meets {checks:?} among {frames:?}"));
            }
        }
        Ok(())
    }

    fn server_gets(&mut self, checks: &[Value]) -> Result<(), String> {
        let mut last = "nothing reached the server".to_owned();
        while let Some((frame, line)) = self.server.get(self.looked).cloned() {
            self.looked += 1;
            if matches!(
                frame["method"].as_str(),
                Some("initialize" | "tools/list" | "ping" | "notifications/initialized")
            ) {
                continue;
            }
            self.current = frame.clone();
            match self.check(checks, &frame, &line) {
                Ok(()) => return Ok(()),
                Err(why) => last = why,
            }
        }
        Err(last)
    }

    fn check(&mut self, checks: &[Value], frame: &Value, line: &str) -> Result<(), String> {
        let mut remember = Vec::new();
        for check in checks {
            let word = |name: &str| check[name].as_str();
            let at = |name: &str| word(name).map(|pointer| (pointer, frame.pointer(pointer)));
            if let Some((pointer, value)) = at("pointer") {
                let value = value.ok_or(format!("nothing at {pointer}"))?;
                let is_met = match (check.get("equals"), check.get("in")) {
                    (Some(expected), _) => same(value, expected),
                    (None, Some(expected)) => expected.as_array().unwrap().contains(value),
                    (None, None) => true,
                };
                if !is_met {
                    return Err(format!("{pointer} is {value}"));
                }
            }
            if let Some((pointer, None)) = at("present") {
                return Err(format!("nothing at {pointer}"));
            }
            if let Some((pointer, Some(_))) = at("absent") {
                return Err(format!("{pointer} is present"));
            }
            if let Some(pointers) = check["either"].as_array()
                && pointers.iter().all(|pointer| frame.pointer(pointer.as_str().unwrap()).is_none())
            {
                return Err(format!("none of {pointers:?}"));
            }
            if let Some((pointer, value)) = at("remember") {
                remember.push((pointer.to_owned(), value.ok_or(format!("nothing at {pointer}"))?.clone()));
            }
            if let Some((pointer, value)) = at("equals_remembered") {
                let known = self.remembered.get(word("from").unwrap_or(pointer));
                if value != known {
                    return Err(format!("{pointer} differs"));
                }
            }
            if let Some((pointer, value)) = at("differs_from_remembered")
                && value == self.remembered.get(pointer)
            {
                return Err("the text is the same as before".into());
            }
            let contents = frame["result"]["content"].as_array();
            let text: Vec<&str> =
                contents.into_iter().flatten().filter_map(|content| content["text"].as_str()).collect();
            let text = text.join(" ");
            for expected in check["text_has"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !text.contains(expected) {
                    return Err(format!("the text does not say {expected}: {text}"));
                }
            }
            if check["text_length"].as_u64().is_some_and(|length| text.chars().count() as u64 != length) {
                return Err(format!("a text of {} characters", text.chars().count()));
            }
            if word("raw_has").is_some_and(|part| !line.contains(part))
                || word("raw_has_not").is_some_and(|part| line.contains(part))
            {
                return Err(format!("{check} of {line}"));
            }
            let tools = frame["result"]["tools"].as_array();
            let names: Vec<&str> = tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
            if word("tool_present").is_some_and(|name| !names.contains(&name))
                || word("tool_absent").is_some_and(|name| names.contains(&name))
            {
                return Err(format!("{check} of {names:?}"));
            }
        }
        for (pointer, value) in remember {
            self.last_remembered = value.clone();
            self.remembered.insert(pointer, value);
        }
        Ok(())
    }
}

/// Numbers by value, as `1` and `1.0` are the same.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
}

fn read(line: &[u8], limits: &frame::FrameLimits) -> Read {
    if line.len() > limits.size_max_bytes {
        return frame::too_large(Scanner::scan(line));
    }
    frame::read(line.to_vec(), limits)
}
