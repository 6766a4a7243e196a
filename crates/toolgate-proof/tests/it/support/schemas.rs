//! Random schemas with everything that tools use and a good deal that they do not, and random changes to them.

use super::random::Random;
use serde_json::{Map, Value, json};

const NAMES: [&str; 6] = ["a", "b", "c", "kind", "x/y", "items"];
const WORDS: [&str; 5] = ["on", "off", "x", "1", ""];
const PATTERNS: [&str; 5] = ["^a", "b$", "^[a-c]+$", "^x", "\\d"];

pub(crate) struct Maker<'r> {
    random: &'r mut Random,
    /// Names of definitions that references may go to.
    definitions: Vec<String>,
}

impl<'r> Maker<'r> {
    pub(crate) fn new(random: &'r mut Random) -> Self {
        Maker { random, definitions: Vec::new() }
    }

    /// A contract: mostly an object, sometimes a union of them, sometimes with definitions.
    pub(crate) fn contract(&mut self) -> Value {
        let count = if self.random.once_in(3) { 1 + self.random.below(2) } else { 0 };
        self.definitions = (0..count).map(|number| format!("d{number}")).collect();
        let mut root = match self.random.below(5) {
            0 => self.union(3, true),
            1 => json!({ "allOf": [self.object(2), self.object(2)] }),
            _ => self.object(3),
        };
        if self.random.once_in(6) {
            let union = self.union(2, true);
            merge(&mut root, union);
        }
        if self.random.once_in(8) {
            root["unevaluatedProperties"] = if self.random.once_in(3) { self.schema(1) } else { json!(false) };
        }
        let definitions: Map<String, Value> =
            self.definitions.clone().into_iter().map(|name| (name, self.schema(2))).collect();
        if !definitions.is_empty() {
            root["$defs"] = Value::Object(definitions);
        }
        root
    }

    pub(crate) fn schema(&mut self, depth: usize) -> Value {
        let mut schema = match self.random.below(if depth == 0 { 7 } else { 13 }) {
            0 => self.number(),
            1 => self.string(),
            2 => json!({ "type": "boolean" }),
            3 => self.values(),
            4 => json!({ "type": self.random.pick(&["null", "integer", "string", "object", "array"]) }),
            5 => json!({ "type": ["string", self.random.pick(&["null", "integer", "array"])] }),
            6 if self.random.once_in(3) => json!(!self.random.once_in(3)),
            6 => json!({}),
            7 => self.array(depth - 1),
            8 | 9 => self.object(depth - 1),
            10 => self.union(depth - 1, false),
            11 if !self.definitions.is_empty() => {
                let name = self.random.below(self.definitions.len());
                json!({ "$ref": format!("#/$defs/{}", self.definitions[name]) })
            }
            11 => json!({ "allOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            _ => {
                let mut schema = self.schema(depth - 1);
                let more = self.composition(depth - 1);
                merge(&mut schema, more);
                schema
            }
        };
        if self.random.once_in(12)
            && let Value::Object(members) = &mut schema
        {
            members.insert("description".into(), json!("said"));
        }
        schema
    }

    fn composition(&mut self, depth: usize) -> Value {
        match self.random.below(4) {
            0 => json!({ "not": self.schema(depth) }),
            1 => json!({ "if": self.schema(depth), "then": self.schema(depth), "else": self.schema(depth) }),
            2 => json!({ "if": self.schema(depth), "then": self.schema(depth) }),
            _ => self.union(depth, false),
        }
    }

    fn bound(&mut self) -> Value {
        let whole = i64::try_from(self.random.below(9)).unwrap() - 3;
        match self.random.below(6) {
            0 => json!(whole as f64 + 0.5),
            _ => json!(whole),
        }
    }

    fn number(&mut self) -> Value {
        let mut schema = json!({ "type": self.random.pick(&["integer", "number"]) });
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if self.random.once_in(4) {
                schema[keyword] = self.bound();
            }
        }
        if self.random.once_in(6) {
            schema["multipleOf"] = self.random.pick(&[&json!(2), &json!(3), &json!(0.5), &json!(4)]).clone();
        }
        schema
    }

    fn string(&mut self) -> Value {
        let mut schema = json!({ "type": "string" });
        if self.random.once_in(4) {
            schema["minLength"] = json!(self.random.below(3));
        }
        if self.random.once_in(4) {
            schema["maxLength"] = json!(self.random.below(5));
        }
        if self.random.once_in(5) {
            schema["pattern"] = json!(self.random.pick(&PATTERNS));
        }
        schema
    }

