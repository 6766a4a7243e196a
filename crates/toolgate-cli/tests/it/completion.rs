//! What shells offer: commands, servers, tools, options and their words, without asking a server.

use crate::support::{self, text, toolgate, trusts};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TOOLS: &str = r#"{"name":"book","description":"Books a seat: now.\nAnd more.","inputSchema":{"type":"object","properties":{"seat":{"type":"string"},"class":{"enum":["first class","second"],"description":"How one sits."},"child":{"type":"boolean"},"rows":{"type":"array","items":{"enum":[1,2]}},"to":{"type":"object","properties":{"city":{"type":"string"}}},"pin":{"enum":["SECRET"],"writeOnly":true}},"required":["class"]}},{"name":"cancel","inputSchema":{"type":"object"}},{"name":"e\u001bvil","inputSchema":{"type":"object"}}"#;

/// A user with servers of their own.
struct User {
    home: PathBuf,
}

impl User {
    fn new(name: &str) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("completion-{name}"));
        let _ = std::fs::remove_dir_all(&home);
        std::fs::create_dir_all(home.join("wharf")).unwrap();
        User { home }
    }

    /// A user with a server `notes`, which writes a line whenever it is started.
    fn with_notes(name: &str) -> Self {
        let user = User::new(name);
        let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
        let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{TOOLS}]}}}}"#);
        let script = format!(
            "echo started >> started\nread a\necho '{hello}'\nread b\nread c\ncat <<'X'\n{list}\nX\ncat > /dev/null\n"
        );
        std::fs::write(user.home.join("wharf/server.sh"), script).unwrap();
        let config = "[servers.notes]\ncommand = \"sh\"\nargs = [\"server.sh\"]\n[servers.notary]\nurl = \"https://example.com/mcp\"\n";
        std::fs::write(user.home.join("wharf/toolgate.toml"), config).unwrap();
        trusts(user.as_user(&mut toolgate(&[])));
        user
    }

    fn run(&self, args: &[&str]) -> Output {
        self.as_user(&mut toolgate(args)).output().unwrap()
    }

    fn as_user<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("HOME", &self.home).current_dir(self.home.join("wharf"))
    }

    /// What a shell is answered for these words, of which the last is the one to complete; a line for each that is offered.
    fn offered(&self, shell: &str, words: &[&str]) -> Vec<String> {
        self.offered_before(shell, words, &[])
    }

    /// The same, where these words follow it.
    fn offered_before(&self, shell: &str, words: &[&str], after: &[&str]) -> Vec<String> {
        let mut command = toolgate(&["--", "toolgate"]);
        command.args(words).args(after);
        command.env("TOOLGATE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let output = self.as_user(&mut command).output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{words:?}");
        let text = text(&output);
        text.split(['\n', '\u{b}']).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    fn starts(&self) -> usize {
        std::fs::read_to_string(self.home.join("wharf/started")).unwrap_or_default().lines().count()
    }

    fn lists(&self) -> PathBuf {
        self.home.join(".cache/toolgate/lists")
    }
}

#[test]
fn a_server_is_known_by_the_list_that_it_gave_last() {
    let user = User::with_notes("last");
    assert_eq!(user.offered("bash", &["call", "not"]), ["notes", "notary"]);
    assert!(user.offered("bash", &["call", "notes", ""]).is_empty());
    assert_eq!(user.starts(), 0);
    let told = user.run(&["tools", "notes", "--cached"]);
    let nothing =
        "error: no list of this server is kept; without --cached it is asked for its tools, which are then kept\n";
    assert_eq!((told.status.code(), &*String::from_utf8(told.stderr).unwrap()), (Some(65), nothing));

    assert_eq!(user.run(&["tools", "notes"]).status.code(), Some(0));
    assert_eq!(user.starts(), 1);
    let fish = user.offered("fish", &["call", "notes", ""]);
    assert_eq!(fish, ["book\tBooks a seat: now.", "cancel"]);
    assert_eq!(user.offered("zsh", &["describe", "notes", "b"]), ["book:Books a seat: now."]);
    // Who asks otherwise has another list.
    assert!(user.offered("bash", &["call", "notary", ""]).is_empty());

    let cached = user.run(&["tools", "notes", "--cached", "--format", "json"]);
    assert_eq!(text(&cached), text(&user.run(&["tools", "notes", "--format", "json"])));
    assert_eq!(String::from_utf8(cached.stderr).unwrap(), "note: the tools as they were listed just now\n");
    assert_eq!(user.starts(), 2);
    let dry = user.run(&["call", "--cached", "--dry-run", "notes", "book", "--class", "second"]);
    assert_eq!(text(&dry), "{\"arguments_text\":\"{\\\"class\\\":\\\"second\\\"}\"}\n");
    let sent = user.run(&["call", "--cached", "notes", "book", "--class", "second"]);
    let told = "note: the tools as they were listed just now\n\
                error: a list that is kept answers no calls: add --dry-run before TOOL to see what would be sent\n";
    assert_eq!((sent.status.code(), &*String::from_utf8(sent.stderr).unwrap()), (Some(64), told));
    assert_eq!(user.starts(), 2);
}

