//! Words of a schema as a refusal shows them.

use crate::location::{is_shown_whole, shown_name};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A word of the schema: escaped and at most 64 characters, so that it cannot steer the terminal or
/// the model that reads it (R6.3). Reads as a `str`.
///
/// # Example
///
/// ```
/// use toolgate::{Arguments, Contract};
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"mode":{"enum":["read","write"]}}}"#)?;
/// let refusal = contract.check(Arguments::from_text(r#"{"mode":"x"}"#)).unwrap_err();
/// assert_eq!(refusal.violations()[0].allowed(), ["read", "write"]);
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone)]
pub struct ShownWord(
    // A refusal holds many words and lives for a moment: they are shared with the schema, not copied.
    Arc<str>,
);

impl ShownWord {
    /// A word of the schema.
    pub(crate) fn shown(word: &Arc<str>) -> Self {
        if is_shown_whole(word) { ShownWord(Arc::clone(word)) } else { ShownWord::from(&**word) }
    }
}

impl From<&str> for ShownWord {
    fn from(word: &str) -> Self {
        ShownWord(shown_name(word).into())
    }
}

impl Deref for ShownWord {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ShownWord {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for ShownWord {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ShownWord {}

impl PartialEq<&str> for ShownWord {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Display for ShownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for ShownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shared_where_nothing_has_to_be_escaped() {
        let plain: Arc<str> = "plain".into();
        assert!(std::ptr::eq(&*ShownWord::shown(&plain), &*plain));
        assert_eq!(ShownWord::shown(&"a\nb".into()), "a\\u{a}b");
        assert_eq!(ShownWord::shown(&"k".repeat(65).into()), ShownWord::from("k".repeat(65).as_str()));
    }
}
