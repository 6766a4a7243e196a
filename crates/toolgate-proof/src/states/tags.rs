//! Tags: a key that every member of a union requires, with few values in each. What a conjunction says about that key leaves
//! most members out at once, so that a union of many variants costs what it holds and not its square.

use super::{Exhausted, Key, StateId, States, Union};
use crate::kinds::Kinds;
use crate::schema::{NameId, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Unions of fewer members are tried member by member.
const MEMBERS_MIN: usize = 8;
/// Keys of a member that are tried as its tag.
const KEYS_MAX: usize = 12;

/// A union's members by the value of its tag.
#[derive(Debug)]
pub(crate) struct Tags {
    key: NameId,
    /// By the fingerprint of a value; the places of the members in the union.
    members: FxHashMap<u64, Vec<u32>>,
}

impl<'d> States<'d> {
    /// The members that can hold together with the conjunction as far as its tag says; `None` where no tag tells.
    pub(super) fn compatible(
        &mut self,
        base: StateId,
        id: NodeId,
        which: Union,
    ) -> Result<Option<Vec<NodeId>>, Exhausted> {
        let Some(tags) = self.tags(id, which)? else { return Ok(None) };
        let facts = self.facts(base)?;
        // A value that is no object has no tag.
        if facts.kinds != Kinds::OBJECT || !facts.requires(tags.key) {
            return Ok(None);
        }
        let Some(prints) = self.finite_prints(base, tags.key)? else { return Ok(None) };
        let mut places: Vec<u32> =
            prints.iter().filter_map(|print| tags.members.get(print)).flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let members = self.union(id, which).unwrap_or_default();
        Ok(Some(places.into_iter().filter_map(|place| members.get(place as usize)).copied().collect()))
    }

    /// The fingerprints of the values that the key can have, where they are finitely many.
    fn finite_prints(&mut self, base: StateId, key: NameId) -> Result<Option<Vec<u64>>, Exhausted> {
        let Some(child) = self.child(base, Key::Name(key)) else { return Ok(Some(Vec::new())) };
        let Some(child) = self.base(child)? else { return Ok(Some(Vec::new())) };
        let facts = self.facts(child)?;
        Ok(facts.finite.as_ref().map(|values| values.iter().map(|value| value.fingerprint()).collect()))
    }

    fn tags(&mut self, id: NodeId, which: Union) -> Result<Option<Rc<Tags>>, Exhausted> {
        if let Some(known) = self.tags.get(&(id, which)) {
            return Ok(known.clone());
        }
        let members = self.union(id, which).unwrap_or_default().to_vec();
        // Looking at a member may come back here.
        self.tags.insert((id, which), None);
        let tags = if members.len() < MEMBERS_MIN { None } else { self.find_tags(&members)? };
        let tags = tags.map(Rc::new);
        self.tags.insert((id, which), tags.clone());
        Ok(tags)
    }

    /// The key that tells most members apart.
    fn find_tags(&mut self, members: &[NodeId]) -> Result<Option<Tags>, Exhausted> {
        let mut bases = Vec::new();
        for (place, member) in (0..).zip(members) {
            let state = self.state_of(*member);
            if let Some(base) = self.base(state)? {
                bases.push((place, base));
            }
        }
        let Some((_, first)) = bases.first() else { return Ok(None) };
        let keys: Vec<NameId> = self.facts(*first)?.required.iter().copied().take(KEYS_MAX).collect();
        let mut best: Option<Tags> = None;
        for key in keys {
            let tags = self.tags_by(key, &bases)?;
            let count = |tags: &Option<Tags>| tags.as_ref().map_or(1, |tags| tags.members.len());
            if count(&tags) > count(&best) {
                best = tags;
            }
        }
        Ok(best)
    }

    fn tags_by(&mut self, key: NameId, bases: &[(u32, StateId)]) -> Result<Option<Tags>, Exhausted> {
        let mut members: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (place, base) in bases {
            self.tick(1)?;
            if !self.facts(*base)?.requires(key) {
                return Ok(None);
            }
            let Some(prints) = self.finite_prints(*base, key)? else { return Ok(None) };
            for print in prints.into_iter().collect::<FxHashSet<u64>>() {
                members.entry(print).or_default().push(*place);
            }
        }
        Ok(Some(Tags { key, members }))
    }
}
