//! Which place of the arguments the name of an option means.

use toolgate::Outline;
use toolgate::json::Kind;

/// Names that lead from the arguments to a place; what is beyond is one name, deeper than any contract admits.
const PATH_MAX: usize = 160;
/// Signs in one word that are tried as the end of a declared name.
const ENDS_MAX: usize = 16;

/// The place that an option names.
pub(super) struct Named<'c> {
    pub(super) path: Vec<String>,
    /// `None` where nothing declares it.
    pub(super) place: Option<Outline<'c>>,
    /// `--no-x` of a declared boolean `x`.
    pub(super) is_negated: bool,
}

/// How the value of an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form<'w> {
    /// It stands in the next word, if there is one.
    Bare,
    /// `--name=TEXT`
    Text(&'w str),
    /// `--name:=JSON`
    Json(&'w str),
}

/// The name and the value of an option's word, without its `--`. A declared name wins, also one that has `=` or `:` in it.
pub(super) fn split<'w>(arguments: &Outline<'_>, word: &'w str) -> (&'w str, Form<'w>) {
    let is_declared = |name: &str| declared(arguments, name).is_some();
    let cut = |at: usize| word.split_at_checked(at).map(|(name, value)| (name, value.get(1..).unwrap_or_default()));
    let ends = || word.match_indices('=').take(ENDS_MAX).filter_map(|(at, _)| cut(at));
    let mut found = ends().filter_map(|(name, value)| {
        let before_colon = name.strip_suffix(':').filter(|name| is_declared(name));
        let as_text = is_declared(name).then_some((name, Form::Text(value)));
        as_text.or_else(|| before_colon.map(|name| (name, Form::Json(value))))
    });
    if let Some(found) = found.next() {
        return found;
    }
    let first = ends().next().filter(|_| !is_declared(word));
    first.map_or((word, Form::Bare), |(name, value)| match name.strip_suffix(':') {
        Some(name) => (name, Form::Json(value)),
        None => (name, Form::Text(value)),
    })
}

/// The place of a name.
pub(super) fn resolve<'c>(arguments: &Outline<'c>, name: &str) -> Named<'c> {
    if let Some((path, place)) = declared(arguments, name) {
        return Named { path, place: Some(place), is_negated: false };
    }
    let negated = negated_names(name).into_iter().flatten().find_map(|name| declared(arguments, &name));
    if let Some((path, place)) = negated.filter(|(_, place)| place.names(Kind::Boolean)) {
        return Named { path, place: Some(place), is_negated: true };
    }
    let (mut path, place, rest) = known_part(arguments, name);
    path.extend(rest.splitn(PATH_MAX.saturating_sub(path.len()).max(1), '.').map(str::to_owned));
    // Of a map, every name's place is known; that of a name inside it is not.
    let is_member = !rest.contains('.');
    Named { path, place: place.filter(|_| is_member).and_then(|place| place.rest()), is_negated: false }
}

/// What `--no-…` negates: the prefix may stand before the whole name, or before its last part.
fn negated_names(name: &str) -> [Option<String>; 2] {
    let whole = name.strip_prefix("no-").map(str::to_owned);
    let last = name.rsplit_once('.').and_then(|(before, last)| Some(format!("{before}.{}", last.strip_prefix("no-")?)));
    [whole, last]
}

/// The place of a name that is declared at every step.
fn declared<'c>(arguments: &Outline<'c>, name: &str) -> Option<(Vec<String>, Outline<'c>)> {
    let (mut path, place, rest) = known_part(arguments, name);
    let last = place.unwrap_or_else(|| arguments.clone()).member(rest)?;
    path.push(rest.to_owned());
    Some((path, last))
}

/// As many names as are declared, the place they lead to, and the rest of the name; the rest is declared too where it is one
/// name. Of two declared names of which one begins with the other, the longer one wins.
fn known_part<'c, 'n>(arguments: &Outline<'c>, name: &'n str) -> (Vec<String>, Option<Outline<'c>>, &'n str) {
    let mut path = Vec::new();
    let mut at: Option<Outline<'c>> = None;
    let mut rest = name;
    while path.len() < PATH_MAX {
        let here = at.as_ref().unwrap_or(arguments);
        if here.member(rest).is_some() {
            break;
        }
        let splits = rest.rmatch_indices('.').take(ENDS_MAX);
        let mut known = splits.filter_map(|(dot, _)| {
            let (before, after) = rest.split_at_checked(dot)?;
            Some((before, here.member(before)?, after.get(1..)?))
        });
        let Some((before, inside, after)) = known.next() else { break };
        drop(known);
        path.push(before.to_owned());
        at = Some(inside);
        rest = after;
    }
    (path, at, rest)
}
