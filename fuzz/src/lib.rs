//! What each fuzz target asks of one input, and the inputs to begin with. Called by libFuzzer and, over the seeds and some
//! thousand mutations of them, by `crates/toolgate/tests/it/fuzz_smoke.rs` in every test run.

use serde_json::Value;
use toolgate::json::{Document, Kind, Strictness, Value as Place};
use toolgate::{
    Admitted, Arguments, Code, Contract, Limits, OptIns, Origin, Policy, Profile, Refusal, RootPolicy, Unions,
    UnknownKeys, Verdict,
};

/// What one target does with one input; panics where a property does not hold.
pub type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 4] = [("read", read), ("compile", compile), ("check", check), ("shown", shown)];

/// The bounds while fuzzing: small, so that an input that reaches one ends soon.
fn limits() -> Limits {
    Limits { steps_max: 200_000, compile_steps_max: 200_000, size_max_bytes: 256 * 1024, ..Limits::default() }
}

/// Reading: no panic; what is read is JSON and means the same to another reader; what is refused has a reason.
pub fn read(data: &[u8]) {
    let limits = limits();
    let document = match Document::read(data, Strictness::Strict, &limits) {
        Ok(document) => document,
        Err(fault) => {
            assert!(fault.offset <= data.len());
            // Lenient reading takes no less than strict reading, and never what is no JSON.
            if Document::read(data, Strictness::Frame, &limits).is_ok() {
                assert_ne!(fault.code, Code::InvalidJson);
            }
            if let Ok(value) = serde_json::from_slice::<Value>(data) {
                let own = [Code::DuplicateName, Code::NumberRange, Code::DepthLimit, Code::SizeLimit];
                assert!(own.contains(&fault.code), "{fault} and another reader takes a {}", kind(&value));
            }
            return;
        }
    };
    assert!(Document::read(data, Strictness::Frame, &limits).is_ok());
    match serde_json::from_slice::<Value>(data) {
        Ok(value) => assert!(is_same(document.root(), &value)),
        // A number that binary floats cannot hold.
        Err(error) => assert!(error.to_string().starts_with("number out of range"), "{error}"),
    }
    let again = Document::read_str(document.root().text(), Strictness::Strict, &limits);
    assert!(again.is_ok_and(|again| again.root().text() == document.root().text()));
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
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
            let same = |(name, place): (Place<'_>, Place<'_>)| {
                name.as_str().and_then(|name| members.get(&*name)).is_some_and(|value| is_same(place, value))
            };
            place.len() == members.len() && place.members().all(same)
        }
        _ => false,
    }
}

/// Compiling: no panic and no overflow, under every policy; twice the same; each defect in words.
pub fn compile(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for (index, policy) in policies().into_iter().enumerate() {
        match Contract::from_text_with(text, &policy) {
            Ok(contract) => {
                assert!(contract.skeleton().len() < 100_000);
                assert!(contract.set_aside().iter().all(|aside| !aside.why.is_empty()));
                judge(&contract, &policy, b"{}");
            }
            Err(unusable) => {
                assert!(!unusable.defects.is_empty());
                assert!(unusable.defects.iter().all(|defect| !defect.code.is_empty() && !defect.message.is_empty()));
                assert_eq!(Contract::from_text_with(text, &policy).err(), Some(unusable));
            }
        }
        if index == 0
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let _ = Contract::compile_with(&value, &policy);
        }
    }
}

/// Showing: what compiles is shown under every kind of profile, is a JSON object, and was proven; no form of ours is ever
/// refuted; twice the same.
pub fn shown(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for policy in policies().into_iter().take(3) {
        let Ok(contract) = Contract::from_text_with(text, &policy) else { continue };
        for name in ["portable", "plain", "openai-strict", "gemini"] {
            let Some(profile) = Profile::named(name) else { continue };
            let Ok(published) = contract.publish(profile, RootPolicy::Stated) else { continue };
            assert_eq!(published.proof.verdict, Verdict::Proven);
            let refuted = |verdict: &Verdict| matches!(verdict, Verdict::Refuted { .. });
            let fell_back = published.fell_back.as_ref();
            assert!(!fell_back.is_some_and(|fell_back| refuted(&fell_back.verdict)), "{name}: {fell_back:?}");
            let shown = &published.advertised.schema;
            let read = Document::read_str(shown, Strictness::Strict, &Limits::default());
            assert!(read.is_ok_and(|read| read.root().kind() == Kind::Object), "{shown}");
            let again = contract.publish(profile, RootPolicy::Stated);
            assert!(again.is_ok_and(|again| again.advertised == published.advertised));
        }
    }
}

