//! Arguments with some of their text decoded: the document as sent, the documents inside its strings, and the set of edits
//! that says which of them count.

use crate::json::{Document, Fault, Kind, Slot, Strictness};
use crate::limits::Limits;
use crate::location::Location;
use crate::tree::Tree;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A value: in the arguments as sent (`doc` 0) or in a text inside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) doc: u32,
    pub(crate) slot: Slot,
}

/// What is done to one value, or to the name of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Action {
    /// The string is read as the document of this number.
    Decode(u32),
    /// The value is put into a list; the document of this number is that list.
    Wrap(u32),
    /// The member is left out: a null, or an empty text, that stands for absent.
    DropNull,
    DropEmpty,
    /// The former name of a member counts as the declared one.
    Rename,
}

/// Edits, sorted by place.
pub(crate) type Edits = Vec<(At, Action)>;

/// The document as sent and all that was found inside its strings.
pub(crate) struct Docs<'a> {
    base: &'a Document<'a>,
    inner: Vec<Inner>,
    decoded: FxHashMap<At, Decoded>,
    wrapped: FxHashMap<At, u32>,
    /// Declared names of members that came under a former one, by the place of the name.
    pub(crate) renamed: FxHashMap<At, Arc<str>>,
    /// Values under names that the schema does not declare.
    undeclared: SmallVec<[Marks; 1]>,
    /// Members that are let through unjudged (R3.6).
    pub(crate) hidden: FxHashSet<At>,
    /// The parent of each value, by document, once many places have been asked for.
    parents: RefCell<FxHashMap<u32, Parents>>,
    asked: Cell<usize>,
}

/// Some values of one document, a bit each.
#[derive(Default)]
struct Marks(SmallVec<[u64; 4]>);

impl Marks {
    fn set(&mut self, slot: Slot) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (slot % 64);
        }
    }

    fn has(&self, slot: Slot) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }
}

/// For each slot: the container it is in, and the slot of its name or its index.
type Parents = Rc<Vec<(Slot, u32)>>;

/// Places that are found by walking from the root; more of them are worth a table.
const WALKS_MAX: usize = 8;

struct Inner {
    document: Document<'static>,
    /// The string, or the value that was wrapped.
    from: At,
    is_wrap: bool,
}

/// What a string holds besides text.
#[derive(Clone)]
pub(crate) enum Decoded {
    /// Nothing but text.
    Text,
    /// One JSON value, the document of this number.
    Value(u32),
    /// A JSON value that is refused for what it is (R1.2).
    Fault(Fault),
}

impl<'a> Docs<'a> {
    pub(crate) fn new(base: &'a Document<'a>) -> Self {
        Docs {
            base,
            inner: Vec::new(),
            decoded: FxHashMap::default(),
            wrapped: FxHashMap::default(),
            renamed: FxHashMap::default(),
            undeclared: SmallVec::new(),
            hidden: FxHashSet::default(),
            parents: RefCell::default(),
            asked: Cell::new(0),
        }
    }

