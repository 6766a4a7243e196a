//! What the guard adds to a call: the same calls to the bare server, through a bare line relay and through the guard, in
//! turns, so that what else the machine does falls on all three.

use crate::counting::{median, quantile};
use crate::report::{Section, Verdict};
use crate::session::Session;
use crate::shapes::{self, Shape};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each with processes of its own: where the system puts a process matters as much as what it does, and stays.
const SETS: usize = 9;
/// In a turn every way has its calls; short, so that what else the machine does falls on all.
const TURNS: usize = 25;
const CALLS: usize = 20;
/// The same for the call of 200 kB.
const LARGE_CALLS: usize = 2;
const WARM_UP: usize = 50;

const WAYS: [&str; 4] = ["bare server", "bare line relay", "guard", "guard, a refused call"];

/// Microseconds of the ways in one set of processes.
struct Set {
    medians: [f64; WAYS.len()],
    tails: [f64; WAYS.len()],
    /// Memory of the guard at rest and after the calls, in MB.
    at_rest: f64,
    after: f64,
}

/// The guard's program: the one named, else the one of this build, made anew where cargo started this program.
pub fn find_program(named: Option<&str>) -> Result<PathBuf, String> {
    if let Some(path) = named.map(PathBuf::from).or_else(|| std::env::var_os("TOOLGATE").map(PathBuf::from)) {
        return if path.is_file() { Ok(path) } else { Err("the program named does not exist".into()) };
    }
    if let Some(cargo) = std::env::var_os("CARGO") {
        let build = Command::new(cargo).args(["build", "--release", "--locked", "--package", "toolgate-cli"]).status();
        if !build.is_ok_and(|status| status.success()) {
            return Err("`cargo build --release --package toolgate-cli` failed".into());
        }
    }
    let beside = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
    let program = beside.map(|folder| folder.join(format!("toolgate{}", std::env::consts::EXE_SUFFIX)));
    program
        .filter(|path| path.is_file())
        .ok_or_else(|| "name the release build of `toolgate` as an argument or in TOOLGATE".into())
}

pub fn section(program: &Path) -> io::Result<Section> {
    let mut text = format!(
        "Microseconds a call, over pipes, one at a time. {SETS} sets of processes one after the other; in each the ways take \
         turns of {CALLS} calls, {TURNS} times ({LARGE_CALLS} calls of 200 kB). Figures are medians over the sets, with the \
         smallest and the largest median of a set beside; *added* is the median of the difference to the bare server in the \
         same set. The guard runs with its defaults, so it writes one record a call. The goals are for calls of usual size; \
         the call of 200 kB has none and is shown.\n"
    );
    let mut verdicts = Vec::new();
    for shape in shapes::all() {
        let sets = (0..SETS).map(|_| measure(program, &shape)).collect::<io::Result<Vec<_>>>()?;
        push_table(&shape, &sets, &mut text);
        if !is_large(&shape) {
            push_verdicts(&shape.name, &sets, &mut verdicts);
        }
    }
    Ok(Section { title: "The guard", command: "toolgate-bench guard [PATH OF toolgate]", text, verdicts })
}

fn is_large(shape: &Shape) -> bool {
    shape.good.len() > 10_000
}

