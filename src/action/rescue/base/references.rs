//! Hidden references: their names, their list, and how one is created when another reference is in the way. It
//! must not change a reference that is not closeout's.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use crate::action::clock;
use crate::action::rescue::base::{RescueError, git_files, ref_files};
use crate::git::{Git, GitError, Repository, Stdin, commit_id, line, succeeded};
use crate::model::{CommitId, RecordNotice, RecordRef};
use crate::process::{End, Output};

/// A hidden reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// Its full name.
    pub(crate) name: String,
    /// The commit that it points to.
    pub(crate) id: CommitId,
}

/// The name of a record's reference.
pub(crate) fn of_record(key: &str, id: &str) -> RecordRef {
    format!("refs/closeout/rescue/{key}/{id}").into()
}

/// Whether a record can have this name: the usual one, or the one with an alternative top folder.
pub(crate) fn is_of_record(name: &str) -> bool {
    key_of(name).is_some()
}

/// The key of the worktree that a record's reference belongs to.
pub(crate) fn key_of(name: &str) -> Option<&str> {
    let (key, id) = below(name)?.strip_prefix("rescue/")?.split_once('/')?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_hex(key) && is_id).then_some(key)
}

/// Whether a reference is of closeout's and keeps no commits: where it has not the name of a record, somebody else made it.
pub(crate) fn is_listed(name: &str) -> bool {
    below(name).is_some() && pin_of(name).is_none()
}

/// The rest of a name below closeout's folder, or below an alternative one.
fn below(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("refs/closeout")?;
    let (top, below) = rest.split_once('/').unwrap_or((rest, ""));
    let digits = top.strip_prefix('-');
    let is_top = top.is_empty() || digits.is_some_and(|digits| is_hex(digits) && digits.len() == 8);
    is_top.then_some(below)
}

/// The folder, the key and the last part of the name of a reference that keeps commits.
fn pin_of(name: &str) -> Option<(&str, &str, &str)> {
    let (folder, rest) = below(name)?.split_once('/')?;
    let (key, id) = rest.split_once('/')?;
    (PinnedAs::FOLDERS.contains(&folder) && is_hex(key) && !id.contains('/')).then_some((folder, key, id))
}

/// The key of the worktree and the id of the move of a reference that keeps commits as [`PinnedAs::Kept`].
pub(crate) fn kept_of(name: &str) -> Option<(&str, &str)> {
    let (_, key, id) = pin_of(name).filter(|(folder, ..)| *folder == "kept")?;
    let id = id.split_once('-').filter(|(n, _)| n.parse::<u16>().is_ok()).map_or(id, |(_, id)| id);
    Some((key, id))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Creates the hidden reference `name` at `commit`; it must not exist.
pub(crate) fn make(git: &Git<'_>, name: &str, commit: CommitId) -> Result<(), RescueError> {
    change(git, name, None, Some(commit))
}

/// Changes a hidden reference from one id to another; `None` is one that does not exist.
fn change(
    git: &Git<'_>,
    name: &str,
    from: Option<CommitId>,
    to: Option<CommitId>,
) -> Result<(), RescueError> {
    if git.repo.has_ref_files() {
        return ref_files::change(git, name, from, to);
    }
    let from = git.repo.format.or_zero(from);
    let args = match to {
        Some(to) => ["--no-deref", name, &to.to_string(), &from],
        None => ["--no-deref", "-d", name, &from],
    };
    succeeded("update-ref", update_ref(git, &args)?)?;
    Ok(())
}

/// Creates `refs/closeout/<below>` at `commit`, or one with an alternative top folder if another reference is
/// in the way. Returns the name used.
pub(crate) fn make_or_other(
    git: &Git<'_>,
    below: &str,
    commit: CommitId,
) -> Result<(String, Option<RecordNotice>), RescueError> {
    let name = format!("refs/closeout/{below}");
    let Err(error) = make(git, &name, commit) else { return Ok((name, None)) };
    let Some(taken) = in_the_way(git, &name)? else { return Err(error) };
    let name = other_name(below);
    make(git, &name, commit)?;
    Ok((name, Some(RecordNotice::OtherName { taken })))
}

/// The name used if a reference is in the way of the usual one. Its digits are the end of the id.
fn other_name(below: &str) -> String {
    let digits = &below[below.len().saturating_sub(8)..];
    format!("refs/closeout-{digits}/{below}")
}

/// The two names that a record planned as `usual` can have.
pub(crate) fn names_of(usual: &str) -> [String; 2] {
    [usual.to_owned(), other_name(usual.strip_prefix("refs/closeout/").unwrap_or(usual))]
}

/// Under which name a commit is pinned.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PinnedAs {
    /// As a rescue's own, by which it is recognised.
    Visible,
    /// As one that closeout did not make.
    Kept,
}

