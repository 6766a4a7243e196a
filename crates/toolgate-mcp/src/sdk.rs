//! What changes between releases of the SDK: the shapes of its messages, the words of its errors, the methods of its
//! handlers. Whoever raises the pinned version reads this file, `sdk/delegate.rs`, and the tests that name them.

mod delegate;

use crate::guard::Guard;
use rmcp::handler::server::router::tool::ToolRoute;
use rmcp::handler::server::tool::DynCallToolHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Extensions, JsonObject, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ResourceContents, ServerResult, Tool,
};
use rmcp::service::{MaybeSend, Peer, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};
use toolgate::{Answer, Block, Revision};

use crate::judge::Asker;
use crate::published::{Output, Published};

/// The JSON text of a tool for [`toolgate::ToolSet::publish`].
pub(crate) fn definition(tool: &Tool) -> String {
    // What cannot be written is no tool, and is told as such.
    serde_json::to_string(tool).unwrap_or_default()
}

/// The tool with another schema, which is all of a definition that is ever changed.
pub(crate) fn with_schema(mut tool: Tool, schema: Arc<JsonObject>) -> Tool {
    tool.input_schema = schema;
    tool
}

/// What the SDK's routes answer with, in time.
pub(crate) type Pending<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A schema as text.
pub(crate) fn text(schema: &JsonObject) -> String {
    serde_json::to_string(schema).unwrap_or_default()
}

/// The schema of a type of arguments, as the SDK's macros derive it.
pub(crate) fn schema_of<T: schemars::JsonSchema + 'static>() -> JsonObject {
    let mut schema = JsonObject::clone(&rmcp::handler::server::tool::schema_for_type::<T>());
    for keyword in ["title", "description"] {
        schema.remove(keyword);
    }
    schema
}

/// `{"type":"object"}`
pub(crate) fn open_object() -> JsonObject {
    JsonObject::from_iter([("type".to_owned(), Value::from("object"))])
}

/// The revision that this request is in.
pub(crate) fn revision(context: &RequestContext<RoleServer>) -> Option<Revision> {
    context.protocol_version().and_then(|version| Revision::from_date(version.as_str()))
}

/// Whose refusals are counted together (R6.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// There is one caller: the other end of the streams.
    Process,
    /// The fingerprint of a credential, or of a session that was opened over HTTP.
    Credential(u64),
    /// A request over HTTP that does not say whose it is.
    Unknown,
}

/// The header whose value says who calls over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct CredentialHeader(pub(crate) http::HeaderName);

impl Default for CredentialHeader {
    fn default() -> Self {
        CredentialHeader(http::header::AUTHORIZATION)
    }
}

impl CredentialHeader {
    /// Over HTTP the SDK hands on the parts of the request.
    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        if let Some(Conversation(key)) = context.extensions.get() {
            return Caller::Credential(*key);
        }
        let Some(parts) = context.extensions.get::<http::request::Parts>() else { return Caller::Process };
        let named = parts.headers.get(&self.0).or_else(|| parts.headers.get("mcp-session-id"));
        named.map_or(Caller::Unknown, |value| Caller::Credential(fingerprint(value)))
    }

    /// The credential of a request or a notification. A session is none: a mode belongs to who calls, not to a connection (R10.4).
    pub(crate) fn credential(&self, extensions: &Extensions) -> Option<u64> {
        extensions.get::<http::request::Parts>()?.headers.get(&self.0).map(fingerprint)
    }
}

fn fingerprint(value: &http::HeaderValue) -> u64 {
    keyed(&value.as_bytes())
}

/// Keyed anew in every process, so that a fingerprint tells nothing about a credential.
fn keyed(value: &impl std::hash::Hash) -> u64 {
    static KEYS: LazyLock<std::hash::RandomState> = LazyLock::new(std::hash::RandomState::new);
    KEYS.hash_one(value)
}

/// The conversation of a model that a call belongs to, where no client calls.
#[derive(Clone, Copy)]
pub(crate) struct Conversation(u64);

impl Conversation {
    pub(crate) fn of(name: &str) -> Self {
        Conversation(keyed(&("conversation", name)))
    }
}

/// Arguments as the SDK gives them, or as a model wrote them.
#[derive(Clone)]
pub(crate) enum Sent {
    Absent,
    Object(JsonObject),
    Other(Value),
    Text(String),
}

