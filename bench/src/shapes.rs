//! The calls that are measured: five scalars, twenty mixed fields, a 12-variant union, a call of 200 kB, and families that
//! grow. Schemas are text in their author's order, as a server sends them.

use serde_json::{Value, json};

/// A tool and calls of it.
pub struct Shape {
    pub name: String,
    pub schema: String,
    pub good: String,
    /// Wrong in several places.
    pub bad: String,
    /// The good call with one member wrong, as most refused calls are.
    pub slip: String,
}

impl Shape {
    /// The schema as the validators take it that are compared.
    pub fn schema_value(&self) -> Value {
        serde_json::from_str(&self.schema).expect("a schema is JSON")
    }

    /// Times that it is repeated in one batch: a batch is to last some hundred microseconds at least.
    pub fn batch(&self) -> usize {
        if self.good.len() > 10_000 { 5 } else { 500 }
    }
}

/// The shapes of the tables.
pub fn all() -> Vec<Shape> {
    vec![scalars(), mixed(), union(12), large()]
}

/// A shape by its name, those of the growing families included.
pub fn find(name: &str) -> Shape {
    let words: Vec<_> = name.split(' ').collect();
    match words.as_slice() {
        ["union", variants] => union(variants.parse().expect("a number")),
        ["items", count] => items(count.parse().expect("a number"), &|index| format!(r#"{{"id":{index},"name":"n"}}"#)),
        ["edits", count] => {
            items(count.parse().expect("a number"), &|index| format!(r#"{{"id":"{index}","name":"n"}}"#))
        }
        ["map", count] => map(count.parse().expect("a number")),
        _ => all().into_iter().find(|shape| shape.name == name).expect("a shape"),
    }
}

/// All shapes as JSON, for the comparison in Node.
pub fn to_json() -> Value {
    let shapes = all().into_iter().map(
        |shape| json!({ "name": shape.name, "schema": shape.schema_value(), "good": shape.good, "bad": shape.bad }),
    );
    shapes.collect()
}

fn scalars() -> Shape {
    let good = r#"{"path":"src/some/module/file_name.rs","line":1284,"ratio":0.75,"dryRun":true,"mode":"append"}"#;
    Shape {
        name: "5 scalars".into(),
        schema: r#"{"type":"object","properties":{"path":{"type":"string","minLength":1},"line":{"type":"integer","minimum":1},
            "ratio":{"type":"number"},"dryRun":{"type":"boolean"},"mode":{"enum":["read","write","append"]}},
            "required":["path","line"],"additionalProperties":false}"#
            .into(),
        good: good.into(),
        bad: r#"{"path":7,"ratio":"high","dryrun":true,"mode":"appendix"}"#.into(),
        slip: good.replace("0.75", r#""high""#),
    }
}

/// Four times five kinds of field; the arguments in the schema's order.
fn mixed() -> Shape {
    const KINDS: [(&str, &str); 5] = [
        (
            r#"{"type":"string","maxLength":200,"description":"some text about the field"}"#,
            r#""a value of some length""#,
        ),
        (r#"{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}"#, "4711"),
        (r#"{"type":"array","items":{"type":"string"},"maxItems":10}"#, r#"["one","two"]"#),
        (r#"{"enum":["low","medium","high"]}"#, r#""medium""#),
        (
            r#"{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]}"#,
            r#"{"x":1.5,"y":-2}"#,
        ),
    ];
    let fields = (0..20).map(|index| (format!("field_{index:02}"), KINDS[index % KINDS.len()]));
    let fields: Vec<_> = fields.map(|(name, (schema, value))| (name, schema, value)).collect();
    let properties: Vec<_> = fields.iter().map(|(name, schema, _)| format!(r#""{name}":{schema}"#)).collect();
    let required: Vec<_> = fields.iter().take(8).map(|(name, ..)| format!(r#""{name}""#)).collect();
    let value_of = |name: &str, value: &str| if name == "field_06" { "null".to_owned() } else { value.to_owned() };
    let members: Vec<_> =
        fields.iter().map(|(name, _, value)| format!(r#""{name}":{}"#, value_of(name, value))).collect();
    let good = members.join(",");
    let bad = good.replace("4711", "-1").replace(r#""medium""#, r#""max""#).replace(r#""x":1.5,"#, "");
    Shape {
        name: "20 mixed fields".into(),
        schema: format!(
            r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#,
            properties.join(","),
            required.join(",")
        ),
        good: format!("{{{good}}}"),
        bad: format!("{{{bad},\"fild\":1}}"),
        slip: format!("{{{}}}", good.replacen(r#""medium""#, r#""max""#, 1)),
    }
}

/// One block of a union of `variants` told apart by `type`.
fn union(variants: usize) -> Shape {
    let members: Vec<_> = (0..variants).map(variant).collect();
    let chosen = variants * 3 / 4;
    let call = |count: &str| {
        format!(
            r#"{{"block":{{"type":"kind_{chosen}","id":"b-17","title":"some title","n_{chosen}":{count},"flags":["a","b"]}}}}"#
        )
    };
    Shape {
        name: format!("{variants}-variant union"),
        schema: format!(
            r#"{{"type":"object","properties":{{"block":{{"oneOf":[{}]}}}},"required":["block"],"additionalProperties":false}}"#,
            members.join(",")
        ),
        good: call("42"),
        bad: format!(
            r#"{{"block":{{"type":"kind_{chosen}","title":"some title","n_{chosen}":"many","flagz":["a","b"]}}}}"#
        ),
        slip: call(r#""many""#),
    }
}

fn variant(index: usize) -> String {
    format!(
        r#"{{"type":"object","properties":{{"type":{{"const":"kind_{index}"}},"id":{{"type":"string","minLength":1}},
            "title":{{"type":"string"}},"n_{index}":{{"type":"integer","minimum":0}},
            "flags":{{"type":"array","items":{{"type":"string"}}}}}},
            "required":["type","id","n_{index}"],"additionalProperties":false}}"#
    )
}

/// A call of 200 kB: 2,000 rows.
fn large() -> Shape {
    let row =
        r#"{"id":123456,"name":"some name of a row","score":0.123456,"tags":["alpha","beta","gamma"],"active":true}"#;
    let rows = vec![row; 2_000].join(",");
    let wrong = |row: &str| format!(r#"{{"rows":[{rows},{row}]}}"#);
    Shape {
        name: "200 kB call".into(),
        schema: r#"{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{
            "id":{"type":"integer"},"name":{"type":"string"},"score":{"type":"number"},
            "tags":{"type":"array","items":{"type":"string"}},"active":{"type":"boolean"}},
            "required":["id","name"]}}},"required":["rows"]}"#
            .into(),
        good: format!(r#"{{"rows":[{rows}]}}"#),
        bad: wrong(r#"{"id":"x"}"#),
        slip: wrong(r#"{"id":"x","name":"n"}"#),
    }
}

/// A list of `count` objects. In the refused call each of them has one fault.
fn items(count: usize, item: &dyn Fn(usize) -> String) -> Shape {
    const WRONG: &str = r#"{"id":"x","name":"n"}"#;
    let list = |item: &dyn Fn(usize) -> String| {
        format!(r#"{{"rows":[{}]}}"#, (0..count).map(item).collect::<Vec<_>>().join(","))
    };
    Shape {
        name: format!("items {count}"),
        schema: r#"{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object",
            "properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}}},"required":["rows"]}"#
            .into(),
        good: list(item),
        bad: list(&|_| WRONG.to_owned()),
        slip: list(&|index| if index + 1 == count { WRONG.to_owned() } else { item(index) }),
    }
}

/// One object of `count` keys, none of them declared. In the refused call each value is wrong.
fn map(count: usize) -> Shape {
    let object = |value: &dyn Fn(usize) -> &'static str| {
        let members: Vec<_> = (0..count).map(|index| format!(r#""key_{index}":{}"#, value(index))).collect();
        format!(r#"{{"map":{{{}}}}}"#, members.join(","))
    };
    Shape {
        name: format!("map {count}"),
        schema: r#"{"type":"object","properties":{"map":{"type":"object","additionalProperties":{"type":"integer"}}}}"#
            .into(),
        good: object(&|_| "1"),
        bad: object(&|_| r#""x""#),
        slip: object(&|index| if index + 1 == count { r#""x""# } else { "1" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::{Arguments, Contract};

    #[test]
    fn every_shape_admits_its_good_call_and_refuses_its_bad_ones() {
        let names = ["union 10", "items 10", "edits 10", "map 10"];
        for shape in all().into_iter().chain(names.into_iter().map(find)) {
            let contract = Contract::from_text(&shape.schema).unwrap();
            assert!(contract.check(Arguments::from_text(&shape.good)).is_ok(), "{}", shape.name);
            let refused = |text: &str| contract.check(Arguments::from_text(text)).unwrap_err().violations().len();
            assert!(refused(&shape.bad) > 1, "{}", shape.name);
            assert_eq!(refused(&shape.slip), 1, "{}", shape.name);
        }
    }

    #[test]
    fn the_edited_call_has_an_edit_an_item() {
        let shape = find("edits 25");
        let contract = Contract::from_text(&shape.schema).unwrap();
        assert_eq!(contract.check(Arguments::from_text(&shape.good)).unwrap().edits().len(), 25);
    }
}
