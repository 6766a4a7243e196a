//! A file of certificates: one line for each form that was proven, with the two texts that it is about.

use crate::input::strict_document;
use toolgate::json::{ObjectWriter, Value};
use toolgate_proof::{Certificate, ReplayFault, replay};

/// Sorted.
const MEMBERS: [&str; 5] = ["advertised_text", "certificate", "contract_text", "profile", "tool"];

/// One line: what a tool is shown as for one profile, and what the proof of it rests on.
pub(crate) struct Line {
    pub(crate) tool: String,
    pub(crate) profile: String,
    pub(crate) contract: String,
    pub(crate) advertised: String,
    pub(crate) certificate: Certificate,
}

impl Line {
    /// The line as JSON. The texts are strings, since the digests are of their bytes.
    pub(crate) fn to_json(&self) -> String {
        let mut line = ObjectWriter::new();
        line.string("tool", &self.tool);
        line.string("profile", &self.profile);
        line.string("contract_text", &self.contract);
        line.string("advertised_text", &self.advertised);
        line.raw("certificate", &self.certificate.to_json());
        line.end()
    }

    /// Reads what [`Line::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// Says why it cannot be read.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        // Others may read the last of two members of one name, and another certificate with it (R1.2).
        let document = strict_document(text).map_err(|unread| unread.in_line())?;
        let root = document.root();
        let mut names: Vec<_> = root.members().filter_map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names != MEMBERS {
            return Err(format!("a line has each of these members once, and no other: {}", MEMBERS.join(", ")));
        }
        let word = |name: &str| {
            let word = root.get(name).and_then(toolgate::json::Value::as_str);
            word.map(std::borrow::Cow::into_owned).ok_or_else(|| format!("`{name}` is a string"))
        };
        let certificate = root.get("certificate").ok_or("there is no `certificate`")?;
        Ok(Line {
            tool: word("tool")?,
            profile: word("profile")?,
            contract: word("contract_text")?,
            advertised: word("advertised_text")?,
            certificate: read_certificate(certificate)?,
        })
    }

    /// Checks the certificate against its texts, without search.
    pub(crate) fn replay(&self) -> Result<(), ReplayFault> {
        replay(&self.certificate, &self.contract, &self.advertised)
    }
}

/// Reads a certificate that is JSON for sure, and says which part of it is none of a certificate's.
fn read_certificate(certificate: Value<'_>) -> Result<Certificate, String> {
    let read = Certificate::from_json(certificate.text());
    let fault = match &read {
        Err(ReplayFault::Malformed(why)) => *why,
        _ => "",
    };
    // Of another format other members are to be expected.
    if fault != "it is of another format" {
        hold_members(certificate)?;
    }
    if fault == NO_JSON {
        return Err(match certificate.text().len() > CERTIFICATE_MAX_BYTES {
            true => format!("`certificate` is larger than {CERTIFICATE_MAX_BYTES} bytes"),
            false => "`certificate` has a number that is out of range, or is nested too deep".to_owned(),
        });
    }
    read.map_err(|fault| fault.to_string())
}

/// How the checker says that it has not read a certificate, which holds itself to tighter limits than JSON.
const NO_JSON: &str = "it is no JSON";
/// Bytes of one text that the checker reads.
const CERTIFICATE_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Members of a certificate whatever it certifies.
const OF_ALL: [&str; 6] = ["format", "checker", "contract", "advertised", "options", "verdict"];
const OF_OPTIONS: [&str; 11] = [
    "unknown_keys",
    "dialect",
    "discovered",
    "any_root",
    "absent_additional_is_closed",
    "pattern_is_full_match",
    "untyped_is_string",
    "nullable",
    "set_aside",
    "ignored_keywords",
    "decode",
];
const OF_ENTRY: [&str; 3] = ["advertised", "contract", "decode"];

/// Holds the names in a certificate to those that one has: what nobody reads could be taken for what was checked.
fn hold_members(certificate: Value<'_>) -> Result<(), String> {
    let verdict = certificate.get("verdict").and_then(Value::as_str).unwrap_or_default();
    let known: Vec<&str> = OF_ALL.iter().chain(&["map", "counterexample_text"]).copied().collect();
    only_these(certificate, "certificate", &known)?;
    let texts = OF_ALL.iter().filter(|name| **name != "options");
    if let Some(name) = texts.into_iter().find(|name| certificate.get(name).and_then(Value::as_str).is_none()) {
        return Err(format!("`certificate` has no `{name}` that is a string"));
    }
    let own = match &*verdict {
        "proven" => Some("map"),
        "refuted" => Some("counterexample_text"),
        _ => None,
    };
    if let Some(missing) = own.filter(|name| certificate.get(name).is_none()) {
        return Err(format!("`certificate` has no `{missing}`, and its verdict is {verdict}"));
    }
    let options = certificate.get("options").map(|options| only_these(options, "options", &OF_OPTIONS));
    let entries = certificate.get("map").into_iter().flat_map(Value::items);
    options.into_iter().chain(entries.map(|entry| only_these(entry, "map", &OF_ENTRY))).collect()
}

fn only_these(object: Value<'_>, what: &str, known: &[&str]) -> Result<(), String> {
    let names = object.members().filter_map(|(name, _)| name.as_str());
    match names.into_iter().find(|name| !known.contains(&&**name)) {
        Some(name) => Err(format!("`{what}` has a member that is not known: `{}`", toolgate::shown_name(&name))),
        None => Ok(()),
    }
}
