//! What an argv case expects, held against what `toolgate call --dry-run` makes of its words.

use super::case::Request;
use super::judge::same_texts;
use super::value::{Alike, is_true, text, texts};
use crate::call;
use crate::input;
use crate::tool::OneTool;
use std::ffi::OsString;
use toolgate::Contract;
use toolgate::json::{ObjectWriter, Value, list, quoted};

/// Of what the words are made, and the refusal's words are not broken.
const WIDTH: usize = 400;

/// What the command prints, or its refusal.
pub(super) fn answer(request: &Request) -> Result<String, String> {
    let document = input::document(&request.text).map_err(|unread| unread.in_line())?;
    let words: Vec<OsString> = texts(document.root().get("argv")).into_iter().map(OsString::from).collect();
    let contract = Contract::from_text_with(&request.schema, &request.policy).map_err(|unusable| {
        let messages: Vec<&str> = unusable.defects.iter().map(|defect| defect.message.as_str()).collect();
        format!("the schema does not compile: {}", messages.join("; "))
    })?;
    let name = request.tool.clone().unwrap_or_else(|| "tool".to_owned());
    call::dry_run(&OneTool { name, title: None, description: None, contract }, &words, WIDTH)
}

/// Whether it is as expected, or as one of the alternatives.
///
/// # Errors
///
/// Says in what it is not the first of them.
pub(super) fn hold(expect: Value<'_>, answer: &Result<String, String>) -> Result<(), String> {
    super::any_of(expect, |one| one_of(one, answer))
}

fn one_of(expect: Value<'_>, answer: &Result<String, String>) -> Result<(), String> {
    let said = answer.as_ref().unwrap_or_else(|refusal| refusal);
    if let Some(word) = texts(expect.get("must_not")).into_iter().find(|word| said.contains(word)) {
        return Err(format!("the output shows {word:?}"));
    }
    match answer {
        Err(refusal) if is_true(expect, "usage") => refused(expect, refusal),
        Ok(_) if is_true(expect, "usage") => Err("wanted a refusal, and the call would be sent".into()),
        Err(_) => Err("wanted arguments, and the call is refused".into()),
        Ok(line) => {
            let document = input::document(line).map_err(|unread| unread.in_line())?;
            let got = text(document.root(), "arguments_text").unwrap_or_default();
            let wanted =
                text(expect, "arguments_text").or_else(|| expect.get("arguments").map(|value| value.text().to_owned()));
            let alike = Alike { digits: is_true(expect, "digits_exact"), order: false };
            same_texts(&wanted.unwrap_or_default(), &got, alike)
        }
    }
}

fn refused(expect: Value<'_>, refusal: &str) -> Result<(), String> {
    if let Some(location) = text(expect, "location") {
        let names: Vec<&str> = location.split('/').collect();
        // A number is an item's place; the list is what has a name.
        let is_name = |name: &&&str| name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_digit());
        let name = names.iter().rev().find(is_name).map(|name| name.replace("~1", "/").replace("~0", "~"));
        if let Some(name) = name.filter(|name| !refusal.contains(name)) {
            return Err(format!("the refusal does not name {name:?}"));
        }
    }
    match texts(expect.get("must_list")).into_iter().find(|word| !refusal.contains(word)) {
        Some(word) => Err(format!("the refusal does not say {word:?}")),
        None => Ok(()),
    }
}

/// A refusal as a value beside which another can stand.
pub(super) fn refusal_json(refusal: &str) -> String {
    let mut object = ObjectWriter::new();
    object.raw("refusal", &list(refusal.lines().map(|line| quoted(line.trim_end()))));
    object.end()
}
