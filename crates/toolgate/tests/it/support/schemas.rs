//! Input schemas made from a tape: every construct that the rules speak of, small enough to be read when one fails.

use super::tape::Tape;
use serde_json::{Map, Value, json};

const DEPTH_MAX: usize = 3;
const NAMES: [&str; 6] = ["a", "b", "list", "kind", "n/x", "path"];

/// Draft 2020-12, an object at the root. Numbers are small enough for a validator that counts in binary.
pub(crate) fn schema(tape: &mut Tape) -> Value {
    let mut root = object(tape, 0);
    if tape.once_in(3) {
        let leaf = node(tape, DEPTH_MAX);
        // One that is itself is none.
        let leaf = if leaf.get("$ref").is_some() { json!({ "type": "boolean" }) } else { leaf };
        root["$defs"] = json!({ "leaf": leaf, "tree": tree(tape) });
    } else {
        root["$defs"] = json!({
            "leaf": { "type": "integer" },
            "tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/tree" }, "n": { "type": "integer" } } }
        });
    }
    root
}

/// Whether the boundary's closing of the root is just `additionalProperties: false`: nothing beside `properties` declares.
pub(crate) fn is_plain_root(schema: &Value) -> bool {
    let beside = ["anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties", "dependentRequired"];
    schema.as_object().is_some_and(|root| beside.iter().all(|keyword| !root.contains_key(*keyword)))
}

/// The schema with its plain root closed, as the default policy does.
pub(crate) fn closed_root(schema: &Value) -> Value {
    let mut closed = schema.clone();
    let required: Vec<String> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    for name in required {
        // A required name is a known one.
        if closed["properties"].get(&name).is_none() {
            closed["properties"][name] = json!({});
        }
    }
    if closed.get("additionalProperties").is_none() {
        closed["additionalProperties"] = json!(false);
    }
    closed
}

fn tree(tape: &mut Tape) -> Value {
    let leaf = node(tape, DEPTH_MAX);
    let next = json!({ "$ref": "#/$defs/tree" });
    match tape.below(4) {
        0 => json!({ "type": "object", "properties": { "next": next, "n": leaf } }),
        1 => json!({ "anyOf": [leaf, { "type": "array", "items": next }] }),
        2 => {
            json!({ "anyOf": [{ "type": "object", "properties": { "l": next, "r": next }, "required": ["l"] }, leaf] })
        }
        _ => json!({ "type": "object", "additionalProperties": next }),
    }
}

fn node(tape: &mut Tape, depth: usize) -> Value {
    let leaves = 10;
    match tape.below(if depth < DEPTH_MAX { 27 } else { leaves }) {
        0 => string(tape),
        1 => number(tape, "integer"),
        2 => number(tape, "number"),
        3 => json!({ "type": "boolean" }),
        4 => words(tape),
        5 => json!({ "const": scalar(tape) }),
        6 => type_list(tape),
        7 => json!({ "$ref": "#/$defs/leaf" }),
        8 => json!({ "type": "null" }),
        9 => json!(true),
        10 => array(tape, depth),
        11 | 12 => object(tape, depth + 1),
        13 => nullable(tape, depth),
        14 | 15 => untagged(tape, depth),
        16 | 17 => tagged(tape, depth),
        18 => tuple(tape, depth),
        19 => json!({ "$ref": "#/$defs/tree" }),
        20 => json!({ "allOf": [node(tape, depth + 1), node(tape, depth + 1)] }),
        21 => json!({ "type": "object", "additionalProperties": node(tape, depth + 1) }),
        22 => conditional(tape, depth),
        23 => json!({ "not": node(tape, DEPTH_MAX) }),
        24 => json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": node(tape, depth + 1) }] }),
        25 => json!({ "type": ["string", "array"], "items": node(tape, depth + 1) }),
        _ => json!({ "type": "array", "contains": node(tape, DEPTH_MAX) }),
    }
}

fn scalar(tape: &mut Tape) -> Value {
    tape.pick(&[
        json!("x"),
        json!(1),
        json!(true),
        json!(null),
        json!("1"),
        json!("true"),
        json!(0.5),
        json!(-7),
        json!("null"),
    ])
    .clone()
}

fn string(tape: &mut Tape) -> Value {
    tape.pick(&[
        json!({ "type": "string" }),
        json!({ "type": "string", "minLength": 2 }),
        json!({ "type": "string", "maxLength": 3 }),
        json!({ "type": "string", "pattern": "^[a-z0-9]+$" }),
        json!({ "type": "string", "pattern": "^(?=a)a" }),
        json!({ "type": "string", "enum": ["x", "y", "5"] }),
        json!({ "minLength": 1 }),
    ])
    .clone()
}

