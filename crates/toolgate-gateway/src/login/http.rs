//! The HTTP of the SDK's OAuth client: over the same library and the same trusted certificates as everything else here.

use super::fault::in_a_line;
use super::{LoginFault, secret};
use crate::client::{Secrets, agent, place, told};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{Request, Response, Uri};
use url::{Url, form_urlencoded};

/// Bytes of one answer; metadata and tokens have a few thousand.
const BODY_MAX_BYTES: u64 = 1024 * 1024;
/// How long one request may take, unless the SDK says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a request gets after the time is over: it fails, and does not wait for ever.
const MOMENT: Duration = Duration::from_millis(1);
/// How often it is looked whether the user has given up.
const PACE: Duration = Duration::from_millis(50);
/// Times that a request is sent on, where that is allowed.
const REDIRECTS_MAX: usize = 5;

/// A login travels encrypted, or not beyond this machine.
fn is_safe(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_here =
        host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    uri.scheme_str() == Some("https") || (uri.scheme_str() == Some("http") && is_here)
}

/// Whether the user may be known to a server at this address, which is the user's.
pub(super) fn may_be_asked(url: &str) -> Result<(), LoginFault> {
    if is_safe(url) { Ok(()) } else { Err(LoginFault::InTheClear) }
}

/// Whether a login may go on to this address, which is a stranger's: a request of ours, or the user's browser.
pub(super) fn may_lead_to(url: &str) -> Result<(), LoginFault> {
    if is_safe(url) { Ok(()) } else { Err(LoginFault::LedInTheClear { place: place(url) }) }
}

/// Whether a server greets somebody who does not say who they are.
pub(super) fn lets_in_anybody(url: &str) -> bool {
    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"toolgate-login","version":"1"}}}"#;
    let asked = agent(PATIENCE).post(url).header("Content-Type", "application/json");
    let asked = asked.header("Accept", "application/json, text/event-stream");
    let asked = asked.config().timeout_global(Some(PATIENCE)).build();
    asked.send(HELLO).is_ok_and(|response| response.status().is_success())
}

/// What the work brings, on a thread of its own; unless the user gives up before, and then the work ends with its own time.
pub(super) fn unless_interrupted<T: Send + 'static>(
    interrupted: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, LoginFault> {
    let (sender, receiver) = mpsc::sync_channel(1);
    // Whoever has given up takes nothing.
    thread::spawn(move || drop(sender.send(work())));
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(LoginFault::Interrupted);
        }
        match receiver.recv_timeout(PACE) {
            Ok(brought) => return Ok(brought),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(LoginFault::Server("nothing came of it".to_owned())),
        }
    }
}

/// Sends every request of a login, and nothing to where others could read it.
#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    /// When all has to be done.
    deadline: Option<Instant>,
    /// Set when the user gives up.
    interrupted: Arc<AtomicBool>,
    seen: Arc<Mutex<Seen>>,
}

/// What has gone by.
#[derive(Default)]
struct Seen {
    /// What was sent and given that nobody may be told.
    secrets: Secrets,
    /// Why a request was not sent. The SDK keeps the words of it at most.
    refused: Option<LoginFault>,
}

impl Client {
    /// For the login to the server at this address.
    pub(super) fn new(interrupted: Arc<AtomicBool>, url: &str) -> Client {
        let seen = Seen { secrets: Secrets::of(url, std::iter::empty()), refused: None };
        Client { agent: agent(PATIENCE), deadline: None, interrupted, seen: Arc::new(Mutex::new(seen)) }
    }

    /// Whose requests have all ended by then.
    pub(super) fn until(deadline: Instant, url: &str) -> Client {
        Client { deadline: Some(deadline), ..Client::new(Arc::default(), url) }
    }

