//! An agent's own record as evidence: a turn that runs is WORK, a prompt that stands is ASK, a model
//! error in place of a reply is FAIL. A turn that stayed open in silence is nothing.

use crate::model::{
    Activity, ActivitySource, ActivityState, Claim, Evidence, Observations, Rejection, SessionObservation,
    Source, Strength, Timestamp, TurnState,
};

use super::{Scales, excerpt};

/// Tools that are questions to the person by another name (Claude Code).
const ASKING_TOOLS: [&str; 1] = ["AskUserQuestion"];
/// Tools that wait for the approval of a plan (Claude Code).
const APPROVAL_TOOLS: [&str; 1] = ["ExitPlanMode"];

/// What the session does now.
pub(super) fn activity(
    session: &SessionObservation,
    observations: &Observations,
    scales: &Scales<'_>,
) -> Activity {
    let (state, since, detail) = match &session.turn {
        TurnState::Ended { at } => (ActivityState::Idle, *at, None),
        TurnState::Interrupted { at } => (ActivityState::Idle, *at, Some("interrupted".to_owned())),
        TurnState::Failed { at, error } => (ActivityState::Idle, *at, Some(excerpt::reason(error))),
        TurnState::Open { since, tool } => match tool.as_deref() {
            Some(tool) if ASKING_TOOLS.contains(&tool) => (ActivityState::Asks, *since, None),
            Some(tool) if APPROVAL_TOOLS.contains(&tool) => {
                (ActivityState::NeedsPermission, *since, Some("a plan waits for approval".to_owned()))
            }
            tool if is_moving(session, observations.taken_at, scales) => {
                (ActivityState::Working, *since, tool.map(excerpt::reason))
            }
            tool => (ActivityState::Unknown, *since, tool.map(excerpt::reason)),
        },
        TurnState::Unknown => (ActivityState::Unknown, None, None),
    };
    Activity { state, source: ActivitySource::Transcript, since, detail }
}

/// Whether the record of an open turn moved lately. After that, "at work", "waits for a permission"
/// and "killed" cannot be told apart.
fn is_moving(session: &SessionObservation, now: Timestamp, scales: &Scales<'_>) -> bool {
    session.written_at.is_some_and(|written_at| now.millis_since(written_at) <= scales.policy.silent_turn_ms)
}

/// Whether an open call of this tool waits for the person.
pub(super) fn is_prompt(tool: &str) -> bool {
    ASKING_TOOLS.contains(&tool) || APPROVAL_TOOLS.contains(&tool)
}

/// The session's word.
pub(super) fn weigh(session: &SessionObservation, activity: &Activity, scales: &Scales<'_>) -> Evidence {
    let own = |claim| {
        let evidence =
            Evidence::claim(Source::LiveSession, session.agent.clone(), claim).at(session.written_at);
        Evidence { strength: Strength::SelfReported, ..evidence }
    };
    let silent = |rejection, reason: &str| {
        Evidence::abstain(Source::LiveSession, session.agent.clone(), rejection)
            .because(reason)
            .at(session.written_at)
    };
    if scales.settings.own_session.as_deref() == Some(session.session_id.as_str()) {
        return silent(Rejection::Foreign, "this check was started inside that session");
    }
    match (activity.state, &session.turn) {
        (ActivityState::Working, _) => {
            let what = activity
                .detail
                .as_ref()
                .map_or("a turn runs".to_owned(), |tool| format!("a turn runs: {tool}"));
            own(Claim::Work).because(what)
        }
        (ActivityState::Background, _) => own(Claim::Wait).because("background work runs"),
        (ActivityState::Asks, _) => own(Claim::Ask).because(asked(session)),
        (ActivityState::NeedsPermission, _) => own(Claim::Ask)
            .because(activity.detail.clone().unwrap_or_else(|| "waits for a permission".to_owned())),
        (ActivityState::Idle, TurnState::Failed { error, .. }) => Evidence {
            source: Source::Run,
            ..own(Claim::Fail).because(format!("the last reply is an error: {}", excerpt::reason(error)))
        },
        (ActivityState::Idle, TurnState::Interrupted { .. }) => {
            silent(Rejection::Undecided, "the turn was interrupted")
        }
        (ActivityState::Idle, _) => silent(Rejection::Undecided, "the turn has ended"),
        (ActivityState::Unknown, TurnState::Open { .. }) => silent(
            Rejection::Stale,
            "a turn is open and its record has been silent: at work, waiting or killed",
        ),
        (ActivityState::Gone | ActivityState::Unknown, _) => {
            silent(Rejection::Undecided, "the record does not tell what the session does")
        }
    }
}

fn asked(session: &SessionObservation) -> String {
    session
        .last_message
        .as_ref()
        .map_or("asks a question".to_owned(), |message| excerpt::reason(&message.text))
}
