//! A shadow of the git directory in our own folder: no configuration, hooks or attributes that name
//! programs, a copy of the index with its time, and an object directory of its own.
//!
//! It must not be made inside the repository, and nothing of the repository is changed here.

use std::fmt::Write as _;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::RescueError;
use super::seen_index::SeenIndex;
use super::settings::Settings;
use crate::git::{self, ObjectFormat, Repository};

/// The most that is read of an index: several million entries.
pub(super) const INDEX_CAP: u64 = 1 << 30;
/// The most that is read of a list of ignore rules.
const RULES_CAP: u64 = 4 << 20;

/// A shadow; gone when it is dropped.
pub(super) struct Shadow {
    /// To be named as the git directory.
    pub(super) git_dir: PathBuf,
    /// The copy of the index.
    pub(super) index: PathBuf,
    /// Where new objects go until they are moved into the repository.
    pub(super) objects: PathBuf,
    /// The bytes of the index, and the time of its file; `None` when there is no index.
    pub(super) raw_index: Option<RawIndex>,
    folder: PathBuf,
    format: ObjectFormat,
}

/// The index as it lay on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawIndex {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The time of the file, which decides what git takes for unchanged.
    pub(super) modified: SystemTime,
}

impl Shadow {
    /// Makes the shadow below `work`, a new folder of ours.
    pub(super) fn make(repo: &Repository, work: &Path) -> Result<Shadow, RescueError> {
        let git_dir = work.join("git");
        for folder in ["git/refs", "git/info", "objects/pack"] {
            let path = work.join(folder);
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&path)
                .map_err(RescueError::io("make", &path))?;
        }
        let shadow = Shadow {
            index: git_dir.join("index"),
            git_dir,
            objects: work.join("objects"),
            raw_index: SeenIndex::read(&repo.index())?.raw,
            folder: work.to_owned(),
            format: repo.format,
        };
        shadow.write("HEAD", b"ref: refs/heads/unborn\n")?;
        shadow.configure(&Settings::default())?;
        if let Some(raw) = &shadow.raw_index {
            write_index(&shadow.index, raw)?;
        }
        for name in ["info/exclude", "info/attributes"] {
            // Git follows a link here, unlike in the work tree; one that leads nowhere is no rules.
            if let Some(rules) = git::read_linked(&repo.common_dir.join(name), RULES_CAP)? {
                shadow.write(name, &rules)?;
            }
        }
        shadow.copy_shared_indexes(repo)?;
        Ok(shadow)
    }

    /// Takes an index that is not there in place of the copy.
    pub(super) fn index_elsewhere(&self) -> PathBuf {
        self.folder.join("tree-index")
    }

    /// True when a part of the index is in another file.
    pub(super) fn is_split_index(&self) -> bool {
        fs::read_dir(&self.git_dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex."))
        })
    }

    /// A path in the shadow's folder for a file of ours.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Adds harmless settings of the repository: they decide what is ignored and how it is converted.
    pub(super) fn configure(&self, settings: &Settings) -> Result<(), RescueError> {
        let mut text = self.format.settings().to_owned();
        text.push_str("\tfileMode = true\n");
        for (key, value) in &settings.harmless {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\t{key} = \"{value}\"");
        }
        self.write("config", text.as_bytes())
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), RescueError> {
        let path = self.git_dir.join(name);
        fs::write(&path, content).map_err(RescueError::io("write", &path))
    }

    fn copy_shared_indexes(&self, repo: &Repository) -> Result<(), RescueError> {
        let entries = fs::read_dir(&repo.git_dir).map_err(RescueError::io("list", &repo.git_dir))?;
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if name.starts_with("sharedindex.")
                && let Some(content) = git::read(&repo.git_dir, &name, INDEX_CAP)?
            {
                self.write(&name, &content)?;
            }
        }
        Ok(())
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // What stays is removed when the next shadow is made.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes an index with the time that belongs to it.
pub(super) fn write_index(path: &Path, raw: &RawIndex) -> Result<(), RescueError> {
    fs::write(path, &raw.bytes).map_err(RescueError::io("write", path))?;
    let file = File::options().write(true).open(path).map_err(RescueError::io("open", path))?;
    file.set_times(FileTimes::new().set_modified(raw.modified))
        .map_err(RescueError::io("set the time of", path))
}

/// The same, to the disk: for what must outlive a power cut.
pub(super) fn write_index_to_disk(path: &Path, raw: &RawIndex) -> Result<(), RescueError> {
    write_index(path, raw)?;
    File::open(path).and_then(|file| file.sync_all()).map_err(RescueError::io("write", path))
}
