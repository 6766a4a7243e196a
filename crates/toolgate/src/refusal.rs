//! What a refused caller is told: every violation with its place, and words from the schema that help to mend it.
//!
//! Nothing here has a field that could hold a value of the call. The one thing of the caller's that is shown, the name of
//! an undeclared key, is escaped and cut when it is put in (R6.4).

mod word;

use crate::json::{ObjectWriter, list};
use crate::location::Location;
use crate::schema::Schema;
use crate::schema::kinds::Kinds;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::sync::Arc;
pub use word::ShownWord;

macro_rules! codes {
    ($($variant:ident $text:literal $doc:literal)*) => {
        /// The stable name of a reason to refuse. Where a keyword of the schema said no, it is that keyword's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $doc] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the reference page.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The name as it stands in answers.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$variant => $text,)*
                }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$variant => $doc,)*
                }
            }
        }
    };
}

codes! {
    InvalidJson "invalid-json" "The text is not one complete JSON value."
    InvalidUnicode "invalid-unicode" "The text holds a lone surrogate or is not UTF-8."
    DuplicateName "duplicate-name" "A member name is given twice in one object."
    NumberRange "number-range" "A number has more than 1,000 digits or an exponent beyond 10,000."
    DepthLimit "depth-limit" "The arguments are nested deeper than the limit."
    SizeLimit "size-limit" "The arguments are larger than the limit."
    WorkLimit "work-limit" "Judging the arguments took more steps than the limit."
    Type "type" "The value is of a kind that is not admitted here."
    Enum "enum" "The value is none of the allowed ones."
    Const "const" "The value is not the one allowed."
    Required "required" "Required names are missing from an object."
    UnknownArgument "unknown-argument" "An object holds a key that the schema does not declare."
    DependentRequired "dependentRequired" "A key that is there requires others that are not."
    Minimum "minimum" "The number is below the minimum."
    Maximum "maximum" "The number is above the maximum."
    ExclusiveMinimum "exclusiveMinimum" "The number is not above the bound."
    ExclusiveMaximum "exclusiveMaximum" "The number is not below the bound."
    MultipleOf "multipleOf" "The number is not a multiple."
    MinLength "minLength" "The text is too short."
    MaxLength "maxLength" "The text is too long."
    Pattern "pattern" "The text does not match the pattern."
    Format "format" "The text is not of the asserted format."
    MinItems "minItems" "The list has too few items."
    MaxItems "maxItems" "The list has too many items."
    UniqueItems "uniqueItems" "The list repeats an item."
    Contains "contains" "The list has no item of the required form."
    MinContains "minContains" "The list has too few items of the required form."
    MaxContains "maxContains" "The list has too many items of the required form."
    MinProperties "minProperties" "The object has too few members."
    MaxProperties "maxProperties" "The object has too many members."
    PropertyNames "propertyNames" "A key of the object is not of the required form."
    AnyOf "anyOf" "The value has none of the described forms."
    OneOf "oneOf" "The value has none, or more than one, of the described forms."
    Not "not" "The value has the one form that is excluded."
    FalseSchema "false-schema" "Nothing may be given here."
    Opaque "schema" "A part of the schema that is judged as a whole refuses the value."
    ListAsText "list-as-text" "A list is written as JSON text where the list itself could be sent."
    ObjectAsText "object-as-text" "An object is written as JSON text where the object itself could be sent."
    Ambiguous "ambiguous" "Text can be read in two ways and the forms of the schema do not say which is meant."
    AliasConflict "alias-conflict" "One property is given under two of its names."
    UnreadArgument "unread-argument" "The handler would drop a key."
    ContractMismatch "contract-mismatch" "The contract admits the arguments and the handler's own type refuses them: a fault of the server."
    SchemaUnusable "schema-unusable" "The tool's schema cannot be compiled, so its calls are refused: a fault of the server."
    RepeatedOption "repeated-option" "A command-line option is given twice."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is wrong with a call: where, which keyword said no, and from the schema what helps.
///
/// All words come from the schema, but for [`Violation::unknown`] and undeclared names inside [`Violation::location`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The place in the arguments as the caller wrote them.
    pub location: Location,
    /// The stable reason.
    pub code: Code,
    /// What said no.
    pub(crate) source: Option<Source>,
    /// Declared names that are missing from the object at the location; of an alias conflict the names that were given.
    pub missing: Vec<ShownWord>,
    /// The undeclared name, escaped and cut.
    pub unknown: Option<String>,
    /// A declared name that is near the undeclared one.
    pub suggest: Option<ShownWord>,
    /// Kinds that are admitted here.
    pub(crate) kinds: Kinds,
    /// The name of the format that is asked for.
    pub(crate) format: Option<ShownWord>,
    /// Words that are admitted here; at most 20.
    pub(crate) allowed: Option<Arc<[ShownWord]>>,
    /// How many further words are admitted.
    pub allowed_more: usize,
    /// The bound that was passed, as the schema writes it.
    pub limit: Option<String>,
    /// What to send instead.
    pub hint: Option<Cow<'static, str>>,
    /// For a union without a label: how many further members failed.
    pub others: usize,
}

