//! `prove --replay`: the certificates of a file, each checked without search.

use super::meant::Meant;
use super::{ProveArgs, Schemas};
use crate::advertise::Format;
use crate::certificates::Line;
use crate::contract_args;
use crate::exit::Exit;
use crate::input;
use crate::show::{BAD, GOOD, complain, counted, print, visible};
use std::collections::HashMap;
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
    /// Those that stand, by line, tool and profile.
    stand: Vec<(usize, String, String)>,
    faults: Vec<Fault>,
    /// Of two schemas that were asked about: whether some certificate is about each.
    knows_contract: bool,
    knows_advertised: bool,
}

/// Replays the file; with two schemas only the certificates that are about them.
pub(super) fn run(path: &Path, args: &ProveArgs) -> Result<Exit, Exit> {
    let profile = args.profile.as_deref().map(contract_args::profile).transpose();
    let profile = profile.map_err(|why| complain(&why, Exit::Usage))?.map(|profile| profile.name);
    let meant = Meant::of(args)?;
    let text = input::text(path).map_err(|why| complain(&why, Exit::Data))?;
    let wanted = match (&args.contract, &args.advertised) {
        (Some(contract), Some(advertised)) => Some(Schemas::read(contract, advertised)?),
        (None, None) => None,
        _ => return Err(complain("--replay takes both schemas or none", Exit::Usage)),
    };
    let replayed = Replayed::of(&text, &Wanted { schemas: wanted.as_ref(), profile, meant });
    print(&match args.format {
        Format::Human => replayed.for_people(wanted.is_some(), profile),
        Format::Json => replayed.for_programs(),
    })?;
    // A file of none stands for nothing.
    Ok(if replayed.faults.is_empty() && !replayed.stand.is_empty() { Exit::Done } else { Exit::Verdict })
}

/// Which certificates are asked about, and what they are to have been made under.
struct Wanted<'a> {
    schemas: Option<&'a Schemas>,
    profile: Option<&'a str>,
    meant: Meant,
}

impl Replayed {
    fn of(text: &str, wanted: &Wanted<'_>) -> Self {
        let mut replayed = Replayed::default();
        let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read: Vec<(usize, Result<Line, String>)> =
            numbered.map(|(index, line)| (index + 1, Line::read(line))).collect();
        let mut tools: HashMap<String, usize> = HashMap::new();
        for line in read.iter().filter_map(|(_, line)| line.as_ref().ok()) {
            *tools.entry(line.profile.clone()).or_default() += 1;
        }
        for (number, line) in read {
            match line {
                Err(why) => replayed.faults.push(Fault { line: number, about: None, why }),
                Ok(line) => match replayed.replay(&line, wanted, tools.get(&line.profile).copied().unwrap_or(1)) {
                    None => {}
                    Some(Ok(())) => replayed.stand.push((number, line.tool, line.profile)),
                    Some(Err(why)) => {
                        replayed.faults.push(Fault { line: number, about: Some((line.tool, line.profile)), why });
                    }
                },
            }
        }
        replayed
    }

    /// Whether the certificate stands; `None` for one that is not asked about.
    fn replay(&mut self, line: &Line, wanted: &Wanted<'_>, tools: usize) -> Option<Result<(), String>> {
        if wanted.profile.is_some_and(|profile| profile != line.profile) {
            return None;
        }
        if let Some(Schemas { contract, advertised }) = wanted.schemas {
            let knows = (line.contract == *contract, line.advertised == *advertised);
            self.knows_contract |= knows.0;
            self.knows_advertised |= knows.1;
            if knows != (true, true) {
                return None;
            }
        }
        let outcome = line.replay();
        if let Err(why @ (ReplayFault::Digest(_) | ReplayFault::Checker | ReplayFault::Unreadable(_))) = outcome {
            return Some(Err(why.to_string()));
        }
        // Options that were altered are named, whether the steps still stand under them or not.
        Some(wanted.meant.hold(line, tools).and(outcome.map_err(|why| why.to_string())))
    }

    fn for_people(&self, is_about_two: bool, profile: Option<&str>) -> String {
        let mut out = String::new();
        for fault in &self.faults {
            let about = match &fault.about {
                Some((tool, profile)) => format!("{} for {}", visible(tool), visible(profile)),
                None => "not a certificate".to_owned(),
            };
            let _ = writeln!(out, "{BAD}line {}:{BAD:#} {about}: {}", fault.line, visible(&fault.why));
        }
        let _ = match (self.stand.len(), is_about_two) {
            (0, true) => {
                let half = self.half_that_fails();
                let for_it = profile.map(|name| format!(" for {name}")).unwrap_or_default();
                writeln!(
                    out,
                    "{BAD}none{BAD:#} of the certificates{for_it} is about these two schemas, and stands{half}"
                )
            }
            (0, false) => {
                let for_it = profile.map(|name| format!(" for {name}")).unwrap_or_default();
                writeln!(out, "{BAD}no certificate{for_it} stands{BAD:#}")
            }
            (stand, _) => {
                let stands = if stand == 1 { "stands" } else { "stand" };
                writeln!(out, "{GOOD}{}{GOOD:#} {stands}, each replayed step by step", counted(stand, "certificate"))
            }
        };
        // Whoever wrote the file chose these words, too.
        for (_, tool, profile) in self.stand.iter().filter(|_| is_about_two) {
            let _ = writeln!(out, "  {} for {}", visible(tool), visible(profile));
        }
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
        let standing = self.stand.iter().map(|(line, tool, profile)| {
            let mut member = ObjectWriter::new();
            member.raw("line", &line.to_string());
            member.string("tool", tool);
            member.string("profile", profile);
            member.end()
        });
        let standing = list(standing);
        let mut object = ObjectWriter::new();
        object.raw("stand", &self.stand.len().to_string());
        object.raw("standing", &standing);
        object.raw("faults", &faults);
        object.end() + "\n"
    }
}
