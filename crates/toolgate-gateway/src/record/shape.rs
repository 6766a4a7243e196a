//! The shape of a call's arguments: the same kinds at the same places, and no value of the call.
//!
//! Declared names stay, since they are the schema's; other names become `key1`, `key2`. Text that reads as a number, a boolean, a
//! null, a list or an object stays such a text, since that is what becomes of it. A place for which the schema has words or
//! bounds gets one of these: they are the schema's too. Which one is tried until the contract says of the shape what it said of
//! the call; where that cannot be had, the shape is given back all the same, and whoever asked compares.

use std::fmt::Write as _;
use toolgate::json::{Document, Kind, Strictness, Value, quoted};
use toolgate::{Contract, Limits, Outline, pointer_segment};

/// Deeper than arguments may be.
const DEPTH_MAX: usize = 600;
/// Of JSON in a text, and how often it may be inside another; text that is deeper is text.
const TEXT_DEPTH_MAX: usize = 128;
const TEXT_NESTED_MAX: usize = 3;
/// Words of a schema that are tried at one place.
const WORDS_MAX: usize = 24;
/// Characters of a text that is made as long as a bound asks.
const LENGTH_MAX: usize = 2000;
/// Shapes that are tried.
const TRIES_MAX: usize = 300;
/// What stands for any text.
const TEXT: &str = "text";
/// Texts of the formats that schemas name.
const FORMATS: [(&str, &str); 8] = [
    ("date-time", "2020-01-01T00:00:00Z"),
    ("date", "2020-01-01"),
    ("time", "00:00:00Z"),
    ("email", "a@example.com"),
    ("uri", "https://example.com/"),
    ("uuid", "00000000-0000-4000-8000-000000000000"),
    ("ipv4", "192.0.2.1"),
    ("hostname", "example.com"),
];

/// The shape of arguments that are JSON, for which `distance` says how far the contract's word on it is from that on the call; 0
/// is the same. `None` for text that is none.
pub(super) fn of(arguments: &str, contract: &Contract, distance: &dyn Fn(&str) -> usize) -> Option<String> {
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: DEPTH_MAX, ..Limits::default() };
    let document = Document::read_str(arguments, Strictness::Frame, &limits).ok()?;
    let mut maker = Maker { contract, leaves: Vec::new(), nested: 0 };
    let shape = maker.shape(document.root(), Some(&contract.outline()), "");
    Some(settle(&shape, maker.leaves, distance))
}

enum Shape {
    /// By its number among the leaves.
    Leaf(usize),
    List(Vec<Shape>),
    Object(Vec<(String, Shape)>),
    /// JSON that was written as text.
    Text(Box<Shape>),
}

/// What may stand at a place, as JSON, and which of it does.
struct Leaf {
    choices: Vec<String>,
    chosen: usize,
}

/// Changes one place after the other, as long as that brings the shape nearer.
fn settle(shape: &Shape, mut leaves: Vec<Leaf>, distance: &dyn Fn(&str) -> usize) -> String {
    let written = |leaves: &[Leaf]| {
        let mut out = String::new();
        write(shape, leaves, &mut out);
        out
    };
    let mut best = written(&leaves);
    let mut nearest = distance(&best);
    let mut tries = 0;
    for at in 0..leaves.len() {
        let count = leaves.get(at).map_or(0, |leaf| leaf.choices.len());
        for choice in 1..count {
            if nearest == 0 || tries >= TRIES_MAX {
                return best;
            }
            tries += 1;
            let Some(before) = leaves.get_mut(at).map(|leaf| std::mem::replace(&mut leaf.chosen, choice)) else {
                break;
            };
            let next = written(&leaves);
            let its_distance = distance(&next);
            if its_distance < nearest {
                (best, nearest) = (next, its_distance);
            } else if let Some(leaf) = leaves.get_mut(at) {
                leaf.chosen = before;
            }
        }
    }
    best
}

