//! What the reader of an advertised schema takes: a typed table, one row a reader.
//!
//! A value that was not verified counts as not supported: it is left out of what is advertised, and said in words.

mod sources;
mod table;
mod values;

use crate::schema::spelling::Spelling;
use std::fmt;

/// A kind of reader and what it takes of a tool's schema. Every field can be set by the host.
///
/// # Example
///
/// ```
/// use toolgate::Profile;
/// let mut mine = Profile::named("portable").unwrap().clone();
/// mine.description_chars_max = 300;
/// assert_eq!(mine.name, "portable");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The word that selects it.
    pub name: &'static str,
    /// Who reads it, in words.
    pub reader: &'static str,
    /// Whether the contract's own composition is kept, or every place is flat.
    pub shape: Shape,
    /// How a place of several kinds is written.
    pub kinds: KindsSpelling,
    /// How a place that takes any value is written.
    pub untyped: Untyped,
    /// How a schema that refers to itself is written.
    pub recursion: Recursion,
    /// When `additionalProperties` is written.
    pub key_policy: KeyPolicy,
    /// What may stand in `enum`.
    pub words: Words,
    /// Keywords beyond types, properties and items.
    pub keywords: Keywords,
    /// Bounds on lengths and counts above this are left out.
    pub bound_max: u64,
    /// Which names of properties the reader takes; others are renamed and read back.
    pub property_names: Option<PropertyNames>,
    /// Characters of one description.
    pub description_chars_max: usize,
    /// Which tool names the reader takes.
    pub tool_names: ToolNames,
    /// Tools of one request; `None` where no limit is known.
    pub tools_max: Option<usize>,
    /// Rules of a strict mode, for a profile that asks for it.
    pub strict: Option<Strict>,
    /// How clients that are this reader begin their name in the handshake, in lower case.
    pub clients: &'static [&'static str],
    /// How its reader departs from the standard; part of what is proven.
    pub reads: Reads,
    /// The profile whose values it has where its own sources tell nothing; `None` for the default.
    pub base: Option<&'static str>,
    /// Where its own values were read; [`Profile::sources_of`] also looks at those of its base.
    pub sources: &'static [Source],
}

/// Whether unions stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The contract as registered, with its key policy said.
    Registered,
    /// One flat form: no `oneOf`, `anyOf`, `allOf`, `not`, `if`.
    Flat,
}

/// A place that takes values of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindsSpelling {
    /// `type: [a, b]`.
    TypeList,
    /// `type: a, nullable: true` for one kind and null; any value for more.
    Nullable,
    /// One kind, or any value.
    One,
}

/// A place that takes any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untyped {
    /// A description without `type`.
    NoType,
    /// The list of all types; inside, a description without `type`.
    AllTypes,
}

/// A schema that refers to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// Cut to its kind at the first repetition.
    Cut,
    /// `$ref` to a definition.
    Definitions,
}

/// When `additionalProperties` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPolicy {
    /// On every object.
    Always,
    /// Never: the reader does not take the keyword.
    Never,
}

/// What may stand in `enum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Any scalars.
    Scalars,
    /// Strings that are not empty.
    Strings,
}

/// Keywords that the reader takes as they are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "a set of keywords by name")]
pub struct Keywords {
    /// `minimum`, `maximum`.
    pub bounds: bool,
    /// `exclusiveMinimum`, `exclusiveMaximum` as numbers.
    pub exclusive_bounds: bool,
    /// `multipleOf`.
    pub multiple_of: bool,
    /// `minLength`, `maxLength`.
    pub lengths: bool,
    /// `pattern`, searched.
    pub pattern: Patterns,
    /// `minItems`, `maxItems`.
    pub item_counts: bool,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `minProperties`, `maxProperties`.
    pub property_counts: bool,
    /// `default`.
    pub default: bool,
    /// `x-mcp-header`.
    pub mcp_header: bool,
}

/// Which patterns the reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patterns {
    /// None.
    None,
    /// Those of a linear-time engine: no look-around, no reference back.
    Linear,
    /// Of these, those that are anchored at both ends, which a full match reads the same.
    Anchored,
}

/// How a reader departs from the meaning that the standard gives a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent departures, each with a name of its own")]
pub struct Reads {
    /// An object schema without `additionalProperties` refuses undeclared keys.
    pub absent_key_policy_is_closed: bool,
    /// `pattern` matches the whole text.
    pub pattern_is_full_match: bool,
    /// A place without a type is a string.
    pub untyped_is_string: bool,
    /// `nullable: true` admits null.
    pub nullable: bool,
}

/// Which names of properties a reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyNames {
    /// Characters beside ASCII letters, digits and `_`.
    pub others: &'static str,
    /// Whether the first must be a letter or `_`.
    pub starts_with_letter: bool,
    /// Characters.
    pub chars_max: usize,
    /// Whether only the arguments' own names are held to it.
    pub root_only: bool,
}

