//! The reader for ordinary repositories: libgit2, in this process. It runs no code of the repository and writes
//! nothing; a handle lives for one collection only.
//!
//! It cannot read reftable and SHA-256 repositories, and would hang for ever on a FIFO deep in the work tree:
//! the engine then abandons the read and uses the git program from then on.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{DiffOptions, ErrorCode, Oid, Sort};

use super::commit_paths;
use super::handle::{Handle, Sibling};
use super::libgit2::{delta_kind, id_of, libgit2_trouble, oid, staged_kind};
use super::reader::{Commit, Compared, Entry, Ref, Repo, TreeId, is_rescue, join};
use crate::git::{self, Gitlink, Gitlinks, LogEntry, Read, Repository, trouble};
use crate::model::{ChangeKind, CommitId, GitReader, Head, ReadProblem};

/// At most this many commits per side are compared by their changes.
pub(super) const EQUIVALENCE_LIMIT: usize = 500;
/// Flag of an index entry that was only announced (`git add -N`).
const INTENT_TO_ADD: u16 = 1 << 13;
/// Flag of an index entry whose file is deliberately not checked out.
const SKIP_WORKTREE: u16 = 1 << 14;

/// The mode of a symbolic link in a tree (git's data model).
const SYMLINK: i32 = 0o120_000;

pub(super) struct InProcess<'a> {
    repository: &'a Repository,
    handle: Handle,
}

