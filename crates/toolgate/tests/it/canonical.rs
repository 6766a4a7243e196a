//! A second vote on inclusion: the `canonical` module of the crate `jsonschema` decides by another method whether one schema
//! covers another. Its "yes" and "no" are votes; what counts is a value that two validators confirm.
//!
//! Here the arguments of authored tools, with the key policy written out, so that both are asked about the same two documents.
//! The short form takes a part of the real tools; `TOOLGATE_FULL=1` takes all (`cargo xtask full`).

use crate::support::catalogs;
use jsonschema::Draft;
use jsonschema::canonical::{self, CanonicalKind, CanonicalSchema, Containment};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use toolgate::profile::Shape;
use toolgate::{Contract, Policy, Profile, RootPolicy, UnknownKeys, Verdict, proof_options};
use toolgate_proof::{Sampler, SamplerOptions, narrowings, prove};

/// Larger documents are left out: the other side takes minutes over some of them.
const BYTES_MAX: usize = 12_000;

fn is_full() -> bool {
    std::env::var("TOOLGATE_FULL").is_ok_and(|value| value == "1")
}

/// The document with what a call adds to it: arguments are an object, and where the root closes, it says so. `None` where
/// the closing cannot be written as one keyword.
fn spelled_out(schema: &Value, unknown_keys: UnknownKeys) -> Option<Value> {
    const SAYS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];
    const COMPOSITIONS: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "not"];
    let mut spelled = schema.clone();
    let members = spelled.as_object_mut()?;
    members.entry("type").or_insert(json!("object"));
    if unknown_keys == UnknownKeys::AsWritten || SAYS.iter().any(|keyword| schema.get(*keyword).is_some()) {
        return Some(spelled);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_declared = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if !required.all(is_declared) || schema.get("dependentRequired").is_some() || schema.get("dependencies").is_some() {
        return None;
    }
    let is_composed = COMPOSITIONS.iter().any(|keyword| schema.get(*keyword).is_some());
    let keyword = if is_composed { "unevaluatedProperties" } else { "additionalProperties" };
    spelled.as_object_mut()?.insert(keyword.to_owned(), json!(false));
    Some(spelled)
}

fn draft_of(schema: &Value) -> Draft {
    Draft::default().detect(schema)
}

fn canonical(schema: &Value, draft: Draft) -> Option<CanonicalSchema> {
    let options = canonical::options().offline().with_draft(draft).should_validate_formats(false);
    options.canonicalize(schema).ok().filter(|schema| schema.kind() != CanonicalKind::Raw)
}

fn forget_formats(schema: &mut Value) {
    match schema {
        Value::Array(members) => members.iter_mut().for_each(forget_formats),
        Value::Object(keywords) => {
            keywords.retain(|keyword, value| keyword != "format" || !value.is_string());
            for (keyword, value) in keywords {
                match keyword.as_str() {
                    "enum" | "const" | "default" | "examples" => {}
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                        value.as_object_mut().into_iter().flat_map(|named| named.values_mut()).for_each(forget_formats);
                    }
                    _ => forget_formats(value),
                }
            }
        }
        _ => {}
    }
}

/// The two validators that have to agree before a value is believed.
struct Validators {
    one: jsonschema::Validator,
    other: (boon::Schemas, boon::SchemaIndex),
}

impl Validators {
    fn new(schema: &Value, draft: Draft) -> Option<Self> {
        let options = jsonschema::options().with_draft(draft).should_validate_formats(false).offline();
        let one = options.build(schema).ok()?;
        let mut compiler = boon::Compiler::new();
        compiler.set_default_draft(match draft {
            Draft::Draft4 => boon::Draft::V4,
            Draft::Draft6 => boon::Draft::V6,
            Draft::Draft7 => boon::Draft::V7,
            Draft::Draft201909 => boon::Draft::V2019_09,
            _ => boon::Draft::V2020_12,
        });
        // Unlike the judge, it lets `format` assert in the older drafts.
        let mut silent = schema.clone();
        forget_formats(&mut silent);
        compiler.add_resource("mem:///schema", silent).ok()?;
        let mut schemas = boon::Schemas::new();
        let index = compiler.compile("mem:///schema", &mut schemas).ok()?;
        Some(Validators { one, other: (schemas, index) })
    }

