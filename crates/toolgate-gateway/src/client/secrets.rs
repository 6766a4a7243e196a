//! What must not be repeated where a server's words are: what it knows us by, and what it was configured with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;
use url::Url;

/// What stands in place of a secret.
const MASK: &str = "***";
/// Shorter values are no secrets, and stand in every text.
const CHARS_MIN: usize = 4;

/// An address as it is shown and kept: without user, query and fragment, which may hold a secret.
pub fn shown_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return MASK.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Values that are shown to nobody, whoever repeats them. `Debug` shows none.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// What a server is configured with: these values, their lines, and what addresses among them hold of a user and a query. Left
    /// out are values of fewer than four characters, and whole paths of what is there, which a message is often about.
    pub fn of_values(values: impl IntoIterator<Item = String>) -> Secrets {
        let is_path = |value: &String| Path::new(value).is_absolute() && Path::new(value).exists();
        let mut secrets = Secrets::default();
        secrets.add(values.into_iter().filter(|value| !is_path(value)));
        secrets
    }

    /// The values of our own headers and of the query and the user of an address, and their parts.
    pub(crate) fn of(url: &str, headers: impl Iterator<Item = (String, String)>) -> Secrets {
        let mut found = Vec::new();
        for (_, value) in headers {
            found.push(value.clone());
            let words: Vec<&str> = value.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
            // The scheme, such as `Bearer`, is no secret beside what follows it.
            let has_scheme = words.len() > 1 && words.first().is_some_and(|word| !word.contains('='));
            let words = words.into_iter().skip(usize::from(has_scheme));
            for word in words {
                found.push(word.to_owned());
                found.extend(word.split_once('=').map(|(_, value)| value.trim_matches('"').to_owned()));
                let decoded = STANDARD.decode(word).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                found.extend(decoded.iter().flat_map(|pair| pair.split_once(':')).map(|(_, word)| word.to_owned()));
            }
        }
        found.extend(of_address(url));
        let mut secrets = Secrets::default();
        secrets.add(found);
        secrets
    }

    pub(crate) fn add(&mut self, values: impl IntoIterator<Item = String>) {
        for value in values {
            self.0.extend(of_address(&value));
            self.0.extend(value.lines().map(str::to_owned));
            self.0.push(value);
        }
        self.0.retain(|secret| secret.chars().count() >= CHARS_MIN);
        // The whole before its parts.
        self.0.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.0.dedup();
    }

    /// These and others.
    pub(crate) fn and(mut self, others: &Secrets) -> Secrets {
        self.add(others.0.iter().cloned());
        self
    }

    /// The text without them, as they are or escaped as in addresses, forms and JSON; nor the beginning of one at an end where the
    /// text was cut.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut masked = String::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let length = self.0.iter().find_map(|secret| repeated(rest.as_bytes(), secret));
            masked.push_str(if length.is_some() { MASK } else { rest.get(..next.len_utf8()).unwrap_or_default() });
            rest = rest.get(length.unwrap_or(next.len_utf8())..).unwrap_or_default();
        }
        masked
    }
}

/// How many bytes at the beginning of a text repeat a secret, or where the text ends, its beginning.
fn repeated(text: &[u8], secret: &str) -> Option<usize> {
    let mut at = 0;
    for (said, byte) in secret.bytes().enumerate() {
        let left = text.get(at..).unwrap_or_default();
        match spelt(left, byte) {
            Some(length) => at += length,
            // An escape may have been cut.
            None if left.is_empty() || (left.len() < 3 && left.starts_with(b"%")) => {
                return (said >= CHARS_MIN).then_some(text.len());
            }
            None => return None,
        }
    }
    Some(at)
}

/// How many bytes at the beginning of a text stand for a byte.
fn spelt(text: &[u8], byte: u8) -> Option<usize> {
    let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits.get(..2)?).ok()?, 16).ok();
    if let [b'%', digits @ ..] = text {
        // What is escaped again has its `%` escaped.
        let mut inner = digits;
        while let [b'2', b'5', more @ ..] = inner {
            inner = more;
        }
        if hex(inner) == Some(byte) {
            return Some(text.len() - inner.len() + 2);
        }
        if hex(digits) == Some(byte) {
            return Some(3);
        }
    }
    match text {
        [b'\\', escaped, ..] if *escaped == byte => Some(2),
        [b'+', ..] if byte == b' ' => Some(1),
        [first, ..] if *first == byte => Some(1),
        _ => None,
    }
}

