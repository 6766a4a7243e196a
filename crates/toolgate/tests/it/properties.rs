//! What holds for every schema and all arguments (R4.6, R6.2, R6.4), on generated ones. Independent validators vote; none
//! of their code is the core's.
//!
//! `TOOLGATE_PROPERTY_CASES` sets how many cases a property takes, `TOOLGATE_PROPERTY_SEED` which.

use crate::support::arguments::{Secret, arguments, planted, spoil};
use crate::support::schemas::{closed_root, is_plain_root, schema};
use crate::support::tape::Tape;
use crate::support::texts::{compact, reversed, varied};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};
use std::cell::Cell;
use toolgate::json::{Document, Kind, Strictness, Value as Place};
use toolgate::{Admitted, Arguments, Code, Contract, Limits, Policy, Refusal, UnknownKeys, Unusable};

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Asks a property of many tapes; a failure is shrunk and shown as `show` tells it.
fn for_all(name: &str, length: usize, show: &dyn Fn(&[u8]) -> String, property: &dyn Fn(&[u8]) -> Result<(), String>) {
    let cases = environment("TOOLGATE_PROPERTY_CASES", 8_000);
    let seed = environment("TOOLGATE_PROPERTY_SEED", 1);
    println!("{name}: {cases} cases, seed {seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases).unwrap(),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let outcome = runner.run(&vec(any::<u8>(), 0..length), |tape| property(&tape).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, tape)) => panic!("{name}: {why}\n{}", show(&tape)),
        Err(TestError::Abort(why)) => panic!("{name}: {why}"),
    }
}

/// A schema and arguments near what it admits.
struct Pair {
    schema: Value,
    arguments: Value,
}

impl Pair {
    fn new(bytes: &[u8]) -> Self {
        let middle = bytes.len() / 2;
        let schema = schema(&mut Tape::new(&bytes[..middle]));
        let arguments = arguments(&schema, &bytes[middle..]);
        Pair { schema, arguments }
    }
}

fn show(bytes: &[u8]) -> String {
    let pair = Pair::new(bytes);
    let outcome = |unknown_keys| match compile(&pair.schema.to_string(), unknown_keys) {
        Ok(contract) => told(&contract.check(Arguments::from_text(&pair.arguments.to_string()))),
        Err(unusable) => unusable.to_string(),
    };
    format!(
        "schema:     {}\narguments:  {}\nas-written: {}\nclose-root: {}",
        pair.schema,
        pair.arguments,
        outcome(UnknownKeys::AsWritten),
        outcome(UnknownKeys::CloseRoot)
    )
}

fn told(outcome: &Result<Admitted<'_>, Refusal>) -> String {
    match outcome {
        Ok(admitted) => format!("admitted {} {:?}", admitted.arguments_text(), admitted.edits()),
        Err(refusal) => format!("refused {}", refusal.to_json()),
    }
}

fn compile(schema: &str, unknown_keys: UnknownKeys) -> Result<Contract, Unusable> {
    Contract::from_text_with(schema, &Policy { unknown_keys, ..Policy::default() })
}

fn oracle(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::options().with_draft(jsonschema::Draft::Draft202012).should_validate_formats(false).build(schema).ok()
}

/// The contract under each policy that the oracle can be told: as written, and with a plain root closed.
fn contracts(schema: &Value) -> Result<Vec<(Contract, jsonschema::Validator)>, String> {
    let mut contracts = Vec::new();
    let closed = is_plain_root(schema).then(|| (UnknownKeys::CloseRoot, closed_root(schema)));
    for (policy, effective) in [Some((UnknownKeys::AsWritten, schema.clone())), closed].into_iter().flatten() {
        match compile(&schema.to_string(), policy) {
            Ok(contract) => {
                contracts.push((contract, oracle(&effective).ok_or("the oracle does not compile the schema")?))
            }
            // A schema that nothing can satisfy is closed; that the oracle cannot know.
            Err(unusable) if unusable.defects.iter().all(|defect| defect.code == "root") => {}
            Err(unusable) => return Err(format!("unusable: {unusable}")),
        }
    }
    Ok(contracts)
}

/// Whether some text inside is a list: the one thing that R5 refuses although a validator admits it.
fn holds_list_text(value: &Value) -> bool {
    match value {
        Value::String(text) => serde_json::from_str::<Vec<Value>>(text).is_ok(),
        Value::Array(items) => items.iter().any(holds_list_text),
        Value::Object(members) => members.values().any(holds_list_text),
        _ => false,
    }
}

fn is_list_as_text(refusal: &Refusal) -> bool {
    refusal.violations().iter().all(|violation| violation.code == Code::ListAsText)
}

