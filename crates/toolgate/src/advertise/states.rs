//! Contract states: what is known of a value once the unions and conditions in place of it are chosen.
//!
//! A *conj* is a set of nodes that all speak of one value. Choosing a member of each union and a branch of each condition
//! gives its *alternatives*, which together cover every value that the conj admits (`v ∈ conj` lies in the alternative whose
//! choices it satisfies). What an alternative says of a key may be wider than the contract, never narrower.

use super::join::NumberRange;
use crate::json::Slot;
use crate::schema::kinds::Kinds;
use crate::schema::values::kind_of;
use crate::schema::{Closing, Count, Node, NodeId, ObjectRules, Schema};
use crate::validate::{Candidates, Validator, Work};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Nodes that all speak of one value, sorted; none says nothing about it.
pub(super) type Conj = SmallVec<[NodeId; 4]>;

/// Members of several unions in one place that are multiplied out; one union alone may be of any width.
const PRODUCT_MAX: usize = 1_024;
/// Alternatives of one place, where the document has not that many subschemas itself.
const PLACE_MAX: usize = 1_024;
/// Nodes that are gone through in one step of the work.
const SCANNED_A_STEP: u64 = 8;
/// Members of a union beyond which they are looked up and not gone through.
const WIDE: usize = 32;
/// Levels of required keys at which contradictions are looked for.
const CONTRADICTION_DEPTH: usize = 3;

/// A conj with every choice made.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    /// The nodes that hold.
    pub(super) nodes: Conj,
    pub(super) kinds: Kinds,
    /// The only values there are, where the contract lists them.
    pub(super) finite: Option<Vec<Slot>>,
    /// A union was too much to multiply out: its members' keys may be present.
    pub(super) is_widened: bool,
    /// Nodes that apply under conditions which are not looked at: their keys may be present.
    beside: Conj,
    /// What closes it, found when every choice is made.
    closings: SmallVec<[AppliedClosing; 1]>,
}

/// A rule for keys that nothing in place evaluates.
#[derive(Clone, Debug)]
struct AppliedClosing {
    /// The node that has it, and its number there.
    of: (NodeId, usize),
    /// The nodes that may evaluate a key.
    applied: Conj,
}

/// What an alternative says of keys that it does not declare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rest {
    Closed,
    Open,
    /// Every such value satisfies the conj.
    Typed(Conj),
    /// It depends on the name.
    ByName,
}

/// Reads alternatives out of a schema. Steps are counted; once there are none left everything is taken as admitted.
pub(super) struct States<'s> {
    pub(super) schema: &'s Schema,
    pub(super) work: Work,
    reaches: BTreeMap<NodeId, Conj>,
    /// The members of a wide union, by its node and number there.
    wide: HashMap<(NodeId, usize), HashSet<NodeId>>,
}

impl<'s> States<'s> {
    pub(super) fn new(schema: &'s Schema, steps_max: u64) -> Self {
        States { schema, work: Work::new(steps_max), reaches: BTreeMap::new(), wide: HashMap::new() }
    }

