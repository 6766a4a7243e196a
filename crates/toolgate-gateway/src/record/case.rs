//! One judged call as a case that `toolgate test` reads: the contract, the arguments or their shape, and what came of them.

use super::shape;
use sha2::{Digest, Sha256};
use std::str::FromStr;
use toolgate::json::{Document, ObjectWriter, Strictness, list, quoted};
use toolgate::{
    Admitted, Arguments, Contract, Judge, Limits, OptIns, Origin, Policy, Refusal, Tool, Unions, UnknownKeys,
};

/// The first line of a file of cases.
pub(super) const HEADER: &str = r#"{"format":"toolgate-cases/1"}"#;

/// Whether a case holds what the caller wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// The shape of the arguments alone.
    Shape,
    /// The arguments as they were sent.
    AsSent,
}

/// A contract that cases are about, as `toolgate test` will compile it: without the limits of a policy, which no case says.
pub(super) struct OneContract {
    pub(super) id: String,
    /// The line that defines it.
    pub(super) line: String,
    contract: Contract,
}

impl OneContract {
    /// Of a tool that is not closed.
    pub(super) fn of(tool: &Tool) -> Option<OneContract> {
        let of_tool = tool.contract().ok()?;
        let policy = Policy { limits: Limits::default(), ..of_tool.policy().clone() };
        let contract = Contract::from_text_with(of_tool.schema_text(), &policy).ok()?;
        let mut said = ObjectWriter::new();
        said.string("of", tool.name());
        // A raw line's end in JSON is white space between tokens.
        said.raw("schema", &of_tool.schema_text().replace(['\n', '\r'], " "));
        push_policy(&policy, &mut said);
        let said = said.end();
        let id = format!("{} {}", tool.name(), digest(&said));
        let line = format!(r#"{{"contract":{},{}"#, quoted(&id), said.strip_prefix('{').unwrap_or_default());
        Some(OneContract { id, line, contract })
    }

    /// The case of one call of the tool, and its id.
    pub(super) fn case(&self, tool: &Tool, arguments: Option<&str>, values: Values) -> (String, String) {
        let given = || arguments.map_or_else(Arguments::absent, Arguments::from_text);
        let wanted = Said::of(&tool.check(given()));
        let distance = |text: &str| wanted.distance(&Said::of(&self.contract.check(Arguments::from_text(text))));
        let shown = match (values, arguments) {
            (_, None) => None,
            (Values::AsSent, Some(arguments)) => Some(arguments.to_owned()),
            (Values::Shape, Some(arguments)) => {
                Some(shape::of(arguments, &self.contract, &distance).unwrap_or_else(|| "{}".to_owned()))
            }
        };
        let judged = self.contract.check(shown.as_deref().map_or_else(Arguments::absent, Arguments::from_text));
        let is_same = wanted.distance(&Said::of(&judged)) == 0;
        let mut request = ObjectWriter::new();
        request.string("use", &self.id);
        request.optional("arguments_text", shown.as_deref());
        let mut case = ObjectWriter::new();
        case.string("kind", "judge");
        case.string("group", tool.name());
        case.raw("request", &request.end());
        if is_same {
            case.raw("expect", &expected(&judged));
        } else {
            case.raw("expect", &wanted.to_expected());
            case.string("skip", why_skipped(values));
        }
        let case = case.end();
        let id = format!("recorded-{}", digest(&case));
        let line = format!(r#"{{"id":{},{}"#, quoted(&id), case.strip_prefix('{').unwrap_or_default());
        (id, line)
    }
}

fn why_skipped(values: Values) -> &'static str {
    match values {
        Values::Shape => {
            "the shape of the arguments does not come to what the call came to, which is expected here with every undeclared name as *: \
             write values of your own, and take `skip` away"
        }
        Values::AsSent => "the guard judged the call by limits or a form of the tool that no case says",
    }
}

/// A name that is the same for the same text, whatever built the program: files of cases are kept for longer.
fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(8).fold(String::new(), |digest, byte| digest + &format!("{byte:02x}"))
}

