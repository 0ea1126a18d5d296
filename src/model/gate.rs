//! What an agent tells a gate when it is about to stop, how gates are set, and how often one has held a session back.
//!
//! Plain values. Whether an agent is held is for `judge::gate` to say; how its client wants to hear it, for the front.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{BackgroundTask, Proof, Timestamp};

/// At which event of an agent a gate is asked. A closed set: the names of `closeout hook`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GateEvent {
    /// The agent is about to end its turn.
    Stop,
    /// A sub-agent is about to report.
    SubagentStop,
    /// A tool has run; it counts where the tool gives the final output.
    PostToolUse,
    /// A task of a shared list is about to be ticked off.
    TaskCompleted,
    /// The same as `Stop` in the words of other clients.
    AfterAgent,
}

impl GateEvent {
    /// The word behind `closeout hook`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The event of this name.
    pub fn from_name(name: &str) -> Option<GateEvent> {
        name.parse().ok()
    }

    /// Whether the agent's own turn ends here, so that its last message is its conclusion.
    pub fn ends_turn(self) -> bool {
        matches!(self, GateEvent::Stop | GateEvent::AfterAgent)
    }
}

/// What an agent told when it asked a gate. All texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCall {
    /// The event.
    pub event: GateEvent,
    /// The session, where the payload names one.
    pub session_id: Option<String>,
    /// The folder that it works in.
    pub folder: Option<PathBuf>,
    /// Whether this turn goes on because a gate held it back; `None` where the client does not tell.
    pub is_continued: Option<bool>,
    /// What runs beside the turn.
    pub background: Vec<BackgroundTask>,
    /// The agent's last message.
    pub last_message: Option<String>,
    /// What it was asked, where the client repeats it.
    pub prompt: Option<String>,
    /// The tool that has run.
    pub tool: Option<String>,
    /// True for a helper of the client's own, such as the one that shortens a conversation.
    pub is_helper: bool,
}

/// Why an agent may stop. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetGo {
    /// The work is complete.
    Complete,
    /// A person's own word lets it stop.
    YourWord,
    /// Nobody was asked for anything here.
    NoTask,
    /// A question or a permission waits for the person.
    Asks,
    /// Work goes on beside the turn: the gate is asked again when that ends.
    Background,
    /// Nothing speaks against the work, or nothing that this event is about.
    NothingOpen,
    /// The same points came back too often: a person has to look.
    Stalled,
    /// There is no verdict, or none that can be trusted.
    NotJudged,
    /// The tool that has run gives no final output.
    OtherTool,
    /// A helper of the client's own, which works on no task.
    Helper,
    /// It was held back as often in a row as is allowed.
    BlocksUsedUp,
    /// It was held back for as long as is allowed.
    DeadlinePassed,
}

impl LetGo {
    /// Whether it stops although something is left to do.
    pub fn is_given_up(self) -> bool {
        matches!(self, LetGo::Stalled | LetGo::BlocksUsedUp | LetGo::DeadlinePassed)
    }
}

/// How gates are set in one workspace. Only the person's own configuration says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSettings {
    /// Whether agents are held back here at all.
    pub is_on: bool,
    /// So often a session is held in a row at most.
    pub most_blocks: u32,
    /// A session is not held any more so many milliseconds after it was first held in a row; `None` for no such limit.
    pub deadline_ms: Option<i64>,
    /// Judging takes no longer than this, in milliseconds; after it the agent may stop.
    pub time_limit_ms: u64,
    /// The tools whose use is a final output.
    pub final_tools: Vec<String>,
    /// How well a COMPLETE has to be proven; from `committed` on, finished work that is not committed holds too.
    pub required: Proof,
}

/// The blocks of one session in a row. Kept over runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// How many.
    pub n_blocks: u32,
    /// When the first was.
    pub began_at: Timestamp,
    /// When the last was.
    pub blocked_at: Timestamp,
}

impl BlockRow {
    /// The row with one more block.
    #[must_use]
    pub fn and_one(self, now: Timestamp) -> BlockRow {
        let began_at = if self.n_blocks == 0 { now } else { self.began_at };
        BlockRow { n_blocks: self.n_blocks.saturating_add(1), began_at, blocked_at: now }
    }
}

/// The turn that is ending at this very moment, by the word of its agent's hook. Its record may not tell yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingTurn {
    /// The agent.
    pub agent: String,
    /// The session. Untrusted text.
    pub session_id: String,
    /// The message that ends the turn. Untrusted text.
    pub message: Option<String>,
    /// What was asked, where the hook repeats it. Untrusted text.
    pub prompt: Option<String>,
}
