//! What stands between a client and a server: takes lines of both and says what is to be written where. No thread, no
//! clock and no I/O; the driver ([`crate::stdio`]) brings the lines and the time.
//!
//! `tools/list` is fetched whole and answered as one page, `tools/call` is judged; everything else crosses with its tokens
//! unchanged. Every table is bounded, and whatever a peer sends is answered or named in the log.
//!
//! Ids: what the client asks crosses with the client's ids, so a server's words about them (progress, cancellation,
//! subscriptions) need no translation. What we ask has ids of our own that begin with [`Config::instance`]. What the server
//! asks crosses to the client and its answers cross back; the two spaces are never looked up in one table.

mod batches;
mod calls;
mod client;
mod lists;
mod server;
#[cfg(test)]
mod tests;

use crate::answer;
use crate::frame::{Frame, FrameLimits, Id, Read};
use crate::listing::{CompileJob, Compiled, ListLimits, Pages};
use crate::policy::ServerPolicy;
use crate::record::{Level, Record};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use toolgate::{Repeats, Revision, ToolSet};

/// The bounds of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayLimits {
    /// A line of the client.
    pub client_frame: FrameLimits,
    /// A line of the server.
    pub server_frame: FrameLimits,
    /// Requests of the client that are not answered yet.
    pub in_flight_max: usize,
    /// Calls that wait for the tool list.
    pub held_max: usize,
    /// Their bytes.
    pub held_bytes_max: usize,
    /// Bytes of the answers of one batch.
    pub batch_bytes_max: usize,
    /// How long answers are waited for after the client has ended its input, in milliseconds.
    pub end_time_max_ms: u64,
    /// The tool list.
    pub list: ListLimits,
    /// Between two lists that are fetched because a call would be refused (R9.8).
    pub relist_pause_ms: u64,
}

impl Default for RelayLimits {
    fn default() -> Self {
        // Deeper than arguments may be, so that arguments that are too deep are refused in words (R6) and not as a frame.
        let depth_max = 512;
        RelayLimits {
            client_frame: FrameLimits { size_max_bytes: 8 * 1024 * 1024, depth_max, batch_max: 256 },
            server_frame: FrameLimits { size_max_bytes: 64 * 1024 * 1024, depth_max, batch_max: 1024 },
            in_flight_max: 4096,
            held_max: 256,
            held_bytes_max: 16 * 1024 * 1024,
            batch_bytes_max: 64 * 1024 * 1024,
            end_time_max_ms: 600_000,
            list: ListLimits::default(),
            relist_pause_ms: 2000,
        }
    }
}

/// What a relay is made with.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the operator decided about the server's tools.
    pub policy: Arc<ServerPolicy>,
    /// The bounds.
    pub limits: RelayLimits,
    /// Begins the ids of our own requests. No two guards may share it, since one may stand before another.
    pub instance: String,
}

/// What the driver is to do, in this order.
#[derive(Debug)]
pub enum Action {
    /// Write this line to the client.
    ToClient(Vec<u8>),
    /// Write this line to the server.
    ToServer(Vec<u8>),
    /// The same, and it may be dropped when the server does not read: it answers a frame of the server's that is broken.
    ReplyToServer(Vec<u8>),
    /// A line of the server's that is no JSON-RPC.
    ToStderr(Vec<u8>),
    /// Write this record.
    Log(Record),
    /// Run this beside the relay, then call [`Relay::on_compiled`]; where it cannot be run, [`Relay::on_not_compiled`].
    Compile(CompileJob),
}

