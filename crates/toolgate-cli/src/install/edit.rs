//! What is edited in the text of a client's file so that a server is started behind the guard, and back again.
//!
//! Only the bytes of the command and of the first words change. The command's own literal moves to the words as it is written, so
//! taking the guard away gives the same bytes again. Where the entry had no list of words, one is put before the command, written
//! without spaces as a sign that it goes away with the guard.

use crate::servers::clients::{Client, ClientPath, ELSEWHERE, Folders, behind_guard, is_process, is_toolgate};
use crate::servers::tree::{Kind, Node, Syntax, line_of};
use std::ops::Range;
use toolgate::json::quoted;

/// What a server is started with in front of its own command: `toolgate run … --`.
pub(crate) struct Guard {
    pub(crate) program: String,
    /// The words before `--`.
    pub(crate) words: Vec<String>,
}

/// A server of a file, and what can be done with it.
pub(crate) struct Place {
    pub(crate) name: String,
    /// Where its name begins.
    pub(crate) start: usize,
    pub(crate) state: State,
}

pub(crate) enum State {
    /// It is started without the guard.
    Open(Slot),
    /// It is started behind the guard.
    Guarded(Slot),
    /// It is left as it is, because of this.
    Left(String),
}

/// Where the command of a server and its words stand.
pub(crate) struct Slot {
    program: String,
    command: Range<usize>,
    /// Where the name of the command's member begins.
    member: usize,
    args: Option<Args>,
    form: Form,
}

/// How a member beside the command's is written.
#[derive(Clone, Copy)]
enum Form {
    Json,
    /// A table of TOML with a line for each member.
    Table,
    /// One on a line.
    Inline,
    /// Names with dots, which may stand anywhere.
    Dotted,
    /// YAML by its indentation, with a line for each member.
    Block,
    /// YAML in braces.
    Flow,
}

struct Args {
    /// Where the name of the member begins.
    member: usize,
    list: Range<usize>,
    words: Vec<Word>,
}

struct Word {
    span: Range<usize>,
    text: String,
}

/// Bytes that are replaced.
pub(crate) struct Edit {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

/// The servers of a file, in its order.
///
/// # Errors
///
/// Says where the file cannot be read.
pub(crate) fn places(client: &Client, file: &ClientPath, text: &str) -> Result<Vec<Place>, String> {
    let root = client.syntax.read(text)?;
    let is_shared = root.is_elsewhere();
    let mut places: Vec<Place> = Vec::new();
    for way in file.holders() {
        let names: Vec<&str> = way.iter().map(String::as_str).collect();
        if let Some(again) = root.repeated_on(&names) {
            let line = line_of(text, again.start);
            return Err(format!("{line}: `{}` is given a second time: make one of the two", again.name));
        }
        let Some(holder) = root.at(&names) else { continue };
        if !holder.is_object() {
            return Err(format!("{}: `{}` is no object", line_of(text, holder.span.start), names.join(".")));
        }
        for member in holder.members() {
            if member.value.get("type").and_then(Node::as_text).is_some_and(|kind| client.keys.inner.contains(&kind)) {
                continue;
            }
            let is_twice = holder.members().iter().filter(|other| other.name == member.name).count() > 1;
            let written = text.get(member.start..member.value.span.end).unwrap_or_default();
            let state = if is_twice {
                State::Left("it is named twice".to_owned())
            } else if is_shared && written.contains('&') {
                // What is changed here would be changed there.
                State::Left("another part of the file may refer to it (`&name`)".to_owned())
            } else {
                state(client, &member.value, text).unwrap_or_else(State::Left)
            };
            places.push(Place { name: member.name.clone(), start: member.start, state });
        }
    }
    Ok(places)
}

/// The folders other than the working directory for which the file names servers.
pub(crate) fn other_folders(client: &Client, file: &ClientPath, text: &str) -> Vec<String> {
    let Ok(root) = client.syntax.read(text) else { return Vec::new() };
    let mut folders = Vec::new();
    for Folders { before, here, after } in file.folders() {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.iter().map(String::as_str).collect(), after.iter().map(String::as_str).collect());
        let all = root.at(&before).map_or(&[][..], Node::members).iter();
        let has_servers = |folder: &Node| folder.at(&after).is_some_and(|servers| !servers.members().is_empty());
        folders.extend(
            all.filter(|folder| folder.name != here && has_servers(&folder.value)).map(|folder| folder.name.clone()),
        );
    }
    folders
}

