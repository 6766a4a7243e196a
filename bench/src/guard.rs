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

const ROUNDS: usize = 20;
/// Calls of one route in one round.
const CALLS: usize = 250;
/// The same for the call of 200 kB.
const LARGE_CALLS: usize = 25;
const WARM_UP: usize = 50;

/// One way to the server: the median and the 99th percentile of each round, in microseconds.
struct Route {
    name: &'static str,
    session: Session,
    medians: Vec<f64>,
    tails: Vec<f64>,
}

impl Route {
    fn start(name: &'static str, command: &[String]) -> io::Result<Self> {
        Ok(Route { name, session: Session::start(command)?, medians: Vec::new(), tails: Vec::new() })
    }

    fn round(&mut self, calls: usize, arguments: &str) -> io::Result<()> {
        let samples = (0..calls).map(|_| self.session.call(arguments)).collect::<io::Result<Vec<_>>>()?;
        self.medians.push(median(&samples));
        self.tails.push(quantile(&samples, 0.99));
        Ok(())
    }

    /// How much more than `bare` the median of a round is, as the median over the rounds.
    fn added(&self, bare: &Route) -> f64 {
        let added: Vec<_> = self.medians.iter().zip(&bare.medians).map(|(with, without)| with - without).collect();
        median(&added)
    }
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
        "Microseconds a call, over pipes, one at a time. Each figure is the median over {ROUNDS} rounds; in a round every way \
         has its {CALLS} calls in turn ({LARGE_CALLS} of the 200 kB call). *Added* is the median over the rounds of the \
         difference to the bare server in the same round. The guard runs with its defaults, so it writes one record a call.\n"
    );
    let mut verdicts = Vec::new();
    for shape in shapes::all() {
        measure(program, &shape, &mut text, &mut verdicts)?;
    }
    Ok(Section { title: "The guard", command: "toolgate-bench guard [PATH OF toolgate]", text, verdicts })
}

fn measure(program: &Path, shape: &Shape, text: &mut String, verdicts: &mut Vec<Verdict>) -> io::Result<()> {
    let own = std::env::current_exe()?.to_string_lossy().into_owned();
    let upstream = vec![own.clone(), "upstream".into(), shape.name.clone()];
    let through =
        |before: &[&str]| before.iter().map(|word| (*word).to_owned()).chain(upstream.clone()).collect::<Vec<_>>();
    let guard = program.to_string_lossy();
    let mut routes = [
        Route::start("bare server", &upstream)?,
        Route::start("bare line relay", &through(&[&own, "relay"]))?,
        Route::start("guard", &through(&[&guard, "run", "--"]))?,
    ];
    let at_rest = routes[2].session.resident_mb().unwrap_or(f64::NAN);
    let is_large = shape.good.len() > 10_000;
    for route in &mut routes {
        for _ in 0..if is_large { LARGE_CALLS } else { WARM_UP } {
            route.session.call(&shape.good)?;
        }
    }
    for round in 0..ROUNDS {
        // No way is always the first after another.
        routes.rotate_left(round % 2);
        for route in &mut routes {
            route.round(if is_large { LARGE_CALLS } else { CALLS }, &shape.good)?;
        }
        routes.sort_by_key(|route| {
            ["bare server", "bare line relay", "guard"].iter().position(|name| *name == route.name)
        });
    }
    let refused = (0..if is_large { LARGE_CALLS } else { CALLS }).map(|_| routes[2].session.refused_call(&shape.bad));
    let refused = refused.collect::<io::Result<Vec<_>>>()?;
    let [bare, relay, guard] = &routes;
    let _ = writeln!(text, "\n### {} ({} B of arguments)\n", shape.name, shape.good.len());
    text.push_str("| way | median | p99 | added |\n|---|---|---|---|\n");
    for route in &routes {
        let added = if route.name == bare.name { "–".into() } else { format!("{:.1}", route.added(bare)) };
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.1} | {added} |",
            route.name,
            median(&route.medians),
            median(&route.tails)
        );
    }
    let (refused, refused_tail) = (median(&refused), quantile(&refused, 0.99));
    let _ = writeln!(text, "| guard, a refused call | {refused:.1} | {refused_tail:.1} | |");
    let after = guard.session.resident_mb().unwrap_or(f64::NAN);
    let _ = writeln!(
        text,
        "\nMemory of the guard: {at_rest:.1} MB after `initialize` and `tools/list`, {after:.1} MB after the calls."
    );
    if !is_large {
        let us = |us: f64| format!("{us:.1} µs");
        let times = |times: f64| format!("{times:.2} times");
        verdicts.push(Verdict::at_most(
            format!("{}: median added by the guard", shape.name),
            guard.added(bare),
            60.0,
            us,
        ));
        let of_relay = guard.added(bare) / relay.added(bare);
        verdicts.push(Verdict::at_most(
            format!("{}: that, of what the bare line relay adds", shape.name),
            of_relay,
            3.0,
            times,
        ));
        let mb = |mb: f64| format!("{mb:.1} MB");
        verdicts.push(Verdict::at_most(format!("{}: memory at rest", shape.name), at_rest, 15.0, mb));
    }
    Ok(())
}