/// As deep as the document, which is bounded.
fn write(shape: &Shape, leaves: &[Leaf], out: &mut String) {
    match shape {
        Shape::Leaf(number) => {
            let leaf = leaves.get(*number).and_then(|leaf| leaf.choices.get(leaf.chosen));
            out.push_str(leaf.map_or("null", String::as_str));
        }
        Shape::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, leaves, out);
            }
            out.push(']');
        }
        Shape::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                let _ = write!(out, "{}{name}:", if index > 0 { "," } else { "" });
                write(member, leaves, out);
            }
            out.push('}');
        }
        Shape::Text(inner) => {
            let mut text = String::new();
            write(inner, leaves, &mut text);
            out.push_str(&quoted(&text));
        }
    }
}

struct Maker<'c> {
    contract: &'c Contract,
    leaves: Vec<Leaf>,
    /// In how many texts what is being looked at stands.
    nested: usize,
}

impl Maker<'_> {
    /// `place` is what the schema says there; nothing where it says nothing. As deep as the document, which is bounded.
    fn shape(&mut self, value: Value<'_>, place: Option<&Outline<'_>>, pointer: &str) -> Shape {
        match value.kind() {
            Kind::Object => self.object(value, place, pointer),
            Kind::Array => {
                let items = place.map(Outline::items);
                let pointer = format!("{pointer}/*");
                Shape::List(value.items().map(|item| self.shape(item, items.as_ref(), &pointer)).collect())
            }
            Kind::String => self.text(value, place, pointer),
            Kind::Number => self.leaf(number_choices(value.text(), place)),
            Kind::Boolean => self.leaf(vec!["true".into(), "false".into()]),
            Kind::Null => self.leaf(vec!["null".into()]),
        }
    }

    fn leaf(&mut self, mut choices: Vec<String>) -> Shape {
        let mut seen = std::collections::HashSet::new();
        choices.retain(|choice| seen.insert(choice.clone()));
        self.leaves.push(Leaf { choices, chosen: 0 });
        Shape::Leaf(self.leaves.len() - 1)
    }

    fn object(&mut self, value: Value<'_>, place: Option<&Outline<'_>>, pointer: &str) -> Shape {
        let rest = place.and_then(Outline::rest);
        let mut others: Vec<String> = Vec::new();
        let mut members = Vec::new();
        for (key, member) in value.members() {
            let name = key.as_str();
            let declared = name.as_deref().and_then(|name| place.and_then(|place| place.member(name)));
            let is_known = declared.is_some() || name.as_deref().is_some_and(|name| self.is_of_policy(name, pointer));
            // A name is the caller's unless the schema or the operator has it.
            let shown = if is_known {
                name.as_deref().unwrap_or_default().to_owned()
            } else {
                let number = others.iter().position(|other| other == key.text()).unwrap_or_else(|| {
                    others.push(key.text().to_owned());
                    others.len() - 1
                });
                let is_taken = |name: &str| place.is_some_and(|place| place.member(name).is_some());
                let mut name = format!("key{}", number + 1);
                while is_taken(&name) {
                    name.push('_');
                }
                name
            };
            let inner = declared.as_ref().or(rest.as_ref());
            let inner_pointer = format!("{pointer}/{}", pointer_segment(&shown));
            members.push((quoted(&shown), self.shape(member, inner, &inner_pointer)));
        }
        Shape::Object(members)
    }

    /// Whether the operator has named it: a former name, or a key that is let through.
    fn is_of_policy(&self, name: &str, pointer: &str) -> bool {
        let policy = self.contract.policy();
        let is_former =
            |alias: &toolgate::Alias| alias.at == pointer && alias.former.iter().any(|former| former == name);
        policy.aliases.iter().any(is_former) || pointer.is_empty() && policy.forward_keys.iter().any(|key| key == name)
    }

    fn text(&mut self, value: Value<'_>, place: Option<&Outline<'_>>, pointer: &str) -> Shape {
        // A lone surrogate is refused as such, wherever it stands.
        let Some(text) = value.as_str() else { return self.leaf(vec![r#""\ud800""#.into()]) };
        let words = words_of(place, Kind::String);
        if words.iter().any(|word| is_same_text(word, &text)) {
            return self.leaf(words);
        }
        if text.trim_start().starts_with(['{', '[']) && self.nested < TEXT_NESTED_MAX {
            let limits = Limits { size_max_bytes: usize::MAX, depth_max: TEXT_DEPTH_MAX, ..Limits::default() };
            if let Ok(inner) = Document::read_str(&text, Strictness::Frame, &limits) {
                self.nested += 1;
                let shape = self.shape(inner.root(), place, pointer);
                self.nested -= 1;
                return Shape::Text(Box::new(shape));
            }
        }
        let choices = match &*text {
            "" => vec![quoted("")],
            "true" | "false" => vec![quoted("true"), quoted("false")],
            "null" => vec![quoted("null")],
            number if is_number(number) => number_choices(number, place).iter().map(|choice| quoted(choice)).collect(),
            text => text_choices(text, place),
        };
        self.leaf(choices.into_iter().chain(words).collect())
    }
}

/// Words of the schema for a place, of one kind, as JSON.
fn words_of(place: Option<&Outline<'_>>, kind: Kind) -> Vec<String> {
    let is_of_kind = |word: &&str| match kind {
        Kind::String => word.starts_with('"'),
        _ => word.starts_with(|first: char| first == '-' || first.is_ascii_digit()),
    };
    let words = place.map(Outline::words).unwrap_or_default();
    words.into_iter().filter(is_of_kind).take(WORDS_MAX).map(str::to_owned).collect()
}

fn is_same_text(word: &str, text: &str) -> bool {
    let document = Document::read_str(word, Strictness::Frame, &Limits::default());
    document.is_ok_and(|document| document.root().is_str(text))
}

fn is_number(text: &str) -> bool {
    let document = Document::read_str(text, Strictness::Frame, &Limits::default());
    document.is_ok_and(|document| document.root().kind() == Kind::Number && document.root().text() == text)
}

/// A number of the same form, then numbers at the schema's words and bounds.
fn number_choices(number: &str, place: Option<&Outline<'_>>) -> Vec<String> {
    let words = words_of(place, Kind::Number);
    if words.iter().any(|word| word == number) {
        return words;
    }
    let has_exponent = number.contains(['e', 'E']);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let value: f64 = number.parse().unwrap_or(f64::INFINITY);
    let form = match () {
        // Refused for its length, or its exponent.
        () if digits > 1000 => "1".repeat(1001),
        () if has_exponent && (value.is_infinite() || value == 0.0) => "1e10001".to_owned(),
        () if has_exponent => "1e1".to_owned(),
        () if !number.contains('.') => "1".to_owned(),
        () if value.fract() == 0.0 => "1.0".to_owned(),
        () => "1.5".to_owned(),
    };
    let bound = |keyword: &str| place?.annotation(keyword)?.text().parse::<f64>().ok();
    let mut near: Vec<f64> = Vec::new();
    for keyword in ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "default"] {
        near.extend(bound(keyword).into_iter().flat_map(|bound| [bound, bound + 1.0, bound - 1.0]));
    }
    let is_whole = !number.contains(['.', 'e', 'E']);
    let near = near.iter().filter(|value| value.is_finite() && (!is_whole || value.fract() == 0.0));
    let near: Vec<String> = near.map(f64::to_string).collect();
    let lower = bound("minimum").is_some_and(|least| value >= least && 1.0 < least);
    let upper = bound("maximum").is_some_and(|most| value <= most && 1.0 > most);
    let others = ["0", "-1", "1000000"].map(str::to_owned);
    if lower || upper {
        near.into_iter().chain([form]).chain(words).chain(others).collect()
    } else {
        [form].into_iter().chain(words).chain(near).chain(others).collect()
    }
}

/// A text, then such as the schema's bounds, formats and examples ask for.
fn text_choices(text: &str, place: Option<&Outline<'_>>) -> Vec<String> {
    let bound = |keyword: &str| place?.annotation(keyword)?.text().parse::<usize>().ok();
    let length = text.chars().count();
    let of_length = |length: usize| quoted(&"x".repeat(length.min(LENGTH_MAX)));
    let (least, most) = (bound("minLength").unwrap_or(0), bound("maxLength").unwrap_or(usize::MAX));
    let mut choices = Vec::new();
    match () {
        () if length > most => choices.push(of_length(most.saturating_add(1))),
        () if length < least => choices.push(of_length(least.saturating_sub(1))),
        () if !(least..=most).contains(&TEXT.len()) => {
            choices.push(of_length(if TEXT.len() < least { least } else { most }))
        }
        () => {}
    }
    choices.push(quoted(TEXT));
    let format = place.and_then(|place| place.annotation("format")?.as_str());
    choices.extend(FORMATS.iter().filter(|(name, _)| format.as_deref() == Some(name)).map(|(_, text)| quoted(text)));
    // What a schema marks as secret, it does not lend.
    let place = place.filter(|place| !place.is_secret());
    for keyword in ["default", "examples", "example"] {
        let Some(value) = place.and_then(|place| place.annotation(keyword)) else { continue };
        let texts = std::iter::once(value).chain(value.items()).filter(|value| value.kind() == Kind::String);
        choices.extend(texts.take(WORDS_MAX).map(|value| value.text().to_owned()));
    }
    choices.extend(["x", "X", "1a", "a1", "a b"].map(quoted));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::Arguments;

    /// The shape, where only whether the contract admits it counts.
    #[track_caller]
    fn check(schema: &str, arguments: &str, expected: &str) {
        let contract = Contract::from_text(schema).unwrap();
        let admits = |text: &str| contract.check(Arguments::from_text(text)).is_ok();
        let wanted = admits(arguments);
        let distance = |text: &str| usize::from(admits(text) != wanted);
        assert_eq!(of(arguments, &contract, &distance).unwrap(), expected);
    }

    #[test]
    fn kinds_stay_and_values_go() {
        check(
            r#"{"properties":{"a":{},"b":{},"c":{},"d":{},"e":{}}}"#,
            r#"{"a":"secret","b":-7,"c":[2.25,false,null],"d":"","e":{"f":1e3}}"#,
            r#"{"a":"text","b":1,"c":[1.5,true,null],"d":"","e":{"key1":1e1}}"#,
        );
    }

    #[test]
    fn names_that_nobody_declared_are_values() {
        check(
            r#"{"properties":{"key1":{},"open":{"type":"object","additionalProperties":{"type":"integer"}}}}"#,
            r#"{"key1":1,"secret":2,"open":{"other":3,"other":4,"third":5}}"#,
            r#"{"key1":1,"key1_":1,"open":{"key1":1,"key1":1,"key2":1}}"#,
        );
    }

    #[test]
    fn text_that_reads_as_something_stays_such_a_text() {
        check(
            r#"{"properties":{"n":{"type":"integer"},"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"string"}}}}"#,
            r#"{"n":"4711","b":"false","l":"[\"secret\"]"}"#,
            r#"{"n":"1","b":"true","l":"[\"text\"]"}"#,
        );
    }

    #[test]
    fn words_and_bounds_of_the_schema_are_used() {
        check(
            r#"{"properties":{"w":{"enum":["north","south"]},"n":{"type":"integer","minimum":10},"s":{"type":"string","minLength":6}}}"#,
            r#"{"w":"south","n":4711,"s":"a secret"}"#,
            r#"{"w":"north","n":10,"s":"xxxxxx"}"#,
        );
        check(r#"{"properties":{"n":{"type":"integer","maximum":5}}}"#, r#"{"n":4711}"#, r#"{"n":6}"#);
    }
}
