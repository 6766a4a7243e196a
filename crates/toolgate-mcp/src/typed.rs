//! Tools whose arguments are Rust types: the contract and the handler are one value (R10.2).

use crate::call::Call;
use crate::hand_over::HandOver;
use crate::sdk;
use crate::sdk::Pending;
use crate::tools::{Entry, FindNames, OfParts};
use rmcp::ErrorData;
use rmcp::handler::server::tool::{IntoCallToolResult, ToolCallContext};
use rmcp::model::{CallToolResponse, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use toolgate::{Alias, Refusal, former_names};

/// Has the types read the arguments of an admitted call, before anything of the server's runs.
pub(crate) type Read<S> = Arc<dyn Fn(OfParts, HandOver) -> Result<Run<S>, ErrorData> + Send + Sync>;

/// Runs a call whose arguments were read.
pub(crate) type Run<S> =
    Box<dyn for<'s> FnOnce(ToolCallContext<'s, S>) -> Pending<'s, Result<CallToolResponse, ErrorData>> + Send>;

pub(crate) fn run<S>(
    run: impl for<'s> FnOnce(ToolCallContext<'s, S>) -> Pending<'s, Result<CallToolResponse, ErrorData>> + Send + 'static,
) -> Run<S> {
    Box::new(run)
}

/// A tool whose arguments are a type: its contract is the type's schema, with the range of every integer, and closed wherever the
/// type would drop a key, unless the server's options have a policy of their own; its handler gets the type. Every key that was
/// sent is read by it, or the call is refused (R3.5); names that it takes beside those of its schema, as `serde(alias)` gives them,
/// are honoured and shown nowhere, or the tool is refused at registration (R2.4).
///
/// Names inside flattened, internally tagged and untagged shapes cannot be found, since serde hides what they take: there the
/// contract refuses them like any that it does not declare. [`TypedTool::alias`] declares those of the root.
///
/// The handler gets a clone of the server, so that several calls run at once; see [`Tools`](crate::Tools) for an example.
pub struct TypedTool<S> {
    entry: Entry<S>,
}

impl<S> fmt::Debug for TypedTool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypedTool({})", toolgate::shown_name(&self.entry.tool.name))
    }
}

impl<S: Clone + Send + Sync + 'static> TypedTool<S> {
    /// A tool of one type of arguments.
    pub fn new<A, F, R>(
        name: impl Into<Cow<'static, str>>,
        handler: impl Fn(S, A, Call) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoCallToolResult + Send + 'static,
    {
        let handler = Arc::new(handler);
        TypedTool::of::<A>(
            name,
            Arc::new(move |slices: OfParts, sent: HandOver| {
                let arguments = match &slices {
                    None => sent.read::<A>(sent.arguments())?,
                    Some(slices) => sent.read::<A>(&slices.input)?,
                };
                let handler = Arc::clone(&handler);
                Ok(run(move |context: ToolCallContext<'_, S>| {
                    let ran = handler(context.service.clone(), arguments, Call::new(context));
                    Box::pin(async move { ran.await.into_call_tool_result() })
                }))
            }),
        )
    }

    /// A tool that acts somewhere: params say where, as the path and query of a request would, and the input what is done there.
    /// The two share no name and are shown and judged as one object (R13).
    ///
    /// # Example
    ///
    /// ```
    /// # use toolgate_mcp::{Call, Guard, Options, Tools, TypedTool};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Repository {
    ///     owner: String,
    ///     name: String,
    /// }
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Issue {
    ///     title: String,
    /// }
    ///
    /// # #[derive(Clone)]
    /// # struct Forge;
    /// async fn open(_: Forge, at: Repository, issue: Issue, _: Call) -> String {
    ///     format!("{}/{}: {}", at.owner, at.name, issue.title)
    /// }
    ///
    /// let tools = Tools::new().tool(TypedTool::with_params("open_issue", open));
    /// let router = Guard::new(Options::typed()).tools(tools).all_open()?;
    /// assert_eq!(router.get("open_issue").unwrap().input_schema["required"].as_array().unwrap().len(), 3);
    /// # Ok::<(), toolgate_mcp::ClosedTools>(())
    /// ```
    pub fn with_params<P, A, F, R>(
        name: impl Into<Cow<'static, str>>,
        handler: impl Fn(S, P, A, Call) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoCallToolResult + Send + 'static,
    {
        let handler = Arc::new(handler);
        let mut tool = TypedTool::of::<A>(
            name,
            Arc::new(move |slices: OfParts, sent: HandOver| {
                // Its contract is of two parts, and so are its arguments.
                let Some(slices) = slices else { return Err(sent.refuse(Refusal::contract_mismatch())) };
                let (params, input) = (sent.read::<P>(&slices.params)?, sent.read::<A>(&slices.input)?);
                let handler = Arc::clone(&handler);
                Ok(run(move |context: ToolCallContext<'_, S>| {
                    let ran = handler(context.service.clone(), params, input, Call::new(context));
                    Box::pin(async move { ran.await.into_call_tool_result() })
                }))
            }),
        );
        tool.entry.params = Some(sdk::schema_of::<P>());
        tool.entry.names[0] = Some(former_names::<P>);
        tool
    }

    fn of<A: DeserializeOwned + JsonSchema + 'static>(name: impl Into<Cow<'static, str>>, read: Read<S>) -> Self {
        let tool = Tool::new_with_raw(name, None, Arc::new(sdk::schema_of::<A>()));
        let names = [None, Some(former_names::<A> as FindNames)];
        let (params, aliases, extensions) = (None, Vec::new(), Vec::new());
        TypedTool {
            entry: Entry { tool, params, aliases, names, extensions, is_typed: true, is_disabled: false, read },
        }
    }
}

impl<S> TypedTool<S> {
    /// What the tool does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.entry.tool.description = Some(description.into());
        self
    }

    /// What the tool is called, for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.tool.title = Some(title.into());
        self
    }

    /// What a client may expect of a call, such as that it changes nothing.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.entry.tool.annotations = Some(annotations);
        self
    }

    /// Declares what the tool answers. Every answer is held to it; one that is not as it was declared is the server's fault and
    /// told as such. The handler answers with [`Json`](rmcp::handler::server::wrapper::Json) or a result with structured content.
    #[must_use]
    pub fn output<O: JsonSchema + 'static>(mut self) -> Self {
        self.entry.tool.output_schema = Some(rmcp::handler::server::tool::schema_for_output::<O>());
        self
    }

    /// Former names of a property of the arguments: taken in its place, and shown nowhere (R2). Those that the type takes itself
    /// are found.
    #[must_use]
    pub fn alias<N: Into<String>>(mut self, name: impl Into<String>, former: impl IntoIterator<Item = N>) -> Self {
        let former = former.into_iter().map(Into::into).collect();
        self.entry.aliases.push(Alias { at: String::new(), name: name.into(), former });
        self
    }

    pub(crate) fn into_entry(self) -> Entry<S> {
        self.entry
    }
}
