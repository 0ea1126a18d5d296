//! What a front asks for: a plan, the commit of a plan, undo, redo, recovery. Each takes its turn on
//! the worktree and first brings to an end what a crash has cut.

use std::path::Path;

use super::error::RescueError;
use super::journal::{self, Act, KeptIndex, Move, Purpose};
use super::listing::{self, Tree};
use super::settings::Settings;
use super::shadow::{Shadow, read_index};
use super::spool::Spool;
use super::step::Step;
use super::turn::Turn;
use super::{Rescuer, moving, record, survey, visible};
use crate::model::RescuePlan;

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
            let objects = &seen.shadow.objects;
            match visible::stage(&git, &seen.shadow, objects, &seen.settings, &snapshot, &paths) {
                Ok(staged) => {
                    for path in &mut paths {
                        path.is_converted = path.left_out.is_none()
                            && staged
                                .get(&path.path)
                                .is_some_and(|it| it.as_ref() != snapshot.get(&path.path));
                    }
                }
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
        let (acts, _) = turn.journal.acts()?;
        let saved = acts.iter().rev().find_map(|act| match act {
            Act::Saved(saved) if saved.reference == plan.record.reference => Some(saved),
            Act::Saved(_) | Act::Moving(_) | Act::Moved { .. } | Act::RolledBack { .. } => None,
        });
        let Some(saved) = saved.filter(|saved| saved.snapshot == plan.record.snapshot) else {
            return Err(RescueError::Refused("the journal does not know this record".to_owned()));
        };
        if moving::branch_at(&git, &saved.reference)?.as_ref() != Some(&saved.snapshot) {
            return Err(RescueError::Damage("the reference of the record was changed or removed".to_owned()));
        }
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
        let is_shown = shown.len() == plan.paths.len()
            && shown
                .iter()
                .zip(&plan.paths)
                .all(|(now, then)| now.path == then.path && now.change == then.change);
        if !is_shown {
            return Err(visible::changed());
        }
        let objects = turn.repo.common_dir.join("objects");
        let staged = visible::stage(&git, &shadow, &objects, &settings, &snapshot, &plan.paths)?;
        for path in plan.paths.iter().filter(|path| path.left_out.is_none()) {
            let is_converted =
                staged.get(&path.path).is_some_and(|it| it.as_ref() != snapshot.get(&path.path));
            if is_converted != path.is_converted {
                return Err(visible::changed());
            }
        }
        if staged.is_empty() {
            return Err(RescueError::Nothing);
        }
        self.reached(Step::TreeMade);
        let commit = visible::commit(&git, &shadow, plan.head.as_deref(), head, &staged, &plan.message)?;
        let id = turn.new_id();
        record::make_reference(&git, &format!("refs/closeout/visible/{}/{id}", turn.repo.key), &commit)?;
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
        let back = |index: &Option<KeptIndex>| index.clone();
        let planned = Move {
            id: turn.new_id(),
            purpose,
            branch: last.branch.clone(),
            from: last.to.clone(),
            to: last.from.clone(),
            digest_before: last.digest_after.clone(),
            digest_after: last.digest_before.clone(),
            index_before: back(&last.index_after),
            index_after: back(&last.index_before),
            inode: (0, 0),
        };
        moving::make(self, &turn, &shadow, planned).map_err(|error| match error {
            RescueError::SavedOnly(words) => RescueError::Refused(words),
            other => other,
        })
    }
}