#[test]
fn what_the_contract_admits_is_never_changed() {
    let counts = [const { Cell::new(0) }; 3];
    for_all("identity", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        let text = varied(&pair.arguments, &mut Tape::new(bytes));
        for (contract, validator) in contracts(&pair.schema)? {
            counts[0].set(counts[0].get() + 1);
            if !validator.is_valid(&pair.arguments) {
                continue;
            }
            counts[1].set(counts[1].get() + 1);
            match contract.check(Arguments::from_text(&text)) {
                Ok(admitted) if !admitted.edits().is_empty() => return Err(format!("changed: {:?}", admitted.edits())),
                Ok(admitted)
                    if serde_json::from_str::<Value>(admitted.arguments_text()).ok()
                        != serde_json::from_str(&text).ok() =>
                {
                    return Err("changed without a word".to_owned());
                }
                Ok(_) => {}
                Err(refusal) if is_list_as_text(&refusal) && holds_list_text(&pair.arguments) => {
                    counts[2].set(counts[2].get() + 1);
                }
                Err(refusal) => return Err(format!("refused: {refusal}")),
            }
        }
        Ok(())
    });
    let [judged, admitted, lists] = counts.map(Cell::into_inner);
    println!(
        "identity: {judged} judged, {admitted} admitted by the oracle, {lists} of them refused as lists written as text"
    );
    assert!(admitted * 5 > judged, "too few of the generated arguments are members");
    assert!(lists > 0, "no list written as text was met");
}

#[test]
fn what_was_changed_is_admitted_and_stays() {
    let changed = Cell::new(0);
    for_all("soundness and idempotence", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        for (contract, validator) in contracts(&pair.schema)? {
            let text = compact(&pair.arguments);
            let Ok(admitted) = contract.check(Arguments::from_text(&text)) else { continue };
            let value: Value = serde_json::from_str(admitted.arguments_text()).map_err(|_| "no JSON came out")?;
            if !validator.is_valid(&value) {
                return Err(format!("admitted, and the oracle refuses {value}"));
            }
            if admitted.edits().is_empty() {
                continue;
            }
            changed.set(changed.get() + 1);
            if validator.is_valid(&pair.arguments) {
                return Err("changed what was admitted".to_owned());
            }
            match contract.check(Arguments::from_text(admitted.arguments_text())) {
                Ok(again) if again.edits().is_empty() && again.arguments_text() == admitted.arguments_text() => {}
                again => return Err(format!("the second time: {}", told(&again))),
            }
        }
        Ok(())
    });
    println!("{} cases were changed", changed.get());
    assert!(changed.get() > 20, "too few cases were changed");
}

/// Whether `after` is `before` but for text that was read: the same names in the same order, the same digits.
fn is_kept(before: Place<'_>, after: Place<'_>) -> bool {
    if before.kind() == Kind::String && after.kind() != Kind::String {
        let text = before.as_str().unwrap();
        let inner = Document::read_str(&text, Strictness::Strict, &Limits::default());
        return inner.is_ok_and(|inner| is_kept(inner.root(), after));
    }
    match (before.kind(), after.kind()) {
        (Kind::Object, Kind::Object) => {
            before.len() == after.len()
                && before
                    .members()
                    .zip(after.members())
                    .all(|(old, new)| old.0.as_str() == new.0.as_str() && is_kept(old.1, new.1))
        }
        (Kind::Array, Kind::Array) => {
            before.len() == after.len() && before.items().zip(after.items()).all(|(old, new)| is_kept(old, new))
        }
        _ => before.text() == after.text(),
    }
}

#[test]
fn names_order_and_digits_are_conserved() {
    for_all("conservation", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        let text = varied(&pair.arguments, &mut Tape::new(bytes));
        for (contract, _) in contracts(&pair.schema)? {
            let Ok(admitted) = contract.check(Arguments::from_text(&text)) else { continue };
            let [before, after] = [&*text, admitted.arguments_text()]
                .map(|text| Document::read_str(text, Strictness::Strict, &Limits::default()).unwrap());
            if !is_kept(before.root(), after.root()) {
                return Err(format!("{text} became {}", admitted.arguments_text()));
            }
        }
        Ok(())
    });
}

/// Members of every union, list of types and list of words in reverse order.
fn unions_reversed(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => keywords
            .iter()
            .map(|(keyword, value)| {
                let value = unions_reversed(value);
                let value = match (keyword.as_str(), value) {
                    ("anyOf" | "oneOf" | "allOf" | "type" | "enum" | "required", Value::Array(mut members)) => {
                        members.reverse();
                        Value::Array(members)
                    }
                    (_, value) => value,
                };
                (keyword.clone(), value)
            })
            .collect(),
        Value::Array(items) => items.iter().map(unions_reversed).collect(),
        other => other.clone(),
    }
}

