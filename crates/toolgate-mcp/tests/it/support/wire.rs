//! A client that writes its own lines, so that the arguments stand in them as a test has them.

use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// Only so that a test which would hang ends.
const PATIENCE: Duration = Duration::from_secs(300);

pub struct Wire<R, W> {
    input: BufReader<R>,
    output: W,
    last: u64,
}

pub type Memory = Wire<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

impl Memory {
    /// A session in memory, in this revision.
    pub async fn open_in<H: ServerHandler>(server: H, revision: &str) -> Memory {
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let session = server.serve(far).await.unwrap();
            session.waiting().await.unwrap();
        });
        let (input, output) = tokio::io::split(near);
        let mut wire = Wire::over(input, output);
        wire.initialize(revision).await;
        wire
    }

    pub async fn open<H: ServerHandler>(server: H) -> Memory {
        Wire::open_in(server, "2025-11-25").await
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    pub fn over(input: R, output: W) -> Self {
        Wire { input: BufReader::new(input), output, last: 0 }
    }

    pub async fn initialize(&mut self, revision: &str) -> Value {
        let params = json!({
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}
        });
        let answer = self.ask("initialize", &params).await;
        self.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer
    }

    pub async fn write(&mut self, line: &[u8]) {
        // A line feed would end the line. JSON reads a carriage return as it reads that.
        let mut line: Vec<u8> = line.iter().map(|byte| if *byte == b'\n' { b'\r' } else { *byte }).collect();
        line.push(b'\n');
        self.output.write_all(&line).await.unwrap();
    }

    /// The next message of the server, whatever it is.
    pub async fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.input.read_line(&mut line)).await;
        assert!(read.unwrap().unwrap() > 0, "the server has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to the request of this id; what comes before is passed over.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub fn id(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub async fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.id();
        self.write(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes())
            .await;
        self.answer(id).await
    }

    /// Asks for a call; the arguments stand in it as they are.
    pub async fn send_call(&mut self, tool: &str, arguments: Option<&[u8]>) -> u64 {
        let id = self.id();
        self.write(&call(id, tool, arguments, None)).await;
        id
    }

    pub async fn call(&mut self, tool: &str, arguments: &str) -> Value {
        let id = self.send_call(tool, Some(arguments.as_bytes())).await;
        self.answer(id).await
    }
}

pub fn call(id: u64, tool: &str, arguments: Option<&[u8]>, meta: Option<&str>) -> Vec<u8> {
    let name = json!(tool);
    let mut line =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name}"#).into_bytes();
    if let Some(meta) = meta {
        line.extend_from_slice(format!(r#","_meta":{meta}"#).as_bytes());
    }
    if let Some(arguments) = arguments {
        line.extend_from_slice(br#","arguments":"#);
        line.extend_from_slice(arguments);
    }
    line.extend_from_slice(b"}}");
    line
}
