//! Reads the files of a git directory: no component below that directory may be a link, nothing waits, and nothing is
//! read past a cap.

use std::fs::File;
use std::io;
use std::path::{Component, Path};

use super::trouble::{Read, file_trouble, trouble};
use crate::disk::{self, Folder};
use crate::model::{ReadProblem, display_text};

/// The most that is read of a file that git keeps small, in bytes.
const SMALL: u64 = 64 << 10;

/// Opens the regular file `name` below `folder`; `None` when it does not exist. `folder` is trusted and may be
/// reached by links.
///
/// # Errors
/// `name` is no regular file, is reached by a link, or cannot be opened.
pub fn open(folder: &Path, name: impl AsRef<Path>) -> Read<Option<File>> {
    let name = name.as_ref();
    let is_one = matches!(name.components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
    let opened = if is_one {
        disk::open(&folder.join(name))
    } else {
        Folder::open(folder).map_err(io::Error::from).and_then(|folder| folder.file(name))
    };
    disk::existing(opened).map_err(|error| file_trouble(&folder.join(name), &error))
}

/// The content of a file of at most `cap` bytes; otherwise as [`open`].
///
/// # Errors
/// As [`open`], and [`ReadProblem::TooLarge`].
pub fn read(folder: &Path, name: impl AsRef<Path>, cap: u64) -> Read<Option<Vec<u8>>> {
    let name = name.as_ref();
    let content = read_start(folder, name, cap.saturating_add(1))?;
    if content.as_ref().is_some_and(|content| content.len() as u64 > cap) {
        let shown = display_text::path(&folder.join(name));
        return Err(trouble(ReadProblem::TooLarge, format!("{shown} is longer than {cap} bytes")));
    }
    Ok(content)
}

/// The content of a file that git keeps small.
///
/// # Errors
/// As [`read`].
pub fn read_small(folder: &Path, name: impl AsRef<Path>) -> Read<Option<Vec<u8>>> {
    read(folder, name, SMALL)
}

/// The first `length` bytes of a file.
///
/// # Errors
/// As [`open`].
pub fn read_start(folder: &Path, name: impl AsRef<Path>, length: u64) -> Read<Option<Vec<u8>>> {
    opened(folder, name.as_ref(), |file| disk::read_start(file, length))
}

/// The last `length` bytes of a file, and whether that is all of it.
///
/// # Errors
/// As [`open`].
pub fn read_tail(folder: &Path, name: impl AsRef<Path>, length: u64) -> Read<Option<(Vec<u8>, bool)>> {
    opened(folder, name.as_ref(), |file| disk::read_end(file, length))
}

/// The same through links, as git follows them: for what only goes to git again and is never shown.
///
/// # Errors
/// As [`read`].
pub fn read_linked(path: &Path, cap: u64) -> Read<Option<Vec<u8>>> {
    disk::read_linked(path, cap).map_err(|error| file_trouble(path, &error))
}

fn opened<T>(folder: &Path, name: &Path, read: impl FnOnce(&File) -> io::Result<T>) -> Read<Option<T>> {
    let content = open(folder, name)?.map(|file| read(&file)).transpose();
    content.map_err(|error| file_trouble(&folder.join(name), &error))
}
