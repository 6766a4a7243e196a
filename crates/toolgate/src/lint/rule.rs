//! The rules by name. Names and levels are public; the words are not.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Good to know; the call works.
    Note,
    /// Something is lost, or a call that was meant well is refused.
    Warning,
    /// The tool cannot be used, or its reader refuses it.
    Error,
}

impl Level {
    /// The level's name: `error`, `warning`, `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What can be found. The name of a rule and its level stay; its words may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// `not-a-tool`
    NotATool,
    /// `schema-unusable`
    SchemaUnusable,
    /// `not-shown`
    NotShown,
    /// `tool-name`
    ToolName,
    /// `tool-name-budget`
    ToolNameBudget,
    /// `property-name`
    PropertyName,
    /// `schema-missing`
    SchemaMissing,
    /// `no-tools`
    NoTools,
    /// `too-many-tools`
    TooManyTools,
    /// `proof-fell-back`
    ProofFellBack,
    /// `shown-open`
    ShownOpen,
    /// `strict-refused`
    StrictRefused,
    /// `default-refused`
    DefaultRefused,
    /// `required-with-default`
    RequiredWithDefault,
    /// `required-undeclared`
    RequiredUndeclared,
    /// `untyped-field`
    UntypedField,
    /// `ambiguous-string`
    AmbiguousString,
    /// `policy-without-tool`
    PolicyWithoutTool,
    /// `policy-without-place`
    PolicyWithoutPlace,
    /// `set-aside`
    SetAside,
    /// `pattern-not-linear`
    PatternNotLinear,
    /// `array-without-items`
    ArrayWithoutItems,
    /// `format-not-portable`
    FormatNotPortable,
    /// `read-as-older-draft`
    ReadAsOlderDraft,
    /// `key-renamed`
    KeyRenamed,
    /// `shown-in-part`
    ShownInPart,
    /// `too-deep`
    TooDeep,
    /// `definition-size`
    DefinitionSize,
    /// `list-size`
    ListSize,
    /// `description-missing`
    DescriptionMissing,
    /// `description-long`
    DescriptionLong,
}

struct Row {
    id: &'static str,
    level: Level,
    meaning: &'static str,
    source: &'static str,
}

