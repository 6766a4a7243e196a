//! JSON values as a case compares them: numbers by value or by their digits, members in any order or in the same.

use toolgate::json::{Kind, Value};

/// How alike two values must be.
#[derive(Clone, Copy, Default)]
pub(super) struct Alike {
    /// Every number with the same digits; else by value.
    pub(super) digits: bool,
    /// Members in the same order.
    pub(super) order: bool,
}

/// Whether two values are the same. As deep as the documents, which are bounded.
pub(super) fn same(one: Value<'_>, other: Value<'_>, alike: Alike) -> bool {
    if one.kind() != other.kind() {
        return false;
    }
    match one.kind() {
        Kind::Number if alike.digits => one.text() == other.text(),
        Kind::Number => Number::read(one.text()) == Number::read(other.text()),
        Kind::String => one.as_str() == other.as_str() && (one.as_str().is_some() || one.text() == other.text()),
        Kind::Array => {
            one.len() == other.len() && one.items().zip(other.items()).all(|(one, other)| same(one, other, alike))
        }
        Kind::Object if alike.order => {
            let mut both = one.members().zip(other.members());
            one.len() == other.len()
                && both.all(|((name, one), (key, other))| name.as_str() == key.as_str() && same(one, other, alike))
        }
        Kind::Object => {
            one.len() == other.len()
                && one.members().all(|(name, one)| {
                    let name = name.as_str().unwrap_or_default();
                    other.get(&name).is_some_and(|other| same(one, other, alike))
                })
        }
        Kind::Null | Kind::Boolean => one.text() == other.text(),
    }
}

/// A number by its digits and its exponent; nothing is expanded.
#[derive(PartialEq, Eq)]
struct Number {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Number {
    fn read(text: &str) -> Number {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Number { is_negative: false, digits: String::new(), exponent: 0 };
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(trailing).unwrap_or(0) - i64::try_from(fraction.len()).unwrap_or(0);
        Number { is_negative, digits: digits.to_owned(), exponent: exponent.saturating_add(shift) }
    }
}

/// Every string in it, names of members too.
pub(super) fn strings(value: Value<'_>) -> Vec<String> {
    let mut found = Vec::new();
    push_strings(value, &mut found);
    found
}

fn push_strings(value: Value<'_>, found: &mut Vec<String>) {
    found.extend(value.as_str().map(std::borrow::Cow::into_owned));
    for (name, inner) in value.members() {
        push_strings(name, found);
        push_strings(inner, found);
    }
    value.items().for_each(|item| push_strings(item, found));
}

/// The strings of a list, or the one that stands in its place.
pub(super) fn texts(value: Option<Value<'_>>) -> Vec<String> {
    let text = |value: Value<'_>| value.as_str().map(std::borrow::Cow::into_owned);
    value.map(|value| text(value).into_iter().chain(value.items().filter_map(text)).collect()).unwrap_or_default()
}

/// A member that is a string.
pub(super) fn text(object: Value<'_>, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(std::borrow::Cow::into_owned)
}

/// Whether a member is `true`.
pub(super) fn is_true(object: Value<'_>, name: &str) -> bool {
    object.get(name).and_then(Value::as_bool) == Some(true)
}

/// A member that counts something.
pub(super) fn count(object: Value<'_>, name: &str) -> Option<usize> {
    object.get(name)?.text().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;

    #[track_caller]
    fn check(one: &str, other: &str, alike: Alike, expected: bool) {
        let (one, other) = (input::document(one).unwrap(), input::document(other).unwrap());
        assert_eq!(same(one.root(), other.root(), alike), expected);
    }

    #[test]
    fn numbers_are_the_same_by_value_or_by_digits() {
        let (value, digits) = (Alike::default(), Alike { digits: true, order: false });
        for (one, other) in [("1", "1.0"), ("100", "1e2"), ("0.5", "5E-1"), ("-0", "0.0"), ("10.50", "1.05e1")] {
            check(one, other, value, true);
            check(one, other, digits, false);
        }
        check("9007199254740993", "9007199254740992", value, false);
        check("1", "-1", value, false);
        check("1.50", "1.50", digits, true);
    }

    #[test]
    fn members_are_the_same_in_any_order_unless_it_counts() {
        check(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, Alike::default(), true);
        check(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, Alike { digits: false, order: true }, false);
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, Alike::default(), false);
        check(r#"{"a":1,"c":2}"#, r#"{"a":1,"b":2}"#, Alike::default(), false);
        check("[1,2]", "[2,1]", Alike::default(), false);
    }
}
