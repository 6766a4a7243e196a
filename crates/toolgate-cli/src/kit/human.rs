//! The report for a person: each failure with what was expected beside what came, then the counts.

use super::case::{Case, Kind};
use super::report::{Counts, Held, Outcome, Report};
use crate::input;
use crate::show::json::{beside, half, lines};
use crate::show::{BAD, BOLD, DIM, GOOD, WARN, counted, labelled, page, visible};
use anstyle::Style;
use std::fmt::Write as _;
use toolgate::json::{ObjectWriter, Value};
use toolgate::shown_name;

/// Lines of one side.
const LINES_MAX: usize = 40;
/// Where less fits beside each other, one stands above the other.
const BESIDE_MIN: usize = 72;
/// Skipped cases that are named.
const SKIPPED_MAX: usize = 10;
/// What of an answer says nothing about a failure.
const LEFT_OUT: [&str; 4] = ["text", "set_aside", "bytes", "tokens"];

pub(super) fn render(report: &Report<'_>, width: usize) -> String {
    let mut out = String::new();
    for held in &report.held {
        if let Outcome::Failed { why, got } = &held.outcome {
            failure(held, why, got.as_deref(), width, &mut out);
        }
    }
    let skipped: Vec<_> = report.held.iter().filter(|held| matches!(held.outcome, Outcome::Skipped(_))).collect();
    for held in skipped.iter().take(SKIPPED_MAX) {
        if let Outcome::Skipped(why) = &held.outcome {
            head("skip", WARN, held.case, &mut out);
            labelled("      ", DIM, 6, &visible(why), width, &mut out);
        }
    }
    if skipped.len() > SKIPPED_MAX {
        let _ = writeln!(out, "{WARN}skip{WARN:#}  and {} more", skipped.len() - SKIPPED_MAX);
    }
    for kind in Kind::ALL {
        let counts = report.of_kind(kind);
        if counts.all() > 0 && counts.all() < report.held.len() {
            let _ = writeln!(out, "{DIM}{:<10}{DIM:#} {}", kind.word(), told(counts));
        }
    }
    let _ = writeln!(out, "{}", told(report.counts()));
    out
}

fn told(counts: Counts) -> String {
    let mut out = counted(counts.passed, "case");
    out.push_str(" passed");
    let (good, bad, warn) = (GOOD, BAD, WARN);
    if counts.failed == 0 {
        out = format!("{good}{out}{good:#}");
    } else {
        let _ = write!(out, ", {bad}{} failed{bad:#}", crate::show::count(counts.failed));
    }
    if counts.skipped > 0 {
        let _ = write!(out, ", {warn}{} skipped{warn:#}", crate::show::count(counts.skipped));
    }
    out
}

fn head(word: &str, style: Style, case: &Case, out: &mut String) {
    let (id, file) = (shown_name(&case.id), visible(&case.file));
    let _ = writeln!(out, "{style}{word}{style:#}  {BOLD}{id}{BOLD:#}  {DIM}{file}:{}{DIM:#}", case.line);
}

fn failure(held: &Held<'_>, why: &str, got: Option<&str>, width: usize, out: &mut String) {
    head("FAIL", BAD, held.case, out);
    if let Some(title) = &held.case.title {
        labelled("      ", DIM, 6, &visible(title), width, out);
    }
    labelled("      ", DIM, 6, &visible(why), width, out);
    let got = got.map(trimmed);
    let width = page(width);
    let is_beside = width >= BESIDE_MIN;
    let room = width.saturating_sub(6);
    let side = if is_beside { half(room) } else { room };
    let expected = pretty(&held.case.expect, side);
    let Some(got) = got else { return };
    let got = pretty(&got, side);
    if is_beside {
        let titles = beside(&["expected".to_owned()], &["got".to_owned()], room);
        push_lines(&titles, DIM, out);
        push_lines(&beside(&expected, &got, room), Style::new(), out);
    } else {
        for (title, lines) in [("expected", expected), ("got", got)] {
            push_lines(&[title.to_owned()], DIM, out);
            push_lines(&lines, Style::new(), out);
        }
    }
    out.push('\n');
}

fn push_lines(lines: &[String], style: Style, out: &mut String) {
    for line in lines {
        let _ = writeln!(out, "      {style}{line}{style:#}");
    }
}

/// JSON in lines, as many as can be looked over.
fn pretty(json: &str, width: usize) -> Vec<String> {
    let Ok(document) = input::document(json) else { return vec![visible(json)] };
    let mut lines = lines(document.root(), width, None);
    if lines.len() > LINES_MAX {
        let more = lines.len() - LINES_MAX;
        lines.truncate(LINES_MAX);
        lines.push(format!("… {more} more lines"));
    }
    lines
}

/// An answer without what is empty in it, or says nothing about a failure.
fn trimmed(answer: &str) -> String {
    let Ok(document) = input::document(answer) else { return answer.to_owned() };
    let is_said = |name: &str, value: Value<'_>| {
        !(LEFT_OUT.contains(&name) || matches!(value.text(), "[]" | "{}") || name == "more" && value.text() == "0")
    };
    let mut object = ObjectWriter::new();
    for (name, value) in document.root().members() {
        let name = name.as_str().unwrap_or_default();
        // The arguments are compared as JSON, and are read so.
        let arguments = value.as_str().filter(|_| name == "arguments_text");
        match arguments.as_deref().map(input::document) {
            Some(Ok(arguments)) => object.raw("arguments", arguments.root().text()),
            _ if is_said(&name, value) => object.raw(&name, value.text()),
            _ => {}
        }
    }
    object.end()
}
