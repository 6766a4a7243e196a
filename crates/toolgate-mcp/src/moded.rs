//! The tools of the mode that a server is in, while it runs.

use crate::beside::{NotDone, beside};
use crate::closed::ClosedTool;
use crate::listeners::Listeners;
use crate::modes::{Load, ModeError, Modes, Setting};
use crate::router::GuardedRouter;
use crate::sdk::{self, CredentialHeader};
use crate::tools::Tools;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolResponse, CustomRequest, CustomResult, Extensions, ListToolsResult, PaginatedRequestParams,
    SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Credentials that have a mode of their own. For one more, the one that has called least lately is in the server's mode again.
const CREDENTIALS_MAX: usize = 4096;
/// Sources that have loaded tools, those that have none now among them: they are known by their generation.
const SOURCES_MAX: usize = 1024;

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
    credential: CredentialHeader,
}

struct Now<S> {
    modes: Arc<Modes<S>>,
    setting: Setting,
    loads: Vec<Load<S>>,
    /// Every mode in this setting, with these loads.
    compiled: BTreeMap<String, Arc<GuardedRouter<S>>>,
    mode: String,
    of_credentials: HashMap<u64, Own>,
    /// Counts the uses of modes of credentials.
    uses: u64,
}

/// A mode of a credential, and when it was last used.
struct Own {
    mode: String,
    used: u64,
}

impl<S> Now<S> {
    fn mode_of(&self, credential: Option<u64>) -> &str {
        let own = credential.and_then(|credential| self.of_credentials.get(&credential));
        own.map_or(&self.mode, |own| &own.mode)
    }

    /// Who calls keeps its mode.
    fn note_use(&mut self, credential: Option<u64>) {
        self.uses += 1;
        if let Some(own) = credential.and_then(|credential| self.of_credentials.get_mut(&credential)) {
            own.used = self.uses;
        }
    }

