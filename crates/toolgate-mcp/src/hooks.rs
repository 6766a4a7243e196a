//! What a server's author does before and after every call.

use crate::judge::{self, Admitted, Panicked};
use rmcp::model::{CallToolResult, Extensions, JsonObject};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use toolgate::{Admission, Refusal};

/// What a hook says before the handler runs.
#[derive(Clone)]
#[non_exhaustive]
pub enum Before {
    /// The call goes on.
    Run,
    /// The call goes on with these arguments, which are judged by the same contract as the caller's were.
    RunWith(JsonObject),
    /// The handler does not run; this is the answer.
    Answer(CallToolResult),
}

impl fmt::Debug for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Before::Run => "Run",
            Before::RunWith(_) => "RunWith(..)",
            Before::Answer(_) => "Answer(..)",
        })
    }
}

/// What a hook decides, in time.
pub type Decision<'a> = Pin<Box<dyn Future<Output = Before> + Send + 'a>>;

/// A call that was admitted and has not run yet.
#[non_exhaustive]
pub struct BeforeCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What the handler would get.
    pub arguments: &'a JsonObject,
    /// How the caller's arguments were admitted: what was read from text or under a former name, what was let through.
    pub admission: &'a Admission,
    /// The call's own context: what is put into it reaches the handler and the hooks after, and no other call.
    pub context: &'a mut Extensions,
}

impl fmt::Debug for BeforeCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The arguments are values of the call.
        f.debug_struct("BeforeCall").field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// A call that is over.
#[derive(Debug)]
#[non_exhaustive]
pub struct AfterCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The call's own context, as the hooks before have left it; of a call that no hook was asked about, such as a refused one, as
    /// it came. Over HTTP the parts of the request are in it.
    pub context: &'a Extensions,
    /// How the caller's arguments were admitted; of a refused call it is empty.
    pub admission: &'a Admission,
    /// What became of it.
    pub outcome: Outcome<'a>,
}

/// What becomes of a call. No value of it is in here.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The contract, or the type behind it, refused the call (R6.8). The tool has not run.
    Refused(&'a Refusal),
    /// There was an answer, of the handler's or a hook's, and it was not as the tool declares; what was done is done.
    Misanswered(&'a Refusal),
    /// A hook answered.
    AnsweredBefore,
    /// The handler answered.
    Answered {
        /// Whether it says that it failed.
        is_error: bool,
    },
    /// The handler, or a hook before it, ended in a protocol error of this code, or panicked.
    Failed(i32),
    /// Nobody waits for an answer any more: the future of the call was dropped, as it is where the server is shut down or the
    /// caller of a [`Toolbox`](crate::Toolbox) gives up. A client's `notifications/cancelled` does not end a call: the SDK tells the
    /// handler ([`Call::cancelled`](crate::Call::cancelled)), lets it end, and drops its answer.
    Unanswered,
}

impl Outcome<'_> {
    /// One word for logs and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Refused(_) => "refused",
            Outcome::Misanswered(_) => "misanswered",
            Outcome::AnsweredBefore => "answered-before",
            Outcome::Answered { is_error: false } => "answered",
            Outcome::Answered { is_error: true } => "answered-error",
            Outcome::Failed(_) => "failed",
            Outcome::Unanswered => "unanswered",
        }
    }
}

/// What is done before and after every call of a server. Hooks are asked in their order before a call, until one answers, and
/// told in the reverse order after it; parallel calls have a context each.
///
/// # Example
///
/// ```
/// use toolgate_mcp::{AfterCall, Before, BeforeCall, Decision, Guard, Hook, Options};
/// use toolgate_mcp::rmcp::model::{CallToolResult, ContentBlock};
///
/// #[derive(Clone)]
/// struct Begun(std::time::Instant);
///
/// struct Office;
///
/// impl Hook for Office {
///     fn before<'a>(&'a self, call: BeforeCall<'a>) -> Decision<'a> {
///         Box::pin(async move {
///             call.context.insert(Begun(std::time::Instant::now()));
///             match call.tool {
///                 "sink" => Before::Answer(CallToolResult::error(vec![ContentBlock::text("nothing is sunk today")])),
///                 _ => Before::Run,
///             }
///         })
///     }
///
///     fn after(&self, call: AfterCall<'_>) {
///         let took = call.context.get::<Begun>().map(|begun| begun.0.elapsed());
///         println!("{} {} {took:?}", call.tool, call.outcome.word());
///     }
/// }
///
/// let guard = Guard::new(Options::typed().hook(Office));
/// # use toolgate_mcp::{Call, Toolbox, Tools, TypedTool};
/// # let options = Options::typed().hook(Office);
/// # let sink = |(): (), _: std::collections::BTreeMap<String, String>, _: Call| async { "sunk".to_owned() };
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # let tools = Tools::new().tool(TypedTool::new("sink", sink));
/// let toolbox = Toolbox::new(toolgate::Provider::Anthropic, options, tools, ()).unwrap();
/// assert_eq!(toolbox.call("sink", "{}").await.to_text(), "nothing is sunk today");
/// # });
/// # let _ = guard;
/// ```
pub trait Hook: Send + Sync {
    /// Before an admitted call runs.
    fn before<'a>(&'a self, _call: BeforeCall<'a>) -> Decision<'a> {
        Box::pin(std::future::ready(Before::Run))
    }