#[test]
fn a_list_is_its_users_alone_and_can_be_forgone() {
    let user = User::with_notes("private");
    let mut command = toolgate(&["tools", "notes"]);
    user.as_user(command.env("TOOLGATE_CACHE", "none")).output().unwrap();
    assert!(!user.lists().exists());
    user.run(&["tools", "notes"]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files: Vec<PathBuf> = std::fs::read_dir(user.lists()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((mode(&user.lists()), files.len(), mode(&files[0])), (0o700, 1, 0o600));
    // Whatever is done to it, nothing worse comes of it than nothing.
    for text in ["", "{\"tools\":", "[1,{}]", "\u{0}"] {
        std::fs::write(&files[0], text).unwrap();
        assert!(user.offered("bash", &["call", "notes", ""]).is_empty(), "{text}");
    }
    user.run(&["tools", "notes"]);
    assert_eq!(user.offered("bash", &["call", "notes", "c"]), ["cancel"]);
}

#[test]
fn options_and_their_words_come_from_the_schema() {
    let user = User::with_notes("options");
    user.run(&["tools", "notes"]);
    let call = |words: &[&str]| user.offered("bash", &[&["call", "notes", "book"], words].concat());
    let all = ["--class", "--seat", "--child", "--no-child", "--rows", "--to.city", "--pin", "--args", "--help"];
    assert_eq!(call(&[""]), all);
    assert_eq!(call(&["--no"]), ["--no-child"]);
    assert_eq!(call(&["--class", "second", "--rows", "1", "--no-child", "--"])[..2], ["--seat", "--rows"]);
    assert_eq!(call(&["--class", ""]), ["'first class'", "second"]);
    assert_eq!(call(&["--class", "'first"]), ["'first class'"]);
    assert_eq!(call(&["--class", "=", "se"]), ["second"]);
    assert_eq!(call(&["--rows", ""]), ["1", "2"]);
    assert_eq!(call(&["--rows", "1", "--rows", "2", "--rows", ""]), ["1", "2"]);
    assert_eq!(call(&["--child", "f"]), [""; 0]);
    assert_eq!(call(&["--child", "=", "f"]), ["false"]);
    assert_eq!(call(&["--pin", ""]), [""; 0]);
    // Any text may be the name of a file.
    assert_eq!(call(&["--seat", "ser"]), ["server.sh"]);
    assert_eq!(call(&["--to.city", "toolg"]), ["toolgate.toml"]);
    assert_eq!(call(&["--", ""]), [""; 0]);
    assert_eq!(
        user.offered("fish", &["call", "notes", "book", "--cl"]),
        ["--class\tHow one sits. [one of: first class, second]"]
    );
    assert_eq!(user.offered("zsh", &["call", "notes", "book", "--class=f"]), ["--class=first class"]);
    // Our own options stand before the server, and those of the tool's name are the tool's.
    assert!(user.offered("bash", &["call", "--form"]).contains(&"--format".to_owned()));
    assert_eq!(user.offered("bash", &["call", "--format", "j"]), ["json"]);
    assert_eq!(user.offered("bash", &["call", "notes", "book", "--form"]), [""; 0]);
    assert_eq!(user.offered("bash", &["call", "--config", "toolgate.toml", "notes", "c"]), ["cancel"]);
    assert_eq!(user.starts(), 1);
}

#[test]
fn a_server_is_known_by_its_command_too() {
    let user = User::with_notes("command");
    let server = ["--", "sh", "server.sh"];
    user.run(&[&["tools"][..], &server].concat());
    let offered = |words: &[&str]| user.offered_before("bash", words, &server);
    assert_eq!(offered(&["call", ""]), ["book", "cancel"]);
    assert_eq!(offered(&["describe", "c"]), ["cancel"]);
    assert_eq!(offered(&["call", "book", "--cl"]), ["--class"]);
    assert_eq!(offered(&["call", "book", "--class", "s"]), ["second"]);
    assert_eq!(user.starts(), 1);
    // The command itself: a program, and then what may be files.
    let before = ["call", "book", "--class", "second", "--"];
    let typed = |words: &[&str]| user.offered("bash", &[&before, words].concat());
    assert_eq!(typed(&["sh", "ser"]), ["server.sh"]);
    assert_eq!(typed(&["./ser"]), ["./server.sh"]);
    assert!(typed(&["s"]).contains(&"sh".to_owned()));
    assert!(user.offered("zsh", &["tools", "--", "s"]).contains(&"sh".to_owned()));
    assert_eq!(user.offered("fish", &["run", "--", "sh", "ser"]), ["server.sh"]);
}

#[test]
fn files_are_offered_behind_the_sign_for_one_and_below_a_home() {
    let user = User::with_notes("files");
    user.run(&["tools", "notes"]);
    let call = |shell: &str, words: &[&str]| user.offered(shell, &[&["call", "notes", "book"], words].concat());
    for shell in ["bash", "zsh", "fish"] {
        assert_eq!(call(shell, &["--args", "@ser"]), ["@server.sh"], "{shell}");
        assert_eq!(user.offered(shell, &["call", "--args", "@ser"]), ["@server.sh"], "{shell}");
    }
    assert_eq!(call("fish", &["--args=@ser"]), ["--args=@server.sh"]);
    assert_eq!(call("fish", &["--args", ""]), ["@\ta file", "-\tstandard input"]);
    // Quotes are the shell's, and a home means one outside of them alone.
    assert_eq!(call("fish", &["--seat", "'ser"]), ["server.sh"]);
    assert_eq!(call("fish", &["--class", "\"first c"]), ["first class"]);
    std::fs::create_dir_all(user.home.join("two words")).unwrap();
    assert_eq!(call("bash", &["--seat", "~/wh"]), ["~/wharf/"]);
    assert_eq!(call("bash", &["--seat", "~/tw"]), ["~/'two words/'"]);
}

/// What a server lists is a stranger's, and what is written may be anything.
#[test]
fn nothing_that_is_offered_is_run_or_refused() {
    let user = User::new("hostile");
    let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{
        "w":{"enum":["$(touch pwned)","`x`","a*","say \"hi\"","--dash","\u202ebidi","\u00e9t\u00e9","", "plain word"]},
        "n":{"type":["string","null"],"enum":["a",null,1]},"f":{"type":"boolean"},"":{"type":"string"},
        "o":{"type":"object","writeOnly":true,"properties":{"in":{"enum":["SECRET3"],"default":"SECRET3"}}},
        "l":{"type":"array","items":{"enum":["x","y"]}},"e":{"allOf":[{"enum":["p","q"]},{"enum":["q","r"]}]}}}}"#;
    std::fs::write(user.home.join("wharf/tools.json"), format!("[{tool}]")).unwrap();
    let all = |shell: &str, words: &[&str]| {
        user.offered(shell, &[&["call", "--dry-run", "--catalog", "tools.json", "t"], words].concat())
    };
    let words = all("bash", &["--w", ""]);
    assert_eq!(words, ["'`x`'", "'say \"hi\"'", "\u{e9}t\u{e9}", "'plain word'"]);
    assert!(all("bash", &["--w=", "="]).is_empty());
    for (option, offered) in [("--n", "a"), ("--e", "q"), ("--o.in", "")] {
        assert_eq!(all("fish", &[option, ""]).join(" "), offered, "{option}");
    }
    assert_eq!(all("fish", &["--n:="]), ["--n:=\"a\"", "--n:=null"]);
    assert_eq!(all("fish", &["--l:=x"]), [""; 0]);
    assert!(all("fish", &["--no-f="]).is_empty() && !all("fish", &["--"]).iter().any(|line| line.starts_with("--\t")));
    assert!(!all("fish", &[""]).concat().contains("SECRET3"));
    let help = user.run(&["call", "--catalog", "tools.json", "t", "--help"]);
    assert!(!text(&help).contains("SECRET3"), "{}", text(&help));
    // An option of ours with a value that looks like another, and files that are none.
    for odd in [
        &["call", "--timeout", "-5", ""][..],
        &["call", "--policy", "-", "x", "y", "--"],
        &["call", "--config", "-", ""],
    ] {
        assert!(user.offered("bash", odd).iter().all(|word| word.starts_with('-')), "{odd:?}");
    }
}

