//! Reads files of a git directory: no component below that directory may be a link, no open waits, and
//! nothing is read past a size limit.

use std::fs::File;
use std::io;
use std::path::{Component, Path};

use super::trouble::{Read, file_trouble, trouble};
use crate::disk;
use crate::model::{ReadProblem, display_text};

/// How much is read of a file that git keeps small, in bytes.
const SMALL: u64 = 64 << 10;

/// Opens the regular file `name` below `folder`. `None` if it does not exist. `folder` is trusted and may
/// be reached through links.
///
/// # Errors
/// `name` is not a regular file, is reached through a link, or cannot be opened.
pub fn open(folder: &Path, name: impl AsRef<Path>) -> Read<Option<File>> {
    Ok(open_sized(folder, name.as_ref())?.map(|(file, _)| file))
}

fn open_sized(folder: &Path, name: &Path) -> Read<Option<(File, u64)>> {
    let is_one = matches!(name.components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
    let opened = if is_one { disk::open_sized(&folder.join(name)) } else { disk::open_below(folder, name) };
    disk::existing(opened).map_err(|error| file_trouble(&folder.join(name), &error))
}

/// Reads a file of at most `cap` bytes. `None` if it does not exist.
///
/// # Errors
/// As [`open`], and [`ReadProblem::TooLarge`].
pub fn read(folder: &Path, name: impl AsRef<Path>, cap: u64) -> Read<Option<Vec<u8>>> {
    let name = name.as_ref();
    let too_long = || {
        let shown = display_text::path(&folder.join(name));
        trouble(ReadProblem::TooLarge, format!("{shown} is longer than {cap} bytes"))
    };
    let Some((file, size)) = open_sized(folder, name)? else { return Ok(None) };
    if size > cap {
        return Err(too_long());
    }
    let content = disk::read_sized(&file, size, cap.saturating_add(1));
    let content = content.map_err(|error| file_trouble(&folder.join(name), &error))?;
    if content.len() as u64 > cap { Err(too_long()) } else { Ok(Some(content)) }
}

/// Reads a file that git keeps small.
///
/// # Errors
/// As [`read`].
pub fn read_small(folder: &Path, name: impl AsRef<Path>) -> Read<Option<Vec<u8>>> {
    read(folder, name, SMALL)
}

/// Reads the first `length` bytes of a file.
///
/// # Errors
/// As [`open`].
pub fn read_start(folder: &Path, name: impl AsRef<Path>, length: u64) -> Read<Option<Vec<u8>>> {
    opened(folder, name.as_ref(), |file, size| disk::read_sized(file, size, length))
}

/// Reads the last `length` bytes of a file, and tells whether that is all of it.
///
/// # Errors
/// As [`open`].
pub fn read_tail(folder: &Path, name: impl AsRef<Path>, length: u64) -> Read<Option<(Vec<u8>, bool)>> {
    opened(folder, name.as_ref(), |file, size| {
        if size == 0 {
            return disk::read_end(file, length);
        }
        let skipped = size.saturating_sub(length);
        Ok((disk::read_range(file, skipped, size)?, skipped == 0))
    })
}

/// Like [`read`], but through links, as git follows them. For content that is only passed back to git and
/// never shown.
///
/// # Errors
/// As [`read`].
pub fn read_linked(path: &Path, cap: u64) -> Read<Option<Vec<u8>>> {
    disk::read_linked(path, cap).map_err(|error| file_trouble(path, &error))
}

fn opened<T>(folder: &Path, name: &Path, read: impl FnOnce(&File, u64) -> io::Result<T>) -> Read<Option<T>> {
    let content = open_sized(folder, name)?.map(|(file, size)| read(&file, size)).transpose();
    content.map_err(|error| file_trouble(&folder.join(name), &error))
}
