//! The prompts that these tests ship.

use std::sync::LazyLock;
use toolgate_mcp::prompts::{BuiltIn, digest};

pub(crate) const ONE: &str = "title: Look\n---\nLook around.\n";
pub(crate) const TWO: &str = "title: Look\nargument where: the place\n---\nLook around in {{where}}.\n";
pub(crate) const THREE: &str = "title: Look twice\nargument where: the place\n---\nLook around in {{where}}, twice.\n";
pub(crate) const EDITED: &str = "title: Look\n---\nLook away.\n";
pub(crate) const OTHER: &str = "title: Other\n---\nSomething else.\n";

static DIGESTS: LazyLock<[String; 4]> = LazyLock::new(|| [ONE, TWO, THREE, OTHER].map(digest));

fn digests(numbers: &[usize]) -> &'static [&'static str] {
    Vec::leak(numbers.iter().map(|number| DIGESTS[*number].as_str()).collect())
}

/// The prompt `look` as it was shipped first, second and third.
pub(crate) fn look(revision: usize) -> BuiltIn {
    named("look", revision)
}

pub(crate) fn named(name: &'static str, revision: usize) -> BuiltIn {
    let text = [ONE, TWO, THREE][revision - 1];
    BuiltIn::new(name, text, digests(&[0, 1, 2][..revision]))
}

pub(crate) fn other() -> BuiltIn {
    BuiltIn::new("other", OTHER, digests(&[3]))
}
