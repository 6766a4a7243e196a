//! The traps that were found while the projection and its checker were thought out: each as a test that is named after it,
//! asked of what is shown. [`TRAPS`] says where the checker and the judge are asked about the same one.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use toolgate::profile::Shape;
use toolgate::{Arguments, Contract, Profile, Published, RootPolicy, UnknownKeys, Verdict};
use toolgate_proof::{Sampler, SamplerOptions};

/// Every trap with what holds it: `FILE::TEST` of this crate or of the checker, or `CASES:ID` where `prove` are the cases of
/// the checker and `judge` and `advertise` those of the whole.
const TRAPS: [(&str, &[&str]); 23] = [
    (
        "a finite set absorbed by an infinite facet of the same kind",
        &["traps.rs::finite_set_beside_an_infinite_one", "prove:T01", "prove:P03-6", "advertise:S018"],
    ),
    ("foreign keys with open variants", &["traps.rs::foreign_keys_of_open_variants", "prove:T02", "advertise:A01-4"]),
    (
        "removing a property under a closed rest",
        &["traps.rs::property_lost_under_a_closed_rest", "prove:T03", "prove:P05-9"],
    ),
    (
        "allOf merged by collecting keys before each part's own closing",
        &["traps.rs::all_of_parts_close_their_own_keys", "prove:T04", "prove:P07"],
    ),
    (
        "unevaluatedProperties closed over the chosen branch only",
        &["traps.rs::two_branches_that_both_hold", "prove:T05", "prove:P07-5"],
    ),
    (
        "required naming an undeclared key",
        &["traps.rs::required_names_an_undeclared_key", "prove:T06", "prove:P12", "advertise:A17"],
    ),
    (
        "a required key whose schema is false",
        &["traps.rs::dead_variant_widens_nothing", "prove:T07", "advertise:A07-5"],
    ),
    (
        "null in an enum beside a nullable type; both booleans",
        &["traps.rs::null_and_booleans_in_an_enum", "prove:T08", "prove:T08-3"],
    ),
    ("an array variant of no items", &["traps.rs::array_of_no_items_has_no_items", "prove:T09", "advertise:A021a"]),
    (
        "siblings of $ref per dialect; $ref at and to the root",
        &[
            "traps.rs::siblings_of_a_reference",
            "prove:T10",
            "prove:T10-2",
            "prove:T10-5",
            "prove:T10-6",
            "advertise:B204-2",
        ],
    ),
    ("oneOf with overlapping members", &["traps.rs::one_of_overlapping_members", "prove:T11", "judge:T052-7"]),
    ("a full type list that forgets a kind", &["traps.rs::type_list_that_stands_for_anything", "prove:T12"]),
    ("an untyped place turned into a string by a client", &["traps.rs::untyped_place_of_a_client", "prove:T13"]),
    ("format as an annotation, promoted", &["traps.rs::format_is_not_promoted", "prove:T14", "prove:P04-8"]),
    (
        "search patterns on full-match surfaces",
        &["traps.rs::search_patterns_of_full_match_readers", "prove:T15", "advertise:B260-2"],
    ),
    (
        "repeated keys inside decoded text",
        &["traps.rs::repeated_names_inside_decoded_text", "judge:S111", "judge:T011-5", "judge:T061-8"],
    ),
    (
        "1.0 for integer, 1e400, 20 digits, -0",
        &["traps.rs::odd_spellings_of_numbers", "prove:T17", "prove:T17-4", "judge:T001-4", "judge:KV-055"],
    ),
    (
        "a wide union hitting the product budget",
        &["shown.rs::a_union_of_any_width_is_shown_in_full", "hostile.rs::wide_unions_take_steps_in_proportion"],
    ),
    ("a recursion without a finite member", &["traps.rs::recursion_that_nothing_ends", "prove:T19", "prove:T19-3"]),
    ("a default on a key of one variant", &["traps.rs::default_of_one_variant", "advertise:A03", "advertise:B193"]),
    ("x-mcp-header on a key that two variants type differently", &["traps.rs::header_of_two_kinds"]),
    ("odd names of keys", &["traps.rs::odd_names_of_keys", "prove:T22", "judge:T013"]),
    (
        "sampler and checker without a budget",
        &[
            "traps.rs::sampling_ends",
            "shown.rs::too_few_steps_end_in_a_wider_form_that_is_proven",
            "hostile.rs::a_small_budget_is_an_unknown",
            "hostile.rs::doubled_unions_end",
        ],
    ),
];

