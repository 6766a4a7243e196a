//! The server behind what is measured: one tool, answered at once; and the bare line relay that the guard is compared with.

use crate::shapes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// What the server reads of a message; arguments are passed over, so that their size costs it little.
#[derive(Deserialize)]
struct Message {
    id: Option<Value>,
    method: Option<String>,
}

/// Speaks MCP on stdin and stdout until the input ends. Its tool has the schema of the shape.
pub fn serve(shape: &str) -> io::Result<()> {
    let shape = shapes::find(shape);
    let list = json!({ "tools": [{ "name": "tool", "description": "What is measured.", "inputSchema": shape.schema_value() }] });
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Message>(&line?) else { continue };
        let Some(id) = message.id else { continue };
        let result = match message.method.as_deref() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "toolgate-bench", "version": "0" },
            }),
            Some("tools/list") => list.clone(),
            _ => json!({ "content": [{ "type": "text", "text": "done" }] }),
        };
        let mut answer = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
        answer.push('\n');
        out.write_all(answer.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

/// Starts `command` and passes lines on, both ways, one thread each, without a look at them.
pub fn relay(command: &[String]) -> io::Result<()> {
    let [program, args @ ..] = command else { return Err(io::Error::other("the relay needs a command")) };
    let mut child = Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the child has no pipes"));
    };
    std::thread::spawn(move || pass_on(io::stdin().lock(), input));
    pass_on(BufReader::new(output), io::stdout().lock())?;
    child.wait()?;
    Ok(())
}

fn pass_on(mut from: impl BufRead, mut to: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        line.clear();
    }
    Ok(())
}
