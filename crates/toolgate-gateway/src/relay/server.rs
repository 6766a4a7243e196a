//! Lines of the server.

use super::client::param;
use super::{Action, Asked, Relay};
use crate::answer;
use crate::frame::{self, Flaw, FlawKind, Form, Frame, FrameLimits, INTERNAL_ERROR, Id, Read, read_part};
use crate::record::Level;
use crate::scan::Finding;
use toolgate::Revision;
use toolgate::json::Value;

/// Nesting of a tool list, which is no deeper than it is long.
const LIST_DEPTH_MAX: usize = 1_000_000;

impl Relay {
    pub(super) fn server_line(&mut self, line: Read, now_ms: u64) {
        match line {
            Read::Blank => {}
            Read::Frame(frame) => self.server_frame(frame, now_ms),
            Read::Batch(line, items) => self.server_batch(line, &items, now_ms),
            Read::Flawed(flaw, line) => self.server_flaw(&flaw, line, now_ms),
        }
    }

    fn server_frame(&mut self, frame: Frame, now_ms: u64) {
        match frame.form {
            Form::Result | Form::Error => self.server_answer(frame, now_ms),
            Form::Notification if frame.method == "notifications/tools/list_changed" => self.notice(frame, now_ms),
            Form::Notification => {
                if frame.method == "notifications/subscriptions/acknowledged" {
                    self.note_subscription(&frame);
                }
                self.out.push(Action::ToClient(frame.into_bytes()));
            }
            Form::Request => self.out.push(Action::ToClient(frame.into_bytes())),
        }
    }

    fn server_answer(&mut self, frame: Frame, now_ms: u64) {
        let Some(id) = &frame.id else {
            return self.note(Level::Warn, "answer-dropped", "the server sent an error to no request");
        };
        if self.is_page(id) {
            return self.page(&frame, now_ms);
        }
        let Some(request) = self.in_flight.remove(id.key()) else {
            return self.note(Level::Warn, "answer-dropped", "the server answered no request of the client's");
        };
        match request.asked {
            Asked::Initialize => self.learn_session(&frame),
            Asked::Discover => self.learn_capabilities(&frame, |result| result),
            Asked::Listen => {
                self.announced_on.remove(id.key());
            }
            Asked::Other => {}
        }
        // A place in a batch was closed when its request was cancelled.
        if !(request.cancelled && request.reply.slot.is_some()) {
            self.answer(&request.reply, frame.into_bytes());
        }
    }

    fn server_flaw(&mut self, flaw: &Flaw, line: Vec<u8>, now_ms: u64) {
        if !self.is_frame(&flaw.finding) {
            if line.is_empty() {
                return self.note(
                    Level::Warn,
                    "line-dropped",
                    "a line of the server that is no frame is larger than the limit",
                );
            }
            return self.out.push(Action::ToStderr(line));
        }
        // A list is read as deep as it is: one tool in it that is too deep costs that tool. It never crosses as it came.
        let is_page = flaw.finding.id.as_ref().is_some_and(|id| self.is_page(id));
        if is_page && flaw.kind == FlawKind::TooDeep {
            let limits = FrameLimits { depth_max: LIST_DEPTH_MAX, ..self.config.limits.server_frame };
            if let Read::Frame(frame) = frame::read(line, &limits) {
                return self.server_frame(frame, now_ms);
            }
        }
        let message = flaw.kind.message();
        self.note(Level::Warn, "frame-refused", format!("a line of the server was refused: {message}"));
        if let Some(id) = self.awaited(&flaw.finding).cloned() {
            self.fail_request(&id, message, now_ms);
        } else if let Some(id) = flaw.finding.id.as_ref().filter(|_| flaw.finding.has_method) {
            let error = answer::error(Some(id.token()), self.session, flaw.kind.code(), message);
            self.out.push(Action::ReplyToServer(error));
        }
    }

    /// Whether a line that may not cross is a frame of the server's.
    pub(super) fn is_frame(&self, finding: &Finding) -> bool {
        finding.is_frame(self.awaited(finding).is_some())
    }

    /// The request that a frame which may not cross was meant to answer.
    pub(super) fn awaited<'f>(&self, finding: &'f Finding) -> Option<&'f Id> {
        finding.answers.iter().find(|id| self.is_page(id) || self.in_flight.contains_key(id.key()))
    }

    /// The server's answer to this request cannot cross: whoever waits for it is told so.
    pub(super) fn fail_request(&mut self, id: &Id, why: &str, now_ms: u64) {
        if self.is_page(id) {
            return self.fail_listing(why, None, now_ms);
        }
        if let Some(request) = self.in_flight.remove(id.key())
            && !request.cancelled
        {
            let message = format!("the server's answer was refused: {why}");
            self.answer_error(&request.reply, INTERNAL_ERROR, &message);
        }
    }

    fn learn_session(&mut self, frame: &Frame) {
        let mut revision = None;
        self.learn_capabilities(frame, |result| {
            let date = result.get("protocolVersion").and_then(Value::as_str);
            revision = date.and_then(|date| Revision::from_date(&date));
            result
        });
        if revision.is_some() {
            self.session = revision;
        }
    }

    fn learn_capabilities(&mut self, frame: &Frame, look: impl FnOnce(Value<'_>) -> Value<'_>) {
        let Some(result) = frame.outcome.as_ref().filter(|_| frame.form == Form::Result).map(|span| frame.text(span))
        else {
            return;
        };
        if let Some(document) = read_part(result) {
            let tools = look(document.root()).get("capabilities").and_then(|capabilities| capabilities.get("tools"));
            let says = tools.and_then(|tools| tools.get("listChanged")).and_then(Value::as_bool);
            self.says_list_changed = says.unwrap_or(false);
        }
    }

    /// The server has agreed to a subscription: does it announce changes of the tools on it?
    fn note_subscription(&mut self, frame: &Frame) {
        let listens = param(frame, "notifications").and_then(|filter| member(&filter, "toolsListChanged"));
        if let Some(key) = subscription(frame).map(|id| id.key().to_owned())
            && listens.as_deref() == Some("true")
            && self.in_flight.get(&key).is_some_and(|request| request.asked == Asked::Listen && !request.cancelled)
        {
            self.announced_on.insert(key);
        }
    }
}

/// The subscription that a notification is of.
pub(super) fn subscription(frame: &Frame) -> Option<Id> {
    let token = member(&param(frame, "_meta")?, "io.modelcontextprotocol/subscriptionId")?;
    Id::from_token(&token)
}

/// The text of a member of an object.
fn member(object: &str, name: &str) -> Option<String> {
    Some(read_part(object)?.root().get(name)?.text().to_owned())
}
