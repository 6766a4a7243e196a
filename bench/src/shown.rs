//! What showing a tool costs: compile, advertise, prove, for single shapes, the largest real tool and all catalogues, and how it
//! grows with the members of a union.

use crate::counting::median;
use crate::report::{Section, Verdict, ratio};
use crate::shapes;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use toolgate::json::{Document, Strictness};
use toolgate::{Contract, Limits, Origin, Policy, Profile, RootPolicy, Verdict as Proven, proof_options};

/// Times of one schema, in microseconds.
struct Times {
    compile: f64,
    advertise: f64,
    prove: f64,
    bytes: usize,
}

const ROUNDS: usize = 15;

pub fn section() -> Section {
    let mut section =
        Section { title: "What is shown", command: "toolgate-bench shown", text: String::new(), verdicts: Vec::new() };
    section.text.push_str(
        "Microseconds under the profile `portable`, the median of 15 batches; *parse* is the same schema text as a \
         `serde_json::Value`, in the same run.\n\n\
         | schema | bytes | parse | compile | advertise | prove | bytes shown |\n|---|---|---|---|---|---|---|\n",
    );
    let policy = Policy::default();
    let union = shapes::find("union 12");
    for shape in [shapes::find("5 scalars"), shapes::find("12-variant union")] {
        row(&shape.name, &shape.schema, &policy, &mut section);
    }
    let times = measured(&union.schema, &policy);
    section.verdicts.push(goal("12-variant union: advertise, µs (30 wanted)", times.advertise, 100.0));
    section.verdicts.push(goal("12-variant union: prove, µs", times.prove, 200.0));
    growth(&mut section);
    catalogues(&mut section);
    section
}

fn goal(what: &str, measured: f64, goal: f64) -> Verdict {
    Verdict::at_most(what, measured, goal, |figure| format!("{figure:.1}"))
}

fn row(name: &str, schema: &str, policy: &Policy, section: &mut Section) {
    let times = measured(schema, policy);
    let parse = batch(schema.len(), || {
        black_box(serde_json::from_str::<serde_json::Value>(black_box(schema)).expect("a schema is JSON"));
    });
    let _ = writeln!(
        section.text,
        "| {name} | {} | {parse:.1} | {:.1} | {:.1} | {:.1} | {} |",
        schema.len(),
        times.compile,
        times.advertise,
        times.prove,
        times.bytes
    );
}

fn measured(schema: &str, policy: &Policy) -> Times {
    let compiled = || Contract::from_text_with(black_box(schema), policy).expect("the schema compiles");
    let contract = compiled();
    let advertised = || contract.advertise(Profile::portable(), RootPolicy::Stated).expect("the contract is shown");
    let shown = advertised().schema;
    let options = proof_options(policy);
    Times {
        compile: batch(schema.len(), || drop(black_box(compiled()))),
        advertise: batch(schema.len(), || drop(black_box(advertised()))),
        prove: batch(schema.len(), || {
            let proof = toolgate_proof::prove(black_box(schema), black_box(&shown), &options).expect("both are read");
            assert_eq!(proof.verdict, Proven::Proven);
        }),
        bytes: shown.len(),
    }
}

/// Microseconds of one repetition: the median of batches of about a millisecond.
fn batch(bytes: usize, mut work: impl FnMut()) -> f64 {
    let times = (20_000 / bytes.max(1)).clamp(1, 50);
    work();
    let samples: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..times).for_each(|_| work());
            start.elapsed().as_nanos() as f64 / 1_000.0 / times as f64
        })
        .collect();
    median(&samples)
}

fn growth(section: &mut Section) {
    section.text.push_str(
        "\nMicroseconds for each member of a union.\n\n| members | compile | advertise | prove |\n|---|---|---|---|\n",
    );
    let mut whole = Vec::new();
    for members in [10, 100, 1_000] {
        let shape = shapes::find(&format!("union {members}"));
        let times = measured(&shape.schema, &Policy::default());
        let each = [times.compile, times.advertise, times.prove].map(|time| time / f64::from(members));
        let _ = writeln!(section.text, "| {members} | {:.2} | {:.2} | {:.2} |", each[0], each[1], each[2]);
        whole.push(each);
    }
    if let [_, middle, last] = whole.as_slice() {
        for (index, what) in ["compile", "advertise", "prove"].iter().enumerate() {
            let title = format!("{what}: growth of the time of one member, from 100 to 1,000");
            section.verdicts.push(Verdict::at_most(title, last[index] / middle[index], 2.0, ratio));
        }
    }
}

/// All real tools, one after the other on one core.
fn catalogues(section: &mut Section) {
    let Some(schemas) = real_schemas() else {
        section.text.push_str("\nThe catalogues of real tools are not beside this checkout.\n");
        return;
    };
    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    let mut passes = Vec::new();
    let mut proven = 0;
    for _ in 0..3 {
        let start = Instant::now();
        let published = |schema: &String| {
            let contract = Contract::from_text_with(schema, &policy).ok()?;
            contract.publish(Profile::portable(), RootPolicy::Stated).ok()
        };
        proven = schemas.iter().filter_map(published).filter(|shown| shown.proof.verdict == Proven::Proven).count();
        passes.push(start.elapsed().as_secs_f64());
    }
    let _ = writeln!(
        section.text,
        "\nAll {} real tools: {proven} compiled, advertised and proven in {:.2} s, the median of three passes.\n",
        schemas.len(),
        median(&passes)
    );
    section.verdicts.push(Verdict::at_most(
        "all real tools compiled, advertised, proven, s",
        median(&passes),
        2.0,
        ratio,
    ));
    section.text.push_str(
        "| schema | bytes | parse | compile | advertise | prove | bytes shown |\n|---|---|---|---|---|---|---|\n",
    );
    let compiles = |schema: &&String| Contract::from_text_with(schema, &policy).is_ok();
    if let Some(largest) = schemas.iter().filter(compiles).max_by_key(|schema| schema.len()) {
        row("the largest real tool", largest, &policy, section);
    }
}

fn real_schemas() -> Option<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/catalogs");
    let mut files: Vec<_> = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut schemas = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let text = std::fs::read(file).ok()?;
        let limits = Limits { size_max_bytes: 64 * 1024 * 1024, depth_max: 512, ..Limits::default() };
        let document = Document::read(&text, Strictness::Frame, &limits).ok()?;
        let tools = document.root().get("tools")?;
        schemas
            .extend(tools.items().map(|tool| tool.get("inputSchema").map_or("{}", |schema| schema.text()).to_owned()));
    }
    Some(schemas)
}
