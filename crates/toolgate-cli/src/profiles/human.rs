//! The profiles as a table, and one of them value by value with where each was read.

use crate::show::{BOLD, DIM, NOTE, columns, count, filled, labelled, wrapped};
use std::fmt::Write as _;
use toolgate::Profile;
use toolgate::profile::{Keywords, Patterns, PropertyNames, Reads, Shape, Source, Strict, ToolNames};

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
    }
    let _ = writeln!(out, "\n{DIM}toolgate profiles NAME shows every value of one, and where it was read.{DIM:#}");
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

/// Of a value's name, and of the numbers of its sources.
const LABEL: usize = 26;
const NUMBERS: usize = 12;
/// Wider than this, an eye does not find the numbers from the value.
const VALUE_MAX: usize = 60;

pub(super) fn one(profile: &Profile, width: usize) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}  {}\n\n", profile.name, profile.reader);
    let mut read = Read::default();
    let mut line = |label: &str, text: &str, values: &[&str]| {
        let numbers = read.numbers(profile, values);
        told(label, text, &numbers, width, &mut out);
    };
    line("names of tools", &tool_names(profile.tool_names), &["tool_names", "tool_name_chars_max"]);
    let properties = ["property_names", "property_name_chars_max"];
    line("names of properties", &property_names(profile.property_names), &properties);
    line("reads", &reads(profile.reads), &["reads"]);
    line("strict", &profile.strict.map_or("not asked".to_owned(), strict), &["strict"]);
    let clients = if profile.clients.is_empty() { "–".to_owned() } else { profile.clients.join(", ") };
    line("clients", &clients, &["clients"]);
    let _ = writeln!(out, "\n{DIM}by the names that a policy file changes them by:{DIM:#}");
    for (name, value) in profile.values() {
        let numbers = read.numbers(profile, &[name]);
        told(name, &value, &numbers, width, &mut out);
    }
    let _ = writeln!(out, "\n{DIM}sources, with when each was read or written and how far it can be trusted:{DIM:#}");
    for (index, source) in read.sources.iter().enumerate() {
        let text = format!("{}; {}, {}", source.title, source.seen, source.confidence);
        labelled(&format!("{:>3}", index + 1), NOTE, 5, &text, width, &mut out);
    }
    out
}

/// A value, and after its first line the numbers of its sources.
fn told(label: &str, text: &str, numbers: &str, width: usize, out: &mut String) {
    let text_width = width.saturating_sub(LABEL + NUMBERS + 2).clamp(20, VALUE_MAX);
    let mut lines = wrapped(text, text_width).into_iter();
    let first = lines.next().unwrap_or_default();
    let gap = " ".repeat((text_width + 2).saturating_sub(columns(&first)));
    let label = filled(label, LABEL);
    let _ = writeln!(out, "{NOTE}{label}{NOTE:#}{first}{gap}{DIM}{numbers}{DIM:#}");
    for line in lines {
        let _ = writeln!(out, "{}{line}", " ".repeat(LABEL));
    }
}

/// The sources of what has been shown, numbered as they come; one title has one number.
#[derive(Default)]
struct Read {
    sources: Vec<&'static Source>,
}

impl Read {
    fn numbers(&mut self, profile: &Profile, values: &[&str]) -> String {
        let mut numbers: Vec<usize> = Vec::new();
        for source in values.iter().flat_map(|value| profile.sources_of(value)) {
            let known = self.sources.iter().position(|other| other.title == source.title);
            let number = known.unwrap_or_else(|| {
                self.sources.push(source);
                self.sources.len() - 1
            });
            numbers.push(number + 1);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let numbers = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        if numbers.is_empty() { numbers } else { format!("[{numbers}]") }
    }
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
    let limit =
        |max: usize, what: &str| if max == 0 { format!("no {what}") } else { format!("at most {} {what}", count(max)) };
    rules.extend(limits.into_iter().filter_map(|(max, what)| max.map(|max| limit(max, what))));
    rules.push(if strict.recursion { "recursion is taken" } else { "no recursion" }.to_owned());
    if !strict.compound_lists {
        rules.push("no object or list as one of several kinds".to_owned());
    }
    if strict.enum_case_varies {
        rules.push("words may come back with other capitals, which are read back".to_owned());
    }
    rules.push(format!("a tool that cannot be strict is shown as to {}", strict.otherwise));
    rules.join("; ")
}
