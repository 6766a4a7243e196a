//! Findings about a set of tools before one is called: what does not work, what a reader does not take, and what its author
//! hardly meant. A mount, the guard and `toolgate check` ask the same functions.
//!
//! [`tools`] says what holds for every reader and [`shown`] what one reader makes of the set that [`ToolSet::publish`] made
//! for it (R7.7). Nothing here changes a tool or a verdict: a finding is for people.

mod collect;
mod fields;
mod keywords;
mod names;
mod presence;
mod request;
mod rule;
mod sizes;
mod subschemas;
mod summary;

pub use rule::{Level, Rule};
pub use sizes::{Size, compact_bytes};
pub use summary::Summary;

use crate::contract::Contract;
use crate::profile::Profile;
use crate::tool_set::{Tool, ToolSet};
use collect::Findings;
use std::fmt;
use subschemas::Subschemas;

/// One thing that somebody should know before the tool is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which rule says so; it has a stable name and a level.
    pub rule: Rule,
    /// The tool; `None` for what is said of the list as a whole or of an entry that is no tool.
    pub tool: Option<String>,
    /// Where.
    pub place: Place,
    /// For which reader; `None` for all.
    pub profile: Option<&'static str>,
    /// In words. Words of the schema in it cannot steer a terminal (R6.3).
    pub message: String,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The tool, or the list, as a whole.
    Whole,
    /// An entry of the list that is no tool, counted from zero.
    Entry(usize),
    /// RFC 6901 pointer into the tool's input schema.
    Schema(String),
    /// RFC 6901 pointer into the arguments, `*` for any item or undeclared key.
    Arguments(String),
}

impl Place {
    /// The pointer; `""` for the whole, and for an entry, which is told by its number.
    pub fn pointer(&self) -> &str {
        match self {
            Place::Whole | Place::Entry(_) => "",
            Place::Schema(pointer) | Place::Arguments(pointer) => pointer,
        }
    }

    /// What the pointer leads into: `tool` (or the list, where the finding names no tool), `schema` or `arguments`.
    pub fn document(&self) -> &'static str {
        match self {
            Place::Whole | Place::Entry(_) => "tool",
            Place::Schema(_) => "schema",
            Place::Arguments(_) => "arguments",
        }
    }
}

impl Finding {
    /// How much it matters.
    pub fn level(&self) -> Level {
        self.rule.level()
    }
}

/// One line: level, rule, tool, place and words, the names of strangers escaped.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level(), self.rule)?;
        if let Some(tool) = &self.tool {
            write!(f, " {}", tool_name(tool))?;
        }
        if !self.place.pointer().is_empty() {
            write!(f, " {}", crate::refusal::escaped_line(self.place.pointer()))?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A tool's name as people are shown it; one that is empty would be told by nothing.
///
/// ```
/// assert_eq!(toolgate::lint::tool_name("search"), "search");
/// assert_eq!(toolgate::lint::tool_name(""), "(no name)");
/// ```
pub fn tool_name(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { crate::shown_name(name) }
}

/// What holds of a set whoever reads it: a list of nothing, entries that are no tools, tools that are closed, and what [`schema`] says of each
/// other one. In the order of the list.
///
/// # Example
///
/// ```
/// use toolgate::{Policy, Showing, ToolSet, lint};
/// let list = [r#"{"name":"t","description":"T.","inputSchema":{"properties":{"a":{"type":"string","default":1}}}}"#];
/// let set = ToolSet::publish(list, &Showing::default(), &|_| Policy::default());
/// let findings = lint::tools(&set);
/// assert_eq!(findings[0].to_string(), "warning default-refused t /properties/a/default: its own schema refuses this default");
/// ```
pub fn tools(set: &ToolSet) -> Vec<Finding> {
    let mut list = Findings::new(None, None);
    names::not_a_tool(set, &mut list);
    request::no_tools(set, &mut list);
    let mut all = list.end();
    for tool in set.tools() {
        let mut findings = Findings::new(Some(tool.name()), None);
        names::schema_unusable(tool, &mut findings);
        names::schema_missing(tool, &mut findings);
        names::description_missing(tool, &mut findings);
        if let Ok(contract) = tool.contract() {
            of_schema(contract, &mut findings);
        }
        all.extend(findings.end());
    }
    all
}

/// What a policy says of tools that the set does not have: `names` are those that it speaks of.
///
/// # Example
///
/// ```
/// use toolgate::{Policy, Showing, ToolSet, lint};
/// let set = ToolSet::publish([r#"{"name":"search","inputSchema":{}}"#], &Showing::default(), &|_| Policy::default());
/// let findings = lint::policy(&set, ["search", "serach"]);
/// assert_eq!(findings[0].to_string(), "warning policy-without-tool serach: it is not in the list");
/// assert_eq!(findings.len(), 1);
/// ```
pub fn policy<'a>(set: &ToolSet, names: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
    let unlisted = names.into_iter().filter(|name| set.get(name).is_none());
    let found = unlisted.flat_map(|name| {
        let mut findings = Findings::new(Some(name), None);
        findings.add(Rule::PolicyWithoutTool, || Place::Whole, "it is not in the list");
        findings.end()
    });
    found.collect()
}