/// Judging: the first line is the schema, the rest are the arguments.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let (Some(schema), Some(arguments)) = (parts.next(), parts.next()) else { return };
    let Ok(schema) = std::str::from_utf8(schema) else { return };
    for policy in policies() {
        if let Ok(contract) = Contract::from_text_with(schema, &policy) {
            judge(&contract, &policy, arguments);
        }
    }
}

fn policies() -> [Policy; 5] {
    let base = Policy { limits: limits(), ..Policy::default() };
    let mut wide = Policy { unknown_keys: UnknownKeys::CloseDeclared, ..base.clone() };
    wide.options.set_all(OptIns::WORDS.iter().copied()).unwrap();
    [
        base.clone(),
        Policy { unknown_keys: UnknownKeys::AsWritten, ..base.clone() },
        wide,
        Policy { origin: Origin::Discovered, ..base.clone() },
        Policy { origin: Origin::Discovered, unions: Unions::Local, ..base },
    ]
}

fn judge(contract: &Contract, policy: &Policy, arguments: &[u8]) {
    let outcome = contract.check(Arguments::from_bytes(arguments));
    assert_eq!(told(&outcome), told(&contract.check(Arguments::from_bytes(arguments))));
    match &outcome {
        Ok(admitted) => admit(contract, policy, admitted),
        Err(refusal) => {
            assert!(!refusal.violations().is_empty() && refusal.violations().len() <= policy.limits.violations_max);
            assert!(refusal.text().lines().all(|line| !line.contains('\u{1b}')));
            assert!(serde_json::from_str::<Value>(&refusal.to_json()).is_ok());
        }
    }
    let _ = contract.validate(Arguments::from_bytes(arguments));
}

fn told(outcome: &Result<Admitted<'_>, Refusal>) -> String {
    match outcome {
        Ok(admitted) => format!("{} {:?} {:?}", admitted.arguments_text(), admitted.edits(), admitted.deferred()),
        Err(refusal) => refusal.to_json(),
    }
}

/// What was admitted is an object on one line, and is admitted again, unchanged.
fn admit(contract: &Contract, policy: &Policy, admitted: &Admitted<'_>) {
    let text = admitted.arguments_text();
    assert!(!text.contains(['\n', '\r']));
    let document = Document::read_str(text, Strictness::Strict, &policy.limits).map(|document| document.root().kind());
    assert_eq!(document, Ok(Kind::Object), "{text}");
    let again = contract.check(Arguments::from_text(text));
    let is_unchanged = again.as_ref().is_ok_and(|again| again.arguments_text() == text && again.edits().is_empty());
    assert!(is_unchanged, "{text}, the second time: {}", told(&again));
    if admitted.deferred().is_empty() && admitted.forwarded().is_empty() {
        let judged = contract.validate(Arguments::from_text(text));
        assert!(judged.is_ok(), "{text} was admitted and does not satisfy the contract: {judged:?}");
    }
}

/// Inputs to begin with, from the text of `cases/judge.json`: one for every target that can use the case.
pub fn seeds(cases: &str) -> Vec<(&'static str, Vec<u8>)> {
    let cases: Value = serde_json::from_str(cases).unwrap_or_default();
    let mut seeds = Vec::new();
    for case in cases["cases"].as_array().into_iter().flatten() {
        let request = &case["request"];
        let schema = request["schema_text"].as_str().map_or_else(|| request["schema"].to_string(), str::to_owned);
        let arguments = request["arguments_text"].as_str().unwrap_or("{}");
        // A line ends the schema, and white space inside JSON text may be any.
        let schema = schema.replace(['\n', '\r'], " ");
        seeds.push(("read", arguments.as_bytes().to_vec()));
        seeds.push(("compile", schema.as_bytes().to_vec()));
        seeds.push(("shown", schema.as_bytes().to_vec()));
        seeds.push(("check", format!("{schema}\n{arguments}").into_bytes()));
    }
    seeds
}
