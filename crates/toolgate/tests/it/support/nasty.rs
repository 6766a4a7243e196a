//! Schemas of every keyword beside every other, in names that trip over pointers, patterns and readers.

use super::tape::Tape;
use serde_json::{Map, Value, json};

const NAMES: [&str; 14] =
    ["a", "b", "kind", "a/b", "~t", "", "ä", "a_b", "A", "x-1", "tokens[]", "a b", "*", "__proto__"];
const PATTERNS: [&str; 9] = ["^a", "b$", "^[a-c]+$", "a|b", "^x-", "^.{2,}$", ".", "^$", "^(a|b)$"];
const NUMBERS: [&str; 10] = ["0", "1", "1.0", "2", "-3", "0.5", "1e2", "1e300", "0.1", "-0.0"];
const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// Makes documents of one style.
pub(crate) struct Nasty<'t> {
    tape: &'t mut Tape,
    is_draft7: bool,
    /// Closed objects for the most part, which strict readers take.
    is_strict: bool,
    definitions: usize,
}

/// A whole document.
pub(crate) fn nasty(tape: &mut Tape) -> Value {
    let is_strict = tape.once_in(3);
    let is_draft7 = tape.once_in(5) && !is_strict;
    let definitions = tape.below(3);
    let mut nasty = Nasty { tape, is_draft7, is_strict, definitions };
    let mut root = json!({ "type": "object", "properties": nasty.properties(3) });
    if is_strict {
        root["additionalProperties"] = json!(false);
    } else {
        let root = root.as_object_mut().unwrap();
        for _ in 0..nasty.tape.below(4) {
            nasty.keyword(3, root);
        }
    }
    if is_draft7 {
        root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    }
    let keyword = if is_draft7 { "definitions" } else { "$defs" };
    root[keyword] = (0..definitions).map(|n| (format!("d{n}"), nasty.schema(2))).collect::<Map<_, _>>().into();
    root
}

