//! A tool set as the list of a provider's request.

use super::Provider;
use crate::json::{Document, ObjectWriter, Strictness, Value, list};
use crate::limits::Limits;
use crate::profile::ToolNames;
use crate::tool_set::{Tool, ToolSet};
use std::collections::HashMap;

/// The tools of a set for the request of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    json: String,
    shown: Vec<ManifestTool>,
    /// By the name that is shown.
    names: HashMap<String, String>,
}

/// One tool of a [`Manifest`], for those who write the request by other means than its JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManifestTool {
    /// The name that a model calls it by.
    pub name: String,
    /// What it says of itself; where it says nothing and the provider wants words, its name.
    pub description: Option<String>,
    /// The JSON text of the schema that is shown.
    pub schema: String,
    /// The schema is one for the provider's strict mode.
    pub is_strict: bool,
}

impl Manifest {
    /// The JSON text of the request's list of tools, on one line; the same bytes for the same set.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The names that a model calls the tools by, in the order of the list.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().map(|tool| tool.name.as_str())
    }

    /// The same tools one by one, in the order of the list.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Policy, Provider, Showing, ToolSet};
    /// let tools = [r#"{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}"#];
    /// let set = ToolSet::publish(tools, &Showing::default(), &|_| Policy::default());
    /// let manifest = set.manifest(Provider::Gemini);
    /// let tool = manifest.tools().next().unwrap();
    /// assert_eq!((tool.name.as_str(), tool.description.as_deref()), ("read", Some("Reads.")));
    /// assert!(manifest.json().contains(&tool.schema));
    /// ```
    pub fn tools(&self) -> impl Iterator<Item = &ManifestTool> {
        self.shown.iter()
    }

    /// The tool's own name, by the name that a model calls it by. They differ where the provider does not take it.
    pub fn tool(&self, shown: &str) -> Option<&str> {
        self.names.get(shown).map(String::as_str)
    }
}

impl ToolSet {
    /// The tools that are served, as the list of a provider's request. The set is to be published under the provider's
    /// [`profile`](Provider::profile) or its [`strict_profile`](Provider::strict_profile).
    ///
    /// A name that the provider does not take, which would cost the whole request, is shown with `_` in place of what it does
    /// not take, and cut; of two that become one, the later has a number.
    ///
    /// # Example
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use toolgate::{Policy, Provider, Showing, ToolSet};
    /// let showing = Showing { profile: Cow::Borrowed(Provider::Anthropic.profile()), ..Showing::default() };
    /// let tools = [r#"{"name":"files/read","description":"Reads.","inputSchema":{"type":"object"}}"#];
    /// let manifest = ToolSet::publish(tools, &showing, &|_| Policy::default()).manifest(Provider::Anthropic);
    /// assert!(manifest.json().starts_with(r#"[{"name":"files_read","description":"Reads.","input_schema":{"#));
    /// assert_eq!(manifest.tool("files_read"), Some("files/read"));
    /// ```
    pub fn manifest(&self, provider: Provider) -> Manifest {
        let names_taken = provider.profile().tool_names;
        let mut names = HashMap::new();
        // Names that are taken as they are keep their own.
        let mut own: Vec<&Tool> = self.listed().collect();
        own.retain(|tool| names_taken.admits(tool.name()));
        names.extend(own.iter().map(|tool| (tool.name().to_owned(), tool.name().to_owned())));
        let (mut entries, mut all_shown) = (Vec::new(), Vec::new());
        for tool in self.listed() {
            let mut shown = tool.name().to_owned();
            if !names_taken.admits(&shown) {
                shown = free_name(&shown, names_taken, &names);
                names.insert(shown.clone(), tool.name().to_owned());
            }
            let shown = manifest_tool(provider, shown, tool);
            entries.push(entry(provider, &shown));
            all_shown.push(shown);
        }
        let json = match provider {
            // One tool of Gemini's is a list of functions.
            Provider::Gemini if !entries.is_empty() => {
                let mut tool = ObjectWriter::new();
                tool.raw("functionDeclarations", &list(entries.into_iter()));
                list(std::iter::once(tool.end()))
            }
            _ => list(entries.into_iter()),
        };
        Manifest { json, shown: all_shown, names }
    }
}

