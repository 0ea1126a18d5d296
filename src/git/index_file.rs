//! Reads the index file itself, to check that it is complete and to find submodules. The git program does
//! not verify the checksum at the end, so it takes the remains of a truncated file for entries, or for an
//! empty index.

use super::file::{read, read_start};
use super::index::IndexEntry;
use super::repository::Repository;
use super::trouble::{Read, trouble};
use crate::model::{CommitId, ReadProblem, Unreadable, display_text, hex};

/// The largest index checked, in bytes. Larger ones are left to git.
const CAP: u64 = 256 << 20;
/// The most bytes of names kept. A version 4 entry can share all of the previous entry's long name, so a small file
/// can describe gigabytes of names. An index with more is left to git.
const NAMES_CAP: usize = 64 << 20;
/// The mode of a submodule in an index or a tree.
pub const GITLINK: u32 = 0o160_000;

/// An index entry for a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gitlink {
    /// The path relative to the top.
    pub path: Vec<u8>,
    /// The commit recorded in the index.
    pub commit: CommitId,
    /// Whether the entry is one side of a conflict.
    pub is_conflicted: bool,
}

impl Gitlink {
    /// The submodule that git lists as `entry`; `None` if that is a file.
    pub fn of(entry: IndexEntry) -> Option<Gitlink> {
        let commit = entry.is_gitlink().then(|| entry.id.parse().ok()).flatten()?;
        Some(Gitlink { is_conflicted: entry.stage != 0, path: entry.path, commit })
    }
}

/// The submodules in an index file.
#[derive(Debug, PartialEq, Eq)]
pub enum Gitlinks {
    /// All of them, in the order of the index.
    Listed(Vec<Gitlink>),
    /// Not known: the file holds only a part of the index, or is too large to be read here.
    Elsewhere,
}

/// An entry that git was told to skip when it looks for changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The path relative to the top.
    pub path: Vec<u8>,
    /// The id of the content recorded in the index.
    pub id: String,
    /// The file's size in bytes according to the index.
    pub size: u32,
    /// The file's modification time in seconds according to the index.
    pub modified: u32,
    /// The nanoseconds of that time.
    pub modified_nanos: u32,
    /// Whether it is deliberately not checked out (skip-worktree), rather than assumed unchanged.
    pub is_sparse: bool,
}

/// The index entries that are not simply files which git examines.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexMarks {
    /// The submodules, except those that git was told to skip.
    pub gitlinks: Gitlinks,
    /// The files that git was told to skip, as far as this file lists them.
    pub passed_over: Vec<PassedOver>,
    /// The tree that a commit of all entries would have, if the index caches it. Git drops it on every
    /// change, and never has it in the presence of a conflict or an intent-to-add entry.
    pub tree: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    gitlinks: Vec<Gitlink>,
    passed_over: Vec<PassedOver>,
    /// The file is only a part of the index, or has too much to be kept.
    is_elsewhere: bool,
    tree: Option<String>,
}

/// Reads the index file. A missing or empty file is fine.
///
/// # Errors
/// The file cannot be read, or its parts do not fill it exactly.
pub fn index_marks(repository: &Repository) -> Read<IndexMarks> {
    let content = match read(&repository.git_dir, "index", CAP) {
        Err(unreadable) if unreadable.problem == ReadProblem::TooLarge => {
            return Ok(IndexMarks { gitlinks: Gitlinks::Elsewhere, passed_over: Vec::new(), tree: None });
        }
        content => content?.unwrap_or_default(),
    };
    if content.is_empty() {
        let gitlinks = Gitlinks::Listed(Vec::new());
        return Ok(IndexMarks { gitlinks, passed_over: Vec::new(), tree: None });
    }
    let entries = parse(&content, repository.format.id_length())
        .ok_or_else(|| damaged_index(repository, "its parts do not fill it exactly"))?;
    let gitlinks =
        if entries.is_elsewhere { Gitlinks::Elsewhere } else { Gitlinks::Listed(entries.gitlinks) };
    let tree = entries.tree.filter(|_| !entries.is_elsewhere);
    Ok(IndexMarks { gitlinks, passed_over: entries.passed_over, tree })
}

