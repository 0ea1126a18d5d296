//! What is read from the index file itself: whether it is whole, and which submodules it names. The
//! git program does not check the sum at its end, so that it takes the rest of a file that was cut
//! off for entries, or for none.

use super::file::{read, read_start};
use super::index::IndexEntry;
use super::repository::Repository;
use super::trouble::{Read, trouble};
use crate::model::{ReadProblem, Unreadable, display_text, hex};

/// A larger index is not checked; it is left to git.
const CAP: u64 = 256 << 20;
/// The file mode of a submodule in an index or a tree.
pub const GITLINK: u32 = 0o160_000;

/// An entry of the index that stands for a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gitlink {
    /// From the top.
    pub path: Vec<u8>,
    /// The commit that the index names.
    pub commit: String,
    /// The entry is one side of a conflict.
    pub is_conflicted: bool,
}

impl From<IndexEntry> for Gitlink {
    fn from(entry: IndexEntry) -> Gitlink {
        Gitlink { is_conflicted: entry.stage != 0, path: entry.path, commit: entry.id }
    }
}

/// What an index file says of submodules.
#[derive(Debug, PartialEq, Eq)]
pub enum Gitlinks {
    /// All that there are, in the order of the index.
    Listed(Vec<Gitlink>),
    /// The file is only a part of the index, or too large to be read here.
    Elsewhere,
}

/// An entry that git was told to pass over when it looks for changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// From the top.
    pub path: Vec<u8>,
    /// The content that the index names.
    pub id: String,
    /// Size in bytes, as the index has it.
    pub size: u32,
    /// Time of the last write in seconds, as the index has it.
    pub modified: u32,
    /// The nanoseconds of it.
    pub modified_nanos: u32,
    /// Not checked out on purpose (skip-worktree), and not assumed to be unchanged.
    pub is_sparse: bool,
}

/// Which entries of an index are more than files that git looks at.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexMarks {
    /// The submodules, but those that git was told to pass over.
    pub gitlinks: Gitlinks,
    /// The files that git was told to pass over, as far as the file itself has them.
    pub passed_over: Vec<PassedOver>,
    /// The tree that a commit of all entries would have, where the index remembers it: git forgets it with every
    /// change, and never has it beside a conflict or a name that was only announced.
    pub tree: Option<String>,
}

/// What an index file tells here.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    gitlinks: Vec<Gitlink>,
    passed_over: Vec<PassedOver>,
    is_split: bool,
    tree: Option<String>,
}

/// Reads the index file. Refuses one whose parts do not fill it exactly; a missing or empty one is fine.
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
    let gitlinks = if entries.is_split { Gitlinks::Elsewhere } else { Gitlinks::Listed(entries.gitlinks) };
    let tree = entries.tree.filter(|_| !entries.is_split);
    Ok(IndexMarks { gitlinks, passed_over: entries.passed_over, tree })
}

/// How many entries the index has, by its header; `None` when there is no readable index.
pub fn n_index_entries(repository: &Repository) -> Option<u32> {
    let header = read_start(&repository.git_dir, "index", 12).ok()??;
    let (signature, rest) = header.split_at_checked(4)?;
    let n_entries = rest.get(4..8)?.try_into().map(u32::from_be_bytes).ok()?;
    (signature == b"DIRC").then_some(n_entries)
}

/// The index cannot be understood, for this reason, and what to do.
pub fn damaged_index(repository: &Repository, why: &str) -> Unreadable {
    let path = display_text::path(&repository.git_dir.join("index"));
    let words = format!(
        "the index {path} is damaged ({why}); `git fsck` tells more, `rm {path} && git reset` makes it again \
         and leaves the files as they are"
    );
    trouble(ReadProblem::Invalid, words)
}

/// Follows header, entries and extensions to the checksum (`gitformat-index`).
fn parse(content: &[u8], n_id: usize) -> Option<Entries> {
    let number =
        |at: usize| content.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let (version, n_entries) = (number(4)?, number(8)?);
    if !content.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Entries::default();
    let mut name = Vec::new();
    let mut at = 12;
    for _ in 0..n_entries {
        let mode = number(at + 24)?;
        let flags_at = at + 40 + n_id;
        let end = entry_end(content, at, version, n_id, &mut name)?;
        let flags = content.get(flags_at..flags_at + 4)?;
        // Assume-unchanged, and not checked out on purpose.
        let is_passed_over =
            flags[0] & 0x80 != 0 || (version >= 3 && flags[0] & 0x40 != 0 && flags[2] & 0x40 != 0);
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
                commit: hex::hex(content.get(at + 40..flags_at)?),
                is_conflicted: flags[0] & 0x30 != 0,
            });
        }
        at = end;
    }
    let end = content.len().saturating_sub(n_id);
    while at < end {
        found.is_split |= content.get(at..at + 4) == Some(b"link");
        let length = usize::try_from(number(at + 4)?).ok()?;
        if content.get(at..at + 4) == Some(b"TREE") {
            let cached = content.get(at + 8..).and_then(|rest| rest.get(..length));
            found.tree = cached.and_then(|cached| tree_of_all(cached, n_entries, n_id));
        }
        at = at.saturating_add(8).saturating_add(length);
    }
    (at == end).then_some(found)
}

/// The tree at the root of git's cache of trees, if it has all entries: an empty name, how many entries it has, how many
/// trees follow, its id.
fn tree_of_all(cached: &[u8], n_entries: u32, n_id: usize) -> Option<String> {
    let rest = cached.strip_prefix(b"\0")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (counts, rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
    let is_whole = counts.split_once(' ')?.0.parse() == Ok(n_entries);
    rest.get(..n_id).filter(|_| is_whole).map(hex::hex)
}

/// Where the entry at `at` ends; `None` when it does not. `name` goes from the name of the entry
/// before to that of this one.
fn entry_end(content: &[u8], at: usize, version: u32, n_id: usize, name: &mut Vec<u8>) -> Option<usize> {
    let flags_at = at + 40 + n_id;
    let flags = content.get(flags_at..flags_at + 2)?;
    let is_extended = version >= 3 && flags[0] & 0x40 != 0;
    let mut name_at = flags_at + if is_extended { 4 } else { 2 };
    if version == 4 {
        // The name follows how much of the one before falls away.
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
    // Entries of a split index can stand for others by position and have no name.
    // One to eight NULs fill the entry up to a multiple of eight.
    let end = at + (name_at - at + length + 8) / 8 * 8;
    (*content.get(name_at + length)? == 0 && end <= content.len()).then_some(end)
}

/// The number at `at`, in git's offset encoding; `at` moves behind it.
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

    #[test]
    fn only_a_tree_of_all_entries_is_the_index_s_own() {
        let id = [0xab; 20];
        let of = |begin: &[u8]| tree_of_all(&[begin, &id].concat(), 12, 20);
        assert_eq!(of(b"\x0012 3\n"), Some("ab".repeat(20)));
        // Some entries are not in it, it is out of date, it is that of a folder, it is cut.
        for begin in [&b"\x0011 3\n"[..], b"\0-1 3\n", b"src\x0012 3\n", b"\x0012\n", b"\x0012 3"] {
            assert_eq!(of(begin), None, "{begin:?}");
        }
        assert_eq!(tree_of_all(b"\x0012 3\nab", 12, 20), None);
    }
}
