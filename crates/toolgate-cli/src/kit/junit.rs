//! The report as JUnit XML, which most CI services read: a suite for each file.

use super::report::{Held, Outcome, Report};
use crate::show::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// The text of the report.
///
/// # Errors
///
/// Says why it cannot be written, which is a fault of ours.
pub(super) fn render(report: &Report<'_>) -> Result<String, String> {
    let mut junit = quick_junit::Report::new("toolgate test");
    let mut files: Vec<&str> = Vec::new();
    for held in &report.held {
        if !files.contains(&held.case.file.as_str()) {
            files.push(&held.case.file);
        }
    }
    for file in files {
        let mut suite = TestSuite::new(file);
        suite.add_test_cases(report.held.iter().filter(|held| held.case.file == file).map(test_case));
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| error.to_string())
}

fn test_case(held: &Held<'_>) -> TestCase {
    let mut status = match &held.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed { .. } => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Skipped(_) => TestCaseStatus::skipped(),
    };
    match &held.outcome {
        Outcome::Passed => {}
        Outcome::Skipped(why) => {
            status.set_message(visible(why));
        }
        Outcome::Failed { why, got } => {
            status.set_message(visible(why));
            let got = got.as_deref().map(|got| format!("\ngot: {got}")).unwrap_or_default();
            status.set_description(visible_lines(&format!("expected: {}{got}", held.case.expect)));
        }
    }
    let mut case = TestCase::new(held.case.id.as_str(), status);
    case.set_classname(held.case.group.as_deref().unwrap_or(held.case.kind.word()));
    case.set_time(held.took);
    case.extra.insert("file".into(), held.case.file.as_str().into());
    case.extra.insert("line".into(), held.case.line.to_string().into());
    case
}

/// Without characters that no XML may hold.
fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
