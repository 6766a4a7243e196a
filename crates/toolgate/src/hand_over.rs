//! Admitted arguments for a handler of this process, which takes them as a `serde_json` object.
//!
//! That object cannot hold everything that JSON text can: unless its build keeps all digits, a number beyond `f64` has no
//! place in it, and nothing deeper than its reader goes. A key that begins as those by which `serde_json` knows its own
//! does is read as what it holds, by a build that keeps the text of values. Such a call is refused by name and never handed over
//! changed in kind. Digits beyond those of `f64` are rounded by it, like those of every number that it has read itself.

mod fault;
mod names;
mod reader;
mod typed;

pub use names::{FormerNames, former_names};
pub use typed::read_arguments;

use crate::contract::Admitted;
use crate::json::{Document, Kind, Strictness, Value};
use crate::limits::Limits;
use crate::location::Location;
use crate::refusal::{Code, Refusal, Violation};
use crate::schema::kinds::Kinds;

/// The nesting that `serde_json` reads.
const DEPTH_MAX: usize = 127;
/// Names of a place that are shown; those of the arguments count as undeclared here, since no schema is asked.
const NAMES_MAX: usize = 5;

impl Admitted<'_> {
    /// The arguments as an object for a handler.
    ///
    /// # Errors
    ///
    /// Returns a [`Refusal`] where the object cannot hold them: `number-range` for a number beyond its range, `depth-limit`
    /// for nesting beyond its reader's, `unread-argument` for a key that it takes for one of its own, and `type` where a policy that
    /// lets the server judge admitted what is no object.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Contract};
    /// let contract = Contract::from_text(r#"{"properties":{"n":{"type":"integer"}}}"#)?;
    /// let object = contract.check(Arguments::from_text(r#"{"n":"5"}"#)).unwrap().to_object().unwrap();
    /// assert_eq!(object["n"], 5);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn to_object(&self) -> Result<serde_json::Map<String, serde_json::Value>, Refusal> {
        let text = self.arguments_text();
        if may_have_private_key(text) {
            without_private_key(text)?;
        }
        serde_json::from_str(text).map_err(|_| why_no_object(text))
    }
}

/// How the keys begin under which `serde_json` hands text and digits to itself.
const PRIVATE: &str = "$serde_json::private::";

/// Whether there may be such a key: as it is, or written with escapes.
fn may_have_private_key(text: &str) -> bool {
    text.contains(PRIVATE) || text.contains("\\u")
}

fn without_private_key(text: &str) -> Result<(), Refusal> {
    let limits = Limits { depth_max: usize::MAX, size_max_bytes: text.len(), ..Limits::default() };
    match Document::read_str(text, Strictness::Strict, &limits) {
        Ok(document) => refuse_private_key(document.root()),
        // Whoever reads it says why it cannot be read.
        Err(_) => Ok(()),
    }
}

/// Refuses arguments in which a key is one of `serde_json`'s own.
fn refuse_private_key(root: Value<'_>) -> Result<(), Refusal> {
    let has_one =
        |value: Value<'_>| value.members().any(|(name, _)| name.as_str().is_some_and(|name| name.starts_with(PRIVATE)));
    find(root, &has_one).map_or(Ok(()), |location| Err(refused(location, Code::UnreadArgument)))
}

impl Refusal {
    /// The answer where the contract admits the arguments and the handler's own type refuses them: the server's fault, told
    /// without the words of the type, which quote values (R3.5).
    pub fn contract_mismatch() -> Self {
        Refusal::one(Violation::new(Location::root(), Code::ContractMismatch))
    }
}

fn why_no_object(text: &str) -> Refusal {
    let limits = Limits { depth_max: DEPTH_MAX, size_max_bytes: text.len(), ..Limits::default() };
    let document = match Document::read_str(text, Strictness::Strict, &limits) {
        Ok(document) => document,
        Err(fault) => return refused(fault.location, fault.code),
    };
    if document.root().kind() != Kind::Object {
        let mut violation = Violation::new(Location::root(), Code::Type);
        violation.kinds = Kinds::OBJECT;
        return Refusal::one(violation);
    }
    let has_no_place = |value: Value<'_>| {
        value.kind() == Kind::Number && serde_json::from_str::<serde_json::Number>(value.text()).is_err()
    };
    match find(document.root(), &has_no_place) {
        Some(location) => refused(location, Code::NumberRange),
        None => Refusal::contract_mismatch(),
    }
}

fn refused(mut location: Location, code: Code) -> Refusal {
    location.truncate(NAMES_MAX);
    Refusal::one(Violation::new(location, code))
}

/// Where the first value is that is looked for. As deep as the document, which is bounded.
fn find(root: Value<'_>, is_it: &dyn Fn(Value<'_>) -> bool) -> Option<Location> {
    let mut location = Location::root();
    find_below(root, is_it, &mut location).then_some(location)
}

