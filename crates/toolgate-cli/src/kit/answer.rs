//! What a command answered to the request of a case: the line that `--jsonl` would write, and what is in it.

use super::value::strings;
use crate::input;
use toolgate::json::{Document, ObjectWriter, Value};

pub(super) struct Answer {
    document: Document<'static>,
    error: Option<String>,
}

impl Answer {
    /// Of the text of an answer, or of the words in which there is none.
    ///
    /// # Errors
    ///
    /// Says that the answer is nested too deep to be looked at.
    pub(super) fn new(answered: Result<String, String>) -> Result<Answer, String> {
        let error = answered.as_ref().err().cloned();
        let text = answered.unwrap_or_else(|why| {
            let mut object = ObjectWriter::new();
            object.string("error", &why);
            object.end()
        });
        let document = input::owned_document(text).map_err(|unread| format!("the answer: {}", unread.in_line()))?;
        Ok(Answer { document, error })
    }

    pub(super) fn line(&self) -> &str {
        self.document.text()
    }

    pub(super) fn root(&self) -> Value<'_> {
        self.document.root()
    }

    /// Why there is no answer.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether the words stand in the line or, unescaped, in a string of it.
    pub(super) fn says(&self, words: &str) -> bool {
        self.line().contains(words) || strings(self.root()).iter().any(|text| text.contains(words))
    }
}
