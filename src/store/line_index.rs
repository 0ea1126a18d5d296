//! Where in a growing file the lines of each workspace stand, so that the newest of a few are found among a million.
//!
//! An index is a file beside its file: a record of 16 bytes for each line, read from its end. It is never the truth. What it
//! lacks is read from the lines and added by whoever looks; where it does not fit it is made anew; and each line that it
//! leads to is read and checked by who asks.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use crate::disk::write::{lock, open_to_append, replace_soon};
use crate::disk::{existing, fill, open, read_range};
use crate::model::{WorkspaceId, stable_hash};

/// A record: the key of the workspace, and where its line begins.
const RECORD: u64 = RECORD_BYTES as u64;
const RECORD_BYTES: usize = 16;
/// The key of the first record, in whose place the file is named.
const FORM: u64 = u64::from_le_bytes(*b"closeout");
/// Lines that belong to no workspace: blank and unreadable ones.
const NOBODY: u64 = 0;
/// How many records are read at once.
const PIECE: u64 = 4096 * RECORD;
/// How many bytes of the file are read at once.
const LINES: u64 = 1 << 20;
/// Most lines are shorter, in bytes.
const SHORT_LINE: u64 = 512;
/// The longest line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// What is looked for: so many lines of each of these workspaces, and of all together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) workspaces: &'a [WorkspaceId],
    pub(super) most_of_each: usize,
    pub(super) most: usize,
}

/// The newest lines of the file at `path` that are wanted, the newest first, by the index at `index`. `key_of` reads the
/// workspace of a line that is not in the usual form.
///
/// # Errors
/// The file cannot be read. An index that cannot be read or kept is none.
pub(super) fn newest_lines(
    path: &Path,
    index: &Path,
    wanted: Wanted<'_>,
    key_of: &dyn Fn(&[u8]) -> Option<WorkspaceId>,
) -> io::Result<Vec<Vec<u8>>> {
    let Some(file) = existing(open(path))? else { return Ok(Vec::new()) };
    let keys = KeysOfLines { key_of };
    for is_new in [false, true] {
        let index = Index::open(&file, index, &keys, is_new)?;
        if let Some(lines) = index.lines(&file, wanted, &keys)? {
            return Ok(lines);
        }
        // It led to lines of others: it is not this file's, or was damaged.
    }
    Ok(Vec::new())
}

/// The name of a workspace in an index.
fn key(host: &[u8], path: &[u8]) -> u64 {
    let name = [host, b"\0", path].concat();
    let hash = stable_hash(&name).to_le_bytes();
    let (low, high) = hash.split_at(8);
    let half = |half: &[u8]| half.try_into().map_or(0, u64::from_le_bytes);
    (half(low) ^ half(high)).max(1)
}

struct KeysOfLines<'a> {
    key_of: &'a dyn Fn(&[u8]) -> Option<WorkspaceId>,
}

impl KeysOfLines<'_> {
    fn of(&self, line: &[u8]) -> u64 {
        usual(line)
            .or_else(|| {
                let workspace = (self.key_of)(line)?;
                Some(key(workspace.host().as_bytes(), workspace.path().as_os_str().as_encoded_bytes()))
            })
            .unwrap_or(NOBODY)
    }
}

/// The key of a line in which host and path stand beside each other without a sign that is written otherwise.
fn usual(line: &[u8]) -> Option<u64> {
    let (_, rest) = split(line, b"\"host\":\"")?;
    let (host, rest) = split(rest, b"\"")?;
    let rest = rest.strip_prefix(b",\"path\":\"")?;
    let (path, _) = split(rest, b"\"")?;
    let is_plain = !host.contains(&b'\\') && !path.contains(&b'\\');
    is_plain.then(|| key(host, path))
}

fn split<'t>(text: &'t [u8], at: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let place = text.windows(at.len()).position(|window| window == at)?;
    Some((&text[..place], &text[place + at.len()..]))
}

/// An index that covers its file.
struct Index {
    /// What is kept on disk, and how many bytes of it count.
    kept: Option<(File, u64)>,
    /// The records of the lines behind.
    more: Vec<(u64, u64)>,
}

impl Index {
    /// Opens the index and completes it; the result is stored unless another process is doing so.
    fn open(file: &File, path: &Path, keys: &KeysOfLines<'_>, is_new: bool) -> io::Result<Index> {
        let kept = if is_new { None } else { open_to_append(path, Some(0o600)).ok() };
        let kept = kept.and_then(|kept| {
            let length = kept.metadata().ok()?.len();
            let covered = covered(file, &kept, length, keys)?;
            Some((kept, length, covered))
        });
        let Some((kept, length, covered)) = kept else {
            let more = records(file, 0, keys)?;
            let head = (FORM, file.metadata()?.ino());
            let all: Vec<u8> = std::iter::once(head).chain(more.iter().copied()).flat_map(bytes).collect();
            // Without it the next one reads all again.
            let _ = replace_soon(path, &all);
            return Ok(Index { kept: None, more });
        };
        let more = records(file, covered, keys)?;
        if !more.is_empty() && lock(&kept, Duration::ZERO).unwrap_or(false) {
            let is_same = kept.metadata().is_ok_and(|metadata| metadata.len() == length);
            let text: Vec<u8> = more.iter().copied().flat_map(bytes).collect();
            // One write; one that was cut short is none, and the next one begins anew.
            let _ = if is_same { (&kept).write_all(&text) } else { Ok(()) };
        }
        Ok(Index { kept: Some((kept, length)), more })
    }

