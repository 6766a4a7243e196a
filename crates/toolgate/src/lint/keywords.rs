//! Keywords that are not judged here, or that other readers do not take.

use super::collect::Findings;
use super::subschemas::Subschemas;
use super::{Place, Rule};
use crate::contract::Contract;
use crate::json::{Kind, Slot};
use crate::location::shown_word;

/// The formats that every strict mode with a list of formats takes: those of OpenAI's structured outputs, all of which
/// Anthropic's list has as well.
const PORTABLE_FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// A format that strict readers refuse. Here a format asserts nothing unless that is switched on (R6.9).
pub(super) fn format_not_portable(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let json = &subschemas.schema.document.json;
    for subschema in &subschemas.list {
        let format = json.member(subschema.slot, "format").filter(|format| json.kind(*format) == Kind::String);
        let Some(format) = format.map(|format| json.string(format)) else { continue };
        if !PORTABLE_FORMATS.contains(&&*format) {
            let message = format!("few readers take the format `{}`", shown_word(&format));
            findings.add(Rule::FormatNotPortable, || subschemas.place(subschema.slot, "format"), message);
        }
    }
}

/// A pattern that runs on the bounded engine, since it looks around or refers back (R6.9).
pub(super) fn pattern_not_linear(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let document = &subschemas.schema.document;
    let json = &document.json;
    let is_bounded = |source: Slot| {
        let pattern = document.pattern_id(&json.string(source)).and_then(|id| subschemas.schema.pattern(id));
        pattern.is_some_and(|pattern| !pattern.is_linear())
    };
    for subschema in &subschemas.list {
        if json.kind(subschema.slot) != Kind::Object {
            continue;
        }
        let own = json.member(subschema.slot, "pattern").filter(|pattern| json.kind(*pattern) == Kind::String);
        if own.is_some_and(is_bounded) {
            let place = || subschemas.place(subschema.slot, "pattern");
            findings.add(Rule::PatternNotLinear, place, "the pattern looks around or refers back");
        }
        let map = json.member(subschema.slot, "patternProperties").filter(|map| json.kind(*map) == Kind::Object);
        let members = map.into_iter().flat_map(|map| json.members(map));
        for (_, value) in members.filter(|(name, _)| is_bounded(*name)) {
            let place = || subschemas.place(value, "");
            findings.add(Rule::PatternNotLinear, place, "the pattern looks around or refers back");
        }
    }
}

/// A keyword of a discovered schema that is left to its server (R6.9).
pub(super) fn set_aside(contract: &Contract, findings: &mut Findings<'_>) {
    for aside in contract.set_aside().iter().filter(|aside| !aside.is_read) {
        findings.add(Rule::SetAside, || Place::Schema(aside.keyword_location.clone()), aside.why.clone());
    }
}

/// A keyword that counts as an older draft reads it (R9.1).
pub(super) fn read_as_older_draft(contract: &Contract, findings: &mut Findings<'_>) {
    for aside in contract.set_aside().iter().filter(|aside| aside.is_read) {
        findings.add(Rule::ReadAsOlderDraft, || Place::Schema(aside.keyword_location.clone()), aside.why.clone());
    }
}
