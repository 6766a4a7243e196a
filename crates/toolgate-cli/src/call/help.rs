//! Help for a tool, made from its schema: every declared argument as an option, and in words what options cannot say.

use super::argv::{is_flag, spelled_name};
use super::example::Examples;
use crate::show::{BOLD, DIM, columns, labelled, quoted_for_shell, split_columns, visible, wrapped};
use crate::source::Typed;
use crate::tool::OneTool;
use std::borrow::Cow;
use toolgate::json::{Document, Kind, Strictness, Value};
use toolgate::{Limits, Member, Outline, Published};

/// Objects inside objects whose members are options of their own.
const DEPTH_MAX: usize = 3;
/// Options beyond which inner members are not spelled out.
const OPTIONS_MAX: usize = 200;
/// Columns of an option beside which its text begins; a longer one has its text below.
const OPTION_WIDTH_MAX: usize = 30;
/// Words that stand in an option; more are listed in its text.
const WORDS_IN_OPTION_MAX: usize = 32;
/// Words of one list that are shown.
const WORDS_MAX: usize = 40;
/// Characters of a default that is shown.
const DEFAULT_MAX: usize = 60;
/// Columns of the shape of a value; a longer one is cut.
const SHAPE_MAX: usize = 240;

/// One option of a tool.
pub(crate) struct Row<'c> {
    pub(crate) path: Vec<String>,
    /// `--limit`
    pub(crate) name: String,
    pub(crate) place: Outline<'c>,
    /// `--limit INTEGER`
    option: String,
    text: String,
    /// Its value is given as JSON, of which an example helps.
    takes_json: bool,
    pub(crate) is_required: bool,
}

impl Row<'_> {
    /// What it is for, or else what it takes.
    pub(crate) fn about(&self) -> &str {
        if self.text.is_empty() {
            self.option.strip_prefix(&self.name).unwrap_or(&self.option).trim()
        } else {
            &self.text
        }
    }
}

/// The options of a tool. What a model is shown of it explains its unions.
pub(crate) fn rows<'c>(arguments: &Outline<'c>, shown: Option<Value<'_>>) -> Vec<Row<'c>> {
    let mut rows = Rows { arguments, rows: Vec::new() };
    rows.members(arguments, &[], true, shown);
    rows.rows
}

/// The help of a tool in lines of `width` columns, each call as it is typed. What was published of it explains its unions.
pub(crate) fn render(tool: &OneTool, published: Option<&Published>, typed: &Typed, width: usize) -> String {
    let limits = Limits { depth_max: usize::MAX, size_max_bytes: usize::MAX, ..Limits::default() };
    let shown = published.map(|published| published.advertised.schema.as_str());
    let shown = shown.and_then(|shown| Document::read_str(shown, Strictness::Frame, &limits).ok());
    let outline = tool.contract.outline();
    let rows = rows(&outline, shown.as_ref().map(Document::root));

    let mut out = String::new();
    labelled("", BOLD, 0, &visible(tool.title.as_deref().unwrap_or(&tool.name)), width, &mut out);
    for paragraph in tool.description.iter().flat_map(|text| text.lines()) {
        labelled("", DIM, 0, &visible(paragraph), width, &mut out);
    }
    let name = visible(&quoted_for_shell(&tool.name));
    let usage = typed.line(&usage(&name, &rows));
    out.push('\n');
    labelled("Usage:", BOLD, 7, &usage, width, &mut out);
    if let Some(text) = shown.as_ref().and_then(|shown| shown.root().get("description")).and_then(Value::as_str) {
        out.push('\n');
        labelled("", DIM, 0, &visible(&text), width, &mut out);
    }
    let examples = Examples::of(&tool.contract);
    for (title, is_required) in [("Required:", true), ("Options:", false)] {
        let rows: Vec<&Row<'_>> = rows.iter().filter(|row| row.is_required == is_required).collect();
        if !rows.is_empty() {
            out.push_str(&format!("\n{BOLD}{title}{BOLD:#}\n"));
            write_rows(&rows, &examples, width, &mut out);
        }
    }
    if let Some(words) = examples.words() {
        // What is copied stands on one line, however long.
        out.push_str(&format!("\n{BOLD}Example:{BOLD:#}\n  {}\n", typed.line(&format!("{name} {words}"))));
    }
    out.push_str(&format!("\n{DIM}"));
    let notes = "Any option can be given as JSON, --name:=JSON, and all arguments as one object, --args JSON|@FILE|-. \
         `toolgate call --help` says more.";
    wrapped(notes, width).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    out.push_str(&format!("{DIM:#}"));
    out
}

