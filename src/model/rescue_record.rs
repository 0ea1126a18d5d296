//! Records of uncommitted work: what one holds, what it costs, and the list of all that are kept.
//!
//! Plain values; paths of a work tree are bytes as git has them and are shown only through
//! [`display_text`](super::display_text).

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActionClass, Timestamp};

/// A complete copy of uncommitted work on a hidden reference.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RescueRecord {
    /// The hidden reference that keeps it; in the vault alone, the reference inside the bundle.
    pub reference: String,
    /// The commit whose tree is the work tree as it was.
    pub snapshot: String,
    /// The commit whose tree holds the index, its stages and the facts.
    pub record: String,
    /// When it was made.
    pub time: Timestamp,
    /// For how many milliseconds nothing has changed since, when it is used again; `None` when it was made
    /// now.
    pub unchanged_millis: Option<u64>,
    /// The branch by its full name; `None` when HEAD was detached.
    pub branch: Option<String>,
    /// How many files and links it holds.
    pub n_files: usize,
    /// How many bytes they have.
    pub n_bytes: u64,
    /// How many bytes it took on the disk, compressed and without what the repository had already.
    pub n_disk_bytes: u64,
    /// What could not be read; each is named.
    pub gaps: Vec<Gap>,
    /// False when files still changed in the last of the rounds: nothing is committed then.
    pub is_settled: bool,
    /// What ignore rules keep out of it.
    pub ignored: IgnoredFiles,
    /// The bundle in closeout's own folder, if it was asked for.
    pub vault: Option<PathBuf>,
    /// What a person should know of the place where it is kept.
    pub notices: Vec<RecordNotice>,
    /// All records of this repository together, with this one.
    pub totals: RecordTotals,
}

impl RescueRecord {
    /// How an action ends that made it.
    pub fn class(&self) -> ActionClass {
        if self.gaps.is_empty() { ActionClass::Done } else { ActionClass::SavedGaps }
    }
}

/// Something that a record does not hold, or not exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// From the top of the work tree, as bytes; empty when it is not about one path.
    pub path: Vec<u8>,
    /// Why, in words.
    pub reason: String,
}

/// Files that ignore rules keep out of a record. An agent can write such rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct IgnoredFiles {
    /// How many, at least.
    pub n_files: usize,
    /// Their bytes, at least.
    pub n_bytes: u64,
    /// True when there are more than were counted.
    pub is_more: bool,
}

/// What a record would take, as far as can be told before anything is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordCost {
    /// Files that are new or changed.
    pub n_files: usize,
    /// Their bytes.
    pub n_bytes: u64,
    /// Bytes that are free where the record goes.
    pub n_free_bytes: u64,
}

/// How a record is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordOrder {
    /// A person was told what it takes and said yes.
    pub is_size_allowed: bool,
    /// Where it is kept.
    pub keep_in: KeepIn,
}

/// Where a record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepIn {
    /// On a hidden reference of the repository.
    #[default]
    Repository,
    /// There, and as a bundle in closeout's own folder, out of reach of who can write to the repository.
    RepositoryAndVault,
    /// As a bundle in closeout's own folder alone; nothing is written to the repository.
    Vault,
}

/// All records of a repository together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RecordTotals {
    /// How many.
    pub n_records: usize,
    /// Bytes that they took on the disk when they were made.
    pub n_disk_bytes: u64,
}

/// The records of a repository, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordList {
    /// The records.
    pub records: Vec<KeptRecord>,
    /// All of them together.
    pub totals: RecordTotals,
    /// What was noticed about their keeping.
    pub notices: Vec<RecordNotice>,
}

impl RecordList {
    /// True when somebody or something damaged what keeps the records.
    pub fn is_damaged(&self) -> bool {
        self.notices.iter().any(RecordNotice::is_damage)
    }
}

