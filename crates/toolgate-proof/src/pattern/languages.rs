//! What patterns match, compared: whether each text that one matches is matched by another, and whether a text matches both.
//!
//! Both patterns run over the same bytes as automata, in step with one that admits only UTF-8. Patterns that look around, and
//! ones whose automaton grows too large, are not compared.

use super::translate;
use regex_automata::dfa::dense::{self, DFA};
use regex_automata::dfa::{Automaton, StartKind};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Input, nfa::thompson};
use rustc_hash::FxHashSet;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Bytes of one automaton, and of the work space for making it.
const SIZE_MAX_BYTES: usize = 1024 * 1024;
/// Pairs of states that one comparison visits.
const PAIRS_MAX: usize = 20_000;
/// Bytes of a text that tells two patterns apart.
const TEXT_MAX_BYTES: usize = 2_000;

/// Whether there is a text of the sort that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is none.
    None,
    /// This is one.
    Text(String),
    /// The patterns cannot be compared.
    CannotSay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sought {
    /// By the first pattern and not by the second.
    OnlyFirst,
    Both,
}

/// Automata that were made, and comparisons that were answered.
#[derive(Debug, Default)]
pub(crate) struct Languages {
    automata: HashMap<String, Option<Rc<DFA<Vec<u32>>>>>,
    answers: HashMap<(String, String, Sought), Answer>,
    /// Work that comparing has taken.
    pub(crate) steps: u64,
}

impl Languages {
    /// A text that `first` matches and `second` does not.
    pub(crate) fn only_first(&mut self, first: &str, second: &str) -> Answer {
        self.compare(first, second, Sought::OnlyFirst)
    }

    /// A text that both match.
    pub(crate) fn both(&mut self, first: &str, second: &str) -> Answer {
        self.compare(first, second, Sought::Both)
    }

    fn compare(&mut self, first: &str, second: &str, sought: Sought) -> Answer {
        let question = (first.to_owned(), second.to_owned(), sought);
        if let Some(known) = self.answers.get(&question) {
            return known.clone();
        }
        let answer = match (self.automaton(first), self.automaton(second)) {
            (Some(one), Some(other)) => self.walk(&one, &other, sought),
            _ => Answer::CannotSay,
        };
        self.answers.insert(question, answer.clone());
        answer
    }

    fn automaton(&mut self, pattern: &str) -> Option<Rc<DFA<Vec<u32>>>> {
        if let Some(known) = self.automata.get(pattern) {
            return known.clone();
        }
        self.steps += 500;
        let made = translate(pattern).and_then(|translated| {
            let settings = dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .minimize(false)
                .dfa_size_limit(Some(SIZE_MAX_BYTES))
                .determinize_size_limit(Some(SIZE_MAX_BYTES));
            let automaton = dense::Builder::new()
                .configure(settings)
                .thompson(thompson::Config::new().nfa_size_limit(Some(SIZE_MAX_BYTES)))
                .syntax(syntax::Config::new().nest_limit(100))
                .build(&translated);
            automaton.ok().map(Rc::new)
        });
        self.automata.insert(pattern.to_owned(), made.clone());
        made
    }

    /// Walks both automata at once, shortest texts first.
    fn walk(&mut self, one: &DFA<Vec<u32>>, other: &DFA<Vec<u32>>, sought: Sought) -> Answer {
        let start = |automaton: &DFA<Vec<u32>>| automaton.start_state_forward(&Input::new("")).ok();
        let (Some(first), Some(second)) = (start(one), start(other)) else { return Answer::CannotSay };
        let start = Pair { first, second, first_matched: false, second_matched: false, rest: Rest::None };
        let mut seen: FxHashSet<Pair> = [start].into_iter().collect();
        // Each pair with the one before it and the byte between, to spell the text backwards.
        let mut visited: Vec<(Pair, usize, u8)> = vec![(start, 0, 0)];
        let mut open: VecDeque<usize> = [0].into();
        while let Some(index) = open.pop_front() {
            let Some((pair, ..)) = visited.get(index).copied() else { break };
            self.steps += 20;
            if one.is_quit_state(pair.first) || other.is_quit_state(pair.second) {
                return Answer::CannotSay;
            }
            if pair.rest == Rest::None && pair.is_sought(one, other, sought) {
                return spelled(&visited, index).map_or(Answer::CannotSay, Answer::Text);
            }
            for byte in BYTES {
                let Some(rest) = pair.rest.after(byte) else { continue };
                let next = pair.after(byte, rest, one, other);
                if next.is_hopeless(one, other, sought) || !seen.insert(next) {
                    continue;
                }
                if visited.len() >= PAIRS_MAX {
                    return Answer::CannotSay;
                }
                open.push_back(visited.len());
                visited.push((next, index, byte));
            }
        }
        Answer::None
    }
}

