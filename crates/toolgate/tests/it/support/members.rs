//! Makes values that a schema admits, from the schema's own JSON and nothing of the core. What comes out is a proposal:
//! the independent validator confirms it.

use super::caller::kind_of;
use super::tape::Tape;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Number, Value, json};

const DEPTH_MAX: usize = 12;
const REFERENCES_MAX: usize = 24;
const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// How much of what is optional is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Only what is required.
    Smallest,
    /// Every declared key and an item in every list, down to some depth.
    Fuller,
    /// As the tape says.
    Tape,
}

pub(crate) struct Maker<'s> {
    root: &'s Value,
    size: Size,
    tape: Tape,
    /// The union member that is tried first; further attempts begin elsewhere.
    shift: usize,
    /// Makes the items of a list differ.
    serial: usize,
}

/// What all parts of a schema that apply at one place say together.
#[derive(Default)]
struct View<'s> {
    kinds: Option<Vec<&'static str>>,
    values: Option<Vec<&'s Value>>,
    properties: Vec<(&'s str, &'s Value)>,
    patterns: Vec<(&'s str, &'s Value)>,
    additional: Vec<&'s Value>,
    required: Vec<&'s str>,
    dependent: Vec<(&'s str, &'s Value)>,
    names: Vec<&'s Value>,
    items: Vec<&'s Value>,
    prefix: Vec<&'s Value>,
    contains: Vec<&'s Value>,
    pattern: Option<&'s str>,
    least: Option<f64>,
    most: Option<f64>,
    step: Option<f64>,
    min_length: usize,
    max_length: Option<usize>,
    min_items: usize,
    max_items: Option<usize>,
    unique: bool,
    min_properties: usize,
    speaks_of: Vec<&'static str>,
    impossible: bool,
}

/// A value that the independent validator says the schema admits; several attempts, each with other union members.
pub(crate) fn member(schema: &Value, size: Size, validator: &jsonschema::Validator) -> Option<Value> {
    (0..12).find_map(|attempt| {
        let tape = if size == Size::Tape || attempt >= 6 { Tape::seeded(attempt as u64) } else { Tape::empty() };
        let made = Maker::new(schema, size, tape, attempt).make()?;
        validator.is_valid(&made).then_some(made)
    })
}

impl<'s> Maker<'s> {
    pub(crate) fn new(root: &'s Value, size: Size, tape: Tape, shift: usize) -> Self {
        Maker { root, size, tape, shift, serial: 0 }
    }

