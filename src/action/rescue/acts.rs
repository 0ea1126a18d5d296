//! What a front asks for: a plan, the commit of a plan, undo, redo, recovery. Each takes its turn on
//! the worktree and first brings to an end what a crash has cut.

use std::path::Path;

use super::error::RescueError;
use super::git::Git;
use super::journal::{self, Act, Move, Purpose, Saved};
use super::listing::{self, Tree};
use super::settings::Settings;
use super::shadow::{Shadow, read_index};
use super::spool::Spool;
use super::step::Step;
use super::turn::Turn;
use super::visible::Staged;
use super::{Recorded, Rescuer, moving, record, survey, visible};
use crate::model::{LeftOut, PlannedPath, RescuePlan};

impl Rescuer {
    /// Records the uncommitted work and tells what a visible commit of it would hold. When none can be
    /// made, the plan says why; the record is there all the same.
    pub fn plan(&self, workspace: &Path, message: &str) -> Result<RescuePlan, RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        let (rescued, seen) = self.record_in(&turn)?;
        let git = turn.git(self);
        let mut refusal = visible::refusal(&git, &seen.shadow, &seen.survey, &self.protected)?;
        let head = match &seen.survey.head.commit {
            Some(commit) => listing::tree(&git, commit),
            None => Ok(Tree::new()),
        };
        let head = head.unwrap_or_else(|error| {
            refusal = Some(format!("the last commit cannot be read: {error}"));
            Tree::new()
        });
        let snapshot = listing::tree(&git, &rescued.snapshot)?;
        let mut paths = visible::paths(&head, &snapshot, &seen.survey);
        if refusal.is_none() {
            match stage_all(&git, &seen, &snapshot, &paths) {
                Ok(staged) => show_staged(&mut paths, &snapshot, &staged),
                Err(RescueError::SavedOnly(words)) => refusal = Some(words),
                Err(error) => return Err(error),
            }
        }
        Ok(RescuePlan {
            record: rescued,
            branch: seen.survey.head.branch.clone().unwrap_or_default(),
            head: seen.survey.head.commit.clone(),
            paths,
            message: message.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect(),
            refusal,
        })
    }

    /// Commits what `plan` shows, or nothing; the id of the commit. The work tree is not touched.
    ///
    /// # Errors
    /// [`RescueError::SavedOnly`] when something is not as the plan shows it.
    pub fn commit(&self, workspace: &Path, plan: &RescuePlan) -> Result<String, RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        let git = turn.git(self);
        let saved = saved_of(&turn, &git, plan)?;
        let settings = Settings::read(&git)?;
        let shadow = Shadow::make(&turn.repo, &turn.folder.join("work"))?;
        shadow.configure(&settings)?;
        let mut spool = Spool::create(&shadow.file("stream"))?;
        let survey = survey::survey(&git, &shadow, &mut spool)?;
        let draft = record::draft(&git, &shadow, &survey, &mut spool)?;
        if let Some(words) = visible::refusal(&git, &shadow, &survey, &self.protected)? {
            return Err(RescueError::SavedOnly(words));
        }
        let snapshot = listing::tree(&git, &saved.snapshot)?;
        let digest = listing::digest(&survey.entries);
        let is_same = survey.head.commit == plan.head
            && survey.head.branch.as_ref() == Some(&plan.branch)
            && saved.head == plan.head
            && digest == saved.digest
            && draft.snapshot == snapshot;
        if !is_same {
            return Err(visible::changed());
        }
        let head = plan.head.as_ref().map_or_else(|| Ok(Tree::new()), |id| listing::tree(&git, id))?;
        let shown = visible::paths(&head, &snapshot, &survey);
        if !is_shown(&shown, &plan.paths) {
            return Err(visible::changed());
        }
        let objects = turn.repo.common_dir.join("objects");
        let staged = visible::stage(&git, &shadow, &objects, &settings, &snapshot, &plan.paths)?;
        if !are_objects_shown(plan, &staged) {
            return Err(visible::changed());
        }
        if staged.is_empty() {
            return Err(RescueError::Nothing);
        }
        self.reached(Step::TreeMade);
        let commit = visible::commit(&git, &shadow, plan.head.as_deref(), head, &staged, &plan.message)?;
        let id = turn.new_id();
        record::make_reference(&git, &format!("refs/closeout/visible/{}/{id}", turn.repo.key), &commit)?;
        // The branch must not come to the disk before its commit.
        turn.sync(self)?;
        self.reached(Step::CommitPinned);
        let before = shadow.raw_index.as_ref().map(|raw| moving::keep(&turn, raw)).transpose()?;
        let after = read_index(&shadow.index)?.map(|raw| moving::keep(&turn, &raw)).transpose()?;
        let digest_after = listing::digest(&listing::index_entries(&git, &shadow)?);
        let planned = Move {
            id,
            purpose: Purpose::Commit,
            branch: plan.branch.clone(),
            from: plan.head.clone(),
            to: Some(commit.clone()),
            digest_before: digest,
            digest_after,
            index_before: before,
            index_after: after,
            inode: (0, 0),
        };
        moving::make(self, &turn, &shadow, planned)?;
        Ok(commit)
    }

    /// Takes the last visible commit back: branch and index are exactly as before. What was edited since
    /// stays.
    ///
    /// # Errors
    /// [`RescueError::Refused`] when the branch or the index is not what the commit left.
    pub fn undo(&self, workspace: &Path) -> Result<(), RescueError> {
        self.turn_back(workspace, &[Purpose::Commit, Purpose::Redo], Purpose::Undo)
    }

    /// Makes the commit again that was taken back last, with the same id.
    pub fn redo(&self, workspace: &Path) -> Result<(), RescueError> {
        self.turn_back(workspace, &[Purpose::Undo], Purpose::Redo)
    }

    /// Brings to an end what a crash has cut: all of it, or nothing.
    pub fn recover(&self, workspace: &Path) -> Result<(), RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)
    }

    fn turn_back(&self, workspace: &Path, of: &[Purpose], purpose: Purpose) -> Result<(), RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        let (acts, _) = turn.journal.acts()?;
        let Some(last) = journal::last_done(&acts).filter(|last| of.contains(&last.purpose)) else {
            return Err(RescueError::Nothing);
        };
        let shadow = Shadow::make(&turn.repo, &turn.folder.join("work"))?;
        let planned = Move {
            id: turn.new_id(),
            purpose,
            branch: last.branch.clone(),
            from: last.to.clone(),
            to: last.from.clone(),
            digest_before: last.digest_after.clone(),
            digest_after: last.digest_before.clone(),
            index_before: last.index_after.clone(),
            index_after: last.index_before.clone(),
            inode: (0, 0),
        };
        match moving::make(self, &turn, &shadow, planned) {
            Err(RescueError::SavedOnly(words)) => Err(RescueError::Refused(words)),
            made => made,
        }
    }
}