/// The bytes of an entry without its name (`gitformat-index`).
const SHORTEST_ENTRY: u64 = 62;

/// Whether the index has more than `n` entries; false if there is no readable index. The header of an index that is too
/// short for them is not read.
pub fn has_more_entries(repository: &Repository, n: u32) -> bool {
    let metadata = repository.index().symlink_metadata();
    metadata.is_ok_and(|metadata| metadata.len() > u64::from(n) * SHORTEST_ENTRY)
        && n_entries(repository).is_some_and(|n_entries| n_entries > n)
}

/// The number of entries according to the index header.
fn n_entries(repository: &Repository) -> Option<u32> {
    let header = read_start(&repository.git_dir, "index", 12).ok()??;
    let (signature, rest) = header.split_at_checked(4)?;
    let n_entries = rest.get(4..8)?.try_into().map(u32::from_be_bytes).ok()?;
    (signature == b"DIRC").then_some(n_entries)
}

/// The problem of an index that cannot be understood, with the reason and what to do.
pub fn damaged_index(repository: &Repository, why: &str) -> Unreadable {
    let path = display_text::path(&repository.git_dir.join("index"));
    let message = format!(
        "the index {path} is damaged ({why}); `git fsck` tells more, `rm {path} && git reset` makes it again \
         and leaves the files as they are"
    );
    trouble(ReadProblem::Invalid, message)
}

/// Parses header, entries and extensions up to the checksum (`gitformat-index`).
fn parse(content: &[u8], n_id: usize) -> Option<Entries> {
    let number =
        |at: usize| content.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let (version, n_entries) = (number(4)?, number(8)?);
    if !content.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Entries::default();
    let (mut name, mut n_name_bytes) = (Vec::new(), 0_usize);
    let mut at = 12;
    for _ in 0..n_entries {
        let mode = number(at + 24)?;
        let flags_at = at + 40 + n_id;
        let end = entry_end(content, at, version, n_id, &mut name)?;
        let flags = content.get(flags_at..flags_at + 4)?;
        // Assume-unchanged, or skip-worktree.
        let is_passed_over =
            flags[0] & 0x80 != 0 || (version >= 3 && flags[0] & 0x40 != 0 && flags[2] & 0x40 != 0);
        if is_passed_over || mode == GITLINK {
            n_name_bytes = n_name_bytes.saturating_add(name.len());
            if n_name_bytes > NAMES_CAP {
                return Some(Entries { is_elsewhere: true, ..Entries::default() });
            }
        }
        if is_passed_over && matches!(mode >> 12, 0o10 | 0o12) {
            found.passed_over.push(PassedOver {
                path: name.clone(),
                id: hex::hex(content.get(at + 40..flags_at)?),
                size: number(at + 36)?,
                modified: number(at + 8)?,
                modified_nanos: number(at + 12)?,
                is_sparse: flags[0] & 0x80 == 0,
            });
        }
        if mode == GITLINK && !is_passed_over {
            found.gitlinks.push(Gitlink {
                path: name.clone(),
                commit: CommitId::of_bytes(content.get(at + 40..flags_at)?)?,
                is_conflicted: flags[0] & 0x30 != 0,
            });
        }
        at = end;
    }
    let end = content.len().saturating_sub(n_id);
    while at < end {
        found.is_elsewhere |= content.get(at..at + 4) == Some(b"link");
        let length = usize::try_from(number(at + 4)?).ok()?;
        if content.get(at..at + 4) == Some(b"TREE") {
            let cached = content.get(at + 8..).and_then(|rest| rest.get(..length));
            found.tree = cached.and_then(|cached| tree_of_all(cached, n_entries, n_id));
        }
        at = at.saturating_add(8).saturating_add(length);
    }
    (at == end).then_some(found)
}

