//! The tools of real servers, as discovered: each compiles or is closed by name; what their schemas admit passes unchanged;
//! and the two spellings of "this or null" are judged alike.

use crate::support::catalogs::{CatalogTool, subschemas, tools};
use crate::support::members::{Maker, Size, member};
use crate::support::tape::Tape;
use serde_json::{Map, Value, json};
use std::time::Instant;
use toolgate::{Admitted, Arguments, Contract, Origin, Policy, Refusal, Unusable};

/// The tools that are closed, each with the keyword that its author wrote wrongly.
const CLOSED: &[(&str, &str)] = &[
    // An object of words.
    ("github-mcpm__arangodb/arango_create_collection", "type"),
    // A `required` that fell into `properties`.
    ("github-mcpm__hyperliquid/get_l2_book", "schema"),
    // A required property whose enum has no words: no call can pass.
    ("github-mcpm__windows-cli/ssh_execute", "root"),
    ("github-mcpm__windows-cli/ssh_disconnect", "root"),
    // References into a document that was left at home.
    ("github-mcpm__xero-mcp-server_john-zhang-dev/create_bank_transactions", "$ref"),
    ("github-mcpm__xero-mcp-server_john-zhang-dev/create_contacts", "$ref"),
    ("npm-netlify__mcp/netlify-coding-rules", "root"),
];

fn discovered() -> Policy {
    Policy { origin: Origin::Discovered, ..Policy::default() }
}

fn compile(schema_text: &str) -> Result<Contract, Unusable> {
    Contract::from_text_with(schema_text, &discovered())
}

fn oracle(schema: &Value) -> Option<jsonschema::Validator> {
    // As the servers' own validators do: a format is a hint.
    jsonschema::options().should_validate_formats(false).build(schema).ok()
}

#[test]
fn every_tool_compiles_or_is_closed_by_name() {
    let Some(tools) = tools() else { return };
    let start = Instant::now();
    let outcomes: Vec<_> = tools.iter().map(|tool| compile(&tool.schema_text)).collect();
    let elapsed = start.elapsed();
    let mut closed = Vec::new();
    let mut set_aside = 0;
    for (tool, outcome) in tools.iter().zip(&outcomes) {
        match outcome {
            Ok(contract) => set_aside += contract.set_aside().len(),
            Err(unusable) => {
                println!("closed: {}: {unusable}", tool.label);
                closed.push((tool.label.as_str(), unusable.defects[0].code.as_str()));
            }
        }
    }
    println!("{} tools compiled in {elapsed:?}; {} closed, {set_aside} keywords set aside", tools.len(), closed.len());
    assert_eq!(closed, CLOSED);
}

#[test]
fn what_a_schema_admits_passes_unchanged() {
    let Some(tools) = tools() else { return };
    let mut without = Vec::new();
    let mut faults = Vec::new();
    let mut passed = 0;
    for tool in &tools {
        let Ok(contract) = compile(&tool.schema_text) else { continue };
        let Some(validator) = oracle(&tool.schema) else { continue };
        for size in [Size::Smallest, Size::Fuller] {
            let Some(made) = member(&tool.schema, size, &validator) else {
                if size == Size::Smallest {
                    without.push(tool.label.as_str());
                }
                continue;
            };
            let text = made.to_string();
            match contract.check(Arguments::from_text(&text)) {
                Ok(admitted) if is_as_sent(&admitted, &text) => passed += 1,
                Ok(_) => faults.push(format!("{}: {text}: changed", tool.label)),
                Err(refusal) => faults.push(format!("{}: {text}: {refusal}", tool.label)),
            }
        }
    }
    println!("{passed} members of {} tools passed unchanged", tools.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(10)].join("\n"));
    assert!(without.is_empty(), "no member was made for {without:?}");
}

fn is_as_sent(admitted: &Admitted<'_>, text: &str) -> bool {
    admitted.arguments_text() == text && admitted.edits().is_empty() && admitted.deferred().is_empty()
}

