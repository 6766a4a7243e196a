//! What a caller can say about the two documents: the policy for unknown keys, the dialect, the decode steps, and how the
//! reader of the advertised schema departs from the standard.

/// What the contract does with keys that it does not declare (R3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownKeys {
    /// The root refuses them, unless it says otherwise itself.
    #[default]
    CloseRoot,
    /// So does every object location that declares properties and is silent about others.
    CloseDeclared,
    /// Nothing but what the document says.
    AsWritten,
}

/// A version of JSON Schema, in the order of their age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// draft-04
    Draft4,
    /// draft-06
    Draft6,
    /// draft-07
    Draft7,
    /// 2019-09
    Draft201909,
    /// 2020-12, which a document without `$schema` is in.
    Draft202012,
}

impl Dialect {
    pub(crate) fn from_uri(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
        Some(match name.strip_prefix("json-schema.org/")? {
            "draft-04/schema" => Dialect::Draft4,
            "draft-06/schema" => Dialect::Draft6,
            "draft-07/schema" => Dialect::Draft7,
            "draft/2019-09/schema" => Dialect::Draft201909,
            "draft/2020-12/schema" => Dialect::Draft202012,
            _ => return None,
        })
    }
}

/// A change that is made to arguments before they are read, because a reader of schemas forced another shape on them.
///
/// A location is an RFC 6901 pointer into the arguments as the *contract* names them; the segment `*` stands for any
/// item and for any name that no other step's location has in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeStep {
    /// A `null` at the location is read as the absence of its key.
    NullMeansAbsent {
        /// Of the key.
        location: String,
    },
    /// The key `sent` of the object at the location is read as `name`.
    Rename {
        /// Of the object.
        location: String,
        /// As the contract names it.
        name: String,
        /// As the advertised schema names it.
        sent: String,
    },
    /// A string at the location that is the JSON text of a value of another kind is read as that value.
    EnumText {
        /// Of the value.
        location: String,
    },
    /// A string at the location is read as the one word of the contract that it equals but for case.
    EnumCase {
        /// Of the value.
        location: String,
    },
}

/// How the reader of the advertised schema departs from the standard. The default is the standard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// An object schema without `additionalProperties` refuses undeclared keys.
    pub absent_additional_is_closed: bool,
    /// `pattern` has to match the whole text.
    pub pattern_is_full_match: bool,
    /// A schema that asserts nothing is read as `{"type": "string"}`.
    pub untyped_is_string: bool,
    /// `nullable: true` admits null beside what its schema says, as OpenAPI 3.0 reads it.
    pub nullable: bool,
    /// These keywords are not looked at.
    pub ignored_keywords: Vec<String>,
}

/// What [`prove`](crate::prove) is to take into account besides the two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The contract's policy for keys that it does not declare.
    pub unknown_keys: UnknownKeys,
    /// The dialect of both documents, whatever their `$schema` says.
    pub dialect: Option<Dialect>,
    /// The contract was received from another server: draft-07's `items` list, `additionalItems` and `dependencies` are read
    /// as draft-07 reads them in any dialect, and draft-04's boolean bounds as draft-04 does (R9.1).
    pub discovered: bool,
    /// JSON Pointers of keywords of the contract that the judge leaves to the server, and that are taken as absent.
    pub set_aside: Vec<String>,
    /// What is done to arguments before the contract reads them.
    pub decode: Vec<DecodeStep>,
    /// How the reader of the advertised schema departs from the standard.
    pub reading: Reading,
    /// The schemas describe any value, and not the arguments of a call, which are an object.
    pub any_root: bool,
    /// Steps after which the answer is unknown.
    pub steps_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unknown_keys: UnknownKeys::default(),
            dialect: None,
            discovered: false,
            set_aside: Vec::new(),
            decode: Vec::new(),
            reading: Reading::default(),
            any_root: false,
            steps_max: 2_000_000,
        }
    }
}
