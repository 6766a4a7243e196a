//! A library as the prompts of an MCP server.

use super::FILLED_MAX;
use super::library::Library;
use super::prompt::{PromptText, Speaker, Unfilled};
use super::store::StoreError;
use crate::sdk;
use rmcp::model::{
    CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, Role, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// The prompt as a list shows it.
pub(super) fn listed(name: String, text: PromptText) -> Prompt {
    let arguments = text.arguments.into_iter().map(|argument| {
        let mut shown = PromptArgument::new(argument.name).with_required(argument.is_required);
        shown.description = argument.description;
        shown
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    let mut prompt = Prompt::new(name, text.description, Some(arguments).filter(|arguments| !arguments.is_empty()));
    prompt.title = text.title;
    prompt
}

impl Library {
    /// The list of prompts, by name, as it is in the database now, on one page.
    ///
    /// # Errors
    ///
    /// Says that there is no other page; else none but a fault of the server, when the database does not answer.
    pub async fn list(
        &self,
        request: Option<&PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        sdk::only_page(request)?;
        // Before the list is read: whoever has one is told of every change since, however late its `initialized` is read.
        self.bind_peer(&context.peer);
        let prompts = self.read_list().await.map_err(|error| fault(&error))?;
        Ok(sdk::all_prompts(prompts, context))
    }

    /// A prompt with its arguments, which are judged by its own contract: all that are required, and none that it does not
    /// declare.
    ///
    /// # Errors
    ///
    /// Says that there is no such prompt, or what is wrong with the arguments, without their values. The violations are in the
    /// error's data, under `toolgate/refusal`.
    pub async fn get(&self, request: GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, .. } = request;
        self.fill(&name, Value::Object(arguments.unwrap_or_default())).await
    }

    /// Judges a request for a prompt whose arguments are no object, which the SDK takes for one that it does not know;
    /// [`serve_prompts`](crate::serve_prompts) calls it. Any other request is not known here.
    ///
    /// # Errors
    ///
    /// As for [`Library::get`]; that there is no such method.
    pub async fn custom_request(&self, request: CustomRequest) -> Result<CustomResult, ErrorData> {
        if !sdk::is_prompt(&request) {
            return Err(sdk::unknown_method(&request));
        }
        let (name, arguments) = sdk::unfit_prompt(request)?;
        self.fill(&name, arguments).await?;
        // No prompt takes what is no object.
        Err(ErrorData::internal_error("the prompt could not be made", None))
    }

    async fn fill(&self, name: &str, arguments: Value) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self.read_prompt(name).await.map_err(|error| fault(&error))?;
        let prompt = prompt.ok_or_else(|| ErrorData::invalid_params("prompt not found", None))?;
        let messages = prompt.fill(&arguments).map_err(|unfilled| answer(name, unfilled))?;
        let messages = messages.into_iter().map(|message| {
            let role = match message.speaker {
                Speaker::User => Role::User,
                Speaker::Assistant => Role::Assistant,
            };
            PromptMessage::new_text(role, message.text)
        });
        let mut result = GetPromptResult::new(messages.collect());
        result.description = prompt.description;
        Ok(result.into())
    }

    /// Has this client told of changes from now on, until it is gone, however often it says that it has begun. For clients of a
    /// revision with a handshake.
    pub fn bind(&self, context: &NotificationContext<RoleServer>) {
        self.bind_peer(&context.peer);
    }

    fn bind_peer(&self, peer: &Peer<RoleServer>) {
        let changes = self.changes(Some(peer.clone()));
        if let Some(changes) = changes {
            let peer = peer.clone();
            tokio::spawn(async move { changes.tell(|| peer.notify_prompt_list_changed()).await });
        }
    }

    /// Adds what a client may subscribe to here to what else of its wish is accepted.
    #[must_use]
    pub fn accept(&self, requested: &SubscriptionFilter, mut accepted: SubscriptionFilter) -> SubscriptionFilter {
        accepted.prompts_list_changed = requested.prompts_list_changed;
        accepted
    }

    /// Tells a subscriber of changes until it is gone. For clients of a revision without a handshake.
    ///
    /// # Errors
    ///
    /// Says that there are too many listeners.
    pub async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        let cancelled = async {
            context.cancelled().await;
            Ok(())
        };
        self.tell_while(sink, cancelled).await
    }

    /// Tells a subscriber of changes for as long as something else goes on, such as telling it of other changes.
    ///
    /// # Errors
    ///
    /// Says that there are too many listeners; else those of what goes on.
    pub async fn tell_while<T>(
        &self,
        sink: SubscriptionSink,
        other: impl Future<Output = Result<T, ErrorData>>,
    ) -> Result<T, ErrorData> {
        if sink.accepted().prompts_list_changed != Some(true) {
            return other.await;
        }
        let changes = self.changes(None).ok_or_else(sdk::too_many_listeners)?;
        let tell = async {
            changes.tell(|| sink.notify_prompt_list_changed()).await;
            std::future::pending().await
        };
        tokio::select! {
            result = other => result,
            never = tell => never,
        }
    }
}

