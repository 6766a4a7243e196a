//! Whether a value satisfies a node: one pass over the compiled plan, counted in steps, without an allocation in the usual
//! case. Says only yes or no; why not is told by `explain`.

use crate::decimal::Decimal;
use crate::json::Kind;
use crate::schema::kinds::Kinds;
use crate::schema::values::{fingerprint, is_word, same};
use crate::schema::{
    ArrayRules, Bound, Closing, Condition, Node, NodeId, NumberRules, ObjectRules, Schema, StringRules, Union, UnionOp,
};
use crate::tree::Tree;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// What is left of the step budget (R4.8). Once it is used up every judgement is "no", and the call is refused for it.
#[derive(Debug)]
pub(crate) struct Work {
    left: u64,
    /// With fewer steps left than these, a call has turned out to be long.
    long_below: u64,
    depth: u32,
}

/// Judgements inside judgements: nesting of the value times the way in place. Bounds the stack.
const DEPTH_MAX: u32 = 600;

impl Work {
    pub(crate) fn new(steps_max: u64) -> Self {
        Work { left: steps_max, long_below: steps_max.saturating_sub(LONG_AFTER), depth: 0 }
    }

    /// Takes `steps`; `false` once there are none.
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    fn is_long(&self) -> bool {
        self.left < self.long_below
    }

    pub(crate) fn exhaust(&mut self) {
        self.left = 0;
    }

    /// One judgement deeper; `false` where that is too deep or there are no steps left.
    pub(crate) fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            self.left = 0;
        }
        self.spend(1)
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// Judges values of one tree by one schema.
pub(crate) struct Validator<'a, T: Tree> {
    pub(crate) schema: &'a Schema,
    pub(crate) tree: &'a T,
    pub(crate) work: &'a mut Work,
    /// A valid value was met that R5 may have something to say about: the caller looks closer.
    pub(crate) is_suspect: bool,
    /// A former name was met that does not count as the declared one yet: what was said of its object is not the last word.
    pub(crate) meets_alias: bool,
    /// What was found wanting last.
    pub(crate) failed: Failed<T::At>,
    /// Judgements inside unions without a tag, kept once a call turns out to be long: they are asked for again and again.
    memo: Option<Memo<T::At>>,
    /// Text of an object is looked at as text of a list is (R5.4).
    object_as_text: bool,
}

/// Arrays and objects that do not satisfy a node, those that hold others after them: whoever looks for the fault asks of them
/// again, level by level. Only the last few are kept.
pub(crate) type Failed<At> = SmallVec<[(NodeId, At); 8]>;

/// Adds one, and forgets the first where there are many.
pub(crate) fn note_failed<At>(failed: &mut Failed<At>, id: NodeId, at: At) {
    if failed.len() == failed.inline_size() {
        failed.remove(0);
    }
    failed.push((id, at));
}

type Memo<At> = Box<FxHashMap<(NodeId, At), bool>>;

/// Steps after which judgements inside untagged unions are remembered.
const LONG_AFTER: u64 = 512;

/// The members of a union that could admit a value.
pub(crate) type Candidates = SmallVec<[NodeId; 4]>;

impl<'a, T: Tree> Validator<'a, T> {
    pub(crate) fn new(schema: &'a Schema, tree: &'a T, work: &'a mut Work, object_as_text: bool) -> Self {
        let failed = Failed::new();
        Validator { schema, tree, work, is_suspect: false, meets_alias: false, failed, memo: None, object_as_text }
    }

    /// Whether the value at `at` satisfies the node.
    pub(crate) fn admits(&mut self, id: NodeId, at: T::At) -> bool {
        let node = self.schema.node(id);
        let kind = self.tree.kind(at);
        if node.is_simple {
            return self.work.spend(1) && self.kind_fits(node.kinds, kind, at);
        }
        if !matches!(kind, Kind::Array | Kind::Object) {
            // Nothing is inside, and the way in place is short.
            return self.work.spend(1) && self.admits_inside(id, kind, at);
        }
        let admitted = self.work.enter() && self.admits_inside(id, kind, at);
        self.work.leave();
        if !admitted {
            note_failed(&mut self.failed, id, at);
        }
        admitted
    }

