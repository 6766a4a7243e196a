//! Of two tools with one name the first is the tool: listed, got, judged, run and held to its own answers, or closed. The later one is
//! closed by name, wherever tools come from.

use crate::support::servers::{Server, echo};
use crate::support::wire::{Memory, Wire};
use rmcp::handler::server::wrapper::Json;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use toolgate_mcp::{
    AfterCall, Call, ClosedTool, Group, Guard, Guarded, Hook, Modes, Options, Setting, Tools, TypedTool,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct First {
    first: u8,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Second {
    second: u8,
}

/// Its alias can be in no contract.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only registered")]
struct Defective {
    list: Vec<Inner>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only registered")]
struct Inner {
    #[serde(alias = "b")]
    a: u8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Count {
    count: u8,
}

fn first<S: Clone + Send + Sync + 'static>() -> TypedTool<S> {
    TypedTool::new("t", |_: S, first: First, _: Call| async move { format!("first {}", first.first) })
}

fn second<S: Clone + Send + Sync + 'static>() -> TypedTool<S> {
    TypedTool::new("t", |_: S, second: Second, _: Call| async move { Json(Count { count: second.second }) })
        .output::<Count>()
}

fn defective<S: Clone + Send + Sync + 'static>() -> TypedTool<S> {
    TypedTool::new("t", |_: S, _: Defective, _: Call| async { "defective".to_owned() })
}

fn said(answer: &Value) -> &str {
    let violation = &answer["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"];
    violation.as_str().or(answer["result"]["content"][0]["text"].as_str()).unwrap_or_else(|| panic!("{answer}"))
}

fn whys(closed: &[ClosedTool]) -> Vec<(&str, &str)> {
    closed.iter().map(|tool| (tool.name.as_str(), tool.why.as_str())).collect()
}

const TAKEN: (&str, &str) = ("t", "a tool of this name is listed already");

async fn listed(wire: &mut Memory) -> Vec<Value> {
    wire.ask("tools/list", &json!({})).await["result"]["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn of_a_list_of_tools() {
    let router = Guard::new(Options::typed()).tools(Tools::new().tool(first()).tool(second()));
    assert_eq!(whys(router.closed()), [TAKEN]);
    assert!(router.get("t").unwrap().input_schema["properties"].get("first").is_some());
    let mut wire = Wire::open(Server { router }).await;
    let tools = listed(&mut wire).await;
    assert_eq!(tools.len(), 1);
    assert!(tools[0]["inputSchema"]["properties"].get("first").is_some() && tools[0].get("outputSchema").is_none());
    assert_eq!(said(&wire.call("t", r#"{"first":1}"#).await), "first 1", "it is not held to the other's answers");
    assert_eq!(said(&wire.call("t", r#"{"second":1}"#).await), "required");
}

/// Which outcomes the hooks were told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<&'static str>>>);

impl Hook for Told {
    fn after(&self, call: AfterCall<'_>) {
        self.0.lock().unwrap().push(call.outcome.word());
    }
}

#[tokio::test]
async fn a_first_one_that_is_closed_gives_its_name_to_nobody_and_its_calls_are_refused() {
    let told = Told::default();
    let guard = Guard::new(Options::typed().hook(told.clone()));
    let router = guard.tools(Tools::new().tool(defective()).tool(first()));
    let closed = whys(router.closed());
    assert!(closed[0].1.contains("`b`") && closed[1] == TAKEN && closed.len() == 2, "{closed:?}");
    assert!(router.get("t").is_none() && router.contract("t").is_none());
    let mut wire = Wire::open(Server { router }).await;
    assert!(listed(&mut wire).await.is_empty());
    for arguments in [r#"{"first":1}"#, r#"{"list":[]}"#, "[]"] {
        assert_eq!(said(&wire.call("t", arguments).await), "schema-unusable", "{arguments}");
    }
    assert_eq!(*told.0.lock().unwrap(), ["refused"; 3], "R6.8");
}

#[tokio::test]
async fn of_a_source_of_sideloaded_tools() {
    let group = Group::new("plugins", Tools::<()>::new());
    let modes = Modes::new(Guard::new(Options::typed())).group(group).mode("m", ["plugins"]);
    let tools = modes.serve("m", Setting::default()).unwrap();
    let loaded = tools.sideload("plugins", "p", 1, 1, Tools::new().tool(first()).tool(second())).await.unwrap();
    assert_eq!(loaded.loaded, ["t"]);
    assert_eq!(whys(&loaded.refused), [("t", "another tool has this name")]);
    assert!(tools.get("t").unwrap().input_schema["properties"].get("first").is_some());
    let loaded = tools.sideload("plugins", "p", 1, 2, Tools::new().tool(defective()).tool(first())).await.unwrap();
    assert!(loaded.loaded.is_empty() && loaded.refused.len() == 2, "{loaded:?}");
    assert!(tools.get("t").is_none());
}

/// A handler that knows no macro.
#[derive(Clone)]
struct Plain(Vec<Tool>);

impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult { tools: self.0.clone(), ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(echo(request.arguments))
    }
}

fn plain(takes: Value, answers: Option<Value>) -> Tool {
    let schema = |schema: Value| Arc::new(schema.as_object().cloned().unwrap());
    let mut tool = Tool::new("t", "", schema(takes));
    tool.output_schema = answers.map(schema);
    tool
}

#[tokio::test]
async fn of_a_handlers_list() {
    let takes = |name: &str| json!({"type": "object", "properties": {name: {"type": "integer"}}});
    let answers = Some(json!({"type": "object", "required": ["count"]}));
    let (first, second) = (plain(takes("first"), None), plain(takes("second"), answers));
    let mut wire = Wire::open(Guarded::new(Plain(vec![first, second.clone()]))).await;
    let tools = listed(&mut wire).await;
    assert_eq!(tools.len(), 1);
    assert!(tools[0]["inputSchema"]["properties"].get("first").is_some());
    assert_eq!(said(&wire.call("t", r#"{"first":1}"#).await), r#"{"first":1}"#);
    assert_eq!(said(&wire.call("t", r#"{"second":1}"#).await), "unknown-argument");

    let guarded = Guarded::new(Plain(vec![plain(json!({"type": "nonsense"}), None), second]));
    let mut wire = Wire::open(guarded.clone()).await;
    assert!(listed(&mut wire).await.is_empty());
    assert_eq!(said(&wire.call("t", r#"{"second":1}"#).await), "schema-unusable");
    assert_eq!(whys(&guarded.closed())[1], TAKEN);
}

/// What is too large to be read as a tool is one all the same.
#[tokio::test]
async fn of_a_definition_that_cannot_be_read() {
    let mut large = plain(json!({"type": "object"}), None);
    large.description = Some("x".repeat(17 * 1024 * 1024).into());
    let small = plain(json!({"type": "object"}), None);
    let guarded = Guarded::new(Plain(vec![large, small]));
    let mut wire = Wire::open(guarded.clone()).await;
    assert!(listed(&mut wire).await.is_empty());
    assert_eq!(said(&wire.call("t", "{}").await), "schema-unusable");
    assert_eq!(guarded.closed().len(), 2);
}
