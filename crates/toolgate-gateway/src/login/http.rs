//! The HTTP of the SDK's OAuth client: over the same library and the same trusted certificates as everything else here.

use super::LoginFault;
use super::fault::in_a_line;
use crate::client::agent;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use std::net::IpAddr;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{Response, Uri};

/// Bytes of one answer; metadata and tokens have a few thousand.
const BODY_MAX_BYTES: u64 = 1024 * 1024;
/// How long one request may take, unless the SDK says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a request gets after the time is over: it fails, and does not wait for ever.
const MOMENT: Duration = Duration::from_millis(1);
/// Times that a request is sent on, where that is allowed.
const REDIRECTS_MAX: u32 = 5;

/// A login travels encrypted, or not beyond this machine.
pub(super) fn is_safe(url: &str) -> Result<(), LoginFault> {
    let uri: Uri = url.parse().map_err(|_| LoginFault::Server("the address is none of HTTP".to_owned()))?;
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_here => Ok(()),
        _ => Err(LoginFault::InTheClear),
    }
}

/// Whether a server greets somebody who does not say who they are.
pub(super) fn lets_in_anybody(url: &str) -> bool {
    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"toolgate-login","version":"1"}}}"#;
    let asked = agent(PATIENCE).post(url).header("Content-Type", "application/json");
    let asked = asked.header("Accept", "application/json, text/event-stream");
    let asked = asked.config().timeout_global(Some(PATIENCE)).build();
    asked.send(HELLO).is_ok_and(|response| response.status().is_success())
}

#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    /// When all has to be done.
    deadline: Option<Instant>,
}

impl Client {
    pub(super) fn new() -> Client {
        Client { agent: agent(PATIENCE), deadline: None }
    }

    /// Whose requests have all ended by then.
    pub(super) fn until(deadline: Instant) -> Client {
        Client { agent: agent(PATIENCE), deadline: Some(deadline) }
    }

    /// Sends a form. Whoever answers with another status than one of success has not taken it.
    pub(super) fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<(), LoginFault> {
        let request = self.agent.post(url).config().max_redirects(0).timeout_global(Some(self.patience(PATIENCE)));
        let answer = request.build().send_form(form.iter().copied());
        let status = answer.map_err(|error| LoginFault::Server(in_a_line(&error.to_string())))?.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(LoginFault::Server(format!("the authorization server answered with HTTP status {}", status.as_u16())))
        }
    }

    /// How long a request may take that may take this long by itself.
    fn patience(&self, alone: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // None at all is none that could be waited for.
        left.map_or(alone, |left| left.clamp(MOMENT, alone.max(MOMENT)))
    }

    fn send(&self, request: OAuthHttpRequest) -> Result<Response<Vec<u8>>, OAuthHttpClientError> {
        let redirects_max = match request.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => REDIRECTS_MAX,
            _ => 0,
        };
        let configured = self
            .agent
            .configure_request(request.request)
            .max_redirects(redirects_max)
            .timeout_global(Some(self.patience(request.timeout.unwrap_or(PATIENCE))))
            .build();
        let (parts, mut body) = self.agent.run(configured)?.into_parts();
        let body = body.with_config().limit(BODY_MAX_BYTES).read_to_vec()?;
        Ok(Response::from_parts(parts, body))
    }
}

impl OAuthHttpClient for Client {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        // One thread does nothing but this login, so that it may as well wait here.
        Box::pin(async move { self.send(request) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn whoever_does_not_answer_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/revoke", listener.local_addr().unwrap());
        for left in [Duration::ZERO, Duration::from_millis(50)] {
            let told = Client::until(Instant::now() + left).post(&url, &[("token", "SECRET")]).unwrap_err().to_string();
            assert!(!told.is_empty() && !told.contains("SECRET"), "{told}");
        }
    }

    #[test]
    fn a_token_does_not_travel_in_the_clear() {
        for url in ["https://example.com/mcp", "http://localhost:1/mcp", "http://127.0.0.1/mcp", "http://[::1]:8/"] {
            assert!(is_safe(url).is_ok(), "{url}");
        }
        for url in ["http://example.com/mcp", "http://127.0.0.1.example.com/", "http://10.0.0.1/", "ftp://localhost/"] {
            assert!(is_safe(url).is_err(), "{url}");
        }
    }
}
