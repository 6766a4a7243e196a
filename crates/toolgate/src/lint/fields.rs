//! Fields that a reader of the schema cannot write, or that two readers write differently.

use super::Rule;
use super::collect::Findings;
use super::subschemas::{Role, Subschemas};
use crate::json::Kind;
use crate::schema::kinds::Kinds;

/// A field that takes every kind of value. Codex CLI makes it a string, and text in it is never read (R4.1).
pub(super) fn untyped_field(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    for field in subschemas.list.iter().filter(|subschema| subschema.role == Role::Field) {
        let Some((_, node)) = subschemas.node(field.slot) else { continue };
        if node.admits == Kinds::ALL && !node.is_dead {
            findings.add(Rule::UntypedField, || subschemas.place(field.slot, ""), "the field has no type");
        }
    }
}

/// A string beside a kind that its text could mean: text of a number stays text (R4.2), text of a list is refused (R5.1).
pub(super) fn ambiguous_string(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let meant = Kinds::BOOLEAN | Kinds::NUMBER | Kinds::ARRAY | Kinds::OBJECT;
    for id in subschemas.values() {
        let named = subschemas.schema.node(id).named;
        if !named.meets(Kinds::STRING) || !named.meets(meant) {
            continue;
        }
        let others = (named & meant).names().join(", ");
        let what = if named.meets(Kinds::ARRAY) { "text of a list is refused" } else { "its text stays text" };
        let place = || subschemas.place(subschemas.name_of(id), "");
        findings.add(Rule::AmbiguousString, place, format!("a string beside {others}: {what}"));
    }
}

/// An array that says nothing of its items. VS Code refuses the tool, Codex CLI makes the items strings.
pub(super) fn array_without_items(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let json = &subschemas.schema.document.json;
    let speaks = |slot: u32| {
        ["items", "prefixItems", "unevaluatedItems"].iter().any(|keyword| json.member(slot, keyword).is_some())
    };
    for subschema in &subschemas.list {
        let types = json.member(subschema.slot, "type").and_then(|types| subschemas.schema.document.types(types));
        if !types.is_some_and(|kinds| kinds.meets(Kinds::ARRAY)) {
            continue;
        }
        let is_array = |slot: u32| json.kind(slot) == Kind::Object && speaks(slot);
        let beside = subschemas.node(subschema.slot).map_or(&[][..], |(id, _)| subschemas.schema.sources(id));
        if !is_array(subschema.slot) && !beside.iter().any(|slot| is_array(*slot)) {
            let place = || subschemas.place(subschema.slot, "");
            findings.add(Rule::ArrayWithoutItems, place, "the array says nothing of its items");
        }
    }
}
