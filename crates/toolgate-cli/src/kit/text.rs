//! The text of a case file, or one line of it, and where in the file something stands.

use crate::input;
use std::path::Path;

pub(super) struct Text<'t> {
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
    /// The line of the file at which the text begins, counted from one.
    pub(super) first_line: usize,
}

impl Text<'_> {
    /// The line of an offset into the text.
    pub(super) fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        self.first_line + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// `file:line:column`, as compilers say it.
    pub(super) fn place(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{}:{column}", input::name(self.path), self.line(offset))
    }
}
