//! Words as options and their values.

use super::name::{Form, Named, resolve, split};
use super::{Fault, FaultKind, Given};
use std::ffi::{OsStr, OsString};
use toolgate::Outline;
use toolgate::json::{Document, Kind, Strictness};
use toolgate::{Limits, shown_name};

/// One option with its value.
#[derive(Debug)]
pub(super) struct Option_<'c> {
    /// The option as it was written, without its value.
    pub(super) written: String,
    pub(super) path: Vec<String>,
    pub(super) place: Option<Outline<'c>>,
    /// Nothing where the option is at fault: its place is taken and has no value.
    pub(super) given: Option<Given>,
}

/// What the words after a tool's name say.
#[derive(Debug, Default)]
pub(crate) struct Line<'c> {
    pub(super) options: Vec<Option_<'c>>,
    /// What `--args` was given: JSON, `@` and a file, or `-`.
    pub(crate) args: Option<String>,
    /// Help was asked for.
    pub(crate) help: bool,
    /// What follows `--`.
    pub(crate) after: Vec<OsString>,
    pub(super) faults: Vec<Fault>,
}

/// Reads the words of a tool with these arguments.
pub(crate) fn read<'c>(arguments: &Outline<'c>, words: &[OsString]) -> Line<'c> {
    let (count, line) = (words.len(), Line::default());
    let mut reader = Reader { arguments, count, words: words.iter().peekable(), line, after_flag: false };
    while let Some(word) = reader.words.next() {
        if word == "--" {
            reader.line.after = reader.words.cloned().collect();
            return reader.line;
        }
        reader.word(word);
    }
    reader.line
}

/// What the word after some others would be.
pub(crate) struct Next<'c> {
    /// The places that have a value and take no second one.
    pub(crate) taken: Vec<Vec<String>>,
    /// The option before it has no value yet: these are its names and its place, where anything is known of it. Otherwise an option
    /// begins.
    pub(crate) value_of: Option<(Vec<String>, Option<Outline<'c>>)>,
}

/// What a word after these would be; none where it would belong to no option.
pub(crate) fn next<'c>(arguments: &Outline<'c>, words: &[OsString]) -> Option<Next<'c>> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let last = words.last().and_then(|word| word.to_str()?.strip_prefix("--"));
    let value_of = last.map(|option| split(arguments, option)).filter(|(_, form)| *form == Form::Bare);
    let value_of = value_of.map(|(name, _)| resolve(arguments, name)).filter(|named| {
        let is_help = last == Some("help") && named.place.is_none();
        !named.is_negated && !is_help && !named.place.as_ref().is_some_and(is_flag)
    });
    let once = |option: &Option_<'_>| !option.place.as_ref().is_some_and(|place| place.names(Kind::Array));
    let given = read(arguments, words).options.into_iter().filter(|option| once(option));
    Some(Next {
        taken: given.map(|option| option.path).collect(),
        value_of: value_of.map(|named| (named.path, named.place)),
    })
}

/// An option that has its value in the same word.
pub(crate) struct WithValue<'c, 'w> {
    pub(crate) path: Vec<String>,
    pub(crate) place: Outline<'c>,
    /// The word up to its value.
    pub(crate) head: &'w str,
    pub(crate) value: &'w str,
    /// The value is JSON.
    pub(crate) is_json: bool,
}

/// A word that is an option with its value.
pub(crate) fn with_value<'c, 'w>(arguments: &Outline<'c>, word: &'w str) -> Option<WithValue<'c, 'w>> {
    let (name, form) = split(arguments, word.strip_prefix("--")?);
    let (value, is_json) = match form {
        Form::Bare => return None,
        Form::Text(value) => (value, false),
        Form::Json(value) => (value, true),
    };
    let (head, value) = word.split_at_checked(word.len().checked_sub(value.len())?)?;
    let named = resolve(arguments, name);
    let place = named.place.filter(|_| !named.is_negated)?;
    Some(WithValue { path: named.path, place, head, value, is_json })
}

struct Reader<'a, 'c> {
    arguments: &'a Outline<'c>,
    /// All words, those that have been read among them.
    count: usize,
    words: std::iter::Peekable<std::slice::Iter<'a, OsString>>,
    line: Line<'c>,
    /// The word before is a flag without a value.
    after_flag: bool,
}

