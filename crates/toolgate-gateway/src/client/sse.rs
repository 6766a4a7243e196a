//! Server-sent events, as far as streamable HTTP uses them: the data of each event, the id of the last, and the pause before
//! one comes back.

use std::io::{self, BufRead, Read};
use std::time::Duration;

/// Longest pause that a server may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// What a stream has said so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    /// The id of the last event that has one: where one goes on.
    pub(super) last_id: Option<String>,
    pub(super) pause: Option<Duration>,
    data: Option<String>,
}

impl Stream {
    /// Reads on to the end of the next event that has data; `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// As the reader says it, and where a line or an event is longer than `bytes_max`.
    pub(super) fn next(&mut self, reader: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let count = reader.by_ref().take(bytes_max as u64).read_until(b'\n', &mut line)?;
            if count == 0 {
                // An event that is not ended is none.
                self.data = None;
                return Ok(None);
            }
            if count >= bytes_max || self.data.as_ref().is_some_and(|data| data.len() >= bytes_max) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "an event is larger than the limit"));
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            if text.is_empty() {
                if let Some(data) = self.data.take().filter(|data| !data.is_empty()) {
                    return Ok(Some(data));
                }
                continue;
            }
            self.field(text);
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
            "retry" => self.pause = value.parse().ok().map(|pause| Duration::from_millis(pause).min(PAUSE_MAX)),
            // `event` names what JSON-RPC says itself; a line that begins with a colon is a comment.
            _ => {}
        }
    }
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
            ": hello\n\nid: 7\nretry: 20\ndata: a\ndata:b\n\nevent: message\r\ndata: {}\r\n\r\ndata\n\ndata: cut",
        );
        assert_eq!(told, ["a\nb", "{}"]);
        assert_eq!((stream.last_id.as_deref(), stream.pause), (Some("7"), Some(Duration::from_millis(20))));
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let text = format!("data: {}", "x".repeat(5_000));
        assert!(Stream::default().next(&mut text.as_bytes(), 1_000).is_err());
        let many = "data: xxxxxxxx\n".repeat(500);
        assert!(Stream::default().next(&mut many.as_bytes(), 1_000).is_err());
    }
}