    /// The lines that are wanted, the newest first; `None` if a record leads to a line of another workspace.
    fn lines(
        &self,
        file: &File,
        wanted: Wanted<'_>,
        keys: &KeysOfLines<'_>,
    ) -> io::Result<Option<Vec<Vec<u8>>>> {
        let mut open = Open::of(wanted);
        let mut found = Vec::new();
        for record in self.more.iter().rev() {
            open.take(*record, &mut found);
        }
        let (mut end, kept) = match &self.kept {
            Some((kept, length)) => (*length, Some(kept)),
            None => (RECORD, None),
        };
        while let Some(kept) = kept.filter(|_| end > RECORD && !open.is_satisfied(found.len())) {
            let begin = end.saturating_sub(PIECE).max(RECORD);
            let piece = read_range(kept, begin, end)?;
            for record in piece.rchunks_exact(RECORD_BYTES).filter_map(record) {
                open.take(record, &mut found);
            }
            end = begin;
        }
        let mut lines = Vec::with_capacity(found.len());
        for (key, at) in found {
            let line = line_at(file, at)?;
            if keys.of(&line) != key {
                return Ok(None);
            }
            lines.push(line);
        }
        Ok(Some(lines))
    }
}

/// What is still looked for.
struct Open {
    /// Key and how many lines more, by key.
    left: Vec<(u64, usize)>,
    /// A bit for the lowest bits of each key: most records are passed over by it.
    bits: [u64; 64],
    n_unfinished: usize,
    most: usize,
}

impl Open {
    fn of(wanted: Wanted<'_>) -> Open {
        let keys = wanted.workspaces.iter().map(|workspace| {
            key(workspace.host().as_bytes(), workspace.path().as_os_str().as_encoded_bytes())
        });
        let mut left: Vec<(u64, usize)> = keys.map(|key| (key, wanted.most_of_each)).collect();
        left.sort_unstable();
        left.dedup();
        let mut bits = [0; 64];
        for (key, _) in &left {
            bits[place(*key)] |= 1 << (key & 63);
        }
        Open { n_unfinished: left.len(), left, bits, most: wanted.most }
    }

    fn take(&mut self, (key, at): (u64, u64), found: &mut Vec<(u64, u64)>) {
        if self.bits[place(key)] & (1 << (key & 63)) == 0 || found.len() >= self.most {
            return;
        }
        let Ok(place) = self.left.binary_search_by_key(&key, |(key, _)| *key) else { return };
        if self.left[place].1 > 0 {
            self.left[place].1 -= 1;
            self.n_unfinished -= usize::from(self.left[place].1 == 0);
            found.push((key, at));
        }
    }

    fn is_satisfied(&self, n_found: usize) -> bool {
        self.n_unfinished == 0 || n_found >= self.most
    }
}

fn place(key: u64) -> usize {
    usize::try_from((key >> 6) & 63).unwrap_or(0)
}

/// How much of the file an index covers; `None` if it is not of this file.
fn covered(file: &File, kept: &File, length: u64, keys: &KeysOfLines<'_>) -> Option<u64> {
    let read = |at: u64| record(&read_range(kept, at, at + RECORD).ok()?);
    if read(0)? != (FORM, file.metadata().ok()?.ino()) || !length.is_multiple_of(RECORD) {
        return None;
    }
    if length == RECORD {
        return Some(0);
    }
    let (key, at) = read(length - RECORD)?;
    let line = line_at(file, at).ok()?;
    (keys.of(&line) == key).then_some(at + line.len() as u64 + 1)
}

/// A record for each whole line from `from` on.
fn records(file: &File, from: u64, keys: &KeysOfLines<'_>) -> io::Result<Vec<(u64, u64)>> {
    let mut all = Vec::new();
    let (mut at, mut rest) = (from, Vec::new());
    loop {
        let begin = at + rest.len() as u64;
        let piece = read_range(file, begin, begin + LINES)?;
        let is_end = (piece.len() as u64) < LINES;
        rest.extend(piece);
        let mut done = 0;
        while let Some(length) = rest[done..].iter().position(|byte| *byte == b'\n') {
            if length > 0 {
                all.push((keys.of(&rest[done..done + length]), at + done as u64));
            }
            done += length + 1;
        }
        rest.drain(..done);
        at += done as u64;
        if is_end {
            return Ok(all);
        }
    }
}

