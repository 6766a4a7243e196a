//! The providers' own interfaces.

use super::super::sources as from;
use super::{
    ALL_KEYWORDS, ANTHROPIC_PROPERTIES, GEMINI_NAMES, HEADER_ALONE, KEYWORDS, NO_KEYWORDS, OPENAI_NAMES, PORTABLE,
    STANDARD,
};
use crate::profile::{
    KeyPolicy, Keywords, KindsSpelling, Patterns, Profile, PropertyNames, Reads, Recursion, Strict, Untyped, Words,
};

pub(super) const OPENAI: Profile = Profile {
    name: "openai",
    reader: "OpenAI function calling",
    keywords: ALL_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    base: Some("portable"),
    sources: &[
        from::OPENAI_SDK.on(&[
            "tool_names",
            "tool_name_chars_max",
            "untyped",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
        ]),
        from::OPENAI_TOOLS_MAX.on(&["tools_max"]),
    ],
    ..PORTABLE
};

pub(super) const OPENAI_STRICT: Profile = Profile {
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
        compound_lists: true,
        enum_case_varies: false,
        otherwise: "openai",
    }),
    base: Some("openai"),
    sources: &[
        from::OPENAI_STRUCTURED.on(&[
            "kinds",
            "key_policy",
            "recursion",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
            "mcp_header",
            "strict",
        ]),
        from::OPENAI_STRICT_HELPERS.on(&["default", "unique_items", "property_counts", "strict"]),
    ],
    ..OPENAI
};

pub(super) const ANTHROPIC: Profile = Profile {
    name: "anthropic",
    reader: "Anthropic tool use",
    keywords: ALL_KEYWORDS,
    property_names: Some(ANTHROPIC_PROPERTIES),
    tool_names: OPENAI_NAMES,
    tools_max: None,
    clients: &["claude-ai"],
    base: Some("portable"),
    sources: &[
        from::ANTHROPIC_DRAFT.on(KEYWORDS),
        from::ANTHROPIC_SDK.on(&["tools_max"]),
        from::ANTHROPIC_KEYS.on(&["property_names", "property_name_chars_max"]),
        from::ANTHROPIC_NAMES.on(&["tool_names"]),
        from::ANTHROPIC_TOOL_SEARCH.on(&["tool_name_chars_max"]),
        from::CLIENT_NAMES.on(&["clients"]),
    ],
    ..PORTABLE
};

pub(super) const ANTHROPIC_STRICT: Profile = Profile {
    name: "anthropic-strict",
    reader: "Anthropic tool use with strict: true",
    keywords: Keywords { default: true, ..NO_KEYWORDS },
    strict: Some(Strict {
        all_required: false,
        optional_max: Some(24),
        unions_max: Some(16),
        properties_max: None,
        depth_max: None,
        words_max: None,
        tools_max: Some(20),
        recursion: false,
        compound_lists: true,
        enum_case_varies: true,
        otherwise: "anthropic",
    }),
    clients: &[],
    base: Some("anthropic"),
    sources: &[
        from::ANTHROPIC_STRUCTURED.on(&[
            "kinds",
            "key_policy",
            "recursion",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
            "mcp_header",
            "strict",
            "clients",
        ]),
        from::ANTHROPIC_SDK.on(&["bounds", "lengths", "pattern", "item_counts"]),
    ],
    ..ANTHROPIC
};

/// The OpenAPI subset, held to keywords that the JSON Schema field is known to take as well. `nullable` is of this one alone.
pub(super) const GEMINI: Profile = Profile {
    name: "gemini",
    reader: "Gemini, the OpenAPI field (parameters)",
    kinds: KindsSpelling::Nullable,
    key_policy: KeyPolicy::Never,
    words: Words::Strings,
    keywords: Keywords { bounds: true, item_counts: true, default: true, ..NO_KEYWORDS },
    property_names: Some(PropertyNames { others: "", starts_with_letter: true, chars_max: 64, root_only: false }),
    tool_names: GEMINI_NAMES,
    tools_max: Some(512),
    reads: Reads { nullable: true, ..STANDARD },
    base: Some("portable"),
    sources: &[
        from::GEMINI_SDK.on(&[
            "kinds",
            "recursion",
            "key_policy",
            "words",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "item_counts",
            "unique_items",
            "default",
            "mcp_header",
            "property_names",
            "property_name_chars_max",
            "reads",
        ]),
        from::GEMINI_MEASURED.on(&["kinds", "key_policy", "words", "exclusive_bounds"]),
        from::OURS_GEMINI.on(&["lengths", "pattern", "property_counts"]),
        from::GEMINI_NAMES.on(&["tool_names", "tool_name_chars_max"]),
        from::GEMINI_TOOLS_MAX.on(&["tools_max"]),
    ],
    ..PORTABLE
};

