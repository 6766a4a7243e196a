//! What the guide promises, of this server.

use notes_server::{Note, Notes};
use serde_json::{Value, json};
use toolgate_mcp::testing::{
    Client, assert_all_compile, assert_every_property_matters, assert_refused_without_effect, assert_type_takes_all,
};
use toolgate_mcp::toolgate::Contract;
use toolgate_mcp::{Group, Guard, Modes, Options, Tools, guard, try_guard};

#[test]
fn every_tool_is_served_to_every_reader() {
    assert_eq!(try_guard(Notes::tool_router()).expect("none is closed").list_all().len(), 4);
    let tools = Tools::new().router(Notes::tool_router());
    let modes = Modes::new(Guard::new(Options::typed())).group(Group::new("notes", tools)).mode("notes", ["notes"]);
    assert_all_compile(&modes);
}

#[test]
fn every_type_takes_what_its_contract_admits() {
    let router = guard(Notes::tool_router());
    let contract = |tool: &str| router.contract(tool).expect("it is served");
    assert_type_takes_all::<notes_server::AddNote>(contract("add_note"));
    assert_type_takes_all::<notes_server::FindNotes>(contract("find_notes"));
    assert_type_takes_all::<notes_server::EditNote>(contract("edit_note"));
    assert_type_takes_all::<notes_server::DropNote>(contract("drop_note"));
}

/// What a server says to a call, and which notes it has then. Two of its notes are found by the texts that are tried.
async fn run(tool: &str, arguments: Value) -> (String, Vec<Note>) {
    let notes = Notes::new();
    let mut client = Client::connect(notes.clone()).await;
    for title in ["b", "a"] {
        let note = json!({"title": title, "text": "5 is true", "tags": ["", "5", "true"]});
        assert!(!client.call("add_note", &note.to_string()).await.is_error());
    }
    assert!(!client.call("add_note", r#"{"title":"c","text":"ice"}"#).await.is_error());
    let said = client.call(tool, &arguments.to_string()).await;
    (said.text(), notes.notes())
}

#[tokio::test]
async fn every_declared_property_is_read() {
    let router = guard(Notes::tool_router());
    for tool in ["add_note", "find_notes", "edit_note", "drop_note"] {
        let contract: &Contract = router.contract(tool).expect("it is served");
        assert_every_property_matters(contract, async |arguments| run(tool, arguments).await).await;
    }
}

#[tokio::test]
async fn a_call_that_is_not_as_it_should_be_changes_nothing() {
    let notes = Notes::new();
    let mut client = Client::connect(notes.clone()).await;
    client.call("add_note", r#"{"title":"Ice","text":"thin"}"#).await;
    for (tool, arguments, codes) in [
        ("drop_note", r#"{"id":1,"dryRun":true}"#, ["unknown-argument@/dryRun"].as_slice()),
        (
            "edit_note",
            r#"{"id":1,"steps":[{"do":"retitle","title":"Sea"}],"dry_run":true}"#,
            &["unknown-argument@/dry_run"],
        ),
        ("edit_note", r#"{"id":1,"steps":[{"do":"append","line":"!"},{"do":"retitle"}]}"#, &["required@/steps/1"]),
        (
            "edit_note",
            r#"{"id":1,"steps":[{"do":"append","line":"!","title":"Sea"}]}"#,
            &["unknown-argument@/steps/0/title"],
        ),
        ("edit_note", r#"{"id":1,"steps":[{"do":"erase"}]}"#, &["enum@/steps/0/do"]),
        ("edit_note", r#"[1]"#, &["type@"]),
        ("add_note", r#"{"title":"Sea","text":"wide","tags":"[\"blue\"]","tag":"deep"}"#, &["unknown-argument@/tag"]),
        ("find_notes", r#"{"order":"backwards","limit":300}"#, &["maximum@/limit", "enum@/order"]),
    ] {
        let said = assert_refused_without_effect(&mut client, tool, arguments, || notes.notes()).await;
        assert_eq!(said, codes, "{tool} {arguments}");
    }
    // As it should be.
    let edit = json!({"id": 1, "steps": [{"do": "tag", "add": ["cold"]}, {"do": "append", "line": "very"}]});
    let said = client.call("edit_note", &edit.to_string()).await;
    assert_eq!(said.text(), "it is now: 1 Ice [cold] thin\nvery");
}
