//! An agent's own record as evidence: a turn that runs is WORK, a prompt that stands is ASK, a model
//! error in place of a reply is FAIL. A turn that stayed open in silence is nothing.

use crate::model::{
    Activity, ActivitySource, ActivityState, BesideKind, Claim, Evidence, Observations, Rejection,
    SessionObservation, Source, Strength, Timestamp, TurnState,
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
    let is_open = matches!(session.turn, TurnState::Open { .. });
    let (state, since, detail) = match beside(session, observations.taken_at, scales) {
        Some((state, detail)) if !is_open => (state, None, Some(detail)),
        Some(_) | None => (state, since, detail),
    };
    Activity { state, source: ActivitySource::Transcript, since, detail }
}

/// What is at work beside a turn that is over: another session here, else subagents that have not
/// reported. A session that this check was started in does not count.
fn beside(
    session: &SessionObservation,
    now: Timestamp,
    scales: &Scales<'_>,
) -> Option<(ActivityState, String)> {
    let own = scales.settings.own_session.as_deref();
    let at_work = |kind: BesideKind| {
        let is_so = session.beside.iter().filter(|beside| {
            beside.kind == kind && has_moved(beside.moved_at, now, scales) && own != Some(beside.id.as_str())
        });
        is_so.count()
    };
    match (at_work(BesideKind::Session), at_work(BesideKind::Subagent)) {
        (0, 0) => None,
        (0, 1) => Some((ActivityState::Background, "1 subagent".to_owned())),
        (0, count) => Some((ActivityState::Background, format!("{count} subagents"))),
        (_, _) => Some((ActivityState::Working, "another session here".to_owned())),
    }
}

/// Whether the record of an open turn moved lately. After that, "at work", "waits for a permission"
/// and "killed" cannot be told apart.
fn is_moving(session: &SessionObservation, now: Timestamp, scales: &Scales<'_>) -> bool {
    has_moved(session.written_at, now, scales)
}

fn has_moved(at: Option<Timestamp>, now: Timestamp, scales: &Scales<'_>) -> bool {
    at.is_some_and(|at| now.millis_since(at) <= scales.policy.silent_turn_ms)
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
        (ActivityState::Working, TurnState::Open { tool: Some(tool), .. }) => own(Claim::Work)
            .because(format!("a turn runs: {}", excerpt::reason(tool)))
            .because("a wait for permission to use the tool looks the same in the record"),
        (ActivityState::Working, TurnState::Open { tool: None, .. }) => {
            own(Claim::Work).because("a turn runs")
        }
        (ActivityState::Working, _) => own(Claim::Work).because("another session here is at work"),
        (ActivityState::Background, _) => {
            let what = activity.detail.as_ref();
            own(Claim::Wait).because(
                what.map_or("background work runs".to_owned(), |what| {
                    format!("background work runs: {what}")
                }),
            )
        }
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
