//! Records, plans and outcomes for scripts: the values that the user sees, with paths as text.

use schemars::JsonSchema;
use serde::Serialize;

use super::action;
use super::json::PathText;
use crate::model::{
    BranchPlan, CommitAuthor, CommitId, CommitTarget, Gap, IgnoredFiles, KeptRecord, LeftOut, PlannedChange,
    PlannedCommit, PlannedPath, PlannedPrograms, PlannedSplit, Reach, RecordList, RecordNotice, RecordRef,
    RecordState, RecordTotals, RefName, RescuePlan, RescueRecord, Rescued, ShownCommit, SplitKind, Timestamp,
    UndoDirection, UndoPlan,
};

/// A record of uncommitted work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordRow {
    /// The hidden reference that keeps it.
    reference: RecordRef,
    /// The commit whose tree is the work tree as it was.
    snapshot: CommitId,
    /// The commit whose tree holds the index and the facts.
    record: CommitId,
    /// When it was made.
    time: Timestamp,
    /// The branch by its full name; null when HEAD was detached.
    branch: Option<RefName>,
    /// How many files and links it holds.
    n_files: usize,
    /// How many bytes they have.
    n_bytes: u64,
    /// How many bytes it took on the disk.
    n_disk_bytes: u64,
    /// What could not be read; each is named.
    gaps: Vec<GapRow>,
    /// False when files still changed while it was made.
    is_settled: bool,
    /// What ignore rules keep out of it.
    ignored: IgnoredFiles,
    /// The bundle in closeout's own folder.
    vault: Option<PathText>,
    /// What should be known of the place where it is kept.
    notices: Vec<RecordNotice>,
    /// All records of this repository together.
    totals: RecordTotals,
}

/// Something that a record does not hold.
#[derive(Debug, Serialize, JsonSchema)]
struct GapRow {
    #[serde(flatten)]
    path: PathText,
    /// Why, in words.
    reason: String,
}

/// `rescue --record-only --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedRow {
    /// The record that was made.
    record: RecordRow,
}

/// `rescue --dry-run --json`, and `rescue --json` where no commit is made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanRow {
    /// The record that holds the work; it exists already.
    record: RecordRow,
    /// The full name of the branch that is checked out; empty when HEAD is detached.
    branch: String,
    /// The commit that HEAD is at; null on an unborn branch.
    head: Option<CommitId>,
    /// Where the commit can go.
    targets: Vec<CommitTarget>,
    /// Where it goes.
    target: Option<CommitTarget>,
    /// Every path that differs from the last commit.
    paths: Vec<PathRow>,
    /// The commit message, as it will be stored.
    message: String,
    /// Why no commit is made as the plan stands; with a target, why it is not the branch that is checked out.
    refusal: Option<String>,
    /// Ways to make several commits of it.
    splits: Vec<SplitRow>,
    /// The way that was chosen.
    split: Option<SplitKind>,
    /// The author of the commit.
    author: Option<CommitAuthor>,
    /// What must be known before it is confirmed, in words.
    notes: Vec<String>,
    /// The programs that could have a part in it.
    programs: PlannedPrograms,
}

/// One path of a plan.
#[derive(Debug, Serialize, JsonSchema)]
struct PathRow {
    #[serde(flatten)]
    path: PathText,
    /// What became of it since the last commit.
    change: PlannedChange,
    /// Its size now in bytes.
    size: u64,
    /// Why the commit leaves it out; null when it is in.
    left_out: Option<LeftOut>,
    /// Whether `--include` takes it in, if it is left out.
    can_be_asked_for: bool,
    /// True when the commit holds it in another form than the disk.
    is_converted: bool,
    /// The id of what the commit will hold at the path.
    object: Option<String>,
}

/// A way to make several commits.
#[derive(Debug, Serialize, JsonSchema)]
struct SplitRow {
    /// Which way.
    kind: SplitKind,
    /// The commits, in their order.
    commits: Vec<CommitRow>,
}

/// One commit of several.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitRow {
    /// The message.
    message: String,
    /// What it changes.
    paths: Vec<CommitPathRow>,
}

