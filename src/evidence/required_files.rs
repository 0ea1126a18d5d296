//! Finds files below a workspace, named exactly or by a pattern.
//!
//! `*` and `?` match within one name but not a leading dot, `**` matches any number of folders. Links are
//! not followed and `.git` is not entered. A walk that did not see everything says so ([`Matching::not_seen`]):
//! what it found exists, what it did not find may exist too.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::untrusted_file::{FileReach, WorkspaceDir};
use crate::disk::{Folder, matches_name};
use crate::model::FileCheck;

/// How many directory entries are examined per pattern.
const MAX_ENTRIES: usize = 50_000;
/// How many are examined for all patterns of one reading together: an agent can name any number of them.
const MAX_OF_ALL: usize = 4 * MAX_ENTRIES;
/// How deep a walk goes, in folders.
const DEEPEST: usize = 32;
/// How many files are looked for that match a required pattern.
const MAX_FOUND: usize = 8;

/// The files that match a pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matching {
    /// Their paths from the workspace, sorted.
    pub(super) paths: Vec<String>,
    /// Why there may be more of them; `None` if these are all.
    pub(super) not_seen: Option<NotSeen>,
}

/// Why a walk did not see every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotSeen {
    /// It ended after this many matching files, which was asked for.
    #[error("more than {0} files match")]
    Files(usize),
    /// It ended at its limit of entries.
    #[error(
        "more files and folders would have to be searched for a match than the {MAX_ENTRIES} of a pattern, or the {MAX_OF_ALL} of all"
    )]
    Entries,
    /// It does not enter folders this deep.
    #[error("folders more than {DEEPEST} deep were not searched")]
    Depth,
    /// A folder could not be read.
    #[error("a folder that may hold a match cannot be read")]
    Folder,
}

/// Whether each of these files exists: a regular file that is not empty.
pub(super) fn check_files(directory: &WorkspaceDir, names: &[String]) -> Vec<FileCheck> {
    let mut search = Search::default();
    let check = |name: &String| {
        if is_pattern(name) {
            let Matching { paths: found, not_seen } = search.matching_files(directory, name, MAX_FOUND);
            let not_seen = not_seen.filter(|_| found.is_empty()).map(|why| why.to_string());
            return FileCheck { name: name.clone(), found, is_empty: false, not_seen };
        }
        let size = directory.open_file(name, FileReach::Workspace).map(|file| file.size).ok();
        let found = size.filter(|size| *size > 0).map(|_| name.clone());
        let found = found.into_iter().collect();
        FileCheck { name: name.clone(), found, is_empty: size == Some(0), not_seen: None }
    };
    names.iter().map(check).collect()
}

/// Whether a name contains wildcards.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The search of one reading, for all of its patterns.
pub(super) struct Search {
    /// How many entries may still be examined.
    n_left: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search { n_left: MAX_OF_ALL }
    }
}

impl Search {
    /// The regular, non-empty files that match. After `most` of them, which are then an arbitrary selection, the
    /// walk ends.
    pub(super) fn matching_files(
        &mut self,
        directory: &WorkspaceDir,
        pattern: &str,
        most: usize,
    ) -> Matching {
        let Some(parts) = pattern_parts(pattern) else { return Matching::default() };
        let max_entries = self.n_left.min(MAX_ENTRIES);
        let mut walk = Walk { n_entries: 0, max_entries, most, found: BTreeSet::new(), not_seen: None };
        walk.enter(directory.folder(), "", &parts, 0);
        self.n_left = self.n_left.saturating_sub(walk.n_entries);
        Matching { paths: walk.found.into_iter().collect(), not_seen: walk.not_seen }
    }
}

/// The names in a pattern; `None` if it leads out of the workspace.
fn pattern_parts(pattern: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    parts.dedup_by(|next, before| *next == "**" && *before == "**");
    (!parts.is_empty()).then_some(parts)
}

struct Walk {
    n_entries: usize,
    max_entries: usize,
    most: usize,
    found: BTreeSet<String>,
    not_seen: Option<NotSeen>,
}

impl Walk {
    /// Searches `folder`, whose path from the workspace is `path`, for matches of `parts`.
    fn enter(&mut self, folder: &Folder, path: &str, parts: &[&str], depth: usize) {
        let Some((part, rest)) = parts.split_first() else { return };
        if depth > DEEPEST {
            self.not_seen = self.not_seen.or(Some(NotSeen::Depth));
            return;
        }
        if *part == "**" {
            self.enter(folder, path, rest, depth);
        }
        if self.is_over() {
            return;
        }
        if !is_pattern(part) {
            self.try_entry(folder, path, part, rest, depth);
            return;
        }
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) => return self.on_unreadable(error),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.on_unreadable(error),
            };
            self.n_entries += 1;
            if self.is_over() {
                return;
            }
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | ".." | ".git") {
                continue;
            }
            if *part == "**" {
                // A trailing `**` matches every file below.
                let is_hidden = name.starts_with('.');
                if !is_hidden && rest.is_empty() {
                    self.try_entry(folder, path, name, &[], depth);
                }
                if !is_hidden && entry.file_type() != FileType::RegularFile {
                    self.try_entry(folder, path, name, parts, depth);
                }
            } else if matches_name(part, name) {
                self.try_entry(folder, path, name, rest, depth);
            }
        }
    }

    /// Takes the entry if nothing is left to match, else enters it.
    fn try_entry(&mut self, folder: &Folder, path: &str, name: &str, rest: &[&str], depth: usize) {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        if rest.is_empty() {
            let is_file = folder.stat(name).is_ok_and(|stat| {
                FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_size > 0
            });
            if is_file {
                self.take(path);
            }
            return;
        }
        match folder.folder(Path::new(name)) {
            Ok(inner) => self.enter(&inner, &path, rest, depth + 1),
            Err(error) => self.on_unreadable(error),
        }
    }

    /// Takes a matching file; one more than asked for is only noted.
    fn take(&mut self, path: String) {
        if self.found.len() < self.most {
            self.found.insert(path);
        } else if !self.found.contains(&path) {
            self.not_seen = Some(NotSeen::Files(self.most));
        }
    }

    /// What is no folder, is a link, or is gone has no files. Any other folder may.
    fn on_unreadable(&mut self, error: Errno) {
        if !matches!(error, Errno::NOTDIR | Errno::LOOP | Errno::NOENT | Errno::XDEV) {
            self.not_seen = self.not_seen.or(Some(NotSeen::Folder));
        }
    }

    /// Whether the walk ends here.
    fn is_over(&mut self) -> bool {
        if self.n_entries > self.max_entries {
            self.not_seen = self.not_seen.or(Some(NotSeen::Entries));
        }
        matches!(self.not_seen, Some(NotSeen::Files(_) | NotSeen::Entries))
    }
}
