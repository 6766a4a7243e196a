//! Splits what a peer writes into lines, at LF and nowhere else, in bounded memory.

use crate::scan::{Finding, Scanner};
use std::io::{self, Read};

const BUFFER_BYTES: usize = 64 * 1024;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its LF. The last one need not have had any.
    Whole(Vec<u8>),
    /// A line that was larger than the limit: what could be found in it while it was thrown away.
    TooLarge(Finding),
    /// The peer will write nothing more.
    End,
}

/// Reads lines of at most `size_max` bytes.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    size_max: usize,
}

impl<R: Read> Lines<R> {
    /// Reads from `source`, which need not be buffered.
    pub(crate) fn new(source: R, size_max: usize) -> Self {
        Lines { source, buffer: vec![0; BUFFER_BYTES], start: 0, end: 0, size_max }
    }

    /// What the lines are read from.
    pub(crate) fn source(&self) -> &R {
        &self.source
    }

    /// Waits for the next line.
    ///
    /// # Errors
    ///
    /// Where the source fails; what was read of the line is lost.
    pub(crate) fn next_line(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        let mut scanner: Option<Scanner> = None;
        loop {
            let unread = self.buffer.get(self.start..self.end).unwrap_or_default();
            let (piece, is_end) = match unread.iter().position(|byte| *byte == b'\n') {
                Some(at) => (unread.get(..at).unwrap_or_default(), true),
                None => (unread, false),
            };
            self.start += piece.len() + usize::from(is_end);
            match &mut scanner {
                Some(scanner) => scanner.feed(piece),
                None if line.len() + piece.len() > self.size_max => {
                    let mut begun = Scanner::default();
                    begun.feed(&line);
                    begun.feed(piece);
                    line = Vec::new();
                    scanner = Some(begun);
                }
                // One byte more for the LF that ends it where it crosses.
                None => {
                    line.reserve(piece.len() + 1);
                    line.extend_from_slice(piece);
                }
            }
            if is_end {
                return Ok(finished(line, scanner));
            }
            if !self.fill()? {
                let is_empty = line.is_empty() && scanner.is_none();
                return Ok(if is_empty { Line::End } else { finished(line, scanner) });
            }
        }
    }

    /// False at the end.
    fn fill(&mut self) -> io::Result<bool> {
        loop {
            match self.source.read(&mut self.buffer) {
                Ok(count) => {
                    (self.start, self.end) = (0, count);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn finished(line: Vec<u8>, scanner: Option<Scanner>) -> Line {
    match scanner {
        Some(scanner) => Line::TooLarge(scanner.finish()),
        None => Line::Whole(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Id;

    /// Gives `step` bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let text = b"one\n\n{\"id\":7,\"x\":\"0123456789\"}\r\ntail";
        for step in [1, 2, 3, 7, 100] {
            let mut lines = Lines::new(Drip(text, step), 12);
            assert_eq!(lines.next_line().unwrap(), Line::Whole(b"one".to_vec()));
            assert_eq!(lines.next_line().unwrap(), Line::Whole(Vec::new()));
            match lines.next_line().unwrap() {
                Line::TooLarge(finding) => assert_eq!(finding.id.as_ref().map(Id::token), Some("7")),
                other => panic!("{other:?}"),
            }
            assert_eq!(lines.next_line().unwrap(), Line::Whole(b"tail".to_vec()));
            assert_eq!(lines.next_line().unwrap(), Line::End);
        }
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_whole() {
        let mut lines = Lines::new(&b"12345\n123456\n"[..], 5);
        assert_eq!(lines.next_line().unwrap(), Line::Whole(b"12345".to_vec()));
        assert!(matches!(lines.next_line().unwrap(), Line::TooLarge(_)));
        assert_eq!(lines.next_line().unwrap(), Line::End);
    }
}
