//! The profiles as a table, and one of them value by value.

use crate::show::{BOLD, DIM, NOTE, count, filled, labelled};
use std::fmt::Write as _;
use toolgate::Profile;
use toolgate::profile::{Keywords, Patterns, PropertyNames, Reads, Shape, Strict, ToolNames};

/// Columns of the table: name, shape, names of tools, tools.
const NAME: usize = 18;
const SHAPE: usize = 12;
const NAMES: usize = 40;
const TOOLS: usize = 5;

pub(super) fn table(profiles: &[Profile], width: usize) -> String {
    let mut out = String::new();
    let title = row("profile", "shape", "names of tools", "tools");
    let _ = writeln!(out, "{DIM}{title}{DIM:#}");
    for profile in profiles {
        let tools = profile.tools_max.map_or("–".to_owned(), count);
        let shape = if profile.strict.is_some() { "flat, strict" } else { shape(profile.shape) };
        let line = row("", shape, &tool_names(profile.tool_names), &tools);
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}{}", profile.name, line.get(profile.name.len()..).unwrap_or(""));
        let about = format!("{}; keeps {}", profile.reader, keeps(&profile.keywords));
        labelled("", DIM, 2, &about, width, &mut out);
        for source in profile.sources {
            labelled("", DIM, 2, &format!("from {}, {}", source.title, source.seen), width, &mut out);
        }
    }
    let _ = writeln!(out, "\n{DIM}toolgate profiles NAME shows every value of one.{DIM:#}");
    out
}

fn row(name: &str, shape: &str, names: &str, tools: &str) -> String {
    let row = format!("{}{}{}{tools:>TOOLS$}", filled(name, NAME), filled(shape, SHAPE + 2), filled(names, NAMES));
    row.trim_end().to_owned()
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Registered => "registered",
        Shape::Flat => "flat",
    }
}

fn tool_names(names: ToolNames) -> String {
    let others: String = names.others.chars().flat_map(|ch| [' ', ch]).collect();
    let first = if names.starts_with_letter { ", letter first" } else { "" };
    format!("≤{} of A-Z a-z 0-9 _{others}{first}", names.chars_max)
}

fn property_names(names: Option<PropertyNames>) -> String {
    let Some(names) = names else { return "any".to_owned() };
    let others: String = names.others.chars().flat_map(|ch| [' ', ch]).collect();
    let first = if names.starts_with_letter { ", letter first" } else { "" };
    let root = if names.root_only { ", of the arguments themselves" } else { ", at every level" };
    format!("≤{} of A-Z a-z 0-9 _{others}{first}{root}; others are renamed and read back", names.chars_max)
}

/// The keywords beyond types, properties, items and enum.
fn keeps(keywords: &Keywords) -> String {
    let pattern = match keywords.pattern {
        Patterns::None => None,
        Patterns::Linear => Some("patterns"),
        Patterns::Anchored => Some("anchored patterns"),
    };
    let switches = [
        (keywords.bounds, "bounds"),
        (keywords.exclusive_bounds, "exclusive bounds"),
        (keywords.multiple_of, "multipleOf"),
        (keywords.lengths, "lengths"),
        (pattern.is_some(), pattern.unwrap_or("patterns")),
        (keywords.item_counts, "counts of items"),
        (keywords.unique_items, "uniqueItems"),
        (keywords.property_counts, "counts of keys"),
        (keywords.default, "default"),
        (keywords.mcp_header, "x-mcp-header"),
    ];
    let (kept, lost): (Vec<_>, Vec<_>) = switches.into_iter().partition(|(is_kept, _)| *is_kept);
    let list = |words: &[(bool, &'static str)]| words.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
    match (kept.len(), lost.len()) {
        (_, 0) => "every keyword".to_owned(),
        (0, _) => "no keyword beyond types, properties, items and enum".to_owned(),
        (kept_count, lost_count) if kept_count > lost_count => format!("every keyword but {}", list(&lost)),
        _ => list(&kept),
    }
}

/// Of a value's name.
const LABEL: usize = 26;

pub(super) fn one(profile: &Profile, width: usize) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}  {}\n\n", profile.name, profile.reader);
    let mut line = |label: &str, text: &str| labelled(label, NOTE, LABEL, text, width, &mut out);
    line("names of tools", &tool_names(profile.tool_names));
    line("names of properties", &property_names(profile.property_names));
    line("keeps", &keeps(&profile.keywords));
    line("reads", &reads(profile.reads));
    line("strict", &profile.strict.map_or("not asked".to_owned(), strict));
    line("clients", &if profile.clients.is_empty() { "–".to_owned() } else { profile.clients.join(", ") });
    for source in profile.sources {
        line("source", &format!("{}, seen {}", source.title, source.seen));
    }
    let _ = writeln!(out, "\n{DIM}by the names that a policy file changes them by:{DIM:#}");
    for (name, value) in profile.values() {
        labelled(name, NOTE, LABEL, &value, width, &mut out);
    }
    out
}

fn reads(reads: Reads) -> String {
    let departures = [
        (reads.absent_key_policy_is_closed, "an object without `additionalProperties` as closed"),
        (reads.pattern_is_full_match, "a pattern as one of the whole text"),
        (reads.untyped_is_string, "a place without a type as a string"),
        (reads.nullable, "`nullable: true` as admitting null"),
    ];
    let departures: Vec<_> = departures.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what).collect();
    if departures.is_empty() { "as the standard does".to_owned() } else { departures.join("; ") }
}

fn strict(strict: Strict) -> String {
    let mut rules = vec![if strict.all_required {
        "every property is required, and null is read as absent where one may be left out".to_owned()
    } else {
        "properties may be left out".to_owned()
    }];
    let limits = [
        (strict.tools_max, "strict tools of a request"),
        (strict.optional_max, "optional properties of a request"),
        (strict.unions_max, "places of several kinds of a request"),
        (strict.properties_max, "properties of a schema"),
        (strict.depth_max, "levels"),
        (strict.words_max, "words in enums"),
    ];
    rules.extend(limits.into_iter().filter_map(|(max, what)| max.map(|max| format!("at most {} {what}", count(max)))));
    rules.push(if strict.recursion { "recursion is taken" } else { "no recursion" }.to_owned());
    rules.push(format!("a tool that cannot be strict is shown as to {}", strict.otherwise));
    rules.join("; ")
}
