//! The allow file: findings that somebody looked at and lives with. An entry that allows nothing any more is reported, since
//! it would hide the next finding at that place.

use std::cell::Cell;
use toolgate::Limits;
use toolgate::json::{Document, Strictness};
use toolgate::lint::{Finding, Rule};

#[derive(Debug, Default)]
pub(super) struct Allowed {
    entries: Vec<Entry>,
}

/// One line.
#[derive(Debug)]
pub(super) struct Entry {
    /// Counted from one.
    pub(super) line: usize,
    /// As it is written.
    pub(super) text: String,
    rule: Option<Rule>,
    tool: Option<String>,
    location: Option<String>,
    is_used: Cell<bool>,
}

impl Allowed {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Names the first line that is no entry.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let entries: Result<Vec<Entry>, String> =
            entries.map(|(line, text)| Entry::read(line, text).map_err(|why| format!("line {line}: {why}"))).collect();
        entries.map(|entries| Allowed { entries })
    }

    /// Whether an entry allows the finding; each that does is used.
    pub(super) fn allows(&self, finding: &Finding) -> bool {
        let matching = self.entries.iter().filter(|entry| entry.allows(finding));
        matching.fold(false, |_, entry| {
            entry.is_used.set(true);
            true
        })
    }

    /// Entries that allowed nothing.
    pub(super) fn stale(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.is_used.get())
    }
}

impl Entry {
    fn read(line: usize, text: &str) -> Result<Self, String> {
        let (rule, rest) = field(text)?;
        let (tool, rest) = field(rest)?;
        let (location, rest) = field(rest)?;
        if !rest.is_empty() {
            return Err("an entry is a rule, a tool and a place; white space inside one needs quotes".into());
        }
        let rule = rule.map(|id| Rule::named(&id).ok_or_else(|| format!("there is no rule `{id}`"))).transpose()?;
        Ok(Entry { line, text: text.to_owned(), rule, tool, location, is_used: Cell::new(false) })
    }

    fn allows(&self, finding: &Finding) -> bool {
        let is_tool = |tool: &String| finding.tool.as_deref().unwrap_or_default() == tool;
        self.rule.is_none_or(|rule| rule == finding.rule)
            && self.tool.as_ref().is_none_or(is_tool)
            && self.location.as_deref().is_none_or(|location| location == finding.place.pointer())
    }
}

/// The first field, `None` for `*`, and what follows it.
fn field(text: &str) -> Result<(Option<String>, &str), String> {
    let text = text.trim_start();
    if text.is_empty() {
        return Err("an entry is a rule, a tool and a place".into());
    }
    if text.starts_with('"') {
        let end = closing_quote(text).ok_or("a quote is not closed")?;
        let (quoted, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let document = Document::read_str(quoted, Strictness::Strict, &Limits::default());
        let value = document.ok().and_then(|document| document.root().as_str().map(std::borrow::Cow::into_owned));
        return Ok((Some(value.ok_or("what stands in quotes is no JSON string")?), rest));
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Ok(((word != "*").then(|| word.to_owned()), rest))
}

/// The end of the JSON string that the text begins with.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::lint::Place;

    fn finding(rule: Rule, tool: Option<&str>, pointer: &str) -> Finding {
        let place = if pointer.is_empty() { Place::Whole } else { Place::Schema(pointer.to_owned()) };
        Finding { rule, tool: tool.map(str::to_owned), place, profile: None, message: String::new() }
    }

    #[test]
    fn an_entry_names_rule_tool_and_place_or_any() {
        let allowed = Allowed::read(
            "# what we live with\n\nuntyped-field  search  /properties/a\nambiguous-string * *\n* \"my tool\" \"/properties/a b\"\n",
        )
        .unwrap();
        assert!(allowed.allows(&finding(Rule::UntypedField, Some("search"), "/properties/a")));
        assert!(!allowed.allows(&finding(Rule::UntypedField, Some("search"), "/properties/b")));
        assert!(!allowed.allows(&finding(Rule::UntypedField, None, "/properties/a")));
        assert!(allowed.allows(&finding(Rule::AmbiguousString, None, "")));
        assert_eq!(allowed.stale().map(|entry| entry.line).collect::<Vec<_>>(), [5]);
        assert!(allowed.allows(&finding(Rule::SetAside, Some("my tool"), "/properties/a b")));
        assert_eq!(allowed.stale().count(), 0);
    }

    #[test]
    fn an_empty_place_is_the_whole() {
        let allowed = Allowed::read("* t \"\"").unwrap();
        assert!(allowed.allows(&finding(Rule::ToolName, Some("t"), "")));
        assert!(!allowed.allows(&finding(Rule::ToolName, Some("t"), "/a")));
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, expected) in [
            ("\nuntyped-feild t *", "line 2: there is no rule `untyped-feild`"),
            ("untyped-field t", "line 1: an entry is a rule, a tool and a place"),
            ("untyped-field my tool *", "line 1: an entry is a rule, a tool and a place; white space"),
            ("untyped-field \"t *", "line 1: a quote is not closed"),
            ("untyped-field \"\\x\" *", "line 1: what stands in quotes"),
        ] {
            let why = Allowed::read(text).unwrap_err();
            assert!(why.starts_with(expected), "{why}");
        }
    }
}
