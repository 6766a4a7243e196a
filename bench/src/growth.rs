//! How the cost grows with the arguments and with the members of a union: instructions for each of them must not grow.

use crate::counting::instructions;
use crate::report::{Section, Verdict, count, ratio};
use crate::work::{CHECK, COMPILE, REFUSE};
use std::fmt::Write as _;

/// A column of a table.
struct Column {
    title: &'static str,
    family: &'static str,
    operation: &'static str,
    /// Repetitions that are counted: enough that what compiling costs, which varies a little, does not show.
    times: fn(usize) -> usize,
}

const fn arguments(title: &'static str, family: &'static str, operation: &'static str) -> Column {
    Column { title, family, operation, times: |size| (2_000 / size).clamp(1, 50) }
}

const ARGUMENTS: [Column; 5] = [
    arguments("list, admitted", "items", CHECK),
    arguments("list, an edit an item", "edits", CHECK),
    arguments("list, a fault an item", "items", REFUSE),
    arguments("map of undeclared keys, admitted", "map", CHECK),
    arguments("map, a fault a key", "map", REFUSE),
];

const COMPILING: [Column; 1] =
    [Column { title: "compile", family: "union", operation: COMPILE, times: |size| (1_000 / size).clamp(2, 50) }];

const CALLING: [Column; 2] = [
    Column { title: "strict read + check", family: "union", operation: CHECK, times: |_| 5_000 },
    Column { title: "full refusal", family: "union", operation: REFUSE, times: |_| 500 },
];

/// Growth that is still called flat: from the second size of a table to its last.
const FLAT_MAX: f64 = 1.5;

/// What a table's figures are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// The cost of one item: flat where the whole is linear.
    Each,
    /// The cost of a call.
    Call,
}

pub fn section() -> Section {
    let mut section =
        Section { title: "Growth", command: "toolgate-bench growth", text: String::new(), verdicts: Vec::new() };
    section.text.push_str("Instructions for each item or key; flat is linear growth of the whole.\n\n");
    table("items", Unit::Each, &[10, 100, 1_000, 10_000], &ARGUMENTS, &mut section);
    section.text.push_str("\nInstructions for each member of a union.\n\n");
    table("union members", Unit::Each, &[10, 100, 1_000], &COMPILING, &mut section);
    section.text.push_str("\nInstructions for one call with one value of the union.\n\n");
    table("union members", Unit::Call, &[10, 100, 1_000], &CALLING, &mut section);
    section
}

fn table(of: &str, unit: Unit, sizes: &[usize], columns: &[Column], section: &mut Section) {
    let titles: Vec<_> = columns.iter().map(|column| column.title).collect();
    let _ = writeln!(section.text, "| {of} | {} |\n|---{}|", titles.join(" | "), "|---".repeat(columns.len()));
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for size in sizes {
        let row: Vec<f64> = columns.iter().map(|column| cost(column, unit, *size)).collect();
        let shown: Vec<_> = row.iter().map(|cost| count(*cost)).collect();
        let _ = writeln!(section.text, "| {size} | {} |", shown.join(" | "));
        rows.push(row);
    }
    let ([_, second, .., largest], [_, before, .., after]) = (sizes, rows.as_slice()) else { return };
    // Of a call no more than linear growth is asked; looking a tag up grows less.
    let growth_max = if unit == Unit::Each { FLAT_MAX } else { (largest / second) as f64 };
    for (column, (before, after)) in columns.iter().zip(before.iter().zip(after)) {
        let counted = if unit == Unit::Each { "cost of one" } else { "cost of a call" };
        let what = format!("{}: growth of the {counted}, from {second} to {largest} {of}", column.title);
        section.verdicts.push(Verdict::at_most(what, after / before, growth_max, ratio));
    }
}

fn cost(column: &Column, unit: Unit, size: usize) -> f64 {
    let shape = format!("{} {size}", column.family);
    let whole = instructions(&shape, column.operation, (column.times)(size)).unwrap_or(f64::NAN);
    if unit == Unit::Each { whole / size as f64 } else { whole }
}
