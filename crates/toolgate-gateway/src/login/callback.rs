//! The redirect to this machine, which brings the code (RFC 8252, section 7.3): a port of the loopback address that takes one
//! request of the right state, and tells all others that they are wrong here. Each visitor has a thread, so that none is in the way of
//! the user.

use super::LoginFault;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};
use url::Url;

/// How often it is looked whether somebody has come back.
const PACE: Duration = Duration::from_millis(50);
/// How long one visitor may take to say its request, and then to take the answer.
const VISIT: Duration = Duration::from_secs(5);
/// Visitors at a time; further ones wait until one of them has gone.
const VISITORS_MAX: usize = 16;
/// Bytes of a request's first line: an address with a code and a state.
const LINE_MAX_BYTES: u64 = 16 * 1024;
/// Characters of what the authorization server says of a refusal.
const WORDS_MAX: usize = 300;
const PATH: &str = "/callback";

const DONE: &str = "Signed in. You can close this window and go back to the terminal.";
const REFUSED: &str = "Not signed in. The terminal says why; you can close this window.";
const WRONG: &str = "Nobody waits for this.";

pub(super) struct Callback {
    listener: TcpListener,
    port: u16,
}

/// The address that the user was sent back to. It holds the code, and is not shown.
pub(super) struct Redirected(String);

impl Redirected {
    pub(super) fn url(&self) -> &str {
        &self.0
    }
}

impl Callback {
    pub(super) fn listen(port: Option<u16>) -> Result<Callback, LoginFault> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).map_err(LoginFault::Port)?;
        listener.set_nonblocking(true).map_err(LoginFault::Port)?;
        let port = listener.local_addr().map_err(LoginFault::Port)?.port();
        Ok(Callback { listener, port })
    }

    /// Where the authorization server is to send the user.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the user to come back from the authorization server at `asked`.
    pub(super) fn wait(
        &self,
        asked: &str,
        patience: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Redirected, LoginFault> {
        let state = Url::parse(asked).ok().and_then(|url| parameter(&url, "state"));
        let state = state.ok_or_else(|| LoginFault::Server("the address to open has no state".to_owned()))?;
        let desk = Desk { address: self.address(), state };
        let deadline = Instant::now() + patience;
        // Whoever is here holds one of these.
        let here = Arc::new(());
        let (sender, outcomes) = mpsc::channel();
        loop {
            match outcomes.try_recv() {
                Ok(outcome) => return outcome,
                // We have a sender ourselves.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            if interrupted.load(Ordering::Relaxed) {
                return Err(LoginFault::Interrupted);
            }
            if Instant::now() >= deadline {
                return Err(LoginFault::Late);
            }
            if Arc::strong_count(&here) > VISITORS_MAX {
                thread::sleep(PACE);
                continue;
            }
            match self.listener.accept() {
                Ok((stream, _)) => {
                    let (desk, sender, here) = (desk.clone(), sender.clone(), here.clone());
                    thread::spawn(move || {
                        // After the first, nobody waits for another.
                        desk.visit(stream).map(|outcome| sender.send(outcome));
                        drop(here);
                    });
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PACE),
                Err(error) => return Err(LoginFault::Port(error)),
            }
        }
    }
}

/// What a visitor is measured by.
#[derive(Clone)]
struct Desk {
    /// Where the user is sent back to.
    address: String,
    state: String,
}

impl Desk {
    /// What one visitor brings; `None` where it is not the user who was sent.
    fn visit(&self, mut stream: TcpStream) -> Option<Result<Redirected, LoginFault>> {
        let url = self.read(&stream).filter(|url| {
            let is_ours = url.path() == PATH && parameter(url, "state").as_deref() == Some(&self.state);
            is_ours && (parameter(url, "code").is_some() || parameter(url, "error").is_some())
        });
        let Some(url) = url else {
            answer(&mut stream, "404 Not Found", WRONG);
            return None;
        };
        if let Some(error) = parameter(&url, "error") {
            answer(&mut stream, "200 OK", REFUSED);
            return Some(Err(LoginFault::Denied {
                error: words(error),
                description: parameter(&url, "error_description").map(words),
            }));
        }
        answer(&mut stream, "200 OK", DONE);
        Some(Ok(Redirected(url.into())))
    }

    fn read(&self, stream: &TcpStream) -> Option<Url> {
        stream.set_nonblocking(false).ok()?;
        stream.set_write_timeout(Some(VISIT)).ok()?;
        let visitor = Visitor { stream, deadline: Instant::now() + VISIT };
        let mut line = String::new();
        BufReader::new(visitor.take(LINE_MAX_BYTES)).read_line(&mut line).ok()?;
        let target = line.strip_prefix("GET ")?.split(' ').next()?;
        Url::parse(&self.address).ok()?.join(target).ok()
    }
}

/// Who is read until the deadline, however little comes at a time.
struct Visitor<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl Read for Visitor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// A parameter of the query, the first of its name.
fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The beginning of a stranger's words.
fn words(text: String) -> String {
    text.chars().take(WORDS_MAX).collect()
}

/// Shows a sentence. A browser that does not wait for it is none of our concern.
fn answer(stream: &mut TcpStream, status: &str, sentence: &str) {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>toolgate</title>\
         <body style=\"font-family:sans-serif;margin:4em\"><p>{sentence}</p></body></html>"
    );
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n",
        page.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(page.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_a_little_now_and_then_is_read_until_the_deadline() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let writes = thread::spawn(move || {
            while writer.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        let visitor = Visitor { stream: &stream, deadline: Instant::now() + Duration::from_millis(50) };
        let error = BufReader::new(visitor).read_line(&mut String::new()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock), "{error}");
        drop(stream);
        writes.join().unwrap();
    }

    #[test]
    fn more_visitors_than_are_read_at_a_time_are_answered_in_turn() {
        let callback = Callback::listen(None).unwrap();
        let address = callback.address();
        let waits = thread::spawn(move || {
            let asked = "https://example.com/?state=STATE";
            callback.wait(asked, Duration::from_secs(60), &AtomicBool::new(false))
        });
        let place = Url::parse(&address).unwrap();
        let connect = || TcpStream::connect((place.host_str().unwrap(), place.port().unwrap())).unwrap();
        let crowd: Vec<TcpStream> = (0..VISITORS_MAX + 4).map(|_| connect()).collect();
        let mut user = connect();
        write!(user, "GET {PATH}?state=STATE&code=CODE HTTP/1.1\r\n\r\n").unwrap();
        // Who hangs up makes room.
        drop(crowd);
        let redirected = waits.join().unwrap().map(|redirected| redirected.url().ends_with("code=CODE"));
        assert!(matches!(redirected, Ok(true)));
    }
}
