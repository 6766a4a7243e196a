//! No value of a call is in an answer, in our log or in a `Debug`. In a process of its own: `tracing` keeps for the
//! whole process whether anybody listens to an event, and a test beside this one, where nobody does, might be the first to send it.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "it/support/mod.rs"]
mod support;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::Tool;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use support::servers::{Server, echo};
use support::wire::Wire;
use toolgate_mcp::{Guarded, guard};

fn route(name: &'static str, schema: Value) -> ToolRoute<Server> {
    let Value::Object(schema) = schema else { panic!() };
    ToolRoute::new_dyn(Tool::new(name, "", Arc::new(schema)), |context: ToolCallContext<'_, Server>| {
        Box::pin(std::future::ready(Ok(echo(context.arguments))))
    })
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_value_of_a_call_is_in_an_answer_or_in_our_log() {
    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || log.clone()).with_ansi(false).finish();
    let _here = tracing::subscriber::set_default(subscriber);
    let plain = route("plain", json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    let broken = route("broken", json!({"type": "nonsense"}));
    let server = Server { router: guard(ToolRouter::new().with_route(plain).with_route(broken)) };
    let debug = format!("{:?} {:?}", server.router, Guarded::new(server.clone()));
    let mut wire = Wire::open(server).await;
    for arguments in [r#"{"n":"PLANTED"}"#, r#"["PLANTED"]"#, r#""PLANTED""#, r#"{"n":1,"PLANTED-NAME":"PLANTED"}"#] {
        let answer = wire.call("plain", arguments).await.to_string();
        assert!(!answer.replace("PLANTED-NAME", "").contains("PLANTED"), "{answer}");
    }
    // What was read from text is told by rule and place.
    assert!(wire.call("plain", r#"{"n":"70807"}"#).await.to_string().contains("70807"));
    let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let ours: Vec<&str> = written.lines().filter(|line| line.contains(" toolgate: ")).collect();
    assert_eq!(ours.len(), 6, "{written}");
    assert!(ours[0].contains("the tool is closed") && ours[0].contains("broken"), "{written}");
    assert!(ours[4].contains("unknown-argument@/*"), "{written}");
    assert!(ours[5].contains("the call is admitted") && ours[5].contains("number-text@/n"), "{written}");
    assert!(!ours.concat().contains("70807"), "{written}");
    assert!(!ours.concat().contains("PLANTED") && !debug.contains("PLANTED"), "{written}");
}