impl PinnedAs {
    /// The folder of each.
    const FOLDERS: [&str; 2] = ["visible", "kept"];
}

/// Keeps commits whatever happens to their branch. The last commit's reference is named after the move; each earlier one
/// has a number in front.
pub(crate) fn pin(
    git: &Git<'_>,
    pinned_as: PinnedAs,
    key: &str,
    id: &str,
    commits: &[CommitId],
) -> Result<Vec<Hidden>, RescueError> {
    let [visible, kept] = PinnedAs::FOLDERS;
    let folder = match pinned_as {
        PinnedAs::Visible => visible,
        PinnedAs::Kept => kept,
    };
    let pinned = commits.iter().rev().enumerate().map(|(n, commit)| {
        let name = if n == 0 { id.to_owned() } else { format!("{n}-{id}") };
        let (name, _) = make_or_other(git, &format!("{folder}/{key}/{name}"), *commit)?;
        Ok(Hidden { name, id: *commit })
    });
    pinned.collect()
}

/// What is pinned for these moves.
pub(crate) fn pinned(git: &Git<'_>, key: &str, moves: &[String]) -> Result<Vec<Hidden>, RescueError> {
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    let usual = PinnedAs::FOLDERS.map(|folder| format!("refs/closeout/{folder}/{key}"));
    let others = PinnedAs::FOLDERS.map(|folder| format!("refs/closeout-*/{folder}/{key}/*"));
    let is_of_one = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or_default();
        moves.iter().any(|id| match name.strip_suffix(&**id) {
            Some("") => true,
            Some(n) => n.strip_suffix('-').is_some_and(|n| n.parse::<usize>().is_ok()),
            None => false,
        })
    };
    let mut all = listed(git, usual.iter().chain(&others))?;
    all.retain(|hidden| is_of_one(&hidden.name));
    Ok(all)
}

/// A reference whose name is a parent path of `name`, so that the two cannot coexist.
pub(crate) fn in_the_way(git: &Git<'_>, name: &str) -> Result<Option<String>, RescueError> {
    let ends = name.match_indices('/').map(|(end, _)| end);
    // `refs` alone is not a reference.
    for end in ends.skip(1) {
        let output =
            git.real(["rev-parse", "-q", "--verify", "--end-of-options", &name[..end]], Stdin::Lock)?;
        if output.is_success() {
            return Ok(Some(name[..end].to_owned()));
        }
    }
    Ok(None)
}

/// All hidden references of records in the repository, from every worktree, and those among them that somebody else made.
pub(crate) fn list(git: &Git<'_>) -> Result<Vec<Hidden>, RescueError> {
    let mut all = listed(git, ["refs/closeout", "refs/closeout-*/**"])?;
    all.retain(|hidden| is_listed(&hidden.name));
    Ok(all)
}

/// All that keep commits as [`PinnedAs::Kept`], from every worktree.
pub(crate) fn kept(git: &Git<'_>) -> Result<Vec<Hidden>, RescueError> {
    let mut all = listed(git, ["refs/closeout/kept", "refs/closeout-*/kept/**"])?;
    all.retain(|hidden| kept_of(&hidden.name).is_some());
    Ok(all)
}

