//! Remembers what was read of a repository, so that observing an unchanged one again costs only a few small
//! file reads.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::content::Contents;
use super::file_state::FileStates;
use super::handle::Sibling;
use super::reader::RESCUES;
use super::stays;
use super::traces::{Opened, Traces};
use super::{BaselineChoice, GitAsk};
use crate::git::{self, Repository};
use crate::model::{CommitId, GitFacts, GitReader, Head, Timestamp, WatchTarget};

/// What is remembered of one workspace's repository. Small; holds no open files between collections.
#[derive(Debug, Default)]
pub struct GitMemory {
    /// No later collection will ask, so that nothing is stamped.
    pub(super) is_for_once: bool,
    /// Boxed like what is open, because a workspace has two memories, of which one is nearly always empty.
    known: Option<Box<Known>>,
    /// The ids of changed files' contents.
    pub(super) contents: Contents,
    /// Where the content of evidence files came from.
    pub(super) traces: Traces,
    /// The open repository, during a collection.
    pub(super) opened: Option<Box<Opened>>,
    /// The worktree that was read before this one.
    pub(super) sibling: Option<Box<Sibling>>,
}

#[derive(Debug, Clone)]
struct Known {
    repository: Repository,
    facts: Facts,
    reader: Option<GitReader>,
    /// The baseline was found by the observation itself.
    is_found: bool,
}

/// Everything that was read except the work tree.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// The facts to report, without changes.
    pub(super) git: GitFacts,
    /// What to watch for changes of these facts.
    pub(super) targets: Vec<WatchTarget>,
    /// The full name of the upstream.
    pub(super) upstream_name: Option<String>,
    /// The state of the repository that they were read from; without it they are not remembered.
    pub(super) stamp: Option<Stamp>,
    /// The counts depend only on the commits of this branch and the log of HEAD.
    pub(super) is_plain: bool,
    /// The prompts for which HEAD's positions were read.
    pub(super) asked: Vec<Timestamp>,
}

/// The state of everything that the facts were read from, as far as it can be compared cheaply.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    head: Head,
    upstream: Option<CommitId>,
    /// What changes with every commit: the logs of HEAD and of the branch, the folders of branches, the folders
    /// of rescues' references.
    of_commits: FileStates,
    /// Everything else.
    others: FileStates,
}

impl Stamp {
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Whether `now` is the same state.
    pub(super) fn holds(&self, now: &Stamp) -> bool {
        self.head == now.head
            && self.upstream == now.upstream
            && self.of_commits.hold(&now.of_commits)
            && self.others.hold(&now.others)
    }

    /// Whether this is the state `before`, except that commits may have been made on the same branch.
    pub(super) fn is_further_on_branch(&self, before: &Stamp) -> bool {
        self.head.branch() == before.head.branch()
            && self.upstream == before.upstream
            && before.others.hold(&self.others)
    }

    /// The same stamp, valid only for adding further commits on top: another branch may have moved too.
    pub(super) fn until_read_anew(mut self) -> Stamp {
        self.of_commits.distrust();
        self
    }

    /// The current stamp of a repository, with `head` as read just before; `None` if it cannot be taken without
    /// a reader. If HEAD has moved meanwhile, the next look sees another HEAD and this stamp does not hold.
    pub(super) fn of(repository: &Repository, head: Head, upstream_name: Option<&str>) -> Option<Stamp> {
        if !repository.has_ref_files() {
            return None;
        }
        let upstream = match upstream_name {
            Some(name) => git::find_ref(repository, name).ok()?,
            None => None,
        };
        let mut of_commits = vec![repository.git_dir.join("logs/HEAD")];
        of_commits.extend(head.branch().map(|name| repository.common_dir.join("logs/refs/heads").join(name)));
        folders_below(repository.common_dir.join("refs/heads"), &mut of_commits)?;
        // If the person's own program makes a rescue, its references appear only after the commits.
        folders_below(repository.common_dir.join(RESCUES), &mut of_commits)?;
        let mut others: Vec<PathBuf> = ["config", "packed-refs", "logs/refs/stash", "shallow"]
            .map(|name| repository.common_dir.join(name))
            .into();
        others.extend([repository.git_dir.join("FETCH_HEAD"), repository.top.join(".git")]);
        for name in ["refs/remotes", "refs/tags"] {
            folders_below(repository.common_dir.join(name), &mut others)?;
        }
        Some(Stamp {
            head,
            upstream,
            of_commits: FileStates::now(of_commits),
            others: FileStates::now(others),
        })
    }
}

/// With more folders of references, nothing is remembered.
const MAX_FOLDERS: usize = 1_000;

