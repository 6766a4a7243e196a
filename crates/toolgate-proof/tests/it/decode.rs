//! Decode steps under attack: random closed contracts in the form that strict readers force, every key required and nullable,
//! some keys under other names. What is called proven is covered for every member that is found.

use crate::support::random::Random;
use crate::support::schemas::Maker;
use serde_json::{Map, Value, json};
use toolgate_proof::{DecodeStep, Options, Sampler, SamplerOptions, UnknownKeys, Verdict, prove};

/// The strict form of a schema, the steps that it takes, and what is sent for a value.
struct Strict {
    steps: Vec<DecodeStep>,
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn is_strict_object(schema: &Value) -> bool {
    let plain = ["type", "properties", "required", "additionalProperties"];
    schema["type"] == "object"
        && schema["additionalProperties"] == json!(false)
        && schema["properties"].is_object()
        && schema.as_object().unwrap().keys().all(|keyword| plain.contains(&keyword.as_str()))
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().into_iter().flatten().any(|known| known == name)
}

/// The name that a key is sent under.
fn sent(name: &str) -> String {
    if name.contains('/') { name.replace('/', "_") } else { name.to_owned() }
}

impl Strict {
    fn schema(&mut self, schema: &Value, location: &str) -> Value {
        if is_strict_object(schema) {
            let mut properties = Map::new();
            for (name, child) in schema["properties"].as_object().unwrap() {
                let below = format!("{location}/{}", escape(name));
                let mut child = self.schema(child, &below);
                if !requires(schema, name) {
                    child = json!({ "anyOf": [child, { "type": "null" }] });
                    self.steps.push(DecodeStep::NullMeansAbsent { location: below });
                }
                if sent(name) != *name {
                    let location = location.to_owned();
                    self.steps.push(DecodeStep::Rename { location, name: name.clone(), sent: sent(name) });
                }
                properties.insert(sent(name), child);
            }
            let required: Vec<String> = properties.keys().cloned().collect();
            return json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        }
        let mut strict = schema.clone();
        if schema.get("items").is_some_and(Value::is_object) && schema.get("prefixItems").is_none() {
            strict["items"] = self.schema(&schema["items"], &format!("{location}/*"));
        }
        strict
    }
}

/// What is sent for a member, `None` where nothing can be.
fn encoded(value: &Value, schema: &Value) -> Option<Value> {
    match value {
        Value::Object(members) if is_strict_object(schema) => {
            let mut out = Map::new();
            for (name, child) in schema["properties"].as_object().unwrap() {
                let value = match members.get(name) {
                    Some(Value::Null) if !requires(schema, name) => return None,
                    Some(value) => encoded(value, child)?,
                    None => Value::Null,
                };
                out.insert(sent(name), value);
            }
            Some(Value::Object(out))
        }
        Value::Array(items)
            if schema.get("items").is_some_and(Value::is_object) && schema.get("prefixItems").is_none() =>
        {
            items.iter().map(|item| encoded(item, &schema["items"])).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        value => Some(value.clone()),
    }
}

#[test]
fn what_is_proven_through_decode_steps_is_covered() {
    let (mut proven, mut refuted, mut unknown, mut covered) = (0, 0, 0, 0);
    let count = std::env::var("TOOLGATE_PROOF_SEEDS").ok().map_or(600, |count| count.parse().unwrap());
    for seed in 0..count {
        let mut random = Random::new(seed ^ 0x5717);
        let mut contract = Maker::new(&mut random).object(3);
        contract["additionalProperties"] = json!(false);
        for keyword in [
            "minProperties",
            "maxProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "patternProperties",
        ] {
            contract.as_object_mut().unwrap().remove(keyword);
        }
        if !is_strict_object(&contract) {
            continue;
        }
        let mut strict = Strict { steps: Vec::new() };
        let mut advertised = strict.schema(&contract, "");
        // Now and then something that the steps do not make up for.
        if random.once_in(4) {
            let names: Vec<String> = advertised["properties"].as_object().unwrap().keys().cloned().collect();
            if !names.is_empty() {
                advertised["properties"][&names[random.below(names.len())]] = json!({ "type": "string" });
            }
        }
        let options = Options { unknown_keys: UnknownKeys::AsWritten, decode: strict.steps, ..Options::default() };
        let proof = prove(&contract.to_string(), &advertised.to_string(), &options).unwrap();
        let reader = jsonschema::validator_for(&advertised).unwrap();
        let sampling = SamplerOptions {
            unknown_keys: UnknownKeys::AsWritten,
            seed,
            steps_max: 100_000,
            ..SamplerOptions::default()
        };
        let members: Vec<Value> = Sampler::new(&contract.to_string(), sampling)
            .unwrap()
            .take(30)
            .filter(|text| !text.contains("12345678901234567890") && !text.contains("9007199254740993"))
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect();
        let told = || format!("seed {seed}\ncontract {contract}\nadvertised {advertised}\n{:?}", options.decode);
        let is_covered = |member: &Value| encoded(member, &contract).is_some_and(|sent| reader.is_valid(&sent));
        match proof.verdict {
            Verdict::Proven => {
                proven += 1;
                for member in &members {
                    assert!(is_covered(member), "called proven, and nothing is read as {member}\n{}", told());
                    covered += 1;
                }
            }
            Verdict::Refuted { counterexample, .. } => {
                refuted += 1;
                let member = serde_json::from_str(&counterexample).unwrap();
                assert!(jsonschema::validator_for(&contract).unwrap().is_valid(&member), "{member}\n{}", told());
                assert!(!is_covered(&member), "{member} is covered\n{}", told());
            }
            _ => unknown += 1,
        }
    }
    println!("{proven} proven ({covered} members covered), {refuted} refuted, {unknown} unknown");
    assert!(proven > unknown && refuted > 0 && covered > 500);
}

fn proves(contract: &Value, advertised: &Value, decode: Vec<DecodeStep>) -> Verdict {
    let options = Options { unknown_keys: UnknownKeys::AsWritten, decode, ..Options::default() };
    prove(&contract.to_string(), &advertised.to_string(), &options).unwrap().verdict
}

fn enum_text(location: &str) -> DecodeStep {
    DecodeStep::EnumText { location: location.into() }
}

#[test]
fn where_nothing_is_asked_a_value_still_has_to_be_one_that_can_be_sent() {
    // The text "1" below `a` can be sent by nothing: it is read as the number.
    let contract = json!({ "type": "object", "properties": { "a": {} } });
    for shown in [json!({}), json!({ "type": "object" }), json!({ "type": "object", "properties": { "a": {} } })] {
        for location in ["/a", "/a/n", "/*/n", "/a/*"] {
            assert_ne!(proves(&contract, &shown, vec![enum_text(location)]), Verdict::Proven, "{shown} {location}");
        }
    }
    let numbers = json!({ "type": "object", "properties": { "a": { "enum": [1] } }, "additionalProperties": false });
    assert_eq!(proves(&numbers, &json!({ "type": "object" }), vec![enum_text("/a")]), Verdict::Proven);
}

#[test]
fn a_location_of_any_name_is_not_that_of_one_with_steps_of_its_own() {
    let one = json!({ "enum": [1] });
    let contract =
        json!({ "type": "object", "properties": { "a": one }, "required": ["a"], "additionalProperties": one });
    let shown =
        |a: Value| json!({ "type": "object", "properties": { "a": a }, "additionalProperties": { "enum": ["1"] } });
    let named = DecodeStep::EnumCase { location: "/a".into() };
    let steps = || vec![enum_text("/*"), named.clone()];
    assert_ne!(proves(&contract, &shown(json!({ "enum": ["1"] })), steps()), Verdict::Proven);
    assert_eq!(proves(&contract, &shown(json!({ "enum": [1] })), steps()), Verdict::Proven);
    assert_eq!(proves(&contract, &shown(json!({ "enum": ["1"] })), vec![enum_text("/*")]), Verdict::Proven);
}
