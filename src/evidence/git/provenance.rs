//! Finds where a file's content comes from: what a given commit has at its path, and since when HEAD has had
//! it. Works with either reader.
//!
//! Reads only objects: no filter runs, and the work tree is not read.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::GitAsk;
use super::file_state::FileState;
use super::memory::GitMemory;
use super::reader::Repo;
use super::readers::{Purpose, Readers, is_allowed};
use super::traces::{ContentOrigin, Opened, Trace};
use crate::git::{self, Read, Repository, foreign_owner};
use crate::model::{CommitId, Timestamp};

/// What `commit` has at `name` in the folder `workspace`; `None` if there is no repository, or no regular file
/// of at most `most` bytes at that path. Blocks.
pub fn file_of_commit(
    workspace: &Path,
    name: &str,
    commit: CommitId,
    most: usize,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
) -> Read<Option<Vec<u8>>> {
    let found =
        in_repository(workspace, name, ask, memory, &mut |repo, _, path| repo.file(commit, path, most));
    Ok(found?.flatten())
}

/// The log of HEAD is followed back over at most this many moves.
const MAX_MOVES: usize = 1_000;

/// Where `content`, which the work tree has at `name`, comes from. Blocks.
pub fn provenance(
    workspace: &Path,
    name: &str,
    content: &[u8],
    baseline: Option<CommitId>,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
) -> Read<ContentOrigin> {
    let digest: [u8; 32] = Sha256::digest(content).into();
    if let Some(known) = memory.traces.known(name, &digest, baseline) {
        return Ok(known);
    }
    let is_for_once = memory.is_for_once;
    let mut read_from = None;
    let found = in_repository(workspace, name, ask, memory, &mut |repo, repository, path| {
        // Taken before the log is read, so that a later change is seen next time.
        let places = || {
            let (folder, log) = git::log_file(repository, "HEAD");
            [repository.top.join(".git"), folder.join(log)].map(FileState::now)
        };
        read_from = (repository.has_ref_files() && !is_for_once).then(places);
        traced(repo, path, content, baseline)
    })?;
    let provenance = found.unwrap_or_default();
    if let Some(read_from) = read_from {
        let name = name.to_owned();
        memory.traces.keep(Trace { name, content: digest, baseline, read_from, provenance });
    }
    Ok(provenance)
}

fn traced(repo: &dyn Repo, path: &str, content: &[u8], baseline: Option<CommitId>) -> Read<ContentOrigin> {
    let has = |commit: CommitId| -> Read<bool> {
        let file = repo.file(commit, path, content.len())?;
        Ok(file.as_deref() == Some(content))
    };
    let is_of_baseline = baseline.map(&has).transpose()?.unwrap_or_default();
    let mut since = None;
    for (at, moved) in repo.reflog("HEAD")?.iter().rev().enumerate() {
        if at == MAX_MOVES {
            // Nobody looked further, so that it may be of any age.
            since = Some(Timestamp(0));
            break;
        }
        let found = repo.commits(moved.new.as_slice())?;
        let Some(commit) = found.into_iter().flatten().next() else { break };
        if !has(commit.id)? {
            break;
        }
        // Content that was checked out is as old as its commit, and content that was merged as what was merged.
        let mut time = moved.time.min(commit.time);
        for merged in repo.commits(commit.parents.get(1..).unwrap_or_default())?.into_iter().flatten() {
            if has(merged.id)? {
                time = time.min(merged.time);
            }
        }
        since = Some(Timestamp(time.saturating_mul(1000)));
    }
    Ok(ContentOrigin { is_of_baseline, since })
}

/// Runs `read` on the repository of `workspace`, with the path of `name` from the top.
fn in_repository<T>(
    workspace: &Path,
    name: &str,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
    read: &mut dyn FnMut(&dyn Repo, &Repository, &str) -> Read<T>,
) -> Read<Option<T>> {
    let path = workspace.join(name);
    let found = with_repository(workspace, ask, memory, &mut |repo, repository| {
        let path = path.strip_prefix(&repository.top).ok().and_then(Path::to_str);
        path.map(|path| read(repo, repository, path)).transpose()
    })?;
    Ok(found.flatten())
}

/// Runs `read` on the repository of `workspace`, if there is one: the one that this collection has open.
pub(super) fn with_repository<T>(
    workspace: &Path,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
    read: &mut dyn FnMut(&dyn Repo, &Repository) -> Read<T>,
) -> Read<Option<T>> {
    let opened = match memory.opened.take() {
        Some(opened) => Some(*opened),
        None => find(workspace, ask)?,
    };
    let Some(Opened { repository, handle }) = opened else { return Ok(None) };
    let mut readers = Readers::over(&repository, ask, handle);
    let found = readers.read(Purpose::Facts, &mut |repo| read(repo, &repository));
    let handle = readers.into_handle();
    memory.opened = Some(Box::new(Opened { repository, handle }));
    found.map(|(found, _)| Some(found))
}

/// The repository of `workspace`, if it may be read.
fn find(workspace: &Path, ask: &GitAsk<'_>) -> Read<Option<Opened>> {
    let Some(repository) = Repository::find(workspace)? else { return Ok(None) };
    repository.check(false)?;
    if repository.foreign_place().is_some() && !is_allowed(&repository, ask)? {
        return Err(foreign_owner());
    }
    Ok(Some(Opened { repository, handle: None }))
}
