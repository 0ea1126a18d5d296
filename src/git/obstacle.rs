//! Finds what most likely keeps git from answering: it opens files without a look at their kind or size, waits for ever
//! where a FIFO stands, and takes as much memory as a rule file is long.
//!
//! It must not open what it finds, follow a link, or look for long.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::FileType;

use super::repository::Repository;
use crate::disk::Folder;
use crate::model::display_text;

/// The files that git reads as a whole to learn of others: in the work tree, and in `info` of a git directory.
const RULES: [&str; 5] = [".gitattributes", ".gitignore", ".gitmodules", "attributes", "exclude"];
/// The longest such file that keeps nobody from answering, in bytes.
pub(super) const MAX_WHOLE: u64 = 64 << 20;
/// How many files and folders are looked at, in each of the places.
const MAX_LOOKED_AT: usize = 20_000;

impl Repository {
    /// What is in git's way, in words: the first that is found in a git directory, in one of a repository inside, or in the
    /// place of a rule file of the work tree.
    pub(super) fn obstacle(&self) -> Option<String> {
        let is_opened =
            |path: &Path| is_rule_file(path) || path.components().any(|part| part.as_os_str() == ".git");
        first_in(&self.git_dir, |_| true)
            .or_else(|| first_in(&self.common_dir, |_| true))
            .or_else(|| first_in(&self.top, is_opened))
    }

    /// Adds what is in the way where git says only that it lacks memory.
    pub(super) fn explain(&self, stderr: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(stderr);
        if text.contains("Out of memory")
            && let Some(obstacle) = self.obstacle()
        {
            *stderr = format!("{}; {obstacle}\n", text.trim_end()).into_bytes();
        }
    }
}

fn is_rule_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| RULES.iter().any(|rule| name == *rule))
}

/// Whether git takes as much memory as this file is long: it reads rules and references as a whole.
fn is_read_whole(path: &Path) -> bool {
    is_rule_file(path) || path.components().any(|part| part.as_os_str() == "refs")
}

/// The first obstacle below a folder, by level, at a path that git opens.
fn first_in(top: &Path, is_opened: impl Fn(&Path) -> bool) -> Option<String> {
    let mut n_looked_at = 0;
    let mut next = VecDeque::from([top.to_owned()]);
    while let Some(path) = next.pop_front() {
        let Ok(folder) = Folder::open_unlinked(&path) else { continue };
        let Ok(entries) = folder.entries() else { continue };
        for entry in entries.flatten() {
            n_looked_at += 1;
            if n_looked_at > MAX_LOOKED_AT {
                return None;
            }
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let place = path.join(name);
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = folder.kind(name).unwrap_or(FileType::Unknown);
            }
            match kind {
                FileType::Directory => next.push_back(place),
                FileType::Fifo | FileType::CharacterDevice if is_opened(&place) => {
                    return Some(format!("{} is no file but a FIFO or a device", display_text::path(&place)));
                }
                FileType::RegularFile if is_read_whole(&place) && is_opened(&place) => {
                    let size = folder.stat(name).map_or(0, |stat| stat.st_size.cast_unsigned());
                    if size > MAX_WHOLE {
                        let shown = display_text::path(&place);
                        return Some(format!("{shown} has {} MiB, and git reads it whole", size >> 20));
                    }
                }
                FileType::RegularFile
                | FileType::Symlink
                | FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => {}
            }
        }
    }
    None
}
