//! Makes `bench/RESULTS.md` again: every table, the machine, and how each goal stands.

use crate::report::{Section, verdict_table};
use crate::{core_table, growth, guard, in_process, node, shown};
use std::path::Path;
use std::process::Command;

/// Runs everything and writes the page. Some minutes.
pub fn write() -> Result<(), String> {
    let program = guard::find_program(None)?;
    let before = load();
    let sections = [
        core_table::section(),
        growth::section(),
        shown::section(),
        guard::section(&program).map_err(|error| format!("the guard: {error}"))?,
        in_process::section(),
        node::section(),
    ];
    let page = page(&sections, &format!("{before} before and {} after", load()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    std::fs::write(&path, &page).map_err(|error| format!("RESULTS.md: {error}"))?;
    println!("{page}");
    Ok(())
}

fn page(sections: &[Section], load: &str) -> String {
    let machine = [
        ("Date", said_by("date", &["-u", "+%Y-%m-%d"])),
        ("Commit", commit()),
        ("Machine", machine()),
        ("Kernel", said_by("uname", &["-sr"])),
        ("Compiler", said_by("rustc", &["--version"])),
        ("Node", said_by("node", &["--version"])),
        ("Load (1, 5, 15 minutes)", load.to_owned()),
    ];
    let machine: Vec<_> = machine.into_iter().map(|(name, value)| format!("| {name} | {value} |\n")).collect();
    let verdicts: Vec<_> = sections.iter().flat_map(|section| &section.verdicts).collect();
    let missed = verdicts.iter().filter(|verdict| verdict.is_met == Some(false)).count();
    let unknown = verdicts.iter().filter(|verdict| verdict.is_met.is_none()).count();
    let mut page = format!(
        "# Results\n\n\
         Made by `cargo xtask bench`, not by hand; what is not met stands here as such. The machine is shared: the counts of \
         instructions and allocations are the figures to trust, times are there as ratios within one run.\n\n\
         | | |\n|---|---|\n{}\n\
         {} goals: {} met, {missed} not met, {unknown} not measured. The build is a plain release build, without LTO.\n\n\
         ## Goals\n\n",
        machine.concat(),
        verdicts.len(),
        verdicts.len() - missed - unknown,
    );
    for section in sections.iter().filter(|section| !section.verdicts.is_empty()) {
        page.push_str(&format!("**{}**\n\n{}\n", section.title, verdict_table(&section.verdicts)));
    }
    for section in sections {
        let without_goals = Section { verdicts: Vec::new(), text: section.text.clone(), ..*section };
        page.push_str(&without_goals.to_markdown());
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// What a command prints; a dash where it cannot be run.
fn said_by(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "–".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}

fn commit() -> String {
    let is_changed = !said_by("git", &["status", "--porcelain", "--", "../crates", "src"]).is_empty();
    let changed = if is_changed { " and changes" } else { "" };
    format!("{}{changed}", said_by("git", &["rev-parse", "--short", "HEAD"]))
}

fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    format!("{}, {cores} cores", model.map_or("a processor without a name", |(_, name)| name))
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<_> = load.split(' ').take(3).collect();
    averages.join(", ")
}
