//! What a schema says of keys that may be left out, against itself.

use super::collect::Findings;
use super::subschemas::Subschemas;
use super::{Place, Rule};
use crate::contract::{Contract, Origin};
use crate::json::{Kind, Slot};
use crate::location::shown_word;
use crate::schema::{NodeId, Prop, Schema};
use crate::validate::{Validator, Work};
use std::collections::HashSet;

/// Nodes that are looked into for one rule; a schema that needs more is not looked into further.
const NODES_MAX: usize = 500_000;

/// A default that its own schema refuses. A default is an annotation (JSON Schema 2020-12 validation, 9.2), yet a model that
/// reads it may write it.
pub(super) fn default_refused(contract: &Contract, subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let schema = subschemas.schema;
    // Of a schema that is judged as a whole, no place can be judged alone.
    if schema.whole.is_some() {
        return;
    }
    let mut work = Work::new(contract.policy().limits.steps_max);
    for subschema in &subschemas.list {
        let Some(default) = member(schema, subschema.slot, "default") else { continue };
        let Some((id, _)) = subschemas.node(subschema.slot) else { continue };
        let admits = Validator::new(schema, &schema.document.json, &mut work, false).judges(id, default);
        if work.is_exhausted() {
            return;
        }
        if !admits {
            let is_null = schema.document.json.kind(default) == Kind::Null;
            let what = if is_null { "its own schema refuses null" } else { "its own schema refuses this default" };
            findings.add(Rule::DefaultRefused, || subschemas.place(subschema.slot, "default"), what);
        }
    }
}

/// A required property with a default: printed from the side of a validator that fills it in (R9.5).
pub(super) fn required_with_default(contract: &Contract, subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let what = match contract.policy().origin {
        Origin::Discovered => "is required and has a default: a call without it is left to the server",
        Origin::Authored => "is required and has a default: a call without it is refused",
    };
    let mut known = HashSet::new();
    for subschema in &subschemas.list {
        let Some((_, node)) = subschemas.node(subschema.slot).filter(|(id, _)| known.insert(*id)) else { continue };
        for prop in node.object.iter().flat_map(|object| &object.props).filter(|prop| prop.is_required) {
            let Some(inner) = prop.node.filter(|inner| subschemas.schema.node(*inner).has_default) else { continue };
            let place = || property(subschemas, subschema.slot, prop, inner);
            findings.add(Rule::RequiredWithDefault, place, format!("`{}` {what}", shown_word(&prop.name)));
        }
    }
}

/// A required property that no part in place declares. VS Code drops the demand; Groq refuses `required` without
/// `properties`.
pub(super) fn required_undeclared(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let schema = subschemas.schema;
    let mut left = NODES_MAX;
    for value in subschemas.values() {
        let required = required_in_place(schema, value, &mut left);
        if required.is_empty() {
            continue;
        }
        let mut declared: HashSet<&str> = HashSet::new();
        for id in schema.in_place(value).take(left) {
            left -= 1;
            let props = schema.node(id).object.iter().flat_map(|object| &object.props);
            declared.extend(props.filter(|prop| prop.is_declared).map(|prop| &*prop.name));
        }
        if left == 0 {
            return;
        }
        for (name, slot) in required.into_iter().filter(|(name, _)| !declared.contains(name)) {
            let message = format!("`{}` is required, and no `properties` declares it", shown_word(name));
            findings.add(Rule::RequiredUndeclared, || subschemas.place(slot, "required"), message);
        }
    }
}

/// Names that a value may be asked for, each once, with the subschema that asks. What `not` and `if` name is asked of nobody.
fn required_in_place<'s>(schema: &'s Schema, value: NodeId, left: &mut usize) -> Vec<(&'s str, Slot)> {
    let mut names: HashSet<&str> = HashSet::new();
    let mut order = Vec::new();
    let mut todo = vec![value];
    let mut seen = HashSet::from([value]);
    while let Some(id) = todo.pop().filter(|_| *left > 0) {
        *left -= 1;
        let node = schema.node(id);
        if let Some(object) = &node.object {
            for (index, slot) in &object.required {
                let Some(prop) = object.props.get(*index as usize) else { continue };
                if names.insert(&prop.name) {
                    order.push((&*prop.name, *slot));
                }
            }
        }
        let unions = node.unions.iter().flat_map(|union| union.members.iter().copied());
        let conditions =
            node.conditions.iter().flat_map(|condition| condition.then.into_iter().chain(condition.otherwise));
        let dependents = node.object.iter().flat_map(|object| object.dependent_schemas.iter().map(|(_, inner)| *inner));
        todo.extend(unions.chain(conditions).chain(dependents).filter(|inner| seen.insert(*inner)));
    }
    order
}

fn member(schema: &Schema, slot: Slot, name: &str) -> Option<Slot> {
    schema.document.json.member(slot, name)
}

/// Where a property is declared by this part of its object, else by another.
fn property(subschemas: &Subschemas<'_>, object: Slot, prop: &Prop, node: NodeId) -> Place {
    let properties = member(subschemas.schema, object, "properties");
    let declared = properties.and_then(|properties| member(subschemas.schema, properties, &prop.name));
    let slot = declared.unwrap_or_else(|| subschemas.name_of(node));
    let keyword = if member(subschemas.schema, slot, "default").is_some() { "default" } else { "" };
    subschemas.place(slot, keyword)
}
