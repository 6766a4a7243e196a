//! A verdict for a person: what it says, and the call that is hidden.

use crate::input::document;
use crate::show::json::{find, lines};
use crate::show::{BAD, DIM, GOOD, WARN, page, place, visible, wrapped};
use std::fmt::Write as _;
use toolgate::{Proof, Verdict};

pub(super) fn render(proof: &Proof, width: usize) -> String {
    let (style, word) = match &proof.verdict {
        Verdict::Proven => (GOOD, "proven"),
        Verdict::Refuted { .. } => (BAD, "refuted"),
        _ => (WARN, "unknown"),
    };
    let mut out = String::new();
    for (index, line) in wrapped(&format!("{word}: {}", verdict_line(proof)), width).iter().enumerate() {
        match line.strip_prefix(word).filter(|_| index == 0) {
            Some(rest) => _ = writeln!(out, "{style}{word}{style:#}{rest}"),
            None => _ = writeln!(out, "{line}"),
        }
    }
    if let Verdict::Refuted { counterexample, location, .. } = &proof.verdict {
        out.push('\n');
        match document(counterexample) {
            Ok(call) => {
                let at = find(call.root(), location);
                lines(call.root(), page(width), at.as_deref()).iter().for_each(|line| out.extend([line, "\n"]));
            }
            Err(_) => _ = writeln!(out, "{}", visible(counterexample)),
        }
        out.push('\n');
    }
    let by = match proof.checked_by.as_slice() {
        [] => "not settled".to_owned(),
        by => format!("checked by {}", by.join(", ")),
    };
    let _ = writeln!(out, "{DIM}{by}; {} steps{DIM:#}", proof.steps);
    out
}

/// The verdict in a sentence.
pub(crate) fn verdict_line(proof: &Proof) -> String {
    match &proof.verdict {
        Verdict::Proven => "what is shown admits every call that the contract admits".to_owned(),
        Verdict::Refuted { location, keyword, .. } => format!(
            "the contract admits the call below, and what is shown refuses it at {} (`{keyword}`)",
            place(location)
        ),
        Verdict::Unknown { location, keyword } => format!(
            "neither a proof nor a hidden call was found; the derivation ended at {} (`{keyword}`)",
            place(location)
        ),
        _ => "neither a proof nor a hidden call was found".to_owned(),
    }
}