    /// Arguments: an object, also where the schema does not say so.
    pub(crate) fn make(&mut self) -> Option<Value> {
        static OBJECT: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| json!({ "type": "object" }));
        self.value(&[self.root, &OBJECT], 0)
    }

    /// A value for one place of the document.
    pub(crate) fn make_for(&mut self, place: &'s Value) -> Option<Value> {
        self.value(&[place], 1)
    }

    fn value(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut view = View::default();
        for schema in schemas {
            self.collect(schema, &mut view, depth, 0);
        }
        if view.impossible {
            return None;
        }
        if let Some(values) = &view.values {
            let fitting: Vec<_> = values.iter().filter(|value| view.admits_kind(value)).collect();
            let index = if fitting.is_empty() { return None } else { self.tape.below(fitting.len()) };
            return Some((**fitting[index]).clone());
        }
        let kinds = view.candidate_kinds();
        let first = self.tape.below(kinds.len().max(1));
        (0..kinds.len()).find_map(|offset| self.of_kind(kinds[(first + offset) % kinds.len()], &view, depth))
    }

    fn of_kind(&mut self, kind: &str, view: &View<'s>, depth: usize) -> Option<Value> {
        match kind {
            "null" => Some(Value::Null),
            "boolean" => Some(Value::Bool(self.tape.once_in(2))),
            "integer" | "number" => self.number(view, kind == "integer"),
            "string" => self.string(view),
            "array" => self.array(view, depth),
            _ => self.object(view, depth),
        }
    }

    fn collect(&mut self, schema: &'s Value, view: &mut View<'s>, depth: usize, references: usize) {
        let keywords = match schema {
            Value::Bool(admits) => {
                view.impossible |= !admits;
                return;
            }
            Value::Object(keywords) if references < REFERENCES_MAX => keywords,
            _ => return,
        };
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            match self.resolve(reference) {
                Some(target) => self.collect(target, view, depth, references + 1),
                None => view.impossible = true,
            }
        }
        view.take(keywords);
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(part, view, depth, references + 1);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(members) = keywords.get(union).and_then(Value::as_array).filter(|members| !members.is_empty()) {
                // Deep inside, the last member is likelier to end a recursion than the first.
                let first =
                    if depth > DEPTH_MAX / 2 { members.len() - 1 } else { self.shift + self.tape.below(members.len()) };
                self.collect(&members[first % members.len()], view, depth, references + 1);
            }
        }
        if let Some(condition) = keywords.get("if") {
            let holds = (self.shift + self.tape.below(2)).is_multiple_of(2);
            if holds {
                self.collect(condition, view, depth, references + 1);
            }
            if let Some(branch) = keywords.get(if holds { "then" } else { "else" }) {
                self.collect(branch, view, depth, references + 1);
            }
        }
    }

    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix('#')?;
        let decoded = pointer.replace("%24", "$").replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
        self.root.pointer(&decoded)
    }

    fn number(&mut self, view: &View<'s>, integer: bool) -> Option<Value> {
        let step = view.step.unwrap_or(if integer { 1.0 } else { 0.0 });
        let step = if integer && step.fract() != 0.0 { 1.0 } else { step };
        let mut number = match (view.least, view.most) {
            (Some(least), Some(most)) if least > most => return None,
            (Some(least), _) if least > 0.0 => least,
            (_, Some(most)) if most < 0.0 => most,
            _ => 0.0,
        };
        if step > 0.0 {
            let up = (number / step).ceil() * step;
            number = if view.most.is_some_and(|most| up > most) { (number / step).floor() * step } else { up };
        }
        if number == 0.0 && view.most.is_none() && self.size == Size::Tape {
            let extra = (self.tape.below(5) + self.serial) as f64;
            number += if step > 0.0 { step * extra } else { extra / 2.0 };
        }
        self.serial += usize::from(view.values.is_none());
        Some(if number.fract() == 0.0 && number.abs() < 9e15 {
            json!(number as i64)
        } else if integer && number.abs() < 1.8e19 {
            json!(number as i128 as i64)
        } else {
            Value::Number(Number::from_f64(number)?)
        })
    }

    fn string(&mut self, view: &View<'s>) -> Option<Value> {
        if let Some(pattern) = view.pattern {
            let fits = |text: &String| {
                let length = text.chars().count();
                length >= view.min_length && view.max_length.is_none_or(|most| length <= most)
            };
            let hir = regex_syntax::parse(&rust_pattern(pattern)).ok();
            let made = (0..4).filter_map(|extra| {
                let mut text = String::new();
                write_match(hir.as_ref()?, view.min_length.min(400) * usize::from(extra > 1), &mut text).then_some(text)
            });
            let guesses = [
                "a",
                "A1",
                "1",
                "2024-01-01",
                "/a",
                "https://a.example/a",
                "a@b.example",
                "123e4567-e89b-12d3-a456-426614174000",
            ];
            let mut candidates: Vec<String> = made.chain(guesses.iter().map(|guess| (*guess).to_owned())).collect();
            candidates.retain(fits);
            let matches = regex_syntax_matches(pattern);
            return candidates.into_iter().find(|candidate| matches(candidate)).map(Value::String);
        }
        let length =
            view.min_length.max(usize::from(self.size != Size::Smallest)).min(view.max_length.unwrap_or(usize::MAX));
        let alphabet = ["a", "b", "zoe", "x y", "ü"];
        let word = if self.size == Size::Tape { *self.tape.pick(&alphabet) } else { "a" };
        let mut text: String = word.chars().cycle().take(length).collect();
        if self.serial > 0 && view.max_length.is_none() {
            text.push_str(&self.serial.to_string());
        }
        (text.chars().count() >= view.min_length).then_some(Value::String(text))
    }

    fn array(&mut self, view: &View<'s>, depth: usize) -> Option<Value> {
        let wanted = match self.size {
            Size::Smallest => 0,
            Size::Fuller => usize::from(depth < 6).max(if depth < 6 { view.prefix.len() } else { 0 }),
            Size::Tape => self.tape.below(4),
        };
        let count = wanted.max(view.min_items).max(usize::from(!view.contains.is_empty()));
        let count = count.min(view.max_items.unwrap_or(usize::MAX)).min(2_000);
        if count < view.min_items {
            return None;
        }
        let mut items = Vec::new();
        for index in 0..count {
            let mut schemas: Vec<&Value> = match view.prefix.get(index) {
                Some(prefix) => vec![prefix],
                None => view.items.clone(),
            };
            if index + 1 == count {
                schemas.extend(&view.contains);
            }
            if view.unique {
                self.serial += 1;
            }
            match self.value(&schemas, depth + 1) {
                Some(item) => items.push(item),
                None if items.len() >= view.min_items => break,
                None => return None,
            }
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, view: &View<'s>, depth: usize) -> Option<Value> {
        let mut names: Vec<&str> = Vec::new();
        for name in &view.required {
            push_new(&mut names, name);
        }
        for (name, _) in &view.properties {
            let is_wanted = match self.size {
                Size::Smallest => false,
                Size::Fuller => depth < 5,
                Size::Tape => depth < 5 && self.tape.once_in(2),
            };
            if is_wanted {
                push_new(&mut names, name);
            }
        }
        let mut index = 0;
        while let Some(name) = names.get(index).copied() {
            for (_, needed) in view.dependent.iter().filter(|(key, _)| *key == name) {
                for needed in needed.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    push_new(&mut names, needed);
                }
            }
            index += 1;
        }
        let mut members = Map::new();
        for name in names {
            match self.value(&view.schemas_of(name), depth + 1) {
                Some(value) => drop(members.insert(name.to_owned(), value)),
                None if view.required.contains(&name) => return None,
                None => {}
            }
        }
        let open = view.additional.iter().any(|schema| schema.is_object());
        let extra = match self.size {
            Size::Fuller if open && depth < 5 && view.properties.is_empty() => 1,
            Size::Tape if open && depth < 5 => self.tape.below(3),
            _ => 0,
        };
        for number in 0..(extra.max(view.min_properties.saturating_sub(members.len()))).min(64) {
            let name = match view.names.as_slice() {
                [] => format!("k{number}"),
                names => {
                    let names = names.to_vec();
                    self.value(&names, depth + 1)?.as_str()?.to_owned()
                }
            };
            if members.contains_key(&name)
                || view.patterns.iter().any(|(pattern, _)| regex_syntax_matches(pattern)(&name))
            {
                continue;
            }
            if let Some(value) = self.value(&view.additional.clone(), depth + 1) {
                members.insert(name, value);
            }
        }
        (members.len() >= view.min_properties).then_some(Value::Object(members))
    }
}

