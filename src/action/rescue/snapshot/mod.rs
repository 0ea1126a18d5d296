//! Writes the objects of a record: blobs, trees and commits in one pack, verified in full against what was read.
//! `record` makes the hidden reference. It must not remove or move anything.

mod packed_before;
pub(super) mod unchanged;
pub(super) mod verify;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::action::clock;
use crate::action::rescue::base::{RescueError, Settings, names, settings, whole_file};
use crate::action::rescue::ref_transaction::kept_index;
use crate::action::rescue::survey::listing::{self, digest};
use crate::action::rescue::survey::spool::quoted;
use crate::action::rescue::survey::{Spool, Survey, Tree, TreeEntry, nested};
use crate::action::rescue::visible::{Attributes, Staging, Trusted, conversion};
use crate::git::{
    self, Git, IndexEntry, ObjectFormat, Repository, Shadow, Stdin, commit_id, line, succeeded,
};
use crate::model::{CommitId, Gap};

pub(super) use unchanged::Unchanged;

/// Author and committer of every record.
const IDENTITY: &str = "closeout <closeout@localhost>";
/// Files that mark a git operation in progress; a folder stands for its files.
const STATE_FILES: [&str; 14] = [
    "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD",
    "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "AUTO_MERGE", "rebase-merge", "rebase-apply", "sequencer",
];
/// The largest such state file that is kept, in bytes.
const STATE_CAP: u64 = 16 << 20;

/// Everything a record consists of, before it is written.
pub(crate) struct Draft {
    /// The tree of the work tree.
    pub(crate) snapshot: Tree,
    /// The tree of the index, its stages, git's state and the facts.
    pub(crate) record: Tree,
    /// The size in bytes of each blob that was read, by object id.
    pub(crate) sizes: BTreeMap<String, u64>,
    /// What could not be recorded.
    pub(crate) gaps: Vec<Gap>,
    /// The mark or object id by which the commit commands refer to each blob.
    references: BTreeMap<String, String>,
}

/// The two commits of a record.
pub(crate) struct Commits {
    /// The commit of the work tree.
    pub(crate) snapshot: CommitId,
    /// The commit of the index and the facts.
    pub(crate) record: CommitId,
}

impl Commits {
    /// What names them for git.
    pub(crate) fn names(&self) -> [String; 2] {
        [self.snapshot, self.record].map(|id| id.to_string())
    }
}

/// Assembles the two trees of a record.
pub(crate) fn draft(
    git: &Git<'_>,
    shadow: &Shadow,
    survey: &Survey,
    spool: &mut Spool,
) -> Result<Draft, RescueError> {
    let mut draft = Draft {
        snapshot: work_tree(survey),
        record: Tree::new(),
        sizes: BTreeMap::new(),
        gaps: survey.gaps.clone(),
        references: BTreeMap::new(),
    };
    let mut refused = Vec::new();
    for (path, blob) in &survey.blobs {
        let entry = TreeEntry { mode: blob.stamp.git_mode().to_owned(), id: blob.id.clone() };
        draft.sizes.insert(blob.id.clone(), blob.size);
        draft.references.entry(blob.id.clone()).or_insert_with(|| format!(":{}", blob.place.mark));
        if names::is_refused(path, &entry.mode) {
            let n = refused.len();
            refused.push(json!({ "n": n, "path": names::hex(path), "mode": entry.mode }));
            draft.record.insert(format!("x/{n}").into_bytes(), entry);
        }
    }
    draft.add_stages(git, shadow, survey)?;
    if survey.entries.iter().any(IndexEntry::is_intent) {
        // The index names it, and no commit does: without the record, a garbage collection between a rescue and its undo
        // deletes it.
        draft.add(git.repo.format, spool, b"intended", b"")?;
    }
    if let Some(raw) = &shadow.raw_index {
        draft.add(git.repo.format, spool, b"index", &raw.bytes)?;
        for (name, bytes) in kept_index::parts(&shadow.git_dir, &raw.bytes)? {
            draft.add(git.repo.format, spool, name.as_bytes(), &bytes)?;
        }
    }
    draft.add_state(git, spool)?;
    let modified = shadow.raw_index.as_ref().and_then(|raw| {
        let since = raw.modified.duration_since(std::time::SystemTime::UNIX_EPOCH).ok()?;
        Some((since.as_secs(), since.subsec_nanos()))
    });
    let gaps: Vec<_> =
        draft.gaps.iter().map(|gap| json!({ "path": names::hex(&gap.path), "reason": gap.reason })).collect();
    let nested: Vec<_> = survey.nested.iter().map(|path| nested::facts(git.repo, path)).collect();
    let meta = json!({
        "version": 1,
        "branch": survey.head.branch,
        "head": survey.head.commit,
        "index_modified": modified,
        "index_digest": digest(&survey.entries),
        "is_settled": survey.is_settled,
        "gaps": gaps,
        "refused_names": refused,
        "nested": nested,
        "n_files": survey.blobs.len(),
        "n_bytes": survey.blobs.values().map(|blob| blob.size).sum::<u64>(),
    });
    draft.add(git.repo.format, spool, b"meta.json", meta.to_string().as_bytes())?;
    Ok(draft)
}

