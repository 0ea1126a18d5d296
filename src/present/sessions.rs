//! What the sessions of a workspace are doing, in words: for the row, for the detail view, and for plain
//! text.
//!
//! Words only. A row has one age, that of its subject ([`moment`]), so nothing here repeats it.

use std::borrow::Cow;

use super::phrases::{held, session as say};
use super::{age, counts, sets};
use crate::model::{
    Activity, ActivitySource, ActivityState, Attention, BUILT_IN_AGENTS, Question, QuestionWeight, Rule,
    SessionName, SessionOrigin, SessionView, Timestamp, TodoProgress, VerdictState, WorkspaceView,
    display_text,
};

/// The detail of a session that was ended, as opposed to one that broke off.
const ENDED: &str = "ended";

/// How many characters of a session's id tell it from others.
const SHORT_ID: usize = 8;

/// The longest name that tells a session from others, in characters.
const MAX_NAME: usize = 30;

/// True if a session waits for the user in the middle of its work, and the user has neither left it nor dismissed
/// what it asks.
pub(crate) fn waits(session: &SessionView) -> bool {
    let asks = matches!(session.activity.state, ActivityState::NeedsPermission | ActivityState::Asks)
        || blocking_question(session).is_some();
    session.set_aside.is_none() && asks
}

/// The sessions that are listed, with their positions: the newest, and those that the user has not left.
pub(crate) fn listed(view: &WorkspaceView) -> impl Iterator<Item = (usize, &SessionView)> {
    let sessions = view.sessions.iter().map(|session| &**session).enumerate();
    sessions.filter(|(position, session)| *position == 0 || !session.is_left_over())
}

/// How many sessions are not listed, in words: `2 left over`; `None` if all are.
pub(crate) fn left_over(view: &WorkspaceView) -> Option<String> {
    let n_left = view.sessions.len() - listed(view).count();
    (n_left > 0).then(|| counts::left_over(n_left))
}

/// True if a session is at work, in its turn or in the background.
pub(crate) fn works(session: &SessionView) -> bool {
    matches!(session.activity.state, ActivityState::Working | ActivityState::Background)
}

fn blocking_question(session: &SessionView) -> Option<&Question> {
    session.question.as_ref().filter(|question| question.weight == QuestionWeight::Blocking)
}

/// True if a session is over: no process or pane is left, and it asks nothing.
pub(crate) fn is_over(session: &SessionView) -> bool {
    let is_still = match session.activity.state {
        ActivityState::Gone => true,
        ActivityState::Idle | ActivityState::Unknown => session.process.is_none() && session.pane.is_none(),
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background => false,
    };
    is_still && !waits(session)
}

/// The agent of the newest session, and how many other sessions are working or waiting: `claude+1`.
/// Untrusted.
pub(crate) fn agents(view: &WorkspaceView) -> Cow<'_, str> {
    let agent = view.agent.as_deref().unwrap_or_default();
    let n_more = view.sessions.iter().skip(1).filter(|session| works(session) || waits(session)).count();
    if n_more == 0 { Cow::Borrowed(agent) } else { Cow::Owned(format!("{agent}+{n_more}")) }
}

/// The todo progress of the newest session, otherwise of the best checklist: `3/7`.
pub(crate) fn todos(view: &WorkspaceView) -> String {
    if let Some(todos) = view.sessions.first().and_then(|session| session.todos.as_ref()) {
        return progress(todos);
    }
    let list = view.checklists.first().filter(|list| !list.items.is_empty());
    list.map(|list| format!("{}/{}", list.n_done(), list.items.len())).unwrap_or_default()
}

/// The progress of a todo list: `3/7`.
pub(crate) fn progress(todos: &TodoProgress) -> String {
    format!("{}/{}", todos.n_done, todos.n_all)
}

/// The session that caused the workspace's attention, with its position.
fn attending(view: &WorkspaceView) -> Option<(usize, &SessionView)> {
    let is_meant = |session: &SessionView| match view.attention {
        Some(Attention::Permission) => {
            session.activity.state == ActivityState::NeedsPermission && waits(session)
        }
        Some(Attention::Asks) => waits(session),
        Some(
            Attention::Rescue
            | Attention::Stalled
            | Attention::Error
            | Attention::Offer
            | Attention::Finished,
        )
        | None => false,
    };
    view.sessions.iter().map(|session| &**session).enumerate().find(|(_, session)| is_meant(session))
}

/// The session whose pane Enter opens: the one that needs the user, otherwise the newest that has a pane.
pub(crate) fn with_pane(view: &WorkspaceView) -> Option<&SessionView> {
    let wanting = attending(view).map(|(_, session)| session);
    wanting
        .into_iter()
        .chain(view.sessions.iter().map(|session| &**session))
        .find(|session| session.pane.is_some())
}

/// The name for a session that is not the newest. Untrusted.
fn name_of_other(view: &WorkspaceView, session: &SessionView) -> String {
    let newest = view.sessions.first();
    if newest.is_some_and(|newest| newest.agent == session.agent) {
        say::another(&session.agent)
    } else {
        session.agent.clone()
    }
}

