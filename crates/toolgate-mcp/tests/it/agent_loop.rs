//! The loops of the example: each brings a refusal back to the model in its API's own shape, and what the model wrote to the
//! judge as it wrote it. The provider that stands in for a model takes no request that is not well-formed, which is tested too.

#[path = "../../examples/agent_loop/anthropic.rs"]
mod anthropic;
#[path = "../../examples/agent_loop/gemini.rs"]
mod gemini;
#[path = "../../examples/agent_loop/harbour.rs"]
mod harbour;
#[path = "../../examples/agent_loop/openai_chat.rs"]
mod openai_chat;
#[path = "../../examples/agent_loop/openai_responses.rs"]
mod openai_responses;
#[path = "../../examples/agent_loop/post.rs"]
mod post;
#[path = "../../examples/agent_loop/provider/mod.rs"]
mod provider;

use harbour::{Harbour, tools};
use post::Error;
use provider::{Script, ScriptedCall};
use serde_json::{Value, json};
use toolgate::Provider;
use toolgate_mcp::{Options, Toolbox};

const PROVIDERS: [Provider; 4] =
    [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini];

fn toolbox(provider: Provider, harbour: &Harbour) -> Toolbox<Harbour> {
    Toolbox::new(provider, Options::typed(), tools(), harbour.clone()).unwrap()
}

async fn ask(toolbox: &Toolbox<Harbour>, script: Script) -> Result<String, Error> {
    let base = script.serve().await.unwrap();
    let question = "What would two nights cost the Ada?";
    match toolbox.provider() {
        Provider::OpenAiChat => openai_chat::ask(&base, toolbox, question).await,
        Provider::OpenAiResponses => openai_responses::ask(&base, toolbox, question).await,
        Provider::Anthropic => anthropic::ask(&base, toolbox, question).await,
        _ => gemini::ask(&base, toolbox, question).await,
    }
}

#[tokio::test]
async fn a_refusal_goes_back_in_the_shape_of_each_api_and_the_call_is_mended() {
    for provider in PROVIDERS {
        let harbour = Harbour::default();
        let toolbox = toolbox(provider, &harbour);
        let said = ask(&toolbox, Script::harbour(toolbox.manifest().tools().cloned())).await;
        assert_eq!(said.unwrap(), "It would cost 60.", "{provider:?}");
        assert!(harbour.booked().is_empty(), "{provider:?}: what was refused, or only tried, has run");
    }
}

#[tokio::test]
async fn the_judge_gets_the_text_that_the_model_wrote() {
    let call = |arguments, answer| ScriptedCall { id: "call_1", name: "book_berth", arguments, answer, is_error: true };
    let everywhere = [
        call(r#"{"boat":"Ada","nights":2,"nights":3}"#, "/nights: this name is given twice"),
        call(r#"{"boat":"Ada","nights":2.00000000000000000001}"#, "/nights: must be `integer`"),
        call(r#"{"boat":"Ada","nights":123456789012345678901234567890}"#, "/nights"),
    ];
    let where_it_is_text = [
        call(r#"{"boat":"Ada","nights":1e400}"#, "/nights"),
        call("```json\n{}\n```", "not one complete JSON value"),
        call("null", "must be `object`"),
    ];
    for provider in PROVIDERS {
        let is_text = matches!(provider, Provider::OpenAiChat | Provider::OpenAiResponses);
        let texts: &[ScriptedCall] = if is_text { &where_it_is_text } else { &[] };
        for call in everywhere.iter().chain(texts) {
            let harbour = Harbour::default();
            let toolbox = toolbox(provider, &harbour);
            let tools = toolbox.manifest().tools().cloned().collect();
            let said = ask(&toolbox, Script { tools, rounds: vec![vec![*call]], end: "I see." }).await;
            assert_eq!(said.map_err(|error| error.to_string()), Ok("I see.".to_owned()), "{provider:?} {call:?}");
            assert!(harbour.booked().is_empty());
        }
    }
}

/// A request that is well-formed but for what `change` does to it.
fn fault(provider: Provider, change: impl Fn(&mut Value)) -> String {
    let toolbox = toolbox(provider, &Harbour::default());
    let script = Script::harbour(toolbox.manifest().tools().cloned());
    let refusal = "/dry_run: unknown argument; did you mean `dryRun`?";
    let answered = |id, text, is_error| {
        let answer = if is_error { toolgate::Answer::error(text) } else { toolgate::Answer::text(text) };
        answer.to_provider(provider, id, if is_error { "book_berth" } else { "list_berths" })
    };
    let answers = [answered("call_1", refusal, true), answered("call_2", "all berths are free", false)];
    let tools: Value = serde_json::from_str(toolbox.manifest().json()).unwrap();
    let calls = [("call_1", "book_berth", json!({"boat": "Ada"})), ("call_2", "list_berths", json!({}))];
    let (path, mut request) = match provider {
        Provider::OpenAiChat => {
            let calls = calls.map(|(id, name, arguments)| {
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
            });
            let turn = json!({"role": "assistant", "content": null, "tool_calls": calls});
            let messages = json!([{"role": "user", "content": "?"}, turn, answers[0], answers[1]]);
            ("/v1/chat/completions", json!({"model": "m", "messages": messages, "tools": tools}))
        }
        Provider::OpenAiResponses => {
            let [one, other] = calls.map(|(id, name, arguments)| {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()})
            });
            let input = json!([{"role": "user", "content": "?"}, one, other, answers[0], answers[1]]);
            ("/v1/responses", json!({"model": "m", "input": input, "tools": tools}))
        }
        Provider::Anthropic => {
            let calls =
                calls.map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input}));
            let messages = json!([
                {"role": "user", "content": "?"}, {"role": "assistant", "content": calls}, {"role": "user", "content": answers},
            ]);
            ("/v1/messages", json!({"model": "m", "max_tokens": 1, "messages": messages, "tools": tools}))
        }
        _ => {
            let calls = calls.map(|(id, name, args)| json!({"functionCall": {"id": id, "name": name, "args": args}}));
            let contents = json!([
                {"role": "user", "parts": [{"text": "?"}]}, {"role": "model", "parts": calls}, {"role": "user", "parts": answers},
            ]);
            ("/v1beta/models/m:generateContent", json!({"contents": contents, "tools": tools}))
        }
    };
    change(&mut request);
    let headers = ["authorization", "x-api-key", "anthropic-version", "x-goog-api-key"]
        .map(|name| (axum::http::HeaderName::from_static(name), axum::http::HeaderValue::from_static("key")));
    let reply = script.reply(&path.parse().unwrap(), &headers.into_iter().collect(), request.to_string().as_bytes());
    reply.err().unwrap_or_default()
}