impl<'s> View<'s> {
    fn take(&mut self, keywords: &'s Map<String, Value>) {
        let number = |name: &str| keywords.get(name).and_then(Value::as_f64);
        let count = |name: &str| keywords.get(name).and_then(Value::as_f64).map(|number| number as usize);
        if let Some(kinds) = keywords.get("type") {
            self.narrow_kinds(kinds);
        }
        if let Some(value) = keywords.get("const") {
            self.narrow_values(vec![value]);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            self.narrow_values(values.iter().collect());
        }
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            self.speaks_of.push("object");
            self.properties.extend(properties.iter().map(|(name, schema)| (name.as_str(), schema)));
        }
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            self.speaks_of.push("object");
            self.patterns.extend(patterns.iter().map(|(pattern, schema)| (pattern.as_str(), schema)));
        }
        if let Some(Value::Array(required)) = keywords.get("required") {
            self.speaks_of.push("object");
            self.required.extend(required.iter().filter_map(Value::as_str));
        }
        if let Some(Value::Object(dependent)) = keywords.get("dependentRequired") {
            self.dependent.extend(dependent.iter().map(|(name, needed)| (name.as_str(), needed)));
        }
        self.additional.extend(keywords.get("additionalProperties"));
        self.names.extend(keywords.get("propertyNames"));
        match keywords.get("items") {
            Some(Value::Array(slots)) => self.prefix.extend(slots),
            Some(items) => {
                self.speaks_of.push("array");
                self.items.push(items);
            }
            None => {}
        }
        self.prefix.extend(keywords.get("prefixItems").and_then(Value::as_array).into_iter().flatten());
        self.contains.extend(keywords.get("contains"));
        if let Some(pattern) = keywords.get("pattern").and_then(Value::as_str) {
            self.speaks_of.push("string");
            self.pattern = Some(pattern);
        }
        let tiny = 1.0;
        let least = [number("minimum"), number("exclusiveMinimum").map(|bound| bound + tiny)];
        for least in least.into_iter().flatten() {
            self.speaks_of.push("number");
            self.least = Some(self.least.map_or(least, |old| old.max(least)));
        }
        let gap = if self.least.is_some_and(|least| number("exclusiveMaximum").is_some_and(|most| most - tiny < least))
        {
            0.0
        } else {
            tiny
        };
        for most in [number("maximum"), number("exclusiveMaximum").map(|bound| bound - gap)].into_iter().flatten() {
            self.speaks_of.push("number");
            self.most = Some(self.most.map_or(most, |old| old.min(most)));
        }
        // An exclusive bound inside a narrow range: half way.
        if let (Some(bound), Some(most)) = (number("exclusiveMinimum"), self.most)
            && self.least.is_some_and(|least| least > most)
        {
            self.least = Some((bound + most) / 2.0);
        }
        self.step = number("multipleOf").or(self.step);
        self.min_length = self.min_length.max(count("minLength").unwrap_or(0));
        self.max_length = count("maxLength").or(self.max_length);
        self.min_items = self.min_items.max(count("minItems").unwrap_or(0));
        self.max_items = count("maxItems").or(self.max_items);
        self.unique |= keywords.get("uniqueItems") == Some(&Value::Bool(true));
        self.min_properties = self.min_properties.max(count("minProperties").unwrap_or(0));
    }

    fn narrow_kinds(&mut self, kinds: &Value) {
        let named: Vec<&str> = match kinds {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        let allows = |kind: &str| named.contains(&kind) || (kind == "integer" && named.contains(&"number"));
        let known: Vec<_> = KINDS.into_iter().filter(|kind| allows(kind)).collect();
        // In the order that the schema names them: the first is what its author thinks of first.
        let mut ordered: Vec<&'static str> =
            named.iter().filter_map(|name| KINDS.into_iter().find(|kind| kind == name)).collect();
        ordered.extend(known.iter().filter(|kind| !named.contains(kind)));
        self.kinds = Some(match self.kinds.take() {
            Some(old) => old.into_iter().filter(|kind| known.contains(kind)).collect(),
            None => ordered,
        });
    }

    fn narrow_values(&mut self, values: Vec<&'s Value>) {
        self.values = Some(match self.values.take() {
            Some(old) => old.into_iter().filter(|value| values.contains(value)).collect(),
            None => values,
        });
    }

    fn admits_kind(&self, value: &Value) -> bool {
        let Some(kinds) = &self.kinds else { return true };
        kinds.contains(&kind_of(value))
    }

    fn candidate_kinds(&self) -> Vec<&'static str> {
        if let Some(kinds) = &self.kinds {
            return kinds.clone();
        }
        let mut kinds = self.speaks_of.clone();
        kinds.extend(["string", "object", "array", "integer", "boolean", "null"]);
        kinds
    }

    fn schemas_of(&self, name: &str) -> Vec<&'s Value> {
        let mut schemas: Vec<&Value> =
            self.properties.iter().filter(|(key, _)| *key == name).map(|(_, schema)| *schema).collect();
        schemas.extend(
            self.patterns.iter().filter(|(pattern, _)| regex_syntax_matches(pattern)(name)).map(|(_, schema)| *schema),
        );
        if schemas.is_empty() {
            schemas.extend(&self.additional);
        }
        schemas
    }
}

