//! Links that lead nowhere: in the Markdown of the checkout, as a code host shows it, and in the built book.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Folders of what is built or installed.
const NOT_OURS: &[&str] = &["target", "node_modules"];

/// What of a page others may link to.
type Anchors = BTreeSet<String>;

/// The links of all Markdown below `root` that lead to no file or to no heading, and those of `docs/` that leave it: the book has nothing
/// else. Each is a line with its page.
pub(crate) fn of_markdown(root: &Path) -> Result<Vec<String>, String> {
    let mut pages = BTreeMap::new();
    for path in files(root, "md")? {
        let text = crate::docs::read(&path)?;
        let text = without_code(&text);
        pages.insert(normal(&path), (headings(&text), markdown_targets(&text)));
    }
    let docs = normal(&root.join("docs"));
    let mut faults = Vec::new();
    for (page, (_, targets)) in &pages {
        for target in targets {
            let anchors = |path: &Path| pages.get(path).map(|(anchors, _)| anchors);
            let fault = fault(page, target, anchors).or_else(|| {
                let leaves = page.starts_with(&docs) && !resolved(page, target).0.starts_with(&docs);
                leaves.then(|| "leaves docs/, and the book with it".to_owned())
            });
            faults.extend(fault.map(|why| line(root, page, target, &why)));
        }
    }
    Ok(faults)
}

/// The links of all HTML below `folder` that lead to no file of it, or to no element.
pub(crate) fn of_html(folder: &Path) -> Result<Vec<String>, String> {
    let mut pages = BTreeMap::new();
    for path in files(folder, "html")? {
        let text = crate::docs::read(&path)?;
        let attributes = |name: &str| attributes(&text, name).map(str::to_owned).collect::<Vec<_>>();
        pages.insert(normal(&path), (attributes("id").into_iter().collect::<Anchors>(), attributes("href")));
    }
    let mut faults = Vec::new();
    for (page, (_, targets)) in &pages {
        // It stands at no place of its own, so its links begin at the root of wherever the book is served.
        if page.ends_with("404.html") {
            continue;
        }
        for target in targets.iter().filter(|target| is_relative(target)) {
            let anchors = |path: &Path| pages.get(path).map(|(anchors, _)| anchors);
            faults.extend(fault(page, target, anchors).map(|why| line(folder, page, target, &why)));
        }
    }
    Ok(faults)
}

fn line(root: &Path, page: &Path, target: &str, why: &str) -> String {
    let page = page.strip_prefix(normal(root)).unwrap_or(page);
    format!("{}: `{target}` {why}", page.display())
}

fn fault<'a>(page: &Path, target: &str, anchors: impl Fn(&Path) -> Option<&'a Anchors>) -> Option<String> {
    let (path, anchor) = resolved(page, target);
    if !path.exists() {
        return Some("is not there".to_owned());
    }
    let is_missing = anchor.is_some_and(|anchor| anchors(&path).is_some_and(|anchors| !anchors.contains(anchor)));
    is_missing.then(|| "has no such heading".to_owned())
}

/// The file that is meant, and the place in it.
fn resolved<'t>(page: &Path, target: &'t str) -> (PathBuf, Option<&'t str>) {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor).filter(|anchor| !anchor.is_empty())),
        None => (target, None),
    };
    let path = if path.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(path) };
    (normal(&path), anchor)
}

/// Without `.` and `..`, as text: links are not followed through the file system.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The files with this extension, wherever they stand below the folder.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with('.') || NOT_OURS.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The page with its code blanked, in which brackets are no links and `#` no headings.
fn without_code(text: &str) -> String {
    let mut plain = String::new();
    let mut is_code = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if !is_code && !is_fence {
            plain.push_str(line);
        }
        plain.push('\n');
    }
    plain
}

/// The anchors that a code host and mdBook make of the headings.
fn headings(text: &str) -> Anchors {
    let mut anchors = Anchors::new();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        let slug: String = line.trim_start_matches('#').trim().to_lowercase().chars().filter_map(slug_char).collect();
        let again = (1..).map(|count| format!("{slug}-{count}"));
        let free = std::iter::once(slug.clone()).chain(again).find(|anchor| !anchors.contains(anchor));
        anchors.extend(free);
    }
    anchors
}

fn slug_char(ch: char) -> Option<char> {
    match ch {
        ' ' => Some('-'),
        '-' | '_' => Some(ch),
        ch => ch.is_alphanumeric().then_some(ch),
    }
}

/// What is linked to and stands in the checkout.
fn markdown_targets(text: &str) -> Vec<String> {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let links = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(target, _)| target.trim().to_owned()).filter(|target| is_relative(target)).collect()
}

fn is_relative(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:") && !target.starts_with("data:")
}

/// The values of an attribute, wherever it stands.
fn attributes<'t>(html: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let opening = format!(" {name}=\"");
    html.match_indices(&opening)
        .filter_map(|(at, found)| html.get(at + found.len()..)?.split_once('"'))
        .map(|(value, _)| value)
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of pages that is gone after the test.
    struct Pages(PathBuf);

    impl Pages {
        fn new(name: &str, pages: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("toolgate-links-{}-{name}", std::process::id()));
            for (path, text) in pages {
                let path = folder.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Pages(folder)
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_link_of_markdown_leads_to_a_file_and_a_heading() {
        let two = "# Two\n\n## `run`, again\n\n## The same\n\n## The same\n\n```\n# No heading\n```\n";
        let one = "[a](docs/two.md) [b](docs/two.md#run-again) [c](docs/two.md#the-same-1) [d](https://x.example/#y) `[e](no)`\n\
                   [f](docs/three.md) [g](docs/two.md#no-heading) [h](#one)\n\n# One\n";
        let pages =
            Pages::new("markdown", &[("one.md", one), ("docs/two.md", two), ("docs/four.md", "[out\n](../one.md)\n")]);
        let expected = [
            "docs/four.md: `../one.md` leaves docs/, and the book with it",
            "one.md: `docs/three.md` is not there",
            "one.md: `docs/two.md#no-heading` has no such heading",
        ];
        assert_eq!(of_markdown(&pages.0).unwrap(), expected);
    }

    #[test]
    fn a_link_of_html_leads_to_a_file_and_an_element() {
        let one = r##"<a href="b/two.html#x">1</a><a class="c" href="#y">2</a><h1 id="y">3</h1><a href="two.html">4</a><a href="b/two.html#z">5</a>"##;
        let pages = Pages::new("html", &[("one.html", one), ("b/two.html", r#"<p id="x">"#)]);
        let expected = ["one.html: `two.html` is not there", "one.html: `b/two.html#z` has no such heading"];
        assert_eq!(of_html(&pages.0).unwrap(), expected);
    }
}
