//! What is shown hides no legal call: over all real tools and every profile, by members made without the core's code and
//! judged by an independent validator, and with the checker held to account by schemas made narrower.
//!
//! The short form takes a part of the real tools; `TOOLGATE_FULL=1` takes all (`cargo xtask full`).

use crate::support::catalogs::{self, CatalogTool};
use crate::support::tape::Tape;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::collections::BTreeMap;
use toolgate::{Contract, Origin, Policy, Profile, Published, RootPolicy, Verdict, proof_options};
use toolgate_proof::{Sampler, SamplerOptions, narrowings, prove};

fn is_full() -> bool {
    std::env::var("TOOLGATE_FULL").is_ok_and(|value| value == "1")
}

/// All real tools in the full form, every `n`th in the short one.
fn tools(every: usize) -> Option<Vec<CatalogTool>> {
    let tools = catalogs::tools()?;
    Some(if is_full() { tools } else { tools.into_iter().step_by(every).collect() })
}

fn discovered() -> Policy {
    Policy { origin: Origin::Discovered, ..Policy::default() }
}

fn published(contract: &Contract, profile: &str) -> Option<Published> {
    contract.publish(Profile::named(profile).unwrap(), RootPolicy::Stated).ok()
}

/// Members of a contract, by the checker's own reading of it.
fn members(schema: &str, policy: &Policy, count: usize, seed: u64) -> Vec<String> {
    let options = proof_options(policy);
    let options = SamplerOptions {
        unknown_keys: options.unknown_keys,
        discovered: options.discovered,
        seed,
        ..SamplerOptions::default()
    };
    Sampler::new(schema, options).map(|sampler| sampler.take(count).collect()).unwrap_or_default()
}

fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::options().should_validate_formats(false).build(&schema).unwrap()
}

/// Bytes without the white space of whoever wrote it.
fn compact_bytes(schema: &str) -> usize {
    serde_json::from_str::<Value>(schema).unwrap().to_string().len()
}

#[test]
fn every_real_tool_is_shown_and_proven_under_every_profile() {
    let Some(tools) = tools(6) else { return };
    let contracts: Vec<(&CatalogTool, Contract)> = tools
        .iter()
        .filter_map(|tool| Some((tool, Contract::from_text_with(&tool.schema_text, &discovered()).ok()?)))
        .collect();
    let before: usize = contracts.iter().map(|(tool, _)| compact_bytes(&tool.schema_text)).sum();
    println!(
        "{} of {} tools compile; {before} bytes as they were served, without white space",
        contracts.len(),
        tools.len()
    );
    println!("profile           proven  as-asked  widened  open-object  strict  not-strict      bytes  of-before");
    for profile in Profile::all() {
        let (mut widened, mut open, mut strict, mut not_strict, mut bytes) = (0, 0, 0, 0, 0);
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for (tool, contract) in &contracts {
            let published = contract.publish(profile, RootPolicy::Stated);
            let published = published.unwrap_or_else(|why| panic!("{} under {profile}: {why}", tool.label));
            assert_eq!(published.proof.verdict, Verdict::Proven, "{} under {profile}", tool.label);
            bytes += compact_bytes(&published.advertised.schema);
            if let Some(fell_back) = &published.fell_back {
                let is_refuted = matches!(fell_back.verdict, Verdict::Refuted { .. });
                assert!(!is_refuted, "{} under {profile} hid a call: {:?}", tool.label, fell_back.verdict);
                widened += usize::from(!fell_back.to_open_object);
                open += usize::from(fell_back.to_open_object);
            }
            strict += usize::from(published.advertised.is_strict);
            if profile.strict.is_some() && !published.advertised.is_strict {
                not_strict += 1;
                let why = published.advertised.notes.iter().find(|note| note.what.starts_with("not strict: "));
                let why = why.unwrap_or_else(|| panic!("{} under {profile}: no reason", tool.label));
                let why = why.what.split(" at `").next().unwrap().trim_start_matches("not strict: ");
                let is_count = why.starts_with(|ch: char| ch.is_ascii_digit());
                *reasons.entry(if is_count { "over a limit".into() } else { why.to_owned() }).or_default() += 1;
            }
        }
        let asked = contracts.len() - widened - open;
        println!(
            "{:<16} {:>7} {asked:>9} {widened:>8} {open:>12} {strict:>7} {not_strict:>11} {bytes:>10} {:>9}%",
            profile.name,
            contracts.len(),
            bytes * 100 / before
        );
        reasons.iter().for_each(|(why, count)| println!("    not strict, {count}: {why}"));
        assert!(open * 1000 <= contracts.len() * 5, "{open} tools are shown as the open object under {profile}");
    }
}

