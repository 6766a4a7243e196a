//! The official JSON-Schema-Test-Suite, required files of draft-07 and 2020-12, used where it lies: the evaluator gives the
//! expected answers, every schema is within itself or unknown, and where one schema of a file is called within another, every
//! value of the file agrees.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolgate_proof::{Dialect, Options, UnknownKeys, Verdict, prove};

struct Group {
    name: String,
    schema: Value,
    /// Data and whether the schema admits it.
    tests: Vec<(Value, bool)>,
}

fn suite() -> Option<PathBuf> {
    let given = std::env::var_os("TOOLGATE_SUITE").map(PathBuf::from);
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/evidence/json-schema-test-suite");
    let path = given.unwrap_or(default);
    if path.join("tests").is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("TOOLGATE_NO_SKIP").is_none(), "the official suite is not there and nothing may skip");
    println!("skipped: the official suite is not there; `cargo xtask test` fetches it");
    None
}

fn files(folder: &str) -> Option<Vec<(String, Vec<Group>)>> {
    let folder = suite()?.join("tests").join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let group = |group: &Value| Group {
        name: group["description"].as_str().unwrap().to_owned(),
        schema: group["schema"].clone(),
        tests: group["tests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|test| (test["data"].clone(), test["valid"].as_bool().unwrap()))
            .collect(),
    };
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let groups: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        (name, groups.as_array().unwrap().iter().map(group).collect())
    };
    Some(paths.into_iter().map(read).collect())
}

fn options(dialect: Dialect, schema: &Value) -> Options {
    // A schema that names its dialect is read in that.
    let names_dialect = schema.get("$schema").is_some();
    Options {
        unknown_keys: UnknownKeys::AsWritten,
        any_root: true,
        dialect: (!names_dialect).then_some(dialect),
        ..Options::default()
    }
}

/// The verdict on one value as the whole contract.
fn admits(schema: &Value, data: &Value, dialect: Dialect) -> Result<Verdict, String> {
    let contract = json!({ "const": data }).to_string();
    let mut options = options(dialect, schema);
    if options.dialect.is_none() {
        options.dialect = Some(dialect);
    }
    prove(&contract, &schema.to_string(), &options).map(|proof| proof.verdict).map_err(|unreadable| unreadable.why)
}

/// Why a schema cannot be asked: what it needs is not in it.
const ELSEWHERE: [&str; 3] =
    ["names another document", "names no dialect that is known", "names nothing in the document"];

fn agreement(folder: &str, dialect: Dialect) {
    let Some(files) = files(folder) else { return };
    let (mut agreed, mut elsewhere, mut unknown, mut faults) = (0, 0, Vec::new(), Vec::new());
    // Its schemas are in a dialect of their own, which is a document elsewhere.
    for (file, groups) in files.iter().filter(|(file, _)| file != "vocabulary.json") {
        for group in groups {
            for (data, valid) in &group.tests {
                let told = || format!("{file}: {}: {data} (expected {valid})", group.name);
                match admits(&group.schema, data, dialect) {
                    Ok(Verdict::Proven) if *valid => agreed += 1,
                    Ok(Verdict::Refuted { .. }) if !*valid => agreed += 1,
                    // The other validator may not hold the number, or not have the schema; never is it the wrong way round.
                    Ok(Verdict::Unknown { keyword, .. }) => unknown.push(format!("{keyword} {}", told())),
                    Err(why) if ELSEWHERE.contains(&why.as_str()) => elsewhere += 1,
                    Ok(verdict) => faults.push(format!("{}: {verdict:?}", told())),
                    Err(why) => faults.push(format!("{}: {why}", told())),
                }
            }
        }
    }
    println!(
        "{folder}: {agreed} agree, {} unknown, {elsewhere} about other documents, {} disagree",
        unknown.len(),
        faults.len()
    );
    unknown.iter().for_each(|unknown| println!("  unknown {unknown}"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(agreed > 800 && unknown.len() * 25 < agreed, "{} unknown", unknown.len());
}

#[test]
fn the_evaluator_answers_draft_07_as_expected() {
    agreement("draft7", Dialect::Draft7);
}

#[test]
fn the_evaluator_answers_2020_12_as_expected() {
    agreement("draft2020-12", Dialect::Draft202012);
}

fn pairs(folder: &str, dialect: Dialect) {
    let Some(mut files) = files(folder) else { return };
    // All against all is a matter of minutes, for whoever asks.
    if std::env::var_os("TOOLGATE_PROOF_ALL").is_some() {
        let all = files.into_iter().flat_map(|(_, groups)| groups).collect();
        files = vec![("all files".to_owned(), all)];
    }
    let (mut proven, mut refuted, mut unknown, mut own, mut own_unknown) = (0, 0, 0, 0, Vec::new());
    for (file, groups) in &files {
        let data: Vec<&Value> = groups.iter().flat_map(|group| group.tests.iter().map(|(data, _)| data)).collect();
        let draft = match dialect {
            Dialect::Draft7 => jsonschema::Draft::Draft7,
            _ => jsonschema::Draft::Draft202012,
        };
        let validator = |group: &Group| {
            jsonschema::options().with_draft(draft).should_validate_formats(false).build(&group.schema).ok()
        };
        // What each schema says of each value, where the other validator reads the schema.
        let said: Vec<Option<Vec<bool>>> = groups
            .iter()
            .map(|group| validator(group).map(|validator| data.iter().map(|data| validator.is_valid(data)).collect()))
            .collect();
        for (one, one_said) in groups.iter().zip(&said) {
            for (other, other_said) in groups.iter().zip(&said) {
                let options = Options { dialect: Some(dialect), ..options(dialect, &one.schema) };
                let Ok(proof) = prove(&one.schema.to_string(), &other.schema.to_string(), &options) else { continue };
                let is_own = std::ptr::eq(one, other);
                match proof.verdict {
                    Verdict::Proven => {
                        proven += 1;
                        own += usize::from(is_own);
                        let (Some(one_said), Some(other_said)) = (one_said, other_said) else { continue };
                        let wrong = one_said.iter().zip(other_said).position(|(one, other)| *one && !other);
                        assert!(
                            wrong.is_none(),
                            "{file}: {} called within {}, and {} tells them apart\n{}\n{}",
                            one.name,
                            other.name,
                            data[wrong.unwrap()],
                            one.schema,
                            other.schema
                        );
                    }
                    Verdict::Refuted { counterexample, .. } => {
                        refuted += 1;
                        assert!(!is_own, "{file}: {} refuted against itself by {counterexample}", one.name);
                    }
                    _ => {
                        unknown += 1;
                        if is_own {
                            own_unknown.push(format!("{file}: {}", one.name));
                        }
                    }
                }
            }
        }
    }
    println!(
        "{folder}: pairs of one file: {proven} proven, {refuted} refuted, {unknown} unknown; {own} within themselves"
    );
    own_unknown.iter().for_each(|name| println!("  unknown within itself: {name}"));
    assert!(proven > 300 && refuted > 300);
}

#[test]
fn pairs_of_draft_07_are_told_apart_rightly() {
    pairs("draft7", Dialect::Draft7);
}

#[test]
fn pairs_of_2020_12_are_told_apart_rightly() {
    pairs("draft2020-12", Dialect::Draft202012);
}