/// All bytes, plain characters first, so that a text which is found is one to read.
const BYTES: [u8; 256] = {
    let mut bytes = [0u8; 256];
    let (mut at, mut round) = (0, 0);
    while round < 3 {
        let mut byte = 0usize;
        while byte < 256 {
            let plain = if byte >= 97 && byte <= 122 {
                0
            } else if byte >= 32 && byte < 127 {
                1
            } else {
                2
            };
            if plain == round {
                #[expect(clippy::indexing_slicing, reason = "each byte is written once, 256 in all, at compile time")]
                {
                    bytes[at] = byte as u8;
                }
                at += 1;
            }
            byte += 1;
        }
        round += 1;
    }
    bytes
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pair {
    first: StateID,
    second: StateID,
    first_matched: bool,
    second_matched: bool,
    rest: Rest,
}

impl Pair {
    fn after(self, byte: u8, rest: Rest, one: &DFA<Vec<u32>>, other: &DFA<Vec<u32>>) -> Self {
        let (first, second) = (one.next_state(self.first, byte), other.next_state(self.second, byte));
        let first_matched = self.first_matched || one.is_match_state(first);
        let second_matched = self.second_matched || other.is_match_state(second);
        Pair { first, second, first_matched, second_matched, rest }.folded()
    }

    /// Once a pattern was found it stays found, and its automaton does not matter any more.
    fn folded(self) -> Self {
        let first = if self.first_matched { StateID::ZERO } else { self.first };
        let second = if self.second_matched { StateID::ZERO } else { self.second };
        Pair { first, second, ..self }
    }

    fn is_sought(self, one: &DFA<Vec<u32>>, other: &DFA<Vec<u32>>, sought: Sought) -> bool {
        let first = self.first_matched || one.is_match_state(one.next_eoi_state(self.first));
        let second = self.second_matched || other.is_match_state(other.next_eoi_state(self.second));
        first && (second == (sought == Sought::Both))
    }

    /// Whether nothing that follows can be what is sought.
    fn is_hopeless(self, one: &DFA<Vec<u32>>, other: &DFA<Vec<u32>>, sought: Sought) -> bool {
        let is_lost = |matched: bool, automaton: &DFA<Vec<u32>>, state| !matched && automaton.is_dead_state(state);
        is_lost(self.first_matched, one, self.first)
            || match sought {
                Sought::OnlyFirst => self.second_matched,
                Sought::Both => is_lost(self.second_matched, other, self.second),
            }
    }
}

/// What a character that was begun still needs (RFC 3629).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rest {
    None,
    One,
    Two,
    Three,
    /// The second byte after 0xE0, 0xED, 0xF0 and 0xF4 is bounded, which rules out overlong forms, surrogates and what is
    /// beyond Unicode.
    TwoFrom(u8, u8),
    ThreeFrom(u8, u8),
}

impl Rest {
    fn after(self, byte: u8) -> Option<Rest> {
        let continues = (0x80..=0xbf).contains(&byte);
        match self {
            Rest::None => match byte {
                0x00..=0x7f => Some(Rest::None),
                0xc2..=0xdf => Some(Rest::One),
                0xe0 => Some(Rest::TwoFrom(0xa0, 0xbf)),
                0xed => Some(Rest::TwoFrom(0x80, 0x9f)),
                0xe1..=0xef => Some(Rest::Two),
                0xf0 => Some(Rest::ThreeFrom(0x90, 0xbf)),
                0xf1..=0xf3 => Some(Rest::Three),
                0xf4 => Some(Rest::ThreeFrom(0x80, 0x8f)),
                _ => None,
            },
            Rest::One => continues.then_some(Rest::None),
            Rest::Two => continues.then_some(Rest::One),
            Rest::Three => continues.then_some(Rest::Two),
            Rest::TwoFrom(low, high) => (low..=high).contains(&byte).then_some(Rest::One),
            Rest::ThreeFrom(low, high) => (low..=high).contains(&byte).then_some(Rest::Two),
        }
    }
}

fn spelled(visited: &[(Pair, usize, u8)], mut index: usize) -> Option<String> {
    let mut bytes = Vec::new();
    while index != 0 {
        let (_, before, byte) = visited.get(index)?;
        bytes.push(*byte);
        index = *before;
        if bytes.len() > TEXT_MAX_BYTES {
            return None;
        }
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn within(first: &str, second: &str, expected: bool) {
        match Languages::default().only_first(first, second) {
            Answer::None => assert!(expected, "{first} within {second}"),
            Answer::Text(text) => {
                assert!(!expected, "{first} within {second}: {text:?}");
                let matches = |pattern: &str| super::super::Pattern::new(pattern.to_owned()).matches(&text).unwrap();
                assert!(matches(first) && !matches(second), "{first} within {second}: {text:?}");
            }
            Answer::CannotSay => panic!("{first} within {second} cannot be said"),
        }
    }

    #[test]
    fn inclusion_is_decided() {
        within("^ab", "^a", true);
        within("^a", "^ab", false);
        within("abc", "b", true);
        within("b", "abc", false);
        within("^(ab){0,3}$", "^(ab)*$", true);
        within("^(ab)*$", "^(ab){0,3}$", false);
        within("^p$", "(?:^p$)|(?:^q)", true);
        within("", "^[\\s\\S]*$", true);
        within("", "^.*$", false);
        within("^\\d+$", "^[0-9]+$", true);
        within("^[0-9a-f]{8}$", "^[\\s\\S]{8}$", true);
        within("^é+$", "^[^a]+$", true);
        within("^[^a]$", "^[\\s\\S]{1,1}$", true);
        within("a$", "^a", false);
    }

    #[test]
    fn a_common_text_is_found() {
        let mut languages = Languages::default();
        assert_eq!(languages.both("^a", "^b"), Answer::None);
        assert_eq!(languages.both("^a", "b$"), Answer::Text("ab".into()));
        assert_eq!(languages.both("^[a-c]+$", "\\d"), Answer::None);
        assert_eq!(languages.both("^a{5}$", "^[\\s\\S]{0,4}$"), Answer::None);
    }

    #[test]
    fn what_cannot_be_compared_is_not() {
        let mut languages = Languages::default();
        assert_eq!(languages.only_first("^(?=a)", "a"), Answer::CannotSay);
        assert_eq!(languages.only_first("(", "a"), Answer::CannotSay);
        assert_eq!(languages.only_first("a", "(?:[\\s\\S]*a[\\s\\S]{12}){3}"), Answer::CannotSay);
        assert!(languages.steps < 1_000_000);
    }
}