impl From<Option<JsonObject>> for Sent {
    fn from(arguments: Option<JsonObject>) -> Self {
        arguments.map_or(Sent::Absent, Sent::Object)
    }
}

/// Arguments on their way to a route, which has a place for objects alone.
#[derive(Clone)]
struct Carried(Arc<Sent>);

/// The result that a refusal was shaped into.
pub(crate) fn refused(result: &str) -> Result<CallToolResponse, ErrorData> {
    let result = serde_json::from_str(result).map(CallToolResponse::Complete);
    result.map_err(|_| ErrorData::internal_error("the call was refused, and the refusal could not be written", None))
}

/// What is answered where the server itself has failed.
pub(crate) fn fault(why: &impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(why.to_string(), None)
}

/// What a subscriber is told for whom there is no room.
pub(crate) fn too_many_listeners() -> ErrorData {
    ErrorData::internal_error("there are too many listeners", None)
}

/// As the SDK's own router answers.
pub(crate) fn unknown_tool() -> ErrorData {
    ErrorData::invalid_params("tool not found", None)
}

/// How the SDK begins what it says when arguments do not fit the handler's type. What follows quotes values.
const TYPE_ERROR_PREFIX: &str = "failed to deserialize parameters:";

/// Whether this says that arguments did not fit the handler's type. From a route it is a protocol error, and the SDK's
/// router makes a result of it that has nothing but its text.
pub(crate) fn is_type_error(answer: &Result<CallToolResponse, ErrorData>) -> bool {
    match answer {
        Err(error) => error.code == ErrorCode::INVALID_PARAMS && error.message.starts_with(TYPE_ERROR_PREFIX),
        Ok(CallToolResponse::Complete(result)) => {
            let [content] = result.content.as_slice() else { return false };
            result.is_error == Some(true)
                && result.structured_content.is_none()
                && content.as_text().is_some_and(|text| text.text.starts_with(TYPE_ERROR_PREFIX))
        }
        Ok(_) => false,
    }
}

/// Whether the answer says that the tool failed.
pub(crate) fn is_error(answer: &CallToolResponse) -> bool {
    matches!(answer, CallToolResponse::Complete(result) if result.is_error == Some(true))
}

/// What is wrong with an answer of a tool that declares its form, in codes and places; `None` where nothing is, or where there
/// is no form to hold.
pub(crate) fn output_fault(output: &Output, answer: &Result<CallToolResponse, ErrorData>) -> Option<String> {
    let Ok(CallToolResponse::Complete(result)) = answer else { return None };
    if result.is_error == Some(true) {
        return None;
    }
    match &result.structured_content {
        None => Some("there is no structured content".to_owned()),
        Some(content) => output.fault(content),
    }
}

/// What is told of an answer that is not as it was declared, with what was said after it, since nothing of that is lost. It is no
/// refusal, whatever it is made of: a program must not take a tool that has run for one that has not.
pub(crate) fn misanswered(
    told: Result<CallToolResponse, ErrorData>,
    answer: Result<CallToolResponse, ErrorData>,
) -> Result<CallToolResponse, ErrorData> {
    let (Ok(CallToolResponse::Complete(mut told)), Ok(CallToolResponse::Complete(answer))) = (told, answer) else {
        return Err(ErrorData::internal_error("the tool's answer is not what it declares", None));
    };
    told.content.extend(answer.content);
    told.structured_content = None;
    if let Some(meta) = &mut told.meta
        && let Some(violations) = meta.remove(REFUSAL)
    {
        meta.insert(FAULT.to_owned(), violations);
    }
    Ok(CallToolResponse::Complete(told))
}

/// Where programs find what was refused, and what the server did wrong after it has run.
const REFUSAL: &str = "toolgate/refusal";
const FAULT: &str = "toolgate/fault";

/// Whether the SDK reads the request as one that it does not know because `arguments` is no object. It would answer that
/// there is no such method.
pub(crate) fn is_call(request: &CustomRequest) -> bool {
    request.method == "tools/call"
}

/// The answer to a request that nobody knows. The name is the caller's.
pub(crate) fn unknown_method(request: &CustomRequest) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, toolgate::shown_name(&request.method), None)
}

/// The same of a prompt that is asked for.
pub(crate) fn is_prompt(request: &CustomRequest) -> bool {
    request.method == "prompts/get"
}

