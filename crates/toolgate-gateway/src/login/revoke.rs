//! Having the authorization server take tokens back (RFC 7009).

use super::{LoginFault, http, manager, wait};
use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthorizationMetadata, StoredCredentials};
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long all of it may take: the user waits, and the tokens are forgotten here anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has the tokens taken back by the server that gave them; false where it takes none back.
pub(super) fn revoke(url: &str, kept: &StoredCredentials) -> Result<bool, LoginFault> {
    let Some(tokens) = &kept.token_response else { return Ok(false) };
    http::may_be_asked(url)?;
    let client = http::Client::until(Instant::now() + PATIENCE, url);
    let metadata = metadata(url, &client)?;
    // Another server than the one that gave the tokens is not shown them.
    if kept.issuer.is_none() || metadata.issuer != kept.issuer {
        return Err(LoginFault::Server(
            "the server names another authorization server than it did at the login".into(),
        ));
    }
    let Some(endpoint) = metadata.additional_fields.get("revocation_endpoint").and_then(Value::as_str) else {
        return Ok(false);
    };
    // With the refresh token, what was got by it is taken back too.
    let (token, kind) = match tokens.refresh_token() {
        Some(token) => (token.secret(), "refresh_token"),
        None => (tokens.access_token().secret(), "access_token"),
    };
    client.post(endpoint, &[("token", token), ("token_type_hint", kind), ("client_id", &kept.client_id)])?;
    Ok(true)
}

/// What the server's authorization server says of itself.
fn metadata(url: &str, client: &http::Client) -> Result<AuthorizationMetadata, LoginFault> {
    let found = wait(async { Ok(manager(url, client).await?.resolve_metadata().await?) })?;
    let found = found.map_err(|fault| client.judged(fault))?;
    if found.source.is_discovered() {
        Ok(found.metadata)
    } else {
        Err(client.judged(LoginFault::Server("the authorization server was not found".into())))
    }
}
