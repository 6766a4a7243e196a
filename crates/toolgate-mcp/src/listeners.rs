//! Clients that are told of changes: of tools, of prompts.

use rmcp::RoleServer;
use rmcp::service::Peer;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Listeners that are kept. A client may begin any number of sessions and subscriptions.
const LISTENERS_MAX: usize = 10_000;

/// Who is told, each by whose credential it is.
#[derive(Default)]
pub(crate) struct Listeners(Vec<Listener>);

struct Listener {
    credential: Option<u64>,
    /// The session, where there is one: a client that is gone is not noticed before it is told something.
    session: Option<Peer<RoleServer>>,
    /// A permit for each change that is still to be told.
    changes: Arc<Semaphore>,
}

impl Listener {
    /// Whether somebody is still there. Who waits for changes of a session that has ended is let go.
    fn listens(&self) -> bool {
        if self.session.as_ref().is_some_and(Peer::is_transport_closed) {
            self.changes.close();
        }
        !self.changes.is_closed()
    }
}

impl Listeners {
    /// The changes from now on, for a session or a subscription. Those that have ended are let go, since they come and go while
    /// nothing changes. `None` for a session that listens already, however often it says that it has begun, for one that has begun
    /// without a handshake, since its client subscribes, and where there are too many listeners.
    pub(crate) fn listen(&mut self, credential: Option<u64>, session: Option<Peer<RoleServer>>) -> Option<Changes> {
        if session.as_ref().is_some_and(|session| session.peer_info().is_none()) {
            return None;
        }
        self.0.retain(Listener::listens);
        let is_same = |listener: &&mut Listener| match (&listener.session, &session) {
            (Some(one), Some(other)) => is_same_session(one, other),
            _ => false,
        };
        if let Some(known) = self.0.iter_mut().find(is_same) {
            known.credential = credential;
            return None;
        }
        if self.0.len() >= LISTENERS_MAX {
            tracing::warn!(target: "toolgate", LISTENERS_MAX, "there are too many listeners; this one is told of no changes");
            return None;
        }
        let changes = Arc::new(Semaphore::new(0));
        self.0.push(Listener { credential, session, changes: Arc::clone(&changes) });
        Some(Changes(changes))
    }

    pub(crate) fn credentials(&self) -> impl Iterator<Item = Option<u64>> {
        self.0.iter().map(|listener| listener.credential)
    }

    /// Has each of them told once that something has changed.
    pub(crate) fn tell(&mut self, whom: impl Fn(Option<u64>) -> bool) {
        self.0.retain(Listener::listens);
        self.0.iter().filter(|listener| whom(listener.credential)).for_each(|listener| listener.changes.add_permits(1));
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// What is known of the other side of a session is kept in one place for all its handles, whoever it says to be.
fn is_same_session(one: &Peer<RoleServer>, other: &Peer<RoleServer>) -> bool {
    one.peer_info().zip(other.peer_info()).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other))
}

/// Changes as they are told to one client, which is forgotten with this value.
pub(crate) struct Changes(Arc<Semaphore>);

impl Changes {
    /// Tells of each, until nobody is there any more.
    pub(crate) async fn tell<E, F: Future<Output = Result<(), E>>>(&self, notify: impl Fn() -> F) {
        while self.0.acquire().await.map(SemaphorePermit::forget).is_ok() {
            if notify().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_are_bounded_and_those_that_are_gone_make_room() {
        let mut listeners = Listeners::default();
        let mut kept: Vec<Changes> = (0..LISTENERS_MAX).filter_map(|_| listeners.listen(None, None)).collect();
        assert_eq!(kept.len(), LISTENERS_MAX);
        assert!(listeners.listen(None, None).is_none());
        kept.pop();
        assert!(listeners.listen(None, None).is_some());
    }
}
