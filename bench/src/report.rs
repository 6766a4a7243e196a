//! What a measurement says: tables for people, and each figure beside the goal that was set for it.

use std::fmt::Write as _;

/// One goal and how it stands.
pub struct Verdict {
    pub what: String,
    pub goal: String,
    pub measured: String,
    /// `None` where it could not be measured here.
    pub is_met: Option<bool>,
}

impl Verdict {
    /// A figure that is to be at most `goal`.
    pub fn at_most(what: impl Into<String>, measured: f64, goal: f64, show: impl Fn(f64) -> String) -> Self {
        Verdict {
            what: what.into(),
            goal: format!("at most {}", show(goal)),
            measured: if measured.is_nan() { "not measured".into() } else { show(measured) },
            is_met: (!measured.is_nan()).then_some(measured <= goal),
        }
    }
}

/// The outcome of one command.
pub struct Section {
    pub title: &'static str,
    /// How it is made again.
    pub command: &'static str,
    pub text: String,
    pub verdicts: Vec<Verdict>,
}

impl Section {
    /// As one command prints it.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("## {}\n\n`{}`\n\n{}", self.title, self.command, self.text.trim_end());
        if !self.verdicts.is_empty() {
            text.push_str("\n\n");
            text.push_str(&verdict_table(&self.verdicts));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// The goals with what was measured.
pub fn verdict_table(verdicts: &[Verdict]) -> String {
    let mut table = String::from("| what | goal | measured | met |\n|---|---|---|---|\n");
    for verdict in verdicts {
        let met = match verdict.is_met {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "not measured",
        };
        let _ = writeln!(table, "| {} | {} | {} | {met} |", verdict.what, verdict.goal, verdict.measured);
    }
    table
}

/// A count as a table shows it; a dash where it could not be made.
pub fn count(count: f64) -> String {
    if count.is_nan() { "–".into() } else { format!("{count:.0}") }
}

/// A ratio, likewise.
pub fn ratio(ratio: f64) -> String {
    if ratio.is_nan() { "–".into() } else { format!("{ratio:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_not_met() {
        assert_eq!(Verdict::at_most("x", f64::NAN, 1.0, ratio).is_met, None);
        assert_eq!(Verdict::at_most("x", 1.0, 1.0, ratio).is_met, Some(true));
        assert_eq!(Verdict::at_most("x", 1.01, 1.0, ratio).is_met, Some(false));
    }
}
