//! When something is due by itself, of each workspace: a queue in the order of time.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Timestamp, WorkspaceId};

/// When something of a workspace is due by itself. In the order of time, so that an event costs the same
/// however many workspaces there are.
#[derive(Debug, Default)]
pub(super) struct Timers {
    in_order: BTreeSet<(Timestamp, WorkspaceId)>,
    of: BTreeMap<WorkspaceId, Timestamp>,
}

impl Timers {
    /// Notes when something of a workspace is due.
    pub(super) fn set(&mut self, id: &WorkspaceId, due: Option<Timestamp>) {
        let before = match due {
            Some(due) => self.of.insert(id.clone(), due),
            None => self.of.remove(id),
        };
        if before == due {
            return;
        }
        if let Some(before) = before {
            self.in_order.remove(&(before, id.clone()));
        }
        if let Some(due) = due {
            self.in_order.insert((due, id.clone()));
        }
    }

    /// The earliest of all.
    pub(super) fn first(&self) -> Option<Timestamp> {
        self.in_order.first().map(|(due, _)| *due)
    }

    /// What is due at a moment.
    pub(super) fn until(&self, at: Timestamp) -> Vec<WorkspaceId> {
        self.in_order.iter().take_while(|(due, _)| *due <= at).map(|(_, id)| id.clone()).collect()
    }
}
