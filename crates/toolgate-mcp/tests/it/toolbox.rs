//! Tools of an agent loop: the shared cases through it (R11), and a whole turn with each provider.

use crate::support::cases::{Case, Said, cases, policy, refused};
use crate::support::servers::{echoing, name, options, tool};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate::{Answer, Arguments, Contract, Provider};
use toolgate_mcp::{Call, Options, Toolbox, Tools, TypedTool};

/// What the library says of a case whose text a model wrote.
fn library(case: &Case, schema: &str, text: &str) -> Said {
    let mut policy = policy(&case.request);
    policy.options.agent_text = true;
    match Contract::from_text_with(schema, &policy).unwrap().check(Arguments::from_text(text)) {
        Ok(admitted) => Said::Admitted(serde_json::from_str(admitted.arguments_text()).ok()),
        Err(refusal) => refused(&serde_json::from_str(&refusal.to_json()).unwrap()),
    }
}

fn said(answer: &Answer) -> Said {
    match &answer.refusal {
        Some(refusal) => refused(refusal),
        None => Said::Admitted(serde_json::from_str(&answer.to_text()).ok()),
    }
}

#[tokio::test]
async fn every_case_has_one_verdict_here_too() {
    let cases = cases();
    let compiles = |case: &Case| Contract::from_text_with(&case.schema, &policy(&case.request)).is_ok();
    let (mut ours, mut tools) = (Vec::new(), Vec::new());
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| compiles(case)) {
        // Text is what a model writes; bytes that are none have been seen by the provider's client.
        let text = std::str::from_utf8(case.arguments.as_deref().unwrap_or_default());
        if let (Some(tool), Ok(text)) = (tool(index, case), text) {
            ours.push((index, case, serde_json::to_string(&tool.input_schema).unwrap(), text));
            tools.push(tool);
        }
    }
    let toolbox = Toolbox::new(Provider::OpenAiChat, options(&cases), Tools::from(echoing::<()>(tools)), ()).unwrap();
    let mut differences = Vec::new();
    for (index, case, schema, text) in &ours {
        let answer = toolbox.call(&name(*index), text).await;
        let (got, expected) = (said(&answer), library(case, schema, text));
        // What no object of the SDK's can hold is refused by name on the way to a handler.
        let is_held = expected != Said::Admitted(None);
        if got != expected && is_held {
            differences.push(format!("{}: {got:?}, and the library {expected:?}", case.id));
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    println!("Toolbox: {} cases of {}", ours.len(), cases.len());
    assert!(cases.is_empty() || ours.len() > cases.len() * 9 / 10);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Book {
    boat: String,
    #[serde(default)]
    nights: Option<u8>,
}

#[derive(Clone, Default)]
struct Harbour {
    booked: Arc<AtomicUsize>,
}

async fn book(harbour: Harbour, book: Book, _: Call) -> Result<String, String> {
    if book.boat == "Vasa" {
        return Err("it sinks".to_owned());
    }
    harbour.booked.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{} for {:?}", book.boat, book.nights))
}

fn tools() -> Tools<Harbour> {
    Tools::new().tool(TypedTool::new("harbour/book", book).description("Books a berth."))
}

#[tokio::test]
async fn a_turn_with_each_provider() {
    for provider in Provider::ALL {
        let harbour = Harbour::default();
        let toolbox = Toolbox::new(provider, Options::typed(), tools(), harbour.clone()).unwrap();
        let manifest: Value = serde_json::from_str(toolbox.manifest().json()).unwrap();
        assert!(manifest.to_string().contains("harbour_book") && !manifest.to_string().contains("harbour/book"));
        let done = toolbox.call("harbour_book", r#"{"boat":"Ann","nights":"2"}"#).await;
        assert_eq!((done.is_error, done.to_text().as_str()), (false, "Ann for Some(2)"));
        assert!(done.to_provider(provider, "c1", "harbour_book").to_string().contains("Ann for Some(2)"));
        let failed = toolbox.call("harbour_book", r#"{"boat":"Vasa"}"#).await;
        assert_eq!((failed.is_error, failed.to_text().as_str(), failed.refusal), (true, "it sinks", None));
        assert_eq!(harbour.booked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn what_a_model_gets_wrong_is_told_in_words_and_runs_nothing() {
    let harbour = Harbour::default();
    let toolbox = Toolbox::new(Provider::OpenAiChat, Options::typed(), tools(), harbour.clone()).unwrap();
    for (arguments, words) in [
        ("", "missing required `boat`"),
        ("```json\n{}\n```", "not one complete JSON value"),
        (r#"{"boat":"a","boat":"b"}"#, "this name is given twice"),
        (r#"{"boat":"a","night":1}"#, "did you mean `nights`"),
        ("null", "object"),
    ] {
        let answer = toolbox.call("harbour_book", arguments).await;
        let text = answer.to_text();
        assert!(answer.is_error && answer.refusal.is_some() && text.contains(words), "{arguments}: {text}");
    }
    let unknown = toolbox.call("book", "{}").await;
    assert_eq!(unknown.to_text(), "there is no tool `book`; there are harbour_book");
    assert_eq!(harbour.booked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn digits_and_strict_keep_their_meaning() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Exact {
        number: u64,
        #[serde(default)]
        other: u64,
    }
    let exact = |(): (), exact: Exact, _: Call| async move { format!("{} {}", exact.number, exact.other) };
    let open = |(): (), all: std::collections::BTreeMap<String, Value>, _: Call| async move { json!(all).to_string() };
    let tools = Tools::new().tool(TypedTool::new("exact", exact)).tool(TypedTool::new("open", open));
    let toolbox = Toolbox::strict(Provider::OpenAiResponses, Options::typed(), tools, ()).unwrap();
    let manifest: Value = serde_json::from_str(toolbox.manifest().json()).unwrap();
    let strict = (&manifest[0]["strict"], &manifest[1]["strict"]);
    assert_eq!(strict, (&json!(true), &json!(false)), "{:?}", toolbox.not_strict());
    assert_eq!(manifest[0]["parameters"]["required"], json!(["number", "other"]));
    assert_eq!(toolbox.not_strict().iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["open"]);
    let answer = toolbox.call("exact", r#"{"number":18446744073709551615,"other":null}"#).await;
    assert_eq!(answer.to_text(), "18446744073709551615 0");
}

#[tokio::test]
async fn what_has_run_is_no_refusal() {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Price {
        price: u32,
    }
    let harbour = Harbour::default();
    let tools = Tools::new().tool(TypedTool::new("book", book).output::<Price>());
    let toolbox = Toolbox::new(Provider::Anthropic, Options::typed(), tools, harbour.clone()).unwrap();
    let answer = toolbox.call("book", r#"{"boat":"Ann"}"#).await;
    assert!(answer.is_error && answer.refusal.is_none(), "{}", answer.to_text());
    assert!(answer.to_text().starts_with("the tool has run, but its answer"), "{}", answer.to_text());
    assert_eq!(harbour.booked.load(Ordering::SeqCst), 1);
    assert!(toolbox.call("book", "{}").await.refusal.is_some());
    assert_eq!(harbour.booked.load(Ordering::SeqCst), 1);
}
