//! The boundary before any handler.

use crate::closed::ClosedTool;
use crate::guard::{Guard, Options};
use crate::judge::{self, Asker};
use crate::published::Published;
use crate::sdk::{self, Sent};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ListToolsResult, PaginatedRequestParams, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// A handler with the boundary before its tools: calls are judged by the schemas that the handler lists and only then reach
/// it, and what is listed is the form that is shown of them. Everything else reaches the handler as it is.
///
/// The tools are those that the handler has at the moment of a call. Where it answers `get_tool`, as handlers made by macros
/// do, that is asked; where it does not, its list is. What was compiled is found again by its content, so a handler whose
/// tools change needs to tell nobody but its clients (decision 0015).
///
/// All clones are one; see [`Guard`] for handlers that are made anew for each session.
///
/// # Example
///
/// ```
/// # use rmcp::{ServerHandler, tool, tool_handler, tool_router};
/// use toolgate_mcp::Guarded;
/// # struct Server;
/// # #[tool_router]
/// # impl Server {
/// #     #[tool(description = "Says where the tide stands.")]
/// #     fn tide(&self) -> String {
/// #         "low".to_owned()
/// #     }
/// # }
/// # #[tool_handler]
/// # impl ServerHandler for Server {}
///
/// let guarded = Guarded::typed(Server);
/// // guarded.serve(stdio()).await, or for each session of an HTTP service:
/// let for_each_session = move || guarded.clone();
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut client = toolgate_mcp::testing::Client::connect(for_each_session()).await;
/// assert_eq!(client.call("tide", r#"{"at":"noon"}"#).await.codes(), ["unknown-argument@/at"]);
/// # });
/// ```
pub struct Guarded<H> {
    handler: Arc<H>,
    guard: Guard,
}

impl<H> Clone for Guarded<H> {
    fn clone(&self) -> Self {
        Guarded { handler: Arc::clone(&self.handler), guard: self.guard.clone() }
    }
}

impl<H> fmt::Debug for Guarded<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl<H: ServerHandler> Guarded<H> {
    /// For a handler whose schemas are documents that somebody wrote ([`Options::documents`]).
    pub fn new(handler: H) -> Self {
        Guard::default().handler(handler)
    }

    /// For a handler whose schemas are derived from the types that its tools take ([`Options::typed`]).
    pub fn typed(handler: H) -> Self {
        Guard::new(Options::typed()).handler(handler)
    }

    pub(crate) fn with(guard: Guard, handler: H) -> Self {
        Guarded { handler: Arc::new(handler), guard }
    }

    /// The handler.
    pub fn inner(&self) -> &H {
        &self.handler
    }

    /// The tools that are closed, of the list that was asked for last; none before there was one. A test lists first.
    pub fn closed(&self) -> Vec<ClosedTool> {
        self.guard.memory().latest().map(|list| list.closed().to_vec()).unwrap_or_default()
    }

    pub(crate) async fn list(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        sdk::only_page(request.as_ref())?;
        // An empty cursor is none, and a handler may not know so.
        let request = request.map(|request| request.with_cursor(None));
        let mut list = self.fetch(request, &context).await?;
        let published =
            self.publish(list.tools.clone(), self.guard.options().credential.credential(&context.extensions)).await?;
        list.tools = published.shown_list(list.tools);
        Ok(list)
    }

    /// The handler's whole list.
    async fn fetch(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let failed = |why: &'static str| ErrorData::internal_error(why, None);
        let limits = self.guard.options().list;
        let mut list = self.handler.list_tools(request.clone(), context.clone()).await?;
        let mut cursors = HashSet::new();
        while let Some(cursor) = list.next_cursor.take().filter(|cursor| !cursor.is_empty()) {
            if cursors.len() + 1 >= limits.pages_max || list.tools.len() > limits.tools_max {
                return Err(failed("the list of tools is larger than the limit"));
            }
            if !cursors.insert(cursor.clone()) {
                return Err(failed("the list of tools leads back to a page that was read"));
            }
            let request = sdk::page_request(request.clone(), cursor);
            let mut page = self.handler.list_tools(Some(request), context.clone()).await?;
            list.next_cursor = page.next_cursor.take();
            sdk::join_page(&mut list, page);
        }
        if list.tools.len() > limits.tools_max {
            return Err(failed("the list of tools is larger than the limit"));
        }
        Ok(list)
    }

    async fn publish(&self, tools: Vec<Tool>, caller: Option<u64>) -> Result<Arc<Published>, ErrorData> {
        let list = self.guard.publish_list(tools).await.map_err(|why| sdk::fault(&why))?;
        self.guard.memory().keep_for(caller, &list);
        Ok(list)
    }

    /// The tool as it is shown. The SDK holds the headers of a request against it.
    pub(crate) fn get(&self, name: &str) -> Option<Tool> {
        let tool = self.handler.get_tool(name)?;
        self.guard.publish_alone(&tool).shown(tool)
    }

    /// The list that a call of this tool is judged by: what this caller was last served by, if the handler's tool is still the one
    /// in it, else its list as it is now. Where that cannot be had, the handler's tool as it is now; only where nothing is known
    /// of it, the list that this caller was last served by.
    async fn published_for(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Published>, ErrorData> {
        let caller = self.guard.options().credential.credential(&context.extensions);
        let last = self.guard.memory().of_caller(caller);
        let own = self.handler.get_tool(name);
        if let Some(known) = own.as_ref().and_then(|own| last.clone().filter(|list| list.holds(own))) {
            return Ok(known);
        }
        match (self.fetch(None, context).await, own) {
            (Ok(list), _) => self.publish(list.tools, caller).await,
            (Err(_), Some(own)) => self.guard.publish_without_list(own).await.map_err(|why| sdk::fault(&why)),
            (Err(error), None) => last.filter(|list| list.served(name).is_some()).ok_or(error),
        }
    }

    pub(crate) async fn call(
        &self,
        mut call: CallToolRequestParams,
        sent: Sent,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Whoever called would wait for ever.
        let published = judge::or_panicked(self.published_for(&call.name, &context)).await;
        let published = published.unwrap_or_else(|panicked| Err(panicked.to_error("the list of tools")))?;
        let Some(served) = published.served(&call.name) else { return Err(sdk::unknown_tool()) };
        let asker = Asker::of(&context, self.guard.options());
        let mut context = context;
        let extensions = std::mem::take(&mut context.extensions);
        let handler = |arguments, extensions| {
            call.arguments = Some(arguments);
            context.extensions = extensions;
            self.handler.call_tool(call, context)
        };
        self.guard.run(served, sent, extensions, asker, handler).await
    }

    /// A request that the SDK does not know. One of them is a call whose arguments are no object.
    pub(crate) async fn custom(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if !sdk::is_call(&request) {
            return self.handler.on_custom_request(request, context).await;
        }
        let (call, sent) = sdk::unfit_call(request)?;
        let answered_to = context.clone();
        let response = self.call(call, sent, context).await?;
        sdk::custom_result(response, &answered_to)
    }
}