    /// Whether the value satisfies the node, and there were steps enough to say so. What is asked from outside asks this:
    /// inside, an answer of "no" for want of steps can make another part say "yes".
    pub(crate) fn judges(&mut self, id: NodeId, at: T::At) -> bool {
        self.admits(id, at) && !self.work.is_exhausted()
    }

    fn admits_inside(&mut self, id: NodeId, kind: Kind, at: T::At) -> bool {
        let schema = self.schema;
        let node = schema.node(id);
        if node.is_dead || !self.kind_fits(node.kinds, kind, at) {
            return false;
        }
        for values in &node.values {
            if !values.has(&schema.document.json, self.tree, at) {
                return false;
            }
        }
        let fits = match kind {
            Kind::Number => node.number.as_ref().is_none_or(|rules| self.number(rules, at)),
            Kind::String => self.string(node, at),
            Kind::Array => node.array.as_ref().is_none_or(|rules| self.array(rules, at)),
            Kind::Object => match &node.object {
                Some(rules) => return self.object(id, node, rules, at),
                None => true,
            },
            Kind::Null | Kind::Boolean => true,
        };
        fits && (!node.has_whole() || self.choices(node, at, kind))
            && match (kind, &node.array) {
                (Kind::Array, Some(rules)) => self.unevaluated_items(rules, at),
                _ => true,
            }
    }

    /// The parts that speak of the value as a whole.
    fn choices(&mut self, node: &Node, at: T::At, kind: Kind) -> bool {
        node.unions.iter().all(|union| self.union(union, kind, at))
            && node.conditions.iter().all(|condition| self.condition(condition, at))
            && node.nots.iter().all(|(inner, _)| !self.admits(*inner, at) && !self.work.is_exhausted())
            && node.opaques.iter().all(|(part, _)| self.opaque(*part, at))
    }

    /// Whether a value of this kind is in `kinds`; for a number its digits may decide.
    pub(crate) fn kind_fits(&self, kinds: Kinds, kind: Kind, at: T::At) -> bool {
        if kind != Kind::Number {
            return kinds.meets(Kinds::of(kind));
        }
        kinds.meets(Kinds::FRACTION) || kinds.meets(Kinds::INTEGER) && is_integer(self.tree, at)
    }

    fn number(&self, rules: &NumberRules, at: T::At) -> bool {
        let literal = self.tree.literal(at);
        let small = if self.tree.is_integer_literal(at) { literal.parse::<i64>().ok() } else { None };
        rules.lower.iter().all(|bound| bound_fits(bound, literal, small, true))
            && rules.upper.iter().all(|bound| bound_fits(bound, literal, small, false))
            && rules.multiple_of.iter().all(|(divisor, _)| is_multiple(literal, divisor))
    }

    fn string(&mut self, node: &Node, at: T::At) -> bool {
        if node.named.meets(Kinds::ARRAY) || self.object_as_text && node.named.meets(Kinds::OBJECT) {
            let text = self.tree.string(at);
            let start = text.trim_start_matches([' ', '\t', '\n', '\r']);
            self.is_suspect |= start.starts_with('[') || start.starts_with('{');
        }
        let Some(rules) = &node.string else { return true };
        self.length(rules, at) && self.patterns_and_formats(rules, at)
    }

    /// Characters are counted only where the bytes as written leave it open: a character takes one to twelve of them.
    fn length(&self, rules: &StringRules, at: T::At) -> bool {
        let (min, max) = (rules.min.map_or(0, |(min, _)| min), rules.max.map_or(u64::MAX, |(max, _)| max));
        if min == 0 && max == u64::MAX {
            return true;
        }
        let bytes = self.tree.string_len_bytes(at);
        if bytes <= max && bytes / 12 >= min {
            return true;
        }
        let length = self.tree.string(at).chars().count() as u64;
        min <= length && length <= max
    }

    fn patterns_and_formats(&mut self, rules: &StringRules, at: T::At) -> bool {
        if rules.patterns.is_empty() && rules.formats.is_empty() {
            return true;
        }
        let text = self.tree.string(at);
        rules.patterns.iter().all(|(pattern, _)| self.matches(*pattern, &text))
            && rules.formats.iter().all(|(format, _)| self.opaque(*format, at))
    }

