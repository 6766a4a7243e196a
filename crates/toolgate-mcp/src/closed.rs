//! Tools that are not served.

use std::fmt;

/// A tool that is not served, and why: its schema does not compile, nothing can be shown of it, its type takes names that no
/// contract can hold, or its name is that of a tool before it. Its calls are refused with `schema-unusable`, but those of a
/// name that is taken, which are the first tool's; every other tool is served (R6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClosedTool {
    /// The tool's name.
    pub name: String,
    /// Every defect, with its place in the schema.
    pub why: String,
}

impl fmt::Display for ClosedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", toolgate::shown_name(&self.name), self.why)
    }
}

/// Tools that are not served, where all were to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedTools(pub Vec<ClosedTool>);

impl fmt::Display for ClosedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not every tool can be served")?;
        self.0.iter().try_for_each(|tool| write!(f, "; {tool}"))
    }
}

impl std::error::Error for ClosedTools {}