/// A place in a schema, spelled out only for those who ask.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) schema: Arc<Schema>,
    pub(crate) subschema: u32,
    /// Empty for the subschema as a whole.
    pub(crate) keyword: &'static str,
}

impl Source {
    fn to_pointer(&self) -> String {
        self.schema.pointer(self.subschema, self.keyword)
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.to_pointer() == other.to_pointer()
    }
}

impl Eq for Source {}

impl Violation {
    pub(crate) fn new(location: Location, code: Code) -> Self {
        Violation {
            location,
            code,
            source: None,
            missing: Vec::new(),
            unknown: None,
            suggest: None,
            kinds: Kinds::NONE,
            format: None,
            allowed: None,
            allowed_more: 0,
            limit: None,
            hint: None,
            others: 0,
        }
    }

    /// The keyword that said no, where one did.
    pub fn keyword(&self) -> Option<&'static str> {
        self.source.as_ref().map(|source| source.keyword).filter(|keyword| !keyword.is_empty())
    }

    /// The RFC 6901 pointer into the schema document of the keyword that said no, or of the subschema where none alone did.
    pub fn keyword_location(&self) -> Option<String> {
        self.source.as_ref().map(Source::to_pointer)
    }

    /// Kinds, or a format's name, that are admitted here.
    pub fn expected(&self) -> impl Iterator<Item = &str> {
        self.kinds.words().map(|word| -> &str { word }).chain(self.format.as_deref())
    }

    /// Words that are admitted here; at most 20.
    pub fn allowed(&self) -> &[ShownWord] {
        self.allowed.as_deref().unwrap_or_default()
    }

    /// One line for the model: the place, the reason, the words that help.
    pub fn to_line(&self) -> String {
        let mut line = String::with_capacity(80);
        self.write_line(&mut line);
        line
    }

    fn write_line(&self, line: &mut String) {
        if self.location.is_root() {
            line.push_str("arguments");
        } else {
            push_line(line, self.location.as_pointer());
        }
        line.push_str(": ");
        self.write_reason(line);
        if let Some(suggest) = &self.suggest {
            line.push_str("; did you mean ");
            push_ticked(line, suggest);
            line.push('?');
        }
        if self.others > 0 {
            let _ = write!(line, " (the nearest of {} forms)", self.others + 1);
        }
    }

    /// The reason without its place and without a suggestion, for whoever names the place otherwise.
    pub fn reason(&self) -> String {
        let mut reason = String::new();
        self.write_reason(&mut reason);
        reason
    }

    fn write_reason(&self, out: &mut String) {
        let limit = self.limit.as_deref().unwrap_or("the limit");
        let mut say = |parts: &[&str]| parts.iter().for_each(|part| out.push_str(part));
        match self.code {
            Code::Required => {
                out.push_str("missing required ");
                push_list(out, self.missing.iter().map(Deref::deref), ", ");
            }
            Code::DependentRequired => {
                out.push_str("missing ");
                push_list(out, self.missing.iter().map(Deref::deref), ", ");
                out.push_str(", required by another key that is given");
            }
            Code::AliasConflict => {
                out.push_str("one property given under two names, ");
                push_list(out, self.missing.iter().map(Deref::deref), ", ");
            }
            Code::Type => {
                out.push_str("must be ");
                push_list(out, self.expected(), " or ");
            }
            Code::Format => {
                out.push_str("must be of the format ");
                push_list(out, self.expected(), " or ");
            }
            Code::Enum | Code::Const if self.allowed().is_empty() => say(&["not an allowed value"]),
            Code::Enum | Code::Const => {
                out.push_str(if self.allowed().len() > 1 { "must be one of " } else { "must be " });
                push_list(out, self.allowed().iter().map(Deref::deref), ", ");
                if self.allowed_more > 0 {
                    let _ = write!(out, " (and {} more)", self.allowed_more);
                }
            }
            Code::Pattern => match &self.limit {
                Some(pattern) => {
                    out.push_str("must match the pattern ");
                    push_ticked(out, pattern);
                }
                None => say(&["must match a pattern that is not shown"]),
            },
            Code::Minimum => say(&["must be at least ", limit]),
            Code::Maximum => say(&["must be at most ", limit]),
            Code::ExclusiveMinimum => say(&["must be greater than ", limit]),
            Code::ExclusiveMaximum => say(&["must be less than ", limit]),
            Code::MultipleOf => say(&["must be a multiple of ", limit]),
            Code::MinLength => say(&["must have at least ", limit, " characters"]),
            Code::MaxLength => say(&["must have at most ", limit, " characters"]),
            Code::MinItems => say(&["must have at least ", limit, " items"]),
            Code::MaxItems => say(&["must have at most ", limit, " items"]),
            Code::MinContains => say(&["must have at least ", limit, " items of the required form"]),
            Code::MaxContains => say(&["must have at most ", limit, " items of the required form"]),
            Code::MinProperties => say(&["must have at least ", limit, " members"]),
            Code::MaxProperties => say(&["must have at most ", limit, " members"]),
            Code::UniqueItems => say(&["must not repeat an item"]),
            Code::Contains => say(&["must have an item of the required form"]),
            Code::UnknownArgument => say(&["unknown argument"]),
            Code::PropertyNames => say(&["this key is not of the required form"]),
            Code::AnyOf => say(&["has none of the described forms"]),
            Code::OneOf => say(&["must have exactly one of the described forms"]),
            Code::Not => say(&["has a form that is excluded"]),
            Code::FalseSchema => say(&["nothing may be given here"]),
            Code::Opaque => say(&["is refused by the schema"]),
            Code::ListAsText => say(&["a list written as text"]),
            Code::ObjectAsText => say(&["an object written as text"]),
            Code::Ambiguous => say(&["text that can be read in two ways"]),
            Code::UnreadArgument => say(&["this tool would drop this argument"]),
            Code::InvalidJson => say(&["not one complete JSON value"]),
            Code::InvalidUnicode => say(&["not valid Unicode"]),
            Code::DuplicateName => say(&["this name is given twice"]),
            Code::NumberRange => say(&["a number with too many digits or too large an exponent"]),
            Code::DepthLimit => say(&["nested too deep"]),
            Code::SizeLimit => say(&["too large"]),
            Code::WorkLimit => say(&["took too many steps to judge"]),
            Code::ContractMismatch => {
                say(&["the server refuses what its own schema admits; this is not a fault of the call"]);
            }
            Code::SchemaUnusable => {
                say(&["this tool cannot be called: its schema, or the policy for it, cannot be used"])
            }
            Code::RepeatedOption => say(&["this option is given twice"]),
        }
    }

    /// The violation as a JSON object, for programs. Members that say nothing are left out.
    pub fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        object.string("location", &self.location.to_pointer());
        object.string("code", self.code.as_str());
        object.optional("keyword", self.keyword());
        object.optional("keyword_location", self.keyword_location().as_deref());
        if self.code != Code::AliasConflict {
            object.strings("missing", &self.missing);
        } else {
            object.strings("names", &self.missing);
        }
        object.strings("unknown", self.unknown.as_slice());
        object.optional("suggest", self.suggest.as_deref());
        object.strings("expected", &self.expected().collect::<Vec<_>>());
        object.strings("allowed", self.allowed());
        object.count("allowed_more", self.allowed_more);
        object.optional("limit", self.limit.as_deref());
        object.optional("hint", self.hint.as_deref());
        object.count("others", self.others);
        object.end()
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Violation({} at {:?})", self.code, self.location)
    }
}