#[test]
fn a_catalogue_is_as_good_as_a_server() {
    let user = User::new("catalogue");
    std::fs::write(user.home.join("wharf/tools.json"), format!("{{\"tools\":[{TOOLS}]}}")).unwrap();
    let call =
        |words: &[&str]| user.offered("bash", &[&["call", "--dry-run", "--catalog", "tools.json"], words].concat());
    assert_eq!(call(&["b"]), ["book"]);
    assert_eq!(call(&["book", "--cl"]), ["--class"]);
    assert_eq!(user.offered("bash", &["describe", "--catalog", "tools.json", "c"]), ["cancel"]);
    assert!(call(&["nobody", "--"]).is_empty());
}

#[test]
fn commands_and_their_own_options_are_offered() {
    let user = User::with_notes("commands");
    let offered = |words: &[&str]| user.offered("bash", words);
    assert_eq!(offered(&["snap"]), ["snapshot"]);
    assert_eq!(offered(&["diff", "--format", "sa"]), ["sarif"]);
    assert_eq!(offered(&["tools", "nota"]), ["notary"]);
    assert_eq!(offered(&["config", "remove", "note"]), ["notes"]);
    assert_eq!(offered(&["check", "notes", "--profile", "gemini-s"]), ["gemini-schema"]);
    assert_eq!(offered(&["check", "notes", "--profile", "openai,gemini-s"]), ["openai,gemini-schema"]);
    assert_eq!(offered(&["run", "--profile", "au"]), ["auto"]);
    assert_eq!(offered(&["install", "claude-c"]), ["claude-code"]);
    assert_eq!(offered(&["judge", "toolg"]), ["toolgate.toml"]);
    assert_eq!(offered(&["manifest", "notes", "--for", "bed"]), ["bedrock"]);
    // A shell that nobody knows, and a question without words, are answered by a usual run.
    let mut odd = toolgate(&["--version"]);
    assert!(text(&odd.env("TOOLGATE_COMPLETE", "abacus").output().unwrap()).starts_with("toolgate "));
}

