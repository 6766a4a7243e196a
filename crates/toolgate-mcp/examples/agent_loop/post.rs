//! One request to a provider.

use serde::Serialize;
use serde_json::value::RawValue;

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// Turns after which a loop gives up.
pub(crate) const TURNS_MAX: usize = 8;

/// Posts `request` and returns the text of the reply, which nobody has parsed yet.
pub(crate) async fn post(
    url: String,
    headers: &[(&'static str, &str)],
    request: &impl Serialize,
) -> Result<String, Error> {
    let request = serde_json::to_string(request)?;
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let posted = tokio::task::spawn_blocking(move || {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut call = agent.post(&url).header("content-type", "application/json");
        for (name, value) in &headers {
            call = call.header(*name, value);
        }
        let mut reply = call.send(&request)?;
        let text = reply.body_mut().read_to_string()?;
        Ok((reply.status(), text))
    });
    match posted.await?.map_err(|error: ureq::Error| error)? {
        (status, text) if status.is_success() => Ok(text),
        (status, text) => Err(format!("{status}: {text}").into()),
    }
}

/// JSON that goes out as it stands.
pub(crate) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, Error> {
    Ok(serde_json::value::to_raw_value(value)?)
}
