//! Looks up what trees hold at given paths, without walking whole trees. Must not read the work tree.

use std::collections::{BTreeMap, HashMap};

use super::reader::{Commit, Repo, TreeId};
use crate::git::Read;
use crate::model::CommitId;

/// A tree: name to mode and id.
pub(super) type Tree = BTreeMap<Vec<u8>, (Vec<u8>, Vec<u8>)>;

/// At most this many trees are kept at a time.
const MAX_ROOTS: usize = 256;

/// What was read of some trees.
pub(super) struct TreeEntries<'r> {
    repo: &'r dyn Repo,
    /// The length of an object id in bytes.
    id_length: usize,
    /// By the id of the root, and then by folder.
    folders: HashMap<TreeId, HashMap<Vec<u8>, Tree>>,
}

impl<'r> TreeEntries<'r> {
    pub(super) fn new(repo: &'r dyn Repo, id_length: usize) -> TreeEntries<'r> {
        TreeEntries { repo, id_length, folders: HashMap::new() }
    }

    /// Whether the trees `one` and `other`, where `None` is an empty one, hold the same at `path`.
    pub(super) fn are_same(
        &mut self,
        one: Option<&TreeId>,
        other: Option<&TreeId>,
        path: &[u8],
    ) -> Read<bool> {
        Ok(one == other || self.entry(one, path)? == self.entry(other, path)?)
    }

    /// The paths of files that differ between the trees `one`, where `None` is an empty one, and `other`; `None` if
    /// there are more than `most`.
    pub(super) fn changed(
        &mut self,
        one: Option<&TreeId>,
        other: &TreeId,
        most: usize,
    ) -> Read<Option<Vec<Vec<u8>>>> {
        let mut changed = Vec::new();
        let mut folders = vec![Vec::new()];
        while let Some(folder) = folders.pop() {
            let before = one.map_or(Ok(Tree::new()), |one| self.folder(one, &folder))?;
            let after = self.folder(other, &folder)?;
            for name in before.keys().chain(after.keys().filter(|name| !before.contains_key(*name))) {
                let sides = [before.get(name), after.get(name)];
                if sides[0] == sides[1] {
                    continue;
                }
                let path = if folder.is_empty() {
                    name.clone()
                } else {
                    [folder.as_slice(), name.as_slice()].join(&b'/')
                };
                let is_folder = |side: &&(Vec<u8>, Vec<u8>)| side.0 == b"40000";
                if sides.iter().flatten().any(is_folder) {
                    folders.push(path.clone());
                }
                if sides.iter().flatten().any(|side| !is_folder(side)) {
                    changed.push(path);
                }
                if changed.len() > most || folders.len() > most {
                    return Ok(None);
                }
            }
        }
        Ok(Some(changed))
    }

    fn entry(&mut self, root: Option<&TreeId>, path: &[u8]) -> Read<Option<(Vec<u8>, Vec<u8>)>> {
        let Some(root) = root else { return Ok(None) };
        let (folder, name) = split(path);
        Ok(self.known(root, folder)?.get(name).cloned())
    }

    fn folder(&mut self, root: &TreeId, folder: &[u8]) -> Read<Tree> {
        self.known(root, folder).cloned()
    }

    fn known(&mut self, root: &TreeId, folder: &[u8]) -> Read<&Tree> {
        if self.folders.len() >= MAX_ROOTS && !self.folders.contains_key(root) {
            self.folders.clear();
        }
        let known = self.folders.entry(root.clone()).or_default();
        if !known.contains_key(folder) {
            let raw = self.repo.trees(root, &[folder.to_vec()])?.into_iter().next().flatten();
            let tree = raw.and_then(|raw| parse(&raw, self.id_length)).unwrap_or_default();
            known.insert(folder.to_vec(), tree);
        }
        Ok(known.entry(folder.to_vec()).or_default())
    }
}

/// The trees by commit: of the `walked` commits, and of those of the `others` that are there.
pub(super) fn trees_of(
    repo: &dyn Repo,
    walked: &[Commit],
    others: impl Iterator<Item = CommitId>,
) -> Read<HashMap<CommitId, TreeId>> {
    let mut trees: HashMap<CommitId, TreeId> =
        walked.iter().map(|commit| (commit.id, commit.tree.clone())).collect();
    let mut missing: Vec<CommitId> = others.filter(|id| !trees.contains_key(id)).collect();
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        let found = repo.commits(&missing)?;
        trees.extend(found.into_iter().flatten().map(|commit| (commit.id, commit.tree)));
    }
    Ok(trees)
}

/// Parses a tree object, a sequence of `mode name NUL id`; `None` if it is malformed.
pub(super) fn parse(raw: &[u8], id_length: usize) -> Option<Tree> {
    let mut tree = Tree::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let (head, behind) = rest.split_at_checked(rest.iter().position(|byte| *byte == 0)?)?;
        let (mode, name) = head.split_at_checked(head.iter().position(|byte| *byte == b' ')?)?;
        let (id, next) = behind.get(1..)?.split_at_checked(id_length)?;
        tree.insert(name.get(1..)?.to_vec(), (mode.to_vec(), id.to_vec()));
        rest = next;
    }
    Some(tree)
}

/// The folder and the name of a path.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}