impl<'a> InProcess<'a> {
    /// Opens the repository. `Readers` decides by the error whether the git program reads it instead.
    pub(super) fn open(
        repository: &'a Repository,
        home: Option<&'a Path>,
        sibling: Option<&Sibling>,
    ) -> Result<InProcess<'a>, git2::Error> {
        let handle = Handle::open(repository, home, sibling)?;
        Ok(InProcess { repository, handle })
    }

    /// Reuses a handle opened earlier in this collection.
    pub(super) fn over(repository: &'a Repository, handle: Handle) -> InProcess<'a> {
        InProcess { repository, handle }
    }

    /// The handle, for reuse in the same collection.
    pub(super) fn into_handle(self) -> Handle {
        self.handle
    }

    /// Runs `read` with a handle that has references.
    fn with_refs<T>(
        &self,
        read: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T, git2::Error> {
        if self.handle.has_refs {
            read(&self.handle.repo)
        } else {
            read(&Handle::open_whole(self.repository, self.handle.home())?.repo)
        }
    }

    fn commit(&self, oid: Oid) -> Result<Commit, git2::Error> {
        let commit = self.handle.objects().find_commit(oid)?;
        Ok(Commit {
            id: id_of(oid)?,
            tree: commit.tree_id().to_string(),
            parents: commit.parent_ids().map(id_of).collect::<Result<_, _>>()?,
            time: commit.time().seconds(),
            authored: commit.author().when().seconds(),
            subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned(),
            is_rescue: is_rescue(commit.message_bytes()),
        })
    }

    /// The patch id, equal for commits that make the same change; `None` for merges and empty commits.
    fn change_of(&self, commit: &Commit) -> Result<Option<Oid>, git2::Error> {
        if commit.parents.len() > 1 {
            return Ok(None);
        }
        let tree = self.handle.repo.find_tree(Oid::from_str(&commit.tree)?)?;
        let before = match commit.parents.first() {
            Some(parent) => Some(self.handle.repo.find_commit(oid(*parent)?)?.tree()?),
            None => None,
        };
        let diff = self.handle.repo.diff_tree_to_tree(before.as_ref(), Some(&tree), None)?;
        if diff.deltas().len() == 0 { Ok(None) } else { diff.patchid(None).map(Some) }
    }

    fn walk_oids(&self, from: &[CommitId], hide: &[CommitId], limit: usize) -> Result<Vec<Oid>, git2::Error> {
        let mut walk = self.handle.objects().revwalk()?;
        walk.set_sorting(Sort::TIME)?;
        for id in from {
            walk.push(oid(*id)?)?;
        }
        for id in hide {
            walk.hide(oid(*id)?)?;
        }
        walk.take(limit).collect()
    }

    /// How the index differs from the tree of HEAD.
    fn staged(&self, tree: Option<&git2::Tree<'_>>) -> Result<Vec<Entry>, git2::Error> {
        let mut options = DiffOptions::new();
        options.include_typechange(true);
        let index = self.handle.repo.index()?;
        let diff = self.handle.repo.diff_tree_to_index(tree, Some(&index), Some(&mut options))?;
        let entry = |delta: git2::DiffDelta<'_>| {
            let path = delta.new_file().path_bytes()?.to_vec();
            Some(Entry { path, staged: Some(staged_kind(delta.status())?), unstaged: None })
        };
        Ok(diff.deltas().filter_map(entry).collect())
    }

    /// libgit2's own status would look for HEAD and the index once more, and so could compare those of another moment.
    fn statuses(&self, of: &Compared<'_>) -> Result<Vec<Entry>, git2::Error> {
        let mut options = DiffOptions::new();
        // libgit2 would enter submodules according to settings that the agent can write (`ignore`), and block
        // on a named pipe there.
        options.include_untracked(true).ignore_submodules(!of.gitlinks.is_empty());
        let mut entries = self.unstaged(&mut options)?;
        // In a conflict over a submodule, libgit2 takes the folder for an untracked repository.
        entries.retain(|entry| {
            let is_link = |link: &Gitlink| entry.path.strip_suffix(b"/") == Some(link.path.as_slice());
            entry.unstaged != Some(ChangeKind::Untracked) || !of.gitlinks.iter().any(is_link)
        });
        let tree = tree_of(self.handle.objects(), of.head)?;
        let is_of_head = tree.is_some_and(|tree| of.index_tree == Some(&*tree.id().to_string()));
        // The cached tree was read after libgit2's index, which may have been replaced in between.
        if !is_of_head || !self.handle.index.still_holds() {
            entries.extend(self.staged(tree_of(&self.handle.repo, of.head)?.as_ref())?);
            join(&mut entries);
        }
        self.follow_marks(&mut entries)?;
        Ok(entries)
    }

    /// How the work tree differs from the index as it was when it was first needed in this collection. A status would
    /// read HEAD and look at the index once more.
    fn unstaged(&self, options: &mut DiffOptions) -> Result<Vec<Entry>, git2::Error> {
        options.include_typechange(true);
        let diff = self.handle.repo.diff_index_to_workdir(Some(&self.handle.repo.index()?), Some(options))?;
        let entry = |delta: git2::DiffDelta<'_>| {
            let path = delta.old_file().path_bytes()?.to_vec();
            Some(Entry { path, staged: None, unstaged: Some(delta_kind(delta.status())?) })
        };
        Ok(diff.deltas().filter_map(entry).collect())
    }

    /// Corrects index flags that libgit2 treats differently from git: `git add -N` stages nothing, and a file
    /// that is deliberately not checked out is not deleted.
    fn follow_marks(&self, entries: &mut Vec<Entry>) -> Result<(), git2::Error> {
        use std::os::unix::ffi::OsStrExt as _;
        let is_doubtful = |entry: &Entry| {
            entry.staged == Some(ChangeKind::Added) || entry.unstaged == Some(ChangeKind::Deleted)
        };
        if !entries.iter().any(is_doubtful) {
            return Ok(());
        }
        let index = self.handle.repo.index()?;
        for entry in entries.iter_mut().filter(|entry| is_doubtful(entry)) {
            let path = Path::new(std::ffi::OsStr::from_bytes(&entry.path));
            let marks = index.get_path(path, 0).map(|found| found.flags_extended).unwrap_or_default();
            let is_deleted = entry.unstaged == Some(ChangeKind::Deleted);
            if marks & SKIP_WORKTREE != 0 && is_deleted {
                entry.unstaged = None;
            }
            if marks & INTENT_TO_ADD != 0 && entry.staged == Some(ChangeKind::Added) {
                entry.staged = None;
                entry.unstaged = Some(if is_deleted { ChangeKind::Deleted } else { ChangeKind::Added });
            }
        }
        entries.retain(|entry| entry.staged.is_some() || entry.unstaged.is_some());
        Ok(())
    }
}

