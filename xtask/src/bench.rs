//! Measurements. They are no tests: the numbers are for people, who read them beside `bench/RESULTS.md`.

use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    report.step("benchmarks", || {
        if !workspace.crates().contains_key("toolgate-bench") {
            return Outcome::Failed("this checkout has no crate `toolgate-bench`".to_owned());
        }
        workspace.cargo(["run", "--release", "--locked", "--package", "toolgate-bench"]).outcome()
    });
}
