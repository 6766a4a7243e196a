//! How a server's tools are judged and shown, and what is remembered between calls.

use crate::beside::{NotDone, beside};
use crate::closed::ClosedTool;
use crate::handler::Guarded;
use crate::hooks::Hook;
use crate::published::{Memory, Published, Registered};
use crate::ranges;
use crate::router::GuardedRouter;
use crate::sdk::{self, CredentialHeader};
use crate::tools::Tools;
use rmcp::ServerHandler;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{JsonObject, Tool};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use toolgate::{Help, Policy, Profile, Refusal, Repeats, Showing, UnknownKeys};

/// The policy of a tool, by its name.
type PolicyOf = Box<dyn Fn(&str) -> Policy + Send + Sync>;

/// What is decided about the tools of a server.
///
/// # Example
///
/// ```
/// use toolgate_mcp::{Guard, Options};
/// use toolgate_mcp::toolgate::{Policy, Profile};
/// let options = Options::typed()
///     .policy(|name| Policy { forward_keys: if name == "search" { vec!["trace".into()] } else { vec![] }, ..Options::typed_policy() })
///     .profile(Profile::named("plain").unwrap());
/// let guard = Guard::new(options);
/// let tools: toolgate_mcp::Tools<()> = toolgate_mcp::Tools::new().tool(toolgate_mcp::TypedTool::new(
///     "search",
///     |(): (), query: std::collections::BTreeMap<String, String>, _: toolgate_mcp::Call| async move { format!("{query:?}") },
/// ));
/// assert!(guard.tools(tools).contract("search").unwrap().policy().forward_keys.contains(&"trace".to_owned()));
/// ```
pub struct Options {
    /// What the author says; where nothing is said, it goes by where the schema comes from.
    policy: Option<PolicyOf>,
    /// Empty text is a call without arguments (R1.4).
    has_agent_text: bool,
    pub(crate) showing: Showing,
    pub(crate) repeats: bool,
    pub(crate) list: ListLimits,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) credential: CredentialHeader,
    /// The schemas are derived from types whose integers have a range.
    is_typed: bool,
}

/// The bounds of a handler's list of tools, which is fetched whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListLimits {
    /// Pages.
    pub pages_max: usize,
    /// Tools on all pages.
    pub tools_max: usize,
    /// Different lists that are kept compiled, the latest. Where each caller is given another list, and there are more of them than
    /// are kept, lists are compiled again as they come.
    pub kept_max: usize,
}

impl ListLimits {
    /// These bounds.
    #[must_use]
    pub const fn new(pages_max: usize, tools_max: usize) -> Self {
        ListLimits { pages_max, tools_max, kept_max: 64 }
    }

    /// The same, with so many lists kept compiled.
    #[must_use]
    pub const fn keep(self, kept_max: usize) -> Self {
        ListLimits { kept_max, ..self }
    }
}

impl Default for ListLimits {
    fn default() -> Self {
        ListLimits::new(1000, 10_000)
    }
}

impl Options {
    /// For tools whose schemas are documents that somebody wrote: the root refuses undeclared keys unless it speaks of them
    /// itself (`close-root`, R3.2). A [`TypedTool`](crate::TypedTool) among them is judged as [`Options::typed`] says.
    pub fn documents() -> Self {
        Options {
            policy: None,
            has_agent_text: false,
            showing: Showing::default(),
            repeats: true,
            list: ListLimits::default(),
            hooks: Vec::new(),
            credential: CredentialHeader::default(),
            is_typed: false,
        }
    }

    /// For tools whose schemas are derived from Rust types, which drop what they do not know at every depth: every nested object
    /// that declares properties and is silent about others refuses undeclared keys as well (`close-declared`, R3.2), and an
    /// integer of a format such as `int32` has the range of its type.
    pub fn typed() -> Self {
        Options { is_typed: true, ..Options::documents() }
    }

    /// The policy of [`Options::typed`], to begin a policy of one's own with.
    pub fn typed_policy() -> Policy {
        Policy { unknown_keys: UnknownKeys::CloseDeclared, ..Policy::default() }
    }

    /// The whole policy of each tool, by its name: unknown keys, former names, opt-ins, bounds (R11). It takes the place of the one
    /// that [`Options::typed`] has, which [`Options::typed_policy`] gives. Asked whenever a tool is compiled, so it should answer the
    /// same every time.
    #[must_use]
    pub fn policy(self, policy: impl Fn(&str) -> Policy + Send + Sync + 'static) -> Self {
        Options { policy: Some(Box::new(policy)), ..self }
    }

