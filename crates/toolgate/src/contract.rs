//! A tool's contract: the schema that its author registered, after the unknown-key policy (R3); the only judge.

use crate::explain::{Findings, Shown};
use crate::json::{Document, Fault, Kind, Strictness, write_value};
use crate::limits::Limits;
use crate::location::Location;
use crate::normalize::overlay::{Action, At};
use crate::normalize::{Conj, Deferred, Left, Reader};
use crate::refusal::{Code, Refusal, Violation, escaped_line};
use crate::schema::{self, Schema};
use crate::tree::Tree;
use crate::validate::{Failed, Validator, Work};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

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
    /// The server: the arguments go as sent, nothing is read from text, and every violation is recorded instead of refused.
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
    /// The keyword, or one of `root`, `alias`, `invalid-json`, `duplicate-name`, `limit`, `cycle`, `defect`.
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

impl Unusable {
    pub(crate) fn for_one(keyword_location: &str, code: &str, message: &str) -> Self {
        let defect = Defect { keyword_location: keyword_location.into(), code: code.into(), message: message.into() };
        Unusable { defects: vec![defect] }
    }

    /// For text that cannot be read at all. What is said of arguments that are too much is said of the schema here.
    pub(crate) fn unread(fault: &Fault) -> Self {
        let message = match fault.code {
            Code::DepthLimit => "the schema is nested deeper than the limit",
            Code::SizeLimit => "the schema is larger than the limit",
            code => code.meaning(),
        };
        Unusable::for_one(&fault.location.to_pointer(), fault.code.as_str(), message)
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the schema cannot be used")?;
        for defect in &self.defects {
            // The document's own names go to a terminal or a log here.
            let place = if defect.keyword_location.is_empty() { "the root" } else { &defect.keyword_location };
            write!(f, "; {}: {}", escaped_line(place), defect.message)?;
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
    /// The keyword counts, as an older draft reads it.
    pub is_read: bool,
}

/// Arguments as they came.
#[derive(Clone)]
pub struct Arguments<'a> {
    pub(crate) form: Form<'a>,
}

#[derive(Clone)]
pub(crate) enum Form<'a> {
    Absent,
    Text(&'a str),
    Bytes(&'a [u8]),
    Value(&'a serde_json::Value),
}

impl<'a> Arguments<'a> {
    /// No arguments were sent: the same as `{}` (R1.4).
    pub fn absent() -> Self {
        Arguments { form: Form::Absent }
    }

    /// Raw JSON text.
    pub fn from_text(text: &'a str) -> Self {
        Arguments { form: Form::Text(text) }
    }

    /// Raw JSON text as bytes, which may turn out not to be UTF-8.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Arguments { form: Form::Bytes(bytes) }
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

/// How arguments were admitted: what was changed in them, and what of them was not judged here. No value of the call is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    pub(crate) edits: Vec<Edit>,
    pub(crate) deferred: Vec<Location>,
    pub(crate) forwarded: Vec<String>,
    pub(crate) recorded: Option<Refusal>,
}

impl Admission {
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

    /// Violations that the operator had recorded instead of refused (R9.6): of the arguments as they go, in which nothing was
    /// read from text, and lists written as text.
    pub fn recorded(&self) -> &[Violation] {
        self.recorded.as_ref().map_or(&[], Refusal::violations)
    }

    /// How many more of them were counted.
    pub fn recorded_more(&self) -> usize {
        self.recorded.as_ref().map_or(0, Refusal::more)
    }

    /// Whether the arguments go as they were sent, and the contract has judged all of them.
    pub fn is_plain(&self) -> bool {
        *self == Admission::default()
    }

    /// For logs: each edit as rule and place, each place that is left to the server as `deferred`, each violation that was let
    /// through as `recorded` with its code, every undeclared name as `*`, and how many undeclared keys were forwarded.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Contract, Policy};
    /// let policy = Policy { forward_keys: vec!["trace".into()], ..Policy::default() };
    /// let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
    /// let contract = Contract::from_text_with(schema, &policy)?;
    /// let admitted = contract.check(Arguments::from_text(r#"{"n":"5","trace":"x"}"#)).unwrap();
    /// assert_eq!(admitted.to_log(), "number-text@/n forwarded+1");
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn to_log(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let place = |location: &Location| escaped_line(&location.to_log());
        parts.extend(self.edits.iter().map(|edit| format!("{}@{}", edit.rule, place(&edit.location))));
        parts.extend(self.deferred.iter().map(|location| format!("deferred@{}", place(location))));
        parts.extend(self.recorded.iter().map(|refusal| format!("recorded {}", refusal.to_log())));
        if !self.forwarded.is_empty() {
            parts.push(format!("forwarded+{}", self.forwarded.len()));
        }
        parts.join(" ")
    }
}

/// Arguments that the contract admits. Only [`Contract::check`] makes one. Reads as their [`Admission`].
pub struct Admitted<'a> {
    pub(crate) arguments: Cow<'a, str>,
    pub(crate) admission: Admission,
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

    /// The same, and how they were admitted.
    pub fn into_parts(self) -> (Cow<'a, str>, Admission) {
        (self.arguments, self.admission)
    }

    /// The same, with edits that were made before the contract read the arguments.
    pub(crate) fn after(self, mut edits: Vec<Edit>) -> Admitted<'static> {
        let (arguments, mut admission) = self.into_parts();
        edits.append(&mut admission.edits);
        admission.edits = edits;
        Admitted { arguments: Cow::Owned(arguments.into_owned()), admission }
    }
}

impl Deref for Admitted<'_> {
    type Target = Admission;

