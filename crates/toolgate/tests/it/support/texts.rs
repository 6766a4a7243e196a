//! JSON as text, in any order of members and any spelling of numbers that means the same.

use super::tape::Tape;
use serde_json::Value;

/// How a value is spelled; the value is the same.
pub(crate) struct Spelling<'t> {
    pub(crate) reversed: bool,
    /// Chooses white space and the spelling of numbers; none: compact, as `serde_json` writes them.
    pub(crate) tape: Option<&'t mut Tape>,
}

pub(crate) fn compact(value: &Value) -> String {
    value.to_string()
}

/// Members of every object in reverse order.
pub(crate) fn reversed(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut Spelling { reversed: true, tape: None }, &mut out);
    out
}

/// White space here and there, and numbers as `5`, `5.0` or `5e0`.
pub(crate) fn varied(value: &Value, tape: &mut Tape) -> String {
    let mut out = String::new();
    let reversed = tape.once_in(2);
    write(value, &mut Spelling { reversed, tape: Some(tape) }, &mut out);
    out
}

fn write(value: &Value, spelling: &mut Spelling<'_>, out: &mut String) {
    space(spelling, out);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, spelling, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            if spelling.reversed {
                members.reverse();
            }
            out.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(member, spelling, out);
            }
            out.push('}');
        }
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            out.push_str(&number.to_string());
            out.push_str(spelling.tape.as_mut().map_or("", |tape| choose(tape, &["", "", ".0", "e0", ".00E+0"])));
        }
        other => out.push_str(&other.to_string()),
    }
    space(spelling, out);
}

fn space(spelling: &mut Spelling<'_>, out: &mut String) {
    if let Some(tape) = &mut spelling.tape {
        out.push_str(choose(tape, &["", "", "", " ", "\t", "\n"]));
    }
}

fn choose(tape: &mut Tape, texts: &[&'static str]) -> &'static str {
    texts[tape.below(texts.len())]
}
