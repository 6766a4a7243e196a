//! A call that was not sent, told to whoever typed it: in the names of options. Holds no value.

mod hint;

use super::answer::read;
use super::argv::{Built, Fault, FaultKind, spelled_name};
use super::example::Examples;
use crate::input;
use crate::show::json::at;
use crate::show::{BAD, DIM, NOTE, error_width, labelled, notice, place, visible};
use crate::tool::{OneTool, did_you_mean};
use std::cell::OnceCell;
use std::io::Write as _;
use toolgate::json::{ObjectWriter, list};
use toolgate::{Code, Contract, Outline, Refusal, Violation, shown_name};

/// Words that belong to no option, in one line.
const STRAYS_MAX: usize = 5;
/// Options that are suggested as missing, in one line.
const MISSING_MAX: usize = 20;

/// Everything for which a call is not sent.
pub(super) struct Refused {
    lines: Vec<Line>,
    more: usize,
    /// Nothing is given where something is needed: perhaps standard input holds it, which is not read.
    is_missing: bool,
}

struct Line {
    place: String,
    reason: String,
    hint: Option<String>,
    /// For programs.
    json: String,
}

impl Refused {
    /// What is wrong with the words, and what the contract refuses of the rest.
    pub(super) fn of(tool: &OneTool, built: &Built, refusal: Option<&Refusal>) -> Refused {
        let outline = tool.contract.outline();
        let teller = Teller { contract: &tool.contract, outline: &outline, built, examples: OnceCell::new() };
        let told = refusal.map_or(&[][..], Refusal::violations);
        // Words that are no arguments at all leave nothing to judge.
        let is_whole = built.faults.iter().any(|fault| matches!(fault.kind, FaultKind::ArgsNoObject));
        let told = if is_whole { &[][..] } else { told };
        let kept: Vec<&Violation> = told.iter().filter(|violation| teller.is_founded(violation)).collect();
        let unknown: Vec<Vec<String>> = kept
            .iter()
            .filter(|violation| violation.code == Code::UnknownArgument)
            .map(|violation| names(violation))
            .collect();
        // An option that does not exist has no other fault.
        let is_known = |told: &&Told<'_>| {
            !unknown.iter().any(|unknown| !told.fault.path.is_empty() && starts_with(&told.fault.path, unknown))
        };
        let mut lines: Vec<Line> = Vec::new();
        for line in joined(&built.faults).iter().filter(is_known).map(fault_line) {
            if !lines.iter().any(|told| told.place == line.place && told.reason == line.reason) {
                lines.push(line);
            }
        }
        let is_nothing_given = built.written.is_empty() && built.faults.is_empty() && !built.has_args;
        let is_missing = is_nothing_given && kept.iter().any(|violation| violation.code == Code::Required);
        lines.extend(kept.into_iter().map(|violation| teller.violation(violation)));
        let more = if is_whole { 0 } else { refusal.map_or(0, Refusal::more) };
        Refused { lines, more, is_missing }
    }

    pub(super) fn tell(&self, tool: &str, as_json: bool) {
        let text = if as_json { self.to_json() } else { self.to_text(tool, error_width()) };
        let _ = anstream::stderr().write_all(text.as_bytes());
        if !as_json && self.is_missing && input::is_given() {
            notice("standard input is not read; --args - takes all arguments from it, as a JSON object");
        }
    }

    /// The reasons on one line, hints in brackets.
    #[cfg(test)]
    pub(super) fn lines_for_tests(&self) -> String {
        let told = self.lines.iter().map(|line| {
            let place = if line.place.is_empty() { String::new() } else { format!("{}: ", line.place) };
            let hint = line.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{place}{}{hint}", line.reason)
        });
        told.collect::<Vec<_>>().join("; ")
    }

    fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        object.raw("violations", &list(self.lines.iter().map(|line| line.json.clone())));
        object.count("more", self.more);
        object.end() + "\n"
    }

    /// For a person, in lines of `width` columns.
    pub(super) fn to_text(&self, tool: &str, width: usize) -> String {
        let mut out = format!("{BAD}error:{BAD:#} `{}` was not called", shown_name(tool));
        match self.lines.len() + self.more {
            1 => out.push_str(":\n"),
            count => out.push_str(&format!(", for {count} reasons:\n")),
        }
        for line in &self.lines {
            // What is said of the arguments as a whole has no option to stand under.
            let place = if line.place.is_empty() { String::new() } else { format!("{}: ", line.place) };
            labelled("  ", DIM, 2, &format!("{place}{}", line.reason), width, &mut out);
            if let Some(hint) = &line.hint {
                // What is copied from it stands on one line, however long.
                labelled("    hint:", NOTE, 10, hint, usize::MAX, &mut out);
            }
        }
        if self.more > 0 {
            out.push_str(&format!("  and {} more\n", self.more));
        }
        out.push_str(&format!("{DIM}--help after the tool's name lists its options{DIM:#}\n"));
        out
    }
}

