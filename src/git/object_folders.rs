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
/// How many names in a folder of packs are looked at.
const MAX_NAMES: usize = 20_000;
/// How much of such a file is read, in bytes.
const CAP: u64 = 1 << 20;
/// What git opens in each folder, whatever object it looks for.
const OPENED: [&str; 4] = [
    "info/alternates", "info/commit-graph", "info/commit-graphs/commit-graph-chain", "pack/multi-pack-index",
];

/// The folders of the repository with this shared git directory, its own first.
pub(super) fn object_folders(common_dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![resolve(common_dir, b"objects")];
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        next += 1;
        let named =
            disk::read_linked(&folder.join("info/alternates"), CAP).ok().flatten().unwrap_or_default();
        for line in named.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
            let other = resolve(&folder, unquoted(line));
            if folders.len() < MAX_FOLDERS && !folders.contains(&other) {
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
    folders.iter().find_map(|folder| {
        let opened = OPENED.iter().map(|name| folder.join(name));
        opened.chain(odd_lists(&folder.join("pack"))).find(|path| is_waited_for(path))
    })
}

/// The lists of packs that are no regular files, each with a pack beside it: git opens no others.
fn odd_lists(packs: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(packs).into_iter().flatten().take(MAX_NAMES).flatten();
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
}
