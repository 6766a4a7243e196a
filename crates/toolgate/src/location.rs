//! Where in the arguments something is: an RFC 6901 pointer that knows which of its names the schema declares.

use smallvec::SmallVec;
use std::fmt::{self, Write as _};

/// Characters of an undeclared name that are shown before it is cut (R6.4).
const NAME_MAX_CHARS: usize = 64;

/// A place in the arguments. `""` is the arguments object itself.
///
/// A name that the schema does not declare is the caller's own text: [`Location::to_pointer`] shows it escaped and cut at
/// 64 characters, for the answer to that caller; [`Location::to_log`] and `Debug` show `*` (R6.4).
///
/// # Example
///
/// ```
/// use toolgate::{Arguments, Contract};
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"a/b":{"type":"integer"}}}"#)?;
/// let refusal = contract.check(Arguments::from_text(r#"{"a/b":"x"}"#)).unwrap_err();
/// assert_eq!(refusal.violations()[0].location.to_pointer(), "/a~1b");
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Location {
    /// As it is shown to the caller.
    pointer: String,
    /// Where in it the undeclared names stand.
    undeclared: SmallVec<[Span; 2]>,
}

type Span = (u32, u32);

impl Location {
    /// The arguments object itself.
    pub fn root() -> Self {
        Location::default()
    }

    /// Reads an RFC 6901 pointer whose names are all taken as declared; `None` where it does not begin with `/`.
    pub fn from_pointer(pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(Location::root());
        }
        let rest = pointer.strip_prefix('/')?;
        let mut location = Location::root();
        for segment in rest.split('/') {
            location.push_declared(&unescaped(segment));
        }
        Some(location)
    }

    pub(crate) fn push_declared(&mut self, name: &str) {
        self.pointer.push('/');
        push_pointer_segment(&mut self.pointer, name);
    }

    pub(crate) fn push_undeclared(&mut self, name: &str) {
        self.pointer.push('/');
        let start = self.len();
        if is_shown_whole(name) {
            push_pointer_segment(&mut self.pointer, name);
        } else {
            push_pointer_segment(&mut self.pointer, &shown_name(name));
        }
        self.undeclared.push((start, self.len()));
    }

    pub(crate) fn push_index(&mut self, index: usize) {
        self.pointer.push('/');
        let _ = write!(self.pointer, "{index}");
    }

    /// The root, with room for a way of usual length.
    pub(crate) fn with_room() -> Self {
        Location { pointer: String::with_capacity(32), undeclared: SmallVec::new() }
    }

    fn len(&self) -> u32 {
        u32::try_from(self.pointer.len()).unwrap_or(u32::MAX)
    }

    /// Keeps the first `count` segments: a way of undeclared names alone is shown no longer than that many names may be.
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some((end, _)) = self.pointer.match_indices('/').nth(count) {
            self.pointer.truncate(end);
            self.undeclared.retain(|(_, name_end)| *name_end as usize <= end);
        }
    }

    pub(crate) fn pop(&mut self) {
        let end = self.pointer.rfind('/').unwrap_or(0);
        self.pointer.truncate(end);
        self.undeclared.retain(|(_, name_end)| *name_end as usize <= end);
    }

    /// Replaces each name that the schema declares, from the outermost to the innermost.
    pub(crate) fn map_declared(&mut self, mut map: impl FnMut(&str) -> String) {
        let old = std::mem::take(self);
        let mut start = 0;
        for segment in old.pointer.split('/').skip(1) {
            start += 1;
            let name = map(&unescaped(segment));
            if old.undeclared.iter().any(|(other, _)| *other as usize == start) {
                self.pointer.push('/');
                let start = self.len();
                self.pointer.push_str(segment);
                self.undeclared.push((start, self.len()));
            } else {
                self.push_declared(&name);
            }
            start += segment.len();
        }
    }

    /// Goes on with the way of `inner`.
    pub(crate) fn append(&mut self, inner: &Location) {
        let before = self.len();
        self.pointer.push_str(&inner.pointer);
        self.undeclared.extend(inner.undeclared.iter().map(|(start, end)| (before + start, before + end)));
    }

    /// Whether this is the arguments object itself.
    pub fn is_root(&self) -> bool {
        self.pointer.is_empty()
    }

    /// The undeclared names on the way, as they stand in the pointer.
    pub(crate) fn undeclared_names(&self) -> impl Iterator<Item = &str> {
        self.undeclared.iter().filter_map(|(start, end)| self.pointer.get(*start as usize..*end as usize))
    }

    /// The pointer for the answer to the caller.
    pub fn to_pointer(&self) -> String {
        self.pointer.clone()
    }

    pub(crate) fn as_pointer(&self) -> &str {
        &self.pointer
    }

    /// The pointer for logs, spans, metrics and records: every undeclared name is `*`.
    pub fn to_log(&self) -> String {
        let mut log = String::with_capacity(self.pointer.len());
        let mut at = 0;
        for (start, end) in &self.undeclared {
            log.push_str(self.pointer.get(at..*start as usize).unwrap_or(""));
            log.push('*');
            at = *end as usize;
        }
        log.push_str(self.pointer.get(at..).unwrap_or(""));
        log
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({:?})", self.to_log())
    }
}

