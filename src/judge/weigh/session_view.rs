//! The sessions of a workspace as a front shows them. Must not weigh claims.

use std::sync::Arc;

use crate::model::{
    Activity, ActivityState, AskedByTool, Checklist, ItemState, LiveStatus, ProcessId, PromptKind, Question,
    SessionFacts, SessionObservation, SessionView, SetAside, Timestamp, TodoProgress, TurnState,
};

use super::excerpt;
use super::spoken::Spoken;
use super::tasks::{SessionTask, TaskStanding};
use super::texts::Texts;

/// The views of all sessions, the newest first, with what was asked in each. `asked` is what the last words wait for
/// that count: those of the newest session, if it counts.
pub(super) fn views<'a>(
    newest: Option<(&'a SessionObservation, Activity)>,
    others: Vec<(&'a SessionObservation, Activity)>,
    tasks: &[SessionTask],
    asked: Option<&Question>,
    texts: &mut Texts,
) -> Vec<Arc<SessionView>> {
    let n_newest = usize::from(newest.is_some());
    let sessions = newest.into_iter().chain(others).zip(tasks).enumerate();
    let views = sessions.map(|(at, ((session, activity), task))| {
        let question = match task.standing {
            TaskStanding::Counts if at < n_newest => asked.cloned(),
            TaskStanding::NotAsked if at < n_newest => None,
            TaskStanding::Counts | TaskStanding::NotAsked | TaskStanding::LeftOver => {
                asked_beside(session, task, &activity, texts)
            }
        };
        let is_left_over = task.standing == TaskStanding::LeftOver;
        let set_aside = is_left_over.then_some(SetAside::LeftOver);
        Arc::new(SessionView { set_aside, ..view(session, activity, question) })
    });
    views.collect()
}

/// The view of a session. `question` is what its last words wait for.
fn view(session: &SessionObservation, activity: Activity, question: Option<Question>) -> SessionView {
    let asks = session.asked.clone().filter(|_| activity.state == ActivityState::Asks);
    SessionView {
        agent: session.agent.clone(),
        session_id: session.session_id.clone(),
        name: name(session).map(excerpt::reason),
        version: session.version.clone(),
        model: session.model.clone(),
        origin: session.origin.clone(),
        activity,
        prompt: session.prompt.clone(),
        prompted_at: session.prompted_at,
        moved_at: session.written_at,
        ended_at: match &session.turn {
            TurnState::Ended { at } | TurnState::Interrupted { at } | TurnState::Failed { at, .. } => *at,
            TurnState::Open { .. } | TurnState::Unknown => None,
        },
        question: asks.as_ref().map(AskedByTool::as_question).or(question),
        asks,
        set_aside: None,
        todos: session.todos.as_ref().map(progress),
        usage: session.usage.clone(),
        subagents: session.subagents.clone(),
        process: session.process.filter(|_| !is_gone(session)),
        pane: session.pane.clone(),
    }
}

/// What the session is called: by its client, or by what a person asked first, since the last prompt may be a "2".
fn name(session: &SessionObservation) -> Option<&str> {
    let history = &session.history;
    let mut prompts = history.turns.iter().filter_map(|turn| turn.prompt.as_deref());
    let first = prompts.find(|prompt| prompt.kind == PromptKind::Person);
    let first = first.filter(|_| history.is_whole).map(|prompt| prompt.text.as_str());
    session.name.as_deref().or(first).or(session.prompt.as_deref())
}

/// The question in the last words of a session whose words are not those of the workspace, if its turn ended with them.
fn asked_beside(
    session: &SessionObservation,
    task: &SessionTask,
    activity: &Activity,
    texts: &mut Texts,
) -> Option<Question> {
    let is_over =
        matches!(activity.state, ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown);
    if !is_over || !matches!(session.turn, TurnState::Ended { .. } | TurnState::Unknown) {
        return None;
    }
    let message = session.last_message.as_ref()?;
    if session.prompted_at.zip(message.at).is_some_and(|(prompted_at, said_at)| prompted_at > said_at) {
        return None;
    }
    Spoken::of_session(session, task, false).next()?.question(texts)
}

/// The processes whose end would change how the sessions are shown.
pub(super) fn processes(words: Option<&SessionFacts>) -> Vec<ProcessId> {
    let sessions = words.into_iter().flat_map(|words| &words.sessions);
    let mut processes: Vec<ProcessId> = sessions.filter_map(|session| session.process).collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

fn is_gone(session: &SessionObservation) -> bool {
    // A report without a time describes the present and so is the latest.
    let last = session.live.iter().max_by_key(|word| word.reported_at.unwrap_or(Timestamp(i64::MAX)));
    session.live.iter().any(|word| word.status == LiveStatus::Gone)
        || last.is_some_and(|word| word.status == LiveStatus::Ended)
}

fn progress(todos: &Checklist) -> TodoProgress {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let active = todos.items.iter().find(|item| item.state == ItemState::Active);
    TodoProgress {
        n_done: count(todos.n_done()),
        n_all: count(todos.items.len()),
        active: active.map(|item| excerpt::reason(&item.title)),
    }
}
