//! Who can receive a reply: the sessions of a workspace, and sessions of which only a draft is left.

use crate::model::{ActivityState, Question, SessionName, SessionView, Timestamp, WorkspaceView};
use crate::present::{sessions, sets};
use crate::ui::text;

/// All sessions that a reply can be written to, first the one whose words decide, then those that the user left.
pub(super) fn all(view: &WorkspaceView) -> Vec<SessionName> {
    let (left, here): (Vec<_>, Vec<_>) = view.sessions.iter().partition(|session| session.is_left_over());
    let mut names: Vec<SessionName> =
        here.into_iter().chain(left).map(|session| session.session_name()).collect();
    for draft in &view.actions.drafts {
        if !names.contains(&draft.session) {
            names.push(draft.session.clone());
        }
    }
    names
}

/// The sessions that wait for the person. For a supervised run that waits, it is the run itself, which passes
/// the answer to its agent.
pub(super) fn waiting(view: &WorkspaceView) -> Vec<SessionName> {
    if let Some(run) = view.run.as_ref().filter(|run| run.question.is_some()) {
        return vec![run.name()];
    }
    view.sessions
        .iter()
        .filter(|session| sessions::waits(session))
        .map(|session| session.session_name())
        .collect()
}

/// The session as of now; `None` if it no longer exists.
pub(super) fn find<'a>(view: Option<&'a WorkspaceView>, name: &SessionName) -> Option<&'a SessionView> {
    view?.sessions.iter().map(|session| &**session).find(|session| session.is(name))
}

/// Whether its screen shows a prompt that takes keys and no words.
pub(super) fn shows_a_prompt(view: Option<&WorkspaceView>, name: &SessionName) -> bool {
    let session = find(view, name);
    waits_for_a_permission(session) || session.is_some_and(|session| session.asks.is_some())
}

/// Whether its turn continues, or may continue, and nothing on its screen waits for a key.
pub(super) fn is_busy(view: Option<&WorkspaceView>, name: &SessionName) -> bool {
    find(view, name).is_some_and(|session| match session.activity.state {
        ActivityState::Working | ActivityState::Background | ActivityState::Unknown => true,
        ActivityState::Idle | ActivityState::Gone | ActivityState::NeedsPermission | ActivityState::Asks => {
            false
        }
    })
}

pub(super) fn waits_for_a_permission(session: Option<&SessionView>) -> bool {
    session.is_some_and(|session| session.activity.state == ActivityState::NeedsPermission)
}

/// What the session asks in its own words: the words, and the question in them.
pub(super) fn asked<'a>(
    view: Option<&'a WorkspaceView>,
    name: &SessionName,
) -> (Option<&'a str>, Option<&'a Question>) {
    let Some(session) = find(view, name) else { return (None, None) };
    let words = session.question.as_ref().map(|question| question.text.as_str());
    (words.or_else(|| sessions::asked(session)), session.question.as_ref())
}

/// A session in one line: its name, and everything it does. Cleaned.
pub(super) fn label(view: Option<&WorkspaceView>, name: &SessionName, now: Timestamp) -> String {
    let does = find(view, name).map_or_else(
        || sets::activity(ActivityState::Gone).to_owned(),
        |session| sessions::doing(session, now),
    );
    format!("{}  {}", called(view, name), text::line(&does))
}

/// A session in a few words: its name and its state. Cleaned.
pub(super) fn in_short(view: Option<&WorkspaceView>, name: &SessionName) -> String {
    let state = find(view, name).map_or(ActivityState::Gone, |session| session.activity.state);
    format!("{}  {}", called(view, name), sets::activity(state))
}

/// Its agent, and its name or the beginning of its id. Cleaned.
fn called(view: Option<&WorkspaceView>, name: &SessionName) -> String {
    let session = find(view, name);
    let called = match session.and_then(|session| session.name.as_deref()) {
        Some(called) => text::line(called),
        None => text::line(&name.session_id).chars().take(8).collect(),
    };
    format!("{}  {called}", text::line(&name.agent))
}
