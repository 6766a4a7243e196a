//! What help shows to be typed, typed: of the demo's server, and of tools of real servers.

use crate::support::{self, text, toolgate};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Of the tools beside the checkout, every how-manieth is looked at.
const STRIDE: usize = 97;

#[test]
fn what_the_help_of_the_demo_shows_is_admitted() {
    let catalogue = catalogue_of_the_demo();
    let shown: usize = names(&catalogue).iter().map(|tool| holds(&catalogue, tool)).sum();
    assert!(shown > 4, "{shown} examples of values");
}

#[test]
fn what_the_help_of_real_tools_shows_is_admitted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("TOOLGATE_SHARED").unwrap_or_else(|| "../shared".into());
    let folder = root.join(&shared).join("catalogs");
    if shared == "none" || !folder.is_dir() {
        let may_skip = shared == "none" || std::env::var_os("TOOLGATE_NO_SKIP").is_none_or(|value| value != "1");
        assert!(may_skip, "the catalogues beside this checkout are missing");
        println!("skipped: there are no catalogues beside this checkout (TOOLGATE_SHARED names their folder)");
        return;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let tools = files.iter().flat_map(|file| names(file).into_iter().map(move |tool| (file, tool)));
    let shown: usize = tools.step_by(STRIDE).map(|(file, tool)| holds(file, &tool)).sum();
    assert!(shown > 4, "{shown} examples of values");
}

#[test]
fn a_word_for_a_tagged_union_is_of_one_form() {
    let tools = json!([{"name": "draw", "inputSchema": {"type": "object", "properties": {"shapes": {"type": "array", "items": {"oneOf": [
        {"type": "object", "properties": {"type": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["type", "radius"]},
        {"type": "object", "properties": {"type": {"const": "text"}, "text": {"type": "string"}}, "required": ["type", "text"]}
    ]}}}, "required": ["shapes"]}}]);
    let catalogue = support::file("examples-union.json", &tools.to_string());
    let told = help(&catalogue, "draw");
    assert!(told.contains("such as: --shapes '{\"radius\":1,\"type\":\"circle\"}'\n"), "{told}");
    assert_eq!(holds(&catalogue, "draw"), 1);
}

#[test]
fn no_value_is_shown_where_none_is_known_to_be_admitted() {
    // The server alone knows what else the union asks.
    let tools = json!([{"name": "draw", "inputSchema": {"type": "object", "properties": {"shape": {"type": "object",
        "properties": {"a": {"type": "string"}}, "required": ["a"], "not": {"required": ["a"]}}}}}]);
    let catalogue = support::file("examples-none.json", &tools.to_string());
    let told = help(&catalogue, "draw");
    assert!(told.contains("--shape") && !told.contains("such as:"), "{told}");
}

#[test]
fn an_object_that_has_to_be_given_is_required_by_itself() {
    let tools = json!([{"name": "add", "inputSchema": {"type": "object", "properties": {
        "data": {"type": "object", "properties": {"text": {"type": "string"}, "level": {"type": "integer"}}},
        "at": {"type": "object", "properties": {"page": {"type": "integer"}, "line": {"type": "integer"}}, "required": ["page"]}
    }, "required": ["data", "at"]}}]);
    let catalogue = support::file("examples-object.json", &tools.to_string());
    let told = help(&catalogue, "add");
    assert!(told.contains("examples-object.json add --at.page INTEGER --data JSON [OPTIONS]\n"), "{told}");
    let (required, options) = told.split_once("\nOptions:\n").unwrap();
    let required = required.split_once("\nRequired:\n").unwrap().1;
    let rows = |text: &str| {
        text.lines()
            .filter_map(|line| line.strip_prefix("  --"))
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(required), ["at.page", "data"]);
    assert_eq!(rows(options.split_once("\nExample:").unwrap().0), ["at.line", "data.level", "data.text"]);
    holds(&catalogue, "add");
}

fn catalogue_of_the_demo() -> PathBuf {
    let output = toolgate(&["tools", "--format", "json", "--"])
        .args([env!("CARGO_BIN_EXE_toolgate"), "demo", "--server"])
        .output()
        .unwrap();
    support::file("examples-demo.json", &text(&output))
}

fn names(catalogue: &Path) -> Vec<String> {
    let list: Value = serde_json::from_slice(&std::fs::read(catalogue).unwrap()).unwrap();
    let tools = list.get("tools").and_then(Value::as_array).or(list.as_array()).cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
}

fn help(catalogue: &Path, tool: &str) -> String {
    let mut asked = toolgate(&["call", "--dry-run", "--catalog"]);
    let output = asked.arg(catalogue).args([tool, "--help"]).env("COLUMNS", "160").output().unwrap();
    text(&output)
}

/// Types the example of a tool and, in its place in it, every example of a value; tells how many of these there are.
#[track_caller]
fn holds(catalogue: &Path, tool: &str) -> usize {
    let told = help(catalogue, tool);
    let example = told.split_once("\nExample:\n").map(|(_, rest)| rest.lines().next().unwrap());
    let values: Vec<&str> = told.lines().filter_map(|line| line.trim().strip_prefix("such as: ")).collect();
    let Some(example) = example else {
        assert!(values.is_empty(), "values without a call that they could stand in: {told}");
        return 0;
    };
    let words = shlex::split(example).unwrap();
    let call = sent(&words[1..].iter().map(String::as_str).collect::<Vec<_>>(), &told);
    for value in &values {
        let words = shlex::split(value).unwrap();
        let name = words[0].trim_start_matches("--").split(":=").next().unwrap();
        let path: Vec<&str> = name.split('.').collect();
        let mut line = vec!["call", "--dry-run", "--catalog", catalogue.to_str().unwrap(), tool];
        let beside = beside(&call, &path);
        line.extend(beside.iter().chain(&words).map(String::as_str));
        sent(&line, &told);
    }
    values.len()
}

/// The arguments that these words would send.
#[track_caller]
fn sent(words: &[&str], told: &str) -> Map<String, Value> {
    let output = toolgate(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}\n{}\n{told}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_str(&text(&output)).unwrap();
    serde_json::from_str(told["arguments_text"].as_str().unwrap()).unwrap()
}

/// Words for a call without one of its values.
fn beside(call: &Map<String, Value>, path: &[&str]) -> Vec<String> {
    let mut whole = call.clone();
    let inner = whole.remove(path[0]);
    let mut words = vec![format!("--args={}", Value::Object(whole))];
    let mut at = inner;
    for depth in 1..path.len() {
        for (name, value) in at.as_ref().and_then(Value::as_object).into_iter().flatten() {
            if name != path[depth] {
                words.push(format!("--{}.{name}:={value}", path[..depth].join(".")));
            }
        }
        at = at.and_then(|value| value.get(path[depth]).cloned());
    }
    words
}
