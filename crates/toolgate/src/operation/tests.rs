use super::*;
use crate::contract::{Arguments, UnknownKeys};
use crate::profile::Profile;
use crate::tool_set::RootPolicy;
use serde_json::{Value, json};

fn parts(params: &Value, input: &Value, extension: &Value) -> Result<Operation, Unusable> {
    let (params, input, extension) = (params.to_string(), input.to_string(), extension.to_string());
    let parts = Parts { params: Some(&params), input: Some(&input), extension: Some(&extension) };
    Operation::join(parts, &Policy::default())
}

fn params() -> Value {
    json!({ "type": "object", "properties": { "repo": { "type": "string" }, "page": { "type": "integer" } }, "required": ["repo"] })
}

fn extension() -> Value {
    json!({ "type": "object", "properties": { "tenant": { "$ref": "#/$defs/T" } }, "required": ["tenant"], "additionalProperties": false,
        "$defs": { "T": { "type": "string", "enum": ["a", "b"] } } })
}

/// Inputs of every composition, closed and open.
fn inputs() -> Vec<Value> {
    let leaf = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "additionalProperties": false });
    vec![
        json!({}),
        json!({ "type": "object", "properties": { "n": { "type": "integer" } } }),
        leaf.clone(),
        json!({ "type": "object", "properties": { "n": {} }, "additionalProperties": { "type": "boolean" } }),
        json!({ "type": "object", "properties": { "n": {} }, "additionalProperties": true }),
        json!({ "oneOf": [
            { "type": "object", "properties": { "t": { "const": "x" }, "n": { "type": "integer" } }, "required": ["t", "n"], "additionalProperties": false },
            { "type": "object", "properties": { "t": { "const": "y" } }, "required": ["t"], "additionalProperties": false },
        ] }),
        json!({ "$ref": "#/$defs/Leaf", "$defs": { "Leaf": leaf } }),
        json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "anyOf": [
            { "properties": { "t": { "type": "string" } }, "required": ["t"] }, { "required": ["n"] } ], "unevaluatedProperties": false }),
        json!({ "type": "object", "properties": { "n": { "$ref": "#" } }, "additionalProperties": false }),
        json!({ "type": "object", "propertyNames": { "maxLength": 1 } }),
        json!({ "type": "object", "patternProperties": { "^n": { "type": "integer" } }, "additionalProperties": false }),
        json!({ "type": "object", "properties": { "n": {}, "t": {} }, "not": { "required": ["n", "t"], "additionalProperties": false } }),
        json!({ "type": "object", "properties": { "n": {}, "t": {} }, "if": { "required": ["n"], "additionalProperties": false },
            "then": { "properties": { "n": { "type": "integer" } } }, "else": { "required": ["t"] } }),
        json!({ "type": "object", "properties": { "n": {}, "t": {} }, "dependentSchemas": { "n": { "properties": { "n": true }, "additionalProperties": false } } }),
        json!({ "type": "object", "properties": { "n": {}, "t": {} }, "dependentRequired": { "n": ["t"] } }),
    ]
}

