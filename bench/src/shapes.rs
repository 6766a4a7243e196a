//! The calls that are measured: five scalars, twenty mixed fields, a 12-variant union, and a call of 200 kB.

use serde_json::{Value, json};

/// A tool and calls of it.
pub struct Shape {
    pub name: &'static str,
    pub schema: Value,
    pub good: String,
    /// Wrong in several places.
    pub bad: String,
}

pub fn all() -> Vec<Shape> {
    vec![scalars(), mixed(), union(12), large()]
}

fn scalars() -> Shape {
    Shape {
        name: "5 scalars",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "minLength": 1 }, "line": { "type": "integer", "minimum": 1 },
                "ratio": { "type": "number" }, "dryRun": { "type": "boolean" }, "mode": { "enum": ["read", "write", "append"] },
            },
            "required": ["path", "line"], "additionalProperties": false,
        }),
        good: r#"{"path":"src/some/module/file_name.rs","line":1284,"ratio":0.75,"dryRun":true,"mode":"append"}"#.into(),
        bad: r#"{"path":7,"ratio":"high","dryrun":true,"mode":"appendix"}"#.into(),
    }
}

fn mixed() -> Shape {
    let mut properties = serde_json::Map::new();
    let mut good = Vec::new();
    for index in 0..20 {
        let (schema, value) = match index % 5 {
            0 => (json!({ "type": "string", "maxLength": 200, "description": "some text about the field" }), "\"a value of some length\"".to_owned()),
            1 => (json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "null" }] }), if index == 6 { "null".into() } else { "4711".into() }),
            2 => (json!({ "type": "array", "items": { "type": "string" }, "maxItems": 10 }), r#"["one","two"]"#.to_owned()),
            3 => (json!({ "enum": ["low", "medium", "high"] }), "\"medium\"".to_owned()),
            _ => (
                json!({ "type": "object", "properties": { "x": { "type": "number" }, "y": { "type": "number" } }, "required": ["x"] }),
                r#"{"x":1.5,"y":-2}"#.to_owned(),
            ),
        };
        properties.insert(format!("field_{index:02}"), schema);
        good.push(format!("\"field_{index:02}\":{value}"));
    }
    let required: Vec<_> = properties.keys().take(8).cloned().collect();
    Shape {
        name: "20 mixed fields",
        schema: json!({ "type": "object", "properties": properties, "required": required }),
        good: format!("{{{}}}", good.join(",")),
        bad: good.join(",").replace("4711", "-1").replace("\"medium\"", "\"max\"").replace("\"x\":1.5,", "").pipe(|text| format!("{{{text},\"fild\":1}}")),
    }
}

trait Pipe: Sized {
    fn pipe<R>(self, f: impl FnOnce(Self) -> R) -> R {
        f(self)
    }
}
impl Pipe for String {}

/// A list of one block of a union of `variants` by `type`.
pub fn union(variants: usize) -> Shape {
    let members: Vec<_> = (0..variants)
        .map(|index| {
            json!({
                "type": "object",
                "properties": {
                    "type": { "const": format!("kind_{index}") },
                    "id": { "type": "string", "minLength": 1 }, "title": { "type": "string" },
                    format!("n_{index}"): { "type": "integer", "minimum": 0 }, "flags": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["type", "id", format!("n_{index}")], "additionalProperties": false,
            })
        })
        .collect();
    let chosen = variants * 3 / 4;
    Shape {
        name: "12-variant union",
        schema: json!({ "type": "object", "properties": { "block": { "oneOf": members } }, "required": ["block"], "additionalProperties": false }),
        good: format!(r#"{{"block":{{"type":"kind_{chosen}","id":"b-17","title":"some title","n_{chosen}":42,"flags":["a","b"]}}}}"#),
        bad: format!(r#"{{"block":{{"type":"kind_{chosen}","title":"some title","n_{chosen}":"many","flagz":["a","b"]}}}}"#),
    }
}

fn large() -> Shape {
    let row = r#"{"id":123456,"name":"some name of a row","score":0.123456,"tags":["alpha","beta","gamma"],"active":true}"#;
    let rows = vec![row; 2_000].join(",");
    Shape {
        name: "200 kB call",
        schema: json!({
            "type": "object",
            "properties": { "rows": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": { "type": "integer" }, "name": { "type": "string" }, "score": { "type": "number" },
                    "tags": { "type": "array", "items": { "type": "string" } }, "active": { "type": "boolean" },
                },
                "required": ["id", "name"],
            } } },
            "required": ["rows"],
        }),
        good: format!(r#"{{"rows":[{rows}]}}"#),
        bad: format!(r#"{{"rows":[{rows},{{"id":"x"}}]}}"#),
    }
}
