//! Writes a node and all that it reaches as one 2020-12 document, for a validator that knows neither the arena nor the policy.

use crate::json::Value;
use crate::kinds::Kinds;
use crate::schema::{ANY, NEVER, Node, NodeId, Schemas};
use rustc_hash::FxHashSet;
use serde_json::{Map, Number, Value as Json, json};

/// Nodes of one document.
const NODES_MAX: usize = 3_000;

/// The document; `None` where something of it cannot be said, or it is too large.
pub(crate) fn document(schemas: &Schemas<'_>, root: NodeId) -> Option<Json> {
    let mut definitions = Map::new();
    let (mut seen, mut open) = (FxHashSet::default(), vec![root]);
    while let Some(id) = open.pop() {
        if id <= NEVER || !seen.insert(id) {
            continue;
        }
        if seen.len() > NODES_MAX {
            return None;
        }
        let node = schemas.node(id);
        open.extend(node.in_place().chain(node.below()));
        definitions.insert(format!("n{id}"), Json::Object(emit(schemas, node)?));
    }
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [reference(root)],
        "$defs": definitions,
    }))
}

fn reference(id: NodeId) -> Json {
    match id {
        ANY => Json::Bool(true),
        NEVER => Json::Bool(false),
        id => json!({ "$ref": format!("#/$defs/n{id}") }),
    }
}

fn references<'n>(ids: impl IntoIterator<Item = &'n NodeId>) -> Json {
    Json::Array(ids.into_iter().map(|id| reference(*id)).collect())
}

/// A value as `serde_json` has it; `None` for a number that it cannot hold.
pub(crate) fn value(value: &Value<'_>) -> Option<Json> {
    serde_json::from_str(&value.to_string()).ok()
}

fn number(literal: &str) -> Option<Json> {
    serde_json::from_str::<Number>(literal).ok().map(Json::Number)
}

fn emit(schemas: &Schemas<'_>, node: &Node<'_>) -> Option<Map<String, Json>> {
    let mut out = Map::new();
    if node.opaque.is_some() {
        return None;
    }
    if node.kinds == Kinds::NONE {
        out.insert("not".into(), json!({}));
        return Some(out);
    }
    if node.kinds != Kinds::ALL {
        out.insert("type".into(), Json::Array(node.kinds.names().map(Json::from).collect()));
    }
    let mut all: Vec<Json> = node.reference.iter().chain(&node.all).map(|id| reference(*id)).collect();
    for values in &node.values {
        let list: Option<Vec<Json>> = values.list.iter().map(|listed| value(listed)).collect();
        all.push(json!({ "enum": list? }));
    }
    for (bound, inclusive, exclusive) in
        [(&node.low, "minimum", "exclusiveMinimum"), (&node.high, "maximum", "exclusiveMaximum")]
    {
        if let Some(bound) = bound {
            let keyword = if bound.exclusive { exclusive } else { inclusive };
            out.insert(keyword.into(), number(&bound.value.to_string())?);
        }
    }
    if let Some(step) = &node.step {
        out.insert("multipleOf".into(), number(&step.to_string())?);
    }
    let mut count = |keyword: &str, count: u64| out.insert(keyword.to_owned(), Json::from(count));
    if node.length_min > 0 {
        count("minLength", node.length_min);
    }
    if let Some(max) = node.length_max {
        count("maxLength", max);
    }
    if let Some(pattern) = node.pattern {
        out.insert("pattern".into(), Json::from(schemas.pattern_text(pattern)));
    }
    for (keyword, members) in [("anyOf", &node.any), ("oneOf", &node.one)] {
        if let Some(members) = members {
            // An empty union admits nothing, and may not be written.
            let union = if members.is_empty() { json!([false]) } else { references(members) };
            out.insert(keyword.into(), union);
        }
    }
    if let Some(not) = node.not {
        out.insert("not".into(), reference(not));
    }
    if let Some(condition) = node.condition {
        out.insert("if".into(), reference(condition.test));
        out.insert("then".into(), reference(condition.then));
        out.insert("else".into(), reference(condition.other));
    }
    array(node, &mut out);
    object(schemas, node, &mut out, &mut all);
    if !all.is_empty() {
        out.insert("allOf".into(), Json::Array(all));
    }
    Some(out)
}

fn array(node: &Node<'_>, out: &mut Map<String, Json>) {
    let Some(rules) = &node.array else { return };
    if !rules.prefix.is_empty() {
        out.insert("prefixItems".into(), references(&rules.prefix));
    }
    if let Some(items) = rules.items {
        out.insert("items".into(), reference(items));
    }
    if rules.min > 0 {
        out.insert("minItems".into(), Json::from(rules.min));
    }
    if let Some(max) = rules.max {
        out.insert("maxItems".into(), Json::from(max));
    }
    if rules.unique {
        out.insert("uniqueItems".into(), Json::Bool(true));
    }
    if let Some(contains) = rules.contains {
        out.insert("contains".into(), reference(contains.node));
        out.insert("minContains".into(), Json::from(contains.min));
        if let Some(max) = contains.max {
            out.insert("maxContains".into(), Json::from(max));
        }
    }
    if let Some(unevaluated) = rules.unevaluated {
        out.insert("unevaluatedItems".into(), reference(unevaluated));
    }
}

fn object(schemas: &Schemas<'_>, node: &Node<'_>, out: &mut Map<String, Json>, all: &mut Vec<Json>) {
    let Some(rules) = &node.object else { return };
    let name = |id: &u32| schemas.name(*id).to_owned();
    let names = |ids: &[u32]| Json::Array(ids.iter().map(|id| Json::from(name(id))).collect());
    if !rules.properties.is_empty() {
        let members = rules.properties.iter().map(|(id, node)| (name(id), reference(*node)));
        out.insert("properties".into(), Json::Object(members.collect()));
    }
    if !rules.patterns.is_empty() {
        let members = rules.patterns.iter().map(|(id, node)| (schemas.pattern_text(*id).to_owned(), reference(*node)));
        out.insert("patternProperties".into(), Json::Object(members.collect()));
    }
    if let Some(rest) = rules.rest {
        out.insert("additionalProperties".into(), reference(rest));
    }
    if let Some(names) = rules.names {
        out.insert("propertyNames".into(), reference(names));
    }
    if !rules.required.is_empty() {
        out.insert("required".into(), names(&rules.required));
    }
    if rules.min > 0 {
        out.insert("minProperties".into(), Json::from(rules.min));
    }
    if let Some(max) = rules.max {
        out.insert("maxProperties".into(), Json::from(max));
    }
    if !rules.dependent_names.is_empty() {
        let members = rules.dependent_names.iter().map(|(id, needs)| (name(id), names(needs)));
        out.insert("dependentRequired".into(), Json::Object(members.collect()));
    }
    if !rules.dependent_schemas.is_empty() {
        let members = rules.dependent_schemas.iter().map(|(id, node)| (name(id), reference(*node)));
        out.insert("dependentSchemas".into(), Json::Object(members.collect()));
    }
    if let Some(unevaluated) = rules.unevaluated {
        out.insert("unevaluatedProperties".into(), reference(unevaluated.node));
    }
    // Names that the boundary's closing knows besides (R3.4), in a part of their own: there they are evaluated, and
    // `additionalProperties` does not see them.
    if !rules.mentioned.is_empty() {
        let members = rules.mentioned.iter().map(|id| (name(id), Json::Bool(true)));
        all.push(json!({ "properties": members.collect::<Map<_, _>>() }));
    }
    if rules.evaluates_all {
        all.push(json!({ "additionalProperties": true }));
    }
}