    pub(super) fn node(&self, id: NodeId) -> &'s Node {
        self.schema.node(id)
    }

    fn objects<'c>(&self, nodes: &'c [NodeId]) -> impl Iterator<Item = &'s ObjectRules> + use<'s, 'c> {
        let schema = self.schema;
        nodes.iter().filter_map(|id| schema.node(*id).object.as_deref())
    }

    /// Adds the alternatives of a conj that can have a value, in the order of the contract, to those that one place has already.
    pub(super) fn add_alternatives(&mut self, conj: &[NodeId], found: &mut Vec<Alternative>) {
        let mut partial = Some(Partial {
            alternative: Alternative {
                nodes: Conj::new(),
                kinds: Kinds::ALL,
                finite: None,
                is_widened: false,
                beside: Conj::new(),
                closings: SmallVec::new(),
            },
            nodes: conj.iter().rev().copied().collect(),
            choices: SmallVec::new(),
            breadth: 1,
        });
        // A loop, since unions lie beside and in one another as deep as a document is long.
        let mut forks: Vec<Fork> = Vec::new();
        // Branches that are not looked at yet.
        let mut open = 1;
        while let Some(mut taken) = partial.take().or_else(|| next_branch(&mut forks)) {
            open -= 1;
            match self.next_fork(&mut taken, found.len() + open) {
                Some(Next::Fork(branches)) => {
                    open += branches.len();
                    self.work.spend(taken.weight() * branches.len() as u64);
                    forks.push(Fork {
                        breadth: taken.breadth_of(branches.len()),
                        partial: taken,
                        branches: branches.into_iter(),
                    });
                }
                Some(Next::Settled) => found.extend(self.settled(taken.alternative)),
                None => {}
            }
        }
    }

    /// Takes in all nodes and makes the choices that leave one possibility, up to one that leaves more; `None` once nothing can
    /// satisfy all of it. `others` are the alternatives that there are beside it.
    fn next_fork(&mut self, partial: &mut Partial, others: usize) -> Option<Next> {
        loop {
            while let Some(id) = partial.nodes.pop() {
                if !self.take_in(partial, id) {
                    return None;
                }
            }
            let Some(choice) = partial.choices.pop() else { return Some(Next::Settled) };
            let branches: Vec<Branch> = match choice {
                Choice::Condition(id, index) => {
                    let Some(condition) = self.node(id).conditions.get(index) else { continue };
                    let holds = condition.then.into_iter().chain([condition.test]).collect();
                    vec![holds, condition.otherwise.into_iter().collect()]
                }
                Choice::Union(id, index) => {
                    let Some(union) = self.node(id).unions.get(index) else { continue };
                    let members = union.members.iter().copied();
                    let viable = members.filter(|member| self.is_viable(&partial.alternative, *member));
                    viable.map(|member| Branch::from_slice(&[member])).collect()
                }
            };
            match branches.as_slice() {
                [] => return None,
                [only] => partial.nodes.extend(only.iter().copied()),
                _ if self.work.is_exhausted() || !self.may_split(partial, branches.len(), others) => {
                    partial.alternative.is_widened = true;
                }
                _ => return Some(Next::Fork(branches)),
            }
        }
    }

    /// A choice beside which no other is open adds alternatives and does not multiply them: of any width that the document
    /// itself has. Members that are shared are many in a short document.
    fn may_split(&self, partial: &Partial, width: usize, others: usize) -> bool {
        let is_product = partial.breadth > 1 && partial.breadth.saturating_mul(width) > PRODUCT_MAX;
        !is_product && others.saturating_add(width) <= PLACE_MAX.max(self.schema.ids().len())
    }

    /// An alternative whose choices are all made; `None` where it has no value.
    fn settled(&mut self, mut alternative: Alternative) -> Option<Alternative> {
        self.list_values(&mut alternative);
        if alternative.finite.is_none() {
            let empty = self.empty_kinds(&alternative);
            alternative.kinds = alternative.kinds.without(empty);
        }
        if alternative.kinds.meets(Kinds::OBJECT) {
            alternative.closings = self.find_closings(&alternative);
        }
        (!alternative.kinds.is_empty()).then_some(alternative)
    }

    /// Kinds of which counts and bounds leave no value.
    fn empty_kinds(&self, alternative: &Alternative) -> Kinds {
        let mut empty = Kinds::NONE;
        if NumberRange::of(self, alternative).is_empty() {
            empty |= Kinds::NUMBER;
        }
        let rules = |id: &NodeId| self.node(*id);
        let crosses = |counts: &mut dyn Iterator<Item = (Count, Count)>| {
            let (mut least, mut most) = (0, u64::MAX);
            for (min, max) in counts {
                least = min.map_or(least, |(min, _)| min.max(least));
                most = max.map_or(most, |(max, _)| max.min(most));
            }
            least > most
        };
        let nodes = || alternative.nodes.iter().map(rules);
        if crosses(&mut nodes().filter_map(|node| node.string.as_deref()).map(|rules| (rules.min, rules.max))) {
            empty |= Kinds::STRING;
        }
        if crosses(&mut nodes().filter_map(|node| node.array.as_deref()).map(|rules| (rules.min, rules.max))) {
            empty |= Kinds::ARRAY;
        }
        if crosses(&mut nodes().filter_map(|node| node.object.as_deref()).map(|rules| (rules.min, rules.max))) {
            empty |= Kinds::OBJECT;
        }
        empty
    }

    /// Adds a node to what holds; `false` once nothing can satisfy all of it.
    fn take_in(&mut self, partial: &mut Partial, id: NodeId) -> bool {
        let alternative = &mut partial.alternative;
        self.work.spend(1 + alternative.nodes.len() as u64 / SCANNED_A_STEP);
        if alternative.nodes.contains(&id) {
            return true;
        }
        let node = self.node(id);
        alternative.kinds &= node.admits;
        if node.is_dead {
            return false;
        }
        if alternative.kinds.meets(Kinds::OBJECT)
            && self.is_impossible_object(&alternative.nodes, id, CONTRADICTION_DEPTH)
        {
            alternative.kinds = alternative.kinds.without(Kinds::OBJECT);
        }
        alternative.nodes.push(id);
        let dependents = node.object.iter().flat_map(|rules| &rules.dependent_schemas);
        alternative.beside.extend(dependents.map(|(_, dependent)| *dependent));
        partial.choices.extend((0..node.conditions.len()).rev().map(|index| Choice::Condition(id, index)));
        partial.choices.extend((0..node.unions.len()).rev().map(|index| Choice::Union(id, index)));
        !alternative.kinds.is_empty()
    }

    /// Whether a member can hold beside what holds already.
    fn is_viable(&mut self, alternative: &Alternative, member: NodeId) -> bool {
        self.work.spend(1);
        let node = self.node(member);
        let kinds = alternative.kinds & node.admits;
        if node.is_dead || kinds.is_empty() {
            return false;
        }
        if kinds != Kinds::OBJECT || node.object.is_none() || alternative.nodes.is_empty() {
            return true;
        }
        !self.is_impossible_object(&alternative.nodes, member, CONTRADICTION_DEPTH)
    }

    /// Whether some required key can have no value, where one node comes to those before.
    fn is_impossible_object(&mut self, before: &[NodeId], last: NodeId, depth: usize) -> bool {
        let Some(rules) = self.node(last).object.as_deref().filter(|_| !before.is_empty()) else { return false };
        self.work.spend((rules.props.len() * before.len()) as u64 / SCANNED_A_STEP);
        let speaks = |other: &ObjectRules, name: &str| other.prop(name).is_some() || !other.rests.is_empty();
        rules.props.iter().any(|prop| {
            let others: SmallVec<[&ObjectRules; 4]> =
                self.objects(before).filter(|other| speaks(other, &prop.name)).collect();
            let is_required = prop.is_required
                || others.iter().any(|other| other.prop(&prop.name).is_some_and(|prop| prop.is_required));
            if !is_required || others.is_empty() {
                return false;
            }
            let refuses = |rules: &ObjectRules| match rules.prop(&prop.name) {
                Some(prop) => prop.refused_by.is_some(),
                None => rules.rests.iter().any(|rest| rest.node.is_none() && rest.patterns.is_empty()),
            };
            if prop.refused_by.is_some() || others.iter().any(|other| refuses(other)) {
                return true;
            }
            let speakers = others.iter().filter_map(|other| other.prop(&prop.name)?.node).chain(prop.node);
            let inner: Conj = speakers.collect();
            self.is_impossible(&inner, depth)
        })
    }

    /// Whether a conj admits no value, as far as kinds, listed values and required keys say.
    fn is_impossible(&mut self, conj: &[NodeId], depth: usize) -> bool {
        self.work.spend(1 + conj.len() as u64);
        let kinds = conj.iter().fold(Kinds::ALL, |kinds, id| kinds & self.node(*id).admits);
        if kinds.is_empty() || conj.iter().any(|id| self.node(*id).is_dead) {
            return true;
        }
        if conj.iter().any(|id| !self.node(*id).values.is_empty()) {
            return self.values_of(conj).is_some_and(|values| values.is_empty());
        }
        let Some((last, before)) = conj.split_last().filter(|_| depth > 0 && kinds == Kinds::OBJECT) else {
            return false;
        };
        self.is_impossible_object(before, *last, depth - 1)
    }

    /// The values that a conj lists, less those that another of its nodes refuses.
    pub(super) fn values_of(&mut self, conj: &[NodeId]) -> Option<Vec<Slot>> {
        let schema = self.schema;
        let listed = conj.iter().find_map(|id| schema.node(*id).values.first())?;
        let json = &schema.document.json;
        let mut validator = Validator::new(schema, json, &mut self.work, false);
        let slots = listed.slots.iter().copied();
        Some(
            slots
                .filter(|slot| conj.iter().all(|id| validator.admits(*id, *slot)) || validator.work.is_exhausted())
                .collect(),
        )
    }

    fn list_values(&mut self, alternative: &mut Alternative) {
        let Some(values) = self.values_of(&alternative.nodes) else { return };
        let json = &self.schema.document.json;
        let kinds = values.iter().fold(Kinds::NONE, |kinds, slot| kinds | kind_of(json, *slot));
        alternative.kinds &= kinds;
        alternative.finite = Some(values);
    }

    /// Every name that an alternative declares or asks for, in the order of the contract.
    pub(super) fn names(&mut self, alternative: &Alternative) -> Vec<&'s str> {
        let schema = self.schema;
        let mut seen = HashSet::new();
        let mut names = Vec::new();
        for rules in self.objects(&alternative.nodes) {
            names.extend(rules.props.iter().map(|prop| &*prop.name).filter(|name| seen.insert(*name)));
        }
        // Known to what closes the object, though this alternative does not say what they are.
        for (_, applied) in self.closings(alternative) {
            for rules in self.objects(applied) {
                names.extend(rules.props.iter().map(|prop| &*prop.name).filter(|name| seen.insert(*name)));
            }
        }
        for rules in self.objects(&alternative.nodes) {
            for (node, _) in &rules.names {
                let words = schema.node(*node).values.first().map_or(&[][..], |values| &values.words);
                names.extend(words.iter().map(|word| &**word).filter(|name| seen.insert(*name)));
            }
        }
        names
    }

    /// What an alternative says of the value under a name; `None` where it refuses the name.
    pub(super) fn at(&mut self, alternative: &Alternative, name: &str) -> Option<Conj> {
        let mut conj = Conj::new();
        for rules in self.objects(&alternative.nodes) {
            self.at_rules(rules, name, &mut conj)?;
        }
        self.at_closings(alternative, name, &mut conj)?;
        conj.sort_unstable();
        conj.dedup();
        if conj.iter().any(|id| self.node(*id).is_dead) { None } else { Some(conj) }
    }

    /// What one node's own rules say of the value under a name.
    fn at_rules(&mut self, rules: &'s ObjectRules, name: &str, conj: &mut Conj) -> Option<()> {
        let schema = self.schema;
        if let Some(prop) = rules.prop(name) {
            if prop.refused_by.is_some() {
                return None;
            }
            conj.extend(prop.node);
        } else {
            let json = &schema.document.json;
            let mut nodes = Candidates::new();
            if !Validator::new(schema, json, &mut self.work, false).rest_nodes(rules, name, &mut nodes) {
                return None;
            }
            conj.extend(nodes);
        }
        let refuses = |(node, _): &(NodeId, Slot)| {
            let node = schema.node(*node);
            node.is_dead
                || node.values.iter().any(|values| values.words.binary_search_by(|word| (**word).cmp(name)).is_err())
        };
        if rules.names.iter().any(refuses) { None } else { Some(()) }
    }

    fn at_closings(&mut self, alternative: &Alternative, name: &str, conj: &mut Conj) -> Option<()> {
        for (closing, applied) in self.closings(alternative) {
            let json = &self.schema.document.json;
            let mut validator = Validator::new(self.schema, json, &mut self.work, false);
            if !validator.is_key_known(applied, name, closing.is_policy) {
                conj.push(closing.node?);
            }
        }
        Some(())
    }

    /// What closes an alternative, each with the nodes that may evaluate a key.
    fn closings<'a>(
        &self,
        alternative: &'a Alternative,
    ) -> impl Iterator<Item = (&'s Closing, &'a Conj)> + use<'s, 'a> {
        let schema = self.schema;
        let closing = move |(id, index): (NodeId, usize)| schema.node(id).object.as_deref()?.closings.get(index);
        alternative.closings.iter().filter_map(move |found| Some((closing(found.of)?, &found.applied)))
    }

    /// The closings of all nodes that hold, without those beside which every key is evaluated.
    fn find_closings(&mut self, alternative: &Alternative) -> SmallVec<[AppliedClosing; 1]> {
        let mut found = SmallVec::new();
        if alternative.is_widened {
            return found;
        }
        let schema = self.schema;
        for id in &alternative.nodes {
            let closings = schema.node(*id).object.as_deref().map_or(&[][..], |rules| &rules.closings);
            for (index, closing) in closings.iter().enumerate() {
                let mut applied = self.applied(closing.scope, alternative);
                for dependent in &alternative.beside {
                    applied.extend(self.reach(*dependent));
                }
                let is_open = applied.iter().any(|id| self.node(*id).is_dynamic)
                    || self.objects(&applied).any(|rules| rules.evaluates_all);
                if !is_open {
                    found.push(AppliedClosing { of: (*id, index), applied });
                }
            }
        }
        found
    }

    /// The nodes that a closing finds applied. Of a union the alternative's own choice is enough: a value that satisfies
    /// another member too lies in the alternative of that member.
    fn applied(&mut self, scope: NodeId, alternative: &Alternative) -> Conj {
        let chosen = &alternative.nodes;
        let mut applied = Conj::new();
        let mut todo = vec![scope];
        while let Some(id) = todo.pop() {
            if applied.contains(&id) {
                continue;
            }
            let node = self.node(id);
            let members: usize = node.unions.iter().map(|union| union.members.len().min(WIDE)).sum();
            self.work.spend(1 + (applied.len() + members * chosen.len()) as u64 / SCANNED_A_STEP);
            applied.push(id);
            for (index, union) in node.unions.iter().enumerate() {
                let before = todo.len();
                if union.members.len() > WIDE {
                    let members =
                        self.wide.entry((id, index)).or_insert_with(|| union.members.iter().copied().collect());
                    todo.extend(chosen.iter().filter(|node| members.contains(node)));
                } else {
                    todo.extend(union.members.iter().filter(|member| chosen.contains(member)));
                }
                if todo.len() == before {
                    todo.extend(&union.members);
                }
            }
            for condition in &node.conditions {
                let is_chosen =
                    |id: &NodeId| self.node(*id).conditions.iter().any(|other| other.test == condition.test);
                if chosen.contains(&condition.test) {
                    todo.extend(std::iter::once(condition.test).chain(condition.then));
                } else if chosen.iter().any(is_chosen) {
                    todo.extend(condition.otherwise);
                } else {
                    todo.extend(std::iter::once(condition.test).chain(condition.then).chain(condition.otherwise));
                }
            }
        }
        applied
    }

    /// The node and all in place of it, whether they hold or not.
    fn reach(&mut self, start: NodeId) -> Conj {
        if let Some(reach) = self.reaches.get(&start) {
            return reach.clone();
        }
        let reach: Conj = self.schema.in_place(start).collect();
        self.work.spend(reach.len() as u64);
        self.reaches.insert(start, reach.clone());
        reach
    }

    /// What an alternative says of the keys that [`States::names`] does not list.
    pub(super) fn rest(&mut self, alternative: &Alternative) -> Rest {
        let mut typed = Conj::new();
        let mut depends = false;
        for rules in self.objects(&alternative.nodes) {
            depends |= !rules.patterns.is_empty() || rules.rests.iter().any(|rest| !rest.patterns.is_empty());
            for (node, _) in &rules.names {
                if self.node(*node).is_dead || !self.node(*node).values.is_empty() {
                    return Rest::Closed;
                }
            }
            for rest in &rules.rests {
                match rest.node {
                    Some(node) => typed.push(node),
                    None if rest.patterns.is_empty() => return Rest::Closed,
                    None => {}
                }
            }
        }
        for (closing, applied) in self.closings(alternative) {
            let has_patterns = self.objects(applied).any(|rules| !rules.patterns.is_empty());
            depends |= has_patterns;
            match closing.node {
                Some(node) => typed.push(node),
                None if has_patterns => {}
                None => return Rest::Closed,
            }
        }
        if depends {
            return Rest::ByName;
        }
        if typed.is_empty() {
            return Rest::Open;
        }
        if typed.iter().any(|id| self.node(*id).is_dead) {
            return Rest::Closed;
        }
        typed.sort_unstable();
        typed.dedup();
        Rest::Typed(typed)
    }

    /// Every conj that a key which no alternative declares may have to satisfy one of, where that depends on its name.
    pub(super) fn rest_by_name(&mut self, alternative: &Alternative) -> Vec<Conj> {
        let mut states: Vec<Conj> = Vec::new();
        for rules in self.objects(&alternative.nodes) {
            // A key that matches satisfies at least what its pattern says.
            states.extend(rules.patterns.iter().map(|(_, node)| Conj::from_slice(&[*node])));
        }
        let mut typed = Conj::new();
        let mut is_closed = false;
        for rest in self.objects(&alternative.nodes).flat_map(|rules| &rules.rests) {
            typed.extend(rest.node);
            is_closed |= rest.node.is_none();
        }
        for (closing, applied) in self.closings(alternative) {
            typed.extend(closing.node);
            is_closed |= closing.node.is_none();
            // Evaluated by a pattern of something in place, which then holds.
            let patterns = self.objects(applied).flat_map(|rules| &rules.patterns);
            states.extend(patterns.map(|(_, node)| Conj::from_slice(&[*node])));
        }
        if !is_closed {
            states.push(typed);
        }
        states.retain(|conj| !conj.iter().any(|id| self.node(*id).is_dead));
        states
    }

    /// Names that must be present, dependents of required names included.
    pub(super) fn required(&self, alternative: &Alternative) -> HashSet<&'s str> {
        let mut required: HashSet<&str> = HashSet::new();
        for rules in self.objects(&alternative.nodes) {
            required.extend(rules.props.iter().filter(|prop| prop.is_required).map(|prop| &*prop.name));
        }
        loop {
            let before = required.len();
            for dependent in self.objects(&alternative.nodes).flat_map(|rules| &rules.dependent_required) {
                if required.contains(&*dependent.trigger) {
                    required.extend(dependent.names.iter().map(|name| &**name));
                }
            }
            if required.len() == before {
                return required;
            }
        }
    }

    /// What an alternative says of the item at `index`.
    pub(super) fn item(&self, alternative: &Alternative, index: usize) -> Conj {
        let rules = alternative.nodes.iter().filter_map(|id| self.node(*id).array.as_deref());
        let mut conj: Conj = rules.filter_map(|rules| rules.item(index)).collect();
        conj.sort_unstable();
        conj.dedup();
        conj
    }
}

