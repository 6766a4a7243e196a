//! Known vulnerabilities of the dependencies. On its own, since the answer changes with the day and not with the code.

use crate::step::Report;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    report.step("advisories", || workspace.cargo(["deny", "check", "advisories"]).outcome());
}
