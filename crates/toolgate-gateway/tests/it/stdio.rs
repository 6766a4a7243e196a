//! The guard as a process, before small servers of shell: how it ends, what it leaves behind, and that nothing locks.

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The example `guard`, which lies beside the folder of this test.
fn guard(server: &str) -> Command {
    let here = std::env::current_exe().unwrap();
    let example: PathBuf = here.parent().unwrap().parent().unwrap().join("examples").join("guard");
    assert!(example.is_file(), "{} is built with the tests", example.display());
    let mut command = Command::new(example);
    command.args(["sh", "-c", server]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

struct Guarded {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Guarded {
    fn start(server: &str) -> Guarded {
        let mut process = guard(server).spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Guarded { process, input, output }
    }

    fn says(&mut self, line: &str) {
        self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// The exit code, and standard error.
    fn ends(mut self) -> (Option<i32>, String) {
        let mut errors = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.process.wait().unwrap().code(), errors)
    }
}

/// The process that a server has named on a line of standard output of its own.
fn named(line: &str) -> Pid {
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    Pid::from_raw(digits.parse().unwrap()).unwrap()
}

/// Killed processes are gone when their parent has noticed, which takes a moment.
fn is_gone(pid: Pid) -> bool {
    let begun = Instant::now();
    while test_kill_process(pid).is_ok() {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        if state.contains(") Z ") {
            return true;
        }
        if begun.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[test]
fn the_end_of_input_ends_the_server_and_the_guard() {
    let mut guarded = Guarded::start("cat >/dev/null; echo over >&2");
    drop(guarded.input.take());
    let (code, errors) = guarded.ends();
    assert_eq!((code, errors.contains("over")), (Some(0), true), "{errors}");
}

#[test]
fn answers_that_come_after_the_end_of_input_still_reach_the_client() {
    let server = r#"read -r ask; cat >/dev/null; echo '{"jsonrpc":"2.0","id":1,"result":{"late":true}}'"#;
    let mut guarded = Guarded::start(server);
    guarded.says(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    drop(guarded.input.take());
    assert!(guarded.line().contains("late"));
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn a_call_before_the_end_of_input_is_judged_and_reaches_the_server() {
    let server = r#"
        read -r ask
        id=$(echo "$ask" | sed 's/.*"id":\("[^"]*"\).*/\1/')
        echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}}'
        read -r call
        echo "got $call" >&2
        echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'
        cat >/dev/null"#;
    let mut guarded = Guarded::start(server);
    guarded.says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#);
    drop(guarded.input.take());
    assert!(guarded.line().contains(r#""content":[]"#));
    let (code, errors) = guarded.ends();
    assert!(code == Some(0) && errors.contains(r#"got {"jsonrpc":"2.0","id":1"#), "{errors}");
    assert!(errors.contains("toolgate info call tool=x verdict=admitted"), "{errors}");
}

#[test]
fn a_server_that_dies_leaves_an_error_for_each_request() {
    let mut guarded = Guarded::start("read -r ask; exit 7");
    guarded.says(r#"{"jsonrpc":"2.0","id":"a","method":"x"}"#);
    let line = guarded.line();
    assert!(line.contains(r#""id":"a""#) && line.contains("-32603"), "{line}");
    let (code, errors) = guarded.ends();
    assert!(code == Some(3) && errors.contains("exit code 7"), "{errors}");
}

#[test]
fn a_server_that_cannot_be_started_is_no_answer() {
    let here = std::env::current_exe().unwrap();
    let example = here.parent().unwrap().parent().unwrap().join("examples").join("guard");
    let status = Command::new(example).arg("/nonexistent/server").stdin(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_signal_ends_the_server_and_what_it_has_started() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        if is_ignored(signal) {
            continue;
        }
        // Both the server and its child are deaf to the end of input and to SIGTERM.
        let server = r#"trap '' TERM INT HUP; sleep 1000 & echo '{"jsonrpc":"2.0","method":"x","params":{"pid":'$!'}}'; wait; sleep 1000"#;
        let mut guarded = Guarded::start(server);
        let line = guarded.line();
        let grandchild = named(line.rsplit("pid").next().unwrap());
        assert!(test_kill_process(grandchild).is_ok());
        kill_process(guarded.pid(), signal).unwrap();
        assert_eq!(guarded.ends().0, Some(code));
        assert!(is_gone(grandchild), "an orphan is left");
    }
}

#[test]
fn what_the_server_leaves_behind_ends_with_it() {
    let server =
        r#"sleep 1000 >/dev/null 2>&1 & echo '{"jsonrpc":"2.0","method":"x","params":{"pid":'$!'}}'; cat >/dev/null"#;
    let mut guarded = Guarded::start(server);
    let line = guarded.line();
    let grandchild = named(line.rsplit("pid").next().unwrap());
    drop(guarded.input.take());
    assert_eq!(guarded.ends().0, Some(0));
    assert!(is_gone(grandchild), "an orphan is left");
}

#[test]
fn a_client_that_stops_reading_ends_the_guard() {
    let mut guarded = Guarded::start(r#"while read -r line; do echo '{"jsonrpc":"2.0","method":"x"}'; done"#);
    let (pipe, _) = (std::mem::replace(&mut guarded.output, BufReader::new(other_output())), ());
    drop(pipe);
    // Each line is answered by one that nobody reads.
    while let Some(input) = guarded.input.as_mut() {
        if input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n").is_err() {
            guarded.input = None;
        }
    }
    assert_eq!(guarded.ends().0, Some(0));
}

/// The guard reads so much before it waits for a server that reads nothing.
const MORE_THAN_WAITS: usize = (1024 + 128) * 1024;

/// Notifications that come to so many bytes, and to no more than pipes hold beside what waits.
fn flood() -> Vec<u8> {
    let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{{\"a\":\"{}\"}}}}\n", "y".repeat(4000));
    line.repeat(MORE_THAN_WAITS / line.len()).into_bytes()
}

#[test]
fn a_guard_does_not_outlive_its_client_for_a_server_that_does_not_read() {
    let mut guarded = Guarded::start("sleep 1000");
    let begun = Instant::now();
    guarded.input.take().unwrap().write_all(&flood()).unwrap();
    guarded.output = BufReader::new(other_output());
    drop(guarded.process.stderr.take());
    assert_eq!(guarded.process.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_guard_ends_after_its_input_whoever_does_not_read() {
    let flood = flood();
    let garbage = "x\n".repeat(20_000).into_bytes();
    // The server reads nothing; the client reads none of the answers.
    let guards = [("sleep 1000", flood), ("cat >/dev/null", garbage)].map(|(server, lines)| {
        let mut guarded = Guarded::start(server);
        guarded.input.take().unwrap().write_all(&lines).unwrap();
        guarded
    });
    let begun = Instant::now();
    for mut guarded in guards {
        drop(guarded.process.stderr.take());
        assert_eq!(guarded.process.wait().unwrap().code(), Some(0));
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// The output of a process that has written nothing, to stand where the guard's stood.
fn other_output() -> ChildStdout {
    let mut other = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    let output = other.stdout.take().unwrap();
    other.wait().unwrap();
    output
}

#[test]
fn standard_error_that_nobody_reads_does_not_block_the_server() {
    let server =
        r#"read -r ask; head -c 5000000 /dev/zero >&2; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat >/dev/null"#;
    let mut guarded = Guarded::start(server);
    guarded.says(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert!(guarded.line().contains("result"));
    drop(guarded.input.take());
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn large_frames_and_many_of_them_cross_both_ways_at_once() {
    // The server sends back what it gets, so the client's requests come back as the server's.
    let mut guarded = Guarded::start("exec cat");
    let text = "x".repeat(100_000);
    let mut input = guarded.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 0..2000 {
            let filler = if id % 100 == 0 { text.as_str() } else { "" };
            input
                .write_all(
                    format!(r#"{{"jsonrpc":"2.0","method":"x/{id}","params":{{"x":"{filler}"}}}}{}"#, "\n").as_bytes(),
                )
                .unwrap();
        }
    });
    for id in 0..2000 {
        let line = guarded.line();
        assert!(line.starts_with(&format!(r#"{{"jsonrpc":"2.0","method":"x/{id}","#)), "line {id}");
        assert_eq!(line.len() > 100_000, id % 100 == 0);
    }
    writer.join().unwrap();
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn a_server_that_does_not_read_locks_nothing() {
    // It fills its output while it leaves its input unread, then reads; its output stays open to the end.
    let server = r#"i=0; while [ $i -lt 3000 ]; do echo '{"jsonrpc":"2.0","method":"notifications/x","params":{"data":"0123456789012345678901234567890123456789"}}'; i=$((i+1)); done; cat >/dev/null"#;
    let mut guarded = Guarded::start(server);
    let mut input = guarded.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 0..3000 {
            let line = format!(
                r#"{{"jsonrpc":"2.0","method":"y/{id}","params":{{"x":"0123456789012345678901234567890123456789"}}}}"#
            );
            input.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    });
    for _ in 0..3000 {
        assert!(guarded.line().contains("notifications/x"));
    }
    writer.join().unwrap();
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn records_come_in_the_order_of_the_calls() {
    let server = r#"
        while read -r line; do
            case "$line" in
                *'"tools/list"'*)
                    id=$(echo "$line" | sed 's/.*"id":\("[^"]*"\).*/\1/')
                    echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}}' ;;
                *)
                    id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
                    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}' ;;
            esac
        done"#;
    let mut guarded = Guarded::start(server);
    for id in 0..60 {
        let arguments = if id % 2 == 0 { r#"{"a":1}"# } else { "{}" };
        guarded.says(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#
        ));
        assert!(guarded.line().contains(&format!(r#""id":{id},"#)));
    }
    drop(guarded.input.take());
    let (code, errors) = guarded.ends();
    assert_eq!(code, Some(0));
    let verdicts: Vec<char> = errors
        .lines()
        .filter_map(|line| match line {
            line if line.contains("refused") => Some('R'),
            line if line.contains("admitted") => Some('A'),
            _ => None,
        })
        .collect();
    assert_eq!(verdicts.iter().collect::<String>(), "RA".repeat(30), "{errors}");
}

/// Whether this process, and what it starts, ignores a signal: whoever runs the tests may have started them so.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let guard = guard("cat");
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap "" HUP INT; exec "$0" "$@""#]).arg(guard.get_program()).args(guard.get_args());
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (input, output) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
    let mut guarded = Guarded { process, input, output };
    let line = r#"{"jsonrpc":"2.0","method":"x"}"#;
    guarded.says(line);
    assert_eq!(guarded.line().trim(), line);
    for signal in [Signal::HUP, Signal::INT] {
        kill_process(guarded.pid(), signal).unwrap();
        guarded.says(line);
        assert_eq!(guarded.line().trim(), line);
    }
    drop(guarded.input.take());
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn a_guard_that_cannot_begin_leaves_no_server() {
    let pid = std::env::temp_dir().join(format!("toolgate-begins-{}", std::process::id()));
    let server = format!("echo $$ > '{}'; exec sleep 1000", pid.display());
    let guard = guard(&server);
    let (mut failed, mut files) = (0, 6);
    loop {
        let _ = std::fs::remove_file(&pid);
        let limit = format!(r#"ulimit -n {files}; exec "$0" "$@""#);
        let mut command = Command::new("sh");
        command.arg("-c").arg(&limit).arg(guard.get_program()).args(guard.get_args()).stdin(Stdio::null());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        if let Ok(number) = std::fs::read_to_string(&pid)
            && !number.trim().is_empty()
        {
            assert!(is_gone(named(&number)), "with {files} files, a server is left");
        }
        if status.success() {
            break;
        }
        (failed, files) = (failed + 1, files + 1);
    }
    assert!(failed > 5, "{failed} guards had too few files");
    let _ = std::fs::remove_file(&pid);
}

#[test]
fn a_client_that_has_gone_is_not_waited_for_with_its_requests() {
    let mut guarded = Guarded::start("read -r ask; echo '{\"jsonrpc\":\"2.0\",\"method\":\"got\"}'; sleep 1000");
    guarded.says(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    assert!(guarded.line().contains("got"));
    guarded.output = BufReader::new(other_output());
    drop(guarded.input.take());
    assert_eq!(guarded.ends().0, Some(0));
}

#[test]
fn a_server_that_has_exited_is_not_waited_for_because_its_output_is_held_open() {
    let mut guarded = Guarded::start("read -r ask; setsid sleep 100 & cat > /dev/null");
    guarded.says(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    drop(guarded.input.take());
    let line = guarded.line();
    assert!(line.contains("-32603") && line.contains("the server ended before it answered"), "{line}");
    // What is detached holds standard error open, too.
    drop(guarded.process.stderr.take());
    assert_eq!(guarded.process.wait().unwrap().code(), Some(0));
}
