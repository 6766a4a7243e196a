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

/// What was made of a pattern, and the bytes that count as taken by it.
pub(crate) struct Attempt {
    pub(crate) outcome: Result<Pattern, &'static str>,
    pub(crate) size_bytes: usize,
}

/// Reading a pattern takes about so many bytes for each of its text, and as long as compiling to so many.
const READING_BYTES: usize = 256;
/// The first size that a pattern is compiled within; then eight times as much, so that a small pattern counts as small. The
/// engine does not say what it took.
const FIRST_SIZE_BYTES: usize = 4 * 1024;
/// What each part of a pattern that looks around may take.
const PART_SIZE_BYTES: usize = 64 * 1024;

const TOGETHER: &str = "the patterns of the schema take too much together";

impl Pattern {
    /// Compiles an ECMA-262 pattern within `left_bytes`; the error says in words why it cannot be.
    pub(crate) fn compile(source: &str, limits: &Limits, left_bytes: usize) -> Attempt {
        let reading_bytes = source.len().saturating_mul(READING_BYTES);
        if source.len() > limits.pattern_size_max_bytes {
            return Attempt { outcome: Err("the pattern is too long"), size_bytes: 0 };
        }
        if reading_bytes > left_bytes {
            return Attempt { outcome: Err(TOGETHER), size_bytes: 0 };
        }
        let (engine, size_bytes) = Engine::compile(source, limits.pattern_size_max_bytes, left_bytes);
        let outcome = engine.map(|engine| Pattern { source: source.to_owned(), engine });
        Attempt { outcome, size_bytes: size_bytes.max(reading_bytes) }
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
        self.is_linear()
    }

    /// Whether it runs in linear time.
    pub(crate) fn is_linear(&self) -> bool {
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

impl Engine {
    fn compile(source: &str, size_max_bytes: usize, left_bytes: usize) -> (Result<Self, &'static str>, usize) {
        const NO_PATTERN: &str = "the pattern is not an ECMA-262 expression";
        if !jsonschema_regex::is_valid_ecma_regex(source) {
            return (Err(NO_PATTERN), 0);
        }
        let Ok(translated) = jsonschema_regex::to_rust_regex(source) else { return (Err(NO_PATTERN), 0) };
        let most_bytes = size_max_bytes.min(left_bytes);
        let too_large = if left_bytes < size_max_bytes { TOGETHER } else { "the pattern is too large when compiled" };
        let mut size_bytes = FIRST_SIZE_BYTES.min(most_bytes);
        loop {
            match regex::RegexBuilder::new(&translated).size_limit(size_bytes).nest_limit(100).build() {
                Ok(regex) => return (Ok(Engine::Linear(regex)), size_bytes),
                Err(regex::Error::CompiledTooBig(_)) if size_bytes == most_bytes => {
                    return (Err(too_large), size_bytes);
                }
                Err(regex::Error::CompiledTooBig(_)) => size_bytes = size_bytes.saturating_mul(8).min(most_bytes),
                Err(_) => break,
            }
        }
        // The other engine is made of parts, at most one for each group, escape and end.
        let parts = 1 + source.bytes().filter(|byte| matches!(byte, b'(' | b'\\')).count();
        let size_bytes = PART_SIZE_BYTES.saturating_mul(parts);
        if size_bytes > left_bytes {
            return (Err(TOGETHER), 0);
        }
        let bounded = fancy_regex::RegexBuilder::new(&translated)
            .backtrack_limit(BACKTRACK_MAX)
            .delegate_size_limit(PART_SIZE_BYTES.min(size_max_bytes))
            .build();
        (bounded.map(|regex| Engine::Bounded(Box::new(regex))).map_err(|_| "no engine takes the pattern"), size_bytes)
    }
}
