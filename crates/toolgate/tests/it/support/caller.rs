//! A caller without wits: mends its arguments by what a refusal tells it, and by the shape that it is shown when it is
//! refused again (R6.10). Knows no schema and no other call.

use super::members::text_for_pattern;
use serde_json::{Map, Value, json};

/// The shape that a refused caller is shown, read back from its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Any,
    Kind(String),
    Word(Value),
    List(Box<Shape>),
    /// Members with their names and whether they are required; then, of each union beside them, its forms.
    Object(Vec<(String, bool, Shape)>, Vec<Shape>),
    Union(Vec<Shape>),
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.text.strip_prefix(token);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn shape(&mut self) -> Shape {
        let mut forms = vec![self.form()];
        while self.takes(" | ") {
            forms.push(self.form());
        }
        if forms.len() == 1 { forms.remove(0) } else { Shape::Union(forms) }
    }

    fn form(&mut self) -> Shape {
        if self.takes("[…]") {
            return Shape::List(Box::new(Shape::Any));
        }
        if self.takes("{ … }") {
            return Shape::Object(Vec::new(), Vec::new());
        }
        if self.takes("…") {
            return Shape::Any;
        }
        if self.takes("[") {
            let items = self.shape();
            self.takes("]");
            return Shape::List(Box::new(items));
        }
        if self.text.starts_with('{') || self.text.starts_with(" & (") {
            return self.object();
        }
        for kind in ["string", "integer", "number", "boolean", "any"] {
            if self.takes(kind) {
                return if kind == "any" { Shape::Any } else { Shape::Kind(kind.to_owned()) };
            }
        }
        let mut literals = serde_json::Deserializer::from_str(self.text).into_iter::<Value>();
        match literals.next() {
            Some(Ok(word)) => {
                self.text = &self.text[literals.byte_offset()..];
                Shape::Word(word)
            }
            _ => {
                // A word that was cut: nobody can send it.
                let end = [" | ", ", ", " }", "]", ")"].iter().filter_map(|end| self.text.find(end)).min();
                self.text = &self.text[end.unwrap_or(self.text.len())..];
                Shape::Any
            }
        }
    }

    fn object(&mut self) -> Shape {
        let mut members = Vec::new();
        if self.takes("{") && !self.takes("}") {
            self.takes(" ");
            while let Some(colon) = self.text.find(": ") {
                let name = &self.text[..colon];
                let (name, required) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
                self.text = &self.text[colon + 2..];
                let name = name.to_owned();
                let shape = self.shape();
                members.push((name, required, shape));
                if !self.takes(", ") {
                    break;
                }
            }
            self.takes(" }");
        }
        let mut unions = Vec::new();
        while self.takes(" & (") {
            unions.push(self.shape());
            self.takes(")");
        }
        Shape::Object(members, unions)
    }
}

impl Shape {
    pub(crate) fn read(skeleton: &str) -> Shape {
        Reader { text: skeleton }.shape()
    }

    fn forms(&self) -> Vec<&Shape> {
        match self {
            Shape::Union(forms) => forms.iter().flat_map(Shape::forms).collect(),
            other => vec![other],
        }
    }

    fn kind(&self) -> &str {
        match self {
            Shape::Kind(kind) => kind,
            Shape::Word(word) => kind_of(word),
            Shape::List(_) => "array",
            Shape::Object(..) => "object",
            Shape::Any | Shape::Union(_) => "any",
        }
    }

