//! What was asked in each session of a workspace, and which sessions count (DESIGN.md
//! 2.1). Must not weigh claims.
//!
//! If a record has turns, `judge::task` reads the tasks from them; otherwise the last prompt is the task.

use std::sync::Arc;

use super::act_names;
use super::memory::Memory;
use crate::judge::task::{self, SessionStanding};
use crate::judge::words;
use crate::model::{
    Demand, LiveStatus, Observations, PromptKind, SessionObservation, SessionOrigin, SessionTasks, SideTurn,
    Task, TaskBegin, Timestamp, Turn, TurnEnd, TurnState,
};

/// Whether a session's claims count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskStanding {
    /// They count.
    Counts,
    /// The session was opened or greeted, but not asked for anything yet.
    NotAsked,
    /// The person left it and continued elsewhere.
    LeftOver,
}

/// What was asked in one session.
pub(super) struct SessionTask {
    pub(super) standing: TaskStanding,
    tasks: SessionTasks,
    /// When it was last asked for work.
    pub(super) asked_at: Option<Timestamp>,
    /// Whether earlier prompts may be unread, so that a task may have begun that nobody knows.
    may_hide_task: bool,
}

/// What was asked in the sessions of `observations`, in the same order.
pub(super) fn read(observations: &Observations, memory: &mut Memory) -> Vec<SessionTask> {
    let sessions: Vec<&SessionObservation> = observations.sessions().collect();
    let tasks: Vec<SessionTasks> = sessions.iter().map(|session| tasks_of(session, memory)).collect();
    let standings: Vec<SessionStanding<'_>> =
        sessions.iter().zip(&tasks).map(|(session, tasks)| standing_of(session, tasks)).collect();
    let left_over = task::left_over(&standings, observations.taken_at);
    let found = sessions.into_iter().zip(tasks).zip(left_over);
    found
        .map(|((session, tasks), left_over)| {
            let standing = if !was_asked(session, &tasks) {
                TaskStanding::NotAsked
            } else if left_over.is_some() {
                TaskStanding::LeftOver
            } else {
                TaskStanding::Counts
            };
            // If the record has no turns, the last prompt is the task.
            let untold = session.prompted_at.filter(|_| session.history.turns.is_empty());
            let asked_at = tasks.current().map_or(untold, |task| task.asked_at);
            let is_fork = matches!(session.origin, SessionOrigin::Fork { .. });
            let may_hide_task = !session.history.turns.is_empty() && !session.history.is_whole && !is_fork;
            SessionTask { standing, tasks, asked_at, may_hide_task }
        })
        .collect()
}

/// The last prompt for work in any session that counts. An older claim that belongs to no session says
/// nothing about that work.
pub(super) fn asked_at(sessions: &[SessionTask]) -> Option<Timestamp> {
    sessions
        .iter()
        .filter(|session| session.standing == TaskStanding::Counts)
        .filter_map(|session| session.asked_at)
        .max()
}

/// When the oldest task of the sessions that count began.
pub(super) fn began(sessions: &[SessionTask]) -> Option<TaskBegin> {
    let counting = sessions.iter().filter(|session| session.standing == TaskStanding::Counts);
    let begin = |session: &SessionTask| match session.current() {
        Some(task) => Some(TaskBegin { at: task.began_at?, is_unread: task.is_begin_unread }),
        None => Some(TaskBegin { at: session.asked_at?, is_unread: session.may_hide_task }),
    };
    counting.filter_map(begin).min()
}

/// What the last prompts asked for: `Answer` if every session that counts was asked only for answers and gave
/// the last one; `None` if any was asked for work or has not answered, or if it is not known.
pub(super) fn last_demand(sessions: &[SessionTask]) -> Option<Demand> {
    let mut counting = sessions.iter().filter(|session| session.standing == TaskStanding::Counts).peekable();
    let is_asked = counting.peek().is_some();
    if is_asked && counting.all(SessionTask::is_answered) { Some(Demand::Answer) } else { None }
}

/// The known prompts of all tasks that count.
pub(super) fn prompts(sessions: &[SessionTask]) -> Vec<String> {
    let counting = sessions.iter().filter(|session| session.standing == TaskStanding::Counts);
    counting.flat_map(SessionTask::prompts).collect()
}

