//! Finds files below a workspace, named exactly or by a pattern.
//!
//! `*` and `?` match within one name but not a leading dot, `**` matches any number of folders. Links are
//! not followed and `.git` is not entered. A walk that reaches its limit returns what it has found so far.

use std::path::{Component, Path};

use rustix::fs::FileType;

use super::untrusted_file::{FileReach, WorkspaceDir};
use crate::disk::Folder;
use crate::model::FileCheck;

/// How many directory entries are examined per pattern.
const MOST_ENTRIES: usize = 50_000;
/// How deep a walk goes, in folders.
const DEEPEST: usize = 32;

/// Whether each of these files exists: a regular file that is not empty.
pub(super) fn check_files(directory: &WorkspaceDir, names: &[String]) -> Vec<FileCheck> {
    let check = |name: &String| {
        let is_there = if is_pattern(name) {
            !matching_files(directory, name, 1).is_empty()
        } else {
            directory.open_file(name, FileReach::Workspace).is_ok_and(|file| file.size > 0)
        };
        FileCheck { name: name.clone(), is_there }
    };
    names.iter().map(check).collect()
}

/// Whether a name contains wildcards.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The paths, relative to the workspace, of the regular, non-empty files that match, sorted. Stops after
/// `most` files, which are then an arbitrary selection.
pub(super) fn matching_files(directory: &WorkspaceDir, pattern: &str, most: usize) -> Vec<String> {
    let Some(parts) = pattern_parts(pattern) else { return Vec::new() };
    let mut walk = Walk { n_entries: 0, most, found: Vec::new() };
    walk.enter(directory.folder(), "", &parts, 0);
    walk.found.sort();
    walk.found.dedup();
    walk.found
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
    most: usize,
    found: Vec<String>,
}

impl Walk {
    /// Searches `folder`, whose path from the workspace is `path`, for matches of `parts`.
    fn enter(&mut self, folder: &Folder, path: &str, parts: &[&str], depth: usize) {
        let Some((part, rest)) = parts.split_first() else { return };
        if depth > DEEPEST || self.is_over() {
            return;
        }
        if *part == "**" {
            self.enter(folder, path, rest, depth);
        }
        if !is_pattern(part) {
            self.try_entry(folder, path, part, rest, depth);
            return;
        }
        let Ok(entries) = folder.entries() else { return };
        for entry in entries.flatten() {
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
                self.found.push(path);
            }
            return;
        }
        if let Ok(inner) = folder.folder(Path::new(name)) {
            self.enter(&inner, &path, rest, depth + 1);
        }
    }

    fn is_over(&self) -> bool {
        self.found.len() >= self.most || self.n_entries > MOST_ENTRIES
    }
}

/// Whether `name` matches `pattern`. Takes time proportional to the product of their lengths.
fn matches_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at_pattern, mut at_name) = (0, 0);
    // Where to resume after the last `*`, which then matches one more character.
    let mut star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match pattern.get(at_pattern) {
            Some('*') => {
                star = Some((at_pattern, at_name));
                at_pattern += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[at_name] => {
                at_pattern += 1;
                at_name += 1;
            }
            Some(_) | None => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                at_pattern = after + 1;
                at_name = taken + 1;
            }
        }
    }
    pattern[at_pattern..].iter().all(|sign| *sign == '*')
}