fn find_below(value: Value<'_>, is_it: &dyn Fn(Value<'_>) -> bool, location: &mut Location) -> bool {
    is_it(value)
        || value.members().any(|(name, member)| {
            location.push_undeclared(&name.as_str().unwrap_or_default());
            find_or_pop(member, is_it, location)
        })
        || value.items().enumerate().any(|(index, item)| {
            location.push_index(index);
            find_or_pop(item, is_it, location)
        })
}

fn find_or_pop(value: Value<'_>, is_it: &dyn Fn(Value<'_>) -> bool, location: &mut Location) -> bool {
    let found = find_below(value, is_it, location);
    if !found {
        location.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::contract::{Arguments, Contract, Judge, Policy};
    use crate::limits::Limits;

    #[track_caller]
    fn handed(schema: &str, policy: &Policy, arguments: &str) -> Result<String, String> {
        let contract = Contract::from_text_with(schema, policy).unwrap();
        let object = contract.check(Arguments::from_text(arguments)).unwrap().to_object();
        object.map(|object| serde_json::Value::Object(object).to_string()).map_err(|refusal| refusal.to_log())
    }

    #[test]
    fn what_is_admitted_is_handed_over() {
        let schema = r#"{"properties":{"n":{"type":"number"},"list":{"type":"array"}}}"#;
        let admitted = handed(schema, &Policy::default(), r#"{"list":"[1,{\"a\":null}]","n":"1.5"}"#);
        assert_eq!(admitted.as_deref(), Ok(r#"{"list":[1,{"a":null}],"n":1.5}"#));
        assert_eq!(handed(schema, &Policy::default(), "{}").as_deref(), Ok("{}"));
    }

    #[test]
    fn a_number_without_a_place_in_the_object_is_refused() {
        let schema = r#"{"properties":{"open":{"type":"object"},"list":{"items":{"type":"number"}}}}"#;
        let refused = handed(schema, &Policy::default(), r#"{"open":{"SECRET":[0,1e400]}}"#);
        assert_eq!(refused.unwrap_err(), "number-range@/*/*/1");
        let refused = handed(schema, &Policy::default(), r#"{"list":[1e308,"-1e999"]}"#);
        assert_eq!(refused.unwrap_err(), "number-range@/*/1", "a number written as text is one");
    }

    /// In a build that keeps the text of values such an object is read as what the text says, which nobody has judged.
    #[test]
    fn a_key_that_the_reader_takes_for_its_own_is_refused() {
        let schema = r#"{"properties":{"open":{"type":"object"},"text":{"type":"string"}}}"#;
        let key = r#"{"$serde_json::private::RawValue":"{\"d\":1,\"d\":2}"}"#;
        let escaped = key.replace('$', "\\u0024");
        let as_text = serde_json::Value::from(key).to_string();
        for (value, place) in [
            (key.to_owned(), "/*"),
            (escaped, "/*"),
            (as_text, "/*"),
            (format!(r#"{{"x":[1,{key}]}}"#), "/*/*/1"),
            (r#"{"a":1,"$serde_json::private::Number":"5"}"#.to_owned(), "/*"),
        ] {
            let refused = handed(schema, &Policy::default(), &format!(r#"{{"open":{value}}}"#));
            assert_eq!(refused.unwrap_err(), format!("unread-argument@{place}"), "{value}");
        }
        let kept = r#"{"text":"$serde_json::private::RawValue \u0041"}"#;
        assert!(handed(schema, &Policy::default(), kept).is_ok(), "text may say anything");
        let read = crate::read_arguments::<std::collections::BTreeMap<String, serde_json::Value>>;
        assert_eq!(read(&format!(r#"{{"open":{key}}}"#)).unwrap_err().to_log(), "unread-argument@/*");
    }

    #[test]
    fn nesting_beyond_the_handlers_reader_is_refused() {
        let policy = Policy { limits: Limits { depth_max: 4000, ..Limits::default() }, ..Policy::default() };
        let nested = |depth: usize| format!(r#"{{"v":{}0{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let schema = r#"{"properties":{"v":{}}}"#;
        assert!(handed(schema, &policy, &nested(126)).is_ok());
        let refused = handed(schema, &policy, &nested(127)).unwrap_err();
        assert!(refused.starts_with("depth-limit@"), "{refused}");
        assert!(handed(schema, &policy, &nested(3000)).is_err());
    }

    #[test]
    fn what_is_no_object_is_refused_where_the_server_judges() {
        let policy = Policy { judge: Judge::Server, ..Policy::default() };
        assert_eq!(handed("{}", &policy, "[1]").unwrap_err(), "type@");
    }
}
