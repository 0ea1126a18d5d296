//! A shadow of a git directory, in a folder of our own: HEAD, ignore rules and a handful of harmless
//! settings, but none of the configuration that names programs. `status` run on it starts nothing of
//! the repository's, whatever the agent writes there in the meantime (`SECURITY.md` 1.2).
//!
//! The index and the objects are the real ones, by environment variables, and are only read.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::git::{self, ObjectFormat, Read, Repository, file_trouble};

/// A setting: its key as git prints it (section and name in lower case) and its value.
pub(super) type Setting = (String, String);

/// What the shadow keeps of the repository's settings: those that decide whether a file differs.
const NEEDED: [&str; 15] = [
    "autocrlf",
    "bigfilethreshold",
    "checkroundtripencoding",
    "checkstat",
    "eol",
    "excludesfile",
    "filemode",
    "ignorecase",
    "ignorestat",
    "precomposeunicode",
    "sparsecheckout",
    "sparsecheckoutcone",
    "symlinks",
    "trustctime",
    "untrackedcache",
];
/// The most that is copied of one file.
const COPY_CAP: u64 = 4 << 20;
/// The most that is copied of a shared index.
const INDEX_CAP: u64 = 1 << 30;

/// Whether the shadow keeps the setting `key`.
pub(super) fn is_needed(key: &str) -> bool {
    key.strip_prefix("core.").is_some_and(|name| NEEDED.contains(&name))
}

/// A shadow; gone when it is dropped.
pub(super) struct Shadow {
    folder: tempfile::TempDir,
}

impl Shadow {
    /// Makes the shadow of a repository whose HEAD is at `commit`.
    pub(super) fn make(repository: &Repository, commit: Option<&str>, settings: &[Setting]) -> Read<Shadow> {
        let folder = tempfile::Builder::new()
            .prefix("closeout-")
            .tempdir()
            .map_err(|error| file_trouble(&std::env::temp_dir(), &error))?;
        let shadow = Shadow { folder };
        let head = match commit {
            Some(commit) => format!("{commit}\n"),
            None => "ref: refs/heads/unborn\n".to_owned(),
        };
        shadow.write("HEAD", head.as_bytes())?;
        shadow.write("config", config(repository, settings).as_bytes())?;
        for name in ["refs", "info"] {
            let path = shadow.git_dir().join(name);
            std::fs::create_dir(&path).map_err(|error| file_trouble(&path, &error))?;
        }
        for (from, name) in [
            (repository.common_dir.join("info/exclude"), "info/exclude"),
            (repository.common_dir.join("info/attributes"), "info/attributes"),
            (repository.git_dir.join("info/sparse-checkout"), "info/sparse-checkout"),
        ] {
            shadow.copy(&from, name, COPY_CAP)?;
        }
        for (path, name) in shared_indexes(&repository.git_dir) {
            // A copy, for git sets the time of a shared index that it reads.
            shadow.copy(&path, &name, INDEX_CAP)?;
        }
        Ok(shadow)
    }

    /// The folder to be named as the git directory.
    pub(super) fn git_dir(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, content: &[u8]) -> Read<()> {
        let path = self.git_dir().join(name);
        std::fs::write(&path, content).map_err(|error| file_trouble(&path, &error))
    }

    fn copy(&self, from: &Path, name: &str, cap: u64) -> Read<()> {
        match git::read_linked(from, cap)? {
            Some(content) => self.write(name, &content),
            None => Ok(()),
        }
    }
}

fn config(repository: &Repository, settings: &[Setting]) -> String {
    let mut text = String::from("[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n");
    for (key, value) in settings {
        if let Some(name) = key.strip_prefix("core.").filter(|_| is_needed(key)) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\t{name} = \"{}\"", quoted(value));
        }
    }
    if repository.format == ObjectFormat::Sha256 {
        text.push_str("[extensions]\n\tobjectFormat = sha256\n");
    }
    text
}

fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The parts of a split index.
fn shared_indexes(git_dir: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = std::fs::read_dir(git_dir) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            name.starts_with("sharedindex.").then(|| (entry.path(), name))
        })
        .collect()
}
