//! A client on the pipes of a child: one request at a time, timed from the first byte written to the answer's last.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

pub struct Session {
    child: Child,
    /// Closed first when the session ends: that is what ends the child.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    line: String,
}

impl Session {
    /// Starts the command, initializes and lists the tools.
    pub fn start(command: &[String]) -> io::Result<Self> {
        let [program, args @ ..] = command else { return Err(io::Error::other("no command")) };
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // One record a call is written there, as in service; nobody reads it.
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the child has no pipes"));
        };
        let mut session =
            Session { child, input: Some(input), output: BufReader::new(output), next_id: 1, line: String::new() };
        let client =
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}"#;
        session.request("initialize", client)?;
        session.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        session.request("tools/list", "{}")?;
        Ok(session)
    }

    /// Microseconds that a call takes; an error where the answer is not what an admitted call gets.
    pub fn call(&mut self, arguments: &str) -> io::Result<f64> {
        let us = self.request("tools/call", &format!(r#"{{"name":"tool","arguments":{arguments}}}"#))?;
        if self.line.contains("\"done\"") {
            Ok(us)
        } else {
            Err(io::Error::other("the call was not answered by the server"))
        }
    }

    /// The same for a call that the guard answers with a refusal.
    pub fn refused_call(&mut self, arguments: &str) -> io::Result<f64> {
        let us = self.request("tools/call", &format!(r#"{{"name":"tool","arguments":{arguments}}}"#))?;
        let is_refused = self.line.contains("\"isError\":true") && !self.line.contains("\"done\"");
        if is_refused { Ok(us) } else { Err(io::Error::other("the call was not refused")) }
    }

    fn request(&mut self, method: &str, params: &str) -> io::Result<f64> {
        let id = self.next_id;
        self.next_id += 1;
        let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n");
        let start = Instant::now();
        self.send(&request)?;
        loop {
            self.line.clear();
            if self.output.read_line(&mut self.line)? == 0 {
                return Err(io::Error::other("the child has ended"));
            }
            let us = start.elapsed().as_nanos() as f64 / 1_000.0;
            let message: Value = serde_json::from_str(&self.line)?;
            if message.get("id").and_then(Value::as_u64) == Some(id) && message.get("method").is_none() {
                return Ok(us);
            }
        }
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(|| io::Error::other("the input is closed"))?;
        input.write_all(line.as_bytes())?;
        input.flush()
    }

    /// Resident memory of the child, in MB; `None` where the system does not tell.
    pub fn resident_mb(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kb: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        Some(kb / 1_000.0)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
