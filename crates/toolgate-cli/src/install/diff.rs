//! What would change in a client's file, line by line. Of a line that goes or comes, only what belongs to the command and its words is
//! shown as it is: there may be secrets beside it.

use super::edit::{Edit, Place};
use crate::servers::clients::Keys;
use crate::servers::shown_path;
use crate::servers::tree::line_of;
use crate::show::{BAD, BOLD, DIM, GOOD, visible};
use std::path::Path;

/// Stands for what is not shown.
const HIDDEN: &str = "…";

/// The lines that go and those that come.
pub(super) fn lines(path: &Path, text: &str, places: &[Place], keys: &Keys, edits: &[Edit]) -> String {
    let file = shown_path(path);
    let mut out = format!("\n{BOLD}--- {file}\n+++ {file}{BOLD:#}\n");
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span.start);
    for edits in
        sorted.chunk_by(|one, next| !text.get(one.span.end..next.span.start).unwrap_or_default().contains('\n'))
    {
        let Some(start) = edits.first().map(|edit| edit.span.start) else { continue };
        let of =
            |edit: &&Edit| places.iter().filter(|place| place.start <= edit.span.start).max_by_key(|place| place.start);
        let mut names: Vec<String> = edits.iter().filter_map(of).map(|place| visible(&place.name)).collect();
        names.dedup();
        let servers = if names.len() == 1 { "server" } else { "servers" };
        out.push_str(&format!("{DIM}@@ line {}, {servers} {} @@{DIM:#}\n", line_of(text, start), names.join(", ")));
        let (gone, come) = changed(text, edits, keys);
        gone.iter().for_each(|line| out.push_str(&format!("{BAD}-{line}{BAD:#}\n")));
        come.iter().for_each(|line| out.push_str(&format!("{GOOD}+{line}{GOOD:#}\n")));
    }
    out
}

/// A line as it is, and as it is shown.
#[derive(Clone, Default, PartialEq, Eq)]
struct Line {
    is: String,
    shown: String,
}

/// The lines of these edits before and after, without those that stay.
fn changed(text: &str, edits: &[&Edit], keys: &Keys) -> (Vec<String>, Vec<String>) {
    let begin = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let end = |at: usize| text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end);
    let (mut old, mut new) = (Lines::default(), Lines::default());
    let mut at = edits.first().map_or(0, |edit| begin(edit.span.start));
    for edit in edits {
        let between = text.get(at..edit.span.start).unwrap_or_default();
        let shown = before(between, keys);
        let gone = text.get(edit.span.clone()).unwrap_or_default();
        for (side, own) in [(&mut old, gone), (&mut new, edit.text.as_str())] {
            side.push(between, &shown);
            side.push(own, own);
        }
        at = edit.span.end;
    }
    let rest = text.get(at..end(at)).unwrap_or_default();
    let shown = if is_harmless(rest, keys) { rest } else { HIDDEN };
    [&mut old, &mut new].into_iter().for_each(|side| side.push(rest, shown));
    let (old, new) = (old.lines, new.lines);
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old.is == new.is).count();
    let shown = |lines: &[Line]| {
        let kept = lines.get(..lines.len().saturating_sub(same)).unwrap_or_default();
        kept.iter()
            .map(|line| line.shown.trim_end_matches('\r').split('\t').map(visible).collect::<Vec<_>>().join("\t"))
            .collect()
    };
    (shown(old), shown(new))
}

struct Lines {
    lines: Vec<Line>,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { lines: vec![Line::default()] }
    }
}

impl Lines {
    /// Adds a text, of which this is shown: it has as many lines.
    fn push(&mut self, text: &str, shown: &str) {
        for (index, (is, shown)) in text.split('\n').zip(shown.split('\n')).enumerate() {
            if index > 0 {
                self.lines.push(Line::default());
            }
            if let Some(line) = self.lines.last_mut() {
                line.is.push_str(is);
                line.shown.push_str(shown);
            }
        }
    }
}

/// What stands before an edit on its line, from where it is harmless.
fn before(text: &str, keys: &Keys) -> String {
    if is_harmless(text, keys) {
        return text.to_owned();
    }
    let rest = text.char_indices().map(|(at, _)| text.get(at..).unwrap_or_default());
    let rest = rest.skip(1).find(|rest| is_harmless(rest, keys)).unwrap_or_default();
    format!("{HIDDEN}{}", rest.trim_start_matches([',', ' ', '"']))
}

/// Whether there are only signs in it, and the names of the command and its words.
fn is_harmless(text: &str, keys: &Keys) -> bool {
    let is_sign = |ch: char| ch.is_whitespace() || "\"'{}[],:=-".contains(ch);
    text.split(is_sign).all(|word| ["", keys.command, keys.args].contains(&word))
}
