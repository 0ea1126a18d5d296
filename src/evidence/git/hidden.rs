//! Finds changed files that git was told not to show, through flags on index entries or through exclude files.
//! Does not decide whether that happened within a task.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::not_work::shown;
use super::on_disk;
use crate::disk::{self, Folder};
use crate::git::{self, PassedOver, Repository};
use crate::model::{HiddenFile, OnDisk, Timestamp};

/// A larger file is not read: it counts as changed only if its size differs from the index entry.
const MAX_BYTES: u64 = 16 << 20;
/// At most this many files are named.
const MAX_NAMED: usize = 20;

/// The files that git was told to skip whose content differs from the index.
pub(super) fn behind_flags(repository: &Repository, passed_over: &[PassedOver]) -> Vec<HiddenFile> {
    let mut found = Vec::new();
    let mut missing = PathBuf::new();
    for entry in passed_over {
        let path = repository.top.join(OsStr::from_bytes(&entry.path));
        // A sparse cone leaves out whole folders; check each missing folder only once.
        if !missing.as_os_str().is_empty() && path.starts_with(&missing) {
            continue;
        }
        let behind = if entry.is_sparse { "skip-worktree" } else { "assume-unchanged" };
        let on_disk = match path.symlink_metadata() {
            Ok(metadata) if is_as_in_index(repository, &metadata, entry) => continue,
            Ok(metadata) => Some(on_disk::of(&metadata)),
            Err(_) if entry.is_sparse => {
                missing =
                    path.parent().filter(|parent| !parent.exists()).map(Path::to_owned).unwrap_or_default();
                continue;
            }
            Err(_) => None,
        };
        found.push(HiddenFile { path: shown(&entry.path), behind, hidden_at: None, on_disk });
        if found.len() >= MAX_NAMED {
            break;
        }
    }
    found
}

/// Whether a file matches its index entry, line endings aside.
fn is_as_in_index(repository: &Repository, metadata: &std::fs::Metadata, entry: &PassedOver) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_size = u64::from(entry.size) == metadata.len();
    if is_size
        && i64::from(entry.modified) == metadata.mtime()
        && i64::from(entry.modified_nanos) == metadata.mtime_nsec()
    {
        return true;
    }
    if metadata.len() > MAX_BYTES || metadata.is_dir() {
        return is_size;
    }
    let path = Path::new(OsStr::from_bytes(&entry.path));
    let Ok(content) = content(&repository.top, path, metadata.is_symlink()) else { return false };
    let is_same = |content: &[u8]| repository.format.id_of(content).as_deref() == Some(entry.id.as_str());
    is_same(&content) || is_same(&without_carriage_returns(&content))
}

/// What git would store for the file or symbolic link at `path` below `top`. No link on the way is followed.
/// Anything else (a pipe, which would block for ever) is an error.
pub(super) fn content(top: &Path, path: &Path, is_link: bool) -> io::Result<Vec<u8>> {
    let top = Folder::open(top)?;
    if is_link {
        let name = path.file_name().unwrap_or_default();
        let parent = top.folder(path.parent().unwrap_or(Path::new("")))?;
        return Ok(parent.link_target(name)?.into_bytes());
    }
    disk::read_start(&top.file(path)?, MAX_BYTES)
}

fn without_carriage_returns(content: &[u8]) -> Vec<u8> {
    let is_kept = |at: &usize| content[*at] != b'\r' || content.get(at + 1) != Some(&b'\n');
    (0..content.len()).filter(is_kept).map(|at| content[at]).collect()
}

/// What one exclude file hides in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excludes {
    /// Whether it is the repository's own exclude file; otherwise the configuration names it
    /// (`core.excludesFile`).
    pub is_own: bool,
    /// Its patterns as paths from the top: `*` matches within one name, `**` across folders.
    pub patterns: Vec<String>,
    /// When the file was last written.
    pub written_at: Timestamp,
}

/// The exclude file below `common_dir`, and `named`, the one from the configuration; files without patterns are
/// left out. So is the repository's own if it is older than `since`: it is the user's. The one that the configuration
/// names may have been set at any time.
pub fn excludes(
    common_dir: &Path,
    top: &Path,
    named: Option<&Path>,
    since: Option<Timestamp>,
) -> Vec<Excludes> {
    let found = |is_own: bool, folder: &Path, name: &Path| {
        let written_at = on_disk::of(&folder.join(name).metadata().ok()?).modified_at;
        if is_own && Some(written_at) < since {
            return None;
        }
        let text = git::read_small(folder, name).ok()??;
        let patterns: Vec<String> = String::from_utf8_lossy(&text).lines().filter_map(pattern).collect();
        (!patterns.is_empty()).then_some(Excludes { is_own, patterns, written_at })
    };
    let own = found(true, common_dir, Path::new("info/exclude"));
    let named = named.and_then(|name| {
        // Git resolves a relative name against its working folder, which is the top for whoever runs it there.
        let path = top.join(name);
        found(false, path.parent()?, Path::new(path.file_name()?))
    });
    own.into_iter().chain(named).collect()
}

/// Converts a line of an exclude file to a path pattern (gitignore(5)). Negated lines (`!`) are ignored.
fn pattern(line: &str) -> Option<String> {
    let line = line.trim_end();
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let is_folder = line.ends_with('/');
    let name = line.trim_end_matches('/');
    let from_top = name.trim_start_matches('/');
    let at_top = if name.contains('/') { from_top.to_owned() } else { format!("**/{from_top}") };
    Some(if is_folder { format!("{at_top}/**/*") } else { at_top })
}

/// Modification time and size of the file at `path` (from the top); `None` if it does not exist.
pub fn look(top: &Path, path: &str) -> Option<OnDisk> {
    top.join(path).symlink_metadata().ok().map(|metadata| on_disk::of(&metadata))
}
