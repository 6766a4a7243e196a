//! A rig agent with the tools of a box, over HTTP: what the model is shown, what it reads of a refusal, and which of what it writes
//! rig has lost before the judge sees it.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "../../toolgate-mcp/examples/agent_loop/harbour.rs"]
mod harbour;
#[allow(dead_code, reason = "the example uses all of it")]
#[path = "../../toolgate-mcp/examples/agent_loop/provider/mod.rs"]
mod provider;

use harbour::{Harbour, tools};
use provider::{Script, ScriptedCall};
use rig_agent::agent::{CompletionCallAction, CompletionCallEvent, RequestPatch};
use rig_agent::prelude::*;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::tool::{ToolContext, ToolErrorKind};
use toolgate::Provider;
use toolgate_mcp::{Options, Toolbox};

const PROVIDERS: [Provider; 4] =
    [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini];

fn toolbox(provider: Provider, harbour: &Harbour) -> Toolbox<Harbour> {
    Toolbox::new(provider, Options::typed(), tools(), harbour.clone()).unwrap()
}

fn model(provider: Provider, base: &str) -> DynModel<Completion> {
    let openai = || OpenAIConfig::new("key").with_base_url(format!("{base}/v1")).client();
    match provider {
        Provider::OpenAiChat => openai().chat("gpt-5.2").into(),
        Provider::OpenAiResponses => openai().responses("gpt-5.2").into(),
        Provider::Anthropic => {
            AnthropicConfig::new("key").with_base_url(base).client().completion("claude-opus-4-6").into()
        }
        _ => GeminiConfig::new("key").with_base_url(base).client().completion("gemini-3-pro").into(),
    }
}

