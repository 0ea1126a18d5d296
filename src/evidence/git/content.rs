//! Names the content of a work tree: the id of the tree that a commit of everything in it would have. Touching,
//! staging, committing, amending or rescuing the same content does not change its name.
//!
//! Computed in memory, within bounds: nothing is written, and no filter runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::hidden;
use super::not_work::NotWork;
use super::on_disk;
use super::reader::{Entry, Repo};
use super::tree_entries::{Tree, parse, split};
use crate::git::{Read, Repository};
use crate::model::{OnDisk, Timestamp, hex, stable_hash};

/// With more changed files or untracked folders, the name is made from sizes and times alone.
const MAX_FILES: usize = 2_000;
const MAX_FOLDERS: usize = 20;
/// At most this many bytes are read per look; files beyond that are named by size and time.
const MAX_BYTES: u64 = 64 << 20;
/// File systems set times from a coarse clock: a file that changed this shortly before the look is read again.
const YOUNG_MS: i64 = 2_000;

const FOLDER: &[u8] = b"40000";
const GITLINK: &[u8] = b"160000";

/// Content ids from the last look, so that an unchanged file is not read again.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents(HashMap<Vec<u8>, (OnDisk, Leaf)>);

/// A file's entry in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Leaf {
    mode: &'static [u8],
    id: String,
}

/// What is at a path.
enum Found {
    File(Leaf),
    Nothing,
    /// It could not be read.
    Unread,
}

/// One pass over the changed files: ids of what could be read; size and time of the rest.
struct Reading<'a> {
    repository: &'a Repository,
    before: &'a HashMap<Vec<u8>, (OnDisk, Leaf)>,
    known: HashMap<Vec<u8>, (OnDisk, Leaf)>,
    now: Timestamp,
    n_left: u64,
    unread: Vec<String>,
}

/// The name of the content. `root` is the tree of HEAD, `entries` is everything that differs from it, and
/// `paths` are the files in it (see [`paths`]). If there are too many, the name is made from sizes and times.
pub(super) fn name(
    repo: &dyn Repo,
    repository: &Repository,
    root: Option<&str>,
    (entries, paths): (&[Entry], Option<Vec<Vec<u8>>>),
    (contents, now): (&mut Contents, Timestamp),
) -> Read<Option<String>> {
    let root = root.unwrap_or(repository.format.empty_tree()).to_owned();
    let Some(paths) = paths else {
        let seen = entries.iter().map(|entry| (entry, on_disk::look(repository, &entry.path).map(times)));
        return Ok(Some(unread_name(&root, &format!("{:?}", seen.collect::<Vec<_>>()))));
    };
    if paths.is_empty() {
        contents.0.clear();
        return Ok(Some(root));
    }
    let known = HashMap::with_capacity(paths.len());
    let mut reading =
        Reading { repository, before: &contents.0, known, now, n_left: MAX_BYTES, unread: Vec::new() };
    let leaves: Vec<(Vec<u8>, Found)> =
        paths.into_iter().map(|path| (path.clone(), reading.find(&path))).collect();
    let Reading { known, unread, .. } = reading;
    contents.0 = known;
    let folders: BTreeSet<Vec<u8>> = leaves.iter().flat_map(|(path, _)| folders_above(path)).collect();
    let folders: Vec<Vec<u8>> = folders.into_iter().collect();
    let trees = repo.trees(&root, &folders)?;
    let id_length = repository.format.id_length();
    let mut trees: BTreeMap<Vec<u8>, Tree> = folders
        .into_iter()
        .zip(trees)
        .map(|(folder, raw)| (folder, raw.and_then(|raw| parse(&raw, id_length)).unwrap_or_default()))
        .collect();
    for (path, found) in leaves {
        let (folder, name) = split(&path);
        let Some(tree) = trees.get_mut(folder) else { continue };
        match found {
            Found::File(leaf) => {
                let id = hex::unhex(leaf.id.as_bytes()).unwrap_or_default();
                tree.insert(name.to_vec(), (leaf.mode.to_vec(), id));
            }
            Found::Nothing => drop(tree.remove(name)),
            Found::Unread => {}
        }
    }
    let tree = fold(repository, trees);
    Ok(tree.map(|tree| match unread.as_slice() {
        [] => tree,
        unread => unread_name(&tree, &unread.join("\n")),
    }))
}

