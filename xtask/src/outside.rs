//! Crates with a workspace and a lock file of their own, since they would change the rest of a build. They are held to the same
//! checks as the rest.

use crate::step::{Outcome, Report, Run};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// The adapter for rig, which switches a feature of serde_json on that is global to a build (`crates/toolgate-rig/Cargo.toml`).
const RIG: Outside = Outside { folder: "crates/toolgate-rig" };

const ALL: &[Outside] = &[RIG];

struct Outside {
    folder: &'static str,
}

impl Outside {
    fn manifest(&self, workspace: &Workspace) -> PathBuf {
        workspace.path(self.folder).join("Cargo.toml")
    }

    fn cargo(&self, workspace: &Workspace, command: &str, further: &[&str]) -> Run {
        let run = workspace.cargo([command, "--manifest-path"]).args([self.manifest(workspace)]).args(further);
        // Beside what the workspace builds, so that one folder holds all of it.
        run.env("CARGO_TARGET_DIR", workspace.built_outside(self.folder))
    }
}

/// Format, lints, licences and documentation.
pub(crate) fn check(workspace: &Workspace, report: &mut Report) {
    for outside in ALL {
        let folder = outside.folder;
        report.step(&format!("format, {folder}"), || outside.cargo(workspace, "fmt", &["--check"]).outcome());
        report.step(&format!("clippy, {folder}"), || {
            let lints = ["--all-targets", "--locked", "--", "--deny", "warnings"];
            outside.cargo(workspace, "clippy", &lints).outcome()
        });
        report.step(&format!("licences and sources, {folder}"), || {
            if !workspace.cargo(["deny", "--version"]).works() {
                return Outcome::Skipped(
                    "cargo-deny is not installed (`cargo install cargo-deny --locked`)".to_owned(),
                );
            }
            let deny = workspace.cargo(["deny", "--manifest-path"]).args([outside.manifest(workspace)]);
            let deny = deny.args(["--config"]).args([workspace.path("deny.toml")]).args(["check"]);
            // No `bans`: the feature is banned everywhere else.
            deny.args(["licenses", "sources"]).outcome()
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
