//! Fields that a reader of the schema cannot write, or that two readers write differently.

use super::collect::Findings;
use super::subschemas::{Role, Subschemas};
use super::{Place, Rule};
use crate::contract::Contract;
use crate::refusal::escaped_line;
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

/// A place that is kept free of R5 where it holds nothing back (R5.5), as after a slip of the pen.
pub(super) fn policy_without_place(contract: &Contract, findings: &mut Findings<'_>) {
    for pointer in contract.idle_list_text_keep() {
        let what = format!("no string stands beside a list at `{}`, where text is to be kept", escaped_line(pointer));
        findings.add(Rule::PolicyWithoutPlace, || Place::Whole, what);
    }
}

/// An array that says nothing of its items. VS Code refuses the tool, Codex CLI makes the items strings.
pub(super) fn array_without_items(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let document = &subschemas.schema.document;
    for subschema in &subschemas.list {
        let says = |keyword: &str| document.json.member(subschema.slot, keyword);
        let is_array =
            says("type").and_then(|types| document.types(types)).is_some_and(|kinds| kinds.meets(Kinds::ARRAY));
        if !is_array || ["items", "prefixItems", "unevaluatedItems"].iter().any(|keyword| says(keyword).is_some()) {
            continue;
        }
        // Another part of the same place may speak of them.
        let rules = subschemas.node(subschema.slot).and_then(|(_, node)| node.array.as_ref());
        let is_said =
            rules.is_some_and(|rules| rules.items.is_some() || rules.evaluates_all || !rules.prefix.is_empty());
        if !is_said {
            let place = || subschemas.place(subschema.slot, "");
            findings.add(Rule::ArrayWithoutItems, place, "the array says nothing of its items");
        }
    }
}
