//! Writes a projection as the schema that one reader takes. What the reader cannot be told in keywords is told in words;
//! nothing here may narrow.

mod compounds;
mod scalars;
mod strict;

pub use strict::StrictCost;

use super::flat::{ANY, Flat, FlatId, FlatObject, FlatRest, Note, Projection};
use super::form::{Form, Members};
use super::join::Scalars;
use super::phrases::{clean, cut};
use super::{DecodeStep, NotAdvertised};
use crate::json::{Document, Kind, Slot};
use crate::profile::{KeyPolicy, KindsSpelling, Profile, Recursion, Untyped};
use crate::schema::Schema;
use crate::schema::kinds::Kinds;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a place takes at least, by which a schema that grows too long is found out before it is written.
const PLACE_MIN_BYTES: usize = 16;
/// Nesting of one advertised schema; deeper places are shown by their kind. A contract whose shared parts make it too long
/// when they are written out is shown to fewer levels, the same everywhere.
const DEPTH_MAX: usize = 64;
/// Where such a contract is looked at first: few are cut deeper than here.
const DEPTH_STEP: usize = 8;
/// Bytes that sharing may add: as many times the contract's own, or this many.
const GROWTH_MAX: usize = 3;
const SIZE_MIN_BYTES: usize = 16 * 1024;

/// A schema as it is written, with what was widened on the way.
pub(super) struct Emitted {
    pub(super) text: String,
    /// There were more places than are written.
    is_cut_short: bool,
    pub(super) notes: Vec<Note>,
    pub(super) decode: Vec<DecodeStep>,
    pub(super) cost: StrictCost,
    /// Why the strict mode that the profile asks for cannot be had.
    pub(super) not_strict: Option<String>,
}

/// Writes the root of a projection, to as many levels as fit.
pub(super) fn emit(
    projection: &Projection,
    schema: &Schema,
    profile: &Profile,
    options: &Options<'_>,
) -> Result<Emitted, NotAdvertised> {
    let size_max_bytes = (schema.document.json.text().len() * GROWTH_MAX).max(SIZE_MIN_BYTES);
    let to = |depth_max| emit_to(Budget { depth_max, size_max_bytes }, projection, schema, profile, options);
    let fits = |emitted: &Emitted| !emitted.is_cut_short && emitted.text.len() <= size_max_bytes;
    let mut best = to(DEPTH_MAX)?;
    if fits(&best) {
        return Ok(best);
    }
    // The most levels that fit, between those that are known to and those that are known not to.
    let (mut most, mut over) = (0, DEPTH_MAX);
    while over - most > 1 {
        let depth = if most == 0 && over > DEPTH_STEP { DEPTH_STEP } else { most.midpoint(over) };
        let written = to(depth)?;
        if fits(&written) {
            (most, best) = (depth, written);
        } else {
            over = depth;
            if most == 0 {
                best = written;
            }
        }
    }
    Ok(best)
}

#[derive(Clone, Copy)]
struct Budget {
    depth_max: usize,
    size_max_bytes: usize,
}

fn emit_to(
    budget: Budget,
    projection: &Projection,
    schema: &Schema,
    profile: &Profile,
    options: &Options<'_>,
) -> Result<Emitted, NotAdvertised> {
    let mut emitter = Emitter {
        projection,
        json: &schema.document.json,
        schema,
        profile,
        path: Vec::new(),
        budget,
        bytes: 0,
        repeated: BTreeMap::new(),
        is_beyond_steps: false,
        notes: projection.notes.clone(),
        decode: Vec::new(),
        cost: StrictCost::default(),
        not_strict: None,
        widened: options.widened,
        headers: BTreeSet::new(),
    };
    let mut text = String::new();
    emitter.root(options.states_root)?.write(&mut text);
    emitter.judge_cost();
    Ok(Emitted {
        text,
        is_cut_short: emitter.bytes > budget.size_max_bytes,
        notes: emitter.notes,
        decode: emitter.decode,
        cost: emitter.cost,
        not_strict: emitter.not_strict,
    })
}

