//! The table of folders, places and readers: the system's thread looks up, the owner's thread changes it. Pure:
//! it neither watches nor reads the disk, so its lock is held only briefly.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::{Parts, WatchProblem, WatchTarget, WorkspaceId};

use super::readers::Readers;
use super::watch_point::{Attached, Identity, Look, WatchPoint};
use super::{Hint, WatchNews};

/// Folders, places, and which of them are in doubt.
#[derive(Debug, Default)]
pub(super) struct Table {
    folders: BTreeMap<Arc<Path>, Folder>,
    /// Ordered, so that all places below a removed path are adjacent.
    places: BTreeMap<Arc<Path>, Place>,
    /// Folders that need a watch point again.
    unsettled: BTreeSet<Arc<Path>>,
    /// Places that the system may no longer watch, or may watch under a wrong path.
    broken: BTreeSet<Arc<Path>>,
    /// Places that a folder left, which may be idle now.
    left: BTreeSet<Arc<Path>>,
    /// Events were lost: all watch points are in doubt.
    recheck: bool,
    closed: bool,
}

#[derive(Debug, Default)]
struct Folder {
    readers: Readers,
    watch_point: WatchPoint,
}

#[derive(Debug)]
struct Place {
    identity: Identity,
    here: Vec<Arc<Path>>,
    awaited: BTreeMap<OsString, Vec<Arc<Path>>>,
}

/// What is in doubt, taken out of the table to be settled.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    /// The folders to attach, each with the watch point that it lost.
    pub(super) folders: Vec<(Arc<Path>, WatchPoint)>,
    /// The places whose watch must be ended first.
    pub(super) places: Vec<Arc<Path>>,
}

impl Table {
    /// Applies a hint; the owner must rearm if something is in doubt now, and nothing was before. The cost does
    /// not depend on the number of workspaces that the hint does not concern.
    pub(super) fn notice(&mut self, hint: Hint<'_>) -> WatchNews {
        let mut news = WatchNews::default();
        if self.closed {
            return news;
        }
        let was_settled = self.is_settled();
        match hint {
            Hint::Arrived(path) => self.entry_changed(path, true, &mut news.changed),
            Hint::Changed(path) => self.entry_changed(path, false, &mut news.changed),
            Hint::Gone(path) => {
                self.entry_changed(path, false, &mut news.changed);
                self.break_below(path);
            }
            Hint::Lost => {
                news.is_lossy = true;
                self.recheck = true;
            }
        }
        news.must_rearm = was_settled && !self.is_settled();
        news
    }