    /// All forms of the place below, as far as the shape tells.
    fn below<'s>(&'s self, segment: &str, found: &mut Vec<&'s Shape>) {
        match self {
            Shape::List(items) if segment.parse::<usize>().is_ok() => found.push(items),
            Shape::Union(forms) => forms.iter().for_each(|form| form.below(segment, found)),
            Shape::Object(members, unions) => {
                found.extend(members.iter().filter(|(name, ..)| name == segment).map(|(_, _, shape)| shape));
                unions.iter().for_each(|form| form.below(segment, found));
            }
            _ => {}
        }
    }

    /// The shapes of a place; where a union stands above it, those of the form that the arguments agree with come first.
    fn at<'s>(&'s self, segments: &[String], arguments: &Value) -> Vec<&'s Shape> {
        let mut places = vec![self];
        let mut value = arguments.clone();
        for segment in segments {
            let mut forms: Vec<&Shape> = places.iter().flat_map(|place| place.alternatives()).collect();
            forms.sort_by_key(|form| std::cmp::Reverse(form.agreement(&value)));
            let mut below = Vec::new();
            forms.iter().for_each(|form| form.below(segment, &mut below));
            places = below;
            let read = value.as_str().and_then(|text| serde_json::from_str(text).ok());
            value = read.unwrap_or(value);
            let index = segment.parse::<usize>().ok();
            let inner = value.get(segment).or_else(|| index.and_then(|index| value.get(index)));
            value = inner.cloned().unwrap_or(Value::Null);
        }
        places
    }

    /// The forms one by one, those of a union beside an object's own members too.
    fn alternatives(&self) -> Vec<&Shape> {
        let mut alternatives = self.forms();
        if let Shape::Object(_, unions) = self {
            alternatives.extend(unions.iter().flat_map(Shape::forms));
        }
        alternatives
    }

    fn fits(&self, value: &Value) -> bool {
        self.forms().iter().any(|form| match form {
            Shape::Word(word) => word == value,
            form => form.kind() == "any" || is_of(value, &[form.kind()]),
        })
    }

    /// Reads text inside as the form that fits best would have it.
    fn decode(&self, value: &mut Value) {
        let alternatives = self.alternatives();
        let mut best: Vec<_> = alternatives.into_iter().filter(|form| form.fits(value) || value.is_string()).collect();
        best.sort_by_key(|form| std::cmp::Reverse(form.agreement(value)));
        let Some(form) = best.first() else { return };
        if let Value::String(text) = value
            && let Ok(read) = serde_json::from_str::<Value>(text)
            && is_of(&read, &[form.kind()])
        {
            *value = read;
        }
        match value {
            Value::Array(items) => {
                if let Shape::List(shape) = form {
                    items.iter_mut().for_each(|item| shape.decode(item));
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let mut below = Vec::new();
                    form.below(name, &mut below);
                    below.first().into_iter().for_each(|shape| shape.decode(member));
                }
            }
            _ => {}
        }
    }

    fn requires(&self, name: &str) -> bool {
        match self {
            Shape::Object(members, unions) => {
                members.iter().any(|(member, required, _)| member == name && *required)
                    || unions.iter().any(|union| union.forms().iter().all(|form| form.requires(name)))
            }
            Shape::Union(forms) => forms.iter().any(|form| form.requires(name)),
            _ => false,
        }
    }

    fn make(&self) -> Value {
        match self {
            Shape::Any => json!("text"),
            Shape::Kind(kind) => of_kind(kind),
            Shape::Word(word) => word.clone(),
            Shape::List(items) => json!([items.make()]),
            Shape::Union(forms) => forms.first().map_or(Value::Null, Shape::make),
            Shape::Object(..) => {
                let mut object = Value::Object(Map::new());
                self.complete(&mut object);
                object
            }
        }
    }

    /// Adds what is required and not there, of each union by the form that fits best.
    fn complete(&self, value: &mut Value) {
        match self {
            Shape::Object(members, unions) => {
                let Value::Object(object) = value else { return };
                for (name, _, shape) in members.iter().filter(|(_, required, _)| *required) {
                    object.entry(name.clone()).or_insert_with(|| shape.make());
                }
                for union in unions {
                    union.complete(value);
                }
            }
            Shape::Union(forms) => {
                if let Some(best) =
                    forms.iter().max_by_key(|form| (form.agreement(value), std::cmp::Reverse(form.lacking(value))))
                {
                    best.complete(value);
                }
            }
            _ => {}
        }
    }

    /// Words that agree, less those that do not.
    fn agreement(&self, value: &Value) -> i64 {
        let (Shape::Object(members, _), Value::Object(object)) = (self, value) else { return -100 };
        let one = |(name, _, shape): &(String, bool, Shape)| match (object.get(name), shape.forms().as_slice()) {
            (Some(sent), forms) if forms.iter().all(|form| matches!(form, Shape::Word(_))) => {
                if forms.iter().any(|form| matches!(form, Shape::Word(word) if word == sent)) { 10 } else { -50 }
            }
            (Some(_), _) => 1,
            (None, _) => 0,
        };
        members.iter().map(one).sum()
    }

    fn lacking(&self, value: &Value) -> usize {
        let Shape::Object(members, _) = self else { return 0 };
        members.iter().filter(|(name, required, _)| *required && value.get(name).is_none()).count()
    }
}

