//! Decode steps by the place that they apply at, and what would have to be sent for a value to be read.
//!
//! The judgement walks the contract's names. A place is a position among the steps' locations; most places have none below
//! them, and there what is sent is what is read.

use crate::json::{self, Value};
use crate::options::DecodeStep;
use crate::schema::{NameId, Schemas};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A place among the locations of the steps; [`PLAIN`] has no step at or below it.
pub(crate) type Position = u32;
pub(crate) const PLAIN: Position = 0;

/// Values that could have been sent for one value.
const SENT_MAX: usize = 64;

/// What happens at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Here {
    pub(crate) null_means_absent: bool,
    pub(crate) enum_text: bool,
    pub(crate) enum_case: bool,
    /// The contract's name, and the one that is sent.
    pub(crate) renames: Vec<(NameId, NameId)>,
}

impl Here {
    /// The name under which the contract's `name` is sent.
    pub(crate) fn sent(&self, name: NameId) -> NameId {
        self.renames.iter().find(|(known, _)| *known == name).map_or(name, |(_, sent)| *sent)
    }

    /// Whether a key of the contract has a name that is sent for another.
    pub(crate) fn is_taken(&self, name: NameId) -> bool {
        self.renames.iter().any(|(_, sent)| *sent == name) && self.renames.iter().all(|(from, _)| *from != name)
    }

    /// The contract's name for one that is sent; `None` for a name that is never sent, because another is in its place.
    pub(crate) fn read(&self, sent: NameId) -> Option<NameId> {
        if let Some((name, _)) = self.renames.iter().find(|(_, known)| *known == sent) {
            return Some(*name);
        }
        self.renames.iter().all(|(name, _)| *name != sent).then_some(sent)
    }
}

#[derive(Default)]
struct Branch {
    named: FxHashMap<NameId, usize>,
    star: Option<usize>,
    here: Here,
}

/// All steps.
pub(crate) struct Decode {
    branches: Vec<Branch>,
    positions: Vec<(Vec<usize>, Here)>,
    known: FxHashMap<Vec<usize>, Position>,
    moves: FxHashMap<(Position, Option<NameId>), Position>,
    root: Position,
    /// Words of the contract, and by their lower case how many there are.
    words: HashSet<String>,
    folded: HashMap<String, u32>,
}

impl Decode {
    /// # Errors
    ///
    /// Returns the location that is no JSON Pointer.
    pub(crate) fn new(steps: &[DecodeStep], schemas: &mut Schemas<'_>) -> Result<Self, String> {
        let mut decode = Decode {
            branches: vec![Branch::default()],
            positions: vec![(Vec::new(), Here::default())],
            known: FxHashMap::default(),
            moves: FxHashMap::default(),
            root: PLAIN,
            words: HashSet::new(),
            folded: HashMap::new(),
        };
        decode.known.insert(Vec::new(), PLAIN);
        for step in steps {
            decode.add(step, schemas)?;
        }
        if !steps.is_empty() {
            decode.root = decode.position(vec![0]);
        }
        Ok(decode)
    }

    fn add(&mut self, step: &DecodeStep, schemas: &mut Schemas<'_>) -> Result<(), String> {
        let mut intern = |name: &String| schemas.intern(Cow::Owned(name.clone()));
        let location = match step {
            DecodeStep::NullMeansAbsent { location }
            | DecodeStep::Rename { location, .. }
            | DecodeStep::EnumText { location }
            | DecodeStep::EnumCase { location } => location,
        };
        if !location.is_empty() && !location.starts_with('/') {
            return Err(location.clone());
        }
        let mut at = 0;
        for segment in location.split('/').skip(1) {
            let next = self.branches.len();
            let branch = self.branches.get_mut(at).ok_or_else(|| location.clone())?;
            let slot = if segment == "*" {
                branch.star.get_or_insert(next)
            } else {
                let name = segment.replace("~1", "/").replace("~0", "~");
                branch.named.entry(intern(&name)).or_insert(next)
            };
            at = *slot;
            if at == next {
                self.branches.push(Branch::default());
            }
        }
        let branch = self.branches.get_mut(at).ok_or_else(|| location.clone())?;
        match step {
            DecodeStep::NullMeansAbsent { .. } => branch.here.null_means_absent = true,
            DecodeStep::Rename { name, sent, .. } => branch.here.renames.push((intern(name), intern(sent))),
            DecodeStep::EnumText { .. } => branch.here.enum_text = true,
            DecodeStep::EnumCase { .. } => branch.here.enum_case = true,
        }
        Ok(())
    }