/// Whether one of these prompts names a file, by its path or its name.
pub(super) fn is_named_in(path: &str, prompts: &[String]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    // Letters of other scripts end a name: a particle follows it without a blank.
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    prompts.iter().any(|prompt| {
        let prompt = prompt.to_lowercase();
        prompt.match_indices(&name).any(|(at, _)| {
            let after = &prompt[at + name.len()..];
            !is_part(prompt[..at].chars().next_back()) && !is_part(after.chars().next())
        })
    })
}

/// Acts that are often only the begin of what a prompt asks for: performing one is the task only if it asks for nothing
/// else.
const NOT_ALONE: [&str; 7] = ["install", "stash", "undo", "rewrite", "branch", "pull", "switch"];

/// Whether a prompt asks for nothing but these acts.
pub(super) fn is_only(prompt: &str, acts: &[&str]) -> bool {
    let is_named = |part: &str| acts.iter().any(|act| act_names::names_act(part, act));
    let parts = prompt.split([',', ';', '\n']).flat_map(|part| part.split(". "));
    let mut parts = parts.flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" then "));
    // What the person did, "I merged the pull request", is no demand.
    let is_told = |part: &str| {
        let begin = part.trim_start().to_lowercase();
        words::begins(&begin, "tells_of_person")
    };
    is_named(prompt)
        && (task::is_one_demand(prompt)
            || parts.all(|part| part.trim().is_empty() || is_named(part) || is_told(part)))
}

impl SessionTask {
    /// The current task, if the record has turns.
    pub(super) fn current(&self) -> Option<&Task> {
        self.tasks.current()
    }

    /// Whether its task may have begun with a prompt that was not read.
    pub(super) fn is_begin_unread(&self) -> bool {
        self.may_hide_task && self.tasks.current().is_some_and(|task| task.is_begin_unread)
    }

    /// When it was last asked for work or for an answer; where its record does not tell what for, its last prompt.
    pub(super) fn last_asked_at(&self) -> Option<Timestamp> {
        let task = self.tasks.current();
        let sides = task.map_or(&self.tasks.side_turns, |task| &task.side_turns);
        if task.is_none() && sides.is_empty() {
            return self.tasks.prompted_at;
        }
        let answers = sides.iter().filter(|side| side.demand == Demand::Answer).filter_map(|side| side.at);
        answers.chain(self.asked_at).max()
    }

    /// When the first prompt in its record was written, no matter by whom.
    pub(super) fn first_prompt_at(&self) -> Option<Timestamp> {
        self.tasks.first_prompt_at
    }

    /// Whether a prompt has no known time.
    pub(super) fn has_undated_prompt(&self) -> bool {
        self.tasks.has_undated_prompt
    }

    /// The known prompts of its task: the first and the last.
    pub(super) fn prompts(&self) -> Vec<String> {
        let task = self.tasks.current();
        task.map(|task| vec![task.first_prompt.clone(), task.last_prompt.clone()]).unwrap_or_default()
    }

