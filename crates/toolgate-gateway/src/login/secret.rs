//! What of the messages of a login nobody may be told: codes, verifiers, states and tokens, by the names that the standards give them.

use serde_json::Value;
use ureq::http::HeaderMap;
use url::{Url, form_urlencoded};

/// Of forms and addresses.
const SENT: [&str; 4] = ["code", "code_verifier", "state", "token"];
/// Of those, and of objects of JSON, whose `code` may be one of an error.
const GIVEN: [&str; 7] = [
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "client_assertion",
    "assertion",
    "registration_access_token",
];

/// Those of a message, whose body is a form or an object of JSON.
pub(super) fn of_message(headers: &HeaderMap, body: &[u8]) -> Vec<String> {
    let said = headers.get_all("Authorization").iter().filter_map(|value| value.to_str().ok());
    let said = said.flat_map(|value| value.split(' ').skip(1).map(str::to_owned));
    said.chain(of_body(body)).collect()
}

fn of_body(body: &[u8]) -> Vec<String> {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(members)) => {
            let texts = members.into_iter().filter(|(name, _)| GIVEN.contains(&name.as_str()));
            texts.filter_map(|(_, value)| value.as_str().map(str::to_owned)).collect()
        }
        Ok(_) => Vec::new(),
        Err(_) => of_pairs(form_urlencoded::parse(body)),
    }
}

/// Those of the query of an address.
pub(super) fn of_address(url: &str) -> Vec<String> {
    Url::parse(url).map(|url| of_pairs(url.query_pairs())).unwrap_or_default()
}

fn of_pairs(pairs: form_urlencoded::Parse<'_>) -> Vec<String> {
    let is_secret = |name: &str| SENT.contains(&name) || GIVEN.contains(&name);
    pairs.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_is_known_by_its_name() {
        let mut headers = HeaderMap::new();
        headers.insert("Authorization", "Basic QQ==".parse().unwrap());
        let form = b"grant_type=authorization_code&code=a%2Fb&code_verifier=c+d";
        assert_eq!(of_message(&headers, form), ["QQ==", "a/b", "c d"]);
        let tokens = br#"{"token_type":"Bearer","access_token":"x","refresh_token":"y","id_token":1,"code":"invalid"}"#;
        assert_eq!(of_message(&HeaderMap::new(), tokens), ["x", "y"]);
        assert_eq!(of_address("http://127.0.0.1/callback?code=z&iss=https://a&state=s"), ["z", "s"]);
        assert_eq!(of_body(b"[1]"), [""; 0]);
    }
}
