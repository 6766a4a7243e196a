//! What a tool has answered, as a provider takes it back.

use super::Provider;
use serde_json::{Value, json};
use std::fmt;

/// One part of an answer.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// Its bytes in Base64.
        data: String,
    },
}

/// What a tool has answered, or that its call was refused.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The tool did not do what was asked.
    pub is_error: bool,
    /// What it says.
    pub content: Vec<Block>,
    /// The same as a value, where the tool answers so.
    pub structured: Option<Value>,
    /// Of a call that was refused the violations, for programs ([`Refusal::to_json`](crate::Refusal::to_json)); no provider gets
    /// them. Such a call has not run.
    pub refusal: Option<Value>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("is_error", &self.is_error).finish_non_exhaustive()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Block::Text(_) => "Text(..)",
            Block::Image { .. } => "Image(..)",
        })
    }
}

impl Answer {
    /// An answer of text.
    pub fn text(text: impl Into<String>) -> Self {
        Answer { is_error: false, content: vec![Block::Text(text.into())], structured: None, refusal: None }
    }

    /// Words that say why nothing was done.
    pub fn error(text: impl Into<String>) -> Self {
        Answer { is_error: true, ..Answer::text(text) }
    }

    /// All text; of an image that it is there, and the structured value where no text says the same.
    pub fn to_text(&self) -> String {
        let mut words: Vec<String> = self.content.iter().map(Block::to_words).collect();
        words.extend(self.unsaid().map(Value::to_string));
        words.join("\n")
    }

    /// The structured value, where no text says the same.
    fn unsaid(&self) -> Option<&Value> {
        self.structured.as_ref().filter(|_| !self.content.iter().any(|block| self.repeats(block)))
    }

    /// Whether a block is the structured value, written as text.
    fn repeats(&self, block: &Block) -> bool {
        match (block, &self.structured) {
            (Block::Text(text), Some(value)) => serde_json::from_str(text).is_ok_and(|said: Value| said == *value),
            _ => false,
        }
    }

    /// The answer to the call `id` of the tool that was shown as `name`, as the message or part of one that the provider takes.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Answer, Provider};
    /// let answer = Answer::error("there is no such file").to_provider(Provider::Anthropic, "toolu_1", "read");
    /// assert_eq!(answer["type"], "tool_result");
    /// assert_eq!((&answer["tool_use_id"], &answer["is_error"]), (&"toolu_1".into(), &true.into()));
    /// ```
    pub fn to_provider(&self, provider: Provider, id: &str, name: &str) -> Value {
        match provider {
            Provider::OpenAiChat => json!({"role": "tool", "tool_call_id": id, "content": self.to_text()}),
            Provider::Mistral => json!({"role": "tool", "tool_call_id": id, "name": name, "content": self.to_text()}),
            Provider::OpenAiResponses => {
                json!({"type": "function_call_output", "call_id": id, "output": self.to_text()})
            }
            Provider::Anthropic => {
                let content: Vec<Value> = self.blocks().iter().map(anthropic_block).collect();
                json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": self.is_error})
            }
            Provider::Gemini => {
                let response = match (self.is_error, &self.structured) {
                    (true, _) => json!({"error": self.to_text()}),
                    (false, Some(value)) => {
                        let beside: Vec<String> = self.beside().map(|block| block.to_words()).collect();
                        match beside.is_empty() {
                            true => json!({"output": value}),
                            false => json!({"output": value, "content": beside.join("\n")}),
                        }
                    }
                    (false, None) => json!({"output": self.to_text()}),
                };
                json!({"functionResponse": {"id": id, "name": name, "response": response}})
            }
            Provider::Bedrock => {
                let content: Vec<Value> = match &self.structured {
                    // An object; another value has no place there.
                    Some(value @ Value::Object(_)) if !self.is_error => {
                        let beside = self.beside().map(|block| bedrock_block(&block));
                        std::iter::once(json!({"json": value})).chain(beside).collect()
                    }
                    _ => self.blocks().iter().map(bedrock_block).collect(),
                };
                let status = if self.is_error { "error" } else { "success" };
                json!({"toolResult": {"toolUseId": id, "content": content, "status": status}})
            }
        }
    }

    /// The content as a provider takes it that takes images: no empty text, which is refused with the whole request, and an image
    /// of another type in words. Of the structured value what no text says; one block at least.
    fn blocks(&self) -> Vec<Block> {
        let unsaid = self.unsaid().map(|value| Block::Text(value.to_string()));
        let mut blocks: Vec<Block> = self.content.iter().filter_map(Block::taken).chain(unsaid).collect();
        if blocks.is_empty() {
            blocks.push(Block::Text("[the answer is empty]".to_owned()));
        }
        blocks
    }

    /// The same without what the structured value says.
    fn beside(&self) -> impl Iterator<Item = Block> {
        self.content.iter().filter(|block| !self.repeats(block)).filter_map(Block::taken)
    }
}

/// The images that the providers take which take any.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

impl Block {
    fn to_words(&self) -> String {
        match self {
            Block::Text(text) => text.clone(),
            Block::Image { media_type, .. } => format!("[an image, {media_type}, that cannot be shown here]"),
        }
    }

    /// The block as a provider takes it; `None` for one that says nothing.
    fn taken(&self) -> Option<Block> {
        match self {
            Block::Text(text) if text.is_empty() => None,
            Block::Image { media_type, .. } if !IMAGES.contains(&media_type.as_str()) => {
                Some(Block::Text(self.to_words()))
            }
            block => Some(block.clone()),
        }
    }
}

fn anthropic_block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Image { media_type, data } => {
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
        }
    }
}

