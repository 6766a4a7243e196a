//! The relay played from both sides. Where a call is refused, the server must have got nothing.

use super::*;
use crate::frame;
use crate::policy::PolicyFile;
use crate::record::{CallRecord, Format, Verdict};
use serde_json::{Value, json};

const BOOK: &str = r#"{"name":"book","inputSchema":{"type":"object","properties":{"seat":{"type":"string"},"rows":{"type":"array","items":{"type":"integer"}}},"required":["seat"]}}"#;
const NUM: &str =
    r#"{"name":"num","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"progressToken":9}"#;

/// Both ends of a relay.
struct Play {
    relay: Relay,
    now_ms: u64,
    client: VecDeque<String>,
    server: VecDeque<String>,
    stderr: VecDeque<String>,
    records: Vec<Record>,
    jobs: Vec<CompileJob>,
    /// Lists are compiled at once.
    compiles: bool,
}

impl Play {
    fn new(policy: &str, change: impl FnOnce(&mut RelayLimits)) -> Play {
        let mut limits = RelayLimits::default();
        change(&mut limits);
        let policy = Arc::new(ServerPolicy::from_file(&PolicyFile::read(policy).unwrap()).unwrap());
        Play {
            relay: Relay::new(Config { policy, limits, instance: "own".into() }),
            now_ms: 10_000,
            client: VecDeque::new(),
            server: VecDeque::new(),
            stderr: VecDeque::new(),
            records: Vec::new(),
            jobs: Vec::new(),
            compiles: true,
        }
    }

    /// After the handshake.
    fn session(revision: &str, says_list_changed: bool) -> Play {
        Play::session_under("", revision, says_list_changed)
    }

    fn session_under(policy: &str, revision: &str, says_list_changed: bool) -> Play {
        let mut play = Play::new(policy, |_| {});
        play.handshake(revision, says_list_changed);
        play
    }

    fn handshake(&mut self, revision: &str, says_list_changed: bool) {
        self.client_says(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#);
        self.server_gets();
        self.server_says(format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":{says_list_changed}}}}}}}}}"#
        ));
        self.client_gets();
    }

    /// After the handshake and a first call, so that there is a list.
    fn listed(revision: &str, says_list_changed: bool, tools: &[&str]) -> Play {
        let mut play = Play::session(revision, says_list_changed);
        play.client_says(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#);
        play.serve_list(tools);
        play.client_gets();
        play
    }

    fn client_says(&mut self, line: impl AsRef<[u8]>) {
        let read = frame::read(line.as_ref().to_vec(), &self.relay.config.limits.client_frame);
        let actions = self.relay.on_client(read, self.now_ms);
        self.take(actions);
    }

    fn server_says(&mut self, line: impl AsRef<[u8]>) {
        let read = frame::read(line.as_ref().to_vec(), &self.relay.config.limits.server_frame);
        let actions = self.relay.on_server(read, self.now_ms);
        self.take(actions);
    }

    fn take(&mut self, actions: Vec<Action>) {
        let text = |line| String::from_utf8(line).unwrap();
        for action in actions {
            match action {
                Action::ToClient(line) => self.client.push_back(text(line)),
                Action::ToServer(line) | Action::ReplyToServer(line) => self.server.push_back(text(line)),
                Action::ToStderr(line) => self.stderr.push_back(String::from_utf8_lossy(&line).into_owned()),
                Action::Log(record) => self.records.push(record),
                Action::Compile(job) => self.jobs.push(job),
            }
        }
        if self.compiles {
            self.compile();
        }
    }

    fn compile(&mut self) {
        for job in std::mem::take(&mut self.jobs) {
            let actions = self.relay.on_compiled(job.run(), self.now_ms);
            self.take(actions);
        }
    }

    #[track_caller]
    fn server_gets(&mut self) -> Value {
        serde_json::from_str(&self.server_line()).unwrap()
    }

    #[track_caller]
    fn server_line(&mut self) -> String {
        self.server.pop_front().expect("something reaches the server")
    }

    #[track_caller]
    fn client_gets(&mut self) -> Value {
        serde_json::from_str(&self.client.pop_front().expect("something reaches the client")).unwrap()
    }

    #[track_caller]
    fn nothing_for_the_server(&self) {
        assert!(self.server.is_empty(), "{:?}", self.server);
    }

    #[track_caller]
    fn nothing_for_the_client(&self) {
        assert!(self.client.is_empty(), "{:?}", self.client);
    }

    /// Answers the relay's request for the list.
    #[track_caller]
    fn serve_list(&mut self, tools: &[&str]) {
        self.serve_list_with(tools, "");
    }

    #[track_caller]
    fn serve_list_with(&mut self, tools: &[&str], more: &str) {
        let request = self.server_gets();
        assert_eq!(request["method"], "tools/list");
        let (id, tools) = (&request["id"], tools.join(","));
        self.server_says(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]{more}}}}}"#));
    }

    fn call(&mut self, id: u32, name: &str, arguments: &str) {
        self.client_says(call(id, name, arguments));
    }

    #[track_caller]
    fn refused(&mut self, id: u32) -> Value {
        let answer = self.client_gets();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)), "{answer}");
        answer
    }

    #[track_caller]
    fn error(&mut self, id: &Value, code: i32) {
        let answer = self.client_gets();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (id, &json!(code)), "{answer}");
    }

    fn verdicts(&self) -> Vec<(String, Verdict)> {
        let calls = self.records.iter().filter_map(|record| match record {
            Record::Call(call) => Some((call.tool.clone(), call.verdict)),
            Record::Note { .. } => None,
        });
        calls.collect()
    }

    fn events(&self) -> Vec<&'static str> {
        let notes = self.records.iter().filter_map(|record| match record {
            Record::Note { event, .. } => Some(*event),
            Record::Call(_) => None,
        });
        notes.collect()
    }
}

fn call(id: u32, name: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
    )
}

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

// ---------------------------------------------------------------- calls

