//! A list of tools as it is judged and shown, and the lists that are remembered by their content.

use crate::closed::ClosedTool;
use crate::guard::Options;
use crate::sdk;
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};
use toolgate::{Alias, Arguments, Contract, Policy, Showing, ToolSet, UnknownKeys};

/// A tool as it is registered: the definition that is judged by, and what its policy has beside that of [`Options`].
#[derive(Clone, Debug)]
pub(crate) struct Registered {
    pub(crate) tool: Tool,
    /// Former names that its type takes, or that were declared with it.
    pub(crate) aliases: Vec<Alias>,
    /// Why it is closed whatever its schema says.
    pub(crate) defect: Option<String>,
    /// Its schema is derived from a Rust type, whatever the other tools of the server are.
    pub(crate) is_typed: bool,
}

impl From<Tool> for Registered {
    fn from(tool: Tool) -> Self {
        Registered { tool, aliases: Vec::new(), defect: None, is_typed: false }
    }
}

/// One list, immutable. What it holds beside [`ToolSet`] is the SDK's form of the same tools.
pub(crate) struct Published {
    /// As the handler has them.
    registered: Vec<Tool>,
    set: ToolSet,
    /// The schemas that are shown, of the tools that are served.
    shown: HashMap<String, Arc<JsonObject>>,
    /// What the tools answer, of those that say so.
    outputs: HashMap<String, Output>,
    closed: Vec<ClosedTool>,
}

/// A tool of a list that calls can be judged by.
#[derive(Clone, Copy)]
pub(crate) struct Served<'p> {
    pub(crate) tool: &'p toolgate::Tool,
    pub(crate) output: Option<&'p Output>,
}

impl Published {
    /// The first tool of a name is the tool: it is what is listed, judged and run, or closed; each later one is closed by name.
    pub(crate) fn new(tools: Vec<Registered>, options: &Options, showing: &Showing) -> Self {
        let mut firsts: HashMap<String, (usize, &Registered)> = HashMap::new();
        for (index, registered) in tools.iter().enumerate() {
            firsts.entry(registered.tool.name.to_string()).or_insert((index, registered));
        }
        let mut definitions: Vec<(&str, String)> = Vec::with_capacity(tools.len());
        for Registered { tool, is_typed, .. } in &tools {
            definitions.push((&tool.name, options.definition(tool, *is_typed)));
        }
        let count = definitions.len();
        let policy = |name: &str| {
            let first = firsts.get(name).map(|(_, first)| first);
            let mut policy = options.policy_of(name, first.is_some_and(|first| first.is_typed));
            policy.aliases.extend(first.into_iter().flat_map(|first| &first.aliases).cloned());
            Policy { limits: policy.limits.in_list_of(count), ..policy }
        };
        let mut defects: HashMap<String, String> = HashMap::new();
        for (name, (_, first)) in &firsts {
            if let Some(why) = &first.defect {
                defects.insert(name.clone(), why.clone());
            }
        }
        let mut set = compile(&definitions, showing, &policy, &defects);
        // What cannot be read as a tool is one all the same, whose calls are refused; a later one does not take its place.
        let misfits: Vec<(usize, String)> =
            set.misfits().iter().map(|misfit| (misfit.index, misfit.why.clone())).collect();
        let mut is_whole = true;
        for (index, why) in misfits {
            let Some((name, definition)) = definitions.get_mut(index) else { continue };
            if firsts.get(*name).is_some_and(|(first, _)| *first == index) {
                defects.insert((*name).to_owned(), why);
                *definition = serde_json::json!({ "name": *name }).to_string();
                is_whole = false;
            }
        }
        if !is_whole {
            set = compile(&definitions, showing, &policy, &defects);
        }
        let shown = set.listed().filter_map(|tool| {
            let schema = tool.published()?.advertised.schema.as_str();
            // The open object hides no call of any contract.
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| sdk::open_object());
            Some((tool.name().to_owned(), Arc::new(schema)))
        });
        let shown = shown.collect();
        let outputs =
            firsts.iter().filter_map(|(name, (_, first))| Some((name.clone(), Output::of(&first.tool)?))).collect();
        let mut closed = Vec::new();
        let mut names = HashSet::new();
        for Registered { tool, .. } in &tools {
            let is_first = names.insert(&*tool.name);
            let unusable = || set.get(&tool.name)?.contract().err().map(ToString::to_string);
            let why = match defects.get(&*tool.name) {
                _ if !is_first => Some("a tool of this name is listed already".to_owned()),
                Some(why) => Some(why.clone()),
                None => unusable(),
            };
            closed.extend(why.map(|why| ClosedTool { name: tool.name.to_string(), why }));
        }
        let registered = tools.into_iter().map(|registered| registered.tool).collect();
        Published { registered, set, shown, outputs, closed }
    }

    pub(crate) fn set(&self) -> &ToolSet {
        &self.set
    }

    pub(crate) fn served(&self, name: &str) -> Option<Served<'_>> {
        let tool = self.set.get(name)?;
        Some(Served { tool, output: self.outputs.get(name) })
    }

    pub(crate) fn closed(&self) -> &[ClosedTool] {
        &self.closed
    }

    /// Whether the tool of this name, which is the first of it, is served.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.shown.contains_key(name)
    }

    /// The definition that is served on: the handler's own, with the schema that is shown; `None` for a tool that is closed.
    pub(crate) fn shown(&self, tool: Tool) -> Option<Tool> {
        let schema = self.shown.get(&*tool.name)?;
        Some(sdk::with_schema(tool, Arc::clone(schema)))
    }

    /// The list that is served on. Of two tools with one name the first is served.
    pub(crate) fn shown_list(&self, tools: Vec<Tool>) -> Vec<Tool> {
        let mut names = HashSet::new();
        tools.into_iter().filter(|tool| names.insert(tool.name.clone())).filter_map(|tool| self.shown(tool)).collect()
    }

    /// Whether the handler's tool is the one that is judged here.
    pub(crate) fn holds(&self, tool: &Tool) -> bool {
        self.registered.iter().find(|known| known.name == tool.name).is_some_and(|known| is_judged_alike(known, tool))
    }

    fn is_of(&self, tools: &[Tool]) -> bool {
        self.registered.len() == tools.len()
            && self
                .registered
                .iter()
                .zip(tools)
                .all(|(known, tool)| known.name == tool.name && is_judged_alike(known, tool))
    }
}

