//! What is said in words where the shape cannot say it (R7.4): which word selects which form, what a key means there, and
//! rules that only the judge knows. Deterministic, in the order of the contract.

use super::flat::{Key, Meaning, Required};
use super::states::{Alternative, Conj};
use crate::json::{Kind, Slot};
use crate::location::{is_unseen, shown_word};
use crate::schema::kinds::Kinds;
use crate::schema::{Node, NodeId, NumberRules, Schema};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Characters of one text of the author's.
const OWN_MAX_CHARS: usize = 4_096;
/// Texts of the author's at one place.
const OWN_MAX: usize = 8;
/// Words of a list that are shown.
const WORDS_MAX: usize = 8;
/// Forms that are told apart in words.
const FORMS_MAX: usize = 64;
/// Characters of the sentence that counts the forms that are not told.
const MORE_CHARS: usize = 64;
/// Characters of a pattern that is quoted.
const PATTERN_MAX_CHARS: usize = 80;

/// How the forms of a joined object are told apart.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// The key whose value selects the form.
    pub(super) tag: Option<String>,
    pub(super) told: Told,
    meanings: HashMap<usize, (String, bool)>,
}

/// The forms of an object in words, at a length that is asked for.
#[derive(Debug, Default)]
pub(super) struct Told {
    head: String,
    /// What each form needs and may have, and what it needs.
    lines: Vec<(String, String)>,
    /// Forms that are in no line.
    more: usize,
}

impl Told {
    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// At most so many characters where that can be: what a form may have goes first, then the last forms.
    pub(super) fn text(&self, max_chars: usize) -> String {
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
        lines.take(count).for_each(|line| text.extend([" ", line]));
        match more {
            0 => {}
            more => text.push_str(&format!(" And {more} more; a refused call is told what is missing.")),
        }
        text
    }
}

impl Variants {
    /// What the key at `index` means in which form.
    pub(super) fn meaning(&self, index: usize) -> Option<Meaning> {
        let (text, replaces_own) = self.meanings.get(&index)?;
        Some(Meaning { text: text.clone(), replaces_own: *replaces_own })
    }
}

/// Reads words out of a schema.
#[derive(Clone, Copy)]
pub(super) struct Phrases<'s> {
    schema: &'s Schema,
}