#[test]
fn an_admitted_call_keeps_its_bytes_and_its_answer_too() {
    let mut play = Play::listed("2025-06-18", true, &[NUM]);
    let line = r#"{"jsonrpc":"2.0", "params":{"arguments": {"n":12345678901234567890123} ,"name":"num","x":1.50,"task":{"ttl":5}},"method":"tools/call","id":"a\/b"}"#;
    play.client_says(line);
    assert_eq!(play.server_line(), line);
    let answer = r#"{"jsonrpc":"2.0","result":{"content":[],"x":1.0e2},"id":"a/b"}"#;
    play.server_says(answer);
    assert_eq!(play.client.pop_front().unwrap(), answer);
}

#[test]
fn only_the_arguments_are_replaced_and_only_where_they_were_edited() {
    let mut play = Play::listed("2025-06-18", true, &[NUM]);
    play.client_says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"n":"7"},"name":"num","_meta":{"progressToken":1.0}}}"#);
    assert_eq!(
        play.server_line(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"n":7},"name":"num","_meta":{"progressToken":1.0}}}"#
    );
}

#[test]
fn absent_arguments_are_an_empty_object() {
    let slow = r#"{"name":"slow","inputSchema":{"type":"object"}}"#;
    let mut play = Play::listed("2025-06-18", true, &[slow]);
    play.client_says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}"#);
    assert_eq!(play.server_gets()["params"], json!({"name": "slow", "arguments": {}}));
    play.call(2, "slow", "null");
    play.refused(2);
    play.nothing_for_the_server();
}

#[test]
fn a_refusal_is_a_tool_result_of_the_revision_spoken() {
    for (revision, has_structure, has_type) in [
        ("2024-11-05", false, false),
        ("2025-03-26", false, false),
        ("2025-06-18", true, false),
        ("2025-11-25", true, false),
    ] {
        let mut play = Play::listed(revision, true, &[BOOK]);
        play.call(5, "book", r#"{"rows":["SECRET"]}"#);
        let result = &play.refused(5)["result"];
        assert_eq!(result["_meta"]["toolgate/refusal"]["violations"][0]["code"], "required");
        assert_eq!(
            (result.get("structuredContent").is_some(), result.get("resultType").is_some()),
            (has_structure, has_type)
        );
        assert!(
            !result.to_string().contains("SECRET") && result["content"][0]["text"].as_str().unwrap().contains("seat")
        );
        play.nothing_for_the_server();
    }
}

#[test]
fn structured_content_stays_away_from_an_output_schema() {
    let tool = BOOK.replace(r#""inputSchema""#, r#""outputSchema":{"type":"object"},"inputSchema""#);
    let mut play = Play::listed("2025-06-18", true, &[&tool]);
    play.call(5, "book", "{}");
    let result = &play.refused(5)["result"];
    assert!(result.get("structuredContent").is_none() && result["_meta"]["toolgate/refusal"].is_object());
}

#[test]
fn the_same_refusal_says_more_and_then_stops() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    let mut texts = Vec::new();
    for id in 1..=3 {
        play.call(id, "book", "{}");
        texts.push(play.refused(id)["result"]["content"][0]["text"].as_str().unwrap().to_owned());
    }
    assert!(texts[0] != texts[1] && texts[1] != texts[2] && texts.iter().all(|text| text.contains("seat")));
    assert!(texts[2].starts_with("Stop"));
}

#[test]
fn calls_that_cannot_be_routed_are_protocol_errors() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    for params in [
        "",
        r#","params":[]"#,
        r#","params":"{}""#,
        r#","params":{}"#,
        r#","params":{"name":7}"#,
        r#","params":{"name":"nosuch"}"#,
    ] {
        play.client_says(format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call"{params}}}"#));
        play.error(&json!(5), frame::INVALID_PARAMS);
        play.nothing_for_the_server();
    }
    assert!(play.verdicts().iter().all(|(tool, _)| tool == "*"));
}

#[test]
fn a_call_without_an_id_is_judged() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.client_says(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"book","arguments":{"seat":7}}}"#);
    play.nothing_for_the_server();
    play.nothing_for_the_client();
    assert_eq!(play.verdicts(), [("book".into(), Verdict::Refused)]);
    play.client_says(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"book","arguments":{"seat":"a"}}}"#);
    assert!(play.server_gets().get("id").is_none());
}

#[test]
fn a_method_that_a_careless_server_would_take_for_a_call_does_not_cross() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    for method in ["Tools/Call", "tools/call ", r"tools/call\u0000", "/tools/call", "tool\u{17f}/call"] {
        play.client_says(format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{"name":"book","arguments":{{"seat":7}}}}}}"#
        ));
        play.error(&json!(5), frame::INVALID_REQUEST);
        play.client_says(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"name":"book"}}}}"#));
        play.nothing_for_the_server();
        play.nothing_for_the_client();
    }
    play.client_says(
        r#"{"jsonrpc":"2.0","id":5,"method":"tools\/call","params":{"name":"book","arguments":{"seat":7}}}"#,
    );
    play.refused(5);
    play.client_says(r#"{"jsonrpc":"2.0","id":6,"method":"tools/callx"}"#);
    assert_eq!(play.server_gets()["id"], 6);
}

#[test]
fn a_tool_that_does_not_compile_is_closed_alone_and_named() {
    let bad = r#"{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"nonsense"}}}}"#;
    let mut play = Play::listed("2025-06-18", true, &[bad, BOOK]);
    assert_eq!(play.events(), ["tool-closed"]);
    play.call(1, "bad", "{}");
    let refusal = play.refused(1);
    assert_eq!(refusal["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"], "schema-unusable");
    play.call(2, "book", r#"{"seat":"a"}"#);
    assert_eq!(play.server_gets()["id"], 2);
}

// ---------------------------------------------------------------- ids and answers

#[test]
fn the_two_directions_have_ids_of_their_own() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(7, "book", r#"{"seat":"a"}"#);
    play.server_gets();
    // The server asks with the same id.
    let ask = r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}"#;
    play.server_says(ask);
    assert_eq!(play.client.pop_front().unwrap(), ask);
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"role":"assistant"}}"#;
    play.client_says(answer);
    assert_eq!(play.server_line(), answer);
    play.server_says(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#);
    assert_eq!(play.client_gets()["result"]["content"], json!([]));
}