/// Verdict and value, without what follows an order on purpose (the order of violations, and which union member is shown).
fn essence(outcome: &Result<Admitted<'_>, Refusal>) -> String {
    match outcome {
        Ok(admitted) => {
            let value: Value = serde_json::from_str(admitted.arguments_text()).unwrap();
            let mut edits: Vec<_> =
                admitted.edits().iter().map(|edit| (edit.location.to_pointer(), edit.rule)).collect();
            edits.sort();
            format!("admitted {value} {edits:?}")
        }
        Err(_) => "refused".to_owned(),
    }
}

#[test]
fn no_order_changes_the_verdict() {
    for_all("order independence", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        let schemas = [compact(&pair.schema), reversed(&pair.schema), compact(&unions_reversed(&pair.schema))];
        let texts = [compact(&pair.arguments), reversed(&pair.arguments)];
        for policy in [UnknownKeys::AsWritten, UnknownKeys::CloseRoot, UnknownKeys::CloseDeclared] {
            let mut first: Option<String> = None;
            for schema in &schemas {
                let contract = compile(schema, policy);
                for text in &texts {
                    let told = match &contract {
                        Ok(contract) => essence(&contract.check(Arguments::from_text(text))),
                        Err(_) => "unusable".to_owned(),
                    };
                    match &first {
                        None => first = Some(told),
                        Some(first) if *first == told => {}
                        Some(first) => {
                            return Err(format!("{policy:?}: {first}\nbut with {schema}\n and {text}\n{told}"));
                        }
                    }
                }
            }
        }
        Ok(())
    });
}

#[test]
fn the_judge_agrees_with_two_independent_validators() {
    let third = Cell::new(0);
    for_all("differential", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        for (index, (contract, validator)) in contracts(&pair.schema)?.into_iter().enumerate() {
            let mut value = pair.arguments.clone();
            let mut tape = Tape::new(bytes);
            let others = (0..3).map(|_| {
                spoil(&mut value, &mut tape);
                value.clone()
            });
            for value in std::iter::once(pair.arguments.clone()).chain(others) {
                let ours = contract.validate(Arguments::from_text(&value.to_string()));
                let theirs = validator.is_valid(&value);
                if ours.is_ok() != theirs {
                    return Err(format!("{value}: the oracle says {theirs}, the contract says {ours:?}"));
                }
                // The third has no look-around.
                if index == 0 && bytes.len().is_multiple_of(4) && !pair.schema.to_string().contains("(?=") {
                    third.set(third.get() + 1);
                    let vote = third_vote(&pair.schema, &value)?;
                    if vote != theirs {
                        return Err(format!("{value}: the third vote is {vote}, the others say {theirs}"));
                    }
                }
            }
        }
        Ok(())
    });
    println!("{} third votes", third.get());
    assert!(third.get() > 0);
}

fn third_vote(schema: &Value, value: &Value) -> Result<bool, String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("mem:///schema.json", schema.clone()).map_err(|error| error.to_string())?;
    let index = compiler.compile("mem:///schema.json", &mut schemas).map_err(|error| error.to_string())?;
    Ok(schemas.validate(value, index).is_ok())
}

#[test]
fn an_answer_never_depends_on_chance() {
    for_all("determinism", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        let text = compact(&pair.arguments);
        let answers: Vec<_> = (0..3)
            .map(|_| {
                let contract = compile(&pair.schema.to_string(), UnknownKeys::CloseDeclared);
                contract.map(|contract| {
                    let outcome = contract.check(Arguments::from_text(&text));
                    let log = outcome.as_ref().err().map(|refusal| (refusal.text(), refusal.to_log()));
                    (told(&outcome), log, contract.skeleton())
                })
            })
            .collect();
        if answers[0] != answers[1] || answers[1] != answers[2] {
            return Err(format!("{answers:?}"));
        }
        Ok(())
    });
}

const SECRET: Secret = Secret { text: "ZQXJ-planted-7391", number: 739_104_882_615, tail: "ZQXJtail" };

fn declares(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(keywords) => keywords.iter().any(|(keyword, value)| keyword == name || declares(value, name)),
        Value::Array(items) => items.iter().any(|item| declares(item, name) || item == name),
        _ => false,
    }
}

