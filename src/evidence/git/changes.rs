//! From the paths that differ to what is shown of them: counted, sorted, capped, evidence left out.

use super::evidence_paths::{paths_from_top, shown};
use super::reader::Repo;
use super::submodules::Walk;
use super::{hidden, on_disk};
use crate::git::{self, Read, Repository};
use crate::model::{ChangeKind, ChangedFile, Changes};

/// So many paths are listed; all are counted.
const MAX_FILES: usize = 200;

/// The uncommitted changes. `evidence` are paths from the workspace that are evidence and not work
/// as long as they are untracked.
pub(super) fn read(
    repo: &dyn Repo,
    repository: &Repository,
    evidence: &[String],
    walk: &mut Walk<'_>,
) -> Read<Changes> {
    let evidence = paths_from_top(repository, evidence);
    let marks = git::index_marks(repository)?;
    let gitlinks = repo.gitlinks(marks.gitlinks)?;
    let (kept, n_evidence_files) =
        walk.entries(repo, repository, (&gitlinks, marks.tree.as_deref()), &evidence)?;
    let mut changes = Changes { n_evidence_files, ..Changes::default() };
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
    Ok(changes)
}