fn state(client: &Client, server: &Node, text: &str) -> Result<State, String> {
    let keys = client.keys;
    if !server.is_object() {
        return Err("it is no object".to_owned());
    }
    if server.is_elsewhere() {
        return Err(ELSEWHERE.to_owned());
    }
    let members = |name: &str| server.members().iter().filter(|member| member.name == name).collect::<Vec<_>>();
    let url = keys.url.iter().any(|name| server.get(name).is_some());
    let (command, args) = (members(keys.command), members(keys.args));
    if command.len() > 1 || args.len() > 1 {
        return Err("it says the same twice".to_owned());
    }
    let Some(command) = command.first() else {
        return Err(if url { OVER_HTTP.to_owned() } else { format!("it has no `{}`", keys.command) });
    };
    let program = command.value.as_text().filter(|text| !text.is_empty());
    let program = program.ok_or_else(|| format!("its `{}` is no text, or an empty one", keys.command))?;
    if url || !is_process(server) {
        return Err("it has a command, and says that it is reached otherwise".to_owned());
    }
    let args = match args.first() {
        None => None,
        Some(member) => {
            let Kind::List(items) = &member.value.kind else { return Err(format!("its `{}` is no list", keys.args)) };
            let word = |item: &Node| Some(Word { span: item.span.clone(), text: item.as_text()?.to_owned() });
            let words = items.iter().map(word).collect::<Option<Vec<Word>>>();
            let words = words.ok_or_else(|| format!("its `{}` holds what is no text", keys.args))?;
            Some(Args { member: member.start, list: member.value.span.clone(), words })
        }
    };
    let form = match (client.syntax, text.as_bytes().get(server.span.start)) {
        (Syntax::Json, _) => Form::Json,
        (Syntax::Yaml, Some(b'{')) => Form::Flow,
        (Syntax::Yaml, _) => Form::Block,
        (_, Some(b'[')) => Form::Table,
        (_, Some(b'{')) => Form::Inline,
        _ => Form::Dotted,
    };
    let slot =
        Slot { program: program.to_owned(), command: command.value.span.clone(), member: command.start, args, form };
    if !is_toolgate(program) {
        return Ok(State::Open(slot));
    }
    let words = slot.args.as_ref().map_or(&[][..], |args| &args.words);
    let Some(own) = behind_guard(program, words.iter().map(|word| word.text.as_str())) else {
        return Err("it is toolgate, and not its guard".to_owned());
    };
    if words.get(own).is_some_and(|word| is_toolgate(&word.text)) {
        return Err("it is guarded twice; take one guard away by hand".to_owned());
    }
    Ok(State::Guarded(slot))
}

const OVER_HTTP: &str = "it is reached over HTTP, and the guard stands before processes";

impl Slot {
    /// The words that stand before `--` in the guard that is there.
    pub(crate) fn guard_words(&self) -> Vec<&str> {
        let words = self.args.as_ref().map_or(&[][..], |args| &args.words);
        words.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--").collect()
    }

    /// The command and its words without the guard.
    pub(crate) fn own_words(&self) -> Vec<&str> {
        let words = self.args.as_ref().map_or(&[][..], |args| &args.words);
        let words = words.iter().map(|word| word.text.as_str());
        if is_toolgate(&self.program) {
            words.skip_while(|word| *word != "--").skip(1).collect()
        } else {
            std::iter::once(self.program.as_str()).chain(words).collect()
        }
    }

