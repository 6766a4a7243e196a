//! Every method of a handler reaches the inner handler: by name, against the SDK's own source, and by asking.

#![allow(deprecated, reason = "what older revisions have is delegated too")]

use crate::support::wire::{Memory, Wire};
use rmcp::model::*;
use rmcp::service::{MaybeSendFuture, NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use toolgate_mcp::Guarded;

/// Names of the functions that stand in a text, each on a line that begins with `fn`.
fn functions(source: &str) -> BTreeSet<String> {
    let lines = source.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
    lines.map(|line| line.split(['(', '<']).next().unwrap().to_owned()).collect()
}

/// The source of the SDK that this build uses.
fn sdk_source(file: &str) -> String {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let words = ["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let package = metadata["packages"].as_array().unwrap().iter().find(|package| package["name"] == "rmcp").unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    std::fs::read_to_string(manifest.parent().unwrap().join(file)).unwrap()
}

#[test]
fn no_method_of_the_sdk_is_left_out() {
    let source = sdk_source("src/handler/server.rs");
    let (_, methods) = source.split_once("macro_rules! server_handler_methods {").unwrap();
    let (methods, _) = methods.split_once("pub trait ServerHandler").unwrap();
    let methods = functions(methods);
    assert!(methods.len() >= 32, "the trait is read: {methods:?}");
    let delegated = functions(include_str!("../../src/sdk/delegate.rs"));
    let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(names(&delegated), names(&methods), "src/sdk/delegate.rs has the methods of the trait");
}

/// A handler that notes which of its methods was asked, and does nothing else.
#[derive(Clone, Default)]
struct Recorder {
    asked: Arc<Mutex<Vec<&'static str>>>,
}

impl Recorder {
    fn note(&self, method: &'static str) {
        self.asked.lock().unwrap().push(method);
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn reached() -> ErrorData {
    ErrorData::internal_error("reached", None)
}

fn tool() -> Tool {
    Tool::new("t", "", Arc::new(JsonObject::new()))
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_resources()
        .enable_completions()
        .enable_logging()
        .enable_tasks()
        .enable_skills_with_directory_read()
        .build()
}

impl ServerHandler for Recorder {
    fn ping(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("ping");
        std::future::ready(Err(reached()))
    }

    fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<InitializeResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("initialize");
        context.peer.set_peer_info(request.clone());
        let answer = self.negotiate_initialize(&request);
        std::future::ready(answer)
    }

    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        self.note("negotiate_initialize");
        let mut info = self.get_info();
        info.protocol_version = request.protocol_version.clone();
        Ok(info)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.note("supported_protocol_versions");
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<DiscoverResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("discover");
        std::future::ready(Err(reached()))
    }

    fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("complete");
        std::future::ready(Err(reached()))
    }

    fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("set_level");
        std::future::ready(Err(reached()))
    }

    fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + MaybeSendFuture + '_ {
        self.note("get_prompt");
        std::future::ready(Err(reached()))
    }

    fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("list_prompts");
        std::future::ready(Err(reached()))
    }

    fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("list_resources");
        std::future::ready(Err(reached()))
    }

    fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("list_resource_templates");
        std::future::ready(Err(reached()))
    }

    fn read_resource(
        &self,
        _request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + MaybeSendFuture + '_ {
        self.note("read_resource");
        std::future::ready(Err(reached()))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.note("accepted_subscription_filter");
        Some(requested.clone())
    }

    fn listen(
        &self,
        _context: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("listen");
        std::future::ready(Ok(()))
    }

    fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("subscribe");
        std::future::ready(Err(reached()))
    }

    fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("unsubscribe");
        std::future::ready(Err(reached()))
    }

    fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + MaybeSendFuture + '_ {
        self.note("call_tool");
        std::future::ready(Err(reached()))
    }

    fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("list_tools");
        std::future::ready(Ok(ListToolsResult { tools: vec![tool()], ..ListToolsResult::default() }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.note("get_tool");
        (name == "t").then(tool)
    }

    fn on_custom_request(
        &self,
        _request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("on_custom_request");
        std::future::ready(Err(reached()))
    }

    fn on_cancelled(
        &self,
        _notification: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.note("on_cancelled");
        std::future::ready(())
    }

    fn on_progress(
        &self,
        _notification: ProgressNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.note("on_progress");
        std::future::ready(())
    }

    fn on_initialized(
        &self,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.note("on_initialized");
        std::future::ready(())
    }

    fn on_roots_list_changed(
        &self,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.note("on_roots_list_changed");
        std::future::ready(())
    }

    fn on_custom_notification(
        &self,
        _notification: CustomNotification,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.note("on_custom_notification");
        std::future::ready(())
    }

    fn get_info(&self) -> ServerConfig {
        self.note("get_info");
        ServerConfig::new(capabilities())
    }

    fn get_task(
        &self,
        _request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetTaskResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("get_task");
        std::future::ready(Err(reached()))
    }

    fn update_task(
        &self,
        _request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("update_task");
        std::future::ready(Err(reached()))
    }

    fn cancel_task(
        &self,
        _request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        self.note("cancel_task");
        std::future::ready(Err(reached()))
    }

    fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListSkillsResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("list_skills");
        std::future::ready(Err(reached()))
    }

    fn get_skill(
        &self,
        _request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetSkillResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("get_skill");
        std::future::ready(Err(reached()))
    }

    fn read_resource_directory(
        &self,
        _request: ReadResourceDirectoryRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceDirectoryResult, ErrorData>> + MaybeSendFuture + '_ {
        self.note("read_resource_directory");
        std::future::ready(Err(reached()))
    }
}

