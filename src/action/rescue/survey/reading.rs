//! Reads one path of the work tree without waiting, and reads it again if it changed meanwhile.
//!
//! It must not follow a link, not even in a parent folder, and must not read anything but regular files and the
//! targets of links.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{Place, Spool};
use crate::disk::{Folder, file_problem};
use crate::git::{IndexEntry, ObjectFormat};
use crate::model::ReadProblem;

/// How often a file is read when it keeps changing.
const TRIES: usize = 3;
/// The buffer size, in bytes.
const PIECE: usize = 1 << 20;

/// The deepest folder whose contents are kept. Git reads no tree that is deeper than 2,048
/// (git-config(1), `core.maxTreeDepth`), and a record has folders of its own.
const DEEPEST: usize = 2_040;

/// The state of a path, to see whether it has changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    place: (u64, u64),
    mode: u32,
    /// In bytes.
    pub(crate) size: u64,
    modified: (i64, u64),
    changed: (i64, u64),
    /// Whether it is a file without further hard links.
    pub(crate) has_one_name: bool,
}

impl Stamp {
    #[expect(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
    pub(crate) fn of(stat: &Stat) -> Stamp {
        Stamp {
            place: (stat.st_dev as u64, stat.st_ino as u64),
            mode: stat.st_mode as u32,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u64),
            has_one_name: stat.st_nlink == 1,
        }
    }

    pub(crate) fn inode(&self) -> u64 {
        self.place.1
    }

    pub(crate) fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.mode) == FileType::Directory
    }

    /// Its size and time as an index stores them, to see whether it has changed since.
    pub(crate) fn as_in_index(&self) -> (u32, u64, u64) {
        let size = u32::try_from(self.size & u64::from(u32::MAX)).unwrap_or(0);
        (size, u64::try_from(self.modified.0).unwrap_or(0), self.modified.1)
    }

    /// Whether an index entry was made from this very file, changed since or not.
    pub(crate) fn is_file_of(&self, entry: &IndexEntry) -> bool {
        let inode = u32::try_from(self.place.1 & u64::from(u32::MAX)).unwrap_or(0);
        entry.inode != 0 && entry.inode == inode
    }

    /// The time of its last change of any kind (ctime), since the epoch.
    pub(crate) fn changed_at(&self) -> Duration {
        let (seconds, nanos) = self.changed;
        Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0))
    }

    /// The mode that git gives it.
    pub(crate) fn git_mode(&self) -> &'static str {
        if FileType::from_raw_mode(self.mode) == FileType::Symlink {
            "120000"
        } else if self.mode & 0o100 != 0 {
            "100755"
        } else {
            "100644"
        }
    }
}

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A file or a link; its content is in the spool.
    Read(Blob),
    /// A folder; what it contains has paths of its own.
    Folder,
    /// Nothing.
    Absent,
    /// Something unreadable; the text says why.
    Unreadable(String),
}

/// A content that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blob {
    /// Its state after it was read.
    pub(crate) stamp: Stamp,
    /// The object id that we computed.
    pub(crate) id: String,
    /// Where its content is in the spool.
    pub(crate) place: Place,
    /// In bytes.
    pub(crate) size: u64,
    /// Whether it changed during every attempt to read it.
    pub(crate) is_torn: bool,
}

/// The top folder of the work tree, opened once.
pub(crate) struct WorkTree {
    top: Folder,
    format: ObjectFormat,
}

impl WorkTree {
    /// Opens the top folder; contents get ids in this object format.
    pub(crate) fn open(top: &Path, format: ObjectFormat) -> Result<WorkTree, RescueError> {
        let top = Folder::open_unlinked(top).map_err(|errno| RescueError::io("open", top)(errno.into()))?;
        Ok(WorkTree { top, format })
    }