/// What holds of one schema whoever reads it, in the order of the rules. The findings name no tool.
///
/// # Example
///
/// ```
/// use toolgate::{Contract, lint};
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"tags":{"type":"array"}}}"#).unwrap();
/// let findings = lint::schema(&contract);
/// assert_eq!((findings[0].rule.id(), findings[0].place.pointer()), ("array-without-items", "/properties/tags"));
/// ```
pub fn schema(contract: &Contract) -> Vec<Finding> {
    let mut findings = Findings::new(None, None);
    of_schema(contract, &mut findings);
    findings.end()
}

fn of_schema(contract: &Contract, findings: &mut Findings<'_>) {
    let subschemas = Subschemas::of(contract.schema());
    presence::default_refused(contract, &subschemas, findings);
    presence::required_with_default(contract, &subschemas, findings);
    presence::required_undeclared(&subschemas, findings);
    fields::untyped_field(&subschemas, findings);
    fields::ambiguous_string(&subschemas, findings);
    fields::policy_without_place(contract, findings);
    keywords::set_aside(contract, findings);
    keywords::pattern_not_linear(&subschemas, findings);
    fields::array_without_items(&subschemas, findings);
    keywords::format_not_portable(&subschemas, findings);
    keywords::read_as_older_draft(contract, findings);
}

/// What the reader of `profile` makes of a set that was published for it: first of the list as a whole, then tool by tool.
///
/// # Example
///
/// ```
/// use toolgate::{Policy, Profile, Showing, ToolSet, lint};
/// use std::borrow::Cow;
/// let profile = Profile::named("openai").unwrap();
/// let showing = Showing { profile: Cow::Borrowed(profile), ..Showing::default() };
/// let set = ToolSet::publish([r#"{"name":"a.b","inputSchema":{"type":"object"}}"#], &showing, &|_| Policy::default());
/// assert_eq!(lint::shown(&set, profile)[0].rule.id(), "tool-name");
/// ```
pub fn shown(set: &ToolSet, profile: &Profile) -> Vec<Finding> {
    let mut list = Findings::new(None, Some(profile.name));
    request::too_many_tools(set, profile, &mut list);
    request::list_size(set, &mut list);
    let mut all = list.end();
    for tool in set.tools() {
        let mut findings = Findings::new(Some(tool.name()), Some(profile.name));
        of_shown(tool, profile, &mut findings);
        all.extend(findings.end());
    }
    all
}

fn of_shown(tool: &Tool, profile: &Profile, findings: &mut Findings<'_>) {
    request::not_shown(tool, findings);
    let Some(published) = tool.published() else { return };
    names::tool_name(tool, profile, findings);
    names::tool_name_budget(tool, profile, findings);
    request::property_name(published, profile, findings);
    request::proof_fell_back(published, findings);
    request::shown_open(published, findings);
    request::strict_refused(published, profile, findings);
    request::key_renamed(published, findings);
    request::shown_in_part(published, findings);
    request::too_deep(published, findings);
    request::definition_size(tool, findings);
    names::description_long(tool, profile, findings);
}

#[cfg(test)]
mod tests;
