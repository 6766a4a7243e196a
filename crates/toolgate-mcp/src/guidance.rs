//! Call shapes for the first turn of a model, made from the tools as they are.

use rmcp::model::Tool;
use serde_json::Value;
use std::fmt::Write as _;
use toolgate::{Contract, Outline, Policy, UnknownKeys};

/// Levels of nesting that are written out.
const DEPTH_MAX: usize = 6;
/// Words of one place that are written out.
const WORDS_MAX: usize = 6;

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
        let contract = contract_of(tool);
        let shape = contract.as_ref().map_or("any value".to_owned(), |contract| shape(&contract.outline(), 0));
        let _ = writeln!(text, "`{}` {shape}", toolgate::shown_name(&tool.name));
    }
    text
}

/// The tool as it is shown, to be looked through; `None` for a schema that is none.
pub(crate) fn contract_of(tool: &Tool) -> Option<Contract> {
    let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
    Contract::compile_with(&Value::Object(tool.input_schema.as_ref().clone()), &policy).ok()
}

fn shape(place: &Outline<'_>, depth: usize) -> String {
    let words = place.words();
    if (1..=WORDS_MAX).contains(&words.len()) {
        return words.join(" or ");
    }
    let kinds = place.kind_words();
    let of_values: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != "null").collect();
    match of_values.as_slice() {
        ["object"] if depth < DEPTH_MAX => {
            let members = required(place);
            let members = members.map(|(name, member)| format!("{}: {}", Value::from(name), shape(&member, depth + 1)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        ["array"] if depth < DEPTH_MAX => match shape(&place.items(), depth + 1).as_str() {
            "any value" => "[…]".to_owned(),
            item => format!("[{item}, …]"),
        },
        [] if kinds.is_empty() => "any value".to_owned(),
        _ => kinds.join(" or "),
    }
}

/// The properties that every form of an object requires, in the order of the schema.
pub(crate) fn required<'c>(place: &Outline<'c>) -> impl Iterator<Item = (&'c str, Outline<'c>)> + use<'c> {
    place.members().into_iter().filter(|member| member.is_required).map(|member| (member.name, member.place))
}