/// The tree of the work tree as it was read, without the names that git refuses.
pub(crate) fn work_tree(survey: &Survey) -> Tree {
    let mut tree = Tree::new();
    for (path, blob) in &survey.blobs {
        let mode = blob.stamp.git_mode();
        if !names::is_refused(path, mode) {
            tree.insert(path.clone(), TreeEntry { mode: mode.to_owned(), id: blob.id.clone() });
        }
    }
    for link in survey.entries.iter().filter(|entry| entry.is_gitlink() && entry.stage == 0) {
        // A submodule whose folder is gone or was replaced counts as absent.
        let is_folder = survey.nested.contains(&link.path) || link.is_flagged();
        let is_there = is_folder && !survey.blobs.contains_key(&link.path);
        let is_named = !link.is_intent() && !names::is_refused(&link.path, &link.mode);
        if is_there && is_named && !has_files_below(&survey.blobs, &link.path) {
            tree.insert(link.path.clone(), TreeEntry { mode: link.mode.clone(), id: link.id.clone() });
        }
    }
    tree
}

impl Draft {
    fn add(
        &mut self,
        format: ObjectFormat,
        spool: &mut Spool,
        path: &[u8],
        content: &[u8],
    ) -> Result<(), RescueError> {
        let Some(id) = format.id_of(content) else {
            let reason = "git's own file is made to have the SHA-1 of another content".to_owned();
            self.gaps.push(Gap { path: path.to_vec(), reason });
            return Ok(());
        };
        let mark = spool.blob(content)?.mark;
        self.sizes.insert(id.clone(), content.len() as u64);
        self.references.entry(id.clone()).or_insert_with(|| format!(":{mark}"));
        self.record.insert(path.to_vec(), TreeEntry { mode: "100644".to_owned(), id });
        Ok(())
    }

