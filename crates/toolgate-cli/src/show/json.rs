//! JSON for people: in lines of a given width, digits and order as written, short things on one line.

use super::{columns, filled, split_columns};
use toolgate::json::{Kind, Value};
use toolgate::{pointer_names, pointer_segment, shown_name};

/// Of one level.
const INDENT: usize = 2;

/// The value in lines of at most `width` columns. The line of the value at the pointer `mark` ends in an arrow.
pub(crate) fn lines(value: Value<'_>, width: usize, mark: Option<&str>) -> Vec<String> {
    let mut writer = Writer { width, lines: Vec::new() };
    writer.value(value, "", "", 0, mark.map(names).as_deref());
    writer.lines
}

/// The first value in `value` at a pointer in which `*` stands for any name or index, as a pointer without.
pub(crate) fn find(value: Value<'_>, pattern: &str) -> Option<String> {
    find_at(value, &names(pattern), String::new())
}

fn find_at(value: Value<'_>, pattern: &[String], at: String) -> Option<String> {
    let Some((first, rest)) = pattern.split_first() else { return Some(at) };
    named(value).into_iter().filter(|(name, _)| first == "*" || first == name).find_map(|(name, inner)| {
        let name = pointer_segment(&name);
        find_at(inner, rest, format!("{at}/{name}"))
    })
}

/// Members by name, items by number.
fn named(value: Value<'_>) -> Vec<(String, Value<'_>)> {
    let members = value.members().map(|(name, value)| (name.as_str().unwrap_or_default().into_owned(), value));
    members.chain(value.items().enumerate().map(|(index, value)| (index.to_string(), value))).collect()
}

fn names(pointer: &str) -> Vec<String> {
    pointer_names(pointer).collect()
}

/// The value at a JSON Pointer.
pub(crate) fn at<'d>(root: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    pointer_names(pointer).try_fold(root, |value, name| match value.kind() {
        Kind::Array => value.items().nth(name.parse().ok()?),
        _ => value.get(&name),
    })
}

/// Equal in digits, order and meaning; how a string is escaped means nothing.
pub(crate) fn is_same(one: Value<'_>, other: Value<'_>) -> bool {
    let mut members = one.members().zip(other.members());
    one.kind() == other.kind()
        && one.len() == other.len()
        && match one.kind() {
            Kind::String => match (one.as_str(), other.as_str()) {
                (Some(one), Some(other)) => one == other,
                // A lone surrogate has no text of its own.
                _ => one.text() == other.text(),
            },
            Kind::Array => one.items().zip(other.items()).all(|(one, other)| is_same(one, other)),
            Kind::Object => {
                members.all(|((name, one), (other_name, other))| is_same(name, other_name) && is_same(one, other))
            }
            _ => one.text() == other.text(),
        }
}

struct Writer {
    width: usize,
    lines: Vec<String>,
}

impl Writer {
    /// `before` stands before the value on its line, `after` after its end. `mark` is the way on to the marked value.
    fn value(&mut self, value: Value<'_>, before: &str, after: &str, depth: usize, mark: Option<&[String]>) {
        let arrow = if mark.is_some_and(<[String]>::is_empty) { "  ← here" } else { "" };
        let leads_on = mark.is_some_and(|mark| !mark.is_empty());
        let room = self.width.saturating_sub(self.indent(depth) + columns(before) + columns(after) + columns(arrow));
        if !leads_on && let Some(short) = one_line(value, room) {
            return self.push(depth, &format!("{before}{short}{after}{arrow}"));
        }
        let (open, close) = match value.kind() {
            Kind::Object => ("{", "}"),
            Kind::Array => ("[", "]"),
            _ => return self.push(depth, &format!("{before}{}{after}{arrow}", token(value))),
        };
        self.push(depth, &format!("{before}{open}{arrow}"));
        let inside = named(value);
        let last = inside.len().saturating_sub(1);
        let keys: Vec<String> = value.members().map(|(name, _)| format!("{}: ", token(name))).collect();
        for (index, (name, inner)) in inside.into_iter().enumerate() {
            let before = keys.get(index).map_or("", String::as_str);
            let after = if index == last { "" } else { "," };
            let way = mark.and_then(<[String]>::split_first).filter(|(first, _)| **first == name);
            self.value(inner, before, after, depth + 1, way.map(|(_, rest)| rest));
        }
        self.push(depth, &format!("{close}{after}"));
    }

    /// What is nested deeper than half the width is no longer moved to the right.
    fn indent(&self, depth: usize) -> usize {
        (depth * INDENT).min(self.width / 2)
    }

