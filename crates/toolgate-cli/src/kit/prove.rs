//! What a prove case expects, held against the answer of `toolgate prove --jsonl`.

use super::answer::Answer;
use super::case::Request;
use super::facts::admits;
use super::value::text;
use crate::input;
use toolgate::json::Value;
use toolgate::{Arguments, Contract, Policy, UnknownKeys};

/// Whether the verdict is as expected; a value that is said to be hidden is looked at.
///
/// # Errors
///
/// Says in what the answer is not as expected.
pub(super) fn hold(expect: Value<'_>, request: &Request, answer: &Answer) -> Result<(), String> {
    if let Some(why) = answer.error() {
        return Err(why.to_owned());
    }
    let proof = answer.root().get("proof").ok_or("there is no proof")?;
    let got = text(proof, "verdict").unwrap_or_default();
    super::any_of(expect, |one| {
        let wanted = text(one, "verdict").unwrap_or_default();
        if wanted == got { Ok(()) } else { Err(format!("wanted {wanted}, got {got}")) }
    })?;
    match text(proof, "counterexample_text") {
        Some(value) if got == "refuted" => is_hidden(&value, request),
        None if got == "refuted" => Err("it is refuted without a value".into()),
        _ => Ok(()),
    }
}

/// The contract admits it and the other schema refuses it.
fn is_hidden(value: &str, request: &Request) -> Result<(), String> {
    let contract = Contract::from_text_with(&request.schema, &request.policy);
    if contract.is_ok_and(|contract| contract.validate(Arguments::from_text(value)).is_err()) {
        return Err(format!("the contract refuses the value that is said to be hidden: {value}"));
    }
    let document = input::document(&request.text).map_err(|unread| unread.in_line())?;
    // What is done to a value before the contract reads it stands between the two.
    let (Some(advertised), None) = (document.root().get("advertised"), document.root().get("decode")) else {
        return Ok(());
    };
    let as_written = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
    let mut options = toolgate::proof_options(&as_written);
    if let Some(profile) = request.profile.as_deref().and_then(toolgate::Profile::named) {
        options.reading = toolgate::reading(profile);
    }
    match admits(advertised.text(), value, &options)? {
        Some(true) => Err(format!("the schema that is shown admits the value that is said to be hidden: {value}")),
        _ => Ok(()),
    }
}