#[test]
fn no_sampled_member_of_a_real_tool_is_refused_by_what_is_shown() {
    let Some(tools) = tools(12) else { return };
    let mut asked = 0;
    for tool in &tools {
        let Ok(contract) = Contract::from_text_with(&tool.schema_text, &discovered()) else { continue };
        if contract.set_aside().iter().any(|part| !part.is_read) {
            // The sampler reads the document as it stands.
            continue;
        }
        let members = members(&tool.schema_text, &discovered(), if is_full() { 20 } else { 14 }, 7);
        let shown = published(&contract, "portable").unwrap();
        let validator = validator(&shown.advertised.schema);
        for member in members {
            asked += 1;
            let value: Value = serde_json::from_str(&member).unwrap();
            assert!(validator.is_valid(&value), "{}: {member}\nby {}", tool.label, shown.advertised.schema);
        }
    }
    println!("{asked} members of {} real tools, none refused by what is shown", tools.len());
    // With the members of generated contracts below, the full form asks about more than 100,000.
    assert!(asked > if is_full() { 70_000 } else { tools.len() * 3 }, "only {asked} members");
}

fn generated(count: u64, mut each: impl FnMut(&str)) {
    let mut bytes = [0; 32];
    let seed: u64 = std::env::var("TOOLGATE_PROPERTY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(3);
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases: u32::try_from(count).unwrap(), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let each = std::cell::RefCell::new(&mut each);
    runner
        .run(&vec(any::<u8>(), 400), |tape| {
            let schema = crate::support::schemas::schema(&mut Tape::new(tape.as_slice())).to_string();
            (each.borrow_mut())(&schema);
            Ok(())
        })
        .unwrap();
}

#[test]
fn generated_contracts_are_shown_proven_and_never_narrower() {
    let (mut contracts, mut asked, mut twins, mut caught, mut fallen) = (0, 0, 0, 0, 0);
    generated(if is_full() { 6_000 } else { 600 }, |schema| {
        let Ok(contract) = Contract::from_text(schema) else { return };
        contracts += 1;
        let Some(shown) = published(&contract, "portable") else { return };
        if let Some(fell_back) = &shown.fell_back {
            fallen += 1;
            assert!(!matches!(fell_back.verdict, Verdict::Refuted { .. }), "{schema}\n{:?}", fell_back.verdict);
        }
        let members: Vec<Value> = members(schema, &Policy::default(), 12, 5)
            .iter()
            .map(|member| serde_json::from_str(member).unwrap())
            .collect();
        let validator_of_shown = validator(&shown.advertised.schema);
        for member in &members {
            asked += 1;
            assert!(validator_of_shown.is_valid(member), "{schema}\n{member}\nby {}", shown.advertised.schema);
        }
        // The negative twin: what refuses a member must not be proven.
        for narrowing in narrowings(&shown.advertised.schema).unwrap().into_iter().step_by(5).take(6) {
            let validator = validator(&narrowing.schema);
            let Some(refused) = members.iter().find(|member| !validator.is_valid(member)) else { continue };
            twins += 1;
            let proof = prove(schema, &narrowing.schema, &proof_options(&Policy::default())).unwrap();
            assert_ne!(proof.verdict, Verdict::Proven, "{schema}\n{}\n{refused}", narrowing.schema);
            caught += usize::from(matches!(proof.verdict, Verdict::Refuted { .. }));
        }
    });
    println!(
        "{contracts} generated contracts: {asked} members, none refused; {fallen} shown wider; {twins} narrowed twins, {caught} refuted, none proven"
    );
    assert!(contracts > 100 && asked > if is_full() { 30_000 } else { contracts } && twins > contracts / 2);
}

#[test]
fn a_union_of_any_width_is_shown_in_full() {
    for width in [10, 100, 800] {
        let members: Vec<String> = (0..width)
            .map(|n| {
                format!(
                    r#"{{"type":"object","properties":{{"kind":{{"const":"k{n}"}},"p{n}":{{"type":"integer"}},"text":{{"type":"string","maxLength":{n}}}}},"required":["kind","p{n}"],"additionalProperties":false}}"#
                )
            })
            .collect();
        let schema = format!(r#"{{"type":"object","properties":{{"step":{{"oneOf":[{}]}}}}}}"#, members.join(","));
        let contract = Contract::from_text(&schema).unwrap();
        let shown = published(&contract, "portable").unwrap();
        assert!(shown.fell_back.is_none(), "{width}: {:?}", shown.fell_back);
        let schema: Value = serde_json::from_str(&shown.advertised.schema).unwrap();
        let step = &schema["properties"]["step"];
        assert_eq!(step["properties"]["kind"]["enum"].as_array().unwrap().len(), width);
        assert_eq!(step["properties"].as_object().unwrap().len(), width + 2);
        assert_eq!(step["additionalProperties"], false);
    }
}

#[test]
fn unions_that_multiply_end_in_something_wider() {
    let union = |n: usize| {
        let members: Vec<String> = (0..3)
            .map(|m| format!(r#"{{"properties":{{"k{n}_{m}":{{"type":"integer"}}}},"required":["k{n}_{m}"]}}"#))
            .collect();
        format!(r#"{{"anyOf":[{}]}}"#, members.join(","))
    };
    let unions: Vec<String> = (0..12).map(union).collect();
    let schema = format!(r#"{{"type":"object","allOf":[{}]}}"#, unions.join(","));
    let shown = published(&Contract::from_text(&schema).unwrap(), "portable").unwrap();
    assert_eq!(shown.proof.verdict, Verdict::Proven);
    assert!(shown.advertised.notes.iter().any(|note| note.what.contains("too many")), "{:?}", shown.advertised.notes);
}

#[test]
fn too_few_steps_end_in_a_wider_form_that_is_proven() {
    let schema = r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"b":{"enum":["x","y"]}}}]}}}"#;
    let mut forms = std::collections::BTreeSet::new();
    for show_steps_max in [0, 1, 5, 10, 20, 50, 100, 1_000, 100_000] {
        let limits = toolgate::Limits { show_steps_max, ..toolgate::Limits::default() };
        let contract = Contract::from_text_with(schema, &Policy { limits, ..Policy::default() }).unwrap();
        let shown = published(&contract, "portable").unwrap();
        assert_eq!(shown.proof.verdict, Verdict::Proven, "{show_steps_max} steps");
        forms.insert(shown.advertised.schema.len());
    }
    assert!(forms.len() > 1, "some were too few");
}

/// What is judged is shown: no depth that compiles closes a tool.
#[test]
fn the_deepest_contract_is_shown() {
    let mut schema = serde_json::json!({ "type": "object", "properties": { "z": { "type": "integer" } } });
    for _ in 0..126 {
        schema = serde_json::json!({ "type": "object", "properties": { "a": schema } });
    }
    let contract = toolgate::Contract::from_text(&schema.to_string()).unwrap();
    for profile in toolgate::Profile::all() {
        let published = contract.publish(profile, toolgate::RootPolicy::Stated).unwrap();
        assert_eq!(published.proof.verdict, toolgate::Verdict::Proven, "{}", profile.name);
    }
}
