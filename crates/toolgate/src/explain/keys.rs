//! Keys that are refused by name, and the declared names that they are near to (R3, R6.5).

use super::Findings;
use crate::location::shown_name;
use crate::normalize::overlay::{At, Edits};
use crate::normalize::{Alternative, Conj, Reader};
use crate::refusal::{Code, ShownWord};
use crate::schema::spelling::Spelling;
use crate::schema::{Closing, NodeId};
use crate::tree::Tree;
use std::sync::Arc;

/// What closes an object, with the nodes whose keys it knows.
type Closings<'a> = Vec<(&'a Closing, Vec<NodeId>)>;

impl<'a> Reader<'a> {
    /// Keys that are refused by name: by a conjunct that closes its object, or because nothing in place knows them.
    pub(crate) fn explain_keys(
        &mut self,
        alternative: &Alternative,
        at: At,
        members: &[(At, At)],
        edits: &Edits,
        findings: &mut Findings,
    ) {
        if members.is_empty() {
            return;
        }
        let nodes = &alternative.nodes;
        let outside = self.keys_outside(alternative, at);
        let mut closings = None;
        for (name_at, value) in members {
            let source = if let Some(subschema) = self.refused_by(nodes, *name_at) {
                self.source("additionalProperties", subschema)
            } else {
                if closings.is_none() {
                    closings = Some(self.closings_of(alternative, at, edits));
                }
                match self.unknown_to(closings.as_deref().unwrap_or_default(), *name_at) {
                    Some(closing) if closing.is_policy => None,
                    Some(closing) => self.source("unevaluatedProperties", closing.schema),
                    None if outside.contains(name_at) => None,
                    None => continue,
                }
            };
            let refused = findings.tell(*value, Code::UnknownArgument, source);
            let sent = self.docs.text_of(*name_at);
            refused.unknown = Some(shown_name(&sent));
            if self.suggestions_left > 0 {
                refused.suggest = self.nearest(nodes, at, &sent);
                self.suggestions_left -= 1;
            }
            self.docs.note_undeclared(*value);
        }
    }

    /// Whether one node alone speaks of an object and only the boundary closes it: then what it declares is known.
    pub(super) fn knows_declared(&self, alternative: &Alternative) -> bool {
        let [id] = alternative.nodes.as_slice() else { return false };
        let mut closings = self.schema.node(*id).object.iter().flat_map(|rules| &rules.closings);
        alternative.dropped.is_empty() && closings.all(|closing| closing.is_policy && closing.scope == *id)
    }

    /// The conjunct that refuses a key because it closes its object and does not declare it.
    fn refused_by(&mut self, nodes: &Conj, name_at: At) -> Option<u32> {
        let schema = self.schema;
        self.with_validator(&Edits::new(), |validator| {
            let name = validator.tree.name(name_at);
            nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()).find_map(|rules| match rules.prop(&name) {
                Some(prop) => prop.refused_by,
                None => {
                    let mut closed = rules.rests.iter().filter(|rest| rest.node.is_none());
                    let refusing =
                        closed.find(|rest| !rest.patterns.iter().any(|pattern| validator.matches(*pattern, &name)));
                    refusing.map(|rest| rest.schema)
                }
            })
        })
    }

    fn closings_of(&mut self, alternative: &Alternative, at: At, edits: &Edits) -> Closings<'a> {
        let schema = self.schema;
        let dropped = self.dropped_members(alternative, at);
        let mut closings = Vec::new();
        for owner in &alternative.nodes {
            for closing in schema.node(*owner).object.iter().flat_map(|rules| &rules.closings) {
                let mut known = self.with_validator(edits, |validator| validator.applied(closing.scope, at));
                // Keys of a member that is reported are known: what is wrong with it is told by its own rules. The node
                // that closes has told already what it knows.
                known.extend(alternative.nodes.iter().filter(|id| *id != owner));
                if closing.is_policy {
                    known.extend(&dropped);
                }
                closings.push((closing, known));
            }
        }
        closings
    }

    /// The first closing that does not know the key.
    fn unknown_to(&mut self, closings: &[(&'a Closing, Vec<NodeId>)], name_at: At) -> Option<&'a Closing> {
        self.with_validator(&Edits::new(), |validator| {
            let name = validator.tree.name(name_at);
            let unknown = closings.iter().find(|(closing, known)| {
                // What is asked of the value is told at the value.
                closing.node.is_none() && !validator.is_key_known(known, &name, closing.is_policy)
            });
            unknown.map(|(closing, _)| *closing)
        })
    }

    /// The declared name nearest to an undeclared one, where it is near and not there already (R6.5).
    fn nearest(&self, nodes: &Conj, at: At, name: &str) -> Option<ShownWord> {
        let spelling = Spelling::of(name)?;
        let declared =
            nodes.iter().filter_map(|id| self.schema.node(*id).object.as_ref()).flat_map(|rules| &rules.props);
        let mut best: Option<(usize, &Arc<str>)> = None;
        for prop in declared.filter(|prop| prop.is_declared || prop.is_required) {
            let Some(other) = prop.spelling.filter(|other| spelling.may_be_near(*other)) else { continue };
            if prop.refused_by.is_some() || *prop.name == *name || self.has_member(at, &prop.name) {
                continue;
            }
            let distance = spelling.distance(name, other, &prop.name);
            if let Some(distance) = distance.filter(|distance| best.is_none_or(|(nearest, _)| *distance < nearest)) {
                best = Some((distance, &prop.name));
            }
        }
        best.map(|(_, name)| ShownWord::shown(name))
    }
}
