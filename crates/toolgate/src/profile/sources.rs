//! What was read for the table, each with its date. Titles are facts in our own words.

use super::{Confidence, Source};

const HIGH: Confidence = Confidence::High;
const MEDIUM: Confidence = Confidence::Medium;
const LOW: Confidence = Confidence::Low;

const fn read(title: &'static str, seen: &'static str, confidence: Confidence) -> Source {
    Source { title, seen, confidence, about: &[] }
}

impl Source {
    /// What was read, as far as it tells these values.
    pub(super) const fn on(self, about: &'static [&'static str]) -> Source {
        Source { about, ..self }
    }
}

pub(super) const MCP: Source =
    read("Model Context Protocol 2026-07-28, tools and their schemas (names are a SHOULD)", "2026-08-22", HIGH);
pub(super) const MCP_HEADER: Source =
    read("Model Context Protocol 2026-07-28, x-mcp-header: read by the client, not by the model", "2026-08-22", HIGH);

pub(super) const OPENAI_STRUCTURED: Source =
    read("OpenAI, guide to structured outputs: supported schemas and their limits", "2026", HIGH);
pub(super) const OPENAI_SDK: Source =
    read("OpenAI Python SDK 3.57.0, definitions of functions and its strict schema helper", "2026-11", HIGH);
pub(super) const OPENAI_TOOLS_MAX: Source =
    read("opencode #4909, the API's answer to a longer list of tools", "2025-11", HIGH);
pub(super) const OPENAI_STRICT_HELPERS: Source = read(
    "pydantic-ai 2.68.0, its OpenAI schemas with notes of live tests; what a strict object leaves out",
    "2026-11",
    HIGH,
);

pub(super) const ANTHROPIC_STRUCTURED: Source =
    read("Anthropic, structured outputs: limitations and limits of strict tools", "2026", HIGH);
pub(super) const ANTHROPIC_SDK: Source =
    read("Anthropic Python SDK 2.14.0, its schema helper: what it moves into descriptions", "2026-11", HIGH);
pub(super) const ANTHROPIC_DRAFT: Source = read(
    "oh-my-pi #1101, the API's answer: a schema has to be valid 2020-12, and any such is taken",
    "2026-05",
    MEDIUM,
);
pub(super) const ANTHROPIC_KEYS: Source = read(
    "IDP-on-AWS #709, decocms studio #6874, composio #3500, the API's answers: names at the root alone",
    "2026-01 to 2026-09",
    HIGH,
);
pub(super) const ANTHROPIC_NAMES: Source =
    read("wassette #56, MCP specification #1345, the API's answers to names of tools", "2025-08", HIGH);
pub(super) const ANTHROPIC_TOOL_SEARCH: Source = read(
    "claude-code #19882, ToolUniverse #65: 64 characters where a tool can be found by tool search, else 128",
    "2026-01",
    HIGH,
);

pub(super) const GEMINI_SDK: Source =
    read("google-genai Python SDK 3.6.1, Schema and FunctionDeclaration with their notes", "2026-11", HIGH);
pub(super) const GEMINI_SDK_JSON: Source =
    read("google-genai Python SDK 3.6.1, notes on its JSON Schema fields", "2026-11", MEDIUM);
pub(super) const GEMINI_MEASURED: Source = read(
    "pydantic-ai 2.68.0 and AI SDK google 3.0.141, their Gemini schemas with notes of live tests",
    "2026-11",
    MEDIUM,
);
pub(super) const GEMINI_NAMES: Source =
    read("gemini-cli #7878, cline #7339, the API's answers to names of functions", "2025-09 to 2025-11", HIGH);
pub(super) const GEMINI_TOOLS_MAX: Source =
    read("gemini-cli #19083, the API's answer to more declarations", "2026-02", HIGH);

pub(super) const MISTRAL_NAMES: Source = read("witsy #164, the API's answer to names of functions", "2025-04", MEDIUM);
pub(super) const MISTRAL_SDK: Source =
    read("Mistral Python SDK 3.7.0; no list of keywords or limits was found", "2026-11", LOW);

pub(super) const BEDROCK_MODEL: Source =
    read("botocore 1.44.8, service model of bedrock-runtime: ToolName, ToolSpecification", "2026-11", HIGH);
pub(super) const BEDROCK_MODELS: Source =
    read("botocore 1.44.8: a schema is handed to the model's own vendor, so no keyword is counted on", "2026-11", LOW);
pub(super) const BEDROCK_KEYS: Source =
    read("IDP-on-AWS #709, decocms studio #6874, the answers of Claude behind Converse", "2026-01 to 2026-09", HIGH);

pub(super) const XAI_STRUCTURED: Source = read("xAI, structured outputs: JSON Schema support", "2026", HIGH);
pub(super) const XAI_UNSTATED: Source =
    read("xAI, structured outputs: says nothing of names or numbers of tools, taken as OpenAI's", "2026", LOW);

pub(super) const DEEPSEEK_GUIDE: Source = read("DeepSeek, guide to tool calls, strict mode (beta)", "2026", HIGH);
pub(super) const DEEPSEEK_DISAGREES: Source =
    read("DeepSeek, guide to tool calls: its copies of several dates disagree on these", "2026", LOW);
pub(super) const DEEPSEEK_LIVE: Source =
    read("rig-core 0.46.0, its DeepSeek strict schemas with notes of live calls", "2026-10", HIGH);

