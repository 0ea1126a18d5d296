//! The content of one file in one commit, by either reader. Reads objects only: no filter runs, and the work
//! tree is not looked at.

use std::path::Path;

use super::GitAsk;
use super::reader::Repo;
use super::readers::{Purpose, Readers, is_allowed};
use crate::git::{Read, Repository, foreign_owner};
use crate::model::Timestamp;

/// What `commit` has at `name` in the folder `workspace`; `None` where there is no repository, or no
/// regular file of at most `most` bytes. Blocks.
pub fn file_of_commit(
    workspace: &Path,
    name: &str,
    commit: &str,
    most: usize,
    ask: &GitAsk<'_>,
) -> Read<Option<Vec<u8>>> {
    let content = in_repository(workspace, name, ask, &mut |repo, path| repo.file(commit, path, most))?;
    Ok(content.flatten())
}

/// Where a file's content comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The baseline's commit has the same.
    pub is_of_baseline: bool,
    /// HEAD has the same here at least since then; `None` where it has another, or none.
    pub since: Option<Timestamp>,
}

/// How far back the log of HEAD is followed.
const MOST_MOVES: usize = 32;

/// Where `content`, which the work tree has at `name`, comes from. Blocks.
pub fn provenance(
    workspace: &Path,
    name: &str,
    content: &[u8],
    baseline: Option<&str>,
    ask: &GitAsk<'_>,
) -> Read<Provenance> {
    let found = in_repository(workspace, name, ask, &mut |repo, path| {
        let has = |commit: &str| -> Read<bool> {
            let file = repo.file(commit, path, content.len())?;
            Ok(file.as_deref() == Some(content))
        };
        let is_of_baseline = baseline.map(&has).transpose()?.unwrap_or_default();
        let mut since = None;
        for moved in repo.reflog("HEAD")?.iter().rev().take(MOST_MOVES) {
            let found = repo.commits(std::slice::from_ref(&moved.new))?;
            let Some(commit) = found.into_iter().flatten().next() else { break };
            if !has(&commit.id)? {
                break;
            }
            // What was checked out is as old as its commit.
            since = Some(Timestamp(moved.time.min(commit.time).saturating_mul(1000)));
        }
        Ok(Provenance { is_of_baseline, since })
    })?;
    Ok(found.unwrap_or_default())
}

/// Asks the repository of `workspace` for the file `name` there, by its path from the top.
fn in_repository<T>(
    workspace: &Path,
    name: &str,
    ask: &GitAsk<'_>,
    read: &mut dyn FnMut(&dyn Repo, &str) -> Read<T>,
) -> Read<Option<T>> {
    let Some(repository) = Repository::find(workspace)? else { return Ok(None) };
    repository.check(false)?;
    if repository.foreign_place().is_some() && !is_allowed(&repository, ask)? {
        return Err(foreign_owner());
    }
    let path = workspace.join(name);
    let Some(path) = path.strip_prefix(&repository.top).ok().and_then(Path::to_str) else { return Ok(None) };
    let mut readers = Readers::new(&repository, ask);
    let (found, _) = readers.read(Purpose::Facts, &mut |repo| read(repo, path))?;
    Ok(Some(found))
}