async fn ask(toolbox: &Toolbox<Harbour>, script: Script) -> Result<String, String> {
    let base = script.serve().await.unwrap();
    let agent = AgentBuilder::new(model(toolbox.provider(), &base));
    let agent = toolgate_rig::with_toolbox(agent, toolbox).unwrap().default_max_turns(8).build();
    let said = agent.prompt("What would two nights cost the Ada?").await;
    said.map(|said| said.output()).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_refusal_is_a_result_that_the_model_reads_and_the_loop_goes_on() {
    for provider in PROVIDERS {
        let harbour = Harbour::default();
        let toolbox = toolbox(provider, &harbour);
        let said = ask(&toolbox, Script::harbour(toolbox.manifest().tools().cloned())).await;
        assert_eq!(said, Ok("It would cost 60.".to_owned()), "{provider:?}");
        assert!(harbour.booked().is_empty(), "{provider:?}: what was refused, or only tried, has run");
    }
}

/// One call of the model, which is to be answered like this.
async fn call(provider: Provider, name: &'static str, arguments: &'static str, answer: &'static str, is_error: bool) {
    let harbour = Harbour::default();
    let toolbox = toolbox(provider, &harbour);
    let call = ScriptedCall { id: "call_1", name, arguments, answer, is_error };
    let tools = toolbox.manifest().tools().cloned().collect();
    let said = ask(&toolbox, Script { tools, rounds: vec![vec![call]], end: "I see." }).await;
    assert_eq!(said, Ok("I see.".to_owned()), "{provider:?} {name} {arguments}");
    assert!(harbour.booked().is_empty());
}

#[tokio::test]
async fn what_rig_does_not_bring_to_a_tool_is_refused_in_our_words() {
    for (arguments, answer) in [
        ("```json\n{}\n```", "not one complete JSON value"),
        (r#"{"boat":"Ada","nig"#, "not one complete JSON value"),
        (r#"["Ada",2]"#, "must be `object`"),
        (r#"{"boat":"\ud800","nights":2}"#, "not valid Unicode"),
        (r#"{"boat":"Ada","nights":1e400}"#, "/nights"),
    ] {
        for provider in [Provider::OpenAiChat, Provider::OpenAiResponses] {
            call(provider, "book_berth", arguments, answer, true).await;
        }
    }
    for provider in PROVIDERS {
        let known = "there is no tool `book_boat`; there are book_berth, list_berths";
        call(provider, "book_boat", "{}", known, true).await;
    }
}

/// Shows the model these tools alone, whatever the box has.
struct Only(&'static [&'static str]);

impl AgentHook for Only {
    async fn on_completion_call(&self, _: &HookContext, _: CompletionCallEvent<'_>) -> CompletionCallAction {
        CompletionCallAction::patch(RequestPatch::new().active_tools(self.0.iter().copied()))
    }
}

#[tokio::test]
async fn a_tool_that_the_agent_withholds_does_not_run() {
    let booking = r#"{"boat":"Ada","nights":2}"#;
    for (shown, arguments) in [
        (&["list_berths"][..], booking),
        // Neither does it where rig can tell nothing of the arguments, or has no tool at all in this turn.
        (&["list_berths"][..], r#"["Ada",2]"#),
        (&[][..], booking),
    ] {
        let harbour = Harbour::default();
        let toolbox = toolbox(Provider::OpenAiChat, &harbour);
        let answer = "there is no tool `book_berth`; there are list_berths";
        let call = ScriptedCall { id: "call_1", name: "book_berth", arguments, answer, is_error: true };
        let tools = toolbox.manifest().tools().filter(|tool| shown.contains(&&*tool.name)).cloned().collect();
        let base = Script { tools, rounds: vec![vec![call]], end: "I see." }.serve().await.unwrap();
        let agent = AgentBuilder::new(model(toolbox.provider(), &base));
        let agent = toolgate_rig::with_toolbox(agent, &toolbox).unwrap().add_hook(Only(shown)).default_max_turns(3);
        let said = agent.build().prompt("Book the Ada.").await.map(|said| said.output());
        match shown {
            [] => assert!(said.is_err(), "nobody knows which tools there are: {said:?}"),
            _ => assert_eq!(said.map_err(|error| error.to_string()), Ok("I see.".to_owned()), "{arguments}"),
        }
        assert!(harbour.booked().is_empty(), "{shown:?} {arguments}: a withheld tool has run");
    }
}

#[tokio::test]
async fn what_rig_has_lost_before() {
    let would_pay = "Ada would pay 60 to Port";
    for (arguments, answer, is_error) in [
        // The last of two counts.
        (r#"{"boat":"Eva","boat":"Ada","nights":2,"dryRun":true}"#, would_pay, false),
        // Digits beyond those of an f64 are rounded.
        (r#"{"boat":"Ada","nights":2.00000000000000000001,"dryRun":true}"#, would_pay, false),
        // It is absent arguments, where in a loop of one's own it is refused.
        ("null", "missing required `boat`", true),
    ] {
        call(Provider::OpenAiChat, "book_berth", arguments, answer, is_error).await;
    }
}

#[tokio::test]
async fn the_text_that_rig_has_is_judged_as_it_is() {
    let harbour = Harbour::default();
    let set = toolgate_rig::tool_set(&toolbox(Provider::OpenAiChat, &harbour)).unwrap();
    for (arguments, code) in [
        (r#"{"boat":"a","boat":"b","nights":1}"#, "duplicate-name"),
        (r#"{"boat":"a","nights":1.00000000000000000001}"#, "type"),
        ("", "required"),
        ("null", "type"),
        ("{", "invalid-json"),
    ] {
        let refused = set.execute("book_berth", arguments, &mut ToolContext::new()).await;
        let error = refused.error().unwrap_or_else(|| panic!("{arguments} is admitted"));
        assert_eq!((error.kind(), error.code()), (ToolErrorKind::InvalidArgs, Some(code)), "{arguments}");
        assert!(refused.output().as_text().unwrap().starts_with("The call was refused and nothing was run:"));
    }
    assert!(harbour.booked().is_empty());
}

#[tokio::test]
async fn what_an_operator_is_told_holds_no_word_of_the_call() {
    let set = toolgate_rig::tool_set(&toolbox(Provider::OpenAiChat, &Harbour::default())).unwrap();
    let arguments = r#"{"boat":{"SECRET":1},"SECRET":"SECRET","nights":2}"#;
    let refused = set.execute("book_berth", arguments, &mut ToolContext::new()).await;
    let error = refused.error().unwrap();
    assert_eq!(error.message(), "the call was refused: type, unknown-argument");
    assert!(!format!("{error:?} {refused:?}").contains("SECRET"));
}
