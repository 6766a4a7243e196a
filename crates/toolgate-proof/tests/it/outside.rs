//! Inclusions that others have judged. `tests/outside/fetch.py target/outside` fetches them; where they are not, this is skipped.
//!
//! Their answers are votes and no law: a disagreement is listed, and only one with a counterexample that is executed, or a
//! proof of what a labelled value disproves, is a fault of somebody.

use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use toolgate_proof::{Dialect, Options, UnknownKeys, Verdict, prove};

fn rows() -> Option<Vec<Value>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/outside");
    let folder = std::env::var_os("TOOLGATE_OUTSIDE").map_or(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("rows.jsonl")) else {
        println!("skipped: no outside tables (tests/outside/fetch.py makes them, TOOLGATE_OUTSIDE names their folder)");
        return None;
    };
    let mut seen = HashSet::new();
    let distinct = |line: &&str| {
        let row: Value = serde_json::from_str(line).unwrap();
        seen.insert(format!("{} {} {}", row["from"], row["contract"], row["advertised"]))
    };
    Some(text.lines().filter(distinct).map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn agrees_with_what_others_have_judged() {
    let Some(rows) = rows() else { return };
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let (mut disagreements, mut unknown) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for row in &rows {
        let mut options = Options { unknown_keys: UnknownKeys::AsWritten, any_root: true, ..Options::default() };
        let names_dialect = row["contract"].get("$schema").is_some() || row["advertised"].get("$schema").is_some();
        if row["dialect"] == "draft-07" && !names_dialect {
            options.dialect = Some(Dialect::Draft7);
        }
        let (contract, advertised) = (row["contract"].to_string(), row["advertised"].to_string());
        let within = row["within"].as_bool().unwrap();
        let word = match prove(&contract, &advertised, &options) {
            Err(unreadable) => format!("unreadable ({within})").replace("()", &unreadable.why),
            Ok(proof) => match &proof.verdict {
                Verdict::Unknown { keyword, .. } => {
                    *unknown.entry(keyword).or_default() += 1;
                    if std::env::var_os("TOOLGATE_PROOF_SHOW").is_some() {
                        println!("UNKNOWN {keyword} within {within} {}\n  {contract}\n  {advertised}", row["name"]);
                    }
                    format!("unknown ({within})")
                }
                Verdict::Proven if within => "agrees: proven".to_owned(),
                Verdict::Refuted { .. } if !within => "agrees: refuted".to_owned(),
                verdict => {
                    disagreements.push(format!(
                        "{}: {verdict:?}\n  contract   {contract}\n  advertised {advertised}",
                        row["name"]
                    ));
                    "disagrees".to_owned()
                }
            },
        };
        *counts.entry((row["from"].as_str().unwrap().to_owned(), word)).or_default() += 1;
    }
    println!("{} distinct rows", rows.len());
    counts.iter().for_each(|((from, word), count)| println!("  {from}: {word}: {count}"));
    println!("unknown at {unknown:?}");
    disagreements.iter().for_each(|disagreement| println!("DISAGREES {disagreement}"));
    // Whoever is right, a proof of what is labelled as not within is looked at by hand before this number grows.
    let proofs = disagreements.iter().filter(|disagreement| disagreement.contains("Proven")).count();
    println!("{proofs} proofs against a label, {} counterexamples against one", disagreements.len() - proofs);
}
