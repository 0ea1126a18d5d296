//! Opens and reads files that an agent controls (SECURITY.md 1.3).
//!
//! A path below the workspace is opened component by component without following links. What is opened must
//! be a regular file, is opened without waiting, and is never read past a limit. Absolute names (unless a
//! user gave them) and names with `..` are refused. Nothing here interprets the content.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::disk::{self, Folder};
use crate::model::{ReadProblem, Reading, Timestamp, Unreadable};

/// A workspace's directory, held open, so that names below it cannot resolve anywhere else.
#[derive(Debug)]
pub struct WorkspaceDir {
    folder: Folder,
    path: PathBuf,
}

/// Which names may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReach {
    /// Only names below the workspace.
    Workspace,
    /// Also absolute paths, because a user named them. Their parent folders may be links; the file may not.
    Named,
}

/// A regular file that was opened.
#[derive(Debug)]
pub struct UntrustedFile {
    file: File,
    /// The name under which it was requested. Untrusted.
    pub name: String,
    /// Its size in bytes when it was opened.
    pub size: u64,
    /// When it was last written.
    pub written_at: Timestamp,
    /// Identifies the file and its state.
    pub identity: FileIdentity,
}

/// Identifies a file and its state: device, inode, modification and change time in nanoseconds, size in
/// bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
    modified_nanos: i128,
    changed_nanos: i128,
    size: u64,
}

/// Why a file was not opened or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRefusal {
    /// It does not exist.
    Absent,
    /// It exists but cannot be used.
    Unreadable(Unreadable),
}

impl FileRefusal {
    /// A refusal of `name`, with the problem in words.
    pub fn because(name: &str, problem: ReadProblem, detail: impl Into<String>) -> FileRefusal {
        FileRefusal::Unreadable(Unreadable { name: name.to_owned(), problem, detail: detail.into() })
    }

    /// The refusal as a reading of `name`.
    pub fn into_reading<T>(self, name: &str) -> Reading<T> {
        match self {
            FileRefusal::Absent => Reading::Absent { name: name.to_owned() },
            FileRefusal::Unreadable(unreadable) => Reading::Unreadable(unreadable),
        }
    }
}

impl WorkspaceDir {
    /// Opens the directory of a workspace.
    ///
    /// # Errors
    /// It does not exist or cannot be opened.
    pub fn open(path: &Path) -> io::Result<WorkspaceDir> {
        Ok(WorkspaceDir { folder: Folder::open(path)?, path: path.to_owned() })
    }

    /// Opens the regular file `name`.
    ///
    /// # Errors
    /// The file is missing, is not allowed by `reach`, or cannot be opened safely.
    pub fn open_file(&self, name: &str, reach: FileReach) -> Result<UntrustedFile, FileRefusal> {
        let asked = Path::new(name);
        let opened = match self.inside(asked) {
            Some(inside) => self.folder.file_seen(&inside),
            None if asked.is_absolute() && reach == FileReach::Named => disk::open_seen(asked),
            None => {
                let detail = "the path leads out of the workspace";
                return Err(FileRefusal::because(name, ReadProblem::Refused, detail));
            }
        };
        match disk::existing(opened).map_err(|error| refusal_of(name, &error))? {
            Some((file, metadata)) => examined(name, file, &metadata),
            None => Err(FileRefusal::Absent),
        }
    }

    /// The open directory.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The path relative to the workspace, if `asked` stays inside it.
    pub(super) fn inside(&self, asked: &Path) -> Option<PathBuf> {
        let relative = if asked.is_absolute() { asked.strip_prefix(&self.path).ok()? } else { asked };
        let mut inside = PathBuf::new();
        for component in relative.components() {
            match component {
                Component::Normal(part) => inside.push(part),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        (!inside.as_os_str().is_empty()).then_some(inside)
    }
}

/// Refuses a file that someone else may have placed there: another user's, with a second hard link.
fn examined(name: &str, file: File, metadata: &Metadata) -> Result<UntrustedFile, FileRefusal> {
    if metadata.nlink() > 1 && metadata.uid() != rustix::process::geteuid().as_raw() {
        let detail = "it belongs to another user and has a second name (a hard link)";
        return Err(FileRefusal::because(name, ReadProblem::Refused, detail));
    }
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let modified_nanos = nanos(metadata.mtime(), metadata.mtime_nsec());
    let millis = i64::try_from(modified_nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX);
    Ok(UntrustedFile {
        file,
        name: name.to_owned(),
        size: metadata.len(),
        written_at: Timestamp(millis),
        identity: FileIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified_nanos,
            changed_nanos: nanos(metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.len(),
        },
    })
}

fn refusal_of(name: &str, error: &io::Error) -> FileRefusal {
    let problem = disk::file_problem(error);
    let detail = if problem == ReadProblem::Link {
        "it is a symbolic link, or a directory on the way to it is one; links are not followed".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "no permission to read it".to_owned()
    } else if problem == ReadProblem::Refused {
        "the path leads out of the workspace".to_owned()
    } else {
        error.to_string()
    };
    FileRefusal::because(name, problem, detail)
}

fn io_refusal(name: &str, error: &io::Error) -> FileRefusal {
    FileRefusal::because(name, ReadProblem::Io, error.to_string())
}

impl UntrustedFile {
    /// The whole content, if it is at most `cap` bytes long. A file that grows meanwhile is not read past
    /// the limit.
    ///
    /// # Errors
    /// The file is longer, or cannot be read.
    pub fn read_whole(&self, cap: u64) -> Result<Vec<u8>, FileRefusal> {
        let too_large = || {
            let detail = format!("it is longer than {cap} bytes and was not read");
            FileRefusal::because(&self.name, ReadProblem::TooLarge, detail)
        };
        if self.size > cap {
            return Err(too_large());
        }
        // Some file systems tell no size.
        let most = if self.size == 0 { 64 << 10 } else { self.size };
        let bytes = self.read_range(0, cap.saturating_add(1).min(most))?;
        if bytes.len() as u64 > cap { Err(too_large()) } else { Ok(bytes) }
    }

    /// At most `length` bytes from `start`; fewer at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_range(&self, start: u64, length: u64) -> Result<Vec<u8>, FileRefusal> {
        let end = start.saturating_add(length);
        disk::read_range(&self.file, start, end).map_err(|error| io_refusal(&self.name, &error))
    }

    /// The open file, for readers that stream.
    pub(super) fn as_file(&self) -> &File {
        &self.file
    }
}
