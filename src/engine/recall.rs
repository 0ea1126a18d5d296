//! Loads what earlier runs stored about the workspaces that were found. What cannot be read is reported; it
//! must not stop anything.

use std::collections::HashMap;

use crate::model::{FoundWorkspace, WorkspaceId};
use crate::monitor::MAX_ENTRIES;
use crate::store::{Store, StoreError};

/// The number of newest events loaded for all workspaces together.
const MAX_EVENTS: usize = 1_000;

/// Adds stored data to `workspaces`; reads no other workspace's files. `with_actions` also loads history and
/// drafts, which a run needs only once. `tell` receives a message for everything that could not be read.
pub(super) fn recall(
    store: Option<&Store>,
    workspaces: &mut [FoundWorkspace],
    with_actions: bool,
    tell: &mut dyn FnMut(String),
) {
    let Some(store) = store else { return };
    let ids: Vec<WorkspaceId> = workspaces.iter().map(|workspace| workspace.id.clone()).collect();
    let mut baselines = store.baselines_of(&ids);
    baselines.notices.into_iter().for_each(&mut *tell);
    // Another run may have asked agents in the meantime.
    let (mut reports, n_unread) = store.reports_of(&ids);
    if n_unread > 0 {
        tell(format!("{n_unread} files with agents' answers cannot be read and are left in place"));
    }
    let (mut held, n_unread) = store.held_of(&ids);
    if n_unread > 0 {
        tell(format!("{n_unread} files with held replies cannot be read and are left in place"));
    }
    for workspace in &mut *workspaces {
        workspace.held = held.remove(&workspace.id).unwrap_or_default();
        workspace.baseline = baselines.baselines.remove(&workspace.id);
        workspace.named = baselines.named.remove(&workspace.id).unwrap_or_default();
        workspace.reports = reports.remove(&workspace.id).unwrap_or_default();
    }
    if with_actions {
        recall_actions(store, &ids, workspaces, tell);
    }
}

fn recall_actions(
    store: &Store,
    ids: &[WorkspaceId],
    workspaces: &mut [FoundWorkspace],
    tell: &mut dyn FnMut(String),
) {
    let places: HashMap<&WorkspaceId, usize> = ids.iter().zip(0..).collect();
    if let Some(audit) = noting(store.audit_of(ids, MAX_ENTRIES), tell) {
        for entry in audit.entries {
            let Some(at) = places.get(&entry.workspace) else { continue };
            workspaces[*at].history.push(entry);
        }
        if audit.n_unread > 0 {
            tell(format!("{} lines of the audit log cannot be read", audit.n_unread));
        }
    }
    let newest = noting(store.newest_history_of(ids, MAX_ENTRIES, MAX_EVENTS), tell);
    for entry in newest.into_iter().flat_map(|history| history.entries).rev() {
        let Some(at) = places.get(&entry.workspace) else { continue };
        workspaces[*at].timeline.push(entry);
    }
    let (mut drafts, n_unread) = store.drafts_of(ids);
    if n_unread > 0 {
        tell(format!("{n_unread} files with drafts cannot be read and are left in place"));
    }
    for workspace in workspaces {
        workspace.history.shrink_to_fit();
        workspace.timeline.shrink_to_fit();
        workspace.drafts = drafts.remove(&workspace.id).unwrap_or_default();
    }
}

fn noting<T>(read: Result<T, StoreError>, tell: &mut dyn FnMut(String)) -> Option<T> {
    read.map_err(|error| tell(error.to_string())).ok()
}
