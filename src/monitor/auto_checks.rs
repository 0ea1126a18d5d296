//! When the checks of a workspace run without a person's request: their own configuration allows it
//! (`checks.run`), a turn ended while this closeout was watching, and a check has not run since the last
//! change.
//!
//! One run at a time over all workspaces, and once after each turn, so that a check that changes files does
//! not loop. Checks must not run beside a working agent: their result would be about content that does not
//! last.

use super::auto_probe::{has_stopped, is_busy, is_read_with_git};
use super::begin::cancel;
use super::moments::moment;
use super::state::Monitor;
use super::tracked::Tracked;
use crate::model::{Action, ActionKind, Effect, Timestamp, WorkspaceId};

impl Monitor {
    /// Runs the checks of a workspace if they are due, and cancels a run if the agent works again.
    pub(super) fn consider_checks(&mut self, id: &WorkspaceId, now: Timestamp) {
        let Some(began_at) =
            self.auto_probe_policy.as_ref().and_then(|auto_probe_policy| auto_probe_policy.began_at)
        else {
            return;
        };
        let is_running = self.workspaces.values().any(|tracked| is_checking(tracked));
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if is_checking(tracked) {
            end_if_at_work(tracked, &mut self.effects);
            return;
        }
        if is_running || !is_due(tracked, began_at) {
            return;
        }
        tracked.auto_checks.ran_in = Some(moment(&tracked.snapshot.session_facts));
        self.begin(id, Action::AutoChecks, now);
    }
}

/// True while automatic checks run.
fn is_checking(tracked: &Tracked) -> bool {
    let running = tracked.actions.shown.running.as_ref();
    running.is_some_and(|running| running.is_automatic && running.kind == ActionKind::Checks)
}

fn is_due(tracked: &Tracked, began_at: Timestamp) -> bool {
    let is_wanted = tracked.settings().checks.is_automatic && tracked.auto_checks.is_waiting;
    let is_read = is_read_with_git(tracked) && tracked.judged.against.content.is_some();
    if !is_wanted || !is_read || tracked.actions.shown.running.is_some() {
        return false;
    }
    let facts = &tracked.snapshot.session_facts;
    let Some(rested_at) = facts.sessions.iter().filter_map(|session| session.rested_at()).max() else {
        return false;
    };
    let is_quiet = facts.sessions.iter().all(|session| !is_busy(session.activity.state));
    is_quiet
        && facts.sessions.first().is_some_and(|session| has_stopped(session))
        && rested_at >= began_at
        && tracked.snapshot.tree_at.is_some_and(|tree_at| tree_at >= rested_at)
        && tracked.auto_checks.ran_in.as_ref() != Some(&moment(facts))
}

/// Cancels a run if an agent works again: its result would be about content that does not last.
fn end_if_at_work(tracked: &mut Tracked, effects: &mut Vec<Effect>) {
    let facts = &tracked.snapshot.session_facts;
    let is_busy = facts.sessions.iter().any(|session| is_busy(session.activity.state));
    if let Some(running) = tracked.actions.shown.running.as_mut().filter(|_| is_busy) {
        cancel(running, effects);
    }
}
