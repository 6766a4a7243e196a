//! The long forms of the tests that otherwise take a sample of the real tools. They print what they counted.

use crate::evidence;
use crate::outside;
use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

/// Modules of Rust tests with a long form, each with what it says.
const TESTS: [(&str, &str); 3] = [
    ("shown::", "every real tool under every profile, and members of all"),
    ("rewriters::", "what clients leave of every real tool"),
    ("canonical::", "a second vote on every real tool"),
];

/// Runs all of them, one after the other, so that their tables do not mix.
pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    outside::lint(workspace, report);
    for (module, name) in TESTS {
        report.step(name, || long_form(workspace, module));
    }
    report.step("the program", || {
        workspace.cargo(["build", "--workspace", "--locked", "--bins", "--examples"]).outcome()
    });
    let no_skip = report.no_skip();
    report.step("a constrained decoder on every real tool", || {
        evidence::decoder(workspace, no_skip, evidence::Extent::Full)
    });
    report.step("what another generator says every real schema admits", || {
        evidence::generated(workspace, no_skip, evidence::Extent::Full)
    });
}

fn long_form(workspace: &Workspace, module: &str) -> Outcome {
    let tests = workspace.cargo(["test", "--package", "toolgate", "--locked", "--test", "it", module]);
    tests.args(["--", "--nocapture", "--test-threads=1"]).env("TOOLGATE_FULL", "1").outcome()
}
