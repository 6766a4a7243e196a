//! `tools/call`: held while there is no list, judged, forwarded or answered.

use super::{Asked, Call, Relay};
use crate::answer;
use crate::frame::{Frame, INTERNAL_ERROR, INVALID_PARAMS, Params, ToolName};
use crate::record::{CallRecord, Judged, Level, Record, Verdict, shown_pointer};
use std::sync::Arc;
use toolgate::{Admitted, Arguments, Code, Refusal, Tool, ToolSet, Violation};

/// Whether a list that is fetched now could change the verdict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    /// The list has just been fetched for this call.
    Last,
}

impl Relay {
    pub(super) fn call(&mut self, call: Call, now_ms: u64) {
        let name = call.frame.params.as_ref().map(|params| &params.name);
        let message = match name {
            Some(ToolName::Given(_)) => None,
            Some(ToolName::Absent) => Some("params has no member name"),
            Some(ToolName::Unfit) => Some("params.name is not a string"),
            None => Some("params is not an object"),
        };
        if let Some(message) = message {
            self.log(Record::Call(CallRecord::new("*", Verdict::Unjudged)));
            return self.protocol_error(&call, INVALID_PARAMS, message);
        }
        if self.server_gone {
            return self.protocol_error(&call, INTERNAL_ERROR, "the server has ended");
        }
        match &self.tools {
            None => self.hold(call, now_ms),
            Some(_) => self.judge(call, Attempt::First, now_ms),
        }
    }

    /// Keeps a call until a list has come. Calls that are kept are judged in the order in which they came.
    fn hold(&mut self, call: Call, now_ms: u64) {
        let limits = &self.config.limits;
        let size = call.frame.bytes().len();
        if self.held.len() >= limits.held_max || self.held_bytes.saturating_add(size) > limits.held_bytes_max {
            self.log(Record::Call(CallRecord::new("*", Verdict::Unjudged)));
            return self.protocol_error(&call, INTERNAL_ERROR, "too many calls wait for the tool list");
        }
        self.held_bytes += size;
        self.held.push_back(call);
        self.ensure_listing(now_ms);
    }

    /// Judges the calls that waited, by the list that has come or, where it has not, by the old one.
    pub(super) fn release(&mut self, now_ms: u64) {
        self.held_bytes = 0;
        for call in std::mem::take(&mut self.held) {
            if self.tools.is_some() {
                self.judge(call, Attempt::Last, now_ms);
                continue;
            }
            self.log(Record::Call(CallRecord::new("*", Verdict::Unjudged)));
            if self.config.policy.observe {
                self.forward(call.frame.into_bytes(), call.reply, Asked::Other);
            } else {
                let message = "the server's tool list cannot be had, so the call was not judged and not run";
                self.protocol_error(&call, INTERNAL_ERROR, message);
            }
        }
    }

    fn judge(&mut self, call: Call, attempt: Attempt, now_ms: u64) {
        let Some(set) = self.tools.as_ref().map(|tools| Arc::clone(&tools.set)) else { return };
        let may_relist = attempt == Attempt::First && !self.config.policy.observe && self.may_relist(now_ms);
        let judged = || if self.keeps_calls { judged(&call.frame, &set) } else { None };
        match decide(&call.frame, &set) {
            Decision::Forward { line, mut record } => {
                record.judged = judged();
                if self.config.policy.observe && !record.edits.is_empty() {
                    record.verdict = Verdict::Observed;
                }
                // What is observed goes as it was sent.
                self.run(call, line.filter(|_| !self.config.policy.observe), record);
            }
            Decision::Unknown if may_relist => self.hold(call, now_ms),
            Decision::Unknown if self.config.policy.observe => {
                self.run(call, None, CallRecord::new("*", Verdict::UnknownTool));
            }
            Decision::Unknown => {
                self.log(Record::Call(CallRecord::new("*", Verdict::UnknownTool)));
                self.protocol_error(&call, INVALID_PARAMS, "unknown tool: the server lists none of this name");
            }
            Decision::Refuse { tool, refusal } if self.config.policy.observe => {
                let mut record = observed(tool, refusal.violations(), refusal.more());
                record.judged = judged();
                self.run(call, None, record);
            }
            Decision::Refuse { refusal, .. } if may_relist && depends_on_contract(&refusal) => self.hold(call, now_ms),
            Decision::Refuse { tool, refusal } => {
                let judged = judged();
                self.refuse(&call, tool, &refusal, judged, now_ms);
            }
        }
    }

    fn run(&mut self, call: Call, line: Option<Vec<u8>>, record: CallRecord) {
        let line = line.unwrap_or_else(|| call.frame.into_bytes());
        if self.forward(line, call.reply, Asked::Other) {
            self.log(Record::Call(record));
        }
    }

    fn refuse(&mut self, call: &Call, tool: &Tool, refusal: &Refusal, judged: Option<Judged>, now_ms: u64) {
        let help = self.repeats.note(tool.name(), refusal, now_ms);
        let mut record = CallRecord::new(tool.name(), Verdict::Refused);
        record.violations = violations_to_log(refusal.violations());
        record.more = refusal.more();
        record.help = help.level();
        record.judged = judged;
        if let Some(reply) = &call.reply {
            let text = help.text(refusal, || tool.skeleton());
            let result = tool.refusal_result(refusal, &text, reply.revision);
            let line = answer::result(reply.id.token(), &result);
            self.answer(reply, line);
        }
        self.log(Record::Call(record));
    }