    fn both_admit(&self, value: &Value) -> bool {
        self.one.is_valid(value) && self.other.0.validate(value, self.other.1).is_ok()
    }

    fn both_refuse(&self, value: &Value) -> bool {
        !self.one.is_valid(value) && self.other.0.validate(value, self.other.1).is_err()
    }
}

/// One question: does `advertised` admit every value of `contract`?
struct Pair<'a> {
    contract: &'a Value,
    advertised: &'a Value,
    draft: Draft,
}

impl Pair<'_> {
    /// Whether both validators say that `value` is a legal call that the advertised schema hides; `None` where one of them
    /// cannot read a document, which a pattern with look-around is enough for.
    fn is_hidden(&self, value: &Value) -> Option<bool> {
        let contract = Validators::new(self.contract, self.draft)?;
        let advertised = Validators::new(self.advertised, self.draft)?;
        Some(contract.both_admit(value) && advertised.both_refuse(value))
    }

    /// A hidden call, looked for among members of the contract and of what is left of it without the advertised schema.
    fn hidden_call(&self, contract: &CanonicalSchema, advertised: &CanonicalSchema) -> Option<Value> {
        let left = contract.subtract(advertised).ok().map(|left| left.to_json_schema().to_string());
        let sources = left.into_iter().chain([self.contract.to_string()]);
        let members = sources.flat_map(|source| {
            let options = SamplerOptions {
                unknown_keys: toolgate_proof::UnknownKeys::AsWritten,
                seed: 3,
                ..SamplerOptions::default()
            };
            Sampler::new(&source, options).into_iter().flat_map(|sampler| sampler.take(60)).collect::<Vec<_>>()
        });
        members.filter_map(|text| serde_json::from_str(&text).ok()).find(|value| self.is_hidden(value) == Some(true))
    }
}

#[derive(Default)]
struct Votes {
    yes: usize,
    no: usize,
    unknown: usize,
    cannot_read: usize,
}

impl Votes {
    fn count(&mut self, vote: Option<Containment>) {
        match vote {
            Some(Containment::Yes) => self.yes += 1,
            Some(Containment::No) => self.no += 1,
            Some(Containment::Unknown) => self.unknown += 1,
            None => self.cannot_read += 1,
        }
    }
}

fn contracts(every: usize, unknown_keys: UnknownKeys) -> Option<Vec<(String, Value, Contract)>> {
    let tools = catalogs::tools()?;
    let every = if is_full() { 1 } else { every };
    let policy = Policy { unknown_keys, ..Policy::default() };
    let usable = tools.into_iter().step_by(every).filter_map(|tool| {
        let contract = Contract::from_text_with(&tool.schema_text, &policy).ok()?;
        // What the other side cannot be told is not asked about.
        if !contract.set_aside().is_empty() || tool.schema_text.len() > BYTES_MAX {
            return None;
        }
        Some((tool.label, spelled_out(&tool.schema, unknown_keys)?, contract))
    });
    Some(usable.collect())
}

/// Flat forms whose text admits no less under the standard than to its reader, each once: most profiles write the same.
fn flat_forms(contract: &Contract) -> BTreeMap<String, Vec<&'static str>> {
    let mut forms: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for profile in Profile::all().iter().filter(|profile| profile.shape == Shape::Flat && !profile.reads.nullable) {
        let Ok(shown) = contract.publish(profile, RootPolicy::Stated) else { continue };
        // A second judge knows nothing of decode steps.
        if shown.advertised.decode.is_empty() {
            assert_eq!(shown.proof.verdict, Verdict::Proven);
            forms.entry(shown.advertised.schema).or_default().push(profile.name);
        }
    }
    forms
}

