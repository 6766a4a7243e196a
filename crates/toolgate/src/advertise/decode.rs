//! Reading back arguments that a profile made the model write in another shape, before anything else reads them.

use super::DecodeStep;
use crate::contract::Edit;
use crate::json::{Document, Kind, Slot, Strictness, push_string, quoted};
use crate::limits::Limits;
use crate::location::{Location, pointer_names};
use crate::outline::Outline;
use crate::refusal::{Refusal, ShownWord};
use std::collections::HashMap;

/// The steps of one advertised schema, by place.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    places: Vec<Place>,
}

#[derive(Debug, Default)]
struct Place {
    children: HashMap<String, usize>,
    /// For any item, and for a name that has no child of its own.
    any: Option<usize>,
    /// The contract's name by the name sent.
    names: HashMap<String, String>,
    null_is_absent: bool,
    /// Text is what it says as JSON.
    is_text: bool,
    /// Words that may be written with other capitals.
    words: Vec<String>,
    /// The contract admits no string: text of an object or a list is read as that (R4.2), by the steps below.
    reads_text: bool,
}

impl Place {
    fn has_steps_inside(&self) -> bool {
        !self.names.is_empty() || !self.children.is_empty() || self.any.is_some()
    }
}

/// Of the arguments object.
pub(crate) const ROOT: usize = 0;

impl Decoder {
    /// `None` where there is nothing to decode. `arguments` are the contract's.
    pub(crate) fn new(steps: &[DecodeStep], arguments: &Outline<'_>) -> Option<Self> {
        if steps.is_empty() {
            return None;
        }
        let mut decoder = Decoder { places: vec![Place::default()] };
        for step in steps {
            match step {
                DecodeStep::Rename { location, name, sent } => {
                    let at = decoder.place(location);
                    if let Some(place) = decoder.places.get_mut(at) {
                        place.names.insert(sent.clone(), name.clone());
                    }
                }
                DecodeStep::NullMeansAbsent { location } => {
                    let at = decoder.place(location);
                    if let Some(place) = decoder.places.get_mut(at) {
                        place.null_is_absent = true;
                    }
                }
                DecodeStep::EnumText { location } => {
                    let at = decoder.place(location);
                    if let Some(place) = decoder.places.get_mut(at) {
                        place.is_text = true;
                    }
                }
                DecodeStep::EnumCase { location, words } => {
                    let at = decoder.place(location);
                    if let Some(place) = decoder.places.get_mut(at) {
                        place.words.clone_from(words);
                    }
                }
            }
        }
        decoder.note_texts(ROOT, arguments);
        Some(decoder)
    }

