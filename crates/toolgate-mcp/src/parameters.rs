//! The arguments of a macro-made tool, all of them read.

use crate::hand_over::HandOver;
use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// The arguments of a tool as a type, in place of the SDK's extractor of the same name, by which its macros find the type. A key
/// that the type would drop is refused (`unread-argument`), and what the type does not take is told without values
/// (`contract-mismatch`), also where serde hides it: in flattened, internally tagged and untagged shapes (R3.5).
///
/// # Example
///
/// ```
/// use rmcp::{tool, tool_router};
/// use toolgate_mcp::{GuardedRouter, Parameters, guard};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Booking {
///     boat: String,
/// }
///
/// struct Harbour;
///
/// #[tool_router]
/// impl Harbour {
///     #[tool(description = "Books a berth.")]
///     fn book(&self, Parameters(booking): Parameters<Booking>) -> String {
///         booking.boat
///     }
/// }
///
/// let router: GuardedRouter<Harbour> = guard(Harbour::tool_router());
/// assert_eq!(router.get("book").unwrap().input_schema["required"][0], "boat");
/// ```
#[derive(Clone, Copy)]
pub struct Parameters<T>(pub T);

impl<T> std::fmt::Debug for Parameters<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parameters(..)")
    }
}

impl<T: JsonSchema> JsonSchema for Parameters<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<S, T: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for Parameters<T> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let sent = HandOver::of(&mut context.request_context.extensions, context.arguments.as_ref())?;
        sent.read(sent.arguments()).map(Parameters)
    }
}
