//! What `install` shows without a client: which of them are here.

use super::edit::{State, places};
use crate::exit::Exit;
use crate::input;
use crate::servers::clients::CLIENTS;
use crate::servers::{in_file, shown_path};
use crate::show::{BOLD, DIM, counted, filled, notice, print};

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
