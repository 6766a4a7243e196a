//! How far two names are from each other, for "did you mean" (R6.5). Names that differ in case and separators only are the
//! same to whoever misspells them.

/// Names longer than this in bytes are not compared.
const LENGTH_MAX: usize = 64;

/// What tells most names apart without comparing them: how many characters a name has, and one bit for each that it uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    length: usize,
    letters: u64,
}

impl Spelling {
    /// `None` for a name that is too long to be compared.
    pub(crate) fn of(name: &str) -> Option<Self> {
        if name.len() > LENGTH_MAX {
            return None;
        }
        let mut spelling = Spelling { length: 0, letters: 0 };
        fold(name, |ch| {
            spelling.length += 1;
            spelling.letters |= 1 << (u32::from(ch) % 64);
        });
        Some(spelling)
    }

    /// Names that differ by more than a third are not near.
    fn near_max(self, other: Self) -> usize {
        1.max(self.length.max(other.length) / 3)
    }

    /// An edit changes the length by one at most, and the letters used by two.
    pub(crate) fn may_be_near(self, other: Self) -> bool {
        let near_max = self.near_max(other);
        self.length.abs_diff(other.length) <= near_max
            && (self.letters ^ other.letters).count_ones() as usize <= 2 * near_max
    }

    /// How many edits lie between two names, where they are near.
    pub(crate) fn distance(self, name: &str, other: Self, other_name: &str) -> Option<usize> {
        let shortest = self.length.min(other.length);
        let (name, other_name) = different_parts(name, other_name);
        let distance = edits(&folded(name), &folded(other_name));
        // A name all of whose letters differ is not near, however short.
        (distance <= self.near_max(other) && distance < shortest).then_some(distance)
    }
}

/// Calls `each` with the characters that count, in lower case.
fn fold(name: &str, mut each: impl FnMut(char)) {
    for ch in name.chars().filter(|ch| !matches!(ch, '_' | '-' | ' ' | '.')) {
        if ch.is_ascii() {
            each(ch.to_ascii_lowercase());
        } else {
            ch.to_lowercase().for_each(&mut each);
        }
    }
}

fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    fold(name, |ch| folded.push(ch));
    folded
}

/// Characters that are added, taken away or replaced, and neighbours that are swapped.
fn edits(name: &str, other: &str) -> usize {
    let (name, other) = different_parts(name, other);
    match (name.chars().count(), other.chars().count()) {
        // One slip, as most are, is told without a table.
        (0, count) | (count, 0) => count,
        (1, 1) => 1,
        _ => strsim::osa_distance(name, other),
    }
}

/// Two texts without what they begin and end with alike.
fn different_parts<'n>(name: &'n str, other: &'n str) -> (&'n str, &'n str) {
    let alike = |(left, right): &(char, char)| left == right;
    let length = |(ch, _): (char, char)| ch.len_utf8();
    let start: usize = name.chars().zip(other.chars()).take_while(alike).map(length).sum();
    let (name, other) = (name.get(start..).unwrap_or(name), other.get(start..).unwrap_or(other));
    let end: usize = name.chars().rev().zip(other.chars().rev()).take_while(alike).map(length).sum();
    let cut = |text: &'n str| text.get(..text.len().saturating_sub(end)).unwrap_or(text);
    (cut(name), cut(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn distance(name: &str, other: &str) -> Option<usize> {
        let (spelling, other_spelling) = (Spelling::of(name)?, Spelling::of(other)?);
        let distance = spelling.distance(name, other_spelling, other);
        assert!(distance.is_none() || spelling.may_be_near(other_spelling), "{name} {other}");
        distance
    }

    #[test]
    fn what_is_alike_at_the_ends_changes_no_distance() {
        let words =
            ["", "a", "b", "ab", "ba", "aab", "aba", "baa", "abab", "baba", "abcab", "bacab", "aabbaab", "ababbab"];
        for name in words {
            for other in words {
                assert_eq!(edits(name, other), strsim::osa_distance(name, other), "{name} {other}");
            }
        }
    }

    #[test]
    fn near_names_are_told_from_far_ones() {
        assert_eq!(distance("dry_run", "dryRun"), Some(0));
        assert_eq!(distance("fild", "field"), Some(1));
        assert_eq!(distance("form", "from"), Some(1));
        assert_eq!(distance("ÉTAGE", "etage"), Some(1));
        assert_eq!(distance("colour", "color"), Some(1));
        assert_eq!(distance("x", "y"), None);
        assert_eq!(distance("_", "-"), None);
        assert_eq!(distance("äußere_höhe", "äußerehöhen"), Some(1));
        assert_eq!(distance("path", "mode"), None);
        assert_eq!(distance(&"k".repeat(65), &"k".repeat(65)), None);
    }
}
