//! What definitions take of a model's context, as they came and as they are shown.

use super::names::of_definition;
use crate::tool_set::Tool;
use std::iter::Sum;
use std::ops::Add;

/// Bytes of JSON without the white space between its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes.
    pub bytes: usize,
}

impl Size {
    /// Of the tool object as the server serves it.
    ///
    /// ```
    /// use toolgate::{Policy, Showing, ToolSet, lint::Size};
    /// let list = [r#"{ "name": "t", "inputSchema": { "type": "object" } }"#];
    /// let set = ToolSet::publish(list, &Showing::default(), &|_| Policy::default());
    /// let tool = set.get("t").unwrap();
    /// assert_eq!(Size::served(tool).bytes, r#"{"name":"t","inputSchema":{"type":"object"}}"#.len());
    /// assert!(Size::shown(tool).bytes > Size::served(tool).bytes, "its key policy is said");
    /// ```
    pub fn served(tool: &Tool) -> Size {
        let Ok(contract) = tool.contract() else { return shown(tool) };
        // A tool without a schema is shown as it came.
        let sent = of_definition(tool, |root| root.get("inputSchema").map(|schema| compact_bytes(schema.text())));
        match sent.flatten() {
            Some(sent) => {
                Size { bytes: shown(tool).bytes.saturating_sub(sent) + compact_bytes(contract.schema_text()) }
            }
            None => shown(tool),
        }
    }

    /// Of the tool object as it is shown; of a closed tool as it came.
    pub fn shown(tool: &Tool) -> Size {
        shown(tool)
    }

    /// An estimate of the tokens: one for every four bytes.
    pub fn tokens(self) -> usize {
        self.bytes.div_ceil(4)
    }
}

pub(super) fn shown(tool: &Tool) -> Size {
    Size { bytes: compact_bytes(tool.definition()) }
}

impl Add for Size {
    type Output = Size;
    fn add(self, other: Size) -> Size {
        Size { bytes: self.bytes + other.bytes }
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Size>>(sizes: I) -> Size {
        sizes.fold(Size::default(), Size::add)
    }
}

/// Bytes of JSON text without the white space between its tokens: catalogues are kept indented, and servers send one line.
///
/// ```
/// assert_eq!(toolgate::lint::compact_bytes(r#"{ "a b": 1 }"#), r#"{"a b":1}"#.len());
/// ```
pub fn compact_bytes(text: &str) -> usize {
    let (mut bytes, mut is_string, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b' ' | b'\t' | b'\n' | b'\r' if !is_string => continue,
            _ => {}
        }
        bytes += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_between_tokens_is_not_counted() {
        assert_eq!(compact_bytes("{ \"a b\\\" c\" :\n [ 1 , 2 ] }"), r#"{"a b\" c":[1,2]}"#.len());
    }
}
