//! Gives commits that no branch, remote branch or tag holds a branch of their own, as a person confirmed it.
//!
//! It must not move HEAD, the index, the work tree or an existing reference, and must not commit anything.

use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Move, PinnedAs, RescueError, Settings, settings};
use crate::action::rescue::lock::{Belonging, WorktreeLock, belonging};
use crate::action::rescue::ref_transaction::make_pinned;
use crate::action::rescue::ref_transaction::{Needed, recovery, target};
use crate::action::rescue::survey::{self, Spool, commits, seen_index};
use crate::git::{Git, Shadow};
use crate::model::{BranchPlan, CommitId, RecordNotice};

/// What holds a commit: as arguments of `rev-list`.
const HOLDERS: [&str; 3] = ["--branches", "--remotes", "--tags"];
/// At most this many commits are shown one by one.
const MAX_SHOWN: usize = 50;

impl Rescuer {
    /// Shows which branch would keep the first of `loose` that nothing holds. Changes nothing.
    ///
    /// # Errors
    /// [`RescueError::Nothing`] if each of them is held by now; [`RescueError::Refused`] if the repository may be
    /// another work tree's.
    pub fn branch_plan(&self, workspace: &Path, loose: &[CommitId]) -> Result<BranchPlan, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let git = worktree.git();
        let mut unheld = Vec::new();
        for &commit in loose {
            if commits::lost(&git, &[commit])?.is_empty() && !commits::is_held(&git, commit)? {
                unheld.push(commit);
            }
        }
        let (Some(&tip), n_further) = (unheld.first(), unheld.len().saturating_sub(1)) else {
            return Err(RescueError::Nothing);
        };
        let notice = whose(&worktree, &git)?;
        let branch = target::new_branch(&git, &worktree.new_id())?;
        worktree.repo.check_writes(&[branch.as_str()])?;
        let listed = rev_list(&git, tip, &[])?;
        let n_commits = listed.len();
        if listed.is_empty() {
            return Err(RescueError::Nothing);
        }
        let shown = listed.into_iter().take(MAX_SHOWN).rev();
        let which: Vec<String> = ["--no-walk=unsorted".to_owned()].into_iter().chain(shown).collect();
        let commits = commits::listed(&git, &which)?.into_iter().map(|commit| commit.shown).collect();
        Ok(BranchPlan { branch, tip, commits, n_commits, n_further, notice })
    }

    /// Creates the branch that `plan` shows, or does nothing. [`Rescuer::turn_back`] removes it again.
    ///
    /// # Errors
    /// [`RescueError::SavedOnly`] if a part of the commits is gone; [`RescueError::Refused`] if there is such a
    /// branch by now.
    pub fn create_branch(&self, workspace: &Path, plan: &BranchPlan) -> Result<(), RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let git = worktree.git();
        worktree.repo.check_writes(&[plan.branch.as_str()])?;
        if !commits::lost(&git, &[plan.tip])?.is_empty() {
            return Err(commits::not_there(plan.tip));
        }
        target::check_new_branch(&git, &plan.branch)?;
        let shadow = shadow(&worktree, &git)?;
        let base = rev_list(&git, plan.tip, &["--boundary", "--first-parent"])?
            .into_iter()
            .find_map(|id| id.strip_prefix('-')?.parse().ok());
        let is_partial = settings::is_partial(&git)?;
        let others = HOLDERS.map(str::to_owned).to_vec();
        let needed = Needed { commit: plan.tip, others, is_partial };
        make_pinned(&worktree, &shadow, &[plan.tip], PinnedAs::Kept, &needed, |id, _| {
            Ok((Move::of_branch(id, plan.branch.clone(), Some(plan.tip), base, None), None))
        })
        .map(drop)
    }
}

/// Whose repository it is, where the work tree does not tell.
///
/// # Errors
/// [`RescueError::Refused`] if it may be another work tree's.
fn whose(worktree: &WorktreeLock, git: &Git<'_>) -> Result<Option<RecordNotice>, RescueError> {
    let shadow = shadow(worktree, git)?;
    let mut spool = Spool::create(git, &shadow.file("stream"))?;
    let survey = survey::survey(git, &shadow, &mut spool)?;
    match belonging::of(git, &survey)? {
        Belonging::Own => Ok(None),
        Belonging::Elsewhere(notice) => Ok(Some(notice)),
        Belonging::Doubtful(reason) => Err(RescueError::Refused(reason)),
    }
}

fn shadow(worktree: &WorktreeLock, git: &Git<'_>) -> Result<Shadow, RescueError> {
    let settings = Settings::read(git)?;
    let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
    shadow.configure(&settings.for_shadow())?;
    Ok(shadow)
}

/// The commits up to `tip` that nothing holds, newest first, as git prints them.
fn rev_list(git: &Git<'_>, tip: CommitId, options: &[&str]) -> Result<Vec<String>, RescueError> {
    let tip = tip.to_string();
    let args: Vec<&str> = ["rev-list"]
        .into_iter()
        .chain(options.iter().copied())
        .chain([&tip, "--not"])
        .chain(HOLDERS)
        .collect();
    Ok(git.lines(args)?)
}
