//! Records, plans and outcomes for scripts, where their JSON form is not that of the values themselves: with words for
//! facts, or with what became of a plan.

use schemars::JsonSchema;
use serde::Serialize;

use super::action;
use crate::model::{
    BranchPlan, CommitAuthor, CommitId, CommitTarget, LeftOut, PathText, PlannedChange, PlannedPath,
    PlannedPrograms, PlannedSplit, RefName, RescuePlan, RescueRecord, SplitKind, UndoPlan,
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
