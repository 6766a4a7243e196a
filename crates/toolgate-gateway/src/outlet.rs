//! Writes lines to one peer, in the order in which they were queued, without making the thread that queues them wait.
//!
//! Whoever queues a line writes it at once if nobody else is writing and the peer takes it without blocking: that saves a
//! switch of threads on every call. What the peer does not take at once, the outlet's own thread writes. So no reader
//! ever waits for a writer while it holds a line, and two peers that do not read cannot lock each other.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What can be written to such that it can be asked whether it would block.
pub(crate) trait Sink: Write + Send + 'static {
    /// How many bytes can be written now without blocking; 0 where that cannot be known.
    fn ready(&self) -> usize;

    /// Waits until something can be written, for a sink that does not block by itself.
    fn wait(&self);
}

/// Whether more may be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// It may.
    Free,
    /// Too much waits still.
    Full,
    /// The peer has gone.
    Gone,
}

/// One peer's end.
pub(crate) struct Outlet<S: Sink> {
    shared: Arc<Shared<S>>,
}

impl<S: Sink> std::fmt::Debug for Outlet<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outlet").field("backlog", &self.backlog()).finish_non_exhaustive()
    }
}

impl<S: Sink> Clone for Outlet<S> {
    fn clone(&self) -> Self {
        Outlet { shared: Arc::clone(&self.shared) }
    }
}

struct Shared<S> {
    state: Mutex<State<S>>,
    /// Something for the outlet's thread, or an end.
    work: Condvar,
    /// The queue has become shorter, or an end.
    room: Condvar,
}

struct State<S> {
    queue: VecDeque<Vec<u8>>,
    /// Bytes of the first line that are written.
    written: usize,
    bytes: usize,
    /// Bytes that the peer has taken.
    taken: u64,
    /// `None` while somebody writes, and when the end is reached.
    sink: Option<S>,
    /// The outlet's thread is to write.
    handed: bool,
    /// No more lines are taken; the sink is closed when the queue is empty.
    closing: bool,
    /// The peer has gone, or all is written and the sink is closed.
    closed: bool,
    dropped: u64,
    /// Why it could not be written to a peer that is still there.
    failure: Option<io::Error>,
}

