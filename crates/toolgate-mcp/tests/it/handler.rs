//! `Guarded`: any handler, whatever it does with its list.

use crate::support::http::Http;
use crate::support::servers::echo;
use crate::support::wire::{Memory, Wire};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use toolgate_mcp::{Guard, Guarded, ListLimits, Options};

/// A handler whose list can be changed, with and without `get_tool`.
#[derive(Clone, Default)]
struct Server {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    tools: Mutex<Vec<Tool>>,
    page: usize,
    answers_get_tool: bool,
    is_broken: std::sync::atomic::AtomicBool,
    runs: AtomicUsize,
    lists: AtomicUsize,
}

fn tool(name: &'static str, schema: Value) -> Tool {
    let Value::Object(schema) = schema else { panic!() };
    Tool::new(name, "d", Arc::new(schema))
}

fn takes(names: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "integer"}))).collect();
    json!({"type": "object", "properties": properties})
}

impl Server {
    fn new(tools: Vec<Tool>, page: usize, answers_get_tool: bool) -> Self {
        let state = State { tools: Mutex::new(tools), page, answers_get_tool, ..State::default() };
        Server { state: Arc::new(state) }
    }

    fn set(&self, tools: Vec<Tool>) {
        *self.state.tools.lock().unwrap() = tools;
    }

