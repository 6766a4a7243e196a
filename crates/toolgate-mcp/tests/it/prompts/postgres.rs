//! A PostgreSQL server for these tests alone: made in a folder of its own, reached over a socket in it, and gone when the
//! process ends, however it ends.

use super::databases::new_folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tokio_postgres::{Client, NoTls};

struct Server {
    /// Where its socket is.
    folder: PathBuf,
    /// Whoever stops the server waits for the end of this pipe, which is the end of this process.
    _watch: std::process::Child,
}

/// The place of an empty schema; `None` where there is no server to start, which is said.
pub(crate) async fn schema(name: &str) -> Option<String> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    let server = match SERVER.get_or_init(start) {
        Ok(server) => server,
        Err(why) => {
            let may_skip = std::env::var_os("TOOLGATE_NO_SKIP").is_none_or(|value| value != "1");
            assert!(may_skip, "PostgreSQL: {why}, and nothing may be skipped");
            println!("skipped: PostgreSQL: {why}");
            return None;
        }
    };
    let socket = server.folder.to_str().unwrap().replace('/', "%2F");
    let place = format!("postgres://postgres@{socket}/postgres");
    connect(&place).await.batch_execute(&format!("CREATE SCHEMA {name}")).await.unwrap();
    Some(format!("{place}?options=-c%20search_path%3D{name}&application_name={name}"))
}

pub(crate) async fn connect(place: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(place, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// The programs of the newest version that is installed as Debian has it, or in the path.
fn programs() -> Option<PathBuf> {
    let has_them = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("pg_ctl").exists();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.path()).collect();
    versions.sort_by_key(|path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    versions.into_iter().rev().map(|path| path.join("bin")).chain(std::env::split_paths(&path)).find(has_them)
}

fn start() -> Result<Server, String> {
    let programs = programs().ok_or("neither `initdb` nor `pg_ctl` is installed (`apt-get install postgresql`)")?;
    let user = User::find()?;
    let folder = new_folder();
    user.owns(&folder)?;
    let data = folder.join("data");
    let data = data.to_str().ok_or("the temporary folder has a name that is no text")?;
    let log = folder.join("log");
    let socket = folder.to_str().unwrap_or_default();
    user.run(&programs.join("initdb"), &["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])?;
    // Nothing here outlives the test, so nothing is written through. A server's own isolation may be any, and this one suits nobody
    // who relies on the usual.
    let options = format!(
        "-c listen_addresses= -c unix_socket_directories={socket} -c fsync=off -c max_connections=200 \
         -c default_transaction_isolation=serializable"
    );
    let log = log.to_str().unwrap_or_default();
    user.run(&programs.join("pg_ctl"), &["-D", data, "-l", log, "-w", "-o", &options, "start"])?;
    let script = r#"cat >/dev/null; "$0" -D "$1" -m immediate stop; rm -rf "$2""#;
    let mut watch = user.command(Path::new("/bin/sh"));
    watch.arg("-c").arg(script).arg(programs.join("pg_ctl")).arg(data).arg(&folder);
    let watch = watch.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Ok(Server { folder, _watch: watch.map_err(|error| error.to_string())? })
}

/// The server does not run as root; it runs as the user that its package has made then.
struct User {
    ids: Option<(u32, u32)>,
}

impl User {
    fn find() -> Result<User, String> {
        if id("-u", None)? != 0 {
            return Ok(User { ids: None });
        }
        let name = Some("postgres");
        Ok(User { ids: Some((id("-u", name)?, id("-g", name)?)) })
    }

    fn owns(&self, folder: &Path) -> Result<(), String> {
        let Some((user, group)) = self.ids else { return Ok(()) };
        std::os::unix::fs::chown(folder, Some(user), Some(group)).map_err(|error| error.to_string())
    }

    fn command(&self, program: &Path) -> Command {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(program);
        if let Some((user, group)) = self.ids {
            command.uid(user).gid(group);
        }
        command.current_dir("/");
        command
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Result<(), String> {
        // Files and no pipes: the server would hold a pipe open.
        let mut command = self.command(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
        if status.success() { Ok(()) } else { Err(format!("{} {status}", program.display())) }
    }
}

fn id(option: &str, user: Option<&str>) -> Result<u32, String> {
    let Output { status, stdout, .. } =
        Command::new("id").arg(option).args(user).output().map_err(|error| format!("id: {error}"))?;
    let number = String::from_utf8_lossy(&stdout).trim().parse().ok().filter(|_| status.success());
    number.ok_or_else(|| format!("there is no user `{}`", user.unwrap_or_default()))
}
