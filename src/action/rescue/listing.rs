//! What git lists: the entries of the index, what is untracked, where HEAD is.
//!
//! It must not trust the index about the state of a file: names come from here, contents never.

use std::path::Path;

use super::error::RescueError;
use crate::git::{Git, Input, Sha1, Shadow, line, succeeded};

/// Flags of an entry that mean something: assume-unchanged, intent-to-add, skip-worktree.
const MEANING: u32 = ASSUME_UNCHANGED | INTENT_TO_ADD | SKIP_WORKTREE;
const ASSUME_UNCHANGED: u32 = 0x8000;
const INTENT_TO_ADD: u32 = 0x2000_0000;
const SKIP_WORKTREE: u32 = 0x4000_0000;

/// One entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// The mode as git writes it, in octal digits.
    pub(super) mode: String,
    /// The object.
    pub(super) id: String,
    /// 0, or 1 to 3 in a conflict.
    pub(super) stage: u8,
    /// The flags that mean something.
    pub(super) flags: u32,
    /// What the index remembers of the file: size, and time in seconds and nanoseconds.
    pub(super) stat: (u32, u64, u64),
    /// When the file was last changed in any way, in seconds and nanoseconds, as the index remembers it.
    pub(super) changed: (u64, u64),
    /// From the top, as bytes.
    pub(super) path: Vec<u8>,
}

impl IndexEntry {
    /// True when it is marked assume-unchanged or skip-worktree.
    pub(super) fn is_flagged(&self) -> bool {
        self.flags & (ASSUME_UNCHANGED | SKIP_WORKTREE) != 0
    }

    /// True when it is marked skip-worktree.
    pub(super) fn is_skipped(&self) -> bool {
        self.flags & SKIP_WORKTREE != 0
    }

    /// True when only its name is in the index.
    pub(super) fn is_intent(&self) -> bool {
        self.flags & INTENT_TO_ADD != 0
    }

    /// True when `now` means the same: what the index remembers of the file counts for nothing.
    pub(super) fn is_as(&self, now: &IndexEntry) -> bool {
        IndexEntry { stat: now.stat, changed: now.changed, ..self.clone() } == *now
    }

    /// True when `now` is the same entry but for a skip-worktree mark that it has not any more.
    pub(super) fn is_unskipped(&self, now: &IndexEntry) -> bool {
        IndexEntry { flags: self.flags & !SKIP_WORKTREE, ..self.clone() }.is_as(now)
    }

    /// True when it is no conflict and has no flag.
    pub(super) fn is_plain(&self) -> bool {
        self.stage == 0 && self.flags == 0
    }

    /// True for a submodule.
    pub(super) fn is_gitlink(&self) -> bool {
        self.mode == "160000"
    }
}

/// The entries of the shadow's copy of the index.
pub(super) fn index_entries(git: &Git<'_>, shadow: &Shadow) -> Result<Vec<IndexEntry>, RescueError> {
    index_entries_of(git, shadow, &shadow.index)
}

/// The entries of another index.
pub(super) fn index_entries_of(
    git: &Git<'_>,
    shadow: &Shadow,
    index: &Path,
) -> Result<Vec<IndexEntry>, RescueError> {
    let args = ["ls-files", "-s", "-z", "--debug"];
    let output = git.shadowed_with(shadow, index, &shadow.objects, args, Input::Lock)?;
    let output = succeeded("ls-files", output)?;
    parse_entries(&output.stdout)
        .ok_or_else(|| RescueError::Damage("the list of the index is not as expected".to_owned()))
}

/// Entries as `ls-files -s -z --debug` writes them: a record, NUL, five lines of the stat cache.
fn parse_entries(mut text: &[u8]) -> Option<Vec<IndexEntry>> {
    let mut entries = Vec::new();
    while !text.is_empty() {
        let end = text.iter().position(|byte| *byte == 0)?;
        let (record, rest) = (&text[..end], &text[end + 1..]);
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let mut fields = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
        let (mode, id) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let stage = fields.next()?.parse().ok()?;
        let lines: Vec<&[u8]> = rest.splitn(6, |byte| *byte == b'\n').collect();
        let [changed, modified, _, _, last, following] = lines[..] else { return None };
        text = following;
        let stat = parse_stat(modified, last)?;
        let flags = std::str::from_utf8(last).ok()?.rsplit_once("flags: ")?.1;
        let flags = u32::from_str_radix(flags, 16).ok()? & MEANING;
        let changed = parse_time(changed, "ctime: ")?;
        entries.push(IndexEntry { mode, id, stage, flags, stat, changed, path: record[tab + 1..].to_vec() });
    }
    Some(entries)
}

