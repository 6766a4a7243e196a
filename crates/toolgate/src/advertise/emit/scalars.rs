//! Numbers, strings and listed values of one place, in keywords where the reader takes them and in words where not.

use super::super::DecodeStep;
use super::super::flat::Flat;
use super::super::form::{Form, Members};
use super::super::join::{End, NumberRange, Scalars, StringRange};
use super::super::phrases::{clean, cut, fenced};
use super::{Emitter, Place};
use crate::json::Slot;
use crate::profile::{KindsSpelling, Patterns, Words};
use crate::schema::kinds::Kinds;
use std::collections::HashSet;

/// Digits of a bound that is written.
const BOUND_DIGITS_MAX: usize = 64;

impl Emitter<'_> {
    /// Every value that a node takes, where it lists them all.
    pub(super) fn words(&self, flat: &Flat, takes_null: bool) -> Option<Vec<Form>> {
        let mut words = Vec::new();
        let raw = |slots: &[Slot]| {
            slots.iter().map(|slot| Form::Raw(self.json.raw(*slot).to_owned().into())).collect::<Vec<_>>()
        };
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
                Some(only) => words.push(Form::Raw(only.to_string().into())),
                None => words.extend(["true", "false"].map(|word| Form::Raw(word.to_owned().into()))),
            }
        }
        words.extend(self.null_word(flat, takes_null));
        lists.then_some(words)
    }

    fn null_word(&self, flat: &Flat, takes_null: bool) -> Option<Form> {
        let is_listed = takes_null || flat.kinds.meets(Kinds::NULL);
        (is_listed && self.profile.kinds != KindsSpelling::Nullable).then(|| Form::Raw("null".into()))
    }

    pub(super) fn takes_words(&self, flat: &Flat, words: &[Form]) -> bool {
        match self.profile.words {
            Words::Scalars => true,
            Words::Strings => {
                let strings = flat.kinds.without(Kinds::NULL) == Kinds::STRING;
                strings && words.iter().all(|word| !matches!(word, Form::Raw(text) if text == "\"\"" || text == "null"))
            }
        }
    }

    /// Listed numbers as texts, for a reader whose lists hold words only; read back by a step at the place.
    pub(super) fn number_texts(&self, flat: &Flat, takes_null: bool) -> Option<Vec<Form>> {
        let is_number = Kinds::NUMBER.has_all(flat.kinds.without(Kinds::NULL));
        if self.profile.words != Words::Strings || !is_number || self.is_beyond_steps {
            return None;
        }
        let values = flat.numbers.as_ref().and_then(Scalars::finite)?;
        let texts = values.iter().map(|slot| Form::text(self.json.raw(*slot))).collect();
        // Null is no word of such a list.
        self.null_word(flat, takes_null).is_none().then_some(texts)
    }

    /// Where words may come back with other capitals, they are read back, unless two differ in nothing else.
    pub(super) fn note_capitals(&mut self, flat: &Flat, place: &Place) {
        if !self.profile.strict.is_some_and(|strict| strict.enum_case_varies) {
            return;
        }
        let slots = flat.strings.as_ref().and_then(Scalars::finite).unwrap_or_default();
        let words: Vec<String> = slots.iter().map(|slot| self.json.string(*slot).into_owned()).collect();
        let folded: HashSet<String> = words.iter().map(|word| word.to_lowercase()).collect();
        if folded.len() < words.len() {
            self.cannot_be_strict(place, "two words differ in their capitals only, which may come back changed");
        } else if words.iter().all(|word| word.to_lowercase() == word.to_uppercase()) {
            // No word has capitals.
        } else if self.is_beyond_steps {
            self.cannot_be_strict(place, "words may come back with other capitals where no step can say so");
        } else {
            self.decode.push(DecodeStep::EnumCase { location: place.location.clone(), words });
        }
    }

    /// What each kind of value is, unless the meaning of the key says it.
    pub(super) fn kinds_text(&self, flat: &Flat, place: &Place, otherwise: impl Fn() -> String) -> Option<String> {
        let is_told = place
            .meaning
            .as_ref()
            .is_some_and(|meaning| ["With ", "In ", "Where ", "Otherwise"].iter().any(|how| meaning.starts_with(how)));
        let text = flat.about.by_kind.clone().filter(|_| !is_told).unwrap_or_else(otherwise);
        (!text.is_empty() && !is_told).then_some(text)
    }

    /// The words that `enum` does not say.
    pub(super) fn words_text(&self, flat: &Flat) -> Option<String> {
        /// Words that are listed in a sentence.
        const WORDS_MAX: usize = 20;
        let finite = [flat.strings.as_ref().and_then(Scalars::finite), flat.numbers.as_ref().and_then(Scalars::finite)];
        let slots: Vec<Slot> = finite.into_iter().flatten().flatten().copied().collect();
        let boolean = flat.boolean.map(|only| format!("Of true and false only {only}."));
        if slots.is_empty() {
            return boolean;
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
        let listed = format!("{kinds}: {}{more}.", words.collect::<Vec<_>>().join(", "));
        Some([Some(listed), boolean].into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    pub(super) fn scalars(&self, flat: &Flat, members: &mut Members, lost: &mut Vec<String>) {
        if let Some(numbers) = &flat.numbers {
            match numbers {
                Scalars::Range(range) => self.numbers(range, flat.kinds, members, lost),
                Scalars::Finite(listed) => {
                    self.numbers(&NumberRange::hull(listed.values(), self.json), flat.kinds, members, lost);
                }
            }
        }
        if let Some(strings) = &flat.strings {
            match strings {
                Scalars::Range(range) => self.strings(range, members, lost),
                Scalars::Finite(listed) => self.strings(&StringRange::hull(listed.values(), self.json), members, lost),
            }
        }
    }

    pub(super) fn numbers(&self, range: &NumberRange, kinds: Kinds, members: &mut Members, lost: &mut Vec<String>) {
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
                members.push((keyword.into(), Form::Raw(literal.to_string().into())));
                continue;
            }
            if is_written {
                members.push((inclusive.into(), Form::Raw(literal.to_string().into())));
            }
            lost.push(format!(
                "{} {}.",
                if *is_exclusive { beyond } else { from },
                cut(literal.to_string(), BOUND_DIGITS_MAX)
            ));
        }
        // Of integers, that they are whole is said.
        if let Some(step) = range.step.as_ref().filter(|step| &***step != "1" || kinds.meets(Kinds::FRACTION)) {
            if keywords.multiple_of && step.len() <= BOUND_DIGITS_MAX {
                members.push(("multipleOf".into(), Form::Raw(step.to_string().into())));
            } else {
                lost.push(format!("A multiple of {}.", cut(step.to_string(), BOUND_DIGITS_MAX)));
            }
        }
    }

    pub(super) fn strings(&self, range: &StringRange, members: &mut Members, lost: &mut Vec<String>) {
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
            members.push(("pattern".into(), Form::text(source)));
        } else {
            lost.push(format!("Matches {}.", fenced(&cut(clean(source, 64), 64))));
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one count of six, told apart by its keyword and its words")]
    pub(super) fn count(
        &self,
        keyword: &'static str,
        count: u64,
        is_said: bool,
        is_kept: bool,
        words: &str,
        members: &mut Members,
        lost: &mut Vec<String>,
    ) {
        if !is_said {
            return;
        }
        if is_kept && count <= self.profile.bound_max {
            members.push((keyword.into(), Form::Raw(count.to_string().into())));
        } else {
            let words = words.replace('#', &count.to_string());
            lost.push(if count == 1 { words.replace("s.", ".") } else { words });
        }
    }
}

/// Whether a search and a full match read the pattern the same.
fn is_anchored(source: &str) -> bool {
    let inner = source.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    inner.is_some_and(|inner| !inner.ends_with('\\') && !inner.contains('|'))
}
