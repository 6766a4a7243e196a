//! Tasks, walkthroughs and executor profiles.

use crate::server::DemoServer;
use crate::world::{Profile, Step, Task};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

// Until last spring the prompt was called `description`, and models still write that.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreateTask {
    /// What the task is called on the board.
    title: String,
    /// What the agent is told to do.
    prompt: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ShowWalkthrough {
    /// What the walkthrough is called.
    title: String,
    /// The stops, in order.
    steps: Vec<Step>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetExecutorProfile {
    /// Which profile.
    name: String,
    /// After how many turns the executor stops.
    max_turns: Option<u32>,
    /// Settings of the executor's own, under any key.
    #[serde(default)]
    config: Map<String, Value>,
}

#[tool_router(router = task_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(description = "Create a task and start an agent on it.")]
    fn create_task(&self, Parameters(CreateTask { title, prompt }): Parameters<CreateTask>) -> String {
        let mut world = self.world();
        world.tasks.push(Task { title, prompt });
        format!("task {} created, agent started", world.tasks.len())
    }

    #[tool(description = "Show a walkthrough of a change.")]
    fn show_walkthrough(&self, Parameters(ShowWalkthrough { title, steps }): Parameters<ShowWalkthrough>) -> String {
        let shown = format!("showing {} steps", steps.len());
        self.world().walkthroughs.insert(title, steps);
        shown
    }

    #[tool(description = "Create or replace an executor profile.")]
    fn set_executor_profile(
        &self,
        Parameters(SetExecutorProfile { name, max_turns, config }): Parameters<SetExecutorProfile>,
    ) -> String {
        let saved = format!("profile {name} saved");
        self.world().profiles.insert(name, Profile { max_turns, config });
        saved
    }
}
