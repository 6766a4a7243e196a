//! What a value's own rules say: its kind, the values listed for it, bounds, counts, names.

use super::Findings;
use crate::json::Kind;
use crate::location::shown_word;
use crate::normalize::overlay::{At, Decoded, Docs, Edits};
use crate::normalize::{Conj, Left, Reader};
use crate::refusal::{Code, ShownWord, Violation};
use crate::schema::kinds::Kinds;
use crate::schema::values::Values;
use crate::schema::{Node, ObjectRules};
use crate::tree::Tree;
use crate::validate::{bound_fits, is_multiple};
use std::sync::Arc;

impl Reader<'_> {
    /// A value of a kind that is not admitted: what its text holds, the values listed, or the kinds.
    pub(super) fn explain_kind(&mut self, conj: &Conj, kinds: Kinds, at: At, left: Left, findings: &mut Findings) {
        match self.decoded_as(kinds, at) {
            Some(Decoded::Value(doc)) => return self.explain(conj, Docs::root_of(doc), left, findings),
            Some(Decoded::Fault(fault)) => {
                findings.tell(at, fault.code, None).location = fault.location;
                return;
            }
            _ => {}
        }
        // A list of values without `type` says more than the kinds of its words.
        let kind = self.kind(at);
        let schema = self.schema;
        let nodes = || conj.iter().map(|id| schema.node(*id));
        if nodes().all(|node| node.kinds.meets(Kinds::of(kind)))
            && let Some((node, values)) = nodes().find_map(|node| Some((node, node.values.first()?)))
        {
            return self.explain_not_listed(node, values, at, findings);
        }
        self.explain_wrong_kind(conj, kinds, at, findings);
    }

    fn explain_wrong_kind(&self, conj: &[u32], kinds: Kinds, at: At, findings: &mut Findings) {
        let kind = Kinds::of(self.kind(at));
        let schema = self.schema;
        let by_type = conj.iter().flat_map(|id| &schema.node(*id).types).find(|(types, _)| !types.has_all(kind));
        let by_union = || conj.iter().find_map(|id| schema.node(*id).unions.first());
        let source = match by_type {
            Some((_, subschema)) => self.source("type", *subschema),
            None => by_union().and_then(|union| self.source(union.keyword, union.schema)),
        };
        let refused = findings.tell(at, Code::Type, source);
        refused.kinds = kinds;
        refused.hint = self.kind_hint(kinds, at).map(Into::into);
    }

    /// What to send instead, as far as the kinds alone tell it. Never says what was sent.
    fn kind_hint(&self, kinds: Kinds, at: At) -> Option<&'static str> {
        match self.kind(at) {
            _ if at == Docs::root_of(0) => Some("send an object"),
            Kind::Null if self.may_be_absent => Some("leave the key out instead of sending null"),
            Kind::String if self.may_be_absent && self.docs.text_of(at).is_empty() => {
                Some("leave the key out instead of sending empty text")
            }
            Kind::String if kinds.meets(Kinds::INTEGER) && !kinds.meets(Kinds::FRACTION) => {
                Some("send a whole number, without a fraction or an exponent")
            }
            Kind::String if kinds.meets(Kinds::ARRAY) && !kinds.meets(Kinds::STRING) => {
                Some("send a list, even for one item")
            }
            Kind::String if kinds.meets(Kinds::OBJECT) && !kinds.meets(Kinds::STRING) => Some("send the object itself"),
            Kind::String if kinds.meets(Kinds::BOOLEAN) => Some("send `true` or `false`"),
            Kind::Number if kinds.meets(Kinds::INTEGER) => Some("send a whole number"),
            Kind::Boolean | Kind::Number | Kind::Object if kinds.without(Kinds::NULL) == Kinds::ARRAY => {
                Some("send a list, even for one item")
            }
            Kind::Boolean | Kind::Number if kinds.without(Kinds::NULL) == Kinds::STRING => {
                Some("send it as text, in quotes")
            }
            _ => None,
        }
    }

    fn explain_not_listed(&self, node: &Node, values: &Values, at: At, findings: &mut Findings) {
        let code = if values.keyword == "const" { Code::Const } else { Code::Enum };
        let refused = findings.tell(at, code, self.source(values.keyword, values.schema));
        if !node.is_secret {
            self.list_words(&values.shown, values.slots.len(), refused);
        }
    }

    /// The words that are shown of `count` values.
    pub(super) fn list_words(&self, shown: &Arc<[ShownWord]>, count: usize, refused: &mut Violation) {
        if self.secret_depth == 0 {
            refused.allowed = Some(Arc::clone(shown));
            refused.allowed_more = count.saturating_sub(shown.len());
        }
    }

    /// The rules of the nodes that speak of this value alone: not of what is inside it, not of its unions.
    pub(crate) fn explain_own(&mut self, nodes: &Conj, at: At, edits: &Edits, findings: &mut Findings) {
        let kind = self.kind(at);
        let schema = self.schema;
        if kind == Kind::Object {
            self.explain_missing(nodes, at, findings);
        }
        for id in nodes {
            let node = schema.node(*id);
            if let Some(never) = node.never {
                findings.tell(at, Code::FalseSchema, self.source("", never));
            }
            if !self.kind_fits(node.kinds, at) {
                self.explain_wrong_kind(&[*id], node.kinds, at, findings);
                continue;
            }
            let overlaid = self.overlaid(edits);
            if let Some(values) = node.values.iter().find(|values| !values.has(&schema.document.json, &overlaid, at)) {
                self.explain_not_listed(node, values, at, findings);
                continue;
            }
            match kind {
                Kind::Number => self.explain_number(node, at, findings),
                Kind::String => self.explain_string(node, at, edits, findings),
                Kind::Array => self.explain_array(node, at, edits, findings),
                Kind::Object => self.explain_object(node, at, edits, findings),
                _ => {}
            }
            self.explain_whole(node, at, edits, findings);
        }
    }

    fn explain_missing(&self, nodes: &Conj, at: At, findings: &mut Findings) {
        let mut missing = self.missing(nodes, at);
        missing.retain(|(name, _)| !self.may_be_left_out(nodes, name));
        let Some((_, subschema)) = missing.first() else { return };
        // A missing tag was told already: one violation names all that is missing from one object.
        let tag = findings.take(at, Code::Required);
        let refused = findings.tell(at, Code::Required, self.source("required", *subschema));
        refused.missing = missing.iter().map(|(name, _)| ShownWord::shown(name)).collect();
        if let Some(tag) = tag {
            let new: Vec<_> = tag.missing.into_iter().filter(|name| !refused.missing.contains(name)).collect();
            refused.missing.extend(new);
            refused.allowed = tag.allowed;
            refused.hint = tag.hint;
        }
    }

    /// Tells of a count or a bound that was passed.
    fn tell_limit(&self, at: At, code: Code, subschema: u32, limit: impl ToString, findings: &mut Findings) {
        findings.tell(at, code, self.source(code.as_str(), subschema)).limit = Some(limit.to_string());
    }

    fn explain_number(&self, node: &Node, at: At, findings: &mut Findings) {
        let Some(rules) = &node.number else { return };
        let document = self.docs.document(at.doc);
        let literal = document.raw(at.slot);
        let small = if document.is_integer_literal(at.slot) { literal.parse::<i64>().ok() } else { None };
        let lower = rules.lower.iter().map(|bound| (bound, true));
        for (bound, is_lower) in lower.chain(rules.upper.iter().map(|bound| (bound, false))) {
            if !bound_fits(bound, literal, small, is_lower) {
                let code = match (is_lower, bound.exclusive) {
                    (true, false) => Code::Minimum,
                    (true, true) => Code::ExclusiveMinimum,
                    (false, false) => Code::Maximum,
                    (false, true) => Code::ExclusiveMaximum,
                };
                let refused = findings.tell(at, code, self.source(bound.keyword, bound.schema));
                refused.limit = Some(bound.literal.to_string());
            }
        }
        for (divisor, subschema) in &rules.multiple_of {
            if !is_multiple(literal, divisor) {
                self.tell_limit(at, Code::MultipleOf, *subschema, divisor, findings);
            }
        }
    }

    fn explain_string(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.string else { return };
        let schema = self.schema;
        let text = self.docs.text_of(at).into_owned();
        let length = text.chars().count() as u64;
        if let Some((min, subschema)) = rules.min.filter(|(min, _)| length < *min) {
            self.tell_limit(at, Code::MinLength, subschema, min, findings);
        }
        if let Some((max, subschema)) = rules.max.filter(|(max, _)| length > *max) {
            self.tell_limit(at, Code::MaxLength, subschema, max, findings);
        }
        for (pattern, subschema) in &rules.patterns {
            if !self.with_validator(edits, |validator| validator.matches(*pattern, &text)) {
                let refused = findings.tell(at, Code::Pattern, self.source("pattern", *subschema));
                if !node.is_secret && self.secret_depth == 0 {
                    refused.limit = Some(schema.pattern(*pattern).map_or_else(String::new, |p| shown_word(p.source())));
                }
            }
        }
        for (format, subschema) in &rules.formats {
            if !self.with_validator(edits, |validator| validator.opaque(*format, at)) {
                let refused = findings.tell(at, Code::Format, self.source("format", *subschema));
                let json = &schema.document.json;
                refused.format = json.member(*subschema, "format").map(|slot| ShownWord::from(&*json.string(slot)));
            }
        }
    }

    fn explain_array(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.array else { return };
        let count = self.items(at).count() as u64;
        if let Some((min, subschema)) = rules.min.filter(|(min, _)| count < *min) {
            self.tell_limit(at, Code::MinItems, subschema, min, findings);
        }
        if let Some((max, subschema)) = rules.max.filter(|(max, _)| count > *max) {
            self.tell_limit(at, Code::MaxItems, subschema, max, findings);
        }
        if let Some(subschema) = rules.unique
            && !self.with_validator(edits, |validator| validator.is_unique(at))
        {
            findings.tell(at, Code::UniqueItems, self.source("uniqueItems", subschema));
        }
        for contains in &rules.contains {
            let matches = self.with_validator(edits, |validator| validator.count_matching(contains.node, at));
            if matches == 0 && contains.min > 0 {
                findings.tell(at, Code::Contains, self.source("contains", contains.schema));
            } else if matches < contains.min {
                self.tell_limit(at, Code::MinContains, contains.schema, contains.min, findings);
            } else if let Some(max) = contains.max.filter(|max| matches > *max) {
                self.tell_limit(at, Code::MaxContains, contains.schema, max, findings);
            }
        }
    }

    fn explain_object(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.object else { return };
        if rules.min.is_some() || rules.max.is_some() {
            let count = self.overlaid(edits).members(at).count() as u64;
            if let Some((min, subschema)) = rules.min.filter(|(min, _)| count < *min) {
                self.tell_limit(at, Code::MinProperties, subschema, min, findings);
            }
            if let Some((max, subschema)) = rules.max.filter(|(max, _)| count > *max) {
                self.tell_limit(at, Code::MaxProperties, subschema, max, findings);
            }
        }
        for dependent in &rules.dependent_required {
            if !self.has_member(at, &dependent.trigger) {
                continue;
            }
            let missing = dependent.names.iter().filter(|name| !self.has_member(at, name));
            let missing: Vec<_> = missing.map(|name| ShownWord::from(&**name)).collect();
            if !missing.is_empty() {
                let source = self.source(dependent.keyword, dependent.schema);
                findings.tell(at, Code::DependentRequired, source).missing = missing;
            }
        }
        self.explain_names(rules, at, edits, findings);
    }

    fn explain_names(&mut self, rules: &ObjectRules, at: At, edits: &Edits, findings: &mut Findings) {
        for (names, subschema) in &rules.names {
            let members: Vec<_> = self.overlaid(edits).members(at).collect();
            for (name_at, value) in members {
                if self.with_validator(edits, |validator| validator.admits(*names, name_at)) {
                    continue;
                }
                self.docs.note_undeclared(value);
                let mut inner = Findings::default();
                self.explain(&Conj::from_slice(&[*names]), name_at, Left::Nothing, &mut inner);
                let refused = findings.tell(value, Code::PropertyNames, self.source("propertyNames", *subschema));
                if let Some(why) = inner.first() {
                    refused.allowed.clone_from(&why.allowed);
                    refused.allowed_more = why.allowed_more;
                    refused.limit.clone_from(&why.limit);
                    refused.hint = Some(format!("a key here {}", why.reason()).into());
                }
            }
        }
    }

    fn explain_whole(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        for (inner, subschema) in &node.nots {
            if self.with_validator(edits, |validator| validator.admits(*inner, at)) {
                findings.tell(at, Code::Not, self.source("not", *subschema));
            }
        }
        for (part, subschema) in &node.opaques {
            if !self.with_validator(edits, |validator| validator.opaque(*part, at)) {
                findings.tell(at, Code::Opaque, self.source("", *subschema));
            }
        }
    }
}
