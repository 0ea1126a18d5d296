//! Which workspace a session belongs to: the work tree that its folder lies in, else the folder itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::discover::Found;
use crate::agent::FoundSession;
use crate::model::{SessionPlace, Timestamp, WorkspaceId};

/// So many places are given to a workspace at most, the newest.
const MOST_PLACES: usize = 32;

/// The workspace of each folder that was looked at; `None` for a folder that is not there any more.
#[derive(Debug, Default)]
pub(super) struct SessionFolders {
    known: HashMap<PathBuf, Option<Home>>,
}

/// The workspace of a folder.
#[derive(Debug, Clone)]
struct Home {
    path: PathBuf,
    is_repository: bool,
}

impl SessionFolders {
    /// Gives each workspace in `found` the places of its sessions. Workspaces that are known by a session
    /// alone are added if `is_adding`.
    pub(super) fn assign(&mut self, sessions: &[FoundSession], found: &mut Found<'_>, is_adding: bool) {
        let mut of_workspace: HashMap<WorkspaceId, Vec<(Timestamp, &SessionPlace)>> = HashMap::new();
        for session in sessions {
            let Some(home) = self.home(&session.place.folder) else { continue };
            if is_adding {
                found.add(&home.path, home.is_repository);
            }
            let id = WorkspaceId::local(home.path);
            of_workspace.entry(id).or_default().push((session.moved_at, &session.place));
        }
        for workspace in &mut found.workspaces {
            let Some(mut places) = of_workspace.remove(&workspace.id) else { continue };
            places.sort_unstable_by(|one, other| other.cmp(one));
            places.truncate(MOST_PLACES);
            workspace.sessions = places.into_iter().map(|(_, place)| place.clone()).collect();
            // The order of the places says nothing, and a changed one would have everything read anew.
            workspace.sessions.sort_unstable();
        }
    }

    fn home(&mut self, folder: &Path) -> Option<Home> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let home = home_of(folder);
        self.known.insert(folder.to_owned(), home.clone());
        home
    }
}

/// The work tree that `folder` lies in, else the folder. A folder inside a git directory, or in a bare
/// repository, is its own.
fn home_of(folder: &Path) -> Option<Home> {
    let resolved = folder.canonicalize().ok()?;
    if !resolved.is_dir() {
        return None;
    }
    let top = resolved.ancestors().find(|folder| folder.join(".git").exists());
    Some(match top {
        Some(top) => Home { path: top.to_owned(), is_repository: true },
        None => Home { path: resolved, is_repository: false },
    })
}
