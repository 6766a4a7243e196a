//! Servers with one tool for each case, which answers with the arguments that it got.

use super::cases::{Case, policy};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool_handler};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate::Policy;
use toolgate_mcp::{Guard, Guarded, GuardedRouter, Options};

pub fn name(index: usize) -> String {
    format!("case_{index}")
}

/// `None` where the SDK has no form for the schema.
pub fn tool(index: usize, case: &Case) -> Option<Tool> {
    let schema: JsonObject = serde_json::from_str(&case.schema).ok()?;
    Some(Tool::new(name(index), "", Arc::new(schema)))
}

pub fn options(cases: &[Case]) -> Options {
    let policies: HashMap<String, Policy> =
        cases.iter().enumerate().map(|(index, case)| (name(index), policy(&case.request))).collect();
    Options::documents().policy(move |name| policies.get(name).cloned().unwrap_or_default()).without_repeats()
}

fn tools(cases: &[Case]) -> Vec<Tool> {
    cases.iter().enumerate().filter_map(|(index, case)| tool(index, case)).collect()
}

/// A router with a route for each tool, which echoes.
pub fn echoing<S: Send + Sync + 'static>(tools: Vec<Tool>) -> ToolRouter<S> {
    let mut router = ToolRouter::new();
    for tool in tools {
        router.add_route(ToolRoute::new_dyn(tool, |context: ToolCallContext<'_, S>| {
            Box::pin(std::future::ready(Ok(echo(context.arguments))))
        }));
    }
    router
}

pub fn echo(arguments: Option<JsonObject>) -> CallToolResponse {
    let text = serde_json::Value::Object(arguments.unwrap()).to_string();
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// A server that has its guarded tools and nothing else.
#[derive(Clone)]
pub struct Server {
    pub router: GuardedRouter<Server>,
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

/// Its tools are routes with the boundary before each.
#[derive(Clone)]
pub struct Routed {
    pub router: GuardedRouter<Routed>,
    pub runs: Arc<AtomicUsize>,
}

impl Routed {
    pub fn new(cases: &[Case]) -> Self {
        let mut router = ToolRouter::new();
        for tool in tools(cases) {
            router.add_route(ToolRoute::new_dyn(tool, |context: ToolCallContext<'_, Routed>| {
                context.service.runs.fetch_add(1, Ordering::SeqCst);
                Box::pin(std::future::ready(Ok(echo(context.arguments))))
            }));
        }
        Routed { router: Guard::new(options(cases)).router(router), runs: Arc::default() }
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Routed {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

/// Its tools are written by hand, as those of a handler that knows no macro.
pub struct Plain {
    tools: Vec<Tool>,
    pub runs: Arc<AtomicUsize>,
}

impl Plain {
    pub fn guarded(cases: &[Case]) -> Guarded<Plain> {
        Guard::new(options(cases)).handler(Plain { tools: tools(cases), runs: Arc::default() })
    }
}

impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult { tools: self.tools.clone(), ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Ok(echo(request.arguments))
    }
}
