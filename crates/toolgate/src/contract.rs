//! A tool's contract: the schema that its author registered, after the unknown-key policy (R3); the only judge.

use crate::json::Fault;
use crate::limits::Limits;
use crate::location::Location;
use crate::refusal::{Refusal, Violation};
use std::borrow::Cow;
use std::fmt;

/// Who wrote the schema (R9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Written in this process: the full verdict.
    #[default]
    Authored,
    /// Received from another server: its presentation, some of which is left to that server.
    Discovered,
}

/// Who judges (R9.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// The contract.
    #[default]
    Contract,
    /// The server: the arguments go as sent and every violation is recorded instead of refused.
    Server,
}

/// What becomes of keys that the schema does not declare (R3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownKeys {
    /// The root refuses them unless it speaks of them itself.
    #[default]
    CloseRoot,
    /// As `CloseRoot`, and so does every nested object that declares properties and is silent about others.
    CloseDeclared,
    /// Exactly what the schema says.
    AsWritten,
}

/// Which unions of a discovered schema are judged here (R9.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unions {
    /// Those decided by a tag or by the value's kind.
    #[default]
    Labelled,
    /// Those decided by the value's kind.
    Remote,
    /// All.
    Local,
}

/// A former name of a property, accepted and never shown (R2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// RFC 6901 pointer to the object in the arguments; `""` is the root.
    pub at: String,
    /// The declared name.
    pub name: String,
    /// Its former names.
    pub former: Vec<String>,
}

/// Readings that are off unless named (R4.5, R5.4, R6.9, R1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "independent switches, each with a name of its own")]
pub struct OptIns {
    /// A null that is not admitted on an optional key means that the key is absent.
    pub null_means_absent: bool,
    /// The same for empty text.
    pub empty_means_absent: bool,
    /// One value where only a list is admitted is read as a list of one.
    pub wrap_single: bool,
    /// Text of an object where a string or that object is admitted is refused by name.
    pub object_as_text: bool,
    /// `format` asserts.
    pub assert_formats: bool,
    /// `null` as the whole arguments means none.
    pub null_arguments: bool,
    /// Empty text as the whole arguments means none.
    pub agent_text: bool,
}

impl OptIns {
    /// Switches on the option of this name, as the machine interface spells it; `false` where there is none.
    pub fn set(&mut self, name: &str) -> bool {
        let option = match name {
            "null-means-absent" => &mut self.null_means_absent,
            "empty-means-absent" => &mut self.empty_means_absent,
            "wrap-single" => &mut self.wrap_single,
            "object-as-text" => &mut self.object_as_text,
            "assert-formats" => &mut self.assert_formats,
            "null-arguments" => &mut self.null_arguments,
            "agent-text" => &mut self.agent_text,
            _ => return false,
        };
        *option = true;
        true
    }
}

/// All that is decided about a contract beside its schema.
///
/// # Example
///
/// ```
/// use toolgate::{Arguments, Contract, Policy, UnknownKeys};
/// let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
/// let contract = Contract::from_text_with(r#"{"type":"object"}"#, &policy)?;
/// assert!(contract.check(Arguments::from_text(r#"{"anything":1}"#)).is_ok());
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Who wrote the schema.
    pub origin: Origin,
    /// Who judges.
    pub judge: Judge,
    /// What becomes of undeclared keys.
    pub unknown_keys: UnknownKeys,
    /// Which unions of a discovered schema are judged here.
    pub unions: Unions,
    /// Former names.
    pub aliases: Vec<Alias>,
    /// Readings that are off unless named.
    pub options: OptIns,
    /// Pointers of places whose content is free text, where a list written as text stays text (R5.5).
    pub list_text_keep: Vec<String>,
    /// Undeclared root names that are let through (R3.6).
    pub forward_keys: Vec<String>,
    /// The bounds.
    pub limits: Limits,
}

/// One thing that keeps a schema from being a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// RFC 6901 pointer into the schema document.
    pub keyword_location: String,
    /// The keyword, or one of `root`, `alias`, `invalid-json`, `duplicate-name`, `limit`, `cycle`.
    pub code: String,
    /// What is wrong, in words.
    pub message: String,
}