/// The kind of a value, by the words of `type`.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of(value: &Value, kinds: &[&str]) -> bool {
    let kind = kind_of(value);
    kinds.contains(&kind) || kind == "integer" && kinds.contains(&"number")
}

fn of_kind(kind: &str) -> Value {
    match kind {
        "integer" => json!(1),
        "number" => json!(1),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" => json!({}),
        "null" => json!(null),
        _ => json!("text"),
    }
}

/// The arguments for the next turn.
pub(crate) fn mend(sent: &str, refusal: &str, skeleton: &str) -> String {
    let shape = Shape::read(skeleton);
    let refusal: Value = serde_json::from_str(refusal).unwrap();
    let violations: Vec<&Value> = refusal["violations"].as_array().unwrap().iter().collect();
    let read = serde_json::from_str::<Value>(sent).ok().map(|value| match value {
        // The whole written as text once more.
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::Null),
        value => value,
    });
    let Some(mut arguments) = read.filter(Value::is_object) else { return shape.make().to_string() };
    if violations.iter().any(|violation| is_code(violation, &["invalid-json", "depth-limit", "size-limit"])) {
        return shape.make().to_string();
    }
    // Names first, so that what is then missing is known; items from the last, so that places keep their numbers.
    let mut order = violations.clone();
    order.sort_by_key(|violation| match violation["code"].as_str() {
        Some("unknown-argument" | "alias-conflict" | "duplicate-name") => 0,
        Some("required" | "dependentRequired" | "minProperties") => 2,
        _ => 1,
    });
    let (names, rest): (Vec<_>, Vec<_>) =
        order.into_iter().partition(|violation| is_code(violation, &["unknown-argument"]));
    let order = names.into_iter().chain(rest);
    let all: Vec<Value> = order.flat_map(|violation| alike(violation, &refusal, &arguments)).collect();
    for violation in &all {
        mend_one(&mut arguments, violation, &shape, &all);
    }
    arguments.to_string()
}

/// Where more was refused than is told, what is wrong with one item is taken to be wrong with those like it.
fn alike(violation: &Value, refusal: &Value, arguments: &Value) -> Vec<Value> {
    let path = segments(violation["location"].as_str().unwrap());
    let mut told = vec![violation.clone()];
    let Some((last, parent)) = path.split_last() else { return told };
    let mut copy = arguments.clone();
    let Some(Value::Array(items)) = find(&mut copy, parent) else { return told };
    let Some(item) = last.parse::<usize>().ok().and_then(|index| items.get(index)) else { return told };
    let is_counted = refusal["more"].as_u64().is_some_and(|more| more > 0);
    let location = violation["location"].as_str().unwrap().rsplit_once('/').map_or("", |(parent, _)| parent);
    for (index, _) in items.iter().enumerate().filter(|(_, other)| is_counted && *other == item) {
        let mut other = violation.clone();
        other["location"] = json!(format!("{location}/{index}"));
        told.push(other);
    }
    told
}

fn is_code(violation: &Value, codes: &[&str]) -> bool {
    violation["code"].as_str().is_some_and(|code| codes.contains(&code))
}

fn words<'v>(violation: &'v Value, member: &str) -> Vec<&'v str> {
    violation[member].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn segments(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect()
}

/// The place in the caller's own arguments; what it wrote as text on the way is read.
fn find<'v>(value: &'v mut Value, segments: &[String]) -> Option<&'v mut Value> {
    let Some((first, rest)) = segments.split_first() else { return Some(value) };
    if let Value::String(text) = value {
        *value = serde_json::from_str(text).ok()?;
    }
    match value {
        Value::Object(members) => {
            let name = own_name(members, first)?;
            find(members.get_mut(&name)?, rest)
        }
        Value::Array(items) => find(items.get_mut(first.parse::<usize>().ok()?)?, rest),
        _ => None,
    }
}

