//! The server's twin with the boundary before its tools, as a user of `toolgate-mcp` would write it: typed tools, two modes and
//! a tool that switches them, files, prompts that users may edit, and texts that are held to the tools.

mod texts;
mod tools;

pub use texts::{CHANGES_WALKTHROUGH, CHANGES_WALKTHROUGH_TEXT, TASK_CONTEXT};

use crate::world::{Received, World};
use rmcp::ServerHandler;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use toolgate_mcp::prompts::{Library, LibraryError, Store};
use toolgate_mcp::{ModeError, Moded, Modes, Setting, Viewer};

/// The mode that a server begins in, and that its first-turn text is about.
const TASK_MODE: &str = "task";

/// The guarded server. Clones have one world, one mode and one library of prompts.
#[derive(Clone)]
pub struct GuardedDemo {
    tools: Moded<GuardedDemo>,
    prompts: Library,
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
    /// The prompts cannot be brought to what is shipped.
    Prompts(LibraryError),
}

impl std::fmt::Display for NotMade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotMade::Folder(error) => write!(f, "the folder cannot be opened: {error}"),
            NotMade::Mode(error) => error.fmt(f),
            NotMade::Prompts(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotMade {}

impl GuardedDemo {
    /// A server in its task mode, whose world is as [`World::new`] makes it, whose `view_file` shows files below `folder`, and
    /// whose prompts are in `store`, for users to edit.
    ///
    /// # Errors
    ///
    /// Says why the folder cannot be opened, or what the store did not do.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_mcp::prompts::SqliteStore;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), toolgate_demo::NotMade> {
    /// let server = toolgate_demo::GuardedDemo::start(env!("CARGO_MANIFEST_DIR"), SqliteStore::memory()).await?;
    /// assert_eq!(server.mode(), "task");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start(folder: impl AsRef<Path>, store: impl Store) -> Result<Self, NotMade> {
        let viewer = Viewer::open(folder).map_err(NotMade::Folder)?;
        let tools = GuardedDemo::modes(&viewer).serve(TASK_MODE, Setting::default()).map_err(NotMade::Mode)?;
        let (prompts, _) = Library::start(store, &[CHANGES_WALKTHROUGH]).await.map_err(NotMade::Prompts)?;
        Ok(GuardedDemo { tools, prompts, world: Arc::new(Mutex::new(World::new())) })
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
    toolgate_mcp::serve_prompts!(|server| server.prompts, modes: server.tools);

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .build();
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("toolgate-demo-guarded", env!("CARGO_PKG_VERSION")));
        // Of tools that are not there nobody is told.
        if self.mode() == TASK_MODE { config.with_instructions(TASK_CONTEXT) } else { config }
    }
}
