//! Who we are to a server of HTTP: what the endpoint's headers say, or else the token of whoever has signed in, which may be renewed.
//! And what of it the server's words may repeat.

use super::secrets::Secrets;
use super::{Endpoint, Settings};
use crate::login::{self, LoginFault, Logins};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) struct Credential {
    /// Where the token is kept; of an endpoint whose headers say who we are, nowhere.
    logins: Option<Logins>,
    /// What else nobody is told.
    configured: Secrets,
    interrupted: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    token: Option<String>,
    secrets: Secrets,
}

impl Credential {
    pub(super) fn of(endpoint: &Endpoint, settings: &Settings) -> Result<Credential, LoginFault> {
        let says_who = endpoint.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let logins = endpoint.logins.clone().filter(|_| !says_who);
        let interrupted = settings.interrupted.clone();
        let token = logins.as_ref().map(|logins| login::token(logins, &endpoint.url, &interrupted));
        let token = token.transpose().map_err(|fault| fault.without(&settings.secrets))?.flatten();
        let credential =
            Credential { logins, configured: settings.secrets.clone(), interrupted, state: Mutex::default() };
        credential.set(endpoint, token);
        Ok(credential)
    }

    /// Gets another token in place of one that the server takes no more; false where there was none.
    pub(super) fn renew(&self, endpoint: &Endpoint) -> Result<bool, LoginFault> {
        let refused = self.state().token.clone();
        let (Some(logins), Some(refused)) = (&self.logins, refused) else { return Ok(false) };
        let token = login::renewed_token(logins, &endpoint.url, &refused, &self.interrupted);
        let token = token.map_err(|fault| fault.without(&self.configured))?;
        self.set(endpoint, Some(token));
        Ok(true)
    }

    fn set(&self, endpoint: &Endpoint, token: Option<String>) {
        let headers = endpoint.headers.iter().cloned().chain(token.iter().map(|token| authorization(token)));
        let secrets = Secrets::of(&endpoint.url, headers).and(&self.configured);
        *self.state() = State { token, secrets };
    }

    /// What a request says of us beside the endpoint's headers.
    pub(super) fn header(&self) -> Option<(String, String)> {
        self.state().token.as_deref().map(authorization)
    }

    /// What the user has signed in for; nothing where the token is none of a login.
    pub(super) fn scopes(&self, endpoint: &Endpoint) -> Vec<String> {
        let logins = self.logins.as_ref().filter(|_| self.state().token.is_some());
        logins.map(|logins| login::granted_scopes(logins, &endpoint.url)).unwrap_or_default()
    }

    /// A text without what it repeats of us.
    pub(super) fn masked(&self, text: &str) -> String {
        self.state().secrets.masked(text)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn authorization(token: &str) -> (String, String) {
    ("Authorization".to_owned(), format!("Bearer {token}"))
}
