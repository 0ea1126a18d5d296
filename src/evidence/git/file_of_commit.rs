//! The content of one file in one commit, by either reader. Reads objects only: no filter runs, and the work
//! tree is not looked at.

use std::path::Path;

use super::GitAsk;
use super::readers::{Purpose, Readers, is_allowed};
use super::trouble::libgit2_trouble;
use crate::git::{Read, Repository, foreign_owner};

/// What `commit` has at `name` in the folder `workspace`; `None` where there is no repository, or no
/// regular file of at most `most` bytes. Blocks.
pub fn file_of_commit(
    workspace: &Path,
    name: &str,
    commit: &str,
    most: usize,
    ask: &GitAsk<'_>,
) -> Read<Option<Vec<u8>>> {
    let Some(repository) = Repository::find(workspace)? else { return Ok(None) };
    repository.check(false)?;
    if repository.foreign_place().is_some() && !is_allowed(&repository, ask)? {
        return Err(foreign_owner());
    }
    let Some(path) = workspace.strip_prefix(&repository.top).ok().map(|below| below.join(name)) else {
        return Ok(None);
    };
    let Some(path) = path.to_str() else { return Ok(None) };
    let mut readers = Readers::new(&repository, ask);
    let (content, _) = readers.read(Purpose::Facts, &mut |repo| repo.file(commit, path, most))?;
    Ok(content)
}

/// The mode of a symbolic link in a tree (git's data model).
const SYMLINK: i32 = 0o120_000;

/// The same by libgit2.
pub(super) fn read(
    repository: &Repository,
    handle: &git2::Repository,
    commit: &str,
    path: &str,
    most: usize,
) -> Read<Option<Vec<u8>>> {
    let read = || {
        let tree = handle.find_commit(git2::Oid::from_str(commit)?)?.tree()?;
        let entry = match tree.get_path(Path::new(path)) {
            Ok(entry) => entry,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_file = entry.kind() == Some(git2::ObjectType::Blob) && entry.filemode() != SYMLINK;
        // The size is asked for first: what is too long is never loaded.
        if !is_file || handle.odb()?.read_header(entry.id())?.0 > most {
            return Ok(None);
        }
        Ok(Some(handle.find_blob(entry.id())?.content().to_vec()))
    };
    read().map_err(|error| libgit2_trouble(repository, &error))
}
