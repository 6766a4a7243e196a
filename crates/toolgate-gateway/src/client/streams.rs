//! The streams of events of a server of HTTP: that of a request, which ends with the answer, and the one beside all requests of a
//! session (up to 2025-11-25), by which a server asks and tells what belongs to none of them. Both are taken up again where they break.

use super::http::{Failure, Shared, encoding, is_answer, text, told};
use super::sse::Stream;
use super::{LINE_MAX_BYTES, read};
use std::io::{BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use toolgate::Revision;

/// Times in a row that a broken stream is taken up again without a further event.
const RESUMES_MAX: usize = 5;
/// The same in all: a stream that brings one event each time goes on, but not for ever.
const RESUMES_IN_ALL_MAX: usize = 1_000;
/// The pause before it, unless the server names one.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a call waits for the stream beside it to be opened.
const OPENING: Duration = Duration::from_millis(500);

/// The status of a message that has no answer.
const ACCEPTED: u16 = 202;
const EVENTS: &str = "text/event-stream";

/// Whose events a stream has.
#[derive(Clone, Copy)]
enum Of<'a> {
    /// Those of this request.
    Request(u64),
    /// What belongs to no request of this session.
    Session(&'a str),
}

impl Shared {
    /// Brings the events that a response to a request has, until the answer.
    pub(super) fn until_answered(&self, id: u64, reader: impl Read) -> Result<(), Failure> {
        self.stream(Of::Request(id), Box::new(reader))
    }

    /// Has the server tell what belongs to no request, to the end of the session. What it asks before it can is lost, and the call
    /// that needs the answer hangs; so a moment is waited until it can. A server without such a stream is left alone.
    pub(super) fn listen(self: &Arc<Self>, session: String) {
        self.said().has_beside = true;
        let shared = self.clone();
        let (sender, opened) = mpsc::sync_channel(1);
        thread::spawn(move || {
            let stream = shared.events(None);
            // Whoever has waited too long has gone.
            let _ = sender.try_send(());
            // What ends the stream ends no request.
            let _ = stream.and_then(|stream| shared.stream(Of::Session(&session), stream));
            shared.end_beside(&session);
        });
        // Whether it is open, refused or late, the call goes on.
        let _ = opened.recv_timeout(OPENING);
    }

    /// Reports why a request has no answer, unless it may still come by the stream beside it, where some servers put it by mistake.
    pub(super) fn without_answer(&self, id: u64, failure: Failure) {
        let mut said = self.said();
        if said.has_beside && matches!(failure, Failure::Status(ACCEPTED, _)) {
            said.accepted = Some(id);
            return;
        }
        let has_beside = said.has_beside;
        drop(said);
        if has_beside && matches!(failure, Failure::Ended) {
            // The two streams are read side by side: the answer may have come and not been read.
            thread::sleep(PAUSE);
        }
        self.fail(id, failure);
    }

    /// There is no stream beside the requests of this session any more, and nothing to wait for.
    fn end_beside(&self, session: &str) {
        let mut said = self.said();
        if said.session.as_deref() != Some(session) {
            return;
        }
        said.has_beside = false;
        let accepted = said.accepted.take();
        drop(said);
        if let Some(id) = accepted {
            self.fail(id, Failure::Status(ACCEPTED, String::new()));
        }
    }

    /// Brings the events of a stream to its end; taken up again where it breaks before.
    fn stream(&self, of: Of<'_>, reader: Box<dyn Read + '_>) -> Result<(), Failure> {
        let mut stream = Stream::default();
        let (mut resumes, mut resumes_in_all) = (0, 0);
        let mut next = reader;
        loop {
            let mut reader = BufReader::new(next);
            loop {
                let line = match stream.next(&mut reader, LINE_MAX_BYTES) {
                    Ok(Some(line)) => line,
                    Err(error) if error.kind() == ErrorKind::InvalidData => {
                        return Err(Failure::Unreadable(error.to_string()));
                    }
                    // A read that fails is a stream that broke.
                    Ok(None) | Err(_) => break,
                };
                resumes = 0;
                if self.is_over(of) {
                    return Ok(());
                }
                let is_last =
                    matches!(of, Of::Request(id) if read(&line).is_some_and(|document| is_answer(document.root(), id)));
                self.bring(line)?;
                if is_last {
                    return Ok(());
                }
            }
            if resumes >= RESUMES_MAX || !self.goes_on(of, &stream) {
                return Err(Failure::Ended);
            }
            if resumes_in_all >= RESUMES_IN_ALL_MAX {
                let why = format!("its stream broke {RESUMES_IN_ALL_MAX} times");
                return Err(Failure::Unreadable(why));
            }
            resumes += 1;
            resumes_in_all += 1;
            thread::sleep(stream.pause.unwrap_or(PAUSE));
            if self.is_over(of) {
                return Ok(());
            }
            next = self.renewing(|| self.events(stream.last_id.as_deref()))?;
        }
    }

    /// Whether a stream that broke can be taken up: that of a request where it ended, and only with a session.
    fn goes_on(&self, of: Of<'_>, stream: &Stream) -> bool {
        match of {
            Of::Request(_) => stream.last_id.is_some() && !self.said().revision.is_some_and(Revision::is_stateless),
            Of::Session(_) => true,
        }
    }

    /// Whether nobody listens to a session any more.
    fn is_over(&self, of: Of<'_>) -> bool {
        matches!(of, Of::Session(session) if self.said().session.as_deref() != Some(session))
    }

    /// Asks for events: for those after the one of this id, or for what belongs to no request.
    fn events(&self, after: Option<&str>) -> Result<Box<dyn Read>, Failure> {
        let mut request = self.agent.get(&self.endpoint.url);
        if let Some(id) = after {
            request = request.header("Last-Event-ID", id);
        }
        for (name, value) in self.head(EVENTS, None) {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| Failure::Unreached(told(&error)))?;
        if let Some(failure) = self.refusal_of_us(response.status().as_u16(), response.headers()) {
            return Err(failure);
        }
        let is_stream = text(response.headers(), "Content-Type").is_some_and(|kind| is_stream(&kind));
        if response.status().as_u16() != 200 || !is_stream || encoding(response.headers()).is_some() {
            return Err(Failure::Ended);
        }
        Ok(Box::new(response.into_body().into_with_config().limit(u64::MAX).reader()))
    }
}

/// Whether a body of this type is a stream of events.
pub(super) fn is_stream(kind: &str) -> bool {
    kind.get(..EVENTS.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(EVENTS))
}
