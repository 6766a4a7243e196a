//! The tools of one server at one moment: name to contract and advertised form. Immutable, swapped whole (R10.1).

use crate::contract::{Admitted, Arguments, Contract, Policy, Unusable};
use crate::json::{Document, Kind, Strictness, Value};
use crate::limits::Limits;
use crate::normalize::overlay::push_one_line;
use crate::refusal::Refusal;
use std::collections::{HashMap, HashSet};

/// Bytes and nesting of one tool object; its schema has tighter limits of its own.
const DEFINITION_MAX_BYTES: usize = 16 * 1024 * 1024;
const DEFINITION_DEPTH_MAX: usize = 512;

/// Whether the advertised schema says what becomes of undeclared keys at the root (R7.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootPolicy {
    /// It is said.
    #[default]
    Stated,
    /// It is left unsaid, to save tokens.
    Silent,
}

/// One tool: its definition as served on, and its contract or the reason why it is closed.
#[derive(Debug)]
pub struct Tool {
    name: String,
    definition: String,
    contract: Result<Contract, Unusable>,
    has_output_schema: bool,
}

impl Tool {
    fn compile(
        definition: &str,
        root_policy: RootPolicy,
        policy: &dyn Fn(&str) -> Policy,
    ) -> Result<Self, &'static str> {
        let limits =
            Limits { size_max_bytes: DEFINITION_MAX_BYTES, depth_max: DEFINITION_DEPTH_MAX, ..Limits::default() };
        let document = Document::read_str(definition, Strictness::Frame, &limits).map_err(|_| "not a JSON object")?;
        let root = document.root();
        if root.kind() != Kind::Object {
            return Err("not a JSON object");
        }
        let mut names = HashSet::new();
        if !root.members().all(|(name, _)| name.as_str().is_some_and(|name| names.insert(name))) {
            return Err("a member of the tool object is given twice");
        }
        let name = root.get("name").and_then(Value::as_str).ok_or("the tool has no name")?.into_owned();
        let schema = root.get("inputSchema");
        let policy = policy(&name);
        // A tool without a schema takes no arguments.
        let contract = Contract::from_text_with(schema.map_or("{}", Value::text), &policy);
        let states_root =
            root_policy == RootPolicy::Stated && contract.as_ref().is_ok_and(Contract::can_state_root_policy);
        let definition = match schema.filter(|_| states_root) {
            Some(schema) => with_closed_root(definition, schema),
            None => one_line(definition),
        };
        let has_output_schema = root.get("outputSchema").is_some_and(|schema| schema.kind() != Kind::Null);
        Ok(Tool { name, definition, contract, has_output_schema })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON text of the tool object for `tools/list`, on one line.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The contract, or why there is none.
    ///
    /// # Errors
    ///
    /// Returns the defects of a tool that is closed.
    pub fn contract(&self) -> Result<&Contract, &Unusable> {
        self.contract.as_ref()
    }

    /// Whether the tool declares an `outputSchema`, beside which a refusal has no `structuredContent` (R6.8).
    pub fn has_output_schema(&self) -> bool {
        self.has_output_schema
    }

    /// Reads and judges arguments; a closed tool refuses them all with `schema-unusable` (R6.1).
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`].
    pub fn check<'a>(&self, arguments: Arguments<'a>) -> Result<Admitted<'a>, Refusal> {
        self.contract.as_ref().map_err(|_| Refusal::schema_unusable())?.check(arguments)
    }
}

/// A tool definition of a list that is not one: left out of the set, named to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its place in the list.
    pub index: usize,
    /// Why, in words.
    pub why: String,
}

/// Name to tool, in the order listed.
#[derive(Debug, Default)]
pub struct ToolSet {
    tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
    misfits: Vec<Misfit>,
}

impl ToolSet {
    /// Compiles the tool objects of a list. `policy` is asked once a tool, by name.
    ///
    /// Never fails: a schema that does not compile closes its own tool, an entry that is no tool object with a name of its
    /// own is a [`Misfit`].
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Policy, RootPolicy, ToolSet};
    /// let list = [r#"{"name":"ping","inputSchema":{"type":"object"}}"#, r#"{"name":"bad","inputSchema":{"type":"nonsense"}}"#];
    /// let tools = ToolSet::compile(list, RootPolicy::Stated, &|_| Policy::default());
    /// assert_eq!(tools.listed().count(), 1);
    /// assert_eq!(
    ///     tools.get("ping").unwrap().definition(),
    ///     r#"{"name":"ping","inputSchema":{"type":"object","additionalProperties":false}}"#
    /// );
    /// assert!(tools.get("bad").unwrap().contract().is_err());
    /// ```
    pub fn compile<'a>(
        definitions: impl IntoIterator<Item = &'a str>,
        root_policy: RootPolicy,
        policy: &dyn Fn(&str) -> Policy,
    ) -> Self {
        let mut set = ToolSet::default();
        for (index, definition) in definitions.into_iter().enumerate() {
            match Tool::compile(definition, root_policy, policy) {
                Ok(tool) if set.by_name.contains_key(&tool.name) => {
                    set.misfits.push(Misfit { index, why: "a tool of this name is listed already".into() });
                }
                Ok(tool) => {
                    set.by_name.insert(tool.name.clone(), set.tools.len());
                    set.tools.push(tool);
                }
                Err(why) => set.misfits.push(Misfit { index, why: why.into() }),
            }
        }
        set
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).and_then(|index| self.tools.get(*index))
    }

    /// The tools that are served, in the order listed: those whose schema compiles. One that does not would cost a client
    /// that reads it the whole list.
    pub fn listed(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| tool.contract.is_ok())
    }

    /// All tools, closed ones too, in the order listed.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Entries of the list that are no tools.
    pub fn misfits(&self) -> &[Misfit] {
        &self.misfits
    }

    /// Whether a client would see the same list: a change that is none is not announced (R10.1).
    pub fn same_definitions(&self, other: &ToolSet) -> bool {
        self.listed().map(Tool::definition).eq(other.listed().map(Tool::definition))
    }
}