impl Rule {
    /// All rules, the gravest first.
    pub const ALL: &'static [Rule] = &[
        Rule::NotATool,
        Rule::SchemaUnusable,
        Rule::NotShown,
        Rule::ToolName,
        Rule::ToolNameBudget,
        Rule::PropertyName,
        Rule::SchemaMissing,
        Rule::NoTools,
        Rule::TooManyTools,
        Rule::ProofFellBack,
        Rule::ShownOpen,
        Rule::StrictRefused,
        Rule::DefaultRefused,
        Rule::RequiredWithDefault,
        Rule::RequiredUndeclared,
        Rule::UntypedField,
        Rule::AmbiguousString,
        Rule::PolicyWithoutTool,
        Rule::PolicyWithoutPlace,
        Rule::SetAside,
        Rule::PatternNotLinear,
        Rule::ArrayWithoutItems,
        Rule::FormatNotPortable,
        Rule::ReadAsOlderDraft,
        Rule::KeyRenamed,
        Rule::ShownInPart,
        Rule::TooDeep,
        Rule::DefinitionSize,
        Rule::ListSize,
        Rule::DescriptionMissing,
        Rule::DescriptionLong,
    ];

    /// The stable name.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// How much it matters.
    pub fn level(self) -> Level {
        self.row().level
    }

    /// What it says, in words.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// Where it comes from: a rule of the boundary, a specification, or who does what.
    pub fn source(self) -> &'static str {
        self.row().source
    }

    /// The rule of this name.
    ///
    /// ```
    /// use toolgate::lint::Rule;
    /// assert_eq!(Rule::named("not-shown"), Some(Rule::NotShown));
    /// assert_eq!(Rule::named("not-there"), None);
    /// ```
    pub fn named(id: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    fn row(self) -> Row {
        let row = |id, level, meaning, source| Row { id, level, meaning, source };
        match self {
            Rule::NotATool => row(
                "not-a-tool",
                Level::Error,
                "An entry of the list is no tool object with a name of its own; it is left out.",
                "Model Context Protocol, Tool",
            ),
            Rule::SchemaUnusable => row(
                "schema-unusable",
                Level::Error,
                "The input schema does not compile; the tool is closed, and every other tool is served.",
                "R6.1, R9.1",
            ),
            Rule::NotShown => row(
                "not-shown",
                Level::Error,
                "No form of the contract can be shown to this reader; the tool is closed.",
                "R8.2",
            ),
            Rule::ToolName => row(
                "tool-name",
                Level::Error,
                "The reader does not take the tool's name, and refuses every tool of the request with it.",
                "answers of the OpenAI, Anthropic and Gemini APIs",
            ),
            Rule::ToolNameBudget => row(
                "tool-name-budget",
                Level::Warning,
                "The tool's name leaves a client too little room for the prefix that it puts before it.",
                "Claude Code (mcp__server__tool within 64), Cursor (server and tool within 60)",
            ),
            Rule::PropertyName => row(
                "property-name",
                Level::Warning,
                "Claude refuses the whole request for an argument of this name; the profiles anthropic and claude-code show it under another name.",
                "Anthropic API answers: ^[a-zA-Z0-9_.-]{1,64}$",
            ),
            Rule::SchemaMissing => row(
                "schema-missing",
                Level::Warning,
                "The tool has no `inputSchema`, which the protocol requires. It is taken for one without arguments.",
                "Model Context Protocol, Tool",
            ),
            Rule::NoTools => row(
                "no-tools",
                Level::Warning,
                "The list is empty: there is nothing that a model could be shown.",
                "Model Context Protocol, tools/list",
            ),
            Rule::TooManyTools => row(
                "too-many-tools",
                Level::Warning,
                "The list has more tools than the reader takes in one request.",
                "OpenAI and VS Code (128), Gemini (512), Cursor (80)",
            ),
            Rule::ProofFellBack => row(
                "proof-fell-back",
                Level::Warning,
                "The reader's own form of the contract could not be proven; a wider one is shown.",
                "R8.2",
            ),
            Rule::ShownOpen => row(
                "shown-open",
                Level::Warning,
                "Nothing is shown of the contract but that arguments are an object.",
                "R7.3, R8.2",
            ),
            Rule::StrictRefused => row(
                "strict-refused",
                Level::Warning,
                "The strict mode that the profile asks for cannot be had; the tool is shown in the ordinary form.",
                "OpenAI, Anthropic and DeepSeek guides to strict tools",
            ),
            Rule::DefaultRefused => row(
                "default-refused",
                Level::Warning,
                "A default is refused by the schema that it stands in: a model that writes it is refused.",
                "JSON Schema 2020-12 validation, 9.2",
            ),
            Rule::RequiredWithDefault => row(
                "required-with-default",
                Level::Warning,
                "A required property has a default: the schema was printed from the wrong side of a validator.",
                "R9.5",
            ),
            Rule::RequiredUndeclared => row(
                "required-undeclared",
                Level::Warning,
                "A required property is declared nowhere: VS Code drops the demand, Groq refuses `required` without `properties`.",
                "VS Code source, Groq API answers",
            ),
            Rule::UntypedField => row(
                "untyped-field",
                Level::Warning,
                "A field takes values of every kind: some clients make it a string, and text in it stays text.",
                "Codex CLI; R4.1",
            ),
            Rule::AmbiguousString => row(
                "ambiguous-string",
                Level::Warning,
                "A string stands beside a kind that its text could mean: text stays text, and text of a list is refused.",
                "R4.2, R5.1",
            ),
            Rule::PolicyWithoutTool => row(
                "policy-without-tool",
                Level::Warning,
                "The policy speaks of a tool that is not in the list: what it says there holds for nothing.",
                "R2.3, R5.5",
            ),
            Rule::PolicyWithoutPlace => row(
                "policy-without-place",
                Level::Warning,
                "The policy keeps the text of a list at a place where the schema has no string beside a list: it changes nothing.",
                "R5.5",
            ),
            Rule::SetAside => row(
                "set-aside",
                Level::Warning,
                "A keyword is not judged here; the server alone holds calls to it.",
                "R6.9",
            ),
            Rule::PatternNotLinear => row(
                "pattern-not-linear",
                Level::Warning,
                "A pattern has no linear-time form: it runs on a bounded engine, and few readers take it.",
                "R6.9; OpenAI structured outputs",
            ),
            Rule::ArrayWithoutItems => row(
                "array-without-items",
                Level::Note,
                "An array says nothing of its items: VS Code refuses such a tool, Codex CLI makes them strings.",
                "VS Code and Codex CLI sources",
            ),
            Rule::FormatNotPortable => row(
                "format-not-portable",
                Level::Note,
                "Strict readers refuse this format; here a format asserts nothing.",
                "OpenAI and Anthropic structured outputs; R6.9",
            ),
            Rule::ReadAsOlderDraft => row(
                "read-as-older-draft",
                Level::Note,
                "A keyword counts as an older draft of JSON Schema reads it.",
                "R9.1",
            ),
            Rule::KeyRenamed => row(
                "key-renamed",
                Level::Note,
                "The reader does not take a property's name: another is shown, and read back on the call.",
                "Anthropic and Gemini API references",
            ),
            Rule::ShownInPart => row(
                "shown-in-part",
                Level::Note,
                "The shown form is wider than the contract here; the call is checked in full.",
                "R7.3, R7.4",
            ),
            Rule::TooDeep => row(
                "too-deep",
                Level::Note,
                "The shown form is nested deeper than the strictest reader is known to take.",
                "Gemini, as observed",
            ),
            Rule::DefinitionSize => row(
                "definition-size",
                Level::Note,
                "The definition is larger than 99 of 100 that real servers show.",
                "8,943 tools of 500 servers",
            ),
            Rule::ListSize => row(
                "list-size",
                Level::Note,
                "All definitions together are larger than a request that a client is known to have refused.",
                "Cursor, as measured by users",
            ),
            Rule::DescriptionMissing => row(
                "description-missing",
                Level::Note,
                "The tool has no description: VS Code asks for one, and Bedrock refuses an empty one.",
                "VS Code source, Bedrock Converse service model",
            ),
            Rule::DescriptionLong => row(
                "description-long",
                Level::Note,
                "The tool's description is longer than the reader keeps.",
                "VS Code source (1,024 characters)",
            ),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_the_gravest_come_first() {
        let ids: std::collections::HashSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
        assert!(Rule::ALL.is_sorted_by(|left, right| left.level() >= right.level() && left < right));
        for rule in Rule::ALL {
            assert_eq!(Rule::named(rule.id()), Some(*rule));
            assert!(!rule.meaning().is_empty() && !rule.source().is_empty());
        }
    }
}
