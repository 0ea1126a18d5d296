//! Which files of a work tree git ignores: what no commit will hold, and no list of changes shows.
//!
//! Reads ignore rules and the index only; no filter runs.

use std::path::Path;

use super::GitAsk;
use super::memory::GitMemory;
use super::provenance::with_repository;
use crate::git::Read;

/// Those of `files` (absolute) that are there, in the work tree of `workspace`, and ignored, from its top. Blocks.
pub fn ignored(
    workspace: &Path,
    files: &[String],
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
) -> Read<Vec<String>> {
    let found = with_repository(workspace, ask, memory, &mut |repo, repository| {
        let is_there = |path: &&str| repository.top.join(path).symlink_metadata().is_ok();
        let paths: Vec<&str> = files
            .iter()
            .filter_map(|file| Path::new(file).strip_prefix(&repository.top).ok()?.to_str())
            .filter(|path| !path.is_empty() && !path.starts_with(".git/"))
            .filter(is_there)
            .collect();
        let is_ignored = if paths.is_empty() { Vec::new() } else { repo.are_ignored(&paths)? };
        let ignored = paths.iter().zip(is_ignored).filter(|(_, is_ignored)| *is_ignored);
        Ok(ignored.map(|(path, _)| (*path).to_owned()).collect::<Vec<String>>())
    })?;
    Ok(found.unwrap_or_default())
}
