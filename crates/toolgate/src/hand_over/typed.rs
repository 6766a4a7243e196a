//! Admitted arguments as a Rust type, which takes all of them or the call is refused (R3.5).
//!
//! serde passes over a key that a type does not know. Where the type reads an object directly, that is seen. Flattened,
//! internally tagged and untagged shapes put the object aside first and look at their copy, which nobody can watch. There each
//! key is given, one at a time, once more and with a value that cannot be read, and then with that value alone: whoever still
//! reads the arguments as before has passed it over, since a struct takes no field twice, a map reads the last value and a
//! flattened enum the first.

use super::fault::{Fault, Heard};
use super::reader::{Given, Node, Seen, SetAside, Unreadable, Watch};
use super::{NAMES_MAX, find, refused};
use crate::contract::Admitted;
use crate::json::{Document, Strictness, Value};
use crate::limits::Limits;
use crate::location::Location;
use crate::refusal::{Code, Refusal, Violation};
use serde::de::DeserializeOwned;
use std::collections::HashSet;

impl Admitted<'_> {
    /// The arguments as a type of the handler's, every key of them read.
    ///
    /// # Errors
    ///
    /// As [`read_arguments`].
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Contract};
    /// let contract = Contract::from_text(r#"{"properties":{"n":{"type":"integer"}}}"#)?;
    /// let admitted = contract.check(Arguments::from_text(r#"{"n":"5"}"#)).unwrap();
    /// let numbers: std::collections::BTreeMap<String, u8> = admitted.deserialize().unwrap();
    /// assert_eq!(numbers["n"], 5);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        read_arguments(self.arguments_text())
    }
}

/// Reads admitted arguments, or a part of them, as a type, and refuses what the type would drop (R3.5). Shapes whose reading
/// serde hides, which are flattened, internally tagged and untagged ones, are read once more for every value in them.
///
/// # Errors
///
/// Returns a [`Refusal`]: `unread-argument` at every key that the type passes over; `contract-mismatch`, the server's own
/// fault, at the place where the type does not take what the contract admitted; `work-limit` where so much stands in shapes
/// that cannot be watched that it is more than [`Limits::steps_max`] to find out. No value of the call is in it, and none of
/// the type's words.
///
/// # Example
///
/// ```
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(tag = "kind")]
/// enum Shape {
///     Circle { r: f64 },
///     Dot,
/// }
/// assert!(toolgate::read_arguments::<Shape>(r#"{"kind":"Circle","r":1}"#).is_ok());
/// // serde reads this as a dot and forgets `r`.
/// let refusal = toolgate::read_arguments::<Shape>(r#"{"kind":"Dot","r":1}"#).unwrap_err();
/// assert_eq!(refusal.to_log(), "unread-argument@/*");
/// ```
pub fn read_arguments<T: DeserializeOwned>(arguments: &str) -> Result<T, Refusal> {
    let limits = Limits { size_max_bytes: arguments.len(), depth_max: usize::MAX, ..Limits::default() };
    let document = match Document::read_str(arguments, Strictness::Strict, &limits) {
        Ok(document) => document,
        Err(fault) => return Err(Refusal::one(Violation::new(fault.location, fault.code))),
    };
    let root = document.root();
    if super::may_have_private_key(arguments) {
        super::refuse_private_key(root)?;
    }
    let watch = Watch::default();
    let (outcome, heard) = read::<T>(root, &watch);
    let Watch { seen, .. } = watch;
    let seen = seen.into_inner();
    match outcome {
        Err(fault) => Err(mismatch(root, &fault)),
        Ok(read) => match passed_over::<T>(root, seen, heard, &limits)? {
            passed_over if passed_over.is_empty() => Ok(read),
            passed_over => Err(unread(root, &passed_over, &limits)),
        },
    }
}

pub(super) fn read<T: DeserializeOwned>(root: Value<'_>, watch: &Watch) -> (Result<T, Fault>, Heard) {
    Heard::during(|| T::deserialize(Node::root(root, watch)))
}

/// Where the values begin that the type passes over.
fn passed_over<T: DeserializeOwned>(
    root: Value<'_>,
    seen: Seen,
    heard: Heard,
    limits: &Limits,
) -> Result<HashSet<usize>, Refusal> {
    let readings = seen.set_aside.len().saturating_mul(seen.values);
    if u64::try_from(readings).unwrap_or(u64::MAX) > limits.steps_max {
        return Err(Refusal::one(Violation::new(Location::root(), Code::WorkLimit)));
    }
    let mut passed_over: HashSet<usize> = seen.ignored.into_iter().collect();
    let mut set_aside = seen.set_aside;
    set_aside.sort_by_key(|aside| aside.at);
    let mut end = 0;
    for aside in set_aside {
        if aside.at >= end && is_passed_over::<T>(root, aside, heard) {
            passed_over.insert(aside.at);
            end = aside.end;
        }
    }
    Ok(passed_over)
}

/// Whether the type reads the arguments as before when this key of them is given twice, and when its value cannot be read.
fn is_passed_over<T: DeserializeOwned>(root: Value<'_>, aside: SetAside, heard: Heard) -> bool {
    let read_with = |unreadable| {
        let watch = Watch { last: Some(aside.at), unreadable, ..Watch::default() };
        read::<T>(root, &watch)
    };
    let mut before = None;
    // A type of one's own may read bytes, or an object, but hardly both.
    let unreadable = [Unreadable::Bytes, Unreadable::Object].into_iter();
    unreadable.flat_map(|unreadable| [(unreadable, Given::Again), (unreadable, Given::Instead)]).all(|unreadable| {
        let (outcome, now) = read_with(Some(unreadable));
        if outcome.is_err() {
            return false;
        }
        // It was read as some member of a union, and perhaps as another than before. The key comes last, so a member that did
        // not take the arguments before says one thing now as well, and one that took them, and reads the key, one more. Beside
        // the items of a list nothing can come last, and only the very same words tell.
        let before = match heard.count {
            0 => heard,
            _ => *before.get_or_insert_with(|| read_with(None).1),
        };
        if aside.in_list { now == before } else { now.count <= before.count }
    })
}

/// The server's own fault (R3.5).
fn mismatch(root: Value<'_>, fault: &Fault) -> Refusal {
    let location = fault.at.and_then(|at| find(root, &|value| value.span().start == at));
    refused(location.unwrap_or_default(), Code::ContractMismatch)
}

/// Every key that is passed over with all that is in it.
fn unread(root: Value<'_>, passed_over: &HashSet<usize>, limits: &Limits) -> Refusal {
    let mut violations = Vec::new();
    list_unread(root, passed_over, &mut Location::root(), &mut violations);
    let more = violations.len().saturating_sub(limits.undeclared_names_max);
    violations.truncate(limits.undeclared_names_max);
    Refusal::new(violations, more)
}

fn list_unread(
    value: Value<'_>,
    passed_over: &HashSet<usize>,
    location: &mut Location,
    violations: &mut Vec<Violation>,
) {
    let mut look = |child: Value<'_>, location: &mut Location| {
        if passed_over.contains(&child.span().start) {
            let mut location = location.clone();
            location.truncate(NAMES_MAX);
            violations.push(Violation::new(location, Code::UnreadArgument));
        } else {
            list_unread(child, passed_over, location, violations);
        }
        location.pop();
    };
    for (name, member) in value.members() {
        location.push_undeclared(&name.as_str().unwrap_or_default());
        look(member, location);
    }
    for (index, item) in value.items().enumerate() {
        location.push_index(index);
        look(item, location);
    }
}

#[cfg(test)]
mod tests;