/// Size and time of a file, of the lines `  mtime: 12:34` and `  size: 5\tflags: 0`.
fn parse_stat(modified: &[u8], last: &[u8]) -> Option<(u32, u64, u64)> {
    let (seconds, nanos) = parse_time(modified, "mtime: ")?;
    let size = std::str::from_utf8(last).ok()?.trim_start().strip_prefix("size: ")?.split_once('\t')?.0;
    Some((size.parse().ok()?, seconds, nanos))
}

/// Seconds and nanoseconds of a line like `  mtime: 12:34`.
fn parse_time(line: &[u8], name: &str) -> Option<(u64, u64)> {
    let (seconds, nanos) =
        std::str::from_utf8(line).ok()?.trim_start().strip_prefix(name)?.split_once(':')?;
    Some((seconds.parse().ok()?, nanos.parse().ok()?))
}

/// The meaning of an index: entries, stages and flags, not the stat cache, which any `status` rewrites.
pub(super) fn digest(entries: &[IndexEntry]) -> String {
    let mut sum = Sha1::default();
    for entry in entries {
        sum.update(format!("{} {} {} {:x}\t", entry.mode, entry.id, entry.stage, entry.flags).as_bytes());
        sum.update(&entry.path);
        sum.update(b"\0");
    }
    sum.hex()
}

/// What is in the work tree beside the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Untracked {
    /// Files and links, from the top.
    pub(super) paths: Vec<Vec<u8>>,
    /// Repositories inside this one.
    pub(super) nested: Vec<Vec<u8>>,
    /// What git said that it could not read.
    pub(super) warnings: Vec<String>,
}

/// Lists what no ignore rule matches and the index does not hold.
pub(super) fn untracked(git: &Git<'_>, shadow: &Shadow) -> Result<Untracked, RescueError> {
    let args = ["ls-files", "-o", "--exclude-standard", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, &shadow.objects, args, Input::Lock)?)?;
    let mut untracked = Untracked::default();
    for path in output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        match path.strip_suffix(b"/") {
            Some(nested) => untracked.nested.push(nested.to_vec()),
            None => untracked.paths.push(path.to_vec()),
        }
    }
    if output.is_stderr_cut {
        untracked.warnings.push("git had more warnings than are kept".to_owned());
    }
    untracked.warnings.extend(String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned));
    Ok(untracked)
}

/// The folders that a path lies in.
pub(super) fn folders(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end])
}

/// Where HEAD is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The branch, by its full name; `None` when HEAD is detached.
    pub(super) branch: Option<String>,
    /// The commit; `None` on an unborn branch, and when it is lost.
    pub(super) commit: Option<String>,
    /// The commit that HEAD names when the repository does not have it.
    pub(super) lost: Option<String>,
}

/// Reads HEAD.
pub(super) fn head(git: &Git<'_>) -> Result<Head, RescueError> {
    let branch = git.real(["symbolic-ref", "-q", "HEAD"], Input::Lock)?;
    let branch = branch.is_success().then(|| line(&branch));
    let commit =
        git.real(["rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}"], Input::Lock)?;
    let commit = commit.is_success().then(|| line(&commit));
    let lost = match commit {
        Some(_) => None,
        None => super::references::at(git, "HEAD")?,
    };
    if branch.is_none() && commit.is_none() && lost.is_none() {
        return Err(RescueError::Damage("HEAD names no commit and no branch".to_owned()));
    }
    Ok(Head { branch, commit, lost })
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    /// The mode as git writes it, in octal digits.
    pub(super) mode: String,
    /// The object.
    pub(super) id: String,
}

/// A whole tree by its paths.
pub(super) type Tree = std::collections::BTreeMap<Vec<u8>, TreeEntry>;

/// The tree of a commit, with all that is below it.
pub(super) fn tree(git: &Git<'_>, commit: &str) -> Result<Tree, RescueError> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", commit];
    let output = succeeded("ls-tree", git.real(args, Input::Lock)?)?;
    let mut tree = Tree::new();
    for record in output.stdout.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let entry = record.iter().position(|byte| *byte == b'\t').and_then(|tab| {
            let mut fields = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
            let entry = TreeEntry { mode: fields.next()?.to_owned(), id: fields.nth(1)?.to_owned() };
            Some((record[tab + 1..].to_vec(), entry))
        });
        let Some((path, entry)) = entry else {
            return Err(RescueError::Damage("the list of a tree is not as expected".to_owned()));
        };
        if tree.insert(path, entry).is_some() {
            return Err(RescueError::Damage("a tree has two entries of one name".to_owned()));
        }
    }
    Ok(tree)
}
