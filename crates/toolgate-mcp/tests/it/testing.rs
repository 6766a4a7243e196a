//! What authors test their own servers with finds what it is for.

use rmcp::{ServerHandler, tool_handler};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate::Contract;
use toolgate_mcp::testing::{
    Client, assert_all_compile, assert_every_property_matters, assert_refused_without_effect, assert_text_holds,
    assert_type_takes_all,
};
use toolgate_mcp::{Call, Group, Guard, GuardedRouter, Modes, Options, Tools, TypedTool, guidance};

#[derive(Clone)]
struct Server {
    router: GuardedRouter<Server>,
    walks: Arc<AtomicUsize>,
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only read")]
struct Walk {
    steps: Vec<Step>,
    #[serde(default)]
    title: Option<String>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only read")]
struct Step {
    file: String,
    line: u32,
    text: String,
}

async fn walk(server: Server, _: Walk, _: Call) -> String {
    server.walks.fetch_add(1, Ordering::SeqCst);
    "walked".to_owned()
}

fn router() -> GuardedRouter<Server> {
    Guard::new(Options::typed()).tools(Tools::new().tool(TypedTool::new("walk", walk)))
}

/// What an assertion said that did not hold.
fn fault(assertion: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(AssertUnwindSafe(assertion)).expect_err("it holds");
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| (*panic.downcast_ref::<&str>().unwrap()).to_owned())
}

#[test]
fn texts_are_held_to_the_tools() {
    let tools = router().list_all();
    assert_text_holds(
        "Call `walk`: `steps` in order, each with `file`, `line` and text. A `title` helps.",
        &tools,
        &["walk"],
    );
    let wrong =
        fault(|| assert_text_holds("Call `walk` with `stops`, each with file and line.", &tools, &["walk", "run"]));
    for said in ["no tool `run`", "requires `steps`", "requires `text`", "speaks of `stops`"] {
        assert!(wrong.contains(said), "{wrong}");
    }
    let shape = r#"`walk` {"steps": [{"file": string, "line": integer, "text": string}, …]}"#;
    assert_eq!(guidance(&tools, &["walk", "run"]), shape.to_owned() + "\n");
}

/// References, lists that may be null and the forms of a union are looked through.
#[test]
fn texts_are_held_to_the_tools_however_their_schemas_are_written() {
    let schema = serde_json::json!({"type": "object", "properties": {
            "steps": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Step"}}, {"type": "null"}]}},
        "required": ["steps"], "$defs": {"Step": {"oneOf": [
            {"type": "object", "properties": {"do": {"const": "go"}, "to": {"type": "string"}}, "required": ["do", "to"]},
            {"type": "object", "properties": {"do": {"const": "stay"}}, "required": ["do"]}]}}});
    let tools = [rmcp::model::Tool::new("walk", "", Arc::new(schema.as_object().unwrap().clone()))];
    assert_eq!(guidance(&tools, &["walk"]), "`walk` {\"steps\": [{\"do\": \"go\" or \"stay\"}, …]}\n");
    assert_text_holds("Call `walk` with `steps`, each with `do`: `go` and `to`, or `stay`.", &tools, &["walk"]);
    let wrong = fault(|| assert_text_holds("Call `walk` with `steps`, some of them `away`.", &tools, &["walk"]));
    assert!(wrong.contains("requires `do`") && wrong.contains("speaks of `away`"), "{wrong}");
}

#[test]
fn a_type_that_does_not_take_all_is_found() {
    let contract = |schema: &str| Contract::from_text(schema).unwrap();
    let schema = r#"{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer","minimum":0,"maximum":9},"text":{"type":"string"}},"required":["file","line","text"]}"#;
    assert_type_takes_all::<Step>(&contract(schema));
    let wider = contract(&schema.replace(r#","text"]"#, "]"));
    assert!(fault(|| assert_type_takes_all::<Step>(&wider)).contains("contract-mismatch@"));
    let further = contract(&schema.replace(r#""text":"#, r#""more":{"type":"null"},"text":"#));
    assert!(fault(|| assert_type_takes_all::<Step>(&further)).contains("unread-argument@/*"));
}

#[test]
fn no_single_value_hides_that_a_property_matters() {
    let contract = Contract::from_text(
        r#"{"properties":{"limit":{"type":"integer","minimum":0,"maximum":9},"word":{"type":"string"}}}"#,
    )
    .unwrap();
    // Where nothing is asked for, nothing else matters.
    let find =
        async |arguments: Value| arguments["limit"].as_f64().is_none_or(|limit| limit > 0.0).then_some(arguments);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(assert_every_property_matters(&contract, find));
}

#[test]
fn a_property_that_nobody_reads_is_found() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"},"c":{"enum":[1,2]}},"required":["c"]}"#;
    let contract = Contract::from_text(schema).unwrap();
    let run = |assertion: &dyn Fn()| fault(assertion);
    let within = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    within().block_on(assert_every_property_matters(&contract, async |arguments: Value| arguments));
    let said = run(&|| {
        within()
            .block_on(assert_every_property_matters(&contract, async |arguments: Value| arguments.get("a").cloned()))
    });
    assert!(said.contains(r#"["b", "c"]"#), "{said}");
}

#[test]
fn a_property_inside_that_nobody_reads_is_found() {
    let schema = r##"{"type":"object","properties":{"steps":{"type":"array","items":{"$ref":"#/$defs/Step"},"minItems":1},
        "where":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x"]}},"required":["steps"],
        "$defs":{"Step":{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer"}},"required":["file","line"]}}}"##;
    let contract = Contract::from_text(schema).unwrap();
    let within = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    within().block_on(assert_every_property_matters(&contract, async |arguments: Value| arguments));
    let said = fault(|| {
        within().block_on(assert_every_property_matters(&contract, async |mut arguments: Value| {
            // The lines of steps, and how high it is, are read by nobody.
            for step in arguments["steps"].as_array_mut().unwrap() {
                step.as_object_mut().unwrap().remove("line");
            }
            arguments.get_mut("where").and_then(Value::as_object_mut).and_then(|place| place.remove("y"));
            arguments
        }))
    });
    assert!(said.contains(r#"["steps/*/line", "where/y"]"#), "{said}");
}

#[test]
fn what_was_not_tried_does_not_pass() {
    let contract = |schema: &str| Contract::from_text(schema).unwrap();
    // Nothing can be made of either: no value matches, and no member has the property.
    let none =
        contract(r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^(?!a)a$"}}}"#);
    assert_eq!(none.members(0).count(), 0);
    let said = fault(|| assert_type_takes_all::<Value>(&none));
    assert!(said.contains("nothing was tried"), "{said}");
    let within = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let said = fault(|| within().block_on(assert_every_property_matters(&none, async |arguments: Value| arguments)));
    assert!(said.contains("nothing was tried"), "{said}");
    let never = contract(
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!a)a$"},"b":{"type":"boolean"}}}"#,
    );
    assert!(never.members(0).count() > 0);
    let said = fault(|| within().block_on(assert_every_property_matters(&never, async |arguments: Value| arguments)));
    assert!(said.contains(r#"["a"]"#), "{said}");
}

#[test]
fn a_mode_that_does_not_compile_is_found() {
    let twice = || Tools::<Server>::new().tool(TypedTool::new("walk", walk));
    let good = Modes::new(Guard::new(Options::typed())).group(Group::new("a", twice())).mode("m", ["a"]);
    assert_all_compile(&good);
    let bad = good.group(Group::new("b", twice()).surface("desktop").provider("openai")).mode("m", ["a", "b"]);
    let said = fault(|| assert_all_compile(&bad));
    assert!(said.contains("desktop") && said.contains("`walk`"), "{said}");
    // One that only some provider's names cannot hold, which no group speaks of.
    let settings = bad.settings();
    for provider in toolgate::Provider::ALL {
        let is_tried =
            |setting: &toolgate_mcp::Setting| *setting == toolgate_mcp::Setting::default().provider(provider.name());
        assert!(settings.iter().any(is_tried), "{provider:?}");
    }
}

#[tokio::test]
async fn refusals_have_no_effect() {
    let server = Server { router: router(), walks: Arc::default() };
    let walks = Arc::clone(&server.walks);
    let mut client = Client::connect(server).await;
    assert_eq!(client.list().await[0]["name"], "walk");
    let effect = || walks.load(Ordering::SeqCst);
    let codes =
        assert_refused_without_effect(&mut client, "walk", r#"{"steps":[{"file":"a","line":-1}]}"#, effect).await;
    assert_eq!(codes, ["required@/steps/0", "minimum@/steps/0/line"]);
    assert_eq!(client.call("walk", r#"{"steps":[]}"#).await.text(), "walked");
}
