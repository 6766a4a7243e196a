//! The arguments as their author declared them, place by place: for whoever helps a person to write a call, as a command line
//! does. Says what may be written and judges nothing.

use crate::contract::Contract;
use crate::json::{Kind, Value};
use crate::location::pointer_names;
use crate::schema::kinds::Kinds;
use crate::schema::{Node, NodeId, ObjectRules, Prop, ROOT, Schema};
use std::collections::HashSet;

/// One place of the arguments, over every form that the schema has there: what *some* form declares. A tagged union's place
/// has the names of all its members.
///
/// # Example
///
/// ```
/// use toolgate::{Contract, json::Kind};
/// let contract = Contract::from_text(
///     r#"{"properties":{"seat":{"type":"string"},"rows":{"type":"array","items":{"type":"integer"}}},"required":["seat"]}"#,
/// )?;
/// let arguments = contract.outline();
/// let names: Vec<_> = arguments.members().iter().map(|member| (member.name, member.is_required)).collect();
/// assert_eq!(names, [("seat", true), ("rows", false)]);
/// assert!(arguments.member("rows").is_some_and(|rows| rows.names(Kind::Array) && !rows.admits(Kind::String)));
/// assert!(arguments.member("tail").is_none());
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline<'c> {
    schema: &'c Schema,
    /// The forms, each once. None where nothing is said of the place: it takes anything.
    nodes: Vec<NodeId>,
    /// Members of unions that were not chosen.
    left_out: Vec<NodeId>,
    /// It is inside of what is not to be shown.
    is_inside_secret: bool,
}

/// A name that some form of an object declares.
#[derive(Clone, Debug)]
pub struct Member<'c> {
    /// The name.
    pub name: &'c str,
    /// Whether every form of the object requires it.
    pub is_required: bool,
    /// What may stand there.
    pub place: Outline<'c>,
}

impl Contract {
    /// The place of the arguments themselves.
    pub fn outline(&self) -> Outline<'_> {
        Outline { schema: self.schema(), nodes: vec![ROOT], left_out: Vec::new(), is_inside_secret: false }
    }

    /// The pointers of [`Policy::list_text_keep`](crate::Policy::list_text_keep) that change nothing: at no such place has the
    /// schema a string beside a list (R5.5).
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Contract, Policy};
    /// let policy = Policy { list_text_keep: vec!["/body".into(), "/boby".into()], ..Policy::default() };
    /// let schema = r#"{"properties":{"body":{"type":["string","array"]}}}"#;
    /// let contract = Contract::from_text_with(schema, &policy)?;
    /// assert_eq!(contract.idle_list_text_keep(), ["/boby"]);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn idle_list_text_keep(&self) -> Vec<&str> {
        let is_idle = |pointer: &&str| {
            let place = pointer_names(pointer).fold(self.outline(), |place, name| place.inner(&name));
            place.nodes.is_empty() || !(place.admits(Kind::String) && place.names(Kind::Array))
        };
        self.policy().list_text_keep.iter().map(String::as_str).filter(is_idle).collect()
    }
}

impl<'c> Outline<'c> {
    /// Whether some form admits a value of this kind.
    pub fn admits(&self, kind: Kind) -> bool {
        self.kinds(|node| node.admits).meets(Kinds::of(kind))
    }

    /// Whether some form speaks of this kind, as against merely not excluding it: `{}` admits lists and names none.
    pub fn names(&self, kind: Kind) -> bool {
        let is_said = |node: &Node| if node.admits == Kinds::ALL { node.named } else { node.admits };
        let nodes = self.nodes.iter().map(|id| self.schema.node(*id));
        nodes.filter(|node| !node.is_dead).any(|node| is_said(node).meets(Kinds::of(kind)))
    }

