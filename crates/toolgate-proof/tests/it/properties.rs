//! Random contracts, random changes to them, and members of the contract as witnesses: what is called proven admits every
//! member that is found, and what is called refuted is refuted.
//!
//! The judge here is the crate `jsonschema`, on the documents as they are written. `TOOLGATE_PROOF_SEEDS` makes the run longer.

use crate::support::random::Random;
use crate::support::schemas::{Maker, changed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use toolgate_proof::{Options, Sampler, SamplerOptions, UnknownKeys, Verdict, narrowings, prove};

const MEMBERS: usize = 40;

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first: u64 = std::env::var("TOOLGATE_PROOF_FIRST").ok().map_or(0, |seed| seed.parse().unwrap());
    let count = std::env::var("TOOLGATE_PROOF_SEEDS").ok().map_or(default, |count| count.parse().unwrap());
    first..first + count
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(false).build(schema).unwrap()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Members of the contract, each admitted by it as it is written.
fn members(contract: &Value, unknown_keys: UnknownKeys, seed: u64) -> Vec<Value> {
    let options = SamplerOptions { unknown_keys, seed, steps_max: 400_000, ..SamplerOptions::default() };
    let Ok(sampler) = Sampler::new(&contract.to_string(), options) else { return Vec::new() };
    let written = validator(contract);
    // Numbers beyond what the other validator holds exactly are not for it.
    let plain = |text: &String| !text.contains("12345678901234567890") && !text.contains("9007199254740993");
    let members: Vec<Value> = sampler.take(MEMBERS).filter(plain).map(|text| parse(&text)).collect();
    // A place closed inside a member of `oneOf` can make another member the only one that holds.
    let is_within = |member: &Value| unknown_keys == UnknownKeys::CloseDeclared || written.is_valid(member);
    for member in &members {
        assert!(is_within(member), "seed {seed}: the contract refuses the member {member}\n{contract}");
    }
    members
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    unknown_keywords: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn judge(&mut self, seed: u64, contract: &Value, advertised: &Value, unknown_keys: UnknownKeys, members: &[Value]) {
        let options = Options { unknown_keys, ..Options::default() };
        let told = || format!("seed {seed} {unknown_keys:?}\ncontract {contract}\nadvertised {advertised}");
        let proof = match prove(&contract.to_string(), &advertised.to_string(), &options) {
            Ok(proof) => proof,
            Err(unreadable) => panic!("{unreadable}\n{}", told()),
        };
        let reader = validator(advertised);
        let refused = members.iter().find(|member| !reader.is_valid(member));
        let word = match &proof.verdict {
            Verdict::Proven => {
                assert!(refused.is_none(), "called proven, and refuses {}\n{}", refused.unwrap(), told());
                "proven"
            }
            Verdict::Refuted { counterexample, .. } => {
                let counterexample = parse(counterexample);
                assert!(validator(contract).is_valid(&counterexample), "{counterexample} is no member\n{}", told());
                assert!(!reader.is_valid(&counterexample), "{counterexample} is admitted\n{}", told());
                "refuted"
            }
            Verdict::Unknown { keyword, .. } => {
                *self.unknown_keywords.entry(keyword).or_default() += 1;
                if std::env::var_os("TOOLGATE_PROOF_SHOW").is_some() {
                    println!("UNKNOWN {:?} refused {refused:?}\n{}", proof.verdict, told());
                }
                if refused.is_some() { "unknown though a member is refused" } else { "unknown" }
            }
            other => panic!("{other:?}"),
        };
        *self.counts.entry(word).or_default() += 1;
    }

    fn print(&self, title: &str) {
        println!("{title}: {:?}; unknown at {:?}", self.counts, self.unknown_keywords);
    }

    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }
}

fn policy(seed: u64) -> UnknownKeys {
    [UnknownKeys::AsWritten, UnknownKeys::CloseRoot, UnknownKeys::CloseDeclared][usize::try_from(seed % 3).unwrap()]
}

#[test]
fn nothing_is_wrongly_proven_or_refuted() {
    let mut changes = Tally::default();
    let mut twins = Tally::default();
    let mut own = Tally::default();
    for seed in seeds(400) {
        let mut random = Random::new(seed);
        let contract = Maker::new(&mut random).contract();
        let unknown_keys = policy(seed);
        let members = members(&contract, unknown_keys, seed);
        own.judge(seed, &contract, &contract, unknown_keys, &members);
        let mut advertised = contract.clone();
        for _ in 0..4 {
            advertised = changed(&advertised, &mut random);
            changes.judge(seed, &contract, &advertised, unknown_keys, &members);
        }
        let all = narrowings(&contract.to_string()).unwrap();
        for _ in 0..3.min(all.len()) {
            let twin = &all[random.below(all.len())];
            twins.judge(seed, &contract, &parse(&twin.schema), unknown_keys, &members);
        }
    }
    own.print("own text");
    changes.print("changed");
    twins.print("negative twins");
    assert_eq!(own.count("refuted"), 0);
}

/// One value as the whole contract: what is said of it is what the evaluator says, and that is what `jsonschema` says.
#[test]
fn the_evaluator_agrees_with_another_one() {
    let mut compared = 0;
    for seed in seeds(400) {
        let mut random = Random::new(seed ^ 0xe7a1);
        let schema = Maker::new(&mut random).contract();
        let other = Maker::new(&mut random).contract();
        let reader = validator(&schema);
        let options = Options { unknown_keys: UnknownKeys::AsWritten, ..Options::default() };
        for member in members(&other, UnknownKeys::AsWritten, seed).into_iter().chain(members(
            &schema,
            UnknownKeys::AsWritten,
            seed,
        )) {
            let contract = json!({ "const": member });
            let proof = prove(&contract.to_string(), &schema.to_string(), &options).unwrap();
            let said = match proof.verdict {
                Verdict::Proven => true,
                Verdict::Refuted { .. } => false,
                // A schema that applies itself to the same value is judged by nobody.
                Verdict::Unknown { keyword: "$ref", .. } => continue,
                verdict => panic!("seed {seed}: {verdict:?} for {member}\n{schema}"),
            };
            assert_eq!(said, reader.is_valid(&member), "seed {seed}: {member}\n{schema}");
            compared += 1;
        }
    }
    println!("{compared} values compared");
    assert!(compared > 2_000);
}