    fn runs(&self) -> usize {
        self.state.runs.load(Ordering::SeqCst)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.state.lists.fetch_add(1, Ordering::SeqCst);
        if self.state.is_broken.load(Ordering::SeqCst) {
            return Err(ErrorData::internal_error("no list today", None));
        }
        let tools = self.state.tools.lock().unwrap().clone();
        let from = request.and_then(|request| request.cursor).map_or(0, |cursor| cursor.parse().unwrap());
        let to = if self.state.page == 0 { tools.len() } else { (from + self.state.page).min(tools.len()) };
        let is_last = to == tools.len();
        Ok(ListToolsResult {
            tools: tools[from..to].to_vec(),
            next_cursor: (!is_last).then(|| to.to_string()),
            ttl_ms: Some(if is_last { 100 } else { 500 }),
            cache_scope: Some(if from == 0 { CacheScope::Public } else { CacheScope::Private }),
            ..ListToolsResult::default()
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.state.tools.lock().unwrap();
        tools.iter().find(|tool| self.state.answers_get_tool && tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.state.runs.fetch_add(1, Ordering::SeqCst);
        Ok(echo(request.arguments))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult::new(json!({"echo": request.method})))
    }
}

fn codes(answer: &Value) -> Vec<&str> {
    let violations = answer["result"]["_meta"]["toolgate/refusal"]["violations"].as_array();
    violations.into_iter().flatten().map(|violation| violation["code"].as_str().unwrap()).collect()
}

async fn call(wire: &mut Memory, tool: &str, arguments: &str) -> Result<Value, Vec<String>> {
    let answer = wire.call(tool, arguments).await;
    if answer["result"]["isError"] == true {
        return Err(codes(&answer).into_iter().map(str::to_owned).collect());
    }
    let text =
        answer["result"]["content"][0]["text"].as_str().ok_or_else(|| vec![answer["error"]["code"].to_string()])?;
    Ok(serde_json::from_str(text).unwrap())
}

fn refused(code: &str) -> Result<Value, Vec<String>> {
    Err(vec![code.to_owned()])
}

#[tokio::test]
async fn a_call_is_judged_though_nobody_asked_for_the_list() {
    for answers_get_tool in [false, true] {
        let server = Server::new(vec![tool("t", takes(&["a"]))], 0, answers_get_tool);
        let mut wire = Wire::open(Guarded::new(server.clone())).await;
        assert_eq!(call(&mut wire, "t", r#"{"b":1}"#).await, refused("unknown-argument"));
        assert_eq!(call(&mut wire, "t", "[]").await, refused("type"));
        assert_eq!(server.runs(), 0);
        assert_eq!(call(&mut wire, "t", r#"{"a":"1"}"#).await, Ok(json!({"a": 1})));
        assert_eq!(call(&mut wire, "t", r#""{\"a\":1}""#).await, Ok(json!({"a": 1})));
    }
}

#[tokio::test]
async fn absent_arguments_are_none() {
    let server = Server::new(vec![tool("t", takes(&["a"]))], 0, false);
    let mut wire = Wire::open(Guarded::new(server)).await;
    let answer = wire.ask("tools/call", &json!({"name": "t"})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "{}");
}

#[tokio::test]
async fn a_list_of_many_pages_is_one() {
    let names = ["a", "b", "c", "d", "e"];
    let tools = names.map(|name| tool(name, takes(&[name]))).to_vec();
    let server = Server::new(tools, 2, false);
    let mut wire = Wire::open_in(Guarded::new(server.clone()), "2025-11-25").await;
    let list = wire.ask("tools/list", &json!({})).await;
    let listed: Vec<_> = list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(listed, names);
    assert!(list["result"].get("nextCursor").is_none());
    assert_eq!((&list["result"]["ttlMs"], &list["result"]["cacheScope"]), (&json!(100), &json!("private")));
    assert_eq!(list["result"]["tools"][4]["inputSchema"]["additionalProperties"], false);
    let answer = wire.ask("tools/list", &json!({"cursor": "2"})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(call(&mut wire, "e", r#"{"e":1}"#).await, Ok(json!({"e": 1})));
}

#[tokio::test]
async fn a_list_without_end_is_bounded() {
    let tools = ["a", "b", "c", "d"].map(|name| tool(name, takes(&[]))).to_vec();
    for limits in [ListLimits::new(3, 100), ListLimits::new(100, 3)] {
        let guard = Guard::new(Options::documents().list_limits(limits));
        let server = Server::new(tools.clone(), 1, false);
        let mut wire = Wire::open(guard.handler(server.clone())).await;
        let list = wire.ask("tools/list", &json!({})).await;
        assert!(list["error"]["message"].as_str().unwrap().contains("larger than the limit"), "{list}");
        assert_eq!(call(&mut wire, "a", "{}").await, Err(vec!["-32603".to_owned()]), "not judged, so not run");
        assert_eq!(server.runs(), 0);
    }
}

#[tokio::test]
async fn a_changed_tool_is_judged_as_it_is_now() {
    for answers_get_tool in [false, true] {
        let server = Server::new(vec![tool("t", takes(&["a"])), tool("u", takes(&[]))], 0, answers_get_tool);
        let mut wire = Wire::open(Guarded::new(server.clone())).await;
        let list = wire.ask("tools/list", &json!({})).await;
        assert!(list["result"]["tools"][0]["inputSchema"]["properties"].get("a").is_some());
        assert_eq!(call(&mut wire, "t", r#"{"a":1}"#).await, Ok(json!({"a": 1})));
        // The handler changes its tools and tells nobody.
        server.set(vec![tool("t", takes(&["b"])), tool("v", takes(&["c"]))]);
        assert_eq!(call(&mut wire, "t", r#"{"a":1}"#).await, refused("unknown-argument"));
        assert_eq!(call(&mut wire, "t", r#"{"b":1}"#).await, Ok(json!({"b": 1})));
        assert_eq!(call(&mut wire, "v", r#"{"c":1}"#).await, Ok(json!({"c": 1})));
        assert_eq!(call(&mut wire, "u", "{}").await, Err(vec!["-32602".to_owned()]), "a tool that there is not");
        let list = wire.ask("tools/list", &json!({})).await;
        assert!(list["result"]["tools"][0]["inputSchema"]["properties"].get("b").is_some());
        server.set(vec![tool("t", takes(&["a"])), tool("u", takes(&[]))]);
        assert_eq!(call(&mut wire, "t", r#"{"a":1}"#).await, Ok(json!({"a": 1})), "and back");
    }
}

#[tokio::test]
async fn a_handler_that_answers_get_tool_is_not_asked_for_its_list_again() {
    let server = Server::new(vec![tool("t", takes(&["a"]))], 0, true);
    let mut wire = Wire::open(Guarded::new(server.clone())).await;
    for _ in 0..5 {
        assert!(call(&mut wire, "t", r#"{"a":1}"#).await.is_ok());
    }
    assert_eq!(server.state.lists.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn where_the_list_cannot_be_had_the_last_one_serves() {
    let server = Server::new(vec![tool("t", takes(&["a"]))], 0, false);
    server.state.is_broken.store(true, Ordering::SeqCst);
    let mut wire = Wire::open(Guarded::new(server.clone())).await;
    assert_eq!(call(&mut wire, "t", r#"{"a":1}"#).await, Err(vec!["-32603".to_owned()]), "there is none yet");
    assert_eq!(server.runs(), 0);
    server.state.is_broken.store(false, Ordering::SeqCst);
    assert!(call(&mut wire, "t", r#"{"a":1}"#).await.is_ok());
    server.state.is_broken.store(true, Ordering::SeqCst);
    assert!(call(&mut wire, "t", r#"{"a":1}"#).await.is_ok());
    assert_eq!(call(&mut wire, "t", r#"{"b":1}"#).await, refused("unknown-argument"));
    assert_eq!(wire.ask("tools/list", &json!({})).await["error"]["message"], "no list today");
}

#[tokio::test]
async fn where_the_list_cannot_be_had_a_changed_tool_is_judged_as_it_is_now() {
    let server = Server::new(vec![tool("t", takes(&["a"]))], 0, true);
    let mut wire = Wire::open(Guarded::new(server.clone())).await;
    assert!(call(&mut wire, "t", r#"{"a":1}"#).await.is_ok());
    server.set(vec![tool("t", takes(&["b"]))]);
    server.state.is_broken.store(true, Ordering::SeqCst);
    assert_eq!(call(&mut wire, "t", r#"{"a":1}"#).await, refused("unknown-argument"), "the definition is in hand");
    assert_eq!(server.runs(), 1);
    assert_eq!(call(&mut wire, "t", r#"{"b":1}"#).await, Ok(json!({"b": 1})));
}

#[tokio::test]
async fn nobody_is_judged_by_the_list_of_another_credential() {
    let server = Server::new(vec![tool("t", takes(&["a"]))], 0, false);
    let guarded = Guarded::new(server.clone());
    let http = Http::serve(move || guarded.clone()).await;
    let call = async |who: &str| http.call("t", Some(br#"{"a":1}"#), &[("Authorization", who)]).await.body;
    assert_eq!(call("Bearer ann").await["result"]["content"][0]["text"], r#"{"a":1}"#);
    server.state.is_broken.store(true, Ordering::SeqCst);
    assert_eq!(call("Bearer ann").await["result"]["content"][0]["text"], r#"{"a":1}"#, "her last list serves");
    assert_eq!(call("Bearer bob").await["error"]["message"], "no list today");
    assert_eq!(server.runs(), 2);
}

#[tokio::test]
async fn a_tool_that_cannot_be_served_costs_no_other() {
    let broken = tool("broken", json!({"type": "nonsense"}));
    let tools = vec![broken, tool("t", takes(&["a"])), tool("t", takes(&["z"]))];
    let guarded = Guarded::new(Server::new(tools, 0, false));
    let mut wire = Wire::open(guarded.clone()).await;
    assert!(guarded.closed().is_empty(), "nothing is known before there was a list");
    let list = wire.ask("tools/list", &json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(call(&mut wire, "broken", "{}").await, refused("schema-unusable"));
    assert_eq!(call(&mut wire, "t", r#"{"z":1}"#).await, refused("unknown-argument"), "the first of two is the tool");
    let closed = guarded.closed();
    let named: Vec<_> = closed.iter().map(|tool| (tool.name.as_str(), tool.why.as_str())).collect();
    assert_eq!(named[0].0, "broken");
    assert_eq!(named[1], ("t", "a tool of this name is listed already"));
}

#[tokio::test]
async fn other_requests_are_the_handlers() {
    let mut wire = Wire::open(Guarded::new(Server::default())).await;
    let answer = wire.ask("tools/cull", &json!({"a": 1})).await;
    assert_eq!(answer["result"], json!({"echo": "tools/cull"}), "{answer}");
}

#[tokio::test]
async fn headers_are_held_against_the_schema_that_is_shown() {
    // A union: what is shown of it is a joined form, in which the header still stands.
    let schema = json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "at": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["region"],
    });
    let server = Server::new(vec![tool("t", schema)], 0, true);
    let guarded = Guarded::new(server.clone());
    let asked = guarded.clone();
    let http = Http::serve(move || guarded.clone()).await;
    let right = http.call("t", Some(br#"{"region":"eu"}"#), &[("Mcp-Param-Region", "eu")]).await;
    assert_eq!(right.body["result"]["content"][0]["text"], r#"{"region":"eu"}"#, "{}", right.body);
    let other = http.call("t", Some(br#"{"region":"eu"}"#), &[("Mcp-Param-Region", "us")]).await;
    assert_eq!((other.status, &other.body["error"]["code"]), (400, &json!(-32020)), "{}", other.body);
    assert_eq!(server.runs(), 1);
    let shown = asked.get_tool("t").unwrap();
    assert_eq!(shown.input_schema["properties"]["at"]["type"], json!(["integer", "null"]), "{shown:?}");
    assert_eq!(shown.input_schema["properties"]["region"]["x-mcp-header"], "Region");
    assert!(asked.get_tool("nobody").is_none());
}

#[tokio::test]
async fn calls_that_come_together_compile_a_list_once() {
    let server = Server::new((0..20).map(|_| tool("t", takes(&["a"]))).collect(), 0, false);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let guard = Guard::new(Options::documents().policy(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        toolgate::Policy::default()
    }));
    let mut wire = Wire::open(guard.handler(server)).await;
    for _ in 0..50 {
        wire.send_call("t", Some(br#"{"a":1}"#)).await;
    }
    for _ in 0..50 {
        assert_eq!(wire.next().await["result"]["content"][0]["text"], r#"{"a":1}"#);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 20, "the policy is asked once for each tool of the list");
}
