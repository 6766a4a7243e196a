//! What a proof rests on: assumptions about questions that are still open, and what is sent where steps read it back. Each form
//! here refuses a call of its contract, and was once taken for proven.

use serde_json::{Value, json};
use toolgate_proof::{DecodeStep, Options, UnknownKeys, Verdict, prove};

#[track_caller]
fn not_proven(contract: &Value, advertised: &Value, steps: &[DecodeStep]) {
    let options = Options { unknown_keys: UnknownKeys::AsWritten, decode: steps.to_vec(), ..Options::default() };
    let proof = prove(&contract.to_string(), &advertised.to_string(), &options).unwrap();
    assert_ne!(proof.verdict, Verdict::Proven, "{advertised}");
}

/// Two objects that hold each other. `bad` is any value in the contract and text in the form; the way to it is proven first on an
/// assumption that is given up later, under the key `r` that takes anything.
fn each_other(root: Value) -> (Value, Value) {
    let mut contract = json!({
        "type": "object",
        "properties": {
            "r": { "$ref": "#/$defs/X" },
            "z": { "allOf": [{ "$ref": "#/$defs/T" }], "properties": { "f": { "type": "string" } } },
        },
        "additionalProperties": false,
        "$defs": {
            "X": { "properties": { "up": { "$ref": "#/$defs/A" } } },
            "A": { "properties": { "q": { "$ref": "#/$defs/S" }, "bad": {} } },
            "S": {
                "allOf": [{ "$ref": "#/$defs/T" }],
                "anyOf": [
                    { "properties": { "p": false, "f": { "type": "string" } } },
                    { "properties": { "p": false, "f": { "type": "string", "minLength": 1 } } },
                ],
            },
            "T": { "properties": { "p": { "$ref": "#/$defs/X" } } },
        },
    });
    let is_split = root.is_null();
    if is_split {
        contract["anyOf"] = json!([{ "properties": { "r": false } }, { "properties": { "r": false, "z": {} } }]);
    }
    let form = json!({
        "type": "object",
        "properties": { "r": if is_split { json!({ "$ref": "#/$defs/X" }) } else { root }, "z": { "$ref": "#/$defs/Q" } },
        "additionalProperties": false,
        "$defs": {
            "X": { "properties": { "up": { "$ref": "#/$defs/A" } } },
            "A": { "properties": { "q": { "$ref": "#/$defs/Q" }, "bad": { "type": "string" } } },
            "Q": { "properties": { "p": { "$ref": "#/$defs/X" }, "f": { "type": "string" } } },
        },
    });
    (contract, form)
}

#[test]
fn what_was_proven_on_a_way_given_up_rests_on_its_own_assumptions() {
    let (contract, form) = each_other(json!({ "anyOf": [{ "$ref": "#/$defs/X" }, {}] }));
    not_proven(&contract, &form, &[]);
    let (contract, form) = each_other(Value::Null);
    not_proven(&contract, &form, &[]);
}

#[test]
fn what_is_sent_satisfies_everything_at_once() {
    let contract = json!({ "type": "object", "properties": { "k": { "enum": [5] } } });
    let as_text = [DecodeStep::EnumText { location: "/k".to_owned() }];
    let (text, number) =
        (json!({ "properties": { "k": { "enum": ["5"] } } }), json!({ "properties": { "k": { "type": "integer" } } }));
    for form in [
        json!({ "type": "object", "properties": text["properties"], "patternProperties": { "^k$": { "type": "integer" } } }),
        json!({ "type": "object", "allOf": [text, number] }),
        json!({ "type": "object", "properties": text["properties"], "allOf": [number] }),
        json!({ "type": "object", "properties": { "k": { "enum": ["5"], "anyOf": [{ "type": "integer" }] } } }),
        json!({ "type": "object", "properties": { "k": { "enum": ["5"], "$ref": "#/$defs/n" } }, "$defs": { "n": { "type": "integer" } } }),
    ] {
        not_proven(&contract, &form, &as_text);
    }
    let contract = json!({ "type": "object", "properties": { "k": { "type": "array", "items": { "enum": [5] }, "minItems": 1 } } });
    let item = [DecodeStep::EnumText { location: "/k/*".to_owned() }];
    let list = json!({ "type": "array", "items": { "enum": ["5"] }, "contains": { "type": "integer" } });
    not_proven(&contract, &json!({ "type": "object", "properties": { "k": list } }), &item);
}
