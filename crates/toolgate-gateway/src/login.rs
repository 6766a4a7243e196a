//! Signing in to servers of HTTP by OAuth 2.1, as the Model Context Protocol asks for it: the SDK's client finds the authorization
//! server, registers us, and trades the code for tokens; here are the redirect to this machine, and where the tokens are kept.
//!
//! Tokens are in a private file for each server, and nowhere else: not in an error, not in a log. Decision 0022.

mod callback;
mod fault;
mod http;
mod keep;
mod revoke;
mod scopes;
mod secret;

pub use fault::LoginFault;
pub use keep::Logins;
pub(crate) use scopes::asked_for as scopes_asked_for;

use crate::client::{Secrets, place};
use callback::Callback;
use keep::Kept;
use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationRequest, OAuthState};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Our name, for the authorization server to show.
const CLIENT_NAME: &str = "toolgate";

/// How a user signs in. `Debug` shows no more of the address than its host.
#[derive(Clone)]
pub struct LoginRequest<'a> {
    /// The server, as it is called.
    pub url: &'a str,
    /// What to ask for; what the server names where it is empty.
    pub scopes: &'a [String],
    /// A client that is registered already, in place of registering one.
    pub client_id: Option<&'a str>,
    /// The port of the redirect on this machine; any that is free where it is `None`.
    pub port: Option<u16>,
    /// How long the user may take.
    pub patience: Duration,
    /// Set when the user gives up.
    pub interrupted: Arc<AtomicBool>,
    /// What else of the configuration nobody is shown, such as what variables of the address held.
    pub secrets: &'a Secrets,
}

impl fmt::Debug for LoginRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LoginRequest");
        shown.field("url", &place(self.url)).field("scopes", &self.scopes).field("port", &self.port);
        shown.field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// Signs in: `show` is given the address that the user is to open in a browser, which is one of https or of this machine; then the
/// redirect is waited for, and the tokens are kept in `logins`.
///
/// # Errors
///
/// Says what the authorization server, the user or this machine did not do. No error holds a token or a code.
pub fn log_in(logins: &Logins, request: &LoginRequest<'_>, show: &mut dyn FnMut(&str)) -> Result<(), LoginFault> {
    http::may_be_asked(request.url)?;
    let callback = Callback::listen(request.port)?;
    let mut wish = AuthorizationRequest::new(callback.address()).with_client_name(CLIENT_NAME);
    if request.scopes.is_empty() {
        wish = wish.with_initial_scope_selection();
    } else {
        wish = wish.with_scopes(request.scopes.iter().cloned());
    }
    if let Some(id) = request.client_id {
        wish = wish.with_preregistered_client(id);
    }
    let kept = logins.of(request.url);
    let client = http::Client::new(request.interrupted.clone(), request.url);
    let outcome = wait(async {
        let mut manager = manager(request.url, &client).await?;
        manager.set_credential_store(kept.clone());
        let mut state = OAuthState::Unauthorized(manager);
        state.start_authorization(wish).await?;
        client.found_another_way();
        let address = state.get_authorization_url().await?;
        http::may_lead_to(&address)?;
        client.learn_address(&address);
        show(&address);
        let redirected = callback.wait(&address, request.patience, &request.interrupted)?;
        client.learn_address(redirected.url());
        Ok(state.handle_callback_url(redirected.url()).await?)
    })?;
    match outcome.map_err(|fault| client.judged(fault).without(request.secrets)) {
        // Where nothing says how one signs in, the places that are guessed know nothing of it.
        Err(fault @ (LoginFault::Unregistered(_) | LoginFault::Server(_))) => {
            let url = request.url.to_owned();
            let is_open = http::unless_interrupted(&request.interrupted, move || http::lets_in_anybody(&url))?;
            Err(if is_open { LoginFault::NotAsked } else { fault })
        }
        outcome => outcome,
    }
}

/// The access token that is kept for a server, refreshed where it has run out; `None` where nobody has signed in.
///
/// # Errors
///
/// Says that the login has ended, that the authorization server was not reached, that the file is not private, or that `interrupted`
/// was set.
///
/// # Example
///
/// ```
/// use toolgate_gateway::login::{LoggedOut, Logins, log_out, token};
/// let logins = Logins::at(std::env::temp_dir().join("toolgate-no-logins"));
/// assert_eq!(token(&logins, "https://example.com/mcp", &Default::default())?, None);
/// assert!(matches!(log_out(&logins, "https://example.com/mcp")?, LoggedOut::Nobody));
/// # Ok::<(), toolgate_gateway::login::LoginFault>(())
/// ```
pub fn token(logins: &Logins, url: &str, interrupted: &Arc<AtomicBool>) -> Result<Option<String>, LoginFault> {
    let kept = logins.of(url);
    let Some(credentials) = kept.read()? else { return Ok(None) };
    http::may_be_asked(url)?;
    if let Some(token) = keep::fresh_token(&credentials) {
        return Ok(Some(token));
    }
    with_manager(url, &kept, interrupted, async |manager| manager.get_access_token().await).map(Some)
}