fn number(tape: &mut Tape, kind: &str) -> Value {
    let mut schema = json!({ "type": kind });
    let (keyword, value) = *tape.pick(&[
        ("", 0),
        ("minimum", 1),
        ("maximum", 9),
        ("exclusiveMinimum", 0),
        ("exclusiveMaximum", 10),
        ("multipleOf", 2),
    ]);
    if !keyword.is_empty() {
        schema[keyword] = json!(value);
    }
    schema
}

fn words(tape: &mut Tape) -> Value {
    let count = 1 + tape.below(3);
    let mut words: Vec<Value> = Vec::new();
    for _ in 0..count {
        let word = scalar(tape);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    json!({ "enum": words })
}

fn type_list(tape: &mut Tape) -> Value {
    let kinds = ["string", "integer", "number", "boolean", "null", "array", "object"];
    let first = tape.below(kinds.len());
    let second = (first + 1 + tape.below(kinds.len() - 1)) % kinds.len();
    json!({ "type": [kinds[first], kinds[second]] })
}

fn array(tape: &mut Tape, depth: usize) -> Value {
    let mut schema = json!({ "type": "array", "items": node(tape, depth + 1) });
    let (keyword, value) = tape
        .pick(&[("", json!(0)), ("minItems", json!(1)), ("maxItems", json!(2)), ("uniqueItems", json!(true))])
        .clone();
    if !keyword.is_empty() {
        schema[keyword] = value;
    }
    schema
}

fn tuple(tape: &mut Tape, depth: usize) -> Value {
    let slots = [node(tape, depth + 1), node(tape, depth + 1)];
    let mut schema = json!({ "type": "array", "prefixItems": slots });
    match tape.below(3) {
        0 => {}
        1 => schema["items"] = json!(false),
        _ => schema["items"] = node(tape, depth + 1),
    }
    schema
}

fn object(tape: &mut Tape, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..1 + tape.below(3) {
        let name = *tape.pick(&NAMES);
        properties.insert(name.to_owned(), node(tape, depth));
        if tape.once_in(3) {
            required.push(name);
        }
    }
    required.sort_unstable();
    required.dedup();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    match tape.below(8) {
        1 => schema["additionalProperties"] = json!(false),
        2 => schema["additionalProperties"] = json!(true),
        3 => schema["additionalProperties"] = node(tape, DEPTH_MAX),
        4 => schema["patternProperties"] = json!({ "^x-": node(tape, DEPTH_MAX) }),
        5 => schema["minProperties"] = json!(1),
        6 => schema["dependentRequired"] = json!({ "a": ["b"] }),
        _ => {}
    }
    match tape.below(10) {
        7 => schema["allOf"] = json!([object_part(tape, depth)]),
        8 => schema["anyOf"] = json!([object_part(tape, depth), object_part(tape, depth)]),
        9 => schema["propertyNames"] = json!({ "maxLength": 6 }),
        _ => {}
    }
    schema
}

fn object_part(tape: &mut Tape, depth: usize) -> Value {
    let name = *tape.pick(&NAMES);
    let mut part = json!({ "properties": { name: node(tape, depth + 1) } });
    if tape.once_in(2) {
        part["required"] = json!([name]);
    }
    part
}

fn nullable(tape: &mut Tape, depth: usize) -> Value {
    let mut members = vec![node(tape, depth + 1), json!({ "type": "null" })];
    if tape.once_in(2) {
        members.reverse();
    }
    json!({ "anyOf": members })
}

fn untagged(tape: &mut Tape, depth: usize) -> Value {
    let keyword = *tape.pick(&["anyOf", "oneOf"]);
    let members: Vec<_> = (0..2 + tape.below(2)).map(|_| node(tape, depth + 1)).collect();
    json!({ keyword: members })
}

fn tagged(tape: &mut Tape, depth: usize) -> Value {
    let keyword = *tape.pick(&["oneOf", "anyOf"]);
    let tags = tape.pick(&[[json!("x"), json!("y")], [json!(1), json!(2)], [json!(true), json!(false)]]).clone();
    let members = tags.map(|tag| {
        let name = *tape.pick(&NAMES[..3]);
        let mut member = json!({
            "type": "object",
            "properties": { "kind": { "const": tag }, name: node(tape, depth + 1) },
            "required": ["kind"]
        });
        if tape.once_in(2) {
            member["additionalProperties"] = json!(false);
        }
        member
    });
    json!({ keyword: members })
}

fn conditional(tape: &mut Tape, depth: usize) -> Value {
    json!({
        "type": "object",
        "properties": { "kind": { "type": "string" } },
        "if": { "properties": { "kind": { "const": "x" } }, "required": ["kind"] },
        "then": object_part(tape, depth),
        "else": object_part(tape, depth)
    })
}
