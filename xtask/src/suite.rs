//! The official JSON Schema test suite, as the source distribution of the Python package `jsonschema` carries it.

use crate::evidence::Python;
use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

/// The version whose copy of the suite the list of exceptions is written for.
const VERSION: &str = "4.26.0";

/// Downloads and unpacks the suite, unless it is there.
pub(crate) fn fetch(workspace: &Workspace, report: &mut Report) {
    report.step("JSON Schema test suite", || {
        let folder = workspace.evidence().join("json-schema-test-suite");
        if folder.join("tests").is_dir() {
            return Outcome::Passed;
        }
        let Some(python) = Python::find(workspace) else {
            return Outcome::Skipped("there is no Python".to_owned());
        };
        let script = workspace.path("tests/fetch_suite.py");
        python.run(workspace).args([script.as_os_str(), VERSION.as_ref(), folder.as_os_str()]).outcome()
    });
}