    /// Adds every stage of the index. Its objects are already in the repository or are reported as missing.
    fn add_stages(&mut self, git: &Git<'_>, shadow: &Shadow, survey: &Survey) -> Result<(), RescueError> {
        let mut ids: Vec<&str> = survey.entries.iter().map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let present = listing::present(git, shadow, &ids)?;
        let is_missing = |entry: &IndexEntry| !entry.is_gitlink() && !present.contains_key(&entry.id);
        let promised = if survey.entries.iter().any(is_missing) && settings::is_partial(git)? {
            survey.head.commit.and_then(|head| listing::tree(git, head).ok())
        } else {
            None
        };
        for entry in &survey.entries {
            if entry.is_intent() || names::is_refused(&entry.path, &entry.mode) {
                continue;
            }
            if is_missing(entry) {
                // In a partial clone: what the last commit has and only the server stores is not uncommitted
                // work.
                let is_as_committed =
                    |tree: &Tree| tree.get(&entry.path).is_some_and(|committed| committed.id == entry.id);
                if promised.as_ref().is_some_and(is_as_committed) {
                    continue;
                }
                let reason = "its staged content is missing from the repository".to_owned();
                self.gaps.push(Gap { path: entry.path.clone(), reason });
                continue;
            }
            let path = [format!("s{}/", entry.stage).as_bytes(), &entry.path].concat();
            self.references.entry(entry.id.clone()).or_insert_with(|| entry.id.clone());
            self.record.insert(path, TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() });
        }
        Ok(())
    }

    /// Adds the files that mark a git operation in progress. An unreadable one becomes a gap, not an error.
    fn add_state(&mut self, git: &Git<'_>, spool: &mut Spool) -> Result<(), RescueError> {
        for name in STATE_FILES {
            for file in state_files(git.repo, name) {
                match git::read(&git.repo.git_dir, &file, STATE_CAP) {
                    Ok(Some(content)) => {
                        let path = [b"state/", file.as_os_str().as_bytes()].concat();
                        self.add(git.repo.format, spool, &path, &content)?;
                    }
                    Ok(None) => {}
                    Err(unreadable) => {
                        let path = [b".git/", file.as_os_str().as_bytes()].concat();
                        let reason = format!("git's own note of what it does: {}", unreadable.detail);
                        self.gaps.push(Gap { path, reason });
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the fast-import commands for the two commits.
    fn commit_commands(&self, survey: &Survey, spool: &mut Spool) -> Result<(), RescueError> {
        let when = clock::since_epoch().as_secs();
        let (record, snapshot) = (spool.next_mark(), spool.next_mark());
        for (name, tree, mark) in [("record", &self.record, record), ("snapshot", &self.snapshot, snapshot)] {
            let message = format!("closeout: {name} of uncommitted work\n");
            spool.add(
                format!(
                    "commit refs/closeout/{name}\nmark :{mark}\ncommitter {IDENTITY} {when} +0000\ndata {}\n{message}\n",
                    message.len()
                )
                .as_bytes(),
            )?;
            // `merge` instead of `from`: `from` makes git load the tree of the last commit, which may be
            // damaged.
            if let Some(head) = &survey.head.commit {
                spool.add(format!("merge {head}\n").as_bytes())?;
            }
            if mark == snapshot {
                spool.add(format!("merge :{record}\n").as_bytes())?;
            }
            for (path, entry) in tree {
                let content = self.references.get(&entry.id).unwrap_or(&entry.id);
                spool.add(format!("M {} {content} ", entry.mode).as_bytes())?;
                spool.add(&quoted(path))?;
                spool.add(b"\n")?;
            }
            spool.add(b"\n")?;
        }
        // Makes git answer with the two commit ids.
        spool.add(format!("get-mark :{snapshot}\nget-mark :{record}\ndone\n").as_bytes())
    }
}

/// The file `name` in the git directory, or the files inside it if it is a folder; paths relative to the git
/// directory.
fn state_files(repo: &Repository, name: &str) -> Vec<PathBuf> {
    let path = repo.git_dir.join(name);
    let entries = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
        Ok(metadata) if metadata.is_dir() => whole_file::entries(&path),
        // Where nothing tells what it is, reading it becomes a gap.
        Ok(_) | Err(_) => return vec![PathBuf::from(name)],
    };
    // A folder that cannot be listed becomes a gap once it is read as a file.
    let Ok(entries) = entries else { return vec![PathBuf::from(name)] };
    let files = entries.into_iter().filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_dir()));
    files.map(|entry| Path::new(name).join(entry.file_name())).collect()
}

fn has_files_below<V>(blobs: &BTreeMap<Vec<u8>, V>, folder: &[u8]) -> bool {
    let prefix = [folder, b"/"].concat();
    blobs.range(prefix.clone()..).next().is_some_and(|(path, _)| path.starts_with(&prefix))
}

/// Imports the spooled objects as a pack in our own object directory. `head` is the tree of the last commit, if it can be
/// read.
pub(crate) fn import(
    git: &Git<'_>,
    shadow: &Shadow,
    survey: &Survey,
    draft: &Draft,
    (mut spool, head): (Spool, Option<&Tree>),
) -> Result<Commits, RescueError> {
    draft.commit_commands(survey, &mut spool)?;
    let file = Arc::new(spool.finish()?);
    let args = ["fast-import", "--quiet", "--done", "--force", "--date-format=raw"];
    let output = git.shadowed(shadow, args, Stdin::File(file))?;
    let made = line(&succeeded("fast-import", output)?);
    let Some((snapshot, record)) = made.split_once('\n') else {
        return Err(RescueError::Damage("the record was not made".to_owned()));
    };
    let commits =
        Commits { snapshot: commit_id("fast-import", snapshot)?, record: commit_id("fast-import", record)? };
    let ids = draft.sizes.keys().cloned().chain(commits.names());
    packed_before::pack_again(git, shadow, ids, [&draft.snapshot, &draft.record], head)?;
    Ok(commits)
}

/// Whether there is no uncommitted work. `unchanged` lists files that git would store as they are committed.
pub(crate) fn is_nothing(
    git: &Git<'_>,
    survey: &Survey,
    draft: &Draft,
    head: Option<&Tree>,
    unchanged: &BTreeSet<Vec<u8>>,
) -> bool {
    if survey.head.commit.is_none() {
        return survey.blobs.is_empty() && survey.entries.is_empty();
    }
    let Some(head) = head else { return false };
    let is_staged_same = survey.entries.len() == head.len()
        && survey.entries.iter().all(|entry| {
            entry.stage == 0
                && !entry.is_intent()
                && head.get(&entry.path).is_some_and(|it| it.mode == entry.mode && it.id == entry.id)
        });
    // Of a name that git refuses, neither the index nor the tree tells.
    let has_refused = draft.record.keys().any(|path| path.starts_with(b"x/"));
    if !is_staged_same || has_refused || !draft.gaps.is_empty() || git::operation_in_files(git.repo).is_some()
    {
        return false;
    }
    let differing = || {
        let all: BTreeSet<&Vec<u8>> = head.keys().chain(draft.snapshot.keys()).collect();
        all.into_iter().filter(|path| head.get(*path) != draft.snapshot.get(*path))
    };
    if differing().next().is_none() {
        return true;
    }
    let submodules = unchanged::submodules(git, survey, head);
    let is_in_one =
        |path: &[u8]| listing::folders(path).chain([path]).any(|folder| submodules.contains(folder));
    differing().all(|path| unchanged.contains(path) || is_in_one(path))
}

/// What was read of a repository: for a record and the visible commit that follows, and again before that commit.
pub(crate) struct Recorded {
    pub(crate) settings: Settings,
    /// The shadow in which it was read, with a copy of the index.
    pub(crate) shadow: Shadow,
    /// Ignore rules that git would wait for, in words: none were read then.
    pub(crate) hanging_rules: Option<String>,
    pub(crate) survey: Survey,
    /// The tree of the last commit, or why it could not be read before the record was made.
    pub(crate) head: Result<Tree, String>,
    /// Files that git considers unchanged, whatever their bytes on disk.
    pub(crate) unchanged: Unchanged,
    /// The recorded work tree.
    pub(crate) snapshot: Tree,
}

impl Recorded {
    /// The tree of the last commit. Where it could not be read, no path is in it, and no commit can follow.
    pub(crate) fn head_tree(&self) -> &Tree {
        static NO_PATHS: Tree = Tree::new();
        self.head.as_ref().unwrap_or(&NO_PATHS)
    }

    /// The attributes of these paths, or of all that differ from the last commit if they were read already.
    pub(crate) fn attributes<'p>(
        &self,
        git: &Git<'_>,
        paths: impl Iterator<Item = &'p [u8]>,
    ) -> Result<Cow<'_, Attributes>, RescueError> {
        match &self.unchanged.attributes {
            Some(attributes) => Ok(Cow::Borrowed(attributes)),
            None => Ok(Cow::Owned(conversion::attributes(git, &self.shadow, paths)?)),
        }
    }

    /// Stages what was read; filters run only if there are `programs`.
    pub(crate) fn staging<'a>(
        &'a self,
        git: &'a Git<'a>,
        attributes: &'a Attributes,
        programs: Option<Trusted<'a>>,
    ) -> Staging<'a> {
        let Recorded { shadow, settings, snapshot, .. } = self;
        Staging { git, shadow, settings, entries: &self.survey.entries, snapshot, attributes, programs }
    }
}