/// Asks, and says whether the inner handler answered with the error that it has for everything.
async fn asks(wire: &mut Memory, recorder: &Recorder, method: &str, params: Value, expected: &str) {
    recorder.take();
    let answer = wire.ask(method, &params).await;
    let asked = recorder.take();
    assert!(asked.contains(&expected), "{method} reaches {expected}: {asked:?}, {answer}");
    let is_reached = answer["error"]["message"] == "reached" || answer.get("result").is_some();
    assert!(is_reached, "{method}: {answer}");
}

/// Notifies, then asks for something, and waits until both were heard: they are handled at the same time.
async fn notifies(wire: &mut Memory, recorder: &Recorder, method: &str, params: Value, expected: &str) {
    recorder.take();
    wire.write(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().as_bytes()).await;
    let mut asked = BTreeSet::new();
    for _ in 0..1000 {
        wire.ask("ping", &json!({})).await;
        asked.extend(recorder.take());
        if asked.contains(expected) {
            return;
        }
    }
    panic!("{method} does not reach {expected}: {asked:?}");
}

#[tokio::test]
async fn what_a_session_asks_reaches_the_handler() {
    let recorder = Recorder::default();
    let mut wire = Wire::open(Guarded::new(recorder.clone())).await;
    let opened = recorder.take();
    for method in ["initialize", "negotiate_initialize", "get_info"] {
        assert!(opened.contains(&method), "{method}: {opened:?}");
    }
    for (method, params, expected) in [
        ("ping", json!({}), "ping"),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            "complete",
        ),
        ("logging/setLevel", json!({"level": "info"}), "set_level"),
        ("prompts/get", json!({"name": "p"}), "get_prompt"),
        ("prompts/list", json!({}), "list_prompts"),
        ("resources/list", json!({}), "list_resources"),
        ("resources/templates/list", json!({}), "list_resource_templates"),
        ("resources/read", json!({"uri": "a://b"}), "read_resource"),
        ("resources/subscribe", json!({"uri": "a://b"}), "subscribe"),
        ("resources/unsubscribe", json!({"uri": "a://b"}), "unsubscribe"),
        ("tools/list", json!({}), "list_tools"),
        ("tools/call", json!({"name": "t"}), "call_tool"),
        ("tools/call", json!({"name": "t"}), "get_tool"),
        ("x/anything", json!({"a": 1}), "on_custom_request"),
    ] {
        asks(&mut wire, &recorder, method, params, expected).await;
    }
    for (method, params, expected) in [
        ("notifications/initialized", json!({}), "on_initialized"),
        ("notifications/cancelled", json!({"requestId": 4711}), "on_cancelled"),
        ("notifications/progress", json!({"progressToken": 1, "progress": 1}), "on_progress"),
        ("notifications/roots/list_changed", json!({}), "on_roots_list_changed"),
        ("notifications/x", json!({}), "on_custom_notification"),
    ] {
        notifies(&mut wire, &recorder, method, params, expected).await;
    }
}

#[tokio::test]
async fn what_a_stateless_request_asks_reaches_the_handler() {
    let recorder = Recorder::default();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let server = Guarded::new(recorder.clone());
    tokio::spawn(async move { rmcp::ServiceExt::serve(server, far).await.unwrap().waiting().await.unwrap() });
    let (input, output) = tokio::io::split(near);
    let mut wire: Memory = Wire::over(input, output);
    let capabilities = json!(ClientCapabilities::builder().enable_tasks().build());
    let with_meta = |mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        params
    };
    let uri = "skill://a/SKILL.md";
    for (method, params, expected) in [
        ("server/discover", json!({}), "discover"),
        ("server/discover", json!({}), "supported_protocol_versions"),
        ("tasks/get", json!({"taskId": "t"}), "get_task"),
        ("tasks/update", json!({"taskId": "t", "inputResponses": {}}), "update_task"),
        ("tasks/cancel", json!({"taskId": "t"}), "cancel_task"),
        ("skills/list", json!({}), "list_skills"),
        ("skills/get", json!({"uri": uri}), "get_skill"),
        ("resources/directory/read", json!({"uri": "a://b"}), "read_resource_directory"),
        ("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), "accepted_subscription_filter"),
        ("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), "listen"),
    ] {
        asks(&mut wire, &recorder, method, with_meta(params), expected).await;
    }
}
