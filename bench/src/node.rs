//! Ajv and zod in Node on the same shapes. Node and its packages are not part of a Rust build: without them this says so.

use crate::report::Section;
use crate::shapes;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const INSTALL: &str = "npm install --prefix bench/node";

pub fn section() -> Section {
    let text = table().unwrap_or_else(|missing| format!("Skipped: {missing}."));
    Section { title: "Ajv and zod in Node", command: "toolgate-bench node", text, verdicts: Vec::new() }
}

fn table() -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
    if !folder.join("node_modules").join("ajv").is_dir() || !folder.join("node_modules").join("zod").is_dir() {
        return Err(format!("the packages of `bench/node` are missing; `{INSTALL}` brings them"));
    }
    let node =
        Command::new("node").arg(folder.join("compare.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut node = node.map_err(|_| "there is no `node`".to_owned())?;
    if let Some(mut input) = node.stdin.take() {
        input.write_all(shapes::to_json().to_string().as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = node.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("`compare.mjs` failed".into());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
