//! The tools of the mode that a server is in, while it runs.

use crate::closed::ClosedTool;
use crate::listeners::Listeners;
use crate::modes::{Load, ModeError, Modes, Setting};
use crate::router::GuardedRouter;
use crate::sdk;
use crate::tools::Tools;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolResponse, CustomRequest, CustomResult, Extensions, ListToolsResult, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Credentials that may have a mode of their own.
const CREDENTIALS_MAX: usize = 4096;

/// What a server serves: the tools of its mode, swapped whole (R10.1). All clones are one.
///
/// [`serve_modes`](crate::serve_modes) puts it into an `impl ServerHandler`.
pub struct Moded<S> {
    shared: Arc<Shared<S>>,
}

struct Shared<S> {
    now: Mutex<Now<S>>,
    /// Held while something is compiled and swapped, so that one change follows another.
    changing: tokio::sync::Mutex<()>,
    listeners: Mutex<Listeners>,
}

struct Now<S> {
    modes: Arc<Modes<S>>,
    setting: Setting,
    loads: Vec<Load<S>>,
    /// Every mode in this setting, with these loads.
    compiled: BTreeMap<String, Arc<GuardedRouter<S>>>,
    mode: String,
    of_credentials: HashMap<u64, String>,
}

impl<S> Now<S> {
    fn mode_of(&self, credential: Option<u64>) -> &str {
        credential.and_then(|credential| self.of_credentials.get(&credential)).unwrap_or(&self.mode)
    }

    fn router(&self, credential: Option<u64>) -> Option<Arc<GuardedRouter<S>>> {
        self.compiled.get(self.mode_of(credential)).cloned()
    }
}

impl<S> Clone for Moded<S> {
    fn clone(&self) -> Self {
        Moded { shared: Arc::clone(&self.shared) }
    }
}

impl<S> fmt::Debug for Moded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moded").field("mode", &self.now().mode).finish_non_exhaustive()
    }
}

/// What became of tools that were sideloaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sideloaded {
    /// Whether what is loaded already is as new or newer; nothing was done then.
    pub is_stale: bool,
    /// The tools that are loaded.
    pub loaded: Vec<String>,
    /// The others, and why.
    pub refused: Vec<ClosedTool>,
}

impl<S> Moded<S> {
    fn now(&self) -> MutexGuard<'_, Now<S>> {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.shared.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mode that the server is in.
    pub fn mode(&self) -> String {
        self.now().mode.clone()
    }
}

