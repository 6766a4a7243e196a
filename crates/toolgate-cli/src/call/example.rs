//! One call of a tool as an example: arguments made from its schema, and asked of its contract before they are shown.

use super::argv::{build, read as read_words, spell, spelled_name};
use crate::show::json::{at, is_same};
use crate::show::{quoted_for_shell, visible};
use crate::tool::OneTool;
use std::cell::OnceCell;
use std::ffi::OsString;
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value};
use toolgate::{Arguments, Contract, Limits, Outline, proof_options};
use toolgate_proof::{Sampler, SamplerOptions};

/// Objects and lists inside each other.
const DEPTH_MAX: usize = 5;
/// Members from which the shortest is taken, where the plain values do not do.
const SAMPLES_MAX: usize = 64;
/// Steps for them.
const SAMPLE_STEPS: u64 = 400_000;
/// Items that are written where a list must have several.
const ITEMS_MAX: usize = 4;
/// Forms of unions that are tried one after the other.
const FORMS_MAX: usize = 16;
/// Bytes beyond which a value is no example for people.
const VALUE_MAX: usize = 200;
/// Bytes of JSON beyond which it is no example in a line.
const JSON_MAX: usize = 120;

/// The words after the tool's name that call it with what it requires, for a shell; `None` where no arguments are known that
/// the contract admits.
pub(crate) fn words(tool: &OneTool) -> Option<String> {
    Examples::of(&tool.contract).words()
}

/// What can be typed for one tool. Nothing is shown that its contract was not asked about.
pub(super) struct Examples<'c> {
    contract: &'c Contract,
    outline: Outline<'c>,
    /// Arguments that the contract admits as they are.
    call: Option<String>,
    /// More of them, shortest first, made when something cannot do without.
    samples: OnceCell<Vec<String>>,
}

impl<'c> Examples<'c> {
    pub(super) fn of(contract: &'c Contract) -> Examples<'c> {
        let mut examples = Examples { contract, outline: contract.outline(), call: None, samples: OnceCell::new() };
        examples.call = examples.arguments();
        examples
    }

    pub(super) fn words(&self) -> Option<String> {
        let document = read(self.call.as_deref()?)?;
        let words = spell(self.contract, document.root());
        let words: Vec<String> = words.iter().map(|word| quoted_for_shell(word)).collect();
        Some(visible(&words.join(" ")))
    }

    /// The plainest arguments that the contract admits, else the shortest that are found, with what is plain put into them.
    fn arguments(&self) -> Option<String> {
        let plain = |form| object(&self.outline, &Making { said: Said::Required, form }, DEPTH_MAX);
        if let Some(plain) = (0..FORMS_MAX).map(plain).find(|text| self.admits(text)) {
            return Some(plain);
        }
        let plain = plain(0);
        let plain = read(&plain)?;
        let fold = |text: String, (name, value): (Value<'_>, Value<'_>)| {
            let name = name.as_str().unwrap_or_default().into_owned();
            let put = read(&text).map(|text| with(Some(text.root()), &[name], value.text()));
            put.filter(|put| self.admits(put)).unwrap_or(text)
        };
        Some(plain.root().members().fold(self.samples().first()?.clone(), fold))
    }

    fn samples(&self) -> &[String] {
        self.samples.get_or_init(|| {
            let options = SamplerOptions {
                unknown_keys: proof_options(self.contract.policy()).unknown_keys,
                discovered: true,
                steps_max: SAMPLE_STEPS,
                ..SamplerOptions::default()
            };
            let sampler = Sampler::new(self.contract.schema_text(), options);
            let samples = sampler.into_iter().flat_map(|sampler| sampler.take(SAMPLES_MAX));
            let mut samples: Vec<String> = samples.filter(|text| text.starts_with('{') && self.admits(text)).collect();
            samples.sort_by_key(String::len);
            samples
        })
    }

    fn admits(&self, text: &str) -> bool {
        let admitted = self.contract.check(Arguments::from_text(text));
        admitted.is_ok_and(|admitted| admitted.edits().is_empty() && admitted.deferred().is_empty())
    }

    /// An option with a JSON object or list as its value, or with one item where a word is an item; for a shell.
    pub(super) fn option(&self, path: &[String], place: &Outline<'_>) -> Option<String> {
        let option = spelled_name(&self.outline, path)?;
        let is_list = place.names(Kind::Array) && !place.admits(Kind::String);
        let item = if is_list { place.items() } else { place.clone() };
        let values = Values { path, place: item, are_items: is_list };
        let made = values.plain().chain(values.sampled(self));
        made.filter(|made| made.starts_with(['{', '['])).find_map(|made| {
            let as_word = vec![option.clone(), made.clone()];
            let as_json = vec![format!("{option}:={made}")];
            let meant = if is_list { format!("[{made}]") } else { made };
            let forms = if is_list { vec![as_word] } else { vec![as_word, as_json] };
            let words = forms.into_iter().find(|words| self.is_taken(path, words, &meant))?;
            Some(visible(&words.iter().map(|word| quoted_for_shell(word)).collect::<Vec<_>>().join(" ")))
        })
    }

    /// An option with a whole list or object as JSON, for a shell: `--rows:='[1]'`. Where no value is known, a sign stands for it.
    pub(super) fn json_option(&self, path: &[String], option: &str, place: Option<&Outline<'_>>, kind: Kind) -> String {
        let (begins, unknown) = if kind == Kind::Array { ('[', "[…]") } else { ('{', "{…}") };
        let typed = spelled_name(&self.outline, path).unwrap_or_default();
        let is_meant =
            |made: &String| made.starts_with(begins) && self.is_taken(path, &[format!("{typed}:={made}")], made);
        let made = place.and_then(|place| {
            let whole = Values { path, place: place.clone(), are_items: false };
            let items = Values { path, place: place.items(), are_items: true };
            let listed = items.plain().filter(|_| kind == Kind::Array).map(|item| format!("[{item}]"));
            whole.plain().chain(listed).chain(whole.sampled(self)).find(is_meant)
        });
        format!("{option}:={}", visible(&quoted_for_shell(made.as_deref().unwrap_or(unknown))))
    }

    /// Whether a call that is admitted still is with these words in it, and they mean this value.
    fn is_taken(&self, path: &[String], words: &[String], meant: &str) -> bool {
        let taken = || {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let built = build(read_words(&self.outline, &words), None);
            let pointer = pointer(path);
            let typed = read(std::str::from_utf8(&built.text).ok().filter(|_| built.faults.is_empty())?)?;
            let call = read(self.call.as_deref()?)?;
            let call = with(Some(call.root()), path, at(typed.root(), &pointer)?.text());
            let admitted = self.contract.check(Arguments::from_text(&call)).ok()?;
            let sent = read(admitted.arguments_text())?;
            let is_meant = is_same(at(sent.root(), &pointer)?, read(meant)?.root());
            Some(is_meant && admitted.deferred().is_empty())
        };
        taken() == Some(true)
    }
}

/// Values of a place, or of its items, that may do.
struct Values<'a, 'c> {
    path: &'a [String],
    place: Outline<'c>,
    are_items: bool,
}

impl Values<'_, '_> {
    fn plain(&self) -> impl Iterator<Item = String> {
        (0..FORMS_MAX).map(|form| whole(&self.place, &Making { said: Said::One, form })).filter(is_telling)
    }

