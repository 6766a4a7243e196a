//! `call`, `tools`, `describe` and `servers` as their user runs them, before servers that say what a test wants: over standard input
//! and output in lines of shell, and over HTTP.

use crate::support::http::{self as web, Asked, Http, Reply, events, result};
#[cfg(target_os = "linux")]
use crate::support::on_a_terminal;
use crate::support::{self, text, toolgate};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
const BOOK: &str = r#"{"name":"book","title":"Book a seat","description":"Books a seat. It is kept for an hour.","inputSchema":{"type":"object","properties":{"seat":{"type":"string","description":"Which seat."},"price":{"type":"number"},"rows":{"type":"array","items":{"type":"integer"}}},"required":["seat"]}}"#;

fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A server in lines of shell that lists `book` and then does what `then` says; `$call` is the call that it got.
fn shell(then: &str) -> String {
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{BOOK}]}}}}"#);
    format!("read a; echo '{HELLO}'; read b; read c; echo '{list}'; read call; {then}")
}

/// Calls a tool of a server in lines of shell.
fn call(before: &[&str], words: &[&str], script: &str) -> Output {
    toolgate(&["call"]).args(before).args(words).args(["--", "sh", "-c", script]).output().unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, out: &str, err: &str) {
    assert_eq!((output.status.code(), &*text(output), &*complaint(output)), (Some(code), out, err));
}

/// The server's answer to the call.
fn answers(result: &str) -> String {
    format!("echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{result}}}'; cat > /dev/null")
}

const TEXT: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;

#[test]
fn a_call_goes_through_with_its_digits_and_so_does_the_answer() {
    let script = shell(&format!(
        r#"case "$call" in *'"arguments":{{"seat":"007","price":12345678901234567890.10,"rows":[1,-2]}}'*) ;; *) exit 9;; esac; {}"#,
        answers(r#"{"content":[],"structuredContent":{"total":98765432109876543210.50,"z":1,"a":2}}"#)
    ));
    let words = ["book", "--seat", "007", "--price", "12345678901234567890.10", "--rows", "1", "--rows", "-2"];
    ends(&call(&["--format", "json"], &words, &script), 0, "{\"total\":98765432109876543210.50,\"z\":1,\"a\":2}\n", "");
    ends(&call(&["--select", "/total"], &words, &script), 0, "98765432109876543210.50\n", "");
    let none = call(&["--select", "/b"], &words, &script);
    ends(&none, 65, "", "error: the answer has nothing at /b\n");
}

#[test]
fn what_the_schema_refuses_never_reaches_the_server() {
    let mark = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call-reached");
    let _ = std::fs::remove_file(&mark);
    let script = shell(&format!("echo \"$call\" > '{}'; cat > /dev/null", mark.display()));
    let output = call(&[], &["book", "--seet", "SECRET-1", "--price", "SECRET-2"], &script);
    assert_eq!(output.status.code(), Some(64));
    let told = complaint(&output);
    assert!(told.contains("--seet: no such option; did you mean --seat?"), "{told}");
    assert!(told.contains("--price: must be `number`") && told.contains("missing required --seat"), "{told}");
    assert!(!told.contains("SECRET"), "{told}");
    assert_eq!(std::fs::read_to_string(&mark).unwrap_or_default().trim(), "");
    let dry = call(&["--dry-run"], &["book", "--seat", "1"], &script);
    ends(&dry, 0, "{\"arguments_text\":\"{\\\"seat\\\":\\\"1\\\"}\"}\n", "");
    assert_eq!(std::fs::read_to_string(&mark).unwrap_or_default().trim(), "");
}

#[test]
fn an_error_of_the_tool_and_an_error_of_the_protocol_end_differently() {
    let error = shell(&answers(r#"{"content":[{"type":"text","text":"no such seat"}],"isError":true}"#));
    let words = ["book", "--seat", "1"];
    ends(&call(&[], &words, &error), 2, "", "error: the tool answered with an error:\nno such seat\n");
    let raw = call(&["--format", "raw"], &words, &error);
    ends(&raw, 2, "{\"content\":[{\"type\":\"text\",\"text\":\"no such seat\"}],\"isError\":true}\n", "");
    let broken = r#"echo '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"on fire"}}'; cat > /dev/null"#;
    let output = call(&[], &words, &shell(broken));
    ends(&output, 3, "", "error: the server answered tools/call with an error: on fire\n");
    let output = call(&[], &words, &shell("echo gone >&2; exit 1"));
    ends(&output, 3, "", "error: the server ended before it answered tools/call; its last words:\ngone\n");
    let output = call(&["--timeout", "1"], &words, &shell("cat > /dev/null"));
    ends(&output, 3, "", "error: the server did not answer tools/call within 1 s (--timeout)\n");
}

#[test]
fn what_a_server_asks_meanwhile_is_declined() {
    let form = r#"{"jsonrpc":"2.0","id":"f","method":"elicitation/create","params":{"message":"Who?"}}"#;
    let model = r#"{"jsonrpc":"2.0","id":"m","method":"sampling/createMessage","params":{}}"#;
    let script = shell(&format!(
        r#"echo '{form}'; read one; case "$one" in *'"id":"f","result":{{"action":"decline"}}'*) ;; *) exit 9;; esac
           echo '{model}'; read two; case "$two" in *'"id":"m","error"'*) ;; *) exit 9;; esac; {}"#,
        answers(TEXT)
    ));
    let told = "note: the server asked for `elicitation/create`, which was declined\n\
                note: the server asked for `sampling/createMessage`, which was declined\n";
    ends(&call(&[], &["book", "--seat", "1"], &script), 0, "done\n", told);
}

#[test]
fn a_server_without_a_handshake_is_spoken_to_in_its_way() {
    let list = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"resultType":"complete","tools":[{BOOK}]}}}}"#);
    let says = r#"*'"io.modelcontextprotocol/protocolVersion":"2026-07-28"'*) ;; *) exit 9;; esac"#;
    let asks = r#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","requestState":"s1","inputRequests":{"q":{"method":"elicitation/create","params":{}}}}}"#;
    let script = format!(
        r#"read a; echo '{{"jsonrpc":"2.0","id":1,"error":{{"code":-32601,"message":"no"}}}}'
           read b; case "$b" in *server/discover*) ;; *) exit 9;; esac; case "$b" in {says}
           echo '{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{}}}}}}'
           read c; case "$c" in {says}; echo '{list}'; read call; case "$call" in {says}; echo '{asks}'
           read more; case "$more" in *'"inputResponses":{{"q":{{"action":"decline"}}}},"requestState":"s1"'*) ;; *) exit 9;; esac
           echo '{{"jsonrpc":"2.0","id":5,"result":{TEXT}}}'; cat > /dev/null"#
    );
    let told = "note: the server asked for `elicitation/create`, which was declined\n";
    ends(&call(&[], &["book", "--seat", "1"], &script), 0, "done\n", told);
}

