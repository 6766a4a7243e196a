//! A list of tools as it is judged and shown, and the lists that are remembered by their content.

use crate::closed::ClosedTool;
use crate::guard::Options;
use crate::sdk;
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use toolgate::{Alias, Arguments, Contract, Policy, Showing, ToolSet, UnknownKeys};

/// A tool as it is registered: the definition that is judged by, and what its policy has beside that of [`Options`].
#[derive(Clone, Debug)]
pub(crate) struct Registered {
    pub(crate) tool: Tool,
    /// Former names that its type takes, or that were declared with it.
    pub(crate) aliases: Vec<Alias>,
    /// Why it is closed whatever its schema says.
    pub(crate) defect: Option<String>,
}

impl From<Tool> for Registered {
    fn from(tool: Tool) -> Self {
        Registered { tool, aliases: Vec::new(), defect: None }
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
    pub(crate) fn new(tools: Vec<Registered>, options: &Options, showing: &Showing) -> Self {
        let (mut registered, mut aliases, mut defects) = (Vec::new(), HashMap::new(), Vec::new());
        for Registered { tool, aliases: of_tool, defect } in tools {
            aliases.entry(tool.name.to_string()).or_insert(of_tool);
            match defect {
                Some(why) => defects.push(ClosedTool { name: tool.name.to_string(), why }),
                None => registered.push(tool),
            }
        }
        let definitions: Vec<String> = registered.iter().map(|tool| options.definition(tool)).collect();
        let policy = |name: &str| {
            let mut policy = (options.policy)(name);
            policy.aliases.extend(aliases.get(name).into_iter().flatten().cloned());
            Policy { limits: policy.limits.in_list_of(definitions.len()), ..policy }
        };
        let set = ToolSet::publish(definitions.iter().map(String::as_str), showing, &policy);
        let shown = set.listed().filter_map(|tool| {
            let schema = tool.published()?.advertised.schema.as_str();
            // The open object hides no call of any contract.
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| sdk::open_object());
            Some((tool.name().to_owned(), Arc::new(schema)))
        });
        let shown = shown.collect();
        let outputs = registered.iter().filter_map(|tool| Some((tool.name.to_string(), Output::of(tool)?))).collect();
        let mut closed = closed(&set, &registered);
        closed.extend(defects);
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

    /// The definition that is served on: the handler's own, with the schema that is shown; `None` for a tool that is closed.
    pub(crate) fn shown(&self, tool: Tool) -> Option<Tool> {
        let schema = self.shown.get(&*tool.name)?;
        Some(sdk::with_schema(tool, Arc::clone(schema)))
    }

    /// The list that is served on. Of two tools with one name the first is served.
    pub(crate) fn shown_list(&self, tools: Vec<Tool>) -> Vec<Tool> {
        let mut names = std::collections::HashSet::new();
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

fn closed(set: &ToolSet, registered: &[Tool]) -> Vec<ClosedTool> {
    let unusable = set.tools().iter().filter_map(|tool| {
        let unusable = tool.contract().err()?;
        Some(ClosedTool { name: tool.name().to_owned(), why: unusable.to_string() })
    });
    let misfits = set.misfits().iter().map(|misfit| ClosedTool {
        name: registered.get(misfit.index).map(|tool| tool.name.to_string()).unwrap_or_default(),
        why: misfit.why.clone(),
    });
    unusable.chain(misfits).collect()
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

/// Lists that are remembered; a handler that shows each credential another list has several that alternate.
const LISTS_MAX: usize = 16;
/// Tools that are remembered outside a list.
const ALONE_MAX: usize = 4096;

/// What was compiled, found again by its content: a handler whose tools change is compiled anew, and nobody has to say so.
#[derive(Default)]
pub(crate) struct Memory {
    /// The latest first.
    lists: VecDeque<Arc<Published>>,
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

    /// The latest list with this very tool.
    pub(crate) fn with(&self, tool: &Tool) -> Option<Arc<Published>> {
        self.lists.iter().find(|list| list.holds(tool)).cloned()
    }

    /// The latest list with a tool of this name.
    pub(crate) fn with_name(&self, name: &str) -> Option<Arc<Published>> {
        self.lists.iter().find(|list| list.served(name).is_some()).cloned()
    }

    pub(crate) fn latest(&self) -> Option<Arc<Published>> {
        self.lists.front().cloned()
    }

    pub(crate) fn keep_list(&mut self, list: Arc<Published>) {
        self.lists.push_front(list);
        self.lists.truncate(LISTS_MAX);
    }

    pub(crate) fn alone(&self, tool: &Tool) -> Option<Arc<Published>> {
        self.with(tool).or_else(|| self.alone.get(&*tool.name).filter(|alone| alone.holds(tool)).cloned())
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
