//! What a refused caller is told: every violation with its place, and words from the schema that help to mend it.
//!
//! Nothing here has a field that could hold a value of the call. The one thing of the caller's that is shown, the name of
//! an undeclared key, is escaped and cut when it is put in (R6.4).

use crate::json::{ObjectWriter, list};
use crate::location::Location;
use std::fmt;

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
    Items "items" "The list has an item beyond those described."
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
    /// The keyword that said no, where one did.
    pub keyword: Option<&'static str>,
    /// Its RFC 6901 pointer into the schema document.
    pub keyword_location: Option<String>,
    /// Declared names that are missing from the object at the location.
    pub missing: Vec<String>,
    /// The undeclared name, escaped and cut.
    pub unknown: Option<String>,
    /// A declared name that is near the undeclared one.
    pub suggest: Option<String>,
    /// Kinds, or a format's name, that are admitted here.
    pub expected: Vec<String>,
    /// Words that are admitted here; at most 20, each at most 64 characters.
    pub allowed: Vec<String>,
    /// How many further words are admitted.
    pub allowed_more: usize,
    /// The bound that was passed, as the schema writes it.
    pub limit: Option<String>,
    /// What to send instead.
    pub hint: Option<String>,
    /// For a union without a label: how many further members failed.
    pub others: usize,
}

impl Violation {
    pub(crate) fn new(location: Location, code: Code) -> Self {
        Violation {
            location,
            code,
            keyword: None,
            keyword_location: None,
            missing: Vec::new(),
            unknown: None,
            suggest: None,
            expected: Vec::new(),
            allowed: Vec::new(),
            allowed_more: 0,
            limit: None,
            hint: None,
            others: 0,
        }
    }

    /// One line for the model: the place, the reason, the words that help.
    pub fn to_line(&self) -> String {
        let mut line = match self.location.to_pointer() {
            pointer if pointer.is_empty() => "arguments".to_owned(),
            pointer => escaped_line(&pointer),
        };
        line.push_str(": ");
        line.push_str(&self.reason());
        if let Some(suggest) = &self.suggest {
            line.push_str(&format!("; did you mean `{}`?", escaped_line(suggest)));
        }
        if self.others > 0 {
            line.push_str(&format!(" (the nearest of {} forms)", self.others + 1));
        }
        line
    }