/// A path in one commit of several.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitPathRow {
    #[serde(flatten)]
    path: PathText,
    /// The id of what that commit holds there; null for a deletion.
    object: Option<String>,
}

/// `rescue --json` that committed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RescuedRow {
    /// The record.
    record: RecordRow,
    /// The commits, the oldest first.
    #[schemars(with = "Vec<String>")]
    commits: Vec<CommitId>,
    /// The full name of the branch that they are on.
    branch: RefName,
    /// How many paths they hold.
    n_paths: usize,
    /// What happened beside it.
    notes: Vec<String>,
    /// True when `undo` can take it back exactly.
    can_be_undone: bool,
}

/// `undo --json` and `redo --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoRow {
    /// True when it was done; false with `--dry-run`.
    is_done: bool,
    /// Which of both.
    way: UndoDirection,
    /// The id of the rescue in the journal.
    id: String,
    /// The full name of the branch.
    branch: RefName,
    /// Where the branch was; null when it was unborn.
    from: Option<CommitId>,
    /// Where it goes; null when it becomes unborn.
    to: Option<CommitId>,
    /// The commits that are taken back or made again, the oldest first.
    commits: Vec<ShownCommit>,
    /// The paths that they change.
    paths: Vec<PathText>,
    /// The reference of the record; null when the rescue only created a branch.
    record: Option<RecordRef>,
}

/// `rescue --json` where all work is committed, and no branch holds the commits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BranchRow {
    /// True when the branch was created; false with `--dry-run`, or when it was declined.
    is_done: bool,
    /// The full name of the new branch.
    branch: RefName,
    /// The commit that it is created at.
    tip: CommitId,
    /// The newest of the commits that only it holds, the oldest first; at most fifty.
    commits: Vec<ShownCommit>,
    /// How many there are in all.
    n_commits: usize,
    /// How many further lines of commits nothing holds.
    n_further: usize,
    /// Whose repository it is, where the work tree does not tell.
    notice: Option<RecordNotice>,
}

/// `rescues --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListRow {
    /// The records, the newest first.
    records: Vec<KeptRow>,
    /// All of them together.
    totals: RecordTotals,
    /// What was noticed about their keeping.
    notices: Vec<RecordNotice>,
}

/// One record that is kept.
#[derive(Debug, Serialize, JsonSchema)]
struct KeptRow {
    /// The hidden reference; it names the record.
    reference: RecordRef,
    /// The commit whose tree is the work tree as it was.
    snapshot: CommitId,
    /// When it was made.
    time: Timestamp,
    /// The top of the worktree that it was made of.
    worktree: Option<PathText>,
    /// The branch by its full name.
    branch: Option<RefName>,
    /// How many files and links it holds.
    n_files: Option<usize>,
    /// How many bytes they have.
    n_bytes: Option<u64>,
    /// How many bytes it took on the disk.
    n_disk_bytes: Option<u64>,
    /// How many gaps it has.
    n_gaps: Option<usize>,
    /// Whether its work is in a branch by now.
    reach: Reach,
    /// Whether it is still there.
    state: RecordState,
    /// Its bundle in closeout's own folder.
    vault: Option<PathText>,
    /// True when it may go without a question.
    is_old: bool,
}

impl RecordRow {
    fn of(record: &RescueRecord) -> RecordRow {
        let gap = |gap: &Gap| GapRow { path: PathText::of(&gap.path), reason: gap.reason.clone() };
        RecordRow {
            reference: record.reference.clone(),
            snapshot: record.snapshot,
            record: record.record,
            time: record.time,
            branch: record.branch.clone(),
            n_files: record.n_files,
            n_bytes: record.n_bytes,
            n_disk_bytes: record.n_disk_bytes,
            gaps: record.gaps.iter().map(gap).collect(),
            is_settled: record.is_settled,
            ignored: record.ignored,
            vault: record.vault.as_deref().map(PathText::of_path),
            notices: record.notices.clone(),
            totals: record.totals,
        }
    }
}

