//! Finds the id of a frame that cannot be read: cut off, too deep, too large, or not UTF-8 (R12.4).
//!
//! A scanner is fed the bytes as they come, also those that are thrown away because the frame is too large, and holds a
//! bounded amount whatever is fed. It looks at the members of the outermost object only, so an `id` inside the arguments is
//! never taken for the frame's. It guesses nothing: of two ids it reports none.

use crate::frame::{Id, same_but_for_case};

/// Bytes of a name or of an id that are kept; a longer one is not the one that is looked for.
const TOKEN_MAX_BYTES: usize = 1024;
/// Ids of one frame that are kept.
const IDS_MAX: usize = 4;
/// What some writers put before the first token: a byte order mark and NUL.
const BEFORE: [u8; 4] = [0xef, 0xbb, 0xbf, 0];

/// What could be found in a frame that was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The frame's id, where there is exactly one and it is whole.
    pub id: Option<Id>,
    /// There is a member `jsonrpc`.
    pub has_jsonrpc: bool,
    /// There is a member `method`: a request or a notification.
    pub has_method: bool,
    /// There is a member `result` or `error`: an answer.
    pub has_outcome: bool,
    /// The requests that the frame may be meant to answer: each id in it, in whatever case it is named and however its number is
    /// written, where there is no method.
    pub answers: Vec<Id>,
    /// There is a member that no frame has.
    pub has_others: bool,
}

impl Finding {
    /// Whether it is a frame, as far as can be seen, and none of a server's other words. One that does not say so is, where it says
    /// nothing but an answer to a request that waits.
    pub(crate) fn is_frame(&self, answers_one_that_waits: bool) -> bool {
        self.has_jsonrpc || (self.has_outcome && !self.has_others && answers_one_that_waits)
    }

    /// Whether the frame answers a request, as far as can be seen.
    pub fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }
}

/// Reads a frame's outermost members out of bytes that need not be JSON.
#[derive(Debug, Default)]
pub struct Scanner {
    depth: u64,
    /// The outermost value is no object: nothing can be found.
    lost: bool,
    at_name: bool,
    in_string: bool,
    escaped: bool,
    capture: Option<Vec<u8>>,
    /// Tokens, and whether the name is `id` as it is written.
    ids: Vec<(Vec<u8>, bool)>,
    id_seen: u32,
    /// There is a member `method`, in whatever case.
    says_method: bool,
    /// The value that follows belongs to `id`, in whatever case.
    at_id: bool,
    is_exact: bool,
    finding: Finding,
}

impl Scanner {
    /// The finding for a frame that is whole in memory.
    pub fn scan(bytes: &[u8]) -> Finding {
        let mut scanner = Scanner::default();
        scanner.feed(bytes);
        scanner.finish()
    }

