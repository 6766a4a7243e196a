//! What a reader is shown, and what that takes of a request.

use super::collect::Findings;
use super::sizes::{self, Size};
use super::{Place, Rule};
use crate::advertise::{DecodeStep, NotAdvertised};
use crate::json::{Document, Strictness};
use crate::limits::Limits;
use crate::location::{push_pointer_segment, shown_word};
use crate::profile::{Profile, PropertyNames};
use crate::publish::{FellBack, Published};
use crate::refusal::escaped_line;
use crate::tool_set::{Tool, ToolSet};
use toolgate_proof::Verdict;

/// Nesting beyond which Gemini has refused requests: arrays and objects inside each other.
const DEPTH_SAFE: usize = 4;
/// Larger than 99 of 100 of 8,943 definitions of real servers.
const DEFINITION_BYTES: usize = 16_000;
/// All definitions together, beyond which Cursor has refused requests.
const LIST_BYTES: usize = 128_000;
/// Profiles of a client or library through which any model may read, Claude among them. The others are of one vendor.
const READERS_OF_ANY_MODEL: [&str; 5] = ["portable", "plain", "ai-sdk", "vscode", "cursor"];
/// What Claude takes of the arguments' own names: `^[a-zA-Z0-9_.-]{1,64}$`.
const CLAUDE_NAMES: PropertyNames =
    PropertyNames { others: ".-", starts_with_letter: false, chars_max: 64, root_only: true };

/// A list of nothing. A server that lists no tool has hardly been asked for the right thing.
pub(super) fn no_tools(set: &ToolSet, findings: &mut Findings<'_>) {
    if set.tools().is_empty() && set.misfits().is_empty() {
        findings.add(Rule::NoTools, || Place::Whole, "the list has no tool");
    }
}

/// More tools than the reader takes in one request.
pub(super) fn too_many_tools(set: &ToolSet, profile: &Profile, findings: &mut Findings<'_>) {
    let count = set.listed().count();
    if let Some(max) = profile.tools_max.filter(|max| count > *max) {
        findings.add(Rule::TooManyTools, || Place::Whole, format!("{count} tools, {max} are taken"));
    }
}

/// Definitions that together are larger than what a client is known to have refused.
pub(super) fn list_size(set: &ToolSet, findings: &mut Findings<'_>) {
    let size: Size = set.listed().map(sizes::shown).sum();
    if size.bytes > LIST_BYTES {
        let what =
            format!("all definitions take {} bytes, about {} tokens of every request", size.bytes, size.tokens());
        findings.add(Rule::ListSize, || Place::Whole, what);
    }
}

/// Nothing can be shown of the contract, so the tool is closed (R8.2).
pub(super) fn not_shown(tool: &Tool, findings: &mut Findings<'_>) {
    let defects = tool.contract().err().into_iter().flat_map(|unusable| &unusable.defects);
    for defect in defects.filter(|defect| defect.code == NotAdvertised::CODE) {
        findings.add(Rule::NotShown, || Place::Whole, defect.message.clone());
    }
}

/// The reader's own form could not be proven, and a wider one is shown (R8.2).
pub(super) fn proof_fell_back(published: &Published, findings: &mut Findings<'_>) {
    let Some(FellBack { verdict, to_open_object }) = &published.fell_back else { return };
    let (what, location, keyword) = match verdict {
        Verdict::Refuted { location, keyword, .. } => ("hides a legal call", location, *keyword),
        Verdict::Unknown { location, keyword } => ("could not be proven", location, *keyword),
        _ => return,
    };
    let wider = if *to_open_object { "any object" } else { "a wider one" };
    let message = format!("the tighter form {what} (`{keyword}`): {wider} is shown");
    findings.add(Rule::ProofFellBack, || Place::Arguments(location.clone()), message);
}

/// Nothing is shown but an object.
pub(super) fn shown_open(published: &Published, findings: &mut Findings<'_>) {
    if is_open(published) {
        findings.add(Rule::ShownOpen, || Place::Whole, "any arguments are shown; the call is checked in full");
    }
}

pub(super) fn is_open(published: &Published) -> bool {
    published.advertised.is_open_object()
}

/// The strict mode that the profile asks for cannot be had, for the tool or within the budgets of a request.
pub(super) fn strict_refused(published: &Published, profile: &Profile, findings: &mut Findings<'_>) {
    if profile.strict.is_none() || published.advertised.is_strict {
        return;
    }
    let why = published.advertised.not_strict().unwrap_or("a wider form is shown");
    findings.add(Rule::StrictRefused, || Place::Whole, escaped_line(why));
}

/// A property's name that the reader does not take.
pub(super) fn key_renamed(published: &Published, findings: &mut Findings<'_>) {
    for step in &published.advertised.decode {
        let DecodeStep::Rename { location, name, sent } = step else { continue };
        let place = || {
            let mut pointer = format!("{location}/");
            push_pointer_segment(&mut pointer, name);
            Place::Arguments(pointer)
        };
        findings.add(Rule::KeyRenamed, place, format!("shown as `{}`, and read back on the call", shown_word(sent)));
    }
}

/// A name at the root for which Claude refuses the request, under a profile through which Claude may be the reader and that
/// leaves names as they are.
pub(super) fn property_name(published: &Published, profile: &Profile, findings: &mut Findings<'_>) {
    if profile.property_names.is_some() || !READERS_OF_ANY_MODEL.contains(&profile.name) {
        return;
    }
    // It was written here, within bounds.
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: usize::MAX, ..Limits::default() };
    let Ok(shown) = Document::read_str(&published.advertised.schema, Strictness::Frame, &limits) else { return };
    for (name, _) in shown.root().get("properties").iter().flat_map(|properties| properties.members()) {
        let name = name.as_str().unwrap_or_default();
        if CLAUDE_NAMES.admits(&name) {
            continue;
        }
        let place = || {
            let mut pointer = String::from("/");
            push_pointer_segment(&mut pointer, &name);
            Place::Arguments(pointer)
        };
        let max = CLAUDE_NAMES.chars_max;
        let what = format!(
            "Claude refuses the whole request for a name that is not 1 to {max} of A-Z a-z 0-9 _ . -; \
             the profiles anthropic and claude-code show it under another name"
        );
        findings.add(Rule::PropertyName, place, what);
    }
}

/// What the shape does not say, place by place (R7.3, R7.4).
pub(super) fn shown_in_part(published: &Published, findings: &mut Findings<'_>) {
    // Where the proof fell back, the first note says so.
    let told = usize::from(published.fell_back.is_some());
    for note in published.advertised.notes.iter().skip(told).filter(|note| note.not_strict().is_none()) {
        findings.add(Rule::ShownInPart, || Place::Arguments(note.location.clone()), escaped_line(&note.what));
    }
}

/// Nested deeper than the strictest reader is known to take.
pub(super) fn too_deep(published: &Published, findings: &mut Findings<'_>) {
    // The innermost place is a value and no level.
    let depth = published.advertised.cost.depth.saturating_sub(1);
    if depth > DEPTH_SAFE {
        findings.add(
            Rule::TooDeep,
            || Place::Whole,
            format!("{depth} levels, {DEPTH_SAFE} are safe with every reader"),
        );
    }
}

/// A definition larger than nearly all that real servers show.
pub(super) fn definition_size(tool: &Tool, findings: &mut Findings<'_>) {
    let size = sizes::shown(tool);
    if size.bytes > DEFINITION_BYTES {
        let what = format!("{} bytes, about {} tokens of every request", size.bytes, size.tokens());
        findings.add(Rule::DefinitionSize, || Place::Whole, what);
    }
}
