//! Whether a value is one that a node admits: exactly, by digits, in every dialect alike once it is read.
//!
//! Every answer may be "cannot say": a pattern that does not compile, a divisor of too many digits, a keyword that is not
//! judged, the end of the steps. Nothing is believed on such an answer.

use crate::json::Value;
use crate::kinds::Kinds;
use crate::schema::{ANY, ArrayRules, NEVER, Node, NodeId, ObjectRules, Schemas};
use std::borrow::Cow;
use std::cell::Cell;

/// Nesting of a value and of schemas that apply in place, taken together.
const DEPTH_MAX: u32 = 300;

/// The evaluator. Counts its steps over all questions.
pub(crate) struct Evaluator<'s, 'd> {
    schemas: &'s Schemas<'d>,
    steps: Cell<u64>,
    steps_max: u64,
}

/// Collects the answers of a conjunction: one no decides, else one "cannot say" does.
struct Conjunction {
    unsure: bool,
}

impl Conjunction {
    /// Whether the conjunct said no.
    fn fails(&mut self, answer: Option<bool>) -> bool {
        self.unsure |= answer.is_none();
        answer == Some(false)
    }

    fn answer(self) -> Option<bool> {
        (!self.unsure).then_some(true)
    }
}

type Members<'v> = [(Cow<'v, str>, Value<'v>)];

