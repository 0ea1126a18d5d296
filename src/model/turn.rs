//! The history of one session as its record has it: turns, and the steps of each.
//!
//! Facts only, the same for every agent. What a prompt asks for, which commands are tests, and what any of it
//! means for a verdict is decided by `judge`. Whoever fills a list here limits its length.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Checklist, Timestamp};

/// The turns of one session, as far as its record was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own of the record")]
pub struct TurnHistory {
    /// The turns, oldest first. Shared, so that copying a long history is cheap.
    pub turns: Vec<Arc<Turn>>,
    /// True if nothing precedes the first of `turns`: nothing is unread, and nothing was dropped to save
    /// memory.
    pub is_whole: bool,
    /// True if the record tells what was run and written, and not only what was said.
    #[serde(default)]
    pub tells_steps: bool,
    /// The agent's todo list, with the time of the call that last wrote it.
    pub todos: Option<DatedTodos>,
    /// The goal that the user set for the session with `/goal`.
    pub goal: Option<Goal>,
    /// The latest time on any line of the conversation; not the file's modification time.
    pub last_line_at: Option<Timestamp>,
    /// The time of the first line, if that line was read.
    pub began_at: Option<Timestamp>,
    /// True if the session began when the conversation before it was cleared (`/clear`).
    pub began_by_clear: bool,
    /// True if an event says that the session ended because its own conversation was cleared.
    #[serde(default)]
    pub was_cleared: bool,
}

/// What was said and done from one prompt to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The position of the turn's start in this history; counted together with [`TurnStep::order`].
    pub order: u64,
    /// What started the turn; `None` if that precedes the part that was read. Shared for the same reason as
    /// `steps`.
    pub prompt: Option<Arc<Prompt>>,
    /// How it ended.
    pub end: TurnEnd,
    /// When it ended, or last progressed if it has not ended.
    pub ended_at: Option<Timestamp>,
    /// What was done, in order, without reading and searching. Shared, so that updating an open turn does not
    /// copy its earlier steps.
    pub steps: Vec<Arc<TurnStep>>,
    /// True if steps are missing: dropped to save memory, or on lines that cannot be read.
    pub is_missing_steps: bool,
    /// The end of the turn's last message, shortened. Untrusted text.
    pub closing_words: Option<String>,
}

/// What started a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Its text; the middle of a long text is left out. Untrusted text.
    pub text: String,
    /// Who or what wrote it.
    pub kind: PromptKind,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// True if it was typed while the agent worked: it steered that turn, or waited until the turn ended.
    pub was_queued: bool,
    /// True if images were attached.
    pub has_image: bool,
}

/// Begins each message that closeout itself writes to an agent, so that it is known in the agent's record and
/// never taken for what a person asked.
pub const SENDER_MARK: &str = "[closeout]";

/// Who or what wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// The user, or a program in the user's name.
    Person,
    /// A custom slash command; the text is the command with its arguments, and with its body if the record
    /// has it.
    CustomCommand,
    /// A command of the client itself, like `/compact`, or a shell command typed after `!`.
    ClientCommand,
    /// A hook that prevented the turn from ending.
    HookFeedback,
    /// A message from closeout or one of its gates; it continues a task.
    Gate,
    /// A reminder inserted by the client.
    Reminder,
    /// A notice from the client or from background work: a subagent's report, a compaction's summary.
    Notice,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TurnEnd {
    /// The agent ended it: its last words are its own conclusion.
    Finished,
    /// Another prompt arrived while it ran; its work continues in the next turn.
    Steered,
    /// The user interrupted it.
    Interrupted,
    /// It broke off in the middle.
    BrokeOff {
        /// The cause.
        cause: BreakCause,
    },
    /// An error replaces the reply.
    Failed {
        /// The error, shortened. Untrusted text.
        error: String,
        /// The usage limit, if reaching one caused the error.
        limit: Option<UsageLimit>,
    },
    /// Unknown, because a line of the conversation cannot be read.
    Unknown,
    /// It has no end in the record: the agent is working, waits, or was killed.
    Open,
}

/// Why a turn broke off in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakCause {
    /// The next process began with another prompt, and the record has no end of this turn.
    ProcessGone,
    /// The reply reached the token limit.
    TokenLimit,
    /// The model refused to continue.
    Refusal,
    /// A hook stopped it.
    Hook,
}

