//! Gathers the findings of one tool, so many of a rule and then a count: a schema of strangers may have any number.

use super::{Finding, Place, Rule};

/// Findings of one rule and one tool that are listed. More would be read by nobody.
const LISTED_MAX: usize = 20;
/// Bytes of a pointer; of a longer one the beginning tells enough, and a name may be as long as a document.
const POINTER_MAX_BYTES: usize = 2_000;

pub(super) struct Findings<'t> {
    tool: Option<&'t str>,
    profile: Option<&'static str>,
    found: Vec<Finding>,
    /// Rules past what is listed, with how often.
    more: Vec<(Rule, usize)>,
}

impl<'t> Findings<'t> {
    pub(super) fn new(tool: Option<&'t str>, profile: Option<&'static str>) -> Self {
        Findings { tool, profile, found: Vec::new(), more: Vec::new() }
    }

    /// Adds what a rule found. The place is asked for only where it is listed.
    pub(super) fn add(&mut self, rule: Rule, place: impl FnOnce() -> Place, message: impl Into<String>) {
        let listed = self.found.iter().rev().take_while(|finding| finding.rule == rule).count();
        if listed < LISTED_MAX {
            self.push(rule, cut(place()), message.into());
        } else {
            match self.more.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, count)) => *count += 1,
                None => self.more.push((rule, 1)),
            }
        }
    }

    fn push(&mut self, rule: Rule, place: Place, message: String) {
        let tool = self.tool.map(str::to_owned);
        self.found.push(Finding { rule, tool, place, profile: self.profile, message });
    }

    /// All of them, in the order in which they were found, then the counts.
    pub(super) fn end(mut self) -> Vec<Finding> {
        for (rule, count) in std::mem::take(&mut self.more) {
            self.push(rule, Place::Whole, format!("and {count} more of the same"));
        }
        self.found
    }
}

fn cut(mut place: Place) -> Place {
    if let Place::Schema(pointer) | Place::Arguments(pointer) = &mut place
        && pointer.len() > POINTER_MAX_BYTES
    {
        let end = pointer.char_indices().map(|(at, _)| at).take_while(|at| *at <= POINTER_MAX_BYTES).last();
        pointer.truncate(end.unwrap_or(0));
        pointer.push('…');
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_read_by_nobody_is_counted() {
        let mut findings = Findings::new(Some("t"), None);
        for index in 0..50 {
            findings.add(Rule::UntypedField, || Place::Schema(format!("/{index}")), "no type");
        }
        findings.add(Rule::SetAside, || Place::Whole, "left");
        let found = findings.end();
        assert_eq!(found.len(), 22);
        assert_eq!(found.last().unwrap().message, "and 30 more of the same");
    }
}