fn push_new<'n>(names: &mut Vec<&'n str>, name: &'n str) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// The few spellings of ECMA-262 that the Rust syntax lacks.
fn rust_pattern(pattern: &str) -> String {
    pattern.replace("\\/", "/").replace("\\d", "[0-9]").replace("\\-", "-").replace("(?<", "(?P<")
}

fn regex_syntax_matches(pattern: &str) -> impl Fn(&str) -> bool + use<> {
    let schema = json!({ "pattern": pattern });
    let validator = jsonschema::validator_for(&schema).ok();
    move |text| validator.as_ref().is_some_and(|validator| validator.is_valid(&Value::from(text)))
}

/// A text that a pattern matches: in each choice the first, in each repetition the fewest, at least `length` where it may.
fn write_match(hir: &Hir, length: usize, out: &mut String) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => {
            out.push_str(&String::from_utf8_lossy(&literal.0));
            true
        }
        HirKind::Class(Class::Unicode(class)) => {
            let plain = class.ranges().iter().flat_map(|range| [range.start(), range.end()]);
            let seen = "a1A/ .-"
                .chars()
                .find(|ch| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(ch)));
            match seen.or_else(|| plain.clone().find(char::is_ascii_graphic)).or_else(|| plain.clone().next()) {
                Some(ch) => out.push(ch),
                None => return false,
            }
            true
        }
        HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let times = repetition.min.max(u32::try_from(length).unwrap_or(0).min(most)).min(2_000);
            (0..times).all(|_| write_match(&repetition.sub, 0, out))
        }
        HirKind::Capture(capture) => write_match(&capture.sub, length, out),
        HirKind::Concat(parts) => parts.iter().all(|part| write_match(part, length, out)),
        HirKind::Alternation(parts) => parts.iter().any(|part| write_match(part, length, out)),
    }
}

/// A text of at least `length` that `pattern` matches, for a caller that was told the pattern.
pub(crate) fn text_for_pattern(pattern: &str, length: usize) -> Option<String> {
    let schema = json!({ "type": "string", "pattern": pattern, "minLength": length });
    Maker::new(&schema, Size::Smallest, Tape::empty(), 0).make_for(&schema)?.as_str().map(str::to_owned)
}
