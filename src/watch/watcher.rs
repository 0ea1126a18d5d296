//! The watcher as its owner sees it: targets in, news out.
//!
//! There are two locks. `arming` serialises the owner's calls and is held while the system and the disk are
//! queried; the system's thread never takes it. `table` is held only for look-ups, never while anything waits.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::model::{Parts, WatchTarget, WorkspaceId};

use super::arming::Arming;
use super::system::System;
use super::table::{Table, lock};
use super::{Backend, Hint, OnHint, WatchError, WatchNews};

type Receiver = Arc<dyn Fn(WatchNews) + Send + Sync>;

/// Watches the folders of all workspaces. Dropping it ends the watches and the system's thread; news
/// already on its way may still arrive.
///
/// Its methods query the disk and wait for the system's thread. Call them on a thread that may wait, never from
/// inside `send`. They may be called from several threads.
pub struct Watcher {
    arming: Mutex<Arming>,
    table: Arc<Mutex<Table>>,
    send: Receiver,
}

impl Watcher {
    /// Starts the system's watcher with nothing to watch. `send` is called immediately with news, on
    /// the system's thread or on the thread of another call to this watcher. It must not wait, panic or call
    /// the watcher. An owner that may be busy passes [`super::Inbox::put`].
    pub fn start(send: impl Fn(WatchNews) + Send + Sync + 'static) -> Result<Watcher, WatchError> {
        Watcher::start_on(send, |on_hint| Ok(Box::new(System::start(on_hint)?)))
    }

    /// As [`Watcher::start`], with the backend that `start` makes; the backend reports its hints to the
    /// function it is given.
    pub fn start_on(
        send: impl Fn(WatchNews) + Send + Sync + 'static,
        start: impl FnOnce(OnHint) -> Result<Box<dyn Backend>, WatchError>,
    ) -> Result<Watcher, WatchError> {
        let table = Arc::new(Mutex::new(Table::default()));
        let send: Receiver = Arc::new(send);
        let on_hint = {
            let (table, send) = (Arc::clone(&table), Arc::clone(&send));
            // The table is free again before anything is sent.
            Box::new(move |hint: Hint<'_>| {
                let news = lock(&table).notice(hint);
                report(&send, news);
            })
        };
        let arming = Mutex::new(Arming::new(start(on_hint)?, Arc::clone(&table)));
        Ok(Watcher { arming, table, send })
    }

    /// Replaces the targets of a workspace; an empty list ends its watching. Refused folders are tried again.
    ///
    /// Returns the parts whose targets were not watched before this call. A change after an earlier read of
    /// them may have been missed, and no event will report it. From now on every change is reported.
    pub fn watch(&self, workspace: &WorkspaceId, targets: &[WatchTarget]) -> Parts {
        let mut arming = self.arming();
        let unseen = arming.replace(workspace, targets);
        let mut news = arming.settle(Some(workspace));
        let came = news.changed.remove(workspace).unwrap_or_default();
        report(&self.send, news);
        unseen | came
    }

    /// Attaches again the folders that [`WatchNews::must_rearm`] is about. Reports a change to the readers of each
    /// folder that appeared, disappeared or was replaced, since what happened inside it meanwhile caused no
    /// event. After lost events it does what [`Watcher::recheck`] does.
    pub fn rearm(&self) {
        let mut arming = self.arming();
        let is_all_in_doubt = lock(&self.table).take_recheck();
        if is_all_in_doubt {
            arming.compare_with_disk();
        }
        report(&self.send, arming.settle(None));
    }

    /// Compares all watch points with the disk and repairs them, including refused ones. Part of the slow pass;
    /// costs about 10 µs per folder.
    pub fn recheck(&self) {
        let mut arming = self.arming();
        lock(&self.table).take_recheck();
        arming.compare_with_disk();
        report(&self.send, arming.settle(None));
    }

    fn arming(&self) -> MutexGuard<'_, Arming> {
        lock(&self.arming)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        lock(&self.table).close();
    }
}

fn report(send: &Receiver, news: WatchNews) {
    if !news.is_empty() {
        send(news);
    }
}
