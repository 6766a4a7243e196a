//! The tools of a list, and the options of one of them with the words that they take.

use super::arguments::files;
use super::{Offer, first_line, starting};
use crate::call::argv::{Next, WithValue, build, is_flag, next, read, spelled_name, with_value};
use crate::call::rows;
use crate::input::only;
use crate::source::Known;
use crate::target::read_tool;
use crate::tool::{compiled, name_of};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use toolgate::json::{Kind, Value};
use toolgate::{Arguments, Contract, Outline};

/// Every tool with its description or its title, and how old the list is.
pub(super) fn names(known: &Known) -> Vec<Offer> {
    let about = |definition: &str| {
        let document = read_tool(definition)?;
        let text = |name| only(document.root(), name).ok().flatten().and_then(Value::as_str);
        Some(first_line(&text("description").or_else(|| text("title"))?))
    };
    let age = known.age.as_ref().map(|age| format!("(listed {age})"));
    let offer = |definition: &String| {
        let told: Vec<String> = about(definition).into_iter().chain(age.clone()).collect();
        Some(Offer { word: name_of(definition)?, about: told.join(" ") })
    };
    known.definitions.iter().filter_map(offer).collect()
}

/// What can stand where this word is: an option of the tool, or the value of one.
pub(super) fn offers(known: &Known, tool: &str, words: &[OsString], current: &str) -> Option<Vec<Offer>> {
    let definition = known.definitions.iter().find(|definition| name_of(definition).as_deref() == Some(tool))?;
    let contract = compiled(definition, &known.policy)?.1.ok()?;
    let arguments = contract.outline();
    let Next { taken, value_of } = next(&arguments, words)?;
    let values = Values { contract: &contract, arguments: &arguments };
    let is_ours = |name: &str| arguments.member(name).is_none();
    if let Some(value) = current.strip_prefix("--args=").filter(|_| is_ours("args")) {
        let offers = super::arguments::arguments(value).into_iter();
        return Some(offers.map(|offer| Offer { word: format!("--args={}", offer.word), ..offer }).collect());
    }
    if let Some((path, place)) = value_of {
        if path == ["args"] && is_ours("args") {
            return Some(super::arguments::arguments(current));
        }
        // What begins as an option is taken for one.
        let mut values = values.of(&path, place.as_ref(), current, false);
        values.retain(|offer| !offer.word.starts_with("--"));
        return Some(values);
    }
    if let Some(WithValue { path, place, head, value, is_json }) = with_value(&arguments, current) {
        let values = values.of(&path, Some(&place), value, is_json).into_iter();
        return Some(values.map(|offer| Offer { word: format!("{head}{}", offer.word), ..offer }).collect());
    }
    let mut rows = rows(&arguments, None);
    // Two signs alone end the options.
    rows.retain(|row| !taken.contains(&row.path) && row.name != "--");
    // What a call cannot do without comes first.
    rows.sort_by_key(|row| !row.is_required);
    let mut offers = Vec::new();
    for row in rows {
        let negation = is_flag(&row.place).then(|| row.name.strip_prefix("--").map(|name| format!("--no-{name}")));
        offers.push(Offer::new(&*row.name, row.about()));
        offers.extend(negation.flatten().map(|name| Offer::new(name, row.about())));
    }
    let ours = [("--args", "all arguments as a JSON object: text, @FILE or -"), ("--help", "the options of the tool")];
    let is_free = |name: &str| name.strip_prefix("--").is_some_and(is_ours);
    offers.extend(ours.into_iter().filter(|(name, _)| is_free(name)).map(|(name, about)| Offer::new(name, about)));
    let mut seen = HashSet::new();
    offers.retain(|offer| seen.insert(offer.word.clone()));
    Some(starting(offers, current))
}

/// Words that are looked at one by one for whether the contract takes them.
const TRIED_MAX: usize = 500;

struct Values<'a, 'c> {
    contract: &'a Contract,
    arguments: &'a Outline<'c>,
}

impl Values<'_, '_> {
    /// The words that a place takes; where it takes any text, the names of files.
    fn of(&self, path: &[String], place: Option<&Outline<'_>>, current: &str, is_json: bool) -> Vec<Offer> {
        let Some(place) = place else { return if is_json { Vec::new() } else { files(current) } };
        let takes_list = place.names(Kind::Array) && !place.admits(Kind::String);
        let item = if takes_list && !is_json { place.items() } else { place.clone() };
        if item.is_secret() {
            return Vec::new();
        }
        let mut words: Vec<Cow<'_, str>> = item.words().into_iter().map(|word| typed(word, is_json)).collect();
        if words.is_empty() && item.names(Kind::Boolean) {
            words = vec!["true".into(), "false".into()];
        }
        if words.is_empty() {
            return if item.admits(Kind::String) && !is_json { files(current) } else { Vec::new() };
        }
        let mut offered: Vec<Offer> = Vec::new();
        for word in words {
            let is_new = word.starts_with(current) && offered.iter().all(|offer| offer.word != *word);
            if is_new && (offered.len() >= TRIED_MAX || self.is_taken(path, &word, is_json)) {
                offered.push(Offer::new(&*word, ""));
            }
        }
        offered
    }

    /// Whether the contract has nothing against the word at this place, as `call` would read it.
    fn is_taken(&self, path: &[String], word: &str, is_json: bool) -> bool {
        let Some(name) = spelled_name(self.arguments, path) else { return false };
        let words = [OsString::from(format!("{name}{}={word}", if is_json { ":" } else { "" }))];
        let built = build(read(self.arguments, &words), None);
        let is_there = |pointer: &str| toolgate::pointer_names(pointer).collect::<Vec<_>>().starts_with(path);
        built.faults.is_empty()
            && match self.contract.check(Arguments::from_bytes(&built.text)) {
                Ok(_) => true,
                Err(refusal) => {
                    !refusal.violations().iter().any(|violation| is_there(&violation.location.to_pointer()))
                }
            }
    }
}

/// A word of a schema as it is typed; as JSON, it is written as it is.
fn typed(json: &str, is_json: bool) -> Cow<'_, str> {
    let text = if is_json { None } else { serde_json::from_str::<String>(json).ok() };
    text.map_or(Cow::Borrowed(json), Cow::Owned)
}
