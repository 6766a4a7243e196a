//! What the advertised side brings in place by choice: `anyOf`, `oneOf`, `not`, `if`.

use super::{CERTAIN, Proved, Prover, also};
use crate::decode::{PLAIN, Position};
use crate::kinds::Kinds;
use crate::schema::{Condition, NodeId};
use crate::states::{Literal, StateId};
use rustc_hash::FxHashMap;

/// A finer division of a conjunction where no member of a union covers it whole.
enum Finer {
    /// These together are the conjunction.
    Parts(Vec<StateId>),
    None,
}

impl<'d> Prover<'d> {
    /// Every value has to be one of some member: each leaf is covered by one, or is divided further.
    pub(super) fn any_of(&mut self, base: StateId, union: NodeId, members: &[NodeId], position: Position) -> Proved {
        if position == PLAIN && self.has_same_union(base, members) {
            return Ok(CERTAIN);
        }
        if let Ok(lowest) = self.covered(base, union, members, position) {
            return Ok(lowest);
        }
        let leaves = self.states.leaves(base).map_err(self.exhausted())?;
        let mut lowest = CERTAIN;
        for leaf in leaves.iter() {
            lowest = lowest.min(self.covered_in_parts(*leaf, union, members, position)?);
        }
        Ok(lowest)
    }

    fn covered_in_parts(&mut self, leaf: StateId, union: NodeId, members: &[NodeId], position: Position) -> Proved {
        if let Ok(lowest) = self.covered(leaf, union, members, position) {
            return Ok(lowest);
        }
        let facts = self.states.facts(leaf).map_err(self.exhausted())?;
        if let Some(values) = &facts.finite {
            for value in values {
                if !members.iter().any(|member| self.admits_sent(value, *member, position)) {
                    return Err(self.fail("anyOf"));
                }
            }
            return Ok(CERTAIN);
        }
        let Finer::Parts(parts) = self.finer(leaf, facts.kinds) else {
            let fail = self.fail("anyOf");
            return self.unless_empty(leaf, fail);
        };
        let mut lowest = CERTAIN;
        for part in parts {
            lowest = lowest.min(match self.covered(part, union, members, position) {
                Ok(lowest) => lowest,
                Err(_) => {
                    let fail = self.fail("anyOf");
                    self.unless_empty(part, fail)?
                }
            });
        }
        Ok(lowest)
    }

    fn finer(&mut self, leaf: StateId, kinds: Kinds) -> Finer {
        let each: Vec<Kinds> = Kinds::EACH.into_iter().filter(|kind| kinds.has(*kind)).collect();
        if each.len() < 2 {
            return Finer::None;
        }
        let mut parts = Vec::new();
        for kind in each {
            let node = self.kind_node(kind);
            parts.push(also(&mut self.states, leaf, node));
        }
        Finer::Parts(parts)
    }

    /// Covered by one member. One that says what a conjunct says is looked at first; then the search begins where it last
    /// ended, since leaves mostly stand in the order of members.
    pub(super) fn covered(&mut self, state: StateId, union: NodeId, members: &[NodeId], position: Position) -> Proved {
        let last = self.last_cover.get(&union);
        let start = last.and_then(|last| members.iter().position(|member| member == last)).unwrap_or(0);
        let alike: Vec<NodeId> = self.alike(state, union, members);
        let in_order = members.iter().cycle().skip(start).take(members.len()).copied();
        let mut first = None;
        for member in alike.into_iter().chain(in_order) {
            match self.prove(state, member, position) {
                Ok(lowest) => {
                    self.last_cover.insert(union, member);
                    return Ok(lowest);
                }
                Err(fail) if fail.keyword == "budget" => return Err(fail),
                Err(fail) => first = first.or(Some(fail)),
            }
        }
        Err(first.unwrap_or_else(|| self.fail("anyOf")))
    }

    /// The members of a wide union that look like a conjunct of the state.
    pub(super) fn alike(&mut self, state: StateId, union: NodeId, members: &[NodeId]) -> Vec<NodeId> {
        if members.len() < 8 {
            return Vec::new();
        }
        let prints = match self.alike.get(&union) {
            Some(known) => known.clone(),
            None => {
                let mut prints: FxHashMap<u64, Vec<NodeId>> = FxHashMap::default();
                for member in members {
                    prints.entry(self.sameness.print(&self.states.schemas, *member, 0)).or_default().push(*member);
                }
                let prints = std::rc::Rc::new(prints);
                self.alike.insert(union, prints.clone());
                prints
            }
        };
        let mut found = Vec::new();
        for node in self.states.holding(state) {
            let print = self.sameness.print(&self.states.schemas, node, 0);
            found.extend(prints.get(&print).into_iter().flatten().take(2));
        }
        found
    }

