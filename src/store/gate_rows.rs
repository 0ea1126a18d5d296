//! How often gates have held each session back in a row: one small file, replaced as a whole before an
//! agent is told that it is held back, so that a killed or restarted gate does not start counting again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::BlockRow;

use super::StoreError;
use super::folder::{Store, read_form, replace_form};

/// The largest file, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// How many sessions are remembered: those held back most recently.
const MAX_KEPT: usize = 512;
/// The longest key kept, in characters. Session ids are far shorter.
const LONGEST_KEY: usize = 300;

#[derive(Default, Serialize, Deserialize)]
struct Rows {
    rows: BTreeMap<String, BlockRow>,
}

impl Store {
    /// How often in a row a session of an agent was held back.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn block_row(&self, agent: &str, session_id: &str) -> Result<BlockRow, StoreError> {
        Ok(self.block_rows()?.get(&key(agent, session_id)).copied().unwrap_or_default())
    }

    /// Stores how often in a row a session was held back. It is on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written. The session must then not be held back.
    pub fn keep_block_row(&self, agent: &str, session_id: &str, row: BlockRow) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut rows = self.block_rows()?;
        rows.insert(key(agent, session_id), row);
        while rows.len() > MAX_KEPT {
            let oldest = rows.iter().min_by_key(|(_, row)| row.blocked_at).map(|(key, _)| key.clone());
            rows.remove(&oldest.unwrap_or_default());
        }
        replace_form(&self.block_file(), &Rows { rows })
    }

    fn block_rows(&self) -> Result<BTreeMap<String, BlockRow>, StoreError> {
        let expected = "a record of sessions that were held back; without the file it begins anew";
        read_form(&self.block_file(), MAX_FILE, expected).map(|form: Rows| form.rows)
    }

    fn block_file(&self) -> PathBuf {
        self.folder().join("gates.json")
    }
}

fn key(agent: &str, session_id: &str) -> String {
    format!("{agent}/{session_id}").chars().take(LONGEST_KEY).collect()
}
