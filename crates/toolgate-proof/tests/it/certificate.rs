//! Certificates: what is certified replays, and nothing else does, whoever wrote it.

use crate::support::random::Random;
use crate::support::schemas::Maker;
use serde_json::{Value, json};
use toolgate_proof::{
    Certificate, CertificateFault, DecodeStep, Input, Options, ReplayFault, Sampler, SamplerOptions, UnknownKeys,
    Verdict, certify, narrowings, replay,
};

fn as_written() -> Options {
    Options { unknown_keys: UnknownKeys::AsWritten, ..Options::default() }
}

#[track_caller]
fn certified(contract: &str, advertised: &str, options: &Options) -> Certificate {
    let (proof, certificate) = certify(contract, advertised, options).unwrap();
    let certificate = certificate.unwrap_or_else(|| panic!("{:?} is not certified", proof.verdict));
    let again = Certificate::from_json(&certificate.to_json()).unwrap();
    assert_eq!(certificate, again);
    assert_eq!(replay(&again, contract, advertised), Ok(()), "{contract}\n{advertised}");
    again
}

#[test]
fn a_proof_replays_from_its_text() {
    let contract = json!({ "oneOf": [
        { "type": "object", "properties": { "t": { "const": "a" }, "n": { "type": "integer" } }, "required": ["t", "n"] },
        { "type": "object", "properties": { "t": { "const": "b" }, "next": { "$ref": "#" } }, "required": ["t"] },
    ] });
    let advertised = json!({ "type": "object", "properties": {
        "t": { "enum": ["a", "b"] }, "n": { "description": "any" }, "next": { "type": "object", "required": ["t"] },
    }, "required": ["t"] });
    let certificate = certified(&contract.to_string(), &advertised.to_string(), &Options::default());
    assert!(certificate.is_proof());
    let text = certificate.to_json();
    assert!(text.contains("\"a /properties/t\"") && text.contains("+c /oneOf/0"), "{text}");
}

#[test]
fn a_counterexample_replays_by_being_executed() {
    let contract = r#"{"properties":{"a":{"type":"integer"}}}"#;
    let narrower = r#"{"properties":{"a":{"type":"integer","maximum":3}}}"#;
    let certificate = certified(contract, narrower, &as_written());
    assert!(!certificate.is_proof());
    let forged = certificate.to_json().replace("{\\\"a\\\":", "{\\\"b\\\":");
    assert_ne!(forged, certificate.to_json());
    let forged = Certificate::from_json(&forged).unwrap();
    assert_eq!(replay(&forged, contract, narrower), Err(ReplayFault::Counterexample));
}

#[test]
fn unknown_has_no_certificate() {
    let (proof, certificate) = certify(
        r#"{"properties":{"a":{"pattern":"^(?=a)"}}}"#,
        r#"{"properties":{"a":{"pattern":"^a"}}}"#,
        &as_written(),
    )
    .unwrap();
    assert!(matches!(proof.verdict, Verdict::Unknown { .. }), "{proof:?}");
    assert_eq!(certificate, None);
}

#[test]
fn another_text_is_another_matter() {
    let (contract, advertised) = (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"type":"object"}"#);
    let certificate = certified(contract, advertised, &as_written());
    let spaced = format!("{contract} ");
    assert_eq!(replay(&certificate, &spaced, advertised), Err(ReplayFault::Digest(Input::Contract)));
    assert_eq!(replay(&certificate, contract, "{}"), Err(ReplayFault::Digest(Input::Advertised)));
    let other = certificate.to_json().replace(certificate.checker(), "0.0.0-other");
    assert_eq!(replay(&Certificate::from_json(&other).unwrap(), contract, advertised), Err(ReplayFault::Checker));
}

