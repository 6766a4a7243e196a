//! What is said in words where the shape cannot say it (R7.4): which word selects which form, what a key means there, and
//! rules that only the judge knows. Deterministic, in the order of the contract.

mod apart;
mod brief;
mod conditions;
mod forms;
mod not;
mod text;

use super::flat::{Key, Meaning, Required, Sides};
use super::states::{Alternative, Conj};
use crate::decimal::Decimal;
use crate::json::{Kind, Slot};
use crate::location::shown_word;
use crate::normalize::overlay::push_one_line;
use crate::schema::kinds::Kinds;
use crate::schema::values::same;
use crate::schema::{Node, NodeId, Schema};
use crate::validate::{Validator, Work};
use apart::Apart;
pub(super) use forms::Told;
use forms::{FORMS_MAX, Forms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, HashMap, HashSet};
use text::{capital, quoted_pattern, sentence_word, some, some_joined};
pub(super) use text::{clean, cut, fenced, ticked};

/// Characters of one text of the author's.
const OWN_MAX_CHARS: usize = 4_096;
/// Texts of the author's at one place.
const OWN_MAX: usize = 8;
/// Words of a list that are shown.
const WORDS_MAX: usize = 8;
/// In a few words, what admits everything.
const ANY_VALUE: &str = "any value";
/// Characters of a list or an object that is quoted.
const VALUE_MAX_CHARS: usize = 80;
/// Characters of a pattern that is quoted.
const PATTERN_MAX_CHARS: usize = 80;

/// The words that select a form, by what holds in it.
pub(super) type Labels = FxHashMap<Conj, String>;