/// Why a call was refused: every violation found, in an order that does not depend on chance (R6.2). Nothing was forwarded.
///
/// # Example
///
/// ```
/// use toolgate::{Arguments, Code, Contract};
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#)?;
/// let refusal = contract.check(Arguments::from_text("{}")).unwrap_err();
/// assert_eq!(refusal.violations()[0].code, Code::Required);
/// assert!(refusal.text().contains("arguments: missing required `path`"));
/// # Ok::<(), toolgate::Unusable>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal {
    violations: Vec<Violation>,
    more: usize,
}

impl Refusal {
    pub(crate) fn new(violations: Vec<Violation>, more: usize) -> Self {
        Refusal { violations, more }
    }

    pub(crate) fn one(violation: Violation) -> Self {
        Refusal { violations: vec![violation], more: 0 }
    }

    /// The refusal of a tool whose own schema does not compile (R6.1).
    pub fn schema_unusable() -> Self {
        Refusal::one(Violation::new(Location::root(), Code::SchemaUnusable))
    }

    pub(crate) fn violations_mut(&mut self) -> &mut [Violation] {
        &mut self.violations
    }

    /// The violations, an object's own first, then its declared properties in schema order, then undeclared keys as sent.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// How many violations were found and not listed.
    pub fn more(&self) -> usize {
        self.more
    }