#[test]
fn what_the_table_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let ids = |files: &[&str]| -> BTreeSet<String> {
        let cases = files.iter().flat_map(|file| {
            let file: Value = serde_json::from_str(&read(file)).unwrap();
            file["cases"].as_array().unwrap().clone()
        });
        cases.map(|case| case["id"].as_str().unwrap().to_owned()).collect()
    };
    let prove = ids(&["crates/toolgate-proof/cases/more.json", "crates/toolgate-proof/cases/prove.json"]);
    let (judge, advertise) = (ids(&["cases/judge.json"]), ids(&["cases/advertise.json"]));
    for (trap, evidence) in TRAPS {
        for place in evidence {
            let is_there = match place.split_once("::") {
                Some((file, test)) => ["crates/toolgate/tests/it", "crates/toolgate-proof/tests/it"]
                    .iter()
                    .any(|folder| read(&format!("{folder}/{file}")).contains(&format!("#[test]\nfn {test}("))),
                None => match place.split_once(':').unwrap() {
                    ("prove", id) => prove.contains(id),
                    ("judge", id) => judge.contains(id),
                    (_, id) => advertise.contains(id),
                },
            };
            assert!(is_there, "{trap}: there is no {place}");
        }
    }
}

/// Publishes the contract under every profile, which has to be proven and must hide nothing, and asks an independent
/// validator whether the portable form admits the members. Returns that form.
#[track_caller]
fn shown(schema: &str, members: &[&str]) -> Value {
    let contract = Contract::from_text(schema).unwrap();
    for profile in Profile::all() {
        under(&contract, profile);
    }
    let portable: Value = serde_json::from_str(&under(&contract, Profile::portable()).advertised.schema).unwrap();
    let validator = jsonschema::options().should_validate_formats(false).build(&portable).unwrap();
    for member in members {
        let sent = contract.check(Arguments::from_text(member)).map(|admitted| admitted.arguments_text().to_owned());
        assert_eq!(sent.as_deref(), Ok(*member), "the contract admits it as it is");
        let member: Value = serde_json::from_str(member).unwrap();
        assert!(validator.is_valid(&member), "{member} is hidden by {portable}");
    }
    portable
}

#[track_caller]
fn under(contract: &Contract, profile: &Profile) -> Published {
    let published = contract.publish(profile, RootPolicy::Stated).unwrap_or_else(|why| panic!("{profile}: {why}"));
    assert_eq!(published.proof.verdict, Verdict::Proven, "{profile}");
    if let Some(fell_back) = &published.fell_back {
        assert!(!matches!(fell_back.verdict, Verdict::Refuted { .. }), "{profile}: {:?}", fell_back.verdict);
    }
    published
}

#[track_caller]
fn refused(schema: &str, arguments: &str) {
    assert!(Contract::from_text(schema).unwrap().check(Arguments::from_text(arguments)).is_err(), "{arguments}");
}

/// What a profile shows at `/properties/a`.
fn place_under(schema: &str, profile: &Profile) -> Value {
    let shown: Value =
        serde_json::from_str(&under(&Contract::from_text(schema).unwrap(), profile).advertised.schema).unwrap();
    shown["properties"]["a"].clone()
}

