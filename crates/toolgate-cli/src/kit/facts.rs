//! The facts that an advertise case states of the schema that is shown: one at a time, each of one place or of all.

use super::answer::Answer;
use super::value::{Alike, count, is_true, same, text, texts};
use crate::input;
use crate::show::json::at;
use toolgate::Contract;
use toolgate::json::{Kind, ObjectWriter, Value};

/// One position of a schema.
struct Node<'d> {
    /// The keyword under which it stands; none for the root.
    keyword: &'static str,
    schema: Value<'d>,
}

const ONE: [&str; 10] = [
    "not",
    "if",
    "then",
    "else",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "contains",
    "additionalItems",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// As deep as the document, which is bounded.
fn collect<'d>(keyword: &'static str, schema: Value<'d>, nodes: &mut Vec<Node<'d>>) {
    nodes.push(Node { keyword, schema });
    for name in ONE {
        schema.get(name).into_iter().for_each(|inner| collect(name, inner, nodes));
    }
    for name in LISTS {
        schema.get(name).into_iter().flat_map(Value::items).for_each(|inner| collect(name, inner, nodes));
    }
    for name in MAPS {
        schema.get(name).into_iter().flat_map(Value::members).for_each(|(_, inner)| collect(name, inner, nodes));
    }
    match schema.get("items") {
        Some(items) if items.kind() == Kind::Array => items.items().for_each(|inner| collect("items", inner, nodes)),
        Some(items) => collect("items", items, nodes),
        None => {}
    }
}

/// The schema that is shown, and what else is asked of it.
pub(super) struct Shown<'a> {
    pub(super) answer: &'a Answer,
    pub(super) schema: Value<'a>,
    pub(super) ask: &'a dyn Ask,
}

/// Questions that take a further run of a command.
pub(super) trait Ask {
    /// The verdict of the contract on a call.
    fn verdict(&self, arguments: &str) -> Result<String, String>;
    /// What is shown, once more.
    fn again(&self) -> Result<Answer, String>;
    /// The verdict of `prove` on the contract and a schema.
    fn prove(&self, advertised: &str) -> Result<String, String>;
}

