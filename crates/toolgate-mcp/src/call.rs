//! What a typed tool has beside its arguments.

use rmcp::RoleServer;
use rmcp::service::{Peer, RequestContext};
use std::fmt;

/// The context of one call: the client's side of it, and what extensions and hooks have put there. Parallel calls have one each.
pub struct Call {
    context: RequestContext<RoleServer>,
}

impl Call {
    pub(crate) fn new(context: RequestContext<RoleServer>) -> Self {
        Call { context }
    }

    /// What an extension of the mount was resolved into, or a hook has put here.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.context.extensions.get()
    }

    /// The client, for progress, sampling and elicitation.
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
