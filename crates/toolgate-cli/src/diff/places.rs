//! Where two tool objects differ, place by place: a text that a model reads may have changed where no call did.

use crate::digest::canonical;
use toolgate::json::{Kind, Value};

/// Places of one tool that are listed.
const PLACES_MAX: usize = 200;

/// One place, and what stands there: JSON text, or nothing.
#[derive(Debug, PartialEq)]
pub(super) struct Place {
    /// JSON Pointer into the tool object.
    pub(super) location: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

/// Every place at which they differ, as deep as it can be told, in the order of the new one.
pub(super) fn between(old: Value<'_>, new: Value<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    walk(old, new, &mut String::new(), &mut places);
    places
}

/// As deep as the documents, which are bounded.
fn walk(old: Value<'_>, new: Value<'_>, at: &mut String, places: &mut Vec<Place>) {
    if places.len() >= PLACES_MAX || canonical(old) == canonical(new) {
        return;
    }
    match (old.kind(), new.kind()) {
        (Kind::Object, Kind::Object) => {
            for (name, new) in new.members() {
                let name = name.as_str().unwrap_or_default();
                below(at, &name, |at| match old.get(&name) {
                    Some(old) => walk(old, new, at, places),
                    None => places.push(Place { location: at.clone(), old: None, new: Some(canonical(new)) }),
                });
            }
            for (name, old) in old.members() {
                let name = name.as_str().unwrap_or_default();
                if new.get(&name).is_none() {
                    below(at, &name, |at| {
                        places.push(Place { location: at.clone(), old: Some(canonical(old)), new: None });
                    });
                }
            }
        }
        (Kind::Array, Kind::Array) if old.len() == new.len() => {
            for (index, (old, new)) in old.items().zip(new.items()).enumerate() {
                below(at, &index.to_string(), |at| walk(old, new, at, places));
            }
        }
        _ => places.push(Place { location: at.clone(), old: Some(canonical(old)), new: Some(canonical(new)) }),
    }
}

fn below(at: &mut String, name: &str, then: impl FnOnce(&mut String)) {
    let length = at.len();
    at.push('/');
    at.push_str(&toolgate::pointer_segment(name));
    then(at);
    at.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::document;

    #[test]
    fn places_are_named_as_deep_as_can_be_told() {
        let old = r#"{"name":"a","description":"x","s":{"p/q":{"type":"string"},"gone":1},"l":[1,2],"m":[1]}"#;
        let new = r#"{"name":"a","s":{"p/q":{"type":"number"},"come":[]},"description":"y","l":[1,3],"m":[1,2]}"#;
        let (old, new) = (document(old).unwrap(), document(new).unwrap());
        let places = between(old.root(), new.root());
        let told: Vec<String> = places
            .iter()
            .map(|place| {
                let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                format!("{} {} {}", place.location, text(&place.old), text(&place.new))
            })
            .collect();
        let expected = [
            r#"/s/p~1q/type "string" "number""#,
            "/s/come - []",
            "/s/gone 1 -",
            r#"/description "x" "y""#,
            "/l/1 2 3",
            "/m [1] [1,2]",
        ];
        assert_eq!(told, expected);
        assert!(between(old.root(), old.root()).is_empty());
    }
}