impl<S: Send + Sync + 'static> Moded<S> {
    pub(crate) fn new(modes: Modes<S>, mode: &str, setting: Setting) -> Result<Self, ModeError> {
        let compiled = compile(&modes, &setting, &[])?;
        if !compiled.contains_key(mode) {
            return Err(ModeError::Unknown(mode.to_owned()));
        }
        let now = Now {
            modes: Arc::new(modes),
            setting,
            loads: Vec::new(),
            compiled,
            mode: mode.to_owned(),
            of_credentials: HashMap::new(),
        };
        let shared =
            Shared { now: Mutex::new(now), changing: tokio::sync::Mutex::default(), listeners: Mutex::default() };
        Ok(Moded { shared: Arc::new(shared) })
    }

    /// The names of the tools that the server serves, in the order listed.
    pub fn names(&self) -> Vec<String> {
        let router = self.now().router(None);
        router
            .map(|router| router.list_all().into_iter().map(|tool| tool.name.into_owned()).collect())
            .unwrap_or_default()
    }

    /// Switches the server's mode; callers whose credential has a mode of its own stay in that. Calls in flight end in the mode
    /// that they began in. Returns whether the list has changed; who listens is told once if so, after the swap, and not
    /// otherwise.
    ///
    /// # Errors
    ///
    /// Says that there is no such mode; nothing has changed then.
    pub async fn switch(&self, mode: &str) -> Result<bool, ModeError> {
        let _one_after_another = self.shared.changing.lock().await;
        self.change(|now| {
            known(now, mode)?;
            mode.clone_into(&mut now.mode);
            Ok(())
        })
    }

    /// Switches the mode of those who call with the credential of this request (R10.4).
    ///
    /// # Errors
    ///
    /// Says that there is no such mode, or no credential.
    pub async fn switch_for(&self, request: &RequestContext<RoleServer>, mode: &str) -> Result<bool, ModeError> {
        let credential = sdk::credential(&request.extensions).ok_or(ModeError::NoCredential)?;
        let _one_after_another = self.shared.changing.lock().await;
        self.change(|now| {
            known(now, mode)?;
            if now.of_credentials.len() >= CREDENTIALS_MAX && !now.of_credentials.contains_key(&credential) {
                return Err(ModeError::TooManyCredentials);
            }
            now.of_credentials.insert(credential, mode.to_owned());
            Ok(())
        })
    }

    /// Moves the server into another setting.
    ///
    /// # Errors
    ///
    /// Says which mode cannot be served there; the old setting stays then (R10.3).
    pub async fn set(&self, setting: Setting) -> Result<bool, ModeError> {
        let _one_after_another = self.shared.changing.lock().await;
        let loads = self.now().loads.clone();
        self.renew(setting, loads).await
    }

    /// Loads tools into a group from a source, such as a plug-in: they take the place of what this source had there. A
    /// generation is one run of the source and a revision one list of that run; what is not newer is left out as stale. A tool
    /// that cannot be served, or has a name that is taken, is refused and the others are loaded.
    ///
    /// # Errors
    ///
    /// Says that there is no such group, or which mode cannot be served with the tools; what was there stays then.
    pub async fn sideload(
        &self,
        group: &str,
        source: &str,
        generation: u64,
        revision: u64,
        tools: Tools<S>,
    ) -> Result<Sideloaded, ModeError> {
        let _one_after_another = self.shared.changing.lock().await;
        let (modes, setting, mut loads) = {
            let now = self.now();
            (Arc::clone(&now.modes), now.setting.clone(), now.loads.clone())
        };
        if !modes.has_group(group) {
            return Err(ModeError::NoSuchGroup(group.to_owned()));
        }
        let is_of = |load: &Load<S>| load.group == group && load.source == source;
        if loads.iter().any(|load| is_of(load) && (load.generation, load.revision) >= (generation, revision)) {
            return Ok(Sideloaded { is_stale: true, ..Sideloaded::default() });
        }
        loads.retain(|load| !is_of(load));
        let taken: BTreeSet<&str> =
            modes.tool_names().chain(loads.iter().flat_map(|load| load.tools.names())).collect();
        let mut refused: Vec<ClosedTool> = taken
            .into_iter()
            .filter(|taken| tools.names().any(|name| name == *taken))
            .map(|name| ClosedTool { name: name.to_owned(), why: "another tool has this name".to_owned() })
            .collect();
        let tools = tools.without(|name| refused.iter().any(|tool| tool.name == name));
        let guard = modes.guard.clone();
        let alone = tools.clone();
        let compiled = beside(move || guard.tools(alone).closed().to_vec()).await;
        let tools = tools.without(|name| compiled.iter().any(|tool| tool.name == name));
        refused.extend(compiled);
        let loaded = tools.names().map(str::to_owned).collect();
        loads.push(Load { group: group.to_owned(), source: source.to_owned(), generation, revision, tools });
        self.renew(setting, loads).await?;
        Ok(Sideloaded { is_stale: false, loaded, refused })
    }

    /// Compiles every mode anew and swaps them all, or none.
    async fn renew(&self, setting: Setting, loads: Vec<Load<S>>) -> Result<bool, ModeError> {
        let modes = Arc::clone(&self.now().modes);
        let (in_setting, with_loads) = (setting.clone(), loads.clone());
        let compiled = beside(move || compile(&modes, &in_setting, &with_loads)).await?;
        self.change(|now| {
            (now.setting, now.loads, now.compiled) = (setting, loads, compiled);
            Ok(())
        })
    }

    /// Makes one change, and has those told whose list it changes.
    fn change(&self, change: impl FnOnce(&mut Now<S>) -> Result<(), ModeError>) -> Result<bool, ModeError> {
        let mut now = self.now();
        let list = |now: &Now<S>, credential| now.router(credential).map(|router| router.list_all());
        let mut listeners = self.listeners();
        let mut lists: HashMap<Option<u64>, Option<Vec<Tool>>> = HashMap::from([(None, list(&now, None))]);
        for credential in listeners.credentials().chain(now.of_credentials.keys().copied().map(Some)) {
            lists.entry(credential).or_insert_with(|| list(&now, credential));
        }
        change(&mut now)?;
        let changed: Vec<Option<u64>> =
            lists.into_iter().filter(|(who, before)| *before != list(&now, *who)).map(|(who, _)| who).collect();
        // Whoever is told asks for a list that is already there.
        drop(now);
        listeners.tell(|credential| changed.contains(&credential));
        Ok(!changed.is_empty())
    }

    fn router_for(&self, extensions: &Extensions) -> Result<Arc<GuardedRouter<S>>, ErrorData> {
        let router = self.now().router(sdk::credential(extensions));
        router.ok_or_else(|| ErrorData::internal_error("the server is in no mode", None))
    }

    /// The list as this caller sees it.
    ///
    /// # Errors
    ///
    /// None but a fault of the server.
    pub fn list(&self, context: &RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(sdk::whole_list(self.router_for(&context.extensions)?.list_all(), context))
    }

    /// Judges a call and runs its handler, both of the mode that the caller is in at this moment.
    ///
    /// # Errors
    ///
    /// As for [`GuardedRouter::call`].
    pub async fn call(&self, context: ToolCallContext<'_, S>) -> Result<CallToolResponse, ErrorData> {
        self.router_for(&context.request_context.extensions)?.call(context).await
    }

    /// The tool as the server's own mode has it; the SDK asks for it without saying for whom.
    pub fn get(&self, name: &str) -> Option<Tool> {
        self.now().router(None)?.get(name).cloned()
    }

    /// As [`GuardedRouter::custom_request`].
    ///
    /// # Errors
    ///
    /// As for [`GuardedRouter::custom_request`].
    pub async fn custom_request(
        &self,
        service: &S,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.router_for(&context.extensions)?.custom_request(service, request, context).await
    }

    /// Has this client told of changes from now on, one notice for each, until it is gone. For clients of a revision with a
    /// handshake.
    pub fn bind(&self, context: &NotificationContext<RoleServer>) {
        let peer = context.peer.clone();
        let changes = self.listeners().listen(sdk::credential(&context.extensions), Some(peer.clone()));
        tokio::spawn(async move { changes.tell(|| peer.notify_tool_list_changed()).await });
    }

    /// What a client may subscribe to.
    pub fn accepted_filter(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        accepted
    }

    /// Tells a subscriber of changes, one notice for each, until it is gone. For clients of a revision without a handshake.
    ///
    /// # Errors
    ///
    /// None.
    pub async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = self.listeners().listen(sdk::credential(&context.request_context().extensions), None);
        tokio::select! {
            () = context.cancelled() => {}
            () = changes.tell(|| context.sink().notify_tool_list_changed()) => {}
        }
        Ok(())
    }
}