fn listed(
    git: &Git<'_>,
    patterns: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Vec<Hidden>, RescueError> {
    let mut args = ["for-each-ref", "--format=%(objectname) %(refname)"].map(str::to_owned).to_vec();
    args.extend(patterns.into_iter().map(|pattern| pattern.as_ref().to_owned()));
    let lines = git.lines(args)?;
    let hidden = lines.iter().filter_map(|text| text.split_once(' '));
    Ok(hidden.filter_map(|(id, name)| Some(Hidden { name: name.to_owned(), id: id.parse().ok()? })).collect())
}

/// Moves a reference of ours from its current value (`None`: absent) back to `to`.
pub(crate) fn put_back(
    git: &Git<'_>,
    name: &str,
    from: Option<CommitId>,
    to: CommitId,
) -> Result<(), RescueError> {
    change(git, name, from, Some(to))
}

/// Removes a reference of ours that points to `id`.
pub(crate) fn remove(git: &Git<'_>, name: &str, id: CommitId) -> Result<(), RescueError> {
    change(git, name, Some(id), None)
}

/// The commit that a reference points to; `None` if it does not exist.
///
/// # Errors
/// Git cannot tell: then nothing may be concluded from the reference.
pub(crate) fn at(git: &Git<'_>, name: &str) -> Result<Option<CommitId>, RescueError> {
    let output = git.real(["rev-parse", "-q", "--verify", "--end-of-options", name], Stdin::Lock)?;
    if output.end == End::Code(1) {
        return Ok(None);
    }
    Ok(Some(commit_id("rev-parse", &line(&succeeded("rev-parse", output)?))?))
}

/// By how much the time of a file can be before that of the clock: the kernel's own advances in steps.
const TICK: Duration = Duration::from_millis(20);

/// Runs `git update-ref` with these arguments. If git is killed, its locks are removed.
pub(crate) fn update_ref(git: &Git<'_>, args: &[&str]) -> Result<Output, GitError> {
    let (before, begun) = (locks(git.repo, args), clock::since_epoch());
    let output = git.real(["update-ref"].iter().chain(args), Stdin::Lock);
    if matches!(output, Err(GitError::Failed { .. } | GitError::TimedOut { .. } | GitError::Cancelled)) {
        for lock in locks(git.repo, args).difference(&before) {
            if is_since(lock, begun) && !is_open(lock) {
                // A lock that cannot be removed is named to the person by the next action.
                let _ = git_files::remove(git.repo, lock);
            }
        }
    }
    output
}

/// A lock that keeps git from a call of `update-ref` with these arguments.
pub(crate) fn lock_in_the_way(repo: &Repository, args: &[&str]) -> Option<PathBuf> {
    locks(repo, args).pop_first()
}

/// The locks that are there now and that such a call can have taken.
fn locks(repo: &Repository, args: &[&str]) -> BTreeSet<PathBuf> {
    let names = args.iter().filter(|arg| arg.starts_with("refs/")).map(|name| format!("{name}.lock"));
    let mut found: BTreeSet<PathBuf> = names
        // Whoever holds the lock writes the new list beside the old one; one that is left stops every git.
        .chain(["packed-refs.new".to_owned(), "packed-refs.lock".to_owned()])
        .map(|name| repo.common_dir.join(name))
        .chain([repo.git_dir.join("HEAD.lock")])
        .collect();
    for tables in [repo.common_dir.join("reftable"), repo.git_dir.join("reftable")] {
        let names = fs::read_dir(tables).into_iter().flatten().flatten().map(|entry| entry.path());
        found.extend(names.filter(|path| path.extension().is_some_and(|end| end == "lock")));
    }
    found.retain(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    found
}

/// Whether the file was created at this time or later.
fn is_since(path: &Path, time: Duration) -> bool {
    let Ok(metadata) = path.symlink_metadata() else { return false };
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
    Duration::new(seconds, nanoseconds) + TICK >= time
}

/// Whether a process has the file open, or a git process of another user may have.
fn is_open(path: &Path) -> bool {
    let Ok(wanted) = path.symlink_metadata() else { return true };
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    processes.flatten().any(|process| {
        let files = match fs::read_dir(process.path().join("fd")) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                return name.starts_with("git");
            }
            // No process, or one that has ended.
            Err(_) => return false,
        };
        let is_it = |file: fs::DirEntry| {
            file.path().metadata().is_ok_and(|it| (it.dev(), it.ino()) == (wanted.dev(), wanted.ino()))
        };
        files.flatten().any(is_it)
    })
}
