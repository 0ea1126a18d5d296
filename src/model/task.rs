//! A task: what a person asked for in one session, from its first prompt to the next that asks for
//! something new. `judge::task` reads tasks from turns; nothing here decides.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Timestamp, TurnEnd};

/// What a person asked for in one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The agent, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: String,
    /// The first prompt: what the task is. Shortened, untrusted text.
    pub first_prompt: String,
    /// The last prompt that belongs to it. Shortened, untrusted text.
    pub last_prompt: String,
    /// When the first prompt was written, where the record tells.
    pub began_at: Option<Timestamp>,
    /// When the last prompt for work in it was written: claims must be younger.
    pub asked_at: Option<Timestamp>,
    /// The place of the first prompt in the session's history.
    pub begin: u64,
    /// The place of the last prompt for work in it.
    pub asked: u64,
    /// The place just after its last turn.
    pub end: u64,
    /// How its last turn ended; side questions after it are not its turns.
    pub last_end: TurnEnd,
    /// The side questions since its last turn, each with its answer.
    pub side_turns: Vec<Arc<SideTurn>>,
    /// True when its first prompt stands before what was read, so that `first_prompt` is a later one.
    pub is_begin_unread: bool,
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// Nothing: thanks, looks good.
    Nothing,
    /// An answer and no change: a question, a review, a plan.
    Answer,
    /// Work: something is to be other than it was.
    Work,
}

/// A turn that asked only for an answer, beside the task before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideTurn {
    /// The prompt, shortened. Untrusted text.
    pub prompt: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The place of the prompt in the session's history.
    pub order: u64,
    /// What it asks for: an answer or nothing.
    pub demand: Demand,
    /// How the turn ended.
    pub end: TurnEnd,
}

/// What one session was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTasks {
    /// The newest task; those before it are not kept.
    pub newest: Option<Task>,
    /// Side questions and thanks before the first task, or of a session without one.
    pub side_turns: Vec<Arc<SideTurn>>,
    /// How the session's last turn ended, whatever it belongs to; `None` without a turn.
    pub last_end: Option<TurnEnd>,
    /// The latest prompt of any kind that a person wrote.
    pub prompted_at: Option<Timestamp>,
    /// The moment of the first prompt, whoever wrote it.
    pub first_prompt_at: Option<Timestamp>,
    /// True when the moment of a prompt is not known.
    pub has_undated_prompt: bool,
}

/// The work of all tasks of a workspace, as its sessions tell it: what of git's facts is theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TaskWork {
    /// When the first prompt was written here; `None` where a record does not tell: then all is work of a task.
    pub first_prompt_at: Option<Timestamp>,
    /// When the tasks that go on now began.
    pub began_at: Option<Timestamp>,
    /// The files that write calls name, a list a session. Untrusted text.
    pub paths: Vec<Arc<Vec<Arc<str>>>>,
    /// When a write call changed a file last; `None` where no record tells.
    pub last_edit_at: Option<Timestamp>,
    /// Whether a record tells of anything that was run or written.
    pub has_deeds: bool,
    /// Whether a command may have moved or unpacked files, which keep their old times.
    pub moves_files: bool,
    /// When turns ran; `None` where a record does not tell, or work may go on beside them.
    pub turns: Option<Vec<TurnSpan>>,
    /// Whether anything that was done may have written files that no write call names.
    pub may_write: bool,
    /// Whether a prompt asks to change or take away tests.
    pub may_change_tests: bool,
    /// Whether a command or a write call was about what git leaves out.
    pub sets_excludes: bool,
}

/// The time of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSpan {
    /// When it was asked for.
    pub from: Timestamp,
    /// When it ended; `None` while it runs.
    pub to: Option<Timestamp>,
    /// Whether its session may have made a commit.
    pub may_commit: bool,
}

impl TurnSpan {
    /// Whether this moment lies in it, `slack` milliseconds aside.
    pub fn has(&self, at: Timestamp, slack: i64) -> bool {
        at.millis_since(self.from) >= -slack && self.to.is_none_or(|to| at.millis_since(to) <= slack)
    }
}

impl SessionTasks {
    /// The task that is told of now.
    pub fn current(&self) -> Option<&Task> {
        self.newest.as_ref()
    }
}
