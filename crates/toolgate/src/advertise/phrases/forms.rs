//! How the forms of a joined object are told apart in words: which names each needs and may have.

use super::super::flat::Sides;
use super::{Apart, some, ticked};
use std::collections::{HashMap, HashSet};

/// Forms that are told apart in words.
pub(super) const FORMS_MAX: usize = 64;
/// Characters of the sentence that counts the forms that are not told.
const MORE_CHARS: usize = 64;

/// The forms of an object in words, at a length that is asked for.
#[derive(Debug, Default)]
pub(in crate::advertise) struct Told {
    head: String,
    /// What each form needs and may have, and what it needs.
    lines: Vec<(String, String)>,
    /// Forms that are in no line.
    more: usize,
}

impl Told {
    /// Lines without a head.
    pub(super) fn of_lines(lines: Vec<String>) -> Self {
        let lines = lines.into_iter().map(|line| (line.clone(), line)).collect();
        Told { head: String::new(), lines, more: 0 }
    }

    pub(in crate::advertise) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.lines.is_empty()
    }

    /// At most so many characters where that can be: what a form may have goes first, then the last forms.
    pub(in crate::advertise) fn text(&self, max_chars: usize) -> String {
        let full = self.joined(self.lines.iter().map(|(full, _)| full), self.lines.len());
        if full.chars().count() <= max_chars {
            return full;
        }
        let ends = self.lines.iter().scan(self.head.chars().count(), |end, (_, brief)| {
            *end += 1 + brief.chars().count();
            Some(*end)
        });
        let is_whole = self.more == 0 && ends.clone().last().is_none_or(|end| end <= max_chars);
        let left = if is_whole { max_chars } else { max_chars.saturating_sub(MORE_CHARS) };
        let count = ends.take_while(|end| *end <= left).count();
        self.joined(self.lines.iter().map(|(_, brief)| brief), count)
    }

    fn joined<'t>(&'t self, lines: impl Iterator<Item = &'t String>, count: usize) -> String {
        let more = self.more + self.lines.len().saturating_sub(count);
        let mut text = self.head.clone();
        for line in lines.take(count) {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(line);
        }
        match more {
            0 => {}
            more => text.push_str(&format!(" And {more} more; a refused call is told what is missing.")),
        }
        text
    }
}

/// Names that each form needs and may have, beyond what all need and may have.
pub(super) struct Forms {
    /// In the order of the contract; a form without a tag has no label.
    forms: Vec<Form>,
    count: usize,
    /// What every form needs beside the key that selects it.
    all_need: Vec<String>,
    apart: Apart,
    /// The place of each form among those that are told.
    pub(super) numbers: Vec<usize>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct Form {
    labels: Vec<String>,
    needs: Vec<String>,
    may: Vec<String>,
    /// Declares no key and takes any.
    takes_any: bool,
    /// Takes keys that it does not declare.
    is_open: bool,
}

impl Forms {
    pub(super) fn of(sides: &Sides<'_, '_>, tag: Option<usize>, labels: &[String], apart: &Apart) -> Self {
        let (keys, required) = (sides.keys, sides.required);
        let count = required.forms();
        let mut forms: Vec<Form> = sides
            .are_open
            .iter()
            .map(|is_open| Form { takes_any: *is_open, is_open: *is_open, ..Form::default() })
            .collect();
        forms.resize(count, Form::default());
        let mut all_need = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let is_tag = tag == Some(index);
            for (form, _) in &key.at {
                forms.get_mut(*form).into_iter().for_each(|form| form.takes_any = false);
            }
            if required.by_all(key.name) && !is_tag {
                all_need.push(ticked(key.name));
            }
            if key.at.len() == count && (required.by_all(key.name) || required.by_none(key.name)) {
                continue;
            }
            for (form, _) in &key.at {
                let Some(place) = forms.get_mut(*form) else { continue };
                let names = if required.by(*form, key.name) { &mut place.needs } else { &mut place.may };
                names.push(ticked(key.name));
            }
        }
        let mut merged: Vec<Form> = Vec::new();
        let mut by_label: HashMap<&str, usize> = HashMap::new();
        for (number, form) in forms.into_iter().enumerate() {
            let label = labels.get(number).map_or("", String::as_str);
            let twin = if label.is_empty() { None } else { by_label.get(label).and_then(|at| merged.get_mut(*at)) };
            match twin {
                Some(twin) => twin.loosen(form),
                None => {
                    by_label.insert(label, merged.len());
                    let labels = if label.is_empty() { Vec::new() } else { vec![label.to_owned()] };
                    merged.push(Form { labels, ..form });
                }
            }
        }
        let (forms, numbers) = same_together(merged);
        Forms { forms, count, all_need, apart: *apart, numbers }
    }

    /// The forms in words, and whether they have numbers there.
    pub(super) fn told(&self, tag: Option<&str>) -> (Told, bool) {
        let nothing = self.forms.iter().all(|form| form.needs.is_empty() && form.may.is_empty());
        let head = |head: String| Told { head, ..Told::default() };
        let told = match tag {
            Some(tag) if nothing && self.all_need.is_empty() => head(format!("{} selects the form.", ticked(tag))),
            Some(tag) if nothing => {
                head(format!("{} selects the form; all need {}.", ticked(tag), self.all_need.join(", ")))
            }
            Some(tag) => {
                self.lines(format!("{} selects the form.", ticked(tag)), |_, form| form.labels.join("|") + ":")
            }
            None if nothing => Told::default(),
            None => self.untagged(),
        };
        let are_numbered = tag.is_none() && !told.lines.is_empty();
        (told, are_numbered)
    }

