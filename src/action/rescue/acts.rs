//! The commit of a plan, and recovery. Each takes its turn on the worktree and first brings to an end what a
//! crash has cut.

use std::path::Path;

use super::error::RescueError;
use super::git::Git;
use super::journal::{self, Move, Purpose, Saved};
use super::listing::{self, Tree};
use super::settings::Settings;
use super::shadow::{Shadow, read_index};
use super::spool::Spool;
use super::step::Step;
use super::survey::{self, Survey};
use super::turn::Turn;
use super::visible::{self, Staged};
use super::{Rescuer, author, moving, record, references, split, target};
use crate::model::{CommitTarget, LeftOut, PlannedPath, RescuePlan, Rescued};

impl Rescuer {
    /// Commits what `plan` shows, or nothing. The work tree is not touched.
    ///
    /// # Errors
    /// [`RescueError::SavedOnly`] when something is not as the plan shows it, or nobody chose where the commit
    /// goes; [`RescueError::Refused`] when nobody said whose name it bears.
    pub fn commit(&self, workspace: &Path, plan: &RescuePlan) -> Result<Rescued, RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        let git = turn.git(self);
        let saved = saved_of(&turn, &git, plan)?;
        let settings = Settings::read(&git)?;
        let shadow = Shadow::make(&turn.repo, &turn.work())?;
        shadow.configure(&settings)?;
        let seen = self.look_again(&git, shadow, settings, plan, &saved)?;
        let wanted = self.stage_shown(&git, &seen, plan)?;
        self.reached(Step::TreeMade);
        let author = author::settings(&git, plan.author.as_ref())?;
        let parent = plan.head.as_deref();
        let n_paths = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
        let commits = visible::commits(&git, &seen.shadow, parent, seen.head.clone(), &wanted, &author)?;
        let Some(last) = commits.last() else { return Err(RescueError::Nothing) };
        let id = turn.new_id();
        references::make_or_other(&git, &format!("visible/{}/{id}", turn.repo.key), last)?;
        // The branch must not come to the disk before its commit.
        turn.sync(self)?;
        self.reached(Step::CommitPinned);
        let planned = planned_move(&turn, &git, &seen, plan, &saved, last, id)?;
        let branch = planned.branch.clone();
        moving::make(self, &turn, &seen.shadow, planned)?;
        let record = plan.record.clone();
        Ok(Rescued { record, commits, branch, n_paths, notes: Vec::new(), can_be_undone: true })
    }

    /// Brings to an end what a crash has cut: all of it, or nothing.
    pub fn recover(&self, workspace: &Path) -> Result<(), RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)
    }

    /// Reads everything again; it must be as it was when the plan was made.
    fn look_again(
        &self,
        git: &Git<'_>,
        shadow: Shadow,
        settings: Settings,
        plan: &RescuePlan,
        saved: &Saved,
    ) -> Result<Seen, RescueError> {
        let mut spool = Spool::create(&shadow.file("stream"))?;
        let survey = survey::survey(git, &shadow, &mut spool)?;
        let draft = record::draft(git, &shadow, &survey, &mut spool)?;
        let id = saved.reference.rsplit('/').next().unwrap_or_default();
        let targets = target::targets(git, &survey, &self.protected, id)?;
        targets.check(git, plan.target.as_ref())?;
        let snapshot = listing::tree(git, &saved.snapshot)?;
        let digest = listing::digest(&survey.entries);
        let is_same = survey.head.commit == plan.head
            && survey.head.branch.as_deref().unwrap_or_default() == plan.branch
            && saved.head == plan.head
            && digest == saved.digest
            && draft.snapshot == snapshot;
        if !is_same {
            return Err(visible::changed());
        }
        let head = plan.head.as_ref().map_or_else(|| Ok(Tree::new()), |id| listing::tree(git, id))?;
        if !is_shown(&visible::paths(&head, &snapshot, &survey), &plan.paths) {
            return Err(visible::changed());
        }
        Ok(Seen { settings, shadow, survey, head, snapshot, digest })
    }

    /// Stages what the plan has in it, and splits it as the plan says; each object is the one that it shows.
    fn stage_shown(
        &self,
        git: &Git<'_>,
        seen: &Seen,
        plan: &RescuePlan,
    ) -> Result<Vec<(Staged, String)>, RescueError> {
        let objects = git.repo.common_dir.join("objects");
        let included = plan.paths.iter().filter(|path| path.left_out.is_none()).map(|path| &path.path[..]);
        let attributes = visible::attributes(git, &seen.shadow, included)?;
        let (settings, snapshot) = (&seen.settings, &seen.snapshot);
        let staged =
            visible::stage(git, &seen.shadow, &objects, settings, snapshot, &plan.paths, &attributes)?;
        if !are_objects_shown(plan, &staged) {
            return Err(visible::changed());
        }
        if staged.is_empty() {
            return Err(RescueError::Nothing);
        }
        split::wanted(plan, &seen.survey, &seen.head, &staged)
    }
}