impl Shown<'_> {
    /// Whether a fact holds.
    ///
    /// # Errors
    ///
    /// Says why it does not.
    pub(super) fn hold(&self, fact: Value<'_>) -> Result<(), String> {
        let mut nodes = Vec::new();
        collect("", self.schema, &mut nodes);
        self.of_root(fact)?;
        self.of_pointers(fact)?;
        self.of_keywords(fact, &nodes)?;
        of_all(fact, &nodes)?;
        of_patterns(fact, &nodes)?;
        self.of_names(fact, &nodes)?;
        self.of_answer(fact, &nodes)?;
        self.of_runs(fact)
    }

    fn of_root(&self, fact: Value<'_>) -> Result<(), String> {
        let schema = self.schema;
        if let Some(kind) = text(fact, "root_type") {
            demand(text(schema, "type").as_ref() == Some(&kind), || format!("the root's type is not {kind}"))?;
        }
        for keyword in texts(fact.get("root_has")) {
            demand(schema.get(&keyword).is_some(), || format!("the root has no {keyword}"))?;
        }
        for name in ["required_equals", "required_set_equals"] {
            if let Some(wanted) = fact.get(name) {
                let (mut wanted, mut got) = (texts(Some(wanted)), texts(schema.get("required")));
                wanted.sort();
                got.sort();
                demand(wanted == got, || format!("required is {got:?}"))?;
            }
        }
        let properties = schema.get("properties");
        for name in texts(fact.get("advertises")) {
            let is_shown = properties.is_some_and(|properties| properties.get(&name).is_some());
            demand(is_shown, || format!("{name} is not shown"))?;
        }
        let shown = properties.map_or(0, Value::len);
        demand(count(fact, "property_count").is_none_or(|wanted| wanted == shown), || format!("{shown} properties"))
    }

    fn of_pointers(&self, fact: Value<'_>) -> Result<(), String> {
        let found = |pointer: &str| at(self.schema, pointer);
        if let Some(pointer) = text(fact, "pointer") {
            let value = found(&pointer).ok_or_else(|| format!("nothing stands at {pointer}"))?;
            let is = |name: &str| fact.get(name).map(|wanted| same(wanted, value, Alike::default()));
            demand(is("equals") != Some(false) && is("not_equals") != Some(true), || {
                format!("{pointer} is {}", brief(value))
            })?;
            if let Some(wanted) = fact.get("set_equals") {
                let is_same = wanted.len() == value.len()
                    && wanted.items().all(|one| value.items().any(|other| same(one, other, Alike::default())));
                demand(is_same, || format!("{pointer} is {}", brief(value)))?;
            }
        }
        if let Some(pointer) = text(fact, "pointer_absent") {
            demand(found(&pointer).is_none(), || format!("something stands at {pointer}"))?;
        }
        if let Some(pointer) = text(fact, "pointer_present") {
            demand(found(&pointer).is_some(), || format!("nothing stands at {pointer}"))?;
        }
        let mut pair = fact.get("pointer_not").into_iter().flat_map(Value::items);
        if let (Some(pointer), Some(value)) = (pair.next().and_then(Value::as_str), pair.next()) {
            let is_it = found(&pointer).is_some_and(|found| same(found, value, Alike::default()));
            demand(!is_it, || format!("{pointer} is {}", brief(value)))?;
        }
        Ok(())
    }

    fn of_keywords(&self, fact: Value<'_>, nodes: &[Node<'_>]) -> Result<(), String> {
        let is_of_root = text(fact, "scope").as_deref() == Some("root");
        let nodes = if is_of_root { nodes.get(..1).unwrap_or_default() } else { nodes };
        for keyword in texts(fact.get("no_keyword")) {
            demand(!nodes.iter().any(|node| node.schema.get(&keyword).is_some()), || format!("{keyword} is used"))?;
        }
        if is_true(fact, "refs_resolve") {
            for reference in nodes.iter().filter_map(|node| text(node.schema, "$ref")) {
                let is_there = reference.strip_prefix('#').is_some_and(|pointer| at(self.schema, pointer).is_some());
                demand(is_there, || format!("the reference {reference} leads nowhere"))?;
            }
        }
        Ok(())
    }

    fn of_names(&self, fact: Value<'_>, nodes: &[Node<'_>]) -> Result<(), String> {
        let Some(pattern) = text(fact, "property_keys_match") else { return Ok(()) };
        let mut of_key = ObjectWriter::new();
        of_key.string("pattern", &pattern);
        let schema = format!(r#"{{"properties":{{"key":{}}}}}"#, of_key.end());
        let contract = Contract::from_text(&schema).map_err(|_| "property_keys_match is no pattern".to_owned())?;
        let keys = nodes.iter().filter_map(|node| node.schema.get("properties")).flat_map(Value::members);
        for (key, _) in keys {
            let arguments = format!(r#"{{"key":{}}}"#, key.text());
            let is_match = contract.validate(toolgate::Arguments::from_text(&arguments)).is_ok();
            demand(is_match, || format!("there is a property {}", key.text()))?;
        }
        Ok(())
    }

    fn of_answer(&self, fact: Value<'_>, nodes: &[Node<'_>]) -> Result<(), String> {
        for words in texts(fact.get("not_said")) {
            demand(!self.answer.line().contains(&words), || format!("the answer says {words:?}"))?;
        }
        let answer = self.answer.root();
        if let Some(wanted) = fact.get("renames_reversible") {
            let steps = answer.get("decode").into_iter().flat_map(Value::items);
            let renames = steps.filter(|step| step.get("step").is_some_and(|name| name.is_str("rename"))).count();
            demand(renames >= wanted.len(), || format!("the way back has {renames} renames"))?;
        }
        let described: Vec<String> = nodes.iter().filter_map(|node| text(node.schema, "description")).collect();
        for words in texts(fact.get("description_has")) {
            demand(described.iter().any(|text| text.contains(&words)), || format!("no description says {words:?}"))?;
        }
        let is_noted = answer.get("notes").is_some_and(|notes| !notes.is_empty()) || !described.is_empty();
        demand(!is_true(fact, "noted") || is_noted, || "nothing is noted".into())
    }

    fn of_runs(&self, fact: Value<'_>) -> Result<(), String> {
        if is_true(fact, "deterministic") {
            let again = self.ask.again()?;
            let is_same = again.root().get("schema").is_some_and(|schema| schema.text() == self.schema.text());
            demand(is_same, || "a second run shows other bytes".into())?;
        }
        if is_true(fact, "prove_agrees") {
            let verdict = self.ask.prove(self.schema.text())?;
            demand(verdict == "proven", || format!("`toolgate prove` says {verdict}"))?;
        }
        for (name, wanted) in [("call_accepts", "admitted"), ("call_refuses", "refused")] {
            for arguments in texts(fact.get(name)) {
                let verdict = self.ask.verdict(&arguments)?;
                demand(verdict == wanted, || format!("the call {arguments} is {verdict}"))?;
            }
        }
        Ok(())
    }
}

