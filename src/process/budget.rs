//! The time that one reading or one action may lose to programs that hang. All its calls share it, so that
//! deadlines do not add up; a program that gets on costs nothing.
//!
//! It must not end a program that still works, however long that takes: for that there is a time limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Cancel;

/// The budget. All clones share it.
#[derive(Debug, Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    total: Duration,
    /// In milliseconds.
    lost: AtomicU64,
    closed: Cancel,
}

impl Budget {
    /// The budget of an action: two programs may hang, then no further one is started.
    pub const OF_ACTION: Duration = Duration::from_secs(6);

    /// A budget of which nothing is used yet.
    pub fn new(total: Duration) -> Budget {
        Budget { shared: Arc::new(Shared { total, lost: AtomicU64::new(0), closed: Cancel::new() }) }
    }

    /// All that may be lost.
    pub fn total(&self) -> Duration {
        self.shared.total
    }

    /// What may still be lost.
    pub fn left(&self) -> Duration {
        if self.shared.closed.is_cancelled() {
            return Duration::ZERO;
        }
        self.shared.total.saturating_sub(Duration::from_millis(self.shared.lost.load(Ordering::SeqCst)))
    }

    /// Ends what runs within the budget, and lets nothing more start: for a reading that is given up.
    pub fn close(&self) {
        self.shared.closed.cancel();
    }

    /// Cancelled once it is closed.
    pub(super) fn closed(&self) -> &Cancel {
        &self.shared.closed
    }

    /// Notes that a program hung for so long.
    pub(super) fn lose(&self, lost: Duration) {
        let lost = u64::try_from(lost.min(self.left()).as_millis()).unwrap_or(u64::MAX);
        self.shared.lost.fetch_add(lost, Ordering::SeqCst);
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(Budget::OF_ACTION)
    }
}

impl PartialEq for Budget {
    fn eq(&self, other: &Budget) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Budget {}
