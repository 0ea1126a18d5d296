//! The seam between closeout and a kind of agent.

use std::path::{Path, PathBuf};

use super::claude;
use crate::model::{Reading, SessionObservation, WatchTarget};

/// A kind of agent, and where its records are on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adapter {
    /// Claude Code.
    ClaudeCode {
        /// Its configuration folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
        config_dir: PathBuf,
    },
}

/// What is remembered of a workspace's sessions from one reading to the next, so that only what was
/// appended to a record is read again. Losing it costs time and nothing else.
#[derive(Debug, Default)]
pub struct SessionMemory {
    claude: claude::Memory,
}

impl SessionMemory {
    /// Where a change of what the sessions that were read last do now would show, beside their records.
    pub fn watch_targets(&self) -> Vec<WatchTarget> {
        self.claude.watch_target().into_iter().collect()
    }
}

impl Adapter {
    /// The agent's name in evidence and on the screen.
    pub fn name(&self) -> &'static str {
        match self {
            Adapter::ClaudeCode { .. } => claude::NAME,
        }
    }

    /// Where a new session of `workspace`, or a change of one, would show.
    pub fn watch_targets(&self, workspace: &Path) -> Vec<WatchTarget> {
        match self {
            Adapter::ClaudeCode { config_dir } => vec![claude::watch_target(config_dir, workspace)],
        }
    }

    /// Reads the newest session of `workspace` (absolute, resolved).
    pub fn newest_session(
        &self,
        workspace: &Path,
        memory: &mut SessionMemory,
    ) -> Reading<SessionObservation> {
        match self {
            Adapter::ClaudeCode { config_dir } => {
                claude::newest_session(config_dir, workspace, &mut memory.claude)
            }
        }
    }
}

/// Reads the newest session of `workspace` over all `adapters`. A session that was read wins over one
/// that could not be read, and that over none.
pub fn newest_session(
    adapters: &[Adapter],
    workspace: &Path,
    memory: &mut SessionMemory,
) -> Reading<SessionObservation> {
    let mut newest = Reading::NotConfigured;
    for adapter in adapters {
        let session = adapter.newest_session(workspace, memory);
        if precedence(&session) > precedence(&newest) {
            newest = session;
        }
    }
    newest
}

/// Orders readings: by how much they tell, then by when the record last grew.
fn precedence(session: &Reading<SessionObservation>) -> (u8, i64) {
    match session {
        Reading::NotLookedAt | Reading::NotConfigured => (0, 0),
        Reading::Absent { .. } => (1, 0),
        Reading::Unreadable(_) => (2, 0),
        Reading::Present(session) => (3, session.written_at.map_or(i64::MIN, |at| at.0)),
    }
}