/// The state of one connection.
pub struct Relay {
    config: Config,
    /// Records carry the calls that they are about.
    keeps_calls: bool,
    /// The revision that `initialize` settled; `None` before, and where there is no handshake.
    session: Option<Revision>,
    /// The server said that it announces changes of its tools.
    says_list_changed: bool,
    /// Subscriptions (2026-07-28) on which changes of the tools are announced, by the id of their request.
    announced_on: HashSet<String>,
    /// Who the client is (2026-07-28), for requests of our own.
    carried_meta: Option<String>,
    /// How the client calls itself, for the profile `auto`.
    client: Option<String>,
    in_flight: HashMap<String, InFlight>,
    tools: Option<Tools>,
    /// The list that the client was last given, or told to have changed.
    client_view: Option<Arc<ToolSet>>,
    listing: Option<Listing>,
    next: NextListing,
    last_listing_ms: Option<u64>,
    /// Lists that only notices asked for, since when.
    noticed: (u64, u32),
    held: VecDeque<Call>,
    held_bytes: usize,
    batches: HashMap<u64, batches::Batch>,
    numbers: u64,
    repeats: Repeats,
    server_gone: bool,
    out: Vec<Action>,
}

/// Where an answer goes.
#[derive(Clone, Debug)]
struct Reply {
    id: Id,
    revision: Option<Revision>,
    slot: Option<batches::Slot>,
}

#[derive(Debug)]
struct InFlight {
    reply: Reply,
    asked: Asked,
    /// The client does not wait any more.
    cancelled: bool,
}

/// Requests whose answers we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Initialize,
    Discover,
    Listen,
    Other,
}

/// A `tools/call`.
#[derive(Debug)]
struct Call {
    frame: Frame,
    /// `None` for a call without an id.
    reply: Option<Reply>,
}

/// The set that calls are judged by.
#[derive(Debug)]
struct Tools {
    set: Arc<ToolSet>,
    since_ms: u64,
    ttl_ms: Option<u64>,
    /// A change was announced and the new list could not be had.
    suspect: bool,
}

/// A list on its way.
#[derive(Debug)]
struct Listing {
    /// The id of our request; `None` while the list is being compiled.
    id: Option<Id>,
    pages: Pages,
    started_ms: u64,
    waiters: Vec<Reply>,
    notices: Vec<Vec<u8>>,
}

/// Who waits for a list that is fetched after what they saw: the client's requests, and the server's notices that are
/// passed on when the list turns out to have changed.
#[derive(Debug, Default)]
struct NextListing {
    wanted: bool,
    waiters: Vec<Reply>,
    notices: Vec<Vec<u8>>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Relay({} requests in flight, {} calls held)", self.in_flight.len(), self.held.len())
    }
}

impl Relay {
    /// A relay that has seen nothing.
    pub fn new(config: Config) -> Relay {
        Relay {
            config,
            keeps_calls: false,
            session: None,
            says_list_changed: false,
            announced_on: HashSet::new(),
            carried_meta: None,
            client: None,
            in_flight: HashMap::new(),
            tools: None,
            client_view: None,
            listing: None,
            next: NextListing::default(),
            last_listing_ms: None,
            noticed: (0, 0),
            held: VecDeque::new(),
            held_bytes: 0,
            batches: HashMap::new(),
            numbers: 0,
            repeats: Repeats::default(),
            server_gone: false,
            out: Vec::new(),
        }
    }

    /// Takes a line of the client, read under [`RelayLimits::client_frame`].
    pub fn on_client(&mut self, line: Read, now_ms: u64) -> Vec<Action> {
        self.client_line(line, now_ms);
        std::mem::take(&mut self.out)
    }

    /// Takes a line of the server, read under [`RelayLimits::server_frame`].
    pub fn on_server(&mut self, line: Read, now_ms: u64) -> Vec<Action> {
        self.server_line(line, now_ms);
        std::mem::take(&mut self.out)
    }

    /// Takes a list that was compiled.
    pub fn on_compiled(&mut self, compiled: Compiled, now_ms: u64) -> Vec<Action> {
        self.swap(compiled, now_ms);
        std::mem::take(&mut self.out)
    }

    /// Takes note that a list which was fetched will not be compiled. The old set serves.
    pub fn on_not_compiled(&mut self, now_ms: u64) -> Vec<Action> {
        if self.listing.as_ref().is_some_and(|listing| listing.id.is_none()) {
            self.fail_listing("the tool list could not be compiled", None, now_ms);
        }
        std::mem::take(&mut self.out)
    }

