//! `toolgate config doctor`: whether each server can be used, what is wrong, and how to mend it.

use super::add::is_secret;
use crate::environment::variable;
use crate::exit::Exit;
use crate::servers::own_program::{self, Found};
use crate::servers::{Entry, Named, Servers, Template, on_path, shown_path};
use crate::show::{
    BAD, BOLD, DIM, GOOD, NOTE, columns, complain, counted, filled, notice, print, print_json, visible, width, wrapped,
};
use crate::source::{ServerArgs, is_url};
use crate::tool::compiled;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use toolgate::json::{ObjectWriter, list};

const AFTER_HELP: &str = "\
Looks at every server that `toolgate servers` lists, or at those that are
named: is the file readable, is each variable set, is the command on the
PATH, is its folder there, is its policy a policy. With --connect each is
started and lists its tools, and each tool's schema is compiled; those of
clients only when they are named, since asking for all is not meant to start
every program of every client.

Exit codes:
  0 when nothing is wrong; 1 when something is; 64 for a mistake in the
  command line; 74 when the answer cannot be written; 78 when one of our own
  files cannot be read; 129, 130 and 143 ended by a signal.";

#[derive(Args)]
#[command(after_help = AFTER_HELP, mut_arg("catalog", |arg| arg.hide(true)))]
pub(super) struct DoctorArgs {
    /// Names that `toolgate servers` lists [default: all]
    #[arg(value_name = "SERVER")]
    names: Vec<String>,

    /// Start each server and compile what it lists
    #[arg(long)]
    connect: bool,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
}

/// What is wrong with a server, or worth knowing.
#[derive(Default)]
struct Findings {
    wrong: Vec<String>,
    notes: Vec<String>,
    /// How many tools it answered with.
    tools: Option<usize>,
}

pub(super) fn doctor(args: &DoctorArgs) -> Result<Exit, Exit> {
    if args.server.catalog.is_some() {
        return Err(complain("--catalog is for commands that need no server", Exit::Usage));
    }
    let servers = Servers::find(args.server.config()).map_err(|why| complain(&why, Exit::Configuration))?;
    for name in &args.names {
        servers.get(name).map_err(|why| complain(&why, Exit::Usage))?;
    }
    let is_text = args.format == Format::Human;
    let mut exit = Exit::Done;
    let of_names = args.names.iter().flat_map(|name| servers.unread(Some(name)));
    let unread: Vec<&str> = if args.names.is_empty() { servers.unread(None).collect() } else { of_names.collect() };
    if !unread.is_empty() {
        exit = Exit::Verdict;
    }
    servers.left_out(None).filter(|_| args.names.is_empty()).iter().for_each(|left| notice(left));
    if is_text {
        let mut out = String::new();
        unread.iter().for_each(|why| told("wrong", BAD, why, "", &mut out));
        print(&out)?;
    }
    let is_asked = |index: usize, server: &Named| {
        server.is_trusted && !servers.is_hidden(index) && (args.names.is_empty() || args.names.contains(&server.name))
    };
    let asked: Vec<&Named> = servers
        .servers
        .iter()
        .enumerate()
        .filter(|(index, server)| is_asked(*index, server))
        .map(|(_, server)| server)
        .collect();
    if asked.is_empty() && is_text {
        print("no server is named; see `toolgate servers --help`\n")?;
    }
    let mut objects = Vec::new();
    let (mut fine, all) = (0, asked.len());
    for server in asked {
        let mut findings = looked_at(server);
        let is_started = args.connect && (server.found_in.is_none() || args.names.contains(&server.name));
        if is_started && findings.wrong.is_empty() {
            connect(server, args, &mut findings)?;
        }
        if findings.wrong.is_empty() {
            fine += 1;
        } else {
            exit = Exit::Verdict;
        }
        match args.format {
            Format::Human => print(&report(server, &findings))?,
            Format::Json => objects.push(json(server, &findings)),
        }
    }
    if is_text && all > 1 {
        print(&format!("{DIM}{}: {fine} ok, {} wrong{DIM:#}\n", counted(all, "server"), all - fine))?;
    }
    if !is_text {
        let mut all = ObjectWriter::new();
        all.raw("servers", &list(objects.into_iter()));
        all.strings("unread", &unread);
        print_json(&(all.end() + "\n"))?;
    }
    Ok(exit)
}

fn json(server: &Named, findings: &Findings) -> String {
    let mut object = ObjectWriter::new();
    object.string("name", &server.name);
    object.string("file", &server.file.display().to_string());
    object.optional("client", server.found_in.map(|client| client.name));
    object.raw("ok", if findings.wrong.is_empty() { "true" } else { "false" });
    if let Some(tools) = findings.tools {
        object.raw("tools", &tools.to_string());
    }
    object.strings("wrong", &findings.wrong);
    object.strings("notes", &findings.notes);
    object.end()
}