/// Judged alone: each part by a contract of its own, the input by the tool's policy and every name that is left.
fn alone(input: &Value, arguments: &Value) -> bool {
    let policy = |unknown_keys| Policy { unknown_keys, ..Policy::default() };
    let object = arguments.as_object().unwrap();
    let slice = |names: &[&str], own: bool| {
        let members = object.iter().filter(|(name, _)| names.contains(&name.as_str()) == own);
        Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let admits = |schema: &Value, policy: &Policy, slice: &Value| {
        let contract = Contract::compile_with(schema, policy).unwrap();
        contract.check(Arguments::from_text(&slice.to_string())).is_ok()
    };
    admits(&params(), &policy(UnknownKeys::CloseRoot), &slice(&["repo", "page"], true))
        && admits(&extension(), &policy(UnknownKeys::CloseRoot), &slice(&["tenant"], true))
        && admits(input, &policy(UnknownKeys::CloseRoot), &slice(&["repo", "page", "tenant"], false))
}

#[test]
fn the_joined_contract_admits_what_the_parts_admit_alone() {
    let values: &[(&str, &[Value])] = &[
        ("repo", &[json!("r"), json!({})]),
        ("page", &[json!(1), json!("x")]),
        ("tenant", &[json!("a"), json!("c")]),
        ("n", &[json!(1), json!("x"), json!({ "n": { "n": {} } }), json!({ "tenant": "a" })]),
        ("t", &[json!("x"), json!("y"), json!("z")]),
        ("other", &[json!(true), json!(1)]),
    ];
    let mut calls = vec![serde_json::Map::new()];
    for (name, values) in values {
        let longer: Vec<_> = calls
            .iter()
            .flat_map(|call| {
                values.iter().map(|value| {
                    let mut call = call.clone();
                    call.insert((*name).to_owned(), value.clone());
                    call
                })
            })
            .collect();
        calls.extend(longer);
    }
    let (mut admitted, mut refused) = (0, 0);
    for input in inputs() {
        let operation = parts(&params(), &input, &extension()).unwrap();
        for call in &calls {
            let call = Value::Object(call.clone());
            let is_admitted = operation.contract().check(Arguments::from_text(&call.to_string())).is_ok();
            assert_eq!(is_admitted, alone(&input, &call), "{input}\n{call}");
            if is_admitted { admitted += 1 } else { refused += 1 }
        }
    }
    assert!(admitted > 200 && refused > 2_000, "{admitted} {refused}");
}

#[test]
fn the_joined_form_is_one_object_that_is_proven() {
    for input in inputs() {
        let operation = parts(&params(), &input, &extension()).unwrap();
        for profile in Profile::all() {
            let published = operation.contract().publish(profile, RootPolicy::Stated).unwrap();
            assert!(published.fell_back.is_none(), "{} {input} {:?}", profile.name, published.fell_back);
        }
        let shown = operation.contract().publish(Profile::portable(), RootPolicy::Stated).unwrap();
        let shown: Value = serde_json::from_str(&shown.advertised.schema).unwrap();
        assert_eq!(shown["properties"]["tenant"]["enum"], json!(["a", "b"]), "{shown}");
        assert!(shown["required"].as_array().unwrap().contains(&json!("repo")), "{shown}");
    }
    let operation = parts(&params(), &json!({ "type": "object", "properties": { "n": {} } }), &extension()).unwrap();
    let shown = operation.contract().publish(Profile::portable(), RootPolicy::Stated).unwrap();
    let shown: Value = serde_json::from_str(&shown.advertised.schema).unwrap();
    assert_eq!(shown["additionalProperties"], false);
    let names: Vec<&String> = shown["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["n", "page", "repo", "tenant"]);
}

#[test]
fn every_violation_is_told_whichever_part_it_is_of() {
    let operation = parts(&params(), &inputs()[2], &extension()).unwrap();
    let refusal = operation.contract().check(Arguments::from_text(r#"{"page":"x","n":{},"tenant":"c","more":1}"#));
    let violations = refusal.unwrap_err().violations().len();
    assert_eq!(violations, 5);
}

#[test]
fn an_older_draft_is_joined_in_its_own_terms() {
    let draft7 = |schema: Value| {
        let mut schema = schema;
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        schema
    };
    let input = draft7(json!({ "$ref": "#/definitions/In", "definitions": { "In": {
        "type": "object", "properties": { "items": { "items": [{ "$ref": "#/definitions/In" }] } }, "additionalProperties": false } } }));
    let operation = parts(&draft7(params()), &input, &draft7(json!({}))).unwrap();
    let admits = |text: &str| operation.contract().check(Arguments::from_text(text)).is_ok();
    assert!(admits(r#"{"repo":"r","items":[{"items":[]}]}"#));
    assert!(!admits(r#"{"repo":"r","items":[{"repo":"r"}]}"#), "below the root the input's own rule stands");
    let mixed = parts(&params(), &input, &json!({}));
    assert!(mixed.unwrap_err().to_string().contains("different versions"));
}

#[test]
fn what_cannot_be_judged_of_a_parts_own_names_is_a_defect() {
    let object = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "a": {} } });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let nothing = json!({});
    for (outcome, expected) in [
        (parts(&object(json!({})), &object(json!({})), &nothing), "of the input: another part has the argument `a`"),
        (
            parts(&nothing, &json!({ "required": ["a"] }), &object(json!({}))),
            "of the extension: another part has the argument `a`",
        ),
        (parts(&object(json!({ "minProperties": 1 })), &nothing, &nothing), "cannot be counted"),
        (parts(&nothing, &object(json!({ "maxProperties": 1 })), &nothing), "of the input: the keys of one part"),
        (parts(&object(json!({ "enum": [{}] })), &nothing, &nothing), "cannot be named"),
        (parts(&object(json!({ "patternProperties": { "b": {} } })), &nothing, &nothing), "one by one"),
        (
            parts(&object(json!({})), &json!({ "patternProperties": { "a": {} } }), &nothing),
            "a pattern takes an argument",
        ),
        (parts(&object(json!({ "$id": "https://example.com/a" })), &nothing, &nothing), "no `$id`"),
        (parts(&nothing, &json!({ "type": "nonsense" }), &nothing), "`type` must be"),
    ] {
        let unusable = outcome.unwrap_err();
        assert!(unusable.to_string().contains(expected), "{unusable}");
    }
}

#[test]
fn without_other_parts_the_input_stands_as_it_is() {
    let parts = Parts { input: Some(r#"{"type":"object","maxProperties":1}"#), ..Parts::default() };
    let operation = Operation::join(parts, &Policy::default()).unwrap();
    assert_eq!(operation.contract().schema_text(), r#"{"type":"object","maxProperties":1}"#);
    assert_eq!(format!("{:?}", operation.split(r#"{"secret":1}"#).unwrap()), "Slices(..)");
    for none in ["", "[]", r#"{"secret":"#, "null"] {
        let codes = operation.split(none).unwrap_err().to_log();
        assert_eq!(codes, "contract-mismatch@", "{none} is no call without arguments");
    }
}
