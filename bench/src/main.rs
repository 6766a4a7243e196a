//! Measures the core: instructions (under callgrind, from the difference of two run lengths), allocations, and times as
//! ratios in one run. Prints Markdown tables for `bench/RESULTS.md`.

mod shapes;

use boon::{Compiler, Schemas};
use serde_json::Value;
use shapes::Shape;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use toolgate::json::{Document, Strictness};
use toolgate::{Arguments, Contract, Limits};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// One thing that is measured, ready to be repeated.
type Work<'a> = Box<dyn FnMut() + 'a>;

const OPERATIONS: [&str; 9] = [
    "parse (serde_json::Value)",
    "strict read",
    "strict read + check",
    "full refusal",
    "compile",
    "jsonschema is_valid",
    "jsonschema all errors",
    "boon validate",
    "boon errors",
];

fn work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    let contract = Contract::compile(&shape.schema).expect("the shapes compile");
    let schema_text = shape.schema.to_string();
    let limits = Limits::default();
    match operation {
        "parse (serde_json::Value)" => Box::new(|| {
            black_box(serde_json::from_str::<Value>(black_box(&shape.good)).expect("JSON"));
        }),
        "strict read" => Box::new(move || {
            black_box(Document::read_str(black_box(&shape.good), Strictness::Strict, &limits).expect("JSON"));
        }),
        "strict read + check" => Box::new(move || {
            black_box(contract.check(Arguments::from_text(black_box(&shape.good))).expect("admitted"));
        }),
        "full refusal" => Box::new(move || {
            black_box(contract.check(Arguments::from_text(black_box(&shape.bad))).expect_err("refused").text());
        }),
        "compile" => Box::new(move || {
            black_box(Contract::from_text(black_box(&schema_text)).expect("compiles"));
        }),
        "jsonschema is_valid" => {
            let validator = jsonschema::validator_for(&shape.schema).expect("compiles");
            let good: Value = serde_json::from_str(&shape.good).expect("JSON");
            Box::new(move || {
                black_box(validator.is_valid(black_box(&good)));
            })
        }
        "jsonschema all errors" => {
            let validator = jsonschema::validator_for(&shape.schema).expect("compiles");
            let bad: Value = serde_json::from_str(&shape.bad).expect("JSON");
            Box::new(move || {
                black_box(validator.iter_errors(black_box(&bad)).map(|error| error.to_string()).collect::<Vec<_>>());
            })
        }
        "boon validate" | "boon errors" => {
            let mut schemas = Schemas::new();
            let mut compiler = Compiler::new();
            compiler.add_resource("schema.json", shape.schema.clone()).expect("added");
            let index = compiler.compile("schema.json", &mut schemas).expect("compiles");
            let text = if operation == "boon validate" { &shape.good } else { &shape.bad };
            let value: Value = serde_json::from_str(text).expect("JSON");
            Box::new(move || {
                black_box(schemas.validate(black_box(&value), index).map_err(|error| error.to_string()).is_ok());
            })
        }
        other => panic!("no operation {other}"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["repeat", shape, operation, times] => repeat(shape, operation, times.parse().expect("a number")),
        ["growth"] => growth(),
        [] | ["core"] => core(),
        _ => eprintln!("usage: toolgate-bench [core|growth]"),
    }
}

fn find(name: &str) -> Shape {
    if let Some(variants) = name.strip_prefix("union ") {
        return shapes::union(variants.parse().expect("a number"));
    }
    shapes::all().into_iter().find(|shape| shape.name == name).expect("a shape")
}

fn repeat(shape: &str, operation: &str, times: usize) {
    let shape = find(shape);
    let mut work = work(&shape, operation);
    for _ in 0..times {
        work();
    }
}

/// Instructions of one repetition: the difference of two runs, so that start-up cancels out.
fn instructions(shape: &str, operation: &str, times: usize) -> Option<f64> {
    let count = |times: usize| -> Option<f64> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args(["repeat", shape, operation, &times.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
    };
    Some((count(times * 3)? - count(times)?) / (times * 2) as f64)
}

fn allocations(work: &mut Work<'_>) -> usize {
    work();
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

/// Median of `rounds` timed batches, in nanoseconds a repetition.
fn median_ns(work: &mut Work<'_>, times: usize) -> f64 {
    let mut samples: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..times {
                work();
            }
            start.elapsed().as_nanos() as f64 / times as f64
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn core() {
    for shape in shapes::all() {
        let times = if shape.good.len() > 10_000 { 5 } else { 500 };
        println!("\n### {} ({} B of schema, {} B of arguments)\n", shape.name, shape.schema.to_string().len(), shape.good.len());
        println!("| operation | instructions | of parse | allocations | ns (median) | of parse |");
        println!("|---|---|---|---|---|---|");
        let mut parse = None;
        for operation in OPERATIONS {
            let mut work = work(&shape, operation);
            let allocations = allocations(&mut work);
            let ns = median_ns(&mut work, times);
            let instructions = instructions(shape.name, operation, times / 5);
            let (parse_instructions, parse_ns) = *parse.get_or_insert((instructions.unwrap_or(f64::NAN), ns));
            let count = instructions.map_or("no valgrind".to_owned(), |count| format!("{count:.0}"));
            let ratio = instructions.map_or(String::new(), |count| format!("{:.2}", count / parse_instructions));
            println!("| {operation} | {count} | {ratio} | {allocations} | {ns:.0} | {:.2} |", ns / parse_ns);
        }
    }
}

/// How the cost grows with the arguments and with the members of a union.
fn growth() {
    println!("| union members | check: instructions | compile: instructions | refusal: instructions |");
    println!("|---|---|---|---|");
    for variants in [10, 100, 1_000] {
        let name = format!("union {variants}");
        let of = |operation: &str, times| instructions(&name, operation, times).unwrap_or(f64::NAN);
        println!("| {variants} | {:.0} | {:.0} | {:.0} |", of("strict read + check", 50), of("compile", 3), of("full refusal", 20));
    }
}
