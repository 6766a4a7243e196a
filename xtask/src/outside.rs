//! Crates with a workspace and a lock file of their own: one that would change the rest of a build, and one that is written as
//! a user would write it. Each is a build of its own, so that the check tests them, and their lints are among the long forms.

use crate::step::{Outcome, Report, Run};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// The adapter for rig, which switches a feature of serde_json on that is global to a build (`crates/toolgate-rig/Cargo.toml`).
const RIG: Outside = Outside { folder: "crates/toolgate-rig", bans: "" };
/// A server as a user would write it from the guide.
const NOTES: Outside = Outside { folder: "examples/notes-server", bans: "bans" };
const ALL: &[Outside] = &[RIG, NOTES];

struct Outside {
    folder: &'static str,
    /// The feature is banned everywhere else.
    bans: &'static str,
}

impl Outside {
    fn manifest(&self, workspace: &Workspace) -> PathBuf {
        workspace.path(self.folder).join("Cargo.toml")
    }

    fn cargo(&self, workspace: &Workspace, command: &str, further: &[&str]) -> Run {
        let run = workspace.cargo([command, "--manifest-path"]).args([self.manifest(workspace)]).args(further);
        // One folder for all of them, so that what they share is built once; lines for a debugger would take most of its disk.
        run.env("CARGO_TARGET_DIR", workspace.built_outside()).env("CARGO_PROFILE_DEV_DEBUG", "0")
    }
}

/// Format and licences.
pub(crate) fn check(workspace: &Workspace, report: &mut Report) {
    for outside in ALL {
        let folder = outside.folder;
        report.step(&format!("format, {folder}"), || outside.cargo(workspace, "fmt", &["--check"]).outcome());
        report.step(&format!("licences and sources, {folder}"), || {
            if !workspace.cargo(["deny", "--version"]).works() {
                return Outcome::Skipped(
                    "cargo-deny is not installed (`cargo install cargo-deny --locked`)".to_owned(),
                );
            }
            let deny = workspace.cargo(["deny", "--manifest-path"]).args([outside.manifest(workspace)]);
            let deny = deny.args(["--config"]).args([workspace.path("deny.toml")]).args(["check"]);
            deny.args([outside.bans, "licenses", "sources"].into_iter().filter(|check| !check.is_empty())).outcome()
        });
    }
}

/// Lints and documentation.
pub(crate) fn lint(workspace: &Workspace, report: &mut Report) {
    for outside in ALL {
        report.step(&format!("clippy, {}", outside.folder), || {
            let lints = ["--all-targets", "--locked", "--", "--deny", "warnings"];
            outside.cargo(workspace, "clippy", &lints).outcome()
        });
    }
    report.step("API documentation, crates/toolgate-rig", || {
        RIG.cargo(workspace, "doc", &["--no-deps", "--locked"]).env("RUSTDOCFLAGS", "--deny warnings").outcome()
    });
}

/// Their tests.
pub(crate) fn test(workspace: &Workspace, report: &mut Report) {
    for outside in ALL {
        report.step(&format!("Rust tests, {}", outside.folder), || {
            outside.cargo(workspace, "test", &["--locked", "--no-fail-fast"]).outcome()
        });
    }
}

/// The server that a user would write, from the command line. The program must have been built.
pub(crate) fn call(workspace: &Workspace, report: &mut Report) {
    report.step("the server of the guide, from the command line", || match called(workspace) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    });
}

fn called(workspace: &Workspace) -> Result<(), String> {
    NOTES.cargo(workspace, "build", &["--locked", "--quiet"]).output()?;
    let server = workspace.built_outside().join("debug").join("notes-server");
    let toolgate = |words: &[&str]| {
        let run = Run::new(workspace.built("toolgate"), workspace.root()).args(words);
        run.args(["--".as_ref(), server.as_os_str()]).output()
    };
    for tool in ["add_note", "find_notes", "edit_note", "drop_note"] {
        let tools = toolgate(&["tools"])?;
        if !tools.contains(tool) {
            return Err(format!("`toolgate tools` does not show `{tool}`:\n{tools}"));
        }
    }
    let said = toolgate(&["call", "add_note", "--title", "Ice", "--text", "thin", "--tags", "sea"])?;
    if !said.contains("note 1 is written") {
        return Err(format!("`toolgate call` says {said:?}"));
    }
    match toolgate(&["call", "drop_note", "--id", "1"]) {
        // There is none: every call has a server of its own.
        Err(why) if why.contains("exit status: 2") => Ok(()),
        other => Err(format!("a note that there is not was dropped: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Packages of a lock file, each with its version.
    fn packages(lock: &str) -> BTreeSet<(String, String)> {
        let word = |block: &str, name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        lock.split("[[package]]").skip(1).map(|block| (word(block, "name"), word(block, "version"))).collect()
    }

    #[test]
    fn what_a_user_builds_is_what_is_tested_here() {
        let workspace = Workspace::find().unwrap();
        let read = |path: &str| packages(&std::fs::read_to_string(workspace.path(path)).unwrap());
        let (ours, notes) = (read("Cargo.lock"), read("examples/notes-server/Cargo.lock"));
        assert!(ours.len() > 100 && notes.len() > 50, "{} and {}", ours.len(), notes.len());
        let others: Vec<_> = notes.difference(&ours).filter(|(name, _)| name != "notes-server").collect();
        assert!(others.is_empty(), "of other versions than in the workspace: {others:?}");
    }
}
