//! The readers that are known, one row each.

use super::{
    KeyPolicy, Keywords, KindsSpelling, Patterns, Profile, PropertyNames, Reads, Recursion, Shape, Source, Strict,
    ToolNames, Untyped, Words,
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

const STANDARD: Reads = Reads {
    absent_key_policy_is_closed: false,
    pattern_is_full_match: false,
    untyped_is_string: false,
    nullable: false,
};

/// The rule that OpenAI's API answers with and most others copy.
const OPENAI_NAMES: ToolNames = ToolNames { others: "-", starts_with_letter: false, chars_max: 64 };

const ANTHROPIC_NAMES: ToolNames = ToolNames { others: "-", starts_with_letter: false, chars_max: 64 };

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
    keywords: ALL_KEYWORDS,
    bound_max: u64::MAX,
    property_names: None,
    description_chars_max: 2_000,
    tool_names: ToolNames { others: "-", starts_with_letter: true, chars_max: 45 },
    tools_max: Some(80),
    strict: None,
    clients: &[],
    reads: STANDARD,
    sources: &[Source { title: "the strictest of all rows below", seen: "2026-11-29" }],
};

const PLAIN: Profile = Profile {
    name: "plain",
    reader: "a reader of full JSON Schema",
    shape: Shape::Registered,
    recursion: Recursion::Definitions,
    description_chars_max: usize::MAX,
    tool_names: ToolNames { others: ".-", starts_with_letter: false, chars_max: 128 },
    tools_max: None,
    sources: &[Source { title: "Model Context Protocol 2026-07-28, schema", seen: "2026-11-29" }],
    ..PORTABLE
};

const OPENAI: Profile = Profile {
    name: "openai",
    reader: "OpenAI function calling",
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    sources: &[Source { title: "OpenAI function calling guide and API answers", seen: "2026-11-29" }],
    ..PORTABLE
};

const OPENAI_STRICT: Profile = Profile {
    name: "openai-strict",
    reader: "OpenAI function calling with strict: true",
    recursion: Recursion::Definitions,
    keywords: Keywords {
        default: false,
        unique_items: false,
        property_counts: false,
        mcp_header: false,
        ..ALL_KEYWORDS
    },
    strict: Some(Strict {
        all_required: true,
        optional_max: None,
        unions_max: None,
        properties_max: Some(5_000),
        depth_max: Some(10),
        words_max: Some(1_000),
        tools_max: None,
        recursion: true,
        otherwise: "openai",
    }),
    sources: &[Source { title: "OpenAI structured outputs guide", seen: "2026-11-29" }],
    ..OPENAI
};

const ANTHROPIC: Profile = Profile {
    name: "anthropic",
    reader: "Anthropic tool use",
    property_names: Some(ANTHROPIC_PROPERTIES),
    tool_names: ANTHROPIC_NAMES,
    tools_max: None,
    sources: &[Source { title: "Anthropic tool use reference and API answers", seen: "2026-11-29" }],
    clients: &["claude-ai"],
    ..PORTABLE
};

const ANTHROPIC_STRICT: Profile = Profile {
    name: "anthropic-strict",
    reader: "Anthropic tool use with strict: true",
    keywords: NO_KEYWORDS,
    strict: Some(Strict {
        all_required: false,
        optional_max: Some(24),
        unions_max: Some(16),
        properties_max: None,
        depth_max: None,
        words_max: None,
        tools_max: Some(20),
        recursion: false,
        otherwise: "anthropic",
    }),
    sources: &[Source { title: "Anthropic structured outputs, strict tool use", seen: "2026-11-29" }],
    clients: &[],
    ..ANTHROPIC
};

/// Both Gemini surfaces: the OpenAPI subset is the stricter.
const GEMINI: Profile = Profile {
    name: "gemini",
    reader: "Gemini, either of its two schema fields",
    kinds: KindsSpelling::Nullable,
    key_policy: KeyPolicy::Never,
    words: Words::Strings,
    keywords: Keywords { bounds: true, lengths: true, item_counts: true, ..NO_KEYWORDS },
    tool_names: ToolNames { others: ".:-", starts_with_letter: true, chars_max: 63 },
    reads: Reads { nullable: true, ..STANDARD },
    property_names: Some(PropertyNames { others: "", starts_with_letter: true, chars_max: 64, root_only: false }),
    tools_max: Some(512),
    sources: &[Source { title: "Gemini API, FunctionDeclaration and Schema", seen: "2026-11-29" }],
    ..PORTABLE
};

const GEMINI_SCHEMA: Profile = Profile {
    name: "gemini-schema",
    reader: "Gemini, the JSON Schema field (parametersJsonSchema)",
    keywords: Keywords { bounds: true, item_counts: true, ..NO_KEYWORDS },
    tool_names: ToolNames { others: ".:-", starts_with_letter: true, chars_max: 63 },
    tools_max: Some(512),
    sources: &[Source { title: "Gemini API, parametersJsonSchema", seen: "2026-11-29" }],
    ..PORTABLE
};

const MISTRAL: Profile = Profile {
    name: "mistral",
    reader: "Mistral function calling",
    keywords: NO_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    sources: &[Source { title: "Mistral SDK and API answers; no keyword list was found", seen: "2026-11-29" }],
    ..PORTABLE
};

