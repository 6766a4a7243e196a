//! Server-sent events, as far as streamable HTTP uses them: the data of each event, the id of the last, and the pause before
//! one comes back.

use std::io::{self, BufRead};
use std::time::Duration;

/// Longest pause that a server may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(15);
/// Shortest, however little it asks for.
const PAUSE_MIN: Duration = Duration::from_millis(100);
/// A byte order mark, which may stand before a stream.
const MARK: char = '\u{feff}';

/// What a stream has said so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    /// The id of the last event that has one: where one goes on.
    pub(super) last_id: Option<String>,
    pub(super) pause: Option<Duration>,
    data: Option<String>,
    /// Something of the stream as it was last taken up has been read.
    has_begun: bool,
    /// The last line was ended by CR, to which a LF may belong.
    after_return: bool,
}

impl Stream {
    /// Reads on to the end of the next event that has data; `None` at the end of the stream, after which another may go on.
    ///
    /// # Errors
    ///
    /// As the reader says it, and with [`io::ErrorKind::InvalidData`] where a line or an event is longer than `bytes_max`
    /// or is not UTF-8.
    pub(super) fn next(&mut self, reader: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<String>> {
        let read = self.event(reader, bytes_max);
        if !matches!(read, Ok(Some(_))) {
            // An event that is not ended is none.
            (self.data, self.has_begun, self.after_return) = (None, false, false);
        }
        read
    }

    fn event(&mut self, reader: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        while self.line(reader, &mut line, bytes_max)? {
            let text = std::str::from_utf8(&line).map_err(|_| refused("an event is not UTF-8"))?;
            let text = if self.has_begun { text } else { text.strip_prefix(MARK).unwrap_or(text) };
            self.has_begun = true;
            if text.is_empty() {
                if let Some(data) = self.data.take().filter(|data| !data.is_empty()) {
                    return Ok(Some(data));
                }
                continue;
            }
            self.field(text);
            if self.data.as_ref().is_some_and(|data| data.len() >= bytes_max) {
                return Err(too_large());
            }
        }
        Ok(None)
    }

    /// Reads a line without its end, which is LF, CR or both; false at the end of the stream.
    fn line(&mut self, reader: &mut impl BufRead, line: &mut Vec<u8>, bytes_max: usize) -> io::Result<bool> {
        line.clear();
        loop {
            let buffer = match reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                return Ok(false);
            }
            if std::mem::take(&mut self.after_return) && buffer.first() == Some(&b'\n') {
                reader.consume(1);
                continue;
            }
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            if line.len().saturating_add(piece.len()) >= bytes_max {
                return Err(too_large());
            }
            line.extend_from_slice(piece);
            self.after_return = end.and_then(|end| buffer.get(end)) == Some(&b'\r');
            let read = piece.len() + usize::from(end.is_some());
            reader.consume(read);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => self.last_id = Some(value.to_owned()),
            "retry" => self.pause = value.parse().ok().map(pause),
            // `event` names what JSON-RPC says itself; a line that begins with a colon is a comment.
            _ => {}
        }
    }
}

fn pause(asked_ms: u64) -> Duration {
    Duration::from_millis(asked_ms).clamp(PAUSE_MIN, PAUSE_MAX)
}

fn too_large() -> io::Error {
    refused("an event is larger than the limit")
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> (Vec<String>, Stream) {
        let mut stream = Stream::default();
        let mut reader = text.as_bytes();
        let mut events = Vec::new();
        while let Some(event) = stream.next(&mut reader, 1_000).unwrap() {
            events.push(event);
        }
        (events, stream)
    }

    #[test]
    fn events_are_told_apart() {
        let (told, stream) = events(
            ": hello\n\nid: 7\nretry: 200\ndata: a\ndata:b\n\nevent: message\r\ndata: {}\r\n\r\ndata\n\ndata: cut",
        );
        assert_eq!(told, ["a\nb", "{}"]);
        assert_eq!((stream.last_id.as_deref(), stream.pause), (Some("7"), Some(Duration::from_millis(200))));
    }

    #[test]
    fn a_mark_and_every_end_of_a_line_are_read() {
        for text in [
            "\u{feff}data: a\n\ndata: b\n\n",
            "data: a\r\rdata: b\r\r",
            "data: a\r\n\r\ndata: b\r\n\r\n",
            "data: a\r\n\rdata: b\n\r",
        ] {
            assert_eq!(events(text).0, ["a", "b"], "{text:?}");
            let mut stream = Stream::default();
            let mut reader = io::BufReader::with_capacity(1, text.as_bytes());
            assert_eq!(stream.next(&mut reader, 100).unwrap().as_deref(), Some("a"));
            assert_eq!(stream.next(&mut reader, 100).unwrap().as_deref(), Some("b"), "byte by byte: {text:?}");
        }
        assert_eq!(events("data: a\n\n\u{feff}data: b\n\n").0, ["a"], "inside a stream it is part of a name");
    }

    #[test]
    fn a_stream_that_is_taken_up_knows_nothing_of_a_line_that_was_cut() {
        let mut stream = Stream::default();
        assert_eq!(stream.next(&mut &b"data: cut\ndata: of"[..], 100).unwrap(), None);
        assert_eq!(stream.next(&mut "\u{feff}data: a\n\n".as_bytes(), 100).unwrap().as_deref(), Some("a"));
    }

    #[test]
    fn only_one_event_is_bounded_and_so_is_the_haste() {
        let text = "data: 0123456789\n\n".repeat(100);
        let mut reader = text.as_bytes();
        let mut stream = Stream::default();
        let count = std::iter::from_fn(|| stream.next(&mut reader, 100).unwrap()).count();
        assert_eq!(count, 100);
        assert_eq!(events("retry: 1\n\n").1.pause, Some(PAUSE_MIN));
        assert_eq!(events("retry: 999999999\n\n").1.pause, Some(PAUSE_MAX));
    }

    #[test]
    fn what_is_no_text_is_refused_and_not_mended() {
        let refused = Stream::default().next(&mut &b"data: \xff\n\n"[..], 100).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.to_string().as_str()),
            (io::ErrorKind::InvalidData, "an event is not UTF-8")
        );
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let text = format!("data: {}", "x".repeat(5_000));
        assert!(Stream::default().next(&mut text.as_bytes(), 1_000).is_err());
        let many = "data: xxxxxxxx\n".repeat(500);
        assert!(Stream::default().next(&mut many.as_bytes(), 1_000).is_err());
    }
}
