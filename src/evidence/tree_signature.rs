//! Captures what a workspace looks like at one moment, so that changes between two moments are noticed:
//! where its branches are, and the size and times of each uncommitted file. Ignored files are left out,
//! since other programs write them all the time.
//!
//! It reads names and times, never content, and says when it could not examine everything.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::model::{GitFacts, GitObservation, Reading};

/// How many files are examined.
const MAX_FILES: usize = 20_000;
/// How many differences are named.
const MAX_NAMED: usize = 5;

/// What a workspace looks like at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSignature {
    /// HEAD and the counts of commits and changes, in words. Empty without git.
    repository: Vec<String>,
    files: BTreeMap<PathBuf, Mark>,
    /// Whether there is more than was examined.
    pub is_cut: bool,
}

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    size: u64,
    mode: u32,
    inode: u64,
    modified: (i64, i64),
}

impl Mark {
    fn of(metadata: &Metadata) -> Mark {
        // A folder's size and time change with its contents, which are examined separately.
        let (size, modified) = if metadata.is_dir() {
            (0, (0, 0))
        } else {
            (metadata.len(), (metadata.mtime(), metadata.mtime_nsec()))
        };
        Mark { size, mode: metadata.mode(), inode: metadata.ino(), modified }
    }
}

/// The signature of `workspace`. `git` is a reading that includes uncommitted changes; without one, all
/// files are examined.
pub fn tree_signature(workspace: &Path, git: &Reading<GitObservation>) -> TreeSignature {
    let mut signature = TreeSignature { repository: Vec::new(), files: BTreeMap::new(), is_cut: false };
    match git.present() {
        Some(git) if git.facts.changes.is_some() => {
            signature.repository = repository(&git.facts);
            let changes = git.facts.changes.as_ref();
            for file in changes.into_iter().flat_map(|changes| &changes.files) {
                signature.add(&git.top.join(&file.path));
            }
            let n_listed = changes.map_or(0, |changes| changes.files.len());
            signature.is_cut |= changes.is_some_and(|changes| changes.n_paths as usize > n_listed);
        }
        Some(_) | None => signature.add(workspace),
    }
    signature
}

fn repository(facts: &GitFacts) -> Vec<String> {
    let commits = &facts.commits;
    let mut lines = vec![
        format!("HEAD: {:?}", facts.head),
        format!(
            "commits: {} new, {} from elsewhere, {} empty, {} on other branches, {} landed, {} lost",
            commits.n_new + commits.n_rescued,
            commits.n_foreign,
            commits.n_empty,
            commits.n_elsewhere,
            commits.n_landed,
            commits.n_lost
        ),
        format!("stash: {}", facts.n_stashed),
        format!("operation: {:?}", facts.operation),
    ];
    if let Some(changes) = &facts.changes {
        let counts = [changes.n_staged, changes.n_unstaged, changes.n_untracked, changes.n_conflicted];
        lines.push(format!("changes: {counts:?} in {} paths", changes.n_paths));
        lines.extend(changes.files.iter().map(|file| format!("{file:?}")));
    }
    lines
}

impl TreeSignature {
    /// Adds a file, or a folder with everything in it except `.git` folders. Links are not followed.
    fn add(&mut self, path: &Path) {
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            if self.files.len() >= MAX_FILES {
                self.is_cut = true;
                return;
            }
            let Ok(metadata) = path.symlink_metadata() else { continue };
            if metadata.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                let entries = std::fs::read_dir(&path).into_iter().flatten();
                open.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
            }
            self.files.insert(path, Mark::of(&metadata));
        }
    }

    /// The differences to a `later` signature, in words. Empty if there are none. Contains untrusted text.
    pub fn differences(&self, later: &TreeSignature, workspace: &Path) -> Vec<String> {
        if self == later {
            return Vec::new();
        }
        let paths = self.files.keys().chain(later.files.keys());
        let mut changed: Vec<String> = paths
            .filter(|path| self.files.get(*path) != later.files.get(*path))
            .map(|path| path.strip_prefix(workspace).unwrap_or(path).display().to_string())
            .collect();
        changed.sort();
        changed.dedup();
        let n_left_out = changed.len().saturating_sub(MAX_NAMED);
        changed.truncate(MAX_NAMED);
        if n_left_out > 0 {
            changed.push(format!("{n_left_out} more"));
        }
        if changed.is_empty() {
            changed.push("the repository itself (commits, branches or the index)".to_owned());
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without git, every file counts.
    #[test]
    fn a_folder_without_a_repository_is_looked_at_as_a_whole() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::fs::write(top.join("a/b/file"), "x").unwrap();
        let look = || tree_signature(top, &Reading::NotConfigured);
        let before = look();
        assert_eq!(before.differences(&look(), top), Vec::<String>::new());
        std::fs::write(top.join("a/b/new"), "x").unwrap();
        assert_eq!(before.differences(&look(), top), ["a/b/new"]);
        std::fs::remove_file(top.join("a/b/new")).unwrap();
        std::fs::write(top.join("a/b/file"), "xy").unwrap();
        assert_eq!(before.differences(&look(), top), ["a/b/file"]);
    }
}
