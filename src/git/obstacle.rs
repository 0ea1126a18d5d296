//! Finds what most likely keeps git from answering: it opens files without a look at their kind or size, waits for ever
//! where a FIFO stands, and takes as much memory as a rule file is long.
//!
//! It must not open what it finds or look for long, and follows links only in a git directory.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::object_folders::{object_folders, waited_for};
use super::repository::Repository;
use super::user_files::{MAX_WHOLE, is_waited_for, named_in_the_way};
use crate::disk::Folder;
use crate::model::display_text;

/// The files that git reads as a whole to learn of others: in the work tree, and in `info` of a git directory.
const RULES: [&str; 5] = [".gitattributes", ".gitignore", ".gitmodules", "attributes", "exclude"];
/// What git opens in a worktree's git directory, whatever it is asked for.
const OWN: [&str; 2] = ["HEAD", "config.worktree"];
/// The same in the git directory that all worktrees share.
const SHARED: [&str; 4] = ["config", "info/grafts", "packed-refs", "shallow"];
/// What it opens, or a shadow is filled with, for the index and the work tree: in a worktree's git directory.
const OWN_OF_FILES: [&str; 2] = ["index", "info/sparse-checkout"];
/// The same in the git directory that all worktrees share.
const SHARED_OF_FILES: [&str; 2] = ["info/attributes", "info/exclude"];
/// How many files and folders are looked at: in the work tree, and in all the git directories and folders of objects.
const MAX_LOOKED_AT: usize = 20_000;
/// How many folders with ignore rules that hang are told.
const MAX_TOLD: usize = 16;

impl Repository {
    /// What is in git's way, in words: the first that is found in a git directory, in a folder of objects elsewhere, in the git
    /// directory of a repository inside, in the place of a rule file of the work tree, or of a file that settings name. `home` is the user's.
    pub fn obstacle(&self, home: Option<&Path>) -> Option<String> {
        let is_opened =
            |path: &Path| is_rule_file(path) || path.components().any(|part| part.as_os_str() == ".git");
        let mut n_left = MAX_LOOKED_AT;
        let mut in_git = |folder: &Path| first_in(folder, &mut n_left, |found| found.obstacle(|_| true));
        in_git(&self.git_dir)
            .or_else(|| if self.is_linked() { in_git(&self.common_dir) } else { None })
            .or_else(|| {
                let others = object_folders(&self.common_dir).into_iter();
                let mut outside = others.filter(|folder| !folder.starts_with(&self.common_dir));
                outside.find_map(|folder| in_git(&folder))
            })
            .or_else(|| first_in(&self.top, &mut { MAX_LOOKED_AT }, |found| found.obstacle(is_opened)))
            .or_else(|| named_in_the_way(&self.common_dir.join("config"), home))
    }

    /// The first file of the git directories, or of the folders of objects, that git would wait for whatever it is asked for, in
    /// words.
    pub fn hanging_file(&self) -> Option<String> {
        let in_objects = || waited_for(&object_folders(&self.common_dir));
        self.first_hanging(&OWN, &SHARED).or_else(|| in_objects().map(|path| says_no_file(&path)))
    }

    /// The first that it would wait for when it is asked about the index or the work tree, in words.
    pub fn hanging_file_of_files(&self) -> Option<String> {
        self.hanging_file().or_else(|| self.first_hanging(&OWN_OF_FILES, &SHARED_OF_FILES))
    }

    fn first_hanging(&self, own: &[&str], shared: &[&str]) -> Option<String> {
        let own = own.iter().map(|name| self.git_dir.join(name));
        let mut all = own.chain(shared.iter().map(|name| self.common_dir.join(name)));
        all.find(|path| is_waited_for(path)).map(|path| says_no_file(&path))
    }

