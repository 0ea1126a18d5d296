//! What is remembered of a repository between two observations, so that one that did not change
//! costs a few small file reads.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::raw;
use crate::model::{GitFacts, Head, WatchTarget};

/// What is remembered of one workspace's repository. Small; holds no open files.
#[derive(Debug, Clone, Default)]
pub struct GitMemory {
    known: Option<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    layout: Layout,
    stamp: Stamp,
    facts: GitFacts,
    targets: Vec<WatchTarget>,
}

/// Everything that the remembered facts were read from, as far as it can be compared cheaply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    head: Head,
    upstream: Option<String>,
    files: Vec<Option<(i64, i64, u64, u64)>>,
}

impl Stamp {
    /// The stamp of a repository now; `None` where it cannot be taken without a reader.
    pub(super) fn of(layout: &Layout, upstream_name: Option<&str>) -> Option<Stamp> {
        if layout.is_reftable {
            return None;
        }
        let upstream = match upstream_name {
            Some(name) => raw::resolve_ref(layout, name).ok()?,
            None => None,
        };
        Some(Stamp {
            head: raw::head(layout).ok()?,
            upstream,
            files: stamped(layout).map(|path| stamp(&path)).collect(),
        })
    }
}

/// The files and folders whose change can change the facts.
fn stamped(layout: &Layout) -> impl Iterator<Item = PathBuf> {
    let own = ["logs/HEAD"].map(|name| layout.git_dir.join(name));
    let shared = ["config", "packed-refs", "refs/heads", "refs/remotes", "logs/refs/stash", "shallow"]
        .map(|name| layout.common_dir.join(name));
    own.into_iter().chain(shared).chain([layout.top.join(".git")])
}

fn stamp(path: &Path) -> Option<(i64, i64, u64, u64)> {
    let metadata: Metadata = path.metadata().ok()?;
    // The time of a folder that is itself `.git` changes with every lock file; its identity does not.
    let is_git_dir = metadata.is_dir() && path.ends_with(".git");
    let (seconds, nanos) = if is_git_dir { (0, 0) } else { (metadata.mtime(), metadata.mtime_nsec()) };
    let size = if metadata.is_dir() { 0 } else { metadata.len() };
    Some((seconds, nanos, size, metadata.ino()))
}

impl GitMemory {
    /// The layout found before, if the workspace still has it.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.known.as_ref().map(|known| &known.layout)
    }

    /// The facts and targets remembered, if nothing that they were read from changed. The changes
    /// of the work tree are never remembered.
    pub(super) fn unchanged(
        &self,
        upstream_name: impl FnOnce(&GitFacts) -> Option<String>,
    ) -> Option<(GitFacts, Vec<WatchTarget>)> {
        let known = self.known.as_ref()?;
        let upstream_name = upstream_name(&known.facts);
        let stamp = Stamp::of(&known.layout, upstream_name.as_deref())?;
        (stamp == known.stamp).then(|| (known.facts.clone(), known.targets.clone()))
    }

    /// Remembers what was read under this stamp, which was taken before the reading.
    pub(super) fn remember(
        &mut self,
        layout: &Layout,
        stamp: Option<Stamp>,
        facts: &GitFacts,
        targets: &[WatchTarget],
    ) {
        self.known = stamp.map(|stamp| Known {
            layout: layout.clone(),
            stamp,
            facts: GitFacts { changes: None, ..facts.clone() },
            targets: targets.to_vec(),
        });
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }
}