#[test]
fn every_shell_has_a_script_that_asks() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = toolgate(&["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output).contains("TOOLGATE_COMPLETE"), "{shell}");
        // Nothing of a line that is being written is run.
        assert!(!text(&output).contains("Invoke-Expression"), "{shell}");
    }
    assert_eq!(toolgate(&["completions", "abacus"]).output().unwrap().status.code(), Some(64));
    assert_eq!(toolgate(&["completions"]).output().unwrap().status.code(), Some(64));
}

/// What a real shell makes of the script: what it would put into the line.
fn in_shell(shell: &str, user: &User, ask: &str) -> Option<String> {
    let found = Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        assert!(std::env::var_os("TOOLGATE_NO_SKIP").is_none(), "{shell} is not installed");
        println!("skipped: {shell} is not installed");
        return None;
    }
    let script = text(&toolgate(&["completions", shell]).output().unwrap());
    let path = support::file(&format!("_toolgate.{shell}"), &script);
    let folder = Path::new(env!("CARGO_BIN_EXE_toolgate")).parent().unwrap();
    let path_of = std::env::join_paths([folder, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let asked = ask.replace("SCRIPT", path.to_str().unwrap());
    let options: &[&str] = match shell {
        "bash" => &["--norc", "-c"],
        "zsh" => &["-f", "-c"],
        _ => &["--no-config", "-c"],
    };
    let mut command = Command::new(shell);
    command.args(options).arg(&asked).env("PATH", path_of).env("TERM", "dumb");
    let output = user.as_user(&mut command).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text(&output).trim().to_owned())
}

