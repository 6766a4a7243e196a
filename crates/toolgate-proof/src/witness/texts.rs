//! Texts that a pattern matches.

use crate::pattern::Pattern;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Characters of a text that is made.
const LENGTH_MAX: usize = 20_000;

/// How long a text should be.
pub(crate) struct Wanted {
    pub(crate) length_min: u64,
    pub(crate) length_max: u64,
}

/// Texts that the pattern matches, each tried: the shortest, then some with more of what may repeat.
pub(crate) fn matching(pattern: &Pattern, wanted: &Wanted) -> Vec<String> {
    let Some(hir) = pattern.shape() else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    let least = usize::try_from(wanted.length_min).unwrap_or(LENGTH_MAX).min(LENGTH_MAX);
    for variant in 0..6 {
        for repeats in [0, 1, 2, least] {
            let mut maker = Maker { variant, repeats, text: String::new() };
            if !maker.write(hir) {
                continue;
            }
            let mut text = maker.text;
            // A pattern that is not anchored takes anything around it.
            while (text.chars().count()) < least && text.len() < LENGTH_MAX && !pattern.text().ends_with('$') {
                text.push('a');
            }
            // The text alone, and with something around it: searching and matching the whole differ there.
            for text in [text.clone(), format!("a{text}a"), format!("a{text}"), format!("{text}a")] {
                let length = text.chars().count() as u64;
                let fits = (wanted.length_min..=wanted.length_max).contains(&length);
                if fits && !found.contains(&text) && pattern.matches(&text) == Some(true) {
                    found.push(text);
                }
            }
            if found.len() >= 8 {
                return found;
            }
        }
    }
    found
}

struct Maker {
    /// Which alternative and which character of a class is taken.
    variant: usize,
    /// How often more than it has to be something is repeated.
    repeats: usize,
    text: String,
}

impl Maker {
    fn write(&mut self, hir: &Hir) -> bool {
        if self.text.len() > LENGTH_MAX {
            return false;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => true,
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => {
                    self.text.push_str(text);
                    true
                }
                Err(_) => false,
            },
            HirKind::Class(class) => match self.character(class) {
                Some(character) => {
                    self.text.push(character);
                    true
                }
                None => false,
            },
            HirKind::Capture(capture) => self.write(&capture.sub),
            HirKind::Concat(parts) => parts.iter().all(|part| self.write(part)),
            HirKind::Alternation(parts) => {
                let part = parts.get(self.variant % parts.len().max(1));
                part.is_some_and(|part| self.write(part))
            }
            HirKind::Repetition(repetition) => {
                let least = repetition.min as usize;
                let most = repetition.max.map_or(LENGTH_MAX, |max| max as usize);
                let count = (least + self.repeats).min(most);
                (0..count).all(|_| self.write(&repetition.sub))
            }
        }
    }

    /// A character of the class, plain ones first.
    fn character(&self, class: &Class) -> Option<char> {
        let ranges: Vec<(char, char)> = match class {
            Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
            Class::Bytes(class) => {
                class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
            }
        };
        let has = |character: char| ranges.iter().any(|(start, end)| (*start..=*end).contains(&character));
        let plain: Vec<char> =
            ('a'..='z').chain('0'..='9').chain('A'..='Z').filter(|character| has(*character)).collect();
        let count = plain.len().max(1);
        plain.get(self.variant % count).copied().or_else(|| {
            let (start, _) = ranges.get(self.variant % ranges.len().max(1))?;
            Some(*start)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_what_they_are_made_for() {
        for pattern in ["^a", "^[a-z]{3}-\\d+$", "^(foo|bar)$", "x", "^.{4,}$", "^\\p{L}+$", "^[^a]$"] {
            let texts = matching(&Pattern::new(pattern.into()), &Wanted { length_min: 0, length_max: u64::MAX });
            assert!(!texts.is_empty(), "{pattern}");
        }
        let long = matching(&Pattern::new("^a+$".into()), &Wanted { length_min: 5, length_max: 9 });
        assert!(long.iter().all(|text| (5..=9).contains(&text.len())) && !long.is_empty());
        assert!(matching(&Pattern::new("(?=b)a".into()), &Wanted { length_min: 0, length_max: 9 }).is_empty());
    }
}
