//! Lists an index through git: its entries with their flags, and what it remembers about each file.
//!
//! It must not be trusted about the state of a file: only names come from here, never contents.

use std::path::Path;

use super::call_error::{GitError, succeeded};
use super::runner::{Git, Stdin};
use super::shadow::Shadow;

/// The entry flags that matter: assume-unchanged, intent-to-add, skip-worktree.
const MEANING: u32 = ASSUME_UNCHANGED | INTENT_TO_ADD | SKIP_WORKTREE;
const ASSUME_UNCHANGED: u32 = 0x8000;
const INTENT_TO_ADD: u32 = 0x2000_0000;
const SKIP_WORKTREE: u32 = 0x4000_0000;

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The mode as git prints it, in octal.
    pub mode: String,
    /// The id of its object.
    pub id: String,
    /// The stage: 0, or 1 to 3 in a conflict.
    pub stage: u8,
    /// The flags that matter.
    pub flags: u32,
    /// What the index remembers about the file: size in bytes, and modification time in seconds and
    /// nanoseconds.
    pub stat: (u32, u64, u64),
    /// The file's change time in the index, in seconds and nanoseconds.
    pub changed: (u64, u64),
    /// The file's inode in the index: its lower 32 bits, or 0.
    pub inode: u32,
    /// The path relative to the top, as bytes.
    pub path: Vec<u8>,
}

impl IndexEntry {
    /// Whether it is marked assume-unchanged or skip-worktree.
    pub fn is_flagged(&self) -> bool {
        self.flags & (ASSUME_UNCHANGED | SKIP_WORKTREE) != 0
    }

    /// Whether it is marked skip-worktree.
    pub fn is_skipped(&self) -> bool {
        self.flags & SKIP_WORKTREE != 0
    }

    /// Whether only its name is in the index (intent-to-add).
    pub fn is_intent(&self) -> bool {
        self.flags & INTENT_TO_ADD != 0
    }

    /// Whether `now` is the same entry, ignoring what the index remembers about the file.
    pub fn is_as(&self, now: &IndexEntry) -> bool {
        IndexEntry { stat: now.stat, changed: now.changed, inode: now.inode, ..self.clone() } == *now
    }

    /// Whether `now` is the same entry, except that it may have lost a skip-worktree mark.
    pub fn is_unskipped(&self, now: &IndexEntry) -> bool {
        IndexEntry { flags: self.flags & !SKIP_WORKTREE, ..self.clone() }.is_as(now)
    }

    /// Whether it is not in conflict and has no flags.
    pub fn is_plain(&self) -> bool {
        self.stage == 0 && self.flags == 0
    }

    /// Whether it is a submodule.
    pub fn is_gitlink(&self) -> bool {
        self.mode == "160000"
    }
}

/// The entries of an index, in order, as git reads them in `shadow`.
///
/// # Errors
/// Git did not respond, cannot read the index, or its output has an unexpected form.
pub fn index_entries(git: &Git<'_>, shadow: &Shadow, index: &Path) -> Result<Vec<IndexEntry>, GitError> {
    let args = ["ls-files", "-s", "-z", "--debug"];
    let output = git.shadowed_with(shadow, index, args, Stdin::Lock)?;
    parse(&succeeded("ls-files", output)?.stdout, 0).ok_or_else(|| GitError::Failed {
        command: "ls-files".to_owned(),
        message: "the list of the index is not as expected".to_owned(),
    })
}

/// The entries of an index as [`index_entries`] has them, and what is neither in it nor ignored: both from one call, each
/// untracked path as git ends it, a repository with a slash. The last is what git wrote to standard error, and whether
/// that is all.
///
/// # Errors
/// As [`index_entries`], or git cannot list the work tree.
pub fn index_and_untracked(git: &Git<'_>, shadow: &Shadow) -> Result<(Vec<IndexEntry>, Listed), GitError> {
    let args = ["ls-files", "-t", "-s", "-o", "--exclude-standard", "-z", "--debug"];
    let output = succeeded("ls-files", git.shadowed(shadow, args, Stdin::Lock)?)?;
    let unexpected = || GitError::Failed {
        command: "ls-files".to_owned(),
        message: "the list of index and work tree is not as expected".to_owned(),
    };
    // Git lists what is untracked first. The tag in front keeps a file's name from being taken for an entry.
    let mut rest = &output.stdout[..];
    let mut paths = Vec::new();
    while let Some(untracked) = rest.strip_prefix(b"? ") {
        let end = untracked.iter().position(|byte| *byte == 0).ok_or_else(unexpected)?;
        paths.push(untracked[..end].to_vec());
        rest = &untracked[end + 1..];
    }
    let entries = parse(rest, TAG).ok_or_else(unexpected)?;
    Ok((entries, Listed { paths, warnings: output.stderr, is_cut: output.is_stderr_cut }))
}