/// The policy as the members of a request.
fn push_policy(policy: &Policy, object: &mut ObjectWriter) {
    object.optional("origin", word(Origin::WORDS, policy.origin));
    object.optional("judge", word(Judge::WORDS, policy.judge));
    object.optional("unknown_keys", word(UnknownKeys::WORDS, policy.unknown_keys));
    object.optional("unions", word(Unions::WORDS, policy.unions));
    if !policy.aliases.is_empty() {
        let aliases = policy.aliases.iter().map(|alias| {
            let mut object = ObjectWriter::new();
            object.string("at", &alias.at);
            object.string("name", &alias.name);
            object.strings("former", &alias.former);
            object.end()
        });
        object.raw("aliases", &list(aliases));
    }
    let is_on = |name: &&&str| {
        let mut options = policy.options;
        options.set(name) && options == policy.options
    };
    let options: Vec<&str> = OptIns::WORDS.iter().filter(is_on).copied().collect();
    object.strings("options", &options);
    object.strings("list_text_keep", &policy.list_text_keep);
    object.strings("forward_keys", &policy.forward_keys);
}

/// The word of a choice, unless it is the default, which stands first.
fn word<T: FromStr + PartialEq>(words: &'static [&'static str], choice: T) -> Option<&'static str> {
    words.iter().skip(1).copied().find(|word| word.parse().is_ok_and(|other: T| other == choice))
}

/// What a contract said, with every undeclared name as `*` (R6.4).
struct Said {
    verdict: &'static str,
    /// Codes and places of violations, in their order.
    violations: Vec<(String, String)>,
    recorded: Vec<(String, String)>,
    more: usize,
    edits: Vec<(String, String)>,
    deferred: Vec<String>,
    forwarded: usize,
}

impl Said {
    fn of(outcome: &Result<Admitted<'_>, Refusal>) -> Said {
        let places = |violations: &[toolgate::Violation]| {
            violations.iter().map(|one| (one.code.to_string(), one.location.to_log())).collect()
        };
        let nothing = Said {
            verdict: "refused",
            violations: Vec::new(),
            recorded: Vec::new(),
            more: 0,
            edits: Vec::new(),
            deferred: Vec::new(),
            forwarded: 0,
        };
        match outcome {
            Ok(admitted) => Said {
                verdict: "admitted",
                recorded: places(admitted.recorded()),
                more: admitted.recorded_more(),
                edits: admitted.edits().iter().map(|edit| (edit.rule.to_owned(), edit.location.to_log())).collect(),
                deferred: admitted.deferred().iter().map(toolgate::Location::to_log).collect(),
                forwarded: admitted.forwarded().len(),
                ..nothing
            },
            Err(refusal) => Said { violations: places(refusal.violations()), more: refusal.more(), ..nothing },
        }
    }

    /// In how many things the other says something else.
    fn distance(&self, other: &Said) -> usize {
        usize::from(self.verdict != other.verdict)
            + apart(&self.violations, &other.violations)
            + apart(&self.recorded, &other.recorded)
            + apart(&self.edits, &other.edits)
            + apart(&self.deferred, &other.deferred)
            + usize::from(self.more != other.more)
            + usize::from(self.forwarded != other.forwarded)
    }

    fn to_expected(&self) -> String {
        let mut object = ObjectWriter::new();
        object.string("verdict", self.verdict);
        if self.verdict == "refused" {
            object.raw("violations", &list(self.violations.iter().map(|(code, place)| violation(code, place))));
        } else {
            object.raw("edits", &list(self.edits.iter().map(|(rule, _)| quoted(rule))));
            object.raw("deferred", &list(self.deferred.iter().map(|place| quoted(place))));
        }
        object.end()
    }
}

/// What stands in one list alone, and one more where the order is another.
fn apart<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let alone = |these: &[T], those: &[T]| these.iter().filter(|this| !those.contains(this)).count();
    let apart = alone(one, other) + alone(other, one);
    if apart == 0 { usize::from(one != other) } else { apart }
}

fn violation(code: &str, location: &str) -> String {
    let mut object = ObjectWriter::new();
    object.string("location", location);
    object.string("code", code);
    object.end()
}

