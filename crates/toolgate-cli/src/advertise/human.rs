//! What is shown of a contract, for a person: the two schemas, the proof, how a call is read back, what was lost, what it
//! takes.

use crate::input::document;
use crate::prove::verdict_line;
use crate::show::json::{self, beside, half};
use crate::show::{BAD, BOLD, DIM, GOOD, NOTE, WARN, count, filled, labelled, page, place, visible};
use std::fmt::Write as _;
use toolgate::lint::compact_bytes;
use toolgate::{DecodeStep, NotAdvertised, Profile, Published, Unusable};

/// Two schemas of a usual depth are legible side by side from here on.
const BESIDE_WIDTH: usize = 100;
/// Of the words before what is said.
const LABEL: usize = 10;

pub(super) fn unusable(unusable: &Unusable) -> String {
    let mut out = format!("{BAD}unusable{BAD:#}: the schema does not compile, so the tool is closed\n");
    for defect in &unusable.defects {
        let _ = writeln!(out, "  {}: {}", place(&defect.keyword_location), visible(&defect.message));
    }
    out
}

pub(super) fn not_shown(profile: &Profile, why: &NotAdvertised) -> String {
    format!("{BAD}nothing is shown{BAD:#} to {} ({}): {}\n", profile.name, profile.reader, why.why)
}

pub(super) fn published(schema: &str, profile: &Profile, published: &Published, width: usize) -> String {
    let shown = &published.advertised;
    let mut out = String::new();
    schemas(schema, profile, &shown.schema, width, &mut out);
    out.push('\n');
    let (style, verdict) = if published.fell_back.is_some() { (WARN, "wider") } else { (GOOD, "proven") };
    labelled(verdict, style, LABEL, &verdict_line(&published.proof), width, &mut out);
    if profile.strict.is_some() {
        let why = shown.not_strict();
        let (style, what) = match (shown.is_strict, why) {
            (true, _) => (GOOD, "it keeps the rules of the strict mode".to_owned()),
            (false, Some(why)) => (WARN, format!("cannot be had: {}", visible(why))),
            (false, None) => (WARN, "cannot be had: a wider form is shown".to_owned()),
        };
        labelled("strict", style, LABEL, &what, width, &mut out);
    }
    for (index, step) in shown.decode.iter().enumerate() {
        labelled(if index == 0 { "decode" } else { "" }, NOTE, LABEL, &decoded(step), width, &mut out);
    }
    let notes = shown.notes.iter().filter(|note| note.not_strict().is_none());
    for (index, note) in notes.enumerate() {
        let text = format!("{}: {}", place(&note.location), visible(&note.what));
        labelled(if index == 0 { "notes" } else { "" }, NOTE, LABEL, &text, width, &mut out);
    }
    let (before, after) = (compact_bytes(schema), shown.schema.len());
    let size = format!(
        "{} → {} bytes, about {} → {} tokens",
        count(before),
        count(after),
        count(before.div_ceil(4)),
        count(after.div_ceil(4))
    );
    labelled("size", NOTE, LABEL, &size, width, &mut out);
    out
}

fn schemas(schema: &str, profile: &Profile, shown: &str, width: usize, out: &mut String) {
    let width = page(width);
    let is_wide = width >= BESIDE_WIDTH;
    let column = if is_wide { half(width) } else { width };
    let pretty = |text: &str| match document(text) {
        Ok(document) => json::lines(document.root(), column, None),
        // It was read before, within tighter bounds.
        Err(_) => vec![visible(text)],
    };
    let (left, right) = (pretty(schema), pretty(shown));
    let title = format!("shown to {}: {}", profile.name, profile.reader);
    if is_wide {
        let _ = writeln!(out, "{BOLD}{}{BOLD:#} {DIM}│{DIM:#} {BOLD}{title}{BOLD:#}", filled("contract", column));
        beside(&left, &right, width).iter().for_each(|line| out.extend([line, "\n"]));
    } else {
        let _ = writeln!(out, "{BOLD}contract{BOLD:#}");
        left.iter().for_each(|line| out.extend([line, "\n"]));
        let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#}");
        right.iter().for_each(|line| out.extend([line, "\n"]));
    }
}

fn decoded(step: &DecodeStep) -> String {
    match step {
        DecodeStep::Rename { location, name, sent } => {
            format!("{}: `{}` is sent as `{}`", place(location), visible(name), visible(sent))
        }
        DecodeStep::NullMeansAbsent { location } => format!("{}: null is read as absent", place(location)),
        DecodeStep::EnumText { location } => format!("{}: the text of a number is read as the number", place(location)),
        DecodeStep::EnumCase { location, .. } => format!("{}: a word is taken with any capitals", place(location)),
        // A step that this program does not know yet is shown as data.
        step => visible(&step.to_json()),
    }
}
