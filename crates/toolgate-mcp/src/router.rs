//! The boundary before the routes of a macro-made router.

use crate::closed::{ClosedTool, ClosedTools};
use crate::guard::{Guard, Options};
use crate::published::Published;
use crate::sdk;
use crate::tools::Tools;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolResponse, CustomRequest, CustomResult, ListToolsResult, PaginatedRequestParams, Tool};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use std::fmt;
use std::sync::Arc;
use toolgate::Showing;

/// Puts the boundary before every route of a router that the SDK's macros made: a call is judged by the tool's own schema
/// and only then runs, and what is listed is the form that is shown of it. Undeclared keys are refused wherever the
/// argument types would drop them ([`Options::typed`]); [`Guard::router`] takes other options.
///
/// Never fails. A tool whose schema does not compile is closed and all others are served: see [`GuardedRouter::closed`], and
/// [`try_guard`] for a server that rather does not start.
///
/// # Example
///
/// ```
/// use rmcp::handler::server::router::tool::ToolRouter;
/// use rmcp::{ServerHandler, tool, tool_router};
/// use toolgate_mcp::{GuardedRouter, guard};
///
/// struct Server {
///     router: GuardedRouter<Server>,
/// }
///
/// #[tool_router]
/// impl Server {
///     fn new() -> Self {
///         Server { router: guard(Self::tool_router()) }
///     }
///
///     #[tool(description = "Says where the tide stands.")]
///     fn tide(&self) -> String {
///         "low".to_owned()
///     }
/// }
///
/// impl ServerHandler for Server {
///     toolgate_mcp::serve_tools!(|server| server.router);
/// }
///
/// let server = Server::new();
/// assert!(server.router.closed().is_empty());
/// assert_eq!(server.router.get("tide").unwrap().input_schema["additionalProperties"], false);
/// ```
pub fn guard<S: Send + Sync + 'static>(router: ToolRouter<S>) -> GuardedRouter<S> {
    Guard::new(Options::typed()).router(router)
}

/// The same for a server that serves all of its tools or none.
///
/// # Errors
///
/// Names every tool that is closed, and why.
pub fn try_guard<S: Send + Sync + 'static>(router: ToolRouter<S>) -> Result<GuardedRouter<S>, ClosedTools> {
    guard(router).all_open()
}

/// A router with the boundary before every route, which [`serve_tools`](crate::serve_tools) puts into an `impl ServerHandler`. Routes
/// cannot be added, since one could then run without a contract (R10.2).
pub struct GuardedRouter<S> {
    router: ToolRouter<S>,
    published: Arc<Published>,
}

impl<S> fmt::Debug for GuardedRouter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedRouter").field("closed", &self.closed()).finish_non_exhaustive()
    }
}

impl<S> Clone for GuardedRouter<S> {
    fn clone(&self) -> Self {
        GuardedRouter { router: self.router.clone(), published: Arc::clone(&self.published) }
    }
}

impl<S> GuardedRouter<S> {
    /// The tools as they are judged and shown.
    pub(crate) fn set(&self) -> &toolgate::ToolSet {
        self.published.set()
    }

    /// What the calls of this tool are judged by, for tests such as
    /// [`assert_every_property_matters`](crate::testing::assert_every_property_matters); `None` where there is no such tool, or
    /// where it is closed.
    ///
    /// # Example
    ///
    /// ```
    /// # use toolgate_mcp::{Call, Guard, Options, Tools, TypedTool};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Tide {
    ///     place: String,
    /// }
    ///
    /// async fn tide(_: (), tide: Tide, _: Call) -> String {
    ///     format!("low in {}", tide.place)
    /// }
    ///
    /// let router = Guard::new(Options::typed()).tools(Tools::new().tool(TypedTool::new("tide", tide)));
    /// let contract = router.contract("tide").unwrap();
    /// toolgate_mcp::testing::assert_type_takes_all::<Tide>(contract);
    /// assert!(router.contract("weather").is_none());
    /// ```
    pub fn contract(&self, name: &str) -> Option<&toolgate::Contract> {
        self.set().get(name)?.contract().ok()
    }

    /// The tools that are closed. Their calls are refused, and they are not listed. Of two tools with one name the later one is
    /// closed: the first is the tool.
    pub fn closed(&self) -> &[ClosedTool] {
        self.published.closed()
    }

    /// The same router, if no tool is closed.
    ///
    /// # Errors
    ///
    /// Names every tool that is closed, and why.
    pub fn all_open(self) -> Result<Self, ClosedTools> {
        if self.closed().is_empty() { Ok(self) } else { Err(ClosedTools(self.closed().to_vec())) }
    }
}

