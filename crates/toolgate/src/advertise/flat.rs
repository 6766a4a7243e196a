//! The projection itself: a flat node for each set of contract states, the join of what its states admit
//! (the subset construction; R7.3).
//!
//! Every schema made of flat nodes picks at most one facet by the value's kind, and an object facet is a product over its
//! keys. Joining facet by facet therefore only widens, and the result says at least what any one state says.

use super::join::{Admitted, NumberRange, Scalars, StringRange, join_number_range, join_scalars, join_string_range};
use super::phrases::{Labels, Phrases, Told, Variants};
use super::states::{Alternative, Conj, Rest, States};
use crate::json::Slot;
use crate::location::push_pointer_segment;
use crate::schema::kinds::Kinds;
use crate::schema::values::kind_of;
use crate::schema::{ROOT, Schema};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{HashMap, HashSet};

/// A flat node, by number.
pub(super) type FlatId = usize;

/// Admits every value.
pub(super) const ANY: FlatId = 0;

/// Flat nodes of one contract; a contract whose states multiply past this is widened where it does.
const FLATS_MAX: usize = 20_000;

/// What one set of states admits, kind by kind.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) kinds: Kinds,
    /// The only boolean there is.
    pub(super) boolean: Option<bool>,
    pub(super) numbers: Option<Scalars<NumberRange>>,
    pub(super) strings: Option<Scalars<StringRange>>,
    pub(super) array: Option<FlatArray>,
    pub(super) object: Option<FlatObject>,
    pub(super) about: About,
}

/// What is said to the model beside the shape.
#[derive(Debug, Default)]
pub(super) struct About {
    /// The authors' texts, each once.
    pub(super) own: Vec<String>,
    /// How the forms of an object are told apart.
    pub(super) forms: Option<Told>,
    /// What the shape lost otherwise, in the order of importance.
    pub(super) lost: Vec<String>,
    /// What each kind of value is, for a reader that cannot be told in the shape.
    pub(super) by_kind: Option<String>,
    /// Values of the contract's document that hold for every state.
    pub(super) default: Option<Slot>,
    pub(super) header: Option<Slot>,
}

#[derive(Debug)]
pub(super) struct FlatArray {
    pub(super) items: FlatId,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    pub(super) unique: bool,
}

#[derive(Debug)]
pub(super) struct FlatObject {
    pub(super) props: Vec<FlatProp>,
    pub(super) rest: FlatRest,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

#[derive(Debug)]
pub(super) struct FlatProp {
    pub(super) name: String,
    pub(super) flat: FlatId,
    pub(super) is_required: bool,
    /// What the key means in which form; says the authors' texts itself where they differ.
    pub(super) meaning: Option<Meaning>,
    /// The same value in every form, so that a default of it holds for all.
    pub(super) is_shared: bool,
}

#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) text: String,
    pub(super) replaces_own: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlatRest {
    Closed,
    Open,
    Typed(FlatId),
}

/// Something that was widened, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// RFC 6901 pointer into the arguments, `*` for any item or undeclared key.
    pub location: String,
    /// What was widened, forgotten or cut, in words.
    pub what: String,
}

/// How the note of a tool begins that is shown in the ordinary form where the strict one was asked for.
const NOT_STRICT: &str = "not strict: ";

impl Note {
    /// That the strict form cannot be had.
    pub(crate) fn of_strict(why: &str) -> Self {
        Note { location: String::new(), what: format!("{NOT_STRICT}{why}") }
    }

    /// Why the strict form cannot be had, if that is what the note says.
    pub fn not_strict(&self) -> Option<&str> {
        self.what.strip_prefix(NOT_STRICT)
    }
}

/// A contract as flat nodes.
#[derive(Debug)]
pub(super) struct Projection {
    pub(super) flats: Vec<Flat>,
    pub(super) root: FlatId,
    pub(super) notes: Vec<Note>,
}

impl Projection {
    pub(super) fn flat(&self, id: FlatId) -> &Flat {
        // Every id was given out by `Projector::id_of`.
        self.flats.get(id).or(self.flats.first()).unwrap_or(&NOTHING)
    }
}

