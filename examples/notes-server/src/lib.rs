//! An MCP server that keeps notes in memory. Its tools are ordinary functions of the SDK's macros; `guard` before their router
//! lets none of them run on a call that is not as its schema says.

mod book;

use book::Book;
pub use book::{Found, Note, Order, Step};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, tool, tool_router};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use toolgate_mcp::{GuardedRouter, Parameters, guard};

/// A note to be written.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct AddNote {
    /// Under which it is found.
    title: String,
    /// What it says.
    text: String,
    /// Words to find it by.
    #[serde(default)]
    tags: Vec<String>,
}

/// Which notes, and in which order.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct FindNotes {
    /// A word of the title or the text.
    #[serde(default)]
    word: Option<String>,
    /// A tag that they all have.
    #[serde(default)]
    tag: Option<String>,
    /// Which comes first.
    #[serde(default)]
    order: Order,
    /// How many at most.
    #[serde(default = "all")]
    limit: u8,
}

fn all() -> u8 {
    u8::MAX
}

/// Changes of one note, made together.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct EditNote {
    /// Its number.
    id: u32,
    /// What is done, in this order.
    steps: Vec<Step>,
    /// Only say what it would become.
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

/// A note to be thrown away.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct DropNote {
    /// Its number.
    id: u32,
}

/// The server. All clones have one book.
#[derive(Clone)]
pub struct Notes {
    router: GuardedRouter<Notes>,
    book: Arc<Mutex<Book>>,
}

impl Default for Notes {
    fn default() -> Self {
        Notes { router: guard(Notes::tool_router()), book: Arc::default() }
    }
}

#[tool_router(vis = "pub")]
impl Notes {
    /// A server without notes.
    pub fn new() -> Self {
        Notes::default()
    }

    /// All notes.
    pub fn notes(&self) -> Vec<Note> {
        self.book().all().to_vec()
    }

    #[tool(description = "Writes a note and says its number.")]
    fn add_note(&self, Parameters(note): Parameters<AddNote>) -> String {
        let id = self.book().add(note.title, note.text, note.tags);
        format!("note {id} is written")
    }

    #[tool(description = "Finds notes.")]
    fn find_notes(&self, Parameters(which): Parameters<FindNotes>) -> String {
        let found = self.book().find(which.word.as_deref(), which.tag.as_deref(), which.order, which.limit.into());
        found.to_string()
    }

    #[tool(description = "Changes a note, step by step.")]
    fn edit_note(&self, Parameters(edit): Parameters<EditNote>) -> Result<String, String> {
        let mut book = self.book();
        let changed = book.edited(edit.id, &edit.steps)?;
        if edit.dry_run {
            return Ok(format!("it would become: {changed}"));
        }
        let said = format!("it is now: {changed}");
        book.put(changed);
        Ok(said)
    }

    #[tool(description = "Throws a note away.")]
    fn drop_note(&self, Parameters(note): Parameters<DropNote>) -> Result<String, String> {
        self.book().remove(note.id).map(|note| format!("note {} is gone", note.id))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerHandler for Notes {
    toolgate_mcp::serve_tools!(|server| server.router);

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
