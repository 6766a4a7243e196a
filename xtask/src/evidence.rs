//! The tests that are not Rust: other people's readers, clients and servers, driven from Python.

use crate::step::{Outcome, Report, Run};
use crate::workspace::Workspace;
use std::ffi::OsString;
use std::path::PathBuf;

const NO_CATALOGS: &str = "there are no catalogues beside this checkout";
pub(crate) const INSTALL: &str = "`.ci/install` installs all that the tests use";

/// A Python that runs.
pub(crate) struct Python {
    program: OsString,
}

impl Python {
    /// The one that the environment names, else the checkout's own, else the machine's.
    pub(crate) fn find(workspace: &Workspace) -> Option<Self> {
        Python::candidates(workspace, ".venv").find(|python| python.run(workspace).args(["--version"]).works())
    }

    /// Every one that could be meant, where the checkout's own stands in `folder`.
    fn candidates(workspace: &Workspace, folder: &str) -> impl Iterator<Item = Self> {
        let own = ["bin/python", "Scripts/python.exe"].map(|path| workspace.path(folder).join(path).into_os_string());
        let named = std::env::var_os("TOOLGATE_PYTHON");
        let programs = named.into_iter().chain(own).chain(["python3".into(), "python".into()]);
        programs.map(|program| Python { program })
    }

    pub(crate) fn run(&self, workspace: &Workspace) -> Run {
        Run::new(&self.program, workspace.root())
    }

    fn has(&self, workspace: &Workspace, modules: &str) -> bool {
        self.run(workspace).args(["-c", &format!("import {modules}")]).works()
    }
}

/// Runs everything that drives the built program from outside. The program must have been built.
pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    let python = Python::find(workspace);
    report.step("cases of this checkout, from outside", || cases(workspace, python.as_ref(), workspace.path("cases")));
    report.step("cases beside this checkout, from outside", || match shared(workspace) {
        Some(shared) => cases(workspace, python.as_ref(), shared.join("cases")),
        None => Outcome::Passed,
    });
    let no_skip = report.no_skip();
    report.step("smuggled frames", || script(workspace, python.as_ref(), "json", no_skip, "tests/smuggling/run.py"));
    report.step("real servers", || {
        if !workspace.path("tests/real/node_modules").is_dir() {
            return Outcome::Skipped(format!("tests/real/node_modules is missing; {INSTALL}"));
        }
        script(workspace, python.as_ref(), "mcp, mcp_server_time, mcp_server_git", no_skip, "tests/real/run.py")
    });
    report.step("jobs on the command line", || jobs(workspace, python.as_ref(), no_skip));
    report.step("commands of the guides", || guides(workspace, python.as_ref(), no_skip));
    report.step("the protocol's conformance suite", || conformance(workspace, python.as_ref()));
    report.step("a constrained decoder on what is shown", || decoder(workspace, no_skip, Extent::Sample));
    report.step("what another generator says a schema admits", || generated(workspace, no_skip, Extent::Sample));
}

/// `toolgate call` before a server that tells what reached it, and before those that are installed for other tests.
fn jobs(workspace: &Workspace, python: Option<&Python>, no_skip: bool) -> Outcome {
    let Some(python) = python else { return Outcome::Skipped(format!("there is no Python; {INSTALL}")) };
    let command = python.run(workspace).args(["tests/compare/run.py", "--short", "--toolgate"]);
    let command = command.args([workspace.built("toolgate")]);
    let command = if no_skip { command.args(["--no-skip"]) } else { command };
    command.outcome()
}

/// Every command that the guides show, as a reader would type it.
fn guides(workspace: &Workspace, python: Option<&Python>, no_skip: bool) -> Outcome {
    if !workspace.path("tests/real/node_modules").is_dir() {
        return Outcome::Skipped(format!("tests/real/node_modules is missing; {INSTALL}"));
    }
    let Some(python) = python else { return Outcome::Skipped(format!("there is no Python; {INSTALL}")) };
    let command = python.run(workspace).args([workspace.path("tests/guides/run.py")]);
    let command = command.args(["--toolgate".as_ref(), workspace.built("toolgate").as_os_str()]);
    let notes_server = workspace.built_outside().join("debug/notes-server");
    if notes_server.is_file() {
        return command.args(["--notes-server".as_ref(), notes_server.as_os_str()]).outcome();
    }
    match command.outcome() {
        Outcome::Passed if no_skip => Outcome::Failed("examples/notes-server is not built".to_owned()),
        outcome => outcome,
    }
}

