//! The server's twin with the boundary before its tools, as a user of `toolgate-mcp` would write it: typed tools, two modes and
//! a tool that switches them, files, and texts that are held to the tools.

mod texts;
mod tools;

pub use texts::{CHANGES_WALKTHROUGH, TASK_CONTEXT};

use crate::world::{Received, World};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use toolgate_mcp::{ModeError, Moded, Modes, Setting, Viewer};

/// The prompt that asks for a walkthrough of a change.
pub const CHANGES_WALKTHROUGH_NAME: &str = "changes-walkthrough";

/// The guarded server. Clones have one world and one mode.
#[derive(Clone)]
pub struct GuardedDemo {
    tools: Moded<GuardedDemo>,
    world: Arc<Mutex<World>>,
}

impl std::fmt::Debug for GuardedDemo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardedDemo").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// Why the server could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotMade {
    /// The folder whose files are shown cannot be opened.
    Folder(std::io::Error),
    /// A mode cannot be served.
    Mode(ModeError),
}

impl std::fmt::Display for NotMade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotMade::Folder(error) => write!(f, "the folder cannot be opened: {error}"),
            NotMade::Mode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotMade {}

impl GuardedDemo {
    /// A server in its task mode, whose world is as [`World::new`] makes it and whose `view_file` shows files below `folder`.
    ///
    /// # Errors
    ///
    /// Says why the folder cannot be opened.
    ///
    /// # Example
    ///
    /// ```
    /// let server = toolgate_demo::GuardedDemo::new(env!("CARGO_MANIFEST_DIR"))?;
    /// assert_eq!(server.mode(), "task");
    /// # Ok::<(), toolgate_demo::NotMade>(())
    /// ```
    pub fn new(folder: impl AsRef<Path>) -> Result<Self, NotMade> {
        let viewer = Viewer::open(folder).map_err(NotMade::Folder)?;
        let tools = GuardedDemo::modes(&viewer).serve("task", Setting::default()).map_err(NotMade::Mode)?;
        Ok(GuardedDemo { tools, world: Arc::new(Mutex::new(World::new())) })
    }

    /// The modes, with files of this viewer.
    pub fn modes(viewer: &Viewer) -> Modes<GuardedDemo> {
        tools::modes(viewer)
    }

    /// The mode that it is in.
    pub fn mode(&self) -> String {
        self.tools.mode()
    }

    /// What the server holds.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an action to the backend, which has words of its own for it.
    fn forward(&self, action: &str, arguments: Map<String, Value>) {
        self.world().received.push(Received { tool: action.to_owned(), arguments });
    }
}

impl ServerHandler for GuardedDemo {
    toolgate_mcp::serve_modes!(|server| server.tools);

    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("toolgate-demo-guarded", env!("CARGO_PKG_VERSION")))
            .with_instructions(TASK_CONTEXT)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = Prompt::new(CHANGES_WALKTHROUGH_NAME, Some("Walk through the changes of a task."), None);
        Ok(ListPromptsResult { prompts: vec![prompt], ..ListPromptsResult::default() })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != CHANGES_WALKTHROUGH_NAME {
            return Err(ErrorData::invalid_params("there is no such prompt", None));
        }
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, CHANGES_WALKTHROUGH)]).into())
    }
}
