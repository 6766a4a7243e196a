//! Whether a conjunction has no value at all.

use super::{Exhausted, Item, Key, StateId, States};
use crate::kinds::Kinds;

/// How deep the quick look for a contradiction goes into required members.
const LOOK_DEPTH: u32 = 2;

impl<'d> States<'d> {
    /// Whether a quick look finds a contradiction: no common kind, no common value, or that at a required member.
    pub(crate) fn is_dead(&mut self, state: StateId) -> Result<bool, Exhausted> {
        self.looks_dead(state, LOOK_DEPTH)
    }

    fn looks_dead(&mut self, state: StateId, depth: u32) -> Result<bool, Exhausted> {
        if let Some(dead) = self.dead.get(&state) {
            return Ok(*dead);
        }
        let Some(base) = self.base(state)? else { return Ok(true) };
        let facts = self.facts(base)?;
        let mut dead = facts.kinds.is_empty();
        if !dead && depth > 0 && facts.kinds == Kinds::OBJECT {
            // Assumed alive while it is looked at, which a recursive contract would otherwise do for ever.
            self.dead.insert(state, false);
            for name in &facts.required {
                let child = self.child(base, Key::Name(*name));
                dead = match child {
                    None => true,
                    Some(child) => self.looks_dead(child, depth - 1)?,
                };
                if dead {
                    break;
                }
            }
        }
        if dead || depth == LOOK_DEPTH {
            self.dead.insert(state, dead);
        } else {
            self.dead.remove(&state);
        }
        Ok(dead)
    }

    /// Whether it is certain that no value satisfies the conjunction. "No" means only that none of what is looked at rules
    /// every value out.
    pub(crate) fn is_empty(&mut self, state: StateId) -> Result<bool, Exhausted> {
        Ok(!self.inhabited(state)?.0)
    }

    /// Whether there may be a value, and the least depth of the questions still open that a "no" rests on. A value is finite,
    /// so one that would have to hold itself does not count: an open question is answered with "no".
    fn inhabited(&mut self, state: StateId) -> Result<(bool, usize), Exhausted> {
        if let Some(known) = self.inhabited.get(&state) {
            return Ok((*known, usize::MAX));
        }
        if let Some(depth) = self.deciding.get(&state) {
            return Ok((false, *depth));
        }
        let depth = self.deciding.len();
        if depth > 100 {
            return Ok((true, usize::MAX));
        }
        self.tick(1)?;
        self.deciding.insert(state, depth);
        let answer = self.inhabited_leaf(state);
        self.deciding.remove(&state);
        let (inhabited, lowest) = answer?;
        // A "yes" rests on nothing, and a "no" that rests on this question alone is a "no".
        if inhabited || lowest >= depth {
            self.inhabited.insert(state, inhabited);
            return Ok((inhabited, usize::MAX));
        }
        Ok((false, lowest))
    }

    fn inhabited_leaf(&mut self, state: StateId) -> Result<(bool, usize), Exhausted> {
        let mut lowest = usize::MAX;
        for leaf in self.leaves(state)?.iter() {
            let (inhabited, low) = self.inhabited_kinds(*leaf)?;
            if inhabited {
                return Ok((true, usize::MAX));
            }
            lowest = lowest.min(low);
        }
        Ok((false, lowest))
    }

    fn inhabited_kinds(&mut self, leaf: StateId) -> Result<(bool, usize), Exhausted> {
        let facts = self.facts(leaf)?;
        if let Some(values) = &facts.finite {
            return Ok((!values.is_empty(), usize::MAX));
        }
        let is_textless = facts.kinds.has(Kinds::STRING) && self.has_no_text(&facts);
        let compound = Kinds::OBJECT.or(Kinds::ARRAY);
        let scalar = facts.kinds.without(if is_textless { compound.or(Kinds::STRING) } else { compound });
        if !scalar.is_empty() {
            return Ok((true, usize::MAX));
        }
        let mut lowest = usize::MAX;
        if facts.kinds.has(Kinds::ARRAY) {
            let mut all = true;
            for index in 0..facts.items_min.min(facts.prefix as u64 + 1) {
                let index = usize::try_from(index).unwrap_or(facts.prefix);
                let item = if index >= facts.prefix { Item::Later } else { Item::At(index) };
                let child = self.item(leaf, item);
                let (inhabited, low) = self.inhabited(child)?;
                if !inhabited {
                    lowest = lowest.min(low);
                    all = false;
                    break;
                }
            }
            if all {
                return Ok((true, usize::MAX));
            }
        }
        if facts.kinds.has(Kinds::OBJECT) {
            let mut all = true;
            for name in &facts.required {
                let mut any = false;
                for alternative in self.alternatives(leaf, Key::Name(*name))? {
                    let (inhabited, low) = self.inhabited(alternative.child)?;
                    any |= inhabited;
                    if inhabited {
                        break;
                    }
                    lowest = lowest.min(low);
                }
                if !any {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok((true, usize::MAX));
            }
        }
        Ok((false, lowest))
    }
}