/// The name and the arguments of a prompt, of params that are not as the SDK wants them.
///
/// # Errors
///
/// Returns a protocol error where it is not only the arguments that do not fit. Nothing of the request is in it.
pub(crate) fn unfit_prompt(request: CustomRequest) -> Result<(String, Value), ErrorData> {
    let invalid = |message: &'static str| ErrorData::invalid_params(message, None);
    let Some(Value::Object(mut params)) = request.params else { return Err(invalid("params is not an object")) };
    match (params.remove("name"), params.remove("arguments")) {
        (Some(Value::String(name)), Some(arguments)) if !arguments.is_object() => Ok((name, arguments)),
        _ => Err(invalid("the params of prompts/get are malformed, or give a name twice")),
    }
}

/// Why a session has not begun, for a log: without the message that came instead, which the SDK's own words quote with all its
/// values.
///
/// # Example
///
/// ```
/// use rmcp::service::ServerInitializeError;
/// let error = ServerInitializeError::ExpectedInitializeRequest(None);
/// assert_eq!(toolgate_mcp::why_not_begun(&error), "the first message was no request that begins a session");
/// ```
pub fn why_not_begun(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            "the first message was no request that begins a session".to_owned()
        }
        ServerInitializeError::ConnectionClosed(_) => "the client has gone before the session began".to_owned(),
        ServerInitializeError::InitializeFailed(error) => {
            format!("the server has refused the session, with the code {}", error.code.0)
        }
        ServerInitializeError::TransportError { .. } => "the transport has failed before the session began".to_owned(),
        _ => "the session has not begun".to_owned(),
    }
}

/// A call whose parameters are not as the SDK wants them: everything but the arguments, and those.
///
/// # Errors
///
/// Returns a protocol error where it is not only the arguments that do not fit. Nothing of the call is in it.
pub(crate) fn unfit_call(request: CustomRequest) -> Result<(CallToolRequestParams, Sent), ErrorData> {
    let invalid = |message: &'static str| ErrorData::invalid_params(message, None);
    let Some(Value::Object(mut params)) = request.params else { return Err(invalid("params is not an object")) };
    let arguments = match params.remove("arguments") {
        // These fit, so it is something else that does not.
        None | Some(Value::Object(_) | Value::Null) => {
            return Err(invalid("the params of tools/call are malformed, or give a name twice"));
        }
        Some(arguments) => arguments,
    };
    match serde_json::from_value(Value::Object(params)) {
        Ok(call) => Ok((call, Sent::Other(arguments))),
        Err(_) => Err(invalid("the params of tools/call are malformed")),
    }
}

/// The answer to a call that came as a request which the SDK does not know: it shapes the answers to those that it knows
/// for the revision spoken, and leaves this one as it is.
pub(crate) fn custom_result(
    response: CallToolResponse,
    context: &RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    let version = context.protocol_version();
    let is_stateless = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    match &response {
        CallToolResponse::Task(_) if !context.client_capabilities().is_some_and(|caps| caps.supports_tasks()) => {
            let required = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(required));
        }
        CallToolResponse::InputRequired(_) if !is_stateless => {
            let message = "InputRequiredResult requires negotiated protocol version 2026-07-28 or newer";
            return Err(ErrorData::invalid_request(message, None));
        }
        _ => {}
    }
    let mut result = ServerResult::from(response);
    if !is_stateless {
        result.strip_result_type_for_legacy_peer();
        result.strip_non_object_output_for_legacy_peer();
    }
    let result = serde_json::to_value(&result).map(CustomResult);
    result.map_err(|_| ErrorData::internal_error("the answer could not be written", None))
}

/// Puts arguments on the way of a call as they were sent.
pub(crate) fn carry(sent: Sent, context: &mut RequestContext<RoleServer>) {
    context.extensions.insert(Carried(Arc::new(sent)));
}

/// The route with the boundary before its handler (R10.2: the two are one value).
pub(crate) fn guarded_route<S: MaybeSend + Sync + 'static>(
    route: ToolRoute<S>,
    guard: Guard,
    published: Arc<Published>,
) -> ToolRoute<S> {
    // A tool that is closed is called in vain, whatever is shown of it; the open object costs no client the whole list.
    let attr = published.shown(route.attr.clone());
    let attr = attr.unwrap_or_else(|| with_schema(route.attr.clone(), Arc::new(open_object())));
    let handler: Arc<DynCallToolHandler<S>> = route.call;
    ToolRoute::new_dyn(attr, move |mut context| {
        let (guard, published, handler) = (guard.clone(), Arc::clone(&published), Arc::clone(&handler));
        let asker = Asker::of(&context.request_context, guard.options());
        let mut extensions = std::mem::take(&mut context.request_context.extensions);
        let sent = match extensions.remove::<Carried>() {
            Some(Carried(sent)) => Arc::unwrap_or_clone(sent),
            None => context.arguments.take().into(),
        };
        Box::pin(async move {
            let name = context.name.clone();
            let Some(served) = published.served(&name) else { return Err(unknown_tool()) };
            let run = |arguments, extensions| {
                context.arguments = Some(arguments);
                context.request_context.extensions = extensions;
                handler(context)
            };
            guard.run(served, sent, extensions, asker, run).await
        })
    })
}