    /// Two forms of which a condition selects one, each by its words; `None` where both need and may have the same.
    pub(super) fn conditional(&self, labels: &[String]) -> Option<Told> {
        let mut told = self.lines(String::new(), |number, _| {
            let form = self.numbers.iter().position(|known| *known == number);
            format!("{}:", form.and_then(|form| labels.get(form)).map_or("", String::as_str))
        });
        told.more = 0;
        (self.forms.len() == labels.len()).then_some(told)
    }

    fn lines(&self, head: String, label: impl Fn(usize, &Form) -> String) -> Told {
        let line = |(number, form): (usize, &Form)| {
            let label = label(number, form);
            (format!("{label} {}.", form.says()), format!("{label} {}.", form.says_briefly()))
        };
        let lines: Vec<_> = self.forms.iter().take(FORMS_MAX).enumerate().map(line).collect();
        Told { head, more: self.forms.len() - lines.len(), lines }
    }

    fn untagged(&self) -> Told {
        let alone: Vec<&String> = self
            .forms
            .iter()
            .filter_map(|form| if form.needs.len() == 1 { form.needs.first() } else { None })
            .collect();
        let differ = alone.iter().collect::<HashSet<_>>().len() == alone.len();
        if differ && alone.len() == self.forms.len() && self.forms.len() == self.count && alone.len() > 1 {
            let how = if self.apart.excludes { "exactly" } else { "at least" };
            let head = format!("Give {how} one of {}.", some(alone.into_iter().cloned()));
            return Told { head, ..Told::default() };
        }
        // What is open, or may hold beside another form, takes the keys of other forms as well.
        let how = if self.apart.are_closed { "One" } else { "At least one" };
        self.lines(format!("{how} of {} forms:", self.forms.len()), |number, _| format!("({})", number + 1))
    }
}

impl Form {
    /// Two forms under one word: needed is what both need, possible what either has.
    fn loosen(&mut self, other: Form) {
        let optional = |needs: &[String], others: &[String]| {
            needs.iter().filter(|name| !others.contains(name)).cloned().collect::<Vec<_>>()
        };
        let mut may = optional(&self.needs, &other.needs);
        may.extend(optional(&other.needs, &self.needs));
        may.extend(other.may);
        self.needs.retain(|name| other.needs.contains(name));
        self.is_open |= other.is_open;
        self.takes_any |= other.takes_any;
        for name in may {
            if !self.may.contains(&name) && !self.needs.contains(&name) {
                self.may.push(name);
            }
        }
    }

    fn says_needs(&self) -> String {
        match self.needs.as_slice() {
            [] if self.takes_any => "any keys".to_owned(),
            [] if self.is_open => "needs nothing more".to_owned(),
            [] => "nothing more".to_owned(),
            needs => format!("needs {}", needs.join(", ")),
        }
    }

    /// Without what it may have, which then is not denied either.
    fn says_briefly(&self) -> String {
        match (self.needs.is_empty(), self.may.is_empty()) {
            (true, false) => "needs nothing".to_owned(),
            _ => self.says_needs(),
        }
    }

    fn says(&self) -> String {
        match (self.needs.is_empty(), self.may.is_empty()) {
            (_, true) => self.says_needs(),
            (true, false) => format!("may have {}", self.may.join(", ")),
            (false, false) => format!("needs {}; may have {}", self.needs.join(", "), self.may.join(", ")),
        }
    }
}

/// Forms that need and may have the same are told once; with the place of each.
fn same_together(forms: Vec<Form>) -> (Vec<Form>, Vec<usize>) {
    let mut index: HashMap<(Vec<String>, Vec<String>, bool, bool), usize> = HashMap::new();
    let mut together: Vec<Form> = Vec::new();
    let mut places = Vec::with_capacity(forms.len());
    for form in forms {
        let next = together.len();
        let says_open = form.is_open && form.needs.is_empty() && form.may.is_empty();
        let at = *index.entry((form.needs.clone(), form.may.clone(), form.takes_any, says_open)).or_insert(next);
        places.push(at);
        match together.get_mut(at) {
            Some(twin) => twin.labels.extend(form.labels),
            None => together.push(form),
        }
    }
    (together, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_as_far_as_the_room_goes() {
        let line = |name: &str| (format!("{name}: needs `x`; may have `y`."), format!("{name}: needs `x`."));
        let told = Told { head: "`k` selects the form.".into(), lines: vec![line("a"), line("b"), line("c")], more: 0 };
        let full =
            "`k` selects the form. a: needs `x`; may have `y`. b: needs `x`; may have `y`. c: needs `x`; may have `y`.";
        assert_eq!(told.text(full.len()), full);
        let brief = "`k` selects the form. a: needs `x`. b: needs `x`. c: needs `x`.";
        assert_eq!(told.text(full.len() - 1), brief);
        assert_eq!(told.text(brief.len()), brief);
        let told = Told { lines: vec![line("a"); 20], ..told };
        assert_eq!(
            told.text(115),
            "`k` selects the form. a: needs `x`. a: needs `x`. And 18 more; a refused call is told what is missing."
        );
        let told = Told { more: 3, ..told };
        assert!(told.text(usize::MAX).ends_with(" And 3 more; a refused call is told what is missing."));
    }
}
