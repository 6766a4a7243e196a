//! The shared cases of what is shown, asked of the library and judged by an independent validator.

use regex::Regex;
use serde_json::{Value, json};
use std::path::Path;
use toolgate::{Alias, Arguments, Contract, Origin, Policy, Profile, Published, RootPolicy, UnknownKeys, Verdict};

fn load() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/advertise.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["format"], "toolgate-cases/1");
    file["cases"].as_array().unwrap().clone()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn policy(request: &Value) -> Policy {
    let mut policy = Policy::default();
    if request["origin"] == "discovered" {
        policy.origin = Origin::Discovered;
    }
    policy.unknown_keys = match request["unknown_keys"].as_str() {
        Some("close-declared") => UnknownKeys::CloseDeclared,
        Some("as-written") => UnknownKeys::AsWritten,
        _ => UnknownKeys::CloseRoot,
    };
    for (name, former) in request["aliases"].as_object().into_iter().flatten() {
        policy.aliases.push(Alias { at: String::new(), name: name.clone(), former: strings(former) });
    }
    policy
}

struct Answer {
    contract: Contract,
    published: Published,
    schema: Value,
}

fn answer(request: &Value) -> Option<Answer> {
    let text = match request["schema_text"].as_str() {
        Some(text) => text.to_owned(),
        None => request["schema"].to_string(),
    };
    let contract = Contract::from_text_with(&text, &policy(request)).ok()?;
    let profile = Profile::named(request["profile"].as_str().unwrap_or("portable")).unwrap();
    let published = contract.publish(profile, RootPolicy::Stated).ok()?;
    let schema = serde_json::from_str(&published.advertised.schema).unwrap();
    Some(Answer { contract, published, schema })
}

/// Every schema position with the keyword that it stands under.
fn positions<'v>(schema: &'v Value, keyword: &'v str, found: &mut Vec<(&'v str, &'v Value)>) {
    found.push((keyword, schema));
    for (name, value) in schema.as_object().into_iter().flatten() {
        match name.as_str() {
            "not"
            | "if"
            | "then"
            | "else"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "propertyNames"
            | "contains" => positions(value, name, found),
            "items" | "allOf" | "anyOf" | "oneOf" | "prefixItems" if value.is_array() => {
                value.as_array().unwrap().iter().for_each(|inner| positions(inner, name, found));
            }
            "items" => positions(value, name, found),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                value.as_object().into_iter().flatten().for_each(|(_, inner)| positions(inner, name, found));
            }
            _ => {}
        }
    }
}

/// `nullable: true` admits null for the readers that write it.
fn loosened(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    let inner = members.iter().map(|(name, value)| {
        let value = match value {
            Value::Object(named) if name == "properties" || name == "$defs" => {
                Value::Object(named.iter().map(|(name, inner)| (name.clone(), loosened(inner))).collect())
            }
            Value::Array(list) if name == "anyOf" => list.iter().map(loosened).collect(),
            Value::Object(_) if name == "items" || name == "additionalProperties" => loosened(value),
            _ => value.clone(),
        };
        (name.clone(), value)
    });
    let inner = Value::Object(inner.collect());
    if schema["nullable"] == true { json!({ "anyOf": [inner, { "type": "null" }] }) } else { inner }
}

fn sorted(value: &Value) -> Vec<String> {
    let mut words: Vec<String> = value.as_array().into_iter().flatten().map(Value::to_string).collect();
    words.sort();
    words
}

