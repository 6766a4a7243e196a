//! Whether the forms of an object exclude one another.

use super::super::flat::{Key, Sides};
use super::super::states::Alternative;
use super::forms::FORMS_MAX;
use super::{Phrases, common_nodes};
use crate::schema::kinds::Kinds;
use crate::schema::{NodeId, UnionOp};
use std::collections::HashSet;

/// What keeps the forms of an object apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Apart {
    /// No form takes what another declares.
    pub(super) are_closed: bool,
    /// Each form needs one key more than all do, and refuses that of every other.
    pub(super) excludes: bool,
}

impl<'s> Phrases<'s> {
    /// What keeps the forms of an object apart: only then may it be said that exactly one is given.
    pub(super) fn apart(self, objects: &[&Alternative], sides: &Sides<'_, 's>) -> Apart {
        let by_union = self.are_apart_by_union(objects);
        let by_choice = by_union || self.are_branches(objects);
        let are_closed = objects
            .iter()
            .zip(sides.are_open)
            .all(|(form, is_open)| !is_open && (by_choice || self.closes_itself(&form.nodes)));
        Apart { are_closed, excludes: self.excludes(objects, sides, by_union, by_choice) }
    }

    /// Whether each form needs one key more than all do, and refuses that of every other.
    fn excludes(self, objects: &[&Alternative], sides: &Sides<'_, 's>, by_union: bool, by_choice: bool) -> bool {
        if objects.len() > FORMS_MAX {
            return false;
        }
        let mut alone: Vec<&Key<'s>> = Vec::new();
        for number in 0..objects.len() {
            let own = |key: &&Key<'s>| sides.required.by(number, key.name) && !sides.required.by_all(key.name);
            let mut keys = sides.keys.iter().filter(own);
            match (keys.next(), keys.next()) {
                (Some(only), None) => alone.push(only),
                _ => return false,
            }
        }
        if by_union && self.ask_only_names(objects) {
            return true;
        }
        let refuses = |number: usize, form: &Alternative, other: &Key<'s>| {
            let is_declared = other.at.binary_search_by_key(&number, |(at, _)| *at).is_ok();
            let is_closed = !is_declared && sides.are_open.get(number) == Some(&false);
            is_closed && by_choice || self.refuses_itself(&form.nodes, other.name)
        };
        objects.iter().enumerate().all(|(number, form)| {
            let own = alone.get(number).map(|key| key.name);
            alone.iter().filter(|key| Some(key.name) != own).all(|key| refuses(number, form, key))
        })
    }

    /// Whether the forms are members of one union of which exactly one may hold.
    fn are_apart_by_union(self, objects: &[&Alternative]) -> bool {
        let common = common_nodes(objects.iter().copied());
        let unions = self.nodes(&common).flat_map(|node| &node.unions);
        unions.filter(|union| union.op == UnionOp::One || union.tag.is_some()).any(|union| {
            let members: HashSet<NodeId> = union.members.iter().copied().collect();
            let mut chosen = HashSet::new();
            objects.iter().all(|form| {
                let mut of_form = form.nodes.iter().filter(|id| members.contains(id));
                let only = of_form.next().filter(|_| of_form.next().is_none());
                only.is_some_and(|only| chosen.insert(*only))
            })
        })
    }

    /// Whether the two forms are the branches of one condition.
    fn are_branches(self, objects: &[&Alternative]) -> bool {
        !self.conditions_between(objects).is_empty()
    }

    /// Whether some node refuses every key that it does not declare, whatever else holds.
    fn closes_itself(self, nodes: &[NodeId]) -> bool {
        self.nodes(nodes)
            .filter_map(|node| node.object.as_deref())
            .any(|rules| rules.rests.iter().any(|rest| rest.node.is_none_or(|node| self.schema.node(node).is_dead)))
    }

    /// Whether some node refuses the key, whatever else holds.
    fn refuses_itself(self, nodes: &[NodeId], name: &str) -> bool {
        self.nodes(nodes).any(|node| {
            let own = node.object.as_deref().is_some_and(|rules| match rules.prop(name) {
                Some(prop) => prop.refused_by.is_some() || prop.node.is_some_and(|node| self.schema.node(node).is_dead),
                None => rules.rests.iter().any(|rest| rest.node.is_none() && rest.patterns.is_empty()),
            });
            own || node.nots.iter().any(|(inner, _)| self.asks_for_one(*inner, name))
        })
    }

    /// Whether the members that tell the forms apart ask for names and for nothing else, so that who gives two satisfies two.
    fn ask_only_names(self, objects: &[&Alternative]) -> bool {
        let common: HashSet<NodeId> = common_nodes(objects.iter().copied()).into_iter().collect();
        let mut own = objects.iter().flat_map(|form| &form.nodes).filter(|id| !common.contains(id));
        own.all(|id| {
            let node = self.schema.node(*id);
            let asks_names = node.object.as_deref().is_none_or(|object| self.asks_only_names(object));
            let is_plain = node.values.is_empty() && !node.has_whole() && !node.is_dynamic;
            let is_object = node.number.is_none() && node.string.is_none() && node.array.is_none();
            asks_names && is_plain && is_object && node.admits.meets(Kinds::OBJECT)
        })
    }
}
