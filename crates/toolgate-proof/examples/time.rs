//! How long a proof takes, for contracts of growing size. `cargo run --release -p toolgate-proof --example time`

#![allow(clippy::print_stdout, reason = "an example for the terminal")]

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use toolgate_proof::{Options, prove};

/// A union of objects told apart by a tag, and the object that joins them.
fn union(variants: usize) -> (Value, Value) {
    let own = |number: usize| format!("own{number}");
    let variant = |number: usize| {
        json!({
            "type": "object",
            "properties": { "kind": { "const": format!("k{number}") }, own(number): { "type": "string" }, "text": { "type": "string" } },
            "required": ["kind", own(number)],
            "additionalProperties": false,
        })
    };
    let mut properties = serde_json::Map::new();
    let words: Vec<String> = (0..variants).map(|number| format!("k{number}")).collect();
    properties.insert("kind".into(), json!({ "enum": words }));
    properties.insert("text".into(), json!({ "type": "string" }));
    properties.extend((0..variants).map(|number| (own(number), json!({ "type": "string" }))));
    let contract = json!({ "oneOf": (0..variants).map(variant).collect::<Vec<_>>() });
    let joined =
        json!({ "type": "object", "properties": properties, "required": ["kind"], "additionalProperties": false });
    (contract, joined)
}

fn in_list((contract, advertised): (Value, Value)) -> (Value, Value) {
    let place = |inner: Value| json!({ "type": "object", "properties": { "blocks": { "type": "array", "items": inner } }, "required": ["blocks"] });
    (place(contract), place(advertised))
}

fn time(title: &str, (contract, advertised): (Value, Value)) {
    let (contract, advertised) = (contract.to_string(), advertised.to_string());
    let options = Options::default();
    let mut best = Duration::MAX;
    let mut said = String::new();
    for _ in 0..30 {
        let begun = Instant::now();
        let proof = prove(&contract, &advertised, &options);
        best = best.min(begun.elapsed());
        said = match proof {
            Ok(proof) => format!("{:?}, {} steps", proof.verdict, proof.steps),
            Err(unreadable) => unreadable.to_string(),
        };
    }
    println!("{title:<34} {best:>12?}  {said}");
}

fn main() {
    for variants in [12, 100, 200, 400, 800] {
        time(&format!("union of {variants} variants"), union(variants));
        time("the same in a list", in_list(union(variants)));
        let (contract, _) = union(variants);
        time("the same against its own text", (contract.clone(), contract));
    }
}
