//! What a server is told to know us by, kept out of its words when we repeat them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

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

/// The values of our own headers and of the query and the user of an address, and their parts. `Debug` shows none.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
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
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let (rest, query) = rest.split('#').next().and_then(|rest| rest.split_once('?')).unwrap_or((rest, ""));
        found.extend(query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned()));
        let user = rest.split('/').next().and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
        found.extend(user.into_iter().flat_map(|user| user.split(':')).map(str::to_owned));
        // Some writers of JSON escape a slash.
        let escaped: Vec<String> =
            found.iter().filter(|secret| secret.contains('/')).map(|secret| secret.replace('/', "\\/")).collect();
        found.extend(escaped);
        found.retain(|secret| secret.chars().count() >= CHARS_MIN);
        // The whole before its parts.
        found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        found.dedup();
        Secrets(found)
    }

    /// The text without them, nor the beginning of one at an end where the text was cut.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut masked = self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASK));
        let begun = |secret: &String| {
            let ends = secret
                .char_indices()
                .map(|(at, _)| at)
                .skip(CHARS_MIN)
                .filter(|at| secret.get(..*at).is_some_and(|begun| masked.ends_with(begun)));
            ends.max()
        };
        if let Some(cut) = self.0.iter().filter_map(begun).max() {
            masked.truncate(masked.len().saturating_sub(cut));
            masked.push_str(MASK);
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(url: &str, headers: &[(&str, &str)]) -> Secrets {
        Secrets::of(url, headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn debug_shows_nothing_of_an_address_that_may_be_a_secret() {
        let url = "https://user:SECRET-1@example.com:8080/mcp?key=SECRET-2#SECRET-3";
        let endpoint = Endpoint { url: url.to_owned(), headers: vec![("K".to_owned(), "SECRET-4".to_owned())] };
        let request = crate::login::LoginRequest {
            url,
            scopes: &[],
            client_id: None,
            port: None,
            patience: std::time::Duration::ZERO,
            interrupted: std::sync::Arc::default(),
        };
        for shown in [format!("{endpoint:?}"), format!("{request:?}")] {
            assert!(shown.contains("https://example.com:8080/mcp") && !shown.contains("SECRET"), "{shown}");
        }
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
}