    /// After every call of a tool, whatever became of it. One that panics is told to the operator and costs no other hook.
    fn after(&self, _call: AfterCall<'_>) {}
}

/// Why a call does not go on.
pub(crate) enum Stop {
    /// A hook gives arguments that the contract refuses.
    Refused(Refusal),
    Panicked(Panicked),
}

/// One call, of which its hooks are told once.
pub(crate) struct Watched<'g> {
    hooks: &'g [Arc<dyn Hook>],
    tool: &'g str,
    context: Extensions,
    admission: Admission,
    is_over: bool,
}

impl<'g> Watched<'g> {
    pub(crate) fn new(hooks: &'g [Arc<dyn Hook>], tool: &'g str, context: Extensions) -> Self {
        Watched { hooks, tool, context, admission: Admission::default(), is_over: false }
    }

    /// The caller's arguments were admitted so.
    pub(crate) fn admitted(&mut self, admission: Admission) {
        self.admission = admission;
    }

    /// The call's context for the handler, as the hooks have left it. Those after the call keep their own.
    pub(crate) fn context_for_handler(&mut self) -> Extensions {
        if self.hooks.is_empty() { std::mem::take(&mut self.context) } else { self.context.clone() }
    }

    /// Asks the hooks. Arguments that one of them gives instead are judged before the next sees them.
    ///
    /// # Errors
    ///
    /// Returns the refusal of such arguments, or that a hook has panicked.
    pub(crate) async fn before(
        &mut self,
        admitted: &mut Admitted,
        check: impl Fn(JsonObject) -> Result<Admitted, Refusal>,
    ) -> Result<Option<CallToolResult>, Stop> {
        for hook in self.hooks {
            // In the call's own context, so that hooks after see what was put there, even where this one never ends.
            let (arguments, admission) = (&admitted.arguments, &self.admission);
            let call = BeforeCall { tool: self.tool, arguments, admission, context: &mut self.context };
            match judge::or_panicked(async { hook.before(call).await }).await.map_err(Stop::Panicked)? {
                Before::Run => {}
                Before::RunWith(arguments) => *admitted = check(arguments).map_err(Stop::Refused)?,
                Before::Answer(answer) => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    pub(crate) fn over(&mut self, outcome: Outcome<'_>) {
        if !std::mem::replace(&mut self.is_over, true) {
            for hook in self.hooks.iter().rev() {
                let (context, admission) = (&self.context, &self.admission);
                let call = AfterCall { tool: self.tool, context, admission, outcome };
                // This may run while something else unwinds, where a second panic would end the process.
                if std::panic::catch_unwind(AssertUnwindSafe(|| hook.after(call))).is_err() {
                    tracing::error!(target: "toolgate", "a hook after the tool panicked");
                }
            }
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.over(Outcome::Unanswered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Told(Mutex<Vec<String>>);

    impl Hook for Arc<Told> {
        fn after(&self, call: AfterCall<'_>) {
            self.0.lock().unwrap().push(format!("{} {}", call.tool, call.outcome.word()));
        }
    }

    #[test]
    fn a_call_that_is_given_up_is_told_once() {
        let told = Arc::new(Told(Mutex::default()));
        let hooks: Vec<Arc<dyn Hook>> = vec![Arc::new(Arc::clone(&told))];
        drop(Watched::new(&hooks, "given-up", Extensions::new()));
        let mut watched = Watched::new(&hooks, "done", Extensions::new());
        watched.over(Outcome::Answered { is_error: false });
        drop(watched);
        assert_eq!(*told.0.lock().unwrap(), ["given-up unanswered", "done answered"]);
    }

    #[test]
    fn a_hook_that_panics_costs_no_other_and_never_the_process() {
        struct Bad;
        impl Hook for Bad {
            fn after(&self, _: AfterCall<'_>) {
                panic!("on purpose");
            }
        }
        let told = Arc::new(Told(Mutex::default()));
        let hooks: Vec<Arc<dyn Hook>> = vec![Arc::new(Arc::clone(&told)), Arc::new(Bad)];
        let unwound = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let _watched = Watched::new(&hooks, "unwound", Extensions::new());
            panic!("on purpose");
        }));
        assert!(unwound.is_err());
        assert_eq!(*told.0.lock().unwrap(), ["unwound unanswered"]);
    }

    #[test]
    fn debug_shows_no_value() {
        let arguments = serde_json::json!({"SECRET": "SECRET"}).as_object().cloned().unwrap();
        let mut context = Extensions::new();
        let admission = &Admission::default();
        let call = BeforeCall { tool: "t", arguments: &arguments, admission, context: &mut context };
        assert!(!format!("{call:?}").contains("SECRET"));
    }
}
