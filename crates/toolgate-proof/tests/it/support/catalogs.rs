//! The tools of real servers, as they served them. They lie beside the repository and are not part of it.

use serde_json::Value;
use std::path::PathBuf;

pub(crate) struct CatalogTool {
    /// `catalog/tool`.
    pub(crate) label: String,
    pub(crate) schema: Value,
}

/// The folder of catalogues, cases and the like beside the checkout.
fn shared() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = match std::env::var_os("TOOLGATE_SHARED") {
        Some(value) if value == "none" => return None,
        Some(value) => root.join(value),
        None => root.join("../shared"),
    };
    folder.join("catalogs").is_dir().then_some(folder)
}

/// Every tool of every catalogue, in the order of the files; `None`, said aloud, where there are none and that is allowed.
pub(crate) fn tools() -> Option<Vec<CatalogTool>> {
    let Some(folder) = shared() else {
        assert!(std::env::var_os("TOOLGATE_NO_SKIP").is_none_or(|value| value != "1"), "the catalogues are missing");
        println!("skipped: there are no catalogues beside this checkout (TOOLGATE_SHARED names their folder)");
        return None;
    };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder.join("catalogs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut tools = Vec::new();
    for file in files {
        let catalog: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for tool in catalog["tools"].as_array().into_iter().flatten() {
            let label =
                format!("{}/{}", file.file_stem().unwrap().to_string_lossy(), tool["name"].as_str().unwrap_or("?"));
            tools.push(CatalogTool { label, schema: tool["inputSchema"].clone() });
        }
    }
    assert!(!tools.is_empty());
    Some(tools)
}