static NOTHING: Flat = Flat {
    kinds: Kinds::ALL,
    boolean: None,
    numbers: None,
    strings: None,
    array: None,
    object: None,
    about: About { own: Vec::new(), forms: None, lost: Vec::new(), by_kind: None, default: None, header: None },
};

/// Projects a contract; `None` where that takes more than so many steps: states looked at, names looked up.
pub(super) fn project(schema: &Schema, steps_max: u64) -> Option<Projection> {
    let mut projector = Projector {
        states: States::new(schema, steps_max),
        ids: FxHashMap::default(),
        todo: vec![Todo { states: vec![Conj::new()], location: String::new() }],
        notes: Vec::new(),
    };
    let root = projector.id_of(vec![Conj::from_slice(&[ROOT])], "");
    let mut flats: Vec<Flat> = vec![Flat { kinds: Kinds::ALL, ..Flat::default() }];
    while let Some(todo) = projector.todo.get_mut(flats.len()) {
        let states = std::mem::take(&mut todo.states);
        let location = std::mem::take(&mut todo.location);
        flats.push(projector.build(&states, &location));
        if projector.states.work.is_exhausted() {
            return None;
        }
    }
    Some(Projection { flats, root, notes: projector.notes })
}

struct Todo {
    states: Vec<Conj>,
    location: String,
}

struct Projector<'s> {
    states: States<'s>,
    ids: FxHashMap<Vec<Conj>, FlatId>,
    todo: Vec<Todo>,
    notes: Vec<Note>,
}

impl<'s> Projector<'s> {
    /// The flat node of a set of states, built later if it is new.
    fn id_of(&mut self, mut states: Vec<Conj>, location: &str) -> FlatId {
        if states.iter().any(|conj| conj.is_empty()) {
            return ANY;
        }
        states.sort_unstable();
        states.dedup();
        self.states.work.spend(states.len() as u64);
        if let Some(id) = self.ids.get(&states) {
            return *id;
        }
        let id = self.todo.len();
        if id >= FLATS_MAX {
            self.note(location, "the contract has too many forms here: any value is shown");
            return ANY;
        }
        self.ids.insert(states.clone(), id);
        self.todo.push(Todo { states, location: location.to_owned() });
        id
    }

    fn note(&mut self, location: &str, what: impl Into<String>) {
        /// More than these would be read by nobody.
        const NOTES_MAX: usize = 200;
        if self.notes.len() < NOTES_MAX {
            self.notes.push(Note { location: location.to_owned(), what: what.into() });
        }
    }

    fn build(&mut self, states: &[Conj], location: &str) -> Flat {
        let mut alternatives = Vec::new();
        let mut seen = FxHashSet::default();
        for conj in states {
            self.states.add_alternatives(conj, &mut alternatives);
        }
        alternatives.retain(|alternative| seen.insert(alternative.nodes.clone()));
        if alternatives.iter().any(|alternative| alternative.is_widened) {
            self.note(location, "unions meet here in too many ways: some are not looked into");
        }
        let mut flat = Flat::default();
        for alternative in &alternatives {
            self.join_scalars_of(&mut flat, alternative);
        }
        flat.array = self.array(&alternatives, location);
        let mut labels = Labels::default();
        flat.object = self.object(&alternatives, location, &mut flat.about, &mut labels);
        let phrases = Phrases::new(self.states.schema);
        flat.about.own = phrases.own_texts(&alternatives, &labels);
        flat.about.header = phrases.header(&alternatives);
        let shown = flat.strings.as_ref().and_then(|strings| match strings {
            Scalars::Range(range) => range.pattern,
            Scalars::Finite(_) => None,
        });
        let mut forgotten = phrases.forgotten(&alternatives);
        forgotten.extend(phrases.patterns(&alternatives, shown));
        flat.about.lost.extend(phrases.compounds(&alternatives));
        for what in &forgotten {
            self.note(location, format!("checked on the call, not shown: {what}"));
        }
        if !forgotten.is_empty() {
            flat.about.lost.push(format!("Also: {}.", forgotten.join("; ")));
        }
        if let [only] = alternatives.as_slice() {
            flat.about.default = self.default_of(only);
        } else if flat.kinds.names().len() > 1 {
            flat.about.by_kind = Phrases::new(self.states.schema).by_kind(&alternatives);
        }
        flat
    }