/// The tree of HEAD; `None` if it has no commit yet. libgit2 itself would treat a HEAD whose commit or tree is missing
/// like no HEAD at all.
fn tree_of(
    objects: &git2::Repository,
    head: Option<CommitId>,
) -> Result<Option<git2::Tree<'_>>, git2::Error> {
    head.map(|commit| objects.find_commit(oid(commit)?)?.tree()).transpose()
}

impl Repo for InProcess<'_> {
    fn reader(&self) -> GitReader {
        GitReader::InProcess
    }

    fn head(&self) -> Read<Head> {
        git::head(self.repository)
    }

    fn reflog(&self, name: &str) -> Read<Vec<LogEntry>> {
        git::reflog(self.repository, name)
    }

    fn resolve(&self, rev: &str) -> Read<Option<CommitId>> {
        let peeled = |repo: &git2::Repository| {
            let object = repo.revparse_single(rev)?;
            object.peel_to_commit().ok().map(|commit| id_of(commit.id())).transpose()
        };
        match self.with_refs(peeled) {
            Ok(found) => Ok(found),
            Err(error)
                if matches!(
                    error.code(),
                    ErrorCode::NotFound | ErrorCode::InvalidSpec | ErrorCode::Ambiguous | ErrorCode::Invalid
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(libgit2_trouble(self.repository, &error)),
        }
    }

    fn commits(&self, ids: &[CommitId]) -> Read<Vec<Option<Commit>>> {
        ids.iter()
            .map(|id| match oid(*id).and_then(|oid| self.commit(oid)) {
                Ok(commit) => Ok(Some(commit)),
                Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::Invalid) => Ok(None),
                Err(error) if error.class() == git2::ErrorClass::Invalid => Ok(None),
                Err(error) => Err(libgit2_trouble(self.repository, &error)),
            })
            .collect()
    }

    fn file(&self, commit: CommitId, path: &str, most: usize) -> Read<Option<Vec<u8>>> {
        let read = || {
            let tree = self.handle.objects().find_commit(oid(commit)?)?.tree()?;
            let entry = match tree.get_path(Path::new(path)) {
                Ok(entry) => entry,
                Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let is_file = entry.kind() == Some(git2::ObjectType::Blob) && entry.filemode() != SYMLINK;
            // The size is checked first, so that an oversized blob is never loaded.
            if !is_file || self.handle.objects().odb()?.read_header(entry.id())?.0 > most {
                return Ok(None);
            }
            Ok(Some(self.handle.objects().find_blob(entry.id())?.content().to_vec()))
        };
        read().map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn trees(&self, root: &TreeId, folders: &[Vec<u8>]) -> Read<Vec<Option<Vec<u8>>>> {
        let read = |folder: &Vec<u8>| {
            let mut id = git2::Oid::from_str(root)?;
            if !folder.is_empty() {
                let entry =
                    self.handle.objects().find_tree(id)?.get_path(Path::new(OsStr::from_bytes(folder)))?;
                id = entry.id();
            }
            let odb = self.handle.objects().odb()?;
            let object = odb.read(id)?;
            Ok::<_, git2::Error>((object.kind() == git2::ObjectType::Tree).then(|| object.data().to_vec()))
        };
        let read = |folder| match read(folder) {
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(libgit2_trouble(self.repository, &error)),
            Ok(found) => Ok(found),
        };
        folders.iter().map(read).collect()
    }

    fn walk(&self, from: &[CommitId], hide: &[CommitId], limit: usize) -> Read<Vec<Commit>> {
        self.walk_oids(from, hide, limit)
            .and_then(|oids| oids.into_iter().map(|oid| self.commit(oid)).collect())
            .map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn ahead_behind(&self, head: CommitId, other: CommitId) -> Read<(u32, u32)> {
        let counts = || self.handle.objects().graph_ahead_behind(oid(head)?, oid(other)?);
        let (ahead, behind) = counts().map_err(|error| libgit2_trouble(self.repository, &error))?;
        Ok((u32::try_from(ahead).unwrap_or(u32::MAX), u32::try_from(behind).unwrap_or(u32::MAX)))
    }

    fn merge_base(&self, one: CommitId, two: CommitId) -> Read<Option<CommitId>> {
        let base = || id_of(self.handle.objects().merge_base(oid(one)?, oid(two)?)?);
        match base() {
            Ok(base) => Ok(Some(base)),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(libgit2_trouble(self.repository, &error)),
        }
    }

    fn refs(&self, names: &[&str]) -> Read<Vec<Ref>> {
        let mut found = Vec::new();
        for (name, text) in git::stored_refs(self.repository, names)? {
            let target = text.strip_prefix("ref:").map(|target| target.trim_ascii().to_owned());
            let leads_to = match &target {
                Some(target) => git::find_ref(self.repository, target).ok().flatten().map(oid),
                None => Some(Oid::from_str(&text)),
            };
            match leads_to {
                Some(Ok(id)) => {
                    let object = self.handle.objects().find_object(id, None);
                    if let Ok(commit) = object.and_then(|object| id_of(object.peel_to_commit()?.id())) {
                        found.push(Ref { name, commit, target });
                    }
                }
                Some(Err(_)) if names.contains(&name.as_str()) => return Err(git::damaged_ref(&name)),
                Some(Err(_)) | None => {}
            }
        }
        Ok(found)
    }

    fn equivalents(&self, head: CommitId, base: CommitId) -> Read<HashSet<CommitId>> {
        let (head, base) = ([head], [base]);
        let theirs = self.walk(&base, &head, EQUIVALENCE_LIMIT)?;
        let ours = self.walk(&head, &base, EQUIVALENCE_LIMIT)?;
        let compare = || -> Result<HashSet<CommitId>, git2::Error> {
            let mut changes = HashSet::new();
            for commit in &theirs {
                changes.extend(self.change_of(commit)?);
            }
            let mut same = HashSet::new();
            for commit in ours {
                if self.change_of(&commit)?.is_some_and(|change| changes.contains(&change)) {
                    same.insert(commit.id);
                }
            }
            Ok(same)
        };
        compare().map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn paths(&self, commit: &Commit) -> Read<Vec<Vec<u8>>> {
        commit_paths::changed(self.handle.objects(), commit)
            .map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn upstream(&self, name: &str) -> Read<Option<String>> {
        let Ok(upstream) = self.handle.repo.branch_upstream_name(&format!("refs/heads/{name}")) else {
            return Ok(None);
        };
        let upstream = upstream.as_str().unwrap_or_default().to_owned();
        let exists =
            !upstream.is_empty() && git::find_ref(self.repository, &upstream).is_ok_and(|id| id.is_some());
        Ok(exists.then_some(upstream))
    }

    fn gitlinks(&self, of_file: Gitlinks) -> Read<Vec<Gitlink>> {
        match of_file {
            Gitlinks::Listed(gitlinks) => Ok(gitlinks),
            Gitlinks::Elsewhere => Err(trouble(ReadProblem::Unsupported, "a split or very large index")),
        }
    }

    fn status(&self, of: &Compared<'_>) -> Read<Vec<Entry>> {
        self.statuses(of).map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn are_ignored(&self, paths: &[&str]) -> Read<Vec<bool>> {
        let is_ignored = |path: &&str| {
            let repo = &self.handle.repo;
            // The index, which may be large, is read for those alone that a rule names.
            Ok(repo.is_path_ignored(path)? && repo.index()?.get_path(Path::new(path), 0).is_none())
        };
        let found: Result<Vec<bool>, git2::Error> = paths.iter().map(is_ignored).collect();
        found.map_err(|error| libgit2_trouble(self.repository, &error))
    }

    fn untracked_below(&self, folder: &[u8]) -> Read<Vec<Vec<u8>>> {
        let mut options = DiffOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true);
        options.disable_pathspec_match(true).pathspec(folder);
        let entries =
            self.unstaged(&mut options).map_err(|error| libgit2_trouble(self.repository, &error))?;
        let is_below =
            |entry: &Entry| entry.unstaged == Some(ChangeKind::Untracked) && entry.path.starts_with(folder);
        Ok(entries.into_iter().filter(is_below).map(|entry| entry.path).collect())
    }
}
