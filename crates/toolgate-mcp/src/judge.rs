//! One call: judged, run, and its answer looked at.

use crate::guard::{Guard, Options};
use crate::hand_over::HandOver;
use crate::hooks::{Outcome, Stop, Watched};
use crate::published::Served;
use crate::sdk::{self, Caller, Sent};
use futures_util::FutureExt as _;
use rmcp::model::{CallToolResponse, Extensions, JsonObject};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use toolgate::{Admission, Arguments, Code, Refusal, Revision, Tool};
use tracing::Instrument as _;

/// Who asks, and in which revision the answer is.
pub(crate) struct Asker {
    caller: Caller,
    revision: Option<Revision>,
}

impl Asker {
    pub(crate) fn of(context: &rmcp::service::RequestContext<RoleServer>, options: &Options) -> Self {
        Asker { caller: options.credential.caller(context), revision: sdk::revision(context) }
    }
}

/// What a call is that was admitted.
pub(crate) struct Admitted {
    pub(crate) arguments: JsonObject,
    pub(crate) text: String,
    pub(crate) admission: Admission,
}

impl Guard {
    /// Judges a call by the tool's own contract, and only then has `handler` run it, with the arguments and the context of this
    /// call. No side effect before it is admitted but the count of refusals.
    pub(crate) async fn run<F: Future<Output = Result<CallToolResponse, ErrorData>>>(
        &self,
        served: Served<'_>,
        sent: Sent,
        context: Extensions,
        asker: Asker,
        handler: impl FnOnce(JsonObject, Extensions) -> F,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = served.tool;
        let span =
            tracing::info_span!(target: "toolgate", "tool_call", tool = tool.name(), outcome = tracing::field::Empty);
        let mut watched = Watched::new(&self.options().hooks, tool.name(), context);
        let run = self.run_watched(served, sent, &asker, handler, &mut watched);
        let ran = run.instrument(span.clone()).await;
        let outcome = ran.outcome();
        span.record("outcome", outcome.word());
        watched.over(outcome);
        ran.answer
    }

    async fn run_watched<F: Future<Output = Result<CallToolResponse, ErrorData>>>(
        &self,
        served: Served<'_>,
        sent: Sent,
        asker: &Asker,
        handler: impl FnOnce(JsonObject, Extensions) -> F,
        watched: &mut Watched<'_>,
    ) -> Ran {
        let tool = served.tool;
        let mut admitted = match check(tool, sent) {
            Ok(admitted) => admitted,
            Err(refusal) => return self.refused(tool, refusal, asker),
        };
        note(tool, &admitted.admission);
        watched.admitted(std::mem::take(&mut admitted.admission));
        match watched.before(&mut admitted, |arguments| check(tool, Sent::Object(arguments))).await {
            Ok(None) => {}
            Ok(Some(answer)) => return self.held_to_output(served, Ok(answer.into()), By::Hook, asker),
            Err(Stop::Panicked(panicked)) => {
                return Ran { answer: Err(panicked.to_error("a hook before the tool")), by: By::Hook };
            }
            Err(Stop::Refused(refusal)) => {
                let violations = refusal.to_log();
                tracing::error!(target: "toolgate", violations, "a hook gives arguments that the contract refuses");
                return self.refused(tool, Refusal::contract_mismatch(), asker);
            }
        }
        let hand_over = HandOver::new(admitted.text);
        let mut context = watched.context_for_handler();
        context.insert(hand_over.clone());
        // Whoever called would wait for ever. The handler is asked inside, since it may panic before there is a future.
        let answer = or_panicked(async { handler(admitted.arguments, context).await }).await;
        let answer = answer.unwrap_or_else(|panicked| Err(panicked.to_error("the tool")));
        self.answered(served, answer, &hand_over, asker)
    }

    /// The handler's answer, unless it is the server's fault: its type refuses what the contract admits, or would drop a part
    /// of it (R3.5), or the answer is not what the tool declares. The SDK says so in words that quote values; they are left
    /// out, and the operator is told.
    fn answered(
        &self,
        served: Served<'_>,
        answer: Result<CallToolResponse, ErrorData>,
        hand_over: &HandOver,
        asker: &Asker,
    ) -> Ran {
        let tool = served.tool;
        let by_type = || sdk::is_type_error(&answer).then(Refusal::contract_mismatch);
        if let Some(refusal) = hand_over.refusal().or_else(by_type) {
            if refusal.violations().iter().any(|violation| violation.code == Code::ContractMismatch) {
                let violations = refusal.to_log();
                tracing::error!(target: "toolgate", violations, "the tool's type refuses what its schema admits");
            }
            return self.refused(tool, refusal, asker);
        }
        self.held_to_output(served, answer, By::Handler, asker)
    }