    /// The policy of one tool, which is a typed one or not.
    pub(crate) fn policy_of(&self, name: &str, is_typed: bool) -> Policy {
        let mut policy = match &self.policy {
            Some(policy) => policy(name),
            None if is_typed || self.is_typed => Options::typed_policy(),
            None => Policy::default(),
        };
        policy.options.agent_text |= self.has_agent_text;
        policy
    }

    /// For which reader the tools are shown; `portable` where nothing is said. It belongs to the server and never to one
    /// connection (R7.8). A [`Toolbox`](crate::Toolbox) shows them for its provider, whatever is said here.
    #[must_use]
    pub fn profile(self, profile: &'static Profile) -> Self {
        self.shown_as(Cow::Borrowed(profile))
    }

    pub(crate) fn shown_as(self, profile: Cow<'static, Profile>) -> Self {
        let showing = Showing { profile, ..self.showing };
        Options { showing, ..self }
    }

    /// Empty text is a call without arguments (R1.4), as models write one. A [`Toolbox`](crate::Toolbox) of tools has it;
    /// a router that is made for [`Toolbox::of`](crate::Toolbox::of) is made with it.
    #[must_use]
    pub fn agent_text(self) -> Self {
        Options { has_agent_text: true, ..self }
    }

    /// How the tools are shown, in all: a profile with values of one's own, or a root that leaves its key policy unsaid.
    #[must_use]
    pub fn showing(self, showing: Showing) -> Self {
        Options { showing, ..self }
    }

    /// What is done before and after every call; further ones are asked after those that there are.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// A schema as the contract is made of it: what is derived from a type has the range of every integer.
    pub(crate) fn schema<'s>(&self, schema: &'s JsonObject, is_typed: bool) -> Cow<'s, JsonObject> {
        if is_typed || self.is_typed { Cow::Owned(ranges::tightened(schema)) } else { Cow::Borrowed(schema) }
    }

    /// The JSON text of a tool as its contract is made of it.
    pub(crate) fn definition(&self, tool: &Tool, is_typed: bool) -> String {
        match self.schema(&tool.input_schema, is_typed) {
            Cow::Owned(schema) => sdk::definition(&sdk::with_schema(tool.clone(), Arc::new(schema))),
            Cow::Borrowed(_) => sdk::definition(tool),
        }
    }

    /// The header of a request over HTTP whose value says who calls, such as `x-api-key`; `Authorization` where nothing is said. A
    /// mode belongs to it (R10.4), repeated refusals are counted by it (R6.10), and who has another is never judged by the list
    /// that this one was given. A server that knows its callers otherwise sets a header before the request comes here.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_mcp::Options;
    /// let options = Options::typed().credential_header(http::HeaderName::from_static("x-api-key"));
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn credential_header(self, name: http::HeaderName) -> Self {
        Options { credential: CredentialHeader(name), ..self }
    }

    /// The bounds of the list.
    #[must_use]
    pub fn list_limits(self, list: ListLimits) -> Self {
        Options { list, ..self }
    }

    /// Every refusal says the same, however often the same call was refused (R6.10 off).
    #[must_use]
    pub fn without_repeats(self) -> Self {
        Options { repeats: false, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::documents()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("showing", &self.showing)
            .field("repeats", &self.repeats)
            .finish_non_exhaustive()
    }
}

/// The boundary of one server: its options, the lists that it has compiled, and which calls were refused before.
///
/// Cheap to clone, and all clones are one. A server that is made anew for each session or request, as the SDK's HTTP service
/// does it, uses one guard for all of them, so that the tools are compiled once.
///
/// # Example
///
/// ```
/// # use rmcp::{ServerHandler, tool, tool_handler, tool_router};
/// use toolgate_mcp::{Guard, Options};
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
/// let guard = Guard::new(Options::typed());
/// let shared = guard.clone();
/// let for_each_session = move || shared.handler(Server);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut client = toolgate_mcp::testing::Client::connect(for_each_session()).await;
/// assert_eq!(client.call("tide", r#"{"at":"noon"}"#).await.codes(), ["unknown-argument@/at"]);
/// assert!(guard.handler(Server).closed().is_empty(), "of the list that this session has had compiled");
/// # });
/// ```
#[derive(Clone)]
pub struct Guard {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    memory: Mutex<Memory>,
    /// Held while a list is compiled, so that calls which come together compile it once.
    compiling: Mutex<()>,
    /// The same for a tool outside a list. It is another lock, since the SDK asks for one tool on the runtime's own threads,
    /// which must not wait for a whole list.
    compiling_alone: Mutex<()>,
    repeats: Mutex<Repeats>,
    since: Instant,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Guard {
    /// A guard that has seen nothing.
    pub fn new(options: Options) -> Self {
        Guard {
            shared: Arc::new(Shared {
                options,
                memory: Mutex::default(),
                compiling: Mutex::default(),
                compiling_alone: Mutex::default(),
                repeats: Mutex::default(),
                since: Instant::now(),
            }),
        }
    }

    /// Puts the boundary before every route of a router; see [`crate::guard`].
    pub fn router<S: Send + Sync + 'static>(&self, router: ToolRouter<S>) -> GuardedRouter<S> {
        self.tools(Tools::from(router))
    }

