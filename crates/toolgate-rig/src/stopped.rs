//! Calls that rig does not bring to a tool.

use rig_agent::AgentHook;
use rig_agent::agent::{
    HookContext, InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason, StepEventKind,
};
use std::fmt;
use toolgate_mcp::Toolbox;

/// Has the box answer what rig would answer by itself, so that every refusal is one of ours: arguments that are no object, of
/// which rig says in its own words, quoting them, that they are none; and a tool that there is not, by which a run of rig ends.
/// The latter only where the agent has tools in this turn and all are those of the box, since nobody else's are told here. A tool of
/// the box that the agent does not have in this turn, as it was left out or is withheld (`active_tools`), is such a tool too: it
/// does not run.
///
/// [`with_toolbox`](crate::with_toolbox) adds it. Where an agent has further hooks, the first that decides has its way.
pub struct StoppedCalls<S> {
    toolbox: Toolbox<S>,
}

impl<S> StoppedCalls<S> {
    /// A hook for [`AgentBuilder::add_hook`](rig_agent::AgentBuilder::add_hook).
    pub fn new(toolbox: &Toolbox<S>) -> Self {
        StoppedCalls { toolbox: toolbox.clone() }
    }
}

impl<S> fmt::Debug for StoppedCalls<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoppedCalls").finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static> AgentHook for StoppedCalls<S> {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        call: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let manifest = self.toolbox.manifest();
        let available = &call.available_tools;
        let is_ours = |name: &String| manifest.tool(name).is_some();
        let answer = match &call.reason {
            InvalidToolCallReason::MalformedArguments { .. }
                if is_ours(&call.tool_name) && available.contains(&call.tool_name) =>
            {
                self.toolbox.call(&call.tool_name, call.args.as_deref().unwrap_or_default()).await
            }
            InvalidToolCallReason::UnknownTool if !available.is_empty() && available.iter().all(is_ours) => {
                Toolbox::<S>::no_such_tool(&call.tool_name, available.iter().map(String::as_str))
            }
            _ => return None,
        };
        // Told as the result of the call, and as an error. `Retry` would end a run that allows no retries.
        Some(InvalidToolCallAction::skip(answer.to_text()))
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        kind == StepEventKind::InvalidToolCall
    }
}