fn unread_name(tree: &str, unread: &str) -> String {
    format!("{tree}+{:016x}", stable_hash(unread.as_bytes()))
}

fn times(seen: OnDisk) -> (Timestamp, u64) {
    (seen.modified_at, seen.size)
}

/// All files that differ, including those in untracked folders, without those that are not work. `None` if too many.
pub(super) fn paths(repo: &dyn Repo, entries: &[Entry], not_work: &NotWork) -> Read<Option<Vec<Vec<u8>>>> {
    let mut paths = Vec::new();
    let mut n_folders = 0;
    for entry in entries {
        if entry.path.ends_with(b"/") {
            n_folders += 1;
            if n_folders > MAX_FOLDERS {
                return Ok(None);
            }
            paths.extend(repo.untracked_below(&entry.path)?);
        } else {
            paths.push(entry.path.clone());
        }
        if paths.len() > MAX_FILES {
            return Ok(None);
        }
    }
    paths.retain(|path| !not_work.has(path));
    Ok(Some(paths))
}

impl Reading<'_> {
    fn find(&mut self, path: &[u8]) -> Found {
        let place = self.repository.top.join(OsStr::from_bytes(path));
        let Ok(metadata) = place.symlink_metadata() else { return Found::Nothing };
        let mode: &[u8] = match () {
            () if metadata.is_symlink() => b"120000",
            () if metadata.mode() & 0o100 != 0 => b"100755",
            () => b"100644",
        };
        let on_disk = on_disk::of(&metadata);
        let is_same = |(before, leaf): &&(OnDisk, Leaf)| *before == on_disk && leaf.mode == mode;
        let is_young = self.now.millis_since(on_disk.changed_at) < YOUNG_MS;
        let leaf = match self.before.get(path).filter(is_same).filter(|_| !is_young) {
            Some((_, leaf)) => Some(leaf.clone()),
            None if metadata.is_dir() || metadata.len() > self.n_left => None,
            None => {
                self.n_left -= metadata.len();
                let content = hidden::content(
                    &self.repository.top,
                    Path::new(OsStr::from_bytes(path)),
                    metadata.is_symlink(),
                );
                content
                    .ok()
                    .and_then(|content| self.repository.format.id_of(&content))
                    .map(|id| Leaf { mode, id })
            }
        };
        if let Some(leaf) = leaf {
            self.known.insert(path.to_vec(), (on_disk, leaf.clone()));
            return Found::File(leaf);
        }
        // A repository inside this one, or a file that is too large or unreadable.
        let seen = on_disk::look(self.repository, path).map(times);
        self.unread.push(format!("{} {seen:?}", String::from_utf8_lossy(path)));
        Found::Unread
    }
}

/// Puts each tree into its parent; returns the id of the root tree.
fn fold(repository: &Repository, mut trees: BTreeMap<Vec<u8>, Tree>) -> Option<String> {
    // A folder sorts before everything below it, so the last tree is always a leaf.
    while let Some((path, tree)) = trees.pop_last() {
        let id = repository.format.id_of_tree(&written(&tree))?;
        if path.is_empty() {
            return Some(id);
        }
        let (above, name) = split(&path);
        let above = trees.get_mut(above)?;
        // The files inside a submodule do not belong to this repository.
        let is_submodule = above.get(name).is_some_and(|(mode, _)| mode == GITLINK);
        if tree.is_empty() && !is_submodule {
            above.remove(name);
        } else if !is_submodule {
            above.insert(name.to_vec(), (FOLDER.to_vec(), hex::unhex(id.as_bytes())?));
        }
    }
    None
}

/// A tree as git stores it: sorted by name, where a folder's name counts as ending in a slash.
fn written(tree: &Tree) -> Vec<u8> {
    let mut entries: Vec<_> = tree.iter().collect();
    entries.sort_by_key(|(name, (mode, _))| {
        let end: &[u8] = if mode == FOLDER { b"/" } else { b"" };
        [name.as_slice(), end].concat()
    });
    entries
        .into_iter()
        .flat_map(|(name, (mode, id))| [mode, b" ".as_slice(), name, b"\0", id].concat())
        .collect()
}

/// The folders above a path, from the top (whose name is empty) downwards.
fn folders_above(path: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    std::iter::once(0).chain(slashes).map(|at| path[..at].to_vec())
}
