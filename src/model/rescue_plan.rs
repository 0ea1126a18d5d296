//! What a person sees and confirms before uncommitted work is committed: every path with its state
//! and size, what is left out and why, the message, the branch, and what could not be read.
//!
//! Plain values; paths are bytes as git has them and are shown only through
//! [`display_text`](super::display_text).

use serde::{Deserialize, Serialize};

use super::ActClass;

/// Everything that a person confirms. What is confirmed is what is done, or it is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RescuePlan {
    /// The record that holds the work; it exists already.
    pub record: RescueRecord,
    /// The full name of the branch that the commit goes to (`refs/heads/…`).
    pub branch: String,
    /// The commit that the branch is at; `None` on an unborn branch.
    pub head: Option<String>,
    /// Every path that differs from the last commit, in the order of its bytes.
    pub paths: Vec<PlannedPath>,
    /// The commit message, as it will be stored.
    pub message: String,
    /// Why no commit can be made of it; `None` when one can.
    pub refusal: Option<String>,
}

/// One path of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPath {
    /// From the top of the work tree, as bytes.
    pub path: Vec<u8>,
    /// What became of it since the last commit.
    pub change: PlannedChange,
    /// Its size now in bytes; 0 for a deletion.
    pub size: u64,
    /// Why the commit leaves it out; `None` when it is in.
    pub left_out: Option<LeftOut>,
    /// True when the commit holds it in another form than the disk (line ends, encoding).
    pub is_converted: bool,
    /// The id of what the commit will hold at the path when it is in; `None` for a deletion, and for what
    /// cannot be in.
    pub object: Option<String>,
}

/// What became of a path since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedChange {
    /// Not in the last commit.
    Added,
    /// Other content, mode or kind.
    Modified,
    /// Not on the disk any more.
    Deleted,
}

/// Why a path is not committed unless it is asked for. It stays in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Its name is one that holds keys or passwords.
    Secret,
    /// It lies in a folder of build products or dependencies.
    Junk,
    /// It is larger than 10 MB.
    Large,
    /// It belongs to a repository inside this one.
    Nested,
    /// It is marked assume-unchanged or skip-worktree.
    Flagged,
    /// It could not be read exactly.
    Gap,
    /// Git refuses the name.
    Name,
}

impl LeftOut {
    /// True when a person can ask for the path all the same.
    pub fn can_be_asked_for(self) -> bool {
        match self {
            LeftOut::Secret | LeftOut::Junk | LeftOut::Large => true,
            LeftOut::Nested | LeftOut::Flagged | LeftOut::Gap | LeftOut::Name => false,
        }
    }
}

/// A complete copy of uncommitted work on a hidden reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RescueRecord {
    /// The hidden reference that keeps it.
    pub reference: String,
    /// The commit whose tree is the work tree as it was.
    pub snapshot: String,
    /// The commit whose tree holds the index, its stages and the facts.
    pub record: String,
    /// How many files and links it holds.
    pub n_files: usize,
    /// How many bytes they have.
    pub n_bytes: u64,
    /// What could not be read; each is named.
    pub gaps: Vec<Gap>,
    /// False when files still changed in the last of the rounds: nothing is committed then.
    pub is_settled: bool,
}

/// Something that a record does not hold, or not exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// From the top of the work tree, as bytes; empty when it is not about one path.
    pub path: Vec<u8>,
    /// Why, in words.
    pub reason: String,
}

impl RescueRecord {
    /// How an act ends that made it.
    pub fn class(&self) -> ActClass {
        if self.gaps.is_empty() { ActClass::Done } else { ActClass::SavedGaps }
    }
}

/// A rescue that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescued {
    /// The record.
    pub record: RescueRecord,
    /// The commits, the oldest first.
    pub commits: Vec<String>,
    /// The full name of the branch that they are on.
    pub branch: String,
    /// How many paths they hold.
    pub n_paths: usize,
}

/// Which way a rescue is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoWay {
    /// Taken back.
    Undo,
    /// Made again.
    Redo,
}

/// What an undo or a redo would do. What is confirmed is what is done, or it is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoPlan {
    /// Which of both.
    pub way: UndoWay,
    /// The id of the rescue in the journal.
    pub id: String,
    /// The full name of the branch.
    pub branch: String,
    /// Where the branch is now; `None` when it is unborn, or is to be made again.
    pub from: Option<String>,
    /// Where it will be; `None` when it becomes unborn, or is removed again.
    pub to: Option<String>,
    /// The commits that are taken back or made again, the oldest first.
    pub commits: Vec<TakenBack>,
    /// The reference of the record that the rescue was made from.
    pub record: String,
}

/// A commit of an undo or a redo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    /// Its id.
    pub commit: String,
    /// The first line of its message. Untrusted text.
    pub subject: String,
    /// How many paths it changes.
    pub n_paths: usize,
}
