//! That the server, alone, really does the wrong thing: if the SDK ever begins to refuse one of these calls, the demo would
//! tell a story that is no longer true. Each wrong call is paired with the right one.

use crate::wire::{Said, Wire};
use serde_json::json;
use toolgate_demo::{Task, World};

const EDIT: &str = r#""path":"notes.md","edits":[{"oldText":"Monday","newText":"Tuesday"}]"#;

fn done(text: &str) -> Said {
    Said::Done(text.to_owned())
}

fn wrong(text: &str) -> Said {
    Said::Wrong(text.to_owned())
}

#[tokio::test]
async fn a_misspelt_dry_run_edits_the_file() {
    let mut wire = Wire::open().await;
    assert_eq!(wire.call("edit_file", &format!(r#"{{{EDIT},"dry_run":true}}"#)).await, done("edited notes.md"));
    assert!(wire.world().await.files["notes.md"].contains("Tuesday"));
}

#[tokio::test]
async fn a_dry_run_leaves_the_file() {
    let mut wire = Wire::open().await;
    let said = wire.call("edit_file", &format!(r#"{{{EDIT},"dryRun":true}}"#)).await;
    assert_eq!(said, done("would edit notes.md; nothing was written"));
    assert_eq!(wire.world().await.files, World::new().files);
}

#[tokio::test]
async fn the_last_of_two_equal_names_wins() {
    let mut wire = Wire::open().await;
    let arguments = format!(r#"{{{EDIT},"path":"README.md"}}"#);
    assert_eq!(wire.call("edit_file", &arguments).await, done("edited README.md"));
    assert_eq!(wire.world().await.files["notes.md"], World::new().files["notes.md"]);
}

#[tokio::test]
async fn a_tool_without_parameters_takes_any() {
    let mut wire = Wire::open().await;
    assert_eq!(wire.world().await.trash.len(), 3);
    assert_eq!(wire.call("empty_trash", r#"{"olderThanDays":365}"#).await, done("deleted 3 files for good"));
    assert!(wire.world().await.trash.is_empty());
    assert_eq!(wire.schema("empty_trash").await["type"], "object");
}

#[tokio::test]
async fn a_list_written_as_text_is_one_file_name() {
    let mut wire = Wire::open().await;
    let said = wire.call("view_file", r#"{"path":"[\"README.md\",\"notes.md\"]"}"#).await;
    assert_eq!(said, wrong(r#"no such file: ["README.md","notes.md"]"#));
    let Said::Done(text) = wire.call("view_file", r#"{"path":["README.md","notes.md"]}"#).await else {
        panic!("a list is shown")
    };
    assert!(text.contains("Tide tables") && text.contains("Ask Ada"));
    assert!(matches!(wire.call("view_file", r#"{"path":"notes.md"}"#).await, Said::Done(_)));
}

#[tokio::test]
async fn a_former_name_is_dropped_and_the_agent_starts_without_a_prompt() {
    let mut wire = Wire::open().await;
    let arguments = r#"{"title":"Pier","description":"Measure the pier."}"#;
    assert_eq!(wire.call("create_task", arguments).await, done("task 1 created, agent started"));
    let arguments = r#"{"title":"Pier","prompt":"Measure the pier."}"#;
    assert_eq!(wire.call("create_task", arguments).await, done("task 2 created, agent started"));
    let task = |prompt: Option<&str>| Task { title: "Pier".into(), prompt: prompt.map(Into::into) };
    assert_eq!(wire.world().await.tasks, [task(None), task(Some("Measure the pier."))]);
    assert!(!wire.schema("create_task").await.to_string().contains(r#""description":{"#));
}

#[tokio::test]
async fn a_missing_name_is_told_one_at_a_time_and_without_its_place() {
    let mut wire = Wire::open().await;
    let said = wire.call("show_walkthrough", r#"{"title":"t","steps":[{"file":"notes.md"},{"line":1}]}"#).await;
    let Said::Wrong(text) = said else { panic!("{said:?}") };
    assert!(text.contains("line") && !text.contains("text") && !text.contains("steps"), "{text}");
    assert_eq!(wire.world().await.walkthroughs.len(), 0);
    let right = r#"{"title":"t","steps":[{"file":"notes.md","line":1,"text":"Look."}]}"#;
    assert_eq!(wire.call("show_walkthrough", right).await, done("showing 1 steps"));
}

#[tokio::test]
async fn a_wrong_value_is_quoted_in_the_error() {
    let mut wire = Wire::open().await;
    let arguments = r#"{"name":"nightly","config":"API_KEY=sk-planted"}"#;
    let said = wire.call("set_executor_profile", arguments).await;
    assert!(matches!(&said, Said::Wrong(text) if text.contains("sk-planted")), "{said:?}");
}

#[tokio::test]
async fn a_number_written_as_text_is_refused() {
    let mut wire = Wire::open().await;
    let said = wire.call("set_executor_profile", r#"{"name":"nightly","maxTurns":"12"}"#).await;
    assert!(matches!(said, Said::Wrong(_)));
}

#[tokio::test]
async fn the_config_of_a_profile_takes_any_key() {
    let mut wire = Wire::open().await;
    let arguments = r#"{"name":"nightly","maxTurns":12,"config":{"SHELL":"bash","retry":{"x-delay":2}}}"#;
    assert_eq!(wire.call("set_executor_profile", arguments).await, done("profile nightly saved"));
    let world = wire.world().await;
    assert_eq!(json!(world.profiles["nightly"].config), json!({"SHELL":"bash","retry":{"x-delay":2}}));
    assert_eq!(wire.schema("set_executor_profile").await["properties"]["config"]["additionalProperties"], true);
}

#[tokio::test]
async fn a_block_of_the_wrong_form_is_told_without_its_place() {
    let mut wire = Wire::open().await;
    let blocks = r#"[{"type":"paragraph","data":{"text":"a"}},{"type":"artifact","data":{"caption":"c"}}]"#;
    let said = wire.call("write_lesson", &format!(r#"{{"title":"Tides","blocks":{blocks}}}"#)).await;
    let Said::Wrong(text) = said else { panic!("{said:?}") };
    assert!(text.contains("artifactId") && !text.contains("blocks"), "{text}");
    let schema = wire.schema("write_lesson").await;
    assert_eq!(schema["$defs"]["Block"]["oneOf"].as_array().map(Vec::len), Some(12));
}

#[tokio::test]
async fn a_key_inside_a_block_is_dropped() {
    let mut wire = Wire::open().await;
    let blocks = r#"[{"type":"image","data":{"imageUrl":"a.png","altText":"a pier"}}]"#;
    let said = wire.call("write_lesson", &format!(r#"{{"title":"Tides","blocks":{blocks}}}"#)).await;
    assert_eq!(said, done("lesson written, 1 blocks"));
}

#[tokio::test]
async fn the_joined_form_hides_what_its_server_judges_by() {
    let mut wire = Wire::open().await;
    let schema = wire.schema("add_block").await;
    assert_eq!(schema["properties"]["type"]["enum"].as_array().map(Vec::len), Some(12));
    assert_eq!(schema["properties"]["data"]["anyOf"].as_array().map(Vec::len), Some(12));
    assert!(schema["properties"]["data"]["anyOf"][0].get("const").is_none());
    let call = |kind: &str, data: &str| format!(r#"{{"lesson":"Tides","type":"{kind}","data":{data}}}"#);
    // No member of the list's union fits the first; the second fits one, though not the one its type stands for.
    for data in [r#"{"caption":"c"}"#, r#"{"text":"t"}"#] {
        assert_eq!(wire.call("add_block", &call("artifact", data)).await, wrong("data.artifactId is required"));
    }
    assert_eq!(wire.world().await.lessons.len(), 0);
    let right = call("artifact", r#"{"artifactId":"a-1"}"#);
    assert_eq!(wire.call("add_block", &right).await, done("block 1 added"));
    let cards = call("flashcards", r#"{"cards":[{"front":"ebb","back":"falling tide"}]}"#);
    assert_eq!(wire.call("add_block", &cards).await, done("block 2 added"));
    let wrong_kind = call("quiz", r#"{"question":"?","choices":"a","answer":0}"#);
    assert_eq!(wire.call("add_block", &wrong_kind).await, wrong("data is not that of a block of type quiz"));
}

#[tokio::test]
async fn every_call_is_noted_as_it_came() {
    let mut wire = Wire::open().await;
    wire.call("empty_trash", r#"{"olderThanDays":365}"#).await;
    let world = wire.world().await;
    assert_eq!(world.received.len(), 1);
    assert_eq!(world.received[0].tool, "empty_trash");
    assert_eq!(json!(world.received[0].arguments), json!({"olderThanDays":365}));
}
