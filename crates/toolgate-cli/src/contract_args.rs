//! What several commands let their user say about a contract beside its schema.

use crate::input;
use crate::judge::set_word;
use clap::Args;
use std::path::Path;
use toolgate::{Alias, Policy, Profile};
use toolgate_gateway::policy::{Choices, ServerPolicy};

/// Who wrote a schema, and what becomes of keys that it does not declare.
#[derive(Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct OriginArgs {
    /// Who wrote the schema: this process, or another server [default: authored, and discovered for a list]
    #[arg(long, value_name = "authored|discovered", value_parser = ["authored", "discovered"], hide_possible_values = true)]
    pub(crate) origin: Option<String>,

    #[command(flatten)]
    pub(crate) keys: UnknownKeysArg,
}

/// What becomes of keys that a schema does not declare.
#[derive(Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct UnknownKeysArg {
    /// Which keys that the schema does not declare are refused [default: close-root]
    #[arg(long, value_name = "close-root|close-declared|as-written", value_parser = ["close-root", "close-declared", "as-written"], hide_possible_values = true)]
    pub(crate) unknown_keys: Option<String>,
}

impl UnknownKeysArg {
    /// Sets for every tool what was said; what a policy says of one tool stays.
    pub(crate) fn add_for_all(&self, policy: &mut ServerPolicy) -> Result<(), String> {
        let choices = Choices { unknown_keys: self.unknown_keys.clone(), ..Choices::default() };
        policy.add_for_all(&choices).map_err(|why| why.to_string())
    }
}

impl OriginArgs {
    /// Sets what was said.
    pub(crate) fn add_to(&self, policy: &mut Policy) -> Result<(), String> {
        for (field, word) in [("origin", &self.origin), ("unknown_keys", &self.keys.unknown_keys)] {
            if let Some(word) = word {
                set_word(policy, field, word)?;
            }
        }
        Ok(())
    }
}

/// A policy file of `toolgate run`; the error names the file.
pub(crate) fn policy(path: &Path) -> Result<ServerPolicy, String> {
    let text = input::text(path)?;
    ServerPolicy::read(&text).map_err(|why| format!("policy file {}: {why}", path.display()))
}

/// `NAME=FORMER` as an alias of the root.
pub(crate) fn alias(word: &str) -> Result<Alias, String> {
    let (name, former) = word.split_once('=').ok_or("--alias takes NAME=FORMER")?;
    Ok(Alias { at: String::new(), name: name.into(), former: vec![former.into()] })
}

/// The profile of this name; the error names the one that may have been meant, or all there are.
pub(crate) fn profile(name: &str) -> Result<&'static Profile, String> {
    Profile::named(name).ok_or_else(|| {
        if let Some(near) = Profile::near(name) {
            return format!("there is no profile of this name; did you mean `{}`?", near.name);
        }
        let names: Vec<&str> = Profile::all().iter().map(|profile| profile.name).collect();
        format!("there is no profile of this name; there are {}", names.join(", "))
    })
}
