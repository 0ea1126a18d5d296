//! The folders under `projects/`: one per folder that sessions were started in, holding their records.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::model::Timestamp;

/// The client truncates longer names to this length, in bytes, and appends `-` and a hash.
const LONGEST_NAME: usize = 200;

/// A record as listed in its folder.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// The session's id: the file name without its extension. Untrusted, but always a single path
    /// component.
    pub(super) id: String,
    pub(super) inode: u64,
    /// In bytes.
    pub(super) size: u64,
    /// When it was last modified, in nanoseconds since the Unix epoch.
    pub(super) written_at: i64,
    /// When it was created, in nanoseconds since the Unix epoch, if the file system says.
    pub(super) made_at: Option<i64>,
}

impl Listed {
    /// When it was last modified.
    pub(super) fn moved_at(&self) -> Timestamp {
        Timestamp(self.written_at.div_euclid(1_000_000))
    }

    pub(super) fn path(&self, folder: &Path) -> PathBuf {
        record_path(folder, &self.id)
    }
}

/// The path of session `id`'s record in `folder`. `id` must be a single path component.
pub(super) fn record_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

/// The name of a workspace's folder under `projects/`: the path with every UTF-16 unit replaced by `-`
/// except ASCII letters and digits. Beyond 200 bytes the client cuts this name and appends a hash, which
/// this function does not. Two workspaces can share a name.
pub fn folder_name(workspace: &Path) -> String {
    let units = workspace.to_string_lossy();
    let name = units.encode_utf16().map(|unit| {
        let byte = u8::try_from(unit).unwrap_or(b'-');
        if byte.is_ascii_alphanumeric() { char::from(byte) } else { '-' }
    });
    name.collect()
}

/// The prefix shared by the names of all folders for sessions started in `folder` or below it. Unrelated
/// folders may share it.
pub(super) fn name_begin(folder: &Path) -> String {
    let mut name = folder_name(folder);
    name.truncate(LONGEST_NAME);
    name
}

/// Whether a folder called `name` can hold sessions of the folder with the prefix `begin` ([`name_begin`]).
/// `w12` is not below `w1`.
pub(super) fn is_at_or_below(name: &str, begin: &str) -> bool {
    name.strip_prefix(begin).is_some_and(|rest| {
        rest.is_empty()
            || rest.starts_with('-')
            || begin.is_empty()
            || begin.ends_with('-')
            || begin.len() == LONGEST_NAME
    })
}

/// The folder with a workspace's records. It may not exist.
pub(super) fn record_folder(config_dir: &Path, workspace: &Path) -> PathBuf {
    let projects = config_dir.join("projects");
    let name = folder_name(workspace);
    let cut = (name.len() > LONGEST_NAME).then(|| cut_folder(&projects, &name[..LONGEST_NAME])).flatten();
    cut.unwrap_or_else(|| projects.join(name))
}

/// Finds the folder whose name was cut and hashed. The hash has six characters.
fn cut_folder(projects: &Path, begin: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(projects)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let hash = name.to_str().and_then(|name| name.strip_prefix(begin)?.strip_prefix('-'));
            hash.is_some_and(|hash| hash.len() == 6)
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders.pop()
}

/// The records in a folder, in no particular order. Files that are not regular are listed too, so that they
/// get reported.
pub(super) fn records(folder: &Path) -> io::Result<Vec<Listed>> {
    let entries = fs::read_dir(folder)?.filter_map(Result::ok);
    Ok(entries.filter_map(|entry| listed(entry.file_name().to_str()?, || entry.metadata())).collect())
}

fn listed(name: &str, metadata: impl FnOnce() -> io::Result<Metadata>) -> Option<Listed> {
    // Versions around 2.0 stored subagent transcripts here, as `agent-<id>.jsonl`.
    let id = name.strip_suffix(".jsonl").filter(|id| !id.is_empty() && !id.starts_with("agent-"))?;
    let metadata = metadata().ok()?;
    let made_at = metadata.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    Some(Listed {
        id: id.to_owned(),
        inode: metadata.ino(),
        size: metadata.len(),
        written_at: metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec()),
        made_at: made_at.and_then(|made| i64::try_from(made.as_nanos()).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_whose_name_begins_alike_is_not_below() {
        let is_of = |folder: &str, of: &str| {
            is_at_or_below(&name_begin(Path::new(folder)), &name_begin(Path::new(of)))
        };
        assert!(is_of("/w/1", "/w/1") && is_of("/w/1/src", "/w/1") && is_of("/w/1", "/"));
        assert!(is_of("/w/1.x/src", "/w/1."), "a name that ends in no letter says nothing of what follows");
        assert!(!is_of("/w/12", "/w/1"));
        let long = format!("/{}", "n".repeat(LONGEST_NAME));
        assert!(is_of(&format!("{long}m"), &long), "what was cut off is not known");
    }
}