    fn values(&mut self) -> Value {
        let mut any = |_| match self.random.below(8) {
            0 => json!(null),
            1 => json!(true),
            2 => json!(1),
            3 => json!(2.5),
            4 => json!([1]),
            5 => json!({ "a": 1 }),
            _ => json!(self.random.pick(&WORDS)),
        };
        let values: Vec<Value> = (0..3).map(&mut any).collect();
        if self.random.once_in(3) { json!({ "const": values[0] }) } else { json!({ "enum": values }) }
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "array" });
        if self.random.once_in(4) {
            schema["prefixItems"] = json!([self.schema(depth), self.schema(depth)]);
        }
        if !self.random.once_in(5) {
            schema["items"] = self.schema(depth);
        }
        if self.random.once_in(4) {
            schema["minItems"] = json!(self.random.below(3));
        }
        if self.random.once_in(4) {
            schema["maxItems"] = json!(self.random.below(4));
        }
        if self.random.once_in(8) {
            schema["uniqueItems"] = json!(true);
        }
        if self.random.once_in(8) {
            schema["contains"] = self.schema(0);
        }
        if self.random.once_in(16) {
            schema["unevaluatedItems"] = json!(false);
        }
        schema
    }

    pub(crate) fn object(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "object" });
        let mut properties = Map::new();
        for _ in 0..self.random.below(4) {
            let name = self.random.pick(&NAMES);
            properties.insert(name.to_owned(), self.schema(depth.saturating_sub(1)));
        }
        let mut required: Vec<&str> = Vec::new();
        for name in NAMES {
            if (properties.contains_key(name) && self.random.once_in(2)) || self.random.once_in(30) {
                required.push(name);
            }
        }
        if !properties.is_empty() {
            schema["properties"] = Value::Object(properties);
        }
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        match self.random.below(7) {
            0 | 1 => schema["additionalProperties"] = json!(false),
            2 => schema["additionalProperties"] = self.schema(depth.saturating_sub(1)),
            _ => {}
        }
        if self.random.once_in(9) {
            schema["patternProperties"] = json!({ self.random.pick(&PATTERNS): self.schema(depth.saturating_sub(1)) });
        }
        if self.random.once_in(14) {
            schema["propertyNames"] = self.string();
        }
        if self.random.once_in(12) {
            schema["minProperties"] = json!(self.random.below(3));
        }
        if self.random.once_in(12) {
            schema["maxProperties"] = json!(1 + self.random.below(4));
        }
        if self.random.once_in(14) {
            schema["dependentRequired"] = json!({ self.random.pick(&NAMES): [self.random.pick(&NAMES)] });
        }
        if self.random.once_in(18) {
            schema["dependentSchemas"] = json!({ self.random.pick(&NAMES): self.schema(depth.saturating_sub(1)) });
        }
        if self.random.once_in(20) {
            schema["unevaluatedProperties"] = json!(false);
        }
        schema
    }

    fn union(&mut self, depth: usize, of_objects: bool) -> Value {
        let keyword = self.random.pick(&["anyOf", "oneOf"]);
        let is_tagged = self.random.once_in(2);
        let count = 2 + self.random.below(2);
        let mut members = Vec::new();
        for word in WORDS.iter().take(count) {
            if !is_tagged && !of_objects {
                members.push(self.schema(depth));
                continue;
            }
            let mut member = self.object(depth);
            if is_tagged {
                member["properties"]["kind"] = json!({ "const": word });
                let mut required = member["required"].as_array().cloned().unwrap_or_default();
                if !required.contains(&json!("kind")) {
                    required.push(json!("kind"));
                }
                member["required"] = json!(required);
            }
            members.push(member);
        }
        json!({ keyword: members })
    }
}

fn merge(schema: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (schema, more) {
        for (keyword, value) in more {
            members.entry(keyword).or_insert(value);
        }
    }
}

/// The document with one change at one of its schemas: a keyword dropped, a schema replaced, a union taken apart.
pub(crate) fn changed(document: &Value, random: &mut Random) -> Value {
    let mut places = Vec::new();
    gather(document, "", &mut places);
    if places.is_empty() {
        return Maker::new(random).contract();
    }
    let place = places[random.below(places.len())].clone();
    let mut changed = document.clone();
    let schema = changed.pointer_mut(&place).unwrap();
    let definitions = schema.get("$defs").cloned();
    *schema = change(schema.clone(), random);
    if let (Value::Object(members), Some(definitions)) = (schema, definitions) {
        members.insert("$defs".into(), definitions);
    }
    changed
}

fn change(schema: Value, random: &mut Random) -> Value {
    let Value::Object(mut members) = schema else { return Maker::new(random).schema(1) };
    let keywords: Vec<String> = members.keys().filter(|keyword| *keyword != "$defs").cloned().collect();
    match random.below(6) {
        0 | 1 if !keywords.is_empty() => {
            members.remove(&keywords[random.below(keywords.len())]);
            Value::Object(members)
        }
        2 => match members.get("oneOf").cloned() {
            Some(union) => {
                members.remove("oneOf");
                members.insert("anyOf".into(), union);
                Value::Object(members)
            }
            None => json!({ "anyOf": [Value::Object(members), Maker::new(random).schema(1)] }),
        },
        3 => Maker::new(random).schema(1),
        4 => {
            let more = Maker::new(random).object(1);
            merge(&mut Value::Object(members.clone()), more.clone());
            for (keyword, value) in more.as_object().unwrap() {
                members.entry(keyword.clone()).or_insert(value.clone());
            }
            Value::Object(members)
        }
        _ => {
            members.remove("required");
            members.remove("type");
            Value::Object(members)
        }
    }
}

fn gather(schema: &Value, pointer: &str, places: &mut Vec<String>) {
    let Value::Object(members) = schema else { return };
    places.push(pointer.to_owned());
    let escape = |name: &str| name.replace('~', "~0").replace('/', "~1");
    for (keyword, value) in members {
        let at = format!("{pointer}/{keyword}");
        match (keyword.as_str(), value) {
            ("items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains", _) => {
                gather(value, &at, places)
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(items)) => {
                items.iter().enumerate().for_each(|(index, item)| gather(item, &format!("{at}/{index}"), places));
            }
            ("properties" | "patternProperties" | "dependentSchemas" | "$defs", Value::Object(inner)) => {
                inner.iter().for_each(|(name, item)| gather(item, &format!("{at}/{}", escape(name)), places));
            }
            _ => {}
        }
    }
}