/// The user and the values of the query of an address, as they are written and as they are meant.
fn of_address(url: &str) -> Vec<String> {
    let Some((_, rest)) = url.split_once("://") else { return Vec::new() };
    let (rest, query) = rest.split('#').next().and_then(|rest| rest.split_once('?')).unwrap_or((rest, ""));
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
    let user = rest.split('/').next().and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
    let written = values.chain(user.into_iter().flat_map(|user| user.split(':')));
    let meant =
        |written: &str| url::form_urlencoded::parse(written.as_bytes()).next().map(|(text, _)| text.into_owned());
    written.flat_map(|written| [Some(written.to_owned()), meant(written)]).flatten().collect()
}

/// What of an address everybody may be shown: its scheme, its host and its port.
pub(crate) fn place(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return "an address that cannot be read".to_owned() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(url: &str, headers: &[(&str, &str)]) -> Secrets {
        Secrets::of(url, headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn debug_shows_nothing_of_an_address_that_may_be_a_secret() {
        let url = "https://user:SECRET-1@example.com:8080/SECRET-2?key=SECRET-3#SECRET-4".to_owned();
        let headers = vec![("K".to_owned(), "SECRET-5".to_owned())];
        let shown = format!("{:?}", crate::client::Endpoint { url, headers, logins: None });
        assert!(shown.contains("https://example.com:8080\"") && !shown.contains("SECRET"), "{shown}");
    }

    #[test]
    fn what_we_are_known_by_is_not_repeated() {
        let url = "https://user:PASS-1@example.com/mcp?key=QUERY-1&x=2#f";
        let basic = format!("Basic {}", STANDARD.encode("me:BASIC-1"));
        let headers = [
            ("Authorization", "Bearer TOKEN/1"),
            ("X-Key", "HEADER-1"),
            ("Proxy", &*basic),
            ("N", "1"),
            ("Cookie", "a=COOKIE-1; b=COOKIE-2"),
        ];
        let told = secrets(url, &headers)
            .masked(r"1 no Bearer TOKEN/1, token TOKEN\/1, HEADER-1 PASS-1 QUERY-1 BASIC-1 COOKIE-1 COOKIE-2 x=2 from example.com");
        assert_eq!(told, "1 no ***, token ***, *** *** *** *** *** *** x=2 from example.com");
    }

    #[test]
    fn what_is_cut_off_is_not_repeated_either() {
        let secrets = secrets("https://example.com", &[("X-Key", "abcdefgh")]);
        assert_eq!(secrets.masked("it is abcdef"), "it is ***");
        assert_eq!(secrets.masked("it is ab"), "it is ab");
        assert_eq!(Secrets::default().masked("abcdef"), "abcdef");
    }

    #[test]
    fn an_escape_hides_no_secret() {
        let secrets = Secrets::of_values(["a/b+c d%41ü".to_owned()]);
        for escaped in [
            "a/b+c d%41ü",
            r"a\/b+c d%41ü",
            "a%2Fb%2Bc+d%2541%C3%BC",
            "a%2fb%2bc%20d%2541%c3%bc",
            "a%252Fb%252Bc%2520d%2541%25C3%25BC",
        ] {
            assert_eq!(secrets.masked(&format!("x={escaped}&y")), "x=***&y", "{escaped}");
        }
        assert_eq!(secrets.masked("x=a%2Fb%2Bc%2"), "x=***");
        assert_eq!(secrets.masked("a/b-c d"), "a/b-c d");
        assert_eq!(secrets.masked("grün a%"), "grün a%");
    }

    #[test]
    fn lines_and_addresses_among_values_are_looked_into() {
        let values = ["postgres://me:PASS%2F1@db/x?key=QUERY-1", "-----BEGIN\nLINE-1\n", "abc", "/dev/null"];
        let secrets = Secrets::of_values(values.map(str::to_owned));
        assert_eq!(
            secrets.masked("PASS/1 PASS%2F1 QUERY-1 LINE-1 db abc /dev/null"),
            "*** *** *** *** db abc /dev/null"
        );
    }

    #[test]
    fn of_an_address_its_place_is_shown() {
        assert_eq!(place("https://me:PASS@example.com:8/a?b=c"), "https://example.com:8");
        assert_eq!(place("file:///etc/passwd"), "file://");
        assert_eq!(place("PASS"), "an address that cannot be read");
    }
}