/// Its `enum` takes numbers too, but no boolean and no null; of those that are told apart here, strings are what is left.
pub(super) const GEMINI_SCHEMA: Profile = Profile {
    name: "gemini-schema",
    reader: "Gemini, the JSON Schema field (parametersJsonSchema)",
    words: Words::Strings,
    keywords: Keywords { bounds: true, item_counts: true, ..HEADER_ALONE },
    tool_names: GEMINI_NAMES,
    tools_max: Some(512),
    base: Some("portable"),
    sources: &[
        from::GEMINI_SDK_JSON.on(&[
            "kinds",
            "key_policy",
            "words",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
        ]),
        from::GEMINI_MEASURED.on(&["exclusive_bounds"]),
        from::GEMINI_NAMES.on(&["tool_names", "tool_name_chars_max"]),
        from::GEMINI_TOOLS_MAX.on(&["tools_max"]),
    ],
    ..PORTABLE
};

pub(super) const MISTRAL: Profile = Profile {
    name: "mistral",
    reader: "Mistral function calling",
    keywords: NO_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    base: Some("portable"),
    sources: &[
        from::MISTRAL_NAMES.on(&["tool_names", "tool_name_chars_max"]),
        from::MISTRAL_SDK.on(&[
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
            "mcp_header",
            "tools_max",
        ]),
    ],
    ..PORTABLE
};

pub(super) const BEDROCK: Profile = Profile {
    name: "bedrock",
    reader: "Amazon Bedrock Converse",
    keywords: NO_KEYWORDS,
    property_names: Some(ANTHROPIC_PROPERTIES),
    tool_names: OPENAI_NAMES,
    tools_max: None,
    base: Some("portable"),
    sources: &[
        from::BEDROCK_MODEL.on(&["tool_names", "tool_name_chars_max", "tools_max"]),
        from::BEDROCK_KEYS.on(&["property_names", "property_name_chars_max"]),
        from::BEDROCK_MODELS.on(&[
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
            "mcp_header",
        ]),
    ],
    ..PORTABLE
};

/// Arguments are always held to a grammar. Lengths are kept to 2,048, items to 256, keys to 64 and best effort beyond: one
/// bound says the second, and counts of keys go into words.
pub(super) const XAI: Profile = Profile {
    name: "xai",
    reader: "xAI function calling",
    untyped: Untyped::AllTypes,
    keywords: Keywords {
        pattern: Patterns::Anchored,
        multiple_of: false,
        unique_items: false,
        property_counts: false,
        ..ALL_KEYWORDS
    },
    bound_max: 256,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, pattern_is_full_match: true, ..STANDARD },
    base: Some("portable"),
    sources: &[
        from::XAI_STRUCTURED.on(&[
            "untyped",
            "recursion",
            "key_policy",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "bound_max",
            "reads",
        ]),
        from::XAI_UNSTATED.on(&["tool_names", "tool_name_chars_max", "tools_max"]),
    ],
    ..PORTABLE
};

/// A list of types may name no object and no array, which an optional list or object would need. All functions of a request are strict or none.
pub(super) const DEEPSEEK_STRICT: Profile = Profile {
    name: "deepseek-strict",
    reader: "DeepSeek function calling, strict (beta)",
    keywords: Keywords { default: true, ..NO_KEYWORDS },
    strict: Some(Strict {
        all_required: true,
        optional_max: None,
        unions_max: None,
        properties_max: None,
        depth_max: None,
        words_max: None,
        tools_max: None,
        recursion: false,
        compound_lists: false,
        enum_case_varies: false,
        otherwise: "openai",
    }),
    base: Some("openai"),
    sources: &[
        from::DEEPSEEK_GUIDE.on(&[
            "key_policy",
            "lengths",
            "item_counts",
            "default",
            "strict",
            "tool_names",
            "tool_name_chars_max",
        ]),
        from::DEEPSEEK_DISAGREES.on(&["bounds", "exclusive_bounds", "multiple_of", "pattern", "tools_max"]),
        from::DEEPSEEK_LIVE.on(&[
            "kinds",
            "untyped",
            "recursion",
            "unique_items",
            "property_counts",
            "mcp_header",
            "strict",
        ]),
    ],
    ..OPENAI
};

/// Generated arguments are validated by the host, which refuses the call itself.
pub(super) const GROQ: Profile = Profile {
    name: "groq",
    reader: "Groq tool use",
    keywords: ALL_KEYWORDS,
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    base: Some("portable"),
    sources: &[
        from::GROQ_NAMES.on(&["tool_names", "tool_name_chars_max"]),
        from::GROQ_TOOLS_MAX.on(&["tools_max"]),
        from::GROQ_CHECKS.on(KEYWORDS),
    ],
    ..PORTABLE
};
