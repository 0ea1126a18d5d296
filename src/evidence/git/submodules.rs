//! Reports uncommitted work inside submodules as a change of the repository that contains them.
//!
//! Git itself enters a submodule with a second process that follows the submodule's configuration, including
//! filters (`SECURITY.md` 1.2). Here each checked-out submodule is read as a repository of its own, by the same
//! two readers, which run nothing of it. A submodule that cannot be read is never clean: it counts as changed,
//! and a note says why.

use std::path::{Component, Path};

use super::GitAsk;
use super::not_work::{NotWork, shown};
use super::reader::{Compared, Entry, Repo, join};
use super::readers::{Purpose, Readers, is_allowed};
use super::strays::unreached;
use crate::git::{self, Gitlink, Read, Repository, foreign_owner, trouble};
use crate::model::{ChangeKind, CommitId, Head, ReadProblem, display_text};

/// Nested submodules are followed this deep.
const MAX_DEPTH: usize = 5;
/// At most this many submodules are read; the others count as changed.
const MAX_SUBMODULES: usize = 500;
/// At most this many unreadable submodules are named.
const MAX_NOTES: usize = 5;

/// One walk through the submodules of a workspace.
pub(super) struct Walk<'a> {
    ask: &'a GitAsk<'a>,
    /// The top of the workspace's own repository.
    top: &'a Path,
    depth: usize,
    n_left: usize,
    n_unknown: usize,
    notes: Vec<String>,
    /// Changed paths that are noise, from the top of the workspace's repository.
    noise: Vec<Vec<u8>>,
}

/// What one submodule contributes.
#[derive(Default)]
struct Found {
    unstaged: Option<ChangeKind>,
    n_evidence: u32,
}

