//! Work that takes its time, beside the runtime.

use std::fmt;

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// It panicked: a policy of the server's own, for example.
    Panicked,
    /// The runtime is shutting down.
    Stopped,
}

impl fmt::Display for NotDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotDone::Panicked => "the tools could not be compiled: it panicked",
            NotDone::Stopped => "the tools could not be compiled: the runtime is shutting down",
        })
    }
}

/// Does it on a thread that may wait; proving takes a millisecond a tool.
///
/// # Errors
///
/// Says that it has panicked, or that there is no runtime any more.
pub(crate) async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotDone> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        if error.is_panic() {
            tracing::error!(target: "toolgate", "compiling the tools has panicked");
            return NotDone::Panicked;
        }
        NotDone::Stopped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_or_never_begins_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(beside(|| 7)), Ok(7));
        assert_eq!(runtime.block_on(beside(|| -> u8 { panic!("on purpose") })), Err(NotDone::Panicked));
        let handle = runtime.handle().clone();
        runtime.shutdown_background();
        assert_eq!(handle.block_on(beside(|| 7)), Err(NotDone::Stopped));
    }
}
