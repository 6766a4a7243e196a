//! The boundary before the tools of a [rig](rig_agent) agent. A [`Toolbox`] is given to the agent: each of its tools is a tool of
//! rig, shown in the proven form that the toolbox shows, called with the text that rig has of the arguments, and answered with
//! what the toolbox answers. A refusal is a result that the model reads, and the loop goes on. Nothing is judged here.
//!
//! rig parses arguments before a tool gets them. What it has lost by then, and which calls it does not bring to a tool, is told
//! in the guide and held by a test of this crate.
#![doc = include_str!("../README.md")]

mod answer;
mod stopped;
mod tool;

pub use stopped::StoppedCalls;

use rig_agent::agent::{AgentBuilder, NoToolConfig, WithToolServerHandle};
use rig_agent::tool::server::ToolServer;
use rig_agent::tool::{RegisteredTool, ToolSet};
use std::fmt;
use toolgate_mcp::Toolbox;

/// Gives the agent the tools of the box, and has the calls that rig would answer by itself answered by the box
/// ([`StoppedCalls`]). Tools of another hand are added to the agent's registry, which
/// [`ToolServerHandle`](rig_agent::tool::server::ToolServerHandle) is: see [`tool_set`].
///
/// The toolbox is made for the API that the agent's model speaks, with [`Toolbox::new`]: rig has no place for strict mode of
/// single tools, and its clients' own strict mode, which changes what is shown, is left switched off.
///
/// # Errors
///
/// Names a tool that rig has no form for.
///
/// # Example
///
/// ```
/// use rig_agent::AgentBuilder;
/// use rig_core::providers::openai::OpenAIConfig;
/// use toolgate::Provider;
/// use toolgate_mcp::{Call, Options, Toolbox, Tools, TypedTool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Tide {
///     place: String,
/// }
///
/// async fn tide(_: (), tide: Tide, _: Call) -> String {
///     format!("low in {}", tide.place)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let tools = Tools::new().tool(TypedTool::new("tide", tide).description("Says where the tide stands."));
/// let toolbox = Toolbox::new(Provider::OpenAiChat, Options::typed(), tools, ())?;
/// let model = OpenAIConfig::new("key").client().chat("gpt-5.2");
/// let agent = toolgate_rig::with_toolbox(AgentBuilder::new(model), &toolbox)?.build();
/// assert_eq!(toolbox.manifest().shown().collect::<Vec<_>>(), ["tide"]);
/// # let _ = agent;
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_toolbox<S: Send + Sync + 'static>(
    builder: AgentBuilder<NoToolConfig>,
    toolbox: &Toolbox<S>,
) -> Result<AgentBuilder<WithToolServerHandle>, NoForm> {
    let registry = ToolServer::new().run();
    registry.add_tools(tool_set(toolbox)?);
    Ok(builder.tool_server_handle(registry).add_hook(StoppedCalls::new(toolbox)))
}

/// The tools of the box as a set of rig's, for a registry that has others too. The agent then wants [`StoppedCalls`] as a hook.
///
/// # Errors
///
/// Names a tool that rig has no form for.
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
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # let tools = Tools::new().tool(TypedTool::new("tide", tide));
/// # let toolbox = Toolbox::new(Provider::OpenAiChat, Options::typed(), tools, ())?;
/// use rig_core::tool::{ToolContext, ToolErrorKind};
///
/// let set = toolgate_rig::tool_set(&toolbox)?;
/// let done = set.execute("tide", r#"{"place":"Kiel"}"#, &mut ToolContext::new()).await;
/// assert_eq!(done.output().as_text(), Some("low in Kiel"));
/// let refused = set.execute("tide", r#"{"port":"Kiel"}"#, &mut ToolContext::new()).await;
/// assert!(refused.is_error_kind(ToolErrorKind::InvalidArgs));
/// assert!(refused.output().as_text().unwrap().contains("missing required `place`"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tool_set<S: Send + Sync + 'static>(toolbox: &Toolbox<S>) -> Result<ToolSet, NoForm> {
    let mut set = ToolSet::default();
    for shown in toolbox.manifest().tools() {
        let no_form = |why: String| NoForm { tool: shown.name.clone(), why };
        let tool = tool::BoxedTool::new(toolbox, shown).map_err(|error| no_form(error.to_string()))?;
        let tool = RegisteredTool::from_handler(tool).map_err(|error| no_form(error.to_string()))?;
        set.add_registered_tool(tool);
    }
    Ok(set)
}

/// A tool that rig has no form for: its schema is nested deeper than rig's parser reads, for example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoForm {
    /// Its name as it is shown.
    pub tool: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for NoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool `{}` cannot be one of rig's: {}", self.tool, self.why)
    }
}

impl std::error::Error for NoForm {}
