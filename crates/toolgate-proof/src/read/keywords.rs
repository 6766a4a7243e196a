//! What each keyword says, in the dialects that have it.

use super::{Outcome, Part, Pending, Reader, borrowed};
use crate::json::Value;
use crate::kinds::Kinds;
use crate::options::Dialect;
use crate::pattern::Pattern;
use crate::schema::{
    ANY, Bound, Condition, Contains, Finite, NodeId, Place, Tail, Unevaluated, escape_segment, tighter,
};
use std::borrow::Cow;

impl<'d> Reader<'_, 'd> {
    fn below(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<NodeId> {
        let place = Place { document: self.settings.document, parent: Some(part.id), tail: Tail::Keyword(keyword) };
        let is_rest = matches!(
            keyword,
            "additionalProperties" | "unevaluatedProperties" | "additionalItems" | "unevaluatedItems"
        );
        self.schema(value, part.resource, place, is_rest)
    }

    fn list(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<Vec<NodeId>> {
        let items = value.list().filter(|items| !items.is_empty() || keyword == "items");
        let items = items.ok_or_else(|| self.malformed(part.id, keyword, "is not a list of schemas"))?;
        let mut nodes = Vec::with_capacity(items.len());
        for (index, item) in (0..).zip(items) {
            let tail = Tail::Index(keyword, index);
            let place = Place { document: self.settings.document, parent: Some(part.id), tail };
            nodes.push(self.schema(item, part.resource, place, false)?);
        }
        Ok(nodes)
    }

    fn map(
        &mut self,
        part: &Part<'d>,
        keyword: &'static str,
        value: &'d Value<'d>,
    ) -> Outcome<&'d [(Cow<'d, str>, Value<'d>)]> {
        value.map().ok_or_else(|| self.malformed(part.id, keyword, "is not an object"))
    }

    fn member(
        &mut self,
        part: &Part<'d>,
        keyword: &'static str,
        name: &'d str,
        value: &'d Value<'d>,
    ) -> Outcome<NodeId> {
        let tail = Tail::Member(keyword, self.schemas.intern(borrowed(name)));
        let place = Place { document: self.settings.document, parent: Some(part.id), tail };
        self.schema(value, part.resource, place, false)
    }

    /// Whether what one member of a keyword's map asks is to be taken as absent. Its name stays: without it the key would
    /// be one of the rest, which may be refused.
    fn is_member_aside(&mut self, id: NodeId, keyword: &str, name: &str) -> bool {
        if self.set_aside.is_empty() {
            return false;
        }
        let whole = self.malformed(id, keyword, "").pointer;
        let member = format!("{whole}/{}", escape_segment(name));
        let aside = self.set_aside.contains(member.as_str()) || self.set_aside.contains(whole.as_str());
        if aside {
            self.widened = true;
            self.schemas.node_mut(id).widened = true;
        }
        aside
    }

    pub(super) fn keyword(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" | "allOf" | "anyOf" | "oneOf" | "not" => {
                self.applicator(part, keyword, value)
            }
            "type" | "enum" | "const" => self.kind_or_value(part, keyword, value),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                self.number(part, keyword, value)
            }
            "minLength" | "maxLength" | "pattern" => self.text(part, keyword, value),
            "minItems" | "maxItems" | "uniqueItems" | "prefixItems" | "unevaluatedItems" => {
                self.array(part, keyword, value)
            }
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties" => self.object_keyword(part, keyword, value),
            _ => Ok(()),
        }
    }

    fn applicator(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "$ref" => self.reference(part, "$ref", value)?,
            "$dynamicRef" if self.dialect >= Dialect::Draft202012 => self.reference(part, "$dynamicRef", value)?,
            "$recursiveRef" if self.dialect == Dialect::Draft201909 => self.reference(part, "$recursiveRef", value)?,
            "allOf" => {
                let nodes = self.list(part, "allOf", value)?;
                self.schemas.node_mut(part.id).all.extend(nodes);
            }
            "anyOf" => {
                let nodes = self.list(part, "anyOf", value)?;
                self.schemas.node_mut(part.id).any = Some(nodes);
            }
            "oneOf" => {
                let nodes = self.list(part, "oneOf", value)?;
                self.schemas.node_mut(part.id).one = Some(nodes);
            }
            "not" => {
                let node = self.below(part, "not", value)?;
                self.schemas.node_mut(part.id).not = Some(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn reference(&mut self, part: &Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<()> {
        let Value::Text(reference) = value else { return Err(self.malformed(part.id, keyword, "is not a text")) };
        if keyword != "$ref" && self.references.is_dynamic(keyword) {
            self.schemas.node_mut(part.id).opaque = Some(keyword);
            return Ok(());
        }
        self.pending.push(Pending { node: part.id, keyword, reference, resource: part.resource });
        Ok(())
    }

    fn kind_or_value(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "type" => {
                let words: Vec<&Value<'d>> = match value {
                    Value::List(words) if !words.is_empty() => words.iter().collect(),
                    word => vec![word],
                };
                let mut kinds = Kinds::NONE;
                for word in words {
                    let kind = word.text().and_then(Kinds::named);
                    kinds = kinds.or(kind.ok_or_else(|| self.malformed(part.id, "type", "names no type"))?);
                }
                self.schemas.node_mut(part.id).kinds = kinds;
            }
            "enum" => {
                let list = value.list().ok_or_else(|| self.malformed(part.id, "enum", "is not a list"))?;
                self.schemas.node_mut(part.id).values.push(Finite::new(list.iter().collect()));
            }
            _ if self.dialect >= Dialect::Draft6 => {
                self.schemas.node_mut(part.id).values.push(Finite::new(vec![value]));
            }
            _ => {}
        }
        Ok(())
    }

    fn number(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        let reads_draft4 = self.dialect == Dialect::Draft4 || self.settings.discovered;
        if reads_draft4 && matches!(value, Value::Boolean(_)) && keyword.starts_with("exclusive") {
            return Ok(());
        }
        let number = value.number().ok_or_else(|| self.malformed(part.id, keyword, "is not a number"))?;
        if keyword == "multipleOf" && (number.is_zero() || number.is_negative()) {
            return Err(self.malformed(part.id, keyword, "is not above zero"));
        }
        let draft4_exclusive =
            |name: &str| reads_draft4 && matches!(part.value.member(name), Some(Value::Boolean(true)));
        let exclusive = match keyword {
            "minimum" => draft4_exclusive("exclusiveMinimum"),
            "maximum" => draft4_exclusive("exclusiveMaximum"),
            _ => true,
        };
        let node = self.schemas.node_mut(part.id);
        let bound = Bound { value: number, exclusive };
        match keyword {
            "minimum" | "exclusiveMinimum" => node.low = tighter(node.low.take(), bound, true),
            "maximum" | "exclusiveMaximum" => node.high = tighter(node.high.take(), bound, false),
            _ => node.step = Some(bound.value),
        }
        Ok(())
    }

    fn count(&self, part: &Part<'d>, keyword: &str, value: &Value<'d>) -> Outcome<u64> {
        let count = value.number().and_then(|number| number.to_count());
        count.ok_or_else(|| self.malformed(part.id, keyword, "is not a count"))
    }

    fn text(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "minLength" => self.schemas.node_mut(part.id).length_min = self.count(part, keyword, value)?,
            "maxLength" => self.schemas.node_mut(part.id).length_max = Some(self.count(part, keyword, value)?),
            _ => {
                let text = value.text().ok_or_else(|| self.malformed(part.id, keyword, "is not a text"))?;
                // Found in every text.
                if matches!(text, "" | ".*" | "^" | "$") && !self.settings.reading.pattern_is_full_match {
                    return Ok(());
                }
                let pattern = self.pattern(text);
                self.schemas.node_mut(part.id).pattern = Some(pattern);
            }
        }
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> u32 {
        if self.settings.reading.pattern_is_full_match {
            return self.schemas.intern_pattern(&Pattern::anchored(text));
        }
        self.schemas.intern_pattern(text)
    }

    fn array(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        match keyword {
            "minItems" => part.array.min = self.count(part, keyword, value)?,
            "maxItems" => part.array.max = Some(self.count(part, keyword, value)?),
            "uniqueItems" => match value {
                Value::Boolean(unique) => part.array.unique = *unique,
                _ => return Err(self.malformed(part.id, keyword, "is not a boolean")),
            },
            "prefixItems" if self.dialect >= Dialect::Draft202012 => {
                part.array.prefix = self.list(part, "prefixItems", value)?;
                if self.is_aside(part.id, "prefixItems") {
                    part.array.prefix.iter_mut().for_each(|node| *node = ANY);
                }
            }
            "unevaluatedItems" if self.dialect >= Dialect::Draft201909 => {
                part.array.unevaluated = Some(self.below(part, "unevaluatedItems", value)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn object_keyword(&mut self, part: &mut Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<()> {
        let is_since_2019 = self.dialect >= Dialect::Draft201909;
        match keyword {
            "properties" => {
                for (name, value) in self.map(part, "properties", value)? {
                    let aside = self.is_member_aside(part.id, "properties", name);
                    let node = if aside { ANY } else { self.member(part, "properties", name, value)? };
                    part.object.properties.push((self.schemas.intern(borrowed(name)), node));
                }
            }
            "patternProperties" => {
                for (name, value) in self.map(part, "patternProperties", value)? {
                    let aside = self.is_member_aside(part.id, "patternProperties", name);
                    let node = if aside { ANY } else { self.member(part, "patternProperties", name, value)? };
                    let pattern = self.pattern(name);
                    part.object.patterns.push((pattern, node));
                }
            }
            "additionalProperties" => part.object.rest = Some(self.below(part, "additionalProperties", value)?),
            "propertyNames" if self.dialect >= Dialect::Draft6 => {
                part.object.names = Some(self.below(part, "propertyNames", value)?);
            }
            "required" => {
                // Draft-03 and OpenAPI's `required: true` beside a property say nothing here.
                let names = self.names(part, "required", value)?;
                part.object.required = names;
            }
            "minProperties" => part.object.min = self.count(part, keyword, value)?,
            "maxProperties" => part.object.max = Some(self.count(part, keyword, value)?),
            "dependentRequired" if is_since_2019 => self.dependencies(part, "dependentRequired", value)?,
            "dependentSchemas" if is_since_2019 => self.dependencies(part, "dependentSchemas", value)?,
            "dependencies" if !is_since_2019 || self.settings.discovered => {
                self.dependencies(part, "dependencies", value)?;
            }
            "unevaluatedProperties" if is_since_2019 => {
                let node = self.below(part, "unevaluatedProperties", value)?;
                part.object.unevaluated = Some(Unevaluated { node, is_policy: false });
            }
            _ => {}
        }
        Ok(())
    }

    fn names(&mut self, part: &Part<'d>, keyword: &str, value: &'d Value<'d>) -> Outcome<Vec<u32>> {
        let malformed = |reader: &Self| reader.malformed(part.id, keyword, "is not a list of names");
        let items = value.list().ok_or_else(|| malformed(self))?;
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            let Value::Text(name) = item else { return Err(malformed(self)) };
            let name = self.schemas.intern(borrowed(name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn dependencies(&mut self, part: &mut Part<'d>, keyword: &'static str, value: &'d Value<'d>) -> Outcome<()> {
        for (name, dependency) in self.map(part, keyword, value)? {
            let id = self.schemas.intern(borrowed(name));
            if keyword == "dependentRequired" || (keyword == "dependencies" && dependency.list().is_some()) {
                let names = self.names(part, keyword, dependency)?;
                part.object.dependent_names.push((id, names));
            } else {
                let node = self.member(part, keyword, name, dependency)?;
                part.object.dependent_schemas.push((id, node));
            }
        }
        Ok(())
    }

    /// Keywords whose meaning depends on a neighbour: `if`, `items`, `contains`.
    pub(super) fn paired_keywords(&mut self, part: &mut Part<'d>) -> Outcome<()> {
        let ignored = &self.settings.reading.ignored_keywords;
        let present =
            |keyword: &str| part.value.member(keyword).filter(|_| !ignored.iter().any(|name| name == keyword));
        let (test, then, other) = (present("if"), present("then"), present("else"));
        let (items, rest) = (present("items"), present("additionalItems"));
        let contains = present("contains");
        if let Some(test) = test.filter(|_| self.dialect >= Dialect::Draft7) {
            self.condition(part, test, then, other)?;
        }
        if let Some(items) = items.filter(|_| !self.is_aside(part.id, "items")) {
            self.items(part, items, rest)?;
        }
        if let Some(contains) = contains.filter(|_| self.dialect >= Dialect::Draft6) {
            self.contains(part, contains)?;
        }
        Ok(())
    }

    /// With any of its three parts set aside, nothing of a condition is kept: each part decides what the others mean.
    fn condition(
        &mut self,
        part: &mut Part<'d>,
        test: &'d Value<'d>,
        then: Option<&'d Value<'d>>,
        other: Option<&'d Value<'d>>,
    ) -> Outcome<()> {
        if ["if", "then", "else"].into_iter().any(|keyword| self.is_aside(part.id, keyword)) {
            part.object.evaluates_all = true;
            return Ok(());
        }
        let test = self.below(part, "if", test)?;
        let then = then.map_or(Ok(ANY), |value| self.below(part, "then", value))?;
        let other = other.map_or(Ok(ANY), |value| self.below(part, "else", value))?;
        self.schemas.node_mut(part.id).condition = Some(Condition { test, then, other });
        Ok(())
    }

    fn items(&mut self, part: &mut Part<'d>, items: &'d Value<'d>, rest: Option<&'d Value<'d>>) -> Outcome<()> {
        let is_list = items.list().is_some();
        if is_list && self.dialect >= Dialect::Draft202012 && !self.settings.discovered {
            return Err(self.malformed(part.id, "items", "is a list, which this dialect spells `prefixItems`"));
        }
        if !is_list {
            part.array.items = Some(self.below(part, "items", items)?);
            return Ok(());
        }
        part.array.prefix = self.list(part, "items", items)?;
        if let Some(rest) = rest.filter(|_| !self.is_aside(part.id, "additionalItems")) {
            part.array.items = Some(self.below(part, "additionalItems", rest)?);
        }
        Ok(())
    }

    fn contains(&mut self, part: &mut Part<'d>, contains: &'d Value<'d>) -> Outcome<()> {
        if self.is_aside(part.id, "contains") {
            return Ok(());
        }
        let node = self.below(part, "contains", contains)?;
        let (mut min, mut max) = (1, None);
        if self.dialect >= Dialect::Draft201909 {
            if let Some(count) = part.value.member("minContains") {
                min = if self.is_aside(part.id, "minContains") { 0 } else { self.count(part, "minContains", count)? };
            }
            if let Some(count) = part.value.member("maxContains").filter(|_| !self.is_aside(part.id, "maxContains")) {
                max = Some(self.count(part, "maxContains", count)?);
            }
        }
        let evaluates = self.dialect >= Dialect::Draft202012;
        part.array.contains = Some(Contains { node, min, max, evaluates });
        Ok(())
    }
}
