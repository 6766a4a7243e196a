//! The negative twin: an advertised schema made a little narrower at one place. A checker that calls a narrowed schema proven
//! where a member of the contract is refused by it is wrong, and shows it here.

use crate::decimal::Decimal;
use crate::json::{self, Value};
use crate::proof::{Input, Unreadable};
use crate::schema::escape_segment;
use std::borrow::Cow;

/// Schemas of a document that are narrowed.
const PLACES_MAX: usize = 400;

/// A schema that admits no more than the one it was made from, and mostly less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// JSON text of the whole document.
    pub schema: String,
    /// JSON Pointer of the schema that was changed.
    pub pointer: String,
    /// What was done: `require`, `close`, `drop-property`, `drop-value`, `drop-kind`, `tighten`, `type`.
    pub what: &'static str,
}

/// Every narrowing of one keyword of the document, in the order of the document.
///
/// # Errors
///
/// Returns the text's fault where it is no JSON.
///
/// # Example
///
/// ```
/// let narrowings = toolgate_proof::narrowings(r#"{"type":"object","properties":{"a":{"enum":[1,2]}}}"#)?;
/// assert!(narrowings.iter().any(|narrowing| narrowing.what == "drop-value" && narrowing.schema.contains("[2]")));
/// assert!(narrowings.iter().any(|narrowing| narrowing.what == "require"));
/// # Ok::<(), toolgate_proof::Unreadable>(())
/// ```
pub fn narrowings(advertised: &str) -> Result<Vec<Narrowing>, Unreadable> {
    let document =
        json::read(advertised).map_err(|why| Unreadable { input: Input::Advertised, pointer: String::new(), why })?;
    let mut places = Vec::new();
    schemas(&document, &mut Vec::new(), &mut places);
    let mut found = Vec::new();
    for place in places {
        let Some(schema) = at(&document, &place) else { continue };
        for (what, narrowed) in edits(schema) {
            let pointer = place.iter().map(|segment| format!("/{}", escape_segment(segment))).collect();
            found.push(Narrowing { schema: replaced(&document, &place, &narrowed).to_string(), pointer, what });
        }
    }
    Ok(found)
}

/// The paths of the document's schemas that stand where less means less: not under `not` or `if`, and not in `oneOf`.
fn schemas<'t>(schema: &Value<'t>, path: &mut Vec<Cow<'t, str>>, places: &mut Vec<Vec<Cow<'t, str>>>) {
    if places.len() >= PLACES_MAX || path.len() > 60 {
        return;
    }
    let Some(members) = schema.map() else {
        return;
    };
    places.push(path.clone());
    for (keyword, value) in members {
        path.push(keyword.clone());
        match (keyword.as_ref(), value) {
            ("items" | "additionalProperties" | "contains", Value::Map(_)) => schemas(value, path, places),
            ("allOf" | "anyOf" | "prefixItems" | "items", Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(Cow::Owned(index.to_string()));
                    schemas(item, path, places);
                    path.pop();
                }
            }
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Map(inner)) => {
                for (name, item) in inner {
                    path.push(name.clone());
                    schemas(item, path, places);
                    path.pop();
                }
            }
            _ => {}
        }
        path.pop();
    }
}

fn at<'v, 't>(value: &'v Value<'t>, path: &[Cow<'t, str>]) -> Option<&'v Value<'t>> {
    path.iter().try_fold(value, |value, segment| match value {
        Value::List(items) => items.get(segment.parse::<usize>().ok()?),
        value => value.member(segment),
    })
}

fn replaced<'t>(value: &Value<'t>, path: &[Cow<'t, str>], new: &Value<'t>) -> Value<'t> {
    let Some((first, rest)) = path.split_first() else { return new.clone() };
    match value {
        Value::Map(members) => Value::Map(
            members
                .iter()
                .map(|(name, member)| {
                    let member = if name == first { replaced(member, rest, new) } else { member.clone() };
                    (name.clone(), member)
                })
                .collect(),
        ),
        Value::List(items) => Value::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| if first.parse() == Ok(index) { replaced(item, rest, new) } else { item.clone() })
                .collect(),
        ),
        other => other.clone(),
    }
}

