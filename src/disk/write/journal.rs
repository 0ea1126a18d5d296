//! A file of JSON lines that only grows. Damage caused by a crash is skipped and counted.
//!
//! It must not be repaired in place.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::open_to_append;
use crate::disk::{existing, open, read_end};

/// A journal of entries `T`, one per line. Each may be preceded by a checksum of its text, which
/// distinguishes a damaged line from one that a newer version wrote.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    /// How much of its end is read, in bytes.
    cap: u64,
    sum: Option<fn(&[u8]) -> String>,
    entries: PhantomData<fn(T) -> T>,
}

/// How much of the end is read first if not everything is needed, in bytes: hundreds of lines.
const FIRST_PIECE: u64 = 64 << 10;

/// How much is read at once of a journal of which all entries are wanted, in bytes.
const BUFFER: usize = 256 << 10;

/// The content of a journal.
#[derive(Debug, PartialEq, Eq)]
pub struct Lines<T> {
    /// The entries, oldest first.
    pub entries: Vec<T>,
    /// How many lines are truncated or damaged.
    pub n_damaged: usize,
    /// How many lines are intact but contain no entry this version knows.
    pub n_newer: usize,
}

impl<T> Default for Lines<T> {
    fn default() -> Lines<T> {
        Lines { entries: Vec::new(), n_damaged: 0, n_newer: 0 }
    }
}

impl<T> Lines<T> {
    /// How many lines could not be read, for either reason.
    pub fn n_unread(&self) -> usize {
        self.n_damaged + self.n_newer
    }
}

enum Line<T> {
    Entry(T),
    Newer,
    Damaged,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// The journal at `path`, of which at most the last `cap` bytes are read. `sum` computes the checksum
    /// before each entry, if there is one.
    pub fn at(path: PathBuf, cap: u64, sum: Option<fn(&[u8]) -> String>) -> Journal<T> {
        Journal { path, cap, sum, entries: PhantomData }
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an entry, which is on disk when this returns.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn append(&self, entry: &T) -> io::Result<()> {
        self.append_to(&open_to_append(&self.path, Some(0o600))?, entry)
    }

    /// Like [`Journal::append`], to a file that is already open.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn append_to(&self, mut file: &File, entry: &T) -> io::Result<()> {
        let text = serde_json::to_string(entry)?;
        let sum = self.sum.map(|sum| sum(text.as_bytes()) + " ").unwrap_or_default();
        // First end a line that a crash cut short.
        file.write_all(format!("\n{sum}{text}\n").as_bytes())?;
        file.sync_data()?;
        // The folder holds the name of a new file.
        super::sync_folder(self.path.parent().unwrap_or(Path::new("/")))
    }

    /// Whether lines can be read and appended, by opening the journal for that; one that is not there yet counts.
    ///
    /// # Errors
    /// Something else stands in its place, or it may not be read or written.
    pub fn check(&self) -> io::Result<()> {
        existing(open_to_append(&self.path, None)).map(drop)
    }

