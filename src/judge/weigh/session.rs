//! An agent's own record as evidence: a turn that runs is WORK, a prompt that stands is ASK, a model
//! error in place of a reply is FAIL. A turn that stayed open in silence is nothing, unless the agent's
//! registry of running sessions tells what it is: that outranks the record for what happens now.

use crate::model::{
    Activity, ActivitySource, ActivityState, Beside, BesideKind, Claim, Evidence, LiveStatus, Observations,
    Rejection, SessionObservation, Source, Strength, Timestamp, TurnState, WaitsOn,
};

use super::{Scales, excerpt};

/// Tools that are questions to the person by another name (Claude Code).
const ASKING_TOOLS: [&str; 1] = ["AskUserQuestion"];
/// Tools that wait for the approval of a plan (Claude Code).
const APPROVAL_TOOLS: [&str; 1] = ["ExitPlanMode"];
/// The detail of work that another session in the workspace does.
const OTHER_WORKS: &str = "another session here";

/// What the session does now.
pub(super) fn activity(
    session: &SessionObservation,
    observations: &Observations,
    scales: &Scales<'_>,
) -> Activity {
    let own = by_registry(session).unwrap_or_else(|| by_record(session, observations.taken_at, scales));
    let is_over = match own.state {
        ActivityState::Idle | ActivityState::Gone => true,
        ActivityState::Unknown => !session.is_turn_open(),
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background => false,
    };
    let beside = if is_over { beside(session, observations.taken_at, scales) } else { None };
    beside.unwrap_or(own)
}

/// By the agent's registry of running sessions, where it has the last word: it tells what waits, what
/// runs however silently, and what is gone. `None` leaves the word to the record.
fn by_registry(session: &SessionObservation) -> Option<Activity> {
    let live = session.live.as_ref()?;
    let (is_open, moved_at, tool) = match &session.turn {
        TurnState::Open { since, tool } => (true, *since, tool.as_deref()),
        TurnState::Ended { .. }
        | TurnState::Interrupted { .. }
        | TurnState::Failed { .. }
        | TurnState::Unknown => (false, None, None),
    };
    let (state, detail) = match &live.status {
        LiveStatus::Waiting { on: WaitsOn::Permission } => {
            (ActivityState::NeedsPermission, Some(tool.map_or_else(no_tool, permission)))
        }
        LiveStatus::Waiting { on: WaitsOn::Input } => (ActivityState::Asks, None),
        LiveStatus::Waiting { on: WaitsOn::Other(words) } => {
            (ActivityState::Asks, Some(excerpt::reason(words)))
        }
        // The prompt was put after this "busy" was told: the status follows in a moment.
        LiveStatus::Busy if tool.is_some_and(is_prompt) && live.since <= moved_at => return None,
        LiveStatus::Busy => (ActivityState::Working, tool.map(excerpt::reason)),
        LiveStatus::Idle if is_open && !session.is_turn_open() => {
            (ActivityState::Idle, Some("interrupted".to_owned()))
        }
        LiveStatus::Gone if is_open => (ActivityState::Gone, tool.map(excerpt::reason)),
        LiveStatus::Idle | LiveStatus::Gone => return None,
    };
    Some(Activity { state, source: ActivitySource::Registry, since: live.since, detail })
}

fn no_tool() -> String {
    "waits for a permission".to_owned()
}

fn permission(tool: &str) -> String {
    if APPROVAL_TOOLS.contains(&tool) {
        "a plan waits for approval".to_owned()
    } else {
        format!("permission: {}", excerpt::reason(tool))
    }
}

/// By the record alone.
fn by_record(session: &SessionObservation, now: Timestamp, scales: &Scales<'_>) -> Activity {
    let (state, since, detail) = match &session.turn {
        TurnState::Ended { at } => (ActivityState::Idle, *at, None),
        TurnState::Interrupted { at } => (ActivityState::Idle, *at, Some("interrupted".to_owned())),
        TurnState::Failed { at, error } => (ActivityState::Idle, *at, Some(excerpt::reason(error))),
        TurnState::Open { since, tool } => match tool.as_deref() {
            Some(tool) if ASKING_TOOLS.contains(&tool) => (ActivityState::Asks, *since, None),
            Some(tool) if APPROVAL_TOOLS.contains(&tool) => {
                (ActivityState::NeedsPermission, *since, Some(permission(tool)))
            }
            tool if is_moving(session, now, scales) => {
                (ActivityState::Working, *since, tool.map(excerpt::reason))
            }
            tool => (ActivityState::Unknown, *since, tool.map(excerpt::reason)),
        },
        TurnState::Unknown => (ActivityState::Unknown, None, None),
    };
    Activity { state, source: ActivitySource::Transcript, since, detail }
}

/// What goes on beside a turn that is over: another session here that waits for the person or works,
/// else subagents that have not reported. A session that this check was started in does not count.
fn beside(session: &SessionObservation, now: Timestamp, scales: &Scales<'_>) -> Option<Activity> {
    let own = scales.settings.own_session.as_deref();
    let others = session
        .beside
        .iter()
        .filter(|beside| beside.kind == BesideKind::Session && own != Some(beside.id.as_str()));
    let activities = others.filter_map(|other| other_session(other, now, scales));
    let waits = |activity: &Activity| activity.state != ActivityState::Working;
    let other = activities.reduce(|one, next| if waits(&next) && !waits(&one) { next } else { one });
    other.or_else(|| subagents(session, now, scales))
}

