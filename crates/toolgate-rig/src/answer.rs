//! What the toolbox answers as a result of rig's.

use rig_core::message::{ImageMediaType, MimeType, ToolResultContent};
use rig_core::tool::{ToolExecutionError, ToolOutput, ToolResult};
use serde_json::Value;
use toolgate::{Answer, Block, Provider};

/// The answer. What the model reads is the same whether it is an error or not; a program sees a refusal as an error of the kind
/// `InvalidArgs` whose code is that of the first violation: it has not run. A tool's own error, and an answer that is not as the
/// tool declares, is one of the kind `Other`. What such an error says to the operator holds no value and no undeclared name: it may
/// be logged.
pub(crate) fn result(answer: Answer, provider: Provider) -> ToolResult {
    let output = output(&answer, provider);
    if !answer.is_error {
        return ToolResult::success(output);
    }
    let error = match &answer.refusal {
        Some(refusal) => {
            let codes = codes(refusal);
            let error = ToolExecutionError::invalid_args(format!("the call was refused: {}", codes.join(", ")));
            match codes.into_iter().next() {
                Some(code) => error.with_code(code),
                None => error,
            }
        }
        None => ToolExecutionError::other("the tool has failed"),
    };
    ToolResult::failed(error.with_model_output(output))
}

/// Text; images where the provider takes them in an answer to a call, as [`Answer::to_provider`] has them.
fn output(answer: &Answer, provider: Provider) -> ToolOutput {
    let has_images = answer.content.iter().any(|block| matches!(block, Block::Image { .. }));
    if !has_images || !matches!(provider, Provider::Anthropic | Provider::Bedrock) {
        return ToolOutput::text(answer.to_text());
    }
    let blocks = answer.content.iter().map(|block| match block {
        Block::Text(text) => ToolResultContent::text(text),
        Block::Image { media_type, data } => {
            ToolResultContent::image_base64(data, ImageMediaType::from_mime_type(media_type), None)
        }
        // A kind of block that this release does not know.
        other => ToolResultContent::text(Answer { content: vec![other.clone()], ..answer.clone() }.to_text()),
    });
    ToolOutput::content(blocks.collect()).unwrap_or_else(|_| ToolOutput::text(answer.to_text()))
}

fn codes(refusal: &Value) -> Vec<String> {
    let violations = refusal.get("violations").and_then(Value::as_array).into_iter().flatten();
    violations.filter_map(|violation| violation.get("code")?.as_str().map(str::to_owned)).collect()
}
