//! Writes a projection as the schema that one reader takes. What the reader cannot be told in keywords is told in words;
//! nothing here may narrow.

use super::flat::{ANY, Flat, FlatArray, FlatId, FlatObject, FlatProp, FlatRest, Note, Projection};
use super::form::Form;
use super::join::{End, NumberRange, Scalars, StringRange};
use super::names::Names;
use super::phrases::{clean, cut, ticked};
use super::{DecodeStep, NotAdvertised};
use crate::json::{Document, Slot};
use crate::location::push_pointer_segment;
use crate::profile::{KeyPolicy, KindsSpelling, Patterns, Profile, Recursion, Untyped, Words};
use crate::schema::Schema;
use crate::schema::kinds::Kinds;
use std::collections::BTreeSet;

/// Bytes that a place takes at least, by which a schema that grows too long is found out before it is written.
const PLACE_MIN_BYTES: usize = 16;
/// Nesting of one advertised schema; deeper places are shown by their kind. A contract whose shared parts make it too long
/// when they are written out is shown to fewer levels, the same everywhere.
const DEPTHS: [usize; 13] = [64, 32, 16, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1];
/// Bytes that sharing may add: as many times the contract's own, or this many.
const GROWTH_MAX: usize = 3;
const SIZE_MIN_BYTES: usize = 16 * 1024;
/// Digits of a bound that is written.
const BOUND_DIGITS_MAX: usize = 64;

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

/// What an advertised schema takes of a strict mode's budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrictCost {
    /// Properties.
    pub properties: usize,
    /// Properties that may be absent.
    pub optional: usize,
    /// Places of several kinds.
    pub unions: usize,
    /// Words in all `enum`s.
    pub words: usize,
    /// Levels of nesting.
    pub depth: usize,
}

/// Writes the root of a projection, to as many levels as fit.
pub(super) fn emit(
    projection: &Projection,
    schema: &Schema,
    profile: &Profile,
    options: &Options<'_>,
) -> Result<Emitted, NotAdvertised> {
    let size_max = (schema.document.json.text().len() * GROWTH_MAX).max(SIZE_MIN_BYTES);
    let mut emitted = Err(NotAdvertised { why: "no form of the schema is short enough" });
    for depth_max in DEPTHS {
        let budget = Budget { depth_max, places_max: size_max / PLACE_MIN_BYTES };
        let written = emit_to(budget, projection, schema, profile, options)?;
        let fits = !written.is_cut_short && written.text.len() <= size_max;
        emitted = Ok(written);
        if fits {
            break;
        }
    }
    emitted
}