/// The caller's own name, which the refusal may show cut or escaped.
fn own_name(members: &Map<String, Value>, shown: &str) -> Option<String> {
    if members.contains_key(shown) {
        return Some(shown.to_owned());
    }
    let escaped = |name: &str| {
        name.chars()
            .flat_map(|ch| if ch.is_control() { ch.escape_unicode().collect() } else { vec![ch] })
            .collect::<String>()
    };
    let is_cut = |name: &str| shown.strip_suffix('…').is_some_and(|start| name.starts_with(start));
    members.keys().find(|name| escaped(name) == shown || is_cut(name)).cloned()
}

fn mend_one(arguments: &mut Value, violation: &Value, shape: &Shape, all: &[Value]) {
    let path = segments(violation["location"].as_str().unwrap());
    let parent_path = &path[..path.len().saturating_sub(1)];
    let shapes = shape.at(&path, arguments);
    let limit = violation["limit"].as_str().unwrap_or_default();
    let count = limit.parse::<f64>().unwrap_or(0.0);
    match violation["code"].as_str().unwrap() {
        "unknown-argument" | "false-schema" | "propertyNames" | "items" => {
            let suggest = violation["suggest"].as_str();
            take_out(arguments, parent_path, &path, suggest);
            if let Some(suggest) = suggest {
                // What stood under the wrong name may be of the wrong kind too.
                let mut right = parent_path.to_vec();
                right.push(suggest.to_owned());
                let shapes = shape.at(&right, arguments);
                if let Some(place) = find(arguments, &right)
                    && !shapes.is_empty()
                    && !shapes.iter().any(|shape| shape.fits(place))
                {
                    let kinds: Vec<&str> = shapes.iter().flat_map(|shape| shape.forms()).map(Shape::kind).collect();
                    *place = of_expected(place, &kinds, &shapes);
                }
            }
            return;
        }
        "alias-conflict" => {
            let names = words(violation, "names");
            for at in [path.as_slice(), parent_path] {
                if let (Some(Value::Object(members)), Some(last)) = (find(arguments, at), names.last())
                    && names.iter().all(|name| members.contains_key(*name))
                {
                    members.remove(*last);
                }
            }
            return;
        }
        "type" if path.is_empty() => {
            *arguments = shape.make();
            return;
        }
        _ => {}
    }
    let is_required =
        shape.at(parent_path, arguments).iter().any(|place| path.last().is_some_and(|name| place.requires(name)));
    if find(arguments, &path).is_none() {
        // Somewhere on the way stands text that cannot be read: it is written anew.
        for length in (1..path.len()).rev() {
            let shapes = shape.at(&path[..length], arguments);
            if let (Some(place @ Value::String(_)), Some(shape)) = (find(arguments, &path[..length]), shapes.first()) {
                *place = shape.make();
                return;
            }
        }
    }
    let whole = arguments.clone();
    let Some(place) = find(arguments, &path) else { return };
    let beside = |code: &str| {
        let same = all.iter().filter(|other| other["location"] == violation["location"] && other["code"] == code);
        same.filter_map(|other| other["limit"].as_str()?.parse::<usize>().ok()).next()
    };
    match violation["code"].as_str().unwrap() {
        "required" | "dependentRequired" => add_missing(place, violation, &shapes, shape, &path, &whole),
        "type" => {
            let expected = words(violation, "expected");
            let is_left_out = violation["hint"].as_str().is_some_and(|hint| hint.starts_with("leave the key out"));
            if is_left_out && !is_required {
                take_out(arguments, parent_path, &path, None);
                return;
            }
            *place = of_expected(place, &expected, &shapes);
        }
        "enum" | "const" => {
            let allowed = words(violation, "allowed");
            *place = word(&allowed, &shapes);
            // Another form may have been chosen by it.
            let around = shape.at(parent_path, arguments);
            if let Some(object) = find(arguments, parent_path) {
                around.iter().for_each(|shape| shape.complete(object));
            }
        }
        "anyOf" | "oneOf" | "schema" | "not" => {
            if let Some(shape) = shapes.first() {
                *place = shape.make();
            }
        }
        "list-as-text" | "object-as-text" => {
            if let Some(read) = place.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                *place = read;
            }
        }
        "ambiguous" => match shapes.first() {
            Some(shape) => shape.decode(place),
            None => decode(place),
        },
        "minimum" | "maximum" | "multipleOf" => *place = serde_json::from_str(limit).unwrap_or(Value::Null),
        "exclusiveMinimum" => *place = number(count + 1.0),
        "exclusiveMaximum" => *place = number(count - 1.0),
        "number-range" => *place = json!(1),
        "minLength" => {
            let text = place.as_str().unwrap_or_default();
            *place = json!(text.chars().chain("text".chars().cycle()).take(count as usize).collect::<String>());
        }
        "maxLength" => {
            *place = json!(place.as_str().unwrap_or_default().chars().take(count as usize).collect::<String>())
        }
        "pattern" => {
            let length = beside("minLength").or(beside("maxLength")).unwrap_or(0);
            *place = json!(text_for_pattern(limit, length).unwrap_or_default());
        }
        "format" => *place = json!(of_format(&words(violation, "expected"))),
        "minItems" | "contains" | "minContains" => lengthen(place, (count as usize).max(1), &shapes),
        "maxItems" | "maxContains" => {
            if let Value::Array(items) = place {
                items.truncate(count as usize);
            }
        }
        "uniqueItems" => {
            if let Value::Array(items) = place {
                let mut kept: Vec<Value> = Vec::new();
                items.retain(|item| {
                    let same = |other: &Value| other == item || item.is_number() && other.as_f64() == item.as_f64();
                    let is_new = !kept.iter().any(same);
                    kept.push(item.clone());
                    is_new
                });
            }
        }
        "minProperties" => widen(place, count as usize, &shapes),
        "maxProperties" => {
            if let Value::Object(members) = place {
                let optional: Vec<String> =
                    members.keys().filter(|name| !shapes.iter().any(|shape| shape.requires(name))).cloned().collect();
                let excess = members.len().saturating_sub(count as usize);
                for name in optional.into_iter().take(excess) {
                    members.remove(&name);
                }
            }
        }
        // What was read from the text already is mended by being written anew.
        _ => {}
    }
}