#[test]
fn an_answer_to_nothing_is_dropped_and_logged() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    for answer in [
        r#""id":99,"result":{}"#,
        r#""id":"7","result":{}"#,
        r#""id":null,"error":{"code":1,"message":""}"#,
        r#""error":{"code":1,"message":""}"#,
    ] {
        play.server_says(format!(r#"{{"jsonrpc":"2.0",{answer}}}"#));
    }
    play.call(7, "book", r#"{"seat":"a"}"#);
    play.server_says(r#"{"jsonrpc":"2.0","id":"7","result":{}}"#);
    play.nothing_for_the_client();
    play.server_says(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(play.client_gets()["id"], 7);
    play.server_says(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    play.nothing_for_the_client();
    assert_eq!(play.events(), ["answer-dropped"; 6]);
}

#[test]
fn an_id_in_use_is_refused_and_the_first_request_is_still_answered() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(7, "book", r#"{"seat":"a"}"#);
    play.server_gets();
    play.call(7, "book", r#"{"seat":"b"}"#);
    play.error(&json!(7), frame::INVALID_REQUEST);
    play.nothing_for_the_server();
    play.server_says(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#);
    assert!(play.client_gets().get("result").is_some());
    play.call(7, "book", r#"{"seat":"c"}"#);
    assert_eq!(play.server_gets()["params"]["arguments"]["seat"], "c");
}

#[test]
fn an_error_for_a_broken_line_does_not_answer_a_request_in_flight() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(7, "book", r#"{"seat":"a"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":7,"#);
    play.error(&Value::Null, frame::PARSE_ERROR);
}

#[test]
fn a_broken_answer_of_the_client_is_an_error_for_the_server() {
    let mut play = Play::listed("2025-11-25", true, &[BOOK]);
    play.client_says(r#"{"jsonrpc":"2.0","id":3,"result":{},"result":{}}"#);
    assert_eq!(play.server_gets()["error"]["code"], frame::INTERNAL_ERROR);
    let error = play.client_gets();
    assert!(error.get("id").is_none() && error["error"]["code"] == frame::INVALID_REQUEST);
}

#[test]
fn a_broken_answer_of_the_server_is_an_error_for_the_client() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    for (id, broken) in [
        (1, r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#),
        (2, r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{}}"#),
        (3, r#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#),
        (4, r#"{"jsonrpc":"2.0","id":4,"result":{},"ID":5}"#),
    ] {
        play.call(id, "book", r#"{"seat":"a"}"#);
        play.server_says(broken);
        play.error(&json!(id), frame::INTERNAL_ERROR);
        play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        play.nothing_for_the_client();
    }
    play.call(5, "book", r#"{"seat":"a"}"#);
    let finding = crate::Scanner::scan(br#"{"jsonrpc":"2.0","id":5,"result":{"x":"#);
    let actions = play.relay.on_server(frame::too_large(finding), play.now_ms);
    play.take(actions);
    play.error(&json!(5), frame::INTERNAL_ERROR);
}

#[test]
fn a_broken_request_of_the_server_is_answered_and_does_not_cross() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.server.clear();
    play.server_says(r#"{"jsonrpc":"2.0","id":3,"method":"ping","Method":"x"}"#);
    assert_eq!(play.server_gets()["error"]["code"], frame::INVALID_REQUEST);
    play.server_says(r#"{"jsonrpc":"2.0","method":"notifications/x","method":"y"}"#);
    play.nothing_for_the_client();
    play.nothing_for_the_server();
}

#[test]
fn lines_that_are_no_json_rpc_go_to_stderr() {
    let mut play = Play::session("2025-06-18", true);
    let lines = ["[db] connected", r#"{"level":"info","id":1,"result":"x"}"#, "7", r#"["a"]"#, "{broken"];
    for line in lines {
        play.server_says(line);
    }
    assert_eq!(play.stderr, lines);
    play.nothing_for_the_client();
}

#[test]
fn everything_else_crosses_both_ways_with_its_tokens() {
    let mut play = Play::session("2025-11-25", true);
    for line in [
        r#"{"jsonrpc":"2.0","id":3,"method":"vendor/thing","params":{"n":1.50,"z":1,"a":[1e2]},"x":1}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"x","params":[1,2]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":"s","error":{"code":-1,"message":"no"}}"#,
    ] {
        play.client_says(line);
        assert_eq!(play.server_line(), line);
    }
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":{"b":1,"a":2}}"#,
    ] {
        play.server_says(line);
        assert_eq!(play.client.pop_front().unwrap(), line);
    }
}

// ---------------------------------------------------------------- cancellation

#[test]
fn a_call_that_is_cancelled_while_it_waits_is_not_run() {
    let mut play = Play::session("2025-06-18", true);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.call(2, "book", r#"{"seat":"b"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    play.serve_list(&[BOOK]);
    assert_eq!(play.server_gets()["id"], 2);
    play.nothing_for_the_server();
    play.nothing_for_the_client();
}

#[test]
fn a_call_in_flight_is_cancelled_at_the_server_and_its_late_answer_crosses() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.server_gets();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}"#;
    play.client_says(cancel);
    assert_eq!(play.server_line(), cancel);
    assert!(play.relay.is_idle());
    play.server_says(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
    assert_eq!(play.client_gets()["id"], 1);
}

#[test]
fn a_list_that_is_cancelled_is_not_answered_and_ours_cannot_be_cancelled() {
    let mut play = Play::session("2025-06-18", true);
    play.client_says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let own = play.server.front().unwrap().clone();
    let own: Value = serde_json::from_str(&own).unwrap();
    play.client_says(format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
        own["id"]
    ));
    play.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    play.serve_list(&[BOOK]);
    play.nothing_for_the_client();
    play.nothing_for_the_server();
}

// ---------------------------------------------------------------- the list

#[test]
fn the_list_is_fetched_whole_and_answered_as_one_page() {
    let mut play = Play::session("2025-06-18", true);
    play.client_says(r#"{"jsonrpc":"2.0","id":"L","method":"tools/list","params":{}}"#);
    let first = play.server_gets();
    play.server_says(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{BOOK}],"nextCursor":"p2","vendor":1.50}}}}"#,
        first["id"]
    ));
    let second = play.server_gets();
    assert_eq!(second["params"], json!({"cursor": "p2"}));
    assert_ne!(first["id"], second["id"]);
    play.nothing_for_the_client();
    play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{NUM}]}}}}"#, second["id"]));
    assert!(play.client.front().unwrap().contains("1.50"));
    let answer = play.client_gets();
    assert_eq!(answer["id"], "L");
    let names: Vec<&Value> = answer["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["book", "num"]);
    assert!(answer["result"].get("nextCursor").is_none());
    play.client_says(r#"{"jsonrpc":"2.0","id":"M","method":"tools/list","params":{"cursor":"p2"}}"#);
    play.error(&json!("M"), frame::INVALID_PARAMS);
    play.nothing_for_the_server();
}

#[test]
fn calls_before_any_list_wait_and_keep_their_order() {
    let mut play = Play::session("2025-06-18", true);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.call(2, "book", r#"{"seat":7}"#);
    play.call(3, "book", r#"{"seat":"c"}"#);
    assert!(play.relay.is_holding());
    play.serve_list(&[BOOK]);
    play.refused(2);
    assert_eq!((play.server_gets()["id"].clone(), play.server_gets()["id"].clone()), (json!(1), json!(3)));
    play.nothing_for_the_server();
}

#[test]
fn waiting_calls_are_bounded_in_number_and_bytes() {
    let mut play = Play::new("", |limits| (limits.held_max, limits.held_bytes_max) = (2, 1000));
    play.handshake("2025-06-18", true);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.call(2, "book", &format!(r#"{{"seat":"{}"}}"#, "x".repeat(1000)));
    play.error(&json!(2), frame::INTERNAL_ERROR);
    play.call(3, "book", r#"{"seat":"a"}"#);
    play.call(4, "book", r#"{"seat":"a"}"#);
    play.error(&json!(4), frame::INTERNAL_ERROR);
    play.serve_list(&[BOOK]);
    assert_eq!((play.server_gets()["id"].clone(), play.server_gets()["id"].clone()), (json!(1), json!(3)));
}

#[test]
fn requests_in_flight_are_bounded_and_cancelled_ones_make_room() {
    let mut play = Play::new("", |limits| limits.in_flight_max = 2);
    for id in 1..=3 {
        play.client_says(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#));
    }
    play.error(&json!(3), frame::INTERNAL_ERROR);
    play.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    play.server.clear();
    play.client_says(r#"{"jsonrpc":"2.0","id":4,"method":"x"}"#);
    assert_eq!(play.server_gets()["id"], 4);
}

#[test]
fn a_list_that_cannot_be_had_leaves_calls_unjudged_and_not_run() {
    let mut play = Play::session("2025-06-18", true);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let request = play.server_gets();
    play.server_says(format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"no tools"}}}}"#,
        request["id"]
    ));
    play.error(&json!(1), frame::INTERNAL_ERROR);
    // The client's own request came later, so it has a listing of its own, and gets the server's own error.
    let request = play.server_gets();
    play.server_says(format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"no tools"}}}}"#,
        request["id"]
    ));
    assert_eq!(play.client_gets()["error"], json!({"code": -32601, "message": "no tools"}));
    play.nothing_for_the_server();
}

#[test]
fn a_list_that_cannot_be_compiled_keeps_nobody_waiting() {
    let mut play = Play::session("2025-06-18", true);
    play.compiles = false;
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.serve_list(&[BOOK]);
    play.client_says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert_eq!(play.jobs.len(), 1);
    play.nothing_for_the_client();
    let actions = play.relay.on_not_compiled(play.now_ms);
    play.take(actions);
    play.error(&json!(1), frame::INTERNAL_ERROR);
    assert_eq!(play.events(), ["list-failed"]);
    // The client's own request is served by the next list.
    play.compiles = true;
    play.serve_list(&[BOOK]);
    assert_eq!(play.client_gets()["result"]["tools"][0]["name"], "book");
    play.nothing_for_the_server();
    let actions = play.relay.on_not_compiled(play.now_ms);
    assert!(actions.is_empty(), "nothing is being compiled");
}

#[test]
fn a_list_that_does_not_come_is_given_up_and_its_late_answer_dropped() {
    let mut play = Play::session("2025-06-18", true);
    assert_eq!(play.relay.next_deadline_ms(), None);
    play.call(1, "book", r#"{"seat":"a"}"#);
    let request = play.server_gets();
    play.now_ms = play.relay.next_deadline_ms().unwrap() - 1;
    let actions = play.relay.on_tick(play.now_ms);
    assert!(actions.is_empty());
    play.now_ms += 1;
    let actions = play.relay.on_tick(play.now_ms);
    play.take(actions);
    play.error(&json!(1), frame::INTERNAL_ERROR);
    assert_eq!(play.server_gets()["params"]["requestId"], request["id"]);
    play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[]}}}}"#, request["id"]));
    play.nothing_for_the_client();
    assert_eq!(play.relay.next_deadline_ms(), None);
}

#[test]
fn a_change_is_passed_on_after_the_swap_and_only_if_it_is_one() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK, NUM]);
    play.server_says(CHANGED);
    play.nothing_for_the_client();
    play.serve_list(&[BOOK, NUM]);
    play.nothing_for_the_client();
    play.server_says(CHANGED);
    play.serve_list(&[NUM]);
    assert_eq!(play.client.pop_front().unwrap(), CHANGED);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.error(&json!(1), frame::INVALID_PARAMS);
    play.nothing_for_the_server();
}