    #[inline]
    pub(crate) fn document(&self, doc: u32) -> &Document<'_> {
        self.inner(doc).map_or(self.base, |inner| &inner.document)
    }

    #[inline]
    fn inner(&self, doc: u32) -> Option<&Inner> {
        self.inner.get(doc.checked_sub(1)? as usize)
    }

    pub(crate) fn note_undeclared(&mut self, value: At) {
        let doc = value.doc as usize;
        if self.undeclared.len() <= doc {
            self.undeclared.resize_with(doc + 1, Marks::default);
        }
        if let Some(marks) = self.undeclared.get_mut(doc) {
            marks.set(value.slot);
        }
    }

    fn is_undeclared(&self, value: At) -> bool {
        self.undeclared.get(value.doc as usize).is_some_and(|marks| marks.has(value.slot))
    }

    pub(crate) fn root_of(doc: u32) -> At {
        At { doc, slot: 0 }
    }

    pub(crate) fn text_of(&self, at: At) -> Cow<'_, str> {
        self.document(at.doc).string(at.slot)
    }

    fn push(&mut self, document: Document<'static>, from: At, is_wrap: bool) -> u32 {
        self.inner.push(Inner { document, from, is_wrap });
        u32::try_from(self.inner.len()).unwrap_or(u32::MAX)
    }

    /// What the string at `at` holds (R4.2). Read once; no choice is made here.
    pub(crate) fn decode(&mut self, at: At, limits: &Limits) -> Decoded {
        let text = self.text_of(at);
        if !is_json_like(&text) {
            return Decoded::Text;
        }
        if let Some(known) = self.decoded.get(&at) {
            return known.clone();
        }
        let text = text.into_owned();
        let depth_max = limits.depth_max.saturating_sub(self.depth(at));
        let decoded = match Document::read_owned(text, Strictness::Strict, &Limits { depth_max, ..*limits }) {
            Ok(document) => Decoded::Value(self.push(document, at, false)),
            Err(fault) if fault.code == crate::refusal::Code::InvalidJson => Decoded::Text,
            Err(fault) => Decoded::Fault(fault),
        };
        self.decoded.insert(at, decoded.clone());
        decoded
    }

    /// Whether the string at `at` could hold something besides text.
    pub(crate) fn is_json_text(&self, at: At) -> bool {
        is_json_like(&self.text_of(at))
    }

    /// The same of any string of the call, names too.
    pub(crate) fn has_json_text(&self) -> bool {
        self.base.strings().any(|text| is_json_like(&text))
    }

    /// A list that holds the value at `at` alone.
    pub(crate) fn wrap(&mut self, at: At, limits: &Limits) -> Option<u32> {
        if let Some(known) = self.wrapped.get(&at) {
            return Some(*known);
        }
        let text = format!("[{}]", self.document(at.doc).raw(at.slot));
        let document = Document::read_owned(text, Strictness::Strict, limits).ok()?;
        let doc = self.push(document, at, true);
        self.wrapped.insert(at, doc);
        Some(doc)
    }

    /// Whether the value is the one item of a list that was made by wrapping it.
    pub(crate) fn is_wrapped(&self, at: At) -> bool {
        self.inner(at.doc).is_some_and(|inner| inner.is_wrap) && is_first_step(self.document(at.doc), at.slot)
    }

    /// How many containers hold the value.
    fn depth(&self, at: At) -> usize {
        let mut depth = 0;
        self.visit_path(at, &mut |_, _, _| depth += 1);
        depth
    }

    /// The place of the value in the arguments as sent, located inside decoded text.
    pub(crate) fn locate(&self, at: At) -> Location {
        let mut location = Location::with_room();
        self.visit_path(at, &mut |document, step, value| match step {
            Step::Index(index) => location.push_index(index),
            Step::Member(name) => {
                let name = document.string(name);
                if self.is_undeclared(value) {
                    location.push_undeclared(&name);
                } else {
                    location.push_declared(&name);
                }
            }
        });
        location
    }

    fn visit_path<'s>(&'s self, at: At, visit: &mut dyn FnMut(&'s Document<'s>, Step, At)) {
        let inner = self.inner(at.doc);
        if let Some(inner) = inner {
            self.visit_path(inner.from, visit);
        }
        let document = self.document(at.doc);
        // The one index of a list made by wrapping is nowhere in the arguments as sent.
        let is_wrap = inner.is_some_and(|inner| inner.is_wrap) && document.kind(0) == Kind::Array;
        self.visit_steps(at, &mut |step, inside| {
            if !(is_wrap && matches!(step, Step::Index(_)) && is_first_step(document, inside)) {
                visit(document, step, At { slot: inside, ..at });
            }
        });
    }

    /// The steps from a document's root to one of its values.
    fn visit_steps(&self, target: At, visit: &mut dyn FnMut(Step, Slot)) {
        let document = self.document(target.doc);
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() <= WALKS_MAX {
            let mut slot = 0;
            while slot != target.slot {
                let Some((step, inside)) = step_towards(document, slot, target.slot) else { break };
                visit(step, inside);
                slot = inside;
            }
            return;
        }
        let parents =
            Rc::clone(self.parents.borrow_mut().entry(target.doc).or_insert_with(|| Rc::new(parents_of(document))));
        let mut steps = Vec::new();
        let mut slot = target.slot;
        while slot != 0 {
            let Some((parent, key)) = parents.get(slot as usize).copied() else { break };
            let step =
                if document.kind(parent) == Kind::Object { Step::Member(key) } else { Step::Index(key as usize) };
            steps.push((step, slot));
            slot = parent;
        }
        steps.into_iter().rev().for_each(|(step, inside)| visit(step, inside));
    }

    /// Walks what is inside a value while the documents are used for other things.
    pub(crate) fn inside(&self, at: At) -> Inside {
        Inside { next: At { slot: at.slot + 1, ..at }, end: self.document(at.doc).next(at.slot) }
    }

    /// Writes the arguments with `edits` made, on one line; what is not touched keeps its own text.
    pub(crate) fn write(&self, edits: &Edits, out: &mut String) {
        Writer { docs: self, edits }.value(At { doc: 0, slot: 0 }, out);
    }
}

