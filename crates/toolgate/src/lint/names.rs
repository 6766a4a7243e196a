//! The tool object around the schema: whether it is one, its name, its description.

use super::collect::Findings;
use super::{Place, Rule};
use crate::advertise::NotAdvertised;
use crate::json::{Document, Strictness, Value};
use crate::limits::Limits;
use crate::location::shown_word;
use crate::profile::Profile;
use crate::tool_set::{Tool, ToolSet};

/// Characters that clients put before a name: `mcp__server__` of a server with a usual name.
const PREFIX_CHARS: usize = 19;
/// Characters that every API takes of a name with its prefix.
const NAME_CHARS_MAX: usize = 64;

/// An entry that is no tool object with a name of its own. It is left out, and the rest of the list served.
pub(super) fn not_a_tool(set: &ToolSet, findings: &mut Findings<'_>) {
    for misfit in set.misfits() {
        findings.add(
            Rule::NotATool,
            || Place::Entry(misfit.index),
            format!("entry {} of the list: {}", misfit.index + 1, misfit.why),
        );
    }
}

/// A schema that does not compile, one finding for each defect (R6.1).
pub(super) fn schema_unusable(tool: &Tool, findings: &mut Findings<'_>) {
    let defects = tool.contract().err().into_iter().flat_map(|unusable| &unusable.defects);
    for defect in defects.filter(|defect| defect.code != NotAdvertised::CODE) {
        let place = || Place::Schema(defect.keyword_location.clone());
        findings.add(Rule::SchemaUnusable, place, defect.message.as_str());
    }
}

/// A name that the reader does not take. One such tool fails the whole request.
pub(super) fn tool_name(tool: &Tool, profile: &Profile, findings: &mut Findings<'_>) {
    let name = tool.name();
    if profile.tool_names.admits(name) || is_over_budget_alone(name, profile) {
        return;
    }
    let names = profile.tool_names;
    let chars_max = if has_budget(profile) { NAME_CHARS_MAX } else { names.chars_max };
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || names.others.contains(ch);
    let fault = match name.chars().find(|ch| !is_taken(*ch)) {
        Some(ch) => format!("it has `{}`", shown_word(ch.encode_utf8(&mut [0; 4]))),
        None if name.is_empty() => "it is empty".to_owned(),
        None if name.chars().count() > chars_max => format!("it has {} characters", name.chars().count()),
        None => format!("it begins with `{}`", shown_word(&name.chars().take(1).collect::<String>())),
    };
    let others: String = names.others.chars().flat_map(|ch| [' ', ch]).collect();
    let first = if names.starts_with_letter { ", first a letter or `_`" } else { "" };
    let what = format!("{fault}: a name is at most {chars_max} of A-Z a-z 0-9 _{others}{first}");
    findings.add(Rule::ToolName, || Place::Whole, what);
}

/// A name that fits alone and leaves too little for what clients put before it: `mcp__server__tool` within 64 characters
/// (Claude Code), server and tool within 60 (Cursor).
pub(super) fn tool_name_budget(tool: &Tool, profile: &Profile, findings: &mut Findings<'_>) {
    if is_over_budget_alone(tool.name(), profile) {
        let count = tool.name().chars().count();
        let left = NAME_CHARS_MAX.saturating_sub(count);
        let what = format!(
            "{count} characters leave a client {left} of {NAME_CHARS_MAX} for its prefix; at most {} are safe",
            profile.tool_names.chars_max
        );
        findings.add(Rule::ToolNameBudget, || Place::Whole, what);
    }
}

/// Whether the profile's bound is what is left when a client's prefix is counted in.
fn has_budget(profile: &Profile) -> bool {
    profile.tool_names.chars_max.saturating_add(PREFIX_CHARS) <= NAME_CHARS_MAX
}

/// Whether the name is only too long, and only for want of room for a prefix.
fn is_over_budget_alone(name: &str, profile: &Profile) -> bool {
    let mut roomy = profile.tool_names;
    roomy.chars_max = NAME_CHARS_MAX;
    has_budget(profile) && !profile.tool_names.admits(name) && roomy.admits(name)
}

/// A tool without a schema, of which the protocol knows none.
pub(super) fn schema_missing(tool: &Tool, findings: &mut Findings<'_>) {
    if !tool.has_input_schema() {
        findings.add(Rule::SchemaMissing, || Place::Whole, "the tool has no `inputSchema`, and takes no arguments");
    }
}

/// A tool without a description, which VS Code asks for and Bedrock holds to at least one character.
pub(super) fn description_missing(tool: &Tool, findings: &mut Findings<'_>) {
    if description(tool).is_none_or(|description| description.trim().is_empty()) {
        findings.add(Rule::DescriptionMissing, || Place::Whole, "the tool has no description");
    }
}

/// A description of the tool that the reader cuts.
pub(super) fn description_long(tool: &Tool, profile: &Profile, findings: &mut Findings<'_>) {
    let count = description(tool).map_or(0, |description| description.chars().count());
    let max = profile.description_chars_max;
    if count > max {
        findings.add(Rule::DescriptionLong, || Place::Whole, format!("{count} characters, {max} are kept"));
    }
}

fn description(tool: &Tool) -> Option<String> {
    of_definition(tool, |root| root.get("description").and_then(Value::as_str).map(std::borrow::Cow::into_owned))?
}

/// Asks the tool object as it is shown. It was read before, within bounds.
pub(super) fn of_definition<T>(tool: &Tool, ask: impl FnOnce(Value<'_>) -> T) -> Option<T> {
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: usize::MAX, ..Limits::default() };
    let document = Document::read_str(tool.definition(), Strictness::Frame, &limits).ok()?;
    Some(ask(document.root()))
}