    fn sampled(&self, examples: &Examples<'_>) -> impl Iterator<Item = String> {
        let samples = std::iter::once_with(|| examples.samples()).flatten();
        samples.flat_map(|sample| self.in_sample(sample)).filter(is_telling)
    }

    fn in_sample(&self, sample: &str) -> Vec<String> {
        let document = read(sample).filter(|_| !self.place.is_secret());
        let found = document.as_ref().and_then(|document| at(document.root(), &pointer(self.path)));
        let found = found.map(|found| if self.are_items { found.items().collect() } else { vec![found] });
        found.into_iter().flatten().map(|found| found.text().to_owned()).collect()
    }
}

/// Whether a value is short, and shows something of the shape.
fn is_telling(made: &String) -> bool {
    made.len() <= JSON_MAX && made != "{}" && made != "[]"
}

fn pointer(path: &[String]) -> String {
    path.iter().map(|name| format!("/{}", toolgate::pointer_segment(name))).collect()
}

fn read(text: &str) -> Option<Document<'_>> {
    Document::read_str(text, Strictness::Strict, &Limits::default()).ok()
}

/// The object with this JSON at a place in it; what is no object on the way there becomes one.
fn with(object: Option<Value<'_>>, path: &[String], json: &str) -> String {
    let Some((first, inside)) = path.split_first() else { return json.to_owned() };
    let mut out = ObjectWriter::new();
    let mut is_put = false;
    for (name, value) in object.iter().flat_map(|object| object.members()) {
        let name = name.as_str().unwrap_or_default();
        let is_here = name == first.as_str();
        is_put |= is_here;
        let value = if is_here { with(Some(value), inside, json) } else { value.text().to_owned() };
        out.raw(&name, &value);
    }
    if !is_put {
        out.raw(first, &with(None, inside, json));
    }
    out.end()
}

/// How an example is made.
struct Making {
    said: Said,
    /// Which form is taken of every union of objects, counted around.
    form: usize,
}

/// Which members of an object an example has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// Those that are required.
    Required,
    /// One at least, so that it can be seen how they are written.
    One,
}

/// A form of a place that has several.
fn chosen<'c>(place: &Outline<'c>, form: usize) -> Option<Outline<'c>> {
    let forms = place.forms();
    let index = form.checked_rem(forms.len())?;
    forms.into_iter().nth(index)
}

/// An object or a list of a place, where it takes one beside something plainer.
fn whole(place: &Outline<'_>, how: &Making) -> String {
    let made = value(place, how, DEPTH_MAX);
    let is_whole = made.starts_with(['{', '[']);
    if !is_whole && place.names(Kind::Object) { object(place, how, DEPTH_MAX) } else { made }
}

fn object(place: &Outline<'_>, how: &Making, depth: usize) -> String {
    let forms = std::iter::successors(chosen(place, how.form), |form| chosen(form, how.form));
    let place = &forms.take(DEPTH_MAX).last().unwrap_or_else(|| place.clone());
    let said = how.said;
    let mut object = ObjectWriter::new();
    let members = place.members();
    let is_bare = said == Said::One && !members.iter().any(|member| member.is_required);
    for (index, member) in members.iter().enumerate() {
        if member.is_required || is_bare && index == 0 {
            object.raw(member.name, &value(&member.place, how, depth.saturating_sub(1)));
        }
    }
    if let Some(rest) = place.rest().filter(|_| said == Said::One && members.is_empty()) {
        object.raw("name", &value(&rest, how, depth.saturating_sub(1)));
    }
    object.end()
}

fn value(place: &Outline<'_>, how: &Making, depth: usize) -> String {
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
        let least = place.annotation("minItems").and_then(|least| least.text().parse().ok()).unwrap_or(1);
        let item = |depth| value(&place.items(), how, depth);
        let items = depth.checked_sub(1).map(|depth| vec![item(depth); usize::clamp(least, 1, ITEMS_MAX)]);
        return format!("[{}]", items.unwrap_or_default().join(","));
    }
    if admits(Kind::Object) {
        return if depth == 0 { "{}".to_owned() } else { object(place, how, depth) };
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