    fn default_of(&mut self, only: &Alternative) -> Option<Slot> {
        let schema = self.states.schema;
        let slot = Phrases::new(self.states.schema).default(only)?;
        let mut validator =
            crate::validate::Validator::new(schema, &schema.document.json, &mut self.states.work, false);
        only.nodes.iter().all(|id| validator.judges(*id, slot)).then_some(slot)
    }

    fn join_scalars_of(&mut self, flat: &mut Flat, alternative: &Alternative) {
        let json = &self.states.schema.document.json;
        let before = flat.kinds;
        flat.kinds |= alternative.kinds;
        let values = |kinds: Kinds| -> Option<Vec<Slot>> {
            let slots = alternative.finite.as_ref()?.iter().copied();
            Some(slots.filter(|slot| kinds.meets(kind_of(json, *slot))).collect())
        };
        if alternative.kinds.meets(Kinds::BOOLEAN) {
            let only = match values(Kinds::BOOLEAN).as_deref() {
                Some([slot, others @ ..]) if others.iter().all(|other| json.raw(*other) == json.raw(*slot)) => {
                    Some(json.is_true(*slot))
                }
                _ => None,
            };
            flat.boolean = if before.meets(Kinds::BOOLEAN) && flat.boolean != only { None } else { only };
        }
        if alternative.kinds.meets(Kinds::NUMBER) {
            let new = match values(Kinds::NUMBER) {
                Some(values) => Admitted::Values(values),
                None => Admitted::Range(NumberRange::of(&self.states, alternative)),
            };
            let old = flat.numbers.take();
            flat.numbers =
                Some(join_scalars(old, new, json, |values| NumberRange::hull(values, json), join_number_range));
        }
        if alternative.kinds.meets(Kinds::STRING) {
            let new = match values(Kinds::STRING) {
                Some(values) => Admitted::Values(values),
                None => Admitted::Range(StringRange::of(&self.states, alternative)),
            };
            let old = flat.strings.take();
            let schema = self.states.schema;
            flat.strings = Some(join_scalars(
                old,
                new,
                json,
                |values| StringRange::hull(values, json),
                |left, right| join_string_range(left, right, schema),
            ));
        }
    }

    fn array(&mut self, alternatives: &[Alternative], location: &str) -> Option<FlatArray> {
        let mut states: Vec<Conj> = Vec::new();
        let mut joined: Option<(u64, Option<u64>, bool)> = None;
        for alternative in alternatives.iter().filter(|alternative| alternative.kinds.meets(Kinds::ARRAY)) {
            let (min, max, unique) = self.items(alternative, &mut states);
            joined = Some(match joined {
                None => (min, max, unique),
                Some((other_min, other_max, other_unique)) => {
                    (min.min(other_min), max.zip(other_max).map(|(a, b)| a.max(b)), unique && other_unique)
                }
            });
        }
        let (min, max, unique) = joined?;
        // An empty list of states would be "never": no alternative has an item.
        let items = if states.is_empty() { ANY } else { self.id_of(states, &format!("{location}/*")) };
        Some(FlatArray { items, min, max, unique })
    }

    /// Adds what each position may hold; returns how many items there can be and whether they differ.
    fn items(&mut self, alternative: &Alternative, states: &mut Vec<Conj>) -> (u64, Option<u64>, bool) {
        let (mut min, mut max, mut unique, mut prefix) = (0, None::<u64>, false, 0);
        let schema = self.states.schema;
        for rules in alternative.nodes.iter().filter_map(|id| schema.node(*id).array.as_deref()) {
            min = min.max(rules.min.map_or(0, |(min, _)| min));
            max = match (max, rules.max.map(|(max, _)| max)) {
                (Some(left), Some(right)) => Some(left.min(right)),
                (left, right) => left.or(right),
            };
            unique |= rules.unique.is_some();
            prefix = prefix.max(rules.prefix.len());
        }
        for index in 0..=prefix {
            if max.is_some_and(|max| index as u64 >= max) {
                return (min, max, unique);
            }
            let conj = self.states.item(alternative, index);
            if conj.iter().any(|id| schema.node(*id).is_dead) {
                return (min, Some(index as u64), unique);
            }
            states.push(conj);
        }
        (min, max, unique)
    }

