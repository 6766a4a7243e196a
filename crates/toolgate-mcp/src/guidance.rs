//! Call shapes for the first turn of a model, made from the tools as they are.

use rmcp::model::Tool;
use serde_json::Value;
use std::fmt::Write as _;

/// Levels of nesting that are written out.
const DEPTH_MAX: usize = 6;

/// How the chosen tools are called, a line each: the name, and the arguments that are required with those that are required
/// inside them, in the order shown. For a first-turn text; the schemas themselves are in the list. A tool that is not among
/// `tools` is left out.
///
/// # Example
///
/// ```
/// use toolgate_mcp::{Call, Guard, Options, Tools, TypedTool, guidance};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Walk {
///     steps: Vec<Step>,
///     #[serde(default)]
///     title: Option<String>,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Step {
///     file: String,
///     line: u32,
/// }
///
/// let tools = Tools::new().tool(TypedTool::new("walk", |(): (), _: Walk, _: Call| async { String::new() }));
/// let router = Guard::new(Options::typed()).tools(tools);
/// assert_eq!(guidance(&router.list_all(), &["walk"]), "`walk` {\"steps\": [{\"file\": string, \"line\": integer}, …]}\n");
/// ```
pub fn guidance(tools: &[Tool], chosen: &[&str]) -> String {
    let mut text = String::new();
    for tool in chosen.iter().filter_map(|name| tools.iter().find(|tool| tool.name == *name)) {
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        let _ = writeln!(text, "`{}` {}", toolgate::shown_name(&tool.name), shape(&schema, 0));
    }
    text
}

fn shape(schema: &Value, depth: usize) -> String {
    let kinds = kinds(schema);
    match kinds.as_slice() {
        ["object"] if depth < DEPTH_MAX => {
            let members =
                required(schema).map(|(name, member)| format!("{}: {}", Value::from(name), shape(member, depth + 1)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        ["array"] if depth < DEPTH_MAX => match schema.get("items") {
            Some(items) => format!("[{}, …]", shape(items, depth + 1)),
            None => "[…]".to_owned(),
        },
        _ => {
            words(schema).unwrap_or_else(|| if kinds.is_empty() { "any value".to_owned() } else { kinds.join(" or ") })
        }
    }
}

/// The values, where there are few.
fn words(schema: &Value) -> Option<String> {
    let words = schema.get("enum")?.as_array().filter(|words| words.len() <= 6)?;
    Some(words.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "))
}

fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The required properties of an object that is shown, in the order of the properties.
pub(crate) fn required(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(|(name, member)| (name.as_str(), member)).filter(move |(name, _)| required.contains(name))
}
