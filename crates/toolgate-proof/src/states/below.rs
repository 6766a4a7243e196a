//! What a conjunction says about the values of keys and about items, and which keys it evaluates.

use super::{Exhausted, Item, Key, Literal, StateId, States, Union};
use crate::schema::{ANY, NEVER, NodeId, Unevaluated};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Members from which on a union is wide.
const WIDE: usize = 16;
/// Alternatives for the schema of one key.
const ALTERNATIVES_MAX: usize = 1_000;

/// One way in which a key of a conjunction can have its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alternative {
    /// The conjunction, with what has to hold besides for the key to be allowed.
    pub(crate) state: StateId,
    /// What holds for the key's value.
    pub(crate) child: StateId,
}

/// Whether a key is evaluated by the parts of a scope.
enum Evaluation {
    Yes,
    No,
    /// Where one of these holds too.
    Maybe(Vec<Literal>),
}

/// Something that may hold besides, and the nodes that then evaluate keys.
#[derive(Debug)]
pub(crate) struct Part {
    literal: Literal,
    pub(crate) evaluating: [NodeId; 2],
}

impl Part {
    fn member(node: NodeId) -> Self {
        Part { literal: Literal::holds(node), evaluating: [node, NEVER] }
    }
}

/// What evaluates keys under one node.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) holding: Vec<NodeId>,
    pub(crate) possible: Vec<Part>,
}

impl<'d> States<'d> {
    /// What holds for the value of a key, but for `unevaluatedProperties`; `None` where the key is refused.
    pub(super) fn child(&mut self, leaf: StateId, key: Key) -> Option<StateId> {
        let mut literals = Vec::new();
        for node in self.holding(leaf) {
            let Some(rules) = &self.node(node).object else { continue };
            let mut is_matched = false;
            let mut is_unsure = false;
            match key {
                Key::Name(name) => {
                    if let Some(property) = rules.property(name) {
                        is_matched = true;
                        literals.push(Literal::holds(property));
                    }
                    for (pattern, inner) in &rules.patterns {
                        match self.schemas.matches(*pattern, self.schemas.name(name)) {
                            Some(true) => {
                                is_matched = true;
                                literals.push(Literal::holds(*inner));
                            }
                            Some(false) => {}
                            None => is_unsure = true,
                        }
                    }
                }
                Key::Pattern(pattern) => {
                    if let Some(inner) = rules.pattern(pattern) {
                        is_matched = true;
                        literals.push(Literal::holds(inner));
                    }
                    // Whether the key matches another pattern too is not known.
                    is_unsure = !rules.patterns.is_empty();
                }
                Key::Fresh => {}
            }
            if !is_matched && !is_unsure {
                literals.extend(rules.rest.map(Literal::holds));
            }
        }
        if literals.contains(&Literal::holds(NEVER)) {
            return None;
        }
        Some(self.state(literals))
    }

    /// The ways in which a key of the conjunction can have its value; none where the key is refused.
    pub(crate) fn alternatives(&mut self, leaf: StateId, key: Key) -> Result<Vec<Alternative>, Exhausted> {
        let mut found = Vec::new();
        if self.gather_alternatives(leaf, key, &mut found, 0)? {
            return Ok(found);
        }
        // What is evaluated where is forgotten; then there is one way, which covers all.
        let state = self.with_key(leaf, key)?;
        let child = state.and_then(|state| Some(Alternative { state, child: self.child(state, key)? }));
        Ok(child.into_iter().collect())
    }