fn usage(name: &str, rows: &[Row<'_>]) -> String {
    let required = rows.iter().filter(|row| row.is_required).map(|row| row.option.as_str());
    let optional = rows.iter().any(|row| !row.is_required).then_some("[OPTIONS]");
    let words: Vec<&str> = required.chain(optional).collect();
    format!("{name} {}", words.join(" "))
}

fn write_rows(rows: &[&Row<'_>], examples: &Examples<'_>, width: usize, out: &mut String) {
    let widths = rows.iter().map(|row| columns(&row.option)).filter(|width| *width <= OPTION_WIDTH_MAX);
    let column = widths.max().unwrap_or(0) + 4;
    for row in rows {
        if columns(&row.option) <= OPTION_WIDTH_MAX && !row.text.is_empty() {
            labelled(&format!("  {}", row.option), BOLD, column, &row.text, width, out);
        } else {
            labelled("  ", BOLD, 2, &format!("{BOLD}{}{BOLD:#}", row.option), usize::MAX, out);
            if !row.text.is_empty() {
                labelled("", BOLD, column, &row.text, width, out);
            }
        }
        let is_shown = row.takes_json && !row.place.is_secret();
        if let Some(example) = is_shown.then(|| examples.option(&row.path, &row.place)).flatten() {
            labelled("", BOLD, column, &format!("such as: {example}"), usize::MAX, out);
        }
    }
}

struct Rows<'a, 'c> {
    arguments: &'a Outline<'c>,
    rows: Vec<Row<'c>>,
}

impl<'c> Rows<'_, 'c> {
    fn members(&mut self, object: &Outline<'c>, path: &[String], is_required: bool, shown: Option<Value<'_>>) {
        for member in object.members() {
            let path: Vec<String> = path.iter().cloned().chain([member.name.to_owned()]).collect();
            let shown = shown.and_then(|shown| shown.get("properties")?.get(member.name));
            let is_required = is_required && member.is_required;
            let inner = member.place.members();
            let is_object_alone = member.place.admits(Kind::Object) && !member.place.names(Kind::Array);
            let has_room = path.len() < DEPTH_MAX && self.rows.len() + inner.len() < OPTIONS_MAX;
            if is_object_alone && has_room && !inner.is_empty() {
                self.object(&member, &path, is_required, shown);
            } else {
                let row = self.row(&path, &member.place, true, shown);
                self.rows.extend(row.map(|row| Row { is_required, ..row }));
            }
        }
    }

    /// The members of an object as options. The object itself is one too where there is something to say of it, and where it has to
    /// be given and none of its members has.
    fn object(&mut self, object: &Member<'c>, path: &[String], is_required: bool, shown: Option<Value<'_>>) {
        let start = self.rows.len();
        self.members(&object.place, path, is_required, shown);
        let is_said = self.rows.iter().skip(start).any(|row| row.is_required);
        let is_required = is_required && !is_said;
        if is_required || !description(&object.place, shown).is_empty() {
            let row = self.row(path, &object.place, is_required, shown);
            let row = row.map(|row| Row { is_required, ..row });
            self.rows.splice(start..start, row);
        }
    }

    /// An option, unless none means the place: that is given in the object around it. Of one that is given as a whole its shape is
    /// told; the members of others are options of their own.
    fn row(&self, path: &[String], place: &Outline<'c>, is_whole: bool, shown: Option<Value<'_>>) -> Option<Row<'c>> {
        let name = spelled_name(self.arguments, path)?;
        let words = place.words();
        let are_words_told = words_in_option(&words).is_some();
        let option = option_text(&name, place, &words);
        let mut text = description(place, shown);
        let mut add = |more: String| {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(&more);
        };
        if !words.is_empty() && !are_words_told {
            add(format!("[one of: {}]", listed(&words)));
        }
        if let Some(default) = place.annotation("default").map(Value::text).filter(|text| text.len() <= DEFAULT_MAX)
            && !place.is_secret()
        {
            add(format!("[default: {}]", visible(&bare(default))));
        }
        let takes_json = is_whole && takes_json(place);
        if let Some(shape) = shape(place).filter(|_| takes_json) {
            add(format!("[JSON: {shape}]"));
        }
        Some(Row { path: path.to_vec(), name, place: place.clone(), option, text, takes_json, is_required: false })
    }
}