/// A limit of the user's plan or account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLimit {
    /// When the limit resets, if the record says.
    pub resets_at: Option<Timestamp>,
    /// The same in the client's words, like `3pm (Europe/Berlin)`. Untrusted text.
    pub resets: Option<String>,
}

/// One thing that the agent did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStep {
    /// Its position in this history: larger is later. Steps without a time are ordered by it.
    pub order: u64,
    /// When it began.
    pub at: Option<Timestamp>,
    /// What it is.
    pub deed: Deed,
}

/// The kind of a step, with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Deed {
    /// A shell command.
    Command(CommandRun),
    /// A call of a tool that writes files.
    Edit {
        /// The files as the call names them. Untrusted text.
        paths: Vec<String>,
        /// True once the tool succeeded. While it is false, nothing was written: it has not returned, was
        /// refused or failed.
        was_done: bool,
    },
    /// A tool showed the user a question, a plan or a dialog.
    Asked {
        /// Its words, shortened. Untrusted text.
        words: String,
        /// True once it was answered.
        was_answered: bool,
    },
    /// A subagent was started. What it did is in a record of its own, whose steps stand among the others where
    /// that could be read.
    SentOff {
        /// Its assignment, shortened. Untrusted text.
        what: String,
        /// Its id, if the record says. Untrusted text.
        #[serde(default)]
        id: Option<String>,
        /// True if all that it did stands among the steps of this history.
        #[serde(default)]
        was_read: bool,
    },
    /// Another tool that may change something, from an MCP server or a plugin.
    Other {
        /// The tool. Untrusted text.
        tool: String,
    },
}

/// A shell command that the agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command line passed to the shell. Untrusted text.
    pub command: String,
    /// True if the end of a very long command line was cut.
    pub is_cut: bool,
    /// The folder in which it ran, if the record says. Untrusted text.
    pub folder: Option<String>,
    /// How the shell ended. For a pipeline this says nothing about any command but the last.
    pub exit: Exit,
    /// The end of its output. Untrusted text.
    pub output: String,
    /// True if the beginning of the output was cut.
    pub is_output_cut: bool,
}

/// How a shell command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "code")]
pub enum Exit {
    /// It ended with this code.
    Code(i32),
    /// It failed; the record does not state the code.
    Failed,
    /// The user or a rule refused it: it never ran.
    Refused,
    /// The user or a time limit stopped it.
    Stopped,
    /// It runs in the background, or has not returned.
    Running,
    /// The record does not say.
    Unknown,
}

/// A todo list of the agent, with the time at which it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatedTodos {
    /// The list.
    pub list: Checklist,
    /// When the call that last wrote it was made.
    pub at: Option<Timestamp>,
    /// The position of that call in the history.
    pub order: u64,
    /// True if items may be missing: their creation lies beyond what was read, or the list was cut at a
    /// limit.
    pub is_partial: bool,
}

/// A goal that the client makes the agent pursue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The goal, shortened. Untrusted text.
    pub text: String,
    /// Its state.
    pub state: GoalState,
    /// When that state was last reported.
    pub at: Option<Timestamp>,
    /// The position of that report in the history.
    pub order: u64,
}

/// The state of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalState {
    /// The agent is working towards it.
    Active,
    /// The user has paused it.
    Paused,
    /// The client considers it reached.
    Reached,
    /// The client gave up: a budget or a number of rounds was exhausted.
    Exhausted,
}

impl TurnHistory {
    /// The time from which on the turns were read, as far as it is known; `None` if they are all.
    pub fn reaches_to(&self) -> Option<Timestamp> {
        self.turns.iter().find_map(|turn| turn.began_at()).filter(|_| !self.is_whole)
    }
}

impl Turn {
    /// When it began, as far as the record says.
    pub fn began_at(&self) -> Option<Timestamp> {
        let prompted_at = self.prompt.as_ref().and_then(|prompt| prompt.at);
        prompted_at.or_else(|| self.steps.iter().find_map(|step| step.at))
    }

    /// An open turn that `prompt` starts at position `order`.
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
    /// A command that has not returned.
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
