//! The tools of real servers, as they served them. They lie beside the repository and are not part of it.

use serde_json::Value;
use std::path::PathBuf;
use toolgate::Limits;
use toolgate::json::{Document, Strictness};

pub(crate) struct CatalogTool {
    /// `catalog/tool`.
    pub(crate) label: String,
    /// The input schema as served, token by token.
    pub(crate) schema_text: String,
    pub(crate) schema: Value,
}

/// The folder of catalogues, cases and the like beside the checkout.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = match std::env::var_os("TOOLGATE_SHARED") {
        Some(value) if value == "none" => return None,
        Some(value) => {
            // As the other tests read it: relative to the checkout.
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(value)
        }
        None => beside,
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
        let text = std::fs::read(&file).unwrap();
        let limits = Limits { size_max_bytes: 64 * 1024 * 1024, depth_max: 512, ..Limits::default() };
        let document = Document::read(&text, Strictness::Frame, &limits).unwrap();
        let catalog = file.file_stem().unwrap().to_string_lossy().into_owned();
        for tool in document.root().get("tools").unwrap().items() {
            let name = tool.get("name").and_then(|name| name.as_str()).unwrap();
            let schema_text = tool.get("inputSchema").map_or("{}", |schema| schema.text()).to_owned();
            let schema = serde_json::from_str(&schema_text).unwrap();
            tools.push(CatalogTool { label: format!("{catalog}/{name}"), schema_text, schema });
        }
    }
    assert!(tools.len() > 1_000, "only {} tools were found", tools.len());
    Some(tools)
}

/// The locations in a schema document that hold a subschema, each with its RFC 6901 pointer.
pub(crate) fn subschemas(schema: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    walk(schema, &mut String::new(), visit);
}

fn walk(schema: &Value, pointer: &mut String, visit: &mut dyn FnMut(&str, &Value)) {
    let Value::Object(keywords) = schema else { return };
    visit(pointer, schema);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                for (name, inner) in named {
                    within(pointer, &[keyword, name], |pointer| walk(inner, pointer, visit));
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(members)) => {
                for (index, inner) in members.iter().enumerate() {
                    within(pointer, &[keyword, &index.to_string()], |pointer| walk(inner, pointer, visit));
                }
            }
            (
                "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains" | "propertyNames",
                inner,
            ) => {
                within(pointer, &[keyword], |pointer| walk(inner, pointer, visit));
            }
            _ => {}
        }
    }
}

fn within(pointer: &mut String, segments: &[&str], go: impl FnOnce(&mut String)) {
    let length = pointer.len();
    for segment in segments {
        pointer.push('/');
        pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    }
    go(pointer);
    pointer.truncate(length);
}
