//! Documents made to cost more than they weigh. Each ends, within steps that are counted, with an answer that is true.

use serde_json::{Value, json};
use toolgate_proof::{DecodeStep, Options, Proof, Sampler, SamplerOptions, UnknownKeys, Verdict, prove};

#[track_caller]
fn ask(contract: &str, advertised: &str) -> Proof {
    prove(contract, advertised, &Options { unknown_keys: UnknownKeys::AsWritten, ..Options::default() }).unwrap()
}

/// Proven within so many steps.
#[track_caller]
fn proven(contract: &Value, advertised: &Value, steps_max: u64) -> u64 {
    let proof = ask(&contract.to_string(), &advertised.to_string());
    assert_eq!(proof.verdict, Verdict::Proven);
    assert!(proof.steps <= steps_max, "{} steps", proof.steps);
    proof.steps
}

/// Bounded, and not proven.
#[track_caller]
fn ends(contract: &str, advertised: &str) -> Proof {
    let options = Options { unknown_keys: UnknownKeys::AsWritten, ..Options::default() };
    let proof = prove(contract, advertised, &options).unwrap();
    assert_ne!(proof.verdict, Verdict::Proven);
    assert!(proof.steps <= options.steps_max * 2, "{} steps", proof.steps);
    proof
}

/// A union of objects told apart by a tag, each with keys of its own.
fn tagged(variants: usize, is_closed: bool) -> Value {
    let variant = |number: usize| {
        let own = format!("own{number}");
        let mut variant = json!({
            "type": "object",
            "properties": { "kind": { "const": format!("k{number}") }, own.clone(): { "type": "string" } },
            "required": ["kind", own],
        });
        if is_closed {
            variant["additionalProperties"] = json!(false);
        }
        variant
    };
    json!({ "oneOf": (0..variants).map(variant).collect::<Vec<_>>() })
}

/// The object that admits what each variant admits.
fn joined(variants: usize, is_closed: bool) -> Value {
    let words: Vec<String> = (0..variants).map(|number| format!("k{number}")).collect();
    let mut properties = json!({ "kind": { "enum": words } });
    for number in 0..variants {
        properties[format!("own{number}")] =
            if is_closed { json!({ "type": "string" }) } else { json!({ "description": "any" }) };
    }
    let mut joined = json!({ "type": "object", "properties": properties, "required": ["kind"] });
    if is_closed {
        joined["additionalProperties"] = json!(false);
    }
    joined
}

#[test]
fn wide_unions_take_steps_in_proportion() {
    for is_closed in [true, false] {
        let steps = |variants| proven(&tagged(variants, is_closed), &joined(variants, is_closed), 400_000);
        let (few, many) = (steps(100), steps(800));
        println!("closed {is_closed}: {few} steps for 100 variants, {many} for 800");
        assert!(many < few * 12, "{few} steps for 100 variants, {many} for 800");
    }
}

#[test]
fn wide_unions_within_their_own_text_take_steps_in_proportion() {
    for keyword in ["oneOf", "anyOf"] {
        let mut contract = tagged(800, false);
        let members = contract["oneOf"].take();
        contract = json!({ "type": "object", keyword: members });
        let mut stated = contract.clone();
        stated["unevaluatedProperties"] = json!(false);
        let options = Options::default();
        let proof = prove(&contract.to_string(), &stated.to_string(), &options).unwrap();
        println!("{keyword}: {} steps", proof.steps);
        assert_eq!(proof.verdict, Verdict::Proven);
        assert!(proof.steps < 1_000_000, "{} steps", proof.steps);
    }
}

#[test]
fn the_same_union_twice_is_cut_by_its_tags() {
    let contract = json!({ "allOf": [tagged(60, false), tagged(60, false)] });
    proven(&contract, &joined(60, false), 400_000);
}

