//! Lines of the client.

use super::batches::Slot;
use super::{Action, Asked, Call, InFlight, Relay, Reply};
use crate::answer;
use crate::frame::{Flaw, Form, Frame, INTERNAL_ERROR, INVALID_REQUEST, Id, Read, read_part, same_but_for_case};
use crate::listing::{carried_meta, client_name};
use crate::policy::ProfileChoice;
use crate::record::Level;
use toolgate::Revision;

impl Relay {
    pub(super) fn client_line(&mut self, line: Read, now_ms: u64) {
        match line {
            Read::Blank => {}
            Read::Frame(frame) => self.client_frame(frame, None, now_ms),
            Read::Batch(line, items) => self.client_batch(&line, &items, now_ms),
            Read::Flawed(flaw, _) => self.client_flaw(&flaw, None),
        }
    }

    /// Answers a line that may not cross.
    pub(super) fn client_flaw(&mut self, flaw: &Flaw, slot: Option<Slot>) {
        let message = flaw.kind.message();
        self.note(Level::Warn, "frame-refused", format!("a line of the client was refused: {message}"));
        let mut id = flaw.finding.id.as_ref();
        if flaw.finding.is_response() {
            // The id is one of the server's, which would wait for ever.
            if let Some(id) = id.take() {
                let error = answer::error(
                    Some(id.token()),
                    self.session,
                    INTERNAL_ERROR,
                    "the client's answer could not be read",
                );
                self.out.push(Action::ReplyToServer(error));
            }
        }
        // An error for a request that is being served would be taken for its answer.
        let id = id.filter(|id| !self.is_in_use(id.key())).map(Id::token);
        let error = answer::error(id, self.session, flaw.kind.code(), message);
        match slot {
            None => self.out.push(Action::ToClient(error)),
            Some(slot) => self.fill_slot(slot, Some(error)),
        }
    }

    pub(super) fn client_frame(&mut self, frame: Frame, slot: Option<Slot>, now_ms: u64) {
        match frame.form {
            Form::Request => self.client_request(frame, slot, now_ms),
            Form::Notification => self.client_notification(frame, now_ms),
            Form::Result | Form::Error => self.out.push(Action::ToServer(frame.into_bytes())),
        }
    }

    fn client_request(&mut self, frame: Frame, slot: Option<Slot>, now_ms: u64) {
        let Some(id) = frame.id.clone() else { return };
        let said = frame.params.as_ref().and_then(|params| params.revision);
        let reply = Reply { id, revision: said.or(self.session), slot };
        if self.server_gone {
            return self.answer_error(&reply, INTERNAL_ERROR, "the server has ended");
        }
        if self.is_in_use(reply.id.key()) {
            return self.answer_error(&reply, INVALID_REQUEST, "a request with this id is not answered yet");
        }
        if said.is_some_and(Revision::is_stateless) {
            self.carry_meta(&frame);
        }
        match frame.method.as_str() {
            "tools/call" => self.call(Call { frame, reply: Some(reply) }, now_ms),
            "tools/list" => self.list(&frame, reply, now_ms),
            "initialize" if slot.is_some() => {
                self.answer_error(&reply, INVALID_REQUEST, "initialize is not part of a batch");
            }
            "initialize" => {
                self.meet(frame.params.as_ref().and_then(|params| client_name(frame.text(&params.span))));
                self.ask(frame, reply, Asked::Initialize);
            }
            "server/discover" => self.ask(frame, reply, Asked::Discover),
            "subscriptions/listen" => self.ask(frame, reply, Asked::Listen),
            method if is_a_call_to_some(method) => {
                self.answer_error(&reply, INVALID_REQUEST, "the method differs from tools/call only in case or space");
            }
            _ => self.ask(frame, reply, Asked::Other),
        }
    }

    /// Forwards a request that is not judged.
    fn ask(&mut self, frame: Frame, reply: Reply, asked: Asked) {
        self.forward(frame.into_bytes(), Some(reply), asked);
    }

    /// Forwards a frame; false where there is no room for another request, which is then answered.
    pub(super) fn forward(&mut self, line: Vec<u8>, reply: Option<Reply>, asked: Asked) -> bool {
        if let Some(reply) = reply {
            if !self.has_room() {
                self.answer_error(&reply, INTERNAL_ERROR, "too many requests are not answered yet");
                return false;
            }
            self.in_flight.insert(reply.id.key().to_owned(), InFlight { reply, asked, cancelled: false });
        }
        self.out.push(Action::ToServer(line));
        true
    }

