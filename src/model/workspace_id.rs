//! The identity of a workspace: a host and a directory on it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// The host name that stands for this machine in an id.
const LOCAL_HOST: &str = "local";

/// Names one workspace. Cheap to clone; ordered by host, then path. As JSON the text for display.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspaceId {
    host: Arc<str>,
    path: Arc<Path>,
}

impl WorkspaceId {
    /// The workspace at `path` (absolute, resolved) on this machine.
    pub fn local(path: impl Into<PathBuf>) -> WorkspaceId {
        WorkspaceId { host: Arc::from(LOCAL_HOST), path: Arc::from(path.into()) }
    }

    /// The workspace at `path` (absolute, resolved) on the machine `host`.
    pub fn on(host: &str, path: impl Into<PathBuf>) -> WorkspaceId {
        WorkspaceId { host: Arc::from(host), path: Arc::from(path.into()) }
    }

    /// The host; `local` for this machine.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for WorkspaceId {
    /// The path, cleaned for display, preceded by the host if it is another machine.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if &*self.host != LOCAL_HOST {
            write!(f, "{}:", super::display_text::line(&self.host))?;
        }
        f.write_str(&super::display_text::path(&self.path))
    }
}

impl Serialize for WorkspaceId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
