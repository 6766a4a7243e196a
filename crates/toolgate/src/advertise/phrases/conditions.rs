//! Conditions of the contract in words: what `if` tests, and what each branch needs.

use super::super::flat::Required;
use super::super::states::{Alternative, Conj};
use super::forms::FORMS_MAX;
use super::not::asks_nothing;
use super::text::{capital, ticked};
use super::{ANY_VALUE, Phrases, common_nodes, label};
use crate::schema::{Condition, NodeId};
use std::collections::HashSet;

/// Conditions inside branches of others that are told.
const NESTING_MAX: usize = 4;

impl<'s> Phrases<'s> {
    /// What a condition of the contract, whose branches these two forms are, asks for in words, and `Otherwise`.
    pub(super) fn condition_between(self, objects: &[&Alternative], required: &Required<'s>) -> Option<Vec<String>> {
        let found = self.conditions_between(objects);
        let [(test, holds_first)] = *found.as_slice() else { return None };
        let mut labels = vec![format!("Where {}", self.test(test, required)?), "Otherwise".to_owned()];
        if !holds_first {
            labels.reverse();
        }
        Some(labels)
    }

    /// The tests of the conditions whose branches these two forms are, and whether each holds for the first.
    pub(super) fn conditions_between(self, objects: &[&Alternative]) -> Vec<(NodeId, bool)> {
        let [first, second] = objects else { return Vec::new() };
        let common = first.nodes.iter().filter(|id| second.nodes.contains(id));
        let conditions = common.flat_map(|id| &self.schema.node(*id).conditions);
        let between = conditions.filter_map(|condition| {
            let [holds_first, holds_second] = [first, second].map(|form| form.nodes.contains(&condition.test));
            (holds_first != holds_second).then_some((condition.test, holds_first))
        });
        between.collect()
    }