/// Waits until the file has a line, which is soon or never.
fn wait_for(path: &Path) -> String {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(Instant::now() < deadline, "{} stays empty", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whoever runs the tests may have started them deaf to SIGINT, as a shell does in the background; so are those that they start.
fn is_interrupt_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap() & 2 == 2
}

#[test]
fn an_interrupt_cancels_the_call() {
    if is_interrupt_ignored() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (got, cancelled) = (folder.join("call-got"), folder.join("call-cancelled"));
    for path in [&got, &cancelled] {
        let _ = std::fs::remove_file(path);
    }
    let script = shell(&format!(
        "echo got > '{}'; read line; echo \"$line\" > '{}'; cat > /dev/null",
        got.display(),
        cancelled.display()
    ));
    let process = toolgate(&["call", "book", "--seat", "1", "--", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&got);
    assert!(Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap().success());
    ends(&process.wait_with_output().unwrap(), 130, "", "error: interrupted\n");
    let told: Value = serde_json::from_str(&wait_for(&cancelled)).unwrap();
    assert_eq!((&told["method"], &told["params"]["requestId"]), (&json!("notifications/cancelled"), &json!(3)));
}

/// More than pipes hold.
fn long_arguments(name: &str) -> String {
    let seat = json!({"seat": "x".repeat(300_000)});
    format!("@{}", support::file(name, &seat.to_string()).display())
}

#[test]
fn a_server_that_reads_no_more_is_waited_for_no_longer_than_any() {
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{BOOK}]}}}}"#);
    let listed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call-listed");
    let _ = std::fs::remove_file(&listed);
    let script = format!(
        "read a; echo '{HELLO}'; read b; read c; echo '{list}'; echo > '{}'; exec sleep 1000",
        listed.display()
    );
    let arguments = long_arguments("call-long.json");
    let output = call(&["--timeout", "1"], &["book", "--args", &arguments], &script);
    ends(&output, 3, "", "error: the server did not answer tools/call within 1 s (--timeout)\n");
    std::fs::remove_file(&listed).unwrap();
    let process = toolgate(&["call", "book", "--args", &arguments, "--", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&listed);
    assert!(Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap().success());
    let output = process.wait_with_output().unwrap();
    // Between the list and the call nothing is asked that could be interrupted: there it ends without a word.
    assert!(["", "error: interrupted\n"].contains(&&*complaint(&output)), "{}", complaint(&output));
    assert_eq!((output.status.code(), &*text(&output)), (Some(143), ""));
}

#[test]
fn a_server_that_asks_without_end_is_no_answer() {
    let asks = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    let output = toolgate(&["tools", "--timeout", "60", "--", "yes", asks]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let why = "error: the server's answer to initialize cannot be read: it asks for more than 1000 things before it answers\n";
    assert!(complaint(&output).ends_with(why), "{}", complaint(&output));
    // What is no question is not answered, and is not waited for either.
    let says = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let output = toolgate(&["tools", "--timeout", "1", "--", "yes", says]).output().unwrap();
    ends(&output, 3, "", "error: the server did not answer initialize within 1 s (--timeout)\n");
}

#[test]
fn pages_without_end_are_no_list() {
    let script = format!(
        r#"read a; echo '{HELLO}'; read b; id=1; while read c; do id=$((id+1)); sleep 0.05
           echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"tools":[],"nextCursor":"'$id'"}}}}'; done"#
    );
    let output = toolgate(&["tools", "--timeout", "1", "--", "sh", "-c", &script]).output().unwrap();
    ends(&output, 3, "", "error: the server did not answer tools/list within 1 s (--timeout)\n");
}

#[test]
fn what_a_server_has_detached_is_not_waited_for() {
    let script = "setsid sleep 1000 < /dev/null > /dev/null & echo gone >&2; echo $! >&2; exit 1";
    let process = toolgate(&["tools", "--", "sh", "-c", script]).stderr(Stdio::piped()).spawn().unwrap();
    let output = process.wait_with_output().unwrap();
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.starts_with("error: the server ended before it answered initialize; its last words:\ngone\n"),
        "{told}"
    );
    let detached = told.lines().last().unwrap();
    assert!(Command::new("kill").arg(detached).status().unwrap().success());
}

/// The guard refuses such lines, too: of two readers, one may take another answer than the other.
#[test]
fn an_answer_that_two_readers_read_differently_is_none() {
    let words = ["book", "--seat", "1"];
    let cases = [
        (
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]},"result":{"content":[1]}}"#,
            "a name is given twice in the frame or in its params",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]},"error":{"code":1,"message":"m"}}"#,
            "the frame is not exactly one of a request, a notification, a result and an error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":false,"isError":true}}"#,
            "it gives `isError` twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"content":[{"type":"text","text":"x"}]}}"#,
            "it gives `content` twice",
        ),
    ];
    for (answer, why) in cases {
        let output = call(&[], &words, &shell(&format!("echo '{answer}'; cat > /dev/null")));
        ends(&output, 3, "", &format!("error: the server's answer to tools/call cannot be read: {why}\n"));
    }
    let bytes =
        r#"printf '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"\377"}]}}\n'; cat > /dev/null"#;
    let output = call(&[], &words, &shell(bytes));
    ends(&output, 3, "", "error: the server's answer to tools/call cannot be read: the frame is not UTF-8\n");
    let large = r#"printf '{"jsonrpc":"2.0","id":3,"result":{"content":[],"x":"'; head -c 67108864 /dev/zero | tr '\0' x; echo '"}}'; cat > /dev/null"#;
    let output = call(&[], &words, &shell(large));
    ends(
        &output,
        3,
        "",
        "error: the server's answer to tools/call cannot be read: the frame is larger than the limit\n",
    );
    // A banner is no answer, however it is written.
    let banner = format!("printf 'caf\\351 3\\n'; {}", answers(TEXT));
    ends(&call(&[], &words, &shell(&banner)), 0, "done\n", "");
}

#[test]
fn a_revision_that_is_not_known_is_not_spoken() {
    let hello = HELLO.replace("2025-06-18", "1999-01-01");
    let output =
        toolgate(&["tools", "--", "sh", "-c", &format!("read a; echo '{hello}'; cat > /dev/null")]).output().unwrap();
    let why = "error: the server speaks the revision `1999-01-01` of the protocol, which this program does not know\n";
    ends(&output, 3, "", why);
}

/// A server that is deaf to the end of its input and to polite signals, and says who it is in the file.
fn stubborn(pid: &Path) -> String {
    format!("trap '' TERM HUP INT; echo $$ > '{}'; while :; do sleep 1; done", pid.display())
}

fn is_running(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().unwrap().success() && !state.contains(") Z ")
}