/// Appends one name as an RFC 6901 segment.
/// The names and indices of an RFC 6901 pointer, from the outermost to the innermost.
///
/// ```
/// assert_eq!(toolgate::pointer_names("/a~1b/0").collect::<Vec<_>>(), ["a/b", "0"]);
/// assert_eq!(toolgate::pointer_names("").count(), 0);
/// ```
pub fn pointer_names(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescaped)
}

/// A name as a segment of an RFC 6901 pointer, without the `/` before it.
///
/// ```
/// assert_eq!(toolgate::pointer_segment("a/b~"), "a~1b~0");
/// ```
pub fn pointer_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    push_pointer_segment(&mut segment, name);
    segment
}

/// The name that a segment of a pointer stands for.
pub(crate) fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

pub(crate) fn push_pointer_segment(pointer: &mut String, name: &str) {
    if !name.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return pointer.push_str(name);
    }
    for ch in name.chars() {
        match ch {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            ch => pointer.push(ch),
        }
    }
}

/// A name of the caller's as it may be shown: escaped, at most 64 characters, cut with `…` (R6.4).
///
/// ```
/// assert_eq!(toolgate::shown_name("a\nb"), "a\\u{a}b");
/// ```
pub fn shown_name(name: &str) -> String {
    if is_shown_whole(name) {
        return name.to_owned();
    }
    let mut shown = String::with_capacity(name.len().min(NAME_MAX_CHARS * 4));
    for (count, ch) in name.chars().enumerate() {
        if count == NAME_MAX_CHARS {
            shown.push('…');
            break;
        }
        push_escaped(&mut shown, ch);
    }
    shown
}

/// Whether nothing in a name is escaped or cut.
pub(crate) fn is_shown_whole(name: &str) -> bool {
    name.len() <= NAME_MAX_CHARS && is_plain(name)
}

/// A word of a schema as it may be shown: like [`shown_name`]. Control, bidirectional and invisible characters cannot
/// steer the terminal or the model that reads them (R6.3).
pub(crate) fn shown_word(word: &str) -> String {
    shown_name(word)
}

/// Whether a text is printable ASCII, so that nothing in it is escaped.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

pub(crate) fn push_escaped(out: &mut String, ch: char) {
    if is_unseen(ch) {
        out.push_str(&format!("\\u{{{:x}}}", u32::from(ch)));
    } else {
        out.push(ch);
    }
}

/// Control, format (bidirectional, zero-width, tags), line and paragraph separators, variation selectors and fillers.
pub(crate) fn is_unseen(ch: char) -> bool {
    ch.is_control()
        || matches!(u32::from(ch),
            0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x115f..=0x1160
            | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
            | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x110bd | 0x110cd | 0x13430..=0x1343f
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undeclared_names_are_cut_and_starred() {
        let mut location = Location::root();
        location.push_declared("a/b");
        location.push_undeclared(&"k".repeat(70));
        assert_eq!(location.to_pointer(), format!("/a~1b/{}…", "k".repeat(64)));
        assert_eq!(location.to_log(), "/a~1b/*");
        assert!(!format!("{location:?}").contains("kk"));
    }

    #[test]
    fn ways_are_joined_and_cut_with_what_is_undeclared_in_them() {
        let mut inner = Location::root();
        inner.push_undeclared("x/y");
        inner.push_index(3);
        let mut location = Location::from_pointer("/a").unwrap();
        location.append(&inner);
        location.push_undeclared("z");
        assert_eq!((location.to_pointer().as_str(), location.to_log().as_str()), ("/a/x~1y/3/z", "/a/*/3/*"));
        assert_eq!(location.undeclared_names().collect::<Vec<_>>(), ["x~1y", "z"]);
        location.truncate(2);
        assert_eq!((location.to_pointer().as_str(), location.to_log().as_str()), ("/a/x~1y", "/a/*"));
        location.push_declared("a");
        location.map_declared(|name| format!("{name}~"));
        assert_eq!((location.to_pointer().as_str(), location.to_log().as_str()), ("/a~0/x~1y/a~0", "/a~0/*/a~0"));
        location.pop();
        location.pop();
        assert_eq!((location.to_pointer().as_str(), location.to_log().as_str()), ("/a~0", "/a~0"));
        location.pop();
        assert!(location.is_root());
    }

    #[test]
    fn unseen_characters_are_escaped() {
        assert_eq!(shown_word("a\u{202e}b\nc"), "a\\u{202e}b\\u{a}c");
    }
}