#[test]
fn conjoined_unions_multiply_within_the_budget() {
    let union = |number: usize| {
        let member = |word: &str| json!({ "properties": { format!("k{number}"): { "const": word } }, "required": [format!("k{number}")] });
        json!({ "anyOf": [member("a"), member("b"), member("c")] })
    };
    let contract = json!({ "type": "object", "allOf": (0..8).map(union).collect::<Vec<_>>() });
    // What is asked says nothing about the choices, so none is made.
    proven(&contract, &json!({ "type": "object" }), 2_000);
    // Here all 6,561 combinations are.
    let names: Vec<String> = (0..8).map(|number| format!("k{number}")).collect();
    let words: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({ "enum": ["a", "b", "c"] }))).collect();
    proven(&contract, &json!({ "type": "object", "properties": words, "required": names }), 2_000_000);
    // And here they are too many.
    let contract = json!({ "type": "object", "allOf": (0..20).map(union).collect::<Vec<_>>() });
    let proof = ends(&contract.to_string(), &json!({ "required": ["k0", "k19", "no"] }).to_string());
    assert!(matches!(proof.verdict, Verdict::Unknown { keyword: "budget", .. } | Verdict::Refuted { .. }), "{proof:?}");
}

#[test]
fn doubled_unions_end() {
    let mut definitions = json!({ "s40": { "type": "object" } });
    for number in 0..40 {
        let next = format!("#/$defs/s{}", number + 1);
        definitions[format!("s{number}")] = json!({ "anyOf": [
            { "title": "one", "allOf": [{ "$ref": next }], "required": [format!("a{number}")] },
            { "title": "two", "allOf": [{ "$ref": next }], "required": [format!("b{number}")] },
        ] });
    }
    let contract = json!({ "$ref": "#/$defs/s0", "$defs": definitions });
    ends(&contract.to_string(), r#"{"required":["zz"]}"#);
    proven(&contract, &json!({ "type": "object" }), 2_000_000);
}

#[test]
fn long_chains_of_references_end() {
    let chain = |count: usize, keyword: &str| {
        let mut definitions = serde_json::Map::new();
        for number in 0..count {
            let next = format!("#/$defs/s{}", number + 1);
            definitions.insert(
                format!("s{number}"),
                if keyword.is_empty() {
                    json!({ "$ref": next })
                } else {
                    json!({ "type": "object", "properties": { keyword: { "$ref": next } } })
                },
            );
        }
        definitions.insert(format!("s{count}"), json!({ "type": "object", "maxProperties": 3 }));
        json!({ "$ref": "#/$defs/s0", "$defs": definitions })
    };
    proven(&chain(20_000, ""), &json!({ "maxProperties": 3 }), 2_000_000);
    ends(&chain(20_000, "").to_string(), r#"{"maxProperties":2}"#);
    proven(&chain(5_000, "a"), &json!({ "type": "object" }), 100_000);
    let deep = chain(5_000, "a").to_string();
    let proof = ask(&deep, &deep);
    assert!(matches!(proof.verdict, Verdict::Proven | Verdict::Unknown { keyword: "budget", .. }), "{proof:?}");
}

#[test]
fn schemas_that_apply_themselves_to_the_same_value_are_unknown() {
    for contract in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}"##,
        r##"{"if":{"$ref":"#"},"then":true}"##,
    ] {
        let verdict = ask(contract, r#"{"type":"object"}"#).verdict;
        assert!(matches!(verdict, Verdict::Unknown { keyword: "$ref", .. }), "{contract}: {verdict:?}");
        let verdict = ask(r#"{"type":"object"}"#, contract).verdict;
        assert!(matches!(verdict, Verdict::Unknown { keyword: "$ref", .. }), "{contract}: {verdict:?}");
    }
}

#[test]
fn enormous_numbers_are_numbers() {
    let side = |keyword: &str, number: &str| {
        format!("{{\"properties\":{{\"a\":{{\"type\":\"integer\",\"{keyword}\":{number}}}}}}}")
    };
    for (narrow, wide) in [("1e400", "1e401"), ("12345678901234567890", "12345678901234567891"), ("1e9999", "1e10000")]
    {
        assert_eq!(ask(&side("maximum", narrow), &side("maximum", wide)).verdict, Verdict::Proven, "{narrow}");
        assert_ne!(ask(&side("maximum", wide), &side("maximum", narrow)).verdict, Verdict::Proven, "{wide}");
    }
    let nines = "9".repeat(901);
    assert_eq!(ask(&side("multipleOf", "1e300"), &side("multipleOf", "10")).verdict, Verdict::Proven);
    assert_ne!(ask(&side("multipleOf", &nines), &side("multipleOf", "7")).verdict, Verdict::Proven);
    assert_eq!(ask(&side("minimum", "0"), &side("minimum", "-1e-9999")).verdict, Verdict::Proven);
    for enormous in ["1e10001".to_owned(), "1".repeat(1_001)] {
        let options = Options::default();
        assert!(prove(&side("maximum", &enormous), "{}", &options).is_err());
    }
}

#[test]
fn counts_beyond_every_machine_are_no_work() {
    let contract = r#"{"properties":{"a":{"type":"array","minItems":1000000000000,"items":{"type":"string","minLength":1e30}}},"required":["a"]}"#;
    ends(contract, r#"{"properties":{"a":{"maxItems":3}}}"#);
    let contract = r#"{"minProperties":123456789}"#;
    ends(contract, r#"{"maxProperties":5}"#);
}

#[test]
fn deep_documents_are_refused_or_end() {
    let nest = |depth: usize| format!("{}{{}}{}", "{\"properties\":{\"a\":".repeat(depth), "}}".repeat(depth));
    assert!(prove(&nest(5_000), "{}", &Options::default()).is_err());
    assert_eq!(ask(&nest(70), &nest(70)).verdict, Verdict::Proven);
    assert_eq!(ask(&nest(70), &nest(69)).verdict, Verdict::Proven);
    let typed = |depth: usize, kind: &str| nest(depth).replace("{}", &format!("{{\"type\":\"{kind}\"}}"));
    ends(&typed(70, "integer"), &typed(70, "string"));
}

#[test]
fn a_small_budget_is_an_unknown() {
    let options = Options { steps_max: 20, unknown_keys: UnknownKeys::AsWritten, ..Options::default() };
    let proof = prove(&tagged(100, true).to_string(), &joined(100, true).to_string(), &options).unwrap();
    assert!(matches!(proof.verdict, Verdict::Unknown { keyword: "budget", .. }), "{proof:?}");
}

#[test]
fn the_open_object_is_always_proven() {
    // Which keys are evaluated where is too much to be followed here; what takes any object takes them all.
    let conditional = json!({ "if": false, "else": { "oneOf": [{ "unevaluatedProperties": {} }] } });
    let unions: Vec<Value> = (0..40)
        .map(|n| json!({ "anyOf": [{ "required": [format!("a{n}")] }, { "properties": { format!("b{n}"): {} } }] }))
        .collect();
    let multiplied = json!({ "allOf": unions });
    let open = r#"{"type":"object","properties":{},"additionalProperties":true}"#;
    for contract in [conditional, multiplied] {
        for unknown_keys in [UnknownKeys::AsWritten, UnknownKeys::CloseRoot, UnknownKeys::CloseDeclared] {
            let options = Options { unknown_keys, steps_max: 100, ..Options::default() };
            assert_eq!(prove(&contract.to_string(), open, &options).unwrap().verdict, Verdict::Proven, "{contract}");
        }
    }
}

#[test]
fn a_condition_that_never_holds_leaves_the_other_branch() {
    let contract = json!({ "if": false, "else": { "properties": { "a": { "type": "integer" } } } });
    let shown = r#"{"type":"object","properties":{"a":{"type":"number"}},"additionalProperties":false}"#;
    let proof = prove(&contract.to_string(), shown, &Options::default()).unwrap();
    assert_eq!(proof.verdict, Verdict::Proven);
}

#[test]
fn a_list_ends_where_an_item_can_have_no_value() {
    let never = json!({ "allOf": [{ "const": 1 }, { "const": "1" }] });
    let list = |list: Value| json!({ "type": "object", "properties": { "a": list } });
    let shown = |max: u64| list(json!({ "type": "array", "maxItems": max }));
    let all = list(json!({ "type": "array", "items": never }));
    let second = list(json!({ "type": "array", "prefixItems": [{}, never] }));
    proven(&all, &shown(0), 10_000);
    proven(&second, &shown(1), 10_000);
    ends(&second.to_string(), &shown(0).to_string());
}

/// Counts beyond what a machine can count are as good as no end, and no reason to come out at the other one.
#[test]
fn a_count_beyond_all_counting_is_not_taken_for_a_small_one() {
    let steps = vec![DecodeStep::NullMeansAbsent { location: "/a".to_owned() }];
    let options = Options { unknown_keys: UnknownKeys::AsWritten, decode: steps, ..Options::default() };
    let nullable = json!({ "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] });
    for count in ["18446744073709551615", "18446744073709551616", "1e20"] {
        let contract = format!(r#"{{ "properties": {{ "a": {{ "type": "string" }} }}, "maxProperties": {count} }}"#);
        let mut shown = nullable.clone();
        shown["maxProperties"] = json!(3);
        let proof = prove(&contract, &shown.to_string(), &options).unwrap();
        assert_ne!(proof.verdict, Verdict::Proven, "{contract}");
        for keyword in ["minProperties", "minItems", "minLength"] {
            let any = Options { any_root: true, ..options.clone() };
            let contract = format!(r#"{{ "{keyword}": {count} }}"#);
            assert_ne!(prove(&contract, r#"{ "type": "boolean" }"#, &any).unwrap().verdict, Verdict::Proven);
            let contract = format!(r#"{{ "properties": {{ "a": {contract} }} }}"#);
            let members = Sampler::new(&contract, SamplerOptions::default()).unwrap().take(4);
            assert!(members.count() > 0, "there are members of other kinds");
        }
    }
}

/// `required` and `dependentSchemas` say nothing of a value that is no object.
#[test]
fn a_dependent_schema_says_nothing_of_other_kinds() {
    let shown = r#"{"properties":{"a":{"type":"object"}},"additionalProperties":false}"#;
    for dependent in [
        r#"{"required":["z"],"dependentSchemas":{"z":{"type":"object"}}}"#,
        r#"{"allOf":[{"required":["z"]},{"dependentSchemas":{"z":{"type":"object"}}}]}"#,
    ] {
        let contract = format!(r#"{{"properties":{{"a":{dependent}}},"additionalProperties":false}}"#);
        let proof = ask(&contract, shown);
        assert!(matches!(proof.verdict, Verdict::Refuted { .. }), "{:?}", proof.verdict);
        let object = format!(
            r#"{{"properties":{{"a":{{"type":"object","allOf":[{dependent}]}}}},"additionalProperties":false}}"#
        );
        let narrowed = r#"{"properties":{"a":{"type":"object","dependentSchemas":{"z":{"type":"object"}}}},"additionalProperties":false}"#;
        assert_eq!(ask(&object, narrowed).verdict, Verdict::Proven);
    }
}

/// As deep as a contract can be that is judged (256 levels of JSON), it can be shown.
#[test]
fn the_deepest_contract_is_proven_to_be_any_object() {
    let mut contract = json!({ "type": "object" });
    for _ in 0..127 {
        contract = json!({ "type": "object", "properties": { "a": contract } });
    }
    let contract = contract.to_string();
    assert_eq!(ask(&contract, r#"{"type":"object"}"#).verdict, Verdict::Proven);
    assert_eq!(ask(&contract, &contract).verdict, Verdict::Proven);
}

/// Each is looked up where it is noted: a look through all of them for each would take minutes here.
#[test]
fn names_of_schemas_are_found_among_many() {
    for (keyword, reference) in [("$anchor", "#"), ("$id", "https://example.com/")] {
        let name =
            |number: usize| if keyword == "$anchor" { format!("a{number}") } else { format!("{reference}a{number}") };
        let property = |number: usize| (format!("p{number}"), json!({ "$ref": format!("{reference}a{number}") }));
        let named = |number: usize| (format!("d{number}"), json!({ keyword: name(number), "type": "string" }));
        let properties: serde_json::Map<String, Value> = (0..12_000).map(property).collect();
        let named: serde_json::Map<String, Value> = (0..12_000).map(named).collect();
        let schema = json!({ "type": "object", "properties": properties, "$defs": named });
        proven(&schema, &schema, 60_000);
    }
}
