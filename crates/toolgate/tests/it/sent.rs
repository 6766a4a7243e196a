//! What a model sends for a call, in the shape that it was shown, is what the contract reads: hostile contracts under every
//! profile, each member written in the shown form, asked of an independent validator, and read back.

use crate::support::nasty::nasty;
use crate::support::tape::Tape;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use toolgate::{
    Arguments, Contract, DecodeStep, Policy, Profile, RootPolicy, Showing, ToolSet, UnknownKeys, Verdict, proof_options,
};
use toolgate_proof::{Certificate, Sampler, SamplerOptions, replay};

const POLICIES: [UnknownKeys; 3] = [UnknownKeys::AsWritten, UnknownKeys::CloseRoot, UnknownKeys::CloseDeclared];

/// Writes what has to be sent for a value.
struct Sender<'s> {
    steps: Vec<(Vec<String>, &'s DecodeStep)>,
    /// Words that the shown form lists.
    words: Vec<String>,
}

/// A step into the arguments: a name, or an item.
type Path = Vec<Option<String>>;

fn segments(location: &str) -> Vec<String> {
    location.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect()
}

fn listed_words(schema: &Value, words: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            let listed = members.get("enum").and_then(Value::as_array).into_iter().flatten();
            words.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| listed_words(member, words));
        }
        Value::Array(items) => items.iter().for_each(|item| listed_words(item, words)),
        _ => {}
    }
}

impl<'s> Sender<'s> {
    fn new(steps: &'s [DecodeStep], shown: &Value) -> Self {
        let location = |step: &'s DecodeStep| match step {
            DecodeStep::Rename { location, .. }
            | DecodeStep::NullMeansAbsent { location }
            | DecodeStep::EnumText { location }
            | DecodeStep::EnumCase { location, .. } => segments(location),
            other => panic!("{other:?}"),
        };
        let mut words = Vec::new();
        listed_words(shown, &mut words);
        Sender { steps: steps.iter().map(|step| (location(step), step)).collect(), words }
    }

    fn at(&self, path: &Path) -> impl Iterator<Item = &'s DecodeStep> {
        let is_at = move |location: &[String]| {
            location.len() == path.len()
                && location.iter().zip(path).all(|(segment, at)| segment == "*" || at.as_ref() == Some(segment))
        };
        self.steps.iter().filter(move |(location, _)| is_at(location)).map(|(_, step)| *step)
    }

    fn name(&self, path: &Path, name: &str) -> String {
        let renamed = self.at(path).find_map(|step| match step {
            DecodeStep::Rename { name: known, sent, .. } if known == name => Some(sent.clone()),
            _ => None,
        });
        renamed.unwrap_or_else(|| name.to_owned())
    }

    fn send(&self, value: &Value, path: &mut Path) -> Value {
        match value {
            Value::Object(members) => {
                let mut sent = Map::new();
                for (name, member) in members {
                    path.push(Some(name.clone()));
                    let member = self.send(member, path);
                    path.pop();
                    sent.insert(self.name(path, name), member);
                }
                for (location, step) in &self.steps {
                    let Some((last, head)) = location.split_last() else { continue };
                    let is_here = head.len() == path.len()
                        && head
                            .iter()
                            .zip(path.iter())
                            .all(|(segment, at)| segment == "*" || at.as_ref() == Some(segment));
                    if is_here && matches!(step, DecodeStep::NullMeansAbsent { .. }) && !members.contains_key(last) {
                        sent.insert(self.name(path, last), Value::Null);
                    }
                }
                sent.into()
            }
            Value::Array(items) => items
                .iter()
                .map(|item| {
                    path.push(None);
                    let item = self.send(item, path);
                    path.pop();
                    item
                })
                .collect(),
            Value::Number(_) if self.at(path).any(|step| matches!(step, DecodeStep::EnumText { .. })) => {
                let is_it = |word: &&String| serde_json::from_str(word).is_ok_and(|read: Value| same(&read, value));
                self.words.iter().find(is_it).map_or_else(|| json!(value.to_string()), |word| json!(word))
            }
            other => other.clone(),
        }
    }
}

