//! The thread that owns the watcher: it may wait for the disk, which the loop may not. It sleeps until there
//! is an order.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::model::{Timestamp, WatchTarget, WorkspaceId};
use crate::watch::{Inbox, WatchError, WatchNews, Watcher, changed_since};

enum Order {
    Watch { workspace: WorkspaceId, targets: Vec<WatchTarget>, read_at: Timestamp },
    Rearm,
    Recheck,
}

/// A handle on the watcher for the loop. Dropping it ends the thread and all watches.
pub(super) struct Watching {
    orders: Sender<Order>,
}

impl Watching {
    /// Starts watching; news goes to `inbox`.
    pub(super) fn start(inbox: &Inbox) -> Result<Watching, WatchError> {
        let sink = inbox.clone();
        let watcher = Watcher::start(move |news| sink.put(news))?;
        let (orders, todo) = channel();
        let inbox = inbox.clone();
        let started = thread::Builder::new().spawn(move || {
            while let Ok(order) = todo.recv() {
                match order {
                    Order::Watch { workspace, targets, read_at } => {
                        // Anything read before the watch was set up may have changed unnoticed.
                        let mut parts = watcher.watch(&workspace, &targets);
                        if !parts.is_empty() {
                            parts &= changed_since(&targets, read_at);
                        }
                        if !parts.is_empty() {
                            inbox.put(WatchNews::changed(workspace, parts));
                        }
                    }
                    Order::Rearm => watcher.rearm(),
                    Order::Recheck => watcher.recheck(),
                }
            }
        });
        started.map_err(|error| WatchError(error.to_string()))?;
        Ok(Watching { orders })
    }

    /// Replaces a workspace's targets, which were read no earlier than `read_at`.
    pub(super) fn watch(&self, workspace: WorkspaceId, targets: Vec<WatchTarget>, read_at: Timestamp) {
        self.order(Order::Watch { workspace, targets, read_at });
    }

    pub(super) fn rearm(&self) {
        self.order(Order::Rearm);
    }

    pub(super) fn recheck(&self) {
        self.order(Order::Recheck);
    }

    fn order(&self, order: Order) {
        if self.orders.send(order).is_err() {
            tracing::error!("the watching thread has ended; changes are found by the slow pass only");
        }
    }
}
