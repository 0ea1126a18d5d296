//! Which workspace a session belongs to: the work tree that its folder lies in, else the folder itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::found::Found;
use crate::agent::FoundSession;
use crate::model::{SessionPlace, Timestamp, WorkspaceId};

/// So many places are given to a workspace at most, the newest.
const MOST_PLACES: usize = 32;

/// The workspace of each folder that was looked at; `None` for a folder that is not there any more.
#[derive(Debug)]
pub(super) struct SessionFolders<'a> {
    /// The person's home folder: a repository of dotfiles there is nobody's work tree, and looking for
    /// changes in it would go over all that the person has.
    home: Option<&'a Path>,
    known: HashMap<PathBuf, Option<Home>>,
}

/// The workspace of a folder.
#[derive(Debug, Clone)]
struct Home {
    path: PathBuf,
    is_repository: bool,
}

impl<'a> SessionFolders<'a> {
    pub(super) fn new(home: Option<&'a Path>) -> SessionFolders<'a> {
        SessionFolders { home, known: HashMap::new() }
    }

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
        let home = home_of(folder, self.home);
        self.known.insert(folder.to_owned(), home.clone());
        home
    }
}

/// The work tree that `folder` lies in, else the folder. A folder inside a git directory, or in a bare
/// repository, is its own.
fn home_of(folder: &Path, home: Option<&Path>) -> Option<Home> {
    let resolved = folder.canonicalize().ok()?;
    if !resolved.is_dir() {
        return None;
    }
    let below_home =
        resolved.ancestors().take_while(|folder| Some(*folder) != home && folder.parent().is_some());
    let top = below_home.into_iter().find(|folder| is_work_tree(folder));
    Some(match top {
        Some(top) => Home { path: top.to_owned(), is_repository: true },
        None => Home { path: resolved, is_repository: false },
    })
}

/// Whether git knows a work tree there: a linked one has a file in the place of the folder. What only
/// has the name is none.
fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_session_belongs_to_the_work_tree_that_its_folder_lies_in() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        let of = |folder: &str| {
            home_of(&home.join(folder), Some(&home)).map(|home| (home.path, home.is_repository))
        };
        fs::create_dir_all(home.join("shop/.git")).unwrap();
        fs::write(home.join("shop/.git/HEAD"), "ref: refs/heads/main").unwrap();
        fs::create_dir_all(home.join("shop/src/.git")).unwrap();
        fs::create_dir_all(home.join("shop/src/deep")).unwrap();
        fs::create_dir_all(home.join("shop/trees/other")).unwrap();
        // A linked worktree has a file there.
        fs::write(home.join("shop/trees/other/.git"), "gitdir: /elsewhere").unwrap();
        fs::create_dir_all(home.join("notes")).unwrap();
        assert_eq!(of("shop/src/deep"), Some((home.join("shop"), true)));
        assert_eq!(of("shop/trees/other"), Some((home.join("shop/trees/other"), true)));
        assert_eq!(of("notes"), Some((home.join("notes"), false)));
        assert_eq!(of("gone"), None);
        // A repository of dotfiles.
        fs::create_dir(home.join(".git")).unwrap();
        assert_eq!(of("notes"), Some((home.join("notes"), false)));
        assert_eq!(of(""), Some((home.clone(), false)));
    }
}