    fn object(
        &mut self,
        alternatives: &[Alternative],
        location: &str,
        about: &mut About,
        labels: &mut Labels,
    ) -> Option<FlatObject> {
        let objects: Vec<&Alternative> =
            alternatives.iter().filter(|alternative| alternative.kinds.meets(Kinds::OBJECT)).collect();
        if objects.is_empty() {
            return None;
        }
        let rests: Vec<Rest> = objects.iter().map(|alternative| self.states.rest(alternative)).collect();
        let undeclared = Undeclared::of(&rests);
        let keys = self.keys(&objects, &rests);
        let required = Required::of(objects.iter().map(|alternative| self.states.required(alternative)).collect());
        let are_open: Vec<bool> = rests.iter().map(|rest| *rest != Rest::Closed).collect();
        let sides = Sides { keys: &keys, required: &required, are_open: &are_open, undeclared: &undeclared };
        let variants = Phrases::new(self.states.schema).variants(&objects, &sides);
        let mut props = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            let mut states: Vec<Conj> = key.at.iter().map(|(_, conj)| conj.clone()).collect();
            self.add_rests(&mut states, key, &objects, &undeclared);
            if states.is_empty() {
                continue;
            }
            let is_shared =
                key.at.len() == objects.len() && states.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
            let inside = inside(location, key.name);
            if objects.len() > 1
                && states.iter().any(|conj| conj.is_empty())
                && key.at.iter().any(|(_, conj)| !conj.is_empty())
            {
                self.note(&inside, "any value is shown: a form that does not declare the key admits any there");
            }
            let flat = self.id_of(states, &inside);
            props.push(FlatProp {
                name: key.name.to_owned(),
                flat,
                is_required: required.by_all(key.name),
                meaning: variants.as_ref().and_then(|variants| variants.meaning(index)),
                is_shared,
            });
        }
        order(&mut props, variants.as_ref());
        if let Some(variants) = variants {
            *labels = variants.labels;
            about.forms = Some(variants.told).filter(|told| !told.is_empty());
        }
        let rest = self.rest(&objects, &rests, location);
        let (min, max) = self.counts(&objects);
        Some(FlatObject { props, rest, min, max })
    }

    /// The keys of all alternatives in the order of the contract, each with what the alternatives that declare it say.
    fn keys(&mut self, objects: &[&Alternative], rests: &[Rest]) -> Vec<Key<'s>> {
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut keys: Vec<Key<'s>> = Vec::new();
        for (number, alternative) in objects.iter().enumerate() {
            for name in self.states.names(alternative) {
                let next = keys.len();
                let at = *index.entry(name).or_insert(next);
                if at == next {
                    keys.push(Key { name, at: Vec::new(), open: 0 });
                }
                let conj = self.states.at(alternative, name);
                let Some(key) = keys.get_mut(at) else { continue };
                key.open += usize::from(rests.get(number) == Some(&Rest::Open));
                key.at.extend(conj.map(|conj| (number, conj)));
            }
        }
        keys
    }

    /// Adds what the alternatives that do not declare the key admit there. Looking at each alternative for each key would be
    /// quadratic, so those that say the same of every undeclared key are looked at once.
    fn add_rests(&mut self, states: &mut Vec<Conj>, key: &Key<'s>, objects: &[&Alternative], undeclared: &Undeclared) {
        if undeclared.open > key.open {
            states.push(Conj::new());
            return;
        }
        for number in &undeclared.typed {
            let is_declared = key.at.binary_search_by_key(number, |(other, _)| *other).is_ok();
            if let Some(alternative) = objects.get(*number).filter(|_| !is_declared) {
                self.states.work.spend(1);
                states.extend(self.states.at(alternative, key.name));
            }
        }
    }

    fn rest(&mut self, objects: &[&Alternative], rests: &[Rest], location: &str) -> FlatRest {
        let mut states: Vec<Conj> = Vec::new();
        for (alternative, rest) in objects.iter().zip(rests) {
            match rest {
                Rest::Closed => {}
                Rest::Open => return FlatRest::Open,
                Rest::Typed(conj) => states.push(conj.clone()),
                Rest::ByName => states.extend(self.states.rest_by_name(alternative)),
            }
        }
        if states.is_empty() {
            return FlatRest::Closed;
        }
        match self.id_of(states, &format!("{location}/*")) {
            ANY => FlatRest::Open,
            id => FlatRest::Typed(id),
        }
    }

    fn counts(&self, objects: &[&Alternative]) -> (u64, Option<u64>) {
        let schema = self.states.schema;
        let of = |alternative: &&Alternative| {
            let rules = alternative.nodes.iter().filter_map(|id| schema.node(*id).object.as_deref());
            rules.fold((0, None::<u64>), |(min, max), rules| {
                let own = rules.max.map(|(max, _)| max);
                let max = max.map_or(own, |max| Some(own.map_or(max, |own| own.min(max))));
                (min.max(rules.min.map_or(0, |(min, _)| min)), max)
            })
        };
        let counts = objects.iter().map(of);
        counts
            .reduce(|(min, max), (other_min, other_max)| {
                (min.min(other_min), max.zip(other_max).map(|(a, b)| a.max(b)))
            })
            .unwrap_or((0, None))
    }
}

