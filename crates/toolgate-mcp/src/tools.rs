//! The tools of one server, macro-made and typed ones together, each with what it runs.

use crate::closed::ClosedTool;
use crate::extension::Extension;
use crate::guard::Options;
use crate::hand_over::HandOver;
use crate::published::Registered;
use crate::sdk;
use crate::typed::{self, Read, TypedTool};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{JsonObject, Tool};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use toolgate::{Alias, Contract, Operation, Parts, Policy, Refusal, Slices};

/// Tools and what they run, to be put behind the boundary. There is no way to add one without a contract (R10.2).
///
/// # Example
///
/// ```
/// use toolgate_mcp::{Call, Guard, Options, Tools, TypedTool};
///
/// #[derive(Clone)]
/// struct Harbour;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Booking {
///     /// Name of the boat.
///     boat: String,
///     nights: u8,
/// }
///
/// async fn book(_: Harbour, booking: Booking, _: Call) -> String {
///     format!("{} stays for {} nights", booking.boat, booking.nights)
/// }
///
/// let tools = Tools::new().tool(TypedTool::new("book", book).description("Books a berth."));
/// let router = Guard::new(Options::typed()).tools(tools).all_open()?;
/// assert_eq!(router.get("book").unwrap().input_schema["properties"]["nights"]["maximum"], 255);
/// # Ok::<(), toolgate_mcp::ClosedTools>(())
/// ```
pub struct Tools<S> {
    entries: Vec<Entry<S>>,
}

impl<S> Default for Tools<S> {
    fn default() -> Self {
        Tools { entries: Vec::new() }
    }
}

impl<S> Clone for Tools<S> {
    fn clone(&self) -> Self {
        Tools { entries: self.entries.clone() }
    }
}

impl<S> fmt::Debug for Tools<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| &entry.tool.name)).finish()
    }
}

/// The names that a type takes beside those of its contract.
pub(crate) type FindNames = fn(&Contract) -> toolgate::FormerNames;

/// One tool before it is compiled.
pub(crate) struct Entry<S> {
    pub(crate) tool: Tool,
    pub(crate) params: Option<JsonObject>,
    pub(crate) aliases: Vec<Alias>,
    /// Finds the names that the types take beside those of their schemas: of the params, and of the input.
    pub(crate) names: [Option<FindNames>; 2],
    pub(crate) extensions: Vec<Extension<S>>,
    /// Its schema is derived from a Rust type, whatever the other tools of the server are.
    pub(crate) is_typed: bool,
    /// It is hidden, and its calls are those of a tool that there is not, until it is enabled.
    pub(crate) is_disabled: bool,
    pub(crate) read: Read<S>,
}

impl<S> Clone for Entry<S> {
    fn clone(&self) -> Self {
        Entry {
            tool: self.tool.clone(),
            params: self.params.clone(),
            aliases: self.aliases.clone(),
            names: self.names,
            extensions: self.extensions.clone(),
            is_typed: self.is_typed,
            is_disabled: self.is_disabled,
            read: Arc::clone(&self.read),
        }
    }
}

impl<S: Send + Sync + 'static> From<ToolRouter<S>> for Tools<S> {
    /// In the order in which the router lists them; one that is disabled there is so here.
    fn from(mut router: ToolRouter<S>) -> Self {
        let disabled: HashSet<_> = router.map.keys().filter(|name| router.is_disabled(name)).cloned().collect();
        let routes = std::mem::take(&mut router.map);
        let entry = |(name, route)| Entry { is_disabled: disabled.contains(&name), ..Entry::from(route) };
        let mut entries: Vec<Entry<S>> = routes.into_iter().map(entry).collect();
        entries.sort_by(|one, other| one.tool.name.cmp(&other.tool.name));
        Tools { entries }
    }
}

impl<S: Send + Sync + 'static> From<ToolRoute<S>> for Entry<S> {
    fn from(route: ToolRoute<S>) -> Self {
        let handler = route.call;
        Entry {
            tool: route.attr,
            params: None,
            aliases: Vec::new(),
            names: [None; 2],
            extensions: Vec::new(),
            is_typed: false,
            is_disabled: false,
            // The SDK reads a macro-made tool's type only where it runs.
            read: Arc::new(move |slices, sent| {
                let (input, sent) = match slices {
                    None => (None, sent),
                    Some(slices) => {
                        let Ok(input) = serde_json::from_str(&slices.input) else {
                            // Without arguments it would be another call.
                            return Err(sent.refuse(Refusal::contract_mismatch()));
                        };
                        (Some(input), sent.with_arguments(slices.input))
                    }
                };
                let handler = Arc::clone(&handler);
                Ok(typed::run(move |mut context| {
                    if input.is_some() {
                        context.arguments = input;
                    }
                    context.request_context.extensions.insert(sent);
                    handler(context)
                }))
            }),
        }
    }
}