fn free_name(name: &str, taken: ToolNames, names: &HashMap<String, String>) -> String {
    let is_taken = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || taken.others.contains(ch);
    let mut base: String = name.chars().map(|ch| if is_taken(ch) { ch } else { '_' }).collect();
    if !base.starts_with(|ch: char| ch.is_ascii_alphabetic() || ch == '_')
        && (taken.starts_with_letter || base.is_empty())
    {
        base.insert(0, '_');
    }
    let cut = |to: usize| base.chars().take(to).collect::<String>();
    let numbered = (2_usize..).map(|number| {
        let number = format!("_{number}");
        cut(taken.chars_max.saturating_sub(number.len())) + &number
    });
    let mut candidates = std::iter::once(cut(taken.chars_max)).chain(numbered);
    candidates.find(|candidate| !names.contains_key(candidate)).unwrap_or_default()
}

fn manifest_tool(provider: Provider, name: String, tool: &Tool) -> ManifestTool {
    let published = tool.published();
    let own = description(tool);
    let description = match provider {
        // Gemini refuses a function without one, and the service model of Bedrock has a length of at least one.
        Provider::Gemini | Provider::Bedrock => Some(own.unwrap_or_else(|| name.clone())),
        _ => own,
    };
    ManifestTool {
        name,
        description,
        schema: published.map_or_else(|| "{}".to_owned(), |published| published.advertised.schema.clone()),
        is_strict: published.is_some_and(|published| published.advertised.is_strict),
    }
}

fn entry(provider: Provider, tool: &ManifestTool) -> String {
    let ManifestTool { name, description, schema, is_strict } = tool;
    let (description, is_strict) = (description.as_deref(), *is_strict);
    let mut entry = ObjectWriter::new();
    match provider {
        Provider::OpenAiChat | Provider::Mistral => {
            let mut function = ObjectWriter::new();
            function.string("name", name);
            function.optional("description", description);
            function.raw("parameters", schema);
            if provider == Provider::OpenAiChat {
                function.raw("strict", word(is_strict));
            }
            entry.string("type", "function");
            entry.raw("function", &function.end());
        }
        Provider::OpenAiResponses => {
            entry.string("type", "function");
            entry.string("name", name);
            entry.optional("description", description);
            entry.raw("parameters", schema);
            // Left out, it is taken as true here.
            entry.raw("strict", word(is_strict));
        }
        Provider::Anthropic => {
            entry.string("name", name);
            entry.optional("description", description);
            entry.raw("input_schema", schema);
            if is_strict {
                entry.raw("strict", word(is_strict));
            }
        }
        Provider::Gemini => {
            entry.string("name", name);
            entry.optional("description", description);
            entry.raw("parametersJsonSchema", schema);
        }
        Provider::Bedrock => {
            let mut input = ObjectWriter::new();
            input.raw("json", schema);
            let mut spec = ObjectWriter::new();
            spec.string("name", name);
            spec.optional("description", description);
            spec.raw("inputSchema", &input.end());
            entry.raw("toolSpec", &spec.end());
        }
    }
    entry.end()
}

fn word(is: bool) -> &'static str {
    if is { "true" } else { "false" }
}

