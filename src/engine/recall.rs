//! What earlier runs wrote down, for discovery to hand to the monitor. What cannot be read is told, and
//! nothing of it stops anything.

use std::collections::BTreeMap;

use crate::model::{AuditEntry, Baseline, Draft, KeptReports, WorkspaceId};
use crate::store::{Remembered, Store, StoreError};

/// So many of the newest entries of each workspace's history are taken along.
const MOST_ENTRIES: usize = 50;

/// What earlier runs wrote down.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    pub(super) baselines: BTreeMap<WorkspaceId, Baseline>,
    /// What was done, the newest first.
    pub(super) history: BTreeMap<WorkspaceId, Vec<AuditEntry>>,
    pub(super) drafts: BTreeMap<WorkspaceId, Vec<Draft>>,
    /// What agents said when they were asked, by any run.
    pub(super) reports: BTreeMap<WorkspaceId, KeptReports>,
}

/// Reads it. History and drafts are needed once a run: `with_actions` asks for them. `tell` is told what
/// could not be read, in words.
pub(super) fn recall(store: Option<&Store>, with_actions: bool, tell: &mut dyn FnMut(String)) -> Recalled {
    let Some(store) = store else { return Recalled::default() };
    let mut recalled = Recalled::default();
    if let Some(Remembered { baselines, notices }) = noting(store.baselines(), tell) {
        recalled.baselines = baselines;
        notices.into_iter().for_each(&mut *tell);
    }
    // Another run may have asked meanwhile.
    if let Some((reports, n_unread)) = noting(store.reports(), tell) {
        recalled.reports = reports;
        if n_unread > 0 {
            tell(format!("{n_unread} files of what agents said cannot be read; they stay where they are"));
        }
    }
    if !with_actions {
        return recalled;
    }
    if let Some(audit) = noting(store.audit(), tell) {
        for entry in audit.entries {
            let of_workspace = recalled.history.entry(entry.workspace.clone()).or_default();
            if of_workspace.len() < MOST_ENTRIES {
                of_workspace.push(entry);
            }
        }
        if audit.n_unread > 0 {
            tell(format!("{} lines of the record of what was done cannot be read", audit.n_unread));
        }
    }
    if let Some((drafts, n_unread)) = noting(store.drafts(), tell) {
        recalled.drafts = drafts;
        if n_unread > 0 {
            tell(format!("{n_unread} files of drafts cannot be read; they stay where they are"));
        }
    }
    recalled
}

fn noting<T>(read: Result<T, StoreError>, tell: &mut dyn FnMut(String)) -> Option<T> {
    read.map_err(|error| tell(error.to_string())).ok()
}
