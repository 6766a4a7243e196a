//! R6.11: a caller without wits, that sees only the refusal and the shape it is shown, is admitted one turn later in at least
//! 95% of the refused calls that a caller can mend.

use crate::support::caller::{Shape, mend};
use crate::support::catalogs::tools;
use crate::support::members::{Size, member};
use crate::support::tape::Stream;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use toolgate::{Alias, Arguments, Code, Contract, Judge, Origin, Policy, Refusal, Unions, UnknownKeys};

const SHARE_MIN_PERCENT: usize = 95;

/// Refused cases that no caller can mend, and why.
const NOT_MENDABLE: &[(&str, &str)] =
    &[("KV-099", "no text matches the pattern"), ("T115-6", "the words of a password are not told")];

#[derive(Default)]
struct Tally {
    mended: usize,
    left: BTreeMap<String, (usize, String)>,
    by_code: BTreeMap<&'static str, (usize, usize)>,
}

impl Tally {
    /// One refused call: mends it and judges what comes of it.
    fn turn(&mut self, label: &str, contract: &Contract, sent: &str, refusal: &Refusal) {
        let codes: Vec<_> = refusal.violations().iter().map(|violation| violation.code).collect();
        if codes.iter().any(|code| matches!(code, Code::WorkLimit | Code::SchemaUnusable | Code::ContractMismatch)) {
            return;
        }
        let mended = mend(sent, &refusal.to_json(), &contract.skeleton());
        let code = self.by_code.entry(codes[0].as_str()).or_default();
        code.1 += 1;
        match contract.check(Arguments::from_text(&mended)) {
            Ok(_) => {
                code.0 += 1;
                self.mended += 1;
            }
            Err(again) => {
                let reason = format!("{} then {}", codes[0], again.violations()[0].code);
                let example =
                    format!("{label}: {sent}\n    {}\n    {mended}\n    {}", refusal.to_json(), again.to_json());
                self.left.entry(reason).or_insert((0, example)).0 += 1;
            }
        }
    }

    fn finish(self, name: &str) {
        let left: usize = self.left.values().map(|(count, _)| count).sum();
        let all = self.mended + left;
        println!("{name}: {} of {all} refused calls were admitted one turn later", self.mended);
        println!("{name}: by first code: {:?}", self.by_code);
        let mut reasons: Vec<_> = self.left.into_iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, example)) in reasons.iter().take(12) {
            println!("  left {count}: {reason}, for example {}", example.chars().take(1_500).collect::<String>());
        }
        assert!(all > 100, "{name}: only {all} calls were refused");
        assert!(self.mended * 100 >= all * SHARE_MIN_PERCENT, "{name}: only {} of {all}", self.mended);
    }
}

fn policy(request: &Value) -> Policy {
    let texts = |name: &str| -> Vec<String> {
        request[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let alias = |at: &str, name: &str, former: &Value| Alias {
        at: at.to_owned(),
        name: name.to_owned(),
        former: former.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    let mut policy = Policy {
        origin: if request["origin"] == "discovered" { Origin::Discovered } else { Origin::Authored },
        judge: if request["judge"] == "server" { Judge::Server } else { Judge::Contract },
        unknown_keys: match request["unknown_keys"].as_str() {
            Some("as-written") => UnknownKeys::AsWritten,
            Some("close-declared") => UnknownKeys::CloseDeclared,
            _ => UnknownKeys::CloseRoot,
        },
        unions: match request["unions"].as_str() {
            Some("remote") => Unions::Remote,
            Some("local") => Unions::Local,
            _ => Unions::Labelled,
        },
        list_text_keep: texts("list_text_keep"),
        forward_keys: texts("forward_keys"),
        ..Policy::default()
    };
    policy.aliases = match &request["aliases"] {
        Value::Object(aliases) => aliases.iter().map(|(name, former)| alias("", name, former)).collect(),
        Value::Array(aliases) => aliases
            .iter()
            .map(|nested| {
                alias(nested["at"].as_str().unwrap_or(""), nested["name"].as_str().unwrap(), &nested["former"])
            })
            .collect(),
        _ => Vec::new(),
    };
    for option in texts("options") {
        assert!(policy.options.set(&option));
    }
    policy
}

#[test]
fn the_refused_cases_are_mended_in_one_turn() {
    let cases = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/judge.json")).unwrap();
    let cases: Value = serde_json::from_str(&cases).unwrap();
    let mut tally = Tally::default();
    for case in cases["cases"].as_array().unwrap() {
        if NOT_MENDABLE.iter().any(|(id, _)| case["id"] == *id) {
            continue;
        }
        let request = &case["request"];
        let schema = request["schema_text"].as_str().map_or_else(|| request["schema"].to_string(), str::to_owned);
        let Ok(contract) = Contract::from_text_with(&schema, &policy(request)) else { continue };
        let Some(sent) = request["arguments_text"].as_str() else { continue };
        if let Err(refusal) = contract.check(Arguments::from_text(sent)) {
            tally.turn(case["id"].as_str().unwrap(), &contract, sent, &refusal);
        }
    }
    tally.finish("cases");
}

/// One of the ways in which models go wrong, somewhere inside.
fn go_wrong(value: &mut Value, stream: &mut Stream) {
    let mut places = 0;
    visit(value, &mut |_| places += 1);
    let mut left = stream.below(places);
    let choice = stream.next();
    visit(value, &mut |place| {
        if left == 0 {
            wrong(place, &mut Stream::new(choice));
        }
        left = left.wrapping_sub(1);
    });
}

fn visit(value: &mut Value, go: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, go)),
        Value::Object(members) => members.values_mut().for_each(|member| visit(member, go)),
        _ => {}
    }
    go(value);
}