    fn deref(&self) -> &Admission {
        &self.admission
    }
}

impl fmt::Debug for Admitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Admitted({} edits, {} deferred)", self.edits.len(), self.deferred.len())
    }
}

/// A compiled schema: the only judge of a tool's arguments. Never changes; share it behind an `Arc`.
pub struct Contract {
    schema: Arc<Schema>,
    policy: Policy,
    list_text_keep: Vec<Location>,
    /// Forwarded names that the schema does not declare.
    forward_keys: Vec<String>,
}

impl fmt::Debug for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Contract(..)")
    }
}

/// The arguments as a document, or what stands for it.
enum Read<'a> {
    Document(Document<'a>),
    Fault(Fault),
}

impl Contract {
    /// Compiles exact text under the default policy: digits are kept and repeated names refused.
    ///
    /// # Errors
    ///
    /// Returns [`Unusable`] with every defect found.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Contract};
    /// let contract = Contract::from_text(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#)?;
    /// let admitted = contract.check(Arguments::from_text(r#"{"n":"9007199254740993"}"#)).unwrap();
    /// assert_eq!(admitted.arguments_text(), r#"{"n":9007199254740993}"#);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn from_text(schema: &str) -> Result<Self, Unusable> {
        Self::from_text_with(schema, &Policy::default())
    }

    /// Compiles exact text under `policy`.
    ///
    /// # Errors
    ///
    /// As for [`Contract::from_text`]; also where an alias or a pointer of the policy does not fit (R2.3).
    pub fn from_text_with(schema: &str, policy: &Policy) -> Result<Self, Unusable> {
        let list_text_keep = policy.list_text_keep.iter().map(|pointer| {
            let why = "a place is named by a JSON Pointer, which begins with `/`";
            Location::from_pointer(pointer).ok_or_else(|| Unusable::for_one("", "list-text-keep", why))
        });
        let list_text_keep = list_text_keep.collect::<Result<_, _>>()?;
        let schema = schema::compile(schema.to_owned(), policy)?;
        let forward_keys = policy.forward_keys.iter().filter(|name| !schema.declares_at_root(name)).cloned().collect();
        Ok(Contract { schema: Arc::new(schema), policy: policy.clone(), list_text_keep, forward_keys })
    }

    /// Compiles a value that a host has parsed, under the default policy.
    ///
    /// # Errors
    ///
    /// As for [`Contract::from_text`].
    pub fn compile(schema: &serde_json::Value) -> Result<Self, Unusable> {
        Self::compile_with(schema, &Policy::default())
    }

    /// Compiles a value that a host has parsed, under `policy`.
    ///
    /// # Errors
    ///
    /// As for [`Contract::from_text_with`].
    pub fn compile_with(schema: &serde_json::Value, policy: &Policy) -> Result<Self, Unusable> {
        let limits = Limits { depth_max: policy.limits.schema_depth_max, ..policy.limits };
        let text = write_value(schema, &limits).map_err(|fault| Unusable::unread(&fault))?;
        Self::from_text_with(&text, policy)
    }

    /// Reads the arguments by the contract and judges them (R4, R5, R6). Never performs I/O.
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`] that lists every violation of the arguments as they were sent; nothing half-read is in it.
    pub fn check<'a>(&self, arguments: Arguments<'a>) -> Result<Admitted<'a>, Refusal> {
        let document = match self.read(arguments) {
            Read::Document(document) => document,
            Read::Fault(fault) => return Err(self.faulty(fault)),
        };
        if self.policy.judge == Judge::Server {
            let recorded = self.record(&document);
            let Admitted { arguments, admission } = Admitted::as_sent(document);
            return Ok(Admitted { arguments, admission: Admission { recorded, ..admission } });
        }
        let mut failed = Failed::new();
        if self.forward_keys.is_empty() && self.is_satisfied(&document, &mut failed) {
            return Ok(Admitted::as_sent(document));
        }
        self.check_closely(document, failed)
    }

    /// Whether the arguments satisfy the contract as they are, without reading any text and without R5: what a validator
    /// says. `arguments` may be of any kind here.
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`] that lists the violations.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Contract};
    /// let contract = Contract::from_text(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#)?;
    /// assert!(contract.validate(Arguments::from_text(r#"{"n":5}"#)).is_ok());
    /// assert!(contract.validate(Arguments::from_text(r#"{"n":"5"}"#)).is_err());
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn validate(&self, arguments: Arguments<'_>) -> Result<(), Refusal> {
        let document = match self.read(arguments) {
            Read::Document(document) => document,
            Read::Fault(fault) => return Err(self.faulty(fault)),
        };
        let mut work = Work::new(self.policy.limits.steps_max);
        let mut validator = Validator::new(&self.schema, &document, &mut work, false);
        if !validator.judges(schema::ROOT, 0)
            && let Some(refusal) = self.explain(&document, false)
        {
            return Err(refusal);
        }
        if self.whole_admits(&document, 0) { Ok(()) } else { Err(refused_as_a_whole()) }
    }

    /// The refusal of text that was not read. No schema was asked, so every name on the way counts as undeclared.
    fn faulty(&self, fault: Fault) -> Refusal {
        let mut location = fault.location;
        location.truncate(self.policy.limits.undeclared_names_max);
        Refusal::one(Violation::new(location, fault.code))
    }

    fn read<'a>(&self, arguments: Arguments<'a>) -> Read<'a> {
        let options = self.policy.options;
        let limits = &self.policy.limits;
        let empty = || Document::read(b"{}", Strictness::Strict, limits);
        let document = match arguments.form {
            Form::Absent => empty(),
            Form::Text(text) if options.agent_text && text.trim_ascii().is_empty() => empty(),
            Form::Bytes(bytes) if options.agent_text && bytes.trim_ascii().is_empty() => empty(),
            Form::Text(text) => Document::read_str(text, Strictness::Strict, limits),
            Form::Bytes(bytes) => Document::read(bytes, Strictness::Strict, limits),
            Form::Value(value) => {
                write_value(value, limits).and_then(|text| Document::read_owned(text, Strictness::Strict, limits))
            }
        };
        match document {
            Ok(document) if options.null_arguments && document.kind(0) == Kind::Null => {
                empty().map_or_else(Read::Fault, Read::Document)
            }
            Ok(document) => Read::Document(document),
            Err(fault) => Read::Fault(fault),
        }
    }

    /// The usual case: one pass, nothing allocated. What was found wanting need not be judged again.
    fn is_satisfied(&self, document: &Document<'_>, failed: &mut Failed<At>) -> bool {
        let mut work = Work::new(self.policy.limits.steps_max);
        let mut validator = Validator::new(&self.schema, document, &mut work, self.policy.options.object_as_text);
        let admits = validator.judges(schema::ROOT, 0);
        let is_plain = !validator.is_suspect && !validator.meets_alias;
        if !admits && !validator.work.is_exhausted() {
            failed.extend(validator.failed.iter().map(|(id, slot)| (*id, At { doc: 0, slot: *slot })));
        }
        admits && is_plain && self.whole_admits(document, 0)
    }

    /// What the plan cannot decide place by place, the whole document judges as well.
    fn whole_admits<T: Tree>(&self, tree: &T, at: T::At) -> bool {
        self.schema.whole.as_ref().is_none_or(|whole| {
            let mut work = Work::new(self.policy.limits.steps_max);
            let value = schema::opaque::to_value(tree, at, &mut work);
            !work.is_exhausted() && whole.admits(&value)
        })
    }

    fn reader<'r>(&'r self, document: &'r Document<'r>) -> Reader<'r> {
        let mut reader = Reader::new(&self.schema, document, &self.policy, &self.list_text_keep);
        let members = (!self.forward_keys.is_empty()).then(|| document.root_members());
        for (name, value) in members.into_iter().flatten() {
            if self.forward_keys.iter().any(|forwarded| document.string_is(name, forwarded)) {
                reader.docs.hidden.insert(At { doc: 0, slot: value });
            }
        }
        reader
    }

    /// Whether text that holds JSON is all that can mean another value than was sent: no name is a former one, no option is
    /// set, and nothing is left to a server.
    fn reads_text_alone(&self) -> bool {
        let OptIns { null_means_absent, empty_means_absent, wrap_single, .. } = self.policy.options;
        self.policy.origin == Origin::Authored
            && self.policy.aliases.is_empty()
            && !(null_means_absent || empty_means_absent || wrap_single)
    }

    fn check_closely<'a>(&self, document: Document<'a>, failed: Failed<At>) -> Result<Admitted<'a>, Refusal> {
        let mut reader = self.reader(&document);
        reader.is_literal = !failed.is_empty() && self.reads_text_alone() && !reader.docs.has_json_text();
        reader.failed = failed;
        let root = Conj::from_slice(&[schema::ROOT]);
        let mut readings = reader.read_once(&root, At { doc: 0, slot: 0 }, Left::Undecided);
        let reading = match readings.len() {
            1 if !reader.work.is_exhausted() => readings.remove(0),
            count => return Err(self.refusal(&mut reader, count)),
        };
        if !self.whole_admits(&reader.overlaid(&reading.edits), At { doc: 0, slot: 0 }) {
            return Err(refused_as_a_whole());
        }
        let edits = reading
            .edits
            .iter()
            .map(|(at, action)| Edit { location: reader.docs.locate(*at), rule: reader.rule(*action) });
        let edits: Vec<Edit> = edits.collect();
        let mut deferred: Vec<Location> =
            reading.deferred.iter().map(|deferred| reader.locate_deferred(deferred)).collect();
        deferred.dedup();
        let hidden = |(_, value): &(u32, u32)| reader.docs.hidden.contains(&At { doc: 0, slot: *value });
        let forwarded =
            document.root_members().filter(hidden).map(|(name, _)| document.string(name).into_owned()).collect();
        let changed = (!reading.edits.is_empty()).then(|| {
            let mut text = String::with_capacity(document.text().len());
            reader.docs.write(&reading.edits, &mut text);
            text
        });
        let as_sent = Admitted::as_sent(document);
        let arguments = changed.map_or(as_sent.arguments, Cow::Owned);
        Ok(Admitted { arguments, admission: Admission { edits, deferred, forwarded, recorded: None } })
    }

    /// What is wrong with arguments that go to the server as they were sent (R9.6, decision 0010): the violations of what
    /// the server gets, in which nothing was read from text, then the text that the contract would refuse for being a list
    /// (R5) and that no validator minds.
    fn record(&self, document: &Document<'_>) -> Option<Refusal> {
        if self.is_satisfied(document, &mut Failed::new()) {
            return None;
        }
        let plain = self.explain(document, false);
        let plain = plain.or_else(|| (!self.whole_admits(document, 0)).then(refused_as_a_whole));
        let is_written_as_text =
            |violation: &&Violation| matches!(violation.code, Code::ListAsText | Code::ObjectAsText);
        let read = self.explain(document, true);
        let read = read.iter().flat_map(Refusal::violations).filter(is_written_as_text);
        let mut shown = Shown::new(&self.policy.limits);
        let (violations, others): (Vec<_>, Vec<_>) = plain
            .iter()
            .flat_map(Refusal::violations)
            .chain(read)
            .partition(|violation| shown.takes(&violation.location));
        let more = plain.as_ref().map_or(0, Refusal::more) + others.len();
        (!violations.is_empty() || more > 0).then(|| listed(violations.into_iter().cloned().collect(), more))
    }

    /// The violations of the arguments as sent; `None` where there are none.
    fn explain(&self, document: &Document<'_>, reads_text: bool) -> Option<Refusal> {
        let mut reader = self.reader(document);
        reader.reads_text = reads_text;
        let root = Conj::from_slice(&[schema::ROOT]);
        let readings = reader.read_once(&root, At { doc: 0, slot: 0 }, Left::Undecided).len();
        if readings == 1 && !reader.work.is_exhausted() {
            return None;
        }
        Some(self.refusal(&mut reader, readings))
    }

    /// Locates and lists what keeps the arguments, of which there are so many readings, from being admitted.
    fn refusal(&self, reader: &mut Reader<'_>, readings: usize) -> Refusal {
        let root = Conj::from_slice(&[schema::ROOT]);
        let mut findings = Findings::with_room();
        reader.explain_known(&root, At { doc: 0, slot: 0 }, Left::Undecided, readings, &mut findings);
        if reader.work.is_exhausted() {
            return Refusal::one(Violation::new(Location::root(), Code::WorkLimit));
        }
        let mut shown = Shown::new(&self.policy.limits);
        let (violations, more) = findings.locate(&reader.docs, &mut shown);
        listed(violations, more)
    }

    /// Keywords that are left to the server or read in another draft's form (R6.9, R9.1).
    pub fn set_aside(&self) -> &[SetAside] {
        &self.schema.document.set_aside
    }

    /// Whether `additionalProperties: false` at the root of the schema document says just what this contract does with
    /// undeclared root keys: the boundary closes the root, and nothing beside, in place or by reference declares a name.
    pub(crate) fn can_state_root_policy(&self) -> bool {
        let root = self.schema.node(schema::ROOT);
        let is_alone = schema::in_place_of(root).next().is_none() && root.opaques.is_empty() && root.never.is_none();
        let object = root.object.as_ref().filter(|_| is_alone && self.schema.is_root_alone);
        object.is_some_and(|object| {
            let is_closed = object.closings.iter().any(|closing| closing.is_policy);
            is_closed
                && object.closings.len() == 1
                && object.patterns.is_empty()
                && object.props.iter().all(|prop| prop.is_declared)
        })
    }

    /// What was decided beside the schema.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The compiled schema.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema document as it was registered.
    pub fn schema_text(&self) -> &str {
        self.schema.document.json.text()
    }

    /// Whether the root of the schema document says `type`.
    pub(crate) fn names_root_type(&self) -> bool {
        self.schema.document.json.member(0, "type").is_some()
    }

    /// The keyword that, set to `false` at the root of the schema document, says what the boundary does with undeclared root
    /// keys; `None` where the document says it itself or no keyword says just that.
    pub(crate) fn root_closing(&self) -> Option<&'static str> {
        if self.schema.refers_to_root() {
            // Said at the root, it would also be said wherever a value inside is of the root's form.
            return None;
        }
        if self.can_state_root_policy() {
            return Some("additionalProperties");
        }
        let root = self.schema.node(schema::ROOT);
        let is_closed = root.object.iter().flat_map(|object| &object.closings).any(|closing| closing.is_policy);
        let says = |id: schema::NodeId| {
            let object = self.schema.node(id).object.as_ref();
            object.is_none_or(|object| object.props.iter().all(|prop| prop.is_declared))
        };
        let is_exact = self.schema.document.dialect.ref_has_siblings() && self.schema.in_place(schema::ROOT).all(says);
        (is_closed && is_exact).then_some("unevaluatedProperties")
    }

    /// The expected shape of the arguments as a short text made from the schema: names and kinds, no values (R6.10).
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::Contract;
    /// let contract = Contract::from_text(
    ///     r#"{"type":"object","properties":{"seat":{"type":"string"},"rows":{"type":"array","items":{"type":"integer"}}},"required":["seat"]}"#,
    /// )?;
    /// assert_eq!(contract.skeleton(), "{ seat: string, rows?: [integer] }");
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn skeleton(&self) -> String {
        crate::skeleton::skeleton(&self.schema, None)
    }
}