    fn entry_changed(&mut self, path: &Path, is_arrival: bool, changed: &mut BTreeMap<WorkspaceId, Parts>) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let Some(place) = self.places.get(parent) else { return };
        for folder in place.here.iter().filter_map(|folder| self.folders.get(folder)) {
            folder.readers.concerned(name, is_arrival, changed);
        }
        if let Some(waiting) = place.awaited.get(name) {
            self.unsettled.extend(waiting.iter().cloned());
        }
    }

    /// Marks the place at `path` and all places below as broken: `notify` ends those watches too, even one that
    /// was set again between the event and its delivery.
    fn break_below(&mut self, path: &Path) {
        let below = self.places.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let broken = below.map(|(place, _)| place).take_while(|place| place.starts_with(path)).cloned();
        self.broken.extend(broken);
    }

    fn is_settled(&self) -> bool {
        !self.has_doubts() && !self.recheck
    }

    pub(super) fn has_doubts(&self) -> bool {
        !self.unsettled.is_empty() || !self.broken.is_empty()
    }

    /// Ignores all hints from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Replaces the targets of a workspace whose folders were `old`. New and refused folders are now in doubt.
    /// Returns the workspace's folders, and the parts of the targets that are new.
    pub(super) fn replace(
        &mut self,
        workspace: &WorkspaceId,
        old: &[Arc<Path>],
        targets: &[WatchTarget],
    ) -> (Vec<Arc<Path>>, Parts) {
        let is_known = |target: &&WatchTarget| {
            self.folders.get(&*target.folder).is_some_and(|folder| folder.readers.has(workspace, target))
        };
        let new = targets.iter().filter(|target| !is_known(target));
        let unseen = new.fold(Parts::empty(), |parts, target| parts | target.parts());
        for path in old {
            if let Some(folder) = self.folders.get_mut(path) {
                folder.readers.remove(workspace);
            }
        }
        let new = targets.iter().map(|target| self.add(workspace, target)).collect::<Vec<_>>();
        for path in old.iter().chain(&new) {
            if self.folders.get(path).is_some_and(|folder| folder.readers.is_empty()) {
                self.detach(path);
                self.folders.remove(path);
                self.unsettled.remove(path);
            }
        }
        (new, unseen)
    }

    fn add(&mut self, workspace: &WorkspaceId, target: &WatchTarget) -> Arc<Path> {
        let path = match self.folders.get_key_value(&*target.folder) {
            Some((path, _)) => Arc::clone(path),
            None => Arc::clone(&target.folder),
        };
        let folder = self.folders.entry(Arc::clone(&path)).or_default();
        folder.readers.add(workspace, target);
        if matches!(folder.watch_point, WatchPoint::Nowhere | WatchPoint::Refused(_)) {
            self.unsettled.insert(Arc::clone(&path));
        }
        path
    }

    /// Takes out everything in doubt. Afterwards the folders have no watch point and broken places are removed.
    pub(super) fn take_dirty(&mut self) -> Dirty {
        let broken = std::mem::take(&mut self.broken);
        let mut places = Vec::new();
        for path in broken {
            if let Some(place) = self.places.get(&path) {
                self.unsettled.extend(place.here.iter().chain(place.awaited.values().flatten()).cloned());
                places.push(path);
            }
        }
        let unsettled = std::mem::take(&mut self.unsettled);
        let folders =
            unsettled.into_iter().map(|folder| (Arc::clone(&folder), self.detach(&folder))).collect();
        for place in &places {
            self.places.remove(place);
        }
        Dirty { folders, places }
    }

    /// Removes a folder from its watch point and returns that watch point.
    fn detach(&mut self, path: &Path) -> WatchPoint {
        let Some(folder) = self.folders.get_mut(path) else { return WatchPoint::Nowhere };
        let watch_point = std::mem::take(&mut folder.watch_point);
        match &watch_point {
            WatchPoint::Here(place) => {
                self.left.insert(Arc::clone(place));
                if let Some(place) = self.places.get_mut(place) {
                    place.here.retain(|folder| **folder != *path);
                }
            }
            WatchPoint::Awaiting(place, name) => {
                self.left.insert(Arc::clone(place));
                if let Some(place) = self.places.get_mut(place)
                    && let Some(waiting) = place.awaited.get_mut(name)
                {
                    waiting.retain(|folder| **folder != *path);
                    if waiting.is_empty() {
                        place.awaited.remove(name);
                    }
                }
            }
            WatchPoint::Nowhere | WatchPoint::Refused(_) => {}
        }
        watch_point
    }

    /// Attaches a folder where `look` found it. A new place enters the table before the system watches it, so
    /// that its first event finds its readers.
    pub(super) fn attach(&mut self, path: &Arc<Path>, look: &Look) -> Attached {
        let Some(folder) = self.folders.get_mut(path) else { return Attached::Shared };
        let known = self.places.get_key_value(&*look.place).map(|(at, place)| (Arc::clone(at), place));
        let (at, is_new) = match known {
            Some((at, place)) if place.identity != look.identity || self.broken.contains(&at) => {
                self.broken.insert(at);
                self.unsettled.insert(Arc::clone(path));
                return Attached::InDoubt;
            }
            Some((at, _)) => (at, false),
            None if **path == *look.place => (Arc::clone(path), true),
            None => (Arc::from(&*look.place), true),
        };
        let place = self.places.entry(Arc::clone(&at)).or_insert_with(|| Place {
            identity: look.identity.clone(),
            here: Vec::with_capacity(1),
            awaited: BTreeMap::new(),
        });
        match &look.awaited {
            None => {
                place.here.push(Arc::clone(path));
                folder.watch_point = WatchPoint::Here(Arc::clone(&at));
            }
            Some(name) => {
                place.awaited.entry(name.clone()).or_default().push(Arc::clone(path));
                folder.watch_point = WatchPoint::Awaiting(Arc::clone(&at), name.clone());
            }
        }
        if is_new { Attached::New(at) } else { Attached::Shared }
    }

    /// Detaches a folder from a new place that the system refused to watch, and removes the place.
    pub(super) fn abandon(&mut self, path: &Arc<Path>, place: &Path) {
        self.detach(path);
        self.places.remove(place);
        self.broken.remove(place);
    }

    /// Records that a folder cannot be watched.
    pub(super) fn refuse(&mut self, path: &Arc<Path>, problem: WatchProblem) {
        if let Some(folder) = self.folders.get_mut(path) {
            folder.watch_point = WatchPoint::Refused(problem);
        }
    }

    pub(super) fn doubt(&mut self, path: &Arc<Path>) {
        if self.folders.contains_key(path) {
            self.unsettled.insert(Arc::clone(path));
        }
    }

    /// Puts a place and all folders attached to it in doubt.
    pub(super) fn doubt_place(&mut self, place: &Path) {
        if let Some((place, _)) = self.places.get_key_value(place) {
            self.broken.insert(Arc::clone(place));
        }
    }

    /// Puts in doubt the folders that were refused because of the limit on watches.
    pub(super) fn doubt_limited(&mut self) {
        let limited = WatchPoint::Refused(WatchProblem::LimitReached);
        let paths =
            self.folders.iter().filter(|(_, folder)| folder.watch_point == limited).map(|(path, _)| path);
        self.unsettled.extend(paths.cloned());
    }

    /// Removes and returns the places to which no folder is attached.
    pub(super) fn take_idle_places(&mut self) -> Vec<Arc<Path>> {
        let is_idle = |place: &Place| place.here.is_empty() && place.awaited.is_empty();
        let mut idle: Vec<_> = std::mem::take(&mut self.left).into_iter().collect();
        idle.retain(|path| self.places.get(path).is_some_and(is_idle));
        for path in &idle {
            self.places.remove(path);
            self.broken.remove(path);
        }
        idle
    }

    /// Whether all watch points must be compared with the disk; resets the flag.
    pub(super) fn take_recheck(&mut self) -> bool {
        std::mem::take(&mut self.recheck)
    }

    /// Every folder with its watch point and the identity that the place had when it was entered.
    pub(super) fn seats(&self) -> Vec<(Arc<Path>, WatchPoint, Option<Identity>)> {
        let identity = |watch_point: &WatchPoint| match watch_point {
            WatchPoint::Here(place) | WatchPoint::Awaiting(place, _) => {
                self.places.get(place).map(|p| p.identity.clone())
            }
            WatchPoint::Nowhere | WatchPoint::Refused(_) => None,
        };
        let row = |(path, folder): (&Arc<Path>, &Folder)| {
            (Arc::clone(path), folder.watch_point.clone(), identity(&folder.watch_point))
        };
        self.folders.iter().map(row).collect()
    }

    /// The watch point of a folder; `None` if the folder is not in the table.
    pub(super) fn watch_point_of(&self, path: &Path) -> Option<&WatchPoint> {
        self.folders.get(path).map(|folder| &folder.watch_point)
    }

    /// The workspaces that read a folder; one may appear more than once.
    pub(super) fn readers_of(&self, path: &Path) -> impl Iterator<Item = (&WorkspaceId, Parts)> {
        self.folders.get(path).into_iter().flat_map(|folder| folder.readers.all())
    }
}

/// Locks the mutex. A poisoned one is still consistent, since no change of the table can panic half-way.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