/// The root tree in git's cache-tree extension, if it covers all entries. Its fields are an empty name, the
/// number of entries it covers, the number of subtrees, and its id.
fn tree_of_all(cached: &[u8], n_entries: u32, n_id: usize) -> Option<String> {
    let rest = cached.strip_prefix(b"\0")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (counts, rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
    let is_whole = counts.split_once(' ')?.0.parse() == Ok(n_entries);
    rest.get(..n_id).filter(|_| is_whole).map(hex::hex)
}

/// The end of the entry at `at`; `None` if it is incomplete. `name` holds the previous entry's name on
/// input and this one's on output.
fn entry_end(content: &[u8], at: usize, version: u32, n_id: usize, name: &mut Vec<u8>) -> Option<usize> {
    let flags_at = at + 40 + n_id;
    let flags = content.get(flags_at..flags_at + 2)?;
    let is_extended = version >= 3 && flags[0] & 0x40 != 0;
    let mut name_at = flags_at + if is_extended { 4 } else { 2 };
    if version == 4 {
        // The name is preceded by how many bytes of the previous name to drop.
        let n_dropped = dropped(content, &mut name_at)?;
        let rest = content.get(name_at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.truncate(name.len().checked_sub(n_dropped)?);
        name.extend_from_slice(&rest[..length]);
        return Some(name_at + length + 1);
    }
    let announced = usize::from(u16::from_be_bytes([flags[0] & 0x0F, flags[1]]));
    let length = if announced == 0xFFF {
        content.get(name_at..)?.iter().position(|byte| *byte == 0)?
    } else {
        announced
    };
    name.clear();
    name.extend_from_slice(content.get(name_at..name_at + length)?);
    // Entries of a split index can stand for others by position and have no name. One to eight NULs pad the
    // entry to a multiple of eight bytes.
    let end = at + (name_at - at + length + 8) / 8 * 8;
    (*content.get(name_at + length)? == 0 && end <= content.len()).then_some(end)
}

/// The number at `at` in git's offset encoding. Moves `at` behind it.
fn dropped(content: &[u8], at: &mut usize) -> Option<usize> {
    let mut byte = *content.get(*at)?;
    let mut number = usize::from(byte & 0x7F);
    while byte & 0x80 != 0 {
        *at += 1;
        byte = *content.get(*at)?;
        number = number.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7F))?;
    }
    *at += 1;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of the fourth version with one long name and `n_more` entries of the same name and flags.
    fn with_one_name(length: usize, n_more: u32) -> Vec<u8> {
        let entry = |begin: &[u8], name: &[u8]| {
            let mut entry = vec![0; 24];
            entry.extend(0o100_644_u32.to_be_bytes());
            entry.extend([0; 12 + 20]);
            // Assume-unchanged.
            entry.extend([0x8F, 0xFF]);
            [&entry, begin, name, b"\0"].concat()
        };
        let mut index = [&b"DIRC"[..], &4_u32.to_be_bytes(), &(n_more + 1).to_be_bytes()].concat();
        index.extend(entry(b"\0", &vec![b'x'; length]));
        index.extend(entry(b"\0", b"").repeat(n_more as usize));
        index.extend([0; 20]);
        index
    }

    // Each entry of the fourth version may take up sixty-four bytes and stand for a name of any length.
    #[test]
    fn names_that_would_take_much_more_memory_than_the_file_are_left_to_git() {
        let small = parse(&with_one_name(100, 20), 20).unwrap();
        assert_eq!((small.passed_over.len(), small.is_elsewhere), (21, false));
        let index = with_one_name(1 << 20, 10_000);
        assert!(index.len() < 2 << 20);
        assert_eq!(parse(&index, 20), Some(Entries { is_elsewhere: true, ..Entries::default() }));
    }

    #[test]
    fn only_a_tree_of_all_entries_is_the_index_s_own() {
        let id = [0xab; 20];
        let of = |begin: &[u8]| tree_of_all(&[begin, &id].concat(), 12, 20);
        assert_eq!(of(b"\x0012 3\n"), Some("ab".repeat(20)));
        // In turn: entries missing, outdated, that of a folder, truncated, truncated.
        for begin in [&b"\x0011 3\n"[..], b"\0-1 3\n", b"src\x0012 3\n", b"\x0012\n", b"\x0012 3"] {
            assert_eq!(of(begin), None, "{begin:?}");
        }
        assert_eq!(tree_of_all(b"\x0012 3\nab", 12, 20), None);
    }
}