/// One record that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecord {
    /// The hidden reference that keeps it; it names the record.
    pub reference: String,
    /// The commit whose tree is the work tree as it was.
    pub snapshot: String,
    /// When it was made.
    pub time: Timestamp,
    /// The top of the worktree that it was made of; `None` when that is not known any more.
    pub worktree: Option<PathBuf>,
    /// The branch by its full name; `None` when HEAD was detached.
    pub branch: Option<String>,
    /// How many files and links it holds; `None` when that is not known.
    pub n_files: Option<usize>,
    /// How many bytes they have; `None` when that is not known.
    pub n_bytes: Option<u64>,
    /// How many bytes it took on the disk; `None` when that is not known.
    pub n_disk_bytes: Option<u64>,
    /// How many gaps it has; `None` when that is not known.
    pub n_gaps: Option<usize>,
    /// Whether its work is in a branch by now.
    pub reach: Reach,
    /// Whether it is still there.
    pub state: RecordState,
    /// Its bundle in closeout's own folder.
    pub vault: Option<PathBuf>,
    /// True when it may go without a question: older than 30 days, and its work is in a branch.
    pub is_old: bool,
}

/// Whether the work of a record is reachable from a branch by now: every content that the last commit did
/// not have then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordState {
    /// Its reference is as it was made.
    Kept,
    /// Its reference was removed or moved by somebody and was put back now.
    PutBack,
    /// Its reference is there, and the journal does not know it.
    NotInJournal,
    /// Only its bundle in closeout's own folder is there.
    VaultOnly,
    /// Its reference is gone, and so are its objects.
    Lost,
}

/// Something to know about where records are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Somebody removed or moved a record's reference, and it was put back.
    PutBack {
        /// The reference.
        reference: String,
        /// Where it had been moved to, which is kept by a reference beside it; `None` when it was removed.
        moved_to: Option<String>,
    },
    /// A reference has the name of a record and no journal knows it: the journal lost lines, closeout was killed
    /// while it made the record, or somebody else made the reference.
    NotInJournal {
        /// The reference.
        reference: String,
    },
    /// Somebody removed a record's reference, and its objects are gone too.
    Lost {
        /// The reference.
        reference: String,
    },
    /// `git push` to this remote takes along every reference, the hidden ones too.
    MirrorRemote {
        /// Its name.
        remote: String,
        /// A command that keeps the hidden references out.
        remedy: String,
    },
    /// A reference of somebody else's stands in the way of the usual name, so that another was taken.
    OtherName {
        /// The reference that is in the way.
        taken: String,
    },
    /// No reference could be made, so that the record is in closeout's own folder alone.
    VaultOnly {
        /// Why.
        reason: String,
    },
}

impl RecordNotice {
    /// True when it tells of damage done by somebody or something.
    pub fn is_damage(&self) -> bool {
        match self {
            RecordNotice::JournalDamaged { .. }
            | RecordNotice::JournalNewer { .. }
            | RecordNotice::PutBack { .. }
            | RecordNotice::NotInJournal { .. }
            | RecordNotice::Lost { .. } => true,
            RecordNotice::MirrorRemote { .. }
            | RecordNotice::OtherName { .. }
            | RecordNotice::VaultOnly { .. } => false,
        }
    }
}

/// A record that was deleted for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgottenRecord {
    /// The reference that kept it.
    pub reference: String,
    /// Hidden references that were removed: its own, and those of visible commits made of it.
    pub n_references: usize,
    /// True when a visible commit of it can no more be taken back or made again.
    pub is_undo_gone: bool,
    /// When its objects go from the repository.
    pub objects_go: ObjectsGo,
}

/// When objects go that nothing reaches any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectsGo {
    /// When git next collects garbage and they are older than this, as `gc.pruneExpire` says it.
    WhenCollected {
        /// For example `2.weeks.ago`.
        expiry: String,
        /// A visible commit of it was on a branch: entries of the reflog keep its objects until they are
        /// older than this, as `gc.reflogExpireUnreachable` says it.
        reflog_expiry: Option<String>,
    },
    /// Never by themselves: the settings of the repository forbid it.
    Never,
    /// They are gone already: the record was in closeout's own folder alone.
    Now,
}
