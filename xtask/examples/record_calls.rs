//! A server that reads its frames with `serde_json`, and writes down every call it sees: the upstream of
//! `tests/smuggling/run.py`. Its twins for other readers stand there.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let path = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: record_calls LOG"))?;
    let mut log = OpenOptions::new().create(true).append(true).open(path)?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // What does not parse is nobody's call.
        if let Ok(value) = serde_json::from_slice(&line) {
            receive(value, &mut log)?;
        }
        line.clear();
    }
    Ok(())
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