impl<'a> Walk<'a> {
    /// A walk from the repository at `top`.
    pub(super) fn new(ask: &'a GitAsk<'a>, top: &'a Path) -> Walk<'a> {
        Walk {
            ask,
            top,
            depth: 0,
            n_left: MAX_SUBMODULES,
            n_unknown: 0,
            notes: Vec::new(),
            noise: Vec::new(),
        }
    }

    /// What a person should know about the walk.
    pub(super) fn notes(mut self) -> Vec<String> {
        if self.n_unknown > self.notes.len() {
            let n_more = self.n_unknown - self.notes.len();
            self.notes
                .push(format!("{n_more} more submodules could not be looked into and count as changed"));
        }
        self.notes
    }

    /// The changed paths that were left out as noise, each once.
    pub(super) fn noise(&mut self) -> Vec<String> {
        self.noise.sort();
        self.noise.dedup();
        self.noise.iter().map(|path| shown(path)).collect()
    }

    /// The paths that differ and are work, sorted, each once, and how many evidence files were left out.
    pub(super) fn entries(
        &mut self,
        repo: &dyn Repo,
        repository: &Repository,
        of: &Compared<'_>,
        not_work: &NotWork,
    ) -> Read<(Vec<Entry>, u32)> {
        let (mut kept, mut n_evidence_files) = self.look(repository, of.gitlinks, not_work)?;
        for mut entry in repo.status(of)? {
            if !entry.path.ends_with(b"/") && not_work.is_evidence(&entry.path) {
                n_evidence_files += 1;
                continue;
            }
            if entry.unstaged != Some(ChangeKind::Conflicted) && not_work.is_noise(&entry.path) {
                self.noise.push(not_work.whole(&entry.path));
                continue;
            }
            if entry.unstaged == Some(ChangeKind::Untracked) {
                let (n_evidence, is_all) = self.left_out_of(repo, &entry, not_work)?;
                n_evidence_files += n_evidence;
                if is_all {
                    entry.unstaged = None;
                }
            }
            if entry.staged.is_some() || entry.unstaged.is_some() {
                kept.push(entry);
            }
        }
        // A file only removed from the index is deleted there and untracked in the work tree.
        join(&mut kept);
        Ok((kept, n_evidence_files))
    }

    /// How many evidence files an untracked folder contains, and whether it contains nothing that is work.
    fn left_out_of(&mut self, repo: &dyn Repo, entry: &Entry, not_work: &NotWork) -> Read<(u32, bool)> {
        if !entry.path.ends_with(b"/") || !not_work.may_be_in(&entry.path) {
            return Ok((0, false));
        }
        let mut n_evidence = 0;
        let mut is_all = true;
        for file in repo.untracked_below(&entry.path)? {
            if not_work.is_evidence(&file) {
                n_evidence += 1;
            } else if not_work.is_noise(&file) {
                self.noise.push(not_work.whole(&file));
            } else {
                is_all = false;
            }
        }
        Ok((n_evidence, is_all))
    }

    /// Which submodules of `repository` differ, and how many evidence files (paths from the top of
    /// `repository`) lie in them. An error only where the git program would block for ever too.
    fn look(
        &mut self,
        repository: &Repository,
        gitlinks: &[Gitlink],
        not_work: &NotWork,
    ) -> Read<(Vec<Entry>, u32)> {
        let mut entries = Vec::new();
        let mut n_evidence = 0;
        for link in gitlinks {
            let found = if link.is_conflicted {
                Found { unstaged: Some(ChangeKind::Conflicted), n_evidence: 0 }
            } else {
                self.found(repository, link, not_work)?
            };
            n_evidence += found.n_evidence;
            if found.unstaged.is_some() {
                entries.push(Entry { path: link.path.clone(), staged: None, unstaged: found.unstaged });
            }
        }
        Ok((entries, n_evidence))
    }

    fn found(&mut self, repository: &Repository, link: &Gitlink, not_work: &NotWork) -> Read<Found> {
        let path = path_of(&link.path);
        let folder = repository.top.join(path);
        let name = display_text::path(folder.strip_prefix(self.top).unwrap_or(&folder));
        match self.try_found(&folder, path, link, not_work) {
            Ok(found) => Ok(found),
            // The git program always reads the submodule's HEAD, whatever its options.
            Err(mut unreadable) if unreadable.problem == ReadProblem::NotAFile => {
                unreadable.detail = format!("in the submodule {name}: {}", unreadable.detail);
                Err(unreadable)
            }
            Err(unreadable) => {
                self.n_unknown += 1;
                if self.notes.len() < MAX_NOTES {
                    let why = unreadable.detail;
                    self.notes.push(format!(
                        "the submodule {name} could not be looked into and counts as changed: {why}"
                    ));
                }
                Ok(Found { unstaged: Some(ChangeKind::Modified), n_evidence: 0 })
            }
        }
    }

    fn try_found(&mut self, folder: &Path, path: &Path, link: &Gitlink, not_work: &NotWork) -> Read<Found> {
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(trouble(ReadProblem::Link, "its path leads out of the work tree"));
        }
        if let Some(found) = absent(folder) {
            return Ok(found);
        }
        let Some(repository) = Repository::open(folder)? else {
            let is_empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
            return if is_empty {
                Ok(Found::default())
            } else {
                Err(trouble(
                    ReadProblem::NoRepository,
                    "it is not checked out, and yet its folder holds files",
                ))
            };
        };
        if self.depth == MAX_DEPTH || self.n_left == 0 {
            return Err(trouble(
                ReadProblem::TooLarge,
                "there are too many submodules, or in too many levels",
            ));
        }
        self.n_left -= 1;
        repository.check(true)?;
        if repository.foreign_place().is_some() && !is_allowed(&repository, self.ask)? {
            return Err(foreign_owner());
        }
        let mut start = link.path.clone();
        start.push(b'/');
        let not_work = not_work.below(&start);
        self.depth += 1;
        let mut is_unheld = false;
        let read = Readers::new(&repository, self.ask, None).read(Purpose::Changes, &mut |repo| {
            let head = repo.head()?;
            let is_moved = head.commit() != Some(link.commit);
            is_unheld = matches!(head, Head::Detached { .. }) && is_unheld_here(repo, link.commit)?;
            let marks = git::index_marks(&repository)?;
            let gitlinks = repo.gitlinks(marks.gitlinks)?;
            let index_tree = marks.tree.as_deref();
            let of = Compared { head: head.commit(), gitlinks: &gitlinks, index_tree };
            let (entries, n_evidence) = self.entries(repo, &repository, &of, &not_work)?;
            let is_changed = is_moved || is_unheld || !entries.is_empty();
            Ok(Found { unstaged: is_changed.then_some(ChangeKind::Modified), n_evidence })
        });
        self.depth -= 1;
        if is_unheld && self.notes.len() < MAX_NOTES {
            let name = display_text::path(folder.strip_prefix(self.top).unwrap_or(folder));
            self.notes.push(format!("the submodule {name} stands on a commit that no branch of it holds"));
        }
        read.map(|(found, _)| found)
    }
}

/// Whether a commit was made in this repository and no reference of it reaches the commit: only the repository around it
/// names it, which keeps nothing alive here.
fn is_unheld_here(repo: &dyn Repo, commit: CommitId) -> Read<bool> {
    let log = repo.reflog("HEAD")?;
    if !log.iter().any(|entry| entry.new == Some(commit) && entry.action.is_making()) {
        return Ok(false);
    }
    let tips = repo.refs(&["refs/heads", "refs/remotes", "refs/tags"])?;
    let tips: Vec<CommitId> = tips.into_iter().map(|found| found.commit).collect();
    let found = repo.commits(&[commit])?.into_iter().flatten().collect();
    Ok(!unreached(repo, found, &tips)?.is_empty())
}

/// The state of a submodule whose folder is missing or replaced; `None` if its folder is there.
fn absent(folder: &Path) -> Option<Found> {
    let deleted = Found { unstaged: Some(ChangeKind::Deleted), n_evidence: 0 };
    match folder.symlink_metadata() {
        // What lies behind a link does not belong to the work tree.
        Ok(metadata) if metadata.is_dir() => {
            (!folder.canonicalize().is_ok_and(|real| real == folder)).then_some(deleted)
        }
        // The change of type shows in the status.
        Ok(_) => Some(Found::default()),
        Err(_) => Some(deleted),
    }
}

fn path_of(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}
