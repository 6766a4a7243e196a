//! Arguments that a mount adds to its tools (R13), and what they are resolved into.

use crate::hand_over::HandOver;
use crate::ranges;
use crate::sdk::{self, Pending};
use crate::tools::FindNames;
use rmcp::ErrorData;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, Extensions, JsonObject};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Puts what was resolved into the context of the call.
type Put = Box<dyn FnOnce(&mut Extensions) + Send>;
type Resolve<S> = dyn Fn(&S, &str, &HandOver) -> Pending<'static, Result<Result<Put, String>, ErrorData>> + Send + Sync;

pub(crate) struct Extension<S> {
    /// With the range of every integer: it is a Rust type, whatever the tool's own schema is.
    pub(crate) schema: JsonObject,
    /// Finds the names that the type takes beside those of its schema.
    pub(crate) names: FindNames,
    resolve: Arc<Resolve<S>>,
}

impl<S> Clone for Extension<S> {
    fn clone(&self) -> Self {
        Extension { schema: self.schema.clone(), names: self.names, resolve: Arc::clone(&self.resolve) }
    }
}

impl<S: Send + Sync + 'static> Extension<S> {
    pub(crate) fn new<E, V, F>(resolve: impl Fn(S, E) -> F + Send + Sync + 'static) -> Self
    where
        S: Clone,
        E: DeserializeOwned + JsonSchema + 'static,
        V: Clone + Send + Sync + 'static,
        F: Future<Output = Result<V, String>> + Send + 'static,
    {
        Extension {
            schema: ranges::tightened(&sdk::schema_of::<E>()),
            names: toolgate::former_names::<E>,
            resolve: Arc::new(move |server, slice, sent| {
                let read = sent.read::<E>(slice).map(|arguments| resolve(server.clone(), arguments));
                Box::pin(async move {
                    let resolved = read?.await;
                    Ok(resolved
                        .map(|value| Box::new(move |context: &mut Extensions| drop(context.insert(value))) as Put))
                })
            }),
        }
    }

    /// Resolves the extension's slice of the arguments; an answer where it cannot be.
    pub(crate) async fn resolve(
        &self,
        context: &mut ToolCallContext<'_, S>,
        slice: &str,
        sent: &HandOver,
    ) -> Result<Option<CallToolResponse>, ErrorData> {
        match (self.resolve)(context.service, slice, sent).await? {
            Ok(put) => {
                put(&mut context.request_context.extensions);
                Ok(None)
            }
            Err(words) => Ok(Some(CallToolResult::error(vec![ContentBlock::text(words)]).into())),
        }
    }
}
