//! The history of one session as its record tells it: turns, and what was done in each.
//!
//! Facts only, the same for every agent. What a prompt asks for, which commands are tests and what any of
//! it means for a verdict is for the judges to say. Every list is bounded by whoever fills it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Checklist, Timestamp};

/// The turns of one session, as far as its record was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnHistory {
    /// The turns in their order, the oldest first. Shared, so that a copy of a long history is cheap.
    pub turns: Vec<Arc<Turn>>,
    /// True when nothing stood before the first of `turns`: neither unread nor dropped to save memory.
    pub is_whole: bool,
    /// The agent's todo list with the moment of the call that last wrote it.
    pub todos: Option<DatedTodos>,
    /// The goal that the person set for the session (`/goal`).
    pub goal: Option<Goal>,
    /// The latest moment that a line of the conversation bears; not the time of the file.
    pub last_line_at: Option<Timestamp>,
    /// The moment of the first line, where that was read.
    pub began_at: Option<Timestamp>,
    /// True when it began by clearing the conversation before it (`/clear`).
    pub began_by_clear: bool,
}

/// What was said and done from one prompt to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The place of its begin among everything in this history; shares one count with [`TurnStep::order`].
    pub order: u64,
    /// What began it; `None` where that stands before what was read. Shared for the same reason as `steps`.
    pub prompt: Option<Arc<Prompt>>,
    /// How it ended.
    pub end: TurnEnd,
    /// When it ended or last moved.
    pub ended_at: Option<Timestamp>,
    /// What was done, in order. Reading and searching are left out. Shared, so that a turn that goes on costs no copy
    /// of what was done in it already.
    pub steps: Vec<Arc<TurnStep>>,
    /// True when steps are missing: dropped to save memory, or in lines that cannot be read.
    pub is_missing_steps: bool,
    /// The end of the last message in it, shortened. Untrusted text.
    pub closing_words: Option<String>,
}

/// What began a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Its text, the middle left out where it is long. Untrusted text.
    pub text: String,
    /// Who or what wrote it.
    pub kind: PromptKind,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// True when it was typed while the agent worked: it steers the turn or waited for its end.
    pub was_queued: bool,
    /// True when pictures came with it.
    pub has_image: bool,
}

/// Who or what wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// A person, or a program in a person's name.
    Person,
    /// A custom slash command; the text is the command with its arguments, and its body where that is told.
    CustomCommand,
    /// A command of the client itself, like `/compact`, or a shell command typed behind `!`.
    ClientCommand,
    /// A hook that did not let the turn end.
    HookFeedback,
    /// Words that closeout sent, or a gate of its own: they continue a task.
    Gate,
    /// A reminder that the client put in.
    Reminder,
    /// A notice of the client or of background work: a subagent's report, a compaction's summary.
    Notice,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TurnEnd {
    /// The agent ended it: its last words are its own conclusion.
    Finished,
    /// Another prompt came while it ran: what was begun goes on in the next turn.
    Steered,
    /// The person interrupted it.
    Interrupted,
    /// It ended in the middle.
    BrokeOff {
        /// Why.
        cause: BreakCause,
    },
    /// An error stands in place of a reply.
    Failed {
        /// The error, shortened. Untrusted text.
        error: String,
        /// The usage limit that was reached, if it was one.
        limit: Option<UsageLimit>,
    },
    /// A line of the conversation cannot be read, so nobody can tell.
    Unknown,
    /// It has not ended as far as the record tells: the agent is at work, waits, or was killed.
    Open,
}

/// Why a turn ended in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakCause {
    /// The next process began with another prompt and the record holds no end of this turn.
    ProcessGone,
    /// The reply reached the most tokens that it may have.
    TokenLimit,
    /// The model refused to go on.
    Refusal,
    /// A hook stopped it.
    Hook,
}

/// A limit of the person's plan or account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLimit {
    /// When it is lifted, where the record tells.
    pub resets_at: Option<Timestamp>,
    /// The same in the client's words, like `3pm (Europe/Berlin)`. Untrusted text.
    pub resets: Option<String>,
}

/// One thing that the agent did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStep {
    /// Its place in this history: larger is later. Steps without a time are ordered by it.
    pub order: u64,
    /// When it was begun.
    pub at: Option<Timestamp>,
    /// What it is.
    pub deed: Deed,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Deed {
    /// A shell command.
    Command(CommandRun),
    /// A tool that writes files wrote these.
    Edit {
        /// The files as the call names them; untrusted text.
        paths: Vec<String>,
        /// False while the tool has not answered, and when it refused or failed: nothing was written.
        was_done: bool,
    },
    /// A tool put a question, a plan or a dialog to the person.
    Asked {
        /// Its words, shortened. Untrusted text.
        words: String,
        /// True once it was answered.
        was_answered: bool,
    },
    /// A subagent was sent off; what it did stands in a record of its own.
    SentOff {
        /// What it was sent to do, shortened. Untrusted text.
        what: String,
    },
    /// Another tool that may change something: of an MCP server, of a plugin.
    Other {
        /// The tool. Untrusted text.
        tool: String,
    },
}

/// A shell command that the agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command line as it was given to the shell. Untrusted text.
    pub command: String,
    /// True when the end of a very long command line is missing.
    pub is_cut: bool,
    /// The folder it ran in, where the record tells. Untrusted text.
    pub folder: Option<String>,
    /// How the shell ended. Behind a pipe that says nothing of the commands before the last.
    pub exit: Exit,
    /// The end of what it printed. Untrusted text.
    pub output: String,
    /// True when the beginning of the output is missing.
    pub is_output_cut: bool,
}

/// How a shell command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "code")]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// Not with 0; the record does not tell the code.
    Failed,
    /// It was refused, by a person or a rule: it never ran.
    Refused,
    /// It was stopped: by the person, or by a time limit.
    Stopped,
    /// It goes on in the background, or has not answered.
    Running,
    /// The record does not tell.
    Unknown,
}

/// A todo list of the agent with its own moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatedTodos {
    /// The list.
    pub list: Checklist,
    /// When the call that last wrote it was made.
    pub at: Option<Timestamp>,
    /// The place of that call in the history.
    pub order: u64,
    /// True when items may be missing: their creation is out of reach, or the list was cut at a limit.
    pub is_partial: bool,
}

/// A goal that the client holds the agent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// What is to be reached, shortened. Untrusted text.
    pub text: String,
    /// How it stands.
    pub state: GoalState,
    /// When that was last told.
    pub at: Option<Timestamp>,
    /// The place of that in the history.
    pub order: u64,
}

/// How a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalState {
    /// The agent works towards it.
    Active,
    /// The person put it aside for now.
    Paused,
    /// The client takes it for reached.
    Reached,
    /// The client gave up: a budget or a number of rounds was used up.
    Exhausted,
}

impl Turn {
    /// A turn that `prompt` begins at this place.
    pub fn begun(order: u64, prompt: Option<Prompt>) -> Turn {
        let ended_at = prompt.as_ref().and_then(|prompt| prompt.at);
        Turn {
            order,
            prompt: prompt.map(Arc::new),
            end: TurnEnd::Open,
            ended_at,
            steps: Vec::new(),
            is_missing_steps: false,
            closing_words: None,
        }
    }
}

impl CommandRun {
    /// A command that has not answered.
    pub fn begun(command: String, folder: Option<String>) -> CommandRun {
        CommandRun {
            command,
            is_cut: false,
            folder,
            exit: Exit::Running,
            output: String::new(),
            is_output_cut: false,
        }
    }
}
