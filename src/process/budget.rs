//! The time that one command, reading or action may lose to programs that hang. All its calls share it, some a part of it,
//! so that deadlines do not add up; a program that gets on costs nothing.
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
    /// The budget that this one is a part of.
    whole: Option<Budget>,
}

impl Budget {
    /// The budget of a command, or of an action of the screen: two programs may hang, then no further one is started.
    pub const OF_ACTION: Duration = Duration::from_secs(6);

    /// A budget of which nothing is used yet.
    pub fn new(total: Duration) -> Budget {
        Budget::of(total, None)
    }

    /// A part of this budget, of which nothing is used yet: it may lose at most so much, and what it loses is lost to the
    /// whole.
    #[must_use]
    pub fn part(&self, most: Duration) -> Budget {
        Budget::of(most, Some(self.clone()))
    }

    fn of(total: Duration, whole: Option<Budget>) -> Budget {
        let (lost, closed) = (AtomicU64::new(0), Cancel::new());
        Budget { shared: Arc::new(Shared { total, lost, closed, whole }) }
    }

    /// All that may be lost: of a part whose whole is used up, all of the whole.
    pub fn total(&self) -> Duration {
        let used_up = self.shared.whole.as_ref().filter(|whole| whole.left().is_zero());
        used_up.map_or(self.shared.total, Budget::total)
    }

    /// What may still be lost.
    pub fn left(&self) -> Duration {
        if self.shared.closed.is_cancelled() {
            return Duration::ZERO;
        }
        let lost = Duration::from_millis(self.shared.lost.load(Ordering::SeqCst));
        let left = self.shared.total.saturating_sub(lost);
        self.shared.whole.as_ref().map_or(left, |whole| left.min(whole.left()))
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
        let lost = lost.min(self.left());
        let millis = u64::try_from(lost.as_millis()).unwrap_or(u64::MAX);
        self.shared.lost.fetch_add(millis, Ordering::SeqCst);
        if let Some(whole) = &self.shared.whole {
            whole.lose(lost);
        }
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