    /// Notes below a place where text is read as what it says.
    fn note_texts(&mut self, at: usize, outline: &Outline<'_>) {
        let Some(place) = self.places.get(at) else { return };
        let (children, any) = (place.children.clone(), place.any);
        let mut below: Vec<(usize, Vec<Outline<'_>>)> =
            children.into_iter().map(|(name, child)| (child, outline.member(&name).into_iter().collect())).collect();
        let items = outline.names(Kind::Array).then(|| outline.items());
        below.extend(any.map(|any| (any, items.into_iter().chain(outline.rest()).collect())));
        for (child, outlines) in below {
            if let Some(place) = self.places.get_mut(child) {
                place.reads_text = !outlines.is_empty() && outlines.iter().all(|outline| !outline.admits(Kind::String));
            }
            // Two outlines at one place are of a list and of an object: their inner places are not told apart.
            if let [outline] = outlines.as_slice() {
                self.note_texts(child, outline);
            }
        }
    }

    fn place(&mut self, location: &str) -> usize {
        let mut at = ROOT;
        for name in pointer_names(location) {
            let known = self
                .places
                .get(at)
                .and_then(|place| if name == "*" { place.any } else { place.children.get(&name).copied() });
            at = known.unwrap_or_else(|| {
                let new = self.places.len();
                self.places.push(Place::default());
                if let Some(place) = self.places.get_mut(at) {
                    if name == "*" {
                        place.any = Some(new);
                    } else {
                        place.children.insert(name, new);
                    }
                }
                new
            });
        }
        at
    }

    /// The arguments as the contract names them, with what was changed. `None` where nothing was, or the text is no object
    /// that can be read: then the contract judges the text as it came.
    pub(crate) fn decode(&self, text: &str, limits: &Limits) -> Option<(String, Vec<Edit>)> {
        let document = Document::read_str(text, Strictness::Strict, limits).ok()?;
        if document.root().kind() == Kind::String {
            // Written as text once more, which the contract reads once (R1.4).
            let inner = document.root().as_str()?;
            let inner = Document::read_str(&inner, Strictness::Strict, limits).ok()?;
            let decoded = self.decode_document(&inner, ROOT, Location::root(), limits);
            return decoded.map(|(decoded, edits)| (quoted(&decoded), edits));
        }
        self.decode_document(&document, ROOT, Location::root(), limits)
    }

    fn decode_document(
        &self,
        document: &Document<'_>,
        place: usize,
        at: Location,
        limits: &Limits,
    ) -> Option<(String, Vec<Edit>)> {
        let mut writer = Writer { decoder: self, json: document, limits, out: String::new(), edits: Vec::new(), at };
        writer.value(0, Some(place));
        if writer.edits.is_empty() { None } else { Some((writer.out, writer.edits)) }
    }

    /// A refusal in the names that the caller was shown.
    pub(crate) fn show(&self, mut refusal: Refusal) -> Refusal {
        for violation in refusal.violations_mut() {
            let mut at = Some(ROOT);
            violation.location.map_declared(|name| {
                let shown = self.sent(at, name).to_owned();
                at = at.and_then(|at| self.child(at, name));
                shown
            });
            for name in violation.missing.iter_mut().chain(&mut violation.suggest) {
                *name = ShownWord::from(self.sent(at, name));
            }
        }
        refusal
    }

    /// The name under which a property of the object at a place is sent.
    pub(crate) fn sent<'n>(&'n self, at: Option<usize>, name: &'n str) -> &'n str {
        let names = at.and_then(|at| self.places.get(at)).map(|place| &place.names);
        let sent = names.and_then(|names| names.iter().find(|(_, original)| *original == name));
        sent.map_or(name, |(sent, _)| sent)
    }

    /// Whether null is read as absent at a place.
    pub(crate) fn reads_null(&self, at: Option<usize>) -> bool {
        at.and_then(|at| self.places.get(at)).is_some_and(|place| place.null_is_absent)
    }

    /// The place under a name or, for `*`, of any item.
    pub(crate) fn child(&self, at: usize, name: &str) -> Option<usize> {
        let place = self.places.get(at)?;
        place.children.get(name).copied().or(place.any)
    }
}

struct Writer<'w> {
    decoder: &'w Decoder,
    json: &'w Document<'w>,
    limits: &'w Limits,
    out: String,
    edits: Vec<Edit>,
    at: Location,
}