    /// An answer, whoever gives it, as the tool declares it. Another one is the server's fault; what was done is done, so it is
    /// no refusal.
    fn held_to_output(
        &self,
        served: Served<'_>,
        answer: Result<CallToolResponse, ErrorData>,
        by: By,
        asker: &Asker,
    ) -> Ran {
        let Some(why) = served.output.and_then(|output| sdk::output_fault(output, &answer)) else {
            return Ran { answer, by };
        };
        tracing::error!(target: "toolgate", why, "the tool's answer is not what its output schema declares");
        let refusal = Refusal::contract_mismatch();
        let who =
            if matches!(by, By::Hook) { "the server has answered before the tool ran" } else { "the tool has run" };
        let text = format!(
            "{who}, but its answer does not have the form that it declares ({why}); this is the server's fault, and other \
             arguments do not mend it"
        );
        let refused = sdk::refused(&served.tool.refusal_result(&refusal, &text, asker.revision));
        Ran { answer: sdk::misanswered(refused, answer), by: By::Misanswered(refusal) }
    }

    fn refused(&self, tool: &Tool, refusal: Refusal, asker: &Asker) -> Ran {
        let help = self.help(tool.name(), &refusal, &asker.caller);
        tracing::info!(
            target: "toolgate",
            tool = tool.name(),
            violations = refusal.to_log(),
            help = help.level(),
            "the call is refused"
        );
        let text = help.text(&refusal, || tool.skeleton());
        let answer = sdk::refused(&tool.refusal_result(&refusal, &text, asker.revision));
        Ran { answer, by: By::Us(refusal) }
    }
}

/// Something of the server's own has panicked. What it said is not passed on: it may quote values.
pub(crate) struct Panicked;

impl Panicked {
    pub(crate) fn to_error(&self, what: &str) -> ErrorData {
        tracing::error!(target: "toolgate", what, "it panicked");
        ErrorData::internal_error(format!("{what} panicked"), None)
    }
}

/// Waits for something of the server's own, which may panic.
pub(crate) async fn or_panicked<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| Panicked)
}

/// What is answered, and who says so.
struct Ran {
    answer: Result<CallToolResponse, ErrorData>,
    by: By,
}

enum By {
    Us(Refusal),
    Hook,
    Handler,
    /// By a handler or a hook, and not as the tool declares.
    Misanswered(Refusal),
}

impl Ran {
    fn outcome(&self) -> Outcome<'_> {
        match (&self.by, &self.answer) {
            (By::Us(refusal), _) => Outcome::Refused(refusal),
            (By::Misanswered(refusal), _) => Outcome::Misanswered(refusal),
            (By::Hook, Ok(_)) => Outcome::AnsweredBefore,
            (By::Hook | By::Handler, Err(error)) => Outcome::Failed(error.code.0),
            (By::Handler, Ok(answer)) => Outcome::Answered { is_error: sdk::is_error(answer) },
        }
    }
}

fn check(tool: &Tool, sent: Sent) -> Result<Admitted, Refusal> {
    match sent {
        Sent::Absent => read(tool.check(Arguments::absent())?),
        Sent::Text(text) => read(tool.check(Arguments::from_text(&text))?),
        Sent::Other(value) => read(tool.check(Arguments::from_value(&value))?),
        Sent::Object(object) => {
            let value = Value::Object(object);
            let admitted = tool.check(Arguments::from_value(&value))?;
            if !admitted.edits().is_empty() {
                return read(admitted);
            }
            // These are the arguments that were sent, which need not be read again.
            let (text, admission) = admitted.into_parts();
            let text = text.into_owned();
            match value {
                Value::Object(arguments) => Ok(Admitted { arguments, text, admission }),
                _ => Err(Refusal::contract_mismatch()),
            }
        }
    }
}

fn read(admitted: toolgate::Admitted<'_>) -> Result<Admitted, Refusal> {
    let arguments = admitted.to_object()?;
    let (text, admission) = admitted.into_parts();
    Ok(Admitted { arguments, text: text.into_owned(), admission })
}

/// Says what was done to admit a call: nothing is changed, left out or let through in silence (R3.6, R4.5, R9.6).
fn note(tool: &Tool, admission: &Admission) {
    if admission.is_plain() {
        return;
    }
    let how = admission.to_log();
    tracing::info!(target: "toolgate", tool = tool.name(), how, "the call is admitted");
}