    /// Whether a union of the contract has only members that the advertised one has too.
    fn has_same_union(&mut self, base: StateId, members: &[NodeId]) -> bool {
        for node in self.states.holding(base) {
            let node = self.states.node(node);
            let unions: Vec<Vec<NodeId>> = node.any.iter().chain(&node.one).cloned().collect();
            for union in unions {
                let within = union.iter().enumerate().all(|(index, known)| {
                    let beside = members.get(index).into_iter();
                    beside.chain(members).any(|member| self.sameness.same(&self.states.schemas, *known, *member))
                });
                if within {
                    return true;
                }
            }
        }
        false
    }

    /// Every value has to be one of exactly one member.
    pub(super) fn one_of(&mut self, base: StateId, members: &[NodeId], position: Position) -> Proved {
        if position == PLAIN && self.has_same_choice(base, members) {
            return Ok(CERTAIN);
        }
        if position != PLAIN {
            return Err(self.fail("oneOf"));
        }
        let leaves = self.states.leaves(base).map_err(self.exhausted())?;
        let mut lowest = CERTAIN;
        for leaf in leaves.iter() {
            let facts = self.states.facts(*leaf).map_err(self.exhausted())?;
            if let Some(values) = &facts.finite {
                for value in values {
                    let mut count = 0;
                    for member in members {
                        match self.states.accepts(*member, value) {
                            Some(true) => count += 1,
                            Some(false) => {}
                            None => return Err(self.fail("oneOf")),
                        }
                    }
                    if count != 1 {
                        return Err(self.fail("oneOf"));
                    }
                }
                continue;
            }
            let parts = match self.finer(*leaf, facts.kinds) {
                Finer::Parts(parts) => parts,
                Finer::None => vec![*leaf],
            };
            for part in parts {
                lowest = lowest.min(self.exactly_one(part, members)?);
            }
        }
        Ok(lowest)
    }

    fn exactly_one(&mut self, part: StateId, members: &[NodeId]) -> Proved {
        let mut covering = None;
        for member in members {
            let with = also(&mut self.states, part, *member);
            if self.states.is_empty(with).map_err(self.exhausted())? {
                continue;
            }
            // A second member that may hold leaves none that holds alone.
            if covering.replace(*member).is_some() {
                let fail = self.fail("oneOf");
                return self.unless_empty(part, fail);
            }
        }
        match covering {
            Some(member) => self.prove(part, member, PLAIN),
            None => {
                let fail = self.fail("oneOf");
                self.unless_empty(part, fail)
            }
        }
    }

    /// Whether the contract has the same choice among the same members.
    fn has_same_choice(&mut self, base: StateId, members: &[NodeId]) -> bool {
        for node in self.states.holding(base) {
            let Some(known) = self.states.node(node).one.clone() else { continue };
            if known.len() != members.len() {
                continue;
            }
            let mut free: Vec<NodeId> = members.to_vec();
            let all = known.iter().all(|known| {
                let found = free.iter().position(|member| self.sameness.same(&self.states.schemas, *known, *member));
                found.map(|index| free.remove(index)).is_some()
            });
            if all {
                return true;
            }
        }
        false
    }

    /// No value may be one of the node.
    pub(super) fn not(&mut self, base: StateId, not: NodeId, position: Position) -> Proved {
        if position != PLAIN {
            return Err(self.fail("not"));
        }
        for failing in self.states.failing(base) {
            if self.sameness.same(&self.states.schemas, failing, not) {
                return Ok(CERTAIN);
            }
        }
        let with = also(&mut self.states, base, not);
        if self.states.is_empty(with).map_err(self.exhausted())? { Ok(CERTAIN) } else { Err(self.fail("not")) }
    }

    /// Where the test holds, so does `then`; where it does not, `else`.
    pub(super) fn condition(&mut self, base: StateId, condition: Condition, position: Position) -> Proved {
        if position != PLAIN {
            return Err(self.fail("if"));
        }
        for node in self.states.holding(base) {
            let Some(known) = self.states.node(node).condition else { continue };
            let pairs = [(known.test, condition.test), (known.then, condition.then), (known.other, condition.other)];
            if pairs.into_iter().all(|(known, asked)| self.sameness.same(&self.states.schemas, known, asked)) {
                return Ok(CERTAIN);
            }
        }
        let holds = also(&mut self.states, base, condition.test);
        let lowest = self.prove(holds, condition.then, PLAIN)?;
        if let Ok(always) = self.prove(base, condition.test, PLAIN) {
            return Ok(lowest.min(always));
        }
        let fails = self.states.with(base, Literal::fails(condition.test));
        Ok(lowest.min(self.prove(fails, condition.other, PLAIN)?))
    }
}
