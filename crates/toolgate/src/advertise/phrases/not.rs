//! What a value may not be, in words: exactly, or as a rule whose words are left to the refusal.

use super::{Phrases, quoted_pattern, ticked};
use crate::schema::kinds::Kinds;
use crate::schema::{Node, NodeId, ObjectRules};

/// What is said of a rule that takes more words than it is worth.
const SOME_RULE: &str = "a rule of what it may not be";

impl<'s> Phrases<'s> {
    /// Every value of `inner` is refused: what is said may be more than that nowhere, or a legal call would be taken for a
    /// wrong one.
    pub(super) fn not(self, inner: NodeId) -> String {
        let node = self.schema.node(inner);
        if node.has_whole() || node.is_dynamic {
            return SOME_RULE.to_owned();
        }
        if !node.values.is_empty() {
            let are_all = !node.has_rules() && node.values.len() == 1;
            return if are_all { format!("not {}", self.brief(&[inner])) } else { SOME_RULE.to_owned() };
        }
        if let Some(pattern) = self.only_pattern(node) {
            return format!("does not match {pattern}");
        }
        let has_steps = node.number.as_ref().is_some_and(|number| !number.multiple_of.is_empty());
        let says_kinds = node.string.is_none() && node.array.is_none() && node.object.is_none() && !has_steps;
        if says_kinds && node.admits != Kinds::ALL {
            return format!("not {}", self.brief(&[inner]));
        }
        let Some(object) = node.object.as_deref() else { return SOME_RULE.to_owned() };
        let names = object.required.iter().filter_map(|(index, _)| object.props.get(*index as usize));
        let names: Vec<String> = names.map(|prop| ticked(&prop.name)).collect();
        let where_rules_hold = if self.asks_only_names(object) { "" } else { ", where its rules hold" };
        match names.as_slice() {
            [] => SOME_RULE.to_owned(),
            [only] => format!("not with {only}{where_rules_hold}"),
            [names @ .., last] => format!("not {} and {last} together{where_rules_hold}", names.join(", ")),
        }
    }

    /// The one pattern of a node that asks for strings which match it and for nothing else.
    fn only_pattern(self, node: &Node) -> Option<String> {
        let string = node.string.as_deref().filter(|string| string.min.is_none() && string.max.is_none())?;
        let is_alone = node.number.is_none() && node.array.is_none() && node.object.is_none();
        match string.patterns.as_slice() {
            [(pattern, _)] if is_alone && string.formats.is_empty() => {
                self.schema.pattern(*pattern).map(|pattern| quoted_pattern(pattern.source()))
            }
            _ => None,
        }
    }

    /// Whether every object with the key, and no other, satisfies the node.
    pub(super) fn asks_for_one(self, node: NodeId, name: &str) -> bool {
        let node = self.schema.node(node);
        let is_plain =
            node.values.is_empty() && !node.has_whole() && !node.is_dynamic && node.admits.meets(Kinds::OBJECT);
        let Some(object) = node.object.as_deref().filter(|_| is_plain) else { return false };
        let is_it = |(index, _): &(u32, _)| object.props.get(*index as usize).is_some_and(|prop| &*prop.name == name);
        self.asks_only_names(object) && matches!(object.required.as_slice(), [only] if is_it(only))
    }

    /// Whether an object is asked for names to be there and for nothing else.
    pub(super) fn asks_only_names(self, object: &ObjectRules) -> bool {
        let asks_nothing = |node: NodeId| asks_nothing(self.schema.node(node));
        object.props.iter().all(|prop| prop.refused_by.is_none() && prop.node.is_none_or(asks_nothing))
            && object.asks_of_names_alone()
            && object.closings.is_empty()
    }
}

/// Whether a node plainly admits every value.
pub(super) fn asks_nothing(node: &Node) -> bool {
    node.admits == Kinds::ALL && node.values.is_empty() && !node.has_rules() && !node.has_whole() && !node.is_dynamic
}
