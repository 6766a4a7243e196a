//! Options as the JSON text of the arguments.

use super::words::Line;
use super::{Fault, FaultKind, Given};
use std::collections::HashMap;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value, list, quoted};
use toolgate::{Limits, Outline};

/// The arguments that a line says.
#[derive(Debug)]
pub(crate) struct Built {
    /// JSON text for the contract. Where there are faults, the places at fault are taken by a value that means nothing, so that
    /// the contract can speak of all the others.
    pub(crate) text: Vec<u8>,
    pub(crate) faults: Vec<Fault>,
    /// `--args` has a part in it.
    pub(crate) has_args: bool,
    /// Places by the options that gave them, in the order given.
    pub(crate) written: Vec<(Vec<String>, String)>,
}

/// Makes the arguments of options and of `args`, which is what `--args` stands for.
pub(crate) fn build(line: Line<'_>, args: Option<Vec<u8>>) -> Built {
    let mut faults = line.faults;
    let mut written: Vec<(Vec<String>, String)> = Vec::new();
    let has_args = args.is_some();
    let mut root = Members::default();
    let mut options = line.options.into_iter().peekable();
    if options.peek().is_none()
        && let Some(text) = args
    {
        // As it is: what is wrong with it, the contract says.
        return Built { text, faults, has_args, written };
    }
    for option in options {
        if let Err(kind) = root.put(&option.path, option.place, option.given) {
            faults.push(Fault::new(option.written.clone(), &option.path, kind));
        }
        written.push((option.path, option.written));
    }
    let text = match args {
        None => root.to_json().into_bytes(),
        Some(args) => match join(&args, &mut root) {
            Ok(Joined { text, conflicts }) => {
                for name in conflicts {
                    let given = written.iter().find(|(path, _)| path.first() == Some(&name));
                    let option = given.map(|(_, option)| option.clone());
                    faults.push(Fault::new(option, &[name], FaultKind::InArgs));
                }
                text
            }
            Err(Unjoined::NoObject) => {
                faults.push(Fault::new(Some("--args".to_owned()), &[], FaultKind::ArgsNoObject));
                root.to_json().into_bytes()
            }
            Err(Unjoined::NotJson) => args,
        },
    };
    Built { text, faults, has_args, written }
}

/// The members of an object, in the order in which they were first given.
#[derive(Debug, Default)]
struct Members<'c> {
    members: Vec<(String, Member<'c>)>,
    by_name: HashMap<String, usize>,
}

#[derive(Debug)]
enum Member<'c> {
    Value { place: Option<Outline<'c>>, given: Vec<Given> },
    Object(Members<'c>),
}

impl<'c> Members<'c> {
    /// Puts a value at a place; an option at fault takes its place without one.
    fn put(&mut self, path: &[String], place: Option<Outline<'c>>, given: Option<Given>) -> Result<(), FaultKind> {
        let Some((name, inside)) = path.split_first() else { return Ok(()) };
        let index = self.by_name.get(name).copied();
        match index.and_then(|index| self.members.get_mut(index)) {
            None => {
                let mut member = Member::Object(Members::default());
                let put = match &mut member {
                    Member::Object(members) if !inside.is_empty() => members.put(inside, place, given),
                    member => {
                        *member = Member::Value { place, given: given.into_iter().collect() };
                        Ok(())
                    }
                };
                self.by_name.insert(name.clone(), self.members.len());
                self.members.push((name.clone(), member));
                put
            }
            Some((_, Member::Object(members))) if !inside.is_empty() => members.put(inside, place, given),
            Some((_, Member::Value { place, given: before })) if inside.is_empty() => {
                let Some(given) = given else { return Ok(()) };
                if before.iter().chain([&given]).any(|given| matches!(given, Given::Json(_))) && !before.is_empty() {
                    return Err(FaultKind::RepeatedWhole);
                }
                // Two of a name are a list where the place speaks of one.
                if !before.is_empty() && !place.as_ref().is_some_and(|place| place.names(Kind::Array)) {
                    return Err(FaultKind::Repeated);
                }
                before.push(given);
                Ok(())
            }
            Some(_) => Err(FaultKind::WholeAndMembers),
        }
    }

    fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        for (name, member) in &self.members {
            object.raw(name, &member.to_json());
        }
        object.end()
    }
}

impl Member<'_> {
    fn to_json(&self) -> String {
        match self {
            Member::Object(members) => members.to_json(),
            Member::Value { place, given } => match given.as_slice() {
                [] => "null".to_owned(),
                [Given::Text(text)] if is_item(place.as_ref(), text) => format!("[{}]", quoted(text)),
                [given] => given.to_json(),
                items => list(items.iter().map(Given::to_json)),
            },
        }
    }
}

impl Given {
    fn to_json(&self) -> String {
        match self {
            Given::Text(text) => quoted(text),
            Given::Flag(flag) => flag.to_string(),
            Given::Json(json) => json.clone(),
        }
    }
}

/// Whether one word is a list of one: the place takes lists and nothing that a word could be, and the word is no list itself.
fn is_item(place: Option<&Outline<'_>>, word: &str) -> bool {
    let Some(place) = place.filter(|place| place.names(Kind::Array)) else { return false };
    let others = [Kind::String, Kind::Number, Kind::Boolean, Kind::Object];
    let is_null = word == "null" && place.admits(Kind::Null) && !place.items().admits(Kind::String);
    !others.into_iter().any(|kind| place.admits(kind)) && !is_list(word) && !is_null
}

fn is_list(text: &str) -> bool {
    read(text.as_bytes()).is_some_and(|document| document.root().kind() == Kind::Array)
}

/// Within the bounds of what a command line can hold, which the contract's are tighter than.
fn read(text: &[u8]) -> Option<Document<'_>> {
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: usize::MAX, ..Limits::default() };
    Document::read(text, Strictness::Frame, &limits).ok()
}

struct Joined {
    text: Vec<u8>,
    /// Names that are given on both sides; the text has them as the object does.
    conflicts: Vec<String>,
}

enum Unjoined {
    NoObject,
    NotJson,
}

/// The members of a JSON object, as they were written, and those of the options.
fn join(args: &[u8], options: &mut Members<'_>) -> Result<Joined, Unjoined> {
    let document = read(args).ok_or(Unjoined::NotJson)?;
    let root = document.root();
    if root.kind() != Kind::Object {
        return Err(Unjoined::NoObject);
    }
    let name = |name: Value<'_>| name.as_str().unwrap_or_default().into_owned();
    let names = root.members().map(|(member, _)| name(member));
    let conflicts: Vec<String> = names.filter(|name| options.by_name.remove(name).is_some()).collect();
    options.members.retain(|(name, _)| !conflicts.contains(name));
    let inner = |text: &str| text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).map(str::to_owned);
    let parts = [inner(root.text()), inner(&options.to_json())].into_iter().flatten();
    let parts: Vec<String> = parts.filter(|part| !part.trim().is_empty()).collect();
    Ok(Joined { text: format!("{{{}}}", parts.join(",")).into_bytes(), conflicts })
}