impl<S: Send + Sync + 'static> Tools<S> {
    /// No tools.
    pub fn new() -> Self {
        Tools::default()
    }

    /// Adds a typed tool. Of two tools with one name the first is the tool, served or closed, and the later one is closed.
    #[must_use]
    pub fn tool(mut self, tool: TypedTool<S>) -> Self {
        self.entries.push(tool.into_entry());
        self
    }

    /// Adds the tools of a router that the SDK's macros made.
    #[must_use]
    pub fn router(self, router: ToolRouter<S>) -> Self {
        self.join(Tools::from(router))
    }

    /// Adds other tools after these.
    #[must_use]
    pub fn join(mut self, others: Tools<S>) -> Self {
        self.entries.extend(others.entries);
        self
    }

    /// The names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.tool.name)
    }

    /// The first of each name that is not taken; the others are refused by name.
    pub(crate) fn firsts(mut self, mut taken: HashSet<String>) -> (Self, Vec<ClosedTool>) {
        let mut refused = Vec::new();
        self.entries.retain(|entry| {
            let is_first = taken.insert(entry.tool.name.to_string());
            if !is_first {
                let why = "another tool has this name".to_owned();
                refused.push(ClosedTool { name: entry.tool.name.to_string(), why });
            }
            is_first
        });
        (self, refused)
    }

    /// Those that can be called.
    pub(crate) fn enabled(mut self) -> Self {
        self.entries.retain(|entry| !entry.is_disabled);
        self
    }

    pub(crate) fn without(mut self, is_left_out: impl Fn(&str) -> bool) -> Self {
        self.entries.retain(|entry| !is_left_out(&entry.tool.name));
        self
    }

    /// Adds arguments of the mount's own to every tool that is here by now, such as a tenant (R13). They are judged with the
    /// tool's own in one contract, taken out before its type reads, and resolved into what [`Call::get`](crate::Call::get)
    /// gives. Where `resolve` fails, its words are the answer and the tool does not run.
    ///
    /// # Example
    ///
    /// ```
    /// # use toolgate_mcp::{Call, Guard, Options, Tools, TypedTool};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Whose {
    ///     tenant: String,
    /// }
    ///
    /// #[derive(Clone, Debug, PartialEq)]
    /// struct Tenant(u32);
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Nothing {}
    ///
    /// # #[derive(Clone)]
    /// # struct Server;
    /// async fn bill(_: Server, _: Nothing, call: Call) -> String {
    ///     format!("{:?} owes nothing", call.get::<Tenant>())
    /// }
    ///
    /// let tools = Tools::new().tool(TypedTool::new("bill", bill)).extend(|_: Server, whose: Whose| async move {
    ///     if whose.tenant == "acme" { Ok(Tenant(7)) } else { Err("there is no such tenant".to_owned()) }
    /// });
    /// let router = Guard::new(Options::typed()).tools(tools);
    /// assert_eq!(router.get("bill").unwrap().input_schema["required"][0], "tenant");
    /// ```
    #[must_use]
    pub fn extend<E, V, F>(mut self, resolve: impl Fn(S, E) -> F + Send + Sync + 'static) -> Self
    where
        S: Clone,
        E: DeserializeOwned + schemars::JsonSchema + 'static,
        V: Clone + Send + Sync + 'static,
        F: Future<Output = Result<V, String>> + Send + 'static,
    {
        let extension = Extension::new(resolve);
        for entry in &mut self.entries {
            entry.extensions.push(extension.clone());
        }
        self
    }

    /// Every route, and what its contract is made of.
    pub(crate) fn into_routes(self, options: &Options) -> (ToolRouter<S>, Vec<Registered>) {
        let mut router = ToolRouter::new();
        let mut registered = Vec::new();
        for entry in self.entries {
            let is_disabled = entry.is_disabled;
            let (route, tool) = entry.into_route(options);
            // A second tool of a name is told by the set, and the first one runs.
            if !router.map.contains_key(&route.attr.name) {
                if is_disabled {
                    router.disable_route(route.attr.name.clone());
                }
                router.map.insert(route.attr.name.clone(), route);
            }
            registered.push(tool);
        }
        (router, registered)
    }
}