impl<'c> Reader<'_, 'c> {
    fn word(&mut self, word: &OsStr) {
        let after_flag = std::mem::take(&mut self.after_flag);
        let (option, is_whole) = option_text(word);
        let Some(option) = option else {
            if word == "-h" {
                self.line.help = true;
                return;
            }
            if let Some(word) = word.to_str()
                && self.unsigned(word)
            {
                return;
            }
            let before = self.line.options.last().filter(|_| after_flag);
            let (written, path) =
                before.map_or((None, &[][..]), |before| (Some(before.written.clone()), &*before.path));
            let number = self.count.saturating_sub(self.words.len());
            let fault = Fault::new(written, path, FaultKind::Stray { after_flag, number });
            return self.line.faults.push(fault);
        };
        let (name, form) = split(self.arguments, &option);
        let named = resolve(self.arguments, name);
        match name {
            "help" if named.place.is_none() && form == Form::Bare && is_whole => self.line.help = true,
            "args" if named.place.is_none() && is_whole => self.args(form),
            name => self.option(name, named, form, is_whole),
        }
    }

    /// `name=value` of a declared argument, as other programs take it: said to be no option, and its place is taken.
    fn unsigned(&mut self, word: &str) -> bool {
        let (name, form) = split(self.arguments, word);
        let Named { path, place, is_negated } = resolve(self.arguments, name);
        if form == Form::Bare || place.is_none() || is_negated {
            return false;
        }
        let written = format!("--{}", shown_name(name));
        let kind = FaultKind::Unsigned { is_json: matches!(form, Form::Json(_)) };
        self.line.faults.push(Fault::new(written.clone(), &path, kind));
        self.line.options.push(Option_ { written, path, place, given: None });
        true
    }

    /// `--args`, of a tool that declares no such argument.
    fn args(&mut self, form: Form<'_>) {
        let option = || Some("--args".to_owned());
        let value = match form {
            Form::Text(value) | Form::Json(value) => Some(value.to_owned()),
            Form::Bare => match self.value().map(|word| word.to_str()) {
                Some(None) => return self.line.faults.push(Fault::new(option(), &[], FaultKind::NotUnicode)),
                word => word.flatten().map(str::to_owned),
            },
        };
        match value {
            None => self.line.faults.push(Fault::new(option(), &[], FaultKind::NoValue)),
            Some(_) if self.line.args.is_some() => {
                self.line.faults.push(Fault::new(option(), &[], FaultKind::Repeated));
            }
            value => self.line.args = value,
        }
    }

    fn option(&mut self, name: &str, named: Named<'c>, form: Form<'_>, is_whole: bool) {
        let written = format!("--{}", shown_name(name));
        let given = if is_whole { self.given(&named, form) } else { Err(FaultKind::NotUnicode) };
        let given = given.map_err(|kind| self.line.faults.push(Fault::new(written.clone(), &named.path, kind))).ok();
        self.line.options.push(Option_ { written, path: named.path, place: named.place, given });
    }

    fn given(&mut self, named: &Named<'c>, form: Form<'_>) -> Result<Given, FaultKind> {
        match form {
            Form::Bare if named.is_negated => {
                self.after_flag = true;
                Ok(Given::Flag(false))
            }
            _ if named.is_negated => Err(FaultKind::TakesNoValue),
            Form::Text(text) => Ok(Given::Text(text.to_owned())),
            Form::Json(json) if is_json(json) => Ok(Given::Json(json.to_owned())),
            Form::Json(_) => Err(FaultKind::NotJson),
            Form::Bare => self.following(named.place.as_ref()),
        }
    }

    /// The value of a bare option: the next word, or none for a flag.
    fn following(&mut self, place: Option<&Outline<'c>>) -> Result<Given, FaultKind> {
        if let Some(flag) = place.filter(|place| is_flag(place)) {
            let takes_null = flag.admits(Kind::Null);
            let is_value = |word: &OsStr| word == "true" || word == "false" || takes_null && word == "null";
            if let Some(word) = self.words.next_if(|word| is_value(word)) {
                return Ok(Given::Text(word.to_string_lossy().into_owned()));
            }
            self.after_flag = true;
            return Ok(Given::Flag(true));
        }
        match self.value() {
            Some(word) => word.to_str().map(|word| Given::Text(word.to_owned())).ok_or(FaultKind::NotUnicode),
            None if place.is_some_and(|place| place.names(Kind::Boolean)) => Ok(Given::Flag(true)),
            None => Err(FaultKind::NoValue),
        }
    }

    /// The next word, unless it is an option.
    fn value(&mut self) -> Option<&OsStr> {
        self.words.next_if(|word| !word.as_encoded_bytes().starts_with(b"--")).map(OsString::as_os_str)
    }
}

/// What follows the `--` of an option, and whether that is all of it: what is not UTF-8 ends it.
fn option_text(word: &OsStr) -> (Option<String>, bool) {
    match word.to_str() {
        Some(word) => (word.strip_prefix("--").map(str::to_owned), true),
        None => {
            let text = word.to_string_lossy();
            // The value may be what is not UTF-8; its name is told, as far as it is one.
            let name = text.strip_prefix("--").map(|text| text.split(['=', '\u{fffd}']).next().unwrap_or_default());
            (name.map(str::to_owned), false)
        }
    }
}

/// A place for which a word is `true` or `false` or nothing.
pub(crate) fn is_flag(place: &Outline<'_>) -> bool {
    let others = [Kind::String, Kind::Number, Kind::Array, Kind::Object];
    place.admits(Kind::Boolean) && !others.into_iter().any(|kind| place.admits(kind))
}

/// Whether the text can stand in JSON where one value does. What the value says is for the contract.
fn is_json(text: &str) -> bool {
    Document::read_str(text, Strictness::Frame, &Limits { depth_max: usize::MAX, ..Limits::default() }).is_ok()
}
