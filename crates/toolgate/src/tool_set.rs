//! The tools of one server at one moment: name to contract and advertised form. Immutable, swapped whole (R10.1).

use crate::advertise::decode::Decoder;
use crate::advertise::{NotAdvertised, Note};
use crate::contract::{Admitted, Arguments, Contract, Form, Policy, Unusable};
use crate::json::{Document, Kind, Strictness, Value, write_value};
use crate::limits::Limits;
use crate::location::{shown_name, unescaped};
use crate::normalize::overlay::push_one_line;
use crate::profile::Profile;
use crate::publish::Published;
use crate::refusal::{Code, Refusal};
use crate::skeleton::skeleton;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The contract of a tool that says nothing of its arguments: it takes none.
const NO_ARGUMENTS: &str = r#"{"type":"object"}"#;
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

/// How the tools of a set are shown.
#[derive(Clone, Debug)]
pub struct Showing {
    /// What the reader of the list takes.
    pub profile: Cow<'static, Profile>,
    /// Whether the root's key policy is said.
    pub root_policy: RootPolicy,
}

impl Default for Showing {
    fn default() -> Self {
        Showing { profile: Cow::Borrowed(Profile::portable()), root_policy: RootPolicy::default() }
    }
}

/// One tool: its definition as served on, and its contract or the reason why it is closed.
#[derive(Debug)]
pub struct Tool {
    name: String,
    definition: String,
    contract: Result<Contract, Unusable>,
    published: Option<Published>,
    decoder: Option<Decoder>,
    has_input_schema: bool,
    has_output_schema: bool,
    takers: Arc<Takers>,
}

/// The first tool of a set that declares an argument of a name.
type Takers = HashMap<String, String>;

impl Tool {
    fn publish(
        definition: &str,
        showing: &Showing,
        policy: &dyn Fn(&str) -> Policy,
        defect: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, &'static str> {
        let limits =
            Limits { size_max_bytes: DEFINITION_MAX_BYTES, depth_max: DEFINITION_DEPTH_MAX, ..Limits::default() };
        let document =
            Document::read_str(definition, Strictness::Frame, &limits).map_err(|fault| match fault.code {
                Code::DepthLimit => "it is nested too deep",
                Code::SizeLimit => "it is too large",
                _ => "not a JSON object",
            })?;
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
        let compiled = match defect(&name) {
            Some(why) => Err(Unusable::for_one("", "defect", &why)),
            None => Contract::from_text_with(schema.map_or(NO_ARGUMENTS, Value::text), &policy),
        };
        let outcome = compiled.and_then(|contract| match contract.publish(&showing.profile, showing.root_policy) {
            Ok(published) => Ok((contract, published)),
            Err(why) => Err(Unusable::for_one("", NotAdvertised::CODE, why.why)),
        });
        let (contract, published) = match outcome {
            Ok((contract, published)) => (Ok(contract), Some(published)),
            Err(unusable) => (Err(unusable), None),
        };
        let shown = published.as_ref().map(|published| published.advertised.schema.as_str());
        let definition = match (schema, shown) {
            (Some(schema), Some(shown)) => with_schema(definition, schema, shown),
            (None, Some(shown)) => with_new_schema(root, shown),
            (_, None) => one_line(definition),
        };
        let decoder = published
            .as_ref()
            .zip(contract.as_ref().ok())
            .and_then(|(published, contract)| Decoder::new(&published.advertised.decode, &contract.outline()));
        let has_output_schema = root.get("outputSchema").is_some_and(|schema| schema.kind() != Kind::Null);
        let has_input_schema = schema.is_some();
        let takers = Arc::default();
        Ok(Tool { name, definition, contract, published, decoder, has_input_schema, has_output_schema, takers })
    }

