//! What the sessions of a workspace do, in words: for the row, for the detail, and for plain text.
//!
//! Words only. A row has one age, that of what it speaks of ([`moment`]), so nothing here repeats it.

use std::borrow::Cow;

use super::age;
use crate::model::{
    Activity, ActivitySource, ActivityState, Attention, Question, QuestionWeight, SessionOrigin, SessionView,
    Timestamp, TodoProgress, VerdictState, WorkspaceView,
};

/// How an activity that was guessed is marked.
pub(super) const GUESS: &str = "[guess] ";
/// What stands before a tool in the words of an activity.
const PERMISSION: &str = "permission: ";
/// What is said of a session that was ended, not broken off.
const ENDED: &str = "ended";

/// Whether a session waits for the person in the middle of its work.
pub(super) fn waits(session: &SessionView) -> bool {
    matches!(session.activity.state, ActivityState::NeedsPermission | ActivityState::Asks)
        || blocking_question(session).is_some()
}

fn works(session: &SessionView) -> bool {
    matches!(session.activity.state, ActivityState::Working | ActivityState::Background)
}

fn blocking_question(session: &SessionView) -> Option<&Question> {
    session.question.as_ref().filter(|question| question.weight == QuestionWeight::Blocking)
}

/// Whether a session is over: nothing of it lives, and nobody is asked anything.
pub(super) fn is_over(session: &SessionView) -> bool {
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

/// The agent of the newest session, and how many other sessions work or wait: `claude+1`. Untrusted.
pub(super) fn agents(view: &WorkspaceView) -> Cow<'_, str> {
    let agent = view.agent.as_deref().unwrap_or_default();
    let n_more = view.sessions.iter().skip(1).filter(|session| works(session) || waits(session)).count();
    if n_more == 0 { Cow::Borrowed(agent) } else { Cow::Owned(format!("{agent}+{n_more}")) }
}

/// Todo progress of the newest session, else of the best checklist: `3/7`.
pub(super) fn todos(view: &WorkspaceView) -> String {
    if let Some(todos) = view.sessions.first().and_then(|session| session.todos.as_ref()) {
        return progress(todos);
    }
    let list = view.checklists.first().filter(|list| !list.items.is_empty());
    list.map(|list| format!("{}/{}", list.n_done(), list.items.len())).unwrap_or_default()
}

/// A todo list in short: `3/7`.
pub(super) fn progress(todos: &TodoProgress) -> String {
    format!("{}/{}", todos.n_done, todos.n_all)
}

