//! The same jobs given to toolgate and to the command-line clients of others. No test: what others do is written down, not asserted.

use crate::evidence::{INSTALL, Python};
use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

/// Writes the tables of `docs/comparison.md`. Installs the other clients and the servers first, which needs a network.
pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    report.step("a release build, for the seconds", || {
        workspace.cargo(["build", "--release", "--locked", "--package", "toolgate-cli"]).outcome()
    });
    report.step("the same jobs for four clients", || {
        let Some(python) = Python::find(workspace) else {
            return Outcome::Skipped(format!("there is no Python; {INSTALL}"));
        };
        let command = python.run(workspace).args(["tests/compare/run.py", "--install", "--toolgate"]);
        let command = command.args([workspace.released("toolgate")]).args(["--times", "9"]);
        command.args(["--write", "docs/comparison.md"]).outcome()
    });
}
