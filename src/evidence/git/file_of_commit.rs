//! The content of one file in one commit, by either reader. Reads objects only: no filter runs, and the work
//! tree is not looked at.

use std::path::Path;

use super::GitAsk;
use super::readers::{Purpose, Readers, is_allowed};
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
