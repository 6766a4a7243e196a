//! A refusal as a tool result (R6.8), shaped for the revision spoken. The one place where it is shaped, whichever surface
//! answers.

use crate::json::push_string;
use crate::refusal::Refusal;
use crate::revision::Revision;
use crate::tool_set::Tool;

impl Tool {
    /// The JSON text of the result that answers a refused call of this tool, on one line. `text` is what the model reads,
    /// the refusal's own or one that says more (R6.10); `revision` is the one spoken, where it is known.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Policy, Revision, Showing, ToolSet};
    /// let tools = ToolSet::publish([r#"{"name":"ping","inputSchema":{}}"#], &Showing::default(), &|_| Policy::default());
    /// let ping = tools.get("ping").unwrap();
    /// let refusal = ping.check(Arguments::from_text("[]")).unwrap_err();
    /// let result = ping.refusal_result(&refusal, "no", Some(Revision::V2025_03_26));
    /// assert!(result.starts_with(r#"{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"toolgate/refusal":"#));
    /// ```
    pub fn refusal_result(&self, refusal: &Refusal, text: &str, revision: Option<Revision>) -> String {
        let violations = refusal.to_json();
        let mut object = String::from(r#"{"content":[{"type":"text","text":"#);
        push_string(&mut object, text);
        object.push_str(r#"}],"isError":true"#);
        // Clients validate structured content by the output schema, even beside `isError`.
        if !self.has_output_schema() && revision.is_none_or(Revision::has_structured_content) {
            object.push_str(r#","structuredContent":"#);
            object.push_str(&violations);
        }
        if revision.is_some_and(Revision::is_stateless) {
            object.push_str(r#","resultType":"complete""#);
        }
        object.push_str(r#","_meta":{"toolgate/refusal":"#);
        object.push_str(&violations);
        object.push_str("}}");
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Arguments, Policy};
    use crate::tool_set::{Showing, ToolSet};
    use serde_json::Value as Json;

    fn result(definition: &str, revision: Option<Revision>) -> Json {
        let tools = ToolSet::publish([definition], &Showing::default(), &|_| Policy::default());
        let tool = tools.tools().first().unwrap();
        let refusal = tool.check(Arguments::from_text("[]")).unwrap_err();
        serde_json::from_str(&tool.refusal_result(&refusal, "two\nlines", revision)).unwrap()
    }

    #[test]
    fn each_revision_gets_the_members_that_it_has() {
        for (revision, structured, result_type) in [
            (None, true, false),
            (Some(Revision::V2024_11_05), false, false),
            (Some(Revision::V2025_03_26), false, false),
            (Some(Revision::V2025_06_18), true, false),
            (Some(Revision::V2025_11_25), true, false),
            (Some(Revision::V2026_07_28), true, true),
        ] {
            let result = result(r#"{"name":"t","inputSchema":{}}"#, revision);
            assert_eq!(result.get("structuredContent").is_some(), structured, "{revision:?}");
            assert_eq!(result.get("resultType").is_some(), result_type, "{revision:?}");
            assert_eq!(result["isError"], true);
            assert_eq!(result["content"][0]["text"], "two\nlines");
            assert_eq!(result["_meta"]["toolgate/refusal"]["violations"][0]["code"], "type");
        }
    }

    #[test]
    fn beside_an_output_schema_nothing_is_structured() {
        let result = result(r#"{"name":"t","inputSchema":{},"outputSchema":{"type":"object"}}"#, None);
        assert!(result.get("structuredContent").is_none());
        assert!(result["_meta"].get("toolgate/refusal").is_some());
    }
}
