//! `Guarded::typed` before a whole macro-made server, whose own router answers when a type refuses.

use crate::support::wire::Wire;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::json;
use toolgate_mcp::Guarded;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Jump {
    path: String,
    at: Option<At>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct At {
    /// The schema allows more than the type takes.
    #[schemars(with = "i64")]
    line: i32,
}

struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Shows a place.")]
    fn jump(&self, Parameters(jump): Parameters<Jump>) -> String {
        format!("{}:{}", jump.path, jump.at.map_or(1, |at| at.line))
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::test]
async fn a_type_that_refuses_what_its_schema_admits_is_the_servers_fault_and_quotes_nothing() {
    let call = r#"{"path":"a","at":{"line":3000000000}}"#;
    let bare = Wire::open(Server).await.call("jump", call).await;
    assert!(bare.to_string().contains("3000000000"), "the SDK quotes the value: {bare}");
    let mut wire = Wire::open(Guarded::typed(Server)).await;
    let guarded = wire.call("jump", call).await;
    let violations = &guarded["result"]["_meta"]["toolgate/refusal"]["violations"];
    assert_eq!(violations[0]["code"], "contract-mismatch", "{guarded}");
    assert!(!guarded.to_string().contains("3000000000"), "{guarded}");
    let right = wire.call("jump", r#"{"path":"a","at":"{\"line\":\"7\"}"}"#).await;
    assert_eq!(right["result"]["content"][0]["text"], "a:7", "{right}");
}

#[tokio::test]
async fn a_nested_key_that_the_type_would_drop_is_refused() {
    let call = r#"{"path":"a","at":{"line":3,"column":9}}"#;
    let bare = Wire::open(Server).await.call("jump", call).await;
    assert_eq!(bare["result"]["content"][0]["text"], "a:3", "the SDK drops it: {bare}");
    let mut wire = Wire::open(Guarded::typed(Server)).await;
    let guarded = wire.call("jump", call).await;
    let violations = &guarded["result"]["_meta"]["toolgate/refusal"]["violations"];
    assert_eq!(violations[0]["location"], json!("/at/column"), "{guarded}");
}
