//! Plans and performs undo and redo: always of the last action alone, with all of its commits together.
//!
//! It must not change anything if branch or index is not as that action left it.

use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Move, Purpose, Reading, RescueError, journal};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{self, guards, kept_index, recovery};
use crate::action::rescue::survey::{commits, seen_index};
use crate::git::Git;
use crate::model::{CommitId, ShownCommit, UndoDirection, UndoPlan};

impl Rescuer {
    /// Shows what an undo of the last rescue would take back. Changes nothing.
    ///
    /// # Errors
    /// [`RescueError::Nothing`] if there is nothing to undo; [`RescueError::Refused`] if the branch or the index is not as the
    /// rescue left it.
    pub fn undo_plan(&self, workspace: &Path) -> Result<UndoPlan, RescueError> {
        self.plan_of(workspace, UndoDirection::Undo)
    }

    /// Shows what a redo of the rescue that was last undone would restore, with the same commit ids. Changes nothing.
    ///
    /// # Errors
    /// [`RescueError::Nothing`] if there is nothing to redo; [`RescueError::Refused`] as for [`Rescuer::undo_plan`].
    pub fn redo_plan(&self, workspace: &Path) -> Result<UndoPlan, RescueError> {
        self.plan_of(workspace, UndoDirection::Redo)
    }

    fn plan_of(&self, workspace: &Path, way: UndoDirection) -> Result<UndoPlan, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let git = worktree.git();
        let read = worktree.journal.read()?;
        let last = last_of(&read, way)?;
        worktree.repo.check_writes(&[last.branch.as_str()])?;
        let (older, newer) = match way {
            UndoDirection::Undo => (last.from, last.to),
            UndoDirection::Redo => (last.to, last.from),
        };
        let base = older.or(last.base);
        let newest = newer.ok_or(RescueError::Nothing)?;
        let ids: Vec<CommitId> = base.into_iter().chain([newest]).collect();
        // Undo needs only what was before the commit, whatever of it was removed from the repository.
        let without = |what: &str| {
            let subject = format!("(the repository has lost {what})");
            (vec![ShownCommit { commit: newest, subject, n_paths: 0 }], Vec::new())
        };
        let (commits, paths) = match &commits::lost(&git, &ids)?[..] {
            [] => match taken_back(&git, base, newest) {
                Err(error) if error.is_fatal_to_git() && way == UndoDirection::Undo => {
                    without("a part of this commit")
                }
                read => read?,
            },
            [only] if *only == newest && way == UndoDirection::Undo => without("this commit"),
            [first, ..] => return Err(commits::not_there(*first)),
        };
        let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
        let planned = backwards(last, worktree.any_id());
        guards::check(&worktree, &git, &shadow, &planned, way)?;
        let pushed_to = match way {
            UndoDirection::Undo => guards::pushed_to(&git, last, newest)?,
            UndoDirection::Redo => None,
        };
        kept_index::check_objects(&git, &worktree, &shadow, &planned).map_err(refused)?;
        Ok(UndoPlan {
            way,
            id: last.id.clone(),
            branch: last.branch.clone(),
            from: last.to,
            to: last.from,
            commits,
            paths,
            record: last.record.clone(),
            pushed_to,
        })
    }

    /// Does exactly what `plan` shows, or nothing. After an undo, branch and index are exactly as before the rescue. Later edits
    /// in the work tree stay.
    ///
    /// # Errors
    /// [`RescueError::Refused`] if the plan is no longer about the last action, or the branch or the index is not as that action
    /// left it.
    pub fn turn_back(&self, workspace: &Path, plan: &UndoPlan) -> Result<(), RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let read = worktree.journal.read()?;
        let last = last_of(&read, plan.way)?;
        worktree.repo.check_writes(&[last.branch.as_str()])?;
        if plan.id != last.id || plan.from != last.to || plan.to != last.from {
            return Err(RescueError::Refused(
                "something else was done since you looked; look again".to_owned(),
            ));
        }
        let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
        let planned = backwards(last, worktree.new_id());
        guards::check(&worktree, &worktree.git(), &shadow, &planned, plan.way)?;
        kept_index::check_objects(&worktree.git(), &worktree, &shadow, &planned).map_err(refused)?;
        let _held = self.hold()?;
        ref_transaction::make(&worktree, &shadow, planned, None).map_err(refused)
    }
}

fn refused(error: RescueError) -> RescueError {
    if let RescueError::SavedOnly(words) = error { RescueError::Refused(words) } else { error }
}

/// The move back, under this id.
fn backwards(last: &Move, id: String) -> Move {
    Move {
        id,
        purpose: match last.purpose {
            Purpose::Commit | Purpose::Redo => Purpose::Undo,
            Purpose::Undo => Purpose::Redo,
        },
        from: last.to,
        to: last.from,
        digest_before: last.digest_after.clone(),
        digest_after: last.digest_before.clone(),
        index_before: last.index_after.clone(),
        index_after: last.index_before.clone(),
        inode: (0, 0),
        branch_inode: None,
        ..last.clone()
    }
}

/// The last action, if it can be undone or redone as `way` asks.
fn last_of(read: &Reading, way: UndoDirection) -> Result<&Move, RescueError> {
    let none = || match read.n_damaged {
        0 => RescueError::Nothing,
        // A damaged line may be the very action that is wanted.
        n => RescueError::Damage(format!(
            "{n} lines of the journal cannot be read, and no other tells of a rescue"
        )),
    };
    journal::last_done(&read.entries)
        .filter(|last| match (way, last.purpose) {
            (UndoDirection::Undo, Purpose::Commit | Purpose::Redo) | (UndoDirection::Redo, Purpose::Undo) => {
                true
            }
            (UndoDirection::Undo, Purpose::Undo) | (UndoDirection::Redo, Purpose::Commit | Purpose::Redo) => {
                false
            }
        })
        .ok_or_else(none)
}

/// The commits after `base` up to `newest`, oldest first, and the paths that they change together.
fn taken_back(
    git: &Git<'_>,
    base: Option<CommitId>,
    newest: CommitId,
) -> Result<(Vec<ShownCommit>, Vec<Vec<u8>>), RescueError> {
    let without = base.map(|base| format!("^{base}"));
    let which: Vec<String> =
        ["--reverse".to_owned(), newest.to_string()].into_iter().chain(without).collect();
    let mut listed = commits::listed(git, &which)?;
    let paths = match &mut listed[..] {
        [only] if only.parent == base => std::mem::take(&mut only.paths),
        _ => commits::differing(git, base, newest)?,
    };
    Ok((listed.into_iter().map(|commit| commit.shown).collect(), paths))
}
