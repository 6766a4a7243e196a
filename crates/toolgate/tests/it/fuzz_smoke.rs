//! The fuzz targets without a fuzzer: over the seeds and a reproducible stream of mutations of them. `TOOLGATE_FUZZ_RUNS` sets
//! how many a target takes, `TOOLGATE_FUZZ_SEED` which.

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "a library of its own, in a workspace of its own")]
mod targets;

use crate::support::arguments::spoil;
use crate::support::tape::{Stream, Tape};
use serde_json::Value;
use std::panic::catch_unwind;

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let cases = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/judge.json")).unwrap();
    let seeds = targets::seeds(&cases).into_iter().filter(|(name, _)| *name == target);
    let seeds: Vec<_> = seeds.map(|(_, seed)| seed).collect();
    assert!(seeds.len() > 100);
    seeds
}

/// Words that lead somewhere: the grammar of JSON, and the keywords.
const WORDS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "true",
    "0",
    "-1",
    "1e5",
    "1.0",
    "\"5\"",
    "\"[1]\"",
    "\"{}\"",
    "\\ud800",
    "\\u0000",
    "\"type\":",
    "\"properties\":",
    "\"items\":",
    "\"anyOf\":[",
    "\"oneOf\":[",
    "\"allOf\":[",
    "\"$ref\":\"#\"",
    "\"$defs\":{",
    "\"not\":",
    "\"if\":",
    "\"enum\":[",
    "\"const\":",
    "\"required\":[",
    "\"additionalProperties\":",
    "\"pattern\":\"",
    "\"minimum\":",
    "\"object\"",
    "\"string\"",
    "[\"array\",\"string\"]",
    "\"integer\"",
    "\"prefixItems\":[",
];

fn mutated(seeds: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
    let mut data = seeds[stream.below(seeds.len())].clone();
    for _ in 0..1 + stream.below(4) {
        let at = stream.below(data.len() + 1);
        let end = (at + 1 + stream.below(12)).min(data.len());
        match stream.below(6) {
            0 => drop(data.drain(at..end)),
            1 => {
                let word = WORDS[stream.below(WORDS.len())];
                data.splice(at..at, word.bytes());
            }
            2 if at < data.len() => data[at] = stream.below(256) as u8,
            3 => {
                let word = WORDS[stream.below(WORDS.len())];
                data.splice(at..end, word.bytes());
            }
            4 => {
                // A piece of another seed.
                let other = &seeds[stream.below(seeds.len())];
                let from = stream.below(other.len() + 1);
                let to = (from + stream.below(60)).min(other.len());
                data.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let piece = data[at..end].to_vec();
                data.splice(at..at, piece);
            }
        }
    }
    data
}

/// A seed whose schema is kept and whose arguments stay JSON, so that it comes as far as the judge.
fn spoiled(seed: &[u8], stream: &mut Stream) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(seed).ok()?;
    let (schema, arguments) = text.split_once('\n')?;
    let mut arguments: Value = serde_json::from_str(arguments).ok()?;
    let mut tape = Tape::seeded(stream.next());
    for _ in 0..1 + stream.below(4) {
        spoil(&mut arguments, &mut tape);
    }
    Some(format!("{schema}\n{arguments}").into_bytes())
}

fn smoke(name: &str) {
    let target = targets::TARGETS.iter().find(|(target, _)| *target == name).unwrap().1;
    let seeds = seeds(name);
    let runs = environment("TOOLGATE_FUZZ_RUNS", 20_000);
    let seed = environment("TOOLGATE_FUZZ_SEED", 1);
    let mut stream = Stream::new(seed);
    let mutations = (0..runs).map(|index| {
        let spoiled = if index % 2 == 0 { spoiled(&seeds[stream.below(seeds.len())], &mut stream) } else { None };
        spoiled.unwrap_or_else(|| mutated(&seeds, &mut stream))
    });
    for data in seeds.iter().cloned().chain(mutations) {
        if catch_unwind(|| target(&data)).is_err() {
            panic!("{name} fails on {:?}", String::from_utf8_lossy(&data));
        }
    }
    println!("{name}: {} seeds and {runs} mutations of them, seed {seed}", seeds.len());
}

#[test]
fn reading_is_safe() {
    smoke("read");
}

#[test]
fn compiling_is_safe() {
    smoke("compile");
}

#[test]
fn judging_is_safe() {
    smoke("check");
}

#[test]
fn showing_is_safe() {
    smoke("shown");
}
