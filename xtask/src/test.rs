//! All tests: what Rust can say of itself, then what others see of the built program.

use crate::evidence;
use crate::outside;
use crate::package;
use crate::step::Report;
use crate::suite;
use crate::workspace::Workspace;

/// Runs all tests. Where nothing may be skipped, the tests are told so.
pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    suite::fetch(workspace, report);
    let no_skip = report.no_skip();
    report.step("Rust tests", || {
        let tests = workspace.cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
        let tests = if no_skip { tests.env("TOOLGATE_NO_SKIP", "1") } else { tests };
        tests.outcome()
    });
    outside::test(workspace, report);
    evidence(workspace, report);
}

/// Builds the program and looks at it from outside.
pub(crate) fn evidence(workspace: &Workspace, report: &mut Report) {
    report.step("the program", || {
        workspace.cargo(["build", "--workspace", "--locked", "--bins", "--examples"]).outcome()
    });
    evidence::run(workspace, report);
    outside::call(workspace, report);
    package::run(workspace, report, "dev");
}