/// A request for the page at `cursor`, else as the client asked.
pub(crate) fn page_request(request: Option<PaginatedRequestParams>, cursor: String) -> PaginatedRequestParams {
    request.unwrap_or_default().with_cursor(Some(cursor))
}

/// A client that there is not: what it is asked fails.
pub(crate) fn nobody() -> Peer<RoleServer> {
    struct Nothing;
    impl rmcp::ServerHandler for Nothing {}
    let (near, _) = tokio::io::duplex(1);
    rmcp::service::serve_directly(Nothing, near, None).peer().clone()
}

/// The context of a call that came from no client.
pub(crate) fn own_context(id: i64, peer: Peer<RoleServer>) -> RequestContext<RoleServer> {
    RequestContext::new(rmcp::model::NumberOrString::Number(id), peer)
}

/// A result for those who do not speak the protocol.
pub(crate) fn answer(result: CallToolResult) -> Answer {
    let content = result.content.into_iter().map(|block| match block {
        ContentBlock::Text(text) => Block::Text(text.text),
        ContentBlock::Image(image) => Block::Image { media_type: image.mime_type, data: image.data },
        ContentBlock::Audio(audio) => Block::Text(unshown("audio", Some(&audio.mime_type))),
        ContentBlock::Resource(resource) => Block::Text(match resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { mime_type, .. } => unshown("a resource", mime_type.as_deref()),
            _ => unshown("a resource", None),
        }),
        other => Block::Text(serde_json::to_string(&other).unwrap_or_default()),
    });
    let refusal = result.meta.as_ref().and_then(|meta| meta.get(REFUSAL)).cloned();
    Answer {
        is_error: result.is_error == Some(true),
        content: content.collect(),
        // Beside a refusal it is the refusal.
        structured: result.structured_content.filter(|_| refusal.is_none()),
        refusal,
    }
}

/// The words for what no model takes back from a tool.
fn unshown(what: &str, media_type: Option<&str>) -> String {
    let of_type = media_type.map(|media_type| format!(", {media_type}")).unwrap_or_default();
    format!("[{what}{of_type}, that cannot be shown here]")
}

/// Lists are one page, so that no cursor was ever given.
///
/// # Errors
///
/// Says so to whoever asks for another page.
pub(crate) fn only_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_deref()) {
        None | Some("") => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("the cursor is unknown: the list is one page", None)),
    }
}

/// Whether a list in this revision says how long it lives, and for whom.
fn has_cache_hints(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// One page of all that there is, which may be another at any time: another process may change it, and callers with another
/// credential may have another mode.
macro_rules! whole_list {
    ($name:ident, $list:ty, $item:ty) => {
        pub(crate) fn $name(items: Vec<$item>, context: &RequestContext<RoleServer>) -> $list {
            let has_cache_hints = has_cache_hints(context);
            let mut list = <$list>::with_all_items(items);
            list.result_type = Some(rmcp::model::ResultType::COMPLETE);
            list.ttl_ms = has_cache_hints.then_some(0);
            list.cache_scope = has_cache_hints.then_some(rmcp::model::CacheScope::Private);
            list
        }
    };
}

whole_list!(all_tools, ListToolsResult, Tool);
whole_list!(all_prompts, rmcp::model::ListPromptsResult, rmcp::model::Prompt);

/// Joins what is said of a page with what was said of those before: the shortest life and the narrowest scope.
pub(crate) fn join_page(list: &mut ListToolsResult, page: ListToolsResult) {
    use rmcp::model::CacheScope::Private;
    list.ttl_ms = list.ttl_ms.into_iter().chain(page.ttl_ms).min();
    if page.cache_scope == Some(Private) || list.cache_scope.is_none() {
        list.cache_scope = page.cache_scope;
    }
    list.tools.extend(page.tools);
}
