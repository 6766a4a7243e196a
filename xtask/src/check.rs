//! What can be said of the code without running it.

use crate::architecture;
use crate::book;
use crate::docs;
use crate::outside;
use crate::step::{Outcome, Report};
use crate::workspace::Workspace;

/// Format, lints, architecture, licences, generated files, API documentation and the book.
pub(crate) fn run(workspace: &Workspace, report: &mut Report) {
    report.step("format", || workspace.cargo(["fmt", "--all", "--check"]).outcome());
    report.step("clippy", || {
        workspace.cargo(["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]).outcome()
    });
    // Tests switch every feature on; a user may have none.
    report.step("clippy, without features", || {
        let lints = ["clippy", "-p", "toolgate-mcp", "--no-default-features", "--locked", "--", "--deny", "warnings"];
        workspace.cargo(lints).outcome()
    });
    report.step("architecture", || match architecture::faults(workspace).as_slice() {
        [] => Outcome::Passed,
        faults => Outcome::Failed(faults.join("; ")),
    });
    report.step("licences, bans and sources", || {
        if !workspace.cargo(["deny", "--version"]).works() {
            return Outcome::Skipped("cargo-deny is not installed (`cargo install cargo-deny --locked`)".to_owned());
        }
        workspace.cargo(["deny", "check", "licenses", "bans", "sources"]).outcome()
    });
    report.step("API documentation", || {
        let doc = workspace.cargo(["doc", "--workspace", "--no-deps", "--locked"]);
        doc.env("RUSTDOCFLAGS", "--deny warnings").outcome()
    });
    outside::check(workspace, report);
    docs::compare(workspace, report);
    book::check(workspace, report);
}