impl RecordedRow {
    /// The JSON form of a record.
    pub fn of(record: &RescueRecord) -> RecordedRow {
        RecordedRow { record: RecordRow::of(record) }
    }
}

impl PlanRow {
    /// The JSON form of a plan.
    pub fn of(plan: &RescuePlan) -> PlanRow {
        PlanRow {
            record: RecordRow::of(&plan.record),
            branch: plan.branch.as_ref().map(RefName::to_string).unwrap_or_default(),
            head: plan.head,
            targets: plan.targets.clone(),
            target: plan.target.clone(),
            paths: plan.paths.iter().map(PathRow::of).collect(),
            message: plan.message.clone(),
            refusal: plan.refusal.clone(),
            splits: plan.splits.iter().map(SplitRow::of).collect(),
            split: plan.split,
            author: plan.author.clone(),
            notes: plan.notes.iter().map(action::note).collect(),
            programs: plan.programs.clone(),
        }
    }
}

impl PathRow {
    fn of(path: &PlannedPath) -> PathRow {
        PathRow {
            path: PathText::of(&path.path),
            change: path.change,
            size: path.size,
            left_out: path.left_out,
            can_be_asked_for: path.left_out.is_some_and(LeftOut::can_be_asked_for),
            is_converted: path.is_converted,
            object: path.object.clone(),
        }
    }
}

impl SplitRow {
    fn of(split: &PlannedSplit) -> SplitRow {
        let path = |path: &crate::model::CommitPath| CommitPathRow {
            path: PathText::of(&path.path),
            object: path.object.clone(),
        };
        let commit = |commit: &PlannedCommit| CommitRow {
            message: commit.message.clone(),
            paths: commit.paths.iter().map(path).collect(),
        };
        SplitRow { kind: split.kind, commits: split.commits.iter().map(commit).collect() }
    }
}

impl RescuedRow {
    /// The JSON form of a rescue that was carried out.
    pub fn of(rescued: &Rescued) -> RescuedRow {
        RescuedRow {
            record: RecordRow::of(&rescued.record),
            commits: rescued.commits.clone(),
            branch: rescued.branch.clone(),
            n_paths: rescued.n_paths,
            notes: rescued.notes.clone(),
            can_be_undone: rescued.can_be_undone,
        }
    }
}

impl UndoRow {
    /// The JSON form of an undo or redo; `is_done` says whether it was carried out or only planned.
    pub fn of(plan: &UndoPlan, is_done: bool) -> UndoRow {
        UndoRow {
            is_done,
            way: plan.way,
            id: plan.id.clone(),
            branch: plan.branch.clone(),
            from: plan.from,
            to: plan.to,
            commits: plan.commits.clone(),
            paths: plan.paths.iter().map(|path| PathText::of(path)).collect(),
            record: plan.record.clone(),
        }
    }
}

impl BranchRow {
    /// The JSON form of a new branch; `is_done` says whether it was created or only planned.
    pub fn of(plan: &BranchPlan, is_done: bool) -> BranchRow {
        let BranchPlan { branch, tip, commits, n_commits, n_further, notice } = plan.clone();
        BranchRow { is_done, branch, tip, commits, n_commits, n_further, notice }
    }
}

impl ListRow {
    /// The JSON form of a list of records.
    pub fn of(list: &RecordList) -> ListRow {
        let row = |record: &KeptRecord| KeptRow {
            reference: record.reference.clone(),
            snapshot: record.snapshot,
            time: record.time,
            worktree: record.worktree.as_deref().map(PathText::of_path),
            branch: record.branch.clone(),
            n_files: record.n_files,
            n_bytes: record.n_bytes,
            n_disk_bytes: record.n_disk_bytes,
            n_gaps: record.n_gaps,
            reach: record.reach,
            state: record.state,
            vault: record.vault.as_deref().map(PathText::of_path),
            is_old: record.is_old,
        };
        ListRow {
            records: list.records.iter().map(row).collect(),
            totals: list.totals,
            notices: list.notices.clone(),
        }
    }
}
