//! The files that agents write, which may be hostile: how they are opened, how an unreadable one is
//! reported, and how to read a record of JSON lines that may be huge and grows at its end: backwards from
//! the end until enough is known, afterwards only what was appended.
//!
//! Nothing here knows what the lines mean; a [`LineReader`] does. At most [`REACH`] bytes are held at a
//! time, and a longer file is never read in full.

use std::fs::{self, DirEntry, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::disk;
use crate::model::{Timestamp, Unreadable};

pub(super) use crate::disk::{fill, millis as modified_at, open as open_record, open_seen, read_range};

/// How far back from the end to read at most, in bytes.
pub(super) const REACH: u64 = 32 << 20;
/// The sizes of the trailing piece, tried in turn, in bytes. The first nearly always suffices.
const PIECES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, REACH];
/// The longest line parsed, in bytes. In practice a longer one is a tool's result.
const LONGEST_LINE: usize = 8 << 20;
/// How much of the start of a longer line is passed to the reader, in bytes.
const LONGEST_BEGIN: usize = 4 << 10;
/// The size of the blocks for searching further back, and how far each extends into the next one, in bytes.
const BLOCK: usize = 64 << 10;
const OVERLAP: usize = 64;
/// How many bytes before the offset are remembered, to notice that a file was rewritten.
const MARK: u64 = 64;

/// Interprets the lines of a record, taking them in order.
pub(super) trait LineReader: Default {
    /// Takes one line, without its line feed.
    fn take(&mut self, line: &[u8]);
    /// Takes note of a line too long to be parsed, of which `begin` is the start.
    fn pass_over(&mut self, begin: &[u8]);
    /// Whether earlier lines could add nothing that is needed.
    fn is_enough(&self) -> bool;
    /// Whether the lines reach back to the start of the last task, as far as one can tell.
    fn has_task(&self) -> bool {
        true
    }
}

/// A record read up to an offset.
#[derive(Debug)]
pub(super) struct Followed<R> {
    device: u64,
    inode: u64,
    /// Just after the last line feed taken.
    offset: u64,
    /// The last bytes before `offset`; see [`MARK`].
    mark: Vec<u8>,
    /// The start of a line that is still being written.
    pub(super) unfinished: Vec<u8>,
    pub(super) reader: R,
    /// Where the first piece that was read began; 0 if the whole file was read.
    pub(super) begins_at: u64,
    /// Whether reading stopped at [`REACH`] before enough was known.
    pub(super) is_cut: bool,
    /// When the file was last modified, as of the last read.
    pub(super) written_at: Timestamp,
}

impl<R: LineReader> Followed<R> {
    /// Reads backwards from the end until enough is known.
    pub(super) fn open(file: &File) -> io::Result<Followed<R>> {
        let metadata = file.metadata()?;
        let size = metadata.len();
        let mut followed = Followed {
            device: metadata.dev(),
            inode: metadata.ino(),
            offset: 0,
            mark: Vec::new(),
            unfinished: Vec::new(),
            reader: R::default(),
            begins_at: 0,
            is_cut: false,
            written_at: modified_at(&metadata),
        };
        for piece in PIECES {
            let start = size.saturating_sub(piece);
            followed.take_from(file, start, size)?;
            if start == 0 || followed.reader.is_enough() && followed.reader.has_task() {
                return Ok(followed);
            }
        }
        followed.is_cut = true;
        Ok(followed)
    }

    /// Discards what was read and takes the lines from `start`. A line that begins before `start` is left
    /// out.
    fn take_from(&mut self, file: &File, start: u64, end: u64) -> io::Result<()> {
        let piece = read_range(file, start, end)?;
        let first = if start == 0 { Some(0) } else { line_feed(&piece).map(|at| at + 1) };
        self.reader = R::default();
        self.begins_at = start;
        let Some(first) = first else {
            // A single unfinished or endless line: there is nothing to take, and nothing to recognise the
            // file by.
            self.offset = start;
            self.mark.clear();
            self.unfinished.clear();
            return Ok(());
        };
        let taken = first + take_lines(&mut self.reader, &piece[first..]);
        self.offset = start + taken as u64;
        self.remember_mark(&piece[..taken]);
        self.remember_unfinished(&piece[taken..]);
        Ok(())
    }