    /// Whether a pattern is found in `text`. A pattern that gives up has used up the call's budget.
    pub(crate) fn matches(&mut self, pattern: u32, text: &str) -> bool {
        let Some(pattern) = self.schema.pattern(pattern) else { return true };
        self.work.spend(pattern.steps(text));
        pattern.is_match(text).unwrap_or_else(|_| {
            self.work.exhaust();
            false
        })
    }

    pub(crate) fn opaque(&mut self, part: u32, at: T::At) -> bool {
        let Some(part) = self.schema.opaque(part) else { return true };
        let value = crate::schema::opaque::to_value(self.tree, at, self.work);
        part.admits(&value)
    }

    fn array(&mut self, rules: &ArrayRules, at: T::At) -> bool {
        let tree = self.tree;
        let mut count = 0;
        for (index, item) in tree.items(at).enumerate() {
            count = index as u64 + 1;
            if let Some(node) = rules.item(index)
                && !self.admits(node, item)
            {
                return false;
            }
        }
        self.work.spend(count / 8);
        rules.min.is_none_or(|(min, _)| count >= min)
            && rules.max.is_none_or(|(max, _)| count <= max)
            && (rules.unique.is_none() || self.is_unique(at))
            && rules.contains.iter().all(|contains| {
                let matches = self.count_matching(contains.node, at);
                matches >= contains.min && contains.max.is_none_or(|max| matches <= max)
            })
    }

    pub(crate) fn count_matching(&mut self, node: NodeId, at: T::At) -> u64 {
        let tree = self.tree;
        tree.items(at).filter(|item| self.admits(node, *item)).count() as u64
    }

    pub(crate) fn is_unique(&mut self, at: T::At) -> bool {
        let tree = self.tree;
        let mut items: Vec<_> = tree.items(at).map(|item| (fingerprint(tree, item), item)).collect();
        items.sort_unstable_by_key(|(print, _)| *print);
        for (index, (print, item)) in items.iter().enumerate() {
            for (_, other) in items.iter().skip(index + 1).take_while(|(other, _)| other == print) {
                if !self.work.spend(4) || same(tree, *item, tree, *other) {
                    return false;
                }
            }
        }
        self.work.spend(items.len() as u64)
    }

    fn unevaluated_items(&mut self, rules: &ArrayRules, at: T::At) -> bool {
        let tree = self.tree;
        rules.unevaluated.iter().all(|unevaluated| {
            let applied = self.applied(unevaluated.scope, at);
            tree.items(at).enumerate().all(|(index, item)| {
                self.is_item_evaluated(&applied, index, item) || self.admits(unevaluated.node, item)
            })
        })
    }

    pub(crate) fn is_item_evaluated(&mut self, applied: &[NodeId], index: usize, item: T::At) -> bool {
        let schema = self.schema;
        applied.iter().any(|id| schema.node(*id).is_dynamic)
            || applied.iter().filter_map(|id| schema.node(*id).array.as_ref()).any(|rules| {
                index < rules.prefix.len()
                    || rules.items.is_some()
                    || rules.evaluates_all
                    || rules.contains.iter().any(|contains| contains.evaluates && self.admits(contains.node, item))
            })
    }

    fn object(&mut self, id: NodeId, node: &Node, rules: &ObjectRules, at: T::At) -> bool {
        let Some(keys) = self.members(rules, at) else { return false };
        let tree = self.tree;
        let dependents = rules.dependent_required.len() + rules.dependent_schemas.len();
        if dependents > 0 && !self.work.spend((dependents * tree.members(at).count()) as u64 / 8) {
            return false;
        }
        rules.dependent_required.iter().all(|dependent| {
            !has_member(tree, at, &dependent.trigger) || dependent.names.iter().all(|name| has_member(tree, at, name))
        }) && rules.dependent_schemas.iter().all(|(trigger, node)| !has_member(tree, at, trigger) || self.admits(*node, at))
            && (!node.has_whole() || self.choices(node, at, Kind::Object))
            // Asked last: what closes an object asks which members of its unions hold.
            && rules.closings.iter().all(|closing| {
                closing.is_policy && closing.scope == id && keys == Keys::AllKnown || self.closing(closing, at)
            })
    }

