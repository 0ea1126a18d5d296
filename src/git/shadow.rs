//! A shadow of a git directory, in a folder of closeout's own: ignore rules and a few harmless settings,
//! but no configuration or hooks that name programs. A command that uses it starts nothing of the
//! repository's, whatever an agent writes there in the meantime (`SECURITY.md` 1.2).
//!
//! It must not be created inside the repository, and changes nothing in the repository.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, FileTimes};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::file::{read, read_linked};
use super::object_id::ObjectFormat;
use super::repository::Repository;
use super::trouble::{Read, write_trouble};
use crate::model::CommitId;

/// The longest index that is read, in bytes: several million entries.
pub const INDEX_CAP: u64 = 512 << 20;
/// How much of a list of rules is read, in bytes.
const RULES_CAP: u64 = 4 << 20;

/// A setting in the section `core`: its name in lower case, and its value.
pub type Setting = (String, String);

/// A shadow. It is deleted when dropped.
#[derive(Debug)]
pub struct Shadow {
    /// The path to name as the git directory.
    pub git_dir: PathBuf,
    /// The index: a copy, or the real one, which is then only read.
    pub index: PathBuf,
    /// Where new objects go: a separate folder, or the real one, to which nothing is then written.
    pub objects: PathBuf,
    /// The index that was copied, with its file's time. `None` if there is none.
    pub raw_index: Option<RawIndex>,
    /// Whether the user's own settings apply too.
    pub has_user_settings: bool,
    /// Whether git lists what is untracked. If not, because it would hang, nothing tells what is ignored.
    pub lists_untracked: bool,
    folder: PathBuf,
    format: ObjectFormat,
}

/// The index file as it was on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawIndex {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The file's modification time, which decides what git takes for unchanged.
    pub modified: SystemTime,
}

impl RawIndex {
    /// Writes it to `path` with its original modification time.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        self.write_to(&mut File::create(path)?)
    }

    /// Writes it to a new file with its original modification time.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn write_to(&self, file: &mut File) -> io::Result<()> {
        file.write_all(&self.bytes)?;
        file.set_times(FileTimes::new().set_modified(self.modified))
    }
}

impl Shadow {
    /// A shadow in the new folder `work`, one of closeout's own, with a copy of the index and a separate
    /// folder for objects.
    ///
    /// # Errors
    /// The repository cannot be read, or the shadow cannot be written.
    pub fn with_copies(repo: &Repository, work: &Path, raw_index: Option<RawIndex>) -> Read<Shadow> {
        let git_dir = work.join("git");
        let shadow = Shadow {
            index: git_dir.join("index"),
            objects: work.join("objects"),
            raw_index,
            has_user_settings: false,
            lists_untracked: true,
            git_dir,
            folder: work.to_owned(),
            format: repo.format,
        };
        make_folder(&shadow.objects.join("pack"))?;
        shadow.fill(repo, None)?;
        if let Some(raw) = &shadow.raw_index {
            raw.write(&shadow.index).map_err(|error| write_trouble(&shadow.index, &error))?;
        }
        Ok(shadow)
    }

    /// A shadow in a temporary folder, with HEAD at `head` and the real index and objects, for commands
    /// that only read.
    ///
    /// # Errors
    /// As [`Shadow::with_copies`].
    pub fn for_reading(repo: &Repository, head: Option<CommitId>) -> Read<Shadow> {
        let made = tempfile::Builder::new().prefix("closeout-").tempdir();
        let folder = made.map_err(|error| write_trouble(&std::env::temp_dir(), &error))?.keep();
        let shadow = Shadow {
            git_dir: folder.join("git"),
            index: repo.index(),
            objects: repo.common_dir.join("objects"),
            raw_index: None,
            has_user_settings: true,
            lists_untracked: true,
            folder,
            format: repo.format,
        };
        shadow.fill(repo, head)?;
        Ok(shadow)
    }

    fn fill(&self, repo: &Repository, head: Option<CommitId>) -> Read<()> {
        for name in ["refs", "info"] {
            make_folder(&self.git_dir.join(name))?;
        }
        let head = head.map_or_else(|| "ref: refs/heads/unborn".to_owned(), |commit| commit.to_string());
        self.write("HEAD", format!("{head}\n").as_bytes())?;
        self.configure(&[])?;
        for (folder, name) in [
            (&repo.common_dir, "info/exclude"),
            (&repo.common_dir, "info/attributes"),
            (&repo.git_dir, "info/sparse-checkout"),
        ] {
            // Unlike in the work tree, git follows links here. One that leads nowhere means no rules.
            if let Some(rules) = read_linked(&folder.join(name), RULES_CAP)? {
                self.write(name, &rules)?;
            }
        }
        // Copies, because git updates the time of each part of an index that it reads.
        for name in shared_indexes(&repo.git_dir) {
            if let Some(content) = read(&repo.git_dir, &name, INDEX_CAP)? {
                self.write(&name, &content)?;
            }
        }
        Ok(())
    }

    /// Adds harmless settings of the repository, which decide what is ignored, how it is converted, and
    /// what differs.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn configure(&self, settings: &[Setting]) -> Read<()> {
        let mut text = self.format.settings().to_owned();
        for (name, value) in settings {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\t{name} = \"{value}\"");
        }
        self.write("config", text.as_bytes())
    }

    /// Whether a part of the index is in another file.
    pub fn is_split_index(&self) -> bool {
        !shared_indexes(&self.git_dir).is_empty()
    }

    /// The folder that holds all of it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path in the shadow's folder, for a file of closeout's own.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, content: &[u8]) -> Read<()> {
        let path = self.git_dir.join(name);
        fs::write(&path, content).map_err(|error| write_trouble(&path, &error))
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // Leftovers in closeout's own folder are removed when the next shadow is made there.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A path for the list of further object folders, which git splits at colons: quoted as git unquotes it.
pub fn quoted(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut text = b"\"".to_vec();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'"');
    OsString::from_vec(text)
}

fn make_folder(path: &Path) -> Read<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| write_trouble(path, &error))
}

/// The names of the parts of a split index.
fn shared_indexes(git_dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(git_dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with("sharedindex.")).collect()
}
