//! Prints what real tools are shown as, and arguments that their contracts admit: what `tests/decoder/run.py` gives to a
//! constrained decoder, which is not written in Rust.
//!
//! `shown_members EVERY MEMBERS PROFILES PATH…` takes profiles with commas between them, and of each path the schemas: every
//! `EVERY`th tool of a folder of catalogues, all of a file of cases. One JSON line a schema and profile: `tool`, `profile`,
//! `schema` (the text that is shown), `strict`, `renamed` (whether names or words have to be written otherwise) and `members`
//! (texts).

use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use toolgate::json::{Document, Strictness};
use toolgate::{Contract, DecodeStep, Limits, Origin, Policy, Profile, RootPolicy, proof_options};
use toolgate_proof::{Sampler, SamplerOptions};

const USAGE: &str = "usage: shown_members EVERY MEMBERS PROFILES PATH…";

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [every, count, names, paths @ ..] = args.as_slice() else {
        return Err(io::Error::other(USAGE));
    };
    let number = |text: &String| text.parse::<usize>().map_err(|_| io::Error::other(USAGE));
    let (every, count) = (number(every)?.max(1), number(count)?);
    let profiles: Option<Vec<&Profile>> = names.split(',').map(Profile::named).collect();
    let profiles = profiles.ok_or_else(|| io::Error::other("there is no such profile"))?;
    let mut schemas = Vec::new();
    for path in paths.iter().map(Path::new) {
        if path.is_dir() {
            schemas.extend(tools(path)?.into_iter().step_by(every))
        } else {
            schemas.extend(cases(path)?)
        }
    }

    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    let mut out = BufWriter::new(io::stdout().lock());
    for (tool, schema) in schemas {
        let Ok(contract) = Contract::from_text_with(&schema, &policy) else { continue };
        // The sampler reads the document as it stands.
        if contract.set_aside().iter().any(|part| !part.is_read) {
            continue;
        }
        let members = members(&schema, &policy, count);
        for profile in &profiles {
            if let Some(row) = row(&tool, &contract, profile, &members) {
                writeln!(out, "{row}")?;
            }
        }
    }
    out.flush()
}

fn row(tool: &str, contract: &Contract, profile: &Profile, members: &[String]) -> Option<Value> {
    let shown = contract.publish(profile, RootPolicy::Stated).ok()?.advertised;
    let renamed = shown.decode.iter().any(|step| !matches!(step, DecodeStep::NullMeansAbsent { .. }));
    Some(json!({
        "tool": tool,
        "profile": profile.name,
        "schema": shown.schema,
        "strict": shown.is_strict,
        "renamed": renamed,
        "members": members,
    }))
}

/// Members of a contract, by the checker's own reading of it.
fn members(schema: &str, policy: &Policy, count: usize) -> Vec<String> {
    let options = proof_options(policy);
    let options = SamplerOptions {
        unknown_keys: options.unknown_keys,
        discovered: options.discovered,
        seed: 11,
        ..SamplerOptions::default()
    };
    Sampler::new(schema, options).map(|sampler| sampler.take(count).collect()).unwrap_or_default()
}

/// Label and input schema of every tool, token by token, in the order of the files.
fn tools(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let catalog = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        read(&file, |document| {
            for tool in document.root().get("tools").into_iter().flat_map(|tools| tools.items()) {
                let name = tool.get("name").and_then(|name| name.as_str()).unwrap_or_default();
                let schema = tool.get("inputSchema").map_or("{}", |schema| schema.text()).to_owned();
                found.push((format!("{catalog}/{name}"), schema));
            }
        })?;
    }
    Ok(found)
}

/// Id and schema of every case that has one.
fn cases(file: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    read(file, |document| {
        for case in document.root().get("cases").into_iter().flat_map(|cases| cases.items()) {
            let id = case.get("id").and_then(|id| id.as_str()).unwrap_or_default();
            let schema = case.get("request").and_then(|request| request.get("schema"));
            found.extend(schema.map(|schema| (format!("case {id}"), schema.text().to_owned())));
        }
    })?;
    Ok(found)
}

fn read(file: &Path, visit: impl FnOnce(&Document<'_>)) -> io::Result<()> {
    let limits = Limits { size_max_bytes: 64 * 1024 * 1024, depth_max: 512, ..Limits::default() };
    let text = std::fs::read(file)?;
    let document = Document::read(&text, Strictness::Frame, &limits)
        .map_err(|fault| io::Error::other(format!("{}: {fault:?}", file.display())))?;
    visit(&document);
    Ok(())
}
