//! The owner's side: attaches every folder to a watch point that matches the disk, until nothing is in doubt.
//!
//! A directory may change between any two steps here. So a watch point is entered in the table first, then the
//! watch is set, then the disk is checked again; if it has changed, the folder is back in doubt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::model::{Parts, WatchProblem, WatchTarget, WorkspaceId, display_text};

use super::table::{Table, lock};
use super::watch_point::{Attached, WatchPoint, look_for};
use super::{Backend, WatchNews, WatchRefusal};

/// How many rounds one call follows directories that keep changing before it leaves the rest to the next call.
const MAX_ROUNDS: usize = 16;

/// After this many consecutive calls with folders left in doubt, those folders are refused: some network file
/// systems give a directory a new identity at each look. At about 1 ms per call, directories that really are
/// replaced continuously for that long are better polled too.
const MAX_RESTLESS_CALLS: usize = 200;

/// What the owner's calls work on.
pub(super) struct Arming {
    backend: Box<dyn Backend>,
    table: Arc<Mutex<Table>>,
    watched: BTreeMap<WorkspaceId, Watched>,
    /// Consecutive calls that left folders in doubt.
    restless_calls: usize,
}

#[derive(Default)]
struct Watched {
    folders: Vec<Arc<Path>>,
    problem: Option<WatchProblem>,
}

impl Arming {
    /// Nothing watched yet.
    pub(super) fn new(backend: Box<dyn Backend>, table: Arc<Mutex<Table>>) -> Arming {
        Arming { backend, table, watched: BTreeMap::new(), restless_calls: 0 }
    }

    /// Replaces the targets of a workspace in the table. Returns the parts of new targets.
    pub(super) fn replace(&mut self, workspace: &WorkspaceId, targets: &[WatchTarget]) -> Parts {
        let watched = self.watched.entry(workspace.clone()).or_default();
        let (folders, unseen) = lock(&self.table).replace(workspace, &watched.folders, targets);
        watched.folders = folders;
        unseen
    }

    /// Puts in doubt every folder whose watch point does not match the disk.
    pub(super) fn compare_with_disk(&mut self) {
        let seats = lock(&self.table).seats();
        for (folder, watch_point, identity) in seats {
            let look = look_for(&folder);
            let is_right = look.is_some_and(|look| {
                let same_place = match &watch_point {
                    WatchPoint::Here(place) => look.awaited.is_none() && *look.place == **place,
                    WatchPoint::Awaiting(place, name) => {
                        look.awaited.as_ref() == Some(name) && *look.place == **place
                    }
                    WatchPoint::Nowhere | WatchPoint::Refused(_) => false,
                };
                same_place && Some(look.identity) == identity
            });
            if !is_right {
                lock(&self.table).doubt(&folder);
            }
        }
    }

    /// Attaches all folders in doubt, then ends the watches that nobody needs. The news is of the readers of folders
    /// that appeared, disappeared or were replaced, and of new problems, those of `with` too. If folders are still
    /// in doubt, they wait for another call.
    pub(super) fn settle(&mut self, with: Option<&WorkspaceId>) -> WatchNews {
        let mut lost_points = BTreeMap::new();
        let mut freed = false;
        let mut retried = false;
        for _ in 0..MAX_ROUNDS {
            let dirty = lock(&self.table).take_dirty();
            freed |= self.end(&dirty.places);
            if dirty.folders.is_empty() && dirty.places.is_empty() {
                let idle = lock(&self.table).take_idle_places();
                freed |= self.end(&idle);
                if !freed || retried {
                    break;
                }
                retried = true;
                lock(&self.table).doubt_limited();
            } else {
                self.attach_all(dirty.folders, &mut lost_points);
            }
        }
        self.conclude(lost_points, with)
    }

    fn end(&mut self, places: &[Arc<Path>]) -> bool {
        for place in places {
            self.backend.unwatch(place);
        }
        !places.is_empty()
    }

    fn attach_all(
        &mut self,
        folders: Vec<(Arc<Path>, WatchPoint)>,
        lost_points: &mut BTreeMap<Arc<Path>, WatchPoint>,
    ) {
        let mut limit_reached = false;
        for (folder, lost) in folders {
            let was_limited = lost == WatchPoint::Refused(WatchProblem::LimitReached);
            if was_limited && limit_reached {
                lock(&self.table).refuse(&folder, WatchProblem::LimitReached);
            } else {
                limit_reached |= self.attach(&folder) == Err(WatchRefusal::LimitReached);
            }
            let is_here = matches!(lost, WatchPoint::Here(_));
            let first = lost_points.entry(folder).or_insert_with(|| lost.clone());
            if is_here {
                *first = lost;
            }
        }
    }

