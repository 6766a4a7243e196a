//! Says more where the same call is refused again (R6.10). Changes the text only, never the verdict or the codes.

use crate::refusal::Refusal;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// How much the answer to a refused call says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Help {
    /// What is wrong.
    Violations,
    /// And the shape that is expected.
    Shape,
    /// And that the same call is not to be sent again.
    Stop,
}

impl Help {
    /// 1, 2 or 3.
    pub fn level(self) -> u8 {
        match self {
            Help::Violations => 1,
            Help::Shape => 2,
            Help::Stop => 3,
        }
    }

    /// What the model reads at this level. `skeleton` is the contract's [`crate::Contract::skeleton`], asked for where it
    /// is shown.
    pub fn text(self, refusal: &Refusal, skeleton: impl FnOnce() -> String) -> String {
        let text = refusal.text();
        match self {
            Help::Violations => text,
            Help::Shape => match skeleton() {
                shape if shape.is_empty() => format!("{text}\nThis was refused before for the same reason."),
                shape => {
                    format!("{text}\nThis was refused before for the same reason. The expected shape is:\n{shape}")
                }
            },
            Help::Stop => format!(
                "Stop: this was refused several times for the same reason. Do not send it again as it is; change what is \
                 named below, or go on without this tool and say so.\n{text}"
            ),
        }
    }
}

/// Counts refusals by tool, location and code, for one caller: a process on stdio, a credential on HTTP.
///
/// Bounded and expiring. Holds fingerprints, so neither values nor names of a call.
///
/// # Example
///
/// ```
/// use toolgate::{Arguments, Contract, Help, Repeats};
/// let contract = Contract::from_text(r#"{"type":"object","required":["path"]}"#)?;
/// let refusal = contract.check(Arguments::absent()).unwrap_err();
/// let mut repeats = Repeats::default();
/// assert_eq!(repeats.note("read", &refusal, 0), Help::Violations);
/// assert_eq!(repeats.note("read", &refusal, 10), Help::Shape);
/// assert_eq!(repeats.note("read", &refusal, 20), Help::Stop);
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    seen: HashMap<u64, Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    count: u8,
    last_ms: u64,
}

/// Reasons that are remembered; beyond, those that were met longest ago are forgotten.
const SEEN_MAX: usize = 1024;
/// A reason that has not been met for so long is new again.
const EXPIRE_MS: u64 = 10 * 60 * 1000;

impl Repeats {
    /// Counts a refusal of a call of `tool` and says how much its answer should say. `now_ms` is any clock that does not
    /// run backwards.
    pub fn note(&mut self, tool: &str, refusal: &Refusal, now_ms: u64) -> Help {
        let mut count = 0;
        for violation in refusal.violations() {
            let mut hasher = DefaultHasher::new();
            (tool, violation.location.to_pointer(), violation.code).hash(&mut hasher);
            count = count.max(self.count(hasher.finish(), now_ms));
        }
        match count {
            0 | 1 => Help::Violations,
            2 => Help::Shape,
            _ => Help::Stop,
        }
    }

    fn count(&mut self, reason: u64, now_ms: u64) -> u8 {
        if self.seen.len() >= SEEN_MAX && !self.seen.contains_key(&reason) {
            self.forget(now_ms);
        }
        let seen = self.seen.entry(reason).or_insert(Seen { count: 0, last_ms: now_ms });
        if now_ms.saturating_sub(seen.last_ms) > EXPIRE_MS {
            seen.count = 0;
        }
        *seen = Seen { count: seen.count.saturating_add(1), last_ms: now_ms };
        seen.count
    }

    /// Makes room: the expired go, and of the others the older half, so that this is seldom called.
    fn forget(&mut self, now_ms: u64) {
        self.seen.retain(|_, seen| now_ms.saturating_sub(seen.last_ms) <= EXPIRE_MS);
        if self.seen.len() < SEEN_MAX {
            return;
        }
        let mut order: Vec<(u64, u64)> = self.seen.iter().map(|(reason, seen)| (seen.last_ms, *reason)).collect();
        order.sort_unstable();
        for (_, reason) in order.into_iter().take(SEEN_MAX / 2) {
            self.seen.remove(&reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::Location;
    use crate::refusal::{Code, Violation};

    fn refusal(pointer: &str, code: Code) -> Refusal {
        Refusal::one(Violation::new(Location::from_pointer(pointer).unwrap(), code))
    }

    #[test]
    fn the_level_rises_for_the_same_tool_location_and_code_only() {
        let mut repeats = Repeats::default();
        assert_eq!(repeats.note("a", &refusal("/x", Code::Type), 0), Help::Violations);
        assert_eq!(repeats.note("b", &refusal("/x", Code::Type), 1), Help::Violations);
        assert_eq!(repeats.note("a", &refusal("/y", Code::Type), 2), Help::Violations);
        assert_eq!(repeats.note("a", &refusal("/x", Code::Enum), 3), Help::Violations);
        assert_eq!(repeats.note("a", &refusal("/x", Code::Type), 4), Help::Shape);
        assert_eq!(repeats.note("a", &refusal("/x", Code::Type), 5), Help::Stop);
        assert_eq!(repeats.note("a", &refusal("/x", Code::Type), 6), Help::Stop);
    }

    #[test]
    fn a_reason_that_was_long_ago_is_new_again() {
        let mut repeats = Repeats::default();
        repeats.note("a", &refusal("/x", Code::Type), 0);
        assert_eq!(repeats.note("a", &refusal("/x", Code::Type), EXPIRE_MS + 1), Help::Violations);
    }

    #[test]
    fn memory_is_bounded_and_the_latest_are_kept() {
        let mut repeats = Repeats::default();
        for index in 0..10_000_u64 {
            repeats.note("a", &refusal(&format!("/{index}"), Code::Type), index);
            assert!(repeats.seen.len() <= SEEN_MAX);
        }
        assert_eq!(repeats.note("a", &refusal("/9999", Code::Type), 10_000), Help::Shape);
    }

    #[test]
    fn texts_keep_the_violations_and_differ() {
        let refusal = refusal("/x", Code::Type);
        let text = |help: Help| help.text(&refusal, || "{\"x\": integer}".into());
        assert_eq!(text(Help::Violations), refusal.text());
        assert!(text(Help::Shape).contains(&refusal.text()) && text(Help::Shape).contains("{\"x\": integer}"));
        assert!(text(Help::Stop).starts_with("Stop") && text(Help::Stop).contains(&refusal.text()));
    }
}