    /// One line, or several where it is too long: broken between words if there are any.
    fn push(&mut self, depth: usize, text: &str) {
        let mut indent = self.indent(depth);
        let mut rest = text;
        loop {
            let room = self.width.saturating_sub(indent).max(8);
            if columns(rest) <= room {
                return self.lines.push(format!("{}{rest}", " ".repeat(indent)));
            }
            let (head, _) = split_columns(rest, room);
            // A word longer than half the line is broken.
            let at = head.rfind(' ').map(|at| at + 1).filter(|at| *at > head.len() / 2).unwrap_or(head.len());
            let (line, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.lines.push(format!("{}{}", " ".repeat(indent), line.trim_end()));
            rest = after;
            indent = self.indent(depth) + 2 * INDENT;
        }
    }
}

/// The value on one line, if it fits in `room` columns.
fn one_line(value: Value<'_>, room: usize) -> Option<String> {
    // What is written takes at least so many bytes as it has columns, but for white space and escapes between.
    if value.text().len() > room.saturating_mul(6) {
        return None;
    }
    let mut out = String::new();
    push_one_line(value, &mut out);
    (columns(&out) <= room).then_some(out)
}

fn push_one_line(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            out.push('{');
            for (index, (name, inner)) in value.members().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&token(name));
                out.push_str(": ");
                push_one_line(inner, out);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (index, inner) in value.items().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                push_one_line(inner, out);
            }
            out.push(']');
        }
        _ => out.push_str(&token(value)),
    }
}

/// A scalar as it is written, what could steer a terminal as JSON escapes.
fn token(value: Value<'_>) -> String {
    harmless(value.text())
}

/// JSON text in which what could steer a terminal is escaped: the same values, on the same lines.
pub(crate) fn harmless(text: &str) -> String {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        let mut buffer = [0; 4];
        let is_space = matches!(ch, '\n' | '\r' | '\t');
        if shown_name(ch.encode_utf8(&mut buffer)).starts_with('\\') && ch != '\\' && !is_space {
            ch.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(ch);
        }
    }
    out
}

/// Two texts side by side, each in half of `width`.
pub(crate) fn beside(left: &[String], right: &[String], width: usize) -> Vec<String> {
    let half = half(width);
    let line = |list: &[String], index: usize| list.get(index).cloned().unwrap_or_default();
    (0..left.len().max(right.len()))
        .map(|index| format!("{} │ {}", filled(&line(left, index), half), line(right, index)).trim_end().to_owned())
        .collect()
}

/// Columns of each of two texts side by side.
pub(crate) fn half(width: usize) -> usize {
    width.saturating_sub(3) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::Limits;
    use toolgate::json::{Document, Strictness};

    #[track_caller]
    fn shown(text: &str, width: usize, mark: Option<&str>, expected: &[&str]) {
        let document = Document::read_str(text, Strictness::Frame, &Limits::default()).unwrap();
        assert_eq!(lines(document.root(), width, mark), expected);
    }

    #[test]
    fn short_things_stay_on_one_line_and_digits_as_they_are() {
        shown(r#"{"a":1.50,"b":[1,2]}"#, 40, None, &[r#"{"a": 1.50, "b": [1, 2]}"#]);
        shown(r#"{"a":1.50,"b":[1,2]}"#, 15, None, &["{", r#"  "a": 1.50,"#, r#"  "b": [1, 2]"#, "}"]);
    }

    #[test]
    fn a_long_text_is_broken_between_words() {
        shown(
            r#"{"description":"one two three four five six seven"}"#,
            30,
            None,
            &["{", r#"  "description": "one two"#, "      three four five six", r#"      seven""#, "}"],
        );
    }

    #[test]
    fn the_marked_place_is_opened_up() {
        shown(
            r#"{"a":{"b":[1,2]},"c":3}"#,
            60,
            Some("/a/b/1"),
            &["{", r#"  "a": {"#, r#"    "b": ["#, "      1,", "      2  ← here", "    ]", "  },", r#"  "c": 3"#, "}"],
        );
        let document = Document::read_str(r#"{"a/b":[{},{"x":1}]}"#, Strictness::Frame, &Limits::default()).unwrap();
        assert_eq!(find(document.root(), "/*/*/x").unwrap(), "/a~1b/1/x");
        assert_eq!(find(document.root(), "/y"), None);
    }

    #[test]
    fn no_text_steers_the_terminal() {
        shown("{\"a\u{202e}\":\"\u{9b}31m\"}", 60, None, &[r#"{"a\u202e": "\u009b31m"}"#]);
        shown("{\"a\":\"b\u{7f}\u{e0001}\"}", 60, None, &[r#"{"a": "b\u007f\udb40\udc01"}"#]);
    }

    #[test]
    fn json_that_is_harmless_says_the_same() {
        let text = "{\n\t\"a\": \"\u{9b}31m\u{202e}\u{200b}ü\\n\"}";
        assert_eq!(harmless(text), "{\n\t\"a\": \"\\u009b31m\\u202e\\u200bü\\n\"}");
    }

    #[test]
    fn what_is_nested_deep_stays_within_the_width() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let document = Document::read_str(&deep, Strictness::Frame, &Limits::default()).unwrap();
        assert!(lines(document.root(), 40, None).iter().all(|line| columns(line) <= 40));
    }
}
