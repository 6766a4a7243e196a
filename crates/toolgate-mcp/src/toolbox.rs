//! The tools of an agent loop: shown as a provider takes them, called with the text that a model wrote.

use crate::closed::{ClosedTool, ClosedTools};
use crate::guard::{Guard, Options};
use crate::router::GuardedRouter;
use crate::sdk::{self, Conversation, Sent};
use crate::tools::Tools;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, Extensions};
use rmcp::{RoleServer, service::Peer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use toolgate::{Answer, Manifest, Provider};

/// Tools whose calls come from a model and not over MCP: the same contracts, judged the same way, from the text of the arguments as the
/// model wrote it, so that no digit and no repeated name is lost before. Empty text is a call without arguments (R1.4).
///
/// All clones are one. The example `agent_loop` is whole loops for four APIs; the crate `toolgate-rig` gives the box to an agent of
/// rig.
///
/// # Example
///
/// ```
/// use toolgate_mcp::toolgate::Provider;
/// use toolgate_mcp::{Call, Options, Toolbox, Tools, TypedTool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum {
///     a: i64,
///     b: i64,
/// }
///
/// async fn add(_: (), sum: Sum, _: Call) -> String {
///     (sum.a + sum.b).to_string()
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let tools = Tools::new().tool(TypedTool::new("add", add).description("Adds two numbers."));
/// let toolbox = Toolbox::new(Provider::OpenAiChat, Options::typed(), tools, ())?;
/// // The request's `tools`: toolbox.manifest().json(); and for each call of the answer:
/// let answer = toolbox.call("add", r#"{"a":9007199254740993,"b":"1"}"#).await;
/// let message = answer.to_provider(toolbox.provider(), "call_1", "add");
/// assert_eq!(message["content"], "9007199254740994");
/// let refused = toolbox.call("add", r#"{"a":1}"#).await;
/// assert!(refused.is_error && refused.to_text().contains("missing required `b`"));
/// # Ok::<(), toolgate_mcp::ClosedTools>(()) })?;
/// # Ok::<(), toolgate_mcp::ClosedTools>(())
/// ```
pub struct Toolbox<S> {
    shared: Arc<Shared<S>>,
    /// What each call has in its context.
    context: Extensions,
}

struct Shared<S> {
    provider: Provider,
    router: GuardedRouter<S>,
    manifest: Manifest,
    server: S,
    peer: Peer<RoleServer>,
    last_id: AtomicI64,
}

impl<S> Clone for Toolbox<S> {
    fn clone(&self) -> Self {
        Toolbox { shared: Arc::clone(&self.shared), context: self.context.clone() }
    }
}

impl<S> fmt::Debug for Toolbox<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox").field("provider", &self.shared.provider).finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static> Toolbox<S> {
    /// The tools for requests to this provider, in its ordinary mode and form: [`Options::profile`] has no say here, but in
    /// [`Toolbox::of`]. `server` is what handlers get.
    ///
    /// # Errors
    ///
    /// Names every tool that cannot be served, and why.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub fn new(provider: Provider, options: Options, tools: Tools<S>, server: S) -> Result<Self, ClosedTools> {
        Toolbox::shown(provider, Cow::Borrowed(provider.profile()), options, tools, server)
    }

    /// The same in the provider's strict mode, for every tool that the mode takes and for which a request has room; the others
    /// are shown in the ordinary form, and [`Toolbox::not_strict`] says why.
    ///
    /// # Errors
    ///
    /// As [`Toolbox::new`]. A provider without such a mode has the ordinary one.
    ///
    /// # Panics
    ///
    /// As [`Toolbox::new`].
    pub fn strict(provider: Provider, options: Options, tools: Tools<S>, server: S) -> Result<Self, ClosedTools> {
        let profile = provider.strict_profile().unwrap_or(provider.profile());
        Toolbox::shown(provider, Cow::Borrowed(profile), options, tools, server)
    }

    fn shown(
        provider: Provider,
        profile: Cow<'static, toolgate::Profile>,
        options: Options,
        tools: Tools<S>,
        server: S,
    ) -> Result<Self, ClosedTools> {
        let options = options.agent_text().shown_as(profile);
        Ok(Toolbox::of(provider, Guard::new(options).tools(tools.enabled()).all_open()?, server))
    }

    /// The tools of a router as they are shown there: those of a mode ([`Modes::compile`](crate::Modes::compile)), or under a
    /// profile of one's own choice, such as one for a model that is served behind this provider's form of requests. A tool that is closed or
    /// hidden there is called in vain. The router's options say [`Options::agent_text`], or empty text is no call.
    ///
    /// # Panics
    ///
    /// As [`Toolbox::new`].
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_mcp::toolgate::{Profile, Provider};
    /// use toolgate_mcp::{Call, Guard, Options, Toolbox, Tools, TypedTool};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Nothing {}
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let tools = Tools::new().tool(TypedTool::new("tide", |(): (), _: Nothing, _: Call| async { "low".to_owned() }));
    /// let options = Options::typed().agent_text().profile(Profile::named("xai").unwrap());
    /// let toolbox = Toolbox::of(Provider::OpenAiChat, Guard::new(options).tools(tools).all_open()?, ());
    /// assert_eq!(toolbox.call("tide", "").await.to_text(), "low");
    /// # Ok::<(), toolgate_mcp::ClosedTools>(()) })?;
    /// # Ok::<(), toolgate_mcp::ClosedTools>(())
    /// ```
    pub fn of(provider: Provider, router: GuardedRouter<S>, server: S) -> Self {
        let manifest = router.set().manifest(provider);
        let shared = Shared { provider, router, manifest, server, peer: sdk::nobody(), last_id: AtomicI64::new(0) };
        Toolbox { shared: Arc::new(shared), context: Extensions::new() }
    }

    /// The same box with a value in the context of its calls, such as who asks: [`Call::get`](crate::Call::get) gives it, and hooks see
    /// it. One of its type takes the place of another.
    ///
    /// # Example
    ///
    /// ```
    /// # use toolgate::Provider;
    /// # use toolgate_mcp::{Call, Options, Toolbox, Tools, TypedTool};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Nothing {}
    /// #[derive(Clone)]
    /// struct User(&'static str);
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let whoami = |(): (), _: Nothing, call: Call| async move { call.get::<User>().map_or("nobody", |user| user.0).to_owned() };
    /// let tools = Tools::new().tool(TypedTool::new("whoami", whoami));
    /// let toolbox = Toolbox::new(Provider::Anthropic, Options::typed(), tools, ()).unwrap();
    /// assert_eq!(toolbox.with(User("alice")).call("whoami", "{}").await.to_text(), "alice");
    /// assert_eq!(toolbox.call("whoami", "{}").await.to_text(), "nobody");
    /// # });
    /// ```
    #[must_use]
    pub fn with<T: Clone + Send + Sync + 'static>(&self, value: T) -> Self {
        let mut context = self.context.clone();
        context.insert(value);
        Toolbox { shared: Arc::clone(&self.shared), context }
    }

    /// The same box for the calls of one conversation: what was refused in it is counted apart from all others (R6.10), so that
    /// the help in an answer rises with the mistakes of its own model. Without it the whole process is one conversation.
    ///
    /// # Example
    ///
    /// ```
    /// # use toolgate::Provider;
    /// # use toolgate_mcp::{Call, Options, Toolbox, Tools, TypedTool};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Tide {
    /// #     place: String,
    /// # }
    /// # async fn tide(_: (), tide: Tide, _: Call) -> String {
    /// #     format!("low in {}", tide.place)
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let tools = Tools::new().tool(TypedTool::new("tide", tide));
    /// # let toolbox = Toolbox::new(Provider::OpenAiChat, Options::typed(), tools, ()).unwrap();
    /// let (one, other) = (toolbox.in_conversation("one"), toolbox.in_conversation("other"));
    /// let first = one.call("tide", "{}").await.to_text();
    /// assert_ne!(one.call("tide", "{}").await.to_text(), first, "the second time more is said");
    /// assert_eq!(other.call("tide", "{}").await.to_text(), first);
    /// # });
    /// ```
    #[must_use]
    pub fn in_conversation(&self, name: &str) -> Self {
        self.with(Conversation::of(name))
    }

    /// What a model is told that calls a tool which it does not have: the names that it has, where an agent shows it fewer
    /// tools than the box has. Nothing runs.
    pub fn no_such_tool<'n>(name: &str, available: impl IntoIterator<Item = &'n str>) -> Answer {
        let known: Vec<&str> = available.into_iter().take(NAMES_MAX).collect();
        let name = toolgate::shown_name(name);
        Answer::error(format!("there is no tool `{name}`; there are {}", known.join(", ")))
    }

    /// Whose requests the tools are for.
    pub fn provider(&self) -> Provider {
        self.shared.provider
    }

    /// The list for a request.
    pub fn manifest(&self) -> &Manifest {
        &self.shared.manifest
    }

    /// The tools that are not strict where strict was asked for, and why.
    pub fn not_strict(&self) -> Vec<ClosedTool> {
        let tools = self.shared.router.set().listed().filter_map(|tool| {
            let why = tool.published()?.advertised.not_strict()?;
            Some(ClosedTool { name: tool.name().to_owned(), why: why.to_owned() })
        });
        tools.collect()
    }

    /// Judges and runs a call of the tool that the manifest shows as `name`. `arguments` is the text as the model wrote it; what
    /// is no JSON is refused in words like anything else.
    ///
    /// Never fails: what goes wrong is an answer that says so, for the model. An answer with [`Answer::refusal`] is of a call that has
    /// not run.
    pub async fn call(&self, name: &str, arguments: &str) -> Answer {
        let Shared { router, manifest, server, peer, last_id, .. } = &*self.shared;
        let Some(tool) = manifest.tool(name) else {
            return Self::no_such_tool(name, manifest.shown());
        };
        let mut context = sdk::own_context(last_id.fetch_add(1, Ordering::Relaxed), peer.clone());
        context.extensions = self.context.clone();
        sdk::carry(Sent::Text(arguments.to_owned()), &mut context);
        let call = CallToolRequestParams::new(tool.to_owned());
        match router.call(ToolCallContext::new(server, call, context)).await {
            Ok(CallToolResponse::Complete(result)) => sdk::answer(result),
            Ok(_) => Answer::error("the tool asks for more than an answer, which only a client of MCP can give"),
            // The words are the server's own.
            Err(error) => Answer::error(error.message.into_owned()),
        }
    }
}

/// Names that are told where a model calls a tool that there is not.
const NAMES_MAX: usize = 40;
