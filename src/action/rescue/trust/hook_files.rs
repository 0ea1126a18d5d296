//! Reads the files in a hooks folder. It must not run any of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::whole_file::{self, file_id};
use crate::action::rescue::base::{FileId, RescueError};

/// The hooks that `git commit` runs.
const COMMIT_HOOKS: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];

/// A file: path, identity before it was read, content.
pub(crate) type ReadFile = (PathBuf, Option<FileId>, Vec<u8>);

/// Reads the files in the hooks folder and one level below; also those of a hook manager beside it.
pub(crate) fn read(folder: &Path, top: &Path, cap: u64) -> Result<Vec<ReadFile>, RescueError> {
    let mut files = BTreeSet::new();
    for folder in BTreeSet::from([folder.to_owned(), whole(folder, top)]) {
        for path in children(&folder) {
            if path.is_dir() {
                files.extend(children(&path));
            } else {
                files.insert(path);
            }
        }
    }
    let mut contents = Vec::new();
    for path in files {
        let is_sample = path.extension().is_some_and(|extension| extension == "sample");
        let Ok(real) = path.canonicalize() else { continue };
        let id = file_id(&real);
        if !is_sample
            && real.metadata().is_ok_and(|metadata| metadata.is_file())
            && let Some(content) = whole_file::read(&real, cap)?
        {
            contents.push((path, id, content));
        }
    }
    Ok(contents)
}

/// The folder with everything that belongs to the hooks. With husky and similar tools, the scripts that hooks call lie
/// beside the folder `_`.
pub(crate) fn whole(folder: &Path, top: &Path) -> PathBuf {
    let parent = folder.parent().filter(|parent| *parent != top);
    let parent = parent.filter(|_| folder.starts_with(top) && folder.ends_with("_"));
    parent.unwrap_or(folder).to_owned()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map_or_else(|_| Vec::new(), |entries| entries.flatten().map(|it| it.path()).collect())
}

/// The commit hooks that git would run from this folder.
pub(crate) fn of_commit(folder: &Path) -> BTreeMap<&'static str, PathBuf> {
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|it| it.is_file() && it.mode() & 0o100 != 0);
    COMMIT_HOOKS
        .into_iter()
        .map(|name| (name, folder.join(name)))
        .filter(|(_, path)| is_program(path))
        .collect()
}
