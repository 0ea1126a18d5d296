//! One digest over what a program that is not covered may run or read: the tracked and the new files, those of the
//! repositories inside, what links to files lead to, and the settings.
//!
//! Ignored files, the rest of the git directory, and what lies elsewhere are not in it, which is said wherever this
//! digest is all that trust rests on.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::action::rescue::base::{Settings, names, whole_file};
use crate::action::rescue::survey::Untracked;
use crate::git::IndexEntry;

/// The largest file whose content counts, in bytes; for larger ones, and unreadable ones, the change time counts instead.
const FILE_CAP: u64 = 16 << 20;

/// The digest of everything that is there now. It does not depend on what the index knows of it.
pub(crate) fn digest(
    top: &Path,
    settings: &Settings,
    entries: &[IndexEntry],
    untracked: &Untracked,
) -> String {
    let at = |path: &Vec<u8>| top.join(OsStr::from_bytes(path));
    let (links, plain): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.is_gitlink());
    let nested = links.into_iter().map(|entry| &entry.path).chain(&untracked.nested);
    let mut files: BTreeSet<PathBuf> =
        plain.into_iter().map(|entry| &entry.path).chain(&untracked.paths).map(at).collect();
    let mut folders: Vec<PathBuf> = nested.map(at).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match entry.path() {
                path if path.ends_with(".git") => {}
                path if is_folder => folders.push(path),
                path => drop(files.insert(path)),
            }
        }
    }
    let mut sum = Sha256::new();
    for entry in &settings.entries {
        sum.update(format!("{}\n{}\0", entry.key, entry.value));
    }
    for path in files {
        add(&mut sum, &path);
    }
    names::hex(&sum.finalize())
}

/// Adds a file, or a link and what it leads to. What is not there adds nothing.
fn add(sum: &mut Sha256, path: &Path) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    sum.update(path.as_os_str().as_bytes());
    sum.update(format!("\0{:o} ", metadata.mode()));
    if let Ok(target) = fs::read_link(path) {
        sum.update(target.as_os_str().as_bytes());
        sum.update(b"\0");
        if let (Ok(real), Ok(metadata)) = (path.canonicalize(), path.metadata()) {
            add_content(sum, &real, &metadata);
        }
    } else {
        add_content(sum, path, &metadata);
    }
}

fn add_content(sum: &mut Sha256, path: &Path, metadata: &Metadata) {
    let is_read = metadata.is_file() && metadata.len() <= FILE_CAP;
    let content = if is_read { whole_file::read(path, FILE_CAP).ok().flatten() } else { None };
    match content {
        Some(content) => {
            sum.update(format!("{} ", content.len()));
            sum.update(content);
        }
        None if metadata.is_file() => sum.update(format!("{}.{} ", metadata.ctime(), metadata.ctime_nsec())),
        None => {}
    }
}