/// A place inside a container.
pub(crate) struct Inside {
    next: At,
    end: Slot,
}

impl Inside {
    /// The next item of an array.
    #[inline]
    pub(crate) fn next_item(&mut self, docs: &Docs<'_>) -> Option<At> {
        let item = self.next;
        if item.slot >= self.end {
            return None;
        }
        self.next.slot = docs.document(item.doc).next(item.slot).max(item.slot + 1);
        Some(item)
    }

    /// The name and the value of the next member of an object.
    #[inline]
    pub(crate) fn next_member(&mut self, docs: &Docs<'_>) -> Option<(At, At)> {
        loop {
            let name = self.next;
            if name.slot >= self.end {
                return None;
            }
            let value = At { slot: name.slot + 1, ..name };
            self.next.slot = docs.document(value.doc).next(value.slot).max(value.slot + 1);
            if docs.hidden.is_empty() || !docs.hidden.contains(&value) {
                return Some((name, value));
            }
        }
    }
}

/// Whether a value is an item of the list that the document is.
fn is_first_step(document: &Document<'_>, slot: Slot) -> bool {
    document.items(0).next() == Some(slot)
}

fn parents_of(document: &Document<'_>) -> Vec<(Slot, u32)> {
    let mut parents = vec![(0, 0); document.next(0) as usize];
    for slot in 0..document.next(0) {
        let mut note = |child: Slot, key: u32| {
            if let Some(parent) = parents.get_mut(child as usize) {
                *parent = (slot, key);
            }
        };
        match document.kind(slot) {
            Kind::Object => document.members(slot).for_each(|(name, value)| {
                note(name, name);
                note(value, name);
            }),
            Kind::Array => document.items(slot).zip(0..).for_each(|(item, index)| note(item, index)),
            _ => {}
        }
    }
    parents
}

#[derive(Clone, Copy)]
enum Step {
    Index(usize),
    Member(Slot),
}

fn step_towards(document: &Document<'_>, at: Slot, target: Slot) -> Option<(Step, Slot)> {
    let holds = |slot: Slot| slot <= target && target < document.next(slot);
    match document.kind(at) {
        Kind::Object => {
            let (name, value) = document.members(at).find(|(name, value)| *name == target || holds(*value))?;
            Some((Step::Member(name), if name == target { name } else { value }))
        }
        Kind::Array => document
            .items(at)
            .enumerate()
            .find(|(_, item)| holds(*item))
            .map(|(index, item)| (Step::Index(index), item)),
        _ => None,
    }
}

/// Whether a text could be one JSON literal without white space around a scalar; the reader decides the rest.
fn is_json_like(text: &str) -> bool {
    match text.as_bytes() {
        [b'-' | b'0'..=b'9', .., last] => last.is_ascii_digit(),
        [b'0'..=b'9'] => true,
        b"true" | b"false" | b"null" => true,
        _ => text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with(['{', '[']),
    }
}

struct Writer<'d, 'a> {
    docs: &'d Docs<'a>,
    edits: &'d Edits,
}

impl Writer<'_, '_> {
    fn action(&self, at: At) -> Option<Action> {
        action_at(self.edits, at)
    }

    /// Whether something inside the value is edited, so that its own text cannot stand.
    fn is_touched(&self, at: At) -> bool {
        let end = self.docs.document(at.doc).next(at.slot);
        let first = self.edits.partition_point(|(place, _)| *place < at);
        self.edits.get(first).is_some_and(|(place, _)| place.doc == at.doc && place.slot < end)
    }

    fn value(&self, at: At, out: &mut String) {
        let document = self.docs.document(at.doc);
        match self.action(at) {
            Some(Action::Decode(doc) | Action::Wrap(doc)) => return self.value(Docs::root_of(doc), out),
            _ if !self.is_touched(at) => return push_one_line(document.raw(at.slot), out),
            _ => {}
        }
        match document.kind(at.slot) {
            Kind::Array => {
                out.push('[');
                for (index, item) in document.items(at.slot).enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.value(At { slot: item, ..at }, out);
                }
                out.push(']');
            }
            Kind::Object => {
                out.push('{');
                let mut is_first = true;
                for (name, value) in document.members(at.slot) {
                    let (name_at, value_at) = (At { slot: name, ..at }, At { slot: value, ..at });
                    if matches!(self.action(value_at), Some(Action::DropNull | Action::DropEmpty)) {
                        continue;
                    }
                    if !std::mem::take(&mut is_first) {
                        out.push(',');
                    }
                    match self.docs.renamed.get(&name_at) {
                        Some(declared) if self.action(name_at) == Some(Action::Rename) => {
                            crate::json::push_string(out, declared)
                        }
                        _ => out.push_str(document.raw(name)),
                    }
                    out.push(':');
                    self.value(value_at, out);
                }
                out.push('}');
            }
            _ => push_one_line(document.raw(at.slot), out),
        }
    }
}

