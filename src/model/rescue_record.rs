//! Records of uncommitted work: what one holds, what it costs, and the list of those that are kept.
//!
//! Plain values. Paths of a work tree are bytes, as in git, and are shown only through
//! [`display_text`](super::display_text).

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ActionClass, CommitId, PathText, RecordRef, RefName, Timestamp, path_text};

/// A record of uncommitted work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RecordRow")]
pub struct RescueRecord {
    /// The hidden reference that keeps it.
    pub reference: RecordRef,
    /// The commit whose tree is the work tree as it was.
    pub snapshot: CommitId,
    /// The commit whose tree holds the index and the facts.
    pub record: CommitId,
    /// When it was made.
    pub time: Timestamp,
    /// If an earlier record was reused, for how many milliseconds nothing has changed since it was made;
    /// `None` for a new record.
    #[serde(skip)]
    pub unchanged_millis: Option<u64>,
    /// The branch by its full name; null when HEAD was detached.
    pub branch: Option<RefName>,
    /// How many files and links it holds.
    pub n_files: usize,
    /// How many bytes they have.
    pub n_bytes: u64,
    /// How many bytes it took on the disk.
    pub n_disk_bytes: u64,
    /// What could not be read; each is named.
    pub gaps: Vec<Gap>,
    /// False when files still changed while it was made.
    pub is_settled: bool,
    /// What ignore rules keep out of it.
    pub ignored: IgnoredFiles,
    /// The bundle in closeout's own folder.
    #[serde(serialize_with = "path_text::optional")]
    #[schemars(with = "Option<PathText>")]
    pub vault: Option<PathBuf>,
    /// What should be known of the place where it is kept.
    pub notices: Vec<RecordNotice>,
    /// All records of this repository together.
    pub totals: RecordTotals,
}

impl RescueRecord {
    /// How an action ends that made this record.
    pub fn class(&self) -> ActionClass {
        if self.gaps.is_empty() { ActionClass::Done } else { ActionClass::SavedGaps }
    }
}

/// Something that a record does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "GapRow")]
pub struct Gap {
    /// Relative to the top of the work tree, as bytes; empty if the gap does not concern one path.
    #[serde(flatten, serialize_with = "path_text::bytes")]
    #[schemars(with = "PathText")]
    pub path: Vec<u8>,
    /// Why, in words.
    pub reason: String,
}

/// Files that ignore rules keep out of a record. An agent can write such rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct IgnoredFiles {
    /// How many, at least.
    pub n_files: usize,
    /// Their bytes, at least.
    pub n_bytes: u64,
    /// True when there are more than were counted.
    pub is_more: bool,
}

/// The expected size of a record, as far as it is known before anything is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RecordCost {
    /// How many files are new or changed.
    pub n_files: usize,
    /// Their total size in bytes.
    pub n_bytes: u64,
    /// The free space where the record goes, in bytes.
    pub n_free_bytes: u64,
}

/// How to make a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RecordOrder {
    /// True if the user was told the size and agreed.
    pub is_size_allowed: bool,
    /// Where to keep it.
    pub keep_in: KeepIn,
}

/// Where a record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepIn {
    /// On a hidden reference of the repository.
    #[default]
    Repository,
    /// The same, and additionally a bundle in closeout's own folder, out of reach of anyone who can write to
    /// the repository.
    RepositoryAndVault,
    /// Only a bundle in closeout's own folder; nothing is written to the repository.
    Vault,
}

/// All records of a repository together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct RecordTotals {
    /// How many.
    pub n_records: usize,
    /// Bytes that they took on the disk when they were made.
    pub n_disk_bytes: u64,
}

/// The records of a repository, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct RecordList {
    /// The records, the newest first.
    pub records: Vec<KeptRecord>,
    /// All of them together.
    pub totals: RecordTotals,
    /// The references that keep commits for which closeout made a branch.
    pub kept: Vec<KeptCommits>,
    /// What was noticed about their keeping.
    pub notices: Vec<RecordNotice>,
}

impl RecordList {
    /// True if the storage of the records is damaged.
    pub fn is_damaged(&self) -> bool {
        self.notices.iter().any(RecordNotice::is_damage)
    }
}

/// Commits for which closeout made a branch, kept until a person deletes the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptCommits {
    /// The hidden reference by which they are deleted.
    pub reference: RecordRef,
    /// The newest of them.
    pub commit: CommitId,
    /// When the branch was made.
    pub time: Timestamp,
    /// The top of the worktree in which it was made; `None` if it was made by a closeout with another state folder, which
    /// alone can delete the reference.
    #[serde(serialize_with = "path_text::optional")]
    #[schemars(with = "Option<PathText>")]
    pub worktree: Option<PathBuf>,
    /// The branch by its full name.
    pub branch: Option<RefName>,
    /// Whether a branch, a remote branch or a tag holds them too; `None` if that cannot be told.
    pub is_held: Option<bool>,
}

