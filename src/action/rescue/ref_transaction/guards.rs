//! Tells, in words for whoever asks for an undo or a redo, why it cannot be made as things are.
//!
//! It must not change anything, and must not be all that is checked: the move itself looks again under its locks.

use crate::action::rescue::base::{Move, RescueError, references};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::kept_index::{kept, says_the_same};
use crate::action::rescue::ref_transaction::target;
use crate::action::rescue::survey::{SeenIndex, listing};
use crate::git::{Git, Shadow, Stdin, operation};
use crate::model::{CommitId, UndoDirection};

/// Checks that the branch and the index are as the last action left them, so that `moving` can turn it back.
///
/// # Errors
/// [`RescueError::Refused`] says what is otherwise and what can be done.
pub(crate) fn check(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    shadow: &Shadow,
    moving: &Move,
    way: UndoDirection,
) -> Result<(), RescueError> {
    if moving.is_branch_only {
        return check_branch_only(git, moving);
    }
    // Its files would look changed in the other worktree.
    if target::is_checked_out_twice(git, &moving.branch)? {
        return refused("the branch is checked out in another worktree too".to_owned());
    }
    let head = listing::head(git)?;
    if head.branch.as_ref() != Some(&moving.branch) {
        let here = head.branch.map_or_else(
            || "HEAD is on no branch".to_owned(),
            |branch| format!("the branch {} is checked out here", branch.short()),
        );
        let branch = moving.branch.short();
        return refused(format!("{here}, and not {branch}: `git switch {branch}` first"));
    }
    let at = references::at(git, moving.branch.as_str())?;
    if at != moving.from {
        return refused(moved(git, moving, way, at)?);
    }
    if let Some(begun) = operation(git)? {
        return refused(target::in_progress(begun));
    }
    let before = moving.index_before.as_ref().map(|index| kept(worktree, index)).transpose()?;
    let now = SeenIndex::read(&worktree.repo.index())?;
    if now.bytes() != before.as_ref().map(|raw| &raw.bytes[..])
        && !says_the_same(git, worktree, shadow, now.raw.as_ref(), moving)?
    {
        let since = match way {
            UndoDirection::Undo => "the rescue",
            UndoDirection::Redo => "the undo",
        };
        return refused(format!(
            "something was staged or unstaged since {since}: bring the index back (`git restore --staged FILE`) first"
        ));
    }
    Ok(())
}

/// Checks that a branch which is not checked out can be created or deleted.
///
/// # Errors
/// [`RescueError::Refused`] says why not.
pub(crate) fn check_branch_only(git: &Git<'_>, moving: &Move) -> Result<(), RescueError> {
    if references::at(git, moving.branch.as_str())? != moving.from {
        return refused("the branch moved since the rescue".to_owned());
    }
    // A worktree that has the branch checked out would be left without a commit.
    if moving.to.is_none() && target::n_checked_out(git, &moving.branch)? > 0 {
        return refused("the branch is checked out; switch to another one first".to_owned());
    }
    if moving.to.is_none()
        && let Some((begun, place)) = target::used_by(git.repo, &moving.branch)?
    {
        return refused(format!(
            "git {} of this branch is in progress in {place}; finish or abort it first",
            begun.label()
        ));
    }
    Ok(())
}

/// The upstream of the branch, if it has this commit: an undo takes nothing back there.
pub(crate) fn pushed_to(
    git: &Git<'_>,
    moving: &Move,
    newest: CommitId,
) -> Result<Option<String>, RescueError> {
    let upstream = git.lines(["for-each-ref", "--format=%(upstream)", moving.branch.as_str()])?;
    let Some(upstream) = upstream.into_iter().next().filter(|name| !name.is_empty()) else { return Ok(None) };
    let is_there = is_ancestor(git, newest, &upstream)?;
    let short = upstream.strip_prefix("refs/remotes/").or_else(|| upstream.strip_prefix("refs/heads/"));
    Ok(is_there.then(|| short.unwrap_or(&upstream).to_owned()))
}

/// What became of the branch, and what can be done.
fn moved(
    git: &Git<'_>,
    moving: &Move,
    way: UndoDirection,
    at: Option<CommitId>,
) -> Result<String, RescueError> {
    let branch = moving.branch.short();
    let Some(at) = at else { return Ok(format!("the branch {branch} has no commit any more")) };
    let on_top = match moving.from {
        Some(from) if is_ancestor(git, from, &at.to_string())? => n_commits(git, &format!("{from}..{at}"))?,
        Some(_) | None => 0,
    };
    let commits = if on_top == 1 { "1 commit".to_owned() } else { format!("{on_top} commits") };
    Ok(match (way, on_top, moving.from) {
        (UndoDirection::Undo, 1.., Some(from)) => {
            let which = moving.to.map_or_else(|| from.to_string(), |to| format!("{to}..{from}"));
            format!(
                "on {branch}, {commits} came on top of what would be taken back: `git revert {which}` takes back only \
                 what was rescued. An undo needs what came later taken back first: `git reset --soft {from}`, and \
                 `git restore --staged FILE` for what that leaves staged"
            )
        }
        (UndoDirection::Redo, 1.., _) => format!(
            "{commits} came to {branch} since the undo: `closeout rescue` commits what is uncommitted now"
        ),
        (UndoDirection::Undo | UndoDirection::Redo, ..) => format!(
            "the branch {branch} was reset, amended or rebased since, and is at {at} now: \
             `closeout restore` gives the files of a record back"
        ),
    })
}

fn is_ancestor(git: &Git<'_>, older: CommitId, newer: &str) -> Result<bool, RescueError> {
    Ok(git.real(["merge-base", "--is-ancestor", &older.to_string(), newer], Stdin::Lock)?.is_success())
}

fn n_commits(git: &Git<'_>, range: &str) -> Result<usize, RescueError> {
    let count = git.lines(["rev-list", "--count", range])?;
    Ok(count.first().and_then(|count| count.parse().ok()).unwrap_or_default())
}

fn refused(words: String) -> Result<(), RescueError> {
    Err(RescueError::Refused(words))
}