    /// Whether one more request may wait. The server owes no answer to one that was cancelled, so those make room.
    pub(super) fn has_room(&mut self) -> bool {
        let waiting = |relay: &Relay| relay.in_flight.len() + relay.held.len() + relay.waiters().count();
        if waiting(self) >= self.config.limits.in_flight_max {
            self.in_flight.retain(|_, request| !request.cancelled);
        }
        waiting(self) < self.config.limits.in_flight_max
    }

    fn client_notification(&mut self, frame: Frame, now_ms: u64) {
        match frame.method.as_str() {
            "notifications/cancelled" => self.cancel(frame),
            "tools/call" => self.call(Call { frame, reply: None }, now_ms),
            method if is_a_call_to_some(method) => {
                self.note(
                    Level::Warn,
                    "frame-dropped",
                    "a method of the client's differs from tools/call only in case or space",
                );
            }
            _ => self.out.push(Action::ToServer(frame.into_bytes())),
        }
    }

    fn cancel(&mut self, frame: Frame) {
        let key = param(&frame, "requestId").and_then(|token| Id::from_token(&token)).map(|id| id.key().to_owned());
        let Some(key) = key else { return self.out.push(Action::ToServer(frame.into_bytes())) };
        if self.is_own(&key) {
            return self.note(Level::Warn, "frame-dropped", "the client cancelled a request that is not its own");
        }
        if let Some(reply) = self.take_waiting(&key) {
            // The server has never seen it.
            self.note(Level::Debug, "cancelled", "a request that waited for the tool list was cancelled and not run");
            return self.drop_reply(&reply);
        }
        if let Some(request) = self.in_flight.get_mut(&key)
            && request.asked != Asked::Initialize
            && !request.cancelled
        {
            request.cancelled = true;
            let reply = request.reply.clone();
            self.announced_on.remove(&key);
            self.drop_reply(&reply);
        }
        self.out.push(Action::ToServer(frame.into_bytes()));
    }

    /// Takes out a request that has not reached the server.
    fn take_waiting(&mut self, key: &str) -> Option<Reply> {
        let same = |reply: &Reply| reply.id.key() == key;
        if let Some(at) = self.held.iter().position(|call| call.reply.as_ref().is_some_and(same)) {
            let call = self.held.remove(at)?;
            self.held_bytes = self.held_bytes.saturating_sub(call.frame.bytes().len());
            return call.reply;
        }
        let listing = self.listing.as_mut().map(|listing| &mut listing.waiters);
        for waiters in listing.into_iter().chain([&mut self.next.waiters]) {
            if let Some(at) = waiters.iter().position(same) {
                return Some(waiters.remove(at));
            }
        }
        None
    }

    fn carry_meta(&mut self, frame: &Frame) {
        let meta = frame.params.as_ref().and_then(|params| params.meta.as_ref()).map(|span| frame.text(span));
        if let Some(meta) = meta.and_then(carried_meta) {
            let client = client_name(&meta);
            self.carried_meta = Some(meta);
            self.meet(client);
        }
    }

    /// Learns once who the client is: one process has one client, and its list does not change with a later name (R7.8).
    fn meet(&mut self, client: Option<String>) {
        if self.client.is_some() || client.is_none() {
            return;
        }
        self.client = client;
        if self.config.policy.profile == ProfileChoice::Auto {
            let profile = self.config.policy.profile.of(self.client.as_deref());
            self.note(
                Level::Info,
                "profile",
                format!("tools are shown under the profile `{profile}`: {}", profile.reader),
            );
        }
    }
}

/// The value of a member of `params`, as written.
pub(super) fn param(frame: &Frame, name: &str) -> Option<String> {
    let document = read_part(frame.text(&frame.params.as_ref()?.span))?;
    document.root().get(name).map(|value| value.text().to_owned())
}

/// Whether a careless server would take the method for `tools/call`. It would run a call that nobody judged.
fn is_a_call_to_some(method: &str) -> bool {
    method.len() < 64 && method != "tools/call" && {
        let is_space = |ch: char| ch.is_whitespace() || ch.is_control();
        same_but_for_case(method.trim_matches(is_space).trim_matches('/'), "tools/call")
    }
}
