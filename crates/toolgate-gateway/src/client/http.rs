//! Streamable HTTP to one server: every message is a POST, on a thread of its own; what comes back, as one body or as a stream of
//! events, comes in lines like those of a process.
//!
//! Up to 2025-11-25 a session is kept. In 2026-07-28 there is none; the head of each request says what its body says.

use super::credential::Credential;
use super::streams::is_stream;
use super::{Endpoint, Fault, LINE_MAX_BYTES, Settings, read};
use crate::login::{self, LoginFault};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Read;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use toolgate::Revision;
use toolgate::json::Value;
use ureq::http::{HeaderMap, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// Lines that wait to be read; a server that writes faster waits.
const LINES_MAX: usize = 16;
/// How long the end of a session, or of a request, may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// Bytes of a body that are shown when its status is no answer.
const WORDS_MAX_BYTES: u64 = 2_000;
const WORDS_MAX: usize = 300;

const ACCEPT: &str = "application/json, text/event-stream";
const SESSION: &str = "Mcp-Session-Id";
const VERSION: &str = "MCP-Protocol-Version";

/// A message for the server.
pub(super) struct Post {
    pub(super) body: String,
    pub(super) method: String,
    pub(super) id: Option<u64>,
    /// The request that a server will not answer before it has this answer of ours.
    pub(super) awaited_by: Option<u64>,
    pub(super) name: Option<String>,
    /// Further headers of a request without a session.
    pub(super) headers: Vec<(String, String)>,
}

pub(super) struct Http {
    shared: Arc<Shared>,
    lines: Receiver<Coming>,
    /// The session beside whose requests has been listened.
    listened: Option<String>,
}

/// What a thread brings.
enum Coming {
    Line(String),
    /// Why the request of this id has no answer.
    Fault(u64, Failure),
}

pub(super) enum Failure {
    Unreached(String),
    /// The status, and the scopes that are asked for.
    Unauthorised(u16, Vec<String>),
    /// The same, of what belongs to a request that was looked at before.
    UnauthorisedSince(u16, Vec<String>),
    Status(u16, String),
    /// There is something, and it is no answer.
    Unreadable(String),
    /// The session is not known any more: the request was not looked at.
    NoSession,
    /// The stream ended before the answer.
    Ended,
}

pub(super) struct Shared {
    pub(super) agent: Agent,
    pub(super) endpoint: Endpoint,
    credential: Credential,
    said: Mutex<Said>,
    sender: SyncSender<Coming>,
}

/// What the server has said that later requests repeat.
#[derive(Clone, Default)]
pub(super) struct Said {
    pub(super) session: Option<String>,
    pub(super) revision: Option<Revision>,
    /// There is a stream of what belongs to no request, or there may soon be one.
    pub(super) has_beside: bool,
    /// The request that was accepted and may be answered there.
    pub(super) accepted: Option<u64>,
}

/// HTTP as everything here speaks it: with the certificates that the system trusts, and without following where it is sent on to.
pub(crate) fn agent(patience: Duration) -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        // A body that is sent on to another place is not what was asked for.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(patience))
        .user_agent(concat!("toolgate/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build();
    config.new_agent()
}

impl Http {
    /// Fails where there is a login that has ended or cannot be read.
    pub(super) fn new(endpoint: Endpoint, settings: &Settings) -> Result<Http, LoginFault> {
        let (sender, lines) = mpsc::sync_channel(LINES_MAX);
        let credential = Credential::of(&endpoint, settings)?;
        let shared = Shared { agent: agent(settings.patience), endpoint, credential, said: Mutex::default(), sender };
        Ok(Http { shared: Arc::new(shared), lines, listened: None })
    }

    /// From now on requests say this revision.
    pub(super) fn speak(&mut self, revision: Revision) {
        self.shared.said().revision = Some(revision);
    }

    /// Forgets the session and what was agreed in it.
    pub(super) fn forget(&mut self) {
        *self.shared.said() = Said::default();
    }

    /// Listens to what the server tells and asks beside the requests of this session, once; without a session there is no such place.
    pub(super) fn listen(&mut self) {
        let Said { session, revision, .. } = self.shared.said().clone();
        let session = session.filter(|_| !revision.is_some_and(Revision::is_stateless));
        if let Some(session) = session.filter(|session| self.listened.as_ref() != Some(session)) {
            self.listened = Some(session.clone());
            self.shared.listen(session);
        }
    }

    /// Gets another token of the login in place of one that is taken no more; false where there is none.
    pub(super) fn renew_token(&self) -> Result<bool, LoginFault> {
        self.shared.credential.renew(&self.shared.endpoint)
    }

    /// The server's words without what they repeat of us.
    pub(super) fn masked(&self, words: &str) -> String {
        self.shared.credential.masked(words)
    }

    /// Sends a message; what comes of it comes as a line.
    pub(super) fn send(&self, post: Post) {
        self.spawn(post);
    }

    /// Sends a message that has no answer, and waits a moment until it is sent.
    pub(super) fn send_and_wait(&self, post: Post) {
        wait(&self.spawn(post));
    }

    fn spawn(&self, post: Post) -> JoinHandle<()> {
        let shared = self.shared.clone();
        thread::spawn(move || shared.post(&post))
    }

    /// The next line; `None` where none comes until then.
    pub(super) fn next_line(&mut self, method: &'static str, id: u64, until: Instant) -> Result<Option<String>, Fault> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Coming::Line(line)) => Ok(Some(line)),
            // Of a request that nobody waits for any more.
            Ok(Coming::Fault(of, _)) if of != id => Ok(None),
            Ok(Coming::Fault(_, failure)) => Err(match failure {
                Failure::Unreached(why) => Fault::Unreached { why },
                Failure::Unauthorised(status, scopes) => self.shared.unauthorised(status, scopes, false),
                Failure::UnauthorisedSince(status, scopes) => self.shared.unauthorised(status, scopes, true),
                Failure::Status(status, words) => Fault::Status { method, status, words },
                Failure::Unreadable(why) => Fault::Unreadable { method, why },
                Failure::NoSession => Fault::SessionEnded { method },
                Failure::Ended => Fault::Ended { method, stderr: String::new() },
            }),
            // The sender is ours too, so that the line never ends.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// Ends the session, where there is one, and with it the stream beside its requests.
    pub(super) fn end(&mut self) {
        let head = self.shared.head(ACCEPT, None);
        if self.shared.said().session.take().is_some() {
            let shared = self.shared.clone();
            wait(&thread::spawn(move || shared.delete(head)));
        }
    }
}

/// Waits for a thread, but not for ever.
fn wait(thread: &JoinHandle<()>) {
    let deadline = Instant::now() + FAREWELL;
    while !thread.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}

impl Shared {
    pub(super) fn said(&self) -> std::sync::MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What every request says in its head.
    pub(super) fn head(&self, accept: &str, post: Option<&Post>) -> Vec<(String, String)> {
        let said = self.said().clone();
        let mut head = self.endpoint.headers.clone();
        head.extend(self.credential.header());
        let mut push = |name: &str, value: String| head.push((name.to_owned(), value));
        push("Accept", accept.to_owned());
        if let Some(session) = said.session {
            push(SESSION, session);
        }
        let Some(revision) = said.revision else { return head };
        push(VERSION, revision.date().to_owned());
        if let Some(post) = post.filter(|post| revision.is_stateless() && !post.method.is_empty()) {
            push("Mcp-Method", post.method.clone());
            if let Some(name) = &post.name {
                push("Mcp-Name", header_value(name));
            }
            head.extend(post.headers.iter().cloned());
        }
        head
    }

    fn post(&self, post: &Post) {
        match (post.id, post.awaited_by) {
            (Some(id), _) => {
                if let Err(failure) = self.send(post) {
                    self.without_answer(id, failure);
                }
            }
            // What else is wrong with an answer of ours is between the server and its question.
            (None, Some(id)) => {
                if let Err(failure @ Failure::UnauthorisedSince(..)) = self.renewing(|| self.send(post)) {
                    self.fail(id, failure);
                }
            }
            (None, None) => drop(self.send(post)),
        }
    }

    fn send(&self, post: &Post) -> Result<(), Failure> {
        let mut request = self.agent.post(&self.endpoint.url).header("Content-Type", "application/json");
        for (name, value) in self.head(ACCEPT, Some(post)) {
            request = request.header(name, value);
        }
        let response = request.send(post.body.as_str()).map_err(|error| Failure::Unreached(told(&error)))?;
        self.take(post, response)
    }

    /// What comes of work that belongs to a request which the server has looked at. That is not asked again with another token; the
    /// work is, once.
    pub(super) fn renewing<T>(&self, work: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
        let outcome = match work() {
            Err(Failure::Unauthorised(401, _)) if self.credential.renew(&self.endpoint).is_ok_and(|is| is) => work(),
            outcome => outcome,
        };
        outcome.map_err(|failure| match failure {
            Failure::Unauthorised(status, scopes) => Failure::UnauthorisedSince(status, scopes),
            failure => failure,
        })
    }

    /// That the server wants to know who we are, or does not let us.
    pub(super) fn refusal_of_us(&self, status: u16, headers: &HeaderMap) -> Option<Failure> {
        matches!(status, 401 | 403).then(|| Failure::Unauthorised(status, self.scopes(headers)))
    }

    fn unauthorised(&self, status: u16, scopes: Vec<String>, is_since: bool) -> Fault {
        Fault::Unauthorised { status, scopes, held: self.credential.scopes(&self.endpoint), is_since }
    }

    pub(super) fn fail(&self, id: u64, failure: Failure) {
        // Nobody waits any more where the line is closed.
        let _ = self.sender.send(Coming::Fault(id, failure));
    }

    /// Brings what a response holds.
    fn take(&self, post: &Post, response: Response<Body>) -> Result<(), Failure> {
        let status = response.status().as_u16();
        let (parts, body) = response.into_parts();
        let kind = text(&parts.headers, "Content-Type").unwrap_or_default();
        let encoding = encoding(&parts.headers);
        // Of a stream, each event is bounded by itself.
        let mut reader = body.into_with_config().limit(u64::MAX).reader();
        if let Some(failure) = self.refusal_of_us(status, &parts.headers) {
            return Err(failure);
        }
        if !(200..300).contains(&status) {
            return Err(match encoding {
                Some(_) => self.refused(post, status, &mut std::io::empty()),
                None => self.refused(post, status, &mut reader),
            });
        }
        if post.method == "initialize"
            && let Some(session) = text(&parts.headers, SESSION)
        {
            self.said().session = Some(session);
        }
        let Some(id) = post.id else { return Ok(()) };
        if let Some(encoding) = encoding {
            return Err(Failure::Unreadable(format!("it is encoded as `{encoding}`, which was not asked for")));
        }
        if is_stream(&kind) {
            return self.until_answered(id, reader);
        }
        let mut body = Vec::new();
        let read_to_end = reader.take(LINE_MAX_BYTES as u64 + 1).read_to_end(&mut body);
        read_to_end.map_err(|error| Failure::Unreached(error.to_string()))?;
        if body.len() > LINE_MAX_BYTES {
            return Err(Failure::Unreadable("it is larger than the limit".to_owned()));
        }
        let body = String::from_utf8(body).map_err(|_| Failure::Unreadable("it is not UTF-8".to_owned()))?;
        match read(&body).is_some_and(|document| is_answer(document.root(), id)) {
            true => self.bring(body),
            false => Err(Failure::Status(status, self.words(&body))),
        }
    }

    /// A status that is no answer may still come with one, for our request.
    fn refused(&self, post: &Post, status: u16, reader: &mut impl Read) -> Failure {
        let mut body = Vec::new();
        // What cannot be read of it is not shown.
        let _ = reader.take(WORDS_MAX_BYTES).read_to_end(&mut body);
        let body = String::from_utf8_lossy(&body).into_owned();
        if status == 404 && post.method != "initialize" && self.said().session.is_some() {
            return Failure::NoSession;
        }
        let error = read(&body).and_then(|document| {
            let error = document.root().get("error")?;
            Some((error.get("code")?.text().to_owned(), error.get("message")?.as_str()?.into_owned()))
        });
        match (error, post.id) {
            (Some((code, message)), Some(id)) => {
                let message = toolgate::json::quoted(&message);
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#);
                self.bring(line).err().unwrap_or(Failure::Ended)
            }
            _ => Failure::Status(status, self.words(&body)),
        }
    }

    /// The scopes that a refusal asks for.
    fn scopes(&self, headers: &HeaderMap) -> Vec<String> {
        let challenges = headers.get_all("WWW-Authenticate").iter().filter_map(|value| value.to_str().ok());
        let scopes = login::scopes_asked_for(challenges, &self.endpoint.url);
        scopes.iter().map(|scope| self.credential.masked(scope)).collect()
    }

    /// The beginning of a body that is text for people, without what it repeats of us.
    fn words(&self, body: &str) -> String {
        let is_page = body.trim_start().starts_with('<');
        if is_page { String::new() } else { self.credential.masked(body).chars().take(WORDS_MAX).collect() }
    }

    pub(super) fn bring(&self, line: String) -> Result<(), Failure> {
        self.sender.send(Coming::Line(line)).map_err(|_| Failure::Ended)
    }

    fn delete(&self, head: Vec<(String, String)>) {
        let mut request = self.agent.delete(&self.endpoint.url);
        for (name, value) in head {
            request = request.header(name, value);
        }
        // A server may keep its sessions to itself.
        let _ = request.call();
    }
}

/// The result or the error of the request.
pub(super) fn is_answer(message: Value<'_>, id: u64) -> bool {
    let is_ours = message.get("id").is_some_and(|answered| answered.text() == id.to_string());
    is_ours && message.get("method").is_none()
}

pub(super) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// How a body is encoded that is not as it was asked for.
pub(super) fn encoding(headers: &HeaderMap) -> Option<String> {
    text(headers, "Content-Encoding").filter(|encoding| !encoding.eq_ignore_ascii_case("identity"))
}

/// What the HTTP client says, without the address, which may hold a secret.
pub(crate) fn told(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::BadUri(_) => "the address is none of HTTP".to_owned(),
        ureq::Error::Http(_) => "a header or the address cannot be sent".to_owned(),
        error => error.to_string(),
    }
}

/// A name or a value as a header holds it (2026-07-28): visible ASCII as it is, all else in Base64.
pub(super) fn header_value(name: &str) -> String {
    let is_plain =
        name.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && name.trim() == name && !name.starts_with("=?");
    if is_plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_travel_in_headers() {
        assert_eq!(header_value("get_weather"), "get_weather");
        assert_eq!(header_value("größe"), "=?base64?Z3LDtsOfZQ==?=");
        assert_eq!(header_value(" x"), "=?base64?IHg=?=");
    }
}