    /// Reads on.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.lost {
                return;
            }
            self.byte(*byte);
        }
    }

    /// What was found. A token that the end cut off is none.
    pub fn finish(mut self) -> Finding {
        let exact = self.ids.iter().find(|(_, is_exact)| *is_exact).filter(|_| self.id_seen == 1);
        self.finding.id = exact.and_then(|(token, _)| Id::from_token(std::str::from_utf8(token).ok()?));
        if !self.says_method {
            let ids = self.ids.iter().filter_map(|(token, _)| Id::meant(std::str::from_utf8(token).ok()?));
            self.finding.answers = ids.collect();
        }
        self.finding
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            return self.string_byte(byte);
        }
        match byte {
            b'"' => self.open_string(),
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => {
                self.end_scalar();
                self.depth = self.depth.saturating_sub(1);
                self.lost |= self.depth == 0;
            }
            b',' if self.depth == 1 => {
                self.end_scalar();
                self.at_name = true;
            }
            b':' if self.depth == 1 => self.at_name = false,
            b' ' | b'\t' | b'\r' | b'\n' => self.end_scalar(),
            byte if self.depth == 1 && !self.at_name && self.at_id => self.keep(byte),
            byte => self.lost |= self.depth == 0 && !BEFORE.contains(&byte),
        }
    }

    fn open(&mut self, byte: u8) {
        self.lost |= self.depth == 0 && byte == b'[';
        self.at_name = self.depth == 0;
        self.depth += 1;
        if self.depth == 2 {
            self.at_id = false;
        }
    }

    fn open_string(&mut self) {
        self.in_string = true;
        self.lost |= self.depth == 0;
        if self.depth == 1 && (self.at_name || self.at_id) {
            self.capture = Some(vec![b'"']);
        }
    }

    fn string_byte(&mut self, byte: u8) {
        if let Some(capture) = &mut self.capture {
            if capture.len() < TOKEN_MAX_BYTES {
                capture.push(byte);
            } else {
                self.capture = None;
            }
        }
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.close_string(),
            _ => {}
        }
    }

    fn close_string(&mut self) {
        self.in_string = false;
        let token = self.capture.take().unwrap_or_default();
        if self.depth != 1 {
            return;
        }
        if self.at_name {
            let name = serde_json::from_slice::<String>(&token).unwrap_or_default();
            self.at_id = same_but_for_case(&name, "id");
            self.is_exact = name == "id";
            self.says_method |= same_but_for_case(&name, "method");
            match name.as_str() {
                "id" => self.id_seen += 1,
                "jsonrpc" => self.finding.has_jsonrpc = true,
                "method" => self.finding.has_method = true,
                "result" | "error" => self.finding.has_outcome = true,
                _ => self.finding.has_others |= !self.at_id,
            }
        } else if self.at_id {
            self.found(token);
        }
    }

    fn keep(&mut self, byte: u8) {
        let capture = self.capture.get_or_insert_default();
        if capture.len() < TOKEN_MAX_BYTES {
            capture.push(byte);
        }
    }

    fn end_scalar(&mut self) {
        if self.depth == 1
            && let Some(token) = self.capture.take()
        {
            self.found(token);
        }
    }

    fn found(&mut self, token: Vec<u8>) {
        self.at_id = false;
        if self.ids.len() < IDS_MAX {
            self.ids.push((token, self.is_exact));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn id_of(frame: &[u8], expected: Option<&str>) {
        let whole = Scanner::scan(frame);
        assert_eq!(whole.id.as_ref().map(Id::token), expected);
        let mut bytewise = Scanner::default();
        for byte in frame {
            bytewise.feed(std::slice::from_ref(byte));
        }
        assert_eq!(bytewise.finish(), whole, "the same whether fed whole or in pieces");
    }

    #[test]
    fn finds_the_id_of_a_frame_that_is_cut_off() {
        id_of(br#"{"jsonrpc":"2.0","id":5,"#, Some("5"));
        id_of(br#"{"jsonrpc":"2.0", "id" : "a\"b" ,"method":"x"#, Some(r#""a\"b""#));
        id_of(br#"{"\u0069d":7}"#, Some("7"));
    }

    #[test]
    fn finds_the_id_after_the_params() {
        id_of(br#"{"method":"m","params":{"id":1,"x":[{"id":2}]},"id":3}"#, Some("3"));
        id_of(b"{\"params\":{\"x\":\"\xff\xfe\"},\"id\":3}", Some("3"));
    }

    #[test]
    fn takes_no_id_that_is_not_the_frames_own_whole_and_only_one() {
        id_of(br#"{"id":5"#, None);
        id_of(br#"{"id":"5"#, None);
        id_of(br#"{"id":5,"id":6,"#, None);
        id_of(br#"{"id":5,"id":"#, None);
        id_of(br#"{"params":{"id":1}}"#, None);
        id_of(br#"{"params":"\"id\":1"}"#, None);
        id_of(br#"[{"id":5}]"#, None);
        id_of(br#"{"id":null,"method":"m"}"#, None);
        id_of(br#"{"id":{"id":5},"method":"m"}"#, None);
        id_of(br#"{"id":1.5,"method":"m"}"#, None);
        id_of(br#"{"a":1} {"id":5}"#, None);
        id_of(br#"junk {"id":5}"#, None);
    }

    #[test]
    fn a_mark_before_the_frame_hides_no_id() {
        id_of(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":5}", Some("5"));
        id_of(b"\0\0{\"jsonrpc\":\"2.0\",\"id\":5}", Some("5"));
    }

    #[test]
    fn what_a_frame_may_answer_is_read_loosely() {
        let answers = |frame: &str| -> Vec<String> {
            Scanner::scan(frame.as_bytes()).answers.iter().map(|id| id.key().to_owned()).collect()
        };
        assert_eq!(answers(r#"{"id":5.0,"result":1}"#), ["5"]);
        assert_eq!(answers(r#"{"id":5e0,"result":1}"#), ["5"]);
        assert_eq!(answers(r#"{"id":5,"ID":"a","Result":{"id":7}}"#), ["5", "\"a"]);
        assert!(answers(r#"{"id":5.5,"result":1}"#).is_empty());
        assert!(answers(r#"{"id":5,"Method":"m"}"#).is_empty());
        assert_eq!(answers(&format!("{{{}\"x\":1}}", "\"id\":1,".repeat(100))).len(), IDS_MAX);
        assert!(!Scanner::scan(br#"{"id":5,"result":1}"#).has_others);
        assert!(Scanner::scan(br#"{"id":5,"level":"info"}"#).has_others);
    }

    #[test]
    fn tells_an_answer_from_a_request() {
        assert!(Scanner::scan(br#"{"jsonrpc":"2.0","id":1,"result":{"method":1}"#).is_response());
        assert!(!Scanner::scan(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"result":1}"#).is_response());
    }

    #[test]
    fn holds_little_whatever_is_fed() {
        let mut scanner = Scanner::default();
        scanner.feed(b"{\"");
        for _ in 0..1000 {
            scanner.feed(&[b'x'; 1000]);
        }
        scanner.feed(b"\":1,\"id\":4}");
        assert_eq!(scanner.finish().id.as_ref().map(Id::token), Some("4"));
    }
}
