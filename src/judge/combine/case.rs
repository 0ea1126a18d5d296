//! The inputs of a verdict besides the evidence. Must not decide anything.

use std::sync::Arc;

use super::table::{LastPrompt, UserMark};
use crate::model::{
    Changes, ChosenKey, CommitCounts, GitFacts, Head, MarkLapse, OpenPoint, Policy, Proof, Question, Rounds,
    SessionView, TaskKind, TaskWork, Timestamp,
};

/// The inputs of a verdict besides the evidence.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Case<'a> {
    /// The kind of task; it selects the rows of the table.
    pub task_kind: TaskKind,
    /// The limits by which evidence is judged.
    pub policy: &'a Policy,
    /// The rounds so far, including this one.
    pub rounds: &'a Rounds,
    /// Git's facts, for warnings and wording. What they claim is already in the evidence.
    pub git: Option<&'a GitFacts>,
    /// The question in the agent's last words.
    pub question: Option<&'a Question>,
    /// When a person last asked an agent here for work; an older claim says nothing about that work.
    pub prompted_at: Option<Timestamp>,
    /// What the records tell of the tasks here; it determines which of git's facts are theirs.
    pub work: &'a TaskWork,
    /// The sessions, to judge how urgent a rescue is.
    pub sessions: &'a [Arc<SessionView>],
    /// Whether the work tree lies in a temporary folder of the system, where nothing is kept for long.
    pub is_temporary: bool,
    /// When the evidence was read.
    pub taken_at: Timestamp,
    /// The person's own mark, if it still holds.
    pub mark: UserMark,
    /// Why the person's last mark no longer holds.
    pub lapsed: Option<MarkLapse>,
    /// Whether a check that runs in CI has no result here, so that nothing is proven to be checked.
    pub is_unseen_in_ci: bool,
    /// How well COMPLETE must be proven.
    pub required: Proof,
    /// What the last prompt asked for.
    pub prompt: LastPrompt,
    /// Whether the task successfully acted outside the work tree.
    pub acted_outside: bool,
    /// When a complete test run in the sessions passed, if that was after their last edit.
    pub passed_at: Option<Timestamp>,
    /// Whether the configured checks passed for the content that is there.
    pub is_checked: bool,
    /// Keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: &'a [ChosenKey],
    /// What was left to do at the previous look.
    pub before: &'a [OpenPoint],
}

/// The uncommitted changes, if they were read.
pub(super) fn changes<'a>(case: &Case<'a>) -> Option<&'a Changes> {
    case.git.and_then(|git| git.changes.as_ref())
}

/// The commit counts, if git answered.
pub(super) fn commits<'a>(case: &Case<'a>) -> Option<&'a CommitCounts> {
    case.git.map(|git| &git.commits)
}

/// How many commits of the work only HEAD holds, which is on no branch.
pub(super) fn n_unheld(case: &Case<'_>) -> u32 {
    let is_detached = |git: &&GitFacts| matches!(git.head, Head::Detached { .. });
    case.git.filter(is_detached).map_or(0, |git| git.commits.n_unheld)
}