/// The faults, of which words that belong to no option are one.
fn joined(faults: &[Fault]) -> Vec<Told<'_>> {
    let mut told: Vec<Told<'_>> = Vec::new();
    for fault in faults {
        let stray = match fault.kind {
            FaultKind::Stray { after_flag: false, number } => Some(number),
            _ => None,
        };
        match (stray, told.iter_mut().find(|told| !told.strays.is_empty())) {
            (Some(number), Some(told)) => told.strays.push(number),
            _ => told.push(Told { fault, strays: stray.into_iter().collect() }),
        }
    }
    told
}

struct Told<'f> {
    fault: &'f Fault,
    /// Words that belong to no option, by their numbers.
    strays: Vec<usize>,
}

impl Told<'_> {
    /// `words 2, 4 after the tool's name belong`
    fn strays(&self) -> String {
        let numbers: Vec<String> = self.strays.iter().take(STRAYS_MAX).map(usize::to_string).collect();
        let more = self.strays.len().saturating_sub(STRAYS_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (word, belongs) = if self.strays.len() == 1 { ("word", "belongs") } else { ("words", "belong") };
        format!("{word} {}{more} after the tool's name {belongs} to no option", numbers.join(", "))
    }
}

fn fault_line(told: &Told<'_>) -> Line {
    let fault = told.fault;
    let option = fault.option.clone().unwrap_or_default();
    let strays;
    let (reason, hint) = match fault.kind {
        FaultKind::NoValue => ("needs a value", format!("a value that begins with -- is written {option}=VALUE")),
        FaultKind::TakesNoValue => ("takes no value", String::new()),
        FaultKind::NotJson => ("`:=` is followed by what is not JSON", format!("text is written {option}=TEXT")),
        FaultKind::Repeated => ("given twice, and takes one value", String::new()),
        FaultKind::RepeatedWhole => {
            ("given twice, once as a whole", format!("write all of it in one place, as {option}:=JSON"))
        }
        FaultKind::InArgs => ("given in --args too", "leave one of the two out".to_owned()),
        FaultKind::WholeAndMembers => ("given as a whole and by its members", String::new()),
        FaultKind::Stray { after_flag: true, .. } => {
            ("followed by a word that belongs to no option", format!("{option} is a flag: true or false may follow it"))
        }
        FaultKind::Stray { after_flag: false, .. } => {
            strays = told.strays();
            (&*strays, "every argument is an option: --name VALUE".to_owned())
        }
        FaultKind::Unsigned { is_json } => {
            let value = if is_json { ":=JSON" } else { " VALUE" };
            ("given without --", format!("every argument is an option: {option}{value}"))
        }
        FaultKind::NotUnicode => ("is not UTF-8", String::new()),
        FaultKind::ArgsNoObject => ("is no JSON object to which options could add", String::new()),
    };
    let code = match fault.kind {
        FaultKind::Repeated | FaultKind::RepeatedWhole | FaultKind::InArgs | FaultKind::WholeAndMembers => {
            Some(Code::RepeatedOption)
        }
        FaultKind::NotJson => Some(Code::InvalidJson),
        FaultKind::NotUnicode => Some(Code::InvalidUnicode),
        _ => None,
    };
    let hint = Some(hint).filter(|hint| !hint.is_empty());
    let mut json = ObjectWriter::new();
    json.string("location", &pointer(&fault.path));
    json.optional("code", code.map(Code::as_str));
    json.optional("option", fault.option.as_deref());
    json.string("message", reason);
    json.optional("hint", hint.as_deref());
    Line { place: visible(&option), reason: reason.to_owned(), hint, json: json.end() }
}

struct Teller<'a, 'c> {
    contract: &'c Contract,
    outline: &'a Outline<'c>,
    built: &'a Built,
    /// Made for the first hint that shows one.
    examples: OnceCell<Examples<'c>>,
}

impl Teller<'_, '_> {
    /// Whether a violation would be one too if what is at fault were right.
    fn is_founded(&self, violation: &Violation) -> bool {
        let at = names(violation);
        let mut faulty = self.built.faults.iter().map(|fault| &fault.path).filter(|path| !path.is_empty());
        let is_of_forms = matches!(
            violation.code,
            Code::AnyOf | Code::OneOf | Code::Not | Code::Opaque | Code::Enum | Code::Const | Code::FalseSchema
        );
        violation.code == Code::UnknownArgument
            || !faulty.any(|path| starts_with(&at, path) || is_of_forms && starts_with(path, &at))
    }

