//! What a server's author does before and after every call.

use crate::judge::Admitted;
use rmcp::model::{CallToolResult, Extensions, JsonObject};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use toolgate::Refusal;

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
#[derive(Debug)]
#[non_exhaustive]
pub struct BeforeCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What the handler would get.
    pub arguments: &'a JsonObject,
    /// The call's own context: what is put into it reaches the handler and the hooks after, and no other call.
    pub context: &'a mut Extensions,
}

/// A call that is over.
#[derive(Debug)]
#[non_exhaustive]
pub struct AfterCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The call's own context, as the hooks before have left it.
    pub context: &'a Extensions,
    /// What became of it.
    pub outcome: Outcome<'a>,
}

/// What becomes of a call. No value of it is in here.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The contract, or the type behind it, refused the call (R6.8), or the server's own answer was not as it declares.
    Refused(&'a Refusal),
    /// A hook answered.
    AnsweredBefore,
    /// The handler answered.
    Answered {
        /// Whether it says that it failed.
        is_error: bool,
    },
    /// The handler ended in a protocol error of this code.
    Failed(i32),
    /// There was no answer: the request was cancelled.
    Unanswered,
}

impl Outcome<'_> {
    /// One word for logs and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Refused(_) => "refused",
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
/// # let _ = guard;
/// ```
pub trait Hook: Send + Sync {
    /// Before an admitted call runs.
    fn before<'a>(&'a self, _call: BeforeCall<'a>) -> Decision<'a> {
        Box::pin(std::future::ready(Before::Run))
    }

    /// After every call of a tool, whatever became of it.
    fn after(&self, _call: AfterCall<'_>) {}
}

/// One call, of which its hooks are told once.
pub(crate) struct Watched<'g> {
    hooks: &'g [Arc<dyn Hook>],
    tool: &'g str,
    context: Extensions,
    is_over: bool,
}

impl<'g> Watched<'g> {
    pub(crate) fn new(hooks: &'g [Arc<dyn Hook>], tool: &'g str) -> Self {
        Watched { hooks, tool, context: Extensions::new(), is_over: false }
    }

    /// Asks the hooks. Arguments that one of them gives instead are judged before the next sees them.
    ///
    /// # Errors
    ///
    /// Returns the refusal of such arguments.
    pub(crate) async fn before(
        &mut self,
        admitted: &mut Admitted,
        context: &mut Extensions,
        check: impl Fn(JsonObject) -> Result<Admitted, Refusal>,
    ) -> Result<Option<CallToolResult>, Refusal> {
        let answer = self.ask(admitted, context, check).await;
        if !self.hooks.is_empty() {
            self.context = context.clone();
        }
        answer
    }

    async fn ask(
        &self,
        admitted: &mut Admitted,
        context: &mut Extensions,
        check: impl Fn(JsonObject) -> Result<Admitted, Refusal>,
    ) -> Result<Option<CallToolResult>, Refusal> {
        for hook in self.hooks {
            match hook.before(BeforeCall { tool: self.tool, arguments: &admitted.arguments, context }).await {
                Before::Run => {}
                Before::RunWith(arguments) => *admitted = check(arguments)?,
                Before::Answer(answer) => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    pub(crate) fn over(&mut self, outcome: Outcome<'_>) {
        if !std::mem::replace(&mut self.is_over, true) {
            for hook in self.hooks.iter().rev() {
                hook.after(AfterCall { tool: self.tool, context: &self.context, outcome });
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
        drop(Watched::new(&hooks, "given-up"));
        let mut watched = Watched::new(&hooks, "done");
        watched.over(Outcome::Answered { is_error: false });
        drop(watched);
        assert_eq!(*told.0.lock().unwrap(), ["given-up unanswered", "done answered"]);
    }
}
