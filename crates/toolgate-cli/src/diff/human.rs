//! What has changed, for a person: first what it means for calls, with an example; then every place that reads otherwise.

use super::change::{Calls, Changed, Difference, What};
use super::places::Place;
use super::relation::{Compared, Relation, Side};
use crate::input::document;
use crate::show::{BAD, BOLD, DIM, GOOD, WARN, counted, place, visible, wrapped};
use anstyle::Style;
use std::fmt::Write as _;

/// Characters of a text or a value that are shown; programs get the whole.
const VALUE_MAX: usize = 1_000;
/// Characters that are shown before what has changed in a long text.
const BEFORE_MAX: usize = 40;
/// Places of one tool that are listed.
const PLACES_MAX: usize = 20;

pub(super) fn render(differences: &[Difference], width: usize) -> String {
    let mut out = String::new();
    for difference in differences {
        let _ = writeln!(out, "{DIM}{} → {}{DIM:#}", visible(&difference.old), visible(&difference.new));
        difference.tools.iter().for_each(|tool| push_tool(tool, width, &mut out));
        let _ = writeln!(out, "{}", summary(difference));
        if let Some(command) = difference.pins.as_ref().filter(|_| !difference.is_none()) {
            let _ = writeln!(out, "{DIM}to take this for good: {}{DIM:#}", visible(command));
        }
    }
    out
}

fn summary(difference: &Difference) -> String {
    let of = |is: fn(&What) -> bool| difference.tools.iter().filter(|tool| is(&tool.what)).count();
    let counts = [
        (of(|what| matches!(what, What::Changed { .. })), "changed"),
        (of(|what| matches!(what, What::Added { .. })), "added"),
        (of(|what| matches!(what, What::Removed)), "removed"),
    ];
    let said: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(n, word)| format!("{n} {word}")).collect();
    match (said.is_empty(), difference.unchanged) {
        (true, all) => format!("{GOOD}no change{GOOD:#}: {} as before", counted(all, "tool")),
        (false, same) => format!("{BOLD}{}{BOLD:#}, {same} as before", said.join(", ")),
    }
}

fn push_tool(tool: &Changed, width: usize, out: &mut String) {
    let name = visible(&tool.name);
    match &tool.what {
        What::Added { description } => {
            let _ = writeln!(out, "{BOLD}{name}{BOLD:#}: {WARN}added{WARN:#}");
            if let Some(text) = description {
                push_side("+", GOOD, &cut(text), width, out);
            }
        }
        What::Removed => _ = writeln!(out, "{BOLD}{name}{BOLD:#}: {BAD}removed{BAD:#}"),
        What::Changed { calls, places } => {
            let (style, words) = head(calls.as_ref());
            let _ = writeln!(out, "{BOLD}{name}{BOLD:#}: {style}{words}{style:#}");
            if let Some(calls) = calls {
                push_calls(calls, width, out);
            }
            push_places(places, width, out);
        }
    }
}

fn head(calls: Option<&Calls>) -> (Style, &'static str) {
    match calls.map(|calls| calls.whole.relation()) {
        None => (WARN, "its arguments are as before, its words are not"),
        Some(Relation::Same) => (WARN, "takes the same calls, written otherwise"),
        Some(Relation::Wider) => (WARN, "wider: takes more calls than before"),
        Some(Relation::Narrower) => (BAD, "narrower: refuses calls that it took before"),
        Some(Relation::Incomparable) => (BAD, "incomparable: refuses calls that it took before, and takes others"),
        Some(Relation::Unknown) => (WARN, "its arguments have changed; what that means for calls could not be told"),
    }
}

fn push_calls(calls: &Calls, width: usize, out: &mut String) {
    // One that says it all is not told twice.
    if calls.arguments.len() < 2 {
        push_compared(&calls.whole, "  ", width, out);
        return;
    }
    for (name, compared) in &calls.arguments {
        let _ = writeln!(out, "  argument {BOLD}{}{BOLD:#}: {}", visible(name), compared.relation().word());
        push_compared(compared, "    ", width, out);
    }
}

fn push_compared(compared: &Compared, indent: &str, width: usize, out: &mut String) {
    for (side, words) in
        [(&compared.lost, "refused now, taken before"), (&compared.gained, "taken now, refused before")]
    {
        match side {
            Side::None => {}
            Side::Some { example, location, keyword } => {
                let _ = writeln!(out, "{indent}{words} ({}, `{keyword}`):", place(location));
                push_wrapped(&cut(example), &format!("{indent}  "), width, out);
            }
            Side::Unknown(why) => push_wrapped(&format!("{words}: not known, {why}"), indent, width, out),
        }
    }
}

fn push_places(places: &[Place], width: usize, out: &mut String) {
    for Place { location, old, new } in places.iter().take(PLACES_MAX) {
        let _ = writeln!(out, "  {}", place(location));
        let (old, new) = (old.as_deref().map(words), new.as_deref().map(words));
        let start = match (&old, &new) {
            (Some(old), Some(new)) => shared(old, new),
            _ => 0,
        };
        for (text, sign, style) in [(&old, "-", BAD), (&new, "+", GOOD)] {
            if let Some(text) = text {
                push_side(sign, style, &from(text, start), width, out);
            }
        }
    }
    if places.len() > PLACES_MAX {
        let _ = writeln!(out, "  and {}; --format json lists them", counted(places.len() - PLACES_MAX, "more place"));
    }
}

/// A text as it reads; any other value as JSON.
fn words(json: &str) -> String {
    let text = document(json).ok().and_then(|document| document.root().as_str().map(std::borrow::Cow::into_owned));
    text.unwrap_or_else(|| json.to_owned())
}

/// Characters at the beginning of both that need not be shown.
fn shared(old: &str, new: &str) -> usize {
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    same.saturating_sub(BEFORE_MAX)
}

fn from(text: &str, start: usize) -> String {
    let rest: String = text.chars().skip(start).collect();
    if start == 0 { cut(&rest) } else { format!("…{}", cut(&rest)) }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_MAX) {
        None => text.to_owned(),
        Some((at, _)) => {
            let more = text.chars().count() - VALUE_MAX;
            format!("{}… ({} more)", text.get(..at).unwrap_or_default(), counted(more, "character"))
        }
    }
}

fn push_side(sign: &str, style: Style, text: &str, width: usize, out: &mut String) {
    for (index, line) in wrapped(&visible(text), width.saturating_sub(6).max(20)).iter().enumerate() {
        let sign = if index == 0 { sign } else { " " };
        out.push_str(format!("    {style}{sign}{style:#} {line}").trim_end());
        out.push('\n');
    }
}

fn push_wrapped(text: &str, indent: &str, width: usize, out: &mut String) {
    for line in wrapped(&visible(text), width.saturating_sub(indent.len()).max(20)) {
        let _ = writeln!(out, "{indent}{line}");
    }
}