impl<S: Send + Sync + 'static> Entry<S> {
    fn into_route(mut self, options: &Options) -> (ToolRoute<S>, Registered) {
        let mut defect = None;
        let mut operation = None;
        match self.join(options) {
            Ok(Joined { operation: joined, schema, aliases }) => {
                operation = joined.map(Arc::new);
                self.aliases = aliases;
                if let Some(schema) = schema {
                    self.tool.input_schema = Arc::new(schema);
                }
            }
            Err(why) => defect = Some(why),
        }
        let registered = Registered { tool: self.tool.clone(), aliases: self.aliases, defect, is_typed: self.is_typed };
        // There is one at most, or the tool is closed.
        let (read, extension) = (self.read, Arc::new(self.extensions.into_iter().next()));
        let route = ToolRoute::new_dyn(self.tool, move |mut context: ToolCallContext<'_, S>| {
            let (read, extension, operation) = (Arc::clone(&read), Arc::clone(&extension), operation.clone());
            Box::pin(async move {
                let sent = HandOver::of(&mut context.request_context.extensions, context.arguments.as_ref())?;
                let Some(operation) = operation else { return read(None, sent)?(context).await };
                let slices = operation.split(sent.arguments()).map_err(|refusal| sent.refuse(refusal))?;
                let of_extension = extension.as_ref().as_ref().map(|extension| (extension, slices.extension.clone()));
                // Whatever a type refuses is refused before the mount's own code runs.
                let run = read(Some(slices), sent.clone())?;
                if let Some((extension, slice)) = of_extension
                    && let Some(answer) = extension.resolve(&mut context, &slice, &sent).await?
                {
                    return Ok(answer);
                }
                run(context).await
            })
        });
        (route, registered)
    }

    /// The one contract of all parts, and the former names that their types take.
    fn join(&self, options: &Options) -> Result<Joined, String> {
        let extension = match self.extensions.as_slice() {
            [] => None,
            [one] => Some(one),
            _ => return Err("a tool has one extension; give it all keys of the mount".to_owned()),
        };
        let policy = options.policy_of(&self.tool.name, self.is_typed);
        let input = options.schema(&self.tool.input_schema, self.is_typed);
        let params = self.params.as_ref().map(|params| options.schema(params, true));
        let mut aliases = self.aliases.clone();
        let parts = [
            (params.as_deref(), self.names[0]),
            (Some(&*input), self.names[1]),
            (extension.map(|extension| &extension.schema), extension.map(|extension| extension.names)),
        ];
        for (schema, names) in parts {
            if let (Some(schema), Some(names)) = (schema, names) {
                add_former_names(&mut aliases, &sdk::text(schema), &policy, names)?;
            }
        }
        let policy = Policy { aliases: policy.aliases.iter().chain(&aliases).cloned().collect(), ..policy };
        if params.is_none() && extension.is_none() {
            return Ok(Joined { operation: None, schema: None, aliases });
        }
        let (params, input) = (params.as_deref().map(sdk::text), sdk::text(&input));
        let extension = extension.map(|extension| sdk::text(&extension.schema));
        let parts = Parts { params: params.as_deref(), input: Some(&input), extension: extension.as_deref() };
        let operation = Operation::join(parts, &policy).map_err(|unusable| unusable.to_string())?;
        let schema = serde_json::from_str(operation.contract().schema_text()).map_err(|error| error.to_string())?;
        Ok(Joined { operation: Some(operation), schema: Some(schema), aliases })
    }
}

struct Joined {
    operation: Option<Operation>,
    schema: Option<JsonObject>,
    aliases: Vec<Alias>,
}

/// Names that a type takes are honoured, or the tool is refused (R2.4).
fn add_former_names(aliases: &mut Vec<Alias>, schema: &str, policy: &Policy, names: FindNames) -> Result<(), String> {
    // A part knows nothing of what the policy says of the others' names, so it is asked for its own without it.
    let own = Policy { aliases: Vec::new(), list_text_keep: Vec::new(), forward_keys: Vec::new(), ..policy.clone() };
    let contract = Contract::from_text_with(schema, &own).map_err(|unusable| unusable.to_string())?;
    let found = names(&contract);
    let known = |aliases: &[Alias], at: &str, name: &str| {
        let mut all = aliases.iter().chain(&policy.aliases).filter(|alias| alias.at == at);
        all.any(|alias| alias.former.iter().any(|former| former == name))
    };
    for (at, name) in &found.undeclared {
        if !known(aliases, at, name) {
            let place = if at.is_empty() { "the arguments" } else { at };
            return Err(format!(
                "the type takes `{}` in {}, and its schema does not declare it: an alias inside a list, or a field that is hidden \
                 from the schema",
                toolgate::shown_name(name),
                toolgate::shown_name(place)
            ));
        }
    }
    for mut alias in found.aliases {
        alias.former.retain(|name| !known(aliases, &alias.at, name));
        if !alias.former.is_empty() {
            aliases.push(alias);
        }
    }
    Ok(())
}

/// Slices of a call, where its tool has several parts.
pub(crate) type OfParts = Option<Slices>;