impl<S: Sink> Outlet<S> {
    /// Starts the outlet's thread.
    ///
    /// # Errors
    ///
    /// Where no thread can be started.
    pub(crate) fn start(name: &str, sink: S) -> io::Result<Self> {
        let state = State {
            queue: VecDeque::new(),
            written: 0,
            bytes: 0,
            taken: 0,
            sink: Some(sink),
            handed: false,
            closing: false,
            closed: false,
            dropped: 0,
            failure: None,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), work: Condvar::new(), room: Condvar::new() });
        let outlet = Outlet { shared: Arc::clone(&shared) };
        std::thread::Builder::new().name(name.to_owned()).spawn(move || shared.serve())?;
        Ok(outlet)
    }

    /// Queues a line; its end is added. Never blocks. After the end it goes nowhere.
    pub(crate) fn queue(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.queue_bytes(line);
    }

    /// Queues bytes as they are.
    pub(crate) fn queue_bytes(&self, bytes: Vec<u8>) {
        let mut state = self.shared.lock();
        if !state.closed && !state.closing {
            state.bytes += bytes.len();
            state.queue.push_back(bytes);
        }
    }

    /// Queues bytes unless more than `bytes_max` wait already.
    pub(crate) fn queue_or_drop(&self, bytes: Vec<u8>, bytes_max: usize) {
        let mut state = self.shared.lock();
        if state.bytes > bytes_max {
            state.dropped += 1;
        } else if !state.closed && !state.closing {
            state.bytes += bytes.len();
            state.queue.push_back(bytes);
        }
    }

    /// How many were dropped since this was asked last.
    pub(crate) fn take_dropped(&self) -> u64 {
        std::mem::take(&mut self.shared.lock().dropped)
    }

    /// Bytes that wait.
    pub(crate) fn backlog(&self) -> usize {
        self.shared.lock().bytes
    }

    /// Writes what the peer takes at once, and leaves the rest to the outlet's thread.
    pub(crate) fn flush(&self) {
        let mut state = self.shared.lock();
        loop {
            if state.handed {
                self.shared.work.notify_one();
                return;
            }
            if state.queue.is_empty() {
                return;
            }
            // Whoever has the sink writes until the queue is empty.
            let Some(sink) = state.sink.take() else { return };
            let ready = sink.ready();
            if ready == 0 {
                state.sink = Some(sink);
                state.handed = true;
                self.shared.work.notify_one();
                return;
            }
            state = self.shared.write_some(state, sink, ready);
        }
    }

    /// Waits until no more than `bytes_max` wait; false when the peer has gone.
    pub(crate) fn wait_for_room(&self, bytes_max: usize) -> bool {
        let mut state = self.shared.lock();
        while state.bytes > bytes_max && !state.closed {
            state = self.shared.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.closed
    }

    /// The same for a while.
    pub(crate) fn room_within(&self, bytes_max: usize, time_max: Duration) -> Room {
        let end = Instant::now() + time_max;
        let mut state = self.shared.lock();
        while state.bytes > bytes_max && !state.closed {
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return Room::Full;
            };
            state = self.shared.room.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.closed { Room::Gone } else { Room::Free }
    }

    /// Bytes that the peer has taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.shared.lock().taken
    }

    /// Closes the sink when all that was queued is written.
    pub(crate) fn close(&self) {
        let mut state = self.shared.lock();
        state.closing = true;
        state.handed = true;
        self.shared.work.notify_one();
    }

    /// Waits until all is written, but no longer than `time_max`.
    pub(crate) fn wait_until_empty(&self, time_max: Duration) {
        let end = Instant::now() + time_max;
        let mut state = self.shared.lock();
        while state.bytes > 0 && !state.closed {
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { return };
            state = self.shared.room.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Why nothing more could be written to a peer that has not gone.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.shared.lock().failure.take()
    }

    /// Whether the peer has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.lock().closed
    }
}