    /// Attaches one folder to a watch point, or records why it cannot be attached.
    fn attach(&mut self, folder: &Arc<Path>) -> Result<(), WatchRefusal> {
        let Some(look) = look_for(folder) else {
            let message = "no directory on the way to it can be read".to_owned();
            return Err(self.refuse(folder, folder, WatchRefusal::Failed(message)));
        };
        let attached = lock(&self.table).attach(folder, &look);
        if let Attached::New(place) = &attached
            && let Err(refusal) = self.backend.watch(place)
        {
            lock(&self.table).abandon(folder, place);
            return Err(self.refuse(folder, place, refusal));
        }
        if attached != Attached::InDoubt {
            let now = look_for(folder);
            if now.as_ref() != Some(&look) {
                let mut table = lock(&self.table);
                table.doubt(folder);
                if now.is_some_and(|now| now.place == look.place && now.identity != look.identity) {
                    table.doubt_place(&look.place);
                }
            }
        }
        Ok(())
    }

    fn refuse(&mut self, folder: &Arc<Path>, place: &Path, refusal: WatchRefusal) -> WatchRefusal {
        let mut table = lock(&self.table);
        match &refusal {
            WatchRefusal::Missing => table.doubt(folder),
            WatchRefusal::LimitReached => table.refuse(folder, WatchProblem::LimitReached),
            WatchRefusal::Failed(message) => {
                let message = format!("cannot watch {}: {message}", display_text::path(place));
                table.refuse(folder, WatchProblem::Failed(message));
            }
        }
        refusal
    }

    fn conclude(
        &mut self,
        lost_points: BTreeMap<Arc<Path>, WatchPoint>,
        with: Option<&WorkspaceId>,
    ) -> WatchNews {
        let mut news = WatchNews { must_rearm: lock(&self.table).has_doubts(), ..WatchNews::default() };
        self.restless_calls = if news.must_rearm { self.restless_calls + 1 } else { 0 };
        if self.restless_calls > MAX_RESTLESS_CALLS {
            self.give_up();
            news.must_rearm = false;
        }
        let mut touched: BTreeSet<_> = with.into_iter().cloned().collect();
        let table = lock(&self.table);
        for (folder, lost) in lost_points {
            let is_here = matches!(table.watch_point_of(&folder), Some(WatchPoint::Here(_)));
            // A folder that is awaited as before may have come, been read, and gone meanwhile.
            let has_changed = is_here || matches!(lost, WatchPoint::Here(_) | WatchPoint::Awaiting(..));
            for (workspace, parts) in table.readers_of(&folder) {
                touched.insert(workspace.clone());
                if has_changed {
                    *news.changed.entry(workspace.clone()).or_default() |= parts;
                }
            }
        }
        drop(table);
        news.problems = self.new_problems(&touched);
        news
    }

    fn give_up(&mut self) {
        self.restless_calls = 0;
        let dirty = lock(&self.table).take_dirty();
        self.end(&dirty.places);
        let mut table = lock(&self.table);
        for (folder, _) in &dirty.folders {
            let message = "its directories are replaced without pause".to_owned();
            table.refuse(folder, WatchProblem::Failed(message));
        }
    }

    /// The problems of these workspaces that differ from what was last reported.
    fn new_problems(
        &mut self,
        workspaces: &BTreeSet<WorkspaceId>,
    ) -> BTreeMap<WorkspaceId, Option<WatchProblem>> {
        let table = lock(&self.table);
        let mut new_problems = BTreeMap::new();
        for workspace in workspaces {
            let Some(watched) = self.watched.get_mut(workspace) else { continue };
            let problem = problem_of(&table, &watched.folders);
            if problem != watched.problem {
                watched.problem.clone_from(&problem);
                new_problems.insert(workspace.clone(), problem);
            }
            if watched.folders.is_empty() {
                self.watched.remove(workspace);
            }
        }
        new_problems
    }
}

/// The problem of a workspace with these folders; a reached limit takes precedence over any other.
fn problem_of(table: &Table, folders: &[Arc<Path>]) -> Option<WatchProblem> {
    let problems = folders.iter().filter_map(|folder| match table.watch_point_of(folder) {
        Some(WatchPoint::Refused(problem)) => Some(problem),
        Some(WatchPoint::Nowhere | WatchPoint::Here(_) | WatchPoint::Awaiting(..)) | None => None,
    });
    let mut first = None;
    for problem in problems {
        if *problem == WatchProblem::LimitReached {
            return Some(WatchProblem::LimitReached);
        }
        first = first.or(Some(problem));
    }
    first.cloned()
}
