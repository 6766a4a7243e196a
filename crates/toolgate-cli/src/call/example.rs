//! One call of a tool as an example: arguments made from its schema, and asked of its contract before they are shown.

use super::argv::spell;
use crate::show::{quoted_for_shell, visible};
use crate::tool::OneTool;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value};
use toolgate::{Arguments, Contract, Limits, Outline, proof_options};
use toolgate_proof::{Sampler, SamplerOptions};

/// Objects and lists inside each other.
const DEPTH_MAX: usize = 5;
/// Members from which the shortest is taken, where the plain values do not do.
const SAMPLES_MAX: usize = 64;
/// Steps for them.
const SAMPLE_STEPS: u64 = 400_000;
/// Bytes beyond which a value is no example for people.
const VALUE_MAX: usize = 200;
/// Bytes of JSON beyond which it is no example in a line.
const JSON_MAX: usize = 120;

/// The words after the tool's name that call it with what it requires, for a shell; `None` where no arguments are known that
/// the contract admits.
pub(crate) fn words(tool: &OneTool) -> Option<String> {
    let arguments = arguments(&tool.contract)?;
    let document = Document::read_str(&arguments, Strictness::Strict, &Limits::default()).ok()?;
    let words = spell(&tool.contract, document.root());
    let words: Vec<String> = words.iter().map(|word| quoted_for_shell(word)).collect();
    Some(visible(&words.join(" ")))
}

/// Arguments that the contract admits as they are: the plainest, else the shortest that are found.
fn arguments(contract: &Contract) -> Option<String> {
    let is_admitted = |text: &str| {
        let admitted = contract.check(Arguments::from_text(text));
        admitted.is_ok_and(|admitted| admitted.edits().is_empty() && admitted.deferred().is_empty())
    };
    let plain = object(&contract.outline(), DEPTH_MAX, Said::Required);
    if is_admitted(&plain) {
        return Some(plain);
    }
    let options = SamplerOptions {
        unknown_keys: proof_options(contract.policy()).unknown_keys,
        discovered: true,
        steps_max: SAMPLE_STEPS,
        ..SamplerOptions::default()
    };
    let samples = Sampler::new(contract.schema_text(), options).ok()?.take(SAMPLES_MAX);
    samples.filter(|text| text.starts_with('{') && is_admitted(text)).min_by_key(String::len)
}

/// One value of a place as a word of a shell, as an example: of a list one of its items, where a word is an item.
pub(super) fn word(place: &Outline<'_>) -> Option<String> {
    let is_list = place.names(Kind::Array) && !place.admits(Kind::String);
    let made = if is_list { value(&place.items(), DEPTH_MAX, Said::One) } else { value(place, DEPTH_MAX, Said::One) };
    (made.len() <= JSON_MAX && made != "{}" && made != "[]").then(|| visible(&quoted_for_shell(&made)))
}

/// An option with a whole list or object as JSON, as an example: `--rows:='[1]'`.
pub(super) fn json_option(option: &str, place: Option<&Outline<'_>>, kind: Kind) -> String {
    let (begins, unknown) = if kind == Kind::Array { ('[', "[…]") } else { ('{', "{…}") };
    let made = place.map(|place| value(place, DEPTH_MAX, Said::One)).filter(|text| text.starts_with(begins));
    let made = made.or_else(|| match kind {
        Kind::Array => Some(format!("[{}]", value(&place?.items(), DEPTH_MAX, Said::One))),
        _ => Some(object(place?, DEPTH_MAX, Said::One)),
    });
    let made = made.filter(|text| text.len() <= JSON_MAX && text != "{}");
    format!("{option}:={}", visible(&quoted_for_shell(made.as_deref().unwrap_or(unknown))))
}

/// Which members of an object an example has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// Those that are required.
    Required,
    /// One at least, so that it can be seen how they are written.
    One,
}

fn object(place: &Outline<'_>, depth: usize, said: Said) -> String {
    let mut object = ObjectWriter::new();
    let members = place.members();
    let is_bare = said == Said::One && !members.iter().any(|member| member.is_required);
    for (index, member) in members.iter().enumerate() {
        if member.is_required || is_bare && index == 0 {
            object.raw(member.name, &value(&member.place, depth.saturating_sub(1), said));
        }
    }
    if let Some(rest) = place.rest().filter(|_| said == Said::One && members.is_empty()) {
        object.raw("name", &value(&rest, depth.saturating_sub(1), said));
    }
    object.end()
}

fn value(place: &Outline<'_>, depth: usize, said: Said) -> String {
    let given = [
        place.annotation("examples").and_then(|examples| examples.items().next()),
        place.annotation("default").filter(|value| value.kind() != Kind::Null),
    ];
    let given = given.into_iter().flatten().map(Value::text).find(|text| text.len() <= VALUE_MAX);
    if let Some(text) = given.filter(|_| !place.is_secret()).or_else(|| place.words().first().copied()) {
        return text.to_owned();
    }
    let admits = |kind| place.names(kind) || place.kind_words().is_empty() && kind == Kind::String;
    if admits(Kind::String) {
        return toolgate::json::quoted(text_of(place));
    }
    if admits(Kind::Number) {
        let least = place.annotation("minimum").map(Value::text).filter(|text| text.len() <= 20);
        return least.unwrap_or("1").to_owned();
    }
    if admits(Kind::Boolean) {
        return "true".to_owned();
    }
    if admits(Kind::Array) {
        return if depth == 0 { "[]".to_owned() } else { format!("[{}]", value(&place.items(), depth - 1, said)) };
    }
    if admits(Kind::Object) {
        return if depth == 0 { "{}".to_owned() } else { object(place, depth, said) };
    }
    "null".to_owned()
}

/// Text of the format that the place names.
fn text_of(place: &Outline<'_>) -> &'static str {
    let format = place.annotation("format").and_then(Value::as_str);
    match format.as_deref() {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("duration") => "PT1H",
        Some("email") => "name@example.com",
        Some("uri" | "url" | "uri-reference" | "iri") => "https://example.com/",
        Some("hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn example(schema: &str, expected: &str) {
        let contract = Contract::from_text(schema).unwrap();
        let tool = OneTool { name: "t".into(), title: None, description: None, contract };
        assert_eq!(words(&tool).as_deref(), Some(expected), "{schema}");
    }

    #[test]
    fn the_plainest_call_is_shown() {
        example(
            r#"{"properties":{"when":{"type":"string","format":"date"},"n":{"type":"integer","minimum":3},"o":{"type":"boolean"},
                "l":{"type":"array","items":{"enum":["x y","z"]}}},"required":["when","n","l"]}"#,
            "--when 2026-01-31 --n 3 --l 'x y'",
        );
        example(r#"{"type":"object"}"#, "");
        example(r#"{"properties":{"q":{"type":"string","examples":["it's"]}},"required":["q"]}"#, r"--q 'it'\''s'");
    }

    #[test]
    fn what_plain_values_do_not_meet_is_found() {
        let contract = r#"{"properties":{"code":{"type":"string","pattern":"^[A-Z]{3}$"}},"required":["code"]}"#;
        let tool = OneTool {
            name: "t".into(),
            title: None,
            description: None,
            contract: Contract::from_text(contract).unwrap(),
        };
        let words = words(&tool).unwrap();
        let code = words.strip_prefix("--code ").unwrap();
        assert!(code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()), "{words}");
    }
}