#[test]
fn finite_set_beside_an_infinite_one() {
    let schema = r#"{"type":"object","properties":{"a":{"anyOf":[{"enum":["1"]},{"type":"string","pattern":"^b"}]},"n":{"anyOf":[{"const":1},{"type":"integer","minimum":5}]}}}"#;
    shown(schema, &[r#"{"a":"1"}"#, r#"{"a":"bx"}"#, r#"{"n":1}"#, r#"{"n":9}"#]);
}

#[test]
fn foreign_keys_of_open_variants() {
    let union = |closed: &str| {
        format!(
            r#"{{"type":"object","properties":{{"a":{{"oneOf":[{{"type":"object","properties":{{"t":{{"const":"x"}},"n":{{"type":"integer"}}}},"required":["t","n"]{closed}}},{{"type":"object","properties":{{"t":{{"const":"y"}}}},"required":["t"]{closed}}}]}}}}}}"#
        )
    };
    let open = shown(&union(""), &[r#"{"a":{"t":"y","n":"text"}}"#, r#"{"a":{"t":"x","n":1,"more":[]}}"#]);
    assert!(open["properties"]["a"]["properties"]["n"].get("type").is_none(), "{open}");
    // The near miss: no variant lets the other's key by.
    let closed = shown(&union(r#","additionalProperties":false"#), &[r#"{"a":{"t":"y"}}"#]);
    assert_eq!(closed["properties"]["a"]["properties"]["n"]["type"], "integer");
    assert_eq!(closed["properties"]["a"]["additionalProperties"], false);
}

#[test]
fn property_lost_under_a_closed_rest() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false},"r":{"type":"object","properties":{"b":{"type":"string"}},"patternProperties":{"^x-":{"type":"boolean"}},"additionalProperties":{"type":"integer"}}}}"#;
    let shown = shown(schema, &[r#"{"a":{"b":"","x-1":5}}"#, r#"{"r":{"b":"","x-1":true,"c":5}}"#]);
    assert_ne!(shown["properties"]["a"]["additionalProperties"], false, "{shown}");
    refused(schema, r#"{"a":{"c":5}}"#);
}

#[test]
fn all_of_parts_close_their_own_keys() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"object","allOf":[{"properties":{"x":{"type":"integer"}},"additionalProperties":false},{"properties":{"y":{"type":"integer"}}}]}}}"#;
    let shown = shown(schema, &[r#"{"a":{"x":1}}"#, r#"{"a":{}}"#]);
    refused(schema, r#"{"a":{"y":1}}"#);
    let validator = jsonschema::validator_for(&shown).unwrap();
    assert!(!validator.is_valid(&json!({ "a": { "z": 1 } })), "{shown}");
}

#[test]
fn two_branches_that_both_hold() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"object","anyOf":[{"properties":{"x":{"type":"integer"}},"required":["x"]},{"properties":{"y":{"type":"integer"}},"required":["y"]}],"unevaluatedProperties":false}}}"#;
    shown(schema, &[r#"{"a":{"x":1,"y":2}}"#, r#"{"a":{"y":2}}"#]);
    refused(schema, r#"{"a":{"x":1,"z":2}}"#);
}

#[test]
fn required_names_an_undeclared_key() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"integer"}},"required":["y"]}},"required":["b"]}"#;
    let shown = shown(schema, &[r#"{"b":[],"a":{"y":"anything"}}"#, r#"{"b":null}"#]);
    for object in [&shown, &shown["properties"]["a"]] {
        for name in object["required"].as_array().unwrap() {
            assert!(object["properties"].get(name.as_str().unwrap()).is_some(), "{name} is required and not declared");
        }
    }
}

#[test]
fn dead_variant_widens_nothing() {
    let schema = r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"k":false,"n":{"type":"string"}},"required":["k"]},{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}]}}}"#;
    let shown = shown(schema, &[r#"{"a":{"n":1}}"#]);
    assert_eq!(shown["properties"]["a"]["properties"], json!({ "n": { "type": "integer" } }));
    assert_eq!(shown["properties"]["a"]["additionalProperties"], false);
}

#[test]
fn null_and_booleans_in_an_enum() {
    let schema = r#"{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"enum":[true,false]},"c":{"type":"string","enum":["x",null]},"d":{"enum":[true]}}}"#;
    let shown = shown(schema, &[r#"{"a":null}"#, r#"{"a":"x","b":true}"#, r#"{"b":false,"c":"x","d":true}"#]);
    let validator = jsonschema::validator_for(&shown).unwrap();
    assert!(!validator.is_valid(&json!({ "c": null })), "the type takes null away: {shown}");
    assert!(!validator.is_valid(&json!({ "d": false })), "{shown}");
}

#[test]
fn array_of_no_items_has_no_items() {
    let schema = r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"array","maxItems":0,"items":{"type":"string"}},{"type":"array","items":{"type":"integer"},"minItems":1}]}}}"#;
    let shown = shown(schema, &[r#"{"a":[]}"#, r#"{"a":[1,2]}"#]);
    assert_eq!(shown["properties"]["a"]["items"]["type"], "integer", "{shown}");
}

#[test]
fn siblings_of_a_reference() {
    let schema = |dialect: &str| {
        format!(
            r##"{{"$schema":"{dialect}","type":"object","properties":{{"a":{{"$ref":"#/definitions/s","maxLength":2}}}},"definitions":{{"s":{{"type":"string"}}}}}}"##
        )
    };
    let new = shown(&schema("https://json-schema.org/draft/2020-12/schema"), &[r#"{"a":"xy"}"#]);
    assert_eq!(new["properties"]["a"]["maxLength"], 2);
    let old = shown(&schema("http://json-schema.org/draft-07/schema#"), &[r#"{"a":"longer"}"#]);
    assert!(old["properties"]["a"].get("maxLength").is_none(), "{old}");

    let at_the_root = r##"{"$ref":"#/$defs/r","$defs":{"r":{"type":"object","properties":{"a":{"type":"integer"}}}}}"##;
    assert_eq!(shown(at_the_root, &[r#"{"a":1}"#])["properties"]["a"]["type"], "integer");
    // The root refuses what it does not declare; the same schema below is no root.
    let to_the_root = r##"{"type":"object","properties":{"a":{"$ref":"#"},"n":{"type":"integer"}}}"##;
    shown(to_the_root, &[r#"{"a":{"a":{"n":1},"more":2}}"#]);
    refused(to_the_root, r#"{"more":2}"#);
}

#[test]
fn one_of_overlapping_members() {
    let schema = r#"{"type":"object","properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"}]}}}"#;
    shown(schema, &[r#"{"a":5.5}"#]);
    // Text is read by exactly one member or by none.
    refused(schema, r#"{"a":"5"}"#);
    let contract = Contract::from_text(schema).unwrap();
    assert_eq!(contract.check(Arguments::from_text(r#"{"a":"5.5"}"#)).unwrap().arguments_text(), r#"{"a":5.5}"#);
}

#[test]
fn type_list_that_stands_for_anything() {
    let schema = r#"{"type":"object","properties":{"a":{"description":"anything"}}}"#;
    let contract = Contract::from_text(schema).unwrap();
    let anything = [json!(null), json!(true), json!(1), json!(0.5), json!("x"), json!([1]), json!({ "x": [] })];
    for profile in Profile::all().iter().filter(|profile| profile.shape == Shape::Flat) {
        let published = under(&contract, profile);
        let form: Value = serde_json::from_str(&published.advertised.schema).unwrap();
        let validator = jsonschema::validator_for(&form).unwrap();
        for value in &anything {
            // A strict form writes an absent key as null, so a null of the contract's own goes by the looser form.
            assert!(validator.is_valid(&json!({ "a": value })), "{value} under {profile}: {form}");
        }
    }
}

#[test]
fn untyped_place_of_a_client() {
    // Codex reads a place without a type as a string.
    let place = place_under(r#"{"type":"object","properties":{"a":{}}}"#, Profile::named("codex").unwrap());
    let kinds: BTreeSet<&str> = place["type"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(kinds, BTreeSet::from(["array", "boolean", "null", "number", "object", "string"]), "{place}");
}

#[test]
fn format_is_not_promoted() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string","format":"email"}}}"#;
    shown(schema, &[r#"{"a":"not an address"}"#]);
    for profile in Profile::all().iter().filter(|profile| profile.shape == Shape::Flat) {
        assert!(place_under(schema, profile).get("format").is_none(), "{profile}");
    }
}

#[test]
fn search_patterns_of_full_match_readers() {
    let schema = |pattern: &str| {
        json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": pattern } } }).to_string()
    };
    shown(&schema("b"), &[r#"{"a":"abc"}"#]);
    let mut readers = 0;
    for profile in Profile::all().iter().filter(|profile| profile.reads.pattern_is_full_match) {
        readers += 1;
        for searched in ["b", "^b", "b$", "^a$|^b", "^a|b$"] {
            let place = place_under(&schema(searched), profile);
            assert!(place.get("pattern").is_none_or(|kept| kept != searched), "{searched} under {profile}: {place}");
        }
    }
    assert!(readers > 1);
}

#[test]
fn repeated_names_inside_decoded_text() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"object"}}}"#;
    refused(schema, r#"{"a":"{\"x\":1,\"x\":1}"}"#);
    refused(schema, r#"{"a":"{\"x\":[{\"y\":1,\"\\u0079\":1}]}"}"#);
    let contract = Contract::from_text(schema).unwrap();
    let once = contract.check(Arguments::from_text(r#"{"a":"{\"x\":1,\"y\":1}"}"#)).unwrap();
    assert_eq!(once.arguments_text(), r#"{"a":{"x":1,"y":1}}"#);
}

#[test]
fn odd_spellings_of_numbers() {
    let schema = r#"{"type":"object","properties":{"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"integer","maximum":12345678901234567890}}}"#;
    shown(schema, &[r#"{"i":1.0}"#, r#"{"i":-0}"#, r#"{"i":-0.0,"n":-0}"#, r#"{"b":12345678901234567890}"#]);
    refused(schema, r#"{"b":12345678901234567891}"#);
    // No validator that counts in binary reads this one; the judge keeps its text.
    let contract = Contract::from_text(schema).unwrap();
    let text = r#"{"i":1e400,"n":1.0e-400}"#;
    assert_eq!(contract.check(Arguments::from_text(text)).unwrap().arguments_text(), text);
}

#[test]
fn recursion_that_nothing_ends() {
    let endless = r##"{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}"##;
    for profile in Profile::all() {
        let published =
            Contract::from_text(endless).map(|contract| contract.publish(profile, RootPolicy::Stated).map(drop));
        assert!(!matches!(published, Ok(Ok(()))), "{profile} shows a tool that nobody can call");
    }
    // The near miss: null ends it.
    let ended =
        r##"{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["next"]}"##;
    shown(ended, &[r#"{"next":null}"#, r#"{"next":{"next":null}}"#]);
    // A variant that cannot end is dead, and the other is shown alone.
    let dead = r##"{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/e"},{"type":"integer"}]}},"$defs":{"e":{"type":"object","properties":{"next":{"$ref":"#/$defs/e"}},"required":["next"]}}}"##;
    assert_eq!(shown(dead, &[r#"{"a":1}"#])["properties"]["a"]["type"], "integer");
}

#[test]
fn default_of_one_variant() {
    let schema = r#"{"type":"object","oneOf":[{"properties":{"t":{"const":"x"},"v":{"type":"string","default":"fast"}},"required":["t"]},{"properties":{"t":{"const":"y"}},"required":["t"]}]}"#;
    let shown = shown(schema, &[r#"{"t":"y"}"#, r#"{"t":"x","v":"slow"}"#]);
    assert!(shown["properties"]["v"].get("default").is_none(), "{shown}");
    // The near miss: a key that no union stands above keeps it.
    let alone = shown_default(r#"{"type":"object","properties":{"v":{"type":"string","default":"fast"}}}"#);
    assert_eq!(alone, "fast");
}

fn shown_default(schema: &str) -> Value {
    shown(schema, &["{}"])["properties"]["v"]["default"].clone()
}

#[test]
fn header_of_two_kinds() {
    let union = |other: &str| {
        format!(
            r#"{{"type":"object","oneOf":[{{"properties":{{"t":{{"const":"x"}},"h":{{"type":"string","x-mcp-header":"Region"}}}},"required":["t"]}},{{"properties":{{"t":{{"const":"y"}},"h":{other}}},"required":["t"]}}]}}"#
        )
    };
    let header =
        |schema: &str, members: &[&str]| shown(schema, members)["properties"]["h"].get("x-mcp-header").cloned();
    let list = union(r#"{"type":"array","x-mcp-header":"Region"}"#);
    assert_eq!(header(&list, &[r#"{"t":"y","h":["x"]}"#]), None, "a list is no header");
    let other_name = union(r#"{"type":"string","x-mcp-header":"Zone"}"#);
    assert_eq!(header(&other_name, &[r#"{"t":"y","h":"x"}"#]), None, "two names");
    let only_one = union(r#"{"type":"string"}"#);
    assert_eq!(header(&only_one, &[r#"{"t":"y","h":"x"}"#]), None, "one of two says it");
    let same = union(r#"{"type":"string","x-mcp-header":"Region","maxLength":3}"#);
    assert_eq!(header(&same, &[r#"{"t":"y","h":"x"}"#]), Some(json!("Region")));
}

#[test]
fn odd_names_of_keys() {
    let schema = r#"{"type":"object","properties":{"__proto__":{"type":"integer"},"":{"type":"integer"},"a/b":{"type":"integer"},"c~d":{"type":"integer"},"e\nf":{"type":"integer"},"~1":{"type":"string"}},"required":["a/b",""]}"#;
    let shown = shown(schema, &[r#"{"__proto__":1,"":2,"a/b":3,"c~d":4,"e\nf":5,"~1":"x"}"#, r#"{"a/b":3,"":2}"#]);
    assert_eq!(shown["properties"].as_object().unwrap().len(), 6);
    refused(schema, r#"{"a/b":"x","":2}"#);
}

#[test]
fn sampling_ends() {
    let sampled = |schema: &str| {
        let options = SamplerOptions {
            unknown_keys: toolgate_proof::UnknownKeys::AsWritten,
            steps_max: 300_000,
            ..SamplerOptions::default()
        };
        let mut sampler = Sampler::new(schema, options).unwrap();
        let members = sampler.by_ref().count();
        // A batch may overrun the bound, by no more than what one member may take.
        assert!(sampler.steps() < 400_000, "{} steps", sampler.steps());
        let policy = toolgate::Policy { unknown_keys: UnknownKeys::AsWritten, ..toolgate::Policy::default() };
        under(&Contract::from_text_with(schema, &policy).unwrap(), Profile::portable());
        members
    };
    // Each level has seven of the next; nothing but the budget ends that.
    sampled(
        r##"{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"m":{"type":"array","items":{"$ref":"#"},"minItems":4},"n":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["n"]}"##,
    );
    let tree = r##"{"type":"object","properties":{"l":{"$ref":"#"},"n":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["n"]}"##;
    assert!(sampled(tree) > 20);
}