    /// Sends a form. Whoever answers with another status than one of success has not taken it.
    pub(super) fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<(), LoginFault> {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = Request::post(url).header("Content-Type", "application/x-www-form-urlencoded");
        let request = request.body(form.into_bytes()).map_err(|error| LoginFault::Server(error.to_string()))?;
        let answer = self.exchange(request, self.patience(PATIENCE));
        let status = answer.map_err(|fault| self.judged(fault))?.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(LoginFault::Server(format!("the authorization server answered with HTTP status {}", status.as_u16())))
        }
    }

    /// From now on the secrets of an address are not told.
    pub(super) fn learn_address(&self, url: &str) {
        self.learn(secret::of_address(url));
    }

    /// Why a login is not to be had, where this is what came of it: what was refused here, or else this without what it repeats of
    /// the login.
    pub(super) fn judged(&self, fault: LoginFault) -> LoginFault {
        let mut seen = self.seen();
        let refused = seen.refused.take();
        refused.unwrap_or_else(|| fault.without(&seen.secrets))
    }

    /// What was refused so far was not needed.
    pub(super) fn found_another_way(&self) {
        self.seen().refused = None;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, values: Vec<String>) {
        if !values.is_empty() {
            self.seen().secrets.add(values);
        }
    }

    /// How long a request may take that may take this long by itself.
    fn patience(&self, alone: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // None at all is none that could be waited for.
        left.map_or(alone, |left| left.clamp(MOMENT, alone.max(MOMENT)))
    }

    /// Sends a request, and on to where it is sent on to, if that is followed.
    fn send(&self, request: OAuthHttpRequest) -> Result<Response<Vec<u8>>, LoginFault> {
        let is_followed = matches!(request.redirect_policy, OAuthHttpRedirectPolicy::Follow);
        let patience = self.patience(request.timeout.unwrap_or(PATIENCE));
        let mut request = request.request;
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.exchange(request.clone(), patience)?;
            match sent_on_to(&request, &answer).filter(|_| is_followed) {
                Some(uri) => *request.uri_mut() = uri,
                None => return Ok(answer),
            }
        }
        Err(LoginFault::Server(format!("it was sent on more than {REDIRECTS_MAX} times")))
    }

    /// Sends one request, as every request of a login is sent.
    fn exchange(&self, request: Request<Vec<u8>>, patience: Duration) -> Result<Response<Vec<u8>>, LoginFault> {
        may_lead_to(&request.uri().to_string())?;
        self.learn(secret::of_message(request.headers(), request.body()));
        let agent = self.agent.clone();
        let answer = unless_interrupted(&self.interrupted, move || answer(&agent, request, patience))?;
        let answer = answer.map_err(|error| LoginFault::Server(in_a_line(&told(&error))))?;
        self.learn(secret::of_message(answer.headers(), answer.body()));
        Ok(answer)
    }
}

fn answer(agent: &Agent, request: Request<Vec<u8>>, patience: Duration) -> Result<Response<Vec<u8>>, ureq::Error> {
    let configured = agent.configure_request(request).max_redirects(0).timeout_global(Some(patience)).build();
    let (parts, mut body) = agent.run(configured)?.into_parts();
    let body = body.with_config().limit(BODY_MAX_BYTES).read_to_vec()?;
    Ok(Response::from_parts(parts, body))
}

/// Where a request is to be sent as it is in place of where it was.
fn sent_on_to(request: &Request<Vec<u8>>, answer: &Response<Vec<u8>>) -> Option<Uri> {
    let is_same = match answer.status().as_u16() {
        307 | 308 => true,
        301..=303 => request.method() == "GET",
        _ => false,
    };
    let location = answer.headers().get("Location").filter(|_| is_same)?.to_str().ok()?;
    let to = Url::parse(&request.uri().to_string()).ok()?.join(location).ok()?;
    to.as_str().parse().ok()
}

impl OAuthHttpClient for Client {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        // One thread does nothing but this login, so that it may as well wait here.
        Box::pin(async move {
            self.send(request).map_err(|fault| {
                let words = fault.to_string();
                if matches!(fault, LoginFault::Interrupted | LoginFault::LedInTheClear { .. }) {
                    self.seen().refused = Some(fault);
                }
                words.into()
            })
        })
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
            let told =
                Client::until(Instant::now() + left, &url).post(&url, &[("token", "SECRET")]).unwrap_err().to_string();
            assert!(!told.is_empty() && !told.contains("SECRET"), "{told}");
        }
    }

    #[test]
    fn a_token_does_not_travel_in_the_clear() {
        for url in ["https://example.com/mcp", "http://localhost:1/mcp", "http://127.0.0.1/mcp", "http://[::1]:8/"] {
            assert!(is_safe(url), "{url}");
        }
        for url in [
            "http://example.com/mcp",
            "http://127.0.0.1.example.com/",
            "http://localhost@example.com/",
            "http://localhost\\@example.com/",
            "http://10.0.0.1/",
            "http://0.0.0.0/",
            "ftp://localhost/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "-a",
        ] {
            assert!(!is_safe(url), "{url}");
        }
    }
}