fn known<S>(now: &Now<S>, mode: &str) -> Result<(), ModeError> {
    if now.compiled.contains_key(mode) { Ok(()) } else { Err(ModeError::Unknown(mode.to_owned())) }
}

fn compile<S: Send + Sync + 'static>(
    modes: &Modes<S>,
    setting: &Setting,
    loads: &[Load<S>],
) -> Result<BTreeMap<String, Arc<GuardedRouter<S>>>, ModeError> {
    let compiled = modes.names().map(|mode| Ok((mode.to_owned(), Arc::new(modes.compile_with(mode, setting, loads)?))));
    compiled.collect()
}

/// Compiles beside the runtime; proving takes a millisecond a tool.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Has the tools of a [`Moded`] served by an `impl ServerHandler`: listed, called, and their changes told. The server's
/// `get_info` says that it has tools whose list changes.
///
/// # Example
///
/// ```
/// use rmcp::ServerHandler;
/// use rmcp::model::{ServerCapabilities, ServerConfig};
/// use toolgate_mcp::Moded;
///
/// #[derive(Clone)]
/// struct Server {
///     tools: Moded<Server>,
/// }
///
/// impl ServerHandler for Server {
///     toolgate_mcp::serve_modes!(|server| server.tools);
///
///     fn get_info(&self) -> ServerConfig {
///         ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
///     }
/// }
/// ```
#[macro_export]
macro_rules! serve_modes {
    (|$server:ident| $tools:expr) => {
        $crate::serve_modes!(@give |$server| $tools);

        $crate::__tell_changes!(|$server, context, requested| {
            bind: $tools.bind(&context),
            accept: $tools.accepted_filter(requested),
            listen: $tools.listen(context).await,
        });
    };
    (@give |$server:ident| $tools:expr) => {
        async fn list_tools(
            &self,
            _: ::core::option::Option<$crate::rmcp::model::PaginatedRequestParams>,
            context: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::ListToolsResult, $crate::rmcp::ErrorData> {
            let $server = self;
            $tools.list(&context)
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

        fn get_tool(&self, name: &str) -> ::core::option::Option<$crate::rmcp::model::Tool> {
            let $server = self;
            $tools.get(name)
        }

        $crate::catch_non_objects!(|$server| $tools);
    };
}

/// The three methods by which a client is told of changes, in either era.
#[doc(hidden)]
#[macro_export]
macro_rules! __tell_changes {
    (|$server:ident, $context:ident, $requested:ident| {
        bind: $bind:expr,
        accept: $accept:expr,
        listen: $listen:expr,
    }) => {
        async fn on_initialized(&self, $context: $crate::rmcp::service::NotificationContext<$crate::rmcp::RoleServer>) {
            let $server = self;
            $bind;
        }

        fn accepted_subscription_filter(
            &self,
            $requested: &$crate::rmcp::model::SubscriptionFilter,
        ) -> ::core::option::Option<$crate::rmcp::model::SubscriptionFilter> {
            let $server = self;
            ::core::option::Option::Some($accept)
        }

        async fn listen(
            &self,
            $context: $crate::rmcp::service::SubscriptionContext,
        ) -> ::core::result::Result<(), $crate::rmcp::ErrorData> {
            let $server = self;
            $listen
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Guard, Options};
    use crate::modes::Group;
    use crate::testing::Client;

    #[derive(Clone)]
    struct Server {
        tools: Moded<Server>,
    }

    impl rmcp::ServerHandler for Server {
        crate::serve_modes!(|server| server.tools);
    }

    #[tokio::test]
    async fn sessions_that_have_ended_are_let_go() {
        let modes =
            Modes::new(Guard::new(Options::typed())).group(Group::new("none", Tools::new())).mode("m", ["none"]);
        let tools = modes.serve("m", Setting::default()).unwrap();
        let mut sessions = 0;
        while sessions < 20 || tools.listeners().len() > 2 {
            drop(Client::connect(Server { tools: tools.clone() }).await);
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            sessions += 1;
            assert!(sessions < 5_000, "{} of {sessions} sessions are kept", tools.listeners().len());
        }
    }
}
