//! The sessions of a workspace as evidence: a running turn is WORK, an open prompt is ASK, a model error
//! instead of a reply is FAIL. An open turn in a silent record claims nothing, unless a source beside the
//! record says what is happening, which outranks the record. Must not read records.

use crate::model::{
    Activity, ActivitySource, ActivityState, Claim, Evidence, Fact, Origin, Point, Reason, Rejection,
    SessionObservation, Source, Strength, Timestamp, TurnEnd, TurnState,
};

use super::activity::{broke_off, is_prompt};
use super::context::WeighContext;
use super::excerpt;
use super::left_open::left_open;
use super::tasks::{SessionTask, TaskStanding};

/// The detail if another session in the workspace is working.
const OTHER_WORKS: &str = "another session here";

/// The activity of a workspace and the session it comes from. It is that of the newest session; if that one
/// is over, that of another session, preferring one that waits for the person to one that works; `others` are those
/// that were not left. A session that started this check does not count.
pub(super) fn of_workspace<'a>(
    newest: (&'a SessionObservation, &Activity),
    others: &[&(&'a SessionObservation, Activity)],
    context: &WeighContext<'_>,
) -> (&'a SessionObservation, Activity) {
    let (session, newest) = newest;
    let is_over = matches!(newest.state, ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown);
    if !is_over && !is_own(session, context) {
        return (session, newest.clone());
    }
    let counts = |(session, _): &&(&'a SessionObservation, Activity)| !is_own(session, context);
    let urgency = |activity: &Activity| match activity.state {
        ActivityState::NeedsPermission => 4,
        ActivityState::Asks => 3,
        ActivityState::Working => 2,
        ActivityState::Background => 1,
        ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown => 0,
    };
    let other = others.iter().copied().filter(counts).rev().max_by_key(|(_, activity)| urgency(activity));
    other
        .filter(|(_, activity)| urgency(activity) > 0)
        .map_or_else(|| (session, newest.clone()), |(other, activity)| (*other, told_of_another(activity)))
}

/// Whether this check was started from within that session.
fn is_own(session: &SessionObservation, context: &WeighContext<'_>) -> bool {
    context.settings.own_session.as_ref() == Some(&session.session_id)
}

fn told_of_another(activity: &Activity) -> Activity {
    let detail = match activity.state {
        ActivityState::NeedsPermission => "another session here waits for permission",
        ActivityState::Asks => "another session here asks",
        ActivityState::Background => "background work of another session here",
        ActivityState::Working | ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown => {
            OTHER_WORKS
        }
    };
    Activity { detail: Some(detail.to_owned()), ..activity.clone() }
}

/// Weighs a session's activity as a claim.
pub(super) fn weigh(
    session: &SessionObservation,
    activity: &Activity,
    task: &SessionTask,
    context: &WeighContext<'_>,
) -> Evidence {
    let (reported_at, strength) = origin(session, activity);
    let own = |claim| {
        let provenance = Origin::of(session).at(reported_at);
        let evidence = Evidence::claim(Source::LiveSession, session.agent.clone(), claim, provenance);
        Evidence { strength, ..evidence }
    };
    let silent = |rejection, reason: Fact| {
        let provenance = Origin::of(session).at(reported_at);
        Evidence::abstain(Source::LiveSession, session.agent.clone(), rejection, provenance).because(reason)
    };
    if is_own(session, context) {
        return silent(Rejection::Foreign, Fact::StartedInside);
    }
    match task.standing {
        TaskStanding::Counts => {}
        TaskStanding::NotAsked => return silent(Rejection::Vacuous, Fact::NotAskedYet),
        TaskStanding::LeftOver => {
            return silent(Rejection::LeftOver, Fact::LeftForAnother);
        }
    }
    match (activity.state, &session.turn) {
        (ActivityState::Working, _) => Evidence { reasons: at_work(activity), ..own(Claim::Work) },
        (ActivityState::Background, _) => {
            let what = activity.detail.clone();
            own(Claim::Wait).because(what.map_or(Fact::BackgroundRuns.into(), Reason::Background))
        }
        (ActivityState::Asks, _) => {
            own(Claim::Ask).because(activity.detail.clone().map_or_else(|| asked(session), Reason::Words))
        }
        (ActivityState::NeedsPermission, _) => {
            let what = activity.detail.clone();
            let why = what.map_or(Fact::WaitsForPermission.into(), Reason::Permission);
            Evidence { points: vec![Point::Permission], ..own(Claim::Ask).because(why) }
        }
        (ActivityState::Idle | ActivityState::Gone, TurnState::Failed { error, .. }) => {
            let failed = Evidence { source: Source::Run, ..own(Claim::Fail) };
            match limit(session) {
                Some(until) => {
                    let points = vec![Point::UsageLimit];
                    Evidence { points, ..failed.because(until) }.because(excerpt::reason(error))
                }
                None => failed.because(Reason::LastReply(excerpt::reason(error))),
            }
        }
        (ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown, turn) => {
            if let Some(why) = why_cut(session, task) {
                return silent(Rejection::MidTurn, why);
            }
            if let Some((open, words)) = left_open(session, task) {
                let mut evidence = silent(Rejection::MidTurn, open);
                evidence.reasons.extend(words.map(|words| Reason::Words(excerpt::reason(words))));
                return evidence;
            }
            let (rejection, reason) = silence(activity.state, turn, session.n_skipped_lines > 0);
            silent(rejection, reason)
        }
    }
}

/// Why its task's last turn did not end by itself, or why that is not known.
fn why_cut(session: &SessionObservation, task: &SessionTask) -> Option<Fact> {
    if task.is_task_cut() {
        Some(Fact::TaskCut)
    } else if session.is_suspended {
        Some(Fact::ProcessStopped)
    } else if task.is_begin_unread() {
        Some(Fact::BeginUnread)
    } else {
        broke_off(session).then_some(Fact::BrokeOff)
    }
}

/// Further sessions that were not read, which may ask or be in mid-turn.
pub(super) fn unread(n_sessions: usize) -> Evidence {
    Evidence::abstain(Source::LiveSession, "further sessions", Rejection::MidTurn, Origin::File.as_read())
        .because(Reason::UnreadSessions(n_sessions))
}

/// The usage limit that ended its last turn, with the time at which it is lifted.
fn limit(session: &SessionObservation) -> Option<Reason> {
    let TurnEnd::Failed { limit: Some(limit), .. } = &session.history.turns.last()?.end else { return None };
    // Prefer the client's wording: it gives the time on the person's clock.
    let until = limit.resets.as_deref().map(excerpt::reason).or_else(|| {
        let minutes = limit.resets_at?.0.div_euclid(60_000).rem_euclid(24 * 60);
        Some(format!("{:02}:{:02} UTC", minutes / 60, minutes % 60))
    });
    Some(until.map_or(Fact::UsageLimitReached.into(), Reason::UsageLimit))
}

/// When the activity was reported, and how strong that report is.
fn origin(session: &SessionObservation, activity: &Activity) -> (Option<Timestamp>, Strength) {
    let reported_at = match activity.source {
        ActivitySource::Hook | ActivitySource::Registry | ActivitySource::Api => {
            activity.since.max(session.written_at)
        }
        ActivitySource::Transcript
        | ActivitySource::Process
        | ActivitySource::Run
        | ActivitySource::PaneTitle
        | ActivitySource::None => session.written_at,
    };
    let strength = match activity.source {
        ActivitySource::PaneTitle => Strength::Guess,
        ActivitySource::Hook
        | ActivitySource::Registry
        | ActivitySource::Api
        | ActivitySource::Transcript
        | ActivitySource::Process
        | ActivitySource::Run
        | ActivitySource::None => Strength::SelfReported,
    };
    (reported_at, strength)
}

/// Why a session that is doing nothing, as far as is known, claims nothing.
fn silence(state: ActivityState, turn: &TurnState, is_damaged: bool) -> (Rejection, Fact) {
    let is_gone = state == ActivityState::Gone;
    let is_idle = state == ActivityState::Idle;
    match turn {
        TurnState::Open { .. } if is_gone => (Rejection::MidTurn, Fact::ProcessGone),
        TurnState::Open { .. } if !is_idle => (Rejection::MidTurn, Fact::SilentTurn),
        TurnState::Unknown if is_damaged => (Rejection::MidTurn, Fact::UnreadableLine),
        TurnState::Unknown if is_idle => (Rejection::Undecided, Fact::WaitsForPrompt),
        TurnState::Interrupted { .. } => (Rejection::MidTurn, Fact::TurnInterrupted),
        TurnState::Open { .. } if is_idle => (Rejection::MidTurn, Fact::TurnInterrupted),
        TurnState::Open { .. } | TurnState::Ended { .. } | TurnState::Failed { .. } | TurnState::Unknown
            if is_gone || is_idle =>
        {
            (Rejection::Undecided, Fact::TurnEnded)
        }
        TurnState::Open { .. } | TurnState::Ended { .. } | TurnState::Failed { .. } | TurnState::Unknown => {
            (Rejection::Undecided, Fact::RecordSilent)
        }
    }
}

/// Why a session counts as working.
fn at_work(activity: &Activity) -> Vec<Reason> {
    match (activity.source, activity.detail.as_deref()) {
        (ActivitySource::Transcript, Some(call)) => {
            vec![Reason::Calls(excerpt::reason(call)), Fact::LooksLikeWaiting.into()]
        }
        (ActivitySource::PaneTitle, _) => vec![Fact::TitleSaysTurn.into()],
        (_, Some(call)) => vec![Reason::Calls(excerpt::reason(call))],
        (_, None) => vec![Fact::TurnRuns.into()],
    }
}

/// The words in which the session asks. Words on the way to another tool call are not a question.
fn asked(session: &SessionObservation) -> Reason {
    if matches!(&session.turn, TurnState::Open { tool, .. } if !tool.as_deref().is_some_and(is_prompt)) {
        return Fact::WaitsForAnswer.into();
    }
    session
        .last_message
        .as_ref()
        .map_or(Fact::AsksQuestion.into(), |message| Reason::Words(excerpt::reason(&message.text)))
}