/// The author's words, and of a union those that explain it.
fn description(place: &Outline<'_>, shown: Option<Value<'_>>) -> String {
    let shown = shown.and_then(|shown| shown.get("description")).and_then(Value::as_str);
    let own = || place.annotation("description").and_then(Value::as_str);
    let text = shown.or_else(own).unwrap_or_default();
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a word of the option is JSON: an object, or an item that is an object or a list.
fn takes_json(place: &Outline<'_>) -> bool {
    let is_list = place.names(Kind::Array) && !place.admits(Kind::String);
    let item = if is_list { &place.items() } else { place };
    item.names(Kind::Object) || is_list && item.names(Kind::Array)
}

/// The shape of the value, where it tells anything.
fn shape(place: &Outline<'_>) -> Option<String> {
    let shape = visible(&place.skeleton());
    let (head, rest) = split_columns(&shape, SHAPE_MAX);
    let cut = if rest.is_empty() { "" } else { "…" };
    (!matches!(head, "{ … }" | "[{ … }]" | "{}")).then(|| format!("{head}{cut}"))
}

/// The option and what it takes.
fn option_text(option: &str, place: &Outline<'_>, words: &[&str]) -> String {
    let option = visible(option);
    let option =
        if option.contains([' ', '\'', '"', '$', '`', '\\', '*']) { quoted_for_shell(&option) } else { option };
    if is_flag(place) {
        return option.strip_prefix("--").map_or(option.clone(), |name| format!("--[no-]{name}"));
    }
    format!("{option} {}", value_word(place, words))
}

/// What stands for a value: words, or the kinds that are admitted.
fn value_word(place: &Outline<'_>, words: &[&str]) -> String {
    if let Some(words) = words_in_option(words) {
        return words;
    }
    if place.names(Kind::Array) && !place.admits(Kind::String) {
        let items = place.items();
        // Of a list of lists a word is one of the inner lists.
        let is_list = items.names(Kind::Array) && !items.admits(Kind::String);
        return if is_list { "JSON...".to_owned() } else { format!("{}...", value_word(&items, &items.words())) };
    }
    let kinds = place.kind_words();
    let names = kinds.into_iter().filter(|kind| *kind != "null").map(|kind| match kind {
        "string" => "TEXT",
        "integer" => "INTEGER",
        "number" => "NUMBER",
        "boolean" => "true|false",
        "array" => "TEXT...",
        _ => "JSON",
    });
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "VALUE".to_owned() } else { names.join("|") }
}

/// The words from which one is chosen, where they are short.
fn words_in_option(words: &[&str]) -> Option<String> {
    let joined = words.iter().map(|word| bare(word)).collect::<Vec<_>>().join("|");
    let is_short = !words.is_empty() && columns(&joined) <= WORDS_IN_OPTION_MAX && !joined.contains(' ');
    is_short.then(|| visible(&joined))
}

/// A word of a schema as it is typed.
fn bare(json: &str) -> Cow<'_, str> {
    let plain = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    plain.filter(|text| !text.is_empty() && !text.contains('\\')).map_or(Cow::Borrowed(json), Cow::Borrowed)
}

fn listed(words: &[&str]) -> String {
    let shown: Vec<String> = words.iter().take(WORDS_MAX).map(|word| visible(&bare(word))).collect();
    let more = words.len().saturating_sub(WORDS_MAX);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}
