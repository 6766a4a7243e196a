//! What became of the calls of one tool: whether its new contract takes more of them, fewer, or others. The independent checker is asked
//! both ways, so each answer is a proof or an example.

use crate::digest::canonical;
use crate::input::document;
use toolgate::json::{Kind, ObjectWriter, Value, list, quoted};
use toolgate::{Code, Contract, Policy, Verdict, shown_name};
use toolgate_gateway::policy::ServerPolicy;
use toolgate_proof::{Dialect, Options};

/// Arguments of one tool that are compared each by itself.
const ARGUMENTS_MAX: usize = 64;
/// Members of a schema's root beside which each argument is a matter of its own.
const PLAIN: [&str; 11] = [
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "title",
    "description",
    "$comment",
];
/// Members that say what becomes of keys that are not declared (R3.2).
const OUTSPOKEN: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// Of two contracts, or of one argument in both.
pub(super) struct Compared {
    /// Calls that were taken and are not any more.
    pub(super) lost: Side,
    /// Calls that are taken now and were not.
    pub(super) gained: Side,
}

/// One direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Side {
    /// There are none, which is proven.
    None,
    /// This is one. The place is the argument at which the other contract refuses it, for a keyword or a code of ours.
    Some { example: String, location: String, keyword: String },
    /// It could not be told; why, in words.
    Unknown(String),
}

/// In one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    Wider,
    Narrower,
    Incomparable,
    Unknown,
}

impl Relation {
    pub(super) fn word(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::Wider => "wider",
            Relation::Narrower => "narrower",
            Relation::Incomparable => "incomparable",
            Relation::Unknown => "unknown",
        }
    }
}

impl Compared {
    pub(super) fn relation(&self) -> Relation {
        match (&self.lost, &self.gained) {
            (Side::None, Side::None) => Relation::Same,
            (Side::None, Side::Some { .. }) => Relation::Wider,
            (Side::Some { .. }, Side::None) => Relation::Narrower,
            (Side::Some { .. }, Side::Some { .. }) => Relation::Incomparable,
            _ => Relation::Unknown,
        }
    }

    /// Compares two contracts of a tool under its policy.
    pub(super) fn of(old: &str, new: &str, tool: &str, policy: &ServerPolicy) -> Compared {
        let policy = policy.of(tool);
        let unusable = |text: &str, when: &str| {
            let unusable = Contract::from_text_with(text, &policy).err()?;
            let why = unusable.defects.first().map(|defect| defect.message.clone()).unwrap_or_default();
            Some(format!("the {when} schema does not compile: {why}"))
        };
        if let Some(why) = unusable(new, "new").or_else(|| unusable(old, "old")) {
            return Compared { lost: Side::Unknown(why.clone()), gained: Side::Unknown(why) };
        }
        Compared::under(old, new, &policy)
    }

    fn under(old: &str, new: &str, policy: &Policy) -> Compared {
        Compared { lost: missing(old, new, policy), gained: missing(new, old, policy) }
    }
}

/// The calls of `from` that `of` does not take.
fn missing(from: &str, of: &str, policy: &Policy) -> Side {
    let mut options: Options = toolgate::proof_options(policy);
    let mut of = of.to_owned();
    if options.unknown_keys != toolgate_proof::UnknownKeys::AsWritten {
        // The checker closes the root of a contract; of the other text it takes what is written, so it is written. What is below
        // the root is compared as the server reads it.
        options.unknown_keys = toolgate_proof::UnknownKeys::CloseRoot;
        of = closed(&of);
        options.dialect = Some(Dialect::Draft202012);
    }
    match toolgate_proof::prove(from, &of, &options) {
        Err(unreadable) => Side::Unknown(unreadable.to_string()),
        Ok(proof) => match proof.verdict {
            Verdict::Proven => Side::None,
            Verdict::Refuted { counterexample, location, keyword } => {
                // As a refusal says it; which keyword closes the object is ours, or a matter of spelling.
                let is_undeclared = matches!(keyword, "additionalProperties" | "unevaluatedProperties");
                let keyword = if is_undeclared { Code::UnknownArgument.as_str() } else { keyword };
                Side::Some { example: counterexample, location, keyword: keyword.to_owned() }
            }
            Verdict::Unknown { location, keyword } => {
                let place = if location.is_empty() { "the root".to_owned() } else { shown_name(&location) };
                Side::Unknown(format!("the derivation ended at {place} (`{keyword}`)"))
            }
            _ => Side::Unknown("neither a proof nor an example was found".to_owned()),
        },
    }
}

