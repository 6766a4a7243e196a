//! A client in memory.
#![allow(clippy::panic, reason = "a test fails where the server does not answer")]

use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// A session with a server in this process. It writes its own lines, so the arguments stand in them as a test has them: digits,
/// repeated names and text that is no JSON reach the server's side as they would from a client.
///
/// # Example
///
/// ```
/// use rmcp::ServerHandler;
/// use toolgate_mcp::testing::Client;
/// # struct Server;
/// # impl ServerHandler for Server {}
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut client = Client::connect(Server).await;
/// let called = client.call("nothing", r#"{"n":1}"#).await;
/// assert!(called.message()["error"].is_object());
/// # });
/// ```
pub struct Client {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
    last: u64,
    notices: Vec<Value>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    /// Serves `server` in a task, and shakes hands with it.
    ///
    /// # Panics
    ///
    /// Where the server does not answer.
    pub async fn connect(server: impl ServerHandler) -> Client {
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            if let Ok(session) = server.serve(far).await {
                let _ = session.waiting().await;
            }
        });
        let (input, output) = tokio::io::split(near);
        let mut client = Client { input: BufReader::new(input), output, last: 0, notices: Vec::new() };
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "toolgate-mcp", "version": "1"}
        });
        client.ask("initialize", &params.to_string()).await;
        client.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        client
    }

    async fn write(&mut self, line: &str) {
        // A line feed would end the line; JSON reads a carriage return as it reads that.
        let line = line.replace('\n', "\r") + "\n";
        if self.output.write_all(line.as_bytes()).await.is_err() {
            panic!("the server has ended");
        }
    }

    /// Asks for something; `params` is JSON text. What the server announces meanwhile is kept for [`Client::notices`].
    ///
    /// # Panics
    ///
    /// Where the server has ended, or writes what is no JSON.
    pub async fn ask(&mut self, method: &str, params: &str) -> Value {
        self.last += 1;
        let id = self.last;
        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, json!(method))).await;
        loop {
            let mut line = String::new();
            match self.input.read_line(&mut line).await {
                Ok(read) if read > 0 => {}
                _ => panic!("the server has ended"),
            }
            let Ok(message) = serde_json::from_str::<Value>(&line) else { panic!("the server wrote what is no JSON") };
            match message.get("method") {
                None if message.get("id") == Some(&json!(id)) => return message,
                None => {}
                Some(_) => self.notices.push(message),
            }
        }
    }

    /// The tools as the server lists them.
    ///
    /// # Panics
    ///
    /// Where it lists none.
    pub async fn list(&mut self) -> Vec<Value> {
        let message = self.ask("tools/list", "{}").await;
        match message.pointer("/result/tools").and_then(Value::as_array) {
            Some(tools) => tools.clone(),
            None => panic!("the server lists no tools: {message}"),
        }
    }

    /// Calls a tool with this text as its arguments.
    pub async fn call(&mut self, tool: &str, arguments: &str) -> Called {
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(tool));
        Called { message: self.ask("tools/call", &params).await }
    }

    /// What the server has announced since this was asked last, as the messages that they were.
    pub fn notices(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.notices)
    }
}

/// The answer to a call.
#[derive(Clone)]
pub struct Called {
    message: Value,
}

impl std::fmt::Debug for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Called").field("codes", &self.codes()).finish_non_exhaustive()
    }
}

impl Called {
    /// The message.
    pub fn message(&self) -> &Value {
        &self.message
    }

    /// All text of the result.
    pub fn text(&self) -> String {
        let content = self.message.pointer("/result/content").and_then(Value::as_array).into_iter().flatten();
        content.filter_map(|block| block.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("\n")
    }

    /// Whether the result says that the tool failed; a refusal does.
    pub fn is_error(&self) -> bool {
        self.message.pointer("/result/isError") == Some(&json!(true))
    }

    /// Of a refused call the codes with their places, `required@/path` for example; empty for every other answer.
    pub fn codes(&self) -> Vec<String> {
        let violations = self.message.pointer("/result/_meta/toolgate~1refusal/violations").and_then(Value::as_array);
        let word =
            |violation: &Value, name: &str| violation.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = |violation: &Value| format!("{}@{}", word(violation, "code"), word(violation, "location"));
        violations.into_iter().flatten().map(code).collect()
    }
}
