//! Why arguments are refused: all violations of the arguments as they were sent, located inside decoded text where the text
//! decoded (R6). Runs only for a call that has no reading.
//!
//! An object reports its own faults first, then its declared properties in schema order, then the rest as sent. Of a union
//! only the chosen member speaks; where nothing chooses, the one that got furthest. What satisfies its nodes is judged once
//! and not looked into.

mod choice;
mod findings;
mod keys;
mod own;

pub(crate) use findings::{Findings, Shown};

use crate::json::Kind;
use crate::normalize::overlay::{Action, At, Decoded, Docs, Edits};
use crate::normalize::{Alternative, AsSent, Conj, Left, READ_STEPS, Reader, Reading};
use crate::refusal::{Code, Source, escaped_line};
use crate::schema::UnionOp;
use choice::Chosen;
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

impl Reader<'_> {
    /// Everything that keeps the value from being read as the nodes ask. Asked only of what has not just one reading.
    pub(crate) fn explain(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        // What a member is refused for is asked for again only where members are compared.
        let is_remembered = self.comparing > 0 || !self.findings.is_empty();
        if !is_remembered || self.is_scalar(at) {
            return self.explain_counted(conj, at, left, findings);
        }
        let key = (conj.clone(), at, left == Left::Nothing, self.reads_text);
        let known = match self.findings.get(&key) {
            Some(known) => Rc::clone(known),
            None => {
                let mut found = Findings::default();
                self.explain_counted(conj, at, left, &mut found);
                let found = Rc::new(found);
                self.findings.insert(key, Rc::clone(&found));
                found
            }
        };
        self.work.spend(known.count() as u64);
        findings.append(&known);
    }

    fn explain_counted(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        self.inside_of(conj, findings, |reader, findings| {
            let readings = if reader.may_be_read(conj, at) { reader.read(conj, at, left).len() } else { 0 };
            reader.explain_read(conj, at, left, readings, findings);
        });
    }

    /// As `explain`, for a value whose readings are known to be none or two.
    pub(crate) fn explain_known(&mut self, conj: &Conj, at: At, left: Left, readings: usize, findings: &mut Findings) {
        self.inside_of(conj, findings, |reader, findings| reader.explain_read(conj, at, left, readings, findings));
    }

    fn inside_of(&mut self, conj: &Conj, findings: &mut Findings, explain: impl FnOnce(&mut Self, &mut Findings)) {
        let is_secret = conj.iter().any(|id| self.schema.node(*id).is_secret);
        self.secret_depth += usize::from(is_secret);
        let before = findings.begin();
        if self.work.enter() && self.work.spend(READ_STEPS) {
            explain(self, findings);
        }
        self.work.leave();
        findings.end(before);
        self.secret_depth -= usize::from(is_secret);
    }

    fn explain_read(&mut self, conj: &Conj, at: At, left: Left, readings: usize, findings: &mut Findings) {
        match readings {
            0 => {}
            1 => return,
            _ => return self.explain_ambiguous(conj, at, left, findings),
        }
        if let Some(never) = conj.iter().find_map(|id| self.schema.node(*id).never) {
            findings.tell(at, Code::FalseSchema, self.source("", never));
            return;
        }
        let kinds = self.admitted_kinds(conj);
        if !self.kind_fits(kinds, at) {
            return self.explain_kind(conj, kinds, at, left, findings);
        }
        let kind = self.kind(at);
        if kind == Kind::String && self.explain_container_as_text(conj, at, findings) {
            return;
        }
        let count = findings.count();
        if kind == Kind::Object && self.reads_text {
            let names = self.conflicting_names(conj, at);
            if !names.is_empty() {
                let refused = findings.tell(at, Code::AliasConflict, None);
                refused.missing = names;
                refused.hint = Some("send it once".into());
            }
        }
        if matches!(kind, Kind::Array | Kind::Object) && self.as_sent(conj, at) == AsSent::Suspect {
            // It satisfies the schema, so a list written as text is all that is wrong with it.
            for list in self.lists_inside(conj, at) {
                let code = match self.docs.text_of(list).trim_start().starts_with('[') {
                    true => Code::ListAsText,
                    false => Code::ObjectAsText,
                };
                tell_container_as_text(list, code, findings);
            }
            if !findings.is_empty() {
                return;
            }
        }
        let chosen = self.choose(conj, at, left, findings);
        self.explain_chosen(&chosen, at, left, findings);
        if findings.count() == count {
            self.explain_as_sent(conj, at, left, findings);
        }
    }

    /// Whether a value that does not satisfy its nodes could be read as another, or be left to the server.
    fn may_be_read(&self, conj: &Conj, at: At) -> bool {
        !self.is_literal
            && (!self.is_scalar(at)
                || self.options.wrap_single
                || self.has_choices(conj)
                || self.kind(at) == Kind::String && self.docs.is_json_text(at))
    }

    /// R5: whether the string is refused for what it holds.
    fn explain_container_as_text(&mut self, conj: &Conj, at: At, findings: &mut Findings) -> bool {
        let code = if self.is_list_as_text(conj, at) {
            Code::ListAsText
        } else if self.is_object_as_text(conj, at) {
            Code::ObjectAsText
        } else {
            return false;
        };
        tell_container_as_text(at, code, findings);
        true
    }

    /// Every part can be read and the whole cannot: the faults are those of the value without reading any text (R4.7).
    fn explain_as_sent(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        if self.reads_text {
            self.reads_text = false;
            let known = std::mem::take(&mut self.readings);
            self.explain(conj, at, left, findings);
            self.readings = known;
            self.reads_text = true;
        }
        if findings.is_empty() {
            let union = conj.iter().find_map(|id| self.schema.node(*id).unions.first());
            match union {
                Some(union) => findings.tell(at, union_code(union.op), self.source(union.keyword, union.schema)),
                None => findings.tell(at, Code::Opaque, None),
            };
        }
    }

    /// Two readings: told where the union stands whose members disagree.
    fn explain_ambiguous(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) {
        let has_union = conj.iter().any(|id| !self.schema.node(*id).unions.is_empty());
        if !has_union {
            let kinds = self.admitted_kinds(conj);
            if let Some(Decoded::Value(doc)) = self.decoded_as(kinds, at) {
                return self.explain(conj, Docs::root_of(doc), left, findings);
            }
            for (value, child) in self.children(conj, at).unwrap_or_default() {
                if !child.is_empty() && self.read(&child, value, left).len() > 1 {
                    self.explain(&child, value, left, findings);
                }
            }
        }
        if findings.is_empty() {
            let readings = self.read(conj, at, left);
            let forms: Vec<_> = readings.iter().map(|reading| self.describe_reading(reading)).collect();
            let value = "send what is meant as a JSON value, not as text";
            let hint = format!("one form {}; {value}", forms.join(", another "));
            findings.tell(at, Code::Ambiguous, None).hint = Some(hint.into());
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

    fn explain_chosen(&mut self, chosen: &Chosen, at: At, left: Left, findings: &mut Findings) {
        let alternative = &chosen.alternative;
        let count = findings.count();
        self.explain_own(&alternative.nodes, at, &Edits::new(), findings);
        let unknown = self.explain_inside(alternative, at, left, findings);
        self.explain_keys(alternative, at, &unknown, &Edits::new(), findings);
        if left == Left::Undecided && !alternative.dropped.is_empty() {
            for list in self.lists_outside(alternative, at) {
                if !findings.tells_of(list) {
                    tell_container_as_text(list, Code::ListAsText, findings);
                }
            }
        }
        if chosen.others > 0
            && let Some(first) = findings.get_mut(count)
        {
            first.others = chosen.others;
        }
    }

    /// Declared properties in schema order, then the others as sent; items in order. Only what does not satisfy its nodes is
    /// looked into. Gives back the members whose keys may be refused.
    fn explain_inside(
        &mut self,
        alternative: &Alternative,
        at: At,
        left: Left,
        findings: &mut Findings,
    ) -> SmallVec<[(At, At); 4]> {
        let nodes = &alternative.nodes;
        let mut unknown = SmallVec::new();
        let mut inside = self.docs.inside(at);
        match self.kind(at) {
            Kind::Object => {
                let mut faulty: SmallVec<[(usize, At, Conj, bool); 4]> = SmallVec::new();
                let knows_declared = self.knows_declared(alternative);
                let mut hint = 0;
                while let Some((name_at, value)) = inside.next_member(&self.docs) {
                    let child = self.child(nodes, name_at, value, hint);
                    hint = child.next_hint();
                    if !knows_declared || !child.is_declared() || child.nodes.is_none() {
                        unknown.push((name_at, value));
                    }
                    // A key that is refused is told by name, not by what is in it.
                    let Some(judging) = child.nodes else { continue };
                    if !judging.is_empty() && !self.is_as_it_is(&judging, value) {
                        faulty.push((child.order, value, judging, !child.is_required));
                    }
                }
                // Stable: what has no place in the schema stays as sent.
                faulty.sort_by_key(|(order, ..)| *order);
                for (_, value, child, may_be_absent) in faulty {
                    if !findings.tells_of(value) && self.absence(nodes, at, value).is_none() {
                        self.explain_child(&child, value, may_be_absent, left, findings);
                    }
                }
            }
            Kind::Array => {
                let mut index = 0;
                while let Some(item) = inside.next_item(&self.docs) {
                    let child = self.item_nodes(nodes, index);
                    index += 1;
                    if !child.is_empty() && !self.is_as_it_is(&child, item) && !findings.tells_of(item) {
                        self.explain_child(&child, item, false, left, findings);
                    }
                }
            }
            _ => {}
        }
        unknown
    }

    fn explain_child(&mut self, child: &Conj, at: At, may_be_absent: bool, left: Left, findings: &mut Findings) {
        let outer = std::mem::replace(&mut self.may_be_absent, may_be_absent);
        self.explain(child, at, left, findings);
        self.may_be_absent = outer;
    }

    /// Where a keyword stands; without one, the subschema itself.
    fn source(&self, keyword: &'static str, subschema: u32) -> Option<Source> {
        Some(Source { schema: Arc::clone(self.schema), subschema, keyword })
    }
}

fn union_code(op: UnionOp) -> Code {
    match op {
        UnionOp::Any => Code::AnyOf,
        UnionOp::One => Code::OneOf,
    }
}

fn tell_container_as_text(at: At, code: Code, findings: &mut Findings) {
    let hint = match code {
        Code::ListAsText => {
            "send the list itself, not JSON written as text; if this place holds free text, its operator can name it as such"
        }
        _ => "send the object itself, not JSON written as text",
    };
    findings.tell(at, code, None).hint = Some(hint.into());
}
