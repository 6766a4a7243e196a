//! One reader's set in numbers.

use super::request::is_open;
use super::sizes::Size;
use crate::profile::Profile;
use crate::tool_set::ToolSet;
use toolgate_proof::Verdict;

/// What became of the tools of a set, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tools, closed ones too.
    pub tools: usize,
    /// Tools that are closed, and entries that are no tools.
    pub closed: usize,
    /// Tools that are shown.
    pub shown: usize,
    /// Of these, those whose proof stands.
    pub proven: usize,
    /// Of these, those that are shown wider than the reader's own form.
    pub fell_back: usize,
    /// Of these, those of which nothing is shown but an object.
    pub open: usize,
    /// Of these, those that keep the rules of the reader's strict mode.
    pub strict: usize,
    /// The definitions of the shown tools as they came.
    pub served: Size,
    /// The same as they are shown.
    pub sent: Size,
}

impl Summary {
    /// Counts a set that was published for `profile`.
    ///
    /// ```
    /// use toolgate::{Policy, Profile, Showing, ToolSet, lint::Summary};
    /// let list = [r#"{"name":"t","inputSchema":{"type":"object"}}"#, r#"{"name":"u","inputSchema":7}"#];
    /// let set = ToolSet::publish(list, &Showing::default(), &|_| Policy::default());
    /// let summary = Summary::of(&set, Profile::portable());
    /// assert_eq!((summary.tools, summary.closed, summary.proven), (2, 1, 1));
    /// ```
    pub fn of(set: &ToolSet, profile: &Profile) -> Summary {
        let mut summary = Summary { closed: set.misfits().len(), ..Summary::default() };
        for tool in set.tools() {
            summary.tools += 1;
            let Some(published) = tool.published() else {
                summary.closed += 1;
                continue;
            };
            summary.shown += 1;
            summary.proven += usize::from(published.proof.verdict == Verdict::Proven);
            summary.fell_back += usize::from(published.fell_back.is_some());
            summary.open += usize::from(is_open(published));
            summary.strict += usize::from(profile.strict.is_some() && published.advertised.is_strict);
            summary.served = summary.served + Size::served(tool);
            summary.sent = summary.sent + Size::shown(tool);
        }
        summary
    }
}
