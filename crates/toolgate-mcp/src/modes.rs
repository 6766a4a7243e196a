//! Named sets of tools, chosen from groups.

use crate::closed::ClosedTools;
use crate::guard::Guard;
use crate::moded::Moded;
use crate::router::GuardedRouter;
use crate::tools::Tools;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use toolgate::{Profile, Provider, Showing};

/// Tools that come and go together, and where they make sense.
pub struct Group<S> {
    pub(crate) name: String,
    pub(crate) tools: Tools<S>,
    surfaces: BTreeSet<String>,
    needs: BTreeSet<String>,
    providers: BTreeSet<String>,
}

impl<S> Clone for Group<S> {
    fn clone(&self) -> Self {
        Group {
            name: self.name.clone(),
            tools: self.tools.clone(),
            surfaces: self.surfaces.clone(),
            needs: self.needs.clone(),
            providers: self.providers.clone(),
        }
    }
}

impl<S> fmt::Debug for Group<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("name", &self.name).field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl<S> Group<S> {
    /// A group that is everywhere.
    pub fn new(name: impl Into<String>, tools: impl Into<Tools<S>>) -> Self {
        let (name, tools) = (name.into(), tools.into());
        Group { name, tools, surfaces: BTreeSet::new(), needs: BTreeSet::new(), providers: BTreeSet::new() }
    }

    /// The group is only on this surface, such as `desktop`, or on another that is named as well.
    #[must_use]
    pub fn surface(mut self, surface: impl Into<String>) -> Self {
        self.surfaces.insert(surface.into());
        self
    }

    /// The group is only where there is this capability, such as `filesystem`, and every other that is named.
    #[must_use]
    pub fn needs(mut self, capability: impl Into<String>) -> Self {
        self.needs.insert(capability.into());
        self
    }

    /// The group is only for models of this provider, or of another that is named as well.
    #[must_use]
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.providers.insert(provider.into());
        self
    }

    pub(crate) fn is_in(&self, setting: &Setting) -> bool {
        let is_one_of = |of: &BTreeSet<String>, word: &Option<String>| {
            of.is_empty() || word.as_ref().is_some_and(|word| of.contains(word))
        };
        is_one_of(&self.surfaces, &setting.surface)
            && is_one_of(&self.providers, &setting.provider)
            && self.needs.is_subset(&setting.capabilities)
    }
}

/// Where a server runs: which surface, what it can do there, and whose model reads its tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting {
    surface: Option<String>,
    capabilities: BTreeSet<String>,
    provider: Option<String>,
}

impl Setting {
    /// The surface.
    #[must_use]
    pub fn surface(self, surface: impl Into<String>) -> Self {
        Setting { surface: Some(surface.into()), ..self }
    }

    /// A capability, beside others.
    #[must_use]
    pub fn capability(mut self, capability: impl Into<String>) -> Self {
        self.capabilities.insert(capability.into());
        self
    }

    /// The provider, by the word of a [`toolgate::Provider`] such as `openai-chat`, or by that of a profile such as `openai`: the
    /// tools are shown in the form that it takes. Another word chooses groups, and nothing else.
    #[must_use]
    pub fn provider(self, provider: impl Into<String>) -> Self {
        Setting { provider: Some(provider.into()), ..self }
    }

    fn showing(&self, guard: &Guard) -> Showing {
        let showing = guard.options().showing.clone();
        let named = |word: &str| Profile::named(word).or_else(|| Some(Provider::named(word)?.profile()));
        match self.provider.as_deref().and_then(named) {
            Some(profile) => Showing { profile: Cow::Borrowed(profile), ..showing },
            None => showing,
        }
    }
}

/// Tools that were loaded into a group while the server ran.
pub(crate) struct Load<S> {
    pub(crate) group: String,
    pub(crate) source: String,
    pub(crate) generation: u64,
    pub(crate) revision: u64,
    pub(crate) tools: Tools<S>,
}

impl<S> Clone for Load<S> {
    fn clone(&self) -> Self {
        Load {
            group: self.group.clone(),
            source: self.source.clone(),
            generation: self.generation,
            revision: self.revision,
            tools: self.tools.clone(),
        }
    }
}

/// A mode by its groups.
#[derive(Clone, Debug)]
struct Mode {
    name: String,
    groups: Vec<String>,
}

/// Why a mode cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeError {
    /// There is no mode of this name.
    Unknown(String),
    /// The mode names a group that there is not.
    NoGroup {
        /// The mode.
        mode: String,
        /// The group.
        group: String,
    },
    /// Something is loaded into a group that there is not.
    NoSuchGroup(String),
    /// The caller has no credential that a mode could belong to.
    NoCredential,
    /// More sources have loaded tools than are kept.
    TooManySources,
    /// The tools could not be compiled, since the runtime is shutting down or something of the server's own has panicked.
    NotCompiled(String),
    /// Not every tool of the mode can be served.
    Closed {
        /// The mode.
        mode: String,
        /// The tools, and why.
        tools: ClosedTools,
    },
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &str| toolgate::shown_name(name);
        match self {
            ModeError::Unknown(mode) => write!(f, "there is no mode `{}`", shown(mode)),
            ModeError::NoGroup { mode, group } => {
                write!(f, "the mode `{}` names the group `{}`, which there is not", shown(mode), shown(group))
            }
            ModeError::NoSuchGroup(group) => write!(f, "there is no group `{}`", shown(group)),
            ModeError::NoCredential => f.write_str("the caller has no credential that a mode could belong to"),
            ModeError::TooManySources => f.write_str("too many sources have loaded tools"),
            ModeError::NotCompiled(why) => f.write_str(why),
            ModeError::Closed { mode, tools } => write!(f, "the mode `{}`: {tools}", shown(mode)),
        }
    }
}

