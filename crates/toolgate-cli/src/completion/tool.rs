//! The tools of a list, and the options of one of them with the words that they take.

use super::{Offer, first_line, starting};
use crate::call::argv::{Next, is_flag, next, with_value};
use crate::call::{bare, rows};
use crate::input::only;
use crate::source::Known;
use crate::target::read_tool;
use crate::tool::{compiled, name_of};
use clap_complete::PathCompleter;
use clap_complete::engine::ValueCompleter;
use std::ffi::{OsStr, OsString};
use toolgate::Outline;
use toolgate::json::{Kind, Value};

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
    if let Some(place) = value_of {
        return Some(values(place.as_ref(), current));
    }
    if let Some((place, head, value)) = with_value(&arguments, current) {
        let values = values(Some(&place), value).into_iter();
        return Some(values.map(|offer| Offer { word: format!("{head}{}", offer.word), ..offer }).collect());
    }
    let mut rows = rows(&arguments, None);
    rows.retain(|row| !taken.contains(&row.path));
    // What a call cannot do without comes first.
    rows.sort_by_key(|row| !row.is_required);
    let mut offers = Vec::new();
    for row in rows {
        let negation = is_flag(&row.place).then(|| row.name.strip_prefix("--").map(|name| format!("--no-{name}")));
        offers.push(Offer::new(row.name, row.text.clone()));
        offers.extend(negation.flatten().map(|name| Offer::new(name, row.text)));
    }
    let ours = [("--args", "all arguments as a JSON object: text, @FILE or -"), ("--help", "the options of the tool")];
    let is_ours = |name: &str| name.strip_prefix("--").is_some_and(|name| arguments.member(name).is_none());
    offers.extend(ours.into_iter().filter(|(name, _)| is_ours(name)).map(|(name, about)| Offer::new(name, about)));
    Some(starting(offers, current))
}

/// The words that a place takes; where it takes any text, the names of files.
fn values(place: Option<&Outline<'_>>, current: &str) -> Vec<Offer> {
    let Some(place) = place else { return files(current) };
    let takes_list = place.names(Kind::Array) && !place.admits(Kind::String);
    let item = if takes_list { place.items() } else { place.clone() };
    if place.is_secret() || item.is_secret() {
        return Vec::new();
    }
    let words = item.words();
    if !words.is_empty() {
        return starting(words.iter().map(|word| Offer::new(bare(word), "")).collect(), current);
    }
    if item.names(Kind::Boolean) {
        return starting(vec![Offer::new("true", ""), Offer::new("false", "")], current);
    }
    if item.admits(Kind::String) { files(current) } else { Vec::new() }
}

fn files(current: &str) -> Vec<Offer> {
    PathCompleter::any().complete(OsStr::new(current)).iter().map(Offer::of).collect()
}
