//! Which verdicts of a live engine are news for the history: those that are other than what this run noted before.
//!
//! Whether another closeout wrote it down already is the store's affair.

use std::collections::HashMap;

use super::clock;
use super::store_lane::StoreLane;
use crate::model::{Proof, Rule, Timestamp, VerdictState, WorkspaceId, WorkspaceView, display_text};
use crate::store::{Store, StoreError};

/// What was noted in this run.
#[derive(Debug, Default)]
pub(super) struct History {
    noted: HashMap<WorkspaceId, (VerdictState, bool)>,
    log: VerdictLog,
}

/// The last verdict of each workspace that the log has, and since when.
#[derive(Debug, Default)]
struct VerdictLog(HashMap<WorkspaceId, (VerdictState, Rule, Timestamp)>);

impl VerdictLog {
    /// One line for each verdict that is another one: where, of which check, by what rule, how well proven, from what to
    /// what, and after how many milliseconds.
    fn note(&mut self, view: &WorkspaceView, at: Timestamp) {
        let Some(verdict) = &view.verdict else { return };
        let now = (verdict.state, verdict.rule);
        let before = self.0.get(&view.id).copied();
        if before.is_some_and(|(state, rule, _)| (state, rule) == now) {
            return;
        }
        self.0.insert(view.id.clone(), (now.0, now.1, at));
        tracing::info!(
            workspace = %display_text::path(view.id.path()),
            check = view.decision.expected.as_deref().map(display_text::line).as_deref(),
            rule = ?verdict.rule,
            proof = verdict.proof.map(Proof::name),
            "verdict {} -> {} after {} ms",
            before.map_or("none", |(state, ..)| state.name()),
            verdict.state.name(),
            before.map_or(0, |(.., since)| at.millis_since(since)),
        );
    }
}

impl History {
    /// Has news written down beside the loop.
    pub(super) fn note(&mut self, views: &[WorkspaceView], lane: &mut StoreLane) {
        for view in views {
            let Some(verdict) = &view.verdict else { continue };
            self.log.note(view, clock::now());
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
    verdict: (VerdictState, Option<Proof>),
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

    fn write(&self, store: &Store, at: Timestamp) -> Result<(), StoreError> {
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