    /// Reads the entries. Empty if there is no journal.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn read(&self) -> io::Result<Lines<T>> {
        Ok(self.parsed(&self.content(self.cap)?.0))
    }

    /// Reads entries from the end, going back until `are_enough` accepts them. Returns them oldest first,
    /// and whether there are none before them.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn read_end(&self, are_enough: &dyn Fn(&[T]) -> bool) -> io::Result<(Lines<T>, bool)> {
        let mut cap = FIRST_PIECE.min(self.cap);
        loop {
            let (content, is_whole) = self.content(cap)?;
            let read = self.parsed(&content);
            if is_whole || cap == self.cap || are_enough(&read.entries) {
                return Ok((read, is_whole));
            }
            cap = cap.saturating_mul(4).min(self.cap);
        }
    }

    /// Passes every entry to `visit`, oldest first, with one line in memory at a time. Returns how many lines could
    /// not be read.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn each(&self, visit: &mut dyn FnMut(T)) -> io::Result<usize> {
        let Some(file) = existing(open(&self.path))? else { return Ok(0) };
        let mut file = BufReader::with_capacity(BUFFER, file);
        let (mut line, mut n_unread) = (Vec::new(), 0);
        while file.read_until(b'\n', &mut line)? > 0 {
            for line in lines(&line) {
                match self.parse(line) {
                    Line::Entry(entry) => visit(entry),
                    Line::Newer | Line::Damaged => n_unread += 1,
                }
            }
            line.clear();
        }
        Ok(n_unread)
    }

    fn parsed(&self, content: &[u8]) -> Lines<T> {
        let mut read = Lines::default();
        for line in lines(content) {
            match self.parse(line) {
                Line::Entry(entry) => read.entries.push(entry),
                Line::Newer => read.n_newer += 1,
                Line::Damaged => read.n_damaged += 1,
            }
        }
        read
    }

    /// Rewrites the journal without the entries for which `is_gone` holds. Every other line stays as it is,
    /// including unreadable ones.
    ///
    /// # Errors
    /// Any I/O error, or the journal is longer than the part that is read.
    pub fn remove(&self, is_gone: &dyn Fn(&T) -> bool) -> io::Result<()> {
        let (content, is_whole) = self.content(self.cap)?;
        if !is_whole {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut kept = Vec::with_capacity(content.len());
        for line in lines(&content) {
            if !matches!(self.parse(line), Line::Entry(entry) if is_gone(&entry)) {
                kept.extend_from_slice(line);
                kept.push(b'\n');
            }
        }
        super::replace(&self.path, &kept)
    }

    /// The end of the file, starting at a line's beginning, and whether that is all of it.
    fn content(&self, cap: u64) -> io::Result<(Vec<u8>, bool)> {
        let Some(file) = existing(open(&self.path))? else { return Ok((Vec::new(), true)) };
        let (mut content, is_whole) = read_end(&file, cap)?;
        if !is_whole {
            let first = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
            content.drain(..first);
        }
        Ok((content, is_whole))
    }

    fn parse(&self, line: &[u8]) -> Line<T> {
        let text = match self.sum {
            None => line,
            Some(sum) => {
                let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
                let text = line.get(at + 1..).unwrap_or_default();
                if sum(text).as_bytes() != &line[..at] {
                    return Line::Damaged;
                }
                text
            }
        };
        serde_json::from_slice(text).map_or(Line::Newer, Line::Entry)
    }
}

fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn journal(folder: &Path, cap: u64) -> Journal<u32> {
        Journal::at(folder.join("journal"), cap, Some(|text| text.len().to_string()))
    }

    #[test]
    fn what_was_cut_or_changed_is_counted_and_the_rest_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let all = journal(temp.path(), 1 << 20);
        assert!(all.read().unwrap().entries.is_empty());
        for entry in [1, 22] {
            all.append(&entry).unwrap();
        }
        let cut = fs::read(all.path()).unwrap();
        fs::write(all.path(), [&cut[..], b"3 34"].concat()).unwrap();
        all.append(&333).unwrap();
        fs::write(all.path(), [&fs::read(all.path()).unwrap()[..], b"6 \"text\"\n"].concat()).unwrap();
        let read = all.read().unwrap();
        assert_eq!((&read.entries[..], read.n_damaged, read.n_newer), (&[1, 22, 333][..], 1, 1));
        let mut each = Vec::new();
        assert_eq!((all.each(&mut |entry| each.push(entry)).unwrap(), each), (2, vec![1, 22, 333]));
        all.remove(&|entry| *entry == 22).unwrap();
        assert_eq!(fs::read_to_string(all.path()).unwrap(), "1 1\n3 34\n3 333\n6 \"text\"\n");
        assert_eq!(journal(temp.path(), 17).read().unwrap().entries, [333]);
        let (end, is_whole) = all.read_end(&|entries| !entries.is_empty()).unwrap();
        assert_eq!((end.entries.len(), is_whole), (2, true));
        let many: Vec<String> = (10_000..40_000).map(|entry| format!("5 {entry}")).collect();
        fs::write(all.path(), many.join("\n")).unwrap();
        let (end, is_whole) = all.read_end(&|entries| entries.len() >= 10).unwrap();
        assert!((10..20_000).contains(&end.entries.len()) && !is_whole, "{}", end.entries.len());
        assert_eq!(end.entries.last(), Some(&39_999));
        let (end, is_whole) = all.read_end(&|_| false).unwrap();
        assert_eq!((end.entries.len(), is_whole), (30_000, true));
    }
}
