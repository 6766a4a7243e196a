//! A user's home of its own, in whose folder `work` the program runs.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each file of tests uses a part")]

use super::{text, toolgate};
use std::path::{Path, PathBuf};

/// In no answer and no message, whatever is asked.
pub const CANARY: &str = "CANARY-77aa";

pub struct Home {
    pub folder: PathBuf,
}

impl Home {
    pub fn new(name: &str) -> Home {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("work")).unwrap();
        Home { folder }
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap()
    }

    /// Runs it in the folder `work`, on the PATH, and sees to it that no secret is told.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> (i32, String, String) {
        let mut command = toolgate(words);
        command.current_dir(self.folder.join("work")).env("HOME", &self.folder);
        let program = Path::new(env!("CARGO_BIN_EXE_toolgate")).parent().unwrap().to_str().unwrap();
        command.env("PATH", format!("{program}:{}", std::env::var("PATH").unwrap()));
        let output = command.env("SET_HERE", CANARY).env_remove("NOT_SET").output().unwrap();
        let (out, err) = (text(&output), String::from_utf8(output.stderr).unwrap());
        assert!(!out.contains(CANARY) && !err.contains(CANARY), "{out}{err}");
        (output.status.code().unwrap(), out, err)
    }
}
