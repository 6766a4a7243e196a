//! What is done before and after every call.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod support;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;
use std::sync::{Arc, Mutex};
use support::servers::Server;
use support::wire::{Memory, Wire};
use toolgate_mcp::{AfterCall, Before, BeforeCall, Call, Decision, Guard, Hook, Options, Tools, TypedTool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Word {
    word: String,
}

#[derive(Clone)]
struct Seen(String);

/// Sees each call, and does to it what its word says.
#[derive(Clone)]
struct Witness {
    name: &'static str,
    told: Arc<Mutex<Vec<String>>>,
}

impl Hook for Witness {
    fn before<'a>(&'a self, call: BeforeCall<'a>) -> Decision<'a> {
        Box::pin(async move {
            let word = call.arguments["word"].as_str().unwrap().to_owned();
            self.told.lock().unwrap().push(format!("{} before {word}", self.name));
            tokio::task::yield_now().await;
            call.context.insert(Seen(word.clone()));
            let with = |value| Before::RunWith(json!({ "word": value }).as_object().unwrap().clone());
            match word.as_str() {
                "answer" if self.name == "one" => Before::Answer(CallToolResult::error(vec![ContentBlock::text("no")])),
                "replace" => with(json!("replaced")),
                "spoil" => with(json!(7)),
                _ => Before::Run,
            }
        })
    }

    fn after(&self, call: AfterCall<'_>) {
        let seen = call.context.get::<Seen>().map_or("nothing".to_owned(), |seen| seen.0.clone());
        self.told.lock().unwrap().push(format!("{} after {seen}: {}", self.name, call.outcome.word()));
    }
}

async fn say(_: Server, word: Word, call: Call) -> Result<String, ErrorData> {
    match word.word.as_str() {
        "fail" => Err(ErrorData::internal_error("it failed", None)),
        "panic" => panic!("on purpose"),
        "wait" => {
            call.cancelled().await;
            Ok("cancelled".to_owned())
        }
        word => Ok(format!("{word}, seen as {}", call.get::<Seen>().unwrap().0)),
    }
}

async fn session() -> (Memory, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::default());
    let witness = |name| Witness { name, told: Arc::clone(&told) };
    let options = Options::typed().hook(witness("one")).hook(witness("two"));
    let router = Guard::new(options).tools(Tools::new().tool(TypedTool::new("say", say)));
    (Wire::open(Server { router }).await, told)
}

#[tokio::test]
async fn hooks_are_asked_in_order_and_told_in_reverse() {
    let (mut wire, told) = session().await;
    let answer = wire.call("say", r#"{"word":"a"}"#).await;
    assert_eq!(answer["result"]["content"][0]["text"], "a, seen as a", "{answer}");
    let expected = ["one before a", "two before a", "two after a: answered", "one after a: answered"];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[tokio::test]
async fn every_outcome_is_told_refusals_too() {
    let (mut wire, told) = session().await;
    let mut last = async |arguments: &str| {
        let answer = wire.call("say", arguments).await;
        (answer, told.lock().unwrap().last().unwrap().clone())
    };
    assert_eq!(last(r#"{"word":7}"#).await.1, "one after nothing: refused");
    assert_eq!(last("[]").await.1, "one after nothing: refused");
    assert_eq!(last(r#"{"word":"fail"}"#).await.1, "one after fail: failed");
    let (answer, word) = last(r#"{"word":"panic"}"#).await;
    assert_eq!(
        (answer["error"]["message"].as_str(), word.as_str()),
        (Some("the tool panicked"), "one after panic: failed")
    );
    let (answer, word) = last(r#"{"word":"answer"}"#).await;
    assert_eq!(
        (answer["result"]["content"][0]["text"].as_str(), word.as_str()),
        (Some("no"), "one after answer: answered-before")
    );
    let (answer, _) = last(r#"{"word":"replace"}"#).await;
    assert_eq!(answer["result"]["content"][0]["text"], "replaced, seen as replaced");
    let (answer, word) = last(r#"{"word":"spoil"}"#).await;
    let code = &answer["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"];
    assert_eq!((code.as_str(), word.as_str()), (Some("contract-mismatch"), "one after spoil: refused"), "{answer}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_over_when_its_handler_is() {
    let (mut wire, told) = session().await;
    let id = wire.send_call("say", Some(br#"{"word":"wait"}"#)).await;
    let told_of = async |line: &str| {
        while !told.lock().unwrap().iter().any(|told| told == line) {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    told_of("two before wait").await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    wire.write(cancel.to_string().as_bytes()).await;
    told_of("one after wait: answered").await;
}

#[tokio::test]
async fn parallel_calls_share_no_context() {
    let (mut wire, _) = session().await;
    let mut ids = Vec::new();
    for n in 0..50 {
        ids.push((n, wire.send_call("say", Some(format!(r#"{{"word":"w{n}"}}"#).as_bytes())).await));
    }
    let mut answers = std::collections::HashMap::new();
    for _ in &ids {
        let answer = wire.next().await;
        answers.insert(answer["id"].as_u64().unwrap(), answer["result"]["content"][0]["text"].clone());
    }
    for (n, id) in ids {
        assert_eq!(answers[&id], format!("w{n}, seen as w{n}"));
    }
}
