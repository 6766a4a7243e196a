//! Reads JSON text into values that keep every digit and the order of names.
//!
//! Numbers stay the text they were written as: nothing passes through a binary float. A repeated name, a lone surrogate,
//! too deep a nesting, too long a text and a number beyond R1.2's range are refused.

use crate::decimal::Decimal;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Nesting of a document, as deep as the reader recurses.
const DEPTH_MAX: usize = 256;
/// Bytes of one document.
const SIZE_MAX_BYTES: usize = 16 * 1024 * 1024;
const DIGITS_MAX: usize = 1_000;
const EXPONENT_MAX: i64 = 10_000;
/// Up to here a repeated name is found by looking at each earlier one.
const FEW_NAMES: usize = 12;

/// A JSON value; texts without escapes are borrowed from the document.
#[derive(Clone, Debug)]
pub(crate) enum Value<'t> {
    Null,
    Boolean(bool),
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    List(Vec<Value<'t>>),
    Map(Vec<(Cow<'t, str>, Value<'t>)>),
}

impl<'t> Value<'t> {
    pub(crate) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn list(&self) -> Option<&[Value<'t>]> {
        if let Value::List(items) = self { Some(items) } else { None }
    }

    pub(crate) fn map(&self) -> Option<&[(Cow<'t, str>, Value<'t>)]> {
        if let Value::Map(members) = self { Some(members) } else { None }
    }

    pub(crate) fn number(&self) -> Option<Decimal> {
        if let Value::Number(literal) = self { Some(Decimal::read(literal)) } else { None }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Value<'t>> {
        self.map()?.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Equality as JSON Schema means it: numbers by value, objects without order.
    pub(crate) fn same(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(one), Value::Boolean(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => one == other || Decimal::read(one) == Decimal::read(other),
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same(other))
            }
            (Value::Map(one), Value::Map(others)) => {
                one.len() == others.len()
                    && one.iter().zip(others).all(|((name, value), (beside, other))| {
                        // Most often both are in one order, and then nothing is looked for.
                        if name == beside {
                            return value.same(other);
                        }
                        others.iter().find(|(other, _)| other == name).is_some_and(|(_, other)| value.same(other))
                    })
            }
            _ => false,
        }
    }

    /// A hash that equal values share.
    pub(crate) fn fingerprint(&self) -> u64 {
        match self {
            Value::Null => 11,
            Value::Boolean(false) => 12,
            Value::Boolean(true) => 13,
            Value::Number(literal) => mix(14, Decimal::read(literal).fingerprint()),
            Value::Text(text) => mix(15, text_fingerprint(text)),
            Value::List(items) => items.iter().fold(16, |hash, item| mix(hash, item.fingerprint())),
            // A sum does not depend on the order of members.
            Value::Map(members) => members.iter().fold(17, |hash: u64, (name, value)| {
                hash.wrapping_add(mix(text_fingerprint(name), value.fingerprint()))
            }),
        }
    }
}

/// Mixes two hashes into one; the order matters.
pub(crate) fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(5) ^ other).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

pub(crate) fn text_fingerprint(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |hash, byte| mix(hash, u64::from(byte)))
}

impl fmt::Display for Value<'_> {
    /// Writes compact JSON text.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => out.write_str("null"),
            Value::Boolean(value) => write!(out, "{value}"),
            Value::Number(literal) => out.write_str(literal),
            Value::Text(text) => write_text(out, text),
            Value::List(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { "," })?;
                    write!(out, "{item}")?;
                }
                out.write_str("]")
            }
            Value::Map(members) => {
                out.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { "," })?;
                    write_text(out, name)?;
                    write!(out, ":{value}")?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            control if control < ' ' => write!(out, "\\u{:04x}", u32::from(control))?,
            character => write!(out, "{character}")?,
        }
    }
    out.write_str("\"")
}

/// Reads one complete JSON text.
///
/// # Errors
///
/// Says in words what is wrong with the text, and at which byte.
pub(crate) fn read(text: &str) -> Result<Value<'_>, String> {
    if text.len() > SIZE_MAX_BYTES {
        return Err(format!("the text is longer than {SIZE_MAX_BYTES} bytes"));
    }
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    reader.skip_space();
    let value = reader.value(0).and_then(|value| {
        reader.skip_space();
        if reader.at == reader.bytes.len() { Ok(value) } else { Err("there is text after the value") }
    });
    value.map_err(|why| format!("{why}, at byte {}", reader.at))
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

