//! Modes: one swap, one notice, and every call in the set that it began in (R10).

use crate::support::http::Http;
use crate::support::wire::{Memory, Wire};
use rmcp::ServerHandler;
use rmcp::model::{ServerCapabilities, ServerConfig};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Barrier;
use toolgate_mcp::{Call, Group, Guard, ModeError, Moded, Modes, Options, Setting, Tools, TypedTool};

#[derive(Clone)]
struct Server {
    tools: Moded<Server>,
}

impl ServerHandler for Server {
    toolgate_mcp::serve_modes!(|server| server.tools);

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Word {
    word: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Number {
    number: u8,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct To {
    mode: String,
}

/// The same tool, with another contract in each mode.
fn words() -> Tools<Server> {
    Tools::new()
        .tool(TypedTool::new("say", |_: Server, word: Word, _: Call| async move { format!("word {}", word.word) }))
}

fn numbers() -> Tools<Server> {
    let say = |_: Server, number: Number, _: Call| async move { format!("number {}", number.number) };
    Tools::new().tool(TypedTool::new("say", say))
}

async fn switch(server: Server, to: To, _: Call) -> Result<String, String> {
    server.tools.switch(&to.mode).await.map(|changed| changed.to_string()).map_err(|error| error.to_string())
}

fn modes() -> Modes<Server> {
    Modes::new(Guard::new(Options::typed()))
        .group(Group::new("words", words()))
        .group(Group::new("numbers", numbers()))
        .group(Group::new("always", Tools::new().tool(TypedTool::new("switch", switch))))
        .group(Group::new("plugins", Tools::new()))
        .mode("words", ["words", "always", "plugins"])
        .mode("numbers", ["numbers", "always"])
        .mode("words again", ["always", "words"])
}

fn named(name: &'static str) -> TypedTool<Server> {
    TypedTool::new(name, |_: Server, _: Word, _: Call| async { String::new() })
}

#[tokio::test]
async fn a_switch_swaps_the_list_and_tells_once() {
    let tools = modes().serve("words", Setting::default()).unwrap();
    let mut wire = Wire::open(Server { tools: tools.clone() }).await;
    assert_eq!(text(&wire.call("say", r#"{"word":"a"}"#).await), "word a");
    let id = wire.send_call("switch", Some(br#"{"mode":"numbers"}"#)).await;
    let (notices, answer) = until(&mut wire, id).await;
    assert_eq!((notices, text(&answer)), (1, "true".into()));
    assert_eq!(text(&wire.call("say", r#"{"number":"7"}"#).await), "number 7");
    let refused = wire.call("say", r#"{"word":"a"}"#).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    // Nothing changes, and nobody is told; there is no such mode, and the old one stays.
    let id = wire.send_call("switch", Some(br#"{"mode":"numbers"}"#)).await;
    let (notices, answer) = until(&mut wire, id).await;
    assert_eq!((notices, text(&answer)), (0, "false".into()));
    let unknown = wire.call("switch", r#"{"mode":"nonsense"}"#).await;
    assert_eq!(text(&unknown), "there is no mode `nonsense`");
    assert_eq!(tools.mode(), "numbers");
    // The same list by another name.
    assert!(tools.switch("words").await.unwrap());
    assert!(!tools.switch("words again").await.unwrap());
    assert_eq!(tools.mode(), "words again");
}

/// How many notices came until the answer, and a little after it.
async fn until(wire: &mut Memory, id: u64) -> (usize, Value) {
    let mut notices = 0;
    let mut answer = Value::Null;
    let ping = wire.id();
    loop {
        let message = wire.next().await;
        if message["method"] == "notifications/tools/list_changed" {
            notices += 1;
        } else if message["id"] == id {
            answer = message;
            // Whatever was to be told has been by the time that a later request is answered.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            wire.write(json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}).to_string().as_bytes()).await;
        } else if message["id"] == ping {
            return (notices, answer);
        }
    }
}

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test]
async fn a_bad_set_is_refused_before_it_serves_and_leaves_the_old_one() {
    let twice = modes().mode("both", ["words", "numbers"]);
    let Err(ModeError::Closed { mode, tools }) = twice.serve("words", Setting::default()) else { panic!() };
    assert_eq!((mode.as_str(), tools.0[0].name.as_str()), ("both", "say"));
    let missing = modes().mode("odd", ["nothing"]).serve("words", Setting::default());
    assert_eq!(missing.unwrap_err().to_string(), "the mode `odd` names the group `nothing`, which there is not");
    assert!(matches!(modes().serve("nonsense", Setting::default()), Err(ModeError::Unknown(_))));
    let clash = Group::new("clash", words()).surface("desktop");
    let tools = modes().group(clash).mode("words", ["words", "clash"]).serve("words", Setting::default()).unwrap();
    assert!(tools.set(Setting::default().surface("desktop")).await.is_err());
    assert_eq!(tools.names(), ["say"], "the old set serves on");
}

#[tokio::test]
async fn groups_are_chosen_by_surface_capability_and_provider() {
    let modes = Modes::<Server>::new(Guard::new(Options::typed()))
        .group(Group::new("a", Tools::new().tool(named("everywhere"))))
        .group(Group::new("b", Tools::new().tool(named("desktop"))).surface("desktop").surface("web"))
        .group(Group::new("c", Tools::new().tool(named("disk"))).needs("filesystem").needs("write"))
        .group(Group::new("d", Tools::new().tool(named("openai"))).provider("openai"))
        .mode("all", ["a", "b", "c", "d"]);
    // The providers that there are, one that is named beside them, and none.
    assert_eq!(modes.settings().len(), 3 * (toolgate::Provider::ALL.len() + 2) * 2);
    for setting in modes.settings() {
        modes.compile("all", &setting).unwrap();
    }
    let tools = modes.serve("all", Setting::default().capability("write")).unwrap();
    assert_eq!(tools.names(), ["everywhere"]);
    assert!(tools.set(Setting::default().surface("web").capability("write").capability("filesystem")).await.unwrap());
    assert_eq!(tools.names(), ["desktop", "disk", "everywhere"]);
    assert!(tools.set(Setting::default().provider("openai")).await.unwrap());
    assert_eq!(tools.names(), ["everywhere", "openai"]);
}

#[tokio::test]
async fn sideloaded_tools_come_by_generation_and_revision_and_are_refused_one_by_one() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only registered")]
    struct Aliased {
        list: Vec<Alias>,
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only registered")]
    struct Alias {
        #[serde(alias = "b")]
        a: u8,
    }
    let tools = modes().serve("words", Setting::default()).unwrap();
    let bad = TypedTool::new("bad", |_: Server, _: Aliased, _: Call| async { String::new() });
    let load = Tools::new().tool(named("good")).tool(bad).tool(named("say"));
    let loaded = tools.sideload("plugins", "p", 1, 1, load).await.unwrap();
    assert_eq!(loaded.loaded, ["good"]);
    let refused: Vec<&str> = loaded.refused.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(refused, ["say", "bad"]);
    assert_eq!(tools.names(), ["good", "say", "switch"]);
    let older = tools.sideload("plugins", "p", 1, 1, Tools::new().tool(named("stale"))).await.unwrap();
    assert!(older.is_stale);
    let other = tools.sideload("plugins", "q", 1, 1, Tools::new().tool(named("good")).tool(named("other"))).await;
    assert_eq!(other.unwrap().loaded, ["other"], "the name `good` is taken by another source");
    tools.sideload("plugins", "p", 2, 0, Tools::new().tool(named("better"))).await.unwrap();
    assert_eq!(tools.names(), ["better", "other", "say", "switch"]);
    assert!(matches!(tools.sideload("odd", "p", 3, 0, Tools::new()).await, Err(ModeError::NoSuchGroup(_))));
}

/// `TOOLGATE_FULL` runs the long form.
fn switches() -> usize {
    if std::env::var_os("TOOLGATE_FULL").is_some() { 10_000 } else { 1_000 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_load_every_call_is_judged_and_run_by_one_set() {
    const CALLERS: usize = 64;
    let tools = modes().serve("words", Setting::default()).unwrap();
    let server = Server { tools: tools.clone() };
    let done = Arc::new(AtomicUsize::new(0));
    let effective = Arc::new(AtomicUsize::new(0));
    let answered = Arc::new(AtomicUsize::new(0));
    let begin = Arc::new(Barrier::new(CALLERS + 1));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (server, answered) = (server.clone(), Arc::clone(&answered));
            let (done, effective, begin) = (Arc::clone(&done), Arc::clone(&effective), Arc::clone(&begin));
            tokio::spawn(async move {
                let mut wire = Wire::open(server).await;
                // Whoever has a list is told of its changes, whether the server has read the end of the handshake by then or not.
                wire.ask("tools/list", &json!({})).await;
                begin.wait().await;
                let (mut calls, mut notices) = (0_usize, 0_usize);
                let is_over = || done.load(Ordering::SeqCst) == 1;
                while !is_over() {
                    // Right in one of the modes; whichever set judges it is the one that runs it.
                    let (arguments, right) = if calls.is_multiple_of(2) {
                        (r#"{"word":"w"}"#, "word w")
                    } else {
                        (r#"{"number":7}"#, "number 7")
                    };
                    let id = wire.send_call("say", Some(arguments.as_bytes())).await;
                    let answer = loop {
                        let message = wire.next().await;
                        match message["method"].as_str() {
                            Some("notifications/tools/list_changed") => notices += 1,
                            _ => break message,
                        }
                    };
                    assert_eq!(answer["id"], id, "no answer is lost");
                    let is_refused = answer["result"]["_meta"].get("toolgate/refusal").is_some();
                    assert!(is_refused || text(&answer) == right, "{answer}");
                    calls += 1;
                    answered.fetch_add(1, Ordering::SeqCst);
                }
                let expected = effective.load(Ordering::SeqCst);
                while notices < expected {
                    let message = wire.next().await;
                    notices += usize::from(message["method"] == "notifications/tools/list_changed");
                }
                // No notice too many: the next message is the answer to what is asked now.
                let ping = wire.id();
                wire.write(json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}).to_string().as_bytes()).await;
                assert_eq!(wire.next().await["id"], ping);
                calls
            })
        })
        .collect();
    begin.wait().await;
    for n in 0..switches() {
        // Every third is no change.
        let mode = ["numbers", "words", "words again"][n % 3];
        if tools.switch(mode).await.unwrap() {
            effective.fetch_add(1, Ordering::SeqCst);
        }
        // As many calls as switches, so that neither is over before the other has begun.
        while answered.load(Ordering::SeqCst) < n {
            tokio::task::yield_now().await;
        }
    }
    done.store(1, Ordering::SeqCst);
    let mut calls = 0;
    for caller in callers {
        calls += caller.await.unwrap();
    }
    assert_eq!(effective.load(Ordering::SeqCst), switches() - switches() / 3);
    assert!(calls >= switches() - 1);
}

async fn own(server: Server, to: To, call: Call) -> Result<String, String> {
    let switched = match to.mode.as_str() {
        "" => server.tools.release_for(call.request()).await,
        mode => server.tools.switch_for(call.request(), mode).await,
    };
    switched.map(|changed| changed.to_string()).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_mode_belongs_to_a_credential_until_it_is_let_go() {
    let own = Group::new("own", Tools::new().tool(TypedTool::new("own", own)));
    let modes = modes().group(own).mode("words", ["words", "own"]).mode("numbers", ["numbers", "own"]);
    let tools = modes.serve("words", Setting::default()).unwrap();
    let served = tools.clone();
    let http = Http::serve(move || Server { tools: served.clone() }).await;
    let call = async |who: Option<&str>, tool: &str, arguments: &str| {
        let headers: Vec<_> = who.map(|who| ("Authorization", who)).into_iter().collect();
        text(&http.call(tool, Some(arguments.as_bytes()), &headers).await.body)
    };
    let (ann, bob) = (Some("Bearer ann"), Some("Bearer bob"));
    assert_eq!(call(ann, "own", r#"{"mode":"numbers"}"#).await, "true");
    assert_eq!(call(ann, "own", r#"{"mode":"numbers"}"#).await, "false", "nothing changes");
    assert_eq!(call(ann, "say", r#"{"number":7}"#).await, "number 7");
    assert_eq!(call(bob, "say", r#"{"word":"a"}"#).await, "word a", "nobody else is switched");
    assert_eq!(call(Some("Bearer ann2"), "say", r#"{"word":"a"}"#).await, "word a", "a refreshed token is another");
    assert_eq!(call(ann, "own", r#"{"mode":"nonsense"}"#).await, "there is no mode `nonsense`");
    assert!(call(None, "own", r#"{"mode":"numbers"}"#).await.contains("no credential"));
    assert!(call(None, "own", r#"{"mode":""}"#).await.contains("no credential"));
    assert!(tools.switch("numbers").await.unwrap());
    assert!(!tools.switch("numbers").await.unwrap());
    assert_eq!(call(bob, "own", r#"{"mode":"words"}"#).await, "true");
    assert_eq!(call(bob, "say", r#"{"word":"a"}"#).await, "word a", "his own mode, whatever the server's is");
    assert_eq!(call(bob, "own", r#"{"mode":""}"#).await, "true");
    assert_eq!(call(bob, "say", r#"{"number":7}"#).await, "number 7");
    assert_eq!(call(bob, "own", r#"{"mode":""}"#).await, "false");
}

#[tokio::test]
async fn a_client_that_begins_again_and_again_is_told_once() {
    let tools = modes().serve("words", Setting::default()).unwrap();
    let mut wire = Wire::open(Server { tools: tools.clone() }).await;
    for _ in 0..20 {
        wire.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
    wire.ask("ping", &json!({})).await;
    let id = wire.send_call("switch", Some(br#"{"mode":"numbers"}"#)).await;
    let (notices, _) = until(&mut wire, id).await;
    assert_eq!(notices, 1);
}

#[tokio::test]
async fn there_is_one_page() {
    let tools = modes().serve("words", Setting::default()).unwrap();
    let mut wire = Wire::open(Server { tools }).await;
    assert!(wire.ask("tools/list", &json!({"cursor": ""})).await["result"]["tools"].is_array());
    let other = wire.ask("tools/list", &json!({"cursor": "2"})).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
}

#[test]
fn a_provider_is_known_by_its_word_and_by_that_of_its_profile() {
    let profile = |provider: &str| {
        let router = modes().compile("words", &Setting::default().provider(provider)).unwrap();
        router.list_all()
    };
    assert_eq!(profile("gemini"), profile(toolgate::Provider::Gemini.name()));
    assert_eq!(profile("openai"), profile(toolgate::Provider::OpenAiChat.name()));
    assert_eq!(profile("nobody's"), profile("portable"));
}
