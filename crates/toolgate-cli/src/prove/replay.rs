//! `prove --replay`: the certificates of a file, each checked without search.

use super::{ProveArgs, Schemas};
use crate::advertise::Format;
use crate::certificates::Line;
use crate::exit::Exit;
use crate::input;
use crate::show::{BAD, GOOD, complain, counted, print, visible};
use std::fmt::Write;
use std::path::Path;
use toolgate::json::{ObjectWriter, list};
use toolgate_proof::ReplayFault;

/// A certificate that does not stand, or a line that is none.
struct Fault {
    /// Counted from one.
    line: usize,
    /// Tool and profile; of a line that cannot be read nothing.
    about: Option<(String, String)>,
    why: String,
}

#[derive(Default)]
struct Replayed {
    stand: usize,
    faults: Vec<Fault>,
    /// Of two schemas that were asked about: whether some certificate is about each.
    knows_contract: bool,
    knows_advertised: bool,
}

/// Replays the file; with two schemas only the certificates that are about them.
pub(super) fn run(path: &Path, args: &ProveArgs) -> Result<Exit, Exit> {
    let data = |why: String| complain(&why, Exit::Data);
    let text = input::text(path).map_err(data)?;
    let wanted = match (&args.contract, &args.advertised) {
        (Some(contract), Some(advertised)) => Some(Schemas::read(contract, advertised)?),
        (None, None) => None,
        _ => return Err(complain("--replay takes both schemas or none", Exit::Usage)),
    };
    let replayed = Replayed::of(&text, wanted.as_ref());
    print(&match args.format {
        Format::Human => replayed.for_people(wanted.is_some()),
        Format::Json => replayed.for_programs(),
    })?;
    // A file of none stands for nothing.
    Ok(if replayed.faults.is_empty() && replayed.stand > 0 { Exit::Done } else { Exit::Verdict })
}

impl Replayed {
    fn of(text: &str, wanted: Option<&Schemas>) -> Self {
        let mut replayed = Replayed::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut fault = |about, why| replayed.faults.push(Fault { line: index + 1, about, why });
            let line = match Line::read(line) {
                Ok(line) => line,
                Err(why) => {
                    fault(None, why);
                    continue;
                }
            };
            let outcome = match wanted {
                None => line.replay(),
                Some(Schemas { contract, advertised }) => {
                    replayed.knows_contract |= line.contract == *contract;
                    replayed.knows_advertised |= line.advertised == *advertised;
                    match toolgate_proof::replay(&line.certificate, contract, advertised) {
                        Err(ReplayFault::Digest(_)) => continue,
                        outcome => outcome,
                    }
                }
            };
            match outcome {
                Ok(()) => replayed.stand += 1,
                Err(why) => fault(Some((line.tool, line.profile)), why.to_string()),
            }
        }
        replayed
    }

    fn for_people(&self, is_about_two: bool) -> String {
        let mut out = String::new();
        for fault in &self.faults {
            let about = match &fault.about {
                Some((tool, profile)) => format!("{} for {}", visible(tool), visible(profile)),
                None => "not a certificate".to_owned(),
            };
            let _ = writeln!(out, "{BAD}line {}:{BAD:#} {about}: {}", fault.line, visible(&fault.why));
        }
        let _ = match (self.stand, is_about_two) {
            (0, true) => {
                let half = self.half_that_fails();
                writeln!(out, "{BAD}none{BAD:#} of the certificates is about these two schemas, and stands{half}")
            }
            (0, false) => writeln!(out, "{BAD}no certificate stands{BAD:#}"),
            (stand, _) => {
                let stands = if stand == 1 { "stands" } else { "stand" };
                writeln!(out, "{GOOD}{}{GOOD:#} {stands}, each replayed step by step", counted(stand, "certificate"))
            }
        };
        out
    }

    /// Which of the two schemas no certificate is about. Texts are compared byte for byte, as their digests are.
    fn half_that_fails(&self) -> &'static str {
        match (self.knows_contract, self.knows_advertised) {
            (true, true) => "",
            (true, false) => ": some are about the contract, but another schema is advertised in them",
            (false, true) => ": some are about the advertised schema, but of another contract",
            (false, false) => ": they hold neither text (both are compared byte for byte)",
        }
    }

    fn for_programs(&self) -> String {
        let faults = self.faults.iter().map(|fault| {
            let mut member = ObjectWriter::new();
            member.raw("line", &fault.line.to_string());
            if let Some((tool, profile)) = &fault.about {
                member.string("tool", tool);
                member.string("profile", profile);
            }
            member.string("why", &fault.why);
            member.end()
        });
        let faults = list(faults);
        let mut object = ObjectWriter::new();
        object.raw("stand", &self.stand.to_string());
        object.raw("faults", &faults);
        object.end() + "\n"
    }
}