/// What is no certificate is refused by the member that is at fault.
#[test]
fn a_text_that_is_no_certificate_is_told_by_its_members() {
    let (contract, advertised) = (r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"type":"object"}"#);
    let whole = certified(contract, advertised, &as_written()).to_json();
    let fault = |text: &str| Certificate::from_json(text).unwrap_err();
    assert!(matches!(fault(""), CertificateFault::Json(_)));
    assert!(
        matches!(fault(&format!("{whole}{}", " ".repeat(17 << 20))), CertificateFault::Json(why) if why.contains("longer"))
    );
    for other in ["{}", "[]", r#"{"format":"toolgate-certificate/2","more":1}"#] {
        assert_eq!(fault(other), CertificateFault::Format, "{other}");
    }
    for (from, to, told) in [
        (r#""checker":"#, r#""chekcer":"#, "`certificate` has a member that is not known: `chekcer`"),
        (r#""options":{"#, r#""options":{"a\u202eb":1,"#, "`options` has a member that is not known: `a\\u{202e}b`"),
        (r#""options":{"#, r#""options":{"nullable":1,"#, "`nullable` in `options` cannot be read"),
        (r#""map":[{"#, r#""map":[{"by":1,"#, "`map` has a member that is not known: `by`"),
        (r#""map":["#, r#""map":[7,"#, "entry 1 of `map` cannot be read"),
        (r#""map":["#, r#""counterexample_text":["#, "the certificate has no `map` that is a list"),
        (
            r#""verdict":"proven""#,
            r#""verdict":"refuted""#,
            "the certificate has no `counterexample_text` that is a string",
        ),
        (r#""verdict":"proven""#, r#""verdict":"maybe""#, "the verdict of the certificate is not known"),
    ] {
        let changed = whole.replacen(from, to, 1);
        assert_ne!(changed, whole);
        assert_eq!(fault(&changed).to_string(), told);
    }
}

/// Takes one entry after the other out of the map.
#[test]
fn every_entry_is_needed() {
    let contract = r##"{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/i"}},"b":{"type":["string","null"]}},"additionalProperties":false,"$defs":{"i":{"type":"object","properties":{"x":{"type":"integer"}}}}}"##;
    let advertised = r#"{"type":"object","properties":{"a":{"items":{"properties":{"x":{"type":"number"}}}},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#;
    let certificate = certified(contract, advertised, &as_written());
    let whole: Value = serde_json::from_str(&certificate.to_json()).unwrap();
    let count = whole["map"].as_array().unwrap().len();
    assert!(count > 5, "{count} entries");
    for index in 0..count {
        let mut less = whole.clone();
        let taken = less["map"].as_array_mut().unwrap().remove(index);
        let less = Certificate::from_json(&less.to_string()).unwrap();
        let fault = replay(&less, contract, advertised).expect_err(&taken.to_string());
        assert!(matches!(fault, ReplayFault::Step { .. } | ReplayFault::Malformed(_)), "{fault:?}");
    }
}

#[test]
fn decode_steps_are_certified_too() {
    let contract = r#"{"type":"object","properties":{"a b":{"type":"integer"},"q":{"type":"array","items":{"enum":[1,2]}}},"additionalProperties":false}"#;
    let advertised = r#"{"type":"object","properties":{"a_b":{"type":"integer"},"q":{"type":["array","null"],"items":{"enum":["1","2"]}}},"required":["q"],"additionalProperties":false}"#;
    let decode = vec![
        DecodeStep::Rename { location: String::new(), name: "a b".into(), sent: "a_b".into() },
        DecodeStep::NullMeansAbsent { location: "/q".into() },
        DecodeStep::EnumText { location: "/q/*".into() },
    ];
    let certificate = certified(contract, advertised, &Options { decode, ..Options::default() });
    assert!(certificate.is_proof());
    let without = certificate.to_json().replace("\"enum-text\"", "\"enum-case\"");
    let without = Certificate::from_json(&without).unwrap();
    assert!(replay(&without, contract, advertised).is_err());
}

/// A certificate of one pair, put under the digests of another.
fn forged(certificate: &Certificate, of: &Certificate) -> Certificate {
    let mut forged: Value = serde_json::from_str(&certificate.to_json()).unwrap();
    forged["contract"] = json!(of.contract_digest());
    forged["advertised"] = json!(of.advertised_digest());
    Certificate::from_json(&forged.to_string()).unwrap()
}

#[test]
fn a_forged_proof_of_a_refuted_pair_never_replays() {
    let (mut replayed, mut refused) = (0, 0);
    let count = std::env::var("TOOLGATE_PROOF_SEEDS").ok().map_or(250, |count| count.parse().unwrap());
    for seed in 0..count {
        let mut random = Random::new(seed ^ 0xce27);
        let contract = Maker::new(&mut random).contract();
        let text = contract.to_string();
        let (_, certificate) = certify(&text, &text, &as_written()).unwrap();
        let Some(certificate) = certificate.filter(Certificate::is_proof) else { continue };
        assert_eq!(replay(&certificate, &text, &text), Ok(()), "seed {seed}: {text}");
        replayed += 1;
        let options =
            SamplerOptions { unknown_keys: UnknownKeys::AsWritten, seed, steps_max: 100_000, ..Default::default() };
        let members: Vec<Value> = Sampler::new(&text, options)
            .unwrap()
            .take(20)
            .filter(|text| !text.contains("12345678901234567890") && !text.contains("9007199254740993"))
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect();
        let all = narrowings(&text).unwrap();
        for _ in 0..6.min(all.len()) {
            let twin = &all[random.below(all.len())].schema;
            let (proof, theirs) = certify(&text, twin, &as_written()).unwrap();
            let narrower = jsonschema::validator_for(&serde_json::from_str(twin).unwrap()).unwrap();
            let Some(theirs) = theirs.filter(|_| matches!(proof.verdict, Verdict::Refuted { .. })) else {
                continue;
            };
            let forgery = forged(&certificate, &theirs);
            assert!(replay(&forgery, &text, twin).is_err(), "seed {seed}: {text}\n{twin}");
            refused += 1;
            if let Some(member) = members.iter().find(|member| !narrower.is_valid(member)) {
                assert_ne!(proof.verdict, Verdict::Proven, "{member}");
            }
        }
    }
    println!("{replayed} proofs replayed, {refused} forgeries refused");
    assert!(replayed > 100 && refused > 100);
}
