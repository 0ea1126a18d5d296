//! What is remembered of a repository between two observations, so that one that did not change
//! costs a few small file reads.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::{BaselineChoice, GitAsk, raw};
use crate::model::{BaselineOrigin, GitFacts, GitReader, Head, WatchTarget};

/// What is remembered of one workspace's repository. Small; holds no open files.
#[derive(Debug, Clone, Default)]
pub struct GitMemory {
    known: Option<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    layout: Layout,
    facts: Facts,
    reader: Option<GitReader>,
    /// The baseline was found by the reading itself.
    is_found: bool,
}

/// Everything that was read but the work tree.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// What is told; without changes.
    pub(super) git: GitFacts,
    /// Where it would show if it changed.
    pub(super) targets: Vec<WatchTarget>,
    /// The full name of the upstream.
    pub(super) upstream_name: Option<String>,
    /// The state that it was read from.
    pub(super) stamp: Option<Stamp>,
    /// The counts depend on nothing but the commits of this branch and the log of HEAD.
    pub(super) is_plain: bool,
}

/// Everything that the remembered facts were read from, as far as it can be compared cheaply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    head: Head,
    upstream: Option<String>,
    files: Vec<Option<(i64, i64, u64, u64)>>,
}

impl Stamp {
    /// Where HEAD stood.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Whether this is the same repository, with commits made on the same branch at most.
    pub(super) fn is_further_on_branch(&self, before: &Stamp) -> bool {
        self.head.branch() == before.head.branch()
            && self.upstream == before.upstream
            && self.files[N_OF_COMMITS..] == before.files[N_OF_COMMITS..]
    }

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

/// How many of the files stamped change with every commit.
const N_OF_COMMITS: usize = 2;

/// The files and folders whose change can change the facts; first those that every commit changes.
fn stamped(layout: &Layout) -> impl Iterator<Item = PathBuf> {
    const OTHERS: [&str; 6] =
        ["config", "packed-refs", "refs/remotes", "refs/remotes/origin", "logs/refs/stash", "shallow"];
    [layout.git_dir.join("logs/HEAD"), layout.common_dir.join("refs/heads")]
        .into_iter()
        .chain(OTHERS.map(|name| layout.common_dir.join(name)))
        .chain([layout.top.join(".git")])
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
    /// What is known of this repository, if the same was asked, and the state that it has now.
    pub(super) fn known(&self, layout: &Layout, ask: &GitAsk<'_>) -> Option<(&Facts, Stamp)> {
        let known =
            self.known.as_ref().filter(|known| known.layout == *layout && known.reader == ask.reader)?;
        let before = &known.facts.git.baseline;
        let is_same_baseline = match ask.baseline {
            BaselineChoice::Remembered(baseline) => baseline == before,
            // A name can have come to mean another commit; a full id cannot.
            BaselineChoice::Given { rev, is_flag } => {
                before.commit.as_deref() == Some(rev) && (before.origin == BaselineOrigin::Flag) == is_flag
            }
            BaselineChoice::Find => known.is_found,
        };
        let stamp = Stamp::of(layout, known.facts.upstream_name.as_deref()).filter(|_| is_same_baseline)?;
        Some((&known.facts, stamp))
    }

    /// Remembers what was read.
    pub(super) fn remember(&mut self, layout: &Layout, ask: &GitAsk<'_>, facts: &Facts) {
        self.known = facts.stamp.is_some().then(|| Known {
            layout: layout.clone(),
            facts: facts.clone(),
            reader: ask.reader,
            is_found: matches!(ask.baseline, BaselineChoice::Find),
        });
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }
}