    /// What puts the guard before it.
    ///
    /// # Errors
    ///
    /// Says why it cannot be put there.
    pub(crate) fn guard(&self, text: &str, guard: &Guard) -> Result<Vec<Edit>, String> {
        let command = text.get(self.command.clone()).unwrap_or_default();
        let is_yaml = matches!(self.form, Form::Block | Form::Flow);
        let is_by_line = self.is_by_line(text);
        if is_yaml
            && (command.is_empty()
                || command.contains('\n')
                || !is_by_line && command.contains([',', '[', ']', '{', '}']))
        {
            return Err("its command is written as no list in brackets can hold it".to_owned());
        }
        let mut words: Vec<String> = guard.words.iter().map(|word| quoted(word)).collect();
        words.extend([quoted("--"), command.to_owned()]);
        let program = Edit { span: self.command.clone(), text: quoted(&guard.program) };
        let put = |at: usize, text: String| Edit { span: at..at, text };
        let words = match &self.args {
            Some(args) => match args.words.first() {
                Some(first) => {
                    let comma = if is_by_line { "" } else { "," };
                    let gap = format!("{comma}{}", gap_before(text, first.span.start));
                    put(first.span.start, words.join(&gap) + &gap)
                }
                None => put(args.list.start + 1, words.join(", ")),
            },
            None => {
                let list = words.join(",");
                let gap = gap_before(text, self.member);
                let member = match self.form {
                    Form::Json => format!("\"args\": [{list}],{gap}"),
                    Form::Table => format!("args = [{list}]{gap}"),
                    Form::Inline => format!("args = [{list}], "),
                    Form::Block => format!("args: [{list}]{gap}"),
                    Form::Flow => format!("args: [{list}], "),
                    Form::Dotted => return Err("its members are dotted names, and none of them is `args`".to_owned()),
                };
                put(self.member, member)
            }
        };
        Ok(vec![words, program])
    }

    /// What takes the guard away.
    ///
    /// # Errors
    ///
    /// Says why it cannot be taken away.
    pub(crate) fn unguard(&self, text: &str) -> Result<Vec<Edit>, String> {
        let args = self.args.as_ref().ok_or("it has no words")?;
        let end = args.words.iter().position(|word| word.text == "--").ok_or("it has no `--`")?;
        let own = args.words.get(end + 1).ok_or("it has no command")?;
        let first = args.words.first().ok_or("it has no words")?;
        let literal = text.get(own.span.clone()).unwrap_or_default();
        let program = Edit { span: self.command.clone(), text: literal.to_owned() };
        let mut gaps = args.words.windows(2).take(end + 2).filter_map(|pair| match pair {
            [one, next] => text.get(one.span.end..next.span.start),
            _ => None,
        });
        // In YAML, a sign stands before each item that has a line of its own.
        let sign = if self.is_by_line(text) { '-' } else { ',' };
        let is_gap = |ch: char| ch.is_whitespace() || ch == sign;
        if gaps.any(|gap| !gap.chars().all(is_gap)) {
            return Err("a comment stands among the words of the guard".to_owned());
        }
        let cut = |span| Edit { span, text: String::new() };
        let words = match args.words.get(end + 2) {
            Some(next) => cut(first.span.start..next.span.start),
            None => match self.whole_list(text, args, first.span.end) {
                Some(span) => cut(span),
                None => cut(first.span.start..own.span.end + comma(text, own.span.end)),
            },
        };
        Ok(vec![words, program])
    }

    /// Whether each word has a line of its own, after a sign of YAML.
    fn is_by_line(&self, text: &str) -> bool {
        let is_bracketed = |args: &Args| text.get(args.list.start..).is_some_and(|list| list.starts_with('['));
        matches!(self.form, Form::Block) && self.args.as_ref().is_some_and(|args| !is_bracketed(args))
    }

    /// The member of the words up to that of the command, where it was put there with the guard.
    fn whole_list(&self, text: &str, args: &Args, first_end: usize) -> Option<Range<usize>> {
        let is_signed = text.get(first_end..)?.starts_with(",\"");
        let between = text.get(args.list.end..self.member)?;
        let is_close = between.chars().all(|ch| ch == ',' || ch.is_whitespace());
        (is_signed && is_close).then_some(args.member..self.member)
    }
}

/// What stands between the things of a list: a line's end and the indentation where this one begins a line, also after the sign of an
/// item in YAML, else a space.
fn gap_before(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let Some(end) = before.rfind('\n') else { return " ".to_owned() };
    let indent = before.get(end + 1..).unwrap_or_default();
    if !matches!(indent.trim(), "" | "-") {
        return " ".to_owned();
    }
    let newline = if before.get(..end).is_some_and(|before| before.ends_with('\r')) { "\r\n" } else { "\n" };
    format!("{newline}{indent}")
}

/// How many bytes a comma takes here, with the white space before it.
fn comma(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let after = rest.trim_start();
    if after.starts_with(',') { rest.len() - after.len() + 1 } else { 0 }
}

/// The text with its edits, which do not overlap.
pub(crate) fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.span.start);
    let mut out = String::new();
    let mut at = 0;
    for Edit { span, text: new } in edits {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push_str(&new);
        at = span.end;
    }
    out + text.get(at..).unwrap_or_default()
}
