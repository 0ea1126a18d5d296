//! The names that threads were given: `session_index.jsonl`, one line a renaming. The last one counts.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::Deserialize;

use crate::agent::record::{open_record, read_range};

/// So much of the end is read, in bytes: about two thousand names.
const REACH: u64 = 256 << 10;

#[derive(Deserialize)]
struct Renamed {
    id: String,
    thread_name: String,
}

/// The names as they were last read.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    /// Size, change time and inode of the file that they are of.
    read_from: Option<(u64, i64, i64, u64)>,
    names: HashMap<String, String>,
}

impl ThreadNames {
    /// Reads them again if the file changed. What cannot be read is not there.
    pub(super) fn refresh(&mut self, home: &Path) {
        let Ok(file) = open_record(&home.join("session_index.jsonl")) else {
            *self = ThreadNames::default();
            return;
        };
        let Ok(metadata) = file.metadata() else { return };
        let stamp = (metadata.len(), metadata.ctime(), metadata.ctime_nsec(), metadata.ino());
        if self.read_from == Some(stamp) {
            return;
        }
        let end = read_range(&file, metadata.len().saturating_sub(REACH), metadata.len());
        let lines = end.unwrap_or_default();
        let lines = lines.split(|byte| *byte == b'\n');
        let renamed = lines.filter_map(|line| serde_json::from_slice::<Renamed>(line).ok());
        self.names = renamed.map(|renamed| (renamed.id, renamed.thread_name)).collect();
        self.read_from = Some(stamp);
    }

    /// The name of a thread.
    pub(super) fn of(&self, id: &str) -> Option<String> {
        self.names.get(id).filter(|name| !name.is_empty()).cloned()
    }
}