/// Where an answer to a call stands in the request, and its id and text in that.
fn places(provider: Provider) -> (&'static str, &'static str, &'static str) {
    match provider {
        Provider::OpenAiChat => ("/messages/2", "/tool_call_id", "/content"),
        Provider::OpenAiResponses => ("/input/3", "/call_id", "/output"),
        Provider::Anthropic => ("/messages/2/content/0", "/tool_use_id", "/content/0/text"),
        _ => ("/contents/2/parts/0", "/functionResponse/id", "/functionResponse/response/error"),
    }
}

fn set(request: &mut Value, place: &str, value: Value) {
    *request.pointer_mut(place).unwrap_or_else(|| panic!("there is no {place}")) = value;
}

#[tokio::test]
async fn the_provider_of_the_tests_takes_only_what_is_well_formed() {
    for provider in PROVIDERS {
        assert_eq!(fault(provider, |_| ()), "", "{provider:?}");
        let (answer, id, text) = places(provider);
        let at = |place: &str| format!("{answer}{place}");
        let of_another = fault(provider, |request| set(request, &at(id), json!("call_9")));
        assert!(of_another.contains("call_9"), "{provider:?}: {of_another}");
        let doubled = fault(provider, |request| set(request, &at(id), json!("call_2")));
        assert!(!doubled.is_empty(), "{provider:?}: one call answered twice, the other never");
        let otherwise = fault(provider, |request| set(request, &at(text), json!("done")));
        assert!(otherwise.contains("is answered with"), "{provider:?}: {otherwise}");
        let missing = fault(provider, |request| {
            let (list, _) = answer.rsplit_once('/').unwrap();
            request
                .pointer_mut(list)
                .unwrap()
                .as_array_mut()
                .unwrap()
                .remove(answer.rsplit_once('/').unwrap().1.parse().unwrap());
        });
        assert!(missing.contains("answered are"), "{provider:?}: {missing}");
        let tool = match provider {
            Provider::OpenAiChat => "/tools/0/function",
            Provider::Gemini => "/tools/0/functionDeclarations/0",
            _ => "/tools/0",
        };
        let renamed = fault(provider, |request| set(request, &format!("{tool}/name"), json!("book/berth")));
        assert!(renamed.contains("is no name of a tool"), "{provider:?}: {renamed}");
        let untold = fault(provider, |request| set(request, &format!("{tool}/description"), json!("")));
        assert!(untold.contains("description"), "{provider:?}: {untold}");
        let further = fault(provider, |request| request.pointer_mut(tool).unwrap()["colour"] = json!("red"));
        assert!(further.contains("unknown parameter `colour`"), "{provider:?}: {further}");
        let schema = match provider {
            Provider::Anthropic => "input_schema",
            Provider::Gemini => "parametersJsonSchema",
            _ => "parameters",
        };
        let wider = fault(provider, |request| set(request, &format!("{tool}/{schema}"), json!({"type": "object"})));
        assert!(wider.contains("the schema is"), "{provider:?}: {wider}");
    }
    let is_error = fault(Provider::Anthropic, |request| set(request, "/messages/2/content/0/is_error", json!(false)));
    assert!(is_error.contains("is answered with"), "{is_error}");
    let strict = fault(Provider::OpenAiResponses, |request| set(request, "/tools/0/strict", json!(null)));
    assert!(strict.contains("must say so"), "{strict}");
}

#[tokio::test]
async fn the_example_runs() {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join("agent_loop");
    let run = tokio::process::Command::new(&program).output().await;
    let output = run.unwrap_or_else(|error| panic!("{} (`cargo test` builds it): {error}", program.display()));
    let said = String::from_utf8(output.stdout).unwrap();
    let line = |name: &str| format!("{name}: It would cost 60. Booked: []\n");
    let expected: String = ["openai-chat", "openai-responses", "anthropic", "gemini"].into_iter().map(line).collect();
    assert_eq!((output.status.code(), said), (Some(0), expected), "{}", String::from_utf8_lossy(&output.stderr));
}
