//! What the checker takes the policy for unknown keys to close: the same locations that the judge closes (R3).

use toolgate_proof::{Options, UnknownKeys, Verdict, prove};

fn verdict(contract: &str, advertised: &str, unknown_keys: UnknownKeys) -> Verdict {
    prove(contract, advertised, &Options { unknown_keys, ..Options::default() }).unwrap().verdict
}

#[track_caller]
fn is_open(contract: &str, advertised: &str, unknown_keys: UnknownKeys) {
    let verdict = verdict(contract, advertised, unknown_keys);
    assert!(matches!(verdict, Verdict::Refuted { .. }), "{contract}: {verdict:?}");
}

#[track_caller]
fn is_closed(contract: &str, advertised: &str, unknown_keys: UnknownKeys) {
    assert_eq!(verdict(contract, advertised, unknown_keys), Verdict::Proven, "{contract}");
}

const CLOSED: &str = r#"{"type":"object","properties":{"k":{}},"additionalProperties":false}"#;

#[test]
fn a_root_that_refers_to_one_which_speaks_of_other_keys_is_not_closed() {
    let contract = r##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"k":{}},"patternProperties":{"^x":{}}}}}"##;
    let shown = r#"{"type":"object","properties":{"k":{}},"patternProperties":{"^x":{}},"additionalProperties":false}"#;
    is_open(contract, shown, UnknownKeys::CloseRoot);
    let twice = r##"{"$ref":"#/$defs/b","$defs":{"b":{"$ref":"#/$defs/a"},"a":{"properties":{"k":{}},"patternProperties":{"^x":{}}}}}"##;
    is_open(twice, shown, UnknownKeys::CloseRoot);
    // In one of several parts it is no word of the root's.
    let part = r##"{"allOf":[{"properties":{"k":{}},"patternProperties":{"^x":{}}}]}"##;
    is_closed(part, shown, UnknownKeys::CloseRoot);
}

#[test]
fn what_the_dialect_ignores_beside_a_reference_says_nothing() {
    for word in ["\"additionalProperties\":true", "\"patternProperties\":{\"^x\":{}}"] {
        let contract = |dialect: &str| {
            format!(
                r##"{{"$schema":"{dialect}","$ref":"#/definitions/a",{word},"definitions":{{"a":{{"properties":{{"k":{{}}}}}}}}}}"##
            )
        };
        is_closed(&contract("http://json-schema.org/draft-07/schema#"), CLOSED, UnknownKeys::CloseRoot);
        is_open(&contract("https://json-schema.org/draft/2020-12/schema"), CLOSED, UnknownKeys::CloseRoot);
    }
}

#[test]
fn what_a_value_may_not_be_declares_nothing() {
    let contract =
        r#"{"type":"object","properties":{"a":{"not":{"properties":{"b":{"type":"string"}},"required":["b"]}}}}"#;
    let shown = r#"{"type":"object","properties":{"a":{"additionalProperties":false}}}"#;
    is_open(contract, shown, UnknownKeys::CloseDeclared);
}