    /// The turns of its task.
    pub(super) fn turns<'s>(
        &'s self,
        session: &'s SessionObservation,
    ) -> impl Iterator<Item = &'s Arc<Turn>> {
        let task = self.tasks.current();
        let is_of_task = move |turn: &&Arc<Turn>| {
            task.is_some_and(|task| turn.order >= task.begin && turn.order < task.end)
        };
        session.history.turns.iter().filter(is_of_task)
    }

    /// All prompts of its task that its record still has: of its turns, and the first one.
    pub(super) fn all_prompts<'s>(
        &'s self,
        session: &'s SessionObservation,
    ) -> impl Iterator<Item = &'s str> {
        let typed = self
            .turns(session)
            .filter_map(|turn| turn.prompt.as_deref())
            .filter(|prompt| matches!(prompt.kind, PromptKind::Person | PromptKind::CustomCommand));
        let task = self.tasks.current().into_iter();
        task.map(|task| task.first_prompt.as_str()).chain(typed.map(|prompt| prompt.text.as_str()))
    }

    /// Whether the last prompt of its task names this act of all its `acts`, so that performing it is the whole task.
    pub(super) fn asks_for(&self, act: &str, acts: &[&str]) -> bool {
        let is_named = |task: &Task| act_names::names_act(&task.last_prompt, act);
        self.tasks.current().is_some_and(is_named) && (!NOT_ALONE.contains(&act) || self.is_only(acts))
    }

    /// Whether its last prompt asks for nothing but these acts.
    pub(super) fn is_only(&self, acts: &[&str]) -> bool {
        is_only(self.tasks.current().map_or("", |task| &task.last_prompt), acts)
    }

    /// Whether the agent's todo list was written for its task, as far as the record says.
    pub(super) fn is_of_task(&self, order: u64) -> bool {
        self.tasks.current().is_none_or(|task| order >= task.asked)
    }

    /// The task's last turn, if a side question or thanks came after it.
    pub(super) fn turn_before_side_turns<'s>(&self, session: &'s SessionObservation) -> Option<&'s Turn> {
        let task = self.tasks.current().filter(|task| !task.side_turns.is_empty())?;
        let of_task = |turn: &&Turn| turn.order >= task.begin && turn.order < task.end;
        session.history.turns.iter().map(AsRef::as_ref).rev().find(of_task)
    }

    /// What a person has said since beside the task: side questions and thanks.
    pub(super) fn side_prompts(&self) -> impl Iterator<Item = &str> {
        let sides = self.tasks.current().map_or(&[][..], |task| &task.side_turns);
        sides.iter().map(|side| side.prompt.as_str())
    }

    /// Whether only answers were asked for.
    pub(super) fn is_only_answered(&self) -> bool {
        self.tasks.current().is_none() && !self.tasks.side_turns.is_empty()
    }

    /// Whether the task's last turn did not end by itself, although the session went on with side questions.
    pub(super) fn is_task_cut(&self) -> bool {
        self.tasks.current().is_some_and(|task| match task.last_end {
            _ if task.side_turns.is_empty() => false,
            TurnEnd::Finished => false,
            TurnEnd::Steered
            | TurnEnd::Interrupted
            | TurnEnd::BrokeOff { .. }
            | TurnEnd::Failed { .. }
            | TurnEnd::Unknown
            | TurnEnd::Open => true,
        })
    }

    /// Whether this moment is not before the last prompt for work, as far as that is known.
    pub(super) fn is_since(&self, at: Timestamp) -> bool {
        self.asked_at.is_none_or(|asked_at| at >= asked_at)
    }

    /// Whether only answers were asked for, and the last one was given.
    fn is_answered(&self) -> bool {
        let is_answer = |side: &&Arc<SideTurn>| side.demand == Demand::Answer;
        self.tasks.current().is_none()
            && !self.may_hide_task
            && self.tasks.side_turns.iter().rfind(is_answer).is_some_and(|side| side.end == TurnEnd::Finished)
    }
}

fn tasks_of(session: &SessionObservation, memory: &mut Memory) -> SessionTasks {
    let known = &mut memory.of(session).tasks;
    let tasks = task::read(&session.session_name(), &session.history, known);
    SessionTasks { prompted_at: tasks.prompted_at.or(session.prompted_at), ..tasks }
}

/// When the last line of conversation was written, as far as the record says.
fn last_line_at(session: &SessionObservation) -> Option<Timestamp> {
    let said_at = session.last_message.as_ref().and_then(|message| message.at);
    session.history.last_line_at.max(said_at).max(session.prompted_at)
}

fn standing_of<'s>(session: &'s SessionObservation, tasks: &'s SessionTasks) -> SessionStanding<'s> {
    let fork_of = match &session.origin {
        SessionOrigin::Fork { of } => of.as_ref(),
        SessionOrigin::Unknown | SessionOrigin::Person | SessionOrigin::Headless => None,
    };
    SessionStanding {
        agent: &session.agent,
        session_id: &session.session_id,
        tasks,
        began_at: session.history.began_at,
        last_line_at: last_line_at(session),
        lives: lives(session),
        fork_of,
        began_by_clear: session.history.began_by_clear,
        was_cleared: session.history.was_cleared,
    }
}

fn lives(session: &SessionObservation) -> bool {
    let is_over = |status: &LiveStatus| matches!(status, LiveStatus::Gone | LiveStatus::Ended);
    session.process.is_some() && !session.live.iter().any(|report| is_over(&report.status))
}

/// Whether the session was asked for anything. Thanks and greetings do not count.
fn was_asked(session: &SessionObservation, tasks: &SessionTasks) -> bool {
    let is_waited_on = session
        .live
        .iter()
        .any(|report| matches!(report.status, LiveStatus::Busy | LiveStatus::Waiting { .. }));
    let has_task =
        tasks.current().is_some() || tasks.side_turns.iter().any(|side| side.demand == Demand::Answer);
    let is_told = !session.history.turns.is_empty() && session.history.is_whole;
    let may_be = !is_told
        && (session.prompted_at.is_some()
            || session.last_message.is_some()
            || !matches!(session.turn, TurnState::Unknown));
    has_task || may_be || is_waited_on || matches!(session.turn, TurnState::Open { .. })
}
