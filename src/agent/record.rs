//! The files that agents write, which may be hostile: how they are opened, what is said of one that cannot be read, and
//! how a record of JSON lines is read that may be huge and grows at its end: from the end backwards until enough is
//! known, then only what was appended.
//!
//! It knows nothing of what the lines mean; a [`LineReader`] does. It never holds more than
//! [`REACH`] bytes at a time and never reads the whole of a longer file.

use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::disk;
use crate::model::Unreadable;

pub(super) use crate::disk::{fill, millis as modified_at, open as open_record, read_range};

/// How far back from the end is looked at most, in bytes.
pub(super) const REACH: u64 = 32 << 20;
/// The sizes of the piece at the end that are tried one after the other, in bytes. Nearly every
/// question is answered by the first.
const PIECES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, REACH];
/// How far back the begin of a task is looked for, in bytes: what lies before is seldom worth the time.
const TASK_REACH: u64 = 1 << 20;
/// A longer line is not parsed; in practice it is the result of a tool.
const LONGEST_LINE: usize = 8 << 20;
/// So much of the begin of a longer line is given to the reader, in bytes.
const LONGEST_BEGIN: usize = 4 << 10;
/// The blocks in which something is looked for further back, in bytes, with so much of the next one.
const BLOCK: usize = 64 << 10;
const OVERLAP: usize = 64;
/// How many bytes before the offset are remembered, to notice that a file was rewritten.
const MARK: u64 = 64;

/// What the lines of a record mean, gathered in their order.
pub(super) trait LineReader: Default {
    /// Takes one line, without its line feed.
    fn take(&mut self, line: &[u8]);
    /// Takes note of a line that is too long to be parsed, of which `begin` is the begin.
    fn pass_over(&mut self, begin: &[u8]);
    /// True when lines before the first one taken could add nothing that is needed.
    fn is_enough(&self) -> bool;
    /// True when the lines reach back to where the last task began, as far as that shows. It is looked for
    /// within [`TASK_REACH`] only.
    fn has_task(&self) -> bool {
        true
    }
}

/// A record that was read up to an offset.
#[derive(Debug)]
pub(super) struct Followed<R> {
    device: u64,
    inode: u64,
    /// Just after the last line feed that was taken.
    offset: u64,
    /// The bytes before `offset`.
    mark: Vec<u8>,
    /// The begin of a line that is still being written.
    pub(super) unfinished: Vec<u8>,
    /// What the lines said.
    pub(super) reader: R,
    /// Where the first piece that was read began; 0 when all of the file was.
    pub(super) begins_at: u64,
    /// True when the search ended at [`REACH`] before enough was known.
    pub(super) is_cut: bool,
}

impl<R: LineReader> Followed<R> {
    /// Reads from the end backwards until enough is known.
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
        };
        for piece in PIECES {
            let start = size.saturating_sub(piece);
            followed.take_from(file, start, size)?;
            let reaches_task = followed.reader.has_task() || piece >= TASK_REACH;
            if start == 0 || followed.reader.is_enough() && reaches_task {
                return Ok(followed);
            }
        }
        followed.is_cut = true;
        Ok(followed)
    }

    /// Forgets what was read and takes the lines from `start`; a line that begins before it is left out.
    pub(super) fn take_from(&mut self, file: &File, start: u64, end: u64) -> io::Result<()> {
        let piece = read_range(file, start, end)?;
        let first = if start == 0 { Some(0) } else { line_feed(&piece).map(|at| at + 1) };
        self.reader = R::default();
        self.begins_at = start;
        let Some(first) = first else {
            // One unfinished or endless line: nothing to take, and nothing to remember it by.
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

    /// Takes what was appended. False when it is another file, or was cut or rewritten: open it anew.
    pub(super) fn follow(&mut self, file: &File) -> io::Result<bool> {
        let metadata = file.metadata()?;
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
        let taken = take_lines(&mut self.reader, appended);
        self.offset += taken as u64;
        self.remember_unfinished(&appended[taken..]);
        let end = self.mark.len() + taken;
        self.remember_mark(&piece[..end]);
        Ok(true)
    }

    /// Takes a longer piece, of `reach` bytes from the end, if something in it that was not taken `is_wanted`. It is
    /// asked of blocks that overlap, so that nothing of at most [`OVERLAP`] bytes is cut in two.
    pub(super) fn reach_for(
        &mut self,
        file: &File,
        reach: u64,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        let size = file.metadata()?.len();
        let start = size.saturating_sub(reach);
        let mut end = self.begins_at;
        // One block for all: the memory of a new one each time costs more than the search.
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

/// Takes the whole lines of `piece` and tells how many bytes they are. What follows the last line feed
/// is a line that is still being written.
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

/// The whole of a file of at most `longest` bytes.
pub(super) fn read_small(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    disk::read(path, longest)?.ok_or(io::ErrorKind::NotFound.into())
}

/// Says that a file or folder cannot be read. Nothing is said of one that is gone since it was listed.
pub(super) fn note_unreadable(all: &mut Vec<Unreadable>, path: &Path, what: &str, error: &io::Error) {
    if error.kind() != io::ErrorKind::NotFound {
        let detail = format!("{what} cannot be read: {error}");
        all.push(Unreadable { name: path.display().to_string(), problem: disk::file_problem(error), detail });
    }
}

/// What is in a folder; nothing where it is not there or cannot be read, which is said.
pub(super) fn entries(
    folder: &Path,
    what: &str,
    trouble: &mut Vec<Unreadable>,
) -> impl Iterator<Item = DirEntry> + use<> {
    let entries = fs::read_dir(folder).inspect_err(|error| note_unreadable(trouble, folder, what, error));
    entries.into_iter().flatten().filter_map(Result::ok)
}
