//! What an explanation has found so far.

use crate::limits::Limits;
use crate::location::Location;
use crate::normalize::overlay::{At, Docs};
use crate::refusal::{Code, Source, Violation};

/// Findings kept before they are located; far more than are listed.
const FINDINGS_MAX: usize = 200;

/// Violations in order, each with the value that it is about. They are located when they are listed: locating costs a walk,
/// and few are listed. Until then a violation's location is the rest of the way from that value.
#[derive(Clone, Default)]
pub(crate) struct Findings {
    places: Vec<At>,
    violations: Vec<Violation>,
    more: usize,
    /// How many there were before the value that is being explained.
    before: usize,
    /// Takes what is counted only.
    spare: Option<Box<Violation>>,
}

impl Findings {
    /// With room for what one call is usually refused for.
    pub(crate) fn with_room() -> Self {
        Findings { places: Vec::with_capacity(8), violations: Vec::with_capacity(8), ..Findings::default() }
    }

    pub(crate) fn count(&self) -> usize {
        self.places.len() + self.more
    }

    /// Whether nothing was found in the value that is being explained.
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == self.before
    }

    /// Another value is being explained from here on; gives back what [`Findings::end`] takes.
    pub(super) fn begin(&mut self) -> usize {
        let count = self.count();
        std::mem::replace(&mut self.before, count)
    }

    pub(super) fn end(&mut self, before: usize) {
        self.before = before;
    }

    /// Notes a violation; the caller adds the words that help. Made where it is kept, since it is large.
    pub(super) fn tell(&mut self, at: At, code: Code, source: Option<Source>) -> &mut Violation {
        let is_kept = self.places.len() < FINDINGS_MAX;
        if is_kept {
            self.places.push(at);
            self.violations.push(Violation::new(Location::root(), code));
        } else {
            self.more += 1;
        }
        let kept = if is_kept { self.violations.last_mut() } else { None };
        let violation = match kept {
            Some(violation) => violation,
            None => self.spare.insert(Box::new(Violation::new(Location::root(), code))),
        };
        violation.source = source;
        violation
    }

    pub(super) fn append(&mut self, other: &Findings) {
        let kept = FINDINGS_MAX.saturating_sub(self.places.len()).min(other.places.len());
        self.places.extend(other.places.iter().take(kept));
        self.violations.extend(other.violations.iter().take(kept).cloned());
        self.more += other.places.len() - kept + other.more;
    }

    fn iter(&self) -> impl Iterator<Item = (At, &Violation)> {
        self.places.iter().copied().zip(&self.violations)
    }

    /// Whether something was found at a place inside the value that is being explained.
    pub(super) fn tells_of(&self, at: At) -> bool {
        self.places.iter().skip(self.before).any(|place| *place == at)
    }

    /// The violations at one place.
    pub(super) fn at(&self, at: At) -> impl Iterator<Item = &Violation> {
        self.iter().filter(move |(place, _)| *place == at).map(|(_, violation)| violation)
    }

    /// Takes out the violation at one place with this code.
    pub(super) fn take(&mut self, at: At, code: Code) -> Option<Violation> {
        let index = self.iter().position(|(place, violation)| place == at && violation.code == code)?;
        self.places.remove(index);
        Some(self.violations.remove(index))
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Violation> {
        self.violations.get_mut(index)
    }

    pub(super) fn first(&self) -> Option<&Violation> {
        self.violations.first()
    }

    /// The violations that are shown, with their places in the arguments, and how many more there are.
    pub(crate) fn locate(mut self, docs: &Docs<'_>, shown: &mut Shown<'_>) -> (Vec<Violation>, usize) {
        let count = self.count();
        let mut places = self.places.iter();
        self.violations.retain_mut(|violation| {
            let Some(at) = places.next().filter(|_| !shown.is_full()) else { return false };
            let mut location = docs.locate(*at);
            if !violation.location.is_root() {
                location.append(&violation.location);
            }
            violation.location = location;
            shown.takes(&violation.location)
        });
        let more = count - self.violations.len();
        (self.violations, more)
    }
}

/// How many violations, and how many undeclared names on the way to them, are shown so far (R6.2).
pub(crate) struct Shown<'l> {
    limits: &'l Limits,
    count: usize,
    undeclared_names: Vec<String>,
}

impl<'l> Shown<'l> {
    pub(crate) fn new(limits: &'l Limits) -> Self {
        Shown { limits, count: 0, undeclared_names: Vec::new() }
    }

    fn is_full(&self) -> bool {
        self.count >= self.limits.violations_max
    }

    /// Whether one more violation, with its place, is shown.
    pub(crate) fn takes(&mut self, location: &Location) -> bool {
        if location.undeclared_names().next().is_none() {
            let takes = !self.is_full();
            self.count += usize::from(takes);
            return takes;
        }
        let names = location.undeclared_names();
        let new: Vec<String> =
            names.filter(|name| !self.undeclared_names.iter().any(|known| known == name)).map(str::to_owned).collect();
        let takes = !self.is_full() && self.undeclared_names.len() + new.len() <= self.limits.undeclared_names_max;
        if takes {
            self.count += 1;
            self.undeclared_names.extend(new);
        }
        takes
    }
}
