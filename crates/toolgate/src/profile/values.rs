//! The values of a profile by name, for tables that show them and for a configuration that changes one.

use super::{KeyPolicy, KindsSpelling, Patterns, Profile, PropertyNames, Recursion, Shape, Untyped, Words};

/// The words of a closed choice, each with what it stands for.
type Choices<T> = &'static [(&'static str, T)];

const SHAPES: Choices<Shape> = &[("registered", Shape::Registered), ("flat", Shape::Flat)];
const KINDS: Choices<KindsSpelling> =
    &[("type-list", KindsSpelling::TypeList), ("nullable", KindsSpelling::Nullable), ("one", KindsSpelling::One)];
const UNTYPED: Choices<Untyped> = &[("no-type", Untyped::NoType), ("all-types", Untyped::AllTypes)];
const RECURSION: Choices<Recursion> = &[("cut", Recursion::Cut), ("definitions", Recursion::Definitions)];
const KEY_POLICY: Choices<KeyPolicy> = &[("always", KeyPolicy::Always), ("never", KeyPolicy::Never)];
const WORDS: Choices<Words> = &[("scalars", Words::Scalars), ("strings", Words::Strings)];
const PATTERNS: Choices<Patterns> =
    &[("none", Patterns::None), ("linear", Patterns::Linear), ("anchored", Patterns::Anchored)];
const SWITCH: Choices<bool> = &[("true", true), ("false", false)];

impl Profile {
    /// Every value that can be changed, by name, in words that [`Profile::set`] reads.
    pub fn values(&self) -> Vec<(&'static str, String)> {
        let keywords = &self.keywords;
        let names = self.property_names;
        vec![
            ("shape", word(SHAPES, self.shape)),
            ("kinds", word(KINDS, self.kinds)),
            ("untyped", word(UNTYPED, self.untyped)),
            ("recursion", word(RECURSION, self.recursion)),
            ("key_policy", word(KEY_POLICY, self.key_policy)),
            ("words", word(WORDS, self.words)),
            ("bounds", word(SWITCH, keywords.bounds)),
            ("exclusive_bounds", word(SWITCH, keywords.exclusive_bounds)),
            ("multiple_of", word(SWITCH, keywords.multiple_of)),
            ("lengths", word(SWITCH, keywords.lengths)),
            ("pattern", word(PATTERNS, keywords.pattern)),
            ("item_counts", word(SWITCH, keywords.item_counts)),
            ("unique_items", word(SWITCH, keywords.unique_items)),
            ("property_counts", word(SWITCH, keywords.property_counts)),
            ("default", word(SWITCH, keywords.default)),
            ("mcp_header", word(SWITCH, keywords.mcp_header)),
            ("bound_max", limit(Some(self.bound_max).filter(|max| *max != u64::MAX))),
            ("description_chars_max", limit(Some(self.description_chars_max).filter(|max| *max != usize::MAX))),
            ("property_name_chars_max", limit(names.map(|names| names.chars_max))),
            ("tool_name_chars_max", self.tool_names.chars_max.to_string()),
            ("tools_max", limit(self.tools_max)),
        ]
    }

    /// Changes one value by name. A number or, where there may be no limit, `none`.
    ///
    /// # Errors
    ///
    /// Says in words which names or values there are.
    ///
    /// # Example
    ///
    /// ```
    /// let mut profile = toolgate::Profile::portable().clone();
    /// profile.set("pattern", "none")?;
    /// profile.set("description_chars_max", "300")?;
    /// assert_eq!(profile.description_chars_max, 300);
    /// assert!(profile.set("pattern", "some").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let keywords = &mut self.keywords;
        match name {
            "shape" => self.shape = choose(name, value, SHAPES)?,
            "kinds" => self.kinds = choose(name, value, KINDS)?,
            "untyped" => self.untyped = choose(name, value, UNTYPED)?,
            "recursion" => self.recursion = choose(name, value, RECURSION)?,
            "key_policy" => self.key_policy = choose(name, value, KEY_POLICY)?,
            "words" => self.words = choose(name, value, WORDS)?,
            "bounds" => keywords.bounds = choose(name, value, SWITCH)?,
            "exclusive_bounds" => keywords.exclusive_bounds = choose(name, value, SWITCH)?,
            "multiple_of" => keywords.multiple_of = choose(name, value, SWITCH)?,
            "lengths" => keywords.lengths = choose(name, value, SWITCH)?,
            "pattern" => keywords.pattern = choose(name, value, PATTERNS)?,
            "item_counts" => keywords.item_counts = choose(name, value, SWITCH)?,
            "unique_items" => keywords.unique_items = choose(name, value, SWITCH)?,
            "property_counts" => keywords.property_counts = choose(name, value, SWITCH)?,
            "default" => keywords.default = choose(name, value, SWITCH)?,
            "mcp_header" => keywords.mcp_header = choose(name, value, SWITCH)?,
            "bound_max" => self.bound_max = number(name, value)?.unwrap_or(u64::MAX),
            "description_chars_max" => self.description_chars_max = count(name, value)?.unwrap_or(usize::MAX),
            "property_name_chars_max" => {
                let open = PropertyNames { others: "-.$", starts_with_letter: false, chars_max: 0, root_only: false };
                let names = self.property_names.unwrap_or(open);
                self.property_names = count(name, value)?.map(|chars_max| PropertyNames { chars_max, ..names });
            }
            "tool_name_chars_max" => self.tool_names.chars_max = count(name, value)?.unwrap_or(usize::MAX),
            "tools_max" => self.tools_max = count(name, value)?,
            _ => {
                let names: Vec<&str> = self.values().into_iter().map(|(name, _)| name).collect();
                return Err(format!("a profile has no value `{name}`; it has {}", names.join(", ")));
            }
        }
        Ok(())
    }
}

