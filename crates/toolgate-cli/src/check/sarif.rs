//! The report as SARIF 2.1.0, which code hosts and editors read.

use super::report::{Found, Report};
use crate::sarif::{self, LogRule, text};
use std::collections::HashMap;
use toolgate::json::{ObjectWriter, list};
use toolgate::lint::{Finding, Place, Rule, tool_name};

pub(super) fn render(report: &Report) -> String {
    let rules: Vec<LogRule> = Rule::ALL.iter().map(rule).collect();
    let stale = report
        .stale()
        .map(|entry| format!("line {} of the allow file allows nothing any more: {}", entry.line, entry.text));
    let lines = lines(report);
    sarif::log(&rules, stale, report.findings.iter().map(|found| result(found, report, &lines)))
}

fn rule(rule: &Rule) -> LogRule {
    let help = format!("{} Source: {}.", rule.meaning(), rule.source());
    LogRule { id: rule.id(), level: rule.level().as_str(), meaning: rule.meaning(), help }
}

/// The line of each tool in the file that was checked.
fn lines(report: &Report) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    // Entries that are no tools have no name, so each tool is looked for where its definition is.
    let mut at = 0;
    for row in &report.tools {
        let named = |definition: &String| is_named(definition, &row.name);
        let rest = report.target.definitions.get(at..).unwrap_or_default();
        let Some(index) = rest.iter().position(named).map(|index| at + index) else { continue };
        at = index + 1;
        if let Some(line) = report.target.lines.get(index) {
            lines.insert(row.name.as_str(), *line);
        }
    }
    lines
}

fn is_named(definition: &str, name: &str) -> bool {
    let document = crate::target::read_tool(definition);
    document.is_some_and(|document| document.root().get("name").is_some_and(|value| value.is_str(name)))
}

fn result(found: &Found, report: &Report, lines: &HashMap<&str, usize>) -> String {
    let finding = &found.finding;
    let index = Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or_default();
    let mut object = ObjectWriter::new();
    object.string("ruleId", finding.rule.id());
    object.raw("ruleIndex", &index.to_string());
    object.string("level", finding.level().as_str());
    object.raw("message", &text(&message(finding)));
    object.raw("locations", &list(std::iter::once(location(finding, report, lines))));
    if found.is_allowed {
        object.raw("suppressions", r#"[{"kind":"external"}]"#);
    }
    if let Some(profile) = finding.profile {
        let mut properties = ObjectWriter::new();
        properties.string("profile", profile);
        object.raw("properties", &properties.end());
    }
    object.end()
}

/// A code host shows the message alone, so it says the tool, the place and the reader as well.
fn message(finding: &Finding) -> String {
    let tool = finding.tool.as_deref().map_or("the list".to_owned(), |tool| format!("tool `{}`", tool_name(tool)));
    let place = match &finding.place {
        Place::Whole | Place::Entry(_) => String::new(),
        Place::Schema(pointer) => format!(", `{pointer}` of its schema"),
        Place::Arguments(pointer) if pointer.is_empty() => ", its arguments".to_owned(),
        Place::Arguments(pointer) => format!(", argument `{pointer}`"),
    };
    let reader = finding.profile.map_or(String::new(), |profile| format!(" (shown to {profile})"));
    match finding.place {
        // Its words name it.
        Place::Entry(_) => format!("{}{reader}", finding.message),
        _ => format!("{tool}{place}: {}{reader}", finding.message),
    }
}

fn location(finding: &Finding, report: &Report, lines: &HashMap<&str, usize>) -> String {
    let mut logical = ObjectWriter::new();
    let tool = finding.tool.as_deref().unwrap_or("");
    match (&finding.tool, &finding.place) {
        (None, Place::Entry(index)) => {
            logical.string("name", &index.to_string());
            logical.string("fullyQualifiedName", &format!("tools/{index}"));
            logical.string("kind", "value");
        }
        (None, _) => {
            logical.string("name", "tools");
            logical.string("kind", "array");
        }
        (Some(name), Place::Whole) => {
            logical.string("name", name);
            logical.string("fullyQualifiedName", name);
            logical.string("kind", "function");
        }
        (Some(_), place) => {
            let last = place.pointer().rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
            logical.string("name", if last.is_empty() { tool } else { &last });
            let root = if place.document() == "schema" { "/inputSchema" } else { "/arguments" };
            logical.string("fullyQualifiedName", &format!("{tool}#{root}{}", place.pointer()));
            logical.string("kind", "value");
        }
    }
    let mut object = ObjectWriter::new();
    // A server has no lines of its own; a code host wants a file all the same.
    let file = report.target.path.as_ref().or(report.target.named_in.as_ref());
    if let Some(path) = file.filter(|path| *path != "-") {
        let physical = sarif::physical(path, line(finding, report, lines));
        object.raw("physicalLocation", &physical);
    }
    object.raw("logicalLocations", &list(std::iter::once(logical.end())));
    object.end()
}

/// The line of the tool, or of the entry that is none; of the list as a whole there is no one line.
fn line(finding: &Finding, report: &Report, lines: &HashMap<&str, usize>) -> Option<usize> {
    match (&finding.place, finding.tool.as_deref()) {
        (Place::Entry(index), _) => report.target.lines.get(*index).copied(),
        (_, Some(_)) if report.target.is_schema() => report.target.lines.first().copied(),
        (_, Some(tool)) => lines.get(tool).copied(),
        (_, None) => None,
    }
}
