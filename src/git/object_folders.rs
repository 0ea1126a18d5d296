//! The folders in which git looks for objects: the repository's own, those that its file `info/alternates` names, and those
//! that the files of these name in turn; and what git would wait for in them.
//!
//! It must not open what could hang, and must come to an end where folders name each other.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::dot_git::resolve;
use super::user_files::is_waited_for;
use crate::disk;

/// How many folders are looked at. Git itself follows such files five deep.
const MAX_FOLDERS: usize = 64;
/// How many lines of such files are looked at, in all.
const MAX_LINES: usize = 1_000;
/// How much of such files is read, in bytes, in all.
const CAP: usize = 1 << 20;
/// How many names in folders of packs are looked at, in all.
const MAX_NAMES: usize = 20_000;
/// What git opens in each folder, whatever object it looks for.
const OPENED: [&str; 4] = [
    "info/alternates", "info/commit-graph", "info/commit-graphs/commit-graph-chain", "pack/multi-pack-index",
];

/// The folders of the repository with this shared git directory, its own first. What is beyond a limit is not touched.
pub(super) fn object_folders(common_dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![resolve(common_dir, b"objects")];
    let (mut next, mut n_bytes, mut n_lines) = (0, CAP, MAX_LINES);
    while let Some(folder) = folders.get(next).cloned() {
        next += 1;
        let Ok(named) = disk::read_linked(&folder.join("info/alternates"), n_bytes as u64) else { continue };
        let named = named.unwrap_or_default();
        n_bytes -= named.len();
        for line in named.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
            if n_lines == 0 || folders.len() == MAX_FOLDERS {
                return folders;
            }
            n_lines -= 1;
            let other = resolve(&folder, unquoted(line));
            if !folders.contains(&other) {
                folders.push(other);
            }
        }
    }
    folders
}

/// The path in a line, which git quotes if it has to. One with escapes is taken as it is.
fn unquoted(line: &[u8]) -> &[u8] {
    let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    inner.filter(|inner| !inner.contains(&b'\\')).unwrap_or(line)
}

/// The first file that git would wait for in one of these folders, whatever object it looks for.
pub(super) fn waited_for(folders: &[PathBuf]) -> Option<PathBuf> {
    let mut n_names = MAX_NAMES;
    folders.iter().find_map(|folder| {
        let mut opened = OPENED.iter().map(|name| folder.join(name));
        opened
            .find(|path| is_waited_for(path))
            .or_else(|| odd_lists(&folder.join("pack"), &mut n_names).find(|path| is_waited_for(path)))
    })
}

/// The lists of packs that are no regular files, each with a pack beside it: git opens no others. Looks at `n_names` at most,
/// and takes what it looked at from them.
fn odd_lists(packs: &Path, n_names: &mut usize) -> impl Iterator<Item = PathBuf> {
    let max = *n_names;
    let entries = fs::read_dir(packs).into_iter().flatten().take(max).inspect(|_| *n_names -= 1).flatten();
    let odd = entries.filter(|entry| {
        entry.file_type().is_ok_and(|kind| {
            kind.is_symlink() || kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
        })
    });
    let lists = odd.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "idx"));
    lists.filter(|path| path.with_extension("pack").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_is_found_once_however_they_name_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().canonicalize().unwrap().join(name);
        for (name, text) in [
            ("git/objects", format!("# a remark\n\n{}\n", at("one").display())),
            ("one", format!("\"{}\"\n../git/objects\n", at("two").display())),
            ("two", format!("{}\n{}\n", at("gone").display(), at("one").display())),
        ] {
            fs::create_dir_all(at(name).join("info")).unwrap();
            fs::write(at(name).join("info/alternates"), text).unwrap();
        }
        let expected = ["git/objects", "one", "two", "gone"].map(at);
        assert_eq!(object_folders(&at("git")), expected);
    }

    #[test]
    fn what_is_beyond_a_limit_is_not_looked_at() {
        let found = |text: &str| {
            let temp = tempfile::tempdir().unwrap();
            fs::create_dir_all(temp.path().join("objects/info")).unwrap();
            fs::write(temp.path().join("objects/info/alternates"), text).unwrap();
            object_folders(temp.path()).len()
        };
        let again = |n: usize| "/one\n".repeat(n);
        assert_eq!(found(&(again(MAX_LINES - 1) + "/two\n")), 3);
        assert_eq!(found(&(again(MAX_LINES) + "/two\n")), 2);
        assert_eq!(found(&(0..1_000).map(|n| format!("/{n}")).collect::<Vec<_>>().join("\n")), MAX_FOLDERS);
        assert_eq!(found(&format!("/one\n#{}", "a".repeat(CAP))), 1);
    }

    #[test]
    fn all_folders_of_packs_share_one_limit() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(temp.path().join(name), "").unwrap();
        }
        let mut n_names = 4;
        assert_eq!(odd_lists(temp.path(), &mut n_names).count(), 0);
        assert_eq!(odd_lists(temp.path(), &mut n_names).count(), 0);
        assert_eq!(n_names, 0);
    }
}
