//! Which verdicts of a live engine are news for the history: those that are other than what this run noted before.
//!
//! Whether another closeout wrote it down already is the store's affair.

use std::collections::HashMap;

use super::clock;
use super::store_lane::StoreLane;
use crate::model::{VerdictState, WorkspaceId, WorkspaceView};
use crate::store::{Store, StoreError};

/// What was noted in this run.
#[derive(Debug, Default)]
pub(super) struct History {
    noted: HashMap<WorkspaceId, (VerdictState, bool)>,
}

impl History {
    /// Has news written down beside the loop.
    pub(super) fn note(&mut self, views: &[WorkspaceView], lane: &mut StoreLane) {
        for view in views {
            let Some(verdict) = &view.verdict else { continue };
            let now = (verdict.state, view.is_seen);
            if self.noted.insert(view.id.clone(), now) == Some(now) {
                continue;
            }
            let (view, at) = (Noted::of(view), clock::now());
            lane.write(move |store| view.write(store, at));
        }
    }
}

/// What is written down of a view.
pub(super) struct Noted {
    workspace: WorkspaceId,
    agent: Option<String>,
    verdict: (VerdictState, Option<crate::model::Proof>),
    is_seen: bool,
}

impl Noted {
    fn of(view: &WorkspaceView) -> Noted {
        let verdict = view.verdict.as_ref();
        Noted {
            workspace: view.id.clone(),
            agent: view.agent.clone(),
            verdict: (
                verdict.map_or(VerdictState::NoTask, |verdict| verdict.state),
                verdict.and_then(|verdict| verdict.proof),
            ),
            is_seen: view.is_seen,
        }
    }

    fn write(&self, store: &Store, at: crate::model::Timestamp) -> Result<(), StoreError> {
        let is_news = store.note_verdict(&self.workspace, self.agent.as_deref(), self.verdict, at)?;
        if is_news && self.verdict.0 == VerdictState::Complete {
            // One success closes the circuit breaker.
            store.keep_time_outs(&self.workspace, 0)?;
        }
        if self.is_seen && self.verdict.0 == VerdictState::Complete {
            store.note_seen(&self.workspace, self.agent.as_deref(), at)?;
        }
        Ok(())
    }
}

/// Writes down what a single look found.
pub(super) fn note_once(store: &Store, view: &WorkspaceView) -> Result<(), StoreError> {
    if view.verdict.is_none() {
        return Ok(());
    }
    Noted::of(view).write(store, clock::now())
}
