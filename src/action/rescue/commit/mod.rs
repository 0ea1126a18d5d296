//! Makes the visible commit of a plan, and recovers from crashes. Both lock the worktree and first complete or
//! roll back what a crash interrupted.
//!
//! It must not commit anything that the plan does not show, and must not touch the work tree.

pub(super) mod own_program;

use std::path::Path;

use crate::action::rescue::base::{Move, PinnedAs, RescueError, Saved, Settings, author, journal};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{
    Listed, Needed, forgotten, kept_index, make_pinned, recovery, target,
};
use crate::action::rescue::snapshot::{self, Recorded, unchanged, verify};
use crate::action::rescue::survey::{self, SeenIndex, Spool, listing, seen_index};
use crate::action::rescue::trust::{Hooks, Programs, hooks};
use crate::action::rescue::visible::{self, Made, Staged, split};
use crate::action::rescue::{RescueStep, Rescuer};
use crate::git::{Git, Shadow, index_entries};
use crate::model::{
    CommitId, CommitTarget, LeftOut, PlannedPath, RefName, RescuePlan, Rescued, WantedProgram,
};

/// What became of rescues, undos and deletions that were cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// There were none.
    Nothing,
    /// They were completed or taken back.
    Whole,
    /// Something is left for the next action.
    InPart,
}

impl Rescuer {
    /// Commits exactly what `plan` shows, or nothing. Does not touch the work tree.
    ///
    /// # Errors
    /// [`RescueError::SavedOnly`] if anything differs from the plan, no target was chosen or a link is in the way;
    /// [`RescueError::Refused`] if the author is not decided; [`RescueError::Cancelled`] if it was cancelled
    /// before its commits were made: from there on it is completed. The plan's record is kept, except for
    /// [`RescueError::UnknownRecord`].
    pub fn commit(&self, workspace: &Path, plan: &RescuePlan) -> Result<Rescued, RescueError> {
        self.commit_shown(workspace, plan).map_err(|error| {
            if let RescueError::Linked(_) = error { RescueError::SavedOnly(error.to_string()) } else { error }
        })
    }