fn take_out(arguments: &mut Value, parent: &[String], path: &[String], suggest: Option<&str>) {
    let Some(last) = path.last() else { return };
    let Some(place) = find(arguments, parent) else { return };
    if let Some(read) = place.as_str().and_then(|text| serde_json::from_str(text).ok()) {
        *place = read;
    }
    match place {
        Value::Object(members) => {
            if let Some(value) = own_name(members, last).and_then(|name| members.remove(&name))
                && let Some(suggest) = suggest.filter(|suggest| !members.contains_key(*suggest))
            {
                members.insert(suggest.to_owned(), value);
            }
        }
        Value::Array(items) => items.truncate(last.parse().unwrap_or(0)),
        _ => {}
    }
}

fn add_missing(
    place: &mut Value,
    violation: &Value,
    shapes: &[&Shape],
    whole: &Shape,
    path: &[String],
    arguments: &Value,
) {
    if let Value::String(text) = place
        && let Ok(read @ Value::Object(_)) = serde_json::from_str(text)
    {
        *place = read;
    }
    let Value::Object(members) = place else { return };
    let allowed = words(violation, "allowed");
    for name in words(violation, "missing") {
        let mut inner = path.to_vec();
        inner.push(name.to_owned());
        let shapes = whole.at(&inner, arguments);
        if !members.contains_key(name) {
            let value = match (allowed.is_empty(), shapes.first()) {
                (false, _) => word(&allowed, &shapes),
                (true, Some(shape)) => shape.make(),
                (true, None) => json!("text"),
            };
            members.insert(name.to_owned(), value);
        }
    }
    if !allowed.is_empty() {
        shapes.iter().for_each(|shape| shape.complete(place));
    }
}

