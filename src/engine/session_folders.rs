//! Assigns sessions to workspaces: to the work tree that contains the session's folder, or that was moved from there, or
//! else the folder itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::found::Found;
use crate::agent::FoundSession;
use crate::evidence::git::{Former, former};
use crate::model::{SessionPlace, Timestamp, WorkspaceId};

/// The number of newest session places kept per workspace.
const MAX_PLACES: usize = 32;

/// The workspace of each folder that was looked up; `None` for a folder that no longer exists.
#[derive(Debug)]
pub(super) struct SessionFolders<'a> {
    /// The person's home folder. A repository there holds dotfiles and is not treated as a work tree: looking
    /// for changes in it would scan everything the person has.
    home: Option<&'a Path>,
    known: HashMap<PathBuf, Option<Home>>,
    moved: &'a [Moved],
}

/// A work tree that may have been in another place.
#[derive(Debug)]
pub(super) struct Moved {
    /// Where it may have been. Nothing is there now.
    pub(super) from: PathBuf,
    to: PathBuf,
    made_at: Timestamp,
}

/// The former places of these work trees, without those that fit several.
pub(super) fn moved(tops: &[PathBuf]) -> Vec<Moved> {
    let mut moved: Vec<Moved> = Vec::new();
    for top in tops {
        let Some(Former { places, made_at }) = former(top) else { continue };
        moved.extend(places.into_iter().map(|from| Moved { from, to: top.clone(), made_at }));
    }
    let n_of = |from: &Path| moved.iter().filter(|moved| moved.from == *from).count();
    let is_sure: Vec<bool> = moved.iter().map(|moved| n_of(&moved.from) == 1).collect();
    moved.into_iter().zip(is_sure).filter(|(_, is_sure)| *is_sure).map(|(moved, _)| moved).collect()
}

#[derive(Debug, Clone)]
struct Home {
    path: PathBuf,
    is_repository: bool,
}

impl<'a> SessionFolders<'a> {
    pub(super) fn new(home: Option<&'a Path>, moved: &'a [Moved]) -> SessionFolders<'a> {
        SessionFolders { home, known: HashMap::new(), moved }
    }

    /// Gives each workspace in `found` the places of its sessions. If `is_adding`, also adds workspaces known
    /// only through a session.
    pub(super) fn assign(&mut self, sessions: &[FoundSession], found: &mut Found<'_>, is_adding: bool) {
        let mut of_workspace: HashMap<WorkspaceId, Vec<(Timestamp, &SessionPlace)>> = HashMap::new();
        for session in sessions {
            let home = self.home(&session.place.folder).or_else(|| self.home_after_move(session));
            let Some(home) = home else { continue };
            if is_adding {
                found.add(&home.path, home.is_repository);
            }
            let id = WorkspaceId::local(home.path);
            of_workspace.entry(id).or_default().push((session.moved_at, &session.place));
        }
        for workspace in &mut found.workspaces {
            let Some(mut places) = of_workspace.remove(&workspace.id) else { continue };
            places.sort_unstable_by(|one, other| other.cmp(one));
            places.truncate(MAX_PLACES);
            workspace.sessions = places.into_iter().map(|(_, place)| place.clone()).collect();
            // Sorted, since a mere change of order would cause everything to be read again.
            workspace.sessions.sort_unstable();
        }
    }

    /// The work tree that was moved away from the session's folder. One that was made later was another.
    fn home_after_move(&self, session: &FoundSession) -> Option<Home> {
        let is_of = |moved: &&Moved| {
            session.place.folder.starts_with(&moved.from) && session.moved_at >= moved.made_at
        };
        let moved = self.moved.iter().find(is_of)?;
        Some(Home { path: moved.to.clone(), is_repository: true })
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

/// The work tree that contains `folder`, or else `folder` itself. A folder inside a git directory or a bare
/// repository is its own workspace.
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

/// Whether git recognises a work tree here: the folder `.git`, or the file that a linked worktree has in its
/// place. The name alone is not enough.
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
        // A linked worktree has a file named `.git`.
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