/// Equal, where `1` and `1.0` are.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// The document's members that need no digits which a binary float has not, and that no rule of reading text concerns.
fn members(contract: &Contract, text: &str, count: usize, seed: u64) -> Vec<Value> {
    let options = SamplerOptions {
        unknown_keys: proof_options(contract.policy()).unknown_keys,
        seed,
        steps_max: 100_000,
        ..SamplerOptions::default()
    };
    let Ok(sampler) = Sampler::new(text, options) else { return Vec::new() };
    sampler
        .take(count)
        .filter(|member| !member.contains("9007199254740993") && !member.contains("12345678901234567890"))
        .filter(|member| contract.check(Arguments::from_text(member)).is_ok_and(|admitted| admitted.edits().is_empty()))
        .map(|member| serde_json::from_str(&member).unwrap())
        .collect()
}

/// Asks one contract under one profile; returns how many members were sent, and whether the form is as it was asked for.
fn ask(text: &str, contract: &Contract, members: &[Value], profile: &'static Profile, root_policy: RootPolicy) -> bool {
    let told = |what: &str| format!("{what} under {profile}, {:?}\n{text}", contract.policy().unknown_keys);
    let published = match contract.publish(profile, root_policy) {
        Ok(published) => published,
        Err(why) => panic!("{}", told(&why.to_string())),
    };
    let shown_text = &published.advertised.schema;
    let fell_back = published.fell_back.as_ref();
    if let Some(Verdict::Refuted { counterexample, .. }) = fell_back.map(|fell_back| &fell_back.verdict) {
        panic!("{}", told(&format!("{counterexample} was hidden")));
    }
    let again = contract.publish(profile, root_policy).unwrap();
    assert_eq!(published.advertised, again.advertised, "{}", told("another form the second time"));
    let certificate = published.certificate(contract).unwrap_or_else(|| panic!("{}", told("no certificate")));
    let certificate = Certificate::from_json(&certificate.to_json()).unwrap();
    assert_eq!(replay(&certificate, contract.schema_text(), shown_text), Ok(()), "{}", told("no replay"));
    let shown: Value = serde_json::from_str(shown_text).unwrap();
    let reader = jsonschema::options().should_validate_formats(false).build(&shown).unwrap();
    let definition = format!(r#"{{"name":"t","inputSchema":{text}}}"#);
    let showing = Showing { profile: Cow::Borrowed(profile), root_policy };
    let set = ToolSet::publish([definition.as_str()], &showing, &|_| contract.policy().clone());
    let tool = set.get("t").unwrap();
    let sender = Sender::new(&published.advertised.decode, &shown);
    for member in members {
        let sent = sender.send(member, &mut Path::new());
        let why =
            || told(&format!("{member} sent as {sent}\nin the form {shown_text}\n{:?}", published.advertised.decode));
        // A reader of `nullable` is no validator of the standard.
        assert!(profile.reads.nullable || reader.is_valid(&sent), "hidden: {}", why());
        match tool.check(Arguments::from_text(&sent.to_string())) {
            Ok(admitted) => {
                let read: Value = serde_json::from_str(admitted.arguments_text()).unwrap();
                assert!(same(&read, member), "read as {read}: {}", why());
            }
            Err(refusal) => panic!("{}: {}", refusal.text(), why()),
        }
    }
    fell_back.is_none()
}

#[test]
fn hostile_contracts_hide_nothing_and_what_is_sent_is_read_back() {
    let is_full = std::env::var("TOOLGATE_FULL").is_ok_and(|value| value == "1");
    let (mut sent, mut forms, mut as_asked) = (0, 0, 0);
    for seed in 0..if is_full { 6_000 } else { 250 } {
        let text = nasty(&mut Tape::seeded(seed ^ 0x5e47)).to_string();
        for unknown_keys in POLICIES {
            let policy = Policy { unknown_keys, ..Policy::default() };
            let Ok(contract) = Contract::from_text_with(&text, &policy) else { continue };
            let members = members(&contract, &text, 12, seed);
            let all = Profile::all();
            let picked = all.iter().enumerate().filter(|(index, profile)| {
                ["portable", "plain", "openai-strict"].contains(&profile.name)
                    || (*index as u64 + seed).is_multiple_of(5)
            });
            for (index, profile) in picked {
                let root_policy =
                    if (index as u64 + seed).is_multiple_of(3) { RootPolicy::Silent } else { RootPolicy::Stated };
                sent += members.len();
                forms += 1;
                as_asked += usize::from(ask(&text, &contract, &members, profile, root_policy));
            }
        }
    }
    println!("{forms} forms, {as_asked} of them as asked for; {sent} members sent, all read back");
    assert!(forms > 2_000 && sent > forms && as_asked * 100 > forms * 98, "{forms} {as_asked} {sent}");
}

/// Some members of one contract, sent under every profile.
#[track_caller]
fn reads_back(schema: &Value, unknown_keys: UnknownKeys, members: &[Value]) {
    let text = schema.to_string();
    let contract = Contract::from_text_with(&text, &Policy { unknown_keys, ..Policy::default() }).unwrap();
    for profile in Profile::all() {
        for root_policy in [RootPolicy::Stated, RootPolicy::Silent] {
            assert!(ask(&text, &contract, members, profile, root_policy), "{profile}: shown wider");
        }
    }
}

#[test]
fn a_key_named_star_is_not_any_key() {
    let one = json!({ "enum": [1] });
    let inner = json!({ "type": "object", "properties": { "*": one, "b": {} }, "additionalProperties": false });
    let schema = json!({ "type": "object", "properties": { "*": inner, "c": { "type": "object" } } });
    let members = [json!({ "*": { "*": 1, "b": "1" } }), json!({ "c": { "*": "1", "b": "1" } }), json!({})];
    reads_back(&schema, UnknownKeys::CloseRoot, &members);
}

#[test]
fn items_are_not_the_keys_of_an_object_in_their_place() {
    let list = json!({ "type": "array", "items": { "const": 0.5 } });
    let object = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    let schema = json!({ "type": "object", "properties": { "v": { "anyOf": [list, object] } } });
    reads_back(&schema, UnknownKeys::CloseRoot, &[json!({ "v": [0.5] }), json!({ "v": { "a": "0.5" } })]);
}

#[test]
fn a_declared_key_is_not_one_of_the_others() {
    let schema = json!({
        "type": "object",
        "properties": { "a": {} },
        "additionalProperties": { "type": "object", "properties": { "n": { "const": 1 }, "a b": { "type": "string" } } }
    });
    let members = [json!({ "a": { "n": "1", "a_b": 1 } }), json!({ "z": { "n": 1, "a b": "x" } })];
    reads_back(&schema, UnknownKeys::CloseRoot, &members);
}

#[test]
fn renamed_keys_of_a_form_that_repeats_itself() {
    let schema = json!({
        "type": "object",
        "properties": { "a b": { "type": "integer" }, "next": { "$ref": "#" } },
        "additionalProperties": false
    });
    reads_back(&schema, UnknownKeys::CloseRoot, &[json!({ "a b": 1, "next": { "a b": 2, "next": { "a b": 3 } } })]);
}

#[test]
fn an_open_root_is_said_to_a_reader_that_would_close_it() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    reads_back(&schema, UnknownKeys::AsWritten, &[json!({ "a": 1, "b": 2 })]);
    let contract = Contract::from_text_with(
        &schema.to_string(),
        &Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() },
    );
    for profile in Profile::all() {
        let shown = contract.as_ref().unwrap().publish(profile, RootPolicy::Silent).unwrap().advertised.schema;
        let says = shown.ends_with(r#""additionalProperties":true}"#);
        assert_eq!(says, profile.reads.absent_key_policy_is_closed, "{profile}: {shown}");
    }
}

#[test]
fn what_is_too_much_to_follow_is_shown_as_the_open_object_at_worst() {
    let schema = json!({ "type": "object", "if": false, "else": { "oneOf": [{ "unevaluatedProperties": {} }] } });
    reads_back(&schema, UnknownKeys::CloseRoot, &[json!({})]);
}
