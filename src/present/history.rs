//! What happened in a workspace, in words. Times are added elsewhere.

use super::phrases::history as say;
use super::texts::shown;
use super::{runs, sets};
use crate::model::HistoryEvent;

/// One event, without its time. Cleaned.
pub(crate) fn event(what: &HistoryEvent) -> String {
    match what {
        HistoryEvent::Verdict { state, before, proof } => {
            let state = state.name();
            let verdict =
                proof.map_or_else(|| state.to_owned(), |proof| say::proven(state, sets::proof(proof)));
            before.map_or_else(|| verdict.clone(), |before| say::verdict(before.name(), &verdict))
        }
        HistoryEvent::Seen { after_ms } => say::seen(super::age::span(after_ms.unsigned_abs())),
        HistoryEvent::Iteration { number, end, verdict, took_ms, .. } => {
            let took = super::age::span(took_ms.unsigned_abs());
            say::iteration(number, runs::command_end(*end), took, verdict.name())
        }
        HistoryEvent::RunEnded { status, iterations, .. } => say::run_ended(status.name(), iterations),
        HistoryEvent::GatePassed => say::gate_passed().to_owned(),
        HistoryEvent::Notice { why } => say::told(shown(why)),
    }
}
