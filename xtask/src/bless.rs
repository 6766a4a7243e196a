//! Accepts what the code now prints as what it should print. The change is read in review, like any other.

use crate::docs;
use crate::step::Report;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    report.step("format", || workspace.cargo(["fmt", "--all"]).outcome());
    report.step("snapshots and golden files", || {
        let tests = workspace.cargo(["test", "--workspace", "--locked"]);
        // insta's own switch, and ours for the golden files that are written by a test.
        tests.env("INSTA_UPDATE", "always").env("TOOLGATE_BLESS", "1").outcome()
    });
    docs::write(workspace, report);
}
