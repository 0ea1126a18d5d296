//! The names given to threads: `session_index.jsonl`, one line per renaming. The last one applies.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::Deserialize;

use crate::agent::record::{open_record, read_range};

/// How much of the end is read, in bytes: about two thousand names.
const REACH: u64 = 256 << 10;

#[derive(Deserialize)]
struct Renamed {
    id: String,
    thread_name: String,
}

/// The names as last read.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    /// The size, change time and inode of the file at that moment.
    read_from: Option<(u64, i64, i64, u64)>,
    names: HashMap<String, String>,
}

impl ThreadNames {
    /// Reads the names again if the file changed. An unreadable file counts as empty.
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

    pub(super) fn of(&self, id: &str) -> Option<String> {
        self.names.get(id).filter(|name| !name.is_empty()).cloned()
    }
}
