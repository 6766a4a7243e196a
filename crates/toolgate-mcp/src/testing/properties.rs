//! The declared properties of a contract, and arguments that differ in one of them.

use serde_json::Value;
use toolgate::{Arguments, Contract, Outline};

/// Pairs of arguments of which one has to make a difference.
const PAIRS_MAX: usize = 256;
/// Objects and lists inside each other that are looked into: a schema may be recursive.
const DEPTH_MAX: usize = 6;

/// One step of the way to a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    /// Some item of a list.
    Item,
}

/// The way to a property that a form of the arguments declares; the last step is its name.
pub(super) type Way = Vec<Step>;

/// As it is told: `steps/*/line`.
pub(super) fn shown(way: &Way) -> String {
    let steps = way.iter().map(|step| match step {
        Step::Name(name) => toolgate::pointer_segment(name),
        Step::Item => "*".to_owned(),
    });
    steps.collect::<Vec<_>>().join("/")
}

/// Every declared property, those inside after the one that they are in.
pub(super) fn declared(contract: &Contract) -> Vec<Way> {
    let mut ways = Vec::new();
    note_declared(&contract.outline(), &mut Vec::new(), &mut ways);
    ways
}

fn note_declared(place: &Outline<'_>, here: &mut Way, ways: &mut Vec<Way>) {
    if here.len() > DEPTH_MAX {
        return;
    }
    for member in place.members() {
        here.push(Step::Name(member.name.to_owned()));
        ways.push(here.clone());
        note_declared(&member.place, here, ways);
        here.pop();
    }
    if place.names(toolgate::json::Kind::Array) {
        here.push(Step::Item);
        note_declared(&place.items(), here, ways);
        here.pop();
    }
}

/// Arguments that the contract admits and that differ in one property alone. First each member is compared with one other, so that no
/// single one, such as a list of at most no items, decides.
pub(super) fn pairs<'m>(
    contract: &'m Contract,
    members: &'m [Value],
    way: &'m Way,
) -> impl Iterator<Item = (Value, Value)> + 'm {
    let others = move |step: usize| {
        members.iter().cycle().skip(step).take(members.len()).flat_map(move |other| given(other, way))
    };
    let changed = move |(member, value): (&'m Value, Option<&'m Value>)| {
        let places = 0..given(member, way).len();
        places.map(move |place| (member.clone(), with(member, way, place, value)))
    };
    (1..members.len())
        .flat_map(move |step| members.iter().zip(others(step)))
        .flat_map(changed)
        .filter(move |(one, other)| one != other && contract.validate(Arguments::from_value(other)).is_ok())
        .take(PAIRS_MAX)
}

/// What stands at the end of the way, once for each item on it; nothing where an object has no such property.
fn given<'v>(value: &'v Value, way: &[Step]) -> Vec<Option<&'v Value>> {
    match way {
        [] => vec![Some(value)],
        [Step::Item, rest @ ..] => value.as_array().into_iter().flatten().flat_map(|item| given(item, rest)).collect(),
        [Step::Name(name)] => value.as_object().map(|object| object.get(name)).into_iter().collect(),
        [Step::Name(name), rest @ ..] => value.get(name).map(|inner| given(inner, rest)).unwrap_or_default(),
    }
}

/// The arguments with another value, or none, at the end of the way: in this one of the places that there are.
fn with(arguments: &Value, way: &[Step], mut place: usize, value: Option<&Value>) -> Value {
    let mut changed = arguments.clone();
    set(&mut changed, way, &mut place, value);
    changed
}

/// Whether it was set; `before` counts the places that are passed by first.
fn set(here: &mut Value, way: &[Step], before: &mut usize, value: Option<&Value>) -> bool {
    match way {
        [] => false,
        [Step::Item, rest @ ..] => here.as_array_mut().into_iter().flatten().any(|item| set(item, rest, before, value)),
        [Step::Name(name)] => {
            let Some(object) = here.as_object_mut() else { return false };
            let Some(left) = before.checked_sub(1) else {
                match value {
                    Some(value) => drop(object.insert(name.clone(), value.clone())),
                    None => drop(object.remove(name)),
                }
                return true;
            };
            *before = left;
            false
        }
        [Step::Name(name), rest @ ..] => here.get_mut(name).is_some_and(|inner| set(inner, rest, before, value)),
    }
}
