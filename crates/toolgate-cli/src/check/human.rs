//! The report for a person: tool by tool what was found, then a line for each profile and the verdict.

use super::report::Report;
use crate::show::{BAD, BOLD, DIM, GOOD, NOTE, WARN, count, counted, labelled, place, visible, wrapped};
use anstyle::Style;
use std::fmt::Write as _;
use toolgate::lint::{Finding, Level, Rule, Summary, tool_name};

/// Messages of one rule and tool, and places of one message, that are listed; more are for programs.
const SAID_MAX: usize = 8;
const PLACES_MAX: usize = 6;
/// Of what is said of a finding, under its rule.
const INDENT: usize = 11;
/// Largest definitions that are named.
const LARGEST: usize = 3;

pub(super) fn render(report: &Report, deny: Level, width: usize) -> String {
    let mut out = String::new();
    let findings: Vec<&Finding> = report.counted().collect();
    for of_tool in findings.chunk_by(|left, right| left.tool == right.tool) {
        tool(report, of_tool, width, &mut out);
    }
    for (name, summary) in &report.summaries {
        profile(name, summary, report, width, &mut out);
    }
    largest(report, width, &mut out);
    stale(report, width, &mut out);
    verdict(report, deny, width, &mut out);
    out
}

fn style(level: Level) -> Style {
    match level {
        Level::Error => BAD,
        Level::Warning => WARN,
        Level::Note => NOTE,
    }
}

fn tool(report: &Report, findings: &[&Finding], width: usize, out: &mut String) {
    match findings.first().and_then(|finding| finding.tool.as_deref()) {
        Some(name) => {
            let size = report.tools.iter().find(|row| row.name == name).map_or(String::new(), |row| {
                let after = row.shown.first().copied().flatten().unwrap_or(row.served);
                format!("  {} → {} bytes", count(row.served.bytes), count(after.bytes))
            });
            let _ = writeln!(out, "{BOLD}{}{BOLD:#}{DIM}{size}{DIM:#}", tool_name(name));
        }
        None => _ = writeln!(out, "{BOLD}the list as a whole{BOLD:#}"),
    }
    for rule in Rule::ALL {
        let of_rule: Vec<&Finding> = findings.iter().copied().filter(|finding| finding.rule == *rule).collect();
        if !of_rule.is_empty() {
            of_one_rule(*rule, &of_rule, report.summaries.len(), width, out);
        }
    }
    out.push('\n');
}

/// What a rule says, each message once with its places.
fn of_one_rule(rule: Rule, findings: &[&Finding], profiles: usize, width: usize, out: &mut String) {
    let style = style(rule.level());
    let _ = writeln!(out, "  {style}{:<8}{style:#} {rule}", rule.level());
    let mut said: Vec<Said> = Vec::new();
    for finding in findings {
        let message = visible(&finding.message);
        let known = said.iter().position(|said| said.message == message).unwrap_or_else(|| {
            said.push(Said { message, places: Vec::new(), readers: Vec::new() });
            said.len() - 1
        });
        let Some(said) = said.get_mut(known) else { continue };
        let pointer = finding.place.pointer();
        let at = if pointer.is_empty() { String::new() } else { place(pointer) };
        if !said.places.contains(&at) {
            said.places.push(at);
        }
        if let Some(profile) = finding.profile.filter(|profile| !said.readers.contains(profile)) {
            said.readers.push(profile);
        }
    }
    // Where every profile says it, and where there is but one, there is nothing to tell apart.
    said.iter_mut().filter(|said| said.readers.len() == profiles).for_each(|said| said.readers.clear());
    let more = said.len().saturating_sub(SAID_MAX);
    for said in said.iter().take(SAID_MAX) {
        said.write(width, out);
    }
    if more > 0 {
        labelled("", DIM, INDENT, &format!("and {more} more; --format json lists them"), width, out);
    }
}

struct Said<'f> {
    message: String,
    places: Vec<String>,
    readers: Vec<&'f str>,
}

impl Said<'_> {
    fn write(&self, width: usize, out: &mut String) {
        let readers = match self.readers.as_slice() {
            [] => String::new(),
            readers => format!(" ({})", readers.join(", ")),
        };
        if let [place] = self.places.as_slice() {
            let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
            return labelled("", DIM, INDENT, &format!("{at}{}{readers}", self.message), width, out);
        }
        labelled("", DIM, INDENT, &format!("{}{readers}", self.message), width, out);
        for place in self.places.iter().take(PLACES_MAX) {
            labelled("", DIM, INDENT + 2, if place.is_empty() { "the whole" } else { place }, width, out);
        }
        let more = self.places.len().saturating_sub(PLACES_MAX);
        if more > 0 {
            labelled("", DIM, INDENT + 2, &format!("and {more} more; --format json lists them"), width, out);
        }
    }
}

fn profile(name: &str, summary: &Summary, report: &Report, width: usize, out: &mut String) {
    let mut parts = vec![match summary.shown {
        0 => "nothing is shown".to_owned(),
        shown if summary.proven == shown => format!("{} shown, all proven", counted(shown, "tool")),
        shown => format!("{} shown, {} proven", counted(shown, "tool"), count(summary.proven)),
    }];
    let counts = [
        (summary.closed, "closed"),
        (summary.fell_back, "shown wider than the reader's form"),
        (summary.open, "shown as any object"),
        (summary.strict, "strict"),
    ];
    parts.extend(
        counts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{} {what}", count(*number))),
    );
    let (before, after) = (summary.served, summary.sent);
    parts.push(format!(
        "{} → {} bytes, about {} → {} tokens",
        count(before.bytes),
        count(after.bytes),
        count(before.tokens()),
        count(after.tokens())
    ));
    let label_width = report.summaries.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    labelled(name, BOLD, label_width, &parts.join("; "), width, out);
}

/// Where the bytes are, if there is anything to choose from.
fn largest(report: &Report, width: usize, out: &mut String) {
    let mut rows: Vec<(&str, usize)> = report
        .tools
        .iter()
        .map(|row| (row.name.as_str(), row.shown.first().copied().flatten().unwrap_or(row.served).bytes))
        .collect();
    if rows.len() <= LARGEST {
        return;
    }
    rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let named = rows.iter().take(LARGEST).map(|(name, bytes)| format!("{} {}", tool_name(name), count(*bytes)));
    let text = format!("largest definitions, in bytes: {}", named.collect::<Vec<_>>().join(", "));
    for line in wrapped(&text, width) {
        let _ = writeln!(out, "{DIM}{line}{DIM:#}");
    }
}

fn stale(report: &Report, width: usize, out: &mut String) {
    for entry in report.stale() {
        let text = format!("line {} of the allow file allows nothing any more: {}", entry.line, visible(&entry.text));
        labelled("stale", WARN, 7, &text, width, out);
    }
}

fn verdict(report: &Report, deny: Level, width: usize, out: &mut String) {
    let levels = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts = levels.map(|(level, word)| counted(report.of_level(level), word)).join(", ");
    let allowed = if report.allowed() > 0 { format!("; {} allowed", count(report.allowed())) } else { String::new() };
    let (style, word, why) = match (report.denied(deny), deny) {
        (0, Level::Note) => (GOOD, "passed", "nothing was found".to_owned()),
        (0, level) => (GOOD, "passed", format!("nothing at or above {level}")),
        (denied, level) => (BAD, "failed", format!("{} at or above {level}", counted(denied, "finding"))),
    };
    labelled(word, style, 8, &format!("{why}; {counts}{allowed}"), width, out);
}
