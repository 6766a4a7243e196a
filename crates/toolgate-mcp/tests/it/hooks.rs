//! What is done before and after every call.

use crate::support::servers::Server;
use crate::support::wire::{Memory, Wire};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;
use std::sync::{Arc, Mutex};
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

/// Panics where it is told to, and notes who was asked.
#[derive(Clone, Default)]
struct Panics {
    told: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone)]
struct Who(&'static str);

impl Hook for Panics {
    fn before<'a>(&'a self, call: BeforeCall<'a>) -> Decision<'a> {
        // One panics before there is anything to wait for, the other while it is waited for.
        assert!(call.arguments["word"] != "before", "on purpose");
        Box::pin(async move {
            call.context.insert(Who("asked"));
            assert!(call.arguments["word"] != "later", "on purpose");
            Before::Run
        })
    }

    fn after(&self, call: AfterCall<'_>) {
        let who = call.context.get::<Who>().map_or("nobody", |who| who.0);
        self.told.lock().unwrap().push(format!("{who}: {}", call.outcome.word()));
        assert!(!matches!(call.outcome, toolgate_mcp::Outcome::Answered { .. }), "on purpose");
    }
}

#[tokio::test]
async fn whoever_calls_has_an_answer_though_a_hook_panics() {
    let panics = Panics::default();
    let options = Options::typed().hook(panics.clone()).hook(panics.clone());
    let router = Guard::new(options)
        .tools(Tools::new().tool(TypedTool::new("echo", |_: Server, word: Word, _: Call| async { word.word })));
    let mut wire = Wire::open(Server { router }).await;
    for word in ["before", "later"] {
        let answer = wire.call("echo", &json!({ "word": word }).to_string()).await;
        assert_eq!(answer["error"]["message"], "a hook before the tool panicked", "{answer}");
    }
    let answer = wire.call("echo", r#"{"word":"after"}"#).await;
    assert_eq!(answer["result"]["content"][0]["text"], "after", "{answer}");
    let expected = ["nobody: failed", "nobody: failed", "asked: failed", "asked: failed"];
    let expected = expected.into_iter().chain(["asked: answered", "asked: answered"]).collect::<Vec<_>>();
    assert_eq!(*panics.told.lock().unwrap(), expected, "each hook is told of each call");
}

/// A handler written by hand that panics before it gives a future.
struct Sudden;

impl rmcp::ServerHandler for Sudden {
    fn get_info(&self) -> rmcp::model::ServerConfig {
        rmcp::model::ServerConfig::new(rmcp::model::ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<rmcp::model::PaginatedRequestParams>,
        _: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Result<rmcp::model::ListToolsResult, ErrorData> {
        let schema = json!({"type": "object"}).as_object().cloned().unwrap();
        let tools = ["t", "u"].map(|name| rmcp::model::Tool::new(name, "", Arc::new(schema.clone())));
        Ok(rmcp::model::ListToolsResult::with_all_items(tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        assert!(name != "u", "on purpose");
        None
    }

    fn call_tool(
        &self,
        _: rmcp::model::CallToolRequestParams,
        _: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> impl Future<Output = Result<rmcp::model::CallToolResponse, ErrorData>> + Send + '_ {
        assert!(std::env::args().next().is_none(), "on purpose");
        std::future::ready(Err(ErrorData::internal_error("it has not panicked", None)))
    }
}

#[tokio::test]
async fn whoever_calls_has_an_answer_though_a_handler_panics_at_once() {
    let mut wire = Wire::open(toolgate_mcp::Guarded::new(Sudden)).await;
    assert_eq!(wire.call("t", "{}").await["error"]["message"], "the tool panicked");
    assert_eq!(wire.call("u", "{}").await["error"]["message"], "the list of tools panicked");
}

/// Whose call a refused one was: over HTTP the credential is in the context.
#[derive(Clone, Default)]
struct Auditor(Arc<Mutex<Vec<String>>>);

impl Hook for Auditor {
    fn after(&self, call: AfterCall<'_>) {
        let parts = call.context.get::<http::request::Parts>().unwrap();
        let who = parts.headers["authorization"].to_str().unwrap();
        self.0.lock().unwrap().push(format!("{who} {}", call.outcome.word()));
    }
}

#[tokio::test]
async fn a_hook_is_told_whose_call_was_refused() {
    let auditor = Auditor::default();
    let options = Options::typed().hook(auditor.clone());
    let router = Guard::new(options)
        .tools(Tools::new().tool(TypedTool::new("echo", |_: Server, word: Word, _: Call| async { word.word })));
    let http = crate::support::http::Http::serve(move || Server { router: router.clone() }).await;
    for arguments in [r#"{"word":7}"#, r#"{"word":"a"}"#] {
        http.call("echo", Some(arguments.as_bytes()), &[("Authorization", "Bearer ann")]).await;
    }
    assert_eq!(*auditor.0.lock().unwrap(), ["Bearer ann refused", "Bearer ann answered"]);
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Counted {
    count: u8,
}

#[tokio::test]
async fn what_was_answered_amiss_is_no_refusal_whoever_answers() {
    let told = Arc::new(Mutex::default());
    let options = Options::typed().hook(Witness { name: "one", told: Arc::clone(&told) });
    let bare = |_: Server, word: Word, _: Call| async { word.word };
    let router = Guard::new(options).tools(Tools::new().tool(TypedTool::new("count", bare).output::<Counted>()));
    let mut wire = Wire::open(Server { router }).await;
    let answer = wire.call("count", r#"{"word":"a"}"#).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer["result"]["_meta"].get("toolgate/refusal").is_none(), "it has run: {answer}");
    assert_eq!(answer["result"]["_meta"]["toolgate/fault"]["violations"][0]["code"], "contract-mismatch");
    assert_eq!(told.lock().unwrap().last().unwrap(), "one after a: misanswered");
    let schema = json!({"word": "plain"});
    let answer = wire.call("count", &schema.to_string()).await;
    assert_eq!(answer["result"]["content"][1]["text"], "plain", "nothing of the answer is lost: {answer}");
}

/// What was read from text, and what was let through although the contract refuses it, is told to the hooks.
#[tokio::test]
async fn hooks_see_how_a_call_was_admitted() {
    #[derive(Clone)]
    struct Ledger(Arc<Mutex<Vec<String>>>);
    impl Hook for Ledger {
        fn before<'a>(&'a self, call: BeforeCall<'a>) -> Decision<'a> {
            self.0.lock().unwrap().push(format!("before {}", call.admission.to_log()));
            Box::pin(std::future::ready(Before::Run))
        }

        fn after(&self, call: AfterCall<'_>) {
            self.0.lock().unwrap().push(format!("{} {}", call.outcome.word(), call.admission.to_log()));
        }
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Count {
        n: u32,
    }
    let mut told = Vec::new();
    for judge in [toolgate::Judge::Contract, toolgate::Judge::Server] {
        let ledger = Ledger(Arc::default());
        let policy = move |_: &str| toolgate::Policy { judge, ..Options::typed_policy() };
        let options = Options::typed().policy(policy).hook(ledger.clone());
        let count = |_: Server, count: Count, _: Call| async move { count.n.to_string() };
        let router = Guard::new(options).tools(Tools::new().tool(TypedTool::new("count", count)));
        let mut wire = Wire::open(Server { router }).await;
        for arguments in [r#"{"n":5}"#, r#"{"n":"5"}"#, r#"{"n":5,"SECRET":1}"#] {
            wire.call("count", arguments).await;
        }
        told.push(ledger.0.lock().unwrap().join("; "));
    }
    assert_eq!(told[0], "before ; answered ; before number-text@/n; answered number-text@/n; refused ");
    // The type still reads the arguments, and its refusals stand.
    let recorded = "before ; answered ; before recorded type@/n; refused recorded type@/n; \
                    before recorded unknown-argument@/*; refused recorded unknown-argument@/*";
    assert_eq!(told[1], recorded);
}