/// What a client is told when the database does not answer, which it cannot do anything about.
fn fault(error: &StoreError) -> ErrorData {
    tracing::error!(target: "toolgate", %error, "the prompts could not be read");
    ErrorData::internal_error("the prompts cannot be read now", None)
}

fn answer(name: &str, unfilled: Unfilled) -> ErrorData {
    match unfilled {
        Unfilled::Refused(refusal) => {
            let prompt = toolgate::shown_name(name);
            tracing::info!(target: "toolgate", %prompt, refusal = refusal.to_log(), "a prompt was refused");
            let violations: Value = serde_json::from_str(&refusal.to_json()).unwrap_or_default();
            ErrorData::invalid_params(refusal.text(), Some(json!({"toolgate/refusal": violations})))
        }
        Unfilled::TooLarge => ErrorData::invalid_params(
            format!("with these arguments the prompt is longer than {FILLED_MAX} bytes"),
            None,
        ),
        Unfilled::Fault => ErrorData::internal_error("the prompt could not be made", None),
    }
}

/// Has the prompts of a [`Library`](crate::prompts::Library) served by an `impl ServerHandler`: listed, given, and their changes
/// told. The server's `get_info` says that it has prompts whose list changes.
///
/// A server that also has [modes](crate::serve_modes) names both, since each client is told of both by one method.
///
/// # Example
///
/// ```
/// use rmcp::ServerHandler;
/// use rmcp::model::{ServerCapabilities, ServerConfig};
/// use toolgate_mcp::prompts::Library;
///
/// #[derive(Clone)]
/// struct Server {
///     prompts: Library,
/// }
///
/// impl ServerHandler for Server {
///     toolgate_mcp::serve_prompts!(|server| server.prompts);
///
///     fn get_info(&self) -> ServerConfig {
///         ServerConfig::new(ServerCapabilities::builder().enable_prompts().enable_prompts_list_changed().build())
///     }
/// }
/// ```
///
/// Beside modes:
///
/// ```
/// use rmcp::ServerHandler;
/// use toolgate_mcp::{Moded, prompts::Library};
///
/// #[derive(Clone)]
/// struct Server {
///     prompts: Library,
///     tools: Moded<Server>,
/// }
///
/// impl ServerHandler for Server {
///     toolgate_mcp::serve_prompts!(|server| server.prompts, modes: server.tools);
/// }
/// ```
#[macro_export]
macro_rules! serve_prompts {
    (|$server:ident| $prompts:expr) => {
        $crate::serve_prompts!(@give |$server| $prompts);

        $crate::__catch_custom!(|$server, request, context| $prompts.custom_request(request).await);

        $crate::__tell_changes!(|$server, context, requested| {
            bind: $prompts.bind(&context),
            accept: $prompts.accept(requested, ::core::default::Default::default()),
            listen: $prompts.listen(context).await,
        });
    };
    (|$server:ident| $prompts:expr, modes: $tools:expr) => {
        $crate::serve_prompts!(@give |$server| $prompts);

        $crate::serve_modes!(@give |$server| $tools);

        $crate::__catch_custom!(|$server, request, context| match request.method.as_str() {
            "prompts/get" => $prompts.custom_request(request).await,
            _ => $tools.custom_request($server, request, context).await,
        });

        $crate::__tell_changes!(|$server, context, requested| {
            bind: {
                $tools.bind(&context);
                $prompts.bind(&context);
            },
            accept: $prompts.accept(requested, $tools.accepted_filter(requested)),
            listen: {
                let sink = context.sink().clone();
                $prompts.tell_while(sink, $tools.listen(context)).await
            },
        });
    };
    (@give |$server:ident| $prompts:expr) => {
        async fn list_prompts(
            &self,
            request: ::core::option::Option<$crate::rmcp::model::PaginatedRequestParams>,
            context: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::ListPromptsResult, $crate::rmcp::ErrorData> {
            let $server = self;
            $prompts.list(request.as_ref(), &context).await
        }

        async fn get_prompt(
            &self,
            request: $crate::rmcp::model::GetPromptRequestParams,
            _: $crate::rmcp::service::RequestContext<$crate::rmcp::RoleServer>,
        ) -> ::core::result::Result<$crate::rmcp::model::GetPromptResponse, $crate::rmcp::ErrorData> {
            let $server = self;
            $prompts.get(request).await
        }
    };
}