/// A verdict as it must be the same for two spellings.
fn verdict(outcome: &Result<Admitted<'_>, Refusal>) -> String {
    match outcome {
        Ok(admitted) => {
            let edits: Vec<_> = admitted.edits().iter().map(|edit| (edit.location.to_pointer(), edit.rule)).collect();
            let deferred: Vec<_> = admitted.deferred().iter().map(|location| location.to_pointer()).collect();
            format!("admitted {} {edits:?} {deferred:?}", admitted.arguments_text())
        }
        Err(refusal) => {
            let reasons =
                refusal.violations().iter().map(|violation| (violation.location.to_pointer(), violation.code.as_str()));
            format!("refused {:?} +{}", reasons.collect::<Vec<_>>(), refusal.more())
        }
    }
}

/// The schema `T` of `anyOf: [T, {type: null}]` in any order, where there is nothing else but notes.
fn nullable(schema: &Value) -> Option<&Value> {
    let keywords = schema.as_object()?;
    let members = keywords.get("anyOf")?.as_array()?;
    let is_null = |member: &&Value| member.get("type") == Some(&json!("null"));
    let others = ["type", "enum", "const", "properties", "items", "oneOf", "allOf", "not", "if", "$ref", "required"];
    let alone = others.iter().all(|keyword| !keywords.contains_key(*keyword));
    let (nulls, rest): (Vec<_>, Vec<_>) = members.iter().partition(is_null);
    (alone && nulls.len() == 1 && rest.len() == 1).then(|| rest[0])
}

/// The same as a type list, where `T` is a plain typed schema.
fn as_type_list(schema: &Value) -> Option<Value> {
    let inner = nullable(schema)?.as_object()?;
    let Some(Value::String(kind)) = inner.get("type") else { return None };
    let unions = ["const", "anyOf", "oneOf", "allOf", "not", "if", "$ref"];
    if unions.iter().any(|keyword| inner.contains_key(*keyword)) {
        return None;
    }
    let mut rewritten: Map<String, Value> = schema.as_object()?.clone();
    rewritten.remove("anyOf");
    rewritten.extend(inner.clone());
    rewritten.insert("type".into(), json!([kind, "null"]));
    if let Some(Value::Array(words)) = rewritten.get_mut("enum") {
        words.push(Value::Null);
    }
    Some(Value::Object(rewritten))
}

/// Rewrites every nullable place of a document; counts them.
fn rewrite(schema: &Value, count: &mut usize) -> Value {
    let mut places = Vec::new();
    subschemas(schema, &mut |pointer, place| {
        if as_type_list(place).is_some() {
            places.push(pointer.to_owned());
        }
    });
    let mut rewritten = schema.clone();
    // The deepest first, so that a place inside another is rewritten before that one is.
    places.sort_by_key(|pointer| std::cmp::Reverse(pointer.matches('/').count()));
    for pointer in places {
        let place = rewritten.pointer_mut(&pointer).unwrap();
        // A place inside a nullable one has moved with its member; there it is met again under its own pointer.
        if let Some(list) = as_type_list(place) {
            *place = list;
            *count += 1;
        }
    }
    rewritten
}

/// The nullable place as the only property of a tool, with the definitions that it may refer to.
fn alone(root: &Value, place: &Value) -> Option<Value> {
    if place.to_string().contains("#/properties") {
        return None;
    }
    let mut tool = json!({ "type": "object", "properties": { "v": place } });
    for definitions in ["$defs", "definitions", "$schema"] {
        if let Some(inner) = root.get(definitions) {
            tool[definitions] = inner.clone();
        }
    }
    Some(tool)
}

fn battery(right: Option<&Value>) -> Vec<Value> {
    let mut values =
        vec![json!(null), json!(true), json!(5), json!(1.5), json!("x"), json!([]), json!(["x"]), json!({})];
    values.extend([
        json!({"x": 1}),
        json!("null"),
        json!("5"),
        json!("1.5"),
        json!("true"),
        json!("[]"),
        json!("[\"x\"]"),
        json!("{}"),
    ]);
    if let Some(right) = right {
        values.push(right.clone());
        values.push(Value::String(right.to_string()));
        values.push(json!([right]));
    }
    values
}

