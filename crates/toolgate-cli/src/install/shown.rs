//! What `install` shows: which clients are here, what would change, and what is to be written by hand.

use super::edit::{Edit, Place, State, places};
use crate::exit::Exit;
use crate::input;
use crate::servers::clients::CLIENTS;
use crate::servers::tree::line_of;
use crate::servers::{in_file, shown_path};
use crate::show::{BAD, BOLD, DIM, GOOD, counted, filled, notice, print, visible};
use std::path::Path;

/// Every client, its files that are here, and how many of its servers are guarded.
pub(super) fn clients() -> Result<Exit, Exit> {
    let mut out = String::new();
    let width = CLIENTS.iter().map(|client| client.name.len()).max().unwrap_or(0) + 2;
    for client in &CLIENTS {
        let mut label = filled(client.name, width);
        let files: Vec<_> = client.found().into_iter().filter(|file| file.path.is_file()).collect();
        if files.is_empty() {
            out.push_str(&format!("{DIM}{label}not here{DIM:#}\n"));
        }
        for file in files {
            let read = input::text(&file.path);
            let read = read.and_then(|text| places(client, &file, &text).map_err(|why| in_file(&file.path, &why)));
            let told = match read {
                Ok(places) => {
                    let guarded = places.iter().filter(|place| matches!(place.state, State::Guarded(_))).count();
                    format!("{}, {guarded} guarded", counted(places.len(), "server"))
                }
                Err(why) => {
                    notice(&why);
                    "cannot be read".to_owned()
                }
            };
            out.push_str(&format!("{BOLD}{label}{BOLD:#}{}  {DIM}{told}{DIM:#}\n", shown_path(&file.path)));
            label = filled("", width);
        }
    }
    print(&out)?;
    Ok(Exit::Done)
}

/// The bytes that go and those that come, line by line. Nothing around them is shown: there may be secrets in it.
pub(super) fn diff(path: &Path, text: &str, places: &[Place], edits: &[Edit]) -> String {
    let file = shown_path(path);
    let mut out = format!("\n{BOLD}--- {file}\n+++ {file}{BOLD:#}\n");
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span.start);
    for Edit { span, text: new } in sorted {
        let place = places.iter().filter(|place| place.start <= span.start).max_by_key(|place| place.start);
        let name = place.map(|place| visible(&place.name)).unwrap_or_default();
        out.push_str(&format!("{DIM}@@ line {}, server {name} @@{DIM:#}\n", line_of(text, span.start)));
        let gone = text.get(span.clone()).unwrap_or_default();
        for line in gone.trim().lines() {
            out.push_str(&format!("{BAD}-{BAD:#}{}\n", visible(line.trim())));
        }
        for line in new.trim().lines() {
            out.push_str(&format!("{GOOD}+{GOOD:#}{}\n", visible(line.trim())));
        }
    }
    out
}