    fn position(&mut self, branches: Vec<usize>) -> Position {
        if let Some(known) = self.known.get(&branches) {
            return *known;
        }
        let mut here = Here::default();
        for branch in branches.iter().filter_map(|branch| self.branches.get(*branch)) {
            here.null_means_absent |= branch.here.null_means_absent;
            here.enum_text |= branch.here.enum_text;
            here.enum_case |= branch.here.enum_case;
            here.renames.extend(&branch.here.renames);
        }
        let position = Position::try_from(self.positions.len()).unwrap_or(Position::MAX);
        self.positions.push((branches.clone(), here));
        self.known.insert(branches, position);
        position
    }

    /// Notes the words of the contract: one that is sent in another case has to be the only one that it can mean.
    pub(crate) fn know_words(&mut self, words: &[&str]) {
        for word in words {
            if self.words.insert((*word).to_owned()) {
                *self.folded.entry(word.to_lowercase()).or_default() += 1;
            }
        }
    }

    /// The branches of the steps' locations that a position stands for.
    pub(crate) fn branches(&self, position: Position) -> &[usize] {
        self.positions.get(position as usize).map_or(&[], |(branches, _)| branches.as_slice())
    }

    /// The position that stands for these branches, where they are some.
    pub(crate) fn position_of(&mut self, branches: Vec<usize>) -> Option<Position> {
        let are_known = branches.iter().all(|branch| *branch < self.branches.len());
        are_known.then(|| self.position(branches))
    }

    pub(crate) fn root(&self) -> Position {
        self.root
    }

    pub(crate) fn here(&self, position: Position) -> Here {
        self.positions.get(position as usize).map(|(_, here)| here.clone()).unwrap_or_default()
    }

    /// The place below: of a key, or of an item or a key that no step names.
    pub(crate) fn below(&mut self, position: Position, name: Option<NameId>) -> Position {
        if position == PLAIN {
            return PLAIN;
        }
        if let Some(known) = self.moves.get(&(position, name)) {
            return *known;
        }
        let branches = self.positions.get(position as usize).map(|(branches, _)| branches.clone()).unwrap_or_default();
        let mut next = Vec::new();
        for branch in branches.iter().filter_map(|branch| self.branches.get(*branch)) {
            next.extend(name.and_then(|name| branch.named.get(&name)).copied().or(branch.star));
        }
        next.sort_unstable();
        next.dedup();
        let below = self.position(next);
        self.moves.insert((position, name), below);
        below
    }

