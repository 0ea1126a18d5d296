//! Merges watch news for an owner that may be busy, in memory that no flood of events can grow.

use std::sync::{Arc, Mutex, PoisonError};

use super::WatchNews;

/// Holds the news not yet taken: per workspace one set of parts and one problem, plus two flags. Clones share the
/// same content.
#[derive(Clone)]
pub struct Inbox(Arc<Shared>);

struct Shared {
    news: Mutex<WatchNews>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Inbox {
    /// An empty inbox. `wake` is called when news arrives in an empty inbox, and not again before the next
    /// [`Inbox::take`]; it must not wait.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Inbox {
        Inbox(Arc::new(Shared { news: Mutex::default(), wake: Box::new(wake) }))
    }

    /// Adds news. Waits at most for a concurrent `put` or `take`.
    pub fn put(&self, news: WatchNews) {
        let was_empty = {
            let mut all = self.0.news.lock().unwrap_or_else(PoisonError::into_inner);
            let was_empty = all.is_empty();
            all.add(news);
            was_empty
        };
        if was_empty {
            (self.0.wake)();
        }
    }

    /// Removes and returns everything.
    pub fn take(&self) -> WatchNews {
        std::mem::take(&mut *self.0.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
