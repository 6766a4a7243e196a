//! Arguments as the words that say them: what `read` and `build` turn back into the same arguments.

use super::build::build;
use super::name::{Form, resolve, split};
use super::words::read;
use crate::show::json::is_same;
use std::ffi::OsString;
use toolgate::json::{Document, Kind, Strictness, Value};
use toolgate::{Arguments, Contract, Limits, Outline};

/// The words that say an arguments object to this contract, as a person would write them where that says the same.
pub(crate) fn spell(contract: &Contract, object: Value<'_>) -> Vec<String> {
    let arguments = contract.outline();
    for is_exact in [false, true] {
        let mut speller = Speller { arguments: &arguments, is_exact, words: Vec::new() };
        for (name, value) in object.members() {
            let name = name.as_str().unwrap_or_default().into_owned();
            let place = arguments.member(&name);
            speller.value(&[name], place.as_ref(), value);
        }
        if !speller.words.iter().any(String::is_empty) && says(contract, &speller.words, object) {
            return speller.words;
        }
    }
    vec![format!("--args={}", object.text())]
}

/// Whether the words come to the arguments that were meant: a number as a word stays text where a form that applies takes text.
fn says(contract: &Contract, words: &[String], meant: Value<'_>) -> bool {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let built = build(read(&contract.outline(), &words), None);
    let Ok(admitted) = contract.check(Arguments::from_bytes(&built.text)) else { return false };
    let said = Document::read_str(admitted.arguments_text(), Strictness::Frame, &Limits::default());
    built.faults.is_empty() && said.is_ok_and(|said| is_same(said.root(), meant))
}

/// The option that means a place, if one does: a name with a dot in it may mean another.
pub(crate) fn spelled_name(arguments: &Outline<'_>, path: &[String]) -> Option<String> {
    let name = path.join(".");
    let word = format!("{name}=");
    let (read, form) = split(arguments, &word);
    let is_ours = matches!(&*name, "help" | "args") && arguments.member(&name).is_none();
    let is_meant = read == name && matches!(form, Form::Text("")) && !is_ours;
    (is_meant && resolve(arguments, &name).path == path).then(|| format!("--{name}"))
}

struct Speller<'a, 'c> {
    arguments: &'a Outline<'c>,
    /// Whatever is no text is written as JSON.
    is_exact: bool,
    /// An empty word stands for a place that no option means.
    words: Vec<String>,
}

impl Speller<'_, '_> {
    fn value(&mut self, path: &[String], place: Option<&Outline<'_>>, value: Value<'_>) {
        let Some(option) = spelled_name(self.arguments, path) else { return self.words.push(String::new()) };
        let takes = |kind| place.is_some_and(|place| place.names(kind));
        let lists_alone = takes(Kind::Array) && !place.is_some_and(|place| place.admits(Kind::String));
        match value.kind() {
            Kind::String if takes(Kind::String) || place.is_none_or(|place| place.admits(Kind::String)) => {
                self.text(&option, &value.as_str().unwrap_or_default());
            }
            _ if self.is_exact => self.words.push(format!("{option}:={}", value.text())),
            Kind::Boolean if takes(Kind::Boolean) => match value.as_bool() {
                Some(true) if !option.contains('=') && option != "--" => self.words.push(option),
                _ => self.words.push(format!("{option}:={}", value.text())),
            },
            Kind::Number if place.is_some_and(|place| is_read_as_number(place, value)) => {
                self.text(&option, value.text())
            }
            Kind::Array if lists_alone && is_plain_list(place, value) => {
                for item in value.items() {
                    self.text(&option, &item.as_str().map_or(item.text().into(), |text| text));
                }
            }
            Kind::Object if !value.is_empty() && takes(Kind::Object) && self.is_dotted(path, place, value) => {
                for (name, inner) in value.members() {
                    let (path, place) = inside(path, place, name);
                    self.value(&path, place.as_ref(), inner);
                }
            }
            _ => self.words.push(format!("{option}:={}", value.text())),
        }
    }

    /// Whether every member of an object is one that an option means and its schema knows.
    fn is_dotted(&self, path: &[String], place: Option<&Outline<'_>>, object: Value<'_>) -> bool {
        object.members().all(|(name, _)| {
            let (path, place) = inside(path, place, name);
            place.is_some() && spelled_name(self.arguments, &path).is_some()
        })
    }

    fn text(&mut self, option: &str, text: &str) {
        if text.starts_with("--") || option.contains('=') || option == "--" {
            self.words.push(format!("{option}={text}"));
        } else {
            self.words.extend([option.to_owned(), text.to_owned()]);
        }
    }
}

fn inside<'c>(path: &[String], place: Option<&Outline<'c>>, name: Value<'_>) -> (Vec<String>, Option<Outline<'c>>) {
    let name = name.as_str().unwrap_or_default().into_owned();
    let place = place.and_then(|place| place.member(&name));
    (path.iter().cloned().chain([name]).collect(), place)
}

/// A list that words can say item by item: items of the kinds that a word is read as, and no list of one that is a list itself.
fn is_plain_list(place: Option<&Outline<'_>>, list: Value<'_>) -> bool {
    let Some(items) = place.map(Outline::items) else { return false };
    let is_plain = |item: Value<'_>| match item.kind() {
        Kind::String => items.admits(Kind::String),
        Kind::Number => is_read_as_number(&items, item),
        _ => false,
    };
    let is_alone_and_a_list = list.len() == 1
        && list.items().next().and_then(Value::as_str).is_some_and(|text| text.trim_start().starts_with('['));
    !list.is_empty() && list.items().all(is_plain) && !is_alone_and_a_list
}

/// Whether the text of a number is read as just that number: an integer only where it is written as one (R4.2).
fn is_read_as_number(place: &Outline<'_>, number: Value<'_>) -> bool {
    let is_plain = number.text().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let takes_any = place.kind_words().contains(&"number");
    place.names(Kind::Number) && !place.admits(Kind::String) && (is_plain || takes_any)
}