/// What the alternatives say of a key that they do not declare.
pub(super) struct Undeclared {
    /// How many admit anything.
    open: usize,
    /// Those for which it depends on the value or the name.
    typed: Vec<usize>,
}

impl Undeclared {
    fn of(rests: &[Rest]) -> Self {
        let typed = rests.iter().enumerate().filter(|(_, rest)| !matches!(rest, Rest::Open | Rest::Closed));
        Undeclared {
            open: rests.iter().filter(|rest| **rest == Rest::Open).count(),
            typed: typed.map(|(number, _)| number).collect(),
        }
    }
}

/// Which alternative requires which names.
pub(super) struct Required<'s> {
    forms: Vec<HashSet<&'s str>>,
    counts: HashMap<&'s str, usize>,
}

impl<'s> Required<'s> {
    fn of(forms: Vec<HashSet<&'s str>>) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for name in forms.iter().flatten() {
            *counts.entry(*name).or_default() += 1;
        }
        Required { forms, counts }
    }

    pub(super) fn forms(&self) -> usize {
        self.forms.len()
    }

    pub(super) fn by(&self, form: usize, name: &str) -> bool {
        self.forms.get(form).is_some_and(|names| names.contains(name))
    }

    pub(super) fn by_all(&self, name: &str) -> bool {
        self.counts.get(name) == Some(&self.forms.len())
    }

    pub(super) fn by_none(&self, name: &str) -> bool {
        !self.counts.contains_key(name)
    }
}

/// What is known of the forms of a joined object.
pub(super) struct Sides<'k, 's> {
    pub(super) keys: &'k [Key<'s>],
    pub(super) required: &'k Required<'s>,
    /// Of each form, whether it takes keys that it does not declare.
    pub(super) are_open: &'k [bool],
    undeclared: &'k Undeclared,
}

impl Sides<'_, '_> {
    /// Whether the key is shown as any value because a form that does not declare it admits any there.
    pub(super) fn is_widened(&self, key: &Key<'_>) -> bool {
        self.undeclared.open > key.open || key.at.iter().any(|(_, conj)| conj.is_empty())
    }

    /// Whether a form that does not declare the key may take it all the same.
    pub(super) fn is_elsewhere(&self, key: &Key<'_>) -> bool {
        let declares = |form: &usize| key.at.binary_search_by_key(form, |(number, _)| *number).is_ok();
        self.is_widened(key) || !self.undeclared.typed.iter().all(declares)
    }
}

/// A key of a joined object.
pub(super) struct Key<'s> {
    pub(super) name: &'s str,
    /// The alternatives that declare it, with what each says of the value.
    pub(super) at: Vec<(usize, Conj)>,
    /// How many of those that mention it admit anything under a name that they do not.
    open: usize,
}

/// Decoders write keys in this order: what selects the form first, then what every form needs, then the others.
fn order(props: &mut [FlatProp], variants: Option<&Variants>) {
    let tag = variants.and_then(|variants| variants.tag.as_deref());
    props.sort_by_key(|prop| (tag != Some(prop.name.as_str()), !prop.is_required));
}

fn inside(location: &str, name: &str) -> String {
    let mut inside = format!("{location}/");
    push_pointer_segment(&mut inside, name);
    inside
}
