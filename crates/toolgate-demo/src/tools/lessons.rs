//! Lessons made of blocks: a union of twelve variants, each with its own data.

use crate::server::DemoServer;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WriteLesson {
    /// What the lesson is called.
    title: String,
    /// Its blocks, in order.
    blocks: Vec<Block>,
}

/// One block. The type says which data it has.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Block {
    Heading { text: String, level: u8 },
    Paragraph { text: String },
    Code { language: String, source: String },
    Image { image_url: String, alt: Option<String> },
    Video { video_url: String, start_seconds: Option<u32> },
    Artifact { artifact_id: String, caption: Option<String> },
    Callout { tone: Tone, text: String },
    Quiz { question: String, choices: Vec<String>, answer: u32 },
    Flashcards { cards: Vec<Card> },
    Table { columns: Vec<String>, rows: Vec<Vec<String>> },
    Exercise { task: String, minutes: u32 },
    Link { href: String, label: Option<String> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Tone {
    Note,
    Tip,
    Warning,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Card {
    front: String,
    back: String,
}

#[tool_router(router = lesson_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(description = "Write a lesson, or write it anew.")]
    fn write_lesson(&self, Parameters(WriteLesson { title, blocks }): Parameters<WriteLesson>) -> String {
        let written = format!("lesson written, {} blocks", blocks.len());
        self.world().lessons.insert(title, blocks.len());
        written
    }
}