    /// Whether the list says anything of its arguments.
    pub(crate) fn has_input_schema(&self) -> bool {
        self.has_input_schema
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

    /// What is shown of the contract and its proof; `None` for a tool that is closed.
    pub fn published(&self) -> Option<&Published> {
        self.published.as_ref()
    }

    /// The shape of the arguments in the names that were shown, as [`Contract::skeleton`]; empty for a tool that is closed.
    pub fn skeleton(&self) -> String {
        let contract = self.contract.as_ref().ok();
        contract.map_or_else(String::new, |contract| skeleton(contract.schema(), self.decoder.as_ref()))
    }

    /// Reads and judges arguments as they were sent, after what was shown; a closed tool refuses them all with
    /// `schema-unusable` (R6.1).
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`], in the names that were shown.
    pub fn check<'a>(&self, arguments: Arguments<'a>) -> Result<Admitted<'a>, Refusal> {
        let contract = self.contract.as_ref().map_err(|_| Refusal::schema_unusable())?;
        let Some(decoder) = &self.decoder else {
            return contract.check(arguments).map_err(|refusal| self.with_takers(refusal));
        };
        let limits = &contract.policy().limits;
        let decoded = match &arguments.form {
            Form::Absent => None,
            Form::Text(text) => decoder.decode(text, limits),
            Form::Bytes(bytes) => std::str::from_utf8(bytes).ok().and_then(|text| decoder.decode(text, limits)),
            Form::Value(value) => write_value(value, limits).ok().and_then(|text| decoder.decode(&text, limits)),
        };
        let outcome = match decoded {
            None => contract.check(arguments),
            Some((text, edits)) => contract.check(Arguments::from_text(&text)).map(|admitted| admitted.after(edits)),
        };
        outcome.map_err(|refusal| decoder.show(self.with_takers(refusal)))
    }

    /// Says of an undeclared argument that it is one of another tool (R13.3), where nothing nearer was found.
    fn with_takers(&self, mut refusal: Refusal) -> Refusal {
        for violation in refusal.violations_mut() {
            if violation.code != Code::UnknownArgument || violation.suggest.is_some() || violation.hint.is_some() {
                continue;
            }
            let pointer = violation.location.to_pointer();
            let name = pointer.strip_prefix('/').filter(|name| !name.contains('/'));
            let Some(name) = name.map(unescaped) else { continue };
            // Its own argument, in another form of the call, is none of another tool.
            if self.contract.as_ref().is_ok_and(|contract| contract.schema().declares_at_root(&name)) {
                continue;
            }
            let taker = self.takers.get(&name);
            violation.hint = taker.map(|tool| format!("`{}` takes it, this tool does not", shown_name(tool)).into());
        }
        refusal
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
    /// Compiles the tool objects of a list, and shows and proves each (R7.7). `policy` is asked once a tool, by name.
    ///
    /// Never fails: a schema that does not compile, or of which nothing can be shown, closes its own tool; an entry that is no
    /// tool object with a name of its own is a [`Misfit`].
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Policy, Showing, ToolSet};
    /// let list = [r#"{"name":"ping","inputSchema":{"type":"object"}}"#, r#"{"name":"bad","inputSchema":{"type":"nonsense"}}"#];
    /// let tools = ToolSet::publish(list, &Showing::default(), &|_| Policy::default());
    /// assert_eq!(tools.listed().count(), 1);
    /// assert_eq!(
    ///     tools.get("ping").unwrap().definition(),
    ///     r#"{"name":"ping","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}"#
    /// );
    /// assert!(tools.get("bad").unwrap().contract().is_err());
    /// ```
    pub fn publish<'a>(
        definitions: impl IntoIterator<Item = &'a str>,
        showing: &Showing,
        policy: &dyn Fn(&str) -> Policy,
    ) -> Self {
        ToolSet::publish_with(definitions, showing, policy, &|_| None)
    }