/// What is asked beside the profile.
pub(super) struct Options<'o> {
    pub(super) states_root: bool,
    /// Locations that are shown as any value.
    pub(super) widened: &'o [String],
}

struct Emitter<'a> {
    projection: &'a Projection,
    schema: &'a Schema,
    json: &'a Document<'static>,
    profile: &'a Profile,
    /// The flat nodes that the place lies in.
    path: Vec<FlatId>,
    budget: Budget,
    /// What is written takes at least so many.
    bytes: usize,
    /// Flat nodes that lie in themselves, each with the place where it does.
    repeated: BTreeMap<FlatId, String>,
    /// No step of decoding can name the place that is written: a definition stands at any depth, what lies in a key named `*`
    /// has the location of any key, and items have that of the keys of an object in their place.
    is_beyond_steps: bool,
    notes: Vec<Note>,
    decode: Vec<DecodeStep>,
    cost: StrictCost,
    not_strict: Option<String>,
    widened: &'a [String],
    /// Names of headers that are written, in small letters: each may be there once.
    headers: BTreeSet<String>,
}

/// Where a node is written.
#[derive(Clone)]
struct Place {
    location: String,
    /// Reached from the root by `properties` alone: where `x-mcp-header` is legal.
    may_have_header: bool,
    /// A default here holds for every form.
    may_have_default: bool,
    meaning: Option<String>,
    /// The meaning says the authors' texts.
    skips_own: bool,
    /// Null stands for absence.
    takes_null: bool,
}

impl Place {
    fn inside(location: String) -> Self {
        Place {
            location,
            may_have_header: false,
            may_have_default: false,
            meaning: None,
            skips_own: false,
            takes_null: false,
        }
    }
}

