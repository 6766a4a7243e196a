//! The readers that are known, one row each.
//!
//! `default` narrows nothing and no words stand for it, so it is written unless the reader is known to refuse it, or to drop it
//! from everything. `x-mcp-header` is for the client that lists the tools and no model reads it, so it is left out only where a
//! keyword that is not known fails the request, or might (R7.9).

mod hosts;
mod vendors;

use super::sources as from;
use super::{
    KeyPolicy, Keywords, KindsSpelling, Patterns, Profile, PropertyNames, Reads, Recursion, Shape, Source, ToolNames,
    Untyped, Words,
};

const ALL_KEYWORDS: Keywords = Keywords {
    bounds: true,
    exclusive_bounds: true,
    multiple_of: true,
    lengths: true,
    pattern: Patterns::Linear,
    item_counts: true,
    unique_items: true,
    property_counts: true,
    default: true,
    mcp_header: true,
};

/// The names of what is in a set of keywords, but for `mcp_header`.
const KEYWORDS: &[&str] = &[
    "bounds",
    "exclusive_bounds",
    "multiple_of",
    "lengths",
    "pattern",
    "item_counts",
    "unique_items",
    "property_counts",
    "default",
];

const NO_KEYWORDS: Keywords = Keywords {
    bounds: false,
    exclusive_bounds: false,
    multiple_of: false,
    lengths: false,
    pattern: Patterns::None,
    item_counts: false,
    unique_items: false,
    property_counts: false,
    default: false,
    mcp_header: false,
};

/// Of a reader that drops what it does not know.
const HEADER_ALONE: Keywords = Keywords { mcp_header: true, ..NO_KEYWORDS };

const STANDARD: Reads = Reads {
    absent_key_policy_is_closed: false,
    pattern_is_full_match: false,
    untyped_is_string: false,
    nullable: false,
};

/// The rule that OpenAI's API answers with and most others copy.
const OPENAI_NAMES: ToolNames = ToolNames { others: "-", starts_with_letter: false, chars_max: 64 };

/// The rule of the protocol, for readers that have none of their own.
const MCP_NAMES: ToolNames = ToolNames { others: ".-", starts_with_letter: false, chars_max: 128 };

const GEMINI_NAMES: ToolNames = ToolNames { others: ".:-", starts_with_letter: true, chars_max: 64 };

/// What is left of 64 characters after `mcp__server__` of a server with a usual name.
const BUDGET_CHARS: usize = 45;

const ANTHROPIC_PROPERTIES: PropertyNames =
    PropertyNames { others: ".-", starts_with_letter: false, chars_max: 64, root_only: true };

/// What survives every reader known: flat, type lists, every key policy said.
pub(super) const PORTABLE: Profile = Profile {
    name: "portable",
    reader: "any model or client",
    shape: Shape::Flat,
    kinds: KindsSpelling::TypeList,
    untyped: Untyped::NoType,
    recursion: Recursion::Cut,
    key_policy: KeyPolicy::Always,
    words: Words::Scalars,
    // A pattern that is not anchored would narrow for readers that match the whole text.
    // A list whose items must differ is refused whole by two decoders of local models.
    keywords: Keywords { pattern: Patterns::Anchored, unique_items: false, property_counts: false, ..ALL_KEYWORDS },
    bound_max: u64::MAX,
    property_names: None,
    description_chars_max: 2_000,
    tool_names: ToolNames { others: "-", starts_with_letter: true, chars_max: BUDGET_CHARS },
    tools_max: Some(80),
    strict: None,
    clients: &[],
    reads: STANDARD,
    base: None,
    sources: PORTABLE_SOURCES,
};

const PORTABLE_SOURCES: &[Source] = &[
    from::CURSOR_MEASURED.on(&["shape", "kinds", "recursion"]),
    from::CODEX.on(&["kinds", "words", "key_policy"]),
    from::OLLAMA_STRUCT.on(&["shape", "kinds", "words", "recursion"]),
    from::XAI_STRUCTURED.on(&["key_policy", "pattern"]),
    from::LLAMA_CPP.on(&["key_policy", "pattern"]),
    from::GEMINI_NAMES.on(&["tool_names"]),
    from::OPENAI_SDK.on(&["tool_names", "untyped"]),
    from::CURSOR_NAMES.on(&["tool_name_chars_max"]),
    from::CLAUDE_CODE_NAMES.on(&["tool_name_chars_max"]),
    from::CURSOR_TOOLS.on(&["tools_max"]),
    from::MCP_HEADER.on(&["mcp_header"]),
    from::OURS_KEYWORDS.on(&[
        "bounds",
        "exclusive_bounds",
        "multiple_of",
        "lengths",
        "item_counts",
        "default",
        "bound_max",
    ]),
    from::VLLM.on(&["unique_items"]),
    from::OURS_IN_WORDS.on(&["property_counts"]),
    from::OURS_DESCRIPTIONS.on(&["description_chars_max"]),
    from::OURS_NAMES.on(&["property_names", "property_name_chars_max"]),
    from::OURS_READING.on(&["reads"]),
    from::OURS_FOR_ALL.on(&["strict", "clients"]),
];

const PLAIN: Profile = Profile {
    name: "plain",
    reader: "a reader of full JSON Schema",
    shape: Shape::Registered,
    recursion: Recursion::Definitions,
    keywords: ALL_KEYWORDS,
    description_chars_max: usize::MAX,
    tool_names: MCP_NAMES,
    tools_max: None,
    base: Some("portable"),
    sources: &[from::MCP.on(&[
        "shape",
        "recursion",
        "pattern",
        "unique_items",
        "property_counts",
        "description_chars_max",
        "tool_names",
        "tool_name_chars_max",
        "tools_max",
        "reads",
    ])],
    ..PORTABLE
};

pub(super) const PROFILES: &[Profile] = &[
    PORTABLE,
    PLAIN,
    vendors::OPENAI,
    vendors::OPENAI_STRICT,
    vendors::ANTHROPIC,
    vendors::ANTHROPIC_STRICT,
    vendors::GEMINI,
    vendors::GEMINI_SCHEMA,
    vendors::MISTRAL,
    vendors::BEDROCK,
    vendors::XAI,
    vendors::DEEPSEEK_STRICT,
    vendors::GROQ,
    hosts::OLLAMA,
    hosts::GRAMMAR,
    hosts::AI_SDK,
    hosts::VSCODE,
    hosts::CURSOR,
    hosts::CLAUDE_CODE,
    hosts::CODEX,
    hosts::GEMINI_CLI,
];
