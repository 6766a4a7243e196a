//! Reads arguments by the schema where they do not satisfy it as they are: former names, text that is a JSON literal of an
//! admitted kind, and the named opt-ins (R2, R4, R5).
//!
//! The JSON grammar gives a string at most one meaning beside text, so a reading is just the set of strings that are read.
//! Two readings of one value can only come from two members of a union; then the call is refused (R4.4), whatever the order
//! of members or keys. A value that satisfies its node is never touched.

pub(crate) mod overlay;

use crate::contract::{OptIns, Origin, Policy, Unions};
use crate::json::{Document, Kind, Slot};
use crate::limits::Limits;
use crate::location::Location;
use crate::refusal::ShownWord;
use crate::schema::kinds::Kinds;
use crate::schema::{NodeId, Schema, Union};
use crate::tree::Tree;
use crate::validate::{Candidates, Failed, Validator, Work, is_integer, note_failed};
use overlay::{Action, At, Decoded, Docs, Edits, Overlaid};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Nodes that a value must satisfy together: what a location says, and the members chosen of its unions. Sorted.
pub(crate) type Conj = SmallVec<[NodeId; 4]>;

/// One way to read a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) edits: Edits,
    pub(crate) deferred: Vec<Deferred>,
}

/// What is left to the server of a discovered schema (R9.3, R9.5).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deferred {
    /// The union at a value.
    Union(At),
    /// A required property with a default that is not there.
    Missing(At, Arc<str>),
}

/// Choices that are being made, each with the nodes that are still to be looked at.
type Choices = SmallVec<[(Alternative, Conj); 1]>;

/// At most two different readings: only "none, one, more" matters.
pub(crate) type Readings = Vec<Reading>;

/// How a value stands to its nodes before any text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsSent {
    Satisfies,
    /// It satisfies them, and text in it may be a list that R5 refuses. It is kept or refused, never changed (R4.1).
    Suspect,
    Fails,
}

/// How far a union of a discovered schema is judged here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Undecided unions that fail are left to the server.
    Undecided,
    /// Everything is judged: inside an undecided union, and for the question of R5 whether a list would be admitted.
    Nothing,
}

pub(crate) struct Reader<'a> {
    pub(crate) schema: &'a Arc<Schema>,
    pub(crate) docs: Docs<'a>,
    pub(crate) work: Work,
    pub(crate) options: OptIns,
    pub(crate) limits: Limits,
    /// Text is read; off where only judging is asked for.
    pub(crate) reads_text: bool,
    /// Nothing in the call can mean anything but what it says, so what does not satisfy its nodes has no reading.
    pub(crate) is_literal: bool,
    unions: Unions,
    origin: Origin,
    list_text_keep: &'a [Location],
    /// What is known not to satisfy its nodes as it was sent.
    pub(crate) failed: Failed<At>,
    pub(crate) readings: FxHashMap<(Conj, At, bool), Readings>,
    /// Undeclared names for which a near one is still looked for; far more than are listed.
    pub(crate) suggestions_left: usize,
    /// What is being explained stands under a key that may be left out.
    pub(crate) may_be_absent: bool,
    /// How many places marked `writeOnly` the explanation is inside of.
    pub(crate) secret_depth: usize,
    /// How many comparisons of members the explanation is inside of.
    pub(crate) comparing: usize,
    /// What was found where members are compared.
    pub(crate) findings: FxHashMap<(Conj, At, bool, bool), Rc<crate::explain::Findings>>,
}

/// What judges a member of an object.
pub(crate) struct Child {
    /// A conjunct requires the key.
    pub(crate) is_required: bool,
    /// The place of its name in the order of the schema; beyond all for a name that is not declared.
    pub(crate) order: usize,
    /// `None` where a conjunct refuses the key.
    pub(crate) nodes: Option<Conj>,
}

impl Child {
    pub(crate) fn is_declared(&self) -> bool {
        self.order != usize::MAX
    }

    /// Where the next member is if the caller keeps the order of the schema.
    pub(crate) fn next_hint(&self) -> usize {
        self.order.wrapping_add(1)
    }
}

/// A choice of members for all unions of a location, and of branches for its conditions.
#[derive(Default)]
pub(crate) struct Alternative {
    pub(crate) nodes: Conj,
    /// A member of an undecided union was chosen.
    used_undecided: bool,
    /// Unions that were left to the server.
    pub(crate) dropped: Vec<(NodeId, usize)>,
}

const SUGGESTIONS_MAX: usize = 32;

/// Required names up to which each is looked for among the members.
const FEW_NAMES: usize = 4;

/// Choices up to which a condition doubles them.
const CONDITION_CHOICES_MAX: usize = 16;

/// Steps of one attempt to read a value, beside those of the judgements it asks for.
pub(crate) const READ_STEPS: u64 = 8;

/// Choices of members beyond this are too much work for one value; one union of all nodes that a schema may have is not.
const ALTERNATIVES_MAX: usize = 65_536;

/// Edits under which a value is known not to satisfy its nodes, of which as many are remembered.
const REFUSED_MAX: usize = 64;

impl<'a> Reader<'a> {
    pub(crate) fn new(
        schema: &'a Arc<Schema>,
        base: &'a Document<'a>,
        policy: &Policy,
        list_text_keep: &'a [Location],
    ) -> Self {
        Reader {
            schema,
            docs: Docs::new(base),
            work: Work::new(policy.limits.steps_max),
            options: policy.options,
            limits: policy.limits,
            reads_text: true,
            is_literal: false,
            unions: policy.unions,
            origin: policy.origin,
            list_text_keep,
            failed: Failed::new(),
            readings: FxHashMap::default(),
            suggestions_left: SUGGESTIONS_MAX,
            may_be_absent: false,
            secret_depth: 0,
            comparing: 0,
            findings: FxHashMap::default(),
        }
    }

