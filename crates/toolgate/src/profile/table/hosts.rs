//! What stands between a server and a model: local engines, frameworks and clients.

use super::super::sources as from;
use super::vendors::{ANTHROPIC, GEMINI_SCHEMA};
use super::{BUDGET_CHARS, GEMINI_NAMES, HEADER_ALONE, MCP_NAMES, OPENAI_NAMES, PORTABLE, STANDARD};
use crate::profile::{KeyPolicy, Keywords, Profile, Reads, ToolNames, Untyped};

/// The server's typed struct forgets what is not type, items, required (of the root), properties, description or enum.
pub(super) const OLLAMA: Profile = Profile {
    name: "ollama",
    reader: "Ollama tools",
    key_policy: KeyPolicy::Never,
    keywords: HEADER_ALONE,
    tool_names: MCP_NAMES,
    tools_max: None,
    base: Some("portable"),
    sources: &[
        from::OLLAMA_STRUCT.on(&[
            "kinds",
            "recursion",
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
            "tools_max",
        ]),
        from::MCP.on(&["tool_names", "tool_name_chars_max"]),
    ],
    ..PORTABLE
};

/// What llama.cpp and xgrammar both read: absent key policy is closed, patterns are full matches, bounds unroll.
pub(super) const GRAMMAR: Profile = Profile {
    name: "grammar",
    reader: "grammar builders: llama.cpp, xgrammar",
    keywords: Keywords { item_counts: true, lengths: true, ..HEADER_ALONE },
    bound_max: 64,
    tool_names: MCP_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, pattern_is_full_match: true, ..STANDARD },
    base: Some("portable"),
    sources: &[
        from::LLAMA_CPP.on(&[
            "bounds",
            "exclusive_bounds",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "default",
            "tools_max",
            "reads",
        ]),
        from::VLLM.on(&["multiple_of", "unique_items", "lengths", "pattern", "item_counts"]),
        from::XGRAMMAR.on(&["reads", "key_policy"]),
        from::OURS_UNROLLED.on(&["bound_max"]),
        from::MCP.on(&["tool_names", "tool_name_chars_max"]),
    ],
    ..PORTABLE
};

/// Its MCP client puts `additionalProperties: false` on the root, whatever stood there, and each provider's package keeps other
/// keywords.
pub(super) const AI_SDK: Profile = Profile {
    name: "ai-sdk",
    reader: "AI SDK, which closes the root",
    keywords: Keywords { default: true, ..HEADER_ALONE },
    tool_names: OPENAI_NAMES,
    tools_max: None,
    reads: Reads { absent_key_policy_is_closed: true, ..STANDARD },
    base: Some("portable"),
    sources: &[
        from::AI_SDK.on(&["reads", "key_policy", "tools_max"]),
        from::AI_SDK_PROVIDERS.on(&[
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
        ]),
        from::APIS_BEHIND.on(&["tool_names", "tool_name_chars_max"]),
    ],
    ..PORTABLE
};

pub(super) const VSCODE: Profile = Profile {
    name: "vscode",
    reader: "VS Code Copilot",
    keywords: Keywords { default: true, ..HEADER_ALONE },
    description_chars_max: 1_024,
    tool_names: OPENAI_NAMES,
    tools_max: Some(128),
    clients: &["visual studio code", "visual-studio-code", "vscode"],
    base: Some("portable"),
    sources: &[
        from::VSCODE.on(&[
            "shape",
            "kinds",
            "bounds",
            "exclusive_bounds",
            "multiple_of",
            "lengths",
            "pattern",
            "item_counts",
            "unique_items",
            "property_counts",
            "description_chars_max",
        ]),
        from::VSCODE_TOOLS_MAX.on(&["tools_max"]),
        from::APIS_BEHIND.on(&["tool_names", "tool_name_chars_max"]),
        from::VSCODE_CLIENT.on(&["clients"]),
    ],
    ..PORTABLE
};

pub(super) const CURSOR: Profile = Profile {
    name: "cursor",
    reader: "Cursor",
    keywords: Keywords { bounds: true, lengths: true, item_counts: true, default: true, ..HEADER_ALONE },
    tool_names: ToolNames { chars_max: BUDGET_CHARS, ..OPENAI_NAMES },
    tools_max: Some(80),
    clients: &["cursor"],
    base: Some("portable"),
    sources: &[
        from::CURSOR_MEASURED.on(&["shape", "kinds", "words", "bounds", "lengths", "item_counts"]),
        from::CURSOR_UNMEASURED.on(&[
            "exclusive_bounds",
            "multiple_of",
            "pattern",
            "unique_items",
            "property_counts",
            "recursion",
        ]),
        from::CURSOR_NAMES.on(&["tool_names", "tool_name_chars_max"]),
        from::CURSOR_TOOLS.on(&["tools_max"]),
        from::CLIENT_NAMES.on(&["clients"]),
    ],
    ..PORTABLE
};

pub(super) const CLAUDE_CODE: Profile = Profile {
    name: "claude-code",
    reader: "Claude Code",
    tool_names: ToolNames { chars_max: BUDGET_CHARS, ..OPENAI_NAMES },
    clients: &["claude-code"],
    base: Some("anthropic"),
    sources: &[
        from::CLAUDE_CODE_NAMES.on(&["tool_names", "tool_name_chars_max", "tools_max"]),
        from::CLIENT_NAMES.on(&["clients"]),
    ],
    ..ANTHROPIC
};

/// Rewrites `{}` and `true` to strings, drops bounds and patterns. A place that takes any value has all types, and ends one
/// level down in a place without one: that one becomes a string whatever is written, so it is not counted as its reading.
pub(super) const CODEX: Profile = Profile {
    name: "codex",
    reader: "Codex CLI",
    untyped: Untyped::AllTypes,
    keywords: HEADER_ALONE,
    tool_names: OPENAI_NAMES,
    tools_max: None,
    clients: &["codex"],
    base: Some("portable"),
    sources: &[
        from::CODEX.on(&[
            "shape",
            "kinds",
            "untyped",
            "recursion",
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
            "tools_max",
        ]),
        from::APIS_BEHIND.on(&["tool_names", "tool_name_chars_max"]),
        from::CLIENT_NAMES.on(&["clients"]),
    ],
    ..PORTABLE
};

pub(super) const GEMINI_CLI: Profile = Profile {
    name: "gemini-cli",
    reader: "Gemini CLI",
    tool_names: ToolNames { chars_max: BUDGET_CHARS, ..GEMINI_NAMES },
    clients: &["gemini-cli"],
    base: Some("gemini-schema"),
    sources: &[from::GEMINI_CLI.on(&["tool_names", "tool_name_chars_max"]), from::GEMINI_CLI_CLIENT.on(&["clients"])],
    ..GEMINI_SCHEMA
};
