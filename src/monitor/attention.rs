//! The reason why a person should look at a workspace. It only picks the reason; how it is shown is decided
//! by the fronts.

use std::sync::Arc;

use crate::model::{
    ActivityState, Attention, Certainty, QuestionWeight, RescueDegree, RunStatus, SessionView, Verdict,
    VerdictState, Warning,
};

/// The most urgent reason. What any session waits for comes before the verdict. `ended` is how a supervised
/// run ended that nobody has looked at since; `is_closed` means that a mark saw every question of the verdict.
pub(super) fn attention(
    verdict: &Verdict,
    sessions: &[Arc<SessionView>],
    ended: Option<RunStatus>,
    is_seen: bool,
    is_closed: bool,
) -> Option<Attention> {
    let mut waiting = sessions.iter().filter(|session| session.set_aside.is_none());
    if waiting.clone().any(|session| session.activity.state == ActivityState::NeedsPermission) {
        return Some(Attention::Permission);
    }
    if waiting.any(|session| asks(session)) {
        return Some(Attention::Asks);
    }
    let stops_half_way = verdict.warnings.contains(&Warning::WordsStopHalfWay);
    let weight = verdict.question.as_ref().filter(|_| !is_closed).map(|question| question.weight);
    let asks = !is_closed
        && (verdict.state == VerdictState::AwaitingResponse || weight == Some(QuestionWeight::Blocking));
    match (verdict.state, asks) {
        (VerdictState::Working | VerdictState::Waiting, _) => None,
        (VerdictState::Incomplete | VerdictState::NoTask, false) if ended.is_some() => {
            let is_broken = matches!(ended, Some(RunStatus::Failed | RunStatus::Unreadable));
            Some(if is_broken { Attention::Error } else { Attention::Stalled })
        }
        (VerdictState::AwaitingResponse, _) if weight == Some(QuestionWeight::Offer) => {
            Some(Attention::Offer)
        }
        (_, true) => Some(Attention::Asks),
        // A person who commits by hand is only told that the work is finished.
        (VerdictState::RescueNeeded, _) if verdict.degree == Some(RescueDegree::ToCommit) => {
            (!is_seen).then_some(Attention::Finished)
        }
        (VerdictState::RescueNeeded, _) => Some(Attention::Rescue),
        (VerdictState::Stalled, _) => Some(Attention::Stalled),
        (VerdictState::Error, _) => Some(Attention::Error),
        (VerdictState::Complete, _) if weight == Some(QuestionWeight::Offer) => Some(Attention::Offer),
        (VerdictState::Complete, _) if !is_seen && !stops_half_way => Some(Attention::Finished),
        (
            VerdictState::Complete
            | VerdictState::Incomplete
            | VerdictState::AwaitingResponse
            | VerdictState::NoTask,
            _,
        ) => None,
    }
}

fn asks(session: &SessionView) -> bool {
    let weight = session.question.as_ref().map(|question| question.weight);
    // What may not be a question at all is shown but not announced.
    let is_certain = session.question.as_ref().is_some_and(|question| question.certainty > Certainty::Low);
    session.activity.state == ActivityState::Asks || is_certain && weight == Some(QuestionWeight::Blocking)
}
