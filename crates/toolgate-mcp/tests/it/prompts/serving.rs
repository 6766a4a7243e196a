//! The library as the prompts of a server.

use super::databases::Database;
use super::texts::{EDITED, ONE, TWO, look, other};
use crate::support::wire::{Memory, Wire};
use rmcp::ServerHandler;
use rmcp::model::{ServerCapabilities, ServerConfig};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use toolgate_mcp::prompts::{FILLED_MAX, Found, Library, Origin, Pending, Row, SqliteStore, Store};
use toolgate_mcp::{Call, Group, Guard, Moded, Modes, Options, Setting, Tools, TypedTool};

const LIST_CHANGED: &str = "notifications/prompts/list_changed";

#[derive(Clone)]
struct Server {
    prompts: Library,
}

impl ServerHandler for Server {
    toolgate_mcp::serve_prompts!(|server| server.prompts);

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_prompts().enable_prompts_list_changed().build())
    }
}

async fn served() -> (Library, Memory) {
    let (prompts, _) = Library::start(SqliteStore::memory(), &[look(2), other()]).await.unwrap();
    let wire = Wire::open(Server { prompts: prompts.clone() }).await;
    (prompts, wire)
}

fn names(list: &Value) -> Vec<&str> {
    list["result"]["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect()
}

/// The notices that have come by the time that a later request is answered.
async fn notices(wire: &mut Memory, method: &str) -> usize {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let ping = wire.id();
    wire.write(json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}).to_string().as_bytes()).await;
    let mut notices = 0;
    loop {
        let message = wire.next().await;
        notices += usize::from(message["method"] == method);
        if message["id"] == ping {
            return notices;
        }
    }
}

/// A store whose next list of rows is handed over only when it is let go.
#[derive(Clone)]
struct Slow {
    store: SqliteStore,
    holds: Arc<Mutex<Option<oneshot::Receiver<()>>>>,
}

impl Store for Slow {
    fn prepare(&self) -> Pending<'_, ()> {
        self.store.prepare()
    }

    fn rows(&self) -> Pending<'_, Vec<Found>> {
        let hold = self.holds.lock().unwrap().take();
        Box::pin(async move {
            let rows = self.store.rows().await;
            if let Some(hold) = hold {
                hold.await.unwrap();
            }
            rows
        })
    }

    fn row<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Found>> {
        self.store.row(name)
    }

    fn write(&self, seen: Option<Row>, new: Option<Row>) -> Pending<'_, bool> {
        self.store.write(seen, new)
    }
}

#[tokio::test]
async fn an_older_list_never_takes_the_place_of_a_newer_one() {
    let store = Slow { store: SqliteStore::memory(), holds: Arc::default() };
    let (prompts, _) = Library::start(store.clone(), &[look(2), other()]).await.unwrap();
    let (let_go, held) = oneshot::channel();
    *store.holds.lock().unwrap() = Some(held);
    let older = tokio::spawn({
        let prompts = prompts.clone();
        async move { prompts.look().await.unwrap() }
    });
    while store.holds.lock().unwrap().is_some() {
        tokio::task::yield_now().await;
    }
    // The older one has its rows now; another process makes a change, and this one looks again.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let text = "title: New\n---\nNew.\n";
    assert!(store.write(None, Some(Row::new("new", Origin::User, text))).await.unwrap());
    let newer = tokio::spawn({
        let prompts = prompts.clone();
        async move { prompts.look().await.unwrap() }
    });
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let_go.send(()).unwrap();
    assert_eq!((older.await.unwrap(), newer.await.unwrap()), (false, true));
    assert!(!prompts.look().await.unwrap(), "it was told, and is not told again");
}

#[tokio::test]
async fn there_is_one_page() {
    let (_, mut wire) = served().await;
    assert_eq!(wire.ask("prompts/list", &json!({"cursor": "2"})).await["error"]["code"], -32602);
    assert_eq!(names(&wire.ask("prompts/list", &json!({"cursor": ""})).await).len(), 2);
}

#[tokio::test]
async fn prompts_are_listed_and_given() {
    let (_, mut wire) = served().await;
    let list = wire.ask("prompts/list", &json!({})).await;
    assert_eq!(
        list["result"]["prompts"],
        json!([
            {"name": "look", "title": "Look",
             "arguments": [{"name": "where", "description": "the place", "required": true}]},
            {"name": "other", "title": "Other"},
        ])
    );
    let given = wire.ask("prompts/get", &json!({"name": "look", "arguments": {"where": "{{where}}"}})).await;
    assert_eq!(
        given["result"]["messages"],
        json!([{"role": "user", "content": {"type": "text", "text": "Look around in {{where}}."}}])
    );
    assert_eq!(wire.ask("prompts/get", &json!({"name": "other"})).await["result"]["messages"][0]["role"], "user");
}

