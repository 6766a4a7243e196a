//! Patterns mean ECMA-262 with the `u` flag, and are compiled when first matched.

pub(crate) mod languages;

use regex_syntax::hir::Hir;
use std::cell::OnceCell;

/// Longer patterns are not compiled.
const SIZE_MAX_BYTES: usize = 64 * 1024;
/// Backtracking steps of one match of a pattern that looks around.
const BACKTRACK_MAX: usize = 20_000;

/// A pattern of a schema, searched and not anchored.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    engine: OnceCell<Option<Engine>>,
    shape: OnceCell<Option<Hir>>,
}

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Bounded(Box<fancy_regex::Regex>),
}

impl Pattern {
    pub(crate) fn new(text: String) -> Self {
        Pattern { text, engine: OnceCell::new(), shape: OnceCell::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What the pattern is made of, for whoever makes texts; `None` where it looks around.
    pub(crate) fn shape(&self) -> Option<&Hir> {
        let parsed = || translate(&self.text).and_then(|translated| regex_syntax::parse(&translated).ok());
        self.shape.get_or_init(parsed).as_ref()
    }

    /// Whether the pattern is found in `text`; `None` where it does not compile or gives up.
    pub(crate) fn matches(&self, text: &str) -> Option<bool> {
        match self.engine.get_or_init(|| compile(&self.text)).as_ref()? {
            Engine::Linear(regex) => Some(regex.is_match(text)),
            Engine::Bounded(regex) => regex.is_match(text).ok(),
        }
    }

    /// Whether the pattern can only match a whole text: it begins with `^`, ends with `$` and offers no choice outside
    /// a group.
    pub(crate) fn is_anchored(text: &str) -> bool {
        let Some(inner) = text.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) else { return false };
        let (mut depth, mut in_class, mut escaped) = (0usize, false, false);
        for character in inner.chars() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                ']' => in_class = false,
                _ if in_class => {}
                '[' => in_class = true,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '|' if depth == 0 => return false,
                _ => {}
            }
        }
        !escaped
    }

    /// The text of a pattern that matches where this one matches the whole.
    pub(crate) fn anchored(text: &str) -> String {
        if Self::is_anchored(text) { text.to_owned() } else { format!("^(?:{text})$") }
    }
}

/// The pattern in the syntax of the Rust engines.
pub(crate) fn translate(text: &str) -> Option<String> {
    if text.len() > SIZE_MAX_BYTES || !jsonschema_regex::is_valid_ecma_regex(text) {
        return None;
    }
    jsonschema_regex::to_rust_regex(text).ok().map(|translated| translated.into_owned())
}

fn compile(text: &str) -> Option<Engine> {
    let translated = translate(text)?;
    match regex::RegexBuilder::new(&translated).size_limit(SIZE_MAX_BYTES * 16).nest_limit(100).build() {
        Ok(regex) => Some(Engine::Linear(regex)),
        Err(regex::Error::CompiledTooBig(_)) => None,
        Err(_) => {
            let mut builder = fancy_regex::RegexBuilder::new(&translated);
            let regex = builder.backtrack_limit(BACKTRACK_MAX).delegate_size_limit(SIZE_MAX_BYTES * 16).build().ok()?;
            Some(Engine::Bounded(Box::new(regex)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_searched() {
        assert_eq!(Pattern::new("b+".into()).matches("abc"), Some(true));
        assert_eq!(Pattern::new("^b".into()).matches("abc"), Some(false));
        assert_eq!(Pattern::new("(?=a)a(?!c)".into()).matches("ab"), Some(true));
        assert_eq!(Pattern::new("(".into()).matches("ab"), None);
        assert_eq!(Pattern::new("\\d".into()).matches("\u{661}"), Some(false));
    }

    #[test]
    fn anchors_are_recognised() {
        for text in ["^a$", "^(a|b)$", "^[|]$", "^\\|$"] {
            assert!(Pattern::is_anchored(text), "{text}");
        }
        for text in ["a", "^a|b$", "^a\\$", "a$", "^a"] {
            assert!(!Pattern::is_anchored(text), "{text}");
        }
        assert_eq!(Pattern::anchored("a|b"), "^(?:a|b)$");
    }
}