/// A value of an expected kind: the one that was meant, where that can be told.
fn of_expected(sent: &Value, expected: &[&str], shapes: &[&Shape]) -> Value {
    if let Value::String(text) = sent {
        let read =
            serde_json::from_str::<Value>(text.trim()).or_else(|_| serde_json::from_str(&text.trim().to_lowercase()));
        if let Ok(read) = read
            && is_of(&read, expected)
            && !read.is_null()
        {
            return match read.as_f64() {
                Some(float) if expected.contains(&"integer") && float.fract() == 0.0 => number(float),
                _ => read,
            };
        }
    }
    if expected.contains(&"string") && (sent.is_number() || sent.is_boolean()) {
        let forms: Vec<_> = shapes.iter().flat_map(|shape| shape.forms()).collect();
        if !forms.iter().any(|form| matches!(form, Shape::Word(_))) {
            return json!(sent.to_string());
        }
    }
    let forms = shapes.iter().flat_map(|shape| shape.forms());
    let mut fitting = forms.filter(|form| expected.contains(&form.kind()) && form.kind() != "null");
    match fitting.next() {
        Some(form) => form.make(),
        None => of_kind(expected.iter().find(|kind| **kind != "null").or(expected.first()).unwrap_or(&"string")),
    }
}

/// One of the allowed words. The refusal shows text without quotes; the shape tells text from what is none.
fn word(allowed: &[&str], shapes: &[&Shape]) -> Value {
    let spelled = |word: &Value| word.as_str().map_or_else(|| word.to_string(), str::to_owned);
    let known: Vec<&Value> = shapes
        .iter()
        .flat_map(|shape| shape.forms())
        .filter_map(|form| if let Shape::Word(word) = form { Some(word) } else { None })
        .collect();
    let first = allowed.iter().find(|word| !word.ends_with('…') && !word.contains("\\u{")).copied();
    match known.iter().find(|word| first == Some(&spelled(word))) {
        Some(word) => (*word).clone(),
        None => match first {
            Some(first) => serde_json::from_str(first).unwrap_or_else(|_| json!(first)),
            None => known.first().map_or_else(|| json!({}), |word| (*word).clone()),
        },
    }
}

fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Every text inside that is JSON, as the value that it is.
fn decode(value: &mut Value) {
    if let Value::String(text) = value
        && let Ok(read) = serde_json::from_str::<Value>(text)
        && !read.is_string()
    {
        *value = read;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(decode),
        Value::Object(members) => members.values_mut().for_each(decode),
        _ => {}
    }
}

fn of_format(names: &[&str]) -> &'static str {
    match names.first().copied() {
        Some("date-time") => "2024-05-06T07:08:09Z",
        Some("date") => "2024-05-06",
        Some("time") => "07:08:09Z",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some("email") => "a@b.example",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("hostname") => "a.example",
        _ => "https://a.example/b",
    }
}

/// More items like the last one, each another.
fn lengthen(place: &mut Value, count: usize, shapes: &[&Shape]) {
    let Value::Array(items) = place else { return };
    let item = shapes.iter().flat_map(|shape| shape.forms()).find_map(|form| match form {
        Shape::List(item) => Some(item.make()),
        _ => None,
    });
    let model = items.last().cloned().or(item).unwrap_or_else(|| json!("text"));
    while items.len() < count.min(10_000) {
        let another = match &model {
            Value::String(text) if !items.is_empty() => json!(format!("{text}{}", items.len())),
            Value::Number(number) if number.is_i64() => json!(number.as_i64().unwrap_or(0) + items.len() as i64),
            other => other.clone(),
        };
        // Words of a list cannot be varied.
        items.push(if shapes.is_empty() { model.clone() } else { another });
    }
}

fn widen(place: &mut Value, count: usize, shapes: &[&Shape]) {
    let Value::Object(members) = place else { return };
    let declared = shapes.iter().flat_map(|shape| shape.forms()).filter_map(|form| match form {
        Shape::Object(declared, _) => Some(declared),
        _ => None,
    });
    for (name, _, shape) in declared.flatten() {
        if members.len() < count {
            members.entry(name.clone()).or_insert_with(|| shape.make());
        }
    }
    let mut number = 0;
    while members.len() < count.min(10_000) {
        members.insert(format!("k{number}"), json!("text"));
        number += 1;
    }
}
