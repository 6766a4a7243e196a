//! The report for a program: one object.

use super::report::{Found, Report, Row};
use std::collections::BTreeMap;
use toolgate::json::{ObjectWriter, list, quoted};
use toolgate::lint::{Level, Place, Size, Summary};

pub(super) fn render(report: &Report, deny: Level) -> String {
    let mut object = ObjectWriter::new();
    object.string("target", report.target.kind());
    object.optional("file", report.target.path.as_deref());
    object.string("deny", deny.as_str());
    object.raw("denied", &report.denied(deny).to_string());
    object.raw("findings", &list(report.findings.iter().map(finding)));
    object.raw("stale", &stale(report));
    object.raw("tools", &list(report.tools.iter().map(|row| tool(row, report))));
    object.raw("profiles", &list(report.summaries.iter().map(|(name, summary)| profile(name, summary))));
    object.raw("totals", &totals(report));
    format!("{}\n", object.end())
}

fn finding(found: &Found) -> String {
    let finding = &found.finding;
    let mut object = ObjectWriter::new();
    object.string("rule", finding.rule.id());
    object.string("level", finding.level().as_str());
    object.optional("tool", finding.tool.as_deref());
    if let Place::Entry(index) = &finding.place {
        // As the words count it.
        object.raw("entry", &(index + 1).to_string());
    }
    object.string("in", finding.place.document());
    object.string("location", finding.place.pointer());
    object.optional("profile", finding.profile);
    object.string("message", &finding.message);
    object.raw("allowed", if found.is_allowed { "true" } else { "false" });
    object.end()
}

fn stale(report: &Report) -> String {
    list(report.stale().map(|entry| {
        let mut object = ObjectWriter::new();
        object.raw("line", &entry.line.to_string());
        object.string("entry", &entry.text);
        object.end()
    }))
}

fn size(size: Size) -> String {
    format!(r#"{{"bytes":{},"tokens":{}}}"#, size.bytes, size.tokens())
}

fn tool(row: &Row, report: &Report) -> String {
    let mut shown = ObjectWriter::new();
    for ((profile, _), sent) in report.summaries.iter().zip(&row.shown) {
        shown.raw(profile, &sent.map_or("null".to_owned(), size));
    }
    let mut object = ObjectWriter::new();
    object.string("name", &row.name);
    object.raw("served", &size(row.served));
    object.raw("shown", &shown.end());
    object.end()
}

fn profile(name: &str, summary: &Summary) -> String {
    let mut object = ObjectWriter::new();
    object.string("profile", name);
    let counts = [
        ("tools", summary.tools),
        ("closed", summary.closed),
        ("shown", summary.shown),
        ("proven", summary.proven),
        ("fell_back", summary.fell_back),
        ("open", summary.open),
        ("strict", summary.strict),
    ];
    for (name, count) in counts {
        object.raw(name, &count.to_string());
    }
    object.raw("before", &size(summary.served));
    object.raw("after", &size(summary.sent));
    object.end()
}

fn totals(report: &Report) -> String {
    let mut rules: BTreeMap<_, usize> = BTreeMap::new();
    for finding in report.counted() {
        *rules.entry(finding.rule).or_default() += 1;
    }
    let mut by_rule = ObjectWriter::new();
    for (rule, count) in rules {
        by_rule.raw(rule.id(), &count.to_string());
    }
    let mut object = ObjectWriter::new();
    object.raw("tools", &report.tools.len().to_string());
    for (name, level) in [("error", Level::Error), ("warning", Level::Warning), ("note", Level::Note)] {
        object.raw(name, &report.of_level(level).to_string());
    }
    object.raw("allowed", &report.allowed().to_string());
    object.raw("by_rule", &by_rule.end());
    object.raw("profiles", &list(report.summaries.iter().map(|(name, _)| quoted(name))));
    object.end()
}