#[tokio::test]
async fn arguments_that_are_not_declared_or_missing_are_refused_without_their_values() {
    let (_, mut wire) = served().await;
    for (arguments, code, expected) in [
        (json!({}), "required", "missing required `where`"),
        (json!({"were": "SENTINEL"}), "required", "did you mean `where`?"),
        (json!({"where": "SENTINEL", "were": "SENTINEL"}), "unknown-argument", "/were: unknown argument"),
        (json!({"where": {"SENTINEL": 1}}), "type", "/where"),
        (json!({"where": null}), "type", "/where"),
        (json!({"where": 1}), "type", "/where"),
    ] {
        let answer = wire.ask("prompts/get", &json!({"name": "look", "arguments": arguments})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(expected), "{answer}");
        assert_eq!(answer["error"]["data"]["toolgate/refusal"]["violations"][0]["code"], code, "{answer}");
        assert!(!answer.to_string().contains("SENTINEL"), "{answer}");
    }
    for arguments in [json!(["SENTINEL"]), json!("SENTINEL"), json!(5)] {
        let answer = wire.ask("prompts/get", &json!({"name": "look", "arguments": arguments})).await;
        assert_eq!(answer["error"]["data"]["toolgate/refusal"]["violations"][0]["code"], "type", "{answer}");
        assert!(!answer.to_string().contains("SENTINEL"), "{answer}");
        let answer = wire.ask("prompts/get", &json!({"name": "none", "arguments": arguments})).await;
        assert_eq!(answer["error"]["message"], "prompt not found", "{answer}");
    }
    for params in [json!({"name": 5}), json!({}), json!({"name": ["SENTINEL"], "arguments": {}})] {
        let answer = wire.ask("prompts/get", &params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(!answer.to_string().contains("SENTINEL"), "{answer}");
    }
    let unknown = wire.ask(&"m".repeat(10_000), &json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    assert!(unknown.to_string().len() < 500, "{unknown}");
    let long = "x".repeat(FILLED_MAX);
    let answer = wire.ask("prompts/get", &json!({"name": "look", "arguments": {"where": long}})).await;
    assert_eq!(answer["error"]["message"], "with these arguments the prompt is longer than 1048576 bytes");
    for name in ["nothing", "no name", "", "SENTINEL\u{0}"] {
        let answer = wire.ask("prompts/get", &json!({"name": name})).await;
        assert_eq!(answer["error"]["message"], "prompt not found", "{answer}");
    }
}

#[tokio::test]
async fn a_change_of_the_list_is_told_once() {
    let (prompts, mut wire) = served().await;
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 0);
    prompts.save("mine", ONE, "alice", None).await.unwrap();
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 1);
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["look", "mine", "other"]);
    // Another text of the same title and arguments is the same list.
    prompts.save("mine", EDITED, "alice", Some(1)).await.unwrap();
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 0);
    let given = wire.ask("prompts/get", &json!({"name": "mine"})).await;
    assert_eq!(given["result"]["messages"][0]["content"]["text"], "Look away.");
    prompts.save("mine", TWO, "alice", Some(2)).await.unwrap();
    prompts.delete("look", "alice", 1).await.unwrap();
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 2);
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["mine", "other"]);
    assert_eq!(wire.ask("prompts/get", &json!({"name": "look"})).await["error"]["message"], "prompt not found");
}

/// Two libraries on one database, as two processes have them.
pub(crate) async fn read_from_the_database(database: &Database) {
    let (here, _) = database.start(&[look(2), other()]).await;
    let (there, _) = database.start(&[look(2), other()]).await;
    let mut wire = Wire::open(Server { prompts: here.clone() }).await;
    there.save("mine", ONE, "alice", None).await.unwrap();
    assert!(here.look().await.unwrap());
    assert!(!here.look().await.unwrap());
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 1);
    there.save("other", EDITED, "alice", Some(1)).await.unwrap();
    let given = wire.ask("prompts/get", &json!({"name": "other"})).await;
    assert_eq!(given["result"]["messages"][0]["content"]["text"], "Look away.");
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["look", "mine", "other"]);
    // What becomes no prompt past the library is not served, and costs no other.
    database.by_hand("UPDATE toolgate_prompts SET text = 'No prompt.' WHERE name = 'mine'").await;
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["look", "other"]);
    assert_eq!(wire.ask("prompts/get", &json!({"name": "mine"})).await["error"]["message"], "prompt not found");
    // A database that is broken is told as the server's fault, without its words.
    database.by_hand("ALTER TABLE toolgate_prompts RENAME TO secret").await;
    let answer = wire.ask("prompts/list", &json!({})).await;
    assert_eq!(answer["error"], json!({"code": -32603, "message": "the prompts cannot be read now"}));
    database.by_hand("ALTER TABLE secret RENAME TO toolgate_prompts").await;
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["look", "other"]);
}

/// A connection that the server has ended is made again.
pub(crate) async fn a_lost_connection(database: &Database) {
    let (prompts, _) = database.start(&[look(1)]).await;
    if database.is_postgres() {
        let others = "application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
        database.by_hand(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")).await;
    }
    prompts.save("look", EDITED, "alice", Some(1)).await.unwrap();
    assert_eq!(prompts.rows().await.unwrap().len(), 1);
}

#[derive(Clone)]
struct Both {
    prompts: Library,
    tools: Moded<Both>,
}

impl ServerHandler for Both {
    toolgate_mcp::serve_prompts!(|server| server.prompts, modes: server.tools);

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(capabilities.enable_prompts().enable_prompts_list_changed().build())
    }
}