/// A member is one value, with each name once: its text is read back by a strict reader.
#[test]
fn a_contract_that_branches_at_every_step_has_members() {
    for names in [&["l", "r"][..], &["l", "r", "m", "n"], &["a", "b", "c", "d", "e", "f", "g", "h"]] {
        let kids = names.iter().map(|name| (name.to_string(), json!({ "$ref": "#" })));
        let optional = json!({ "type": "object", "properties": kids.clone().collect::<serde_json::Map<_, _>>() });
        let kids =
            names.iter().map(|name| (name.to_string(), json!({ "anyOf": [{ "$ref": "#" }, { "type": "null" }] })));
        let mut required = json!({ "type": "object", "properties": kids.collect::<serde_json::Map<_, _>>() });
        required["required"] = json!(names);
        for contract in [optional, required] {
            let validator = jsonschema::validator_for(&contract).unwrap();
            let members: Vec<String> =
                Sampler::new(&contract.to_string(), SamplerOptions::default()).unwrap().take(40).collect();
            assert_eq!(members.len(), 40, "{contract}");
            let is_deep = |member: &&String| member.matches("\"l\"").count() + member.matches("\"a\"").count() > 3;
            assert!(members.iter().filter(is_deep).count() > 5, "{contract}");
            assert!(members.iter().all(|member| validator.is_valid(&serde_json::from_str(member).unwrap())));
        }
    }
}

#[test]
fn members_repeat_no_name_and_no_member() {
    for seed in seeds(200) {
        let contract = Maker::new(&mut Random::new(seed)).contract();
        let options = SamplerOptions { seed, steps_max: 200_000, ..SamplerOptions::default() };
        let Ok(sampler) = Sampler::new(&contract.to_string(), options.clone()) else { continue };
        let members: Vec<String> = sampler.take(MEMBERS).collect();
        for member in &members {
            let repeated = prove(member, "true", &Options { any_root: true, ..Options::default() });
            assert!(!repeated.is_err_and(|fault| fault.why.contains("repeated")), "seed {seed}: {member}");
        }
        let distinct: std::collections::HashSet<&String> = members.iter().collect();
        assert_eq!(distinct.len(), members.len(), "seed {seed}");
        let again: Vec<String> = Sampler::new(&contract.to_string(), options).unwrap().take(MEMBERS).collect();
        assert_eq!(members, again, "seed {seed}: equal seeds give equal members");
    }
}

/// JSON Pointers of keywords of the contract's schemas.
fn keywords(schema: &Value, pointer: &str, found: &mut Vec<String>) {
    let escape = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                let at = format!("{pointer}/{}", escape(name));
                found.push(at.clone());
                keywords(value, &at, found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| keywords(item, &format!("{pointer}/{index}"), found));
        }
        _ => {}
    }
}

/// Leaving keywords to the server makes the contract wider and never narrower, wherever they stand: no member is lost, and
/// what is proven of the wider contract admits the members of the written one too.
#[test]
fn what_is_set_aside_only_widens() {
    let (mut kept, mut proven) = (0, 0);
    for seed in seeds(300) {
        let mut random = Random::new(seed ^ 0xa51d);
        let contract = Maker::new(&mut random).contract();
        let text = contract.to_string();
        let unknown_keys = if seed % 2 == 0 { UnknownKeys::AsWritten } else { UnknownKeys::CloseRoot };
        let members = members(&contract, unknown_keys, seed);
        let mut all = Vec::new();
        keywords(&contract, "", &mut all);
        let set_aside: Vec<String> = (0..1 + random.below(3)).map(|_| all[random.below(all.len())].clone()).collect();
        let options = Options { unknown_keys, set_aside, ..Options::default() };
        for member in members.iter().take(12) {
            let other = json!({ "not": { "const": member } }).to_string();
            let verdict = prove(&text, &other, &options).unwrap().verdict;
            assert_ne!(verdict, Verdict::Proven, "seed {seed}: {:?} loses {member}\n{contract}", options.set_aside);
            kept += 1;
        }
        for advertised in [contract.clone(), changed(&contract, &mut random)] {
            let reader = validator(&advertised);
            if prove(&text, &advertised.to_string(), &options).unwrap().verdict == Verdict::Proven {
                proven += 1;
                let sampling = SamplerOptions {
                    unknown_keys,
                    set_aside: options.set_aside.clone(),
                    seed,
                    steps_max: 100_000,
                    ..SamplerOptions::default()
                };
                let plain =
                    |text: &String| !text.contains("12345678901234567890") && !text.contains("9007199254740993");
                let wider = Sampler::new(&text, sampling).unwrap().take(15).filter(plain).map(|text| parse(&text));
                for member in wider.chain(members.iter().cloned()) {
                    assert!(
                        reader.is_valid(&member),
                        "seed {seed}: {:?} {member}\n{contract}\n{advertised}",
                        options.set_aside
                    );
                }
            }
        }
    }
    println!("{kept} members kept, {proven} proven");
    assert!(kept > 500 && proven > 50);
}
