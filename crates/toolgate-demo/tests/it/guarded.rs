//! The guarded twin keeps what it says: aliases, modes, files, and texts that are true of the tools.

use serde_json::{Value, json};
use toolgate_demo::{CHANGES_WALKTHROUGH, CHANGES_WALKTHROUGH_TEXT, GuardedDemo, TASK_CONTEXT};
use toolgate_mcp::prompts::{Library, SqliteStore};
use toolgate_mcp::testing::{Client, assert_all_compile, assert_refused_without_effect, assert_text_holds};
use toolgate_mcp::{Setting, Viewer};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

async fn session() -> (Client, GuardedDemo) {
    let server = GuardedDemo::start(FOLDER, SqliteStore::memory()).await.unwrap();
    (Client::connect(server.clone()).await, server)
}

#[test]
fn every_mode_compiles() {
    assert_all_compile(&GuardedDemo::modes(&Viewer::open(FOLDER).unwrap()));
}

#[test]
fn the_texts_are_true_of_the_tools() {
    let modes = GuardedDemo::modes(&Viewer::open(FOLDER).unwrap());
    let tools = modes.compile("task", &Setting::default()).unwrap().list_all();
    assert_text_holds(TASK_CONTEXT, &tools, &["show_walkthrough", "get_walkthrough", "delete_walkthrough"]);
    assert_text_holds(CHANGES_WALKTHROUGH_TEXT, &tools, &["show_walkthrough"]);
    for text in [TASK_CONTEXT, CHANGES_WALKTHROUGH_TEXT] {
        assert!(text.contains("ordered array"));
    }
}

#[tokio::test]
async fn a_prompt_reaches_the_backend_as_its_description() {
    let (mut client, server) = session().await;
    for (arguments, description) in [
        (r#"{"title":"t","prompt":"[\"a\"] é 1e3"}"#, "[\"a\"] é 1e3"),
        (r#"{"title":"t","description":" kept as it is "}"#, " kept as it is "),
    ] {
        assert!(!client.call("create_task", arguments).await.is_error());
        let world = server.world();
        let action = world.received.last().unwrap();
        assert_eq!((action.tool.as_str(), &action.arguments["description"]), ("task.create", &json!(description)));
        assert!(action.arguments.get("prompt").is_none());
    }
    let tasks = || server.world().tasks.len();
    let both = r#"{"title":"t","prompt":"a","description":"a"}"#;
    let codes = assert_refused_without_effect(&mut client, "create_task", both, tasks).await;
    assert_eq!(codes, ["alias-conflict@"]);
    let list = client.list().await;
    let create = list.iter().find(|tool| tool["name"] == "create_task").unwrap();
    assert!(create["inputSchema"]["properties"].get("description").is_none(), "{create}");
}

#[tokio::test]
async fn calls_are_judged_by_the_mode_that_the_server_is_in() {
    let (mut client, server) = session().await;
    assert_eq!(client.call("show_walkthrough", r#"{"title":"t","steps":[]}"#).await.text(), "showing 0 steps");
    assert_eq!(
        client.call("switch_mode", r#"{"mode":"config"}"#).await.text(),
        "now in mode config; the list of tools has changed"
    );
    assert_eq!(server.mode(), "config");
    let names: Vec<String> = client.list().await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["empty_trash", "set_executor_profile", "switch_mode"]);
    assert_eq!(client.notices().len(), 1);
    assert!(client.call("show_walkthrough", "{}").await.message()["error"].is_object(), "not a tool of this mode");
    // A map that is open on purpose takes any key, and the root does not.
    assert!(!client.call("set_executor_profile", r#"{"name":"n","config":{"any":{"key":1}}}"#).await.is_error());
    let refused = client.call("set_executor_profile", r#"{"name":"n","any":1}"#).await;
    assert_eq!(refused.codes(), ["unknown-argument@/any"]);
    assert_eq!(client.call("empty_trash", r#"{"really":true}"#).await.codes(), ["unknown-argument@/really"]);
    assert_eq!(client.call("empty_trash", "{}").await.text(), "deleted 3 files for good");
}

#[tokio::test]
async fn steps_are_refused_by_place_and_name() {
    let (mut client, server) = session().await;
    let walkthroughs = || server.world().walkthroughs.len();
    let steps = r#"{"title":"t","steps":[{"file":"SECRET"},{"file":"a","line":"7","text":"b"}]}"#;
    let codes = assert_refused_without_effect(&mut client, "show_walkthrough", steps, walkthroughs).await;
    assert_eq!(codes, ["required@/steps/0"]);
    let refused = client.call("show_walkthrough", steps).await;
    assert!(
        refused.text().contains("missing required `line`, `text`") && !refused.text().contains("SECRET"),
        "{}",
        refused.text()
    );
    let right = r#"{"title":"t","steps":"[{\"file\":\"a\",\"line\":\"7\",\"text\":\"b\"}]"}"#;
    assert_eq!(client.call("show_walkthrough", right).await.text(), "showing 1 steps");
    assert_eq!(client.call("get_walkthrough", r#"{"title":"t"}"#).await.text(), "a:7 b");
    assert_eq!(client.call("delete_walkthrough", r#"{"title":"t"}"#).await.text(), "removed");
}

#[tokio::test]
async fn files_and_prompts_are_served() {
    let (mut client, _) = session().await;
    assert!(client.call("view_file", r#"{"path":"Cargo.toml"}"#).await.text().contains("toolgate-demo"));
    assert_eq!(client.call("view_file", r#"{"path":"[\"Cargo.toml\"]"}"#).await.codes(), ["list-as-text@/path"]);
    let prompts = client.ask("prompts/list", "{}").await;
    assert_eq!(prompts["result"]["prompts"][0]["name"], CHANGES_WALKTHROUGH.name());
    let said = walkthrough(&mut client).await;
    assert!(said.as_str().is_some_and(|said| CHANGES_WALKTHROUGH_TEXT.ends_with(&format!("---\n{said}\n"))), "{said}");
}

async fn walkthrough(client: &mut Client) -> Value {
    let mut prompt = client.ask("prompts/get", &json!({"name": CHANGES_WALKTHROUGH.name()}).to_string()).await;
    prompt["result"]["messages"][0]["content"]["text"].take()
}

#[tokio::test]
async fn a_prompt_that_a_user_has_edited_outlives_the_server() {
    let folder = std::env::temp_dir().join(format!("toolgate-demo-prompts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let place = folder.join("prompts.sqlite");
    let start = async || GuardedDemo::start(FOLDER, SqliteStore::file(&place)).await.unwrap();
    drop(start().await);
    let (prompts, _) = Library::start(SqliteStore::file(&place), &[CHANGES_WALKTHROUGH]).await.unwrap();
    prompts.save(CHANGES_WALKTHROUGH.name(), "---\nIn one step.\n", "alice", Some(1)).await.unwrap();
    let mut client = Client::connect(start().await).await;
    assert_eq!(walkthrough(&mut client).await, "In one step.");
    std::fs::remove_dir_all(folder).unwrap();
}