/// Which tool names a reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolNames {
    /// Characters beside ASCII letters, digits and `_`.
    pub others: &'static str,
    /// Whether the first must be a letter or `_`.
    pub starts_with_letter: bool,
    /// Characters that are left for the tool's own name.
    pub chars_max: usize,
}

/// What a strict mode asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strict {
    /// Every property is required; one that may be absent is nullable and null is read as absent.
    pub all_required: bool,
    /// Properties that may be absent, over all strict tools of a request.
    pub optional_max: Option<usize>,
    /// Places of several kinds, over all strict tools of a request.
    pub unions_max: Option<usize>,
    /// Properties of one schema.
    pub properties_max: Option<usize>,
    /// Levels of nesting of one schema.
    pub depth_max: Option<usize>,
    /// Words in all `enum`s of one schema.
    pub words_max: Option<usize>,
    /// Tools of one request.
    pub tools_max: Option<usize>,
    /// Whether a schema may refer to itself.
    pub recursion: bool,
    /// A place may take several kinds of which one is an object or a list.
    pub compound_lists: bool,
    /// Words of an `enum` may come back with other capitals.
    pub enum_case_varies: bool,
    /// The profile for a tool that cannot be strict.
    pub otherwise: &'static str,
}

/// Where values of the table were read, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What was read: product, document or report, version.
    pub title: &'static str,
    /// When it was read or, of reports, when they were written; as exactly as it is known, `2026-11` or `2026-01 to 2026-09`.
    pub seen: &'static str,
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// The values that it tells, by the names of [`Profile::values`], and `tool_names`, `property_names`, `strict`, `reads` and
    /// `clients` for the fields that have no name there.
    pub about: &'static [&'static str],
}

/// How far a source can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// The vendor's own text, service model or shipped code, or several answers of the live service.
    High,
    /// One answer of the live service, or an older text.
    Medium,
    /// Inferred, or not stated: the cautious reading is taken.
    Low,
    /// Nothing was read: no reader decides it, and the title says why it is so.
    Chosen,
}

impl Profile {
    /// The profile of this name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        Profile::all().iter().find(|profile| profile.name == name)
    }

    /// The profile whose name is nearest to one that no profile has, where one is near.
    ///
    /// ```
    /// assert_eq!(toolgate::Profile::near("opnai").map(|profile| profile.name), Some("openai"));
    /// assert!(toolgate::Profile::near("mainframe").is_none());
    /// ```
    pub fn near(name: &str) -> Option<&'static Profile> {
        let spelling = Spelling::of(name)?;
        let distance = |profile: &'static Profile| {
            let other = Spelling::of(profile.name)?;
            Some((spelling.distance(name, other, profile.name)?, profile))
        };
        Profile::all().iter().filter_map(distance).min_by_key(|(distance, _)| *distance).map(|(_, profile)| profile)
    }

    /// All profiles, the default first.
    pub fn all() -> &'static [Profile] {
        table::PROFILES
    }

    /// The profile of the client that calls itself `name` in the handshake; the default where it is not known.
    ///
    /// ```
    /// assert_eq!(toolgate::Profile::of_client("claude-code").name, "claude-code");
    /// assert_eq!(toolgate::Profile::of_client("my-agent").name, "portable");
    /// ```
    pub fn of_client(name: &str) -> &'static Profile {
        let name = name.to_lowercase();
        let knows = |profile: &&Profile| profile.clients.iter().any(|client| name.starts_with(client));
        Profile::all().iter().find(knows).unwrap_or(Profile::portable())
    }

    /// Where one value of the table was read, by the name that [`Source::about`] has for it: the sources of this profile that
    /// tell it, else those of its base. A value that the host has changed is the host's.
    ///
    /// ```
    /// let cursor = toolgate::Profile::named("cursor").unwrap();
    /// assert!(cursor.sources_of("tools_max").iter().any(|source| source.title.contains("Cursor warns")));
    /// ```
    pub fn sources_of(&self, value: &str) -> Vec<&'static Source> {
        let own: Vec<&'static Source> = self.sources.iter().filter(|source| source.about.contains(&value)).collect();
        match self.base.and_then(Profile::named) {
            Some(base) if own.is_empty() => base.sources_of(value),
            _ => own,
        }
    }

    /// What is advertised where nothing else is asked.
    pub fn portable() -> &'static Profile {
        &table::PORTABLE
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
            Confidence::Chosen => "chosen",
        })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PropertyNames {
    /// Whether a name is taken as it is.
    pub(crate) fn admits(&self, name: &str) -> bool {
        is_name(name, self.others, self.starts_with_letter, self.chars_max)
    }
}

impl ToolNames {
    /// Whether a tool of this name is taken.
    pub fn admits(&self, name: &str) -> bool {
        is_name(name, self.others, self.starts_with_letter, self.chars_max)
    }
}

fn is_name(name: &str, others: &str, starts_with_letter: bool, chars_max: usize) -> bool {
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || others.contains(ch);
    let first = name.chars().next();
    first.is_some_and(|first| !starts_with_letter || first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(is_taken)
        && name.chars().count() <= chars_max
}
