//! Batches (2025-03-26): taken apart, each frame treated alone, the answers rejoined into one array (R12.2).

use super::{Action, Relay, Reply};
use crate::answer;
use crate::frame::{self, Form, INTERNAL_ERROR, INVALID_REQUEST, Id, Read};
use crate::record::Level;
use std::ops::Range;
use toolgate::Revision;

/// The place of one answer in one batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    batch: u64,
    index: usize,
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    answers: Vec<Option<Vec<u8>>>,
    open: usize,
    bytes: usize,
}

impl Relay {
    pub(super) fn client_batch(&mut self, line: &[u8], items: &[Range<usize>], now_ms: u64) {
        if !self.session.is_some_and(Revision::has_batches) {
            return self.refuse_batch(line, items);
        }
        if items.is_empty() {
            let error = answer::error(None, self.session, INVALID_REQUEST, "a batch holds at least one frame");
            return self.out.push(Action::ToClient(error));
        }
        let batch = self.number();
        // One place is kept open until all frames are taken, so that an early answer does not end the batch.
        self.batches.insert(batch, Batch { open: 1, ..Batch::default() });
        for item in items {
            let item = line.get(item.clone()).unwrap_or_default().to_vec();
            match frame::read(item, &self.config.limits.client_frame) {
                Read::Frame(frame) if frame.form == Form::Request => {
                    let slot = self.open_slot(batch);
                    self.client_frame(frame, Some(slot), now_ms);
                }
                Read::Frame(frame) => self.client_frame(frame, None, now_ms),
                Read::Flawed(flaw, _) => {
                    let slot = self.open_slot(batch);
                    self.client_flaw(&flaw, Some(slot));
                }
                Read::Blank | Read::Batch(..) => {
                    let slot = self.open_slot(batch);
                    let error = answer::error(None, self.session, INVALID_REQUEST, "a frame is a JSON object");
                    self.fill_slot(slot, Some(error));
                }
            }
        }
        self.close_one(batch);
    }

    /// Answers each request of an array that is no batch under the revision spoken, so that nothing waits.
    fn refuse_batch(&mut self, line: &[u8], items: &[Range<usize>]) {
        self.note(Level::Warn, "batch-refused", "the client sent a batch, which the revision spoken does not have");
        let mut ids: Vec<Option<Id>> = Vec::new();
        for item in items {
            let item = line.get(item.clone()).unwrap_or_default().to_vec();
            if let Read::Frame(frame) = frame::read(item, &self.config.limits.client_frame)
                && frame.form == Form::Request
                && frame.id.as_ref().is_some_and(|id| !self.is_in_use(id.key()))
            {
                ids.push(frame.id);
            }
        }
        if ids.is_empty() {
            ids.push(None);
        }
        for id in ids {
            let message = "a batch is part of revision 2025-03-26 only";
            let error = answer::error(id.as_ref().map(Id::token), self.session, INVALID_REQUEST, message);
            self.out.push(Action::ToClient(error));
        }
    }

    pub(super) fn server_batch(&mut self, line: Vec<u8>, items: &[Range<usize>], now_ms: u64) {
        let is_allowed = self.session.is_some_and(Revision::has_batches);
        let mut has_frame = false;
        for item in items {
            let item = line.get(item.clone()).unwrap_or_default().to_vec();
            match frame::read(item, &self.config.limits.server_frame) {
                Read::Blank | Read::Batch(..) => {}
                Read::Flawed(flaw, _) if !self.is_frame(&flaw.finding) => {}
                read if is_allowed => {
                    has_frame = true;
                    self.server_line(read, now_ms);
                }
                Read::Frame(frame) => {
                    has_frame = true;
                    if let Some(id) = frame.id.as_ref().filter(|_| matches!(frame.form, Form::Result | Form::Error)) {
                        self.fail_request(
                            id,
                            "the server answered in a batch, which the revision spoken does not have",
                            now_ms,
                        );
                    }
                }
                Read::Flawed(flaw, _) => {
                    has_frame = true;
                    if let Some(id) = self.awaited(&flaw.finding).cloned() {
                        self.fail_request(&id, flaw.kind.message(), now_ms);
                    }
                }
            }
        }
        if !has_frame {
            self.out.push(Action::ToStderr(line));
        } else if !is_allowed {
            self.note(Level::Warn, "batch-refused", "the server sent a batch, which the revision spoken does not have");
        }
    }

    fn open_slot(&mut self, number: u64) -> Slot {
        let batch = self.batches.entry(number).or_default();
        batch.open += 1;
        batch.answers.push(None);
        Slot { batch: number, index: batch.answers.len() - 1 }
    }

    /// Puts an answer in its place; `None` where nobody waits for it any more.
    pub(super) fn fill(&mut self, slot: Slot, line: Option<Vec<u8>>, id: &Id) {
        let bytes_max = self.config.limits.batch_bytes_max;
        let used = self.batches.get(&slot.batch).map_or(0, |batch| batch.bytes);
        let line = line.map(|line| {
            if used.saturating_add(line.len()) <= bytes_max {
                return line;
            }
            let message = "the answers of the batch are larger than the limit";
            answer::error(Some(id.token()), self.session, INTERNAL_ERROR, message)
        });
        self.fill_slot(slot, line);
    }

    pub(super) fn fill_slot(&mut self, slot: Slot, line: Option<Vec<u8>>) {
        if let Some(batch) = self.batches.get_mut(&slot.batch)
            && let Some(answer) = batch.answers.get_mut(slot.index)
        {
            batch.bytes += line.as_ref().map_or(0, Vec::len);
            *answer = line;
            self.close_one(slot.batch);
        }
    }

    /// The client does not wait for this answer any more.
    pub(super) fn drop_reply(&mut self, reply: &Reply) {
        if let Some(slot) = reply.slot {
            self.fill_slot(slot, None);
        }
    }

    fn close_one(&mut self, number: u64) {
        let Some(batch) = self.batches.get_mut(&number) else { return };
        batch.open = batch.open.saturating_sub(1);
        if batch.open > 0 {
            return;
        }
        let answers: Vec<Vec<u8>> =
            self.batches.remove(&number).unwrap_or_default().answers.into_iter().flatten().collect();
        if !answers.is_empty() {
            self.out.push(Action::ToClient(answer::batch(&answers)));
        }
    }
}