    /// The words of `type` for what is admitted; none where anything is.
    pub fn kind_words(&self) -> Vec<&'static str> {
        let kinds = self.kinds(|node| node.admits);
        if kinds == Kinds::ALL { Vec::new() } else { kinds.words().collect() }
    }

    /// The shape of what may stand here, as [`Contract::skeleton`] has that of the arguments; no more than the kinds where it is not
    /// to be shown.
    ///
    /// # Example
    ///
    /// ```
    /// let schema = r#"{"properties":{"rows":{"type":"array","items":{"properties":{"a":{"type":"string"}},"type":"object"}}}}"#;
    /// let contract = toolgate::Contract::from_text(schema)?;
    /// assert_eq!(contract.outline().member("rows").map(|rows| rows.skeleton()), Some("[{ a?: string }]".to_owned()));
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn skeleton(&self) -> String {
        if self.nodes.is_empty() {
            return "any".to_owned();
        }
        if self.is_secret() {
            return self.kind_words().join(" | ");
        }
        let forms: Vec<NodeId> = self.nodes.iter().copied().filter(|id| !self.schema.node(*id).is_dead).collect();
        crate::skeleton::of_forms(self.schema, &forms)
    }

    /// The names that some form of an object declares here, in the schema's order.
    pub fn members(&self) -> Vec<Member<'c>> {
        let mut members: Vec<Member<'c>> = Vec::new();
        let mut seen = HashSet::new();
        let objects = self.objects();
        for prop in objects.iter().flat_map(|object| &object.props) {
            if prop.is_declared && seen.insert(&*prop.name) {
                let Some(place) = self.member_of(&objects, &prop.name) else { continue };
                members.push(Member { name: &prop.name, is_required: self.is_required(&prop.name), place });
            }
        }
        members
    }

    fn below(&self, nodes: Vec<NodeId>) -> Outline<'c> {
        Outline { schema: self.schema, nodes, left_out: Vec::new(), is_inside_secret: self.is_secret() }
    }

    /// The place of a name that some form of an object declares here.
    pub fn member(&self, name: &str) -> Option<Outline<'c>> {
        self.member_of(&self.objects(), name)
    }

    fn member_of(&self, objects: &[&'c ObjectRules], name: &str) -> Option<Outline<'c>> {
        let declared = |prop: &&Prop| prop.is_declared && prop.refused_by.is_none();
        let props = objects.iter().filter_map(|object| object.prop(name)).filter(declared);
        let mut is_declared = false;
        let mut nodes = Vec::new();
        for prop in props {
            is_declared = true;
            match prop.node {
                Some(node) if nodes.contains(&node) => {}
                Some(node) => nodes.push(node),
                None => return Some(self.below(Vec::new())),
            }
        }
        // A name that every form forbids is none that could be given.
        let is_possible = nodes.iter().any(|node| !self.schema.node(*node).is_dead);
        (is_declared && is_possible).then(|| self.below(nodes))
    }

    /// The place of an item of a list; of a tuple, all its slots as one.
    pub fn items(&self) -> Outline<'c> {
        let mut nodes = Vec::new();
        for id in self.in_place() {
            let Some(array) = &self.schema.node(id).array else { continue };
            for item in array.prefix.iter().flatten().chain(array.items.iter()) {
                if !nodes.contains(item) {
                    nodes.push(*item);
                }
            }
        }
        self.below(nodes)
    }

    /// The place of an undeclared name, where all of them are spoken of in one way, as in a map.
    pub fn rest(&self) -> Option<Outline<'c>> {
        let objects = self.objects();
        let mut rests = objects.iter().flat_map(|object| &object.rests).filter_map(|rest| rest.node);
        let first = rests.next()?;
        rests.all(|other| other == first).then(|| self.below(vec![first]))
    }

    /// This place under each member of a union, with what is said beside the union; none where no union leaves a choice. Of several
    /// unions the first chooses, and each of its places has the forms of the next.
    ///
    /// # Example
    ///
    /// ```
    /// let schema = r#"{"type":"object","properties":{"id":{}},"anyOf":[
    ///     {"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}"#;
    /// let contract = toolgate::Contract::from_text(schema)?;
    /// let forms = contract.outline().forms();
    /// let names = forms.iter().map(|form| form.members().iter().map(|member| member.name).collect::<Vec<_>>());
    /// assert_eq!(names.collect::<Vec<_>>(), [["id", "a"], ["id", "b"]]);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn forms(&self) -> Vec<Outline<'c>> {
        let is_open = |id: &NodeId| !self.schema.node(*id).is_dead && !self.left_out.contains(id);
        let unions = self.in_place().into_iter().flat_map(|id| &self.schema.node(id).unions);
        let mut choices = unions.map(|union| union.members.iter().copied().filter(is_open).collect::<Vec<_>>());
        let Some(members) = choices.find(|members| members.len() > 1) else { return Vec::new() };
        let but = |chosen: NodeId| {
            let others = members.iter().copied().filter(move |member| *member != chosen);
            Outline { left_out: self.left_out.iter().copied().chain(others).collect(), ..self.clone() }
        };
        members.iter().map(|member| but(*member)).collect()
    }

    /// What some form says of the member or item that this segment of a pointer names. Without nodes where none says anything.
    fn inner(&self, segment: &str) -> Outline<'c> {
        let objects = self.objects();
        let props = objects.iter().filter_map(|object| object.prop(segment)).filter_map(|prop| prop.node);
        let rests = objects.iter().flat_map(|object| &object.rests).filter_map(|rest| rest.node);
        let items = segment.parse::<usize>().map_or(Vec::new(), |_| self.items().nodes);
        let mut nodes: Vec<NodeId> = props.chain(rests).chain(items).collect();
        nodes.sort_unstable();
        nodes.dedup();
        self.below(nodes)
    }

    /// The value of an annotation, such as `description` or `default`, where the schema has it at this place.
    pub fn annotation(&self, keyword: &str) -> Option<Value<'c>> {
        let sources = self.nodes.iter().flat_map(|id| self.schema.sources(*id));
        sources.filter_map(|slot| self.schema.document.json.value_at(*slot).get(keyword)).next()
    }

    /// The values of which one must be given, where all forms list theirs, as JSON; empty where they do not, or where they are
    /// not to be shown.
    pub fn words(&self) -> Vec<&'c str> {
        let mut words = Vec::new();
        if self.is_inside_secret {
            return words;
        }
        for id in &self.nodes {
            let node = self.schema.node(*id);
            let Some(values) = node.values.first().filter(|_| !node.is_secret) else { return Vec::new() };
            for word in values.slots.iter().map(|slot| self.schema.document.json.value_at(*slot).text()) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words
    }

    /// Whether what stands here is not to be shown: `writeOnly` or `format: password`, of the place itself or of one around it.
    pub fn is_secret(&self) -> bool {
        self.is_inside_secret || self.nodes.iter().any(|id| self.schema.node(*id).is_secret)
    }

    fn kinds(&self, of: impl Fn(&Node) -> Kinds) -> Kinds {
        if self.nodes.is_empty() {
            return Kinds::ALL;
        }
        let nodes = self.nodes.iter().map(|id| self.schema.node(*id)).filter(|node| !node.is_dead);
        nodes.fold(Kinds::NONE, |kinds, node| kinds | of(node))
    }

    /// All forms, and what speaks of the same value beside them; what is only asked or excluded is no form.
    fn in_place(&self) -> Vec<NodeId> {
        let mut forms = Vec::new();
        let mut seen: HashSet<NodeId> = self.left_out.iter().copied().collect();
        let mut todo: Vec<NodeId> = self.nodes.iter().rev().copied().collect();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            forms.push(id);
            let node = self.schema.node(id);
            let unions = node.unions.iter().flat_map(|union| union.members.iter().copied());
            let conditions =
                node.conditions.iter().flat_map(|condition| condition.then.into_iter().chain(condition.otherwise));
            let dependents =
                node.object.iter().flat_map(|object| object.dependent_schemas.iter().map(|(_, inner)| *inner));
            let inner: Vec<NodeId> = unions.chain(conditions).chain(dependents).collect();
            todo.extend(inner.into_iter().rev());
        }
        forms
    }

    fn objects(&self) -> Vec<&'c ObjectRules> {
        self.in_place().into_iter().filter_map(|id| self.schema.node(id).object.as_deref()).collect()
    }

    fn is_required(&self, name: &str) -> bool {
        self.nodes.iter().all(|id| self.requires(*id, name, 0))
    }

    /// Whether one form requires the name, by itself or in every member of a union.
    fn requires(&self, id: NodeId, name: &str, depth: usize) -> bool {
        /// Unions inside unions that are looked through.
        const DEPTH_MAX: usize = 8;
        let node = self.schema.node(id);
        let by_itself = node.object.as_ref().and_then(|object| object.prop(name)).is_some_and(|prop| prop.is_required);
        let is_chosen = |member: &&NodeId| !self.left_out.contains(member);
        let requires = |member: &NodeId| self.requires(*member, name, depth + 1);
        let mut unions = node.unions.iter().filter(|union| !union.members.is_empty());
        by_itself || depth < DEPTH_MAX && unions.any(|union| union.members.iter().filter(is_chosen).all(requires))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn outline(schema: &str, pointer: &str, expected: &str) {
        let contract = Contract::from_text(schema).unwrap();
        let mut place = Some(contract.outline());
        for name in pointer.split('/').skip(1) {
            place = place.and_then(|place| if name == "*" { Some(place.items()) } else { place.member(name) });
        }
        let told = place.map_or("nothing".to_owned(), |place| {
            let names = place.members().into_iter();
            let names = names.map(|member| format!("{}{}", member.name, if member.is_required { "!" } else { "" }));
            format!("{} {{{}}}", place.kind_words().join("|"), names.collect::<Vec<_>>().join(" "))
        });
        assert_eq!(told.trim(), expected, "{pointer} of {schema}");
    }

    #[test]
    fn a_union_has_the_names_of_all_its_members() {
        let schema = r##"{"type":"object","properties":{"act":{"oneOf":[
            {"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"boolean"}},"required":["kind","x"]},
            {"type":"object","properties":{"kind":{"const":"b"},"x":{"type":"null"},"y":{"$ref":"#/$defs/y"}},"required":["kind"]}]}},
            "$defs":{"y":{"type":["array","null"],"items":{"type":"integer"}}}}"##;
        outline(schema, "", "object {act}");
        outline(schema, "/act", "object {kind! x y}");
        outline(schema, "/act/kind", "string {}");
        outline(schema, "/act/x", "boolean|null {}");
        outline(schema, "/act/y", "array|null {}");
        outline(schema, "/act/y/*", "integer {}");
        outline(schema, "/act/z", "nothing");
    }

    #[test]
    fn a_form_requires_what_its_member_requires() {
        let schema = r#"{"anyOf":[{"properties":{"k":{"const":1},"x":{}},"required":["k","x"]},{"type":"null"},
            {"properties":{"k":{"const":2}},"anyOf":[{"properties":{"y":{}},"required":["y"]},{"properties":{"z":{}},"required":["z"]}]}]}"#;
        let contract = Contract::from_text(schema).unwrap();
        let told = |place: &Outline<'_>| {
            let names = place.members().into_iter();
            names
                .map(|member| format!("{}{}", member.name, if member.is_required { "!" } else { "" }))
                .collect::<String>()
        };
        let forms = contract.outline().forms();
        assert_eq!(forms.iter().map(told).collect::<Vec<_>>(), ["k!x!", "", "kyz"]);
        let inner = forms.last().unwrap().forms();
        assert_eq!(inner.iter().map(told).collect::<Vec<_>>(), ["ky!", "kz!"]);
        assert!(inner.iter().all(|form| form.forms().is_empty()) && forms[0].forms().is_empty());
    }

    #[test]
    fn parts_conditions_and_recursion_are_looked_through() {
        let schema = r##"{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}],
            "if":{"properties":{"asked":{}}},"then":{"properties":{"b":{"$ref":"#"}}},"not":{"properties":{"never":{}}}}"##;
        outline(schema, "", "object {a! b}");
        outline(schema, "/b/b/b/a", "string {}");
    }

    #[test]
    fn what_nobody_may_give_is_not_told() {
        outline(r#"{"properties":{"a":false,"b":true,"c":{}}}"#, "", "object {b c}");
        outline(r#"{"properties":{"b":true}}"#, "/b", "{}");
    }

    #[test]
    fn annotations_and_words_are_told_as_written() {
        let contract = Contract::from_text(
            r#"{"properties":{"n":{"enum":[1.0,"x"],"default":1.50,"description":"N."},"p":{"enum":["s"],"format":"password"}}}"#,
        )
        .unwrap();
        let n = contract.outline().member("n").unwrap();
        assert_eq!(n.words(), ["1.0", "\"x\""]);
        assert_eq!(n.annotation("default").map(Value::text), Some("1.50"));
        assert!(n.annotation("title").is_none() && !n.is_secret());
        let p = contract.outline().member("p").unwrap();
        assert!(p.words().is_empty() && p.is_secret());
    }
}