/// What another session does whose turn is open.
fn other_session(other: &Beside, now: Timestamp, scales: &Scales<'_>) -> Option<Activity> {
    let (state, detail, source) = match other.live.as_ref().map(|live| &live.status) {
        Some(LiveStatus::Waiting { on: WaitsOn::Permission }) => (
            ActivityState::NeedsPermission,
            "another session here waits for a permission",
            ActivitySource::Registry,
        ),
        Some(LiveStatus::Waiting { on: WaitsOn::Input | WaitsOn::Other(_) }) => {
            (ActivityState::Asks, "another session here asks", ActivitySource::Registry)
        }
        Some(LiveStatus::Busy) => (ActivityState::Working, OTHER_WORKS, ActivitySource::Registry),
        Some(LiveStatus::Gone) => return None,
        Some(LiveStatus::Idle) | None if !has_moved(other.moved_at, now, scales) => return None,
        Some(LiveStatus::Idle) | None => (ActivityState::Working, OTHER_WORKS, ActivitySource::Transcript),
    };
    Some(Activity { state, source, since: None, detail: Some(detail.to_owned()) })
}

/// Subagents that have not reported. They end with the session's process.
fn subagents(session: &SessionObservation, now: Timestamp, scales: &Scales<'_>) -> Option<Activity> {
    let is_gone = session.live.as_ref().is_some_and(|live| live.status == LiveStatus::Gone);
    let at_work = session.beside.iter().filter(|beside| {
        beside.kind == BesideKind::Subagent && !is_gone && has_moved(beside.moved_at, now, scales)
    });
    let detail = match at_work.count() {
        0 => return None,
        1 => "1 subagent".to_owned(),
        count => format!("{count} subagents"),
    };
    let source = ActivitySource::Transcript;
    Some(Activity { state: ActivityState::Background, source, since: None, detail: Some(detail) })
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
    let told_at = match activity.source {
        ActivitySource::Registry => activity.since.max(session.written_at),
        ActivitySource::Transcript | ActivitySource::None => session.written_at,
    };
    let own = |claim| {
        let evidence = Evidence::claim(Source::LiveSession, session.agent.clone(), claim).at(told_at);
        Evidence { strength: Strength::SelfReported, ..evidence }
    };
    let silent = |rejection, reason: &str| {
        Evidence::abstain(Source::LiveSession, session.agent.clone(), rejection).because(reason).at(told_at)
    };
    if scales.settings.own_session.as_deref() == Some(session.session_id.as_str()) {
        return silent(Rejection::Foreign, "this check was started inside that session");
    }
    match (activity.state, &session.turn) {
        (ActivityState::Working, _) => Evidence { reasons: at_work(activity, session), ..own(Claim::Work) },
        (ActivityState::Background, _) => {
            let what = activity.detail.as_ref();
            own(Claim::Wait).because(
                what.map_or("background work runs".to_owned(), |what| {
                    format!("background work runs: {what}")
                }),
            )
        }
        (ActivityState::Asks, _) => {
            own(Claim::Ask).because(activity.detail.clone().unwrap_or_else(|| asked(session)))
        }
        (ActivityState::NeedsPermission, _) => {
            own(Claim::Ask).because(activity.detail.clone().unwrap_or_else(no_tool))
        }
        (ActivityState::Idle, TurnState::Failed { error, .. }) => Evidence {
            source: Source::Run,
            ..own(Claim::Fail).because(format!("the last reply is an error: {}", excerpt::reason(error)))
        },
        (ActivityState::Idle, TurnState::Interrupted { .. } | TurnState::Open { .. }) => {
            silent(Rejection::Undecided, "the turn was interrupted")
        }
        (ActivityState::Idle, _) => silent(Rejection::Undecided, "the turn has ended"),
        (ActivityState::Unknown, TurnState::Open { .. }) => silent(
            Rejection::Stale,
            "a turn is open and its record has been silent: at work, waiting or killed",
        ),
        (ActivityState::Gone, _) => {
            silent(Rejection::Stale, "the agent's process is gone; the turn was not ended")
        }
        (ActivityState::Unknown, _) => {
            silent(Rejection::Undecided, "the record does not tell what the session does")
        }
    }
}

/// Why a session counts as at work.
fn at_work(activity: &Activity, session: &SessionObservation) -> Vec<String> {
    let by_record = "a wait for permission to use the tool looks the same in the record";
    let tool = match &session.turn {
        TurnState::Open { tool, .. } => tool.as_deref().map(excerpt::reason),
        TurnState::Ended { .. }
        | TurnState::Interrupted { .. }
        | TurnState::Failed { .. }
        | TurnState::Unknown => None,
    };
    match (activity.source, tool) {
        _ if activity.detail.as_deref() == Some(OTHER_WORKS) => {
            vec!["another session here is at work".to_owned()]
        }
        (ActivitySource::Registry, Some(tool)) => vec![format!("a turn runs: {tool}")],
        (ActivitySource::Transcript | ActivitySource::None, Some(tool)) => {
            vec![format!("a turn runs: {tool}"), by_record.to_owned()]
        }
        (_, None) => vec!["a turn runs".to_owned()],
    }
}

/// The words in which the session asks. What it said on the way to another tool is no question.
fn asked(session: &SessionObservation) -> String {
    if matches!(&session.turn, TurnState::Open { tool, .. } if !tool.as_deref().is_some_and(is_prompt)) {
        return "waits for an answer".to_owned();
    }
    session
        .last_message
        .as_ref()
        .map_or("asks a question".to_owned(), |message| excerpt::reason(&message.text))
}
