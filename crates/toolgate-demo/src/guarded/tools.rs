//! The tools of the guarded server.

use super::{GuardedDemo, TASK_MODE};
use crate::world::{Profile, Step, Task};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_mcp::{Call, Group, Guard, Modes, Options, Tools, TypedTool, Viewer};

#[derive(Deserialize, JsonSchema)]
struct CreateTask {
    /// What the task is called on the board.
    title: String,
    /// What the agent is told to do.
    // Its former name, which models still write, and which the backend still has.
    #[serde(alias = "description")]
    prompt: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ShowWalkthrough {
    /// What the walkthrough is called.
    title: String,
    /// The stops, in order.
    steps: Vec<Step>,
}

#[derive(Deserialize, JsonSchema)]
struct Walkthrough {
    /// What the walkthrough is called.
    title: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetExecutorProfile {
    /// Which profile.
    name: String,
    /// After how many turns the executor stops.
    max_turns: Option<u32>,
    /// Settings of the executor's own, under any key.
    #[serde(default)]
    config: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Task,
    Config,
}

#[derive(Deserialize, JsonSchema)]
struct SwitchMode {
    /// The mode to be in.
    mode: Mode,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

pub(super) fn modes(viewer: &Viewer) -> Modes<GuardedDemo> {
    let task = Tools::new()
        .tool(TypedTool::new("create_task", create_task).description("Create a task and start an agent on it."))
        .tool(TypedTool::new("show_walkthrough", show_walkthrough).description("Show a walkthrough of a change."))
        .tool(TypedTool::new("get_walkthrough", get_walkthrough).description("Read a walkthrough."))
        .tool(TypedTool::new("delete_walkthrough", delete_walkthrough).description("Remove a walkthrough."))
        .tool(viewer.tool("view_file").description("Show one file, or several."));
    let config = Tools::new()
        .tool(TypedTool::new("set_executor_profile", set_profile).description("Create or replace an executor profile."))
        .tool(TypedTool::new("empty_trash", empty_trash).description("Delete everything in the trash for good."));
    let always =
        Tools::new().tool(TypedTool::new("switch_mode", switch_mode).description("Work with another set of tools."));
    Modes::new(Guard::new(Options::typed()))
        .group(Group::new("task", task))
        .group(Group::new("config", config))
        .group(Group::new("always", always))
        .mode(TASK_MODE, ["task", "always"])
        .mode("config", ["config", "always"])
}

async fn create_task(server: GuardedDemo, CreateTask { title, prompt }: CreateTask, _: Call) -> String {
    let mut action = Map::from_iter([("title".to_owned(), title.clone().into())]);
    if let Some(prompt) = &prompt {
        action.insert("description".to_owned(), prompt.clone().into());
    }
    server.forward("task.create", action);
    let mut world = server.world();
    world.tasks.push(Task { title, prompt });
    format!("task {} created, agent started", world.tasks.len())
}

async fn show_walkthrough(server: GuardedDemo, ShowWalkthrough { title, steps }: ShowWalkthrough, _: Call) -> String {
    let shown = format!("showing {} steps", steps.len());
    server.world().walkthroughs.insert(title, steps);
    shown
}

async fn get_walkthrough(server: GuardedDemo, Walkthrough { title }: Walkthrough, _: Call) -> Result<String, String> {
    let world = server.world();
    let steps = world.walkthroughs.get(&title).ok_or("there is no such walkthrough")?;
    let lines = steps.iter().map(|step| format!("{}:{} {}", step.file, step.line, step.text));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

async fn delete_walkthrough(
    server: GuardedDemo,
    Walkthrough { title }: Walkthrough,
    _: Call,
) -> Result<String, String> {
    let removed = server.world().walkthroughs.remove(&title);
    removed.map(|_| "removed".to_owned()).ok_or_else(|| "there is no such walkthrough".to_owned())
}

async fn set_profile(server: GuardedDemo, profile: SetExecutorProfile, _: Call) -> String {
    let SetExecutorProfile { name, max_turns, config } = profile;
    let saved = format!("profile {name} saved");
    server.world().profiles.insert(name, Profile { max_turns, config });
    saved
}

async fn empty_trash(server: GuardedDemo, Nothing {}: Nothing, _: Call) -> String {
    format!("deleted {} files for good", std::mem::take(&mut server.world().trash).len())
}

async fn switch_mode(server: GuardedDemo, SwitchMode { mode }: SwitchMode, _: Call) -> Result<String, String> {
    let mode = match mode {
        Mode::Task => TASK_MODE,
        Mode::Config => "config",
    };
    match server.tools.switch(mode).await {
        Ok(true) => Ok(format!("now in mode {mode}; the list of tools has changed")),
        Ok(false) => Ok(format!("in mode {mode} already")),
        Err(error) => Err(error.to_string()),
    }
}
