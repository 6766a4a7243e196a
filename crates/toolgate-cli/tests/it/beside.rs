//! What a server of HTTP asks and tells beside a call, by the stream of a session that belongs to no request.

use crate::support::http::{self as web, Asked, Http, Reply, events, result};
use crate::support::{text, toolgate};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::process::Output;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

const TOOLS: &str = r#"{"tools":[{"name":"book","inputSchema":{"type":"object"}}]}"#;
const TEXT: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;
/// Longer than any test takes that passes.
const LONG: Duration = Duration::from_secs(30);

/// What one side of the server knows of the other.
#[derive(Default)]
struct Desk {
    /// Where events go that belong to no request, while there is such a stream.
    stream: Mutex<Option<Sender<String>>>,
    /// What the client has answered.
    answers: Mutex<Vec<Value>>,
    /// Either has changed.
    changed: Condvar,
}

impl Desk {
    /// Begins a stream; what it is to bring.
    fn open(&self, stream: &mut TcpStream) -> Receiver<String> {
        let (sender, events) = mpsc::channel();
        *self.stream.lock().unwrap() = Some(sender);
        self.changed.notify_all();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\n\r\n").unwrap();
        events
    }

    /// Brings what the stream is to bring, for as long as the client is there.
    fn serve(&self, stream: &mut TcpStream) {
        let events = self.open(stream);
        while let Ok(event) = events.recv() {
            if write!(stream, "{event}\n\n").is_err() {
                return;
            }
        }
    }

    /// Puts an event on the stream, which the client has opened or is about to.
    fn put(&self, event: &str) {
        let stream = self.stream.lock().unwrap();
        let (stream, _) = self.changed.wait_timeout_while(stream, LONG, |stream| stream.is_none()).unwrap();
        stream.as_ref().expect("the client opens no stream").send(event.to_owned()).unwrap();
    }

