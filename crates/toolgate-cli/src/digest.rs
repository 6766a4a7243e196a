//! The digest of a tool as a server lists it: over the JSON value, not its spelling, so that a server that writes its members in
//! another order or with other white space has not changed.

use crate::input;
use sha2::{Digest, Sha256};
use toolgate::json::{Kind, Value, push_string};

/// Of one tool object. The digits of numbers count, and so does the order of lists.
pub(crate) fn of_definition(definition: &str) -> String {
    // What is nested too deep to be read is taken as it is written.
    let canonical = input::document(definition).map(|document| canonical(document.root()));
    of_text(canonical.as_deref().unwrap_or(definition))
}

/// Of a list: whatever was added, removed, changed or moved changes it.
pub(crate) fn of_list<'d>(digests: impl Iterator<Item = &'d str>) -> String {
    of_text(&digests.collect::<Vec<_>>().join("\n"))
}

pub(crate) fn of_text(text: &str) -> String {
    of_bytes(text.as_bytes())
}

pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let bytes = Sha256::digest(bytes);
    bytes.iter().fold("sha256:".to_owned(), |digest, byte| digest + &format!("{byte:02x}"))
}

/// The value with its members in the order of their names, and no white space.
pub(crate) fn canonical(value: Value<'_>) -> String {
    let mut out = String::with_capacity(value.text().len());
    push(value, &mut out);
    out
}

/// As deep as the document, which is bounded.
fn push(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            let name = |name: Value<'_>| name.as_str().map(std::borrow::Cow::into_owned).unwrap_or_default();
            let mut members: Vec<(String, Value<'_>)> =
                value.members().map(|(key, value)| (name(key), value)).collect();
            // Of two members of one name, which readers read differently, the order counts.
            members.sort_by(|left, right| left.0.cmp(&right.0));
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_string(out, &name);
                out.push(':');
                push(value, out);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (index, item) in value.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push(item, out);
            }
            out.push(']');
        }
        // A lone surrogate has no text of its own, and stays as it is written.
        Kind::String => match value.as_str() {
            Some(text) => push_string(out, &text),
            None => out.push_str(value.text()),
        },
        _ => out.push_str(value.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_counts_and_not_its_spelling() {
        let digest = of_definition(r#"{"name":"a","x":[1,2.0],"t":"\u0041"}"#);
        assert!(digest.starts_with("sha256:") && digest.len() == 71);
        assert_eq!(digest, of_definition("{ \"x\": [1, 2.0],\n\"t\":\"A\", \"name\": \"a\" }"));
        for other in
            [r#"{"name":"a","x":[2.0,1],"t":"A"}"#, r#"{"name":"a","x":[1,2],"t":"A"}"#, r#"{"name":"a","x":[1,2.0]}"#]
        {
            assert_ne!(digest, of_definition(other), "{other}");
        }
    }
}
