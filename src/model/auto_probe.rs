//! Questions to agents without the user's request: the moment of the task they belong to, and why one was not
//! sent.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{SessionName, TaskMoment, Timestamp};

/// The moment of one session's task: a new prompt or a finished turn starts another moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionMoment {
    /// The session.
    pub session: SessionName,
    /// When the user last wrote to the session whose words count.
    pub prompted_at: Option<Timestamp>,
    /// When the session's last turn ended; if that is unknown, when its record last grew.
    pub rested_at: Option<Timestamp>,
}

impl TaskMoment {
    /// The moment that the task of `session` was in; `None` if the session was not known.
    pub fn of(&self, session: &SessionName) -> Option<SessionMoment> {
        let (_, rested_at) = self.turns.iter().find(|(name, _)| name == session)?;
        Some(SessionMoment { session: session.clone(), prompted_at: self.prompted_at, rested_at: *rested_at })
    }
}

/// How many questions closeout sent on its own within the last hour, over all workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AutoBudget {
    /// How many were sent.
    pub n_sent: u32,
    /// How many may be sent.
    pub per_hour: u32,
}

/// Like `4 of 6 this hour`.
impl fmt::Display for AutoBudget {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} of {} this hour", self.n_sent, self.per_hour)
    }
}

/// The answer to a request to send one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbePermit {
    /// It may be sent; the budget includes it.
    Granted(AutoBudget),
    /// It must not be sent.
    Denied(NotAsked),
}

/// Why closeout did not ask an agent on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotAsked {
    /// It was asked in this moment of its task before, by the user or another closeout.
    AskedBefore,
    /// The hour's budget is used up.
    UsedUp {
        /// The budget.
        budget: AutoBudget,
        /// When the next question may be sent.
        until: Timestamp,
    },
}

impl NotAsked {
    /// When it can be tried again in the same moment of the task; `None` means never.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            NotAsked::AskedBefore => None,
            NotAsked::UsedUp { until, .. } => Some(*until),
        }
    }

    /// What hinders the question; `None` if the user need not know.
    pub fn hindrance(&self) -> Option<Hindrance> {
        match self {
            NotAsked::AskedBefore => None,
            NotAsked::UsedUp { budget, .. } => Some(Hindrance::Budget(*budget)),
        }
    }
}

/// What keeps closeout from asking an agent on its own, although it would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hindrance {
    /// So many questions were sent within the last hour.
    Budget(AutoBudget),
    /// Asking failed, with the error. Untrusted text.
    Failed(String),
}