    pub(crate) fn overlaid<'d>(&'d self, edits: &'d Edits) -> Overlaid<'d, 'a> {
        Overlaid { docs: &self.docs, edits }
    }

    /// Asks the validator about the value as it reads with `edits`.
    pub(crate) fn with_validator<R>(
        &mut self,
        edits: &Edits,
        ask: impl FnOnce(&mut Validator<'_, Overlaid<'_, 'a>>) -> R,
    ) -> R {
        let overlaid = Overlaid { docs: &self.docs, edits };
        ask(&mut Validator::new(self.schema, &overlaid, &mut self.work, self.options.object_as_text))
    }

    pub(crate) fn kind(&self, at: At) -> Kind {
        self.docs.document(at.doc).kind(at.slot)
    }

    /// Kinds that the nodes admit together; at a union's own location those of all its members count (R4.1).
    pub(crate) fn admitted_kinds(&self, conj: &[NodeId]) -> Kinds {
        conj.iter().fold(Kinds::ALL, |kinds, id| kinds & self.schema.node(*id).admits)
    }

    pub(crate) fn names_kind(&self, conj: &[NodeId], kinds: Kinds) -> bool {
        conj.iter().any(|id| self.schema.node(*id).named.meets(kinds))
    }

    pub(crate) fn kind_fits(&self, kinds: Kinds, at: At) -> bool {
        let kind = self.kind(at);
        if kind != Kind::Number {
            return kinds.meets(Kinds::of(kind));
        }
        kinds.meets(Kinds::FRACTION) || kinds.meets(Kinds::INTEGER) && is_integer(self.docs.document(at.doc), at.slot)
    }

    /// The readings of the value at `at` that satisfy all nodes of `conj`.
    pub(crate) fn read(&mut self, conj: &Conj, at: At, left: Left) -> Readings {
        if self.is_scalar(at) {
            // As cheap as looking it up; what a text decodes to is remembered by its own place.
            return self.read_once(conj, at, left);
        }
        let key = (conj.clone(), at, left == Left::Nothing);
        if let Some(known) = self.readings.get(&key) {
            return known.clone();
        }
        let readings = self.read_once(conj, at, left);
        self.readings.insert(key, readings.clone());
        readings
    }

    /// The same, for what is not asked again.
    pub(crate) fn read_once(&mut self, conj: &Conj, at: At, left: Left) -> Readings {
        // Reading is dearer than judging, and is counted so.
        let readings = if self.work.enter() && self.work.spend(READ_STEPS) {
            self.read_new(conj, at, left)
        } else {
            Readings::new()
        };
        self.work.leave();
        readings
    }

    fn read_new(&mut self, conj: &Conj, at: At, left: Left) -> Readings {
        if self.kind(at) == Kind::Object && !self.rename(conj, at) {
            return Readings::new();
        }
        let as_sent = self.as_sent(conj, at);
        if as_sent == AsSent::Satisfies && !self.has_renames(at) {
            return vec![Reading::default()];
        }
        if self.is_literal {
            return Readings::new();
        }
        let kinds = self.admitted_kinds(conj);
        if !self.kind_fits(kinds, at) {
            return self.read_other_kind(conj, kinds, at, left);
        }
        if self.kind(at) == Kind::String && (self.is_list_as_text(conj, at) || self.is_object_as_text(conj, at)) {
            return Readings::new();
        }
        self.read_inside(conj, at, left, as_sent != AsSent::Fails)
    }

    /// Whether the value satisfies the nodes without any edit, its own or one inside.
    pub(crate) fn is_as_it_is(&mut self, conj: &[NodeId], at: At) -> bool {
        self.as_sent(conj, at) == AsSent::Satisfies && !self.has_renames(at)
    }

    fn has_renames(&self, at: At) -> bool {
        !self.docs.renamed.is_empty() && self.kind(at) == Kind::Object && !self.rename_edits(at).is_empty()
    }

    /// How the value stands to the nodes before any text is read.
    pub(crate) fn as_sent(&mut self, conj: &[NodeId], at: At) -> AsSent {
        let schema = self.schema;
        if conj.iter().all(|id| schema.node(*id).is_simple) {
            let fits = self.work.spend(1) && conj.iter().all(|id| self.kind_fits(schema.node(*id).kinds, at));
            return if fits { AsSent::Satisfies } else { AsSent::Fails };
        }
        // What a former name changes, it changes for what holds it too.
        let is_known = self.docs.renamed.is_empty() && !self.is_scalar(at);
        if is_known && conj.iter().any(|id| self.failed.contains(&(*id, at))) {
            return AsSent::Fails;
        }
        let overlaid = Overlaid { docs: &self.docs, edits: &Edits::new() };
        let mut validator = Validator::new(schema, &overlaid, &mut self.work, self.options.object_as_text);
        let admits = conj.iter().all(|id| validator.judges(*id, at));
        for (id, at) in &validator.failed {
            note_failed(&mut self.failed, *id, *at);
        }
        if !admits || validator.meets_alias && self.reads_text {
            AsSent::Fails
        } else if validator.is_suspect && self.reads_text {
            AsSent::Suspect
        } else {
            AsSent::Satisfies
        }
    }

    /// Text where no string is admitted, and the opt-ins for a value of another kind.
    fn read_other_kind(&mut self, conj: &Conj, kinds: Kinds, at: At, left: Left) -> Readings {
        let (doc, action) = match self.decoded_as(kinds, at) {
            Some(Decoded::Value(doc)) => (doc, Action::Decode(doc)),
            Some(_) => return Readings::new(),
            None => match self.wrapped(kinds, at) {
                Some(doc) => (doc, Action::Wrap(doc)),
                None => return Readings::new(),
            },
        };
        let inner = self.read(conj, Docs::root_of(doc), left);
        inner.iter().map(|reading| with_edit(reading, at, action)).collect()
    }

    /// What the string at `at` holds, where that is of a kind in `kinds` and no string is (R4.2).
    pub(crate) fn decoded_as(&mut self, kinds: Kinds, at: At) -> Option<Decoded> {
        if !self.reads_text || self.kind(at) != Kind::String || kinds.meets(Kinds::STRING) {
            return None;
        }
        match self.docs.decode(at, &self.limits) {
            Decoded::Text => None,
            Decoded::Value(doc) => {
                let root = Docs::root_of(doc);
                let fits = match self.kind(root) {
                    Kind::Number if !kinds.meets(Kinds::FRACTION) => {
                        kinds.meets(Kinds::INTEGER) && self.docs.document(doc).is_integer_literal(0)
                    }
                    kind => kinds.meets(Kinds::of(kind)),
                };
                fits.then_some(Decoded::Value(doc))
            }
            // Which kind it would have been is in its first character.
            Decoded::Fault(fault) => {
                let first = self.docs.text_of(at).trim_start().chars().next();
                let kind = match first {
                    Some('{') => Kinds::OBJECT,
                    Some('[') => Kinds::ARRAY,
                    _ => Kinds::NUMBER,
                };
                kinds.meets(kind).then_some(Decoded::Fault(fault))
            }
        }
    }

    /// `wrap-single`: one value where only a list is admitted.
    fn wrapped(&mut self, kinds: Kinds, at: At) -> Option<u32> {
        let applies = self.options.wrap_single
            && self.reads_text
            && kinds.without(Kinds::NULL) == Kinds::ARRAY
            && !matches!(self.kind(at), Kind::Array | Kind::Null)
            // Once: a list of lists of one is never guessed.
            && !self.docs.is_wrapped(at);
        if applies { self.docs.wrap(at, &self.limits) } else { None }
    }

    /// R5.1: a string where a string and, by name, a list are admitted, and whose text is such a list.
    pub(crate) fn is_list_as_text(&mut self, conj: &Conj, at: At) -> bool {
        self.is_container_as_text(conj, at, Kinds::ARRAY, Kind::Array) && !self.is_kept(at)
    }

    /// R5.4, an opt-in.
    pub(crate) fn is_object_as_text(&mut self, conj: &Conj, at: At) -> bool {
        self.options.object_as_text && self.is_container_as_text(conj, at, Kinds::OBJECT, Kind::Object)
    }

    fn is_container_as_text(&mut self, conj: &Conj, at: At, container: Kinds, kind: Kind) -> bool {
        let kinds = self.admitted_kinds(conj);
        if !self.reads_text || !kinds.has_all(Kinds::STRING | container) || !self.names_kind(conj, container) {
            return false;
        }
        let Decoded::Value(doc) = self.docs.decode(at, &self.limits) else { return false };
        let root = Docs::root_of(doc);
        self.kind(root) == kind && !self.read(conj, root, Left::Nothing).is_empty()
    }

    /// R5.5: the place was named as free text.
    fn is_kept(&self, at: At) -> bool {
        !self.list_text_keep.is_empty() && {
            let location = self.docs.locate(at).to_pointer();
            self.list_text_keep.iter().any(|kept| kept.to_pointer() == location)
        }
    }

    // ---- former names

    /// Makes former names of the object count as the declared ones; `false` where one property came under two names (R2.1).
    fn rename(&mut self, conj: &[NodeId], at: At) -> bool {
        let schema = self.schema;
        let aliased: Vec<_> = conj
            .iter()
            .filter_map(|id| schema.node(*id).object.as_ref())
            .filter(|rules| !rules.aliases.is_empty())
            .collect();
        if aliased.is_empty() || !self.reads_text {
            return true;
        }
        let members: Vec<_> = self.members(at).map(|(name, _)| name).collect();
        for name_at in members {
            let name = self.docs.text_of(name_at).into_owned();
            for rules in &aliased {
                let declared = rules.aliases.iter().find(|(former, _)| **former == *name);
                if let Some(prop) = declared.and_then(|(_, index)| rules.props.get(*index as usize)) {
                    self.docs.renamed.insert(name_at, prop.name.clone());
                }
            }
        }
        self.conflicting_names(conj, at).is_empty()
    }

    /// Names under which one property was given more than once.
    pub(crate) fn conflicting_names(&self, conj: &[NodeId], at: At) -> Vec<ShownWord> {
        let document = self.docs.document(at.doc);
        let has = |name: &str| document.member(at.slot, name).is_some();
        let mut conflicts = Vec::new();
        let aliased = conj
            .iter()
            .filter_map(|id| self.schema.node(*id).object.as_ref())
            .filter(|rules| !rules.aliases.is_empty());
        for rules in aliased {
            for (index, prop) in rules.props.iter().enumerate() {
                let former = rules.aliases.iter().filter(|(_, of)| *of as usize == index).map(|(former, _)| &**former);
                let given: Vec<_> = std::iter::once(&*prop.name).chain(former).filter(|name| has(name)).collect();
                if given.len() > 1 && conflicts.is_empty() {
                    conflicts.extend(given.into_iter().map(ShownWord::from));
                }
            }
        }
        conflicts
    }

    fn rename_edits(&self, at: At) -> Edits {
        if self.docs.renamed.is_empty() {
            return Edits::new();
        }
        let names = self.members(at).map(|(name, _)| name);
        names.filter(|name| self.docs.renamed.contains_key(name)).map(|name| (name, Action::Rename)).collect()
    }

    pub(crate) fn is_scalar(&self, at: At) -> bool {
        !matches!(self.kind(at), Kind::Array | Kind::Object)
    }

    pub(crate) fn members(&self, at: At) -> impl Iterator<Item = (At, At)> + use<'_, 'a> {
        let document = self.docs.document(at.doc);
        let members =
            document.members(at.slot).map(move |(name, value)| (At { slot: name, ..at }, At { slot: value, ..at }));
        members.filter(|(_, value)| !self.docs.hidden.contains(value))
    }

    pub(crate) fn items(&self, at: At) -> impl Iterator<Item = At> + use<'_, 'a> {
        self.docs.document(at.doc).items(at.slot).map(move |slot| At { slot, ..at })
    }

    // ---- unions

    /// Whether a tag, or the value's kind, leaves at most one member (R9.3). `null` members never count against it.
    pub(crate) fn is_decided(&self, union: &Union, at: At) -> bool {
        if self.origin == Origin::Authored || self.unions == Unions::Local {
            return true;
        }
        let kind = self.kind(at);
        let fitting = union.members.iter().filter(|member| {
            let node = self.schema.node(**member);
            node.admits.meets(Kinds::of(kind)) && !node.is_dead
        });
        if fitting.count() <= 1 {
            return true;
        }
        kind == Kind::Object && union.tag.is_some() && self.unions == Unions::Labelled
    }

    /// The members that can be meant: by tag, exactly or by the text of the tag, else by kind.
    pub(crate) fn candidates(&mut self, union: &Union, at: At) -> Candidates {
        let kind = self.kind(at);
        let exact = self.with_validator(&Edits::new(), |validator| validator.candidates(union, kind, at));
        let Some(tag) = union.tag.as_ref().filter(|_| exact.is_empty() && kind == Kind::Object) else { return exact };
        let Some(value) = self.member_value(at, &tag.key).filter(|value| self.kind(*value) == Kind::String) else {
            return exact;
        };
        let json = &self.schema.document.json;
        let kinds = tag.table.iter().fold(Kinds::NONE, |kinds, (slot, _)| kinds | Kinds::of(json.kind(*slot)));
        match self.decoded_as(kinds, value) {
            Some(Decoded::Value(doc)) => {
                let root = Docs::root_of(doc);
                self.with_validator(&Edits::new(), |validator| validator.tagged(tag, root)).into_iter().collect()
            }
            _ => exact,
        }
    }

    pub(crate) fn member_value(&self, at: At, name: &str) -> Option<At> {
        if self.docs.renamed.is_empty() && self.docs.hidden.is_empty() {
            return self.docs.document(at.doc).member(at.slot, name).map(|slot| At { slot, ..at });
        }
        let edits = Edits::new();
        let overlaid = self.overlaid(&edits);
        let found = overlaid.members(at).find(|(name_at, _)| overlaid.name_is(*name_at, name));
        found.map(|(_, value)| value)
    }

    pub(crate) fn has_member(&self, at: At, name: &str) -> bool {
        self.member_value(at, name).is_some()
    }

    /// Whether there is anything to choose at a value of these nodes.
    pub(crate) fn has_choices(&self, conj: &[NodeId]) -> bool {
        conj.iter().any(|id| {
            let node = self.schema.node(*id);
            node.has_choices() || node.object.as_ref().is_some_and(|rules| !rules.dependent_schemas.is_empty())
        })
    }

    /// All choices of members and branches for the value. With `Left::Undecided` unions that nothing decides are dropped.
    pub(crate) fn alternatives(&mut self, conj: &Conj, at: At, left: Left) -> SmallVec<[Alternative; 1]> {
        if !self.has_choices(conj) {
            self.work.spend(conj.len() as u64);
            let nodes = Conj::from_slice(conj);
            return SmallVec::from_buf([Alternative { nodes, ..Alternative::default() }]);
        }
        let mut done: SmallVec<[Alternative; 1]> = SmallVec::new();
        let mut todo: Choices = smallvec![(Alternative::default(), Conj::from_slice(conj))];
        while let Some((mut alternative, mut pending)) = todo.pop() {
            let Some(id) = pending.pop() else {
                done.push(alternative);
                continue;
            };
            if done.len() + todo.len() > ALTERNATIVES_MAX || !self.work.spend(1) {
                self.work.exhaust();
                return SmallVec::new();
            }
            if alternative.nodes.contains(&id) {
                todo.push((alternative, pending));
                continue;
            }
            alternative.nodes.push(id);
            self.expand(id, at, left, alternative, pending, &mut todo);
        }
        for alternative in &mut done {
            alternative.nodes.sort_unstable();
        }
        done.reverse();
        done
    }

    /// Adds the choices that one node asks for.
    fn expand(&mut self, id: NodeId, at: At, left: Left, alternative: Alternative, pending: Conj, todo: &mut Choices) {
        let schema = self.schema;
        let node = schema.node(id);
        let mut choices: Choices = smallvec![(alternative, pending)];
        for (trigger, dependent) in node.object.iter().flat_map(|rules| &rules.dependent_schemas) {
            if self.kind(at) == Kind::Object && self.has_member(at, trigger) {
                choices.iter_mut().for_each(|(_, pending)| pending.push(*dependent));
            }
        }
        for condition in &node.conditions {
            let then = || std::iter::once(condition.test).chain(condition.then).collect::<Conj>();
            let otherwise = || condition.otherwise.into_iter().collect::<Conj>();
            // Text that is read may turn the condition, so both branches are tried; not where many conditions would
            // multiply, of which each then decides by the value as it was sent.
            let branches = if choices.len() <= CONDITION_CHOICES_MAX {
                vec![then(), otherwise()]
            } else if self.with_validator(&Edits::new(), |validator| validator.judges(condition.test, at)) {
                vec![then()]
            } else {
                vec![otherwise()]
            };
            self.work.spend(choices.len() as u64 * 4);
            choices = product(choices, &branches);
        }
        for (index, union) in node.unions.iter().enumerate() {
            let is_decided = self.is_decided(union, at);
            if !is_decided && left == Left::Undecided {
                choices.iter_mut().for_each(|(alternative, _)| alternative.dropped.push((id, index)));
                continue;
            }
            if !is_decided {
                choices.iter_mut().for_each(|(alternative, _)| alternative.used_undecided = true);
            }
            let candidates = self.candidates(union, at);
            if let [only] = candidates.as_slice() {
                choices.iter_mut().for_each(|(_, pending)| pending.push(*only));
                continue;
            }
            let branches: Vec<Conj> = candidates.into_iter().map(|member| Conj::from_slice(&[member])).collect();
            let copied: usize =
                choices.iter().map(|(alternative, pending)| 4 + alternative.nodes.len() + pending.len()).sum();
            if choices.len() * branches.len() > ALTERNATIVES_MAX || !self.work.spend((copied * branches.len()) as u64) {
                return self.work.exhaust();
            }
            choices = product(choices, &branches);
        }
        todo.extend(choices);
    }

    /// Reads a value of an admitted kind: each choice of members on its own, then what the choices agree on.
    /// Where `keeps` says that the value satisfies its nodes as it was sent, only readings that leave it so count.
    fn read_inside(&mut self, conj: &Conj, at: At, left: Left, keeps: bool) -> Readings {
        let alternatives = self.alternatives(conj, at, Left::Nothing);
        let mut readings = Readings::new();
        let mut refused = Vec::new();
        let mut used_undecided = false;
        for alternative in &alternatives {
            used_undecided |= alternative.used_undecided;
            let inner = if alternative.used_undecided { Left::Nothing } else { left };
            for reading in self.read_alternative(conj, alternative, at, inner, &mut refused) {
                if !keeps || reading.edits.iter().all(|(_, action)| *action == Action::Rename) {
                    push_distinct(&mut readings, reading);
                }
            }
        }
        let undecided = used_undecided || alternatives.is_empty() && self.has_undecided(conj, at);
        if left == Left::Nothing || readings.len() == 1 || !undecided {
            return readings;
        }
        self.read_deferred(conj, at)
    }

    fn has_undecided(&mut self, conj: &Conj, at: At) -> bool {
        self.alternatives(conj, at, Left::Undecided).iter().any(|alternative| !alternative.dropped.is_empty())
    }

    /// R9.3: what nothing decides is left to the server, as it was sent; the rest is judged here. A key that no member
    /// admits and a list written as text lie outside.
    fn read_deferred(&mut self, conj: &Conj, at: At) -> Readings {
        let mut readings = Readings::new();
        for alternative in self.alternatives(conj, at, Left::Undecided) {
            if !self.keys_outside(&alternative, at).is_empty() || !self.lists_outside(&alternative, at).is_empty() {
                continue;
            }
            for mut reading in self.read_alternative(conj, &alternative, at, Left::Undecided, &mut Vec::new()) {
                if !alternative.dropped.is_empty() {
                    reading.deferred.push(Deferred::Union(at));
                }
                push_distinct(&mut readings, reading);
            }
        }
        readings
    }

    pub(crate) fn dropped_members(&mut self, alternative: &Alternative, at: At) -> Candidates {
        let schema = self.schema;
        let kinds = Kinds::of(self.kind(at));
        let mut members = Candidates::new();
        for (id, index) in &alternative.dropped {
            let Some(union) = schema.node(*id).unions.get(*index) else { continue };
            let fitting = union.members.iter().filter(|member| {
                let node = schema.node(**member);
                node.admits.meets(kinds) && !node.is_dead
            });
            members.extend(fitting.copied());
        }
        members
    }

    /// Names that no member of a dropped union, and nothing beside it, admits.
    pub(crate) fn keys_outside(&mut self, alternative: &Alternative, at: At) -> HashSet<At> {
        if self.kind(at) != Kind::Object || alternative.dropped.is_empty() {
            return HashSet::new();
        }
        let members = self.dropped_members(alternative, at);
        let schema = self.schema;
        let base = alternative.nodes.clone();
        let is_closed = base
            .iter()
            .filter_map(|id| schema.node(*id).object.as_ref())
            .any(|rules| rules.closings.iter().any(|closing| closing.is_policy));
        let entries: Vec<_> = self.members(at).collect();
        let mut outside = HashSet::new();
        for (name_at, _) in entries {
            let name = self.overlaid(&Edits::new()).name(name_at).into_owned();
            let is_outside = self.with_validator(&Edits::new(), |validator| {
                let refuses = members.iter().all(|member| refuses_key(validator, schema, *member, &name, 0));
                let is_known = validator.is_key_known(&base, &name, true)
                    || members.iter().any(|member| knows_key(validator, schema, *member, &name, 0));
                !is_known && (is_closed || refuses)
                    || refuses && !members.is_empty() && !validator.is_key_known(&base, &name, true)
            });
            if is_outside {
                outside.insert(name_at);
            }
        }
        outside
    }

    /// Places inside a dropped union where a list is written as text under one of its members, and a plain string is meant
    /// under none (R9.3: R5 lies outside every union).
    pub(crate) fn lists_outside(&mut self, alternative: &Alternative, at: At) -> Vec<At> {
        let members = self.dropped_members(alternative, at);
        let (mut lists, mut plain) = (BTreeSet::new(), BTreeSet::new());
        for member in members {
            // The member beside what stands here; the union itself is not asked again.
            for inner in self.alternatives(&Conj::from_slice(&[member]), at, Left::Nothing) {
                let nodes = conj_of(alternative.nodes.iter().chain(&inner.nodes).copied().collect());
                for (value, child) in self.children(&nodes, at).unwrap_or_default() {
                    self.scan_lists(&child, value, false, &mut lists, &mut plain);
                }
            }
        }
        lists.difference(&plain).copied().collect()
    }

    /// Places of a value that satisfies its nodes where a list is written as text, whatever members are chosen.
    pub(crate) fn lists_inside(&mut self, conj: &Conj, at: At) -> BTreeSet<At> {
        let (mut lists, mut plain) = (BTreeSet::new(), BTreeSet::new());
        self.scan_lists(conj, at, true, &mut lists, &mut plain);
        lists
    }

    /// With `holding`, only members that the value satisfies as it was sent are looked into.
    fn scan_lists(&mut self, conj: &Conj, at: At, holding: bool, lists: &mut BTreeSet<At>, plain: &mut BTreeSet<At>) {
        if !self.reads_text {
            return;
        }
        if self.work.enter() {
            self.scan_lists_inside(conj, at, holding, lists, plain);
        }
        self.work.leave();
    }

    fn scan_lists_inside(
        &mut self,
        conj: &Conj,
        at: At,
        holding: bool,
        lists: &mut BTreeSet<At>,
        plain: &mut BTreeSet<At>,
    ) {
        match self.kind(at) {
            Kind::String if conj.is_empty() => {}
            Kind::String => {
                if self.is_list_as_text(conj, at) || self.is_object_as_text(conj, at) {
                    lists.insert(at);
                } else if self.admitted_kinds(conj).meets(Kinds::STRING) && self.names_kind(conj, Kinds::STRING) {
                    plain.insert(at);
                }
            }
            Kind::Array | Kind::Object => {
                for alternative in self.alternatives(conj, at, Left::Nothing) {
                    if holding && self.as_sent(&alternative.nodes, at) == AsSent::Fails {
                        continue;
                    }
                    for (value, child) in self.children(&alternative.nodes, at).unwrap_or_default() {
                        self.scan_lists(&child, value, holding, lists, plain);
                    }
                }
            }
            _ => {}
        }
    }

    // ---- inside a choice

    /// The values inside, each with the nodes that judge it; `None` where a key is refused by a conjunct.
    pub(crate) fn children(&mut self, nodes: &[NodeId], at: At) -> Option<Vec<(At, Conj)>> {
        let mut children = Vec::new();
        let mut inside = self.docs.inside(at);
        match self.kind(at) {
            Kind::Array => {
                while let Some(item) = inside.next_item(&self.docs) {
                    children.push((item, self.item_nodes(nodes, children.len())));
                }
            }
            Kind::Object => {
                let mut is_refused = false;
                while let Some((name_at, value)) = inside.next_member(&self.docs) {
                    let child = self.child(nodes, name_at, value, children.len()).nodes;
                    is_refused |= child.is_none();
                    children.push((value, child.unwrap_or_default()));
                }
                if is_refused {
                    return None;
                }
            }
            _ => {}
        }
        self.work.spend(children.len() as u64 / 4).then_some(children)
    }

    /// What judges one member. Notes whether the name is declared.
    /// `hint` is that place if the caller keeps the order of the schema.
    pub(crate) fn child(&mut self, nodes: &[NodeId], name_at: At, value: At, hint: usize) -> Child {
        let schema = self.schema;
        let edits = Edits::new();
        let overlaid = Overlaid { docs: &self.docs, edits: &edits };
        let name = overlaid.name(name_at);
        let mut found = Conj::new();
        let (mut order, mut before) = (usize::MAX, 0);
        let (mut is_refused, mut is_asked, mut is_required) = (false, false, false);
        for rules in nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()) {
            if let Some((index, prop)) = rules.find(&name, hint) {
                order = order.min(before + index);
                is_refused |= prop.refused_by.is_some();
                is_required |= prop.is_required;
                if let Some(node) = prop.node {
                    found.push(node);
                }
            } else {
                is_asked |= !rules.patterns.is_empty() || !rules.rests.is_empty();
            }
            is_asked |= rules.closings.iter().any(|closing| closing.node.is_some());
            before += rules.props.len();
        }
        if is_asked {
            let mut validator = Validator::new(schema, &overlaid, &mut self.work, self.options.object_as_text);
            is_refused |= !push_others(&mut validator, nodes, &name, &mut found);
        }
        if order == usize::MAX {
            self.docs.note_undeclared(value);
        }
        Child { is_required, order, nodes: (!is_refused).then(|| conj_of(found)) }
    }

    /// The nodes of one item: its slot's, and those of `unevaluatedItems` where nothing else evaluates it.
    pub(crate) fn item_nodes(&self, nodes: &[NodeId], index: usize) -> Conj {
        let schema = self.schema;
        let rules = nodes.iter().filter_map(|id| schema.node(*id).array.as_ref());
        let mut found: Conj = rules.clone().filter_map(|rules| rules.item(index)).collect();
        if rules.clone().any(|rules| !rules.unevaluated.is_empty()) {
            let evaluates = |id: NodeId| {
                let node = schema.node(id);
                let by_rules = |rules: &crate::schema::ArrayRules| {
                    let own = rules.evaluates_all && rules.unevaluated.is_empty();
                    index < rules.prefix.len()
                        || rules.items.is_some()
                        || own
                        || rules.contains.iter().any(|contains| contains.evaluates)
                };
                node.is_dynamic || node.array.as_deref().is_some_and(by_rules)
            };
            if !nodes.iter().any(|id| evaluates(*id)) {
                found.extend(rules.flat_map(|rules| rules.unevaluated.iter().map(|unevaluated| unevaluated.node)));
            }
        }
        conj_of(found)
    }

    /// The readings under one choice. Members often agree on what is to be read and refuse it all the same, so the edits that
    /// were `refused` are not judged again for each.
    fn read_alternative(
        &mut self,
        conj: &Conj,
        alternative: &Alternative,
        at: At,
        left: Left,
        refused: &mut Vec<Edits>,
    ) -> Readings {
        let nodes = &alternative.nodes;
        let kind = self.kind(at);
        let deferred = if kind == Kind::Object { self.missing_defaults(nodes, at) } else { Some(Vec::new()) };
        let Some(deferred) = deferred else { return Readings::new() };
        let mut readings = vec![Reading { edits: self.rename_edits(at), deferred }];
        let mut inside = self.docs.inside(at);
        match kind {
            Kind::Object => {
                let mut hint = 0;
                while let Some((name_at, value)) = inside.next_member(&self.docs) {
                    let child = self.child(nodes, name_at, value, hint);
                    hint = child.next_hint();
                    let Some(child) = child.nodes else { return Readings::new() };
                    self.read_child(nodes, at, &child, value, left, &mut readings);
                    if readings.is_empty() {
                        return readings;
                    }
                }
            }
            Kind::Array => {
                let mut index = 0;
                while let Some(item) = inside.next_item(&self.docs) {
                    let child = self.item_nodes(nodes, index);
                    index += 1;
                    self.read_child(nodes, at, &child, item, left, &mut readings);
                    if readings.is_empty() {
                        return readings;
                    }
                }
            }
            _ => {}
        }
        for reading in &mut readings {
            reading.edits.sort_unstable();
        }
        readings.retain(|reading| self.holds(conj, alternative, at, reading, refused));
        readings
    }

    /// Joins the readings of a value inside to those of what holds it.
    fn read_child(&mut self, nodes: &[NodeId], at: At, child: &Conj, value: At, left: Left, readings: &mut Readings) {
        if !self.work.spend(1) {
            return readings.clear();
        }
        if child.is_empty() || self.is_as_it_is(child, value) {
            return;
        }
        let mut inner = self.read(child, value, left);
        if inner.is_empty()
            && let Some(action) = self.absence(nodes, at, value)
        {
            inner = vec![with_edit(&Reading::default(), value, action)];
        }
        combine(readings, inner);
    }

    /// Whether the value as read satisfies the whole location. With something left to the server, only the rules that it
    /// does not touch can be asked.
    fn holds(
        &mut self,
        conj: &Conj,
        alternative: &Alternative,
        at: At,
        reading: &Reading,
        refused: &mut Vec<Edits>,
    ) -> bool {
        let edits = &reading.edits;
        if !reading.deferred.is_empty() || !alternative.dropped.is_empty() {
            return self.own_rules_hold(alternative, at, edits);
        }
        if refused.contains(edits) {
            return false;
        }
        let is_admitted = self.with_validator(edits, |validator| conj.iter().all(|id| validator.judges(*id, at)));
        if !is_admitted && refused.len() < REFUSED_MAX {
            refused.push(edits.clone());
        }
        is_admitted && self.branches_hold(alternative, at, edits)
    }

    /// Required names that are not there but have a default, in a discovered schema (R9.5); `None` where others are missing.
    fn missing_defaults(&mut self, nodes: &[NodeId], at: At) -> Option<Vec<Deferred>> {
        let mut deferred = Vec::new();
        for (name, _) in self.missing(nodes, at) {
            if !self.may_be_left_out(nodes, name) {
                return None;
            }
            deferred.push(Deferred::Missing(at, Arc::clone(name)));
        }
        Some(deferred)
    }

    /// Required names that the object lacks, in the order in which they are required, with the subschemas that require them.
    pub(crate) fn missing(&self, nodes: &[NodeId], at: At) -> SmallVec<[(&'a Arc<str>, Slot); 4]> {
        let edits = Edits::new();
        let overlaid = self.overlaid(&edits);
        let mut missing: SmallVec<[(&'a Arc<str>, Slot); 4]> = SmallVec::new();
        let schema = self.schema;
        for rules in
            nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()).filter(|rules| !rules.required.is_empty())
        {
            let mut given: SmallVec<[bool; 32]> = SmallVec::new();
            if rules.required.len() > FEW_NAMES {
                given.resize(rules.props.len(), false);
                for (hint, (name_at, _)) in overlaid.members(at).enumerate() {
                    let found = rules.find(&overlaid.name(name_at), hint);
                    if let Some(given) = found.and_then(|(index, _)| given.get_mut(index)) {
                        *given = true;
                    }
                }
            }
            for (index, subschema) in &rules.required {
                let Some(prop) = rules.props.get(*index as usize) else { continue };
                let given = given.get(*index as usize).copied();
                if !given.unwrap_or_else(|| self.has_member(at, &prop.name))
                    && (nodes.len() == 1 || !missing.iter().any(|(name, _)| **name == prop.name))
                {
                    missing.push((&prop.name, *subschema));
                }
            }
        }
        missing
    }

    /// R9.5.
    pub(crate) fn may_be_left_out(&self, nodes: &[NodeId], name: &str) -> bool {
        self.origin == Origin::Discovered
            && nodes
                .iter()
                .filter_map(|id| self.schema.node(*id).object.as_ref()?.prop(name)?.node)
                .any(|node| self.schema.node(node).has_default)
    }

    /// `null-means-absent` and `empty-means-absent`: for an optional, declared key only.
    pub(crate) fn absence(&self, nodes: &[NodeId], at: At, value: At) -> Option<Action> {
        if !self.options.null_means_absent && !self.options.empty_means_absent {
            return None;
        }
        let action = match self.kind(value) {
            Kind::Null if self.options.null_means_absent => Action::DropNull,
            Kind::String if self.options.empty_means_absent && self.docs.text_of(value).is_empty() => Action::DropEmpty,
            _ => return None,
        };
        if self.kind(at) != Kind::Object {
            return None;
        }
        // The name of a member stands right before its value.
        let name_at = At { slot: value.slot.checked_sub(1)?, ..value };
        let edits = Edits::new();
        let overlaid = self.overlaid(&edits);
        let name = overlaid.name(name_at);
        let props = nodes.iter().filter_map(|id| self.schema.node(*id).object.as_ref()?.prop(&name));
        let mut is_declared = false;
        for prop in props {
            is_declared |= prop.is_declared;
            if prop.is_required {
                return None;
            }
        }
        (is_declared && self.reads_text).then_some(action)
    }

    /// Whether each condition decides for the branch that was chosen.
    fn branches_hold(&mut self, alternative: &Alternative, at: At, edits: &Edits) -> bool {
        let schema = self.schema;
        alternative.nodes.iter().flat_map(|id| &schema.node(*id).conditions).all(|condition| {
            let holds = self.with_validator(edits, |validator| validator.admits(condition.test, at));
            let branch = if holds { condition.then } else { condition.otherwise };
            branch.is_none_or(|branch| alternative.nodes.contains(&branch))
        })
    }

    /// The rules of the chosen nodes that speak of this value alone, without what is inside it and without unions.
    fn own_rules_hold(&mut self, alternative: &Alternative, at: At, edits: &Edits) -> bool {
        let mut findings = crate::explain::Findings::default();
        let members: Vec<_> = if self.kind(at) == Kind::Object { self.members(at).collect() } else { Vec::new() };
        self.explain_own(&alternative.nodes, at, edits, &mut findings);
        self.explain_keys(alternative, at, &members, edits, &mut findings);
        findings.is_empty() && self.branches_hold(alternative, at, edits) && !self.work.is_exhausted()
    }
}

/// Adds the nodes that judge a key's value where a node does not declare the key, and those of `unevaluatedProperties` where
/// neither its own subschema nor a chosen member evaluates it; `false` where the key is refused.
fn push_others<T: Tree>(validator: &mut Validator<'_, T>, nodes: &[NodeId], name: &str, found: &mut Conj) -> bool {
    let schema = validator.schema;
    let mut admits = true;
    for rules in nodes.iter().filter_map(|id| schema.node(*id).object.as_ref()) {
        if rules.prop(name).is_none() {
            admits &= validator.rest_nodes(rules, name, found);
        }
    }
    for owner in nodes {
        for closing in schema.node(*owner).object.iter().flat_map(|rules| &rules.closings) {
            let Some(node) = closing.node else { continue };
            let asked: Conj = nodes.iter().copied().filter(|id| id != owner).chain([closing.scope]).collect();
            if !validator.is_key_known(&asked, name, false) {
                found.push(node);
            }
        }
    }
    admits
}

/// Whether a member refuses the key whatever its value.
fn refuses_key<T: Tree>(
    validator: &mut Validator<'_, T>,
    schema: &Schema,
    member: NodeId,
    name: &str,
    depth: usize,
) -> bool {
    let node = schema.node(member);
    let Some(rules) = &node.object else { return false };
    if let Some(prop) = rules.prop(name) {
        return prop.refused_by.is_some();
    }
    let by_rest = !validator.rest_nodes(rules, name, &mut Candidates::new());
    let by_closing = rules.closings.iter().any(|closing| closing.node.is_none() && !closing.is_policy)
        && !knows_key(validator, schema, member, name, depth);
    by_rest || by_closing
}

/// Whether a member, or anything in place of it, mentions the key or admits all keys on purpose.
fn knows_key<T: Tree>(
    validator: &mut Validator<'_, T>,
    schema: &Schema,
    member: NodeId,
    name: &str,
    depth: usize,
) -> bool {
    let node = schema.node(member);
    let own = node.object.as_ref().is_some_and(|rules| {
        let is_open =
            rules.evaluates_all && rules.rests.iter().all(|rest| rest.node.is_some()) && rules.closings.is_empty();
        is_open
            || rules.prop(name).is_some()
            || rules.patterns.iter().any(|(pattern, _)| validator.matches(*pattern, name))
    });
    own || depth < 64
        && crate::schema::in_place_of(node).any(|inner| knows_key(validator, schema, inner, name, depth + 1))
}

fn conj_of(mut nodes: Conj) -> Conj {
    if nodes.len() > 1 {
        nodes.sort_unstable();
        nodes.dedup();
    }
    nodes
}

/// Every choice so far with every branch.
fn product(choices: Choices, branches: &[Conj]) -> Choices {
    let mut out = Choices::with_capacity(choices.len() * branches.len());
    for (alternative, pending) in choices {
        for branch in branches {
            let mut pending = pending.clone();
            pending.extend(branch.iter().rev().copied());
            let copy = Alternative {
                nodes: alternative.nodes.clone(),
                used_undecided: alternative.used_undecided,
                dropped: alternative.dropped.clone(),
            };
            out.push((copy, pending));
        }
    }
    out
}

fn with_edit(reading: &Reading, at: At, action: Action) -> Reading {
    let mut edited = reading.clone();
    let place = edited.edits.partition_point(|(other, _)| *other < at);
    edited.edits.insert(place, (at, action));
    edited
}

/// Keeps at most two readings that differ in what they make of the arguments.
fn push_distinct(readings: &mut Readings, reading: Reading) {
    let is_new = readings.iter().all(|other| other.edits != reading.edits);
    if is_new && readings.len() < 2 {
        readings.push(reading);
    }
}

/// Every reading so far with every reading of one more part, cut at two: two stay two whatever is added.
fn combine(readings: &mut Readings, inner: Readings) {
    if let [only] = inner.as_slice() {
        for reading in readings {
            reading.edits.extend_from_slice(&only.edits);
            reading.deferred.extend_from_slice(&only.deferred);
        }
        return;
    }
    let mut out = Readings::new();
    for reading in readings.iter() {
        for part in &inner {
            let mut both = reading.clone();
            both.edits.extend_from_slice(&part.edits);
            both.deferred.extend_from_slice(&part.deferred);
            push_distinct(&mut out, both);
        }
    }
    *readings = out;
}
