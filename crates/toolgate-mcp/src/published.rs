//! A list of tools as it is judged and shown, and the lists that are remembered by their content.

use crate::closed::ClosedTool;
use crate::guard::Options;
use crate::sdk;
use rmcp::model::{JsonObject, Tool};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use toolgate::{Policy, ToolSet};

/// One list, immutable. What it holds beside [`ToolSet`] is the SDK's form of the same tools.
pub(crate) struct Published {
    /// As the handler has them.
    registered: Vec<Tool>,
    set: ToolSet,
    /// The schemas that are shown, of the tools that are served.
    shown: HashMap<String, Arc<JsonObject>>,
    closed: Vec<ClosedTool>,
}

impl Published {
    pub(crate) fn new(registered: Vec<Tool>, options: &Options) -> Self {
        let definitions: Vec<String> = registered.iter().map(sdk::definition).collect();
        let policy = |name: &str| {
            let policy = (options.policy)(name);
            Policy { limits: policy.limits.in_list_of(definitions.len()), ..policy }
        };
        let set = ToolSet::publish(definitions.iter().map(String::as_str), &options.showing, &policy);
        let shown = set.listed().filter_map(|tool| {
            let schema = tool.published()?.advertised.schema.as_str();
            // The open object hides no call of any contract.
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| sdk::open_object());
            Some((tool.name().to_owned(), Arc::new(schema)))
        });
        let shown = shown.collect();
        let closed = closed(&set, &registered);
        Published { registered, set, shown, closed }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&toolgate::Tool> {
        self.set.get(name)
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
    one.output_schema.is_some() == other.output_schema.is_some()
        && (Arc::ptr_eq(&one.input_schema, &other.input_schema) || one.input_schema == other.input_schema)
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
        self.lists.iter().find(|list| list.tool(name).is_some()).cloned()
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