    fn commit_shown(&self, workspace: &Path, plan: &RescuePlan) -> Result<Rescued, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let git = worktree.git();
        worktree.repo.check_writes(plan.target_branch().map(RefName::as_str).as_slice())?;
        let saved = saved_of(&worktree, plan)?;
        let settings = Settings::read(&git)?;
        let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
        shadow.configure(&settings.for_shadow())?;
        let current = self.revalidate(&git, shadow, settings, plan, &saved)?;
        if plan.programs.wanted == Some(WantedProgram::Own) {
            return self.run_own(&worktree, &git, &current, plan, &saved);
        }
        // Read before anything is staged, because trust can cover the tracked files as they are now.
        let survey = &current.survey;
        let programs = self.programs(&git, &current.settings, &survey.entries, &survey.untracked)?;
        let wanted = self.stage_shown(&git, &current, plan, &programs)?;
        self.reached(RescueStep::TreeMade);
        let author = author::options(&git, &current.settings, plan.author.as_ref())?;
        let parent = plan.head;
        let n_paths = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
        let hooks = self.wanted_hooks(&git, &current.shadow, plan, programs)?;
        let base = (parent, current.head_tree().clone());
        let commits = visible::commits(&git, &current.shadow, base, &wanted, &author, hooks.as_ref());
        let difference = match &hooks {
            Some(_) => Self::difference_after_hooks(&git, &current)?,
            None => None,
        };
        let commits = commits.map_err(|error| with_difference(error, difference.as_deref()))?;
        let ids: Vec<CommitId> = commits.iter().map(|made| made.commit).collect();
        let Some(&last) = ids.last() else { return Err(RescueError::Nothing) };
        let others = parent.into_iter().chain([saved.snapshot]).map(|id| id.to_string()).collect();
        let needed = Needed { commit: last, others, is_partial: current.settings.is_partial() };
        let branch =
            make_pinned(&worktree, &current.shadow, &ids, PinnedAs::Visible, &needed, |id, listed| {
                let who = committer_of(&commits, listed)?;
                Ok((planned_move(&worktree, &git, &current, plan, &saved, last, id)?, who))
            })?;
        let record = plan.record.clone();
        let difference = difference
            .map(|difference| format!("{difference}; the record {} holds it as it was", saved.reference));
        let notes = difference.into_iter().chain(hooks.and_then(|hooks| hooks.after())).collect();
        Ok(Rescued { record, commits: ids, branch, n_paths, notes, can_be_undone: true })
    }

    /// Completes or rolls back what a crash interrupted, never leaving half of it; and completes the deletions that were cut
    /// off in other worktrees of the repository. Tells what became of all that.
    pub fn recover(&self, workspace: &Path) -> Result<Recovered, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        let n_cut = || Ok::<_, RescueError>(journal::n_cut(&worktree.journal.read()?.entries));
        let n_before = n_cut()?;
        recovery::recover(&worktree)?;
        let mut n_left = n_cut()?;
        let mut n_done = n_before.saturating_sub(n_left);
        for place in worktree.places()?.iter().filter(|place| place.key != worktree.repo.key) {
            let (n_done_there, n_left_there) = forgotten::complete_beside(&worktree, place);
            n_done += n_done_there;
            n_left += n_left_there;
        }
        Ok(match (n_done, n_left) {
            (0, 0) => Recovered::Nothing,
            (_, 0) => Recovered::Whole,
            _ => Recovered::InPart,
        })
    }

    /// Reads everything again and refuses unless it is as it was when the plan was made.
    fn revalidate(
        &self,
        git: &Git<'_>,
        shadow: Shadow,
        settings: Settings,
        plan: &RescuePlan,
        saved: &Saved,
    ) -> Result<Recorded, RescueError> {
        let mut spool = Spool::create(git, &shadow.file("stream"))?;
        let survey = survey::survey(git, &shadow, &mut spool)?;
        let id = saved.reference.id();
        let targets = target::targets(git, &survey, &self.protected, id)?;
        targets.check(git, plan.target.as_ref())?;
        let snapshot = snapshot::work_tree(&survey);
        let is_recorded = verify::is_still(git, saved, &snapshot)?;
        let is_same = survey.head.commit == plan.head
            && survey.head.branch == plan.branch
            && saved.head == plan.head
            && listing::digest(&survey.entries) == saved.digest
            && is_recorded;
        if !is_same {
            return Err(visible::changed());
        }
        let head = listing::tree_of(git, plan.head)?;
        let unchanged = unchanged::files(git, &shadow, &settings, &survey, Some(&head), &snapshot)?;
        let mut paths = visible::paths(&head, &snapshot, &survey);
        paths.retain(|path| !unchanged.stored_alike.contains(&path.path));
        if !is_shown(&paths, &plan.paths) {
            return Err(visible::changed());
        }
        let hanging_rules = None;
        Ok(Recorded { settings, shadow, hanging_rules, survey, head: Ok(head), unchanged, snapshot })
    }

    fn wanted_hooks<'a>(
        &'a self,
        git: &'a Git<'a>,
        shadow: &'a Shadow,
        plan: &RescuePlan,
        programs: Programs,
    ) -> Result<Option<Hooks<'a>>, RescueError> {
        if plan.programs.wanted != Some(WantedProgram::Hooks) {
            return Ok(None);
        }
        Hooks::of(self, git, shadow, programs).map(Some)
    }

    /// Describes what the hooks changed in the work tree. Nothing is lost: the commit holds what was confirmed
    /// and the record holds the earlier content.
    fn difference_after_hooks(git: &Git<'_>, current: &Recorded) -> Result<Option<String>, RescueError> {
        // Runs even after a cancellation: a person must learn what the hooks did.
        let git = git.to_the_end();
        let mut spool = Spool::create(&git, &current.shadow.file("stream-after"))?;
        let after = survey::survey(&git, &current.shadow, &mut spool)?;
        Ok(hooks::difference(&current.survey.blobs, &after.blobs)
            .map(|difference| format!("the hooks changed the work tree: {difference}")))
    }

    /// Stages the plan's paths and splits them into its commits; every object must be the one the plan shows.
    fn stage_shown(
        &self,
        git: &Git<'_>,
        current: &Recorded,
        plan: &RescuePlan,
        programs: &Programs,
    ) -> Result<Vec<(Staged, String)>, RescueError> {
        let included = plan.paths.iter().filter(|path| path.left_out.is_none()).map(|path| &path.path[..]);
        // One that changes after it was read makes an object that the plan does not show.
        let attributes = current.attributes(git, included)?;
        let staged = current.staging(git, &attributes, self.for_programs(programs)).stage(&plan.paths)?;
        if !are_objects_shown(plan, &staged) {
            return Err(visible::changed());
        }
        if staged.is_empty() {
            let filters = plan.programs.filters.join(", ");
            let why = if plan.programs.is_trusted || filters.is_empty() {
                String::new()
            } else {
                format!(" (filters that are not trusted: {filters})")
            };
            return Err(RescueError::SavedOnly(format!(
                "all that changed is left out{why} or only staged; no commit would hold it"
            )));
        }
        split::chosen(plan, &current.survey, current.head_tree(), &staged)
    }
}