impl<'s, 'd> Evaluator<'s, 'd> {
    pub(crate) fn new(schemas: &'s Schemas<'d>, steps_max: u64) -> Self {
        Evaluator { schemas, steps: Cell::new(0), steps_max }
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Whether `node` admits `value`; `None` where that cannot be said.
    pub(crate) fn accepts(&self, node: NodeId, value: &Value<'_>) -> Option<bool> {
        self.node(node, value, 0)
    }

    fn node(&self, id: NodeId, value: &Value<'_>, depth: u32) -> Option<bool> {
        match id {
            ANY => return Some(true),
            NEVER => return Some(false),
            _ => {}
        }
        self.steps.set(self.steps.get() + 1);
        if depth > DEPTH_MAX || self.steps.get() > self.steps_max {
            return None;
        }
        let node = self.schemas.node(id);
        if !node.kinds.has(Kinds::of(value)) || node.values.iter().any(|values| !values.contains(value)) {
            return Some(false);
        }
        let mut all = Conjunction { unsure: node.opaque.is_some() };
        let own = match value {
            Value::Number(_) => self.number(node, value),
            Value::Text(text) => self.text(node, text),
            Value::List(items) => node.array.as_ref().map_or(Some(true), |rules| self.array(rules, items, depth)),
            Value::Map(members) => {
                node.object.as_ref().map_or(Some(true), |rules| self.object(rules, members, value, depth))
            }
            _ => Some(true),
        };
        if all.fails(own) || all.fails(self.compositions(node, value, depth + 1)) {
            return Some(false);
        }
        if all.fails(self.unevaluated(id, node, value, depth)) {
            return Some(false);
        }
        all.answer()
    }

    fn number(&self, node: &Node<'d>, value: &Value<'_>) -> Option<bool> {
        if node.low.is_none() && node.high.is_none() && node.step.is_none() {
            return Some(true);
        }
        let number = value.number()?;
        let low = node.low.as_ref().is_none_or(|low| number > low.value || (!low.exclusive && number == low.value));
        let high =
            node.high.as_ref().is_none_or(|high| number < high.value || (!high.exclusive && number == high.value));
        if !low || !high {
            return Some(false);
        }
        node.step.as_ref().map_or(Some(true), |step| number.is_multiple_of(step))
    }

    fn text(&self, node: &Node<'d>, text: &str) -> Option<bool> {
        if node.length_min > 0 || node.length_max.is_some() {
            let length = text.chars().count() as u64;
            if length < node.length_min || node.length_max.is_some_and(|max| length > max) {
                return Some(false);
            }
        }
        node.pattern.map_or(Some(true), |pattern| self.matches(pattern, text))
    }

    fn matches(&self, pattern: u32, text: &str) -> Option<bool> {
        self.steps.set(self.steps.get() + 1 + text.len() as u64 / 16);
        self.schemas.matches(pattern, text)
    }

    fn array(&self, rules: &ArrayRules, items: &[Value<'_>], depth: u32) -> Option<bool> {
        let count = items.len() as u64;
        if count < rules.min || rules.max.is_some_and(|max| count > max) {
            return Some(false);
        }
        let mut all = Conjunction { unsure: false };
        for (index, item) in items.iter().enumerate() {
            let node = rules.prefix.get(index).copied().or(rules.items).unwrap_or(ANY);
            if all.fails(self.node(node, item, depth + 1)) {
                return Some(false);
            }
        }
        if rules.unique && has_equal(items) {
            return Some(false);
        }
        if let Some(contains) = rules.contains {
            let (mut yes, mut unsure) = (0, 0);
            for item in items {
                match self.node(contains.node, item, depth + 1) {
                    Some(true) => yes += 1,
                    Some(false) => {}
                    None => unsure += 1,
                }
            }
            if yes + unsure < contains.min || contains.max.is_some_and(|max| yes > max) {
                return Some(false);
            }
            all.unsure |= yes < contains.min || contains.max.is_some_and(|max| yes + unsure > max);
        }
        all.answer()
    }

    fn object(&self, rules: &ObjectRules, members: &Members<'_>, value: &Value<'_>, depth: u32) -> Option<bool> {
        let count = members.len() as u64;
        if count < rules.min || rules.max.is_some_and(|max| count > max) {
            return Some(false);
        }
        let has = |name: u32| members.iter().any(|(key, _)| key == self.schemas.name(name));
        if rules.required.iter().any(|name| !has(*name)) {
            return Some(false);
        }
        if rules.dependent_names.iter().any(|(name, needs)| has(*name) && needs.iter().any(|need| !has(*need))) {
            return Some(false);
        }
        let mut all = Conjunction { unsure: false };
        for (key, member) in members {
            if all.fails(self.member(rules, key, member, depth)) {
                return Some(false);
            }
        }
        for (name, node) in &rules.dependent_schemas {
            if has(*name) && all.fails(self.node(*node, value, depth + 1)) {
                return Some(false);
            }
        }
        all.answer()
    }

    fn member(&self, rules: &ObjectRules, key: &str, member: &Value<'_>, depth: u32) -> Option<bool> {
        let mut all = Conjunction { unsure: false };
        if let Some(names) = rules.names
            && all.fails(self.node(names, &Value::Text(Cow::Borrowed(key)), depth + 1))
        {
            return Some(false);
        }
        let property = self.schemas.name_id(key).and_then(|name| rules.property(name));
        if let Some(node) = property
            && all.fails(self.node(node, member, depth + 1))
        {
            return Some(false);
        }
        let (mut is_matched, mut is_unsure) = (property.is_some(), false);
        for (pattern, node) in &rules.patterns {
            match self.matches(*pattern, key) {
                Some(false) => {}
                Some(true) => {
                    is_matched = true;
                    if all.fails(self.node(*node, member, depth + 1)) {
                        return Some(false);
                    }
                }
                None => {
                    is_unsure = true;
                    all.unsure |= self.node(*node, member, depth + 1) != Some(true);
                }
            }
        }
        if let Some(rest) = rules.rest.filter(|_| !is_matched) {
            let answer = self.node(rest, member, depth + 1);
            if is_unsure {
                all.unsure |= answer != Some(true);
            } else if all.fails(answer) {
                return Some(false);
            }
        }
        all.answer()
    }

    fn compositions(&self, node: &Node<'d>, value: &Value<'_>, depth: u32) -> Option<bool> {
        if node.is_flat() {
            return Some(true);
        }
        let mut all = Conjunction { unsure: false };
        for inner in node.reference.iter().chain(&node.all) {
            if all.fails(self.node(*inner, value, depth)) {
                return Some(false);
            }
        }
        if let Some(members) = &node.any {
            let mut any = Some(false);
            for member in members {
                match self.node(*member, value, depth) {
                    Some(true) => {
                        any = Some(true);
                        break;
                    }
                    Some(false) => {}
                    None => any = None,
                }
            }
            if all.fails(any) {
                return Some(false);
            }
        }
        if let Some(members) = &node.one
            && all.fails(self.exactly_one(members, value, depth))
        {
            return Some(false);
        }
        if let Some(not) = node.not
            && all.fails(self.node(not, value, depth).map(|holds| !holds))
        {
            return Some(false);
        }
        if let Some(condition) = node.condition {
            let answer = match self.node(condition.test, value, depth) {
                Some(true) => self.node(condition.then, value, depth),
                Some(false) => self.node(condition.other, value, depth),
                None => None,
            };
            if all.fails(answer) {
                return Some(false);
            }
        }
        all.answer()
    }

    fn exactly_one(&self, members: &[NodeId], value: &Value<'_>, depth: u32) -> Option<bool> {
        let (mut yes, mut unsure) = (0, 0);
        for member in members {
            match self.node(*member, value, depth) {
                Some(true) => yes += 1,
                Some(false) => {}
                None => unsure += 1,
            }
            if yes > 1 {
                return Some(false);
            }
        }
        if unsure > 0 { None } else { Some(yes == 1) }
    }

    fn unevaluated(&self, id: NodeId, node: &Node<'d>, value: &Value<'_>, depth: u32) -> Option<bool> {
        let mut all = Conjunction { unsure: false };
        match value {
            Value::Map(members) => {
                let Some(unevaluated) = node.object.as_ref().and_then(|rules| rules.unevaluated) else {
                    return Some(true);
                };
                let scope = Scope { id, is_policy: unevaluated.is_policy, value };
                let mut seen = vec![false; members.len()];
                self.names_seen(&scope, id, members, &mut seen, depth)?;
                for ((_, member), _) in members.iter().zip(&seen).filter(|(_, seen)| !**seen) {
                    if all.fails(self.node(unevaluated.node, member, depth + 1)) {
                        return Some(false);
                    }
                }
            }
            Value::List(items) => {
                let Some(unevaluated) = node.array.as_ref().and_then(|rules| rules.unevaluated) else {
                    return Some(true);
                };
                let scope = Scope { id, is_policy: false, value };
                let mut seen = vec![false; items.len()];
                self.items_seen(&scope, id, items, &mut seen, depth)?;
                for (item, _) in items.iter().zip(&seen).filter(|(_, seen)| !**seen) {
                    if all.fails(self.node(unevaluated, item, depth + 1)) {
                        return Some(false);
                    }
                }
            }
            _ => {}
        }
        all.answer()
    }

    /// Marks the members that `id`, which holds, has evaluated.
    fn names_seen(
        &self,
        scope: &Scope<'_>,
        id: NodeId,
        members: &Members<'_>,
        seen: &mut [bool],
        depth: u32,
    ) -> Option<()> {
        self.steps.set(self.steps.get() + 1);
        if depth > DEPTH_MAX || self.steps.get() > self.steps_max {
            return None;
        }
        let node = self.schemas.node(id);
        if node.opaque.is_some() {
            return None;
        }
        if let Some(rules) = &node.object {
            let sees_all =
                rules.evaluates_all || rules.rest.is_some() || (rules.unevaluated.is_some() && id != scope.id);
            for ((key, _), seen) in members.iter().zip(seen.iter_mut()).filter(|(_, seen)| !**seen) {
                let name = self.schemas.name_id(key);
                *seen = sees_all
                    || name.is_some_and(|name| {
                        rules.property(name).is_some() || (scope.is_policy && rules.mentioned.contains(&name))
                    });
                for (pattern, _) in &rules.patterns {
                    *seen = *seen || self.matches(*pattern, key)?;
                }
            }
            for (name, inner) in &rules.dependent_schemas {
                if members.iter().any(|(key, _)| key == self.schemas.name(*name)) {
                    self.names_seen(scope, *inner, members, seen, depth + 1)?;
                }
            }
        }
        self.each_that_holds(node, scope.value, depth, &mut |inner| {
            self.names_seen(scope, inner, members, seen, depth + 1)
        })
    }

    fn items_seen(
        &self,
        scope: &Scope<'_>,
        id: NodeId,
        items: &[Value<'_>],
        seen: &mut [bool],
        depth: u32,
    ) -> Option<()> {
        self.steps.set(self.steps.get() + 1);
        if depth > DEPTH_MAX || self.steps.get() > self.steps_max {
            return None;
        }
        let node = self.schemas.node(id);
        if node.opaque.is_some() {
            return None;
        }
        if let Some(rules) = &node.array {
            let sees_all = rules.items.is_some() || (rules.unevaluated.is_some() && id != scope.id);
            let count = if sees_all { items.len() } else { rules.prefix.len() };
            seen.iter_mut().take(count).for_each(|seen| *seen = true);
            if let Some(contains) = rules.contains.filter(|contains| contains.evaluates) {
                for (item, seen) in items.iter().zip(seen.iter_mut()).filter(|(_, seen)| !**seen) {
                    *seen = self.node(contains.node, item, depth + 1)?;
                }
            }
        }
        if let (Some(rules), Value::Map(members)) = (&node.object, scope.value) {
            for (name, inner) in &rules.dependent_schemas {
                if members.iter().any(|(key, _)| key == self.schemas.name(*name)) {
                    self.items_seen(scope, *inner, items, seen, depth + 1)?;
                }
            }
        }
        self.each_that_holds(node, scope.value, depth, &mut |inner| {
            self.items_seen(scope, inner, items, seen, depth + 1)
        })
    }

    /// The schemas that a node which holds brings in place and that hold too, but for dependent ones.
    fn each_that_holds(
        &self,
        node: &Node<'d>,
        value: &Value<'_>,
        depth: u32,
        visit: &mut dyn FnMut(NodeId) -> Option<()>,
    ) -> Option<()> {
        for inner in node.reference.iter().chain(&node.all) {
            visit(*inner)?;
        }
        for inner in node.any.iter().chain(&node.one).flatten() {
            if self.node(*inner, value, depth + 1)? {
                visit(*inner)?;
            }
        }
        if let Some(condition) = node.condition {
            if self.node(condition.test, value, depth + 1)? {
                visit(condition.test)?;
                visit(condition.then)?;
            } else {
                visit(condition.other)?;
            }
        }
        Some(())
    }
}

/// What evaluated places are gathered for.
struct Scope<'v> {
    /// The node with the keyword.
    id: NodeId,
    is_policy: bool,
    value: &'v Value<'v>,
}

/// Whether two items are equal.
fn has_equal(items: &[Value<'_>]) -> bool {
    let mut prints: Vec<(u64, &Value<'_>)> = items.iter().map(|item| (item.fingerprint(), item)).collect();
    prints.sort_by_key(|(print, _)| *print);
    let runs = prints.chunk_by(|(one, _), (other, _)| one == other);
    runs.into_iter().any(|run| {
        run.iter().enumerate().any(|(index, (_, one))| run.iter().skip(index + 1).any(|(_, other)| one.same(other)))
    })
}