#[test]
fn no_value_of_a_call_is_shown() {
    let shown = Cell::new(0);
    for_all("secrecy", 500, &show, &|bytes| {
        let pair = Pair::new(bytes);
        let declared = |name: &str| declares(&pair.schema, name);
        let arguments = planted(&pair.arguments, &declared, &SECRET);
        // Half of them with the secret one layer down, in text.
        let as_text =
            |value: &Value| if bytes.len().is_multiple_of(2) { value.clone() } else { json!(value.to_string()) };
        let arguments: Value =
            arguments.as_object().unwrap().iter().map(|(name, value)| (name.clone(), as_text(value))).collect();
        let text = arguments.to_string();
        for policy in [UnknownKeys::AsWritten, UnknownKeys::CloseDeclared] {
            let Ok(contract) = compile(&pair.schema.to_string(), policy) else { continue };
            let mut said = vec![format!("{:?} {contract:?}", Arguments::from_text(&text)), contract.skeleton()];
            let mut starred = vec![];
            if let Ok(document) = Document::read_str(&text, Strictness::Strict, &Limits::default()) {
                said.push(format!("{document:?} {:?}", document.root()));
            }
            match contract.check(Arguments::from_text(&text)) {
                Ok(admitted) => said.push(format!("{admitted:?} {:?}", admitted.edits())),
                Err(refusal) => {
                    shown.set(shown.get() + 1);
                    said.extend([refusal.text(), refusal.to_json(), format!("{refusal}")]);
                    starred.extend([refusal.to_log(), format!("{refusal:?} {:?}", refusal.violations())]);
                }
            }
            for said in said.iter().chain(&starred) {
                for secret in [SECRET.text, SECRET.tail, &SECRET.number.to_string(), "ZQXJ"] {
                    if said.contains(secret) {
                        return Err(format!("{secret} is shown in {said}"));
                    }
                }
            }
            if let Some(said) = starred.iter().find(|said| said.contains("nnnn")) {
                return Err(format!("an undeclared name is shown in {said}"));
            }
        }
        Ok(())
    });
    println!("{} refusals were looked through", shown.get());
    assert!(shown.get() > 100);
}

/// JSON text, mutated or not.
fn raw_text(bytes: &[u8]) -> Vec<u8> {
    let mut tape = Tape::new(bytes);
    let schema = schema(&mut tape);
    let value = if tape.once_in(2) { schema } else { arguments(&schema, bytes) };
    let mut text = varied(&value, &mut tape).into_bytes();
    let pieces: [&[u8]; 22] = [
        b"\"",
        b"\\",
        b"\\u0041",
        b"\\ud800",
        b"\\ud83d\\ude00",
        b"\\udc00",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"0",
        b"-",
        b"1e5",
        b".5",
        b"1E+400",
        b"\xff",
        b"\xc3",
        b"\x00",
        b"null",
        b"\"a\":1,",
    ];
    for _ in 0..tape.below(5) {
        let at = tape.below(text.len().min(256) + 1) % (text.len() + 1);
        match tape.below(3) {
            0 if !text.is_empty() => {
                text.remove(at.min(text.len() - 1));
            }
            1 => text.truncate(at),
            _ => {
                let piece = pieces[tape.below(pieces.len())];
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
    text
}

fn is_same(place: Place<'_>, value: &Value) -> bool {
    match (place.kind(), value) {
        (Kind::Null, Value::Null) => true,
        (Kind::Boolean, Value::Bool(value)) => place.as_bool() == Some(*value),
        (Kind::Number, Value::Number(number)) => place.text().parse::<f64>().ok() == number.as_f64(),
        (Kind::String, Value::String(text)) => place.as_str().as_deref() == Some(text),
        (Kind::Array, Value::Array(items)) => {
            place.len() == items.len() && place.items().zip(items).all(|(place, item)| is_same(place, item))
        }
        (Kind::Object, Value::Object(members)) => {
            place.len() == members.len()
                && place.members().all(|(name, place)| {
                    members.get(&*name.as_str().unwrap()).is_some_and(|value| is_same(place, value))
                })
        }
        _ => false,
    }
}

#[test]
fn what_is_read_is_json_and_reads_the_same() {
    let read = [const { Cell::new(0) }; 2];
    let show = |bytes: &[u8]| format!("text: {:?}", String::from_utf8_lossy(&raw_text(bytes)));
    for_all("reading", 300, &show, &|bytes| {
        for text in [raw_text(bytes), bytes.to_vec()] {
            let ours = Document::read(&text, Strictness::Strict, &Limits::default());
            let theirs = serde_json::from_slice::<Value>(&text);
            match (ours, theirs) {
                (Ok(document), Ok(value)) => {
                    read[0].set(read[0].get() + 1);
                    if !is_same(document.root(), &value) {
                        return Err(format!("read as {value}"));
                    }
                }
                // A number that binary floats cannot hold.
                (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {}
                (Ok(_), Err(error)) => return Err(format!("read although {error}")),
                (Err(fault), Ok(_)) => {
                    read[1].set(read[1].get() + 1);
                    if !matches!(fault.code, Code::DuplicateName | Code::NumberRange | Code::DepthLimit) {
                        return Err(format!("refused by {fault}"));
                    }
                }
                (Err(_), Err(_)) => {}
            }
        }
        Ok(())
    });
    println!("{} texts were read, {} refused that another reader takes", read[0].get(), read[1].get());
    assert!(read[0].get() > 100);
}
