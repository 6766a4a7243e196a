//! The providers whose requests carry tools: how they want a list of them, and how an answer goes back.

mod answer;
mod manifest;

pub use answer::{Answer, Block};
pub use manifest::{Manifest, ManifestTool};

use crate::profile::Profile;

/// Whose request a list of tools goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// Chat Completions of OpenAI, and of those who copied it.
    OpenAiChat,
    /// Responses of OpenAI.
    OpenAiResponses,
    /// Messages of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
    /// Chat of Mistral.
    Mistral,
    /// Converse of Amazon Bedrock.
    Bedrock,
}

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 6] = [
        Provider::OpenAiChat,
        Provider::OpenAiResponses,
        Provider::Anthropic,
        Provider::Gemini,
        Provider::Mistral,
        Provider::Bedrock,
    ];

    /// The word for it, such as `openai-chat`.
    pub fn name(self) -> &'static str {
        match self {
            Provider::OpenAiChat => "openai-chat",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::Mistral => "mistral",
            Provider::Bedrock => "bedrock",
        }
    }

    /// The provider of this word.
    pub fn named(name: &str) -> Option<Self> {
        Provider::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// The profile that tools are published under for it.
    pub fn profile(self) -> &'static Profile {
        self.row(match self {
            Provider::OpenAiChat | Provider::OpenAiResponses => "openai",
            other => other.name(),
        })
    }

    /// The profile of its strict mode, where it has one: the model cannot write what the schema excludes. A tool that the mode does
    /// not take, or for which a request has no room, is shown in the ordinary form (see [`crate::profile::Strict`]).
    pub fn strict_profile(self) -> Option<&'static Profile> {
        match self {
            Provider::OpenAiChat | Provider::OpenAiResponses => Some(self.row("openai-strict")),
            Provider::Anthropic => Some(self.row("anthropic-strict")),
            _ => None,
        }
    }

    fn row(self, name: &str) -> &'static Profile {
        // A test holds that each has its row.
        Profile::named(name).unwrap_or(Profile::portable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_word_and_a_row() {
        for provider in Provider::ALL {
            assert_eq!(Provider::named(provider.name()), Some(provider));
            assert_ne!(provider.profile().name, "portable");
            assert_ne!(provider.strict_profile().map(|profile| profile.name), Some("portable"));
        }
        assert_eq!(Provider::named("nobody"), None);
    }
}