/// Stages everything that can be in a commit, in our own object directory; if that cannot be done, what
/// is in unless something else is asked for.
fn stage_all(
    git: &Git<'_>,
    seen: &Recorded,
    snapshot: &Tree,
    paths: &[PlannedPath],
) -> Result<Staged, RescueError> {
    let all: Vec<PlannedPath> = paths
        .iter()
        .cloned()
        .map(|path| PlannedPath { left_out: path.left_out.filter(|it| !it.can_be_asked_for()), ..path })
        .collect();
    let objects = &seen.shadow.objects;
    let stage = |paths| visible::stage(git, &seen.shadow, objects, &seen.settings, snapshot, paths);
    match stage(&all) {
        Err(RescueError::SavedOnly(_)) => stage(paths),
        other => other,
    }
}

/// Tells in the plan what the commit will hold.
fn show_staged(paths: &mut [PlannedPath], snapshot: &Tree, staged: &Staged) {
    for path in paths {
        if let Some(entry) = staged.get(&path.path) {
            path.is_converted = entry.as_ref() != snapshot.get(&path.path);
            path.object = entry.as_ref().map(|entry| entry.id.clone());
        }
    }
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
    let saved = acts.into_iter().rev().find_map(|act| match act {
        Act::Saved(saved) if saved.reference == plan.record.reference => Some(saved),
        Act::Saved(_) | Act::Moving(_) | Act::Moved { .. } | Act::RolledBack { .. } => None,
    });
    let Some(saved) = saved.filter(|saved| saved.snapshot == plan.record.snapshot) else {
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