    /// Looks at what has waited too long.
    pub fn on_tick(&mut self, now_ms: u64) -> Vec<Action> {
        self.expire(now_ms);
        std::mem::take(&mut self.out)
    }

    /// The server will say nothing more: everything that waits is answered with an error.
    pub fn on_server_gone(&mut self) -> Vec<Action> {
        self.server_gone = true;
        self.answer_all("the server ended before it answered");
        std::mem::take(&mut self.out)
    }

    /// The guard ends, and waits for no answer any more: every request that waits is answered with an error.
    pub fn on_guard_ending(&mut self) -> Vec<Action> {
        self.answer_all("the guard ended before the server answered, and does not know what came of it");
        std::mem::take(&mut self.out)
    }

    /// Lets the records of judged calls carry the calls, for whoever makes cases of them.
    pub fn keep_calls(&mut self) {
        self.keeps_calls = true;
    }

    /// When [`Relay::on_tick`] has something to do.
    pub fn next_deadline_ms(&self) -> Option<u64> {
        match &self.listing {
            Some(listing) if listing.id.is_none() => None,
            Some(listing) => Some(listing.started_ms.saturating_add(self.config.limits.list.time_max_ms)),
            None if self.next.wanted => Some(self.noticed.0.saturating_add(self.config.limits.relist_pause_ms)),
            None => None,
        }
    }

    /// Whether something that the client has sent has not reached the server yet.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
            || !self.next.waiters.is_empty()
            || self.listing.as_ref().is_some_and(|list| !list.waiters.is_empty())
    }

    /// Whether nobody waits for an answer.
    pub fn is_idle(&self) -> bool {
        !self.is_holding() && self.in_flight.values().all(|request| request.cancelled)
    }

    /// Whether an id of the client's is that of a request that is not answered.
    fn is_in_use(&self, key: &str) -> bool {
        let same = |reply: &Reply| reply.id.key() == key;
        self.in_flight.contains_key(key)
            || self.held.iter().any(|call| call.reply.as_ref().is_some_and(same))
            || self.waiters().any(same)
            || self.is_own(key)
    }

    fn waiters(&self) -> impl Iterator<Item = &Reply> {
        self.listing.iter().flat_map(|listing| &listing.waiters).chain(&self.next.waiters)
    }

    fn is_own(&self, key: &str) -> bool {
        key.strip_prefix('"').is_some_and(|text| text.starts_with(&self.config.instance))
    }

    fn own_id(&mut self) -> Id {
        let number = self.number();
        Id::own(&format!("{}-{number}", self.config.instance))
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn answer(&mut self, reply: &Reply, line: Vec<u8>) {
        match reply.slot {
            None => self.out.push(Action::ToClient(line)),
            Some(slot) => self.fill(slot, Some(line), &reply.id),
        }
    }

    fn answer_error(&mut self, reply: &Reply, code: i32, message: &str) {
        self.answer(reply, answer::error(Some(reply.id.token()), reply.revision, code, message));
    }

    fn answer_all(&mut self, message: &str) {
        let listing = self.listing.take().map(|listing| listing.waiters).unwrap_or_default();
        let held = std::mem::take(&mut self.held).into_iter().filter_map(|call| call.reply);
        let in_flight = std::mem::take(&mut self.in_flight).into_values();
        let asked = in_flight.filter(|request| !request.cancelled).map(|request| request.reply);
        let mut replies: Vec<Reply> =
            asked.chain(held).chain(listing).chain(std::mem::take(&mut self.next).waiters).collect();
        // The table has no order, and answers that come in the same order every time are easier to follow.
        replies.sort_by(|one, other| one.id.key().cmp(other.id.key()));
        self.held_bytes = 0;
        for reply in replies {
            self.answer_error(&reply, crate::frame::INTERNAL_ERROR, message);
        }
    }

    fn log(&mut self, record: Record) {
        self.out.push(Action::Log(record));
    }

    fn note(&mut self, level: Level, event: &'static str, message: impl Into<String>) {
        self.log(Record::note(level, event, message));
    }
}