const BEDROCK: Profile = Profile {
    name: "bedrock",
    reader: "Amazon Bedrock Converse",
    property_names: Some(ANTHROPIC_PROPERTIES),
    tool_names: OPENAI_NAMES,
    tools_max: None,
    sources: &[Source { title: "Bedrock Converse service model", seen: "2026-11-29" }],
    ..PORTABLE
};

/// Arguments are always held to a grammar; bounds above these are best effort.
const XAI: Profile = Profile {
    name: "xai",
    reader: "xAI function calling",
    untyped: Untyped::AllTypes,
    keywords: Keywords { pattern: Patterns::Anchored, property_counts: false, unique_items: false, ..ALL_KEYWORDS },
    bound_max: 256,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, pattern_is_full_match: true, ..STANDARD },
    sources: &[Source { title: "xAI structured outputs guide", seen: "2026-11-29" }],
    ..PORTABLE
};

const DEEPSEEK_STRICT: Profile = Profile {
    name: "deepseek-strict",
    reader: "DeepSeek function calling, strict (beta)",
    keywords: NO_KEYWORDS,
    strict: Some(Strict {
        all_required: true,
        optional_max: None,
        unions_max: None,
        properties_max: None,
        depth_max: None,
        words_max: None,
        tools_max: None,
        recursion: false,
        otherwise: "openai",
    }),
    sources: &[Source { title: "DeepSeek function calling guide, strict mode", seen: "2026-11-29" }],
    ..OPENAI
};

/// Generated arguments are validated by the host, which refuses the call itself.
const GROQ: Profile = Profile {
    name: "groq",
    reader: "Groq tool use",
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    sources: &[Source { title: "Groq tool use guide", seen: "2026-11-29" }],
    ..PORTABLE
};

/// The server's typed struct forgets what is not type, items, required, properties, description or enum.
const OLLAMA: Profile = Profile {
    name: "ollama",
    reader: "Ollama tools",
    keywords: NO_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    sources: &[Source { title: "Ollama source, api types", seen: "2026-11-29" }],
    ..PORTABLE
};

/// What llama.cpp and xgrammar both read: absent key policy is closed, patterns are full matches, bounds unroll.
const GRAMMAR: Profile = Profile {
    name: "grammar",
    reader: "grammar builders: llama.cpp, xgrammar",
    keywords: Keywords { item_counts: true, lengths: true, ..NO_KEYWORDS },
    bound_max: 64,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, pattern_is_full_match: true, ..STANDARD },
    sources: &[Source { title: "llama.cpp and xgrammar sources", seen: "2026-11-29" }],
    ..PORTABLE
};

const AI_SDK: Profile = Profile {
    name: "ai-sdk",
    reader: "AI SDK, which closes every object",
    tool_names: OPENAI_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, ..STANDARD },
    sources: &[Source { title: "AI SDK source", seen: "2026-11-29" }],
    ..PORTABLE
};

const VSCODE: Profile = Profile {
    name: "vscode",
    reader: "VS Code Copilot",
    description_chars_max: 1_024,
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    sources: &[Source { title: "VS Code Copilot Chat source", seen: "2026-11-29" }],
    clients: &["visual studio code", "vscode"],
    ..PORTABLE
};

const CURSOR: Profile = Profile {
    name: "cursor",
    reader: "Cursor",
    tool_names: ToolNames { others: "-", starts_with_letter: false, chars_max: 45 },
    tools_max: Some(80),
    sources: &[Source { title: "Cursor, measured by users", seen: "2026-11-29" }],
    clients: &["cursor"],
    ..PORTABLE
};

const CLAUDE_CODE: Profile = Profile {
    name: "claude-code",
    reader: "Claude Code",
    tool_names: ToolNames { others: "-", starts_with_letter: false, chars_max: 45 },
    clients: &["claude-code"],
    ..ANTHROPIC
};

/// Rewrites `{}` and `true` to strings, drops bounds and patterns.
const CODEX: Profile = Profile {
    name: "codex",
    reader: "Codex CLI",
    untyped: Untyped::AllTypes,
    keywords: NO_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    sources: &[Source { title: "Codex CLI source", seen: "2026-11-29" }],
    clients: &["codex"],
    ..PORTABLE
};

const GEMINI_CLI: Profile = Profile {
    name: "gemini-cli",
    reader: "Gemini CLI",
    tool_names: ToolNames { others: "-", starts_with_letter: true, chars_max: 45 },
    clients: &["gemini-cli"],
    ..GEMINI_SCHEMA
};

pub(super) const PROFILES: &[Profile] = &[
    PORTABLE,
    PLAIN,
    OPENAI,
    OPENAI_STRICT,
    ANTHROPIC,
    ANTHROPIC_STRICT,
    GEMINI,
    GEMINI_SCHEMA,
    MISTRAL,
    BEDROCK,
    XAI,
    DEEPSEEK_STRICT,
    GROQ,
    OLLAMA,
    GRAMMAR,
    AI_SDK,
    VSCODE,
    CURSOR,
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI,
];
