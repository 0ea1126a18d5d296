//! What a session is doing now, according to its record and the status reports beside it, by trust and age.
//!
//! Sources from most to least trusted: hook events, the agent's registry, its API, its record, the process
//! table, the title of its pane (a guess). A report that a less trusted source has overtaken in time does not
//! count, because sources report changes, and not every source reports all of them. An open turn in a silent
//! record is unknown if no other source describes it. A registry without an entry for the session is a report
//! too, but does not count until a moment after the record last grew. Must not weigh claims.

use std::sync::Arc;

use crate::judge::runs;
use crate::model::{
    Activity, ActivitySource, ActivityState, BreakCause, LiveStatus, PromptKind, SessionObservation,
    StatusReport, Timestamp, Turn, TurnEnd, TurnState, WaitsOn,
};

use super::context::WeighContext;
use super::excerpt;

/// Tools that put a question to the person (Claude Code, Codex, opencode).
const ASKING_TOOLS: [&str; 3] = ["AskUserQuestion", "request_user_input", "question"];
/// Tools that wait for the approval of a plan (Claude Code).
const APPROVAL_TOOLS: [&str; 1] = ["ExitPlanMode"];
/// How many milliseconds after a hook event the record may still be written.
const RECORD_LAG_MS: i64 = 2000;
/// How many milliseconds a record with an open turn must be silent before a missing registry entry is
/// believed: the record and the registry are not read at the same moment.
const ENTRY_GRACE_MS: i64 = 5000;
/// If a record grew this many milliseconds after the last hook event, its hooks no
/// longer report: they were removed.
const HOOKS_SILENT_MS: i64 = 60_000;
/// An event up to this many milliseconds in the future counts as now; beyond that its time is unknown.
const CLOCK_SLACK_MS: i64 = 5000;
/// By how many milliseconds the clock may have been set back since a record grew. A record dated further
/// ahead says nothing.
const CLOCK_SET_BACK_MS: i64 = 3_600_000;
/// The detail of a turn that a person interrupted.
const INTERRUPTED: &str = "interrupted";

/// Determines what one session is doing now.
pub(super) fn of_session(
    session: &SessionObservation,
    now: Timestamp,
    context: &WeighContext<'_>,
) -> Activity {
    let record = by_record(session, now, context);
    let own = match gone(session).or_else(|| newest_word(session, now)) {
        Some(word) => by_word(word, session, &record),
        None => by_title(session).filter(|told| told.state != record.state).unwrap_or(record),
    };
    let is_over = matches!(own.state, ActivityState::Idle)
        || own.state == ActivityState::Unknown && !matches!(session.turn, TurnState::Open { .. });
    if is_over { subagents(session, now, context).unwrap_or(own) } else { own }
}

/// Whether a person interrupted the turn.
pub fn is_interrupted(activity: &Activity) -> bool {
    activity.detail.as_deref() == Some(INTERRUPTED)
}

/// Whether an open call of this tool waits for the person.
pub(super) fn is_prompt(tool: &str) -> bool {
    ASKING_TOOLS.contains(&tool) || APPROVAL_TOOLS.contains(&tool)
}

/// The report that the process is gone, unless the registry knows another process of the session.
fn gone(session: &SessionObservation) -> Option<&StatusReport> {
    let lives = |word: &StatusReport| {
        word.source == ActivitySource::Registry
            && !matches!(word.status, LiveStatus::Gone | LiveStatus::Ended)
    };
    let is_gone = |word: &&StatusReport| word.status == LiveStatus::Gone;
    if session.live.iter().any(lives) { None } else { session.live.iter().find(is_gone) }
}

/// The structured report that counts: the latest one, and among simultaneous ones the most trusted. A report
/// without a time describes the present and so is the latest.
fn newest_word(session: &SessionObservation, now: Timestamp) -> Option<&StatusReport> {
    let is_early = believed_at(session).is_some_and(|believed_at| now < believed_at);
    let structured = |word: &&StatusReport| {
        word.source < ActivitySource::Transcript
            && !is_overtaken(word, session)
            && word.status != LiveStatus::Gone
            && !(is_early && is_doubtful(word))
            && !is_event_of_the_future(word, now)
    };
    let reported_at = |word: &StatusReport| word.reported_at.unwrap_or(Timestamp(i64::MAX));
    let words = session.live.iter().filter(structured);
    words.max_by_key(|word| (reported_at(word), std::cmp::Reverse(word.source)))
}

/// Whether an event from the future claims something other than waiting or failure.
/// What followed it cannot be known.
fn is_event_of_the_future(word: &StatusReport, now: Timestamp) -> bool {
    let is_claim = !matches!(word.status, LiveStatus::Waiting { .. } | LiveStatus::Failed | LiveStatus::Gone);
    let is_ahead = word.reported_at.is_some_and(|at| at.millis_since(now) > CLOCK_SLACK_MS);
    word.source == ActivitySource::Hook && is_claim && is_ahead
}

