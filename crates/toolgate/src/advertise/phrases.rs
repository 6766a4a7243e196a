//! What is said in words where the shape cannot say it (R7.4): which word selects which form, what a key means there, and
//! rules that only the judge knows. Deterministic, in the order of the contract.

mod forms;
mod not;

use super::flat::{Key, Meaning, Required, Sides};
use super::join::{End, NumberRange};
use super::states::{Alternative, Conj};
use crate::decimal::Decimal;
use crate::json::{Kind, Slot};
use crate::location::{is_unseen, shown_word};
use crate::normalize::overlay::push_one_line;
use crate::schema::kinds::Kinds;
use crate::schema::values::same;
use crate::schema::{Count, Node, NodeId, Schema, UnionOp};
use crate::validate::{Validator, Work};
pub(super) use forms::Told;
use forms::{FORMS_MAX, Forms};
use not::asks_nothing;
use std::collections::{BTreeMap, HashMap, HashSet};

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

/// How the forms of a joined object are told apart.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// The key whose value selects the form.
    pub(super) tag: Option<String>,
    pub(super) told: Told,
    meanings: HashMap<usize, (String, bool)>,
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
        let mut variants = Variants { tag: tag_name.map(str::to_owned), told, meanings: HashMap::new() };
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

    /// What a condition of the contract, whose branches these two forms are, asks for in words, and `Otherwise`.
    fn condition_between(self, objects: &[&Alternative], required: &Required<'s>) -> Option<Vec<String>> {
        let [first, second] = objects else { return None };
        let common = first.nodes.iter().filter(|id| second.nodes.contains(id));
        let conditions = common.flat_map(|id| &self.schema.node(*id).conditions);
        let mut found = conditions.filter_map(|condition| {
            let holds = [first, second].map(|form| form.nodes.contains(&condition.test));
            (holds[0] != holds[1]).then_some((condition.test, holds[0]))
        });
        let (test, holds_first) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let mut labels = vec![format!("Where {}", self.test(test, required)?), "Otherwise".to_owned()];
        if !holds_first {
            labels.reverse();
        }
        Some(labels)
    }

    /// The names of which conditions ask that one of the forms satisfies.
    fn tested_names(self, objects: &[&Alternative]) -> HashSet<&'s str> {
        let forms = || objects.iter().flat_map(|form| &form.nodes);
        let conditions = forms().flat_map(|id| &self.schema.node(*id).conditions);
        let tests: HashSet<NodeId> = conditions.map(|condition| condition.test).collect();
        let tested = forms().filter(|id| tests.contains(id)).filter_map(|id| self.schema.node(*id).object.as_deref());
        tested.flat_map(|object| &object.props).map(|prop| &*prop.name).collect()
    }

    /// What an object has to be for a condition to hold, where that is the words of some keys.
    fn test(self, test: NodeId, required: &Required<'s>) -> Option<String> {
        let node = self.schema.node(test);
        let object = node.object.as_deref().filter(|_| !node.has_whole() && node.values.is_empty())?;
        if !object.asks_of_names_alone() {
            return None;
        }
        let mut parts = Vec::new();
        for prop in &object.props {
            let words = prop.node.map(|node| Conj::from_slice(&[node])).and_then(|conj| self.words(&conj));
            match (words, prop.is_required || required.by_all(&prop.name)) {
                (Some(words), true) => parts.push(format!("{} = {}", ticked(&prop.name), label(&words))),
                (Some(words), false) => {
                    parts.push(format!("{} is {} or left out", ticked(&prop.name), label(&words)));
                }
                (None, true) if prop.node.is_none_or(|node| asks_nothing(self.schema.node(node))) => {
                    parts.push(format!("{} is there", ticked(&prop.name)));
                }
                _ => return None,
            }
        }
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// What each of several conditions asks for, where they are all that the forms differ in and can be said in words.
    fn conditions_of(self, objects: &[&Alternative], required: &Required<'s>) -> Option<Vec<String>> {
        let common = common_nodes(objects.iter().copied());
        let conditions = || self.nodes(&common).flat_map(|node| &node.conditions);
        let parts: HashSet<NodeId> = conditions()
            .flat_map(|condition| [Some(condition.test), condition.then, condition.otherwise])
            .flatten()
            .collect();
        let shared: HashSet<NodeId> = common.iter().copied().collect();
        let is_told = |id: &NodeId| parts.contains(id) || shared.contains(id);
        if objects.iter().any(|form| form.is_widened || !form.nodes.iter().all(is_told)) {
            return None;
        }
        let mut lines = Vec::new();
        for condition in conditions() {
            let test = self.test(condition.test, required)?;
            let says = |branch: Option<NodeId>| branch.and_then(|branch| self.branch(branch, required));
            match (says(condition.then), says(condition.otherwise)) {
                (Some(then), Some(otherwise)) => lines.push(format!("Where {test}: {then}; otherwise {otherwise}.")),
                (Some(then), None) => lines.push(format!("Where {test}: {then}.")),
                (None, Some(otherwise)) => lines.push(format!("Unless {test}: {otherwise}.")),
                (None, None) => {}
            }
        }
        (!lines.is_empty() && lines.len() <= FORMS_MAX).then_some(lines)
    }

    /// What one branch of a condition asks for; `None` for nothing.
    fn branch(self, branch: NodeId, required: &Required<'s>) -> Option<String> {
        let node = self.schema.node(branch);
        let object = node.object.as_deref();
        let props = || object.into_iter().flat_map(|object| &object.props);
        let (mut needs, mut without, mut says) = (Vec::new(), Vec::new(), Vec::new());
        for prop in props() {
            if prop.refused_by.is_some() || prop.node.is_some_and(|node| self.schema.node(node).is_dead) {
                without.push(ticked(&prop.name));
                continue;
            }
            if prop.is_required && !required.by_all(&prop.name) {
                needs.push(ticked(&prop.name));
            }
            let what = prop.node.map_or_else(|| ANY_VALUE.to_owned(), |node| self.brief(&[node]));
            if what != ANY_VALUE {
                says.push(format!("{} is {what}", ticked(&prop.name)));
            }
        }
        let mut parts = Vec::new();
        if !needs.is_empty() {
            parts.push(format!("needs {}", needs.join(", ")));
        }
        if !without.is_empty() {
            parts.push(format!("without {}", without.join(", ")));
        }
        parts.extend(says);
        let has_more = node.has_whole()
            || node.is_dynamic
            || !node.values.is_empty()
            || object.is_some_and(|object| !object.asks_of_names_alone() || !object.closings.is_empty());
        if has_more {
            parts.push("further rules".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// What keeps the forms of an object apart: only then may it be said that exactly one is given.
    fn apart(self, objects: &[&Alternative], sides: &Sides<'_, 's>) -> Apart {
        let by_union = self.are_apart_by_union(objects);
        let by_choice = by_union || self.are_branches(objects);
        let are_closed = objects
            .iter()
            .zip(sides.are_open)
            .all(|(form, is_open)| !is_open && (by_choice || self.closes_itself(&form.nodes)));
        Apart { are_closed, excludes: self.excludes(objects, sides, by_union, by_choice) }
    }

    /// Whether each form needs one key more than all do, and refuses that of every other.
    fn excludes(self, objects: &[&Alternative], sides: &Sides<'_, 's>, by_union: bool, by_choice: bool) -> bool {
        if objects.len() > FORMS_MAX {
            return false;
        }
        let mut alone: Vec<&Key<'s>> = Vec::new();
        for number in 0..objects.len() {
            let own = |key: &&Key<'s>| sides.required.by(number, key.name) && !sides.required.by_all(key.name);
            let mut keys = sides.keys.iter().filter(own);
            match (keys.next(), keys.next()) {
                (Some(only), None) => alone.push(only),
                _ => return false,
            }
        }
        if by_union && self.ask_only_names(objects) {
            return true;
        }
        let refuses = |number: usize, form: &Alternative, other: &Key<'s>| {
            let is_declared = other.at.binary_search_by_key(&number, |(at, _)| *at).is_ok();
            let is_closed = !is_declared && sides.are_open.get(number) == Some(&false);
            is_closed && by_choice || self.refuses_itself(&form.nodes, other.name)
        };
        objects.iter().enumerate().all(|(number, form)| {
            let own = alone.get(number).map(|key| key.name);
            alone.iter().filter(|key| Some(key.name) != own).all(|key| refuses(number, form, key))
        })
    }

    /// Whether the forms are members of one union of which exactly one may hold.
    fn are_apart_by_union(self, objects: &[&Alternative]) -> bool {
        let common = common_nodes(objects.iter().copied());
        let unions = self.nodes(&common).flat_map(|node| &node.unions);
        unions.filter(|union| union.op == UnionOp::One || union.tag.is_some()).any(|union| {
            let members: HashSet<NodeId> = union.members.iter().copied().collect();
            let mut chosen = HashSet::new();
            objects.iter().all(|form| {
                let mut of_form = form.nodes.iter().filter(|id| members.contains(id));
                let only = of_form.next().filter(|_| of_form.next().is_none());
                only.is_some_and(|only| chosen.insert(*only))
            })
        })
    }

    /// Whether the two forms are the branches of one condition.
    fn are_branches(self, objects: &[&Alternative]) -> bool {
        let [first, second] = objects else { return false };
        let common = first.nodes.iter().filter(|id| second.nodes.contains(id));
        let mut conditions = common.flat_map(|id| &self.schema.node(*id).conditions);
        conditions.any(|condition| first.nodes.contains(&condition.test) != second.nodes.contains(&condition.test))
    }

    /// Whether some node refuses every key that it does not declare, whatever else holds.
    fn closes_itself(self, nodes: &[NodeId]) -> bool {
        self.nodes(nodes)
            .filter_map(|node| node.object.as_deref())
            .any(|rules| rules.rests.iter().any(|rest| rest.node.is_none_or(|node| self.schema.node(node).is_dead)))
    }

    /// Whether some node refuses the key, whatever else holds.
    fn refuses_itself(self, nodes: &[NodeId], name: &str) -> bool {
        self.nodes(nodes).any(|node| {
            let own = node.object.as_deref().is_some_and(|rules| match rules.prop(name) {
                Some(prop) => prop.refused_by.is_some() || prop.node.is_some_and(|node| self.schema.node(node).is_dead),
                None => rules.rests.iter().any(|rest| rest.node.is_none() && rest.patterns.is_empty()),
            });
            own || node.nots.iter().any(|(inner, _)| self.asks_for_one(*inner, name))
        })
    }

    /// Whether the members that tell the forms apart ask for names and for nothing else, so that who gives two satisfies two.
    fn ask_only_names(self, objects: &[&Alternative]) -> bool {
        let common: HashSet<NodeId> = common_nodes(objects.iter().copied()).into_iter().collect();
        let mut own = objects.iter().flat_map(|form| &form.nodes).filter(|id| !common.contains(id));
        own.all(|id| {
            let node = self.schema.node(*id);
            let asks_names = node.object.as_deref().is_none_or(|object| self.asks_only_names(object));
            let is_plain = node.values.is_empty() && !node.has_whole() && !node.is_dynamic;
            let is_object = node.number.is_none() && node.string.is_none() && node.array.is_none();
            asks_names && is_plain && is_object && node.admits.meets(Kinds::OBJECT)
        })
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
        let slots = self.listed(conj)?;
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
            let label = named.label(*form);
            match groups.iter_mut().find(|group| group.shape == shape && group.text == text) {
                None => groups.push(Group { shape, text, labels: label.into_iter().collect() }),
                Some(group) => group.labels.extend(label.filter(|label| !group.labels.contains(label))),
            }
        }
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
            [_] if key.at.len() == forms && !is_widened => return None,
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
        let slots = conj.iter().flat_map(|id| self.described(*id));
        let mut texts: Vec<String> = slots.map(|slot| clean(&json.string(slot), OWN_MAX_CHARS)).collect();
        texts.dedup();
        texts.join(" ")
    }

    /// A conj in a few words: `integer 1 to 5`, `one of a, b`, `list of string`.
    pub(super) fn brief(self, conj: &[NodeId]) -> String {
        let kinds = self.nodes(conj).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        self.brief_of(conj, kinds, self.listed(conj).as_deref())
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
            return ANY_VALUE.to_owned();
        }
        let names = kinds.names().into_iter().map(|name| match name.as_str() {
            "array" => self.list(conj),
            "integer" | "number" => format!("{name}{}", self.range(conj)),
            "string" => format!("{name}{}", self.lengths(conj)),
            _ => name,
        });
        names.collect::<Vec<_>>().join(" or ")
    }

    fn list(self, conj: &[NodeId]) -> String {
        let items: Conj = self.nodes(conj).filter_map(|node| node.array.as_ref()?.items).collect();
        let kinds = self.nodes(&items).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        let rules = || self.nodes(conj).filter_map(|node| node.array.as_deref());
        let counts = counted(rules().map(|rules| (rules.min, rules.max)), "item");
        match kinds.names().as_slice() {
            [only] if !items.is_empty() => format!("list of {only}{}", counts.replacen(" of ", " with ", 1)),
            _ => format!("list{counts}"),
        }
    }

    fn range(self, conj: &[NodeId]) -> String {
        let NumberRange { lower, upper, step } =
            NumberRange::of_rules(self.nodes(conj).filter_map(|node| node.number.as_deref()));
        let said = |end: Option<End>, inclusive: &str, exclusive: &str| {
            end.map_or_else(String::new, |end| {
                format!(" {} {}", if end.is_exclusive { exclusive } else { inclusive }, shown_word(&end.literal))
            })
        };
        let ends = match (lower, upper) {
            (Some(lower), Some(upper)) if !lower.is_exclusive && !upper.is_exclusive => {
                format!(" {} to {}", shown_word(&lower.literal), shown_word(&upper.literal))
            }
            (lower, upper) => said(lower, "from", "above") + &said(upper, "up to", "below"),
        };
        let step = step.map_or_else(String::new, |step| format!(" in steps of {}", shown_word(&step)));
        ends + &step
    }

    /// How long the strings of a conj are and what they match.
    fn lengths(self, conj: &[NodeId]) -> String {
        let rules = || self.nodes(conj).filter_map(|node| node.string.as_deref());
        let mut said = counted(rules().map(|rules| (rules.min, rules.max)), "character");
        let patterns =
            rules().flat_map(|rules| &rules.patterns).filter_map(|(pattern, _)| self.schema.pattern(*pattern));
        let mut sources: Vec<&str> = patterns.map(|pattern| pattern.source()).collect();
        sources.dedup();
        let sources: Vec<String> = sources.into_iter().map(quoted_pattern).collect();
        if !sources.is_empty() {
            said.push_str(&format!(" that matches {}", sources.join(" and ")));
        }
        said
    }
}

