//! Why arguments are refused: all violations of the arguments as they were sent, located inside decoded text where the text
//! decoded (R6). Runs only for a call that has no reading.
//!
//! An object reports its own faults first, then its declared properties in schema order, then the rest as sent. Of a union
//! only the chosen member speaks; where nothing chooses, the one that got furthest.

use crate::json::Kind;
use crate::location::shown_word;
use crate::normalize::overlay::{Action, At, Decoded, Docs, Edits};
use crate::normalize::{Alternative, AsSent, Conj, Left, READ_STEPS, Reader, Reading};
use crate::refusal::{Code, Violation, escaped_line};
use crate::schema::kinds::Kinds;
use crate::schema::values::Values;
use crate::schema::{Closing, Node, NodeId, Schema, Union, UnionOp};
use crate::tree::Tree;
use crate::validate::{bound_fits, is_lower, is_multiple};
use std::rc::Rc;

/// Words of a schema shown in one violation (R6.3).
const WORDS_MAX: usize = 20;

/// Findings kept before they are located; far more than are listed.
const FINDINGS_MAX: usize = 200;

/// A violation that is not located yet: locating costs a walk, and only those that are listed need it.
#[derive(Clone)]
pub(crate) struct Finding {
    pub(crate) at: At,
    pub(crate) violation: Rc<Violation>,
    /// For a fault inside decoded text, the rest of the way.
    pub(crate) inner: Option<crate::location::Location>,
}

/// What was found, in order.
#[derive(Clone, Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
    pub(crate) more: usize,
}

impl Findings {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.more == 0
    }

    fn push(&mut self, at: At, violation: Violation) {
        self.add(Finding { at, violation: Rc::new(violation), inner: None });
    }

    fn add(&mut self, finding: Finding) {
        if self.list.len() < FINDINGS_MAX {
            self.list.push(finding);
        } else {
            self.more += 1;
        }
    }

    fn extend(&mut self, other: &Findings) {
        for finding in &other.list {
            self.add(finding.clone());
        }
        self.more += other.more;
    }
}

fn violation(code: Code) -> Violation {
    Violation::new(crate::location::Location::root(), code)
}

fn by_keyword(schema: &Schema, code: Code, keyword: &'static str, subschema: u32) -> Violation {
    let mut violation = violation(code);
    violation.keyword = Some(keyword);
    violation.keyword_location = Some(schema.pointer(subschema, keyword));
    violation
}

fn with_limit(mut violation: Violation, limit: impl ToString) -> Violation {
    violation.limit = Some(limit.to_string());
    violation
}

