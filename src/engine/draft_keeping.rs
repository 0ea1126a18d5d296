//! Keeps drafts of replies on disk, on a thread beside the loop: the newest state of each workspace's
//! drafts is what is written. What was handed over is on disk before the engine is gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::model::{Draft, WorkspaceId};
use crate::store::Store;

/// A change of the drafts of a workspace: all of them as they are now.
type Change = (WorkspaceId, Vec<Draft>);

/// The thread, and the way to it.
pub(super) struct DraftKeeping {
    sender: Option<Sender<Change>>,
    thread: Option<JoinHandle<()>>,
    drafts: BTreeMap<WorkspaceId, Vec<Draft>>,
}

impl DraftKeeping {
    /// Starts the thread. `tell` is told what cannot be written, in words.
    pub(super) fn start(store: Store, tell: impl Fn(String) + Send + Sync + 'static) -> DraftKeeping {
        let tell = Arc::new(tell);
        let (sender, changes) = channel();
        let started = std::thread::Builder::new().spawn({
            let tell = Arc::clone(&tell);
            move || write_all(&store, &changes, &*tell)
        });
        let thread = started.map_err(|error| tell(format!("drafts are not kept: {error}"))).ok();
        DraftKeeping { sender: Some(sender), thread, drafts: BTreeMap::new() }
    }

    /// Takes over what is on disk of a workspace, before the first change.
    pub(super) fn know(&mut self, workspace: &WorkspaceId, drafts: &[Draft]) {
        self.drafts.entry(workspace.clone()).or_insert_with(|| drafts.to_vec());
    }

    /// Keeps a draft in place of the one before of the same session; an empty one is forgotten.
    pub(super) fn keep(&mut self, workspace: WorkspaceId, draft: Draft) {
        let drafts = self.drafts.entry(workspace.clone()).or_default();
        drafts.retain(|known| known.session != draft.session);
        if !draft.text.is_empty() {
            drafts.push(draft);
        }
        if let Some(sender) = &self.sender {
            // The thread ends with this value alone.
            let _ = sender.send((workspace, drafts.clone()));
        }
    }
}

impl Drop for DraftKeeping {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it has nothing to say here.
            let _ = thread.join();
        }
    }
}

fn write_all(store: &Store, changes: &Receiver<Change>, tell: &dyn Fn(String)) {
    while let Ok(first) = changes.recv() {
        // Of several changes of one workspace the last one counts.
        let newest: BTreeMap<WorkspaceId, Vec<Draft>> =
            std::iter::once(first).chain(changes.try_iter()).collect();
        for (workspace, drafts) in newest {
            if let Err(error) = store.keep_drafts(&workspace, &drafts) {
                tell(format!("a draft is not kept: {error}"));
            }
        }
    }
}
