//! What has changed, as SARIF.

use super::change::{Changed, Difference, What};
use super::places::Place;
use super::relation::{Compared, Relation, Side};
use crate::sarif::{self, LogRule, text};
use toolgate::json::{ObjectWriter, list};
use toolgate::shown_name;

/// Rule, level and meaning; public, as those of `check`.
const RULES: [(&str, &str, &str); 7] = [
    ("tool-added", "warning", "A tool is listed that was not."),
    ("tool-removed", "error", "A tool is not listed any more."),
    ("calls-wider", "warning", "A tool takes calls that it refused before."),
    ("calls-narrower", "error", "A tool refuses calls that it took before."),
    ("calls-incomparable", "error", "A tool refuses calls that it took before, and takes others that it refused."),
    ("calls-unknown", "warning", "A tool's arguments have changed, and what that means for calls could not be told."),
    ("definition-changed", "warning", "What a tool says of itself has changed; a model may be told something else."),
];

pub(super) fn render(differences: &[Difference]) -> String {
    let rule = |(id, level, meaning): &(&'static str, &'static str, &'static str)| LogRule {
        id,
        level,
        meaning,
        help: (*meaning).to_owned(),
    };
    let rules: Vec<LogRule> = RULES.iter().map(rule).collect();
    let results = differences
        .iter()
        .flat_map(|difference| difference.tools.iter().flat_map(move |tool| results(tool, place(tool, difference))));
    sarif::log(&rules, std::iter::empty(), results)
}

/// The line of the tool in the new list, or in the old one where the new has none: a server's has no lines, and a tool that is gone
/// stands in the old one alone.
fn place<'d>(tool: &Changed, difference: &'d Difference) -> Option<(&'d str, Option<usize>)> {
    let (old, new) = &difference.files;
    let is_file = |file: &&String| *file != "-";
    let (old, new) = (old.as_ref().filter(is_file), new.as_ref().filter(is_file));
    let at = |file: Option<&'d String>, line: Option<usize>| Some((file?.as_str(), line));
    let (old, new) = (at(old, tool.lines.0), at(new, tool.lines.1));
    let has_line = |place: &(&str, Option<usize>)| place.1.is_some();
    new.filter(has_line).or_else(|| old.filter(has_line)).or(new).or(old)
}

fn results(tool: &Changed, file: Option<(&str, Option<usize>)>) -> Vec<String> {
    let name = shown_name(&tool.name);
    let of = |id: &str, pointer: &str, words: &str| result(id, tool, pointer, file, words);
    match &tool.what {
        What::Added { .. } => vec![of("tool-added", "", &format!("tool `{name}` was not listed before"))],
        What::Removed => vec![of("tool-removed", "", &format!("tool `{name}` is not listed any more"))],
        What::Changed { calls, places } => {
            let mut all = Vec::new();
            if let Some(calls) = calls
                && let Some(id) = id(calls.whole.relation())
            {
                all.push(of(id, "/inputSchema", &format!("tool `{name}`: {}", words(&calls.whole))));
            }
            // The schema's own keywords are told by what they mean for calls; of it only the words are places of their own.
            let said = places
                .iter()
                .filter(|place| calls.is_none() || !place.location.starts_with("/inputSchema") || is_text(place));
            let what = |place: &Place| match (&place.old, &place.new) {
                (None, _) => "is new",
                (_, None) => "is gone",
                _ => "reads otherwise than before",
            };
            all.extend(said.map(|place| {
                let at = shown_name(&place.location);
                of("definition-changed", &place.location, &format!("tool `{name}`: {at} {}", what(place)))
            }));
            // Another spelling of the same calls, or a tool that is nested too deep to be read place by place.
            if all.is_empty() {
                all.push(of("definition-changed", "", &format!("tool `{name}` is written otherwise than before")));
            }
            all
        }
    }
}

fn is_text(place: &Place) -> bool {
    ["/description", "/title", "/$comment"].iter().any(|end| place.location.ends_with(end))
}

fn id(relation: Relation) -> Option<&'static str> {
    Some(match relation {
        Relation::Same => return None,
        Relation::Wider => "calls-wider",
        Relation::Narrower => "calls-narrower",
        Relation::Incomparable => "calls-incomparable",
        Relation::Unknown => "calls-unknown",
    })
}

fn words(compared: &Compared) -> String {
    let sides = [(&compared.lost, "refused now and taken before"), (&compared.gained, "taken now and refused before")];
    let told = sides.iter().filter_map(|(side, words)| match side {
        Side::None => None,
        Side::Some { example, location, .. } => {
            let place = if location.is_empty() { "the root".to_owned() } else { shown_name(location) };
            Some(format!("{words}, at {place}: {}", crate::show::visible(example)))
        }
        Side::Unknown(why) => Some(format!("{words}: not known, {why}")),
    });
    told.collect::<Vec<_>>().join("; ")
}

fn result(id: &str, tool: &Changed, pointer: &str, file: Option<(&str, Option<usize>)>, words: &str) -> String {
    let index = RULES.iter().position(|(known, ..)| *known == id).unwrap_or_default();
    let level = RULES.get(index).map_or("warning", |(_, level, _)| level);
    let mut logical = ObjectWriter::new();
    logical.string("name", &tool.name);
    logical
        .string("fullyQualifiedName", &format!("{}{}{pointer}", tool.name, if pointer.is_empty() { "" } else { "#" }));
    logical.string("kind", if pointer.is_empty() { "function" } else { "value" });
    let mut location = ObjectWriter::new();
    if let Some((path, line)) = file {
        location.raw("physicalLocation", &sarif::physical(path, line));
    }
    location.raw("logicalLocations", &list(std::iter::once(logical.end())));
    let mut object = ObjectWriter::new();
    object.string("ruleId", id);
    object.raw("ruleIndex", &index.to_string());
    object.string("level", level);
    object.raw("message", &text(words));
    object.raw("locations", &list(std::iter::once(location.end())));
    object.end()
}