/// One set: a server on its own, one behind the relay, one behind the guard.
fn measure(program: &Path, shape: &Shape) -> io::Result<Set> {
    let own = std::env::current_exe()?.to_string_lossy().into_owned();
    let through = |before: &[&str]| {
        let words = before.iter().copied().chain([own.as_str(), "upstream", &shape.name]);
        Session::start(&words.map(str::to_owned).collect::<Vec<_>>())
    };
    let mut bare = through(&[])?;
    let mut relay = through(&[&own, "relay"])?;
    let mut guard = through(&[&program.to_string_lossy(), "run", "--"])?;
    let at_rest = guard.resident_mb().unwrap_or(f64::NAN);
    let calls = if is_large(shape) { LARGE_CALLS } else { CALLS };
    let mut samples: [Vec<f64>; WAYS.len()] = Default::default();
    for turn in 0..TURNS + WARM_UP.div_ceil(CALLS) {
        let is_counted = turn >= WARM_UP.div_ceil(CALLS);
        for (way, samples) in samples.iter_mut().enumerate() {
            for _ in 0..calls {
                let us = match way {
                    0 => bare.call(&shape.good)?,
                    1 => relay.call(&shape.good)?,
                    2 => guard.call(&shape.good)?,
                    _ => guard.refused_call(&shape.bad)?,
                };
                if is_counted {
                    samples.push(us);
                }
            }
        }
    }
    Ok(Set {
        medians: samples.each_ref().map(|samples| median(samples)),
        tails: samples.each_ref().map(|samples| quantile(samples, 0.99)),
        at_rest,
        after: guard.resident_mb().unwrap_or(f64::NAN),
    })
}

/// A figure of every set, and the median of them.
fn over(sets: &[Set], figure: impl Fn(&Set) -> f64) -> f64 {
    median(&sets.iter().map(figure).collect::<Vec<_>>())
}

/// What a way adds to a call; not a number where it seems to add nothing, which says that the machine was not quiet enough.
fn added(sets: &[Set], way: usize) -> f64 {
    let added = over(sets, |set| set.medians[way] - set.medians[0]);
    if added > 0.0 { added } else { f64::NAN }
}

fn push_table(shape: &Shape, sets: &[Set], text: &mut String) {
    let _ = writeln!(text, "\n### {} ({} B of arguments)\n", shape.name, shape.good.len());
    text.push_str("| way | median | of the sets | p99 | added |\n|---|---|---|---|---|\n");
    for (way, name) in WAYS.iter().enumerate() {
        let medians: Vec<_> = sets.iter().map(|set| set.medians[way]).collect();
        let (least, most) = (quantile(&medians, 0.0), quantile(&medians, 1.0));
        let added = if way == 0 { "–".into() } else { format!("{:.1}", added(sets, way)) };
        let (middle, tail) = (median(&medians), over(sets, |set| set.tails[way]));
        let _ = writeln!(text, "| {name} | {middle:.1} | {least:.1} to {most:.1} | {tail:.1} | {added} |");
    }
    let (at_rest, after) = (over(sets, |set| set.at_rest), over(sets, |set| set.after));
    let _ = writeln!(
        text,
        "\nMemory of the guard: {at_rest:.1} MB after `initialize` and `tools/list`, {after:.1} MB after the calls."
    );
}

fn push_verdicts(shape: &str, sets: &[Set], verdicts: &mut Vec<Verdict>) {
    let (relay, guard) = (added(sets, 1), added(sets, 2));
    let us = |us: f64| format!("{us:.1} µs");
    verdicts.push(Verdict::at_most(format!("{shape}: median added by the guard"), guard, 60.0, us));
    let times = |times: f64| format!("{times:.2} times");
    verdicts.push(Verdict::at_most(
        format!("{shape}: that, of what the bare line relay adds"),
        guard / relay,
        3.0,
        times,
    ));
    let mb = |mb: f64| format!("{mb:.1} MB");
    verdicts.push(Verdict::at_most(format!("{shape}: memory at rest"), over(sets, |set| set.at_rest), 15.0, mb));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bare: f64, guard: f64) -> Set {
        Set { medians: [bare, bare + 1.0, guard, guard], tails: [0.0; WAYS.len()], at_rest: 1.0, after: 1.0 }
    }

    #[test]
    fn one_set_that_fell_badly_does_not_decide() {
        let sets = [set(4.0, 15.0), set(45.0, 19.0), set(4.0, 16.0)];
        assert_eq!(added(&sets, 2), 11.0);
    }

    #[test]
    fn what_seems_to_cost_nothing_was_not_measured() {
        let mut verdicts = Vec::new();
        push_verdicts("x", &[set(45.0, 19.0)], &mut verdicts);
        assert_eq!(verdicts[0].is_met, None);
        assert_eq!(verdicts[1].is_met, None);
    }
}
