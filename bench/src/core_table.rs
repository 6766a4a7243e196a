//! The core against parsing alone and against other validators: instructions, allocations and times, as ratios in one run.

use crate::counting::{allocations, instructions, median, times};
use crate::report::{Section, Verdict, count, ratio};
use crate::shapes::{self, Shape};
use crate::work::{CHECK, COMPILE, OPERATIONS, PARSE, READ, REFUSE, REFUSE_ONE, work};
use std::fmt::Write as _;

/// The table is made twice over and the medians of both are shown.
const PASSES: usize = 2;
const ROUNDS: usize = 15;

/// What one operation costs.
struct Cost {
    operation: &'static str,
    instructions: f64,
    allocations: usize,
    ns: f64,
}

pub fn section() -> Section {
    let mut text = String::from(
        "*Check alone* is the difference of `strict read + check` and `strict read`. \
         *Of parse* is against the first row, *ns* the median of 30 batches. Counting \
         makes each allocation a dozen instructions dearer, in all rows.\n",
    );
    let mut verdicts = Vec::new();
    for shape in shapes::all() {
        let costs = costs(&shape);
        push_table(&shape, &costs, &mut text);
        push_verdicts(&shape.name, &costs, &mut verdicts);
    }
    Section { title: "The core", command: "toolgate-bench core", text, verdicts }
}

fn costs(shape: &Shape) -> Vec<Cost> {
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); OPERATIONS.len()];
    for _ in 0..PASSES {
        for (operation, samples) in OPERATIONS.iter().zip(&mut samples) {
            samples.extend(times(&mut work(shape, operation), shape, ROUNDS));
        }
    }
    let cost = |(operation, samples): (&&'static str, &Vec<f64>)| {
        let counted = (0..PASSES).filter_map(|_| instructions(&shape.name, operation, shape.batch() / 10));
        Cost {
            operation,
            instructions: median(&counted.collect::<Vec<_>>()),
            allocations: allocations(&mut work(shape, operation)),
            ns: median(samples),
        }
    };
    OPERATIONS.iter().zip(&samples).map(cost).collect()
}

fn push_table(shape: &Shape, costs: &[Cost], text: &mut String) {
    let parse = find(costs, PARSE);
    let _ = writeln!(
        text,
        "\n### {} ({} B of schema, {} B of arguments)\n",
        shape.name,
        shape.schema.len(),
        shape.good.len()
    );
    text.push_str("| operation | instructions | of parse | allocations | ns | of parse |\n|---|---|---|---|---|---|\n");
    for cost in costs {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.0} | {:.2} |",
            cost.operation,
            count(cost.instructions),
            ratio(cost.instructions / parse.instructions),
            cost.allocations,
            cost.ns,
            cost.ns / parse.ns
        );
    }
    let of_check = |operation: &str| ratio(find(costs, operation).instructions / find(costs, CHECK).instructions);
    let _ = writeln!(
        text,
        "\nOf strict read + check, a refusal takes {} times as much where many members are wrong, and {} times as much where \
         one is.",
        of_check(REFUSE),
        of_check(REFUSE_ONE)
    );
}

fn push_verdicts(shape: &str, costs: &[Cost], verdicts: &mut Vec<Verdict>) {
    let [parse, read, check, refuse, compile] =
        [PARSE, READ, CHECK, REFUSE, COMPILE].map(|operation| find(costs, operation));
    let of_parse = check.instructions / parse.instructions;
    let mut checked = Verdict::at_most(format!("{shape}: strict read + check, of parse"), of_parse, 1.2, ratio);
    checked.goal.push_str(if of_parse <= 0.9 { " (0.9 wanted: reached)" } else { " (0.9 wanted: not reached)" });
    verdicts.push(checked);
    let alone = (check.instructions - read.instructions) / parse.instructions;
    verdicts.push(Verdict::at_most(format!("{shape}: check alone, of parse"), alone, 0.35, ratio));
    let allocated = check.allocations as f64 - read.allocations as f64;
    verdicts.push(Verdict::at_most(format!("{shape}: allocations of check alone"), allocated, 0.0, count));
    let refused = refuse.instructions / check.instructions;
    verdicts.push(Verdict::at_most(format!("{shape}: full refusal, of strict read + check"), refused, 3.0, ratio));
    verdicts.push(Verdict::at_most(format!("{shape}: compile, µs"), compile.ns / 1_000.0, 1_000.0, |us| {
        format!("{us:.1}")
    }));
}

fn find<'c>(costs: &'c [Cost], operation: &str) -> &'c Cost {
    costs.iter().find(|cost| cost.operation == operation).expect("every operation is measured")
}
