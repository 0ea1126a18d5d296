//! The input stream for `git fast-import`, as a file of ours: contents are written while they are read, and one
//! that turned out unusable is rewound. It must not hold contents in memory.

use std::fs::File;
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::action::rescue::base::RescueError;
use crate::disk::write::create_new;
use crate::git::Git;
use crate::process::Cancel;

/// The name of the stream that a record is made from, in its working folder.
pub(crate) const STREAM: &str = "stream";

/// Where a content is in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The mark by which the stream refers to it.
    pub(crate) mark: usize,
    /// The offset of its first byte in the file.
    pub(crate) start: u64,
}

pub(crate) struct Spool {
    file: BufWriter<File>,
    path: PathBuf,
    length: u64,
    n_marks: usize,
    /// The offset of the current content.
    content: u64,
    /// Stops the reading of a large content between two pieces.
    cancel: Option<Cancel>,
}

impl Spool {
    /// Creates a stream in the new file `path`. It is cancelled together with the commands of `git`.
    pub(crate) fn create(git: &Git<'_>, path: &Path) -> Result<Spool, RescueError> {
        let file = create_new(path).map_err(RescueError::io("make", path))?;
        Ok(Spool {
            file: BufWriter::with_capacity(256 << 10, file),
            path: path.to_owned(),
            length: 0,
            n_marks: 0,
            content: 0,
            cancel: git.cancel.cloned(),
        })
    }

    /// How many bytes it has.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds a whole content and returns its place.
    pub(crate) fn blob(&mut self, content: &[u8]) -> Result<Place, RescueError> {
        self.begin(content.len() as u64)?;
        self.add(content)?;
        self.end()
    }

    /// Begins a content of exactly `size` bytes. Returns the offset for [`Spool::rewind`] if it turns out
    /// otherwise.
    pub(crate) fn begin(&mut self, size: u64) -> Result<u64, RescueError> {
        let start = self.length;
        let mark = self.n_marks + 1;
        self.add(format!("blob\nmark :{mark}\ndata {size}\n").as_bytes())?;
        self.content = self.length;
        Ok(start)
    }

    /// Ends the current content and returns its place.
    pub(crate) fn end(&mut self) -> Result<Place, RescueError> {
        self.add(b"\n")?;
        self.n_marks += 1;
        Ok(Place { mark: self.n_marks, start: self.content })
    }

    /// Discards the content that began at offset `start`.
    pub(crate) fn rewind(&mut self, start: u64) -> Result<(), RescueError> {
        let failed = |error| RescueError::io("write", &self.path)(error);
        self.file.flush().map_err(failed)?;
        self.file.get_ref().set_len(start).map_err(failed)?;
        self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
        self.length = start;
        Ok(())
    }

    /// Appends bytes as they are.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), RescueError> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(RescueError::Cancelled);
        }
        self.length += bytes.len() as u64;
        self.file.write_all(bytes).map_err(RescueError::io("write", &self.path))
    }

    /// A new mark for something other than a blob.
    pub(crate) fn next_mark(&mut self) -> usize {
        self.n_marks += 1;
        self.n_marks
    }

    /// The finished file, positioned at its start.
    pub(crate) fn finish(self) -> Result<File, RescueError> {
        let path = self.path;
        let mut file =
            self.file.into_inner().map_err(|error| RescueError::io("write", &path)(error.into_error()))?;
        file.rewind().map_err(RescueError::io("read", &path))?;
        Ok(file)
    }
}

/// A path in the syntax of `fast-import`: quoted, with every unusual byte in octal.
pub(crate) fn quoted(path: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"._-/ ".contains(byte) {
            text.push(*byte);
        } else {
            text.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        }
    }
    text.push(b'"');
    text
}