fn word<T: PartialEq>(choices: Choices<T>, value: T) -> String {
    choices.iter().find(|(_, choice)| *choice == value).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

fn choose<T: Copy>(name: &str, value: &str, choices: Choices<T>) -> Result<T, String> {
    let found = choices.iter().find(|(word, _)| *word == value).map(|(_, choice)| *choice);
    found.ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        format!("`{name}` is one of {}", words.join(", "))
    })
}

fn limit<T: ToString>(limit: Option<T>) -> String {
    limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string())
}

fn number(name: &str, value: &str) -> Result<Option<u64>, String> {
    if value == "none" {
        return Ok(None);
    }
    value.parse().map(Some).map_err(|_| format!("`{name}` is a whole number or `none`"))
}

fn count(name: &str, value: &str) -> Result<Option<usize>, String> {
    Ok(number(name, value)?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Every value by the name that sources have for it, those too that are no value of a configuration.
    fn facts(profile: &Profile) -> BTreeMap<&'static str, String> {
        let characters = |others: &str, starts_with_letter: bool| format!("{others:?} {starts_with_letter}");
        let names = profile.property_names;
        let names = names.map(|names| (characters(names.others, names.starts_with_letter), names.root_only));
        let rest = [
            ("tool_names", characters(profile.tool_names.others, profile.tool_names.starts_with_letter)),
            ("property_names", format!("{names:?}")),
            ("strict", format!("{:?}", profile.strict)),
            ("reads", format!("{:?}", profile.reads)),
            ("clients", format!("{:?}", profile.clients)),
        ];
        profile.values().into_iter().chain(rest).collect()
    }

    #[test]
    fn every_value_was_read_somewhere() {
        for profile in Profile::all() {
            let base = profile.base.map(|name| facts(Profile::named(name).unwrap()));
            assert_eq!(base.is_none(), profile.name == "portable", "{profile}");
            for (name, value) in facts(profile) {
                let is_own = base.as_ref().is_none_or(|base| base[name] != value);
                let is_told = profile.sources.iter().any(|source| source.about.contains(&name));
                assert!(is_told || !is_own, "no source of {profile} tells {name} = {value}");
                assert!(!profile.sources_of(name).is_empty(), "{name} of {profile}");
            }
        }
    }

    #[test]
    fn no_source_is_about_what_is_no_value() {
        for profile in Profile::all() {
            let facts = facts(profile);
            let mut titles = std::collections::BTreeSet::new();
            for source in profile.sources {
                assert!(titles.insert(source.title), "{profile} names twice: {}", source.title);
                assert!(!source.about.is_empty() && !source.title.is_empty(), "{profile}: {}", source.title);
                assert!(source.about.iter().all(|name| facts.contains_key(name)), "{profile}: {:?}", source.about);
                assert!(source.seen.starts_with("202"), "{profile}: {}", source.seen);
            }
        }
    }

    #[test]
    fn a_base_is_another_profile_and_comes_first() {
        let names: Vec<&str> = Profile::all().iter().map(|profile| profile.name).collect();
        for (at, profile) in Profile::all().iter().enumerate() {
            assert!(profile.base.is_none_or(|base| names[..at].contains(&base)), "{profile}");
        }
    }

    #[test]
    fn clients_are_known_by_how_they_begin_their_name() {
        let known = [
            ("claude-code", "claude-code"),
            ("claude-ai", "anthropic"),
            ("claude-ai (via mcp-remote 0.1.37)", "anthropic"),
            ("Visual Studio Code", "vscode"),
            ("Visual Studio Code - Insiders", "vscode"),
            ("Visual-Studio-Code", "vscode"),
            ("cursor-vscode", "cursor"),
            ("Cursor", "cursor"),
            ("codex-mcp-client", "codex"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("Windsurf", "portable"),
            ("", "portable"),
        ];
        for (client, profile) in known {
            assert_eq!(Profile::of_client(client).name, profile, "{client}");
        }
        // No prefix of one hides another's, since the first row that knows a name is taken.
        let mut seen: Vec<&str> = Vec::new();
        for client in Profile::all().iter().flat_map(|profile| profile.clients) {
            assert_eq!(*client, client.to_lowercase());
            assert!(seen.iter().all(|other| !client.starts_with(other) && !other.starts_with(client)), "{client}");
            seen.push(client);
        }
    }

    #[test]
    fn every_value_can_be_set_to_what_it_is() {
        for profile in Profile::all() {
            let mut same = profile.clone();
            for (name, value) in profile.values() {
                assert!(!value.is_empty(), "{name} of {profile}");
                same.set(name, &value).unwrap();
            }
            assert_eq!(same, *profile);
        }
    }

    #[test]
    fn names_of_profiles_are_unique() {
        let names: std::collections::HashSet<_> = Profile::all().iter().map(|profile| profile.name).collect();
        assert_eq!((names.len(), Profile::all().first().unwrap().name), (Profile::all().len(), "portable"));
    }
}
