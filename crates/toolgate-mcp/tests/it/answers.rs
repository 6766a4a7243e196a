//! How a refusal is told: in the shape of the revision spoken, saying more where it is repeated.

use crate::support::http::{Answer, Http};
use crate::support::servers::{Server, echoing};
use crate::support::wire::Wire;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{JsonObject, Tool};
use rmcp::{ServerHandler, tool_handler};
use serde_json::{Value, json};
use std::sync::Arc;
use toolgate_mcp::{Guard, Guarded, Options, guard};

fn object(value: Value) -> Arc<JsonObject> {
    let Value::Object(object) = value else { panic!() };
    Arc::new(object)
}

/// One tool with an output schema, one without.
fn router<S: Send + Sync + 'static>() -> ToolRouter<S> {
    let schema = object(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    let plain = Tool::new("plain", "", Arc::clone(&schema));
    let shaped = Tool::new("shaped", "", schema).with_raw_output_schema(object(json!({"type": "object"})));
    echoing(vec![plain, shaped])
}

/// The same without the boundary, to put it before the whole handler.
#[derive(Clone)]
struct Bare {
    router: ToolRouter<Bare>,
}

#[tool_handler(router = self.router)]
impl ServerHandler for Bare {}

fn shape(result: &Value) -> (bool, bool) {
    assert_eq!(result["isError"], true, "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("The call was refused"), "{result}");
    assert!(result["_meta"]["toolgate/refusal"]["violations"][0].get("code").is_some(), "{result}");
    if let Some(structured) = result.get("structuredContent") {
        assert_eq!(structured, &result["_meta"]["toolgate/refusal"]);
    }
    (result.get("structuredContent").is_some(), result.get("resultType").is_some())
}

#[tokio::test]
async fn each_revision_gets_the_shape_that_it_has() {
    for (revision, has_structured) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let mut routed = Wire::open_in(Server { router: guard(router()) }, revision).await;
        let mut handled = Wire::open_in(Guarded::new(Bare { router: router() }), revision).await;
        // The second has no object for arguments and is answered another way.
        for arguments in ["{}", "[]"] {
            for wire in [&mut routed, &mut handled] {
                let plain = wire.call("plain", arguments).await;
                assert_eq!(shape(&plain["result"]), (has_structured, false), "{revision}: {plain}");
                let shaped = wire.call("shaped", arguments).await;
                assert_eq!(shape(&shaped["result"]), (false, false), "{revision}: {shaped}");
            }
        }
        // An admitted call has the same two ways.
        for arguments in [r#"{"n":1}"#, r#""{\"n\":1}""#] {
            let answer = routed.call("plain", arguments).await;
            assert_eq!(answer["result"]["content"][0]["text"], r#"{"n":1}"#, "{answer}");
            assert!(answer["result"].get("resultType").is_none(), "{revision}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_stateless_request_gets_the_shape_of_its_own_revision() {
    let server = Guarded::new(Bare { router: router() });
    let http = Http::serve(move || server.clone()).await;
    for arguments in [b"{}".as_slice(), b"[]"] {
        let Answer { status, body } = http.call("plain", Some(arguments), &[]).await;
        assert_eq!((status, shape(&body["result"])), (200, (true, true)), "{body}");
        assert_eq!(shape(&http.call("shaped", Some(arguments), &[]).await.body["result"]), (false, true));
        assert_eq!(shape(&http.call_legacy("plain", Some(arguments)).await.body["result"]), (true, false));
    }
    let admitted = http.call("plain", Some(br#""{\"n\":1}""#), &[]).await.body;
    assert_eq!(admitted["result"]["resultType"], "complete", "{admitted}");
}

fn level(answer: &Value) -> u8 {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    match text {
        _ if text.starts_with("Stop") => 3,
        _ if text.contains("The expected shape is") => 2,
        _ => 1,
    }
}

#[tokio::test]
async fn the_same_refusal_says_more_each_time() {
    let mut wire = Wire::open(Guarded::new(Bare { router: router() })).await;
    for expected in [1, 2, 3, 3] {
        let answer = wire.call("plain", r#"{"n":"x"}"#).await;
        assert_eq!(level(&answer), expected, "{answer}");
        assert_eq!(answer["result"]["_meta"]["toolgate/refusal"]["violations"][0]["code"], "type", "the same code");
    }
    assert_eq!(level(&wire.call("plain", "{}").await), 1, "another reason is new");
    let guard = Guard::new(Options::documents().without_repeats());
    let mut wire = Wire::open(guard.handler(Bare { router: router() })).await;
    for _ in 0..4 {
        assert_eq!(level(&wire.call("plain", "{}").await), 1);
    }
}

#[tokio::test]
async fn over_http_each_credential_is_counted_alone() {
    let guard = Guard::default();
    // A handler of its own for each request, as a service may make it.
    let http = Http::serve(move || guard.handler(Bare { router: router() })).await;
    let refusal = async |credential: Option<&str>| {
        let headers: Vec<_> = credential.map(|credential| ("Authorization", credential)).into_iter().collect();
        level(&http.call("plain", Some(b"{}"), &headers).await.body)
    };
    assert_eq!(refusal(Some("Bearer one")).await, 1);
    assert_eq!(refusal(Some("Bearer one")).await, 2);
    assert_eq!(refusal(Some("Bearer two")).await, 1);
    assert_eq!(refusal(Some("Bearer one")).await, 3);
    for _ in 0..3 {
        assert_eq!(refusal(None).await, 1, "who cannot be told apart is not counted together");
    }
}
