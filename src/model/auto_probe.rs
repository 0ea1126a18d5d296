//! Questions to agents for which no person asked: in which moment, and why one was not sent.

use serde::{Deserialize, Serialize};

use super::{SessionName, TaskMoment, Timestamp};

/// Where the task of one session is: another one after a new prompt, and after each turn.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionMoment {
    /// The session.
    pub session: SessionName,
    /// When a person last wrote to the session whose words count.
    pub prompted_at: Option<Timestamp>,
    /// When the session's last turn ended, or when its record last grew where that is not known.
    pub rested_at: Option<Timestamp>,
}

impl TaskMoment {
    /// Where the task of `session` was in that moment; `None` if the session was not known.
    pub fn of(&self, session: &SessionName) -> Option<SessionMoment> {
        let (_, rested_at) = self.turns.iter().find(|(name, _)| name == session)?;
        Some(SessionMoment { session: session.clone(), prompted_at: self.prompted_at, rested_at: *rested_at })
    }
}

/// How many questions were sent by closeout itself within the last hour, over all workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoBudget {
    /// Sent.
    pub n_sent: u32,
    /// That many at most.
    pub per_hour: u32,
}

/// Why an agent was not asked by closeout itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotAsked {
    /// Somebody asked in this moment of its task: a person, or another closeout.
    AskedBefore,
    /// The questions of the hour are used up.
    UsedUp {
        /// What is used.
        budget: AutoBudget,
        /// When there is room for the next one.
        until: Timestamp,
    },
}

impl NotAsked {
    /// When it can be tried again in the same moment; `None` is never.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            NotAsked::AskedBefore => None,
            NotAsked::UsedUp { until, .. } => Some(*until),
        }
    }

    /// In words for a person; `None` where there is nothing that a person would have to know.
    pub fn label(&self) -> Option<String> {
        match self {
            NotAsked::AskedBefore => None,
            NotAsked::UsedUp { budget, .. } => {
                Some(format!("{} of {} this hour", budget.n_sent, budget.per_hour))
            }
        }
    }
}