    /// The reason without its place.
    pub(crate) fn reason(&self) -> String {
        let limit = || self.limit.as_deref().unwrap_or("the limit").to_owned();
        match self.code {
            Code::Required => format!("missing required {}", ticked(&self.missing)),
            Code::DependentRequired => format!("missing {}, required by another key that is given", ticked(&self.missing)),
            Code::UnknownArgument => "unknown argument".to_owned(),
            Code::Type => format!("must be {}", alternatives(&self.expected)),
            Code::Enum | Code::Const if self.allowed.is_empty() => "not an allowed value".to_owned(),
            Code::Enum | Code::Const => format!("must be {}", self.allowed_words()),
            Code::Minimum => format!("must be at least {}", limit()),
            Code::Maximum => format!("must be at most {}", limit()),
            Code::ExclusiveMinimum => format!("must be greater than {}", limit()),
            Code::ExclusiveMaximum => format!("must be less than {}", limit()),
            Code::MultipleOf => format!("must be a multiple of {}", limit()),
            Code::MinLength => format!("must have at least {} characters", limit()),
            Code::MaxLength => format!("must have at most {} characters", limit()),
            Code::Pattern => match &self.limit {
                Some(pattern) => format!("must match the pattern {}", ticked_word(pattern)),
                None => "must match a pattern that is not shown".to_owned(),
            },
            Code::Format => format!("must be of the format {}", alternatives(&self.expected)),
            Code::MinItems => format!("must have at least {} items", limit()),
            Code::MaxItems => format!("must have at most {} items", limit()),
            Code::UniqueItems => "must not repeat an item".to_owned(),
            Code::Contains => "must have an item of the required form".to_owned(),
            Code::MinContains => format!("must have at least {} items of the required form", limit()),
            Code::MaxContains => format!("must have at most {} items of the required form", limit()),
            Code::Items => "no item may be given here".to_owned(),
            Code::MinProperties => format!("must have at least {} members", limit()),
            Code::MaxProperties => format!("must have at most {} members", limit()),
            Code::PropertyNames => "this key is not of the required form".to_owned(),
            Code::AnyOf => "has none of the described forms".to_owned(),
            Code::OneOf => "must have exactly one of the described forms".to_owned(),
            Code::Not => "has a form that is excluded".to_owned(),
            Code::FalseSchema => "nothing may be given here".to_owned(),
            Code::Opaque => "is refused by the schema".to_owned(),
            Code::ListAsText => "a list written as text".to_owned(),
            Code::ObjectAsText => "an object written as text".to_owned(),
            Code::Ambiguous => "text that can be read in two ways".to_owned(),
            Code::AliasConflict => format!("one property given under two names, {}", ticked(&self.missing)),
            Code::UnreadArgument => "this tool would drop this argument".to_owned(),
            Code::InvalidJson => "not one complete JSON value".to_owned(),
            Code::InvalidUnicode => "not valid Unicode".to_owned(),
            Code::DuplicateName => "this name is given twice".to_owned(),
            Code::NumberRange => "a number with too many digits or too large an exponent".to_owned(),
            Code::DepthLimit => "nested too deep".to_owned(),
            Code::SizeLimit => "too large".to_owned(),
            Code::WorkLimit => "took too many steps to judge".to_owned(),
            Code::ContractMismatch => "the server refuses what its own schema admits; this is not a fault of the call".to_owned(),
            Code::SchemaUnusable => "this tool cannot be called: its own schema is broken".to_owned(),
            Code::RepeatedOption => "this option is given twice".to_owned(),
        }
    }

    fn allowed_words(&self) -> String {
        let words = alternatives(&self.allowed);
        let one_of = if self.allowed.len() > 1 { "one of " } else { "" };
        match self.allowed_more {
            0 => format!("{one_of}{words}"),
            more => format!("{one_of}{words} (and {more} more)"),
        }
    }

    /// The violation as a JSON object, for programs. Members that say nothing are left out.
    pub fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        object.string("location", &self.location.to_pointer());
        object.string("code", self.code.as_str());
        object.optional("keyword", self.keyword);
        object.optional("keyword_location", self.keyword_location.as_deref());
        if self.code != Code::AliasConflict {
            object.strings("missing", &self.missing);
        } else {
            object.strings("names", &self.missing);
        }
        object.strings("unknown", self.unknown.as_slice());
        object.optional("suggest", self.suggest.as_deref());
        object.strings("expected", &self.expected);
        object.strings("allowed", &self.allowed);
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
        let total = self.violations.len() + self.more;
        let mut text = match total {
            1 => "The call was refused and nothing was run:".to_owned(),
            total => format!("The call was refused and nothing was run, for {total} reasons:"),
        };
        for violation in &self.violations {
            text.push_str("\n- ");
            text.push_str(&violation.to_line());
            if let Some(hint) = &violation.hint {
                text.push_str("\n  hint: ");
                text.push_str(hint);
            }
        }
        if self.more > 0 {
            text.push_str(&format!("\n- and {} more", self.more));
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
    for ch in text.chars() {
        crate::location::push_escaped(&mut line, ch);
    }
    line
}

fn ticked_word(word: &str) -> String {
    format!("`{}`", escaped_line(word))
}

fn ticked(words: &[String]) -> String {
    words.iter().map(|word| ticked_word(word)).collect::<Vec<_>>().join(", ")
}

fn alternatives(words: &[String]) -> String {
    match words {
        [] => "a value of another kind".to_owned(),
        [word] => ticked_word(word),
        [rest @ .., last] => format!("{} or {}", ticked(rest), ticked_word(last)),
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