#[test]
fn notices_during_a_listing_coalesce_into_one_more() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    for _ in 0..5 {
        play.server_says(CHANGED);
    }
    play.serve_list(&[BOOK]);
    play.nothing_for_the_client();
    play.serve_list(&[BOOK, NUM]);
    play.nothing_for_the_server();
    assert_eq!(play.client.len(), 1);
}

/// Many of them may wait for one list.
#[test]
fn of_a_long_notice_what_it_says_is_kept() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    let long = "x".repeat(100_000);
    let said = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":"s","x":"{long}"}}}}}}"#
    );
    play.server_says(said);
    play.serve_list(&[NUM]);
    let told = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#;
    assert_eq!(play.client.pop_front().unwrap(), told);
}

#[test]
fn a_notice_that_nobody_has_a_list_to_compare_with_is_not_passed_on() {
    let mut play = Play::session("2025-06-18", true);
    play.server_says(CHANGED);
    play.nothing_for_the_client();
    play.nothing_for_the_server();
}

#[test]
fn a_change_is_announced_even_if_a_call_has_found_it_first() {
    let mut play = Play::listed("2025-06-18", false, &[BOOK]);
    play.now_ms += 3000;
    play.call(1, "num", r#"{"n":1}"#);
    play.serve_list(&[NUM]);
    assert_eq!(play.server_gets()["id"], 1);
    play.nothing_for_the_client();
    play.server_says(CHANGED);
    play.serve_list(&[NUM]);
    assert_eq!(play.client.pop_front().unwrap(), CHANGED);
}

#[test]
fn a_failed_listing_leaves_the_old_set_and_the_change_is_told_later() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.server_says(CHANGED);
    let request = play.server_gets();
    play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":1,"message":"x"}}}}"#, request["id"]));
    play.call(1, "book", r#"{"seat":"a"}"#);
    assert_eq!(play.server_gets()["id"], 1);
    // The set is suspect now: before a refusal it is fetched anew.
    play.now_ms += 3000;
    play.call(2, "num", r#"{"n":1}"#);
    play.serve_list(&[NUM]);
    assert_eq!(play.client.pop_front().unwrap(), CHANGED);
    assert_eq!(play.server_gets()["id"], 2);
}

#[test]
fn calls_are_judged_by_the_old_set_until_the_new_one_is_in_place() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.compiles = false;
    play.server_says(CHANGED);
    play.serve_list(&[NUM]);
    play.call(1, "book", r#"{"seat":"a"}"#);
    assert_eq!(play.server_gets()["id"], 1);
    play.compile();
    play.call(2, "book", r#"{"seat":"a"}"#);
    assert_eq!(play.client_gets()["method"], "notifications/tools/list_changed");
    play.error(&json!(2), frame::INVALID_PARAMS);
}

#[test]
fn a_server_that_announces_a_change_after_each_list_is_not_asked_without_end() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    let mut lists = 0;
    play.server_says(CHANGED);
    while !play.server.is_empty() {
        lists += 1;
        assert!(lists < 100, "without end");
        let name = format!(r#"{{"name":"t{lists}","inputSchema":{{"type":"object"}}}}"#);
        play.serve_list(&[&name]);
        play.client_gets();
        play.server_says(CHANGED);
    }
    // A call that would be refused, and a client that asks, need not wait; the announced change is looked at later.
    play.client_says(r#"{"jsonrpc":"2.0","id":"now","method":"tools/list"}"#);
    play.serve_list(&[BOOK]);
    assert_eq!(play.client_gets()["id"], "now");
    play.server_says(CHANGED);
    assert!(play.server.is_empty());
    play.now_ms = play.relay.next_deadline_ms().unwrap();
    let actions = play.relay.on_tick(play.now_ms);
    play.take(actions);
    play.serve_list(&[NUM]);
    assert_eq!(play.client_gets()["method"], "notifications/tools/list_changed");
    assert_eq!(play.relay.next_deadline_ms(), None);
}

#[test]
fn a_list_that_the_client_asks_for_is_newer_than_the_request() {
    let mut play = Play::session("2025-06-18", true);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    play.serve_list(&[BOOK]);
    play.nothing_for_the_client();
    assert_eq!(play.server_gets()["id"], 1);
    play.serve_list(&[BOOK]);
    assert_eq!(play.client_gets()["id"], 2);
}

// ---------------------------------------------------------------- R9.8

#[test]
fn a_server_that_announces_nothing_is_asked_again_before_a_refusal() {
    let mut play = Play::listed("2025-06-18", false, &[BOOK]);
    // Not at once: at most every two seconds.
    play.call(1, "book", "{}");
    play.refused(1);
    play.nothing_for_the_server();
    play.now_ms += 2000;
    play.call(2, "book", "{}");
    play.nothing_for_the_client();
    play.serve_list(&[BOOK]);
    play.refused(2);
    play.nothing_for_the_server();
    play.now_ms += 2000;
    play.call(3, "book", r#"{"n":1}"#);
    play.serve_list(&[&NUM.replace("num", "book")]);
    assert_eq!(play.server_gets()["id"], 3);
}

#[test]
fn an_admitted_call_never_waits_for_that() {
    let mut play = Play::listed("2025-06-18", false, &[BOOK]);
    play.now_ms += 60_000;
    play.call(1, "book", "{}");
    play.call(2, "book", r#"{"seat":"a"}"#);
    let request = play.server_gets();
    assert_eq!((request["method"].clone(), play.server_gets()["id"].clone()), (json!("tools/list"), json!(2)));
}

#[test]
fn a_server_that_announces_changes_is_not_asked_again_unless_its_list_is_old() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.now_ms += 60_000;
    play.call(1, "book", "{}");
    play.refused(1);
    play.nothing_for_the_server();
    play.client_says(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#);
    play.serve_list_with(&[BOOK], r#","ttlMs":5000"#);
    play.client_gets();
    play.now_ms += 5000;
    play.call(2, "book", "{}");
    play.refused(2);
    play.now_ms += 1;
    play.call(3, "book", "{}");
    play.nothing_for_the_client();
    play.serve_list_with(&[BOOK], r#","ttlMs":0"#);
    play.refused(3);
    // Stale at once, and still not asked more often than every two seconds.
    play.now_ms += 1999;
    play.call(4, "book", "{}");
    play.refused(4);
    play.nothing_for_the_server();
}

#[test]
fn text_that_no_contract_admits_is_refused_at_once() {
    let mut play = Play::listed("2025-06-18", false, &[BOOK]);
    play.now_ms += 60_000;
    play.call(1, "book", r#"{"seat":"a","seat":"b"}"#);
    play.refused(1);
    play.nothing_for_the_server();
}

#[test]
fn if_the_new_list_fails_the_old_set_judges() {
    let mut play = Play::listed("2025-06-18", false, &[BOOK]);
    play.now_ms += 60_000;
    play.call(1, "book", "{}");
    let request = play.server_gets();
    play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":1,"message":"x"}}}}"#, request["id"]));
    play.refused(1);
    play.nothing_for_the_server();
}

// ---------------------------------------------------------------- 2026-07-28

#[test]
fn without_a_handshake_our_requests_say_who_the_client_is() {
    let mut play = Play::new("", |_| {});
    play.client_says(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"book","arguments":{{}},{META}}}}}"#
    ));
    let request = play.server_gets();
    let meta = &request["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    assert!(meta.get("progressToken").is_none(), "the token is that of another request");
    play.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{BOOK}],"resultType":"complete","ttlMs":60000,"cacheScope":"public"}}}}"#, request["id"]));
    assert_eq!(play.refused(1)["result"]["resultType"], "complete");
}