    /// The current state of the path; `None` if nothing is there.
    pub(crate) fn stamp(&self, path: &[u8]) -> Result<Option<Stamp>, Errno> {
        match self.parent(path).and_then(|(folder, name)| folder.stat(name)) {
            Ok(stat) => Ok(Some(Stamp::of(&stat))),
            Err(errno) if is_absence(errno) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Reads the path into the spool.
    pub(crate) fn read(&self, path: &[u8], spool: &mut Spool) -> Result<Found, RescueError> {
        let (folder, name) = match self.parent(path) {
            Ok(parent) => parent,
            Err(errno) => return Ok(not_found(errno)),
        };
        let folder = &folder;
        for attempt in 1..=TRIES {
            let stat = match folder.stat(name) {
                Ok(stat) => stat,
                Err(errno) => return Ok(not_found(errno)),
            };
            let found = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink => read_link(folder, name, Stamp::of(&stat), self.format, spool)?,
                FileType::RegularFile => read_file(folder, name, attempt == TRIES, self.format, spool)?,
                FileType::Directory => return Ok(Found::Folder),
                FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => {
                    return Ok(Found::Unreadable("it is no file, link or folder".to_owned()));
                }
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Ok(Found::Unreadable("it becomes something else all the time".to_owned()))
    }

    /// Starts a walk.
    pub(crate) fn walk(&self) -> Walk<'_> {
        Walk { tree: self, last: None }
    }

    /// Whether a folder is there, reached through no link.
    pub(crate) fn is_folder(&self, path: &[u8]) -> bool {
        matches!(self.stamp(path), Ok(Some(stamp))
            if FileType::from_raw_mode(stamp.mode) == FileType::Directory)
    }

    /// The folder that holds the last component, and that component.
    fn parent<'p>(&self, path: &'p [u8]) -> Result<(Folder, &'p [u8]), Errno> {
        check_plain(path)?;
        let at = path.iter().rposition(|byte| *byte == b'/');
        let (parent, name) = at.map_or((&path[..0], path), |at| (&path[..at], &path[at + 1..]));
        Ok((self.top.folder(Path::new(OsStr::from_bytes(parent)))?, name))
    }
}

/// A walk through the work tree. It keeps the last folder open, so that a folder in it is opened by its name
/// alone: from the top, each would cost as many steps as it is deep.
pub(crate) struct Walk<'a> {
    tree: &'a WorkTree,
    last: Option<(Vec<u8>, Folder)>,
}

impl Walk<'_> {
    /// The sorted names in a folder with their types; an empty path means the top.
    pub(crate) fn entries(&mut self, path: &[u8]) -> Result<Vec<(Vec<u8>, FileType)>, Errno> {
        if !path.is_empty() {
            check_plain(path)?;
        }
        if is_too_deep(path) {
            return Err(Errno::NAMETOOLONG);
        }
        let below = |(last, folder): (Vec<u8>, Folder)| {
            let name = path.strip_prefix(&last[..])?.strip_prefix(b"/")?;
            Some(folder.folder(Path::new(OsStr::from_bytes(name))))
        };
        let folder = match self.last.take().and_then(below) {
            Some(folder) => folder?,
            None => self.tree.top.folder(Path::new(OsStr::from_bytes(path)))?,
        };
        let mut entries = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = FileType::from_raw_mode(folder.stat(name)?.st_mode);
            }
            entries.push((name.to_vec(), kind));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        self.last = Some((path.to_vec(), folder));
        Ok(entries)
    }

    /// The size in bytes of what has this name in the last folder; `None` if it is gone.
    pub(crate) fn size(&self, name: &[u8]) -> Option<u64> {
        let (_, folder) = self.last.as_ref()?;
        folder.stat(name).ok().map(|stat| Stamp::of(&stat).size)
    }
}

/// Whether what is in this folder lies too deep to be kept.
pub(crate) fn is_too_deep(folder: &[u8]) -> bool {
    folder.len() > DEEPEST && folder.split(|byte| *byte == b'/').nth(DEEPEST).is_some()
}

/// Refuses anything that is not a plain relative path as git has them.
fn check_plain(path: &[u8]) -> Result<(), Errno> {
    let is_plain = |name: &[u8]| !name.is_empty() && name != b"." && name != b"..";
    if path.split(|byte| *byte == b'/').all(is_plain) { Ok(()) } else { Err(Errno::INVAL) }
}