/// What git lists of a work tree.
#[derive(Debug)]
pub struct Listed {
    /// The paths, relative to the top; that of a repository ends with a slash.
    pub paths: Vec<Vec<u8>>,
    /// What git wrote to standard error: it names there what it cannot read.
    pub warnings: Vec<u8>,
    /// Whether there was more of that than is kept.
    pub is_cut: bool,
}

/// The length of the tag that `-t` puts before an entry: a letter and a space.
const TAG: usize = 2;

/// Parses the output of `ls-files -s -z --debug`: for each entry a record, NUL, and five lines of the stat
/// cache. Each entry begins after `tag` bytes.
fn parse(mut text: &[u8], tag: usize) -> Option<Vec<IndexEntry>> {
    let mut entries = Vec::new();
    while !text.is_empty() {
        let end = text.iter().position(|byte| *byte == 0)?;
        let (record, rest) = (&text[..end], &text[end + 1..]);
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let mut fields = std::str::from_utf8(record.get(tag..tab)?).ok()?.split(' ');
        let (mode, id) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let stage = fields.next()?.parse().ok()?;
        let lines: Vec<&[u8]> = rest.splitn(6, |byte| *byte == b'\n').collect();
        let [changed, modified, device, _, last, following] = lines[..] else { return None };
        text = following;
        let stat = parse_stat(modified, last)?;
        let flags = std::str::from_utf8(last).ok()?.rsplit_once("flags: ")?.1;
        let flags = u32::from_str_radix(flags, 16).ok()? & MEANING;
        let changed = parse_time(changed, "ctime: ")?;
        let inode = std::str::from_utf8(device).ok()?.rsplit_once("ino: ")?.1.parse().ok()?;
        let path = record[tab + 1..].to_vec();
        entries.push(IndexEntry { mode, id, stage, flags, stat, changed, inode, path });
    }
    Some(entries)
}

/// Size and modification time of a file, from the lines `  mtime: 12:34` and `  size: 5\tflags: 0`.
fn parse_stat(modified: &[u8], last: &[u8]) -> Option<(u32, u64, u64)> {
    let (seconds, nanos) = parse_time(modified, "mtime: ")?;
    let size = std::str::from_utf8(last).ok()?.trim_start().strip_prefix("size: ")?.split_once('\t')?.0;
    Some((size.parse().ok()?, seconds, nanos))
}

/// Seconds and nanoseconds from a line such as `  mtime: 12:34`.
fn parse_time(line: &[u8], name: &str) -> Option<(u64, u64)> {
    let (seconds, nanos) =
        std::str::from_utf8(line).ok()?.trim_start().strip_prefix(name)?.split_once(':')?;
    Some((seconds.parse().ok()?, nanos.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_its_flags_and_what_is_remembered_of_its_file() {
        let stat = "  ctime: 7:8\n  mtime: 5:6\n  dev: 1\tino: 2\n  uid: 0\tgid: 0\n";
        let answer = format!(
            "160000 aa 0\tb c\0{stat}  size: 9\tflags: 40004000\n100644 bb 2\td\n\0{stat}  size: 0\tflags: 8000\n"
        );
        let entries = parse(answer.as_bytes(), 0).unwrap();
        let shown: Vec<_> = entries
            .iter()
            .map(|it| (&it.path[..], it.stage, it.is_gitlink(), it.is_skipped(), it.is_flagged()))
            .collect();
        assert_eq!(shown, [(&b"b c"[..], 0, true, true, true), (b"d\n", 2, false, false, true)]);
        assert_eq!((entries[0].stat, entries[0].changed, entries[0].inode), ((9, 5, 6), (7, 8), 2));
        assert_eq!(parse(b"100644 bb\tb\0", 0), None);
    }
}
