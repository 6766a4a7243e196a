//! `guard(router)`: a macro-made server whose every call is judged first.

use crate::support::wire::{Memory, Wire};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate::{Alias, Policy};
use toolgate_mcp::{Guard, GuardedRouter, Options, guard, try_guard};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "what is read does not matter here")]
struct Edit {
    path: String,
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
    at: Option<At>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "what is read does not matter here")]
struct At {
    /// The schema allows more than the type takes.
    #[schemars(with = "i64")]
    line: i32,
}

#[derive(Clone)]
struct Server {
    router: GuardedRouter<Server>,
    runs: Arc<AtomicUsize>,
}

#[tool_router]
impl Server {
    fn new(guarded: impl Fn(ToolRouter<Server>) -> GuardedRouter<Server>) -> Self {
        Server { router: guarded(Self::tool_router()), runs: Arc::default() }
    }

    #[tool(description = "Edits a file.")]
    fn edit(&self, Parameters(edit): Parameters<Edit>) -> String {
        self.runs.fetch_add(1, Ordering::SeqCst);
        format!("{} {}", if edit.dry_run { "would edit" } else { "edited" }, edit.path)
    }

    #[tool(description = "Empties the trash.")]
    fn empty_trash(&self) -> String {
        self.runs.fetch_add(1, Ordering::SeqCst);
        "emptied".to_owned()
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

struct Session {
    wire: Memory,
    runs: Arc<AtomicUsize>,
}

impl Session {
    async fn open(server: Server) -> Session {
        let runs = Arc::clone(&server.runs);
        Session { wire: Wire::open(server).await, runs }
    }

    /// What the model reads of an answer; nothing may have run.
    async fn refused(&mut self, tool: &str, arguments: &str) -> String {
        let before = self.runs.load(Ordering::SeqCst);
        let answer = self.wire.call(tool, arguments).await;
        assert_eq!(self.runs.load(Ordering::SeqCst), before, "{answer}");
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    async fn done(&mut self, tool: &str, arguments: &str) -> String {
        let answer = self.wire.call(tool, arguments).await;
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

#[tokio::test]
async fn a_wrong_call_is_refused_and_the_right_one_runs() {
    let mut session = Session::open(Server::new(guard)).await;
    let text = session.refused("edit", r#"{"path":"a","dry_run":true}"#).await;
    assert!(text.contains("/dry_run: unknown argument; did you mean `dryRun`?"), "{text}");
    assert_eq!(session.done("edit", r#"{"path":"a","dryRun":true}"#).await, "would edit a");
    let text = session.refused("edit", r#"{"path":"a","at":{"line":1,"column":2}}"#).await;
    assert!(text.contains("/at/column: unknown argument"), "what a type would drop at any depth: {text}");
    let text = session.refused("empty_trash", r#"{"olderThanDays":365}"#).await;
    assert!(text.contains("/olderThanDays"), "{text}");
    assert_eq!(session.done("empty_trash", "{}").await, "emptied");
}

#[tokio::test]
async fn text_is_read_by_the_schema_before_the_type_sees_it() {
    let mut session = Session::open(Server::new(guard)).await;
    assert_eq!(session.done("edit", r#"{"path":"a","dryRun":"true","at":"{\"line\":\"7\"}"}"#).await, "would edit a");
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused_in_words() {
    let mut session = Session::open(Server::new(guard)).await;
    for arguments in ["[]", "7", r#""path""#, r#"["a"]"#] {
        let text = session.refused("edit", arguments).await;
        assert!(text.contains("arguments: must be `object`"), "{arguments}: {text}");
    }
    let text = r#""{\"path\":\"a\"}""#;
    assert_eq!(session.done("edit", text).await, "edited a", "one object as text is read once (R1.4)");
    assert!(session.refused("edit", r#""{\"file\":\"a\"}""#).await.contains("/file: unknown argument"));
}

#[tokio::test]
async fn a_call_that_cannot_be_routed_is_a_protocol_error() {
    let mut session = Session::open(Server::new(guard)).await;
    for params in [
        json!({"name": "nobody", "arguments": {}}),
        json!({"name": "nobody", "arguments": []}),
        json!({"name": 7, "arguments": {}}),
        json!({"arguments": []}),
        json!({"name": "edit", "arguments": {"path": "a"}, "requestState": 7}),
        json!({"name": "edit", "arguments": [], "requestState": 7}),
    ] {
        let answer = session.wire.ask("tools/call", &params).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let id = session.wire.id();
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"edit","arguments":{{"path":"a"}},"arguments":{{"path":"b"}}}}}}"#
    );
    session.wire.write(twice.as_bytes()).await;
    assert_eq!(session.wire.answer(id).await["error"]["code"], -32602, "a name given twice");
    let answer = session.wire.ask("tools/cull", &json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "other requests are not ours: {answer}");
    assert_eq!(session.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_type_that_refuses_what_its_schema_admits_is_the_servers_fault() {
    let mut session = Session::open(Server::new(guard)).await;
    let answer = session.wire.call("edit", r#"{"path":"SECRET","at":{"line":3000000000}}"#).await;
    let violations = &answer["result"]["_meta"]["toolgate/refusal"]["violations"];
    assert_eq!(violations[0]["code"], "contract-mismatch", "{answer}");
    assert!(!answer.to_string().contains("3000000000") && !answer.to_string().contains("SECRET"), "{answer}");
    assert_eq!(session.done("edit", r#"{"path":"a","at":{"line":3}}"#).await, "edited a");
}

#[tokio::test]
async fn what_is_listed_is_what_is_shown() {
    let mut session = Session::open(Server::new(guard)).await;
    let list = session.wire.ask("tools/list", &json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), ["edit", "empty_trash"]);
    let schema = &tools[0]["inputSchema"];
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["at"]["additionalProperties"], false);
    assert!(!schema.to_string().contains("anyOf") && schema.get("$defs").is_none(), "portable: {schema}");
    assert_eq!(tools[0]["description"], "Edits a file.");
    assert_eq!(
        tools[1]["inputSchema"],
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
        "{}",
        tools[1]
    );
}

#[tokio::test]
async fn the_whole_policy_of_a_tool_holds() {
    let options = || {
        Options::typed().policy(|name| match name {
            "edit" => Policy {
                aliases: vec![Alias { at: String::new(), name: "path".into(), former: vec!["file".into()] }],
                forward_keys: vec!["trace".into()],
                ..Options::typed_policy()
            },
            _ => Options::typed_policy(),
        })
    };
    let mut session = Session::open(Server::new(move |router| Guard::new(options()).router(router))).await;
    assert_eq!(session.done("edit", r#"{"file":"a","trace":1}"#).await, "edited a");
    assert!(session.refused("edit", r#"{"file":"a","path":"a"}"#).await.contains("under two names"));
    let list = session.wire.ask("tools/list", &json!({})).await;
    assert!(!list.to_string().contains("file\":"), "an alias is shown to nobody (R2.5): {list}");
}

fn route(name: &'static str, schema: Value) -> ToolRoute<Server> {
    let Value::Object(schema) = schema else { panic!() };
    let tool = Tool::new(name, "", Arc::new(schema));
    ToolRoute::new_dyn(tool, |context: rmcp::handler::server::tool::ToolCallContext<'_, Server>| {
        context.service.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(CallToolResult::success(vec![]).into())))
    })
}

fn with_broken(router: ToolRouter<Server>) -> ToolRouter<Server> {
    router.with_route(route("broken", json!({"type": "nonsense"})))
}

#[tokio::test]
async fn one_bad_tool_costs_one_tool() {
    let server = Server::new(|router| guard(with_broken(router)));
    let closed = server.router.closed().to_vec();
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0].name, "broken");
    assert!(closed[0].why.contains("/type"), "{closed:?}");
    let mut session = Session::open(server).await;
    let list = session.wire.ask("tools/list", &json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2, "it would cost a client the whole list");
    let answer = session.wire.call("broken", "{}").await;
    assert_eq!(answer["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"], "schema-unusable", "{answer}");
    assert_eq!(session.runs.load(Ordering::SeqCst), 0);
    assert_eq!(session.done("empty_trash", "{}").await, "emptied");
}

#[test]
fn a_server_may_rather_not_start() {
    assert!(try_guard(Server::tool_router()).is_ok());
    let closed = try_guard(with_broken(Server::tool_router())).unwrap_err();
    assert_eq!(closed.0[0].name, "broken");
    assert!(closed.to_string().starts_with("not every tool can be served; `broken`: "), "{closed}");
}

/// The guarded routes among others, as a router of the SDK's.
#[tokio::test]
async fn guarded_routes_stay_guarded_in_a_router_of_the_sdk() {
    #[derive(Clone)]
    struct Joined {
        router: ToolRouter<Server>,
        server: Server,
    }
    impl ServerHandler for Joined {
        async fn call_tool(
            &self,
            request: rmcp::model::CallToolRequestParams,
            context: rmcp::service::RequestContext<rmcp::RoleServer>,
        ) -> Result<rmcp::model::CallToolResponse, rmcp::ErrorData> {
            let context = rmcp::handler::server::tool::ToolCallContext::new(&self.server, request, context);
            self.router.call(context).await
        }
    }
    let server = Server::new(guard);
    let router = guard(with_broken(Server::tool_router())).into_router();
    let shown: JsonObject = (*router.get("broken").unwrap().input_schema).clone();
    assert_eq!(Value::Object(shown), json!({"type": "object"}));
    let runs = Arc::clone(&server.runs);
    let mut session = Session { wire: Wire::open(Joined { router, server }).await, runs };
    assert!(session.refused("edit", r#"{"file":"a"}"#).await.contains("missing required `path`"));
    assert!(session.refused("broken", "{}").await.contains("this tool cannot be called"));
    assert_eq!(session.done("edit", r#"{"path":"a"}"#).await, "edited a");
}

#[tokio::test]
async fn a_hidden_tool_is_as_if_there_were_none() {
    let mut server = Server::new(guard);
    assert!(server.router.disable_route("edit"));
    assert!(server.router.get("edit").is_none());
    let mut session = Session::open(server).await;
    let list = session.wire.ask("tools/list", &json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 1);
    let answer = session.wire.call("edit", r#"{"path":"a"}"#).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn a_tool_that_is_hidden_before_it_is_guarded_can_be_shown_again() {
    let mut router = guard(Server::tool_router().with_disabled("edit"));
    assert!(router.closed().is_empty() && router.get("edit").is_none());
    assert_eq!(router.list_all().len(), 1);
    assert!(router.enable_route("edit") && router.get("edit").is_some());
}

#[tokio::test]
async fn parallel_calls_get_their_own_answers() {
    let mut session = Session::open(Server::new(guard)).await;
    let mut sent = Vec::new();
    for index in 0..200 {
        let name = if index % 2 == 0 { "path" } else { "pat" };
        let arguments = format!(r#"{{"{name}":"f{index}"}}"#);
        sent.push((index, session.wire.send_call("edit", Some(arguments.as_bytes())).await));
    }
    let mut answers = std::collections::HashMap::new();
    for _ in &sent {
        let answer = session.wire.next().await;
        answers.insert(answer["id"].as_u64().unwrap(), answer);
    }
    for (index, id) in sent {
        let result = &answers[&id]["result"];
        if index % 2 == 0 {
            assert_eq!(result["content"][0]["text"], format!("edited f{index}"));
        } else {
            assert_eq!(result["isError"], true);
            assert!(!result.to_string().contains(&format!("f{index}")), "no value of the call: {result}");
        }
    }
    assert_eq!(session.runs.load(Ordering::SeqCst), 100);
}
