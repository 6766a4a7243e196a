//! Every real tool against its own text with the key policy stated, which is the least that any mount ships.

use crate::support::catalogs::tools;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use toolgate_proof::{Options, UnknownKeys, Verdict, prove};

const COMPOSITIONS: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "not"];
const SAYS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// The schema with the policy of its root written into it.
fn stated(schema: &Value) -> Value {
    let mut stated = schema.clone();
    let Value::Object(members) = &mut stated else { return stated };
    let mentions_more = members.get("required").and_then(Value::as_array).into_iter().flatten().any(|name| {
        let properties = schema.get("properties").and_then(Value::as_object);
        name.as_str().is_some_and(|name| properties.is_none_or(|properties| !properties.contains_key(name)))
    });
    if SAYS.iter().any(|keyword| members.contains_key(*keyword)) || mentions_more {
        return stated;
    }
    let keyword = if COMPOSITIONS.iter().any(|keyword| members.contains_key(*keyword)) { SAYS[1] } else { SAYS[0] };
    members.insert(keyword.to_owned(), json!(false));
    stated
}

#[derive(Default)]
struct Tally {
    proven: usize,
    unreadable: BTreeMap<String, usize>,
    unknown: BTreeMap<&'static str, Vec<String>>,
    refuted: Vec<String>,
    time: Duration,
    slowest: (Duration, String),
    steps: u64,
}

impl Tally {
    fn add(&mut self, label: &str, contract: &str, advertised: &str, options: &Options) {
        let begun = Instant::now();
        let proof = prove(contract, advertised, options);
        let time = begun.elapsed();
        self.time += time;
        if time > self.slowest.0 {
            self.slowest = (time, label.to_owned());
        }
        match proof {
            Err(unreadable) => *self.unreadable.entry(unreadable.why).or_default() += 1,
            Ok(proof) => {
                self.steps += proof.steps;
                match proof.verdict {
                    Verdict::Proven => self.proven += 1,
                    Verdict::Unknown { location, keyword } => {
                        self.unknown.entry(keyword).or_default().push(format!("{label} {location}"));
                    }
                    Verdict::Refuted { counterexample, location, keyword } => {
                        self.refuted.push(format!("{label} {location} {keyword}: {counterexample}"));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    fn print(&self, title: &str, count: usize) {
        println!(
            "{title}: {} of {count} proven in {:?} ({} steps, slowest {:?} {}); unreadable {:?}",
            self.proven, self.time, self.steps, self.slowest.0, self.slowest.1, self.unreadable
        );
        for (keyword, labels) in &self.unknown {
            println!("  unknown at {keyword}: {}: {:?}", labels.len(), &labels[..labels.len().min(8)]);
        }
    }
}

#[test]
fn every_real_tool_is_within_its_own_text() {
    let Some(tools) = tools() else { return };
    for (title, unknown_keys) in [("close-root", UnknownKeys::CloseRoot), ("as-written", UnknownKeys::AsWritten)] {
        let options = Options { unknown_keys, discovered: true, ..Options::default() };
        let mut tally = Tally::default();
        for tool in &tools {
            let advertised =
                if unknown_keys == UnknownKeys::CloseRoot { stated(&tool.schema) } else { tool.schema.clone() };
            tally.add(&tool.label, &tool.schema.to_string(), &advertised.to_string(), &options);
        }
        tally.print(title, tools.len());
        assert!(tally.refuted.is_empty(), "{}", tally.refuted.join("\n"));
        let unreadable: usize = tally.unreadable.values().sum();
        assert!(tally.proven * 1_000 >= (tools.len() - unreadable) * 999, "{} proven", tally.proven);
    }
}
