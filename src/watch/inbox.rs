//! Merges watch events for an owner that may be busy, in memory that no flood of events can grow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::{Parts, WatchProblem, WorkspaceId};

use super::WatchEvent;

/// Holds the events not yet taken: per workspace one set of parts and one problem, plus two flags (events lost,
/// rearm). Clones share the same content.
#[derive(Clone)]
pub struct Inbox(Arc<Shared>);

struct Shared {
    fold: Mutex<Fold>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Fold {
    changed: BTreeMap<WorkspaceId, Parts>,
    problems: BTreeMap<WorkspaceId, Option<WatchProblem>>,
    events_lost: bool,
    rearm: bool,
}

impl Inbox {
    /// An empty inbox. `wake` is called when an event arrives in an empty inbox, and not again before the next
    /// [`Inbox::take`]; it must not wait.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Inbox {
        Inbox(Arc::new(Shared { fold: Mutex::default(), wake: Box::new(wake) }))
    }

    /// Adds a watch event. Waits at most for a concurrent `put` or `take`.
    pub fn put(&self, watch_event: WatchEvent) {
        let was_empty = {
            let mut fold = self.0.fold.lock().unwrap_or_else(PoisonError::into_inner);
            let was_empty = fold.is_empty();
            fold.add(watch_event);
            was_empty
        };
        if was_empty {
            (self.0.wake)();
        }
    }

    /// Removes and returns everything: lost events first, then [`WatchEvent::Rearm`], problems, and changes,
    /// the last two sorted by workspace.
    pub fn take(&self) -> Vec<WatchEvent> {
        let fold = std::mem::take(&mut *self.0.fold.lock().unwrap_or_else(PoisonError::into_inner));
        let lost = fold.events_lost.then_some(WatchEvent::EventsLost);
        let rearm = fold.rearm.then_some(WatchEvent::Rearm);
        let problems = fold
            .problems
            .into_iter()
            .map(|(workspace, problem)| WatchEvent::WatchChanged { workspace, problem });
        let changed =
            fold.changed.into_iter().map(|(workspace, parts)| WatchEvent::Changed { workspace, parts });
        lost.into_iter().chain(rearm).chain(problems).chain(changed).collect()
    }
}

impl Fold {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.problems.is_empty() && !self.events_lost && !self.rearm
    }

    fn add(&mut self, watch_event: WatchEvent) {
        match watch_event {
            WatchEvent::Changed { workspace, parts } => *self.changed.entry(workspace).or_default() |= parts,
            WatchEvent::EventsLost => self.events_lost = true,
            WatchEvent::WatchChanged { workspace, problem } => {
                self.problems.insert(workspace, problem);
            }
            WatchEvent::Rearm => self.rearm = true,
        }
    }
}