/// One record that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KeptRow")]
pub struct KeptRecord {
    /// The hidden reference; it names the record.
    pub reference: RecordRef,
    /// The commit whose tree is the work tree as it was.
    pub snapshot: CommitId,
    /// When it was made.
    pub time: Timestamp,
    /// The top of the worktree that it was made of.
    #[serde(serialize_with = "path_text::optional")]
    #[schemars(with = "Option<PathText>")]
    pub worktree: Option<PathBuf>,
    /// The branch by its full name.
    pub branch: Option<RefName>,
    /// How many files and links it holds.
    pub n_files: Option<usize>,
    /// How many bytes they have.
    pub n_bytes: Option<u64>,
    /// How many bytes it took on the disk.
    pub n_disk_bytes: Option<u64>,
    /// How many gaps it has.
    pub n_gaps: Option<usize>,
    /// Whether its work is in a branch now.
    pub reach: Reach,
    /// Whether it is still there.
    pub state: RecordState,
    /// Its bundle in closeout's own folder.
    #[serde(serialize_with = "path_text::optional")]
    #[schemars(with = "Option<PathText>")]
    pub vault: Option<PathBuf>,
    /// True when it may go without a question.
    // Older than 30 days, with its work in a branch.
    pub is_old: bool,
}

/// Whether the work of a record is reachable from a branch by now: every content that the last commit did
/// not have then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All of it.
    InBranch,
    /// So many contents are in no branch.
    Missing(usize),
    /// It could not be found out; to be treated as in no branch.
    Unknown,
}

/// Whether a record is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordState {
    /// Its reference is as it was made.
    Kept,
    /// Its reference had been removed or moved, and was just restored.
    PutBack,
    /// Its reference is there, and the journal does not know it.
    NotInJournal,
    /// Its reference is there, and by its name it is that of a closeout with another state folder.
    OfAnother,
    /// Its reference is among closeout's, no journal knows it, and it has not the name of a record. Nothing is done with it.
    Stray,
    /// Only its bundle in closeout's own folder is there.
    VaultOnly,
    /// Its objects are gone, or some of them.
    Lost,
}

/// Something to know about where records are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordNotice {
    /// Lines of the journal cannot be read. Nothing was deleted; references are listed all the same.
    JournalDamaged {
        /// How many.
        n_lines: usize,
    },
    /// Lines of the journal are of a newer version of closeout.
    JournalNewer {
        /// How many.
        n_lines: usize,
    },
    /// A journal cannot be read at all. Its records are listed by their references.
    JournalUnreadable {
        /// Why.
        reason: String,
    },
    /// A record's reference had been removed or moved, and was restored.
    PutBack {
        /// The reference.
        reference: RecordRef,
        /// Where it had been moved to, which is kept by a reference beside it; `None` when it was removed.
        moved_to: Option<CommitId>,
    },
    /// A record's reference was removed or moved, and cannot be restored. The record is there without it.
    NotPutBack {
        /// The reference.
        reference: RecordRef,
        /// Why it cannot be restored.
        reason: String,
    },
    /// A reference has the name of a record that this closeout made and no journal knows it: the journal lost lines,
    /// closeout was killed while it made the record, or something else created the reference.
    NotInJournal {
        /// The reference.
        reference: RecordRef,
    },
    /// A record's objects are gone, or some of them.
    Lost {
        /// The reference.
        reference: RecordRef,
    },
    /// `git push` to this remote takes along every reference, the hidden ones too.
    MirrorRemote {
        /// Its name.
        remote: String,
        /// A command that keeps the hidden references out.
        remedy: String,
    },
    /// The workspace's repository cannot be used, so that only the vault is listed; or only its HEAD cannot.
    NoRepository {
        /// Why it cannot be used.
        reason: String,
        /// How many records are in the repository.
        n_unseen: usize,
    },
    /// A foreign reference occupies the usual name, so another name was used.
    OtherName {
        /// The reference that is in the way.
        taken: String,
    },
    /// The repository is elsewhere and does not name this work tree. Its index knows files here, but that proves little:
    /// any git command that was run here would have made it so.
    GitDirElsewhere {
        /// The repository's git directory.
        git_dir: String,
    },
    /// No reference could be made, so that the record is in closeout's own folder alone.
    VaultOnly {
        /// Why.
        reason: String,
    },
}

impl RecordNotice {
    /// True if it reports damage.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            RecordNotice::JournalDamaged { .. }
                | RecordNotice::JournalNewer { .. }
                | RecordNotice::JournalUnreadable { .. }
                | RecordNotice::PutBack { .. }
                | RecordNotice::NotPutBack { .. }
                | RecordNotice::NotInJournal { .. }
                | RecordNotice::Lost { .. }
        )
    }
}

/// A record that was deleted for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForgottenRecord {
    /// The reference that kept it.
    pub reference: RecordRef,
    /// How many hidden references were removed: the record's own, and those of visible commits made from it.
    pub n_references: usize,
    /// True if a visible commit made from it can no longer be undone or redone.
    pub is_undo_gone: bool,
    /// When its objects disappear from the repository.
    pub objects_go: ObjectsGo,
}

/// When unreachable objects disappear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectsGo {
    /// When git next collects garbage and they are older than this, in the form of `gc.pruneExpire`.
    WhenCollected {
        /// For example `2.weeks.ago`.
        expiry: String,
        /// If a visible commit of the record was on a branch, reflog entries keep its objects until the
        /// entries are older than this, in the form of `gc.reflogExpireUnreachable`.
        reflog_expiry: Option<String>,
    },
    /// Never on their own: the repository's settings prevent it.
    Never,
    /// They are gone already: the record was only in closeout's own folder.
    Now,
    /// Only the copy in closeout's own folder is gone. The repository that made the record was at this path before, and
    /// keeps what it has of it.
    Elsewhere,
}
