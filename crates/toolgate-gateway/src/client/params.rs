//! Arguments that a tool wants to see in the head of its request, too (2026-07-28): those whose schema says `x-mcp-header`.

use super::read;
use toolgate::json::{Kind, Value};

/// Properties inside properties that are looked through.
const DEPTH_MAX: usize = 32;
/// Headers of one call.
const HEADERS_MAX: usize = 64;

/// The headers that the arguments fill, by the names that the schema gives them.
pub(super) fn headers(schema: &str, arguments: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let (Some(schema), Some(arguments)) = (read(schema), read(arguments)) {
        collect(schema.root(), arguments.root(), DEPTH_MAX, &mut found);
    }
    found
}

fn collect(schema: Value<'_>, arguments: Value<'_>, depth: usize, found: &mut Vec<(String, String)>) {
    for (name, property) in schema.get("properties").into_iter().flat_map(Value::members) {
        let Some(value) = name.as_str().and_then(|name| arguments.get(&name)) else { continue };
        let header = property.get("x-mcp-header").and_then(Value::as_str).filter(|header| is_token(header));
        let text = match value.kind() {
            Kind::String => value.as_str().map(std::borrow::Cow::into_owned),
            Kind::Number | Kind::Boolean => Some(value.text().to_owned()),
            _ => None,
        };
        if let (Some(header), Some(text)) = (header, text)
            && found.len() < HEADERS_MAX
        {
            found.push((format!("Mcp-Param-{header}"), super::http::header_value(&text)));
        }
        if depth > 0 {
            collect(property, value, depth - 1, found);
        }
    }
}

/// What the name of a header can be made of.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_scalars_that_are_given_are_told() {
        let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"x-mcp-header":"N"},"none":{"x-mcp-header":"None"},
            "bad":{"x-mcp-header":"a b"},"list":{"x-mcp-header":"L"},"o":{"properties":{"deep":{"x-mcp-header":"Deep"}}},"plain":{}}}"#;
        let arguments = r#"{"region":"ü","n":1.50,"bad":"x","list":[1],"o":{"deep":true},"plain":"SECRET"}"#;
        let expected = [("Mcp-Param-Region", "=?base64?w7w=?="), ("Mcp-Param-N", "1.50"), ("Mcp-Param-Deep", "true")];
        assert_eq!(headers(schema, arguments), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