    /// `false` where there are too many.
    fn gather_alternatives(
        &mut self,
        leaf: StateId,
        key: Key,
        found: &mut Vec<Alternative>,
        depth: u32,
    ) -> Result<bool, Exhausted> {
        self.tick(1)?;
        if found.len() > ALTERNATIVES_MAX || depth > 12 {
            return Ok(false);
        }
        let Some(leaf) = self.with_key(leaf, key)? else { return Ok(true) };
        let Some(child) = self.child(leaf, key) else { return Ok(true) };
        let mut literals = self.set(child).to_vec();
        let mut branches: Option<Vec<Literal>> = None;
        for node in self.holding(leaf).collect::<Vec<_>>() {
            let Some(unevaluated) = self.node(node).object.as_ref().and_then(|rules| rules.unevaluated) else {
                continue;
            };
            if unevaluated.node == ANY {
                continue;
            }
            match self.evaluation(leaf, node, unevaluated, key)? {
                Evaluation::Yes => {}
                Evaluation::No => literals.push(Literal::holds(unevaluated.node)),
                // A second keyword of this sort is forgotten; the branches ask it again.
                Evaluation::Maybe(parts) if branches.is_none() => {
                    literals.push(Literal::holds(unevaluated.node));
                    branches = Some(parts);
                }
                Evaluation::Maybe(_) => {}
            }
        }
        if !literals.contains(&Literal::holds(NEVER)) {
            let child = self.state(literals);
            found.push(Alternative { state: leaf, child });
        }
        for part in branches.into_iter().flatten() {
            let with = self.with(leaf, part);
            if let Some(base) = self.base(with)?
                && !self.gather_alternatives(base, key, found, depth + 1)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The conjunction where the key is there: schemas that depend on it hold.
    fn with_key(&mut self, leaf: StateId, key: Key) -> Result<Option<StateId>, Exhausted> {
        let Key::Name(name) = key else { return Ok(Some(leaf)) };
        let mut dependent = Vec::new();
        for node in self.holding(leaf) {
            let schemas = self.node(node).object.iter().flat_map(|rules| &rules.dependent_schemas);
            dependent.extend(schemas.filter(|(trigger, _)| *trigger == name).map(|(_, inner)| *inner));
        }
        let mut state = leaf;
        for inner in dependent {
            state = self.with(state, Literal::holds(inner));
        }
        if state == leaf { Ok(Some(leaf)) } else { self.base(state) }
    }

    fn evaluation(
        &mut self,
        leaf: StateId,
        scope: NodeId,
        unevaluated: Unevaluated,
        key: Key,
    ) -> Result<Evaluation, Exhausted> {
        let parts = self.parts(leaf, scope)?;
        self.tick(1 + parts.holding.len() as u64)?;
        if parts.holding.iter().any(|id| self.evaluates(*id, key, unevaluated.is_policy, *id == scope)) {
            return Ok(Evaluation::Yes);
        }
        let mut possible = Vec::new();
        for Part { literal, evaluating } in &parts.possible {
            self.tick(1)?;
            if !evaluating.iter().any(|node| self.may_evaluate(*node, key)) {
                continue;
            }
            let with = self.with(leaf, *literal);
            if !self.is_dead(with)? {
                possible.push(*literal);
            }
        }
        Ok(if possible.is_empty() { Evaluation::No } else { Evaluation::Maybe(possible) })
    }

    /// What evaluates keys under the node `scope`, which holds: what holds too, and what may.
    pub(crate) fn parts(&mut self, leaf: StateId, scope: NodeId) -> Result<Rc<Parts>, Exhausted> {
        if let Some(known) = self.parts.get(&(leaf, scope)) {
            return Ok(known.clone());
        }
        let mut parts = Parts { holding: Vec::new(), possible: Vec::new() };
        let (mut seen, mut open) = (FxHashSet::default(), vec![scope]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            self.tick(1)?;
            parts.holding.push(id);
            self.open_unions(leaf, id, &mut open, &mut parts.possible)?;
            let holds = |node: NodeId| node == ANY || self.knows(leaf, Literal::holds(node));
            let node = self.schemas.node(id);
            open.extend(node.reference.iter().chain(&node.all).copied());
            if let Some(condition) = node.condition {
                if holds(condition.test) {
                    open.extend([condition.test, condition.then]);
                } else if condition.test == NEVER || self.knows(leaf, Literal::fails(condition.test)) {
                    open.push(condition.other);
                } else {
                    let (holds, fails) = (Literal::holds(condition.test), Literal::fails(condition.test));
                    parts.possible.push(Part { literal: holds, evaluating: [condition.test, condition.then] });
                    parts.possible.push(Part { literal: fails, evaluating: [condition.other, NEVER] });
                }
            }
            for (_, inner) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
                if holds(*inner) {
                    open.push(*inner);
                } else {
                    parts.possible.push(Part::member(*inner));
                }
            }
        }
        let parts = Rc::new(parts);
        self.parts.insert((leaf, scope), parts.clone());
        Ok(parts)
    }

    /// The members of a node's unions: those that hold go on to `open`, those that may to `possible`.
    fn open_unions(
        &mut self,
        leaf: StateId,
        id: NodeId,
        open: &mut Vec<NodeId>,
        possible: &mut Vec<Part>,
    ) -> Result<(), Exhausted> {
        for which in [Union::Any, Union::One] {
            let Some(count) = self.union(id, which).map(<[NodeId]>::len) else { continue };
            let holding: Vec<NodeId> = if count > WIDE {
                let wide = self.wide_members(id, which);
                self.holding(leaf).filter(|node| wide.contains(node)).collect()
            } else {
                let members = self.union(id, which).unwrap_or_default();
                members.iter().copied().filter(|node| *node == ANY || self.knows(leaf, Literal::holds(*node))).collect()
            };
            let is_chosen = !holding.is_empty();
            open.extend(&holding);
            // Exactly one holds, so beside the one that does none evaluates anything.
            if is_chosen && which == Union::One {
                continue;
            }
            let members = match self.compatible(leaf, id, which)? {
                Some(members) => members,
                None => self.union(id, which).unwrap_or_default().to_vec(),
            };
            possible.extend(members.into_iter().filter(|member| !holding.contains(member)).map(Part::member));
        }
        Ok(())
    }

    fn wide_members(&mut self, id: NodeId, which: Union) -> Rc<FxHashSet<NodeId>> {
        if let Some(known) = self.members.get(&(id, which)) {
            return known.clone();
        }
        let members: Rc<FxHashSet<NodeId>> =
            Rc::new(self.union(id, which).unwrap_or_default().iter().copied().collect());
        self.members.insert((id, which), members.clone());
        members
    }

    /// Whether a node that holds evaluates the key by what it says itself.
    fn evaluates(&self, id: NodeId, key: Key, is_policy: bool, is_scope: bool) -> bool {
        let node = self.node(id);
        // What a keyword that is not judged evaluates is not known either.
        if node.opaque.is_some() {
            return true;
        }
        let Some(rules) = &node.object else { return false };
        if rules.evaluates_all || rules.rest.is_some() || (rules.unevaluated.is_some() && !is_scope) {
            return true;
        }
        match key {
            Key::Name(name) => {
                rules.property(name).is_some()
                    || (is_policy && rules.mentioned.contains(&name))
                    || rules
                        .patterns
                        .iter()
                        .any(|(pattern, _)| self.schemas.matches(*pattern, self.schemas.name(name)) != Some(false))
            }
            Key::Pattern(_) => !rules.patterns.is_empty(),
            Key::Fresh => false,
        }
    }

    /// Whether the node, or anything that it brings in place, could evaluate the key.
    fn may_evaluate(&mut self, id: NodeId, key: Key) -> bool {
        if let Some(may) = self.may_evaluate.get(&(id, key)) {
            return *may;
        }
        let (mut seen, mut open) = (FxHashSet::default(), vec![id]);
        let mut may = false;
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                self.steps += 1;
                may = self.evaluates(next, key, true, false);
                if may {
                    break;
                }
                open.extend(self.node(next).in_place());
            }
        }
        self.may_evaluate.insert((id, key), may);
        may
    }

    /// What holds for an item.
    pub(crate) fn item(&mut self, leaf: StateId, item: Item) -> StateId {
        let mut literals = Vec::new();
        for node in self.holding(leaf) {
            let Some(rules) = &self.node(node).array else { continue };
            let prefix = match item {
                Item::At(index) => rules.prefix.get(index).copied(),
                Item::Later => None,
            };
            literals.extend(prefix.or(rules.items).map(Literal::holds));
        }
        self.state(literals)
    }
}