/// What the tool says of itself.
fn description(tool: &Tool) -> Option<String> {
    // It was read before, within bounds.
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: usize::MAX, ..Limits::default() };
    let document = Document::read_str(tool.definition(), Strictness::Frame, &limits).ok()?;
    let text = |name| document.root().get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text("description").or_else(|| text("title")).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Policy;
    use crate::profile::Profile;
    use crate::tool_set::Showing;
    use serde_json::{Value as Json, json};
    use std::borrow::Cow;

    const ADD: &str = r#"{"name":"add","description":"Adds.","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}}"#;
    const OPEN: &str = r#"{"name":"open","inputSchema":{"type":"object","additionalProperties":true}}"#;

    fn set(profile: &'static Profile, tools: &[&str]) -> ToolSet {
        let showing = Showing { profile: Cow::Borrowed(profile), ..Showing::default() };
        ToolSet::publish(tools.iter().copied(), &showing, &|_| Policy::default())
    }

    fn manifest(provider: Provider, profile: &'static Profile) -> Json {
        serde_json::from_str(set(profile, &[ADD, OPEN]).manifest(provider).json()).unwrap()
    }

    #[test]
    fn each_provider_gets_its_shape() {
        let chat = manifest(Provider::OpenAiChat, Provider::OpenAiChat.profile());
        assert_eq!((&chat[0]["type"], &chat[0]["function"]["name"]), (&json!("function"), &json!("add")));
        assert_eq!(chat[0]["function"]["strict"], false);
        assert_eq!(chat[0]["function"]["parameters"]["required"], json!(["a"]));
        assert!(chat[1]["function"].get("description").is_none());
        let anthropic = manifest(Provider::Anthropic, Provider::Anthropic.profile());
        assert_eq!(anthropic[0]["input_schema"]["type"], "object");
        let gemini = manifest(Provider::Gemini, Provider::Gemini.profile());
        let functions = gemini[0]["functionDeclarations"].as_array().unwrap();
        assert_eq!((functions.len(), &functions[1]["description"]), (2, &json!("open")));
        assert!(functions[0]["parametersJsonSchema"].is_object());
        let bedrock = manifest(Provider::Bedrock, Provider::Bedrock.profile());
        assert_eq!(bedrock[1]["toolSpec"]["description"], "open");
        assert_eq!(bedrock[0]["toolSpec"]["inputSchema"]["json"]["type"], "object");
        let mistral = manifest(Provider::Mistral, Provider::Mistral.profile());
        assert!(mistral[0]["function"].get("strict").is_none());
    }

    #[test]
    fn tools_one_by_one_are_those_of_the_list() {
        for provider in Provider::ALL {
            let profile = provider.strict_profile().unwrap_or(provider.profile());
            let manifest = set(profile, &[ADD, OPEN]).manifest(provider);
            let [add, open] = manifest.tools().collect::<Vec<_>>().try_into().unwrap();
            assert_eq!((add.name.as_str(), add.description.as_deref()), ("add", Some("Adds.")));
            assert!([add, open].iter().all(|tool| manifest.json().contains(&tool.schema)), "{provider:?}");
            let wants_words = matches!(provider, Provider::Gemini | Provider::Bedrock);
            assert_eq!(open.description.as_deref(), wants_words.then_some("open"), "{provider:?}");
            assert_eq!((add.is_strict, open.is_strict), (provider.strict_profile().is_some(), false), "{provider:?}");
        }
    }

    #[test]
    fn strict_is_said_tool_by_tool() {
        let responses = manifest(Provider::OpenAiResponses, Provider::OpenAiResponses.strict_profile().unwrap());
        assert_eq!((&responses[0]["strict"], &responses[1]["strict"]), (&json!(true), &json!(false)));
        assert_eq!(responses[0]["parameters"]["required"], json!(["a", "b"]));
        let anthropic = manifest(Provider::Anthropic, Provider::Anthropic.strict_profile().unwrap());
        assert_eq!((anthropic[0].get("strict"), anthropic[1].get("strict")), (Some(&json!(true)), None));
    }

    #[test]
    fn names_that_a_provider_does_not_take_are_shown_otherwise_and_found_again() {
        let tool =
            |name: &str| format!(r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#, crate::json::quoted(name));
        let long = "x".repeat(100);
        let names = ["a.b", "a_b", "a/b", "é", "", "7", long.as_str(), &format!("{long}y")];
        let tools: Vec<String> = names.iter().map(|name| tool(name)).collect();
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        for provider in Provider::ALL {
            let manifest = set(provider.profile(), &tools).manifest(provider);
            let json: Json = serde_json::from_str(manifest.json()).unwrap();
            let text = json.to_string();
            assert_eq!(manifest.names.len(), names.len(), "{provider:?} {text}");
            for (shown, name) in &manifest.names {
                assert!(provider.profile().tool_names.admits(shown), "{provider:?} {shown}");
                assert!(text.contains(&format!("\"name\":\"{shown}\"")), "{text}");
                assert!(names.contains(&name.as_str()));
            }
            assert_eq!(manifest.tool("a_b"), Some("a_b"), "what is taken keeps its name");
        }
    }
}