/// The committer of the last of these commits, as a reflog names it.
///
/// # Errors
/// [`RescueError::Damage`] if one is not listed with the tree that was confirmed.
fn committer_of(made: &[Made], listed: Vec<Listed>) -> Result<Option<String>, RescueError> {
    let is_confirmed =
        |made: &Made| listed.iter().any(|listed| listed.id == made.commit && listed.tree == made.tree);
    if !made.iter().all(is_confirmed) {
        return Err(visible::not_confirmed());
    }
    let is_last = |listed: &Listed| made.last().is_some_and(|made| made.commit == listed.id);
    Ok(listed.into_iter().find(is_last).map(|listed| listed.who))
}

/// Adds what the hooks changed to the error of a step that failed after them.
fn with_difference(error: RescueError, difference: Option<&str>) -> RescueError {
    match difference {
        Some(difference) => RescueError::SavedOnly(format!("{error}; {difference}")),
        None => error,
    }
}

/// The move that makes `commit` visible where the plan wants it.
fn planned_move(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    current: &Recorded,
    plan: &RescuePlan,
    saved: &Saved,
    commit: CommitId,
    id: String,
) -> Result<Move, RescueError> {
    let (to, record) = (Some(commit), Some(saved.reference.clone()));
    if let Some(CommitTarget::NewBranch(branch)) = &plan.target {
        return Ok(Move::of_branch(id, branch.clone(), to, plan.head, record));
    }
    let Some(branch) = plan.branch.clone() else {
        return Err(RescueError::Refused("HEAD is detached: no branch can take the commit".to_owned()));
    };
    let before = current.shadow.raw_index.as_ref().map(|raw| kept_index::keep(worktree, raw)).transpose()?;
    let after = SeenIndex::read(&current.shadow.index)?.raw;
    let after = after.map(|raw| kept_index::keep(worktree, &raw)).transpose()?;
    Ok(Move {
        from: plan.head,
        digest_before: saved.digest.clone(),
        digest_after: listing::digest(&index_entries(git, &current.shadow, &current.shadow.index)?),
        index_before: before,
        index_after: after,
        is_branch_only: false,
        ..Move::of_branch(id, branch, to, None, record)
    })
}

/// Whether the plan shows exactly the current paths and includes only those that may be included.
fn is_shown(now: &[PlannedPath], plan: &[PlannedPath]) -> bool {
    now.len() == plan.len()
        && now.iter().zip(plan).all(|(now, then)| {
            let can_be_in = now.left_out.is_none_or(LeftOut::can_be_asked_for);
            now.path == then.path && now.change == then.change && (can_be_in || then.left_out.is_some())
        })
}

/// The record of a plan, as the journal knows it.
fn saved_of(worktree: &WorktreeLock, plan: &RescuePlan) -> Result<Saved, RescueError> {
    let entries = worktree.journal.read()?.entries;
    let saved = journal::saved(&entries).into_iter().rev().find(|it| it.reference == plan.record.reference);
    let Some(saved) = saved.filter(|saved| saved.snapshot == plan.record.snapshot).cloned() else {
        return Err(RescueError::UnknownRecord);
    };
    Ok(saved)
}

/// Whether each path was staged as the object that the plan shows.
fn are_objects_shown(plan: &RescuePlan, staged: &Staged) -> bool {
    plan.paths.iter().filter(|path| path.left_out.is_none()).all(|path| {
        let object = staged.get(&path.path).and_then(Option::as_ref).map(|entry| &entry.id);
        object == path.object.as_ref()
    })
}
