//! The tool list: fetched, compiled aside, swapped whole (R10.1), and the client told afterwards.

use super::client::param;
use super::server::subscription;
use super::{Action, Listing, Relay, Reply, Tools};
use crate::answer;
use crate::frame::{Form, Frame, INTERNAL_ERROR, INVALID_PARAMS, Id};
use crate::listing::{After, CompileJob, Compiled, Pages};
use crate::record::{Level, Record};
use std::sync::Arc;
use toolgate::ToolSet;

/// Notices that differ (one a subscription) and wait for the same list.
const NOTICES_MAX: usize = 64;
/// Bytes of a notice that is kept as it came. Of a longer one, what it says is kept.
const NOTICE_MAX_BYTES: usize = 16 * 1024;
/// Lists that notices may cause within the pause between lists. A server that announces a change after each list would
/// otherwise be asked again and again without end.
const NOTICED_LISTS_MAX: u32 = 8;
/// Keywords set aside that are named for one tool.
const SET_ASIDE_NAMED_MAX: usize = 10;

impl Relay {
    /// The client asks for the list.
    pub(super) fn list(&mut self, frame: &Frame, reply: Reply, now_ms: u64) {
        match param(frame, "cursor").as_deref() {
            None | Some("null" | r#""""#) => {}
            // The list is one page, so no cursor of ours exists.
            Some(_) => return self.answer_error(&reply, INVALID_PARAMS, "the cursor is unknown: the list is one page"),
        }
        if !self.has_room() {
            return self.answer_error(&reply, INTERNAL_ERROR, "too many requests are not answered yet");
        }
        self.next.waiters.push(reply);
        self.want_next(now_ms);
    }

    /// The server says that its list has changed. The client is told when we have the new one, and only if it differs.
    pub(super) fn notice(&mut self, frame: Frame, now_ms: u64) {
        if self.tools.is_none() && self.listing.is_none() {
            return self.note(
                Level::Debug,
                "list-changed",
                "the server announced a change of a list that nobody has asked for",
            );
        }
        let notice = match frame.bytes().len() {
            0..=NOTICE_MAX_BYTES => frame.into_bytes(),
            _ => answer::list_changed(subscription(&frame).as_ref().map(Id::token)),
        };
        if self.next.notices.len() < NOTICES_MAX && !self.next.notices.contains(&notice) {
            self.next.notices.push(notice);
        }
        self.want_next(now_ms);
    }

    /// Wants a list that is fetched from now on: one that is on its way may be older than what was just seen.
    fn want_next(&mut self, now_ms: u64) {
        self.next.wanted = true;
        self.start_next(now_ms);
    }

    /// Wants a list, and takes one that is on its way.
    pub(super) fn ensure_listing(&mut self, now_ms: u64) {
        if self.listing.is_none() {
            self.start_listing(now_ms);
        }
    }

    /// Whether a call that would be refused may wait for a list that is fetched anew (R9.8).
    pub(super) fn may_relist(&self, now_ms: u64) -> bool {
        let Some(tools) = &self.tools else { return true };
        let is_old = tools.ttl_ms.is_some_and(|ttl| now_ms.saturating_sub(tools.since_ms) > ttl);
        let is_stale = is_old || tools.suspect || !self.announces_changes();
        let pause_ms = self.config.limits.relist_pause_ms;
        let is_rested = self.last_listing_ms.is_none_or(|last| now_ms.saturating_sub(last) >= pause_ms);
        is_stale && (self.listing.is_some() || is_rested)
    }

    /// A server without handshake announces on subscriptions only.
    fn announces_changes(&self) -> bool {
        self.says_list_changed && (self.session.is_some() || !self.announced_on.is_empty())
    }

    fn start_listing(&mut self, now_ms: u64) {
        let next = std::mem::take(&mut self.next);
        let id = self.ask_page(None);
        self.last_listing_ms = Some(now_ms);
        self.listing = Some(Listing {
            id: Some(id),
            pages: Pages::default(),
            started_ms: now_ms,
            waiters: next.waiters,
            notices: next.notices,
        });
    }

    fn ask_page(&mut self, cursor: Option<&str>) -> Id {
        let id = self.own_id();
        let meta = if self.session.is_none() { self.carried_meta.as_deref() } else { None };
        let request = answer::list_request(id.token(), meta, cursor);
        self.out.push(Action::ToServer(request));
        id
    }

    /// Whether this id is that of our request for a page.
    pub(super) fn is_page(&self, id: &Id) -> bool {
        self.listing.as_ref().and_then(|listing| listing.id.as_ref()).is_some_and(|own| own.key() == id.key())
    }

    /// The server answers our request for a page.
    pub(super) fn page(&mut self, frame: &Frame, now_ms: u64) {
        let outcome = frame.outcome.as_ref().map(|span| frame.text(span)).unwrap_or_default();
        if frame.form == Form::Error {
            return self.fail_listing("the server answered tools/list with an error", Some(outcome), now_ms);
        }
        let Some(listing) = &mut self.listing else { return };
        match listing.pages.add(outcome, &self.config.limits.list) {
            Ok(After::Page(cursor)) => {
                let id = self.ask_page(Some(&cursor));
                if let Some(listing) = &mut self.listing {
                    listing.id = Some(id);
                }
            }
            Ok(After::End) => {
                listing.id = None;
                let pages = std::mem::take(&mut listing.pages);
                let job = CompileJob::new(pages, Arc::clone(&self.config.policy), self.client.clone());
                self.out.push(Action::Compile(job));
            }
            Err(why) => self.fail_listing(why, None, now_ms),
        }
    }

    /// The old set serves. `error` is the server's own error object.
    pub(super) fn fail_listing(&mut self, why: &str, error: Option<&str>, now_ms: u64) {
        let Some(listing) = self.listing.take() else { return };
        self.note(Level::Warn, "list-failed", why);
        for reply in listing.waiters {
            let (id, revision) = (Some(reply.id.token()), reply.revision);
            let line = match error {
                Some(error) => answer::error_object(id, revision, error),
                None => answer::error(id, revision, INTERNAL_ERROR, why),
            };
            self.answer(&reply, line);
        }
        if let Some(tools) = &mut self.tools
            && !listing.notices.is_empty()
        {
            tools.suspect = true;
        }
        // The change is still unknown to the client: it is told when the next list differs.
        self.next.notices.splice(0..0, listing.notices);
        self.next.notices.truncate(NOTICES_MAX);
        self.release(now_ms);
        self.start_next(now_ms);
    }

    pub(super) fn expire(&mut self, now_ms: u64) {
        if self.next_deadline_ms().is_none_or(|deadline| now_ms < deadline) {
            return;
        }
        if self.listing.is_none() {
            return self.start_next(now_ms);
        }
        if let Some(id) = self.listing.as_ref().and_then(|listing| listing.id.as_ref()) {
            let cancelled = answer::cancelled(id.token());
            self.out.push(Action::ReplyToServer(cancelled));
        }
        self.fail_listing("the server did not answer tools/list in time", None, now_ms);
    }

    /// Puts the new set in place, then tells everyone who waits for it.
    pub(super) fn swap(&mut self, compiled: Compiled, now_ms: u64) {
        let Some(listing) = self.listing.take() else { return };
        let ttl_ms = compiled.pages.ttl_ms();
        let set = match &self.tools {
            Some(tools) if tools.set.same_definitions(&compiled.set) => Arc::clone(&tools.set),
            _ => {
                self.report(&compiled.set, &compiled.pages);
                Arc::clone(&compiled.set)
            }
        };
        self.tools = Some(Tools { set: Arc::clone(&set), since_ms: listing.started_ms, ttl_ms, suspect: false });
        let result = compiled.pages.into_result(Arc::clone(&set), self.config.policy.observe);
        let was_listed = !listing.waiters.is_empty();
        for reply in listing.waiters {
            let line = result.answer(reply.id.token(), reply.revision);
            self.answer(&reply, line);
        }
        let is_news = !was_listed && self.client_view.as_ref().is_some_and(|view| !view.same_definitions(&set));
        if is_news {
            for notice in &listing.notices {
                self.out.push(Action::ToClient(notice.clone()));
            }
        }
        // Without a notice the client still has the old list; the next notice is compared with that.
        if was_listed || self.client_view.is_none() || !listing.notices.is_empty() {
            self.client_view = Some(set);
        }
        self.release(now_ms);
        self.start_next(now_ms);
    }

    fn start_next(&mut self, now_ms: u64) {
        if !self.next.wanted || self.listing.is_some() {
            return;
        }
        if !self.next.waiters.is_empty() || self.may_follow_notice(now_ms) {
            self.start_listing(now_ms);
        } else if let Some(tools) = &mut self.tools {
            // Until then, a call that would be refused asks for the list itself.
            tools.suspect = true;
        }
    }

    /// Whether a list may be fetched only because the server said that it changed. It is fetched later where not.
    fn may_follow_notice(&mut self, now_ms: u64) -> bool {
        let (since_ms, count) = self.noticed;
        let is_over = now_ms.saturating_sub(since_ms) >= self.config.limits.relist_pause_ms;
        self.noticed = if is_over { (now_ms, 1) } else { (since_ms, count.saturating_add(1)) };
        self.noticed.1 <= NOTICED_LISTS_MAX
    }

    /// Names what an operator should know about a new set.
    fn report(&mut self, set: &ToolSet, pages: &Pages) {
        for misfit in set.misfits() {
            let what = if self.config.policy.observe { "would be left out" } else { "is left out" };
            let unfit = pages.unfit(misfit.index);
            // What may not cross at all is not shown either where calls are only observed.
            let what = if unfit.is_some() { "is left out" } else { what };
            let why = unfit.map_or(misfit.why.as_str(), |unfit| unfit.why);
            let message = format!("entry {} of the tool list {what}: {why}", misfit.index);
            match unfit.and_then(|unfit| unfit.name.as_deref()) {
                Some(name) => self.log(Record::tool_note(Level::Warn, "tool-left-out", name, message)),
                None => self.note(Level::Warn, "tool-left-out", message),
            }
        }
        for tool in set.tools() {
            match tool.contract() {
                Err(unusable) => {
                    let what = match self.config.policy.observe {
                        true => "the tool's calls would be refused, and it would be left out of the list",
                        false => "the tool is left out of the list and its calls are refused",
                    };
                    let message = format!("{what}: {unusable}");
                    self.log(Record::tool_note(Level::Warn, "tool-closed", tool.name(), message));
                }
                Ok(contract) => {
                    let set_aside = contract.set_aside();
                    for keyword in set_aside.iter().take(SET_ASIDE_NAMED_MAX) {
                        let message = format!("{} is set aside: {}", keyword.keyword_location, keyword.why);
                        self.log(Record::tool_note(Level::Warn, "set-aside", tool.name(), message));
                    }
                    if let Some(more) = set_aside.len().checked_sub(SET_ASIDE_NAMED_MAX).filter(|more| *more > 0) {
                        self.log(Record::tool_note(Level::Warn, "set-aside", tool.name(), format!("and {more} more")));
                    }
                    for pointer in contract.idle_list_text_keep() {
                        let place = toolgate::shown_name(pointer);
                        let message =
                            format!("the policy keeps text at `{place}`, where no string stands beside a list");
                        self.log(Record::tool_note(Level::Warn, "policy-without-place", tool.name(), message));
                    }
                }
            }
        }
        let policy = Arc::clone(&self.config.policy);
        for tool in set.tools().iter().filter(|tool| !policy.observe && policy.leaves_to_server(tool.name())) {
            let message = "the operator left the judging of this tool to its server";
            self.log(Record::tool_note(Level::Warn, "judged-by-server", tool.name(), message));
        }
        for name in policy.named_tools().filter(|name| set.get(name).is_none()) {
            let message = "the policy names a tool that the server does not list";
            self.log(Record::tool_note(Level::Warn, "policy-without-tool", name, message));
        }
    }
}
