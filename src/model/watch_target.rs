//! Where in the file system a change of the evidence would be visible. Nothing here watches.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::Parts;

/// A folder to watch (never recursively) for one workspace, and the meaning of an event there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchTarget {
    /// The folder. It may not exist yet; then its nearest existing ancestor is watched instead.
    /// Shared: the evidence, the monitor and the watcher all hold it.
    pub folder: Arc<Path>,
    /// The entries of the folder that matter.
    pub names: Names,
    /// The bits of the [`Parts`] that an event there may have changed.
    parts: u8,
    /// True if only new entries matter, not changes of existing ones.
    pub is_arrivals_only: bool,
}

/// The entries of a folder that matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    /// All of them.
    Any,
    /// These names: sorted, without duplicates. Shared, because the evidence, the monitor and the watcher all
    /// hold them.
    These(Arc<[OsString]>),
    /// Names with this ending.
    Ending(String),
}

impl WatchTarget {
    /// A target for all events; `parts` is what an event there may have changed.
    pub fn new(folder: impl AsRef<Path>, names: Names, parts: Parts) -> WatchTarget {
        WatchTarget { folder: folder.as_ref().into(), names, parts: parts.bits(), is_arrivals_only: false }
    }

    /// The same target, but for new entries only: those created in the folder or moved into it.
    #[must_use]
    pub fn arrivals(self) -> WatchTarget {
        WatchTarget { is_arrivals_only: true, ..self }
    }

    /// The parts that an event there may have changed.
    pub fn parts(&self) -> Parts {
        Parts::from_bits_truncate(self.parts)
    }
}

impl Names {
    /// The given names, sorted and without duplicates.
    pub fn these<N: Into<OsString>>(names: impl IntoIterator<Item = N>) -> Names {
        let names: BTreeSet<OsString> = names.into_iter().map(Into::into).collect();
        Names::These(names.into_iter().collect())
    }

    /// True if the entry `name` matters.
    pub fn matches(&self, name: &OsStr) -> bool {
        match self {
            Names::Any => true,
            Names::These(names) => names.binary_search_by(|known| known.as_os_str().cmp(name)).is_ok(),
            Names::Ending(end) => name.as_encoded_bytes().ends_with(end.as_bytes()),
        }
    }
}