/// When reports that an open turn is over are believed: that the session has no process, if the only sign is
/// a missing registry entry; and that the turn was interrupted, if the session is idle. The end of a turn is
/// reported a moment before it reaches the record.
pub(super) fn believed_at(session: &SessionObservation) -> Option<Timestamp> {
    if !matches!(session.turn, TurnState::Open { .. }) {
        return None;
    }
    let of_word = |word: &StatusReport| match word.status {
        _ if is_missing_entry(word) => session.written_at.map(|at| at.plus_millis(ENTRY_GRACE_MS)),
        LiveStatus::Idle => word.reported_at.map(|at| at.plus_millis(RECORD_LAG_MS)),
        LiveStatus::Busy
        | LiveStatus::Waiting { .. }
        | LiveStatus::Background
        | LiveStatus::Failed
        | LiveStatus::Ended
        | LiveStatus::Gone => None,
    };
    session.live.iter().filter_map(of_word).max()
}

/// Whether this report is not believed before its time (see [`believed_at`]).
fn is_doubtful(word: &StatusReport) -> bool {
    is_missing_entry(word) || word.status == LiveStatus::Idle
}

/// Whether this report says that the registry has no entry for the session.
fn is_missing_entry(word: &StatusReport) -> bool {
    word.status == LiveStatus::Ended && word.source == ActivitySource::Registry && word.reported_at.is_none()
}

/// Whether the record moved on after this report. For work and waiting, the registry keeps a state rather
/// than events, so only its "idle" can be older than a turn.
fn is_overtaken(word: &StatusReport, session: &SessionObservation) -> bool {
    let is_event = word.source == ActivitySource::Hook;
    let (moved_at, is_open, tool) = match &session.turn {
        TurnState::Open { since, tool, .. } => (*since, true, tool.as_deref()),
        TurnState::Ended { at } | TurnState::Interrupted { at } | TurnState::Failed { at, .. } => {
            (*at, false, None)
        }
        TurnState::Unknown => return false,
    };
    let Some((moved_at, reported_at)) = moved_at.zip(word.reported_at) else { return false };
    match &word.status {
        // The prompt was put up after this "busy" report; the registry's status follows in a moment.
        LiveStatus::Busy if tool.is_some_and(is_prompt) => reported_at <= moved_at,
        LiveStatus::Busy => {
            is_event
                && (!is_open && moved_at > reported_at
                    || moved_at.millis_since(reported_at) > HOOKS_SILENT_MS)
        }
        LiveStatus::Idle | LiveStatus::Failed => is_open && moved_at > reported_at,
        LiveStatus::Background | LiveStatus::Ended => {
            is_open && moved_at.millis_since(reported_at) > RECORD_LAG_MS
        }
        LiveStatus::Waiting { .. } => {
            is_event
                && (moved_at.millis_since(reported_at) > RECORD_LAG_MS || !is_open && moved_at > reported_at)
        }
        LiveStatus::Gone => false,
    }
}

fn by_word(word: &StatusReport, session: &SessionObservation, record: &Activity) -> Activity {
    let (tool, called_with) = open_tool(session);
    let what = || word.what.clone().or_else(|| call(tool, called_with));
    let is_open = matches!(session.turn, TurnState::Open { .. });
    let (state, detail) = match &word.status {
        LiveStatus::Busy => (ActivityState::Working, what()),
        LiveStatus::Background if runs::never_end(&session.background) => {
            (ActivityState::Idle, session.background.iter().find_map(|task| task.command.clone()))
        }
        LiveStatus::Background => (ActivityState::Background, word.what.clone()),
        LiveStatus::Waiting { on: WaitsOn::Permission } => {
            (ActivityState::NeedsPermission, permission(tool, what()))
        }
        LiveStatus::Waiting { on: WaitsOn::Input } => (ActivityState::Asks, word.what.clone()),
        LiveStatus::Waiting { on: WaitsOn::Other(words) } => {
            (ActivityState::Asks, Some(excerpt::reason(words)))
        }
        LiveStatus::Idle if is_open => (ActivityState::Idle, Some(INTERRUPTED.to_owned())),
        LiveStatus::Idle => (ActivityState::Idle, record.detail.clone()),
        LiveStatus::Failed => (ActivityState::Idle, word.what.clone().or_else(|| record.detail.clone())),
        LiveStatus::Gone | LiveStatus::Ended if is_open => (ActivityState::Gone, what()),
        LiveStatus::Gone | LiveStatus::Ended => (ActivityState::Gone, Some("ended".to_owned())),
    };
    Activity { state, source: word.source, since: word.since.or(record.since), detail }
}

