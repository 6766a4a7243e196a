//! What an advertise case expects, held against the answer of `toolgate advertise --jsonl`.

use super::answer::Answer;
use super::case::Request;
use super::facts::{Ask, Shown, admits};
use super::value::{text, texts};
use crate::{advertise, judge, prove};
use toolgate::json::{Kind, ObjectWriter, Value, quoted};
use toolgate::{Policy, Profile, UnknownKeys};

/// Whether the answer is as expected, or as one of the alternatives.
///
/// # Errors
///
/// Says in what the answer is not the first of them.
pub(super) fn hold(expect: Value<'_>, request: &Request, answer: &Answer) -> Result<(), String> {
    super::any_of(expect, |one| one_of(one, request, answer))
}

fn one_of(expect: Value<'_>, request: &Request, answer: &Answer) -> Result<(), String> {
    if let Some(why) = answer.error() {
        return Err(why.to_owned());
    }
    let wanted = text(expect, "status").unwrap_or_else(|| "advertised".to_owned());
    let got = text(answer.root(), "status").unwrap_or_default();
    if wanted != got {
        return Err(format!("wanted {wanted}, got {got}"));
    }
    if wanted != "advertised" {
        return Ok(());
    }
    let schema = answer.root().get("schema").filter(|schema| schema.kind() == Kind::Object);
    let schema = schema.ok_or("what is shown is no object")?;
    let shown = Shown { answer, schema, ask: request };
    expect.get("facts").into_iter().flat_map(Value::items).try_for_each(|fact| shown.hold(fact))?;
    let options = reading_of(request);
    for (name, is_member) in [("members", true), ("non_members", false)] {
        for member in texts(expect.get(name)) {
            match admits(schema.text(), &member, &options)? {
                Some(admits) if admits == is_member => {}
                Some(true) => return Err(format!("the schema that is shown admits {member}")),
                Some(false) => return Err(format!("the schema that is shown refuses {member}")),
                None => return Err(format!("whether the schema that is shown admits {member} could not be told")),
            }
        }
    }
    let proof = answer.root().get("proof").and_then(|proof| text(proof, "verdict")).unwrap_or_default();
    match text(expect, "proof") {
        Some(wanted) if wanted != proof => Err(format!("wanted the proof {wanted}, got {proof}")),
        _ => Ok(()),
    }
}

/// What is shown is read as its profile's reader reads it.
fn reading_of(request: &Request) -> toolgate_proof::Options {
    let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
    let mut options = toolgate::proof_options(&policy);
    let profile = request.profile.as_deref().and_then(Profile::named).unwrap_or(Profile::portable());
    options.reading = toolgate::reading(profile);
    options
}

impl Ask for Request {
    fn verdict(&self, arguments: &str) -> Result<String, String> {
        let mut request = ObjectWriter::new();
        request.raw("schema_text", &quoted(&self.schema));
        request.string("arguments_text", arguments);
        let answer = Answer::new(super::ask(judge::respond_under, &self.policy, &request.end()))?;
        Ok(answer.error().map_or_else(|| text(answer.root(), "verdict").unwrap_or_default(), str::to_owned))
    }

    fn again(&self) -> Result<Answer, String> {
        Answer::new(super::ask(advertise::respond_under, &self.policy, &self.text))
    }

    fn prove(&self, advertised: &str) -> Result<String, String> {
        let mut request = ObjectWriter::new();
        request.raw("contract", &self.schema);
        request.raw("advertised", advertised);
        let answer = Answer::new(super::ask(prove::respond_under, &self.policy, &request.end()))?;
        let verdict = answer.root().get("proof").and_then(|proof| text(proof, "verdict"));
        Ok(verdict.unwrap_or_else(|| answer.error().unwrap_or_default().to_owned()))
    }
}