    /// Names that steps below the position speak of.
    pub(crate) fn named_below(&self, position: Position) -> Vec<NameId> {
        let branches =
            self.positions.get(position as usize).map(|(branches, _)| branches.as_slice()).unwrap_or_default();
        let mut names: Vec<NameId> = branches
            .iter()
            .filter_map(|branch| self.branches.get(*branch))
            .flat_map(|branch| {
                branch.named.keys().copied().chain(branch.here.renames.iter().flat_map(|(name, sent)| [*name, *sent]))
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Every value that is read as `value`, up to spelling; `words` are the texts that the advertised schema names. `None`
    /// where there are too many to list.
    pub(crate) fn sent<'v>(
        &mut self,
        value: &Value<'v>,
        position: Position,
        words: &[&str],
        schemas: &Schemas<'_>,
    ) -> Option<Vec<Value<'v>>> {
        if position == PLAIN {
            return Some(vec![value.clone()]);
        }
        let here = self.here(position);
        Some(match value {
            Value::Map(members) => self.sent_map(members, position, &here, words, schemas)?,
            Value::List(items) => {
                let mut lists = vec![Vec::new()];
                for item in items {
                    let below = self.below(position, None);
                    let sent = self.sent(item, below, words, schemas)?;
                    lists = product(lists, &sent, |list, item| list.push(item.clone()))?;
                }
                lists.into_iter().map(Value::List).collect()
            }
            scalar => self.sent_scalar(scalar, &here, words)?,
        })
    }

    fn sent_scalar<'v>(&self, value: &Value<'v>, here: &Here, words: &[&str]) -> Option<Vec<Value<'v>>> {
        let mut sent = vec![value.clone()];
        if here.enum_text {
            // A text that is one of another kind is read as that, so it cannot be sent for itself.
            let as_text = Value::Text(Cow::Owned(value.to_string()));
            match value {
                Value::Text(text) => sent.retain(|_| reads_as(text).is_none()),
                _ => sent.push(as_text),
            }
            for word in words {
                if reads_as(word).is_some_and(|read| read.same(value)) {
                    sent.push(Value::Text(Cow::Owned((*word).to_owned())));
                }
            }
        }
        if let Value::Text(text) = value
            && here.enum_case
        {
            for word in
                words.iter().filter(|word| **word != text.as_ref() && word.to_lowercase() == text.to_lowercase())
            {
                // A word that the contract has itself is read as that one.
                if self.words.contains(*word) {
                    continue;
                }
                // Whether it is the only one at this place that the word can mean is not known.
                if self.folded.get(&text.to_lowercase()).copied() != Some(1) {
                    return None;
                }
                sent.push(Value::Text(Cow::Owned((*word).to_owned())));
            }
        }
        Some(sent)
    }

    fn sent_map<'v>(
        &mut self,
        members: &[(Cow<'v, str>, Value<'v>)],
        position: Position,
        here: &Here,
        words: &[&str],
        schemas: &Schemas<'_>,
    ) -> Option<Vec<Value<'v>>> {
        let mut maps: Vec<Vec<(Cow<'v, str>, Value<'v>)>> = vec![Vec::new()];
        for (key, member) in members {
            let name = schemas.name_id(key);
            let below = self.below(position, name);
            // A `null` there, or a key that is read as another, is sent by nothing.
            let is_lost = self.here(below).null_means_absent && matches!(member, Value::Null);
            if is_lost || name.is_some_and(|name| here.is_taken(name)) {
                return Some(Vec::new());
            }
            let sent_key = name.map(|name| here.sent(name)).filter(|sent| Some(*sent) != name);
            let sent_key = sent_key.map_or_else(|| key.clone(), |sent| Cow::Owned(schemas.name(sent).to_owned()));
            let sent = self.sent(member, below, words, schemas)?;
            maps = product(maps, &sent, |map, member| map.push((sent_key.clone(), member.clone())))?;
        }
        for name in self.named_below(position) {
            let below = self.below(position, Some(name));
            let is_absent = members.iter().all(|(key, _)| key != schemas.name(name));
            if is_absent && self.here(below).null_means_absent {
                let sent: Cow<'v, str> = Cow::Owned(schemas.name(here.sent(name)).to_owned());
                let mut with: Vec<Vec<_>> = maps.clone();
                with.iter_mut().for_each(|map| map.push((sent.clone(), Value::Null)));
                // Absent may be sent as it is, too.
                maps.extend(with);
                if maps.len() > SENT_MAX {
                    return None;
                }
            }
        }
        Some(maps.into_iter().map(Value::Map).collect())
    }
}

fn product<T: Clone, V>(begun: Vec<T>, more: &[V], push: impl Fn(&mut T, &V)) -> Option<Vec<T>> {
    if begun.len().saturating_mul(more.len()) > SENT_MAX {
        return None;
    }
    let mut all = Vec::with_capacity(begun.len() * more.len());
    for begun in &begun {
        for value in more {
            let mut next = begun.clone();
            push(&mut next, value);
            all.push(next);
        }
    }
    Some(all)
}

/// What a text is read as under `enum-text`, if it is read as anything but itself.
fn reads_as(word: &str) -> Option<Value<'_>> {
    json::read(word).ok().filter(|read| read.text().is_none())
}