#[test]
fn bash_completes_with_it() {
    let user = User::with_notes("bash");
    user.run(&["tools", "notes"]);
    let ask = |words: &str| {
        let line = format!(
            "source SCRIPT; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _clap_complete_toolgate toolgate \"${{COMP_WORDS[-1]}}\" x 2>&1; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        in_shell("bash", &user, &line)
    };
    let Some(servers) = ask("toolgate call not") else { return };
    assert_eq!(servers, "notes\nnotary");
    assert_eq!(ask("toolgate call notes ''").unwrap(), "book\ncancel");
    assert_eq!(ask("toolgate call notes book --class ''").unwrap(), "'first class'\nsecond");
    assert_eq!(ask("toolgate call notes book --class = sec").unwrap(), "second");
    // Inside a quote that is open, bash adds what is missing.
    let script = text(&toolgate(&["completions", "bash"]).output().unwrap());
    assert!(script.contains("TOOLGATE_COMPLETE_WORD=\"${COMP_WORDS[COMP_CWORD]}\""), "{script}");
    let mut open = toolgate(&["--", "toolgate", "call", "notes", "book", "--class", "f"]);
    open.env("TOOLGATE_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "5").env("TOOLGATE_COMPLETE_WORD", "\"f");
    assert_eq!(text(&user.as_user(&mut open).output().unwrap()), "first class");
}

#[test]
fn fish_completes_with_it() {
    let user = User::with_notes("fish");
    user.run(&["tools", "notes"]);
    let ask = |line: &str| in_shell("fish", &user, &format!("source SCRIPT; complete --do-complete '{line}'"));
    let Some(servers) = ask("toolgate call not") else { return };
    assert!(servers.starts_with("notes\t") && servers.contains("\nnotary\t"), "{servers}");
    assert_eq!(ask("toolgate call notes c").unwrap(), "cancel");
    let classes = ask("toolgate call notes book --class ").unwrap();
    assert_eq!(classes, "first class\nsecond");
    assert_eq!(ask("toolgate call notes book --class \"f").unwrap(), "first class");
}

/// zsh completes on a terminal alone, which `zpty` gives it.
#[test]
fn zsh_completes_with_it() {
    let user = User::with_notes("zsh");
    user.run(&["tools", "notes"]);
    std::fs::create_dir_all(user.home.join("functions")).unwrap();
    let script = text(&toolgate(&["completions", "zsh"]).output().unwrap());
    std::fs::write(user.home.join("functions/_toolgate"), script).unwrap();
    let ask = |line: &str, seconds: u32| {
        // The first completion of a session loads the script, and has to be answered too.
        let asked = format!(
            "zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z 'PS1=; fpath=($HOME/functions $fpath); autoload -U compinit; \
             compinit -u -d $HOME/dump; echo ready'; zpty -r z out '*ready*ready*'; zpty -n -w z $'{line}\\t'; sleep {seconds}; \
             zpty -n -w z $'\\x01echo \\x05\\n'; zpty -w z 'echo over'; zpty -r z out '*over*over*'; print -r -- \"$out\""
        );
        in_shell("zsh", &user, &asked)
    };
    // A terminal says nothing of when it is done: on a busy machine it is given longer.
    let completes = |line: &str, expected: &[&str]| {
        let mut seen = String::new();
        for seconds in [1, 4, 16] {
            let Some(now) = ask(line, seconds) else { return };
            if expected.iter().any(|expected| now.contains(expected)) {
                return;
            }
            seen = now;
        }
        panic!("{line}\n{seen}");
    };
    completes("toolgate call notes can", &["toolgate call notes cancel"]);
    completes("toolgate call notes book --seat ~/wh", &["toolgate call notes book --seat ~/wharf/"]);
    completes("toolgate call notes book --class f", &["--class first\\ class", "--class first class"]);
}
