//! The events of agents' hooks: one file per session, one line per event, in `hooks/<agent>/` of the state
//! folder. The hook writes while its agent waits, often with no closeout running, and several may write at
//! once.
//!
//! A line is a single write to a file opened for appending, so lines of several hooks do not mix. Nothing
//! is flushed to disk and nothing is locked: a lost event costs little, but a waiting agent costs the
//! user's time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::folder::{own_folder, unreadable};
use crate::disk::write::open_to_append;
use crate::model::{HookEvent, Timestamp, hook_file_stem};

/// The longest line, in bytes: the longest text of an event in any script, plus the other fields.
const LONGEST_LINE: usize = 16 << 10;
/// The size above which a file is rotated, in bytes.
const LARGEST_FILE: u64 = 256 << 10;

/// The name of the folder with the events.
const HOOKS: &str = "hooks";

/// The folder with the events, inside the state folder.
pub fn folder(state_folder: &Path) -> PathBuf {
    state_folder.join(HOOKS)
}

/// Adds an agent's event to the file of its session.
///
/// # Errors
/// The folder or the file cannot be created or written, or belongs to another user.
pub fn append(state_folder: &Path, agent: &str, event: &HookEvent) -> Result<(), StoreError> {
    let path = folder(state_folder).join(agent).join(format!("{}.jsonl", hook_file_stem(&event.session_id)));
    let line = line_of(event, &path)?;
    own_folder(state_folder, Path::new(HOOKS).join(agent))?;
    let mut file = open_to_append(&path, Some(0o600)).map_err(|error| unreadable(&path, error))?;
    let metadata = file.metadata().map_err(StoreError::io("look at", &path))?;
    // Not `write_all`: the rest of a partial line would end up in the middle of another one.
    let written = file.write(&line).map_err(StoreError::io("write", &path))?;
    if written == line.len() && metadata.len() + line.len() as u64 > LARGEST_FILE {
        set_aside(&path, &file)?;
    }
    Ok(())
}

/// The event as one line. If it is too long, fields are left out, the least important first.
fn line_of(event: &HookEvent, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut event = event.clone();
    for shorten in [
        (|_: &mut HookEvent| {}) as fn(&mut HookEvent),
        |event| event.background.iter_mut().flatten().for_each(|task| task.what = None),
        |event| event.record = None,
        |event| event.what = None,
        |event| event.folder = None,
        |event| event.pane = None,
        |event| event.background = None,
        |event| (event.tool, event.reason) = (None, None),
    ] {
        shorten(&mut event);
        let mut line = serde_json::to_vec(&event)
            .map_err(|source| StoreError::Unwritable { path: path.to_owned(), source })?;
        line.push(b'\n');
        if line.len() <= LONGEST_LINE {
            return Ok(line);
        }
    }
    Err(StoreError::WrongKind { path: path.to_owned(), expected: "a file for so long an event" })
}

/// Rotates the file, replacing the previously rotated one. If several hooks do this at once, only the first
/// succeeds: what the others have open is then no longer the file at `path`.
fn set_aside(path: &Path, file: &File) -> Result<(), StoreError> {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let of_file = file.metadata().map(identity).map_err(StoreError::io("look at", path))?;
    if fs::symlink_metadata(path).map(identity).is_ok_and(|of_path| of_path == of_file) {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".1");
        fs::rename(path, aside).map_err(StoreError::io("set aside", path))?;
    }
    Ok(())
}

/// Deletes files in which nothing was written since `before`. Files that cannot be deleted stay.
pub fn forget_before(state_folder: &Path, before: Timestamp) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for agent in entries(&folder(state_folder)) {
        for entry in entries(&agent.path()) {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let is_events = name.ends_with(b".jsonl") || name.ends_with(b".jsonl.1");
            // `DirEntry` examines the entry itself, even if it is a link.
            let is_old = entry
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() && metadata.mtime().saturating_mul(1000) < before.0);
            if is_events && is_old {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
