//! Files and the trash: a viewer for one path or a list, an edit with a rehearsal, and a tool without parameters.

use crate::server::DemoServer;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ViewFile {
    /// One path, or a list of paths.
    path: OneOrMany,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditFile {
    /// Path of the file.
    path: String,
    /// Replacements, made in this order.
    edits: Vec<Edit>,
    /// Show what would change and leave the file as it is.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Edit {
    /// Text to look for.
    old_text: String,
    /// Text to put in its place.
    new_text: String,
}

#[tool_router(router = file_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(description = "Show one file, or several.", annotations(read_only_hint = true))]
    fn view_file(&self, Parameters(ViewFile { path }): Parameters<ViewFile>) -> Result<String, String> {
        let paths = match path {
            OneOrMany::One(path) => vec![path],
            OneOrMany::Many(paths) => paths,
        };
        let world = self.world();
        let text = |path: &String| match world.files.get(path) {
            Some(text) => Ok(format!("--- {path}\n{text}")),
            None => Err(format!("no such file: {path}")),
        };
        paths.iter().map(text).collect::<Result<String, String>>()
    }

    #[tool(description = "Replace text in a file. With dryRun, only show what would change.")]
    fn edit_file(&self, Parameters(EditFile { path, edits, dry_run }): Parameters<EditFile>) -> Result<String, String> {
        let mut world = self.world();
        let Some(file) = world.files.get_mut(&path) else { return Err(format!("no such file: {path}")) };
        let mut text = file.clone();
        for Edit { old_text, new_text } in &edits {
            if !text.contains(old_text.as_str()) {
                return Err(format!("text to replace was not found in {path}"));
            }
            text = text.replacen(old_text.as_str(), new_text, 1);
        }
        if dry_run {
            return Ok(format!("would edit {path}; nothing was written"));
        }
        *file = text;
        Ok(format!("edited {path}"))
    }

    #[tool(description = "Delete everything in the trash for good.", annotations(destructive_hint = true))]
    fn empty_trash(&self) -> String {
        format!("deleted {} files for good", std::mem::take(&mut self.world().trash).len())
    }
}
