//! What a typed tool has beside its arguments.

use rmcp::RoleServer;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::InputResponses;
use rmcp::service::{Peer, RequestContext};
use std::fmt;

/// The context of one call: the client's side of it, and what extensions and hooks have put there. Parallel calls have one each.
pub struct Call {
    context: RequestContext<RoleServer>,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
}

impl Call {
    pub(crate) fn new<S>(context: ToolCallContext<'_, S>) -> Self {
        let ToolCallContext { request_context: context, input_responses, request_state, .. } = context;
        Call { context, input_responses, request_state }
    }

    /// What an extension of the mount was resolved into, or a hook has put here.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.context.extensions.get()
    }

    /// What the client was asked for by this tool's last answer to the same call, an
    /// [`InputRequiredResult`](rmcp::model::InputRequiredResult), by the names that it gave (revision 2026-07-28). They come from the
    /// client and were judged by nobody.
    pub fn input_responses(&self) -> Option<&InputResponses> {
        self.input_responses.as_ref()
    }

    /// The state that came with that answer, as the client gives it back: it may be any text.
    pub fn request_state(&self) -> Option<&str> {
        self.request_state.as_deref()
    }

    /// The client, for progress; and, in a revision with a handshake, for sampling and elicitation, which a later one asks for in
    /// the answer ([`Call::input_responses`]).
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.context.peer
    }

    /// Ends when the client cancels the call.
    pub async fn cancelled(&self) {
        self.context.ct.cancelled().await;
    }

    /// The SDK's context of the request.
    pub fn request(&self) -> &RequestContext<RoleServer> {
        &self.context
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call(..)")
    }
}