    /// Puts the boundary before typed tools and macro-made ones together; see [`Tools`].
    pub fn tools<S: Send + Sync + 'static>(&self, tools: Tools<S>) -> GuardedRouter<S> {
        GuardedRouter::new(self, tools, &self.options().showing)
    }

    /// Puts the boundary before any handler; see [`Guarded`].
    pub fn handler<H: ServerHandler>(&self, handler: H) -> Guarded<H> {
        Guarded::with(self.clone(), handler)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.shared.options
    }

    pub(crate) fn memory(&self) -> MutexGuard<'_, Memory> {
        lock(&self.shared.memory)
    }

    /// The tools of a whole list, compiled beside the runtime where they are new: proving takes a millisecond a tool.
    ///
    /// # Errors
    ///
    /// As [`beside`].
    pub(crate) async fn publish_list(&self, tools: Vec<Tool>) -> Result<Arc<Published>, NotDone> {
        if let Some(known) = self.memory().list(&tools) {
            return Ok(known);
        }
        let guard = self.clone();
        beside(move || guard.publish_new_list(tools)).await
    }

    /// One tool where its list cannot be had, compiled beside the runtime.
    ///
    /// # Errors
    ///
    /// As [`beside`].
    pub(crate) async fn publish_without_list(&self, tool: Tool) -> Result<Arc<Published>, NotDone> {
        let guard = self.clone();
        beside(move || guard.publish_alone(&tool)).await
    }

    fn publish_new_list(&self, tools: Vec<Tool>) -> Arc<Published> {
        let _one_at_a_time = lock(&self.shared.compiling);
        if let Some(known) = self.memory().list(&tools) {
            return known;
        }
        let published =
            Arc::new(self.publish(tools.into_iter().map(Registered::from).collect(), &self.options().showing));
        self.memory().keep_list(Arc::clone(&published), self.options().list.kept_max);
        published
    }

    /// What is shown of one tool, where no list has been fetched yet. The SDK asks for it without giving time, so this may run on
    /// a thread of the runtime: once for each tool.
    pub(crate) fn publish_alone(&self, tool: &Tool) -> Arc<Published> {
        if let Some(known) = self.memory().alone(tool) {
            return known;
        }
        let _one_at_a_time = lock(&self.shared.compiling_alone);
        if let Some(known) = self.memory().alone(tool) {
            return known;
        }
        let published = Arc::new(self.publish(vec![tool.clone().into()], &self.options().showing));
        self.memory().keep_alone(tool, Arc::clone(&published));
        published
    }

    /// Compiles, shows and proves, and tells the operator what is closed.
    pub(crate) fn publish(&self, tools: Vec<Registered>, showing: &Showing) -> Published {
        let published = Published::new(tools, self.options(), showing);
        for ClosedTool { name, why } in published.closed() {
            tracing::warn!(target: "toolgate", tool = %toolgate::shown_name(name), why, "the tool is closed");
        }
        published
    }

    /// How much the answer to a refused call says.
    pub(crate) fn help(&self, tool: &str, refusal: &Refusal, caller: &sdk::Caller) -> Help {
        let name = match caller {
            _ if !self.options().repeats => return Help::Violations,
            sdk::Caller::Unknown => return Help::Violations,
            sdk::Caller::Process => Cow::Borrowed(tool),
            // One table for all callers, so that its bound is one.
            sdk::Caller::Credential(fingerprint) => Cow::Owned(format!("{fingerprint:x} {tool}")),
        };
        let now_ms = u64::try_from(self.shared.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        lock(&self.shared.repeats).note(&name, refusal, now_ms)
    }
}

impl Default for Guard {
    fn default() -> Self {
        Guard::new(Options::default())
    }
}

/// Nothing is left half done under these locks, so one that was held by a thread which panicked is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
