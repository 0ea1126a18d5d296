//! When something is due in each workspace: a queue ordered by time. It does not know what is due.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Timestamp, WorkspaceId};

/// The due time of each workspace, ordered, so that an event costs about the same however many workspaces
/// there are.
#[derive(Debug, Default)]
pub(super) struct Timers {
    in_order: BTreeSet<(Timestamp, WorkspaceId)>,
    of: BTreeMap<WorkspaceId, Timestamp>,
}

impl Timers {
    /// Sets or removes the due time of a workspace.
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

    /// The earliest due time.
    pub(super) fn first(&self) -> Option<Timestamp> {
        self.in_order.first().map(|(due, _)| *due)
    }

    /// The workspaces that are due at `at`.
    pub(super) fn until(&self, at: Timestamp) -> Vec<WorkspaceId> {
        self.in_order.iter().take_while(|(due, _)| *due <= at).map(|(_, id)| id.clone()).collect()
    }
}
