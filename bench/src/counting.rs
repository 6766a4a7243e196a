//! Instructions under callgrind, allocations, and times of one thing that is repeated.

use crate::shapes::{self, Shape};
use crate::{ALLOCATOR, work::work};
use stats_alloc::Region;
use std::process::Command;
use std::time::Instant;

/// One thing that is measured, ready to be repeated.
pub type Work<'a> = Box<dyn FnMut() + 'a>;

/// What `toolgate-bench repeat` does: the program whose instructions are counted.
pub fn repeat(shape: &str, operation: &str, times: usize) {
    let shape = shapes::find(shape);
    let mut work = work(&shape, operation);
    for _ in 0..times {
        work();
    }
}

/// Instructions of one repetition: the difference of two runs, so that start-up cancels out. `None` without valgrind.
pub fn instructions(shape: &str, operation: &str, times: usize) -> Option<f64> {
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
    let times = times.max(1);
    Some((count(times * 3)? - count(times)?) / (times * 2) as f64)
}

/// Allocations and reallocations of one repetition, after a first one that fills what is kept.
pub fn allocations(work: &mut Work<'_>) -> usize {
    work();
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

/// Nanoseconds a repetition, of `rounds` batches.
pub fn times(work: &mut Work<'_>, shape: &Shape, rounds: usize) -> Vec<f64> {
    let times = shape.batch();
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..times {
            work();
        }
        start.elapsed().as_nanos() as f64 / times as f64
    };
    (0..rounds).map(batch).collect()
}

/// The value that `share` of the samples do not exceed.
pub fn quantile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

pub fn median(samples: &[f64]) -> f64 {
    quantile(samples, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let samples: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!((median(&samples), quantile(&samples, 0.99), quantile(&samples, 0.0)), (50.0, 99.0, 0.0));
        assert!(median(&[]).is_nan());
    }
}
