//! The pages of a list, put together within bounds.

use super::{LINE_MAX_BYTES, read};
use std::collections::HashSet;
use toolgate::json::{Kind, Value};

/// Tools of one list, as for the guard.
const TOOLS_MAX: usize = 10_000;
/// Bytes of all pages.
const BYTES_MAX: usize = LINE_MAX_BYTES;
const PAGES_MAX: usize = 1_000;

#[derive(Default)]
pub(super) struct Pages {
    definitions: Vec<String>,
    cursors: HashSet<String>,
    bytes: usize,
}

impl Pages {
    /// Takes the result of one page; the cursor of the next, a JSON string as written.
    pub(super) fn add(&mut self, result: &str) -> Result<Option<String>, String> {
        self.bytes = self.bytes.saturating_add(result.len());
        let document = read(result).ok_or("it is no JSON")?;
        let root = document.root();
        let tools =
            only(root, "tools")?.filter(|tools| tools.kind() == Kind::Array).ok_or("it has no list of tools")?;
        self.definitions.extend(tools.items().map(|tool| tool.text().to_owned()));
        if self.definitions.len() > TOOLS_MAX || self.bytes > BYTES_MAX {
            return Err("the list is larger than the limit".into());
        }
        let is_cursor = |cursor: &Value<'_>| cursor.kind() == Kind::String && !cursor.is_str("");
        let Some(cursor) = only(root, "nextCursor")?.filter(is_cursor) else { return Ok(None) };
        if self.cursors.len() >= PAGES_MAX {
            return Err("the list has more pages than the limit".into());
        }
        if !self.cursors.insert(cursor.text().to_owned()) {
            return Err("the list leads back to a page that was read".into());
        }
        Ok(Some(cursor.text().to_owned()))
    }

    pub(super) fn into_definitions(self) -> Vec<String> {
        self.definitions
    }
}

/// The member of this name; an error where there are two of them, which readers read differently.
fn only<'d>(object: Value<'d>, name: &str) -> Result<Option<Value<'d>>, String> {
    object.get_only(name).map_err(|_| format!("it gives `{name}` twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_on_and_never_back() {
        let mut pages = Pages::default();
        assert_eq!(pages.add(r#"{"tools":[{"name":"a"}],"nextCursor":"c\"1"}"#), Ok(Some(r#""c\"1""#.to_owned())));
        assert!(pages.add(r#"{"tools":[],"nextCursor":"c\"1"}"#).is_err());
        assert_eq!(pages.add(r#"{"tools":[{"name":"b", "x": 1.50}],"nextCursor":null}"#), Ok(None));
        assert_eq!(pages.definitions, [r#"{"name":"a"}"#, r#"{"name":"b", "x": 1.50}"#]);
    }

    #[test]
    fn a_list_without_end_is_bounded() {
        let mut pages = Pages::default();
        let ended =
            (0..=PAGES_MAX).find_map(|page| pages.add(&format!(r#"{{"tools":[],"nextCursor":"{page}"}}"#)).err());
        assert_eq!(ended.as_deref(), Some("the list has more pages than the limit"));
        let tools = format!(r#"{{"tools":[{}]}}"#, vec!["1"; TOOLS_MAX + 1].join(","));
        assert!(Pages::default().add(&tools).is_err());
        for result in ["{}", "7", r#"{"tools":{}}"#, r#"{"tools":[],"tools":[]}"#] {
            assert!(Pages::default().add(result).is_err(), "{result}");
        }
    }
}