/// Whether an error means that nothing is at the path: its parent is missing, a file or a link.
fn is_absence(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

fn not_found(errno: Errno) -> Found {
    if is_absence(errno) { Found::Absent } else { Found::Unreadable(std::io::Error::from(errno).to_string()) }
}

fn read_link(
    folder: &Folder,
    name: &[u8],
    stamp: Stamp,
    format: ObjectFormat,
    spool: &mut Spool,
) -> Result<Option<Found>, RescueError> {
    let target = match folder.link_target(name) {
        Ok(target) => target,
        // It is no longer a link.
        Err(Errno::INVAL) => return Ok(None),
        Err(errno) => return Ok(Some(not_found(errno))),
    };
    let content = target.to_bytes();
    // A link cannot be modified, only replaced, so one look afterwards suffices.
    match folder.stat(name) {
        Ok(after) if Stamp::of(&after) == stamp => {}
        Ok(_) => return Ok(None),
        Err(errno) => return Ok(Some(not_found(errno))),
    }
    let Some(id) = format.id_of(content) else { return Ok(Some(collision())) };
    let place = spool.blob(content)?;
    let size = content.len() as u64;
    Ok(Some(Found::Read(Blob { stamp, id, place, size, is_torn: false })))
}

/// Reports a SHA-1 collision: git refuses such an object and everything imported along with it.
fn collision() -> Found {
    Found::Unreadable("it is made to have the SHA-1 of another content, and git refuses it".to_owned())
}

/// Reads a regular file; `None` if it changed meanwhile and this was not the last attempt.
fn read_file(
    folder: &Folder,
    name: &[u8],
    is_last: bool,
    format: ObjectFormat,
    spool: &mut Spool,
) -> Result<Option<Found>, RescueError> {
    let mut file = match folder.file(Path::new(OsStr::from_bytes(name))) {
        Ok(file) => file,
        // It has been replaced by something else.
        Err(error) if matches!(file_problem(&error), ReadProblem::Link | ReadProblem::NotAFile) => {
            return Ok(None);
        }
        Err(error) => {
            let errno = Errno::from_io_error(&error);
            return Ok(Some(errno.map_or_else(|| Found::Unreadable(error.to_string()), not_found)));
        }
    };
    let unreadable = |errno: Errno| Found::Unreadable(std::io::Error::from(errno).to_string());
    let before = match rustix::fs::fstat(&file) {
        Ok(stat) => Stamp::of(&stat),
        Err(errno) => return Ok(Some(unreadable(errno))),
    };
    let mut id = format.blob(before.size);
    let start = spool.begin(before.size)?;
    let mut n_read = 0;
    let mut piece = vec![0; PIECE.min(usize::try_from(before.size).unwrap_or(PIECE) + 1)];
    loop {
        // The buffer holds one byte more than expected, to detect growth.
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => {
                n_read += n as u64;
                if n_read > before.size {
                    break;
                }
                id.update(&piece[..n]);
                spool.add(&piece[..n])?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                spool.rewind(start)?;
                return Ok(Some(Found::Unreadable(error.to_string())));
            }
        }
    }
    let after = match rustix::fs::fstat(&file) {
        Ok(found) => Stamp::of(&found),
        Err(errno) => {
            spool.rewind(start)?;
            return Ok(Some(unreadable(errno)));
        }
    };
    if n_read == before.size && before == after {
        let Some(id) = id.hex() else {
            spool.rewind(start)?;
            return Ok(Some(collision()));
        };
        let place = spool.end()?;
        let blob = Blob { stamp: after, id, place, size: n_read, is_torn: false };
        return Ok(Some(Found::Read(blob)));
    }
    spool.rewind(start)?;
    if !is_last {
        return Ok(None);
    }
    read_torn(&mut file, after, format, spool).map(Some)
}

/// Reads a file that keeps changing: at most the size it last had, marked as torn.
fn read_torn(
    file: &mut File,
    stamp: Stamp,
    format: ObjectFormat,
    spool: &mut Spool,
) -> Result<Found, RescueError> {
    use std::io::Seek as _;
    let mut content = Vec::new();
    let read = file.rewind().and_then(|()| file.take(stamp.size.min(TORN_CAP)).read_to_end(&mut content));
    if let Err(error) = read {
        return Ok(Found::Unreadable(error.to_string()));
    }
    if stamp.size > TORN_CAP {
        return Ok(Found::Unreadable("it is large and changes all the time".to_owned()));
    }
    let size = content.len() as u64;
    let Some(id) = format.id_of(&content) else { return Ok(collision()) };
    let place = spool.blob(&content)?;
    Ok(Found::Read(Blob { stamp, id, place, size, is_torn: true }))
}

/// The largest file of which a torn reading is kept, in bytes.
const TORN_CAP: u64 = 64 << 20;
