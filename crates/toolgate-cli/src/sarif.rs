//! SARIF 2.1.0, which code hosts and editors read: the parts that every report has.

use toolgate::json::{ObjectWriter, list};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A rule as the log lists it.
pub(crate) struct LogRule {
    pub(crate) id: &'static str,
    /// `error`, `warning` or `note`.
    pub(crate) level: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) help: String,
}

/// The whole log of one run. The run itself went well, whatever it found; `notices` are a matter of its configuration.
pub(crate) fn log(
    rules: &[LogRule],
    notices: impl Iterator<Item = String>,
    results: impl Iterator<Item = String>,
) -> String {
    let mut run = ObjectWriter::new();
    run.raw("tool", &tool(rules));
    run.raw("invocations", &invocations(notices));
    // Of a column, which no result names, but which the specification wants to be told.
    run.string("columnKind", "unicodeCodePoints");
    run.raw("results", &list(results));
    let mut log = ObjectWriter::new();
    log.string("$schema", SCHEMA);
    log.string("version", "2.1.0");
    log.raw("runs", &list(std::iter::once(run.end())));
    format!("{}\n", log.end())
}

/// A message.
pub(crate) fn text(text: &str) -> String {
    let mut object = ObjectWriter::new();
    object.string("text", text);
    object.end()
}

fn tool(rules: &[LogRule]) -> String {
    let rules = rules.iter().map(|rule| {
        let mut configuration = ObjectWriter::new();
        configuration.string("level", rule.level);
        let mut object = ObjectWriter::new();
        object.string("id", rule.id);
        object.raw("shortDescription", &text(rule.meaning));
        object.raw("help", &text(&rule.help));
        object.raw("defaultConfiguration", &configuration.end());
        object.end()
    });
    let mut driver = ObjectWriter::new();
    driver.string("name", "toolgate");
    driver.string("version", env!("CARGO_PKG_VERSION"));
    driver.string("informationUri", env!("CARGO_PKG_REPOSITORY"));
    driver.raw("rules", &list(rules));
    let mut tool = ObjectWriter::new();
    tool.raw("driver", &driver.end());
    tool.end()
}

fn invocations(notices: impl Iterator<Item = String>) -> String {
    let notices = notices.map(|words| {
        let mut object = ObjectWriter::new();
        object.string("level", "warning");
        object.raw("message", &text(&words));
        object.end()
    });
    let mut invocation = ObjectWriter::new();
    invocation.raw("executionSuccessful", "true");
    invocation.raw("toolConfigurationNotifications", &list(notices));
    list(std::iter::once(invocation.end()))
}

/// A file and a line of it, which code hosts want in every result: the first where none is known.
pub(crate) fn physical(path: &str, line: Option<usize>) -> String {
    let mut artifact = ObjectWriter::new();
    artifact.string("uri", &uri(path));
    let mut physical = ObjectWriter::new();
    physical.raw("artifactLocation", &artifact.end());
    physical.raw("region", &format!(r#"{{"startLine":{}}}"#, line.unwrap_or(1)));
    physical.end()
}

/// A path as a URI reference (RFC 3986).
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            b'\\' => uri.push('/'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("a b/c:d.json"), "a%20b/c%3Ad.json");
        assert_eq!(uri("/tmp/ü.json"), "file:///tmp/%C3%BC.json");
    }
}