impl std::error::Error for ModeError {}

/// The modes of a server.
///
/// # Example
///
/// ```
/// use toolgate_mcp::{Call, Group, Guard, Modes, Options, Setting, Tools, TypedTool};
///
/// #[derive(Clone)]
/// struct Server;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Path {
///     path: String,
/// }
///
/// async fn read(_: Server, path: Path, _: Call) -> String { path.path }
/// async fn write(_: Server, path: Path, _: Call) -> String { path.path }
///
/// let modes = Modes::new(Guard::new(Options::typed()))
///     .group(Group::new("look", Tools::new().tool(TypedTool::new("read", read))))
///     .group(Group::new("change", Tools::new().tool(TypedTool::new("write", write))).needs("disk"))
///     .mode("ask", ["look"])
///     .mode("work", ["look", "change"]);
/// let tools = modes.serve("ask", Setting::default().capability("disk"))?;
/// assert_eq!(tools.names(), ["read"]);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert!(tools.switch("work").await?);
/// assert_eq!(tools.names(), ["read", "write"]);
/// assert!(!tools.switch("work").await?, "nothing has changed, and nobody is told");
/// # Ok::<(), toolgate_mcp::ModeError>(()) })?;
/// # Ok::<(), toolgate_mcp::ModeError>(())
/// ```
pub struct Modes<S> {
    pub(crate) guard: Guard,
    groups: Vec<Group<S>>,
    modes: Vec<Mode>,
}

impl<S> Clone for Modes<S> {
    fn clone(&self) -> Self {
        Modes { guard: self.guard.clone(), groups: self.groups.clone(), modes: self.modes.clone() }
    }
}

impl<S> fmt::Debug for Modes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modes").field("groups", &self.groups).field("modes", &self.modes).finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static> Modes<S> {
    /// No modes yet.
    pub fn new(guard: Guard) -> Self {
        Modes { guard, groups: Vec::new(), modes: Vec::new() }
    }

    /// Adds a group; of two with one name the later is meant.
    #[must_use]
    pub fn group(mut self, group: Group<S>) -> Self {
        self.groups.retain(|known| known.name != group.name);
        self.groups.push(group);
        self
    }

    /// Adds a mode of these groups, in this order. What is sideloaded into a group later is in every mode that names it.
    #[must_use]
    pub fn mode<N: Into<String>>(mut self, name: impl Into<String>, groups: impl IntoIterator<Item = N>) -> Self {
        let mode = Mode { name: name.into(), groups: groups.into_iter().map(Into::into).collect() };
        self.modes.retain(|known| known.name != mode.name);
        self.modes.push(mode);
        self
    }

    pub(crate) fn has_group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| group.name == name)
    }

    /// The names of all tools of all groups.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| group.tools.names())
    }

    /// The names of the modes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.modes.iter().map(|mode| mode.name.as_str())
    }

    /// Every setting in which some group is there that is not there in another, or in which the tools are shown otherwise: every
    /// surface that is named, every provider that is named or that there is, and none, with all capabilities and with none.
    pub fn settings(&self) -> Vec<Setting> {
        let named = |words: fn(&Group<S>) -> &BTreeSet<String>| -> BTreeSet<Option<String>> {
            std::iter::once(None).chain(self.groups.iter().flat_map(words).cloned().map(Some)).collect()
        };
        let mut providers = named(|group| &group.providers);
        providers.extend(Provider::ALL.map(|provider| Some(provider.name().to_owned())));
        let all: BTreeSet<String> = self.groups.iter().flat_map(|group| &group.needs).cloned().collect();
        let mut settings = BTreeSet::new();
        for surface in named(|group| &group.surfaces) {
            for provider in &providers {
                for capabilities in [BTreeSet::new(), all.clone()] {
                    settings.insert(Setting { surface: surface.clone(), capabilities, provider: provider.clone() });
                }
            }
        }
        settings.into_iter().collect()
    }

    /// Serves the tools of a mode, and lets them be switched.
    ///
    /// # Errors
    ///
    /// Says which mode cannot be served in this setting, and why; every mode is compiled now, so that none fails later.
    pub fn serve(self, mode: &str, setting: Setting) -> Result<Moded<S>, ModeError> {
        Moded::new(self, mode, setting)
    }

    /// The tools of a mode in this setting, all of which can be served.
    ///
    /// # Errors
    ///
    /// Says why the mode cannot be served.
    pub fn compile(&self, mode: &str, setting: &Setting) -> Result<GuardedRouter<S>, ModeError> {
        self.compile_with(mode, setting, &[])
    }

    pub(crate) fn compile_with(
        &self,
        mode: &str,
        setting: &Setting,
        loads: &[Load<S>],
    ) -> Result<GuardedRouter<S>, ModeError> {
        let Some(mode) = self.modes.iter().find(|known| known.name == mode) else {
            return Err(ModeError::Unknown(mode.to_owned()));
        };
        let mut tools = Tools::new();
        for name in &mode.groups {
            let Some(group) = self.groups.iter().find(|group| group.name == *name) else {
                return Err(ModeError::NoGroup { mode: mode.name.clone(), group: name.clone() });
            };
            if group.is_in(setting) {
                let loaded = loads.iter().filter(|load| load.group == *name).map(|load| load.tools.clone());
                tools = loaded.fold(tools.join(group.tools.clone()), Tools::join);
            }
        }
        let router = GuardedRouter::new(&self.guard, tools, &setting.showing(&self.guard));
        router.all_open().map_err(|tools| ModeError::Closed { mode: mode.name.clone(), tools })
    }
}