    fn protocol_error(&mut self, call: &Call, code: i32, message: &str) {
        match &call.reply {
            Some(reply) => self.answer_error(reply, code, message),
            None => self.note(Level::Warn, "call-dropped", format!("a call without an id was dropped: {message}")),
        }
    }
}

enum Decision<'s> {
    /// `line` is given where the arguments were edited.
    Forward {
        line: Option<Vec<u8>>,
        record: CallRecord,
    },
    Refuse {
        tool: &'s Tool,
        refusal: Refusal,
    },
    Unknown,
}

/// The call as it was sent, for a case.
fn judged(frame: &Frame, set: &Arc<ToolSet>) -> Option<Judged> {
    let params = frame.params.as_ref()?;
    let ToolName::Given(name) = &params.name else { return None };
    let arguments = params.arguments.as_ref().map(|span| frame.text(span).to_owned());
    Some(Judged { set: Arc::clone(set), tool: name.to_string(), arguments })
}

fn decide<'s>(frame: &Frame, set: &'s ToolSet) -> Decision<'s> {
    let Some((params, ToolName::Given(name))) = frame.params.as_ref().map(|params| (params, &params.name)) else {
        return Decision::Unknown;
    };
    let Some(tool) = set.get(name) else { return Decision::Unknown };
    let arguments = match &params.arguments {
        Some(span) => Arguments::from_text(frame.text(span)),
        None => Arguments::absent(),
    };
    match tool.check(arguments) {
        Ok(admitted) => Decision::Forward {
            line: with_arguments(frame, params, admitted.arguments_text()),
            record: admitted_record(tool, &admitted),
        },
        Err(refusal) => Decision::Refuse { tool, refusal },
    }
}

fn admitted_record(tool: &Tool, admitted: &Admitted<'_>) -> CallRecord {
    // What the operator left to the server is not told again how to let it pass.
    let verdict = if admitted.recorded().is_empty() { Verdict::Admitted } else { Verdict::Observed };
    let mut record = CallRecord::new(tool.name(), verdict);
    record.violations = violations_to_log(admitted.recorded());
    record.more = admitted.recorded_more();
    record.edits = admitted.edits().iter().map(|edit| edit.rule).collect();
    record.deferred = admitted.deferred().len();
    record.forwarded = admitted.forwarded().len();
    record
}

/// The frame with other arguments; `None` where they are those that it has. Absent arguments are `{}` (R1.4), and are
/// written so: some servers refuse a call without them.
fn with_arguments(frame: &Frame, params: &Params, text: &str) -> Option<Vec<u8>> {
    let (span, text) = match &params.arguments {
        Some(span) if frame.text(span) == text => return None,
        Some(span) => (span.clone(), text.to_owned()),
        None => {
            let end = params.span.end.saturating_sub(1);
            (end..end, format!(r#","arguments":{text}"#))
        }
    };
    let (before, after) = (frame.bytes().get(..span.start)?, frame.bytes().get(span.end..)?);
    let mut line = Vec::with_capacity(before.len() + text.len() + after.len() + 1);
    line.extend_from_slice(before);
    line.extend_from_slice(text.as_bytes());
    line.extend_from_slice(after);
    Some(line)
}

/// Whether another contract could admit the call. Text that cannot be read is refused by every one.
fn depends_on_contract(refusal: &Refusal) -> bool {
    refusal.violations().iter().any(|violation| {
        !matches!(
            violation.code,
            Code::InvalidJson
                | Code::InvalidUnicode
                | Code::DuplicateName
                | Code::NumberRange
                | Code::DepthLimit
                | Code::SizeLimit
        )
    })
}

fn violations_to_log(violations: &[Violation]) -> Vec<String> {
    let shown = |violation: &Violation| format!("{}@{}", violation.code, shown_pointer(&violation.location.to_log()));
    violations.iter().map(shown).collect()
}

/// What would have been refused, and the options that would let it pass (R9.6).
fn observed(tool: &Tool, violations: &[Violation], more: usize) -> CallRecord {
    let mut record = CallRecord::new(tool.name(), Verdict::Observed);
    record.violations = violations_to_log(violations);
    record.more = more;
    for option in violations.iter().filter_map(|violation| option_for(tool.name(), violation)) {
        if !record.options.contains(&option) {
            record.options.push(option);
        }
    }
    record
}

/// `None` where no option lets the call pass.
fn option_for(tool: &str, violation: &Violation) -> Option<String> {
    Some(match violation.code {
        Code::InvalidJson | Code::InvalidUnicode | Code::DuplicateName | Code::NumberRange | Code::SchemaUnusable => {
            return None;
        }
        Code::DepthLimit => "--limit depth_max=N".to_owned(),
        Code::SizeLimit => "--limit size_max_bytes=N".to_owned(),
        // The key's name is the caller's own text, which no log shows.
        Code::UnknownArgument if violation.location.to_log() == "/*" => format!("--forward-keys {tool}:KEY"),
        Code::ListAsText => format!("--list-text-keep {tool}:{}", violation.location.to_log()),
        _ => format!("--judge server:{tool}"),
    })
}
