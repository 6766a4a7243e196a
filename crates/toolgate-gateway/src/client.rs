//! The client of a live server: asks for its tools to the last page, calls them, and ends it.
//!
//! Frames are made and read as text, so that arguments and results keep their digits and their order. Both eras are spoken: the
//! handshake of the revisions up to 2025-11-25, and the requests of 2026-07-28 that say everything themselves. Everything is
//! bounded: a silence by [`Settings::patience`], pages, tools and bytes by numbers. What a server asks of us meanwhile is
//! answered: that we are here, or that we decline. Judges nothing.

mod credential;
mod fault;
mod http;
#[cfg(unix)]
mod interrupt;
mod params;
mod process;
mod secrets;
mod sse;
mod streams;

pub use fault::Fault;
#[cfg(unix)]
pub use interrupt::{ended_by, interrupts};
pub use process::{Ends, LINE_MAX_BYTES, NoLine, ServerProcess};
pub use secrets::{Secrets, shown_url};

use crate::frame::{self, Form, Frame, Read};
use crate::listing::{After, ListLimits, Pages};
use crate::login::Logins;
use http::{Http, Post};
pub(crate) use http::{agent, told};
use process::FRAME_LIMITS;
pub(crate) use secrets::place;
use std::fmt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toolgate::json::{Document, Kind, ObjectWriter, Strictness, Value, quoted};
use toolgate::{Limits, Revision};

/// How long a server may take to end after its input has.
const FAREWELL: Duration = Duration::from_secs(3);
/// How often it is looked whether the user has given up.
const PACE: Duration = Duration::from_millis(50);
/// Nesting of one message.
const DEPTH_MAX: usize = 100_000;
/// Times that a server may ask for more before it answers a call (2026-07-28).
const ROUNDS_MAX: usize = 4;
/// What a server may ask of us before it answers.
const ASKED_MAX: usize = 1_000;
/// Characters of a server's own words in an event or a fault.
const WORDS_MAX: usize = 500;
/// The revision asked for in the handshake; the newest that has one.
const SESSION_REVISION: Revision = Revision::V2025_11_25;
/// What is read of the result of a call.
const READ_OF_RESULT: [&str; 7] =
    ["content", "inputRequests", "isError", "requestState", "resultType", "structuredContent", "task"];
/// The code of JSON-RPC for a method that is not there.
const METHOD_NOT_FOUND: i32 = -32601;

/// Who we are, and how long we wait.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The client's name in the handshake.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// How long the server may take to start, to list its tools to the last page, and be silent while a call runs, where progress
    /// counts as a sign of life.
    pub patience: Duration,
    /// Set when the user gives up: what runs is cancelled. A signal that ends the program does the same wherever signals are taken,
    /// as `interrupts` does.
    pub interrupted: Arc<AtomicBool>,
    /// What the server was configured with that is shown to nobody, though the server should repeat it when it fails. What a request
    /// over HTTP brings along, and what is set in the environment of a command, need not be named.
    pub secrets: Secrets,
}

/// Where a server of HTTP is, and what each request brings along. `Debug` shows the host and the names of headers.
#[derive(Clone)]
pub struct Endpoint {
    /// `http://` or `https://`.
    pub url: String,
    /// Names and values, secrets among them.
    pub headers: Vec<(String, String)>,
    /// Where the token of whoever has signed in is kept. It is sent where no header says who we are, and renewed once where the server
    /// takes it no more.
    pub logins: Option<Logins>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Endpoint").field("url", &place(&self.url)).field("headers", &names).finish()
    }
}

/// What a server tells while it works on a call. Its words are a stranger's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// How far it is.
    Progress {
        /// A number, as it was written.
        done: String,
        /// Of how many.
        total: Option<String>,
        /// At what.
        message: Option<String>,
    },
    /// It asked for what we do not give, such as a form or a model's words.
    Declined {
        /// The method.
        what: String,
    },
}

/// Whom events are told.
pub type Listener = Box<dyn FnMut(&Event)>;

