//! What to type in place of what was refused, from the violation's code and the schema of its place. The contract's own hints speak
//! to whoever writes JSON, and stay where a person wrote it: inside the value of an option.

use super::{Teller, names};
use crate::call::answer::read;
use crate::call::argv::{is_flag, spelled_name};
use crate::call::example::Examples;
use crate::show::json::at;
use crate::show::visible;
use clap::{Arg, CommandFactory};
use toolgate::json::Kind;
use toolgate::{Code, Outline, Violation};

/// The option whose value is refused.
struct Typed<'c> {
    /// `--limit`
    option: String,
    path: Vec<String>,
    place: Option<Outline<'c>>,
}

impl<'c> Teller<'_, 'c> {
    /// What helps a person at a shell.
    pub(super) fn hint(&self, violation: &Violation) -> Option<String> {
        let at = names(violation);
        let by_contract = || violation.hint.as_ref().map(ToString::to_string);
        match violation.code {
            Code::UnknownArgument if violation.suggest.is_none() => ours(self.written(&at)?),
            Code::AliasConflict => Some("give it once".to_owned()),
            Code::Type if at.is_empty() => Some("all arguments are one JSON object, {\"name\": value}".to_owned()),
            Code::Type | Code::MinItems | Code::ListAsText | Code::ObjectAsText | Code::Ambiguous => {
                match self.typed(&at) {
                    Some(typed) => self.instead(violation, &at, &typed),
                    None => by_contract(),
                }
            }
            _ => by_contract(),
        }
    }

    /// The option that gives the value of a place, or that a list is made of whose items are words.
    fn typed(&self, at: &[String]) -> Option<Typed<'c>> {
        let whole = |path: &[String]| {
            Some(Typed {
                option: visible(&spelled_name(self.outline, path)?),
                path: path.to_vec(),
                place: self.place_of(path),
            })
        };
        match self.written_above(at) {
            None => whole(at),
            Some((depth, _)) if depth == at.len() => whole(at),
            Some((depth, _)) if depth + 1 == at.len() && self.is_word(at) => whole(at.get(..depth)?),
            Some(_) => None,
        }
    }

    /// What the schema says of a place, where it says something.
    fn place_of(&self, path: &[String]) -> Option<Outline<'c>> {
        path.iter().try_fold(self.outline.clone(), |place, name| {
            let item = || name.parse::<usize>().is_ok().then(|| place.items());
            place.member(name).or_else(|| place.rest()).or_else(item)
        })
    }

    /// The kind of what was given at a place, and whether it is nothing: `null`, or text without a character.
    fn given(&self, at: &[String]) -> Option<(Kind, bool)> {
        let text = std::str::from_utf8(&self.built.text).ok()?;
        let document = read(text)?;
        let value = self::at(document.root(), &super::pointer(at))?;
        Some((value.kind(), value.kind() == Kind::Null || value.is_str("")))
    }

    fn is_word(&self, at: &[String]) -> bool {
        self.given(at).is_some_and(|(kind, _)| kind == Kind::String)
    }

    /// How a value that is admitted there is typed.
    fn instead(&self, violation: &Violation, at: &[String], typed: &Typed<'c>) -> Option<String> {
        let Typed { option, path, place } = typed;
        let place = place.as_ref();
        match violation.code {
            Code::ListAsText => {
                let keep = "where it is free text, the `list_text_keep` of a policy says so";
                return Some(format!("{}; {keep}", self.list(typed)));
            }
            Code::ObjectAsText | Code::Ambiguous => return Some(format!("say which is meant with {option}:=JSON")),
            Code::MinItems => return Some(self.list(typed)),
            _ => {}
        }
        let (kind, is_nothing) = self.given(at)?;
        if is_nothing && !self.is_required(path) {
            return Some(format!("leave {option} out to give nothing"));
        }
        let wants = |word: &str| violation.expected().any(|expected| expected == word);
        let is_item = path.len() < at.len();
        if wants("string") {
            return (kind != Kind::String && !is_item).then(|| format!("text is written {option} TEXT"));
        }
        if wants("array") || is_item && wants("object") {
            return Some(self.list(typed));
        }
        if wants("object") {
            return Some(self.object(typed));
        }
        if wants("boolean") && !is_item {
            let no = option.strip_prefix("--").map(|name| format!("--no-{name}"));
            let flags = no.filter(|_| place.is_some_and(is_flag));
            return Some(flags.map_or("write true or false".to_owned(), |no| format!("write {option} or {no}")));
        }
        (wants("integer") && !wants("number"))
            .then(|| "write a whole number, without a fraction or an exponent".to_owned())
    }

    fn is_required(&self, path: &[String]) -> bool {
        let Some((name, outer)) = path.split_last() else { return true };
        let members = self.place_of(outer).map(|outer| outer.members()).unwrap_or_default();
        members.iter().any(|member| member.name == name && member.is_required)
    }

    fn object(&self, Typed { option, path, place }: &Typed<'c>) -> String {
        let members = place.as_ref().map(Outline::members).unwrap_or_default();
        let first = members.iter().find(|member| member.is_required).or(members.first());
        let inner = first.map(|member| path.iter().cloned().chain([member.name.to_owned()]).collect::<Vec<_>>());
        let inner = inner.and_then(|path| spelled_name(self.outline, &path));
        let whole = self.examples().json_option(path, option, place.as_ref(), Kind::Object);
        match inner {
            Some(inner) => format!("write its members, {} VALUE, or the object as JSON, {whole}", visible(&inner)),
            None => format!("write the object as JSON, {whole}"),
        }
    }

    /// A list, item by item where a word can be an item.
    fn list(&self, Typed { option, path, place }: &Typed<'c>) -> String {
        let items = place.as_ref().map(Outline::items);
        let is_word = |item: &Outline<'_>| ![Kind::Array, Kind::Object].into_iter().any(|kind| item.names(kind));
        let whole = self.examples().json_option(path, option, place.as_ref(), Kind::Array);
        match items.as_ref().is_none_or(is_word) {
            true => format!("repeat it for each item, {option} A {option} B, or write the list as JSON, {whole}"),
            false => format!("write the list as JSON, {whole}"),
        }
    }

    fn examples(&self) -> &Examples<'c> {
        self.examples.get_or_init(|| Examples::of(self.contract))
    }
}

/// An option of ours that stands where those of the tool do.
fn ours(written: &str) -> Option<String> {
    let name = written.strip_prefix("--")?;
    let program = crate::Cli::command();
    let mut ours = program.find_subcommand("call")?.get_arguments().filter_map(Arg::get_long);
    ours.find(|option| *option == name)?;
    Some(format!("--{name} is an option of toolgate: write it before the server and the tool"))
}
