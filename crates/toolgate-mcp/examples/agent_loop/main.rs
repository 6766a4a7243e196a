//! An agent loop by hand, once for each of four APIs, against a provider that stands in for a model. The model misspells an
//! argument, gets the refusal back as the answer to its call, and calls rightly:
//!
//! ```sh
//! cargo run -p toolgate-mcp --example agent_loop
//! ```
#![allow(clippy::print_stdout, reason = "an example speaks to whoever runs it")]

mod anthropic;
mod gemini;
mod harbour;
mod openai_chat;
mod openai_responses;
mod post;
#[allow(clippy::indexing_slicing, reason = "of JSON, where what is not there is null")]
mod provider;

use harbour::{Harbour, tools};
use post::Error;
use provider::Script;
use toolgate::Provider;
use toolgate_mcp::{Options, Toolbox};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let question = "What would two nights cost the Ada?";
    for provider in [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        let harbour = Harbour::default();
        let toolbox = Toolbox::new(provider, Options::typed(), tools(), harbour.clone())?;
        let base = Script::harbour(toolbox.manifest().tools().cloned()).serve().await?;
        let said = match provider {
            Provider::OpenAiChat => openai_chat::ask(&base, &toolbox, question).await?,
            Provider::OpenAiResponses => openai_responses::ask(&base, &toolbox, question).await?,
            Provider::Anthropic => anthropic::ask(&base, &toolbox, question).await?,
            _ => gemini::ask(&base, &toolbox, question).await?,
        };
        println!("{}: {said} Booked: {:?}", provider.name(), harbour.booked());
    }
    Ok(())
}