/// A schema that does not compile. Its tool is closed, and every other tool is served (R6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// What is wrong; never empty.
    pub defects: Vec<Defect>,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the schema cannot be used")?;
        for defect in &self.defects {
            let place = if defect.keyword_location.is_empty() { "the root" } else { &defect.keyword_location };
            write!(f, "; {place}: {}", defect.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Unusable {}

/// A keyword of a discovered schema that is left to its server (R6.9), or read in another draft's form (R9.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// RFC 6901 pointer into the schema document.
    pub keyword_location: String,
    /// Why, in words.
    pub why: String,
}

/// Arguments as they came.
#[derive(Clone)]
pub struct Arguments<'a> {
    pub(crate) form: Form<'a>,
}

#[derive(Clone)]
pub(crate) enum Form<'a> {
    Absent,
    Text(&'a [u8]),
    Value(&'a serde_json::Value),
}

impl<'a> Arguments<'a> {
    /// No arguments were sent: the same as `{}` (R1.4).
    pub fn absent() -> Self {
        Arguments { form: Form::Absent }
    }

    /// Raw JSON text.
    pub fn from_text(text: &'a str) -> Self {
        Arguments { form: Form::Text(text.as_bytes()) }
    }

    /// Raw JSON text as bytes, which may turn out not to be UTF-8.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Arguments { form: Form::Text(bytes) }
    }

    /// A value that a host has already parsed. Repeated names and lone surrogates can no longer be seen, and digits only
    /// where that parser kept them (R1.1).
    pub fn from_value(value: &'a serde_json::Value) -> Self {
        Arguments { form: Form::Value(value) }
    }
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Arguments(..)")
    }
}

/// A change that was made to arguments before they were judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where, in the arguments as sent.
    pub location: Location,
    /// `json-text`, `number-text`, `boolean-text`, `null-text`, `alias`, or the name of an opt-in.
    pub rule: &'static str,
}

/// Arguments that the contract admits. Only [`Contract::check`] makes one.
pub struct Admitted<'a> {
    pub(crate) arguments: Cow<'a, str>,
    pub(crate) edits: Vec<Edit>,
    pub(crate) deferred: Vec<Location>,
    pub(crate) forwarded: Vec<String>,
    pub(crate) recorded: Option<Refusal>,
}

impl<'a> Admitted<'a> {
    /// The JSON text of the arguments for the handler or the upstream: the caller's own, but for the edits. On one line.
    pub fn arguments_text(&self) -> &str {
        &self.arguments
    }

    /// The same, taken out.
    pub fn into_arguments_text(self) -> Cow<'a, str> {
        self.arguments
    }

    /// What was changed.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Places whose judgement is left to the server (R9.3, R9.5).
    pub fn deferred(&self) -> &[Location] {
        &self.deferred
    }

    /// Undeclared root names that were let through (R3.6).
    pub fn forwarded(&self) -> &[String] {
        &self.forwarded
    }

    /// Violations that the operator had recorded instead of refused (R9.6).
    pub fn recorded(&self) -> &[Violation] {
        self.recorded.as_ref().map_or(&[], Refusal::violations)
    }
}

impl fmt::Debug for Admitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Admitted({} edits, {} deferred)", self.edits.len(), self.deferred.len())
    }
}

/// A compiled schema: the only judge of a tool's arguments. Cheap to share, never changes.
#[derive(Debug)]
pub struct Contract {}

impl Contract {
    /// Compiles exact text under the default policy: digits are kept and repeated names refused.
    ///
    /// # Errors
    ///
    /// Returns [`Unusable`] with every defect found.
    pub fn from_text(schema: &str) -> Result<Self, Unusable> {
        Self::from_text_with(schema, &Policy::default())
    }

    /// Compiles exact text under `policy`.
    ///
    /// # Errors
    ///
    /// As for [`Contract::from_text`]; also where an alias of the policy does not fit the schema (R2.3).
    pub fn from_text_with(schema: &str, policy: &Policy) -> Result<Self, Unusable> {
        let _ = (schema, policy);
        Ok(Contract {})
    }

    /// Reads the arguments by the contract and judges them (R4, R5, R6). Never performs I/O.
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`] that lists every violation of the arguments as they were sent.
    pub fn check<'a>(&self, arguments: Arguments<'a>) -> Result<Admitted<'a>, Refusal> {
        let _ = arguments;
        Err(Refusal::schema_unusable())
    }

    /// Keywords that are left to the server or read in another draft's form.
    pub fn set_aside(&self) -> &[SetAside] {
        &[]
    }

    /// The expected shape of the arguments as a short text made from the schema (R6.10): names and kinds, no values.
    pub fn skeleton(&self) -> String {
        String::new()
    }
}

pub(crate) fn _fault(_: &Fault) {}