async fn both() -> Both {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let tool = |name: &'static str| {
        Tools::new().tool(TypedTool::new(name, |_: Both, _: Nothing, _: Call| async { String::new() }))
    };
    let modes = Modes::new(Guard::new(Options::typed()))
        .group(Group::new("a", tool("a")))
        .group(Group::new("b", tool("b")))
        .mode("a", ["a"])
        .mode("b", ["b"]);
    let (prompts, _) = Library::start(SqliteStore::memory(), &[look(1)]).await.unwrap();
    Both { prompts, tools: modes.serve("a", Setting::default()).unwrap() }
}

#[tokio::test]
async fn beside_modes_both_lists_are_served_and_told() {
    let server = both().await;
    let mut wire = Wire::open(server.clone()).await;
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 0);
    assert_eq!(names(&wire.ask("prompts/list", &json!({})).await), ["look"]);
    assert_eq!(wire.ask("tools/list", &json!({})).await["result"]["tools"][0]["name"], "a");
    server.tools.switch("b").await.unwrap();
    assert_eq!(notices(&mut wire, "notifications/tools/list_changed").await, 1);
    server.prompts.save("mine", ONE, "alice", None).await.unwrap();
    assert_eq!(notices(&mut wire, LIST_CHANGED).await, 1);
    assert_eq!(wire.call("b", "[]").await["result"]["isError"], true);
    let unfit = wire.ask("prompts/get", &json!({"name": "mine", "arguments": []})).await;
    assert_eq!(unfit["error"]["data"]["toolgate/refusal"]["violations"][0]["code"], "type", "{unfit}");
}

/// Without a handshake only who subscribes is told, whatever else a client says.
#[tokio::test]
async fn nobody_is_told_who_has_not_subscribed() {
    let server = both().await;
    let (near, far) = tokio::io::duplex(64 * 1024);
    let serving = server.clone();
    tokio::spawn(async move { rmcp::ServiceExt::serve(serving, far).await.unwrap().waiting().await.unwrap() });
    let (input, output) = tokio::io::split(near);
    let mut wire = Wire::over(input, output);
    let params = json!({"_meta": serde_json::from_str::<Value>(crate::support::http::META).unwrap()});
    wire.ask("tools/list", &params).await;
    for _ in 0..3 {
        wire.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
    wire.ask("tools/list", &params).await;
    server.tools.switch("b").await.unwrap();
    server.prompts.save("mine", ONE, "alice", None).await.unwrap();
    let id = wire.id();
    let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
    wire.write(line.to_string().as_bytes()).await;
    let next = wire.next().await;
    assert_eq!(next["id"], id, "{next}");
}

/// A client without a handshake that has subscribed to these.
async fn subscribed(server: &Both, wished: Value) -> (Memory, Value) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let serving = server.clone();
    tokio::spawn(async move { rmcp::ServiceExt::serve(serving, far).await.unwrap().waiting().await.unwrap() });
    let (input, output) = tokio::io::split(near);
    let mut wire = Wire::over(input, output);
    let meta: Value = serde_json::from_str(crate::support::http::META).unwrap();
    let id = wire.id();
    let params = json!({"_meta": meta, "notifications": wished});
    let line = json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
    wire.write(line.to_string().as_bytes()).await;
    let acknowledged = wire.next().await;
    assert_eq!(acknowledged["params"]["notifications"], wished, "{acknowledged}");
    // It listens by the time that something later is answered.
    let list = wire.ask("prompts/list", &json!({"_meta": meta})).await;
    assert_eq!((&list["result"]["ttlMs"], &list["result"]["resultType"]), (&json!(0), &json!("complete")), "{list}");
    (wire, meta)
}

#[tokio::test]
async fn a_subscriber_is_told_of_both_lists() {
    let server = both().await;
    let (mut wire, _) = subscribed(&server, json!({"toolsListChanged": true, "promptsListChanged": true})).await;
    server.prompts.save("mine", ONE, "alice", None).await.unwrap();
    assert_eq!(wire.next().await["method"], LIST_CHANGED);
    server.tools.switch("b").await.unwrap();
    assert_eq!(wire.next().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_subscriber_to_one_list_stays_when_the_other_changes() {
    const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
    let server = both().await;
    let (mut wire, meta) = subscribed(&server, json!({"promptsListChanged": true})).await;
    server.tools.switch("b").await.unwrap();
    // Whatever would have been told of the tools has been told by now.
    wire.ask("prompts/list", &json!({"_meta": meta})).await;
    server.prompts.save("mine", ONE, "alice", None).await.unwrap();
    assert_eq!(wire.next().await["method"], LIST_CHANGED);

    let (mut wire, meta) = subscribed(&server, json!({"toolsListChanged": true})).await;
    server.prompts.save("yours", ONE, "alice", None).await.unwrap();
    wire.ask("prompts/list", &json!({"_meta": meta})).await;
    server.tools.switch("a").await.unwrap();
    assert_eq!(wire.next().await["method"], TOOLS_CHANGED);
}