/// What does not change how calls are judged and answered, such as a description, makes no other tool.
fn is_judged_alike(one: &Tool, other: &Tool) -> bool {
    let is_same = |one: &Arc<JsonObject>, other: &Arc<JsonObject>| Arc::ptr_eq(one, other) || one == other;
    is_same(&one.input_schema, &other.input_schema)
        && match (&one.output_schema, &other.output_schema) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() == other.is_none(),
        }
}

fn compile(
    definitions: &[(&str, String)],
    showing: &Showing,
    policy: &dyn Fn(&str) -> Policy,
    defects: &HashMap<String, String>,
) -> ToolSet {
    let definitions = definitions.iter().map(|(_, definition)| definition.as_str());
    ToolSet::publish_with(definitions, showing, policy, &|name| defects.get(name).cloned())
}

/// What a tool declares that it answers.
pub(crate) struct Output(Contract);

impl Output {
    /// The contract of the structured content, as it is written: nothing is closed that the server left open.
    fn of(tool: &Tool) -> Option<Self> {
        let schema = Value::Object(JsonObject::clone(tool.output_schema.as_ref()?));
        let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
        match Contract::compile_with(&schema, &policy) {
            Ok(contract) => Some(Output(contract)),
            Err(unusable) => {
                let why = unusable.to_string();
                tracing::warn!(target: "toolgate", tool = %toolgate::shown_name(&tool.name), why, "answers are not checked");
                None
            }
        }
    }

    /// Codes and places of what is wrong with the content.
    pub(crate) fn fault(&self, content: &Value) -> Option<String> {
        Some(self.0.validate(Arguments::from_value(content)).err()?.to_log())
    }
}

/// Tools that are remembered outside a list.
const ALONE_MAX: usize = 4096;

/// Callers of whom the last list is known. It is fetched anew for those who are forgotten.
const CALLERS_MAX: usize = 4096;

/// What was compiled, found again by its content: a handler whose tools change is compiled anew, and nobody has to say so.
#[derive(Default)]
pub(crate) struct Memory {
    /// The latest first.
    lists: VecDeque<Arc<Published>>,
    /// The list that each caller was last served by, for as long as it is among those above. Nobody is judged by a list that was
    /// fetched for another credential (R9.8).
    of_callers: HashMap<Option<u64>, Weak<Published>>,
    alone: HashMap<String, Arc<Published>>,
}

impl Memory {
    /// A list of just these tools; it is the latest from now on.
    pub(crate) fn list(&mut self, tools: &[Tool]) -> Option<Arc<Published>> {
        let at = self.lists.iter().position(|list| list.is_of(tools))?;
        let list = self.lists.remove(at)?;
        self.lists.push_front(Arc::clone(&list));
        Some(list)
    }

    /// The list that this caller was last served by.
    pub(crate) fn of_caller(&self, caller: Option<u64>) -> Option<Arc<Published>> {
        self.of_callers.get(&caller)?.upgrade()
    }

    pub(crate) fn keep_for(&mut self, caller: Option<u64>, list: &Arc<Published>) {
        if self.of_callers.len() >= CALLERS_MAX && !self.of_callers.contains_key(&caller) {
            self.of_callers.clear();
        }
        self.of_callers.insert(caller, Arc::downgrade(list));
    }

    pub(crate) fn latest(&self) -> Option<Arc<Published>> {
        self.lists.front().cloned()
    }

    /// Keeps a list; a handler that shows each credential another list has several that alternate.
    pub(crate) fn keep_list(&mut self, list: Arc<Published>, kept_max: usize) {
        self.lists.push_front(list);
        self.lists.truncate(kept_max.max(1));
    }

    pub(crate) fn alone(&self, tool: &Tool) -> Option<Arc<Published>> {
        let listed = self.lists.iter().find(|list| list.holds(tool));
        listed.or_else(|| self.alone.get(&*tool.name).filter(|alone| alone.holds(tool))).cloned()
    }

    pub(crate) fn keep_alone(&mut self, tool: &Tool, published: Arc<Published>) {
        if self.alone.len() >= ALONE_MAX {
            self.alone.clear();
        }
        self.alone.insert(tool.name.to_string(), published);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_with_another_output_schema_is_another_tool() {
        let tool = |maximum: u8| {
            let schema = |schema: Value| Arc::new(schema.as_object().cloned().unwrap());
            let mut tool = Tool::new("t", "", schema(json!({"type": "object"})));
            tool.output_schema = Some(schema(json!({"type": "object", "properties": {"n": {"maximum": maximum}}})));
            tool
        };
        let published = Published::new(vec![tool(1).into()], &Options::default(), &Showing::default());
        assert!(published.holds(&tool(1)) && !published.holds(&tool(2)));
    }
}
