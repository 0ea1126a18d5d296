//! Finds a link among the files of a repository that git reads as text, since git's messages quote such files. Must not read
//! what a link leads to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::repository::Repository;
use crate::disk;

/// What git reads as text in a worktree's git directory, including the folders on the way.
const OWN_TEXTS: [&str; 10] = [
    "HEAD", "commondir", "config.worktree", "info", "info/sparse-checkout", "index", "logs", "rebase-apply",
    "rebase-merge", "sequencer",
];
/// What git reads as text in the git directory that all worktrees share.
const SHARED_TEXTS: [&str; 10] = [
    "config", "info", "info/attributes", "info/grafts", "logs", "packed-refs", "refs", "reftable",
    "reftable/tables.list", "shallow",
];
/// What git reads as text in an object database, its own or one that it borrows from.
const OBJECT_TEXTS: [&str; 8] = [
    "",
    "info",
    "info/alternates",
    "info/commit-graphs",
    "info/commit-graphs/commit-graph-chain",
    "pack",
    "pack/multi-pack-index.d",
    "pack/multi-pack-index.d/multi-pack-index-chain",
];
/// At most this many object databases are followed.
const MAX_DATABASES: usize = 16;
/// The longest list of object databases that is read, in bytes.
const LONGEST_LIST: u64 = 1 << 20;

impl Repository {
    /// The first link among the files that git reads as text. Git's messages could quote the file behind
    /// it.
    pub fn linked_file(&self) -> Option<PathBuf> {
        let own = OWN_TEXTS.iter().map(|name| self.git_dir.join(name));
        let shared = SHARED_TEXTS.iter().map(|name| self.common_dir.join(name));
        let databases = self.object_databases();
        let objects = databases.iter().flat_map(|folder| OBJECT_TEXTS.iter().map(|name| folder.join(name)));
        let mut links = own.chain(shared).chain(objects).filter(|path| path.is_symlink());
        // In an old format HEAD is a link to the branch.
        links
            .find(|path| !(path.ends_with("HEAD") && path.read_link().is_ok_and(|it| it.starts_with("refs"))))
    }

    /// Its object database, and those that it borrows from, one through another.
    fn object_databases(&self) -> Vec<PathBuf> {
        let mut found = vec![self.common_dir.join("objects")];
        let mut at = 0;
        while let Some(folder) = found.get(at) {
            let named = disk::read(&folder.join("info/alternates"), LONGEST_LIST).ok().flatten();
            let named = named.unwrap_or_default();
            let lines = named.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let further: Vec<PathBuf> = lines.map(|line| folder.join(OsStr::from_bytes(line))).collect();
            found.extend(further);
            found.truncate(MAX_DATABASES);
            at += 1;
        }
        found
    }
}
