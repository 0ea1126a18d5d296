//! Where a change of the evidence would show in the file system.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use super::Parts;

/// One folder to be watched (never recursively) for one workspace, and what an event there means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchTarget {
    /// The folder. It may not exist yet: then its nearest existing parent is watched for it.
    pub folder: PathBuf,
    /// The entries of the folder that matter.
    pub names: Names,
    /// The bits of the [`Parts`] that an event there can have changed.
    parts: u8,
    /// Whether only new entries matter, and not what becomes of those that are there.
    pub is_arrivals_only: bool,
}

/// Which entries of a folder matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    /// All of them.
    Any,
    /// These: sorted, each once. Shared, because the evidence, the monitor and the watcher all hold them.
    These(Arc<[OsString]>),
    /// Those that end so.
    Ending(String),
}

impl WatchTarget {
    /// A target; `parts` is what an event there can have changed.
    pub fn new(folder: impl Into<PathBuf>, names: Names, parts: Parts) -> WatchTarget {
        WatchTarget { folder: folder.into(), names, parts: parts.bits(), is_arrivals_only: false }
    }

    /// The same target for new entries alone: those that are made or moved there.
    #[must_use]
    pub fn arrivals(self) -> WatchTarget {
        WatchTarget { is_arrivals_only: true, ..self }
    }

    /// What an event there can have changed.
    pub fn parts(&self) -> Parts {
        Parts::from_bits_truncate(self.parts)
    }
}

impl Names {
    /// The names given.
    pub fn these<N: Into<OsString>>(names: impl IntoIterator<Item = N>) -> Names {
        let names: BTreeSet<OsString> = names.into_iter().map(Into::into).collect();
        Names::These(names.into_iter().collect())
    }

    /// Whether the entry `name` matters.
    pub fn matches(&self, name: &OsStr) -> bool {
        match self {
            Names::Any => true,
            Names::These(names) => names.binary_search_by(|known| known.as_os_str().cmp(name)).is_ok(),
            Names::Ending(end) => name.as_encoded_bytes().ends_with(end.as_bytes()),
        }
    }
}
