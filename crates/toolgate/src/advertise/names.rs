//! Names of properties under which a reader cannot take them, each with one that it can (a `rename` step of decoding).

use super::flat::FlatObject;
use crate::profile::Profile;
use std::collections::{HashMap, HashSet};

/// The names under which the properties of one object are sent.
pub(super) struct Names<'o> {
    renamed: HashMap<&'o str, String>,
}

impl<'o> Names<'o> {
    pub(super) fn of(object: &'o FlatObject, profile: &Profile, is_root: bool) -> Self {
        let mut renamed = HashMap::new();
        let rule = profile.property_names.filter(|rule| is_root || !rule.root_only);
        if let Some(rule) = rule {
            let mut taken: HashSet<String> = object.props.iter().map(|prop| prop.name.clone()).collect();
            for prop in object.props.iter().filter(|prop| !rule.admits(&prop.name)) {
                let safe = safe(&prop.name, rule.others, rule.chars_max);
                let candidates =
                    std::iter::once(safe.clone()).chain((2..).map(|number| numbered(&safe, number, rule.chars_max)));
                let sent = candidates.take(taken.len() + 2).find(|name| !taken.contains(name) && rule.admits(name));
                if let Some(sent) = sent {
                    taken.insert(sent.clone());
                    renamed.insert(prop.name.as_str(), sent);
                }
            }
        }
        Names { renamed }
    }

    pub(super) fn sent<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).map_or(name, String::as_str)
    }
}

fn safe(name: &str, others: &str, chars_max: usize) -> String {
    let taken = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || others.contains(ch);
    let safe: String = name.chars().map(|ch| if taken(ch) { ch } else { '_' }).take(chars_max).collect();
    let safe = safe.trim_end_matches('_');
    match safe.chars().next() {
        Some(first) if first.is_ascii_alphabetic() || first == '_' => safe.to_owned(),
        Some(_) => format!("_{safe}").chars().take(chars_max).collect(),
        None => "key".to_owned(),
    }
}

fn numbered(name: &str, number: usize, chars_max: usize) -> String {
    let suffix = format!("_{number}");
    let kept: String = name.chars().take(chars_max.saturating_sub(suffix.len())).collect();
    kept + &suffix
}
