//! Changed files that git was told not to show: behind the marks of index entries, and behind the exclude file of the
//! repository. Whether that happened in a task is not for here to say.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::evidence_paths::shown;
use super::on_disk;
use crate::git::{self, PassedOver, Read, Repository};
use crate::model::{HiddenFile, OnDisk, Timestamp};

/// A larger file is taken for changed when its size or time is another.
const MOST_BYTES: u64 = 16 << 20;
/// So many files are named.
const MOST_NAMED: usize = 20;

/// Files whose index entry is marked and whose content is another.
pub(super) fn behind_flags(repository: &Repository) -> Read<Vec<HiddenFile>> {
    let mut found = Vec::new();
    let mut missing = PathBuf::new();
    for entry in git::passed_over(repository)? {
        let path = repository.top.join(OsStr::from_bytes(&entry.path));
        // A sparse cone leaves out whole folders: each is looked for once.
        if !missing.as_os_str().is_empty() && path.starts_with(&missing) {
            continue;
        }
        let behind = if entry.is_sparse { "skip-worktree" } else { "assume-unchanged" };
        let on_disk = match path.symlink_metadata() {
            Ok(metadata) if is_as_in_index(&path, &metadata, &entry) => continue,
            Ok(metadata) => Some(on_disk::of(&metadata)),
            Err(_) if entry.is_sparse => {
                missing =
                    path.parent().filter(|parent| !parent.exists()).map(Path::to_owned).unwrap_or_default();
                continue;
            }
            Err(_) => None,
        };
        found.push(HiddenFile { path: shown(&entry.path), behind, hidden_at: None, on_disk });
        if found.len() >= MOST_NAMED {
            break;
        }
    }
    Ok(found)
}

/// Whether a file is what its index entry says, line ends aside.
fn is_as_in_index(path: &Path, metadata: &std::fs::Metadata, entry: &PassedOver) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_size = u64::from(entry.size) == metadata.len();
    if is_size
        && i64::from(entry.modified) == metadata.mtime()
        && i64::from(entry.modified_nanos) == metadata.mtime_nsec()
    {
        return true;
    }
    if metadata.len() > MOST_BYTES || metadata.is_dir() {
        return is_size;
    }
    let content = if metadata.is_symlink() {
        path.read_link().map(|target| target.into_os_string().into_encoded_bytes())
    } else {
        std::fs::read(path)
    };
    let Ok(content) = content else { return false };
    let is_same = |content: &[u8]| blob_id(content, entry.id.len()).as_deref() == Some(entry.id.as_str());
    is_same(&content) || is_same(&without_carriage_returns(&content))
}

fn without_carriage_returns(content: &[u8]) -> Vec<u8> {
    let is_kept = |at: &usize| content[*at] != b'\r' || content.get(at + 1) != Some(&b'\n');
    (0..content.len()).filter(is_kept).map(|at| content[at]).collect()
}

/// The id that git gives this content, in a repository whose ids have so many digits.
fn blob_id(content: &[u8], n_digits: usize) -> Option<String> {
    if n_digits == 64 {
        let mut digest = Sha256::new();
        digest.update(format!("blob {}\0", content.len()));
        digest.update(content);
        return Some(format!("{:x}", digest.finalize()));
    }
    git2::Oid::hash_object(git2::ObjectType::Blob, content).ok().map(|id| id.to_string())
}

/// What the exclude file of the repository around `workspace` hides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excludes {
    /// The top of the work tree.
    pub top: PathBuf,
    /// Its patterns, as paths from the top in which `*` stands for signs and `**` for folders.
    pub patterns: Vec<String>,
    /// When the file was written last.
    pub written_at: Timestamp,
}

/// The exclude file of the repository around `workspace`, if it hides anything.
pub fn excludes(workspace: &Path) -> Option<Excludes> {
    let repository = Repository::find(workspace).ok()??;
    let path = repository.common_dir.join("info/exclude");
    let text = git::read_small(&repository.common_dir, "info/exclude").ok()??;
    let patterns: Vec<String> = String::from_utf8_lossy(&text).lines().filter_map(pattern).collect();
    let written_at = on_disk::of(&path.metadata().ok()?).modified_at;
    (!patterns.is_empty()).then_some(Excludes { top: repository.top, patterns, written_at })
}

/// A line of an exclude file as a path pattern (gitignore(5)); what it shows again is not looked at.
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

/// How the file at `path`, from the top, stands on the disk.
pub fn look(top: &Path, path: &str) -> Option<OnDisk> {
    top.join(path).symlink_metadata().ok().map(|metadata| on_disk::of(&metadata))
}