/// What the permission is for, with the agent unless it is the newest session. The row's state already says
/// that it is a permission. Untrusted.
pub(crate) fn permission_in_row(view: &WorkspaceView) -> String {
    let attending = attending(view);
    let activity = attending.map_or(&view.activity, |(_, session)| &session.activity);
    let what = activity.detail.as_deref().unwrap_or(say::a_permission());
    match attending {
        Some((position, session)) if position > 0 => {
            mark(activity, &format!("{}: {what}", name_of_other(view, session)))
        }
        Some(_) | None => mark(activity, what),
    }
}

/// The permission that a session waits for, with the agent unless it is the newest session. Untrusted.
pub(crate) fn permission(view: &WorkspaceView) -> String {
    let attending = attending(view);
    let activity = attending.map_or(&view.activity, |(_, session)| &session.activity);
    let what = activity.detail.as_deref().unwrap_or(say::a_permission());
    let words = match attending {
        Some((position, session)) if position > 0 => say::permission_of(name_of_other(view, session), what),
        Some(_) | None => say::permission(what),
    };
    mark(activity, &words)
}

/// True if a session waits for permission and its agent names the call, so that it can be answered from
/// here. A registry or a title only says that some prompt is on its screen; an agent that the user describes takes words.
pub(crate) fn names_permission(view: &WorkspaceView) -> bool {
    view.attention == Some(Attention::Permission)
        && attending(view).is_some_and(|(_, session)| {
            let is_named = matches!(session.activity.source, ActivitySource::Hook | ActivitySource::Api);
            is_named || !BUILT_IN_AGENTS.contains(&session.agent.as_str())
        })
}

/// What a session other than the newest asks, with its agent; `None` if the newest asks. Untrusted.
pub(crate) fn asked_beside(view: &WorkspaceView) -> Option<String> {
    let (_, session) = attending(view).filter(|(position, _)| *position > 0)?;
    let who = name_of_other(view, session);
    Some(match asked(session) {
        Some(words) => mark(&session.activity, &say::who_asks(who, words)),
        None => say::asks(who),
    })
}

/// The offer of more work of a session other than the newest, with its agent. Untrusted.
pub(crate) fn offered_beside(view: &WorkspaceView) -> Option<String> {
    let (session, offer) = view.offer_beside()?;
    Some(say::who_offers(name_of_other(view, session), &offer.text))
}

/// What a session asks, in its own words. Untrusted.
pub(crate) fn asked(session: &SessionView) -> Option<&str> {
    let by_words = blocking_question(session).map(|question| question.text.as_str());
    let is_prompt = session.activity.state == ActivityState::Asks;
    by_words.or(session.activity.detail.as_deref().filter(|_| is_prompt))
}

/// What the working session is working on. Untrusted.
pub(crate) fn at_work(view: &WorkspaceView) -> Option<String> {
    let state = view.activity.state;
    let worker = view.sessions.iter().enumerate().find(|(_, session)| session.activity.state == state);
    match worker {
        Some((position, session)) if position > 0 => {
            let who = name_of_other(view, session);
            let what = session.activity.detail.as_deref().unwrap_or(say::at_work());
            Some(mark(&session.activity, &format!("{who}: {what}")))
        }
        Some(_) | None => {
            let detail = view.activity.detail.as_deref();
            let is_guess = view.activity.source == ActivitySource::PaneTitle;
            detail.or(is_guess.then_some(say::by_title())).map(|words| mark(&view.activity, words))
        }
    }
}

fn mark(activity: &Activity, words: &str) -> String {
    if activity.source == ActivitySource::PaneTitle { say::guess(words) } else { words.to_owned() }
}

/// What the newest session is doing, unless the row's verdict already says so. Untrusted.
pub(crate) fn aside(view: &WorkspaceView) -> Option<String> {
    if !view.actions.held.is_empty() {
        return Some(held::in_row().to_owned());
    }
    let session = view.sessions.first()?;
    let activity = &session.activity;
    if view.verdict.as_deref().is_some_and(|verdict| verdict.rule() == Rule::TurnCut) {
        return None;
    }
    match activity.state {
        ActivityState::Working if session.subagents.is_empty() => None,
        ActivityState::Working => Some(subagents(session)),
        ActivityState::Gone if activity.detail.as_deref() == Some(ENDED) => None,
        ActivityState::Gone => Some(sets::activity(activity.state).to_owned()),
        ActivityState::Unknown if activity.since.is_some() => Some(say::silent().to_owned()),
        ActivityState::Unknown if !is_over(session) => Some(sets::activity(activity.state).to_owned()),
        ActivityState::Idle => activity.detail.as_deref().map(|detail| mark(activity, detail)),
        ActivityState::Unknown
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background => None,
    }
}

/// The number of subagents, like `2 subagents`.
pub(crate) fn subagents(session: &SessionView) -> String {
    counts::subagents(session.subagents.len())
}