/// Why a fact does not hold.
fn fact(fact: &Value, answer: &Answer, request: &Value) -> Result<(), String> {
    let schema = &answer.schema;
    let mut all = Vec::new();
    positions(schema, "", &mut all);
    let objects = || all.iter().filter_map(|(keyword, schema)| schema.as_object().map(|object| (*keyword, object)));
    let holds = |is_so: bool, what: &str| if is_so { Ok(()) } else { Err(format!("{what}: {schema}")) };
    let patterns = || objects().filter_map(|(_, object)| object.get("pattern")?.as_str());
    for (name, expected) in fact.as_object().unwrap() {
        match name.as_str() {
            "scope" | "equals" | "not_equals" | "set_equals" => {}
            "root_type" => holds(schema["type"] == *expected, "root type")?,
            "root_has" => holds(strings(expected).iter().all(|name| schema.get(name).is_some()), "root has")?,
            "no_keyword" => {
                for keyword in strings(expected) {
                    let is_root = fact["scope"] == "root";
                    let stands = if is_root {
                        schema.get(&keyword).is_some()
                    } else {
                        objects().any(|(_, object)| object.contains_key(&keyword))
                    };
                    holds(!stands, &keyword)?;
                }
            }
            "required_equals" | "required_set_equals" => {
                holds(sorted(&schema["required"]) == sorted(expected), "required")?;
            }
            "advertises" => {
                holds(strings(expected).iter().all(|name| schema["properties"].get(name).is_some()), "advertises")?;
            }
            "property_count" => {
                holds(schema["properties"].as_object().unwrap().len() as u64 == expected.as_u64().unwrap(), "count")?;
            }
            "pointer" => {
                let value = schema.pointer(expected.as_str().unwrap()).ok_or("nothing at the pointer")?;
                if let Some(equals) = fact.get("equals") {
                    holds(value == equals, "equals")?;
                }
                if let Some(other) = fact.get("not_equals") {
                    holds(value != other, "not_equals")?;
                }
                if let Some(set) = fact.get("set_equals") {
                    holds(sorted(value) == sorted(set), "set_equals")?;
                }
            }
            "pointer_absent" => holds(schema.pointer(expected.as_str().unwrap()).is_none(), "pointer_absent")?,
            "pointer_present" => holds(schema.pointer(expected.as_str().unwrap()).is_some(), "pointer_present")?,
            "pointer_not" => {
                holds(schema.pointer(expected[0].as_str().unwrap()) != Some(&expected[1]), "pointer_not")?;
            }
            "not_said" => {
                let line = format!("{:?}", answer.published.advertised);
                holds(strings(expected).iter().all(|word| !line.contains(word)), "not_said")?;
            }
            "refs_resolve" => {
                let mut references = objects().filter_map(|(_, object)| object.get("$ref")?.as_str());
                let resolves = |reference: &str| {
                    reference.strip_prefix('#').is_some_and(|pointer| schema.pointer(pointer).is_some())
                };
                holds(references.all(resolves), "refs")?;
            }
            "no_items_array" => {
                holds(objects().all(|(_, object)| !object.get("items").is_some_and(Value::is_array)), name)?
            }
            "every_array_has_items" => {
                let is_array = |kind: Option<&Value>| kind.is_some_and(|kind| kind.to_string().contains("\"array\""));
                let is_bare = |object: &serde_json::Map<String, Value>| {
                    is_array(object.get("type")) && !object.contains_key("items") && !object.contains_key("prefixItems")
                };
                holds(objects().all(|(_, object)| !is_bare(object)), name)?;
            }
            "no_type_list" => {
                holds(objects().all(|(_, object)| !object.get("type").is_some_and(Value::is_array)), name)?
            }
            "no_boolean_schema" => {
                let is_policy = |keyword: &str| matches!(keyword, "additionalProperties" | "unevaluatedProperties");
                holds(all.iter().all(|(keyword, schema)| !schema.is_boolean() || is_policy(keyword)), name)?;
            }
            "no_empty_schema" => holds(objects().all(|(_, object)| !object.is_empty()), name)?,
            "no_boolean_exclusive" => {
                let bounds = ["exclusiveMinimum", "exclusiveMaximum"];
                let is_boolean = |object: &serde_json::Map<String, Value>| {
                    bounds.iter().any(|keyword| object.get(*keyword).is_some_and(Value::is_boolean))
                };
                holds(objects().all(|(_, object)| !is_boolean(object)), name)?;
            }
            "no_lookaround" => {
                holds(patterns().all(|pattern| !pattern.contains("(?=") && !pattern.contains("(?!")), name)?
            }
            "no_unanchored_pattern" => {
                holds(patterns().all(|pattern| pattern.starts_with('^') && pattern.ends_with('$')), name)?;
            }
            "no_pattern_invalid_in_re2" => holds(patterns().all(|pattern| Regex::new(pattern).is_ok()), name)?,
            "no_bound_above" => {
                let keywords = ["maxLength", "maxItems", "minLength", "minItems", "maxProperties"];
                let is_above = |object: &serde_json::Map<String, Value>| {
                    keywords.iter().any(|keyword| {
                        object
                            .get(*keyword)
                            .and_then(Value::as_u64)
                            .is_some_and(|bound| bound > expected.as_u64().unwrap())
                    })
                };
                holds(objects().all(|(_, object)| !is_above(object)), name)?;
            }
            "enum_strings_only" | "no_empty_enum_word" => {
                let words = objects().filter_map(|(_, object)| object.get("enum")?.as_array()).flatten();
                let fits = |word: &Value| word.is_string() && (name == "enum_strings_only" || word != "");
                holds(words.into_iter().all(fits), name)?;
            }
            "format_only" => {
                let formats = objects().filter_map(|(_, object)| object.get("format")?.as_str());
                let known = strings(expected);
                holds(formats.into_iter().all(|format| known.iter().any(|known| known == format)), name)?;
            }
            "not_strict" => holds(!answer.published.advertised.is_strict, name)?,
            "property_keys_match" => {
                let rule = Regex::new(expected.as_str().unwrap()).unwrap();
                let names = objects().filter_map(|(_, object)| object.get("properties")?.as_object()).flatten();
                holds(names.into_iter().all(|(name, _)| rule.is_match(name)), name)?;
            }
            "renames_reversible" => {
                let steps = answer.published.advertised.decode.iter();
                let renames = steps.filter(|step| matches!(step, toolgate::DecodeStep::Rename { .. })).count();
                holds(renames >= expected.as_array().unwrap().len(), name)?;
            }
            "description_has" => {
                let texts = objects().filter_map(|(_, object)| object.get("description")?.as_str());
                let text = texts.collect::<Vec<_>>().join(" ");
                holds(strings(expected).iter().all(|word| text.contains(word)), name)?;
            }
            "noted" => {
                let is_said = objects().any(|(_, object)| object.contains_key("description"));
                holds(is_said || !answer.published.advertised.notes.is_empty(), name)?;
            }
            "deterministic" => {
                let again = self::answer(request).unwrap();
                holds(again.published.advertised == answer.published.advertised, name)?;
            }
            // Every answer of ours was proven; the contract and the form are held against each other again elsewhere.
            "prove_agrees" => holds(answer.published.proof.verdict == Verdict::Proven, name)?,
            "call_accepts" | "call_refuses" => {
                for call in strings(expected) {
                    let admitted = answer.contract.check(Arguments::from_text(&call)).is_ok();
                    holds(admitted == (name == "call_accepts"), &call)?;
                }
            }
            other => return Err(format!("the case has an unknown fact {other}")),
        }
    }
    Ok(())
}