    /// The names of which conditions ask that one of the forms satisfies.
    pub(super) fn tested_names(self, objects: &[&Alternative]) -> HashSet<&'s str> {
        let forms = || objects.iter().flat_map(|form| &form.nodes);
        let conditions = forms().flat_map(|id| &self.schema.node(*id).conditions);
        let tests: HashSet<NodeId> = conditions.map(|condition| condition.test).collect();
        let tested = forms().filter(|id| tests.contains(id)).filter_map(|id| self.schema.node(*id).object.as_deref());
        tested.flat_map(|object| &object.props).map(|prop| &*prop.name).collect()
    }

    /// What an object has to be for a condition to hold, where that is the words of some keys.
    fn test(self, test: NodeId, required: &Required<'s>) -> Option<String> {
        let node = self.schema.node(test);
        let object = node.object.as_deref().filter(|_| !node.has_whole() && node.values.is_empty())?;
        if !object.asks_of_names_alone() {
            return None;
        }
        let mut parts = Vec::new();
        for prop in &object.props {
            let words = prop.node.map(|node| Conj::from_slice(&[node])).and_then(|conj| self.words(&conj));
            match (words, prop.is_required || required.by_all(&prop.name)) {
                (Some(words), true) => parts.push(format!("{} = {}", ticked(&prop.name), label(&words))),
                (Some(words), false) => {
                    parts.push(format!("{} is {} or left out", ticked(&prop.name), label(&words)));
                }
                (None, true) if prop.node.is_none_or(|node| asks_nothing(self.schema.node(node))) => {
                    parts.push(format!("{} is there", ticked(&prop.name)));
                }
                _ => return None,
            }
        }
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// What each of several conditions asks for, where they are all that the forms differ in and can be said in words.
    pub(super) fn conditions_of(self, objects: &[&Alternative], required: &Required<'s>) -> Option<Vec<String>> {
        let common = common_nodes(objects.iter().copied());
        let conditions = || self.nodes(&common).flat_map(|node| &node.conditions);
        let mut parts = HashSet::new();
        conditions().for_each(|condition| self.add_parts(condition, NESTING_MAX, &mut parts));
        let shared: HashSet<NodeId> = common.iter().copied().collect();
        let is_told = |id: &NodeId| parts.contains(id) || shared.contains(id);
        if objects.iter().any(|form| form.is_widened || !form.nodes.iter().all(is_told)) {
            return None;
        }
        let mut lines = Vec::new();
        for condition in conditions() {
            // A test that cannot be said leaves all to other words; one inside a branch is a further rule of that branch.
            self.test(condition.test, required)?;
            lines.extend(self.rule(condition, required, NESTING_MAX).map(|rule| format!("{}.", capital(&rule))));
        }
        (!lines.is_empty() && lines.len() <= FORMS_MAX).then_some(lines)
    }

    /// The nodes of a condition, and of those in its branches.
    fn add_parts(self, condition: &Condition, nesting: usize, parts: &mut HashSet<NodeId>) {
        parts.insert(condition.test);
        for branch in condition.then.into_iter().chain(condition.otherwise) {
            parts.insert(branch);
            if let Some(nesting) = nesting.checked_sub(1) {
                self.schema.node(branch).conditions.iter().for_each(|inner| self.add_parts(inner, nesting, parts));
            }
        }
    }

    /// What a condition asks for; `None` where that is nothing, or its test cannot be said.
    fn rule(self, condition: &Condition, required: &Required<'s>, nesting: usize) -> Option<String> {
        let test = self.test(condition.test, required)?;
        let says = |branch: Option<NodeId>| branch.and_then(|branch| self.branch(branch, required, nesting));
        let then = says(condition.then).map(|then| match condition.then {
            // What is inside the first branch ends before the second begins.
            Some(branch) if condition.otherwise.is_some() && !self.schema.node(branch).conditions.is_empty() => {
                format!("({then})")
            }
            _ => then,
        });
        match (then, says(condition.otherwise)) {
            (Some(then), Some(otherwise)) => Some(format!("where {test}: {then}; otherwise {otherwise}")),
            (Some(then), None) => Some(format!("where {test}: {then}")),
            (None, Some(otherwise)) => Some(format!("unless {test}: {otherwise}")),
            (None, None) => None,
        }
    }

    /// What one branch of a condition asks for; `None` for nothing.
    fn branch(self, branch: NodeId, required: &Required<'s>, nesting: usize) -> Option<String> {
        let node = self.schema.node(branch);
        let object = node.object.as_deref();
        let props = || object.into_iter().flat_map(|object| &object.props);
        let (mut needs, mut without, mut says) = (Vec::new(), Vec::new(), Vec::new());
        for prop in props() {
            if prop.refused_by.is_some() || prop.node.is_some_and(|node| self.schema.node(node).is_dead) {
                without.push(ticked(&prop.name));
                continue;
            }
            if prop.is_required && !required.by_all(&prop.name) {
                needs.push(ticked(&prop.name));
            }
            let what = prop.node.map_or_else(|| ANY_VALUE.to_owned(), |node| self.brief(&[node]));
            if what != ANY_VALUE {
                says.push(format!("{} is {what}", ticked(&prop.name)));
            }
        }
        let mut parts = Vec::new();
        if !needs.is_empty() {
            parts.push(format!("needs {}", needs.join(", ")));
        }
        if !without.is_empty() {
            parts.push(format!("without {}", without.join(", ")));
        }
        parts.extend(says);
        let inner = node.conditions.iter().filter(|_| nesting > 0);
        let inner: Vec<String> = inner.filter_map(|condition| self.rule(condition, required, nesting - 1)).collect();
        let has_more = inner.len() < node.conditions.len()
            || node.has_whole_beside_conditions()
            || node.is_dynamic
            || !node.values.is_empty()
            || object.is_some_and(|object| !object.asks_of_names_alone() || !object.closings.is_empty());
        if has_more {
            parts.push("further rules".to_owned());
        }
        parts.extend(inner);
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