#[derive(Clone, Copy)]
struct Budget {
    depth_max: usize,
    places_max: usize,
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
        places: 0,
        repeated: BTreeSet::new(),
        notes: projection.notes.clone(),
        decode: Vec::new(),
        cost: StrictCost::default(),
        not_strict: None,
        widened: options.widened,
    };
    let mut text = String::new();
    emitter.root(options.states_root)?.write(&mut text);
    emitter.judge_cost();
    Ok(Emitted {
        text,
        is_cut_short: emitter.places > emitter.budget.places_max,
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
    places: usize,
    /// Flat nodes that lie in themselves.
    repeated: BTreeSet<FlatId>,
    notes: Vec<Note>,
    decode: Vec<DecodeStep>,
    cost: StrictCost,
    not_strict: Option<String>,
    widened: &'a [String],
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
        let mut members = vec![("type".to_owned(), Form::text("object"))];
        let mut lost = Vec::new();
        let mut inner = Vec::new();
        self.object(object, &place, &mut inner, &mut lost);
        if !states_root {
            inner.retain(|(name, _)| name != "additionalProperties");
        }
        self.describe(flat, &place, lost, &mut members, "");
        members.extend(inner);
        self.path.pop();
        if !self.repeated.is_empty() && self.profile.recursion == Recursion::Definitions {
            let definitions = self.definitions();
            members.push(("$defs".to_owned(), Form::Object(definitions)));
        }
        Ok(Form::Object(members))
    }

    fn definitions(&mut self) -> Vec<(String, Form)> {
        let mut written: Vec<(String, Form)> = Vec::new();
        let mut done = BTreeSet::new();
        while let Some(id) = self.repeated.iter().copied().find(|id| !done.contains(id)) {
            done.insert(id);
            let form = self.node_itself(id, &Place::inside(String::new()));
            written.push((definition_name(id), form));
        }
        written
    }

    /// A place inside the arguments.
    fn node(&mut self, id: FlatId, place: &Place) -> Form {
        let is_repeated = self.path.contains(&id);
        if is_repeated && self.profile.recursion == Recursion::Definitions {
            self.repeated.insert(id);
            let reference =
                Form::Object(vec![("$ref".to_owned(), Form::text(&format!("#/$defs/{}", definition_name(id))))]);
            if !place.takes_null {
                return reference;
            }
            let null = Form::Object(vec![("type".to_owned(), Form::text("null"))]);
            return Form::Object(vec![("anyOf".to_owned(), Form::Array(vec![reference, null]))]);
        }
        let flat = self.projection.flat(id);
        if is_repeated {
            self.note(
                &place.location,
                "the schema repeats itself here: its kind is shown, the call is checked in full",
            );
            return self.cut(flat, place, "As above, to any depth.");
        }
        self.places += 1;
        if self.places > self.budget.places_max || self.path.len() > self.budget.depth_max {
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
            members.push(("type".to_owned(), type_list(Kinds::ALL)));
        }
        self.describe(flat, place, lost, &mut members, "Any value.");
        if self.profile.untyped == Untyped::AllTypes {
            members.push(("properties".to_owned(), Form::Object(Vec::new())));
            if self.profile.key_policy == KeyPolicy::Always {
                members.push(("additionalProperties".to_owned(), Form::Raw("true".to_owned())));
            }
            members.push(("items".to_owned(), described("Any value.")));
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
            members.push(("properties".to_owned(), Form::Object(Vec::new())));
            if self.profile.key_policy == KeyPolicy::Always {
                members.push(("additionalProperties".to_owned(), Form::Raw("true".to_owned())));
            }
        }
        if flat.kinds.meets(Kinds::ARRAY) {
            members.push(("items".to_owned(), described("Any value.")));
        }
        Form::Object(members)
    }

    fn typed(&mut self, flat: &Flat, place: &Place) -> Form {
        let mut members = Vec::new();
        let mut inner = Vec::new();
        let mut lost = Vec::new();
        match self.words(flat, place.takes_null) {
            Some(words) if self.takes_words(flat, &words) => {
                self.cost.words += words.len();
                inner.push(("enum".to_owned(), Form::Array(words)));
            }
            words => {
                if words.is_some() || has_finite_side(flat) {
                    lost.extend(self.kinds_text(flat, place, || self.words_text(flat).unwrap_or_default()));
                }
                self.scalars(flat, &mut inner, &mut lost);
            }
        }
        let kinds = if place.takes_null { flat.kinds | Kinds::NULL } else { flat.kinds };
        self.cost.unions += usize::from(kinds.names().len() > 1);
        self.cost.depth = self.cost.depth.max(self.path.len());
        if let Some(array) = &flat.array {
            self.array(array, place, &mut inner, &mut lost);
        }
        if let Some(object) = &flat.object {
            self.object(object, place, &mut inner, &mut lost);
        }
        self.push_type(kinds, &mut members);
        self.describe(flat, place, lost, &mut members, "");
        members.extend(inner);
        if place.may_have_header && self.profile.keywords.mcp_header {
            self.header(flat, place, &mut members);
        }
        Form::Object(members)
    }

    fn push_type(&self, kinds: Kinds, members: &mut Vec<(String, Form)>) {
        if self.profile.kinds == KindsSpelling::Nullable && kinds.meets(Kinds::NULL) {
            members.push(("type".to_owned(), type_list(kinds.without(Kinds::NULL))));
            members.push(("nullable".to_owned(), Form::Raw("true".to_owned())));
        } else {
            members.push(("type".to_owned(), type_list(kinds)));
        }
    }

    /// Every value that a node takes, where it lists them all.
    fn words(&self, flat: &Flat, takes_null: bool) -> Option<Vec<Form>> {
        let mut words = Vec::new();
        let raw =
            |slots: &[Slot]| slots.iter().map(|slot| Form::Raw(self.json.raw(*slot).to_owned())).collect::<Vec<_>>();
        let mut lists = false;
        if flat.array.is_some() || flat.object.is_some() {
            return None;
        }
        let sides = [flat.strings.as_ref().map(Scalars::finite), flat.numbers.as_ref().map(Scalars::finite)];
        for side in sides.into_iter().flatten() {
            words.extend(raw(side?));
            lists = true;
        }
        if flat.kinds.meets(Kinds::BOOLEAN) {
            lists |= flat.boolean.is_some();
            match flat.boolean {
                Some(only) => words.push(Form::Raw(only.to_string())),
                None => words.extend(["true", "false"].map(|word| Form::Raw(word.to_owned()))),
            }
        }
        if (takes_null || flat.kinds.meets(Kinds::NULL)) && self.profile.kinds != KindsSpelling::Nullable {
            words.push(Form::Raw("null".to_owned()));
        }
        lists.then_some(words)
    }

    fn takes_words(&self, flat: &Flat, words: &[Form]) -> bool {
        match self.profile.words {
            Words::Scalars => true,
            Words::Strings => {
                let strings = flat.kinds.without(Kinds::NULL) == Kinds::STRING;
                strings && words.iter().all(|word| !matches!(word, Form::Raw(text) if text == "\"\""))
            }
        }
    }

    /// What each kind of value is, unless the meaning of the key says it.
    fn kinds_text(&self, flat: &Flat, place: &Place, otherwise: impl Fn() -> String) -> Option<String> {
        let is_told = place.meaning.as_ref().is_some_and(|meaning| meaning.starts_with("With "));
        let text = flat.about.by_kind.clone().filter(|_| !is_told).unwrap_or_else(otherwise);
        (!text.is_empty() && !is_told).then_some(text)
    }

    /// The words that `enum` does not say.
    fn words_text(&self, flat: &Flat) -> Option<String> {
        /// Words that are listed in a sentence.
        const WORDS_MAX: usize = 20;
        let finite = [flat.strings.as_ref().and_then(Scalars::finite), flat.numbers.as_ref().and_then(Scalars::finite)];
        let slots: Vec<Slot> = finite.into_iter().flatten().flatten().copied().collect();
        if slots.is_empty() {
            return None;
        }
        let words = slots.iter().take(WORDS_MAX).map(|slot| cut(clean(self.json.raw(*slot), 64), 64));
        let more = slots.len().saturating_sub(WORDS_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let kinds = if finite.iter().all(Option::is_some) {
            "Words and numbers"
        } else if finite.first().is_some_and(Option::is_some) {
            "Words"
        } else {
            "Numbers"
        };
        Some(format!("{kinds}: {}{more}.", words.collect::<Vec<_>>().join(", ")))
    }

    fn scalars(&self, flat: &Flat, members: &mut Vec<(String, Form)>, lost: &mut Vec<String>) {
        if let Some(numbers) = &flat.numbers {
            match numbers {
                Scalars::Range(range) => self.numbers(range, members, lost),
                Scalars::Finite(values) => self.numbers(&NumberRange::hull(values, self.json), members, lost),
            }
        }
        if let Some(strings) = &flat.strings {
            match strings {
                Scalars::Range(range) => self.strings(range, members, lost),
                Scalars::Finite(values) => self.strings(&StringRange::hull(values, self.json), members, lost),
            }
        }
    }

    fn numbers(&self, range: &NumberRange, members: &mut Vec<(String, Form)>, lost: &mut Vec<String>) {
        let keywords = &self.profile.keywords;
        let ends = [
            (&range.lower, "minimum", "exclusiveMinimum", "From", "Above"),
            (&range.upper, "maximum", "exclusiveMaximum", "Up to", "Below"),
        ];
        for (end, inclusive, exclusive, from, beyond) in ends {
            let Some(End { literal, is_exclusive }) = end else { continue };
            let is_written = keywords.bounds && literal.len() <= BOUND_DIGITS_MAX;
            if is_written && (!is_exclusive || keywords.exclusive_bounds) {
                let keyword = if *is_exclusive { exclusive } else { inclusive };
                members.push((keyword.to_owned(), Form::Raw(literal.to_string())));
                continue;
            }
            if is_written {
                members.push((inclusive.to_owned(), Form::Raw(literal.to_string())));
            }
            lost.push(format!(
                "{} {}.",
                if *is_exclusive { beyond } else { from },
                cut(literal.to_string(), BOUND_DIGITS_MAX)
            ));
        }
        if let Some(step) = &range.step {
            if keywords.multiple_of && step.len() <= BOUND_DIGITS_MAX {
                members.push(("multipleOf".to_owned(), Form::Raw(step.to_string())));
            } else {
                lost.push(format!("A multiple of {}.", cut(step.to_string(), BOUND_DIGITS_MAX)));
            }
        }
    }

    fn strings(&self, range: &StringRange, members: &mut Vec<(String, Form)>, lost: &mut Vec<String>) {
        let is_kept = self.profile.keywords.lengths;
        self.count("minLength", range.min, range.min > 0, is_kept, "At least # characters.", members, lost);
        let max = range.max.unwrap_or(u64::MAX);
        self.count("maxLength", max, range.max.is_some(), is_kept, "At most # characters.", members, lost);
        let Some(pattern) = range.pattern.and_then(|pattern| self.schema.pattern(pattern)) else { return };
        let source = pattern.source();
        let is_taken = match self.profile.keywords.pattern {
            Patterns::None => false,
            Patterns::Linear => pattern.is_portable(),
            Patterns::Anchored => pattern.is_portable() && is_anchored(source),
        };
        if is_taken {
            members.push(("pattern".to_owned(), Form::text(source)));
        } else {
            lost.push(format!("Matches {}.", ticked(&cut(clean(source, 64), 64))));
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one count of six, told apart by its keyword and its words")]
    fn count(
        &self,
        keyword: &str,
        count: u64,
        is_said: bool,
        is_kept: bool,
        words: &str,
        members: &mut Vec<(String, Form)>,
        lost: &mut Vec<String>,
    ) {
        if !is_said {
            return;
        }
        if is_kept && count <= self.profile.bound_max {
            members.push((keyword.to_owned(), Form::Raw(count.to_string())));
        } else {
            lost.push(words.replace('#', &count.to_string()));
        }
    }

    fn array(&mut self, array: &FlatArray, place: &Place, members: &mut Vec<(String, Form)>, lost: &mut Vec<String>) {
        let is_never = self.projection.flat(array.items).kinds.is_empty();
        let inside = Place::inside(format!("{}/*", place.location));
        let items = if is_never { described("No item is taken.") } else { self.node(array.items, &inside) };
        members.push(("items".to_owned(), items));
        let keywords = self.profile.keywords;
        let (min, max) = (array.min, if is_never { Some(0) } else { array.max });
        self.count("minItems", min, min > 0, keywords.item_counts, "At least # items.", members, lost);
        self.count(
            "maxItems",
            max.unwrap_or(0),
            max.is_some(),
            keywords.item_counts,
            "At most # items.",
            members,
            lost,
        );
        if array.unique {
            if keywords.unique_items {
                members.push(("uniqueItems".to_owned(), Form::Raw("true".to_owned())));
            } else {
                lost.push("No item twice.".to_owned());
            }
        }
    }

    fn object(
        &mut self,
        object: &FlatObject,
        place: &Place,
        members: &mut Vec<(String, Form)>,
        lost: &mut Vec<String>,
    ) {
        let names = Names::of(object, self.profile, place.location.is_empty());
        let all_required = self.profile.strict.is_some_and(|strict| strict.all_required);
        let mut properties = Vec::with_capacity(object.props.len());
        let mut required = Vec::new();
        let mut rest = object.rest;
        for prop in &object.props {
            if self.projection.flat(prop.flat).kinds.is_empty() {
                // No value is admitted there, so the key is never present.
                continue;
            }
            let mut location = format!("{}/", place.location);
            push_pointer_segment(&mut location, &prop.name);
            let inside = Place {
                location,
                may_have_header: place.may_have_header,
                may_have_default: prop.is_shared,
                meaning: prop.meaning.as_ref().map(|meaning| meaning.text.clone()),
                skips_own: prop.meaning.as_ref().is_some_and(|meaning| meaning.replaces_own),
                takes_null: all_required && !prop.is_required,
            };
            self.cost.properties += 1;
            self.cost.optional += usize::from(!prop.is_required && !all_required);
            if inside.takes_null {
                self.null_for_absent(prop, &inside);
            }
            let sent = names.sent(&prop.name);
            if sent != prop.name && object.rest != FlatRest::Closed {
                // The name sent would be one of the further keys that are taken.
                self.note(&inside.location, "the reader does not take the name: it is said in words");
                lost.push(format!("Also takes {}.", ticked(&prop.name)));
                rest = FlatRest::Open;
                continue;
            }
            if sent != prop.name {
                self.decode.push(DecodeStep::Rename {
                    location: place.location.clone(),
                    name: prop.name.clone(),
                    sent: sent.to_owned(),
                });
            }
            properties.push((sent.to_owned(), self.node(prop.flat, &inside)));
            if prop.is_required || all_required {
                required.push(Form::text(sent));
            }
        }
        members.push(("properties".to_owned(), Form::Object(properties)));
        if !required.is_empty() {
            members.push(("required".to_owned(), Form::Array(required)));
        }
        self.rest(rest, place, members, lost);
        let keywords = self.profile.keywords;
        let (min, max) = (object.min, object.max);
        self.count("minProperties", min, min > 0, keywords.property_counts, "At least # keys.", members, lost);
        self.count(
            "maxProperties",
            max.unwrap_or(0),
            max.is_some(),
            keywords.property_counts,
            "At most # keys.",
            members,
            lost,
        );
    }

    /// A key that must be sent is null where it would be absent, unless null is a value of its own.
    fn null_for_absent(&mut self, prop: &FlatProp, place: &Place) {
        if self.projection.flat(prop.flat).kinds.meets(Kinds::NULL) {
            self.note(
                &place.location,
                "the key has to be sent, and null is a value of its own: absence cannot be said",
            );
            self.cannot_be_strict(place, "null is a value of its own where the key may be absent");
        } else {
            self.decode.push(DecodeStep::NullMeansAbsent { location: place.location.clone() });
        }
    }

    fn cannot_be_strict(&mut self, place: &Place, why: &str) {
        if self.profile.strict.is_some() && self.not_strict.is_none() {
            self.not_strict = Some(format!("{why} at `{}`", place.location));
        }
    }

    /// Holds what was counted against the strict mode's limits for one schema.
    fn judge_cost(&mut self) {
        let Some(strict) = self.profile.strict.filter(|_| self.not_strict.is_none()) else { return };
        let counts = [
            (self.cost.properties, strict.properties_max, "properties"),
            (self.cost.optional, strict.optional_max, "optional properties"),
            (self.cost.unions, strict.unions_max, "places of several kinds"),
            (self.cost.words, strict.words_max, "words in enums"),
            (self.cost.depth, strict.depth_max, "levels of nesting"),
        ];
        let over = counts.into_iter().find(|(count, max, _)| max.is_some_and(|max| *count > max));
        self.not_strict = over.map(|(count, max, what)| format!("{count} {what}, {} are taken", max.unwrap_or(0)));
        if !strict.recursion && !self.repeated.is_empty() {
            self.not_strict = Some("the schema refers to itself".to_owned());
        }
    }

    fn rest(&mut self, rest: FlatRest, place: &Place, members: &mut Vec<(String, Form)>, lost: &mut Vec<String>) {
        let rest = match rest {
            FlatRest::Typed(id) if self.projection.flat(id).kinds.is_empty() => FlatRest::Closed,
            rest => rest,
        };
        if rest != FlatRest::Closed {
            self.cannot_be_strict(place, "undeclared keys are taken");
        }
        if self.profile.key_policy == KeyPolicy::Never {
            match rest {
                FlatRest::Closed => {}
                FlatRest::Open => lost.push("Further keys are taken.".to_owned()),
                FlatRest::Typed(_) => lost.push("Further keys are taken, each with a value of one form.".to_owned()),
            }
            return;
        }
        let rest = match rest {
            FlatRest::Closed => Form::Raw("false".to_owned()),
            FlatRest::Open => Form::Raw("true".to_owned()),
            FlatRest::Typed(id) if self.takes_anything(id) => Form::Raw("true".to_owned()),
            FlatRest::Typed(id) => self.node(id, &Place::inside(format!("{}/*", place.location))),
        };
        members.push(("additionalProperties".to_owned(), rest));
    }

    /// Adds `description` and `default`. `otherwise` is said where nothing else is.
    fn describe(
        &mut self,
        flat: &Flat,
        place: &Place,
        lost: Vec<String>,
        members: &mut Vec<(String, Form)>,
        otherwise: &str,
    ) {
        let mut lines: Vec<&str> = Vec::new();
        if !place.skips_own {
            lines.extend(flat.about.own.iter().map(String::as_str));
        }
        lines.extend(place.meaning.as_deref());
        lines.extend(flat.about.lost.iter().map(String::as_str));
        lines.extend(lost.iter().map(String::as_str));
        let mut text = lines.join(" ");
        if text.is_empty() {
            otherwise.clone_into(&mut text);
        }
        if !text.is_empty() {
            if text.chars().count() > self.profile.description_chars_max {
                self.note(&place.location, "the description is cut");
                text = cut(text, self.profile.description_chars_max);
            }
            members.push(("description".to_owned(), Form::text(&text)));
        }
        if let Some(default) = flat.about.default.filter(|_| place.may_have_default && self.profile.keywords.default) {
            members.push(("default".to_owned(), Form::Raw(self.json.raw(default).to_owned())));
        }
    }

    /// The header annotation, where the transport takes it: on a string, an integer or a boolean.
    fn header(&mut self, flat: &Flat, place: &Place, members: &mut Vec<(String, Form)>) {
        let Some(header) = flat.about.header else { return };
        if [Kinds::STRING, Kinds::INTEGER, Kinds::BOOLEAN].contains(&flat.kinds) {
            members.push(("x-mcp-header".to_owned(), Form::Raw(self.json.raw(header).to_owned())));
        } else {
            self.note(
                &place.location,
                "x-mcp-header is left out: the joined value is not a string, an integer or a boolean",
            );
        }
    }

    fn note(&mut self, location: &str, what: impl Into<String>) {
        const NOTES_MAX: usize = 400;
        let note = Note { location: location.to_owned(), what: what.into() };
        if self.notes.len() < NOTES_MAX && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

fn definition_name(id: FlatId) -> String {
    format!("form{id}")
}

fn described(text: &str) -> Form {
    Form::Object(vec![("description".to_owned(), Form::text(text))])
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

/// Whether a search and a full match read the pattern the same.
fn is_anchored(source: &str) -> bool {
    let inner = source.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    inner.is_some_and(|inner| !inner.ends_with('\\') && !inner.contains('|'))
}

impl<R> Scalars<R> {
    pub(super) fn finite(&self) -> Option<&[Slot]> {
        match self {
            Scalars::Finite(values) => Some(values),
            Scalars::Range(_) => None,
        }
    }
}