    fn violation(&self, violation: &Violation) -> Line {
        let at = names(violation);
        let missing = || self.missing(&at, violation);
        let reason = match violation.code {
            Code::Required if !violation.missing.is_empty() => format!("missing required {}", missing()),
            Code::UnknownArgument if self.written(&at).is_some() => "no such option".to_owned(),
            _ => violation.reason(),
        };
        let suggest = violation.suggest.as_ref().map(|name| format!("; did you mean {}?", self.sibling(&at, name)));
        let place = self.place(&at);
        let is_of_args = self.built.has_args && place.is_empty() && is_of_text(violation.code);
        let place = if is_of_args { "--args".to_owned() } else { place };
        Line {
            hint: self.hint(violation),
            reason: reason + &suggest.or_else(|| self.near_word(violation)).unwrap_or_default(),
            place,
            json: violation.to_json(),
        }
    }

    /// The question whether an allowed word was meant. Holds the schema's word, not the one that was given.
    fn near_word(&self, violation: &Violation) -> Option<String> {
        if violation.code != Code::Enum {
            return None;
        }
        let document = read(std::str::from_utf8(&self.built.text).ok()?)?;
        let given = at(document.root(), &violation.location.to_pointer())?.as_str()?;
        did_you_mean(&given, violation.allowed().iter().map(|word| word.trim_matches('"')))
    }

    fn missing(&self, at: &[String], violation: &Violation) -> String {
        let names = violation.missing.iter().take(MISSING_MAX).map(|name| self.sibling_of(at, name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// A name beside the last one of a place.
    fn sibling(&self, at: &[String], name: &str) -> String {
        self.sibling_of(at.split_last().map_or(&[][..], |(_, outer)| outer), name)
    }

    /// A name inside a place, as an option where the place itself could be one.
    fn sibling_of(&self, outer: &[String], name: &str) -> String {
        let path: Vec<String> = outer.iter().cloned().chain([name.to_owned()]).collect();
        let is_inside_value = self.written_above(outer).is_some();
        let option = spelled_name(self.outline, &path).filter(|_| !is_inside_value);
        option.map_or_else(|| format!("`{}`", shown_name(name)), |option| visible(&option))
    }

    /// A place as an option, as far as one gave it.
    fn place(&self, at: &[String]) -> String {
        if at.is_empty() {
            return String::new();
        }
        if let Some(option) = self.written(at) {
            return visible(option);
        }
        if let Some((depth, option)) = self.written_above(at) {
            return format!("{} {}", visible(option), inside(at.get(depth..).unwrap_or_default()));
        }
        spelled_name(self.outline, at).map_or_else(|| place(&pointer(at)), |option| visible(&option))
    }

    fn written(&self, at: &[String]) -> Option<&str> {
        self.built.written.iter().find(|(path, _)| is_same(path, at)).map(|(_, option)| option.as_str())
    }

    /// The option whose value holds the place, and how many names lead to it.
    fn written_above(&self, at: &[String]) -> Option<(usize, &str)> {
        let above = self.built.written.iter().filter(|(path, _)| starts_with(at, path));
        above.map(|(path, option)| (path.len(), option.as_str())).max_by_key(|(depth, _)| *depth)
    }
}

/// What can be wrong with `--args` as a whole.
fn is_of_text(code: Code) -> bool {
    matches!(
        code,
        Code::InvalidJson
            | Code::InvalidUnicode
            | Code::DuplicateName
            | Code::DepthLimit
            | Code::SizeLimit
            | Code::NumberRange
            | Code::Type
    )
}

/// The names of a violation's place.
fn names(violation: &Violation) -> Vec<String> {
    toolgate::pointer_names(&violation.location.to_pointer()).collect()
}

/// A place inside the value of an option, an item of its list by its number.
fn inside(names: &[String]) -> String {
    let item = names.first().and_then(|name| name.parse::<usize>().ok());
    match (item, names.get(1..)) {
        (Some(index), Some([])) => format!("item {}", index.saturating_add(1)),
        (Some(index), Some(rest)) => format!("item {} at {}", index.saturating_add(1), place(&pointer(rest))),
        _ => format!("at {}", place(&pointer(names))),
    }
}

fn pointer(names: &[String]) -> String {
    names.iter().map(|name| format!("/{}", toolgate::pointer_segment(name))).collect()
}

/// An undeclared name stands in a place as it may be shown.
fn is_name(told: &str, name: &str) -> bool {
    told == name || told == shown_name(name) || name == shown_name(told)
}

fn is_same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && starts_with(one, other)
}

fn starts_with(path: &[String], head: &[String]) -> bool {
    path.len() >= head.len() && path.iter().zip(head).all(|(name, head)| is_name(head, name) || is_name(name, head))
}