fn wrong(place: &mut Value, stream: &mut Stream) {
    if let Value::Object(members) = place {
        let Some(name) = members.keys().nth(stream.below(members.len())).cloned() else {
            members.insert("extra".to_owned(), json!("x"));
            return;
        };
        match stream.below(4) {
            0 => drop(members.remove(&name)),
            1 => {
                let member = members.remove(&name).unwrap();
                members.insert(misspelt(&name, stream), member);
            }
            2 => drop(members.insert("extra".to_owned(), json!("x"))),
            _ => {
                let others =
                    [json!(null), json!(""), json!("text"), json!([1]), json!(7), json!(true), json!({ "a": 1 })];
                members.insert(name, others[stream.below(others.len())].clone());
            }
        }
        return;
    }
    let text = place.to_string();
    let others = [
        json!(null),
        json!(""),
        json!("none of these"),
        json!(-1_000_000_007),
        json!(1_000_000_007),
        json!(0.5),
        json!(true),
        json!("True"),
        json!([place.clone()]),
        json!({ "value": place.clone() }),
        json!(text),
        json!(format!("[{text}]")),
        json!("12 apples"),
        json!("x".repeat(5_000)),
    ];
    *place = match (stream.below(3), &*place) {
        (0, Value::Array(items)) => items.first().cloned().unwrap_or(Value::Null),
        _ => others[stream.below(others.len())].clone(),
    };
}

fn misspelt(name: &str, stream: &mut Stream) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    match stream.below(3) {
        0 if letters.len() > 3 => drop(letters.remove(stream.below(letters.len()))),
        1 if letters.len() > 3 => {
            let at = stream.below(letters.len() - 1);
            letters.swap(at, at + 1);
        }
        _ => letters.push('s'),
    }
    letters.into_iter().collect()
}

#[test]
fn wrong_calls_of_real_tools_are_mended_in_one_turn() {
    let Some(tools) = tools() else { return };
    let mut tally = Tally::default();
    let mut stream = Stream::new(11);
    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    for tool in &tools {
        let Ok(contract) = Contract::from_text_with(&tool.schema_text, &policy) else { continue };
        let Ok(validator) = jsonschema::options().should_validate_formats(false).build(&tool.schema) else { continue };
        for size in [Size::Smallest, Size::Fuller] {
            let Some(made) = member(&tool.schema, size, &validator) else { continue };
            for faults in [1, 1, 2] {
                let mut arguments = made.clone();
                for _ in 0..faults {
                    go_wrong(&mut arguments, &mut stream);
                }
                let sent = arguments.to_string();
                if let Err(refusal) = contract.check(Arguments::from_text(&sent)) {
                    tally.turn(&tool.label, &contract, &sent, &refusal);
                }
            }
        }
    }
    tally.finish("real tools");
}

#[test]
fn the_shape_that_is_shown_can_be_read() {
    let schema = json!({
        "type": "object",
        "properties": {
            "mode": { "enum": ["a b", 1, null] },
            "rows": { "type": "array", "items": { "type": ["integer", "null"] } },
            "where": { "anyOf": [{ "type": "object", "properties": { "x": {} }, "required": ["x"] }, { "type": "string" }] }
        },
        "required": ["mode", "rows"]
    });
    let shape = Shape::read(&Contract::compile(&schema).unwrap().skeleton());
    let Shape::Object(members, unions) = shape else { panic!("{shape:?}") };
    let names: Vec<_> = members.iter().map(|(name, required, _)| (name.as_str(), *required)).collect();
    assert_eq!(names, [("mode", true), ("rows", true), ("where", false)]);
    assert!(unions.is_empty());
    assert_eq!(
        members[0].2,
        Shape::Union(vec![Shape::Word(json!("a b")), Shape::Word(json!(1)), Shape::Word(json!(null))])
    );
}