impl<S: Sink> Shared<S> {
    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes at most `ready` bytes of the first line with the lock released.
    fn write_some<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<S>>,
        mut sink: S,
        ready: usize,
    ) -> MutexGuard<'a, State<S>> {
        let Some(line) = state.queue.pop_front() else {
            state.sink = Some(sink);
            return state;
        };
        let written = state.written;
        drop(state);
        let rest = line.get(written..).unwrap_or_default();
        let outcome = sink.write(rest.get(..ready).unwrap_or(rest));
        let mut state = self.lock();
        match outcome {
            Ok(0) => state.end(),
            Ok(count) => {
                state.bytes = state.bytes.saturating_sub(count);
                state.taken = state.taken.saturating_add(count as u64);
                state.written = written + count;
                if state.written < line.len() {
                    state.queue.push_front(line);
                } else {
                    state.written = 0;
                }
                state.sink = Some(sink);
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {
                state.queue.push_front(line);
                if error.kind() == io::ErrorKind::WouldBlock && ready == usize::MAX {
                    drop(state);
                    sink.wait();
                    state = self.lock();
                }
                state.sink = Some(sink);
            }
            Err(error) => {
                state.failure = Some(error).filter(|error| !is_of_a_peer_that_has_gone(error));
                state.end();
            }
        }
        self.room.notify_all();
        state
    }

    /// The outlet's thread: writes what could not be written at once, and may block.
    fn serve(&self) {
        let mut state = self.lock();
        while !state.closed {
            if !state.handed {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            match (state.queue.is_empty(), state.sink.take()) {
                (true, Some(sink)) if state.closing => {
                    drop(sink);
                    state.end();
                }
                (true, Some(sink)) => {
                    state.sink = Some(sink);
                    state.handed = false;
                }
                (false, Some(sink)) => state = self.write_some(state, sink, usize::MAX),
                // A thread that found the sink free is writing; it does not block, and wakes this one when it is done.
                (_, None) => state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        drop(state);
        self.room.notify_all();
    }
}

fn is_of_a_peer_that_has_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

impl<S> State<S> {
    fn end(&mut self) {
        self.closed = true;
        self.queue.clear();
        self.bytes = 0;
        self.written = 0;
        self.handed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Takes what it is allowed to take; a write beyond that waits.
    struct Slow {
        allowed: Arc<(Mutex<usize>, Condvar)>,
        written: mpsc::Sender<(std::thread::ThreadId, Vec<u8>)>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut allowed = self.allowed.0.lock().unwrap();
            while *allowed == 0 {
                allowed = self.allowed.1.wait(allowed).unwrap();
            }
            let count = bytes.len().min(*allowed);
            *allowed -= count;
            self.written
                .send((std::thread::current().id(), bytes[..count].to_vec()))
                .map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Slow {
        fn ready(&self) -> usize {
            *self.allowed.0.lock().unwrap()
        }

        fn wait(&self) {}
    }

    type Written = mpsc::Receiver<(std::thread::ThreadId, Vec<u8>)>;

    fn outlet(allowed: usize) -> (Outlet<Slow>, Written, impl Fn(usize)) {
        let gate = Arc::new((Mutex::new(allowed), Condvar::new()));
        let (written, received) = mpsc::channel();
        let outlet = Outlet::start("test", Slow { allowed: Arc::clone(&gate), written }).unwrap();
        let allow = move |more: usize| {
            *gate.0.lock().unwrap() += more;
            gate.1.notify_all();
        };
        (outlet, received, allow)
    }

    #[test]
    fn what_is_taken_at_once_is_written_by_the_thread_that_queued_it() {
        let (outlet, received, _) = outlet(100);
        outlet.queue(b"a".to_vec());
        outlet.queue(b"b".to_vec());
        outlet.flush();
        let me = std::thread::current().id();
        assert_eq!(received.try_recv().unwrap(), (me, b"a\n".to_vec()));
        assert_eq!(received.try_recv().unwrap(), (me, b"b\n".to_vec()));
        assert_eq!(outlet.backlog(), 0);
    }

    #[test]
    fn the_rest_is_written_by_the_outlets_thread_in_order_and_before_the_end() {
        let (outlet, received, allow) = outlet(3);
        outlet.queue(b"0123456789".to_vec());
        outlet.flush();
        outlet.queue(b"x".to_vec());
        outlet.flush();
        outlet.close();
        outlet.queue(b"after the end".to_vec());
        allow(100);
        let mut all = Vec::new();
        let mut threads = Vec::new();
        while let Ok((thread, bytes)) = received.recv() {
            all.extend(bytes);
            threads.push(thread);
        }
        assert_eq!(all, b"0123456789\nx\n");
        assert_eq!(threads.iter().filter(|thread| **thread == std::thread::current().id()).count(), 1);
        outlet.wait_until_empty(Duration::from_secs(10));
    }

    #[test]
    fn a_reader_that_waits_for_room_goes_on_when_the_peer_reads_or_leaves() {
        let (outlet, received, allow) = outlet(0);
        outlet.queue(vec![b'x'; 100]);
        outlet.flush();
        let waiting = outlet.clone();
        let waiter = std::thread::spawn(move || waiting.wait_for_room(10));
        allow(1000);
        assert!(waiter.join().unwrap());
        drop(received);
        outlet.queue(b"nobody reads this".to_vec());
        outlet.flush();
        outlet.wait_until_empty(Duration::from_secs(10));
        assert!(!outlet.wait_for_room(0) && outlet.is_closed());
    }

    #[test]
    fn beyond_the_bound_bytes_are_dropped_and_counted() {
        let (outlet, _received, _) = outlet(0);
        outlet.queue_or_drop(vec![b'x'; 10], 5);
        outlet.queue_or_drop(vec![b'x'; 10], 5);
        assert_eq!((outlet.backlog(), outlet.take_dropped(), outlet.take_dropped()), (10, 1, 0));
    }
}