type Read<T> = Result<T, &'static str>;

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Read<()> {
        if self.peek() != Some(byte) {
            return Err("the text is not JSON");
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'t>) -> Read<Value<'t>> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err("the text is not JSON");
        }
        self.at += word.len();
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Read<Value<'t>> {
        if depth > DEPTH_MAX {
            return Err("the text is nested too deep");
        }
        match self.peek() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Value::Text(self.string()?)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Boolean(true)),
            Some(b'f') => self.word("false", Value::Boolean(false)),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Read<Value<'t>> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth + 1)?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => {
                    self.expect(b']')?;
                    return Ok(Value::List(items));
                }
            }
        }
    }

    fn map(&mut self, depth: usize) -> Read<Value<'t>> {
        self.at += 1;
        let mut members: Vec<(Cow<'t, str>, Value<'t>)> = Vec::new();
        let mut seen: HashSet<Cow<'t, str>> = HashSet::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(members));
        }
        loop {
            self.skip_space();
            let name = if self.peek() == Some(b'"') { self.string()? } else { return Err("the text is not JSON") };
            let repeated = if members.len() < FEW_NAMES {
                members.iter().any(|(earlier, _)| *earlier == name)
            } else {
                if seen.is_empty() {
                    seen.extend(members.iter().map(|(earlier, _)| earlier.clone()));
                }
                !seen.insert(name.clone())
            };
            if repeated {
                return Err("a name is repeated in one object");
            }
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            members.push((name, self.value(depth + 1)?));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => {
                    self.expect(b'}')?;
                    return Ok(Value::Map(members));
                }
            }
        }
    }

    fn slice(&self, from: usize, to: usize) -> Read<&'t str> {
        self.text.get(from..to).ok_or("the text is not JSON")
    }

    fn string(&mut self) -> Read<Cow<'t, str>> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        let mut plain_from = start;
        loop {
            match self.peek() {
                None => return Err("a string does not end"),
                Some(b'"') => {
                    let plain = self.slice(plain_from, self.at)?;
                    self.at += 1;
                    return Ok(match owned {
                        None => Cow::Borrowed(plain),
                        Some(mut text) => {
                            text.push_str(plain);
                            Cow::Owned(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let plain = self.slice(plain_from, self.at)?;
                    let text = owned.get_or_insert_default();
                    text.push_str(plain);
                    self.at += 1;
                    let character = self.escape()?;
                    text.push(character);
                    plain_from = self.at;
                }
                Some(control) if control < b' ' => return Err("a string holds a raw control character"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let letter = self.peek().ok_or("a string does not end")?;
        self.at += 1;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                let code = match unit {
                    0xd800..=0xdbff => {
                        self.expect(b'\\').map_err(|_| "a surrogate stands alone")?;
                        self.expect(b'u').map_err(|_| "a surrogate stands alone")?;
                        let low = self.hex()?;
                        if !(0xdc00..=0xdfff).contains(&low) {
                            return Err("a surrogate stands alone");
                        }
                        0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                    }
                    unit => unit,
                };
                char::from_u32(code).ok_or("a surrogate stands alone")?
            }
            _ => return Err("an escape is not JSON"),
        })
    }

    fn hex(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("an escape is not JSON")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("an escape is not JSON");
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| "an escape is not JSON")
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Read<Value<'t>> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let mut count = self.digits();
        if count == 0 || (leading_zero && count > 1) {
            return Err("the text is not JSON");
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            match self.digits() {
                0 => return Err("the text is not JSON"),
                fraction => count += fraction,
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            let from = self.at;
            if self.digits() == 0 {
                return Err("the text is not JSON");
            }
            let exponent = self.slice(from, self.at)?.trim_start_matches('0');
            let beyond = exponent.len() > 5 || exponent.parse::<i64>().is_ok_and(|exponent| exponent > EXPONENT_MAX);
            if beyond {
                return Err("a number is out of range");
            }
        }
        if count > DIGITS_MAX {
            return Err("a number is out of range");
        }
        Ok(Value::Number(Cow::Borrowed(self.slice(start, self.at)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let said = read(text).unwrap_err();
        assert!(said.contains(why), "{text:?}: {said}");
    }

    #[test]
    fn digits_and_order_are_kept() {
        let text = r#"{"b":1e400,"a":[12345678901234567890,-0,0.10],"":null,"__proto__":true}"#;
        assert_eq!(read(text).unwrap().to_string(), text);
    }

    #[test]
    fn repeated_names_are_refused_at_any_depth() {
        refused(r#"{"a":1,"a":1}"#, "repeated");
        refused(r#"[{"b":{"\u0061":1,"a":2}}]"#, "repeated");
        let many: Vec<_> = (0..40).map(|number| format!("\"k{number}\":1")).collect();
        assert!(read(&format!("{{{}}}", many.join(","))).is_ok());
        refused(&format!("{{{},\"k7\":1}}", many.join(",")), "repeated");
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            "01",
            "1.",
            ".5",
            "+1",
            "nul",
            "[1,]",
            "{,}",
            "{\"a\" 1}",
            "\"\n\"",
            "1 2",
            "NaN",
            "'a'",
            "[",
            "{\"a\":",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        refused(r#""\ud800""#, "surrogate");
        refused(r#""\ud800\u0041""#, "surrogate");
        refused(r#""\udc00""#, "surrogate");
    }

    #[test]
    fn growth_is_bounded() {
        refused(&"[".repeat(5_000), "deep");
        refused("1e10001", "range");
        refused(&"9".repeat(1_001), "range");
        assert!(read("1e-10000").is_ok());
    }

    #[test]
    fn equality_is_by_value() {
        let same = |one: &str, other: &str| {
            let (one, other) = (read(one).unwrap(), read(other).unwrap());
            assert_eq!(one.same(&other), one.fingerprint() == other.fingerprint());
            one.same(&other)
        };
        assert!(same("1", "1.0"));
        assert!(same(r#"{"a":1,"b":[2]}"#, r#"{"b":[2e0],"a":1}"#));
        assert!(!same(r#"{"a":1}"#, r#"{"a":1,"b":1}"#));
        assert!(!same("0", "false"));
        assert!(!same("9007199254740993", "9007199254740992"));
    }

    #[test]
    fn escapes_are_read_and_written() {
        assert_eq!(read(r#""\u00e9\ud83d\ude00\n\"\\\u0001""#).unwrap().to_string(), "\"é😀\\n\\\"\\\\\\u0001\"");
    }
}
