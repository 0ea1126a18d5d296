//! Turns the paths that differ into the changes to show: counted, sorted, capped, without evidence.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::content::{self, Contents};
use super::newest::uncommitted_tests;
use super::not_work::{NotWork, shown};
use super::reader::{Compared, Repo};
use super::submodules::Walk;
use super::{GitAsk, hidden, on_disk};
use crate::git::{self, Read, Repository};
use crate::model::{ChangeKind, ChangedFile, Changes, Head};

/// At most this many paths are listed; all are counted.
const MAX_FILES: usize = 200;

/// The uncommitted changes and the name of the content. Evidence files that `ask` lists, and noise,
/// are left out of the changes.
pub(super) fn read(
    repo: &dyn Repo,
    repository: &Repository,
    ask: &GitAsk<'_>,
    (head, tree): (&Head, Option<&str>),
    (walk, contents): (&mut Walk<'_>, &mut Contents),
) -> Read<(Changes, Option<String>)> {
    let not_work = NotWork::of(repository, ask.evidence_files, ask.noise);
    let marks = git::index_marks(repository)?;
    let gitlinks = repo.gitlinks(marks.gitlinks)?;
    let of = Compared { head: head.commit(), gitlinks: &gitlinks, index_tree: marks.tree.as_deref() };
    let (kept, n_evidence_files) = walk.entries(repo, repository, &of, &not_work)?;
    let mut changes = Changes { n_evidence_files, noise: walk.noise(), ..Changes::default() };
    for entry in &kept {
        changes.n_staged += u32::from(entry.staged.is_some());
        match entry.unstaged {
            Some(ChangeKind::Untracked) => changes.n_untracked += 1,
            Some(ChangeKind::Conflicted) => changes.n_conflicted += 1,
            Some(
                ChangeKind::Added
                | ChangeKind::Modified
                | ChangeKind::Deleted
                | ChangeKind::Renamed
                | ChangeKind::TypeChanged,
            ) => changes.n_unstaged += 1,
            None => {}
        }
    }
    let paths = content::paths(repo, &kept, &not_work)?;
    let read = |path: &[u8]| hidden::content(&repository.top, Path::new(OsStr::from_bytes(path)), false).ok();
    changes.tests = uncommitted_tests(repo, head.commit(), paths.as_deref().unwrap_or_default(), read)?;
    let name = content::name(repo, repository, tree, (&kept, paths), (contents, ask.now))?;
    changes.n_paths = u32::try_from(kept.len()).unwrap_or(u32::MAX);
    changes.files = kept
        .into_iter()
        .take(MAX_FILES)
        .map(|entry| {
            changes.on_disk.push(on_disk::look(repository, &entry.path));
            ChangedFile { path: shown(&entry.path), staged: entry.staged, unstaged: entry.unstaged }
        })
        .collect();
    changes.hidden = hidden::behind_flags(repository, &marks.passed_over);
    changes.hidden.retain(|file| !not_work.is_noise(file.path.as_bytes()));
    Ok((changes, name))
}