impl Reader<'_> {
    /// Everything that keeps the value from being read as the nodes ask.
    pub(crate) fn explain(&mut self, conj: &Conj, at: At, left: Left) -> Rc<Findings> {
        if self.is_scalar(at) {
            return Rc::new(self.explain_counted(conj, at, left));
        }
        let key = (conj.clone(), at, left == Left::Nothing, self.reads_text);
        if let Some(known) = self.findings.get(&key) {
            return Rc::clone(known);
        }
        let findings = Rc::new(self.explain_counted(conj, at, left));
        self.findings.insert(key, Rc::clone(&findings));
        findings
    }

    fn explain_counted(&mut self, conj: &Conj, at: At, left: Left) -> Findings {
        let mut findings = Findings::default();
        let is_secret = conj.iter().any(|id| self.schema.node(*id).is_secret);
        self.secret_depth += usize::from(is_secret);
        if self.work.enter() && self.work.spend(READ_STEPS) {
            self.explain_new(conj, at, left, &mut findings);
        }
        self.work.leave();
        self.secret_depth -= usize::from(is_secret);
        findings
    }

    fn explain_new(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        match self.read(conj, at, left).len() {
            1 => return,
            2 => return self.explain_ambiguous(conj, at, left, findings),
            _ => {}
        }
        if let Some(never) = conj.iter().find_map(|id| self.schema.node(*id).never) {
            let mut violation = violation(Code::FalseSchema);
            violation.keyword_location = Some(self.schema.pointer(never, ""));
            return findings.push(at, violation);
        }
        let kinds = self.admitted_kinds(conj);
        if !self.kind_fits(kinds, at) {
            return self.explain_kind(conj, kinds, at, left, findings);
        }
        if self.kind(at) == Kind::String {
            if self.is_list_as_text(conj, at) {
                return findings.push(at, list_as_text());
            }
            if self.is_object_as_text(conj, at) {
                return findings.push(at, object_as_text());
            }
        }
        if self.kind(at) == Kind::Object && self.reads_text {
            let names = self.conflicting_names(conj, at);
            if !names.is_empty() {
                findings.push(at, alias_conflict(names));
            }
        }
        if self.as_sent(conj, at) == AsSent::Suspect {
            // It satisfies the schema, so a list written as text is all that is wrong with it.
            for list in self.lists_inside(conj, at) {
                let decodes_to_list = self.docs.text_of(list).trim_start().starts_with('[');
                findings.push(list, if decodes_to_list { list_as_text() } else { object_as_text() });
            }
            if !findings.is_empty() {
                return;
            }
        }
        let before = findings.list.len();
        let alternative = self.choose(conj, at, left, findings);
        self.explain_chosen(&alternative, at, left, findings);
        if findings.list.len() == before && findings.more == 0 {
            self.explain_as_sent(conj, at, left, findings);
        }
    }

    /// Every part can be read and the whole cannot: the faults are those of the value without reading any text (R4.7).
    fn explain_as_sent(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        if self.reads_text {
            self.reads_text = false;
            let known = std::mem::take(&mut self.readings);
            let as_sent = self.explain(conj, at, left);
            self.readings = known;
            self.reads_text = true;
            findings.extend(&as_sent);
        }
        if findings.is_empty() {
            let union = conj.iter().find_map(|id| self.schema.node(*id).unions.first());
            let refused = match union {
                Some(union) => by_keyword(self.schema, union_code(union.op), union.keyword, union.schema),
                None => violation(Code::Opaque),
            };
            findings.push(at, refused);
        }
    }

    /// Two readings: told where the union stands whose members disagree.
    fn explain_ambiguous(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        let has_union = conj.iter().any(|id| !self.schema.node(*id).unions.is_empty());
        if !has_union {
            let kinds = self.admitted_kinds(conj);
            if let Some(Decoded::Value(doc)) = self.decoded_as(kinds, at) {
                return findings.extend(&self.explain(conj, Docs::root_of(doc), left));
            }
            for (value, child) in self.children(conj, at).unwrap_or_default() {
                if !child.is_empty() && self.read(&child, value, left).len() > 1 {
                    findings.extend(&self.explain(&child, value, left));
                }
            }
        }
        if findings.is_empty() {
            let readings = self.read(conj, at, left);
            let forms: Vec<_> = readings.iter().map(|reading| self.describe_reading(reading)).collect();
            let mut ambiguous = violation(Code::Ambiguous);
            let value = "send what is meant as a JSON value, not as text";
            ambiguous.hint = Some(format!("one form {}; {value}", forms.join(", another ")));
            findings.push(at, ambiguous);
        }
    }

    /// What a form makes of the text: places and kinds, never what is there.
    fn describe_reading(&self, reading: &Reading) -> String {
        /// More places than these say nothing more.
        const PLACES_MAX: usize = 3;
        let decoded = reading.edits.iter().filter_map(|(at, action)| match action {
            Action::Decode(doc) => {
                let place = escaped_line(&self.docs.locate(*at).to_pointer());
                Some(format!("`{place}` as {}", self.kind(Docs::root_of(*doc)).name()))
            }
            _ => None,
        });
        let places: Vec<_> = decoded.take(PLACES_MAX).collect();
        if places.is_empty() { "leaves the text as it is".into() } else { format!("reads {}", places.join(" and ")) }
    }

    fn explain_kind(&mut self, conj: &Conj, kinds: Kinds, at: At, left: Left, findings: &mut Findings) {
        match self.decoded_as(kinds, at) {
            Some(Decoded::Value(doc)) => return findings.extend(&self.explain(conj, Docs::root_of(doc), left)),
            Some(Decoded::Fault(fault)) => {
                return findings.add(Finding {
                    at,
                    violation: Rc::new(violation(fault.code)),
                    inner: Some(fault.location),
                });
            }
            _ => {}
        }
        // A list of values without `type` says more than the kinds of its words.
        let kind = self.kind(at);
        let nodes = conj.iter().map(|id| self.schema.node(*id));
        let types_fit = nodes.clone().all(|node| node.kinds.meets(Kinds::of(kind)));
        if types_fit && let Some((node, values)) = nodes.clone().find_map(|node| Some((node, node.values.first()?))) {
            let refused = self.not_listed(node, values);
            return findings.push(at, refused);
        }
        let refused = self.wrong_kind(conj, kinds, at);
        findings.push(at, refused);
    }

    fn wrong_kind(&mut self, conj: &Conj, kinds: Kinds, at: At) -> Violation {
        let kind = Kinds::of(self.kind(at));
        let schema = self.schema;
        let by_type = conj.iter().flat_map(|id| &schema.node(*id).types).find(|(types, _)| !types.has_all(kind));
        let by_union = conj.iter().find_map(|id| schema.node(*id).unions.first());
        let mut refused = match (by_type, by_union) {
            (Some((_, subschema)), _) => by_keyword(schema, Code::Type, "type", *subschema),
            (None, Some(union)) => by_keyword(schema, Code::Type, union.keyword, union.schema),
            (None, None) => violation(Code::Type),
        };
        refused.expected = kinds.names();
        refused.hint = self.kind_hint(kinds, at).map(str::to_owned);
        refused
    }

    /// What to send instead, as far as the kinds alone tell it. Never says what was sent.
    fn kind_hint(&mut self, kinds: Kinds, at: At) -> Option<&'static str> {
        match self.kind(at) {
            _ if at == Docs::root_of(0) => Some("send an object"),
            Kind::Null => Some("leave the key out instead of sending null"),
            Kind::String if self.docs.text_of(at).is_empty() => Some("leave the key out instead of sending empty text"),
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

    fn not_listed(&self, node: &Node, values: &Values) -> Violation {
        let code = if values.keyword == "const" { Code::Const } else { Code::Enum };
        let mut refused = by_keyword(self.schema, code, values.keyword, values.schema);
        if !node.is_secret {
            self.list_words(&values.slots, &mut refused);
        }
        refused
    }

    /// Scalars as words, at most twenty.
    fn list_words(&self, slots: &[u32], refused: &mut Violation) {
        if self.secret_depth > 0 {
            return;
        }
        let json = &self.schema.document.json;
        let words = slots.iter().filter_map(|slot| match json.kind(*slot) {
            Kind::Array | Kind::Object => None,
            Kind::String => Some(shown_word(&json.string(*slot))),
            _ => Some(shown_word(json.raw(*slot))),
        });
        refused.allowed = words.take(WORDS_MAX).collect();
        refused.allowed_more = slots.len().saturating_sub(refused.allowed.len());
    }

    // ---- unions

    /// The members and branches that speak for the value; faults of the choice itself are pushed.
    fn choose(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) -> Chosen {
        let mut chosen = Chosen { nodes: Conj::new(), dropped: Vec::new(), others: 0 };
        let mut pending = conj.to_vec();
        pending.reverse();
        while let Some(id) = pending.pop() {
            if chosen.nodes.contains(&id) || !self.work.spend(1) {
                continue;
            }
            chosen.nodes.push(id);
            let schema = self.schema;
            let node = schema.node(id);
            for (trigger, dependent) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
                if self.kind(at) == Kind::Object && self.has_member(at, trigger) {
                    pending.push(*dependent);
                }
            }
            for condition in &node.conditions {
                let holds = self.with_validator(&Edits::new(), |validator| validator.admits(condition.test, at));
                if holds {
                    pending.push(condition.test);
                }
                pending.extend(if holds { condition.then } else { condition.otherwise });
            }
            for (index, union) in node.unions.iter().enumerate() {
                if left == Left::Undecided && !self.is_decided(union, at) {
                    chosen.dropped.push((id, index));
                } else {
                    self.choose_member(id, index, union, at, left, &mut chosen, &mut pending, findings);
                }
            }
        }
        chosen
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `choose`, split off to be read on its own")]
    fn choose_member(
        &mut self,
        id: NodeId,
        index: usize,
        union: &Union,
        at: At,
        left: Left,
        chosen: &mut Chosen,
        pending: &mut Vec<NodeId>,
        findings: &mut Findings,
    ) {
        let candidates = self.candidates(union, at);
        if let [only] = candidates.as_slice() {
            return pending.push(*only);
        }
        if candidates.is_empty() {
            // No member speaks, so no key of any of them is unknown.
            chosen.dropped.push((id, index));
            return self.explain_no_member(union, at, findings);
        }
        let holding: Vec<NodeId> = candidates
            .iter()
            .copied()
            .filter(|member| self.read(&Conj::from_slice(&[*member]), at, left).len() == 1)
            .collect();
        if union.op == UnionOp::One && holding.len() > 1 {
            let mut refused = by_keyword(self.schema, Code::OneOf, union.keyword, union.schema);
            refused.hint =
                Some(format!("{} of the forms fit at once; send what only one of them admits", holding.len()));
            chosen.dropped.push((id, index));
            return findings.push(at, refused);
        }
        if !holding.is_empty() {
            return pending.extend(holding);
        }
        chosen.others += candidates.len() - 1;
        pending.extend(self.furthest(&candidates, at, left));
    }

    /// The member with the fewest missing names, then the fewest faults at this very place, then the fewest in all.
    fn furthest(&mut self, candidates: &[NodeId], at: At, left: Left) -> Option<NodeId> {
        let mut best: Option<((usize, usize, usize), NodeId)> = None;
        for member in candidates {
            let found = self.explain(&Conj::from_slice(&[*member]), at, left);
            let here = found.list.iter().filter(|finding| finding.at == at);
            let missing = here.clone().map(|finding| finding.violation.missing.len()).sum();
            let score = (missing, here.count(), found.list.len() + found.more);
            if best.is_none_or(|(lowest, _)| score < lowest) {
                best = Some((score, *member));
            }
        }
        best.map(|(_, member)| member)
    }

    fn explain_no_member(&mut self, union: &Union, at: At, findings: &mut Findings) {
        let Some(tag) = union.tag.as_ref().filter(|_| self.kind(at) == Kind::Object) else {
            let kinds = self.union_kinds(union);
            let mut refused = by_keyword(self.schema, Code::Type, union.keyword, union.schema);
            refused.expected = kinds.names();
            return findings.push(at, refused);
        };
        let slots: Vec<u32> = tag.table.iter().map(|(slot, _)| *slot).collect();
        match self.member_value(at, &tag.key) {
            Some(value) => {
                let mut refused = by_keyword(self.schema, Code::Enum, union.keyword, union.schema);
                self.list_words(&slots, &mut refused);
                findings.push(value, refused);
            }
            None => {
                let mut refused = by_keyword(self.schema, Code::Required, union.keyword, union.schema);
                refused.missing = vec![shown_word(&tag.key)];
                self.list_words(&slots, &mut refused);
                let words = refused.allowed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
                if !words.is_empty() {
                    refused.hint = Some(format!("`{}` selects the form; it is one of {words}", shown_word(&tag.key)));
                }
                findings.push(at, refused);
            }
        }
    }

    fn union_kinds(&self, union: &Union) -> Kinds {
        union.members.iter().fold(Kinds::NONE, |kinds, member| kinds | self.schema.node(*member).admits)
    }

    fn explain_chosen(&mut self, chosen: &Chosen, at: At, left: Left, findings: &mut Findings) {
        let alternative = Alternative::chosen(chosen.nodes.clone(), chosen.dropped.clone());
        let before = findings.list.len();
        self.explain_own(&chosen.nodes, at, &Edits::new(), findings);
        self.explain_inside(&chosen.nodes, at, left, findings);
        self.explain_keys(&chosen.nodes, &alternative, at, &Edits::new(), findings);
        if left == Left::Undecided && !alternative.dropped.is_empty() {
            for list in self.lists_outside(&alternative, at) {
                if !findings.list.iter().any(|finding| finding.at == list) {
                    findings.push(list, list_as_text());
                }
            }
        }
        if chosen.others > 0
            && let Some(first) = findings.list.get_mut(before)
        {
            Rc::make_mut(&mut first.violation).others = chosen.others;
        }
    }

    /// Declared properties in schema order, then the others as sent; items in order.
    fn explain_inside(&mut self, nodes: &Conj, at: At, left: Left, findings: &mut Findings) {
        let mut inside: Vec<((usize, usize), At, Conj)> = Vec::new();
        match self.kind(at) {
            Kind::Object => {
                let members: Vec<_> = self.members(at).collect();
                for (sent, (name_at, value)) in members.into_iter().enumerate() {
                    // A key that is refused is told by name, not by what is in it.
                    let Some(child) = self.child(nodes, name_at, value) else { continue };
                    let order = self.schema_order(nodes, name_at).unwrap_or(usize::MAX);
                    inside.push(((order, sent), value, child));
                }
                inside.sort_by_key(|(order, _, _)| *order);
            }
            _ => {
                let children = self.children(nodes, at).unwrap_or_default();
                inside
                    .extend(children.into_iter().enumerate().map(|(index, (value, child))| ((0, index), value, child)));
            }
        }
        for (_, value, child) in inside {
            let is_told = findings.list.iter().any(|finding| finding.at == value);
            let is_fine = child.is_empty() || self.is_scalar(value) && self.is_as_it_is(&child, value);
            if !is_fine && !is_told && self.absence(nodes, at, value).is_none() {
                let found = self.explain(&child, value, left);
                findings.extend(&found);
            }
        }
    }

    fn schema_order(&self, nodes: &Conj, name_at: At) -> Option<usize> {
        let edits = Edits::new();
        let overlaid = self.overlaid(&edits);
        let name = overlaid.name(name_at);
        let mut before = 0;
        for rules in nodes.iter().filter_map(|id| self.schema.node(*id).object.as_ref()) {
            if let Some(index) = rules.find(&name, usize::MAX) {
                return Some(before + index);
            }
            before += rules.props.len();
        }
        None
    }

    // ---- one value's own rules

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
                let mut refused = violation(Code::FalseSchema);
                refused.keyword_location = Some(schema.pointer(never, ""));
                findings.push(at, refused);
            }
            if !self.kind_fits(node.kinds, at) {
                let kinds = node.kinds;
                let refused = self.wrong_kind(&Conj::from_slice(&[*id]), kinds, at);
                findings.push(at, refused);
                continue;
            }
            let unlisted = node.values.iter().find(|values| {
                let overlaid = self.overlaid(edits);
                !values.has(&schema.document.json, &overlaid, at)
            });
            if let Some(values) = unlisted {
                let refused = self.not_listed(node, values);
                findings.push(at, refused);
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

    fn explain_missing(&mut self, nodes: &Conj, at: At, findings: &mut Findings) {
        let missing: Vec<String> =
            self.missing(nodes, at).into_iter().filter(|name| !self.may_be_left_out(nodes, name)).collect();
        let Some(first) = missing.first() else { return };
        let schema = self.schema;
        let source = nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()).find_map(|rules| {
            let required = rules
                .required
                .iter()
                .find(|(index, _)| rules.props.get(*index as usize).is_some_and(|prop| *prop.name == **first));
            required.map(|(_, subschema)| *subschema)
        });
        let mut refused = by_keyword(schema, Code::Required, "required", source.unwrap_or(0));
        refused.missing = missing.iter().map(|name| shown_word(name)).collect();
        // A missing tag was told already: one violation names all that is missing from one object.
        let told =
            findings.list.iter().position(|finding| finding.at == at && finding.violation.code == Code::Required);
        if let Some(tag) = told.map(|index| findings.list.remove(index).violation) {
            let new: Vec<_> = tag.missing.iter().filter(|name| !refused.missing.contains(name)).cloned().collect();
            refused.missing.extend(new);
            refused.allowed.clone_from(&tag.allowed);
            refused.hint.clone_from(&tag.hint);
        }
        findings.push(at, refused);
    }

    fn explain_number(&self, node: &Node, at: At, findings: &mut Findings) {
        let Some(rules) = &node.number else { return };
        let document = self.docs.document(at.doc);
        let literal = document.raw(at.slot);
        let small = if document.is_integer_literal(at.slot) { literal.parse::<i64>().ok() } else { None };
        for (bound, is_lower) in rules.lower.iter().chain(&rules.upper).zip(is_lower(rules)) {
            if !bound_fits(bound, literal, small, is_lower) {
                let code = match (is_lower, bound.exclusive) {
                    (true, false) => Code::Minimum,
                    (true, true) => Code::ExclusiveMinimum,
                    (false, false) => Code::Maximum,
                    (false, true) => Code::ExclusiveMaximum,
                };
                findings
                    .push(at, with_limit(by_keyword(self.schema, code, bound.keyword, bound.schema), &bound.literal));
            }
        }
        for (divisor, subschema) in &rules.multiple_of {
            if !is_multiple(literal, divisor) {
                findings
                    .push(at, with_limit(by_keyword(self.schema, Code::MultipleOf, "multipleOf", *subschema), divisor));
            }
        }
    }

    fn explain_string(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.string else { return };
        let schema = self.schema;
        let text = self.docs.text_of(at).into_owned();
        let length = text.chars().count() as u64;
        if let Some((min, subschema)) = rules.min.filter(|(min, _)| length < *min) {
            findings.push(at, with_limit(by_keyword(schema, Code::MinLength, "minLength", subschema), min));
        }
        if let Some((max, subschema)) = rules.max.filter(|(max, _)| length > *max) {
            findings.push(at, with_limit(by_keyword(schema, Code::MaxLength, "maxLength", subschema), max));
        }
        for (pattern, subschema) in &rules.patterns {
            if !self.with_validator(edits, |validator| validator.matches(*pattern, &text)) {
                let source = schema.pattern(*pattern).map_or("", |pattern| pattern.source());
                let refused = by_keyword(schema, Code::Pattern, "pattern", *subschema);
                findings.push(
                    at,
                    if node.is_secret || self.secret_depth > 0 {
                        refused
                    } else {
                        with_limit(refused, shown_word(source))
                    },
                );
            }
        }
        for (format, subschema) in &rules.formats {
            if !self.with_validator(edits, |validator| validator.opaque(*format, at)) {
                let mut refused = by_keyword(schema, Code::Format, "format", *subschema);
                let json = &schema.document.json;
                refused.expected =
                    json.member(*subschema, "format").map(|slot| shown_word(&json.string(slot))).into_iter().collect();
                findings.push(at, refused);
            }
        }
    }

    fn explain_array(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.array else { return };
        let schema = self.schema;
        let count = self.items(at).count() as u64;
        if let Some((min, subschema)) = rules.min.filter(|(min, _)| count < *min) {
            findings.push(at, with_limit(by_keyword(schema, Code::MinItems, "minItems", subschema), min));
        }
        if let Some((max, subschema)) = rules.max.filter(|(max, _)| count > *max) {
            findings.push(at, with_limit(by_keyword(schema, Code::MaxItems, "maxItems", subschema), max));
        }
        if let Some(subschema) = rules.unique
            && !self.with_validator(edits, |validator| validator.is_unique(at))
        {
            findings.push(at, by_keyword(schema, Code::UniqueItems, "uniqueItems", subschema));
        }
        for contains in &rules.contains {
            let matches = self.with_validator(edits, |validator| validator.count_matching(contains.node, at));
            if matches == 0 && contains.min > 0 {
                findings.push(at, by_keyword(schema, Code::Contains, "contains", contains.schema));
            } else if matches < contains.min {
                let refused = by_keyword(schema, Code::MinContains, "minContains", contains.schema);
                findings.push(at, with_limit(refused, contains.min));
            } else if let Some(max) = contains.max.filter(|max| matches > *max) {
                let refused = by_keyword(schema, Code::MaxContains, "maxContains", contains.schema);
                findings.push(at, with_limit(refused, max));
            }
        }
    }

    fn explain_object(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        let Some(rules) = &node.object else { return };
        let schema = self.schema;
        let members: Vec<_> = self.overlaid(edits).members(at).collect();
        let count = members.len() as u64;
        if let Some((min, subschema)) = rules.min.filter(|(min, _)| count < *min) {
            findings.push(at, with_limit(by_keyword(schema, Code::MinProperties, "minProperties", subschema), min));
        }
        if let Some((max, subschema)) = rules.max.filter(|(max, _)| count > *max) {
            findings.push(at, with_limit(by_keyword(schema, Code::MaxProperties, "maxProperties", subschema), max));
        }
        for dependent in &rules.dependent_required {
            if !self.has_member(at, &dependent.trigger) {
                continue;
            }
            let missing = dependent.names.iter().filter(|name| !self.has_member(at, name));
            let missing: Vec<_> = missing.map(|name| shown_word(name)).collect();
            if !missing.is_empty() {
                let mut refused = by_keyword(schema, Code::DependentRequired, dependent.keyword, dependent.schema);
                refused.missing = missing;
                findings.push(at, refused);
            }
        }
        for (names, subschema) in &rules.names {
            for (name_at, value) in &members {
                if !self.with_validator(edits, |validator| validator.admits(*names, *name_at)) {
                    self.docs.undeclared.insert(*value);
                    let mut refused = by_keyword(schema, Code::PropertyNames, "propertyNames", *subschema);
                    let inner = self.explain(&Conj::from_slice(&[*names]), *name_at, Left::Nothing);
                    if let Some(why) = inner.list.first().map(|finding| &finding.violation) {
                        refused.allowed.clone_from(&why.allowed);
                        refused.allowed_more = why.allowed_more;
                        refused.limit.clone_from(&why.limit);
                        refused.hint = Some(format!("a key here {}", why.reason()));
                    }
                    findings.push(*value, refused);
                }
            }
        }
    }

    fn explain_whole(&mut self, node: &Node, at: At, edits: &Edits, findings: &mut Findings) {
        for (inner, subschema) in &node.nots {
            if self.with_validator(edits, |validator| validator.admits(*inner, at)) {
                findings.push(at, by_keyword(self.schema, Code::Not, "not", *subschema));
            }
        }
        for (part, subschema) in &node.opaques {
            if !self.with_validator(edits, |validator| validator.opaque(*part, at)) {
                let mut refused = violation(Code::Opaque);
                refused.keyword_location = Some(self.schema.pointer(*subschema, ""));
                findings.push(at, refused);
            }
        }
    }

    /// Keys that are refused by name: by a conjunct that closes its object, or because nothing in place knows them.
    pub(crate) fn explain_keys(
        &mut self,
        nodes: &Conj,
        alternative: &Alternative,
        at: At,
        edits: &Edits,
        findings: &mut Findings,
    ) {
        if self.kind(at) != Kind::Object {
            return;
        }
        let schema = self.schema;
        let dropped = self.dropped_members(alternative, at);
        let outside = self.keys_outside(alternative, at);
        let closings = self.closings_of(nodes, &dropped, at, edits);
        let members: Vec<_> = self.members(at).collect();
        for (name_at, value) in members {
            let name = self.overlaid(edits).name(name_at).into_owned();
            let refused_by = self.refused_by(nodes, &name);
            let subschema = match refused_by {
                Some(subschema) => Some((subschema, "additionalProperties")),
                None => self.unknown_to_closing(&closings, &name, edits),
            };
            let is_outside = || outside.contains(&name_at);
            let Some((subschema, keyword)) = subschema.or_else(|| is_outside().then_some((0, ""))) else { continue };
            if findings.list.len() >= FINDINGS_MAX {
                findings.more += 1;
                continue;
            }
            let mut refused = violation(Code::UnknownArgument);
            if !keyword.is_empty() {
                refused.keyword = Some(keyword);
                refused.keyword_location = Some(schema.pointer(subschema, keyword));
            }
            let sent = self.docs.text_of(name_at).into_owned();
            refused.unknown = Some(shown_word(&sent));
            if self.suggestions_left > 0 {
                self.suggestions_left -= 1;
                refused.suggest = self.nearest(nodes, at, &sent);
            }
            self.docs.undeclared.insert(value);
            findings.push(value, refused);
        }
    }

    /// The conjunct that refuses a key because it closes its object and does not declare it.
    fn refused_by(&mut self, nodes: &Conj, name: &str) -> Option<u32> {
        let schema = self.schema;
        nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()).find_map(|rules| match rules.prop(name) {
            Some(prop) => prop.refused_by,
            None => {
                let mut closed = rules.rests.iter().filter(|rest| rest.node.is_none());
                let refusing = closed.find(|rest| {
                    let mut matches = |pattern: &u32| {
                        self.with_validator(&Edits::new(), |validator| validator.matches(*pattern, name))
                    };
                    !rest.patterns.iter().any(&mut matches)
                });
                refusing.map(|rest| rest.schema)
            }
        })
    }

    /// What closes the object, each with the nodes whose keys it knows.
    fn closings_of(&mut self, nodes: &Conj, dropped: &[NodeId], at: At, edits: &Edits) -> Vec<(Closing, Vec<NodeId>)> {
        let schema = self.schema;
        let mut closings = Vec::new();
        for owner in nodes {
            for closing in schema.node(*owner).object.iter().flat_map(|rules| &rules.closings) {
                let mut known = self.with_validator(edits, |validator| validator.applied(closing.scope, at));
                // Keys of a member that is reported are known: what is wrong with it is told by its own rules. The node
                // that closes has told already what it knows.
                known.extend(nodes.iter().filter(|id| *id != owner));
                if closing.is_policy {
                    known.extend(dropped);
                }
                closings.push((closing.clone(), known));
            }
        }
        closings
    }

    /// The first closing that does not know the key: its subschema, and its keyword where it is the author's.
    fn unknown_to_closing(
        &mut self,
        closings: &[(Closing, Vec<NodeId>)],
        name: &str,
        edits: &Edits,
    ) -> Option<(u32, &'static str)> {
        let unknown = closings.iter().find(|(closing, known)| {
            self.with_validator(edits, |validator| {
                // What is asked of the value is told at the value.
                closing.node.is_none() && !validator.is_key_known(known, name, closing.is_policy)
            })
        });
        unknown.map(|(closing, _)| (closing.schema, if closing.is_policy { "" } else { "unevaluatedProperties" }))
    }

    /// The declared name nearest to an undeclared one, where it is near and not there already (R6.5).
    fn nearest(&self, nodes: &Conj, at: At, name: &str) -> Option<String> {
        const LENGTH_MAX: usize = 64;
        if name.len() > LENGTH_MAX {
            return None;
        }
        let folded = fold(name);
        let length = folded.chars().count();
        let declared =
            nodes.iter().filter_map(|id| self.schema.node(*id).object.as_ref()).flat_map(|rules| &rules.props);
        let mut best: Option<(usize, &str)> = None;
        for prop in declared.filter(|prop| prop.is_declared || prop.is_required) {
            // Names that differ in length by more than a third are not near, and most are told apart by that.
            let near_max = 1.max(length.max(prop.name.len()) / 3);
            if prop.name.len() > LENGTH_MAX || prop.name.len() + near_max < length || *prop.name == *name {
                continue;
            }
            let other = fold(&prop.name);
            let other_length = other.chars().count();
            if other_length.abs_diff(length) > near_max || prop.refused_by.is_some() || self.has_member(at, &prop.name)
            {
                continue;
            }
            let distance = if folded == other { 0 } else { strsim::osa_distance(&folded, &other) };
            // A name all of whose letters differ is not near, however short.
            let is_near = distance <= 1.max(length.max(other_length) / 3) && distance < length.min(other_length);
            if is_near && best.is_none_or(|(nearest, _)| distance < nearest) && !self.has_member(at, &prop.name) {
                best = Some((distance, &prop.name));
            }
        }
        best.map(|(_, name)| shown_word(name))
    }
}

/// Names that differ in case and separators only are the same to whoever misspells them.
fn fold(name: &str) -> String {
    name.chars().filter(|ch| !matches!(ch, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

struct Chosen {
    nodes: Conj,
    dropped: Vec<(NodeId, usize)>,
    others: usize,
}

fn union_code(op: UnionOp) -> Code {
    match op {
        UnionOp::Any => Code::AnyOf,
        UnionOp::One => Code::OneOf,
    }
}

fn list_as_text() -> Violation {
    let mut refused = violation(Code::ListAsText);
    refused.hint = Some(
        "send the list itself, not JSON written as text; if this place holds free text, its operator can name it as such".into(),
    );
    refused
}

fn object_as_text() -> Violation {
    let mut refused = violation(Code::ObjectAsText);
    refused.hint = Some("send the object itself, not JSON written as text".into());
    refused
}

fn alias_conflict(names: Vec<String>) -> Violation {
    let mut refused = violation(Code::AliasConflict);
    refused.missing = names;
    refused.hint = Some("send it once".into());
    refused
}