fn compare(
    label: &str,
    one: &Value,
    other: &Value,
    base: &Map<String, Value>,
    name: &str,
    values: &[Value],
    faults: &mut Vec<String>,
) {
    let one_contract = compile(&one.to_string()).unwrap();
    let other_contract = compile(&other.to_string()).unwrap_or_else(|unusable| panic!("{label}: {unusable}: {other}"));
    for value in values {
        let mut arguments = base.clone();
        arguments.insert(name.to_owned(), value.clone());
        let text = Value::Object(arguments).to_string();
        let outcomes = [&one_contract, &other_contract].map(|contract| contract.check(Arguments::from_text(&text)));
        let verdicts = outcomes.each_ref().map(verdict);
        if verdicts[0] != verdicts[1] {
            faults.push(format!("{label} /{name}: {text}:\n  union: {}\n  list:  {}", verdicts[0], verdicts[1]));
        }
        let place = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        if outcomes
            .iter()
            .flatten()
            .any(|admitted| admitted.deferred().iter().any(|location| location.to_pointer() == place))
        {
            faults.push(format!("{label} {place}: {text}: left to the server"));
        }
    }
}

#[test]
fn both_spellings_of_a_nullable_place_have_one_verdict() {
    let Some(tools) = tools() else { return };
    let (mut in_place, mut by_itself) = (0, 0);
    let mut faults = Vec::new();
    for tool in &tools {
        if !tool.schema_text.contains("anyOf") || compile(&tool.schema_text).is_err() {
            continue;
        }
        in_place += at_the_root(tool, &mut faults);
        by_itself += below_the_root(tool, &mut faults);
    }
    println!("{in_place} nullable places at a root and {by_itself} below were judged in both spellings");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(10)].join("\n"));
    assert!(in_place + by_itself > 3_900, "only {in_place} and {by_itself} nullable places were found");
}

fn at_the_root(tool: &CatalogTool, faults: &mut Vec<String>) -> usize {
    let Some(Value::Object(properties)) = tool.schema.get("properties") else { return 0 };
    let names: Vec<_> =
        properties.iter().filter(|(_, place)| as_type_list(place).is_some()).map(|(name, _)| name).collect();
    if names.is_empty() {
        return 0;
    }
    let rewritten = rewrite(&tool.schema, &mut 0);
    let Some(Value::Object(base)) =
        oracle(&tool.schema).and_then(|validator| member(&tool.schema, Size::Smallest, &validator))
    else {
        return 0;
    };
    for name in &names {
        let inner = nullable(&properties[*name]).unwrap();
        let right = Maker::new(&tool.schema, Size::Fuller, Tape::empty(), 0).make_for(inner);
        compare(&tool.label, &tool.schema, &rewritten, &base, name, &battery(right.as_ref()), faults);
    }
    names.len()
}

fn below_the_root(tool: &CatalogTool, faults: &mut Vec<String>) -> usize {
    let mut places = Vec::new();
    subschemas(&tool.schema, &mut |pointer, place| {
        let is_root_property = pointer.starts_with("/properties/") && pointer.matches('/').count() == 2;
        if !is_root_property && as_type_list(place).is_some() {
            places.push(place.clone());
        }
    });
    let mut count = 0;
    for place in &places {
        let Some(one) = alone(&tool.schema, place) else { continue };
        let mut rewritten = 0;
        let other = rewrite(&one, &mut rewritten);
        assert!(rewritten > 0);
        let right =
            Maker::new(&one, Size::Fuller, Tape::empty(), 0).make_for(nullable(&one["properties"]["v"]).unwrap());
        compare(&tool.label, &one, &other, &Map::new(), "v", &battery(right.as_ref()), faults);
        count += 1;
    }
    count
}
