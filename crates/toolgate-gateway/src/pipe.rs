//! The ends of pipes, and what can be asked of them. The only module that asks the operating system whether a write would
//! block.

use crate::outlet::Sink;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

/// POSIX: a pipe that can be written to takes so many bytes without blocking.
const ATOMIC_BYTES: usize = 512;
#[cfg(target_os = "linux")]
const READY_BYTES: usize = 4096;
#[cfg(not(target_os = "linux"))]
const READY_BYTES: usize = ATOMIC_BYTES;

/// One end of a pipe, a socket, a terminal or a file.
#[derive(Debug)]
pub(crate) struct Pipe(File);

impl Pipe {
    /// Takes an end over.
    pub(crate) fn new(end: impl Into<OwnedFd>) -> Pipe {
        Pipe(File::from(end.into()))
    }

    /// A second handle of an end that stays where it is.
    pub(crate) fn share(end: &impl AsFd) -> io::Result<Pipe> {
        Ok(Pipe::new(end.as_fd().try_clone_to_owned()?))
    }

    /// Whether nobody is at the other side any more, though there may be something left to read.
    pub(crate) fn is_left(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
        let is_known = poll(&mut ends, Some(&now)).is_ok();
        is_known && ends.iter().any(|end| end.revents().intersects(PollFlags::HUP | PollFlags::ERR))
    }

    /// Whether it is a file, which has no other side.
    pub(crate) fn is_file(&self) -> bool {
        self.0.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    fn wait_for(&self, flags: PollFlags) {
        let _ = poll(&mut [PollFd::new(&self.0, flags)], None);
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                // Whoever started us may have left the end non-blocking.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait_for(PollFlags::IN),
                outcome => return outcome,
            }
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Sink for Pipe {
    fn ready(&self) -> usize {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ends = [PollFd::new(&self.0, PollFlags::OUT)];
        // An end whose other side is gone is ready too: the write says so.
        if matches!(poll(&mut ends, Some(&now)), Ok(count) if count > 0) { READY_BYTES.max(ATOMIC_BYTES) } else { 0 }
    }

    fn wait(&self) {
        self.wait_for(PollFlags::OUT);
    }
}