    /// Judges the members one by one; `None` where one, or their number, is refused.
    fn members(&mut self, rules: &ObjectRules, at: T::At) -> Option<Keys> {
        let tree = self.tree;
        let mut keys = Keys::AllKnown;
        let mut count: u64 = 0;
        let mut required = 0;
        let mut hint = 0;
        for (name_at, value) in tree.members(at) {
            count += 1;
            let found = match rules.props.get(hint) {
                Some(prop) if tree.name_is(name_at, &prop.name) => Some((hint, prop)),
                _ => rules.find(&tree.name(name_at), hint),
            };
            if let Some((index, prop)) = found {
                hint = index + 1;
                required += usize::from(prop.is_required);
                if prop.refused_by.is_some() || prop.node.is_some_and(|node| !self.admits(node, value)) {
                    return None;
                }
            } else {
                keys = Keys::SomeUnknown;
                let name = tree.name(name_at);
                if !self.rest(rules, &name, value) {
                    return None;
                }
                self.meets_alias |= rules.aliases.iter().any(|(former, _)| **former == *name);
            }
            if !rules.names.iter().all(|(node, _)| self.admits(*node, name_at)) {
                return None;
            }
        }
        let fits = required == rules.required.len()
            && rules.min.is_none_or(|(min, _)| count >= min)
            && rules.max.is_none_or(|(max, _)| count <= max);
        fits.then_some(keys)
    }

    fn rest(&mut self, rules: &ObjectRules, name: &str, value: T::At) -> bool {
        let mut nodes = Candidates::new();
        self.rest_nodes(rules, name, &mut nodes) && nodes.iter().all(|node| self.admits(*node, value))
    }

    /// The nodes that judge an undeclared key's value; `false` where a conjunct refuses the key.
    pub(crate) fn rest_nodes(&mut self, rules: &ObjectRules, name: &str, nodes: &mut Candidates) -> bool {
        for (pattern, node) in &rules.patterns {
            if self.matches(*pattern, name) {
                nodes.push(*node);
            }
        }
        for rest in &rules.rests {
            if rest.patterns.iter().any(|pattern| self.matches(*pattern, name)) {
                continue;
            }
            match rest.node {
                Some(node) => nodes.push(node),
                None => return false,
            }
        }
        true
    }

    /// Whether every key is evaluated by something in place, or satisfies what is asked of the others.
    fn closing(&mut self, closing: &Closing, at: T::At) -> bool {
        let tree = self.tree;
        let mut applied = None;
        tree.members(at).all(|(name_at, value)| {
            let name = tree.name(name_at);
            if self.is_key_known(&[closing.scope], &name, closing.is_policy) {
                return true;
            }
            let applied = applied.get_or_insert_with(|| self.applied(closing.scope, at));
            self.is_key_known(applied, &name, closing.is_policy)
                || closing.node.is_some_and(|node| self.admits(node, value))
        })
    }

    /// Whether one of the nodes that apply evaluates the key; for the boundary's own closing it is enough to mention it.
    pub(crate) fn is_key_known(&mut self, applied: &[NodeId], name: &str, is_policy: bool) -> bool {
        let schema = self.schema;
        applied.iter().any(|id| schema.node(*id).is_dynamic)
            || applied.iter().filter_map(|id| schema.node(*id).object.as_ref()).any(|rules| {
                rules.evaluates_all
                    || rules.prop(name).is_some_and(|prop| is_policy || prop.is_declared)
                    || rules.patterns.iter().any(|(pattern, _)| self.matches(*pattern, name))
            })
    }

    /// The node and all in place of it that apply to the value.
    pub(crate) fn applied(&mut self, scope: NodeId, at: T::At) -> Vec<NodeId> {
        let mut applied = Vec::new();
        self.push_applied(scope, at, &mut applied);
        applied
    }