/// Everything that can be seen without starting it.
fn looked_at(server: &Named) -> Findings {
    let mut findings = Findings::default();
    let entry = match &server.entry {
        Ok(entry) => entry,
        Err(why) => {
            findings.wrong.push(why.clone());
            return findings;
        }
    };
    for (what, text) in entry.templates() {
        if let Err(why) = text.fill(&variable) {
            // What is secret is not to stand in a file.
            let or = if is_secret(&what) { "" } else { ", or write it out" };
            findings.wrong.push(format!("{what}: {why}; set it before toolgate is started{or}"));
        }
    }
    match entry.bearer_env.as_deref().map(|name| (name, variable(name))) {
        Some((name, Ok(None))) => {
            findings.wrong.push(format!("the variable `{name}`, which holds its bearer token, is not set"));
        }
        Some((_, Err(why))) => findings.wrong.push(why),
        _ => {}
    }
    if findings.wrong.is_empty() {
        place(entry, &mut findings);
    }
    let judging = entry.judging(server.file.parent().unwrap_or(Path::new(".")), &variable);
    findings.wrong.extend(judging.and_then(|judging| judging.policy()).err());
    if let Some(guard) = &entry.guard {
        let program = guard.program.fill(&variable).unwrap_or_default();
        let program_shown = toolgate::shown_name(&program);
        match own_program::found(&program) {
            Found::Lasting(_) => {}
            Found::Fleeting(path) => findings.wrong.push(format!(
                "its guard `{program_shown}` is found in {} alone, where nothing stays, so its client will not start it; \
                 `toolgate install` takes --program",
                shown_path(&path)
            )),
            Found::Nowhere => findings.wrong.push(format!(
                "its guard `{program_shown}` is not found, so its client cannot start it; `toolgate install` takes --program"
            )),
        }
        findings.notes.push("its client starts it behind the guard".to_owned());
    }
    for (name, value) in entry.env.iter().chain(&entry.headers) {
        if is_secret(name) && value.is_fixed() && !value.written().is_empty() {
            findings
                .notes
                .push(format!("`{}` is written out in the file; keep it in a variable", toolgate::shown_name(name)));
        }
    }
    findings
}

/// Whether its command, its folder or its address is one; its variables are set.
fn place(entry: &Entry, findings: &mut Findings) {
    let fill = |text: &Template| text.fill(&variable).unwrap_or_default();
    if let Some(url) = &entry.url {
        if !is_url(&fill(url)) {
            findings.wrong.push("its `url` is no http:// or https:// URL".to_owned());
        }
        return;
    }
    let cwd = entry.cwd.as_ref().map(fill).map(PathBuf::from);
    // What variables hold is looked at, and not shown.
    let written = |text: &Option<Template>| text.as_ref().map(|text| text.written().to_owned()).unwrap_or_default();
    if cwd.as_ref().is_some_and(|cwd| !cwd.is_dir()) {
        findings.wrong.push(format!("its folder {} is not there", written(&entry.cwd)));
        return;
    }
    let command = entry.command.as_ref().map(fill).unwrap_or_default();
    let path = entry.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| fill(value));
    let from_cwd =
        cwd.filter(|_| command.contains('/') && Path::new(&command).is_relative()).map(|cwd| cwd.join(&command));
    let program = from_cwd.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| command.clone());
    if on_path(&program, path.as_deref()).is_none() {
        let how = if command.contains('/') && !Path::new(&program).exists() {
            "is not there"
        } else if command.contains('/') {
            "is no program"
        } else {
            "is not found on the PATH; install it, or give its whole path"
        };
        findings.wrong.push(format!("its command `{}` {how}", toolgate::shown_name(&written(&entry.command))));
    }
}

/// Starts it, lists and compiles.
fn connect(server: &Named, args: &DoctorArgs, findings: &mut Findings) -> Result<(), Exit> {
    let Ok(source) = args.server.of_name(&server.name) else {
        findings.wrong.push("it is not asked with these options; the error above says why".to_owned());
        return Ok(());
    };
    let opened = match source.try_open(&args.server) {
        Ok(opened) => opened,
        Err(failed) if failed.exit == Exit::Interrupted => return Err(failed.tell()),
        Err(failed) => {
            findings.wrong.push(failed.why);
            return Ok(());
        }
    };
    let mut unusable = Vec::new();
    for definition in &opened.target.definitions {
        match compiled(definition, &opened.policy) {
            Some((_, Ok(_))) => {}
            Some((name, Err(_))) => unusable.push(format!("`{}`", toolgate::shown_name(&name))),
            None => unusable.push("one without a name".to_owned()),
        }
    }
    let tools = opened.target.definitions.len();
    findings.tools = Some(tools);
    if !unusable.is_empty() {
        let is = if unusable.len() == 1 { "is" } else { "are" };
        findings.wrong.push(format!(
            "{} of {} {is} unusable: {}; `toolgate check` says why",
            unusable.len(),
            counted(tools, "tool"),
            unusable.join(", ")
        ));
    }
    Ok(())
}

fn report(server: &Named, findings: &Findings) -> String {
    let mut out = String::new();
    let name = visible(&server.name);
    let file = shown_path(&server.file);
    let answer = findings.tools.map(|tools| format!(", answers with {}", counted(tools, "tool"))).unwrap_or_default();
    let (word, style) = if findings.wrong.is_empty() { ("ok", GOOD) } else { ("wrong", BAD) };
    out.push_str(&format!("{style}{}{style:#}{BOLD}{name}{BOLD:#}{answer}  {DIM}{file}{DIM:#}\n", filled(word, LABEL)));
    for wrong in &findings.wrong {
        told("", BAD, wrong, "- ", &mut out);
    }
    for note in &findings.notes {
        told("", NOTE, note, "note: ", &mut out);
    }
    out
}

/// Columns before what is told.
const LABEL: usize = 7;

fn told(label: &str, style: anstyle::Style, text: &str, before: &str, out: &mut String) {
    let room = width().saturating_sub(LABEL + columns(before));
    let lines = text.lines().filter(|line| !line.is_empty()).flat_map(|line| wrapped(&visible(line), room));
    for (index, line) in lines.enumerate() {
        let (label, before) = if index == 0 { (label, before.to_owned()) } else { ("", " ".repeat(columns(before))) };
        out.push_str(&format!("{style}{}{style:#}{before}{line}\n", filled(label, LABEL)));
    }
}
