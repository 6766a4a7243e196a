//! What clients make of the portable form before a model sees it, restated as small functions: what each leaves must still
//! admit every call of the contract, and no tool may be lost.
//!
//! Sources: the clients' own published code, read in November 2026; each function says what it keeps.

use crate::support::catalogs;
use serde_json::{Map, Value, json};
use toolgate::{Contract, Origin, Policy, Profile, RootPolicy, Verdict, proof_options};
use toolgate_proof::prove;

/// Every schema below and at `schema`, innermost first.
fn each_schema(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else { return };
    for (name, value) in members.iter_mut() {
        match name.as_str() {
            "properties" => value.as_object_mut().unwrap().values_mut().for_each(|inner| each_schema(inner, visit)),
            "items" | "additionalProperties" => each_schema(value, visit),
            _ => {}
        }
    }
    visit(members);
}

/// VS Code deletes composition at the root, trims `required` to declared names, and refuses a tool with a list without items.
fn vs_code(schema: &mut Value) -> Result<usize, String> {
    let root = schema.as_object_mut().unwrap();
    for keyword in ["oneOf", "anyOf", "allOf", "not", "if", "then", "else"] {
        root.remove(keyword);
    }
    let mut fault = Ok(0);
    each_schema(schema, &mut |schema| {
        let names: Vec<String> =
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned().collect();
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| names.iter().any(|known| name == known));
        }
        let is_array = schema
            .get("type")
            .is_some_and(|kind| kind == "array" || kind.as_array().is_some_and(|list| list.contains(&json!("array"))));
        if is_array && !schema.contains_key("items") {
            fault = Err("a list without items".to_owned());
        }
    });
    fault
}

/// Codex keeps type, enum, properties, required, items, additionalProperties and descriptions; a place without a type becomes
/// one by what it has, a string where it has nothing. Returns how many places became strings.
fn codex(schema: &mut Value) -> Result<usize, String> {
    const KEPT: [&str; 8] =
        ["type", "description", "enum", "properties", "required", "items", "additionalProperties", "anyOf"];
    let mut strings = 0;
    each_schema(schema, &mut |schema| {
        schema.retain(|keyword, _| KEPT.contains(&keyword.as_str()));
        if !schema.contains_key("type") && !schema.contains_key("anyOf") {
            let kind = if schema.contains_key("properties") {
                "object"
            } else if schema.contains_key("items") {
                "array"
            } else {
                strings += 1;
                "string"
            };
            schema.insert("type".into(), json!(kind));
        }
        if schema["type"] == "array" && !schema.contains_key("items") {
            schema.insert("items".into(), json!({ "type": "string" }));
        }
    });
    Ok(strings)
}

/// Ollama's typed struct keeps type, items, enum, properties and descriptions, and `required` at the root only.
fn ollama(schema: &mut Value) -> Result<usize, String> {
    let required = schema.get("required").cloned();
    each_schema(schema, &mut |schema| {
        schema.retain(|keyword, _| ["type", "description", "enum", "properties", "items"].contains(&keyword.as_str()));
    });
    if let Some(required) = required {
        schema["required"] = required;
    }
    Ok(0)
}

/// Gemini CLI takes `$schema` and unknown keywords away and validates the arguments itself as draft-07.
fn gemini_cli(schema: &mut Value) -> Result<usize, String> {
    each_schema(schema, &mut |schema| {
        schema.retain(|keyword, _| !keyword.starts_with('$') && !keyword.starts_with("x-"));
    });
    jsonschema::draft7::new(schema).map(|_| 0).map_err(|error| error.to_string())
}

#[test]
fn what_clients_leave_of_the_portable_form_hides_no_call() {
    let Some(tools) = catalogs::tools() else { return };
    let step = if std::env::var("TOOLGATE_FULL").is_ok_and(|value| value == "1") { 1 } else { 9 };
    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    type Rewriter = fn(&mut Value) -> Result<usize, String>;
    let rewriters: [(&str, Rewriter); 4] =
        [("VS Code", vs_code), ("Codex", codex), ("Ollama", ollama), ("Gemini CLI", gemini_cli)];
    for (client, rewrite) in rewriters {
        let (mut proven, mut unknown, mut strings, mut refuted_by_strings) = (0, 0, 0, 0);
        for tool in tools.iter().step_by(step) {
            let Ok(contract) = Contract::from_text_with(&tool.schema_text, &policy) else { continue };
            if contract.set_aside().iter().any(|part| !part.is_read) {
                continue;
            }
            let shown = contract.publish(Profile::portable(), RootPolicy::Stated).unwrap();
            let mut schema: Value = serde_json::from_str(&shown.advertised.schema).unwrap();
            let made = rewrite(&mut schema).unwrap_or_else(|why| panic!("{client} loses {}: {why}", tool.label));
            strings += made;
            let proof = prove(&tool.schema_text, &schema.to_string(), &proof_options(&policy)).unwrap();
            match proof.verdict {
                Verdict::Proven => proven += 1,
                Verdict::Refuted { .. } if made > 0 => refuted_by_strings += 1,
                Verdict::Refuted { counterexample, location, keyword } => {
                    panic!("{client} on {}: {counterexample} at {location} by {keyword}\n{schema}", tool.label)
                }
                _ => unknown += 1,
            }
        }
        println!(
            "{client}: {proven} proven, {unknown} unknown, {strings} places made strings in {refuted_by_strings} tools that then hide a call"
        );
        assert_eq!(unknown, 0, "{client}");
        assert!(client == "Codex" || refuted_by_strings == 0, "{client}");
    }
}
