//! A task: what the user asked for in one session, from its first prompt to the next one that asks for
//! something new. `judge::task` derives tasks from turns; nothing here decides.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SessionId, SessionName, Timestamp, TurnEnd};

/// What the user asked for in one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The agent, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
    /// The first prompt, which defines the task. Shortened, untrusted text.
    pub first_prompt: String,
    /// The last prompt that belongs to it. Shortened, untrusted text.
    pub last_prompt: String,
    /// When the first prompt was written, if the record says.
    pub began_at: Option<Timestamp>,
    /// When its last prompt for work was written: claims must be younger.
    pub asked_at: Option<Timestamp>,
    /// The position of the first prompt in the session's history.
    pub begin: u64,
    /// The position of its last prompt for work.
    pub asked: u64,
    /// The position just after its last turn.
    pub end: u64,
    /// How its last turn ended. Side questions after it are not part of the task.
    pub last_end: TurnEnd,
    /// The side questions since its last turn, each with its answer.
    pub side_turns: Vec<Arc<SideTurn>>,
    /// True if its first prompt precedes the part that was read, so that `first_prompt` is a later one.
    pub is_begin_unread: bool,
}

/// A task as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskView {
    /// The prompt that defines it, shortened. Untrusted text.
    pub first_prompt: String,
    /// The last prompt that belongs to it, shortened: it may be an answer, or words to go on. Untrusted text.
    pub last_prompt: String,
    /// When it began, if the record says.
    pub began_at: Option<Timestamp>,
}

impl Task {
    /// The task as it is shown.
    pub fn view(&self) -> TaskView {
        TaskView {
            first_prompt: self.first_prompt.clone(),
            last_prompt: self.last_prompt.clone(),
            began_at: self.began_at,
        }
    }
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// Nothing, like "thanks" or "looks good".
    Nothing,
    /// An answer without a change: a question, a review, a plan.
    Answer,
    /// Work that changes something.
    Work,
}

/// A turn that asked only for an answer, outside the task before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideTurn {
    /// The prompt, shortened. Untrusted text.
    pub prompt: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The position of the prompt in the session's history.
    pub order: u64,
    /// What it asks for: an answer or nothing, never work.
    pub demand: Demand,
    /// How the turn ended.
    pub end: TurnEnd,
}

/// What one session was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTasks {
    /// The newest task; earlier ones are not kept.
    pub newest: Option<Task>,
    /// Side questions and thanks before the first task, or in a session without one.
    pub side_turns: Vec<Arc<SideTurn>>,
    /// How the session's last turn ended, in a task or not; `None` without a turn.
    pub last_end: Option<TurnEnd>,
    /// The time of the latest prompt of any kind that the user wrote.
    pub prompted_at: Option<Timestamp>,
    /// The time of the first prompt, whoever wrote it.
    pub first_prompt_at: Option<Timestamp>,
    /// True if the time of any prompt is unknown.
    pub has_undated_prompt: bool,
}

/// The work of all tasks of a workspace according to its sessions; it tells which of git's changes are
/// theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TaskWork {
    /// When the first prompt was written here; `None` if a record does not say, so that all work counts as a
    /// task's.
    pub first_prompt_at: Option<Timestamp>,
    /// When the current tasks began.
    pub began_at: Option<Timestamp>,
    /// The sessions that were asked for it, and the files named by their write calls.
    pub by_session: Vec<SessionWork>,
    /// Files that sessions wrote or prompts name, and that git ignores, from the top. Untrusted text.
    pub ignored: Vec<String>,
    /// When a write call last changed a file; `None` if no record says.
    pub last_edit_at: Option<Timestamp>,
    /// True if a record contains anything that was run or written.
    pub has_deeds: bool,
    /// True if a command may have moved or unpacked files, which keep their old times.
    pub moves_files: bool,
    /// When turns ran; `None` if a record does not say, or if work may continue beside them.
    pub turns: Option<Vec<TurnSpan>>,
    /// When something ran in turns that may have written files which no write call names; `None` as for `turns`.
    pub ran: Option<Vec<TurnSpan>>,
    /// True if anything that was done may have written files that no write call names.
    pub may_write: bool,
    /// True if a session may have begun a branch, or had another agent work.
    pub may_branch: bool,
    /// True if a session searched for a commit by halves (`git bisect`).
    pub bisects: bool,
    /// True if a prompt asks for something new, and not only to commit what is there.
    pub wants_content: bool,
    /// When a task's first or last prompt last asked for something new; `None` if none did, or no record says when.
    pub content_asked_at: Option<Timestamp>,
    /// True if a prompt asks to change or remove tests.
    pub may_change_tests: bool,
    /// True if a command or a write call concerned what git ignores.
    pub sets_excludes: bool,
    /// When a person asked to take work back, and that was done: what was there then and is gone is not lost.
    pub taken_back_at: Vec<Timestamp>,
    /// The turns in which a session stashed because a person asked for it.
    pub stash_turns: Vec<TurnSpan>,
    /// The turns in which a session may have stashed, here or in another work tree.
    pub may_stash: Vec<TurnSpan>,
    /// The files outside the work tree that write calls name, relative to its parent where they lie below that. Untrusted text.
    pub outside: Vec<String>,
    /// True if it is of a supervised run, whose command leaves no record: `turns` has when it ran.
    pub is_unrecorded: bool,
    /// True if a prompt of a task names a branch or another work tree, and asks for no merge.
    pub names_branch: bool,
    /// True if a prompt of a task asks for a commit for each of several things.
    pub wants_commit_each: bool,
}

/// What one session did of the work, as far as its record tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWork {
    /// The session.
    pub session: SessionName,
    /// When its first line was written, if that line was read.
    pub began_at: Option<Timestamp>,
    /// The files named by its write calls. Untrusted text.
    pub paths: Arc<Vec<Arc<str>>>,
}

/// The time span of a turn, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSpan {
    /// When it began: that of a turn, when its prompt was written.
    pub from: Timestamp,
    /// When it ended; `None` while it is open.
    pub to: Option<Timestamp>,
    /// True if its session may have made a commit during it.
    pub may_commit: bool,
}

impl TurnSpan {
    /// True if `at` is within the span, extended by `slack` milliseconds at both ends.
    pub fn has(&self, at: Timestamp, slack: i64) -> bool {
        at.millis_since(self.from) >= -slack && self.to.is_none_or(|to| at.millis_since(to) <= slack)
    }
}

impl TaskWork {
    /// All files named by write calls. Untrusted text.
    pub fn paths(&self) -> impl Iterator<Item = &Arc<str>> {
        self.by_session.iter().flat_map(|work| work.paths.iter())
    }
}

impl SessionTasks {
    /// The task that is shown and judged now: the newest.
    pub fn current(&self) -> Option<&Task> {
        self.newest.as_ref()
    }
}
