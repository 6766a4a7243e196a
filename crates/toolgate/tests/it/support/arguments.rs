//! Arguments made from a schema and a tape: what it admits, the same written as text, and the same gone wrong.

use super::members::{Maker, Size};
use super::tape::Tape;
use serde_json::{Value, json};

/// Something near what the schema admits: a member, often with some values as text, sometimes with faults.
pub(crate) fn arguments(schema: &Value, bytes: &[u8]) -> Value {
    let mut tape = Tape::new(bytes);
    let shift = tape.below(3);
    let faults = tape.below(4);
    let texts = tape.below(5);
    let middle = bytes.len() / 2;
    let mut value =
        Maker::new(schema, Size::Tape, Tape::new(&bytes[middle..]), shift).make().unwrap_or_else(|| json!({}));
    for _ in 0..texts {
        as_text(&mut value, &mut tape);
    }
    for _ in 0..faults.saturating_sub(1) {
        spoil(&mut value, &mut tape);
    }
    value
}

/// Writes one value inside as JSON text.
fn as_text(value: &mut Value, tape: &mut Tape) {
    at_random(value, tape, &mut |place, _| {
        if !place.is_string() {
            *place = Value::String(place.to_string());
        }
    });
}

/// Makes one thing wrong, or other than it was.
pub(crate) fn spoil(value: &mut Value, tape: &mut Tape) {
    at_random(value, tape, &mut |place, tape| {
        let others = [
            json!(null),
            json!(true),
            json!(5),
            json!(-3),
            json!(2.5),
            json!("text"),
            json!(""),
            json!([]),
            json!({}),
            json!("null"),
            json!("5"),
            json!("1.0"),
            json!("1e3"),
            json!(" 5"),
            json!("true"),
            json!("[1]"),
            json!("[\"x\"]"),
            json!("[\"x\""),
            json!("{\"a\":\"1\"}"),
            json!("{\"a\":1,\"a\":2}"),
            json!("\"\\ud800\""),
            json!(["x"]),
            json!({ "a": "1" }),
        ];
        match (tape.below(5), &mut *place) {
            (0, Value::Object(members)) if !members.is_empty() => {
                let name = members.keys().nth(tape.below(members.len())).cloned().unwrap();
                members.remove(&name);
            }
            (1, Value::Object(members)) => {
                let name = ["zz", "A", "__proto__", "", "x-y", "lis"][tape.below(6)];
                members.insert(name.to_owned(), others[tape.below(others.len())].clone());
            }
            (2, Value::Array(items)) => {
                items.push(others[tape.below(others.len())].clone());
            }
            (3, _) => *place = json!([place.clone()]),
            _ => *place = others[tape.below(others.len())].clone(),
        }
    });
}

/// Visits one value below the root; the root itself stays an object.
fn at_random(value: &mut Value, tape: &mut Tape, visit: &mut dyn FnMut(&mut Value, &mut Tape)) {
    let count = count(value);
    if count < 2 {
        if let Value::Object(members) = value {
            members.insert("a".to_owned(), json!(1));
        }
        return;
    }
    let mut left = 1 + tape.below(count - 1);
    go(value, &mut left, tape, visit);
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

fn go(value: &mut Value, left: &mut usize, tape: &mut Tape, visit: &mut dyn FnMut(&mut Value, &mut Tape)) -> bool {
    if *left == 0 {
        visit(value, tape);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| go(item, left, tape, visit)),
        Value::Object(members) => members.values_mut().any(|member| go(member, left, tape, visit)),
        _ => false,
    }
}

/// Every string and number inside, and every name that is not `declared`, replaced by what must never be shown.
pub(crate) fn planted(value: &Value, declared: &dyn Fn(&str) -> bool, secret: &Secret) -> Value {
    match value {
        Value::String(_) => json!(secret.text),
        Value::Number(_) => json!(secret.number),
        Value::Array(items) => items.iter().map(|item| planted(item, declared, secret)).collect(),
        Value::Object(members) => {
            let mut planted_members = serde_json::Map::new();
            for (name, member) in members {
                let name = if declared(name) { name.clone() } else { format!("{name}{}", secret.long_name()) };
                planted_members.insert(name, planted(member, declared, secret));
            }
            Value::Object(planted_members)
        }
        other => other.clone(),
    }
}

pub(crate) struct Secret {
    pub(crate) text: &'static str,
    pub(crate) number: i64,
    pub(crate) tail: &'static str,
}

impl Secret {
    /// A name whose secret stands beyond the 64 characters that may be shown.
    fn long_name(&self) -> String {
        format!("{}{}", "n".repeat(64), self.tail)
    }
}
