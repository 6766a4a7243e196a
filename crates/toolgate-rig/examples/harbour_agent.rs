//! A rig agent with guarded tools, once for each of four APIs, against a provider that stands in for a model. The model misspells
//! an argument, gets the refusal back as the answer to its call, and calls rightly:
//!
//! ```sh
//! cargo run --manifest-path crates/toolgate-rig/Cargo.toml --example harbour_agent
//! ```
#![allow(clippy::print_stdout, reason = "an example speaks to whoever runs it")]

#[path = "../../toolgate-mcp/examples/agent_loop/harbour.rs"]
mod harbour;
#[allow(clippy::indexing_slicing, reason = "of JSON, where what is not there is null")]
#[path = "../../toolgate-mcp/examples/agent_loop/provider/mod.rs"]
mod provider;

use harbour::{Harbour, tools};
use provider::Script;
use rig_agent::prelude::*;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use toolgate::Provider;
use toolgate_mcp::{Options, Toolbox};
use toolgate_rig::with_toolbox;

/// A client of rig's for this API, at this URL.
fn model(provider: Provider, base: &str) -> DynModel<Completion> {
    match provider {
        Provider::OpenAiChat => {
            OpenAIConfig::new("key").with_base_url(format!("{base}/v1")).client().chat("gpt-5.2").into()
        }
        Provider::OpenAiResponses => {
            OpenAIConfig::new("key").with_base_url(format!("{base}/v1")).client().responses("gpt-5.2").into()
        }
        Provider::Anthropic => {
            AnthropicConfig::new("key").with_base_url(base).client().completion("claude-opus-4-6").into()
        }
        _ => GeminiConfig::new("key").with_base_url(base).client().completion("gemini-3-pro").into(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for provider in [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        let harbour = Harbour::default();
        let toolbox = Toolbox::new(provider, Options::typed(), tools(), harbour.clone())?;
        let base = Script::harbour(toolbox.manifest().tools().cloned()).serve().await?;
        let agent = with_toolbox(AgentBuilder::new(model(provider, &base)), &toolbox)?.default_max_turns(8).build();
        let said = agent.prompt("What would two nights cost the Ada?").await?;
        println!("{}: {} Booked: {:?}", provider.name(), said.output(), harbour.booked());
    }
    Ok(())
}
