//! Replies that wait for the end of their agent's turn: one small file per workspace, changed under the
//! folder's lock, so that only one of several closeouts sends each of them, and a killed one has sent it at
//! most once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{HeldReply, Timestamp, WorkspaceId};

use super::StoreError;
use super::folder::{Store, replace_record};
use super::workspace_files::WorkspaceFiles;

/// The folder with a file for each workspace.
const HELD: &str = "held";

impl Store {
    /// Stores a reply. Text already held for the same session is put before it, as one reply. Returns what
    /// is held now.
    ///
    /// # Errors
    /// It cannot be written, so nothing is held.
    pub fn hold_reply(&self, workspace: &WorkspaceId, reply: &HeldReply) -> Result<HeldReply, StoreError> {
        let mut reply = reply.clone();
        self.change_held(workspace, |held| {
            let is_before = |known: &HeldReply| known.session == reply.session && known.claimed_at.is_none();
            if let Some(at) = held.iter().position(is_before) {
                let before = held.remove(at);
                reply.text = HeldReply::joined(&before.text, &reply.text);
            }
            held.push(reply.clone());
            (true, ())
        })?;
        Ok(reply)
    }

    /// Claims a reply right before it is sent. `None` if another closeout has claimed it, or it is no
    /// longer held.
    ///
    /// # Errors
    /// The claim cannot be written. The reply must then not be sent.
    pub fn claim_held(
        &self,
        workspace: &WorkspaceId,
        id: &str,
        now: Timestamp,
    ) -> Result<Option<HeldReply>, StoreError> {
        self.change_held(workspace, |held| {
            let free = held.iter_mut().find(|known| known.id == id && known.claimed_at.is_none());
            let Some(free) = free else { return (false, None) };
            free.claimed_at = Some(now);
            (true, Some(free.clone()))
        })
    }

    /// Releases a claim because nothing was sent, and records why.
    ///
    /// # Errors
    /// It cannot be written, so the reply stays claimed.
    pub fn release_held(&self, workspace: &WorkspaceId, id: &str, why: &str) -> Result<(), StoreError> {
        self.change_held(workspace, |held| {
            for known in held.iter_mut().filter(|known| known.id == id) {
                known.claimed_at = None;
                known.hindrance = Some(why.to_owned());
            }
            (true, ())
        })
    }

    /// Deletes a held reply. False if it is not held, or if `is_claimed` does not match whether it is
    /// claimed.
    ///
    /// # Errors
    /// It cannot be written, so the reply is still held.
    pub fn forget_held(
        &self,
        workspace: &WorkspaceId,
        id: &str,
        is_claimed: bool,
    ) -> Result<bool, StoreError> {
        self.change_held(workspace, |held| {
            let n_before = held.len();
            held.retain(|known| known.id != id || known.claimed_at.is_some() != is_claimed);
            let is_gone = held.len() < n_before;
            (is_gone, is_gone)
        })
    }

    /// The replies held in these workspaces, and the number of unreadable files, which stay where they are.
    pub fn held_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, Vec<HeldReply>>, usize) {
        self.held_files().of(workspaces)
    }

    /// Changes what is held in a workspace. `change` returns whether it changed anything, and the result.
    fn change_held<T>(
        &self,
        workspace: &WorkspaceId,
        change: impl FnOnce(&mut Vec<HeldReply>) -> (bool, T),
    ) -> Result<T, StoreError> {
        let _lock = self.lock()?;
        let mut held: Vec<HeldReply> = self.held_files().one(workspace).unwrap_or_default();
        let (is_changed, answer) = change(&mut held);
        match (is_changed, held.is_empty()) {
            (false, _) => {}
            (true, true) => self.held_files().delete(workspace)?,
            (true, false) => self.held_files().keep(workspace, &held, replace_record)?,
        }
        Ok(answer)
    }

    /// Where held replies are kept, a file a workspace.
    pub fn held_folder(&self) -> PathBuf {
        self.folder().join(HELD)
    }

    fn held_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), HELD)
    }
}