impl<S: Send + Sync + 'static> GuardedRouter<S> {
    pub(crate) fn new(guard: &Guard, tools: Tools<S>, showing: &Showing) -> Self {
        let (mut routes, registered) = tools.into_routes(guard.options());
        let published = Arc::new(guard.publish(registered, showing));
        let guarded = std::mem::take(&mut routes.map).into_iter();
        routes.map = guarded
            .map(|(name, route)| (name, sdk::guarded_route(route, guard.clone(), Arc::clone(&published))))
            .collect();
        GuardedRouter { router: routes, published }
    }

    /// Judges the call and runs its handler. What `#[tool_handler]` calls.
    ///
    /// # Errors
    ///
    /// Returns a protocol error for a tool that there is not, and the handler's own. A refusal is a result.
    pub async fn call(&self, context: ToolCallContext<'_, S>) -> Result<CallToolResponse, ErrorData> {
        self.router.call(context).await
    }

    /// The list of the tools that are served, as they are shown, on one page.
    ///
    /// # Errors
    ///
    /// Says that there is no other page.
    pub fn list(
        &self,
        request: Option<&PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        sdk::only_page(request)?;
        Ok(sdk::all_tools(self.list_all(), context))
    }

    /// The tools that are served, as they are shown. What `#[tool_handler]` calls.
    pub fn list_all(&self) -> Vec<Tool> {
        let mut tools = self.router.list_all();
        tools.retain(|tool| self.published.is_open(&tool.name));
        tools
    }

    /// The tool of this name as it is shown, if it is served. What `#[tool_handler]` calls.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.router.get(name).filter(|_| self.published.is_open(name))
    }

    /// Judges a call whose arguments are no object, which the SDK takes for a request that it does not know.
    /// [`catch_non_objects`](crate::catch_non_objects) calls it.
    ///
    /// # Errors
    ///
    /// As for [`GuardedRouter::call`]; that there is no such method, for every other request.
    pub async fn custom_request(
        &self,
        service: &S,
        request: CustomRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if !sdk::is_call(&request) {
            return Err(sdk::unknown_method(&request));
        }
        let (call, sent) = sdk::unfit_call(request)?;
        let answered_to = context.clone();
        sdk::carry(sent, &mut context);
        let response = self.call(ToolCallContext::new(service, call, context)).await?;
        sdk::custom_result(response, &answered_to)
    }

    /// Hides a tool and refuses its calls as those of a tool that there is not.
    pub fn disable_route(&mut self, name: impl Into<std::borrow::Cow<'static, str>>) -> bool {
        self.router.disable_route(name)
    }

    /// Shows a tool again that was hidden.
    pub fn enable_route(&mut self, name: &str) -> bool {
        self.router.enable_route(name)
    }

    /// Tells this client when a tool is hidden or shown.
    pub fn bind_peer_notifier(&mut self, peer: &Peer<RoleServer>) {
        self.router.bind_peer_notifier(peer);
    }

    /// The guarded routes as a router of the SDK's, to be joined with others. There a tool that is closed is listed with an
    /// open schema; its calls are refused all the same. Arguments that are no object are answered by the SDK.
    pub fn into_router(self) -> ToolRouter<S> {
        self.router
    }
}

/// Has the tools of a [`GuardedRouter`] served by an `impl ServerHandler`: listed, called, their headers held, and arguments that are no
/// object refused in words. It stands in the place of the SDK's `#[tool_handler]`, which serves the tools unguarded unless it is told
/// where the router is; both together do not compile. The server's `get_info` says that it has tools.
///
/// # Example
///
/// ```
/// use rmcp::ServerHandler;
/// use rmcp::model::{ServerCapabilities, ServerConfig};
/// use toolgate_mcp::GuardedRouter;
///
/// #[derive(Clone)]
/// struct Server {
///     router: GuardedRouter<Server>,
/// }
///
/// impl ServerHandler for Server {
///     toolgate_mcp::serve_tools!(|server| server.router);
///
///     fn get_info(&self) -> ServerConfig {
///         ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
///     }
/// }
/// ```
#[macro_export]
macro_rules! serve_tools {
    (|$server:ident| $router:expr) => {
        $crate::__serve_list!(|$server, name| $router, $router.get(name).cloned());

        $crate::catch_non_objects!(|$server| $router);
    };
}

/// The list of tools and their calls.
#[doc(hidden)]
#[macro_export]
macro_rules! __serve_list {
    (|$server:ident, $name:ident| $tools:expr, $get:expr) => {
        async fn list_tools(
            &self,
            request: ::core::option::Option<$crate::rmcp::model::PaginatedRequestParams>,
            context: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::ListToolsResult, $crate::rmcp::ErrorData> {
            let $server = self;
            $tools.list(request.as_ref(), &context)
        }

        async fn call_tool(
            &self,
            request: $crate::rmcp::model::CallToolRequestParams,
            context: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::CallToolResponse, $crate::rmcp::ErrorData> {
            let $server = self;
            let context = $crate::rmcp::handler::server::tool::ToolCallContext::new(self, request, context);
            $tools.call(context).await
        }

        fn get_tool(&self, $name: &str) -> ::core::option::Option<$crate::rmcp::model::Tool> {
            let $server = self;
            $get
        }
    };
}

/// Has arguments that are no object refused in words, where the SDK would answer that there is no method `tools/call`. It
/// stands in `impl ServerHandler` beside a `#[tool_handler(router = …)]` and takes where the [`GuardedRouter`] is. A handler that has an `on_custom_request` of its
/// own calls [`GuardedRouter::custom_request`] from there.
#[macro_export]
macro_rules! catch_non_objects {
    (|$server:ident| $router:expr) => {
        $crate::__catch_custom!(|$server, request, context| $router.custom_request($server, request, context).await);
    };
}

/// The method that gets what the SDK does not know.
#[doc(hidden)]
#[macro_export]
macro_rules! __catch_custom {
    (|$server:ident, $request:ident, $context:ident| $answer:expr) => {
        #[allow(unused_variables, reason = "prompts ask for no context")]
        async fn on_custom_request(
            &self,
            $request: $crate::rmcp::model::CustomRequest,
            $context: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::CustomResult, $crate::rmcp::ErrorData> {
            let $server = self;
            $answer
        }
    };
}
