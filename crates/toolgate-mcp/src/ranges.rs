//! Integers of Rust's types have a range, and their derived schemas name only the type: the contract holds the range, so that
//! what does not fit is refused in words and not by the handler's type.

use rmcp::model::JsonObject;
use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Number, Value};

/// The schema with the range of every integer format.
pub(crate) fn tightened(schema: &JsonObject) -> JsonObject {
    let mut schema = Schema::from(schema.clone());
    Tighten.transform(&mut schema);
    schema.as_object().cloned().unwrap_or_default()
}

struct Tighten;

impl Transform for Tighten {
    fn transform(&mut self, schema: &mut Schema) {
        let range = schema.get("format").and_then(Value::as_str).and_then(range);
        if let Some((minimum, maximum)) = range.filter(|_| is_integer(schema)) {
            // A bound that the author has written is the tighter one, or contradicts the type.
            let mut bound = |keyword: &str, exclusive: &str, bound: Number| {
                if schema.get(keyword).is_none() && schema.get(exclusive).is_none() {
                    schema.insert(keyword.to_owned(), Value::Number(bound));
                }
            };
            bound("minimum", "exclusiveMinimum", minimum);
            bound("maximum", "exclusiveMaximum", maximum);
        }
        transform_subschemas(self, schema);
    }
}

fn is_integer(schema: &Schema) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "integer",
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind == "integer" || kind == "null"),
        _ => false,
    }
}

/// Of the formats that are derived for Rust's types; those of 128 bits are wider than what this number type holds.
fn range(format: &str) -> Option<(Number, Number)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0.into(), u8::MAX.into()),
        "uint16" => (0.into(), u16::MAX.into()),
        "uint32" => (0.into(), u32::MAX.into()),
        "uint64" | "uint" => (0.into(), u64::MAX.into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Numbers {
        small: i8,
        wide: Option<i32>,
        unsigned: u64,
        #[schemars(range(min = 1, max = 5))]
        own: i32,
        list: Vec<u16>,
        float: f32,
    }

    #[test]
    fn every_integer_has_the_range_of_its_type() {
        let schema = schemars::SchemaGenerator::default().into_root_schema_for::<Numbers>();
        let tight = Value::Object(tightened(schema.as_object().unwrap()));
        let property = |name: &str| &tight["properties"][name];
        assert_eq!((&property("small")["minimum"], &property("small")["maximum"]), (&json!(-128), &json!(127)));
        assert_eq!(property("wide")["maximum"], 2_147_483_647);
        assert_eq!(property("unsigned")["maximum"], u64::MAX);
        assert_eq!((&property("own")["minimum"], &property("own")["maximum"]), (&json!(1), &json!(5)));
        assert_eq!(property("list")["items"]["maximum"], 65_535);
        assert!(property("float").get("maximum").is_none());
    }

    #[test]
    fn words_that_are_no_schema_are_left_alone() {
        let schema = json!({"properties": {"a": {"default": {"type": "integer", "format": "int8"}}}});
        assert_eq!(Value::Object(tightened(schema.as_object().unwrap())), schema);
    }
}
