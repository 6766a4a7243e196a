//! The scopes that a server asks for where those of a token do not do (RFC 6750, section 3.1).

use rmcp::transport::auth::WWWAuthenticateParams;
use url::Url;

/// Scopes of one refusal.
const SCOPES_MAX: usize = 32;
/// Characters of one.
const CHARS_MAX: usize = 200;

/// The scopes that the challenges of a refusal ask for; none where it is refused for another reason.
pub(crate) fn asked_for<'c>(challenges: impl Iterator<Item = &'c str>, url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else { return Vec::new() };
    let mut told = challenges.map(|challenge| WWWAuthenticateParams::parse(challenge, &url));
    let scope = told.find(WWWAuthenticateParams::is_insufficient_scope).and_then(|told| told.scope);
    let scopes = scope.iter().flat_map(|scope| scope.split(' ')).filter(|scope| is_scope(scope));
    scopes.take(SCOPES_MAX).map(str::to_owned).collect()
}

/// Whether a word can be one (RFC 6749, section 3.3).
fn is_scope(word: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    !word.is_empty() && word.len() <= CHARS_MAX && word.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(challenges: &[&str]) -> Vec<String> {
        asked_for(challenges.iter().copied(), "https://example.com/mcp")
    }

    #[test]
    fn only_a_refusal_for_scopes_names_some() {
        let both = r#"Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="https://example.com/x""#;
        assert_eq!(asked(&["Basic realm=\"x\"", both]), ["files:read", "files:write"]);
        assert_eq!(asked(&[r#"Bearer error="invalid_token", scope="files:read""#]), [""; 0]);
        assert_eq!(asked(&["Bearer error=\"insufficient_scope\""]), [""; 0]);
    }

    #[test]
    fn what_can_be_no_scope_is_left_out_and_so_is_too_much() {
        let long = "x".repeat(CHARS_MAX + 1);
        assert_eq!(asked(&[&format!("Bearer error=\"insufficient_scope\", scope=\"a\u{7f} ü  b {long}\"")]), ["b"]);
        let many = "x ".repeat(1_000);
        assert_eq!(asked(&[&format!("Bearer error=\"insufficient_scope\", scope=\"{many}\"")]).len(), SCOPES_MAX);
    }
}