/// Since when the workspace has been as its row says: since a session began to wait or work, finished or was
/// last heard of; otherwise since the verdict has had its state.
pub(crate) fn moment(view: &WorkspaceView) -> Option<Timestamp> {
    match attending(view) {
        Some((_, session)) => since(session).or(view.verdict_since),
        None => judged_moment(view),
    }
}

/// The same for the verdict alone, ignoring sessions that wait for something.
pub(crate) fn judged_moment(view: &WorkspaceView) -> Option<Timestamp> {
    let is_working = matches!(
        view.verdict.as_deref().map(|verdict| verdict.state),
        Some(VerdictState::Working | VerdictState::Waiting)
    );
    let told = if is_working {
        view.activity.since
    } else {
        view.sessions.first().and_then(|session| since(session))
    };
    // Work is as old as its turn. Any other state is as old as the turn's end only if closeout found it that
    // way: a state that arose while it was watching (a decision, a file, an answer to a probe) began then.
    let told = told.filter(|_| is_working || view.is_found_state);
    view.verdict_since.map(|judged| told.map_or(judged, |told| told.min(judged)))
}

/// What tells a session from the others of its agent here: its own name, else the start of its id; `None` if it is
/// the only one. Untrusted.
pub(crate) fn told_apart(view: &WorkspaceView, session: &SessionName) -> Option<String> {
    let others = view.sessions.iter().filter(|other| other.agent == session.agent);
    let (own, others): (Vec<_>, Vec<_>) = others.partition(|other| other.session_id == session.session_id);
    let is_own_name = |name: &&str| others.iter().all(|other| other.name.as_deref() != Some(*name));
    let name = own.first().and_then(|own| own.name.as_deref()).filter(is_own_name);
    let id = || session.session_id.chars().take(SHORT_ID).collect();
    let name = name.map(|name| format!("\"{}\"", display_text::shorten(name, MAX_NAME)));
    (!others.is_empty()).then(|| name.unwrap_or_else(id))
}

/// Since when a session has been in its current state.
pub(crate) fn since(session: &SessionView) -> Option<Timestamp> {
    match session.activity.state {
        ActivityState::Idle => session.ended_at.or(session.activity.since),
        ActivityState::Unknown => session.moved_at.or(session.activity.since),
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background
        | ActivityState::Gone => session.activity.since,
    }
}

/// What a session is doing, for how long, and with what, like `working 12m: Bash: cargo test`. Untrusted.
pub(crate) fn doing(session: &SessionView, now: Timestamp) -> String {
    let activity = &session.activity;
    let detail = activity.detail.as_deref();
    let is_over = matches!(activity.state, ActivityState::Idle | ActivityState::Gone);
    let age = since(session).map(|since| {
        if is_over && age::is_now(now, since) { age::ago(now, since) } else { age::age(now, since) }
    });
    let (state, detail) = match activity.state {
        // What is said of an idle session is why its turn did not end by itself, or what it left running.
        ActivityState::Idle if session.ended_at.is_some() && detail.is_none() => (say::finished(), None),
        ActivityState::NeedsPermission => (say::needs_permission(), detail),
        ActivityState::Asks => (sets::activity(activity.state), asked(session)),
        ActivityState::Gone if detail == Some(ENDED) => (say::ended(), None),
        ActivityState::Unknown if age.is_some() => (say::silent(), detail),
        ActivityState::Working
        | ActivityState::Idle
        | ActivityState::Background
        | ActivityState::Gone
        | ActivityState::Unknown => (sets::activity(activity.state), detail),
    };
    let age = age.map(|age| format!(" {age}")).unwrap_or_default();
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    mark(activity, &format!("{state}{age}{detail}"))
}

/// How a session was started, if that is worth mentioning. Untrusted.
pub(crate) fn origin(origin: &SessionOrigin) -> Option<String> {
    match origin {
        SessionOrigin::Unknown | SessionOrigin::Person => None,
        SessionOrigin::Headless => Some(say::headless().to_owned()),
        SessionOrigin::Fork { of: Some(other) } => {
            Some(say::fork_of(other.chars().take(SHORT_ID).collect::<String>()))
        }
        SessionOrigin::Fork { of: None } => Some(say::fork().to_owned()),
    }
}

/// How much of the model's context is used: `45k of 200k`, or only the tokens if the limit is unknown.
pub(crate) fn context(session: &SessionView) -> Option<String> {
    let used = thousands(session.usage.context_tokens?);
    Some(match session.usage.context_limit {
        Some(limit) => say::context_of(used, thousands(limit)),
        None => say::context(used),
    })
}

fn thousands(tokens: u64) -> String {
    match tokens {
        1_000_000.. if tokens % 1_000_000 < 50_000 => format!("{}M", tokens / 1_000_000),
        1_000_000.. => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
        1_000.. => format!("{}k", (tokens + 500) / 1_000),
        _ => tokens.to_string(),
    }
}
