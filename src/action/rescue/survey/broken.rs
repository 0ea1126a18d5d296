//! What is ignored in a repository inside that is broken: what the rules around it match, and its index does not name. Its
//! own rules match nothing, since git, which takes it for a plain folder, would apply them to what it tracks.
//!
//! It must not run git in that repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::around::{above, ignored_around};
use crate::action::rescue::survey::{SeenIndex, nested};
use crate::disk;
use crate::git::{Git, Shadow, index_entries};

/// The longest file of rules that is asked about, in bytes.
const RULES_CAP: u64 = 4 << 20;

/// What is ignored of these paths below `folder`.
pub(crate) fn ignored(
    git: &Git<'_>,
    shadow: &Shadow,
    folder: &[u8],
    paths: &BTreeSet<Vec<u8>>,
) -> Result<BTreeSet<Vec<u8>>, RescueError> {
    let place = shadow.folder();
    let top = tempfile::tempdir_in(place).map_err(RescueError::io("make a folder in", place))?;
    copy_rules(&git.repo.top, folder, top.path())?;
    let mut without = git.repo.clone();
    top.path().clone_into(&mut without.top);
    let mut ignored = ignored_around(&git.on(&without), shadow, paths.iter().map(|path| &path[..]))?;
    if !ignored.is_empty() {
        for path in tracked(git, shadow, folder)? {
            ignored.remove(&[folder, b"/", &path].concat());
        }
    }
    Ok(ignored)
}

/// Copies the rules around `folder`, up to the next repository, into an empty work tree: there git finds none below it.
fn copy_rules(top: &Path, folder: &[u8], copy: &Path) -> Result<(), RescueError> {
    for above in above(folder) {
        let from = nested::folder(top, above);
        if !above.is_empty() && fs::symlink_metadata(from.join(".git")).is_ok() {
            break;
        }
        let rules = from.join(".gitignore");
        // Git follows no link here.
        if rules.is_symlink() {
            continue;
        }
        if let Some(content) = disk::read(&rules, RULES_CAP).map_err(RescueError::io("read", &rules))? {
            let to = nested::folder(copy, above);
            let written = fs::create_dir_all(&to).and_then(|()| fs::write(to.join(".gitignore"), content));
            written.map_err(RescueError::io("write in", &to))?;
        }
    }
    Ok(())
}

/// What it tracks, as far as it has an index.
fn tracked(git: &Git<'_>, shadow: &Shadow, folder: &[u8]) -> Result<Vec<Vec<u8>>, RescueError> {
    let git_dir = nested::folder(&git.repo.top, folder).join(".git");
    if !fs::symlink_metadata(&git_dir).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(Vec::new());
    }
    let Some(raw) = SeenIndex::read(&git_dir.join("index"))?.raw else { return Ok(Vec::new()) };
    let index = shadow.file("broken");
    raw.write(&index).map_err(RescueError::io("write", &index))?;
    Ok(index_entries(git, shadow, &index)?.into_iter().map(|entry| entry.path).collect())
}
