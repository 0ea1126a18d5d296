//! Finds which workspaces an event in one folder concerns. Pure; it knows names, not paths.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::model::{Names, Parts, WatchTarget, WorkspaceId};

/// Most folders have no more readers than this; up to it, no spare capacity is kept.
const FEW: usize = 8;

fn make_room<T>(list: &mut Vec<T>, n_more: usize) {
    if list.len() + n_more <= FEW {
        list.reserve_exact(n_more);
    }
}

/// The workspaces that read a folder. A folder such as `refs/heads` may have a thousand readers with one name
/// each, but most folders have one reader. So look-up is by name, and memory use is small.
#[derive(Debug, Default)]
pub(super) struct Readers {
    /// Sorted by name, then by reader.
    named: Vec<(OsString, Reader)>,
    /// Readers of more than single names, and the first few readers of several names; they share their lists.
    broad: Vec<(Names, Reader)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Reader {
    workspace: WorkspaceId,
    parts: Parts,
    is_arrivals_only: bool,
}

impl Reader {
    fn new(workspace: &WorkspaceId, target: &WatchTarget) -> Reader {
        let is_arrivals_only = target.is_arrivals_only;
        Reader { workspace: workspace.clone(), parts: target.parts(), is_arrivals_only }
    }
}

impl Readers {
    /// Adds what a workspace's target says about this folder.
    pub(super) fn add(&mut self, workspace: &WorkspaceId, target: &WatchTarget) {
        let reader = Reader::new(workspace, target);
        match &target.names {
            Names::These(names) if names.len() == 1 || self.broad.len() >= FEW => {
                make_room(&mut self.named, names.len());
                for name in names.iter() {
                    let at = self.place_of(name, &reader).unwrap_or_else(|at| at);
                    self.named.insert(at, (name.clone(), reader.clone()));
                }
            }
            Names::These(_) | Names::Any | Names::Ending(_) => {
                make_room(&mut self.broad, 1);
                self.broad.push((target.names.clone(), reader));
            }
        }
    }

    /// Whether a workspace's target adds nothing new about this folder.
    pub(super) fn has(&self, workspace: &WorkspaceId, target: &WatchTarget) -> bool {
        let reader = Reader::new(workspace, target);
        let is_named = |name: &OsString| self.place_of(name, &reader).is_ok();
        matches!(&target.names, Names::These(names) if names.iter().all(is_named))
            || self.broad.iter().any(|(names, other)| *other == reader && *names == target.names)
    }

    /// Removes a workspace.
    pub(super) fn remove(&mut self, workspace: &WorkspaceId) {
        self.named.retain(|(_, reader)| reader.workspace != *workspace);
        self.broad.retain(|(_, reader)| reader.workspace != *workspace);
    }

    /// Whether nobody reads the folder.
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.broad.is_empty()
    }

    /// Adds to `changed` the workspaces that an event on the entry `name` concerns.
    pub(super) fn concerned(
        &self,
        name: &OsStr,
        is_arrival: bool,
        changed: &mut BTreeMap<WorkspaceId, Parts>,
    ) {
        let named = self.named_so(name).map(|(_, reader)| reader);
        let broad = self.broad.iter().filter(|(names, _)| names.matches(name)).map(|(_, reader)| reader);
        for reader in named.chain(broad).filter(|reader| is_arrival || !reader.is_arrivals_only) {
            *changed.entry(reader.workspace.clone()).or_default() |= reader.parts;
        }
    }

    /// All readers; a workspace may appear more than once.
    pub(super) fn all(&self) -> impl Iterator<Item = (&WorkspaceId, Parts)> {
        let named = self.named.iter().map(|(_, reader)| reader);
        let broad = self.broad.iter().map(|(_, reader)| reader);
        named.chain(broad).map(|reader| (&reader.workspace, reader.parts))
    }

    /// Where a reader of this name is, or would be.
    fn place_of(&self, name: &OsStr, reader: &Reader) -> Result<usize, usize> {
        self.named.binary_search_by(|(other, known)| (**other).cmp(name).then_with(|| known.cmp(reader)))
    }

    fn named_so(&self, name: &OsStr) -> impl Iterator<Item = &(OsString, Reader)> {
        let first = self.named.partition_point(|(other, _)| **other < *name);
        self.named[first..].iter().take_while(move |(other, _)| **other == *name)
    }
}