/// A token in place of one that the server takes no more although its time is not over: the one that another command has got
/// meanwhile, or one by the refresh token.
pub(crate) fn renewed_token(
    logins: &Logins,
    url: &str,
    refused: &str,
    interrupted: &Arc<AtomicBool>,
) -> Result<String, LoginFault> {
    let kept = logins.of(url);
    http::may_be_asked(url)?;
    let Some(credentials) = kept.read()? else { return Err(LoginFault::Ended) };
    if let Some(token) = keep::fresh_token(&credentials).filter(|token| token != refused) {
        return Ok(token);
    }
    let renewed = with_manager(url, &kept, interrupted, async |manager| {
        manager.refresh_token().await.map(|tokens| tokens.access_token().secret().clone())
    });
    renewed.map_err(|fault| match fault {
        LoginFault::Server(why) => LoginFault::NotRenewed(why),
        fault => fault,
    })
}

/// An access token as the SDK's client gets it of what is kept, and keeps it.
fn with_manager(
    url: &str,
    kept: &Kept,
    interrupted: &Arc<AtomicBool>,
    get: impl AsyncFnOnce(&AuthorizationManager) -> Result<String, AuthError>,
) -> Result<String, LoginFault> {
    let client = http::Client::new(interrupted.clone(), url);
    let token = wait(async {
        let mut manager = manager(url, &client).await?;
        manager.set_credential_store(kept.clone());
        if !manager.initialize_from_store().await? {
            return Err(LoginFault::Ended);
        }
        client.found_another_way();
        Ok(get(&manager).await?)
    })?;
    token.map_err(|fault| client.judged(fault))
}

/// The scopes that the user has signed in for; none where nothing is known of them.
pub(crate) fn granted_scopes(logins: &Logins, url: &str) -> Vec<String> {
    logins.of(url).read().ok().flatten().map(|credentials| credentials.granted_scopes).unwrap_or_default()
}

/// What came of signing out.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoggedOut {
    /// Nobody was signed in.
    Nobody,
    /// The tokens are forgotten here, and the authorization server has taken them back.
    Everywhere,
    /// The tokens are forgotten here. The authorization server takes none back.
    Here,
    /// The tokens are forgotten here. The authorization server was not told, and why.
    Untold(LoginFault),
}

/// Forgets the tokens of a server, and has its authorization server take them back where it does that.
///
/// # Errors
///
/// Says that the file cannot be removed.
pub fn log_out(logins: &Logins, url: &str) -> Result<LoggedOut, LoginFault> {
    let kept = logins.of(url);
    let credentials = kept.read();
    if !kept.remove()? {
        return Ok(LoggedOut::Nobody);
    }
    let revoked = credentials.and_then(|credentials| match credentials {
        Some(credentials) => revoke::revoke(url, &credentials),
        None => Ok(false),
    });
    Ok(match revoked {
        Ok(true) => LoggedOut::Everywhere,
        Ok(false) => LoggedOut::Here,
        Err(fault) => LoggedOut::Untold(fault),
    })
}

async fn manager(url: &str, client: &http::Client) -> Result<AuthorizationManager, AuthError> {
    AuthorizationManager::new_with_oauth_http_client(url, Arc::new(client.clone())).await
}

/// Everything below blocks, so that one thread is enough.
fn wait<T>(work: impl Future<Output = T>) -> Result<T, LoginFault> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(LoginFault::Runtime)?;
    Ok(runtime.block_on(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shown_without_what_its_address_holds() {
        let request = LoginRequest {
            url: "https://me:SECRET@example.com/SECRET?key=SECRET",
            scopes: &["notes".to_owned()],
            client_id: Some("SECRET"),
            port: None,
            patience: Duration::from_secs(1),
            interrupted: Arc::default(),
            secrets: &Secrets::of_values(["SECRET".to_owned()]),
        };
        let shown = format!("{request:?}");
        assert!(
            shown.contains("https://example.com\"") && shown.contains("notes") && !shown.contains("SECRET"),
            "{shown}"
        );
    }
}
