//! Saves drafts of replies on a thread beside the loop; only the newest state of each workspace's drafts is
//! written. Dropping the keeper waits until everything it was given is on disk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::model::{Draft, WorkspaceId};
use crate::store::Store;

/// All drafts of a workspace, as they now are.
type Change = (WorkspaceId, Vec<Draft>);

pub(super) struct DraftKeeping {
    sender: Option<Sender<Change>>,
    thread: Option<JoinHandle<()>>,
    drafts: BTreeMap<WorkspaceId, Vec<Draft>>,
}

impl DraftKeeping {
    /// Starts the thread. `tell` receives a message for everything that cannot be written.
    pub(super) fn start(store: Store, tell: impl Fn(String) + Send + Sync + 'static) -> DraftKeeping {
        let tell = Arc::new(tell);
        let (sender, changes) = channel();
        let started = std::thread::Builder::new().spawn({
            let tell = Arc::clone(&tell);
            move || write_all(&store, &changes, &*tell)
        });
        let thread = started.map_err(|error| tell(format!("drafts are not saved: {error}"))).ok();
        DraftKeeping { sender: Some(sender), thread, drafts: BTreeMap::new() }
    }

    /// Takes over a workspace's stored drafts; has no effect after the first change.
    pub(super) fn know(&mut self, workspace: &WorkspaceId, drafts: &[Draft]) {
        self.drafts.entry(workspace.clone()).or_insert_with(|| drafts.to_vec());
    }

    /// Replaces the draft of the same session; an empty draft is deleted.
    pub(super) fn keep(&mut self, workspace: WorkspaceId, draft: Draft) {
        let drafts = self.drafts.entry(workspace.clone()).or_default();
        drafts.retain(|known| known.session != draft.session);
        if !draft.text.is_empty() {
            drafts.push(draft);
        }
        if let Some(sender) = &self.sender {
            // Fails only if the thread did not start, which was reported.
            let _ = sender.send((workspace, drafts.clone()));
        }
    }
}

impl Drop for DraftKeeping {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has no further effect here.
            let _ = thread.join();
        }
    }
}

fn write_all(store: &Store, changes: &Receiver<Change>, tell: &dyn Fn(String)) {
    while let Ok(first) = changes.recv() {
        // The last change of each workspace wins.
        let newest: BTreeMap<WorkspaceId, Vec<Draft>> =
            std::iter::once(first).chain(changes.try_iter()).collect();
        for (workspace, drafts) in newest {
            if let Err(error) = store.keep_drafts(&workspace, &drafts) {
                tell(format!("a draft is not saved: {error}"));
            }
        }
    }
}