/// A server that answers.
pub struct Connection {
    wire: Wire,
    settings: Settings,
    listener: Listener,
    revision: Revision,
    next_id: u64,
    server: Option<String>,
    /// A session was begun anew.
    is_renewed: bool,
    /// When the list that is fetched has to be whole.
    list_ends: Option<Instant>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("revision", &self.revision).finish_non_exhaustive()
    }
}

enum Wire {
    Process(ServerProcess),
    Http(Http),
}

/// A message that is sent, and what HTTP says of it in headers.
struct Outgoing<'a> {
    frame: String,
    method: &'a str,
    /// Of a request.
    id: Option<u64>,
    /// The request that waits for this answer of ours.
    awaited_by: Option<u64>,
    /// What the request names.
    named: Option<&'a Named<'a>>,
}

/// The tool of a call, and what its head says of the arguments.
struct Named<'a> {
    name: &'a str,
    headers: Vec<(String, String)>,
}

impl Connection {
    /// Starts a server and shakes hands with it over its standard input and output.
    ///
    /// # Errors
    ///
    /// Says why the server does not answer.
    pub fn start(command: Command, mut settings: Settings, listener: Listener) -> Result<Connection, Fault> {
        let set = command.get_envs().filter_map(|(_, value)| Some(value?.to_string_lossy().into_owned()));
        settings.secrets = settings.secrets.and(&Secrets::of_values(set));
        let name = settings.secrets.masked(&command.get_program().to_string_lossy());
        let process = ServerProcess::start(command, Ends::Group, FAREWELL)
            .map_err(|error| Fault::Start { command: name, error })?;
        Connection::new(Wire::Process(process), settings, listener).shake_hands()
    }

    /// Shakes hands with a server of streamable HTTP.
    ///
    /// # Errors
    ///
    /// Says why the server does not answer, or why nobody is signed in to it any more.
    pub fn open(endpoint: Endpoint, settings: Settings, listener: Listener) -> Result<Connection, Fault> {
        let http = Http::new(endpoint, &settings).map_err(Fault::Login)?;
        Connection::new(Wire::Http(http), settings, listener).shake_hands()
    }

    fn new(wire: Wire, settings: Settings, listener: Listener) -> Connection {
        Connection {
            wire,
            settings,
            listener,
            revision: SESSION_REVISION,
            next_id: 0,
            server: None,
            is_renewed: false,
            list_ends: None,
        }
    }