fn listed(mut violations: Vec<Violation>, mut more: usize) -> Refusal {
    if violations.is_empty() && more > 0 {
        // Nothing may be named, yet the call is refused.
        violations.push(Violation::new(Location::root(), Code::UnknownArgument));
        more -= 1;
    }
    Refusal::new(violations, more)
}

fn refused_as_a_whole() -> Refusal {
    Refusal::one(Violation::new(Location::root(), Code::Opaque))
}

impl<'a> Admitted<'a> {
    fn as_sent(document: Document<'a>) -> Self {
        Admitted { arguments: document.into_root_text(), admission: Admission::default() }
    }
}

impl Reader<'_> {
    fn rule(&self, action: Action) -> &'static str {
        match action {
            Action::Decode(doc) => match self.kind(At { doc, slot: 0 }) {
                Kind::Number => "number-text",
                Kind::Boolean => "boolean-text",
                Kind::Null => "null-text",
                _ => "json-text",
            },
            Action::Wrap(_) => "wrap-single",
            Action::DropNull => "null-means-absent",
            Action::DropEmpty => "empty-means-absent",
            Action::Rename => "alias",
        }
    }

    fn locate_deferred(&self, deferred: &Deferred) -> Location {
        match deferred {
            Deferred::Union(at) => self.docs.locate(*at),
            Deferred::Missing(at, name) => {
                let mut location = self.docs.locate(*at);
                location.push_declared(name);
                location
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discovered(schema: &str) -> Contract {
        let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
        Contract::from_text_with(schema, &policy).unwrap()
    }

    #[test]
    fn too_few_steps_never_admit_what_enough_would_refuse() {
        let cases = [
            (
                r#"{"type":"object","properties":{"p":{"type":"array","items":{"minLength":1}},"x":{"oneOf":[{"type":"integer"},{"minimum":3}]}}}"#,
                r#"{"p":["a","b","c","d"],"x":5}"#,
            ),
            (
                r#"{"type":"object","properties":{"l":{"type":"array","contains":{"minimum":1},"maxContains":2}}}"#,
                r#"{"l":[1,2,3,4]}"#,
            ),
            (r#"{"type":"object","properties":{"l":{"not":{"items":{"minimum":1}}}}}"#, r#"{"l":[1,2,3,4]}"#),
            (
                r#"{"type":"object","properties":{"l":{"type":"array","uniqueItems":true}}}"#,
                r#"{"l":[1,2,{"a":1},{"a":1}]}"#,
            ),
        ];
        for (schema, arguments) in cases {
            for steps_max in 1..200 {
                let policy = Policy { limits: Limits { steps_max, ..Limits::default() }, ..Policy::default() };
                let contract = Contract::from_text_with(schema, &policy).unwrap();
                assert!(contract.check(Arguments::from_text(arguments)).is_err(), "{steps_max} steps: {schema}");
                assert!(contract.validate(Arguments::from_text(arguments)).is_err(), "{steps_max} steps: {schema}");
            }
        }
    }

    #[test]
    fn conditions_do_not_multiply() {
        let conditions: Vec<_> = (0..40)
            .map(|n| format!(r#"{{"if":{{"properties":{{"k{n}":{{"const":1}}}},"required":["k{n}"]}},"then":{{"required":["r{n}"]}}}}"#))
            .collect();
        let names: Vec<_> = (0..40).map(|n| format!(r#""k{n}":{{"type":"integer"}},"r{n}":{{}}"#)).collect();
        let schema =
            format!(r#"{{"type":"object","properties":{{{}}},"allOf":[{}]}}"#, names.join(","), conditions.join(","));
        let contract = Contract::from_text(&schema).unwrap();
        let refusal = contract.check(Arguments::from_text(r#"{"k3":1}"#)).unwrap_err();
        assert_eq!(refusal.violations()[0].missing, ["r3"]);
        assert_eq!(contract.check(Arguments::from_text(r#"{"k3":1,"r3":"x","k5":"2"}"#)).unwrap().edits().len(), 1);
    }

    #[test]
    fn a_pattern_set_aside_refuses_nothing_that_it_would_have_let_by() {
        let broken = "[a-";
        let admits = |schema: &str, arguments: &str| discovered(schema).check(Arguments::from_text(arguments)).is_ok();
        assert!(admits(
            &format!(r#"{{"type":"object","patternProperties":{{"{broken}":{{}}}},"additionalProperties":false}}"#),
            r#"{"x":1}"#
        ));
        assert!(admits(
            &format!(r#"{{"type":"object","properties":{{"a":{{"not":{{"type":"string","pattern":"{broken}"}}}}}}}}"#),
            r#"{"a":"x"}"#
        ));
        let either =
            format!(r#"{{"oneOf":[{{"type":"string","pattern":"{broken}"}},{{"type":"string","maxLength":3}}]}}"#);
        assert!(admits(&format!(r#"{{"type":"object","properties":{{"a":{either}}}}}"#), r#"{"a":"x"}"#));
    }

    #[test]
    fn what_is_read_in_another_dialect_is_named() {
        #[track_caller]
        fn named(schema: &str, expected: &[(&str, &str)]) {
            let contract = discovered(schema);
            let named = contract.set_aside().iter().map(|keyword| (&*keyword.keyword_location, &*keyword.why));
            assert_eq!(named.collect::<Vec<_>>(), expected);
        }
        let unknown = [("/$schema", "this version of JSON Schema is not known; read as 2020-12")];
        named(r#"{"$schema":"https://schemas.invalid/dialect","type":"object"}"#, &unknown);
        named(r#"{"$schema":"http://json-schema.org/schema#","type":"object"}"#, &unknown);
        let n = |rules: &str| format!(r#"{{"type":"object","properties":{{"n":{{{rules}}}}}}}"#);
        let (lower, upper) = ("/properties/n/exclusiveMinimum", "/properties/n/exclusiveMaximum");
        named(&n(r#""minimum":0,"exclusiveMinimum":true"#), &[(lower, "read as draft-04 reads it")]);
        named(&n(r#""exclusiveMaximum":true"#), &[(upper, "a boolean, and no bound that it speaks of")]);
        named(&n(r#""exclusiveMinimum":0"#), &[]);
        named(
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"minimum":0,"exclusiveMinimum":true}}}"#,
            &[],
        );
    }

    #[test]
    fn patterns_beyond_what_they_may_take_together_are_left_to_the_server() {
        let properties = |count: usize| {
            let each: Vec<_> =
                (0..count).map(|index| format!(r#""p{index}":{{"pattern":"^a{{{index}}}$"}}"#)).collect();
            format!(r#"{{"type":"object","properties":{{{}}}}}"#, each.join(","))
        };
        let limits = Limits { patterns_size_max_bytes: 64 * 1024, ..Limits::default() };
        let policy = Policy { origin: Origin::Discovered, limits, ..Policy::default() };
        let contract = Contract::from_text_with(&properties(20), &policy).unwrap();
        let left = contract.set_aside();
        assert!((1..20).contains(&left.len()), "{left:?}");
        assert!(
            left.iter().all(|keyword| keyword.why == "the patterns of the schema take too much together"),
            "{left:?}"
        );
        assert!(contract.check(Arguments::from_text(r#"{"p1":"b"}"#)).is_err(), "the first are judged");
        assert!(contract.check(Arguments::from_text(r#"{"p19":"b"}"#)).is_ok(), "the last are not");
        let authored = Policy { origin: Origin::Authored, ..policy };
        assert_eq!(Contract::from_text_with(&properties(20), &authored).unwrap_err().defects[0].code, "pattern");
        assert!(Contract::from_text_with(&properties(3), &authored).is_ok());
    }

    #[test]
    fn every_keyword_left_to_the_server_has_its_pointer_for_the_proof() {
        let broken = r#"{"pattern":"["}"#;
        let contract = discovered(&format!(
            r#"{{"properties":{{"a/b":{{"anyOf":[{{}},{broken}]}},"c":{{"patternProperties":{{"(":{broken}}}}},"d":{{"not":{broken}}}}},"type":"object"}}"#
        ));
        let pointers = contract.schema().document.left_pointers();
        assert_eq!(
            pointers,
            [
                "/properties/a~1b/anyOf/1/pattern",
                "/properties/c/patternProperties",
                "/properties/c/patternProperties/(/pattern",
                "/properties/d/not",
                "/properties/d/not/pattern",
            ]
        );
        let value: serde_json::Value = serde_json::from_str(contract.schema_text()).unwrap();
        assert!(pointers.iter().all(|pointer| value.pointer(pointer).is_some()), "{pointers:?}");
    }

    #[test]
    fn keywords_set_aside_are_listed_up_to_a_bound() {
        let properties = |count: usize| {
            let each: Vec<_> = (0..count).map(|index| format!(r#""p{index}":{{"items":[{{}}]}}"#)).collect();
            format!(r#"{{"type":"object","properties":{{{}}}}}"#, each.join(","))
        };
        assert_eq!(discovered(&properties(50)).set_aside().len(), 50);
        let contract = discovered(&properties(5_000));
        assert_eq!(contract.set_aside().len(), 51);
        assert_eq!(contract.set_aside()[50].why, "more keywords are set aside, and not listed");
    }

    #[test]
    fn one_property_under_two_names_is_one_reason() {
        let alias = Alias { at: String::new(), name: "query".into(), former: vec!["q".into()] };
        let policy = Policy { aliases: vec![alias], ..Policy::default() };
        for required in ["", r#","required":["query"]"#] {
            let schema = format!(r#"{{"type":"object","properties":{{"query":{{"type":"string"}}}}{required}}}"#);
            let contract = Contract::from_text_with(&schema, &policy).unwrap();
            let refusal = contract.check(Arguments::from_text(r#"{"query":"a","q":"b"}"#)).unwrap_err();
            let codes: Vec<Code> = refusal.violations().iter().map(|violation| violation.code).collect();
            assert_eq!(codes, [Code::AliasConflict]);
        }
    }

    #[test]
    fn a_former_name_in_an_open_object_is_read_as_the_declared_one() {
        let alias = Alias { at: "/opts".into(), name: "limit".into(), former: vec!["max".into()] };
        let policy = Policy { aliases: vec![alias], ..Policy::default() };
        let schema = r#"{"type":"object","properties":{"opts":{"anyOf":[{"type":"object","properties":{"limit":{"type":"integer"}}},{"type":"null"}]}}}"#;
        let contract = Contract::from_text_with(schema, &policy).unwrap();
        let admitted = contract.check(Arguments::from_text(r#"{"opts":{"max":"3"}}"#)).unwrap();
        assert_eq!(admitted.arguments_text(), r#"{"opts":{"limit":3}}"#);
    }

    #[test]
    fn a_key_is_told_to_be_left_out_only_where_it_may_be() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"list":{"type":"array","items":{"type":"integer"}},
            "o":{"type":"integer"},"in":{"anyOf":[{"type":"object","properties":{"e":{"type":"boolean"}},"required":["e"]},{"type":"string"}]}},
            "required":["n"]}"#;
        let contract = Contract::from_text(schema).unwrap();
        let hints = |arguments: &str| -> Vec<String> {
            let refusal = contract.check(Arguments::from_text(arguments)).unwrap_err();
            let hinted = |violation: &&Violation| {
                violation.hint.as_deref().is_some_and(|hint| hint.contains("leave the key out"))
            };
            refusal.violations().iter().filter(hinted).map(|violation| violation.location.to_pointer()).collect()
        };
        assert_eq!(hints(r#"{"n":null,"list":[null],"o":null}"#), ["/o"]);
        assert_eq!(hints(r#"{"n":"","list":[""],"o":""}"#), ["/o"]);
        assert!(hints(r#"{"n":1,"in":{"e":null}}"#).is_empty());
        assert_eq!(hints(r#"{"n":1,"in":null}"#), ["/in"]);
    }

    #[test]
    fn contracts_and_tool_sets_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Contract>();
        shared::<crate::tool_set::ToolSet>();
        shared::<Refusal>();
    }
}