/// All that is to come of the arguments that the case holds.
fn expected(judged: &Result<Admitted<'_>, Refusal>) -> String {
    let violations = |violations: &[toolgate::Violation]| {
        list(violations.iter().map(|one| violation(one.code.as_str(), &one.location.to_pointer())))
    };
    let mut object = ObjectWriter::new();
    match judged {
        Ok(admitted) => {
            object.string("verdict", "admitted");
            object.string("arguments_text", admitted.arguments_text());
            object.raw("edits", &list(admitted.edits().iter().map(|edit| quoted(edit.rule))));
            object.raw("deferred", &list(admitted.deferred().iter().map(|place| quoted(&place.to_pointer()))));
            object.raw("recorded", &violations(admitted.recorded()));
        }
        Err(refusal) => {
            object.string("verdict", "refused");
            object.raw("violations", &violations(refusal.violations()));
            object.raw("only", "true");
            object.raw("more", &refusal.more().to_string());
        }
    }
    object.end()
}

/// The id of a contract or a case that a line of a file holds.
pub(super) fn id_of(line: &str) -> Option<String> {
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: 600, ..Limits::default() };
    let document = Document::read_str(line, Strictness::Frame, &limits).ok()?;
    let id = document.root().get("id").or_else(|| document.root().get("contract"))?;
    id.as_str().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::{Showing, ToolSet};

    #[test]
    fn a_digest_does_not_depend_on_who_built_the_program() {
        assert_eq!(digest("a"), "ca978112ca1bbdca");
    }

    const TOOL: &str = r#"{"name":"book","inputSchema":{"type":"object","properties":{"seat":{"type":"string","pattern":"^Q[0-9]{3}Z$"},"n":{"type":"integer","maximum":5}}}}"#;

    fn case(policy: &Policy, arguments: &str, values: Values) -> (String, String) {
        let set = ToolSet::publish(std::iter::once(TOOL), &Showing::default(), &|_| policy.clone());
        let tool = set.get("book").unwrap();
        let contract = OneContract::of(tool).unwrap();
        (contract.line.clone(), contract.case(tool, Some(arguments), values).1)
    }

    #[test]
    fn a_shape_that_comes_to_something_else_is_not_passed_off() {
        let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
        let (contract, admitted) = case(&policy, r#"{"seat":"Q123Z"}"#, Values::Shape);
        assert!(contract.contains(r#""origin":"discovered""#), "{contract}");
        assert!(admitted.contains(r#""skip":"#) && !admitted.contains("Q123Z"), "{admitted}");
        assert!(admitted.contains(r#""verdict":"admitted""#), "{admitted}");
        let (_, refused) = case(&policy, r#"{"seat":"SECRET","n":4711}"#, Values::Shape);
        assert!(!refused.contains("skip") && !refused.contains("SECRET") && !refused.contains("4711"), "{refused}");
        assert!(refused.contains(r#""only":true"#), "{refused}");
        let (_, sent) = case(&policy, r#"{"seat":"Q123Z"}"#, Values::AsSent);
        assert!(sent.contains("Q123Z") && !sent.contains("skip"), "{sent}");
    }

    #[test]
    fn limits_that_no_case_says_are_told() {
        let limits = Limits { size_max_bytes: 10, ..Limits::default() };
        let (_, refused) = case(&Policy { limits, ..Policy::default() }, r#"{"seat":"a long text"}"#, Values::AsSent);
        assert!(refused.contains(r#""skip":"the guard judged"#), "{refused}");
    }

    #[test]
    fn the_policy_is_said_in_the_words_of_a_request() {
        let mut policy =
            Policy { unknown_keys: UnknownKeys::AsWritten, forward_keys: vec!["k".into()], ..Policy::default() };
        policy.options.set("wrap-single");
        let mut object = ObjectWriter::new();
        push_policy(&policy, &mut object);
        assert_eq!(object.end(), r#"{"unknown_keys":"as-written","options":["wrap-single"],"forward_keys":["k"]}"#);
    }
}