    /// The same, where a tool may have a defect that its schema does not show, such as a former name that two of its arguments
    /// have: `defect` says which, by the tool's name, and the tool is closed.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Policy, Showing, ToolSet};
    /// let list = [r#"{"name":"ping","inputSchema":{"type":"object"}}"#];
    /// let defect = |name: &str| (name == "ping").then(|| "nobody answers".to_owned());
    /// let tools = ToolSet::publish_with(list, &Showing::default(), &|_| Policy::default(), &defect);
    /// let refusal = tools.get("ping").unwrap().check(Arguments::absent()).unwrap_err();
    /// assert_eq!(refusal.to_log(), "schema-unusable@");
    /// ```
    pub fn publish_with<'a>(
        definitions: impl IntoIterator<Item = &'a str>,
        showing: &Showing,
        policy: &dyn Fn(&str) -> Policy,
        defect: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let mut set = ToolSet::default();
        let mut strict = StrictBudget::default();
        for (index, definition) in definitions.into_iter().enumerate() {
            let tool = Tool::publish(definition, showing, policy, defect).and_then(|tool| {
                if set.by_name.contains_key(&tool.name) {
                    return Err("a tool of this name is listed already");
                }
                match strict.take(&tool, showing) {
                    None => Ok(tool),
                    Some(over) => over.publish(definition, showing, policy),
                }
            });
            match tool {
                Ok(tool) => {
                    set.by_name.insert(tool.name.clone(), set.tools.len());
                    set.tools.push(tool);
                }
                Err(why) => set.misfits.push(Misfit { index, why: why.into() }),
            }
        }
        let takers = Arc::new(set.takers());
        set.tools.iter_mut().for_each(|tool| tool.takers = takers.clone());
        set
    }

    fn takers(&self) -> Takers {
        let mut takers = Takers::new();
        for tool in self.listed() {
            let names = tool.contract.iter().flat_map(|contract| contract.schema().names_at_root());
            for name in names {
                if !takers.contains_key(name) {
                    takers.insert(name.to_owned(), tool.name.clone());
                }
            }
        }
        takers
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

/// What the strict tools of one request have taken of the budgets that they share.
#[derive(Default)]
struct StrictBudget {
    tools: usize,
    optional: usize,
    unions: usize,
}

/// A strict tool for which nothing is left of a budget.
struct OverBudget {
    what: &'static str,
    max: usize,
}

impl StrictBudget {
    /// Counts a strict tool in, or says which budget it is too much for.
    fn take(&mut self, tool: &Tool, showing: &Showing) -> Option<OverBudget> {
        let strict = showing.profile.strict?;
        let cost = tool.published.as_ref().map(|published| &published.advertised).filter(|shown| shown.is_strict)?.cost;
        let counts = [
            (self.tools + 1, strict.tools_max, "strict tools"),
            (self.optional + cost.optional, strict.optional_max, "optional properties"),
            (self.unions + cost.unions, strict.unions_max, "places of several kinds"),
        ];
        let over = counts
            .into_iter()
            .find_map(|(count, max, what)| max.filter(|max| count > *max).map(|max| OverBudget { what, max }));
        if over.is_none() {
            (self.tools, self.optional, self.unions) =
                (self.tools + 1, self.optional + cost.optional, self.unions + cost.unions);
        }
        over
    }
}

impl OverBudget {
    /// Shows the tool in the ordinary form of the same reader, and says why.
    fn publish(
        &self,
        definition: &str,
        showing: &Showing,
        policy: &dyn Fn(&str) -> Policy,
    ) -> Result<Tool, &'static str> {
        let otherwise = showing.profile.strict.and_then(|strict| Profile::named(strict.otherwise));
        let profile = Cow::Borrowed(otherwise.unwrap_or(Profile::portable()));
        let mut tool =
            Tool::publish(definition, &Showing { profile, root_policy: showing.root_policy }, policy, &|_| None)?;
        if let Some(published) = &mut tool.published {
            let why = format!("the request's {} {} are taken by tools before it", self.max, self.what);
            published.advertised.notes.insert(0, Note::of_strict(&why));
        }
        Ok(tool)
    }
}

/// The tool object with another schema, all other tokens as they were.
fn with_schema(definition: &str, schema: Value<'_>, shown: &str) -> String {
    let span = schema.span();
    let (before, rest) = definition.split_at_checked(span.start).unwrap_or((definition, ""));
    let after = rest.get(span.len()..).unwrap_or("");
    one_line(&format!("{before}{shown}{after}"))
}

