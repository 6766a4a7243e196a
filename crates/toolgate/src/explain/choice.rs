//! Which members of a union, and which branches of a condition, a refusal speaks of (R6.6).

use super::Findings;
use crate::json::Kind;
use crate::normalize::overlay::{At, Edits};
use crate::normalize::{Alternative, Conj, Left, Reader};
use crate::refusal::{Code, ShownWord};
use crate::schema::kinds::Kinds;
use crate::schema::{NodeId, Union, UnionOp};

/// The choice that a refusal speaks of.
#[derive(Default)]
pub(super) struct Chosen {
    pub(super) alternative: Alternative,
    /// Members that failed beside the one that is told of.
    pub(super) others: usize,
}

/// A union of a node, and the value that it speaks of.
struct Asked<'a> {
    id: NodeId,
    index: usize,
    union: &'a Union,
    at: At,
    left: Left,
}

impl Reader<'_> {
    /// The members and branches that speak for the value; faults of the choice itself are told.
    pub(super) fn choose(&mut self, conj: &Conj, at: At, left: Left, findings: &mut Findings) -> Chosen {
        let mut chosen = Chosen::default();
        if !self.has_choices(conj) {
            chosen.alternative.nodes = Conj::from_slice(conj);
            return chosen;
        }
        let mut pending: Conj = conj.iter().rev().copied().collect();
        while let Some(id) = pending.pop() {
            if chosen.alternative.nodes.contains(&id) || !self.work.spend(1) {
                continue;
            }
            chosen.alternative.nodes.push(id);
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
                    chosen.alternative.dropped.push((id, index));
                } else {
                    let asked = Asked { id, index, union, at, left };
                    self.choose_member(&asked, &mut chosen, &mut pending, findings);
                }
            }
        }
        chosen
    }

    fn choose_member(&mut self, asked: &Asked<'_>, chosen: &mut Chosen, pending: &mut Conj, findings: &mut Findings) {
        let Asked { id, index, union, at, left } = *asked;
        let candidates = self.candidates(union, at);
        if let [only] = candidates.as_slice() {
            return pending.push(*only);
        }
        if candidates.is_empty() {
            // No member speaks, so no key of any of them is unknown.
            chosen.alternative.dropped.push((id, index));
            return self.explain_no_member(union, at, findings);
        }
        let holding: Conj = candidates
            .iter()
            .copied()
            .filter(|member| self.read(&Conj::from_slice(&[*member]), at, left).len() == 1)
            .collect();
        if union.op == UnionOp::One && holding.len() > 1 {
            let hint = format!("{} of the forms fit at once; send what only one of them admits", holding.len());
            chosen.alternative.dropped.push((id, index));
            findings.tell(at, Code::OneOf, self.source(union.keyword, union.schema)).hint = Some(hint.into());
            return;
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
        self.comparing += 1;
        for member in candidates {
            let mut found = Findings::default();
            self.explain(&Conj::from_slice(&[*member]), at, left, &mut found);
            let missing = found.at(at).map(|violation| violation.missing.len()).sum();
            let score = (missing, found.at(at).count(), found.count());
            if best.is_none_or(|(lowest, _)| score < lowest) {
                best = Some((score, *member));
            }
        }
        self.comparing -= 1;
        best.map(|(_, member)| member)
    }

    fn explain_no_member(&mut self, union: &Union, at: At, findings: &mut Findings) {
        let source = self.source(union.keyword, union.schema);
        let Some(tag) = union.tag.as_ref().filter(|_| self.kind(at) == Kind::Object) else {
            let kinds =
                union.members.iter().fold(Kinds::NONE, |kinds, member| kinds | self.schema.node(*member).admits);
            findings.tell(at, Code::Type, source).kinds = kinds;
            return;
        };
        if let Some(value) = self.member_value(at, &tag.key) {
            let refused = findings.tell(value, Code::Enum, source);
            self.list_words(&tag.shown, tag.table.len(), refused);
            return;
        }
        let refused = findings.tell(at, Code::Required, source);
        let key = ShownWord::shown(&tag.key);
        self.list_words(&tag.shown, tag.table.len(), refused);
        let words = refused.allowed().iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        if !words.is_empty() {
            refused.hint = Some(format!("`{key}` selects the form; it is one of {words}").into());
        }
        refused.missing.push(key);
    }
}
