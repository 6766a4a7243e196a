//! A file of certificates: one line for each form that was proven, with the two texts that it is about.

use crate::input::strict_document;
use toolgate::json::ObjectWriter;
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
            certificate: Certificate::from_json(certificate.text()).map_err(|fault| fault.to_string())?,
        })
    }

    /// Checks the certificate against its texts, without search.
    pub(crate) fn replay(&self) -> Result<(), ReplayFault> {
        replay(&self.certificate, &self.contract, &self.advertised)
    }
}
