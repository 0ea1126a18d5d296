//! Decides which verdicts go into the history: those that differ from the last one this run noted.
//!
//! Whether another closeout has already written one down is left to the store.

use std::collections::HashMap;

use super::clock;
use super::store_lane::StoreLane;
use crate::model::{Proof, Rule, Timestamp, Verdict, VerdictState, WorkspaceId, WorkspaceView, display_text};
use crate::store::{Store, StoreError, VerdictChange};

#[derive(Debug, Default)]
pub(super) struct History {
    noted: HashMap<WorkspaceId, (VerdictState, bool)>,
    log: VerdictLog,
}

/// The last logged verdict of each workspace, and the time since which it holds.
#[derive(Debug, Default)]
struct VerdictLog(HashMap<WorkspaceId, (VerdictState, Rule, Timestamp)>);

impl VerdictLog {
    /// Logs one line if the verdict differs from the last one.
    fn note(&mut self, view: &WorkspaceView, at: Timestamp) {
        let Some(verdict) = &view.verdict else { return };
        let now = (verdict.state, verdict.rule());
        let before = self.0.get(&view.id).copied();
        if before.is_some_and(|(state, rule, _)| (state, rule) == now) {
            return;
        }
        self.0.insert(view.id.clone(), (now.0, now.1, at));
        let before = before.map(|(state, _, since)| (state, at.millis_since(since)));
        tracing::info!("{}", in_the_log(view, verdict, before));
    }
}

/// A verdict as a log line: its previous state and how many milliseconds that lasted, the workspace, the
/// check, the rule, the strength of the proof, and what became of the decision.
fn in_the_log(view: &WorkspaceView, verdict: &Verdict, before: Option<(VerdictState, i64)>) -> String {
    let (before, millis) = before.map_or(("none", 0), |(state, millis)| (state.name(), millis));
    let (decision, state) = (&view.decision, verdict.state.name());
    let mut text = format!(
        "verdict {before} -> {state} after {millis} ms workspace={} rule={} decision_source={}",
        view.id.path().display(),
        verdict.rule().name(),
        decision.source.name(),
    );
    let facts = [
        ("proof", verdict.proof.map(|proof| proof.name().to_owned())),
        ("check", decision.expected.clone()),
        ("check_found", decision.found.clone()),
        ("check_id_match", decision.check_id_match.map(|is_same| is_same.to_string())),
        ("decision_reason", decision.reason.map(|reason| reason.name().to_owned())),
    ];
    for (name, value) in facts {
        text.extend(value.map(|value| format!(" {name}={value}")));
    }
    display_text::line(&text).into_owned()
}

impl History {
    /// Queues writes for what is new, beside the loop.
    pub(super) fn note(&mut self, views: &[WorkspaceView], lane: &mut StoreLane) {
        for view in views {
            let Some(verdict) = &view.verdict else { continue };
            self.log.note(view, clock::now());
            let now = (verdict.state, view.is_seen);
            if self.noted.insert(view.id.clone(), now) == Some(now) {
                continue;
            }
            let (view, at) = (Noted::of(view), clock::now());
            lane.write(move |store| view.write(store, at).map(drop));
        }
    }
}

/// What is stored of a view.
pub(super) struct Noted {
    workspace: WorkspaceId,
    agent: Option<String>,
    state: VerdictState,
    proof: Option<Proof>,
    is_seen: bool,
}

impl Noted {
    fn of(view: &WorkspaceView) -> Noted {
        let verdict = view.verdict.as_deref();
        Noted {
            workspace: view.id.clone(),
            agent: view.agent.clone(),
            state: verdict.map_or(VerdictState::NoTask, |verdict| verdict.state),
            proof: verdict.and_then(|verdict| verdict.proof),
            is_seen: view.is_seen,
        }
    }

    /// Writes it; returns the change, if there was one.
    fn write(&self, store: &Store, at: Timestamp) -> Result<Option<VerdictChange>, StoreError> {
        let agent = self.agent.as_deref();
        let change = store.note_verdict(&self.workspace, agent, self.state, self.proof, at)?;
        if change.is_some() && self.state == VerdictState::Complete {
            // One success resets the circuit breaker.
            store.keep_time_outs(&self.workspace, 0)?;
        }
        if self.is_seen && self.state == VerdictState::Complete {
            store.note_seen(&self.workspace, agent, at)?;
        }
        Ok(change)
    }
}

/// Writes down what a one-shot command found, if it differs from what any closeout wrote last. An unchanged
/// verdict is logged at debug level only.
pub(super) fn note_once(store: &Store, view: &WorkspaceView) -> Result<(), StoreError> {
    if !view.reading.problems.is_empty() {
        let place = display_text::path(view.id.path());
        tracing::warn!(workspace = %place, problems = ?view.reading.problems);
    }
    let Some(verdict) = &view.verdict else { return Ok(()) };
    let at = clock::now();
    if let Some(change) = Noted::of(view).write(store, at)? {
        let before = change.before.map(|(state, since)| (state, at.millis_since(since)));
        tracing::info!("{}", in_the_log(view, verdict, before));
    } else {
        tracing::debug!("{}", in_the_log(view, verdict, Some((verdict.state, 0))));
    }
    Ok(())
}