    /// What the model reads: one line a violation, then the hints.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(64 + self.violations.len() * 96);
        text.push_str("The call was refused and nothing was run");
        match self.violations.len() + self.more {
            1 => text.push(':'),
            total => {
                let _ = write!(text, ", for {total} reasons:");
            }
        }
        for violation in &self.violations {
            text.push_str("\n- ");
            violation.write_line(&mut text);
            if let Some(hint) = &violation.hint {
                text.push_str("\n  hint: ");
                text.push_str(hint);
            }
        }
        if self.more > 0 {
            let _ = write!(text, "\n- and {} more", self.more);
        }
        text
    }

    /// The violations as a JSON object `{"violations": […], "more": n}`, for programs.
    pub fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        object.raw("violations", &list(self.violations.iter().map(Violation::to_json)));
        object.count("more", self.more);
        object.end()
    }

    /// For logs and records: code and place of each violation, every undeclared name as `*`.
    pub fn to_log(&self) -> String {
        let mut log = String::new();
        for violation in &self.violations {
            if !log.is_empty() {
                log.push(' ');
            }
            log.push_str(&format!("{}@{}", violation.code, escaped_line(&violation.location.to_log())));
        }
        if self.more > 0 {
            log.push_str(&format!(" +{}", self.more));
        }
        log
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refusal({})", self.to_log())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for Refusal {}

/// One line of text, whatever the schema's names hold: the JSON Pointer keeps a name's own characters, a line may not.
pub(crate) fn escaped_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    push_line(&mut line, text);
    line
}

fn push_line(out: &mut String, text: &str) {
    if crate::location::is_plain(text) {
        out.push_str(text);
    } else {
        text.chars().for_each(|ch| crate::location::push_escaped(out, ch));
    }
}

/// A word, which is escaped already, in backticks.
fn push_ticked(out: &mut String, word: &str) {
    out.push('`');
    out.push_str(word);
    out.push('`');
}

/// Words in backticks; the last one after `last`, the others after commas.
fn push_list<'w>(out: &mut String, mut words: impl Iterator<Item = &'w str>, last: &str) {
    let Some(first) = words.next() else { return out.push_str("a value of another kind") };
    push_ticked(out, first);
    let mut next = words.next();
    while let Some(word) = next {
        next = words.next();
        out.push_str(if next.is_none() { last } else { ", " });
        push_ticked(out, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn debug_shows_no_undeclared_name() {
        let mut location = Location::root();
        location.push_undeclared("SECRET");
        let mut violation = Violation::new(location, Code::UnknownArgument);
        violation.unknown = Some("SECRET".into());
        let refusal = Refusal::one(violation);
        assert!(!format!("{refusal:?} {}", refusal.to_log()).contains("SECRET"));
        assert!(refusal.text().contains("/SECRET: unknown argument"));
    }
}