impl Nasty<'_> {
    fn name(&mut self) -> String {
        if self.tape.once_in(40) {
            return "n".repeat(70);
        }
        let count = if self.tape.once_in(3) { NAMES.len() } else { 3 };
        NAMES[self.tape.below(count)].to_owned()
    }

    fn number(&mut self) -> Value {
        serde_json::from_str(NUMBERS[self.tape.below(NUMBERS.len())]).unwrap()
    }

    fn scalar(&mut self) -> Value {
        match self.tape.below(8) {
            0 => json!(null),
            1 => json!(self.tape.once_in(2)),
            2..=4 => self.number(),
            _ => json!(self.tape.pick(&["a", "A", "1", "b", "null", "true", "x"])),
        }
    }

    fn value(&mut self) -> Value {
        match self.tape.below(8) {
            0 => json!([]),
            1 => json!({}),
            2 => json!([self.scalar()]),
            3 => {
                let name = self.name();
                json!({ name: self.scalar() })
            }
            _ => self.scalar(),
        }
    }

    fn properties(&mut self, depth: usize) -> Value {
        (0..1 + self.tape.below(3)).map(|_| (self.name(), self.schema(depth - 1))).collect::<Map<_, _>>().into()
    }

    fn schemas(&mut self, depth: usize) -> Value {
        (0..1 + self.tape.below(3)).map(|_| self.schema(depth - 1)).collect()
    }

    fn names(&mut self) -> Value {
        let mut names: Vec<String> = (0..1 + self.tape.below(2)).map(|_| self.name()).collect();
        names.sort();
        names.dedup();
        json!(names)
    }

    fn reference(&mut self) -> Value {
        let keyword = if self.is_draft7 { "definitions" } else { "$defs" };
        match self.definitions {
            0 => json!("#"),
            count => json!(format!("#/{keyword}/d{}", self.tape.below(count))),
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth == 0 {
            return match self.tape.below(6) {
                0 => json!(true),
                1 => json!({}),
                2 => json!({ "const": self.scalar() }),
                _ => json!({ "type": self.tape.pick(&KINDS[..5]) }),
            };
        }
        if self.is_strict {
            return self.strict(depth);
        }
        match self.tape.below(14) {
            0 => json!(true),
            1 => json!(false),
            _ => {
                let mut schema = Map::new();
                for _ in 0..1 + self.tape.below(3) {
                    self.keyword(depth, &mut schema);
                }
                schema.into()
            }
        }
    }

    fn strict(&mut self, depth: usize) -> Value {
        match self.tape.below(11) {
            0..=4 => {
                let properties = self.properties(depth);
                let names = properties.as_object().unwrap().keys().cloned();
                let required: Vec<String> = names.filter(|_| self.tape.once_in(2)).collect();
                let kinds = if self.tape.once_in(4) { json!(["object", "null"]) } else { json!("object") };
                let mut object = json!({ "type": kinds, "properties": properties, "required": required });
                if !self.tape.once_in(5) {
                    object["additionalProperties"] = json!(false);
                }
                object
            }
            5 => json!({ "enum": (0..1 + self.tape.below(4)).map(|_| self.scalar()).collect::<Vec<_>>() }),
            6 => json!({ "type": "array", "items": self.schema(depth - 1) }),
            7 => json!({ "anyOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            8 => json!({ "anyOf": [self.schema(depth - 1), { "type": "null" }] }),
            9 => json!({ "$ref": self.reference() }),
            _ => json!({ "type": ["string", "integer"], "minLength": 1 }),
        }
    }

    fn keyword(&mut self, depth: usize, schema: &mut Map<String, Value>) {
        let below = depth - 1;
        let (keyword, value) = match self.tape.below(34) {
            0 => ("type", json!(self.tape.pick(&KINDS))),
            1 => ("type", json!([*self.tape.pick(&KINDS[..4]), *self.tape.pick(&KINDS[4..])])),
            2..=4 => ("properties", self.properties(depth)),
            5 => ("required", self.names()),
            6 => ("additionalProperties", if self.tape.once_in(2) { json!(false) } else { self.schema(below) }),
            7 => ("patternProperties", json!({ *self.tape.pick(&PATTERNS): self.schema(below) })),
            8 => (
                "patternProperties",
                json!({ *self.tape.pick(&PATTERNS): self.schema(below), *self.tape.pick(&PATTERNS): self.schema(below) }),
            ),
            9 => ("propertyNames", json!({ "enum": ["a", "b"] })),
            10 => ("propertyNames", json!({ "pattern": self.tape.pick(&PATTERNS) })),
            11 => {
                let name = self.name();
                (if self.is_draft7 { "dependencies" } else { "dependentRequired" }, json!({ name: self.names() }))
            }
            12 => {
                let name = self.name();
                (if self.is_draft7 { "dependencies" } else { "dependentSchemas" }, json!({ name: self.schema(below) }))
            }
            13 => ("anyOf", self.schemas(depth)),
            14 => ("oneOf", self.schemas(depth)),
            15 => ("allOf", self.schemas(depth)),
            16 => ("not", self.schema(below)),
            17 => {
                schema.insert("if".to_owned(), self.schema(below));
                (*self.tape.pick(&["then", "else"]), self.schema(below))
            }
            18 => ("enum", (0..1 + self.tape.below(3)).map(|_| self.value()).collect()),
            19 => ("const", self.value()),
            20 => (if self.is_draft7 { "items" } else { "prefixItems" }, self.schemas(depth)),
            21 => (if self.is_draft7 { "additionalItems" } else { "items" }, self.schema(below)),
            22 => ("contains", self.schema(below)),
            23 => (*self.tape.pick(&["minItems", "maxItems"]), json!(self.tape.below(4))),
            24 => ("uniqueItems", json!(true)),
            25 => {
                let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
                (*self.tape.pick(&bounds), self.number())
            }
            26 => ("multipleOf", self.tape.pick(&[json!(1), json!(2), json!(0.5), json!(0.25), json!(3)]).clone()),
            27 => (*self.tape.pick(&["minLength", "maxLength"]), json!(self.tape.below(4))),
            28 => ("pattern", json!(self.tape.pick(&PATTERNS))),
            29 => (*self.tape.pick(&["minProperties", "maxProperties"]), json!(self.tape.below(4))),
            30 => ("$ref", self.reference()),
            31 => ("$ref", json!("#")),
            32 if !self.is_draft7 => {
                let keyword = *self.tape.pick(&["unevaluatedProperties", "unevaluatedItems"]);
                (keyword, if self.tape.once_in(2) { json!(false) } else { self.schema(below) })
            }
            _ => ("default", self.value()),
        };
        schema.insert(keyword.to_owned(), value);
    }
}
