//! A server that writes down every call it sees: the upstream of `tests/smuggling/run.py`. Its twins for other readers
//! stand there.
//!
//! `record_calls LOG plain` reads with `serde_json`, `record_calls LOG sdk` as the Rust SDK does.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(reader)) = (args.next(), args.next()) else {
        return Err(io::Error::other("usage: record_calls LOG plain|sdk"));
    };
    let read = if reader == "sdk" { as_the_sdk } else { plainly };
    let mut log = OpenOptions::new().create(true).append(true).open(path)?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // What does not parse is nobody's call.
        if let Some(value) = read(&line) {
            receive(value, &mut log)?;
        }
        line.clear();
    }
    Ok(())
}

fn plainly(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// The SDK's codec is its own affair; what it does to a line is this: a byte order mark and a CR at the end go, and the
/// rest becomes one of the message types, which keep what they know.
fn as_the_sdk(line: &[u8]) -> Option<Value> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let message: ClientJsonRpcMessage = serde_json::from_slice(line).ok()?;
    serde_json::to_value(message).ok()
}

fn receive(value: Value, log: &mut File) -> io::Result<()> {
    let frames = match value {
        Value::Array(frames) => frames,
        frame => vec![frame],
    };
    for frame in frames {
        let Some(method) = frame.get("method") else { continue };
        let params = frame.get("params");
        let seen = if method == "tools/call" { json!({ "params": params }) } else { json!({ "method": method }) };
        writeln!(log, "{seen}")?;
        if let Some(id) = frame.get("id") {
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result(method, params) });
            let mut output = io::stdout().lock();
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

fn result(method: &Value, params: Option<&Value>) -> Value {
    match method.as_str() {
        Some("initialize") => json!({
            "protocolVersion": params.and_then(|params| params.get("protocolVersion")),
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "recorder", "version": "1" },
        }),
        Some("tools/list") => json!({ "tools": [{
            "name": "book",
            "inputSchema": { "type": "object", "properties": { "seat": { "type": "string" } }, "required": ["seat"] },
        }] }),
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": "done" }] }),
        _ => json!({}),
    }
}