/// An alternative in the making.
struct Partial {
    alternative: Alternative,
    /// Nodes to take in.
    nodes: Conj,
    /// Choices to make.
    choices: SmallVec<[Choice; 4]>,
    /// How many alternatives the choices made so far have multiplied those still to be made by.
    breadth: usize,
}

#[derive(Clone, Copy)]
enum Choice {
    Union(NodeId, usize),
    Condition(NodeId, usize),
}

/// What is looked at of one member or branch.
type Branch = SmallVec<[NodeId; 2]>;

/// How far an alternative has come.
enum Next {
    Settled,
    Fork(Vec<Branch>),
}

/// A choice that leaves several possibilities, with those that are not looked at yet.
struct Fork {
    partial: Partial,
    breadth: usize,
    branches: std::vec::IntoIter<Branch>,
}

/// The next branch of the last fork that has one.
fn next_branch(forks: &mut Vec<Fork>) -> Option<Partial> {
    let mut fork = forks.pop()?;
    // A fork always has one: it is taken off with its last.
    let branch = fork.branches.next()?;
    if fork.branches.len() == 0 {
        fork.partial.nodes = branch.into_iter().collect();
        fork.partial.breadth = fork.breadth;
        return Some(fork.partial);
    }
    let partial = Partial {
        alternative: fork.partial.alternative.clone(),
        nodes: branch.into_iter().collect(),
        choices: fork.partial.choices.clone(),
        breadth: fork.breadth,
    };
    forks.push(fork);
    Some(partial)
}

impl Partial {
    /// How many alternatives the choices made multiply the others by, after one of this width.
    fn breadth_of(&self, width: usize) -> usize {
        if self.choices.is_empty() { self.breadth } else { self.breadth.saturating_mul(width) }
    }

    /// What a copy takes, in steps.
    fn weight(&self) -> u64 {
        1 + (self.alternative.nodes.len() + self.alternative.beside.len() + self.choices.len()) as u64
    }
}