/// The tool object with the root's key policy said in its schema, all other tokens as they were (R7.5).
fn with_closed_root(definition: &str, schema: Value<'_>) -> String {
    let end = schema.span().end.saturating_sub(1);
    let (before, after) = definition.split_at_checked(end).unwrap_or((definition, ""));
    let comma = if schema.is_empty() { "" } else { "," };
    one_line(&format!("{}{comma}\"additionalProperties\":false{after}", before.trim_end()))
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 32);
    push_one_line(text.trim(), &mut line);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Origin, UnknownKeys};

    fn compile(definitions: &[&str]) -> ToolSet {
        let policy = |_: &str| Policy { origin: Origin::Discovered, ..Policy::default() };
        ToolSet::compile(definitions.iter().copied(), RootPolicy::Stated, &policy)
    }

    #[track_caller]
    fn served(schema: &str, expected: &str) {
        let tools = compile(&[&format!(r#"{{"name":"t","inputSchema":{schema},"title":"T"}}"#)]);
        let tool = tools.get("t").unwrap();
        assert_eq!(tool.definition(), format!(r#"{{"name":"t","inputSchema":{expected},"title":"T"}}"#));
    }

    #[test]
    fn states_a_root_that_says_nothing_itself() {
        served(r#"{"type":"object" }"#, r#"{"type":"object","additionalProperties":false}"#);
        served("{}", r#"{"additionalProperties":false}"#);
        served("{\n\"properties\":{\"a\":{}}}", r#"{"properties":{"a":{}},"additionalProperties":false}"#);
    }

    #[test]
    fn leaves_every_other_root_as_served() {
        for schema in [
            r#"{"type":"object","additionalProperties":true}"#,
            r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"x":{}}}}}"##,
            r#"{"type":"object","allOf":[{"properties":{"a":{}}}]}"#,
            r#"{"type":"object","properties":{"a":{}},"required":["b"]}"#,
            r#"{"type":"object","patternProperties":{"^x":{}}}"#,
        ] {
            served(schema, schema);
        }
    }

    #[test]
    fn as_written_states_nothing() {
        let policy = |_: &str| Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
        let definition = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
        assert_eq!(
            ToolSet::compile([definition], RootPolicy::Stated, &policy).get("t").unwrap().definition(),
            definition
        );
        let policy = |_: &str| Policy::default();
        assert_eq!(
            ToolSet::compile([definition], RootPolicy::Silent, &policy).get("t").unwrap().definition(),
            definition
        );
    }

    #[test]
    fn one_bad_tool_costs_one_tool() {
        let tools = compile(&[
            r#"{"name":"good","inputSchema":{"type":"object"}}"#,
            r#"{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.invalid/a"}}}}"#,
            r#"{"name":"good","inputSchema":{"type":"object","additionalProperties":true}}"#,
            r#"{"title":"no name"}"#,
            r#"{"name":"twice","name":"twice"}"#,
            "[]",
            "{",
        ]);
        assert_eq!(tools.listed().map(Tool::name).collect::<Vec<_>>(), ["good"]);
        assert_eq!(tools.misfits().iter().map(|misfit| misfit.index).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
        let refusal = tools.get("bad").unwrap().check(Arguments::absent()).unwrap_err();
        assert_eq!(refusal.violations().first().unwrap().code, crate::refusal::Code::SchemaUnusable);
    }
}
