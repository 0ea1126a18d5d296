//! What the end of a turn leaves open, so that it is not the end of the work: a subagent that has not reported, or was
//! stopped, and a prompt that waits. Must not weigh anything.

use super::tasks::SessionTask;
use crate::judge::{runs, task};
use crate::model::{Deed, Fact, SessionObservation, Subagent, Timestamp, TurnStep};

/// The first thing that is open, with its words, if it has any.
pub(super) fn left_open<'s>(
    session: &'s SessionObservation,
    task: &SessionTask,
) -> Option<(Fact, Option<&'s str>)> {
    let is_of_task = |subagent: &&Subagent| subagent.moved_at.is_none_or(|at| task.is_since(at));
    // It may have ended with the session's process, or wait for a command that takes long.
    if session.subagents.iter().any(|subagent| is_of_task(&subagent)) {
        return Some((Fact::SubagentSilent, None));
    }
    let is_undone = |stopped: &&Subagent| !stopped.moved_at.is_some_and(|at| works_after(session, at));
    if let Some(stopped) = session.stopped.iter().filter(is_of_task).find(is_undone) {
        return Some((Fact::SubagentStopped, stopped.what.as_deref()));
    }
    let queued = session.queued.as_deref().filter(|queued| task::wants_something(queued))?;
    Some((Fact::PromptQueued, Some(queued)))
}

/// Whether the session changed files after this moment, or had somebody else do it: that may be what a subagent did not.
fn works_after(session: &SessionObservation, at: Timestamp) -> bool {
    let is_work = |step: &TurnStep| match &step.deed {
        Deed::Command(run) => runs::changes_files(run),
        Deed::Edit { was_done, .. } => *was_done,
        Deed::SentOff { was_read: false, .. } | Deed::Other { .. } => true,
        // What it did has steps of its own.
        Deed::Asked { .. } | Deed::SentOff { was_read: true, .. } => false,
    };
    let mut steps = session.history.turns.iter().rev().flat_map(|turn| &turn.steps);
    steps.any(|step| step.at.is_some_and(|done_at| done_at > at) && is_work(step))
}
