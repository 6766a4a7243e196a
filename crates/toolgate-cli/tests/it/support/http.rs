//! A server of streamable HTTP on a port of its own that answers as a test says, and keeps what it was asked.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "test code")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub verb: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `null` where there is none.
    pub body: Value,
    pub text: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

pub struct Http {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Status, further headers and body.
pub type Reply = (u16, Vec<(&'static str, String)>, String);

pub fn json(body: String) -> Reply {
    (200, vec![("Content-Type", "application/json".to_owned())], body)
}

pub fn events(body: String) -> Reply {
    (200, vec![("Content-Type", "text/event-stream".to_owned())], body)
}

pub fn result(asked: &Asked, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.body["id"])
}

impl Http {
    pub fn serve(reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Http {
        Http::serve_or_write(move |asked, _| Some(reply(asked)))
    }

    /// As `serve`; what has no reply has written to the client by itself, as a stream that stays open does.
    pub fn serve_or_write(reply: impl Fn(&Asked, &mut TcpStream) -> Option<Reply> + Send + Sync + 'static) -> Http {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, reply) = (asked.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, reply) = (kept.clone(), reply.clone());
                thread::spawn(move || answer(stream, &kept, &*reply));
            }
        });
        Http { url, asked }
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, kept: &Mutex<Vec<Asked>>, reply: &dyn Fn(&Asked, &mut TcpStream) -> Option<Reply>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split(' ').map(str::to_owned);
    let (verb, path) = (words.next().unwrap(), words.next().unwrap());
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let text = String::from_utf8(body).unwrap();
    let asked = Asked { verb, path, headers, body: serde_json::from_str(&text).unwrap_or_default(), text };
    kept.lock().unwrap().push(asked.clone());
    let Some((status, headers, body)) = reply(&asked, &mut stream) else { return };
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head =
        format!("HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    // A client that has heard enough has gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
