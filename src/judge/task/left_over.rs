//! Sessions that were left: their claims are shown but no longer decide. Must not read what they claim.

use super::is_same_text;
use crate::judge::supervised_loop::is_later_iteration;
use crate::model::{SessionId, SessionTasks, Timestamp, TurnEnd};

/// How many milliseconds a session without a process must be silent before it may be left over.
const SILENCE_MS: i64 = 24 * 3_600_000;

/// What is known of one session in a workspace.
#[derive(Debug, Clone, Copy)]
pub struct SessionStanding<'a> {
    /// The agent, such as `claude`.
    pub agent: &'a str,
    /// Its id.
    pub session_id: &'a SessionId,
    /// Its tasks.
    pub tasks: &'a SessionTasks,
    /// When its first line was written, if that line was read.
    pub began_at: Option<Timestamp>,
    /// When its last line of conversation was written.
    pub last_line_at: Option<Timestamp>,
    /// Whether a process has it open.
    pub lives: bool,
    /// The id of the session of which it is a copy.
    pub fork_of: Option<&'a SessionId>,
    /// Whether it began by clearing the previous conversation.
    pub began_by_clear: bool,
    /// Whether it ended because its own conversation was cleared.
    pub was_cleared: bool,
}

/// Why a session is left over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeftOver {
    /// It was silent for a day, and a person later prompted another session.
    Silent,
    /// A copy of it continued and ended by itself.
    Forked,
    /// The same task was later given to another session and ended by itself there: again by a person, or by a
    /// later iteration of a supervised run, which was told what this session left.
    DoneElsewhere,
    /// Its conversation was cleared.
    Cleared,
}

/// Which sessions of a workspace are left over at `now`, in the order of `sessions`. A
/// session with a process never is.
pub fn left_over(sessions: &[SessionStanding<'_>], now: Timestamp) -> Vec<Option<LeftOver>> {
    let cleared: Vec<usize> = sessions.iter().filter_map(|session| cleared_by(session, sessions)).collect();
    let why = |(at, session): (usize, &SessionStanding<'_>)| {
        if session.lives {
            return None;
        }
        let others = || sessions.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        if session.was_cleared || cleared.contains(&at) {
            Some(LeftOver::Cleared)
        } else if others().any(|other| is_finished_copy(other, session)) {
            Some(LeftOver::Forked)
        } else if others().any(|other| has_done_the_same(other, session)) {
            Some(LeftOver::DoneElsewhere)
        } else if others().any(|other| is_silent_beside(session, other, now)) {
            Some(LeftOver::Silent)
        } else {
            None
        }
    };
    sessions.iter().enumerate().map(why).collect()
}

/// The session whose conversation was cleared when `session` began: the latest one before it.
fn cleared_by(session: &SessionStanding<'_>, sessions: &[SessionStanding<'_>]) -> Option<usize> {
    let began_at = session.began_at.filter(|_| session.began_by_clear)?;
    let before = sessions.iter().enumerate().filter(|(_, other)| {
        other.agent == session.agent
            && other.session_id != session.session_id
            && !other.lives
            && other.last_line_at.is_some_and(|at| at <= began_at)
    });
    before.max_by_key(|(_, other)| other.last_line_at).map(|(at, _)| at)
}

fn is_finished_copy(copy: &SessionStanding<'_>, of: &SessionStanding<'_>) -> bool {
    copy.agent == of.agent
        && copy.fork_of == Some(of.session_id)
        && copy.tasks.last_end == Some(TurnEnd::Finished)
        && copy.last_line_at > of.last_line_at
}

fn has_done_the_same(other: &SessionStanding<'_>, session: &SessionStanding<'_>) -> bool {
    let is_later = other.last_line_at > session.last_line_at;
    is_later && (has_done_the_same_task(other, session) || is_next_iteration(other, session))
}

fn has_done_the_same_task(other: &SessionStanding<'_>, session: &SessionStanding<'_>) -> bool {
    let (Some(done), Some(task)) = (other.tasks.current(), session.tasks.current()) else { return false };
    is_same_text(&done.first_prompt, &task.first_prompt) && done.last_end == TurnEnd::Finished
}

/// Whether `other` is a later iteration of the supervised run that `session` belongs to, even if the run asks
/// only for an answer.
fn is_next_iteration(other: &SessionStanding<'_>, session: &SessionStanding<'_>) -> bool {
    let (Some((next, end)), Some((before, _))) = (asked(other.tasks), asked(session.tasks)) else {
        return false;
    };
    *end == TurnEnd::Finished && is_later_iteration(next, before)
}

/// What a session was asked for, and how that ended.
fn asked(tasks: &SessionTasks) -> Option<(&str, &TurnEnd)> {
    let task = tasks.current().map(|task| (task.first_prompt.as_str(), &task.last_end));
    task.or_else(|| tasks.side_turns.last().map(|side| (side.prompt.as_str(), &side.end)))
}

fn is_silent_beside(session: &SessionStanding<'_>, other: &SessionStanding<'_>, now: Timestamp) -> bool {
    let Some(moved_at) = session.last_line_at.filter(|at| *at <= now) else { return false };
    let is_later = |at: &Timestamp| moved_at < *at && *at <= now;
    now.millis_since(moved_at) >= SILENCE_MS && other.tasks.prompted_at.as_ref().is_some_and(is_later)
}
