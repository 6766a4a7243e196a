//! Typed tools: contract and handler are one value, and every key that was sent is read.

use crate::support::wire::{Memory, Wire};
use rmcp::handler::server::wrapper::Json;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate_mcp::{Call, Guard, GuardedRouter, Options, Parameters, Tools, TypedTool, guard};

#[derive(Clone)]
struct Server {
    router: GuardedRouter<Server>,
    runs: Arc<AtomicUsize>,
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

struct Session {
    wire: Memory,
    runs: Arc<AtomicUsize>,
}

impl Session {
    async fn of(tools: Tools<Server>) -> Session {
        let router = Guard::new(Options::typed()).tools(tools);
        assert_eq!(router.closed(), []);
        let runs = Arc::new(AtomicUsize::new(0));
        Session { wire: Wire::open(Server { router, runs: Arc::clone(&runs) }).await, runs }
    }

    /// Code and place of each violation of a call that did not run.
    async fn refused(&mut self, tool: &str, arguments: &str) -> Vec<String> {
        let before = self.runs.load(Ordering::SeqCst);
        let answer = self.wire.call(tool, arguments).await;
        let violations = answer["result"]["_meta"]["toolgate/refusal"]["violations"].as_array();
        let violations = violations.unwrap_or_else(|| panic!("it was not refused: {answer}"));
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(self.runs.load(Ordering::SeqCst), before, "nothing ran");
        assert!(!answer.to_string().contains("SECRET"), "{answer}");
        let word = |violation: &Value, key: &str| violation[key].as_str().unwrap().to_owned();
        violations.iter().map(|violation| word(violation, "code") + "@" + &word(violation, "location")).collect()
    }