    fn push_applied(&mut self, id: NodeId, at: T::At, applied: &mut Vec<NodeId>) {
        let schema = self.schema;
        let node = schema.node(id);
        applied.push(id);
        let kind = self.tree.kind(at);
        for union in &node.unions {
            for member in self.candidates(union, kind, at) {
                if self.admits(member, at) {
                    self.push_applied(member, at, applied);
                }
            }
        }
        for condition in &node.conditions {
            let holds = self.admits(condition.test, at);
            if holds {
                self.push_applied(condition.test, at, applied);
            }
            if let Some(branch) = if holds { condition.then } else { condition.otherwise } {
                self.push_applied(branch, at, applied);
            }
        }
        for (trigger, dependent) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
            if has_member(self.tree, at, trigger) {
                self.push_applied(*dependent, at, applied);
            }
        }
    }

    fn union(&mut self, union: &Union, kind: Kind, at: T::At) -> bool {
        let candidates = self.candidates(union, kind, at);
        if let [only] = candidates.as_slice() {
            return self.admits(*only, at);
        }
        let is_shared = self.work.is_long();
        let limit = if union.op == UnionOp::One { 2 } else { 1 };
        let mut holding = 0;
        for member in candidates {
            if self.member(member, at, is_shared) {
                holding += 1;
                if holding == limit {
                    break;
                }
            }
        }
        holding == 1
    }

    fn member(&mut self, member: NodeId, at: T::At, is_shared: bool) -> bool {
        if !is_shared {
            return self.admits(member, at);
        }
        if let Some(known) = self.memo.as_ref().and_then(|memo| memo.get(&(member, at))) {
            return *known;
        }
        let admitted = self.admits(member, at);
        self.memo.get_or_insert_default().insert((member, at), admitted);
        admitted
    }

    /// The members that the value's kind and tag leave. With a tag, an object has at most one.
    pub(crate) fn candidates(&mut self, union: &Union, kind: Kind, at: T::At) -> Candidates {
        if kind == Kind::Object
            && let Some(tag) = &union.tag
        {
            let value =
                self.tree.members(at).find(|(name, _)| self.tree.name_is(*name, &tag.key)).map(|(_, value)| value);
            self.work.spend(1 + tag.table.len() as u64 / 16);
            return value.and_then(|value| self.tagged(tag, value)).into_iter().collect();
        }
        let kinds = Kinds::of(kind);
        let schema = self.schema;
        self.work.spend(union.members.len() as u64 / 8);
        let fits = |member: &&NodeId| {
            let node = schema.node(**member);
            node.admits.meets(kinds) && !node.is_dead
        };
        union.members.iter().filter(fits).copied().collect()
    }

    /// The member whose tag has exactly this value.
    pub(crate) fn tagged(&self, tag: &crate::schema::Tag, value: T::At) -> Option<NodeId> {
        if self.tree.kind(value) == Kind::String {
            let word = self.tree.string(value);
            let found = tag.words.binary_search_by(|(other, _)| (**other).cmp(&word)).ok();
            return found.and_then(|index| tag.words.get(index)).map(|(_, member)| *member);
        }
        let json = &self.schema.document.json;
        tag.table.iter().find(|(slot, _)| is_word(json, *slot, self.tree, value)).map(|(_, member)| *member)
    }

    fn condition(&mut self, condition: &Condition, at: T::At) -> bool {
        let branch = if self.admits(condition.test, at) { condition.then } else { condition.otherwise };
        branch.is_none_or(|branch| self.admits(branch, at)) && !self.work.is_exhausted()
    }
}

/// Whether an object's keys are all among those that its own node declares or mentions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    AllKnown,
    SomeUnknown,
}

pub(crate) fn bound_fits(bound: &Bound, literal: &str, small: Option<i64>, is_lower: bool) -> bool {
    let order = match (small, bound.small) {
        (Some(value), Some(bound)) => value.cmp(&bound),
        _ => Decimal::read(literal).compare(&Decimal::read(&bound.literal)),
    };
    match order {
        Ordering::Equal => !bound.exclusive,
        Ordering::Greater => is_lower,
        Ordering::Less => !is_lower,
    }
}

pub(crate) fn is_multiple(literal: &str, divisor: &str) -> bool {
    Decimal::read(literal).is_multiple_of(&Decimal::read(divisor)).unwrap_or(true)
}

pub(crate) fn is_integer<T: Tree>(tree: &T, at: T::At) -> bool {
    tree.is_integer_literal(at) || Decimal::read(tree.literal(at)).is_integer()
}

pub(crate) fn has_member<T: Tree>(tree: &T, at: T::At, name: &str) -> bool {
    // The items of a list have no names.
    tree.kind(at) == Kind::Object && tree.members(at).any(|(other, _)| tree.name_is(other, name))
}
