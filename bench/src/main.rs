//! Measures the core and the guard: instructions (under callgrind, from the difference of two run lengths), allocations,
//! and times as ratios in one run. Without arguments it makes `bench/RESULTS.md` again.

mod core_table;
mod counting;
mod growth;
mod guard;
mod in_process;
mod node;
mod report;
mod results;
mod session;
mod shapes;
mod shown;
mod upstream;
mod work;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const USAGE: &str =
    "usage: toolgate-bench [results | core | growth | shown | guard [PATH OF toolgate] | in-process | node | shapes]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), String> {
    let words: Vec<_> = args.iter().map(String::as_str).collect();
    let section = match words.as_slice() {
        [] | ["results"] => return results::write(),
        ["core"] => core_table::section(),
        ["growth"] => growth::section(),
        ["shown"] => shown::section(),
        ["guard", rest @ ..] => {
            let program = guard::find_program(rest.first().copied())?;
            guard::section(&program).map_err(|error| error.to_string())?
        }
        ["in-process"] => in_process::section(),
        ["node"] => node::section(),
        ["shapes"] => {
            println!("{}", shapes::to_json());
            return Ok(());
        }
        // What the others start: not for people.
        ["repeat", shape, operation, times] => {
            counting::repeat(shape, operation, times.parse().map_err(|_| USAGE)?);
            return Ok(());
        }
        ["upstream", shape] => return upstream::serve(shape).map_err(|error| error.to_string()),
        ["relay", ..] => return upstream::relay(&args[1..]).map_err(|error| error.to_string()),
        _ => return Err(USAGE.into()),
    };
    print!("{}", section.to_markdown());
    Ok(())
}
