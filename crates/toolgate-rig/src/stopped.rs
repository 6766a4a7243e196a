//! Calls that rig does not bring to a tool.

use rig_agent::AgentHook;
use rig_agent::agent::{
    HookContext, InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason, StepEventKind,
};
use std::fmt;
use toolgate_mcp::Toolbox;

/// Has the box answer what rig would answer by itself, so that every refusal is one of ours: arguments that are no object, of
/// which rig says in its own words, quoting them, that they are none; and a tool that there is not, by which a run of rig ends.
/// The latter only where all tools of the agent are those of the box, since nobody else's are told here.
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
        let is_ours = match &call.reason {
            InvalidToolCallReason::MalformedArguments { .. } => manifest.tool(&call.tool_name).is_some(),
            InvalidToolCallReason::UnknownTool => call.available_tools.iter().all(|name| manifest.tool(name).is_some()),
            _ => false,
        };
        if !is_ours {
            return None;
        }
        let answer = self.toolbox.call(&call.tool_name, call.args.as_deref().unwrap_or_default()).await;
        // Told as the result of the call, and as an error. `Retry` would end a run that allows no retries.
        Some(InvalidToolCallAction::skip(answer.to_text()))
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        kind == StepEventKind::InvalidToolCall
    }
}