fn meets(expected: &Value, answer: Option<&Answer>, request: &Value) -> Result<(), String> {
    let status = expected["status"].as_str().unwrap_or("advertised");
    let Some(answer) = answer else {
        return if status == "quarantined" { Ok(()) } else { Err("nothing is shown".into()) };
    };
    if status != "advertised" {
        return Err(format!("shown: {}", answer.schema));
    }
    for one in expected["facts"].as_array().into_iter().flatten() {
        fact(one, answer, request)?;
    }
    let validator = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(false)
        .build(&loosened(&answer.schema))
        .map_err(|error| error.to_string())?;
    for (field, is_admitted) in [("members", true), ("non_members", false)] {
        for text in strings(&expected[field]) {
            let value: Value = serde_json::from_str(&text).unwrap();
            if validator.is_valid(&value) != is_admitted {
                return Err(format!("{field}: {text} by {}", answer.schema));
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_shown_is_as_the_cases_say() {
    let cases = load();
    let mut failed = Vec::new();
    for case in &cases {
        let answer = answer(&case["request"]);
        let expected = &case["expect"];
        let alternatives = std::iter::once(expected).chain(expected["also_ok"].as_array().into_iter().flatten());
        let outcomes: Vec<_> =
            alternatives.map(|expected| meets(expected, answer.as_ref(), &case["request"])).collect();
        if !outcomes.iter().any(Result::is_ok) {
            failed.push(format!("{}: {}", case["id"], outcomes[0].as_ref().unwrap_err()));
        }
        if let Some(answer) = &answer {
            assert_eq!(answer.published.proof.verdict, Verdict::Proven, "{}", case["id"]);
            let refuted = |verdict: &Verdict| matches!(verdict, Verdict::Refuted { .. });
            let fell_back = answer.published.fell_back.as_ref();
            assert!(!fell_back.is_some_and(|fell_back| refuted(&fell_back.verdict)), "{}", case["id"]);
        }
    }
    assert!(cases.len() >= 150 && failed.is_empty(), "{} of {}:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// What is shown of a schema for a profile, with its notes.
fn shown_with_notes(schema: &Value, profile: &str) -> (Value, Vec<String>) {
    let contract = Contract::compile(schema).unwrap();
    let shown = contract.publish(Profile::named(profile).unwrap(), RootPolicy::Stated).unwrap();
    assert_eq!(shown.proof.verdict, Verdict::Proven);
    let notes = shown.advertised.notes.iter().map(|note| format!("{} {}", note.location, note.what));
    (serde_json::from_str(&shown.advertised.schema).unwrap(), notes.collect())
}

#[test]
fn a_header_is_shown_where_the_transport_takes_it() {
    let text = |header: Value| json!({"type": "string", "x-mcp-header": header});
    let schema = json!({"type": "object", "properties": {
        "a": text(json!("Region")), "again": text(json!("REGION")), "empty": text(json!("")),
        "line": text(json!("bad header\r\nX: y")), "accent": text(json!("\u{e9}")), "number": text(json!(5)),
        "list": {"type": "array", "items": text(json!("Item"))},
        "o": {"type": "object", "properties": {"deep": {"type": "integer", "x-mcp-header": "Deep"}}},
    }});
    let (shown, notes) = shown_with_notes(&schema, "portable");
    let written = shown.to_string();
    assert_eq!(written.matches("x-mcp-header").count(), 2, "{written}");
    assert_eq!(shown["properties"]["a"]["x-mcp-header"], "Region");
    assert_eq!(shown["properties"]["o"]["properties"]["deep"]["x-mcp-header"], "Deep");
    for (place, why) in [
        ("/again", "another property has it"),
        ("/empty", "it is no name of a header"),
        ("/line", "it is no name of a header"),
        ("/accent", "it is no name of a header"),
        ("/number", "it is no text"),
        ("/list/*", "the place is not reached by `properties` alone"),
    ] {
        let note = format!("{place} x-mcp-header is left out: {why}");
        assert!(notes.contains(&note), "{note}: {notes:?}");
    }
}

#[test]
fn kinds_of_which_no_value_is_left_are_not_shown() {
    let of = |place: Value| {
        let schema = json!({"type": "object", "properties": {"v": place}});
        shown_with_notes(&schema, "portable").0["properties"].get("v").map(|shown| shown["type"].clone())
    };
    assert_eq!(of(json!({"type": ["integer", "string"], "minimum": 5, "maximum": 1})), Some(json!("string")));
    assert_eq!(of(json!({"type": ["integer", "string"], "minimum": 5, "exclusiveMaximum": 5})), Some(json!("string")));
    assert_eq!(
        of(json!({"type": ["integer", "string"], "minimum": 5, "maximum": 5})),
        Some(json!(["string", "integer"]))
    );
    assert_eq!(of(json!({"type": ["array", "null"], "minItems": 2, "maxItems": 1})), Some(json!("null")));
    assert_eq!(of(json!({"type": "string", "minLength": 2, "maxLength": 1})), None);
}

#[test]
fn a_step_that_all_forms_keep_is_shown() {
    let of = |left: f64, right: f64| {
        let form = |step: f64| json!({"type": "number", "multipleOf": step});
        let schema = json!({"type": "object", "properties": {"v": {"anyOf": [form(left), form(right)]}}});
        shown_with_notes(&schema, "portable").0["properties"]["v"]["multipleOf"].clone()
    };
    assert_eq!(of(0.1, 0.15), json!(0.05));
    assert_eq!(of(2.5, 0.5), json!(0.5));
}

#[test]
fn a_default_does_not_depend_on_the_order_of_a_document() {
    let a = ("a", json!({"$ref": "#/properties/b", "default": 1}));
    let b = ("b", json!({"$ref": "#/definitions/n", "default": 2}));
    let shown = |properties: [&(&str, Value); 2]| {
        let properties: serde_json::Map<String, Value> =
            properties.into_iter().map(|(name, place)| ((*name).to_owned(), place.clone())).collect();
        let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": properties, "definitions": {"n": {"type": "integer", "default": 3}}});
        let shown = shown_with_notes(&schema, "portable").0;
        ["a", "b"].map(|name| shown["properties"][name].get("default").cloned())
    };
    assert_eq!(shown([&a, &b]), shown([&b, &a]));
    assert_eq!(shown([&a, &b])[1], Some(json!(2)));
}

#[test]
fn the_open_object_is_written_as_its_reader_takes_it() {
    // More forms than are multiplied out, with so few steps that nothing else is left.
    let schema = r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#;
    let mut policy = Policy::default();
    policy.limits.show_steps_max = 1;
    let contract = Contract::from_text_with(schema, &policy).unwrap();
    for profile in Profile::all() {
        let shown = contract.publish(profile, RootPolicy::Stated).unwrap_or_else(|why| panic!("{profile}: {why}"));
        let says = shown.advertised.schema.contains("additionalProperties");
        assert_eq!(says, format!("{:?}", profile.key_policy) == "Always", "{profile}: {}", shown.advertised.schema);
    }
}

#[test]
fn keys_of_a_strict_form_are_counted_without_those_that_stand_for_none() {
    let schema = json!({"type": "object", "additionalProperties": false, "maxProperties": 2,
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}});
    let (shown, _) = shown_with_notes(&schema, "openai-strict");
    assert_eq!(shown["required"].as_array().unwrap().len(), 3);
    assert_eq!(shown["description"], "Beside those that are null, at most 2 keys.");
}

#[test]
fn booleans_are_schemas_in_draft_04_where_it_says_so() {
    let of = |rest: &str| {
        format!(
            r#"{{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{{"l":{{"type":"array","items":[{{"type":"integer"}}],"additionalItems":{rest}}}}},"additionalProperties":{rest}}}"#
        )
    };
    let admits = |rest: &str, arguments: &str| {
        Contract::from_text(&of(rest)).unwrap().check(Arguments::from_text(arguments)).is_ok()
    };
    assert!(admits("false", r#"{"l":[1]}"#) && !admits("false", r#"{"l":[1,2]}"#) && !admits("false", r#"{"x":1}"#));
    assert!(admits("true", r#"{"l":[1,"x"],"x":1}"#));
    // Nowhere else.
    let elsewhere = r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":true}}"#;
    assert!(Contract::from_text(elsewhere).is_err());
}