    fn set_own(&mut self, credential: u64, mode: &str) {
        if self.of_credentials.len() >= CREDENTIALS_MAX && !self.of_credentials.contains_key(&credential) {
            let longest_unused = self.of_credentials.iter().min_by_key(|(_, own)| own.used).map(|(who, _)| *who);
            longest_unused.and_then(|who| self.of_credentials.remove(&who));
        }
        self.uses += 1;
        self.of_credentials.insert(credential, Own { mode: mode.to_owned(), used: self.uses });
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
#[non_exhaustive]
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

    fn credential(&self, extensions: &Extensions) -> Option<u64> {
        self.shared.credential.credential(extensions)
    }

    /// The mode that the server is in.
    pub fn mode(&self) -> String {
        self.now().mode.clone()
    }
}

impl<S: Send + Sync + 'static> Moded<S> {
    pub(crate) fn new(modes: Modes<S>, mode: &str, setting: Setting) -> Result<Self, ModeError> {
        let compiled = compile(&modes, &setting, &[])?;
        let credential = modes.guard.options().credential.clone();
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
            uses: 0,
        };
        let (changing, listeners) = (tokio::sync::Mutex::default(), Mutex::default());
        let shared = Shared { now: Mutex::new(now), changing, listeners, credential };
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
        self.change(None, |now| {
            known(now, mode)?;
            mode.clone_into(&mut now.mode);
            Ok(())
        })
    }

    /// Switches the mode of those who call with the credential of this request (R10.4), which is the value of its
    /// [credential header](crate::Options::credential_header), known by a fingerprint. A token that was refreshed is another credential: who calls with it is in the server's mode
    /// until it switches again, and the old one is to be let go with [`Moded::release_for`]. At most 4096 credentials have a mode of
    /// their own; for one more, the one that has called least lately is in the server's mode again.
    ///
    /// # Errors
    ///
    /// Says that there is no such mode, or no credential.
    pub async fn switch_for(&self, request: &RequestContext<RoleServer>, mode: &str) -> Result<bool, ModeError> {
        let credential = self.credential(&request.extensions).ok_or(ModeError::NoCredential)?;
        let _one_after_another = self.shared.changing.lock().await;
        self.change(Some(credential), |now| {
            known(now, mode)?;
            now.set_own(credential, mode);
            Ok(())
        })
    }

    /// Has those who call with the credential of this request be in the server's mode again, such as before a token is given up.
    /// Returns whether their list has changed.
    ///
    /// # Errors
    ///
    /// Says that there is no credential.
    pub async fn release_for(&self, request: &RequestContext<RoleServer>) -> Result<bool, ModeError> {
        let credential = self.credential(&request.extensions).ok_or(ModeError::NoCredential)?;
        let _one_after_another = self.shared.changing.lock().await;
        self.change(Some(credential), |now| {
            now.of_credentials.remove(&credential);
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
    /// that cannot be served, or has a name that is taken, by one before it too, is refused and the others are loaded.
    ///
    /// # Errors
    ///
    /// Says that there is no such group, that more than 1024 sources have loaded something, or which mode cannot be served with the
    /// tools; what was there stays then.
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
        if loads.len() >= SOURCES_MAX {
            return Err(ModeError::TooManySources);
        }
        let taken = modes.tool_names().chain(loads.iter().flat_map(|load| load.tools.names())).map(str::to_owned);
        let (tools, mut refused) = tools.firsts(taken.collect());
        let guard = modes.guard.clone();
        let alone = tools.clone();
        let compiled = beside(move || guard.tools(alone).closed().to_vec()).await.map_err(not_compiled)?;
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
        let compiled = beside(move || compile(&modes, &in_setting, &with_loads)).await.map_err(not_compiled)??;
        self.change(None, |now| {
            (now.setting, now.loads, now.compiled) = (setting, loads, compiled);
            Ok(())
        })
    }

    /// Makes one change, of this credential's mode if any, and has those told whose list it changes.
    fn change(
        &self,
        of: Option<u64>,
        change: impl FnOnce(&mut Now<S>) -> Result<(), ModeError>,
    ) -> Result<bool, ModeError> {
        let mut now = self.now();
        let mut listeners = self.listeners();
        let known = listeners.credentials().chain(now.of_credentials.keys().copied().map(Some)).chain([None, of]);
        let before: HashMap<Option<u64>, Option<Arc<GuardedRouter<S>>>> =
            known.map(|credential| (credential, now.router(credential))).collect();
        change(&mut now)?;
        // There are many credentials and few modes, so each pair of lists is compared once.
        let mut compared = HashMap::new();
        let mut is_other = |before: &Option<Arc<GuardedRouter<S>>>, after: Option<Arc<GuardedRouter<S>>>| {
            let key = (before.as_ref().map(Arc::as_ptr), after.as_ref().map(Arc::as_ptr));
            let list = |router: Option<&Arc<GuardedRouter<S>>>| router.map(|router| router.list_all());
            let compare = || key.0 != key.1 && list(before.as_ref()) != list(after.as_ref());
            *compared.entry(key).or_insert_with(compare)
        };
        let changed: HashSet<Option<u64>> =
            before.iter().filter(|(who, before)| is_other(before, now.router(**who))).map(|(who, _)| *who).collect();
        // Whoever is told asks for a list that is already there.
        drop(now);
        listeners.tell(|credential| changed.contains(&credential));
        Ok(!changed.is_empty())
    }

    fn router_for(&self, extensions: &Extensions) -> Result<Arc<GuardedRouter<S>>, ErrorData> {
        let credential = self.credential(extensions);
        let mut now = self.now();
        now.note_use(credential);
        now.router(credential).ok_or_else(|| ErrorData::internal_error("the server is in no mode", None))
    }

    /// The list as this caller sees it, on one page.
    ///
    /// # Errors
    ///
    /// Says that there is no other page; else none but a fault of the server.
    pub fn list(
        &self,
        request: Option<&PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Before the list is looked at: whoever has one is told of every change since, however late its `initialized` is read.
        self.bind_peer(&context.peer, &context.extensions);
        self.router_for(&context.extensions)?.list(request, context)
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

    /// Has this client told of changes from now on, one notice for each, until it is gone, however often it says that it has
    /// begun. For clients of a revision with a handshake.
    pub fn bind(&self, context: &NotificationContext<RoleServer>) {
        self.bind_peer(&context.peer, &context.extensions);
    }

    fn bind_peer(&self, peer: &Peer<RoleServer>, extensions: &Extensions) {
        let changes = self.listeners().listen(self.credential(extensions), Some(peer.clone()));
        if let Some(changes) = changes {
            let peer = peer.clone();
            tokio::spawn(async move { changes.tell(|| peer.notify_tool_list_changed()).await });
        }
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
    /// Says that there are too many listeners.
    pub async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        if context.accepted().tools_list_changed != Some(true) {
            // It has subscribed to something else, which may still be told.
            context.cancelled().await;
            return Ok(());
        }
        let changes = self.listeners().listen(self.credential(&context.request_context().extensions), None);
        let changes = changes.ok_or_else(sdk::too_many_listeners)?;
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

fn not_compiled(why: NotDone) -> ModeError {
    ModeError::NotCompiled(why.to_string())
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

        $crate::catch_non_objects!(|$server| $tools);

        $crate::__tell_changes!(|$server, context, requested| {
            bind: $tools.bind(&context),
            accept: $tools.accepted_filter(requested),
            listen: $tools.listen(context).await,
        });
    };
    (@give |$server:ident| $tools:expr) => {
        $crate::__serve_list!(|$server, name| $tools, $tools.get(name));
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

    #[test]
    fn the_credential_that_has_called_least_lately_makes_room() {
        let modes =
            Modes::new(Guard::new(Options::typed())).group(Group::new("none", Tools::new())).mode("m", ["none"]);
        let tools: Moded<Server> = modes.serve("m", Setting::default()).unwrap();
        let mut now = tools.now();
        for credential in 0..CREDENTIALS_MAX as u64 {
            now.set_own(credential, "m");
        }
        now.note_use(Some(0));
        now.set_own(u64::MAX, "m");
        assert_eq!(now.of_credentials.len(), CREDENTIALS_MAX);
        let has = |credential| now.of_credentials.contains_key(&credential);
        assert!(has(u64::MAX) && has(0) && !has(1), "the one that was used is kept");
    }

    #[tokio::test]
    async fn sources_are_bounded_and_a_known_one_loads_on() {
        let modes =
            Modes::new(Guard::new(Options::typed())).group(Group::new("none", Tools::new())).mode("m", ["none"]);
        let tools: Moded<Server> = modes.serve("m", Setting::default()).unwrap();
        tools.now().loads = (0..SOURCES_MAX)
            .map(|n| Load {
                group: "none".into(),
                source: n.to_string(),
                generation: 1,
                revision: 1,
                tools: Tools::new(),
            })
            .collect();
        assert_eq!(tools.sideload("none", "one more", 1, 1, Tools::new()).await, Err(ModeError::TooManySources));
        assert!(!tools.sideload("none", "0", 2, 0, Tools::new()).await.unwrap().is_stale);
    }
}
