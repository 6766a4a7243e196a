//! Lists and objects of one place.

use super::super::DecodeStep;
use super::super::flat::{FlatArray, FlatObject, FlatProp, FlatRest};
use super::super::form::{Form, Members};
use super::super::names::Names;
use super::super::phrases::ticked;
use super::{Emitter, Place, described};
use crate::location::push_pointer_segment;
use crate::profile::KeyPolicy;
use crate::schema::kinds::Kinds;

impl Emitter<'_> {
    pub(super) fn array(&mut self, array: &FlatArray, place: &Place, members: &mut Members, lost: &mut Vec<String>) {
        let is_never = self.projection.flat(array.items).kinds.is_empty();
        let inside = Place::inside(format!("{}/*", place.location));
        let items = if is_never {
            self.cannot_be_strict(&inside, "no value is taken");
            described("No item is taken.")
        } else {
            self.node(array.items, &inside)
        };
        members.push(("items".into(), items));
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
                members.push(("uniqueItems".into(), Form::Raw("true".into())));
            } else {
                lost.push("No item twice.".to_owned());
            }
        }
    }

    pub(super) fn object(
        &mut self,
        object: &FlatObject,
        is_beside_list: bool,
        place: &Place,
        members: &mut Members,
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
            // The location of a key named `*` is that of any.
            let is_any = prop.name == "*";
            if inside.takes_null {
                self.beyond_steps(is_any, |emitter| emitter.null_for_absent(prop, &inside));
            }
            let sent = names.sent(&prop.name);
            if sent != prop.name && (object.rest != FlatRest::Closed || self.is_beyond_steps) {
                // The name sent would be one of the further keys that are taken, or nothing would read it back.
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
            self.bytes += sent.len();
            let form = self.beyond_steps(is_any, |emitter| emitter.node(prop.flat, &inside));
            properties.push((sent.to_owned().into(), form));
            if prop.is_required || all_required {
                required.push(Form::text(sent));
            }
        }
        members.push(("properties".into(), Form::Object(properties)));
        if !required.is_empty() {
            members.push(("required".into(), Form::Array(required)));
        }
        // A key that is declared and has no step of its own would be read as one that is not.
        let is_beyond = is_beside_list || !object.props.is_empty();
        self.beyond_steps(is_beyond, |emitter| emitter.rest(rest, place, members, lost));
        let keywords = self.profile.keywords;
        let (min, max) = (object.min, object.max);
        // Keys are counted as they are read, and a null that stands for absence is none then.
        let has_stand_ins = all_required && object.props.iter().any(|prop| !prop.is_required);
        let is_kept = keywords.property_counts && !has_stand_ins;
        let beside_null = |words: &'static str, others: &'static str| if has_stand_ins { others } else { words };
        let least = beside_null("At least # keys.", "Beside those that are null, at least # keys.");
        let most = beside_null("At most # keys.", "Beside those that are null, at most # keys.");
        self.count("minProperties", min, min > 0, is_kept, least, members, lost);
        self.count("maxProperties", max.unwrap_or(0), max.is_some(), is_kept, most, members, lost);
    }

    /// A key that must be sent is null where it would be absent, unless null is a value of its own.
    pub(super) fn null_for_absent(&mut self, prop: &FlatProp, place: &Place) {
        if self.projection.flat(prop.flat).kinds.meets(Kinds::NULL) {
            self.note(
                &place.location,
                "the key has to be sent, and null is a value of its own: absence cannot be said",
            );
            self.cannot_be_strict(place, "null is a value of its own where the key may be absent");
        } else if self.is_beyond_steps {
            self.cannot_be_strict(place, "a key may be absent where no step can say so");
        } else {
            self.decode.push(DecodeStep::NullMeansAbsent { location: place.location.clone() });
        }
    }

    pub(super) fn rest(&mut self, rest: FlatRest, place: &Place, members: &mut Members, lost: &mut Vec<String>) {
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
                FlatRest::Typed(id) => {
                    let kinds = self.projection.flat(id).kinds.names().join(" or ");
                    lost.push(format!("Further keys are taken, each with a value of type {kinds}."));
                }
            }
            return;
        }
        let rest = match rest {
            FlatRest::Closed => Form::Raw("false".into()),
            FlatRest::Open => Form::Raw("true".into()),
            FlatRest::Typed(id) if self.takes_anything(id) => Form::Raw("true".into()),
            FlatRest::Typed(id) => self.node(id, &Place::inside(format!("{}/*", place.location))),
        };
        members.push(("additionalProperties".into(), rest));
    }
}
