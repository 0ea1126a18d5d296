//! "Left to do": what keeps a workspace from being finished, one point at a time (DESIGN.md 2.5).
//!
//! Plain values. What counts as a point is decided by `judge::left_to_do`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Point, SessionName, Source, Timestamp};

/// Everything that is left to do in a workspace, most urgent first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftToDo {
    /// The points. Those that were done since the last prompt stand last.
    pub points: Vec<OpenPoint>,
    /// What the closer said last of the whole task. Untrusted text.
    pub summary: Option<String>,
}

/// One thing that is left to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenPoint {
    /// Its name, which stays the same as long as its source reports it. `closeout mark not-of-this-task` takes
    /// it. Untrusted text.
    pub id: String,
    /// Who reports it.
    pub source: Source,
    /// Which one of its kind: a file, an agent, a command. Untrusted text.
    pub from: String,
    /// The session that it is of: what is sent back goes there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionName>,
    /// What it asks for.
    pub kind: PointKind,
    /// It in words. Untrusted text.
    pub text: String,
    /// What became of it.
    pub state: PointState,
    /// When it was first seen here.
    pub since: Timestamp,
    /// Whether it was told before the user's last prompt for work.
    pub is_earlier: bool,
    /// Whether it keeps the work from being COMPLETE. An announcement that may be one does not.
    pub weighs: bool,
}

/// What a point asks for, and of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointKind {
    /// The user allows or denies something.
    Allow,
    /// The user answers a question.
    Answer,
    /// The last turn failed, or something that is needed cannot be read.
    Repair,
    /// The last turn was cut off and must be resumed.
    Resume,
    /// The agent has work left.
    Finish,
    /// Work is done and not kept: uncommitted, stashed, on no branch.
    Keep,
}

/// What became of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum PointState {
    /// Nothing yet.
    Open,
    /// It was sent to an agent.
    Sent {
        /// When.
        at: Timestamp,
    },
    /// Its source no longer reports it.
    Done {
        /// When that was first seen.
        at: Timestamp,
    },
}

impl LeftToDo {
    /// The points that are not done.
    pub fn open(&self) -> impl Iterator<Item = &OpenPoint> {
        self.points.iter().filter(|point| point.is_open())
    }
}

impl OpenPoint {
    /// True if it is not done.
    pub fn is_open(&self) -> bool {
        !matches!(self.state, PointState::Done { .. })
    }

    /// True if an agent can act on it: a question or a permission is for the user, and a usage limit passes by itself.
    pub fn is_for_agent(&self) -> bool {
        match self.kind {
            PointKind::Allow | PointKind::Answer => false,
            PointKind::Repair => self.id != Point::UsageLimit.to_string(),
            PointKind::Resume | PointKind::Finish | PointKind::Keep => true,
        }
    }

    /// True if the agent has nothing to do about it but to go on: its turn broke off.
    pub fn is_to_go_on(&self) -> bool {
        match self.kind {
            PointKind::Resume => true,
            PointKind::Repair => matches!(self.source, Source::Run | Source::LiveSession | Source::Probe),
            PointKind::Allow | PointKind::Answer | PointKind::Finish | PointKind::Keep => false,
        }
    }
}