impl Writer<'_> {
    fn value(&mut self, slot: Slot, place: Option<usize>) {
        match (self.json.kind(slot), place.and_then(|at| self.decoder.places.get(at).map(|place| (at, place)))) {
            (Kind::Object, Some((at, place))) => self.object(slot, at, place),
            (Kind::Array, Some((_, Place { any: Some(any), .. }))) => {
                self.out.push('[');
                for (index, item) in self.json.items(slot).enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.at.push_index(index);
                    self.value(item, Some(*any));
                    self.at.pop();
                }
                self.out.push(']');
            }
            (Kind::String, Some((at, place))) if place.reads_text && place.has_steps_inside() => {
                self.text_of_compound(slot, at);
            }
            (Kind::String, Some((_, place))) => self.text(slot, place),
            _ => self.out.push_str(self.json.raw(slot)),
        }
    }

    /// Text that the contract will read as an object or a list: the steps apply inside, and it stays text.
    fn text_of_compound(&mut self, slot: Slot, at: usize) {
        let text = self.json.string(slot);
        let is_compound = |inner: &Document<'_>| matches!(inner.root().kind(), Kind::Object | Kind::Array);
        let inner = Document::read_str(&text, Strictness::Strict, self.limits).ok().filter(is_compound);
        let decoded = inner.and_then(|inner| self.decoder.decode_document(&inner, at, self.at.clone(), self.limits));
        match decoded {
            Some((decoded, edits)) => {
                self.edits.extend(edits);
                push_string(&mut self.out, &decoded);
            }
            None => self.out.push_str(self.json.raw(slot)),
        }
    }

    fn text(&mut self, slot: Slot, place: &Place) {
        let text = self.json.string(slot);
        if place.is_text && is_scalar(&text) {
            self.edits.push(Edit { location: self.at.clone(), rule: "enum-text" });
            return self.out.push_str(&text);
        }
        let folded = text.to_lowercase();
        let word = place.words.iter().find(|word| word.to_lowercase() == folded);
        match word.filter(|word| **word != *text) {
            Some(word) => {
                self.edits.push(Edit { location: self.at.clone(), rule: "enum-case" });
                push_string(&mut self.out, word);
            }
            None => self.out.push_str(self.json.raw(slot)),
        }
    }

    fn object(&mut self, slot: Slot, at: usize, place: &Place) {
        self.out.push('{');
        let mut is_first = true;
        for (name_slot, value) in self.json.members(slot) {
            let sent = self.json.string(name_slot);
            // A name that the contract's own name stands beside is left alone: the contract refuses one of the two.
            let name = place.names.get(&*sent).filter(|name| self.json.member(slot, name).is_none());
            let child = self.decoder.child(at, name.map_or(&*sent, String::as_str));
            match name {
                Some(name) => self.at.push_declared(name),
                None if place.children.contains_key(&*sent) => self.at.push_declared(&sent),
                None => self.at.push_undeclared(&sent),
            }
            let is_absent = self.json.kind(value) == Kind::Null
                && child.and_then(|child| self.decoder.places.get(child)).is_some_and(|child| child.null_is_absent);
            if name.is_some() {
                self.edits.push(Edit { location: self.at.clone(), rule: "rename" });
            }
            if is_absent {
                self.edits.push(Edit { location: self.at.clone(), rule: "null-means-absent" });
            } else {
                if !std::mem::take(&mut is_first) {
                    self.out.push(',');
                }
                match name {
                    Some(name) => push_string(&mut self.out, name),
                    None => self.out.push_str(self.json.raw(name_slot)),
                }
                self.out.push(':');
                self.value(value, child);
            }
            self.at.pop();
        }
        self.out.push('}');
    }
}