pub(super) const GROQ_NAMES: Source = read("Groq Python SDK 1.7.0, definition of a function", "2026-11", HIGH);
pub(super) const GROQ_TOOLS_MAX: Source =
    read("Groq Python SDK 1.7.0, said of the older `functions` field", "2026-11", MEDIUM);
pub(super) const GROQ_CHECKS: Source = read(
    "Groq, structured outputs; ha-groq-cloud-api #20, Vane #980: what a model writes is held to the whole schema",
    "2026-01 to 2026-02",
    HIGH,
);

pub(super) const OLLAMA_STRUCT: Source =
    read("Ollama #11444, #13472, #13508, #10091: its typed tool forgets all other keywords", "2025-04 to 2026", HIGH);

pub(super) const LLAMA_CPP: Source = read("llama.cpp, README of its grammars: what the converter takes", "2026", HIGH);
pub(super) const VLLM: Source =
    read("vLLM, backend_xgrammar.py: what it refuses, a pattern beside a length among it", "2026", HIGH);
pub(super) const XGRAMMAR: Source =
    read("xgrammar 0.2.9, from_json_schema: strict_mode is its default", "2026-11", HIGH);

pub(super) const AI_SDK: Source =
    read("AI SDK mcp 1.0.102, its tools: additionalProperties false is put on the root", "2026-11", HIGH);
pub(super) const AI_SDK_PROVIDERS: Source = read(
    "AI SDK google 3.0.141, anthropic 3.0.140, openai 3.0.141: each keeps other keywords, so none is counted on",
    "2026-11",
    LOW,
);

/// Of clients that state no rule of their own and call several vendors.
pub(super) const APIS_BEHIND: Source =
    read("OpenAI's and Anthropic's APIs, which it calls; it states no rule of its own", "2026-11", LOW);

pub(super) const VSCODE: Source = read(
    "VS Code Copilot Chat, toolSchemaNormalizer.ts: deletes unions at the root, for GPT-4 models keywords too",
    "2025 to 2026",
    HIGH,
);
pub(super) const VSCODE_TOOLS_MAX: Source =
    read("VS Code #258890, Copilot release #13065: tools of a request", "2025-07 to 2025-12", HIGH);
pub(super) const VSCODE_CLIENT: Source = read(
    "VS Code, mcpServerRequestHandler.ts: the product's long name; servers also saw it with hyphens",
    "2025 to 2026",
    HIGH,
);

pub(super) const CURSOR_MEASURED: Source =
    read("senpi #952, measured on Cursor's gateway: no composition at any depth", "2026-08", MEDIUM);
pub(super) const CURSOR_UNMEASURED: Source =
    read("senpi #952: keywords that were not tried on Cursor's gateway", "2026-08", LOW);
pub(super) const CURSOR_NAMES: Source = read(
    "composio #2788, awslabs mcp #1283: server and tool within 60; what a usual prefix leaves",
    "2025-09 to 2026-02",
    MEDIUM,
);
pub(super) const CURSOR_TOOLS: Source =
    read("Snowflake-Labs mcp #77: Cursor warns above it, 40 before", "2025-09", MEDIUM);
pub(super) const CLIENT_NAMES: Source =
    read("names that servers saw in handshakes, as several public servers list them", "2026-09 to 2026-10", MEDIUM);

pub(super) const CLAUDE_CODE_NAMES: Source = read(
    "claude-code #19882, digest of its MCP documentation: mcp__server__tool within 64, what a usual prefix leaves",
    "2026-01 to 2026-10",
    MEDIUM,
);

pub(super) const CODEX: Source =
    read("Codex CLI, json_schema.rs in two versions: all else is dropped, `{}` becomes a string", "2026", HIGH);
pub(super) const GEMINI_CLI: Source =
    read("Gemini CLI core 0.61.0, mcp-tool: mcp_server_tool within 63, what a usual prefix leaves", "2026-11", HIGH);
pub(super) const GEMINI_CLI_CLIENT: Source =
    read("Gemini CLI core 0.61.0, mcp-client: what it calls itself", "2026-11", HIGH);

/// What no reader decides: chosen here, for the form that all of them take.
pub(super) const OURS_KEYWORDS: Source = read(
    "harmless where a reader drops them; readers that refuse them have profiles of their own",
    OURS,
    Confidence::Chosen,
);
pub(super) const OURS_IN_WORDS: Source =
    read("few readers list counts of keys, so these are said in words", OURS, Confidence::Chosen);
pub(super) const OURS_DESCRIPTIONS: Source = read(
    "room for what the shape lost; VS Code, which cuts earlier, has a profile of its own",
    OURS,
    Confidence::Chosen,
);
pub(super) const OURS_NAMES: Source =
    read("names stay the contract's; readers that take fewer have profiles of their own", OURS, Confidence::Chosen);
pub(super) const OURS_FOR_ALL: Source = read(
    "where a profile does not say so, no strict mode is asked for and no client is told by its name",
    OURS,
    Confidence::Chosen,
);
pub(super) const OURS_READING: Source =
    read("nothing is written that some reader takes in another sense", OURS, Confidence::Chosen);
pub(super) const OURS_UNROLLED: Source =
    read("builders write a repetition out as often as the bound says; they state no number", OURS, Confidence::Chosen);
pub(super) const OURS_GEMINI: Source =
    read("what both Gemini fields are known to take; the rest is said in words", OURS, Confidence::Chosen);

const OURS: &str = "2026-11-29";