#[test]
fn a_signal_ends_the_server_too() {
    let folder = folder("call-signals", &[]);
    for (index, (signal, code, command)) in [
        ("TERM", 143, &["call", "book", "--seat", "1"][..]),
        ("TERM", 143, &["tools"]),
        ("TERM", 143, &["check"]),
        ("TERM", 143, &["describe", "book"]),
        ("INT", 130, &["check"]),
    ]
    .into_iter()
    .filter(|(signal, ..)| *signal != "INT" || !is_interrupt_ignored())
    .enumerate()
    {
        let pid = folder.join(format!("pid-{index}"));
        let script = match command[0] {
            "call" => shell(&stubborn(&pid)),
            _ => format!("read a; {}", stubborn(&pid)),
        };
        let process = toolgate(command)
            .args(["--", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let server = wait_for(&pid).trim().to_owned();
        let sent = Command::new("kill").args([&format!("-{signal}"), &process.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{command:?}: {}", complaint(&output));
        assert!(complaint(&output).starts_with("error: interrupted"), "{}", complaint(&output));
        assert!(!is_running(&server), "{command:?} leaves its server behind");
    }
}

#[test]
fn a_second_signal_ends_all_at_once() {
    let folder = folder("call-signals-twice", &[]);
    let pid = folder.join("pid");
    let process = toolgate(&["call", "book", "--seat", "1", "--", "sh", "-c", &shell(&stubborn(&pid))])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let server = wait_for(&pid).trim().to_owned();
    let begun = Instant::now();
    for _ in 0..2 {
        assert!(Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(process.wait_with_output().unwrap().status.code(), Some(143));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert!(!is_running(&server));
}

#[test]
fn who_talks_on_without_an_answer_is_silent() {
    let chatter = r#"while echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'; do :; done"#;
    let output = call(&["--timeout", "1"], &["book", "--seat", "1"], &shell(chatter));
    ends(&output, 3, "", "error: the server did not answer tools/call within 1 s (--timeout)\n");
}

#[test]
fn a_result_that_is_none_is_told() {
    let words = ["book", "--seat", "1"];
    for result in ["{}", r#"{"content":"x"}"#, r#"{"content":null}"#, r#"{"structuredContent":null}"#] {
        ends(&call(&[], &words, &shell(&answers(result))), 0, "", "note: the answer has no content\n");
    }
    let output = call(&[], &words, &shell(&answers(r#"{"task":{"taskId":"x"}}"#)));
    let told =
        "error: the server answered with a task in place of a result, and this program does not wait for tasks\n";
    ends(&output, 3, "", told);
    ends(&call(&[], &words, &shell(&answers(r#"{"content":[]}"#))), 0, "", "");
}

#[test]
fn a_folder_that_takes_nothing_is_told_before_the_call() {
    let folder = folder("call-unsaved", &[("file", "")]);
    let called = folder.join("called");
    let script = shell(&format!("echo \"$call\" > '{}'; {}", called.display(), answers(TEXT)));
    for save in [folder.join("file"), folder.join("file/below"), PathBuf::from("/proc/nope/x")] {
        let output = call(&["--save", save.to_str().unwrap()], &["book", "--seat", "1"], &script);
        assert_eq!((output.status.code(), &*text(&output)), (Some(74), ""), "{}", complaint(&output));
        assert_eq!(std::fs::read_to_string(&called).unwrap_or_default().trim(), "", "{}", save.display());
    }
}

#[test]
fn a_file_that_cannot_be_kept_costs_itself_alone() {
    let folder = folder("call-half-saved", &[]);
    let content = r#"{"content":[{"type":"text","text":"done"},{"type":"image","data":"%%%","mimeType":"image/png"},{"type":"image","data":"YQ==","mimeType":"image/png"}]}"#;
    let output = call(&["--save", folder.to_str().unwrap()], &["book", "--seat", "1"], &shell(&answers(content)));
    assert_eq!(output.status.code(), Some(65), "{}", complaint(&output));
    assert!(text(&output).starts_with("done\n"), "{}", text(&output));
    assert!(complaint(&output).ends_with("error: the image of the answer is no Base64\n"), "{}", complaint(&output));
    assert_eq!(std::fs::read_to_string(folder.join("image.png")).unwrap(), "a");
}

#[test]
fn of_two_tools_of_a_name_the_first_is_the_tool() {
    let second = BOOK.replace("\"seat\"", "\"place\"");
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{BOOK},{second}]}}}}"#);
    let script = format!("read a; echo '{HELLO}'; read b; read c; echo '{list}'; read call; {}", answers(TEXT));
    let note = "note: `book` is listed 2 times; this is the first of them\n";
    ends(&call(&[], &["book", "--seat", "1"], &script), 0, "done\n", note);
    let output = toolgate(&["describe", "book", "--", "sh", "-c", &script]).output().unwrap();
    assert_eq!((output.status.code(), &*complaint(&output)), (Some(0), note));
    assert!(text(&output).contains("--seat TEXT") && !text(&output).contains("--place"), "{}", text(&output));
}

#[test]
fn a_word_that_belongs_to_no_option_starts_nothing() {
    let folder = folder("call-stray", &[]);
    let started = folder.join("started");
    let script = format!("touch '{}'", started.display());
    for (word, told) in [
        (
            "seat=SECRET",
            "error: a word after the tool belongs to no option; every argument is an option: --seat VALUE\n",
        ),
        (
            "SECRET",
            "error: a word after the tool belongs to no option, or the server is named twice, by its name and by a command after --\n",
        ),
        (
            "SECRET==",
            "error: a word after the tool belongs to no option, or the server is named twice, by its name and by a command after --\n",
        ),
    ] {
        ends(&call(&[], &["book", word], &script), 64, "", told);
        assert!(!started.exists());
    }
    for words in [&["call", "notes", "--help"][..], &["call", "notes", "-h"]] {
        let output = toolgate(words).output().unwrap();
        assert_eq!((output.status.code(), &*complaint(&output)), (Some(0), ""));
        assert!(text(&output).contains("Options of a tool:"), "{}", text(&output));
    }
    let output = toolgate(&["run", "--", "https://example.com/mcp"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(
        complaint(&output).contains("the guard takes the command of one that speaks over"),
        "{}",
        complaint(&output)
    );
}

#[test]
fn a_server_that_fails_among_others_is_named() {
    let own = "[servers.broken]\ncommand = \"false\"\n";
    let folder = folder("call-all", &[("toolgate.toml", own)]);
    let output = inside(&folder, &["tools"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        complaint(&output).ends_with("note: that was the server `broken`, which is left out\n"),
        "{}",
        complaint(&output)
    );
    // The first of several is what the program ends with.
    let own = "[servers.away]\ncommand = \"false\"\n[servers.unset]\ncommand = \"${NOT_SET_HERE}\"\n";
    let folder = inside(&self::folder("call-all-fail", &[("toolgate.toml", own)]), &["tools"]).output().unwrap();
    assert_eq!(folder.status.code(), Some(3), "{}", complaint(&folder));
}

#[cfg(target_os = "linux")]
#[test]
fn no_answer_steers_a_terminal() {
    let evil = "A\u{9b}31mB\u{202e}C\u{200b}D";
    let folder = folder("call-terminal", &[]);
    let program = env!("CARGO_BIN_EXE_toolgate");
    let tool = BOOK.replace("Which seat.", evil);
    for (name, result, options, to) in [
        ("error", r#"{"isError":true,"content":[{"type":"text","text":"\u001b[35mEVIL"}]}"#, "", ">/dev/null"),
        ("json", r#"{"content":[{"type":"text","text":"EVIL"}]}"#, "--format json", ""),
        ("raw", r#"{"content":[{"type":"text","text":"EVIL"}]}"#, "--format raw", ""),
        ("text", r#"{"content":[],"structuredContent":{"EVIL":"EVIL"}}"#, "", ""),
    ] {
        let script = shell(&answers(&result.replace("EVIL", evil)));
        let file = folder.join(format!("{name}.sh"));
        std::fs::write(&file, script).unwrap();
        let words = format!("call {options} book --seat 1 -- sh {} {to}", file.display());
        let Some(shown) = on_a_terminal("", &words) else { return };
        assert!(shown.contains("A\\u") && shown.contains('D'), "{name}: {shown:?}");
        assert!(
            !shown.contains(['\u{9b}', '\u{202e}', '\u{200b}']) && !shown.contains("\u{1b}[35m"),
            "{name}: {shown:?}"
        );
    }
    let catalogue = folder.join("tools.json");
    std::fs::write(&catalogue, format!("[{tool}]")).unwrap();
    for words in ["tools --format json", "describe --format json book"] {
        let (command, rest) = words.split_once(' ').unwrap();
        let told = format!("{command} --catalog {} {rest}", catalogue.display());
        let Some(shown) = on_a_terminal("", &told) else { return };
        assert!(shown.contains("A\\u009b31mB\\u202eC\\u200bD"), "{words}: {shown:?}");
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{200b}']), "{words}: {shown:?}");
        // Elsewhere it stays as it is.
        let piped = Command::new("sh").args(["-c", &format!("{program} {told}")]).output().unwrap();
        assert!(text(&piped).contains(evil), "{words}");
    }
}

#[test]
fn what_leaves_by_a_pipe_is_what_was_written() {
    // An operating system command that is never ended, a colour, and single characters that steer a terminal.
    const TOLD: &str = "start \u{1b}]0;title\nbalance: 42 \u{1b}[31mred\u{7}\u{8}\u{7f}\u{9b}end";
    let words = ["book", "--seat", "1\u{7f}"];
    let told = |result: String, options: &[&str]| {
        // `echo` would read what is behind a backslash.
        let reply = answers(&result).replacen("echo", "printf '%s\\n'", 1);
        let output = call(options, &words, &shell(&reply));
        (output.status.code(), text(&output), complaint(&output))
    };
    let json = json!(TOLD).to_string();
    let block = format!(r#"{{"type":"text","text":{json}}}"#);
    let done = |out: String| (Some(0), out, String::new());
    let content = format!(r#"{{"content":[{block}]}}"#);
    assert_eq!(told(content.clone(), &[]), done(format!("{TOLD}\n")));
    assert_eq!(told(content.clone(), &["--format", "raw"]), done(format!("{content}\n")));
    let (code, out, _) = told(content.clone(), &["--format", "json"]);
    assert_eq!((code, serde_json::from_str::<String>(&out).unwrap().as_str()), (Some(0), TOLD));
    assert!(out.contains('\u{7f}'), "it is not what the server wrote: {out}");
    let structured = format!(r#"{{"content":[],"structuredContent":{{"is":{json}}}}}"#);
    assert_eq!(told(structured, &["--select", "/is"]), done(format!("{TOLD}\n")));
    let failed = told(format!(r#"{{"isError":true,"content":[{block}]}}"#), &[]);
    assert_eq!(failed, (Some(2), String::new(), format!("error: the tool answered with an error:\n{TOLD}\n")));
    let sent = call(&["--dry-run"], &words, &shell("exit 9"));
    let sent: Value = serde_json::from_str(&text(&sent)).unwrap();
    assert_eq!(sent["arguments_text"], "{\"seat\":\"1\u{7f}\"}");
}

#[test]
fn answers_are_shown_as_they_are_asked_for() {
    let words = ["book", "--seat", "1"];
    let show = |options: &[&str], result: &str| {
        let output = call(options, &words, &shell(&answers(result)));
        assert_eq!((output.status.code(), &*complaint(&output)), (Some(0), ""), "{options:?}");
        text(&output)
    };
    // What is structured is not told twice.
    let both = r#"{"content":[{"type":"text","text":"{\"a\": {}, \"b\": [1.50]}"},{"type":"text","text":"and more"}],"structuredContent":{"a":{},"b":[1.50]}}"#;
    assert_eq!(show(&[], both), "{\n  \"a\": {},\n  \"b\": [\n    1.50\n  ]\n}\nand more\n");
    assert_eq!(show(&["--format", "json"], both), "{\"a\":{},\"b\":[1.50]}\n");
    let wrapped = r#"{"content":[{"type":"text","text":"[1, 2]"}],"structuredContent":{"list":[1,2]}}"#;
    assert_eq!(show(&[], wrapped), "{\n  \"list\": [\n    1,\n    2\n  ]\n}\n");
    // What is not the same digit by digit, name by name and in one order is told.
    for other in [
        r#"{"b":12345678901234567891,"a":1}"#,
        r#"{"a":1,"b":12345678901234567890}"#,
        r#"{"b":12345678901234567890,"a":1,"a":1}"#,
        r#"{"b":1.2345678901234567890e19,"a":1}"#,
    ] {
        let result = json!({"content": [{"type": "text", "text": other}]}).to_string();
        let result = result.replacen('{', r#"{"structuredContent":{"b":12345678901234567890,"a":1},"#, 1);
        assert!(show(&[], &result).ends_with(&format!("}}\n{other}\n")), "{other}");
    }
    let image = r#"{"content":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"},{"type":"resource_link","uri":"x://y","name":"y"}]}"#;
    assert_eq!(show(&[], image), "[image image/png, 5 bytes; --save FOLDER keeps it]\n[resource_link y x://y]\n");
    let list = r#"{"content":[{"type":"text","text":"[{\"id\":1.0,\"name\":\"a\"},{\"id\":22}]"}]}"#;
    assert_eq!(show(&["--format", "table"], list), "id   name\n1.0  a\n22\n");
    assert_eq!(show(&["--select", "/0/name"], list), "a\n");
    assert_eq!(show(&["--format", "json", "--select", "/0/name"], list), "\"a\"\n");
    assert_eq!(show(&["--format", "json"], TEXT), "\"done\"\n");
}

#[test]
fn what_is_no_table_is_said_to_be_none() {
    let words = ["book", "--seat", "1"];
    let two = r#"{"content":[],"structuredContent":{"rooms":[{"a":1}],"seats":[{"b":2}]}}"#;
    let output = call(&["--format", "table"], &words, &shell(&answers(two)));
    let why = "note: the answer is no table: it holds 2 lists; ask for one with --select /rooms or --select /seats\n";
    assert_eq!((output.status.code(), &*complaint(&output)), (Some(0), why));
    assert!(text(&output).starts_with("{\n  \"rooms\""), "{}", text(&output));
    ends(&call(&["--format", "table", "--select", "/seats"], &words, &shell(&answers(two))), 0, "b\n2\n", "");
    let why = "note: the answer is no table: it is not structured, and its text is no JSON\n";
    ends(&call(&["--format", "table"], &words, &shell(&answers(TEXT))), 0, "done\n", why);
}

#[test]
fn a_text_in_a_wrapper_is_shown_as_the_text() {
    let words = ["book", "--seat", "1"];
    let answer = |structured: &str| {
        shell(&answers(&format!(
            r#"{{"content":[{{"type":"text","text":"one\\ntwo"}}],"structuredContent":{structured}}}"#
        )))
    };
    let wrapped = answer(r#"{"content":"one\\ntwo"}"#);
    ends(&call(&[], &words, &wrapped), 0, "one\ntwo\n", "");
    ends(&call(&["--format", "json"], &words, &wrapped), 0, "{\"content\":\"one\\ntwo\"}\n", "");
    // What says more than the text is shown as it is.
    let more = answer(r#"{"content":"one\\ntwo","lines":2}"#);
    ends(&call(&[], &words, &more), 0, "{\n  \"content\": \"one\\ntwo\",\n  \"lines\": 2\n}\none\ntwo\n", "");
    let other = answer(r#"{"content":"three"}"#);
    ends(&call(&[], &words, &other), 0, "{\n  \"content\": \"three\"\n}\none\ntwo\n", "");
}

#[test]
fn images_and_files_are_kept_and_none_is_written_over() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call-saved");
    let _ = std::fs::remove_dir_all(&folder);
    let content = r#"{"content":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///etc/../notes.txt","text":"one"}},{"type":"image","data":"YQ==","mimeType":"image/png"}]}"#;
    let output = call(&["--save", folder.to_str().unwrap()], &["book", "--seat", "1"], &shell(&answers(content)));
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!([read("image.png"), read("notes.txt"), read("image-2.png")], ["hello", "one", "a"]);
    assert_eq!(complaint(&output).lines().count(), 3);
}

#[test]
fn undeclared_keys_are_refused_as_far_as_is_said() {
    let schema = r#"{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}}}}}"#;
    let catalogue = support::file("call-keys.json", &format!(r#"[{{"name":"t","inputSchema":{schema}}}]"#));
    let policy = support::file("call-keys.toml", "[tools.t]\nunknown_keys = \"close-root\"\n");
    let call = |options: &[&str], words: &[&str]| {
        let mut command = toolgate(&["call", "--dry-run"]);
        let output = command.args(options).arg("--catalog").arg(&catalogue).arg("t").args(words).output().unwrap();
        (output.status.code(), complaint(&output))
    };
    let (nested, root) = (&["--o.b", "1"][..], &["--p", "1"][..]);
    assert_eq!((call(&[], nested).0, call(&[], root).0), (Some(0), Some(64)));
    let closed = &["--unknown-keys", "close-declared"][..];
    assert_eq!(call(closed, nested).0, Some(64));
    assert_eq!(call(&["--unknown-keys", "as-written"], root).0, Some(0));
    // What a policy says of one tool is said for that tool.
    let with_policy = [closed, &["--policy", policy.to_str().unwrap()]].concat();
    assert_eq!(call(&with_policy, nested).0, Some(0));
    let told = call(&[], &["--unknown-keys", "as-written"]).1;
    assert!(told.contains("hint: --unknown-keys is an option of toolgate: write it before"), "{told}");
}

#[test]
fn help_has_what_is_typed_whole_and_the_shape_of_json() {
    let schema = r#"{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},"required":["old"]}},"m":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["edits"]}"#;
    let list = format!(r#"{{"tools":[{{"name":"edit","inputSchema":{schema}}}]}}"#);
    let reply = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{list}}}"#);
    let script = format!("read a; echo '{HELLO}'; read b; read c; echo '{reply}'; cat > /dev/null");
    let folder = folder("call-help", &[("list.json", &list), ("serve.sh", &script)]);
    let own = "[servers.notes]\ncommand = 'sh'\nargs = ['serve.sh']\n";
    std::fs::write(folder.join("toolgate.toml"), own).unwrap();
    let example = r#"'--edits:=[{"old":"text"}]'"#;
    for (words, usage, line) in [
        (
            &["call", "notes", "edit", "--help"][..],
            "toolgate call notes edit --edits JSON... [OPTIONS]",
            format!("toolgate call notes edit {example}"),
        ),
        (
            &["describe", "--catalog", "list.json", "edit"],
            "toolgate call --dry-run --catalog list.json edit --edits JSON... [OPTIONS]",
            format!("toolgate call --dry-run --catalog list.json edit {example}"),
        ),
        (
            &["call", "edit", "-h", "--", "sh", "serve.sh", "--api-key", "CANARY-1"],
            "toolgate call edit --edits JSON... [OPTIONS] -- sh serve.sh --api-key '***'",
            format!("toolgate call edit {example} -- sh serve.sh --api-key '***'"),
        ),
    ] {
        let output = inside(&folder, words).env("COLUMNS", "120").output().unwrap();
        let told = text(&output);
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        assert!(told.contains(&format!("\nUsage: {usage}\n")), "{told}");
        assert!(told.contains(&format!("\nExample:\n  {line}\n")), "{told}");
        assert!(!told.contains("CANARY"), "{told}");
        let shape = "  --edits JSON...  [JSON: [{ old: string, new?: string }]]\n                   \
                     such as: --edits '{\"old\":\"text\"}'\n";
        assert!(told.contains(shape) && told.contains("      such as: --m '{\"name\":1}'\n"), "{told}");
    }
    // What is shown as an example is a call.
    for words in [&["--edits", r#"{"old":"text"}"#, "--m", r#"{"name":1}"#][..], &[r#"--edits:=[{"old":"text"}]"#]] {
        let before = ["call", "--dry-run", "--catalog", "list.json", "edit"];
        let output = inside(&folder, &[&before[..], words].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_of_tools_fits_the_screen_and_has_a_line_a_tool_in_a_pipe() {
    let sentence = format!("{}end.", "many words ".repeat(40));
    let tools = json!([
        {"name": "a", "description": format!("{sentence} More."), "inputSchema": {}},
        {"name": "n".repeat(60), "description": sentence, "inputSchema": {}},
    ]);
    let catalogue = support::file("call-wide.json", &tools.to_string());
    let words = format!("tools --catalog {}", catalogue.display());
    if let Some(shown) = on_a_terminal("COLUMNS=80 NO_COLOR=1", &words) {
        assert!(shown.lines().all(|line| line.trim_end().chars().count() <= 80), "{shown}");
    }
    let piped = toolgate(&["tools", "--catalog"]).arg(&catalogue).output().unwrap();
    let expected = format!("a  {sentence}\n{}  {sentence}\n2 tools\n", "n".repeat(60));
    assert_eq!(text(&piped), expected);
}

#[test]
fn tools_are_listed_for_people_and_as_a_catalogue() {
    let bad = r#"{"name":"bad","inputSchema":{"type":"nonsense"}}"#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{BOOK},{bad}]}}}}"#);
    let script = format!("read a; echo '{HELLO}'; read b; read c; echo '{list}'; cat > /dev/null");
    let output = toolgate(&["tools", "--", "sh", "-c", &script]).output().unwrap();
    let told = text(&output);
    assert!(told.starts_with("book  Books a seat.\nbad   unusable: its schema does not compile: "), "{told}");
    assert!(told.ends_with("2 tools\n"), "{told}");
    let output = toolgate(&["tools", "--format", "json", "--", "sh", "-c", &script]).output().unwrap();
    assert_eq!(text(&output), format!("{{\"tools\":[{BOOK},{bad}]}}\n"));

    let catalogue = support::file("call-listed.json", &text(&output));
    let describe = |options: &[&str]| {
        let output =
            toolgate(&["describe"]).args(options).arg("--catalog").arg(&catalogue).arg("book").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        text(&output)
    };
    let told = describe(&[]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["Book a seat", "--seat TEXT", "--rows INTEGER...", "book --seat text", "proven"] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let described: Value = serde_json::from_str(&describe(&["--format", "json"])).unwrap();
    assert_eq!(described["example"], "--seat text");
    assert_eq!(described["shown"]["proof"]["verdict"], "proven");
    let output = toolgate(&["describe", "--catalog"]).arg(&catalogue).arg("bok").output().unwrap();
    ends(&output, 64, "", "error: there is no tool `bok`; did you mean `book`?\n");
}

// ---- servers by name

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// The program in a folder, with no other configuration in reach.
fn inside(folder: &Path, args: &[&str]) -> Command {
    let mut command = toolgate(args);
    command
        .current_dir(folder)
        .env_remove("TOOLGATE_CONFIG")
        .env("XDG_CONFIG_HOME", folder.join("none"))
        .env("HOME", folder);
    command
}

#[test]
fn servers_are_called_by_their_names() {
    let script = shell(&format!(r#"case "$X" in "one two") ;; *) exit 9;; esac; {}"#, answers(TEXT)));
    let own = format!(
        "[servers.seats]\ncommand = \"sh\"\nargs = [\"-c\", {}]\nenv = {{ X = \"${{FIRST}} ${{SECOND:-two}}\" }}\n",
        json!(script)
    );
    let client = r#"{"mcpServers": {"seats": {"command": "false"}, "remote": {"url": "https://example.com/mcp?key=SECRET", "headers": {"K": "${KEY}"}}, }} // mine"#;
    let folder = folder("call-servers", &[("toolgate.toml", &own), (".mcp.json", client)]);
    let words = ["call", "seats", "book", "--seat", "1"];
    ends(&inside(&folder, &words).env("FIRST", "one").output().unwrap(), 0, "done\n", "");
    let output = inside(&folder, &words).env_remove("FIRST").output().unwrap();
    ends(&output, 78, "", "error: toolgate.toml: server `seats`: the variable `FIRST` is not set\n");
    let output = inside(&folder, &["call", "seat", "book"]).output().unwrap();
    ends(&output, 64, "", "error: there is no server `seat`; did you mean `seats`?\n");
    for word in ["seats.book", "seats/book"] {
        for command in ["call", "describe"] {
            let output = inside(&folder, &[command, word]).output().unwrap();
            let told = format!("error: the server and its tool are two words: toolgate {command} seats book\n");
            ends(&output, 64, "", &told);
        }
        let output = inside(&folder, &["tools", word]).output().unwrap();
        let told =
            format!("error: there is no server `{word}`; the server `seats` and a tool `book` would be two words\n");
        ends(&output, 64, "", &told);
    }
    let listed = inside(&folder, &["servers"]).output().unwrap();
    let told = text(&listed);
    assert!(told.lines().nth(2).unwrap().contains("https://example.com/mcp  .mcp.json"), "{told}");
    assert!(told.lines().nth(1).unwrap().ends_with("hidden by an earlier file"), "{told}");
    assert!(!told.contains("SECRET"), "{told}");
    let other = inside(&folder, &["call", "--config", ".mcp.json", "seats", "book"]).output().unwrap();
    assert_eq!(other.status.code(), Some(3), "{}", complaint(&other));
}

#[test]
fn a_variable_that_is_nearly_one_of_ours_is_told_once() {
    let folder = folder("call-variables", &[]);
    let mut command = inside(&folder, &["servers"]);
    let output = command.env("TOOLGATE_CONFG", "SECRET").env("TOOLGATE_TOKEN", "x").output().unwrap();
    let told = "note: the variable `TOOLGATE_CONFG` sets nothing; did you mean `TOOLGATE_CONFIG`?\n";
    assert_eq!((output.status.code(), &*complaint(&output)), (Some(0), told));
}

#[test]
fn words_without_a_server_or_a_tool_are_told_what_is_missing() {
    let folder = folder("call-nothing", &[]);
    for words in
        [&["call", "book", "--seat", "1"][..], &["call", "seats"], &["call", "--dry-run", "book", "--seat", "1", "--"]]
    {
        let output = inside(&folder, words).output().unwrap();
        assert_eq!(output.status.code(), Some(64));
        assert!(complaint(&output).contains("name the server and then the tool"), "{}", complaint(&output));
    }
    for words in [&["tools"][..], &["servers"]] {
        let output = inside(&folder, words).output().unwrap();
        let told = text(&output) + &complaint(&output);
        assert!(told.contains("`toolgate config add NAME -- COMMAND` names one"), "{told}");
    }
    assert_eq!(inside(&folder, &["tools"]).output().unwrap().status.code(), Some(64));
    let output = inside(&folder, &["call", "nobody", "book"]).output().unwrap();
    assert!(complaint(&output).contains("none is named in toolgate.toml, .mcp.json"), "{}", complaint(&output));
}

#[test]
fn a_server_without_a_tool_is_told_with_its_tools() {
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{BOOK}]}}}}"#);
    let script = format!("read a; echo '{HELLO}'; read b; read c; echo '{list}'; cat > /dev/null");
    let servers = ["one", "two"].map(|name| format!("[servers.{name}]\ncommand = 'sh'\nargs = ['serve.sh']\n"));
    let folder = folder("call-which", &[("serve.sh", &script), ("toolgate.toml", &servers.concat())]);
    for command in ["call", "describe"] {
        let output = inside(&folder, &[command, "one"]).output().unwrap();
        let told = format!("error: name a tool after the server, toolgate {command} one TOOL: it has `book`\n");
        ends(&output, 64, "", &told);
    }
    // Of several servers, a line in a pipe is a tool with its server.
    let output = inside(&folder, &["tools"]).output().unwrap();
    ends(&output, 0, "one  book  Books a seat.\ntwo  book  Books a seat.\n", "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_guard_at_a_terminal_says_what_it_waits_for() {
    if let Some(shown) = on_a_terminal("NO_COLOR=1", "run -- cat") {
        assert!(shown.contains("waits for a client on standard input"), "{shown}");
    }
}

#[test]
fn arguments_on_standard_input_are_read_where_that_is_said() {
    let catalogue = support::file("call-input.json", &format!("[{BOOK}]"));
    let given = support::file("call-input-arguments.json", "{\"seat\":\"1\"}");
    let asked = |more: &[&str], input: Stdio| {
        let mut command = toolgate(&["call", "--dry-run", "--catalog"]);
        let output = command.arg(&catalogue).arg("book").args(more).stdin(input).output().unwrap();
        (output.status.code(), complaint(&output))
    };
    let file = || Stdio::from(std::fs::File::open(&given).unwrap());
    let note = "note: standard input is not read; --args - takes all arguments from it, as a JSON object\n";
    let (code, told) = asked(&[], file());
    assert!(code == Some(64) && told.ends_with(note), "{told}");
    assert_eq!(asked(&["--args", "-"], file()), (Some(0), String::new()));
    assert!(!asked(&[], Stdio::null()).1.contains("note:"));
    for more in [&["--args", "{}"][..], &["--price", "1"], &["seat"]] {
        assert!(!asked(more, file()).1.contains("note:"), "{more:?}");
    }
}

// ---- over HTTP

#[test]
fn a_host_that_knows_no_such_place_is_asked_at_another() {
    let server = Http::serve(|_| (404, vec![], String::new()));
    let address = server.url.strip_suffix("/mcp").unwrap_or(&server.url).to_owned();
    let output = toolgate(&["tools", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).contains("HTTP status 404; perhaps its address ends in /mcp"), "{}", complaint(&output));
}

/// A server with sessions that answers the call as `then` says.
fn session(then: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Http {
    Http::serve(move |asked| match (asked.verb.as_str(), asked.method()) {
        ("POST", "initialize") => {
            let hello = HELLO.split_once("\"result\":").unwrap().1.strip_suffix('}').unwrap();
            let (status, mut headers, body) = web::json(result(asked, hello));
            headers.push(("Mcp-Session-Id", "session-1".to_owned()));
            (status, headers, body)
        }
        ("POST", "tools/list") => {
            events(format!(": hello\n\ndata: {}\n\n", result(asked, &format!(r#"{{"tools":[{BOOK}]}}"#))))
        }
        ("POST", "tools/call") => then(asked),
        ("GET", _) if asked.header("last-event-id").is_some() => then(asked),
        ("GET", _) => (405, vec![], String::new()),
        _ => (202, vec![], String::new()),
    })
}

fn call_web(server: &Http, before: &[&str], words: &[&str]) -> Command {
    let mut command = toolgate(&["call"]);
    command.args(before).arg(&server.url).args(words);
    command
}

#[test]
fn a_session_is_kept_and_ended() {
    let server = session(|asked| web::json(result(asked, TEXT)));
    ends(&call_web(&server, &[], &["book", "--seat", "007"]).output().unwrap(), 0, "done\n", "");
    let mut asked = server.asked();
    asked.retain(|asked| asked.verb != "GET");
    let methods: Vec<&str> = asked.iter().map(Asked::method).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list", "tools/call", ""]);
    assert_eq!(asked.last().unwrap().verb, "DELETE");
    for asked in &asked[1..] {
        assert_eq!(asked.header("mcp-session-id"), Some("session-1"), "{asked:?}");
        assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"), "{asked:?}");
        assert_eq!(asked.header("mcp-method"), None, "{asked:?}");
    }
    assert!(asked[3].text.contains(r#""arguments":{"seat":"007"}"#), "{}", asked[3].text);
}

#[test]
fn a_broken_stream_is_taken_up_where_it_ended() {
    let server = session(|asked| match asked.verb.as_str() {
        "POST" => {
            events("id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n".to_owned())
        }
        _ => events(format!("id: e2\ndata: {{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{TEXT}}}\n\n")),
    });
    ends(&call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap(), 0, "done\n", "");
    let asked = server.asked();
    assert!(asked.iter().any(|asked| asked.verb == "GET" && asked.header("last-event-id") == Some("e1")), "{asked:?}");
    let endless = session(|_| events("id: e1\nretry: 1\n\n".to_owned()));
    let output = call_web(&endless, &[], &["book", "--seat", "1"]).output().unwrap();
    ends(&output, 3, "", "error: the server ended before it answered tools/call\n");
}

#[test]
fn without_sessions_the_head_says_what_the_body_says() {
    let marked = BOOK.replacen("book", "bücher", 1).replacen(r#""seat":{"#, r#""seat":{"x-mcp-header":"Seat","#, 1);
    let server = Http::serve(move |asked| match asked.method() {
        "initialize" => {
            (400, vec![], r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no handshake"}}"#.to_owned())
        }
        "server/discover" => web::json(result(
            asked,
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#,
        )),
        "tools/list" => web::json(result(asked, &format!(r#"{{"resultType":"complete","tools":[{}]}}"#, marked))),
        _ => events(format!("data: {}\n\n", result(asked, TEXT))),
    });
    ends(&call_web(&server, &[], &["bücher", "--seat", "1"]).output().unwrap(), 0, "done\n", "");
    let asked = server.asked();
    assert_eq!(asked.len(), 4, "{asked:?}");
    for asked in &asked[1..] {
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-method"), Some(asked.method()));
        assert_eq!(asked.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(asked.header("mcp-session-id"), None);
    }
    assert_eq!(asked[3].header("mcp-name"), Some("=?base64?YsO8Y2hlcg==?="));
    assert_eq!(asked[3].header("mcp-param-seat"), Some("1"));
}

#[test]
fn a_server_that_asks_who_we_are_is_told_only_what_was_given() {
    let server = Http::serve(|asked| match asked.header("authorization") {
        Some("Bearer TOKEN-7") if asked.header("x-key") == Some("k TOKEN-8") => {
            (500, vec![], "<html>no</html>".to_owned())
        }
        _ => (401, vec![("WWW-Authenticate", "Bearer".to_owned())], String::new()),
    });
    let output = call_web(&server, &[], &["book"]).output().unwrap();
    ends(
        &output,
        4,
        "",
        "error: the server asks who we are (HTTP status 401); sign in with `toolgate login`, or give a token with --bearer-env or --header\n",
    );
    let given = ["--bearer-env", "MY_TOKEN", "--header", "X-Key: k ${MY_KEY}"];
    let mut command = call_web(&server, &given, &["book"]);
    let output = command.env("MY_TOKEN", "TOKEN-7").env("MY_KEY", "TOKEN-8").output().unwrap();
    ends(&output, 3, "", "error: the server answered initialize with HTTP status 500\n");
    let output = call_web(&server, &given, &["book"]).env_remove("MY_TOKEN").env("MY_KEY", "x").output().unwrap();
    ends(&output, 78, "", "error: the variable `MY_TOKEN` is not set\n");
}

#[test]
fn a_redirect_is_no_answer_and_nobody_there_is_told() {
    let server = Http::serve(|_| (307, vec![("Location", "http://127.0.0.1:1/".to_owned())], String::new()));
    let output = call_web(&server, &[], &["book"]).output().unwrap();
    ends(&output, 3, "", "error: the server answered initialize with HTTP status 307\n");
    let output = toolgate(&["call", "http://127.0.0.1:1/mcp", "book"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).starts_with("error: the server could not be reached: "), "{}", complaint(&output));
}

#[test]
fn what_a_server_repeats_of_us_is_not_repeated() {
    for (status, quoted) in [(500, false), (500, true), (200, false)] {
        let server = Http::serve(move |asked| {
            let heard = format!("{} {}", asked.header("authorization").unwrap(), asked.header("x-key").unwrap());
            let body = match quoted {
                true => format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32603,"message":"boom {heard}"}}}}"#),
                false => format!("boom {heard}"),
            };
            (status, vec![], body)
        });
        let given = ["--bearer-env", "MY_TOKEN", "--header", "X-Key: HEADER-8"];
        let output = call_web(&server, &given, &["book"]).env("MY_TOKEN", "TOKEN-7").output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let told = complaint(&output);
        assert!(told.contains("boom *** ***"), "{told}");
        assert!(!told.contains("TOKEN-7") && !told.contains("HEADER-8"), "{told}");
    }
}

#[test]
fn a_session_that_the_server_ended_is_begun_anew_once() {
    let server = session(|asked| match asked.header("mcp-session-id") {
        Some("session-1") if asked.body["id"] == 3 => (404, vec![], "Session not found".to_owned()),
        _ => web::json(result(asked, TEXT)),
    });
    ends(&call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap(), 0, "done\n", "");
    let asked = server.asked();
    let methods: Vec<&str> = asked.iter().map(Asked::method).filter(|method| !method.is_empty()).collect();
    let again = ["initialize", "notifications/initialized", "tools/call"];
    assert_eq!(
        methods,
        [&["initialize", "notifications/initialized", "tools/list", "tools/call"][..], &again].concat()
    );
    let greeted: Vec<&Asked> = asked.iter().filter(|asked| asked.method() == "initialize").collect();
    assert_eq!(greeted[1].header("mcp-session-id"), None);
    let never = session(|_| (404, vec![], String::new()));
    let output = call_web(&never, &[], &["book", "--seat", "1"]).output().unwrap();
    let told = "error: the server ended the session before it looked at tools/call (HTTP status 404)\n";
    ends(&output, 3, "", told);
    assert_eq!(never.asked().iter().filter(|asked| asked.method() == "initialize").count(), 2);
}

#[test]
fn what_was_not_asked_for_is_told_as_it_is() {
    let server = session(|asked| {
        let (status, mut headers, body) = web::json(result(asked, TEXT));
        headers.push(("Content-Encoding", "gzip".to_owned()));
        (status, headers, body)
    });
    let output = call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap();
    let told =
        "error: the server's answer to tools/call cannot be read: it is encoded as `gzip`, which was not asked for\n";
    ends(&output, 3, "", told);
    let marked = session(|asked| events(format!("\u{feff}data: {}\r\r", result(asked, TEXT))));
    ends(&call_web(&marked, &[], &["book", "--seat", "1"]).output().unwrap(), 0, "done\n", "");
}

#[test]
fn a_stream_may_be_longer_than_an_event() {
    let server = session(|asked| {
        let event =
            format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"{}\"}}\n\n", "x".repeat(10_000_000));
        events(format!("{}data: {}\n\n", event.repeat(7), result(asked, TEXT)))
    });
    ends(&call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap(), 0, "done\n", "");
}

#[test]
fn a_guard_waits_for_an_answer_as_long_as_it_is_told_and_says_so() {
    let folder = folder("call-guard-ends", &[("ask", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n")]);
    let guard = |limit: &str, server: &str| {
        let ask = std::fs::File::open(folder.join("ask")).unwrap();
        toolgate(&["run", "--limit", limit, "--", "sh", "-c", server]).stdin(ask).output().unwrap()
    };
    let silent = guard("end_time_max_ms=100", "sleep 1000");
    assert_eq!(silent.status.code(), Some(0));
    assert!(text(&silent).contains("the guard ended before the server answered"), "{}", text(&silent));
    let gone = guard("end_time_max_ms=100000", "read ask");
    assert!(text(&gone).contains("the server ended before it answered"), "{}", text(&gone));
}

#[cfg(target_os = "linux")]
#[test]
fn a_guard_whose_client_cannot_be_answered_says_so() {
    let folder = folder("call-guard-full", &[("ask", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n")]);
    let server = r#"read ask; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat > /dev/null"#;
    let output = toolgate(&["run", "--", "sh", "-c", server])
        .stdin(std::fs::File::open(folder.join("ask")).unwrap())
        .stdout(std::fs::File::options().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(complaint(&output).contains("cannot write to standard output"), "{}", complaint(&output));
}

/// The head of a stream of events that stays open.
const OPEN: &str = "HTTP/1.1 200 Said\r\nContent-Type: text/event-stream\r\n\r\n";
const WHO_ARE_WE: &str = "error: the server asks who we are (HTTP status 401), after it had begun with the request; sign in with \
                          `toolgate login`, or give a token with --bearer-env or --header\n";

#[test]
fn who_asks_who_we_are_amid_a_call_is_told_and_the_call_is_made_once() {
    let server = session(|asked| match asked.verb.as_str() {
        "POST" => events("id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n".to_owned()),
        _ => (401, vec![("WWW-Authenticate", "Bearer".to_owned())], String::new()),
    });
    ends(&call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap(), 4, "", WHO_ARE_WE);
    assert_eq!(server.asked().iter().filter(|asked| asked.method() == "tools/call").count(), 1);
}

/// A server that writes what it likes in place of an answer to the call, and answers what else is asked as `then` says.
fn writes(
    write: impl Fn(&mut TcpStream) + Send + Sync + 'static,
    then: impl Fn(&Asked) -> Option<Reply> + Send + Sync + 'static,
) -> Http {
    Http::serve_or_write(move |asked, stream| match asked.method() {
        "initialize" => {
            Some(web::json(result(asked, r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#)))
        }
        "tools/list" => Some(web::json(result(asked, &format!(r#"{{"tools":[{BOOK}]}}"#)))),
        "tools/call" => {
            let _ = stream.write_all(OPEN.as_bytes());
            write(stream);
            // To the end of whoever asks.
            let _ = stream.read(&mut [0]);
            None
        }
        "" => match then(asked) {
            None => {
                let _ = stream.read(&mut [0]);
                None
            }
            reply => reply,
        },
        _ => Some((202, vec![], String::new())),
    })
}

const QUESTION: &[u8] = b"data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n";

#[test]
fn an_answer_of_ours_that_is_not_taken_ends_the_call() {
    let server = writes(
        |stream| drop(stream.write_all(QUESTION)),
        |_| Some((401, vec![("WWW-Authenticate", "Bearer".to_owned())], String::new())),
    );
    ends(&call_web(&server, &["--timeout", "20"], &["book", "--seat", "1"]).output().unwrap(), 4, "", WHO_ARE_WE);
}

#[test]
fn who_asks_without_end_is_answered_until_the_time_is_over() {
    let server = writes(|stream| while stream.write_all(QUESTION).is_ok() {}, |_| None);
    let output = call_web(&server, &["--timeout", "1"], &["book", "--seat", "1"]).output().unwrap();
    ends(&output, 3, "", "error: the server did not answer tools/call within 1 s (--timeout)\n");
    // The first is waited for longer than that.
    let answers = server.asked().iter().filter(|asked| asked.body["id"] == "q").count();
    assert!((1..=2).contains(&answers), "{answers}");
}

#[test]
fn an_event_that_is_no_text_is_refused() {
    let server = writes(
        |stream| {
            let event = b"data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\"}]}}\n\n";
            let _ = stream.write_all(event);
        },
        |_| Some((202, vec![], String::new())),
    );
    let output = call_web(&server, &[], &["book", "--seat", "1"]).output().unwrap();
    ends(&output, 3, "", "error: the server's answer to tools/call cannot be read: an event is not UTF-8\n");
}

#[test]
fn a_list_without_end_is_not_waited_for() {
    let server = Http::serve(|asked| match asked.method() {
        "initialize" => web::json(result(asked, r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#)),
        "tools/list" => {
            std::thread::sleep(Duration::from_millis(20));
            let progress = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":1}}}}"#,
                asked.body["id"]
            );
            let page = result(asked, &format!(r#"{{"tools":[],"nextCursor":"{}"}}"#, asked.body["id"]));
            events(format!("data: {progress}\n\ndata: {page}\n\n"))
        }
        _ => (202, vec![], String::new()),
    });
    let output = toolgate(&["tools", "--timeout", "1", &server.url]).output().unwrap();
    ends(&output, 3, "", "error: the server did not answer tools/list within 1 s (--timeout)\n");
}