#[test]
fn changes_are_announced_on_a_subscription_only() {
    let mut play = Play::new("", |_| {});
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    play.client_says(format!(r#"{{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{{{META}}}}}"#));
    play.server_gets();
    play.server_says(r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true}}}}"#);
    play.client_gets();
    play.client_says(&list);
    play.serve_list(&[BOOK]);
    play.client_gets();
    play.now_ms += 3000;
    play.call(2, "book", "{}");
    play.serve_list(&[BOOK]);
    play.refused(2);
    let listen = format!(
        r#"{{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
    );
    play.client_says(&listen);
    assert_eq!(play.server_line(), listen);
    play.server_says(r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}"#);
    play.client_gets();
    play.now_ms += 3000;
    play.call(3, "book", "{}");
    play.refused(3);
    play.nothing_for_the_server();
    // Each subscription gets its own notice.
    let notice = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":"{id}"}}}}}}"#
        )
    };
    play.server_says(notice("sub"));
    play.server_says(notice("sub2"));
    play.serve_list(&[NUM]);
    assert_eq!(play.client.pop_front().unwrap(), notice("sub"));
    play.serve_list(&[NUM]);
}

// ---------------------------------------------------------------- batches

#[test]
fn a_batch_is_taken_apart_and_its_answers_rejoined() {
    let mut play = Play::listed("2025-03-26", true, &[BOOK]);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":5,"result":{}}"#;
    play.client_says(format!(
        "[{},{},{notification},{answer},7,{}]",
        call(5, "book", r#"{"seat":"a"}"#),
        call(6, "book", "{}"),
        call(7, "book", r#"{"seat":"b"}"#)
    ));
    assert_eq!(play.server_gets()["id"], 5);
    assert_eq!(play.server_line(), notification);
    assert_eq!(play.server_line(), answer);
    assert_eq!(play.server_gets()["id"], 7);
    play.server_says(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#);
    play.nothing_for_the_client();
    play.server_says(r#"{"jsonrpc":"2.0","id":5,"result":{"content":[]}}"#);
    let answers = play.client_gets();
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(5), &json!(6), &Value::Null, &json!(7)]);
    assert_eq!(answers[1]["result"]["isError"], true);
    assert_eq!(answers[2]["error"]["code"], frame::INVALID_REQUEST);
}

#[test]
fn a_batch_ends_when_its_last_request_is_cancelled_or_the_server_is_gone() {
    let mut play = Play::listed("2025-03-26", true, &[BOOK]);
    play.client_says(format!("[{},{}]", call(5, "book", r#"{"seat":"a"}"#), call(6, "book", "{}")));
    play.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#);
    assert_eq!(play.client_gets().as_array().unwrap().len(), 1);
    play.client_says(format!("[{},{}]", call(7, "book", r#"{"seat":"a"}"#), call(8, "book", "{}")));
    let actions = play.relay.on_server_gone();
    play.take(actions);
    let answers = play.client_gets();
    assert_eq!(answers[0]["error"]["code"], frame::INTERNAL_ERROR);
    assert_eq!(answers[1]["id"], 8);
}

#[test]
fn batches_of_nothing_of_too_much_and_with_a_handshake_are_refused() {
    let mut play = Play::session("2025-03-26", true);
    play.client_says("[]");
    play.error(&Value::Null, frame::INVALID_REQUEST);
    play.client_says(format!("[{}]", vec!["1"; 300].join(",")));
    play.error(&Value::Null, frame::INVALID_REQUEST);
    play.client_says(r#"[{"jsonrpc":"2.0","id":1,"method":"initialize"}]"#);
    assert_eq!(play.client_gets()[0]["error"]["code"], frame::INVALID_REQUEST);
    play.client_says(r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#);
    play.nothing_for_the_client();
}

#[test]
fn under_other_revisions_nothing_of_an_array_runs_and_nothing_waits() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut play = Play::listed(revision, true, &[BOOK]);
        play.client_says(format!("[{},{}]", call(5, "book", r#"{"seat":"a"}"#), call(6, "book", "{}")));
        play.error(&json!(5), frame::INVALID_REQUEST);
        play.error(&json!(6), frame::INVALID_REQUEST);
        play.client_says("[]");
        assert_eq!(play.client_gets()["error"]["code"], frame::INVALID_REQUEST);
        play.nothing_for_the_server();
    }
}

#[test]
fn a_batch_of_the_server_is_taken_apart_where_there_are_batches() {
    let mut play = Play::listed("2025-03-26", true, &[BOOK]);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.server_says(r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":9,"result":{}}]"#);
    assert_eq!(play.client_gets()["method"], "notifications/x");
    assert_eq!(play.client_gets()["id"], 1);
    play.nothing_for_the_client();
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.server_says(r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#);
    play.error(&json!(1), frame::INTERNAL_ERROR);
}

// ---------------------------------------------------------------- the end, observing, records

#[test]
fn what_waits_when_the_server_ends_gets_an_error() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(1, "book", r#"{"seat":"a"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    play.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#);
    let actions = play.relay.on_server_gone();
    play.take(actions);
    play.error(&json!(1), frame::INTERNAL_ERROR);
    play.error(&json!(2), frame::INTERNAL_ERROR);
    play.nothing_for_the_client();
    play.call(4, "book", r#"{"seat":"a"}"#);
    play.error(&json!(4), frame::INTERNAL_ERROR);
    assert!(play.relay.is_idle());
}

#[test]
fn observing_refuses_nothing_and_says_what_would_let_it_pass() {
    let bad = r#"{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"nonsense"}}}}"#;
    let mut play = Play::session_under("observe = true", "2025-06-18", true);
    let lines = [
        call(1, "book", r#"{"row":"x"}"#),
        call(2, "bad", "{}"),
        call(3, "nosuch", "{}"),
        call(4, "book", r#"{"seat":"a","seat":"b"}"#),
    ];
    for line in &lines {
        play.client_says(line);
    }
    play.serve_list(&[BOOK, bad]);
    for line in &lines {
        assert_eq!(&play.server_line(), line);
    }
    play.nothing_for_the_client();
    let Some(Record::Call(first)) = play.records.iter().find(|record| matches!(record, Record::Call(_))) else {
        panic!()
    };
    assert_eq!(first.verdict, Verdict::Observed);
    assert!(first.options.contains(&"--forward-keys book:KEY".to_owned()), "{first:?}");
    assert!(first.violations.iter().any(|violation| violation == "unknown-argument@/*"), "{first:?}");
}

#[test]
fn where_calls_are_observed_the_list_is_the_servers() {
    let bad = r#"{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"nonsense"}}}}"#;
    let odd = r#"{"name":"odd","inputSchema":{"type":"object","properties":{"a b":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}"#;
    let mut play = Play::session_under("observe = true\nprofile = \"gemini\"", "2025-06-18", true);
    play.client_says(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#);
    play.serve_list(&[bad, odd, r#"{"title":"nameless"}"#]);
    let line = play.client.pop_front().unwrap();
    assert!(line.contains(&format!(r#""tools":[{bad},{odd},{{"title":"nameless"}}]"#)), "{line}");
    assert_eq!(play.events(), ["tool-left-out", "tool-closed"]);
}

#[test]
fn what_is_observed_is_what_would_have_been_refused() {
    let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}}"#;
    let calls = [r#"{"n":"5"}"#, r#"{"s":"[\"a\"]"}"#, r#"{"n":1,"n":2}"#, r#"{"n":"x"}"#];
    let run = |policy: &str| {
        let mut play = Play::session_under(policy, "2025-06-18", true);
        for (id, arguments) in (0..).zip(calls) {
            play.call(id, "t", arguments);
        }
        play.serve_list(&[tool]);
        play
    };
    let mut observed = run("observe = true");
    for (id, arguments) in (0..).zip(calls) {
        assert_eq!(observed.server_line(), call(id, "t", arguments), "as it was sent");
    }
    let records = |play: &Play| -> Vec<CallRecord> {
        let calls = play.records.iter().filter_map(|record| match record {
            Record::Call(call) => Some(call.clone()),
            Record::Note { .. } => None,
        });
        calls.collect()
    };
    let (observed, judged) = (records(&observed), records(&run("")));
    let violations = |of: &[CallRecord]| of.iter().map(|call| call.violations.clone()).collect::<Vec<_>>();
    assert_eq!(violations(&observed), violations(&judged));
    let options: Vec<_> = observed.iter().map(|call| call.options.join(" ")).collect();
    assert_eq!(options, ["", "--list-text-keep t:/s", "", "--judge server:t"]);
    // What would have been read as another value was not, and the record does not say that it was.
    let line = |of: &[CallRecord]| Record::Call(of[0].clone()).render(Format::Text, 0);
    assert_eq!(line(&observed), "toolgate info call tool=t verdict=observed would_edit=number-text");
    assert_eq!(line(&judged), "toolgate info call tool=t verdict=admitted edits=number-text");
}

#[test]
fn the_judging_of_one_tool_can_be_left_to_its_server() {
    let policy =
        "[tools.book]\njudge = \"server\"\n[tools.gone]\nunions = \"local\"\n[tools.num]\nlist_text_keep = [\"/no\"]";
    let mut play = Play::session_under(policy, "2025-06-18", true);
    play.call(1, "book", r#"{"row":"x"}"#);
    play.call(2, "num", "{}");
    play.serve_list(&[BOOK, NUM]);
    assert_eq!(play.server_gets()["id"], 1);
    play.refused(2);
    assert_eq!(play.verdicts(), [("book".into(), Verdict::Observed), ("num".into(), Verdict::Refused)]);
    assert_eq!(play.events(), ["policy-without-place", "judged-by-server", "policy-without-tool"]);
}

#[test]
fn what_is_left_to_a_server_is_recorded_as_it_was_sent() {
    let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}}"#;
    let mut play = Play::session_under("[tools.t]\njudge = \"server\"", "2025-06-18", true);
    let calls = [r#"{"n":5}"#, r#"{"n":"5"}"#, r#"{"s":"[\"a\"]"}"#, r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}"#];
    for (id, arguments) in (0..).zip(calls) {
        play.call(id, "t", arguments);
    }
    play.serve_list(&[tool]);
    for (id, arguments) in (0..).zip(calls) {
        assert_eq!(play.server_line(), call(id, "t", arguments), "as it was sent");
    }
    let records = play.records.iter().filter_map(|record| match record {
        Record::Call(call) => Some((call.violations.join(" "), call.more)),
        Record::Note { .. } => None,
    });
    let records: Vec<_> = records.collect();
    let undeclared = ["unknown-argument@/*"; 5].join(" ");
    assert_eq!(records, [(String::new(), 0), ("type@/n".into(), 0), ("list-as-text@/s".into(), 0), (undeclared, 2)]);
    let is_told_how = |record: &Record| matches!(record, Record::Call(call) if !call.options.is_empty());
    assert!(!play.records.iter().any(is_told_how), "the operator has said already that they pass");
}

#[test]
fn no_value_and_no_name_of_the_callers_is_recorded() {
    let mut play = Play::listed("2025-06-18", true, &[BOOK]);
    play.call(1, "book", r#"{"SECRET-key":1,"rows":["SECRET-value"],"SECRET":{"SECRET":1}}"#);
    play.call(2, "SECRET-tool", "{}");
    play.client_says(r#"{"jsonrpc":"2.0","id":"SECRET-id","method":"SECRET/method","params":"#);
    play.client_says(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"book","arguments":{"seat":"SECRET"},"SECRET":1,"SECRET":2}}"#);
    for format in [crate::record::Format::Text, crate::record::Format::Json] {
        for record in &play.records {
            let line = record.render(format, 0);
            assert!(!line.contains("SECRET"), "{line}");
        }
    }
    play.client_says(r#"{"jsonrpc":"2.0","id":"SECRET","method":"SECRET","params":{"SECRET":1}}"#);
    let shown = format!("{:?} {:?}", play.relay, play.relay.in_flight.values());
    assert!(!shown.contains("SECRET"), "{shown}");
}

/// Bytes of good frames are changed at places that a fixed sequence chooses. Whatever comes of it, nothing panics, and a
/// call that reaches the server is one that the contract admits.
#[test]
fn no_broken_line_gets_an_unjudged_call_through() {
    let frames = [
        call(5, "book", r#"{"seat":7}"#),
        call(6, "book", r#"{"seat":"a","rows":[1]}"#),
        format!("[{},{}]", call(7, "book", r#"{"seat":"a"}"#), call(8, "book", "{}")),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#.to_owned(),
        CHANGED.to_owned(),
        r#"{"jsonrpc":"2.0","id":6,"result":{"content":[]}}"#.to_owned(),
    ];
    let bytes = b"{}[]\",:\\ \r\n0179eEtTlLsS_/\x00\xff\xc3\xa9u";
    let mut seed = 0x5eed_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for revision in ["2025-03-26", "2025-06-18"] {
        let mut play = Play::listed(revision, true, &[BOOK]);
        for _ in 0..20_000 {
            let mut line = frames[random(frames.len())].clone().into_bytes();
            for _ in 0..=random(3) {
                let at = random(line.len());
                match random(3) {
                    0 => line[at] = bytes[random(bytes.len())],
                    1 => line.insert(at, bytes[random(bytes.len())]),
                    _ => drop(line.remove(at)),
                }
            }
            if random(3) == 0 {
                play.server_says(&line)
            } else {
                play.client_says(&line)
            }
            for sent in std::mem::take(&mut play.server) {
                assert!(!sent.contains(['\r', '\n']));
                let sent: Value = serde_json::from_str(&sent).unwrap();
                if sent["method"] == "tools/list" {
                    play.server_says(format!(
                        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{BOOK}]}}}}"#,
                        sent["id"]
                    ));
                } else if sent["params"].get("arguments").is_some()
                    && sent["method"].as_str().unwrap().eq_ignore_ascii_case("tools/call")
                {
                    assert!(
                        sent["method"] == "tools/call" && sent["params"]["arguments"]["seat"].is_string(),
                        "{sent}"
                    );
                }
            }
            for heard in std::mem::take(&mut play.client) {
                assert!(!heard.contains(['\r', '\n']));
                serde_json::from_str::<Value>(&heard).unwrap();
            }
            play.stderr.clear();
            play.records.clear();
        }
    }
}

// ---------------------------------------------------------------- answers that cannot be read

#[test]
fn an_answer_that_cannot_cross_is_told_once_and_shown_to_nobody() {
    for line in [
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":\"SECRET\"}",
        "\0{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":\"SECRET\"}",
        r#"{"id":5,"result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":5.0,"result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":5,"id":99,"result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":99,"id":5,"result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":5,"Result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","ID":5,"result":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":5,"x":"SECRET"}"#,
    ] {
        let mut play = Play::session("2025-06-18", true);
        play.client_says(r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#);
        play.server_gets();
        play.records.clear();
        play.server_says(line);
        let answer = play.client_gets();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32603)), "{line}");
        play.server_says(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
        play.nothing_for_the_client();
        assert!(play.stderr.is_empty(), "{line}: {:?}", play.stderr);
        let told: String = play.records.iter().map(|record| record.render(crate::record::Format::Text, 0)).collect();
        assert!(told.contains("warn") && !told.contains("SECRET"), "{line}: {told}");
    }
}

#[test]
fn other_words_of_the_server_stay_other_words() {
    let mut play = Play::session("2025-06-18", true);
    play.client_says(r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#);
    let lines = [
        r#"{"level":"error","id":5,"error":"no such row"}"#,
        r#"{"id":6,"result":"of nothing that waits"}"#,
        r#"{"id":5}"#,
        "listening on 5",
        "",
    ];
    for line in lines {
        play.server_says(line);
    }
    play.nothing_for_the_client();
    assert_eq!(Vec::from(play.stderr.clone()), lines[..4]);
    play.server_says(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
    assert_eq!(play.client_gets()["result"], json!({}));
}

#[test]
fn an_id_is_refused_for_what_is_wrong_with_it() {
    let mut play = Play::session("2025-06-18", true);
    let mut told = |id: &str| {
        play.client_says(format!("{id}\"method\":\"ping\"}}"));
        let answer = play.client_gets();
        (answer["id"].clone(), answer["error"]["message"].as_str().unwrap().to_owned())
    };
    let (id, why) = told(&format!(r#"{{"jsonrpc":"2.0","id":"{}","#, "x".repeat(2000)));
    assert_eq!((id, why.as_str()), (json!(null), "the id is longer than 1,024 bytes"));
    let (_, why) = told(r#"{"jsonrpc":"2.0","id":"\ud800","#);
    assert_eq!(why, "the id holds a lone surrogate, which is no character");
    let (id, _) = told("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,");
    assert_eq!(id, json!(7), "a mark before the frame hides no id");
}

#[test]
fn a_tool_that_no_list_can_hold_costs_itself() {
    let deep = format!(r#"{{"name":"deep","inputSchema":{}{{}}{}}}"#, r#"{"items":"#.repeat(600), "}".repeat(600));
    let half = r#"{"name":"m\ud800","inputSchema":{}}"#;
    for policy in ["", "observe = true"] {
        let mut play = Play::session_under(policy, "2025-06-18", true);
        play.client_says(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#);
        play.serve_list(&[&deep, BOOK, half]);
        let listed = play.client_gets();
        let names: Vec<&str> =
            listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["book"]);
        let told: Vec<String> =
            play.records.iter().map(|record| record.render(crate::record::Format::Text, 0)).collect();
        let told = told.join("\n");
        assert!(told.contains("entry 0 of the tool list is left out: it is nested deeper than 512 levels"), "{told}");
        assert!(
            told.contains("tool=deep") && told.contains("entry 2 of the tool list is left out: its name holds"),
            "{told}"
        );
    }
}