/// The demo server, plain and guarded, before the protocol's own suite.
fn conformance(workspace: &Workspace, python: Option<&Python>) -> Outcome {
    if !workspace.path("tests/conformance/node_modules").is_dir() {
        return Outcome::Skipped(format!("tests/conformance/node_modules is missing; {INSTALL}"));
    }
    let Some(python) = python else { return Outcome::Skipped(format!("there is no Python; {INSTALL}")) };
    let command = python.run(workspace).args([workspace.path("tests/conformance/run.py")]);
    command.args(["--server".as_ref(), workspace.built("examples/guarded").as_os_str()]).outcome()
}

/// How many of the real tools a test takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Sample,
    Full,
}

/// A real constrained decoder is given what is shown, and arguments to write.
pub(crate) fn decoder(workspace: &Workspace, no_skip: bool, extent: Extent) -> Outcome {
    let mut pythons = Python::candidates(workspace, ".venv");
    let Some(python) = pythons.find(|python| python.has(workspace, "llguidance")) else {
        return Outcome::Skipped(format!("there is no Python with llguidance; {INSTALL}"));
    };
    if !has_catalogs(workspace) {
        return Outcome::Skipped(NO_CATALOGS.to_owned());
    }
    let command = python.run(workspace).args([workspace.path("tests/decoder/run.py")]);
    let command = command.args(["--members".as_ref(), workspace.built("examples/shown_members").as_os_str()]);
    let command = if no_skip { command.args(["--no-skip"]) } else { command };
    let command = if extent == Extent::Full { command.env("TOOLGATE_FULL", "1") } else { command };
    command.outcome()
}

/// The generator holds its library at a version that it works with, so it has an environment of its own.
pub(crate) fn generated(workspace: &Workspace, no_skip: bool, extent: Extent) -> Outcome {
    let mut pythons = Python::candidates(workspace, ".venv/hypothesis");
    let Some(python) = pythons.find(|python| python.has(workspace, "hypothesis_jsonschema")) else {
        return Outcome::Skipped(format!("there is no Python with hypothesis_jsonschema; {INSTALL}"));
    };
    if !has_catalogs(workspace) {
        return Outcome::Skipped(NO_CATALOGS.to_owned());
    }
    let command = python.run(workspace).args([workspace.path("tests/hypothesis/run.py")]);
    let command = command.args(["--toolgate".as_ref(), workspace.built("toolgate").as_os_str()]);
    let command = if no_skip { command.args(["--no-skip"]) } else { command };
    let command = if extent == Extent::Full { command.args(["--all"]) } else { command };
    command.outcome()
}

fn has_catalogs(workspace: &Workspace) -> bool {
    shared(workspace).is_some_and(|shared| shared.join("catalogs").is_dir())
}

/// The folder of further cases, unless the environment says that there is none.
fn shared(workspace: &Workspace) -> Option<PathBuf> {
    match std::env::var_os("TOOLGATE_SHARED") {
        Some(value) if value == "none" => None,
        Some(value) => Some(workspace.path(&value.to_string_lossy())),
        None => Some(workspace.path("../shared")),
    }
}

/// The case runner stands beside the further cases; it knows nothing of our code.
fn cases(workspace: &Workspace, python: Option<&Python>, folder: PathBuf) -> Outcome {
    let runner = shared(workspace).map(|shared| shared.join("cases/run_cases.py"));
    let Some(runner) = runner.filter(|runner| runner.is_file()) else {
        return Outcome::Skipped("there is no ../shared/cases/run_cases.py".to_owned());
    };
    let Some(python) = python.filter(|python| python.has(workspace, "jsonschema")) else {
        return Outcome::Skipped(format!("there is no Python with `jsonschema`; {INSTALL}"));
    };
    let files = ["judge.json", "messages.json"].map(|file| folder.join(file));
    let command = python.run(workspace).args([runner.as_os_str(), "--toolgate".as_ref()]);
    command.args([workspace.built("toolgate")]).args(files).outcome()
}

fn script(workspace: &Workspace, python: Option<&Python>, modules: &str, no_skip: bool, script: &str) -> Outcome {
    let Some(python) = python.filter(|python| python.has(workspace, modules)) else {
        return Outcome::Skipped(format!("there is no Python with {modules}; {INSTALL}"));
    };
    let command = python
        .run(workspace)
        .args([workspace.path(script)])
        .args(["--toolgate".as_ref(), workspace.built("toolgate").as_os_str()]);
    let command = command.args(["--recorder".as_ref(), workspace.built("examples/record_calls").as_os_str()]);
    let command = if no_skip { command.args(["--no-skip"]) } else { command };
    command.outcome()
}
