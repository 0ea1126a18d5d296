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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn rows_are_kept_for_each_session_and_the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.block_row("a", "s").unwrap(), BlockRow::default());
        let row = BlockRow::default().and_one(Timestamp(5)).and_one(Timestamp(9));
        assert_eq!((row.n_blocks, row.began_at, row.blocked_at), (2, Timestamp(5), Timestamp(9)));
        store.keep_block_row("a", "s", row).unwrap();
        assert_eq!(store.block_row("a", "s").unwrap(), row);
        assert_eq!(store.block_row("b", "s").unwrap(), BlockRow::default());
        for n in 0..MAX_KEPT {
            let at = Timestamp(100 + i64::try_from(n).unwrap());
            store.keep_block_row("a", &format!("n{n}"), BlockRow::default().and_one(at)).unwrap();
        }
        assert_eq!(store.block_row("a", "s").unwrap(), BlockRow::default());
        assert_eq!(store.block_row("a", "n0").unwrap().n_blocks, 1);
    }

    #[test]
    fn a_record_written_by_the_first_version_is_read_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let old = r#"{"version":1,"rows":{"claude/s":{"n_blocks":3,"began_at":7,"blocked_at":8}}}"#;
        std::fs::write(store.block_file(), old).unwrap();
        assert_eq!(store.block_row("claude", "s").unwrap().n_blocks, 3);
        std::fs::write(store.block_file(), "{").unwrap();
        assert!(store.block_row("claude", "s").is_err());
        assert!(store.keep_block_row("claude", "s", BlockRow::default()).is_err());
    }
}
