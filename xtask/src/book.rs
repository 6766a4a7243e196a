//! The book: `docs/` as mdBook shows it, and whether its links lead somewhere.

use crate::docs::{SUMMARY, llms, read};
use crate::links;
use crate::step::{Outcome, Report, Run};
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::path::Path;

/// Where it is built, as `docs/book.toml` says.
const BUILT: &str = "target/book";

/// Looks at every link of the pages, builds the book, and looks at every link of that.
pub(crate) fn check(workspace: &Workspace, report: &mut Report) {
    report.step("links of the pages", || match links::of_markdown(workspace.root()) {
        Ok(faults) => none(&faults),
        Err(why) => Outcome::Failed(why),
    });
    report.step("every page is in the book", || match left_out(workspace) {
        Ok(left_out) => none(&left_out),
        Err(why) => Outcome::Failed(why),
    });
    report.step("the book", || {
        if !Run::new("mdbook", workspace.root()).args(["--version"]).works() {
            return Outcome::Skipped("mdbook is not installed (`cargo install mdbook --locked`)".to_owned());
        }
        match build(workspace) {
            Ok(faults) => none(&faults),
            Err(why) => Outcome::Failed(why),
        }
    });
}

fn none(faults: &[String]) -> Outcome {
    if faults.is_empty() { Outcome::Passed } else { Outcome::Failed(faults.join("; ")) }
}

/// Builds it, and returns what mdBook warns of and which links lead nowhere.
fn build(workspace: &Workspace) -> Result<Vec<String>, String> {
    let built = workspace.path(BUILT);
    let said = Run::new("mdbook", workspace.root()).args(["build", "docs"]).complaints()?;
    let warnings = said.lines().filter(|line| line.contains("WARN") || line.contains("ERROR"));
    let mut faults: Vec<String> = warnings.map(|line| line.trim().to_owned()).collect();
    // `llms.txt` links to the text of the pages.
    for page in listed(workspace)? {
        let target = built.join(&page);
        std::fs::copy(workspace.path("docs").join(&page), &target)
            .map_err(|error| format!("{}: {error}", target.display()))?;
    }
    faults.extend(links::of_html(&built)?);
    Ok(faults)
}

fn listed(workspace: &Workspace) -> Result<BTreeSet<String>, String> {
    let entries = llms::entries(&read(&workspace.path(SUMMARY))?);
    let pages = entries.into_iter().filter_map(|entry| match entry {
        llms::Entry::Page { path, .. } => Some(path),
        llms::Entry::Part(_) => None,
    });
    Ok(pages.collect())
}

/// Pages that no reader of the book would find.
fn left_out(workspace: &Workspace) -> Result<Vec<String>, String> {
    let listed = listed(workspace)?;
    let docs = workspace.path("docs");
    let pages = links::files(&docs, "md")?;
    let names = pages.iter().filter_map(|page| page.strip_prefix(&docs).ok()).map(slashes);
    let missing = names.filter(|name| name != "SUMMARY.md" && !listed.contains(name));
    Ok(missing.map(|name| format!("docs/{name} is not in {SUMMARY}")).collect())
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