/// The activity according to the pane's title: what an open turn does if no structured source says so, or that
/// a turn goes on which the record shows as ended. Evidence collection reads the title in these cases only.
fn by_title(session: &SessionObservation) -> Option<Activity> {
    let word = session.live.iter().find(|word| word.source == ActivitySource::PaneTitle)?;
    let (is_open, since) = match &session.turn {
        TurnState::Open { since, .. } => (true, *since),
        TurnState::Ended { at } => (false, *at),
        TurnState::Interrupted { .. } | TurnState::Failed { .. } | TurnState::Unknown => return None,
    };
    let (tool, called_with) = open_tool(session);
    let called = || call(tool, called_with);
    let (state, detail) = match &word.status {
        LiveStatus::Busy | LiveStatus::Background => (ActivityState::Working, called()),
        LiveStatus::Waiting { .. } => (ActivityState::NeedsPermission, permission(tool, called())),
        LiveStatus::Idle | LiveStatus::Failed if is_open => {
            (ActivityState::Idle, Some(INTERRUPTED.to_owned()))
        }
        LiveStatus::Idle | LiveStatus::Failed | LiveStatus::Ended | LiveStatus::Gone => return None,
    };
    Some(Activity { state, source: ActivitySource::PaneTitle, since, detail })
}

/// The activity according to the record alone.
fn by_record(session: &SessionObservation, now: Timestamp, context: &WeighContext<'_>) -> Activity {
    let (tool, called_with) = open_tool(session);
    let (state, since, detail) = match &session.turn {
        TurnState::Ended { at } => (ActivityState::Idle, *at, None),
        TurnState::Interrupted { at } => (ActivityState::Idle, *at, Some(INTERRUPTED.to_owned())),
        TurnState::Failed { at, error } => (ActivityState::Idle, *at, Some(excerpt::reason(error))),
        TurnState::Open { since, .. } => match tool {
            Some(tool) if ASKING_TOOLS.contains(&tool) => {
                (ActivityState::Asks, *since, called_with.map(excerpt::reason))
            }
            Some(name) if APPROVAL_TOOLS.contains(&name) => {
                (ActivityState::NeedsPermission, *since, permission(tool, None))
            }
            // Once the record is silent, "working", "waiting for a permission" and "killed" look the same.
            _ if has_moved(session.written_at, now, context) => {
                (ActivityState::Working, *since, call(tool, called_with))
            }
            _ => (ActivityState::Unknown, *since, call(tool, called_with)),
        },
        TurnState::Unknown => (ActivityState::Unknown, None, None),
    };
    Activity { state, source: ActivitySource::Transcript, since, detail }
}

/// Subagents that have not reported back although the turn is over. They end with the session's process.
fn subagents(session: &SessionObservation, now: Timestamp, context: &WeighContext<'_>) -> Option<Activity> {
    let at_work: Vec<_> =
        session.subagents.iter().filter(|subagent| has_moved(subagent.moved_at, now, context)).collect();
    let detail = match at_work.as_slice() {
        [] => return None,
        [one] => one
            .what
            .as_deref()
            .map_or("1 subagent".to_owned(), |what| format!("1 subagent: {}", excerpt::reason(what))),
        many => format!("{} subagents", many.len()),
    };
    let source = ActivitySource::Transcript;
    Some(Activity { state: ActivityState::Background, source, since: None, detail: Some(detail) })
}

fn open_tool(session: &SessionObservation) -> (Option<&str>, Option<&str>) {
    match &session.turn {
        TurnState::Open { tool, what, .. } => (tool.as_deref(), what.as_deref()),
        TurnState::Ended { .. }
        | TurnState::Interrupted { .. }
        | TurnState::Failed { .. }
        | TurnState::Unknown => (None, None),
    }
}

/// A call in words, such as `Bash: cargo test`.
fn call(tool: Option<&str>, called_with: Option<&str>) -> Option<String> {
    let tool = tool?;
    Some(excerpt::reason(&called_with.map_or(tool.to_owned(), |what| format!("{tool}: {what}"))))
}

/// What permission is requested for; `None` if no source says.
fn permission(tool: Option<&str>, what: Option<String>) -> Option<String> {
    if tool.is_some_and(|tool| APPROVAL_TOOLS.contains(&tool)) {
        return Some("a plan waits for approval".to_owned());
    }
    what.map(|what| excerpt::reason(&what))
}

fn has_moved(at: Option<Timestamp>, now: Timestamp, context: &WeighContext<'_>) -> bool {
    at.is_some_and(|at| (-CLOCK_SET_BACK_MS..=context.policy.silent_turn_ms).contains(&now.millis_since(at)))
}

/// Whether the last turn broke off in the middle of a reply, which a later command of the client does not mend.
pub(super) fn broke_off(session: &SessionObservation) -> bool {
    let is_prompted = |turn: &&Arc<Turn>| {
        turn.prompt.as_ref().is_none_or(|prompt| prompt.kind != PromptKind::ClientCommand)
    };
    let last = session.history.turns.iter().rev().find(is_prompted);
    last.is_some_and(|turn| {
        matches!(turn.end, TurnEnd::BrokeOff { cause: BreakCause::TokenLimit | BreakCause::Refusal })
    })
}