    fn ask(&self, id: &str, method: &str) -> Value {
        self.put(&format!("data: {}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}})));
        let of = |answers: &Vec<Value>| answers.iter().find(|answer| answer["id"] == id).cloned();
        let answers = self.answers.lock().unwrap();
        let (answers, _) = self.changed.wait_timeout_while(answers, LONG, |answers| of(answers).is_none()).unwrap();
        of(&answers).expect("the client does not answer")
    }

    fn is_answered(&self, answer: &Value) {
        self.answers.lock().unwrap().push(answer.clone());
        self.changed.notify_all();
    }
}

/// A server whose stream is served, and whose calls are answered, as the two say.
fn server(
    listens: impl Fn(&Desk, &Asked, &mut TcpStream) -> Option<Reply> + Send + Sync + 'static,
    calls: impl Fn(&Desk, &Asked) -> Reply + Send + Sync + 'static,
) -> Http {
    let desk = Arc::new(Desk::default());
    let begun = Mutex::new(0);
    Http::serve_or_write(move |asked, stream| {
        Some(match (asked.verb.as_str(), asked.method()) {
            ("GET", _) => return listens(&desk, asked, stream),
            ("POST", "initialize") => {
                let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}"#;
                let (status, mut headers, body) = web::json(result(asked, hello));
                let mut begun = begun.lock().unwrap();
                *begun += 1;
                headers.push(("Mcp-Session-Id", format!("session-{begun}")));
                (status, headers, body)
            }
            ("POST", "tools/list") => web::json(result(asked, TOOLS)),
            ("POST", "tools/call") => calls(&desk, asked),
            ("POST", "") => {
                desk.is_answered(&asked.body);
                (202, vec![], String::new())
            }
            _ => (202, vec![], String::new()),
        })
    })
}

fn stays_open(desk: &Desk, _: &Asked, stream: &mut TcpStream) -> Option<Reply> {
    desk.serve(stream);
    None
}

fn call(server: &Http, options: &[&str]) -> Output {
    toolgate(&["call"]).args(options).args([&server.url, "book"]).output().unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, out: &str, err: &str) {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!((output.status.code(), &*text(output), &*told), (Some(code), out, err));
}

fn listened(server: &Http) -> Vec<Asked> {
    server.asked().into_iter().filter(|asked| asked.verb == "GET").collect()
}

#[test]
fn what_is_asked_beside_a_call_is_answered() {
    let server = server(stays_open, |desk, asked| {
        desk.put("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        assert_eq!(desk.ask("p", "ping")["result"], json!({}));
        assert_eq!(desk.ask("e", "elicitation/create")["result"], json!({"action": "decline"}));
        assert!(desk.ask("s", "sampling/createMessage")["error"]["message"].is_string());
        assert_eq!(desk.ask("r", "roots/list")["error"]["code"], -32601);
        web::json(result(asked, TEXT))
    });
    let told = ["elicitation/create", "sampling/createMessage", "roots/list"]
        .map(|method| format!("note: the server asked for `{method}`, which was declined\n"));
    ends(&call(&server, &[]), 0, "done\n", &told.concat());
    let [listened] = &*listened(&server) else { panic!("one stream") };
    assert_eq!(listened.header("accept"), Some("text/event-stream"));
    assert_eq!(listened.header("mcp-session-id"), Some("session-1"));
    assert_eq!(listened.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(server.asked().last().unwrap().verb, "DELETE", "the session ends although its stream is open");
}

#[test]
fn who_has_no_such_stream_is_left_alone() {
    let page = vec![("Content-Type", "text/html".to_owned())];
    let elsewhere = vec![("Location", "http://127.0.0.1:1/".to_owned())];
    for (status, headers, body) in [
        (405, vec![], ""),
        (401, vec![], ""),
        (404, vec![], "not here"),
        (500, vec![], "broken"),
        (307, elsewhere, ""),
        (200, page, "data: {}\n\n"),
    ] {
        let refused = move |_: &Desk, _: &Asked, _: &mut TcpStream| Some((status, headers.clone(), body.to_owned()));
        let server = server(refused, |_, asked| web::json(result(asked, TEXT)));
        ends(&call(&server, &[]), 0, "done\n", "");
        assert_eq!(listened(&server).len(), 1, "{status}");
    }
}

#[test]
fn only_a_call_listens() {
    let server = server(stays_open, |_, asked| web::json(result(asked, TEXT)));
    for words in
        [&["tools", &server.url][..], &["describe", &server.url, "book"], &["call", &server.url, "book", "--help"]]
    {
        assert_eq!(toolgate(words).output().unwrap().status.code(), Some(0), "{words:?}");
    }
    assert!(listened(&server).is_empty());
}

#[test]
fn a_stream_beside_a_call_is_taken_up_where_it_ended() {
    let broken = |desk: &Desk, asked: &Asked, stream: &mut TcpStream| {
        if asked.header("last-event-id") == Some("e1") {
            desk.serve(stream);
            return None;
        }
        let event = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}";
        Some(events(format!("id: e1\nretry: 1\ndata: {event}\n\n")))
    };
    let server = server(broken, |desk, asked| {
        desk.ask("p", "ping");
        web::json(result(asked, TEXT))
    });
    ends(&call(&server, &[]), 0, "done\n", "");
    assert_eq!(listened(&server).len(), 2);
}

#[test]
fn an_answer_on_the_wrong_stream_is_taken_once() {
    let beside = |desk: &Desk, asked: &Asked| desk.put(&format!("data: {}", result(asked, TEXT)));
    type Calls = Box<dyn Fn(&Desk, &Asked) -> Reply + Send + Sync>;
    let ways: [Calls; 3] = [
        Box::new(move |desk, asked| {
            beside(desk, asked);
            (202, vec![], String::new())
        }),
        Box::new(move |desk, asked| {
            beside(desk, asked);
            events(String::new())
        }),
        Box::new(move |desk, asked| {
            beside(desk, asked);
            beside(desk, asked);
            web::json(result(asked, TEXT))
        }),
    ];
    for calls in ways {
        ends(&call(&server(stays_open, calls), &[]), 0, "done\n", "");
    }
}

#[test]
fn without_an_answer_on_either_stream_there_is_none() {
    let accepted = server(stays_open, |_, _| (202, vec![], String::new()));
    let late = "error: the server did not answer tools/call within 1 s (--timeout)\n";
    ends(&call(&accepted, &["--timeout", "1"]), 3, "", late);
    let ended = server(stays_open, |_, _| events(String::new()));
    ends(&call(&ended, &[]), 3, "", "error: the server ended before it answered tools/call\n");
    for beside in [(405, vec![], String::new()), events("retry: 1\n\n".to_owned())] {
        let alone = server(move |_, _, _| Some(beside.clone()), |_, _| (202, vec![], String::new()));
        ends(&call(&alone, &[]), 3, "", "error: the server answered tools/call with HTTP status 202\n");
    }
}

#[test]
fn a_session_that_is_begun_anew_has_a_stream_of_its_own() {
    let server = server(stays_open, |desk, asked| {
        if asked.header("mcp-session-id") == Some("session-1") {
            *desk.stream.lock().unwrap() = None;
            return (404, vec![], String::new());
        }
        web::json(result(asked, TEXT))
    });
    ends(&call(&server, &[]), 0, "done\n", "");
    let sessions: Vec<String> =
        listened(&server).iter().map(|asked| asked.header("mcp-session-id").unwrap().to_owned()).collect();
    assert_eq!(sessions, ["session-1", "session-2"]);
}
