//! Records, plans and outcomes for scripts, where their JSON form is not that of the values themselves: with words for
//! facts, or with what became of a plan.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::action;
use crate::model::{
    BranchPlan, CommitAuthor, CommitId, CommitTarget, LeftOut, PathText, PlannedChange, PlannedPath,
    PlannedPrograms, PlannedSplit, RefName, RescuePlan, RescueRecord, Restored, SkipReason, SplitKind,
    UndoPlan,
};

/// `rescue --record-only --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedRow<'r> {
    /// The record that was made.
    pub record: &'r RescueRecord,
}

/// `rescue --dry-run --json`, and `rescue --json` where no commit is made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanRow<'p> {
    /// The record that holds the work; it exists already.
    record: &'p RescueRecord,
    /// The full name of the branch that is checked out; empty when HEAD is detached.
    branch: &'p str,
    /// The commit that HEAD is at; null on an unborn branch.
    head: Option<CommitId>,
    /// Where the commit can go.
    targets: &'p [CommitTarget],
    /// Where it goes.
    target: Option<&'p CommitTarget>,
    /// Every path that differs from the last commit.
    paths: Vec<PathRow<'p>>,
    /// The commit message, as it will be stored.
    message: &'p str,
    /// Why no commit is made as the plan stands; with a target, why it is not the branch that is checked out.
    refusal: Option<&'p str>,
    /// Ways to make several commits of it.
    splits: &'p [PlannedSplit],
    /// The way that was chosen.
    split: Option<SplitKind>,
    /// The author of the commit.
    author: Option<&'p CommitAuthor>,
    /// What must be known before it is confirmed, in words.
    notes: Vec<String>,
    /// The programs that could have a part in it.
    programs: &'p PlannedPrograms,
}

/// One path of a plan.
#[derive(Debug, Serialize, JsonSchema)]
struct PathRow<'p> {
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
    object: Option<&'p str>,
}

/// `undo --json` and `redo --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoRow<'p> {
    /// True when it was done; false with `--dry-run`.
    pub is_done: bool,
    /// What was planned.
    #[serde(flatten)]
    pub plan: &'p UndoPlan,
}

/// `rescue --json` where all work is committed, and no branch holds the commits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BranchRow<'p> {
    /// True when the branch was created; false with `--dry-run`, or when it was declined.
    pub is_done: bool,
    /// What was planned.
    #[serde(flatten)]
    pub plan: &'p BranchPlan,
}

/// `restore --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RestoredRow<'r> {
    /// The reference of the record; null when a bundle was named.
    record: Option<&'r str>,
    /// The bundle that was named.
    bundle: Option<PathText>,
    /// The folder that has the files.
    into: PathText,
    /// The files and links that were written, relative to the folder.
    files: Vec<PathText>,
    /// Those that were wanted and not written.
    skipped: Vec<SkippedRow>,
    /// Whether the audit log tells of it.
    is_logged: bool,
    /// Why it does not, in words.
    why_not_logged: Option<&'r str>,
}

/// A file of a record that was not written.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedRow {
    #[serde(flatten)]
    path: PathText,
    /// Why.
    reason: SkipReason,
}

/// The record that was restored.
#[derive(Debug, Clone, Copy)]
pub enum RestoredFrom<'r> {
    /// The one with this reference.
    Reference(&'r str),
    /// The one in this bundle.
    Bundle(&'r Path),
}

impl RestoredRow<'_> {
    /// The JSON form of a restore, which may have ended in the middle. `unlogged` is why the audit log does not tell of it.
    pub fn of<'r>(
        from: RestoredFrom<'r>,
        into: &Path,
        restored: &Restored,
        unlogged: Option<&'r str>,
    ) -> RestoredRow<'r> {
        let text = |path: &Path| PathText::of(path.as_os_str().as_encoded_bytes());
        let (record, bundle) = match from {
            RestoredFrom::Reference(reference) => (Some(reference), None),
            RestoredFrom::Bundle(bundle) => (None, Some(text(bundle))),
        };
        let skipped = restored.skipped.iter();
        RestoredRow {
            record,
            bundle,
            into: text(into),
            files: restored.written.iter().map(|path| text(path)).collect(),
            skipped: skipped.map(|(path, reason)| SkippedRow { path: text(path), reason: *reason }).collect(),
            is_logged: unlogged.is_none(),
            why_not_logged: unlogged,
        }
    }
}

impl PlanRow<'_> {
    /// The JSON form of a plan.
    pub fn of(plan: &RescuePlan) -> PlanRow<'_> {
        PlanRow {
            record: &plan.record,
            branch: plan.branch.as_ref().map_or("", RefName::as_str),
            head: plan.head,
            targets: &plan.targets,
            target: plan.target.as_ref(),
            paths: plan.paths.iter().map(PathRow::of).collect(),
            message: &plan.message,
            refusal: plan.refusal.as_deref(),
            splits: &plan.splits,
            split: plan.split,
            author: plan.author.as_ref(),
            notes: plan.notes.iter().map(action::note).collect(),
            programs: &plan.programs,
        }
    }
}

impl PathRow<'_> {
    fn of(path: &PlannedPath) -> PathRow<'_> {
        PathRow {
            path: PathText::of(&path.path),
            change: path.change,
            size: path.size,
            left_out: path.left_out,
            can_be_asked_for: path.left_out.is_some_and(LeftOut::can_be_asked_for),
            is_converted: path.is_converted,
            object: path.object.as_deref(),
        }
    }
}