/// How the forms of a joined object are told apart.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// The key whose value selects the form.
    pub(super) tag: Option<String>,
    pub(super) told: Told,
    /// The words that select each form.
    pub(super) labels: Labels,
    meanings: FxHashMap<usize, (String, bool)>,
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

    /// The authors' texts of a place, each once; what is said of one of several forms alone, under the words that select it.
    pub(super) fn own_texts(self, alternatives: &[Alternative], labels: &Labels) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let common: FxHashSet<NodeId> = common_nodes(alternatives.iter()).into_iter().collect();
        let lists = alternatives.iter().filter(|alternative| alternative.finite.is_some());
        let are_lists = lists.filter(|alternative| alternative.kinds != Kinds::NULL).count() > 1;
        for alternative in alternatives {
            let listed = alternative.finite.as_deref().filter(|_| are_lists).and_then(|listed| self.scalars(listed));
            let label =
                || listed.as_ref().map(|words| label(words)).or_else(|| labels.get(&alternative.nodes).cloned());
            for id in &alternative.nodes {
                for (own_label, slot) in self.described(*id) {
                    let text = clean(&self.schema.document.json.string(slot), OWN_MAX_CHARS);
                    if text.is_empty() || texts.len() >= OWN_MAX {
                        continue;
                    }
                    let text = under(own_label.or_else(|| label().filter(|_| !common.contains(id))), text);
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
            }
        }
        texts
    }

    /// Descriptions of a node's subschemas; what refers comes before what is referred to. Those of the members of a union that
    /// became one list of values come after them, each with its own values.
    fn described(self, id: NodeId) -> Vec<(Option<String>, Slot)> {
        let json = &self.schema.document.json;
        let description = |slot: Slot| json.member(slot, "description").filter(|text| json.kind(*text) == Kind::String);
        let sources = self.schema.sources(id);
        let mut found: Vec<(Option<String>, Slot)> = match sources {
            [only] => description(*only).map(|text| (None, text)).into_iter().collect(),
            _ => {
                let mut sources = sources.to_vec();
                sources
                    .sort_by_key(|slot| json.member(*slot, "$ref").is_none() && json.member(*slot, "allOf").is_none());
                sources.into_iter().filter_map(description).map(|text| (None, text)).collect()
            }
        };
        if !self.schema.node(id).unions.is_empty() {
            return found;
        }
        let is_union = |name: Slot| json.string_is(name, "anyOf") || json.string_is(name, "oneOf");
        let objects = sources.iter().copied().filter(|slot| json.kind(*slot) == Kind::Object);
        let unions = objects.flat_map(|slot| json.members(slot)).filter(|(name, _)| is_union(*name));
        for (_, list) in unions {
            let members: Vec<(Option<String>, Slot)> = json
                .items(list)
                .filter_map(|member| description(member).map(|text| (self.listed_by(member), text)))
                .filter(|(label, _)| label.is_some() || found.is_empty())
                .collect();
            // `anyOf: [T, null]` speaks of one form, whatever its values are.
            let is_one = json.items(list).filter(|member| !self.is_null(*member)).count() < 2;
            found.extend(members.into_iter().map(|(label, text)| (label.filter(|_| !is_one), text)));
        }
        found
    }

    /// The scalars that a subschema lists itself, as words.
    fn listed_by(self, subschema: Slot) -> Option<String> {
        let json = &self.schema.document.json;
        let one = json.member(subschema, "const").map(|value| vec![value]);
        let slots = one.or_else(|| json.member(subschema, "enum").map(|list| json.items(list).collect()))?;
        self.scalars(&slots).map(|words| label(&words))
    }

    fn is_null(self, subschema: Slot) -> bool {
        let json = &self.schema.document.json;
        let says =
            |keyword: &str, value: &str| json.member(subschema, keyword).is_some_and(|slot| json.raw(slot) == value);
        says("type", "\"null\"") || says("const", "null")
    }

    /// An annotation of the first subschema that has it.
    pub(super) fn annotation(self, alternative: &Alternative, name: &str) -> Option<Slot> {
        let json = &self.schema.document.json;
        let sources = alternative.nodes.iter().flat_map(|id| self.schema.sources(*id));
        sources.filter(|slot| json.kind(**slot) == Kind::Object).find_map(|slot| json.member(*slot, name))
    }

    /// The default of a place: what refers says it before what is referred to. Of several that differ none is shown, or it would
    /// depend on the order in which a document is written.
    pub(super) fn default(self, alternative: &Alternative) -> Option<Slot> {
        let json = &self.schema.document.json;
        let sources = alternative.nodes.iter().flat_map(|id| self.schema.sources(*id)).copied();
        let sources = sources.filter(|slot| json.kind(*slot) == Kind::Object);
        let found: Vec<(bool, Slot)> = sources
            .filter_map(|slot| {
                let refers = json.member(slot, "$ref").is_some() || json.member(slot, "allOf").is_some();
                json.member(slot, "default").map(|default| (refers, default))
            })
            .collect();
        let first = found.iter().find(|(refers, _)| *refers).or(found.first())?;
        let rivals = found.iter().filter(|(refers, _)| *refers == first.0);
        let are_same = rivals.into_iter().all(|(_, other)| same(json, *other, json, first.1));
        are_same.then_some(first.1)
    }

    /// `x-mcp-header`, where every alternative has the same.
    pub(super) fn header(self, alternatives: &[Alternative]) -> Option<Slot> {
        let json = &self.schema.document.json;
        let (first, others) = alternatives.split_first()?;
        let header = self.annotation(first, "x-mcp-header")?;
        let is_same = |other: &Alternative| {
            self.annotation(other, "x-mcp-header").is_some_and(|other| json.raw(other) == json.raw(header))
        };
        others.iter().all(is_same).then_some(header)
    }

    /// Rules of every alternative that no flat schema says.
    pub(super) fn forgotten(self, alternatives: &[Alternative]) -> Vec<String> {
        let mut rules = Vec::new();
        for id in common_nodes(alternatives.iter()) {
            self.forgotten_of(self.schema.node(id), &mut rules);
        }
        rules
    }

    /// What the strings of a place match beside the one pattern that is shown.
    pub(super) fn patterns(self, alternatives: &[Alternative], shown: Option<u32>) -> Vec<String> {
        let source = |pattern: u32| self.schema.pattern(pattern).map(|pattern| pattern.source());
        let of = |alternative: &Alternative| {
            let strings = self.nodes(&alternative.nodes).filter_map(|node| node.string.as_deref());
            let mut sources: Vec<&str> =
                strings.flat_map(|string| &string.patterns).filter_map(|(pattern, _)| source(*pattern)).collect();
            sources.dedup();
            sources
        };
        let strings = || alternatives.iter().filter(|alternative| alternative.kinds.meets(Kinds::STRING));
        if strings().any(|alternative| alternative.finite.is_some()) {
            return Vec::new();
        }
        let each: Vec<Vec<&str>> = strings().map(of).collect();
        let Some((first, others)) = each.split_first() else { return Vec::new() };
        let shown = shown.and_then(source);
        let common = first.iter().filter(|source| others.iter().all(|other| other.contains(source)));
        let rules: Vec<String> = common
            .filter(|source| Some(**source) != shown)
            .map(|source| format!("matches {}", quoted_pattern(source)))
            .collect();
        if !rules.is_empty() || shown.is_some() || others.is_empty() || each.iter().any(Vec::is_empty) {
            return rules;
        }
        // Each form has its own.
        let mut either: Vec<String> =
            each.iter().filter_map(|sources| sources.first()).map(|source| quoted_pattern(source)).collect();
        either.dedup();
        if either.len() > WORDS_MAX { Vec::new() } else { vec![format!("matches {}", either.join(" or "))] }
    }

    /// The lists and objects that a place takes, where the contract names each.
    pub(super) fn compounds(self, alternatives: &[Alternative]) -> Option<String> {
        let json = &self.schema.document.json;
        let compounds = Kinds::ARRAY | Kinds::OBJECT;
        let mut values: Vec<String> = Vec::new();
        let mut kinds = Kinds::NONE;
        for alternative in alternatives {
            kinds |= alternative.kinds;
            if !alternative.kinds.meets(compounds) {
                continue;
            }
            let listed = alternative.finite.as_ref()?.iter();
            for slot in listed.filter(|slot| matches!(json.kind(**slot), Kind::Array | Kind::Object)) {
                let mut line = String::new();
                push_one_line(json.raw(*slot), &mut line);
                let value = clean(&line, VALUE_MAX_CHARS);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        if values.is_empty() {
            return None;
        }
        let whose = if compounds.has_all(kinds) { "One of these" } else { "A list or an object is one of these" };
        Some(format!("{whose}: {}.", some(values.into_iter())))
    }

    fn forgotten_of(self, node: &Node, rules: &mut Vec<String>) {
        for (inner, _) in &node.nots {
            rules.push(self.not(*inner));
        }
        if !node.opaques.is_empty() || node.is_dynamic {
            rules.push("further rules".to_owned());
        }
        if node.string.as_ref().is_some_and(|string| !string.formats.is_empty()) {
            rules.push("has its format".to_owned());
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
                let items = |count: u64| if count == 1 { "1 item is".to_owned() } else { format!("{count} items are") };
                match (contains.min, contains.max) {
                    (0, None) => {}
                    (0, Some(max)) => rules.push(format!("at most {} {what}", items(max))),
                    (min, _) => rules.push(format!("at least {} {what}{most}", items(min))),
                }
            }
            let positions = array.prefix.iter().take(WORDS_MAX);
            let positions: Vec<String> =
                positions.map(|node| node.map_or(ANY_VALUE.to_owned(), |node| self.brief(&[node]))).collect();
            if positions.iter().any(|position| position != ANY_VALUE) {
                rules.push(format!("in this order: {}", positions.join(", ")));
            }
            if !array.unevaluated.is_empty() {
                rules.push("rules for further items".to_owned());
            }
        }
        if let Some(object) = &node.object {
            for dependent in object.dependent_required.iter().filter(|dependent| !dependent.names.is_empty()) {
                let names: Vec<String> = dependent.names.iter().map(|name| ticked(name)).collect();
                rules.push(format!("with {} also {}", ticked(&dependent.trigger), names.join(", ")));
            }
            for (trigger, _) in &object.dependent_schemas {
                rules.push(format!("further rules with {}", ticked(trigger)));
            }
            for (pattern, node) in &object.patterns {
                let what = self.brief(&[*node]);
                if let Some(pattern) = self.schema.pattern(*pattern).filter(|_| what != ANY_VALUE) {
                    rules.push(format!("a name that matches {}: {what}", quoted_pattern(pattern.source())));
                }
            }
            let says_more = |node: &Node| node.values.is_empty() && (node.string.is_some() || node.has_whole());
            let open_names = object.names.iter().filter(|(node, _)| says_more(self.schema.node(*node)));
            rules.extend(open_names.map(|(node, _)| self.name_rule(*node)));
        }
    }

    /// What `propertyNames` asks of a name.
    fn name_rule(self, node: NodeId) -> String {
        let string = self.schema.node(node).string.as_deref();
        let patterns = string.iter().flat_map(|string| &string.patterns);
        let mut says: Vec<String> = patterns
            .filter_map(|(pattern, _)| self.schema.pattern(*pattern))
            .map(|pattern| format!("matches {}", quoted_pattern(pattern.source())))
            .collect();
        if let Some((min, _)) = string.and_then(|string| string.min) {
            says.push(format!("has at least {min} characters"));
        }
        if let Some((max, _)) = string.and_then(|string| string.max) {
            says.push(format!("has at most {max} characters"));
        }
        if says.is_empty() { "rules for every name".to_owned() } else { format!("every name {}", says.join(" and ")) }
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
    pub(super) fn variants(self, objects: &[&Alternative], sides: &Sides<'_, 's>) -> Option<Variants> {
        if objects.len() < 2 {
            return None;
        }
        let (keys, required) = (sides.keys, sides.required);
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
        let apart = if tag.is_none() { self.apart(objects, sides) } else { Apart::default() };
        let forms = Forms::of(sides, tag.as_ref().map(|tag| tag.key), &labels, &apart);
        let tag_name = tag.as_ref().and_then(|tag| keys.get(tag.key)).map(|key| key.name);
        let (mut told, mut are_numbered) = forms.told(tag_name);
        let conditions = if tag.is_none() { self.condition_between(objects, required) } else { None };
        if let Some(by_condition) =
            conditions.as_ref().and_then(|labels| forms.conditional(labels)).filter(|_| are_numbered)
        {
            told = by_condition;
        } else if tag.is_none()
            && let Some(rules) = self.conditions_of(objects, required)
        {
            (told, are_numbered) = (Told::of_lines(rules), false);
        }
        let selected = objects.iter().zip(labels.iter()).filter(|(_, label)| !label.is_empty());
        let labels = selected.map(|(object, label)| (object.nodes.clone(), label.clone())).collect();
        let mut variants = Variants { tag: tag_name.map(str::to_owned), told, labels, meanings: FxHashMap::default() };
        let named = match (&tag, tag_name) {
            (Some(tag), Some(name)) => Named::ByTag { name, labels: &tag.labels },
            _ if conditions.is_some() => Named::ByCondition(conditions.as_deref().unwrap_or_default()),
            _ if are_numbered => Named::ByNumber(&forms.numbers),
            _ => Named::Not,
        };
        let tested = if conditions.is_some() { self.tested_names(objects) } else { HashSet::new() };
        for (index, key) in keys.iter().enumerate() {
            // What selects the form is told with the forms.
            let is_tag = tag.as_ref().is_some_and(|tag| tag.key == index) || tested.contains(key.name);
            if let Some(meaning) = self.meaning(key, sides, &named).filter(|_| !is_tag) {
                variants.meanings.insert(index, meaning);
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
        self.scalars(&self.listed(conj)?)
    }

    /// Values as words, where there are some and all are scalars.
    fn scalars(self, slots: &[Slot]) -> Option<Vec<String>> {
        let json = &self.schema.document.json;
        let is_scalar = |slot: &Slot| !matches!(json.kind(*slot), Kind::Array | Kind::Object);
        (!slots.is_empty() && slots.iter().all(is_scalar)).then(|| slots.iter().map(|slot| self.word(*slot)).collect())
    }

    /// The values that a conj lists, less those that another of its nodes refuses.
    fn listed(self, conj: &[NodeId]) -> Option<Vec<Slot>> {
        /// Steps of one such question; past them a value counts as admitted.
        const STEPS_MAX: u64 = 50_000;
        let json = &self.schema.document.json;
        let listed = self.nodes(conj).flat_map(|node| &node.values).min_by_key(|values| values.slots.len())?;
        let mut work = Work::new(STEPS_MAX);
        let mut validator = Validator::new(self.schema, json, &mut work, false);
        let slots = listed.slots.iter().copied();
        let admits = |slot: &Slot| conj.iter().all(|id| validator.admits(*id, *slot)) || validator.work.is_exhausted();
        Some(slots.filter(admits).collect())
    }

    fn word(self, slot: Slot) -> String {
        let json = &self.schema.document.json;
        match json.kind(slot) {
            Kind::String => sentence_word(&json.string(slot)),
            Kind::Array => "a list".to_owned(),
            Kind::Object => "an object".to_owned(),
            // `1` and `1.0` are one value (R1.3).
            Kind::Number => shown_word(&Decimal::read(json.raw(slot)).canonical()),
            _ => shown_word(json.raw(slot)),
        }
    }

    /// What a key is in the forms that have it; with the author's texts where those differ, or where nothing else is shown of
    /// the key.
    fn meaning(self, key: &Key<'s>, sides: &Sides<'_, 's>, named: &Named<'_>) -> Option<(String, bool)> {
        let (forms, is_widened, is_elsewhere) =
            (sides.required.forms(), sides.is_widened(key), sides.is_elsewhere(key));
        let mut groups: Vec<Group> = Vec::new();
        for (form, conj) in &key.at {
            let (shape, text) = (self.brief(conj), self.texts(conj));
            match groups.iter_mut().find(|group| group.shape == shape && group.text == text) {
                None => groups.push(Group { shape, text, forms: vec![*form], labels: Vec::new() }),
                Some(group) => group.forms.push(*form),
            }
        }
        if matches!(groups.as_slice(), [_] if key.at.len() == forms && !is_widened) {
            return None;
        }
        groups.iter_mut().for_each(|group| group.name(named));
        let says_texts = groups.windows(2).any(|pair| matches!(pair, [left, right] if left.text != right.text));
        let says_texts = says_texts || is_widened;
        let one = |group: &Group| {
            let shape = if group.shape == ANY_VALUE && groups.len() == 1 { "" } else { &group.shape };
            let text = if says_texts { group.text.trim_end_matches('.') } else { "" };
            let between = if shape.is_empty() || text.is_empty() { "" } else { ", " };
            format!("{shape}{between}{text}")
        };
        let meaning = match groups.as_slice() {
            groups if groups.len() > FORMS_MAX => return None,
            [] => return None,
            [group] => match (named.with(&group.labels), one(group)) {
                (Some(with), says) if (is_widened || is_elsewhere) && !says.is_empty() => {
                    format!("{}: {says}.", capital(&with))
                }
                (Some(with), _) if named.is_tag() && !is_elsewhere => format!("Only {with}."),
                (None, says) if is_widened && !says.is_empty() => format!("Meant: {says}."),
                _ => return None,
            },
            groups => {
                let lines = by_label(groups, one).into_iter().map(|(labels, says)| match named.with(&labels) {
                    Some(with) => format!("{}: {says}.", capital(&with)),
                    None => says,
                });
                let lines = lines.collect::<Vec<_>>();
                match named {
                    // The forms have no names here; what each kind of value is, is said of the value.
                    Named::Not if !is_widened => return None,
                    Named::Not => format!("Meant: {}.", lines.join(" or ")),
                    _ => lines.join(" "),
                }
            }
        };
        Some((meaning, says_texts))
    }

    fn texts(self, conj: &Conj) -> String {
        let json = &self.schema.document.json;
        let described = conj.iter().flat_map(|id| self.described(*id));
        let text = |(label, slot): (Option<String>, Slot)| under(label, clean(&json.string(slot), OWN_MAX_CHARS));
        let mut texts: Vec<String> = described.map(text).collect();
        texts.dedup();
        texts.join(" ")
    }
}

/// The nodes that hold in all of these, in the order of the first.
fn common_nodes<'a>(forms: impl Iterator<Item = &'a Alternative> + Clone) -> Vec<NodeId> {
    let mut counts: FxHashMap<NodeId, usize> = FxHashMap::default();
    for id in forms.clone().flat_map(|form| &form.nodes) {
        *counts.entry(*id).or_default() += 1;
    }
    let first = forms.clone().next().map_or(&[][..], |form| &form.nodes);
    let all = forms.count();
    first.iter().copied().filter(|id| counts.get(id) == Some(&all)).collect()
}

/// How the forms of an object are called where a key tells what it is in each.
enum Named<'l> {
    ByTag {
        name: &'l str,
        labels: &'l [String],
    },
    /// By their numbers in the list of forms.
    ByNumber(&'l [usize]),
    /// By whether a condition holds.
    ByCondition(&'l [String]),
    Not,
}

impl Named<'_> {
    fn is_tag(&self) -> bool {
        matches!(self, Named::ByTag { .. })
    }

    fn label(&self, form: usize) -> Option<String> {
        match self {
            Named::ByTag { labels, .. } => Some(labels.get(form).cloned().unwrap_or_default()),
            Named::ByNumber(numbers) => numbers.get(form).map(|number| format!("({})", number + 1)),
            Named::ByCondition(labels) => labels.get(form).cloned(),
            Named::Not => None,
        }
    }

    fn with(&self, labels: &[String]) -> Option<String> {
        let labels = || some(labels.iter().cloned());
        match self {
            Named::ByTag { name, .. } => Some(format!("with {} = {}", ticked(name), labels())),
            Named::ByNumber(_) => Some(format!("in {}", labels())),
            Named::ByCondition(_) => Some(labels()),
            Named::Not => None,
        }
    }
}

/// Forms in which a key is the same.
struct Group {
    shape: String,
    text: String,
    forms: Vec<usize>,
    /// How those are called, each name once.
    labels: Vec<String>,
}

impl Group {
    fn name(&mut self, named: &Named<'_>) {
        for label in self.forms.iter().filter_map(|form| named.label(*form)) {
            if !self.labels.contains(&label) {
                self.labels.push(label);
            }
        }
    }
}

/// The meanings of a key with the forms in which it has each. Forms of one name may differ: each name is told once, with all that
/// the key may be there.
fn by_label(groups: &[Group], says: impl Fn(&Group) -> String) -> Vec<(Vec<String>, String)> {
    let mut of_label: Vec<(&String, Vec<usize>)> = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        for label in &group.labels {
            match of_label.iter_mut().find(|(known, _)| *known == label) {
                Some((_, meanings)) => meanings.push(index),
                None => of_label.push((label, vec![index])),
            }
        }
    }
    let mut lines: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    for (label, meanings) in of_label {
        match lines.iter_mut().find(|(_, known)| *known == meanings) {
            Some((labels, _)) => labels.push(label.clone()),
            None => lines.push((vec![label.clone()], meanings)),
        }
    }
    let without_name = groups.iter().enumerate().filter(|(_, group)| group.labels.is_empty());
    lines.extend(without_name.map(|(index, _)| (Vec::new(), vec![index])));
    let said = |meanings: Vec<usize>| {
        let said = meanings.into_iter().filter_map(|index| groups.get(index)).map(&says);
        said.collect::<Vec<_>>().join(" or ")
    };
    lines.into_iter().map(|(labels, meanings)| (labels, said(meanings))).collect()
}

struct TagLabels {
    key: usize,
    /// For each form the words that select it.
    labels: Vec<String>,
}

/// An author's text under the words that it speaks of.
fn under(label: Option<String>, text: String) -> String {
    match label {
        Some(label) => format!("{label}: {text}"),
        None => text,
    }
}

fn label(words: &[String]) -> String {
    some_joined(words.iter().cloned(), "|")
}

/// Whether forms that share a word share all.
fn are_apart(words: &[Vec<String>], labels: &[String]) -> bool {
    let mut owner: HashMap<&str, &str> = HashMap::new();
    words.iter().zip(labels).all(|(words, label)| words.iter().all(|word| *owner.entry(word).or_insert(label) == label))
}

#[cfg(test)]
mod tests;
