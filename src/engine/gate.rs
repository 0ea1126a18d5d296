//! What a gate needs of the engine beside a verdict: whether it is set in a workspace, how often it held a session in a
//! row, and the record of each time.
//!
//! It must not hold an agent that it could not count: a loop without an end costs a person more than a gate gives.

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
    /// How it is set.
    pub settings: GateSettings,
    /// The blocks in a row so far.
    pub row: BlockRow,
}

/// Blocks that are older than this, in milliseconds, are of another row, where the client does not tell.
const ROW_MS: i64 = 3_600_000;

impl EngineConfig {
    /// How gates are set in the workspace that `folder` lies in, and where that is; `None` if none is set there.
    ///
    /// # Errors
    /// The folder is not there or cannot be opened.
    pub fn gate_settings(&self, folder: &Path) -> std::io::Result<Option<(PathBuf, GateSettings)>> {
        let resolved = folder.canonicalize()?;
        let top = worktree_top(&resolved).unwrap_or(resolved);
        Ok(self.config.gate_for(&top).filter(|settings| settings.is_on).map(|settings| (top, settings)))
    }

    /// The gate for the session that `key` names. `is_continued` says whether its turn goes on because a gate held it.
    ///
    /// # Errors
    /// There is no state folder, or what was counted cannot be read.
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
    /// Writes down that the session may stop; it may all the same where that cannot be written.
    pub fn pass(&self, workspace: &WorkspaceId, agent: &str) {
        let what = HistoryEvent::GatePassed;
        let (workspace, agent) = (workspace.clone(), Some(agent.to_owned()));
        if let Err(error) = self.store.add_history(&HistoryEntry { at: clock::now(), workspace, agent, what })
        {
            tracing::warn!("{error}");
        }
    }

    /// Writes down that the session is held once more. Only then it may be.
    ///
    /// # Errors
    /// It cannot be written.
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
