//! The report for programs: one object on a line.

use super::report::{Outcome, Report};
use toolgate::json::{ObjectWriter, list};

pub(super) fn render(report: &Report<'_>) -> String {
    let cases = report.held.iter().map(|held| {
        let mut case = ObjectWriter::new();
        case.string("id", &held.case.id);
        case.string("kind", held.case.kind.word());
        case.string("file", &held.case.file);
        case.raw("line", &held.case.line.to_string());
        match &held.outcome {
            Outcome::Passed => case.string("status", "passed"),
            Outcome::Skipped(why) => {
                case.string("status", "skipped");
                case.string("why", why);
            }
            Outcome::Failed { why, got } => {
                case.string("status", "failed");
                case.string("why", why);
                case.raw("expected", &held.case.expect);
                if let Some(got) = got {
                    case.raw("got", got);
                }
            }
        }
        case.end()
    });
    let cases = list(cases);
    let counts = report.counts();
    let mut object = ObjectWriter::new();
    for (name, count) in [("passed", counts.passed), ("failed", counts.failed), ("skipped", counts.skipped)] {
        object.raw(name, &count.to_string());
    }
    object.raw("cases", &cases);
    // A line's end inside the file's own JSON is white space between tokens.
    crate::tool::one_line(&object.end()) + "\n"
}
