//! One call, judged.

use crate::guard::Guard;
use crate::sdk::{self, Caller, Sent};
use rmcp::model::{CallToolResponse, JsonObject};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use toolgate::{Admitted, Arguments, Refusal, Revision, Tool};

/// Who asks, and in which revision the answer is.
pub(crate) struct Asker {
    caller: Caller,
    revision: Option<Revision>,
}

impl Asker {
    pub(crate) fn of(context: &rmcp::service::RequestContext<RoleServer>) -> Self {
        Asker { caller: sdk::caller(context), revision: sdk::revision(context) }
    }
}

/// What becomes of a call.
pub(crate) enum Judged {
    /// The handler runs with these arguments.
    Admitted(JsonObject),
    /// This is the answer, and no handler runs.
    Refused(Result<CallToolResponse, ErrorData>),
}

impl Guard {
    /// Judges by the tool's own contract. One pure call; no side effect but the count of refusals.
    pub(crate) fn judge(&self, tool: &Tool, sent: Sent, asker: &Asker) -> Judged {
        match check(tool, sent) {
            Ok(arguments) => Judged::Admitted(arguments),
            Err(refusal) => Judged::Refused(self.refused(tool, &refusal, asker)),
        }
    }

    /// The handler's answer, unless it says that its type refuses what the contract admits. The SDK says so in words that
    /// quote values; they are left out and the operator is told, since the server is at fault (R3.5).
    pub(crate) fn answered(
        &self,
        tool: &Tool,
        answer: Result<CallToolResponse, ErrorData>,
        asker: &Asker,
    ) -> Result<CallToolResponse, ErrorData> {
        if !sdk::is_type_error(&answer) {
            return answer;
        }
        tracing::error!(target: "toolgate", tool = tool.name(), "the tool's type refuses what its schema admits");
        self.refused(tool, &Refusal::contract_mismatch(), asker)
    }

    fn refused(&self, tool: &Tool, refusal: &Refusal, asker: &Asker) -> Result<CallToolResponse, ErrorData> {
        let help = self.help(tool.name(), refusal, &asker.caller);
        tracing::info!(
            target: "toolgate",
            tool = tool.name(),
            violations = refusal.to_log(),
            help = help.level(),
            "the call is refused"
        );
        let text = help.text(refusal, || tool.skeleton());
        sdk::refused(&tool.refusal_result(refusal, &text, asker.revision))
    }
}

fn check(tool: &Tool, sent: Sent) -> Result<JsonObject, Refusal> {
    match sent {
        Sent::Absent => tool.check(Arguments::absent())?.to_object(),
        Sent::Other(value) => tool.check(Arguments::from_value(&value))?.to_object(),
        Sent::Object(object) => {
            let value = Value::Object(object);
            let edited = tool.check(Arguments::from_value(&value)).and_then(|admitted| edited(&admitted))?;
            match (edited, value) {
                (None, Value::Object(object)) => Ok(object),
                (edited, _) => Ok(edited.unwrap_or_default()),
            }
        }
    }
}

/// `None` where the arguments are those that were sent, which need not be read again.
fn edited(admitted: &Admitted<'_>) -> Result<Option<JsonObject>, Refusal> {
    if admitted.edits().is_empty() { Ok(None) } else { admitted.to_object().map(Some) }
}