/// Adds `folder` and all folders below it in a fixed order. All are needed: a loose reference changes the time
/// of its own folder only.
fn folders_below(folder: PathBuf, found: &mut Vec<PathBuf>) -> Option<()> {
    let mut below = vec![folder];
    let mut next = 0;
    while let Some(folder) = below.get(next) {
        next += 1;
        if has_no_folders(folder) {
            continue;
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        folders.sort();
        below.append(&mut folders);
        if below.len() > MAX_FOLDERS {
            return None;
        }
    }
    found.append(&mut below);
    Some(())
}

/// Whether a folder certainly holds no other one, without reading it: the branches of a thousand worktrees are in one
/// folder, which each of them asks for. File systems that count a folder's links give it one for itself, one for its
/// name, and one for each folder in it (find(1) goes by the same).
fn has_no_folders(folder: &Path) -> bool {
    const EXT4: u64 = 0xEF53;
    const XFS: u64 = 0x5846_5342;
    const TMPFS: u64 = 0x0102_1994;
    let counts_links = |kind: u64| matches!(kind, EXT4 | XFS | TMPFS);
    folder.metadata().is_ok_and(|metadata| metadata.nlink() == 2)
        && rustix::fs::statfs(folder).is_ok_and(|system| u64::try_from(system.f_type).is_ok_and(counts_links))
}

impl GitMemory {
    /// A memory for one collection, after which it is dropped.
    pub fn for_once() -> GitMemory {
        GitMemory { is_for_once: true, ..GitMemory::default() }
    }

    /// A memory for one collection, right after that of another workspace.
    #[must_use]
    pub fn for_once_after(before: GitMemory) -> GitMemory {
        GitMemory { sibling: before.sibling, ..GitMemory::for_once() }
    }

    /// What is known of this repository, if `ask` asks for the same, with the current stamp.
    pub(super) fn known(&self, repository: &Repository, ask: &GitAsk<'_>) -> Option<(&Facts, Stamp)> {
        let known = self
            .known
            .as_ref()
            .filter(|known| known.repository == *repository && known.reader == ask.reader)?;
        let before = &known.facts.git.baseline;
        let is_same_baseline = match ask.baseline {
            BaselineChoice::Remembered(baseline) => baseline == before,
            // A name may now mean another commit; a full id cannot.
            BaselineChoice::Given { rev, origin } | BaselineChoice::GivenAt { rev, origin, .. } => {
                rev.parse().is_ok_and(|rev| before.commit == Some(rev)) && before.origin == *origin
            }
            BaselineChoice::Find | BaselineChoice::FindBefore(_) => known.is_found,
        };
        let reaches = stays::reach(&known.facts.git.commits.stays, &known.facts.asked, ask.asked);
        if !is_same_baseline || !reaches || !repository.has_ref_files() {
            return None;
        }
        let head = git::head(repository).ok()?;
        let stamp = Stamp::of(repository, head, known.facts.upstream_name.as_deref())?;
        Some((&known.facts, stamp))
    }

    /// Remembers the facts, if they have a stamp.
    pub(super) fn remember(&mut self, repository: &Repository, ask: &GitAsk<'_>, facts: &Facts) {
        self.known = facts.stamp.is_some().then(|| {
            Box::new(Known {
                repository: repository.clone(),
                facts: facts.clone(),
                reader: ask.reader,
                is_found: matches!(ask.baseline, BaselineChoice::Find | BaselineChoice::FindBefore(_)),
            })
        });
    }

    /// Forgets the facts and closes the repository.
    pub(super) fn clear(&mut self) {
        self.known = None;
        self.opened = None;
    }

    /// Ends a collection: closes the repository, unless the next collection can be helped by it.
    pub fn close(&mut self) {
        let opened = self.opened.take().filter(|_| self.is_for_once);
        let sibling = opened.and_then(|opened| {
            let Opened { repository, handle } = *opened;
            Sibling::new(&repository, handle?).map(Box::new)
        });
        self.sibling = sibling.or(self.sibling.take());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Whatever the file system is, none is missed.
    #[test]
    fn all_folders_below_are_found_at_any_depth() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("heads");
        let below = ["agent", "agent/claude", "fix"].map(|name| top.join(name));
        for folder in &below {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(top.join("agent/one"), "").unwrap();
        let mut found = Vec::new();
        folders_below(top.clone(), &mut found).unwrap();
        found.sort();
        let mut all = vec![top.clone()];
        all.extend(below);
        assert_eq!(found, all);
        assert!(!has_no_folders(&top) && !has_no_folders(&top.join("agent")));
        fs::create_dir(top.join("agent/claude/two")).unwrap();
        assert!(!has_no_folders(&top.join("agent/claude")));
    }
}
