//! Patterns mean ECMA-262 with the `u` flag and run in linear time, or on a bounded engine where they look around (R6.9).

use crate::limits::Limits;

/// Backtracking steps of one match of a pattern that looks around; past it the call is refused as too much work.
const BACKTRACK_MAX: usize = 50_000;

/// A compiled pattern. Searched, not anchored.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: String,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Bounded(Box<fancy_regex::Regex>),
}

/// The bounded engine gave up.
pub(crate) struct GaveUp;

impl Pattern {
    /// Compiles an ECMA-262 pattern; the error says in words why it cannot be.
    pub(crate) fn compile(source: &str, limits: &Limits) -> Result<Self, &'static str> {
        if source.len() > limits.pattern_size_max_bytes {
            return Err("the pattern is too long");
        }
        if !jsonschema_regex::is_valid_ecma_regex(source) {
            return Err("the pattern is not an ECMA-262 expression");
        }
        let translated =
            jsonschema_regex::to_rust_regex(source).map_err(|()| "the pattern is not an ECMA-262 expression")?;
        let linear =
            regex::RegexBuilder::new(&translated).size_limit(limits.pattern_size_max_bytes).nest_limit(100).build();
        let engine = match linear {
            Ok(regex) => Engine::Linear(regex),
            Err(regex::Error::CompiledTooBig(_)) => return Err("the pattern is too large when compiled"),
            Err(_) => Engine::Bounded(Box::new(
                fancy_regex::RegexBuilder::new(&translated)
                    .backtrack_limit(BACKTRACK_MAX)
                    .delegate_size_limit(limits.pattern_size_max_bytes)
                    .build()
                    .map_err(|_| "the pattern is not an ECMA-262 expression")?,
            )),
        };
        Ok(Pattern { source: source.to_owned(), engine })
    }

    /// The pattern as the schema writes it.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Whether a linear-time engine of another make reads it as well: no look-around, no reference back, no escape that only
    /// ECMA-262 has, no bracket inside a class.
    pub(crate) fn is_portable(&self) -> bool {
        let mut is_class = false;
        let mut chars = self.source.chars();
        while let Some(ch) = chars.next() {
            match ch {
                '\\' if chars.next().is_none_or(|escaped| "123456789kcpPu".contains(escaped)) => return false,
                '[' if is_class => return false,
                '[' => is_class = true,
                ']' => is_class = false,
                _ => {}
            }
        }
        matches!(self.engine, Engine::Linear(_))
    }

    /// What one match counts as (R4.8): the text times the pattern for the linear engine, the worst case for the other.
    pub(crate) fn steps(&self, text: &str) -> u64 {
        match &self.engine {
            Engine::Linear(_) => 1 + (text.len() / 16 * (1 + self.source.len() / 64)) as u64,
            Engine::Bounded(_) => BACKTRACK_MAX as u64 / 20,
        }
    }

    pub(crate) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(text)),
            Engine::Bounded(regex) => regex.is_match(text).map_err(|_| GaveUp),
        }
    }
}