fn bedrock_block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image { media_type, data } => {
            let format = media_type.strip_prefix("image/").unwrap_or(media_type);
            json!({"image": {"format": format, "source": {"bytes": data}}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Answer {
        let image = Block::Image { media_type: "image/png".into(), data: "QUJD".into() };
        Answer { content: vec![Block::Text("see".into()), image], ..Answer::text("") }
    }

    #[test]
    fn text_and_errors_go_back_in_each_shape() {
        let of = |answer: Answer, provider| answer.to_provider(provider, "c1", "add");
        for (provider, text, error) in [
            (Provider::OpenAiChat, "/content", "/content"),
            (Provider::Mistral, "/content", "/content"),
            (Provider::OpenAiResponses, "/output", "/output"),
            (Provider::Anthropic, "/content/0/text", "/content/0/text"),
            (Provider::Gemini, "/functionResponse/response/output", "/functionResponse/response/error"),
            (Provider::Bedrock, "/toolResult/content/0/text", "/toolResult/content/0/text"),
        ] {
            assert_eq!(of(Answer::text("7"), provider).pointer(text), Some(&json!("7")), "{provider:?}");
            assert_eq!(of(Answer::error("no"), provider).pointer(error), Some(&json!("no")), "{provider:?}");
            assert!(of(Answer::text("7"), provider).to_string().contains("c1"), "{provider:?}");
        }
        assert_eq!(of(Answer::error("no"), Provider::Bedrock)["toolResult"]["status"], "error");
        assert_eq!(of(Answer::text("7"), Provider::Gemini)["functionResponse"]["name"], "add");
    }

    #[test]
    fn images_go_where_they_are_taken_and_are_told_elsewhere() {
        let of = |provider| image().to_provider(provider, "c1", "see");
        assert_eq!(of(Provider::Anthropic)["content"][1]["source"]["data"], "QUJD");
        assert_eq!(of(Provider::Bedrock)["toolResult"]["content"][1]["image"]["format"], "png");
        assert!(of(Provider::OpenAiChat)["content"].as_str().unwrap().contains("an image, image/png"));
    }

    #[test]
    fn a_structured_answer_goes_as_a_value_where_it_can() {
        let answer = Answer { structured: Some(json!({"n": 7})), content: Vec::new(), ..Answer::text("") };
        let of = |provider| answer.to_provider(provider, "c1", "add");
        assert_eq!(of(Provider::Gemini)["functionResponse"]["response"]["output"]["n"], 7);
        assert_eq!(of(Provider::Bedrock)["toolResult"]["content"][0]["json"]["n"], 7);
        assert_eq!(of(Provider::OpenAiChat)["content"], r#"{"n":7}"#);
        assert_eq!(of(Provider::Anthropic)["content"][0]["text"], r#"{"n":7}"#);
    }

    #[test]
    fn nothing_goes_back_for_which_a_provider_refuses_the_conversation() {
        let icon = Block::Image { media_type: "image/vnd.microsoft.icon".into(), data: "QUJD".into() };
        let answer = Answer { content: vec![Block::Text(String::new()), icon], ..Answer::text("") };
        let words = "[an image, image/vnd.microsoft.icon, that cannot be shown here]";
        let of = |answer: &Answer, provider| answer.to_provider(provider, "c1", "see");
        assert_eq!(of(&answer, Provider::Anthropic)["content"], json!([{"type": "text", "text": words}]));
        assert_eq!(of(&answer, Provider::Bedrock)["toolResult"]["content"], json!([{"text": words}]));
        for nothing in [Answer::text(""), Answer { content: Vec::new(), ..Answer::text("") }] {
            let empty = "[the answer is empty]";
            assert_eq!(of(&nothing, Provider::Anthropic)["content"], json!([{"type": "text", "text": empty}]));
            assert_eq!(of(&nothing, Provider::Bedrock)["toolResult"]["content"], json!([{"text": empty}]));
            assert_eq!(of(&nothing, Provider::OpenAiChat)["content"], "");
        }
    }

    #[test]
    fn a_structured_answer_and_what_is_said_beside_it_both_go() {
        let value = json!({"n": 7});
        let said_twice = Answer { structured: Some(value.clone()), ..Answer::text("{ \"n\": 7 }") };
        let beside = Answer { structured: Some(value.clone()), ..image() };
        let of = |answer: &Answer, provider| answer.to_provider(provider, "c1", "see");
        let seen = "see\n[an image, image/png, that cannot be shown here]";
        assert_eq!(of(&said_twice, Provider::OpenAiChat)["content"], "{ \"n\": 7 }");
        assert_eq!(of(&beside, Provider::Mistral)["content"], format!("{seen}\n{{\"n\":7}}"));
        assert_eq!(of(&said_twice, Provider::Gemini)["functionResponse"]["response"], json!({"output": value}));
        let both = json!({"output": value, "content": seen});
        assert_eq!(of(&beside, Provider::Gemini)["functionResponse"]["response"], both);
        let content = of(&beside, Provider::Bedrock)["toolResult"]["content"].clone();
        assert_eq!(
            (&content[0], &content[1], &content[2]["image"]["format"]),
            (&json!({"json": value}), &json!({"text": "see"}), &json!("png"))
        );
        assert_eq!(of(&said_twice, Provider::Bedrock)["toolResult"]["content"], json!([{"json": value}]));
        assert_eq!(of(&beside, Provider::Anthropic)["content"][2]["text"], r#"{"n":7}"#);
        assert_eq!(of(&said_twice, Provider::Anthropic)["content"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn debug_shows_no_value() {
        assert!(!format!("{:?} {:?}", image(), image().content).contains("QUJD"));
    }
}
