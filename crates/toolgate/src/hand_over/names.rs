//! Names that a type takes and its schema does not show: `serde(alias)` is in no schema (R2.4).

use super::fault::Why;
use super::reader::Watch;
use super::typed::read;
use crate::contract::{Alias, Contract};
use crate::json::{Document, Strictness, Value};
use crate::limits::Limits;
use crate::location::Location;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// Members of the contract that are read to find the names.
const MEMBERS_MAX: usize = 64;

/// What a type takes beside what its contract declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormerNames {
    /// Further names of declared properties.
    pub aliases: Vec<Alias>,
    /// Names, by the place of their object in the arguments, of which nothing is known but that the type takes them; or
    /// further names of a property inside a list or a map, which no [`Alias`] can name.
    pub undeclared: Vec<(String, String)>,
}

/// Finds the former names that a type takes, by having it read members of its contract. What flattened, internally tagged and
/// untagged shapes take is not found, since serde hides it; the contract refuses those names like any that it does not declare.
///
/// # Example
///
/// ```
/// use toolgate::Contract;
/// #[derive(serde::Deserialize)]
/// struct Search {
///     #[serde(alias = "q")]
///     query: String,
/// }
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#)?;
/// let names = toolgate::former_names::<Search>(&contract);
/// assert_eq!((names.aliases[0].name.as_str(), names.aliases[0].former.as_slice()), ("query", &["q".to_owned()][..]));
/// # Ok::<(), toolgate::Unusable>(())
/// ```
pub fn former_names<T: DeserializeOwned>(contract: &Contract) -> FormerNames {
    let members: Vec<String> = contract.members(0).take(MEMBERS_MAX).collect();
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut taken: BTreeMap<(String, &'static str), Option<&'static str>> = BTreeMap::new();
    for member in &members {
        let limits = Limits::default();
        let Ok(document) = Document::read_str(member, Strictness::Strict, &limits) else { continue };
        note_declared(document.root(), &mut Location::root(), &mut declared);
        for (at, fields) in structs_of::<T>(document.root()) {
            let mut location = Location::root();
            let Some(object) = value_at(document.root(), at, &mut location) else { continue };
            for field in fields.iter().filter(|field| object.get(field).is_none()) {
                let known = taken.entry((location.to_pointer(), field)).or_default();
                *known = known.or_else(|| given_twice::<T>(member, object, field));
            }
        }
    }
    let mut names = FormerNames::default();
    for ((at, name), declared_name) in taken {
        if declared.get(&at).is_some_and(|names| names.contains(name)) {
            continue;
        }
        let of = declared_name.filter(|of| declared.get(&at).is_some_and(|names| names.contains(*of)));
        match of.filter(|_| !at.split('/').any(|step| step == "*")) {
            Some(of) => push_alias(&mut names.aliases, at, of, name),
            None => names.undeclared.push((at, name.to_owned())),
        }
    }
    names
}

fn push_alias(aliases: &mut Vec<Alias>, at: String, name: &str, former: &str) {
    match aliases.iter_mut().find(|alias| alias.at == at && alias.name == name) {
        Some(alias) => alias.former.push(former.to_owned()),
        None => aliases.push(Alias { at, name: name.to_owned(), former: vec![former.to_owned()] }),
    }
}

fn structs_of<T: DeserializeOwned>(root: Value<'_>) -> Vec<(usize, &'static [&'static str])> {
    let watch = Watch::default();
    let _ = read::<T>(root, &watch);
    watch.seen.into_inner().structs
}

/// The field that `name` is another name of, if the object has it.
fn given_twice<T: DeserializeOwned>(arguments: &str, object: Value<'_>, name: &str) -> Option<&'static str> {
    let end = object.span().end.checked_sub(1)?;
    let separator = if object.is_empty() { "" } else { "," };
    let (before, after) = (arguments.get(..end)?, arguments.get(end..)?);
    let twice = format!("{before}{separator}{}:null{after}", crate::json::quoted(name));
    let document = Document::read_str(&twice, Strictness::Strict, &Limits::default()).ok()?;
    match read::<T>(document.root(), &Watch::default()).0.err()?.why {
        Why::Twice(field) => Some(field),
        _ => None,
    }
}

/// Notes every name of every object. Items of a list are one place, `*`.
fn note_declared(value: Value<'_>, location: &mut Location, declared: &mut BTreeMap<String, BTreeSet<String>>) {
    for (name, member) in value.members() {
        let name = name.as_str().unwrap_or_default();
        declared.entry(location.to_pointer()).or_default().insert(name.clone().into_owned());
        location.push_declared(&name);
        note_declared(member, location, declared);
        location.pop();
    }
    for item in value.items() {
        location.push_declared("*");
        note_declared(item, location, declared);
        location.pop();
    }
}

/// Moves `location` to the value that begins at this place.
fn value_at<'d>(value: Value<'d>, at: usize, location: &mut Location) -> Option<Value<'d>> {
    if value.span().start == at {
        return Some(value);
    }
    let members = value.members().filter_map(|(name, member)| Some((name.as_str()?, member)));
    let items = value.items().map(|item| ("*".into(), item));
    let (step, child) = members.chain(items).find(|(_, child)| child.span().contains(&at))?;
    location.push_declared(&step);
    value_at(child, at, location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Search {
        #[serde(alias = "q", alias = "text")]
        query: String,
        #[serde(default, alias = "max")]
        limit: Option<u8>,
        opts: Option<Opts>,
        list: Option<Vec<Opts>>,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Opts {
        #[serde(default, alias = "d")]
        deep: bool,
        #[serde(default)]
        secret: bool,
    }

    const OPTS: &str = r#"{"type":"object","properties":{"deep":{"type":"boolean"}}}"#;

    fn names(properties: &str) -> FormerNames {
        let schema = format!(
            r#"{{"type":"object","properties":{{"query":{{"type":"string"}},"limit":{{"type":["integer","null"],"maximum":255,"minimum":0}}{properties}}},"required":["query"]}}"#
        );
        former_names::<Search>(&Contract::from_text(&schema).unwrap())
    }

    #[test]
    fn aliases_of_the_root_and_of_nested_structs_are_found() {
        let names = names(&format!(r#","opts":{OPTS}"#));
        let alias = |at: &str, name: &str, former: &[&str]| Alias {
            at: at.into(),
            name: name.into(),
            former: former.iter().map(|name| (*name).to_owned()).collect(),
        };
        let expected =
            [alias("", "limit", &["max"]), alias("", "query", &["q", "text"]), alias("/opts", "deep", &["d"])];
        assert_eq!(names.aliases, expected);
        let undeclared = [("".into(), "list".into()), ("/opts".into(), "secret".into())];
        assert_eq!(names.undeclared, undeclared, "what the type takes and the contract does not declare");
    }

    #[test]
    fn an_alias_inside_a_list_is_told_apart() {
        let names = names(&format!(r#","list":{{"type":"array","items":{OPTS}}}"#));
        assert!(names.undeclared.contains(&("/list/*".into(), "d".into())), "{names:?}");
    }
}