    async fn done(&mut self, tool: &str, arguments: &str) -> String {
        let answer = self.wire.call(tool, arguments).await;
        assert!(answer["result"]["isError"] != true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn schema(&mut self, tool: &str) -> Value {
        let list = self.wire.ask("tools/list", &json!({})).await;
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().find(|known| known["name"] == tool).unwrap()["inputSchema"].clone()
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    #[serde(alias = "q")]
    query: String,
    #[serde(default)]
    limit: Option<u8>,
}

async fn search(server: Server, search: Search, _: Call) -> String {
    server.runs.fetch_add(1, Ordering::SeqCst);
    format!("{} {:?}", search.query, search.limit)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Place {
    Line { line: u32 },
    Range { line: u32, end: u32 },
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Goto {
    place: Place,
}

async fn goto(server: Server, goto: Goto, _: Call) -> String {
    server.runs.fetch_add(1, Ordering::SeqCst);
    match goto.place {
        Place::Line { line } => format!("{line}"),
        Place::Range { line, end } => format!("{line}-{end}"),
    }
}

#[tokio::test]
async fn an_alias_of_the_type_is_taken_and_shown_nowhere() {
    let mut session = Session::of(Tools::new().tool(TypedTool::new("search", search))).await;
    assert_eq!(session.done("search", r#"{"q":"x"}"#).await, "x None");
    assert_eq!(session.done("search", r#"{"query":"x","limit":"7"}"#).await, "x Some(7)");
    assert_eq!(session.refused("search", r#"{"q":"SECRET","query":"SECRET"}"#).await, ["alias-conflict@"]);
    assert_eq!(session.refused("search", r#"{"q":7}"#).await, ["type@/q"]);
    assert_eq!(session.refused("search", r#"{"query":"x","limit":256}"#).await, ["maximum@/limit"]);
    let schema = session.schema("search").await;
    assert!(!schema.to_string().contains("\"q\""), "{schema}");
    assert_eq!(schema["properties"]["limit"]["maximum"], 255);
}

#[tokio::test]
async fn an_alias_that_no_contract_can_hold_closes_the_tool() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only registered")]
    struct Batch {
        list: Vec<Search>,
    }
    let batch = |_: Server, _: Batch, _: Call| async { String::new() };
    let router = Guard::new(Options::typed()).tools(Tools::new().tool(TypedTool::new("batch", batch)));
    let [closed] = router.closed() else { panic!("{:?}", router.closed()) };
    assert!(closed.why.contains("`q`") && closed.why.contains("/list/*"), "{}", closed.why);
    assert!(router.all_open().is_err());
}

#[tokio::test]
async fn a_key_that_the_type_would_drop_is_refused() {
    let mut session = Session::of(Tools::new().tool(TypedTool::new("goto", goto))).await;
    assert_eq!(session.done("goto", r#"{"place":{"line":3}}"#).await, "3");
    // The schema's second member admits this, and serde takes the first.
    assert_eq!(session.refused("goto", r#"{"place":{"line":3,"end":9}}"#).await, ["unread-argument@/place/end"]);
    assert_eq!(
        session.refused("goto", r#"{"place":{"line":3,"x\n":"SECRET"}}"#).await,
        [r"unknown-argument@/place/x\u{a}"]
    );
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Repository {
    owner: String,
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Issue {
    title: String,
    #[serde(flatten)]
    labels: std::collections::BTreeMap<String, bool>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Whose {
    tenant: String,
}

#[derive(Clone)]
struct Tenant(usize);

async fn open(server: Server, at: Repository, issue: Issue, call: Call) -> String {
    server.runs.fetch_add(1, Ordering::SeqCst);
    let tenant = call.get::<Tenant>().map_or(0, |tenant| tenant.0);
    format!("{}/{} {} {:?} for {tenant}", at.owner, at.name, issue.title, issue.labels)
}

fn operations() -> Tools<Server> {
    Tools::new().tool(TypedTool::with_params("open", open)).extend(|_: Server, whose: Whose| async move {
        match whose.tenant.as_str() {
            "acme" => Ok(Tenant(7)),
            _ => Err("there is no such tenant".to_owned()),
        }
    })
}

#[tokio::test]
async fn params_input_and_extension_are_one_object_and_three_types() {
    let mut session = Session::of(operations()).await;
    let arguments = r#"{"title":"t","tenant":"acme","owner":"o","urgent":"true","name":"n"}"#;
    assert_eq!(session.done("open", arguments).await, r#"o/n t {"urgent": true} for 7"#);
    let refused = session.refused("open", r#"{"title":7,"tenant":{},"urgent":"SECRET"}"#).await;
    assert_eq!(refused, ["required@", "type@/tenant", "type@/title", "type@/urgent"], "of all parts at once");
    let answer = session.wire.call("open", r#"{"title":"t","tenant":"SECRET","owner":"o","name":"n"}"#).await;
    assert_eq!(answer["result"]["content"][0]["text"], "there is no such tenant", "{answer}");
    assert_eq!(session.runs.load(Ordering::SeqCst), 1);
    let required = session.schema("open").await["required"].clone();
    assert_eq!(required.as_array().unwrap().len(), 4, "{required}");
}

/// What the contract is too wide to refuse, the type refuses before anything of the mount's runs.
#[tokio::test]
async fn nothing_is_resolved_for_a_call_that_a_type_refuses() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "only read")]
    enum Place {
        Line { line: u32 },
        Range { line: u32, end: u32 },
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only read")]
    struct Goto {
        place: Place,
    }
    let resolved = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&resolved);
    let tool = TypedTool::new("goto", |_: Server, _: Goto, _: Call| async { "there".to_owned() });
    let tools = Tools::new().tool(tool).extend(move |_: Server, _: Whose| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Tenant(7)) }
    });
    let mut session = Session::of(tools).await;
    let refused = session.refused("goto", r#"{"tenant":"acme","place":{"line":3,"end":9}}"#).await;
    assert_eq!(refused, ["unread-argument@/place/end"]);
    assert_eq!(resolved.load(Ordering::SeqCst), 0, "the refusal says that nothing was run");
    assert_eq!(session.done("goto", r#"{"tenant":"acme","place":{"line":3}}"#).await, "there");
    assert_eq!(resolved.load(Ordering::SeqCst), 1);
}

/// Without a handshake a tool asks by its answer, and is called again with what was asked for.
#[tokio::test]
async fn a_tool_that_asks_for_input_gets_it() {
    use rmcp::handler::server::tool::IntoCallToolResult;
    use rmcp::model::{CallToolResponse, InputRequiredResult};
    let ask = |_: Server, up: Up, call: Call| async move {
        match (call.input_responses(), call.request_state()) {
            (Some(given), Some("asked")) => format!("{} {}", up.to, given["sure"]["action"]).into_call_tool_result(),
            _ => Ok::<CallToolResponse, _>(InputRequiredResult::from_request_state("asked").into()),
        }
    };
    let router = Guard::new(Options::typed()).tools(Tools::new().tool(TypedTool::new("ask", ask)));
    let server = Server { router, runs: Arc::default() };
    let http = crate::support::http::Http::serve(move || server.clone()).await;
    let meta: Value = serde_json::from_str(crate::support::http::META).unwrap();
    let call = |mut params: Value| {
        params["name"] = "ask".into();
        params["arguments"] = json!({"to": 3});
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
    };
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "ask")];
    let asked = http.post(&headers, call(json!({})).as_bytes()).await.body;
    assert_eq!(
        (&asked["result"]["resultType"], &asked["result"]["requestState"]),
        (&json!("input_required"), &json!("asked")),
        "{asked}"
    );
    let again = json!({"requestState": "asked", "inputResponses": {"sure": {"action": "accept"}}});
    let answer = http.post(&headers, call(again).as_bytes()).await.body;
    assert_eq!(answer["result"]["content"][0]["text"], "3 \"accept\"", "{answer}");
}

#[tokio::test]
async fn parts_with_a_name_in_common_close_the_tool() {
    let same = |_: Server, _: Whose, _: Whose, _: Call| async { String::new() };
    let router = Guard::new(Options::typed()).tools(Tools::new().tool(TypedTool::with_params("same", same)));
    assert!(router.closed()[0].why.contains("another part has the argument `tenant`"), "{:?}", router.closed());
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Count {
    #[schemars(range(max = 3))]
    count: u32,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Up {
    to: u32,
}

#[tokio::test]
async fn an_answer_that_is_not_what_the_tool_declares_is_the_servers_fault() {
    let count = |server: Server, up: Up, _: Call| async move {
        server.runs.fetch_add(1, Ordering::SeqCst);
        Json(Count { count: up.to })
    };
    let bare = |_: Server, _: Up, _: Call| async { "only text".to_owned() };
    let tools = Tools::new()
        .tool(TypedTool::new("count", count).output::<Count>())
        .tool(TypedTool::new("bare", bare).output::<Count>());
    let mut session = Session::of(tools).await;
    let right = session.wire.call("count", r#"{"to":3}"#).await;
    assert_eq!(right["result"]["structuredContent"], json!({"count": 3}), "{right}");
    let wrong = session.wire.call("count", r#"{"to":4}"#).await;
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
    assert_eq!(wrong["result"]["_meta"]["toolgate/fault"]["violations"][0]["code"], "contract-mismatch");
    let said = wrong["result"]["content"].as_array().unwrap();
    assert!(said[0]["text"].as_str().unwrap().contains("the tool has run"), "{wrong}");
    assert_eq!(said[1]["text"], r#"{"count":4}"#, "nothing of the answer is lost");
    assert!(wrong["result"].get("structuredContent").is_none());
    let bare = session.wire.call("bare", r#"{"to":1}"#).await;
    assert_eq!(bare["result"]["isError"], true, "{bare}");
}

#[derive(Clone)]
struct Made {
    router: GuardedRouter<Made>,
}

#[tool_router]
impl Made {
    #[tool(description = "Goes to a place.")]
    fn goto(&self, Parameters(goto): Parameters<Goto>) -> String {
        match goto.place {
            Place::Line { line } => format!("{line}"),
            Place::Range { line, end } => format!("{line}-{end}"),
        }
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Made {
    toolgate_mcp::catch_non_objects!(|server| server.router);
}

#[tokio::test]
async fn a_macro_made_tool_reads_all_as_well() {
    let mut wire = Wire::open(Made { router: guard(Made::tool_router()) }).await;
    let answer = wire.call("goto", r#"{"place":{"line":3,"end":9}}"#).await;
    let violation = &answer["result"]["_meta"]["toolgate/refusal"]["violations"][0];
    assert_eq!(
        (&violation["code"], &violation["location"]),
        (&json!("unread-argument"), &json!("/place/end")),
        "{answer}"
    );
    let answer = wire.call("goto", r#"{"place":{"line":"3"}}"#).await;
    assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
}

/// A type with a former name, beside others.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Where {
    #[serde(alias = "dir")]
    folder: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Renamed {
    #[serde(alias = "to")]
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Tenancy {
    #[serde(alias = "org")]
    tenant: String,
}

#[tokio::test]
async fn an_alias_of_each_part_is_taken_beside_those_of_the_others() {
    let rename =
        |_: Server, at: Where, renamed: Renamed, _: Call| async move { format!("{}/{}", at.folder, renamed.name) };
    let tool = TypedTool::with_params("rename", rename).alias("name", ["called"]);
    let tools = Tools::new().tool(tool).extend(|_: Server, tenancy: Tenancy| async move { Ok(tenancy.tenant) });
    let mut session = Session::of(tools).await;
    for arguments in [
        r#"{"folder":"f","name":"n","tenant":"t"}"#,
        r#"{"dir":"f","to":"n","org":"t"}"#,
        r#"{"dir":"f","called":"n","tenant":"t"}"#,
    ] {
        assert_eq!(session.done("rename", arguments).await, "f/n", "{arguments}");
    }
    let schema = session.schema("rename").await.to_string();
    assert!(!["dir", "org", "called"].iter().any(|name| schema.contains(name)), "{schema}");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only registered")]
struct Deep {
    small: i8,
    inner: Inner,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only registered")]
struct Inner {
    a: Option<String>,
}

#[test]
fn a_typed_tool_is_closed_and_has_its_ranges_whatever_the_server_is() {
    let deep = |_: Server, _: Deep, _: Call| async { String::new() };
    let at = |_: Server, _: Deep, _: Issue, _: Call| async { String::new() };
    for options in [Options::documents(), Options::typed()] {
        let tools = Tools::new().tool(TypedTool::new("deep", deep)).tool(TypedTool::with_params("at", at));
        let router = Guard::new(options).tools(tools).all_open().unwrap();
        for tool in ["deep", "at"] {
            let codes = |text: &str| {
                let contract = router.contract(tool).unwrap();
                contract.check(toolgate::Arguments::from_text(text)).map(|_| ()).map_err(|refusal| refusal.to_log())
            };
            assert_eq!(codes(r#"{"small":1,"title":"t","inner":{}}"#).is_ok(), tool == "at");
            let wrong = codes(r#"{"small":128,"inner":{"b":1}}"#).unwrap_err();
            assert!(wrong.contains("maximum@/small") && wrong.contains("unknown-argument@/inner/*"), "{tool}: {wrong}");
        }
    }
    let own = Options::documents().policy(|_| toolgate::Policy::default());
    let router = Guard::new(own).tools(Tools::new().tool(TypedTool::new("deep", deep)));
    let contract = router.contract("deep").unwrap();
    let text = r#"{"small":1,"inner":{"b":1}}"#;
    assert!(contract.check(toolgate::Arguments::from_text(text)).is_ok(), "what is said of a tool holds");
}