/// Whether a text is the JSON of a number, of `true` or of `false`.
fn is_scalar(text: &str) -> bool {
    let document = Document::read_str(text, Strictness::Strict, &Limits::default());
    document.is_ok_and(|document| {
        matches!(document.root().kind(), Kind::Number | Kind::Boolean) && document.root().text() == text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(texts: &[&str]) -> Vec<DecodeStep> {
        let step = |text: &&str| {
            let document = Document::read_str(text, Strictness::Frame, &Limits::default()).unwrap();
            DecodeStep::from_json(document.root()).unwrap()
        };
        texts.iter().map(step).collect()
    }

    fn decoder() -> Decoder {
        let contract = crate::Contract::from_text(
            r#"{"properties":{"list":{"type":"array","items":{"type":"object"}},"tokens[]":{},"mode":{"type":"string"}}}"#,
        );
        let steps = steps(&[
            r#"{"step":"rename","location":"","name":"tokens[]","sent":"tokens"}"#,
            r#"{"step":"rename","location":"/list/*","name":"a b","sent":"a_b"}"#,
            r#"{"step":"null-means-absent","location":"/tokens[]"}"#,
            r#"{"step":"null-means-absent","location":"/list/*/n"}"#,
            r#"{"step":"enum-text","location":"/list/*/level"}"#,
            r#"{"step":"enum-case","location":"/mode","words":["On","off"]}"#,
        ]);
        Decoder::new(&steps, &contract.unwrap().outline()).unwrap()
    }

    #[track_caller]
    fn decodes(sent: &str, read: &str, edits: usize) {
        let (text, made) = decoder().decode(sent, &Limits::default()).unwrap();
        assert_eq!((text.as_str(), made.len()), (read, edits));
    }

    #[test]
    fn names_and_nulls_are_read_back() {
        decodes(r#"{"tokens":[1]}"#, r#"{"tokens[]":[1]}"#, 1);
        decodes(r#"{"tokens":null,"x":1.50}"#, r#"{"x":1.50}"#, 2);
        decodes(r#"{"list":[{"a_b":1,"n":null},{"n":2}]}"#, r#"{"list":[{"a b":1},{"n":2}]}"#, 2);
        decodes(r#""{\"tokens\":[1]}""#, r#""{\"tokens[]\":[1]}""#, 1);
    }

    #[test]
    fn steps_apply_inside_text_that_is_read_as_an_object() {
        decodes(r#"{"list":"[{\"a_b\":1,\"n\":null}]"}"#, r#"{"list":"[{\"a b\":1}]"}"#, 2);
        decodes(r#"{"list":["{\"a_b\":1}"]}"#, r#"{"list":["{\"a b\":1}"]}"#, 1);
        // What is no whole object is text, and so is what stands where a string is admitted.
        for text in [r#"{"list":["{\"a_b\":1"]}"#, r#"{"list":["\"a_b\""]}"#] {
            assert!(decoder().decode(text, &Limits::default()).is_none(), "{text}");
        }
        let schema = r#"{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"object","properties":{"a b":{}}}]}}}"#;
        let contract = crate::Contract::from_text(schema).unwrap();
        let steps = steps(&[r#"{"step":"rename","location":"/v","name":"a b","sent":"a_b"}"#]);
        let decoder = Decoder::new(&steps, &contract.outline()).unwrap();
        assert!(decoder.decode(r#"{"v":"{\"a_b\":1}"}"#, &Limits::default()).is_none());
        assert!(decoder.decode(r#"{"v":{"a_b":1}}"#, &Limits::default()).is_some());
    }

    #[test]
    fn texts_and_capitals_are_read_back() {
        decodes(
            r#"{"list":[{"level":"2"},{"level":"1e0"},{"level":"x"}]}"#,
            r#"{"list":[{"level":2},{"level":1e0},{"level":"x"}]}"#,
            2,
        );
        decodes(r#"{"mode":"ON"}"#, r#"{"mode":"On"}"#, 1);
    }

    #[test]
    fn what_needs_no_reading_is_left_alone() {
        for text in [
            r#"{"mode":"On"}"#,
            r#"{"mode":"onn"}"#,
            r#"{"list":[{"level":2},{"level":" 2"},{"level":"null"}]}"#,
            r#"{"x":null}"#,
            "{",
            "[]",
            r#"{"tokens[]":1,"tokens":2}"#,
            r#"{"list":{"n":1}}"#,
        ] {
            assert!(decoder().decode(text, &Limits::default()).is_none(), "{text}");
        }
    }

    #[test]
    fn a_refusal_speaks_in_the_names_that_were_shown() {
        let schema = r#"{"type":"object","properties":{"tokens[]":{"type":"array"}},"required":["tokens[]"]}"#;
        let contract = crate::Contract::from_text(schema).unwrap();
        let refusal = |text| decoder().show(contract.check(crate::Arguments::from_text(text)).unwrap_err());
        assert_eq!(refusal("{}").violations()[0].missing, ["tokens"]);
        assert_eq!(refusal(r#"{"tokens[]":5}"#).violations()[0].location.to_pointer(), "/tokens");
    }
}
