//! The server itself: its routes, its one resource, and the note of what reached it.

use crate::world::{Received, World};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool_handler};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The resource that shows the whole [`World`] as JSON.
pub const WORLD_URI: &str = "demo://world";

/// A server with a world of its own.
#[derive(Clone)]
pub struct DemoServer {
    router: ToolRouter<Self>,
    world: Arc<Mutex<World>>,
}

impl DemoServer {
    /// A server whose world is as [`World::new`] makes it.
    pub fn new() -> Self {
        let router = Self::file_tools() + Self::task_tools() + Self::lesson_tools() + Self::joined_tools();
        DemoServer { router, world: Arc::new(Mutex::new(World::new())) }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for DemoServer {
    fn default() -> Self {
        Self::new()
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for DemoServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("toolgate-demo", env!("CARGO_PKG_VERSION")))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        self.world().received.push(Received { tool: request.name.to_string(), arguments });
        self.router.call(ToolCallContext::new(self, request, context)).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let world = Resource::new(WORLD_URI, "world")
            .with_description("Everything this server holds, and every call that reached it.")
            .with_mime_type("application/json");
        Ok(ListResourcesResult { resources: vec![world], ..ListResourcesResult::default() })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != WORLD_URI {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        let text = serde_json::to_string(&*self.world())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let contents = ResourceContents::text(text, WORLD_URI).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
