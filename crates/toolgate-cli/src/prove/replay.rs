//! `prove --replay`: the certificates of a file, each checked without search.

use super::meant::{Meant, Unheld};
use super::{ProveArgs, Schemas};
use crate::advertise::Format;
use crate::certificates::Line;
use crate::contract_args;
use crate::exit::Exit;
use crate::input::{self, LINE_MAX_BYTES, NextLine, next_line};
use crate::show::{BAD, GOOD, complain, counted, print, print_json, visible};
use std::collections::HashMap;
use std::fmt::Write;
use std::io::BufRead;
use std::path::Path;
use toolgate::json::{ObjectWriter, list};
use toolgate_proof::ReplayFault;

/// Of lines that are kept until all tools are counted.
const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;
/// A byte order mark, which is none of the text.
const MARK: char = '\u{feff}';

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
    let data = |why: String| complain(&why, Exit::Data);
    let mut lines = input::lines_of(path).map_err(data)?;
    let wanted = match (&args.contract, &args.advertised) {
        (Some(contract), Some(advertised)) => Some(Schemas::read(contract, advertised)?),
        (None, None) => None,
        _ => return Err(complain("--replay takes both schemas or none", Exit::Usage)),
    };
    let replayed = Replayed::of(&mut lines, &Wanted { schemas: wanted.as_ref(), profile, meant })
        .map_err(|error| data(format!("cannot read {}: {error}", input::name(path))))?;
    match args.format {
        Format::Human => print(&replayed.for_people(wanted.is_some(), profile)),
        Format::Json => print_json(&replayed.for_programs()),
    }?;
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
    /// Replays line by line, so that a file of any length is read. How many tools a list had is known at its end, and few need it.
    fn of(lines: &mut impl BufRead, wanted: &Wanted<'_>) -> std::io::Result<Self> {
        let mut replayed = Replayed::default();
        let mut tools: HashMap<String, usize> = HashMap::new();
        let mut waiting: Vec<(usize, Line)> = Vec::new();
        let mut waiting_bytes = 0;
        let mut bytes = Vec::new();
        for number in 1.. {
            let line = match next_line(lines, &mut bytes)? {
                NextLine::End => break,
                NextLine::Cut => Err(format!("it is longer than {LINE_MAX_BYTES} bytes")),
                NextLine::Whole => match std::str::from_utf8(&bytes) {
                    Ok(text) if text.trim_matches(|ch: char| ch.is_whitespace() || ch == MARK).is_empty() => continue,
                    Ok(text) => Line::read(text.strip_prefix(MARK).filter(|_| number == 1).unwrap_or(text).trim_end()),
                    Err(_) => Err("it is not UTF-8".to_owned()),
                },
            };
            let line = match line {
                Ok(line) => line,
                Err(why) => {
                    replayed.faults.push(Fault { line: number, about: None, why });
                    continue;
                }
            };
            *tools.entry(line.profile.clone()).or_default() += 1;
            match replayed.replay(&line, wanted, 1) {
                Some(Err(Unheld::InThisForm)) if waiting_bytes + bytes.len() <= WAITING_MAX_BYTES => {
                    waiting_bytes += bytes.len();
                    waiting.push((number, line));
                }
                outcome => replayed.note(number, line, outcome),
            }
        }
        for (number, line) in waiting {
            let outcome = replayed.replay(&line, wanted, tools.get(&line.profile).copied().unwrap_or(1));
            replayed.note(number, line, outcome);
        }
        replayed.stand.sort_by_key(|(line, ..)| *line);
        replayed.faults.sort_by_key(|fault| fault.line);
        Ok(replayed)
    }

    fn note(&mut self, number: usize, line: Line, outcome: Option<Result<(), Unheld>>) {
        match outcome {
            None => {}
            Some(Ok(())) => self.stand.push((number, line.tool, line.profile)),
            Some(Err(why)) => {
                let about = Some((line.tool, line.profile));
                self.faults.push(Fault { line: number, about, why: why.to_string() });
            }
        }
    }

    /// Whether the certificate stands; `None` for one that is not asked about.
    fn replay(&mut self, line: &Line, wanted: &Wanted<'_>, tools: usize) -> Option<Result<(), Unheld>> {
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
            return Some(Err(Unheld::Otherwise(why.to_string())));
        }
        // Options that were altered are named, whether the steps still stand under them or not.
        Some(wanted.meant.hold(line, tools).and(outcome.map_err(|why| Unheld::Otherwise(why.to_string()))))
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
