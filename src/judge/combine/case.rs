//! What a verdict is made from, beside the evidence. It decides nothing.

use super::table::{LastPrompt, Mark};
use crate::model::{
    Changes, ChosenKey, CommitCounts, GitFacts, MarkLapse, OpenPoint, Policy, Proof, Question, Rounds,
    SessionView, TaskKind, TaskWork, Timestamp,
};

/// What a verdict is made from, beside the evidence.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The kind of the task; it selects the table.
    pub task_kind: TaskKind,
    /// How evidence is judged.
    pub policy: &'a Policy,
    /// The rounds, this one included.
    pub rounds: &'a Rounds,
    /// Git's facts, for warnings and words; what counts of them is in the evidence.
    pub git: Option<&'a GitFacts>,
    /// The question in the last words.
    pub question: Option<&'a Question>,
    /// When a person last asked an agent here for work: a claim that is older says nothing of it.
    pub prompted_at: Option<Timestamp>,
    /// The work of the tasks here: what of git's facts is theirs.
    pub work: &'a TaskWork,
    /// The sessions, for the degree of a rescue.
    pub sessions: &'a [SessionView],
    /// When the evidence was read.
    pub taken_at: Timestamp,
    /// A person's own word that still holds.
    pub mark: Mark,
    /// Why their last word does not hold any more.
    pub lapsed: Option<MarkLapse>,
    /// How well a COMPLETE has to be proven.
    pub required: Proof,
    /// What the last prompt asked for.
    pub prompt: LastPrompt,
    /// Whether the task acted outside the work tree, and that succeeded.
    pub acted_outside: bool,
    /// Whether a whole test run in the sessions passed after the last edit.
    pub is_checked: bool,
    /// Keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: &'a [ChosenKey],
    /// What was left to do at the last look.
    pub before: &'a [OpenPoint],
}

/// The uncommitted changes, where they were looked at.
pub(super) fn changes<'a>(case: &Case<'a>) -> Option<&'a Changes> {
    case.git.and_then(|git| git.changes.as_ref())
}

/// The commits, where git answered.
pub(super) fn commits<'a>(case: &Case<'a>) -> Option<&'a CommitCounts> {
    case.git.map(|git| &git.commits)
}