impl<'s> Phrases<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        Phrases { schema }
    }

    fn nodes(self, ids: &[NodeId]) -> impl Iterator<Item = &'s Node> + use<'s, '_> {
        ids.iter().map(move |id| self.schema.node(*id))
    }

    /// The authors' texts of a place, each once.
    pub(super) fn own_texts(self, alternatives: &[Alternative]) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for id in alternatives.iter().flat_map(|alternative| &alternative.nodes) {
            for slot in self.described(*id) {
                let text = clean(&self.schema.document.json.string(slot), OWN_MAX_CHARS);
                if !text.is_empty() && texts.len() < OWN_MAX && !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Descriptions of a node's subschemas; what refers comes before what is referred to.
    fn described(self, id: NodeId) -> Vec<Slot> {
        let json = &self.schema.document.json;
        let description = |slot: Slot| json.member(slot, "description").filter(|text| json.kind(*text) == Kind::String);
        let mut sources: Vec<Slot> = self.schema.sources(id).to_vec();
        sources.sort_by_key(|slot| json.member(*slot, "$ref").is_none() && json.member(*slot, "allOf").is_none());
        let mut found: Vec<Slot> = sources.iter().filter_map(|slot| description(*slot)).collect();
        if found.is_empty() && self.schema.node(id).unions.is_empty() {
            // A union that became one form: `anyOf: [T, null]`.
            let unions = sources.iter().flat_map(|slot| ["anyOf", "oneOf"].map(|keyword| json.member(*slot, keyword)));
            found.extend(unions.flatten().flat_map(|list| json.items(list)).filter_map(description));
        }
        found
    }

    /// An annotation of the first subschema that has it.
    pub(super) fn annotation(self, alternative: &Alternative, name: &str) -> Option<Slot> {
        let json = &self.schema.document.json;
        let sources = alternative.nodes.iter().flat_map(|id| self.schema.sources(*id));
        sources.filter(|slot| json.kind(**slot) == Kind::Object).find_map(|slot| json.member(*slot, name))
    }

    /// `x-mcp-header`, where every alternative has the same.
    pub(super) fn header(self, alternatives: &[Alternative]) -> Option<Slot> {
        let json = &self.schema.document.json;
        let (first, others) = alternatives.split_first()?;
        let header = self.annotation(first, "x-mcp-header").filter(|slot| json.kind(*slot) == Kind::String)?;
        let is_same = |other: &Alternative| {
            self.annotation(other, "x-mcp-header").is_some_and(|other| json.raw(other) == json.raw(header))
        };
        others.iter().all(is_same).then_some(header)
    }

    /// Rules of every alternative that no flat schema says.
    pub(super) fn forgotten(self, alternatives: &[Alternative]) -> Vec<String> {
        let Some((first, others)) = alternatives.split_first() else { return Vec::new() };
        let is_common = |id: &&NodeId| others.iter().all(|other| other.nodes.contains(id));
        let mut rules = Vec::new();
        for id in first.nodes.iter().filter(is_common) {
            self.forgotten_of(self.schema.node(*id), &mut rules);
        }
        rules
    }

    fn forgotten_of(self, node: &Node, rules: &mut Vec<String>) {
        for (inner, _) in &node.nots {
            rules.push(self.not(*inner));
        }
        if !node.opaques.is_empty() || node.is_dynamic {
            rules.push("further rules".to_owned());
        }
        if let Some(string) = &node.string {
            let sources = string.patterns.iter().skip(1).filter_map(|(pattern, _)| self.schema.pattern(*pattern));
            rules.extend(sources.map(|pattern| format!("matches {}", quoted_pattern(pattern.source()))));
            if !string.formats.is_empty() {
                rules.push("has its format".to_owned());
            }
        }
        if let Some(number) = &node.number {
            rules.extend(
                number.multiple_of.iter().skip(1).map(|(step, _)| format!("a multiple of {}", shown_word(step))),
            );
        }
        if let Some(array) = &node.array {
            for contains in &array.contains {
                let most = contains.max.map_or(String::new(), |max| format!(", at most {max}"));
                let what = self.brief(&[contains.node]);
                rules.push(format!("at least {} of the items is {what}{most}", contains.min));
            }
            if !array.prefix.is_empty() {
                let positions = array
                    .prefix
                    .iter()
                    .take(WORDS_MAX)
                    .map(|node| node.map_or("any value".to_owned(), |node| self.brief(&[node])));
                rules.push(format!("in this order: {}", positions.collect::<Vec<_>>().join(", ")));
            }
            if !array.unevaluated.is_empty() {
                rules.push("rules for further items".to_owned());
            }
        }
        if let Some(object) = &node.object {
            for dependent in &object.dependent_required {
                let names: Vec<String> = dependent.names.iter().map(|name| ticked(name)).collect();
                rules.push(format!("with {} also {}", ticked(&dependent.trigger), names.join(", ")));
            }
            for (trigger, _) in &object.dependent_schemas {
                rules.push(format!("further rules with {}", ticked(trigger)));
            }
            for (pattern, node) in &object.patterns {
                if let Some(pattern) = self.schema.pattern(*pattern) {
                    rules.push(format!(
                        "a name that matches {}: {}",
                        quoted_pattern(pattern.source()),
                        self.brief(&[*node])
                    ));
                }
            }
            let says_more = |node: &Node| node.values.is_empty() && (node.string.is_some() || node.has_whole());
            let open_names = object.names.iter().filter(|(node, _)| says_more(self.schema.node(*node)));
            rules.extend(open_names.map(|(node, _)| format!("every name is {}", self.brief(&[*node]))));
        }
    }

    fn not(self, inner: NodeId) -> String {
        let node = self.schema.node(inner);
        if !node.values.is_empty() {
            return format!("not {}", self.brief(&[inner]));
        }
        let names = node
            .object
            .iter()
            .flat_map(|object| object.required.iter().filter_map(|(index, _)| object.props.get(*index as usize)));
        let names: Vec<String> = names.map(|prop| ticked(&prop.name)).collect();
        match names.as_slice() {
            [] => "a rule of what it may not be".to_owned(),
            [only] => format!("not with {only}, where its rules hold"),
            [names @ .., last] => format!("not {} and {last} together", names.join(", ")),
        }
    }

    /// What the forms of a place with several kinds are.
    pub(super) fn by_kind(self, alternatives: &[Alternative]) -> Option<String> {
        let mut forms: Vec<String> = Vec::new();
        for alternative in alternatives.iter().filter(|alternative| alternative.kinds != Kinds::NULL) {
            let form = self.brief_of(&alternative.nodes, alternative.kinds, alternative.finite.as_deref());
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let is_told = (2..=WORDS_MAX).contains(&forms.len());
        is_told.then(|| format!("Either {}.", forms.join(" or ")))
    }

    /// How the forms of a joined object are told apart, and what its keys mean in each. `None` for a single form.
    pub(super) fn variants(
        self,
        objects: &[&Alternative],
        keys: &[Key<'s>],
        required: &Required<'s>,
    ) -> Option<Variants> {
        if objects.len() < 2 {
            return None;
        }
        let mut of_form: Vec<Vec<usize>> = vec![Vec::new(); objects.len()];
        for (index, key) in keys.iter().enumerate() {
            for (form, _) in &key.at {
                of_form.get_mut(*form).into_iter().for_each(|keys| keys.push(index));
            }
        }
        let all: Vec<usize> = (0..objects.len()).collect();
        let tag = self.tag(keys, required, &all, &of_form);
        let mut labels = tag.as_ref().map(|tag| tag.labels.clone()).unwrap_or_default();
        if tag.is_some() {
            self.add_inner_tags(keys, required, &of_form, &all, &mut labels);
        }
        let forms = Forms::of(keys, required, tag.as_ref().map(|tag| tag.key), &labels);
        let mut variants = Variants {
            tag: tag.as_ref().and_then(|tag| keys.get(tag.key)).map(|key| key.name.to_owned()),
            told: forms.told(tag.as_ref().and_then(|tag| keys.get(tag.key)).map(|key| key.name)),
            meanings: HashMap::new(),
        };
        if let Some(tag) = &tag
            && let Some(name) = keys.get(tag.key).map(|key| key.name)
        {
            for (index, key) in keys.iter().enumerate().filter(|(index, _)| *index != tag.key) {
                if let Some(meaning) = self.meaning(key, objects.len(), name, &tag.labels) {
                    variants.meanings.insert(index, meaning);
                }
            }
        }
        Some(variants)
    }

    /// The key that every one of these forms requires with words of its own; the one that tells most of them apart.
    fn tag(
        self,
        keys: &[Key<'s>],
        required: &Required<'s>,
        forms: &[usize],
        of_form: &[Vec<usize>],
    ) -> Option<TagLabels> {
        let mut best: Option<(usize, TagLabels)> = None;
        let first = forms.first().and_then(|form| of_form.get(*form));
        for index in first.into_iter().flatten().copied() {
            let Some(key) = keys.get(index) else { continue };
            let conj = |form: &usize| {
                let at = key.at.binary_search_by_key(form, |(number, _)| *number).ok()?;
                key.at.get(at).map(|(_, conj)| conj)
            };
            if !forms.iter().all(|form| required.by(*form, key.name)) {
                continue;
            }
            let words = forms.iter().map(|form| self.words(conj(form)?));
            let Some(words) = words.collect::<Option<Vec<Vec<String>>>>() else { continue };
            let labels: Vec<String> = words.iter().map(|words| label(words)).collect();
            let groups = labels.iter().collect::<HashSet<_>>().len();
            if groups > 1 && are_apart(&words, &labels) && best.as_ref().is_none_or(|(most, _)| groups > *most) {
                best = Some((groups, TagLabels { key: index, labels }));
            }
        }
        best.map(|(_, tag)| tag)
    }

    /// Tells the forms under one word apart by a further key, where there is one: `a, `sub` = p`.
    fn add_inner_tags(
        self,
        keys: &[Key<'s>],
        required: &Required<'s>,
        of_form: &[Vec<usize>],
        forms: &[usize],
        labels: &mut [String],
    ) {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for form in forms {
            groups.entry(labels.get(*form).map_or("", String::as_str)).or_default().push(*form);
        }
        let groups: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
        for group in groups {
            let Some(tag) = self.tag(keys, required, &group, of_form) else { continue };
            let name = keys.get(tag.key).map_or("", |key| key.name);
            for (form, inner) in group.iter().zip(&tag.labels) {
                if let Some(label) = labels.get_mut(*form) {
                    *label = format!("{label}, {} = {inner}", ticked(name));
                }
            }
            self.add_inner_tags(keys, required, of_form, &group, labels);
        }
    }

    /// The scalars that a conj lists, as words.
    fn words(self, conj: &Conj) -> Option<Vec<String>> {
        let json = &self.schema.document.json;
        let kinds = self.nodes(conj).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        let values = self.nodes(conj).find_map(|node| node.values.first())?;
        let slots = values.slots.iter().filter(|slot| kinds.meets(Kinds::of(json.kind(**slot))));
        let slots: Vec<Slot> = slots.copied().collect();
        let is_scalar = |slot: &Slot| !matches!(json.kind(*slot), Kind::Array | Kind::Object);
        (!slots.is_empty() && slots.iter().all(is_scalar)).then(|| slots.iter().map(|slot| self.word(*slot)).collect())
    }

    fn word(self, slot: Slot) -> String {
        let json = &self.schema.document.json;
        match json.kind(slot) {
            Kind::String => shown_word(&json.string(slot)),
            Kind::Array => "a list".to_owned(),
            Kind::Object => "an object".to_owned(),
            _ => shown_word(json.raw(slot)),
        }
    }

    /// What a key is in the forms that have it; with the author's texts where those differ.
    fn meaning(self, key: &Key<'s>, forms: usize, tag: &str, labels: &[String]) -> Option<(String, bool)> {
        let mut groups: Vec<(String, String, Vec<&str>)> = Vec::new();
        for (form, conj) in &key.at {
            let (shape, text) = (self.brief(conj), self.texts(conj));
            let label = labels.get(*form).map_or("", String::as_str);
            let twin = groups.iter().position(|(other, other_text, _)| *other == shape && *other_text == text);
            let Some(twin) = twin else {
                groups.push((shape, text, vec![label]));
                continue;
            };
            let labels = groups.get_mut(twin).map(|(_, _, labels)| labels);
            if let Some(labels) = labels.filter(|labels| !labels.contains(&label)) {
                labels.push(label);
            }
        }
        let with =
            |labels: &[&str]| format!("{} = {}", ticked(tag), some(labels.iter().map(|label| (*label).to_owned())));
        match groups.as_slice() {
            groups if groups.len() > FORMS_MAX => None,
            [] => None,
            [_] if key.at.len() == forms => None,
            [(_, _, labels)] => Some((format!("Only with {}.", with(labels)), false)),
            _ => {
                let says_texts = groups.windows(2).any(|pair| matches!(pair, [left, right] if left.1 != right.1));
                let lines = groups.iter().map(|(shape, text, labels)| {
                    let text = if says_texts && !text.is_empty() { format!("{shape}, {text}") } else { shape.clone() };
                    format!("With {}: {}.", with(labels), text.trim_end_matches('.'))
                });
                Some((lines.collect::<Vec<_>>().join(" "), says_texts))
            }
        }
    }

    fn texts(self, conj: &Conj) -> String {
        let json = &self.schema.document.json;
        let slots = conj.iter().flat_map(|id| self.described(*id));
        let mut texts: Vec<String> = slots.map(|slot| clean(&json.string(slot), OWN_MAX_CHARS)).collect();
        texts.dedup();
        texts.join(" ")
    }

    /// A conj in a few words: `integer 1 to 5`, `one of a, b`, `list of string`.
    pub(super) fn brief(self, conj: &[NodeId]) -> String {
        let kinds = self.nodes(conj).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        let values = self.nodes(conj).find_map(|node| node.values.first());
        self.brief_of(conj, kinds, values.map(|values| values.slots.as_slice()))
    }

    fn brief_of(self, conj: &[NodeId], kinds: Kinds, values: Option<&[Slot]>) -> String {
        if let Some(values) = values {
            let words: Vec<String> = values.iter().map(|slot| self.word(*slot)).collect();
            return match words.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.clone(),
                _ => format!("one of {}", some(words.into_iter())),
            };
        }
        if kinds == Kinds::ALL {
            return "any value".to_owned();
        }
        let names = kinds.names().into_iter().map(|name| match name.as_str() {
            "array" => self.list(conj),
            "integer" | "number" => format!("{name}{}", self.range(conj)),
            _ => name,
        });
        names.collect::<Vec<_>>().join(" or ")
    }

    fn list(self, conj: &[NodeId]) -> String {
        let items: Conj = self.nodes(conj).filter_map(|node| node.array.as_ref()?.items).collect();
        let kinds = self.nodes(&items).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        match kinds.names().as_slice() {
            [only] if !items.is_empty() => format!("list of {only}"),
            _ => "list".to_owned(),
        }
    }

    fn range(self, conj: &[NodeId]) -> String {
        let rules: Vec<&NumberRules> = self.nodes(conj).filter_map(|node| node.number.as_deref()).collect();
        let lower = rules.iter().find_map(|rules| rules.lower.first());
        let upper = rules.iter().find_map(|rules| rules.upper.first());
        match (lower, upper) {
            (Some(lower), Some(upper)) => format!(" {} to {}", shown_word(&lower.literal), shown_word(&upper.literal)),
            (Some(lower), None) => format!(" from {}", shown_word(&lower.literal)),
            (None, Some(upper)) => format!(" up to {}", shown_word(&upper.literal)),
            (None, None) => String::new(),
        }
    }
}

struct TagLabels {
    key: usize,
    /// For each form the words that select it.
    labels: Vec<String>,
}

fn label(words: &[String]) -> String {
    some_joined(words.iter().cloned(), "|")
}

/// Whether forms that share a word share all.
fn are_apart(words: &[Vec<String>], labels: &[String]) -> bool {
    let mut owner: HashMap<&str, &str> = HashMap::new();
    words.iter().zip(labels).all(|(words, label)| words.iter().all(|word| *owner.entry(word).or_insert(label) == label))
}

/// Names that each form needs and may have, beyond what all need and may have.
struct Forms {
    /// In the order of the contract; a form without a tag has no label.
    forms: Vec<Form>,
    count: usize,
    /// What every form needs beside the key that selects it.
    all_need: Vec<String>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct Form {
    labels: Vec<String>,
    needs: Vec<String>,
    may: Vec<String>,
}

impl Forms {
    fn of(keys: &[Key<'_>], required: &Required<'_>, tag: Option<usize>, labels: &[String]) -> Self {
        let count = required.forms();
        let mut forms = vec![Form::default(); count];
        let mut all_need = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let is_tag = tag == Some(index);
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
        Forms { forms: same_together(merged), count, all_need }
    }

    fn told(&self, tag: Option<&str>) -> Told {
        let nothing = self.forms.iter().all(|form| form.needs.is_empty() && form.may.is_empty());
        let head = |head: String| Told { head, ..Told::default() };
        match tag {
            Some(tag) if nothing && self.all_need.is_empty() => head(format!("{} selects the form.", ticked(tag))),
            Some(tag) if nothing => {
                head(format!("{} selects the form; all need {}.", ticked(tag), self.all_need.join(", ")))
            }
            Some(tag) => {
                self.lines(format!("{} selects the form.", ticked(tag)), |_, form| form.labels.join("|") + ":")
            }
            None if nothing => Told::default(),
            None => self.untagged(),
        }
    }

    fn lines(&self, head: String, label: impl Fn(usize, &Form) -> String) -> Told {
        let line = |(number, form): (usize, &Form)| {
            let label = label(number, form);
            (format!("{label} {}.", form.says()), format!("{label} {}.", form.says_needs()))
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
        if alone.len() == self.forms.len() && self.forms.len() == self.count && alone.len() > 1 {
            let excludes = self.forms.iter().all(|form| !form.may.iter().any(|name| alone.contains(&name)));
            let how = if excludes { "exactly" } else { "at least" };
            let head = format!("Give {how} one of {}.", some(alone.into_iter().cloned()));
            return Told { head, ..Told::default() };
        }
        self.lines(format!("One of {} forms:", self.forms.len()), |number, _| format!("({})", number + 1))
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
        for name in may {
            if !self.may.contains(&name) && !self.needs.contains(&name) {
                self.may.push(name);
            }
        }
    }

    fn says_needs(&self) -> String {
        if self.needs.is_empty() { "nothing more".to_owned() } else { format!("needs {}", self.needs.join(", ")) }
    }

    fn says(&self) -> String {
        match (self.needs.is_empty(), self.may.is_empty()) {
            (_, true) => self.says_needs(),
            (true, false) => format!("may have {}", self.may.join(", ")),
            (false, false) => format!("needs {}; may have {}", self.needs.join(", "), self.may.join(", ")),
        }
    }
}

/// Forms that need and may have the same are told once.
fn same_together(forms: Vec<Form>) -> Vec<Form> {
    let mut index: HashMap<(Vec<String>, Vec<String>), usize> = HashMap::new();
    let mut together: Vec<Form> = Vec::new();
    for form in forms {
        let next = together.len();
        let at = *index.entry((form.needs.clone(), form.may.clone())).or_insert(next);
        match together.get_mut(at) {
            Some(twin) => twin.labels.extend(form.labels),
            None => together.push(form),
        }
    }
    together
}

/// A name as it stands in a sentence.
pub(super) fn ticked(name: &str) -> String {
    format!("`{}`", shown_word(name).replace('`', "'"))
}

fn quoted_pattern(source: &str) -> String {
    if source.chars().count() > PATTERN_MAX_CHARS {
        return "a further pattern".to_owned();
    }
    format!("`{}`", clean(source, PATTERN_MAX_CHARS).replace('`', "'"))
}

/// The first words of a list, and how many more there are.
fn some(words: impl ExactSizeIterator<Item = String>) -> String {
    some_joined(words, ", ")
}

fn some_joined(words: impl ExactSizeIterator<Item = String>, between: &str) -> String {
    let count = words.len();
    let mut text = words.take(WORDS_MAX).collect::<Vec<_>>().join(between);
    if count > WORDS_MAX {
        text.push_str(&format!("{between}{} more", count - WORDS_MAX));
    }
    text
}

/// Foreign text without control, bidirectional and invisible characters, cut at a number of characters.
pub(super) fn clean(text: &str, max_chars: usize) -> String {
    let is_kept = |ch: &char| matches!(ch, '\n' | '\t') || !is_unseen(*ch);
    let cleaned: String = text.trim().chars().filter(is_kept).take(max_chars + 1).collect();
    cut(cleaned, max_chars)
}

/// The first characters of a text; one that is cut says so.
pub(super) fn cut(text: String, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text;
    }
    let mut short: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::Told;
    use crate::contract::Contract;
    use crate::profile::Profile;
    use crate::tool_set::RootPolicy;

    #[test]
    fn a_tag_inside_a_form_tells_its_forms_apart() {
        let form = |a: &str, b: &str, need: &str| {
            format!(
                r#"{{"type":"object","properties":{{"a":{{"const":"{a}"}},"b":{{"const":"{b}"}},"{need}":{{}}}},"required":["a","b","{need}"],"additionalProperties":false}}"#
            )
        };
        let lone =
            r#"{"type":"object","properties":{"a":{"const":"z"}},"required":["a"],"additionalProperties":false}"#;
        let schema =
            format!(r#"{{"oneOf":[{{"oneOf":[{},{}]}},{lone}]}}"#, form("x", "p", "one"), form("x", "q", "two"));
        let contract = Contract::from_text(&schema).unwrap();
        let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
        let expected =
            "`a` selects the form. x, `b` = p: needs `b`, `one`. x, `b` = q: needs `b`, `two`. z: nothing more.";
        assert!(shown.contains(expected), "{shown}");
    }

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