/// The nodes that hold in all of these, in the order of the first.
fn common_nodes<'a>(forms: impl Iterator<Item = &'a Alternative> + Clone) -> Vec<NodeId> {
    let mut counts: HashMap<NodeId, usize> = HashMap::new();
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
    labels: Vec<String>,
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

/// What keeps the forms of an object apart.
#[derive(Clone, Copy, Debug, Default)]
struct Apart {
    /// No form takes what another declares.
    are_closed: bool,
    /// Each form needs one key more than all do, and refuses that of every other.
    excludes: bool,
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

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// A word of a list as it stands in a sentence: bare where it can be taken neither for a value of another kind nor for words of ours,
/// and otherwise in quotes.
fn sentence_word(word: &str) -> String {
    let is_inside = |ch: char| ch.is_alphanumeric() || "_-/.+#@$*%&~".contains(ch);
    let is_bare = word.chars().all(is_inside) && !word.ends_with('.') && !word.is_empty();
    let is_other_kind = matches!(word, "true" | "false" | "null") || word.parse::<f64>().is_ok();
    let shown = shown_word(word);
    if is_bare && !is_other_kind { shown } else { quoted_word(word, &shown) }
}

/// A word in quotes, as JSON has them; what cannot be seen is escaped already.
fn quoted_word(word: &str, shown: &str) -> String {
    let shown = if word.contains(is_unseen) { shown.to_owned() } else { shown.replace('\\', "\\\\") };
    format!("\"{}\"", shown.replace('"', "\\\""))
}

/// A name as it stands in a sentence.
pub(super) fn ticked(name: &str) -> String {
    fenced(&shown_word(name))
}

/// A text between backticks: more of them than stand together inside, as Markdown has it.
pub(super) fn fenced(text: &str) -> String {
    let inside = text.split(|ch| ch != '`').map(str::len).max().unwrap_or(0);
    if inside == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(inside + 1);
    format!("{fence} {text} {fence}")
}

/// How many there are in words: ` of 1 to 5 items`; nothing where any number is taken.
fn counted(rules: impl Iterator<Item = (Count, Count)>, what: &str) -> String {
    let (mut min, mut max) = (0, None::<u64>);
    for (least, most) in rules {
        min = min.max(least.map_or(0, |(least, _)| least));
        max = most.map_or(max, |(most, _)| Some(max.map_or(most, |max| max.min(most))));
    }
    let many = |count: u64| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    match (min, max) {
        (0, None) => String::new(),
        (min, None) => format!(" of at least {}", many(min)),
        (0, Some(max)) => format!(" of at most {}", many(max)),
        (min, Some(max)) if min == max => format!(" of {}", many(max)),
        (min, Some(max)) => format!(" of {min} to {}", many(max)),
    }
}

fn quoted_pattern(source: &str) -> String {
    if source.chars().count() > PATTERN_MAX_CHARS {
        return "a further pattern".to_owned();
    }
    fenced(&clean(source, PATTERN_MAX_CHARS))
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
    use super::{fenced, sentence_word};
    use crate::contract::{Arguments, Contract, Policy, UnknownKeys};
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

    /// The description at a pointer of what is shown of a schema, as written.
    fn description(schema: &str, pointer: &str) -> String {
        let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
        let contract = Contract::from_text_with(schema, &policy).unwrap();
        let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let place = shown.pointer(pointer).unwrap_or_else(|| panic!("{shown}"));
        place["description"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_key_that_an_open_form_widens_keeps_its_words() {
        let typed = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"description":"How many."},"m":{"type":"boolean"}}}"#;
        let schema = format!(r#"{{"type":"object","properties":{{"a":{{"anyOf":[{typed},{{"type":"object"}}]}}}}}}"#);
        let at = |pointer: &str| description(&schema, pointer);
        assert!(at("/properties/a").ends_with("At least one of 2 forms: (1) may have `n`, `m`. (2) any keys."));
        assert_eq!(at("/properties/a/properties/n"), "In (1): integer from 1, How many.");
        assert_eq!(at("/properties/a/properties/m"), "In (1): boolean.");
        let tagged = r#"{"oneOf":[
            {"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer","description":"How many."}},"required":["k"]},
            {"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}"#;
        assert_eq!(description(tagged, "/properties/n"), "With `k` = a: integer, How many.");
    }

    #[test]
    fn forms_that_take_other_keys_do_not_exclude_one_another() {
        let one_of = |closing: &str| {
            let form = |name: &str| {
                format!(
                    r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]{closing}}}"#
                )
            };
            description(&format!(r#"{{"anyOf":[{},{}]}}"#, form("a"), form("b")), "")
        };
        assert_eq!(one_of(r#","additionalProperties":false"#), "Give exactly one of `a`, `b`.");
        assert_eq!(one_of(""), "Give at least one of `a`, `b`.");
    }

    /// The description of the one property `a` with this schema.
    fn of_property(schema: &str) -> String {
        description(&format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#), "/properties/a")
    }

    #[test]
    fn listed_compounds_are_said_in_words() {
        assert_eq!(of_property(r#"{"enum":[[1, 2],{"x":1},[1,2]]}"#), r#"One of these: [1, 2], {"x":1}, [1,2]."#);
        let with_scalar = of_property(r#"{"enum":["auto",[0,0]]}"#);
        assert!(with_scalar.contains("A list or an object is one of these: [0,0]."), "{with_scalar}");
        // Beside a form that takes other lists they are no list of all.
        assert!(!of_property(r#"{"anyOf":[{"const":[1]},{"type":"array"}]}"#).contains("[1]"));
        let many: Vec<String> = (0..50).map(|n| format!("[{n}]")).collect();
        assert!(of_property(&format!(r#"{{"enum":[{}]}}"#, many.join(","))).ends_with("[7], 42 more."));
    }

    #[test]
    fn every_pattern_is_shown_or_said() {
        let both = r#"{"type":"string","pattern":"^a","allOf":[{"pattern":"b$"}]}"#;
        assert_eq!(of_property(both), "Also: matches `b$`. Matches `^a`.");
        let beside = r#"{"type":"string","pattern":"^a","anyOf":[{"pattern":"b$"},{"pattern":"c$"}]}"#;
        assert_eq!(of_property(beside), "Matches `^a`.");
        let either = r#"{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}"#;
        assert_eq!(of_property(either), "Also: matches `^a` or `^b`.");
        assert_eq!(of_property(r#"{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string"}]}"#), "");
    }

    #[test]
    fn what_a_value_may_not_be_is_said() {
        for (not, said) in [
            (r#"{"enum":["a","b"]}"#, "Also: not one of a, b."),
            (r#"{"pattern":"^x"}"#, "Also: does not match `^x`."),
            (r#"{"type":"integer","minimum":5}"#, "Also: not integer from 5."),
            (r#"{"type":"integer","minimum":1,"exclusiveMinimum":5}"#, "Also: not integer above 5."),
            (r#"{"allOf":[{"type":"integer","minimum":1},{"minimum":5}]}"#, "Also: not integer from 5."),
            (r#"{"required":["x","y"]}"#, "Also: not `x` and `y` together."),
            (
                r#"{"properties":{"x":{"const":1}},"required":["x","y"]}"#,
                "Also: not `x` and `y` together, where its rules hold.",
            ),
            (r#"{"required":["x"]}"#, "Also: not with `x`."),
            (r#"{"minimum":5}"#, "Also: a rule of what it may not be."),
            (r#"{"type":"integer","multipleOf":2}"#, "Also: a rule of what it may not be."),
            (r#"{"type":"number","exclusiveMinimum":5,"maximum":9}"#, "Also: not number above 5 up to 9."),
            (r#"{"type":"string","enum":["a",1]}"#, "Also: not a."),
            (r#"{"enum":["a","b"],"pattern":"^a"}"#, "Also: a rule of what it may not be."),
        ] {
            let said_of = of_property(&format!(r#"{{"description":"D.","not":{not}}}"#));
            assert_eq!(said_of, format!("D. {said}"));
        }
    }

    #[test]
    fn a_form_that_takes_a_key_without_declaring_it_is_not_left_out() {
        let said = |rest: &str| {
            let schema = format!(
                r#"{{"anyOf":[{{"type":"object","properties":{{"k":{{"const":"x"}},"w":{{"type":"integer"}}}},"required":["k"],"additionalProperties":false}},
                {{"type":"object","properties":{{"k":{{"const":"y"}}}},"required":["k"],"additionalProperties":{rest}}}]}}"#
            );
            (description(&schema, ""), description(&schema, "/properties/w"))
        };
        let (forms, own) = said("false");
        assert!(forms.contains("y: nothing more."), "{forms}");
        assert_eq!(own, "Only with `k` = x.");
        for rest in [r#"{"type":"integer"}"#, "{}"] {
            let (forms, own) = said(rest);
            assert!(forms.contains("y: needs nothing more."), "{forms}");
            assert_eq!(own, "With `k` = x: integer.");
        }
    }

    #[test]
    fn a_word_is_told_from_other_values_and_from_words_of_ours() {
        let form = |word: &str, more: &str| {
            format!(
                r#"{{"type":"object","properties":{{"k":{{"const":{word}}}{more}}},"required":["k"],"additionalProperties":false}}"#
            )
        };
        let forms = |words: [&str; 2]| {
            let [one, two] = words;
            description(&format!(r#"{{"oneOf":[{},{}]}}"#, form(one, r#","q":{}"#), form(two, "")), "")
        };
        assert_eq!(forms(["1", r#""1""#]), r#"`k` selects the form. 1: may have `q`. "1": nothing more."#);
        assert_eq!(
            forms([r#""x. y: needs `z`""#, r#""x|y""#]),
            r#"`k` selects the form. "x. y: needs `z`": may have `q`. "x|y": nothing more."#
        );
        assert_eq!(forms([r#""a.b/c-d""#, r#""é""#]), "`k` selects the form. a.b/c-d: may have `q`. é: nothing more.");
    }

    #[test]
    fn what_forms_of_one_name_take_is_told_together() {
        let form = |shape: &str| {
            format!(
                r#"{{"type":"object","properties":{{"t":{{"const":"z"}},"n":{shape}}},"required":["t"],"additionalProperties":false}}"#
            )
        };
        let other =
            r#"{"type":"object","properties":{"t":{"const":"y"}},"required":["t"],"additionalProperties":false}"#;
        let schema =
            format!(r#"{{"anyOf":[{},{},{other}]}}"#, form(r#"{"type":"string"}"#), form(r#"{"type":"integer"}"#));
        assert_eq!(description(&schema, "/properties/n"), "With `t` = z: string or integer.");
    }

    #[test]
    fn a_name_is_counted_once_among_those_to_choose_from() {
        let form = |name: &str, shape: &str| {
            format!(
                r#"{{"type":"object","properties":{{"{name}":{shape}}},"required":["{name}"],"additionalProperties":false}}"#
            )
        };
        let forms = [form("k", r#"{"type":"object"}"#), form("k", r#"{"type":"string"}"#), form("b", "{}")];
        let said = description(&format!(r#"{{"oneOf":[{}]}}"#, forms.join(",")), "");
        assert!(!said.contains("`k`, `k`"), "{said}");
    }

    #[test]
    fn the_branches_of_a_condition_are_told_by_it() {
        let conditional = |test: &str| {
            format!(
                r#"{{"type":"object","properties":{{"k":{{"type":"string"}},"n":{{"type":"integer"}}}},"additionalProperties":false,
                "if":{test},"then":{{"required":["n"]}}}}"#
            )
        };
        let said = |test: &str| description(&conditional(test), "");
        assert_eq!(
            said(r#"{"properties":{"k":{"enum":["x","y"]}},"required":["k"]}"#),
            "Where `k` = x|y: needs `k`, `n`. Otherwise: may have `k`, `n`."
        );
        assert!(said(r#"{"properties":{"k":{"const":"x"}}}"#).starts_with("Where `k` is x or left out: needs `n`"));
        assert!(said(r#"{"required":["k"]}"#).starts_with("Where `k` is there: needs `k`, `n`."));
        // What takes more words than that is told as forms.
        assert!(said(r#"{"properties":{"k":{"pattern":"^x"}},"required":["k"]}"#).starts_with("One of 2 forms"));
    }

    /// The description of what is shown under the default policy, which closes the root.
    fn of_closed_root(schema: &str) -> String {
        let contract = Contract::from_text(schema).unwrap();
        let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["description"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn exactly_one_is_said_where_two_are_refused() {
        let members = r#"[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}},"required":["c"]}]"#;
        let keys = r#""properties":{"b":{"type":"string"},"c":{"type":"string"}}"#;
        for (schema, how) in [
            // Both members may hold, and then both keys are known to what closes the root.
            (format!(r#"{{"type":"object","anyOf":{members}}}"#), "at least"),
            (format!(r#"{{"type":"object","anyOf":{members},"unevaluatedProperties":false}}"#), "at least"),
            (format!(r#"{{"type":"object","oneOf":{members}}}"#), "exactly"),
            (format!(r#"{{"type":"object",{keys},"oneOf":[{{"required":["b"]}},{{"required":["c"]}}]}}"#), "exactly"),
            (
                format!(
                    r#"{{"type":"object",{keys},"anyOf":[{{"required":["b"],"not":{{"required":["c"]}}}},{{"required":["c"],"not":{{"required":["b"]}}}}]}}"#
                ),
                "exactly",
            ),
            (
                format!(
                    r#"{{"type":"object",{keys},"anyOf":[{{"required":["b"],"properties":{{"c":false}}}},{{"required":["c"]}}]}}"#
                ),
                "at least",
            ),
        ] {
            assert_eq!(of_closed_root(&schema), format!("Give {how} one of `b`, `c`."), "{schema}");
            // As the judge has it.
            let both =
                Contract::from_text(&schema).unwrap().check(Arguments::from_text(r#"{"b":"x","c":"y"}"#)).is_ok();
            assert_eq!(both, how == "at least", "{schema}");
        }
    }

    #[test]
    fn a_tag_is_found_wherever_it_is_listed() {
        let said = "`kind` selects the form. a: needs `x`; may have `y`. b: needs `y`; may have `x`.";
        let base = r#""x":{"type":"string"},"y":{"type":"string"}},"required":["kind"]"#;
        let members = r#"[{"properties":{"kind":{"const":"a"}},"required":["x"]},{"properties":{"kind":{"const":"b"}},"required":["y"]}]"#;
        for kind in [r#"{"enum":["b","a"]}"#, r#"{"type":"string"}"#, r#"{"enum":["a","b","c"],"minLength":1}"#] {
            for keyword in ["oneOf", "anyOf"] {
                let schema =
                    format!(r#"{{"type":"object","properties":{{"kind":{kind},{base},"{keyword}":{members}}}"#);
                assert_eq!(of_closed_root(&schema), said, "{schema}");
            }
        }
    }

    #[test]
    fn several_conditions_are_told_one_by_one() {
        let said = |conditions: &str| {
            description(
                &format!(
                    r#"{{"type":"object","properties":{{"kind":{{"enum":["a","b","c"]}},"x":{{}},"y":{{}}}},"required":["kind"],{conditions}}}"#
                ),
                "",
            )
        };
        let test = |word: &str| format!(r#""if":{{"properties":{{"kind":{{"const":"{word}"}}}}}}"#);
        assert_eq!(
            said(&format!(
                r#""allOf":[{{{},"then":{{"required":["x"]}}}},{{{},"then":{{"required":["y"],"properties":{{"x":false}}}}}}]"#,
                test("a"),
                test("b")
            )),
            "Where `kind` = a: needs `x`. Where `kind` = b: needs `y`; without `x`."
        );
        assert_eq!(
            said(&format!(r#"{},"then":{{"required":["x"]}}"#, test("a"))),
            "Where `kind` = a: needs `x`. Otherwise: may have `x`."
        );
        assert_eq!(
            said(&format!(r#"{},"then":{{"required":["x"]}},"else":{{"required":["y"]}}"#, test("a"))),
            "Where `kind` = a: needs `x`; otherwise needs `y`."
        );
    }

    #[test]
    fn lengths_patterns_and_counts_are_told_by_form() {
        let of = |a: &str, b: &str| {
            let form = |word: &str, v: &str| {
                format!(r#"{{"properties":{{"t":{{"const":"{word}"}},"v":{v}}},"required":["t","v"]}}"#)
            };
            let schema = format!(r#"{{"type":"object","oneOf":[{},{}]}}"#, form("a", a), form("b", b));
            description(&schema, "/properties/v")
        };
        assert_eq!(
            of(r#"{"type":"string","maxLength":3}"#, r#"{"type":"string","minLength":5}"#),
            "With `t` = a: string of at most 3 characters. With `t` = b: string of at least 5 characters."
        );
        assert_eq!(
            of(r#"{"type":"string","pattern":"^x"}"#, r#"{"type":"array","minItems":1,"maxItems":1}"#),
            "With `t` = a: string that matches `^x`. With `t` = b: list of 1 item. Matches `^x`."
        );
        assert_eq!(
            of(
                r#"{"allOf":[{"type":"integer","minimum":1},{"minimum":5}]}"#,
                r#"{"allOf":[{"enum":["p","q"]},{"enum":["q","r"]}]}"#
            ),
            "With `t` = a: integer from 5. With `t` = b: q."
        );
    }

    #[test]
    fn two_spellings_of_a_number_are_one_word() {
        let form = |word: &str, need: &str| {
            format!(r#"{{"properties":{{"t":{{"const":{word}}},"{need}":{{}}}},"required":["t","{need}"]}}"#)
        };
        let said = |one: &str, two: &str| {
            description(&format!(r#"{{"type":"object","anyOf":[{},{}]}}"#, form(one, "x"), form(two, "y")), "")
        };
        assert!(said("1", "2").starts_with("`t` selects the form. 1: "), "{}", said("1", "2"));
        assert_eq!(said("1", "1.0"), "Give at least one of `x`, `y`.");
    }

    #[test]
    fn a_backtick_stands_as_it_is() {
        assert_eq!(fenced("a"), "`a`");
        assert_eq!(fenced("a`b"), "`` a`b ``");
        assert_eq!(fenced("```"), "```` ``` ````");
        assert_eq!(of_property(r#"{"type":"string","pattern":"(?=`)x"}"#), "Matches `` (?=`)x ``.");
        assert_eq!(sentence_word(r#"a "b" \ c"#), r#""a \"b\" \\ c""#);
    }

    #[test]
    fn rules_of_no_effect_are_not_told() {
        assert_eq!(description(r#"{"type":"object","dependentRequired":{"b":[]}}"#, ""), "");
        let none = r#"{"type":"array","contains":{"type":"integer"},"minContains":0}"#;
        assert_eq!(of_property(none), "");
        let most = r#"{"type":"array","contains":{"type":"integer"},"minContains":0,"maxContains":1}"#;
        assert_eq!(of_property(most), "Also: at most 1 item is integer.");
    }

    #[test]
    fn rules_that_ask_nothing_are_not_told() {
        let schema = r#"{"type":"object","patternProperties":{"^x":{}},"propertyNames":{"pattern":"^[a-z]","maxLength":9},
            "properties":{"a":{"type":"array","prefixItems":[{},true]},"b":{"type":"array","contains":{"type":"integer"},"minContains":2}}}"#;
        assert_eq!(description(schema, ""), "Also: every name matches `^[a-z]` and has at most 9 characters.");
        assert_eq!(description(schema, "/properties/a"), "");
        assert_eq!(description(schema, "/properties/b"), "Also: at least 2 items are integer.");
    }
}