/// The session that the attention of a workspace is about, with its position.
fn attending(view: &WorkspaceView) -> Option<(usize, &SessionView)> {
    let is_meant = |session: &SessionView| match view.attention {
        Some(Attention::Permission) => session.activity.state == ActivityState::NeedsPermission,
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
    view.sessions.iter().enumerate().find(|(_, session)| is_meant(session))
}

/// The session whose pane Enter goes to: the one that wants the person, else the newest that has one.
pub(super) fn with_pane(view: &WorkspaceView) -> Option<&SessionView> {
    let wanting = attending(view).map(|(_, session)| session);
    wanting.into_iter().chain(&view.sessions).find(|session| session.pane.is_some())
}

/// What another session than the newest is called beside it. Untrusted.
fn name_of_other(view: &WorkspaceView, session: &SessionView) -> String {
    let newest = view.sessions.first();
    if newest.is_some_and(|newest| newest.agent == session.agent) {
        format!("another {}", session.agent)
    } else {
        session.agent.clone()
    }
}

/// What the permission is wanted for, with the agent where it is not the newest session. The state of the
/// row says that it is a permission. Untrusted.
pub(super) fn permission_in_row(view: &WorkspaceView) -> String {
    let attending = attending(view);
    let activity = attending.map_or(&view.activity, |(_, session)| &session.activity);
    let detail = activity.detail.as_deref().unwrap_or("waits for a permission");
    let what = detail.strip_prefix(PERMISSION).unwrap_or(detail);
    match attending {
        Some((position, session)) if position > 0 => {
            mark(activity, &format!("{}: {what}", name_of_other(view, session)))
        }
        Some(_) | None => mark(activity, what),
    }
}

/// The permission that is waited for, with the agent where it is not the newest session. Untrusted.
pub(super) fn permission(view: &WorkspaceView) -> String {
    let Some((position, session)) = attending(view) else {
        return mark(&view.activity, view.activity.detail.as_deref().unwrap_or("waits for a permission"));
    };
    let detail = session.activity.detail.as_deref().unwrap_or("waits for a permission");
    if position == 0 {
        return mark(&session.activity, detail);
    }
    let who = name_of_other(view, session);
    let words = match detail.strip_prefix(PERMISSION) {
        Some(what) => format!("permission ({who}): {what}"),
        None => format!("{who}: {detail}"),
    };
    mark(&session.activity, &words)
}

/// What another session than the newest asks, with its agent; `None` when the newest asks. Untrusted.
pub(super) fn asked_beside(view: &WorkspaceView) -> Option<String> {
    let (_, session) = attending(view).filter(|(position, _)| *position > 0)?;
    let who = name_of_other(view, session);
    Some(match asked(session) {
        Some(words) => mark(&session.activity, &format!("{who} asks: {words}")),
        None => format!("{who} asks"),
    })
}

/// What a session asks, in its own words. Untrusted.
pub(super) fn asked(session: &SessionView) -> Option<&str> {
    let by_words = blocking_question(session).map(|question| question.text.as_str());
    let is_prompt = session.activity.state == ActivityState::Asks;
    by_words.or(session.activity.detail.as_deref().filter(|_| is_prompt))
}

/// What is being worked on, by the session that works. Untrusted.
pub(super) fn at_work(view: &WorkspaceView) -> Option<String> {
    let state = view.activity.state;
    let worker = view.sessions.iter().enumerate().find(|(_, session)| session.activity.state == state);
    match worker {
        Some((position, session)) if position > 0 => {
            let who = name_of_other(view, session);
            let what = session.activity.detail.as_deref().unwrap_or("at work");
            Some(mark(&session.activity, &format!("{who}: {what}")))
        }
        Some(_) | None => {
            let detail = view.activity.detail.as_deref();
            let is_guess = view.activity.source == ActivitySource::PaneTitle;
            detail
                .or(is_guess.then_some("at work by the title of its pane"))
                .map(|words| mark(&view.activity, words))
        }
    }
}

fn mark(activity: &Activity, words: &str) -> String {
    let mark = if activity.source == ActivitySource::PaneTitle { GUESS } else { "" };
    format!("{mark}{words}")
}

/// What the newest session does, where the verdict of the row does not say it already. Untrusted.
pub(super) fn aside(view: &WorkspaceView) -> Option<String> {
    let session = view.sessions.first()?;
    let activity = &session.activity;
    match activity.state {
        ActivityState::Working if session.subagents.is_empty() => None,
        ActivityState::Working => Some(subagents(session)),
        ActivityState::Gone if activity.detail.as_deref() == Some(ENDED) => None,
        ActivityState::Gone => Some("gone".to_owned()),
        ActivityState::Unknown if activity.since.is_some() => Some("unknown, silent".to_owned()),
        ActivityState::Unknown if !is_over(session) => Some("unknown".to_owned()),
        ActivityState::Idle => activity.detail.as_deref().map(|detail| mark(activity, detail)),
        ActivityState::Unknown
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background => None,
    }
}

/// `2 subagents`
pub(super) fn subagents(session: &SessionView) -> String {
    match session.subagents.len() {
        1 => "1 subagent".to_owned(),
        n_subagents => format!("{n_subagents} subagents"),
    }
}

/// Since when a workspace is as its row says: since a session waits, works, has finished or was last
/// heard of; without any, since the verdict has its state.
pub(super) fn moment(view: &WorkspaceView) -> Option<Timestamp> {
    match attending(view) {
        Some((_, session)) => since(session).or(view.verdict_since),
        None => judged_moment(view),
    }
}

/// The same for the verdict alone, whatever another session waits for.
pub(super) fn judged_moment(view: &WorkspaceView) -> Option<Timestamp> {
    let is_working = matches!(
        view.verdict.as_ref().map(|verdict| verdict.state),
        Some(VerdictState::Working | VerdictState::Waiting)
    );
    let told = if is_working { view.activity.since } else { view.sessions.first().and_then(since) };
    // Work is as old as its turn. Any other state is as old as the turn's end only where closeout found it so:
    // one that came under its eyes (a decision, a file, an answer to a probe) began then.
    let told = told.filter(|_| is_working || view.is_found_state);
    view.verdict_since.map(|judged| told.map_or(judged, |told| told.min(judged)))
}

/// Since when a session does what it does.
pub(super) fn since(session: &SessionView) -> Option<Timestamp> {
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

/// What a session does, for how long, and with what, like `working 12m: Bash: cargo test`. Untrusted.
pub fn doing(session: &SessionView, now: Timestamp) -> String {
    let activity = &session.activity;
    let detail = activity.detail.as_deref();
    let is_over = matches!(activity.state, ActivityState::Idle | ActivityState::Gone);
    let age = since(session).map(|since| match age::age(now, since) {
        age if is_over && age == age::NOW => " just now".to_owned(),
        age => format!(" {age}"),
    });
    let age = age.unwrap_or_default();
    let (state, detail) = match activity.state {
        ActivityState::Working => ("working", detail),
        ActivityState::Idle if session.ended_at.is_some() => ("finished", detail),
        ActivityState::Idle => ("idle", detail),
        ActivityState::NeedsPermission => {
            ("permission", detail.map(|words| words.strip_prefix(PERMISSION).unwrap_or(words)))
        }
        ActivityState::Asks => ("asks", asked(session)),
        ActivityState::Background => ("background", detail),
        ActivityState::Gone if detail == Some(ENDED) => (ENDED, None),
        ActivityState::Gone => ("gone", detail),
        ActivityState::Unknown if age.is_empty() => ("unknown", detail),
        ActivityState::Unknown => ("unknown, silent", detail),
    };
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    mark(activity, &format!("{state}{age}{detail}"))
}

/// Where the activity of a session was read.
pub fn told_by(source: ActivitySource) -> &'static str {
    match source {
        ActivitySource::Hook => "by hook",
        ActivitySource::Registry => "by registry",
        ActivitySource::Api => "by its server",
        ActivitySource::Transcript => "by transcript",
        ActivitySource::Process => "by its process",
        ActivitySource::PaneTitle => "by pane title",
        ActivitySource::None => "by no source",
    }
}

/// How a session came to be, where that is worth a word. Untrusted.
pub(super) fn origin(origin: &SessionOrigin) -> Option<String> {
    match origin {
        SessionOrigin::Unknown | SessionOrigin::Person => None,
        SessionOrigin::Headless => Some("headless".to_owned()),
        SessionOrigin::Fork { of: Some(other) } => {
            Some(format!("fork of {}", other.chars().take(8).collect::<String>()))
        }
        SessionOrigin::Fork { of: None } => Some("a fork".to_owned()),
    }
}

/// How much of what the model can be given is used: `45k of 200k`, or the tokens alone.
pub(super) fn context(session: &SessionView) -> Option<String> {
    let used = thousands(session.usage.context_tokens?);
    Some(match session.usage.context_limit {
        Some(limit) => format!("{used} of {}", thousands(limit)),
        None => format!("{used} tokens"),
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