/// The schema with its root closed, where it does not say itself what becomes of further keys.
fn closed(text: &str) -> String {
    let speaks = |root: Value<'_>| OUTSPOKEN.iter().any(|word| root.get(word).is_some());
    let is_silent =
        document(text).is_ok_and(|document| document.root().kind() == Kind::Object && !speaks(document.root()));
    match text.trim_start().strip_prefix('{').filter(|_| is_silent) {
        Some(rest) if rest.trim_start().starts_with('}') => r#"{"unevaluatedProperties":false}"#.to_owned(),
        Some(rest) => format!(r#"{{"unevaluatedProperties":false,{rest}"#),
        None => text.to_owned(),
    }
}

/// Each argument that became another, where the arguments of both contracts stand side by side and depend on nothing else.
pub(super) fn arguments(old: &str, new: &str, tool: &str, policy: &ServerPolicy) -> Vec<(String, Compared)> {
    let policy = policy.of(tool);
    let (Ok(old), Ok(new)) = (document(old), document(new)) else { return Vec::new() };
    let (old, new) = (old.root(), new.root());
    if !is_plain(old) || !is_plain(new) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for root in [new, old] {
        let properties = root.get("properties").into_iter().flat_map(Value::members);
        for name in properties.filter_map(|(name, _)| name.as_str()) {
            if !names.iter().any(|known| *known == name) {
                names.push(name.into_owned());
            }
        }
    }
    let parts = names.into_iter().take(ARGUMENTS_MAX).map(|name| {
        let parts = (only_argument(old, &name), only_argument(new, &name));
        (name, parts)
    });
    let changed = parts.filter(|(_, (old, new))| old != new);
    let compared = changed.map(|(name, (old, new))| (name, Compared::under(&old, &new, &policy)));
    compared.filter(|(_, compared)| compared.relation() != Relation::Same).collect()
}

/// Whether nothing at the root makes one argument depend on another, and no reference leads through the root.
fn is_plain(root: Value<'_>) -> bool {
    let is_plain = |(name, _): (Value<'_>, Value<'_>)| PLAIN.iter().any(|plain| name.is_str(plain));
    let text = root.text();
    root.kind() == Kind::Object
        && root.members().all(is_plain)
        && !text.contains("\"#\"")
        && !text.contains("\"#/properties")
}

/// The contract of this argument alone.
fn only_argument(root: Value<'_>, name: &str) -> String {
    let mut schema = ObjectWriter::new();
    for shared in ["$schema", "$defs", "definitions"] {
        if let Some(value) = root.get(shared) {
            schema.raw(shared, &canonical(value));
        }
    }
    schema.string("type", "object");
    let mut properties = ObjectWriter::new();
    if let Some(value) = root.get("properties").and_then(|properties| properties.get(name)) {
        properties.raw(name, &canonical(value));
    }
    schema.raw("properties", &properties.end());
    let required = root.get("required").into_iter().flat_map(Value::items).any(|required| required.is_str(name));
    if required {
        schema.raw("required", &list(std::iter::once(quoted(name))));
    }
    schema.raw("additionalProperties", "false");
    schema.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn compared(old: &str, new: &str, relation: Relation) -> Compared {
        let compared = Compared::of(old, new, "t", &ServerPolicy::discovered());
        assert_eq!(compared.relation(), relation, "{:?} {:?}", compared.lost, compared.gained);
        // Whatever the checker says is so for the judge as well.
        let admits = |schema: &str, call: &str| {
            let contract = Contract::from_text_with(schema, &ServerPolicy::discovered().of("t")).unwrap();
            contract.check(toolgate::Arguments::from_text(call)).is_ok()
        };
        for (side, taken, refused) in [(&compared.lost, old, new), (&compared.gained, new, old)] {
            if let Side::Some { example, .. } = side {
                assert!(admits(taken, example) && !admits(refused, example), "{example}");
            }
        }
        compared
    }

    const ONE: &str = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;

    #[test]
    fn each_word_has_its_examples() {
        let named = |side: &Side, at: &str| matches!(side, Side::Some { location, .. } if location == at);
        compared(ONE, r#"{"properties":{"a":{"type":["string"]}},"type":"object"}"#, Relation::Same);
        let wider = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}"#;
        assert!(named(&compared(ONE, wider, Relation::Wider).gained, "/b"));
        let narrower = compared(wider, ONE, Relation::Narrower).lost;
        assert!(named(&narrower, "/b"));
        assert!(matches!(&narrower, Side::Some { keyword, .. } if keyword == "unknown-argument"));
        let required = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#;
        assert!(named(&compared(ONE, required, Relation::Narrower).lost, ""));
        let other = r#"{"type":"object","properties":{"a":{"type":"array"}}}"#;
        let both = compared(ONE, other, Relation::Incomparable);
        assert!(named(&both.lost, "/a") && named(&both.gained, "/a"));
        // What the schema says of further keys is compared as it says it.
        compared(
            ONE,
            r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}"#,
            Relation::Wider,
        );
        compared(
            ONE,
            r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
            Relation::Same,
        );
    }

    #[test]
    fn older_drafts_and_roots_of_several_parts_are_compared() {
        let draft = |more: &str| format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#",{more}}}"#);
        let parts = r#""type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]"#;
        compared(&draft(parts), &draft(&parts.replace("\"b\"", "\"c\"")), Relation::Incomparable);
        compared(&draft(parts), &draft(&parts.replace("]", ",{\"required\":[\"a\"]}]")), Relation::Narrower);
        let bound = |bound: &str| format!(r#"{{"type":"object","properties":{{"n":{{"type":"integer",{bound}}}}}}}"#);
        compared(&bound("\"minimum\":1"), &bound("\"minimum\":0,\"exclusiveMinimum\":true"), Relation::Same);
    }

    #[test]
    fn a_schema_that_does_not_compile_is_told() {
        let compared = Compared::of(ONE, r#"{"type":"nonsense"}"#, "t", &ServerPolicy::discovered());
        assert_eq!(compared.relation(), Relation::Unknown);
        assert!(matches!(&compared.lost, Side::Unknown(why) if why.starts_with("the new schema does not compile")));
    }

    #[test]
    fn arguments_are_compared_one_by_one_where_they_stand_alone() {
        let old = r##"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"string"}}}"##;
        let new = r##"{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"number"},"c":{"$ref":"#/$defs/c"},"d":{}},"$defs":{"c":{"type":"boolean"}},"required":["c"]}"##;
        let words = |old, new| {
            let all = arguments(old, new, "t", &ServerPolicy::discovered());
            all.iter().map(|(name, compared)| format!("{name} {}", compared.relation().word())).collect::<Vec<_>>()
        };
        assert_eq!(words(old, new), ["a narrower", "b wider", "c incomparable", "d wider"]);
        assert_eq!(words(old, r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##), Vec::<String>::new());
        assert_eq!(words(old, r#"{"type":"object","anyOf":[{"required":["a"]}]}"#), Vec::<String>::new());
    }
}