impl Emitter<'_> {
    fn root(&mut self, states_root: bool) -> Result<Form, NotAdvertised> {
        let flat = self.projection.flat(self.projection.root);
        let object = flat.object.as_ref().ok_or(NotAdvertised { why: "no arguments can satisfy the schema" })?;
        self.path.push(self.projection.root);
        let place = Place { may_have_header: true, ..Place::inside(String::new()) };
        let mut members = vec![("type".into(), Form::text("object"))];
        let mut lost = Vec::new();
        let mut inner = Vec::new();
        self.object(object, false, &place, &mut inner, &mut lost);
        // Unsaid, it is read as closed by some: an open root is said to them all the same.
        let is_closed = |form: &Form| matches!(form, Form::Raw(text) if text == "false");
        let must_say = self.profile.reads.absent_key_policy_is_closed;
        inner.retain(|(name, form)| name != "additionalProperties" || states_root || (must_say && !is_closed(form)));
        self.describe(flat, &place, lost, &mut members, "");
        members.extend(inner);
        self.path.pop();
        if !self.repeated.is_empty() && self.profile.recursion == Recursion::Definitions {
            let definitions = self.definitions();
            members.push(("$defs".into(), Form::Object(definitions)));
        }
        Ok(Form::Object(members))
    }

    fn definitions(&mut self) -> Members {
        let mut written: Members = Vec::new();
        let mut done = BTreeSet::new();
        self.is_beyond_steps = true;
        let next = |repeated: &BTreeMap<FlatId, String>, done: &BTreeSet<FlatId>| {
            repeated.iter().find(|(id, _)| !done.contains(id)).map(|(id, location)| (*id, location.clone()))
        };
        while let Some((id, location)) = next(&self.repeated, &done) {
            done.insert(id);
            let form = self.node_itself(id, &Place::inside(location));
            written.push((definition_name(id).into(), form));
        }
        written
    }

    /// A place inside the arguments.
    fn node(&mut self, id: FlatId, place: &Place) -> Form {
        let is_repeated = self.path.contains(&id);
        if is_repeated && self.profile.recursion == Recursion::Definitions {
            self.repeated.entry(id).or_insert_with(|| place.location.clone());
            let reference =
                Form::Object(vec![("$ref".into(), Form::text(&format!("#/$defs/{}", definition_name(id))))]);
            if !place.takes_null {
                return reference;
            }
            let null = Form::Object(vec![("type".into(), Form::text("null"))]);
            return Form::Object(vec![("anyOf".into(), Form::Array(vec![reference, null]))]);
        }
        let flat = self.projection.flat(id);
        if is_repeated {
            self.note(
                &place.location,
                "the schema repeats itself here: its kind is shown, the call is checked in full",
            );
            return self.cut(flat, place, "As above, to any depth.");
        }
        self.bytes += PLACE_MIN_BYTES;
        if self.bytes > self.budget.size_max_bytes || self.path.len() > self.budget.depth_max {
            self.note(&place.location, "the schema is too large to be shown in full: the kind is shown");
            return self.cut(flat, place, "Checked on the call.");
        }
        self.node_itself(id, place)
    }

    fn node_itself(&mut self, id: FlatId, place: &Place) -> Form {
        let flat = self.projection.flat(id);
        if self.takes_anything(id) || self.must_widen(flat) || self.widened.contains(&place.location) {
            return self.any(flat, place);
        }
        self.path.push(id);
        let form = self.typed(flat, place);
        self.path.pop();
        form
    }

    /// Whether a node takes every value.
    fn takes_anything(&self, id: FlatId) -> bool {
        let flat = self.projection.flat(id);
        let is_open = |object: &FlatObject| {
            object.rest == FlatRest::Open
                && object.min == 0
                && object.max.is_none()
                && object.props.iter().all(|prop| !prop.is_required && prop.flat == ANY)
        };
        id == ANY
            || flat.kinds == Kinds::ALL
                && flat.boolean.is_none()
                && flat
                    .numbers
                    .as_ref()
                    .is_none_or(|numbers| matches!(numbers, Scalars::Range(range) if range.is_open()))
                && flat
                    .strings
                    .as_ref()
                    .is_none_or(|strings| matches!(strings, Scalars::Range(range) if range.is_open()))
                && flat
                    .array
                    .as_ref()
                    .is_none_or(|array| array.items == ANY && array.min == 0 && array.max.is_none() && !array.unique)
                && flat.object.as_ref().is_none_or(is_open)
    }

    /// Whether the reader cannot be told of the kinds.
    fn must_widen(&self, flat: &Flat) -> bool {
        let names = flat.kinds.names().len();
        let has_null = flat.kinds.meets(Kinds::NULL);
        match self.profile.kinds {
            KindsSpelling::TypeList => false,
            KindsSpelling::Nullable => names - usize::from(has_null && names > 1) > 1 || flat.kinds == Kinds::NULL,
            KindsSpelling::One => names > 1,
        }
    }

    fn any(&mut self, flat: &Flat, place: &Place) -> Form {
        self.cannot_be_strict(place, "any value is taken");
        let mut lost = Vec::new();
        if self.widened.contains(&place.location) {
            self.note(&place.location, "any value is shown: a tighter form could not be proven");
        } else if flat.kinds != Kinds::ALL {
            let names = flat.kinds.names();
            self.note(
                &place.location,
                format!("the reader takes no list of types: any value is shown for {}", names.join(", ")),
            );
            lost.extend(self.kinds_text(flat, place, || format!("One of these types: {}.", names.join(", "))));
            lost.extend(self.words_text(flat).filter(|_| flat.about.by_kind.is_none()));
        }
        let mut members = Vec::new();
        if self.profile.untyped == Untyped::AllTypes {
            members.push(("type".into(), type_list(Kinds::ALL)));
        }
        self.describe(flat, place, lost, &mut members, "Any value.");
        if self.profile.untyped == Untyped::AllTypes {
            members.push(("properties".into(), Form::Object(Vec::new())));
            if self.profile.key_policy == KeyPolicy::Always {
                members.push(("additionalProperties".into(), Form::Raw("true".into())));
            }
            members.push(("items".into(), described("Any value.")));
        }
        Form::Object(members)
    }

    /// A node by its kinds alone.
    fn cut(&mut self, flat: &Flat, place: &Place, why: &str) -> Form {
        self.cannot_be_strict(place, "the schema is too deep, or refers to itself");
        if self.must_widen(flat) {
            return self.any(flat, place);
        }
        let mut members = Vec::new();
        self.push_type(flat.kinds, &mut members);
        self.describe(flat, place, vec![why.to_owned()], &mut members, "");
        if flat.kinds.meets(Kinds::OBJECT) {
            members.push(("properties".into(), Form::Object(Vec::new())));
            if self.profile.key_policy == KeyPolicy::Always {
                members.push(("additionalProperties".into(), Form::Raw("true".into())));
            }
        }
        if flat.kinds.meets(Kinds::ARRAY) {
            members.push(("items".into(), described("Any value.")));
        }
        Form::Object(members)
    }

    fn typed(&mut self, flat: &Flat, place: &Place) -> Form {
        let mut members = Vec::new();
        let mut inner = Vec::new();
        let mut lost = Vec::new();
        let texts = self.number_texts(flat, place.takes_null);
        let is_text = texts.is_some();
        match texts.or_else(|| self.words(flat, place.takes_null)) {
            Some(texts) if is_text => {
                self.decode.push(DecodeStep::EnumText { location: place.location.clone() });
                inner.push(("enum".into(), Form::Array(texts)));
            }
            Some(words) if self.takes_words(flat, &words) => {
                self.cost.words += words.len();
                inner.push(("enum".into(), Form::Array(words)));
                self.note_capitals(flat, place);
            }
            words => {
                if words.is_some() || has_finite_side(flat) {
                    lost.extend(self.kinds_text(flat, place, || self.words_text(flat).unwrap_or_default()));
                }
                self.scalars(flat, &mut inner, &mut lost);
            }
        }
        let kinds = if is_text { flat.kinds.without(Kinds::NUMBER) | Kinds::STRING } else { flat.kinds };
        let kinds = if place.takes_null { kinds | Kinds::NULL } else { kinds };
        self.cost.unions += usize::from(kinds.names().len() > 1);
        let is_compound_list = kinds.names().len() > 1 && kinds.meets(Kinds::OBJECT | Kinds::ARRAY);
        if is_compound_list && self.profile.strict.is_some_and(|strict| !strict.compound_lists) {
            self.cannot_be_strict(place, "an object or a list is one of several kinds");
        }
        self.cost.depth = self.cost.depth.max(self.path.len());
        if let Some(array) = &flat.array {
            self.beyond_steps(flat.object.is_some(), |emitter| emitter.array(array, place, &mut inner, &mut lost));
        }
        if let Some(object) = &flat.object {
            self.object(object, flat.array.is_some(), place, &mut inner, &mut lost);
        }
        self.push_type(kinds, &mut members);
        self.describe(flat, place, lost, &mut members, "");
        members.extend(inner);
        if self.profile.keywords.mcp_header {
            self.header(flat, place, &mut members);
        }
        Form::Object(members)
    }

    /// Writes something, where `is_beyond` without steps of decoding.
    fn beyond_steps<T>(&mut self, is_beyond: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.is_beyond_steps;
        self.is_beyond_steps |= is_beyond;
        let written = write(self);
        self.is_beyond_steps = before;
        written
    }

    fn push_type(&self, kinds: Kinds, members: &mut Members) {
        if self.profile.kinds == KindsSpelling::Nullable && kinds.meets(Kinds::NULL) {
            members.push(("type".into(), type_list(kinds.without(Kinds::NULL))));
            members.push(("nullable".into(), Form::Raw("true".into())));
        } else {
            members.push(("type".into(), type_list(kinds)));
        }
    }

    /// Adds `description` and `default`. `otherwise` is said where nothing else is.
    fn describe(&mut self, flat: &Flat, place: &Place, lost: Vec<String>, members: &mut Members, otherwise: &str) {
        let mut lines: Vec<&str> = Vec::new();
        if !place.skips_own {
            lines.extend(flat.about.own.iter().map(String::as_str));
        }
        lines.extend(place.meaning.as_deref());
        let forms = flat.about.forms.as_ref().map(|told| {
            let others = lines.iter().copied().chain(flat.about.lost.iter().chain(&lost).map(String::as_str));
            let taken: usize = others.map(|line| line.chars().count() + 1).sum();
            told.text(self.profile.description_chars_max.saturating_sub(taken))
        });
        lines.extend(forms.as_deref());
        lines.extend(flat.about.lost.iter().map(String::as_str));
        lines.extend(lost.iter().map(String::as_str));
        let default = flat.about.default.filter(|_| place.may_have_default);
        let default_text = default.filter(|_| !self.profile.keywords.default).map(|default| self.default_text(default));
        lines.extend(default_text.as_deref());
        let mut text = sentences(&lines);
        if text.is_empty() {
            otherwise.clone_into(&mut text);
        }
        if !text.is_empty() {
            if text.chars().count() > self.profile.description_chars_max {
                self.note(&place.location, "the description is cut");
                text = cut(text, self.profile.description_chars_max);
            }
            self.bytes += text.len();
            members.push(("description".into(), Form::text(&text)));
        }
        if let Some(default) = default.filter(|_| self.profile.keywords.default) {
            members.push(("default".into(), Form::Raw(self.json.raw(default).to_owned().into())));
        }
    }

    fn default_text(&self, default: Slot) -> String {
        /// Characters of a default that is said in words.
        const DEFAULT_MAX_CHARS: usize = 64;
        format!("Default: {}.", cut(clean(self.json.raw(default), DEFAULT_MAX_CHARS), DEFAULT_MAX_CHARS))
    }

    /// The header annotation, where the transport takes it. One that it does not take costs the whole tool: a client is to
    /// leave out a tool of which it reads one.
    fn header(&mut self, flat: &Flat, place: &Place, members: &mut Members) {
        let Some(header) = flat.about.header else { return };
        let name = (self.json.kind(header) == Kind::String).then(|| self.json.string(header));
        let why = match &name {
            _ if !place.may_have_header => "the place is not reached by `properties` alone",
            _ if ![Kinds::STRING, Kinds::INTEGER, Kinds::BOOLEAN].contains(&flat.kinds) => {
                "the joined value is not a string, an integer or a boolean"
            }
            Some(name) if !is_header_token(name) => "it is no name of a header",
            Some(name) if !self.headers.insert(name.to_ascii_lowercase()) => "another property has it",
            Some(_) => {
                members.push(("x-mcp-header".into(), Form::Raw(self.json.raw(header).to_owned().into())));
                return;
            }
            None => "it is no text",
        };
        self.note(&place.location, format!("x-mcp-header is left out: {why}"));
    }

    fn note(&mut self, location: &str, what: impl Into<String>) {
        const NOTES_MAX: usize = 400;
        let note = Note { location: location.to_owned(), what: what.into() };
        if self.notes.len() < NOTES_MAX && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// A token as RFC 9110 has it: what the name of a header can be made of.
fn is_header_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The lines after one another, each but the last with an end that can be seen.
fn sentences(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        if !text.is_empty() {
            text.push_str(if text.ends_with(|ch: char| ch.is_alphanumeric() || "`)]}\"'>%".contains(ch)) {
                ". "
            } else {
                " "
            });
        }
        text.push_str(line);
    }
    text
}

fn definition_name(id: FlatId) -> String {
    format!("form{id}")
}

fn described(text: &str) -> Form {
    Form::Object(vec![("description".into(), Form::text(text))])
}

fn type_list(kinds: Kinds) -> Form {
    let names = kinds.names();
    match names.as_slice() {
        [only] => Form::text(only),
        names => Form::texts(names.iter().map(String::as_str)),
    }
}

fn has_finite_side(flat: &Flat) -> bool {
    flat.numbers.as_ref().is_some_and(|numbers| numbers.finite().is_some())
        || flat.strings.as_ref().is_some_and(|strings| strings.finite().is_some())
}