    /// The folders of the work tree, relative to the top and the outermost first, in which git would wait for the ignore rules,
    /// if it enters them: not those of repositories inside.
    pub fn folders_with_hanging_rules(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        first_in(&self.top, &mut { MAX_LOOKED_AT }, |found| {
            let folder = found.path.parent()?.strip_prefix(&self.top).ok()?;
            let has_git = |at: &Path| !at.as_os_str().is_empty() && self.top.join(at).join(".git").exists();
            if found.path.ends_with(".gitignore") && found.is_waited_for() && !folder.ancestors().any(has_git)
            {
                folders.push(folder.to_owned());
            }
            (folders.len() >= MAX_TOLD).then_some(())
        });
        folders
    }

    /// Adds what is in the way where git says only that it lacks memory.
    pub(super) fn explain(&self, stderr: &mut Vec<u8>, home: Option<&Path>) {
        let text = String::from_utf8_lossy(stderr);
        if text.contains("Out of memory")
            && let Some(obstacle) = self.obstacle(home)
        {
            *stderr = format!("{}; {obstacle}\n", text.trim_end()).into_bytes();
        }
    }
}

/// Says what stands in the place of a file that git opens.
pub fn says_no_file(path: &Path) -> String {
    format!("{} is a FIFO or a device, not a file", display_text::path(path))
}

/// Says what comes of that.
pub fn says_waiting(no_file: &str) -> String {
    format!("{no_file}, and git would wait for it")
}

fn is_rule_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| RULES.iter().any(|rule| name == *rule))
}

/// Whether git takes as much memory as this file is long: it reads rules and references as a whole.
fn is_read_whole(path: &Path) -> bool {
    is_rule_file(path) || path.components().any(|part| part.as_os_str() == "refs")
}

/// What was found in a folder.
struct Found<'f> {
    path: PathBuf,
    kind: FileType,
    folder: &'f Folder,
}

impl Found<'_> {
    /// Whether git waits where it is opened.
    fn is_waited_for(&self) -> bool {
        matches!(self.kind, FileType::Fifo | FileType::CharacterDevice | FileType::BlockDevice)
    }

    /// What it is, in words, if it is in git's way and at a path that git opens.
    fn obstacle(&self, is_opened: impl Fn(&Path) -> bool) -> Option<String> {
        let path = &self.path;
        if self.is_waited_for() {
            return is_opened(path).then(|| says_no_file(path));
        }
        if self.kind != FileType::RegularFile || !is_read_whole(path) || !is_opened(path) {
            return None;
        }
        let size = self.folder.stat(path.file_name()?).map_or(0, |stat| stat.st_size.cast_unsigned());
        let shown = display_text::path(path);
        (size > MAX_WHOLE).then(|| format!("{shown} has {} MiB, and git reads it whole", size >> 20))
    }
}

/// Looks at what is below a folder, by level, until `look` answers or has looked at `n_left`, which counts down.
fn first_in<T>(top: &Path, n_left: &mut usize, mut look: impl FnMut(&Found<'_>) -> Option<T>) -> Option<T> {
    let mut next = VecDeque::from([top.to_owned()]);
    while let Some(path) = next.pop_front() {
        let Ok(folder) = Folder::open_unlinked(&path) else { continue };
        let Ok(entries) = folder.entries() else { continue };
        for entry in entries.flatten() {
            if *n_left == 0 {
                return None;
            }
            *n_left -= 1;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let place = path.join(name);
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = folder.kind(name).unwrap_or(FileType::Unknown);
            }
            if kind == FileType::Directory {
                next.push_back(place);
            } else if let Some(answer) = look(&Found { path: place, kind, folder: &folder }) {
                return Some(answer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_folders_share_one_limit() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::fs::write(top.join("file"), "").unwrap();
        let mut n_left = 7;
        let mut found = || first_in(&top, &mut n_left, |found| found.path.ends_with("file").then_some(()));
        let n_found = (0..20).filter(|_| found().is_some()).count();
        assert!((2..=7).contains(&n_found), "{n_found}");
        assert_eq!(n_left, 0);
    }
}
