//! What a schema says of keys that may be left out, against itself.

use super::collect::Findings;
use super::subschemas::Subschemas;
use super::{Place, Rule};
use crate::contract::{Contract, Origin};
use crate::json::{Kind, Slot};
use crate::location::shown_word;
use crate::schema::{NodeId, Prop, Schema};
use crate::validate::{Validator, Work};
use std::collections::{HashMap, HashSet};

/// Nodes that are looked into for one rule; a schema that needs more is not looked into further.
const NODES_MAX: usize = 200_000;

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
        let Some((id, node)) = subschemas.node(subschema.slot) else { continue };
        for prop in node.object.iter().flat_map(|object| &object.props).filter(|prop| prop.is_required) {
            let Some(inner) = prop.node.filter(|inner| subschemas.schema.node(*inner).has_default) else { continue };
            if known.insert((id, inner)) {
                let place = || property(subschemas, subschema.slot, prop, inner);
                findings.add(Rule::RequiredWithDefault, place, format!("`{}` {what}", shown_word(&prop.name)));
            }
        }
    }
}

/// A required property that no part in place declares. VS Code drops the demand; Groq refuses `required` without
/// `properties`.
pub(super) fn required_undeclared(subschemas: &Subschemas<'_>, findings: &mut Findings<'_>) {
    let schema = subschemas.schema;
    let mut looked_into = 0;
    for value in subschemas.values() {
        let required = required_in_place(schema, value);
        looked_into += 1 + required.len();
        if required.is_empty() {
            continue;
        }
        let in_place: Vec<NodeId> = schema.in_place(value).collect();
        looked_into += in_place.len();
        if looked_into > NODES_MAX {
            return;
        }
        let props = in_place.iter().filter_map(|id| schema.node(*id).object.as_ref()).flat_map(|object| &object.props);
        let declared: HashSet<&str> = props.filter(|prop| prop.is_declared).map(|prop| &*prop.name).collect();
        for (name, slot) in required.into_iter().filter(|(name, _)| !declared.contains(name)) {
            let message = format!("`{}` is required, and no `properties` declares it", shown_word(name));
            findings.add(Rule::RequiredUndeclared, || subschemas.place(slot, "required"), message);
        }
    }
}

/// Names that a value may be asked for, each once, with the subschema that asks. What `not` and `if` name is asked of nobody.
fn required_in_place(schema: &Schema, value: NodeId) -> Vec<(&str, Slot)> {
    let mut names: HashMap<&str, Slot> = HashMap::new();
    let mut order = Vec::new();
    let mut todo = vec![value];
    let mut seen = HashSet::from([value]);
    while let Some(id) = todo.pop() {
        let node = schema.node(id);
        if let Some(object) = &node.object {
            for (index, slot) in &object.required {
                let Some(prop) = object.props.get(*index as usize) else { continue };
                if names.insert(&prop.name, *slot).is_none() {
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