    /// The revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The name that the server gives itself.
    pub fn server_name(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The tool objects that the server lists, as it wrote them.
    ///
    /// # Errors
    ///
    /// Returns the [`Fault`] for which there is no whole list.
    pub fn tools(&mut self) -> Result<Vec<String>, Fault> {
        self.list_ends = Some(Instant::now() + self.settings.patience);
        let tools = self.pages();
        self.list_ends = None;
        tools
    }

    fn pages(&mut self) -> Result<Vec<String>, Fault> {
        let method = "tools/list";
        let mut pages = Pages::default();
        let mut cursor: Option<String> = None;
        loop {
            let mut params = ObjectWriter::new();
            if let Some(cursor) = &cursor {
                params.raw("cursor", cursor);
            }
            let result = self.request(method, params, None)?;
            let after = pages.add(&result, &ListLimits::default());
            match after.map_err(|why| Fault::Unreadable { method, why: why.to_owned() })? {
                After::Page(next) => cursor = Some(next),
                After::End => return Ok(pages.into_definitions()),
            }
        }
    }

    /// Calls a tool with arguments that are JSON text; the result, as the server wrote it. `schema` is the tool's input schema,
    /// which may ask for some of the arguments in the head of the request.
    ///
    /// # Errors
    ///
    /// Returns the [`Fault`] for which there is no result; one that says `isError` is a result.
    pub fn call(&mut self, tool: &str, arguments: &str, schema: &str) -> Result<String, Fault> {
        let method = "tools/call";
        let named = Named { name: tool, headers: params::headers(schema, arguments) };
        let mut more: Vec<(&'static str, String)> = Vec::new();
        for _ in 0..ROUNDS_MAX {
            let mut params = ObjectWriter::new();
            params.string("name", tool);
            params.raw("arguments", arguments);
            for (name, value) in &more {
                params.raw(name, value);
            }
            let result = self.request(method, params, Some(&named))?;
            match self.asked(method, &result)? {
                None => return Ok(result),
                Some(answers) => more = answers,
            }
        }
        Err(Fault::NeedsInput { method })
    }

    /// Where a result is a question (2026-07-28): our answers, which decline.
    fn asked(&mut self, method: &'static str, result: &str) -> Result<Option<Vec<(&'static str, String)>>, Fault> {
        let unreadable = || Fault::Unreadable { method, why: "it is no JSON object".to_owned() };
        let document = read(result).ok_or_else(unreadable)?;
        let root = document.root();
        if root.kind() != Kind::Object {
            return Err(unreadable());
        }
        // Of two, each reader takes another: an error would be none, and an answer another one.
        if let Some(name) = READ_OF_RESULT.into_iter().find(|name| root.get_only(name).is_err()) {
            return Err(Fault::Unreadable { method, why: format!("it gives `{name}` twice") });
        }
        if !root.get("resultType").is_some_and(|kind| kind.is_str("input_required")) {
            return Ok(None);
        }
        let mut answers = ObjectWriter::new();
        for (id, request) in root.get("inputRequests").into_iter().flat_map(Value::members) {
            let asked = request.get("method").and_then(Value::as_str).unwrap_or_default();
            self.decline(&asked);
            let answer = reply(&asked).map_err(|_| Fault::NeedsInput { method })?;
            answers.raw(&id.as_str().unwrap_or_default(), answer);
        }
        let mut more = vec![("inputResponses", answers.end())];
        more.extend(root.get("requestState").map(|state| ("requestState", state.text().to_owned())));
        Ok(Some(more))
    }

    /// The handshake; where there is none, what the server says of itself in 2026-07-28.
    fn shake_hands(mut self) -> Result<Connection, Fault> {
        self.greet()?;
        Ok(self)
    }

    fn greet(&mut self) -> Result<(), Fault> {
        let mut params = ObjectWriter::new();
        params.string("protocolVersion", self.revision.date());
        params.raw("capabilities", "{}");
        params.raw("clientInfo", &self.client_info());
        let refused = match self.request("initialize", params, None) {
            Ok(result) => {
                self.welcome(&result, "protocolVersion")?;
                return self.send(&Outgoing::notification("notifications/initialized", "{}"), "initialize");
            }
            // A server without a handshake says so in one of many ways.
            Err(refused @ (Fault::Refused { .. } | Fault::Status { .. })) => refused,
            Err(fault) => return Err(fault),
        };
        self.revision = Revision::V2026_07_28;
        self.tell_revision();
        match self.request("server/discover", ObjectWriter::new(), None) {
            Ok(result) => self.welcome(&result, ""),
            Err(fault @ (Fault::Interrupted | Fault::Unauthorised { .. } | Fault::Login(_))) => Err(fault),
            // It has no other way either; what it said first is what is wrong.
            Err(_) => Err(refused),
        }
    }

    /// What the server says of itself; one that speaks no revision of ours is not spoken to.
    fn welcome(&mut self, result: &str, version: &str) -> Result<(), Fault> {
        let Some(document) = read(result) else { return Ok(()) };
        let root = document.root();
        if let Some(date) = root.get(version).and_then(Value::as_str) {
            let known = Revision::ALL.iter().find(|(_, known)| *known == date);
            let known = known.ok_or_else(|| Fault::UnknownRevision { said: self.words(&date) })?;
            self.revision = known.0;
        }
        let name = root.get("serverInfo").and_then(|info| info.get("name")).and_then(Value::as_str);
        self.server = name.map(|name| self.words(&name));
        self.tell_revision();
        Ok(())
    }

    fn tell_revision(&mut self) {
        if let Wire::Http(http) = &mut self.wire {
            http.speak(self.revision);
        }
    }

    fn client_info(&self) -> String {
        let mut client = ObjectWriter::new();
        client.string("name", self.settings.name);
        client.string("version", self.settings.version);
        client.end()
    }

    /// What each request says about itself.
    fn meta(&self, id: u64, method: &str) -> Option<String> {
        let mut meta = ObjectWriter::new();
        if self.revision.is_stateless() {
            meta.string("io.modelcontextprotocol/protocolVersion", self.revision.date());
            meta.raw("io.modelcontextprotocol/clientInfo", &self.client_info());
            meta.raw("io.modelcontextprotocol/clientCapabilities", "{}");
        }
        let is_call = method == "tools/call";
        if is_call {
            meta.raw("progressToken", &id.to_string());
        }
        (is_call || self.revision.is_stateless()).then(|| meta.end())
    }

    /// The result of a request, as JSON text. Where the server has ended the session, another is begun, once; where it takes the token
    /// of a login no more, that is renewed, once a request. What was asked was not looked at, so that it may be asked again.
    fn request(
        &mut self,
        method: &'static str,
        params: ObjectWriter,
        named: Option<&Named<'_>>,
    ) -> Result<String, Fault> {
        let params = params.end();
        let mut is_token_renewed = false;
        loop {
            let fault = match self.ask(method, &params, named) {
                Err(
                    fault @ (Fault::SessionEnded { .. } | Fault::Unauthorised { status: 401, is_since: false, .. }),
                ) => fault,
                outcome => return outcome,
            };
            let Wire::Http(http) = &mut self.wire else { return Err(fault) };
            let tried = match fault {
                Fault::SessionEnded { .. } => &mut self.is_renewed,
                _ => &mut is_token_renewed,
            };
            if std::mem::replace(tried, true) {
                return Err(fault);
            }
            if matches!(fault, Fault::SessionEnded { .. }) {
                http.forget();
                self.revision = SESSION_REVISION;
                self.greet()?;
            } else if !http.renew_token().map_err(Fault::Login)? {
                return Err(fault);
            }
        }
    }

    /// Sends a request and waits for what comes of it.
    fn ask(&mut self, method: &'static str, params: &str, named: Option<&Named<'_>>) -> Result<String, Fault> {
        self.next_id += 1;
        let id = self.next_id;
        let params = with_meta(params, self.meta(id, method));
        // What a call needs may be asked beside it; a list needs nothing.
        if let (Wire::Http(http), Some(_)) = (&mut self.wire, named) {
            http.listen();
        }
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        #[cfg(unix)]
        let _looking = interrupt::Looking::begin();
        // Of a server that does not read, too: it is sent while we wait.
        let mut deadline = self.deadline();
        self.send(&Outgoing { frame, method, id: Some(id), awaited_by: None, named }, method)?;
        let token = id.to_string();
        let mut asked = 0;
        loop {
            let frame = match self.next(method, id, deadline)? {
                Read::Frame(frame) => frame,
                Read::Flawed(flaw, _) => {
                    let is_ours = flaw.finding.answers.iter().any(|answered| answered.key() == token);
                    if is_ours && flaw.finding.is_frame(is_ours) {
                        return Err(Fault::Unreadable { method, why: flaw.kind.message().to_owned() });
                    }
                    // Servers write banners and log lines beside their messages.
                    continue;
                }
                Read::Blank | Read::Batch(..) => continue,
            };
            match (frame.form, &frame.id) {
                (Form::Request, Some(id)) => {
                    asked += 1;
                    if asked > ASKED_MAX {
                        let why = format!("it asks for more than {ASKED_MAX} things before it answers");
                        return Err(Fault::Unreadable { method, why });
                    }
                    self.answer(&frame.method, id.token());
                }
                (Form::Notification, _) => {
                    let is_alive = self.told(&frame, &token);
                    deadline = if is_alive { self.deadline() } else { deadline };
                }
                (_, Some(answered)) if answered.key() == token => return self.outcome(method, &frame),
                _ => {}
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        #[cfg(unix)]
        if interrupt::Looking::is_interrupted() {
            return true;
        }
        self.settings.interrupted.load(Ordering::Relaxed)
    }

    fn deadline(&self) -> Instant {
        let deadline = Instant::now() + self.settings.patience;
        self.list_ends.map_or(deadline, |list_ends| list_ends.min(deadline))
    }

    /// The next line, unless the user gives up or the deadline passes: also where lines come without end.
    fn next(&mut self, method: &'static str, id: u64, deadline: Instant) -> Result<Read, Fault> {
        loop {
            if Instant::now() >= deadline {
                return Err(self.silent(method, id));
            }
            if self.is_interrupted() {
                self.cancel(method, id, "the user has given up");
                return Err(Fault::Interrupted);
            }
            let until = deadline.min(Instant::now() + PACE);
            let read = match &mut self.wire {
                Wire::Process(process) => match process.next_frame(until) {
                    Ok(read) => Some(read),
                    Err(NoLine::Ended) => return Err(self.ended(method)),
                    // What was asked has not reached it.
                    Err(NoLine::Late) if process.is_deaf() => return Err(self.ended(method)),
                    Err(NoLine::Late) => None,
                },
                Wire::Http(http) => {
                    http.next_line(method, id, until)?.map(|line| frame::read(line.into_bytes(), &FRAME_LIMITS))
                }
            };
            if let Some(read) = read {
                return Ok(read);
            }
        }
    }

    fn silent(&mut self, method: &'static str, id: u64) -> Fault {
        self.cancel(method, id, "no answer in time");
        Fault::Silent { method, patience: self.settings.patience }
    }

    /// Says that nobody waits any more. Without sessions, the end of the stream says it.
    fn cancel(&mut self, method: &str, id: u64, why: &str) {
        let is_told = matches!(self.wire, Wire::Process(_)) || !self.revision.is_stateless();
        // The protocol forbids to cancel its handshake.
        if is_told && method != "initialize" {
            let params = format!(r#"{{"requestId":{id},"reason":{}}}"#, quoted(why));
            // Who does not take it any more waits for nothing either.
            self.put(&Outgoing::notification("notifications/cancelled", &params));
        }
    }

    /// A notification; whether it is a sign of life of our request.
    fn told(&mut self, frame: &Frame, token: &str) -> bool {
        let told = frame.params.as_ref().filter(|_| frame.method == "notifications/progress");
        let Some(document) = told.and_then(|params| read(frame.text(&params.span))) else { return false };
        let params = document.root();
        if params.get("progressToken").is_none_or(|told| told.text() != token) {
            return false;
        }
        let number = |name: &str| {
            let value = params.get(name).filter(|value| value.kind() == Kind::Number);
            value.map(|value| cut(value.text()))
        };
        let event = Event::Progress {
            done: number("progress").unwrap_or_default(),
            total: number("total"),
            message: params.get("message").and_then(Value::as_str).map(|text| self.words(&text)),
        };
        (self.listener)(&event);
        true
    }

    /// A server's words, cut, and without what they repeat of us.
    fn words(&self, text: &str) -> String {
        match &self.wire {
            Wire::Http(http) => cut(&http.masked(text)),
            Wire::Process(_) => cut(&self.settings.secrets.masked(text)),
        }
    }

    fn decline(&mut self, asked: &str) {
        let what = self.words(asked);
        (self.listener)(&Event::Declined { what });
    }

    fn outcome(&self, method: &'static str, frame: &Frame) -> Result<String, Fault> {
        let outcome = frame.outcome.as_ref().map_or("", |span| frame.text(span));
        if frame.form == Form::Result {
            return Ok(outcome.to_owned());
        }
        let document = read(outcome);
        let member = |name: &str| document.as_ref().and_then(|document| document.root().get(name));
        let code = member("code").and_then(|code| code.text().parse().ok());
        let message = member("message").and_then(Value::as_str).unwrap_or(outcome.into());
        Err(Fault::Refused { method, code, message: self.words(&message) })
    }

    /// Answers what the server asks: that we are here, or that we decline.
    fn answer(&mut self, asked: &str, id: &str) {
        let what = match reply(asked) {
            Ok(result) => format!(r#""result":{result}"#),
            Err((code, why)) => format!(r#""error":{{"code":{code},"message":{}}}"#, quoted(why)),
        };
        if asked != "ping" {
            self.decline(asked);
        }
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},{what}}}"#);
        match &self.wire {
            Wire::Process(process) => process.reply(&frame),
            Wire::Http(http) => {
                let awaited_by = Some(self.next_id);
                http.send_and_wait(Outgoing { frame, method: "", id: None, awaited_by, named: None }.post());
            }
        }
    }

    /// Sends a message while `method` waits for its answer.
    fn send(&mut self, outgoing: &Outgoing<'_>, method: &'static str) -> Result<(), Fault> {
        if self.put(outgoing) { Ok(()) } else { Err(self.ended(method)) }
    }

    /// Puts a message on the wire; whether there still is one.
    fn put(&mut self, outgoing: &Outgoing<'_>) -> bool {
        match &mut self.wire {
            Wire::Process(process) => return process.send(&outgoing.frame).is_ok(),
            // What follows a notice may not come before it.
            Wire::Http(http) if outgoing.id.is_none() => http.send_and_wait(outgoing.post()),
            Wire::Http(http) => http.send(outgoing.post()),
        }
        true
    }

    fn ended(&mut self, method: &'static str) -> Fault {
        let stderr = match &mut self.wire {
            Wire::Process(process) => self.settings.secrets.masked(&process.last_words()),
            Wire::Http(_) => String::new(),
        };
        Fault::Ended { method, stderr }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Wire::Http(http) = &mut self.wire {
            http.end();
        }
    }
}

impl Outgoing<'_> {
    fn notification<'a>(method: &'a str, params: &str) -> Outgoing<'a> {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        Outgoing { frame, method, id: None, awaited_by: None, named: None }
    }

    fn post(&self) -> Post {
        Post {
            body: self.frame.clone(),
            method: self.method.to_owned(),
            id: self.id,
            awaited_by: self.awaited_by,
            name: self.named.map(|named| named.name.to_owned()),
            headers: self.named.map(|named| named.headers.clone()).unwrap_or_default(),
        }
    }
}

/// The result with which we answer a server's request, or the error with which we decline.
fn reply(asked: &str) -> Result<&'static str, (i32, &'static str)> {
    match asked {
        "ping" => Ok("{}"),
        "elicitation/create" => Ok(r#"{"action":"decline"}"#),
        "sampling/createMessage" => Err((-1, "nobody here can ask a model")),
        _ => Err((METHOD_NOT_FOUND, "this client has no such method")),
    }
}

/// One message within the bounds.
fn read(text: &str) -> Option<Document<'_>> {
    let limits = Limits { size_max_bytes: LINE_MAX_BYTES, depth_max: DEPTH_MAX, ..Limits::default() };
    Document::read_str(text, Strictness::Frame, &limits).ok()
}

/// The params of a request, an object, and in it what the request says about itself.
fn with_meta(params: &str, meta: Option<String>) -> String {
    let Some(meta) = meta else { return params.to_owned() };
    let members = params.strip_suffix('}').unwrap_or(params);
    let comma = if members.ends_with('{') { "" } else { "," };
    format!(r#"{members}{comma}"_meta":{meta}}}"#)
}

fn cut(text: &str) -> String {
    text.chars().take(WORDS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_server_is_and_how_it_is_asked_is_shown_without_secrets() {
        let headers = vec![("X-Key".to_owned(), "SECRET".to_owned())];
        let url = "https://me:SECRET@example.com:8080/SECRET?key=SECRET#SECRET".to_owned();
        let shown = format!("{:?}", Endpoint { url, headers, logins: None });
        assert_eq!(shown, r#"Endpoint { url: "https://example.com:8080", headers: ["X-Key"] }"#);
        let secrets = Secrets::of_values(["SECRET".to_owned()]);
        let settings = Settings { name: "n", version: "1", patience: FAREWELL, interrupted: Arc::default(), secrets };
        assert!(!format!("{settings:?}").contains("SECRET"));
    }
}