pub(crate) fn action_at(edits: &Edits, at: At) -> Option<Action> {
    edits
        .binary_search_by_key(&at, |(place, _)| *place)
        .ok()
        .and_then(|index| edits.get(index))
        .map(|(_, action)| *action)
}

/// Raw line breaks can only stand between tokens; a line of a transport holds none (R12.1).
pub(crate) fn push_one_line(text: &str, out: &mut String) {
    if text.contains(['\r', '\n']) {
        out.extend(text.chars().filter(|ch| !matches!(ch, '\r' | '\n')));
    } else {
        out.push_str(text);
    }
}

/// The arguments as they read with `edits` made.
pub(crate) struct Overlaid<'d, 'a> {
    pub(crate) docs: &'d Docs<'a>,
    pub(crate) edits: &'d Edits,
}

impl Overlaid<'_, '_> {
    #[inline]
    fn resolve(&self, at: At) -> At {
        if self.edits.is_empty() {
            return at;
        }
        match action_at(self.edits, at) {
            Some(Action::Decode(doc) | Action::Wrap(doc)) => self.resolve(Docs::root_of(doc)),
            _ => at,
        }
    }

    /// The declared name of a member that came under a former one.
    #[inline]
    fn renamed(&self, name_at: At) -> Option<&str> {
        if self.docs.renamed.is_empty() {
            return None;
        }
        self.docs.renamed.get(&name_at).map(|declared| &**declared)
    }

    #[inline]
    fn is_dropped(&self, at: At) -> bool {
        !self.docs.hidden.is_empty() && self.docs.hidden.contains(&at)
            || !self.edits.is_empty() && matches!(action_at(self.edits, at), Some(Action::DropNull | Action::DropEmpty))
    }
}

impl Tree for Overlaid<'_, '_> {
    type At = At;

    #[inline]
    fn kind(&self, at: At) -> Kind {
        let at = self.resolve(at);
        self.docs.document(at.doc).kind(at.slot)
    }

    fn literal(&self, at: At) -> &str {
        let at = self.resolve(at);
        self.docs.document(at.doc).raw(at.slot)
    }

    fn is_integer_literal(&self, at: At) -> bool {
        let at = self.resolve(at);
        self.docs.document(at.doc).is_integer_literal(at.slot)
    }

    fn is_true(&self, at: At) -> bool {
        let at = self.resolve(at);
        self.docs.document(at.doc).is_true(at.slot)
    }

    fn string(&self, at: At) -> Cow<'_, str> {
        if let Some(declared) = self.renamed(at) {
            return Cow::Borrowed(declared);
        }
        let at = self.resolve(at);
        self.docs.document(at.doc).string(at.slot)
    }

    fn string_is(&self, at: At, expected: &str) -> bool {
        if let Some(declared) = self.renamed(at) {
            return declared == expected;
        }
        let at = self.resolve(at);
        self.docs.document(at.doc).string_is(at.slot, expected)
    }

    fn string_len_bytes(&self, at: At) -> u64 {
        if let Some(declared) = self.renamed(at) {
            return declared.len() as u64;
        }
        let at = self.resolve(at);
        self.docs.document(at.doc).string_len_bytes(at.slot)
    }

    fn items(&self, at: At) -> impl Iterator<Item = At> + '_ {
        let at = self.resolve(at);
        self.docs.document(at.doc).items(at.slot).map(move |slot| At { slot, ..at })
    }

    fn members(&self, at: At) -> impl Iterator<Item = (At, At)> + '_ {
        let at = self.resolve(at);
        let members = self.docs.document(at.doc).members(at.slot);
        let members = members.map(move |(name, value)| (At { slot: name, ..at }, At { slot: value, ..at }));
        members.filter(|(_, value)| !self.is_dropped(*value))
    }

    #[inline]
    fn name(&self, at: At) -> Cow<'_, str> {
        match self.renamed(at) {
            Some(declared) => Cow::Borrowed(declared),
            None => self.docs.document(at.doc).string(at.slot),
        }
    }

    #[inline]
    fn name_is(&self, at: At, expected: &str) -> bool {
        match self.renamed(at) {
            Some(declared) => declared == expected,
            None => self.docs.document(at.doc).string_is(at.slot, expected),
        }
    }
}