    /// Takes what was appended. False if the file was replaced, truncated or rewritten; it must then be
    /// opened again.
    pub(super) fn follow(&mut self, file: &File, metadata: &Metadata) -> io::Result<bool> {
        let size = metadata.len();
        let is_same = (metadata.dev(), metadata.ino()) == (self.device, self.inode);
        if !is_same || size < self.offset || size - self.offset > REACH {
            return Ok(false);
        }
        let piece = read_range(file, self.offset - self.mark.len() as u64, size)?;
        let Some(appended) = piece.strip_prefix(self.mark.as_slice()) else { return Ok(false) };
        if self.mark.is_empty() && self.offset > 0 {
            return Ok(false);
        }
        self.written_at = modified_at(metadata);
        let taken = take_lines(&mut self.reader, appended);
        self.offset += taken as u64;
        self.remember_unfinished(&appended[taken..]);
        let end = self.mark.len() + taken;
        self.remember_mark(&piece[..end]);
        Ok(true)
    }

    /// Reads a piece of `reach` bytes from the end instead, if `is_wanted` holds for a block that was not
    /// read yet. The blocks overlap, so that nothing of at most [`OVERLAP`] bytes is split.
    pub(super) fn reach_for(
        &mut self,
        file: &File,
        reach: u64,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        let size = file.metadata()?.len();
        let start = size.saturating_sub(reach);
        let mut end = self.begins_at;
        // One buffer for all blocks: allocating a new one each time costs more than the search.
        let mut block = vec![0; BLOCK + OVERLAP];
        while end > start {
            let begin = end.saturating_sub(BLOCK as u64).max(start);
            let filled = fill(file, begin, &mut block)?;
            if is_wanted(&block[..filled]) {
                return self.take_from(file, start, size);
            }
            end = begin;
        }
        Ok(())
    }

    fn remember_unfinished(&mut self, line: &[u8]) {
        self.unfinished = line[..line.len().min(LONGEST_BEGIN)].to_vec();
    }

    fn remember_mark(&mut self, before_offset: &[u8]) {
        let from = before_offset.len().saturating_sub(usize::try_from(MARK).unwrap_or(usize::MAX));
        self.mark = before_offset[from..].to_vec();
    }
}

/// Takes the complete lines of `piece` and returns how many bytes they are. Anything after the last line
/// feed is a line still being written.
pub(super) fn take_lines<R: LineReader>(reader: &mut R, piece: &[u8]) -> usize {
    let mut taken = 0;
    for line in piece.split_inclusive(|byte| *byte == b'\n') {
        let Some(line_without_end) = line.strip_suffix(b"\n") else { break };
        taken += line.len();
        if line_without_end.len() > LONGEST_LINE {
            reader.pass_over(&line_without_end[..LONGEST_BEGIN]);
        } else if !line_without_end.trim_ascii().is_empty() {
            reader.take(line_without_end);
        }
    }
    taken
}

fn line_feed(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// Reads a file of at most `longest` bytes.
///
/// # Errors
/// The file is missing, longer, not a regular file, or cannot be read.
pub(super) fn read_small(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    disk::read(path, longest)?.ok_or(io::ErrorKind::NotFound.into())
}

/// Reports that a file or folder cannot be read. One that has disappeared since it was listed is not
/// reported.
pub(super) fn note_unreadable(all: &mut Vec<Unreadable>, path: &Path, what: &str, error: &io::Error) {
    if error.kind() != io::ErrorKind::NotFound {
        let detail = format!("{what} cannot be read: {error}");
        all.push(Unreadable { name: path.display().to_string(), problem: disk::file_problem(error), detail });
    }
}

/// The entries of a folder. Empty if it does not exist, or cannot be read, which is reported.
pub(super) fn entries(
    folder: &Path,
    what: &str,
    trouble: &mut Vec<Unreadable>,
) -> impl Iterator<Item = DirEntry> + use<> {
    let entries = fs::read_dir(folder).inspect_err(|error| note_unreadable(trouble, folder, what, error));
    entries.into_iter().flatten().filter_map(Result::ok)
}
