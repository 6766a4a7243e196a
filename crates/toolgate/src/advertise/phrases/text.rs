//! Words, names and foreign text as they stand in a sentence.

use super::{PATTERN_MAX_CHARS, WORDS_MAX};
use crate::location::{is_unseen, shown_word};
use crate::schema::Count;

pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// A word of a list as it stands in a sentence: bare where it can be taken neither for a value of another kind nor for words of ours,
/// and otherwise in quotes.
pub(super) fn sentence_word(word: &str) -> String {
    let is_inside = |ch: char| ch.is_alphanumeric() || "_-/.+#@$*%&~".contains(ch);
    let is_bare = word.chars().all(is_inside) && !word.ends_with('.') && !word.is_empty();
    let is_other_kind = matches!(word, "true" | "false" | "null") || word.parse::<f64>().is_ok();
    let shown = shown_word(word);
    if is_bare && !is_other_kind { shown } else { quoted_word(word, &shown) }
}

/// A word in quotes, as JSON has them; what cannot be seen is escaped already.
pub(super) fn quoted_word(word: &str, shown: &str) -> String {
    let shown = if word.contains(is_unseen) { shown.to_owned() } else { shown.replace('\\', "\\\\") };
    format!("\"{}\"", shown.replace('"', "\\\""))
}

/// A name as it stands in a sentence.
pub(in crate::advertise) fn ticked(name: &str) -> String {
    fenced(&shown_word(name))
}

/// A text between backticks: more of them than stand together inside, as Markdown has it.
pub(in crate::advertise) fn fenced(text: &str) -> String {
    if !text.contains('`') {
        return ["`", text, "`"].concat();
    }
    let inside = text.split(|ch| ch != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(inside + 1);
    format!("{fence} {text} {fence}")
}

/// How many there are in words: ` of 1 to 5 items`; nothing where any number is taken.
pub(super) fn counted(rules: impl Iterator<Item = (Count, Count)>, what: &str) -> String {
    let (mut min, mut max) = (0, None::<u64>);
    for (least, most) in rules {
        min = min.max(least.map_or(0, |(least, _)| least));
        max = most.map_or(max, |(most, _)| Some(max.map_or(most, |max| max.min(most))));
    }
    let many = |count: u64| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    match (min, max) {
        (0, None) => String::new(),
        (min, None) => format!(" of at least {}", many(min)),
        (0, Some(max)) => format!(" of at most {}", many(max)),
        (min, Some(max)) if min == max => format!(" of {}", many(max)),
        (min, Some(max)) => format!(" of {min} to {}", many(max)),
    }
}

pub(super) fn quoted_pattern(source: &str) -> String {
    if source.chars().count() > PATTERN_MAX_CHARS {
        return "a further pattern".to_owned();
    }
    fenced(&clean(source, PATTERN_MAX_CHARS))
}

/// The first words of a list, and how many more there are.
pub(super) fn some(words: impl ExactSizeIterator<Item = String>) -> String {
    some_joined(words, ", ")
}

pub(super) fn some_joined(words: impl ExactSizeIterator<Item = String>, between: &str) -> String {
    let count = words.len();
    let mut text = words.take(WORDS_MAX).collect::<Vec<_>>().join(between);
    if count > WORDS_MAX {
        text.push_str(&format!("{between}{} more", count - WORDS_MAX));
    }
    text
}

/// Foreign text without control, bidirectional and invisible characters, cut at a number of characters.
pub(in crate::advertise) fn clean(text: &str, max_chars: usize) -> String {
    let is_kept = |ch: &char| matches!(ch, '\n' | '\t') || !is_unseen(*ch);
    let cleaned: String = text.trim().chars().filter(is_kept).take(max_chars + 1).collect();
    cut(cleaned, max_chars)
}

/// The first characters of a text; one that is cut says so.
pub(in crate::advertise) fn cut(text: String, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text;
    }
    let mut short: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    short.push('…');
    short
}
