//! The HTTP of the SDK's OAuth client: over the same library and the same trusted certificates as everything else here.

use super::LoginFault;
use crate::client::agent;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use std::net::IpAddr;
use std::time::Duration;
use ureq::Agent;
use ureq::http::{Response, Uri};

/// Bytes of one answer; metadata and tokens have a few thousand.
const BODY_MAX_BYTES: u64 = 1024 * 1024;
/// How long one request may take, unless the SDK says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);
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

pub(super) struct Client {
    agent: Agent,
}

impl Client {
    pub(super) fn new() -> Client {
        Client { agent: agent(PATIENCE) }
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
            .timeout_global(Some(request.timeout.unwrap_or(PATIENCE)))
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