/// The schema with one member set.
fn set<'t>(schema: &Value<'t>, keyword: &'static str, value: Value<'t>) -> Value<'t> {
    let mut members: Vec<_> = schema.map().unwrap_or_default().to_vec();
    match members.iter_mut().find(|(name, _)| name == keyword) {
        Some((_, known)) => *known = value,
        None => members.push((Cow::Borrowed(keyword), value)),
    }
    Value::Map(members)
}

fn edits<'t>(schema: &Value<'t>) -> Vec<(&'static str, Value<'t>)> {
    let mut edits = Vec::new();
    let word = |word: &'static str| Value::Text(Cow::Borrowed(word));
    let kinds: Vec<&Value<'t>> = match schema.member("type") {
        Some(Value::List(kinds)) => kinds.iter().collect(),
        Some(kind) => vec![kind],
        None => Vec::new(),
    };
    let has_kind = |name: &str| kinds.iter().any(|kind| kind.text() == Some(name));
    object_edits(schema, has_kind("object"), &mut edits);
    if let Some(values) = schema.member("enum").and_then(Value::list) {
        for dropped in [0, values.len().saturating_sub(1)] {
            let kept: Vec<Value<'t>> = values
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != dropped)
                .map(|(_, value)| value.clone())
                .collect();
            if !kept.is_empty() && kept.len() < values.len() {
                edits.push(("drop-value", set(schema, "enum", Value::List(kept))));
            }
        }
    }
    if kinds.len() > 1 {
        for dropped in 0..kinds.len() {
            let kept = kinds.iter().enumerate().filter(|(index, _)| *index != dropped).map(|(_, kind)| (*kind).clone());
            edits.push(("drop-kind", set(schema, "type", Value::List(kept.collect()))));
        }
    }
    if has_kind("number") {
        edits.push(("drop-kind", set(schema, "type", word("integer"))));
    }
    let says_kind = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"];
    if says_kind.iter().all(|keyword| schema.member(keyword).is_none()) {
        for kind in ["string", "integer", "object"] {
            edits.push(("type", set(schema, "type", word(kind))));
        }
    }
    bound_edits(schema, &has_kind, &mut edits);
    edits
}

fn object_edits<'t>(schema: &Value<'t>, is_object: bool, edits: &mut Vec<(&'static str, Value<'t>)>) {
    let properties = schema.member("properties").and_then(Value::map).unwrap_or_default();
    let required = schema.member("required").and_then(Value::list).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|known| known.text() == Some(name));
    for (name, _) in properties.iter().filter(|(name, _)| !is_required(name)).take(12) {
        let mut required = required.to_vec();
        required.push(Value::Text(name.clone()));
        edits.push(("require", set(schema, "required", Value::List(required))));
    }
    let is_closed = matches!(schema.member("additionalProperties"), Some(Value::Boolean(false)));
    if !is_closed && (is_object || !properties.is_empty()) {
        edits.push(("close", set(schema, "additionalProperties", Value::Boolean(false))));
    }
    if is_closed {
        for dropped in 0..properties.len().min(12) {
            let kept =
                properties.iter().enumerate().filter(|(index, _)| *index != dropped).map(|(_, kept)| kept.clone());
            edits.push(("drop-property", set(schema, "properties", Value::Map(kept.collect()))));
        }
    }
}

fn bound_edits<'t>(schema: &Value<'t>, has_kind: &dyn Fn(&str) -> bool, edits: &mut Vec<(&'static str, Value<'t>)>) {
    let upward = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
    let downward = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
    for (keywords, by) in [(upward, 1), (downward, -1)] {
        for keyword in keywords {
            let moved =
                schema.member(keyword).and_then(Value::number).and_then(|bound| bound.plus(&Decimal::from_i128(by)));
            let is_count = keyword.starts_with("max") && keyword != "maximum";
            if let Some(moved) = moved.filter(|moved| !(is_count && moved.is_negative())) {
                edits.push(("tighten", set(schema, keyword, Value::Number(Cow::Owned(moved.to_string())))));
            }
        }
    }
    let number = |text: &'static str| Value::Number(Cow::Borrowed(text));
    if (has_kind("number") || has_kind("integer")) && schema.member("maximum").is_none() {
        edits.push(("tighten", set(schema, "maximum", number("0"))));
    }
    if has_kind("string") && schema.member("maxLength").is_none() {
        edits.push(("tighten", set(schema, "maxLength", number("2"))));
    }
    if has_kind("array") && schema.member("maxItems").is_none() {
        edits.push(("tighten", set(schema, "maxItems", number("1"))));
    }
}