/// A tool object that has no schema, with one: clients refuse the whole list for a tool without.
fn with_new_schema(tool: Value<'_>, shown: &str) -> String {
    let members = tool.text().strip_suffix('}').unwrap_or_default();
    one_line(&format!(r#"{members},"inputSchema":{shown}}}"#))
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

    fn plain(root_policy: RootPolicy) -> Showing {
        Showing { profile: Cow::Borrowed(Profile::named("plain").unwrap()), root_policy }
    }

    fn compile(definitions: &[&str]) -> ToolSet {
        let policy = |_: &str| Policy { origin: Origin::Discovered, ..Policy::default() };
        ToolSet::publish(definitions.iter().copied(), &plain(RootPolicy::Stated), &policy)
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
        served("{}", r#"{"type":"object","additionalProperties":false}"#);
        served(
            "{\n\"properties\":{\"a\":{}}}",
            r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#,
        );
    }

    #[test]
    fn states_a_root_with_branches_by_what_they_leave_unevaluated() {
        served(
            r#"{"type":"object","anyOf":[{"required":["a"],"properties":{"a":{}}},{"properties":{"b":{}}}]}"#,
            r#"{"type":"object","anyOf":[{"required":["a"],"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}"#,
        );
    }

    #[test]
    fn a_root_of_no_type_that_is_named_inside_is_shown_flat() {
        let schema = r##"{"properties":{"kid":{"$ref":"#"},"v":{"type":"integer"}}}"##;
        let contract = Contract::from_text(schema).unwrap();
        let published = contract.publish(Profile::named("plain").unwrap(), RootPolicy::Stated).unwrap();
        assert!(published.fell_back.is_none() && published.advertised.schema.starts_with(r#"{"type":"object""#));
    }

    #[test]
    fn no_object_is_one_of_several_kinds_where_a_strict_reader_takes_none() {
        let is_strict = |schema: &str| {
            let contract = Contract::from_text(schema).unwrap();
            let profile = Profile::named("deepseek-strict").unwrap();
            contract.publish(profile, RootPolicy::Stated).unwrap().advertised.is_strict
        };
        let field = |of: &str| format!(r#"{{"type":"object","properties":{{"a":{of}}}}}"#);
        assert!(is_strict(&field(r#"{"type":"string"}"#)));
        assert!(!is_strict(&field(r#"{"type":"array","items":{"type":"string"}}"#)));
    }

    #[test]
    fn leaves_every_other_root_as_served() {
        for schema in [
            r#"{"type":"object","additionalProperties":true}"#,
            r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
            r#"{"type":"object","properties":{"a":{}},"required":["b"]}"#,
            r#"{"type":"object","patternProperties":{"^x":{}}}"#,
            r##"{"type":"object","properties":{"kid":{"$ref":"#"}}}"##,
        ] {
            served(schema, schema);
        }
    }

    #[test]
    fn strict_tools_share_the_budgets_of_their_request() {
        let definitions: Vec<String> = (0..30)
            .map(|n| {
                format!(
                    r#"{{"name":"t{n}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string"}}}}}}}}"#
                )
            })
            .collect();
        let showing =
            |name: &str| Showing { profile: Cow::Borrowed(Profile::named(name).unwrap()), ..Showing::default() };
        let strict = |name: &str| {
            let set = ToolSet::publish(definitions.iter().map(String::as_str), &showing(name), &|_| Policy::default());
            let shown = |tool: &Tool| tool.published().unwrap().advertised.clone();
            let told = set
                .tools()
                .iter()
                .filter(|tool| shown(tool).notes.iter().any(|note| note.what.starts_with("not strict")));
            (set.tools().iter().filter(|tool| shown(tool).is_strict).count(), told.count())
        };
        assert_eq!(strict("anthropic-strict"), (20, 10));
        assert_eq!(strict("openai-strict"), (30, 0));
    }

    #[test]
    fn what_a_reader_makes_of_listed_values_is_read_back() {
        let definition = r#"{"name":"t","inputSchema":{"type":"object","properties":{"level":{"enum":[1,2.5]},"mode":{"enum":["On","off"]}},"required":["mode"]}}"#;
        let read = |profile: &str, text: &str| {
            let profile = Cow::Borrowed(Profile::named(profile).unwrap());
            let set =
                ToolSet::publish([definition], &Showing { profile, ..Showing::default() }, &|_| Policy::default());
            let tool = set.get("t").unwrap();
            let admitted = tool.check(Arguments::from_text(text)).map(|admitted| {
                let rules: Vec<&str> = admitted.edits().iter().map(|edit| edit.rule).collect();
                format!("{} {}", admitted.arguments_text(), rules.join(" "))
            });
            (tool.definition().to_owned(), admitted.map_err(|refusal| refusal.text()))
        };
        let (shown, read_back) = read("gemini", r#"{"mode":"On","level":"2.5"}"#);
        assert!(shown.contains(r#""level":{"type":"string","enum":["1","2.5"]}"#), "{shown}");
        assert_eq!(read_back.unwrap(), r#"{"mode":"On","level":2.5} enum-text"#);
        assert_eq!(read("anthropic-strict", r#"{"mode":"ON"}"#).1.unwrap(), r#"{"mode":"On"} enum-case"#);
        assert!(read("portable", r#"{"mode":"ON"}"#).1.is_err());
    }

    #[test]
    fn a_tool_without_a_schema_is_shown_with_one() {
        let definition = r#" {"name":"t","description":"d" } "#;
        for profile in Profile::all() {
            let showing = Showing { profile: Cow::Borrowed(profile), root_policy: RootPolicy::Silent };
            let set = ToolSet::publish([definition], &showing, &|_| Policy::default());
            let tool = set.get("t").unwrap();
            let start = r#"{"name":"t","description":"d" ,"inputSchema":{"type":"object""#;
            assert!(tool.definition().starts_with(start), "{} {}", profile.name, tool.definition());
            assert!(tool.check(Arguments::from_text(r#"{"a":1}"#)).is_err());
        }
    }

    #[test]
    fn as_written_states_nothing() {
        let policy = |_: &str| Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
        let definition = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
        let stated = ToolSet::publish([definition], &plain(RootPolicy::Stated), &policy);
        assert_eq!(stated.get("t").unwrap().definition(), definition);
        let policy = |_: &str| Policy::default();
        let silent = ToolSet::publish([definition], &plain(RootPolicy::Silent), &policy);
        assert_eq!(silent.get("t").unwrap().definition(), definition);
    }

    #[test]
    fn an_argument_of_another_tool_is_told_as_such() {
        let tools = compile(&[
            r#"{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}"#,
            r#"{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}}}"#,
            r#"{"name":"bad","inputSchema":{"type":"object","properties":{"mode":{"type":"nonsense"}}}}"#,
            r#"{"name":"forms","inputSchema":{"oneOf":[{"properties":{"k":{"const":1},"text":{}},"required":["k"]},{"properties":{"k":{"const":2}},"required":["k"]}]}}"#,
        ]);
        let hints = |tool: &str, text: &str| {
            let refusal = tools.get(tool).unwrap().check(Arguments::from_text(text)).unwrap_err();
            refusal.violations().iter().map(|violation| violation.hint.clone().map(String::from)).collect::<Vec<_>>()
        };
        assert_eq!(hints("read", r#"{"text":"x"}"#), [Some("`write` takes it, this tool does not".to_owned())]);
        // A near name of the tool itself is likelier meant, a closed tool takes nothing, and below the root names mean other things.
        assert_eq!(hints("read", r#"{"pathh":"x","mode":"y"}"#), [None, None]);
        assert_eq!(hints("write", r#"{"path":{"text":1}}"#).len(), 1);
        assert_eq!(hints("forms", r#"{"k":2,"text":1}"#), [None]);
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