#[test]
fn no_confirmed_call_contradicts_what_was_proven() {
    let mut asked = 0;
    let mut agreed = 0;
    for unknown_keys in [UnknownKeys::CloseRoot, UnknownKeys::AsWritten] {
        let Some(contracts) = contracts(12, unknown_keys) else { return };
        let mut votes = Votes::default();
        let (mut forms, mut unconfirmed) = (0, Vec::new());
        let mut profiles = BTreeSet::new();
        for (label, contract, compiled) in &contracts {
            let draft = draft_of(contract);
            let canonical_contract = canonical(contract, draft);
            for (text, names) in flat_forms(compiled) {
                forms += 1;
                profiles.extend(names);
                let advertised: Value = serde_json::from_str(&text).unwrap();
                let pair = Pair { contract, advertised: &advertised, draft };
                let both = canonical_contract.as_ref().zip(canonical(&advertised, draft));
                let vote = both.as_ref().and_then(|(contract, advertised)| advertised.covers(contract).ok());
                votes.count(vote);
                if let (Some(Containment::No), Some((canonical_contract, canonical_advertised))) = (vote, &both) {
                    let hidden = pair.hidden_call(canonical_contract, canonical_advertised);
                    assert!(hidden.is_none(), "{label}: {} is hidden by {text}", hidden.unwrap());
                    unconfirmed.push(label.clone());
                }
            }
        }
        println!(
            "{unknown_keys:?}: {} tools under {} flat profiles, {forms} forms: {} yes, {} no, {} unknown, {} it cannot read",
            contracts.len(),
            profiles.len(),
            votes.yes,
            votes.no,
            votes.unknown,
            votes.cannot_read
        );
        unconfirmed.dedup();
        unconfirmed.iter().take(20).for_each(|label| println!("    no, and no call shows it: {label}"));
        asked += forms;
        agreed += votes.yes;
    }
    assert!(asked > 500 && agreed * 2 > asked, "only {agreed} of {asked} were agreed upon");
}

#[test]
fn who_is_right_about_schemas_made_narrower() {
    let Some(contracts) = contracts(40, UnknownKeys::AsWritten) else { return };
    let options = proof_options(&Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() });
    let mut table: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut wrong_covers, mut one_cannot_read) = (Vec::new(), 0);
    for (label, contract, compiled) in &contracts {
        let draft = draft_of(contract);
        let Some(canonical_contract) = canonical(contract, draft) else { continue };
        let Ok(shown) = compiled.publish(Profile::portable(), RootPolicy::Stated) else { continue };
        for narrowing in narrowings(&shown.advertised.schema).unwrap().into_iter().step_by(3).take(8) {
            let advertised: Value = serde_json::from_str(&narrowing.schema).unwrap();
            let Some(canonical_advertised) = canonical(&advertised, draft) else { continue };
            let vote = canonical_advertised.covers(&canonical_contract).ok();
            let proof = prove(&contract.to_string(), &narrowing.schema, &options).unwrap();
            let pair = Pair { contract, advertised: &advertised, draft };
            let ours = match &proof.verdict {
                Verdict::Proven => "proven",
                Verdict::Refuted { counterexample, .. } => {
                    let counterexample = serde_json::from_str(counterexample).unwrap();
                    let is_hidden = pair.is_hidden(&counterexample);
                    assert_ne!(is_hidden, Some(false), "{label}: {counterexample}\n{contract}\n{advertised}");
                    one_cannot_read += usize::from(is_hidden.is_none());
                    if vote == Some(Containment::Yes) {
                        wrong_covers.push(format!("{label} {} {}", narrowing.pointer, narrowing.what));
                    }
                    "refuted"
                }
                _ => "unknown",
            };
            if ours == "proven" && vote == Some(Containment::No) {
                let hidden = pair.hidden_call(&canonical_contract, &canonical_advertised);
                assert!(hidden.is_none(), "{label}: {} is hidden by {}", hidden.unwrap(), narrowing.schema);
            }
            *table.entry((ours, vote.map_or("error", Containment::as_str))).or_default() += 1;
        }
    }
    println!("narrowed forms, as the checker says and as the second judge says whether they cover the contract");
    table.iter().for_each(|((ours, vote), count)| println!("    {ours:<8} {vote:<8} {count}"));
    println!(
        "    counterexamples of the checker that both validators confirm, but for {one_cannot_read} that one cannot read"
    );
    wrong_covers.iter().for_each(|wrong| println!("    it covers nothing here, by a confirmed call: {wrong}"));
    let refuted: usize = table.iter().filter(|((ours, _), _)| *ours == "refuted").map(|(_, count)| count).sum();
    let seconded = table.get(&("refuted", "no")).copied().unwrap_or_default();
    assert!(refuted > 200 && seconded > 50, "{refuted} refuted, {seconded} of them by both");
    assert!(one_cannot_read * 100 < refuted, "{one_cannot_read} of {refuted} could not be confirmed");
}