/// The state that is as the plan shows it.
struct Seen {
    settings: Settings,
    shadow: Shadow,
    survey: Survey,
    head: Tree,
    snapshot: Tree,
    digest: String,
}

/// The move that makes `commit` visible where the plan wants it.
fn planned_move(
    turn: &Turn,
    git: &Git<'_>,
    seen: &Seen,
    plan: &RescuePlan,
    saved: &Saved,
    commit: &str,
    id: String,
) -> Result<Move, RescueError> {
    let (to, record) = (Some(commit.to_owned()), saved.reference.clone());
    if let Some(CommitTarget::NewBranch(branch)) = &plan.target {
        return Ok(Move::of_branch(id, branch.clone(), to, plan.head.clone(), record));
    }
    let before = seen.shadow.raw_index.as_ref().map(|raw| moving::keep(turn, raw)).transpose()?;
    let after = read_index(&seen.shadow.index)?.map(|raw| moving::keep(turn, &raw)).transpose()?;
    Ok(Move {
        id,
        purpose: Purpose::Commit,
        branch: plan.branch.clone(),
        from: plan.head.clone(),
        to,
        digest_before: seen.digest.clone(),
        digest_after: listing::digest(&listing::index_entries(git, &seen.shadow)?),
        index_before: before,
        index_after: after,
        inode: (0, 0),
        branch_inode: None,
        is_branch_only: false,
        base: None,
        record,
    })
}

/// Whether a plan shows the paths of now, and has in it only what can be in.
fn is_shown(now: &[PlannedPath], plan: &[PlannedPath]) -> bool {
    now.len() == plan.len()
        && now.iter().zip(plan).all(|(now, then)| {
            let can_be_in = now.left_out.is_none_or(LeftOut::can_be_asked_for);
            now.path == then.path && now.change == then.change && (can_be_in || then.left_out.is_some())
        })
}

/// The record of a plan, as the journal and the repository know it.
fn saved_of(turn: &Turn, git: &Git<'_>, plan: &RescuePlan) -> Result<Saved, RescueError> {
    let (acts, _) = turn.journal.acts()?;
    let saved = journal::saved(&acts).into_iter().rev().find(|it| it.reference == plan.record.reference);
    let Some(saved) = saved.filter(|saved| saved.snapshot == plan.record.snapshot).cloned() else {
        return Err(RescueError::Refused("the journal does not know this record".to_owned()));
    };
    if moving::branch_at(git, &saved.reference)?.as_ref() != Some(&saved.snapshot) {
        return Err(RescueError::Damage("the reference of the record was changed or removed".to_owned()));
    }
    Ok(saved)
}

/// Whether each path becomes the object that the plan shows.
fn are_objects_shown(plan: &RescuePlan, staged: &Staged) -> bool {
    plan.paths.iter().filter(|path| path.left_out.is_none()).all(|path| {
        let object = staged.get(&path.path).and_then(Option::as_ref).map(|entry| &entry.id);
        object == path.object.as_ref()
    })
}