/// The line that begins there, without its end.
fn line_at(file: &File, at: u64) -> io::Result<Vec<u8>> {
    let mut length = SHORT_LINE;
    loop {
        let mut line = vec![0; usize::try_from(length).unwrap_or(0)];
        let n_read = fill(file, at, &mut line)?;
        line.truncate(n_read);
        if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            line.truncate(end);
            return Ok(line);
        }
        if (n_read as u64) < length || length >= LONGEST_LINE {
            return Ok(line);
        }
        length *= 8;
    }
}

fn bytes((key, at): (u64, u64)) -> [u8; 16] {
    (u128::from(key) | u128::from(at) << 64).to_le_bytes()
}

fn record(bytes: &[u8]) -> Option<(u64, u64)> {
    let (key, at) = bytes.split_at_checked(8)?;
    Some((u64::from_le_bytes(key.try_into().ok()?), u64::from_le_bytes(at.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn line(n: usize, path: &str) -> String {
        format!("{{\"at\":{n},\"host\":\"local\",\"path\":{path:?},\"n\":{n}}}")
    }

    /// The numbers of the newest lines of `/w` and how many there are.
    fn newest(folder: &Path, paths: &[&str], most: usize) -> Vec<u64> {
        let workspaces: Vec<WorkspaceId> = paths.iter().map(|path| WorkspaceId::local(*path)).collect();
        let wanted = Wanted { workspaces: &workspaces, most_of_each: most, most: 1_000 };
        let key_of = |line: &[u8]| {
            let value: serde_json::Value = serde_json::from_slice(line).ok()?;
            Some(WorkspaceId::on(value["host"].as_str()?, value["path"].as_str()?))
        };
        let files = (folder.join("log"), folder.join("log.index"));
        let lines = newest_lines(&files.0, &files.1, wanted, &key_of).unwrap();
        let read = |line: &Vec<u8>| serde_json::from_slice::<serde_json::Value>(line).unwrap();
        lines.iter().map(|line| read(line)["n"].as_u64().unwrap()).collect()
    }

    fn append(folder: &Path, text: &str) {
        let mut file = open_to_append(&folder.join("log"), Some(0o600)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn the_newest_of_each_are_found_and_what_comes_later_too() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path();
        assert!(newest(folder, &["/w"], 2).is_empty());
        for n in 0..9_000 {
            let path = if n % 3_000 == 0 { "/rare".to_owned() } else { format!("/w{}", n % 7) };
            append(folder, &format!("{}\n", line(n, &path)));
        }
        for _ in 0..2 {
            assert_eq!(newest(folder, &["/rare"], 2), [6_000, 3_000]);
            assert_eq!(newest(folder, &["/w1", "/rare"], 1), [8_996, 6_000]);
            assert!(newest(folder, &["/none"], 5).is_empty());
        }
        // Blank lines, damaged ones, one that is written now, and a path with signs that JSON writes otherwise.
        append(folder, &format!("\n\n{{broken\n{}\n{}", line(9_000, "/a\"b"), line(9_001, "/rare")));
        assert_eq!(newest(folder, &["/a\"b", "/rare"], 1), [9_000, 6_000]);
        append(folder, "\n");
        assert_eq!(newest(folder, &["/rare"], 1), [9_001]);
        let length = fs::metadata(folder.join("log.index")).unwrap().len();
        assert_eq!(length, (9_003 + 1) * RECORD, "a record for each line, and the head");
    }

    #[test]
    fn an_index_that_does_not_fit_is_made_anew() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path();
        let text: String = (0..100).map(|n| line(n, &format!("/w{}", n % 2)) + "\n").collect();
        append(folder, &text);
        let right = || newest(folder, &["/w1"], 2);
        assert_eq!(right(), [99, 97]);
        let index = folder.join("log.index");
        let good = fs::read(&index).unwrap();
        let mut shifted = good.clone();
        shifted[16 * 98 + 8] ^= 1;
        let mut swapped = good.clone();
        swapped[16 * 98..16 * 99].copy_from_slice(&good[16 * 99..16 * 100]);
        for bad in [&b"x"[..], &good[..good.len() - 5], &shifted, &[0; 3_200], &[b'x'; 160], &[]] {
            fs::write(&index, bad).unwrap();
            assert_eq!(right(), [99, 97]);
            assert_eq!(fs::read(&index).unwrap(), good);
        }
        // Another file in its place, longer and shorter.
        for n_lines in [200, 10] {
            fs::remove_file(folder.join("log")).unwrap();
            let text: String = (0..n_lines).map(|n| line(n, "/w1") + "\n").collect();
            append(folder, &text);
            assert_eq!(right(), [n_lines as u64 - 1, n_lines as u64 - 2]);
        }
        // One that cannot be kept is none.
        fs::remove_file(&index).unwrap();
        fs::create_dir(&index).unwrap();
        assert_eq!(right(), [9, 8]);
    }
}