fn demand(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// The words of an enum.
fn words(schema: Value<'_>) -> Vec<Value<'_>> {
    schema.get("enum").into_iter().flat_map(Value::items).collect()
}

/// A value in a line.
fn brief(value: Value<'_>) -> String {
    let text: String = value.text().chars().take(80).collect();
    if text.len() < value.text().len() { text + "…" } else { text }
}

/// What no position may be.
fn of_all(fact: Value<'_>, nodes: &[Node<'_>]) -> Result<(), String> {
    let never = |name: &str, is_so: &dyn Fn(&Node<'_>) -> bool, why: &str| {
        demand(!is_true(fact, name) || !nodes.iter().any(is_so), || why.to_owned())
    };
    let list = |schema: Value<'_>, name: &str| schema.get(name).filter(|value| value.kind() == Kind::Array).is_some();
    never("no_items_array", &|node| list(node.schema, "items"), "items is a list")?;
    never("no_type_list", &|node| list(node.schema, "type"), "a type is a list")?;
    never(
        "every_array_has_items",
        &|node| {
            let is_array = texts(node.schema.get("type")).iter().any(|kind| kind == "array");
            is_array && node.schema.get("items").is_none() && node.schema.get("prefixItems").is_none()
        },
        "a list has no items",
    )?;
    never(
        "no_boolean_schema",
        &|node| {
            let may_be = matches!(node.keyword, "additionalProperties" | "unevaluatedProperties");
            node.schema.kind() == Kind::Boolean && !may_be
        },
        "a schema is a boolean",
    )?;
    let is_empty = |node: &Node<'_>| node.schema.kind() == Kind::Object && node.schema.is_empty();
    never("no_empty_schema", &is_empty, "a schema is empty")?;
    never(
        "no_boolean_exclusive",
        &|node| {
            let is_boolean = |name| node.schema.get(name).is_some_and(|bound| bound.kind() == Kind::Boolean);
            is_boolean("exclusiveMinimum") || is_boolean("exclusiveMaximum")
        },
        "an exclusive bound is a boolean",
    )?;
    never("not_strict", &|node| is_true(node.schema, "strict"), "a schema is strict")?;
    never(
        "enum_strings_only",
        &|node| {
            let kinds = texts(node.schema.get("type"));
            let words = words(node.schema);
            !words.is_empty()
                && (words.iter().any(|word| word.kind() != Kind::String) || kinds.iter().any(|kind| kind != "string"))
        },
        "an enum has other words than strings",
    )?;
    never(
        "no_empty_enum_word",
        &|node| words(node.schema).iter().any(|word| word.is_str("")),
        "a word of an enum is empty",
    )?;
    if let Some(formats) = fact.get("format_only") {
        let formats = texts(Some(formats));
        let other =
            nodes.iter().filter_map(|node| text(node.schema, "format")).find(|format| !formats.contains(format));
        demand(other.is_none(), || format!("there is a format {}", other.unwrap_or_default()))?;
    }
    let Some(most) = fact.get("no_bound_above").and_then(|most| most.text().parse::<f64>().ok()) else { return Ok(()) };
    for name in ["maxLength", "maxItems", "minLength", "minItems", "maxProperties"] {
        let bounds = nodes.iter().filter_map(|node| node.schema.get(name)?.text().parse::<f64>().ok());
        demand(!bounds.into_iter().any(|bound| bound > most), || format!("a {name} is larger"))?;
    }
    Ok(())
}

fn of_patterns(fact: Value<'_>, nodes: &[Node<'_>]) -> Result<(), String> {
    let patterns: Vec<String> = nodes.iter().filter_map(|node| text(node.schema, "pattern")).collect();
    let never = |name: &str, is_so: &dyn Fn(&str) -> bool, why: &str| {
        let found = patterns.iter().find(|pattern| is_true(fact, name) && is_so(pattern));
        found.map_or(Ok(()), |pattern| Err(format!("{why}: {pattern}")))
    };
    never("no_lookaround", &looks_around, "a pattern looks around")?;
    let is_loose = |pattern: &str| !(pattern.starts_with('^') && pattern.ends_with('$'));
    never("no_unanchored_pattern", &is_loose, "a pattern is not anchored")?;
    never("no_pattern_invalid_in_re2", &is_foreign_to_re2, "RE2 refuses a pattern")
}

fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|sign| pattern.contains(sign))
}

/// Look-around, a reference back, or a bracket inside a class.
fn is_foreign_to_re2(pattern: &str) -> bool {
    let (mut is_escaped, mut in_class) = (false, false);
    let mut has_other = false;
    for ch in pattern.chars() {
        match ch {
            _ if is_escaped => has_other |= ch.is_ascii_digit() && ch != '0',
            '[' => {
                has_other |= in_class;
                in_class = true;
            }
            ']' => in_class = false,
            _ => {}
        }
        is_escaped = ch == '\\' && !is_escaped;
    }
    has_other || looks_around(pattern)
}

/// Whether a schema that is shown admits a value, asked of the checker, which shares no code with what makes the schema: does the
/// schema admit all that equals this value? Nothing where that cannot be told.
pub(super) fn admits(
    advertised: &str,
    member: &str,
    options: &toolgate_proof::Options,
) -> Result<Option<bool>, String> {
    input::document(member).map_err(|unread| format!("a member is not JSON: {}", unread.in_line()))?;
    let contract = format!(r#"{{"const":{member}}}"#);
    let proof = toolgate_proof::prove(&contract, advertised, options).map_err(|fault| fault.to_string())?;
    Ok(match proof.verdict {
        toolgate::Verdict::Proven => Some(true),
        toolgate::Verdict::Refuted { .. } => Some(false),
        _ => None,
    })
}
