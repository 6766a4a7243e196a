//! The official JSON Schema test suite, as the source distribution of the Python package `jsonschema` carries it.

use crate::evidence::Python;
use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

/// The version whose copy of the suite the list of exceptions is written for.
const VERSION: &str = "4.26.0";

/// Downloads and unpacks the suite, unless it is there or the environment names another copy. Without network, the tests
/// that read it are skipped.
pub(crate) fn fetch(workspace: &Workspace, report: &mut Report) {
    report.step("JSON Schema test suite", || {
        if std::env::var_os("TOOLGATE_SUITE").is_some() {
            return Outcome::Passed;
        }
        let folder = workspace.evidence().join("json-schema-test-suite");
        if folder.join("tests").is_dir() {
            return Outcome::Passed;
        }
        let Some(python) = Python::find(workspace) else {
            return Outcome::Skipped("there is no Python".to_owned());
        };
        let script = workspace.path("tests/fetch_suite.py");
        let download = python.run(workspace).args([script.as_os_str(), VERSION.as_ref(), folder.as_os_str()]);
        match download.outcome() {
            Outcome::Failed(why) => Outcome::Skipped(why),
            outcome => outcome,
        }
    });
}
