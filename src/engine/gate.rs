//! What a gate needs from the engine besides a verdict: whether it is on in a workspace, how often in a row
//! it has blocked a session, and a record of each block.
//!
//! It must not block an agent if it cannot count the block: an endless loop costs a person more than a gate
//! gains.

use std::path::{Path, PathBuf};

use super::discover::worktree_top;
use super::{EngineConfig, clock};
use crate::model::{
    ActionClass, ActionEnd, ActionKind, Actor, AuditEntry, BlockRow, GateSettings, HistoryEntry,
    HistoryEvent, WorkspaceId, display_text,
};
use crate::store::{Store, StoreError};

/// A gate in one workspace, for one session.
#[derive(Debug)]
pub struct Gate {
    store: Store,
    /// How the gate is configured.
    pub settings: GateSettings,
    /// The consecutive blocks so far.
    pub row: BlockRow,
}

/// The age, in milliseconds (one hour), at which a block no longer counts towards the current row. Used only
/// if the client does not say whether the turn continues after a block.
const ROW_MS: i64 = 3_600_000;

impl EngineConfig {
    /// The settings of the gate in the workspace that contains `folder`, and the top of that workspace;
    /// `None` if the gate is off there.
    ///
    /// # Errors
    /// `folder` does not exist or cannot be opened.
    pub fn gate_settings(&self, folder: &Path) -> std::io::Result<Option<(PathBuf, GateSettings)>> {
        let resolved = folder.canonicalize()?;
        let top = worktree_top(&resolved).unwrap_or(resolved);
        Ok(self.config.gate_for(&top).filter(|settings| settings.is_on).map(|settings| (top, settings)))
    }

    /// The gate for the session that `key` (agent, name of the session) names; `None` without a state folder.
    /// `is_continued` says whether the turn continues because a gate blocked it; `None` if the client does
    /// not tell.
    ///
    /// # Errors
    /// The state folder cannot be opened, or the count cannot be read.
    pub fn gate(
        &self,
        settings: GateSettings,
        key: (&str, &str),
        is_continued: Option<bool>,
    ) -> Result<Option<Gate>, StoreError> {
        let Some(folder) = &self.state_folder else { return Ok(None) };
        let store = Store::open(folder)?;
        let row = store.block_row(key.0, key.1)?;
        let age = clock::now().millis_since(row.blocked_at);
        let goes_on = is_continued.unwrap_or(age.abs() < ROW_MS);
        Ok(Some(Gate { store, settings, row: if goes_on { row } else { BlockRow::default() } }))
    }
}

impl Gate {
    /// Records that the session may stop. It may stop even if that cannot be written.
    pub fn pass(&self, workspace: &WorkspaceId, agent: &str) {
        let what = HistoryEvent::GatePassed;
        let (workspace, agent) = (workspace.clone(), Some(agent.to_owned()));
        if let Err(error) = self.store.add_history(&HistoryEntry { at: clock::now(), workspace, agent, what })
        {
            tracing::warn!("{error}");
        }
    }

    /// Records one more block of the session, which may be blocked only after this succeeds. `n_points` is
    /// the number of open points.
    ///
    /// # Errors
    /// The count or the audit entry cannot be written.
    pub fn hold(
        &self,
        workspace: &WorkspaceId,
        key: (&str, &str),
        n_points: usize,
    ) -> Result<(), StoreError> {
        let now = clock::now();
        let row = self.row.and_one(now);
        self.store.keep_block_row(key.0, key.1, row)?;
        let who = display_text::line(key.1);
        self.store.write_audit(&AuditEntry {
            id: format!("{:x}-{:x}-gate", now.0, std::process::id()),
            at: now,
            by: Actor::Configuration,
            workspace: workspace.clone(),
            kind: ActionKind::Gate,
            plan: format!("{} {who}", key.0),
            agent: Some(key.0.to_owned()),
            end: Some(ActionEnd {
                at: now,
                class: ActionClass::Done,
                message: format!(
                    "held back, {} of at most {} in a row; open points: {n_points}",
                    row.n_blocks, self.settings.most_blocks
                ),
                count: u32::try_from(n_points).ok(),
            }),
            decided: None,
        })
    }
}
