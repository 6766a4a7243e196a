//! Everything that CI runs, as one command without a shell: `cargo xtask test`, `cargo xtask check` and their kin.
//!
//! A command is a list of steps. Each step says what it does, all of them run even where one fails, and the last line
//! counts them. A step whose tool is missing is skipped by name, unless `--no-skip` forbids it.

mod advisories;
mod architecture;
mod bench;
mod bless;
mod book;
mod check;
mod compare;
mod docs;
mod evidence;
mod full;
mod links;
mod outside;
mod package;
mod step;
mod suite;
mod test;
mod workspace;

use std::process::ExitCode;
use step::Report;
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND [--no-skip]

  test           all tests: Rust, shared cases, smuggled frames, real servers
  evidence       of these only what drives the built program from outside
  full           the long forms of tests that otherwise take a sample: every real tool under every profile, as a table
  check          format, clippy, architecture, licences, generated files, API docs, and then all of `test`
  check --static the same without `test`
  bless          accepts the snapshots and golden files as the code now makes them
  docs           writes docs/reference/ and docs/llms.txt
  docs --check   says whether they are what `docs` would write
  book           builds docs/ into target/book/ with mdBook, and looks at every link
  bench          measures; prints what stands in bench/RESULTS.md
  package        the packages by which people get the program, into target/package/, each installed and tried
  package --profile dev  the same of a program that is built fast; `test` does it
  compare        the same jobs for toolgate and for other command-line clients; writes docs/comparison.md (needs network)
  fetch-suite    unpacks the official JSON Schema test suite under target/evidence/
  advisories     asks the advisory database about the dependencies (needs network)

  --no-skip      a missing tool is a failure; the same as TOOLGATE_NO_SKIP=1

environment
  TOOLGATE_SHARED  folder with further cases to run (default ../shared; `none` where there is none)
  TOOLGATE_SUITE   folder of the JSON Schema test suite (default target/evidence/json-schema-test-suite)
  TOOLGATE_PYTHON  Python with the packages of tests/requirements.txt (default .venv/bin/python, then python3)
";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let before = words.len();
    words.retain(|word| word != "--no-skip");
    let no_skip = words.len() < before || std::env::var_os("TOOLGATE_NO_SKIP").is_some_and(|value| value == "1");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();

    let workspace = match Workspace::find() {
        Ok(workspace) => workspace,
        Err(why) => return step::complain(&why),
    };
    let mut report = Report::new(no_skip);
    match words.as_slice() {
        ["test"] => test::run(&workspace, &mut report),
        ["evidence"] => test::evidence(&workspace, &mut report),
        ["full"] => full::run(&workspace, &mut report),
        ["check"] => {
            check::run(&workspace, &mut report);
            test::run(&workspace, &mut report);
        }
        ["check", "--static"] => check::run(&workspace, &mut report),
        ["bless"] => bless::run(&workspace, &mut report),
        ["docs"] => docs::write(&workspace, &mut report),
        ["docs", "--check"] => docs::compare(&workspace, &mut report),
        ["book"] => book::check(&workspace, &mut report),
        ["bench"] => bench::run(&workspace, &mut report),
        ["package"] => package::run(&workspace, &mut report, "dist"),
        ["package", "--profile", profile] => package::run(&workspace, &mut report, profile),
        ["compare"] => compare::run(&workspace, &mut report),
        ["fetch-suite"] => suite::fetch(&workspace, &mut report),
        ["advisories"] => advisories::run(&workspace, &mut report),
        [] | ["help" | "--help" | "-h"] => {
            step::say(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            step::say(USAGE);
            return ExitCode::from(64);
        }
    }
    report.close()
}
